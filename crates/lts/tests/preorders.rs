//! Traces, simulation and stuttering traces against their definitions, on random graphs.

mod support;

use ferrospin_lts::equivalence::classes;
use ferrospin_lts::operations::union;
use ferrospin_lts::simulation::{Steps, not_simulated};
use ferrospin_lts::traces::{TraceEnd, determinise, has_trace, not_included, stuttering_difference};
use ferrospin_lts::{Builder, Edge, Graph, Label, Notion, State, Unwatched, aut, evaluate};
use std::collections::BTreeSet;
use support::Random;

/// All traces of up to `len` visible labels, by walking.
fn traces(graph: &Graph, len: usize) -> BTreeSet<Vec<String>> {
    let mut found = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let mut open = vec![(graph.initial(), Vec::new())];
    while let Some((state, trace)) = open.pop() {
        if !seen.insert((state, trace.clone())) {
            continue;
        }
        found.insert(trace.clone());
        for edge in graph.edges(state) {
            let mut longer = trace.clone();
            if edge.label != Label::TAU {
                longer.push(graph.labels().text(edge.label).to_owned());
            }
            if longer.len() <= len {
                open.push((edge.target, longer));
            }
        }
    }
    found
}

#[test]
fn traces_are_those_of_runs() {
    let mut random = Random::new(11);
    let (mut included, mut not) = (0, 0);
    for _ in 0..500 {
        let (a, b) = (support::graph(&mut random, 5, false), support::graph(&mut random, 5, false));
        let (of_a, of_b) = (traces(&a, 8), traces(&b, 8));
        match not_included(&a, &b, &Unwatched).expect("unwatched") {
            None => {
                assert!(of_a.is_subset(&of_b), "{}\n{}", aut::write(&a), aut::write(&b));
                included += 1;
            }
            Some(trace) => {
                assert!(
                    has_trace(&a, trace.iter().map(String::as_str)) && !has_trace(&b, trace.iter().map(String::as_str))
                );
                // It is a shortest one.
                if trace.len() <= 8 {
                    assert!(of_a.difference(&of_b).all(|t| t.len() >= trace.len()));
                }
                not += 1;
            }
        }
        let small = determinise(&a, &Unwatched).expect("unwatched");
        assert_eq!(traces(&small, 6), traces(&a, 6));
        assert!(small.states().all(|s| small.edges(s).windows(2).all(|e| e[0].label < e[1].label)));
    }
    assert!(included > 50 && not > 50, "{included} {not}");
}

/// The greatest relation in which every step has an answer.
fn simulated(a: &Graph, b: &Graph, steps: Steps) -> bool {
    let step = |g: &Graph, s: usize, label: &str| -> Vec<usize> {
        let edges = g.edges(State(s as u32)).iter().filter(|e| g.labels().text(e.label) == label);
        edges.map(|e| e.target.index()).collect()
    };
    let quietly = |g: &Graph, from: Vec<usize>| {
        let mut found = from;
        let mut i = 0;
        while i < found.len() {
            let next: Vec<usize> = step(g, found[i], "tau").into_iter().filter(|t| !found.contains(t)).collect();
            found.extend(next);
            i += 1;
        }
        found
    };
    let answers = |t: usize, label: &str| match (steps, label) {
        (Steps::Strong, _) => step(b, t, label),
        (Steps::Weak, "tau") => quietly(b, vec![t]),
        (Steps::Weak, _) => quietly(b, quietly(b, vec![t]).into_iter().flat_map(|u| step(b, u, label)).collect()),
    };
    let mut related = vec![vec![true; b.state_count()]; a.state_count()];
    loop {
        let before = related.clone();
        for (s, row) in related.iter_mut().enumerate() {
            for (t, related) in row.iter_mut().enumerate() {
                let mut edges = a.edges(State(s as u32)).iter();
                *related &= edges.all(|e| {
                    let label = a.labels().text(e.label);
                    answers(t, label).into_iter().any(|u| before[e.target.index()][u])
                });
            }
        }
        if related == before {
            return related[a.initial().index()][b.initial().index()];
        }
    }
}

#[test]
fn simulation_is_the_greatest_one() {
    let mut random = Random::new(12);
    let mut counts = [0; 2];
    for i in 0..800 {
        let (a, b) = (support::graph(&mut random, 6, false), support::graph(&mut random, 6, false));
        let steps = if i % 2 == 0 { Steps::Strong } else { Steps::Weak };
        let formula = not_simulated(&a, &b, steps, &Unwatched).expect("unwatched");
        assert_eq!(formula.is_none(), simulated(&a, &b, steps), "{steps:?}\n{}{}", aut::write(&a), aut::write(&b));
        counts[usize::from(formula.is_none())] += 1;
        if let Some(formula) = formula {
            assert!(
                evaluate::holds(&a, &formula, a.initial()) && !evaluate::holds(&b, &formula, b.initial()),
                "{formula}"
            );
        }
    }
    assert!(counts.iter().all(|c| *c > 50), "{counts:?}");
}

/// Whether a graph has a stuttering trace, by the definition: some run passes these classes, each for a while, and ends so.
fn has(graph: &Graph, classes: &[u32], end: TraceEnd) -> bool {
    let n = graph.state_count();
    let within = |from: &[usize], class: u32| {
        let mut found: Vec<usize> = from.iter().copied().filter(|s| graph.class(State(*s as u32)) == class).collect();
        let mut i = 0;
        while i < found.len() {
            for edge in graph.edges(State(found[i] as u32)) {
                if graph.class(edge.target) == class && !found.contains(&edge.target.index()) {
                    found.push(edge.target.index());
                }
            }
            i += 1;
        }
        found
    };
    let mut now = vec![graph.initial().index()];
    for (i, class) in classes.iter().enumerate() {
        if i > 0 {
            now = now.iter().flat_map(|s| graph.edges(State(*s as u32)).iter().map(|e| e.target.index())).collect();
        }
        now = within(&now, *class);
    }
    let ends = |s: usize| graph.edges(State(s as u32)).is_empty();
    let circles = |s: usize| {
        let class = graph.class(State(s as u32));
        let next: Vec<usize> = graph.edges(State(s as u32)).iter().map(|e| e.target.index()).collect();
        within(&next, class).contains(&s)
    };
    assert!(now.iter().all(|s| *s < n));
    match end {
        TraceEnd::Beginning => !now.is_empty(),
        TraceEnd::Stays => now.iter().any(|s| ends(*s) || circles(*s)),
        TraceEnd::Ends => now.iter().any(|s| ends(*s)),
    }
}

#[test]
fn stuttering_traces() {
    let mut random = Random::new(13);
    let mut counts = [0; 2];
    for _ in 0..800 {
        let (a, b) = (support::graph(&mut random, 5, true), support::graph(&mut random, 5, true));
        let class_of =
            |text: &str| a.valuation().expect("valued").classes.iter().position(|c| c.is_empty() == (text == "{}"));
        match stuttering_difference(&a, &b, &Unwatched).expect("unwatched") {
            None => {
                counts[0] += 1;
                // All words over two classes alternate.
                for first in 0..2 {
                    for len in 1..7u32 {
                        let word: Vec<u32> = (0..len).map(|i| (first + i) % 2).collect();
                        for end in [TraceEnd::Beginning, TraceEnd::Stays, TraceEnd::Ends] {
                            assert_eq!(has(&a, &word, end), has(&b, &word, end));
                        }
                    }
                }
            }
            Some(found) => {
                counts[1] += 1;
                let word: Vec<u32> =
                    found.classes.iter().map(|t| class_of(t).expect("a class of the graphs") as u32).collect();
                assert!(has(&a, &word, found.end) == found.of_first && has(&b, &word, found.end) != found.of_first);
            }
        }
    }
    assert!(counts.iter().all(|c| *c > 50), "{counts:?}");
}

/// Stuttering equivalence is finer than equal stuttering traces, and bisimilarity than simulation, and that than traces.
#[test]
fn coarser_and_finer() {
    let mut random = Random::new(14);
    let mut equivalent = 0;
    for _ in 0..3000 {
        let (a, b) = (support::graph(&mut random, 4, true), support::graph(&mut random, 4, true));
        let both = union(&a, &b);
        let same = |notion| {
            let found = classes(&both, notion, &Unwatched).expect("unwatched");
            found.equivalent(a.initial(), State(a.state_count() as u32 + b.initial().0))
        };
        if same(Notion::Stuttering) {
            equivalent += 1;
            assert_eq!(stuttering_difference(&a, &b, &Unwatched).expect("unwatched"), None);
        }
        if same(Notion::Weak) {
            assert!(not_simulated(&a, &b, Steps::Weak, &Unwatched).expect("unwatched").is_none());
        }
        if not_simulated(&a, &b, Steps::Weak, &Unwatched).expect("unwatched").is_none() {
            assert_eq!(not_included(&a, &b, &Unwatched).expect("unwatched"), None);
        }
    }
    assert!(equivalent > 100, "{equivalent}");
}

/// Why reductions by ample sets are compared by traces: they may choose before something visible happens, not after.
#[test]
fn an_earlier_choice_has_the_same_traces() {
    let choice = |early: bool| {
        let mut builder = Builder::new();
        let tau = |s: u32, t: u32| (State(s), Edge { label: Label::TAU, target: State(t) });
        let edges = if early {
            vec![tau(0, 1), tau(0, 2), tau(1, 3), tau(2, 4), tau(3, 5), tau(4, 6)]
        } else {
            vec![tau(0, 1), tau(1, 3), tau(1, 4), tau(3, 5), tau(4, 6)]
        };
        edges.into_iter().for_each(|(s, e)| builder.push(s, e));
        builder.set_valuation(ferrospin_lts::Valuation {
            propositions: ["p", "q", "r"].map(Into::into).to_vec(),
            classes: [0, 1, 2].map(|i| vec![ferrospin_lts::Proposition(i)]).into_iter().chain([vec![]]).collect(),
            class_of: if early { vec![3, 3, 3, 0, 0, 1, 2] } else { vec![3, 0, 0, 0, 0, 1, 2] },
        });
        builder.finish(7, State(0))
    };
    let (early, late) = (choice(true), choice(false));
    assert_eq!(stuttering_difference(&early, &late, &Unwatched).expect("unwatched"), None);
    let both = union(&early, &late);
    let found = classes(&both, Notion::Stuttering, &Unwatched).expect("unwatched");
    assert!(!found.equivalent(State(0), State(7)));
}
