//! Whole programs and their processes.

use super::{Channel, Child, Item, Place, Type, Variable, Writer, block, line};

impl Writer {
    pub(super) fn program(&mut self) -> Vec<Item> {
        let mut items = vec![line("mtype = { red, green, blue };")];
        self.has_fruit = self.r.chance(15);
        if self.has_fruit {
            items.push(line("mtype:fruit = { apple, pear };"));
        }
        self.features.priority = self.r.chance(14);
        self.features.enabled = self.r.chance(8);
        self.features.last = self.r.chance(8);
        match self.r.below(100) {
            0..=11 => self.features.never = true,
            12..=41 => self.features.ltl = true,
            42..=48 => self.features.trace = true,
            _ => {}
        }
        self.typedefs(&mut items);
        self.macros(&mut items);
        self.variables(&mut items);
        self.channels(&mut items);
        self.inlines(&mut items);
        self.runs_anywhere = self.r.chance(15) && !self.features.never;
        for name in ["C", "D"] {
            if self.r.chance(if name == "C" { 45 } else { 30 }) {
                let child = self.child(name, &mut items);
                self.children.push(child);
            }
        }
        let mut pid = 0;
        if self.features.never && self.comparable {
            // Some process can always move: what a claim does alone, SPIN counts by the order of its search.
            items.push(line("bit tick;"));
            items.push(line("active proctype I() { do :: tick = 1 - tick od }"));
            pid = 1;
        }
        for i in 0..1 + self.r.weighted(&[40, 60]) {
            let copies = if self.r.chance(18) { 2 } else { 1 };
            let head = self.active(i, copies);
            items.push(self.process(head, &[], 3));
            let name = format!("P{i}");
            let simple = |v: &&Variable| v.len == 0 && v.ty.is_number();
            let found: Vec<String> = self.locals.iter().filter(simple).map(|v| v.name.clone()).collect();
            self.remote_variables.extend(found.into_iter().map(|x| (name.clone(), pid, x)));
            self.remote_labels.extend(self.labels.iter().map(|l| (name.clone(), pid, l.clone())));
            pid += copies;
        }
        if !self.children.is_empty() || self.r.chance(12) {
            items.push(self.init());
        }
        self.leave();
        if self.features.never {
            items.push(self.never());
        } else if self.features.ltl {
            for i in 0..1 + self.r.below(2) {
                items.push(self.formula(i));
            }
        } else if self.features.trace {
            items.extend(self.trace());
        }
        items
    }

    /// Forgets what belongs to the last process.
    pub(super) fn leave(&mut self) {
        self.deterministic = false;
        self.locals.clear();
        self.labels.clear();
        self.labels_open.clear();
        self.channels.truncate(self.global_channels);
    }

    fn child(&mut self, name: &str, items: &mut Vec<Item>) -> Child {
        let mut params = Vec::new();
        for _ in 0..self.r.below(3) {
            let ty = match self.r.below(6) {
                0 | 1 if !self.channels.is_empty() => Type::Chan,
                2 if self.record_parameter().is_some() => Type::Record(self.record_parameter().unwrap_or_default()),
                3 => Type::Mtype,
                4 => Type::Int,
                _ => Type::Byte,
            };
            params.push(ty);
        }
        let named: Vec<Variable> =
            params.iter().enumerate().map(|(i, ty)| Variable { name: format!("a{i}"), ty: *ty, len: 0 }).collect();
        let written: Vec<String> = named.iter().map(|v| self.declare(v, None)).collect();
        let kind = if self.r.chance(8) { "D_proctype" } else { "proctype" };
        let priority = if self.features.priority && self.r.chance(30) { " priority 2" } else { "" };
        items.push(self.process(format!("{kind} {name}({}){priority}", written.join("; ")), &named, 2));
        Child { name: name.into(), params }
    }

    fn active(&mut self, i: usize, copies: usize) -> String {
        let several = if copies > 1 { "[2] " } else { "" };
        let kind = if self.wild(4) { "D_proctype" } else { "proctype" };
        let mut head = format!("active {several}{kind} P{i}()");
        if self.features.priority && self.r.chance(60) {
            head += &format!(" priority {}", 1 + self.r.below(3));
        }
        if self.r.chance(10) {
            let buffered: Vec<Channel> = self.channels.iter().filter(|c| c.capacity > 0).cloned().collect();
            let condition = match buffered.first() {
                Some(c) if self.r.chance(40) => format!("len({}) < 2", self.element(c)),
                _ if self.wild(20) => "_pid == 0 || g0 == 0".into(),
                _ => self.shared_condition(),
            };
            head += &format!(" provided ({condition})");
        }
        head
    }

    fn init(&mut self) -> Item {
        self.leave();
        let mut body = Vec::new();
        for _ in 0..1 + self.r.below(2) {
            if !self.children.is_empty() {
                let run = self.run();
                body.push(line(if self.r.chance(15) { format!("_ = {run}") } else { run }));
            }
        }
        body.push(self.statement(Place {
            depth: 1,
            in_loop: false,
            in_atomic: false,
            in_d_step: false,
            labels: false,
            at_escape: false,
        }));
        if self.r.chance(50) {
            body = vec![block("atomic {", body)];
        }
        let priority = if self.features.priority && self.r.chance(30) { "priority 2 " } else { "" };
        block(&format!("init {priority}{{"), body)
    }

    pub(super) fn run(&mut self) -> String {
        let child = self.r.pick(&self.children).clone();
        let args: Vec<String> = child
            .params
            .iter()
            .map(|ty| match ty {
                Type::Record(i) => self.record_of(*i).unwrap_or_else(|| "0".into()),
                // A parameter of this type takes constants only.
                Type::Mtype => self.one(&["red", "green"]),
                _ => self.value_for(*ty),
            })
            .collect();
        let priority = if self.features.priority && self.r.chance(30) { " priority 3" } else { "" };
        format!("run {}({}){priority}", child.name, args.join(", "))
    }

    fn process(&mut self, head: String, params: &[Variable], depth: usize) -> Item {
        self.leave();
        self.deterministic = head.contains("D_proctype");
        let mut body = Vec::new();
        self.locals.extend_from_slice(params);
        if self.r.chance(5) && !self.channels.is_empty() && !self.comparable {
            let c = self.r.pick(&self.channels).clone();
            if c.len == 0 {
                body.push(line(format!("{} {}", self.one(&["xr", "xs"]), c.name)));
            }
        }
        for name in ["x", "z"] {
            if self.r.chance(if name == "x" { 65 } else { 20 }) {
                let v = self.variable(name.into());
                // In a body SPIN gives only the first element of an array its initial value.
                let initial = self.initial(&v);
                body.push(line(self.declare(&v, initial)));
                self.locals.push(v);
            }
        }
        if !self.records.is_empty() && self.r.chance(20) {
            let v = Variable { name: "t".into(), ty: Type::Record(self.r.below(self.records.len())), len: 0 };
            body.push(line(self.declare(&v, None)));
            self.locals.push(v);
        }
        if !self.channels.is_empty() && self.r.chance(15) {
            let initial = self.some_handle();
            // Parameters and globals have values when a process starts.
            body.push(line(format!("chan h = {initial}")));
            self.locals.push(Variable { name: "h".into(), ty: Type::Chan, len: 0 });
        }
        if self.r.chance(12) {
            let (capacity, len) = (1 + self.r.below(2), if self.r.chance(30) { 2 } else { 0 });
            let size = if len > 0 { "[2]" } else { "" };
            body.push(line(format!("chan lc{size} = [{capacity}] of {{ byte }}")));
            // The first channel stays the one whose messages channel variables have.
            if !self.channels.is_empty() {
                self.channels.push(Channel { name: "lc".into(), capacity, fields: vec![Type::Byte], len });
            }
        }
        for _ in 0..self.r.weighted(&[40, 35, 25]) {
            let stem = self.one(&["L", "L", "end", "progress", "accept"]);
            let label = self.fresh(&stem);
            self.labels.push(label.clone());
            self.labels_open.push(label);
        }
        let place = Place { depth, in_loop: false, in_atomic: false, in_d_step: false, labels: true, at_escape: false };
        let mut statements = self.sequence(place, 4);
        while let Some(label) = self.labels_open.pop() {
            statements.push(line(format!("{label}: skip")));
            if self.r.chance(30) && !self.labels.is_empty() {
                statements.push(line(format!("goto {}", self.r.pick(&self.labels))));
            }
        }
        body.extend(statements);
        block(&format!("{head} {{"), body)
    }
}
