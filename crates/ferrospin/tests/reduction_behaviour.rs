//! Reduced and full state graphs as labelled transition systems: over the propositions of a formula without `X` they have the same
//! stuttering traces, ends and divergence told apart; with a mistake in the reduction they do not.
//!
//! Traces and not stuttering equivalence: a reduction by ample or stubborn sets keeps formulas of LTL, and may choose before something
//! visible happens what the full graph chooses behind it (`crates/lts/tests/preorders.rs` has the smallest example). How often the
//! graphs are stuttering equivalent all the same is counted.

mod por_support;

use ferrospin::reduction::{Keep, Known, Selector, Weakening};
use ferrospin_interp::Interp;
use ferrospin_interp::describe::{Content, Describer};
use ferrospin_lower::claim::{self, Property};
use ferrospin_lower::lower_all;
use ferrospin_lts::compare::compare;
use ferrospin_lts::traces::stuttering_difference;
use ferrospin_lts::{Builder, Edge, Graph, Label, Notion, Proposition, State, Unwatched, Valuation};
use ferrospin_model::facts::{self, Facts};
use ferrospin_model::ir::{Model, ProcessKind};
use ferrospin_promela::preprocess::Options;
use ferrospin_reduce::{Ample, Stubborn};
use ferrospin_search::expand::{Expander, Sink};
use ferrospin_source::SourceMap;
use ferrospin_system::{Control, Failure, Machine, Move, Moves, Offer, Reduction, members};
use ferrospin_testkit::FolderLoader;
use ferrospin_testkit::generate::generate;
use por_support::TRAPS;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Graphs with more states are left out.
const STATES_MAX: usize = 4000;

/// A model with a formula beside it.
struct Subject {
    name: String,
    /// With the claim of the formula, so that the reduction sees what is visible.
    model: Arc<Model>,
    property: Property,
    /// What a reduction keeps. Failures are shown only where they are kept.
    keep: Keep,
}

fn lower(name: &str, text: &str) -> Option<(Model, Vec<Property>)> {
    let mut map = SourceMap::new();
    let file = map.add_file(name, text);
    let options = Options { defines: Vec::new(), include_dirs: Vec::new() };
    let reading = ferrospin_promela::read(&mut map, file, &options, &mut FolderLoader);
    if reading.diagnostics.has_errors() {
        return None;
    }
    let (lowered, said) = lower_all(&map, &reading.program, &reading.names);
    (!said.has_errors()).then_some((lowered.model, lowered.properties))
}

fn subject(name: &str, text: &str, formula: &str) -> Option<Subject> {
    let (model, properties) = lower(name, &format!("{text}\nltl formula_of_the_test {{ {formula} }}\n"))?;
    let property = properties.last()?.clone();
    let (model, claim) = claim::add(&model, &property).ok()?;
    Some(Subject {
        name: format!("{name}: {formula}"),
        model: Arc::new(model.with_claim(claim)),
        property,
        keep: Keep::Visible,
    })
}

/// A step that is not fatal, and one that is.
struct Arrivals<'a> {
    found: &'a mut Vec<Vec<u8>>,
    failed: &'a mut bool,
}

impl Sink for Arrivals<'_> {
    fn arrive(&mut self, state: &[u8], _: &[Move]) {
        self.found.push(state.to_vec());
    }

    fn fail(&mut self, _: Failure, _: &[Move]) {
        *self.failed = true;
    }

    fn inner_step(&mut self) {}
}

/// The graph of the processes without the claim, whose states carry the propositions of the formula. `None` when it is too large, or
/// something fails.
fn graph(subject: &Subject, mut reduction: Option<Box<dyn Reduction>>) -> Option<Graph> {
    // The claim stays where it is.
    let mut machine = Interp::new(Arc::new(subject.model.with_propositions([])));
    let mut judge = Interp::new(subject.model.clone());
    let mut first = Vec::new();
    machine.initial(&mut first).ok()?;
    let mut ids: HashMap<Vec<u8>, u32> = HashMap::new();
    let mut valuation = Valuation {
        propositions: (0..subject.property.atoms.len()).map(|i| format!("p{i}").into()).collect(),
        ..Valuation::default()
    };
    let mut classes: HashMap<Vec<Proposition>, u32> = HashMap::new();
    let mut builder = Builder::new();
    // Depth first: a set is enough when none of its successors is on the stack.
    let mut stack: Vec<(Vec<u8>, Vec<Vec<u8>>)> = Vec::new();
    let mut on_stack: HashMap<Vec<u8>, ()> = HashMap::new();
    let (mut failed, mut failures) = (false, Vec::new());
    let mut pending = Some(first);
    loop {
        if let Some(state) = pending.take() {
            let id = ids.len() as u32;
            ids.insert(state.clone(), id);
            if ids.len() > STATES_MAX {
                return None;
            }
            let mut set = Vec::new();
            for (i, atom) in subject.property.atoms.iter().enumerate() {
                if judge.holds(&state, atom, false).ok()? {
                    set.push(Proposition(i as u32));
                }
            }
            let next = classes.len() as u32;
            let class = *classes.entry(set).or_insert_with_key(|set| {
                valuation.classes.push(set.clone());
                next
            });
            valuation.class_of.push(class);
            on_stack.insert(state.clone(), ());
            let successors = successors(&mut machine, &mut reduction, &state, &on_stack, &mut failed);
            if failed && subject.keep == Keep::Visible {
                return None;
            }
            if std::mem::take(&mut failed) {
                failures.push(id);
            }
            stack.push((state, successors));
        }
        let Some((state, successors)) = stack.last_mut() else { break };
        let Some(next) = successors.pop() else {
            on_stack.remove(state);
            stack.pop();
            continue;
        };
        let source = State(ids[state]);
        // The number of a new state is the next one.
        let target = ids.get(&next).copied().unwrap_or(ids.len() as u32);
        builder.push(source, Edge { label: Label::TAU, target: State(target) });
        if target as usize == ids.len() {
            pending = Some(next);
        }
    }
    // The state behind failures carries a proposition of its own.
    let error = State(ids.len() as u32);
    failures.iter().for_each(|s| builder.push(State(*s), Edge { label: Label::TAU, target: error }));
    valuation.classes.push(vec![Proposition(valuation.propositions.len() as u32)]);
    valuation.propositions.push("error".into());
    valuation.class_of.push(valuation.classes.len() as u32 - 1);
    builder.set_valuation(valuation);
    Some(builder.finish(ids.len() + 1, State(0)))
}

/// The successors by the first set that is enough, or by all moves.
fn successors(
    machine: &mut Interp,
    reduction: &mut Option<Box<dyn Reduction>>,
    state: &[u8],
    on_stack: &HashMap<Vec<u8>, ()>,
    failed: &mut bool,
) -> Vec<Vec<u8>> {
    let mut moves = Moves::default();
    machine.moves(state, Control::Free, &mut moves);
    *failed |= !moves.failures.is_empty();
    let mut of = |set: &[u32]| {
        let mut found = Vec::new();
        let mut expander = Expander::default();
        let mut next = Vec::new();
        for i in set {
            let mv = moves.list[*i as usize];
            let step = machine.apply(state, &mv, &mut next);
            *failed |= step.failure.is_some();
            match step.control {
                _ if !step.proceeds => {}
                Control::Free => found.push(next.clone()),
                control => {
                    let mut sink = Arrivals { found: &mut found, failed };
                    expander.walk(machine, &next, control, mv, &mut sink);
                }
            }
        }
        found
    };
    let count = moves.list.len();
    if let Some(reduction) = reduction {
        let mut offer = Offer::default();
        reduction.offer(state, &moves.list, &mut offer);
        loop {
            for i in 0..offer.len() {
                let set: Vec<u32> = members(offer.words(i)).collect();
                let found = of(&set);
                if offer.is_free(i) || !found.is_empty() && !found.iter().any(|s| on_stack.contains_key(s)) {
                    return found;
                }
            }
            if !offer.is_partial() {
                break;
            }
            reduction.offer_more(state, &moves.list, &mut offer);
        }
    }
    of(&(0..count as u32).collect::<Vec<_>>())
}

/// A number of formulas over the global variables of a model: one value of one, sooner or later, is followed by one of another.
fn formulas(name: &str, text: &str, count: usize) -> Vec<String> {
    let Some((model, _)) = lower(name, text) else { return Vec::new() };
    if model.uses.foreign || model.processes.iter().any(|p| p.kind == ProcessKind::Never) {
        return Vec::new();
    }
    let model = Arc::new(model);
    let mut machine = Interp::new(model.clone());
    let mut first = Vec::new();
    if machine.initial(&mut first).is_err() {
        return Vec::new();
    }
    let mut values: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut list = vec![first.clone()];
    let mut seen = HashMap::from([(first, ())]);
    let mut next = 0;
    while next < list.len().min(300) {
        let state = list[next].clone();
        next += 1;
        let globals = Describer::new(&model, &state).values().into_iter().filter(|v| v.process.is_none());
        for value in globals.filter(|v| matches!(v.content, Content::Scalar(..))) {
            let known = values.entry(value.full_name).or_default();
            if !known.contains(&value.text) {
                known.push(value.text);
            }
        }
        let (mut found, mut failed) = (Vec::new(), false);
        Expander::default().expand(&mut machine, &state, &mut Arrivals { found: &mut found, failed: &mut failed });
        for state in found {
            if seen.insert(state.clone(), ()).is_none() {
                list.push(state);
            }
        }
    }
    let changing: Vec<(&String, &Vec<String>)> = values.iter().filter(|v| v.1.len() > 1).collect();
    let formula = |i: usize| {
        let turn = i / changing.len();
        let (x, y) = (changing[i % changing.len()], changing[(i + 1 + turn) % changing.len()]);
        let of_x = &x.1[(1 + turn) % x.1.len()];
        // A formula that always holds sees nothing.
        let of_y = y.1.iter().rev().find(|v| y.0 != x.0 || *v != of_x).expect("a variable that changes has two values");
        format!("[] (({} == {of_x}) -> <> ({} == {of_y}))", x.0, y.0)
    };
    if changing.is_empty() { Vec::new() } else { (0..count).map(formula).collect() }
}

/// Models of the project whose graphs are small, with three formulas each.
fn models() -> Vec<Subject> {
    let mut paths: Vec<_> = ["../../models", "../../models/tiny"]
        .iter()
        .flat_map(|folder| std::fs::read_dir(folder).expect("models").flatten().map(|e| e.path()))
        .filter(|p| p.extension().is_some_and(|e| e == "pml"))
        .collect();
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        let name = path.to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).expect("a model");
        let of_it: Vec<Subject> = formulas(&name, &text, 3).iter().filter_map(|f| subject(&name, &text, f)).collect();
        let fits = |s: &Subject| Facts::new(s.model.clone()).off().is_none() && graph(s, None).is_some();
        if of_it.len() == 3 && of_it.iter().all(fits) {
            found.extend(of_it);
        }
    }
    found
}

fn reduction(subject: &Subject, mistake: Mistake) -> Box<dyn Reduction> {
    let known = Arc::new(Known::new(Facts::weakened(subject.model.clone(), mistake.facts)));
    match mistake.selector {
        Selector::Ample => Box::new(Ample::weakened(known, subject.keep, mistake.sets)),
        Selector::Stubborn => Box::new(Stubborn::weakened(known, subject.keep, mistake.sets)),
    }
}

/// What is wrong.
#[derive(Clone, Copy, Default)]
struct Mistake {
    facts: facts::Weakening,
    sets: Weakening,
    selector: Selector,
}

#[test]
fn reduced_graphs_have_the_same_stuttering_traces() {
    let subjects = models();
    let (mut full_states, mut reduced_states, mut equivalent) = (0, 0, 0);
    for subject in &subjects {
        let full = graph(subject, None).expect("it was made before");
        for selector in [Selector::Stubborn, Selector::Ample] {
            let mistake = Mistake { selector, ..Mistake::default() };
            let reduced = graph(subject, Some(reduction(subject, mistake))).expect("it is not larger");
            let difference = stuttering_difference(&full, &reduced, &Unwatched).expect("unwatched");
            assert_eq!(difference, None, "{}", subject.name);
            full_states += full.state_count();
            reduced_states += reduced.state_count();
            let same = compare(&full, &reduced, Notion::Stuttering, &Unwatched).expect("unwatched").equivalent();
            equivalent += usize::from(same);
        }
    }
    assert!(subjects.len() >= 60, "{} models with three formulas each", subjects.len() / 3);
    assert!(reduced_states * 4 < full_states * 3, "{reduced_states} of {full_states} states");
    // Most choices are made where nothing visible is open.
    println!(
        "{} comparisons, {equivalent} stuttering equivalent, {reduced_states} of {full_states} states",
        2 * subjects.len()
    );
    assert!(equivalent > subjects.len(), "{equivalent} of {}", 2 * subjects.len());
}

/// Small models on which mistakes show: those of the other tests of the reduction, and random ones.
fn samples() -> Vec<Subject> {
    let random = (1..=150).map(|seed| (format!("seed {seed}"), generate(seed).text()));
    let traps = TRAPS.iter().map(|(name, text)| (name.to_string(), without_assertions(text)));
    let defects = ["exit-run", "index", "nrpr", "remote", "run-pid", "runarg"].iter().map(|name| {
        let path = format!("tests/data/por/defect-{name}.pml");
        let text = std::fs::read_to_string(&path).expect("a model");
        (path, without_assertions(&text))
    });
    let own = OWN_TRAPS.iter().map(|(name, text, _)| (name.to_string(), text.to_string()));
    let mut found = Vec::new();
    // Of these failures are kept, and nothing else is visible.
    for (name, text) in TRAPS.iter().chain(&[TRACE_TRAP]) {
        let with_failures = |s| Subject { keep: Keep::Failures, ..s };
        found.extend(subject(name, &format!("byte nothing; {text}"), "[] (nothing == 0)").map(with_failures));
    }
    for (name, text, formula) in OWN_TRAPS {
        found.extend(subject(name, text, formula));
    }
    for (name, text) in own.chain(traps).chain(defects).chain(random) {
        let of_it = formulas(&name, &text, 9);
        found.extend(of_it.iter().filter_map(|f| subject(&name, &text, f)));
    }
    found.retain(|s| Facts::new(s.model.clone()).off().is_none());
    found
}

/// What an assertion looks at is seen by a variable instead, so that nothing fails.
fn without_assertions(text: &str) -> String {
    format!("byte seen;\n{}", text.replace("assert(", "seen = 1 + ("))
}

/// Text, and a formula that makes the mistake visible.
const OWN_TRAPS: &[(&str, &str, &str)] = &[
    (
        "ignored for ever",
        "byte g, h; active proctype A() { byte x; do :: x = 1 - x od } active proctype B() { g = 1 }",
        "[] (g == 0)",
    ),
    (
        "visible in both",
        "byte a, b; active proctype A() { a = 1; a = 2 } active proctype B() { b = 1; b = 2 }",
        "[] !(a == 1 && b == 1)",
    ),
    (
        "a variable of another",
        "byte g; active proctype A() { byte x; x = 1; x = 2; x = 3 } active proctype B() { A:x == 2 -> g = 1 }",
        "[] (g == 0)",
    ),
    (
        "a send that blocks in the middle of a step",
        "chan c = [1] of { byte }; byte y; active proctype A() { c!5; atomic { y = 1; c!1; y = 0 } }
         active proctype C() { c?_; c?_ }",
        "[] (y == 0)",
    ),
    (
        "a flag of its own",
        "byte g, h, seen; active proctype A() { bit x; do :: atomic { x -> g = 1 } break :: atomic { !x -> x = 1; h = 1 } od }
         active proctype C() { h = 2 } active proctype B() { seen = 1 + (g == 0) }",
        "[] (seen != 1)",
    ),
];

/// What a trace refuses is a failure.
const TRACE_TRAP: (&str, &str) = (
    "messages that a trace sees",
    "chan p = [1] of { byte }; chan q = [1] of { byte }; trace { q!1; p!1 }
     active proctype A() { p!1 } active proctype B() { q!1 }",
);

/// Which sample tells a mistake.
fn found(samples: &[(Subject, Graph)], mistake: Mistake) -> Option<String> {
    for (subject, full) in samples {
        // A mistake may let a search fail where the full one does not: that is told, too.
        let Some(reduced) = graph(subject, Some(reduction(subject, mistake))) else {
            return Some(subject.name.clone());
        };
        if stuttering_difference(full, &reduced, &Unwatched).expect("unwatched").is_some() {
            return Some(subject.name.clone());
        }
    }
    None
}

#[test]
fn every_mistake_is_told() {
    let samples: Vec<(Subject, Graph)> =
        samples().into_iter().filter_map(|s| graph(&s, None).map(|full| (s, full))).collect();
    let facts = |change: fn(&mut facts::Weakening)| {
        let mut mistake = Mistake::default();
        change(&mut mistake.facts);
        mistake
    };
    let sets = |change: fn(&mut Weakening)| {
        let mut mistake = Mistake::default();
        change(&mut mistake.sets);
        mistake
    };
    let ample = |mistake: Mistake| Mistake { selector: Selector::Ample, ..mistake };
    let mut missed = Vec::new();
    for (name, mistake, is_told) in [
        ("none", Mistake::default(), false),
        ("none, ample sets", ample(Mistake::default()), false),
        ("one element for all", facts(|w| w.first_element = true), true),
        ("indices are not read", facts(|w| w.no_index_reads = true), true),
        ("births and deaths are private", facts(|w| w.private_creation = true), true),
        ("locals of others are not read", facts(|w| w.no_remote = true), true),
        ("a trace sees nothing", facts(|w| w.no_trace = true), true),
        ("sorted is first in, first out", facts(|w| w.sorted_as_fifo = true), true),
        ("what comes later never blocks", facts(|w| w.always_sure = true), true),
        ("either kind is a handshake", facts(|w| w.either_is_handshake = true), true),
        ("own steps do not help", facts(|w| w.no_own_enabling = true), true),
        ("nothing conflicts", sets(|w| w.no_conflicts = true), true),
        ("nothing conflicts, ample sets", ample(sets(|w| w.no_conflicts = true)), true),
        ("nothing is waited for", sets(|w| w.no_enabling = true), true),
        ("nothing is waited for, ample sets", ample(sets(|w| w.no_enabling = true)), true),
        ("nothing is visible", sets(|w| w.no_visibility = true), true),
        ("nothing is visible, ample sets", ample(sets(|w| w.no_visibility = true)), true),
        ("no proviso is needed", sets(|w| w.all_free = true), true),
        ("no proviso is needed, ample sets", ample(sets(|w| w.all_free = true)), true),
    ] {
        let found = found(&samples, mistake);
        println!("{name}: {found:?}");
        if found.is_some() != is_told {
            missed.push((name, found));
        }
    }
    assert!(missed.is_empty(), "{missed:?}");
}
