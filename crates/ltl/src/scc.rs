//! Strongly connected components (Tarjan, 1972), without recursion.

use crate::automaton::{Automaton, Marks, StateId};

/// Components of an automaton, numbered so that edges lead to equal or smaller numbers.
pub(crate) struct Components {
    /// Component of each state; unreachable states have `u32::MAX`.
    pub(crate) of: Vec<u32>,
    /// How many there are.
    pub(crate) count: usize,
    /// Marks seen on inner edges; `None` for a component without inner edge.
    pub(crate) marks: Vec<Option<Marks>>,
    all: Marks,
}

impl Components {
    /// Components of the part reachable from the initial state.
    pub(crate) fn new(a: &Automaton) -> Self {
        let successors = |s: usize, i: usize| a.edges[s].get(i).map(|e| e.target.0 as usize);
        let (of, count) = tarjan(a.edges.len(), &[a.initial.0 as usize], successors);
        let mut marks = vec![None; count];
        for s in a.states() {
            let c = of[s.0 as usize];
            for e in a.out(s).iter().filter(|e| c != u32::MAX && of[e.target.0 as usize] == c) {
                *marks[c as usize].get_or_insert(0) |= e.marks;
            }
        }
        Self { of, count, marks, all: a.all_marks() }
    }

    /// The component of a state.
    pub(crate) fn component(&self, s: StateId) -> usize {
        self.of[s.0 as usize] as usize
    }

    /// Whether an edge between two states stays inside a component.
    pub(crate) fn inner(&self, from: StateId, to: StateId) -> bool {
        self.of[from.0 as usize] == self.of[to.0 as usize]
    }

    /// Whether some cycle of the component carries all marks.
    pub(crate) fn accepting(&self, component: usize) -> bool {
        self.marks[component] == Some(self.all)
    }

    /// Whether the component has no cycle.
    pub(crate) fn trivial(&self, component: usize) -> bool {
        self.marks[component].is_none()
    }
}

/// Components of any graph with nodes `0..n`; `successor(v, i)` is the i-th successor. Nodes that the roots do not
/// reach get `u32::MAX`.
pub(crate) fn tarjan(
    n: usize,
    roots: &[usize],
    successor: impl Fn(usize, usize) -> Option<usize>,
) -> (Vec<u32>, usize) {
    const NONE: u32 = u32::MAX;
    let mut component = vec![NONE; n];
    let mut index = vec![NONE; n];
    let mut low = vec![0u32; n];
    let mut stack: Vec<usize> = Vec::new();
    let mut path: Vec<(usize, usize)> = Vec::new();
    let (mut next_index, mut count) = (0u32, 0usize);
    for &root in roots {
        if index[root] != NONE {
            continue;
        }
        path.push((root, 0));
        while let Some(&mut (v, ref mut i)) = path.last_mut() {
            if *i == 0 {
                index[v] = next_index;
                low[v] = next_index;
                next_index += 1;
                stack.push(v);
            }
            if let Some(w) = successor(v, *i) {
                *i += 1;
                if index[w] == NONE {
                    path.push((w, 0));
                } else if component[w] == NONE {
                    low[v] = low[v].min(index[w]);
                }
                continue;
            }
            path.pop();
            if low[v] == index[v] {
                while let Some(w) = stack.pop() {
                    component[w] = count as u32;
                    if w == v {
                        break;
                    }
                }
                count += 1;
            }
            if let Some(&mut (parent, _)) = path.last_mut() {
                low[parent] = low[parent].min(low[v]);
            }
        }
    }
    (component, count)
}
