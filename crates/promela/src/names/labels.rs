//! Labels, jumps and references to other processes.
//!
//! A label belongs to the whole body. When several have the name of a `goto`, the one in the same block is meant,
//! else the first defined in an enclosing block, else the last defined anywhere: SPIN's rule. A name is defined twice when
//! both places have the same symbol and come from the same inline, or from none.

use super::exprs::Place;
use super::landing::holds_d_step;
use super::resolver::Resolver;
use super::scope::{Goto, Mark, MarkKey, SymbolKind};
use super::{BodyKind, Def, Label, LabelId};
use crate::ast::{Ident, IdentId, Segment, Stmt, StmtKind};
use ferrospin_source::Diagnostic;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The `d_step` around a statement; jumps may not leave or enter one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Zone {
    /// Number of the innermost `d_step`, 0 outside.
    pub(super) inner: u32,
    /// Number of the outermost one.
    pub(super) outer: u32,
}

impl Resolver<'_> {
    /// The symbols of the labels in front of a statement, made before the statement is visited.
    pub(super) fn label_symbols(&mut self, labels: &[Ident]) -> Vec<Option<u32>> {
        labels.iter().map(|l| self.label_symbol(l)).collect()
    }

    /// Notes the labels in front of a statement.
    pub(super) fn mark(&mut self, labels: &[Ident], symbols: &[Option<u32>], stmt: &Stmt) {
        for (label, symbol) in labels.iter().zip(symbols) {
            if let Some(block) = symbol {
                self.mark_one(label, *block, labels, stmt);
            }
        }
    }

    fn mark_one(&mut self, label: &Ident, block: u32, labels: &[Ident], stmt: &Stmt) {
        let Some(open) = &mut self.open else { return };
        let mut jump = open.zone;
        let target = match &stmt.kind {
            StmtKind::Unless(body, _) => &body.kind,
            kind => kind,
        };
        if let StmtKind::DStep(body) = target
            && !holds_d_step(body)
        {
            // A jump to the label of a `d_step` counts as a jump into it.
            open.zones += 1;
            jump.inner = u32::MAX - open.zones;
        }
        // A `goto` with a label of meaning keeps a step of its own.
        let onward = match &stmt.kind {
            StmtKind::Goto(next) if !labels.iter().any(|l| has_meaning(&l.name)) => Some(next.id),
            _ => None,
        };
        let id = LabelId(self.names.labels.len() as u32);
        let open_id = open.id;
        self.names.labels.push(Label { name: label.name.clone(), body: open.id, at: label.at });
        let key = MarkKey { name: label.name.clone(), block, inline: open.inline.clone() };
        let twin = open.marked.insert(key, id);
        open.marks.push(Mark { name: label.name.clone(), id, block, jump, onward });
        if let Some(twin) = twin {
            let there = self.names.labels[twin.index()].at.0;
            self.error(
                Diagnostic::error("redeclared", label.at.0, format!("label `{}` is defined twice", label.name))
                    .label("defined again")
                    .also(there, "first defined here"),
            );
        }
        self.labels.insert((open_id, label.name.clone()), id);
        self.define(label, Def::Label(id));
    }

    /// Says which inline is being expanded; returns the one before.
    pub(super) fn enter_inline(&mut self, name: Option<Arc<str>>) -> Option<Arc<str>> {
        std::mem::replace(&mut self.open.as_mut()?.inline, name)
    }

    /// The block of the symbol a label name means here; reports names that are taken.
    fn label_symbol(&mut self, label: &Ident) -> Option<u32> {
        let open = self.open.as_mut()?;
        let taken = match open.symbol(&label.name).map(|s| (s.kind, s.block)) {
            Some((SymbolKind::Label, block)) => return Some(block),
            Some((SymbolKind::Var(v), _)) => Some(Def::Var(v)),
            None => self.globals.get(&label.name).map(|g| g.def),
        };
        if let Some(def) = taken {
            let mut d = Diagnostic::error(
                "bad-label",
                label.at.0,
                format!("`{}` cannot be a label: the name is taken", label.name),
            )
            .label("not a label");
            if let Some(there) = self.place(def, &label.name) {
                d = d.also(there, format!("`{}` is declared here", label.name));
            }
            self.error(d);
            return None;
        }
        let open = self.open.as_mut()?;
        Some(open.add(&label.name, SymbolKind::Label).block)
    }

    /// Notes a `goto`, to be resolved when all labels are known.
    pub(super) fn goto(&mut self, label: &Ident) {
        let Some(block) = self.label_symbol(label) else { return };
        let Some(open) = &mut self.open else { return };
        open.gotos.push(Goto { name: label.name.clone(), id: label.id, at: label.at.0, block, jump: open.zone });
    }

    /// Resolves the jumps of the body that is about to be closed.
    pub(super) fn jumps(&mut self) {
        let Some(open) = &mut self.open else { return };
        let gotos = std::mem::take(&mut open.gotos);
        let marks = std::mem::take(&mut open.marks);
        let mut by_name: FxHashMap<&str, Vec<&Mark>> = FxHashMap::default();
        for m in &marks {
            by_name.entry(&m.name).or_default().push(m);
        }
        for g in &gotos {
            let Some(list) = by_name.get(&*g.name) else {
                let mut d = Diagnostic::error("unknown-label", g.at, format!("there is no label `{}`", g.name))
                    .label("not defined in this process");
                if let Some(best) = super::suggest(&g.name, by_name.keys().copied()) {
                    d = d.suggest(g.at, best.to_string(), format!("did you mean `{best}`?"));
                }
                self.error(d);
                continue;
            };
            let open = self.open.as_ref().expect("a body is open");
            let same = list.iter().rev().find(|m| m.block == g.block);
            let around = || list.iter().find(|m| open.encloses(m.block, g.block));
            let mark = same.or_else(around).or(list.last()).expect("not empty");
            self.names.uses[g.id.0 as usize] = Some(Def::Label(mark.id));
            if mark.jump != g.jump {
                let enters = |to: u32, from: u32| to != 0 && from != to;
                let into = enters(mark.jump.inner, g.jump.inner) || enters(mark.jump.outer, g.jump.outer);
                let way = if into { "into" } else { "out of" };
                let there = self.names.labels[mark.id.index()].at.0;
                self.error(
                    Diagnostic::error("d-step-jump", g.at, format!("`goto {}` jumps {way} a `d_step`", g.name))
                        .label(format!("jumps {way} a `d_step`"))
                        .also(there, "the label is here")
                        .note("a `d_step` is one step: use `atomic` when control must enter or leave in the middle"),
                );
            }
        }
        self.goto_cycles(&marks, &gotos);
    }

    /// A ring of `goto`s with no statement between them never does anything.
    fn goto_cycles(&mut self, marks: &[Mark], gotos: &[Goto]) {
        let onward: FxHashMap<LabelId, IdentId> = marks.iter().filter_map(|m| Some((m.id, m.onward?))).collect();
        if onward.is_empty() {
            return;
        }
        // Each `goto` leads to at most one other: a walk ends, meets an earlier walk, or meets itself.
        let mut walks: FxHashMap<IdentId, usize> = FxHashMap::default();
        for (walk, g) in gotos.iter().enumerate() {
            let mut at = g.id;
            let ring = loop {
                match walks.insert(at, walk) {
                    Some(earlier) => break earlier == walk,
                    None => {
                        let Some(Def::Label(l)) = self.names.def_of(at) else { break false };
                        let Some(next) = onward.get(&l) else { break false };
                        at = *next;
                    }
                }
            };
            if ring {
                self.error(
                    Diagnostic::error("goto-loop", g.at, "this `goto` leads back to itself without doing anything")
                        .label("an endless loop of jumps")
                        .note("put a statement into the loop, such as `skip` or `false`"),
                );
                return;
            }
        }
    }

    /// A `d_step` may not look into other processes.
    pub(super) fn remote_in_d_step(&mut self, at: ferrospin_source::Span, label: bool, place: Place) {
        let Some(zone) = self.in_d_step() else { return };
        if !place.argument && (place.checked || label && zone.inner != 0) {
            self.error(
                Diagnostic::error("d-step-remote", at, "a `d_step` cannot refer to another process")
                    .label("reference to another process")
                    .note("use `atomic`, or look before the `d_step`"),
            );
        }
    }

    /// `P[e]@label`
    pub(super) fn remote_label(&mut self, proctype: &Ident, label: &Ident) {
        let Some(body) = self.remote_proctype(proctype) else { return };
        // Labels are found by name in the whole body, the latest first.
        match self.labels.get(&(body, label.name.clone())).copied() {
            Some(id) => self.define(label, Def::Label(id)),
            None => {
                let b = &self.names.bodies[body.index()];
                let mut d = Diagnostic::error(
                    "unknown-label",
                    label.at.0,
                    format!("process type `{}` has no label `{}`", b.name, label.name),
                )
                .label("not defined there")
                .also(b.at.0, format!("`{}` is defined here", b.name));
                let known = self.names.labels.iter().filter(|l| l.body == body).map(|l| &*l.name);
                if let Some(best) = super::suggest(&label.name, known) {
                    d = d.suggest(label.at.0, best.to_string(), format!("did you mean `{best}`?"));
                }
                if self.open.as_ref().is_some_and(|o| o.id == body) {
                    d = d.note("a process can refer to its own labels only where they stand before the reference");
                }
                self.error(d);
            }
        }
    }

    /// `P[e]:x`
    pub(super) fn remote_var(&mut self, proctype: &Ident, var: &Segment, inner: Place) {
        if let Some(i) = &var.index {
            self.expr(i, inner);
        }
        let Some(body) = self.remote_proctype(proctype) else { return };
        let b = &self.names.bodies[body.index()];
        let found = b.vars.iter().find(|v| {
            let v = self.var(**v);
            v.block == 0 && v.name == var.name.name
        });
        if let Some(&v) = found {
            self.define(&var.name, Def::Var(v));
            return;
        }
        let mut d = Diagnostic::error(
            "undeclared",
            var.name.at.0,
            format!("process type `{}` has no variable `{}`", b.name, var.name.name),
        )
        .label("not declared there")
        .also(b.at.0, format!("`{}` is defined here", b.name))
        .note("only parameters and variables declared outside inner blocks can be referred to");
        let known = b.vars.iter().map(|v| self.var(*v)).filter(|v| v.block == 0).map(|v| &*v.name);
        if let Some(best) = super::suggest(&var.name.name, known) {
            d = d.suggest(var.name.at.0, best.to_string(), format!("did you mean `{best}`?"));
        }
        self.error(d);
    }

    /// A remote reference names a process type that stands before it.
    fn remote_proctype(&mut self, name: &Ident) -> Option<super::BodyId> {
        let def = self.globals.get(&name.name).map(|g| g.def);
        if let Some(Def::Body(b)) = def
            && self.names.bodies[b.index()].kind == BodyKind::Proctype
        {
            self.define(name, Def::Body(b));
            return Some(b);
        }
        let mut d =
            Diagnostic::error("unknown-proctype", name.at.0, format!("there is no process type `{}`", name.name))
                .label("not defined before this place");
        if self.proctypes.contains_key(&name.name) {
            d = d.note("a process type must be defined before it is referred to");
        } else if let Some(best) = super::suggest(&name.name, self.proctypes.keys().map(|n| &**n)) {
            d = d.suggest(name.at.0, best.to_string(), format!("did you mean `{best}`?"));
        }
        self.error(d);
        None
    }
}

/// Whether a label says something about the location: end state, progress, acceptance.
pub(crate) fn has_meaning(name: &str) -> bool {
    ["end", "progress", "accept"].iter().any(|p| name.starts_with(p))
}
