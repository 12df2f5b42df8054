//! Rules about expressions that need more than names: what may be assigned to what, what a `provided` clause may look
//! at.

use super::exprs::Target;
use super::resolver::Resolver;
use super::{Def, MtypeId, Ty};
use crate::ast::{Expr, ExprKind, Segment, VarRef};
use ferrospin_source::{Diagnostic, Span};

/// What SPIN knows of the left side of an assignment while it reads the right side.
struct Left<'n> {
    name: &'n str,
    /// Whether it is a channel.
    chan: bool,
    /// The `mtype` list it belongs to.
    list: Option<MtypeId>,
}

impl Resolver<'_> {
    /// Checks the right side of an assignment against the variable on the left.
    pub(super) fn assigned(&mut self, r: &VarRef, target: Option<Target>, e: &Expr) {
        self.self_index(r);
        let Some(Target::Var(base, _)) = target else { return };
        let var = self.var(base);
        // SPIN does not look at assignments to fields.
        if matches!(var.ty, Ty::Record(_)) {
            return;
        }
        let name = var.name.clone();
        let list = self.extras[base.index()].list;
        let mut left = Left { name: &name, chan: var.ty == Ty::Chan, list };
        self.right_side(&mut left, e, false);
        self.extras[base.index()].list = left.list;
    }

    /// The same for an initialiser, which is read before the variable has its type.
    pub(super) fn initialised(&mut self, name: &str, ty: Option<Ty>, e: &Expr) {
        let mut left = Left { name, chan: false, list: None };
        self.right_side(&mut left, e, false);
        if let (Some(Ty::Mtype(want)), Some(have)) = (ty, left.list)
            && want != MtypeId(0)
            && want != have
        {
            self.wrong_list(name, e.at.0, want, have);
        }
    }

    /// SPIN's walk over the right side. `deep` means inside an operator, where a channel may not stand; an index and
    /// the fields of a structure are not deep.
    fn right_side(&mut self, left: &mut Left<'_>, e: &Expr, deep: bool) {
        match &e.kind {
            ExprKind::Const(..) => self.constant_for(left, e, deep),
            ExprKind::Ref(r) => self.right_ref(left, r, e, deep),
            ExprKind::Unary(_, a) => self.right_side(left, a, true),
            ExprKind::Enabled(a) | ExprKind::PcValue(a) | ExprKind::GetPriority(a) => self.right_side(left, a, true),
            ExprKind::Binary(_, a, b) => {
                self.right_side(left, a, true);
                self.right_side(left, b, true);
            }
            ExprKind::Cond(c, a, b) => {
                self.right_side(left, c, true);
                self.right_side(left, a, true);
                self.right_side(left, b, true);
            }
            _ => {}
        }
    }

    fn constant_for(&mut self, left: &Left<'_>, e: &Expr, deep: bool) {
        if left.chan && !deep {
            self.error(
                Diagnostic::error(
                    "channel-assignment",
                    e.at.0,
                    format!("a number cannot be assigned to the channel `{}`", left.name),
                )
                .label("not a channel"),
            );
        }
    }

    fn right_ref(&mut self, left: &mut Left<'_>, r: &VarRef, e: &Expr, deep: bool) {
        match self.names.def(&r.path[0].name) {
            Some(Def::MtypeConst(list, _)) => {
                self.constant_for(left, e, deep);
                if !deep {
                    self.same_list(left, list, e.at.0);
                }
            }
            Some(Def::Var(v)) => {
                let chan = self.var(v).ty == Ty::Chan;
                if chan && left.chan && !deep {
                    return;
                }
                if chan && deep {
                    self.error(
                        Diagnostic::error(
                            "channel-arithmetic",
                            r.at.0,
                            "a channel cannot be part of an assigned expression",
                        )
                        .label("a channel")
                        .also(self.var(v).at.0, "declared here")
                        .note("a channel can be assigned only as a whole"),
                    );
                }
                self.right_indices(left, r);
            }
            _ => {}
        }
    }

    fn right_indices(&mut self, left: &mut Left<'_>, r: &VarRef) {
        for s in &r.path {
            if let Some(i) = &s.index {
                self.right_side(left, i, false);
            }
        }
    }

    /// A variable takes constants of one list: the declared one, or that of the first constant assigned.
    fn same_list(&mut self, left: &mut Left<'_>, list: MtypeId, at: Span) {
        match left.list {
            None => left.list = Some(list),
            Some(have) if have != list => self.wrong_list(left.name, at, have, list),
            Some(_) => {}
        }
    }

    pub(super) fn list_name(&self, list: MtypeId) -> String {
        match &*self.names.mtypes[list.index()].name {
            "" => "mtype".to_string(),
            n => format!("mtype:{n}"),
        }
    }

    fn wrong_list(&mut self, name: &str, at: Span, want: MtypeId, have: MtypeId) {
        let d = Diagnostic::error(
            "mtype-mix",
            at,
            format!(
                "`{name}` holds constants of `{}`, this one is of `{}`",
                self.list_name(want),
                self.list_name(have)
            ),
        )
        .label("of another list");
        self.error(d);
    }

    /// `a[a[i]] = x`: SPIN cannot undo it and refuses.
    pub(super) fn self_index(&mut self, r: &VarRef) {
        let mut open = Vec::new();
        if let Some(at) = self_indexed(&r.path, &mut open) {
            self.error(
                Diagnostic::error(
                    "self-index",
                    at,
                    format!("the array `{}` cannot be indexed with its own element", r.path[0].name.name),
                )
                .label("element of the same array")
                .note("copy the index into a variable first"),
            );
        }
    }

    /// A `provided` clause may look at globals, not at parameters, other processes or effects.
    pub(super) fn provided(&mut self, e: &Expr) {
        let bad = |r: &mut Self, at: Span, what: &str| {
            r.error(
                Diagnostic::error("provided", at, format!("a `provided` clause cannot use {what}"))
                    .label("not allowed here")
                    .note("it may depend on global variables, constants, `_pid`, `_priority`, `timeout` and `enabled`"),
            );
        };
        match &e.kind {
            ExprKind::Const(..) | ExprKind::Timeout | ExprKind::CExpr(_) => {}
            ExprKind::Ref(r) | ExprKind::Len(r) | ExprKind::Probe(_, r) | ExprKind::Poll { channel: r, .. } => {
                if let Some(Def::Var(v)) = self.names.def(&r.path[0].name)
                    && self.var(v).body.is_some()
                {
                    bad(self, r.at.0, "a parameter");
                }
            }
            ExprKind::Unary(_, a) | ExprKind::Enabled(a) | ExprKind::PcValue(a) | ExprKind::GetPriority(a) => {
                self.provided(a);
            }
            ExprKind::Binary(_, a, b) => {
                self.provided(a);
                self.provided(b);
            }
            ExprKind::Cond(c, a, b) => {
                self.provided(c);
                self.provided(a);
                self.provided(b);
            }
            ExprKind::Run { .. } => bad(self, e.at.0, "`run`"),
            ExprKind::RemoteLabel { .. } | ExprKind::RemoteVar { .. } => {
                bad(self, e.at.0, "a reference to another process")
            }
            ExprKind::NonProgress | ExprKind::TemporalUnary(..) | ExprKind::TemporalBinary(..) => {}
        }
    }
}

/// The name of a reference as SPIN compares it: indices are dropped, so `a[1]` and `a[i]` are the same.
fn shape(path: &[Segment]) -> String {
    let mut text = String::new();
    for (i, s) in path.iter().enumerate() {
        if i > 0 {
            text.push('.');
        }
        text.push_str(&s.name.name);
        if s.index.is_some() {
            text.push_str("[]");
        }
    }
    text
}

/// Whether an index inside the path is an element of an array it indexes.
fn self_indexed(path: &[Segment], open: &mut Vec<String>) -> Option<Span> {
    for (i, s) in path.iter().enumerate() {
        let Some(index) = &s.index else { continue };
        let ExprKind::Ref(r) = &index.kind else { continue };
        open.push(shape(&path[..=i]));
        let found = self_indexed(&r.path, open).or_else(|| open.contains(&shape(&r.path)).then_some(index.at.0));
        open.pop();
        if found.is_some() {
            return found;
        }
    }
    None
}
