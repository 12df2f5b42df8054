//! Statements and what is made of them.

use super::weights::{Kind, STATEMENTS};
use super::{Generator, Item, Place, group, line};

/// Whether a sequence starts with an `unless` inside another.
fn opens_with_nested_unless(body: &[Item]) -> bool {
    let mut depth = 0;
    let mut first = body.first();
    while let Some(Item::Group { mark, parts, .. }) = first {
        depth += usize::from(mark == "} unless {");
        first = parts.first().and_then(|p| p.first());
    }
    depth > 1
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
                part
            })
            .collect();
        if with_else {
            let mut part = vec![line("else")];
            if self.r.chance(60) {
                part.extend(self.sequence(inner, 1));
            }
            parts.push(part);
        }
        parts
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
            Kind::ForIn => {
                free && self.locals.first().is_some_and(|x| x == "x")
                    && (!self.arrays.is_empty() || self.wide.iter().any(|v| v == "x") && self.loop_channel().is_some())
            }
            Kind::Inline => free && !self.inlines.is_empty(),
            Kind::SetPriority => free && self.uses_priority,
            Kind::Run => free && self.runs_anywhere && !self.children.is_empty(),
            Kind::TypedefMessage => free && self.has_records,
            Kind::ChannelMessage => free && self.handle.is_some(),
        }
    }

    pub(super) fn loop_channel(&self) -> Option<String> {
        self.channels.iter().find(|c| c.capacity > 0 && c.fields == 1 && !c.array).map(|c| c.name.clone())
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
                    let part = if self.r.chance(50) { vec![] } else { vec![line(self.condition())] };
                    parts.insert(0, [part, vec![line("break")]].concat());
                }
                return group("do", "::", parts, "od", 1);
            }
            Kind::Atomic => {
                let mut body = self.sequence(inner, 3);
                if opens_with_nested_unless(&body) {
                    body.insert(0, line("skip"));
                }
                return group("atomic {", "", vec![body], "}", 1);
            }
            Kind::DStep => {
                let place = Place { in_loop: false, in_d_step: true, ..inner };
                let first = match self.r.below(6) {
                    0..=2 => self.assignment(),
                    3 if self.buffered().is_some() => {
                        if self.r.chance(50) {
                            self.send_to_buffered()
                        } else {
                            self.receive_from_buffered()
                        }
                    }
                    _ => self.condition(),
                };
                let mut body = vec![line(first)];
                for _ in 0..self.r.below(3) {
                    body.push(if self.r.chance(60) { line(self.assignment()) } else { self.statement(place) });
                }
                return group("d_step {", "", vec![body], "}", 1);
            }
            Kind::Unless => {
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
                return group("{", "", vec![body], "}", 1);
            }
            Kind::Declaration => self.declaration(),
            Kind::For => {
                let open = format!("for ({} : 0 .. {}) {{", self.locals[0], self.r.below(3));
                let body = self.sequence(Place { in_loop: true, ..inner }, 2);
                return group(&open, "", vec![body], "}", 1);
            }
            Kind::ForIn => {
                let channel = if self.wide.iter().any(|v| v == "x") { self.loop_channel() } else { None };
                let over = match (channel, self.arrays.first()) {
                    (Some(c), Some(_)) if self.r.chance(50) => c,
                    (_, Some((a, _))) if !a.contains('.') => a.clone(),
                    (Some(c), _) => c,
                    _ => return line("skip"),
                };
                let body = self.sequence(Place { in_loop: true, ..inner }, 1);
                return group(&format!("for (x in {over}) {{"), "", vec![body], "}", 1);
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
            Kind::SetPriority => format!("set_priority({}, {})", self.r.pick(&["_pid", "0"]), 1 + self.r.below(3)),
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
        };
        line(text)
    }

    pub(super) fn declaration(&mut self) -> String {
        let name = self.fresh("y");
        match self.r.below(5) {
            0 => format!("byte {name}"),
            1 => format!("byte {name}[2]"),
            2 if !self.uses_priority => format!("bit {name} = {}", self.plain_value()),
            _ => format!("byte {name} = {}", self.value()),
        }
    }
}
