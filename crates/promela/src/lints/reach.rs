//! Statements that control never reaches: behind `goto`, `break`, an endless loop, a condition that is always false.
//!
//! One pass over the tree. A statement is reached when the one before it can end, or when something jumps to a label on
//! it or inside it. Only the first statement of an unreachable stretch is reported.

use super::walk::{self, Visitor};
use super::{Said, constant, warning};
use crate::ast::{Program, Sequence, Stmt, StmtKind, Unit};
use crate::names::{Def, Names};
use ferrospin_source::{SourceMap, Span};
use rustc_hash::FxHashSet;

/// Reports unreachable statements.
pub(super) fn check(program: &Program, names: &Names, said: &mut Said<'_>) {
    for unit in &program.units {
        let body = match unit {
            Unit::Proctype(p) => &p.body,
            Unit::Init(i) => &i.body,
            Unit::Never(n) => &n.body,
            Unit::Trace(t) => &t.body,
            _ => continue,
        };
        let mut targets = Targets { names, jumps: FxHashSet::default() };
        walk::sequence(body, &mut targets);
        Reach { names, jumps: targets.jumps, said }.sequence(body);
    }
}

/// Whether control can reach the end of a body.
pub(super) fn can_end(map: &SourceMap, names: &Names, body: &Sequence) -> bool {
    let mut targets = Targets { names, jumps: FxHashSet::default() };
    walk::sequence(body, &mut targets);
    Reach { names, jumps: targets.jumps, said: &mut Said::new(map) }.sequence(body).ends
}

/// Labels that something jumps to.
struct Targets<'a> {
    names: &'a Names,
    jumps: FxHashSet<u32>,
}

impl Visitor for Targets<'_> {
    fn enter(&mut self, stmt: &Stmt) {
        if let StmtKind::Goto(label) = &stmt.kind
            && let Some(Def::Label(id)) = self.names.def(label)
        {
            self.jumps.insert(id.0);
        }
    }
}

struct Reach<'a, 'b, 'c> {
    names: &'a Names,
    jumps: FxHashSet<u32>,
    said: &'b mut Said<'c>,
}

/// How control leaves a statement.
#[derive(Clone, Copy, Default)]
struct Exit {
    /// It can go on behind it.
    ends: bool,
    /// It can `break` out of the loop around it.
    breaks: bool,
}

const ENDS: Exit = Exit { ends: true, breaks: false };

impl Exit {
    fn or(self, other: Exit) -> Exit {
        Exit { ends: self.ends || other.ends, breaks: self.breaks || other.breaks }
    }
}

impl Reach<'_, '_, '_> {
    fn sequence(&mut self, sequence: &Sequence) -> Exit {
        let mut exit = ENDS;
        let mut cause: Option<(Span, &str)> = None;
        for stmt in &sequence.steps {
            if let Some((span, why)) = cause {
                if self.is_entered(stmt) {
                    cause = None;
                    exit.ends = true;
                } else if matches!(stmt.kind, StmtKind::Decl(_) | StmtKind::Empty) {
                    continue;
                } else {
                    // A statement from a macro or inline may well be of use elsewhere.
                    if stmt.at.0.expansion == span.expansion {
                        self.said.push(
                            warning("unreachable", stmt.at.0, "this statement is never reached")
                                .also(span, why.to_owned()),
                        );
                    }
                    break;
                }
            }
            let one = self.stmt(stmt);
            exit = Exit { ends: one.ends, breaks: exit.breaks || one.breaks };
            if !one.ends {
                cause = Some((stmt.at.0, reason(stmt)));
            }
        }
        exit
    }

    /// Whether a jump leads to a statement or into it.
    fn is_entered(&self, stmt: &Stmt) -> bool {
        struct Labels<'a> {
            names: &'a Names,
            jumps: &'a FxHashSet<u32>,
            found: bool,
        }
        impl Visitor for Labels<'_> {
            fn enter(&mut self, stmt: &Stmt) {
                self.found |= stmt.labels.iter().any(|label| match self.names.def(label) {
                    Some(Def::Label(id)) => self.jumps.contains(&id.0),
                    // A label that means nothing was reported as an error; nothing is built on it.
                    _ => true,
                });
            }
        }
        let mut labels = Labels { names: self.names, jumps: &self.jumps, found: false };
        walk::stmt(stmt, &mut labels);
        labels.found
    }

    fn options(&mut self, options: &[Sequence]) -> Exit {
        options.iter().map(|o| self.sequence(o)).fold(Exit::default(), Exit::or)
    }

    fn stmt(&mut self, stmt: &Stmt) -> Exit {
        match &stmt.kind {
            StmtKind::Goto(_) => Exit::default(),
            StmtKind::Break => Exit { ends: false, breaks: true },
            StmtKind::Expr(e) if constant::written(e) == Some(0) => Exit::default(),
            StmtKind::If(options) => self.options(options),
            StmtKind::Do(options) => Exit { ends: self.options(options).breaks, breaks: false },
            StmtKind::ForRange { body, .. } | StmtKind::ForIn { body, .. } => {
                self.sequence(body);
                ENDS
            }
            StmtKind::Atomic(body) | StmtKind::DStep(body) | StmtKind::Block(body) => self.sequence(body),
            StmtKind::Unless(body, escape) => self.stmt(body).or(self.stmt(escape)),
            StmtKind::InlineCall { body, .. } => self.stmt(body),
            _ => ENDS,
        }
    }
}

/// Why control does not go on behind a statement.
fn reason(stmt: &Stmt) -> &'static str {
    match &stmt.kind {
        StmtKind::Goto(_) => "control jumps away here",
        StmtKind::Break => "control leaves the loop here",
        StmtKind::Do(_) => "no `break` ends this loop",
        StmtKind::Expr(_) => "this condition is always false",
        StmtKind::If(_) => "every option leads elsewhere",
        _ => "control does not go on behind this",
    }
}
