//! Claims, traces and formulas: what watches the processes.

use super::{Channel, Item, Type, Writer, block, group, line};

impl Writer {
    /// A claim: conditions on what is global.
    pub(super) fn never(&mut self) -> Item {
        let mut body = Vec::new();
        for _ in 0..1 + self.r.below(2) {
            let mut parts = Vec::new();
            for _ in 0..1 + self.r.below(3) {
                let mut part = vec![line(if self.r.chance(40) { "true".into() } else { self.claim_condition() })];
                match self.r.below(6) {
                    0 => part.push(line("break")),
                    1 => part.push(line(self.claim_condition())),
                    2 => part.push(line("goto accept_all")),
                    _ => {}
                }
                if self.r.chance(10) {
                    part[0] = line(format!("assert({})", self.shared_condition()));
                }
                if self.r.chance(8) {
                    let open = if self.wild(40) { "d_step {" } else { "atomic {" };
                    part = vec![block(open, vec![line(self.claim_condition()), line("skip")])];
                }
                parts.push(part);
            }
            if self.r.chance(30) {
                parts.push(vec![line("else")]);
            }
            let (open, close) = if self.r.chance(75) { ("do", "od") } else { ("if", "fi") };
            body.push(group(open, "::", parts, close, 1));
        }
        body.push(line("accept_all: true"));
        if self.r.chance(70) {
            body.push(line("goto accept_all"));
        }
        block(if self.r.chance(20) { "never named {" } else { "never {" }, body)
    }

    fn claim_condition(&mut self) -> String {
        match self.r.below(7) {
            0 if !self.remote_variables.is_empty() && !self.runs_anywhere => self.remote_variable(),
            1 if !self.remote_labels.is_empty() => self.remote_label(),
            2 if self.features.enabled => format!("enabled({})", self.r.below(3)),
            3 if !self.comparable => self.one(&["np_", "!np_", "_nr_pr > 1", "pc_value(0) > 1", "timeout"]),
            _ => self.shared_condition(),
        }
    }

    /// An `ltl` block.
    pub(super) fn formula(&mut self, i: usize) -> Item {
        let size = 2 + self.r.below(6);
        let formula = self.temporal(size);
        line(format!("ltl f{i} {{ {formula} }}"))
    }

    fn temporal(&mut self, size: usize) -> String {
        if size <= 1 {
            let atom = match self.r.below(7) {
                0 if !self.remote_labels.is_empty() => self.remote_label(),
                1 if !self.remote_variables.is_empty() && !self.runs_anywhere => self.remote_variable(),
                2 if !self.channels.is_empty() => format!("len({}) > 0", self.element(&self.channels[0].clone())),
                3 if self.features.enabled => "enabled(0)".into(),
                _ => self.shared_condition(),
            };
            return if self.r.chance(25) { format!("!({atom})") } else { format!("({atom})") };
        }
        let (a, b) = (self.temporal(size / 2), self.temporal(size - 1 - size / 2));
        match self.r.below(14) {
            0 => format!("({a} U {b})"),
            1 => format!("({a} && {b})"),
            2 => format!("({a} || {b})"),
            3 => format!("([] ({a} -> <> {b}))"),
            4 => format!("([] <> {a})"),
            5 => format!("(<> [] {a})"),
            6 => format!("([] {a})"),
            7 => format!("(<> {a})"),
            8 => format!("({a} V {b})"),
            9 => format!("({a} W {b})"),
            10 => format!("({a} <-> {b})"),
            11 => format!("({a} -> {b})"),
            12 => format!("(always {a} until eventually {b})"),
            _ if self.comparable => format!("({a} U {b})"),
            _ => format!("(X {a})"),
        }
    }

    /// What must happen on channels, or must not.
    pub(super) fn trace(&mut self) -> Option<Item> {
        // SPIN takes a rendezvous that is only offered for an event.
        let fits = |c: &&Channel| {
            c.len == 0
                && (c.capacity > 0 || !self.comparable)
                && c.fields.iter().all(|t| t.is_number() || *t == Type::Mtype)
        };
        let c = self.channels.iter().find(fits).cloned()?;
        let mut body = Vec::new();
        if self.r.chance(60) {
            let mut parts = vec![vec![line(self.event(&c, true))]];
            if self.r.chance(50) {
                let second = line(self.event(&c, false));
                if self.r.chance(50) { parts[0].push(second) } else { parts.push(vec![second]) }
            }
            body.push(group("do", "::", parts, "od", 1));
        } else {
            for _ in 0..1 + self.r.below(2) {
                let send = self.r.chance(70);
                body.push(line(self.event(&c, send)));
            }
        }
        Some(block(if self.r.chance(65) { "trace {" } else { "notrace {" }, body))
    }

    fn event(&mut self, c: &Channel, send: bool) -> String {
        let mut any = false;
        let args: Vec<String> = c
            .fields
            .iter()
            .map(|ty| {
                // Behind a field that is not looked at none is looked at.
                any |= self.r.chance(60);
                match ty {
                    _ if any => "_".into(),
                    Type::Mtype => "red".into(),
                    _ => self.r.below(3).to_string(),
                }
            })
            .collect();
        format!("{}{}{}", c.name, if send { "!" } else { "?" }, args.join(","))
    }
}
