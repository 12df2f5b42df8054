//! Variables and parameters that do nothing: never used, never read, never written.

use super::walk::{self, Access, Visitor};
use super::{Said, mentions, warning};
use crate::ast::{Expr, ExprKind, Program, VarRef, Visibility};
use crate::names::{BodyKind, Def, Init, Names, Ty, Var};

/// How a variable is used in the whole model.
#[derive(Clone, Copy, Default)]
struct Use {
    read: bool,
    written: bool,
    received: bool,
    channel: bool,
    mentioned: bool,
}

struct Uses<'a> {
    names: &'a Names,
    of: Vec<Use>,
    /// Whether some process of the body is started by `run`.
    run: Vec<bool>,
}

impl Visitor for Uses<'_> {
    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::RemoteVar { var, .. } => {
                if let Some(Def::Var(id)) = self.names.def(&var.name) {
                    self.of[id.index()].read = true;
                }
            }
            ExprKind::Run { name, .. } => {
                if let Some(Def::Body(body)) = self.names.def(name) {
                    self.run[body.index()] = true;
                }
            }
            _ => {}
        }
    }

    fn reference(&mut self, reference: &VarRef, access: Access) {
        let Some(Def::Var(id)) = reference.path.first().and_then(|s| self.names.def(&s.name)) else { return };
        let Some(used) = self.of.get_mut(id.index()) else { return };
        match access {
            Access::Read => used.read = true,
            Access::Write | Access::Count => used.written = true,
            Access::Receive => used.received = true,
            Access::Channel => used.channel = true,
            Access::Mention => used.mentioned = true,
        }
    }
}

/// Reports variables of no use.
pub(super) fn check(program: &Program, names: &Names, said: &mut Said<'_>) {
    let mut uses = Uses { names, of: vec![Use::default(); names.vars.len()], run: vec![false; names.bodies.len()] };
    for unit in &program.units {
        walk::unit(unit, &mut uses);
    }
    let words = mentions::elsewhere(program);
    for (i, var) in names.vars.iter().enumerate() {
        // A leading underscore says that the variable is there on purpose.
        if var.name.starts_with('_') || words.contains(&*var.name) || !var.at.0.is_some() {
            continue;
        }
        judge(names, var, uses.of[i], &uses.run, said);
    }
}

fn judge(names: &Names, var: &Var, used: Use, run: &[bool], said: &mut Said<'_>) {
    let name = &var.name;
    let span = var.at.0;
    let set = used.written || used.received;
    if !(used.read || set || used.channel || used.mentioned) {
        said.push(match (var.param, var.ty) {
            (Some(_), _) => warning("unused-parameter", span, format!("parameter `{name}` is never used")),
            (None, Ty::Chan) => warning("unused-channel", span, format!("channel `{name}` is never used"))
                .note("if it is there on purpose, let its name start with an underscore"),
            (None, _) => warning("unused-variable", span, format!("variable `{name}` is never used"))
                .note("if it is there on purpose, let its name start with an underscore"),
        });
        return;
    }
    // Hidden variables are often there to take what is not wanted, and records are used by their fields.
    let scratch = var.visibility == Some(Visibility::Hidden) || matches!(var.ty, Ty::Record(_));
    if set && !used.read && !used.channel && !used.mentioned && !scratch {
        said.push(if used.written {
            warning("never-read", span, format!("`{name}` is written, but never read"))
        } else {
            warning("unread-receive", span, format!("`{name}` only receives and is never read"))
                .note("`_` takes a field that is not wanted, and is not part of the state")
        });
    }
    let starts_as_zero = match var.param {
        // A parameter gets its value from `run`; those of active processes are 0.
        Some(_) => var.body.is_some_and(|b| {
            let body = &names.bodies[b.index()];
            body.kind == BodyKind::Proctype && body.active > 0 && !run[b.index()]
        }),
        None => matches!(var.init, Init::Zero),
    };
    if used.read && !set && !used.mentioned && starts_as_zero && !matches!(var.ty, Ty::Chan | Ty::Record(_)) {
        let what = if var.param.is_some() { "parameter " } else { "" };
        let mut d = warning("never-written", span, format!("{what}`{name}` is read, but never written: it stays 0"));
        if var.param.is_some() {
            d = d.note("nothing is passed to an active process");
        }
        said.push(d);
    }
}
