//! Text that is taken whole: embedded C and the bodies of inlines.

use super::lexer::{Fragment, Frame, Lexer};
use super::tokens::{Tok, Token};
use ferrospin_source::Diagnostic;

impl Lexer<'_> {
    /// The token of `c_code`, `c_decl` or `c_expr` together with the fragment behind the word.
    pub(super) fn c_fragment(&mut self, tok: Tok, lo: usize, after: usize, end: usize) -> Token {
        let word = &self.text[lo..after];
        let mut fragment = Fragment::default();
        let mut at = skip_white(self.text, after, end);
        while self.text[at..end].starts_with('[') {
            let Some(close) = bracket(self.text, at, end) else { break };
            fragment.precondition = Some((at as u32 + 1, close as u32));
            at = skip_white(self.text, close + 1, end);
        }
        let close = if self.text[at..end].starts_with('{') {
            matching_brace(self.text, at, end)
        } else {
            Err(Balance::NotThere)
        };
        let stop = match close {
            Ok(close) => {
                fragment.text = (at as u32 + 1, close as u32);
                close + 1
            }
            Err(why) => {
                let span = self.span(lo, after);
                let message = format!("`{word}` needs C text in braces");
                let d = Diagnostic::error("c-code", span, message).note(why.say());
                self.error(d);
                fragment.text = (after as u32, after as u32);
                if why == Balance::NotThere && !self.text[at..end].starts_with('[') { after } else { end }
            }
        };
        if let Some(Frame::Text { pos, .. }) = self.frames.last_mut() {
            *pos = stop;
        }
        self.fragments.push(fragment);
        self.last_raw = tok;
        let span = self.span(lo, stop);
        Token { tok, value: self.fragments.len() as i32 - 1, span, lo: lo as u32, hi: stop as u32, implied: false }
    }

    /// The range of the body of an inline, braces included, right behind the head; `None` where there is none.
    pub(super) fn inline_body(&mut self) -> Option<(usize, usize)> {
        let Some(Frame::Text { pos, end, .. }) = self.frames.last() else { return None };
        let (after, end) = (*pos, *end);
        let at = skip_white(self.text, after, end);
        let close = if self.text[at..end].starts_with('{') {
            matching_brace(self.text, at, end)
        } else {
            Err(Balance::NotThere)
        };
        match close {
            Ok(close) => {
                if let Some(Frame::Text { pos, .. }) = self.frames.last_mut() {
                    *pos = close + 1;
                }
                Some((at, close + 1))
            }
            Err(why) => {
                let span = self.span(at.min(end.saturating_sub(1)), (at + 1).min(end));
                let d = Diagnostic::error("missing-brace", span, "the body of an `inline` stands in braces");
                self.error(d.note(why.say()));
                if why != Balance::NotThere
                    && let Some(Frame::Text { pos, .. }) = self.frames.last_mut()
                {
                    *pos = end;
                }
                None
            }
        }
    }
}

/// Why no closing brace was found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Balance {
    NotThere,
    Open,
    Quote,
}

impl Balance {
    fn say(self) -> &'static str {
        match self {
            Balance::NotThere => "expected `{`",
            Balance::Open => "the closing `}` is missing: braces in the text must balance",
            Balance::Quote => "a string or character in the text is not closed",
        }
    }
}

fn skip_white(text: &str, mut at: usize, end: usize) -> usize {
    let bytes = text.as_bytes();
    while at < end && matches!(bytes[at], b' ' | b'\t' | 0x0c | b'\r' | b'\n') {
        at += 1;
    }
    at
}

/// The `]` that closes the `[` at `at`.
fn bracket(text: &str, at: usize, end: usize) -> Option<usize> {
    let mut depth = 0;
    for (i, b) in text.as_bytes()[at..end].iter().enumerate() {
        match b {
            b'[' => depth += 1,
            b']' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + i);
                }
            }
            _ => {}
        }
    }
    None
}

/// The `}` that closes the `{` at `at`; braces in strings and characters do not count.
fn matching_brace(text: &str, at: usize, end: usize) -> Result<usize, Balance> {
    let bytes = text.as_bytes();
    let mut depth = 0usize;
    let mut i = at;
    while i < end {
        match bytes[i] {
            b'{' => depth += 1,
            b'}' => {
                depth -= 1;
                if depth == 0 {
                    return Ok(i);
                }
            }
            quote @ (b'"' | b'\'') => {
                i += 1;
                if quote == b'\'' {
                    // The first character is taken as it is, so that `'''` is the quote itself.
                    i += if i < end && bytes[i] == b'\\' { 2 } else { 1 };
                }
                while i < end && bytes[i] != quote {
                    i += if bytes[i] == b'\\' { 2 } else { 1 };
                }
                if i >= end {
                    return Err(Balance::Quote);
                }
            }
            _ => {}
        }
        i += 1;
    }
    Err(Balance::Open)
}

/// Text with its white space normalised: lines trimmed, empty ones dropped, runs of blanks made one. Strings and
/// character constants stay as they are. Line breaks stay, because they can end statements.
pub(super) fn normalise(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        if !out.is_empty() {
            out.push('\n');
        }
        let mut quote = None;
        let mut escaped = false;
        for c in line.chars() {
            if escaped {
                escaped = false;
            } else if let Some(q) = quote {
                escaped = c == '\\';
                if c == q {
                    quote = None;
                }
            } else if c == '"' || c == '\'' || c == '$' {
                quote = Some(c);
            } else if c.is_whitespace() {
                if !out.ends_with(' ') {
                    out.push(' ');
                }
                continue;
            }
            out.push(c);
        }
    }
    out
}

/// Whether C text looks as if it changed something: an assignment, `;`, `++` or `--`. The test is SPIN's, on characters, but for
/// calls, which SPIN refuses: what a function changes is found out where the C is read.
pub(super) fn has_side_effects(text: &str) -> bool {
    let text = text.trim_start_matches(' ');
    let bytes = text.as_bytes();
    let before = |at: usize| at.checked_sub(1).map_or(b'{', |i| bytes[i]);
    for pattern in [";", "++", "--"] {
        if let Some(at) = text.find(pattern)
            && !matches!(before(at), b'"' | b'\'')
        {
            return true;
        }
    }
    let mut at = 0;
    while let Some(i) = bytes.get(at..).and_then(|rest| rest.iter().position(|b| *b == b'=')) {
        let here = at + i;
        if matches!(before(here), b'!' | b'>' | b'<' | b'"' | b'\'') {
            at = here + 2;
            continue;
        }
        if bytes.get(here + 1) != Some(&b'=') {
            return true;
        }
        at = here + 2;
    }
    false
}
