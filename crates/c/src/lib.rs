//! The front end of C: C11 with the GNU extensions of real code.
//!
//! ```text
//! files --cpp--> tokens --parse--> tree::Unit (typed, constants folded) --lower--> flow::Flow (control-flow automata)
//! ```
//!
//! Reading is tolerant: a mistake in a function loses that function only. Messages point into the text of the user, also
//! through macros. Nothing here reads a file: included text comes through a [`Loader`].

pub mod flow;
pub mod fold;
mod layout;
mod literal;
mod parse;
pub mod tree;
pub mod types;
mod word;

pub use ferrospin_cpp::{Define, Dialect, Loader, Options, Target};
use ferrospin_source::{Diagnostics, FileId, SourceMap};

/// A unit that has been read.
pub struct Reading {
    /// The typed tree; functions with errors have no body.
    pub unit: tree::Unit,
    /// All that was said.
    pub diagnostics: Diagnostics,
    /// How many functions were lost to errors.
    pub lost: u32,
}

/// Reads a unit: preprocesses, parses and types it.
pub fn read(
    map: &mut SourceMap,
    file: FileId,
    options: &Options,
    dialect: &Dialect,
    loader: &mut dyn Loader,
) -> Reading {
    let (mut pieces, mut diagnostics) = ferrospin_cpp::tokens(map, file, options, dialect, loader);
    let mut parser = parse::Parser::new(map, &mut pieces, dialect.target);
    parser.read_unit();
    let (unit, said, lost) = (parser.unit, parser.diagnostics, parser.lost);
    diagnostics.extend(said);
    diagnostics.sort(map);
    Reading { unit, diagnostics, lost }
}
