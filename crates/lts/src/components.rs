//! Strongly connected components over the edges that could be inert.
//!
//! An edge *could be inert* when its label is internal and both its states are of one class. Tarjan's algorithm (1972) without
//! recursion; components come with those they lead to first.

use crate::graph::{Edge, Graph, Label, State};
use crate::watch::{Pace, Stopped, Watch};

/// Whether an edge could be inert.
pub(crate) fn could_be_inert(graph: &Graph, source: State, edge: &Edge) -> bool {
    edge.label == Label::TAU && graph.class(source) == graph.class(edge.target)
}

/// The component of each state, and how many there are. An edge between components leads from a larger number to a smaller.
pub(crate) fn components(graph: &Graph, watch: &dyn Watch) -> Result<(Vec<u32>, u32), Stopped> {
    const UNSEEN: u32 = u32::MAX;
    /// Bit of numbers of states whose component is known.
    const DONE: u32 = 1 << 31;
    let n = graph.state_count();
    assert!(n < DONE as usize, "states are counted in 31 bits here");
    let mut pace = Pace::new(watch);
    // First the order of discovery, made smaller as ways back are found; then the component with `DONE`.
    let mut low = vec![UNSEEN; n];
    let mut open: Vec<u32> = Vec::new();
    let mut path: Vec<(u32, u32, u32)> = Vec::new();
    let (mut order, mut count) = (0u32, 0u32);
    for root in 0..n as u32 {
        if low[root as usize] != UNSEEN {
            continue;
        }
        low[root as usize] = order;
        path.push((root, 0, order));
        open.push(root);
        order += 1;
        while let Some((state, next, discovered)) = path.pop() {
            let edges = graph.edges(State(state));
            let mut i = next as usize;
            let mut inside = false;
            while let Some(edge) = edges.get(i) {
                if edge.label != Label::TAU {
                    break;
                }
                i += 1;
                if !could_be_inert(graph, State(state), edge) {
                    continue;
                }
                let target = edge.target.0;
                let seen = low[target as usize];
                if seen == UNSEEN {
                    path.push((state, i as u32 - 1, discovered));
                    low[target as usize] = order;
                    path.push((target, 0, order));
                    open.push(target);
                    order += 1;
                    inside = true;
                    break;
                }
                if seen & DONE == 0 {
                    low[state as usize] = low[state as usize].min(seen);
                }
            }
            if inside {
                continue;
            }
            pace.add(1)?;
            if low[state as usize] == discovered {
                loop {
                    let member = open.pop().expect("the state itself is open");
                    low[member as usize] = DONE | count;
                    if member == state {
                        break;
                    }
                }
                count += 1;
            }
        }
    }
    for slot in &mut low {
        *slot &= !DONE;
    }
    Ok((low, count))
}
