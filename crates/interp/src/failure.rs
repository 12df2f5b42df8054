//! Failures of a model between the executors' codes and what they mean.

use ferrospin_model::failure::FailureKind;
use ferrospin_system::FailureCode;

/// The code of a failure.
pub fn failure_code(kind: FailureKind) -> FailureCode {
    FailureCode { number: kind.number(), operands: kind.operands() }
}

/// What a code of an executor of process graphs means.
///
/// # Panics
/// Panics when it comes from no such executor.
pub fn failure_kind(code: FailureCode) -> FailureKind {
    FailureKind::of(code.number, code.operands).expect("a code of an executor of process graphs")
}
