//! Behavioural equivalences: which states of a graph cannot be told apart, and the smallest graph that behaves like it.

use crate::graph::{Builder, Edge, Graph, Label, State, Valuation};
use crate::refine::{self, Refined};
use crate::watch::{Stopped, Watch};
use crate::weak;

/// An equivalence of states. States of different classes are never equivalent.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Notion {
    /// Bisimilarity (Park 1981; Milner 1989): internal actions count like others.
    Strong,
    /// Branching bisimilarity (van Glabbeek and Weijland 1996): internal steps that decide nothing do not count.
    Branching,
    /// The same, and what can go on internally for ever is different from what cannot.
    DivergenceBranching,
    /// Weak bisimilarity (Milner 1989).
    Weak,
    /// Divergence-sensitive stuttering equivalence of states with propositions (Browne, Clarke and Grumberg 1988; De Nicola and
    /// Vaandrager 1995): it keeps CTL* without next, and deadlocks. Labels do not count.
    Stuttering,
}

impl Notion {
    /// All of them.
    pub const ALL: [Notion; 5] =
        [Notion::Strong, Notion::Branching, Notion::DivergenceBranching, Notion::Weak, Notion::Stuttering];

    /// As people say it: "branching bisimilar".
    pub fn adjective(self) -> &'static str {
        match self {
            Notion::Strong => "strongly bisimilar",
            Notion::Branching => "branching bisimilar",
            Notion::DivergenceBranching => "divergence-preserving branching bisimilar",
            Notion::Weak => "weakly bisimilar",
            Notion::Stuttering => "stuttering equivalent",
        }
    }
}

/// The classes of equivalent states of a graph.
pub struct Classes {
    /// What they were found for.
    pub notion: Notion,
    /// The class of each state.
    pub class_of: Vec<u32>,
    /// How many classes there are.
    pub count: usize,
    pub(crate) refined: Refined,
    /// The graph that was refined, where that is another one, and what stands there for the states.
    pub(crate) smaller: Option<Graph>,
}

impl Classes {
    /// Whether two states are equivalent.
    pub fn equivalent(&self, s: State, t: State) -> bool {
        self.class_of[s.index()] == self.class_of[t.index()]
    }
}

/// The graph with the internal action on every edge.
pub fn without_labels(graph: &Graph) -> Graph {
    let mut builder = Builder::new();
    builder.reserve(graph.edge_count());
    for (source, edge) in graph.all_edges() {
        builder.push(source, Edge { label: Label::TAU, target: edge.target });
    }
    if let Some(valuation) = graph.valuation() {
        builder.set_valuation(valuation.clone());
    }
    builder.finish(graph.state_count(), graph.initial())
}

/// The classes of equivalent states.
pub fn classes(graph: &Graph, notion: Notion, watch: &dyn Watch) -> Result<Classes, Stopped> {
    let (refined, smaller) = match notion {
        Notion::Strong => (refine::strong(graph, watch)?, None),
        Notion::Branching => (refine::branching(graph, false, watch)?, None),
        Notion::DivergenceBranching => (refine::branching(graph, true, watch)?, None),
        Notion::Stuttering => {
            let unlabelled = without_labels(graph);
            (refine::branching(&unlabelled, true, watch)?, Some(unlabelled))
        }
        Notion::Weak => {
            let branching = classes(graph, Notion::Branching, watch)?;
            let smaller = quotient(graph, &branching);
            let history = weak::weak(&smaller, watch)?;
            (Refined { node_of: Some(branching.class_of), history }, Some(smaller))
        }
    };
    let class_of = graph.states().map(|s| refined.block_of(s)).collect();
    Ok(Classes { notion, class_of, count: refined.history.block_count(), refined, smaller })
}

/// The graph of the classes: state n is class n. Internal edges inside a class are left out where the notion says so; where
/// divergence counts, one edge of a class to itself stands for it.
pub fn quotient(graph: &Graph, classes: &Classes) -> Graph {
    let unlabelled = if classes.notion == Notion::Stuttering { classes.smaller.as_ref() } else { None };
    let graph = unlabelled.unwrap_or(graph);
    let keeps_inert = |source: State, target: State| match classes.notion {
        Notion::Strong => true,
        Notion::Branching | Notion::Weak => false,
        Notion::DivergenceBranching | Notion::Stuttering => {
            classes.refined.node(source) == classes.refined.node(target)
        }
    };
    let mut builder = Builder::with_labels(graph.labels().clone());
    for (source, edge) in graph.all_edges() {
        let (s, t) = (classes.class_of[source.index()], classes.class_of[edge.target.index()]);
        if edge.label != Label::TAU || s != t || keeps_inert(source, edge.target) {
            builder.push(State(s), Edge { label: edge.label, target: State(t) });
        }
    }
    if let Some(valuation) = graph.valuation() {
        let mut class_of = vec![0; classes.count];
        for state in graph.states() {
            class_of[classes.class_of[state.index()] as usize] = valuation.class_of[state.index()];
        }
        let (propositions, classes) = (valuation.propositions.clone(), valuation.classes.clone());
        builder.set_valuation(Valuation { propositions, classes, class_of });
    }
    builder.finish(classes.count, State(classes.class_of[graph.initial().index()]))
}

/// The smallest graph that is equivalent: the quotient of what can be reached, its states in the order in which a breadth-first
/// search finds them. For weak bisimilarity no graph has fewer states, but one might have fewer edges.
pub fn minimise(graph: &Graph, notion: Notion, watch: &dyn Watch) -> Result<Graph, Stopped> {
    let reached = crate::operations::reachable(graph);
    let classes = classes(&reached, notion, watch)?;
    Ok(crate::operations::reachable(&quotient(&reached, &classes)))
}
