//! From characters to preprocessing tokens.
//!
//! A [`Cursor`] walks over the bytes of one file and steps over line continuations wherever they stand, even inside a
//! token. The rules are those of C: a preprocessing number takes in letters and dots (`1..N` is one number), quotes end
//! at the line's end, comments count as one space.

use super::token::Kind;
use std::sync::Arc;

/// A place in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    /// Byte offset.
    pub(super) pos: usize,
    /// Line from 1, not counting `#line`.
    pub(super) line: u32,
}

/// What a lexed token looks like; the text is `text[lo..hi]`, less the continuations if `spliced`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lexeme {
    pub(super) kind: Kind,
    pub(super) lo: usize,
    pub(super) hi: usize,
    pub(super) line: u32,
    pub(super) white: bool,
    pub(super) bol: bool,
    pub(super) spliced: bool,
    /// A quote without its partner on the line.
    pub(super) unterminated: bool,
}

/// A comment that was passed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Comment {
    pub(super) lo: usize,
    pub(super) hi: usize,
    /// The end of the file came first.
    pub(super) unterminated: bool,
}

/// Reads one file.
#[derive(Clone, Debug)]
pub(super) struct Cursor {
    pub(super) text: Arc<str>,
    pub(super) at: Place,
    /// Nothing but white space since the line began.
    pub(super) bol: bool,
    spliced: bool,
    /// C: a name that touches a quote may be its prefix.
    prefixes: bool,
}

impl Cursor {
    pub(super) fn new(text: Arc<str>) -> Self {
        Self::of(text, false)
    }

    /// A cursor for C if `prefixes`: `L"x"` is one token.
    pub(super) fn of(text: Arc<str>, prefixes: bool) -> Self {
        // A byte-order mark is no text.
        let pos = if text.starts_with('\u{feff}') { 3 } else { 0 };
        Self { text, at: Place { pos, line: 1 }, bol: true, spliced: false, prefixes }
    }

    fn byte(&self, pos: usize) -> u8 {
        self.text.as_bytes().get(pos).copied().unwrap_or(0)
    }

    /// Length of the line continuation at `pos`: a backslash, blanks, a newline. Blanks are allowed as gcc allows them.
    fn splice(&self, pos: usize) -> Option<usize> {
        let rest = &self.text.as_bytes()[pos + 1..];
        let blanks = rest.iter().take_while(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\x0b' | b'\x0c')).count();
        (rest.get(blanks) == Some(&b'\n')).then_some(blanks + 2)
    }

    /// The next byte of the logical line, 0 at the end of the file.
    fn peek(&mut self) -> u8 {
        loop {
            let b = self.byte(self.at.pos);
            if b != b'\\' {
                return b;
            }
            let Some(n) = self.splice(self.at.pos) else { return b };
            self.at.pos += n;
            self.at.line += 1;
            self.spliced = true;
        }
    }

    /// Steps over `b` if it comes next.
    fn eat(&mut self, b: u8) -> bool {
        let before = (self.at, self.spliced);
        if self.peek() == b {
            self.at.pos += 1;
            return true;
        }
        (self.at, self.spliced) = before;
        false
    }

    /// Whether all has been read.
    fn at_end(&self) -> bool {
        self.at.pos >= self.text.len()
    }

    /// The next token. In a directive the newline ends the text and is not passed. Comments go to `comment`.
    pub(super) fn next(&mut self, in_directive: bool, comment: &mut dyn FnMut(Comment)) -> Lexeme {
        let mut white = false;
        loop {
            let b = self.peek();
            match b {
                0 if self.at_end() => return self.finish(Kind::Eof, self.at, white, false),
                b'\n' if in_directive => return self.finish(Kind::Eof, self.at, white, false),
                b'\n' => {
                    self.at.pos += 1;
                    self.at.line += 1;
                    self.bol = true;
                    white = false;
                }
                b' ' | b'\t' | b'\r' | b'\x0b' | b'\x0c' | 0 => {
                    self.at.pos += 1;
                    white = true;
                }
                b'/' => {
                    let from = self.at;
                    self.spliced = false;
                    self.at.pos += 1;
                    if self.eat(b'*') {
                        let unterminated = !self.skip_block_comment();
                        comment(Comment { lo: from.pos, hi: self.at.pos, unterminated });
                    } else if self.eat(b'/') {
                        self.skip_line();
                        comment(Comment { lo: from.pos, hi: self.at.pos, unterminated: false });
                    } else {
                        self.eat(b'=');
                        return self.finish(Kind::Punct, from, white, false);
                    }
                    white = true;
                }
                _ => return self.token(b, white),
            }
        }
    }

    fn finish(&mut self, kind: Kind, from: Place, white: bool, unterminated: bool) -> Lexeme {
        let bol = self.bol;
        if kind != Kind::Eof {
            self.bol = false;
        }
        let (lo, hi) = (from.pos, self.at.pos);
        Lexeme { kind, lo, hi, line: from.line, white, bol, spliced: self.spliced, unterminated }
    }

    fn token(&mut self, first: u8, white: bool) -> Lexeme {
        let from = self.at;
        self.spliced = false;
        let (mut kind, mut unterminated) = (Kind::Punct, false);
        match first {
            b'0'..=b'9' => {
                self.number();
                kind = Kind::Number;
            }
            b'"' | b'\'' => {
                kind = if first == b'"' { Kind::String } else { Kind::Char };
                if !self.quoted(first) {
                    (kind, unterminated) = (Kind::Other, true);
                }
            }
            b'.' => {
                self.at.pos += 1;
                let after = (self.at, self.spliced);
                if self.peek().is_ascii_digit() {
                    self.number();
                    kind = Kind::Number;
                } else {
                    (self.at, self.spliced) = after;
                    if !(self.eat(b'.') && self.eat(b'.')) {
                        (self.at, self.spliced) = after;
                    }
                }
            }
            _ if self.name() => {
                kind = Kind::Name;
                if self.prefixes && self.is_prefix(from.pos) {
                    let quote = self.byte(self.at.pos);
                    kind = if quote == b'"' { Kind::String } else { Kind::Char };
                    if !self.quoted(quote) {
                        (kind, unterminated) = (Kind::Other, true);
                    }
                }
            }
            _ if first.is_ascii_punctuation() && !matches!(first, b'@' | b'`' | b'\\') => self.punctuator(first),
            _ => {
                self.at.pos += self.text[from.pos..].chars().next().map_or(1, char::len_utf8);
                kind = Kind::Other;
            }
        }
        self.finish(kind, from, white, unterminated)
    }

    /// Whether the name from `lo` to here is the prefix of the quote that follows.
    fn is_prefix(&self, lo: usize) -> bool {
        let name = &self.text[lo..self.at.pos];
        matches!(name, "L" | "u" | "U" | "u8") && matches!(self.byte(self.at.pos), b'"' | b'\'')
    }

    /// Steps over the characters of a name; whether there were any. Letters of any script count.
    fn name(&mut self) -> bool {
        let mut any = false;
        loop {
            // A continuation behind the name is not part of it.
            let end = (self.at, self.spliced);
            let b = self.peek();
            if b.is_ascii_alphabetic() || matches!(b, b'_' | b'$') || (any && b.is_ascii_digit()) {
                self.at.pos += 1;
            } else if b >= 0x80 {
                match self.text[self.at.pos..].chars().next() {
                    Some(c) if c.is_alphabetic() || (any && c.is_alphanumeric()) => self.at.pos += c.len_utf8(),
                    _ => {
                        (self.at, self.spliced) = end;
                        return any;
                    }
                }
            } else {
                (self.at, self.spliced) = end;
                return any;
            }
            any = true;
        }
    }

    fn number(&mut self) {
        loop {
            let end = (self.at, self.spliced);
            match self.peek() {
                b'e' | b'E' | b'p' | b'P' => {
                    self.at.pos += 1;
                    let _ = self.eat(b'+') || self.eat(b'-');
                }
                b'0'..=b'9' | b'.' => self.at.pos += 1,
                _ if self.name() => {
                    // A name may have ended in an exponent's letter.
                    let last = self.byte(self.at.pos - 1);
                    if matches!(last, b'e' | b'E' | b'p' | b'P') {
                        let _ = self.eat(b'+') || self.eat(b'-');
                    }
                }
                _ => {
                    (self.at, self.spliced) = end;
                    return;
                }
            }
        }
    }

    /// Steps over a string or character constant; whether it ended on its line.
    fn quoted(&mut self, quote: u8) -> bool {
        self.at.pos += 1;
        loop {
            match self.peek() {
                b'\n' => return false,
                0 if self.at_end() => return false,
                b'\\' => {
                    self.at.pos += 1;
                    if self.peek() != b'\n' && !self.at_end() {
                        self.at.pos += 1;
                    }
                }
                b => {
                    self.at.pos += 1;
                    if b == quote {
                        return true;
                    }
                }
            }
        }
    }

    /// The longest of C's operators; what follows the first character may stand behind a continuation.
    fn punctuator(&mut self, first: u8) {
        self.at.pos += 1;
        match first {
            b'+' | b'&' | b'|' => _ = self.eat(first) || self.eat(b'='),
            b'-' => _ = self.eat(b'-') || self.eat(b'>') || self.eat(b'='),
            b'=' | b'!' | b'*' | b'^' => _ = self.eat(b'='),
            b'<' | b'>' => {
                let doubled = self.eat(first);
                if !self.eat(b'=') && !doubled && first == b'<' {
                    let _ = self.eat(b':') || self.eat(b'%');
                }
            }
            b'#' => _ = self.eat(b'#'),
            b':' => _ = self.eat(b':') || self.eat(b'>'),
            b'%' => {
                if self.eat(b':') {
                    let after = (self.at, self.spliced);
                    if !(self.eat(b'%') && self.eat(b':')) {
                        (self.at, self.spliced) = after;
                    }
                } else {
                    let _ = self.eat(b'=') || self.eat(b'>');
                }
            }
            _ => {}
        }
    }

    /// Steps over the rest of a comment; whether its end was found.
    fn skip_block_comment(&mut self) -> bool {
        loop {
            let rest = &self.text.as_bytes()[self.at.pos..];
            let Some(n) = rest.iter().position(|&b| b == b'*') else {
                self.at.line += rest.iter().filter(|&&b| b == b'\n').count() as u32;
                self.at.pos = self.text.len();
                return false;
            };
            self.at.line += rest[..n].iter().filter(|&&b| b == b'\n').count() as u32;
            self.at.pos += n + 1;
            if self.eat(b'/') {
                return true;
            }
        }
    }

    /// Steps to the end of the logical line, not over its newline.
    pub(super) fn skip_line(&mut self) {
        while !self.at_end() && self.peek() != b'\n' {
            self.at.pos += usize::from(!self.at_end());
        }
    }
}

/// `text` without its line continuations.
pub(super) fn unspliced(text: &str) -> String {
    let mut cursor = Cursor::new(text.into());
    cursor.at.pos = 0;
    let mut clean = String::with_capacity(text.len());
    loop {
        cursor.peek();
        let Some(c) = text[cursor.at.pos..].chars().next() else { return clean };
        clean.push(c);
        cursor.at.pos += c.len_utf8();
    }
}
