//! What behaves differently inside a `d_step`: choices take the first executable option, and waiting is an error.

use super::choice::{always_executable, guard};
use super::walk::{self, Visitor};
use super::{Said, warning};
use crate::ast::{BinaryOp, Expr, ExprKind, Program, Sequence, Stmt, StmtKind};

/// Looks at all `d_step`s.
pub(super) fn check(program: &Program, said: &mut Said<'_>) {
    for unit in &program.units {
        walk::unit(unit, &mut DSteps { said, depth: 0 });
    }
}

struct DSteps<'b, 'c> {
    said: &'b mut Said<'c>,
    depth: u32,
}

impl Visitor for DSteps<'_, '_> {
    fn enter(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::DStep(body) => {
                self.depth += 1;
                self.waits(body, true);
            }
            StmtKind::Atomic(body) | StmtKind::Block(body) if self.depth > 0 => self.waits(body, false),
            StmtKind::If(options) | StmtKind::Do(options) if self.depth > 0 => {
                self.choice(options);
                for option in options {
                    self.waits(option, true);
                }
            }
            StmtKind::Select { .. } if self.depth > 0 => self.said.push(
                warning("d-step-choice", stmt.at.0, "inside a `d_step`, `select` always gives the same value")
                    .note("a d_step is deterministic; use `atomic` for a real choice"),
            ),
            _ => {}
        }
    }

    fn leave(&mut self, stmt: &Stmt) {
        if let StmtKind::DStep(_) = stmt.kind {
            self.depth -= 1;
        }
    }
}

impl DSteps<'_, '_> {
    /// Two options that are always executable: the second one does not exist.
    fn choice(&mut self, options: &[Sequence]) {
        let free: Vec<&Stmt> = options.iter().filter_map(guard).filter(|g| always_executable(g)).collect();
        if let [first, second, ..] = free[..] {
            self.said.push(
                warning("d-step-choice", second.at.0, "inside a `d_step`, this option is never taken")
                    .also(first.at.0, "this one comes first and is always executable")
                    .note("a d_step is deterministic; use `atomic` for a real choice"),
            );
        }
    }

    /// A comparison by itself behind the first statement: if it is false, the run ends with an error.
    fn waits(&mut self, body: &Sequence, skip_first: bool) {
        let steps = body.steps.iter().filter(|s| !matches!(s.kind, StmtKind::Decl(_)));
        for stmt in steps.skip(usize::from(skip_first)) {
            if let StmtKind::Expr(Expr { kind: ExprKind::Binary(BinaryOp::Eq, x, _), .. }) = &stmt.kind
                && matches!(x.kind, ExprKind::Ref(_))
            {
                self.said.push(
                    warning("d-step-block", stmt.at.0, "this condition waits, which is an error inside a `d_step`")
                        .note("if it is meant as an assignment write `=`, as a check `assert(...)`"),
                );
            }
        }
    }
}
