//! The fast path: ample sets of one process, for whole batches of states.
//!
//! - [`configuration`]: which processes exist, recognised by comparing a few bytes, and where each of them stands.
//! - [`interference`]: a bit matrix from which the processes that need no other are read off.
//! - [`single_process`]: the choice among them; the definition of what the other files compute faster.
//! - [`batch`]: the choice for a run of states at once.
//! - [`enabled_key`], [`selection_cache`]: choices made before, by placement and enabled moves.
//!
//! The caches only save time and may be changed without fear. Everything must equal [`single_process`] without the matrix:
//! the deliberate mistakes of [`crate::stubborn::Weakening`] run without it, and `testkit::reduced` compares both.

pub(crate) mod batch;
pub(crate) mod configuration;
mod enabled_key;
pub(crate) mod interference;
mod selection_cache;
pub(crate) mod single_process;
