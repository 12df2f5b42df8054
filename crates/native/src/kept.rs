//! The state that was last looked at, kept with some room behind it.
//!
//! The scan of frames and channels belongs to it, so that it need not be made again for each move of the state; and a copy
//! in whole pieces needs no call.

use crate::context::Context;

/// States are copied in pieces of this many bytes.
pub(crate) const CHUNK: usize = crate::emit::COPIED as usize;

impl Context {
    /// Keeps a copy of a state, to be read until the next one comes.
    #[inline]
    pub(crate) fn keep(&mut self, state: &[u8]) {
        let room = state.len().next_multiple_of(CHUNK);
        if self.current.len() < room {
            self.current.resize(room, 0);
        }
        // No call: states are short.
        let to = &mut self.current[..state.len()];
        let (pieces, _) = state.as_chunks::<8>();
        to.as_chunks_mut::<8>().0.iter_mut().zip(pieces).for_each(|(to, from)| *to = *from);
        match (to.last_chunk_mut::<8>(), state.last_chunk::<8>()) {
            (Some(to), Some(from)) => *to = *from,
            _ => to.iter_mut().zip(state).for_each(|(to, from)| *to = *from),
        }
        self.current_len = state.len();
        self.base = self.current.as_mut_ptr();
        self.slot = self.slots.as_mut_ptr();
    }

    /// Makes ready for a state as long as the last one and with the same processes, which generated code will keep.
    #[inline]
    pub(crate) fn start_over(&mut self, len: usize) {
        debug_assert!(
            len.next_multiple_of(CHUNK) <= self.current.len() && self.process_count as usize == self.scan.count()
        );
        self.current_len = len;
        self.base = self.current.as_mut_ptr();
        self.slot = self.slots.as_mut_ptr();
        (self.timeout, self.slow_path) = (0, 0);
    }

    /// Whether the scan describes this state. A birth adds to the scan, so that its end tells.
    pub(crate) fn knows(&self, state: &[u8]) -> bool {
        if self.scan.end != state.len() || self.current_len != state.len() {
            return false;
        }
        let (a, rest_a) = self.current[..state.len()].as_chunks::<8>();
        let (b, rest_b) = state.as_chunks::<8>();
        // No branch for each piece, and no call: states are short and mostly equal.
        let pieces = a.iter().zip(b).fold(0, |d, (a, b)| d | (u64::from_ne_bytes(*a) ^ u64::from_ne_bytes(*b)));
        pieces == 0 && rest_a.iter().zip(rest_b).fold(0, |d, (a, b)| d | (a ^ b)) == 0
    }

    /// Copies the state that was kept, after it has changed, to one as long.
    pub(crate) fn copy_into(&self, out: &mut [u8]) {
        out.copy_from_slice(&self.current[..self.current_len]);
    }

    /// Makes `out` a copy of the state that was kept.
    pub(crate) fn copy_to(&mut self, out: &mut Vec<u8>) {
        let len = self.current_len;
        let room = len.next_multiple_of(CHUNK);
        assert!(room <= self.current.len(), "a state is kept with some room behind it");
        out.clear();
        out.reserve(room);
        let (from, to) = (self.current.as_ptr(), out.as_mut_ptr());
        // SAFETY: both have room for whole chunks, the first `len` bytes of which are copied and thereby initialised;
        // the vector is not the context's own.
        unsafe {
            for at in (0..room).step_by(CHUNK) {
                std::ptr::copy_nonoverlapping(from.add(at), to.add(at), CHUNK);
            }
            out.set_len(len);
        }
        self.base = to;
    }
}
