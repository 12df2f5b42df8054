//! What can go wrong in a run of a model: codes, texts and categories.
//!
//! Executors report a failure as a number and two operands, because the vocabulary of systems has no failures of its own. A
//! [`FailureKind`] is what the number means here. Numbers are written to no file; texts and categories are read by people
//! and scripts, and stay.

use thiserror::Error;

/// What can go wrong in a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[allow(missing_docs)]
pub enum FailureKind {
    #[error("assertion violated")]
    Assertion,
    #[error("index {index} is outside the array of {len}")]
    Index { index: i32, len: u32 },
    #[error("division by zero")]
    DivisionByZero,
    #[error("`d_step` blocks behind its first statement")]
    BlockedDStep,
    #[error("`d_step` does not end")]
    EndlessDStep,
    #[error("handshake inside `d_step`")]
    RendezvousInDStep,
    #[error("more than 255 processes")]
    TooManyProcesses,
    #[error("more than 255 channels")]
    TooManyChannels,
    #[error("message has {given} fields, the channel holds {expected}")]
    MessageArity { given: u8, expected: u8 },
    #[error("use of a channel variable that holds no channel")]
    NoChannel,
    #[error("use of a channel whose process has ended")]
    DeadChannel,
    #[error("poll of a rendezvous channel")]
    PollRendezvous,
    #[error("another process has claimed this end of the channel with `{}`", if *.receives { "xr" } else { "xs" })]
    Exclusive { receives: bool },
    #[error("two executable statements in a D_proctype")]
    Nondeterminism,
    #[error("event does not match the `trace`")]
    TraceMismatch,
    #[error("two events of the `trace` match at once")]
    TraceChoice,
    #[error("run matches the `notrace`")]
    NoTraceMatched,
    #[error("the claim has reached its end")]
    ClaimEnd,
    #[error("statement cannot be executed: embedded C")]
    Foreign,
    #[error("embedded C fails")]
    Called(u32),
}

/// The kinds by number, their operands left aside.
const KINDS: [FailureKind; 20] = [
    FailureKind::Assertion,
    FailureKind::Index { index: 0, len: 0 },
    FailureKind::DivisionByZero,
    FailureKind::BlockedDStep,
    FailureKind::EndlessDStep,
    FailureKind::RendezvousInDStep,
    FailureKind::TooManyProcesses,
    FailureKind::TooManyChannels,
    FailureKind::MessageArity { given: 0, expected: 0 },
    FailureKind::NoChannel,
    FailureKind::DeadChannel,
    FailureKind::PollRendezvous,
    FailureKind::Exclusive { receives: false },
    FailureKind::Nondeterminism,
    FailureKind::TraceMismatch,
    FailureKind::TraceChoice,
    FailureKind::NoTraceMatched,
    FailureKind::ClaimEnd,
    FailureKind::Foreign,
    FailureKind::Called(0),
];

impl FailureKind {
    /// The word under which reports file it.
    pub fn category(self) -> &'static str {
        match self {
            FailureKind::Assertion => "assertion",
            FailureKind::ClaimEnd => "never-claim",
            FailureKind::TraceMismatch | FailureKind::TraceChoice | FailureKind::NoTraceMatched => "trace",
            _ => "runtime",
        }
    }

    /// Its number.
    pub fn number(self) -> u16 {
        let is_it = |kind: &FailureKind| std::mem::discriminant(kind) == std::mem::discriminant(&self);
        KINDS.iter().position(is_it).expect("every kind is listed") as u16
    }

    /// Its operands.
    pub fn operands(self) -> [i32; 2] {
        match self {
            FailureKind::Index { index, len } => [index, len as i32],
            FailureKind::MessageArity { given, expected } => [given.into(), expected.into()],
            FailureKind::Exclusive { receives } => [receives.into(), 0],
            FailureKind::Called(number) => [number as i32, 0],
            _ => [0, 0],
        }
    }

    /// What a number and operands mean; `None` where the number is none of these.
    pub fn of(number: u16, [a, b]: [i32; 2]) -> Option<FailureKind> {
        let kind = *KINDS.get(usize::from(number))?;
        Some(match kind {
            FailureKind::Index { .. } => FailureKind::Index { index: a, len: b as u32 },
            FailureKind::MessageArity { .. } => FailureKind::MessageArity { given: a as u8, expected: b as u8 },
            FailureKind::Exclusive { .. } => FailureKind::Exclusive { receives: a != 0 },
            FailureKind::Called(_) => FailureKind::Called(a as u32),
            kind => kind,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_comes_back_from_its_number_and_operands() {
        let with_operands = [
            FailureKind::Index { index: -3, len: u32::MAX },
            FailureKind::MessageArity { given: 255, expected: 1 },
            FailureKind::Exclusive { receives: true },
            FailureKind::Called(u32::MAX),
        ];
        for kind in KINDS.into_iter().chain(with_operands) {
            assert_eq!(FailureKind::of(kind.number(), kind.operands()), Some(kind));
        }
        assert_eq!(FailureKind::of(KINDS.len() as u16, [0, 0]), None);
        assert_eq!(FailureKind::Index { index: 3, len: 2 }.to_string(), "index 3 is outside the array of 2");
    }
}
