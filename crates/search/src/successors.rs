//! The successors of a few states at a time, kept in buffers that are used again and again.
//!
//! A search takes the moves of several states first, hashes and prefetches what they lead to, and only then asks the
//! store: the misses of the table overlap instead of adding up. Nothing is allocated once the buffers have grown.

use crate::expand::{Expander, Sink};
use ferrospin_system::{Control, Failure, Machine, Move, StateHash};

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
    buffer: u32,
}

/// Something went wrong, at the end of this path from the state that was expanded.
pub(crate) type Failed = (Failure, Vec<Move>);

/// Which edges were taken.
#[derive(Clone, Debug)]
pub(crate) struct Taken(pub(crate) Vec<bool>);

impl Taken {
    #[inline]
    fn note(&mut self, mv: &Move) {
        for e in [mv.edge, mv.partner_edge, mv.claim] {
            if let Some(t) = self.0.get_mut(e as usize) {
                *t = true;
            }
        }
    }
}

/// The buffers.
pub(crate) struct Successors {
    hash: StateHash,
    pool: Vec<Vec<u8>>,
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
            pool: vec![Vec::new()],
            list: Vec::new(),
            expander: Expander::default(),
            inner: Vec::new(),
            taken: Taken(vec![false; edges]),
            atomic_steps: 0,
        }
    }

    /// Forgets the successors.
    pub(crate) fn clear(&mut self) {
        self.list.clear();
    }

    /// The state of a successor.
    pub(crate) fn state(&self, s: &Successor) -> &[u8] {
        &self.pool[s.buffer as usize]
    }

    /// Takes one move of `state`, the one with index `top`, and adds where it leads.
    #[inline]
    pub(crate) fn take(
        &mut self,
        machine: &mut dyn Machine,
        state: &[u8],
        mv: &Move,
        top: u32,
        failed: &mut Vec<Failed>,
    ) {
        let buffer = self.list.len();
        let step = machine.apply(state, mv, &mut self.pool[buffer]);
        if let Some(f) = step.failure {
            failed.push((f, vec![*mv]));
        }
        if !step.proceeds {
            return;
        }
        if step.control == Control::Free {
            self.taken.note(mv);
            self.add(Code { top, inner: 0 });
        } else {
            std::mem::swap(&mut self.inner, &mut self.pool[buffer]);
            self.walk(machine, step.control, mv, top, failed);
        }
    }

    /// The state in the first free buffer is a successor.
    #[inline]
    fn add(&mut self, code: Code) {
        let buffer = self.list.len();
        let hash = self.hash.of(&self.pool[buffer]);
        self.list.push(Successor { hash, code, buffer: buffer as u32 });
        if self.pool.len() == self.list.len() {
            self.pool.push(Vec::new());
        }
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
                let buffer = self.to.list.len();
                self.to.pool[buffer].clear();
                self.to.pool[buffer].extend_from_slice(state);
                self.to.add(self.code);
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
    let mut moves = ferrospin_system::Moves::default();
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
