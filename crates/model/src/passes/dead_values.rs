//! Dead-value resetting: a variable whose value is never read again is set to 0, so that states that differ only in such
//! values become one.
//!
//! A variable is live at a location if some way from there reads it before storing to it: the classic backward analysis
//! (Kildall, "A unified approach to global program optimization", POPL 1973), done for the scalars of each process type.
//! Arrays are left alone, and so is what is read from outside (`P:x`), by a `provided` clause, or by `xr` and `xs`. Only values change, never
//! what can be done, so that every property stays as it was. SPIN resets in fewer places (unless `-o1` or `-o2` is given).
//!
//! The number of states never grows: at each location a variable is either always 0 or always what it would be without
//! the pass. To that end an edge that may be a handshake, and therefore has no further actions, spoils a variable for
//! every location it is carried to or from.
//!
//! Cost: locations times variables times depth of loops.

use super::{GoOn, STEPS_BETWEEN, everything, runs, walk};
use crate::ir::{Action, Area, Edge, EdgeId, Expr, Init, LocationId, Model, Place, ProcessId, Scalar};
use crate::mutant::{Guard, Mutant};
use std::collections::{HashMap, HashSet};
use walk::Item;

/// Offsets of variables.
type Set = HashSet<u32>;

/// Variables that are 0 at a location: where they stand, and how they are kept.
pub type Zeros = HashMap<LocationId, Vec<(u32, Scalar)>>;

/// Resets dead values, in place. Says what is 0 for that reason, and where.
pub fn dead_values(model: &mut Model) -> Zeros {
    mutated(model, Mutant::NONE, &|| true)
}

pub(super) fn mutated(model: &mut Model, mutant: Mutant, go_on: GoOn<'_>) -> Zeros {
    let mut zeros = Zeros::new();
    for i in 0..model.processes.len() {
        let id = ProcessId(i as u32);
        if runs(model.process(id).kind) {
            reset(model, id, &mut zeros, mutant, go_on);
        }
    }
    zeros
}

struct Analysis<'a> {
    model: &'a Model,
    mutant: Mutant,
    go_on: GoOn<'a>,
    /// The variables that are looked at, with how they are kept.
    scalars: HashMap<u32, Scalar>,
    live: HashMap<LocationId, Set>,
}

/// Resets the dead values of a process type: all of them, or none where there is no more time.
fn reset(model: &mut Model, id: ProcessId, zeros: &mut Zeros, mutant: Mutant, go_on: GoOn<'_>) {
    let mut a = Analysis { model, mutant, go_on, scalars: candidates(model, id, mutant), live: HashMap::new() };
    if a.scalars.is_empty() {
        return;
    }
    let of_process = |l: &LocationId| model.location(*l).process == id && !model.location(*l).inside_d_step;
    let locations: Vec<LocationId> = (0..model.locations.len() as u32).map(LocationId).filter(of_process).collect();
    let entry = model.process(id).entry;
    let Some(zero) = a.solve(&locations).and_then(|()| a.zero(&locations, entry)) else { return };
    let mut resets: Vec<(EdgeId, Vec<Action>)> = Vec::new();
    for &l in &locations {
        for &e in &model.location(l).edges {
            let edge = model.edge(e);
            let Some(wanted) = zero.get(&edge.to) else { continue };
            let written = a.writes(edge);
            let mut list: Vec<u32> =
                wanted.iter().copied().filter(|v| written.contains(v) || !zero[&l].contains(v)).collect();
            list.sort_unstable();
            let actions = list.into_iter().map(|v| Action::Assign(place(v, a.scalars[&v]), Expr::Const(0)));
            resets.push((e, actions.collect()));
        }
    }
    zeros.extend(zero.iter().map(|(l, set)| (*l, set.iter().map(|v| (*v, a.scalars[v])).collect())));
    let mut at_birth: Vec<u32> = zero[&entry].iter().copied().filter(|v| is_set_at_birth(model, id, *v)).collect();
    at_birth.sort_unstable();
    let births: Vec<_> = at_birth.iter().map(|v| (place(*v, a.scalars[v]), Init::Value(Expr::Const(0)))).collect();
    for (e, actions) in resets {
        model.edges[e.index()].then.extend(actions);
    }
    model.processes[id.index()].init.extend(births);
}

fn place(offset: u32, scalar: Scalar) -> Place {
    Place { area: Area::Local, offset, indices: Vec::new(), scalar }
}

/// Scalars of a process type that are read by its own process only.
fn candidates(model: &Model, id: ProcessId, mutant: Mutant) -> HashMap<u32, Scalar> {
    let p = model.process(id);
    let mut found: HashMap<u32, Scalar> = p
        .locals
        .iter()
        .filter(|l| l.dims.is_empty() || mutant.lacks(Guard::DeadArray))
        .map(|l| (l.offset, l.scalar))
        .collect();
    everything(model, &mut |item| {
        if let Item::Remote(process, place) = item
            && process == id
            && !mutant.lacks(Guard::DeadRemote)
        {
            found.remove(&place.offset);
        }
    });
    for e in p.asked() {
        walk::expr(e, &mut |item| {
            if let Item::Read(place) = item
                && place.area == Area::Local
                && !mutant.lacks(Guard::DeadAsked)
            {
                found.remove(&place.offset);
            }
        });
    }
    found
}

fn is_set_at_birth(model: &Model, id: ProcessId, offset: u32) -> bool {
    let p = model.process(id);
    p.params.iter().chain(p.init.iter().map(|i| &i.0)).any(|place| place.offset == offset)
}

impl Analysis<'_> {
    /// The variable a place is.
    fn variable(&self, p: &Place) -> Option<u32> {
        let local = p.area == Area::Local || self.mutant.lacks(Guard::DeadLocal);
        let own = local && p.indices.is_empty() && self.scalars.contains_key(&p.offset);
        own.then_some(p.offset)
    }

    /// What is live before an action, given what is live behind it.
    fn before(&self, action: &Action, mut live: Set) -> Set {
        if let Action::DStep(entry) = action
            && !self.mutant.lacks(Guard::DeadDStep)
        {
            return self.before_d_step(*entry, &live);
        }
        let mut reads = Set::new();
        walk::action(action, &mut |item| match item {
            Item::Write(p) => {
                self.variable(p).map(|v| live.remove(&v));
            }
            Item::Read(_) if self.mutant.lacks(Guard::DeadRead) => {}
            Item::Read(p) => reads.extend(self.variable(p)),
            _ => {}
        });
        if self.mutant.lacks(Guard::DeadOrder)
            && let Action::Assign(p, _) = action
        {
            self.variable(p).map(|v| reads.remove(&v));
        }
        live.extend(reads);
        live
    }

    fn before_edge(&self, edge: &Edge, live: Set) -> Set {
        let actions = std::iter::once(&edge.action).chain(&edge.then);
        actions.rev().fold(live, |live, a| self.before(a, live))
    }

    /// The same analysis inside a `d_step`.
    fn before_d_step(&self, entry: LocationId, behind: &Set) -> Set {
        let locations = inside(self.model, entry);
        let mut live: HashMap<LocationId, Set> = locations.iter().map(|l| (*l, Set::new())).collect();
        live.insert(LocationId::EXIT, behind.clone());
        let mut changed = true;
        while changed {
            changed = false;
            for l in &locations {
                for e in &self.model.location(*l).edges {
                    let edge = self.model.edge(*e);
                    let new = self.before_edge(edge, live[&edge.to].clone());
                    let old = live.get_mut(l).expect("every location has a set");
                    let count = old.len();
                    old.extend(new);
                    changed |= old.len() > count;
                }
            }
        }
        live.remove(&entry).unwrap_or_default()
    }

    /// `None` where there is no more time.
    fn solve(&mut self, locations: &[LocationId]) -> Option<()> {
        self.live = locations.iter().map(|l| (*l, Set::new())).collect();
        let mut changed = true;
        while changed {
            changed = false;
            // Locations are numbered roughly in the order of control: backwards takes fewer rounds.
            for (i, l) in locations.iter().rev().enumerate() {
                self.has_time(i)?;
                for e in &self.model.location(*l).edges {
                    let edge = self.model.edge(*e);
                    let behind = self.live.get(&edge.to).cloned().unwrap_or_default();
                    let new = self.before_edge(edge, behind);
                    let old = self.live.get_mut(l).expect("every location has a set");
                    let count = old.len();
                    old.extend(new);
                    changed |= old.len() > count;
                }
            }
        }
        Some(())
    }

    /// Asks at some of the steps whether to go on.
    fn has_time(&self, step: usize) -> Option<()> {
        (!step.is_multiple_of(STEPS_BETWEEN) || (self.go_on)()).then_some(())
    }

    /// What an edge may store to.
    fn writes(&self, edge: &Edge) -> Set {
        let mut written = Set::new();
        let mut see = |a| {
            walk::action(a, &mut |item| {
                if let Item::Write(p) = item {
                    written.extend(self.variable(p));
                }
            });
        };
        for a in std::iter::once(&edge.action).chain(&edge.then) {
            see(a);
            if let Action::DStep(entry) = a {
                for l in inside(self.model, *entry) {
                    for e in &self.model.location(l).edges {
                        let e = self.model.edge(*e);
                        std::iter::once(&e.action).chain(&e.then).for_each(&mut see);
                    }
                }
            }
        }
        written
    }

    /// The variables that are 0 at each location: the dead ones, less those that some edge cannot reset. `None` where there is no
    /// more time.
    fn zero(&self, locations: &[LocationId], entry: LocationId) -> Option<HashMap<LocationId, Set>> {
        let all: Set = self.scalars.keys().copied().collect();
        let mut zero: HashMap<LocationId, Set> =
            locations.iter().map(|l| (*l, all.difference(&self.live[l]).copied().collect())).collect();
        debug_assert!(zero.contains_key(&entry), "the entry is a location of the process");
        let mut changed = true;
        while changed {
            changed = false;
            for (i, &l) in locations.iter().enumerate() {
                self.has_time(i)?;
                for &e in &self.model.location(l).edges {
                    let edge = self.model.edge(e);
                    if edge.to == LocationId::EXIT {
                        continue;
                    }
                    let written = self.writes(edge);
                    let handshake = matches!(edge.action, Action::Send { .. } | Action::Receive(_));
                    let can_reset =
                        !(handshake && self.model.uses.rendezvous) || self.mutant.lacks(Guard::DeadHandshake);
                    let here = zero[&l].clone();
                    let there = zero.get_mut(&edge.to).expect("edges stay in their process");
                    let spoiled = |v: &u32| {
                        !can_reset
                            && !self.mutant.lacks(Guard::DeadSpoiled)
                            && (written.contains(v) || !here.contains(v))
                    };
                    let count = there.len();
                    there.retain(|v| !spoiled(v));
                    changed |= there.len() < count;
                    // What is carried on as it was must not have been set to 0 before. A `d_step` may or may not store.
                    let there = there.clone();
                    let live = &self.live[&edge.to];
                    let stores = !matches!(edge.action, Action::DStep(_));
                    let own = zero.get_mut(&l).expect("every location has a set");
                    let count = own.len();
                    own.retain(|v| stores && written.contains(v) || there.contains(v) || live.contains(v));
                    changed |= own.len() < count;
                }
            }
        }
        Some(zero)
    }
}

/// The locations of a `d_step`.
fn inside(model: &Model, entry: LocationId) -> Vec<LocationId> {
    let mut list = vec![entry];
    let mut next = 0;
    while next < list.len() {
        for e in &model.location(list[next]).edges {
            let to = model.edge(*e).to;
            if to != LocationId::EXIT && !list.contains(&to) {
                list.push(to);
            }
        }
        next += 1;
    }
    list
}
