//! The shortest lasso: stem and cycle together, however the search has found that there is one.
//!
//! The graph is unfolded breadth first, no deeper than a lasso that is known already; then a breadth-first search for the
//! shortest cycle with all wanted marks begins at each state that may lie on one, nearest first, over pairs of a state and
//! the marks that are still missing. It ends where the way to the next state alone is as long as the best lasso so far. Both
//! parts have a budget, so that a long lasso may stay as it is; what is found is a lasso in any case.

use super::explorer::Explorer;
use super::marks::MarkSet;
use super::{Graph, Lasso};
use ferrospin_system::Handle;
use rustc_hash::FxHashMap;

/// How much may be done.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// States that are unfolded.
    pub states_max: usize,
    /// Arcs that are followed while cycles are looked for.
    pub steps_max: usize,
}

/// An arc of the unfolded graph.
struct Step<M> {
    /// The state it leads to.
    to: u32,
    /// Its index among those of its state.
    arc: u32,
    marks: M,
    inside: bool,
}

/// The graph as far as it was unfolded; states in the order of their distance.
struct Unfolded<M> {
    ids: Vec<u32>,
    depths: Vec<u32>,
    /// For each state but the first: from where and by which arc it was met.
    came: Vec<(u32, u32)>,
    steps: Vec<Step<M>>,
    /// For each state that was expanded, where its steps end.
    ends: Vec<u32>,
}

impl<M: MarkSet> Unfolded<M> {
    fn new<G: Graph<Marks = M>, H: Handle>(
        x: &mut Explorer<G, H>,
        first: u32,
        depth_max: u32,
        budget: Budget,
    ) -> Option<Unfolded<M>> {
        let mut u =
            Unfolded { ids: vec![first], depths: vec![0], came: vec![(0, 0)], steps: Vec::new(), ends: Vec::new() };
        let mut index = FxHashMap::from_iter([(first, 0_u32)]);
        let mut at = 0;
        while at < u.ids.len().min(budget.states_max) && u.depths[at] < depth_max {
            x.expand(u.ids[at]).ok()?;
            for (arc, t) in (0..).zip(&x.targets) {
                let to = *index.entry(t.id).or_insert_with(|| {
                    u.ids.push(t.id);
                    u.depths.push(u.depths[at] + 1);
                    u.came.push((at as u32, arc));
                    u.ids.len() as u32 - 1
                });
                u.steps.push(Step { to, arc, marks: t.marks, inside: t.inside });
            }
            u.ends.push(u.steps.len() as u32);
            at += 1;
        }
        Some(u)
    }

    fn out(&self, at: u32) -> &[Step<M>] {
        let at = at as usize;
        let Some(end) = self.ends.get(at) else { return &[] };
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.steps[start as usize..*end as usize]
    }

    /// Which states lie on a cycle that carries all wanted marks: by components of inside arcs (Tarjan 1972).
    fn eligible(&self, wanted: M) -> Vec<bool> {
        let count = self.ids.len();
        let (mut order, mut low) = (vec![0_u32; count], vec![0_u32; count]);
        let (mut met, mut live, mut is_live) = (0, Vec::new(), vec![false; count]);
        let mut eligible = vec![false; count];
        for root in 0..count as u32 {
            if order[root as usize] != 0 {
                continue;
            }
            let mut path: Vec<(u32, usize)> = vec![(root, 0)];
            while let Some((at, next)) = path.last_mut() {
                let v = *at as usize;
                if *next == 0 {
                    met += 1;
                    (order[v], low[v], is_live[v]) = (met, met, true);
                    live.push(*at);
                }
                let Some(step) = self.out(v as u32).get(*next) else {
                    if low[v] == order[v] {
                        let start = live.iter().rposition(|s| *s as usize == v).expect("it is live");
                        let members = live.split_off(start);
                        members.iter().for_each(|m| is_live[*m as usize] = false);
                        let inner = |s: &&Step<M>| s.inside && members.contains(&s.to);
                        // Most components are single states.
                        let mut marks = M::NONE;
                        let mut has_cycle = members.len() > 1;
                        if members.len() < 64 {
                            for s in members.iter().flat_map(|m| self.out(*m)).filter(inner) {
                                (marks, has_cycle) = (marks.union(s.marks), true);
                            }
                        } else {
                            marks = wanted;
                        }
                        if has_cycle && marks.covers(wanted) {
                            members.iter().for_each(|m| eligible[*m as usize] = true);
                        }
                    }
                    path.pop();
                    if let Some((before, _)) = path.last() {
                        low[*before as usize] = low[*before as usize].min(low[v]);
                    }
                    continue;
                };
                *next += 1;
                let (to, inside) = (step.to, step.inside);
                if inside && order[to as usize] == 0 {
                    path.push((to, 0));
                } else if inside && is_live[to as usize] {
                    low[v] = low[v].min(order[to as usize]);
                }
            }
        }
        eligible
    }

    /// The shortest cycle through a state that carries all wanted marks and has at most `length_max` arcs: its steps, as states with
    /// indices of arcs. `None` also where nothing is left of the budget.
    fn cycle(&self, through: u32, wanted: M, length_max: u32, steps_left: &mut usize) -> Option<Vec<(u32, u32)>> {
        let start = (through, wanted);
        // The first arc makes the beginning something else than the end.
        let mut came: FxHashMap<(u32, M), ((u32, M), u32)> = FxHashMap::default();
        let mut level = vec![start];
        for _ in 0..length_max {
            let mut next = Vec::new();
            for from in level {
                for step in self.out(from.0).iter().filter(|s| s.inside) {
                    *steps_left = steps_left.checked_sub(1)?;
                    let to = (step.to, from.1.minus(step.marks));
                    let is_goal = to.0 == through && to.1.is_none();
                    if is_goal {
                        let mut way = vec![(from.0, step.arc)];
                        let mut at = from;
                        while at != start {
                            let (before, arc) = came[&at];
                            way.push((before.0, arc));
                            at = before;
                        }
                        way.reverse();
                        return Some(way);
                    }
                    if to != start && !came.contains_key(&to) {
                        came.insert(to, (from, step.arc));
                        next.push(to);
                    }
                }
            }
            level = next;
        }
        None
    }
}

/// A lasso with fewer arcs than `arcs_max`, the shortest that the budget allows; the store holds nothing else so far.
pub fn lasso<G: Graph, H: Handle>(x: &mut Explorer<G, H>, arcs_max: usize, budget: Budget) -> Option<Lasso<G::Label>> {
    assert!(!G::NUMBERED && !x.graph.follows_path(), "all arcs of each state are made, in the same order each time");
    let first = x.start().ok()??;
    let wanted = x.graph.wanted();
    let arcs_max = u32::try_from(arcs_max).unwrap_or(u32::MAX);
    let graph = Unfolded::new(x, first, arcs_max, budget)?;
    let eligible = graph.eligible(wanted);
    let (mut best, mut found, mut steps_left) = (arcs_max, None, budget.steps_max);
    for at in (0..graph.ids.len() as u32).filter(|at| eligible[*at as usize]) {
        let depth = graph.depths[at as usize];
        if depth + 1 >= best || steps_left == 0 {
            break;
        }
        if let Some(cycle) = graph.cycle(at, wanted, best - depth - 1, &mut steps_left) {
            best = depth + cycle.len() as u32;
            found = Some((at, cycle));
        }
    }
    let (entry, cycle) = found?;
    let (mut stem, mut at) = (Vec::new(), entry);
    while at != 0 {
        let (before, arc) = graph.came[at as usize];
        stem.push((before, arc));
        at = before;
    }
    stem.reverse();
    let mut labels = |way: Vec<(u32, u32)>| {
        way.iter().map(|(state, arc)| x.label(graph.ids[*state as usize], *arc as usize)).collect()
    };
    Some(Lasso { stem: labels(stem), cycle: labels(cycle) })
}
