//! How a successor was reached: enough to find the way again, and a note of the edges that were taken.

use crate::expand::{Expander, Sink};
use ferrospin_system::{Control, Failure, Machine, Move, Moves, NO_EDGE};

/// How a stored state was reached from its parent: the index of the move, and which of the arrivals through the states
/// inside `atomic`. Enough to find the moves again, in one or two bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Code {
    /// Index into the moves of the parent.
    pub(crate) top: u32,
    /// Number of arrivals by that move before this one.
    pub(crate) inner: u32,
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
        if mv.partner_edge & mv.property != NO_EDGE {
            self.mark(mv.partner_edge);
            self.mark(mv.property);
        }
    }
}

/// Where a code leads from a state of which these are the moves; `None` when it leads nowhere.
pub(crate) fn lead(machine: &mut dyn Machine, state: &[u8], moves: &Moves, code: Code) -> Option<Vec<u8>> {
    struct Pick(u32, Option<Vec<u8>>);
    impl Sink for Pick {
        fn arrive(&mut self, state: &[u8], _: &[Move]) {
            if self.0 == 0 && self.1.is_none() {
                self.1 = Some(state.to_vec());
            }
            self.0 = self.0.saturating_sub(1);
        }
        fn fail(&mut self, _: Failure, _: &[Move]) {}
        fn inner_step(&mut self) {}
    }
    let mv = moves.list.get(code.top as usize)?;
    let mut next = Vec::new();
    let step = machine.apply(state, mv, &mut next);
    if step.control == Control::Free {
        return (step.proceeds && code.inner == 0).then_some(next);
    }
    let mut pick = Pick(code.inner, None);
    Expander::default().walk(machine, &next, step.control, *mv, &mut pick);
    pick.1
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
