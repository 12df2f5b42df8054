//! Automata of small formulas in all forms of output, and what is said about broken HOA.

mod support;

use expect_test::{Expect, expect};
use ferrospin_ltl::*;
use std::fmt::Write;
use support::World;

fn check_never(formula: &str, expected: Expect) {
    let mut w = World::new();
    let f = w.read(formula);
    let a = w.translate(f, Target::Buchi);
    expected.assert_eq(&never(&a, &mut w.labels, &w.atoms, formula, NeverOptions::default()));
}

#[test]
fn never_claims() {
    check_never(
        "[]p",
        expect![[r#"
        never {    /* []p */
        accept_init:
        	do
        	:: (p) -> goto accept_init
        	od;
        }
    "#]],
    );
    check_never(
        "<>p",
        expect![[r#"
        never {    /* <>p */
        T0_init:
        	do
        	:: (!p) -> goto T0_init
        	:: (p) -> goto accept_all
        	od;
        accept_all:
        	skip
        }
    "#]],
    );
    check_never(
        "[](p -> <>q)",
        expect![[r#"
        never {    /* [](p -> <>q) */
        accept_init:
        	do
        	:: (!p || q) -> goto accept_init
        	:: (p && !q) -> goto T0_S1
        	od;
        T0_S1:
        	do
        	:: (q) -> goto accept_init
        	:: (!q) -> goto T0_S1
        	od;
        }
    "#]],
    );
    check_never(
        "!([](x > 3 -> <>(len(q) == 0)))",
        expect![[r#"
        never {    /* !([](x > 3 -> <>(len(q) == 0))) */
        T0_init:
        	do
        	:: (1) -> goto T0_init
        	:: ((x > 3) && !(len(q) == 0)) -> goto accept_S1
        	od;
        accept_S1:
        	do
        	:: (!(len(q) == 0)) -> goto accept_S1
        	od;
        }
    "#]],
    );
    check_never(
        "[]<>p && []<>q",
        expect![[r#"
        never {    /* []<>p && []<>q */
        T0_init:
        	do
        	:: (!p) -> goto T0_init
        	:: (p && !q) -> goto T0_S1
        	:: (p && q) -> goto accept_S2
        	od;
        T0_S1:
        	do
        	:: (!q) -> goto T0_S1
        	:: (q) -> goto accept_S2
        	od;
        accept_S2:
        	do
        	:: (!p) -> goto T0_init
        	:: (p && !q) -> goto T0_S1
        	:: (p && q) -> goto accept_S2
        	od;
        }
    "#]],
    );
    check_never(
        "true",
        expect![[r#"
        never {    /* true */
        accept_all:
        	skip
        }
    "#]],
    );
    check_never(
        "false",
        expect![[r#"
        never {    /* false */
        T0_init:
        	false;
        }
    "#]],
    );
    check_never(
        "p xor q",
        expect![[r#"
        never {    /* p xor q */
        accept_init:
        	do
        	:: ((!p && q) || (p && !q)) -> goto accept_all
        	od;
        accept_all:
        	skip
        }
    "#]],
    );
    check_never(
        "{p && q} U \"any text\"",
        expect![[r#"
        never {    /* {p && q} U "any text" */
        T0_init:
        	do
        	:: ((p && q) && !(any text)) -> goto T0_init
        	:: ((any text)) -> goto accept_all
        	od;
        accept_all:
        	skip
        }
    "#]],
    );
}

#[test]
fn never_claim_with_assertion() {
    let mut w = World::new();
    let f = w.read("<>(p && q)");
    let a = w.translate(f, Target::Buchi);
    let text = never(&a, &mut w.labels, &w.atoms, "bad */ title", NeverOptions { assert: true });
    expect![[r#"
        never {    /* bad * / title */
        T0_init:
        	do
        	:: (!p || !q) -> goto T0_init
        	:: atomic { (p && q) -> assert(!(p && q)) }
        	od;
        accept_all:
        	skip
        }
    "#]]
    .assert_eq(&text);
}

fn check_hoa(formula: &str, target: Target, expected: Expect) {
    let mut w = World::new();
    let f = w.read(formula);
    let a = w.translate(f, target);
    expected.assert_eq(&hoa(&a, &mut w.labels, &w.atoms, formula, w.formulas.is(f, Flags::X_FREE)));
}

#[test]
fn hoa_output() {
    check_hoa(
        "[]<>p && []<>q",
        Target::Generalised,
        expect![[r#"
        HOA: v1
        name: "[]<>p && []<>q"
        States: 1
        Start: 0
        AP: 2 "p" "q"
        acc-name: generalized-Buchi 2
        Acceptance: 2 Inf(0)&Inf(1)
        properties: trans-labels explicit-labels trans-acc deterministic complete stutter-invariant
        tool: "ferrospin" "0.1.0"
        --BODY--
        State: 0
        [!0&!1] 0
        [0&!1] 0 {0}
        [!0&1] 0 {1}
        [0&1] 0 {0 1}
        --END--
    "#]],
    );
    check_hoa(
        "[]<>p && []<>q",
        Target::Buchi,
        expect![[r#"
        HOA: v1
        name: "[]<>p && []<>q"
        States: 3
        Start: 0
        AP: 2 "p" "q"
        acc-name: Buchi
        Acceptance: 1 Inf(0)
        properties: trans-labels explicit-labels state-acc deterministic complete stutter-invariant
        tool: "ferrospin" "0.1.0"
        --BODY--
        State: 0
        [!0] 0
        [0&!1] 1
        [0&1] 2
        State: 1
        [!1] 1
        [1] 2
        State: 2 {0}
        [!0] 0
        [0&!1] 1
        [0&1] 2
        --END--
    "#]],
    );
    check_hoa(
        "p U \"x > 3\"",
        Target::Generalised,
        expect![[r#"
        HOA: v1
        name: "p U \"x > 3\""
        States: 2
        Start: 0
        AP: 2 "p" "x > 3"
        acc-name: Buchi
        Acceptance: 1 Inf(0)
        properties: trans-labels explicit-labels state-acc deterministic inherently-weak weak terminal stutter-invariant
        tool: "ferrospin" "0.1.0"
        --BODY--
        State: 0
        [0&!1] 0
        [1] 1
        State: 1 {0}
        [t] 1
        --END--
    "#]],
    );
    check_hoa(
        "false",
        Target::Generalised,
        expect![[r#"
            HOA: v1
            name: "false"
            States: 1
            Start: 0
            AP: 0
            acc-name: all
            Acceptance: 0 t
            properties: trans-labels explicit-labels trans-acc deterministic inherently-weak weak terminal stutter-invariant
            tool: "ferrospin" "0.1.0"
            --BODY--
            State: 0
            --END--
        "#]],
    );
    check_hoa(
        "X []p",
        Target::Generalised,
        expect![[r#"
            HOA: v1
            name: "X []p"
            States: 2
            Start: 0
            AP: 1 "p"
            acc-name: all
            Acceptance: 0 t
            properties: trans-labels explicit-labels trans-acc deterministic inherently-weak weak
            tool: "ferrospin" "0.1.0"
            --BODY--
            State: 0
            [t] 1
            State: 1
            [0] 1
            --END--
        "#]],
    );
}

#[test]
fn pictures() {
    let mut w = World::new();
    let f = w.read("<>[]p");
    let a = w.translate(f, Target::Generalised);
    expect![[r#"
        digraph automaton {
          label="<>[]p"; rankdir=LR; node [shape=circle];
          init [shape=point]; init -> 0;
          0;
          0 -> 0 [label="(1)"];
          0 -> 1 [label="(p)"];
          1;
          1 -> 1 [label="(p)\n{0}"];
        }
    "#]]
    .assert_eq(&dot(&a, &mut w.labels, &w.atoms, "<>[]p"));
}

#[test]
fn facts() {
    let mut out = String::new();
    for text in [
        "true",
        "false",
        "[]p",
        "<>p",
        "p U q",
        "p W q",
        "<>[]p",
        "[]<>p",
        "[](p -> <>q)",
        "X X p",
        "[]p || <>q",
        "[]<>p && []<>q",
    ] {
        let mut w = World::new();
        let f = w.read(text);
        let a = w.translate(f, Target::Generalised);
        let b = w.translate(f, Target::Buchi);
        let (a, b) = (statistics(&a, &mut w.labels), statistics(&b, &mut w.labels));
        writeln!(out, "{text}\n    {a}\n    {b}").unwrap();
    }
    expect![[r#"
        true
            1 state, 1 edge, 0 marks, 1 component (1 accepting), deterministic, complete, safety, terminal
            1 state, 1 edge, 1 mark, 1 component (1 accepting), deterministic, complete, safety, terminal
        false
            1 state, 0 edges, 0 marks, 1 component (0 accepting), deterministic, safety, terminal
            1 state, 0 edges, 1 mark, 1 component (0 accepting), deterministic, safety, terminal
        []p
            1 state, 1 edge, 0 marks, 1 component (1 accepting), deterministic, safety, weak
            1 state, 1 edge, 1 mark, 1 component (1 accepting), deterministic, safety, weak
        <>p
            2 states, 3 edges, 1 mark, 2 components (1 accepting), deterministic, complete, terminal
            2 states, 3 edges, 1 mark, 2 components (1 accepting), deterministic, complete, terminal
        p U q
            2 states, 3 edges, 1 mark, 2 components (1 accepting), deterministic, terminal
            2 states, 3 edges, 1 mark, 2 components (1 accepting), deterministic, terminal
        p W q
            2 states, 3 edges, 0 marks, 2 components (2 accepting), deterministic, safety, weak
            2 states, 3 edges, 1 mark, 2 components (2 accepting), deterministic, safety, weak
        <>[]p
            2 states, 3 edges, 1 mark, 2 components (1 accepting), weak
            2 states, 3 edges, 1 mark, 2 components (1 accepting), weak
        []<>p
            1 state, 2 edges, 1 mark, 1 component (1 accepting), deterministic, complete
            2 states, 4 edges, 1 mark, 1 component (1 accepting), deterministic, complete
        [](p -> <>q)
            2 states, 4 edges, 1 mark, 1 component (1 accepting), deterministic, complete
            2 states, 4 edges, 1 mark, 1 component (1 accepting), deterministic, complete
        X X p
            4 states, 4 edges, 0 marks, 4 components (1 accepting), deterministic, safety, terminal
            4 states, 4 edges, 1 mark, 4 components (1 accepting), deterministic, safety, terminal
        []p || <>q
            3 states, 6 edges, 1 mark, 3 components (2 accepting), deterministic, complete, weak
            3 states, 6 edges, 1 mark, 3 components (2 accepting), deterministic, complete, weak
        []<>p && []<>q
            1 state, 4 edges, 2 marks, 1 component (1 accepting), deterministic, complete
            3 states, 8 edges, 1 mark, 1 component (1 accepting), deterministic, complete
    "#]]
    .assert_eq(&out);
}

/// Reads HOA and shows what came of it, as HOA again, with all messages.
fn check_reading(input: &str, expected: Expect) {
    let mut w = World::new();
    let (automata, diagnostics) = read_hoa(input, 1, &mut w.atoms, &mut w.labels);
    let mut out = String::new();
    for a in automata {
        let text = hoa(&a.automaton, &mut w.labels, &w.atoms, a.name.as_deref().unwrap_or("-"), false);
        let body = text.lines().filter(|l| !["HOA", "tool", "properties"].iter().any(|h| l.starts_with(h)));
        body.for_each(|l| writeln!(out, "{l}").unwrap());
    }
    for d in diagnostics.iter() {
        let at = &input[(d.span.lo as usize - 1).min(input.len())..(d.span.hi as usize - 1).min(input.len())];
        writeln!(out, "{} at `{at}`: {}", d.code, d.message).unwrap();
    }
    expected.assert_eq(&out);
}

#[test]
fn hoa_input() {
    // Aliases that use aliases, nested comments, a name for a state, an unknown header that may be ignored.
    check_reading(
        "HOA: v1 /* a /* nested */ comment */ name: \"n\" States: 2 Start: 0 AP: 2 \"a\" \"b\" \
         Alias: @x 0&!1 Alias: @y !@x | 1 acc-name: Buchi Acceptance: 1 Inf(0) spot.x: 1 2 \
         --BODY-- State: 0 \"first\" [@y] 1 [@x] 0 State: 1 {0} [t] 1 --END--",
        expect![[r#"
            name: "n"
            States: 2
            Start: 0
            AP: 2 "a" "b"
            acc-name: Buchi
            Acceptance: 1 Inf(0)
            --BODY--
            State: 0
            [0&!1] 0
            [!0 | 1] 1
            State: 1 {0}
            [t] 1
            --END--
        "#]],
    );
    // Several initial states and no number of states.
    check_reading(
        "HOA: v1 Start: 0 Start: 1 AP: 1 \"a\" Acceptance: 1 Inf(0) --BODY-- State: 0 {0} [0] 0 State: 1 [!0] 1 {0} --END--",
        expect![[r#"
            name: "-"
            States: 3
            Start: 0
            AP: 1 "a"
            acc-name: Buchi
            Acceptance: 1 Inf(0)
            --BODY--
            State: 0
            [0] 1
            [!0] 2
            State: 1 {0}
            [0] 1
            State: 2 {0}
            [!0] 2
            --END--
        "#]],
    );
    // Implied labels, a complemented set, two automata in one text, one of them abandoned.
    check_reading(
        "HOA: v1 Start: 0 AP: 1 \"a\" Acceptance: 2 Inf(!0)&Inf(1) --BODY-- State: 0 0 {0} 0 {1} --END--
         HOA: v1 Start: 0 AP: 0 Acceptance: 0 t --BODY-- State: 0 --ABORT--
         HOA: v1 Start: 0 AP: 1 \"a\" Acceptance: 0 t --BODY-- State: [!0] 0 0 --END--",
        expect![[r#"
            name: "-"
            States: 1
            Start: 0
            AP: 1 "a"
            acc-name: generalized-Buchi 2
            Acceptance: 2 Inf(0)&Inf(1)
            --BODY--
            State: 0
            [!0] 0
            [0] 0 {0 1}
            --END--
            name: "-"
            States: 1
            Start: 0
            AP: 1 "a"
            acc-name: all
            Acceptance: 0 t
            --BODY--
            State: 0
            [!0] 0
            --END--
        "#]],
    );
    check_reading(
        "HOA: v1 Start: 0 AP: 0 Acceptance: 0 f --BODY-- State: 0 [t] 0 --END--",
        expect![[r#"
        name: "-"
        States: 1
        Start: 0
        AP: 0
        acc-name: all
        Acceptance: 0 t
        --BODY--
        State: 0
        --END--
    "#]],
    );
}

#[test]
fn broken_hoa() {
    for (input, expected) in [
        (
            "HOA: v2",
            expect![[r#"
            hoa-syntax at `v2`: only version `v1` is known
        "#]],
        ),
        (
            "States: 3",
            expect![[r#"
            hoa-syntax at `States:`: expected `HOA: v1`
        "#]],
        ),
        (
            "HOA: v1 States: 1",
            expect![[r#"
            hoa-syntax at ``: expected a header line or `--BODY--`
        "#]],
        ),
        (
            "HOA: v1 --BODY-- --END--",
            expect![[r#"
            hoa-syntax at `--BODY--`: there is no `Acceptance:` line
        "#]],
        ),
        (
            "HOA: v1 Acceptance: 1 Fin(0) --BODY-- --END--",
            expect![[r#"
            hoa-syntax at `Fin`: acceptance with `Fin` is not supported, only conjunctions of `Inf`
        "#]],
        ),
        (
            "HOA: v1 Acceptance: 2 Inf(0)|Inf(1) --BODY-- --END--",
            expect![[r#"
            hoa-syntax at `|`: acceptance with `|` is not supported, only conjunctions of `Inf`
        "#]],
        ),
        (
            "HOA: v1 Acceptance: 1 Inf(3) --BODY-- --END--",
            expect![[r#"
            hoa-syntax at `3`: an acceptance set must not exceed 0
        "#]],
        ),
        (
            "HOA: v1 Start: 0&1 Acceptance: 0 t --BODY-- --END--",
            expect![[r#"
            hoa-syntax at `&`: universal branching is not supported
        "#]],
        ),
        (
            "HOA: v1 Weird: 1 Acceptance: 0 t --BODY-- --END--",
            expect![[r#"
            hoa-syntax at `Weird:`: the header `Weird:` may change the meaning and is not known
        "#]],
        ),
        (
            "HOA: v1 AP: 1 a",
            expect![[r#"
            hoa-syntax at `a`: expected a proposition in quotation marks
        "#]],
        ),
        (
            "HOA: v1 AP: 1 \"a",
            expect![[r#"
            hoa-syntax at `"a`: expected a proposition in quotation marks
        "#]],
        ),
        (
            "HOA: v1 AP: 1 \"a\" Start: 0 Acceptance: 0 t --BODY-- State: 0 [2] 0 --END--",
            expect![[r#"
            hoa-syntax at `2`: there is no proposition 2
        "#]],
        ),
        (
            "HOA: v1 Start: 0 Acceptance: 0 t --BODY-- State: 0 [@x] 0 --END--",
            expect![[r#"
            hoa-syntax at `@x`: the alias `@x` is not defined
        "#]],
        ),
        (
            "HOA: v1 States: 1 Start: 0 Acceptance: 0 t --BODY-- State: 0 [t] 4 --END--",
            expect![[r#"
            hoa-syntax at `4`: a state must not exceed 0
        "#]],
        ),
        (
            "HOA: v1 AP: 1 \"a\" Start: 0 Acceptance: 0 t --BODY-- State: 0 0 --END--",
            expect![[r#"
            hoa-syntax at `--END--`: state 0 has edges without labels: there must be one for each letter
        "#]],
        ),
        (
            "HOA: v1 Start: 0 Acceptance: 0 t --BODY-- State: 0 State: 0 --END--",
            expect![[r#"
            hoa-syntax at `0`: state 0 is defined twice
        "#]],
        ),
        (
            "HOA: v1 Start: 99999999999 Acceptance: 0 t --BODY-- --END--",
            expect![[r#"
            hoa-syntax at `99999999999`: expected a state
        "#]],
        ),
        (
            "HOA: v1 Start: 0 Acceptance: 0 t --BODY-- State: 0 [t 0 --END--",
            expect![[r#"
            hoa-syntax at `0`: expected `]`
        "#]],
        ),
        (
            "HOA: v1 Start: 0 Acceptance: 0 t --BODY-- State: 0 [t] 0&1 --END--",
            expect![[r#"
            hoa-syntax at `&`: universal branching is not supported
        "#]],
        ),
        (
            "HOA: v1 /* open",
            expect![[r#"
            hoa-syntax at `/* open`: this comment is never closed
        "#]],
        ),
        (
            "HOA: v1 Start: 0 Acceptance: 0 t --BODY-- [t] 0 --END--",
            expect![[r#"
            hoa-syntax at `[`: expected a state, an edge or `--END--`
        "#]],
        ),
    ] {
        check_reading(input, expected);
    }
}

#[test]
fn sensitivity_to_stuttering() {
    let mut out = String::new();
    for text in [
        "[](p -> <>q)",
        "X p",
        "[](p -> X p)",
        "<>(p && X !p)",
        "X <>p",
        "p && X (!p && X p)",
        "X []<>p",
        "<>(p && X q)",
    ] {
        let mut w = World::new();
        let f = w.read(text);
        match stuttering(&mut w.formulas, f, &mut w.labels).unwrap() {
            Stuttering::Insensitive => writeln!(out, "{text}: insensitive").unwrap(),
            Stuttering::Sensitive { holds, fails } => {
                assert!(holds.satisfies(&w.formulas, f), "{text}");
                assert!(!fails.satisfies(&w.formulas, f), "{text}");
                let word = |l: &Lasso| {
                    let letter = |s: &Vec<AtomId>| s.iter().map(|&a| w.atoms.get(a).text.clone()).collect::<String>();
                    let part = |p: &[Vec<AtomId>]| p.iter().map(|s| format!("{{{}}}", letter(s))).collect::<String>();
                    format!("{} ({})", part(&l.stem), part(&l.cycle))
                };
                writeln!(out, "{text}: holds on {}, fails on {}", word(&holds), word(&fails)).unwrap();
            }
        }
    }
    expect![[r#"
        [](p -> <>q): insensitive
        X p: holds on {p}{p}{} ({}), fails on {p}{} ({})
        [](p -> X p): insensitive
        <>(p && X !p): insensitive
        X <>p: holds on {p}{p} ({}), fails on {p} ({})
        p && X (!p && X p): holds on {p}{}{p} ({}), fails on {p}{p}{}{p} ({})
        X []<>p: insensitive
        <>(p && X q): holds on {pq}{pq} ({}{p}), fails on {pq} ({}{p})
    "#]]
    .assert_eq(&out);
}

#[test]
fn limits_are_errors() {
    let mut w = World::new();
    let p = w.read("p");
    let deep = (0..=DEPTH_MAX).fold(p, |f, _| w.formulas.next(f));
    let wide: Vec<Formula> = (0..600).map(|i| w.formulas.atom(AtomId(i))).collect();
    let wide = w.formulas.and(&wide);
    let promises: Vec<Formula> = (0..70).map(|i| w.formulas.atom(AtomId(i))).collect();
    let promises: Vec<Formula> = promises.into_iter().map(|f| w.formulas.eventually(f)).collect();
    let many = w.formulas.and(&promises);
    let mut out = String::new();
    for f in [deep, wide, many] {
        let error = translate(&mut w.formulas, f, Target::Generalised, &mut w.labels).unwrap_err();
        writeln!(out, "{error}").unwrap();
    }
    expect![[r#"
        the formula is nested deeper than 500 operators
        the formula has more than 512 propositions
        the formula has more than 64 different eventualities
    "#]]
    .assert_eq(&out);
}

#[test]
fn arbitrary_hoa_does_not_panic() {
    let pieces = [
        "HOA: v1 ",
        "States: ",
        "Start: ",
        "AP: 1 \"a\" ",
        "Acceptance: ",
        "1 Inf(0) ",
        "0 t ",
        "--BODY-- ",
        "State: ",
        "0 ",
        "1 ",
        "[t] ",
        "[0] ",
        "[!0&0|t] ",
        "{0} ",
        "--END-- ",
        "--ABORT-- ",
        "Alias: @x ",
        "@x ",
        "\"",
        "/* ",
        "*/ ",
        "& ",
        "( ",
        ") ",
        "[",
        "] ",
        "! ",
        "é",
        "name: ",
    ];
    let mut random = ferrospin_ltl::random::Random::new(3);
    let mut read = 0;
    for _ in 0..20_000 {
        let mut text =
            String::from(["", "HOA: v1 Start: 0 AP: 1 \"a\" Acceptance: 1 Inf(0) --BODY-- "][random.below(2)]);
        (0..random.below(14)).for_each(|_| text.push_str(pieces[random.below(pieces.len())]));
        let mut w = World::new();
        let (automata, _) = read_hoa(&text, 1, &mut w.atoms, &mut w.labels);
        for a in &automata {
            read += 1;
            statistics(&a.automaton, &mut w.labels);
            hoa(&a.automaton, &mut w.labels, &w.atoms, "", false);
        }
    }
    assert!(read > 100, "{read}");
}
