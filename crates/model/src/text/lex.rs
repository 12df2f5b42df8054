//! Words of the text form, and what every rule of its grammar is made of.

use super::ParseError;
use std::sync::Arc;

/// Deepest nesting of expressions.
const NESTING_MAX: u32 = 2_500;

/// A reader of one line.
pub(super) struct Words<'a> {
    rest: &'a str,
    whole: &'a str,
    line: u32,
    depth: u32,
}

pub(super) type Result<T> = std::result::Result<T, ParseError>;

impl<'a> Words<'a> {
    pub(super) fn new(text: &'a str, line: u32) -> Self {
        Words { rest: text.trim_start(), whole: text, line, depth: 0 }
    }

    /// An error at the next word.
    pub(super) fn error<T>(&self, message: impl Into<String>) -> Result<T> {
        let before = &self.whole[..self.whole.len() - self.rest.len()];
        Err(ParseError { line: self.line, column: before.chars().count() as u32 + 1, message: message.into() })
    }

    fn advance(&mut self, bytes: usize) {
        self.rest = self.rest[bytes..].trim_start();
    }

    /// Goes one level deeper.
    pub(super) fn enter(&mut self) -> Result<()> {
        self.depth += 1;
        if self.depth > NESTING_MAX { self.error("nested too deeply") } else { Ok(()) }
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    pub(super) fn is_done(&self) -> bool {
        self.rest.is_empty()
    }

    pub(super) fn finish(&self) -> Result<()> {
        if self.is_done() { Ok(()) } else { self.error("expected the end of the line") }
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    /// The next word, if it is made of letters.
    pub(super) fn word(&self) -> &'a str {
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        &self.rest[..end]
    }

    /// Takes a word if it is the next one.
    pub(super) fn take(&mut self, word: &str) -> bool {
        let found = self.word() == word && !word.is_empty();
        if found {
            self.advance(word.len());
        }
        found
    }

    /// Takes a sign if it is the next one.
    pub(super) fn sign(&mut self, sign: &str) -> bool {
        let found = self.rest.starts_with(sign);
        if found {
            self.advance(sign.len());
        }
        found
    }

    pub(super) fn expect(&mut self, word: &str) -> Result<()> {
        if self.take(word) { Ok(()) } else { self.error(format!("expected `{word}`")) }
    }

    pub(super) fn expect_sign(&mut self, sign: &str) -> Result<()> {
        if self.sign(sign) { Ok(()) } else { self.error(format!("expected `{sign}`")) }
    }

    /// A number in the range of its type.
    pub(super) fn number<T: std::str::FromStr>(&mut self) -> Result<T> {
        let sign = usize::from(self.rest.starts_with('-'));
        let digits = self.rest[sign..].find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len() - sign);
        match self.rest[..sign + digits].parse() {
            Ok(n) => {
                self.advance(sign + digits);
                Ok(n)
            }
            Err(_) if digits == 0 => self.error("expected a number"),
            Err(_) => self.error("this number is out of range"),
        }
    }

    /// `word` and a number, if the word is next.
    pub(super) fn named<T: std::str::FromStr>(&mut self, word: &str) -> Result<Option<T>> {
        if self.take(word) { self.number().map(Some) } else { Ok(None) }
    }

    /// A letter with a number behind it: `P3`.
    pub(super) fn index(&mut self, letter: char) -> Result<u32> {
        let number = self.word().strip_prefix(letter).and_then(|n| n.parse::<u32>().ok());
        match number {
            Some(n) => {
                self.advance(self.word().len());
                Ok(n)
            }
            None => self.error(format!("expected `{letter}` and a number")),
        }
    }

    /// A text in quotes.
    pub(super) fn string(&mut self) -> Result<Arc<str>> {
        let mut out = String::new();
        let mut chars = self.rest.char_indices();
        if chars.next().map(|c| c.1) != Some('"') {
            return self.error("expected a text in quotes");
        }
        while let Some((i, c)) = chars.next() {
            match c {
                '"' => {
                    self.advance(i + 1);
                    return Ok(out.into());
                }
                '\\' => match chars.next().map(|c| c.1) {
                    Some('n') => out.push('\n'),
                    Some('r') => out.push('\r'),
                    Some(c @ ('"' | '\\')) => out.push(c),
                    _ => return self.error("a text with a mark that is none of `\\n`, `\\r`, `\\\"`, `\\\\`"),
                },
                c => out.push(c),
            }
        }
        self.error("this text is not closed")
    }

    /// Skips the name of a variable in angle brackets.
    pub(super) fn skip_name(&mut self) -> Result<()> {
        if let Some(name) =
            self.rest.strip_prefix('<').filter(|n| n.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
        {
            match name.find('>') {
                Some(end) => self.advance(end + 2),
                None => return self.error("this name is not closed"),
            }
        }
        Ok(())
    }

    /// Things in parentheses with commas between.
    pub(super) fn list<T>(&mut self, mut one: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        self.expect_sign("(")?;
        let mut out = Vec::new();
        if self.sign(")") {
            return Ok(out);
        }
        loop {
            out.push(one(self)?);
            if self.sign(")") {
                return Ok(out);
            }
            self.expect_sign(",")?;
        }
    }
}
