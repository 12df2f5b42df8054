//! Formulas as claims: a process graph that accepts exactly the runs on which a formula fails.
//!
//! A [`Property`] is a formula whose propositions are expressions of the model. Its negation becomes a Büchi automaton
//! (see `ferrospin_ltl`); states of the automaton become locations, labels of its edges become guards. The claim moves
//! before the processes do, so a guard sees the state the processes are about to leave.

use crate::mutant::{Guard, Mutant};
use ferrospin_ltl::{AtomId, Automaton, Formula, Formulas, Label, Labels, Target, TranslateError, translate};
use ferrospin_model::ir::{
    Action, Binary, Edge, EdgeId, Expr, Location, LocationId, Model, Process, ProcessId, ProcessKind, Unary,
};
use ferrospin_source::Span;
use std::sync::Arc;

/// The most states the automaton of a formula may have; location numbers leave room for them.
pub const LOCATIONS_MAX: usize = 100;

/// A formula over the states of a model.
#[derive(Clone)]
pub struct Property {
    /// Its name.
    pub name: Arc<str>,
    /// The arena of the formula.
    pub formulas: Formulas,
    /// The formula.
    pub formula: Formula,
    /// The propositions, by [`AtomId`].
    pub atoms: Vec<Expr>,
    /// The propositions as they are written; empty where they are written nowhere.
    pub texts: Vec<Arc<str>>,
    /// Where it is written.
    pub span: Span,
}

/// Adds the claim of a property to a model: the claim accepts the runs that violate it.
pub fn add(model: &Model, property: &Property) -> Result<(Model, ProcessId), TranslateError> {
    add_mutated(model, property, Mutant::NONE)
}

/// The same with a condition that may be missing; for tests.
pub fn add_mutated(model: &Model, property: &Property, mutant: Mutant) -> Result<(Model, ProcessId), TranslateError> {
    let mut formulas = property.formulas.clone();
    let mut labels = Labels::new();
    let lacks = mutant.lacks(Guard::ClaimNegated);
    let negated = if lacks { property.formula } else { formulas.not(property.formula) };
    let automaton = translate(&mut formulas, negated, Target::Buchi, &mut labels)?;
    automaton_mutated(model, property, &automaton, &mut labels, mutant)
}

/// Adds a Büchi automaton as a claim: it accepts the runs that are violations. Name, propositions and place are those of
/// `property`; its formula is not looked at.
pub fn add_automaton(
    model: &Model,
    property: &Property,
    automaton: &Automaton,
    labels: &mut Labels,
) -> Result<(Model, ProcessId), TranslateError> {
    automaton_mutated(model, property, automaton, labels, Mutant::NONE)
}

fn automaton_mutated(
    model: &Model,
    property: &Property,
    automaton: &Automaton,
    labels: &mut Labels,
    mutant: Mutant,
) -> Result<(Model, ProcessId), TranslateError> {
    if automaton.state_count() > LOCATIONS_MAX {
        return Err(TranslateError::TooManyStates(LOCATIONS_MAX));
    }
    let mut model = model.clone();
    // What the model's own labels accept says nothing about the formula.
    if !mutant.lacks(Guard::ClaimAlone) {
        model.locations.iter_mut().for_each(|l| l.accept = false);
    }
    let process = ProcessId(model.processes.len() as u32);
    let first = model.locations.len() as u32;
    let at = |s: u32| LocationId(first + s);
    // Inside an endless `atomic` a claim stands still for ever, and not every state may accept that.
    let recurrent = automaton.recurrent();
    for s in automaton.states() {
        model.locations.push(Location {
            process,
            edges: Vec::new(),
            end: false,
            accept: recurrent[s.0 as usize] && (automaton.mark_count == 0 || automaton.accepting(s))
                || mutant.lacks(Guard::ClaimAccepting),
            progress: false,
            inside_d_step: false,
            labels: Vec::new(),
            span: property.span,
        });
    }
    for s in automaton.states() {
        for e in automaton.out(s) {
            let id = EdgeId(model.edges.len() as u32);
            let guard = guard(labels, e.label, &property.atoms);
            model.locations[at(s.0).index()].edges.push(id);
            model.edges.push(Edge {
                from: at(s.0),
                to: at(e.target.0),
                action: Action::Guard(guard),
                then: Vec::new(),
                atomic: false,
                escape: 0,
                span: property.span,
            });
        }
    }
    model.processes.push(Process {
        name: property.name.clone(),
        kind: ProcessKind::Never,
        entry: at(automaton.initial.0),
        locals: Vec::new(),
        params: Vec::new(),
        channels: Vec::new(),
        init: Vec::new(),
        provided: None,
        exclusive: Vec::new(),
        priority: 1,
        deterministic: false,
        frame_size: model.layout.location_size,
        span: property.span,
    });
    Ok((model, process))
}

/// The model with a claim that ends where it accepts whatever follows: such a violation is seen at once, and no cycle needs to be
/// found for it. Edges keep their numbers. `None` where the claim has no such location.
pub fn ending_early(model: &Model, claim: ProcessId) -> Option<Model> {
    ending_mutated(model, claim, Mutant::NONE)
}

/// The same with a condition that may be missing; for tests.
pub fn ending_mutated(model: &Model, claim: ProcessId, mutant: Mutant) -> Option<Model> {
    let is_true = |action: &Action| matches!(action, Action::Guard(Expr::Const(value)) if *value != 0);
    let stays = |e: &Edge| {
        e.to == e.from && (is_true(&e.action) || mutant.lacks(Guard::EndingTrue)) && e.then.is_empty() && !e.atomic
    };
    let accepts_all = |l: &&Location| l.process == claim && l.accept && l.edges.len() == 1;
    let loops = model.locations.iter().filter(accepts_all).map(|l| l.edges[0]).filter(|e| stays(model.edge(*e)));
    let loops: Vec<EdgeId> = loops.collect();
    let entry = model.process(claim).entry;
    // A claim that accepts everything from the start on reads nothing before its end.
    let at_entry = loops.iter().any(|e| model.edge(*e).from == entry);
    if loops.is_empty() || at_entry {
        return None;
    }
    let mut model = model.clone();
    for id in loops {
        let edge = &mut model.edges[id.index()];
        (edge.action, edge.to) = (Action::End, LocationId::EXIT);
        let at = edge.from.index();
        model.locations[at].accept = false;
    }
    Some(model)
}

/// A label as an expression: a sum of cubes.
fn guard(labels: &mut Labels, label: Label, atoms: &[Expr]) -> Expr {
    let join = |op, a: Option<Expr>, b: Expr| {
        Some(match a {
            None => b,
            Some(a) => Expr::Binary(op, Box::new(a), Box::new(b)),
        })
    };
    let literal = |(AtomId(i), value): &(AtomId, bool)| {
        let atom = atoms[*i as usize].clone();
        if *value { atom } else { Expr::Unary(Unary::Not, Box::new(atom)) }
    };
    let mut sum = None;
    for cube in labels.cover(label) {
        let mut product = None;
        for l in &cube {
            product = join(Binary::And, product, literal(l));
        }
        sum = join(Binary::Or, sum, product.unwrap_or(Expr::Const(1)));
    }
    sum.unwrap_or(Expr::Const(0))
}
