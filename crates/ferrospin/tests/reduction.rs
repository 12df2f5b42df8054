//! Partial-order reduction against searches that take all moves.
//!
//! Every model, traps on purpose and random models are searched with and without reduction, under every proviso; what
//! fails and where it ends must be the same. The facts below are checked one by one. `tests/reduction_mutants.rs` shows
//! that deliberate mistakes are found. More random models: `cargo run -p xtask -- fuzz-por`.

mod por_support;

use ferrospin::reduction::{Keep, Known, Selector, selected};
use ferrospin_interp::Interp;
use ferrospin_model::facts::Facts;
use ferrospin_model::ir::Model;
use ferrospin_model::passes::optimize;
use ferrospin_testkit::commute::check_facts;
use ferrospin_testkit::generate::generate;
use ferrospin_testkit::random::Random;
use ferrospin_testkit::reduced::{Found, Proviso, SAFETY, check_glances, check_sets, compare, search};
use por_support::{TRAPS, models, por_model};
use std::sync::Arc;

/// Models with more states are left to the chore.
const STATES_MAX: usize = 3000;

const SELECTORS: [Selector; 2] = [Selector::Ample, Selector::Stubborn];

fn make(model: &Arc<Model>, failures: bool, selector: Selector) -> Option<Box<dyn ferrospin_system::Reduction>> {
    selected(model, if failures { Keep::Failures } else { Keep::Deadlocks }, selector).ok()
}

fn agree(model: &Arc<Model>, limit: usize) -> Result<bool, String> {
    let mut machine = Interp::new(model.clone());
    let mut compared = false;
    for selector in SELECTORS {
        let make = &mut |failures| make(model, failures, selector);
        compared |= compare(&mut machine, make, limit).map_err(|why| format!("{}: {why}", selector.name()))?.is_some();
    }
    Ok(compared)
}

fn reduced(model: &Arc<Model>, keep: Keep, proviso: Proviso, selector: Selector) -> Found {
    let mut reduction = selected(model, keep, selector).expect("a reduction");
    search(&mut Interp::new(model.clone()), Some(&mut *reduction), proviso, usize::MAX)
}

#[test]
fn sizes_are_at_most_those_of_the_table() {
    let table = std::fs::read_to_string("tests/data/por/expected.tsv").expect("a table");
    for line in table.lines().filter(|l| !l.starts_with('#') && !l.starts_with("file")) {
        let fields: Vec<&str> = line.split('\t').collect();
        let number = |i: usize| fields[i].parse::<usize>().expect("a number");
        let model = por_model(fields[0]);
        let all = search(&mut Interp::new(model.clone()), None, Proviso::None, usize::MAX);
        assert_eq!(all.states, number(1), "{}", fields[0]);
        let runs = [
            (Keep::Deadlocks, Proviso::None),
            (Keep::Failures, Proviso::Level),
            (Keep::Failures, Proviso::Completion),
            (Keep::Failures, Proviso::Strict),
        ];
        for (i, (keep, proviso)) in runs.into_iter().enumerate() {
            let found = reduced(&model, keep, proviso, Selector::Stubborn);
            assert!(found.states <= number(i + 2), "{} {proviso:?}: {} states", fields[0], found.states);
            assert_eq!(found.ends, all.ends, "{} {proviso:?}", fields[0]);
        }
    }
}

/// What is remembered, and what is seen of many states at once, is no other choice than one made for a state by itself.
#[test]
fn choices_at_a_glance_are_those_that_would_be_offered() {
    let random = (0..60).filter_map(|seed| ferrospin_testkit::model("random.pml", &generate(seed).text(), &[]).ok());
    let traps = TRAPS.iter().filter_map(|(name, text)| ferrospin_testkit::model(name, text, &[]).ok());
    let all = models().into_iter().map(|(_, model)| model).chain(traps).chain(random);
    let mut sets = 0;
    for model in all.map(Arc::new) {
        for keep in [Keep::Deadlocks, Keep::Failures, Keep::Visible] {
            let Ok(reduction) = selected(&model, keep, Selector::Stubborn) else { continue };
            sets += check_glances(&mut Interp::new(model.clone()), &*reduction, 300).expect("the same choices");
        }
    }
    assert!(sets > 5_000, "only {sets} sets");
}

/// What SPIN stores depth first with `-DSAFETY`, neither merging nor resetting: an ample set is at least as good, and a
/// stubborn one is better.
#[test]
fn ample_sets_are_as_strong_as_those_of_spin() {
    let spin = [
        ("client-server", 1546),
        ("leader-ring", 40),
        ("local-work", 17),
        ("peterson-n", 14201),
        ("philosophers", 392),
        ("pid-array", 1365),
        ("plain-channel", 1014),
        ("quiesce", 90),
        ("readers-writers", 382),
        ("rv-pairs", 233),
        ("sort-pipeline", 131),
        ("token-ring", 84),
    ];
    for (name, states) in spin {
        let model = por_model(&format!("{name}.pml"));
        let found = reduced(&model, Keep::Failures, Proviso::Stack, Selector::Ample);
        assert!(found.states <= states, "{name}: {} states, SPIN {states}", found.states);
        let stubborn = reduced(&model, Keep::Failures, Proviso::Stack, Selector::Stubborn);
        assert!(stubborn.states <= found.states, "{name}: stubborn {}, ample {}", stubborn.states, found.states);
    }
}

#[test]
fn what_spin_loses_is_found() {
    let names = ["exit-run", "index", "local-kw", "nrpr", "remote", "run-pid", "runarg", "trace"];
    for name in names {
        let model = por_model(&format!("defect-{name}.pml"));
        for (proviso, selector) in SAFETY.iter().flat_map(|p| SELECTORS.map(|s| (*p, s))) {
            assert!(!reduced(&model, Keep::Failures, proviso, selector).failures.is_empty(), "{name} {proviso:?}");
        }
    }
}

#[test]
fn traps() {
    for (name, text) in TRAPS {
        let model = Arc::new(ferrospin_testkit::model(name, text, &[]).expect(name));
        assert_eq!(agree(&model, usize::MAX), Ok(true), "{name}");
        let optimized = Arc::new(optimize(&model).model);
        assert_eq!(agree(&optimized, usize::MAX), Ok(true), "{name}, optimized");
    }
}

#[test]
fn models_keep_their_verdicts() {
    let mut compared = 0;
    for (name, model) in models() {
        for model in [optimize(&model).model, model] {
            match agree(&Arc::new(model), STATES_MAX) {
                Ok(yes) => compared += usize::from(yes),
                Err(why) => panic!("{name}: {why}"),
            }
        }
    }
    assert!(compared > 250, "{compared} models were compared");
}

#[test]
fn random_models_keep_their_verdicts() {
    let mut compared = 0;
    for seed in 1..=250 {
        let text = generate(seed).text();
        let Ok(model) = ferrospin_testkit::model("random.pml", &text, &[]) else { continue };
        for model in [optimize(&model).model, model] {
            match agree(&Arc::new(model), 1000) {
                Ok(yes) => compared += usize::from(yes),
                Err(why) => panic!("seed {seed}: {why}\n{text}"),
            }
        }
    }
    assert!(compared > 200, "{compared} models were compared");
}

#[test]
fn facts_hold_where_they_are_looked_at() {
    let mut random = Random::new(7);
    let mut checked = 0;
    let mut look = |name: &str, model: Model, random: &mut Random| {
        let model = Arc::new(model);
        let facts = Facts::new(model.clone());
        if facts.off().is_none() {
            let mut machine = Interp::new(model);
            checked += check_facts(&mut machine, &facts, random, 40).unwrap_or_else(|why| panic!("{name}: {why}"));
        }
    };
    for (name, model) in models() {
        look(&name, model, &mut random);
    }
    for seed in 1..=150 {
        if let Ok(model) = ferrospin_testkit::model("random.pml", &generate(seed).text(), &[]) {
            look(&format!("seed {seed}"), model, &mut random);
        }
    }
    assert!(checked > 10_000, "{checked} claims were checked");
}

#[test]
fn sets_are_stubborn() {
    let mut random = Random::new(11);
    let mut checked = 0;
    let mut look = |name: &str, model: Model, random: &mut Random| {
        let model = Arc::new(model);
        for selector in SELECTORS {
            let Some(mut reduction) = make(&model, true, selector) else { return };
            let mut machine = Interp::new(model.clone());
            let count = check_sets(&mut machine, &mut *reduction, random, 12, 4);
            checked += count.unwrap_or_else(|why| panic!("{name}, {}: {why}", selector.name()));
        }
    };
    for (name, model) in models().into_iter().filter(|(n, _)| !n.contains("tiny")) {
        look(&name, model, &mut random);
    }
    for seed in 1..=120 {
        if let Ok(model) = ferrospin_testkit::model("random.pml", &generate(seed).text(), &[]) {
            look(&format!("seed {seed}"), model, &mut random);
        }
    }
    assert!(checked > 500, "{checked} sets were checked");
}

/// Two pairs of processes that have nothing to do with one another, with a number of assignments that are never reached.
fn pairs(count: usize) -> Arc<Model> {
    let pair = |name: &str, v: &str| {
        let never = vec![format!("{v} = 1"); count].join("; ");
        format!(
            "active [2] proctype {name}() {{ byte i; do :: i < 2 -> {v} = {v} + i; i++ :: else -> break od; \
             if :: {v} == 255 -> {never} :: else fi }}\n"
        )
    };
    let text = format!("byte a, b;\n{}{}", pair("A", "a"), pair("B", "b"));
    Arc::new(ferrospin_testkit::model("pairs", &text, &[]).expect("a model"))
}

#[test]
fn sets_that_cost_too_much_are_not_grown() {
    let [few, many] = [1, 1500].map(|count| {
        let model = pairs(count);
        let all = search(&mut Interp::new(model.clone()), None, Proviso::None, usize::MAX);
        let found = reduced(&model, Keep::Deadlocks, Proviso::None, Selector::Stubborn);
        assert_eq!(found.ends, all.ends);
        found.states
    });
    assert!(few * 2 < many, "{few} and {many} states");
}

#[test]
fn what_cannot_be_reduced_says_why() {
    let reason = |text: &str| {
        let model = Arc::new(ferrospin_testkit::model("off.pml", text, &[]).expect("a model"));
        Known::exact(&model).err().map(|r| r.to_string())
    };
    let process = "active proctype P() { skip }";
    assert_eq!(reason(process), None);
    assert_eq!(reason("active proctype P() { _last == 0 }").as_deref(), Some("the model uses `_last`"));
    let off = Some("the model uses priorities");
    assert_eq!(reason("active proctype P() priority 2 { skip } init { skip }").as_deref(), off);
    assert_eq!(reason("active proctype P() priority 2 { set_priority(0, 2) }").as_deref(), off);
    assert_eq!(reason("active proctype P() priority 2 { run Q() } proctype Q() { skip }").as_deref(), off);
    assert_eq!(reason("active proctype P() priority 2 { run Q() priority 2 } proctype Q() { skip }"), None);
    assert_eq!(
        reason("never { do :: enabled(0) od } active proctype P() { skip }").as_deref(),
        Some("the model uses `enabled` or `pc_value`")
    );
}
