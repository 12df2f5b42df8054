//! Exact breadth-first search of process graphs on one graphics processor.
//!
//! A model is packed into a few words a state ([`layout`]), by what interval analysis ([`intervals`]) and a sample ([`learn`])
//! tell of its values; process graphs become code over packed states ([`lower`]) in a small register form ([`code`]), together
//! with a fixed search ([`kernel`], [`table`]). The register form is printed as PTX ([`ptx`]) for the driver of the processor
//! ([`driver`]), and run by an emulator ([`emulate`]) where there is none: tests need no device. [`search`] is the host's side.
//!
//! Every store checks its range, so that what was learnt is never trusted: a value that does not fit ends the attempt, its field
//! is widened, and the search begins again. What a device finds is told as a path of moves, which the caller confirms.

mod ample;
mod automaton;
pub mod code;
pub mod device;
#[allow(unsafe_code)]
pub mod driver;
pub mod emulate;
mod intervals;
mod kernel;
mod layout;
mod learn;
mod lower;
mod places;
pub mod ptx;
mod search;
mod simplify;
pub mod table;
pub mod validate;
mod way;

pub use automaton::Automaton;
use ferrospin_model::ir::{EdgeId, Model, ProcessId};
pub use kernel::Sizes;
pub use search::{
    Ended, Failed, Fault, Figures, Found, Memory, Options, Progress, Sample, Violation, search, search_from,
};

/// Where a reason lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spot {
    /// A statement.
    Edge(EdgeId),
    /// A process type.
    Process(ProcessId),
}

/// Why a model does not go to a device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reason {
    /// The construct.
    pub what: String,
    /// Where it stands.
    pub spot: Spot,
}

/// Why a model does not go to a device, as far as its text tells; nothing for one that does, unless its states are too large or
/// its processes too many.
pub fn reasons(model: &Model) -> Vec<Reason> {
    layout::reasons(model)
}
