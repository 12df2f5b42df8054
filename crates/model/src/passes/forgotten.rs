//! What the passes forget: variables that are 0 in a state of the optimised model, whatever the plain model has there.
//!
//! This is the relation between the states of the two models: a state of the plain model stands for the one in which all these
//! variables are 0, and for no other. What is forgotten depends on where a process stands ([`super::dead_values`]), or on
//! nothing ([`super::tallies`]); statement merging forgets nothing. Both passes promise that nothing which is forgotten can be
//! noticed: a check may put any value there.

use super::dead_values::Zeros;
use crate::ir::{Area, Model, Place, ProcessId, Scalar};

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct Forgotten {
    /// What is dead, by location.
    pub dead: Zeros,
    /// Variables that are 0 everywhere.
    pub tallies: Vec<Tally>,
}

/// A variable, or a whole array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tally {
    /// The process type that it belongs to, unless it is global.
    pub owner: Option<ProcessId>,
    /// Where it begins in its area.
    pub offset: u32,
    /// Length and distance in bytes of each dimension.
    pub dims: Vec<(u32, u32)>,
    /// How it is kept.
    pub scalar: Scalar,
}

impl Tally {
    /// What a store to a place may reach.
    fn at(process: ProcessId, place: &Place) -> Tally {
        Tally {
            owner: (place.area == Area::Local).then_some(process),
            offset: place.offset,
            dims: place.indices.iter().map(|index| (index.len, index.stride)).collect(),
            scalar: place.scalar,
        }
    }
}

/// Calls `f` with the offset of each element.
fn elements(offset: usize, dims: &[(u32, u32)], f: &mut dyn FnMut(usize)) {
    let Some(((len, stride), inner)) = dims.split_first() else { return f(offset) };
    (0..*len as usize).for_each(|i| elements(offset + i * *stride as usize, inner, f));
}

impl Forgotten {
    /// Adds variables that are 0 everywhere, by the places where they are stored to.
    pub(super) fn add_tallies(&mut self, stores: &[(ProcessId, Place)]) {
        for (process, place) in stores {
            let tally = Tally::at(*process, place);
            if !self.tallies.contains(&tally) {
                self.tallies.push(tally);
            }
        }
    }

    /// Calls `f` with the place of each variable that is forgotten in a state.
    pub fn each(&self, model: &Model, state: &[u8], f: &mut dyn FnMut(usize, Scalar)) {
        let mut tallies = |owner: Option<ProcessId>, base: u32| {
            for t in self.tallies.iter().filter(|t| t.owner == owner) {
                elements((base + t.offset) as usize, &t.dims, &mut |at| f(at, t.scalar));
            }
        };
        tallies(None, 0);
        if let Some((claim, at)) = model.layout.claim {
            tallies(Some(claim), at);
        }
        for (at, location) in model.frames(state) {
            tallies(Some(model.location(location).process), at);
        }
        for (at, location) in model.frames(state) {
            let dead = self.dead.get(&location).map_or(&[][..], Vec::as_slice);
            dead.iter().for_each(|(offset, scalar)| f((at + offset) as usize, *scalar));
        }
    }

    /// Writes a value to each variable that is forgotten in a state.
    pub fn write(&self, model: &Model, state: &mut [u8], value: &mut dyn FnMut() -> i32) {
        let mut places = Vec::new();
        self.each(model, state, &mut |at, scalar| places.push((at, scalar)));
        for (at, scalar) in places {
            let size = scalar.size() as usize;
            state[at..at + size].copy_from_slice(&scalar.cut(value()).to_le_bytes()[..size]);
        }
    }
}
