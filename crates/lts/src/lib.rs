//! Labelled transition systems: graphs that were explored or read.
//!
//! The waist between whatever has states and the questions about behaviour as such. Two graphs are compared, one is made smaller, some
//! are composed; a "no" comes with a formula that tells them apart.
//!
//! - [`Graph`] is the compact form, [`aut`] and [`dot`] are its texts.
//! - [`equivalence`] finds equivalent states by refinement, and makes the smallest graph.
//! - [`compare`] says whether two graphs are equivalent; a [`formula`] tells them apart when they are not. [`certify`] and
//!   [`evaluate`] judge what it says.
//! - [`written`] keeps formulas as lines.
//! - [`traces`] and [`simulation`] are coarser: what can be seen of runs, and which states can answer the steps of which.
//! - [`operations`] change one graph, [`product`] composes several.
//! - [`mu`] says where formulas of the alternation-free mu-calculus hold.
//!
//! Nothing here reads files; what may take long asks a [`Watch`] whether to go on.

pub mod aut;
pub mod certify;
pub mod compare;
mod components;
pub mod distinguish;
pub mod dot;
pub mod equivalence;
pub mod evaluate;
pub mod formula;
mod graph;
pub mod mu;
pub mod operations;
mod partition;
pub mod product;
mod refine;
mod signatures;
pub mod simulation;
pub mod traces;
mod valuing;
mod watch;
mod weak;
pub mod written;

pub use equivalence::Notion;
pub use graph::{Builder, Edge, Graph, Label, Labels, Proposition, State, TAU_TEXT, Valuation};
pub use valuing::Valuing;
pub use watch::{Stopped, Unwatched, Watch};
