//! Offers stubborn sets, best first.
//!
//! First come sets of one process that need no other, youngest first, which is what SPIN would take. Where there are none, or
//! the proviso refuses them, a set is grown from each process that can move, and all are offered by size. That order keeps
//! the reduction from being weaker than SPIN's where the sets are at least as good.

use crate::closure::{Closure, Context};
use crate::control_state::ControlState;
use crate::fact_rows::{FactRows, OBSERVED, VISIBLE};
use crate::facts::{Facts, Layout};
use crate::fast::batch::{BatchSelection, Policy, StateRun};
use crate::fast::configuration::Configurations;
use crate::fast::interference::CandidateMask;
use crate::fast::single_process::SingleProcess;
use crate::set_cache::{Answers, SetCache};
use ferrospin_system::{Move, NO_PROCESS, Offer, Preselection, Reduction, members};
use std::sync::Arc;

/// What a reduced search must not lose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keep {
    /// States without moves. No proviso is needed.
    Deadlocks,
    /// Those, and every move that may fail.
    Failures,
    /// Those, and what is visible to the property, up to repetition of states.
    Visible,
}

impl Keep {
    /// Whether the set of an independent process needs no proviso.
    #[inline(always)]
    pub(crate) fn is_free(self, mask: &CandidateMask, process: usize) -> bool {
        (self == Keep::Deadlocks) | (self == Keep::Failures) & mask.is_free(process)
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
    /// Every set is marked as needing no proviso.
    pub all_free: bool,
}

/// The reduction.
pub struct Stubborn<F: Facts> {
    /// A copy, because the reference count of a shared one would be contended by the workers.
    layout: Layout,
    rows: FactRows<F>,
    keep: Keep,
    weakening: Weakening,
    /// Only sets of one process are offered.
    singles_only: bool,
    /// Edges that may still be visited to grow sets; with 0 no set is begun.
    budget: u64,
    configurations: Configurations,
    batch: BatchSelection,
    control: ControlState,
    closure: Closure,
    answers: Answers,
    set_cache: SetCache,
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
    single: bool,
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
            configurations: Configurations::new(facts.layout()),
            rows: FactRows::new(facts),
            keep,
            weakening,
            singles_only: false,
            budget: u64::MAX,
            batch: BatchSelection::default(),
            control: ControlState::default(),
            closure: Closure::default(),
            answers: Answers::default(),
            set_cache: SetCache::default(),
            found: Vec::new(),
            members: Vec::new(),
            words: Vec::new(),
            larger: Offer::default(),
        }
    }

    /// Whether the set has a visible move, or an invisible one.
    fn has_visibility(&self, c: Context<'_>, visible: bool) -> bool {
        let seen = |process: u8, edge: u32| {
            let known = &self.rows.instances[c.control.processes[usize::from(process)].instance as usize];
            known.edges[c.layout.places[edge as usize] as usize].visible
        };
        let is_seen = |m: &Move| seen(m.process, m.edge) || m.partner != NO_PROCESS && seen(m.partner, m.partner_edge);
        c.moves.iter().any(|m| c.control.takes(&self.closure.members, c.layout, m) && is_seen(m) == visible)
    }

    /// Enforces visibility: with a visible move the set needs all of them, and an invisible one.
    fn show(&mut self, c: Context<'_>) {
        if self.keep != Keep::Visible
            || self.weakening.no_visibility
            || self.closure.is_full()
            || !self.has_visibility(c, true)
        {
            return;
        }
        self.closure.add_goal(&mut self.rows, c, VISIBLE);
        self.closure.close(&mut self.rows, &mut self.answers, c);
        if !self.closure.is_full() && !self.has_visibility(c, false) {
            // Some invisible move may be left out; the set is of no use then.
            for p in 0..c.control.processes.len() {
                self.closure.add_location(c, p);
            }
        }
    }

    /// Keeps the set that was grown, unless it was found before; returns how many moves it holds.
    fn keep_found(&mut self, c: Context<'_>, seed: usize) -> u32 {
        let n = c.control.enabled.len();
        let start = self.members.len();
        self.members.extend(self.closure.members.iter().zip(&c.control.enabled).map(|(m, e)| m & e));
        let (before, new) = self.members.split_at(start);
        let size = c.moves.iter().filter(|m| c.control.takes(new, c.layout, m)).count() as u32;
        if self.found.iter().any(|f| before[f.start..f.start + n] == *new) {
            self.members.truncate(start);
            return size;
        }
        let s = c.control.processes[seed];
        let own = s.base as usize..(s.base + s.words) as usize;
        let single = self.closure.members.iter().enumerate().all(|(w, m)| own.contains(&w) || *m == 0);
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
        self.found.push(Found { start, single, size, seed: seed as u32, free });
        size
    }

    fn grow(&mut self, c: Context<'_>, out: &mut Offer) {
        self.found.clear();
        self.members.clear();
        self.closure.start();
        for seed in (0..c.control.processes.len()).rev() {
            if !c.control.processes[seed].can_move {
                continue;
            }
            let own = c.moves.iter().filter(|m| usize::from(m.process) == seed).count() as u32;
            // Which conjunct to wait for is a guess; where it was not the best one, the other guess is tried.
            for control_only in [false, true] {
                self.closure.clear(c, control_only);
                self.closure.add_location(c, seed);
                self.closure.close(&mut self.rows, &mut self.answers, c);
                self.show(c);
                // Checking for `free` grows the set further.
                let is_only_guess = !self.closure.guards_count;
                if !self.closure.is_full() && self.keep_found(c, seed) <= own || is_only_guess {
                    break;
                }
            }
        }
        // Single processes youngest first, then by size, then youngest first.
        self.found.sort_unstable_by_key(|f| (!f.single, if f.single { 0 } else { f.size }, u32::MAX - f.seed));
        for f in &self.found {
            let members = &self.members[f.start..f.start + c.control.enabled.len()];
            push(c, members, f.free, &mut self.words, out);
        }
    }
}

impl<F: Facts> Stubborn<F> {
    /// Looks for sets of one process, in the state that was read last.
    #[inline]
    fn single_process<'a>(&'a mut self, state: &'a [u8]) -> SingleProcess<'a, F> {
        let (keep, weakening) = (self.keep, self.weakening);
        let Stubborn { layout, rows, configurations, .. } = self;
        SingleProcess { layout, rows, configurations, keep, weakening, state, tests_values: false }
    }

    /// What is offered first, as far as it is cheap.
    fn preselect_one(&mut self, state: &[u8], moves: &[Move]) -> Preselection {
        self.configurations.read(&self.layout, &mut self.rows, state);
        let mut single = self.single_process(state);
        let found = if has_choice(moves) { single.first(moves) } else { None };
        let tests_values = single.tests_values;
        let selected = match found {
            Some((range, free)) => Preselection::set(range, free),
            None if self.singles_only || !has_choice(moves) => Preselection::all(moves.len()),
            None => Preselection::OPEN,
        };
        if !tests_values {
            self.configurations.note_selection(moves, selected);
        }
        selected
    }

    /// Charges the cost of growing to the budget.
    fn charge(&mut self) {
        let looked = std::mem::take(&mut self.closure.looked);
        if self.budget < u64::MAX {
            self.budget = self.budget.saturating_sub(looked);
        }
    }

    /// Offers all sets that can be grown.
    fn offer_grown(&mut self, state: &[u8], moves: &[Move], out: &mut Offer) {
        out.set_costly();
        self.set_cache.start(&mut self.configurations, moves, &[]);
        if self.set_cache.recall(&self.configurations, state, moves.len(), out) || self.budget == 0 {
            return;
        }
        self.answers.start(&self.configurations, state);
        let (layout, mut control) = (std::mem::take(&mut self.layout), std::mem::take(&mut self.control));
        control.set(&layout, &self.configurations, state, moves);
        self.grow(Context { moves, control: &control, layout: &layout, weakening: self.weakening }, out);
        (self.layout, self.control) = (layout, control);
        self.charge();
        self.set_cache.remember(&self.answers, out);
    }

    /// Grows a set to one that needs no proviso, and offers it unless it holds all moves.
    fn grow_completely(&mut self, state: &[u8], moves: &[Move], set: &[u64], out: &mut Offer) {
        let (layout, mut control) = (std::mem::take(&mut self.layout), std::mem::take(&mut self.control));
        control.set(&layout, &self.configurations, state, moves);
        let c = Context { moves, control: &control, layout: &layout, weakening: self.weakening };
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
        (self.layout, self.control) = (layout, control);
    }
}

/// Offers the moves whose edges are members, unless these are all.
fn push(c: Context<'_>, members: &[u64], free: bool, words: &mut Vec<u64>, out: &mut Offer) {
    words.clear();
    words.resize(c.moves.len().div_ceil(64), 0);
    let mut count = 0;
    for (i, _) in c.moves.iter().enumerate().filter(|(_, m)| c.control.takes(members, c.layout, m)) {
        words[i / 64] |= 1 << (i % 64);
        count += 1;
    }
    if (1..c.moves.len()).contains(&count) {
        out.push(words, free);
    }
}

/// Whether there is something to choose: several processes can move, and `timeout` is not true. Moves come process by
/// process; where `timeout` is true it is for all of them, and where the property has several edges there is a round for each.
#[inline]
pub(crate) fn has_choice(moves: &[Move]) -> bool {
    let ([first, ..], [.., last]) = (moves, moves) else { return false };
    (first.process != last.process) & !first.timeout & (first.process != NO_PROCESS) & (first.property == last.property)
}

impl<F: Facts> Reduction for Stubborn<F> {
    fn offer(&mut self, state: &[u8], moves: &[Move], out: &mut Offer) {
        out.start(moves.len());
        let has_choice = has_choice(moves);
        if has_choice || self.layout.sees_all() {
            self.configurations.read(&self.layout, &mut self.rows, state);
        }
        if !has_choice {
            return;
        }
        if let Some((range, free)) = self.single_process(state).first(moves) {
            out.push_range(range, free);
            out.set_partial(u8::from(!free));
        } else if !self.singles_only {
            self.offer_grown(state, moves, out);
        }
    }

    fn preselect(&mut self, states: &[u8], len: usize, moves: &[Move], ends: &[u32], out: &mut Vec<Preselection>) {
        let run = StateRun { states, len, moves, ends };
        if self.weakening != Weakening::default() {
            out.extend(run.each().map(|(state, moves)| self.preselect_one(state, moves)));
            return;
        }
        let first = out.len();
        let mut batch = std::mem::take(&mut self.batch);
        let policy = Policy { keep: self.keep, singles_only: self.singles_only };
        batch.preselect(&mut self.configurations, &self.layout, policy, run, out);
        while let Some(i) = batch.next_left() {
            out[first + i] = self.preselect_one(&states[i * len..][..len], &moves[run.own(i)]);
        }
        self.batch = batch;
    }

    fn offer_more(&mut self, state: &[u8], moves: &[Move], out: &mut Offer) {
        let round = out.round();
        out.start(moves.len());
        self.configurations.read(&self.layout, &mut self.rows, state);
        if round == 1 {
            self.single_process(state).offer(moves, out);
            out.set_partial(if self.singles_only { 0 } else { 2 });
        } else if !self.singles_only {
            self.offer_grown(state, moves, out);
        }
    }

    fn complete(&mut self, state: &[u8], moves: &[Move], set: &[u64], out: &mut Vec<u64>) -> bool {
        if self.singles_only || self.keep == Keep::Visible || !has_choice(moves) {
            return false;
        }
        self.configurations.read(&self.layout, &mut self.rows, state);
        self.set_cache.start(&mut self.configurations, moves, set);
        self.larger.start(moves.len());
        let mut larger = std::mem::take(&mut self.larger);
        if !self.set_cache.recall(&self.configurations, state, moves.len(), &mut larger) && self.budget > 0 {
            self.answers.start(&self.configurations, state);
            self.grow_completely(state, moves, set, &mut larger);
            self.charge();
            self.set_cache.remember(&self.answers, &larger);
        }
        out.clear();
        if !larger.is_empty() {
            out.extend_from_slice(larger.words(0));
        }
        self.larger = larger;
        !out.is_empty()
    }

    fn restrict_to_singles(&mut self) {
        if !std::mem::replace(&mut self.singles_only, true) {
            self.configurations.clear_selections();
        }
    }

    fn set_budget(&mut self, edges: u64) {
        self.budget = edges;
    }

    fn is_dispensable(&self) -> bool {
        !self.layout.sees_all()
    }

    fn another(&self) -> Box<dyn Reduction> {
        Box::new(Stubborn::weakened(self.rows.facts().clone(), self.keep, self.weakening))
    }
}
