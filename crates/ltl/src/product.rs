//! Products of automata: emptiness, and acceptance of one word.

use crate::automaton::{Automaton, Edge, StateId};
use crate::label::{Label, Labels};
use crate::lasso::Lasso;
use crate::scc::{Components, tarjan};
use rustc_hash::FxHashMap;

/// The automaton that accepts what both accept, reachable part only; `None` if it has more than `limit` states.
pub fn product(a: &Automaton, b: &Automaton, labels: &mut Labels, limit: usize) -> Option<Automaton> {
    assert!(a.mark_count + b.mark_count <= 64, "marks of both automata fit into one set");
    let mut index: FxHashMap<(StateId, StateId), u32> = FxHashMap::default();
    let mut pairs = vec![(a.initial, b.initial)];
    index.insert(pairs[0], 0);
    let mut edges: Vec<Vec<Edge>> = Vec::new();
    while edges.len() < pairs.len() {
        let (p, q) = pairs[edges.len()];
        let mut out = Vec::new();
        for e in a.out(p) {
            for f in b.out(q) {
                let label = labels.and(e.label, f.label);
                if label == Label::FALSE {
                    continue;
                }
                let target = (e.target, f.target);
                let id = *index.entry(target).or_insert_with(|| {
                    pairs.push(target);
                    pairs.len() as u32 - 1
                });
                out.push(Edge { target: StateId(id), marks: e.marks | f.marks << a.mark_count, label });
            }
        }
        edges.push(out);
        if pairs.len() > limit {
            return None;
        }
    }
    let mark_count = a.mark_count + b.mark_count;
    Some(Automaton { edges, initial: StateId(0), mark_count, state_based: false })
}

/// Whether an automaton accepts no word.
pub fn is_empty(a: &Automaton) -> bool {
    let components = Components::new(a);
    !(0..components.count).any(|c| components.accepting(c))
}

/// Whether an automaton accepts a word, started in any of the given states.
pub fn accepts_from(a: &Automaton, starts: &[StateId], labels: &Labels, word: &Lasso) -> bool {
    let shape = word.shape();
    let n = shape.positions;
    let id = |s: StateId, at: usize| s.0 as usize * n + at;
    let mut graph: Vec<Vec<(usize, u64)>> = Vec::with_capacity(a.state_count() * n);
    for s in a.states() {
        for at in 0..n {
            let taken = a.out(s).iter().filter(|e| labels.contains(e.label, |atom| word.holds(atom, at)));
            graph.push(taken.map(|e| (id(e.target, shape.next(at)), e.marks)).collect());
        }
    }
    let roots: Vec<usize> = starts.iter().map(|&s| id(s, 0)).collect();
    let (of, count) = tarjan(graph.len(), &roots, |v, i| graph[v].get(i).map(|t| t.0));
    let mut marks: Vec<Option<u64>> = vec![None; count];
    for (v, edges) in graph.iter().enumerate().filter(|&(v, _)| of[v] != u32::MAX) {
        for &(w, m) in edges.iter().filter(|&&(w, _)| of[w] == of[v]) {
            *marks[of[w] as usize].get_or_insert(0) |= m;
        }
    }
    marks.contains(&Some(a.all_marks()))
}

/// Whether an automaton accepts a word.
pub fn accepts(a: &Automaton, labels: &Labels, word: &Lasso) -> bool {
    accepts_from(a, &[a.initial], labels, word)
}
