//! Random graphs, and equivalences computed word for word from their definitions.
#![allow(dead_code)]

use ferrospin_lts::{Builder, Edge, Graph, Label, Notion, Proposition, State, Valuation};

/// A repeatable source of numbers (xorshift).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % bound as u64) as usize
    }

    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// A random graph with up to `states` states and two or three labels, many of them internal; with propositions if asked for.
pub(crate) fn graph(random: &mut Random, states: usize, valued: bool) -> Graph {
    let n = 1 + random.below(states);
    let mut builder = Builder::new();
    let labels = [Label::TAU, builder.labels.add("a"), builder.labels.add("b")];
    let edges = random.below(n * 3 + 1);
    let taus = random.below(80);
    // Graphs that mostly go forward have deep structure, others have cycles.
    let forward = random.chance(50);
    for _ in 0..edges {
        let (s, t) = (random.below(n), random.below(n));
        let (s, t) = if forward && !random.chance(8) { (s.min(t), s.max(t)) } else { (s, t) };
        let label = if random.chance(taus) { Label::TAU } else { labels[1 + random.below(2)] };
        builder.push(State(s as u32), Edge { label, target: State(t as u32) });
    }
    if valued {
        builder.set_valuation(Valuation {
            propositions: vec!["p".into()],
            classes: vec![vec![], vec![Proposition(0)]],
            class_of: (0..n).map(|_| u32::from(random.chance(25))).collect(),
        });
    }
    builder.finish(n, State(0))
}

/// Which pairs of states are equivalent, by the definition of the notion.
pub(crate) fn equivalent(graph: &Graph, notion: Notion) -> Vec<Vec<bool>> {
    let n = graph.state_count();
    let mut related: Vec<Vec<bool>> =
        (0..n).map(|s| (0..n).map(|t| class(graph, s) == class(graph, t)).collect()).collect();
    let divergence = matches!(notion, Notion::DivergenceBranching | Notion::Stuttering);
    loop {
        let before = related.clone();
        for s in 0..n {
            for t in 0..n {
                if divergence {
                    // The condition about divergence is not monotone: only equivalences are looked at on the way.
                    related[s][t] =
                        before[s][t] && abilities(graph, notion, &before, s) == abilities(graph, notion, &before, t);
                    continue;
                }
                let keeps = |x, y| transfers(graph, notion, &before, x, y);
                related[s][t] = before[s][t] && keeps(s, t) && keeps(t, s);
            }
        }
        if related == before {
            let kept = |s: usize, t: usize| !related[s][t] || transfers(graph, notion, &related, s, t);
            assert!((0..n).all(|s| (0..n).all(|t| kept(s, t))), "the result fits the definition");
            return related;
        }
    }
}

fn class(graph: &Graph, state: usize) -> u32 {
    graph.class(State(state as u32))
}

/// The edges of a state as the notion sees them: whether internal, the label, the target.
fn edges(graph: &Graph, notion: Notion, state: usize) -> Vec<(bool, u32, usize)> {
    let edges = graph.edges(State(state as u32)).iter();
    let unlabelled = notion == Notion::Stuttering;
    edges
        .map(|e| (unlabelled || e.label == Label::TAU, if unlabelled { 0 } else { e.label.0 }, e.target.index()))
        .collect()
}

/// What a state can do when it has taken internal edges between states equivalent to it: labels and targets, each target the first
/// of its class, and whether it can go on so for ever.
fn abilities(graph: &Graph, notion: Notion, related: &[Vec<bool>], s: usize) -> (Vec<(u32, usize)>, bool) {
    let before = internal(graph, notion, &[s], |u| related[s][u]);
    let steps = before.iter().flat_map(|u| edges(graph, notion, *u)).filter(|e| !(e.0 && related[s][e.2]));
    let first = |t: usize| related[t].iter().position(|r| *r).expect("a state is equivalent to itself");
    let mut found: Vec<(u32, usize)> = steps.map(|e| (e.1, first(e.2))).collect();
    found.sort_unstable();
    found.dedup();
    (found, diverges(graph, notion, related, s, s))
}

/// All states that internal edges lead to from these, as long as `stays` holds behind each.
fn internal(graph: &Graph, notion: Notion, from: &[usize], stays: impl Fn(usize) -> bool) -> Vec<usize> {
    let mut found = from.to_vec();
    let mut i = 0;
    while i < found.len() {
        for (is_internal, _, t) in edges(graph, notion, found[i]) {
            if is_internal && stays(t) && !found.contains(&t) {
                found.push(t);
            }
        }
        i += 1;
    }
    found
}

/// Whether every step of `s` can be answered by `t`.
fn transfers(graph: &Graph, notion: Notion, related: &[Vec<bool>], s: usize, t: usize) -> bool {
    edges(graph, notion, s).into_iter().all(|(is_internal, label, s2)| match notion {
        Notion::Strong => edges(graph, notion, t).iter().any(|e| e.1 == label && related[s2][e.2]),
        Notion::Weak => {
            let before = internal(graph, notion, &[t], |_| true);
            let reached = if is_internal {
                before
            } else {
                let steps = before.iter().flat_map(|u| edges(graph, notion, *u)).filter(|e| e.1 == label);
                internal(graph, notion, &steps.map(|e| e.2).collect::<Vec<_>>(), |_| true)
            };
            reached.into_iter().any(|t2| related[s2][t2])
        }
        Notion::Branching | Notion::DivergenceBranching | Notion::Stuttering => {
            let before = internal(graph, notion, &[t], |u| related[s][u]);
            is_internal && related[s2][t]
                || before.iter().any(|u| edges(graph, notion, *u).iter().any(|e| e.1 == label && related[s2][e.2]))
        }
    }) && (!matches!(notion, Notion::DivergenceBranching | Notion::Stuttering)
        || answers_divergence(graph, notion, related, s, t))
}

/// If `s` can go on internally for ever through states related to `t`, then `t` can through states related to `s`. With an
/// equivalence at the end this is the definition of van Glabbeek, Luttik and Trcka (2009).
fn answers_divergence(graph: &Graph, notion: Notion, related: &[Vec<bool>], s: usize, t: usize) -> bool {
    !diverges(graph, notion, related, s, t) || diverges(graph, notion, related, t, s)
}

/// Whether a state can go on internally for ever through states related to another.
fn diverges(graph: &Graph, notion: Notion, related: &[Vec<bool>], from: usize, to: usize) -> bool {
    let stays = |u: usize| related[u][to];
    let reached = internal(graph, notion, &[from], stays);
    stays(from)
        && reached.iter().any(|u| {
            let next = edges(graph, notion, *u);
            let next: Vec<usize> = next.iter().filter(|e| e.0 && stays(e.2)).map(|e| e.2).collect();
            internal(graph, notion, &next, stays).contains(u)
        })
}
