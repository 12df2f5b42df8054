//! Names in expressions and references to variables.

use super::resolver::Resolver;
use super::{BodyId, BodyKind, Builtin, Def, MtypeId, RecordId, Ty, VarId};
use crate::ast::{Expr, ExprKind, Ident, RecvArg, Segment, VarRef};
use ferrospin_source::{Diagnostic, Span};
use std::sync::Arc;

/// What is allowed around an expression.
#[derive(Clone, Copy, Default)]
pub(super) struct Place {
    /// A whole record may stand here: a message field, an argument of `run` or of an inline.
    pub(super) whole: bool,
    /// The head of a `for`, where an array may stand without index.
    pub(super) header: bool,
    /// An argument of an inline: only text, which counts where the body uses it.
    pub(super) argument: bool,
    /// The variable is written.
    pub(super) target: bool,
    /// The value is not looked at, so that `_` may stand here.
    pub(super) unread: bool,
    /// The expression may be a `run`.
    pub(super) run: bool,
    /// The statement is one that a `d_step` checks for references to other processes.
    pub(super) checked: bool,
}

impl Place {
    pub(super) const READ: Place = Place {
        whole: false,
        header: false,
        argument: false,
        target: false,
        unread: false,
        run: false,
        checked: false,
    };
    pub(super) const WHOLE: Place = Place { whole: true, ..Place::READ };
    pub(super) const TRACED: Place = Place { whole: true, unread: true, ..Place::READ };
    pub(super) const HEADER: Place = Place { header: true, ..Place::READ };
    pub(super) const ARGUMENT: Place = Place { whole: true, argument: true, ..Place::READ };
    pub(super) const TARGET: Place = Place { target: true, ..Place::READ };
    pub(super) const RUN: Place = Place { run: true, checked: true, ..Place::READ };
    pub(super) const VALUE: Place = Place { run: true, ..Place::READ };
    pub(super) const CHECKED: Place = Place { checked: true, ..Place::READ };

    /// The place of an operand or of an index.
    fn inner(self) -> Place {
        Place { whole: self.argument, target: false, run: false, ..self }
    }
}

/// What a reference leads to.
#[derive(Clone, Copy)]
pub(super) enum Target {
    Var(VarId, Ty),
    /// An `mtype` constant.
    Const,
    Builtin(Builtin),
}

/// How an argument of `run` looks to SPIN's check of `mtype` parameters.
#[derive(Clone)]
pub(super) enum Argument {
    /// A number or an expression.
    Value,
    /// An `mtype` constant.
    Constant(MtypeId, Span),
    /// A variable or whatever else has a name.
    Named(Span),
}

/// A `run` to be compared with its process type at the end.
pub(super) struct Run {
    pub(super) callee: BodyId,
    pub(super) at: Span,
    pub(super) args: Vec<Argument>,
}

impl Resolver<'_> {
    pub(super) fn expr(&mut self, e: &Expr, place: Place) {
        let inner = place.inner();
        match &e.kind {
            ExprKind::Const(..) | ExprKind::Timeout | ExprKind::CExpr(_) => {}
            ExprKind::Ref(r) => {
                self.var_ref(r, place);
            }
            ExprKind::Unary(_, a) => self.expr(a, inner),
            ExprKind::Binary(_, a, b) => {
                self.expr(a, inner);
                self.expr(b, inner);
            }
            ExprKind::Cond(c, a, b) => {
                self.expr(c, inner);
                self.expr(a, inner);
                self.expr(b, inner);
            }
            ExprKind::Run { name, args, priority } => {
                self.run_expr(e, name, args, place);
                if let Some(p) = priority {
                    self.priority(p, 0..=255);
                }
            }
            ExprKind::Len(c) => {
                self.var_ref(c, inner);
            }
            ExprKind::Probe(_, c) => {
                self.var_ref(c, inner);
            }
            ExprKind::Poll { channel, args, .. } => {
                self.var_ref(channel, inner);
                for a in args {
                    self.recv_arg(a);
                }
            }
            ExprKind::Enabled(a) => {
                self.facts.enabled.get_or_insert(e.at.0);
                self.expr(a, inner);
            }
            ExprKind::PcValue(a) => self.expr(a, inner),
            ExprKind::GetPriority(a) => {
                self.facts.priority.get_or_insert(e.at.0);
                self.expr(a, inner);
            }
            ExprKind::NonProgress => self.non_progress(e.at.0),
            ExprKind::RemoteLabel { proctype, pid, label } => {
                if let Some(pid) = pid {
                    self.expr(pid, inner);
                }
                self.remote_label(proctype, label);
                self.remote_in_d_step(e.at.0, true, place);
            }
            ExprKind::RemoteVar { proctype, pid, var } => {
                if let Some(pid) = pid {
                    self.expr(pid, inner);
                }
                self.remote_var(proctype, var, inner);
                self.remote_in_d_step(e.at.0, false, place);
            }
            ExprKind::TemporalUnary(_, a) => self.expr(a, inner),
            ExprKind::TemporalBinary(_, a, b) => {
                self.expr(a, inner);
                self.expr(b, inner);
            }
        }
    }

    /// `np_` has a meaning only where the whole system is looked at.
    fn non_progress(&mut self, at: Span) {
        if self.open.as_ref().is_some_and(|b| b.kind != BodyKind::Never) {
            self.error(
                Diagnostic::error("np-outside-claim", at, "`np_` may stand only in a never claim or an `ltl` formula")
                    .label("not in a claim"),
            );
        }
    }

    /// Resolves a reference; `None` when it was an error.
    pub(super) fn var_ref(&mut self, r: &VarRef, place: Place) -> Option<Target> {
        let inner = place.inner();
        for s in &r.path {
            if let Some(i) = &s.index {
                self.expr(i, inner);
            }
        }
        let first = &r.path[0];
        let Some(def) = self.lookup(&first.name.name) else {
            // A label may be handed to an inline, once it is known.
            if !(place.argument && self.open.as_ref().is_some_and(|o| o.symbol(&first.name.name).is_some())) {
                self.undeclared(&first.name, "variable");
            }
            return None;
        };
        let simple = r.path.len() == 1 && first.index.is_none();
        match def {
            Def::Var(v) => {
                self.define(&first.name, def);
                let ty = self.path(v, r, place)?;
                Some(Target::Var(v, ty))
            }
            Def::MtypeConst(..) if simple && !place.target => {
                self.define(&first.name, def);
                Some(Target::Const)
            }
            Def::Builtin(b) if r.path.len() == 1 => {
                self.define(&first.name, def);
                if b == Builtin::Priority {
                    self.facts.priority.get_or_insert(r.at.0);
                }
                if b == Builtin::Underscore && !(place.target || place.unread || place.argument) {
                    self.error(
                        Diagnostic::error("read-underscore", r.at.0, "`_` is write-only and has no value to read")
                            .label("read here"),
                    );
                }
                if let Some(index) = &first.index
                    && !place.argument
                {
                    self.scalar_index(&first.name, index, None);
                }
                Some(Target::Builtin(b))
            }
            _ => {
                self.not_a_variable(&first.name, def, r.at.0);
                None
            }
        }
    }

    /// Follows the indices and fields of a reference to a variable.
    fn path(&mut self, base: VarId, r: &VarRef, place: Place) -> Option<Ty> {
        let var = self.var(base);
        let (mut ty, mut array, mut declared) = (var.ty, var.array, var.at.0);
        let last = r.path.len() - 1;
        for (i, segment) in r.path.iter().enumerate() {
            self.segment_index(segment, array, declared, place);
            if i == last {
                break;
            }
            let field = &r.path[i + 1].name;
            let Ty::Record(record) = ty else {
                self.error(
                    Diagnostic::error(
                        "unknown-field",
                        field.at.0,
                        format!("`{}` has no field `{}`: it is no structure", segment.name.name, field.name),
                    )
                    .label("no such field")
                    .also(declared, format!("`{}` is declared here", segment.name.name)),
                );
                return None;
            };
            let index = self.field(record, field)?;
            let f = &self.names.records[record.index()].fields[index as usize];
            (ty, array, declared) = (f.ty, f.array, f.at.0);
        }
        if let Ty::Record(record) = ty
            && !place.whole
            && !place.header
        {
            let record = &self.names.records[record.index()];
            let fields: Vec<_> = record.fields.iter().take(3).map(|f| format!("`.{}`", f.name)).collect();
            let d = Diagnostic::error(
                "whole-structure",
                r.at.0,
                format!("the whole structure `{}` cannot be used as a value", self.map_text(r)),
            )
            .label(format!("of type `{}`", record.name))
            .note(format!("use one of its fields: {}", fields.join(", ")))
            .note("a whole structure may stand only in a message or as an argument of `run`");
            self.error(d);
            return None;
        }
        Some(ty)
    }

    pub(super) fn map_text(&self, r: &VarRef) -> String {
        let names: Vec<&str> = r.path.iter().map(|s| &*s.name.name).collect();
        names.join(".")
    }

    /// Finds a field of a record.
    pub(super) fn field(&mut self, record: RecordId, name: &Ident) -> Option<u32> {
        let fields = &self.names.records[record.index()].fields;
        if let Some(i) = fields.iter().position(|f| f.name == name.name) {
            self.define(name, Def::Field(record, i as u32));
            return Some(i as u32);
        }
        let r = &self.names.records[record.index()];
        let mut d = Diagnostic::error(
            "unknown-field",
            name.at.0,
            format!("structure `{}` has no field `{}`", r.name, name.name),
        )
        .label("no such field")
        .also(r.at.0, format!("`{}` is defined here", r.name));
        if let Some(best) = super::suggest(&name.name, r.fields.iter().map(|f| &*f.name)) {
            d = d.suggest(name.at.0, best.to_string(), format!("did you mean `{best}`?"));
        }
        self.error(d);
        None
    }

    /// An array wants an index, a scalar does not.
    fn segment_index(&mut self, s: &Segment, array: Option<u32>, declared: Span, place: Place) {
        match (&s.index, array) {
            (None, Some(n)) if !place.header => self.error(
                Diagnostic::error("array-index", s.name.at.0, format!("the array `{}` needs an index", s.name.name))
                    .label("index missing")
                    .also(declared, format!("`{}` is declared here with {n} elements", s.name.name))
                    .suggest(s.name.at.0, format!("{}[0]", s.name.name), "name an element, for example the first"),
            ),
            (Some(index), None) if !place.argument => self.scalar_index(&s.name, index, Some(declared)),
            _ => {}
        }
    }

    /// SPIN lets a scalar be written as its own first element, and nothing else.
    fn scalar_index(&mut self, name: &Ident, index: &Expr, declared: Option<Span>) {
        if matches!(index.kind, ExprKind::Const(0, _)) {
            return;
        }
        let mut d = Diagnostic::error("array-index", index.at.0, format!("`{}` is no array", name.name))
            .label("index of a scalar");
        if let Some(at) = declared {
            d = d.also(at, format!("`{}` is declared here", name.name));
        }
        self.error(d);
    }

    /// Reports a name that stands for something else than a variable.
    pub(super) fn not_a_variable(&mut self, name: &Ident, def: Def, at: Span) {
        let what = match def {
            Def::Body(_) => "a process type",
            Def::Inline => "an inline",
            Def::Record(_) => "a structure type",
            Def::MtypeConst(..) => "an `mtype` constant",
            Def::Builtin(_) => "a predefined variable",
            _ => "no variable",
        };
        let mut d = Diagnostic::error("not-a-variable", at, format!("`{}` is {what}, not a variable", name.name))
            .label("a variable is expected here");
        if let Some(there) = self.place(def, &name.name) {
            d = d.also(there, format!("`{}` is defined here", name.name));
        }
        self.error(d);
    }

    /// Reports a name nobody declared, once per body.
    pub(super) fn undeclared(&mut self, name: &Ident, what: &str) {
        if let Some(open) = &mut self.open
            && !open.unknown.insert(name.name.clone())
        {
            return;
        }
        let mut d = Diagnostic::error("undeclared", name.at.0, format!("{what} `{}` is not declared", name.name))
            .label("not declared");
        if &*name.name == "_nr_qs" {
            d = d.note("SPIN 6 has no `_nr_qs`; the number of channels cannot be read");
        } else if let Some(best) = self.similar(&name.name) {
            d = d.suggest(name.at.0, best.to_string(), format!("did you mean `{best}`?"));
        }
        self.error(d);
    }

    fn similar(&self, name: &str) -> Option<Arc<str>> {
        let locals = self.open.iter().flat_map(|o| o.visible());
        let globals = self.globals.iter().filter(|(_, g)| matches!(g.def, Def::Var(_) | Def::MtypeConst(..)));
        super::suggest(name, locals.chain(globals.map(|(n, _)| n)).map(|n| &**n)).map(Arc::from)
    }

    /// Resolves one field of a receive or poll.
    pub(super) fn recv_arg(&mut self, a: &RecvArg) {
        match a {
            RecvArg::Ref(r) => {
                // `_`, a variable to fill, or a constant to match.
                let constant = r.path.len() == 1
                    && r.path[0].index.is_none()
                    && matches!(self.lookup(&r.path[0].name.name), Some(Def::MtypeConst(..)));
                let target = self.var_ref(r, Place { whole: true, target: !constant, ..Place::READ });
                self.assignable(r, target);
            }
            RecvArg::Eval(e) | RecvArg::Const(e) => self.expr(e, Place::READ),
        }
    }

    fn run_expr(&mut self, e: &Expr, name: &Ident, args: &[Expr], place: Place) {
        let inner = place.inner();
        if self.open.is_some() && !place.run && !place.argument {
            self.error(
                Diagnostic::error("run-place", e.at.0, "`run` cannot be part of a larger expression")
                    .label("not alone")
                    .note("`run P()` is a statement, or the whole right side of an assignment: `p = run P()`"),
            );
        }
        if self.in_d_step().is_some() && !place.argument {
            self.error(
                Diagnostic::error("d-step-run", e.at.0, "`run` cannot stand in a `d_step`")
                    .label("starts a process")
                    .note("use `atomic`"),
            );
        }
        let mut list = Vec::new();
        for a in args {
            self.expr(a, Place { whole: true, ..inner });
            self.argument(a, &mut list);
        }
        match self.proctypes.get(&name.name) {
            Some(&callee) => {
                self.define(name, Def::Body(callee));
                if !inner.argument {
                    self.runs.push(Run { callee, at: name.at.0, args: list });
                }
            }
            None => {
                let mut d = Diagnostic::error(
                    "unknown-proctype",
                    name.at.0,
                    format!("there is no process type `{}`", name.name),
                )
                .label("not defined");
                if let Some(best) = super::suggest(&name.name, self.proctypes.keys().map(|n| &**n)) {
                    d = d.suggest(name.at.0, best.to_string(), format!("did you mean `{best}`?"));
                }
                self.error(d);
            }
        }
    }

    /// Adds the argument, a structure as its fields.
    fn argument(&self, a: &Expr, list: &mut Vec<Argument>) {
        match &a.kind {
            ExprKind::Ref(r) => match self.names.def(&r.path[0].name) {
                Some(Def::MtypeConst(m, _)) => list.push(Argument::Constant(m, a.at.0)),
                Some(Def::Var(v)) => {
                    let n = self.ref_type(v, r).map_or(1, |ty| self.spread(ty));
                    list.extend((0..n).map(|_| Argument::Named(a.at.0)));
                }
                _ => list.push(Argument::Named(a.at.0)),
            },
            ExprKind::Len(_)
            | ExprKind::Probe(..)
            | ExprKind::Poll { .. }
            | ExprKind::Run { .. }
            | ExprKind::CExpr(_)
            | ExprKind::RemoteVar { .. } => list.push(Argument::Named(a.at.0)),
            _ => list.push(Argument::Value),
        }
    }

    /// The type a reference leads to, without saying anything.
    pub(super) fn ref_type(&self, base: VarId, r: &VarRef) -> Option<Ty> {
        let mut ty = self.var(base).ty;
        for s in &r.path[1..] {
            let Ty::Record(record) = ty else { return None };
            ty = self.names.records[record.index()].fields.iter().find(|f| f.name == s.name.name)?.ty;
        }
        Some(ty)
    }

    /// How many message fields a type takes.
    pub(super) fn spread(&self, ty: Ty) -> u32 {
        match ty {
            Ty::Record(r) => self.names.records[r.index()]
                .fields
                .iter()
                .map(|f| self.spread(f.ty).saturating_mul(f.array.unwrap_or(1)))
                .fold(0, u32::saturating_add),
            _ => 1,
        }
    }
}
