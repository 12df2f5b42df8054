//! The AUT format of Aldébaran, which CADP and mCRL2 write and read.
//!
//! ```text
//! des (0, 2, 2)
//! (0, "coin", 1)
//! (1, tau, 0)
//! ```
//!
//! The first line names the initial state and the numbers of transitions and states; each further line is a transition. Labels
//! stand in quotes, or without them where they hold no comma; `tau` and `i` are the internal action. The reader believes nothing
//! of the header that the transitions do not bear out, and takes memory for what it has read, not for what is announced.

use crate::graph::{Builder, Edge, Graph, Label, Labels, State, TAU_TEXT};
use rustc_hash::FxHashMap;
use std::fmt::Write;
use std::ops::Range;
use thiserror::Error;

/// What is wrong with a text, and where.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{line}:{column}: {kind}")]
pub struct AutError {
    /// From 1.
    pub line: u64,
    /// In bytes, from 1.
    pub column: u64,
    /// The bytes of the text that are meant; empty at the end of the text.
    pub range: Range<usize>,
    /// What is wrong.
    pub kind: AutErrorKind,
}

/// What can be wrong with a text.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[allow(missing_docs)]
pub enum AutErrorKind {
    #[error("the file is empty; an AUT file begins with `des (INITIAL, TRANSITIONS, STATES)`")]
    Empty,
    #[error("expected {expected}")]
    Expected { expected: &'static str },
    #[error("the number is too large: at most {max} is possible here")]
    Number { max: u64 },
    #[error("the label has no closing quote")]
    Quote,
    #[error("a label is text in UTF-8 without control characters; this byte is 0x{byte:02x}")]
    Byte { byte: u8 },
    #[error("there is no state {state}: the header announces {states} states, numbered from 0")]
    State { state: u64, states: u64 },
    #[error("the header announces {announced} transitions, but there are only {found}")]
    TooFew { announced: u64, found: u64 },
    #[error("the header announces {announced} transitions, and this is one more")]
    TooMany { announced: u64 },
    #[error("the header announces {states} states, but {transitions} transitions can name only {named} of them")]
    Unnamed { states: u64, transitions: u64, named: u64 },
}

/// Reads a text.
pub fn read(text: &[u8]) -> Result<Graph, AutError> {
    let mut reader = Reader { text, at: 0, line_start: 0, line: 1 };
    reader.skip_blank_lines();
    if reader.at == text.len() {
        return Err(reader.error(reader.at..reader.at, AutErrorKind::Empty));
    }
    let header = reader.header()?;
    // A transition takes at least eight bytes, with its line end.
    let mut builder = Builder::new();
    builder.reserve((header.transitions as usize).min(text.len() / 8));
    let mut labels: FxHashMap<&[u8], Label> = FxHashMap::default();
    let mut found = 0;
    loop {
        reader.skip_blank_lines();
        if reader.at == text.len() {
            break;
        }
        let start = reader.at;
        let source = reader.open_state(header.states)?;
        let label_range = reader.label()?;
        let target = reader.close_state(header.states)?;
        if found == header.transitions {
            let announced = header.transitions;
            return Err(reader.error(start..reader.at, AutErrorKind::TooMany { announced }));
        }
        found += 1;
        let bytes = &text[label_range.clone()];
        let label = match labels.get(bytes) {
            Some(label) => *label,
            None => {
                let label = reader.new_label(label_range, &mut builder.labels)?;
                labels.insert(bytes, label);
                label
            }
        };
        builder.push(source, Edge { label, target });
        reader.end_of_line()?;
    }
    if found < header.transitions {
        let kind = AutErrorKind::TooFew { announced: header.transitions, found };
        return Err(reader.error(text.len()..text.len(), kind));
    }
    Ok(builder.finish(header.states as usize, header.initial))
}

/// Number of states that may be announced whatever the number of transitions.
const LONE_STATES_MAX: u64 = 1 << 20;

struct Header {
    initial: State,
    transitions: u64,
    states: u64,
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    line_start: usize,
    line: u64,
}

impl Reader<'_> {
    fn error(&self, range: Range<usize>, kind: AutErrorKind) -> AutError {
        AutError { line: self.line, column: (range.start - self.line_start) as u64 + 1, range, kind }
    }

    /// An error at the next character, or at the end of the line.
    fn expected(&self, expected: &'static str) -> AutError {
        let len = usize::from(self.peek().is_some_and(|b| b != b'\n'));
        self.error(self.at..self.at + len, AutErrorKind::Expected { expected })
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn skip_spaces(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r')) {
            self.at += 1;
        }
    }

    fn skip_blank_lines(&mut self) {
        loop {
            self.skip_spaces();
            if self.peek() != Some(b'\n') {
                return;
            }
            self.at += 1;
            self.line += 1;
            self.line_start = self.at;
        }
    }

    fn take(&mut self, byte: u8, expected: &'static str) -> Result<(), AutError> {
        self.skip_spaces();
        if self.peek() != Some(byte) {
            return Err(self.expected(expected));
        }
        self.at += 1;
        Ok(())
    }

    /// A number and where it stands.
    fn number(&mut self, max: u64, expected: &'static str) -> Result<(u64, Range<usize>), AutError> {
        self.skip_spaces();
        let start = self.at;
        let mut value = 0u64;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            // Larger than any limit stays larger.
            value = value.saturating_mul(10).saturating_add(u64::from(digit - b'0'));
            self.at += 1;
        }
        if self.at == start {
            return Err(self.expected(expected));
        }
        if value > max {
            return Err(self.error(start..self.at, AutErrorKind::Number { max }));
        }
        Ok((value, start..self.at))
    }

    fn header(&mut self) -> Result<Header, AutError> {
        const MAX: u64 = u32::MAX as u64;
        let start = self.at;
        if !self.text[self.at..].starts_with(b"des") {
            return Err(self.expected("the header `des (INITIAL, TRANSITIONS, STATES)`"));
        }
        self.at += 3;
        self.take(b'(', "`(` and the initial state")?;
        let (initial, initial_range) = self.number(MAX, "the number of the initial state")?;
        self.take(b',', "`,` and the number of transitions")?;
        let (transitions, _) = self.number(MAX, "the number of transitions")?;
        self.take(b',', "`,` and the number of states")?;
        let (states, states_range) = self.number(MAX >> 1, "the number of states")?;
        self.take(b')', "`)` at the end of the header")?;
        if initial >= states {
            return Err(self.error(initial_range, AutErrorKind::State { state: initial, states }));
        }
        // States without edges are allowed, but not as many as one likes.
        let named = 2 * transitions + 1;
        if states > named.max(LONE_STATES_MAX) {
            return Err(self.error(states_range, AutErrorKind::Unnamed { states, transitions, named }));
        }
        // What is announced must fit into the text before memory is taken for it.
        let possible = (self.text.len() - start) as u64 / 7;
        if transitions > possible && states > 2 * possible + 1 {
            let found = self.text[self.at..].split(|b| *b == b'\n').filter(|l| l.contains(&b'(')).count() as u64;
            let end = self.text.len();
            let kind = AutErrorKind::TooFew { announced: transitions, found };
            self.line += self.text[self.at..].iter().filter(|b| **b == b'\n').count() as u64;
            self.line_start = self.text.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
            return Err(self.error(end..end, kind));
        }
        self.end_of_line()?;
        Ok(Header { initial: State(initial as u32), transitions, states })
    }

    fn state(&mut self, states: u64, expected: &'static str) -> Result<State, AutError> {
        let (state, range) = self.number(u64::MAX - 1, expected)?;
        if state >= states {
            return Err(self.error(range, AutErrorKind::State { state, states }));
        }
        Ok(State(state as u32))
    }

    fn open_state(&mut self, states: u64) -> Result<State, AutError> {
        self.take(b'(', "a transition `(FROM, \"LABEL\", TO)`")?;
        let state = self.state(states, "the number of the state that the transition leaves")?;
        self.take(b',', "`,` and a label")?;
        Ok(state)
    }

    /// Where the label stands, quotes left out; the comma behind it has been taken.
    fn label(&mut self) -> Result<Range<usize>, AutError> {
        self.skip_spaces();
        let rest = &self.text[self.at..];
        let start = self.at;
        if rest.first() == Some(&b'"') {
            // A label may hold quotes: the last one is the one before `, NUMBER )` and the end of the line.
            let mut end = 1;
            while let Some(len) = rest[end..].iter().position(|b| matches!(b, b'"' | b'\n')) {
                end += len;
                if rest[end] == b'\n' {
                    break;
                }
                if let Some(comma) = closes(&rest[end + 1..]) {
                    self.at = start + end + 1 + comma + 1;
                    return Ok(start + 1..start + end);
                }
                end += 1;
            }
            let line_end = rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
            // Without a closing quote the place is the opening one; with one that nothing follows, what should.
            let Some(quote) = rest[1..line_end].iter().rposition(|b| *b == b'"') else {
                return Err(self.error(start..start + 1, AutErrorKind::Quote));
            };
            self.at = start + quote + 2;
            self.take(b',', "`,` and the number of a state")?;
            return Ok(start + 1..start + 1 + quote);
        }
        let line_end = rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
        let Some(comma) = rest[..line_end].iter().rposition(|b| *b == b',') else {
            if let Some(quote) = rest[..line_end].iter().position(|b| *b == b'"') {
                return Err(self.error(start + quote..start + quote + 1, AutErrorKind::Quote));
            }
            self.at = start + line_end - usize::from(rest[..line_end].last() == Some(&b'\r'));
            return Err(self.expected("`,` and the number of a state"));
        };
        let label = rest[..comma].trim_ascii_end();
        if label.is_empty() {
            return Err(self.expected("a label"));
        }
        if let Some(quote) = label.iter().position(|b| *b == b'"') {
            return Err(self.error(start + quote..start + quote + 1, AutErrorKind::Quote));
        }
        self.at = start + comma + 1;
        Ok(start..start + label.len())
    }

    fn close_state(&mut self, states: u64) -> Result<State, AutError> {
        let state = self.state(states, "the number of the state that the transition enters")?;
        self.take(b')', "`)` at the end of the transition")?;
        Ok(state)
    }

    fn end_of_line(&mut self) -> Result<(), AutError> {
        self.skip_spaces();
        match self.peek() {
            None | Some(b'\n') => Ok(()),
            Some(_) => Err(self.expected("the end of the line")),
        }
    }

    fn new_label(&self, range: Range<usize>, labels: &mut Labels) -> Result<Label, AutError> {
        let bytes = &self.text[range.clone()];
        let bad = |i: usize| {
            let at = range.start + i;
            self.error(at..at + 1, AutErrorKind::Byte { byte: self.text[at] })
        };
        if let Some(i) = bytes.iter().position(u8::is_ascii_control) {
            return Err(bad(i));
        }
        let text = str::from_utf8(bytes).map_err(|e| bad(e.valid_up_to()))?;
        Ok(match text {
            "i" | TAU_TEXT => Label::TAU,
            _ => labels.add(text),
        })
    }
}

/// Whether `, NUMBER )` and the end of the line stand here; where the comma is.
fn closes(rest: &[u8]) -> Option<usize> {
    let skip = |mut i: usize| {
        while matches!(rest.get(i), Some(b' ' | b'\t' | b'\r')) {
            i += 1;
        }
        i
    };
    let comma = skip(0);
    if rest.get(comma) != Some(&b',') {
        return None;
    }
    let digits = skip(comma + 1);
    let mut end = digits;
    while matches!(rest.get(end), Some(b'0'..=b'9')) {
        end += 1;
    }
    let close = skip(end);
    let ends = rest.get(close) == Some(&b')') && matches!(rest.get(skip(close + 1)), None | Some(b'\n'));
    (end > digits && ends).then_some(comma)
}

/// Writes a graph. States that carry propositions are written by [`crate::operations::propositions_as_labels`] first.
pub fn write(graph: &Graph) -> String {
    let mut out = String::with_capacity(graph.edge_count() * 24 + 40);
    let _ = writeln!(out, "des ({}, {}, {})", graph.initial().0, graph.edge_count(), graph.state_count());
    let texts: Vec<String> = graph.labels().iter().map(|(_, text)| text.replace(char::is_control, " ")).collect();
    for (source, edge) in graph.all_edges() {
        push_number(&mut out, "(", source.0);
        out.push_str(", \"");
        out.push_str(&texts[edge.label.index()]);
        push_number(&mut out, "\", ", edge.target.0);
        out.push_str(")\n");
    }
    out
}

/// `write!` without its cost.
fn push_number(out: &mut String, before: &str, mut number: u32) {
    out.push_str(before);
    let mut digits = [0u8; 10];
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.push_str(str::from_utf8(&digits[start..]).expect("digits are text"));
}
