//! Claims and traces: what watches the processes.

use super::{Channel, Generator, Item, group, line};

impl Generator {
    /// A claim: conditions on what is global.
    pub(super) fn claim(&mut self) -> Item {
        self.enter();
        let mut body = Vec::new();
        for i in 0..1 + self.r.below(2) {
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
                    part = vec![group("atomic {", "", vec![vec![line(self.claim_condition()), line("skip")]], "}", 1)];
                }
                parts.push(part);
            }
            if self.r.chance(30) {
                parts.push(vec![line("else")]);
            }
            let (open, close) = if self.r.chance(75) { ("do", "od") } else { ("if", "fi") };
            let _ = i;
            body.push(group(open, "::", parts, close, 1));
        }
        body.push(line("accept_all: true"));
        if self.r.chance(70) {
            body.push(line("goto accept_all"));
        }
        group("never {", "", vec![body], "}", 1)
    }

    pub(super) fn claim_condition(&mut self) -> String {
        match self.r.below(5) {
            0 if !self.remote_variables.is_empty() && !self.runs_anywhere => self.remote_variable(),
            1 if !self.remote_labels.is_empty() => self.remote_label(),
            2 if self.uses_enabled && !self.has_rendezvous => format!("enabled({})", self.r.below(3)),
            _ => self.shared_condition(),
        }
    }

    pub(super) fn trace(&mut self) -> Item {
        self.enter();
        let named: Vec<Channel> = self.channels.iter().filter(|c| !c.array && c.capacity > 0).cloned().collect();
        // SPIN takes a rendezvous that is only offered for an event.
        let Some(c) = named.first().cloned() else { return line("") };
        let both = self.r.chance(50);
        let event = |g: &mut Self, send: bool| {
            let mut any = false;
            let args: Vec<String> = (0..c.fields)
                .map(|_| {
                    // Behind a field that is not looked at none is looked at.
                    any |= g.r.chance(60);
                    if any { "_".into() } else { g.r.below(3).to_string() }
                })
                .collect();
            format!("{}{}{}", c.name, if send { "!" } else { "?" }, args.join(","))
        };
        let mut body = Vec::new();
        if self.r.chance(60) {
            let mut parts = vec![vec![line(event(self, true))]];
            if both {
                let second = event(self, false);
                if self.r.chance(50) { parts[0].push(line(second)) } else { parts.push(vec![line(second)]) }
            }
            body.push(group("do", "::", parts, "od", 1));
        } else {
            for _ in 0..1 + self.r.below(2) {
                let send = self.r.chance(70);
                body.push(line(event(self, send)));
            }
        }
        let open = if self.r.chance(65) { "trace {" } else { "notrace {" };
        group(open, "", vec![body], "}", 1)
    }
}
