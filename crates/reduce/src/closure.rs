//! Grows a set of edges until it is stubborn.
//!
//! Members are edges at the locations where the processes stand. An edge elsewhere that would have to be a member is not
//! executable because its process stands somewhere else; in its place come the edges over which the process would have
//! to leave, which is what rows of goals hold.
//!
//! An executable member brings all edges of its process and whatever does not accord with it. A member that is not
//! executable has a false conjunct, and brings whatever may make that conjunct true; among several false conjuncts the
//! one is taken that adds the fewest executable edges. A half of a handshake brings everything that may become its other
//! half. A member that waits for `timeout` brings nothing: as long as something can be done it stays as it is.

use crate::facts::{EdgeKind, Facts, Test};
use crate::rows::{ENDS, Goal, Rows};
use crate::state::{Standing, bit, is_false};
use crate::stubborn::Weakening;
use ferrospin_system::{Move, NO_PROCESS};

/// Scratch memory and the set that grows.
#[derive(Default)]
pub(crate) struct Closure {
    /// Members per process, as bits.
    pub(crate) members: Vec<u64>,
    work: Vec<(u8, u8)>,
    /// Processes with an executable edge that is no member.
    left: u32,
}

/// What a closure reads.
#[derive(Clone, Copy)]
pub(crate) struct Scene<'a> {
    pub(crate) state: &'a [u8],
    pub(crate) moves: &'a [Move],
    pub(crate) standing: &'a [Standing],
    pub(crate) weakening: Weakening,
}

impl Closure {
    /// Starts with no members.
    pub(crate) fn clear(&mut self, scene: Scene<'_>) {
        self.members.clear();
        self.members.resize(scene.standing.len(), 0);
        self.work.clear();
        self.left = scene.standing.iter().filter(|s| s.enabled != 0).count() as u32;
    }

    /// Whether every executable edge is a member.
    pub(crate) fn is_full(&self) -> bool {
        self.left == 0
    }

    /// Adds edges of a process.
    #[inline]
    pub(crate) fn add(&mut self, scene: Scene<'_>, process: usize, mask: u64) {
        let old = self.members[process];
        let mut new = mask & !old;
        if new == 0 {
            return;
        }
        self.members[process] = old | mask;
        let enabled = scene.standing[process].enabled;
        if enabled & !old != 0 && enabled & !(old | mask) == 0 {
            self.left -= 1;
        }
        while new != 0 {
            self.work.push((process as u8, new.trailing_zeros() as u8));
            new &= new - 1;
        }
    }

    /// Adds all edges of a process.
    pub(crate) fn add_all(&mut self, scene: Scene<'_>, process: usize) {
        self.add(scene, process, scene.standing[process].all);
    }

    /// Adds what leads to a goal, in every process.
    pub(crate) fn add_goal<F: Facts>(&mut self, rows: &mut Rows<F>, scene: Scene<'_>, goal: Goal) {
        for (p, s) in scene.standing.iter().enumerate() {
            let mask = rows.mask(goal, s.who, s.place);
            self.add(scene, p, mask & s.all);
        }
    }

    /// Grows until nothing is missing, or until everything is a member.
    pub(crate) fn close<F: Facts>(&mut self, rows: &mut Rows<F>, scene: Scene<'_>) {
        while self.left > 0 {
            let Some((process, place)) = self.work.pop() else { return };
            self.visit(rows, scene, usize::from(process), place);
        }
    }

    fn visit<F: Facts>(&mut self, rows: &mut Rows<F>, scene: Scene<'_>, process: usize, place: u8) {
        let s = scene.standing[process];
        let index = rows.layout().locations[s.location as usize].edges[usize::from(place)] as usize;
        let edge = &rows.known[s.who as usize].edges[index];
        let is_enabled = s.enabled >> place & 1 == 1;
        let (kind, conflicts) = (edge.kind, edge.conflicts);
        match kind {
            EdgeKind::Unknown => self.left = 0,
            EdgeKind::Rendezvous => {
                let (guard, partners) = (edge.guard, edge.partners);
                if is_enabled {
                    self.add_all(scene, process);
                    self.add_goal(rows, scene, conflicts);
                    self.join_partners(rows, scene, process, 1 << place);
                }
                self.await_partners(rows, scene, process, partners, guard);
            }
            _ if is_enabled => {
                self.add_all(scene, process);
                if !scene.weakening.no_conflicts {
                    self.add_goal(rows, scene, conflicts);
                }
            }
            EdgeKind::Timeout => {}
            EdgeKind::Plain => self.enable(rows, scene, process, index),
        }
    }

    /// With half of a handshake that can be done comes the other half.
    fn join_partners<F: Facts>(&mut self, rows: &Rows<F>, scene: Scene<'_>, process: usize, mask: u64) {
        let layout = rows.layout();
        for m in scene.moves.iter().filter(|m| m.partner != NO_PROCESS) {
            let (p, q) = (usize::from(m.process), usize::from(m.partner));
            if p == process && bit(layout, m.edge) == mask {
                self.add_all(scene, q);
            }
            if q == process && bit(layout, m.partner_edge) == mask {
                self.add_all(scene, p);
            }
        }
    }

    /// Everything that may become the other half of a handshake. Where somebody already stands before such a half and
    /// yet there is no handshake, something that either of them reads must change.
    fn await_partners<F: Facts>(
        &mut self,
        rows: &mut Rows<F>,
        scene: Scene<'_>,
        process: usize,
        partners: Goal,
        guard: Goal,
    ) {
        let mut stands = false;
        for (q, t) in scene.standing.iter().enumerate().filter(|(q, _)| *q != process) {
            let mask = rows.mask(partners, t.who, t.place) & t.all;
            if mask == 0 {
                continue;
            }
            let edges = &rows.layout().locations[t.location as usize].edges;
            let known = &rows.known[t.who as usize].edges;
            let direct = |i: usize| mask >> i & 1 == 1 && known[edges[i] as usize].kind != EdgeKind::Plain;
            if (0..edges.len()).any(direct) {
                stands = true;
                self.add_all(scene, q);
            } else {
                self.add(scene, q, mask);
            }
        }
        if stands {
            self.add_all(scene, process);
            self.add_goal(rows, scene, guard);
        }
    }

    /// What may make an edge executable that is not.
    fn enable<F: Facts>(&mut self, rows: &mut Rows<F>, scene: Scene<'_>, process: usize, index: usize) {
        if scene.weakening.no_enabling {
            return;
        }
        let s = scene.standing[process];
        let count = rows.known[s.who as usize].edges[index].conjuncts.len();
        let is_youngest = process + 1 == scene.standing.len();
        let mut best: Option<(u32, Test, Goal)> = None;
        let mut unknown = false;
        for i in 0..count {
            let (test, goal) = rows.known[s.who as usize].edges[index].conjuncts[i];
            unknown |= test == Test::Unknown;
            if !is_false(test, scene.state, s.frame, is_youngest) {
                continue;
            }
            let cost =
                if test == Test::Youngest { self.cost_of_end(rows, scene) } else { self.cost(rows, scene, goal) };
            if best.is_none_or(|(least, ..)| cost < least) {
                best = Some((cost, test, goal));
            }
        }
        match best {
            Some((_, Test::Youngest, _)) => {
                let last = scene.standing.len() - 1;
                let t = scene.standing[last];
                let mask = rows.mask(ENDS, t.who, t.place) & t.all;
                self.add(scene, last, mask);
            }
            Some((_, _, goal)) => self.add_goal(rows, scene, goal),
            // The false conjunct is among those that cannot be tested.
            None if unknown => {
                for i in 0..count {
                    let (test, goal) = rows.known[s.who as usize].edges[index].conjuncts[i];
                    if test == Test::Unknown {
                        self.add_goal(rows, scene, goal);
                    }
                }
            }
            // It should be executable and is not: something was not understood.
            None => self.left = 0,
        }
    }

    /// What it costs to add a goal: executable edges above all.
    fn cost<F: Facts>(&self, rows: &mut Rows<F>, scene: Scene<'_>, goal: Goal) -> u32 {
        let cost = |(p, s): (usize, &Standing)| {
            let new = rows.mask(goal, s.who, s.place) & s.all & !self.members[p];
            1000 * (new & s.enabled).count_ones() + (new & !s.enabled).count_ones()
        };
        scene.standing.iter().enumerate().map(cost).sum()
    }

    fn cost_of_end<F: Facts>(&self, rows: &mut Rows<F>, scene: Scene<'_>) -> u32 {
        let last = scene.standing.len() - 1;
        let t = scene.standing[last];
        let new = rows.mask(ENDS, t.who, t.place) & t.all & !self.members[last];
        1000 * (new & t.enabled).count_ones() + (new & !t.enabled).count_ones()
    }
}
