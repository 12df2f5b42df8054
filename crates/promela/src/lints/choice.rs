//! Options of `if` and `do`: an `else` or `timeout` that can never be taken, an assignment that was meant as a
//! comparison, equal options, options that can never be chosen.

use super::walk::{self, Visitor};
use super::{Said, constant, warning};
use crate::ast::{BinaryOp, Expr, ExprKind, Program, Sequence, Stmt, StmtKind, VarRef};
use ferrospin_source::{SourceMap, Span};

/// Equal options are looked for in selections up to this size; the comparison is quadratic.
const COMPARED_MAX: usize = 200;

/// Looks at all selections.
pub(super) fn check(map: &SourceMap, program: &Program, said: &mut Said<'_>) {
    for unit in &program.units {
        walk::unit(unit, &mut Choices { map, said });
    }
}

/// The statement that decides whether a sequence can be entered.
pub(super) fn guard(sequence: &Sequence) -> Option<&Stmt> {
    let first = sequence.steps.iter().find(|s| !matches!(s.kind, StmtKind::Exclusive { .. }))?;
    Some(innermost(first))
}

fn innermost(stmt: &Stmt) -> &Stmt {
    match &stmt.kind {
        StmtKind::Atomic(body) | StmtKind::DStep(body) | StmtKind::Block(body) => guard(body).unwrap_or(stmt),
        StmtKind::InlineCall { body, .. } => innermost(body),
        _ => stmt,
    }
}

/// Whether a statement is executable in every state.
pub(super) fn always_executable(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Expr(e) => constant::written(e).is_some_and(|v| v != 0),
        StmtKind::Assign(..)
        | StmtKind::Increment(_)
        | StmtKind::Decrement(_)
        | StmtKind::Assert(_)
        | StmtKind::Printf { .. }
        | StmtKind::Printm(_)
        | StmtKind::Goto(_)
        | StmtKind::Break
        | StmtKind::Select { .. }
        | StmtKind::ForRange { .. }
        | StmtKind::Return { .. }
        | StmtKind::Empty => true,
        StmtKind::CCode(c) => c.precondition.is_none(),
        _ => false,
    }
}

struct Choices<'a, 'b, 'c> {
    map: &'a SourceMap,
    said: &'b mut Said<'c>,
}

impl Visitor for Choices<'_, '_, '_> {
    fn enter(&mut self, stmt: &Stmt) {
        if let StmtKind::If(options) | StmtKind::Do(options) = &stmt.kind {
            self.selection(options);
        }
    }
}

impl Choices<'_, '_, '_> {
    fn selection(&mut self, options: &[Sequence]) {
        let guards: Vec<Option<&Stmt>> = options.iter().map(guard).collect();
        let is = |kind: &StmtKind, g: &&Stmt| std::mem::discriminant(&g.kind) == std::mem::discriminant(kind);
        let otherwise = guards.iter().flatten().copied().find(|g| is(&StmtKind::Else, g));
        let free = guards.iter().flatten().copied().find(|g| always_executable(g));
        let slip = self.assigned_guard(options, &guards, otherwise);
        if let (Some(otherwise), Some(free), false) = (otherwise, free, slip) {
            self.said.push(
                warning("dead-else", otherwise.at.0, "this `else` is never taken")
                    .also(free.at.0, "this option is always executable"),
            );
        }
        for option in guards.iter().flatten() {
            self.timeout(option, otherwise, free);
            if let StmtKind::Expr(e) = &option.kind
                && constant::written(e) == Some(0)
            {
                let message = "this option is never taken: its guard is always false";
                self.said.push(warning("dead-option", option.at.0, message));
            }
        }
        self.duplicates(options);
    }

    /// `timeout` is true only when nothing else in the whole model is executable.
    fn timeout(&mut self, option: &Stmt, otherwise: Option<&Stmt>, free: Option<&Stmt>) {
        let StmtKind::Expr(e) = &option.kind else { return };
        if !requires_timeout(e) {
            return;
        }
        let d = warning("dead-timeout", option.at.0, "this `timeout` is never executable");
        match (free, otherwise) {
            (Some(free), _) => self.said.push(d.also(free.at.0, "this option is always executable")),
            (None, Some(otherwise)) => self.said.push(
                d.also(otherwise.at.0, "this `else` is taken first")
                    .note("`timeout` waits until no process can move, and an `else` is a move"),
            ),
            (None, None) => {}
        }
    }

    /// `x = 1 ->` beside an `else`, or beside a comparison of the same variable; whether it was reported.
    fn assigned_guard(&mut self, options: &[Sequence], guards: &[Option<&Stmt>], otherwise: Option<&Stmt>) -> bool {
        let mut found = false;
        for (option, guard) in options.iter().zip(guards) {
            let Some(guard) = guard else { continue };
            let StmtKind::Assign(target, value) = &guard.kind else { continue };
            // `:: x = 1; y = 2` is an ordinary option; an arrow behind it, or nothing at all beside tests of the same
            // variable, looks like a condition.
            let compared = guards.iter().flatten().any(|g| matches!(&g.kind, StmtKind::Expr(e) if tests(e, target)));
            let arrow = self.arrow_after(option, guard);
            if guard.at.0.expansion != ferrospin_source::ExpansionId::NONE
                || !(arrow && (otherwise.is_some() || compared))
            {
                continue;
            }
            found = true;
            let (left, right) = (self.map.snippet(target.at.0), self.map.snippet(value.at.0));
            let mut d =
                warning("assign-in-guard", guard.at.0, format!("`{left} = {right}` assigns; it does not compare"))
                    .label("always executable");
            if let Some(otherwise) = otherwise {
                d = d.also(otherwise.at.0, "so that this `else` is never taken");
            }
            let span = Span { lo: target.at.0.hi, hi: value.at.0.lo, expansion: target.at.0.expansion };
            let operator = self.map.snippet(span);
            if operator.trim() == "=" {
                d = d.suggest(span, operator.replace('=', "=="), "did you mean `==`?");
            }
            self.said.push(d);
        }
        found
    }

    /// Whether the text has an arrow right behind the guard of an option.
    fn arrow_after(&self, option: &Sequence, guard: &Stmt) -> bool {
        let next = option.steps.iter().find(|s| s.at.0.lo >= guard.at.0.hi && s.at.0.expansion == guard.at.0.expansion);
        let Some(next) = next else { return false };
        let lo = next.labels.first().map_or(next.at.0.lo, |l| l.at.0.lo.min(next.at.0.lo));
        let span = Span { lo: guard.at.0.hi, hi: lo, expansion: guard.at.0.expansion };
        self.map.snippet(span).trim_start().trim_start_matches(')').trim_start().starts_with("->")
    }

    fn duplicates(&mut self, options: &[Sequence]) {
        if options.len() > COMPARED_MAX {
            return;
        }
        for (i, option) in options.iter().enumerate() {
            // Labels are names of their own, so options with labels are never the same.
            if let Some(first) = options[..i].iter().find(|o| *o == option && !o.steps.is_empty()) {
                let (here, there) = (first_span(option), first_span(first));
                self.said.push(
                    warning("duplicate-option", here, "this option says the same as an earlier one")
                        .also(there, "the same option"),
                );
            }
        }
    }
}

fn first_span(sequence: &Sequence) -> Span {
    sequence.steps.first().map_or(sequence.at.0, |s| s.at.0)
}

/// Whether an expression is true only when `timeout` is.
fn requires_timeout(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Timeout => true,
        ExprKind::Binary(BinaryOp::And, x, y) => requires_timeout(x) || requires_timeout(y),
        _ => false,
    }
}

/// Whether an expression compares a variable.
fn tests(e: &Expr, var: &VarRef) -> bool {
    match &e.kind {
        ExprKind::Binary(BinaryOp::Eq | BinaryOp::Ne, x, y) => {
            [x, y].iter().any(|side| matches!(&side.kind, ExprKind::Ref(r) if r == var))
        }
        ExprKind::Binary(BinaryOp::And | BinaryOp::Or, x, y) => tests(x, var) || tests(y, var),
        _ => false,
    }
}
