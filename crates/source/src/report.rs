//! Diagnostics as data, for the JSON report.

use crate::{Diagnostic, Diagnostics, ExpansionKind, Severity, SourceMap, Span};
use serde::Serialize;

/// A place: file, line and column (both from 1, columns in characters), `#line` applied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Location {
    /// Name of the file.
    pub file: String,
    /// Line from 1.
    pub line: u32,
    /// Column from 1.
    pub column: u32,
}

/// A further place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Label {
    /// Where it starts.
    pub location: Option<Location>,
    /// Where it ends, exclusive.
    pub end: Option<Location>,
    /// What is there.
    pub text: String,
}

/// A change that would mend the input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Suggestion {
    /// Where the text to replace starts.
    pub location: Option<Location>,
    /// Where it ends, exclusive.
    pub end: Option<Location>,
    /// By what.
    pub replacement: String,
    /// The sentence that offers it.
    pub text: String,
}

/// A use of a macro or inline through which the text came.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// `macro` or `inline`.
    pub kind: &'static str,
    /// Name of the macro or inline.
    pub name: String,
    /// Where the text is spelled in its definition.
    pub spelling: Option<Location>,
    /// Where it is used.
    pub location: Option<Location>,
}

/// One message; serialises to an entry of `diagnostics` in the JSON report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// `error` or `warning`.
    pub severity: &'static str,
    /// Stable name of the kind of message.
    pub code: &'static str,
    /// One sentence.
    pub message: String,
    /// Where: for text out of a macro the outermost use, for text out of an inline its body.
    pub location: Option<Location>,
    /// Where that ends, exclusive.
    pub end: Option<Location>,
    /// A few words about the place; may be empty.
    pub label: String,
    /// Further places.
    pub labels: Vec<Label>,
    /// Sentences that explain or advise.
    pub notes: Vec<String>,
    /// Ways to mend it.
    pub suggestions: Vec<Suggestion>,
    /// Macros and inlines the text came through, innermost first.
    pub expansion: Vec<Step>,
    /// Whether the model can be run all the same.
    pub lint: bool,
}

impl Report {
    /// The data of one message.
    pub fn new(map: &SourceMap, d: &Diagnostic) -> Self {
        let (location, end) = range(map, d.span);
        let labels = d.labels.iter().map(|l| {
            let (location, end) = range(map, l.span);
            Label { location, end, text: l.text.clone() }
        });
        let suggestions = d.suggestions.iter().map(|s| {
            // A change is made where the text is spelled, which may be the definition of a macro.
            let (location, end) = (locate(map, s.span.lo), locate(map, s.span.hi));
            Suggestion { location, end, replacement: s.replacement.clone(), text: s.text.clone() }
        });
        let mut spelled = d.span;
        let expansion = map.backtrace(d.span).map(|e| {
            let kind = match e.kind {
                ExpansionKind::Macro => "macro",
                ExpansionKind::Inline => "inline",
            };
            let spelling = locate(map, spelled.lo);
            spelled = e.call_site;
            Step { kind, name: e.name.to_string(), spelling, location: locate(map, e.call_site.lo) }
        });
        Self {
            severity: match d.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            },
            code: d.code,
            message: d.message.clone(),
            location,
            end,
            label: d.label.clone(),
            labels: labels.collect(),
            notes: d.notes.clone(),
            suggestions: suggestions.collect(),
            expansion: expansion.collect(),
            lint: d.lint,
        }
    }

    /// The data of all messages.
    pub fn list(map: &SourceMap, diagnostics: &Diagnostics) -> Vec<Report> {
        diagnostics.iter().map(|d| Report::new(map, d)).collect()
    }
}

/// Start and end of the place a message about `span` points at.
fn range(map: &SourceMap, span: Span) -> (Option<Location>, Option<Location>) {
    let span = map.primary(span);
    if !span.is_some() {
        return (None, None);
    }
    (locate(map, span.lo), locate(map, span.hi))
}

fn locate(map: &SourceMap, pos: u32) -> Option<Location> {
    map.position_of(pos).map(|p| Location { file: p.file.to_string(), line: p.line, column: p.column })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Expansion;
    use expect_test::expect;

    #[test]
    fn json() {
        let mut map = SourceMap::new();
        let f = map.add_file("m.pml", "#define M a + b\nx = M;\n");
        let call_site = map.span(f, 20, 21);
        let id = map.add_expansion(Expansion { kind: ExpansionKind::Macro, name: "M".into(), call_site });
        let at = Span { expansion: id, ..map.span(f, 14, 15) };
        let d = Diagnostic::lint(Severity::Warning, "unknown-name", at, "unknown name `b`")
            .label("not declared")
            .also(map.span(f, 16, 17), "used here")
            .note("a note")
            .suggest(at, "a", "did you mean `a`?");
        let nowhere = Diagnostic::error("usage", Span::NONE, "no model given");
        let mut all = Diagnostics::default();
        all.push(d);
        all.push(nowhere);
        expect![[r#"
            [
              {
                "severity": "warning",
                "code": "unknown-name",
                "message": "unknown name `b`",
                "location": {
                  "file": "m.pml",
                  "line": 2,
                  "column": 5
                },
                "end": {
                  "file": "m.pml",
                  "line": 2,
                  "column": 6
                },
                "label": "not declared",
                "labels": [
                  {
                    "location": {
                      "file": "m.pml",
                      "line": 2,
                      "column": 1
                    },
                    "end": {
                      "file": "m.pml",
                      "line": 2,
                      "column": 2
                    },
                    "text": "used here"
                  }
                ],
                "notes": [
                  "a note"
                ],
                "suggestions": [
                  {
                    "location": {
                      "file": "m.pml",
                      "line": 1,
                      "column": 15
                    },
                    "end": {
                      "file": "m.pml",
                      "line": 1,
                      "column": 16
                    },
                    "replacement": "a",
                    "text": "did you mean `a`?"
                  }
                ],
                "expansion": [
                  {
                    "kind": "macro",
                    "name": "M",
                    "spelling": {
                      "file": "m.pml",
                      "line": 1,
                      "column": 15
                    },
                    "location": {
                      "file": "m.pml",
                      "line": 2,
                      "column": 5
                    }
                  }
                ],
                "lint": true
              },
              {
                "severity": "error",
                "code": "usage",
                "message": "no model given",
                "location": null,
                "end": null,
                "label": "",
                "labels": [],
                "notes": [],
                "suggestions": [],
                "expansion": [],
                "lint": false
              }
            ]"#]]
        .assert_eq(&serde_json::to_string_pretty(&Report::list(&map, &all)).expect("plain data"));
    }
}
