//! Labelled transition systems as compact graphs.
//!
//! The edges of a state stand together, sorted by label and target and without repetition, eight bytes each; texts of labels are
//! kept once. States may carry sets of propositions beside: states with equal sets are of one *class*, and a class is a number.
//! A graph never changes: operations make new ones.

use rustc_hash::FxHashMap;
use std::fmt;

/// A state, numbered from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct State(pub u32);

/// The label of a transition: a number in the [`Labels`] of its graph.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Label(pub u32);

/// A proposition about states: a number in the [`Valuation`] of its graph.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Proposition(pub u32);

impl State {
    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl Label {
    /// The internal action, which is in every table of labels.
    pub const TAU: Label = Label(0);

    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The text of the internal action.
pub const TAU_TEXT: &str = "tau";

/// A transition, seen from its source.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Edge {
    /// The action.
    pub label: Label,
    /// Where it leads.
    pub target: State,
}

/// Texts of labels. The first is the internal action.
#[derive(Clone, PartialEq, Eq)]
pub struct Labels {
    texts: Vec<Box<str>>,
    index: FxHashMap<Box<str>, Label>,
}

impl Default for Labels {
    fn default() -> Self {
        let mut labels = Labels { texts: Vec::new(), index: FxHashMap::default() };
        labels.add(TAU_TEXT);
        labels
    }
}

impl fmt::Debug for Labels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.texts).finish()
    }
}

impl Labels {
    /// The label with this text, which is added if it is new.
    pub fn add(&mut self, text: &str) -> Label {
        if let Some(label) = self.index.get(text) {
            return *label;
        }
        let label = Label(u32::try_from(self.texts.len()).expect("fewer labels than transitions"));
        self.texts.push(text.into());
        self.index.insert(text.into(), label);
        label
    }

    /// The label with this text, if there is one.
    pub fn find(&self, text: &str) -> Option<Label> {
        self.index.get(text).copied()
    }

    /// The text of a label.
    pub fn text(&self, label: Label) -> &str {
        &self.texts[label.index()]
    }

    /// How many there are, the internal action among them.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// All labels with their texts.
    pub fn iter(&self) -> impl Iterator<Item = (Label, &str)> {
        self.texts.iter().enumerate().map(|(i, text)| (Label(i as u32), &**text))
    }
}

/// Which propositions hold in which states.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Valuation {
    /// Texts of the propositions.
    pub propositions: Vec<Box<str>>,
    /// What holds in the states of each class, sorted. No two classes are equal.
    pub classes: Vec<Vec<Proposition>>,
    /// The class of each state.
    pub class_of: Vec<u32>,
}

impl Valuation {
    /// Whether a proposition holds in a state.
    pub fn holds(&self, proposition: Proposition, state: State) -> bool {
        self.classes[self.class_of[state.index()] as usize].binary_search(&proposition).is_ok()
    }

    /// What holds in a class, as text: `{p, q}`.
    pub fn class_text(&self, class: u32) -> String {
        let names: Vec<&str> = self.classes[class as usize].iter().map(|p| &*self.propositions[p.0 as usize]).collect();
        format!("{{{}}}", names.join(", "))
    }
}

/// A labelled transition system with an initial state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Graph {
    initial: State,
    labels: Labels,
    /// Where the edges of each state begin, and the end of all.
    first: Vec<u32>,
    edges: Vec<Edge>,
    valuation: Option<Valuation>,
}

impl Graph {
    /// Where runs begin.
    pub fn initial(&self) -> State {
        self.initial
    }

    /// The labels. Some may not occur on any edge.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// How many states there are.
    pub fn state_count(&self) -> usize {
        self.first.len() - 1
    }

    /// How many edges there are.
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// All states.
    pub fn states(&self) -> impl DoubleEndedIterator<Item = State> + ExactSizeIterator + use<> {
        (0..self.state_count() as u32).map(State)
    }

    /// The edges of a state, sorted.
    pub fn edges(&self, state: State) -> &[Edge] {
        &self.edges[self.first[state.index()] as usize..self.first[state.index() + 1] as usize]
    }

    /// The edges of a state with this label.
    pub fn edges_with(&self, state: State, label: Label) -> &[Edge] {
        let edges = self.edges(state);
        let start = edges.partition_point(|e| e.label < label);
        let len = edges[start..].partition_point(|e| e.label == label);
        &edges[start..start + len]
    }

    /// The targets of the edges of a state with this label.
    pub fn targets(&self, state: State, label: Label) -> impl Iterator<Item = State> {
        self.edges_with(state, label).iter().map(|e| e.target)
    }

    /// All edges with their sources.
    pub fn all_edges(&self) -> impl Iterator<Item = (State, Edge)> {
        self.states().flat_map(|state| self.edges(state).iter().map(move |edge| (state, *edge)))
    }

    /// Which propositions hold where, if states carry any.
    pub fn valuation(&self) -> Option<&Valuation> {
        self.valuation.as_ref()
    }

    /// The class of a state; all are of one class where states carry no propositions.
    pub fn class(&self, state: State) -> u32 {
        self.valuation.as_ref().map_or(0, |v| v.class_of[state.index()])
    }

    /// The same graph from another state.
    #[must_use]
    pub fn from_state(mut self, initial: State) -> Graph {
        assert!(initial.index() < self.state_count(), "the initial state is a state");
        self.initial = initial;
        self
    }

    /// The labels that occur on edges, as a mask over all labels.
    pub fn used_labels(&self) -> Vec<bool> {
        let mut used = vec![false; self.labels.len()];
        for edge in &self.edges {
            used[edge.label.index()] = true;
        }
        used
    }

    /// The edges of all states into them.
    pub(crate) fn reverse(&self) -> Reverse {
        Reverse::new(self)
    }
}

/// Makes graphs: edges are added in any order.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    /// The labels, to which more can be added.
    pub labels: Labels,
    edges: Vec<(State, Edge)>,
    valuation: Option<Valuation>,
}

impl Builder {
    /// No edges yet.
    pub fn new() -> Self {
        Builder::default()
    }

    /// With the labels of another graph.
    pub fn with_labels(labels: Labels) -> Self {
        Builder { labels, ..Builder::default() }
    }

    /// Adds an edge whose label has this text.
    pub fn add(&mut self, source: State, label: &str, target: State) {
        let label = self.labels.add(label);
        self.push(source, Edge { label, target });
    }

    /// Adds an edge.
    pub fn push(&mut self, source: State, edge: Edge) {
        self.edges.push((source, edge));
    }

    /// How many edges were added.
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// Makes room for edges.
    pub fn reserve(&mut self, edges: usize) {
        self.edges.reserve(edges);
    }

    /// The largest number of a state that an edge names, plus one.
    pub fn states_named(&self) -> u32 {
        self.edges.iter().map(|(s, e)| s.0.max(e.target.0) + 1).max().unwrap_or(0)
    }

    /// States carry these propositions.
    pub fn set_valuation(&mut self, valuation: Valuation) {
        self.valuation = Some(valuation);
    }

    /// The graph: the edges sorted, repeated ones once.
    pub fn finish(self, state_count: usize, initial: State) -> Graph {
        let Builder { labels, edges, valuation } = self;
        assert!(initial.index() < state_count, "the initial state is a state");
        assert!(u32::try_from(edges.len()).is_ok(), "edges are counted in 32 bits");
        if let Some(valuation) = &valuation {
            assert_eq!(valuation.class_of.len(), state_count, "every state has a class");
        }
        let mut first = vec![0u32; state_count + 1];
        for (source, edge) in &edges {
            assert!(edge.target.index() < state_count && edge.label.index() < labels.len());
            first[source.index()] += 1;
        }
        let mut sum = 0;
        for slot in &mut first {
            let count = *slot;
            *slot = sum;
            sum += count;
        }
        let mut sorted = vec![Edge { label: Label::TAU, target: State(0) }; edges.len()];
        let mut next = first.clone();
        for (source, edge) in edges {
            let slot = &mut next[source.index()];
            sorted[*slot as usize] = edge;
            *slot += 1;
        }
        drop(next);
        let mut kept = 0;
        for state in 0..state_count {
            let range = first[state] as usize..first[state + 1] as usize;
            if !sorted[range.clone()].is_sorted() {
                sorted[range.clone()].sort_unstable();
            }
            first[state] = kept as u32;
            for i in range {
                let edge = sorted[i];
                if kept == first[state] as usize || sorted[kept - 1] != edge {
                    sorted[kept] = edge;
                    kept += 1;
                }
            }
        }
        first[state_count] = kept as u32;
        sorted.truncate(kept);
        Graph { initial, labels, first, edges: sorted, valuation }
    }
}

/// The edges into the states of a graph.
pub(crate) struct Reverse {
    first: Vec<u32>,
    /// Label and source.
    edges: Vec<Edge>,
}

impl Reverse {
    fn new(graph: &Graph) -> Self {
        let mut first = vec![0u32; graph.state_count() + 1];
        for edge in &graph.edges {
            first[edge.target.index()] += 1;
        }
        let mut sum = 0;
        for slot in &mut first {
            sum += *slot;
            *slot = sum;
        }
        let mut edges = vec![Edge { label: Label::TAU, target: State(0) }; graph.edges.len()];
        for (source, edge) in graph.all_edges() {
            let slot = &mut first[edge.target.index()];
            *slot -= 1;
            edges[*slot as usize] = Edge { label: edge.label, target: source };
        }
        Reverse { first, edges }
    }

    /// The edges into a state; their targets are the sources.
    pub(crate) fn edges(&self, state: u32) -> &[Edge] {
        &self.edges[self.first[state as usize] as usize..self.first[state as usize + 1] as usize]
    }
}
