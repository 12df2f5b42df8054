//! The passes: same verdict, no more states.

mod corpus;

use ferrospin_model::ir::{Action, Model, ProcessKind};
use ferrospin_model::passes::{self, dead_values::dead_values, merge::merge, tallies::tallies};
use ferrospin_model::verify::verify;
use ferrospin_search::naive::{Fault, Options, Outcome};
use std::cell::Cell;

fn search(model: &Model, claim: bool, states_max: u64) -> Outcome {
    ferrospin_testkit::plain(model, claim, &Options { errors_max: 0, states_max, ..Options::default() })
}

/// What went wrong, each sort once.
fn faults(o: &Outcome) -> Vec<String> {
    let mut list: Vec<String> = o
        .violations
        .iter()
        .map(|v| match v.fault {
            Fault::InvalidEndState => "invalid end state".into(),
            Fault::Failure(f) => format!("{:?}", f.code),
        })
        .collect();
    list.sort();
    list.dedup();
    list
}

/// Compares searches of a model before and behind each pass.
fn compare(name: &str, plain: &Model, states_max: u64) {
    let before = search(plain, false, states_max);
    let mut merged = plain.clone();
    merge(&mut merged);
    let mut reset = plain.clone();
    dead_values(&mut reset);
    let mut still = plain.clone();
    tallies(&mut still);
    let all = passes::optimize(&still).model;
    for (pass, model) in [("merge", &merged), ("dead_values", &reset), ("tallies", &still), ("all", &all)] {
        assert_eq!(verify(model), Ok(()), "{name}: {pass}");
        let after = search(model, false, states_max);
        if before.stopped.is_some() || after.stopped.is_some() {
            assert!(after.errors == 0 || before.errors > 0 || before.stopped.is_some(), "{name}: {pass}");
            continue;
        }
        assert_eq!(before.errors > 0, after.errors > 0, "{name}: {pass}");
        if before.errors < 60 {
            assert_eq!(faults(&before), faults(&after), "{name}: {pass}");
        }
        assert!(after.states <= before.states, "{name}: {pass}: {} states have become {}", before.states, after.states);
    }
}

/// Passes that stop on their way, at any question whether to go on, have done nothing wrong.
#[test]
fn passes_can_stop_anywhere() {
    let mut cuts = 0;
    for (name, model) in corpus::models().into_iter().step_by(4) {
        let before = search(&model, false, 2_000);
        for questions in 0..8_usize {
            let left = Cell::new(questions);
            let go_on = || left.replace(left.get().saturating_sub(1)) > 0;
            let part = passes::run_while(&model, passes::Passes::ALL, &go_on).model;
            assert_eq!(verify(&part), Ok(()), "{name}: {questions} questions");
            let after = search(&part, false, 2_000);
            if before.stopped.is_none() && after.stopped.is_none() {
                assert_eq!(before.errors > 0, after.errors > 0, "{name}: {questions} questions");
            }
            cuts += usize::from(left.get() == 0);
        }
    }
    assert!(cuts > 100, "{cuts}");
}

#[test]
fn verdicts_stay_and_states_do_not_grow() {
    for (name, model) in corpus::models() {
        compare(&name, &model, 20_000);
    }
}

#[test]
fn verdicts_of_random_models_stay() {
    for seed in 0..400 {
        let text = ferrospin_testkit::generate::generate(seed).text();
        if let Ok(model) = ferrospin_testkit::model("m.pml", &text, &[]) {
            compare(&format!("seed {seed}:\n{text}\n"), &model, 3_000);
        }
    }
}

/// States of a micro-model: plain, merged, reset.
fn counts(name: &str) -> [u64; 3] {
    let (_, plain) = corpus::models().into_iter().find(|(n, _)| n.ends_with(&format!("/{name}.pml"))).unwrap();
    let mut merged = plain.clone();
    merge(&mut merged);
    let mut reset = plain.clone();
    dead_values(&mut reset);
    [&plain, &merged, &reset].map(|m| search(m, false, 0).states)
}

/// SPIN 6.5.2 gives 57 and 21 for `opt_merge`, 20 and 16 for `opt_dead`, 17 and 17 for `opt_dead_asgn`. The plain counts
/// are the same; behind the passes there are fewer states here.
#[test]
fn states_compared_with_spin() {
    assert_eq!(counts("opt_merge")[..2], [57, 13]);
    let dead = counts("opt_dead");
    assert_eq!((dead[0], dead[2]), (20, 14));
    let dead = counts("opt_dead_asgn");
    assert_eq!((dead[0], dead[2]), (17, 13));
}

/// States of `text` with its tallies, and without.
fn tallied(text: &str) -> (u64, u64) {
    let plain = corpus::model(text);
    let mut still = plain.clone();
    tallies(&mut still);
    assert_eq!(verify(&still), Ok(()), "{text}");
    let claim = plain.processes.iter().any(|p| p.kind == ProcessKind::Never);
    let states = |model| {
        let o = search(model, claim, 3_000);
        assert_eq!(o.errors, 0, "{text}");
        o.states
    };
    (states(&plain), states(&still))
}

#[test]
fn what_only_counts_is_no_part_of_the_state() {
    // Variables, elements, locals, bits; others are not observed.
    for text in [
        "byte n; active proctype A() { do :: n++ od }",
        "int a[3]; active [3] proctype A() { do :: a[_pid]++ od }",
        "active proctype A() { short n; do :: n = 2 * n + 1 :: n = 0 od }",
        "bit b; byte k; active proctype A() { do :: b = !b :: k = 1 - k od }",
    ] {
        let (plain, still) = tallied(text);
        assert!(still <= 2 && plain > still, "{text}: {plain}, {still}");
    }
}

#[test]
fn what_somebody_reads_is_no_tally() {
    for text in [
        "byte n; active proctype A() { do :: n++ od } active proctype B() { end: n > 250 }",
        "byte n; active proctype A() { do :: n++; printf(\"%d\", n) od }",
        "byte n; active proctype A() { do :: n++ od } never { do :: n == 3 od }",
        "active proctype A() { byte n; do :: n++ od } never { do :: A:n == 3 od }",
        "byte n = 7; active proctype A() { do :: n++ od }",
        "byte n, m; active proctype A() { do :: n++; m = n od }",
        "byte n; bool b[256]; active proctype A() { do :: n++; b[n] = true od }",
        "byte n; chan c = [1] of { byte }; active proctype A() { do :: n++; c!1; c?n od }",
        "byte n; active proctype A() { do :: n++ od } active proctype B() provided (n < 9) { end: false }",
        "byte n; active proctype A() { do :: d_step { n++; if :: n == 4 -> skip :: else fi } od }",
    ] {
        let (plain, still) = tallied(text);
        assert_eq!(plain, still, "{text}");
    }
    // A bad index, and a division by 0, are found as before.
    for text in ["int a[2]; active [3] proctype A() { a[_pid]++ }", "byte n, z; active proctype A() { n = n + 1 / z }"]
    {
        let mut model = corpus::model(text);
        tallies(&mut model);
        assert!(search(&model, false, 0).errors > 0, "{text}");
    }
}

/// Edges that a merge of `text` makes longer, in processes that run.
fn merges(text: &str) -> usize {
    let mut model = corpus::model(text);
    merge(&mut model).iter().filter(|m| !m.is_empty()).count()
}

#[test]
fn what_others_can_notice_is_not_merged() {
    assert_eq!(merges("byte g; active proctype A() { byte l; g = 1; l = 1; g = 2 }"), 1);
    assert_eq!(merges("byte g; active proctype A() { byte l; g = 1; L: l = 1; g = 2 }"), 0);
    assert_eq!(merges("byte g; active proctype A() { g = 1; g = 2 }"), 0);
    assert_eq!(merges("byte g; active proctype A() provided (g < 9) { byte l; g = 1; l = 1; g = 2 }"), 0);
    assert_eq!(merges("byte g; active proctype A() { byte l; g = 1; assert(g == 1); g = 2 }"), 0);
    assert_eq!(merges("byte g; active proctype A() { byte l; g = 1; l = l / l; g = 2 }"), 0);
    assert_eq!(merges("byte g; active proctype A() { byte l; g = 1; atomic { l = 1; g = 2 } }"), 1);
    assert_eq!(merges("byte g; active proctype A() { byte l; atomic { g = 1; l = 1; g = 2 } }"), 2);
    assert_eq!(merges("byte g; active proctype A() { byte l; g = 1; l = 1; g = 2 } never { do :: A:l == 3 od }"), 0);
    assert_eq!(merges("byte g; active proctype A() { byte l; g = 1; l = 1; g = 2 } never { do :: _last == 3 od }"), 0);
    assert_eq!(
        merges(
            "chan c = [0] of { byte }; active proctype A() { byte l; c!1; l = 1; c!2 } active proctype B() { c?_; c?_ }"
        ),
        0
    );
}

#[test]
fn inside_an_atomic_nobody_notices_what_does_not_block() {
    assert_eq!(merges("byte g, a[2]; active proctype A() { atomic { g = 1; a[g] = 2; assert(g == 1) }; g = 3 }"), 2);
    assert_eq!(merges("byte g; active proctype A() { atomic { g = 1; g == 2 }; g = 3 }"), 0);
    assert_eq!(merges("chan c = [1] of { byte }; active proctype A() { byte l; atomic { l = 1; c!l; c?l } }"), 0);
    assert_eq!(merges("byte g; active proctype A() { atomic { g = 1; L: g = 2 } }"), 0);
    assert_eq!(merges("byte g; active proctype A() { atomic { g = 1; do :: g = 2 :: g = 3; g = 4 od } }"), 1);
    // Three edges lead to the end of an `unless`, where there is nothing to do.
    assert_eq!(merges("byte g; active proctype A() { atomic { { g = 1; g = 2 } unless { g == 9 } } }"), 3);
    assert_eq!(merges("byte g; active proctype A() priority 3 { atomic { g = 1; g = 2 } }"), 0);
}

#[test]
fn assertions_about_own_variables_and_prints_are_merged() {
    assert_eq!(merges("byte g; active proctype A() { byte l; g = 1; assert(l == 0); g = 2 }"), 1);
    assert_eq!(merges("byte g; active proctype A() { g = 1; printf(\"%d\", g); g = 2 }"), 1);
    assert_eq!(merges("byte g, a[2]; active proctype A() { g = 1; printf(\"%d\", a[g]); g = 2 }"), 0);
    // An `atomic` in front of which others must be able to move, unless nothing happens inside.
    assert_eq!(merges("byte g; active proctype A() { g = 1; atomic { printf(\"a\"); printf(\"b\") }; g = 2 }"), 2);
    assert_eq!(merges("byte g; active proctype A() { g = 1; atomic { printf(\"a\"); g = 2 }; g = 3 }"), 1);
    assert_eq!(merges("byte g; active proctype A() { byte l; g = 1; atomic { printf(\"a\"); l = 2 }; g = 3 }"), 1);
    // Priorities: what prints, behind what is not observable; else another process may have precedence.
    assert_eq!(merges("byte g; active proctype A() priority 3 { assert(g == 0); printf(\"a\"); g = 2 }"), 1);
    assert_eq!(merges("byte g; active proctype A() priority 3 { byte l; l = 1; printf(\"a\"); g = 2 }"), 1);
    assert_eq!(merges("byte g; active proctype A() priority 3 { byte l; g = 1; printf(\"a\"); l = 1; g = 2 }"), 0);
    assert_eq!(merges("byte g; active proctype A() priority 3 { byte l; g = 1; l = 1; g = 2 }"), 0);
    // A handshake: behind its receive, what prints.
    let handshake = |send: &str, receive: &str| {
        let text = format!(
            "chan c = [0] of {{ byte }}; active proctype A() {{ byte l; c!1; {send}; c!2 }}
             active proctype B() {{ byte l; c?l; {receive}; c?l }}"
        );
        merges(&text)
    };
    assert_eq!(handshake("skip", "printf(\"%d\", l)"), 1);
    assert_eq!(handshake("printf(\"%d\", l)", "l = 1"), 0);
}

#[test]
fn what_is_read_from_outside_is_not_reset() {
    let resets = |text: &str| {
        let plain = corpus::model(text);
        let mut model = plain.clone();
        dead_values(&mut model);
        let watches = |k| matches!(k, ProcessKind::Never | ProcessKind::Trace | ProcessKind::NoTrace);
        assert!(
            model
                .edges
                .iter()
                .all(|e| { e.then.is_empty() || !watches(model.process(model.location(e.from).process).kind) })
        );
        model.edges.iter().flat_map(|e| &e.then).filter(|a| matches!(a, Action::Assign(..))).count()
    };
    assert_eq!(resets("byte g; active proctype A() { byte l = 3; g = l; g = 2 }"), 1);
    assert_eq!(resets("byte g; active proctype A() { byte l = 3; g = l; g = 2 } never { do :: A:l == 3 od }"), 0);
    assert_eq!(resets("byte g; active proctype A() { byte l = 3; do :: g = l od }"), 0);
    assert_eq!(resets("byte g; active proctype A() { byte l[2] = 3; g = l[0]; g = 2 }"), 0);
    assert_eq!(resets("byte g; active proctype A() { byte l; d_step { l = 3; g = l }; g = 2 }"), 1);
}
