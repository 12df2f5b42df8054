//! Whether a partition is what it is said to be: the judge of every "equivalent".
//!
//! It uses the definitions and nothing of refinement: in each class every state must be able to do what any of them can. A
//! partition that passes may be finer than the coarsest one, but what it holds together belongs together.

use crate::equivalence::Notion;
use crate::graph::{Edge, Graph, Label, State};
use crate::watch::{Pace, Stopped, Watch};
use crate::weak::Signer;
use std::collections::BTreeSet;

/// Whether all states of a class are equivalent.
pub fn is_right(graph: &Graph, class_of: &[u32], notion: Notion, watch: &dyn Watch) -> Result<bool, Stopped> {
    let mut members: Vec<Vec<State>> = Vec::new();
    for state in graph.states() {
        let class = class_of[state.index()] as usize;
        members.resize_with(members.len().max(class + 1), Vec::new);
        members[class].push(state);
    }
    let mut judge = Judge { graph, class_of, notion, pace: Pace::new(watch), signer: Signer::new(graph) };
    for states in members.iter().filter(|m| !m.is_empty()) {
        let same_class = states.iter().all(|s| graph.class(*s) == graph.class(states[0]));
        let keeps = same_class
            && match notion {
                Notion::Strong => judge.strong(states)?,
                Notion::Weak => judge.weak(states)?,
                Notion::Branching => judge.branching(states)?,
                Notion::DivergenceBranching | Notion::Stuttering => {
                    judge.branching(states)? && judge.divergence(states)?
                }
            };
        if !keeps {
            return Ok(false);
        }
    }
    Ok(true)
}

struct Judge<'a> {
    graph: &'a Graph,
    class_of: &'a [u32],
    notion: Notion,
    pace: Pace<'a>,
    signer: Signer<'a>,
}

impl Judge<'_> {
    fn label(&self, edge: &Edge) -> Label {
        if self.notion == Notion::Stuttering { Label::TAU } else { edge.label }
    }

    fn class(&self, state: State) -> u32 {
        self.class_of[state.index()]
    }

    /// What the edges of a state do, as labels and classes.
    fn own(&self, state: State) -> Vec<(Label, u32)> {
        let mut own: Vec<(Label, u32)> =
            self.graph.edges(state).iter().map(|e| (self.label(e), self.class(e.target))).collect();
        own.sort_unstable();
        own.dedup();
        own
    }

    fn strong(&mut self, states: &[State]) -> Result<bool, Stopped> {
        let first = self.own(states[0]);
        for state in states {
            self.pace.add(1)?;
            if self.own(*state) != first {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn weak(&mut self, states: &[State]) -> Result<bool, Stopped> {
        // Single edges of one state against saturated ones of the first would not do: answers would lean on one another.
        let first = self.saturated(states[0])?;
        for state in &states[1..] {
            if self.saturated(*state)? != first {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn saturated(&mut self, state: State) -> Result<Vec<(Label, u32)>, Stopped> {
        let mut found = Vec::new();
        let class_of = self.class_of;
        let work = self.signer.walk(state.0, |label, target| found.push((label, class_of[target as usize])));
        self.pace.add(work)?;
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// Internal edges inside the class: sources under targets, both as places in `states`, which is sorted.
    fn inert(&self, states: &[State]) -> Vec<Vec<u32>> {
        let mut into = vec![Vec::new(); states.len()];
        let class = self.class(states[0]);
        for (i, state) in states.iter().enumerate() {
            for edge in self.graph.edges(*state) {
                if self.label(edge) == Label::TAU && self.class(edge.target) == class {
                    into[states.binary_search(&edge.target).expect("it is of the class")].push(i as u32);
                }
            }
        }
        into
    }

    /// Whatever one state of the class can do, each can do behind internal edges inside it.
    fn branching(&mut self, states: &[State]) -> Result<bool, Stopped> {
        let class = self.class(states[0]);
        let into = self.inert(states);
        let mut steps: Vec<(Label, u32, u32)> = Vec::new();
        for (i, state) in states.iter().enumerate() {
            steps.extend(self.own(*state).into_iter().map(|(label, to)| (label, to, i as u32)));
        }
        steps.retain(|(label, to, _)| *label != Label::TAU || *to != class);
        steps.sort_unstable();
        for group in steps.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let mut seen = vec![false; states.len()];
            let mut list: Vec<u32> = group.iter().map(|s| s.2).collect();
            list.iter().for_each(|i| seen[*i as usize] = true);
            let mut next = 0;
            while let Some(i) = list.get(next).copied() {
                next += 1;
                list.extend(into[i as usize].iter().filter(|s| !std::mem::replace(&mut seen[**s as usize], true)));
            }
            self.pace.add(states.len())?;
            if list.len() < states.len() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// All can go on for ever inside the class, or none: states without a way on are taken away until every one left has one.
    fn divergence(&mut self, states: &[State]) -> Result<bool, Stopped> {
        let into = self.inert(states);
        let mut ways = vec![0usize; states.len()];
        into.iter().flatten().for_each(|source| ways[*source as usize] += 1);
        let mut ended: Vec<usize> = (0..states.len()).filter(|i| ways[*i] == 0).collect();
        let mut next = 0;
        while let Some(i) = ended.get(next).copied() {
            next += 1;
            for source in &into[i] {
                ways[*source as usize] -= 1;
                if ways[*source as usize] == 0 {
                    ended.push(*source as usize);
                }
            }
        }
        self.pace.add(states.len())?;
        Ok(ended.is_empty() || ended.len() == states.len())
    }
}

/// Whether every trace of `a` is one of `b`, by walking sets of states, straight from the definition.
pub fn includes_traces(a: &Graph, b: &Graph, watch: &dyn Watch) -> Result<bool, Stopped> {
    let closed = |states: BTreeSet<State>| reached(states, |s| b.targets(s, Label::TAU).collect());
    let mut pace = Pace::new(watch);
    let mut seen = BTreeSet::new();
    let mut list = vec![(a.initial(), closed(BTreeSet::from([b.initial()])))];
    while let Some((state, set)) = list.pop() {
        pace.add(1 + set.len())?;
        if !seen.insert((state, set.clone())) {
            continue;
        }
        for edge in a.edges(state) {
            if edge.label == Label::TAU {
                list.push((edge.target, set.clone()));
                continue;
            }
            let Some(label) = b.labels().find(a.labels().text(edge.label)) else { return Ok(false) };
            let next = closed(set.iter().flat_map(|s| b.targets(*s, label)).collect());
            if next.is_empty() {
                return Ok(false);
            }
            list.push((edge.target, next));
        }
    }
    Ok(true)
}

fn reached(start: BTreeSet<State>, next: impl Fn(State) -> Vec<State>) -> BTreeSet<State> {
    let mut list: Vec<State> = start.iter().copied().collect();
    let mut all = start;
    while let Some(state) = list.pop() {
        list.extend(next(state).into_iter().filter(|t| all.insert(*t)));
    }
    all
}

/// Whether `b` simulates `a`: pairs that cannot answer are taken away from all pairs until none is left that cannot, straight from
/// the definition. With `weak`, internal steps may be left out and added.
pub fn simulates(a: &Graph, b: &Graph, weak: bool, watch: &dyn Watch) -> Result<bool, Stopped> {
    let mut pace = Pace::new(watch);
    let class = |graph: &Graph, s: State| {
        graph.valuation().map_or(BTreeSet::new(), |v| {
            v.classes[v.class_of[s.index()] as usize].iter().map(|p| v.propositions[p.0 as usize].to_string()).collect()
        })
    };
    let mut related: BTreeSet<(State, State)> = BTreeSet::new();
    for s in a.states() {
        for t in b.states() {
            pace.add(1)?;
            if class(a, s) == class(b, t) {
                related.insert((s, t));
            }
        }
    }
    let internal = |states| reached(states, |s| b.targets(s, Label::TAU).collect());
    let answers = |t: State, text: &str, is_internal: bool| -> BTreeSet<State> {
        let label = if is_internal { Some(Label::TAU) } else { b.labels().find(text) };
        let step = |states: &BTreeSet<State>| -> BTreeSet<State> {
            label.map_or(BTreeSet::new(), |l| states.iter().flat_map(|s| b.targets(*s, l)).collect())
        };
        match (weak, is_internal) {
            (false, _) => step(&BTreeSet::from([t])),
            (true, true) => internal(BTreeSet::from([t])),
            (true, false) => internal(step(&internal(BTreeSet::from([t])))),
        }
    };
    loop {
        let before = related.len();
        let mut bad = Vec::new();
        for (s, t) in &related {
            pace.add(1)?;
            let answered = |e: &Edge| {
                let found = answers(*t, a.labels().text(e.label), e.label == Label::TAU);
                found.into_iter().any(|u| related.contains(&(e.target, u)))
            };
            if !a.edges(*s).iter().all(answered) {
                bad.push((*s, *t));
            }
        }
        bad.iter().for_each(|pair| _ = related.remove(pair));
        if related.len() == before {
            return Ok(related.contains(&(a.initial(), b.initial())));
        }
    }
}
