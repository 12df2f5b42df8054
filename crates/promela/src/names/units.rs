//! The units of a model in text order, and what must hold of the model as a whole.

use super::consts::Constant;
use super::decls::Site;
use super::exprs::{Argument, Place};
use super::resolver::{Global, Resolver};
use super::scope::Body as OpenBody;
use super::{Body, BodyId, BodyKind, Def, Ty};
use crate::ast::{Active, At, ExprKind, Ident, InlineDef, Priority, Proctype, Sequence, Unit};
use ferrospin_source::{Diagnostic, Span};
use std::ops::RangeInclusive;
use std::sync::Arc;

impl Resolver<'_> {
    /// Visits all units and makes the checks that need the whole model.
    pub(super) fn units(&mut self) {
        self.bodies();
        let program = self.program;
        for (index, unit) in program.units.iter().enumerate() {
            self.unit(index, unit);
        }
        self.whole_model();
    }

    /// Enters all bodies, so that `run` can name a later process type.
    fn bodies(&mut self) {
        let mut claims = 0;
        for (unit, u) in self.program.units.iter().enumerate() {
            let (name, kind, at): (Arc<str>, _, _) = match u {
                Unit::Proctype(p) => (p.name.name.clone(), BodyKind::Proctype, p.name.at),
                Unit::Init(i) => ("init".into(), BodyKind::Init, i.at),
                Unit::Never(n) => {
                    let number = claims;
                    claims += 1;
                    match &n.name {
                        Some(name) => (name.name.clone(), BodyKind::Never, name.at),
                        None => (format!("never_{number}").into(), BodyKind::Never, n.at),
                    }
                }
                Unit::Trace(t) if t.negated => ("notrace".into(), BodyKind::NoTrace, t.at),
                Unit::Trace(t) => ("trace".into(), BodyKind::Trace, t.at),
                _ => continue,
            };
            let id = BodyId(self.names.bodies.len() as u32);
            if kind == BodyKind::Proctype {
                self.proctypes.entry(name.clone()).or_insert(id);
            }
            let active = u32::from(kind == BodyKind::Init);
            self.names.bodies.push(Body { name, kind, unit, vars: Vec::new(), param_count: 0, active, at });
        }
    }

    fn unit(&mut self, index: usize, unit: &Unit) {
        let body = self.names.body_of_unit(index);
        match unit {
            Unit::Decl(d) => self.declare(d, Site::Global),
            Unit::Mtype(m) => self.mtype(m),
            Unit::Typedef(t) => self.typedef(t),
            Unit::Proctype(p) => self.proctype(body.expect("entered before"), p),
            Unit::Init(i) => {
                if let Some(p) = &i.priority {
                    self.priority(p, 1..=255);
                }
                self.body(body.expect("entered before"), &i.body);
            }
            Unit::Never(n) => {
                let body = body.expect("entered before");
                if let Some(name) = &n.name {
                    self.claim_name(name, body);
                }
                self.body(body, &n.body);
            }
            Unit::Ltl(l) => {
                if let Some(name) = &l.name {
                    self.ltl_name(name, index);
                }
                self.condition(&l.formula, Place::FORMULA);
            }
            Unit::Trace(t) => {
                if let Some(old) = self.facts.trace {
                    self.error(
                        Diagnostic::error("redeclared", t.at.0, "a model can have one `trace` or `notrace`")
                            .label("another one")
                            .also(old, "the first is here"),
                    );
                }
                self.facts.trace.get_or_insert(t.at.0);
                self.body(body.expect("entered before"), &t.body);
            }
            Unit::Inline(i) => self.inline(i),
            Unit::CCode(_) | Unit::CDecl(_) | Unit::CState(_) | Unit::CTrack(_) => {}
        }
    }

    fn proctype(&mut self, id: BodyId, p: &Proctype) {
        self.global_name(&p.name, Def::Body(id), "process type");
        let active = p.active.as_ref().map_or(0, |a| self.active(a));
        self.names.bodies[id.index()].active = active;
        self.open = Some(OpenBody::new(id, BodyKind::Proctype));
        for d in &p.params {
            self.declare(d, Site::Param);
        }
        self.parameters(id);
        if let Some(priority) = &p.priority {
            self.priority(priority, if active > 0 { 1..=255 } else { i32::MIN..=i32::MAX });
        }
        if let Some(e) = &p.provided {
            self.expr(e, Place::READ);
            self.provided(e);
        }
        self.sequence(&p.body);
        self.jumps();
        self.landings(&p.body);
        self.open = None;
    }

    fn body(&mut self, id: BodyId, body: &Sequence) {
        self.open = Some(OpenBody::new(id, self.names.bodies[id.index()].kind));
        self.sequence(body);
        self.jumps();
        self.landings(body);
        self.open = None;
    }

    /// Parameters are single values: no arrays, not even inside structures.
    fn parameters(&mut self, id: BodyId) {
        for v in self.names.bodies[id.index()].vars.clone() {
            let var = self.var(v);
            let (name, at) = (var.name.clone(), var.at.0);
            if var.array.is_some() {
                self.error(
                    Diagnostic::error("parameter", at, format!("the parameter `{name}` cannot be an array"))
                        .label("an array")
                        .note("make the array global, or send it through a channel"),
                );
            } else if let Ty::Record(r) = var.ty
                && self.facts_of[r.index()].array
            {
                self.error(
                    Diagnostic::error("parameter", at, format!("the parameter `{name}` cannot hold an array"))
                        .label("its type has an array inside"),
                );
            }
        }
    }

    fn active(&mut self, a: &Active) -> u32 {
        let Some(e) = &a.count else { return 1 };
        let count = match self.constant(e, "the number of processes") {
            Constant::Value(n) => n,
            Constant::Var(v) => {
                let extra = &self.extras[v.index()];
                match extra.bound {
                    _ if self.var(v).init_is_zero() => 0,
                    Some(n) if extra.constant => n,
                    _ => {
                        let (name, at) = (self.var(v).name.clone(), self.var(v).at.0);
                        self.error(
                            Diagnostic::error("not-constant", e.at.0, format!("`{name}` has no constant initialiser"))
                                .label("used as a number of processes")
                                .also(at, format!("`{name}` is declared here")),
                        );
                        1
                    }
                }
            }
            Constant::Bad => 1,
        };
        // A variable may give more than 255: SPIN does not look at it then, and neither do we before a run.
        if count > 255 && !matches!(e.kind, ExprKind::Ref(_)) {
            self.error(
                Diagnostic::error("process-count", e.at.0, format!("{count} processes are too many"))
                    .label("at most 255 can exist at once"),
            );
        }
        count.max(0) as u32
    }

    /// A priority is a constant; SPIN does not look at that of a process type which is not active.
    pub(super) fn priority(&mut self, p: &Priority, range: RangeInclusive<i32>) {
        self.facts.priority.get_or_insert(p.at.0);
        if let Constant::Value(n) = self.constant(&p.value, "a priority")
            && !range.contains(&n)
        {
            self.error(
                Diagnostic::error("priority", p.value.at.0, format!("{n} is no priority"))
                    .label("priorities are numbers from 1 to 255"),
            );
        }
    }

    /// Enters a name at top level.
    fn global_name(&mut self, name: &Ident, def: Def, what: &str) {
        self.define(name, def);
        let old = self.globals.get(&name.name).copied();
        let old = old.or_else(|| {
            let r = *self.records.get(&name.name)?;
            Some(Global { def: Def::Record(r), at: self.names.records[r.index()].at.0 })
        });
        if let Some(old) = old {
            let mut d =
                Diagnostic::error("redeclared", name.at.0, format!("{what} `{}`: the name is taken", name.name))
                    .label("declared again");
            if old.at.is_some() {
                d = d.also(old.at, "first declared here");
            }
            self.error(d);
        } else {
            self.globals.insert(name.name.clone(), Global { def, at: name.at.0 });
        }
    }

    fn claim_name(&mut self, name: &Ident, body: BodyId) {
        self.define(name, Def::Body(body));
        let twin = self.names.bodies[..body.index()]
            .iter()
            .find(|b| b.kind == BodyKind::Never && b.name == name.name)
            .map(|b| b.at.0);
        self.claim_twin(name, twin);
    }

    fn ltl_name(&mut self, name: &Ident, index: usize) {
        let named = |u: &Unit| match u {
            Unit::Ltl(l) => l.name.as_ref().filter(|n| n.name == name.name).map(|n| n.at.0),
            _ => None,
        };
        let twin = self.program.units[..index].iter().find_map(named);
        let claim = self.names.bodies.iter().find(|b| b.kind == BodyKind::Never && b.name == name.name).map(|b| b.at.0);
        self.claim_twin(name, twin.or(claim));
    }

    fn claim_twin(&mut self, name: &Ident, twin: Option<Span>) {
        let twin = twin.or_else(|| match self.globals.get(&name.name) {
            Some(g) if !matches!(g.def, Def::Var(_)) => Some(g.at),
            _ => None,
        });
        if let Some(at) = twin {
            self.error(
                Diagnostic::error("redeclared", name.at.0, format!("claim `{}`: the name is taken", name.name))
                    .label("declared again")
                    .also(at, "first declared here"),
            );
        }
    }

    fn inline(&mut self, i: &InlineDef) {
        match self.globals.get(&i.name.name).map(|g| g.def) {
            // Two inlines of one name have been told of by the parser.
            Some(Def::Inline) => self.define(&i.name, Def::Inline),
            // An inline may take the name of a variable, which is lost behind it.
            Some(Def::Var(_)) => {
                self.globals.remove(&i.name.name);
                self.global_name(&i.name, Def::Inline, "inline");
            }
            _ => self.global_name(&i.name, Def::Inline, "inline"),
        }
        for p in &i.params {
            let Some(Def::Var(v)) = self.globals.get(&p.name).map(|g| g.def) else { continue };
            self.extras[v.index()].shadowed = true;
            let var = self.var(v);
            if var.array.is_some() || matches!(var.ty, Ty::Record(_)) {
                let at = var.at.0;
                self.error(
                    Diagnostic::error(
                        "inline-parameter",
                        p.at.0,
                        format!("the parameter `{}` has the name of a global array or structure", p.name),
                    )
                    .label("choose another name")
                    .also(at, format!("the global `{}` is declared here", p.name)),
                );
            }
        }
    }

    fn whole_model(&mut self) {
        if !self.names.bodies.iter().any(|b| b.active > 0) {
            self.no_process();
        }
        self.sizes();
        self.send_sizes();
        self.everywhere();
    }

    /// What must hold of a model with its formulas, whatever order they stand in.
    pub(super) fn everywhere(&mut self) {
        self.arities();
        if let (Some(enabled), Some(rendezvous)) = (self.facts.enabled, self.facts.rendezvous) {
            self.error(
                Diagnostic::error(
                    "enabled-rendezvous",
                    enabled,
                    "`enabled` cannot be used in a model with rendezvous channels",
                )
                .label("used here")
                .also(rendezvous, "a rendezvous channel"),
            );
        }
        if let (Some(priority), Some(rendezvous)) = (self.facts.priority, self.facts.rendezvous) {
            self.error(
                Diagnostic::error(
                    "priority-rendezvous",
                    priority,
                    "priorities cannot be combined with rendezvous channels",
                )
                .label("a priority")
                .also(rendezvous, "a rendezvous channel"),
            );
        }
    }

    fn no_process(&mut self) {
        let first = self.names.bodies.iter().find(|b| b.kind == BodyKind::Proctype);
        let d = match first {
            Some(b) => Diagnostic::error("no-process", b.at.0, "no process starts: nothing would run")
                .label("never started")
                .note(format!("write `active proctype {}`, or add `init {{ run {}() }}`", b.name, b.name)),
            None => Diagnostic::error("no-process", Span::NONE, "the model has no process")
                .note("add an `init { ... }` or an `active proctype`"),
        };
        self.error(d);
    }

    fn arities(&mut self) {
        for run in std::mem::take(&mut self.runs) {
            let body = &self.names.bodies[run.callee.index()];
            let formals: Vec<_> = body.vars[..body.param_count as usize]
                .iter()
                .map(|v| self.var(*v))
                .map(|v| (v.ty, v.at, self.spread(v.ty)))
                .collect();
            let wanted = formals.iter().map(|f| f.2).fold(0, u32::saturating_add);
            let given = run.args.iter().map(|a| a.1).fold(0, u32::saturating_add);
            let (name, at) = (body.name.clone(), body.at.0);
            if given != wanted {
                let plural = if wanted == 1 { "" } else { "s" };
                self.error(
                    Diagnostic::error(
                        "run-arity",
                        run.at,
                        format!("`{name}` takes {wanted} argument{plural}, not {given}"),
                    )
                    .label("wrong number of arguments")
                    .also(at, format!("`{name}` is defined here")),
                );
                continue;
            }
            // Structures take several places on either side.
            let mut args = run.args.iter();
            let mut have = args.next().map(|(a, n)| (a, *n));
            for (ty, declared, mut places) in formals {
                while let Some((argument, left)) = &mut have {
                    if places == 0 {
                        break;
                    }
                    let step = places.min(*left);
                    if step > 0 {
                        self.mtype_argument(argument, ty, declared);
                    }
                    places -= step;
                    *left -= step;
                    if *left == 0 {
                        have = args.next().map(|(a, n)| (a, *n));
                    }
                }
            }
        }
    }

    /// SPIN wants an argument for an `mtype` parameter to be a constant of the right list, a number or an expression.
    fn mtype_argument(&mut self, argument: &Argument, ty: Ty, declared: At) {
        let Ty::Mtype(want) = ty else { return };
        let (at, message) = match argument {
            Argument::Value => return,
            Argument::Constant(list, _) if *list == want => return,
            Argument::Constant(list, at) => (
                *at,
                format!(
                    "a constant of `{}` is given for a parameter of `{}`",
                    self.list_name(*list),
                    self.list_name(want)
                ),
            ),
            Argument::Named(at) => (*at, "an `mtype` parameter takes a constant, not a variable".to_string()),
        };
        self.error(
            Diagnostic::error("mtype-argument", at, message)
                .label("not a constant of that `mtype`")
                .also(declared.0, "the parameter is declared here")
                .note("a parameter declared `byte` takes any `mtype` value"),
        );
    }

    fn send_sizes(&mut self) {
        let max = self.facts.fields_max;
        for (count, at, name) in std::mem::take(&mut self.facts.sends) {
            if count > max {
                self.error(
                    Diagnostic::error(
                        "message-size",
                        at,
                        format!("{count} fields are sent to `{name}`, but no channel has that many"),
                    )
                    .label(format!("the largest message of the model has {max}")),
                );
            }
        }
    }
}
