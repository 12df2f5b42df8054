//! Whether assumptions prove a property, and whether a trace refutes it: the judge of what was learned.
//!
//! It composes with `ferrospin_lts::product` and looks for labels; nothing of the learner is used. Assumptions come as graphs whose
//! table of labels is their alphabet.

use crate::Rule;
use ferrospin_lts::product::{by_alphabets, product};
use ferrospin_lts::traces::has_trace;
use ferrospin_lts::{Builder, Edge, Graph, Label, State, Stopped, Watch, operations};

/// A label that no graph has: its edges lead into errors.
const ERROR: &str = "\u{0}error";

/// The graph with an edge to an error wherever a label of its alphabet has none. The error is told by a label of its own.
fn completed(property: &Graph) -> Graph {
    let mut builder = Builder::with_labels(property.labels().clone());
    let error = State(property.state_count() as u32);
    property.all_edges().for_each(|(source, edge)| builder.push(source, edge));
    for state in property.states() {
        for (label, _) in property.labels().iter().filter(|(l, _)| *l != Label::TAU) {
            if property.edges_with(state, label).is_empty() {
                builder.push(state, Edge { label, target: error });
            }
        }
    }
    builder.add(error, ERROR, error);
    builder.finish(property.state_count() + 1, property.initial())
}

/// Whether a graph can be a property or an assumption: deterministic, and without internal steps.
pub fn is_property(graph: &Graph) -> bool {
    graph.states().all(|s| {
        let edges = graph.edges(s);
        edges.iter().all(|e| e.label != Label::TAU) && edges.windows(2).all(|pair| pair[0].label != pair[1].label)
    })
}

/// Whether parts together keep a property.
fn keeps(parts: &[&Graph], property: &Graph, watch: &dyn Watch) -> Result<bool, Stopped> {
    let error = completed(property);
    let all: Vec<&Graph> = parts.iter().copied().chain([&error]).collect();
    let vectors = by_alphabets(&all);
    // Only what some part takes part in happens.
    let vectors: Vec<_> = vectors
        .into_iter()
        .filter(|v| &*v.result == ERROR || v.parts[..parts.len()].iter().any(Option::is_some))
        .collect();
    let whole = product(&all, &vectors, watch)?.graph;
    let found = whole.labels().find(ERROR).is_some_and(|l| whole.used_labels()[l.index()]);
    Ok(!found)
}

/// Whether assumptions prove the property by a rule.
pub fn proves(
    rule: Rule,
    parts: &[&Graph],
    property: &Graph,
    assumptions: &[Graph],
    watch: &dyn Watch,
) -> Result<bool, Stopped> {
    match rule {
        Rule::Asymmetric => {
            assert_eq!(assumptions.len() + 1, parts.len(), "an assumption for each part but the last");
            let mut goal = property;
            for (part, assumption) in parts.iter().zip(assumptions) {
                if !keeps(&[assumption, part], goal, watch)? {
                    return Ok(false);
                }
                goal = assumption;
            }
            keeps(&parts[parts.len() - 1..], goal, watch)
        }
        Rule::Symmetric => {
            assert_eq!(assumptions.len(), parts.len(), "an assumption for each part");
            for (part, assumption) in parts.iter().zip(assumptions) {
                if !keeps(&[assumption, part], property, watch)? {
                    return Ok(false);
                }
            }
            // Every word on which property and all assumptions are in error is one too many. Words whose property was in error before
            // count as well, which asks no more: a beginning of them has left all assumptions at that letter or is survived.
            all_left(property, assumptions, watch)
        }
    }
}

/// Whether no word breaks the property with its last letter and is outside all assumptions.
fn all_left(property: &Graph, assumptions: &[Graph], watch: &dyn Watch) -> Result<bool, Stopped> {
    // Errors of assumptions absorb whatever follows; that of the property ends the word.
    let absorbing = |assumption: &Graph| {
        let whole = completed(assumption);
        let error = State(assumption.state_count() as u32);
        let mut builder = Builder::with_labels(assumption.labels().clone());
        whole.all_edges().filter(|(s, _)| *s != error).for_each(|(source, edge)| builder.push(source, edge));
        for (label, _) in assumption.labels().iter().filter(|(l, _)| *l != Label::TAU) {
            builder.push(error, Edge { label, target: error });
        }
        builder.finish(whole.state_count(), whole.initial())
    };
    let ending = completed(property);
    let all: Vec<Graph> = assumptions.iter().map(absorbing).chain([ending]).collect();
    let all: Vec<&Graph> = all.iter().collect();
    let whole = product(&all, &by_alphabets(&all), watch)?;
    let errors: Vec<State> = assumptions.iter().chain([property]).map(|g| State(g.state_count() as u32)).collect();
    Ok(!whole.origins.contains(&errors))
}

/// Whether a trace is one of the parts together, and breaks the property with its last label.
pub fn refutes(parts: &[&Graph], property: &Graph, trace: &[String], watch: &dyn Watch) -> Result<bool, Stopped> {
    let mut builder = Builder::new();
    for graph in parts.iter().copied().chain([property]) {
        graph.labels().iter().for_each(|(_, text)| _ = builder.labels.add(text));
    }
    for (i, text) in trace.iter().enumerate() {
        builder.add(State(i as u32), text, State(i as u32 + 1));
    }
    let chain = builder.finish(trace.len() + 1, State(0));
    let all: Vec<&Graph> = std::iter::once(&chain).chain(parts.iter().copied()).collect();
    let taken = product(&all, &by_alphabets(&all), watch)?;
    let possible = taken.origins.iter().any(|o| o[0] == State(trace.len() as u32));
    let alphabet = property.labels();
    let seen: Vec<&str> = trace.iter().map(String::as_str).filter(|t| alphabet.find(t).is_some()).collect();
    let property = operations::reachable(property);
    let Some((_, before)) = seen.split_last() else { return Ok(false) };
    Ok(possible && has_trace(&property, before.iter().copied()) && !has_trace(&property, seen.iter().copied()))
}
