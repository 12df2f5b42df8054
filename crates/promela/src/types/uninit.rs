//! Channels that are used before they hold one.
//!
//! A channel variable without initialiser is 0, which is no channel. It is reported when nothing in the model ever
//! sets it, or, for a local one, when no statement that could run before its first use does. "Before" is taken
//! generously (earlier in the text, or anywhere in a loop around the use), because a false alarm is worse than none.

use crate::ast::{Initializer, Program, Stmt, StmtKind, Unit, VarDecl, VarRef};
use crate::lints::walk::{self, Access, Visitor};
use crate::lints::{Said, error, mentions};
use crate::names::{BodyId, Def, Init, LabelId, Names, Ty, VarId};
use ferrospin_source::{SourceMap, Span};
use rustc_hash::{FxHashMap, FxHashSet};

/// Reports channels that cannot be set where they are used.
pub(super) fn check(map: &SourceMap, program: &Program, names: &Names, said: &mut Said<'_>) {
    let c_words = mentions::in_c(program);
    let mut written: FxHashSet<VarId> = FxHashSet::default();
    let mut flows = Vec::new();
    for (i, unit) in program.units.iter().enumerate() {
        let mut flow = Flow { names, body: names.body_of_unit(i), ..Flow::new(names) };
        walk::unit(unit, &mut flow);
        written.extend(flow.writes.iter().map(|&(var, _)| var));
        flows.push(flow);
        active_parameters(names, unit, i, said);
    }
    let mut reported: FxHashSet<VarId> = FxHashSet::default();
    for flow in &flows {
        // If something may have set a channel before its first use, something may have before every later one.
        let mut seen: FxHashSet<VarId> = FxHashSet::default();
        for &(var, at, span) in &flow.uses {
            if !seen.insert(var) {
                continue;
            }
            let declared = &names.vars[var.index()];
            let set_here = declared.param.is_some() || matches!(declared.init, Init::Chan { .. });
            if set_here || &*declared.name == "STDIN" || c_words.contains(&*declared.name) {
                continue;
            }
            let message = if !written.contains(&var) {
                format!("`{}` is used as a channel, but it is never set to one", declared.name)
            } else if declared.body.is_some() && declared.body == flow.body && !flow.may_be_set(var, at) {
                format!("`{}` is used as a channel before it is set to one", declared.name)
            } else {
                continue;
            };
            if reported.insert(var) {
                let said_of = map.snippet(declared.at.0).to_owned();
                said.push(
                    error("uninit-chan", span, message)
                        .label("0 here, which is no channel")
                        .also(declared.at.0, format!("`{said_of}` is declared without a channel"))
                        .note("give it one: `chan c = [1] of { byte }`, or assign or receive one first"),
                );
            }
        }
    }
}

/// Channel parameters of processes that start by themselves.
fn active_parameters(names: &Names, unit: &Unit, index: usize, said: &mut Said<'_>) {
    let (Unit::Proctype(p), Some(body)) = (unit, names.body_of_unit(index)) else { return };
    let Some(active) = &p.active else { return };
    let body = &names.bodies[body.index()];
    for &id in body.vars.iter().take(body.param_count as usize) {
        let var = &names.vars[id.index()];
        if var.ty == Ty::Chan {
            let message =
                format!("parameter `{}` of the active process `{}` is an uninitialised channel", var.name, body.name);
            said.push(
                error("uninit-chan", var.at.0, message)
                    .also(active.at.0, "parameters of active processes are 0")
                    .note("start it with `run` and give it a channel"),
            );
        }
    }
}

/// Where the channels of one unit are used and set, by position in the walk.
struct Flow<'a> {
    names: &'a Names,
    body: Option<BodyId>,
    position: u32,
    uses: Vec<(VarId, u32, Span)>,
    writes: Vec<(VarId, u32)>,
    /// First and last position of loops.
    loops: Vec<(u32, u32)>,
    open: Vec<u32>,
    labels: FxHashMap<LabelId, u32>,
}

impl<'a> Flow<'a> {
    fn new(names: &'a Names) -> Self {
        Flow {
            names,
            body: None,
            position: 0,
            uses: Vec::new(),
            writes: Vec::new(),
            loops: Vec::new(),
            open: Vec::new(),
            labels: FxHashMap::default(),
        }
    }

    fn may_be_set(&self, var: VarId, at: u32) -> bool {
        self.writes.iter().filter(|(v, _)| *v == var).any(|&(_, w)| {
            w < at || self.loops.iter().any(|&(from, to)| from <= at && at <= to && from <= w && w <= to)
        })
    }
}

impl Visitor for Flow<'_> {
    fn enter(&mut self, stmt: &Stmt) {
        self.position += 1;
        for label in &stmt.labels {
            if let Some(Def::Label(id)) = self.names.def(label) {
                self.labels.insert(id, self.position);
            }
        }
        match &stmt.kind {
            StmtKind::Do(_) | StmtKind::ForRange { .. } | StmtKind::ForIn { .. } => self.open.push(self.position),
            StmtKind::Goto(label) => {
                if let Some(Def::Label(id)) = self.names.def(label)
                    && let Some(&from) = self.labels.get(&id)
                {
                    self.loops.push((from, self.position));
                }
            }
            _ => {}
        }
    }

    fn leave(&mut self, stmt: &Stmt) {
        if let StmtKind::Do(_) | StmtKind::ForRange { .. } | StmtKind::ForIn { .. } = &stmt.kind
            && let Some(from) = self.open.pop()
        {
            self.loops.push((from, self.position));
        }
    }

    fn decl(&mut self, decl: &VarDecl) {
        for var in &decl.vars {
            if let (Some(Initializer::Expr(_) | Initializer::Chan(_)), Some(Def::Var(id))) =
                (&var.init, self.names.def(&var.name))
            {
                self.writes.push((id, self.position));
            }
        }
    }

    fn reference(&mut self, reference: &VarRef, access: Access) {
        self.position += 1;
        let Some(Def::Var(id)) = reference.path.first().and_then(|s| self.names.def(&s.name)) else { return };
        let Some(var) = self.names.vars.get(id.index()) else { return };
        match access {
            Access::Write | Access::Receive | Access::Count => self.writes.push((id, self.position)),
            // A record may hold channels that came with a message; only plain variables are followed.
            // An array without index is run over by `for`, which uses none of its channels.
            Access::Channel if var.array.is_some() && reference.path[0].index.is_none() => {}
            Access::Channel if reference.path.len() == 1 && var.ty == Ty::Chan => {
                self.uses.push((id, self.position, reference.at.0));
            }
            _ => {}
        }
    }
}
