//! Names: what is refused, with the exact message, and what the tables hold of correct models.
//!
//! Every input that is refused here is refused by `spin -a` 6.5.2 too (or crashes it), except those of
//! `stricter_than_spin`.

mod declarations;
mod processes;
mod statements;
mod tables;

use expect_test::{Expect, expect};
use ferrospin_promela::names::{Def, Init, Names, Ty, Var};
use ferrospin_promela::preprocess::{Loader, Options};
use ferrospin_promela::{Reading, read};
use ferrospin_source::{SourceMap, Span};
use std::fmt::Write;
use std::sync::Arc;

struct NoFiles;

impl Loader for NoFiles {
    fn load(&mut self, _: &str, name: &str, _: &[String]) -> Result<(Arc<str>, String), String> {
        Err(format!("{name} cannot be read in a test"))
    }
}

fn reading(input: &str) -> (SourceMap, Reading) {
    let mut map = SourceMap::new();
    let file = map.add_file("model.pml", input);
    let reading = read(&mut map, file, &Options::default(), &mut NoFiles);
    (map, reading)
}

/// All messages in short form.
fn messages(input: &str) -> String {
    let (map, reading) = reading(input);
    let place = |span: Span| map.position(span).map_or("-".into(), |p| format!("{}:{}", p.line, p.column));
    let mut out = String::new();
    for d in reading.diagnostics.iter() {
        writeln!(out, "{}: error[{}]: {}", place(d.span), d.code, d.message).unwrap();
        for l in &d.labels {
            writeln!(out, "  {}: {}", place(l.span), l.text).unwrap();
        }
        for s in &d.suggestions {
            writeln!(out, "  help: {}", s.text).unwrap();
        }
    }
    out
}

fn check(input: &str, expected: Expect) {
    let said = messages(input);
    assert!(!said.is_empty(), "accepted: {input}");
    expected.assert_eq(&said);
}
