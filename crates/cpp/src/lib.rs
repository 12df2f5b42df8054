//! The preprocessor: what `gcc -E` does, built in, with positions.
//!
//! Promela takes [`preprocess`], which gives text as `gcc -std=gnu99 -E -x c` prints it; C takes [`tokens`].
//!
//! ```text
//! lex --directive (define, condition, include)--> expand --substitute--> output
//! ```
//!
//! [`lex`] reads tokens of a file; [`expand`] replaces macros with the algorithm of GNU cpp, over an explicit stack of
//! contexts, so that no input makes it recurse; [`output`] prints tokens with gcc's newlines and remembers where each
//! came from. Everything is bounded (see [`limits`]): input that would grow without end is an error.

mod builtin;
mod call;
mod condition;
mod constant;
mod define;
mod dialect;
mod directive;
mod expand;
mod include;
mod lex;
mod limits;
mod macros;
mod output;
mod pragma;
mod reader;
mod state;
mod substitute;
mod token;

pub use dialect::{Dialect, Piece, PieceKind, Pieces, Target};
use ferrospin_source::{Diagnostics, FileId, SourceMap, Span};
pub use macros::Macros;
use std::sync::Arc;
pub use token::Symbol;

/// Gives the text of included files.
pub trait Loader {
    /// Text and display name of the file that `#include "name"` in `includer` means, or a sentence why not.
    /// `dirs` are the `-I` directories, to be tried after the folder of the including file.
    fn load(&mut self, includer: &str, name: &str, dirs: &[String]) -> Result<(Arc<str>, String), String>;
}

/// What the command line says.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// `-D NAME[=VALUE]` and `-U NAME`, in order.
    pub defines: Vec<Define>,
    /// `-I DIR`.
    pub include_dirs: Vec<String>,
}

/// A macro from the command line.
#[derive(Clone, Debug)]
pub enum Define {
    /// `-D NAME[=VALUE]`; without value it is 1. `NAME` may carry parameters: `F(x)=x+1`.
    Set(String, Option<String>),
    /// `-U NAME`.
    Unset(String),
}

/// An `allow` or `deny` comment: `/* ferrospin: allow(code, code) */`.
#[derive(Clone, Debug, PartialEq)]
pub struct Pragma {
    /// `deny` rather than `allow`.
    pub deny: bool,
    /// The diagnostic code.
    pub code: String,
    /// Where it is written.
    pub span: Span,
}

/// Text after preprocessing, and where each part of it came from.
///
/// The text is what a C preprocessor would print, without line markers: newlines of the source stay newlines (so that
/// implied semicolons can be found), a macro expands on one line, comments are spaces.
#[derive(Clone, Debug, Default)]
pub struct Expanded {
    /// The text.
    pub text: String,
    /// Sorted by `start`; a segment reaches to the next one. The last one is empty and stands for the end of the model.
    pub segments: Vec<Segment>,
    /// `allow` and `deny` comments.
    pub pragmas: Vec<Pragma>,
}

/// A stretch of expanded text that came from one place.
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    /// Byte offset in the expanded text.
    pub start: u32,
    /// Where it came from. If `linear`, byte `start + i` came from `span.lo + i`; otherwise all of it from `span`.
    pub span: Span,
    /// Whether bytes correspond one to one.
    pub linear: bool,
}

impl Expanded {
    /// The source span of a byte range of the expanded text (which lies within one token).
    pub fn span(&self, lo: usize, hi: usize) -> Span {
        let i = self.segments.partition_point(|s| s.start as usize <= lo);
        let Some(s) = i.checked_sub(1).map(|i| self.segments[i]) else { return Span::NONE };
        if !s.linear {
            return s.span;
        }
        // A token of the language may be made of several of the preprocessor's: only its first part is one stretch.
        let end = self.segments.get(i).map_or(hi, |next| hi.min(next.start as usize)).max(lo);
        let from = s.span.lo + (lo as u32 - s.start);
        Span { lo: from, hi: from + (end - lo) as u32, expansion: s.span.expansion }
    }
}

/// Expands macros and includes.
pub fn preprocess(
    map: &mut SourceMap,
    file: FileId,
    options: &Options,
    loader: &mut dyn Loader,
) -> (Expanded, Diagnostics) {
    let (expanded, diagnostics, _) = preprocess_keeping(map, file, options, loader);
    (expanded, diagnostics)
}

/// The same, with the macros that are defined behind the text.
pub fn preprocess_keeping(
    map: &mut SourceMap,
    file: FileId,
    options: &Options,
    loader: &mut dyn Loader,
) -> (Expanded, Diagnostics, Macros) {
    state::Preprocessor::new(map, options, loader, None).run(file)
}

/// Expands macros and includes of a C unit.
pub fn tokens(
    map: &mut SourceMap,
    file: FileId,
    options: &Options,
    dialect: &Dialect,
    loader: &mut dyn Loader,
) -> (Pieces, Diagnostics) {
    state::Preprocessor::new(map, options, loader, Some(dialect)).run_c(file)
}
