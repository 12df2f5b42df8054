//! The most that a process can still add to a weighted number of messages, from each place where it may stand.
//!
//! Gains are the least solution of `gain(n) = max(0, weight(arc) + gain(spawned) + gain(to))` over the arcs that leave `n`: the longest
//! ways, where a process that is started is a way of its own (Bellman and Ford). If there is none, some loop gains; it is found
//! in the graph of best arcs. All is done with 128 bits, and what does not fit is no answer.

use crate::effects::{Arc, Effect, sum};
use std::collections::VecDeque;

/// A loop of one process, and what it starts on the way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Cycle {
    /// Positions of its arcs.
    pub(crate) arcs: Vec<usize>,
    /// What one round does, processes that are started among it.
    pub(crate) effect: Effect,
}

/// What came of it.
pub(crate) enum Gains {
    Found(Vec<i128>),
    Cycle(Cycle),
    /// Numbers too large, or no time.
    Nothing,
}

pub(crate) fn weigh(effect: &[(usize, i64)], weights: &[i128]) -> Option<i128> {
    effect
        .iter()
        .try_fold(0i128, |sum, (class, change)| sum.checked_add(weights[*class].checked_mul(i128::from(*change))?))
}

struct State<'a> {
    arcs: &'a [Arc],
    gains: Vec<i128>,
    best: Vec<Option<usize>>,
    /// What the best way from a place does, as it was when the gain was found.
    effects: Vec<Effect>,
}

/// The gains for these weights of classes.
pub(crate) fn gains(nodes: usize, arcs: &[Arc], weights: &[i128], go_on: &dyn Fn() -> bool) -> Gains {
    let mut state = State { arcs, gains: vec![0; nodes], best: vec![None; nodes], effects: vec![Vec::new(); nodes] };
    let mut into: Vec<Vec<usize>> = vec![Vec::new(); nodes];
    let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); nodes];
    let mut own = Vec::new();
    for (i, arc) in arcs.iter().enumerate() {
        leaving[arc.from].push(i);
        arc.to.iter().chain(&arc.spawn).for_each(|n| into[*n].push(arc.from));
        let Some(weight) = weigh(&arc.effect, weights) else { return Gains::Nothing };
        own.push(weight);
    }
    // Ways are followed from their ends, which are mostly the last places that were found.
    let mut queue: VecDeque<usize> = (0..nodes).rev().collect();
    let mut waits = vec![true; nodes];
    let mut updates = 0usize;
    while let Some(node) = queue.pop_front() {
        waits[node] = false;
        let mut changed = false;
        for &i in &leaving[node] {
            let arc = &arcs[i];
            let of = |n: Option<usize>| n.map_or(0, |n| state.gains[n]);
            let Some(gain) = own[i].checked_add(of(arc.to)).and_then(|g| g.checked_add(of(arc.spawn))) else {
                return Gains::Nothing;
            };
            if gain > state.gains[node] {
                let way = |n: Option<usize>| n.map_or(&[][..], |n| &state.effects[n][..]);
                let effect = sum(&sum(&arc.effect, way(arc.to)), way(arc.spawn));
                state.gains[node] = gain;
                state.effects[node] = effect;
                state.best[node] = Some(i);
                changed = true;
            }
        }
        if !changed {
            continue;
        }
        updates += 1;
        if updates.is_multiple_of(nodes.max(16)) {
            if !go_on() {
                return Gains::Nothing;
            }
            if let Some(cycle) = state.cycle() {
                // Sides of the loop are as they are now, and have only become better.
                return match weigh(&cycle.effect, weights) {
                    Some(weight) if weight > 0 => Gains::Cycle(cycle),
                    _ => Gains::Nothing,
                };
            }
        }
        for &before in &into[node] {
            if !std::mem::replace(&mut waits[before], true) {
                queue.push_back(before);
            }
        }
    }
    Gains::Found(state.gains)
}

impl State<'_> {
    fn dependencies(&self, node: usize) -> impl Iterator<Item = usize> {
        let arc = self.best[node].map(|i| &self.arcs[i]);
        arc.into_iter().flat_map(|a| a.to.into_iter().chain(a.spawn))
    }

    /// A loop in the graph of best arcs.
    fn cycle(&self) -> Option<Cycle> {
        const OPEN: u8 = 1;
        const DONE: u8 = 2;
        let mut colors = vec![0u8; self.best.len()];
        for root in 0..self.best.len() {
            if colors[root] != 0 {
                continue;
            }
            colors[root] = OPEN;
            let mut path = vec![(root, self.dependencies(root).collect::<Vec<_>>())];
            while let Some((node, rest)) = path.last_mut() {
                let Some(next) = rest.pop() else {
                    colors[*node] = DONE;
                    path.pop();
                    continue;
                };
                match colors[next] {
                    0 => {
                        colors[next] = OPEN;
                        path.push((next, self.dependencies(next).collect()));
                    }
                    OPEN => {
                        let start = path.iter().position(|(n, _)| *n == next).expect("an open place is on the path");
                        let around: Vec<usize> = path[start..].iter().map(|(n, _)| *n).collect();
                        return Some(self.around(&around));
                    }
                    _ => {}
                }
            }
        }
        None
    }

    /// The loop through these places.
    fn around(&self, nodes: &[usize]) -> Cycle {
        let mut cycle = Cycle { arcs: Vec::new(), effect: Vec::new() };
        for (i, node) in nodes.iter().enumerate() {
            let next = nodes[(i + 1) % nodes.len()];
            let best = self.best[*node].expect("it depends on another");
            let arc = &self.arcs[best];
            cycle.arcs.push(best);
            cycle.effect = sum(&cycle.effect, &arc.effect);
            // What lies beside the loop: a process that was started, or what goes on behind starting one.
            let side = if arc.to == Some(next) { arc.spawn } else { arc.to };
            if let Some(side) = side {
                cycle.effect = sum(&cycle.effect, &self.effects[side]);
            }
        }
        cycle
    }
}
