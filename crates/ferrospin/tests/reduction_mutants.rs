//! Deliberate mistakes in the reduction, each of which the tests of `tests/reduction.rs` must find.
//!
//! A mistake is found when a comparison with a search that takes all moves, the check of the facts, or the check of the
//! sets complains on one of the models. Without a mistake none of them does.

mod por_support;

use ferrospin::reduction::{Keep, Known, Selector, Weakening};
use ferrospin_interp::Interp;
use ferrospin_model::facts::{self, Facts};
use ferrospin_model::ir::Model;
use ferrospin_reduce::{Ample, Stubborn};
use ferrospin_system::Reduction;
use ferrospin_testkit::commute::check_facts;
use ferrospin_testkit::generate::generate;
use ferrospin_testkit::random::Random;
use ferrospin_testkit::reduced::{Proviso, check_sets, compare, search};
use por_support::{TRAPS, por_model};
use std::sync::Arc;

/// What is wrong.
#[derive(Clone, Copy, Default)]
struct Mistake {
    facts: facts::Weakening,
    sets: Weakening,
    selector: Selector,
}

fn samples() -> Vec<(String, Arc<Model>)> {
    let defects = ["exit-run", "index", "nrpr", "remote", "run-pid", "runarg", "trace"];
    let mut out: Vec<(String, Arc<Model>)> =
        defects.iter().map(|n| (n.to_string(), por_model(&format!("defect-{n}.pml")))).collect();
    for (name, text) in TRAPS {
        out.push((name.to_string(), Arc::new(ferrospin_testkit::model(name, text, &[]).expect("a good model"))));
    }
    for seed in 1..=120 {
        if let Ok(model) = ferrospin_testkit::model("random.pml", &generate(seed).text(), &[]) {
            out.push((format!("seed {seed}"), Arc::new(model)));
        }
    }
    out
}

/// The check and the model that find the mistake.
fn found(mistake: Mistake) -> Option<String> {
    for (name, model) in samples() {
        if Facts::new(model.clone()).off().is_some() {
            continue;
        }
        let known = || Facts::weakened(model.clone(), mistake.facts);
        let make = |keep: Keep| -> Box<dyn Reduction> {
            let known = Arc::new(Known::new(known()));
            match mistake.selector {
                Selector::Ample => Box::new(Ample::weakened(known, keep, mistake.sets)),
                Selector::Stubborn => Box::new(Stubborn::weakened(known, keep, mistake.sets)),
            }
        };
        let keep = |failures| if failures { Keep::Failures } else { Keep::Deadlocks };
        let mut machine = Interp::new(model.clone());
        let boxed = &mut |failures| -> Option<Box<dyn Reduction>> { Some(make(keep(failures))) };
        if let Err(why) = compare(&mut machine, boxed, 1000) {
            return Some(format!("verdicts, {name}: {why}"));
        }
        if let Err(why) = check_facts(&mut machine, &known(), &mut Random::new(5), 20) {
            return Some(format!("facts, {name}: {why}"));
        }
        if let Err(why) = check_sets(&mut machine, &mut *make(Keep::Failures), &mut Random::new(5), 6, 3) {
            return Some(format!("sets, {name}: {why}"));
        }
    }
    None
}

fn facts(change: impl FnOnce(&mut facts::Weakening)) -> Mistake {
    let mut m = Mistake::default();
    change(&mut m.facts);
    m
}

fn sets(change: impl FnOnce(&mut Weakening)) -> Mistake {
    let mut m = Mistake::default();
    change(&mut m.sets);
    m
}

/// The same mistake in sets of one process.
fn ample(mistake: Mistake) -> Mistake {
    Mistake { selector: Selector::Ample, ..mistake }
}

#[test]
fn without_a_mistake_nothing_is_found() {
    assert_eq!(found(Mistake::default()), None);
    assert_eq!(found(ample(Mistake::default())), None);
}

#[test]
fn one_element_for_all() {
    assert!(found(facts(|w| w.first_element = true)).is_some());
}

#[test]
fn indices_are_not_read() {
    assert!(found(facts(|w| w.no_index_reads = true)).is_some());
}

#[test]
fn births_and_deaths_are_private() {
    assert!(found(facts(|w| w.private_creation = true)).is_some());
}

#[test]
fn locals_of_others_are_not_read() {
    assert!(found(facts(|w| w.no_remote = true)).is_some());
}

#[test]
fn a_trace_sees_nothing() {
    assert!(found(facts(|w| w.no_trace = true)).is_some());
}

#[test]
fn sorted_is_first_in_first_out() {
    assert!(found(facts(|w| w.sorted_as_fifo = true)).is_some());
}

#[test]
fn what_comes_later_never_blocks() {
    assert!(found(facts(|w| w.always_sure = true)).is_some());
}

#[test]
fn either_kind_is_a_handshake() {
    assert!(found(facts(|w| w.either_is_handshake = true)).is_some());
}

#[test]
fn own_steps_do_not_help() {
    assert!(found(facts(|w| w.no_own_enabling = true)).is_some());
}

#[test]
fn nothing_conflicts() {
    assert!(found(sets(|w| w.no_conflicts = true)).is_some());
    assert!(found(ample(sets(|w| w.no_conflicts = true))).is_some());
}

#[test]
fn nothing_is_waited_for() {
    assert!(found(sets(|w| w.no_enabling = true)).is_some());
    assert!(found(ample(sets(|w| w.no_enabling = true))).is_some());
}

#[test]
fn no_proviso_is_needed() {
    for mistake in [sets(|w| w.all_free = true), ample(sets(|w| w.all_free = true))] {
        let why = found(mistake).expect("found");
        assert!(why.starts_with("verdicts, ignoring"), "{why}");
    }
}

/// That a state of an earlier level is there does not make it complete.
#[test]
fn whatever_was_expanded_is_complete() {
    let mut lost = 0;
    for (_, model) in samples() {
        let facts = Facts::new(model.clone());
        if facts.off().is_some() {
            continue;
        }
        let mut machine = Interp::new(model.clone());
        let all = search(&mut machine, None, Proviso::None, 20_000);
        let mut reduction = Stubborn::new(Arc::new(Known::new(facts)), Keep::Failures);
        let mut find = |proviso| search(&mut machine, Some(&mut reduction), proviso, 20_000);
        let (level, elsewhere) = (find(Proviso::Level), find(Proviso::Elsewhere));
        if !all.cut {
            assert!(level.agrees(&all));
            lost += u32::from(!elsewhere.agrees(&all));
        }
    }
    assert!(lost > 0);
}
