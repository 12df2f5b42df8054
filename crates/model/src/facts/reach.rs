//! Which edges do something that is looked for.
//!
//! The answer for a [`Target`] and a process is a set of edges of its type. An edge that starts a process is in it when
//! that process, or one that it starts in turn, may do what is looked for.

use super::accord::{Party, accords, affects, can_make, partners};
use super::{Facts, Instance};
use crate::ir::{EdgeId, LocationId};

/// Something that processes may do.
#[derive(Clone, Copy)]
pub enum Target<'a> {
    /// What does not accord with an edge of a process.
    Conflicts(&'a Instance, EdgeId),
    /// What may make a conjunct of an edge true.
    Enables(&'a Instance, EdgeId, usize),
    /// What may change whether an edge is executable.
    Guard(&'a Instance, EdgeId),
    /// The other half of a handshake.
    Partners(&'a Instance, EdgeId),
    /// What must not be postponed for ever.
    Observed,
    /// What the property sees.
    Visible,
    /// The end of a process.
    Ends,
}

impl Facts {
    /// Whether a step over an edge is what is looked for.
    pub fn is_hit(&self, target: Target<'_>, who: &Instance, edge: EdgeId) -> bool {
        let footprint = self.footprint(who, edge);
        let party = Party { who, footprint };
        let model = &self.model;
        match target {
            Target::Conflicts(other, e) => {
                let first = Party { who: other, footprint: self.footprint(other, e) };
                !other.is(who) && !accords(model, first, party)
            }
            Target::Enables(other, e, i) => {
                // What a process does on its way to where it can no longer take the edge does not help.
                let helps = !other.is(who) || !self.weakening.no_own_enabling && self.comes_to(edge, e);
                helps && can_make(model, &self.footprint(other, e).conjuncts[i], true, other, party)
            }
            Target::Guard(other, e) => {
                footprint.unknown || affects(model, &self.footprint(other, e).guard, other, party)
            }
            Target::Partners(other, e) => {
                !other.is(who) && (partners(self.footprint(other, e), footprint) || footprint.unknown)
            }
            Target::Observed => footprint.observed || footprint.unknown,
            Target::Visible => self.is_visible(who, edge),
            Target::Ends => footprint.end,
        }
    }

    /// Whether a process can take an edge behind another one.
    fn comes_to(&self, first: EdgeId, then: EdgeId) -> bool {
        let to = self.model.edge(first).to;
        let place = self.places[then.index()];
        to != LocationId::EXIT && self.behind[to.index()][place as usize / 64] >> (place % 64) & 1 == 1
    }

    /// The edges of a process that are a target, as bits in the order of [`Facts::edges`]. Nothing when there are none.
    pub fn hits(&self, target: Target<'_>, who: &Instance) -> Vec<u64> {
        let edges = &self.edges[who.process.index()];
        let starts = edges.iter().any(|e| !self.footprint(who, *e).runs.is_empty());
        let born = if starts { self.born(target) } else { Vec::new() };
        let is = |e: &EdgeId| {
            !self.model.location(self.model.edge(*e).from).inside_d_step
                && (self.is_hit(target, who, *e) || self.footprint(who, *e).runs.iter().any(|p| born[p.index()]))
        };
        let mut words = vec![0; edges.len().div_ceil(64)];
        for (i, _) in edges.iter().enumerate().filter(|(_, e)| is(e)) {
            words[i / 64] |= 1 << (i % 64);
        }
        if words.iter().all(|w| *w == 0) { Vec::new() } else { words }
    }

    /// Which process types may do something of a target once they are started, or start one that does.
    fn born(&self, target: Target<'_>) -> Vec<bool> {
        let does = |(p, who): (usize, &Instance)| self.edges[p].iter().any(|e| self.is_hit(target, who, *e));
        let mut born: Vec<bool> = self.unborn.iter().enumerate().map(does).collect();
        let starts =
            |p: usize, born: &[bool]| self.unborn[p].footprints.iter().any(|f| f.runs.iter().any(|q| born[q.index()]));
        let mut changed = true;
        while changed {
            changed = false;
            for p in 0..born.len() {
                if !born[p] && starts(p, &born) {
                    born[p] = true;
                    changed = true;
                }
            }
        }
        born
    }
}
