//! Merging states and dropping edges by simulation (Etessami, Wilke and Schuller, 2001; Somenzi and Bloem, 2000).
//!
//! A state p directly simulates q if every letter on every edge of q is offered by edges of p with at least the same
//! marks and targets that simulate in turn; the letters of one edge may be covered by several. Mutually simulating
//! states are merged, and an edge loses the letters that a stronger edge of the same state offers. Reverse simulation
//! looks at incoming edges instead. The two relations are never mixed in one quotient. Bisimulation by partition
//! refinement goes first because it is cheap.
//!
//! Marks on edges between components mean nothing, so they may be set as one likes: all rounds are done once with
//! none and once with all of them, since either can make states alike.

use crate::automaton::{Automaton, Edge, StateId};
use crate::label::{Label, Labels};
use crate::prune::{disjoint, prune};
use crate::scc::Components;
use rustc_hash::FxHashMap;

/// Above this many states only bisimulation is tried.
const STATES_MAX: usize = 400;

/// Reduces an automaton, whatever it came from, until states and edges stop becoming fewer. The language stays.
pub fn reduce(a: &mut Automaton, labels: &mut Labels) {
    prune(a, labels);
    // The end is reached when neither setting of the idle marks makes a difference.
    let (mut idle, mut stable) = (false, 0);
    while stable < 2 {
        let before = (a.state_count(), a.edge_count());
        let changed = set_idle_marks(a, idle);
        // Without idle marks both settings are the same.
        if changed || !idle {
            reduce_once(a, idle, labels);
            set_idle_marks(a, false);
            prune(a, labels);
        }
        let smaller = (a.state_count(), a.edge_count()) < before;
        stable = if smaller { 0 } else { stable + 1 };
        idle = !idle;
    }
}

fn reduce_once(a: &mut Automaton, idle: bool, labels: &mut Labels) {
    bisimulation(a, labels);
    if a.state_count() <= STATES_MAX {
        // In a deterministic automaton, states that simulate each other are bisimilar, and no edge has a rival.
        if !a.edges.iter().all(|edges| disjoint(edges, labels)) {
            direct(a, labels);
            set_idle_marks(a, idle);
        }
        reverse(a, labels);
    }
}

/// Sets the marks that no cycle can see: on edges between components, or on states without cycle. Marks of rejecting
/// components are always removed. Says whether any mark changed.
fn set_idle_marks(a: &mut Automaton, all: bool) -> bool {
    let mut changed = false;
    let components = Components::new(a);
    let idle = if all { a.all_marks() } else { 0 };
    for s in a.states().collect::<Vec<_>>() {
        let c = components.component(s);
        let state_based = a.state_based;
        for e in &mut a.edges[s.0 as usize] {
            let cycle = if state_based { !components.trivial(c) } else { components.inner(s, e.target) };
            let marks = if !cycle {
                idle
            } else if components.accepting(c) {
                e.marks
            } else {
                0
            };
            changed |= marks != e.marks;
            e.marks = marks;
        }
    }
    changed
}

/// Whether a state of a Büchi automaton accepts; irrelevant for others.
fn state_marks(a: &Automaton, s: usize) -> u64 {
    if a.state_based { a.edges[s].first().map_or(0, |e| e.marks) } else { 0 }
}

pub(crate) fn bisimulation(a: &mut Automaton, labels: &mut Labels) {
    let n = a.state_count();
    let mut class: Vec<u32> = (0..n).map(|s| state_marks(a, s) as u32).collect();
    let mut count = 0;
    loop {
        let mut index: FxHashMap<(u32, Vec<Edge>), u32> = FxHashMap::default();
        let mut next = Vec::with_capacity(n);
        for s in 0..n {
            let mut one = Automaton {
                edges: vec![retarget(&a.edges[s], |t| StateId(class[t.0 as usize]))],
                initial: StateId(0),
                mark_count: a.mark_count,
                state_based: false,
            };
            one.merge_edges(labels);
            let signature = (class[s], one.edges.swap_remove(0));
            let fresh = index.len() as u32;
            next.push(*index.entry(signature).or_insert(fresh));
        }
        class = next;
        if index.len() == count {
            break;
        }
        count = index.len();
    }
    if count < n {
        quotient(a, &class, false, labels);
    }
}

fn retarget(edges: &[Edge], mut to: impl FnMut(StateId) -> StateId) -> Vec<Edge> {
    edges.iter().map(|e| Edge { target: to(e.target), ..*e }).collect()
}

/// Merges states of one class. A class gets the edges of its first state, or of all of them.
fn quotient(a: &mut Automaton, class: &[u32], unite: bool, labels: &mut Labels) {
    let count = class.iter().max().map_or(0, |m| m + 1) as usize;
    let mut edges: Vec<Option<Vec<Edge>>> = vec![None; count];
    for (s, &c) in class.iter().enumerate() {
        let list = &mut edges[c as usize];
        if list.is_none() || unite {
            let out = retarget(&a.edges[s], |t| StateId(class[t.0 as usize]));
            list.get_or_insert_with(Vec::new).extend(out);
        }
    }
    a.edges = edges.into_iter().map(Option::unwrap_or_default).collect();
    a.initial = StateId(class[a.initial.0 as usize]);
    a.merge_edges(labels);
}

/// A relation on states: row p holds the states that p simulates.
struct Relation {
    n: usize,
    pairs: Vec<bool>,
}

impl Relation {
    fn has(&self, p: StateId, q: StateId) -> bool {
        self.pairs[p.0 as usize * self.n + q.0 as usize]
    }

    /// Shrinks a relation until `check` holds for all its pairs. A pair is examined again only after a pair of
    /// neighbours, which are those its check may have looked at, was dropped; `before` lists, for each state, the
    /// states whose checks look at it.
    fn greatest(
        n: usize,
        start: impl Fn(usize, usize) -> bool,
        before: &[Vec<u32>],
        mut check: impl FnMut(&Self, usize, usize) -> bool,
    ) -> Self {
        let mut r = Self { n, pairs: (0..n * n).map(|i| i / n == i % n || start(i / n, i % n)).collect() };
        let mut queued: Vec<bool> = r.pairs.iter().enumerate().map(|(i, &related)| related && i / n != i % n).collect();
        let mut changed = true;
        while changed {
            changed = false;
            for i in 0..n * n {
                if !std::mem::take(&mut queued[i]) || check(&r, i / n, i % n) {
                    continue;
                }
                r.pairs[i] = false;
                changed = true;
                for &p in &before[i / n] {
                    for &q in &before[i % n] {
                        let pair = p as usize * n + q as usize;
                        queued[pair] = r.pairs[pair] && p != q;
                    }
                }
            }
        }
        r
    }

    /// Classes of mutually related states, numbered by their first state.
    fn classes(&self) -> Vec<u32> {
        let mut class: Vec<u32> = Vec::with_capacity(self.n);
        let mut count = 0;
        for q in 0..self.n {
            let same = (0..q).find(|&p| self.pairs[p * self.n + q] && self.pairs[q * self.n + p]);
            class.push(same.map_or(count, |p| class[p]));
            count += u32::from(same.is_none());
        }
        class
    }
}

/// Whether `offers` cover all letters of `demand` with at least its marks, their ends related as `related` says.
fn covered(labels: &mut Labels, demand: Edge, offers: &[Edge], related: impl Fn(StateId, StateId) -> bool) -> bool {
    let mut rest = demand.label;
    for o in offers {
        if demand.marks & !o.marks == 0 && related(o.target, demand.target) {
            rest = labels.minus(rest, o.label);
            if rest == Label::FALSE {
                return true;
            }
        }
    }
    rest == Label::FALSE
}

fn direct(a: &mut Automaton, labels: &mut Labels) {
    let n = a.state_count();
    let letters: Vec<Label> =
        a.edges.iter().map(|edges| edges.iter().fold(Label::FALSE, |l, e| labels.or(l, e.label))).collect();
    let mut possible = vec![false; n * n];
    for p in 0..n {
        for q in 0..n {
            possible[p * n + q] = labels.implies(letters[q], letters[p]) && state_marks(a, q) & !state_marks(a, p) == 0;
        }
    }
    let edges = &a.edges;
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); n];
    for s in a.states() {
        for e in a.out(s) {
            before[e.target.0 as usize].push(s.0);
        }
    }
    before.iter_mut().for_each(|list| list.dedup());
    let relation = Relation::greatest(
        n,
        |p, q| possible[p * n + q],
        &before,
        |r, p, q| edges[q].iter().all(|&e| covered(labels, e, &edges[p], |x, y| r.has(x, y))),
    );
    for edges in &mut a.edges {
        let all = edges.clone();
        for (i, e) in edges.iter_mut().enumerate() {
            for (j, o) in all.iter().enumerate() {
                let stronger = i != j && e.marks & !o.marks == 0 && relation.has(o.target, e.target);
                // Of two edges that are equally strong, the first keeps its letters.
                let equal = stronger && o.marks & !e.marks == 0 && relation.has(e.target, o.target);
                if stronger && (!equal || j < i) {
                    e.label = labels.minus(e.label, o.label);
                }
            }
        }
        edges.retain(|e| e.label != Label::FALSE);
    }
    quotient(a, &relation.classes(), false, labels);
    a.restrict(|_| true);
}

fn reverse(a: &mut Automaton, labels: &mut Labels) {
    let n = a.state_count();
    let mut incoming: Vec<Vec<Edge>> = vec![Vec::new(); n];
    for s in a.states() {
        for e in a.out(s) {
            incoming[e.target.0 as usize].push(Edge { target: s, ..*e });
        }
    }
    let initial = a.initial.0 as usize;
    let start = |p: usize, q: usize| (q != initial || p == initial) && state_marks(a, q) & !state_marks(a, p) == 0;
    let after: Vec<Vec<u32>> = a.edges.iter().map(|edges| edges.iter().map(|e| e.target.0).collect()).collect();
    let relation = Relation::greatest(n, start, &after, |r, p, q| {
        incoming[q].iter().all(|&e| covered(labels, e, &incoming[p], |x, y| r.has(x, y)))
    });
    let class = relation.classes();
    if class.iter().max().map_or(0, |m| *m as usize + 1) < n {
        quotient(a, &class, true, labels);
    }
}
