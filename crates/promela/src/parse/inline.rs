//! Inlines: definition, call, `return`.
//!
//! An inline is text. At each call its body is read anew, with the tokens of the arguments in place of the parameters,
//! without parentheses around them. The tree keeps both the call and the block the body became. Spans of the body
//! carry an expansion that leads to the call. Since calls can multiply without bound, tokens and calls are counted.

use super::fragments::normalise;
use super::lexer::{Call, Frame};
use super::tokens::{Tok, Token};
use super::{Failed, Parsed, Parser};
use crate::ast::{self, Ident, Stmt, StmtKind, Unit, VarRef};
use ferrospin_source::{Diagnostic, Expansion, ExpansionKind, Span};
use std::rc::Rc;
use std::sync::Arc;

/// The most tokens that all expansions together may yield.
pub(super) const TOKENS_MAX: usize = 2_000_000;

/// The most calls that may be expanded.
const CALLS_MAX: usize = 200_000;

/// A definition, as calls need it.
pub(super) struct InlineDef {
    name: Arc<str>,
    params: Rc<[Arc<str>]>,
    /// The body in the expanded text, braces included; empty where the definition was wrong.
    body: (usize, usize),
    at: Span,
}

impl<'a> Parser<'a> {
    /// `inline f(a, b) { ... }`
    pub(super) fn inline_definition(&mut self) -> Parsed<Unit> {
        let word = self.bump();
        if self.at(Tok::InlineName) {
            let t = self.peek_token();
            let old = self.lx.known.inlines.get(self.lx.token_text(&t)).map(|&i| self.lx.defs[i].at);
            let message = format!("the inline `{}` is defined twice", self.lx.token_text(&t));
            let mut d = Diagnostic::error("redefinition", t.span, message);
            if let Some(old) = old {
                d = d.also(old, "first defined here");
            }
            self.say(d);
            self.ahead = Some(Token { tok: Tok::Name, ..t });
        }
        let name = self.name("the name of an inline")?;
        self.l_paren("before the parameters of an inline")?;
        let mut params = Vec::new();
        if !self.at(Tok::RParen) {
            loop {
                if self.peek().is_decl_start() {
                    return Err(self.typed_inline_parameter());
                }
                params.push(self.name("the name of a parameter")?);
                if !self.eat(Tok::Comma) {
                    break;
                }
            }
        }
        self.r_paren("after the parameters of an inline")?;
        let at = self.since(word.span);
        let body = self.lx.inline_body();
        let body = match body {
            Some(range) => range,
            None => {
                self.errors += 1;
                (0, 0)
            }
        };
        let text = normalise(&self.lx.text[body.0..body.1]);
        let def = InlineDef {
            name: name.name.clone(),
            params: params.iter().map(|p: &Ident| p.name.clone()).collect(),
            body,
            at: name.at.0,
        };
        self.lx.defs.push(def);
        self.lx.known.inlines.insert(name.name.clone(), self.lx.defs.len() - 1);
        if body == (0, 0) {
            return Err(Failed);
        }
        Ok(Unit::Inline(ast::InlineDef { name, params, body: text, at }))
    }

    /// `(args)` behind the name of an inline, and what it expands to.
    pub(super) fn inline_call(&mut self, call: Token, target: Option<VarRef>) -> Parsed<StmtKind> {
        let name = self.ident_of(call);
        let def = self.lx.known.inlines.get(&*name.name).copied();
        self.l_paren("after the name of an inline")?;
        let mut args = Vec::new();
        let mut tokens: Vec<Rc<[Token]>> = Vec::new();
        if !self.at(Tok::RParen) {
            loop {
                let outer = self.record.replace(Vec::new());
                let arg = self.expr();
                let taken = std::mem::replace(&mut self.record, outer).unwrap_or_default();
                args.push(arg?);
                tokens.push(taken.into());
                if !self.eat(Tok::Comma) {
                    break;
                }
            }
        }
        self.r_paren("after the arguments of an inline")?;
        let at = self.since(call.span).0;
        let Some(def) = def else { return Err(Failed) };
        let written = tokens.iter().map(|t| self.written(t)).collect();
        let frames = self.lx.frames.len();
        self.expand(def, at, tokens, target.clone())?;
        let result = self.deeper_statement(|p| p.block());
        let Ok(body) = result else {
            // Whatever is left of the body is not read.
            self.ahead = None;
            self.lx.truncate(frames.min(self.lx.frames.len()));
            return Err(Failed);
        };
        let at = body.at;
        let body = Box::new(Stmt { labels: Vec::new(), kind: StmtKind::Block(body), at });
        Ok(StmtKind::InlineCall { name, args, written, target, body })
    }

    /// Puts the body of an inline before the rest of the text.
    fn expand(&mut self, index: usize, at: Span, args: Vec<Rc<[Token]>>, target: Option<VarRef>) -> Parsed<()> {
        let def = &self.lx.defs[index];
        let (name, params, body, defined) = (def.name.clone(), def.params.clone(), def.body, def.at);
        if args.len() != params.len() {
            let plural = if params.len() == 1 { "" } else { "s" };
            let message = format!("`{name}` takes {} argument{plural}, but {} given", params.len(), were(args.len()));
            let d = Diagnostic::error("inline-arity", at, message);
            return Err(self.fail(d.also(defined, "defined here")));
        }
        if body == (0, 0) {
            return Err(Failed);
        }
        let cyclic = self.lx.frames.iter().any(|f| matches!(f, Frame::Text { call: Some(c), .. } if c.def == index));
        if cyclic {
            let d = Diagnostic::error("inline-cyclic", at, format!("the inline `{name}` calls itself"));
            let d = d.also(defined, "defined here");
            return Err(self.fail(d.note("an inline is replaced by its text; use a `proctype` for recursion")));
        }
        self.check_capture(index, &args, at)?;
        self.lx.inlined_calls += 1;
        if self.lx.inlined_calls > CALLS_MAX && !self.lx.exhausted {
            self.inline_overflow();
            return Err(Failed);
        }
        let expansion = self.lx.map.add_expansion(Expansion { kind: ExpansionKind::Inline, name, call_site: at });
        let call = Call { def: index, params, args, expansion, target, rerooted: Default::default() };
        self.lx.frames.push(Frame::Text { pos: body.0, end: body.1, call: Some(Box::new(call)) });
        // The line break before the body must not end a statement.
        self.lx.last_raw = Tok::Semi;
        Ok(())
    }

    /// SPIN substitutes text, so it refuses an argument that is another parameter of the same inline, or that uses the
    /// parameter's name as part of a structure reference.
    fn check_capture(&mut self, index: usize, args: &[Rc<[Token]>], at: Span) -> Parsed<()> {
        let def = &self.lx.defs[index];
        let (name, params) = (def.name.clone(), def.params.clone());
        let body = &self.lx.text[def.body.0..def.body.1];
        for (i, (param, arg)) in params.iter().zip(args).enumerate() {
            let text = |t: &Token| self.lx.token_text(t);
            let clash = if let [one] = &**arg {
                params.iter().enumerate().any(|(j, p)| j != i && **p == *text(one) && **param != *text(one))
            } else {
                arg.windows(2).any(|w| {
                    (w[0].tok == Tok::Dot && text(&w[1]) == &**param)
                        || (w[1].tok == Tok::Dot && text(&w[0]) == &**param)
                })
            };
            if clash && contains_word(body, param) {
                let written = self.written(arg);
                let message =
                    format!("the argument `{written}` of `{name}` contains the name of one of its parameters");
                let span = arg.first().map_or(at, |t| t.span);
                let d = Diagnostic::error("inline-capture", span, message);
                return Err(self.fail(d.note("SPIN substitutes text and refuses this; rename the parameter")));
            }
        }
        Ok(())
    }

    /// The text of an argument: its tokens, with one blank wherever there was white space.
    fn written(&self, tokens: &[Token]) -> String {
        let mut out = String::new();
        let mut end = None;
        for t in tokens.iter().filter(|t| !t.implied) {
            let text = self.lx.token_text(t);
            let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let glued = out.ends_with(word) && text.starts_with(word);
            if end.is_some_and(|e| e < t.lo) || glued {
                out.push(' ');
            }
            out.push_str(text);
            end = Some(t.hi);
        }
        out
    }

    /// `return e`
    pub(super) fn return_statement(&mut self) -> Parsed<StmtKind> {
        let word = self.bump();
        let call = self.lx.current_call().map(|c| c.target.clone());
        let target = match call {
            Some(Some(target)) => target,
            Some(None) => {
                let d = Diagnostic::error("return", word.span, "this call has no variable to receive the value");
                return Err(self.fail(d.note("an inline with `return` is called as `x = f(...)`")));
            }
            None => {
                let d = Diagnostic::error("return", word.span, "`return` stands outside an inline");
                return Err(self.fail(d.note("a process ends when it reaches its closing brace")));
            }
        };
        let target = self.renumber(target);
        let value = self.full_expr()?;
        Ok(StmtKind::Return { target, value })
    }

    /// A copy of a reference with identifier numbers of its own.
    fn renumber(&mut self, mut var: VarRef) -> VarRef {
        for segment in &mut var.path {
            segment.name.id = ast::IdentId(self.ident_count);
            self.ident_count += 1;
        }
        var
    }

    /// Reports that the expansions have no reasonable end, and stops.
    pub(super) fn inline_overflow(&mut self) {
        self.lx.exhausted = true;
        let span = self.lx.current_call().map_or(self.prev.span, |c| {
            let mut at = c.expansion;
            let mut span = Span::NONE;
            while let Some(e) = self.lx.map.expansion(at) {
                span = e.call_site;
                at = span.expansion;
            }
            span
        });
        let d = Diagnostic::error("inline-size", span, "the inlines expand to too much text");
        let d = d.note(format!("the limit is {TOKENS_MAX} tokens or {CALLS_MAX} calls in all"));
        self.say(d);
        self.halt();
    }

    /// Ends the reading; nothing more is said.
    pub(super) fn halt(&mut self) {
        self.lx.stop();
        self.lx.exhausted = true;
        self.ahead = None;
        self.lx.last = Tok::Eof;
    }
}

fn were(n: usize) -> String {
    if n == 1 { "1 was".into() } else { format!("{n} were") }
}

/// Whether a word occurs in a text. Parameters that do not occur are never substituted.
fn contains_word(text: &str, word: &str) -> bool {
    let part = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
    text.match_indices(word)
        .any(|(i, _)| !part(text[..i].chars().next_back()) && !part(text[i + word.len()..].chars().next()))
}
