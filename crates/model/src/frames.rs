//! The frames of a state: which process stands where.
//!
//! A state does not say how many processes it has. A location number also tells the process type, and that the size of the frame,
//! so that frames are found by walking over them, oldest process first.

use crate::ir::{LocationId, Model};

impl Model {
    /// For each process of a state, oldest first: where its frame starts, and where it stands.
    pub fn frames<'a>(&'a self, state: &'a [u8]) -> impl Iterator<Item = (u32, LocationId)> + 'a {
        let mut at = self.layout.fixed_size;
        std::iter::from_fn(move || {
            let here = at;
            let left = state.len().checked_sub(here as usize)?;
            if left == 0 {
                return None;
            }
            let location = self.location_at(state, here);
            at += self.process(self.location(location).process).frame_size;
            debug_assert!(at as usize <= state.len(), "frames fill the state");
            Some((here, location))
        })
    }

    /// The location number that stands at an offset of a state.
    pub fn location_at(&self, state: &[u8], offset: u32) -> LocationId {
        let (from, size) = (offset as usize, self.layout.location_size as usize);
        let mut number = [0; 4];
        number[..size].copy_from_slice(&state[from..from + size]);
        LocationId(u32::from_le_bytes(number))
    }
}
