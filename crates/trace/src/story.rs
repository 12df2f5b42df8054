//! A trail as text, step by step.
//!
//! A line for each step: its number, who moves, the line of the source, the statement, and what it changed. What was
//! printed follows behind a bar, propositions that change their value behind a colon. Long values are cut, with a mark.

use crate::trail::{Act, Change, Event, Place, Step, Trail};

/// What to show.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// At most this many steps; of a longer trail the middle is left out.
    pub steps_max: usize,
    /// Only steps that change a value, print or send something, or fail.
    pub only_changes: bool,
    /// Longest value; what is longer is cut.
    pub value_max: usize,
    /// In front of each line.
    pub indent: &'static str,
}

impl Default for Style {
    fn default() -> Self {
        Style { steps_max: usize::MAX, only_changes: false, value_max: usize::MAX, indent: "" }
    }
}

/// Widest column; a longer text pushes what stands behind it to the right. Formatting takes no width above 65,535, and a
/// name in a model has no greatest length.
const COLUMN_MAX: usize = 40;

/// The steps of a trail.
pub fn steps(trail: &Trail, style: Style) -> String {
    let widths = Widths::of(trail);
    let mut out = String::new();
    // The end of a counterexample tells more than its beginning.
    let (head, tail) = match trail.steps.len() {
        n if n <= style.steps_max => (n, n),
        n => (style.steps_max / 4, n - (style.steps_max - style.steps_max / 4)),
    };
    let mut skipped = 0;
    for (i, step) in trail.steps.iter().enumerate() {
        if style.only_changes && !is_telling(step) && trail.loop_start != Some(i) && i + 1 < trail.steps.len() {
            skipped += 1;
            continue;
        }
        if trail.loop_start == Some(i) {
            out += &format!("{}the steps from here on repeat for ever:\n", style.indent);
        }
        if i == head && tail > head {
            let (indent, left_out) = (style.indent, tail - head);
            out += &format!("{indent}{:>w$}  {left_out} left out, `replay` shows them\n", "...", w = widths.number);
        }
        if i < head || i >= tail {
            step_lines(&mut out, i + 1, step, &widths, style);
        }
    }
    if skipped > 0 {
        let what = if skipped == 1 { "1 step that changes" } else { &format!("{skipped} steps that change") };
        out += &format!("{}{what} nothing left out\n", style.indent);
    }
    out
}

/// Whether a step changes a value, or something else can be told of it.
fn is_telling(step: &Step) -> bool {
    !step.changes.is_empty() || !step.events.is_empty() || step.failure.is_some()
}

/// A text that is cut, with a mark, if it is too long.
pub(crate) fn cut(text: &str, width: usize) -> String {
    match text.char_indices().nth(width) {
        None => text.to_owned(),
        Some(_) => text.chars().take(width.saturating_sub(1)).chain(['…']).collect(),
    }
}

/// One step with its number.
pub fn step(number: usize, step: &Step) -> String {
    let mut widths = Widths { number: 3, process: 8, place: 4, statement: 24, files: false };
    widths.see(step);
    let mut out = String::new();
    step_lines(&mut out, number, step, &widths, Style::default());
    out
}

/// How the trail ends: the violation, and the location of each process.
pub fn ending(trail: &Trail) -> String {
    let mut out = String::new();
    let count = match trail.loop_start.unwrap_or(trail.steps.len()) {
        1 => "1 step".to_string(),
        n => format!("{n} steps"),
    };
    match &trail.violation {
        Some(v) => {
            let place = v.location.as_ref().map_or(String::new(), |p| format!("{}:{}:{}: ", p.file, p.line, p.column));
            out += &format!("{place}{}, after {count}\n", v.message);
        }
        None => out += &format!("nothing is wrong, after {count}\n"),
    }
    if let Some(explanation) = &trail.explanation {
        out += &explanation.text("");
    }
    for s in &trail.standing {
        let place = s.location.as_ref().map_or(String::new(), |p| format!(" at {}:{}", p.file, p.line));
        let end = if s.may_stop { "  (it may stop here)" } else { "" };
        out += &format!("    {}{place}: {}{end}\n", s.process, s.statement);
    }
    for v in &trail.values {
        out += &format!("    {} = {}\n", v.name, v.value);
    }
    out
}

/// A change whose values are cut if they are too long.
fn change(change: &Change, value_max: usize) -> String {
    let cut = |value: &String| cut(value, value_max);
    Change { before: change.before.as_ref().map(cut), after: cut(&change.after), ..change.clone() }.to_string()
}

struct Widths {
    number: usize,
    process: usize,
    place: usize,
    statement: usize,
    /// Whether places name their file: only where there are several.
    files: bool,
}

impl Widths {
    fn of(trail: &Trail) -> Self {
        let places = |s: &Step| acts(s).filter_map(|a| a.location.clone()).collect::<Vec<_>>();
        let mut files: Vec<String> = trail.steps.iter().flat_map(places).map(|p| p.file).collect();
        files.sort();
        files.dedup();
        let number = trail.steps.len().to_string().len().max(3);
        let mut widths = Widths { number, process: 0, place: 0, statement: 0, files: files.len() > 1 };
        trail.steps.iter().for_each(|s| widths.see(s));
        widths
    }

    fn see(&mut self, step: &Step) {
        for act in acts(step) {
            let wider = |width: usize, text: &str| width.max(text.chars().count()).min(COLUMN_MAX);
            self.process = wider(self.process, &who(act));
            self.place = wider(self.place, &place(act.location.as_ref(), self.files));
            self.statement = wider(self.statement, &act.statement);
        }
    }
}

fn acts(step: &Step) -> impl Iterator<Item = &Act> {
    step.claim.iter().chain(&step.act).chain(&step.partner)
}

fn who(act: &Act) -> String {
    act.process.as_ref().map_or("claim".into(), ToString::to_string)
}

fn place(place: Option<&Place>, files: bool) -> String {
    match place {
        None => String::new(),
        Some(p) if files => format!("{}:{}", p.file, p.line),
        Some(p) => format!("line {}", p.line),
    }
}

fn step_lines(out: &mut String, number: usize, step: &Step, w: &Widths, style: Style) {
    let indent = style.indent;
    let all: Vec<&Act> = acts(step).collect();
    for (i, act) in all.iter().enumerate() {
        let shown = if i == 0 { number.to_string() } else { String::new() };
        let mut line = format!(
            "{indent}{shown:>nw$}  {:pw$}  {:lw$}  ",
            who(act),
            place(act.location.as_ref(), w.files),
            nw = w.number,
            pw = w.process,
            lw = w.place
        );
        line += &format!("{:sw$}", act.statement, sw = w.statement);
        if i + 1 == all.len() && !step.changes.is_empty() {
            let changes: Vec<String> = step.changes.iter().map(|c| change(c, style.value_max)).collect();
            line += &format!("  {}", changes.join(", "));
        }
        *out += line.trim_end();
        out.push('\n');
    }
    let note = |text: &str| format!("{indent}{:nw$}  {text}\n", "", nw = w.number);
    for event in &step.events {
        match event {
            Event::Printed { text, .. } => {
                for line in text.lines() {
                    *out += &note(&format!("| {line}"));
                }
            }
            Event::Started { process } => *out += &note(&format!("{process} starts")),
            Event::Becomes { proposition, holds } => {
                let now = if *holds { "holds now" } else { "holds no more" };
                *out += &note(&format!(": `{proposition}` {now}"));
            }
            _ => {}
        }
    }
    if let Some(failure) = &step.failure {
        *out += &note(&format!("! {failure}"));
    }
}
