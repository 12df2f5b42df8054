//! Labels where the process never rests: they mark something else than they seem to, or nothing.

use super::walk::{self, Visitor};
use super::{Said, warning};
use crate::ast::{Expr, ExprKind, Ident, Program, Sequence, Stmt, StmtKind};
use crate::names::{Def, Names, has_meaning};
use rustc_hash::FxHashSet;

/// Looks at all labels.
pub(super) fn check(program: &Program, names: &Names, said: &mut Said<'_>) {
    let mut named = Named { names, asked: FxHashSet::default(), jumps: FxHashSet::default() };
    program.units.iter().for_each(|u| walk::unit(u, &mut named));
    // A process that has jumped to a label stands there.
    let asked = &named.asked - &named.jumps;
    for unit in &program.units {
        walk::unit(unit, &mut Labels { names, asked: &asked, said, d_steps: 0 });
    }
}

/// Labels that remote references and jumps name.
struct Named<'a> {
    names: &'a Names,
    asked: FxHashSet<u32>,
    jumps: FxHashSet<u32>,
}

impl Visitor for Named<'_> {
    fn enter(&mut self, stmt: &Stmt) {
        if let StmtKind::Goto(label) = &stmt.kind
            && let Some(Def::Label(id)) = self.names.def(label)
        {
            self.jumps.insert(id.0);
        }
    }

    fn expr(&mut self, e: &Expr) {
        if let ExprKind::RemoteLabel { label, .. } = &e.kind
            && let Some(Def::Label(id)) = self.names.def(label)
        {
            self.asked.insert(id.0);
        }
    }
}

struct Labels<'a, 'b, 'c> {
    names: &'a Names,
    asked: &'a FxHashSet<u32>,
    said: &'b mut Said<'c>,
    d_steps: u32,
}

impl Visitor for Labels<'_, '_, '_> {
    fn enter(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::If(options) | StmtKind::Do(options) if self.d_steps == 0 => {
                let words = if matches!(stmt.kind, StmtKind::If(_)) { "if" } else { "do" };
                options.iter().for_each(|o| self.option(o, words));
            }
            StmtKind::DStep(_) => self.d_steps += 1,
            StmtKind::Unless(body, escape) if !body.labels.is_empty() && matches!(body.kind, StmtKind::DStep(_)) => {
                let message = "this escape has no effect, because the `d_step` in front of it has a label";
                let why =
                    "SPIN takes it for a part of the `d_step`; put the label in front of a `skip` before the `d_step`";
                self.said.push(warning("misplaced-label", escape.at.0, message).note(why));
            }
            _ => {}
        }
        if self.d_steps > u32::from(matches!(stmt.kind, StmtKind::DStep(_))) {
            for label in &stmt.labels {
                if !has_meaning(&label.name) && !self.is_asked(label) {
                    continue;
                }
                let message = format!("label `{}` means nothing: a process never rests inside a `d_step`", label.name);
                self.said.push(warning("misplaced-label", label.at.0, message));
            }
        }
    }

    fn leave(&mut self, stmt: &Stmt) {
        if let StmtKind::DStep(_) = stmt.kind {
            self.d_steps -= 1;
        }
    }
}

impl Labels<'_, '_, '_> {
    /// The first statement of an option has no place of its own to rest at: that is the place of the selection.
    fn option(&mut self, option: &Sequence, word: &str) {
        let Some(first) = option.steps.iter().find(|s| !matches!(s.kind, StmtKind::Exclusive { .. })) else { return };
        let body = if let StmtKind::Unless(body, _) = &first.kind { &body.labels[..] } else { &[] };
        let instead = format!("put it in front of the `{word}` to mark the selection");
        for label in first.labels.iter().chain(body) {
            if self.is_asked(label) {
                let message =
                    format!("no process ever stands at `{}`: it is the first statement of an option", label.name);
                self.said.push(warning("misplaced-label", label.at.0, message).note(instead.clone()));
            } else if has_meaning(&label.name) {
                let message = format!(
                    "label `{}` marks where the process is behind this statement, not in front of it",
                    label.name
                );
                let why = format!("in front of an option the process stands at the `{word}`");
                self.said.push(warning("misplaced-label", label.at.0, message).note(why).note(instead.clone()));
            }
        }
    }

    fn is_asked(&self, label: &Ident) -> bool {
        matches!(self.names.def(label), Some(Def::Label(id)) if self.asked.contains(&id.0))
    }
}
