//! Constants and ranges: comparisons that are decided, constants that do not fit, assignments without effect.

use super::walk::{self, Visitor};
use super::{Said, constant, warning};
use crate::ast::{
    BinaryOp, Declarator, Expr, ExprKind, Initializer, Program, Spelling, Stmt, StmtKind, VarDecl, VarRef,
};
use crate::names::{Builtin, Def, Init, Names, Ty, Var};
use crate::types::number::Range;
use crate::types::show::type_name;
use ferrospin_source::SourceMap;

/// Looks at all values.
pub(super) fn check(map: &SourceMap, program: &Program, names: &Names, said: &mut Said<'_>) {
    for unit in &program.units {
        walk::unit(unit, &mut Values { map, names, said });
    }
}

struct Values<'a, 'b, 'c> {
    map: &'a SourceMap,
    names: &'a Names,
    said: &'b mut Said<'c>,
}

impl Visitor for Values<'_, '_, '_> {
    fn enter(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign(target, value) => {
                self.fits(target, value);
                if matches!(&value.kind, ExprKind::Ref(r) if r == target) {
                    let text = self.map.snippet(target.at.0);
                    let message = format!("`{text}` is assigned to itself");
                    self.said.push(warning("self-assign", stmt.at.0, message));
                }
            }
            StmtKind::Return { target, value } => self.fits(target, value),
            StmtKind::Assert(e) => self.assertion(stmt, e),
            StmtKind::ForRange { var, to, .. } => self.endless(var, to),
            StmtKind::Select { var, from, to, .. } => {
                self.fits(var, from);
                self.fits(var, to);
            }
            _ => {}
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Binary(op, x, y) => self.comparison(*op, x, y, expr),
            ExprKind::Run { name, args, .. } => {
                let Some(Def::Body(body)) = self.names.def(name) else { return };
                let Some(body) = self.names.bodies.get(body.index()) else { return };
                for (&param, arg) in body.vars.iter().take(body.param_count as usize).zip(args) {
                    let var = &self.names.vars[param.index()];
                    self.fits_type(var.ty, &format!("parameter `{}`", var.name), arg);
                }
            }
            _ => {}
        }
    }

    fn decl(&mut self, decl: &VarDecl) {
        for declarator in &decl.vars {
            self.initial(declarator);
        }
    }
}

impl Values<'_, '_, '_> {
    fn declared(&self, reference: &VarRef) -> Option<&Var> {
        match self.names.def(&reference.path.last()?.name)? {
            Def::Var(id) => self.names.vars.get(id.index()),
            Def::Field(record, field) => self.names.records.get(record.index())?.fields.get(field as usize),
            _ => None,
        }
    }

    fn initial(&mut self, declarator: &Declarator) {
        let var = match self.names.def(&declarator.name) {
            Some(Def::Var(id)) => self.names.vars.get(id.index()),
            Some(Def::Field(record, field)) => {
                self.names.records.get(record.index()).and_then(|r| r.fields.get(field as usize))
            }
            _ => None,
        };
        let Some(var) = var else { return };
        let (ty, what) = (var.ty, format!("`{}`", var.name));
        match &declarator.init {
            Some(Initializer::Expr(e)) => self.fits_type(ty, &what, e),
            Some(Initializer::List(list, _)) => list.iter().for_each(|e| self.fits_type(ty, &what, e)),
            Some(Initializer::Chan(_)) | None => {}
        }
    }

    fn fits(&mut self, target: &VarRef, value: &Expr) {
        let Some(ty) = self.declared(target).map(|v| v.ty) else { return };
        let what = format!("`{}`", self.map.snippet(target.at.0));
        self.fits_type(ty, &what, value);
    }

    /// A constant that does not fit a type.
    fn fits_type(&mut self, ty: Ty, what: &str, value: &Expr) {
        let (Some(range), Some(number)) = (Range::of_type(ty), constant::value(value)) else { return };
        if range.contains(Range::of(number)) {
            return;
        }
        let name = type_name(self.names, ty);
        self.said.push(
            warning("const-range", value.at.0, format!("{number} does not fit {what}, which is `{name}`"))
                .note(range.cut_note(&name, number)),
        );
    }

    fn assertion(&mut self, stmt: &Stmt, e: &Expr) {
        // `assert(false)` marks places that must not be reached; what comes from a macro may be different elsewhere.
        if constant::written(e).is_some_and(|v| v != 0) {
            self.said.push(warning("constant-assert", stmt.at.0, "this assertion cannot fail: it is always true"));
        }
    }

    /// `for (i : 0 .. 255)` with a byte: the counter wraps before it exceeds the bound.
    fn endless(&mut self, var: &VarRef, to: &Expr) {
        let Some(declared) = self.declared(var) else { return };
        let (Some(range), Some(last)) = (Range::of_type(declared.ty), constant::value(to)) else { return };
        if last >= range.hi {
            let name = type_name(self.names, declared.ty);
            let text = self.map.snippet(var.at.0);
            self.said.push(
                warning(
                    "endless-for",
                    to.at.0,
                    format!("this loop never ends: `{text}` is `{name}` and never exceeds {last}"),
                )
                .also(declared.at.0, "declare it with a larger type"),
            );
        }
    }

    /// The values an expression can have, as far as its type tells, and what to call it.
    fn range(&self, e: &Expr) -> Option<(Range, String, String)> {
        let text = || self.map.snippet(e.at.0).to_owned();
        match &e.kind {
            ExprKind::Ref(r) => {
                if let Some(Def::Builtin(builtin)) = self.names.def(&r.path[0].name) {
                    return match builtin {
                        Builtin::Pid | Builtin::Last | Builtin::ProcessCount => {
                            Some((Range::BYTE, text(), "never negative".into()))
                        }
                        _ => None,
                    };
                }
                let declared = self.declared(r)?;
                let ty = declared.ty;
                // SPIN keeps a whole byte for each element of an array of bits.
                if declared.array.is_some() && matches!(ty, Ty::Bit | Ty::Bool) {
                    return None;
                }
                Some((Range::of_type(ty)?, text(), format!("`{}`", type_name(self.names, ty))))
            }
            ExprKind::Len(channel) => {
                let var = self.declared(channel)?;
                match (&var.init, channel.path.len()) {
                    (Init::Chan { capacity, .. }, 1) => {
                        let range = Range { lo: 0, hi: i64::from(*capacity) };
                        Some((range, text(), format!("at most {capacity}")))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn comparison(&mut self, op: BinaryOp, x: &Expr, y: &Expr, whole: &Expr) {
        use BinaryOp::*;
        let flipped = match op {
            Lt => Gt,
            Le => Ge,
            Gt => Lt,
            Ge => Le,
            Eq | Ne => op,
            _ => return,
        };
        let (op, subject, other) = match (constant::value(x), constant::value(y)) {
            (None, Some(_)) => (op, x, y),
            (Some(_), None) => (flipped, y, x),
            _ => return,
        };
        let Some(value) = constant::value(other) else { return };
        let Some((range, text, kind)) = self.range(subject) else { return };
        // `true` and `false` never surprise.
        if matches!(other.kind, ExprKind::Const(_, Spelling::Word)) {
            return;
        }
        let (always, code) = match op {
            Eq | Ne if value < range.lo || value > range.hi => (op == Ne, "impossible-value"),
            Lt if value > range.hi => (true, "constant-comparison"),
            Lt if value <= range.lo => (false, "constant-comparison"),
            Le if value >= range.hi => (true, "constant-comparison"),
            Le if value < range.lo => (false, "constant-comparison"),
            Gt if value < range.lo => (true, "constant-comparison"),
            Gt if value >= range.hi => (false, "constant-comparison"),
            Ge if value <= range.lo => (true, "constant-comparison"),
            Ge if value > range.hi => (false, "constant-comparison"),
            _ => return,
        };
        if code == "constant-comparison" && constant::written(other).is_none() {
            return;
        }
        let d = match code {
            "impossible-value" => warning(code, whole.at.0, format!("`{text}` is {kind} and never equal to {value}")),
            _ => warning(code, whole.at.0, format!("this comparison is always {always}: `{text}` is {kind}")),
        };
        let d = if value < 0 && range.lo == 0 {
            d.note("a negative number that is stored there becomes a positive one; use `short` or `int`")
        } else {
            d
        };
        self.said.push(d.label(format!("always {always}")));
    }
}
