//! Minimal weak deterministic automata for obligations (Dax, Eisinger and Klaedtke, 2007; Löding, 2001).
//!
//! If a property is an obligation, the powerset of its automaton, marks forgotten, recognises it with some choice of
//! accepting components: one loop of each component is tried on the automaton to learn which. Colours make the choice
//! canonical where it does not matter, after which the minimal automaton is that of finite words. Whether the property
//! was an obligation at all is verified at the end by two emptiness checks, so a wrong guess costs time only.

use crate::automaton::{Automaton, Edge, StateId};
use crate::label::{Label, Labels};
use crate::lasso::Lasso;
use crate::product::{accepts_from, is_empty, product};
use crate::prune::prune;
use crate::scc::{Components, tarjan};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Subsets before the attempt is given up.
const SUBSETS_MAX: usize = 2_000;
/// Parts into which the letters of one subset may fall.
const PARTS_MAX: usize = 4_096;
/// States of the products that verify the result.
const PRODUCT_MAX: usize = 100_000;

/// The minimal weak deterministic automaton, as a Büchi automaton, if the language of `a` is an obligation. `negation`
/// accepts exactly the words that `a` does not.
pub(crate) fn minimal_weak(a: &Automaton, negation: &Automaton, labels: &mut Labels) -> Option<Automaton> {
    let (mut d, subsets) = powerset(a, labels)?;
    let accepting = colour(a, &d, &subsets, labels);
    set_acceptance(&mut d, &accepting);
    let products = |d: &Automaton, accepting: &[bool], labels: &mut Labels| {
        let flipped: Vec<bool> = accepting.iter().map(|b| !b).collect();
        let mut complement = d.clone();
        set_acceptance(&mut complement, &flipped);
        Some(
            is_empty(&product(d, negation, labels, PRODUCT_MAX)?)
                && is_empty(&product(&complement, a, labels, PRODUCT_MAX)?),
        )
    };
    if d.mark_count + a.mark_count > 64 || d.mark_count + negation.mark_count > 64 {
        return None;
    }
    if products(&d, &accepting, labels) != Some(true) {
        return None;
    }
    minimise(&mut d, labels);
    prune(&mut d, labels);
    Some(d)
}

fn set_acceptance(d: &mut Automaton, accepting: &[bool]) {
    for (edges, &accepting) in d.edges.iter_mut().zip(accepting) {
        edges.iter_mut().for_each(|e| e.marks = u64::from(accepting));
    }
}

/// The complete deterministic automaton of subsets, and the subsets. The empty subset is the sink.
pub(crate) fn powerset(a: &Automaton, labels: &mut Labels) -> Option<(Automaton, Vec<Vec<StateId>>)> {
    let mut subsets = vec![vec![a.initial]];
    let mut index: FxHashMap<Vec<StateId>, u32> = FxHashMap::default();
    index.insert(subsets[0].clone(), 0);
    let mut edges = Vec::new();
    while edges.len() < subsets.len() {
        let mut parts: Vec<(Label, Vec<StateId>)> = vec![(Label::TRUE, Vec::new())];
        for e in subsets[edges.len()].iter().flat_map(|&s| a.out(s)) {
            let mut split = Vec::with_capacity(parts.len());
            for (label, targets) in parts {
                let (inside, outside) = (labels.and(label, e.label), labels.minus(label, e.label));
                if outside != Label::FALSE {
                    split.push((outside, targets.clone()));
                }
                if inside != Label::FALSE {
                    let mut targets = targets;
                    targets.push(e.target);
                    split.push((inside, targets));
                }
            }
            parts = split;
            if parts.len() > PARTS_MAX {
                return None;
            }
        }
        let mut out = Vec::with_capacity(parts.len());
        for (label, mut targets) in parts {
            targets.sort_unstable();
            targets.dedup();
            let id = *index.entry(targets).or_insert_with_key(|targets| {
                subsets.push(targets.clone());
                subsets.len() as u32 - 1
            });
            out.push(Edge { target: StateId(id), marks: 0, label });
        }
        edges.push(out);
        if subsets.len() > SUBSETS_MAX {
            return None;
        }
    }
    let mut d = Automaton { edges, initial: StateId(0), mark_count: 1, state_based: true };
    d.merge_edges(labels);
    Some((d, subsets))
}

/// Which states accept. Components are coloured from the bottom: even means accepting, and a colour is as large as its
/// successors allow, which makes states with the same language alike.
fn colour(a: &Automaton, d: &Automaton, subsets: &[Vec<StateId>], labels: &mut Labels) -> Vec<bool> {
    let components = Components::new(d);
    let mut members: Vec<Vec<StateId>> = vec![Vec::new(); components.count];
    d.states().for_each(|s| members[components.component(s)].push(s));
    let top = 2 * (components.count as u32 + 1);
    let mut colours = vec![0u32; components.count];
    for c in 0..components.count {
        let below = members[c]
            .iter()
            .flat_map(|&s| d.out(s))
            .map(|e| components.component(e.target))
            .filter(|&t| t != c)
            .map(|t| colours[t])
            .min();
        colours[c] = if components.trivial(c) {
            below.expect("a complete automaton has no dead end")
        } else {
            let start = members[c][0];
            let word = Lasso { stem: Vec::new(), cycle: loop_word(d, &components, start, labels) };
            let even = accepts_from(a, &subsets[start.0 as usize], labels, &word);
            match below {
                None => top + u32::from(!even),
                Some(l) if l.is_multiple_of(2) == even => l,
                Some(l) => l - 1,
            }
        };
    }
    d.states().map(|s| colours[components.component(s)].is_multiple_of(2)).collect()
}

/// Letters of a shortest cycle from a state to itself inside its component.
fn loop_word(d: &Automaton, components: &Components, start: StateId, labels: &Labels) -> Vec<Vec<crate::AtomId>> {
    let mut from: FxHashMap<StateId, (StateId, Label)> = FxHashMap::default();
    let mut queue = VecDeque::from([start]);
    'search: while let Some(s) = queue.pop_front() {
        for e in d.out(s).iter().filter(|e| components.inner(s, e.target)) {
            if let std::collections::hash_map::Entry::Vacant(entry) = from.entry(e.target) {
                entry.insert((s, e.label));
                queue.push_back(e.target);
            }
            if e.target == start {
                break 'search;
            }
        }
    }
    let mut letters = Vec::new();
    let mut at = start;
    loop {
        let (previous, label) = from[&at];
        let cube = labels.pick(label).expect("labels of edges are not empty");
        letters.push(cube.into_iter().filter(|l| l.1).map(|l| l.0).collect());
        at = previous;
        if at == start {
            break;
        }
    }
    letters.reverse();
    letters
}

/// Moore's partition refinement on a complete deterministic automaton.
fn minimise(d: &mut Automaton, labels: &mut Labels) {
    // A state is alike another if it accepts alike and its letters lead to alike states: bisimulation, which a
    // deterministic automaton cannot tell from language equality.
    crate::simulation::bisimulation(d, labels);
    let (of, _) =
        tarjan(d.state_count(), &[d.initial.0 as usize], |v, i| d.edges[v].get(i).map(|e| e.target.0 as usize));
    debug_assert!(of.iter().all(|&c| c != u32::MAX), "quotients keep states reachable");
}
