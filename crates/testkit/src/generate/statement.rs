//! Statements and what is made of them.

use super::weights::{Kind, STATEMENTS};
use super::{Channel, Generator, Item, Place, group, line};

/// How many `unless` meet where a sequence starts.
fn escapes_at_head(body: &[Item]) -> usize {
    let Some(Item::Group { mark, parts, .. }) = body.first() else { return 0 };
    let at = |k: usize| parts.get(k).map_or(0, |part| escapes_at_head(part));
    if mark == "} unless {" { 1 + at(0) + at(1) } else { at(0) }
}

/// Puts a statement in front where escapes would meet at the head of an option, a block or an `atomic`: SPIN makes one of them.
fn keep_escapes_apart(body: &mut Vec<Item>, place: Place) {
    if escapes_at_head(body) + usize::from(place.in_unless) > 1 {
        body.insert(0, line("skip"));
    }
}

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

impl Generator {
    pub(super) fn sequence(&mut self, place: Place, most: usize) -> Vec<Item> {
        let n = 1 + self.r.below(most);
        (0..n).map(|i| self.statement(Place { label: place.label || i > 0, ..place })).collect()
    }

    pub(super) fn options(&mut self, place: Place, with_else: bool) -> Vec<Vec<Item>> {
        let inner = Place { depth: place.depth - 1, label: false, ..place };
        let n = 1 + self.r.below(3);
        let mut parts: Vec<Vec<Item>> = (0..n)
            .map(|_| {
                let mut part = Vec::new();
                if place.in_d_step || self.r.chance(50) {
                    part.push(line(self.condition()));
                    if place.in_d_step && self.r.chance(40) {
                        return part;
                    }
                }
                part.extend(self.sequence(inner, 2));
                keep_escapes_apart(&mut part, place);
                self.guard_choice(&mut part);
                part
            })
            .collect();
        if with_else {
            parts.push(self.otherwise(inner));
        }
        parts
    }

    /// An option that opens with `else`, which may stand inside a block.
    fn otherwise(&mut self, place: Place) -> Vec<Item> {
        let mut part = vec![line("else")];
        let head = match self.r.below(10) {
            _ if place.in_d_step => "",
            0 => "d_step {",
            1 => "atomic {",
            2 => "{",
            _ => "",
        };
        let is_atomic = usize::from(head == "atomic {");
        self.atomic_depth += is_atomic;
        if head == "d_step {" {
            (0..self.r.below(3)).for_each(|_| part.push(line(self.assignment())));
        } else if self.r.chance(60) {
            part.extend(self.sequence(place, 1));
        }
        self.atomic_depth -= is_atomic;
        if head.is_empty() { part } else { vec![group(head, "", vec![part], "}", 1)] }
    }

    /// In a `D_proctype` SPIN does not look at options that open with `skip`, `break` or `goto`.
    fn guard_choice(&mut self, part: &mut Vec<Item>) {
        if self.deterministic && opens_idly(part) {
            part.insert(0, line(self.condition()));
        }
    }

    /// Whether a statement can stand here.
    pub(super) fn fits(&self, kind: Kind, place: Place) -> bool {
        let compound = place.depth > 0;
        let free = !place.in_d_step;
        match kind {
            Kind::Assignment | Kind::Skip | Kind::Assert | Kind::Print => true,
            Kind::Condition | Kind::Timeout => free,
            Kind::Send | Kind::Receive => free && !self.channels.is_empty(),
            Kind::If => compound,
            Kind::Do | Kind::Atomic | Kind::DStep | Kind::Unless | Kind::Block => compound && free,
            Kind::Break => place.in_loop && free,
            Kind::Goto => free && !self.labels.is_empty(),
            Kind::Label => free && place.label && !self.labels_open.is_empty(),
            Kind::Declaration => free,
            Kind::For | Kind::Select => free && !self.locals.is_empty(),
            Kind::ForIn => free && (self.loop_array().is_some() || self.has_records && self.loop_channel().is_some()),
            Kind::Inline => free && !self.inlines.is_empty(),
            Kind::SetPriority => free && self.uses_priority,
            Kind::Run => free && self.runs_anywhere && !self.children.is_empty(),
            Kind::TypedefMessage => free && self.has_records,
            Kind::ChannelMessage => free && self.handle.is_some(),
            Kind::Record => free && self.has_record_type,
            Kind::Discard => true,
        }
    }

    /// A buffered channel of records: only over those a loop can go.
    fn loop_channel(&self) -> Option<Channel> {
        self.channels.iter().find(|c| c.name == "cm" && c.capacity > 0).cloned()
    }

    /// An array that a loop can go over, if there is a variable to do so.
    fn loop_array(&self) -> Option<String> {
        self.locals.first().filter(|x| *x == "x")?;
        self.arrays.iter().map(|(name, _)| name.clone()).find(|a| !a.contains('.'))
    }

    pub(super) fn statement(&mut self, place: Place) -> Item {
        let weights: Vec<usize> = STATEMENTS.iter().map(|(k, w)| if self.fits(*k, place) { *w } else { 0 }).collect();
        let kind = STATEMENTS[self.r.weighted(&weights)].0;
        let inner = Place { depth: place.depth.saturating_sub(1), label: false, ..place };
        let text = match kind {
            Kind::Assignment => self.assignment(),
            Kind::Condition => self.condition(),
            Kind::Skip => "skip".into(),
            Kind::Send => self.send(),
            Kind::Receive => self.receive(),
            Kind::If => {
                let with_else = self.r.chance(50) || place.in_d_step;
                return group("if", "::", self.options(place, with_else), "fi", 1);
            }
            Kind::Do => {
                let with_else = self.r.chance(30);
                let mut parts = self.options(Place { in_loop: true, ..place }, with_else);
                if self.r.chance(50) {
                    let mut part = if self.r.chance(50) { vec![] } else { vec![line(self.condition())] };
                    part.push(line("break"));
                    self.guard_choice(&mut part);
                    parts.insert(0, part);
                }
                return group("do", "::", parts, "od", 1);
            }
            Kind::Atomic => {
                self.atomic_depth += 1;
                let mut body = self.sequence(inner, 3);
                self.atomic_depth -= 1;
                keep_escapes_apart(&mut body, place);
                return group("atomic {", "", vec![body], "}", 1);
            }
            Kind::DStep => return self.d_step(inner),
            Kind::Unless => {
                let inner = Place { in_unless: true, ..inner };
                let body = self.sequence(inner, 3);
                let first = match self.r.below(10) {
                    0..=5 => line(self.condition()),
                    6..=7 if !self.channels.is_empty() => line(self.receive()),
                    8 if inner.depth > 0 => self.statement(inner),
                    _ => line(self.shared_condition()),
                };
                let mut escape = vec![first];
                if self.r.chance(50) {
                    escape.extend(self.sequence(Place { label: true, ..inner }, 1));
                }
                return group("{", "} unless {", vec![body, escape], "}", 2);
            }
            Kind::Assert => format!("assert({})", self.condition()),
            Kind::Print if self.r.chance(20) => "printm(red)".into(),
            Kind::Print => format!("printf(\"%d\\n\", {})", self.value()),
            Kind::Break => "break".into(),
            Kind::Goto => format!("goto {}", self.r.pick(&self.labels)),
            Kind::Label => {
                let label = self.labels_open.pop().expect("there is one");
                let statement = match self.r.below(5) {
                    0..=1 => self.assignment(),
                    2..=3 => self.condition(),
                    _ => format!("goto {}", self.r.pick(&self.labels)),
                };
                format!("{label}: {statement}")
            }
            Kind::Block => {
                let mut body = self.sequence(Place { label: place.label, ..inner }, 2);
                if self.r.chance(40) {
                    body.insert(0, line(self.declaration()));
                }
                keep_escapes_apart(&mut body, place);
                return group("{", "", vec![body], "}", 1);
            }
            Kind::Declaration => self.declaration(),
            Kind::For => {
                let low = if self.r.chance(25) { self.variable() } else { "0".into() };
                let open = format!("for ({} : {low} .. {}) {{", self.locals[0], self.r.below(3));
                let body = self.sequence(Place { in_loop: true, ..inner }, 2);
                return group(&open, "", vec![body], "}", 1);
            }
            Kind::ForIn => {
                let over = match (self.loop_channel(), self.loop_array()) {
                    (None, Some(a)) => format!("x in {a}"),
                    (Some(_), Some(a)) if self.r.chance(50) => format!("x in {a}"),
                    _ => "m in cm".into(),
                };
                let body = self.sequence(Place { in_loop: true, ..inner }, 1);
                return group(&format!("for ({over}) {{"), "", vec![body], "}", 1);
            }
            Kind::Select => {
                let low = if self.r.chance(20) { self.plain_value() } else { self.r.below(2).to_string() };
                let high = if self.r.chance(30) { self.value() } else { (1 + self.r.below(2)).to_string() };
                format!("select ({} : {low} .. {high})", self.locals[0])
            }
            Kind::Inline => {
                let value = Some(self.value()).filter(|v| !v.contains(',')).unwrap_or_else(|| "1".into());
                match self.inlines[0].clone() {
                    (name, false) => format!("{name}({value})"),
                    (name, true) => format!("{} = {name}({value})", self.variable()),
                }
            }
            Kind::Timeout => match self.r.below(5) {
                0 => format!("timeout && {}", self.shared_condition()),
                1 => format!("!timeout || {}", self.shared_condition()),
                2 => format!("(timeout || {})", self.shared_condition()),
                _ => "timeout".into(),
            },
            Kind::SetPriority => {
                let value = if self.r.chance(30) {
                    format!("1 + ({} & 1)", self.variable())
                } else {
                    (1 + self.r.below(3)).to_string()
                };
                format!("set_priority({}, {value})", self.r.pick(&["_pid", "0"]))
            }
            Kind::Run => {
                let run = self.run();
                return group("atomic {", "", vec![vec![line("_nr_pr < 4"), line(run)]], "}", 1);
            }
            Kind::TypedefMessage => self
                .r
                .pick(&["cm!m", "cm?m", "cm??m", "cm!m.u,1", "cm?eval(m.u),_", "cm!!m", "m.v = 1 - m.v"])
                .to_string(),
            Kind::ChannelMessage => {
                let h = self.handle.expect("there is one");
                match self.r.below(6) {
                    0 | 1 if self.has_channel_channel => format!("cc!{}", self.plain_channel()),
                    2 | 3 if self.has_channel_channel => format!("cc?{h}"),
                    4 => format!("{h}!{}", vec![self.r.below(3).to_string(); self.channels[0].fields].join(",")),
                    5 => format!("{h}?{}", vec!["_"; self.channels[0].fields].join(",")),
                    0 => format!("len({h}) == 0"),
                    _ => format!("{h} = {}", self.plain_channel()),
                }
            }
            Kind::Record => return self.record(),
            Kind::Discard => format!("_ = {}", self.variable()),
        };
        line(text)
    }

    /// A `d_step`: behind its first statement nothing blocks.
    fn d_step(&mut self, place: Place) -> Item {
        let place = Place { in_loop: false, in_d_step: true, ..place };
        let handshake = self.handshake();
        let first = match self.r.below(8) {
            0..=2 => self.assignment(),
            3 if self.buffered().is_some() => {
                if self.r.chance(50) {
                    self.send_to_buffered()
                } else {
                    self.receive_from_buffered()
                }
            }
            4 | 5 if handshake.is_some() => self.receive_from(&handshake.expect("there is one")),
            _ => self.condition(),
        };
        let mut body = vec![line(first)];
        for _ in 0..self.r.below(3) {
            body.push(if self.r.chance(60) { line(self.assignment()) } else { self.statement(place) });
        }
        if self.r.chance(10) {
            body.push(self.counting_loop());
        }
        if self.r.chance(8) {
            let (label, tail) = (self.fresh("D"), self.assignment());
            body.push(line(format!("goto {label}")));
            body.push(line(self.assignment()));
            body.push(line(format!("{label}: {tail}")));
        }
        group("d_step {", "", vec![body], "}", 1)
    }

    /// A loop that ends, and never blocks.
    fn counting_loop(&mut self) -> Item {
        let v = self.scalars[0].clone();
        let more = vec![line(format!("{v} > 0")), line(format!("{v}--"))];
        group("do", "::", vec![more, vec![line("else"), line("break")]], "od", 2)
    }

    /// The declaration of a record in the middle of a body, and uses of it.
    fn record(&mut self) -> Item {
        let name = self.fresh("y");
        let declaration = line(format!("T {name}"));
        let uses = self.r.below(3);
        if uses == 0 {
            return declaration;
        }
        let mut body = vec![declaration];
        for _ in 0..uses {
            let text = match self.r.below(5) {
                0 => format!("{name}.p = {}", self.value()),
                1 => format!("{name}.q[{}] = {}", self.r.below(2), self.value()),
                2 => format!("{name}.q[{name}.p & 1]++"),
                3 => format!("{name}.q[{}] < 2", self.r.below(2)),
                _ => format!("{} = {name}.q[1] & 3", self.variable()),
            };
            body.push(line(text));
        }
        group("{", "", vec![body], "}", 1)
    }

    pub(super) fn declaration(&mut self) -> String {
        let name = self.fresh("y");
        match self.r.below(5) {
            0 => format!("byte {name}"),
            1 => format!("byte {name}[2]"),
            2 => format!("bit {name} = {}", self.plain_value()),
            _ => format!("byte {name} = {}", self.value()),
        }
    }
}
