//! Formulas: what SPIN's precedence makes of them, and formulas that say nothing.
//!
//! In SPIN's `ltl` blocks `->` and `<->` bind weakest and group to the left, as `U`, `W` and `V` do, where logic groups
//! them to the right. The tree does not keep parentheses, so the text is looked at: each group in parentheses is a
//! flat list of operators and operands.

use super::walk::{self, Visitor};
use super::{Said, warning};
use crate::ast::{BinaryOp, Expr, ExprKind, Ltl, Program, TemporalUnary, Unit, VarRef};
use ferrospin_source::{ExpansionId, SourceMap, Span};

/// Looks at all formulas.
pub(super) fn check(map: &SourceMap, program: &Program, said: &mut Said<'_>) {
    for unit in &program.units {
        let Unit::Ltl(ltl) = unit else { continue };
        trivial(ltl, said);
        walk::expr(&ltl.formula, &mut Next(said));
        walk::expr(&ltl.formula, &mut Reach(said));
        if ltl.at.0.expansion == ExpansionId::NONE {
            let text = map.snippet(ltl.at.0);
            if let (Some(open), Some(close)) = (text.find('{'), text.rfind('}'))
                && open < close
            {
                let tokens = tokens(&text[open + 1..close], ltl.at.0.lo + open as u32 + 1);
                group(&tokens, &mut 0, said);
            }
        }
    }
}

fn trivial(ltl: &Ltl, said: &mut Said<'_>) {
    struct Looks(bool);
    impl Visitor for Looks {
        fn expr(&mut self, e: &Expr) {
            self.0 |= !matches!(
                e.kind,
                ExprKind::Const(..)
                    | ExprKind::Unary(..)
                    | ExprKind::Binary(..)
                    | ExprKind::Cond(..)
                    | ExprKind::TemporalUnary(..)
                    | ExprKind::TemporalBinary(..)
            );
        }

        fn reference(&mut self, _: &VarRef, _: walk::Access) {
            self.0 = true;
        }
    }
    let mut looks = Looks(false);
    walk::expr(&ltl.formula, &mut looks);
    if !looks.0 {
        let message = "this formula looks at nothing in the model: its truth is fixed";
        said.push(warning("ltl-trivial", ltl.formula.at.0, message));
    }
}

struct Next<'a, 'c>(&'a mut Said<'c>);

impl Visitor for Next<'_, '_> {
    fn expr(&mut self, e: &Expr) {
        if let ExprKind::TemporalUnary(TemporalUnary::Next, _) = e.kind {
            self.0.push(
                warning("ltl-next", e.at.0, "`X` counts steps, so that partial-order reduction cannot be used")
                    .note("what the next step is depends on unrelated processes too"),
            );
        }
    }
}

struct Reach<'a, 'c>(&'a mut Said<'c>);

impl Visitor for Reach<'_, '_> {
    fn expr(&mut self, e: &Expr) {
        if let ExprKind::TemporalUnary(op, inner) = &e.kind
            && let ExprKind::Binary(by, ..) = inner.kind
            && !matches!(by, BinaryOp::And | BinaryOp::Or)
            // Parentheses around it are part of the whole.
            && e.at.0.hi == inner.at.0.hi
        {
            let sign = match op {
                TemporalUnary::Always => "[]",
                TemporalUnary::Eventually => "<>",
                TemporalUnary::Next => "X",
            };
            self.0.push(
                warning(
                    "ltl-precedence",
                    inner.at.0,
                    format!("SPIN applies `{sign}` to the first operand of this only"),
                )
                .note(format!("here it reaches over all of it; write `{sign} (...)`")),
            );
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Open,
    Close,
    /// `[]`, `<>`
    Always,
    Eventually,
    /// `U`, `W`, `V`
    Until,
    /// `&&`, `||`
    Logic,
    /// `->`, `<->`
    Arrow,
    /// Part of an operand.
    Other,
}

#[derive(Clone, Copy, Debug)]
struct Token {
    kind: Kind,
    span: Span,
}

const SYMBOLS: [(&str, Kind); 14] = [
    ("<->", Kind::Arrow),
    ("->", Kind::Arrow),
    ("[]", Kind::Always),
    ("<>", Kind::Eventually),
    ("&&", Kind::Logic),
    ("||", Kind::Logic),
    ("/\\", Kind::Logic),
    ("\\/", Kind::Logic),
    ("<=", Kind::Other),
    (">=", Kind::Other),
    ("<<", Kind::Other),
    (">>", Kind::Other),
    ("(", Kind::Open),
    (")", Kind::Close),
];

fn word_kind(word: &str) -> Kind {
    match word {
        "U" | "W" | "V" | "until" | "weakuntil" | "stronguntil" | "release" => Kind::Until,
        "always" => Kind::Always,
        "eventually" => Kind::Eventually,
        "implies" | "equivalent" => Kind::Arrow,
        "and" | "or" => Kind::Logic,
        _ => Kind::Other,
    }
}

fn tokens(text: &str, base: u32) -> Vec<Token> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let (len, kind) = if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        } else if let Some(comment) = rest.strip_prefix("/*") {
            at += 2 + comment.find("*/").map_or(comment.len(), |i| i + 2);
            continue;
        } else if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        } else if word > 0 {
            (word, word_kind(&rest[..word]))
        } else if let Some((symbol, kind)) = SYMBOLS.iter().find(|(s, _)| rest.starts_with(s)) {
            (symbol.len(), *kind)
        } else {
            (c.len_utf8(), Kind::Other)
        };
        let span = Span { lo: base + at as u32, hi: base + (at + len) as u32, expansion: ExpansionId::NONE };
        found.push(Token { kind, span });
        at += len;
    }
    found
}

/// Looks at one group, up to its closing parenthesis, and at the groups in it.
fn group(tokens: &[Token], at: &mut usize, said: &mut Said<'_>) {
    let mut arrow: Option<Token> = None;
    let mut until: Option<Token> = None;
    // `[]` opens the group and stands before a single operand without parentheses.
    let always = tokens.get(*at).filter(|t| t.kind == Kind::Always).copied();
    let mut plain = always.is_some();
    let first = *at;
    while let Some(&token) = tokens.get(*at) {
        *at += 1;
        match token.kind {
            Kind::Close => return,
            Kind::Open => {
                group(tokens, at, said);
                if *at > first + 2 && token.span.lo == tokens[first + 1].span.lo {
                    plain = false;
                }
            }
            Kind::Arrow => {
                if let Some(before) = arrow {
                    said.push(
                        warning("ltl-precedence", token.span, "arrows in a row group to the left: `(p -> q) -> r`")
                            .also(before.span, "this one binds first")
                            .note("most people read `p -> q -> r` as `p -> (q -> r)`; write parentheses"),
                    );
                } else if let (true, Some(always)) = (plain, always)
                    && tokens.get(*at).is_some_and(|t| t.kind == Kind::Eventually)
                {
                    said.push(
                        warning(
                            "ltl-precedence",
                            always.span,
                            "this `[]` reaches only up to the arrow: `([] p) -> <> q`",
                        )
                        .also(token.span, "the arrow binds weaker")
                        .note("write `[] (p -> <> q)` if every `p` is to be followed by a `q`"),
                    );
                }
                arrow = Some(token);
                until = None;
                plain = false;
            }
            Kind::Logic => {
                until = None;
                plain = false;
            }
            Kind::Until => {
                if let Some(before) = until {
                    said.push(
                        warning("ltl-precedence", token.span, "untils in a row group to the left: `(p U q) U r`")
                            .also(before.span, "this one binds first")
                            .note("most people read `p U q U r` as `p U (q U r)`; write parentheses"),
                    );
                }
                until = Some(token);
                plain = false;
            }
            Kind::Always | Kind::Eventually => plain &= *at == first + 1,
            Kind::Other => {}
        }
    }
}
