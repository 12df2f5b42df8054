//! Safety and safety formulas of a Promela model in one search: what [`ferrospin_check::together`] needs of it.
//!
//! Which formulas those are is seen from the automaton of the negation ([`BadPrefixes`]), not from their text. A claim that looks at
//! all their propositions, and never moves, is laid out beside the processes, so that passes and reduction keep what the
//! formulas see; its frame is the slot of their automata. Formulas that may count steps get a search of their own, without merging and
//! reduction. What a search finds is run by the interpreter, and the formula evaluated on it from its definition, before it is told.

use crate::executors::Maker;
use crate::front::Front;
use crate::liveness::{Asked, confirm_stem, is_blind};
use crate::prepare::{Notices, Prepared, prepare};
use crate::report::{ErrorKind, PropertyKind, Violation};
use crate::self_check::SelfCheck;
use crate::subject::{Graphs, Kept};
use crate::verify::{Closing, Emptiness, Engine, Options, Proviso, Refusal};
use ferrospin_check::cycles::NO_FAIRNESS;
use ferrospin_check::subject::{Answer, Finding, Reference, Stated, Task};
use ferrospin_check::together::{self, Found, Together};
use ferrospin_check::{safety, verify};
use ferrospin_lower::claim::Property;
use ferrospin_ltl::{AtomId, BadPrefixes, Label, Labels, Target, translate};
use ferrospin_model::ir::{Action, Edge, EdgeId, Expr, Location, LocationId, Model, Process, ProcessId, ProcessKind};
use ferrospin_model::observer::ClaimObserver;
use ferrospin_model::passes::walk::{self, Item};
use ferrospin_search::automaton::Cube;
use ferrospin_search::cycles::Lasso;
use ferrospin_search::prefixes::{BadPrefix, PrefixEdge, PrefixSlot};
use ferrospin_search::safety::Outcome;
use ferrospin_source::Span;
use std::sync::Arc;

/// States of the automaton of one formula.
const STATES_MAX: usize = 64;
/// Propositions of all formulas of a search.
const PROPOSITIONS_MAX: usize = 48;

/// A safety formula.
struct SafetyFormula<'a> {
    /// Its place among the properties.
    at: usize,
    property: &'a Property,
    prefixes: BadPrefixes,
    labels: Labels,
    is_blind: bool,
}

/// Why all properties are searched for one by one.
fn is_apart(options: &Options, keeps_search: bool) -> bool {
    let is_special = options.under.is_some() || options.swarm.is_some() || options.walk || keeps_search;
    // Without reduction and passes each count is SPIN's.
    let is_plain = !options.partial_order && !options.optimize;
    is_special
        || is_plain
        || options.emptiness != Emptiness::Auto
        || options.stutter_close != Closing::Off
        || options.proviso != Proviso::Auto
        || options.errors_max != Some(1)
        || matches!(options.engine, Engine::Gpu | Engine::Auto)
}

/// Answers the properties that one search can answer; see [`ferrospin_check::Subject::answer_together`].
pub(crate) fn answer(
    (front, model, asked): (&Front, &Arc<Model>, &Asked<'_>),
    properties: &[Stated],
    task: &Task<'_>,
    reference: &mut dyn Reference,
) -> Result<Vec<Option<Answer>>, Refusal> {
    let mut answers: Vec<Option<Answer>> = properties.iter().map(|_| None).collect();
    if is_apart(task.options, task.storage.keeps_search()) || !model.unmatched.is_empty() || model.has_claimed_ends() {
        return Ok(answers);
    }
    let mut model = Model::clone(model);
    let has_atomic = model.edges.iter().any(|e| e.atomic);
    let mut formulas = Vec::new();
    for (at, stated) in properties.iter().enumerate().filter(|(_, p)| p.kind == PropertyKind::Ltl) {
        let Some((property, uses)) = asked.formula(&stated.name) else { continue };
        // A run that never leaves an `atomic` repeats a letter for ever, which no search by stored states shows.
        let counts_beside = |formula: &SafetyFormula<'_>| has_atomic && !formula.is_blind;
        if let Some(formula) = safety_formula(at, property).filter(|formula| !counts_beside(formula)) {
            model.uses = model.uses.union(uses);
            formulas.push(formula);
        }
    }
    let safety = properties.iter().position(|p| *p == Stated::safety());
    let mut groups: Vec<(Vec<SafetyFormula<'_>>, Option<usize>)> = vec![(Vec::new(), safety)];
    formulas.sort_by_key(|f| !f.is_blind);
    for formula in formulas {
        let (last, _) = groups.last().expect("there is one");
        let other = if last.is_empty() { !formula.is_blind } else { last[0].is_blind != formula.is_blind };
        let (atoms, numbers) = last
            .iter()
            .fold((0, 1), |(atoms, numbers), f| (atoms + f.property.atoms.len(), numbers * f.prefixes.edges.len()));
        let is_full = last.len() == together::FORMULAS_MAX
            || atoms + formula.property.atoms.len() > PROPOSITIONS_MAX
            || numbers * formula.prefixes.edges.len() > 256;
        match groups.last_mut() {
            Some((last, _)) if !other && !is_full => last.push(formula),
            _ => groups.push((vec![formula], None)),
        }
    }
    let groups: Vec<_> = groups.into_iter().filter(|(formulas, _)| !formulas.is_empty()).collect();
    let answered: usize = groups.iter().map(|(formulas, safety)| formulas.len() + usize::from(safety.is_some())).sum();
    let mut searches = properties.len() - answered + groups.len();
    for (formulas, safety) in &groups {
        let rest = task.options.deadline().map(|end| end.saturating_duration_since(std::time::Instant::now()));
        let options = verify::share(task.options, rest, searches);
        searches -= 1;
        let group = Group { front, asked, model: &model, formulas, safety: *safety, properties };
        for (at, answer) in group.search(&task.with(&options), reference)? {
            answers[at] = Some(answer);
        }
    }
    Ok(answers)
}

/// A formula whose automaton shows that it is a safety formula, and that does nothing but look.
fn safety_formula(at: usize, property: &Property) -> Option<SafetyFormula<'_>> {
    if !property.atoms.iter().all(only_looks) || property.atoms.len() > PROPOSITIONS_MAX {
        return None;
    }
    let (mut formulas, mut labels) = (property.formulas.clone(), Labels::new());
    let negated = formulas.not(property.formula);
    let automaton = translate(&mut formulas, negated, Target::Buchi, &mut labels).ok()?;
    let prefixes = BadPrefixes::of(&automaton, &mut labels, STATES_MAX)?;
    Some(SafetyFormula { at, property, prefixes, labels, is_blind: is_blind(property) })
}

/// Whether a proposition asks for nothing but values and places.
fn only_looks(atom: &Expr) -> bool {
    let mut looks = true;
    walk::action(&Action::Guard(atom.clone()), &mut |item| {
        looks &= !matches!(
            item,
            Item::Expr(
                Expr::Timeout
                    | Expr::NonProgress
                    | Expr::Last
                    | Expr::Enabled(_)
                    | Expr::PcValue(_)
                    | Expr::Priority(_)
                    | Expr::Foreign
            )
        );
    });
    looks
}

/// Properties of one search.
struct Group<'a> {
    front: &'a Front,
    asked: &'a Asked<'a>,
    model: &'a Model,
    formulas: &'a [SafetyFormula<'a>],
    safety: Option<usize>,
    properties: &'a [Stated],
}

impl Group<'_> {
    /// Searches; the answers with their places among the properties.
    fn search(&self, task: &Task<'_>, reference: &mut dyn Reference) -> Result<Vec<(usize, Answer)>, Refusal> {
        let options = task.options;
        let is_blind = self.formulas[0].is_blind;
        let model = Arc::new(with_watcher(self.model, self.formulas));
        let prepared = prepare(&model, options, if is_blind { Notices::Failures } else { Notices::Steps });
        let Some(observer) = ClaimObserver::new(&prepared.model) else { return Ok(Vec::new()) };
        let edges = &observer.locations[0].edges;
        let mut first = 0;
        let mut automata = Vec::new();
        for formula in self.formulas {
            let guards: Vec<_> = edges[first..][..formula.property.atoms.len()].iter().map(|e| e.guard).collect();
            automata.push(automaton(formula, &guards));
            first += guards.len();
        }
        let (_, at) = prepared.model.layout.claim.expect("the watcher is laid out");
        let slot = PrefixSlot { at: at as usize, size: prepared.model.layout.location_size as usize };
        let observed = Arc::new(observer.observed(&prepared.model));
        let check = self_check(&prepared, options, observer.propositions.clone());
        let maker = Maker::new(&observed, options, check);
        let kept = if is_blind { Kept::Visible } else { Kept::Steps };
        let graphs = Graphs::new(self.front, prepared, maker, kept).telling(observer.propositions);
        let together = Together { executors: &graphs, formulas: automata, slot, safety: self.safety.is_some() };
        if !together.fits() || options.self_check.is_some() && !together.is_stateless() {
            return Ok(Vec::new());
        }
        let (decided, outcome) = together::search(&together, reference, task)?;
        let mut names: Vec<String> = self.safety.iter().map(|at| self.properties[*at].name.clone()).collect();
        names.extend(self.formulas.iter().map(|f| self.properties[f.at].name.clone()));
        let mut answers = Vec::new();
        for (i, found) in decided.into_iter().enumerate() {
            let formula = self.formulas.get(i);
            let Some(place) = formula.map(|f| f.at).or(self.safety) else { continue };
            let stated = &self.properties[place];
            let mut report = found.report(&stated.name, stated.kind, &names);
            if formula.is_some() && options.fair {
                report.notes.push(NO_FAIRNESS.into());
            }
            let answer = match (found.found, formula) {
                // The search for this formula alone tells what is wrong.
                (Found::Unevaluable, _) => continue,
                (Found::Nothing, None) => safety::answer(report, Outcome { violations: Vec::new(), ..outcome.clone() }),
                (Found::Violated(violation, _), None) => {
                    report.error = Some(safety::violation(reference, &violation));
                    safety::answer(report, Outcome { violations: vec![violation], ..outcome.clone() })
                }
                (Found::Nothing, Some(_)) => Answer { report, finding: None, others: Vec::new(), taken: None },
                (Found::Violated(violation, _), Some(formula)) => {
                    let lasso = Lasso { stem: violation.trail, cycle: Vec::new() };
                    confirm_stem(self.model, formula.property, &lasso.stem).map_err(|why| {
                        Refusal::Refused(format!(
                            "internal error: the counterexample of `{}` is none: {why}",
                            stated.name
                        ))
                    })?;
                    report.error = Some(Violation {
                        kind: ErrorKind::AcceptanceCycle,
                        message: "the formula fails, whatever follows".into(),
                        location: self.place(formula.property.span).or_else(|| self.asked.place(&stated.name)),
                        depth: Some(lasso.stem.len() as u64),
                    });
                    Answer { report, finding: Some(Finding::Lasso(lasso)), others: Vec::new(), taken: None }
                }
            };
            answers.push((place, answer));
        }
        Ok(answers)
    }

    fn place(&self, span: Span) -> Option<crate::report::Location> {
        let place = self.front.map.position(span)?;
        Some(crate::report::Location { file: place.file.to_string(), line: place.line, column: place.column })
    }
}

/// The model with a claim that looks at all propositions and does nothing.
fn with_watcher(model: &Model, formulas: &[SafetyFormula<'_>]) -> Model {
    let mut model = model.clone();
    let process = ProcessId(model.processes.len() as u32);
    let at = LocationId(model.locations.len() as u32);
    let atoms = formulas.iter().flat_map(|f| &f.property.atoms);
    let mut edges = Vec::new();
    for guard in atoms.cloned().chain([Expr::Const(1)]) {
        edges.push(EdgeId(model.edges.len() as u32));
        let action = Action::Guard(guard);
        let (then, span) = (Vec::new(), Span::NONE);
        model.edges.push(Edge { from: at, to: at, action, then, atomic: false, escape: 0, span });
    }
    model.locations.push(Location {
        process,
        edges,
        end: false,
        accept: false,
        progress: false,
        inside_d_step: false,
        labels: Vec::new(),
        span: Span::NONE,
    });
    model.processes.push(Process {
        name: "watched".into(),
        kind: ProcessKind::Never,
        entry: at,
        locals: Vec::new(),
        params: Vec::new(),
        channels: Vec::new(),
        init: Vec::new(),
        provided: None,
        exclusive: Vec::new(),
        priority: 1,
        deterministic: false,
        frame_size: model.layout.location_size,
        span: Span::NONE,
    });
    model.with_claim(process)
}

/// The automaton of a formula over the propositions of the watcher, given what its edges ask for.
fn automaton(formula: &SafetyFormula<'_>, guards: &[Option<(u64, u64)>]) -> BadPrefix {
    let mut labels = formula.labels.clone();
    let cube = |literals: Vec<(AtomId, bool)>| {
        literals.into_iter().try_fold(Cube::default(), |cube, (AtomId(atom), holds)| {
            match (guards[atom as usize], holds) {
                (Some((0, 0)), true) | (None, false) => Some(cube),
                (Some((0, 0)), false) | (None, true) => None,
                (Some((bit, _)), true) => Some(Cube { holding: cube.holding | bit, ..cube }),
                (Some((bit, _)), false) => Some(Cube { failing: cube.failing | bit, ..cube }),
            }
        })
    };
    let mut edge = |(label, target): &(Label, Option<usize>)| PrefixEdge {
        guard: labels.cover(*label).into_iter().filter_map(&cube).filter(|c| c.holding & c.failing == 0).collect(),
        target: target.map(|t| t as u32),
    };
    BadPrefix { states: formula.prefixes.edges.iter().map(|edges| edges.iter().map(&mut edge).collect()).collect() }
}

/// The self-check of the search, where one is asked for; the same propositions are told on the plain graphs.
fn self_check(prepared: &Prepared, options: &Options, propositions: Vec<Expr>) -> Option<Arc<SelfCheck>> {
    let observed = move |mut prepared: Prepared| {
        for model in [&mut prepared.model, &mut prepared.plain] {
            *model = Arc::new(model.with_propositions(propositions.iter().cloned()));
        }
        prepared
    };
    let (first, plain) = (prepared.clone(), prepared.plain.clone());
    options.self_check.map(|share| {
        let prepared = observed(first);
        SelfCheck::new(share, prepared, move |passes| observed(Prepared::by(&plain, passes)))
    })
}
