//! Stores that may take a new state for a stored one, and what that costs.
//!
//! - [`bitstate`]: a filter of bits (supertrace).
//! - [`hash_compact`]: a table of fingerprints.
//! - [`omission`]: predictions of omitted states. Pure arithmetic, tested against published figures and simulation.
//! - [`staging`]: the first states, before the memory of the store is touched.
//! - [`hash_cache`]: the last hashes of a worker. It only saves time: it can be changed without fear.
//!
//! Which bits or cells a hash leads to decides what is omitted: a change of it changes recorded counts, and the formulas of
//! [`omission`] hold only for independent places.

pub mod bitstate;
mod hash_cache;
pub mod hash_compact;
pub mod omission;
mod staging;
