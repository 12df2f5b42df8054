//! The words of the parser's messages, and where to go on after one.
//!
//! A message says what was found, what was expected and, where the mistake is a common one, how to mend it. After a
//! message the rest of the statement is skipped, so that one mistake gives one message.

use super::tokens::{KEYWORDS, Tok, Token};
use super::{ERRORS_MAX, Failed, NESTING_MAX, Parser};
use crate::ast::{CFragment, Expr, ExprKind, Ident, Probe};
use ferrospin_source::suggest::closest;
use ferrospin_source::{Diagnostic, Span};

/// A kind of token, for "expected ...".
pub(super) fn describe_kind(tok: Tok) -> String {
    let sign = match tok {
        Tok::LBrace => "{",
        Tok::RBrace => "}",
        Tok::LParen => "(",
        Tok::RParen => ")",
        Tok::LBracket => "[",
        Tok::RBracket => "]",
        Tok::Colon => ":",
        Tok::Comma => ",",
        Tok::DotDot => "..",
        Tok::Gt => ">",
        Tok::Semi => ";",
        _ => match KEYWORDS.iter().find(|(_, t)| *t == tok) {
            Some((word, _)) => word,
            None => return "a token".into(),
        },
    };
    format!("`{sign}`")
}

impl<'a> Parser<'a> {
    /// Adds a message, unless the same was said about the same place: an inline is read once per call.
    pub(super) fn say(&mut self, d: Diagnostic) {
        if self.seen.insert((d.code, d.span.lo, d.span.hi)) {
            self.errors += 1;
            self.lx.said.push(d);
        }
    }

    /// Adds a syntax error, unless the last one was about the same token or reading has been given up.
    pub(super) fn fail(&mut self, d: Diagnostic) -> Failed {
        if self.lx.exhausted {
            return Failed;
        }
        let here = (self.peek_token().lo, self.lx.frames.len());
        if self.failed_at != Some(here) {
            self.failed_at = Some(here);
            self.say(d);
            if self.errors >= ERRORS_MAX {
                let span = self.peek_token().span;
                self.lx.said.push(Diagnostic::error("too-many-errors", span, "too many errors; the rest is not read"));
                self.halt();
            }
        }
        Failed
    }

    pub(super) fn too_deep(&mut self) -> Failed {
        let span = self.here();
        if !self.lx.exhausted {
            let d = Diagnostic::error("nesting", span, "nested too deeply");
            self.say(d.note(format!("the limit is {NESTING_MAX} levels")));
        }
        self.halt();
        Failed
    }

    /// The next token, for "found ...".
    fn found(&mut self) -> String {
        let t = self.peek_token();
        let text = self.lx.token_text(&t);
        match t.tok {
            Tok::Eof => "the end of the file".into(),
            Tok::Semi if t.implied => "the end of the statement".into(),
            Tok::Name => format!("the name `{text}`"),
            Tok::TypeName => format!("the type `{text}`"),
            Tok::ProcName => format!("the process type `{text}`"),
            Tok::InlineName => format!("the inline `{text}`"),
            Tok::MtypeName => format!("the mtype constant `{text}`"),
            Tok::Str => "a string".into(),
            Tok::CCode | Tok::CDecl | Tok::CExpr => "embedded C".into(),
            _ => format!("`{text}`"),
        }
    }

    /// The general message.
    pub(super) fn unexpected(&mut self, expected: &str, context: &str) -> Failed {
        let t = self.peek_token();
        if t.tok == Tok::Unknown {
            // The lexer has spoken.
            self.failed_at = Some((t.lo, self.lx.frames.len()));
            return Failed;
        }
        let found = self.found();
        let blank = if context.is_empty() { "" } else { " " };
        let mut d = Diagnostic::error("syntax", t.span, format!("expected {expected}{blank}{context}, found {found}"));
        if t.tok == Tok::Semi && t.implied {
            d = d.note("SPIN ends a statement at the line break");
        } else if t.tok.is_keyword() {
            let text = self.lx.token_text(&t);
            d = d.note(format!("`{text}` is a keyword"));
        }
        self.fail(d)
    }

    /// A plain name was needed.
    pub(super) fn not_a_name(&mut self, what: &str) -> Failed {
        let t = self.peek_token();
        let text = self.lx.token_text(&t);
        let kind = match t.tok {
            Tok::TypeName => "a type",
            Tok::ProcName => "a process type",
            Tok::InlineName => "an inline",
            Tok::MtypeName => "an `mtype` constant",
            tok if tok.is_keyword() && !t.implied => {
                let message = format!("`{text}` is a keyword and cannot be {what}");
                return self.fail(Diagnostic::error("keyword", t.span, message));
            }
            _ => return self.unexpected(what, ""),
        };
        let message = format!("`{text}` is already {kind} and cannot be {what}");
        let d = Diagnostic::error("redefinition", t.span, message);
        self.fail(d)
    }

    pub(super) fn missing_brace(&mut self, open: Span) -> Failed {
        let span = self.here();
        let d = Diagnostic::error("missing-brace", span, "a closing `}` is missing");
        self.fail(d.also(open, "this `{` is not closed"))
    }

    /// A block does not end where it should.
    pub(super) fn not_closed(&mut self, open: Token) -> Failed {
        let t = self.peek_token();
        match t.tok {
            Tok::Fi | Tok::Od => {
                let text = self.lx.token_text(&t);
                let opener = if t.tok == Tok::Fi { "if" } else { "do" };
                let span = t.span;
                let inside = self.open.iter().any(|o| (o.tok == Tok::If) == (t.tok == Tok::Fi) && o.tok != Tok::LBrace);
                if inside {
                    return self.missing_brace(open.span);
                }
                let d = Diagnostic::error("unmatched", span, format!("`{text}` without `{opener}`"));
                let failed = self.fail(d);
                self.bump();
                failed
            }
            Tok::Sep => {
                let d = Diagnostic::error("unmatched", t.span, "`::` stands outside `if` and `do`");
                self.fail(d.note("options begin with `::` between `if` and `fi` or `do` and `od`"))
            }
            _ => self.missing_brace(open.span),
        }
    }

    pub(super) fn unclosed_typedef(&mut self, open: Span) -> Failed {
        if self.at(Tok::Arrow) {
            return self.unexpected("`;`", "between fields");
        }
        if self.peek().is_decl_start() {
            let span = self.prev.span;
            let d = Diagnostic::error("missing-semicolon", span, "a `;` is missing between the fields");
            return self.fail(d.label("after this"));
        }
        if self.at(Tok::Eof) { self.missing_brace(open) } else { self.unexpected("`;` or `}`", "after a field") }
    }

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
            _ => {
                let found = self.found();
                let d = Diagnostic::error("missing-paren", t.span, format!("expected `)`, found {found}"));
                self.fail(d.also(open.span, "this `(` is not closed"))
            }
        }
    }

    pub(super) fn empty_sequence(&mut self, open: Token) -> Failed {
        let d = match open.tok {
            Tok::Sep => Diagnostic::error("empty", open.span, "this option has no statement")
                .note("write `:: skip` for an option that does nothing"),
            _ => Diagnostic::error("empty", open.span, "a block needs at least one statement")
                .note("write `skip` for a block that does nothing"),
        };
        let failed = self.fail(d);
        if open.tok == Tok::LBrace && self.at(Tok::RBrace) {
            self.bump();
        }
        failed
    }

    pub(super) fn too_many_semicolons(&mut self) {
        let span = self.prev.span;
        let d = Diagnostic::error("semicolons", span, "too many semicolons at the end of the sequence");
        self.fail(d.note("one is enough, and even that may be left out"));
    }

    /// Two statements without anything in between.
    pub(super) fn missing_separator(&mut self) -> Failed {
        let t = self.peek_token();
        let prev = self.prev;
        let text = self.lx.token_text(&t);
        match t.tok {
            Tok::Unknown => self.unexpected("", ""),
            Tok::RParen => {
                let d = Diagnostic::error("missing-paren", t.span, "this `)` closes nothing");
                self.fail(d)
            }
            Tok::Assign => {
                let d = Diagnostic::error("syntax", t.span, "only a variable can be assigned to");
                self.fail(d.suggest(t.span, "==", "to compare, write `==`"))
            }
            Tok::Comma if prev.tok == Tok::RBrace || (prev.tok == Tok::Semi && prev.implied) => {
                self.comma_after_brace(t)
            }
            Tok::Comma | Tok::Colon | Tok::RBracket | Tok::At | Tok::Dot | Tok::DotDot | Tok::Of | Tok::Priority => {
                let found = self.found();
                let d = Diagnostic::error("syntax", t.span, format!("unexpected {found} after a statement"));
                self.fail(d)
            }
            Tok::Unless => self.second_unless(),
            _ if t.tok.is_infix() => {
                let d = Diagnostic::error("syntax", t.span, format!("`{text}` cannot follow here"));
                self.fail(d)
            }
            _ => {
                let found = self.found();
                let message = format!("a `;` is missing before {found}");
                let d = Diagnostic::error("missing-semicolon", t.span, message);
                let end = Span { lo: prev.span.hi, hi: prev.span.hi, ..prev.span };
                self.fail(d.suggest(end, ";", "end the statement with `;`"))
            }
        }
    }

    fn comma_after_brace(&mut self, t: Token) -> Failed {
        let d = Diagnostic::error("comma-after-brace", t.span, "`}` ends the declaration here");
        self.fail(d.note("after a list in braces SPIN expects a new declaration: repeat the type"))
    }

    pub(super) fn second_unless(&mut self) -> Failed {
        let span = self.here();
        let d = Diagnostic::error("unless", span, "a statement takes one `unless`");
        self.fail(d.note("put braces around the inner one: `{ a unless b } unless c`"))
    }

    pub(super) fn label_before_declaration(&mut self, label: Token) -> Failed {
        let tok = self.peek();
        let text = self.lx.token_text(&label);
        let what = if tok.is_decl_start() { "a declaration" } else { "`xr` or `xs`" };
        let d = Diagnostic::error("label", label.span, format!("the label `{text}` stands before {what}"));
        self.fail(d.note("a label names a statement; write `skip` behind it, or move it down"))
    }

    pub(super) fn not_an_event(&mut self) {
        let span = self.here();
        let d =
            Diagnostic::error("trace-event", span, "a trace may only hold sends and receives and their control flow");
        self.say(d.note("`if`, `do`, `goto`, `break` and labels may stand around them"));
    }

    /// Whether a token cannot begin an expression, so that a better message is due.
    pub(super) fn wrong_start(&mut self, t: Token) -> bool {
        t.tok.is_infix()
            || matches!(t.tok, Tok::Incr | Tok::Decr | Tok::Unless | Tok::Str | Tok::RParen | Tok::RBracket)
            || matches!(t.tok, Tok::In | Tok::Of | Tok::Priority | Tok::Provided | Tok::Semi | Tok::Arrow)
            || t.tok.is_closer()
    }

    pub(super) fn not_a_statement(&mut self) -> Failed {
        let t = self.peek_token();
        let text = self.lx.token_text(&t);
        let prev = self.prev;
        let after_break = prev.tok == Tok::Semi && prev.implied;
        match t.tok {
            Tok::Comma if after_break => self.comma_after_brace(t),
            Tok::Unless if after_break => {
                let d = Diagnostic::error("line-break", t.span, "`unless` cannot begin a line here");
                let d = d.also(prev.span, "SPIN ends the statement at this line break");
                self.fail(d.note("put `unless` on the line where the statement before it ends, or wrap that in braces"))
            }
            _ if after_break && t.tok.is_infix() => {
                let message = format!("a statement cannot begin with `{text}`");
                let d = Diagnostic::error("line-break", t.span, message);
                let d = d.also(prev.span, "SPIN ends the statement at this line break");
                self.fail(
                    d.note("put the operator at the end of the line before, or parentheses around the expression"),
                )
            }
            Tok::Incr | Tok::Decr => {
                let d = Diagnostic::error("increment", t.span, format!("`{text}` stands behind the variable"));
                self.fail(d.note(format!("write `x{text}`")))
            }
            _ => self.unexpected("a statement", ""),
        }
    }

    /// A word, taken, that is followed by something only a keyword or an inline can be followed by.
    pub(super) fn after_unknown_word(&mut self, name: &Ident) -> Failed {
        let span = name.at.0;
        let word = &*name.name;
        let next = self.peek();
        match word {
            "while" | "loop" | "repeat" | "until" | "forever" => {
                let d = Diagnostic::error("c-syntax", span, format!("Promela has no `{word}`"));
                return self.fail(d.note("write `do :: (condition) -> ... :: else -> break od`"));
            }
            "switch" | "case" | "elif" | "elsif" | "then" | "endif" => {
                let d = Diagnostic::error("c-syntax", span, format!("Promela has no `{word}`"));
                return self.fail(d.note("write `if :: (a) -> ... :: (b) -> ... :: else -> ... fi`"));
            }
            _ => {}
        }
        if next == Tok::At {
            let message = format!("`{word}` is not a process type that is defined before this place");
            let d = Diagnostic::error("remote-reference", span, message);
            return self.fail(d.note("put the proctype first: SPIN reads from top to bottom"));
        }
        let keywords = KEYWORDS.iter().map(|(w, _)| *w);
        let inlines: Vec<_> = self.lx.known.inlines.keys().cloned().collect();
        let types: Vec<_> = self.lx.known.typedefs.iter().cloned().collect();
        let near = match next {
            Tok::LParen => {
                let mut all: Vec<&str> = inlines.iter().map(|s| &**s).collect();
                all.sort_unstable();
                all.extend(["printf", "printm", "assert", "select", "for", "run", "len", "set_priority"]);
                closest(word, all)
            }
            _ => {
                let mut all: Vec<&str> = types.iter().map(|s| &**s).collect();
                all.sort_unstable();
                closest(word, keywords.chain(all))
            }
        };
        let mut d = match next {
            Tok::LParen => {
                let d = Diagnostic::error("unknown-inline", span, format!("there is no inline called `{word}`"));
                if self.lx.known.proctypes.contains(word) { d.note("a process is started with `run`") } else { d }
            }
            Tok::Name => {
                let found = self.found();
                Diagnostic::error(
                    "syntax",
                    span,
                    format!("`{word}` is neither a type nor a keyword, but {found} follows"),
                )
            }
            _ => Diagnostic::error("syntax", span, format!("`{word}` is not a keyword that a block may follow")),
        };
        if let Some(near) = near {
            d = d.suggest(span, near, format!("did you mean `{near}`?"));
        }
        self.fail(d)
    }

    /// Mistyped operators that begin with `=`.
    pub(super) fn wrong_assignment(&mut self) -> Option<Failed> {
        let equals = self.prev;
        let t = self.peek_token();
        let right = match t.tok {
            Tok::Gt if t.lo == equals.hi => ">=",
            Tok::Lt if t.lo == equals.hi => "<=",
            Tok::Bang if t.lo == equals.hi => "!=",
            _ => return None,
        };
        if t.tok == Tok::Bang {
            // `x =!y` is an assignment.
            return None;
        }
        let span = self.join(equals.span, t.span);
        let d = Diagnostic::error("syntax", span, "this is no operator of Promela");
        Some(self.fail(d.suggest(span, right, format!("did you mean `{right}`?"))))
    }

    /// `x += 1` and the like, which fail at `=`.
    pub(super) fn compound_assignment(&mut self, _read: &Expr) -> Option<Failed> {
        None
    }

    pub(super) fn no_option(&mut self, word: Token) -> Failed {
        let t = self.peek_token();
        let text = self.lx.token_text(&word);
        if word.tok == Tok::If && t.tok == Tok::LParen {
            let d = Diagnostic::error("c-syntax", t.span, "the choices of an `if` are options that begin with `::`");
            return self.fail(d.note("write `if :: (condition) -> ... :: else -> ... fi`"));
        }
        if word.tok == Tok::Do && t.tok == Tok::LBrace {
            let d = Diagnostic::error("c-syntax", t.span, "the body of a `do` is made of options that begin with `::`");
            return self.fail(d.note("write `do :: (condition) -> ... :: else -> break od`"));
        }
        let found = self.found();
        let d = Diagnostic::error("missing-option", t.span, format!("expected `::` after `{text}`, found {found}"));
        self.fail(d.note(format!("each choice of `{text}` begins with `::`")))
    }

    /// An `if` or `do` ends with the wrong word; goes on where that can only be a slip.
    pub(super) fn wrong_end(&mut self, word: Token, close: Tok) -> Result<(), Failed> {
        let t = self.peek_token();
        let opener = self.lx.token_text(&word);
        let closer = if close == Tok::Fi { "fi" } else { "od" };
        let outer = self.open.iter().rev().skip(1).take_while(|o| o.tok != Tok::LBrace);
        let belongs_outside = match t.tok {
            Tok::Fi => outer.into_iter().any(|o| o.tok == Tok::If),
            Tok::Od => outer.into_iter().any(|o| o.tok == Tok::Do),
            _ => true,
        };
        let code = if close == Tok::Fi { "missing-fi" } else { "missing-od" };
        if !belongs_outside {
            let found = self.lx.token_text(&t);
            let message = format!("`{opener}` is closed by `{closer}`, not by `{found}`");
            let d = Diagnostic::error(code, t.span, message).also(word.span, "opened here");
            self.fail(d.suggest(t.span, closer, format!("write `{closer}`")));
            self.bump();
            return Ok(());
        }
        let found = self.found();
        let d = Diagnostic::error(code, t.span, format!("`{closer}` is missing before {found}"));
        Err(self.fail(d.also(word.span, format!("this `{opener}` is not closed"))))
    }

    pub(super) fn wrong_for(&mut self) -> Failed {
        let d_note = "write `for (i : 1 .. n) { ... }` or `for (i in array) { ... }`";
        let t = self.peek_token();
        if t.tok == Tok::Assign {
            let d = Diagnostic::error("c-syntax", t.span, "this is not how Promela writes a `for` loop");
            return self.fail(d.note(d_note));
        }
        let found = self.found();
        let d =
            Diagnostic::error("syntax", t.span, format!("expected `:` or `in` after the loop variable, found {found}"));
        self.fail(d.note(d_note))
    }

    pub(super) fn maybe_note_message(&mut self, _first: Token) {}

    pub(super) fn wrong_pattern(&mut self) -> Failed {
        let t = self.peek_token();
        let found = self.found();
        let d = Diagnostic::error("receive-pattern", t.span, format!("{found} cannot stand in a receive"));
        self.fail(d.note("a receive takes variables, constants, `_` and `eval(expression)`"))
    }

    pub(super) fn receive_in_expression(&mut self) -> Failed {
        let t = self.peek_token();
        let d = Diagnostic::error("syntax", t.span, "a receive is a statement, not an expression");
        self.fail(d.note("to ask whether it is possible, write `c?[...]`"))
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

    pub(super) fn not_mtype(&mut self, word: Span) -> Failed {
        let text = self.lx.map.snippet(word).to_string();
        let message = format!("a list of names can only be declared as `mtype`, not as `{text}`");
        let d = Diagnostic::error("syntax", word, message);
        self.fail(d.suggest(word, "mtype", "write `mtype`"))
    }

    pub(super) fn not_field_type(&mut self) -> Failed {
        let t = self.peek_token();
        if t.tok != Tok::Name {
            return self.unexpected("the type of a message field", "");
        }
        let word = self.lx.token_text(&t).to_string();
        let d = Diagnostic::error("unknown-type", t.span, format!("there is no type called `{word}`"));
        let d = self.suggest_type(d, t.span, &word);
        self.fail(d)
    }

    fn suggest_type(&self, d: Diagnostic, span: Span, word: &str) -> Diagnostic {
        let mut types: Vec<&str> = self.lx.known.typedefs.iter().map(|s| &**s).collect();
        types.sort_unstable();
        let keywords = KEYWORDS.iter().filter(|(_, t)| matches!(t, Tok::Type(_))).map(|(w, _)| *w);
        match closest(word, keywords.chain(types)) {
            Some(near) => d.suggest(span, near, format!("did you mean `{near}`?")),
            None => d.note("a `typedef` must stand before its first use"),
        }
    }

    pub(super) fn typed_inline_parameter(&mut self) -> Failed {
        let span = self.here();
        let d = Diagnostic::error("inline-parameter", span, "the parameters of an inline have no types");
        self.fail(d.note("write `inline f(a, b) { ... }`: the arguments are put in as text"))
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

    pub(super) fn not_a_unit(&mut self) -> Failed {
        let t = self.peek_token();
        let text = self.lx.token_text(&t);
        match t.tok {
            Tok::RBrace => {
                let d = Diagnostic::error("unmatched", t.span, "this `}` closes nothing");
                let failed = self.fail(d);
                self.bump();
                failed
            }
            Tok::Comma if self.prev.tok == Tok::RBrace || (self.prev.tok == Tok::Semi && self.prev.implied) => {
                self.comma_after_brace(t)
            }
            Tok::Name => {
                self.bump();
                let next = self.peek();
                let mut d = match next {
                    Tok::Name => {
                        let d = Diagnostic::error("unknown-type", t.span, format!("there is no type called `{text}`"));
                        self.suggest_type(d, t.span, text)
                    }
                    _ => Diagnostic::error("syntax", t.span, format!("`{text}` cannot stand at top level"))
                        .note("at top level there are declarations, process types, `init`, `never`, `ltl`, `inline`"),
                };
                if let Some(near) = closest(text, KEYWORDS.iter().map(|(w, _)| *w))
                    && d.suggestions.is_empty()
                {
                    d = d.suggest(t.span, near, format!("did you mean `{near}`?"));
                }
                self.fail(d)
            }
            Tok::Unknown => self.unexpected("", ""),
            _ => {
                let found = self.found();
                let d = Diagnostic::error("syntax", t.span, format!("{found} cannot stand at top level"));
                self.fail(d.note("statements belong into a `proctype` or `init`"))
            }
        }
    }

    /// SPIN refuses C expressions that look as if they changed something.
    pub(super) fn check_c_expr(&mut self, c: &CFragment) {
        if super::fragments::has_side_effects(&c.text) {
            let d = Diagnostic::error("c-expr", c.at.0, "a `c_expr` must not have side effects");
            self.say(d.note("calls, assignments, `++`, `--` and `;` belong into `c_code`"));
        }
    }

    /// Skips to the end of a statement: a separator or what closes the sequence, both left in place.
    pub(super) fn recover_statement(&mut self, frames: usize) {
        let mut depth = 0usize;
        loop {
            // The body of an inline ends: what follows belongs to the caller.
            if self.lx.frames.len() < frames {
                return;
            }
            match self.peek() {
                Tok::Eof => return,
                t if t.is_unit_start() => return,
                Tok::Semi | Tok::Arrow if depth == 0 => return,
                Tok::Sep if depth == 0 => return,
                Tok::LBrace | Tok::If | Tok::Do => depth += 1,
                Tok::RBrace | Tok::Fi | Tok::Od => {
                    if depth == 0 {
                        return;
                    }
                    depth -= 1;
                }
                _ => {}
            }
            self.bump();
        }
    }

    /// Skips to the next part at top level.
    pub(super) fn recover_unit(&mut self) {
        self.lx.in_seq = false;
        self.lx.parens = 0;
        self.lx.in_for = false;
        self.lx.ltl_mode = false;
        self.in_body = false;
        self.in_trace = false;
        self.in_params = false;
        self.loops = 0;
        self.open.clear();
        let mut depth = 0usize;
        loop {
            let tok = self.peek();
            match tok {
                Tok::Eof => return,
                _ if tok.is_unit_start() => return,
                Tok::Semi | Tok::Type(_) | Tok::TypeName if depth == 0 => return,
                Tok::LBrace => depth += 1,
                Tok::RBrace => {
                    self.bump();
                    if depth <= 1 {
                        return;
                    }
                    depth -= 1;
                    continue;
                }
                _ => {}
            }
            self.bump();
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
