//! Names that stand in text which is not walked: embedded C, and inlines that are never called.

use crate::ast::{CFragment, Expr, ExprKind, Program, Stmt, StmtKind, Unit};
use crate::lints::walk::{self, Visitor};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Words of some text.
#[derive(Default)]
struct Words {
    found: FxHashSet<String>,
    called: FxHashSet<Arc<str>>,
}

impl Words {
    fn add(&mut self, text: &str) {
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| !w.is_empty());
        self.found.extend(words.map(str::to_owned));
    }

    fn fragment(&mut self, fragment: &CFragment) {
        self.add(&fragment.text);
        self.add(fragment.precondition.as_deref().unwrap_or(""));
    }
}

impl Visitor for Words {
    fn enter(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::CCode(fragment) => self.fragment(fragment),
            StmtKind::InlineCall { name, .. } => {
                self.called.insert(name.name.clone());
            }
            _ => {}
        }
    }

    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::CExpr(fragment) = &expr.kind {
            self.fragment(fragment);
        }
    }
}

fn walked(program: &Program) -> Words {
    let mut words = Words::default();
    for unit in &program.units {
        match unit {
            Unit::CCode(fragment) | Unit::CDecl(fragment) => words.fragment(fragment),
            Unit::CState(object) | Unit::CTrack(object) => object.strings.iter().for_each(|s| words.add(s)),
            _ => walk::unit(unit, &mut words),
        }
    }
    words
}

/// All words of the embedded C of a model. What C mentions counts as used in every way.
pub(crate) fn in_c(program: &Program) -> FxHashSet<String> {
    walked(program).found
}

/// The same, and the words of inlines that are never called: what is used only there is not called unused.
pub(crate) fn elsewhere(program: &Program) -> FxHashSet<String> {
    let mut words = walked(program);
    for unit in &program.units {
        if let Unit::Inline(def) = unit
            && !words.called.contains(&def.name.name)
        {
            words.add(&def.body);
        }
    }
    words.found
}
