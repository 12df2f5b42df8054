//! Names in statements, and where each kind of statement may stand.

use super::decls::Site;
use super::exprs::{Place, Target};
use super::resolver::{ClaimKey, Resolver};
use super::{BodyKind, Builtin, Def, RecordId, Ty};
use crate::ast::{ChannelEnd, Expr, ExprKind, RecvArg, Sequence, Stmt, StmtKind, VarRef};
use ferrospin_source::{Diagnostic, Span};

impl Resolver<'_> {
    /// Visits the statements of a sequence; the caller opens the block if there is one.
    pub(super) fn sequence(&mut self, s: &Sequence) {
        for step in &s.steps {
            self.stmt(step);
        }
    }

    /// A sequence in braces.
    fn block(&mut self, s: &Sequence) {
        let Some(outer) = self.open.as_mut().map(|o| o.enter()) else { return };
        self.sequence(s);
        if let Some(o) = &mut self.open {
            o.leave(outer);
        }
    }

    pub(super) fn stmt(&mut self, s: &Stmt) {
        self.stmt_in(s, false);
    }

    /// Visits a statement; `kept` says that a labelled loop keeps its `break` target for the escape behind it.
    fn stmt_in(&mut self, s: &Stmt, kept: bool) {
        if !matches!(s.kind, StmtKind::Decl(_) | StmtKind::Exclusive { .. })
            && let Some(o) = &mut self.open
        {
            o.at_head = false;
        }
        let symbols = self.label_symbols(&s.labels);
        self.allowed(s);
        self.stmt_kind(s, kept);
        // SPIN enters a label when its statement is complete.
        self.mark(&s.labels, &symbols, s);
    }

    fn stmt_kind(&mut self, s: &Stmt, kept: bool) {
        match &s.kind {
            StmtKind::Decl(d) => self.declare(d, Site::Local),
            StmtKind::Exclusive { end, channels } => self.exclusive(s.at.0, *end, channels),
            StmtKind::Empty | StmtKind::Else | StmtKind::CCode(_) => {}
            StmtKind::Expr(e) => self.condition(e, Place::RUN),
            StmtKind::Assign(target, e) => {
                let target_def = self.var_ref(target, Place::TARGET);
                self.expr(e, Place::VALUE);
                self.assignable(target, target_def);
                self.assigned(target, target_def, e);
            }
            StmtKind::Increment(v) | StmtKind::Decrement(v) => self.increment(v),
            StmtKind::Send { channel, args, .. } => self.send(s, channel, args),
            StmtKind::Receive { channel, args, .. } => {
                self.channel(channel);
                for a in args {
                    self.recv_arg(a);
                }
                self.receive_twice(args);
            }
            StmtKind::If(options) => {
                options.iter().for_each(|o| self.sequence(o));
                self.elses(options);
            }
            StmtKind::Do(options) => {
                self.open_loop();
                options.iter().for_each(|o| self.sequence(o));
                self.elses(options);
                self.close_loop(kept);
            }
            StmtKind::ForRange { var, from, to, body } => {
                self.open_loop();
                let target = self.var_ref(var, Place::HEADER);
                self.expr(from, Place::HEADER);
                self.expr(to, Place::HEADER);
                self.counter(var, target, from, to, "for");
                self.block(body);
                self.close_loop(kept);
            }
            StmtKind::ForIn { var, container, body } => {
                self.open_loop();
                self.for_in(var, container);
                self.block(body);
                self.close_loop(kept);
            }
            StmtKind::Select { var, from, to, options } => self.select(var, from, to, *options),
            StmtKind::Atomic(b) => {
                self.opening(b, "atomic");
                self.block(b);
            }
            StmtKind::DStep(b) => {
                self.opening(b, "d_step");
                self.d_step(s, |r| r.block(b));
            }
            StmtKind::Block(b) => {
                self.opening(b, "block");
                self.block(b);
            }
            StmtKind::Unless(body, escape) => {
                self.unless(body, escape);
                self.stmt_in(body, !body.labels.is_empty());
                self.stmt(escape);
                self.drop_kept_loop();
            }
            StmtKind::Goto(label) => self.goto(label),
            StmtKind::Break => self.break_(s.at.0),
            StmtKind::Assert(e) => self.expr(e, Place::CHECKED),
            StmtKind::Printm(e) => self.printm(e),
            StmtKind::Printf { args, .. } => args.iter().for_each(|a| self.expr(a, Place::CHECKED)),
            StmtKind::SetPriority(p, n) => {
                self.facts.priority.get_or_insert(s.at.0);
                self.expr(p, Place::READ);
                self.expr(n, Place::READ);
            }
            StmtKind::InlineCall { name, args, target, body, .. } => {
                self.define(name, Def::Inline);
                for a in args {
                    self.expr(a, Place::ARGUMENT);
                }
                if let Some(t) = target {
                    self.var_ref(t, Place::TARGET);
                }
                self.stmt(body);
            }
            StmtKind::Return { target, value } => {
                let target_def = self.var_ref(target, Place::TARGET);
                self.expr(value, Place::VALUE);
                self.assignable(target, target_def);
            }
        }
    }

    /// A claim looks on: it changes nothing that others see.
    fn allowed(&mut self, s: &Stmt) {
        if self.open.as_ref().is_some_and(|o| o.kind == BodyKind::Never)
            && matches!(s.kind, StmtKind::Send { .. } | StmtKind::Receive { .. })
        {
            self.error(
                Diagnostic::error("claim-io", s.at.0, "a never claim cannot send or receive")
                    .label("changes a channel")
                    .note("use a poll, such as `c?[x]`, to look at a channel"),
            );
        }
    }

    /// A condition: probes of something that is no channel are refused here.
    pub(super) fn condition(&mut self, e: &Expr, place: Place) {
        self.expr(e, place);
        self.probes(e);
    }

    fn probes(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Probe(_, c) => self.is_channel(c),
            ExprKind::Unary(_, a) | ExprKind::TemporalUnary(_, a) => self.probes(a),
            ExprKind::Binary(_, a, b) | ExprKind::TemporalBinary(_, a, b) => {
                self.probes(a);
                self.probes(b);
            }
            ExprKind::Cond(c, a, b) => {
                self.probes(c);
                self.probes(a);
                self.probes(b);
            }
            _ => {}
        }
    }

    /// The channel of a send or receive.
    fn channel(&mut self, c: &VarRef) {
        self.var_ref(c, Place::READ);
        self.is_channel(c);
    }

    fn is_channel(&mut self, c: &VarRef) {
        let name = &c.path[0].name;
        let (ty, declared) = match self.names.def(name) {
            Some(Def::Var(v)) => (self.ref_type(v, c), Some(self.var(v).at.0)),
            Some(_) => (Some(Ty::Int), None),
            None => return,
        };
        if ty.is_some_and(|t| t != Ty::Chan && !matches!(t, Ty::Record(_))) {
            let mut d = Diagnostic::error("not-a-channel", c.at.0, format!("`{}` is no channel", self.map_text(c)))
                .label("a channel is expected here");
            if let Some(at) = declared {
                d = d.also(at, format!("`{}` is declared here", name.name));
            }
            self.error(d);
        }
    }

    fn send(&mut self, s: &Stmt, channel: &VarRef, args: &[Expr]) {
        self.channel(channel);
        let traced = self.open.as_ref().is_some_and(|o| matches!(o.kind, BodyKind::Trace | BodyKind::NoTrace));
        let mut count = 0u32;
        for a in args {
            self.expr(a, if traced { Place::TRACED } else { Place::WHOLE });
            let ty = match &a.kind {
                ExprKind::Ref(r) => match self.names.def(&r.path[0].name) {
                    Some(Def::Var(v)) => self.ref_type(v, r),
                    _ => None,
                },
                _ => None,
            };
            if let Some(ty) = ty {
                self.message_type(ty, a.at.0);
            }
            count = count.saturating_add(ty.map_or(1, |t| self.spread(t)));
        }
        if !traced {
            self.facts.sends.push((count, s.at.0, channel.path[0].name.name.clone()));
        }
    }

    /// One variable cannot take two fields of a message; SPIN looks at scalars outside `d_step`.
    fn receive_twice(&mut self, args: &[RecvArg]) {
        if self
            .open
            .as_ref()
            .is_some_and(|o| o.zone.outer != 0 || matches!(o.kind, BodyKind::Trace | BodyKind::NoTrace))
        {
            return;
        }
        let scalar = |a: &RecvArg| match a {
            RecvArg::Ref(r) if r.path.len() == 1 => match self.names.def(&r.path[0].name) {
                Some(Def::Var(v)) => {
                    let var = self.var(v);
                    (var.array.is_none() && !matches!(var.ty, Ty::Record(_))).then_some((v, r.at.0))
                }
                _ => None,
            },
            _ => None,
        };
        let found: Vec<_> = args.iter().filter_map(scalar).collect();
        for (i, (v, at)) in found.iter().enumerate() {
            if let Some((_, first)) = found[..i].iter().find(|(w, _)| w == v) {
                let name = self.var(*v).name.clone();
                self.error(
                    Diagnostic::error("receive-twice", *at, format!("`{name}` cannot take two fields of one message"))
                        .label("again")
                        .also(*first, "the first field goes here")
                        .note("use `_` for a field that is not wanted, `eval(x)` for one that must be equal"),
                );
            }
        }
    }

    fn increment(&mut self, v: &VarRef) {
        let target = self.var_ref(v, Place::READ);
        self.assignable(v, target);
        self.self_index(v);
        if let Some(Target::Var(base, _)) = target
            && self.var(base).ty == Ty::Chan
        {
            self.error(
                Diagnostic::error("channel-arithmetic", v.at.0, "a channel cannot be counted up or down")
                    .label("a channel")
                    .also(self.var(base).at.0, "declared here"),
            );
        }
    }

    /// Predefined variables that the system keeps cannot be set.
    pub(super) fn assignable(&mut self, r: &VarRef, target: Option<Target>) {
        if let Some(Target::Builtin(b)) = target
            && !matches!(b, Builtin::Underscore | Builtin::Priority)
        {
            let name = &r.path[0].name.name;
            self.error(
                Diagnostic::error("read-only", r.at.0, format!("`{name}` cannot be changed")).label("read-only"),
            );
        }
    }

    /// The variable of `for (i : a .. b)` and of a `select` that counts.
    fn counter(&mut self, var: &VarRef, target: Option<Target>, from: &Expr, to: &Expr, what: &str) {
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

    /// An empty range; the parser says so of numbers.
    fn range(&mut self, var: &VarRef, from: &Expr, to: &Expr, what: &str) {
        if matches!((&from.kind, &to.kind), (ExprKind::Const(..), ExprKind::Const(..))) {
            return;
        }
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

    fn for_in(&mut self, var: &VarRef, container: &VarRef) {
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
        let zero = Expr { kind: ExprKind::Const(0, crate::ast::Spelling::Number), at: var.at };
        self.counter(var, Some(target), &zero, &zero, "for");
    }

    /// `for (m in c)`: `c` is a buffered channel of exactly the structure of `m`.
    fn for_messages(&mut self, container: &VarRef, over: super::VarId, record: RecordId, var: &VarRef) {
        if self.open.as_ref().is_some_and(|o| o.kind == BodyKind::Never) {
            self.error(
                Diagnostic::error("claim-io", container.at.0, "a never claim cannot go through a channel")
                    .label("sends and receives"),
            );
        }
        let o = self.var(over);
        let fits = match &o.init {
            super::Init::Chan { capacity, fields } if o.ty == Ty::Chan => {
                *capacity > 0 && fields[..] == [Ty::Record(record)]
            }
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

    fn select(&mut self, var: &VarRef, from: &Expr, to: &Expr, options: bool) {
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

    fn printm(&mut self, e: &Expr) {
        self.expr(e, Place::READ);
        if let ExprKind::Const(..) = e.kind {
            self.error(
                Diagnostic::error("printm", e.at.0, "`printm` prints the name of an `mtype` value, not a number")
                    .label("a number")
                    .note("use `printf(\"%d\", ...)`"),
            );
        }
    }

    /// `xr` and `xs`: one process promises to be the only one at an end of a channel.
    fn exclusive(&mut self, at: Span, end: ChannelEnd, channels: &[VarRef]) {
        self.facts.exclusive.get_or_insert(at);
        let Some(body) = self.open.as_ref().map(|o| o.id) else { return };
        for c in channels {
            let Some(Target::Var(base, ty)) = self.var_ref(c, Place::WHOLE) else { continue };
            let var = self.var(base);
            let declared = var.at.0;
            let mut keys = Vec::new();
            match var.ty {
                Ty::Chan => keys.push(ClaimKey::Var(base)),
                Ty::Record(r) => self.record_channels(r, &mut keys),
                _ => {
                    self.error(
                        Diagnostic::error("not-a-channel", c.at.0, format!("`{}` is no channel", self.map_text(c)))
                            .label("a channel is expected here")
                            .also(declared, "declared here"),
                    );
                    continue;
                }
            }
            let arrays = c.path.iter().any(|s| s.index.is_some());
            if arrays && ty == Ty::Chan {
                self.error(
                    Diagnostic::error("exclusive-array", c.at.0, "an element of an array cannot be claimed")
                        .label("array element")
                        .note("declare `chan q = a[i];` and claim `q`"),
                );
            }
            for key in keys {
                self.claim(key, end, body, c);
            }
        }
    }

    fn claim(&mut self, key: ClaimKey, end: ChannelEnd, body: super::BodyId, c: &VarRef) {
        let receive = end == ChannelEnd::Receive;
        let (owner, first) = *self.claims.entry((key, receive)).or_insert((body, c.at.0));
        if self.names.bodies[owner.index()].name == self.names.bodies[body.index()].name {
            return;
        }
        let name = self.names.bodies[owner.index()].name.clone();
        let tag = if receive { "xr" } else { "xs" };
        self.error(
            Diagnostic::error("exclusive-conflict", c.at.0, format!("`{name}` claims this end of the channel already"))
                .label(format!("second `{tag}`"))
                .also(first, "claimed here"),
        );
    }

    fn record_channels(&self, r: RecordId, keys: &mut Vec<ClaimKey>) {
        for (i, f) in self.names.records[r.index()].fields.iter().enumerate() {
            match f.ty {
                Ty::Chan => keys.push(ClaimKey::Field(r, i as u32)),
                Ty::Record(inner) if inner != r => self.record_channels(inner, keys),
                _ => {}
            }
        }
    }
}
