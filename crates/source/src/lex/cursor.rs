//! Going over tokens: what parsers of small languages share.

use super::{Kind, Lexicon, Token, lex};
use crate::{Diagnostic, Diagnostics, FileId, SourceMap, Span};

/// A message has been given, and what was to be read is not there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Failed;

/// What reading gives.
pub type Parsed<T> = Result<T, Failed>;

/// How deep [`Cursor::deeper`] may nest.
const NESTING_MAX: u32 = 100;

/// After this many errors the rest of the text is not read.
const ERRORS_MAX: usize = 50;

/// A place among the tokens of a file, and what was said about it.
#[derive(Debug)]
pub struct Cursor<'t> {
    tokens: Vec<Token<'t>>,
    at: usize,
    depth: u32,
    errors: usize,
    /// The token the last syntax error was about.
    failed_at: Option<usize>,
    /// Everything that was said.
    pub said: Diagnostics,
}

impl<'t> Cursor<'t> {
    /// Makes tokens of a file, whose text this is ([`SourceMap::text`]), and stands before the first.
    pub fn new(map: &SourceMap, file: FileId, text: &'t str, lexicon: &Lexicon) -> Self {
        let mut said = Diagnostics::default();
        let tokens = lex(map, file, text, lexicon, &mut said);
        Cursor { tokens, at: 0, depth: 0, errors: 0, failed_at: None, said }
    }

    /// The next token.
    pub fn peek(&self) -> Token<'t> {
        self.peek_nth(0)
    }

    /// The token behind `n` others.
    pub fn peek_nth(&self, n: usize) -> Token<'t> {
        self.tokens[(self.at + n).min(self.tokens.len() - 1)]
    }

    /// Takes the next token; the end of the file stays.
    pub fn bump(&mut self) -> Token<'t> {
        let token = self.peek();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    /// Whether the next token is the end of the file.
    pub fn is_at_end(&self) -> bool {
        self.peek().kind == Kind::End
    }

    /// Whether the next token is this word or mark.
    pub fn at(&self, text: &str) -> bool {
        self.peek().is(text)
    }

    /// Takes the next token if it is this word or mark.
    pub fn eat(&mut self, text: &str) -> Option<Token<'t>> {
        self.at(text).then(|| self.bump())
    }

    /// Takes this word or mark, or says that it was expected; `context` is such as "behind the name", or empty.
    pub fn expect(&mut self, text: &str, context: &str) -> Parsed<Token<'t>> {
        match self.eat(text) {
            Some(token) => Ok(token),
            None => Err(self.unexpected(&format!("`{text}`"), context)),
        }
    }

    /// Takes a word; `what` says what it stands for, such as "the name of a role".
    pub fn word(&mut self, what: &str) -> Parsed<Token<'t>> {
        self.kind(Kind::Word, what)
    }

    /// Takes a number and its value.
    pub fn number(&mut self, what: &str) -> Parsed<(u32, Span)> {
        let token = self.kind(Kind::Number, what)?;
        match token.text.parse() {
            Ok(value) => Ok((value, token.span)),
            Err(_) => {
                self.say(Diagnostic::error("too-large", token.span, "this number is too large"));
                Err(Failed)
            }
        }
    }

    fn kind(&mut self, kind: Kind, what: &str) -> Parsed<Token<'t>> {
        match self.peek().kind == kind {
            true => Ok(self.bump()),
            false => Err(self.unexpected(what, "")),
        }
    }

    /// Says that something else was expected than what stands here, once for each token.
    pub fn unexpected(&mut self, expected: &str, context: &str) -> Failed {
        let token = self.peek();
        if self.failed_at != Some(self.at) {
            self.failed_at = Some(self.at);
            let blank = if context.is_empty() { "" } else { " " };
            let message = format!("expected {expected}{blank}{context}, found {}", token.describe());
            self.say(Diagnostic::error("syntax", token.span, message));
        }
        Failed
    }

    /// Adds a message. After many errors the rest of the text is given up: the cursor stands at the end of the file.
    pub fn say(&mut self, diagnostic: Diagnostic) {
        if self.errors > ERRORS_MAX {
            return;
        }
        let is_error = diagnostic.severity == crate::Severity::Error && !diagnostic.lint;
        let span = diagnostic.span;
        self.said.push(diagnostic);
        self.errors += usize::from(is_error);
        if self.errors == ERRORS_MAX {
            self.errors += 1;
            self.said.push(Diagnostic::error("too-many-errors", span, "too many errors; the rest is not read"));
            self.halt();
        }
    }

    /// Reads something that may contain itself. Where it nests too deeply there is a message, and the rest is given up.
    pub fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth == NESTING_MAX {
            let message = format!("nested more than {NESTING_MAX} levels deep");
            self.say(Diagnostic::error("nesting", self.peek().span, message));
            self.halt();
            return Err(Failed);
        }
        self.depth += 1;
        let read = read(self);
        self.depth -= 1;
        read
    }

    /// Reads what stands between two marks and is parted by a third; nothing between them is fine.
    pub fn list<T>(
        &mut self,
        [open, comma, close]: [&str; 3],
        mut read: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        self.expect(open, "")?;
        let mut list = Vec::new();
        if self.eat(close).is_some() {
            return Ok(list);
        }
        loop {
            list.push(read(self)?);
            if self.eat(close).is_some() {
                return Ok(list);
            }
            if self.eat(comma).is_none() {
                return Err(self.unexpected(&format!("`{comma}` or `{close}`"), ""));
            }
        }
    }

    /// Goes on after a mistake: skips to one of these words or marks, or to a `}` that was open before, and stays before it.
    /// What stands between braces is skipped with them.
    pub fn skip_to(&mut self, stops: &[&str]) {
        let mut open = 0usize;
        while !self.is_at_end() {
            let token = self.peek();
            if open == 0 && (token.is("}") || stops.iter().any(|stop| token.is(stop))) {
                return;
            }
            if token.is("{") {
                open += 1;
            } else if token.is("}") {
                open -= 1;
            }
            self.bump();
        }
    }

    /// Where the last token that was taken ends, as an empty span: what is missing is missing there.
    pub fn behind(&self) -> Span {
        let span = self.at.checked_sub(1).map_or(Span::NONE, |at| self.tokens[at].span);
        Span { lo: span.hi, ..span }
    }

    fn halt(&mut self) {
        self.at = self.tokens.len() - 1;
        self.failed_at = Some(self.at);
    }
}
