//! Where a proposition ends.
//!
//! At a place where an operand is expected, [`Scanner::scan`] finds the longest Promela expression without logical
//! operators: primaries (names with indices, fields, arguments, labels; numbers; parenthesised expressions) joined by
//! arithmetic and comparisons. In the project dialect `& | ^ + *` are connectives, unless the same run of operands
//! also holds an operator that only arithmetic has (`x + 1 > y`). All work is linear in the number of tokens.

use crate::Dialect;
use crate::lex::{Bracket, Kind, Token};

/// Tokens with what is known about their brackets.
pub(crate) struct Scanner<'a> {
    text: &'a str,
    tokens: &'a [Token],
    dialect: Dialect,
    /// For an opening bracket, the index of the closing one.
    partner: Vec<u32>,
    /// Opening brackets of Promela's conditional expression `(c -> a : b)`.
    conditional: Vec<bool>,
    /// How many temporal operators stand before each token.
    temporal_before: Vec<u32>,
    /// First tokens of operands in runs that are known to hold no arithmetic, so that no run is read twice.
    logical: Vec<bool>,
}

/// What [`Scanner::scan`] found.
pub(crate) struct Scan {
    /// One past the last token.
    pub(crate) end: usize,
    /// Whether it is one proposition; otherwise it is a parenthesised formula.
    pub(crate) opaque: bool,
    /// Whether it has operators outside brackets, so that it needs parentheses to stand beside others.
    pub(crate) operators: bool,
}

/// A bracket without partner, or two that do not fit.
pub(crate) enum Unbalanced {
    /// An opening bracket that is never closed.
    Open(usize),
    /// A closing bracket that was never opened.
    Close(usize),
    /// An opening bracket and the closing one that does not fit it.
    Mixed(usize, usize),
}

fn is_temporal(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Next
            | Kind::Eventually
            | Kind::Always
            | Kind::Until
            | Kind::Release
            | Kind::WeakUntil
            | Kind::StrongRelease
    )
}

impl<'a> Scanner<'a> {
    /// Pairs the brackets.
    pub(crate) fn new(text: &'a str, tokens: &'a [Token], dialect: Dialect) -> Result<Self, Unbalanced> {
        let mut partner = vec![0; tokens.len()];
        let mut conditional = vec![false; tokens.len()];
        let mut temporal_before = Vec::with_capacity(tokens.len() + 1);
        let mut temporal = 0;
        let mut open: Vec<(usize, Bracket, bool)> = Vec::new();
        for (i, t) in tokens.iter().enumerate() {
            temporal_before.push(temporal);
            // After `.`, `@` and `:` a word is a name, whatever it means elsewhere.
            let named = i > 0 && matches!(tokens[i - 1].kind, Kind::Dot | Kind::At | Kind::Colon);
            temporal += u32::from(is_temporal(t.kind) && !named);
            match (t.kind, open.last_mut()) {
                (Kind::Open(b), _) => open.push((i, b, false)),
                (Kind::Close(_), None) => return Err(Unbalanced::Close(i)),
                (Kind::Close(b), Some(&mut (o, c, _))) => {
                    if b != c {
                        return Err(Unbalanced::Mixed(o, i));
                    }
                    open.pop();
                    partner[o] = i as u32;
                }
                (Kind::Implies, Some(top)) => top.2 = true,
                (Kind::Colon, Some(&mut (o, Bracket::Round, true))) => conditional[o] = true,
                _ => {}
            }
        }
        temporal_before.push(temporal);
        match open.last() {
            Some(&(o, ..)) => Err(Unbalanced::Open(o)),
            None => Ok(Self {
                text,
                tokens,
                dialect,
                partner,
                conditional,
                temporal_before,
                logical: vec![false; tokens.len()],
            }),
        }
    }

    /// Whether a temporal operator stands among these tokens.
    pub(crate) fn temporal(&self, from: usize, to: usize) -> bool {
        self.temporal_before[from] != self.temporal_before[to]
    }

    /// One past the bracket that closes the one at `open`.
    pub(crate) fn after(&self, open: usize) -> usize {
        self.partner[open] as usize + 1
    }

    /// Scans the operand that begins at token `start`; `None` if none begins there.
    pub(crate) fn scan(&mut self, start: usize) -> Option<Scan> {
        let project = self.dialect == Dialect::Project;
        let mut at = start;
        let mut end = start;
        let mut certain = false;
        let mut first = None;
        let mut starts = Vec::new();
        loop {
            while matches!(self.tokens[at].kind, Kind::Not | Kind::Tilde | Kind::Minus) {
                if self.logical[at] && first.is_none() {
                    return None;
                }
                starts.push(at);
                certain |= self.tokens[at].kind == Kind::Minus || (self.tokens[at].kind == Kind::Tilde && !project);
                at += 1;
            }
            let Some(after) = self.primary(at) else { break };
            if self.logical[at] && !certain {
                return self.logical_operand(start, first.unwrap_or(after));
            }
            starts.push(at);
            first = first.or(Some(after));
            at = after;
            end = at;
            match self.tokens[at].kind {
                Kind::Arithmetic | Kind::Minus => certain = true,
                Kind::Shared if !project => certain = true,
                Kind::Shared => {}
                _ => break,
            }
            at += 1;
        }
        if certain && first.is_some() {
            return Some(Scan { end, opaque: true, operators: true });
        }
        starts.iter().for_each(|&i| self.logical[i] = true);
        self.logical_operand(start, first?)
    }

    /// The operand at `start`, whose first primary ends at `end`, when no arithmetic surrounds it.
    fn logical_operand(&self, start: usize, end: usize) -> Option<Scan> {
        let opaque = match self.tokens[start].kind {
            Kind::Not | Kind::Tilde => return None,
            Kind::Open(_) => self.conditional[start],
            _ => true,
        };
        Some(Scan { end, opaque, operators: false })
    }

    /// One past the primary expression that begins at `at`.
    fn primary(&self, at: usize) -> Option<usize> {
        let kind = |i: usize| self.tokens.get(i).map_or(Kind::End, |t| t.kind);
        let mut end = match kind(at) {
            Kind::Number | Kind::Char | Kind::True | Kind::False => return Some(at + 1),
            Kind::Ident => at + 1,
            // `()` is the operator next.
            Kind::Open(Bracket::Round) if self.after(at) > at + 2 => return Some(self.after(at)),
            _ => return None,
        };
        loop {
            end = match kind(end) {
                Kind::Open(Bracket::Round | Bracket::Square) => self.after(end),
                Kind::Dot | Kind::At if self.is_word(end + 1) => end + 2,
                Kind::Colon if kind(end - 1) == Kind::Close(Bracket::Square) && self.is_word(end + 1) => end + 2,
                Kind::Question if kind(end + 1) == Kind::Open(Bracket::Square) => self.after(end + 1),
                _ => return Some(end),
            };
        }
    }

    fn is_word(&self, at: usize) -> bool {
        self.tokens
            .get(at)
            .is_some_and(|t| self.text[t.lo..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
    }
}
