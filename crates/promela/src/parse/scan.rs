//! Literals, operators and stray characters.

use super::lexer::Lexer;
use super::tokens::{Tok, Token};
use ferrospin_source::{Diagnostic, Severity};

impl Lexer<'_> {
    pub(super) fn string(&mut self, lo: usize, end: usize, quote: u8) -> Token {
        let mut at = lo + 1;
        while at < end && self.byte(at) != quote && self.byte(at) != b'\n' {
            at += if self.byte(at) == b'\\' { 2 } else { 1 };
        }
        let at = at.min(end);
        if at < end && self.byte(at) == quote {
            self.move_to(at + 1);
            return self.token(Tok::Str, lo, at + 1);
        }
        let span = self.span(lo, lo + 1);
        self.error(
            Diagnostic::error("unterminated-string", span, "the string does not end on this line")
                .label("begins here")
                .note("a string ends at the next quote on the same line; write `\\n` for a line break"),
        );
        self.move_to(at);
        self.token(Tok::Str, lo, at)
    }

    pub(super) fn character(&mut self, lo: usize, end: usize) -> Token {
        let mut at = lo + 1;
        let mut value = self.byte(at);
        if value == b'\\' {
            at += 1;
            value = match self.byte(at) {
                b'n' => b'\n',
                b'r' => b'\r',
                b't' => b'\t',
                b'f' => 0x0c,
                other => other,
            };
        }
        at += 1;
        if at < end && self.byte(at) == b'\'' {
            self.move_to(at + 1);
            let t = self.token(Tok::Char, lo, at + 1);
            return Token { value: i32::from(value), ..t };
        }
        let span = self.span(lo, lo + 1);
        self.error(
            Diagnostic::error("character", span, "a character constant is one character in single quotes")
                .note("write `'a'` or `'\\n'`; text of any length belongs in double quotes, and only in `printf`"),
        );
        // A closing quote on the same line, if any, belongs to this one.
        let line_end = self.text.as_bytes()[lo..end].iter().position(|b| *b == b'\n').map_or(end, |i| lo + i);
        let close = self.text.as_bytes()[lo + 1..line_end].iter().position(|b| *b == b'\'');
        let mut stop = close.map_or(lo + 1, |i| lo + i + 2);
        while !self.text.is_char_boundary(stop) {
            stop += 1;
        }
        self.move_to(stop);
        self.token(Tok::Char, lo, stop)
    }

    pub(super) fn number(&mut self, lo: usize, end: usize) -> Token {
        let mut at = lo;
        let mut value: i64 = 0;
        while at < end && self.byte(at).is_ascii_digit() {
            value = value.saturating_mul(10).saturating_add(i64::from(self.byte(at) - b'0'));
            at += 1;
        }
        self.move_to(at);
        let t = self.token(Tok::Number, lo, at);
        // C's conversion: too long a number first becomes the largest one, then its low 32 bits count.
        if value > i64::from(i32::MAX) {
            let message =
                format!("`{}` does not fit into 32 bits: it is read as {}", self.token_text(&t), value as i32);
            self.error(Diagnostic::lint(Severity::Warning, "number-range", t.span, message));
        }
        Token { value: value as i32, ..t }
    }

    pub(super) fn operator(&mut self, lo: usize, end: usize) -> Option<Token> {
        let mut at = lo + 1;
        // Takes the next character if it is the given one.
        let text = self.text.as_bytes();
        let mut follow = |c: u8| {
            let yes = at < end && text[at] == c;
            at += usize::from(yes);
            yes
        };
        let c = text[lo];
        if self.ltl_mode {
            let tok = match c {
                b'-' => follow(b'>').then_some(Tok::Implies),
                b'[' => follow(b']').then_some(Tok::Always),
                b'<' if follow(b'>') => Some(Tok::Eventually),
                b'<' => self.text[lo..end].starts_with("<->").then(|| {
                    follow(b'-');
                    follow(b'>');
                    Tok::Equivalent
                }),
                b'/' => follow(b'\\').then_some(Tok::AndAnd),
                b'\\' => follow(b'/').then_some(Tok::OrOr),
                _ => None,
            };
            if let Some(tok) = tok {
                self.move_to(at);
                return Some(self.token(tok, lo, at));
            }
        }
        // The order of the tests matters: SPIN tries the longer alternative first, so that `-->` is an arrow.
        let tok = match c {
            b'/' if follow(b'*') => return self.comment(lo, at, end),
            b'*' if follow(b'/') => {
                self.move_to(at);
                let span = self.span(lo, at);
                self.error(
                    Diagnostic::lint(Severity::Warning, "comment", span, "this ends a comment that was not begun")
                        .note("comments do not nest"),
                );
                return None;
            }
            b'/' => Tok::Slash,
            b'*' => Tok::Star,
            b':' => either(follow(b':'), Tok::Sep, Tok::Colon),
            b'-' => {
                let one = either(follow(b'-'), Tok::Decr, Tok::Minus);
                either(follow(b'>'), Tok::Arrow, one)
            }
            b'+' => either(follow(b'+'), Tok::Incr, Tok::Plus),
            b'<' => {
                let one = either(follow(b'='), Tok::Le, Tok::Lt);
                either(follow(b'<'), Tok::Shl, one)
            }
            b'>' => {
                let one = either(follow(b'='), Tok::Ge, Tok::Gt);
                either(follow(b'>'), Tok::Shr, one)
            }
            b'=' => either(follow(b'='), Tok::EqEq, Tok::Assign),
            b'!' => {
                let one = either(follow(b'!'), Tok::BangBang, Tok::Bang);
                either(follow(b'='), Tok::NotEq, one)
            }
            b'?' => either(follow(b'?'), Tok::QueryQuery, Tok::Query),
            b'&' => either(follow(b'&'), Tok::AndAnd, Tok::Amp),
            b'|' => either(follow(b'|'), Tok::OrOr, Tok::Bar),
            b'.' => either(follow(b'.'), Tok::DotDot, Tok::Dot),
            b';' => Tok::Semi,
            b'{' => Tok::LBrace,
            b'}' => Tok::RBrace,
            b'(' => Tok::LParen,
            b')' => Tok::RParen,
            b'[' => Tok::LBracket,
            b']' => Tok::RBracket,
            b',' => Tok::Comma,
            b'@' => Tok::At,
            b'%' => Tok::Percent,
            b'^' => Tok::Caret,
            b'~' => Tok::Tilde,
            _ => return Some(self.unknown(lo)),
        };
        self.move_to(at);
        Some(self.token(tok, lo, at))
    }

    pub(super) fn comment(&mut self, lo: usize, after: usize, end: usize) -> Option<Token> {
        match self.text[after..end].find("*/") {
            Some(i) => self.move_to(after + i + 2),
            None => {
                self.move_to(end);
                let span = self.span(lo, after);
                self.error(Diagnostic::error("comment", span, "this comment is not closed"));
            }
        }
        None
    }

    pub(super) fn unknown(&mut self, lo: usize) -> Token {
        let c = self.text[lo..].chars().next().unwrap_or('\0');
        let hi = lo + c.len_utf8();
        self.move_to(hi);
        let t = self.token(Tok::Unknown, lo, hi);
        let mut d = Diagnostic::error("character", t.span, format!("{c:?} is not a character of Promela"));
        d = match c {
            '“' | '”' | '„' => d.suggest(t.span, "\"", "use a plain double quote"),
            '‘' | '’' => d.suggest(t.span, "'", "use a plain single quote"),
            '≠' => d.suggest(t.span, "!=", "write `!=`"),
            '≤' => d.suggest(t.span, "<=", "write `<=`"),
            '≥' => d.suggest(t.span, ">=", "write `>=`"),
            '→' => d.suggest(t.span, "->", "write `->`"),
            '¬' => d.suggest(t.span, "!", "write `!`"),
            '∧' => d.suggest(t.span, "&&", "write `&&`"),
            '∨' => d.suggest(t.span, "||", "write `||`"),
            '□' | '◻' => d.suggest(t.span, "[]", "write `[]`"),
            '◇' | '◊' => d.suggest(t.span, "<>", "write `<>`"),
            '\\' => d.note("the formula operators `/\\` and `\\/` are known only inside `ltl` blocks"),
            '#' => d.note("a preprocessor line begins with `#` and stands on a line of its own"),
            _ => d,
        };
        self.error(d);
        t
    }
}

fn either(yes: bool, one: Tok, other: Tok) -> Tok {
    if yes { one } else { other }
}
