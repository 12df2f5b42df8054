//! Writes a model as text.

use super::{BINARY, TESTS, scalar_text};
use crate::ir::{
    Action, Area, Call, Channel, Expr, Init, Leaf, LocationId, Model, Pattern, Place, ProcessKind, Receive, Show, Unary,
};
use std::fmt::Write;

/// The text form of a model.
pub fn print(model: &Model) -> String {
    let mut out = String::new();
    head(model, &mut out);
    let globals = Printer { model, locals: &[] };
    for leaf in &model.globals {
        globals.leaf(Area::Global, leaf, "", &mut out);
    }
    model.channels.iter().for_each(|c| channel(c, "", &mut out));
    globals.init(&model.init, "", &mut out);
    if !model.start.is_empty() {
        line(&mut out, format_args!("start {}", joined(model.start.iter().map(|p| format!("P{}", p.0)), " ")));
    }
    for (i, p) in model.processes.iter().enumerate() {
        let kind = match p.kind {
            ProcessKind::Proctype => "proctype",
            ProcessKind::Init => "init",
            ProcessKind::Never => "never",
            ProcessKind::Trace => "trace",
            ProcessKind::NoTrace => "notrace",
        };
        let deterministic = if p.deterministic { " deterministic" } else { "" };
        let (name, entry) = (quoted(&p.name), location(p.entry));
        line(
            &mut out,
            format_args!(
                "process P{i} {name} {kind} entry {entry} priority {} frame {}{deterministic}",
                p.priority, p.frame_size
            ),
        );
        let own = Printer { model, locals: &p.locals };
        p.locals.iter().for_each(|l| own.leaf(Area::Local, l, "  ", &mut out));
        p.params.iter().for_each(|place| line(&mut out, format_args!("  param {}", own.place(place))));
        p.channels.iter().for_each(|c| channel(c, "  ", &mut out));
        own.init(&p.init, "  ", &mut out);
        p.provided.iter().for_each(|e| line(&mut out, format_args!("  provided {}", own.expr(e))));
        for e in &p.exclusive {
            let end = if e.receives { "xr" } else { "xs" };
            line(&mut out, format_args!("  {end} {}", own.expr(&e.channel)));
        }
    }
    for i in 0..model.locations.len() {
        self::location_lines(model, LocationId(i as u32), &mut out);
    }
    out
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    writeln!(out, "{text}").expect("a string takes all");
}

fn head(model: &Model, out: &mut String) {
    let l = &model.layout;
    let mut text = format!("layout location {} fixed {}", l.location_size, l.fixed_size);
    let mut add = |what: String| text.push_str(&what);
    l.trace.iter().for_each(|at| add(format!(" trace {at}")));
    l.last.iter().for_each(|at| add(format!(" last {at}")));
    l.claim.iter().for_each(|(p, at)| add(format!(" claim P{} {at}", p.0)));
    model.propositions.iter().for_each(|at| add(format!(" propositions L{}", at.0)));
    line(out, format_args!("{text}"));
    let u = &model.uses;
    let uses = [
        (u.last, "last"),
        (u.priority, "priority"),
        (u.timeout, "timeout"),
        (u.rendezvous, "rendezvous"),
        (u.enabled, "enabled"),
        (u.foreign, "foreign"),
        (u.provided, "provided"),
        (u.exclusive, "exclusive"),
    ];
    let used: Vec<&str> = uses.iter().filter(|u| u.0).map(|u| u.1).collect();
    if !used.is_empty() {
        line(out, format_args!("uses {}", used.join(" ")));
    }
    for list in &model.mtypes {
        let names = list.iter().map(|(v, n)| format!(" {v} {}", quoted(n)));
        line(out, format_args!("mtype{}", joined(names, "")));
    }
}

fn location_lines(model: &Model, id: LocationId, out: &mut String) {
    let l = model.location(id);
    let mut text = format!("location {} P{}", location(id), l.process.0);
    let marks = [(l.end, " end"), (l.accept, " accept"), (l.progress, " progress"), (l.inside_d_step, " inside")];
    marks.iter().filter(|m| m.0).for_each(|m| text += m.1);
    l.labels.iter().for_each(|name| text += &format!(" {}", quoted(name)));
    line(out, format_args!("{text}"));
    let own = Printer { model, locals: &model.process(l.process).locals };
    for &id in &l.edges {
        let e = model.edge(id);
        let atomic = if e.atomic { " atomic" } else { "" };
        let escape = if e.escape == 0 { String::new() } else { format!(" escape {}", e.escape) };
        let actions = std::iter::once(&e.action).chain(&e.then).map(|a| own.action(a));
        line(out, format_args!("  E{} -> {}{atomic}{escape}: {}", id.0, location(e.to), joined(actions, "; ")));
    }
}

fn channel(c: &Channel, indent: &str, out: &mut String) {
    let fields = joined(c.fields.iter().map(|(s, show)| format!("{} {}", scalar_text(*s), show_text(*show))), ", ");
    let (name, capacity, offset) = (quoted(&c.name), c.capacity, c.offset);
    line(out, format_args!("{indent}channel {name} capacity {capacity} at {offset} of ({fields})"));
}

fn location(l: LocationId) -> String {
    if l == LocationId::EXIT { "exit".into() } else { format!("L{}", l.0) }
}

pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

pub(crate) fn show_text(show: Show) -> String {
    match show {
        Show::Number => "number".into(),
        Show::Bool => "bool".into(),
        Show::Mtype(list) => format!("mtype {list}"),
        Show::Channel => "channel".into(),
    }
}

fn joined(parts: impl Iterator<Item = String>, between: &str) -> String {
    parts.collect::<Vec<_>>().join(between)
}

/// Writes what one process, or none, evaluates.
pub(crate) struct Printer<'a> {
    /// The model.
    pub(crate) model: &'a Model,
    /// The variables of the process.
    pub(crate) locals: &'a [Leaf],
}

impl Printer<'_> {
    fn leaf(&self, area: Area, leaf: &Leaf, indent: &str, out: &mut String) {
        let place = Place { area, offset: leaf.offset, indices: Vec::new(), scalar: leaf.scalar };
        let dims = joined(leaf.dims.iter().map(|(len, stride)| format!(" [{len} * {stride}]")), "");
        let name = quoted(&leaf.name);
        line(out, format_args!("{indent}var {}{dims} {} {name}", bare(&place), show_text(leaf.show)));
    }

    fn init(&self, list: &[(Place, Init)], indent: &str, out: &mut String) {
        for (place, init) in list {
            let value = match init {
                Init::Value(e) => self.expr(e),
                Init::Channel(n) => format!("channel {n}"),
            };
            line(out, format_args!("{indent}init {} = {value}", self.place(place)));
        }
    }

    /// The variable a place lies in.
    fn name_of(&self, place: &Place) -> Option<&str> {
        let leaves = match place.area {
            Area::Global => &self.model.globals,
            Area::Local => self.locals,
        };
        let leaf = leaves.iter().rfind(|l| l.offset <= place.offset)?;
        let fits = leaf.name.chars().all(|c| c != '>' && c != '\n');
        (place.offset < leaf.offset + extent(leaf) && fits).then_some(&*leaf.name)
    }

    pub(crate) fn place(&self, p: &Place) -> String {
        let mut text = bare(p);
        if let Some(name) = self.name_of(p) {
            text += &format!("<{name}>");
        }
        for i in &p.indices {
            text += &format!("[{} : {} * {}]", self.expr(&i.value), i.len, i.stride);
        }
        text
    }

    /// A place of another process, whose variables are not ours.
    fn remote_place(&self, process: crate::ir::ProcessId, p: &Place) -> String {
        // Indices belong to the process that refers.
        let theirs = Printer { model: self.model, locals: &self.model.process(process).locals };
        let name = theirs.name_of(p).map_or(String::new(), |n| format!("<{n}>"));
        let index = |i: &crate::ir::Index| format!("[{} : {} * {}]", self.expr(&i.value), i.len, i.stride);
        format!("{}{name}{}", bare(p), joined(p.indices.iter().map(index), ""))
    }

    fn list(&self, list: &[Expr]) -> String {
        joined(list.iter().map(|e| self.expr(e)), ", ")
    }

    pub(crate) fn expr(&self, e: &Expr) -> String {
        match e {
            Expr::Const(v) => v.to_string(),
            Expr::Load(p) => self.place(p),
            Expr::Unary(op, a) => {
                let op = match op {
                    Unary::Minus => "neg",
                    Unary::Complement => "compl",
                    Unary::Not => "not",
                };
                format!("{op}({})", self.expr(a))
            }
            Expr::Binary(op, a, b) => {
                let op = BINARY.iter().find(|(o, _)| o == op).expect("all operators are listed").1;
                format!("({} {op} {})", self.expr(a), self.expr(b))
            }
            Expr::Cond(parts) => format!("cond({})", self.list(&parts[..])),
            Expr::Channel(test, c) => {
                let test = TESTS.iter().find(|(t, _)| t == test).expect("all tests are listed").1;
                format!("{test}({})", self.expr(c))
            }
            Expr::Poll(r) => format!("poll({})", self.receive(r)),
            Expr::Pid => "_pid".into(),
            Expr::Last => "_last".into(),
            Expr::ProcessCount => "_nr_pr".into(),
            Expr::ChannelCount => "_nr_qs".into(),
            Expr::Timeout => "timeout".into(),
            Expr::NonProgress => "np_".into(),
            Expr::Enabled(p) => format!("enabled({})", self.expr(p)),
            Expr::PcValue(p) => format!("pc_value({})", self.expr(p)),
            Expr::Priority(p) => format!("priority({})", self.expr(p)),
            Expr::AtLocation(process, pid, at) => {
                format!("at(P{}, {}{})", process.0, location(*at), self.optional(pid.as_deref()))
            }
            Expr::Remote(process, pid, place) => {
                let place = self.remote_place(*process, place);
                format!("remote(P{}, {place}{})", process.0, self.optional(pid.as_deref()))
            }
            Expr::Call(c) => self.call(c),
            Expr::Foreign => "foreign".into(),
        }
    }

    /// Foreign code: number, values, what it reads and writes.
    fn call(&self, c: &Call) -> String {
        let places = |list: &[Place]| joined(list.iter().map(|p| self.place(p)), ", ");
        let fails = if c.may_fail { " fails" } else { "" };
        format!(
            "call {}{fails} ({}) reads ({}) writes ({})",
            c.code,
            self.list(&c.args),
            places(&c.reads),
            places(&c.writes)
        )
    }

    fn optional(&self, e: Option<&Expr>) -> String {
        e.map_or(String::new(), |e| format!(", {}", self.expr(e)))
    }

    fn receive(&self, r: &Receive) -> String {
        let random = if r.random { "random " } else { "" };
        let copy = if r.copy { "copy " } else { "" };
        let field = |p: &Pattern| match p {
            Pattern::Match(e) => format!("= {}", self.expr(e)),
            Pattern::Bind(place) => format!("-> {}", self.place(place)),
            Pattern::Any => "_".into(),
        };
        format!("{random}{copy}{} ? ({})", self.expr(&r.channel), joined(r.fields.iter().map(field), ", "))
    }

    pub(crate) fn action(&self, a: &Action) -> String {
        match a {
            Action::Guard(e) => format!("guard {}", self.expr(e)),
            Action::Skip => "skip".into(),
            Action::Else => "else".into(),
            Action::Assign(p, e) => format!("assign {} = {}", self.place(p), self.expr(e)),
            Action::Send { channel, sorted, fields } => {
                let sorted = if *sorted { "sorted " } else { "" };
                format!("send {sorted}{} ! ({})", self.expr(channel), self.list(fields))
            }
            Action::Receive(r) => format!("receive {}", self.receive(r)),
            Action::Assert(e) => format!("assert {}", self.expr(e)),
            Action::Print { format, args, mtype } => {
                let mtype = mtype.map_or(String::new(), |m| format!("mtype {m} "));
                format!("print {mtype}{} ({})", quoted(format), self.list(args))
            }
            Action::Run { process, args, priority, target } => {
                let priority = if *priority == 0 { String::new() } else { format!(" priority {priority}") };
                let target = target.as_ref().map_or(String::new(), |p| format!(" -> {}", self.place(p)));
                format!("run P{} ({}){priority}{target}", process.0, self.list(args))
            }
            Action::SetPriority(p, n) => format!("set_priority {} = {}", self.expr(p), self.expr(n)),
            Action::End => "end".into(),
            Action::DStep(l) => format!("d_step {}", location(*l)),
            Action::Call(c) => self.call(c),
            Action::Foreign => "foreign".into(),
        }
    }
}

/// Bytes from the first to behind the last element of a variable; elements of other fields may lie between.
pub(crate) fn extent(leaf: &Leaf) -> u32 {
    let far: u32 = leaf.dims.iter().map(|(len, stride)| len.saturating_sub(1) * stride).sum();
    far + leaf.scalar.size()
}

/// A place without name and indices.
fn bare(p: &Place) -> String {
    let sigil = match p.area {
        Area::Global => '@',
        Area::Local => '%',
    };
    format!("{sigil}{}.{}", p.offset, scalar_text(p.scalar))
}
