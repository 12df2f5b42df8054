//! The rules that every model keeps, and a verifier that checks them.
//!
//! Graphs:
//! 1. The entry of a process type is one of its locations, and not inside a `d_step`.
//! 2. Every edge stands in the list of exactly one location, the one it starts from.
//! 3. An edge stays in its process type.
//! 4. An edge leads to the exit only out of a `d_step`, or when it ends the process; ending a process always does.
//! 5. No edge leads from outside a `d_step` to a location inside one, nor the other way.
//! 6. The graph of a `d_step` starts at a location inside a `d_step` of the same process type; `d_step`s are not nested.
//! 7. Locations inside a `d_step` have no marks; their edges are neither atomic nor escapes, and no process ends there.
//! 8. A location has at most one `else`, except inside a `d_step`, where the first one is taken.
//! 9. Edges of one escape stand together, and those of the body come last.
//! 10. Further actions of an edge cannot block; an end has none, nor has a send or receive in a model with rendezvous.
//! 11. Processes, locations and `mtype` lists that are mentioned exist; a location asked for belongs to its type.
//! 12. What starts with the system is a process type that runs; what is started by `run` is a `proctype`, and gets as
//!     many arguments as it has parameters.
//!
//! Memory:
//! 13. Scalars have 1 to 31 bits.
//! 14. Variables and the contents of channels lie inside their areas, behind the heads, and do not overlap.
//! 15. Dimensions are not empty, and the elements of one lie inside an element of the next outer one.
//! 16. Every place is an element of a variable of its area: same scalar, lengths and strides from the variable's
//!     dimensions, constant indices already added to the offset.
//! 17. Parameters are places without indices at the front of the frame, in order.
//! 18. An initial value that is a channel names one of the channels created there.
//! 19. Location numbers fit their size; the trace, `_last` and the claim lie in the fixed part.
//!
//! Facts:
//! 20. What the model makes use of is noted in [`crate::ir::Uses`].

mod memory;

use crate::ir::{Action, Edge, EdgeId, Expr, Location, LocationId, Model, ProcessId, ProcessKind, Show};
use crate::passes::walk::{self, Item};

/// Checks all rules; lists what is wrong, with the number of the rule.
pub fn verify(model: &Model) -> Result<(), Vec<String>> {
    let mut v = Verifier { model, wrong: Vec::new() };
    v.indices();
    if v.wrong.is_empty() {
        v.processes();
        v.locations();
        v.uses();
        memory::check(&mut v);
    }
    if v.wrong.is_empty() { Ok(()) } else { Err(v.wrong) }
}

struct Verifier<'a> {
    model: &'a Model,
    wrong: Vec<String>,
}

impl<'a> Verifier<'a> {
    fn check(&mut self, rule: u8, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            self.wrong.push(format!("rule {rule}: {}", what()));
        }
    }

    fn has_process(&self, p: ProcessId) -> bool {
        p.index() < self.model.processes.len()
    }

    fn has_location(&self, l: LocationId) -> bool {
        l.index() < self.model.locations.len()
    }

    /// All indices are in range, so that the other checks can follow them.
    fn indices(&mut self) {
        let m = self.model;
        for (i, p) in m.processes.iter().enumerate() {
            self.check(1, self.has_location(p.entry), || format!("P{i} has no entry"));
        }
        for p in m.start.iter().chain(m.layout.claim.as_ref().map(|c| &c.0)) {
            self.check(11, self.has_process(*p), || format!("there is no P{}", p.0));
        }
        for l in m.propositions.iter() {
            self.check(11, self.has_location(*l), || format!("there is no L{}", l.0));
        }
        let mut listed = vec![0_u32; m.edges.len()];
        for (i, l) in m.locations.iter().enumerate() {
            self.check(11, self.has_process(l.process), || format!("L{i} belongs to no process type"));
            for e in &l.edges {
                let own = m.edges.get(e.index()).is_some_and(|edge| edge.from.index() == i);
                self.check(2, own, || format!("L{i} lists E{}, which does not start there", e.0));
                if let Some(n) = listed.get_mut(e.index()) {
                    *n += 1;
                }
            }
        }
        for (i, e) in m.edges.iter().enumerate() {
            self.check(2, listed[i] == 1, || format!("E{i} is listed {} times", listed[i]));
            let to = e.to == LocationId::EXIT || self.has_location(e.to);
            self.check(3, to, || format!("E{i} leads nowhere"));
            for a in std::iter::once(&e.action).chain(&e.then) {
                match a {
                    Action::DStep(l) => self.check(6, self.has_location(*l), || format!("E{i}: there is no L{}", l.0)),
                    Action::Run { process: p, .. } => {
                        self.check(11, self.has_process(*p), || format!("E{i}: there is no P{}", p.0));
                    }
                    _ => {}
                }
            }
        }
        crate::passes::everything(m, &mut |item| {
            let Item::Expr(e) = item else { return };
            match e {
                Expr::AtLocation(p, _, l) => {
                    let known = self.has_process(*p) && self.has_location(*l);
                    let own = known && m.location(*l).process == *p && !m.location(*l).inside_d_step;
                    // A label that no control reaches has no location.
                    let never = *l == LocationId::EXIT && self.has_process(*p);
                    self.check(11, own || never, || format!("L{} of P{} is asked for", l.0, p.0));
                }
                Expr::Remote(p, _, _) => self.check(11, self.has_process(*p), || format!("there is no P{}", p.0)),
                _ => {}
            }
        });
    }

    fn processes(&mut self) {
        let m = self.model;
        for (i, p) in m.processes.iter().enumerate() {
            let entry = m.location(p.entry);
            let own = entry.process.index() == i && !entry.inside_d_step;
            self.check(1, own, || format!("P{i} starts at L{}, which is not its own", p.entry.0));
        }
        for p in &m.start {
            let runs = matches!(m.process(*p).kind, ProcessKind::Proctype | ProcessKind::Init);
            self.check(12, runs, || format!("P{} starts with the system", p.0));
        }
        let shows = m.globals.iter().chain(m.processes.iter().flat_map(|p| &p.locals)).map(|l| l.show);
        let channels = m.channels.iter().chain(m.processes.iter().flat_map(|p| &p.channels));
        let fields = channels.flat_map(|c| c.fields.iter().map(|f| f.1));
        for show in shows.chain(fields) {
            if let Show::Mtype(list) = show {
                self.check(11, (list as usize) < m.mtypes.len(), || format!("there is no mtype list {list}"));
            }
        }
    }

    fn locations(&mut self) {
        for (i, l) in self.model.locations.iter().enumerate() {
            let marked = l.end || l.accept || l.progress;
            self.check(7, !(l.inside_d_step && marked), || format!("L{i} has a mark"));
            let is_else = |e: &&EdgeId| self.model.edge(**e).action == Action::Else;
            let elses = l.edges.iter().filter(is_else).count();
            self.check(8, elses <= 1 || l.inside_d_step, || format!("L{i} has {elses} `else`"));
            self.escapes(i, l);
            l.edges.iter().for_each(|e| self.edge(*e, l));
        }
    }

    fn escapes(&mut self, i: usize, l: &Location) {
        let mut seen: Vec<u16> = l.edges.iter().map(|e| self.model.edge(*e).escape).collect();
        seen.dedup();
        let body_last = seen.iter().rev().skip(1).all(|e| *e != 0);
        let mut sorted = seen.clone();
        sorted.sort_unstable();
        sorted.dedup();
        self.check(9, body_last && sorted.len() == seen.len(), || format!("L{i} has escapes in the order {seen:?}"));
    }

    fn edge(&mut self, id: EdgeId, from: &Location) {
        let (m, e) = (self.model, self.model.edge(id));
        let i = id.0;
        let ends = e.action == Action::End;
        if e.to == LocationId::EXIT {
            self.check(4, ends || from.inside_d_step, || format!("E{i} leads to the exit"));
        } else {
            let to = m.location(e.to);
            self.check(3, to.process == from.process, || format!("E{i} leaves its process"));
            self.check(4, !ends, || format!("E{i} ends the process and goes on"));
            self.check(5, to.inside_d_step == from.inside_d_step, || format!("E{i} crosses the border of a d_step"));
        }
        if from.inside_d_step {
            let plain = !e.atomic && e.escape == 0 && !ends;
            self.check(7, plain, || format!("E{i} is atomic, an escape or an end, inside a d_step"));
        }
        if let Action::DStep(entry) = &e.action {
            let l = m.location(*entry);
            let own = l.inside_d_step && l.process == from.process && !from.inside_d_step;
            self.check(6, own, || format!("E{i} starts a d_step at L{}", entry.0));
        }
        let passes = |a: &Action| {
            use Action::{Assert, Assign, Print, Run, SetPriority, Skip};
            matches!(a, Skip | Assign(..) | Assert(_) | Print { .. } | Run { .. } | SetPriority(..))
        };
        let meets = m.uses.rendezvous && matches!(e.action, Action::Send { .. } | Action::Receive(_));
        let alone = e.then.is_empty() || !(ends || meets);
        self.check(10, alone && e.then.iter().all(passes), || format!("E{i} has further actions that it cannot have"));
        for a in std::iter::once(&e.action).chain(&e.then) {
            if let Action::Run { process, args, .. } = a {
                let p = m.process(*process);
                let fits = p.kind == ProcessKind::Proctype && p.params.len() == args.len();
                self.check(12, fits, || format!("E{i} runs {} with {} arguments", p.name, args.len()));
            }
        }
    }

    fn uses(&mut self) {
        let (m, u) = (self.model, self.model.uses);
        let channels = m.channels.iter().chain(m.processes.iter().flat_map(|p| &p.channels));
        let rendezvous = channels.clone().any(|c| c.capacity == 0);
        self.check(20, u.rendezvous || !rendezvous, || "rendezvous".into());
        self.check(20, u.provided || m.processes.iter().all(|p| p.provided.is_none()), || "provided".into());
        let (mut timeout, mut last, mut enabled, mut foreign) = (false, false, false, false);
        crate::passes::everything(m, &mut |item| match item {
            Item::Expr(Expr::Timeout) => timeout = true,
            Item::Expr(Expr::Last) => last = true,
            Item::Expr(Expr::Enabled(_)) => enabled = true,
            _ => {}
        });
        let actions = || m.edges.iter().flat_map(|e| std::iter::once(&e.action).chain(&e.then));
        // In a `trace` it stands for what is not looked at.
        for e in m.edges.iter().filter(|e| !self.is_trace(e)) {
            for a in std::iter::once(&e.action).chain(&e.then) {
                foreign |= *a == Action::Foreign;
                foreign |= matches!(a, Action::Call(_));
                walk::action(a, &mut |item| foreign |= matches!(item, Item::Expr(Expr::Foreign | Expr::Call(_))));
            }
        }
        let priority = actions().any(|a| matches!(a, Action::SetPriority(..)));
        for (used, noted, name) in [
            (timeout, u.timeout, "timeout"),
            (last, u.last, "_last"),
            (enabled, u.enabled, "enabled"),
            (foreign, u.foreign, "embedded C"),
            (priority, u.priority, "set_priority"),
        ] {
            self.check(20, noted || !used, || name.into());
        }
    }

    fn is_trace(&self, e: &Edge) -> bool {
        let process = self.model.location(e.from).process;
        matches!(self.model.process(process).kind, ProcessKind::Trace | ProcessKind::NoTrace)
    }

    /// Visits what a process type evaluates: at its birth and on its edges.
    fn mentioned(&self, id: ProcessId, f: &mut dyn FnMut(Item<'a>)) {
        let process = self.model.process(id);
        walk::birth(process, f);
        for l in self.model.locations.iter().filter(|l| l.process == id) {
            for e in &l.edges {
                let e = self.model.edge(*e);
                std::iter::once(&e.action).chain(&e.then).for_each(|a| walk::action(a, f));
            }
        }
    }
}
