//! What generated code and the machine share.
//!
//! A [`Context`] is handed to every generated function. Its first part has a fixed layout and is read and written by
//! generated code through the offsets named in [`at`]; the rest belongs to the machine and to the helper functions.
//!
//! A failure is raised by writing it to the *slot*, the place `slot` points to. Code that tests edges then writes the
//! number of the edge beside it and moves the slot on, so that several failures of one location queue up; code that
//! takes an edge returns, and the machine reads the slot.

use crate::program::Program;
use crate::scan::{Frame, Scan};
use ferrospin_model::failure::FailureKind;
use ferrospin_system::{FailureCode, Move};

/// A generated function: context, state, frame, number of the process, one more argument; what it returns depends on
/// its purpose.
pub(crate) type Code = unsafe extern "C" fn(*mut Context, *mut u8, *mut u8, i32, i32) -> i64;

/// Where a channel stands; `shape` is 0 when there is no channel with that number.
#[repr(C)]
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) offset: u32,
    pub(crate) shape: u32,
}

/// A failure as generated code writes it.
#[repr(C)]
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct RawFailure {
    pub(crate) code: u32,
    pub(crate) a: i32,
    pub(crate) b: u32,
    pub(crate) edge: u32,
}

/// A bit of [`Context::slow_path`]: something failed, or the processes are not those for which the code was made.
pub(crate) const REDO: u32 = 2;

/// Bytes of a [`RawFailure`].
pub(crate) const RAW_SIZE: i32 = 16;

/// One field of a receive whose channel is only known at run time.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawPattern {
    /// One of the `PATTERN_` constants.
    pub(crate) kind: u32,
    /// What must be equal.
    pub(crate) value: i32,
    /// What went wrong while the value was looked for.
    pub(crate) failure: RawFailure,
}

/// Takes anything.
pub(crate) const PATTERN_ANY: i64 = 0;
/// Must be equal.
pub(crate) const PATTERN_MATCH: i64 = 1;
/// The value could not be found; it fails if the field is looked at.
pub(crate) const PATTERN_FAILED: i64 = 2;

/// See the module.
#[repr(C)]
pub(crate) struct Context {
    /// The state.
    pub(crate) base: *mut u8,
    /// The frames of the processes.
    pub(crate) frames: *const Frame,
    /// 256 entries, by number.
    pub(crate) channels: *const Entry,
    /// Where the next failure goes.
    pub(crate) slot: *mut RawFailure,
    /// The message of a handshake or an event.
    pub(crate) message: *mut i32,
    /// The arguments of a process that is being born.
    pub(crate) args: *mut i32,
    /// Answers of functions that test more than 64 edges.
    pub(crate) masks: *mut u64,
    /// Where the next successor goes.
    pub(crate) dest: *mut u8,
    /// Where the list of moves begins to which a driver adds; where the moves of its last state begin and end.
    pub(crate) moves: *mut Move,
    pub(crate) first: *mut Move,
    pub(crate) next: *mut Move,
    /// Bytes from one successor to the next.
    pub(crate) room: usize,
    pub(crate) process_count: u32,
    pub(crate) channel_count: u32,
    pub(crate) message_len: u32,
    pub(crate) timeout: u32,
    /// Channels before the process that is being born.
    pub(crate) channels_before: u32,
    /// Whether the event is a send.
    pub(crate) event_send: u32,
    /// The number of the channel of a handshake.
    pub(crate) number: i32,
    /// Not 0: some move that was found is still to be taken, or leaves its process in control, or [`REDO`].
    pub(crate) slow_path: u32,
    /// The first failure that does not stop the step.
    pub(crate) soft: RawFailure,

    // What follows is not touched by generated code.
    pub(crate) program: *const Program,
    /// The successor that is being made.
    pub(crate) out: *mut Vec<u8>,
    pub(crate) scan: Scan,
    /// Handshakes found by the test that runs.
    pub(crate) handshakes: Vec<Move>,
    /// Failures that were moved out of `slots`, in order.
    pub(crate) failures: Vec<(RawFailure, u8)>,
    pub(crate) slots: Vec<RawFailure>,
    pub(crate) message_list: Vec<i32>,
    pub(crate) args_list: Vec<i32>,
    pub(crate) masks_list: Vec<u64>,
    /// The state the scan was made for, and some bytes behind it.
    pub(crate) current: Vec<u8>,
    /// How many bytes of it are the state.
    pub(crate) current_len: usize,
}

/// Offsets of the fields generated code uses.
pub(crate) mod at {
    use super::{Context, RawFailure};
    use std::mem::offset_of;

    pub(crate) const BASE: i32 = offset_of!(Context, base) as i32;
    pub(crate) const FRAMES: i32 = offset_of!(Context, frames) as i32;
    pub(crate) const CHANNELS: i32 = offset_of!(Context, channels) as i32;
    pub(crate) const SLOT: i32 = offset_of!(Context, slot) as i32;
    pub(crate) const MESSAGE: i32 = offset_of!(Context, message) as i32;
    pub(crate) const ARGS: i32 = offset_of!(Context, args) as i32;
    pub(crate) const MASKS: i32 = offset_of!(Context, masks) as i32;
    pub(crate) const DEST: i32 = offset_of!(Context, dest) as i32;
    pub(crate) const MOVES: i32 = offset_of!(Context, moves) as i32;
    pub(crate) const FIRST: i32 = offset_of!(Context, first) as i32;
    pub(crate) const NEXT: i32 = offset_of!(Context, next) as i32;
    pub(crate) const ROOM: i32 = offset_of!(Context, room) as i32;
    pub(crate) const PROCESS_COUNT: i32 = offset_of!(Context, process_count) as i32;
    pub(crate) const CHANNEL_COUNT: i32 = offset_of!(Context, channel_count) as i32;
    pub(crate) const MESSAGE_LEN: i32 = offset_of!(Context, message_len) as i32;
    pub(crate) const TIMEOUT: i32 = offset_of!(Context, timeout) as i32;
    pub(crate) const CHANNELS_BEFORE: i32 = offset_of!(Context, channels_before) as i32;
    pub(crate) const EVENT_SEND: i32 = offset_of!(Context, event_send) as i32;
    pub(crate) const NUMBER: i32 = offset_of!(Context, number) as i32;
    pub(crate) const SLOW_PATH: i32 = offset_of!(Context, slow_path) as i32;
    pub(crate) const SOFT: i32 = offset_of!(Context, soft) as i32;

    pub(crate) const CODE: i32 = offset_of!(RawFailure, code) as i32;
    pub(crate) const A: i32 = offset_of!(RawFailure, a) as i32;
    pub(crate) const B: i32 = offset_of!(RawFailure, b) as i32;
    pub(crate) const EDGE: i32 = offset_of!(RawFailure, edge) as i32;
}

/// What went wrong, as a number; 0 means nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub(crate) enum Fault {
    Assertion = 1,
    Index,
    DivisionByZero,
    BlockedDStep,
    EndlessDStep,
    RendezvousInDStep,
    TooManyProcesses,
    TooManyChannels,
    MessageArity,
    NoChannel,
    DeadChannel,
    PollRendezvous,
    Nondeterminism,
    TraceMismatch,
    TraceChoice,
    NoTraceMatched,
    ClaimEnd,
    /// Foreign code without a meaning.
    Foreign,
    /// A failure of foreign code, by its number.
    Called,
    /// The move cannot be taken in this state: the caller broke the rules.
    Broken,
}

impl RawFailure {
    /// A failure without values.
    pub(crate) fn new(fault: Fault) -> Self {
        RawFailure { code: fault as u32, a: 0, b: 0, edge: 0 }
    }

    /// A failure of foreign code.
    pub(crate) fn called(number: u32) -> Self {
        RawFailure { code: Fault::Called as u32, a: 0, b: number, edge: 0 }
    }

    /// A message of `given` fields for a channel of `expected`.
    pub(crate) fn arity(given: usize, expected: usize) -> Self {
        RawFailure { code: Fault::MessageArity as u32, a: given.min(255) as i32, b: expected.min(255) as u32, edge: 0 }
    }

    /// What it means.
    fn kind(self) -> FailureKind {
        use Fault as F;
        const KINDS: [(Fault, FailureKind); 15] = [
            (F::Assertion, FailureKind::Assertion),
            (F::DivisionByZero, FailureKind::DivisionByZero),
            (F::BlockedDStep, FailureKind::BlockedDStep),
            (F::EndlessDStep, FailureKind::EndlessDStep),
            (F::RendezvousInDStep, FailureKind::RendezvousInDStep),
            (F::TooManyProcesses, FailureKind::TooManyProcesses),
            (F::TooManyChannels, FailureKind::TooManyChannels),
            (F::NoChannel, FailureKind::NoChannel),
            (F::DeadChannel, FailureKind::DeadChannel),
            (F::PollRendezvous, FailureKind::PollRendezvous),
            (F::Nondeterminism, FailureKind::Nondeterminism),
            (F::TraceMismatch, FailureKind::TraceMismatch),
            (F::TraceChoice, FailureKind::TraceChoice),
            (F::NoTraceMatched, FailureKind::NoTraceMatched),
            (F::ClaimEnd, FailureKind::ClaimEnd),
        ];
        if self.code == F::Index as u32 {
            return FailureKind::Index { index: self.a, len: self.b };
        }
        if self.code == F::MessageArity as u32 {
            return FailureKind::MessageArity { given: self.a as u8, expected: self.b as u8 };
        }
        if self.code == F::Called as u32 {
            return FailureKind::Called(self.b);
        }
        assert_ne!(self.code, F::Broken as u32, "the move is not one of this state");
        let plain = KINDS.iter().find(|(f, _)| *f as u32 == self.code).map(|(_, k)| *k);
        plain.unwrap_or(FailureKind::Foreign)
    }

    /// Its code.
    pub(crate) fn failure_code(self) -> FailureCode {
        let kind = self.kind();
        FailureCode { number: kind.number(), operands: kind.operands() }
    }
}

impl Context {
    /// Raises a failure from a helper function.
    pub(crate) fn raise(&mut self, failure: RawFailure) {
        // SAFETY: `slot` points into `slots`, which the machine sizes for two failures per edge of a location.
        unsafe { *self.slot = failure };
    }

    /// Notes a failure that does not stop the step; only the first counts.
    pub(crate) fn note(&mut self, failure: RawFailure) {
        if self.soft.code == 0 {
            self.soft = failure;
        }
    }

    /// Moves the failures that stand in the slots, of process `pid`, to the list.
    pub(crate) fn drain(&mut self, pid: u8) {
        let start = self.slots.as_mut_ptr();
        let count = (self.slot as usize - start as usize) / size_of::<RawFailure>();
        self.slot = start;
        self.failures.extend(self.slots[..count].iter().map(|f| (*f, pid)));
    }
}
