//! Every search for cycles against the oracle, on random programs with random labels, formulas and claims.
//!
//! Whatever a search finds is run again by the interpreter, state by state: the cycle must close, be accepting (or make
//! no progress), be fair where fairness was asked for, and a formula must be false on it by its definition.

mod support;

use ferrospin_search::cycles::{self, Wanted};
use support::{Case, Engine, cases, oracle, run};

/// How many cases hold and how many do not, and how many each search has decided.
#[derive(Default)]
struct Tally {
    verdicts: [usize; 2],
    decided: [usize; Engine::ALL.len()],
    /// The same of claims that end early.
    early: [usize; 2],
}

/// All searches, on one case; those that know no fairness are asked without it.
fn compare(case: &Case, tally: &mut Tally) {
    let Some(expected) = oracle(case) else { return };
    tally.verdicts[usize::from(expected)] += 1;
    let unfair = case.unfair();
    let expected_unfair = if case.is_fair() { oracle(&unfair) } else { Some(expected) };
    for (engine, decided) in Engine::ALL.into_iter().zip(&mut tally.decided) {
        let (case, expected) =
            if engine.knows_fairness() { (case, Some(expected)) } else { (&unfair, expected_unfair) };
        let Some(expected) = expected else { continue };
        let Some(got) = run(case, engine) else { continue };
        *decided += 1;
        assert_eq!(got, expected, "{engine:?} on {case}");
        if let Some(early) = case.ending_early()
            && let Some(got) = run(&early, engine)
        {
            tally.early[usize::from(got)] += 1;
            assert_eq!(got, expected, "{engine:?}, ending early, on {case}");
        }
    }
}

fn check(kind: &str, least: usize, seeds: std::ops::Range<u64>) -> Tally {
    let mut tally = Tally::default();
    for seed in seeds {
        cases(seed, kind).iter().for_each(|c| compare(c, &mut tally));
    }
    let [hold, do_not] = tally.verdicts;
    assert!(hold.min(do_not) >= least, "{kind}: {hold} hold, {do_not} do not");
    tally
}

#[test]
fn acceptance_labels() {
    check("acceptance", 30, 0..500);
}

#[test]
fn progress_labels() {
    check("progress", 25, 0..500);
}

#[test]
fn random_formulas() {
    let tally = check("ltl", 150, 0..650);
    let [hold, do_not] = tally.early;
    assert!(hold.min(do_not) >= 300, "{hold} hold, {do_not} do not, of claims that end early");
    for (engine, decided) in Engine::ALL.iter().zip(tally.decided) {
        // Not every claim is weak, and machine code is made for some.
        let least = match engine {
            Engine::Weak => 200,
            Engine::KeptNative => 150,
            _ => 500,
        };
        assert!(decided >= least, "{engine:?} has decided {decided} cases only");
    }
}

#[test]
fn never_claims() {
    check("never", 10, 0..1400);
}

/// A process that could move all the time does so, even if another one is busy inside an `atomic`.
#[test]
fn atomic_does_not_keep_others_from_moving() {
    let text = "byte x, y; active proctype A() { do :: atomic { x = 1; x = 0 } od } active proctype B() { y = 1 } \
                ltl p { <> (y == 1) }";
    let case = support::ltl_case(text, true);
    assert_eq!(oracle(&case), Some(false));
    compare(&case, &mut Tally::default());
}

/// SPIN finds no violation here; there is one: both processes end, and `n` stays 2.
#[test]
fn fairness_hides_nothing() {
    let text = "byte n; active [2] proctype P() { n++ } ltl p { <>[] (n == 1) }";
    let case = support::ltl_case(text, true);
    assert_eq!(oracle(&case), Some(true));
    compare(&case, &mut Tally::default());
}

/// A run that never leaves its `atomic` is a run.
#[test]
fn endless_atomic() {
    for fair in [false, true] {
        let text = "byte x; active proctype A() { atomic { do :: x = 1 - x od } } ltl p { <> (x == 5) }";
        compare(&support::ltl_case(text, fair), &mut Tally::default());
    }
    let text = "byte x; active proctype A() { accept: atomic { do :: x = 1 - x od } }";
    let model = ferrospin_testkit::model("m", text, &[]).expect("a model");
    let mut machine = ferrospin_interp::Interp::new(model.into());
    let how = cycles::Options::default();
    let found = cycles::search(&mut machine, Wanted::NonProgress, how, &mut |_| true);
    assert!(found.lasso.is_some());
}
