//! What happens inside a step, for people.
//!
//! A search needs the successor only; a simulation also shows what was printed, sent and received on the way,
//! and in which order, because one `d_step` may do all of that several times. Nothing is recorded unless asked for.

use ferrospin_model::ir::Scalar;

/// One thing that happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Entry {
    /// A `printf` or `printm` printed this.
    Printed(String),
    /// A message went into a channel, or to the partner of a handshake.
    Sent {
        /// Number of the channel.
        channel: i32,
        /// The fields, as they were stored.
        message: Vec<i32>,
    },
    /// A message was received.
    Received {
        /// Number of the channel.
        channel: i32,
        /// The fields.
        message: Vec<i32>,
    },
    /// A process was started.
    Started(usize),
    /// A process ended.
    Ended(usize),
    /// An assignment could not keep the whole value.
    Cut {
        /// What should have been stored.
        value: i32,
        /// How it is kept.
        scalar: Scalar,
    },
}
