//! Searches for cycles under partial-order reduction: the verdicts of the naive search over everything, and mistakes are found.

mod por_support;

use ferrospin::reduction::{Keep, Known, Selector, Weakening as Mistake, reduction_for_cycles};
use ferrospin_model::facts::Facts;
use ferrospin_model::ir::{ProcessId, ProcessKind};
use ferrospin_reduce::Stubborn;
use ferrospin_system::Reduction;
use ferrospin_testkit::live::{Case, Goal, Weakening, cases, judge, with_formula};
use std::sync::Arc;

fn make(case: &Case) -> Option<Box<dyn Reduction>> {
    reduction_for_cycles(&case.model, case.goal == Goal::NonProgress, Selector::Stubborn).ok()
}

fn make_ample(case: &Case) -> Option<Box<dyn Reduction>> {
    reduction_for_cycles(&case.model, case.goal == Goal::NonProgress, Selector::Ample).ok()
}

/// A reduction that makes a mistake.
fn mistaken(case: &Case, mistake: Mistake) -> Option<Box<dyn Reduction>> {
    let mut facts = Facts::new(case.model.clone());
    if facts.off().is_some() {
        return None;
    }
    if case.model.layout.claim.is_none() {
        facts.see_labels(case.goal == Goal::Accepting, case.goal == Goal::NonProgress);
    }
    Some(Box::new(Stubborn::weakened(Arc::new(Known::new(facts)), Keep::Visible, mistake)))
}

/// Programs on which a mistake shows.
const TRAPS: &[&str] = &[
    "byte v, w; active proctype C() { byte l; c0: l = 1; if :: l = 0; goto c0 :: l = 2 fi; w = 1 }
     active proctype V() { v = 1 } ltl p { [] (v == 1 -> <> (w == 1)) }",
    "bool p; active proctype B() { p = true } active proctype A() { byte x; do :: x = 0 od } ltl q { <> [] !p }",
    "byte a, b; active proctype A() { a = 1; a = 2 } active proctype B() { b = 1; b = 2 }
     ltl q { [] !(a == 1 && b == 1) }",
    "byte a, b; active proctype A() { a = 1 } active proctype B() { b = 1 } ltl q { (b == 0) U (a == 1) }",
    "active proctype A() { byte x; do :: x = 1; l: x = 0 od } active proctype B() { byte y; y = 1; m: y = 2 }
     ltl q { [] !(A@l && B@m) }",
    // The reduced graph of the first search must be that of the second.
    "byte g, h; active proctype A() { byte x; do :: x = 1 - x od } active proctype B() { do :: g = 1; h = 1; g = 0 od }
     ltl q { ! []<> (g == 1) }",
    "byte g; active proctype A() { byte x; do :: x = 1; x = 0 od } active proctype B() { byte y; do :: y = 1; y = 0; g = 1 - g od }
     active proctype C() { byte z; do :: z = 1; z = 0 od } ltl q { <>[] (g == 0) }",
];

fn traps() -> impl Iterator<Item = Case> {
    TRAPS.iter().map(|t| with_formula(t).expect("a model with a formula"))
}

#[test]
fn verdicts_are_those_of_the_whole_product() {
    let (mut tally, mut full, mut reduced) = ([0; 2], 0, 0);
    for case in traps().chain((0..150).flat_map(cases)) {
        match judge(&case, Weakening::default(), &make) {
            Ok(None) => {}
            Ok(Some(sizes)) => {
                tally[usize::from(sizes.violated)] += 1;
                full += sizes.full;
                reduced += sizes.reduced;
            }
            Err(why) => panic!("{why}:\n{}", case.text),
        }
        if let Err(why) = judge(&case, Weakening::default(), &make_ample) {
            panic!("ample sets: {why}:\n{}", case.text);
        }
    }
    assert!(tally.iter().all(|n| *n > 60), "{tally:?}");
    assert!(reduced * 10 < full * 9, "{full} states become {reduced}");
}

/// Whether a mistake changes a verdict, or breaks a search that relies on finding the same moves again.
fn is_found(weakening: Weakening, mistake: Mistake) -> bool {
    let make = |case: &Case| mistaken(case, mistake);
    let goes_wrong = |case: &Case| {
        let judged = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| judge(case, weakening, &make)));
        !matches!(judged, Ok(Ok(_)))
    };
    traps().chain((0..1500).flat_map(cases)).any(|case| goes_wrong(&case))
}

#[test]
fn without_proviso_a_violation_is_lost() {
    assert!(is_found(Weakening { no_proviso: true, ..Weakening::default() }, Mistake::default()));
}

#[test]
fn without_visibility_a_violation_is_lost() {
    assert!(is_found(Weakening::default(), Mistake { no_visibility: true, ..Mistake::default() }));
}

#[test]
fn a_choice_that_is_forgotten_is_noticed() {
    assert!(is_found(Weakening { forgets: true, ..Weakening::default() }, Mistake::default()));
}

/// Siegel's counterexample (CAV 2019): the claim is blind to stuttering, and still the path must be one of system parts.
#[test]
fn a_path_of_product_states_is_not_enough() {
    let model = por_support::por_model("defect-claim.pml");
    let never = model.processes.iter().position(|p| p.kind == ProcessKind::Never).expect("a claim");
    let model = Arc::new(model.with_claim(ProcessId(never as u32)));
    let case = Case { text: String::new(), model, goal: Goal::Accepting };
    assert!(judge(&case, Weakening::default(), &make).is_ok());
    assert!(judge(&case, Weakening { no_system: true, ..Weakening::default() }, &make).is_err());
}

#[test]
fn without_conflicts_a_violation_is_lost() {
    assert!(is_found(Weakening::default(), Mistake { no_conflicts: true, ..Mistake::default() }));
}
