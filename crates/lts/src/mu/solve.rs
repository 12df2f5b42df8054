//! In which states a formula of the mu-calculus holds.

use super::{Action, Mu, MuId, MuNode};
use crate::graph::{Graph, Proposition, Reverse, State};
use crate::watch::{Pace, Stopped, Watch};

/// Whether the formula holds, state by state.
pub fn solve(graph: &Graph, mu: &Mu, watch: &dyn Watch) -> Result<Vec<bool>, Stopped> {
    let mut solver = Solver {
        graph,
        reverse: graph.reverse(),
        mu,
        is_open: open_nodes(mu),
        values: vec![Vec::new(); mu.nodes.len()],
        pace: Pace::new(watch),
    };
    for node in 0..mu.nodes.len() {
        if !solver.is_open[node] {
            solver.close(node)?;
        }
    }
    Ok(std::mem::take(&mut solver.values[mu.root.0 as usize]))
}

fn operands(node: &MuNode) -> Vec<MuId> {
    match node {
        MuNode::Constant(_) | MuNode::Proposition(..) | MuNode::Variable(_) => Vec::new(),
        MuNode::And(f, g) | MuNode::Or(f, g) => vec![*f, *g],
        MuNode::Diamond(_, f) | MuNode::Box(_, f) | MuNode::Fixpoint { of: f, .. } => vec![*f],
    }
}

/// Nodes with variables of fixpoints around them: those that come behind the node.
fn open_nodes(mu: &Mu) -> Vec<bool> {
    // The last fixpoint that a node depends on.
    let mut last: Vec<Option<u32>> = Vec::new();
    for (i, node) in mu.nodes.iter().enumerate() {
        let own = match node {
            MuNode::Variable(id) => Some(id.0),
            _ => operands(node).iter().filter_map(|f| last[f.0 as usize]).max(),
        };
        last.push(own.filter(|id| *id != i as u32));
    }
    last.iter().map(Option::is_some).collect()
}

struct Solver<'a> {
    graph: &'a Graph,
    reverse: Reverse,
    mu: &'a Mu,
    is_open: Vec<bool>,
    values: Vec<Vec<bool>>,
    pace: Pace<'a>,
}

impl Solver<'_> {
    fn covered(&self, action: &Action) -> Vec<bool> {
        let labels = self.graph.labels();
        labels.iter().map(|(label, text)| action.covers(label == crate::Label::TAU, text)).collect()
    }

    /// The values of a node whose operands have theirs.
    fn close(&mut self, node: usize) -> Result<(), Stopped> {
        let n = self.graph.state_count();
        self.pace.add(n)?;
        let of = |f: &MuId| &self.values[f.0 as usize];
        self.values[node] = match &self.mu.nodes[node] {
            MuNode::Constant(value) => vec![*value; n],
            MuNode::Proposition(text, positive) => {
                let valuation = self.graph.valuation();
                let found = valuation.and_then(|v| v.propositions.iter().position(|p| **p == **text));
                let holds = |s: State| match (valuation, found) {
                    (Some(valuation), Some(p)) => valuation.holds(Proposition(p as u32), s),
                    _ => false,
                };
                self.graph.states().map(|s| holds(s) == *positive).collect()
            }
            MuNode::And(f, g) => of(f).iter().zip(of(g)).map(|(f, g)| *f && *g).collect(),
            MuNode::Or(f, g) => of(f).iter().zip(of(g)).map(|(f, g)| *f || *g).collect(),
            MuNode::Diamond(action, f) | MuNode::Box(action, f) => {
                let some = matches!(self.mu.nodes[node], MuNode::Diamond(..));
                let covered = self.covered(action);
                let values = of(f);
                let holds = |s: State| {
                    let mut edges = self.graph.edges(s).iter().filter(|e| covered[e.label.index()]);
                    edges.any(|e| values[e.target.index()] == some) == some
                };
                self.graph.states().map(holds).collect()
            }
            MuNode::Variable(_) => unreachable!("a variable depends on its fixpoint"),
            MuNode::Fixpoint { least, .. } => return self.fixpoint(node, *least),
        };
        Ok(())
    }

    /// Solves all fixpoints that depend on one another, the outermost of which is `node`: values start at false for least ones and
    /// change once, as soon as what they depend on has changed enough.
    fn fixpoint(&mut self, node: usize, least: bool) -> Result<(), Stopped> {
        let n = self.graph.state_count();
        let mut members = vec![node];
        let mut i = 0;
        while let Some(member) = members.get(i).copied() {
            i += 1;
            let inner = operands(&self.mu.nodes[member]);
            members.extend(inner.iter().map(|f| f.0 as usize).filter(|f| self.is_open[*f]));
        }
        // Which nodes depend on a node, and how many changes below make it change, where one is not enough.
        let mut users: Vec<Vec<usize>> = vec![Vec::new(); self.mu.nodes.len()];
        let mut missing: Vec<Vec<u32>> = vec![Vec::new(); self.mu.nodes.len()];
        let mut changed: Vec<(usize, u32)> = Vec::new();
        let mut covered: Vec<Vec<bool>> = vec![Vec::new(); self.mu.nodes.len()];
        for member in &members {
            self.pace.add(n)?;
            self.values[*member] = vec![!least; n];
            let shape = &self.mu.nodes[*member];
            for f in operands(shape) {
                users[f.0 as usize].push(*member);
            }
            match shape {
                MuNode::Variable(id) => users[id.0 as usize].push(*member),
                MuNode::Diamond(action, _) | MuNode::Box(action, _) => {
                    covered[*member] = self.covered(action);
                    if matches!(shape, MuNode::Box(..)) == least {
                        let count = |s: State| {
                            self.graph.edges(s).iter().filter(|e| covered[*member][e.label.index()]).count() as u32
                        };
                        missing[*member] = self.graph.states().map(count).collect();
                        changed.extend((0..n).filter(|s| missing[*member][*s] == 0).map(|s| (*member, s as u32)));
                    }
                }
                _ => {}
            }
        }
        // Closed operands have changed before all else, or never do.
        for member in &members {
            let (MuNode::And(f, g) | MuNode::Or(f, g)) = &self.mu.nodes[*member] else { continue };
            let needs_all = matches!(self.mu.nodes[*member], MuNode::And(..)) == least;
            if needs_all {
                missing[*member] = vec![2; n];
            }
            for f in [f, g].into_iter().filter(|f| !self.is_open[f.0 as usize]) {
                for s in (0..n).filter(|s| self.values[f.0 as usize][*s] == least) {
                    if needs_all {
                        missing[*member][s] -= 1;
                    } else {
                        changed.push((*member, s as u32));
                    }
                }
            }
            if needs_all {
                changed.extend((0..n).filter(|s| missing[*member][*s] == 0).map(|s| (*member, s as u32)));
            }
        }
        // A fixpoint of a closed formula, and one whose operand is its own variable.
        if let MuNode::Fixpoint { of, .. } = &self.mu.nodes[node]
            && !self.is_open[of.0 as usize]
        {
            self.values[node] = self.values[of.0 as usize].clone();
            return Ok(());
        }
        for member in members.iter().filter(|m| **m != node) {
            if let MuNode::Fixpoint { of, .. } = &self.mu.nodes[*member]
                && !self.is_open[of.0 as usize]
            {
                let of = &self.values[of.0 as usize];
                changed.extend((0..n).filter(|s| of[*s] == least).map(|s| (*member, s as u32)));
            }
        }
        while let Some((member, state)) = changed.pop() {
            let value = &mut self.values[member][state as usize];
            if *value == least {
                continue;
            }
            *value = least;
            self.pace.add(1)?;
            for user in &users[member] {
                let mut flips = |s: u32| {
                    if missing[*user].is_empty() {
                        changed.push((*user, s));
                        return;
                    }
                    let left = &mut missing[*user][s as usize];
                    *left -= 1;
                    if *left == 0 {
                        changed.push((*user, s));
                    }
                };
                match &self.mu.nodes[*user] {
                    MuNode::Diamond(..) | MuNode::Box(..) => {
                        for edge in self.reverse.edges(state) {
                            if covered[*user][edge.label.index()] {
                                flips(edge.target.0);
                            }
                        }
                    }
                    _ => flips(state),
                }
            }
        }
        Ok(())
    }
}
