//! Searches over a [`ferrospin_system::Machine`].
//!
//! [`expand`] walks from a stored state to the next ones, through the states inside `atomic` that are never stored;
//! [`naive`] is the breadth-first search, [`cycles`] the search for cycles; both serve as oracles for every other one.
//! [`levels`] is the breadth-first search that does the work, with any store and any number of workers.

pub mod checkpoint;
pub mod cycles;
pub mod depth;
pub mod expand;
pub mod levels;
pub mod naive;
pub mod observe;
mod plain;
pub mod random;
pub mod safety;
mod sample;
mod segment;
pub mod shuffle;
mod successors;
mod tags;
mod trail_log;
pub mod walk;
mod worker;

pub use sample::sample;
pub use worker::BoxMachine;
pub mod emptiness;
