//! Operations on one graph: what can be reached, labels hidden and renamed, propositions told by labels.

use crate::graph::{Builder, Edge, Graph, Label, Labels, Proposition, State, Valuation};
use rustc_hash::FxHashMap;

/// The part that the initial state reaches, in the order in which a breadth-first search finds it.
pub fn reachable(graph: &Graph) -> Graph {
    const UNSEEN: u32 = u32::MAX;
    let mut number = vec![UNSEEN; graph.state_count()];
    let mut found = vec![graph.initial()];
    number[graph.initial().index()] = 0;
    let mut builder = Builder::with_labels(graph.labels().clone());
    let mut next = 0;
    while let Some(state) = found.get(next).copied() {
        for edge in graph.edges(state) {
            let slot = &mut number[edge.target.index()];
            if *slot == UNSEEN {
                *slot = found.len() as u32;
                found.push(edge.target);
            }
            builder.push(State(next as u32), Edge { label: edge.label, target: State(*slot) });
        }
        next += 1;
    }
    if let Some(valuation) = graph.valuation() {
        let class_of = found.iter().map(|s| valuation.class_of[s.index()]).collect();
        builder.set_valuation(Valuation { class_of, ..valuation.clone() });
    }
    builder.finish(found.len(), State(0))
}

/// The graph with other labels: `new` gives the text that takes the place of each, `None` the internal action. The internal action
/// stays.
pub fn relabel(graph: &Graph, mut new: impl FnMut(&str) -> Option<String>) -> Graph {
    let mut labels = Labels::default();
    let images = graph.labels().iter().map(|(label, text)| match label {
        Label::TAU => Label::TAU,
        _ => new(text).map_or(Label::TAU, |text| labels.add(&text)),
    });
    let images: Vec<Label> = images.collect();
    let mut builder = Builder::with_labels(labels);
    builder.reserve(graph.edge_count());
    for (source, edge) in graph.all_edges() {
        builder.push(source, Edge { label: images[edge.label.index()], target: edge.target });
    }
    if let Some(valuation) = graph.valuation() {
        builder.set_valuation(valuation.clone());
    }
    builder.finish(graph.state_count(), graph.initial())
}

/// Labels for which `hidden` says so become the internal action.
pub fn hide(graph: &Graph, mut hidden: impl FnMut(&str) -> bool) -> Graph {
    relabel(graph, |text| (!hidden(text)).then(|| text.to_owned()))
}

/// Labels get other texts.
pub fn rename(graph: &Graph, mut new: impl FnMut(&str) -> String) -> Graph {
    relabel(graph, |text| Some(new(text)))
}

/// Propositions get other texts, each its own.
pub fn rename_propositions(graph: &Graph, mut new: impl FnMut(&str) -> String) -> Graph {
    let mut builder = Builder::with_labels(graph.labels().clone());
    graph.all_edges().for_each(|(source, edge)| builder.push(source, edge));
    if let Some(valuation) = graph.valuation() {
        let propositions = valuation.propositions.iter().map(|text| new(text).into()).collect();
        builder.set_valuation(Valuation { propositions, ..valuation.clone() });
    }
    builder.finish(graph.state_count(), graph.initial())
}

/// Only labels for which `kept` says so stay visible.
pub fn project(graph: &Graph, mut kept: impl FnMut(&str) -> bool) -> Graph {
    relabel(graph, |text| kept(text).then(|| text.to_owned()))
}

/// The graph with every label of its table on some edge: those that occur nowhere go round a state that nothing reaches. A text of
/// the graph then tells its alphabet.
pub fn with_whole_alphabet(graph: &Graph) -> Graph {
    let used = graph.used_labels();
    let unused: Vec<Label> =
        graph.labels().iter().map(|(l, _)| l).filter(|l| *l != Label::TAU && !used[l.index()]).collect();
    if unused.is_empty() {
        return graph.clone();
    }
    let mut builder = Builder::with_labels(graph.labels().clone());
    graph.all_edges().for_each(|(source, edge)| builder.push(source, edge));
    let lone = State(graph.state_count() as u32);
    unused.into_iter().for_each(|label| builder.push(lone, Edge { label, target: lone }));
    builder.finish(graph.state_count() + 1, graph.initial())
}

/// Two graphs side by side: the states of the second come behind those of the first, whose initial state is that of both. Labels and
/// propositions with the same text are the same; where one graph carries none, none holds in its states.
pub fn union(a: &Graph, b: &Graph) -> Graph {
    let mut builder = Builder::with_labels(a.labels().clone());
    builder.reserve(a.edge_count() + b.edge_count());
    a.all_edges().for_each(|(source, edge)| builder.push(source, edge));
    let labels: Vec<Label> = b.labels().iter().map(|(_, text)| builder.labels.add(text)).collect();
    let shifted = |state: State| State(state.0 + a.state_count() as u32);
    for (source, edge) in b.all_edges() {
        builder.push(shifted(source), Edge { label: labels[edge.label.index()], target: shifted(edge.target) });
    }
    if a.valuation().is_some() || b.valuation().is_some() {
        let mut valuation = Valuation::default();
        let mut known = FxHashMap::default();
        for graph in [a, b] {
            add_valuation(&mut valuation, &mut known, graph);
        }
        builder.set_valuation(valuation);
    }
    builder.finish(a.state_count() + b.state_count(), a.initial())
}

fn add_valuation(all: &mut Valuation, known: &mut FxHashMap<Vec<Proposition>, u32>, graph: &Graph) {
    let mut class = |set: Vec<Proposition>, all: &mut Valuation| {
        *known.entry(set).or_insert_with_key(|set| {
            all.classes.push(set.clone());
            all.classes.len() as u32 - 1
        })
    };
    let Some(valuation) = graph.valuation() else {
        let empty = class(Vec::new(), all);
        return all.class_of.extend(graph.states().map(|_| empty));
    };
    let mut images = Vec::new();
    for text in &valuation.propositions {
        let place = all.propositions.iter().position(|t| t == text).unwrap_or_else(|| {
            all.propositions.push(text.clone());
            all.propositions.len() - 1
        });
        images.push(Proposition(place as u32));
    }
    let mut classes = Vec::new();
    for set in &valuation.classes {
        let mut set: Vec<Proposition> = set.iter().map(|p| images[p.0 as usize]).collect();
        set.sort_unstable();
        classes.push(class(set, all));
    }
    all.class_of.extend(valuation.class_of.iter().map(|c| classes[*c as usize]));
}

/// Propositions told by labels (De Nicola and Vaandrager 1995): an edge that changes them is labelled with those that hold behind
/// it, any other is internal; an edge in front tells what holds at the beginning. Two graphs are stuttering equivalent just when
/// these are branching bisimilar with divergence.
pub fn propositions_as_labels(graph: &Graph) -> Graph {
    let Some(valuation) = graph.valuation() else { return graph.clone() };
    let mut builder = Builder::new();
    let names: Vec<Label> =
        (0..valuation.classes.len() as u32).map(|c| builder.labels.add(&valuation.class_text(c))).collect();
    let name = |state: State| names[graph.class(state) as usize];
    let shifted = |state: State| State(state.0 + 1);
    builder.push(State(0), Edge { label: name(graph.initial()), target: shifted(graph.initial()) });
    for (source, edge) in graph.all_edges() {
        let same = graph.class(source) == graph.class(edge.target);
        let label = if same { Label::TAU } else { name(edge.target) };
        builder.push(shifted(source), Edge { label, target: shifted(edge.target) });
    }
    builder.finish(graph.state_count() + 1, State(0))
}
