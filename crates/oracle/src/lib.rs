//! Every way to check a model, against naive searches over the reference executor.
//!
//! A text is read and searched naively once ([`base`]): all states without any reduction, and for every property about
//! cycles the whole product. Then it is checked in the ways that people choose from ([`ways`]), and the answers are
//! compared ([`compare`]):
//!
//! - what `check` does without options has the verdicts of the naive searches, and so has `--plain`;
//! - every order, store, engine and number of workers without reduction has the counts, too; lossy stores stay below and
//!   find nothing that is not there; reductions and passes change no verdict;
//! - every algorithm for cycles, with and without reduction and fairness, has the verdict of the naive product;
//! - a violation can be replayed, a random run fails only where a search finds a violation, and the printed program reads
//!   as the same tree.
//!
//! [`chi`] does so for models in chi and their translations.
//!
//! An internal error or a panic is a difference. What differs is made smaller by [`shrink`], and kept as a file of
//! [`found`]. Programs come from `ferrospin_testkit::language` and `generate`; [`seeds`] says which seed gives which.

pub mod base;
pub mod chi;
pub mod compare;
pub mod found;
mod runs;
pub mod seeds;
pub mod shrink;
pub mod ways;

pub use ferrospin_promela::print::program as printed;

pub use compare::{Amount, Difference, Judgement, Tally, judge};
