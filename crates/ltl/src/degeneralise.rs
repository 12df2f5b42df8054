//! From generalised Büchi automata to Büchi automata with accepting states.
//!
//! A copy of each state per level counts the marks seen so far, in a fixed order (Gastin and Oddoux, 2001; Babiak et
//! al., 2013). Components are treated one by one: rejecting ones need one copy that never accepts, those whose every
//! cycle carries all marks need one copy that always does. Entering a component, any level will do; which level, and
//! which order of marks, is best depends on the automaton, so several are tried and the smallest result is kept.

use crate::automaton::{Automaton, Edge, Marks, StateId};
use crate::label::{Label, Labels};
use crate::scc::{Components, tarjan};
use crate::simulation::reduce;
use rustc_hash::FxHashMap;

/// At which level a component is entered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Entry {
    First,
    Last,
    /// As far as the marks common to all edges of the entered state allow.
    Advanced,
}

/// What a component needs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Rejecting,
    /// Every cycle carries all marks.
    Accepting,
    Levels,
}

/// The smallest Büchi automaton found for the same language, for any automaton.
pub fn degeneralise(a: &Automaton, labels: &mut Labels) -> Automaton {
    degeneralise_guarded(a, &[], labels)
}

/// The same for the words of `a` on which letters of each guard come infinitely often. Levels split an edge only by the
/// guards they wait for, a large number of guards does not multiply edges.
pub(crate) fn degeneralise_guarded(a: &Automaton, guards: &[Label], labels: &mut Labels) -> Automaton {
    let natural: Vec<usize> = (0..a.mark_count as usize + guards.len()).collect();
    let mut orders = vec![natural.clone(), natural.iter().rev().copied().collect()];
    for i in 1..natural.len() {
        let mut rotated = natural.clone();
        rotated.rotate_left(i);
        orders.push(rotated);
    }
    orders.dedup();
    orders.truncate(6);
    let mut best: Option<Automaton> = None;
    for order in &orders {
        for entry in [Entry::First, Entry::Last, Entry::Advanced] {
            let mut b = with_levels(a, guards, order, entry, labels);
            b.merge_edges(labels);
            reduce(&mut b, labels);
            let size = |x: &Automaton| (x.state_count(), x.edge_count());
            if best.as_ref().is_none_or(|x| size(&b) < size(x)) {
                best = Some(b);
            }
        }
    }
    best.expect("at least one order was tried")
}

/// What the levels wait for, in order: numbers below the number of marks are marks, the others guards.
struct Ladder<'a> {
    order: &'a [usize],
    mark_count: usize,
    guards: &'a [Label],
}

impl Ladder<'_> {
    /// The level reached from `level` by an edge with these marks, for each part of its letters.
    fn climb(&self, mut level: usize, marks: Marks, mut label: Label, labels: &mut Labels) -> Vec<(usize, Label)> {
        let mut parts = Vec::new();
        while let Some(&awaited) = self.order.get(level) {
            if awaited < self.mark_count {
                if marks >> awaited & 1 == 0 {
                    break;
                }
            } else {
                let guard = self.guards[awaited - self.mark_count];
                let missing = labels.minus(label, guard);
                if missing != Label::FALSE {
                    parts.push((level, missing));
                }
                label = labels.and(label, guard);
                if label == Label::FALSE {
                    return parts;
                }
            }
            level += 1;
        }
        parts.push((level, label));
        parts
    }
}

fn with_levels(a: &Automaton, guards: &[Label], order: &[usize], entry: Entry, labels: &mut Labels) -> Automaton {
    let components = Components::new(a);
    let kinds: Vec<Kind> = (0..components.count).map(|c| kind(a, &components, c, guards)).collect();
    let common: Vec<Marks> = a
        .states()
        .map(|s| {
            let inner = a.out(s).iter().filter(|e| components.inner(s, e.target));
            inner.map(|e| e.marks).reduce(|x, y| x & y).unwrap_or(0)
        })
        .collect();
    let ladder = Ladder { order, mark_count: a.mark_count as usize, guards };
    let top = order.len();
    let mut index: FxHashMap<(StateId, usize), u32> = FxHashMap::default();
    let mut known_level: FxHashMap<StateId, usize> = FxHashMap::default();
    let mut copies: Vec<(StateId, usize)> = Vec::new();
    let mut edges: Vec<Vec<Edge>> = Vec::new();
    let mut copy = |s: StateId, level: Option<usize>, copies: &mut Vec<(StateId, usize)>| {
        let level = match (kinds[components.component(s)], level) {
            (Kind::Rejecting, _) => 0,
            (Kind::Accepting, _) => top,
            (Kind::Levels, Some(level)) => level,
            (Kind::Levels, None) => known_level.get(&s).copied().unwrap_or_else(|| match entry {
                Entry::First => 0,
                Entry::Last => top,
                Entry::Advanced => {
                    let common = common[s.0 as usize];
                    order.iter().position(|&i| i >= ladder.mark_count || common >> i & 1 == 0).unwrap_or(top)
                }
            }),
        };
        known_level.entry(s).or_insert(level);
        *index.entry((s, level)).or_insert_with(|| {
            copies.push((s, level));
            copies.len() as u32 - 1
        })
    };
    let initial = copy(a.initial, None, &mut copies);
    while edges.len() < copies.len() {
        let (s, level) = copies[edges.len()];
        let accepting = kinds[components.component(s)] != Kind::Rejecting && level == top;
        let mut out = Vec::with_capacity(a.out(s).len());
        for e in a.out(s) {
            let parts = if components.inner(s, e.target) {
                let start = if level == top { 0 } else { level };
                let parts = ladder.climb(start, e.marks | common[e.target.0 as usize], e.label, labels);
                parts.into_iter().map(|(level, label)| (Some(level), label)).collect()
            } else {
                vec![(None, e.label)]
            };
            for (next, label) in parts {
                let target = StateId(copy(e.target, next, &mut copies));
                out.push(Edge { target, marks: u64::from(accepting), label });
            }
        }
        edges.push(out);
    }
    Automaton { edges, initial: StateId(initial), mark_count: 1, state_based: true }
}

fn kind(a: &Automaton, components: &Components, c: usize, guards: &[Label]) -> Kind {
    if !components.accepting(c) {
        return Kind::Rejecting;
    }
    let full = guards.is_empty() && (0..a.mark_count).all(|mark| every_cycle_carries(a, components, c, mark));
    if full { Kind::Accepting } else { Kind::Levels }
}

/// Whether the component has no cycle without the mark.
pub(crate) fn every_cycle_carries(a: &Automaton, components: &Components, c: usize, mark: u32) -> bool {
    let without: Vec<Vec<usize>> = a
        .states()
        .map(|s| {
            let inner =
                a.out(s).iter().filter(|e| components.of[s.0 as usize] as usize == c && components.inner(s, e.target));
            inner.filter(|e| e.marks >> mark & 1 == 0).map(|e| e.target.0 as usize).collect()
        })
        .collect();
    let roots: Vec<usize> = (0..without.len()).collect();
    let (of, count) = tarjan(without.len(), &roots, |v, i| without[v].get(i).copied());
    count == without.len() && without.iter().enumerate().all(|(v, ts)| ts.iter().all(|&t| of[t] != of[v]))
}
