//! What the parser says about mistakes and doubtful spellings.

use crate::Dialect;
use crate::lex::Kind;
use crate::operand::Unbalanced;
use crate::parse::{Error, Parser, Pending};
use ferrospin_source::{Diagnostic, Diagnostics, Severity};

impl Parser<'_> {
    /// Refuses what no formula can contain, before anything is built.
    pub(crate) fn check_tokens(&self) -> Result<(), Error> {
        for (i, t) in self.tokens.iter().enumerate() {
            match t.kind {
                Kind::Sere => {
                    return Err(self.sere(i));
                }
                Kind::Assign => {
                    let d = Diagnostic::error("ltl-syntax", self.span(i, i + 1), "a formula cannot assign").suggest(
                        self.span(i, i + 1),
                        "==",
                        "to compare, write `==`",
                    );
                    return Err(Box::new(d));
                }
                Kind::Unknown if self.source(i).starts_with(['"', '\'']) => {
                    return Err(self.error("ltl-syntax", i, "this quotation mark is never closed"));
                }
                Kind::Unknown => {
                    return Err(self.error(
                        "ltl-syntax",
                        i,
                        format!("unknown character `{}`", self.source(i).escape_debug()),
                    ));
                }
                _ => {}
            }
        }
        Ok(())
    }

    pub(crate) fn sere(&self, at: usize) -> Error {
        let d = Diagnostic::error(
            "ltl-sere",
            self.span(at, at + 1),
            "regular expressions over words (SERE, PSL) are not supported",
        )
        .label("this belongs to a regular expression")
        .note("formulas are built with `[] <> X U V W M` and Boolean connectives");
        Box::new(d)
    }

    pub(crate) fn unbalanced(&self, u: Unbalanced) -> Error {
        let d = match u {
            Unbalanced::Open(o) => Diagnostic::error(
                "ltl-unbalanced",
                self.span(o, o + 1),
                format!("this `{}` is never closed", self.source(o)),
            ),
            Unbalanced::Close(c) => Diagnostic::error(
                "ltl-unbalanced",
                self.span(c, c + 1),
                format!("this `{}` closes nothing", self.source(c)),
            ),
            Unbalanced::Mixed(o, c) => Diagnostic::error(
                "ltl-unbalanced",
                self.span(c, c + 1),
                format!("`{}` is closed by `{}`", self.source(o), self.source(c)),
            )
            .also(self.span(o, o + 1), "opened here"),
        };
        Box::new(d)
    }

    /// `[] x > 3` means what it seems to mean here, but not to SPIN; `!x == 3` means what Promela says.
    pub(crate) fn warn_prefix(&self, at: usize, end: usize, diagnostics: &mut Diagnostics) {
        let text = &self.text[self.tokens[at].lo..self.tokens[end - 1].hi];
        if self.tokens[at].kind == Kind::Not {
            let rest = self.text[self.tokens[at].hi..self.tokens[end - 1].hi].trim_start();
            diagnostics.push(
                Diagnostic::lint(
                    Severity::Warning,
                    "ltl-negation",
                    self.span(at, end),
                    "`!` binds tighter than comparisons and arithmetic",
                )
                .suggest(
                    self.span(at, end),
                    format!("!({rest})"),
                    "to negate all of it, add parentheses",
                ),
            );
        }
        if self.dialect == Dialect::SpinLtl && matches!(self.pending.last(), Some(Pending::Prefix(..))) {
            diagnostics.push(
                Diagnostic::lint(
                    Severity::Warning,
                    "ltl-reading",
                    self.span(at, end),
                    "SPIN applies the operator before this expression to its first operand only",
                )
                .suggest(
                    self.span(at, end),
                    format!("({text})"),
                    "parentheses make the meaning certain",
                ),
            );
        }
    }

    pub(crate) fn missing_operand(&self, at: usize) -> Error {
        let place = |&(Pending::Prefix(_, _, i) | Pending::Binary(_, i) | Pending::Open(i)): &Pending| i;
        let before = self.pending.last().map(place);
        let message = match (before, self.tokens[at].kind) {
            (None, Kind::End) => "the formula is empty".to_owned(),
            (Some(i), Kind::End) => format!("expected an operand after `{}`, found the end", self.source(i)),
            (Some(i), _) => format!("expected an operand after `{}`, found `{}`", self.source(i), self.source(at)),
            (None, _) => format!("expected an operand, found `{}`", self.source(at)),
        };
        let mut d = Diagnostic::error("ltl-syntax", self.span(at, at + 1), message);
        if let Some(i) = before {
            d = d.also(self.span(i, i + 1), "this needs an operand");
        }
        Box::new(d)
    }
}
