//! How visited states are kept: every [`ferrospin_system::Store`].
//!
//! | store | keeps | bytes a state, about |
//! |---|---|---|
//! | [`Exact`] | every state in full | its length + 16 |
//! | [`Tree`] | pairs of shared parts, with small numbers | 10 to 12 |
//! | [`Collapse`] | numbers of shared components | 20 to 30 |
//! | [`Compact`] | pairs of shared parts | 6 to 8 |
//! | [`Compact::roomy`] | the same, faster | 7 to 10 |
//!
//! All are shared by the workers of a search. What is written by several of them is said at the head of each module.

// Tables that many threads fill without locks cannot be had otherwise; every block says why it is right.
#![allow(unsafe_code)]

mod arena;
pub mod automaton;
pub mod bitstate;
mod block;
pub mod budget;
mod bytes;
mod collapse;
mod compact;
mod couple;
mod couples;
mod exact;
mod forest;
pub mod gate;
mod growth;
pub mod hash_compact;
mod index;
mod interned;
mod key;
mod lately;
mod learn;
mod lines;
mod load;
mod mix;
mod nursery;
pub mod omission;
mod pairs;
mod plan;
mod probe;
mod recent;
pub mod refusal;
mod room;
mod rooted;
mod scan;
mod seat;
mod shape;
mod sift;
mod slot;
mod tree;
#[cfg(test)]
mod under_loom;
mod zeroed;

/// What the gate is made of: under loom it is compiled over other primitives.
mod sync {
    pub(crate) use std::sync::atomic::AtomicBool;
    pub(crate) use std::sync::{Condvar, Mutex, MutexGuard};
}

pub use budget::Budget;
pub use collapse::{Collapse, CollapseHandle, Cuts};
pub use compact::{Compact, CompactHandle};
pub use exact::{Exact, ExactHandle};
pub use tree::{Tree, TreeHandle};

use std::sync::Arc;

/// What a store is asked for.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Memory the store may take, in bytes; `None` is no limit.
    pub memory_limit_bytes: Option<u64>,
    /// A budget that is shared with others; goes before the limit.
    pub budget: Option<Arc<Budget>>,
    /// States like those that will come, from all over the state space: trees are learnt from them. Of lengths that have
    /// none, the first states that come are the sample.
    pub sample: Vec<Vec<u8>>,
}

impl Options {
    /// No limit at all.
    pub fn new() -> Options {
        Options::default()
    }

    /// At most so many bytes.
    pub fn limited(memory_limit_bytes: u64) -> Options {
        Options { memory_limit_bytes: Some(memory_limit_bytes), ..Options::default() }
    }

    /// What is left of a budget.
    pub fn shared(budget: Arc<Budget>) -> Options {
        Options { budget: Some(budget), ..Options::default() }
    }

    fn budget(&self) -> Arc<Budget> {
        self.budget.clone().unwrap_or_else(|| Budget::new(self.memory_limit_bytes))
    }
}
