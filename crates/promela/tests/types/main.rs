//! Type inference: what is inferred, what is reported and where, and why.

mod channels;
mod programs;
mod values;

use expect_test::{Expect, expect};
use ferrospin_promela::preprocess::{self, Loader};
use ferrospin_promela::types::{self, Options};
use ferrospin_promela::{Reading, read};
use ferrospin_source::{Diagnostic, Diagnostics, Severity, SourceMap};
use std::fmt::Write;
use std::sync::Arc;

struct NoFiles;

impl Loader for NoFiles {
    fn load(&mut self, _: &str, name: &str, _: &[String]) -> Result<(Arc<str>, String), String> {
        Err(format!("no file `{name}`"))
    }
}

fn reading(text: &str) -> (SourceMap, Reading) {
    let mut map = SourceMap::new();
    let file = map.add_file("m.pml", text);
    let reading = read(&mut map, file, &preprocess::Options::default(), &mut NoFiles);
    (map, reading)
}

fn line(map: &SourceMap, span: ferrospin_source::Span) -> String {
    map.position(span).map_or("-".into(), |p| p.line.to_string())
}

fn shown(map: &SourceMap, d: &Diagnostic) -> String {
    let level = if d.severity == Severity::Error { "error" } else { "warning" };
    let mut text = format!("{}: {level}[{}]: {}\n", line(map, d.span), d.code, d.message);
    if !d.label.is_empty() {
        let _ = writeln!(text, "    ^ {}", d.label);
    }
    for label in &d.labels {
        let _ = writeln!(text, "    {}: {}", line(map, label.span), label.text);
    }
    text
}

fn all(text: &str, options: Options) -> (SourceMap, String, Diagnostics) {
    let (map, reading) = reading(text);
    if reading.diagnostics.has_errors() {
        return (map, String::new(), reading.diagnostics);
    }
    let (types, mut diagnostics) = types::infer(&map, &reading.program, &reading.names, &options);
    diagnostics.sort(&map);
    (map, types.show(), diagnostics)
}

fn check_with(options: Options, text: &str, expected: &Expect) {
    let (map, _, diagnostics) = all(text, options);
    let lines: String = diagnostics.iter().filter(|d| d.code != "numeric-guard").map(|d| shown(&map, d)).collect();
    expected.assert_eq(&lines);
}

/// Checks what is said of a model.
fn check(text: &str, expected: Expect) {
    check_with(Options::default(), text, &expected);
}

/// Checks what is said of the statements of one process.
fn check_body(globals: &str, body: &str, expected: Expect) {
    check(&format!("{globals}\ninit {{\n{body}\n}}\n"), expected);
}

/// Checks the layouts of all channels.
fn check_show(text: &str, expected: Expect) {
    let (map, show, diagnostics) = all(text, Options::default());
    let errors: String = diagnostics.iter().filter(|d| d.severity == Severity::Error).map(|d| shown(&map, d)).collect();
    expected.assert_eq(&format!("{errors}{show}"));
}
