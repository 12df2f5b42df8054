//! Dropping what no accepting run needs: states, marks, labels.
//!
//! A component is accepting if its inner edges carry all marks together. States that reach no accepting component go.
//! Marks matter only where they can be seen infinitely often, so all other edges lose theirs; and a mark that another
//! one implies in every accepting component is not needed at all.

use crate::automaton::{Automaton, Edge, Marks};
use crate::label::{Label, Labels};
use crate::scc::Components;

/// Removes states that accept nothing and are not the initial one, marks outside accepting components, needless marks
/// and parts of labels that a parallel edge with more marks offers.
pub(crate) fn prune(a: &mut Automaton, labels: &mut Labels) {
    let components = Components::new(a);
    let useful = useful_components(a, &components);
    for s in a.states().collect::<Vec<_>>() {
        let c = components.of[s.0 as usize];
        let edges = &mut a.edges[s.0 as usize];
        if c == u32::MAX {
            edges.clear();
            continue;
        }
        edges.retain(|e| useful[components.component(e.target)]);
        if !a.state_based {
            for e in edges.iter_mut() {
                if !components.inner(s, e.target) || !components.accepting(c as usize) {
                    e.marks = 0;
                }
            }
        }
    }
    a.restrict(|s| components.of[s.0 as usize] != u32::MAX && useful[components.component(s)]);
    if !a.state_based {
        drop_marks(a);
    }
    a.merge_edges(labels);
    subtract_parallel(a, labels);
}

/// Which components reach an accepting one.
fn useful_components(a: &Automaton, components: &Components) -> Vec<bool> {
    let mut useful: Vec<bool> = (0..components.count).map(|c| components.accepting(c)).collect();
    // Edges lead to smaller numbers, so one pass in ascending order sees all targets first.
    let mut states: Vec<_> = a.states().filter(|s| components.of[s.0 as usize] != u32::MAX).collect();
    states.sort_unstable_by_key(|&s| components.component(s));
    // States of one component may stand in any order: what holds for one holds for all.
    let mut start = 0;
    while start < states.len() {
        let c = components.component(states[start]);
        let end =
            states[start..].iter().position(|&s| components.component(s) != c).map_or(states.len(), |n| start + n);
        for &s in &states[start..end] {
            if a.out(s).iter().any(|e| useful[components.component(e.target)]) {
                useful[c] = true;
            }
        }
        start = end;
    }
    useful
}

/// Removes marks that other marks imply, and marks that every cycle carries.
fn drop_marks(a: &mut Automaton) {
    let components = Components::new(a);
    let inner: Vec<Marks> = a
        .states()
        .flat_map(|s| a.out(s).iter().map(move |e| (s, *e)))
        .filter(|&(s, e)| components.inner(s, e.target) && components.accepting(components.component(s)))
        .map(|(_, e)| e.marks)
        .collect();
    let rejecting = (0..components.count).any(|c| !components.trivial(c) && !components.accepting(c));
    let mut kept = a.all_marks();
    for i in 0..a.mark_count {
        let others = kept & !(1 << i);
        let implied = (0..a.mark_count)
            .filter(|j| others >> j & 1 == 1)
            .any(|j| inner.iter().all(|m| m >> j & 1 == 0 || m >> i & 1 == 1));
        // A mark on all edges of accepting components still tells them from rejecting ones if it is the last one.
        let everywhere = inner.iter().all(|m| m >> i & 1 == 1);
        if implied || (everywhere && (others != 0 || !rejecting)) {
            kept = others;
        }
    }
    if kept == a.all_marks() {
        return;
    }
    let bits: Vec<u32> = (0..a.mark_count).filter(|i| kept >> i & 1 == 1).collect();
    for e in a.edges.iter_mut().flatten() {
        e.marks = bits.iter().enumerate().fold(0, |m, (to, from)| m | ((e.marks >> from & 1) << to));
    }
    a.mark_count = bits.len() as u32;
}

/// Between the same two states, an edge need not offer letters that an edge with more marks offers.
fn subtract_parallel(a: &mut Automaton, labels: &mut Labels) {
    for edges in &mut a.edges {
        if disjoint(edges, labels) {
            continue;
        }
        let before: Vec<Edge> = edges.clone();
        for e in edges.iter_mut() {
            for r in before.iter().filter(|r| r.target == e.target && r.marks != e.marks && e.marks & !r.marks == 0) {
                e.label = labels.minus(e.label, r.label);
            }
        }
        edges.retain(|e| e.label != Label::FALSE);
    }
}

/// Whether no letter has two of the edges.
pub(crate) fn disjoint(edges: &[Edge], labels: &mut Labels) -> bool {
    let mut all = Label::FALSE;
    edges.iter().all(|e| {
        let apart = labels.and(all, e.label) == Label::FALSE;
        all = labels.or(all, e.label);
        apart
    })
}
