//! The expanded text, its line structure and its segments.
//!
//! Newlines follow gcc: text moves to the line of the source it came from, whenever a token starts a line, or has white
//! space before it (or a seam of an expansion) and stands on another line than the text so far. So a macro call that
//! spans lines prints its expansion on one line, and what follows the closing parenthesis goes to a new one. White space
//! between two tokens of the same source line is kept byte for byte, which makes segments long.

use super::token::{Interner, Kind, MADE, SOURCED, Token, WHITE, would_paste};
use super::{Expanded, Segment};

/// White space longer than this is printed as one space.
const BLANKS_MAX: usize = 200;

/// Text of the file that is being read, to copy white space from.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    pub(super) text: &'a str,
    pub(super) base: u32,
}

/// Collects the output.
#[derive(Default)]
pub(super) struct Printer {
    pub(super) out: Expanded,
    /// The source line the output stands on.
    line: u32,
    /// Whether the current line has anything on it.
    printed: bool,
    previous: Option<Token>,
    /// A padding came since the last token.
    seam: bool,
    /// Whether the token that stood at the seam is known, and had white space before it.
    source: Option<bool>,
    /// Where the last printed token ended in the file that is being read.
    last_end: Option<u32>,
}

impl Printer {
    /// Starts a file, or comes back to one, at `line`.
    pub(super) fn enter(&mut self, line: u32) {
        if self.printed {
            self.newline();
        }
        self.line = line;
        self.last_end = None;
    }

    fn newline(&mut self) {
        self.out.text.push('\n');
        self.printed = false;
    }

    /// Moves to the source line of `token`, which is first on that line or first after something that spanned lines.
    pub(super) fn change_line(&mut self, token: Token, line: u32, around: Option<Around<'_>>) {
        if self.printed {
            self.newline();
            self.line += 1;
        }
        while self.line < line {
            self.newline();
            self.line += 1;
        }
        self.line = line;
        self.previous = None;
        self.source = None;
        self.printed = true;
        self.last_end = None;
        if let Some(a) = around {
            let lo = (token.lo - a.base) as usize;
            let before = &a.text.as_bytes()[lo.saturating_sub(BLANKS_MAX)..lo];
            let start = lo - before.iter().rev().take_while(|&&b| b != b'\n').count();
            self.blanks(&a.text.as_bytes()[start..lo]);
            self.last_end = Some(token.lo);
        }
    }

    /// White space of the same length as `bytes`; tabs stay.
    fn blanks(&mut self, bytes: &[u8]) {
        self.out.text.extend(bytes.iter().map(|&b| if b == b'\t' { '\t' } else { ' ' }));
    }

    /// Takes the next token of the expanded stream. `around` is given for a token that stands where it is written.
    pub(super) fn put(&mut self, token: Token, line: u32, names: &Interner, around: Option<Around<'_>>) {
        if token.kind == Kind::Padding {
            self.seam = true;
            let source = token.has(SOURCED).then(|| token.has(WHITE));
            if self.source.is_none() || (self.source == Some(false) && source.is_none()) {
                self.source = source;
            }
            return;
        }
        let text = names.text(token.text);
        let white = if self.seam {
            self.source.unwrap_or(token.has(WHITE))
                || self.previous.is_some_and(|p| would_paste(p.kind, names.text(p.text), token.kind, text))
        } else {
            token.has(WHITE)
        };
        if line != self.line && (self.seam || white) {
            self.change_line(token, line, around);
        }
        if white {
            self.space(token, around);
        }
        self.seam = false;
        self.source = None;
        self.previous = Some(token);
        self.segment(token);
        self.out.text.push_str(text);
        self.printed = true;
        self.last_end = around.map(|_| token.hi);
    }

    /// The white space before `token`: as it is written, where that is known and of reasonable length.
    fn space(&mut self, token: Token, around: Option<Around<'_>>) {
        if let (Some(a), Some(end)) = (around, self.last_end)
            && a.base <= end
            && end <= token.lo
        {
            let gap = &a.text.as_bytes()[(end - a.base) as usize..(token.lo - a.base) as usize];
            if gap.len() <= BLANKS_MAX && !gap.contains(&b'\n') {
                self.blanks(gap);
                return;
            }
        }
        self.out.text.push(' ');
    }

    /// Records where `token` came from, unless the running segment says so already.
    fn segment(&mut self, token: Token) {
        let start = self.out.text.len() as u32;
        let linear = !token.has(MADE);
        if let Some(last) = self.out.segments.last_mut()
            && last.linear
            && linear
            && last.span.expansion == token.expansion
            && last.span.lo.wrapping_add(start - last.start) == token.lo
        {
            last.span.hi = token.hi;
            return;
        }
        self.out.segments.push(Segment { start, span: token.span(), linear });
    }

    /// Ends the text at `token`, which has no text of its own but a place.
    pub(super) fn end(&mut self, token: Token) {
        if self.printed {
            self.newline();
        }
        self.out.segments.push(Segment { start: self.out.text.len() as u32, span: token.span(), linear: false });
    }
}
