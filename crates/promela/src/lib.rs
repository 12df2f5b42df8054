//! The front end of Promela: from bytes to a checked syntax tree.
//!
//! ```text
//! files --preprocess, containers--> expanded text + span map --parse--> ast::Program --names--> names::Names --types, lints--> diagnostics
//! ```
//!
//! Every stage returns a value *and* diagnostics, never panics and never stops at the first mistake. No stage reads a
//! file: included text comes through a [`preprocess::Loader`].

pub mod ast;
pub mod containers;
pub mod embedded;
mod formula;
pub mod lints;
pub mod names;
pub mod parse;
pub mod print;
pub mod types;

pub use ferrospin_cpp as preprocess;
use ferrospin_source::{Diagnostics, FileId, SourceMap, Span};
pub use formula::{Formula, read_formula};

/// A model that has been read: the tree, what its names mean, and all that was said about it.
pub struct Reading {
    /// The syntax tree; partial where there were errors.
    pub program: ast::Program,
    /// What the identifiers mean.
    pub names: names::Names,
    /// Errors, in source order. When `diagnostics.has_errors()`, the model must not be run.
    pub diagnostics: Diagnostics,
    /// `allow` and `deny` comments of the model.
    pub pragmas: Vec<preprocess::Pragma>,
    /// The macros that are defined behind the model.
    pub macros: preprocess::Macros,
    /// Where operations of containers were replaced: what is said of the style of such text says nothing of the model.
    pub replaced: Vec<Span>,
}

/// Reads a model: preprocesses, parses and resolves names. Lints are separate: see [`types`] and [`lints`].
pub fn read(
    map: &mut SourceMap,
    file: FileId,
    options: &preprocess::Options,
    loader: &mut dyn preprocess::Loader,
) -> Reading {
    let (mut expanded, mut diagnostics, macros) = preprocess::preprocess_keeping(map, file, options, loader);
    let (mut is_plain, mut replaced) = (true, Vec::new());
    if containers::is_asked_for(map.text(file)) {
        let (plain, said, spans) = containers::rewrite(&expanded);
        (expanded, replaced) = (plain, spans);
        is_plain = !said.has_errors();
        diagnostics.extend(said);
    }
    let (program, said) = parse::parse(map, &expanded);
    let (names, more) = names::resolve(map, &program);
    // What is wrong with a container makes nonsense of what is behind.
    if is_plain {
        diagnostics.extend(said);
        diagnostics.extend(more);
    }
    diagnostics.sort(map);
    Reading { program, names, diagnostics, pragmas: expanded.pragmas, macros, replaced }
}
