//! Messages about mistakes in statements.

use super::tokens::{KEYWORDS, Tok, Token};
use super::{Failed, Parser};
use crate::ast::Ident;
use ferrospin_source::suggest::closest;
use ferrospin_source::{Diagnostic, Span};

impl<'a> Parser<'a> {
    /// A block does not end where it should.
    pub(super) fn not_closed(&mut self, open: Token) -> Failed {
        let t = self.peek_token();
        match t.tok {
            Tok::Sep => {
                let d = Diagnostic::error("unmatched", t.span, "`::` stands outside `if` and `do`");
                self.fail(d.note("options begin with `::` between `if` and `fi` or `do` and `od`"))
            }
            _ => self.missing_brace(open.span),
        }
    }

    /// Takes a `fi` or `od` that closes nothing, and says so.
    pub(super) fn stray_closer(&mut self) -> bool {
        let t = self.peek_token();
        let (opener, word) = match t.tok {
            Tok::Fi => (Tok::If, "if"),
            Tok::Od => (Tok::Do, "do"),
            _ => return false,
        };
        if self.open.contains(&opener) || self.open.last().is_some_and(|o| *o != Tok::LBrace) {
            return false;
        }
        let text = self.lx.token_text(&t);
        let d = Diagnostic::error("unmatched", t.span, format!("`{text}` without `{word}`"));
        self.fail(d);
        self.bump();
        true
    }

    pub(super) fn empty_sequence(&mut self, open: Token) -> Failed {
        if open.tok == Tok::LBrace && !self.at(Tok::RBrace) {
            return self.not_closed(open);
        }
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

    pub(super) fn comma_after_brace(&mut self, t: Token) -> Failed {
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
            Tok::Unless if after_break && prev.value == 1 => {
                let d = Diagnostic::error("unless", t.span, "`unless` cannot follow a `select` over that many values");
                self.fail(d.note("SPIN makes two statements of it; put braces around the `select`"))
            }
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
            Tok::Assign if prev.tok == Tok::Colon => {
                let span = self.join(prev.span, t.span);
                let d = Diagnostic::error("c-syntax", span, "Promela has no `:=`");
                self.fail(d.suggest(span, "=", "assign with `=`"))
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
                all.extend(["printf", "printm", "assert", "select", "set_priority"]);
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

    pub(super) fn no_option(&mut self, word: Token) -> Failed {
        let t = self.peek_token();
        let text = self.lx.token_text(&word);
        if word.tok == Tok::If && t.tok == Tok::LParen {
            let d = Diagnostic::error("c-syntax", t.span, "the choices of an `if` are options that begin with `::`");
            return self.fail(d.note("write `if :: (condition) -> ... :: else -> ... fi`"));
        }
        if word.tok == Tok::Do && t.tok == Tok::LBrace {
            let d = Diagnostic::error("c-syntax", t.span, "the body of a `do` is made of options that begin with `::`");
            let failed = self.fail(d.note("write `do :: (condition) -> ... :: else -> break od`"));
            self.skip_to_end(Tok::Od);
            return failed;
        }
        let found = self.found();
        let d = Diagnostic::error("missing-option", t.span, format!("expected `::` after `{text}`, found {found}"));
        let failed = self.fail(d.note(format!("each choice of `{text}` begins with `::`")));
        self.skip_to_end(if word.tok == Tok::If { Tok::Fi } else { Tok::Od });
        failed
    }

    /// An `if` or `do` ends with the wrong word; goes on where that can only be a slip.
    pub(super) fn wrong_end(&mut self, word: Token, close: Tok) -> Result<(), Failed> {
        let t = self.peek_token();
        let opener = self.lx.token_text(&word);
        let closer = if close == Tok::Fi { "fi" } else { "od" };
        let outer = self.open.iter().rev().skip(1).take_while(|o| **o != Tok::LBrace);
        let belongs_outside = match t.tok {
            Tok::Fi => outer.into_iter().any(|o| *o == Tok::If),
            Tok::Od => outer.into_iter().any(|o| *o == Tok::Do),
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
            let failed = self.fail(d.note(d_note));
            // The semicolons in the head do not end the statement.
            while !matches!(self.peek(), Tok::LBrace | Tok::RBrace | Tok::Eof) {
                self.bump();
            }
            return failed;
        }
        let found = self.found();
        let d =
            Diagnostic::error("syntax", t.span, format!("expected `:` or `in` after the loop variable, found {found}"));
        self.fail(d.note(d_note))
    }
}
