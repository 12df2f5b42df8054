//! The preprocessor: what it prints, what it complains about, and where the text came from.

mod conditions;
mod directives;
mod limits;
mod macros;
mod places;

use expect_test::{Expect, expect};
use ferrospin_cpp::{Define, Expanded, Loader, Options, preprocess};
use ferrospin_source::{Diagnostics, Severity, SourceMap, Span};
use std::fmt::Write as _;
use std::sync::Arc;

/// Files by name; the folder of the includer and the directories are tried as prefixes.
struct Files(Vec<(&'static str, String)>);

impl Loader for Files {
    fn load(&mut self, includer: &str, name: &str, dirs: &[String]) -> Result<(Arc<str>, String), String> {
        let folder = includer.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
        let places = std::iter::once(folder).chain(dirs.iter().map(|d| format!("{d}/")));
        for place in places {
            let path = format!("{place}{name}");
            if let Some((_, text)) = self.0.iter().find(|(n, _)| *n == path) {
                return Ok((text.as_str().into(), path));
            }
        }
        Err("no such file".to_string())
    }
}

fn run(input: &str, options: &Options, files: Vec<(&'static str, String)>) -> (SourceMap, Expanded, Diagnostics) {
    let mut map = SourceMap::new();
    let file = map.add_file("m", input);
    let (expanded, diagnostics) = preprocess(&mut map, file, options, &mut Files(files));
    well_formed(&map, &expanded);
    (map, expanded, diagnostics)
}

/// Segments are sorted and lie in the text, and linear ones spell what stands there.
fn well_formed(map: &SourceMap, expanded: &Expanded) {
    for pair in expanded.segments.windows(2) {
        assert!(pair[0].start <= pair[1].start, "segments are sorted");
    }
    for (i, s) in expanded.segments.iter().enumerate() {
        let end = expanded.segments.get(i + 1).map_or(expanded.text.len(), |n| n.start as usize);
        let part = &expanded.text[s.start as usize..end];
        if s.linear {
            let word = part.split_ascii_whitespace().next().unwrap_or("");
            let span = expanded.span(s.start as usize, s.start as usize + word.len());
            assert_eq!(map.snippet(span), word, "a linear segment spells its text");
        }
    }
}

fn show(map: &SourceMap, expanded: &Expanded, diagnostics: &Diagnostics) -> String {
    let mut out = String::new();
    for line in expanded.text.lines() {
        writeln!(out, "{}", line.trim_end()).unwrap();
    }
    for d in diagnostics.iter() {
        let place = map.position(d.span).map_or("-".to_string(), |p| format!("{}:{}:{}", p.file, p.line, p.column));
        let severity = if d.severity == Severity::Error { "error" } else { "warning" };
        writeln!(out, "{severity}[{}] {place}: {}", d.code, d.message).unwrap();
        for l in &d.labels {
            let p = map.position(l.span).expect("labels have places");
            writeln!(out, "  {}:{}:{}: {}", p.file, p.line, p.column, l.text).unwrap();
        }
        for s in &d.suggestions {
            writeln!(out, "  {} -> {}", s.text, s.replacement).unwrap();
        }
    }
    out
}

fn check(input: &str, expected: Expect) {
    check_files(input, &[], expected);
}

fn check_files(input: &str, files: &[(&'static str, &str)], expected: Expect) {
    let files = files.iter().map(|(n, t)| (*n, t.to_string())).collect();
    let options = Options { include_dirs: vec!["lib".to_string()], ..Options::default() };
    let (map, expanded, diagnostics) = run(input, &options, files);
    expected.assert_eq(&show(&map, &expanded, &diagnostics));
}

/// Only the messages, for input whose text is of no interest.
fn check_messages(input: &str, expected: Expect) {
    let (map, _, diagnostics) = run(input, &Options::default(), Vec::new());
    expected.assert_eq(&show(&map, &Expanded::default(), &diagnostics));
}

/// The words of the expansion, each with the place a message points at, where it is spelled, and its macros.
fn check_spans(input: &str, options: &Options, expected: Expect) {
    let (map, expanded, _) = run(input, options, Vec::new());
    let mut out = String::new();
    let at = |pos: u32| map.position_of(pos).map_or("-".into(), |p| format!("{}:{}:{}", p.file, p.line, p.column));
    let mut lo = 0;
    for word in expanded.text.split_inclusive(char::is_whitespace) {
        let text = word.trim_end();
        if !text.is_empty() {
            let span = expanded.span(lo, lo + text.len());
            let chain: Vec<&str> = map.backtrace(span).map(|e| &*e.name).collect();
            write!(out, "{text} at {}", at(map.primary(span).lo)).unwrap();
            if !chain.is_empty() {
                write!(out, ", `{}` at {} in {}", map.snippet(span), at(span.lo), chain.join(" < ")).unwrap();
            }
            out.push('\n');
        }
        lo += word.len();
    }
    expected.assert_eq(&out);
}
