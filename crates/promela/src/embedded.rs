//! Embedded C: all of its fragments in a program, in the order of the text, and where they stand.
//!
//! What the C means is not looked into here. A fragment in the body of an inline is found where the inline is called, once for each
//! call, as its text may differ.

use crate::ast::{CFragment, CObject, Expr, ExprKind, Program, Stmt, StmtKind, Unit};
use crate::lints::walk::{self, Visitor};

/// What a fragment is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// `c_code` in a body: a step.
    Statement,
    /// `c_expr`.
    Value,
}

/// A fragment that is run.
#[derive(Clone, Debug)]
pub struct Fragment {
    /// The unit it stands in, by position.
    pub unit: usize,
    /// What it is.
    pub kind: Kind,
    /// The text.
    pub c: CFragment,
}

/// The embedded C of a program.
#[derive(Clone, Debug, Default)]
pub struct Embedded {
    /// `c_decl`.
    pub declarations: Vec<CFragment>,
    /// `c_code` outside of bodies.
    pub definitions: Vec<CFragment>,
    /// `c_state`.
    pub state: Vec<CObject>,
    /// `c_track`.
    pub tracked: Vec<CObject>,
    /// What is run.
    pub fragments: Vec<Fragment>,
}

impl Embedded {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.declarations.is_empty()
            && self.definitions.is_empty()
            && self.state.is_empty()
            && self.tracked.is_empty()
            && self.fragments.is_empty()
    }
}

/// Collects the embedded C of a program.
pub fn embedded(program: &Program) -> Embedded {
    let mut found = Embedded::default();
    for (unit, u) in program.units.iter().enumerate() {
        match u {
            Unit::CDecl(c) => found.declarations.push(c.clone()),
            Unit::CCode(c) => found.definitions.push(c.clone()),
            Unit::CState(o) => found.state.push(o.clone()),
            Unit::CTrack(o) => found.tracked.push(o.clone()),
            _ => {
                let mut collector = Collector { unit, list: &mut found.fragments };
                walk::unit(u, &mut collector);
            }
        }
    }
    found
}

struct Collector<'a> {
    unit: usize,
    list: &'a mut Vec<Fragment>,
}

impl Visitor for Collector<'_> {
    fn enter(&mut self, stmt: &Stmt) {
        if let StmtKind::CCode(c) = &stmt.kind {
            self.list.push(Fragment { unit: self.unit, kind: Kind::Statement, c: c.clone() });
        }
    }

    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::CExpr(c) = &expr.kind {
            self.list.push(Fragment { unit: self.unit, kind: Kind::Value, c: c.clone() });
        }
    }
}
