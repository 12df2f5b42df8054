//! How visited states are kept: every [`ferrospin_system::Store`].
//!
//! | store | keeps | bytes a state, about |
//! |---|---|---|
//! | [`Exact`] | every state in full | its length + 16 |
//! | [`Packed`] | the bits in which states differ, as numbers | 6 to 13 |
//! | [`Tree`] | pairs of shared parts, with small numbers | 10 to 12 |
//! | [`Collapse`] | numbers of shared components | 20 to 30 |
//! | [`Compact`] | pairs of shared parts | 6 to 8 |
//! | [`Compact::roomy`] | the same, faster | 7 to 10 |
//!
//! All are shared by the workers of a search. The head of each module says what several of them write.
//!
//! Lossy stores are in [`bitstate`] and [`hash_compact`], what they omit in [`omission`]; the minimised automaton is in
//! [`automaton`].
//!
//! Folders: `memory` (blocks, budgets, arenas), `table` (the lock-free index and the exact store), `tree` (tree compression),
//! `packed` (the packed store), `quotient` (the quotient table, and the compact store), `lossy`, `safepoint` (where tables may change), `automaton`. Each says in its `mod.rs`
//! what may be changed without fear. A new store is a file that implements [`ferrospin_system::Store`] and an arm in the
//! choice of stores above this crate.

// Tables that several threads fill without locks need it; every block states why it is sound.
#![allow(unsafe_code)]

pub mod automaton;
mod collapse;
mod lossy;
mod memory;
mod packed;
mod quotient;
mod safepoint;
mod table;
mod tree;

pub use lossy::{bitstate, hash_compact, omission};
pub use memory::{budget, refusal};
pub use safepoint::gate;

pub use collapse::{Collapse, CollapseHandle, Cuts};
pub use memory::budget::Budget;
pub use packed::store::{Packed, PackedHandle};
pub use quotient::compact::{Compact, CompactHandle};
pub use table::exact::{Exact, ExactHandle};
pub use tree::tree_store::{Tree, TreeHandle};

use std::sync::Arc;

/// Options of a store.
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

    /// A limit in bytes.
    pub fn limited(memory_limit_bytes: u64) -> Options {
        Options { memory_limit_bytes: Some(memory_limit_bytes), ..Options::default() }
    }

    /// The rest of a budget.
    pub fn shared(budget: Arc<Budget>) -> Options {
        Options { budget: Some(budget), ..Options::default() }
    }

    fn budget(&self) -> Arc<Budget> {
        self.budget.clone().unwrap_or_else(|| Budget::new(self.memory_limit_bytes))
    }
}
