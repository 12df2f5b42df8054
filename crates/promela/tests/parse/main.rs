//! The parser: what is accepted, as what, and what is said about the rest.

mod accepted;
mod broken_declarations;
mod broken_names;
mod broken_statements;
mod broken_units;

use expect_test::{Expect, expect};
use ferrospin_promela::ast::Program;
use ferrospin_promela::preprocess::{Expanded, Segment};
use ferrospin_promela::{parse, print};
use ferrospin_source::{Diagnostics, SourceMap};
use std::fmt::Write;

/// Text as the preprocessor would give it when there is nothing to do.
fn expanded(map: &mut SourceMap, text: &str) -> Expanded {
    let file = map.add_file("m.pml", text);
    let span = map.span(file, 0, text.len());
    Expanded { text: text.into(), segments: vec![Segment { start: 0, span, linear: true }], ..Expanded::default() }
}

fn read(text: &str) -> (SourceMap, Program, Diagnostics) {
    let mut map = SourceMap::new();
    let expanded = expanded(&mut map, text);
    let (program, mut said) = parse::parse(&mut map, &expanded);
    said.sort(&map);
    (map, program, said)
}

/// One line per message, its notes, places and suggestions below it.
fn listing(map: &SourceMap, said: &Diagnostics) -> String {
    let place = |span| map.position(span).map_or("-".to_string(), |p| format!("{}:{}", p.line, p.column));
    let mut out = String::new();
    for d in said.iter() {
        let kind = if d.lint { "lint" } else { "error" };
        let _ = writeln!(out, "{} {kind}[{}] {}", place(d.span), d.code, d.message);
        for l in &d.labels {
            let _ = writeln!(out, "    at {}: {}", place(l.span), l.text);
        }
        for n in &d.notes {
            let _ = writeln!(out, "    note: {n}");
        }
        for s in &d.suggestions {
            let _ = writeln!(out, "    {}: `{}`", s.text, s.replacement);
        }
    }
    out
}

/// The canonical text of what was read.
fn accept(text: &str, expected: Expect) {
    let (map, program, said) = read(text);
    assert!(!said.has_errors(), "{text}\n{}", listing(&map, &said));
    expected.assert_eq(&print::program(&program));
}

/// The messages; there must be an error among them.
fn reject(text: &str, expected: Expect) {
    let (map, _, said) = read(text);
    assert!(said.has_errors(), "accepted: {text}");
    expected.assert_eq(&listing(&map, &said));
}

fn accept_body(body: &str, expected: Expect) {
    accept(&format!("init {{ {body} }}\n"), expected);
}

fn reject_body(body: &str, expected: Expect) {
    reject(&format!("init {{\n{body}\n}}\n"), expected);
}
