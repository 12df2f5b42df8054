//! Checks of anything that has states: a [`Subject`] is searched, what is found is confirmed, and the answer is data.
//!
//! ```text
//! Subject --executors--> search x store x reduction x property --outcome--> reference executor --> report, trail
//! ```
//!
//! No file is opened here and nothing is printed; nothing is known of any language. What a language must say of itself is
//! [`subject`], where files come from is [`storage`].
//!
//! - [`options`] say what is asked for, [`refusal`] why nothing can be said.
//! - [`verify`] checks all properties of a subject, one after the other.
//! - [`safety`] and [`swarm`] search for what can go wrong, with short depth-first searches (`probe`) beside large breadth-first ones;
//!   [`cycles`] for runs without an end, by the searches of [`searching`]; [`formulas`] and [`testing`] say what a formula looks for.
//! - [`together`] searches for safety and for safety formulas at once.
//! - [`stores`] turns the choice of a store into a type: a new store is a match arm there.
//! - [`watch`] keeps the limits, [`ledger`] what was found so far.
//! - [`run`] takes a subject step by step and tells each step; [`trails`] confirms and replays such runs.
//! - [`explain`] says why a counterexample is one, `vacuous` which parts of a formula never happen, [`coverage`] what was executed.
//! - [`report`] is the answer.

mod advice;
pub mod coverage;
pub mod cycles;
pub mod explain;
pub mod formulas;
pub mod ledger;
pub mod options;
mod probe;
pub mod refusal;
pub mod report;
pub mod run;
pub mod safety;
pub mod searching;
pub mod storage;
pub mod stores;
pub mod subject;
pub mod swarm;
pub mod testing;
pub mod together;
pub mod trails;
mod unmatched;
mod vacuous;
pub mod verify;
pub mod watch;

pub use options::Options;
pub use refusal::{BadFormula, Refusal};
pub use subject::{Answer, Executors, Reference, Subject, Task};
pub use verify::check;

/// The version of the program, as the reports carry it.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
