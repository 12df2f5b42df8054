//! Control structures: where labels, `else`, `break` and `unless` may stand, and what a `d_step` holds.

use super::labels::Zone;
use super::resolver::Resolver;
use super::scope::Loop;
use crate::ast::{Expr, ExprKind, Sequence, Stmt, StmtKind};
use ferrospin_source::{Diagnostic, Span};

/// The first statement of a sequence that makes a step: SPIN makes none of `xr` and `xs`.
pub(super) fn first(s: &Sequence) -> Option<&Stmt> {
    s.steps.iter().find(|s| !matches!(s.kind, StmtKind::Exclusive { .. }))
}

/// Whether a label of this statement lies behind its first step: loops begin with a step of their own.
fn label_inside(s: &Stmt) -> bool {
    match s.kind {
        StmtKind::Do(_) | StmtKind::ForRange { .. } | StmtKind::ForIn { .. } => true,
        StmtKind::Select { options, .. } => !options,
        _ => false,
    }
}

impl Resolver<'_> {
    /// The first statement of a block has no label: the block itself may have one.
    pub(super) fn opening(&mut self, b: &Sequence, what: &str) {
        let Some(s) = first(b) else {
            self.error(
                Diagnostic::error("empty-sequence", b.at.0, "a sequence needs at least one statement")
                    .label("no statement")
                    .note("`xr` and `xs` are declarations; write `skip` to do nothing"),
            );
            return;
        };
        let labelled = match &s.kind {
            StmtKind::Unless(body, _) => s.labels.first().or(body.labels.first()).filter(|_| !label_inside(body)),
            _ if label_inside(s) => None,
            _ => s.labels.first(),
        };
        if let Some(label) = labelled {
            let (before, shown) = match what {
                "block" => ("the block", format!("`{}: {{ ... }}`", label.name)),
                _ => (what, format!("`{}: {what} {{ ... }}`", label.name)),
            };
            self.error(
                Diagnostic::error("label-place", label.at.0, format!("a label cannot open {}", article(what)))
                    .label("first in the sequence")
                    .note(format!("put the label before {before}: {shown}")),
            );
        }
    }

    /// Labels around `unless`.
    pub(super) fn unless(&mut self, body: &Stmt, escape: &Stmt) {
        let blockish = matches!(body.kind, StmtKind::Block(_) | StmtKind::Atomic(_) | StmtKind::DStep(_))
            || matches!(body.kind, StmtKind::InlineCall { .. });
        if let Some(label) = body.labels.last()
            && !label_inside(body)
            && !(blockish && body.labels.len() == 1)
        {
            self.error(
                Diagnostic::error("label-place", label.at.0, "this label does not cover the `unless`")
                    .label("labels only the first part")
                    .note(format!("put the whole in braces: `{}: {{ ... unless ... }}`", label.name)),
            );
        }
        if let Some(label) = escape.labels.first()
            && !label_inside(escape)
        {
            self.error(
                Diagnostic::error("label-place", label.at.0, "the guard of an escape cannot have a label")
                    .label("before the guard")
                    .note("an escape can be entered from many places, so a jump to it has no meaning"),
            );
        }
    }

    /// At most one `else`; none beside channel operations when some process claims a channel.
    pub(super) fn elses(&mut self, options: &[Sequence]) {
        let guards: Vec<&Stmt> = options.iter().filter_map(first).collect();
        for o in options {
            if first(o).is_none() {
                self.opening(o, "option");
            }
        }
        let mut elses = guards.iter().filter(|s| matches!(s.kind, StmtKind::Else));
        let Some(one) = elses.next() else { return };
        for other in elses {
            self.error(
                Diagnostic::error("two-elses", other.at.0, "a selection can have only one `else`")
                    .label("another `else`")
                    .also(one.at.0, "the first is here"),
            );
        }
        if let Some(exclusive) = self.facts.exclusive
            && let Some(io) = guards.iter().find(|s| uses_channel(s))
        {
            self.error(
                Diagnostic::error(
                    "else-exclusive",
                    one.at.0,
                    "`else` cannot stand beside a channel operation in a model with `xr` or `xs`",
                )
                .label("`else`")
                .also(io.at.0, "channel operation")
                .also(exclusive, "a channel is claimed here"),
            );
        }
    }

    pub(super) fn open_loop(&mut self) {
        if let Some(o) = &mut self.open {
            o.loops.push(Loop::default());
        }
    }

    /// Ends a loop: its `break`s may not leave a `d_step`.
    pub(super) fn close_loop(&mut self, kept: bool) {
        let Some(open) = &mut self.open else { return };
        if kept {
            if let Some(l) = open.loops.last_mut() {
                l.kept = true;
            }
            return;
        }
        let zone = open.zone;
        let Some(done) = open.loops.pop() else { return };
        for (at, from) in done.breaks {
            self.break_zone(at, from, zone);
        }
    }

    /// Ends a labelled loop that stands before an `unless`.
    pub(super) fn drop_kept_loop(&mut self) {
        if self.open.as_ref().is_some_and(|o| o.loops.last().is_some_and(|l| l.kept)) {
            self.close_loop(false);
        }
    }

    fn break_zone(&mut self, at: Span, from: Zone, to: Zone) {
        if from != to {
            self.error(
                Diagnostic::error("d-step-jump", at, "`break` jumps out of a `d_step`")
                    .label("leaves the `d_step`")
                    .note("a `d_step` is one step: use `atomic` when control must leave in the middle"),
            );
        }
    }

    pub(super) fn break_(&mut self, at: Span) {
        let Some(open) = &mut self.open else { return };
        let zone = open.zone;
        // The parser reports a `break` outside any loop.
        if let Some(l) = open.loops.last_mut() {
            l.breaks.push((at, zone));
        }
    }

    /// Visits a `d_step`.
    pub(super) fn d_step(&mut self, s: &Stmt, visit: impl FnOnce(&mut Self)) {
        let Some(open) = &mut self.open else { return };
        let saved = open.zone;
        open.zones += 1;
        let inner = open.zones;
        open.zone = Zone { inner, outer: if saved.outer == 0 { inner } else { saved.outer } };
        visit(self);
        if let Some(open) = &mut self.open {
            // What follows an inner `d_step` is, to SPIN, in no `d_step` any more, yet still part of the outer one.
            open.zone = Zone { inner: 0, outer: saved.outer };
        }
        if saved.outer == 0
            && let Some(unless) = first_unless(s)
        {
            self.error(
                Diagnostic::error("d-step-unless", unless, "a `d_step` cannot begin with `unless`")
                    .label("the escape would have no effect"),
            );
        }
    }

    /// Whether the walk is inside a `d_step`.
    pub(super) fn in_d_step(&self) -> Option<Zone> {
        self.open.as_ref().map(|o| o.zone).filter(|z| z.outer != 0)
    }
}

fn article(what: &str) -> String {
    match what {
        "block" => "a block".into(),
        "atomic" => "an `atomic`".into(),
        _ => format!("a `{what}`"),
    }
}

/// The `unless` a `d_step` begins with, if any.
fn first_unless(s: &Stmt) -> Option<Span> {
    match &s.kind {
        StmtKind::Unless(..) => Some(s.at.0),
        StmtKind::DStep(b) | StmtKind::Atomic(b) | StmtKind::Block(b) => first_unless(first(b)?),
        StmtKind::InlineCall { body, .. } => first_unless(body),
        _ => None,
    }
}

/// Whether a guard sends, receives or probes.
fn uses_channel(s: &Stmt) -> bool {
    match &s.kind {
        StmtKind::Send { .. } | StmtKind::Receive { .. } => true,
        StmtKind::Expr(e) | StmtKind::Assert(e) | StmtKind::Assign(_, e) => has_probe(e),
        _ => false,
    }
}

fn has_probe(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Probe(..) => true,
        ExprKind::Unary(_, a) => has_probe(a),
        ExprKind::Binary(_, a, b) => has_probe(a) || has_probe(b),
        ExprKind::Cond(c, a, b) => has_probe(c) || has_probe(a) || has_probe(b),
        _ => false,
    }
}
