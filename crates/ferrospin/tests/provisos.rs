//! Every selector and every proviso of the program, on the searches that people run: verdicts are those of a search that
//! takes all moves, and nothing is said to hold that a proviso does not prove.

mod por_support;

use ferrospin::files::DiskLoader;
use ferrospin::front::{self, Front};
use ferrospin::report::{PropertyReport, Verdict};
use ferrospin::verify::{Engine, Goal, Goals, Options, PATIENCE, Proviso, Search, Selector, Store, verify};
use ferrospin_testkit::generate::generate;
use por_support::TRAPS;
use std::num::NonZeroUsize;

fn read(text: &str) -> Front {
    front::read_text("model.pml", text, &front::Options::default(), &mut DiskLoader::default())
}

/// The answer about safety; nothing where the model is refused.
fn answer(front: &Front, options: &Options) -> Option<PropertyReport> {
    let options = Options { goals: Goals::Only(vec![Goal::Safety]), engine: Engine::Interp, ..options.clone() };
    Some(verify(front, &options).ok()?.properties.remove(0))
}

fn check(front: &Front, options: &Options) -> PropertyReport {
    answer(front, options).expect("a verdict")
}

/// Rules with the orders they go with; `None` leaves the order to the program.
const RULES: [(Proviso, Option<Search>); 9] = [
    (Proviso::Auto, Some(Search::BreadthFirst)),
    (Proviso::Auto, Some(Search::DepthFirst)),
    (Proviso::Level, None),
    (Proviso::Queue, None),
    (Proviso::Visited, Some(Search::BreadthFirst)),
    (Proviso::Visited, Some(Search::DepthFirst)),
    (Proviso::Complete, None),
    (Proviso::Weak, None),
    (Proviso::Strict, None),
];

fn agree(name: &str, text: &str, stores: &[Store]) -> bool {
    let front = read(text);
    if front.unreadable {
        return false;
    }
    let Some(full) = answer(&front, &Options { partial_order: false, ..Options::default() }) else { return false };
    if full.states.is_none_or(|n| n > 3000) {
        return false;
    }
    for (i, (proviso, search)) in RULES.into_iter().enumerate() {
        for selector in [Selector::Ample, Selector::Stubborn] {
            let store = Some(stores[i % stores.len()]);
            let threads = NonZeroUsize::new(1 + i % 2).expect("not zero");
            // Who is impatient soon finds the reduction not worth it, and goes on with all moves.
            for patience in if proviso == Proviso::Auto { &[PATIENCE, 8, 1][..] } else { &[PATIENCE] } {
                let patience = *patience;
                let options = Options { proviso, search, selector, store, threads, patience, ..Options::default() };
                let found = check(&front, &options);
                assert_eq!(found.verdict, full.verdict, "{name}: {options:?}");
                assert!(found.states <= full.states || full.verdict == Verdict::Violated, "{name}: {options:?}");
            }
        }
    }
    let bare = check(&front, &Options { proviso: Proviso::None, ..Options::default() });
    assert!(bare.verdict == full.verdict || bare.verdict == Verdict::Undecided, "{name}: {bare:?}");
    true
}

const STORES: [Store; 4] = [Store::Exact, Store::Tree, Store::Collapse, Store::Compact];

#[test]
fn traps() {
    for (name, text) in TRAPS {
        assert!(agree(name, text, &STORES), "{name}");
    }
}

#[test]
fn random_programs() {
    let compared = (1..=40).filter(|seed| agree(&format!("seed {seed}"), &generate(*seed).text(), &STORES)).count();
    assert!(compared > 15, "{compared} programs were compared");
}

/// The race of two states of one level that each count on the other, and a process that spins beside one that fails.
const IGNORING: [&str; 3] = [
    "byte g; active proctype T1() { g = 1; do :: true -> skip od } active proctype T2() { assert(g == 0) }",
    "byte g; active proctype Q() { assert(g == 1) }
     active proctype P() { if :: true -> goto A :: true -> goto B fi; A: true; goto B; B: true; goto A }",
    "byte g; active proctype B() { assert(g == 1) } active proctype A() { byte x; do :: x = 1 - x od }",
];

#[test]
fn what_is_put_off_for_ever_is_not_said_to_hold() {
    let mut lost = 0;
    for text in IGNORING {
        assert!(agree("ignoring", text, &STORES));
        let front = read(text);
        for selector in [Selector::Ample, Selector::Stubborn] {
            let bare = check(&front, &Options { proviso: Proviso::None, selector, ..Options::default() });
            assert_ne!(bare.verdict, Verdict::Holds, "{text}");
            lost += usize::from(bare.verdict == Verdict::Undecided);
        }
    }
    assert!(lost > 0, "a search without a proviso loses one of them");
}

#[test]
fn the_report_names_what_was_used() {
    let front = read("byte a; active [3] proctype P() { byte x; x = 1; x = 2; a = 1 }");
    let name = |options: Options| check(&front, &options).reduction;
    assert_eq!(name(Options::default()), "stubborn");
    assert_eq!(name(Options { selector: Selector::Ample, ..Options::default() }), "ample");
    assert_eq!(name(Options { partial_order: false, ..Options::default() }), "none");
    let options = Options { proviso: Proviso::Complete, store: Some(Store::HashCompact), ..Options::default() };
    let notes = check(&front, &options).notes;
    assert!(notes.iter().any(|n| n.contains("a weaker rule was used instead")), "{notes:?}");
}

/// Where nearly all that was left out turns up all the same, all moves are taken from then on, unless a proviso was asked for;
/// when that happens does not depend on the number of workers.
#[test]
fn a_reduction_that_leaves_nothing_out_is_given_up() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/mesi.pml");
    let text = std::fs::read_to_string(path).expect("a model of the project");
    let front = read(&format!("#define N 5\n{text}"));
    let counts = |options: Options| {
        let options = Options {
            goals: Goals::Only(vec![Goal::Safety]),
            engine: Engine::Native,
            search: Some(Search::BreadthFirst),
            ..options
        };
        let found = verify(&front, &options).unwrap_or_else(|_| panic!("a verdict")).properties.remove(0);
        assert_eq!(found.verdict, Verdict::Holds);
        (found.states.expect("counted"), found.transitions.expect("counted"))
    };
    let full = counts(Options { partial_order: false, ..Options::default() });
    let kept = counts(Options { proviso: Proviso::Level, ..Options::default() });
    let given_up = [1, 2, 4].map(|threads| {
        counts(Options { threads: NonZeroUsize::new(threads).expect("not zero"), ..Options::default() })
    });
    assert_eq!([full.0; 4], [kept.0, given_up[0].0, given_up[1].0, given_up[2].0], "the reduction is in vain");
    assert_eq!([given_up[0]; 2], given_up[1..], "whatever the number of workers");
    assert!(kept.1 < given_up[0].1 && given_up[0].1 < full.1, "{kept:?} {given_up:?} {full:?}");
}
