//! A chart as SVG.
//!
//! Lanes are vertical lines under boxes. A handshake is a level arrow, a buffered message a slanted one from the row in
//! which it is sent to the row in which it is received; one that is never received ends in a hollow dot. Labels have a
//! white rim, so that lines behind them do not disturb.

use crate::chart::{Chart, Lane, Mark, REPEATS, Row};
use std::fmt::Write;

const LANE_MIN: f64 = 130.0;
const LANE_MAX: f64 = 260.0;
const ROW: f64 = 24.0;
const MARGIN: f64 = 40.0;
const HEAD: f64 = 30.0;
const TOP: f64 = 64.0;
const CHARACTER: f64 = 6.7;
const ROWS_BETWEEN_TITLES: usize = 30;

const STYLE: &str = "\
text { font-family: ui-sans-serif, Helvetica, Arial, sans-serif; font-size: 12px; fill: #1f2933; }
text.label { paint-order: stroke; stroke: #ffffff; stroke-width: 4px; stroke-linejoin: round; }
text.title { font-weight: 600; text-anchor: middle; }
text.step { fill: #9aa5b1; font-size: 10px; text-anchor: end; }
text.print { font-style: italic; fill: #52606d; }
text.ending { fill: #b91c1c; font-weight: 600; }
rect.box { fill: #eef2f7; stroke: #52606d; }
text.cycle { fill: #b45309; text-anchor: end; }
line.cycle { stroke: #b45309; stroke-dasharray: 8 4; }
line.life { stroke: #9aa5b1; stroke-dasharray: 4 3; }
path.message { stroke: #1d4ed8; stroke-width: 1.3; fill: none; }
path.handshake { stroke: #047857; stroke-width: 1.6; fill: none; }
path.start { stroke: #9aa5b1; fill: none; stroke-dasharray: 2 2; }
path.end { stroke: #1f2933; stroke-width: 1.6; }
circle.lost { stroke: #1d4ed8; fill: #ffffff; }
circle.dot { fill: #1d4ed8; }
circle.note { fill: #9aa5b1; }
";

struct Drawing<'a> {
    chart: &'a Chart,
    lane_width: f64,
    svg: String,
    /// Labels are drawn last, above all lines.
    labels: String,
}

/// Draws a chart.
pub fn draw(chart: &Chart) -> String {
    let longest = chart.rows.iter().map(|r| text_of(r).chars().count()).max().unwrap_or(0);
    let titles = chart.lanes.iter().map(|l| l.title.chars().count() + 6).max().unwrap_or(0);
    let wanted = (longest + 4).max(titles) as f64 * CHARACTER;
    let lane_width = wanted.clamp(LANE_MIN, LANE_MAX);
    let mut d = Drawing { chart, lane_width, svg: String::new(), labels: String::new() };
    // Labels stand to the left of the first lane and to the right of the last one.
    let width = MARGIN + (chart.lanes.len().max(1) as f64 + 1.0) * lane_width;
    let height = TOP + (chart.rows.len() as f64 + 2.0) * ROW + 20.0;
    for (i, lane) in chart.lanes.iter().enumerate() {
        d.lane(i, lane);
    }
    for (i, row) in chart.rows.iter().enumerate() {
        d.row(i, row);
    }
    if let Some(row) = chart.cycle {
        let (y, right) = (TOP + row as f64 * ROW, width - 8.0);
        let _ = writeln!(d.svg, r#"<line class="cycle" x1="{MARGIN}" y1="{y:.1}" x2="{right:.1}" y2="{y:.1}"/>"#);
        let base = y - 3.0;
        let _ = writeln!(d.labels, r#"<text class="label cycle" x="{right:.1}" y="{base:.1}">{REPEATS}</text>"#);
    }
    if let Some(ending) = &chart.ending {
        let y = TOP + (chart.rows.len() as f64 + 2.0) * ROW;
        let _ = writeln!(d.labels, r#"<text class="ending" x="{MARGIN}" y="{y}">{}</text>"#, escape(ending));
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\">\n<style>\n{STYLE}</style>\n\
         <defs>\n{}{}</defs>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{}{}</svg>\n",
        arrow_head("blue", "#1d4ed8"),
        arrow_head("green", "#047857"),
        d.svg,
        d.labels
    )
}

fn arrow_head(name: &str, color: &str) -> String {
    format!(
        "<marker id=\"{name}\" viewBox=\"0 0 8 8\" refX=\"7.5\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" \
         orient=\"auto-start-reverse\"><path d=\"M0 0.5 L8 4 L0 7.5 z\" fill=\"{color}\"/></marker>\n"
    )
}

fn text_of(row: &Row) -> &str {
    match &row.mark {
        Mark::Handshake { label, .. } | Mark::Send { label, .. } | Mark::Receive { label, .. } => label,
        Mark::Print(text) | Mark::Act(text) => text,
        Mark::Start(_) | Mark::End => "",
    }
}

impl Drawing<'_> {
    fn x(&self, lane: usize) -> f64 {
        MARGIN + (lane as f64 + 1.0) * self.lane_width
    }

    fn y(row: usize) -> f64 {
        TOP + (row as f64 + 0.5) * ROW
    }

    /// As much of a text as fits between two lanes.
    fn cut(&self, text: &str) -> String {
        let fits = (self.lane_width / CHARACTER) as usize - 2;
        if text.chars().count() <= fits {
            text.to_string()
        } else {
            text.chars().take(fits - 1).chain(['…']).collect()
        }
    }

    fn lane(&mut self, index: usize, lane: &Lane) {
        let x = self.x(index);
        let head = lane.start.map_or(TOP - 8.0 - HEAD, |row| Self::y(row) - 10.0);
        let height = if lane.start.is_some() { 20.0 } else { HEAD };
        let bottom = Self::y(lane.end.unwrap_or(self.chart.rows.len()));
        let w = (lane.title.chars().count() as f64 * 7.5 + 18.0).min(self.lane_width - 8.0);
        let top = head + height;
        let _ = writeln!(self.svg, r#"<line class="life" x1="{x:.1}" y1="{top:.1}" x2="{x:.1}" y2="{bottom:.1}"/>"#);
        let left = x - w / 2.0;
        let _ = writeln!(
            self.labels,
            r#"<rect class="box" x="{left:.1}" y="{head:.1}" width="{w:.1}" height="{height:.1}" rx="4"/>"#
        );
        let base = head + height / 2.0 + 4.0;
        let title = escape(&lane.title);
        let _ = writeln!(self.labels, r#"<text class="title" x="{x:.1}" y="{base:.1}">{title}</text>"#);
        // In a long chart the titles are far away: they stand below too.
        if lane.end.is_none() && self.chart.rows.len() > ROWS_BETWEEN_TITLES {
            let below = bottom + 16.0;
            let _ = writeln!(self.labels, r#"<text class="title" x="{x:.1}" y="{below:.1}">{title}</text>"#);
        }
    }

    fn label(&mut self, x: f64, y: f64, anchor: &str, class: &str, text: &str) {
        let text = escape(&self.cut(text));
        let _ = writeln!(
            self.labels,
            r#"<text class="{class}" x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{text}</text>"#
        );
    }

    fn row(&mut self, index: usize, row: &Row) {
        let (x, y) = (self.x(row.lane), Self::y(index));
        let step_x = MARGIN - 8.0;
        let first_of_step = index == 0 || self.chart.rows[index - 1].step != row.step;
        if first_of_step {
            let base = y + 3.5;
            let _ = writeln!(self.svg, r#"<text class="step" x="{step_x}" y="{base:.1}">{}</text>"#, row.step);
        }
        match &row.mark {
            Mark::Handshake { to, label } => {
                let to = self.x(*to);
                let _ = writeln!(
                    self.svg,
                    r#"<path class="handshake" d="M{x:.1} {y:.1} L{to:.1} {y:.1}" marker-end="url(#green)"/>"#
                );
                // In the middle of the first gap, where no other lane is crossed.
                let side = if to > x { 1.0 } else { -1.0 };
                self.label(x + side * self.lane_width / 2.0, y - 4.0, "middle", "label", label);
            }
            Mark::Send { label, received, .. } => self.send(x, y, label, *received),
            Mark::Receive { label, sent, .. } => {
                // Text on the far side of the arrow that comes in.
                let from = sent.map_or(x - 1.0, |s| self.x(self.chart.rows[s].lane));
                let side = if from < x { 1.0 } else { -1.0 };
                let anchor = if side > 0.0 { "start" } else { "end" };
                self.label(x + side * 8.0, y + 4.0, anchor, "label", label);
            }
            Mark::Print(text) | Mark::Act(text) => {
                let _ = writeln!(self.svg, r#"<circle class="note" cx="{x:.1}" cy="{y:.1}" r="2.5"/>"#);
                self.label(x + 8.0, y + 4.0, "start", "label print", text);
            }
            Mark::Start(lane) => {
                let half = self.chart.lanes[*lane].title.chars().count() as f64 * 3.75 + 9.0;
                let to = self.x(*lane) + if self.x(*lane) > x { -half } else { half };
                let _ = writeln!(self.svg, r#"<path class="start" d="M{x:.1} {y:.1} L{to:.1} {y:.1}"/>"#);
            }
            Mark::End => {
                let (l, r, t, b) = (x - 5.0, x + 5.0, y - 5.0, y + 5.0);
                let _ = writeln!(
                    self.svg,
                    r#"<path class="end" d="M{l:.1} {t:.1} L{r:.1} {b:.1} M{l:.1} {b:.1} L{r:.1} {t:.1}"/>"#
                );
            }
        }
    }

    fn send(&mut self, x: f64, y: f64, label: &str, received: Option<usize>) {
        let _ = writeln!(self.svg, r#"<circle class="dot" cx="{x:.1}" cy="{y:.1}" r="2.5"/>"#);
        let Some(row) = received else {
            let (to, middle) = (x + 26.0, x + 30.0);
            let _ = writeln!(self.svg, r#"<path class="message" d="M{x:.1} {y:.1} L{to:.1} {y:.1}"/>"#);
            let _ = writeln!(self.svg, r#"<circle class="lost" cx="{middle:.1}" cy="{y:.1}" r="3.5"/>"#);
            self.label(x + 38.0, y + 4.0, "start", "label", label);
            return;
        };
        let (tx, ty) = (self.x(self.chart.rows[row].lane), Self::y(row));
        let path = if (tx - x).abs() < 1.0 {
            let out = x + 30.0;
            format!("M{x:.1} {y:.1} C{out:.1} {y:.1} {out:.1} {ty:.1} {x:.1} {ty:.1}")
        } else {
            format!("M{x:.1} {y:.1} L{tx:.1} {ty:.1}")
        };
        let _ = writeln!(self.svg, r#"<path class="message" d="{path}" marker-end="url(#blue)"/>"#);
        // Text on the near side, away from the arrow, so that it never lies on its own line.
        let side = if tx >= x { -1.0 } else { 1.0 };
        let anchor = if side > 0.0 { "start" } else { "end" };
        self.label(x + side * 8.0, y + 4.0, anchor, "label", label);
    }
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // Control characters are not allowed in XML, not even escaped.
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
