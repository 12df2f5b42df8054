//! Initialisers: expressions, lists, channels.

use super::consts::Constant;
use super::exprs::Place;
use super::resolver::{Extra, Resolver};
use super::{Def, Init, Ty};
use crate::ast::{BinaryOp, ChanInit, Declarator, Expr, ExprKind, Initializer};
use ferrospin_source::{Diagnostic, Span};

impl Resolver<'_> {
    pub(super) fn initializer(
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
        if at_head && self.open.as_ref().is_some_and(|o| self.names.bodies[o.id.index()].active > 0) {
            self.at_birth(e);
        }
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
        self.message_fields(count, c.at.0);
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

    /// A structure inside a message may hold arrays of numbers, but no arrays of structures and no `unsigned`.
    pub(super) fn message_type(&mut self, ty: Ty, at: Span) {
        let Ty::Record(r) = ty else { return };
        if let Some((why, name, declared)) = self.facts_of[r.index()].unfit.clone() {
            self.error(
                Diagnostic::error("message-type", at, format!("{why}, `{name}`, cannot be part of a message"))
                    .label("used in a message")
                    .also(declared, format!("`{name}` is declared here")),
            );
        }
    }

    /// SPIN starts active processes while it reads the model, so it sees what fails in their initialisers.
    fn at_birth(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Unary(_, a) => self.at_birth(a),
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or, a, _) => self.at_birth(a),
            ExprKind::Binary(op, a, b) => {
                self.at_birth(a);
                self.at_birth(b);
                if matches!(op, BinaryOp::Div | BinaryOp::Rem) && matches!(b.kind, ExprKind::Const(0, _)) {
                    self.error(
                        Diagnostic::error("divide-by-zero", b.at.0, "division by zero in an initialiser").label("zero"),
                    );
                }
            }
            ExprKind::Cond(c, ..) => self.at_birth(c),
            ExprKind::Ref(r) => {
                let Some(Def::Var(v)) = self.names.def(&r.path[0].name) else { return };
                let Some(index) = &r.path[0].index else { return };
                let (ExprKind::Const(i, _), Some(length)) = (&index.kind, self.var(v).array) else { return };
                if *i < 0 || *i as u32 >= length {
                    let (name, at) = (self.var(v).name.clone(), self.var(v).at.0);
                    self.error(
                        Diagnostic::error("array-bound", index.at.0, format!("`{name}` has no element {i}"))
                            .label(format!("the last element is {}", length - 1))
                            .also(at, format!("`{name}` is declared here")),
                    );
                }
            }
            _ => {}
        }
    }
}
