//! Drawings as SVG, laid out by ourselves.

use super::layered::{self, Box, Task};
use super::{Drawing, Node};
use std::fmt::Write;

const CHAR: f64 = 7.0;
const LINE: f64 = 15.0;
const MARGIN: f64 = 24.0;
const TITLE: f64 = 38.0;
/// Longest line of a label, in characters.
const LABEL_MAX: usize = 30;

/// All drawings, one below the other.
pub fn svg(drawings: &[Drawing]) -> String {
    let mut body = String::new();
    let (mut width, mut y) = (560.0_f64, MARGIN);
    for d in drawings {
        let labels: Vec<Vec<String>> = d.arrows.iter().map(|a| wrap(&a.label)).collect();
        let size = |lines: &[String], pad: f64| {
            let longest = lines.iter().map(|l| l.chars().count()).max().unwrap_or(0);
            (longest as f64 * CHAR + pad, lines.len() as f64 * LINE + pad / 2.0)
        };
        let arrows = d.arrows.iter().zip(&labels).map(|(a, l)| (a.from, a.to, size(l, 8.0))).collect();
        let task = Task { nodes: d.nodes.iter().map(|n| size(&n.lines, 20.0)).collect(), arrows };
        let layout = layered::lay_out(&task);
        add(&mut body, format_args!("<g transform=\"translate({MARGIN:.1} {y:.1})\">"));
        add(&mut body, format_args!("<text x=\"0\" y=\"4\" class=\"title\">{}</text>", escape(&d.title)));
        add(&mut body, format_args!("<g transform=\"translate(0 {TITLE:.1})\">"));
        picture(&mut body, d, &labels, &layout);
        body += "</g>\n</g>\n";
        width = width.max(layout.width + 2.0 * MARGIN);
        y += layout.height + TITLE + 2.0 * MARGIN;
    }
    let legend = "⚛ and yellow: inside atomic · blue: inside d_step · double border: may stop here · \
                  red: accept · green: progress · dashed: unless";
    let height = y + 10.0;
    let legend_width = legend.chars().count() as f64 * 6.0 + 2.0 * MARGIN;
    width = width.max(legend_width);
    let mut out = String::new();
    add(
        &mut out,
        format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\">"
        ),
    );
    out += STYLE;
    out += &body;
    add(&mut out, format_args!("<text x=\"{MARGIN:.1}\" y=\"{:.1}\" class=\"legend\">{legend}</text>", height - 14.0));
    out + "</svg>\n"
}

const STYLE: &str = "<style>
text { font: 12px 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: #222 }
.title { font-weight: bold; font-size: 15px }
.legend { font-size: 10px; fill: #666 }
.node { fill: #fff; stroke: #333; stroke-width: 1.2 }
.atomic { fill: #fff3c4 }
.d_step { fill: #d6e8fa }
.accept { stroke: #c0392b; stroke-width: 2.4 }
.progress { stroke: #1e8449; stroke-width: 2.4 }
.arrow { fill: none; stroke: #555; stroke-width: 1.1; marker-end: url(#tip) }
.back { stroke: #2e6da4; marker-end: url(#back) }
.escape { stroke-dasharray: 5 3 }
.paper { fill: #fff; fill-opacity: 0.9 }
</style>
<defs>
<marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#555\"/></marker>
<marker id=\"back\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#2e6da4\"/></marker>
</defs>
<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>
";

fn add(out: &mut String, text: std::fmt::Arguments<'_>) {
    writeln!(out, "{text}").expect("a string takes all");
}

fn escape(text: &str) -> String {
    let control = |c: char| if c.is_control() { ' ' } else { c };
    let text: String = text.chars().map(control).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Breaks a label into lines, at spaces.
fn wrap(label: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in label.split_whitespace() {
        let last = lines.last_mut().expect("there is a line");
        if !last.is_empty() && last.chars().count() + 1 + word.chars().count() > LABEL_MAX {
            lines.push(word.into());
        } else {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    lines
}

fn picture(out: &mut String, d: &Drawing, labels: &[Vec<String>], layout: &layered::Layout) {
    if let Some(entry) = layout.nodes.first() {
        let (x, y) = (entry.x, entry.y - entry.height / 2.0);
        add(out, format_args!("<circle cx=\"{x:.1}\" cy=\"{:.1}\" r=\"4\" fill=\"#333\"/>", y - 18.0));
        add(out, format_args!("<path class=\"arrow\" d=\"M{x:.1} {:.1}L{x:.1} {y:.1}\"/>", y - 14.0));
    }
    let ports = ports(d, layout);
    for (i, a) in d.arrows.iter().enumerate() {
        let (route, _) = &layout.routes[i];
        let up = layout.upwards[i];
        let class = format!("arrow{}{}", if up { " back" } else { "" }, if a.escape { " escape" } else { "" });
        let mut points = vec![ports[i].0];
        points.extend(route.iter().flat_map(|b| ends(b, up && a.from != a.to)));
        points.push(ports[i].1);
        let path =
            if a.from == a.to { loop_path(&layout.nodes[a.from], &route[0], ports[i].0) } else { curve(&points) };
        add(out, format_args!("<path class=\"{class}\" d=\"{path}\"/>"));
    }
    for (i, lines) in labels.iter().enumerate() {
        let (route, label) = &layout.routes[i];
        words(out, lines, &route[*label], true);
    }
    for (n, at) in d.nodes.iter().zip(&layout.nodes) {
        node(out, n, at);
    }
}

/// The two ends of a box on a route, in the order in which it is passed.
fn ends(b: &Box, up: bool) -> [(f64, f64); 2] {
    let (top, bottom) = ((b.x, b.y - b.height / 2.0), (b.x, b.y + b.height / 2.0));
    if up { [bottom, top] } else { [top, bottom] }
}

/// Where each arrow leaves its source and enters its target: side by side, in the order of where they go.
fn ports(d: &Drawing, layout: &layered::Layout) -> Vec<((f64, f64), (f64, f64))> {
    let mut out = vec![((0.0, 0.0), (0.0, 0.0)); d.arrows.len()];
    for (n, at) in layout.nodes.iter().enumerate() {
        for below in [false, true] {
            // Which arrows touch this side of the node, with their other point and whether they start here.
            let mut list: Vec<(f64, usize, bool)> = Vec::new();
            for (i, a) in d.arrows.iter().enumerate() {
                let route = &layout.routes[i].0;
                let up = layout.upwards[i];
                let is_loop = a.from == a.to;
                if a.from == n && (is_loop || up != below) && (!is_loop || below) {
                    list.push((route[0].x, i, true));
                }
                if a.to == n && !is_loop && up == below {
                    list.push((route[route.len() - 1].x, i, false));
                }
            }
            list.sort_by(|a, b| a.0.total_cmp(&b.0));
            let step = (at.width / (list.len() as f64 + 1.0)).min(16.0);
            let first = at.x - step * (list.len() as f64 - 1.0) / 2.0;
            let y = at.y + if below { at.height / 2.0 } else { -at.height / 2.0 };
            for (k, (_, i, starts)) in list.into_iter().enumerate() {
                let point = (first + step * k as f64, y);
                if starts {
                    out[i].0 = point;
                } else {
                    out[i].1 = point;
                }
            }
        }
    }
    out
}

/// A smooth line that is vertical at every point.
fn curve(points: &[(f64, f64)]) -> String {
    let mut out = format!("M{:.1} {:.1}", points[0].0, points[0].1);
    for pair in points.windows(2) {
        let ((ax, ay), (bx, by)) = (pair[0], pair[1]);
        let middle = (ay + by) / 2.0;
        write!(out, "C{ax:.1} {middle:.1} {bx:.1} {middle:.1} {bx:.1} {by:.1}").expect("a string takes all");
    }
    out
}

/// From a node through the label below it and back to its side.
fn loop_path(node: &Box, label: &Box, start: (f64, f64)) -> String {
    let side = if label.x >= node.x { 1.0 } else { -1.0 };
    let top = label.y - label.height / 2.0;
    let far = (label.x + side * (label.width / 2.0 + 8.0), node.x + side * (node.width / 2.0 + 16.0));
    let far = if side > 0.0 { far.0.max(far.1) } else { far.0.min(far.1) };
    let edge = node.x + side * node.width / 2.0;
    let middle = (start.1 + top) / 2.0;
    format!(
        "M{:.1} {:.1}C{:.1} {middle:.1} {:.1} {middle:.1} {:.1} {top:.1}L{:.1} {:.1}C{far:.1} {:.1} {far:.1} {:.1} {edge:.1} {:.1}",
        start.0, start.1, start.0, label.x, label.x, label.x, label.y, label.y, node.y, node.y
    )
}

fn words(out: &mut String, lines: &[String], at: &Box, paper: bool) {
    if paper {
        let (x, y) = (at.x - at.width / 2.0, at.y - at.height / 2.0);
        let (w, h) = (at.width, at.height);
        add(out, format_args!("<rect class=\"paper\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w:.1}\" height=\"{h:.1}\"/>"));
    }
    let first = at.y - (lines.len() as f64 - 1.0) * LINE / 2.0 + 4.0;
    for (i, l) in lines.iter().enumerate() {
        let y = first + i as f64 * LINE;
        add(out, format_args!("<text x=\"{:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{}</text>", at.x, escape(l)));
    }
}

fn node(out: &mut String, n: &Node, at: &Box) {
    let frame = |grow: f64, class: &str| {
        let (w, h) = (at.width + 2.0 * grow, at.height + 2.0 * grow);
        let (x, y) = (at.x - w / 2.0, at.y - h / 2.0);
        format!("<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w:.1}\" height=\"{h:.1}\" rx=\"9\"/>")
    };
    if !n.gone {
        let marks =
            [(n.inside_d_step, " d_step"), (n.atomic, " atomic"), (n.accept, " accept"), (n.progress, " progress")];
        let class = marks.iter().filter(|m| m.0).fold(String::from("node"), |c, m| c + m.1);
        add(out, format_args!("{}", frame(0.0, &class)));
        if n.end {
            add(out, format_args!("{}", frame(-3.0, &class)));
        }
    }
    words(out, &n.lines, at, false);
}
