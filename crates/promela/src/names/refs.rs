//! References to variables: names, indices, fields.

use super::exprs::{Place, Target};
use super::resolver::Resolver;
use super::{Builtin, Def, RecordId, Ty, VarId};
use crate::ast::{Expr, ExprKind, Ident, Segment, VarRef};
use ferrospin_source::{Diagnostic, Span};
use std::sync::Arc;

impl Resolver<'_> {
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

    /// Reports an undeclared name, once per body.
    pub(super) fn undeclared(&mut self, name: &Ident, what: &str) {
        if self.bad.contains(&name.name) {
            return;
        }
        if let Some(open) = &mut self.open
            && !open.unknown.insert(name.name.clone())
        {
            return;
        }
        let mut d = Diagnostic::error("undeclared", name.at.0, format!("{what} `{}` is not declared", name.name))
            .label("not declared");
        if self.fields.is_some() {
            d = d.note("inside a `typedef` only numbers, `mtype` constants and earlier fields are known");
        }
        if &*name.name == "_nr_qs" {
            d = d.note("SPIN 6 has no `_nr_qs`; the number of channels cannot be read");
        } else if self.can_guess()
            && let Some(best) = self.similar(&name.name)
        {
            d = d.suggest(name.at.0, best.to_string(), format!("did you mean `{best}`?"));
        }
        self.error(d);
    }

    /// Notes a name whose declaration was an error, lest its uses be reported too.
    pub(super) fn known_bad(&mut self, name: &Ident) {
        match &mut self.open {
            Some(open) => open.unknown.insert(name.name.clone()),
            None => self.bad.insert(name.name.clone()),
        };
    }

    fn similar(&self, name: &str) -> Option<Arc<str>> {
        let locals = self.open.iter().flat_map(|o| o.visible());
        let globals = self.globals.iter().filter(|(_, g)| matches!(g.def, Def::Var(_) | Def::MtypeConst(..)));
        super::suggest(name, locals.chain(globals.map(|(n, _)| n)).map(|n| &**n)).map(Arc::from)
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
            Ty::Record(r) => self.facts_of[r.index()].spread,
            _ => 1,
        }
    }
}
