//! Messages about mistakes in expressions.

use super::tokens::{Tok, Token};
use super::{Failed, Parser};
use crate::ast::{CFragment, Expr, ExprKind, Ident, Probe};
use ferrospin_source::Diagnostic;

impl<'a> Parser<'a> {
    pub(super) fn unclosed_paren(&mut self, open: Token) -> Failed {
        let t = self.peek_token();
        match t.tok {
            Tok::Assign => {
                let d = Diagnostic::error("assignment-in-condition", t.span, "an assignment is not an expression");
                self.fail(d.suggest(t.span, "==", "to compare, write `==`"))
            }
            Tok::Incr | Tok::Decr => {
                let text = self.lx.token_text(&t);
                let message = format!("`{text}` is a statement of its own, not part of an expression");
                self.fail(Diagnostic::error("increment", t.span, message))
            }
            Tok::Bang => {
                let d = Diagnostic::error("syntax", t.span, "a send is a statement, not an expression");
                self.fail(d.note("to test whether a channel has room, write `nfull(c)`"))
            }
            Tok::Unknown => self.unexpected("", ""),
            Tok::Colon if self.lx.ltl_mode => self.after_formula(),
            Tok::Comma if self.lx.text[..open.lo as usize].trim_end().ends_with('!') => {
                let d = Diagnostic::error("syntax", t.span, "a message is not put in parentheses as a whole");
                self.fail(d.note("write `c!a,b` or `c!a(b)`"))
            }
            _ => {
                let found = self.found();
                let d = Diagnostic::error("missing-paren", t.span, format!("expected `)`, found {found}"));
                self.fail(d.also(open.span, "this `(` is not closed"))
            }
        }
    }

    pub(super) fn wrong_pattern(&mut self) -> Failed {
        let t = self.peek_token();
        let found = self.found();
        let d = Diagnostic::error("receive-pattern", t.span, format!("{found} cannot stand in a receive"));
        self.fail(d.note("a receive takes variables, constants, `_` and `eval(expression)`"))
    }

    pub(super) fn receive_in_expression(&mut self) -> Failed {
        let t = self.peek_token();
        let d = Diagnostic::error("syntax", t.span, "a receive is a statement, not an expression");
        self.fail(d.note("to ask whether it is possible, write `c?[...]`; a conditional is written `(c -> a : b)`"))
    }

    pub(super) fn lone_process_name(&mut self, name: &Ident, indexed: bool) -> Failed {
        let word = &*name.name;
        if !indexed && self.at(Tok::LParen) {
            let d = Diagnostic::error("syntax", name.at.0, format!("the process `{word}` is called like an inline"));
            return self.fail(d.suggest(name.at.0, format!("run {word}"), "a process is started with `run`"));
        }
        let message = format!("the process type `{word}` cannot stand alone in an expression");
        let d = Diagnostic::error("syntax", name.at.0, message);
        self.fail(d.note(format!("write `{word}@label`, `{word}[pid]@label`, `{word}:variable` or `run {word}(...)`")))
    }

    /// `full(c)` or the like where only plain expressions may stand.
    pub(super) fn misplaced_probe(&mut self, e: &Expr, place: &str) -> Failed {
        let word = probe_in(e).map_or("full", probe_word);
        let message = format!("`{word}` cannot stand {place}");
        let d = Diagnostic::error("channel-probe", e.at.0, message);
        self.fail(d.note(
            "`full`, `empty`, `nfull` and `nempty` may only be joined by `&&` and `||`; `len(c)` has no such limit",
        ))
    }

    /// SPIN accepts the syntax, but then negates the formula, which these cannot bear.
    pub(super) fn probe_in_formula(&mut self, word: Token) -> Failed {
        let text = self.lx.token_text(&word);
        let d = Diagnostic::error("channel-probe", word.span, format!("`{text}` cannot be used in a formula"));
        self.fail(d.note("compare the length instead: `len(c) == 0`"))
    }

    pub(super) fn negated_probe(&mut self, sign: Token, e: &Expr) -> Failed {
        let span = self.join(sign.span, e.at.0);
        let Some(probe) = probe_in(e) else { return self.misplaced_probe(e, "here") };
        let word = probe_word(probe);
        let opposite = probe_word(match probe {
            Probe::Full => Probe::NotFull,
            Probe::NotFull => Probe::Full,
            Probe::Empty => Probe::NotEmpty,
            Probe::NotEmpty => Probe::Empty,
        });
        let mut d = Diagnostic::error("channel-probe", span, format!("use `{opposite}` instead of `!{word}`"));
        if let ExprKind::Probe(_, channel) = &e.kind {
            let channel = self.lx.map.snippet(channel.at.0).to_string();
            if !channel.is_empty() {
                d = d.suggest(span, format!("{opposite}({channel})"), format!("write `{opposite}({channel})`"));
            }
        }
        self.fail(d)
    }

    pub(super) fn not_an_expression(&mut self) -> Failed {
        let t = self.peek_token();
        let prev = self.prev;
        match t.tok {
            Tok::BangBang => {
                let d = Diagnostic::error("syntax", t.span, "`!!` is the sorted send, not a double negation");
                self.fail(d.suggest(t.span, "! !", "put a blank between the two"))
            }
            Tok::Assign if matches!(prev.tok, Tok::EqEq | Tok::Bang | Tok::Lt | Tok::Gt) => {
                let d = Diagnostic::error("syntax", t.span, "this `=` is one too many");
                self.fail(d.suggest(t.span, "", "remove it"))
            }
            Tok::Assign
                if matches!(prev.tok, Tok::Plus | Tok::Minus | Tok::Star | Tok::Slash | Tok::Percent)
                    || matches!(prev.tok, Tok::Amp | Tok::Bar | Tok::Caret | Tok::Shl | Tok::Shr) =>
            {
                let op = self.lx.token_text(&prev);
                let span = self.join(prev.span, t.span);
                let d = Diagnostic::error("c-syntax", span, format!("Promela has no `{op}=`"));
                self.fail(d.note(format!("write `x = x {op} ...`")))
            }
            Tok::Gt if prev.tok == Tok::Lt && prev.hi == t.lo => {
                let span = self.join(prev.span, t.span);
                let d = Diagnostic::error("syntax", span, "`<>` means \"eventually\" and stands only in formulas");
                self.fail(d.suggest(span, "!=", "to compare, write `!=`"))
            }
            Tok::InlineName => {
                let text = self.lx.token_text(&t);
                let d = Diagnostic::error(
                    "syntax",
                    t.span,
                    format!("the inline `{text}` cannot be called in an expression"),
                );
                self.fail(d.note(format!("an inline is a statement of its own: `{text}(...)` or `x = {text}(...)`")))
            }
            Tok::Str => {
                let d = Diagnostic::error("syntax", t.span, "a string can only be the first argument of `printf`");
                self.fail(d)
            }
            Tok::LBrace if prev.tok == Tok::Assign => {
                let d = Diagnostic::error("syntax", t.span, "a list of values can only initialise a declared array");
                self.fail(d)
            }
            Tok::Eval => {
                let d = Diagnostic::error("syntax", t.span, "`eval` can only stand in a receive");
                self.fail(d)
            }
            _ => self.unexpected("an expression", ""),
        }
    }

    pub(super) fn not_const(&mut self) -> Failed {
        let t = self.peek_token();
        if t.tok == Tok::Unknown {
            return self.unexpected("", "");
        }
        let span = if matches!(t.tok, Tok::Name) { t.span } else { self.here() };
        let found = self.found();
        let d = Diagnostic::error("constant", span, format!("expected a constant, found {found}"));
        self.fail(d.note("only numbers, `mtype` constants, `+ - * / %` and parentheses may stand here, or one variable name in an array bound"))
    }

    pub(super) fn not_const_operator(&mut self) -> Failed {
        let t = self.peek_token();
        let text = self.lx.token_text(&t);
        let message = format!("`{text}` cannot be used in a constant expression");
        let d = Diagnostic::error("constant", t.span, message);
        self.fail(d.note("only numbers, `mtype` constants, `+ - * / %` and parentheses may stand here"))
    }

    pub(super) fn not_list_element(&mut self) -> Failed {
        let t = self.peek_token();
        let found = self.found();
        let d = Diagnostic::error("constant", t.span, format!("expected a constant in the list, found {found}"));
        self.fail(d.note("a list initialiser holds plain constants only, without sign or operator"))
    }

    pub(super) fn after_formula(&mut self) -> Failed {
        let t = self.peek_token();
        if t.tok == Tok::Colon {
            let d = Diagnostic::error(
                "syntax",
                t.span,
                "in a formula `->` means implication, so `(c -> a : b)` cannot be used",
            );
            return self.fail(d);
        }
        self.unexpected("`}`", "after the formula")
    }

    /// SPIN refuses C expressions that look as if they changed something.
    pub(super) fn check_c_expr(&mut self, c: &CFragment) {
        if super::fragments::has_side_effects(&c.text) {
            let d = Diagnostic::error("c-expr", c.at.0, "a `c_expr` must not have side effects");
            self.say(d.note("assignments, `++`, `--` and `;` belong into `c_code`"));
        }
    }
}

fn probe_in(e: &Expr) -> Option<Probe> {
    match &e.kind {
        ExprKind::Probe(p, _) => Some(*p),
        ExprKind::Binary(_, a, b) => probe_in(a).or_else(|| probe_in(b)),
        _ => None,
    }
}

fn probe_word(p: Probe) -> &'static str {
    match p {
        Probe::Full => "full",
        Probe::Empty => "empty",
        Probe::NotFull => "nfull",
        Probe::NotEmpty => "nempty",
    }
}
