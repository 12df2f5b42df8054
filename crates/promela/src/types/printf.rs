//! `printf` and `printm`: what is printed must fit how it is printed.

use super::infer::{Checker, Type};
use crate::ast::Expr;
use crate::lints::{error, warning};
use ferrospin_source::Span;

impl Checker<'_> {
    /// `printf("...", a, b)`
    pub(super) fn printf(&mut self, format: &str, args: &[Expr], span: Span) {
        let types: Vec<Type> = args.iter().map(|a| self.expr(a)).collect();
        let conversions = conversions(format);
        if conversions.len() != args.len() {
            let s = |n: usize| if n == 1 { "" } else { "s" };
            let message = format!(
                "the format asks for {} value{}, but {} {} given",
                conversions.len(),
                s(conversions.len()),
                args.len(),
                if args.len() == 1 { "is" } else { "are" },
            );
            // Values that are left over are ignored; ones that are missing stop SPIN's simulator.
            let said = if conversions.len() > args.len() {
                error("printf", span, message)
            } else {
                warning("printf", span, message)
            };
            self.said.push(said);
        }
        for ((arg, ty), conversion) in args.iter().zip(types).zip(conversions) {
            let span = arg.at.0;
            let text = self.map.snippet(span).to_owned();
            let said = match (conversion, &ty) {
                ('e', Type::Number { .. } | Type::Bool | Type::Pid) => {
                    warning("printf", span, format!("`%e` prints the name of an mtype value, but `{text}` is a number"))
                        .note("use `%d`")
                }
                ('e', Type::Chan(_)) => warning(
                    "printf",
                    span,
                    format!("`%e` prints the name of an mtype value, but `{text}` is a channel"),
                )
                .note("use `%d`"),
                ('d' | 'u' | 'x' | 'o' | 'c', Type::Mtype(_)) => warning(
                    "printf",
                    span,
                    format!("`%{conversion}` prints the number behind the mtype value `{text}`"),
                )
                .note("use `%e` to print its name"),
                (_, Type::Record(..)) => warning("printf", span, format!("`{text}` is a record and cannot be printed")),
                _ => continue,
            };
            self.said.push(said);
        }
    }

    /// `printm(x)`
    pub(super) fn printm(&mut self, ty: &Type, span: Span) {
        if let Type::Number { .. } | Type::Bool | Type::Pid | Type::Chan(_) | Type::Record(..) = ty {
            let kind = self.type_text(ty);
            let message = format!("`printm` prints the name of an mtype value, but this is `{kind}`");
            self.said.push(warning("printf", span, message).note("use `printf(\"%d\", ...)`"));
        }
    }
}

/// The letters of the conversions in a format, `%%` left out.
fn conversions(format: &str) -> Vec<char> {
    let mut found = Vec::new();
    let mut rest = format.chars();
    while let Some(c) = rest.next() {
        if c != '%' {
            continue;
        }
        // Flags and widths are passed on to C as they are.
        let letter = rest.by_ref().find(|c| !matches!(c, '0'..='9' | '-' | '+' | ' ' | '#' | '.' | 'l' | 'h'));
        match letter {
            Some('%') | None => {}
            Some(letter) => found.push(letter),
        }
    }
    found
}
