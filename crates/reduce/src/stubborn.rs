//! Offers stubborn sets, best first.
//!
//! First come sets of one process that need no other, youngest first, which is what SPIN would take. Where there are none, or
//! the proviso refuses them, a set is grown from each process that can move, and all are offered by size. That order keeps
//! the reduction from being weaker than SPIN's where the sets are at least as good.

use crate::alone::Alone;
use crate::cast::Stage;
use crate::closure::{Closure, Context};
use crate::facts::{Facts, Layout};
use crate::matrix::Sight;
use crate::memo::{Answers, Memo};
use crate::rows::{OBSERVED, Rows, VISIBLE};
use crate::state::Scene;
use crate::survey::{States, Survey, Wanted};
use ferrospin_system::{Glance, Move, NO_PROCESS, Offer, Reduction, members};
use std::sync::Arc;

/// What a reduced search must not lose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keep {
    /// States without moves. No proviso is needed.
    Deadlocks,
    /// Those, and every move that may fail.
    Failures,
    /// Those, and what the claim or the labels see, up to repetition of states.
    Visible,
}

impl Keep {
    /// Whether the set of a process that is alone needs no proviso.
    #[inline(always)]
    pub(crate) fn is_free(self, sight: &Sight, process: usize) -> bool {
        (self == Keep::Deadlocks) | (self == Keep::Failures) & sight.is_free(process)
    }
}

/// Deliberate mistakes: tests show that each of them is found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Weakening {
    /// Moves that do not accord are left out.
    pub no_conflicts: bool,
    /// What enables a member is left out.
    pub no_enabling: bool,
    /// Visible moves may be left out while others are taken.
    pub no_visibility: bool,
    /// Every set is said to need no proviso.
    pub all_free: bool,
}

/// The reduction.
pub struct Stubborn<F: Facts> {
    /// Its own, because many workers that count users of one would wait for one another.
    layout: Layout,
    rows: Rows<F>,
    keep: Keep,
    weakening: Weakening,
    /// Only sets of one process are offered.
    thrifty: bool,
    /// So many edges may be looked at while sets are grown; no set is begun where none may.
    efforts: u64,
    stage: Stage,
    survey: Survey,
    scene: Scene,
    closure: Closure,
    answers: Answers,
    memo: Memo,
    found: Vec<Found>,
    /// Members of the sets found, process by process.
    members: Vec<u64>,
    /// Scratch memory: a set of moves, and one that was completed.
    words: Vec<u64>,
    larger: Offer,
}

#[derive(Clone, Copy)]
struct Found {
    /// Where its members begin.
    start: usize,
    /// Whether it is of one process that needs no other.
    alone: bool,
    size: u32,
    seed: u32,
    free: bool,
}

impl<F: Facts> Stubborn<F> {
    /// A reduction of a program.
    pub fn new(facts: Arc<F>, keep: Keep) -> Self {
        Stubborn::weakened(facts, keep, Weakening::default())
    }

    /// A reduction with deliberate mistakes.
    pub fn weakened(facts: Arc<F>, keep: Keep, weakening: Weakening) -> Self {
        Stubborn {
            layout: facts.layout().clone(),
            stage: Stage::new(facts.layout()),
            rows: Rows::new(facts),
            keep,
            weakening,
            thrifty: false,
            efforts: u64::MAX,
            survey: Survey::default(),
            scene: Scene::default(),
            closure: Closure::default(),
            answers: Answers::default(),
            memo: Memo::default(),
            found: Vec::new(),
            members: Vec::new(),
            words: Vec::new(),
            larger: Offer::default(),
        }
    }

    /// Whether there is a move in the set that the property sees, or one that it does not see.
    fn sees(&self, c: Context<'_>, visible: bool) -> bool {
        let seen = |process: u8, edge: u32| {
            let known = &self.rows.known[c.scene.standing[usize::from(process)].who as usize];
            known.edges[c.layout.places[edge as usize] as usize].visible
        };
        let is_seen = |m: &Move| seen(m.process, m.edge) || m.partner != NO_PROCESS && seen(m.partner, m.partner_edge);
        c.moves.iter().any(|m| c.scene.takes(&self.closure.members, c.layout, m) && is_seen(m) == visible)
    }

    /// Makes the set keep what the property sees: with a visible move it needs all of them, and an invisible one.
    fn show(&mut self, c: Context<'_>) {
        if self.keep != Keep::Visible || self.weakening.no_visibility || self.closure.is_full() || !self.sees(c, true) {
            return;
        }
        self.closure.add_goal(&mut self.rows, c, VISIBLE);
        self.closure.close(&mut self.rows, &mut self.answers, c);
        if !self.closure.is_full() && !self.sees(c, false) {
            // Some invisible move may be left out; the set is of no use then.
            for p in 0..c.scene.standing.len() {
                self.closure.add_location(c, p);
            }
        }
    }

    /// Keeps the set that was grown, unless it was found before; returns how many moves it holds.
    fn keep_found(&mut self, c: Context<'_>, seed: usize) -> u32 {
        let n = c.scene.enabled.len();
        let start = self.members.len();
        self.members.extend(self.closure.members.iter().zip(&c.scene.enabled).map(|(m, e)| m & e));
        let (before, new) = self.members.split_at(start);
        let size = c.moves.iter().filter(|m| c.scene.takes(new, c.layout, m)).count() as u32;
        if self.found.iter().any(|f| before[f.start..f.start + n] == *new) {
            self.members.truncate(start);
            return size;
        }
        let s = c.scene.standing[seed];
        let own = s.base as usize..(s.base + s.words) as usize;
        let alone = self.closure.members.iter().enumerate().all(|(w, m)| own.contains(&w) || *m == 0);
        let free = match self.keep {
            _ if self.weakening.all_free => true,
            Keep::Deadlocks => true,
            Keep::Failures => {
                // Whatever must not be postponed is in the set, or brings nothing that can be done now.
                let left = self.closure.left();
                self.closure.add_goal(&mut self.rows, c, OBSERVED);
                self.closure.close(&mut self.rows, &mut self.answers, c);
                self.closure.left() == left
            }
            Keep::Visible => false,
        };
        self.found.push(Found { start, alone, size, seed: seed as u32, free });
        size
    }

    fn grow(&mut self, c: Context<'_>, out: &mut Offer) {
        self.found.clear();
        self.members.clear();
        self.closure.start();
        for seed in (0..c.scene.standing.len()).rev() {
            if !c.scene.standing[seed].can_move {
                continue;
            }
            let own = c.moves.iter().filter(|m| usize::from(m.process) == seed).count() as u32;
            // Which conjunct to wait for is a guess; where it was not the best one, the other guess is tried.
            for control_only in [false, true] {
                self.closure.clear(c, control_only);
                self.closure.add_location(c, seed);
                self.closure.close(&mut self.rows, &mut self.answers, c);
                self.show(c);
                // What is done to keep the set grows it further.
                let is_only_guess = !self.closure.guards_count;
                if !self.closure.is_full() && self.keep_found(c, seed) <= own || is_only_guess {
                    break;
                }
            }
        }
        // Lone processes youngest first, then by size, then youngest first.
        self.found.sort_unstable_by_key(|f| (!f.alone, if f.alone { 0 } else { f.size }, u32::MAX - f.seed));
        for f in &self.found {
            let members = &self.members[f.start..f.start + c.scene.enabled.len()];
            push(c, members, f.free, &mut self.words, out);
        }
    }
}

impl<F: Facts> Stubborn<F> {
    /// Looks for sets of one process, in the state that is on the stage.
    #[inline]
    fn alone<'a>(&'a mut self, state: &'a [u8]) -> Alone<'a, F> {
        let (keep, weakening) = (self.keep, self.weakening);
        let Stubborn { layout, rows, stage, .. } = self;
        Alone { layout, rows, stage, keep, weakening, state, asks: false }
    }

    /// What is offered first, as far as it is found without effort.
    fn glance_at(&mut self, state: &[u8], moves: &[Move]) -> Glance {
        self.stage.read(&self.layout, &mut self.rows, state);
        let mut alone = self.alone(state);
        let found = if has_choice(moves) { alone.first(moves) } else { None };
        let asks = alone.asks;
        let glance = match found {
            Some((range, free)) => Glance::set(range, free),
            None if self.thrifty || !has_choice(moves) => Glance::all(moves.len()),
            None => Glance::ASK,
        };
        if !asks {
            self.stage.note_choice(moves, glance);
        }
        glance
    }

    /// Takes note of what it has cost to grow sets.
    fn pay(&mut self) {
        let looked = std::mem::take(&mut self.closure.looked);
        if self.efforts < u64::MAX {
            self.efforts = self.efforts.saturating_sub(looked);
        }
    }

    /// Offers all sets that can be grown.
    fn offer_grown(&mut self, state: &[u8], moves: &[Move], out: &mut Offer) {
        out.set_dear();
        self.memo.start(&mut self.stage, moves, &[]);
        if self.memo.recall(&self.stage, state, moves.len(), out) || self.efforts == 0 {
            return;
        }
        self.answers.start(&self.stage, state);
        let (layout, mut scene) = (std::mem::take(&mut self.layout), std::mem::take(&mut self.scene));
        scene.set(&layout, &self.stage, state, moves);
        self.grow(Context { moves, scene: &scene, layout: &layout, weakening: self.weakening }, out);
        (self.layout, self.scene) = (layout, scene);
        self.pay();
        self.memo.remember(&self.answers, out);
    }

    /// Grows a set to one that needs no proviso, and offers it unless it holds all moves.
    fn grow_completely(&mut self, state: &[u8], moves: &[Move], set: &[u64], out: &mut Offer) {
        let (layout, mut scene) = (std::mem::take(&mut self.layout), std::mem::take(&mut self.scene));
        scene.set(&layout, &self.stage, state, moves);
        let c = Context { moves, scene: &scene, layout: &layout, weakening: self.weakening };
        self.closure.start();
        self.closure.clear(c, false);
        for i in members(set) {
            self.closure.add_location(c, usize::from(moves[i as usize].process));
        }
        self.closure.add_goal(&mut self.rows, c, OBSERVED);
        self.closure.close(&mut self.rows, &mut self.answers, c);
        if !self.closure.is_full() {
            push(c, &self.closure.members, true, &mut self.words, out);
        }
        (self.layout, self.scene) = (layout, scene);
    }
}

/// Offers the moves whose edges are members, unless these are all.
fn push(c: Context<'_>, members: &[u64], free: bool, words: &mut Vec<u64>, out: &mut Offer) {
    words.clear();
    words.resize(c.moves.len().div_ceil(64), 0);
    let mut count = 0;
    for (i, _) in c.moves.iter().enumerate().filter(|(_, m)| c.scene.takes(members, c.layout, m)) {
        words[i / 64] |= 1 << (i % 64);
        count += 1;
    }
    if (1..c.moves.len()).contains(&count) {
        out.push(words, free);
    }
}

/// Whether there is something to choose: several processes can move, and `timeout` is not true. Moves come process by
/// process; where `timeout` is true it is for all of them, and where a claim has several edges there is a round for each.
#[inline]
pub(crate) fn has_choice(moves: &[Move]) -> bool {
    let ([first, ..], [.., last]) = (moves, moves) else { return false };
    (first.process != last.process) & !first.timeout & (first.process != NO_PROCESS) & (first.claim == last.claim)
}

impl<F: Facts> Reduction for Stubborn<F> {
    fn offer(&mut self, state: &[u8], moves: &[Move], out: &mut Offer) {
        out.start(moves.len());
        let has_choice = has_choice(moves);
        if has_choice || self.layout.sees_all() {
            self.stage.read(&self.layout, &mut self.rows, state);
        }
        if !has_choice {
            return;
        }
        if let Some((range, free)) = self.alone(state).first(moves) {
            out.push_range(range, free);
            out.set_partial(u8::from(!free));
        } else if !self.thrifty {
            self.offer_grown(state, moves, out);
        }
    }

    fn glance(&mut self, states: &[u8], len: usize, moves: &[Move], ends: &[u32], out: &mut Vec<Glance>) {
        let run = States { states, len, moves, ends };
        if self.weakening != Weakening::default() {
            out.extend(run.each().map(|(state, moves)| self.glance_at(state, moves)));
            return;
        }
        let first = out.len();
        let mut survey = std::mem::take(&mut self.survey);
        let wanted = Wanted { keep: self.keep, is_thrifty: self.thrifty };
        survey.glance(&mut self.stage, &self.layout, wanted, run, out);
        while let Some(i) = survey.next_left() {
            out[first + i] = self.glance_at(&states[i * len..][..len], &moves[run.own(i)]);
        }
        self.survey = survey;
    }

    fn offer_more(&mut self, state: &[u8], moves: &[Move], out: &mut Offer) {
        let round = out.round();
        out.start(moves.len());
        self.stage.read(&self.layout, &mut self.rows, state);
        if round == 1 {
            self.alone(state).offer(moves, out);
            out.set_partial(if self.thrifty { 0 } else { 2 });
        } else if !self.thrifty {
            self.offer_grown(state, moves, out);
        }
    }

    fn complete(&mut self, state: &[u8], moves: &[Move], set: &[u64], out: &mut Vec<u64>) -> bool {
        if self.thrifty || self.keep == Keep::Visible || !has_choice(moves) {
            return false;
        }
        self.stage.read(&self.layout, &mut self.rows, state);
        self.memo.start(&mut self.stage, moves, set);
        self.larger.start(moves.len());
        let mut larger = std::mem::take(&mut self.larger);
        if !self.memo.recall(&self.stage, state, moves.len(), &mut larger) && self.efforts > 0 {
            self.answers.start(&self.stage, state);
            self.grow_completely(state, moves, set, &mut larger);
            self.pay();
            self.memo.remember(&self.answers, &larger);
        }
        out.clear();
        if !larger.is_empty() {
            out.extend_from_slice(larger.words(0));
        }
        self.larger = larger;
        !out.is_empty()
    }

    fn be_thrifty(&mut self) {
        if !std::mem::replace(&mut self.thrifty, true) {
            self.stage.forget_choices();
        }
    }

    fn allow(&mut self, efforts: u64) {
        self.efforts = efforts;
    }

    fn is_dispensable(&self) -> bool {
        !self.layout.sees_all()
    }

    fn another(&self) -> Box<dyn Reduction> {
        Box::new(Stubborn::weakened(self.rows.facts().clone(), self.keep, self.weakening))
    }
}
