//! Declarations: types, shapes, and where a name may be declared.

use super::consts::Constant;
use super::resolver::{Extra, Global, Resolver};
use super::scope::SymbolKind;
use super::{BodyKind, Def, MtypeId, Ty, Var};
use crate::ast::{self, Declarator, Expr, ExprKind, Ident, Shape, Type, VarDecl};
use ferrospin_source::{Diagnostic, Span};

/// Where a declaration stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Site {
    Global,
    Param,
    Local,
    Field,
}

/// The variable that stands in the array bound of a declarator.
fn bound_name(d: &Declarator) -> Option<&Ident> {
    let Shape::Array(length) = &d.shape else { return None };
    let ExprKind::Ref(r) = &length.kind else { return None };
    let [only] = &r.path[..] else { return None };
    only.index.is_none().then_some(&only.name)
}

impl Resolver<'_> {
    /// Declares all variables of a declaration at top level, in a body or among parameters.
    pub(super) fn declare(&mut self, decl: &VarDecl, site: Site) {
        let ty = self.ty(&decl.ty);
        // SPIN gives the names their type when the whole list is read: an initialiser cannot use a name of its list, but an
        // array bound can.
        let mut made = Vec::new();
        for d in &decl.vars {
            let one = self.declarator(decl, d, ty, site);
            if let Some((var, extra)) = &one {
                self.list.insert(var.name.clone(), (var.at.0, extra.bound));
            }
            made.push(one);
        }
        let list = std::mem::take(&mut self.list);
        for (d, made) in decl.vars.iter().zip(made) {
            match made {
                Some((var, extra)) => self.declare_name(d, var, extra, site),
                // Its uses would all be errors that say nothing new.
                None => self.known_bad(&d.name),
            }
            if let Some(name) = bound_name(d)
                && list.contains_key(&name.name)
                && let Some(def @ Def::Var(_)) = self.lookup(&name.name)
            {
                self.define(name, def);
            }
        }
    }

    /// A type as written; `None` when its name is unknown.
    pub(super) fn ty(&mut self, ty: &Type) -> Option<Ty> {
        Some(match ty {
            Type::Bit => Ty::Bit,
            Type::Bool => Ty::Bool,
            Type::Byte => Ty::Byte,
            Type::Pid => Ty::Pid,
            Type::Short => Ty::Short,
            Type::Int => Ty::Int,
            Type::Unsigned => Ty::Unsigned(1),
            Type::Mtype(name) => Ty::Mtype(self.mtype_list(name.as_ref())),
            Type::Chan => Ty::Chan,
            Type::Named(name) => {
                if let Some(&r) = self.records.get(&name.name) {
                    self.define(name, Def::Record(r));
                    Ty::Record(r)
                } else {
                    let mut d =
                        Diagnostic::error("unknown-type", name.at.0, format!("there is no type `{}`", name.name))
                            .label("not defined before this place");
                    let known = ["bit", "bool", "byte", "pid", "short", "int", "mtype", "chan"];
                    let known = known.into_iter().chain(self.records.keys().map(|n| &**n));
                    if let Some(best) = super::suggest(&name.name, known) {
                        d = d.suggest(name.at.0, best.to_string(), format!("did you mean `{best}`?"));
                    }
                    self.error(d);
                    return None;
                }
            }
        })
    }

    /// Resolves shape and initialiser of one variable.
    pub(super) fn declarator(
        &mut self,
        decl: &VarDecl,
        d: &Declarator,
        ty: Option<Ty>,
        site: Site,
    ) -> Option<(Var, Extra)> {
        let (width, array) = self.shape(d);
        let ty = match ty {
            Some(Ty::Unsigned(_)) => Some(Ty::Unsigned(self.width(d, width))),
            other => {
                if width.is_some_and(|w| w > 0) {
                    self.error(
                        Diagnostic::error(
                            "width",
                            d.at.0,
                            format!("only an `unsigned` can have a width, `{}` is none", d.name.name),
                        )
                        .label("width given"),
                    );
                }
                other
            }
        };
        let at_head = site != Site::Local || self.open.as_ref().is_none_or(|o| o.at_head);
        let mut extra = Extra { bound: Some(0), ..Extra::default() };
        let init = self.initializer(d, ty, array, at_head, &mut extra);
        let ty = ty?;
        self.visibility(decl, d, ty, site);
        if let Ty::Mtype(list) = ty
            && list != MtypeId(0)
        {
            extra.list = Some(list);
        }
        let open = self.open.as_ref();
        let var = Var {
            name: d.name.name.clone(),
            at: d.name.at,
            body: if site == Site::Field { None } else { open.map(|o| o.id) },
            depth: open.map_or(0, |o| o.depth),
            block: open.map_or(0, |o| o.block),
            ty,
            array,
            param: None,
            init,
            visibility: decl.visibility,
            at_head,
        };
        Some((var, extra))
    }

    /// Width and array length as written.
    fn shape(&mut self, d: &Declarator) -> (Option<u32>, Option<u32>) {
        match &d.shape {
            Shape::Scalar => (None, None),
            Shape::Width(w) => (Some(*w), None),
            Shape::Array(e) => (None, Some(self.array_length(d, e))),
        }
    }

    fn array_length(&mut self, d: &Declarator, e: &Expr) -> u32 {
        // In a `typedef` the name in a bound is that of an earlier field.
        if let (Some(fields), ExprKind::Ref(r)) = (&self.fields, &e.kind)
            && let Some(&bound) = fields.get(&r.path[0].name.name)
        {
            return bound.filter(|n| *n > 0).map_or(8, |n| n as u32);
        }
        if let Some(name) = bound_name(d)
            && let Some(&(at, bound)) = self.list.get(&name.name)
        {
            return self.length_of_var(e, &name.name, at, bound);
        }
        match self.constant(e, "an array length") {
            Constant::Value(n) if n > 0 => n as u32,
            Constant::Value(n) => {
                self.error(
                    Diagnostic::error("array-size", e.at.0, format!("`{}` cannot have {n} elements", d.name.name))
                        .label("at least 1 is needed"),
                );
                1
            }
            Constant::Var(v) => {
                let (at, name) = (self.var(v).at.0, self.var(v).name.clone());
                self.length_of_var(e, &name, at, self.extras[v.index()].bound)
            }
            Constant::Bad => 1,
        }
    }

    /// An array length given by a variable, which was declared there and stands for that number.
    fn length_of_var(&mut self, e: &Expr, name: &str, at: Span, bound: Option<i32>) -> u32 {
        match bound {
            Some(n) if n > 0 => n as u32,
            // SPIN's rule, "to avoid zero".
            Some(_) => 8,
            None => {
                self.error(
                    Diagnostic::error("not-constant", e.at.0, format!("`{name}` has no constant initialiser"))
                        .label("used as an array length")
                        .also(at, format!("`{name}` is declared here")),
                );
                1
            }
        }
    }

    fn width(&mut self, d: &Declarator, width: Option<u32>) -> u8 {
        match width {
            Some(w @ 1..=31) => w as u8,
            Some(w) => {
                self.error(
                    Diagnostic::error("width", d.at.0, format!("`{}` cannot have {w} bits", d.name.name))
                        .label("1 to 31 bits are possible"),
                );
                1
            }
            None => {
                self.error(
                    Diagnostic::error(
                        "width",
                        d.at.0,
                        format!("the `unsigned` variable `{}` needs a width", d.name.name),
                    )
                    .label("width missing")
                    .suggest(
                        d.name.at.0,
                        format!("{} : 8", d.name.name),
                        "give a number of bits, 1 to 31",
                    ),
                );
                16
            }
        }
    }

    fn visibility(&mut self, decl: &VarDecl, d: &Declarator, ty: Ty, site: Site) {
        if decl.visibility != Some(ast::Visibility::Hidden) {
            return;
        }
        let why = match ty {
            Ty::Bit | Ty::Bool => "a `bit` or `bool` variable cannot be hidden; use `byte`",
            _ if site != Site::Global => "only global variables can be hidden",
            Ty::Chan => "channels cannot be hidden",
            _ => return,
        };
        self.error(
            Diagnostic::error("hidden", d.name.at.0, format!("`{}` cannot be hidden", d.name.name))
                .label("hidden")
                .note(why),
        );
    }

    /// Enters a name into the scope it is declared in.
    fn declare_name(&mut self, d: &Declarator, mut var: Var, extra: Extra, site: Site) {
        let known = self.open.as_ref().and_then(|o| o.symbol(&d.name.name));
        let old = match known.map(|s| s.kind) {
            Some(SymbolKind::Var(v)) => Some(Def::Var(v)),
            Some(SymbolKind::Label) => {
                self.redeclared(d, None);
                self.known_bad(&d.name);
                return;
            }
            None => self.globals.get(&d.name.name).map(|g| g.def),
        };
        match old {
            // A global whose name is also a parameter of an inline may be declared again: SPIN then means the global.
            Some(Def::Var(v)) if self.extras[v.index()].shadowed && !matches!(var.ty, Ty::Record(_)) => {
                self.define(&d.name, Def::Var(v));
                let old = &mut self.names.vars[v.index()];
                (old.ty, old.array, old.init) = (var.ty, var.array, var.init);
                return;
            }
            Some(def) => {
                self.redeclared(d, Some(def));
                return;
            }
            None => {}
        }
        if site == Site::Global && self.records.contains_key(&d.name.name) {
            let def = Def::Record(self.records[&d.name.name]);
            self.redeclared(d, Some(def));
            return;
        }
        if let Some(open) = &self.open {
            if site == Site::Param {
                let body = &mut self.names.bodies[open.id.index()];
                var.param = Some(body.param_count);
                body.param_count += 1;
            } else if open.kind == BodyKind::Never {
                self.error(
                    Diagnostic::error(
                        "claim-local",
                        d.name.at.0,
                        format!("a never claim cannot have a variable, `{}`", d.name.name),
                    )
                    .label("declared in a claim")
                    .note("declare it outside, as a global"),
                );
            }
        }
        let id = self.add_var(var, extra);
        self.define(&d.name, Def::Var(id));
        match &mut self.open {
            Some(open) => {
                open.add(&d.name.name, SymbolKind::Var(id));
            }
            None => {
                self.globals.insert(d.name.name.clone(), Global { def: Def::Var(id), at: d.name.at.0 });
            }
        }
    }

    fn redeclared(&mut self, d: &Declarator, old: Option<Def>) {
        let what = match old {
            None => "a label",
            Some(Def::Var(_)) => "a variable",
            Some(Def::MtypeConst(..)) => "an `mtype` constant",
            Some(Def::Body(_)) => "a process type",
            Some(Def::Inline) => "an inline",
            Some(Def::Record(_)) => "a structure type",
            Some(Def::Builtin(_)) => "a predefined variable",
            Some(_) => "another name",
        };
        let mut e =
            Diagnostic::error("redeclared", d.name.at.0, format!("`{}` is declared already, as {what}", d.name.name))
                .label("declared again");
        if let Some(def) = old {
            if let Some(there) = self.place(def, &d.name.name) {
                e = e.also(there, "first declared here");
            }
            if matches!(def, Def::Var(_)) && self.open.is_some() {
                e = e.note("an inner block may not reuse a name of an enclosing block or of a global");
            }
        }
        self.error(e);
    }
}
