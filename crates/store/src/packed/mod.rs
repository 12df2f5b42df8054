//! The packed store: states that take few bits, each as one number in one slot.
//!
//! - [`ranges`]: which values the bytes of a state have been seen to have, and the narrowest bits for them.
//! - [`layout`]: from bytes to bits and back; one instruction a word of the state.
//! - [`layouts`]: the layouts of all lengths, and the number that each state has by them. Numbers never change.
//! - [`store`]: the store: numbers in a quotient table ([`crate::quotient::table`]), and beside it, as they are, the states that
//!   have no number.
//!
//! What is learnt decides about time and memory only: whatever the ranges, what is stored is the same.

mod layout;
mod layouts;
mod ranges;
pub(crate) mod store;
