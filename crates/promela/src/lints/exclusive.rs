//! `xr` and `xs`: a promise that one process alone receives from a channel, or sends to it, looked at where it is seen to be
//! broken.
//!
//! Reduction does not believe these promises: it finds out itself which process uses which end. So a broken one loses no error; but
//! SPIN believes it, and whoever wrote it has meant something. Only global channels that are named are looked at.

use super::walk::{self, Visitor};
use super::{Said, warning};
use crate::ast::{ChannelEnd, Expr, ExprKind, Program, Stmt, StmtKind, VarRef};
use crate::names::{Def, Names, VarId};
use ferrospin_source::Span;

/// Which end of a channel, and in which body.
struct Use {
    channel: VarId,
    receives: bool,
    body: usize,
    at: Span,
}

struct Uses<'a> {
    names: &'a Names,
    body: usize,
    promised: Vec<Use>,
    used: Vec<Use>,
}

impl Uses<'_> {
    fn note(&self, channel: &VarRef, receives: bool) -> Option<Use> {
        let [part] = &channel.path[..] else { return None };
        let Some(Def::Var(id)) = self.names.def(&part.name) else { return None };
        part.index.is_none().then_some(Use { channel: id, receives, body: self.body, at: channel.at.0 })
    }
}

impl Visitor for Uses<'_> {
    fn enter(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Exclusive { end, channels } => {
                let new: Vec<Use> = channels.iter().filter_map(|c| self.note(c, *end == ChannelEnd::Receive)).collect();
                self.promised.extend(new);
            }
            StmtKind::Send { channel, .. } => {
                let new = self.note(channel, false);
                self.used.extend(new);
            }
            StmtKind::Receive { channel, .. } => {
                let new = self.note(channel, true);
                self.used.extend(new);
            }
            _ => {}
        }
    }

    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Poll { channel, .. } = &expr.kind {
            let new = self.note(channel, true);
            self.used.extend(new);
        }
    }
}

/// Reports promises that another process breaks.
pub(super) fn check(program: &Program, names: &Names, said: &mut Said<'_>) {
    let mut uses = Uses { names, body: 0, promised: Vec::new(), used: Vec::new() };
    for (i, unit) in program.units.iter().enumerate() {
        if let Some(body) = names.body_of_unit(i) {
            uses.body = body.index();
            walk::unit(unit, &mut uses);
        }
    }
    for promise in &uses.promised {
        let owner = &names.bodies[promise.body];
        let (tag, does) =
            if promise.receives { ("xr", "receive from the channel") } else { ("xs", "send to the channel") };
        let broken = uses.used.iter().find(|u| {
            u.channel == promise.channel
                && u.receives == promise.receives
                && (u.body != promise.body && names.bodies[u.body].name != owner.name || owner.active > 1)
        });
        if let Some(broken) = broken {
            let message = format!("`{tag}` promises that no other process will {does}, but one does");
            let mut report = warning("exclusive-shared", promise.at, message).label("promised here");
            if broken.body == promise.body {
                report = report.note(format!("{} processes of this type start with the system", owner.active));
            } else {
                report = report.also(broken.at, "by another process here");
            }
            said.push(report.note("SPIN's reduction relies on the promise; this one does not, and loses no error"));
        }
    }
}
