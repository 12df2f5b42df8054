//! Ample sets: at which locations all that a process can do is enough.
//!
//! The edges at a location are enough if each accords with everything that the other processes may still do from where they stand,
//! and none of them can be made executable by it (Peled 1993; Holzmann and Peled 1994; the facts are
//! [`ferrospin_model::facts`]). What others may still do depends on where they stand: for each location there is the set of
//! locations of each other process at which the process is not alone. That is settled here, once; kernels compare sets of bits.

use crate::layout::{Layout, Slot};
use crate::learn;
use ferrospin_model::facts::accord::{self, Party};
use ferrospin_model::facts::{Facts, Instance};
use ferrospin_model::ir::{EdgeId, LocationId, Model, ProcessId};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Tests in all kernels beyond which locations that need some are no candidates.
const TESTS_MAX: usize = 3_000;
/// Slots that fit the word in which kernels keep a set of them.
const SLOTS_MAX: usize = 32;

/// At some locations of a process it is alone, unless another process stands where it may disturb.
#[derive(Debug)]
pub(crate) struct Rule {
    /// Codes of the locations.
    pub(crate) codes: Vec<u32>,
    /// Slots, with the codes of locations at which their processes may disturb.
    pub(crate) unless: Vec<(usize, Vec<u32>)>,
}

/// See the module: the rules of each slot.
#[derive(Debug)]
pub(crate) struct Ample {
    pub(crate) slots: Vec<Vec<Rule>>,
}

/// A process that may stand in a slot.
struct Member<'f> {
    facts: &'f Facts,
    who: Instance,
}

impl<'f> Member<'f> {
    fn party(&self, edge: EdgeId) -> Party<'_> {
        Party { who: &self.who, footprint: self.facts.footprint(&self.who, edge) }
    }

    /// Whether an edge of this process is about itself alone, as far as it goes.
    fn may_be_alone(&self, edge: EdgeId) -> bool {
        let f = self.facts.footprint(&self.who, edge);
        !f.unknown && f.rendezvous.is_none() && !f.either && !f.timeout && f.runs.is_empty()
    }

    /// Whether an edge of another process disturbs one of this.
    fn is_disturbed(&self, model: &Model, edge: EdgeId, by: Party<'_>) -> bool {
        let own = self.party(edge);
        !accord::accords(model, own, by)
            || own.footprint.conjuncts.iter().any(|c| accord::can_make(model, c, true, own.who, by))
    }
}

/// The edges of a process type that may be taken from a location on.
fn behind(facts: &Facts, process: ProcessId, from: LocationId) -> impl Iterator<Item = EdgeId> + '_ {
    let bits = facts.reachable(from);
    let is = |i: usize| bits[i / 64] >> (i % 64) & 1 == 1;
    facts.edges(process).iter().enumerate().filter(move |(i, _)| is(*i)).map(|(_, e)| *e)
}

impl Ample {
    /// Finds the rules of a model; none where no reduction is possible, or no location is worth it.
    pub(crate) fn of(layout: &Layout<'_>, state: &[u8]) -> Option<Ample> {
        let model = Arc::new(layout.model.clone());
        let facts = Facts::new(model.clone());
        if facts.off().is_some() || layout.slots.len() > SLOTS_MAX || layout.slots.len() < 2 {
            return None;
        }
        let mut frames = Vec::new();
        let mut at = model.layout.fixed_size;
        learn::walk(
            &model,
            state,
            &mut |_, stands| {
                let process = model.location(stands).process;
                let size = model.process(process).frame_size;
                frames.push((process, &state[at as usize..(at + size) as usize]));
                at += size;
            },
            &mut |_, _| {},
        );
        let member = |slot: usize, process: ProcessId, settled: bool| match frames.get(slot) {
            Some((there, frame)) if settled && *there == process => {
                Member { facts: &facts, who: facts.instance(process, slot as u8, frame) }
            }
            _ => Member { facts: &facts, who: facts.unborn(process) },
        };
        let members = |(slot, s): (usize, &Slot)| -> Vec<Member<'_>> {
            let settled = !s.absent && s.frames.len() == 1;
            s.frames.iter().map(|f| member(slot, f.process, settled)).collect()
        };
        let all: Vec<Vec<Member<'_>>> = layout.slots.iter().enumerate().map(members).collect();
        let unborn: Vec<Member<'_>> = births(&model).map(|p| member(usize::MAX, p, false)).collect();
        let mut ample = Ample { slots: Vec::new() };
        for (slot, own) in all.iter().enumerate() {
            let mut rules: FxHashMap<Vec<(usize, Vec<u32>)>, Vec<u32>> = FxHashMap::default();
            for (at, code) in &layout.slots[slot].codes {
                let process = model.location(*at).process;
                let Some(own) = own.iter().find(|m| m.who.process == process) else { continue };
                let edges = &model.location(*at).edges;
                if edges.is_empty() || !edges.iter().all(|e| own.may_be_alone(*e)) {
                    continue;
                }
                // What is not there yet may come as soon as a process starts it.
                let disturbs =
                    |m: &Member<'_>, of: EdgeId| edges.iter().any(|e| own.is_disturbed(&model, *e, m.party(of)));
                let all_edges = |m: &Member<'_>| facts.edges(m.who.process).to_vec();
                if unborn.iter().any(|m| all_edges(m).into_iter().any(|of| disturbs(m, of))) {
                    continue;
                }
                let unless = all.iter().enumerate().filter(|(other, _)| *other != slot);
                let unless = unless.filter_map(|(other, members)| {
                    let mut codes = Vec::new();
                    for m in members {
                        let bad: Vec<bool> = facts.edges(m.who.process).iter().map(|e| disturbs(m, *e)).collect();
                        let place = |e: EdgeId| facts.edges(m.who.process).iter().position(|o| *o == e);
                        let of = |(l, _): &(&LocationId, &u32)| model.location(**l).process == m.who.process;
                        for (stands, code) in layout.slots[other].codes.iter().filter(of) {
                            let mut reachable = behind(&facts, m.who.process, *stands);
                            if reachable.any(|e| place(e).is_some_and(|p| bad[p])) {
                                codes.push(*code);
                            }
                        }
                    }
                    codes.sort_unstable();
                    (!codes.is_empty()).then_some((other, codes))
                });
                let unless: Vec<_> = unless.collect();
                // A process that is disturbed wherever another one stands is no candidate.
                let hopeless = |(other, codes): &(usize, Vec<u32>)| codes.len() == layout.slots[*other].count as usize;
                if !unless.iter().any(hopeless) {
                    rules.entry(unless).or_default().push(*code);
                }
            }
            let mut rules: Vec<Rule> = rules.into_iter().map(|(unless, codes)| Rule { codes, unless }).collect();
            rules.iter_mut().for_each(|r| r.codes.sort_unstable());
            rules.sort_by(|a, b| a.codes.cmp(&b.codes));
            ample.slots.push(rules);
        }
        let tests: usize = ample.slots.iter().flatten().map(|r| 1 + r.unless.len()).sum();
        if tests > TESTS_MAX {
            ample.slots.iter_mut().for_each(|rules| rules.retain(|r| r.unless.is_empty()));
        }
        ample.slots.iter().any(|rules| !rules.is_empty()).then_some(ample)
    }
}

/// Types of processes that some edge starts.
fn births(model: &Model) -> impl Iterator<Item = ProcessId> {
    let mut types: Vec<ProcessId> = model
        .edges
        .iter()
        .flat_map(|e| std::iter::once(&e.action).chain(&e.then))
        .filter_map(|a| match a {
            ferrospin_model::ir::Action::Run { process, .. } => Some(*process),
            _ => None,
        })
        .collect();
    types.sort_unstable();
    types.dedup();
    types.into_iter()
}
