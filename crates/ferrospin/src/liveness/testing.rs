//! Formulas by testing automata: [`ferrospin_search::emptiness::testing`] beside the model, without a claim.
//!
//! Propositions are evaluated by a claim that never moves: one location with a loop for each proposition, so that the
//! loops that can be taken are the propositions that hold. Whatever executes the model thereby evaluates them too.

use super::{Answer, Question, answer, finish, reduced};
use crate::executors::Maker;
use crate::front::Front;
use crate::prepare::{Notices, prepare};
use crate::report::PropertyKind;
use crate::searching::Searched;
use crate::verify::{Emptiness, Options, Refusal};
use crate::watch::Watch;
use ferrospin_lower::claim::{self, Property};
use ferrospin_ltl::{AtomId, Labels, Stuttering, Target, Testing as Table, stuttering, translate};
use ferrospin_model::ir::{Action, Edge, EdgeId, Expr, Location, LocationId, Model, Process, ProcessId, ProcessKind};
use ferrospin_search::emptiness::livelock::{self, Order};
use ferrospin_search::emptiness::product::{Goal, Product};
use ferrospin_search::emptiness::testing::{Automaton, Testing};
use ferrospin_search::emptiness::{Explorer, Figures, Verdict as Found, couvreur};
use ferrospin_search::observe::{Observer, Progress};
use ferrospin_store::Exact;
use ferrospin_system::{Control, Machine, Moves, StateHash, Store};
use std::sync::Arc;

/// Checks a formula by a testing automaton.
pub(super) fn check(
    front: &Front,
    model: &Arc<Model>,
    options: &Options,
    name: &str,
    property: &Property,
) -> Result<Answer, Refusal> {
    let refuse = |why: String| Refusal::Refused(format!("`--emptiness testing`: {why}"));
    if options.fair {
        return Err(refuse("testing automata know no fairness; `couvreur` does".into()));
    }
    let mut formulas = property.formulas.clone();
    let mut labels = Labels::new();
    let no = formulas.not(property.formula);
    let error = |why| Refusal::Refused(format!("the formula `{name}` has no automaton here: {why}"));
    if let Stuttering::Sensitive { .. } = stuttering(&mut formulas, no, &mut labels).map_err(error)? {
        return Err(refuse(format!("`{name}` depends on stuttering; `ferrospin ltl --check-stutter` shows words")));
    }
    let buchi = translate(&mut formulas, no, Target::Buchi, &mut labels).map_err(error)?;
    let Some(table) = Table::new(&buchi, &labels) else {
        return Err(refuse(format!("the testing automaton of `{name}` would be too large")));
    };
    let watch = Watch::start(options);
    let maker = Maker::new(model, options, None);
    let one_pass = table.only_livelocks();
    let (single, rest) = table.single_pass();
    let chosen = if one_pass { &table } else { &single };
    let automaton = Arc::new(Automaton {
        initial: chosen.initial.clone(),
        edges: chosen.edges.clone(),
        recurrent: chosen.recurrent.clone(),
        livelock: chosen.livelock.clone(),
        rest: (!one_pass).then_some(rest),
    });
    let question = Question {
        name,
        kind: PropertyKind::Ltl,
        goal: Goal::Accepting,
        claim: None,
        property: Some(property),
        stutters: true,
        ends_early: false,
        only_infinite: false,
    };
    let mut letters = Letters::new(model, options, property, &table.atoms);
    let graph = Product::<u8>::new(maker.machine(), question.product(options));
    let graph = Testing::new(graph, automaton, move |state: &[u8]| letters.of(state));
    let store = Exact::new(&ferrospin_store::Options::limited(watch.memory_max_bytes() / 4 * 3));
    let go_on = &mut |figures: &Figures| {
        watch.go_on(&Progress {
            states: figures.states,
            matched: figures.transitions.saturating_sub(figures.states),
            depth: figures.depth,
            memory_bytes: store.memory_bytes() + 16 * figures.states,
            ..Progress::default()
        })
    };
    let mut x = Explorer::new(graph, store.handle(), StateHash::new(0));
    let outcome =
        if one_pass { livelock::search(&mut x, Order::BreadthFirst, go_on) } else { couvreur::search(&mut x, go_on) };
    drop(x);
    if matches!(outcome.verdict, Found::Empty) && outcome.cut.any() {
        // Runs that fail or never leave an `atomic` need the claim, which may see a violation before.
        let (with, claim) = claim::add(model, property).map_err(error)?;
        let question = Question { claim: Some(claim), ends_early: true, ..question };
        let options = Options { emptiness: Emptiness::Auto, ..options.clone() };
        return answer(front, &Arc::new(with.with_claim(claim)), &options, &question);
    }
    let searched = Searched { outcome, algorithm: Emptiness::Testing, threads: 1, store_bytes: store.memory_bytes() };
    let plain = prepare(model, false, Notices::Steps);
    let mut found = finish(front, &plain, options, &question, searched, &maker, &watch)?;
    let form = if one_pass { "one pass for livelocks" } else { "the single-pass form" };
    let size = format!("{} states", chosen.edges.len());
    found.report.notes.push(format!("testing automaton of {size}, {form}"));
    found.report.notes.extend(reduced::off(options, Emptiness::Testing));
    Ok(found)
}

/// Tells which propositions hold in a state.
struct Letters {
    machine: Box<dyn Machine>,
    /// The claim's frame, and where it stands in a state.
    frame: Vec<u8>,
    at: usize,
    /// Edges of the claim from here on are propositions.
    first: u32,
    count: u32,
    state: Vec<u8>,
    moves: Moves,
}

impl Letters {
    fn new(model: &Arc<Model>, options: &Options, property: &Property, atoms: &[AtomId]) -> Letters {
        let exprs = atoms.iter().map(|AtomId(i)| property.atoms[*i as usize].clone()).chain([Expr::Const(1)]);
        let (with, first) = with_loops(model, property, exprs);
        let at = model.layout.fixed_size as usize;
        let size = with.layout.fixed_size as usize - at;
        let mut machine = Maker::new(&Arc::new(with), options, None).machine();
        let mut state = Vec::new();
        // Without an initial state no letter is asked for.
        let starts = machine.initial(&mut state).is_ok();
        let frame = if starts { state[at..at + size].to_vec() } else { vec![0; size] };
        Letters { machine, frame, at, first, count: atoms.len() as u32, state, moves: Moves::default() }
    }

    fn of(&mut self, state: &[u8]) -> u16 {
        self.state.clear();
        self.state.extend_from_slice(&state[..self.at]);
        self.state.extend_from_slice(&self.frame);
        self.state.extend_from_slice(&state[self.at..]);
        self.machine.moves(&self.state, Control::Free, &mut self.moves);
        let bits = self.moves.list.iter().map(|m| m.claim.wrapping_sub(self.first)).filter(|i| *i < self.count);
        bits.fold(0, |letter, i| letter | 1 << i)
    }
}

/// The model with a claim of one location that has a loop for each expression, and the first of these edges.
fn with_loops(model: &Model, property: &Property, exprs: impl Iterator<Item = Expr>) -> (Model, u32) {
    let mut model = model.clone();
    let process = ProcessId(model.processes.len() as u32);
    let at = LocationId(model.locations.len() as u32);
    let first = model.edges.len() as u32;
    let mut edges = Vec::new();
    for expr in exprs {
        edges.push(EdgeId(model.edges.len() as u32));
        model.edges.push(Edge {
            from: at,
            to: at,
            action: Action::Guard(expr),
            then: Vec::new(),
            atomic: false,
            escape: 0,
            span: property.span,
        });
    }
    model.locations.push(Location {
        process,
        edges,
        end: false,
        accept: false,
        progress: false,
        inside_d_step: false,
        labels: Vec::new(),
        span: property.span,
    });
    model.processes.push(Process {
        name: property.name.clone(),
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
        span: property.span,
    });
    (model.with_claim(process), first)
}
