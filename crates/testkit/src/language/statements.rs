//! Statements.

use super::{Item, Place, Type, Variable, Writer, block, group, line};

/// Kinds of statements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Assignment,
    Condition,
    Skip,
    Send,
    Receive,
    If,
    Do,
    Atomic,
    DStep,
    Unless,
    Assert,
    Print,
    Break,
    Goto,
    Block,
    Declaration,
    For,
    ForIn,
    Select,
    Inline,
    Timeout,
    Priority,
    Run,
    Discard,
    Handle,
    Records,
    Else,
}

/// Every kind with its weight.
const STATEMENTS: [(Kind, usize); 27] = [
    (Kind::Assignment, 20),
    (Kind::Condition, 6),
    (Kind::Skip, 2),
    (Kind::Send, 13),
    (Kind::Receive, 13),
    (Kind::If, 11),
    (Kind::Do, 8),
    (Kind::Atomic, 6),
    (Kind::DStep, 7),
    (Kind::Unless, 6),
    (Kind::Assert, 3),
    (Kind::Print, 1),
    (Kind::Break, 4),
    (Kind::Goto, 5),
    (Kind::Block, 2),
    (Kind::Declaration, 3),
    (Kind::For, 3),
    (Kind::ForIn, 3),
    (Kind::Select, 3),
    (Kind::Inline, 5),
    (Kind::Timeout, 2),
    (Kind::Priority, 8),
    (Kind::Run, 2),
    (Kind::Discard, 2),
    (Kind::Handle, 3),
    (Kind::Records, 3),
    (Kind::Else, 0),
];

/// Whether a sequence starts with a statement that is always executable and does nothing.
fn opens_idly(body: &[Item]) -> bool {
    match body.first() {
        Some(Item::Line(text)) => {
            let statement = text.rsplit(": ").next().unwrap_or(text);
            ["skip", "break"].contains(&statement) || statement.starts_with("goto ")
        }
        Some(Item::Group { parts, .. }) => parts.first().is_some_and(|part| opens_idly(part)),
        None => true,
    }
}

/// How many `unless` meet where a sequence starts.
fn escapes_at_head(body: &[Item]) -> usize {
    let Some(Item::Group { mark, parts, .. }) = body.first() else { return 0 };
    let at = |k: usize| parts.get(k).map_or(0, |part| escapes_at_head(part));
    if mark == "} unless {" { 1 + at(0) + at(1) } else { at(0) }
}

impl Writer {
    pub(super) fn sequence(&mut self, place: Place, most: usize) -> Vec<Item> {
        let mut list: Vec<Item> = Vec::new();
        for _ in 0..1 + self.r.below(most) {
            let item = self.statement(place);
            // A loop must not be left straight into a `d_step`.
            let leaves = matches!(list.last(), Some(Item::Group { open, .. }) if open != "d_step {");
            if leaves && matches!(&item, Item::Group { open, .. } if open.ends_with("d_step {")) && !self.wild(5) {
                list.push(line("skip"));
            }
            list.push(item);
        }
        list
    }

    /// The contents of a block or `atomic`, which a label must not open.
    fn enclosed(&mut self, place: Place, most: usize) -> Vec<Item> {
        let labels = place.labels && self.wild(2);
        let first = self.statement(Place { labels, ..place });
        let mut list = vec![first];
        if most > 1 && self.r.chance(75) {
            list.extend(self.sequence(place, most - 1));
        }
        list
    }

    /// Puts a label in front of a statement, if one has no place yet.
    fn labelled(&mut self, item: Item, place: Place) -> Item {
        let rate = if place.in_d_step { 2 } else { 14 };
        if !place.labels || self.labels_open.is_empty() || !self.r.chance(rate) || is_declaration(&item) {
            return item;
        }
        if self.comparable && place.at_escape {
            return item;
        }
        let label = self.labels_open.pop().expect("there is one");
        match item {
            Item::Line(text) => Item::Line(format!("{label}: {text}")),
            Item::Group { open, mark, parts, close, least } => {
                Item::Group { open: format!("{label}: {open}"), mark, parts, close, least }
            }
        }
    }

    pub(super) fn statement(&mut self, place: Place) -> Item {
        let item = self.unlabelled(place);
        self.labelled(item, place)
    }

    /// Whether a statement can stand here.
    fn fits(&self, kind: Kind, place: Place) -> bool {
        let compound = place.depth > 0;
        let may_block = !place.in_d_step;
        match kind {
            Kind::Assignment | Kind::Skip | Kind::Assert | Kind::Print | Kind::Discard => true,
            Kind::Condition | Kind::Timeout => may_block,
            Kind::Send | Kind::Receive => may_block && !self.channels.is_empty(),
            Kind::If => compound,
            Kind::Do | Kind::Block => compound && (may_block || !self.comparable),
            Kind::Atomic | Kind::Unless => compound && may_block,
            Kind::DStep => compound && may_block,
            Kind::Break => place.in_loop && may_block,
            Kind::Goto => place.labels && !self.labels.is_empty() && may_block,
            Kind::Declaration => may_block || !self.comparable,
            Kind::For | Kind::ForIn => compound && (may_block || !self.comparable),
            Kind::Select => may_block || !self.comparable,
            Kind::Inline => self.inlines.iter().any(|i| i.prompt || may_block),
            Kind::Priority => self.features.priority,
            Kind::Run => may_block && self.runs_anywhere && !self.children.is_empty(),
            Kind::Handle => {
                !self.channels.is_empty() && self.globals.iter().chain(&self.locals).any(|v| v.ty == Type::Chan)
            }
            Kind::Records => !self.comparable && self.records.iter().any(|r| r.fields.len() > 1),
            Kind::Else => false,
        }
    }

    fn unlabelled(&mut self, place: Place) -> Item {
        if place.in_d_step && self.wild(3) {
            // What may block is an error behind the first statement, and an option that fails in front of an `else`.
            let labels = place.labels && self.r.chance(30);
            return self.unlabelled(Place { in_d_step: false, depth: 0, labels, ..place });
        }
        let weights: Vec<usize> = STATEMENTS.iter().map(|(k, w)| if self.fits(*k, place) { *w } else { 0 }).collect();
        let kind = STATEMENTS[self.r.weighted(&weights)].0;
        let inner = Place { depth: place.depth.saturating_sub(1), ..place };
        let apart = Place { at_escape: false, ..inner };
        line(match kind {
            Kind::Assignment => self.assignment(place),
            Kind::Condition => self.condition(1, true),
            Kind::Skip => self.one(&["skip", "true", "1"]),
            Kind::Send => self.send(false).unwrap_or_else(|| "skip".into()),
            Kind::Receive => self.receive(false).unwrap_or_else(|| "skip".into()),
            Kind::If => {
                let with_else = self.r.chance(50) || place.in_d_step;
                return group("if", "::", self.options(place, with_else), "fi", 1);
            }
            Kind::Do if place.in_d_step => return self.counting_loop(),
            Kind::Do => return self.repetition(place),
            Kind::Atomic => {
                let body = self.enclosed(Place { in_atomic: true, ..inner }, 3);
                return block("atomic {", self.apart(body, place));
            }
            Kind::DStep => return self.d_step(apart),
            Kind::Unless => return self.unless(inner),
            Kind::Assert => format!("assert({})", self.condition(1, false)),
            Kind::Print => match self.r.below(4) {
                0 => "printm(red)".into(),
                1 => "printf(\"a line\\n\")".into(),
                2 => format!("printf(\"%d %x\\n\", {}, {})", self.value(1), self.value(0)),
                _ => format!("printf(\"%d\\n\", {})", self.value(1)),
            },
            Kind::Break => "break".into(),
            Kind::Goto => format!("goto {}", self.r.pick(&self.labels)),
            Kind::Block => {
                let mut body = self.enclosed(inner, 2);
                if self.r.chance(40) {
                    body.insert(0, line(self.declaration(place)));
                }
                return block("{", self.apart(body, place));
            }
            Kind::Declaration => self.declaration(place),
            Kind::For => {
                let counter = self.counter(place);
                let low = if self.r.chance(25) { self.value(1) } else { "0".into() };
                let high = if self.wild(5) { self.value(1) } else { (1 + self.r.below(2)).to_string() };
                let body = self.sequence(Place { in_loop: true, ..apart }, 2);
                return block(&format!("for ({counter} : {low} .. {high}) {{"), body);
            }
            Kind::ForIn => {
                let Some(head) = self.over() else { return line(self.assignment(place)) };
                let body = self.sequence(Place { in_loop: true, ..apart }, 1);
                return block(&format!("for ({head}) {{"), body);
            }
            Kind::Select => {
                let counter = self.counter(place);
                let low = if self.r.chance(25) { self.value(1) } else { self.r.below(2).to_string() };
                let high = if self.r.chance(20) { self.value(1) } else { (1 + self.r.below(2)).to_string() };
                format!("select ({counter} : {low} .. {high})")
            }
            Kind::Inline => self.call(place),
            Kind::Timeout => match self.r.below(5) {
                0 => format!("timeout && {}", self.shared_condition()),
                1 => format!("!timeout || {}", self.shared_condition()),
                2 => format!("(timeout || {})", self.shared_condition()),
                _ => "timeout".into(),
            },
            Kind::Priority => self.priority(place),
            Kind::Run => {
                let run = self.run();
                let run = if self.r.chance(20) { format!("_ = {run}") } else { run };
                return block("atomic {", vec![line("_nr_pr < 4"), line(run)]);
            }
            Kind::Discard => match self.r.below(4) {
                0 if self.inlines.iter().any(|i| i.returns) => "_ = value(1)".into(),
                _ => format!("_ = {}", self.value(1)),
            },
            Kind::Handle => match self.place_of(Type::Chan) {
                Some(place) => format!("{place} = {}", self.some_handle()),
                None => "skip".into(),
            },
            Kind::Records => {
                let place = self.number_place().0;
                let other = self.number_place().0;
                format!("{place} = {other}")
            }
            Kind::Else => unreachable!("it stands in options only"),
        })
    }

    /// Puts a statement in front where escapes would meet: SPIN makes one of them.
    fn apart(&self, mut body: Vec<Item>, place: Place) -> Vec<Item> {
        if self.comparable && escapes_at_head(&body) + usize::from(place.at_escape) > 1 {
            body.insert(0, line("skip"));
        }
        body
    }

    fn options(&mut self, place: Place, with_else: bool) -> Vec<Vec<Item>> {
        let inner = Place { depth: place.depth - 1, ..place };
        let mut parts: Vec<Vec<Item>> = (0..1 + self.r.weighted(&[30, 45, 25]))
            .map(|_| {
                let mut part = Vec::new();
                if place.in_d_step || self.r.chance(55) {
                    let guard = if self.r.chance(20) { self.poll() } else { None };
                    let guard = guard.unwrap_or_else(|| self.condition(1, !place.in_d_step));
                    // An arrow is a semicolon.
                    if self.r.chance(30) {
                        let then = self.assignment(place);
                        part.push(self.labelled(line(format!("{guard} -> {then}")), place));
                    } else {
                        part.push(self.labelled(line(guard), place));
                    }
                }
                if part.is_empty() || self.r.chance(70) {
                    let behind = Place { at_escape: place.at_escape && part.is_empty(), ..inner };
                    part.extend(self.sequence(behind, 2));
                }
                let mut part = self.apart(part, place);
                self.guard_choice(&mut part);
                part
            })
            .collect();
        if with_else {
            let mut part = vec![self.labelled(line("else"), place)];
            if self.r.chance(60) {
                part.extend(self.sequence(Place { at_escape: false, ..inner }, 1));
            }
            let head = if place.in_d_step || self.comparable { 3 } else { self.r.below(12) };
            parts.push(match head {
                0 => vec![block("atomic {", part)],
                1 => vec![block("{", part)],
                _ => part,
            });
        }
        parts
    }

    /// In a `D_proctype` SPIN does not look at options that open with `skip`, `break` or `goto`.
    fn guard_choice(&mut self, part: &mut Vec<Item>) {
        if self.comparable && self.deterministic && opens_idly(part) {
            part.insert(0, line(self.shared_condition()));
        }
    }

    fn repetition(&mut self, place: Place) -> Item {
        let with_else = self.r.chance(30);
        let mut parts = self.options(Place { in_loop: true, at_escape: place.at_escape, ..place }, with_else);
        if self.r.chance(60) {
            let mut part = if self.r.chance(50) { vec![] } else { vec![line(self.condition(0, true))] };
            part.push(line("break"));
            self.guard_choice(&mut part);
            parts.insert(0, part);
        }
        group("do", "::", parts, "od", 1)
    }

    /// A loop that ends, and never blocks.
    fn counting_loop(&mut self) -> Item {
        let (v, _) = self.place_where(|t| matches!(t, Type::Byte | Type::Pid));
        let more = vec![line(format!("{v} > 0")), line(format!("{v}--"))];
        group("do", "::", vec![more, vec![line("else"), line("break")]], "od", 2)
    }

    fn unless(&mut self, place: Place) -> Item {
        let inside = Place { at_escape: true, ..place };
        let body = self.enclosed(inside, 3);
        let first = match self.r.below(10) {
            0..=4 => line(self.condition(1, true)),
            5..=6 if !self.channels.is_empty() => line(self.receive(false).unwrap_or_else(|| "g0 > 0".into())),
            7..=8 if place.depth > 0 => self.statement(Place { in_loop: false, ..inside }),
            _ => line(self.shared_condition()),
        };
        let mut escape = vec![self.labelled(first, inside)];
        if self.r.chance(50) {
            // An escape is no part of the loop around it.
            let in_loop = place.in_loop && self.wild(20);
            escape.extend(self.sequence(Place { at_escape: false, in_loop, ..place }, 1));
        }
        group("{", "} unless {", vec![body, escape], "}", 2)
    }

    /// A `d_step`; behind its first statement things seldom block.
    fn d_step(&mut self, place: Place) -> Item {
        let place = Place { in_loop: false, in_d_step: true, labels: place.labels && !self.comparable, ..place };
        let first = match self.r.below(8) {
            0..=2 => Some(self.assignment(place)),
            3 => self.send(true),
            4 => self.receive(true),
            5 if !self.comparable => self.receive(false),
            _ => None,
        };
        let first = first.unwrap_or_else(|| self.condition(1, true));
        let mut body = vec![line(first)];
        for _ in 0..self.r.below(4) {
            body.push(if self.r.chance(40) { line(self.assignment(place)) } else { self.statement(place) });
        }
        if self.r.chance(10) {
            body.push(self.counting_loop());
        }
        if place.depth > 0 && self.wild(8) {
            let inner = vec![line(self.assignment(place)), line(self.assignment(place))];
            let open = if self.r.chance(50) { "d_step {" } else { "atomic {" };
            body.push(self.labelled(block(open, inner), place));
        }
        if self.r.chance(8) {
            let (label, tail) = (self.fresh("D"), self.assignment(place));
            body.push(line(format!("goto {label}")));
            body.push(line(self.assignment(place)));
            body.push(line(format!("{label}: {tail}")));
        }
        block("d_step {", body)
    }

    /// Counting without bound is kept out of loops and `atomic`, whose ways are all walked.
    pub(super) fn assignment(&mut self, place: Place) -> String {
        let (target, ty) = self.place_where(|t| t != Type::Chan);
        if !ty.is_number() {
            return format!("{target} = {}", self.value_for(ty));
        }
        let bounded = place.in_loop || place.in_atomic;
        match self.r.below(10) {
            0 if !bounded || self.r.chance(10) => format!("{target}++"),
            1 if !bounded || self.r.chance(10) => format!("{target}--"),
            2..=4 => format!("{target} = ({target} + {}) % {}", 1 + self.r.below(2), 2 + self.r.below(3)),
            5 | 6 => format!("{target} = {} & 3", self.value(2)),
            7 => format!("{target} = {}", self.value_for(ty)),
            _ if bounded => format!("{target} = {} & 1", self.value(1)),
            _ => format!("{target} = {}", self.value(2)),
        }
    }

    /// What a `for` or `select` counts with.
    fn counter(&mut self, _: Place) -> String {
        if self.features.priority && self.r.chance(20) {
            return "_priority".into();
        }
        let fits = |v: &&Variable| v.len == 0 && (v.ty.is_wide() || matches!(v.ty, Type::Unsigned(w) if w > 1));
        let mut fit: Vec<&Variable> = self.locals.iter().filter(fits).collect();
        if fit.is_empty() || self.r.chance(30) {
            fit.extend(self.globals.iter().filter(fits));
        }
        self.r.pick(&fit).name.clone()
    }

    /// What a `for` goes over: the indices of an array, or the messages of a channel.
    fn over(&mut self) -> Option<String> {
        if self.r.chance(35) {
            let c = self.channels.iter().find(|c| c.capacity > 0 && matches!(c.fields[..], [Type::Record(_)]));
            if let Some(c) = c.cloned() {
                let Type::Record(i) = c.fields[0] else { unreachable!("it holds records") };
                let record = self.record_of(i)?;
                return Some(format!("{record} in {}", self.element(&c)));
            }
        }
        let all: Vec<Variable> = self.globals.iter().chain(&self.locals).filter(|v| v.len > 0).cloned().collect();
        let array = (!all.is_empty()).then(|| self.r.pick(&all).name.clone())?;
        let x = self.locals.iter().find(|v| v.len == 0 && v.ty.is_wide()).map_or("g0", |v| &v.name);
        Some(format!("{x} in {array}"))
    }

    /// A call of an `inline`, or of a macro that is a statement.
    fn call(&mut self, place: Place) -> String {
        let fit: Vec<_> = self.inlines.iter().filter(|i| i.prompt || !place.in_d_step).cloned().collect();
        let inline = self.r.pick(&fit).clone();
        let args: Vec<String> = inline
            .by_name
            .iter()
            .map(|by_name| {
                if *by_name {
                    return self.number_place().0;
                }
                let value = self.value(1);
                // SPIN ends an argument at any comma, and takes the name behind an arrow for the start of a statement.
                let misread = value.contains(',') || self.comparable && value.contains("->");
                if misread { "1".into() } else { value }
            })
            .collect();
        let call = format!("{}({})", inline.name, args.join(", "));
        if !inline.returns {
            return call;
        }
        let target = if self.features.priority && self.wild(10) { "_priority".into() } else { self.number_place().0 };
        format!("{target} = {call}")
    }

    /// Something that changes a priority.
    fn priority(&mut self, place: Place) -> String {
        let value = match self.r.below(3) {
            0 => format!("1 + ({} & 1)", self.number_place().0),
            _ => (1 + self.r.below(3)).to_string(),
        };
        if self.comparable || self.r.chance(30) {
            return format!("set_priority({}, {value})", self.one(&["_pid", "0"]));
        }
        match self.r.below(6) {
            0 if !place.in_loop => "_priority++".into(),
            1 if !place.in_loop => "_priority--".into(),
            2 if !place.in_d_step => "select (_priority : 1 .. 2)".into(),
            3 if !place.in_d_step && self.runs_anywhere && !self.children.is_empty() => {
                format!("_nr_pr < 4 -> _priority = {}", self.run())
            }
            _ => format!("_priority = {value}"),
        }
    }

    pub(super) fn declaration(&mut self, place: Place) -> String {
        let name = self.fresh("y");
        match self.r.below(6) {
            0 if !self.records.is_empty() && place.labels => {
                let v = Variable { name, ty: Type::Record(self.r.below(self.records.len())), len: 0 };
                self.declare(&v, None)
            }
            1 => format!("byte {name}[2]"),
            2 => format!("bit {name} = {}", self.value(0)),
            3 => format!("short {name} = {}, {name}b", self.value(1)),
            _ => format!("byte {name} = {}", self.value(1)),
        }
    }
}

/// Whether an item declares something, so that no label may stand in front.
fn is_declaration(item: &Item) -> bool {
    let Item::Line(text) = item else { return false };
    let word = text.split([' ', ':']).next().unwrap_or_default();
    ["byte", "bit", "short", "chan", "xr", "xs"].contains(&word) || word.starts_with('T') || text.contains(": ")
}
