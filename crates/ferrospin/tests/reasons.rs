//! Where a search cannot be reduced, the report says that reduction was off, and why.

use expect_test::{Expect, expect};
use ferrospin::files::DiskLoader;
use ferrospin::front;
use ferrospin::verify::{Emptiness, Goal, Goals, Options, Store, verify};
use std::num::NonZeroUsize;

/// The reductions of all properties, with the notes about them.
fn check(text: &str, options: Options, expected: Expect) {
    let front = front::read_text("m.pml", text, &front::Options::default(), &mut DiskLoader::default());
    assert!(!front.unreadable, "{text}");
    let found = verify(&front, &options).unwrap_or_else(|why| panic!("{text}: {why:?}"));
    let mut shown = String::new();
    for p in &found.properties {
        let notes = p.notes.iter().filter(|n| n.contains("reduction")).map(String::as_str);
        shown += &format!(
            "{}: {}\n",
            p.name,
            std::iter::once(p.reduction.as_str()).chain(notes).collect::<Vec<_>>().join("; ")
        );
    }
    expected.assert_eq(&shown);
}

const TWO: &str = "byte v; active [2] proctype P() { byte x; x = 1; x = 2; v = 1 }";

#[test]
fn what_the_model_uses() {
    let safety = || Options { goals: Goals::Only(vec![Goal::Safety]), ..Options::default() };
    check(
        TWO,
        safety(),
        expect![[r#"
        safety: stubborn
    "#]],
    );
    check(
        "active proctype P() { byte x; x = _last }",
        safety(),
        expect![[r#"
        safety: none; reduction is off: the model uses `_last`
    "#]],
    );
    check(
        "active proctype P() priority 2 { byte x; x = 1 } active proctype Q() { byte x; x = 1 }",
        safety(),
        expect![[r#"
        safety: none; reduction is off: the model uses priorities
    "#]],
    );
    check(
        "active proctype P() { byte x; x = get_priority(0); set_priority(0, x) }",
        safety(),
        expect![[r#"
        safety: none; reduction is off: the model uses priorities
    "#]],
    );
    check(
        "never { do :: enabled(0) od } active proctype P() { skip }",
        safety(),
        expect![[r#"
        safety: none; reduction is off: the model uses `enabled` or `pc_value`
    "#]],
    );
    check(
        "never { do :: pc_value(0) > 0 od } active proctype P() { skip }",
        safety(),
        expect![[r#"
        safety: stubborn
    "#]],
    );
}

#[test]
fn what_the_search_needs() {
    let safety = || Options { goals: Goals::Only(vec![Goal::Safety]), ..Options::default() };
    check(
        TWO,
        Options { store: Some(Store::Automaton), ..safety() },
        expect![[r#"
        safety: none; reduction is off: the automaton cannot tell which states are new in a level
    "#]],
    );
    check(
        TWO,
        Options { on_full_bitstate: true, ..safety() },
        expect![[r#"
        safety: none; reduction is off: the store may change on the way
    "#]],
    );
    check(
        TWO,
        Options { partial_order: false, ..safety() },
        expect![[r#"
        safety: none
    "#]],
    );
}

#[test]
fn what_the_property_asks() {
    let ltl = |formula: &str| Options { goals: Goals::Only(vec![Goal::Ltl(formula.into())]), ..Options::default() };
    check(
        TWO,
        ltl("<> (v == 1)"),
        expect![[r#"
        <> (v == 1): stubborn
    "#]],
    );
    check(
        TWO,
        ltl("X (v == 0)"),
        expect![[r#"
        X (v == 0): none; reduction is off: the property may depend on stuttering (`--stutter-close` closes it)
    "#]],
    );
    check(
        &format!("{TWO} ltl p {{ <> (_last == 1) }}"),
        ltl("p"),
        expect![[r#"
            p: none; reduction is off: the claim sees `_last`, which every step may change
        "#]],
    );
    check(
        TWO,
        ltl("<> timeout"),
        expect![[r#"
        <> timeout: none; reduction is off: the claim sees `timeout`, which every step may change
    "#]],
    );
    check(
        TWO,
        Options { fair: true, ..ltl("<> (v == 1)") },
        expect![[r#"
        <> (v == 1): none; reduction is off: fairness asks about every move
    "#]],
    );
    check(
        TWO,
        Options { emptiness: Emptiness::Ufscc, ..ltl("<> (v == 1)") },
        expect![[r#"
        <> (v == 1): none; reduction is off: searches by many workers do without it; `--emptiness couvreur` has it
    "#]],
    );
    check(
        TWO,
        Options { emptiness: Emptiness::Cndfs, ..ltl("<> (v == 1)") },
        expect![[r#"
        <> (v == 1): none; reduction is off: searches by many workers do without it; `--emptiness couvreur` has it
    "#]],
    );
    check(
        TWO,
        Options { emptiness: Emptiness::Testing, ..ltl("<> (v == 1)") },
        expect![[r#"
        <> (v == 1): none; reduction is off: a breadth-first search for livelocks does without it; `--emptiness couvreur` has it
    "#]],
    );
    let four = NonZeroUsize::new(4).expect("not zero");
    check(
        TWO,
        Options { threads: four, ..ltl("<> (v == 1)") },
        expect![[r#"
        <> (v == 1): none; reduction is off: searches by many workers do without it; `--emptiness couvreur` has it
    "#]],
    );
    let claim = format!("{TWO} never {{ do :: v == 0 :: v == 1 -> break od; accept: do :: v == 1 od }}");
    check(
        &claim,
        Options::default(),
        expect![[r#"
        safety: stubborn
        never_0: none; reduction is off: the claim may depend on stuttering (`--stutter-close` closes it)
    "#]],
    );
    let progress = || Options { goals: Goals::Only(vec![Goal::Progress, Goal::Acceptance]), ..Options::default() };
    check(
        TWO,
        progress(),
        expect![[r#"
        progress: stubborn
        acceptance: stubborn
    "#]],
    );
    check(
        TWO,
        Options { fair: true, ..progress() },
        expect![[r#"
        progress: none; reduction is off: fairness asks about every move
        acceptance: none; reduction is off: fairness asks about every move
    "#]],
    );
}

/// What a state does not hold cannot be asked for by a formula of the command line.
#[test]
fn a_formula_cannot_ask_for_what_is_not_kept() {
    let front = front::read_text("m.pml", TWO, &front::Options::default(), &mut DiskLoader::default());
    let options = Options { goals: Goals::Only(vec![Goal::Ltl("<> (_last == 1)".into())]), ..Options::default() };
    let why = format!("{:?}", verify(&front, &options).expect_err("refused"));
    assert!(why.contains("make it an `ltl` block of the model"), "{why}");
}
