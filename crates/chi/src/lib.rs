//! The process language chi, its untimed part (Luttik and Trcka, "Stuttering Congruence for chi", SPIN 2005).
//!
//! - [`read`] makes a [`Program`] of a text, or says what is wrong with it; [`mod@print`] writes it.
//! - [`step`] is the operational semantics, [`graph`] what it makes: labelled transition systems for `lts`.
//! - [`equivalence`] decides stuttering bisimilarity, its form that is sensitive to interaction, and stuttering congruence.
//! - [`rules`] are laws of the language, [`normal`] brings a model by them into a form that has a translation, and
//!   [`promela`] translates it.
//!
//! Nothing here reads files.

pub mod equivalence;
pub mod graph;
pub mod normal;
mod parse;
pub mod print;
pub mod promela;
mod resolve;
pub mod rules;
pub mod step;
mod syntax;
pub mod term;

pub use term::{Process, Program, make};

use ferrospin_source::{Diagnostics, FileId, SourceMap};

/// Reads a file; `None` where something was wrong, which the diagnostics tell.
pub fn read(map: &SourceMap, file: FileId) -> (Option<Program>, Diagnostics) {
    let (tree, mut said) = parse::parse(map, file);
    if said.has_errors() {
        return (None, said);
    }
    let program = resolve::resolve(&tree, &mut said);
    (program.filter(|_| !said.has_errors()), said)
}
