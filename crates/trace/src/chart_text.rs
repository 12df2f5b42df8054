//! A chart as text, for terminals.
//!
//! Handshakes are arrows from lane to lane. A buffered message has a number, `(3)`, at its sending and at its receiving,
//! because a slanted line over many rows cannot be drawn with letters. A label that is wider than its lane is cut, with a mark, so that no
//! two labels run into one another.

use crate::chart::{Chart, Mark, REPEATS, Row};
use crate::story::cut;

/// Narrowest and widest distance of lanes.
const WIDTH: (usize, usize) = (10, 32);

/// Draws a chart.
pub fn draw(chart: &Chart) -> String {
    let longest = chart.rows.iter().map(|r| label(r).chars().count() + 4);
    let titles = chart.lanes.iter().map(|l| l.title.chars().count() + 2);
    let width = longest.chain(titles).max().unwrap_or(0).clamp(WIDTH.0, WIDTH.1);
    let number_width = chart.rows.last().map_or(1, |r| r.step.to_string().len()).max(3);
    let margin = number_width + 2;
    let mut out = String::new();
    let mut head = Line::new(margin + chart.lanes.len() * width);
    for (i, lane) in chart.lanes.iter().enumerate() {
        if lane.start.is_none() {
            head.put(margin + i * width, &lane.title);
        }
    }
    head.finish(&mut out);
    let repeats = |index: usize, out: &mut String| {
        if chart.cycle == Some(index) {
            *out += &format!("{:margin$}-- {REPEATS} --\n", "");
        }
    };
    for (index, row) in chart.rows.iter().enumerate() {
        repeats(index, &mut out);
        let mut line = Line::new(margin + chart.lanes.len() * width);
        line.put(0, &format!("{:>number_width$}", row.step));
        for (i, lane) in chart.lanes.iter().enumerate() {
            if lane.start.is_none_or(|s| s < index) && lane.end.is_none_or(|e| index < e) {
                line.put(margin + i * width, "|");
            }
        }
        let at = |lane: usize| margin + lane * width;
        match &row.mark {
            Mark::Handshake { to, label } if *to != row.lane => line.arrow(at(row.lane), at(*to), label),
            Mark::Start(lane) if *lane != row.lane => {
                line.arrow(at(row.lane), at(*lane), "run");
                line.put(at(*lane), &chart.lanes[*lane].title);
            }
            Mark::Start(lane) => line.put(at(*lane), &chart.lanes[*lane].title),
            Mark::End => line.put(at(row.lane), "x"),
            _ => {
                let is_last = row.lane + 1 == chart.lanes.len();
                let room = if is_last { usize::MAX } else { width - 3 };
                line.put(at(row.lane), &format!("| {}", cut(&label(row), room)));
            }
        }
        line.finish(&mut out);
    }
    repeats(chart.rows.len(), &mut out);
    if let Some(ending) = &chart.ending {
        out += &format!("{:margin$}{ending}\n", "");
    }
    out
}

/// What a row says in its lane.
fn label(row: &Row) -> String {
    match &row.mark {
        Mark::Handshake { label, .. } => label.clone(),
        Mark::Send { message, label, .. } => format!("{label} ({message})"),
        Mark::Receive { message: 0, label, .. } => label.clone(),
        Mark::Receive { message, label, .. } => format!("{label} ({message})"),
        Mark::Print(text) => format!("\"{text}\""),
        Mark::Act(text) => text.clone(),
        Mark::Start(_) => "run".into(),
        Mark::End => "x".into(),
    }
}

struct Line(Vec<char>);

impl Line {
    fn new(width: usize) -> Self {
        Line(vec![' '; width])
    }

    fn put(&mut self, at: usize, text: &str) {
        for (i, c) in text.chars().enumerate() {
            if at + i >= self.0.len() {
                self.0.resize(at + i + 1, ' ');
            }
            self.0[at + i] = c;
        }
    }

    /// An arrow between two columns with a label in its middle.
    fn arrow(&mut self, from: usize, to: usize, label: &str) {
        let (left, right) = (from.min(to) + 1, from.max(to) - 1);
        for i in left..=right {
            self.0[i] = '-';
        }
        let room = right - left;
        let text = cut(label, room.saturating_sub(3));
        self.put(left + (room + 1 - text.chars().count()) / 2, &text);
        if from < to { self.put(right, ">") } else { self.put(left, "<") }
    }

    fn finish(self, out: &mut String) {
        *out += self.0.into_iter().collect::<String>().trim_end();
        out.push('\n');
    }
}
