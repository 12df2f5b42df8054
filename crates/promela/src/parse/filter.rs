//! The token filter between lexer and parser: semicolons that need not be written, and ones that must not be.
//!
//! A semicolon is put behind `else` and behind `}` where none of the tokens listed below follows; one before `}` or
//! before another separator is dropped. Together with the semicolons of line breaks this is what makes most of them
//! optional. It works on tokens alone, uses no grammar, and therefore also does odd things, such as a semicolon
//! between `}` and `,`.

use super::lexer::Lexer;
use super::tokens::{Tok, Token};

impl Lexer<'_> {
    /// The next token for the parser.
    pub(super) fn next(&mut self) -> Token {
        if let Some(t) = self.hold.take() {
            self.last_raw = t.tok;
            self.last = t.tok;
            return t;
        }
        let mut t = self.raw();
        let insert = match self.last {
            Tok::Else => !t.tok.is_semi() && t.tok != Tok::Fi,
            Tok::RBrace => !goes_on_after_brace(t.tok),
            _ => false,
        };
        if insert {
            self.hold = Some(t);
            self.last = Tok::Eof;
            self.last_raw = Tok::Semi;
            return Token { tok: Tok::Semi, value: 0, implied: true, hi: t.lo, ..t };
        }
        if t.tok.is_semi() {
            let ahead = self.raw();
            if ahead.tok == Tok::RBrace || ahead.tok.is_semi() {
                t = ahead;
            } else {
                self.hold = Some(ahead);
            }
        }
        self.last = t.tok;
        t
    }
}

/// Whether a token may follow `}` without a semicolon in between.
fn goes_on_after_brace(t: Tok) -> bool {
    use Tok::*;
    matches!(t, Proctype | Init | Never | Sep | Fi | Od | RBrace | Unless | Semi | Arrow | Eof)
}
