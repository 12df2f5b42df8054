//! Reductions that take states for one another which differ in numbers of processes alone.

mod por_support;

use ferrospin::reduction::{Keep, Known, reduction_up_to_births, stubborn};
use ferrospin_interp::Interp;
use ferrospin_model::facts::{Facts, Weakening};
use ferrospin_model::ir::Model;
use ferrospin_model::passes::optimize;
use ferrospin_system::Reduction;
use ferrospin_testkit::alike::rest;
use ferrospin_testkit::reduced::{Proviso, compare_alike, search};
use por_support::models;
use std::sync::Arc;

/// Models with more states are left to the chore.
const STATES_MAX: usize = 3000;

fn model(text: &str) -> Arc<Model> {
    Arc::new(ferrospin_testkit::model("births.pml", text, &[]).expect("a good model"))
}

fn keep(failures: bool) -> Keep {
    if failures { Keep::Failures } else { Keep::Deadlocks }
}

/// Compares a reduction with a search of all moves; says whether numbers are unseen.
fn agree(model: &Arc<Model>, weakening: Weakening) -> Result<bool, String> {
    let facts = || Facts::make(model.clone(), true, weakening);
    if facts().off().is_some() || !facts().creation().processes_unseen {
        return Ok(false);
    }
    let births = facts().creation();
    let make =
        &mut |failures| -> Option<Box<dyn Reduction>> { Some(stubborn(Arc::new(Known::new(facts())), keep(failures))) };
    let mut machine = Interp::new(model.clone());
    compare_alike(&mut machine, make, &|state| rest(model, births, state), STATES_MAX).map(|_| true)
}

/// Processes that start others, in many ways.
const FAMILIES: &[(&str, &str)] = &[
    (
        "factorial",
        "proctype fact(int n; chan p) { int r; chan child = [1] of { int };
        if :: n <= 1 -> p!1 :: n >= 2 -> run fact(n - 1, child); child?r; p!n * r fi }
        init { int r; chan child = [1] of { int }; run fact(4, child); child?r; assert(r == 24) }",
    ),
    (
        "pipeline",
        "chan root = [0] of { byte }; proctype cell(chan c) { chan next = [0] of { byte }; bool has; byte n;
        end: do :: c?n -> if :: !has -> has = true; run cell(next) :: else -> next!n fi od }
        init { byte n; run cell(root); do :: n < 4 -> n++; root!n :: n == 4 -> break od }",
    ),
    (
        "two families",
        "byte g; proctype leaf(byte n) { g = g + n; g == 6 } proctype node(byte n) { run leaf(n); run leaf(n) }
        init { run node(1); run node(2) }",
    ),
    ("broken", "byte g; proctype w(byte n) { g = n; g == n; assert(g == n) } init { run w(1); run w(2); run w(3) }"),
    ("stuck", "chan c = [1] of { byte }; proctype w(byte n) { c!n; c?eval(n) } init { run w(1); run w(2) }"),
    (
        "channels travel",
        "chan post = [1] of { chan }; byte got;
        proctype owner(byte n) { chan own = [1] of { byte }; post!own; end: own?got; do :: own?got od }
        proctype user() { chan c; post?c; c!1; c!2 } init { run owner(1); run user(); run owner(2); run user() }",
    ),
    ("timeout", "byte g; proctype w() { g++; g == 3 } init { run w(); run w(); timeout; g = 3 }"),
    (
        "results that are never read",
        "byte a, b; byte g; proctype w() { g++; assert(g < 3) } init { a = run w() }
        active proctype other() { b = run w() }",
    ),
];

/// Processes that can tell.
const SEEN: &[(&str, &str)] = &[
    (
        "pid",
        "proctype w(byte n) { assert(n == 1 || _pid == 2) } init { run w(1) } active proctype other() { run w(2) }",
    ),
    (
        "pid, turned",
        "proctype w(byte n) { assert(n == 1 || _pid == 3) } init { run w(1) } active proctype o() { run w(2) }",
    ),
    ("count", "byte g; proctype w() { g++ } init { run w(); run w(); assert(_nr_pr == 2) }"),
    ("result", "byte a; proctype w() { skip } init { a = run w(); assert(a == 2) } active proctype o() { run w() }"),
    (
        "result, turned",
        "byte a; proctype w() { skip } init { a = run w(); assert(a == 3) }
        active proctype o() { run w() }",
    ),
    ("remote", "proctype w() { byte x; x = 1; l: x = 2 } init { run w(); w@l } active proctype o() { run w() }"),
    ("without end", "chan c = [0] of { bit }; proctype w() { c?_ } init { do :: run w(); c!0 od }"),
    (
        "channel dies",
        "chan post = [1] of { chan }; proctype owner() { chan own = [1] of { byte }; post!own }
        init { chan c; run owner(); post?c; c!1 }",
    ),
];

#[test]
fn families_agree() {
    for (name, text) in FAMILIES {
        let model = model(text);
        for model in [Arc::new(optimize(&model).model), model] {
            let unseen = agree(&model, Weakening::default()).unwrap_or_else(|why| panic!("{name}: {why}"));
            assert!(unseen, "{name}");
        }
    }
}

#[test]
fn whoever_looks_is_noticed() {
    for (name, text) in SEEN {
        let facts = Facts::up_to_creation(model(text));
        assert!(!facts.creation().processes_unseen, "{name}");
    }
}

#[test]
fn models_agree() {
    let mut count = 0;
    for (name, model) in models() {
        let unseen = agree(&Arc::new(model), Weakening::default()).unwrap_or_else(|why| panic!("{name}: {why}"));
        count += usize::from(unseen);
    }
    assert!(count >= 3, "{count} models start processes and do not look");
}

#[test]
fn a_family_is_one_path() {
    let (_, text) = FAMILIES[0];
    let model = model(text);
    let (mut reduction, known) = reduction_up_to_births(&model, Keep::Failures).expect("a reduction");
    let found = search(&mut Interp::new(model.clone()), Some(&mut *reduction), Proviso::Completion, STATES_MAX);
    let all = search(&mut Interp::new(model), None, Proviso::None, STATES_MAX);
    assert!(!known.is_crowded());
    assert_eq!((found.states, found.transitions), (found.states, found.states - 1), "one path");
    assert!(found.states < all.states);
}

/// The family is larger than a state can hold, though never all of it is alive on the way that is taken.
#[test]
fn too_many_births_are_noticed() {
    let text = "proctype f(byte n) { if :: n > 0 -> run f(n - 1); run f(n - 1) :: else fi } init { run f(8) }";
    let model = model(text);
    let (mut reduction, known) = reduction_up_to_births(&model, Keep::Failures).expect("a reduction");
    let found = search(&mut Interp::new(model), Some(&mut *reduction), Proviso::Completion, 20_000);
    assert!(found.failures.is_empty() && !found.cut);
    assert!(known.is_crowded());
}

fn is_found(change: impl FnOnce(&mut Weakening)) -> bool {
    let mut weakening = Weakening::default();
    change(&mut weakening);
    FAMILIES.iter().chain(SEEN).any(|(_, text)| agree(&model(text), weakening).is_err())
}

#[test]
fn nobody_is_thought_to_look() {
    assert!(is_found(|w| w.nobody_looks = true));
}

#[test]
fn channels_are_thought_to_be_handed_down() {
    assert!(is_found(|w| w.channels_are_handed_down = true));
}

#[test]
fn owners_are_thought_never_to_end() {
    assert!(is_found(|w| w.all_immortal = true));
}

#[test]
fn there_are_thought_never_to_be_too_many() {
    assert!(is_found(|w| w.no_crowd = true));
}
