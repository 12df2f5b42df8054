//! Formulas that tell states apart hold on one side and not on the other.

mod support;

use expect_test::{Expect, expect};
use ferrospin_lts::compare::compare;
use ferrospin_lts::equivalence::{classes, without_labels};
use ferrospin_lts::{Builder, Graph, Notion, State, Unwatched, aut, certify, distinguish, evaluate};
use support::Random;

/// Formulas for 1,000 pairs of each notion, judged on the graphs themselves.
#[test]
fn a_thousand_pairs_of_each_notion() {
    for notion in Notion::ALL {
        let mut random = Random::new(3);
        let mut pairs = 0;
        while pairs < 1000 {
            let valued = notion == Notion::Stuttering || random.chance(20);
            let graph = support::graph(&mut random, 12, valued);
            let found = classes(&graph, notion, &Unwatched).expect("unwatched");
            let judged = if notion == Notion::Stuttering { without_labels(&graph) } else { graph.clone() };
            for s in graph.states() {
                for t in graph.states().filter(|t| *t != s) {
                    let Some(formula) = distinguish::formula(&graph, &found, s, t) else { continue };
                    assert!(evaluate::holds(&judged, &formula, s), "{notion:?}: {formula}\n{}", aut::write(&graph));
                    assert!(!evaluate::holds(&judged, &formula, t), "{notion:?}: {formula}\n{}", aut::write(&graph));
                    // No formula tells equivalent states apart.
                    for u in graph.states() {
                        let expected = evaluate::holds(&judged, &formula, u);
                        let same = graph.states().filter(|v| found.equivalent(u, *v));
                        assert!(same.into_iter().all(|v| evaluate::holds(&judged, &formula, v) == expected));
                    }
                    pairs += 1;
                }
            }
        }
    }
}

/// The judge of partitions accepts what is right and refuses what is wrong.
#[test]
fn partitions_are_judged() {
    let mut random = Random::new(4);
    let (mut right, mut wrong) = (0, 0);
    for i in 0..400 {
        let graph = support::graph(&mut random, 8, i % 3 == 0);
        for notion in Notion::ALL {
            let found = classes(&graph, notion, &Unwatched).expect("unwatched");
            assert!(certify::is_right(&graph, &found.class_of, notion, &Unwatched).expect("unwatched"));
            right += 1;
            if found.count < 2 {
                continue;
            }
            // Two classes taken for one can only be right if it is a coarser equivalence, and there is none.
            let gone = 1 + random.below(found.count - 1) as u32;
            let merged: Vec<u32> = found.class_of.iter().map(|c| if *c == gone { 0 } else { *c }).collect();
            assert!(!certify::is_right(&graph, &merged, notion, &Unwatched).expect("unwatched"), "{notion:?}");
            wrong += 1;
        }
    }
    assert!(right == 2000 && wrong > 1000, "{right} {wrong}");
}

/// Both sides as lists of edges: `0 a 1, 1 b 0`.
fn check(notion: Notion, a: &str, b: &str, expected: Expect) {
    let found = compare(&graph(a), &graph(b), notion, &Unwatched).expect("unwatched");
    expected.assert_eq(&found.formula.map_or("equivalent".into(), |f| f.to_string()));
}

fn graph(text: &str) -> Graph {
    let mut builder = Builder::new();
    for edge in text.split(',').filter(|e| !e.trim().is_empty()) {
        let [source, label, target] = edge.split_whitespace().collect::<Vec<_>>()[..] else { panic!("{edge}") };
        let state = |text: &str| State(text.parse().expect("a number"));
        builder.add(state(source), label, state(target));
    }
    let states = builder.states_named().max(1) as usize;
    builder.finish(states, State(0))
}

#[test]
fn textbook_pairs() {
    use Notion::*;
    // a.(b + c) and a.b + a.c
    let (late, early) = ("0 a 1, 1 b 2, 1 c 2", "0 a 1, 0 a 2, 1 b 3, 2 c 3");
    check(Strong, late, early, expect![[r#"!<"a"> !<"c"> true"#]]);
    check(Weak, late, early, expect![[r#"!<<"a">> !<<"c">> true"#]]);
    // a.tau.b and a.b
    let (with, without) = ("0 a 1, 1 tau 2, 2 b 3", "0 a 1, 1 b 2");
    check(Strong, with, without, expect![[r#"<"a"> <tau> true"#]]);
    check(Branching, with, without, expect!["equivalent"]);
    // a + tau.b and a + b: choosing inside.
    check(Weak, "0 a 1, 0 tau 2, 2 b 1", "0 a 1, 0 b 1", expect![[r#"<<tau>> !<<"a">> true"#]]);
    check(Branching, "0 a 1, 0 tau 2, 2 b 1", "0 a 1, 0 b 1", expect![[r#"EF !EF <"a"> true"#]]);
    // The third law of CCS: a.(b + tau.c) + a.c and a.(b + tau.c)
    let (law, plain) = ("0 a 1, 1 b 2, 1 tau 3, 3 c 2, 0 a 3", "0 a 1, 1 b 2, 1 tau 3, 3 c 2");
    check(Weak, law, plain, expect!["equivalent"]);
    check(Branching, law, plain, expect![[r#"EF <"a"> !EF <"b"> true"#]]);
    // Going on inside for ever.
    check(Branching, "0 tau 0, 0 a 1", "0 a 1", expect!["equivalent"]);
    check(DivergenceBranching, "0 tau 0, 0 a 1", "0 a 1", expect!["EG true"]);
    check(DivergenceBranching, "0 tau 1, 1 tau 0, 0 a 2", "0 tau 0, 0 a 1", expect!["equivalent"]);
}

/// Formulas as deep as a graph of 100,000 states are made, judged and written.
#[test]
fn a_long_chain() {
    let chain = |n: u32| {
        let mut builder = Builder::new();
        (0..n - 1).for_each(|s| builder.add(State(s), "a", State(s + 1)));
        builder.finish(n as usize, State(0))
    };
    for notion in [Notion::Strong, Notion::Branching, Notion::Weak] {
        let found = compare(&chain(100_000), &chain(99_999), notion, &Unwatched).expect("unwatched");
        let text = found.formula.expect("they differ").to_string();
        assert!(text.lines().count() > 1000 && text.lines().all(|l| l.len() < 200), "{notion:?}");
    }
}
