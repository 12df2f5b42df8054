//! The façade: everything the program `ferrospin` can do, for other programs.
//!
//! ```text
//! path --files--> text --front--> Front (tree, names, types, diagnostics) --verify--> Verification --report--> text, JSON
//! ```
//!
//! This is the only crate below the program that touches files. Searches, stores and reductions are joined in [`ferrospin_check`], for
//! any subject; Promela is one of them ([`subject`]).
//!
//! - [`files`] reads models and what they include.
//! - [`front`] runs the front end and the lints, and applies what is allowed and denied.
//! - [`verify`] says what a check may be asked for, and runs it.
//! - [`gpu`] searches on a graphics processor.
//! - [`reduction`] tells the reduction what is known of a model.
//! - [`report`] is what a check answers, as data and as text.
//! - [`languages`] are the kinds of files that can be checked.
//! - [`subject`] is Promela as checks see it.
//! - [`run`] is a model that can be run step by step; [`trails`] writes, reads and replays such runs.
//! - [`rust`] is for models written in Rust.
//! - [`graphs`] draws process graphs.
//! - [`behaviour`] makes labelled transition systems of models.
//! - [`chi`] reads models in chi and translates them.
//! - [`groups`] makes nets of models, group by group; [`growth`] shows that a channel grows for ever.
//! - [`guard`] ends what does not end within its limits.
//! - [`memory`] says how much memory there is and how much was taken.
//! - [`outputs`] writes files, and never over something else by mistake.
//! - [`pan`] searches as SPIN's verifier does, with a trail for every error.
//! - [`under`] plans searches with too strong a reduction, by what [`sensitive`] says of moves.
//! - [`suggest`] finds statements that could be one step.
//! - [`stack`] runs a computation where deep recursion is safe.

pub mod behaviour;
mod checkpoints;
pub mod chi;
pub mod compiler;
mod ending;
mod executors;
pub mod files;
mod formula;
pub mod front;
pub mod gpu;
pub mod graphs;
pub mod groups;
pub mod growth;
pub mod guard;
pub mod languages;
mod liveness;
pub mod memory;
pub mod outputs;
mod overflow;
pub mod pan;
pub mod prepare;
pub mod protocols;
pub mod reduction;
pub mod report;
pub mod run;
pub mod rust;
mod self_check;
pub mod sensitive;
pub mod stack;
pub mod subject;
pub mod suggest;
mod together;
pub mod trails;
pub mod under;
pub mod verify;

pub use ferrospin_check as check;
use ferrospin_check::{safety, watch};

/// The version of the program, as `--version` prints it and as the reports carry it.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
