//! Offers stubborn sets, best first.
//!
//! From each process that can move a set is grown. First come sets of one process that need no other, youngest first,
//! which is what SPIN would take; then the others by size. A set that the proviso refuses is followed by the next one.
//! That order keeps the reduction from being weaker than SPIN's where the sets are at least as good.

use crate::closure::{Closure, Scene};
use crate::facts::Facts;
use crate::rows::{OBSERVED, Rows, VISIBLE};
use crate::state::{self, Standing, bit};
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
    rows: Rows<F>,
    keep: Keep,
    weakening: Weakening,
    standing: Vec<Standing>,
    closure: Closure,
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
            rows: Rows::new(facts),
            keep,
            weakening,
            standing: Vec::new(),
            closure: Closure::default(),
            found: Vec::new(),
            members: Vec::new(),
        }
    }

    /// Whether there is a move in the set that the property sees, or one that it does not see.
    fn sees(&self, scene: Scene<'_>, visible: bool) -> bool {
        let layout = self.rows.layout();
        let seen = |process: u8, edge: u32| {
            let known = &self.rows.known[scene.standing[usize::from(process)].who as usize];
            known.edges[layout.edges[edge as usize].1 as usize].visible
        };
        let is_seen = |m: &Move| seen(m.process, m.edge) || m.partner != NO_PROCESS && seen(m.partner, m.partner_edge);
        scene.moves.iter().any(|m| is_member(layout, &self.closure.members, m) && is_seen(m) == visible)
    }

    /// Makes the set keep what the property sees: with a visible move it needs all of them, and an invisible one.
    fn show(&mut self, scene: Scene<'_>) {
        if self.keep != Keep::Visible
            || self.weakening.no_visibility
            || self.closure.is_full()
            || !self.sees(scene, true)
        {
            return;
        }
        self.closure.add_goal(&mut self.rows, scene, VISIBLE);
        self.closure.close(&mut self.rows, scene);
        if !self.closure.is_full() && !self.sees(scene, false) {
            // Some invisible move may be left out; the set is of no use then.
            for p in 0..scene.standing.len() {
                self.closure.add_all(scene, p);
            }
        }
    }

    /// Whether everything that must not be postponed is a member.
    fn holds_observed(&mut self, scene: Scene<'_>) -> bool {
        let mut all = true;
        for (p, s) in scene.standing.iter().enumerate() {
            all &= self.rows.mask(OBSERVED, s.who, s.place) & s.all & !self.closure.members[p] == 0;
        }
        all
    }

    fn is_free(&mut self, scene: Scene<'_>) -> bool {
        match self.keep {
            _ if self.weakening.all_free => true,
            Keep::Deadlocks => true,
            Keep::Failures => self.holds_observed(scene),
            Keep::Visible => false,
        }
    }

    /// Keeps the set that was grown, unless it was found before.
    fn keep_found(&mut self, scene: Scene<'_>, seed: usize) {
        let n = scene.standing.len();
        let members = &self.closure.members;
        if self.found.iter().any(|f| self.members[f.start..f.start + n] == members[..]) {
            return;
        }
        let start = self.members.len();
        self.members.extend_from_slice(members);
        let alone = self.closure.members.iter().enumerate().all(|(p, m)| p == seed || *m == 0);
        let layout = self.rows.layout();
        let size = scene.moves.iter().filter(|m| is_member(layout, &self.members[start..], m)).count() as u32;
        let free = self.is_free(scene);
        self.found.push(Found { start, alone, size, seed: seed as u32, free });
    }
}

fn is_member(layout: &crate::Layout, members: &[u64], m: &Move) -> bool {
    members[usize::from(m.process)] & bit(layout, m.edge) != 0
        || m.partner != NO_PROCESS && members[usize::from(m.partner)] & bit(layout, m.partner_edge) != 0
}

impl<F: Facts> Reduction for Stubborn<F> {
    fn offer(&mut self, state: &[u8], moves: &[Move], out: &mut Offer) {
        out.clear();
        if moves.len() < 2 || !state::read(&mut self.rows, state, moves, &mut self.standing) {
            return;
        }
        let standing = std::mem::take(&mut self.standing);
        let scene = Scene { state, moves, standing: &standing, weakening: self.weakening };
        self.found.clear();
        self.members.clear();
        for seed in (0..standing.len()).rev() {
            if standing[seed].enabled == 0 {
                continue;
            }
            self.closure.clear(scene);
            self.closure.add_all(scene, seed);
            self.closure.close(&mut self.rows, scene);
            self.show(scene);
            if !self.closure.is_full() {
                self.keep_found(scene, seed);
            }
        }
        // Lone processes youngest first, then by size, then youngest first.
        self.found.sort_unstable_by_key(|f| (!f.alone, if f.alone { 0 } else { f.size }, u32::MAX - f.seed));
        for f in &self.found {
            let layout = self.rows.layout();
            let members = &self.members[f.start..];
            let list = (0..).zip(moves).filter(|(_, m)| is_member(layout, members, m)).map(|(i, _)| i);
            out.push(list, f.free);
        }
        self.standing = standing;
    }

    fn complete(&mut self, state: &[u8], moves: &[Move], set: &[u32], out: &mut Vec<u32>) -> bool {
        out.clear();
        if self.keep == Keep::Visible || !state::read(&mut self.rows, state, moves, &mut self.standing) {
            return false;
        }
        let standing = std::mem::take(&mut self.standing);
        let scene = Scene { state, moves, standing: &standing, weakening: self.weakening };
        self.closure.clear(scene);
        for &i in set {
            self.closure.add_all(scene, usize::from(moves[i as usize].process));
        }
        self.closure.add_goal(&mut self.rows, scene, OBSERVED);
        self.closure.close(&mut self.rows, scene);
        self.standing = standing;
        if self.closure.is_full() {
            return false;
        }
        let layout = self.rows.layout();
        let members = &self.closure.members;
        out.extend((0..).zip(moves).filter(|(_, m)| is_member(layout, members, m)).map(|(i, _)| i));
        out.len() < moves.len()
    }

    fn another(&self) -> Box<dyn Reduction> {
        Box::new(Stubborn::weakened(self.rows.facts().clone(), self.keep, self.weakening))
    }
}
