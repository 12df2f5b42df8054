//! From characters to raw tokens.
//!
//! The lexer reads a stack of frames: the text of the model at the bottom, above it the body of each inline that is
//! being expanded and the tokens of the argument that is being substituted. What a word is depends on what has been
//! declared so far, and some tokens depend on where the parser is (inside parentheses, a `for` head, a formula), so
//! the parser sets flags here and never reads further ahead than one token.

use super::inline::InlineDef;
use super::tokens::{KEYWORDS, LTL_WORDS, Tok, Token};
use crate::ast::VarRef;
use crate::preprocess::Expanded;
use ferrospin_source::{Diagnostic, Diagnostics, Expansion, ExpansionId, Severity, SourceMap, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use std::sync::Arc;

/// Where tokens come from.
pub(super) enum Frame {
    /// A stretch of the expanded text; an inline body when `call` is set.
    Text { pos: usize, end: usize, call: Option<Box<Call>> },
    /// An argument that takes the place of a parameter.
    Tokens { list: Rc<[Token]>, next: usize },
}

/// One call of an inline.
pub(super) struct Call {
    pub(super) def: usize,
    pub(super) params: Rc<[Arc<str>]>,
    pub(super) args: Vec<Rc<[Token]>>,
    pub(super) expansion: ExpansionId,
    pub(super) target: Option<VarRef>,
    /// The macro expansions of the body, as they appear below this call.
    pub(super) rerooted: FxHashMap<ExpansionId, ExpansionId>,
}

/// A piece of embedded C.
#[derive(Clone, Default)]
pub(super) struct Fragment {
    pub(super) precondition: Option<(u32, u32)>,
    pub(super) text: (u32, u32),
}

/// Names whose kind the grammar depends on.
#[derive(Default)]
pub(super) struct Known {
    pub(super) mtypes: FxHashMap<Arc<str>, i32>,
    pub(super) typedefs: FxHashSet<Arc<str>>,
    pub(super) proctypes: FxHashSet<Arc<str>>,
    pub(super) inlines: FxHashMap<Arc<str>, usize>,
    /// A variable called `not` keeps its meaning in formulas.
    pub(super) not_is_variable: bool,
}

pub(super) struct Lexer<'a> {
    pub(super) map: &'a mut SourceMap,
    pub(super) text: &'a str,
    expanded: &'a Expanded,
    pub(super) frames: Vec<Frame>,
    pub(super) known: Known,
    pub(super) defs: Vec<InlineDef>,
    pub(super) fragments: Vec<Fragment>,
    pub(super) said: Diagnostics,
    seen: FxHashSet<(&'static str, u32, u32)>,
    keywords: FxHashMap<&'static str, Tok>,

    /// Inside a body or typedef, where line breaks can end statements.
    pub(super) in_seq: bool,
    /// Open parentheses.
    pub(super) parens: u32,
    /// In the head of a `for`, where `in` is a keyword.
    pub(super) in_for: bool,
    /// In a formula.
    pub(super) ltl_mode: bool,
    /// Further words that are operators in the formula at hand.
    pub(super) operators: Vec<(&'static str, Tok)>,

    /// The last raw token, for implied semicolons.
    pub(super) last_raw: Tok,
    /// The last token given to the parser.
    pub(super) last: Tok,
    pub(super) hold: Option<Token>,
    /// Tokens read before the text goes on, last first.
    pub(super) pending: Vec<Token>,
    /// The `ltl` blocks, which are read after everything else; whether the closing brace is missing.
    deferred: Vec<(usize, usize, bool)>,
    next_deferred: usize,
    deferring: bool,
    /// Tokens and expansions made by inlines, which are bounded.
    pub(super) inlined_tokens: usize,
    pub(super) inlined_calls: usize,
    pub(super) exhausted: bool,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(map: &'a mut SourceMap, expanded: &'a Expanded) -> Self {
        Lexer {
            map,
            text: &expanded.text,
            expanded,
            frames: vec![Frame::Text { pos: 0, end: expanded.text.len(), call: None }],
            known: Known::default(),
            defs: Vec::new(),
            fragments: Vec::new(),
            said: Diagnostics::default(),
            seen: FxHashSet::default(),
            keywords: KEYWORDS.iter().copied().collect(),
            in_seq: false,
            parens: 0,
            in_for: false,
            ltl_mode: false,
            operators: Vec::new(),
            last_raw: Tok::Eof,
            last: Tok::Eof,
            hold: None,
            pending: Vec::new(),
            deferred: Vec::new(),
            next_deferred: 0,
            deferring: false,
            inlined_tokens: 0,
            inlined_calls: 0,
            exhausted: false,
        }
    }

    /// Ends the input here: from now on there is only the end of the file.
    pub(super) fn stop(&mut self) {
        let end = self.text.len();
        self.frames = vec![Frame::Text { pos: end, end, call: None }];
        self.deferred.clear();
        self.next_deferred = 0;
        self.pending.clear();
        self.hold = None;
    }

    /// Drops the frames above the given number, and what was read ahead from them.
    pub(super) fn truncate(&mut self, frames: usize) {
        self.frames.truncate(frames);
        self.hold = None;
        self.pending.clear();
        self.last = Tok::RBrace;
        self.last_raw = Tok::RBrace;
    }

    /// Whether an inline is being expanded.
    fn inlining(&self) -> bool {
        self.frames.len() > 1
    }

    /// The innermost call that is being expanded.
    pub(super) fn current_call(&self) -> Option<&Call> {
        self.frames.iter().rev().find_map(|f| match f {
            Frame::Text { call, .. } => call.as_deref(),
            Frame::Tokens { .. } => None,
        })
    }

    /// The text a token was read from.
    pub(super) fn token_text(&self, t: &Token) -> &'a str {
        self.text.get(t.lo as usize..t.hi as usize).unwrap_or("")
    }

    /// Source span of a range of the text in the current frame.
    pub(super) fn span(&mut self, lo: usize, hi: usize) -> Span {
        let mut span = self.expanded.span(lo, hi);
        let Some(Frame::Text { call: Some(call), .. }) = self.frames.last_mut() else { return span };
        // The macros of the body are copied below the call, outermost first, so that numbers grow inwards.
        let mut chain = Vec::new();
        let mut at = span.expansion;
        while at != ExpansionId::NONE && !call.rerooted.contains_key(&at) {
            chain.push(at);
            at = self.map.expansion(at).map_or(ExpansionId::NONE, |e| e.call_site.expansion);
        }
        let mut parent = call.rerooted.get(&at).copied().unwrap_or(call.expansion);
        for old in chain.into_iter().rev() {
            let Some(e) = self.map.expansion(old) else { continue };
            let copy =
                Expansion { kind: e.kind, name: e.name.clone(), call_site: Span { expansion: parent, ..e.call_site } };
            parent = self.map.add_expansion(copy);
            call.rerooted.insert(old, parent);
        }
        span.expansion = parent;
        span
    }

    /// Adds a message unless the same was said about the same text: an inline is read once per call.
    pub(super) fn say(&mut self, d: Diagnostic) -> bool {
        let new = self.seen.insert((d.code, d.span.lo, d.span.hi));
        if new {
            self.said.push(d);
        }
        new
    }

    pub(super) fn error(&mut self, d: Diagnostic) {
        self.say(d);
    }

    pub(super) fn byte(&self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or(0)
    }

    /// Position and end of the text in the top frame.
    fn here(&self) -> (usize, usize) {
        match self.frames.last() {
            Some(Frame::Text { pos, end, .. }) => (*pos, *end),
            _ => (0, 0),
        }
    }

    pub(super) fn move_to(&mut self, to: usize) {
        if let Some(Frame::Text { pos, .. }) = self.frames.last_mut() {
            *pos = to;
        }
    }

    pub(super) fn token(&mut self, tok: Tok, lo: usize, hi: usize) -> Token {
        self.last_raw = tok;
        let span = self.span(lo, hi);
        Token { tok, value: 0, span, lo: lo as u32, hi: hi as u32, implied: false }
    }

    /// The next raw token: implied semicolons at line breaks are in, the other repairs are not.
    pub(super) fn raw(&mut self) -> Token {
        if let Some(t) = self.pending.pop() {
            self.last_raw = t.tok;
            return t;
        }
        loop {
            if self.inlining() {
                self.inlined_tokens += 1;
            }
            match self.frames.last_mut() {
                Some(Frame::Tokens { list, next }) => {
                    let Some(&t) = list.get(*next) else {
                        self.frames.pop();
                        continue;
                    };
                    *next += 1;
                    return self.replayed(t);
                }
                Some(Frame::Text { pos, end, .. }) if *pos >= *end => {
                    if self.inlining() {
                        self.frames.pop();
                    } else if let Some(t) = self.at_end() {
                        return t;
                    }
                }
                _ => {
                    if let Some(t) = self.scan() {
                        return t;
                    }
                }
            }
        }
    }

    /// The end of the text: goes on with the next deferred formula, if there is one.
    fn at_end(&mut self) -> Option<Token> {
        if self.deferring
            && let Some((_, end, true)) = self.next_deferred.checked_sub(1).and_then(|i| self.deferred.get(i)).copied()
        {
            self.deferred[self.next_deferred - 1].2 = false;
            let t = Token { implied: true, ..self.token(Tok::RBrace, end, end) };
            return Some(t);
        }
        if let Some(&(lo, hi, _)) = self.deferred.get(self.next_deferred) {
            self.next_deferred += 1;
            self.deferring = true;
            if let Some(Frame::Text { pos, end, .. }) = self.frames.last_mut() {
                (*pos, *end) = (lo, hi);
            }
            return None;
        }
        let end = self.text.len();
        // The end of the file is shown behind its last visible character.
        let shown = self.text.trim_end().len();
        let span = self.expanded.span(shown.saturating_sub(1), shown);
        self.last_raw = Tok::Eof;
        Some(Token { tok: Tok::Eof, value: 0, span, lo: end as u32, hi: end as u32, implied: false })
    }

    /// A token of an argument; words are looked up again, because the place may give them another meaning.
    fn replayed(&mut self, t: Token) -> Token {
        let text = self.token_text(&t);
        let mut t = t;
        if !t.implied
            && !matches!(t.tok, Tok::CExpr | Tok::Timeout)
            && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        {
            t.tok = self.classify(text);
        }
        self.last_raw = t.tok;
        t
    }

    /// Reads one token of the text in the top frame; `None` for white space and what else yields no token.
    fn scan(&mut self) -> Option<Token> {
        let (lo, end) = self.here();
        let c = self.byte(lo);
        match c {
            b' ' | b'\t' | 0x0c | b'\r' => {
                self.move_to(lo + 1);
                None
            }
            b'\n' => self.line_break(lo, end),
            b'"' | b'$' => Some(self.string(lo, end, c)),
            b'\'' => Some(self.character(lo, end)),
            b'0'..=b'9' => Some(self.number(lo, end)),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.word(lo, end),
            _ => self.operator(lo, end),
        }
    }

    fn line_break(&mut self, lo: usize, end: usize) -> Option<Token> {
        self.move_to(lo + 1);
        if !(self.in_seq && self.parens == 0 && self.last_raw.ends_line()) {
            return None;
        }
        if self.last_raw == Tok::RBrace {
            let mut at = lo + 1;
            while at < end && matches!(self.byte(at), b' ' | b'\t' | 0x0c | b'\r' | b'\n') {
                at += 1;
            }
            self.move_to(at);
            // What follows may be `unless`.
            if at < end && self.byte(at) == b'u' {
                return None;
            }
        }
        Some(Token { implied: true, ..self.token(Tok::Semi, lo, lo) })
    }

    fn word(&mut self, lo: usize, end: usize) -> Option<Token> {
        let mut at = lo;
        while at < end && (self.byte(at).is_ascii_alphanumeric() || self.byte(at) == b'_') {
            at += 1;
        }
        self.move_to(at);
        let word = &self.text[lo..at];
        let tok = self.classify(word);
        if tok == Tok::Name || matches!(tok, Tok::TypeName | Tok::ProcName | Tok::InlineName) {
            // Keywords and mtype constants are never parameters.
            if let Some(list) = self.argument_for(word) {
                self.frames.push(Frame::Tokens { list, next: 0 });
                return None;
            }
        }
        match tok {
            Tok::Timeout if !self.inlining() && self.last_raw != Tok::LParen => {
                let t = self.token(tok, lo, at);
                self.pending.push(Token { tok: Tok::RParen, implied: true, ..t });
                self.pending.push(t);
                self.last_raw = Tok::LParen;
                Some(Token { tok: Tok::LParen, implied: true, ..t })
            }
            Tok::Select if !self.inlining() => {
                let value = super::select::spelled(&self.text[at..end]) as i32;
                Some(Token { value, ..self.token(tok, lo, at) })
            }
            Tok::Ltl if !self.deferring && !self.inlining() => {
                self.defer(lo, at, end);
                None
            }
            Tok::CCode | Tok::CDecl | Tok::CExpr => Some(self.c_fragment(tok, lo, at, end)),
            _ => Some(self.token(tok, lo, at)),
        }
    }

    /// The argument that replaces a word of an inline body.
    fn argument_for(&self, word: &str) -> Option<Rc<[Token]>> {
        let Some(Frame::Text { call: Some(call), .. }) = self.frames.last() else { return None };
        let i = call.params.iter().position(|p| **p == *word)?;
        let list = call.args.get(i)?;
        // A parameter that stands for itself is left alone.
        (list.len() != 1 || self.token_text(&list[0]) != word).then(|| list.clone())
    }

    /// What kind of token a word is.
    fn classify(&self, word: &str) -> Tok {
        if self.ltl_mode {
            if let Some((_, t)) = LTL_WORDS.iter().chain(&self.operators).find(|(w, _)| *w == word) {
                return *t;
            }
            if word == "not" && !self.known.not_is_variable {
                return Tok::Bang;
            }
        }
        if let Some(&t) = self.keywords.get(word)
            && (t != Tok::In || self.in_for)
        {
            return t;
        }
        let known = &self.known;
        if known.mtypes.contains_key(word) {
            Tok::MtypeName
        } else if known.typedefs.contains(word) {
            Tok::TypeName
        } else if known.proctypes.contains(word) {
            Tok::ProcName
        } else if known.inlines.contains_key(word) {
            Tok::InlineName
        } else {
            Tok::Name
        }
    }

    /// Sets an `ltl` block aside: it is read when everything else has been.
    fn defer(&mut self, lo: usize, after: usize, end: usize) {
        let mut depth = 0;
        let mut at = after;
        while at < end {
            match self.byte(at) {
                b'{' => depth += 1,
                b'}' => {
                    depth -= 1;
                    if depth == 0 {
                        break;
                    }
                }
                _ => {}
            }
            at += 1;
        }
        let missing = at >= end;
        if missing {
            let span = self.span(lo, after);
            self.error(
                Diagnostic::lint(Severity::Warning, "missing-brace", span, "this `ltl` block is not closed")
                    .note("SPIN reads to the end of the file as if a `}` stood there"),
            );
        }
        let stop = if missing { end } else { at + 1 };
        self.deferred.push((lo, stop, missing));
        self.move_to(stop);
    }
}
