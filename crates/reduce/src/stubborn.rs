//! Offers stubborn sets, best first.
//!
//! From each process that can move a set is grown. First come sets of one process that need no other, youngest first,
//! which is what SPIN would take; then the others by size. A set that the proviso refuses is followed by the next one.
//! That order keeps the reduction from being weaker than SPIN's where the sets are at least as good.

use crate::closure::{Closure, Context};
use crate::facts::{EdgeKind, Facts, Layout, Test};
use crate::memo::{Answers, Memo};
use crate::rows::{Goal, OBSERVED, Rows, VISIBLE};
use crate::state::Scene;
use ferrospin_system::{Move, NO_PROCESS, Offer, Reduction};
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
    scene: Scene,
    closure: Closure,
    answers: Answers,
    memo: Memo,
    found: Vec<Found>,
    /// Members of the sets found, process by process.
    members: Vec<u64>,
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
            rows: Rows::new(facts),
            keep,
            weakening,
            scene: Scene::default(),
            closure: Closure::default(),
            answers: Answers::default(),
            memo: Memo::default(),
            found: Vec::new(),
            members: Vec::new(),
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
        self.answers.clear();
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
                if !self.closure.is_full() && self.keep_found(c, seed) <= own {
                    break;
                }
            }
        }
        // Lone processes youngest first, then by size, then youngest first.
        self.found.sort_unstable_by_key(|f| (!f.alone, if f.alone { 0 } else { f.size }, u32::MAX - f.seed));
        for f in &self.found {
            let members = &self.members[f.start..f.start + c.scene.enabled.len()];
            let list = (0..).zip(c.moves).filter(|(_, m)| c.scene.takes(members, c.layout, m)).map(|(i, _)| i);
            out.push(list, f.free);
        }
    }
}

impl<F: Facts> Stubborn<F> {
    /// The youngest process that can move, if it never needs another where it stands. Most states of many programs are
    /// done with here.
    fn offer_lonely(&mut self, scene: &Scene, moves: &[Move], out: &mut Offer) -> bool {
        let youngest = moves[0].process;
        let lonely = self.is_lonely(scene, youngest);
        if lonely {
            self.offer_process(youngest, moves, out);
        }
        lonely
    }

    /// Whether a process never needs another where it stands.
    fn is_lonely(&mut self, scene: &Scene, process: u8) -> bool {
        let unseen = self.keep == Keep::Visible && !self.weakening.no_visibility;
        let s = scene.standing[usize::from(process)];
        self.rows.is_lonely(s.who, s.location, unseen)
    }

    /// The youngest process that can move and needs no other here and now, as far as that is seen at once.
    fn offer_alone(&mut self, layout: &Layout, scene: &Scene, moves: &[Move], out: &mut Offer) -> bool {
        let plain = self.keep != Keep::Visible && self.weakening == Weakening::default();
        let mut start = 0;
        while start < moves.len() {
            let process = moves[start].process;
            let own = moves[start..].iter().take_while(|m| m.process == process).count();
            let alone = match self.is_lonely(scene, process) {
                true => Alone::Yes,
                false if plain => self.is_alone(layout, scene, usize::from(process), &moves[start..start + own]),
                false => Alone::Unclear,
            };
            match alone {
                Alone::Yes => {
                    self.offer_process(process, moves, out);
                    return true;
                }
                Alone::No => start += own,
                Alone::Unclear => return false,
            }
        }
        false
    }

    /// Offers what one process can do, as the first of several sets.
    fn offer_process(&mut self, process: u8, moves: &[Move], out: &mut Offer) {
        let free = match self.keep {
            _ if self.weakening.all_free => true,
            Keep::Deadlocks => true,
            Keep::Failures => self.rows.is_unobserved(),
            Keep::Visible => false,
        };
        out.push((0..).zip(moves).filter(|(_, m)| m.process == process).map(|(i, _)| i), free);
        out.set_partial();
    }

    /// Whether a set that starts with a process needs no other process, as far as that is seen at once.
    fn is_alone(&mut self, layout: &Layout, scene: &Scene, process: usize, own: &[Move]) -> Alone {
        let s = scene.standing[process];
        let mut unclear = false;
        for (w, word) in layout.locations[s.location as usize].leaving.iter().enumerate() {
            let mut bits = *word;
            while bits != 0 {
                let place = w * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let edge = &self.rows.known[s.who as usize].edges[place];
                let (kind, conflicts, count) = (edge.kind, edge.conflicts, edge.conjuncts.len());
                let can = own.iter().any(|m| layout.places[m.edge as usize] as usize == place);
                match kind {
                    EdgeKind::Unknown => return Alone::No,
                    EdgeKind::Rendezvous | EdgeKind::Either if can => return Alone::No,
                    EdgeKind::Rendezvous | EdgeKind::Either => unclear = true,
                    _ if can => {
                        if self.meets_others(scene, layout, process, conflicts) {
                            return Alone::No;
                        }
                    }
                    EdgeKind::Timeout => {}
                    EdgeKind::Plain => {
                        for i in 0..count {
                            let (test, goal) = self.rows.known[s.who as usize].edges[place].conjuncts[i];
                            unclear |= test == Test::Youngest || self.meets_others(scene, layout, process, goal);
                        }
                    }
                }
            }
        }
        if unclear { Alone::Unclear } else { Alone::Yes }
    }

    /// Whether another process may still do something of a goal.
    fn meets_others(&mut self, scene: &Scene, layout: &Layout, process: usize, goal: Goal) -> bool {
        scene.standing.iter().enumerate().filter(|(p, _)| *p != process).any(|(_, s)| {
            self.rows.row(goal, s.who).is_some_and(|row| {
                let reachable = &layout.locations[s.location as usize].reachable;
                reachable.iter().zip(&self.rows.words[row..]).any(|(a, b)| a & b != 0)
            })
        })
    }

    /// Offers all sets; where nothing is remembered, with `first` only the first of them if that is seen at once.
    fn offer_all(
        &mut self,
        layout: &Layout,
        scene: &mut Scene,
        state: &[u8],
        moves: &[Move],
        first: bool,
        out: &mut Offer,
    ) {
        self.memo.start(scene, moves);
        if self.memo.recall(scene, state, out) || first && self.offer_alone(layout, scene, moves, out) {
            return;
        }
        scene.enable(layout, moves);
        self.grow(Context { state, moves, scene, layout, weakening: self.weakening }, out);
        self.memo.remember(&self.answers, out);
    }

    /// Does something with the state read and the layout at hand.
    fn with_scene<R>(&mut self, state: &[u8], work: impl FnOnce(&mut Self, &Layout, &mut Scene) -> R) -> R {
        let (layout, mut scene) = (std::mem::take(&mut self.layout), std::mem::take(&mut self.scene));
        scene.read(&layout, &mut self.rows, state);
        let answer = work(self, &layout, &mut scene);
        (self.layout, self.scene) = (layout, scene);
        answer
    }
}

/// Whether a process needs others.
enum Alone {
    Yes,
    No,
    Unclear,
}

/// Whether there is nothing to choose: somebody moves who is no process, or `timeout` is true.
fn is_special(moves: &[Move]) -> bool {
    moves.iter().any(|m| m.process == NO_PROCESS || m.timeout)
}

impl<F: Facts> Reduction for Stubborn<F> {
    fn offer(&mut self, state: &[u8], moves: &[Move], out: &mut Offer) {
        out.clear();
        let first = moves.first().map_or(NO_PROCESS, |m| m.process);
        self.scene.count(&self.layout, &mut self.rows, state);
        if moves.iter().all(|m| m.process == first) || is_special(moves) {
            return;
        }
        self.with_scene(state, |me, layout, scene| {
            if !me.offer_lonely(scene, moves, out) {
                me.offer_all(layout, scene, state, moves, true, out);
            }
        });
    }

    fn offer_more(&mut self, state: &[u8], moves: &[Move], out: &mut Offer) {
        out.clear();
        self.with_scene(state, |me, layout, scene| me.offer_all(layout, scene, state, moves, false, out));
    }

    fn complete(&mut self, state: &[u8], moves: &[Move], set: &[u32], out: &mut Vec<u32>) -> bool {
        out.clear();
        if self.keep == Keep::Visible || is_special(moves) {
            return false;
        }
        self.with_scene(state, |me, layout, scene| {
            scene.enable(layout, moves);
            let c = Context { state, moves, scene, layout, weakening: me.weakening };
            me.answers.clear();
            me.closure.clear(c, false);
            for &i in set {
                me.closure.add_location(c, usize::from(moves[i as usize].process));
            }
            me.closure.add_goal(&mut me.rows, c, OBSERVED);
            me.closure.close(&mut me.rows, &mut me.answers, c);
            if !me.closure.is_full() {
                let members = &me.closure.members;
                out.extend((0..).zip(moves).filter(|(_, m)| scene.takes(members, layout, m)).map(|(i, _)| i));
            }
        });
        !out.is_empty() && out.len() < moves.len()
    }

    fn another(&self) -> Box<dyn Reduction> {
        Box::new(Stubborn::weakened(self.rows.facts().clone(), self.keep, self.weakening))
    }
}
