//! Searches over a [`ferrospin_system::Machine`].
//!
//! [`expand`] walks from a stored state to the next ones, through the states inside `atomic` that are never stored;
//! [`naive`] is the breadth-first search, [`cycles`] the search for cycles; both serve as oracles for every other one.

pub mod cycles;
pub mod expand;
pub mod naive;
pub mod safety;
