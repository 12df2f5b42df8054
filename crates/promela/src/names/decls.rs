//! Declarations: types, shapes, initialisers, and where a name may be declared.

use super::consts::Constant;
use super::exprs::Place;
use super::resolver::{Extra, Global, Resolver};
use super::scope::SymbolKind;
use super::{BodyKind, Def, Init, MtypeId, Record, RecordId, Ty, Var};
use crate::ast::{self, ChanInit, Declarator, Expr, ExprKind, Initializer, MtypeDecl, Shape, Type, Typedef, VarDecl};
use ferrospin_source::{Diagnostic, Span};

/// Where a declaration stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Site {
    Global,
    Param,
    Local,
    Field,
}

impl Resolver<'_> {
    /// Declares all variables of a declaration at top level, in a body or among parameters.
    pub(super) fn declare(&mut self, decl: &VarDecl, site: Site) {
        let ty = self.ty(&decl.ty);
        // SPIN gives the names their type when the whole list is read: an initialiser cannot use a name of its list.
        let made: Vec<_> = decl.vars.iter().map(|d| self.declarator(decl, d, ty, site)).collect();
        for (d, made) in decl.vars.iter().zip(made) {
            if let Some((var, extra)) = made {
                self.declare_name(d, var, extra, site);
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
    fn declarator(&mut self, decl: &VarDecl, d: &Declarator, ty: Option<Ty>, site: Site) -> Option<(Var, Extra)> {
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
        match self.constant(e, "an array length") {
            Constant::Value(n) if n > 0 => n as u32,
            Constant::Value(n) => {
                self.error(
                    Diagnostic::error("array-size", e.at.0, format!("`{}` cannot have {n} elements", d.name.name))
                        .label("at least 1 is needed"),
                );
                1
            }
            Constant::Var(v) => match self.extras[v.index()].bound {
                Some(n) if n > 0 => n as u32,
                // SPIN's rule, "to avoid zero".
                Some(_) => 8,
                None => {
                    let at = self.var(v).at.0;
                    let name = self.var(v).name.clone();
                    self.error(
                        Diagnostic::error("not-constant", e.at.0, format!("`{name}` has no constant initialiser"))
                            .label("used as an array length")
                            .also(at, format!("`{name}` is declared here")),
                    );
                    1
                }
            },
            Constant::Bad => 1,
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

    fn initializer(
        &mut self,
        d: &Declarator,
        ty: Option<Ty>,
        array: Option<u32>,
        at_head: bool,
        extra: &mut Extra,
    ) -> Init {
        let Some(init) = &d.init else { return Init::Zero };
        match init {
            Initializer::Expr(e) => {
                self.expr(e, Place::VALUE);
                self.expr_initializer(d, e, ty, extra, at_head);
                Init::Expr(e.clone())
            }
            Initializer::List(list, at) => self.list_initializer(d, list, at.0, array, at_head, extra),
            Initializer::Chan(c) => self.chan_initializer(d, c, ty, at_head, extra),
        }
    }

    fn expr_initializer(&mut self, d: &Declarator, e: &Expr, ty: Option<Ty>, extra: &mut Extra, at_head: bool) {
        if let ExprKind::Const(v, _) = e.kind {
            extra.bound = Some(v);
            extra.constant = true;
        }
        if let ExprKind::Ref(r) = &e.kind
            && let Some(Def::MtypeConst(_, v)) = self.names.def(&r.path[0].name)
        {
            extra.bound = Some(i32::from(v));
            extra.constant = true;
        }
        if !at_head {
            extra.bound = None;
            extra.constant = false;
        }
        self.initialised(&d.name.name, ty, e);
    }

    fn list_initializer(
        &mut self,
        d: &Declarator,
        list: &[Expr],
        at: Span,
        array: Option<u32>,
        at_head: bool,
        extra: &mut Extra,
    ) -> Init {
        let mut values = Vec::new();
        for e in list {
            match self.constant(e, "an element of a list") {
                Constant::Value(v) => values.push(v),
                Constant::Var(_) => self.error(
                    Diagnostic::error("not-constant", e.at.0, "an element of a list must be a constant")
                        .label("a variable"),
                ),
                Constant::Bad => {}
            }
        }
        if let [only] = values[..] {
            extra.bound = Some(only);
            extra.constant = true;
        }
        if array.is_none() {
            self.error(
                Diagnostic::error(
                    "list-initialiser",
                    at,
                    format!("`{}` is no array, a list cannot initialise it", d.name.name),
                )
                .label("list for a scalar"),
            );
        } else if !at_head {
            self.error(
                Diagnostic::error(
                    "list-initialiser",
                    at,
                    "a list initialiser may stand only at the head of a process body",
                )
                .label("not possible here")
                .note("here a declaration is a step, and a step sets one variable"),
            );
        }
        Init::List(values)
    }

    fn chan_initializer(
        &mut self,
        d: &Declarator,
        c: &ChanInit,
        ty: Option<Ty>,
        at_head: bool,
        extra: &mut Extra,
    ) -> Init {
        let capacity = match self.constant(&c.capacity, "the capacity of a channel") {
            Constant::Value(n) => n,
            Constant::Var(v) => {
                let at = self.var(v).at.0;
                self.error(
                    Diagnostic::error("not-constant", c.capacity.at.0, "the capacity of a channel must be a constant")
                        .label("a variable")
                        .also(at, "declared here")
                        .note("use `#define` to give a constant a name"),
                );
                1
            }
            Constant::Bad => 1,
        };
        if capacity == 0 {
            self.facts.rendezvous.get_or_insert(c.at.0);
        }
        extra.bound = Some(capacity);
        let mut fields = Vec::new();
        for (t, at) in &c.fields {
            if let Some(ty) = self.ty(t) {
                self.message_type(ty, at.0);
                fields.push(ty);
            }
        }
        let count = fields.iter().map(|t| self.spread(*t)).fold(0, u32::saturating_add);
        self.facts.fields_max = self.facts.fields_max.max(count);
        if ty.is_some_and(|t| t != Ty::Chan) {
            self.error(
                Diagnostic::error("chan-initialiser", c.at.0, format!("`{}` is no channel", d.name.name))
                    .label("a channel initialiser")
                    .also(d.name.at.0, "declared with another type"),
            );
        } else if !at_head {
            self.error(
                Diagnostic::error(
                    "chan-initialiser",
                    c.at.0,
                    format!("the channel `{}` must be created at the head of the process body", d.name.name),
                )
                .label("not possible here")
                .note("move the declaration before the first statement"),
            );
        }
        Init::Chan { capacity: capacity.max(0) as u32, fields }
    }

    /// A structure inside a message may hold arrays of numbers, but no arrays of structures.
    pub(super) fn message_type(&mut self, ty: Ty, at: Span) {
        let Ty::Record(r) = ty else { return };
        for i in 0..self.names.records[r.index()].fields.len() {
            let f = &self.names.records[r.index()].fields[i];
            let (ty, array, name, declared) = (f.ty, f.array, f.name.clone(), f.at.0);
            match ty {
                Ty::Record(_) if array.is_some() => self.error(
                    Diagnostic::error(
                        "message-type",
                        at,
                        format!("an array of structures, `{name}`, cannot be part of a message"),
                    )
                    .label("used in a message")
                    .also(declared, format!("`{name}` is declared here")),
                ),
                Ty::Unsigned(_) => self.error(
                    Diagnostic::error(
                        "message-type",
                        at,
                        format!("the `unsigned` field `{name}` cannot be part of a message"),
                    )
                    .label("used in a message")
                    .also(declared, format!("`{name}` is declared here"))
                    .note("use `byte`, `short` or `int`"),
                ),
                _ => self.message_type(ty, at),
            }
        }
    }

    /// Enters a name into the scope it is declared in.
    fn declare_name(&mut self, d: &Declarator, mut var: Var, extra: Extra, site: Site) {
        let known = self.open.as_ref().and_then(|o| o.symbol(&d.name.name));
        let old = match known.map(|s| s.kind) {
            Some(SymbolKind::Var(v)) => Some(Def::Var(v)),
            Some(SymbolKind::Label) => {
                self.redeclared(d, None);
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

    /// `typedef T { ... }`
    pub(super) fn typedef(&mut self, t: &Typedef) {
        let id = RecordId(self.names.records.len() as u32);
        let twin = self.records.get(&t.name.name).copied();
        if let Some(old) = twin {
            let there = self.names.records[old.index()].at.0;
            self.error(
                Diagnostic::error("redeclared", t.name.at.0, format!("type `{}` is defined twice", t.name.name))
                    .label("defined again")
                    .also(there, "first defined here"),
            );
        }
        self.define(&t.name, Def::Record(id));
        let mut fields: Vec<Var> = Vec::new();
        for decl in &t.fields {
            let ty = self.ty(&decl.ty);
            for d in &decl.vars {
                let Some((var, _)) = self.declarator(decl, d, ty, Site::Field) else { continue };
                if let Some(old) = fields.iter().find(|f| f.name == var.name) {
                    let there = old.at.0;
                    self.error(
                        Diagnostic::error(
                            "redeclared",
                            d.name.at.0,
                            format!("field `{}` is declared already", var.name),
                        )
                        .label("declared again")
                        .also(there, "first declared here"),
                    );
                    continue;
                }
                self.define(&d.name, Def::Field(id, fields.len() as u32));
                fields.push(var);
            }
        }
        self.names.records.push(Record { name: t.name.name.clone(), at: t.name.at, fields });
        if twin.is_none() {
            self.records.insert(t.name.name.clone(), id);
        }
    }

    /// `mtype = { a, b, c }`: the last name of a list is the smallest, later lists go on above.
    pub(super) fn mtype(&mut self, m: &MtypeDecl) {
        let list = self.mtype_list(m.name.as_ref());
        let base = self.names.mtypes[list.index()].constants.len();
        let count = m.constants.len();
        if base + count > 255 {
            self.error(
                Diagnostic::error("mtype-size", m.at.0, format!("an `mtype` can have 255 names, not {}", base + count))
                    .label("too many names"),
            );
            return;
        }
        for (i, c) in m.constants.iter().enumerate() {
            let value = (base + count - i) as u8;
            match self.globals.get(&c.name) {
                Some(old) => {
                    let there = old.at;
                    let mut d = Diagnostic::error("redeclared", c.at.0, format!("`{}` is declared already", c.name))
                        .label("declared again");
                    if there.is_some() {
                        d = d.also(there, "first declared here");
                    }
                    self.error(d);
                }
                None => {
                    let def = Def::MtypeConst(list, value);
                    self.define(c, def);
                    self.globals.insert(c.name.clone(), Global { def, at: c.at.0 });
                }
            }
        }
        let new = m.constants.iter().rev().enumerate().map(|(i, c)| (c.name.clone(), (base + i + 1) as u8));
        self.names.mtypes[list.index()].constants.extend(new);
    }
}
