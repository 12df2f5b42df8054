//! Searches over a [`ferrospin_system::Machine`].
//!
//! [`expand`] walks from a stored state to the next ones, through the states inside `atomic` that are never stored;
//! [`naive`] is the breadth-first search that serves as the oracle for every other one.

pub mod expand;
pub mod naive;
