//! Checks the facts that partial-order reduction rests on, one by one, at states that a random walk meets.
//!
//! - Two moves of different processes that are said to accord: each stays executable behind the other, and both orders
//!   lead to the same states.
//! - An edge that is not executable stays so behind every move that is not said to make one of its conjuncts true.
//! - A move changes only what its footprint says.

use crate::random::Random;
use ferrospin_model::facts::accord::{Party, accords};
use ferrospin_model::facts::object::Object;
use ferrospin_model::facts::{Facts, Instance, Target};
use ferrospin_model::ir::{EdgeId, LocationId, Model, ProcessId};
use ferrospin_system::{Control, Machine, Move, Moves, NO_PROCESS};
use std::sync::Arc;

/// Checks the facts at `count` states; returns how many claims were checked.
pub fn check_facts(
    machine: &mut dyn Machine,
    facts: &Facts,
    random: &mut Random,
    count: usize,
) -> Result<usize, String> {
    let model = facts.model().clone();
    let mut c = Check { machine, model, facts, checked: 0 };
    let mut first = Vec::new();
    if c.machine.initial(&mut first).is_err() {
        return Ok(0);
    }
    let mut state = first.clone();
    for _ in 0..count {
        let moves = c.moves(&state);
        c.state(&state, &moves)?;
        let next = match moves.len() {
            0 => Vec::new(),
            n => c.successors(&state, &moves[random.below(n)]).unwrap_or_default(),
        };
        state = if next.is_empty() { first.clone() } else { next[random.below(next.len())].clone() };
    }
    Ok(c.checked)
}

struct Check<'a> {
    machine: &'a mut dyn Machine,
    model: Arc<Model>,
    facts: &'a Facts,
    checked: usize,
}

/// A process in a state: type, location, offset of the frame.
type Standing = (ProcessId, LocationId, usize);

impl Check<'_> {
    fn moves(&mut self, state: &[u8]) -> Vec<Move> {
        let mut moves = Moves::default();
        self.machine.moves(state, Control::Free, &mut moves);
        moves.list
    }

    /// Stored successors, sorted; nothing where something fails on the way.
    fn successors(&mut self, state: &[u8], mv: &Move) -> Option<Vec<Vec<u8>>> {
        let (mut out, mut work, mut passed) = (Vec::new(), vec![(state.to_vec(), *mv)], Vec::new());
        while let Some((from, mv)) = work.pop() {
            let mut next = Vec::new();
            let step = self.machine.apply(&from, &mv, &mut next);
            if !step.proceeds {
                return None;
            }
            if step.control == Control::Free {
                out.push(next);
                continue;
            }
            if passed.contains(&(next.clone(), step.control)) {
                continue;
            }
            passed.push((next.clone(), step.control));
            let mut moves = Moves::default();
            self.machine.moves(&next, step.control, &mut moves);
            if moves.list.is_empty() {
                out.push(next);
            } else {
                work.extend(moves.list.iter().map(|m| (next.clone(), *m)));
            }
        }
        out.sort();
        out.dedup();
        Some(out)
    }

    fn standing(&self, state: &[u8]) -> Vec<Standing> {
        let (mut at, mut out) = (self.model.layout.fixed_size as usize, Vec::new());
        let size = self.model.layout.location_size as usize;
        while at < state.len() {
            let mut number = [0; 4];
            number[..size].copy_from_slice(&state[at..at + size]);
            let location = LocationId(u32::from_le_bytes(number));
            let process = self.model.location(location).process;
            out.push((process, location, at));
            at += self.model.process(process).frame_size as usize;
        }
        out
    }

    fn state(&mut self, state: &[u8], moves: &[Move]) -> Result<(), String> {
        if moves.iter().any(|m| m.timeout || m.process == NO_PROCESS) {
            return Ok(());
        }
        let standing = self.standing(state);
        let instances: Vec<Instance> = standing
            .iter()
            .enumerate()
            .map(|(pid, (p, _, at))| self.facts.instance(*p, pid as u8, &state[*at..]))
            .collect();
        for (i, t) in moves.iter().enumerate() {
            self.footprint(state, &standing, &instances, t)?;
            for u in &moves[i + 1..] {
                self.pair(state, &instances, t, u)?;
            }
        }
        self.enabling(state, moves, &standing, &instances)
    }

    fn parts(m: &Move) -> Vec<(usize, EdgeId)> {
        let mut out = vec![(usize::from(m.process), EdgeId(m.edge))];
        if m.partner != NO_PROCESS {
            out.push((usize::from(m.partner), EdgeId(m.partner_edge)));
        }
        out
    }

    fn pair(&mut self, state: &[u8], instances: &[Instance], t: &Move, u: &Move) -> Result<(), String> {
        let facts = self.facts;
        let party =
            |(p, e): (usize, EdgeId)| Party { who: &instances[p], footprint: facts.footprint(&instances[p], e) };
        let said = Self::parts(t)
            .into_iter()
            .all(|a| Self::parts(u).into_iter().all(|b| a.0 != b.0 && accords(&self.model, party(a), party(b))));
        if !said {
            return Ok(());
        }
        let (Some(after_t), Some(after_u)) = (self.successors(state, t), self.successors(state, u)) else {
            return Ok(());
        };
        self.checked += 1;
        let mut orders = [Vec::new(), Vec::new()];
        for (order, first, second) in [(0, &after_t, u), (1, &after_u, t)] {
            for n in first {
                if !self.moves(n).contains(second) {
                    return Err(format!("{t:?} and {u:?} accord, yet {second:?} is disabled at {state:?}"));
                }
                let Some(more) = self.successors(n, second) else { return Ok(()) };
                orders[order].extend(more);
            }
            orders[order].sort();
            orders[order].dedup();
        }
        if orders[0] != orders[1] {
            return Err(format!("{t:?} and {u:?} accord, yet they do not commute at {state:?}"));
        }
        Ok(())
    }

    /// Edges that wait stay as they are behind whatever is not said to enable them.
    fn enabling(
        &mut self,
        state: &[u8],
        moves: &[Move],
        standing: &[Standing],
        instances: &[Instance],
    ) -> Result<(), String> {
        let takes = |list: &[Move], p: usize, e: EdgeId| list.iter().any(|m| Self::parts(m).contains(&(p, e)));
        for (p, (_, location, _)) in standing.iter().enumerate() {
            for &e in &self.model.clone().location(*location).edges {
                let f = self.facts.footprint(&instances[p], e);
                if takes(moves, p, e) || f.unknown || f.timeout || f.rendezvous.is_some() {
                    continue;
                }
                for m in moves {
                    let hits = |(q, edge): (usize, EdgeId)| {
                        (0..f.conjuncts.len())
                            .any(|i| self.facts.is_hit(Target::Enables(&instances[p], e, i), &instances[q], edge))
                    };
                    let parts = Self::parts(m);
                    // A process that goes elsewhere does not stand before the edge any more.
                    if parts.iter().any(|(q, _)| *q == p) || parts.into_iter().any(hits) {
                        continue;
                    }
                    let Some(next) = self.successors(state, m) else { continue };
                    for n in next {
                        self.checked += 1;
                        let there = self.moves(&n);
                        let timeout = there.iter().any(|m| m.timeout);
                        if !timeout && takes(&there, p, e) {
                            return Err(format!("{m:?} enables edge {} of process {p} at {state:?}", e.0));
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// A move changes only what its footprint says.
    fn footprint(
        &mut self,
        state: &[u8],
        standing: &[Standing],
        instances: &[Instance],
        m: &Move,
    ) -> Result<(), String> {
        let parts = Self::parts(m);
        let footprints: Vec<_> = parts.iter().map(|(p, e)| (*p, self.facts.footprint(&instances[*p], *e))).collect();
        if footprints.iter().any(|(_, f)| f.unknown) {
            return Ok(());
        }
        let Some(next) = self.successors(state, m) else { return Ok(()) };
        let says = |object: Object| footprints.iter().any(|(_, f)| f.writes.iter().any(|w| w.object == object));
        for n in next {
            self.checked += 1;
            if n.len() != state.len() && !says(Object::Table) {
                return Err(format!("{m:?} changes the processes of {state:?}"));
            }
            for at in (0..state.len().min(n.len())).filter(|i| state[*i] != n[*i]) {
                if !self.may_change(at as u32, standing, &footprints) {
                    return Err(format!("{m:?} changes byte {at} of {state:?}"));
                }
            }
        }
        Ok(())
    }

    fn may_change(
        &self,
        at: u32,
        standing: &[Standing],
        footprints: &[(usize, &ferrospin_model::facts::footprint::Footprint)],
    ) -> bool {
        let model = &self.model;
        let owner = standing.iter().rposition(|(_, _, frame)| *frame as u32 <= at);
        let inside = |a: u32, b: u32, x: u32| a <= x && x < b;
        let (channels, base) = match owner {
            None => (&model.channels, 0),
            Some(p) => (&model.process(standing[p].0).channels, standing[p].2 as u32),
        };
        let in_channel = channels.iter().any(|c| inside(base + c.offset, base + c.offset + c.size(), at));
        let trace = model.layout.trace.is_some_and(|t| inside(t, t + model.layout.location_size, at));
        footprints.iter().any(|(p, f)| {
            let wrote = f.writes.iter().any(|w| match w.object {
                Object::Global(a, b) => owner.is_none() && inside(a, b, at),
                Object::Local(a, b) => owner == Some(*p) && inside(a, b, at - base),
                Object::Trace => trace,
                Object::Table => false,
                _ => false,
            });
            let moved = owner == Some(*p) && at - base < model.layout.location_size;
            wrote || moved || in_channel && !f.operations.is_empty()
        })
    }
}
