//! Formulas that are lowered behind a model, such as those of the command line.
//!
//! The process graphs stay as they are: what a formula asks for must stand in their states.

use crate::claim::Property;
use crate::embedded::Thing;
use crate::{Fixer, Heads, Lowering};
use ferrospin_model::ir::{Area, LocationId, Model, ProcessId, Uses};
use ferrospin_promela::ast;
use ferrospin_promela::names::{BodyId, LabelId, Names, VarId};
use ferrospin_source::{SourceMap, Span};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Where the states of a model keep what its names mean.
pub struct Scope {
    pub(super) offsets: HashMap<VarId, (Area, u32)>,
    /// Where the objects of embedded C stand.
    pub(super) objects: Vec<(Area, u32)>,
    pub(super) process_of: HashMap<BodyId, ProcessId>,
    pub(super) labels: HashMap<LabelId, LocationId>,
    /// Labels of jumps, at which no process ever stands.
    pub(super) passed: HashSet<LabelId>,
    pub(super) heads: Heads,
}

/// A formula behind a model.
pub struct Formula {
    /// The formula.
    pub property: Property,
    /// What the model and the formula make use of.
    pub uses: Uses,
    /// Whether the formula itself holds embedded C.
    pub foreign: bool,
}

/// What a formula asks for and the model does not keep.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unkept {
    /// Which process has moved last.
    #[error("`_last`")]
    Last,
    /// Priorities of processes.
    #[error("priorities")]
    Priority,
    /// Whether a process stands at a jump.
    #[error("the label `{0}` of a jump")]
    Jump(Arc<str>),
}

impl Scope {
    /// Where a variable stands, or an object of embedded C.
    pub fn place(&self, thing: Thing) -> Option<(Area, u32)> {
        match thing {
            Thing::Var(id) => self.offsets.get(&id).map(|&(area, offset)| (area, self.heads.behind(area, offset))),
            Thing::Object(i) => self.objects.get(i as usize).copied(),
        }
    }

    /// Lowers a formula behind the model that this is the scope of; `names` are those of both. The property has no place in the text
    /// of the model.
    pub fn formula(
        &self,
        model: &Model,
        map: &SourceMap,
        names: &Names,
        name: &str,
        e: &ast::Expr,
    ) -> Result<Formula, Unkept> {
        let mut l = Lowering::new(map, names);
        l.model.uses = Uses { foreign: false, ..model.uses };
        (l.offsets, l.process_of) = (self.offsets.clone(), self.process_of.clone());
        let mut property = l.property(name.into(), e, Span::NONE);
        if let Some(label) = l.holes.iter().find(|label| self.passed.contains(label)) {
            return Err(Unkept::Jump(names.labels[label.index()].name.clone()));
        }
        let foreign = l.model.uses.foreign;
        let uses = Uses { foreign: foreign || model.uses.foreign, ..l.model.uses };
        if uses.last && !model.uses.last {
            return Err(Unkept::Last);
        }
        if uses.priority && !model.uses.priority {
            return Err(Unkept::Priority);
        }
        let fix = Fixer { heads: self.heads, holes: &l.holes, labels: &self.labels };
        property.atoms.iter_mut().for_each(|e| fix.expr(e));
        Ok(Formula { property, uses, foreign })
    }
}
