//! Offers ample sets: all that one process can do, where nobody else matters.
//!
//! The set of a process holds every edge at its location. It is ample (D. Peled 1993; SPIN's reduction since G. Holzmann
//! and D. Peled 1994) if what the process can do there accords with whatever the others may still do, and what it cannot
//! do yet cannot be brought about by the others. It is also a stubborn set, one that needs no other process; the search
//! for larger sets is left out, which makes an ample set weaker and much cheaper to find. Youngest processes come first,
//! as in SPIN. Where SPIN marks statements as private once and for all, facts are asked about the processes that exist:
//! whatever SPIN may take, except for what is unsound about it, is taken here.

use crate::facts::{EdgeKind, Facts, Layout, Test};
use crate::rows::{ENDS, Goal, OBSERVED, Rows};
use crate::state::Scene;
use crate::stubborn::{Keep, Weakening};
use ferrospin_system::{Move, NO_PROCESS, Offer, Reduction};
use std::sync::Arc;

/// The reduction.
pub struct Ample<F: Facts> {
    rows: Rows<F>,
    keep: Keep,
    weakening: Weakening,
    scene: Scene,
}

/// What a candidate is looked at with.
struct View<'a> {
    layout: &'a Layout,
    scene: &'a Scene,
    state: &'a [u8],
    /// The process that the set would belong to.
    process: usize,
    /// All moves.
    moves: &'a [Move],
}

impl<F: Facts> Ample<F> {
    /// A reduction of a program.
    pub fn new(facts: Arc<F>, keep: Keep) -> Self {
        Ample::weakened(facts, keep, Weakening::default())
    }

    /// A reduction with deliberate mistakes.
    pub fn weakened(facts: Arc<F>, keep: Keep, weakening: Weakening) -> Self {
        Ample { rows: Rows::new(facts), keep, weakening, scene: Scene::default() }
    }

    /// Whether the edges at the location of a process are an ample set.
    fn is_ample(&mut self, v: &View<'_>) -> bool {
        let s = v.scene.standing[v.process];
        let unseen = self.keep == Keep::Visible && !self.weakening.no_visibility;
        v.layout.locations[s.location as usize].leaving.iter().enumerate().all(|(w, word)| {
            let mut bits = *word;
            while bits != 0 {
                let place = w * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let edge = &self.rows.known[s.who as usize].edges[place];
                let (kind, visible, conflicts, partners) = (edge.kind, edge.visible, edge.conflicts, edge.partners);
                let is_own = |m: &Move| usize::from(m.process) == v.process;
                let can = v.moves.iter().any(|m| is_own(m) && v.layout.places[m.edge as usize] as usize == place);
                let fits = match kind {
                    EdgeKind::Unknown | EdgeKind::Either => false,
                    // A handshake is a step of two.
                    EdgeKind::Rendezvous => !can && !self.meets_others(v, partners),
                    _ if can => {
                        !(unseen && visible) && (self.weakening.no_conflicts || !self.meets_others(v, conflicts))
                    }
                    // As long as something can be done it stays as it is.
                    EdgeKind::Timeout => true,
                    EdgeKind::Plain => self.weakening.no_enabling || self.stays_disabled(v, s.who, place),
                };
                if !fits {
                    return false;
                }
            }
            true
        })
    }

    /// Whether an edge that cannot be taken stays so, whatever the others do: a conjunct that is false must become true,
    /// and that one they cannot make true.
    fn stays_disabled(&mut self, v: &View<'_>, who: u32, place: usize) -> bool {
        let count = self.rows.known[who as usize].edges[place].conjuncts.len();
        let mut none = true;
        for i in 0..count {
            let (test, goal) = self.rows.known[who as usize].edges[place].conjuncts[i];
            let waits = match test {
                Test::Youngest => self.youngest_may_end(v),
                _ => self.meets_others(v, goal),
            };
            if !waits && v.scene.is_false(test, v.process, v.state) {
                return true;
            }
            none &= !waits;
        }
        // Which one is false could not be told, but none of them can change.
        none
    }

    /// Whether a younger process may come to its end.
    fn youngest_may_end(&mut self, v: &View<'_>) -> bool {
        let s = v.scene.standing.last().expect("there is a process");
        let reachable = &v.layout.locations[s.location as usize].reachable;
        self.rows
            .row(ENDS, s.who)
            .is_some_and(|row| reachable.iter().zip(&self.rows.words[row..]).any(|(a, b)| a & b != 0))
    }

    /// Whether another process may still do something of a goal.
    fn meets_others(&mut self, v: &View<'_>, goal: Goal) -> bool {
        v.scene.standing.iter().enumerate().filter(|(p, _)| *p != v.process).any(|(_, s)| {
            self.rows.row(goal, s.who).is_some_and(|row| {
                let reachable = &v.layout.locations[s.location as usize].reachable;
                reachable.iter().zip(&self.rows.words[row..]).any(|(a, b)| a & b != 0)
            })
        })
    }

    /// Whether the set of a process needs no proviso: nobody else does anything that must not be put off.
    fn is_free(&mut self, v: &View<'_>) -> bool {
        match self.keep {
            _ if self.weakening.all_free => true,
            Keep::Deadlocks => true,
            Keep::Failures => self.rows.is_unobserved() || !self.meets_others(v, OBSERVED),
            Keep::Visible => false,
        }
    }
}

impl<F: Facts> Reduction for Ample<F> {
    fn offer(&mut self, state: &[u8], moves: &[Move], out: &mut Offer) {
        out.clear();
        let first = moves.first().map_or(NO_PROCESS, |m| m.process);
        let special = moves.iter().any(|m| m.process == NO_PROCESS || m.timeout);
        let facts = self.rows.facts().clone();
        self.scene.count(facts.layout(), &mut self.rows, state);
        if special || moves.iter().all(|m| m.process == first) {
            return;
        }
        let mut scene = std::mem::take(&mut self.scene);
        scene.read(facts.layout(), &mut self.rows, state);
        for process in (0..scene.standing.len()).rev() {
            let is_own = |m: &Move| usize::from(m.process) == process;
            let view = View { layout: facts.layout(), scene: &scene, state, process, moves };
            if moves.iter().any(is_own) && self.is_ample(&view) {
                let free = self.is_free(&view);
                out.push((0..).zip(moves).filter(|(_, m)| is_own(m)).map(|(i, _)| i), free);
            }
        }
        self.scene = scene;
    }

    fn another(&self) -> Box<dyn Reduction> {
        Box::new(Ample::weakened(self.rows.facts().clone(), self.keep, self.weakening))
    }
}
