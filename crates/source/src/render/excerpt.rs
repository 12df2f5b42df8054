//! Excerpts of source text around the places a message speaks of.
//!
//! An excerpt is a few neighbouring lines of one file, long lines cut around the marks, with the marks as byte ranges of
//! the excerpt. Its size is bounded whatever the source looks like, so that drawing it is quick.

use super::printable_char;
use crate::{FileId, SourceMap, Span};
use std::ops::Range;

/// Lines up to this far apart are shown in one excerpt.
const GAP_LINES_MAX: usize = 8;
/// A span of more lines is marked on its first line only.
const SPAN_LINES_MAX: usize = 5;
/// Longer lines (in bytes) are cut.
const LINE_BYTES_MAX: usize = 240;
/// What a cut line shows before and after the start of its first mark.
const CUT_BEFORE: usize = 60;
const CUT_AFTER: usize = 120;

/// A place to show.
#[derive(Clone, Debug)]
pub(super) struct Mark {
    pub(super) span: Span,
    pub(super) text: String,
    pub(super) primary: bool,
}

/// Lines of one file with marks.
#[derive(Debug)]
pub(super) struct Excerpt {
    /// File, line and column of the first mark.
    pub(super) path: String,
    pub(super) line: usize,
    pub(super) column: usize,
    /// The lines, cut and cleaned.
    pub(super) text: String,
    /// Number of the first line.
    pub(super) line_start: usize,
    /// Byte ranges of `text`.
    pub(super) marks: Vec<(Range<usize>, Mark)>,
}

/// A mark with its place in a file.
#[derive(Clone)]
struct Placed {
    file: FileId,
    range: Range<usize>,
    /// Line indices from 0.
    first: usize,
    last: usize,
    mark: Mark,
}

/// The excerpts for `marks`, the one with the primary mark first; and the marks that are on none.
pub(super) fn excerpts(map: &SourceMap, marks: &[Mark]) -> (Vec<Excerpt>, Vec<Mark>) {
    let mut placed: Vec<Placed> = marks.iter().filter_map(|m| place(map, m)).collect();
    placed.sort_by_key(|p| (p.file, p.first, p.range.start));
    let mut runs: Vec<Vec<Placed>> = Vec::new();
    for p in placed {
        match runs.last_mut() {
            Some(run) if joins(map, run, &p) => run.push(p),
            _ => runs.push(vec![p]),
        }
    }
    // The primary one leads; the order of the others is that of the source.
    if let Some(i) = runs.iter().position(|r| r.iter().any(|p| p.mark.primary)) {
        runs[..=i].rotate_right(1);
    }
    let mut unseen = Vec::new();
    let excerpts = runs.iter().map(|run| excerpt(map, run, &mut unseen)).collect();
    (excerpts, unseen)
}

fn place(map: &SourceMap, mark: &Mark) -> Option<Placed> {
    let (file, mut range) = map.spelling(mark.span)?;
    let text = map.text(file);
    while !text.is_char_boundary(range.start) {
        range.start -= 1;
    }
    while !text.is_char_boundary(range.end) {
        range.end += 1;
    }
    // The end of the text is shown behind the last thing on its last line.
    if range.start >= text.trim_end().len() && !text.trim_end().is_empty() {
        let end = text.trim_end().len();
        range = end..end;
    }
    let first = map.line_index(file, range.start);
    let mut last = map.line_index(file, range.end.saturating_sub(1).max(range.start));
    if last - first >= SPAN_LINES_MAX {
        last = first;
    }
    range.end = range.end.min(map.line_range(file, last).end).max(range.start);
    Some(Placed { file, range, first, last, mark: mark.clone() })
}

/// Whether `p` is near enough to the end of `run`, and numbered in one sequence with it.
fn joins(map: &SourceMap, run: &[Placed], p: &Placed) -> bool {
    let first = &run[0];
    let last = run.iter().map(|r| r.last).max().unwrap_or(first.last);
    let number = |index| map.line_number(p.file, index) as usize;
    let same_name = || {
        let name = |q: &Placed| map.presumed(map.base(q.file) + q.range.start as u32).map(|(name, _)| name);
        name(first) == name(p)
    };
    first.file == p.file
        && p.first <= last + GAP_LINES_MAX
        && number(p.last) == number(first.first) + (p.last - first.first)
        && same_name()
}

fn excerpt(map: &SourceMap, run: &[Placed], unseen: &mut Vec<Mark>) -> Excerpt {
    let file = run[0].file;
    let lead = run.iter().find(|p| p.mark.primary).unwrap_or(&run[0]);
    let place = map.position_of(map.base(file) + lead.range.start as u32).expect("the mark is in a file");
    let first = run[0].first;
    let last = run.iter().map(|p| p.last).max().unwrap_or(first);
    let mut ranges: Vec<(Option<usize>, Option<usize>)> = vec![(None, None); run.len()];
    let mut text = String::new();
    for index in first..=last {
        let line = map.line_range(file, index);
        let window = window(map, run, file, line.clone());
        let start = window.start;
        if start > line.start {
            text.push_str("...");
        }
        let shown = &map.text(file)[window.clone()];
        // Every boundary of a mark is noted as the text before it is copied.
        let mut note = |offset: usize, at: usize| {
            for (p, range) in run.iter().zip(&mut ranges) {
                if p.range.start == offset && range.0.is_none() {
                    range.0 = Some(at);
                }
                if p.range.end == offset && range.0.is_some() {
                    range.1 = Some(at);
                }
            }
        };
        for (i, c) in shown.char_indices() {
            note(start + i, text.len());
            // Tabs have a width of their own; a carriage return before the newline is part of the line's end.
            if c == '\r' && start + i + 1 == line.end {
                break;
            }
            text.push(if c == '\t' { c } else { printable_char(c) });
        }
        note(window.end, text.len());
        let end = text.len();
        for (p, range) in run.iter().zip(&mut ranges) {
            // A mark that goes on beyond the window ends with it.
            if range.0.is_some() && range.1.is_none() && p.last == index {
                range.1 = Some(end);
            }
        }
        if window.end < line.end {
            text.push_str("...");
        }
        text.push('\n');
    }
    let mut shown = Vec::new();
    for (p, range) in run.iter().zip(ranges) {
        match range {
            (Some(lo), Some(hi)) => shown.push((lo..hi.max(lo), p.mark.clone())),
            _ => unseen.push(p.mark.clone()),
        }
    }
    Excerpt {
        path: super::printable(&place.file),
        line: place.line as usize,
        column: place.column as usize,
        text,
        line_start: map.line_number(file, first) as usize,
        marks: shown,
    }
}

/// The part of a line to show: all, or some around the primary mark on it, else around the first.
fn window(map: &SourceMap, run: &[Placed], file: FileId, line: Range<usize>) -> Range<usize> {
    if line.len() <= LINE_BYTES_MAX {
        return line;
    }
    let inside = |p: &&Placed| p.range.start <= line.end && line.start <= p.range.end;
    let center = run
        .iter()
        .filter(inside)
        .min_by_key(|p| (!p.mark.primary, p.range.start))
        .map_or(line.start, |p| p.range.start.clamp(line.start, line.end));
    let text = map.text(file);
    let mut lo = center.saturating_sub(CUT_BEFORE).max(line.start);
    let mut hi = (center + CUT_AFTER).min(line.end);
    while !text.is_char_boundary(lo) {
        lo -= 1;
    }
    while !text.is_char_boundary(hi) {
        hi += 1;
    }
    lo..hi
}

/// The line that a suggested change is made on, its number, and the range of the change in it. `None` when the place is
/// not a short piece of one short line, written where it is used.
pub(super) fn for_change(map: &SourceMap, span: Span) -> Option<(String, usize, Range<usize>)> {
    if map.primary(span) != span {
        return None;
    }
    let (file, range) = map.spelling(span)?;
    let index = map.line_index(file, range.start);
    let line = map.line_range(file, index);
    if range.end > line.end || line.len() > LINE_BYTES_MAX {
        return None;
    }
    let text = map.text(file).get(line.clone())?;
    // Cleaning must keep the offsets; a line with odd characters gets words only.
    if !text.is_char_boundary(range.start - line.start)
        || !text.is_char_boundary(range.end - line.start)
        || text.trim_end().chars().any(|c| c != '\t' && printable_char(c) != c)
    {
        return None;
    }
    let number = map.line_number(file, index) as usize;
    Some((format!("{}\n", text.trim_end_matches('\r')), number, range.start - line.start..range.end - line.start))
}
