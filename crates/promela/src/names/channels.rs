//! Channels: what is sent, received, probed and claimed.

use super::exprs::{Place, Target};
use super::resolver::{ClaimKey, Resolver};
use super::{BodyId, BodyKind, Def, RecordId, Ty};
use crate::ast::{ChannelEnd, Expr, ExprKind, RecvArg, Stmt, VarRef};
use ferrospin_source::{Diagnostic, Span};
use rustc_hash::FxHashSet;

impl Resolver<'_> {
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
    pub(super) fn channel(&mut self, c: &VarRef) {
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

    pub(super) fn send(&mut self, s: &Stmt, channel: &VarRef, args: &[Expr]) {
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
    pub(super) fn receive_twice(&mut self, args: &[RecvArg]) {
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

    /// `xr` and `xs`: one process promises to be the only one at an end of a channel.
    pub(super) fn exclusive(&mut self, at: Span, end: ChannelEnd, channels: &[VarRef]) {
        self.facts.exclusive.get_or_insert(at);
        let Some(body) = self.open.as_ref().map(|o| o.id) else { return };
        for c in channels {
            let Some(Target::Var(base, ty)) = self.var_ref(c, Place::WHOLE) else { continue };
            let var = self.var(base);
            let declared = var.at.0;
            let mut keys = Vec::new();
            match var.ty {
                Ty::Chan => keys.push(ClaimKey::Var(base)),
                Ty::Record(r) => self.record_channels(r, &mut FxHashSet::default(), &mut keys),
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

    fn claim(&mut self, key: ClaimKey, end: ChannelEnd, body: BodyId, c: &VarRef) {
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

    fn record_channels(&self, r: RecordId, seen: &mut FxHashSet<RecordId>, keys: &mut Vec<ClaimKey>) {
        if !seen.insert(r) {
            return;
        }
        for (i, f) in self.names.records[r.index()].fields.iter().enumerate() {
            match f.ty {
                Ty::Chan => keys.push(ClaimKey::Field(r, i as u32)),
                Ty::Record(inner) => self.record_channels(inner, seen, keys),
                _ => {}
            }
        }
    }
}
