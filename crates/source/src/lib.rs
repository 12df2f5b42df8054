//! Source text and what is said about it.
//!
//! - [`SourceMap`] owns the files and the table of expansions (macros, inlines), and turns a [`Span`] into
//!   lines and columns.
//! - [`Diagnostic`] is one message with a code, a primary span, labels, notes and suggestions.
//! - [`render`] draws diagnostics as text; [`report`] gives the same as data for JSON.
//! - [`lex`] is the lexer kit of small languages.
//! - [`printable`] shows characters that could steer a terminal.
//! - [`suggest`] finds the name that was probably meant.
//! - [`typed_index!`] defines numbers into tables.
//!
//! Nothing here reads files: whoever loads text adds it with [`SourceMap::add_file`].

mod diagnostic;
mod index;
pub mod lex;
mod map;
pub mod printable;
pub mod render;
pub mod report;
pub mod suggest;

pub use diagnostic::{Diagnostic, Diagnostics, Label, Severity, Suggestion};
pub use map::{Expansion, ExpansionId, ExpansionKind, FileId, Position, SourceMap, Span};
