//! The words of the parser's messages, and where to go on after one.
//!
//! A message says what was found, what was expected and, where the mistake is a common one, how to mend it. After a
//! message the rest of the statement is skipped, so that one mistake gives one message.

use super::tokens::{KEYWORDS, Tok};
use super::{ERRORS_MAX, Failed, NESTING_MAX, Parser, STATEMENT_WEIGHT};
use ferrospin_source::{Diagnostic, Span};

/// A kind of token, for "expected ...".
pub(super) fn describe_kind(tok: Tok) -> String {
    let sign = match tok {
        Tok::LBrace => "{",
        Tok::RBrace => "}",
        Tok::LParen => "(",
        Tok::RParen => ")",
        Tok::LBracket => "[",
        Tok::RBracket => "]",
        Tok::Colon => ":",
        Tok::Comma => ",",
        Tok::DotDot => "..",
        Tok::Gt => ">",
        Tok::Semi => ";",
        _ => match KEYWORDS.iter().find(|(_, t)| *t == tok) {
            Some((word, _)) => word,
            None => return "a token".into(),
        },
    };
    format!("`{sign}`")
}

impl<'a> Parser<'a> {
    /// Adds a message, unless the same was said about the same place: an inline is read once per call.
    pub(super) fn say(&mut self, d: Diagnostic) {
        self.errors += usize::from(self.lx.say(d));
    }

    /// Adds a syntax error, unless the last one was about the same token or reading has been given up.
    pub(super) fn fail(&mut self, d: Diagnostic) -> Failed {
        if self.lx.exhausted {
            return Failed;
        }
        let here = (self.peek_token().lo, self.lx.frames.len());
        if self.failed_at != Some(here) {
            self.failed_at = Some(here);
            self.say(d);
            if self.errors >= ERRORS_MAX {
                let span = self.peek_token().span;
                self.lx.said.push(Diagnostic::error("too-many-errors", span, "too many errors; the rest is not read"));
                self.halt();
            }
        }
        Failed
    }

    pub(super) fn too_deep(&mut self) -> Failed {
        let span = self.here();
        if !self.lx.exhausted {
            let d = Diagnostic::error("nesting", span, "nested too deeply");
            let statements = NESTING_MAX / STATEMENT_WEIGHT;
            self.say(d.note(format!("the limit is {NESTING_MAX} levels of expressions or {statements} of statements")));
        }
        self.halt();
        Failed
    }

    /// The next token, for "found ...".
    pub(super) fn found(&mut self) -> String {
        let t = self.peek_token();
        let text = self.lx.token_text(&t);
        match t.tok {
            Tok::Eof => "the end of the file".into(),
            Tok::Semi if t.implied => "the end of the statement".into(),
            Tok::Name => format!("the name `{text}`"),
            Tok::TypeName => format!("the type `{text}`"),
            Tok::ProcName => format!("the process type `{text}`"),
            Tok::InlineName => format!("the inline `{text}`"),
            Tok::MtypeName => format!("the mtype constant `{text}`"),
            Tok::Str => "a string".into(),
            Tok::CCode | Tok::CDecl | Tok::CExpr => "embedded C".into(),
            _ => format!("`{text}`"),
        }
    }

    /// The general message.
    pub(super) fn unexpected(&mut self, expected: &str, context: &str) -> Failed {
        let t = self.peek_token();
        if t.tok == Tok::Unknown {
            // The lexer has spoken.
            self.failed_at = Some((t.lo, self.lx.frames.len()));
            return Failed;
        }
        let found = self.found();
        let blank = if context.is_empty() { "" } else { " " };
        let mut d = Diagnostic::error("syntax", t.span, format!("expected {expected}{blank}{context}, found {found}"));
        if t.tok == Tok::Semi && t.implied {
            d = d.note("SPIN ends a statement at the line break");
        }
        self.fail(d)
    }

    /// A plain name was needed.
    pub(super) fn not_a_name(&mut self, what: &str) -> Failed {
        let t = self.peek_token();
        let text = self.lx.token_text(&t);
        let (code, kind) = match t.tok {
            Tok::TypeName => ("redefinition", "a type"),
            Tok::ProcName => ("redefinition", "a process type"),
            Tok::InlineName => ("redefinition", "an inline"),
            Tok::MtypeName => ("redefinition", "an `mtype` constant"),
            tok if tok.is_keyword() && !t.implied => ("keyword", "a keyword"),
            _ => return self.unexpected(what, ""),
        };
        self.fail(Diagnostic::error(code, t.span, format!("expected {what}, but `{text}` is {kind}")))
    }

    pub(super) fn missing_brace(&mut self, open: Span) -> Failed {
        let span = self.here();
        let d = Diagnostic::error("missing-brace", span, "a closing `}` is missing");
        self.fail(d.also(open, "this `{` is not closed"))
    }

    /// Skips to the end of a statement: a separator or what closes the sequence, both left in place.
    pub(super) fn recover_statement(&mut self, frames: usize) {
        let mut depth = 0usize;
        loop {
            // The body of an inline ends: what follows belongs to the caller.
            if self.lx.frames.len() < frames {
                return;
            }
            match self.peek() {
                Tok::Eof => return,
                t if t.is_unit_start() => return,
                Tok::Semi | Tok::Arrow if depth == 0 => return,
                Tok::Sep if depth == 0 => return,
                Tok::LBrace | Tok::If | Tok::Do => depth += 1,
                Tok::RBrace | Tok::Fi | Tok::Od => {
                    if depth == 0 {
                        return;
                    }
                    depth -= 1;
                }
                _ => {}
            }
            self.bump();
        }
    }

    /// Skips to the next part at top level.
    pub(super) fn recover_unit(&mut self) {
        let mut depth = self.braces;
        let mut parens = self.lx.parens;
        self.lx.in_seq = false;
        self.lx.parens = 0;
        self.lx.in_for = false;
        self.lx.ltl_mode = false;
        self.in_body = false;
        self.in_trace = false;
        self.in_params = false;
        self.loops = 0;
        self.open.clear();
        // A type that stands in a wrong place does not begin a declaration.
        if self.at(Tok::TypeName) {
            self.bump();
        }
        loop {
            let tok = self.peek();
            let inside = depth > 0 || parens > 0;
            match tok {
                Tok::Eof => return,
                _ if tok.is_unit_start() => return,
                Tok::Semi | Tok::Type(_) | Tok::TypeName if !inside => return,
                Tok::LParen => parens += 1,
                Tok::RParen => parens = parens.saturating_sub(1),
                Tok::LBrace => {
                    // The head is over, whatever was open in it.
                    parens = 0;
                    depth += 1;
                }
                Tok::RBrace => {
                    self.bump();
                    if depth <= 1 {
                        return;
                    }
                    depth -= 1;
                    continue;
                }
                _ => {}
            }
            self.bump();
        }
    }

    /// Skips to the word that closes an `if` or `do`, and takes it; stops before what closes something else.
    pub(super) fn skip_to_end(&mut self, close: Tok) {
        loop {
            self.recover_statement(0);
            match self.peek() {
                tok if tok == close => {
                    self.bump();
                    return;
                }
                Tok::Semi | Tok::Arrow | Tok::Sep => {
                    self.bump();
                }
                _ => return,
            }
        }
    }
}
