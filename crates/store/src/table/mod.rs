//! The lock-free hash index, what is stored under its numbers, and the exact store made of both.
//!
//! - [`slot`], [`probe`]: the protocol by which workers find and fill slots; tried under loom. Change it only with its tests.
//! - [`scan`]: vector instructions that compare all slots of a cache line.
//! - [`index`], [`load`], [`growth`]: segments of slots, when they grow, and how all workers move them together.
//! - [`interned`]: keys under dense numbers, for components and tree nodes.
//! - [`exact`], [`insert_batch`]: the exact store and its hot loop, which is measured: compare `bench` before and after.
//! - [`state_cache`]: the last states of a worker. It only saves time: it can be changed without fear.

pub(crate) mod exact;
mod growth;
pub(crate) mod index;
pub(crate) mod insert_batch;
pub(crate) mod interned;
pub(crate) mod load;
pub(crate) mod probe;
mod scan;
pub(crate) mod slot;
pub(crate) mod state_cache;
