//! Safe points: where the workers of a store meet so that tables can be changed.
//!
//! - [`gate`]: the protocol: enter, park, do the maintenance, leave.
//! - [`registration`]: a worker's membership, held by its handle; left when the handle is dropped.
//! - `under_loom`: the gate and the slots of [`crate::table::probe`] under every order of memory accesses.
//!
//! A change of the gate must keep the loom tests and their mutants: each mutant must still be caught.

pub mod gate;
pub(crate) mod registration;
#[cfg(test)]
mod under_loom;

/// Primitives of the gate: under loom it is compiled a second time over loom's own.
mod sync {
    pub(crate) use std::sync::atomic::AtomicBool;
    pub(crate) use std::sync::{Condvar, Mutex, MutexGuard};
}
