//! Diagnostics as text.
//!
//! The layout is rustc's, drawn by `annotate-snippets`: the header, the source line with a caret, further places, notes,
//! and suggested changes. Text that came through a macro is shown at its outermost use, with the spelling in the
//! definition as a further place; text of an `inline` is shown in the body, with the call as a further place. The
//! library is handed short [`excerpt`]s only, never whole files, and no control character of the source gets through.

mod excerpt;

use crate::printable::picture;
use crate::{Diagnostic, Diagnostics, ExpansionKind, Severity, SourceMap, Span};
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Patch, Renderer, Snippet};
use excerpt::{Excerpt, Mark};

/// Stands before the number of an excerpt, where its place is to be; never part of printed text.
const PLACE: char = '\u{f8ff}';

/// Steps of an expansion that are shown; the rest is counted.
const STEPS_MAX: usize = 6;

/// One message as text, with a newline at its end.
pub fn to_string(map: &SourceMap, diagnostic: &Diagnostic, color: bool) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let (marks, mut notes) = marks(map, diagnostic);
    let (excerpts, unseen) = excerpt::excerpts(map, &marks);
    let mut group =
        Group::with_title(level.primary_title(printable(&diagnostic.message)).id(diagnostic.code.to_string()));
    for (i, excerpt) in excerpts.iter().enumerate() {
        group = group.element(snippet(excerpt).path(format!("{PLACE}{i}")));
    }
    for mark in unseen {
        let place = map.position_of(mark.span.lo);
        let place = place.map(|p| format!("{}:{}:{}", p.file, p.line, p.column)).unwrap_or_default();
        let text = if mark.text.is_empty() { "also here" } else { &mark.text };
        notes.push(format!("{text} (at {place})"));
    }
    notes.extend(diagnostic.notes.iter().cloned());
    for note in &notes {
        group = group.element(Level::NOTE.message(printable(note)));
    }
    let mut groups = Vec::new();
    for suggestion in &diagnostic.suggestions {
        let text = printable(&suggestion.text);
        match excerpt::for_change(map, suggestion.span) {
            Some((source, line, range)) => {
                let change = Patch::new(range, printable(&suggestion.replacement));
                groups.push(
                    Level::HELP.secondary_title(text).element(Snippet::source(source).line_start(line).patch(change)),
                );
            }
            None => group = group.element(Level::HELP.message(text)),
        }
    }
    groups.insert(0, group);
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let mut text = fill_places(&renderer.render(&groups), &excerpts);
    text.push('\n');
    text
}

/// Puts the real places into rendered text. The library counts columns in the lines it is given, which may be cut.
fn fill_places(text: &str, excerpts: &[Excerpt]) -> String {
    let mut parts = text.split(PLACE);
    let mut out = parts.next().unwrap_or("").to_string();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit() || c == ':');
        let index = part.split(':').next().and_then(|i| i.parse::<usize>().ok());
        if let Some(e) = index.and_then(|i| excerpts.get(i)) {
            out += &format!("{}:{}:{}", e.path, e.line, e.column);
        }
        out += rest;
    }
    out
}

/// All messages as text, with an empty line after each.
pub fn list_to_string(map: &SourceMap, diagnostics: &Diagnostics, color: bool) -> String {
    diagnostics.iter().map(|d| to_string(map, d, color) + "\n").collect()
}

fn snippet(excerpt: &Excerpt) -> Snippet<'_, Annotation<'_>> {
    let mut snippet = Snippet::source(&*excerpt.text).line_start(excerpt.line_start);
    for (range, mark) in &excerpt.marks {
        let kind = if mark.primary { AnnotationKind::Primary } else { AnnotationKind::Context };
        let mut annotation = kind.span(range.clone());
        if !mark.text.is_empty() {
            annotation = annotation.label(printable(&mark.text));
        }
        snippet = snippet.annotation(annotation);
    }
    snippet
}

/// The places to show, the primary one first, and notes about those left out.
fn marks(map: &SourceMap, diagnostic: &Diagnostic) -> (Vec<Mark>, Vec<String>) {
    let mut marks = Vec::new();
    let mut notes = Vec::new();
    if !diagnostic.span.is_some() {
        for label in &diagnostic.labels {
            marks.push(Mark { span: map.primary(label.span), text: label.text.clone(), primary: marks.is_empty() });
        }
        return (marks, notes);
    }
    marks.push(Mark { span: map.primary(diagnostic.span), text: diagnostic.label.clone(), primary: true });
    for label in &diagnostic.labels {
        marks.push(Mark { span: map.primary(label.span), text: label.text.clone(), primary: false });
    }
    let mut steps = Vec::new();
    let mut span = diagnostic.span;
    while let Some(e) = map.expansion(span.expansion) {
        steps.push(match e.kind {
            // The text as it is spelled in the definition of the macro.
            ExpansionKind::Macro => {
                let text = format!("in the expansion of macro `{}`", e.name);
                Mark { span, text, primary: false }
            }
            ExpansionKind::Inline => {
                let text = format!("in this call of inline `{}`", e.name);
                Mark { span: map.primary(e.call_site), text, primary: false }
            }
        });
        span = e.call_site;
    }
    if steps.len() > STEPS_MAX {
        // The innermost and the outermost steps tell most.
        let left_out = steps.len() - STEPS_MAX;
        steps.drain(STEPS_MAX - 1..STEPS_MAX - 1 + left_out);
        notes.push(format!("{left_out} further expansions in between are not shown"));
    }
    for step in steps {
        // Calls made from the same place need to be told only once.
        if !marks.iter().any(|m| same_text(m.span, step.span) && m.text == step.text) {
            marks.push(step);
        }
    }
    (marks, notes)
}

fn same_text(a: Span, b: Span) -> bool {
    (a.lo, a.hi) == (b.lo, b.hi)
}

/// `text` without characters that could steer a terminal; newlines stay.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c == '\n' { c } else { printable_char(c) }).collect()
}

fn printable_char(c: char) -> char {
    match c {
        '\t' => ' ',
        PLACE => '\u{fffd}',
        _ => picture(c).unwrap_or(c),
    }
}

#[cfg(test)]
mod tests;
