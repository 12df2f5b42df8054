//! Classes against the definitions of the notions, on random graphs.

mod support;

use ferrospin_lts::equivalence::{classes, minimise, quotient};
use ferrospin_lts::operations::union;
use ferrospin_lts::{Graph, Notion, State, Unwatched, aut};
use support::Random;

fn check(graph: &Graph, notion: Notion) {
    let expected = support::equivalent(graph, notion);
    let found = classes(graph, notion, &Unwatched).expect("unwatched");
    for s in graph.states() {
        for t in graph.states() {
            assert_eq!(
                found.equivalent(s, t),
                expected[s.index()][t.index()],
                "{notion:?}: {} and {} of\n{}{:?}",
                s.0,
                t.0,
                aut::write(graph),
                graph.valuation(),
            );
        }
    }
    // The quotient has one state of each class and no two that are equivalent.
    let small = quotient(graph, &found);
    let again = classes(&small, notion, &Unwatched).expect("unwatched");
    assert_eq!(again.count, found.count, "{notion:?}:\n{}\n{}", aut::write(graph), aut::write(&small));
}

#[test]
fn two_thousand_random_graphs() {
    let mut random = Random::new(1);
    for i in 0..2000 {
        let graph = support::graph(&mut random, if i % 4 == 0 { 14 } else { 8 }, i % 3 == 0);
        for notion in Notion::ALL {
            check(&graph, notion);
        }
    }
}

#[test]
fn the_smallest_graph_is_equivalent() {
    let mut random = Random::new(2);
    for i in 0..300 {
        let graph = support::graph(&mut random, 10, i % 3 == 0);
        for notion in Notion::ALL {
            let small = minimise(&graph, notion, &Unwatched).expect("unwatched");
            let both = union(&graph, &small);
            let found = classes(&both, notion, &Unwatched).expect("unwatched");
            assert!(
                found.equivalent(graph.initial(), State(graph.state_count() as u32 + small.initial().0)),
                "{notion:?}"
            );
        }
    }
}
