//! Searches over a [`ferrospin_system::Machine`].
//!
//! For safety: [`levels`] is breadth first, [`depth`] depth first, with any store and any number of workers; [`walk`] goes
//! at random. [`emptiness`] looks for cycles. [`expand`] walks from a stored state to the next ones, through the states
//! inside `atomic` that are never stored. [`naive`] and [`cycles`] keep everything in memory, and serve as oracles for every
//! other search.
//!
//! Properties stand here, too: [`automaton`] multiplies a system with an automaton over its labels, [`monitor`] with a process of its own.
//! A state goes through the same pipeline in both searches for safety: `pipeline` takes moves in batches, `plain` is its form without
//! reduction, `reduced` the one with; both end in a store's `insert_batch`. `profiler` decides what a reduction is worth.
//!
//! What may be changed without fear: orders ([`levels`], [`depth`]) and algorithms in [`emptiness`], as long as the oracles agree
//! (`tests/`, on toy graphs; the package `oracle`, on models). `pipeline`, `plain` and `reduced` are hot: measure before and after.

// The graphs that tests share name the crate from outside.
#[cfg(test)]
extern crate self as ferrospin_search;

pub mod automaton;
pub mod checkpoint;
pub mod cycles;
pub mod depth;
pub mod emptiness;
pub mod expand;
pub mod hangs;
pub mod levels;
pub mod monitor;
pub mod naive;
mod numbers;
pub mod observe;
mod pipeline;
mod plain;
pub mod prefixes;
mod profiler;
pub mod random;
mod reduced;
pub mod safety;
mod sample;
mod segment;
pub mod shuffle;
mod successors;
mod tags;
mod team;
mod trail_log;
pub mod walk;

pub use pipeline::BoxMachine;
pub use sample::sample;
pub use team::Setup;
