//! Atomic propositions as text.
//!
//! This crate does not depend on Promela: a proposition is the text between the logical operators, with its white space
//! made uniform so that `x>3` and `x > 3` are one proposition. The front end of the language reads the text again.

use crate::lex::{Kind, Token, lex};
use crate::operand::Scanner;
use crate::{AtomId, Dialect};
use ferrospin_source::Span;
use rustc_hash::FxHashMap;

/// One proposition.
#[derive(Clone, Debug)]
pub struct Atom {
    /// The expression, with uniform white space.
    pub text: String,
    /// Where it was first read; [`Span::NONE`] when it was not read from text.
    pub span: Span,
}

/// All propositions of a formula, or of several.
#[derive(Clone, Debug, Default)]
pub struct Atoms {
    list: Vec<Atom>,
    index: FxHashMap<String, AtomId>,
}

impl Atoms {
    /// No propositions.
    pub fn new() -> Self {
        Self::default()
    }

    /// The proposition with this text, added if it is new.
    pub fn add(&mut self, text: &str, span: Span) -> AtomId {
        if let Some(&id) = self.index.get(text) {
            return id;
        }
        let id = AtomId(self.list.len() as u32);
        self.list.push(Atom { text: text.to_owned(), span });
        self.index.insert(text.to_owned(), id);
        id
    }

    /// The proposition with this text, if there is one.
    pub fn find(&self, text: &str) -> Option<AtomId> {
        self.index.get(text).copied()
    }

    /// The proposition behind an index.
    pub fn get(&self, id: AtomId) -> &Atom {
        &self.list[id.0 as usize]
    }

    /// All of them, in the order of their indices.
    pub fn iter(&self) -> impl Iterator<Item = (AtomId, &Atom)> {
        self.list.iter().enumerate().map(|(i, a)| (AtomId(i as u32), a))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The text of a proposition, wrapped as it must be to be read again in this dialect.
    pub fn spell(&self, id: AtomId, dialect: Dialect) -> String {
        let text = &self.get(id).text;
        match wrapping(text, dialect) {
            Wrapping::Bare => text.clone(),
            Wrapping::Round => format!("({text})"),
            Wrapping::Curly => format!("{{{text}}}"),
            Wrapping::Quotes => format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")),
        }
    }
}

/// What must stand around the text of a proposition.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wrapping {
    Bare,
    Round,
    Curly,
    Quotes,
}

fn wrapping(text: &str, dialect: Dialect) -> Wrapping {
    let tokens = lex(text, dialect);
    let (inner, end) = tokens.split_at(tokens.len() - 1);
    let Ok(mut scanner) = Scanner::new(text, &tokens, dialect) else { return Wrapping::Quotes };
    let strange =
        |t: &Token| matches!(t.kind, Kind::Semicolon | Kind::Sere | Kind::Unknown | Kind::Quoted | Kind::Assign);
    if inner.is_empty() || join(text, inner) != text || inner.iter().any(strange) {
        return Wrapping::Quotes;
    }
    match scanner.scan(0) {
        Some(scan) if tokens[scan.end].lo == end[0].lo && scan.opaque && !scanner.temporal(0, scan.end) => {
            match (scan.operators, tokens[0].kind) {
                (true, _) => Wrapping::Round,
                (false, Kind::Ident) => Wrapping::Bare,
                (false, _) => Wrapping::Curly,
            }
        }
        _ => Wrapping::Curly,
    }
}

/// Tokens as text with uniform white space: a blank on both sides of binary operators, none elsewhere.
pub(crate) fn join(text: &str, tokens: &[Token]) -> String {
    let mut out = String::new();
    let mut operand_before = false;
    let mut word_before = false;
    for t in tokens {
        let s = &text[t.lo..t.hi];
        let word = s.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        let binary = match t.kind {
            Kind::Arithmetic | Kind::Minus | Kind::Shared => operand_before,
            Kind::And | Kind::Or | Kind::Xor | Kind::Implies | Kind::Iff => true,
            Kind::Until | Kind::Release | Kind::WeakUntil | Kind::StrongRelease => operand_before,
            _ => false,
        };
        if binary {
            out.push(' ');
            out.push_str(s);
            out.push(' ');
        } else {
            if word && word_before {
                out.push(' ');
            }
            out.push_str(s);
            if t.kind == Kind::Comma {
                out.push(' ');
            }
        }
        word_before = word && !binary;
        operand_before = matches!(t.kind, Kind::Ident | Kind::Number | Kind::Char | Kind::Quoted | Kind::True | Kind::False | Kind::Close(_))
                // A word that is an operator elsewhere counts as an operand where it cannot be one.
                || (word && !binary && t.kind != Kind::Not);
    }
    out
}
