//! Whether a formula holds in a state: the judge of formulas that are said to tell states apart.
//!
//! It shares nothing with what makes formulas but their form. Going down, it finds in which states each node is needed; going up,
//! where it holds among them. Only what the state can reach is looked at.

use crate::formula::{Formula, Node, NodeId, TextId};
use crate::graph::{Graph, Label, Proposition, State};
use rustc_hash::FxHashMap;

/// Whether the formula holds in the state.
pub fn holds(graph: &Graph, formula: &Formula, state: State) -> bool {
    let evaluation = Evaluation::new(graph, formula);
    let mut needed: Vec<Vec<State>> = vec![Vec::new(); formula.nodes.len()];
    needed[formula.root().0 as usize].push(state);
    for i in (0..formula.nodes.len()).rev() {
        needed[i].sort_unstable();
        needed[i].dedup();
        let here = std::mem::take(&mut needed[i]);
        evaluation.need(&formula.nodes[i], &here, &mut needed);
        needed[i] = here;
    }
    let mut sat: Vec<Vec<State>> = Vec::with_capacity(formula.nodes.len());
    for (node, needed) in formula.nodes.iter().zip(&needed) {
        sat.push(evaluation.satisfied(node, needed, &sat));
    }
    sat[formula.root().0 as usize].contains(&state)
}

struct Evaluation<'a> {
    graph: &'a Graph,
    /// The labels of the formula in the graph, and its propositions.
    labels: Vec<Option<Label>>,
    propositions: Vec<Option<Proposition>>,
}

impl<'a> Evaluation<'a> {
    fn new(graph: &'a Graph, formula: &Formula) -> Self {
        let proposition = |text: &str| {
            let list = &graph.valuation()?.propositions;
            list.iter().position(|p| **p == *text).map(|i| Proposition(i as u32))
        };
        Evaluation {
            graph,
            labels: formula.texts.iter().map(|t| graph.labels().find(t)).collect(),
            propositions: formula.texts.iter().map(|t| proposition(t)).collect(),
        }
    }

    /// The targets of edges with a label of the formula.
    fn after(&self, state: State, label: Option<TextId>) -> impl Iterator<Item = State> {
        let label = label.map_or(Some(Label::TAU), |text| self.labels[text.0 as usize]);
        label.into_iter().flat_map(move |label| self.graph.targets(state, label))
    }

    /// What internal steps lead to, sorted.
    fn internal(&self, from: impl Iterator<Item = State>) -> Vec<State> {
        let mut seen: rustc_hash::FxHashSet<State> = from.collect();
        let mut list: Vec<State> = seen.iter().copied().collect();
        let mut i = 0;
        while let Some(state) = list.get(i).copied() {
            i += 1;
            list.extend(self.graph.targets(state, Label::TAU).filter(|t| seen.insert(*t)));
        }
        list.sort_unstable();
        list
    }

    /// Says where the nodes below are needed.
    fn need(&self, node: &Node, here: &[State], needed: &mut [Vec<State>]) {
        let states = here.iter().copied();
        match node {
            Node::True | Node::Proposition(_) => {}
            Node::Not(f) => needed[f.0 as usize].extend(states),
            Node::And(list) => list.iter().for_each(|f| needed[f.0 as usize].extend(states.clone())),
            Node::Diamond(label, f) => {
                needed[f.0 as usize].extend(states.flat_map(|s| self.after(s, *label)));
            }
            Node::WeakDiamond(label, f) => needed[f.0 as usize].extend(self.weakly(states, *label)),
            Node::Until { before, label, after } => {
                let reached = self.internal(states);
                if label.is_some() {
                    needed[after.0 as usize].extend(reached.iter().flat_map(|s| self.after(*s, *label)));
                } else {
                    needed[after.0 as usize].extend(&reached);
                }
                needed[before.0 as usize].extend(reached);
            }
            Node::Forever(f) => needed[f.0 as usize].extend(self.internal(states)),
        }
    }

    fn weakly(&self, from: impl Iterator<Item = State>, label: Option<TextId>) -> Vec<State> {
        let reached = self.internal(from);
        match label {
            None => reached,
            Some(_) => self.internal(reached.into_iter().flat_map(|s| self.after(s, label))),
        }
    }

    /// Where a node holds among the states where it is needed.
    fn satisfied(&self, node: &Node, needed: &[State], sat: &[Vec<State>]) -> Vec<State> {
        let holds = |f: &NodeId, s: State| sat[f.0 as usize].binary_search(&s).is_ok();
        let among = |test: &dyn Fn(State) -> bool| needed.iter().copied().filter(|s| test(*s)).collect();
        match node {
            Node::True => needed.to_vec(),
            Node::Proposition(text) => among(&|s| {
                let proposition = self.propositions[text.0 as usize];
                proposition.is_some_and(|p| self.graph.valuation().is_some_and(|v| v.holds(p, s)))
            }),
            Node::Not(f) => among(&|s| !holds(f, s)),
            Node::And(list) => among(&|s| list.iter().all(|f| holds(f, s))),
            Node::Diamond(label, f) => among(&|s| self.after(s, *label).any(|t| holds(f, t))),
            Node::WeakDiamond(label, f) => {
                among(&|s| self.weakly(std::iter::once(s), *label).into_iter().any(|t| holds(f, t)))
            }
            Node::Until { before, label, after } => {
                let reached = self.internal(needed.iter().copied());
                let goal = |s: State| match label {
                    None => holds(after, s),
                    Some(_) => holds(before, s) && self.after(s, *label).any(|t| holds(after, t)),
                };
                let mut into: FxHashMap<State, Vec<State>> = FxHashMap::default();
                for s in &reached {
                    self.graph.targets(*s, Label::TAU).for_each(|t| into.entry(t).or_default().push(*s));
                }
                let mut found: Vec<State> = reached.iter().copied().filter(|s| goal(*s)).collect();
                let mut seen: rustc_hash::FxHashSet<State> = found.iter().copied().collect();
                let mut i = 0;
                while let Some(state) = found.get(i).copied() {
                    i += 1;
                    let sources = into.get(&state).into_iter().flatten().copied();
                    found.extend(sources.filter(|s| holds(before, *s) && seen.insert(*s)));
                }
                among(&|s| seen.contains(&s))
            }
            Node::Forever(f) => {
                let mut left: Vec<State> = self.internal(needed.iter().copied());
                left.retain(|s| holds(f, *s));
                let mut into: FxHashMap<State, Vec<State>> = FxHashMap::default();
                let mut ways: FxHashMap<State, usize> = FxHashMap::default();
                for s in &left {
                    let targets = self.graph.targets(*s, Label::TAU).filter(|t| left.binary_search(t).is_ok());
                    let count = targets.inspect(|t| into.entry(*t).or_default().push(*s)).count();
                    ways.insert(*s, count);
                }
                let mut ended: Vec<State> = left.iter().copied().filter(|s| ways[s] == 0).collect();
                while let Some(state) = ended.pop() {
                    for source in into.get(&state).into_iter().flatten() {
                        let ways = ways.get_mut(source).expect("it is one of those left");
                        *ways -= 1;
                        if *ways == 0 {
                            ended.push(*source);
                        }
                    }
                }
                among(&|s| ways.get(&s).is_some_and(|ways| *ways > 0))
            }
        }
    }
}
