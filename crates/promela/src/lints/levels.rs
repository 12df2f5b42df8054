//! What the user allows and denies.
//!
//! `--deny` wins over `--allow`, both win over comments in the model, and these over the default of [`CODES`]. A comment
//! behind a statement, `x = x; /* ferrospin: allow(self-assign) */`, speaks of its own line; one that stands on a line of
//! its own speaks of the whole model. A denied lint is an error like any other: the model is not run. The name `all` on
//! the command line stands for every lint.

use super::codes::{CODES, Level, find};
use super::warning;
use crate::preprocess::Pragma;
use ferrospin_source::suggest::did_you_mean;
use ferrospin_source::{Diagnostic, Diagnostics, FileId, Severity, SourceMap, Span};
use rustc_hash::FxHashMap;

/// Drops what is allowed or off by default, makes errors of what is denied, and reports names of lints that do not
/// exist (on the command line as an error, in a comment as a lint).
pub fn apply_levels(
    map: &SourceMap,
    diagnostics: &Diagnostics,
    allow: &[String],
    deny: &[String],
    pragmas: &[Pragma],
) -> Diagnostics {
    let mut result = Diagnostics::default();
    for code in allow.iter().chain(deny).filter(|c| c.as_str() != "all" && find(c).is_none()) {
        result.push(unknown(Diagnostic::error("unknown-lint", Span::NONE, format!("there is no lint `{code}`")), code));
    }
    let mut by_line: FxHashMap<(FileId, u32, &str), bool> = FxHashMap::default();
    let mut by_code: FxHashMap<&str, bool> = FxHashMap::default();
    let mut lints = diagnostics.clone();
    for pragma in pragmas {
        if find(&pragma.code).is_none() {
            lints.push(unknown(
                warning("unknown-lint", pragma.span, format!("there is no lint `{}`", pragma.code)),
                &pragma.code,
            ));
        }
        match own_line(map, pragma.span) {
            Some((file, line)) => by_line.insert((file, line, &pragma.code), pragma.deny),
            None => by_code.insert(&pragma.code, pragma.deny),
        };
    }
    let named = |list: &[String], code: &str| list.iter().any(|c| c == code || c == "all");
    for diagnostic in lints.iter() {
        if !diagnostic.lint {
            result.push(diagnostic.clone());
            continue;
        }
        let code = diagnostic.code;
        let here = || {
            let (file, line) = line_of(map, map.primary(diagnostic.span))?;
            by_line.get(&(file, line, code)).copied()
        };
        let denied = if named(deny, code) {
            Some(true)
        } else if named(allow, code) {
            Some(false)
        } else {
            here().or_else(|| by_code.get(code).copied())
        };
        match denied {
            Some(true) => {
                let mut hard = diagnostic.clone();
                hard.severity = Severity::Error;
                hard.lint = false;
                result.push(hard);
            }
            Some(false) => {}
            None if find(code).is_some_and(|info| info.level == Level::Off) => {}
            None => result.push(diagnostic.clone()),
        }
    }
    result
}

fn unknown(diagnostic: Diagnostic, code: &str) -> Diagnostic {
    match did_you_mean(code, CODES.iter().map(|info| info.code)) {
        Some(hint) => diagnostic.note(hint),
        None => diagnostic,
    }
}

/// The line of a comment that stands behind other text; `None` for one that has its line to itself.
fn own_line(map: &SourceMap, span: Span) -> Option<(FileId, u32)> {
    let (file, range) = map.spelling(span)?;
    let text = map.text(file);
    let start = text[..range.start].rfind('\n').map_or(0, |i| i + 1);
    let before = text[start..range.start].trim_end();
    // The span is that of the name; before it stand `ferrospin: allow(` and what opens or decorates the comment.
    let before = before.rfind("ferrospin:").map_or(before, |at| &before[..at]);
    let before = before.trim_end_matches([' ', '\t', '/', '*']);
    if before.is_empty() { None } else { line_of(map, span) }
}

fn line_of(map: &SourceMap, span: Span) -> Option<(FileId, u32)> {
    let (file, range) = map.spelling(span)?;
    Some((file, map.line_index(file, range.start) as u32))
}
