//! The successors of a few states at a time, kept in buffers that are used again and again.
//!
//! A search takes the moves of several states first, hashes and prefetches what they lead to, and only then asks the
//! store: the misses of the table overlap instead of adding up. Nothing is allocated once the buffers have grown.

use crate::expand::{Expander, Sink};
use ferrospin_system::{Arrival, Batch, Control, Failure, Machine, Move, Moves, NO_EDGE, StateHash};

/// How a stored state was reached from its parent: the index of the move, and which of the arrivals through the states
/// inside `atomic`. Enough to find the moves again, in one or two bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Code {
    /// Index into the moves of the parent.
    pub(crate) top: u32,
    /// Number of arrivals by that move before this one.
    pub(crate) inner: u32,
}

/// A successor that waits for the store's answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Successor {
    pub(crate) hash: u64,
    pub(crate) code: Code,
    start: u32,
    len: u32,
}

/// Something went wrong, at the end of this path from the state that was expanded.
pub(crate) type Failed = (Failure, Vec<Move>);

/// Which edges were taken.
#[derive(Clone, Debug)]
pub(crate) struct Taken(pub(crate) Vec<bool>);

impl Taken {
    /// Marks an edge.
    #[inline]
    pub(crate) fn mark(&mut self, edge: u32) {
        if let Some(t) = self.0.get_mut(edge as usize) {
            *t = true;
        }
    }

    #[inline]
    pub(crate) fn note(&mut self, mv: &Move) {
        self.mark(mv.edge);
        if mv.partner_edge & mv.claim != NO_EDGE {
            self.mark(mv.partner_edge);
            self.mark(mv.claim);
        }
    }
}

/// The successors of a few states.
pub(crate) struct Successors {
    hash: StateHash,
    batch: Batch,
    pub(crate) list: Vec<Successor>,
    expander: Expander,
    inner: Vec<u8>,
    pub(crate) taken: Taken,
    pub(crate) atomic_steps: u64,
}

impl Successors {
    pub(crate) fn new(hash: StateHash, edges: usize) -> Self {
        Successors {
            hash,
            batch: Batch::default(),
            list: Vec::new(),
            expander: Expander::default(),
            inner: Vec::new(),
            taken: Taken(vec![false; edges]),
            atomic_steps: 0,
        }
    }

    /// Forgets the successors.
    pub(crate) fn clear(&mut self) {
        self.batch.clear();
        self.list.clear();
    }

    /// The state of a successor.
    #[inline]
    pub(crate) fn state(&self, s: &Successor) -> &[u8] {
        &self.batch.bytes[s.start as usize..][..s.len as usize]
    }

    /// Takes some moves of a state, whose moves were found before.
    pub(crate) fn take(
        &mut self,
        machine: &mut dyn Machine,
        state: &[u8],
        moves: &Moves,
        set: impl Iterator<Item = u32>,
        failed: &mut Vec<Failed>,
    ) {
        let first = self.batch.arrivals.len();
        let mut next = std::mem::take(&mut self.batch.spare);
        for top in set {
            let step = machine.apply(state, &moves.list[top as usize], &mut next);
            self.batch.push(top, &step, &next);
        }
        self.batch.spare = next;
        self.settle(machine, first, moves, failed);
    }

    /// Turns arrivals into successors, through the states inside `atomic`.
    #[inline]
    fn settle(&mut self, machine: &mut dyn Machine, first: usize, moves: &Moves, failed: &mut Vec<Failed>) {
        if !self.batch.failures.is_empty() {
            failed.extend(self.batch.failures.drain(..).map(|(top, f)| (f, vec![moves.list[top as usize]])));
        }
        for i in first..self.batch.arrivals.len() {
            let Arrival { top, start, len, control } = self.batch.arrivals[i];
            let mv = &moves.list[top as usize];
            if control == Control::Free {
                self.taken.note(mv);
                self.add(Code { top, inner: 0 }, start, len);
            } else {
                self.inner.clear();
                self.inner.extend_from_slice(&self.batch.bytes[start as usize..][..len as usize]);
                self.walk(machine, control, mv, top, failed);
            }
        }
    }

    #[inline]
    fn add(&mut self, code: Code, start: u32, len: u32) {
        let hash = self.hash.of(&self.batch.bytes[start as usize..][..len as usize]);
        self.list.push(Successor { hash, code, start, len });
    }

    #[cold]
    fn walk(&mut self, machine: &mut dyn Machine, control: Control, mv: &Move, top: u32, failed: &mut Vec<Failed>) {
        struct Inner<'a> {
            to: &'a mut Successors,
            failed: &'a mut Vec<Failed>,
            code: Code,
        }
        impl Sink for Inner<'_> {
            fn arrive(&mut self, state: &[u8], path: &[Move]) {
                path.iter().for_each(|m| self.to.taken.note(m));
                let start = u32::try_from(self.to.batch.bytes.len()).expect("a batch stays below 4 GiB");
                self.to.batch.bytes.extend_from_slice(state);
                self.to.add(self.code, start, state.len() as u32);
                self.code.inner += 1;
            }
            fn fail(&mut self, failure: Failure, path: &[Move]) {
                self.failed.push((failure, path.to_vec()));
            }
            fn inner_step(&mut self) {
                self.to.atomic_steps += 1;
            }
        }
        let mut expander = std::mem::take(&mut self.expander);
        let start = std::mem::take(&mut self.inner);
        let mut sink = Inner { to: self, failed, code: Code { top, inner: 0 } };
        expander.walk(machine, &start, control, *mv, &mut sink);
        self.inner = start;
        self.expander = expander;
    }
}

/// Goes from `state` the way a code says; writes the state reached and adds the moves to `path`.
///
/// # Panics
/// Panics when there is no such way.
pub(crate) fn follow(machine: &mut dyn Machine, state: &mut Vec<u8>, code: Code, path: &mut Vec<Move>) {
    struct Pick<'a> {
        skip: u32,
        state: Vec<u8>,
        path: &'a mut Vec<Move>,
        found: bool,
    }
    impl Sink for Pick<'_> {
        fn arrive(&mut self, state: &[u8], path: &[Move]) {
            if self.skip == 0 && !self.found {
                self.state = state.to_vec();
                self.path.extend_from_slice(path);
                self.found = true;
            }
            self.skip = self.skip.saturating_sub(1);
        }
        fn fail(&mut self, _: Failure, _: &[Move]) {}
        fn inner_step(&mut self) {}
    }
    let mut moves = Moves::default();
    machine.moves(state, Control::Free, &mut moves);
    let mv = moves.list[code.top as usize];
    let mut next = Vec::new();
    let step = machine.apply(state, &mv, &mut next);
    if step.control == Control::Free {
        path.push(mv);
        *state = next;
        return;
    }
    let mut pick = Pick { skip: code.inner, state: Vec::new(), path, found: false };
    Expander::default().walk(machine, &next, step.control, mv, &mut pick);
    assert!(pick.found, "a code leads to the state it was made for");
    *state = pick.state;
}
