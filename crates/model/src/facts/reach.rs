//! Which edges at a location are something, or lead to it.
//!
//! A process that must do something has to leave its location over an edge from which that something can be reached. For
//! each location of a process, and a [`Target`], the answer is a set of edges as bits, in the order of the location. An
//! edge that starts a process leads to whatever that process may do.

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
            Target::Enables(other, e, i) => can_make(model, &self.footprint(other, e).conjuncts[i], true, other, party),
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

    /// For each location of a process, in the order of [`Facts::locations`], the edges that are or lead to a target.
    /// Nothing when none does.
    pub fn hits(&self, target: Target<'_>, who: &Instance) -> Vec<u64> {
        let edges = &self.edges[who.process.index()];
        let starts = edges.iter().any(|e| !self.footprint(who, *e).runs.is_empty());
        let born = if starts { self.born(target) } else { Vec::new() };
        let is = |e: &EdgeId| {
            !self.model.location(self.model.edge(*e).from).inside_d_step
                && (self.is_hit(target, who, *e) || self.footprint(who, *e).runs.iter().any(|p| born[p.index()]))
        };
        let hit: Vec<bool> = edges.iter().map(is).collect();
        if !hit.contains(&true) {
            return Vec::new();
        }
        let locations = &self.locations[who.process.index()];
        // Whether a location leads to a hit, by going on until nothing changes.
        let mut leads = vec![false; locations.len()];
        let to = |e: EdgeId, leads: &[bool]| {
            let to = self.model.edge(e).to;
            to != LocationId::EXIT && leads[self.location_places[to.index()] as usize]
        };
        let mut changed = true;
        while changed {
            changed = false;
            for (i, &e) in edges.iter().enumerate().rev() {
                let from = self.location_places[self.model.edge(e).from.index()] as usize;
                if !leads[from] && (hit[i] || to(e, &leads)) {
                    leads[from] = true;
                    changed = true;
                }
            }
        }
        let mask = |l: &LocationId| {
            let list = self.model.location(*l).edges.iter().take(64).enumerate();
            list.filter(|(_, e)| hit[self.places[e.index()] as usize] || to(**e, &leads))
                .fold(0, |m, (i, _)| m | 1 << i)
        };
        locations.iter().map(mask).collect()
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
