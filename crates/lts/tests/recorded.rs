//! Numbers of classes as an independent tool has found them.
//!
//! BisPy (a Python library; Paige and Tarjan's algorithm) knows graphs without labels: there each edge was a state between two others,
//! in a block for its label. Graphs are unfoldings of small ones with a few edges more, so that classes have many states.

mod support;

use ferrospin_lts::equivalence::classes;
use ferrospin_lts::{Builder, Graph, Notion, State, Unwatched};
use support::Random;

/// The graph of a seed; what made the records makes the same.
fn large(seed: u64) -> Graph {
    let mut random = Random::new(seed);
    let base = 20 + random.below(60);
    let copies = 10 + random.below(20);
    let states = base * copies;
    let labels = ["a", "b", "c"];
    let mut builder = Builder::new();
    let mut add = |s: usize, l: usize, t: usize| builder.add(State(s as u32), labels[l], State(t as u32));
    for _ in 0..2 * base {
        let (s, l, t) = (random.below(base), random.below(3), random.below(base));
        for i in 0..copies {
            add(s * copies + i, l, t * copies + random.below(copies));
            if random.below(10) < 3 {
                add(s * copies + i, l, t * copies + random.below(copies));
            }
        }
    }
    for _ in 0..random.below(6) {
        let (s, l, t) = (random.below(states), random.below(3), random.below(states));
        add(s, l, t);
    }
    builder.finish(states, State(0))
}

#[test]
fn as_many_classes_as_an_independent_tool_found() {
    let rows = include_str!("classes.tsv").lines().filter(|l| !l.starts_with(['#', 's']));
    let mut count = 0;
    for row in rows {
        let numbers: Vec<usize> = row.split('\t').map(|n| n.parse().expect("a number")).collect();
        let graph = large(numbers[0] as u64);
        let found = classes(&graph, Notion::Strong, &Unwatched).expect("unwatched");
        assert_eq!([graph.state_count(), graph.edge_count(), found.count], numbers[1..], "seed {}", numbers[0]);
        count += 1;
    }
    assert_eq!(count, 50);
}
