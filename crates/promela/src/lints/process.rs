//! Processes as a whole: servers without an end label, `_pid` as an index, `_nr_pr` beside a claim.

use super::walk::{self, Visitor};
use super::{Said, warning};
use crate::ast::{Expr, ExprKind, Program, Sequence, Stmt, StmtKind, Unit, VarRef};
use crate::names::{BodyKind, Builtin, Def, Names, VarId};
use ferrospin_source::{SourceMap, Span};
use rustc_hash::FxHashSet;

/// Looks at all processes.
pub(super) fn check(map: &SourceMap, program: &Program, names: &Names, said: &mut Said<'_>) {
    let senders = Senders::of(map, program, names);
    let claim = program.units.iter().find_map(|unit| match unit {
        Unit::Never(n) => Some(n.at.0),
        Unit::Ltl(l) => Some(l.name.as_ref().map_or(l.at.0, |n| n.at.0)),
        _ => None,
    });
    let mut pid = 0;
    for (i, unit) in program.units.iter().enumerate() {
        if let Some(claim) = claim {
            walk::unit_exprs(unit, &mut |e| process_count(names, e, claim, said));
        }
        let body = match unit {
            Unit::Proctype(p) => &p.body,
            Unit::Init(init) => &init.body,
            _ => continue,
        };
        let Some(id) = names.body_of_unit(i) else { continue };
        let declared = &names.bodies[id.index()];
        let active = if declared.kind == BodyKind::Init { 1 } else { declared.active };
        if declared.kind == BodyKind::Proctype {
            endless_server(names, &senders, body, &declared.name, said);
        }
        if active > 0 {
            // Pids go to active processes and init in the order of the text. What is started later has others.
            let last = pid + active - 1;
            walk::sequence(body, &mut PidIndex { names, said, name: &declared.name, last });
            pid += active;
        }
    }
}

/// `_nr_pr` counts the claim too, as SPIN does, so that `_nr_pr == 1` never comes true.
fn process_count(names: &Names, e: &Expr, claim: Span, said: &mut Said<'_>) {
    if let ExprKind::Ref(r) = &e.kind
        && names.def(&r.path[0].name) == Some(Def::Builtin(Builtin::ProcessCount))
    {
        said.push(
            warning("nr-pr-claim", e.at.0, "`_nr_pr` counts the claim as a process")
                .also(claim, "the model has a claim")
                .note("while a claim is checked, `_nr_pr` is one more than the number of processes"),
        );
    }
}

/// A body that ends in `do` without exit, all of whose options wait for a message.
fn endless_server(names: &Names, senders: &Senders, body: &Sequence, name: &str, said: &mut Said<'_>) {
    for stmt in &body.steps {
        let StmtKind::Do(options) = &stmt.kind else { continue };
        let receives = |o: &Sequence| match super::choice::guard(o).map(|s| &s.kind) {
            Some(StmtKind::Receive { channel, .. }) => senders.may_cease(names, channel),
            _ => false,
        };
        let labelled = stmt.labels.iter().any(|l| l.name.starts_with("end"))
            || options.iter().flat_map(|o| &o.steps).flat_map(|s| &s.labels).any(|l| l.name.starts_with("end"));
        if !labelled && !options.is_empty() && options.iter().all(receives) && !leaves(options) {
            let at = stmt.at.0;
            let head = Span { lo: at.lo, hi: (at.lo + 2).min(at.hi), expansion: at.expansion };
            let insert = Span { hi: at.lo, ..at };
            said.push(
                warning("missing-end-label", head, format!("`{name}` waits here for ever once no more messages come"))
                    .note("without an `end` label that counts as an invalid end state (a deadlock)")
                    .suggest(insert, "end: ", "mark the loop as a valid end"),
            );
        }
    }
}

/// Which process sends over which channel, as far as names tell.
struct Senders {
    /// Channels over which a process sends that never ends.
    endless: FxHashSet<VarId>,
    /// Whether such a process sends over a parameter or local variable, which may be any channel.
    endless_unknown: bool,
    /// Whether a process that sends can end.
    some_end: bool,
}

impl Senders {
    fn of(map: &SourceMap, program: &Program, names: &Names) -> Senders {
        struct Sends<'a>(&'a Names, FxHashSet<VarId>);
        impl Visitor for Sends<'_> {
            fn enter(&mut self, stmt: &Stmt) {
                if let StmtKind::Send { channel, .. } = &stmt.kind
                    && let Some(Def::Var(id)) = self.0.def(&channel.path[0].name)
                {
                    self.1.insert(id);
                }
            }
        }
        let mut senders = Senders { endless: FxHashSet::default(), endless_unknown: false, some_end: false };
        for unit in &program.units {
            let body = match unit {
                Unit::Proctype(p) => &p.body,
                Unit::Init(init) => &init.body,
                _ => continue,
            };
            let mut sends = Sends(names, FxHashSet::default());
            walk::sequence(body, &mut sends);
            if sends.1.is_empty() {
                continue;
            }
            if super::reach::can_end(map, names, body) {
                senders.some_end = true;
            } else {
                senders.endless_unknown |= sends.1.iter().any(|v| names.vars[v.index()].body.is_some());
                senders.endless.extend(sends.1);
            }
        }
        senders
    }

    /// Whether the messages of a channel come only from processes that end.
    fn may_cease(&self, names: &Names, channel: &VarRef) -> bool {
        let Some(Def::Var(id)) = names.def(&channel.path[0].name) else { return false };
        let is_known = names.vars[id.index()].body.is_none();
        let from_endless =
            self.endless_unknown || if is_known { self.endless.contains(&id) } else { !self.endless.is_empty() };
        self.some_end && !from_endless
    }
}

/// Whether a `break` or `goto` leads out of the options of a loop.
fn leaves(options: &[Sequence]) -> bool {
    struct Leaves {
        depth: u32,
        found: bool,
    }
    impl Visitor for Leaves {
        fn enter(&mut self, stmt: &Stmt) {
            match &stmt.kind {
                StmtKind::Do(_) | StmtKind::ForRange { .. } | StmtKind::ForIn { .. } => self.depth += 1,
                StmtKind::Break => self.found |= self.depth == 0,
                StmtKind::Goto(_) => self.found = true,
                _ => {}
            }
        }

        fn leave(&mut self, stmt: &Stmt) {
            if let StmtKind::Do(_) | StmtKind::ForRange { .. } | StmtKind::ForIn { .. } = &stmt.kind {
                self.depth -= 1;
            }
        }
    }
    let mut leaves = Leaves { depth: 0, found: false };
    options.iter().for_each(|o| walk::sequence(o, &mut leaves));
    leaves.found
}

/// `a[_pid]` where the array is too small for the pids of the process.
struct PidIndex<'a, 'b, 'c> {
    names: &'a Names,
    said: &'b mut Said<'c>,
    name: &'a str,
    last: u32,
}

impl Visitor for PidIndex<'_, '_, '_> {
    fn reference(&mut self, reference: &VarRef, _: walk::Access) {
        for segment in &reference.path {
            let Some(index) = &segment.index else { continue };
            let ExprKind::Ref(r) = &index.kind else { continue };
            if self.names.def(&r.path[0].name) != Some(Def::Builtin(Builtin::Pid)) {
                continue;
            }
            let size = match self.names.def(&segment.name) {
                Some(Def::Var(id)) => self.names.vars.get(id.index()).and_then(|v| v.array),
                Some(Def::Field(record, field)) => {
                    self.names.records.get(record.index()).and_then(|r| r.fields.get(field as usize)?.array)
                }
                _ => None,
            };
            if let Some(size) = size.filter(|&n| n <= self.last) {
                let message = format!(
                    "`_pid` of `{}` goes up to {}, but `{}` has {size} element{}",
                    self.name,
                    self.last,
                    segment.name.name,
                    if size == 1 { "" } else { "s" },
                );
                self.said.push(
                    warning("pid-index", index.at.0, message)
                        .note("pids are given to active processes and `init` in the order of the text, from 0"),
                );
            }
        }
    }
}
