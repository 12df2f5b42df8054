//! Linear temporal logic: formulas and automata.
//!
//! - [`Formulas`] is the arena of formulas; [`parse`] reads text into it, and whoever has an expression tree of its own
//!   calls the constructors with propositions given by index. [`print()`] writes what [`parse`] reads.
//! - [`Formulas::nnf`] gives negation normal forms.
//!
//! Propositions are opaque: this crate keeps their text and knows nothing of the language they are written in.

mod atoms;
mod formula;
mod lex;
mod nnf;
mod operand;
mod parse;
mod print;

pub use atoms::{Atom, Atoms};
pub use formula::{AtomId, Flags, Formula, Formulas, Node, Op};
pub use parse::{DEPTH_MAX, Dialect, parse};
pub use print::{print, print_with};
