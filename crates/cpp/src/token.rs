//! Preprocessing tokens and the table of their spellings.
//!
//! Every spelling is interned: a token is a small `Copy` value, macros are found by index, and text made by `#` and `##`
//! is treated like text that was written.

use ferrospin_source::{ExpansionId, Span};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Index of a spelling.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Symbol(pub u32);

/// What a token is to the preprocessor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Name,
    /// A preprocessing number: wider than a number of any language, it swallows letters and dots.
    Number,
    String,
    Char,
    Punct,
    /// A character that starts nothing, or a quote without its partner and all that follows on its line.
    Other,
    /// A parameter in the body of a macro; its index is in `expansion`.
    Param,
    /// No text: marks a seam of an expansion, where a space may be needed. With [`SOURCED`], [`WHITE`] tells whether the
    /// token that stood here had white space before it.
    Padding,
    /// End of the text, of a directive's line or of an argument.
    Eof,
}

/// White space before the token.
pub(super) const WHITE: u8 = 1;
/// First on its line.
pub(super) const BOL: u8 = 2;
/// A name that must never be expanded again ("painted blue").
pub(super) const PAINTED: u8 = 4;
/// Followed by `##`.
pub(super) const PASTE: u8 = 8;
/// The text is not what is written at the span.
pub(super) const MADE: u8 = 16;
/// A parameter preceded by `#`.
pub(super) const STRINGIFY: u8 = 32;
/// A padding that stands for a token.
pub(super) const SOURCED: u8 = 64;

/// A preprocessing token.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) flags: u8,
    pub(super) text: Symbol,
    pub(super) lo: u32,
    pub(super) hi: u32,
    pub(super) expansion: ExpansionId,
}

impl Token {
    /// A token without text.
    pub(super) fn bare(kind: Kind) -> Token {
        Token { kind, flags: 0, text: sym::EMPTY, lo: 0, hi: 0, expansion: ExpansionId::NONE }
    }

    /// The padding left where `source` was replaced.
    pub(super) fn padding(source: Token) -> Token {
        Token { flags: SOURCED | (source.flags & WHITE), ..Token::bare(Kind::Padding) }
    }

    pub(super) fn has(self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    pub(super) fn is(self, punct: Symbol) -> bool {
        self.kind == Kind::Punct && self.text == punct
    }

    pub(super) fn span(self) -> Span {
        Span { lo: self.lo, hi: self.hi, expansion: self.expansion }
    }
}

/// Spellings known from the start; their numbers follow from the order in [`FIXED`].
pub(super) mod sym {
    use super::Symbol;
    pub(in super::super) const EMPTY: Symbol = Symbol(0);
    pub(in super::super) const HASH: Symbol = Symbol(1);
    pub(in super::super) const PASTE: Symbol = Symbol(2);
    pub(in super::super) const OPEN: Symbol = Symbol(3);
    pub(in super::super) const CLOSE: Symbol = Symbol(4);
    pub(in super::super) const COMMA: Symbol = Symbol(5);
    pub(in super::super) const ELLIPSIS: Symbol = Symbol(6);
    pub(in super::super) const HASH_DIGRAPH: Symbol = Symbol(7);
    pub(in super::super) const PASTE_DIGRAPH: Symbol = Symbol(8);
    pub(in super::super) const VA_ARGS: Symbol = Symbol(9);
    pub(in super::super) const DEFINED: Symbol = Symbol(10);
    pub(in super::super) const HAS_INCLUDE: Symbol = Symbol(11);
    pub(in super::super) const HAS_INCLUDE_NEXT: Symbol = Symbol(12);
    pub(in super::super) const HAS_ATTRIBUTE: Symbol = Symbol(13);
    pub(in super::super) const HAS_C_ATTRIBUTE: Symbol = Symbol(14);
    pub(in super::super) const HAS_BUILTIN: Symbol = Symbol(15);
}

const FIXED: [&str; 16] = [
    "",
    "#",
    "##",
    "(",
    ")",
    ",",
    "...",
    "%:",
    "%:%:",
    "__VA_ARGS__",
    "defined",
    "__has_include",
    "__has_include_next",
    "__has_attribute",
    "__has_c_attribute",
    "__has_builtin",
];

/// The table of spellings.
#[derive(Clone)]
pub(crate) struct Interner {
    index: FxHashMap<Arc<str>, Symbol>,
    texts: Vec<Arc<str>>,
}

impl Interner {
    pub(super) fn new() -> Self {
        let mut table = Self { index: FxHashMap::default(), texts: Vec::new() };
        for text in FIXED {
            table.intern(text);
        }
        table
    }

    pub(super) fn intern(&mut self, text: &str) -> Symbol {
        if let Some(&s) = self.index.get(text) {
            return s;
        }
        let s = Symbol(self.texts.len() as u32);
        let text: Arc<str> = text.into();
        self.texts.push(text.clone());
        self.index.insert(text, s);
        s
    }

    pub(super) fn text(&self, s: Symbol) -> &Arc<str> {
        &self.texts[s.0 as usize]
    }

    pub(super) fn len(&self) -> usize {
        self.texts.len()
    }
}

/// Whether `b` printed right after `a` could be read as something else, so that a space must keep them apart. The cases
/// are those of gcc's `cpp_avoid_paste`.
pub(super) fn would_paste(a: Kind, a_text: &str, b: Kind, b_text: &str) -> bool {
    let c = if b == Kind::Punct { b_text.as_bytes()[0] } else { 0 };
    let takes_equals = ["=", "!", ">", "<", "+", "-", "*", "/", "%", "&", "|", "^", ">>", "<<"];
    match a {
        Kind::Punct if c == b'=' && takes_equals.contains(&a_text) => true,
        Kind::Punct => match a_text {
            ">" => c == b'>',
            "<" => matches!(c, b'<' | b'%' | b':'),
            "+" => c == b'+',
            "-" => matches!(c, b'-' | b'>'),
            "/" => matches!(c, b'/' | b'*'),
            "%" => matches!(c, b':' | b'%'),
            "&" => c == b'&',
            "|" => c == b'|',
            ":" => matches!(c, b':' | b'>'),
            "->" => c == b'*',
            "." => matches!(c, b'.' | b'%') || b == Kind::Number,
            "#" => matches!(c, b'#' | b'%'),
            _ => false,
        },
        Kind::Name if b == Kind::Number => b_text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'),
        Kind::Name => matches!(b, Kind::Name | Kind::Char | Kind::String),
        Kind::Number => matches!(b, Kind::Number | Kind::Name | Kind::Char) || matches!(c, b'.' | b'+' | b'-'),
        Kind::Other => a_text == "\\" && b == Kind::Name,
        _ => false,
    }
}
