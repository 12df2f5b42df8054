//! Tree compression: states as pairs of interned parts.
//!
//! - [`learn`], [`plan`]: from a sample of states to a tree over byte positions. Only the size of the store depends on them.
//! - [`shape`]: the tree of one length of states: leaves, nodes, template.
//! - [`key`]: the bits of a leaf, or two child numbers, as words.
//! - [`nodes`]: the tables below the roots, and the way of a state through them; [`node_cache`] only saves time.
//! - [`two_leaf`], [`two_leaf_layout`]: the fast path for states that are two leaves, 64 at a time; equal to [`nodes`] by tests.
//! - [`root_handle`]: what the tree store and the compact store ([`crate::quotient`]) share.
//! - [`pairs`], [`tree_store`]: roots under dense numbers, and the store [`tree_store::Tree`].

pub(crate) mod key;
mod learn;
mod node_cache;
pub(crate) mod nodes;
pub(crate) mod pairs;
mod plan;
pub(crate) mod root_handle;
pub(crate) mod shape;
pub(crate) mod tree_store;
mod two_leaf;
mod two_leaf_layout;
