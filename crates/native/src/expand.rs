//! Finding and taking all moves of a state in one go.
//!
//! Generated code writes the moves and the successors one behind the other; what it leaves (births, ends, handshakes,
//! steps that fail) is taken afterwards in the ordinary way. Beside a claim the moves are taken without it first, and then
//! multiplied with its edges, as long as these do nothing but lead to another location.

use crate::kept::CHUNK;
use crate::program::{Find, Grown};
use crate::{Native, build, partners};
use ferrospin_system::{Arrival, Batch, Control, Failure, Machine, Moves, NO_PROCESS};

/// Successors are made while moves are looked for only if they take no more memory than this.
const GROWN_MAX: usize = 1 << 20;

impl Native {
    /// Code that takes moves while it looks for them, once it is worth making.
    fn grown<'a>(&mut self) -> Option<&'a Grown> {
        let growth = self.context.program().growth.as_ref()?;
        if let Some(grown) = growth.grown.get() {
            return grown.as_ref();
        }
        if self.patience > 0 {
            self.patience -= 1;
            return None;
        }
        growth.grown.get_or_init(|| build::grow(growth).ok()).as_ref()
    }

    /// Makes room for all successors that a state of `len` bytes can have.
    fn make_room(&mut self, len: usize, out: &mut Batch) -> bool {
        let c = &mut *self.context;
        let room = len.next_multiple_of(CHUNK);
        let all = c.scan.count() * self.program.edges_max * room;
        if all > GROWN_MAX || out.bytes.len() > u32::MAX as usize - 2 * GROWN_MAX {
            return false;
        }
        out.bytes.reserve(all + room);
        c.room = room;
        // SAFETY: the vector has room behind its end.
        c.dest = unsafe { out.bytes.as_mut_ptr().add(out.bytes.len()) };
        true
    }

    /// Finds moves and takes most of them at once. False, and nothing is worth anything, when the processes turn out
    /// not to be what they were, or when there is not enough room.
    fn grow(&mut self, grown: &[Option<Find>], state: &[u8], moves: &mut Moves, out: &mut Batch) -> bool {
        let hasty = self.program.is_hasty && self.context.scan.end == state.len();
        if hasty {
            self.context.keep(state);
            self.context.scanned();
        } else {
            self.look(state);
        }
        if !self.make_room(state.len(), out) {
            return false;
        }
        self.context.timeout = 0;
        if !self.all_moves::<true>(grown, moves) {
            return false;
        }
        if moves.list.is_empty() && self.program.uses_timeout {
            self.context.timeout = 1;
            if !self.all_moves::<true>(grown, moves) {
                return false;
            }
        }
        true
    }

    /// Finds the edges that the claim can take beside the moves just found. False when the claim does more than go to
    /// another location with some of them, or when it goes on alone: then its moves are taken one by one.
    fn claim_follows(&mut self, out: &mut Moves) -> bool {
        let program = self.context.program();
        let Some((process, at)) = program.claim else { return true };
        if out.list.is_empty() {
            return false;
        }
        let location = &program.locations[self.context.location(at) as usize];
        assert_eq!(location.process, process, "the claim stays what it is");
        let mask = location.test.map_or(0, |code| self.call(code, at, i32::from(NO_PROCESS), 0) as u64);
        let (first, count) = (location.edges.0 as usize, location.edges.1 as usize);
        self.claims.clear();
        for i in partners::bits(&self.context, mask, count) {
            let claim = program.edge_ids[first + i];
            let edge = &program.edges[claim as usize];
            if !edge.only_goes || program.locations[edge.to as usize].stops {
                self.context.slot = self.context.slots.as_mut_ptr();
                return false;
            }
            self.claims.push(claim);
        }
        let c = &mut *self.context;
        c.drain(NO_PROCESS);
        let list = c.failures.drain(..);
        out.failures.extend(list.map(|(f, process)| Failure { kind: f.kind(), edge: f.edge, process }));
        true
    }

    /// Multiplies moves that have been taken without the claim with the edges that the claim can take; its location is
    /// at `at`.
    fn multiply(&self, at: usize, moves: &mut Moves, out: &mut Batch, first_arrival: usize, first_failure: usize) {
        let count = moves.list.len();
        let (arrivals, failures) = (out.arrivals.len(), out.failures.len());
        let size = self.program.location_size as usize;
        let Some((&last, before)) = self.claims.split_last() else {
            moves.list.clear();
            out.arrivals.truncate(first_arrival);
            out.failures.truncate(first_failure);
            return;
        };
        let to = |claim: u32| self.program.edges[claim as usize].to.to_le_bytes();
        for (round, &claim) in before.iter().enumerate() {
            // Every further edge has copies of the moves; the last one gets what is there.
            let top = ((round + 1) * count) as u32;
            moves.list.extend_from_within(..count);
            moves.list[round * count..][..count].iter_mut().for_each(|m| m.claim = claim);
            for i in 0..arrivals - first_arrival {
                let a = out.arrivals[first_arrival + i];
                let (start, len) = (a.start as usize, a.len as usize);
                let copy = u32::try_from(out.bytes.len()).expect("a batch stays below 4 GiB");
                out.bytes.extend_from_within(start..start + len);
                out.bytes[copy as usize + at..][..size].copy_from_slice(&to(claim)[..size]);
                out.arrivals.push(Arrival { start: copy, ..a });
                out.arrivals[first_arrival + i].top = top + (a.top - round as u32 * count as u32);
            }
            for i in 0..failures - first_failure {
                let (t, f) = out.failures[first_failure + i];
                out.failures.push((t, f));
                out.failures[first_failure + i].0 = top + (t - round as u32 * count as u32);
            }
        }
        moves.list[before.len() * count..].iter_mut().for_each(|m| m.claim = last);
        for a in &out.arrivals[first_arrival..arrivals] {
            out.bytes[a.start as usize + at..][..size].copy_from_slice(&to(last)[..size]);
        }
        // Those of the last edge stand first: they go behind the others.
        out.arrivals[first_arrival..].rotate_left(arrivals - first_arrival);
        out.failures[first_failure..].rotate_left(failures - first_failure);
    }

    /// See [`Machine::expand`].
    pub(crate) fn expand_all(&mut self, state: &[u8], moves: &mut Moves, out: &mut Batch) {
        assert!(state.len() >= self.program.fixed_size as usize, "a state has its fixed part");
        moves.clear();
        let mut spare = std::mem::take(&mut out.spare);
        let (first_arrival, first_failure) = (out.arrivals.len(), out.failures.len());
        if let Some(grown) = self.grown()
            && self.grow(&grown.find, state, moves, out)
            && self.claim_follows(moves)
        {
            let first = out.bytes.len();
            let (room, timeout) = (self.context.room, self.context.timeout != 0);
            // SAFETY: generated code has written the successors one behind the other up to where the next would go;
            // there was room for them.
            unsafe { out.bytes.set_len(self.context.dest.offset_from(out.bytes.as_ptr()) as usize) };
            let mut next = first;
            for (top, mv) in moves.list.iter_mut().enumerate() {
                let later = std::mem::replace(&mut mv.stutter, false);
                let atomic = std::mem::replace(&mut mv.timeout, timeout);
                if later {
                    let step = self.apply(state, mv, &mut spare);
                    out.push(top as u32, &step, &spare);
                    continue;
                }
                let control = if atomic { Control::Exclusive(mv.process) } else { Control::Free };
                out.arrivals.push(Arrival { top: top as u32, start: next as u32, len: state.len() as u32, control });
                next += room;
            }
            if let Some((_, at)) = self.program.claim {
                self.multiply(at as usize, moves, out, first_arrival, first_failure);
            }
        } else {
            self.moves(state, Control::Free, moves);
            for (top, mv) in moves.list.iter().enumerate() {
                let step = self.apply(state, mv, &mut spare);
                out.push(top as u32, &step, &spare);
            }
        }
        out.spare = spare;
    }
}
