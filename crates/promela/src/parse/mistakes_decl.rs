//! Messages about mistakes in declarations and at top level.

use super::tokens::{KEYWORDS, Tok};
use super::{Failed, Parser};
use ferrospin_source::suggest::closest;
use ferrospin_source::{Diagnostic, Span};

impl<'a> Parser<'a> {
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

    pub(super) fn suggest_type(&self, d: Diagnostic, span: Span, word: &str) -> Diagnostic {
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
                let near = closest(text, KEYWORDS.iter().map(|(w, _)| *w));
                let keyword = near.and_then(|w| KEYWORDS.iter().find(|(k, _)| *k == w));
                let d = match (next, keyword) {
                    (Tok::Name, None | Some((_, Tok::Type(_)))) => {
                        let d = Diagnostic::error("unknown-type", t.span, format!("there is no type called `{text}`"));
                        self.suggest_type(d, t.span, text)
                    }
                    (_, Some((near, _))) => {
                        let d = Diagnostic::error("syntax", t.span, format!("`{text}` is not a keyword"));
                        d.suggest(t.span, *near, format!("did you mean `{near}`?"))
                    }
                    _ => Diagnostic::error("syntax", t.span, format!("`{text}` cannot stand at top level"))
                        .note("at top level there are declarations, process types, `init`, `never`, `ltl`, `inline`"),
                };
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
}
