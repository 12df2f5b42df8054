//! The variables and ranges of `for` and `select`.

use super::exprs::{Place, Target};
use super::resolver::Resolver;
use super::{BodyKind, Builtin, Def, Init, RecordId, Ty, VarId};
use crate::ast::{Expr, ExprKind, Spelling, VarRef};
use ferrospin_source::Diagnostic;

impl Resolver<'_> {
    /// The variable of `for (i : a .. b)` and of a `select` that counts.
    pub(super) fn counter(&mut self, var: &VarRef, target: Option<Target>, from: &Expr, to: &Expr, what: &str) {
        match target {
            Some(Target::Var(base, _)) => {
                let v = self.var(base);
                let bad = match v.ty {
                    _ if v.array.is_some() => Some("an array"),
                    Ty::Chan => Some("a channel"),
                    Ty::Record(_) => Some("a structure"),
                    _ => None,
                };
                if let Some(bad) = bad {
                    let at = v.at.0;
                    self.error(
                        Diagnostic::error("counter", var.at.0, format!("`{what}` cannot count in {bad}"))
                            .label("a scalar variable is expected here")
                            .also(at, "declared here"),
                    );
                }
            }
            Some(Target::Builtin(Builtin::Underscore)) => {
                self.error(
                    Diagnostic::error("read-underscore", var.at.0, "`_` is write-only and cannot count")
                        .label("read here"),
                );
            }
            _ => self.assignable(var, target),
        }
        self.range(var, from, to, what);
    }

    fn range(&mut self, var: &VarRef, from: &Expr, to: &Expr, what: &str) {
        if let (Some(a), Some(b)) = (self.literal(from), self.literal(to))
            && a > b
        {
            let name = &var.path[0].name.name;
            let at = self.map.join(from.at.0, to.at.0);
            self.error(
                Diagnostic::error("empty-range", at, format!("the range of `{name}` is empty: {a} is more than {b}"))
                    .label(format!("`{what}` from {a} to {b}")),
            );
        }
    }

    /// The value of a number or `mtype` constant.
    fn literal(&self, e: &Expr) -> Option<i32> {
        match &e.kind {
            ExprKind::Const(v, _) => Some(*v),
            ExprKind::Ref(r) => match self.names.def(&r.path[0].name)? {
                Def::MtypeConst(_, v) => Some(i32::from(v)),
                _ => None,
            },
            _ => None,
        }
    }

    pub(super) fn for_in(&mut self, var: &VarRef, container: &VarRef) {
        let target = self.var_ref(var, Place::HEADER);
        let over = self.var_ref(container, Place::HEADER);
        let (Some(target), Some(Target::Var(over, _))) = (target, over) else { return };
        if let Target::Var(v, _) = target
            && let Ty::Record(record) = self.var(v).ty
        {
            self.for_messages(container, over, record, var);
            return;
        }
        let o = self.var(over);
        if o.array.is_none() {
            let (at, name) = (o.at.0, o.name.clone());
            let mut d = Diagnostic::error("for-in", container.at.0, format!("`{name}` is no array"))
                .label("an array or a channel of structures is expected here")
                .also(at, format!("`{name}` is declared here"));
            if o.ty == Ty::Chan {
                d = d.note("to go through a channel its message must be one structure, and the variable of that type");
            }
            self.error(d);
            return;
        }
        let zero = Expr { kind: ExprKind::Const(0, Spelling::Number), at: var.at };
        self.counter(var, Some(target), &zero, &zero, "for");
    }

    /// `for (m in c)`: `c` is a buffered channel of exactly the structure of `m`.
    fn for_messages(&mut self, container: &VarRef, over: VarId, record: RecordId, var: &VarRef) {
        if self.open.as_ref().is_some_and(|o| o.kind == BodyKind::Never) {
            self.error(
                Diagnostic::error("claim-io", container.at.0, "a never claim cannot go through a channel")
                    .label("sends and receives"),
            );
        }
        let o = self.var(over);
        let fits = match &o.init {
            Init::Chan { capacity, fields } if o.ty == Ty::Chan => *capacity > 0 && fields[..] == [Ty::Record(record)],
            _ => false,
        };
        if !fits {
            let (at, name) = (o.at.0, o.name.clone());
            let record = self.names.records[record.index()].name.clone();
            self.error(
                Diagnostic::error(
                    "for-in",
                    container.at.0,
                    format!("`{name}` is not declared as a buffered channel of `{record}`"),
                )
                .label("channel that does not fit")
                .also(at, format!("`{name}` is declared here"))
                .also(var.at.0, format!("the variable is of type `{record}`"))
                .note(
                    "the channel must be initialised in its declaration: parameters and aliases cannot be gone through",
                ),
            );
        }
    }

    pub(super) fn select(&mut self, var: &VarRef, from: &Expr, to: &Expr, options: bool) {
        let target = self.var_ref(var, Place::TARGET);
        self.expr(from, Place::READ);
        self.expr(to, Place::READ);
        if !options {
            self.counter(var, target, from, to, "select");
            return;
        }
        // One assignment per value: what holds of assignments holds here.
        self.range(var, from, to, "select");
        self.assignable(var, target);
        self.assigned(var, target, from);
    }
}
