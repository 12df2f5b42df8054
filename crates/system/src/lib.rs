//! The waist between anything that has states and any search.
//!
//! Vocabulary and traits only: what a state is, what a move is, what taking a move gives. A search sees a
//! [`Machine`]; whether an interpreter, machine code or another language stands behind it does not show.
//!
//! - A *state* is a byte slice. Equal states are equal bytes and nothing else. Its length may vary.
//! - A *move* names a process, one of its edges and, where two processes move together, the partner and its edge.
//! - A *step* is a move taken. A step may leave one process in [`Control::Exclusive`] control; such an *inner state* lies
//!   between two states of the state space and is not stored.
//! - *Labels* say what holds in a state: see [`Labels`]. Failures are codes that the subject names.
//!
//! No algorithm and no I/O live here.

mod batch;
mod hash;
mod monitor;
mod reduction;
mod store;

pub use batch::{Arrival, AtomicExits, Batch, StateRun};
pub use hash::StateHash;
pub use monitor::{MonitorEdge, MonitorStep, Monitored};
pub use reduction::{Offer, Preselection, Reduction, holds, members, states_of_run};
pub use store::{Found, Fresh, Handle, Indexed, Query, Span, Store};

/// One way to go on from a state.
///
/// The order of the fields is fixed: generated code writes moves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(C)]
pub struct Move {
    /// Number of the process that moves; [`NO_PROCESS`] when only the property moves.
    pub process: u8,
    /// The process that moves with it; [`NO_PROCESS`] when there is none.
    pub partner: u8,
    /// Whether the move is possible only because there is no other kind of move.
    pub timeout: bool,
    /// The property moves alone because no process can, and will move once more before the next stored state, as SPIN
    /// does it.
    pub stutter: bool,
    /// The edge taken; [`NO_EDGE`] when only the property moves.
    pub edge: u32,
    /// The edge the partner takes; [`NO_EDGE`] when there is none.
    pub partner_edge: u32,
    /// The edge that the property takes beside it, an automaton or a [monitor](Monitored); [`NO_EDGE`] when there is none or it does
    /// not move.
    pub property: u32,
}

/// No process: see [`Move`].
pub const NO_PROCESS: u8 = u8::MAX;
/// No edge: see [`Move`].
pub const NO_EDGE: u32 = u32::MAX;

impl Move {
    /// A move of one process alone.
    pub fn single(process: u8, edge: u32) -> Self {
        Move {
            process,
            edge,
            partner: NO_PROCESS,
            partner_edge: NO_EDGE,
            property: NO_EDGE,
            timeout: false,
            stutter: false,
        }
    }
}

/// Which processes may move next.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Control {
    /// All: an ordinary state.
    Free,
    /// Only this one: an inner state. If it cannot move, the state is an ordinary one after all.
    Exclusive(u8),
    /// The property moves once more before every process may: it is inside an `atomic` of its own, or goes on alone.
    Property,
}

/// What went wrong: a number that the subject names, and two operands for its message.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FailureCode {
    /// The number, which is the same for the same kind of failure.
    pub number: u16,
    /// See the subject; 0 where it has none.
    pub operands: [i32; 2],
}

impl FailureCode {
    /// A code without operands.
    pub fn new(number: u16) -> Self {
        FailureCode { number, operands: [0, 0] }
    }
}

/// What went wrong while testing or taking an edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Failure {
    /// What.
    pub code: FailureCode,
    /// At which edge.
    pub edge: u32,
    /// In which process; [`NO_PROCESS`] where it is in none.
    pub process: u8,
}

/// The moves of one state.
#[derive(Default, Debug)]
pub struct Moves {
    /// The moves, youngest process first, inside a process in order of preference.
    pub list: Vec<Move>,
    /// What went wrong while looking for moves; the edges concerned are not executable.
    pub failures: Vec<Failure>,
}

impl Moves {
    /// Forgets everything, keeps the memory.
    pub fn clear(&mut self) {
        self.list.clear();
        self.failures.clear();
    }
}

/// What a step gave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// Which processes may move next.
    pub control: Control,
    /// What went wrong, first thing only.
    pub failure: Option<Failure>,
    /// Whether there is a successor at all; a fatal failure has none.
    pub proceeds: bool,
}

/// Labels of a state: the propositions that hold in it, with four that have a meaning for every system.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Labels(pub u64);

impl Labels {
    /// No label.
    pub const NONE: Labels = Labels(0);
    /// It is fine to stop here.
    pub const END: Labels = Labels(1 << 63);
    /// Runs that pass such states again and again are accepted.
    pub const ACCEPT: Labels = Labels(1 << 62);
    /// Runs that pass such states again and again make progress.
    pub const PROGRESS: Labels = Labels(1 << 61);
    /// Something is under way that has been sent and not been received.
    pub const PENDING: Labels = Labels(1 << 60);
    /// Some proposition that was asked for cannot be evaluated; the answer says nothing about propositions.
    pub const UNKNOWN: Labels = Labels(1 << 59);
    /// How many propositions there can be; they are the lowest bits.
    pub const PROPOSITIONS_MAX: usize = 56;

    /// The labels of all propositions.
    pub const PROPOSITIONS: Labels = Labels((1 << Labels::PROPOSITIONS_MAX) - 1);

    /// The label of a proposition, by its number.
    ///
    /// # Panics
    /// Panics when the number is not below [`Labels::PROPOSITIONS_MAX`].
    pub fn proposition(number: usize) -> Labels {
        assert!(number < Labels::PROPOSITIONS_MAX, "propositions are numbered below {}", Labels::PROPOSITIONS_MAX);
        Labels(1 << number)
    }

    /// Whether some label is in both.
    #[inline]
    pub fn has(self, some: Labels) -> bool {
        self.0 & some.0 != 0
    }

    /// These labels, if the condition holds.
    #[inline]
    #[must_use]
    pub fn when(self, condition: bool) -> Labels {
        if condition { self } else { Labels::NONE }
    }
}

impl std::ops::BitOr for Labels {
    type Output = Labels;

    #[inline]
    fn bitor(self, other: Labels) -> Labels {
        Labels(self.0 | other.0)
    }
}

impl std::ops::Not for Labels {
    type Output = Labels;

    #[inline]
    fn not(self) -> Labels {
        Labels(!self.0)
    }
}

impl std::ops::BitAnd for Labels {
    type Output = Labels;

    #[inline]
    fn bitand(self, other: Labels) -> Labels {
        Labels(self.0 & other.0)
    }
}

/// An executor with its scratch memory; one per worker.
///
/// Four things it must do: [`Machine::initial`], [`Machine::moves`], [`Machine::apply`] and [`Machine::labels`]. The others are
/// capabilities, which make the same faster. None has a default, so that no wrapper loses them in silence; a machine that has none
/// says so by [`one_by_one!`].
pub trait Machine {
    /// The initial state.
    fn initial(&mut self, out: &mut Vec<u8>) -> Result<(), Failure>;

    /// All moves from a state. With [`Control::Exclusive`] only those of that process: none means it is blocked.
    fn moves(&mut self, state: &[u8], control: Control, out: &mut Moves);

    /// Takes a move of `state` and writes the successor.
    fn apply(&mut self, state: &[u8], mv: &Move, out: &mut Vec<u8>) -> Step;

    /// Finds all moves of an ordinary state, as [`Machine::moves`] does, and takes them all, as [`Machine::apply`] does;
    /// adds what they give to `out`. An executor may do this faster than one by one.
    fn expand(&mut self, state: &[u8], moves: &mut Moves, out: &mut Batch);

    /// Expands states of `len` bytes that stand one behind the other, up to the first at which something is out of the
    /// ordinary. Ordinary is that there are moves, all are taken, nothing fails, and every successor is an ordinary state as
    /// long as `states` are. An executor may do this much faster, and may stop whenever it likes, or never begin.
    ///
    /// The moves of ordinary states go to `run`, and their successors, one for each move, stand at even distances behind
    /// what was in [`Batch::bytes`]; the lists of the batch are left alone. True when one more state was expanded, the way
    /// [`Machine::expand`] does it; with [`StateRun::runs_on`], here too processes may have gone on that kept control. With
    /// [`StateRun::takes_ends`] a process may end: its successor stands in its place and is shorter ([`StateRun::ended`]).
    fn expand_run(&mut self, states: &[u8], len: usize, run: &mut StateRun, moves: &mut Moves, out: &mut Batch)
    -> bool;

    /// Goes on from an inner state as far as there is no choice: as long as the process in control has one move,
    /// which changes no state's length and does not fail, `state` becomes its successor and the move is added to `path`.
    /// Says which processes may move next. An executor may stop whenever it likes, or never begin.
    fn run_on(&mut self, state: &mut [u8], control: Control, path: &mut Vec<Move>) -> Control;

    /// Goes on from an inner state by every way, and adds the states in which control is free again to `out`, in the
    /// order of the ways. Ordinary is that nothing fails, no state's length changes, and every way has an end; false, and
    /// nothing was added, when something is not. An executor may say so whenever it likes.
    fn walk(&mut self, state: &[u8], control: Control, out: &mut Vec<u8>, ways: &mut AtomicExits) -> bool;

    /// Which of these labels a state has. Propositions are numbered by whoever makes the machine; one that it was not made
    /// for holds nowhere. An executor may leave out what was not asked for, and does so where it takes time.
    fn labels(&mut self, state: &[u8], asked: Labels) -> Labels;
}

/// Inside an implementation of [`Machine`]: it has no capability, and moves are found and taken one by one.
#[macro_export]
macro_rules! one_by_one {
    () => {
        fn expand(&mut self, state: &[u8], moves: &mut $crate::Moves, out: &mut $crate::Batch) {
            $crate::expand_one_by_one(self, state, moves, out);
        }

        fn expand_run(
            &mut self,
            _: &[u8],
            _: usize,
            run: &mut $crate::StateRun,
            _: &mut $crate::Moves,
            _: &mut $crate::Batch,
        ) -> bool {
            run.clear();
            false
        }

        fn run_on(&mut self, _: &mut [u8], control: $crate::Control, _: &mut Vec<$crate::Move>) -> $crate::Control {
            control
        }

        fn walk(&mut self, _: &[u8], _: $crate::Control, _: &mut Vec<u8>, _: &mut $crate::AtomicExits) -> bool {
            false
        }
    };
}

/// [`Machine::expand`] by [`Machine::moves`] and [`Machine::apply`].
pub fn expand_one_by_one(machine: &mut (impl Machine + ?Sized), state: &[u8], moves: &mut Moves, out: &mut Batch) {
    machine.moves(state, Control::Free, moves);
    let mut next = std::mem::take(&mut out.spare);
    for (top, mv) in moves.list.iter().enumerate() {
        let step = machine.apply(state, mv, &mut next);
        out.push(top as u32, &step, &next);
    }
    out.spare = next;
}

/// An executor whose type does not show; every capability is that of the executor inside.
impl<M: Machine + ?Sized> Machine for Box<M> {
    fn initial(&mut self, out: &mut Vec<u8>) -> Result<(), Failure> {
        (**self).initial(out)
    }

    fn moves(&mut self, state: &[u8], control: Control, out: &mut Moves) {
        (**self).moves(state, control, out);
    }

    fn apply(&mut self, state: &[u8], mv: &Move, out: &mut Vec<u8>) -> Step {
        (**self).apply(state, mv, out)
    }

    fn expand(&mut self, state: &[u8], moves: &mut Moves, out: &mut Batch) {
        (**self).expand(state, moves, out);
    }

    fn expand_run(
        &mut self,
        states: &[u8],
        len: usize,
        run: &mut StateRun,
        moves: &mut Moves,
        out: &mut Batch,
    ) -> bool {
        (**self).expand_run(states, len, run, moves, out)
    }

    fn run_on(&mut self, state: &mut [u8], control: Control, path: &mut Vec<Move>) -> Control {
        (**self).run_on(state, control, path)
    }

    fn walk(&mut self, state: &[u8], control: Control, out: &mut Vec<u8>, ways: &mut AtomicExits) -> bool {
        (**self).walk(state, control, out, ways)
    }

    fn labels(&mut self, state: &[u8], asked: Labels) -> Labels {
        (**self).labels(state, asked)
    }
}
