//! Process graphs for people: as pictures, as text, and the layout of the state.
//!
//! A [`Drawing`] is what every form shows: locations as nodes, statements as arrows. The inside of a `d_step` is drawn in
//! its place, although control never rests there. [`dot`] writes it for Graphviz, [`svg::svg`] draws it without.

mod layered;
pub mod svg;

use crate::front::Front;
use crate::run::{Runnable, Texts};
use ferrospin_model::ir::{Action, Channel, Leaf, LocationId, Model, Process, ProcessId, Scalar, Show};
use std::fmt::Write;

/// The graph of one process type.
#[derive(Clone, Debug, Default)]
pub struct Drawing {
    /// Kind and name of the process type.
    pub title: String,
    /// The nodes; the first is where it starts.
    pub nodes: Vec<Node>,
    /// The arrows, those of one node in order of preference.
    pub arrows: Vec<Arrow>,
}

/// A location.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct Node {
    /// Its number and line, then its labels.
    pub lines: Vec<String>,
    /// Reached without giving up control.
    pub atomic: bool,
    pub inside_d_step: bool,
    pub end: bool,
    pub accept: bool,
    pub progress: bool,
    /// Where the process is gone.
    pub gone: bool,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Arrow {
    /// Index of a node.
    pub from: usize,
    /// Index of a node.
    pub to: usize,
    /// The text of the statement.
    pub label: String,
    /// The process keeps control.
    pub atomic: bool,
    /// It belongs to an `unless`.
    pub escape: bool,
}

/// Draws one process type: what can be reached from its entry.
pub fn drawing(front: &Front, runnable: &Runnable, process: ProcessId) -> Drawing {
    let texts = Texts { front, runnable };
    let model = &*runnable.model;
    let p = model.process(process);
    let mut d = Drawing { title: title(p), ..Drawing::default() };
    let mut found: Vec<LocationId> = Vec::new();
    let node = |d: &mut Drawing, found: &mut Vec<LocationId>, l: LocationId| {
        if let Some(i) = found.iter().position(|f| *f == l) {
            return i;
        }
        found.push(l);
        d.nodes.push(if l == LocationId::EXIT {
            Node { lines: vec!["gone".into()], gone: true, ..Node::default() }
        } else {
            let location = model.location(l);
            let line = texts.place(location.span).map_or(String::new(), |p| format!(" · line {}", p.line));
            let mut lines = vec![format!("L{}{line}", l.0)];
            if !location.labels.is_empty() {
                lines.push(location.labels.join(", "));
            }
            let (end, accept, progress) = (location.end, location.accept, location.progress);
            let inside_d_step = location.inside_d_step;
            Node { lines, atomic: false, inside_d_step, end, accept, progress, gone: false }
        });
        found.len() - 1
    };
    node(&mut d, &mut found, p.entry);
    // Inside a `d_step` the exit is where the `d_step` leads.
    let mut exits: Vec<(LocationId, LocationId)> = Vec::new();
    let mut next = 0;
    while next < found.len() {
        let from = next;
        next += 1;
        if found[from] == LocationId::EXIT {
            continue;
        }
        let outer = exits.iter().find(|e| e.0 == found[from]).map(|e| e.1);
        for &id in &model.location(found[from]).edges {
            let e = model.edge(id);
            let mut label = texts.statement(e);
            let mut to = e.to;
            if let Some(exit) = outer {
                if to == LocationId::EXIT {
                    to = exit;
                } else if exits.iter().all(|x| x.0 != to) {
                    exits.push((to, exit));
                }
            }
            if let Action::DStep(entry) = &e.action {
                label = "d_step".into();
                exits.push((*entry, e.to));
                to = *entry;
            }
            if e.atomic {
                label.insert_str(0, "⚛ ");
            }
            let to = node(&mut d, &mut found, to);
            d.nodes[to].atomic |= e.atomic;
            d.arrows.push(Arrow { from, to, label, atomic: e.atomic, escape: e.escape != 0 });
        }
    }
    d
}

fn kind(p: &Process) -> &'static str {
    use ferrospin_model::ir::ProcessKind;
    match p.kind {
        ProcessKind::Proctype => "proctype",
        ProcessKind::Init => "init",
        ProcessKind::Never => "never",
        ProcessKind::Trace => "trace",
        ProcessKind::NoTrace => "notrace",
    }
}

fn title(p: &Process) -> String {
    if kind(p) == &*p.name { p.name.to_string() } else { format!("{} {}", kind(p), p.name) }
}

/// Drawings in the language of Graphviz, one cluster each.
pub fn dot(drawings: &[Drawing]) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    let mut out = String::from("digraph model {\n  node [shape=box, style=\"rounded,filled\", fillcolor=white];\n");
    let mut line = |text: String| writeln!(out, "{text}").expect("a string takes all");
    for (i, d) in drawings.iter().enumerate() {
        line(format!("  subgraph cluster_{i} {{\n    label={};", quoted(&d.title)));
        for (k, n) in d.nodes.iter().enumerate() {
            let fill = if n.inside_d_step {
                "lightblue"
            } else if n.atomic {
                "lightyellow"
            } else {
                "white"
            };
            let color = match (n.accept, n.progress) {
                (true, _) => ", color=red, penwidth=2",
                (_, true) => ", color=green4, penwidth=2",
                _ => "",
            };
            let borders = if n.end { ", peripheries=2" } else { "" };
            let shape = if n.gone { ", shape=plaintext" } else { "" };
            // Lines are joined behind the escaping, because `\n` is a mark of the language.
            let text = n.lines.iter().map(|l| quoted(l).trim_matches('"').to_string()).collect::<Vec<_>>().join("\\n");
            line(format!("    p{i}_{k} [label=\"{text}\", fillcolor={fill}{color}{borders}{shape}];"));
        }
        line(format!("    start_{i} [shape=point]; start_{i} -> p{i}_0;"));
        for a in &d.arrows {
            let style = if a.escape { ", style=dashed" } else { "" };
            line(format!("    p{i}_{} -> p{i}_{} [label={}{style}];", a.from, a.to, quoted(&a.label)));
        }
        line("  }".into());
    }
    out + "}\n"
}

/// Drawings as an indented list.
pub fn text(drawings: &[Drawing]) -> String {
    let mut out = String::new();
    for d in drawings {
        writeln!(out, "{}", d.title).expect("a string takes all");
        let name = |i: usize| d.nodes[i].lines[0].split(' ').next().unwrap_or_default().to_string();
        for (i, n) in d.nodes.iter().enumerate().filter(|(_, n)| !n.gone) {
            let marks = [
                (n.end, "end"),
                (n.accept, "accept"),
                (n.progress, "progress"),
                (n.atomic, "atomic"),
                (n.inside_d_step, "d_step"),
            ];
            let marks: String = marks.iter().filter(|m| m.0).map(|m| format!(" [{}]", m.1)).collect();
            writeln!(out, "  {}{marks}", n.lines.join(" · ")).expect("a string takes all");
            for a in d.arrows.iter().filter(|a| a.from == i) {
                let escape = if a.escape { "unless: " } else { "" };
                writeln!(out, "    -> {:<5} {escape}{}", name(a.to), a.label).expect("a string takes all");
            }
        }
    }
    out
}

/// Where everything stands in the state.
pub fn layout(model: &Model) -> String {
    let l = &model.layout;
    let size = l.location_size;
    let mut out = String::from("offset  size  name: type\n");
    let mut line = |at: u32, size: u32, what: &str| {
        writeln!(out, "{at:>6}  {size:>4}  {what}").expect("a string takes all");
    };
    line(0, l.fixed_size, "-- fixed part --");
    l.trace.iter().for_each(|at| line(*at, size, "location of the trace"));
    l.last.iter().for_each(|at| line(*at, 1, "_last: pid"));
    let area = |leaves: &[Leaf], channels: &[Channel], line: &mut dyn FnMut(u32, u32, &str)| {
        for leaf in leaves {
            let count: u32 = leaf.dims.iter().map(|d| d.0).product();
            let dims: String = leaf.dims.iter().map(|d| format!("[{}]", d.0)).collect();
            let step = leaf.dims.first().map_or(String::new(), |d| format!(", one each {} bytes", d.1));
            let text = format!("{}: {}{dims}{step}", leaf.name, type_name(leaf.scalar, leaf.show));
            line(leaf.offset, count * leaf.scalar.size(), &text);
        }
        for c in channels.iter().filter(|c| c.capacity > 0) {
            let fields: Vec<String> = c.fields.iter().map(|f| type_name(f.0, f.1)).collect();
            line(c.offset, c.size(), &format!("{}: [{}] of {{ {} }}", c.name, c.capacity, fields.join(", ")));
        }
    };
    area(&model.globals, &model.channels, &mut line);
    l.claim.iter().for_each(|(p, at)| line(*at, model.process(*p).frame_size, "frame of the claim"));
    for p in &model.processes {
        line(0, p.frame_size, &format!("-- {} --", title(p)));
        line(0, size, "location");
        if model.uses.priority {
            line(size, 1, "_priority: byte");
        }
        area(&p.locals, &p.channels, &mut line);
    }
    out
}

fn type_name(scalar: Scalar, show: Show) -> String {
    match (show, scalar) {
        (Show::Bool, _) => "bool".into(),
        (Show::Mtype(_), _) => "mtype".into(),
        (Show::Channel, _) => "chan".into(),
        (Show::Number, Scalar::Unsigned(1)) => "bit".into(),
        (Show::Number, Scalar::Unsigned(8)) => "byte".into(),
        (Show::Number, Scalar::Unsigned(n)) => format!("unsigned : {n}"),
        (Show::Number, Scalar::Short) => "short".into(),
        (Show::Number, Scalar::Int) => "int".into(),
    }
}
