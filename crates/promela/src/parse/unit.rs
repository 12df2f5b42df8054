//! The parts at top level.

use super::decl::Declared;
use super::tokens::{Tok, Token};
use super::{Parsed, Parser};
use crate::ast::*;
use ferrospin_source::{Diagnostic, Span};

impl<'a> Parser<'a> {
    /// The whole program.
    pub(super) fn program(&mut self) -> Vec<Unit> {
        let mut units = Vec::new();
        if self.at(Tok::Eof) && !self.lx.said.has_errors() {
            let span = self.peek_token().span;
            let d = Diagnostic::error("empty-model", span, "the model is empty");
            self.say(d.note("a model needs at least one process: `active proctype P() { skip }`"));
        }
        while !self.at(Tok::Eof) {
            if self.peek().is_semi() {
                self.bump();
                continue;
            }
            self.braces = 0;
            match self.unit() {
                Ok(unit) => units.push(unit),
                Err(_) => self.recover_unit(),
            }
        }
        units
    }

    /// A formula that stands alone.
    pub(super) fn lone_formula(&mut self) -> Option<Expr> {
        let e = self.full_expr().ok()?;
        while self.peek().is_semi() {
            self.bump();
        }
        if !self.at(Tok::Eof) {
            self.unexpected("the end of the formula", "");
        }
        Some(e)
    }

    fn unit(&mut self) -> Parsed<Unit> {
        let tok = self.peek();
        match tok {
            Tok::Active | Tok::Proctype | Tok::DProctype => self.proctype(),
            Tok::Init => {
                let word = self.bump();
                let priority = self.priority()?;
                let body = self.body("`init`")?;
                Ok(Unit::Init(Init { priority, body, at: At(word.span) }))
            }
            Tok::Never => {
                let word = self.bump();
                let name = self.optional_name()?;
                let body = self.body("`never`")?;
                Ok(Unit::Never(Never { name, body, at: At(word.span) }))
            }
            Tok::Trace | Tok::NoTrace => {
                let word = self.bump();
                self.in_trace = true;
                let body = self.body(if tok == Tok::Trace { "`trace`" } else { "`notrace`" });
                self.in_trace = false;
                Ok(Unit::Trace(Trace { negated: tok == Tok::NoTrace, body: body?, at: At(word.span) }))
            }
            Tok::Ltl => self.ltl(),
            Tok::Typedef => self.typedef(),
            Tok::Inline => self.inline_definition(),
            Tok::CCode | Tok::CDecl => {
                let word = self.bump();
                let fragment = self.c_fragment(word);
                Ok(if tok == Tok::CCode { Unit::CCode(fragment) } else { Unit::CDecl(fragment) })
            }
            Tok::CState | Tok::CTrack => self.c_object(),
            _ if tok.is_decl_start() => Ok(match self.one_decl()? {
                Declared::Vars(d) => Unit::Decl(d),
                Declared::Mtype(m) => Unit::Mtype(m),
            }),
            _ => Err(self.not_a_unit()),
        }
    }

    fn optional_name(&mut self) -> Parsed<Option<Ident>> {
        if self.at(Tok::LBrace) {
            return Ok(None);
        }
        Ok(Some(self.name("a name or `{`")?))
    }

    fn proctype(&mut self) -> Parsed<Unit> {
        let from = self.peek_token().span;
        let active = if self.at(Tok::Active) {
            let word = self.bump();
            let mut count = None;
            if self.eat(Tok::LBracket) {
                count = Some(self.bound()?);
                self.expect(Tok::RBracket, "to close the number of processes")?;
            }
            Some(Active { count, at: self.since(word.span) })
        } else {
            None
        };
        let deterministic = self.at(Tok::DProctype);
        if !deterministic && !self.at(Tok::Proctype) {
            return Err(self.unexpected("`proctype`", "after `active`"));
        }
        self.bump();
        let name = self.name("the name of a process type")?;
        self.lx.known.proctypes.insert(name.name.clone());
        self.l_paren("before the parameters")?;
        self.in_body = true;
        let mut params = Vec::new();
        if !self.at(Tok::RParen) {
            self.in_params = true;
            let list = self.decl_list("a parameter");
            self.in_params = false;
            params = list?;
        }
        self.r_paren("after the parameters")?;
        let priority = self.priority()?;
        let provided = if self.eat(Tok::Provided) {
            self.l_paren("after `provided`")?;
            let e = self.full_expr()?;
            self.r_paren("after the condition of `provided`")?;
            Some(e)
        } else {
            None
        };
        let at = self.since(from);
        let what = format!("`proctype {}`", name.name);
        let body = self.body(&what)?;
        Ok(Unit::Proctype(Box::new(Proctype { deterministic, active, name, params, priority, provided, body, at })))
    }

    /// `{ statements }` of a process, claim or trace.
    fn body(&mut self, what: &str) -> Parsed<Sequence> {
        self.in_body = true;
        if !self.at(Tok::LBrace) {
            return Err(self.unexpected("`{`", &format!("before the body of {what}")));
        }
        let open = self.bump();
        self.braces = 1;
        self.lx.in_seq = true;
        self.open.push(Tok::LBrace);
        let steps = self.steps(open);
        self.open.pop();
        let sequence = steps.and_then(|steps| self.close_block(open, steps));
        self.lx.in_seq = false;
        self.in_body = false;
        sequence
    }

    /// The closing brace of a block.
    pub(super) fn close_block(&mut self, open: Token, steps: Vec<Stmt>) -> Parsed<Sequence> {
        if !self.at(Tok::RBrace) {
            return Err(self.not_closed(open));
        }
        let close = self.bump();
        Ok(Sequence { steps, at: self.since(open.span), end: At(close.span) })
    }

    fn ltl(&mut self) -> Parsed<Unit> {
        let word = self.bump();
        let name = self.optional_name()?;
        self.lx.ltl_mode = true;
        let formula = self.ltl_body(word.span);
        self.lx.ltl_mode = false;
        let formula = formula?;
        Ok(Unit::Ltl(Ltl { name, formula, at: self.since(word.span) }))
    }

    fn ltl_body(&mut self, word: Span) -> Parsed<Expr> {
        let open = self.expect(Tok::LBrace, "before the formula")?;
        let e = self.full_expr()?;
        if self.peek().is_semi() {
            self.bump();
        }
        match self.peek() {
            Tok::RBrace => {
                self.bump();
                Ok(e)
            }
            Tok::Eof => Err(self.missing_brace(self.join(word, open.span))),
            _ => Err(self.after_formula()),
        }
    }

    fn typedef(&mut self) -> Parsed<Unit> {
        let word = self.bump();
        let name = self.name("the name of a type")?;
        let open = self.expect(Tok::LBrace, "before the fields of a type")?;
        self.braces = 1;
        self.lx.in_seq = true;
        let fields = self.decl_list("a field: its type and its name");
        let fields = match fields {
            Ok(fields) => {
                if self.at(Tok::RBrace) {
                    self.bump();
                    Ok(fields)
                } else {
                    Err(self.unclosed_typedef(open.span))
                }
            }
            Err(e) => Err(e),
        };
        self.lx.in_seq = false;
        // The name is known even when the fields are not, lest every use of it be an error.
        self.lx.known.typedefs.insert(name.name.clone());
        Ok(Unit::Typedef(Typedef { name, fields: fields?, at: self.since(word.span) }))
    }

    fn c_object(&mut self) -> Parsed<Unit> {
        let word = self.bump();
        let text = self.lx.token_text(&word);
        let mut strings = Vec::new();
        let mut last = word;
        while strings.len() < 3 && self.at(Tok::Str) {
            last = self.bump();
            strings.push(self.string_text(last));
        }
        if strings.len() < 2 {
            return Err(self.unexpected("a string", &format!("of `{text}`, which takes two or three")));
        }
        if word.tok == Tok::CTrack
            && let Some(third) = strings.get(2)
            && !["Matched", "UnMatched", "unMatched", "StackOnly"].contains(&third.as_str())
        {
            let message = format!("`c_track` takes \"Matched\", \"UnMatched\" or \"StackOnly\", not \"{third}\"");
            self.say(Diagnostic::error("c-code", last.span, message));
        }
        let object = CObject { strings, at: self.since(word.span) };
        Ok(if word.tok == Tok::CState { Unit::CState(object) } else { Unit::CTrack(object) })
    }

    /// The text between the quotes.
    pub(super) fn string_text(&self, t: Token) -> String {
        let text = self.lx.token_text(&t);
        let quote = text.chars().next().unwrap_or('"');
        let inner = &text[quote.len_utf8().min(text.len())..];
        inner.strip_suffix(quote).unwrap_or(inner).to_string()
    }

    /// The embedded C of a token.
    pub(super) fn c_fragment(&mut self, t: Token) -> CFragment {
        let fragment = self.lx.fragments.get(t.value as usize).cloned().unwrap_or_default();
        let cut = |(lo, hi): (u32, u32)| self.lx.text.get(lo as usize..hi as usize).unwrap_or("").to_string();
        CFragment { precondition: fragment.precondition.map(cut), text: cut(fragment.text), at: At(t.span) }
    }
}
