//! Formulas that hold in one state and not in another (Cleaveland 1990; Korver 1991 for branching notions).
//!
//! Refinement parted the two states in some step because one signature had a word that the other had not: a label and a block. The
//! formula says that the label leads to where it leads the first state, and by formulas of earlier steps, that this is none of the
//! blocks where it leads the second. The partition of any step can be looked at again, so nothing is kept for this but the birth
//! of each block.

use crate::equivalence::{Classes, Notion};
use crate::formula::{Formula, Node, NodeId, TextId};
use crate::graph::{Graph, Label, Proposition, State};
use crate::weak::Signer;
use rustc_hash::{FxHashMap, FxHashSet};

/// A formula that holds in `s` and not in `t`; `None` when they are equivalent.
pub fn formula(graph: &Graph, classes: &Classes, s: State, t: State) -> Option<Formula> {
    if classes.equivalent(s, t) {
        return None;
    }
    let (s, t, graph) = match (classes.notion, &classes.smaller) {
        // The graph that was refined is the one of branching classes; its states stand for those of the graph.
        (Notion::Weak, Some(smaller)) => (State(classes.refined.node(s)), State(classes.refined.node(t)), smaller),
        (_, Some(smaller)) => (s, t, smaller),
        (_, None) => (s, t, graph),
    };
    let mut maker = Maker {
        graph,
        classes,
        nodes: Vec::new(),
        ids: FxHashMap::default(),
        texts: Vec::new(),
        text_ids: FxHashMap::default(),
        done: FxHashMap::default(),
        signer: Signer::new(graph),
    };
    maker.run(s, t);
    Some(Formula { nodes: maker.nodes, texts: maker.texts })
}

/// The step in which two states were parted, and their blocks then.
type Key = (u32, u32, u32);

/// What tells two states apart, made of what tells others apart.
struct Plan {
    negated: bool,
    kind: Kind,
    /// Pairs of states: the formula holds in all of the first and in none of the second ones.
    before: Vec<(State, State)>,
    after: Vec<(State, State)>,
}

#[derive(Clone, Copy)]
enum Kind {
    Proposition(Proposition),
    Label(Label),
    Divergence,
}

struct Signature {
    /// Label and block, with a state that the label leads to, each block once.
    words: FxHashMap<(Label, u32), State>,
    diverges: bool,
}

struct Maker<'a> {
    graph: &'a Graph,
    classes: &'a Classes,
    nodes: Vec<Node>,
    ids: FxHashMap<Node, NodeId>,
    texts: Vec<Box<str>>,
    text_ids: FxHashMap<Box<str>, TextId>,
    done: FxHashMap<Key, NodeId>,
    signer: Signer<'a>,
}

impl Maker<'_> {
    /// What stands for a state in the history.
    fn node(&self, state: State) -> u32 {
        // With weak bisimilarity states are those of the refined graph already.
        if self.classes.notion == Notion::Weak { state.0 } else { self.classes.refined.node(state) }
    }

    fn block_at(&self, state: State, step: u32) -> u32 {
        self.classes.refined.history.block_at(self.node(state), step)
    }

    fn key(&self, s: State, t: State) -> Key {
        let history = &self.classes.refined.history;
        let step = history.parted(self.node(s), self.node(t)).expect("only states that were parted are told apart");
        (step, self.block_at(s, step), self.block_at(t, step))
    }

    /// Makes the formula for two states behind all that it needs. Formulas may be as deep as there are states.
    fn run(&mut self, s: State, t: State) {
        let key = self.key(s, t);
        let mut open = vec![(key, s, t, None)];
        while let Some((key, s, t, plan)) = open.pop() {
            if self.done.contains_key(&key) {
                continue;
            }
            match plan {
                None => {
                    let plan = self.plan(key.0, s, t);
                    let needed: Vec<(State, State)> = plan.before.iter().chain(&plan.after).copied().collect();
                    open.push((key, s, t, Some(plan)));
                    for (s, t) in needed {
                        let key = self.key(s, t);
                        if !self.done.contains_key(&key) {
                            open.push((key, s, t, None));
                        }
                    }
                }
                Some(plan) => {
                    let node = self.assemble(&plan);
                    self.done.insert(key, node);
                }
            }
        }
        // The formula is the last node: nothing was made behind it, unless it is an older one.
        let root = self.done[&key];
        if root.0 as usize + 1 != self.nodes.len() {
            let copy = self.nodes[root.0 as usize].clone();
            self.nodes.push(copy);
        }
    }

    /// The signature of a state when `step` was over.
    fn signature(&mut self, state: State, step: u32) -> Signature {
        let mut words = FxHashMap::default();
        let mut diverges = false;
        match self.classes.notion {
            Notion::Strong => {
                for edge in self.graph.edges(state) {
                    words.entry((edge.label, self.block_at(edge.target, step))).or_insert(edge.target);
                }
            }
            Notion::Weak => {
                let history = &self.classes.refined.history;
                self.signer.walk(state.0, |label, target| {
                    words.entry((label, history.block_at(target, step))).or_insert(State(target));
                });
            }
            Notion::Branching | Notion::DivergenceBranching | Notion::Stuttering => {
                let block = self.block_at(state, step);
                let counts = self.classes.notion != Notion::Branching;
                let mut seen = FxHashSet::from_iter([state]);
                let mut list = vec![state];
                while let Some(state) = list.pop() {
                    for edge in self.graph.edges(state) {
                        let target_block = self.block_at(edge.target, step);
                        if edge.label != Label::TAU || target_block != block {
                            words.entry((edge.label, target_block)).or_insert(edge.target);
                            continue;
                        }
                        diverges |= counts && self.node(edge.target) == self.node(state);
                        if seen.insert(edge.target) {
                            list.push(edge.target);
                        }
                    }
                }
            }
        }
        Signature { words, diverges }
    }

    fn plan(&mut self, step: u32, s: State, t: State) -> Plan {
        if step == 0 {
            return self.plan_proposition(s, t);
        }
        let (of_s, of_t) = (self.signature(s, step - 1), self.signature(t, step - 1));
        let mut best: Option<(usize, Plan)> = None;
        for (negated, x, y, of_x, of_y) in [(false, s, t, &of_s, &of_t), (true, t, s, &of_t, &of_s)] {
            let inert = !matches!(self.classes.notion, Notion::Strong | Notion::Weak);
            let with = |label: Label| {
                let mut states: Vec<State> = of_y.words.iter().filter(|w| w.0.0 == label).map(|w| *w.1).collect();
                states.sort_unstable();
                states
            };
            // A state that leaves the block by internal steps must not come back into the formula.
            let before: Vec<(State, State)> =
                if inert { with(Label::TAU).into_iter().map(|z| (x, z)).collect() } else { Vec::new() };
            if of_x.diverges && !of_y.diverges {
                let plan = Plan { negated, kind: Kind::Divergence, before: before.clone(), after: Vec::new() };
                improve(&mut best, plan);
            }
            let mut words: Vec<(Label, State)> =
                of_x.words.iter().filter(|w| !of_y.words.contains_key(w.0)).map(|w| (w.0.0, *w.1)).collect();
            words.sort_unstable();
            for (label, target) in words {
                let mut after: Vec<(State, State)> = with(label).into_iter().map(|z| (target, z)).collect();
                if inert && label == Label::TAU {
                    after.push((target, y));
                }
                improve(&mut best, Plan { negated, kind: Kind::Label(label), before: before.clone(), after });
            }
        }
        best.expect("states were parted because their signatures differ").1
    }

    fn plan_proposition(&self, s: State, t: State) -> Plan {
        let valuation = self.graph.valuation().expect("only propositions part states from the beginning");
        let of = |s: State| &valuation.classes[self.graph.class(s) as usize];
        let only = |a: State, b: State| of(a).iter().find(|p| !of(b).contains(p)).copied();
        let (negated, proposition) = match only(s, t) {
            Some(p) => (false, p),
            None => (true, only(t, s).expect("classes differ in a proposition")),
        };
        Plan { negated, kind: Kind::Proposition(proposition), before: Vec::new(), after: Vec::new() }
    }

    fn add(&mut self, node: Node) -> NodeId {
        if let Some(id) = self.ids.get(&node) {
            return *id;
        }
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(node.clone());
        self.ids.insert(node, id);
        id
    }

    fn text(&mut self, text: &str) -> TextId {
        if let Some(id) = self.text_ids.get(text) {
            return *id;
        }
        let id = TextId(self.texts.len() as u32);
        self.texts.push(text.into());
        self.text_ids.insert(text.into(), id);
        id
    }

    fn all(&mut self, pairs: &[(State, State)]) -> NodeId {
        let mut list: Vec<NodeId> = pairs.iter().map(|(s, t)| self.done[&self.key(*s, *t)]).collect();
        list.sort_unstable();
        list.dedup();
        match list[..] {
            [] => self.add(Node::True),
            [one] => one,
            _ => self.add(Node::And(list)),
        }
    }

    fn assemble(&mut self, plan: &Plan) -> NodeId {
        let graph = self.graph;
        let node = match plan.kind {
            Kind::Proposition(p) => {
                let valuation = graph.valuation().expect("it has propositions");
                Node::Proposition(self.text(&valuation.propositions[p.0 as usize]))
            }
            Kind::Divergence => Node::Forever(self.all(&plan.before)),
            Kind::Label(label) => {
                let text = (label != Label::TAU).then(|| self.text(graph.labels().text(label)));
                let after = self.all(&plan.after);
                match self.classes.notion {
                    Notion::Strong => Node::Diamond(text, after),
                    Notion::Weak => Node::WeakDiamond(text, after),
                    _ => Node::Until { before: self.all(&plan.before), label: text, after },
                }
            }
        };
        let id = self.add(node);
        if !plan.negated {
            return id;
        }
        match self.nodes[id.0 as usize] {
            Node::Not(inner) => inner,
            _ => self.add(Node::Not(id)),
        }
    }
}

/// Keeps the plan that needs the fewest others.
fn improve(best: &mut Option<(usize, Plan)>, plan: Plan) {
    let cost = plan.before.len() + plan.after.len();
    if best.as_ref().is_none_or(|(least, _)| cost < *least) {
        *best = Some((cost, plan));
    }
}
