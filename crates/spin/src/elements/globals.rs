//! Whether a statement looks at or changes what other processes see: `has_global` of SPIN's sources.

use ferrospin_promela::ast::{Expr, ExprKind, StmtKind, VarRef, Visibility};
use ferrospin_promela::names::{Builtin, Def, Names};

/// A reference to a variable.
pub(super) fn var(names: &Names, v: &VarRef) -> bool {
    let own = match v.path.first().and_then(|s| names.def(&s.name)) {
        Some(Def::Var(id)) => {
            let var = &names.vars[id.index()];
            var.body.is_none() && var.visibility != Some(Visibility::Local)
        }
        Some(Def::Builtin(b)) => !matches!(b, Builtin::Pid | Builtin::Underscore),
        _ => false,
    };
    own || v.path.iter().filter_map(|s| s.index.as_ref()).any(|i| expr(names, i))
}

/// An expression.
pub(super) fn expr(names: &Names, e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Const(..) => false,
        ExprKind::Ref(v) => var(names, v),
        ExprKind::Unary(_, a) => expr(names, a),
        ExprKind::Binary(_, a, b) => expr(names, a) || expr(names, b),
        ExprKind::Cond(a, b, c) => [a, b, c].into_iter().any(|e| expr(names, e)),
        ExprKind::CExpr(c) => c.text.contains("now."),
        // Channels, other processes and the scheduler are what others see.
        _ => true,
    }
}

/// A statement without inner control.
pub(super) fn statement(names: &Names, s: &StmtKind) -> bool {
    let of = |e: &Expr| expr(names, e);
    match s {
        StmtKind::Assign(v, e) => var(names, v) || of(e),
        StmtKind::Return { target, value } => var(names, target) || of(value),
        StmtKind::Increment(v) | StmtKind::Decrement(v) => var(names, v),
        StmtKind::Expr(e) | StmtKind::Assert(e) | StmtKind::Printm(e) => of(e),
        StmtKind::Printf { args, .. } => args.iter().any(of),
        StmtKind::CCode(c) => c.text.contains("now."),
        StmtKind::Empty | StmtKind::Else => false,
        _ => true,
    }
}
