//! What a sample of states shows: which processes, locations and values occur.
//!
//! A beam search by the machine at hand: breadth first, with a few states of each level, drawn at random. States inside `atomic`
//! are looked at too. What is learnt is a guess that makes states small; every store of the search that leaves it is noticed.

use crate::places::{self, Var};
use ferrospin_model::ir::{Channel, LocationId, Model, ProcessId, Scalar};
use ferrospin_system::{Control, Machine, Moves};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// What is kept under one name in the layout.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub(crate) enum Key {
    /// Where the process with a number stands.
    Location(usize),
    /// Where the automaton of a formula stands.
    Claim,
    /// An element of a global, or of a local of the process with a number; without element all of them.
    Value(Option<usize>, Var, Option<u32>),
    /// How many messages a channel holds: of the process with a number, or a global one.
    Length(Option<(usize, ProcessId)>, usize),
    /// A field of the messages of a channel.
    Message(Option<(usize, ProcessId)>, usize, usize),
}

/// Values that were seen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    pub(crate) low: i32,
    pub(crate) high: i32,
    /// Those from 0 to 255.
    pub(crate) bytes: [u64; 4],
}

impl Seen {
    fn new(v: i32) -> Self {
        let mut seen = Seen { low: v, high: v, bytes: [0; 4] };
        seen.meet(v);
        seen
    }

    fn meet(&mut self, v: i32) {
        (self.low, self.high) = (self.low.min(v), self.high.max(v));
        if let 0..=255 = v {
            self.bytes[(v / 64) as usize] |= 1 << (v % 64);
        }
    }
}

/// See the module.
#[derive(Clone, Default)]
pub(crate) struct Learnt {
    pub(crate) values: FxHashMap<Key, Seen>,
    /// By number of the process: where it stood; `None` when there was none.
    pub(crate) locations: Vec<BTreeSet<Option<LocationId>>>,
}

/// Reads a scalar of a state.
pub(crate) fn read(state: &[u8], offset: u32, scalar: Scalar) -> i32 {
    let at = offset as usize;
    let bytes = &state[at..at + scalar.size() as usize];
    match (scalar, bytes) {
        (Scalar::Short, [a, b]) => i32::from(i16::from_le_bytes([*a, *b])),
        (_, [a]) => i32::from(*a),
        (_, [a, b]) => i32::from(u16::from_le_bytes([*a, *b])),
        (_, bytes) => i32::from_le_bytes(bytes.try_into().expect("four bytes")),
    }
}

fn location(model: &Model, state: &[u8], at: u32) -> LocationId {
    let mut n = [0; 4];
    let size = model.layout.location_size as usize;
    n[..size].copy_from_slice(&state[at as usize..at as usize + size]);
    LocationId(u32::from_le_bytes(n))
}

/// What a state holds, thing by thing: first all locations, and `None` behind the last one, then all values.
pub(crate) fn walk(
    model: &Model,
    state: &[u8],
    located: &mut dyn FnMut(usize, LocationId),
    value: &mut dyn FnMut(Key, i32),
) {
    let mut frames = Vec::new();
    let mut at = model.layout.fixed_size;
    while (at as usize) < state.len() {
        let stands = location(model, state, at);
        let process = model.location(stands).process;
        located(frames.len(), stands);
        frames.push((at, process));
        at += model.process(process).frame_size;
    }
    let mut area = |slot: Option<usize>, owner: Option<ProcessId>, base: u32, channels: &[Channel]| {
        for (number, leaf) in places::leaves(model, owner).iter().enumerate() {
            for element in 0..places::count(leaf) {
                let v = read(state, base + places::offset(leaf, element), leaf.scalar);
                value(Key::Value(slot, Var { owner, leaf: number }, Some(element)), v);
            }
        }
        let home = slot.zip(owner);
        for (number, c) in channels.iter().enumerate().filter(|(_, c)| c.capacity > 0) {
            let len = read(state, base + c.offset, c.length_scalar());
            value(Key::Length(home, number), len);
            let mut at = base + c.offset + c.length_scalar().size();
            for _ in 0..len {
                for (field, (scalar, _)) in c.fields.iter().enumerate() {
                    value(Key::Message(home, number, field), read(state, at, *scalar));
                    at += scalar.size();
                }
            }
        }
    };
    area(None, None, 0, &model.channels);
    for (slot, (at, process)) in frames.into_iter().enumerate() {
        area(Some(slot), Some(process), at, &model.process(process).channels);
    }
}

impl Learnt {
    /// Takes a state into account.
    pub(crate) fn meet(&mut self, model: &Model, state: &[u8]) {
        let mut count = 0;
        let Learnt { values, locations } = self;
        walk(
            model,
            state,
            &mut |slot, at| {
                if locations.len() <= slot {
                    locations.push(BTreeSet::new());
                }
                locations[slot].insert(Some(at));
                count = slot + 1;
            },
            &mut |key, v| {
                values.entry(key).and_modify(|s| s.meet(v)).or_insert_with(|| Seen::new(v));
            },
        );
        for slot in locations.iter_mut().skip(count) {
            slot.insert(None);
        }
    }

    /// Explores from some states, with about this many steps in all and at most `beam` states of a level.
    pub(crate) fn explore(
        &mut self,
        model: &Model,
        machine: &mut dyn Machine,
        from: &[Vec<u8>],
        beam: usize,
        steps: usize,
    ) {
        let mut level: Vec<(Vec<u8>, Control)> = from.iter().map(|s| (s.clone(), Control::Free)).collect();
        let mut known: FxHashSet<u64> = FxHashSet::default();
        let (mut moves, mut next) = (Moves::default(), Vec::new());
        let (mut taken, mut random) = (0, 0x2545_f491_4f6c_dd1d_u64);
        // A process that is born late was not there before.
        level.iter().for_each(|(s, _)| self.meet(model, s));
        while !level.is_empty() && taken < steps {
            let mut below: Vec<(Vec<u8>, Control)> = Vec::new();
            let mut met = 0_u64;
            for (state, control) in &level {
                machine.moves(state, *control, &mut moves);
                if moves.list.is_empty() && *control != Control::Free {
                    machine.moves(state, Control::Free, &mut moves);
                }
                for mv in &moves.list {
                    let step = machine.apply(state, mv, &mut next);
                    taken += 1;
                    if !step.proceeds {
                        continue;
                    }
                    let mut hash = hash(&next);
                    if step.control != Control::Free {
                        hash = !hash;
                    }
                    if !known.insert(hash) {
                        continue;
                    }
                    self.meet(model, &next);
                    met += 1;
                    random ^= random << 13;
                    random ^= random >> 7;
                    random ^= random << 17;
                    if below.len() < beam {
                        below.push((next.clone(), step.control));
                    } else if let Some(slot) = below.get_mut((random % met) as usize) {
                        *slot = (next.clone(), step.control);
                    }
                }
            }
            level = below;
        }
        // Those that came late were missing in what was met before them.
        let first = from.first().map_or(0, |s| {
            let mut n = 0;
            walk(model, s, &mut |slot, _| n = slot + 1, &mut |_, _| {});
            n
        });
        self.locations.iter_mut().skip(first).for_each(|slot| {
            slot.insert(None);
        });
    }
}

fn hash(bytes: &[u8]) -> u64 {
    ferrospin_system::StateHash::new(0).of(bytes)
}
