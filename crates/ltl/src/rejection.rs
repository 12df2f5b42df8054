//! Why an automaton rejects a word.

use crate::automaton::{Automaton, Marks, StateId};
use crate::label::Labels;
use crate::lasso::Lasso;
use crate::scc::tarjan;

/// Why no run on a word accepts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rejection {
    /// No run can read the letter at this position; it counts along the word with its cycle repeated.
    Stuck(usize),
    /// Runs go on for ever, but none sees all marks again and again. These are missing on the best of them.
    Missing(Marks),
}

/// Why an automaton rejects a word, or `None` if it accepts it.
pub fn rejection(a: &Automaton, labels: &Labels, word: &Lasso) -> Option<Rejection> {
    let shape = word.shape();
    let n = shape.positions;
    let id = |s: StateId, at: usize| s.0 as usize * n + at;
    let mut graph: Vec<Vec<(usize, Marks)>> = Vec::with_capacity(a.state_count() * n);
    for s in a.states() {
        for at in 0..n {
            let taken = a.out(s).iter().filter(|e| labels.contains(e.label, |atom| word.holds(atom, at)));
            graph.push(taken.map(|e| (id(e.target, shape.next(at)), e.marks)).collect());
        }
    }
    let (of, count) = tarjan(graph.len(), &[id(a.initial, 0)], |v, i| graph[v].get(i).map(|t| t.0));
    let mut marks: Vec<Option<Marks>> = vec![None; count];
    for (v, edges) in graph.iter().enumerate().filter(|&(v, _)| of[v] != u32::MAX) {
        for &(w, m) in edges.iter().filter(|&&(w, _)| of[w] == of[v]) {
            *marks[of[w] as usize].get_or_insert(0) |= m;
        }
    }
    if let Some(best) = marks.iter().flatten().max_by_key(|m| m.count_ones()) {
        let missing = a.all_marks() & !best;
        return (missing != 0).then_some(Rejection::Missing(missing));
    }
    // Without a cycle every run ends; the longest ends where nothing is left of the states that could be reached.
    let mut reached = vec![id(a.initial, 0)];
    let mut position = 0;
    loop {
        let mut next: Vec<usize> = reached.iter().flat_map(|&v| graph[v].iter().map(|t| t.0)).collect();
        next.sort_unstable();
        next.dedup();
        if next.is_empty() {
            return Some(Rejection::Stuck(position));
        }
        reached = next;
        position += 1;
    }
}
