//! What a deployment leads to: whether it ends, and whether something is called that is not bound.
//!
//! Three questions about an assembly with its deployment, each answered with a shortest trace when the answer is no: from every state
//! before `OK`, can `OK` still come? does no error come before it? does none come behind it, without further control actions?

use crate::architecture::{CONTROL, OK};
use ferrospin_lts::mu::fits;
use ferrospin_lts::{Graph, Label, State};

/// The answers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answers {
    /// A trace to a state from which the deployment cannot end.
    pub stuck: Option<Vec<String>>,
    /// A trace to an error before the deployment has ended.
    pub error_before: Option<Vec<String>>,
    /// A trace to an error behind it.
    pub error_behind: Option<Vec<String>>,
    /// States of the running phase.
    pub running: usize,
}

impl Answers {
    /// Whether all is well.
    pub fn holds(&self) -> bool {
        self.stuck.is_none() && self.error_before.is_none() && self.error_behind.is_none()
    }
}

const UNSEEN: u32 = u32::MAX;

/// A breadth-first walk that remembers where each state was come from.
struct Walk<'a> {
    graph: &'a Graph,
    from: Vec<(u32, Label)>,
    seen: Vec<bool>,
    list: Vec<State>,
}

impl<'a> Walk<'a> {
    fn new(graph: &'a Graph) -> Self {
        let n = graph.state_count();
        Walk { graph, from: vec![(UNSEEN, Label::TAU); n], seen: vec![false; n], list: Vec::new() }
    }

    fn visit(&mut self, state: State, from: u32, label: Label) {
        if !std::mem::replace(&mut self.seen[state.index()], true) {
            self.from[state.index()] = (from, label);
            self.list.push(state);
        }
    }

    fn trace(&self, state: State, last: Option<Label>) -> Vec<String> {
        let mut labels: Vec<Label> = last.into_iter().collect();
        let mut at = state;
        while self.from[at.index()].0 != UNSEEN {
            labels.push(self.from[at.index()].1);
            at = State(self.from[at.index()].0);
        }
        labels.reverse();
        labels.into_iter().filter(|l| *l != Label::TAU).map(|l| self.graph.labels().text(l).to_owned()).collect()
    }
}

/// Looks at an assembly with its deployment, whose labels are visible.
pub fn look(graph: &Graph) -> Answers {
    let text = |label: Label| graph.labels().text(label);
    let is_error = |label: Label| text(label).starts_with("ERR_");
    let is_control = |label: Label| CONTROL.iter().any(|p| fits(p, text(label)));
    let mut walk = Walk::new(graph);
    walk.visit(graph.initial(), UNSEEN, Label::TAU);
    let (mut error_before, mut ended) = (None, Vec::new());
    let mut next = 0;
    while let Some(state) = walk.list.get(next).copied() {
        next += 1;
        for edge in graph.edges(state) {
            if text(edge.label) == OK {
                ended.push((edge.target, walk.trace(state, Some(edge.label))));
                continue;
            }
            if is_error(edge.label) && error_before.is_none() {
                error_before = Some(walk.trace(state, Some(edge.label)));
            }
            walk.visit(edge.target, state.0, edge.label);
        }
    }
    // Backwards from where the deployment can end, in rounds over what is left.
    let mut can = vec![false; graph.state_count()];
    let mut changed = true;
    while changed {
        changed = false;
        for state in walk.list.iter().rev() {
            let ends = |e: &ferrospin_lts::Edge| text(e.label) == OK || can[e.target.index()];
            if !can[state.index()] && graph.edges(*state).iter().any(ends) {
                can[state.index()] = true;
                changed = true;
            }
        }
    }
    let stuck = walk.list.iter().find(|s| !can[s.index()]).map(|s| walk.trace(*s, None));
    let mut running = Walk::new(graph);
    let mut error_behind = None;
    let before: Vec<Vec<String>> = ended.iter().map(|e| e.1.clone()).collect();
    ended.iter().for_each(|(state, _)| running.visit(*state, UNSEEN, Label::TAU));
    let mut next = 0;
    while let Some(state) = running.list.get(next).copied() {
        next += 1;
        for edge in graph.edges(state).iter().filter(|e| !is_control(e.label)) {
            if is_error(edge.label) && error_behind.is_none() {
                let behind = running.trace(state, Some(edge.label));
                let start = start_of(&running, state);
                let at = ended.iter().position(|(s, _)| *s == start).expect("runs begin where a deployment ends");
                error_behind = Some(before[at].iter().cloned().chain(behind).collect());
            }
            running.visit(edge.target, state.0, edge.label);
        }
    }
    Answers { stuck, error_before, error_behind, running: running.list.len() }
}

fn start_of(walk: &Walk<'_>, state: State) -> State {
    let mut at = state;
    while walk.from[at.index()].0 != UNSEEN {
        at = State(walk.from[at.index()].0);
    }
    at
}
