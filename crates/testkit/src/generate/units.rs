//! The parts of a program: variables, channels, inlines, processes.

use super::weights::CHANCES;
use super::{Channel, Generator, Item, Place, group, line};

impl Generator {
    pub(super) fn program(&mut self) -> Vec<Item> {
        let mut items = vec![line("mtype = { red, green };")];
        self.uses_priority = self.r.chance(CHANCES.priority);
        self.has_claim = self.r.chance(CHANCES.claim);
        self.uses_enabled = self.r.chance(CHANCES.enabled);
        self.uses_last = self.r.chance(CHANCES.last);
        self.variables(&mut items);
        self.channels(&mut items);
        if self.r.chance(CHANCES.inline) {
            self.inlines(&mut items);
        }
        self.runs_anywhere = self.r.chance(15) && !self.has_claim;
        if self.r.below(2) == 1 {
            let params = self.r.chance(50) && !self.channels.is_empty();
            let kind = if self.r.chance(CHANCES.deterministic) { "D_proctype" } else { "proctype" };
            let head = format!("{kind} C({})", if params { "byte arg; chan via" } else { "" });
            let priority = if self.uses_priority && self.r.chance(30) { " priority 2" } else { "" };
            items.push(self.process(format!("{head}{priority}"), params, 2));
            self.children.push(("C".into(), params));
        }
        let mut pid = 0;
        if self.has_claim {
            // Some process can always move: what a claim does alone, SPIN counts by the order of its search.
            items.push(line("bit tick;"));
            let turn = group("do", "::", vec![vec![line("tick = 1 - tick")]], "od", 1);
            items.push(group("active proctype I() {", "", vec![vec![turn]], "}", 1));
            pid = 1;
        }
        for i in 0..1 + self.r.below(2) {
            let two = self.r.chance(CHANCES.copies);
            let mut head = format!("active {}proctype P{i}()", if two { "[2] " } else { "" });
            if self.uses_priority && self.r.chance(60) {
                head.push_str(&format!(" priority {}", 1 + self.r.below(3)));
            }
            if self.r.chance(CHANCES.provided) {
                let condition = match self.buffered() {
                    Some(c) if self.r.chance(40) => format!("len({}) < 2", self.named(&c)),
                    _ => self.shared_condition(),
                };
                head.push_str(&format!(" provided ({condition})"));
            }
            items.push(self.process(head, false, 3));
            let found: Vec<String> = self.locals.clone();
            self.remote_variables.extend(found.into_iter().map(|x| (format!("P{i}"), pid, x)));
            pid += if two { 2 } else { 1 };
        }
        if !self.children.is_empty() || self.r.chance(15) {
            items.push(self.init());
        }
        if self.has_claim {
            items.push(self.claim());
        } else if self.r.chance(CHANCES.trace) && !self.channels.is_empty() {
            items.push(self.trace());
        }
        items
    }

    pub(super) fn variables(&mut self, items: &mut Vec<Item>) {
        for i in 0..1 + self.r.below(3) {
            let (ty, width) = *self.r.pick(&[
                ("bit", ""),
                ("bool", ""),
                ("byte", ""),
                ("byte", ""),
                ("unsigned", " : 2"),
                ("unsigned", " : 3"),
                ("mtype", ""),
                ("short", ""),
                ("int", ""),
                ("local byte", ""),
                ("show byte", ""),
            ]);
            let name = format!("g{i}");
            let init = if self.r.chance(30) { " = 1" } else { "" };
            items.push(line(format!("{ty} {name}{width}{init};")));
            if !["bit", "bool", "unsigned"].contains(&ty) {
                self.wide.push(name.clone());
            }
            self.scalars.push(name);
        }
        if self.r.chance(CHANCES.named_mtype) {
            items.push(line("mtype:fruit = { apple, pear };"));
            items.push(line("mtype:fruit f = pear;"));
            self.scalars.push("f".into());
        }
        if self.r.chance(CHANCES.array) {
            let n = 2 + self.r.below(2);
            items.push(line(format!("{} a[{n}];", self.r.pick(&["byte", "short", "mtype"]))));
            self.arrays.push(("a".into(), n));
            self.wide.push("a[1]".into());
        }
        if self.r.chance(CHANCES.record) {
            items.push(line("typedef T { bit p; byte q[2] };"));
            items.push(line("T t;"));
            self.has_record_type = true;
            self.scalars.push("t.p".into());
            self.arrays.push(("t.q".into(), 2));
            self.wide.push("t.q[1]".into());
            if self.r.chance(CHANCES.nested_record) {
                items.push(line("typedef V { T s[2]; short k };"));
                items.push(line("V vs[2];"));
                self.scalars.push("vs[1].s[0].p".into());
                self.scalars.push("vs[0].k".into());
                self.arrays.push(("vs[g0 & 1].s[1].q".into(), 2));
                self.wide.push("vs[1].s[1].q[0]".into());
            }
        }
    }

    pub(super) fn channels(&mut self, items: &mut Vec<Item>) {
        let least = usize::from(self.uses_priority || self.uses_enabled);
        for i in 0..self.r.below(3) {
            let capacity = least.max(self.r.below(3));
            let fields = 1 + self.r.weighted(&[5, 4, 1]);
            self.has_rendezvous |= capacity == 0;
            let first = self.r.pick(&["byte", "mtype", "pid"]).to_string();
            let rest = (1..fields).map(|_| self.r.pick(&["byte", "bool", "mtype"]).to_string());
            let types: Vec<String> = [first].into_iter().chain(rest).collect();
            let array = self.r.chance(CHANCES.channel_array);
            let name = format!("c{i}");
            let size = if array { "[2]" } else { "" };
            items.push(line(format!("chan {name}{size} = [{capacity}] of {{ {} }};", types.join(", "))));
            self.channels.push(Channel { name, capacity, fields, array });
        }
        if self.r.chance(CHANCES.record_channel) {
            self.has_records = true;
            items.push(line("typedef M { byte u; bool v };"));
            items.push(line("M m;"));
            let capacity = least.max(self.r.below(3));
            self.has_rendezvous |= capacity == 0;
            items.push(line(format!("chan cm = [{capacity}] of {{ M }};")));
            self.scalars.push("m.u".into());
            self.channels.push(Channel { name: "cm".into(), capacity, fields: 2, array: false });
        }
        if self.r.chance(CHANCES.channel_channel) && !self.channels.is_empty() {
            self.has_channel_channel = true;
            let capacity = least.max(self.r.below(2));
            self.has_rendezvous |= capacity == 0;
            items.push(line(format!("chan cc = [{capacity}] of {{ chan }};")));
        }
    }

    pub(super) fn inlines(&mut self, items: &mut Vec<Item>) {
        let target = self.scalars[0].clone();
        if self.r.chance(60) {
            let mut body = vec![line(format!("{target} = (v + {target}) % 3")), line("skip")];
            if self.r.chance(30) {
                body.insert(0, line("byte w = v"));
            }
            items.push(group("inline step(v) {", "", vec![body], "}", 1));
            self.inlines.push(("step".into(), false));
        } else {
            let mut body = vec![line(format!("return (v + {target}) % 3"))];
            if self.r.chance(50) {
                body.insert(0, line(format!("{target} = v")));
            }
            items.push(group("inline value(v) {", "", vec![body], "}", 1));
            self.inlines.push(("value".into(), true));
        }
    }

    pub(super) fn init(&mut self) -> Item {
        self.enter();
        let mut body = Vec::new();
        for _ in 0..self.r.below(3) {
            if !self.children.is_empty() {
                body.push(line(self.run()));
            }
        }
        body.push(self.statement(Place { depth: 1, in_loop: false, in_d_step: false, in_unless: false, label: false }));
        if self.r.chance(40) {
            body = vec![group("atomic {", "", vec![body], "}", 1)];
        }
        group("init {", "", vec![body], "}", 1)
    }

    pub(super) fn run(&mut self) -> String {
        let (name, params) = self.children[0].clone();
        let args = if params { format!("{}, {}", self.value(), self.plain_channel()) } else { String::new() };
        let priority = if self.uses_priority && self.r.chance(30) { " priority 3" } else { "" };
        let target = if self.locals.is_empty() || self.r.chance(60) { String::new() } else { "x = ".into() };
        format!("{target}run {name}({args}){priority}")
    }

    /// Forgets what belongs to the last process.
    pub(super) fn enter(&mut self) {
        self.deterministic = false;
        self.locals.clear();
        self.labels.clear();
        self.labels_open.clear();
        self.handle = None;
        self.wide.retain(|v| !["x", "arg", "z[1]"].contains(&v.as_str()));
        self.arrays.retain(|(name, _)| name != "z");
        self.channels.retain(|c| c.name != "lc");
    }

    pub(super) fn fresh(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    pub(super) fn process(&mut self, head: String, params: bool, depth: usize) -> Item {
        self.enter();
        self.deterministic = head.starts_with("D_proctype");
        let mut body = Vec::new();
        if self.r.chance(60) {
            let init = if self.r.chance(30) { " = 1" } else { "" };
            let ty = *self.r.pick(&["byte", "bit", "short", "pid", "byte"]);
            body.push(line(format!("{ty} x{init}")));
            self.locals.push("x".into());
            if ty != "bit" {
                self.wide.push("x".into());
            }
        }
        if self.has_channel_channel && self.r.chance(60) {
            body.push(line(format!("chan h = {}", self.plain_channel())));
            self.handle = Some("h");
        }
        if self.r.chance(CHANCES.local_channel) {
            let capacity = 1 + self.r.below(2);
            let array = self.r.chance(30);
            let size = if array { "[2]" } else { "" };
            body.push(line(format!("chan lc{size} = [{capacity}] of {{ byte }}")));
            self.channels.push(Channel { name: "lc".into(), capacity, fields: 1, array });
        }
        if self.r.chance(CHANCES.local_array) {
            let (ty, init) = *self.r.pick(&[("byte", ""), ("short", ""), ("byte", " = 1"), ("byte", " = {1, 2}")]);
            body.push(line(format!("{ty} z[2]{init}")));
            self.arrays.push(("z".into(), 2));
            self.wide.push("z[1]".into());
        }
        if params {
            self.locals.push("arg".into());
            self.handle = Some("via");
        }
        for _ in 0..self.r.weighted(&[5, 4, 1]) {
            let stem = *self.r.pick(&["L", "L", "end", "progress", "accept"]);
            let label = self.fresh(stem);
            self.labels.push(label.clone());
            self.labels_open.push(label);
        }
        let place = Place { depth, in_loop: false, in_d_step: false, in_unless: false, label: true };
        let mut statements = self.sequence(place, 3);
        while let Some(label) = self.labels_open.pop() {
            if self.r.chance(50) {
                statements.push(line(format!("{label}: skip")));
                continue;
            }
            match statements.first_mut() {
                Some(Item::Line(first))
                    if !first.contains(':') && !["byte ", "bit ", "T "].iter().any(|t| first.starts_with(t)) =>
                {
                    *first = format!("{label}: {first}");
                    statements.push(line(format!("goto {label}")));
                }
                _ => statements.push(line(format!("{label}: skip"))),
            }
        }
        if head.starts_with("active")
            && let Some(name) = head.split("proctype ").nth(1).and_then(|s| s.split('(').next())
        {
            let name = name.to_string();
            self.remote_labels.extend(self.labels.iter().map(|l| (name.clone(), l.clone())));
        }
        body.extend(statements);
        group(&format!("{head} {{"), "", vec![body], "}", 1)
    }
}
