//! Process types, labels, mtype constants, inlines and typedefs that nothing refers to.

use super::walk::{self, Visitor};
use super::{Said, mentions, warning};
use crate::ast::{Expr, ExprKind, Program, Stmt, StmtKind, Type, Unit, VarRef};
use crate::names::{BodyKind, Def, Names};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

struct Uses<'a> {
    names: &'a Names,
    /// The body that is walked.
    body: Option<usize>,
    /// Which bodies run which.
    runs: Vec<Vec<usize>>,
    labels: FxHashSet<u32>,
    constants: FxHashSet<Arc<str>>,
    inlines: FxHashSet<Arc<str>>,
}

impl Visitor for Uses<'_> {
    fn enter(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Goto(label) => {
                if let Some(Def::Label(id)) = self.names.def(label) {
                    self.labels.insert(id.0);
                }
            }
            StmtKind::InlineCall { name, .. } => {
                self.inlines.insert(name.name.clone());
            }
            _ => {}
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::RemoteLabel { label, .. } => {
                if let Some(Def::Label(id)) = self.names.def(label) {
                    self.labels.insert(id.0);
                }
            }
            ExprKind::Run { name, .. } => {
                if let (Some(from), Some(Def::Body(to))) = (self.body, self.names.def(name)) {
                    self.runs[from].push(to.index());
                }
            }
            _ => {}
        }
    }

    fn reference(&mut self, reference: &VarRef, _: walk::Access) {
        let first = &reference.path[0].name;
        if let Some(Def::MtypeConst(..)) = self.names.def(first) {
            self.constants.insert(first.name.clone());
        }
    }
}

/// Reports names that nothing refers to.
pub(super) fn check(program: &Program, names: &Names, said: &mut Said<'_>) {
    let mut uses = Uses {
        names,
        body: None,
        runs: vec![Vec::new(); names.bodies.len()],
        labels: FxHashSet::default(),
        constants: FxHashSet::default(),
        inlines: FxHashSet::default(),
    };
    for (i, unit) in program.units.iter().enumerate() {
        uses.body = names.body_of_unit(i).map(|b| b.index());
        walk::unit(unit, &mut uses);
    }
    let words = mentions::elsewhere(program);
    processes(names, &uses, said);
    labels(names, &uses, &words, said);
    for unit in &program.units {
        match unit {
            Unit::Mtype(list) => {
                let unused: Vec<_> = list
                    .constants
                    .iter()
                    .filter(|c| !uses.constants.contains(&c.name) && !words.contains(&*c.name))
                    .collect();
                let Some(first) = unused.first() else { continue };
                let names: Vec<_> = unused.iter().map(|c| format!("`{}`", c.name)).collect();
                let mut d = if unused.len() == list.constants.len() && unused.len() > 1 {
                    warning("unused-mtype", list.at.0, "no constant of this mtype list is ever used")
                } else if unused.len() == 1 {
                    warning("unused-mtype", first.at.0, format!("mtype constant {} is never used", names[0]))
                } else {
                    warning("unused-mtype", first.at.0, format!("mtype constants {} are never used", names.join(", ")))
                };
                // One message per list, whatever is left over in it.
                if unused.len() < list.constants.len() {
                    for c in unused.iter().skip(1) {
                        d = d.also(c.at.0, "nor this one");
                    }
                }
                said.push(d);
            }
            Unit::Inline(def) if !uses.inlines.contains(&def.name.name) => {
                let message = format!("inline `{}` is never called", def.name.name);
                said.push(warning("unused-inline", def.name.at.0, message));
            }
            _ => {}
        }
    }
    typedefs(program, names, &words, said);
}

fn processes(names: &Names, uses: &Uses<'_>, said: &mut Said<'_>) {
    let mut live = vec![false; names.bodies.len()];
    let mut todo: Vec<usize> = (0..names.bodies.len())
        .filter(|&i| names.bodies[i].kind != BodyKind::Proctype || names.bodies[i].active > 0)
        .collect();
    while let Some(body) = todo.pop() {
        if !std::mem::replace(&mut live[body], true) {
            todo.extend(&uses.runs[body]);
        }
    }
    // Process types that are run by another one, in one pass: models may have very many process types.
    let mut run_by_other = vec![false; names.bodies.len()];
    for (j, runs) in uses.runs.iter().enumerate() {
        runs.iter().filter(|i| **i != j).for_each(|i| run_by_other[*i] = true);
    }
    for (i, body) in names.bodies.iter().enumerate().filter(|(i, _)| !live[*i]) {
        let message = format!("process type `{}` never runs", body.name);
        let d = warning("unused-process", body.at.0, message);
        said.push(if run_by_other[i] {
            d.note("it is run only by processes that never run themselves")
        } else {
            d.note(format!("start it with `run {}(...)` or make it `active`", body.name))
        });
    }
}

fn labels(names: &Names, uses: &Uses<'_>, words: &FxHashSet<String>, said: &mut Said<'_>) {
    // The body of an inline is there once per call; a label in it is used when one of its copies is.
    let mut places: FxHashMap<(u32, u32), bool> = FxHashMap::default();
    for (i, label) in names.labels.iter().enumerate() {
        *places.entry((label.at.0.lo, label.at.0.hi)).or_default() |= uses.labels.contains(&(i as u32));
    }
    for label in &names.labels {
        let meaning = ["end", "accept", "progress"].iter().any(|p| label.name.starts_with(p));
        let used = places[&(label.at.0.lo, label.at.0.hi)];
        if !meaning && !used && !label.name.starts_with('_') && !words.contains(&*label.name) {
            let lower = label.name.to_ascii_lowercase();
            match ["end", "accept", "progress"].iter().find(|p| lower.starts_with(**p)) {
                Some(prefix) => {
                    let message =
                        format!("label `{}` means nothing: only `{prefix}...` in lower case does", label.name);
                    said.push(warning("label-case", label.at.0, message));
                }
                None => {
                    let message = format!("nothing refers to label `{}`", label.name);
                    said.push(warning("unused-label", label.at.0, message));
                }
            }
        }
    }
}

fn typedefs(program: &Program, names: &Names, words: &FxHashSet<String>, said: &mut Said<'_>) {
    let mut used: FxHashSet<Arc<str>> = FxHashSet::default();
    let mut note = |ty: &Type| {
        if let Type::Named(name) = ty {
            used.insert(name.name.clone());
        }
    };
    struct Decls<'a>(&'a mut dyn FnMut(&Type));
    impl Visitor for Decls<'_> {
        fn decl(&mut self, decl: &crate::ast::VarDecl) {
            (self.0)(&decl.ty);
            for var in &decl.vars {
                if let Some(crate::ast::Initializer::Chan(chan)) = &var.init {
                    chan.fields.iter().for_each(|(ty, _)| (self.0)(ty));
                }
            }
        }
    }
    for unit in &program.units {
        walk::unit(unit, &mut Decls(&mut note));
    }
    for record in &names.records {
        if !used.contains(&record.name) && !words.contains(&*record.name) {
            let message = format!("typedef `{}` is never used", record.name);
            said.push(warning("unused-typedef", record.at.0, message));
        }
    }
}
