//! Products of graphs by synchronisation vectors (Arnold 1994).
//!
//! A vector names, for each graph, the label that it moves with or that it stays, and the label of the joint step. Internal steps of
//! each graph happen alone, whatever the vectors say. Only what the initial states reach is made.

use crate::graph::{Builder, Edge, Graph, Label, Labels, State};
use crate::watch::{Pace, Stopped, Watch};
use rustc_hash::FxHashMap;

/// One joint step.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Vector {
    /// For each graph the text of the label it moves with; `None` where it stays.
    pub parts: Vec<Option<Box<str>>>,
    /// The label of the joint step; `tau` hides it.
    pub result: Box<str>,
}

/// What a product makes.
pub struct Product {
    /// The graph.
    pub graph: Graph,
    /// For each state of the product the state of each graph.
    pub origins: Vec<Vec<State>>,
}

/// The vectors by which graphs move together on the labels that they share, and alone on others. The alphabet of a graph are all
/// labels of its table, whether they occur or not.
pub fn by_alphabets(parts: &[&Graph]) -> Vec<Vector> {
    let mut texts: Vec<&str> =
        parts.iter().flat_map(|g| g.labels().iter().filter(|l| l.0 != Label::TAU).map(|l| l.1)).collect();
    texts.sort_unstable();
    texts.dedup();
    let part = |graph: &&Graph, text: &str| graph.labels().find(text).map(|_| text.into());
    texts
        .into_iter()
        .map(|text| Vector { parts: parts.iter().map(|g| part(g, text)).collect(), result: text.into() })
        .collect()
}

/// The product.
pub fn product(parts: &[&Graph], vectors: &[Vector], watch: &dyn Watch) -> Result<Product, Stopped> {
    let mut labels = Labels::default();
    // Under the first graph that takes part, and its label, the vectors; each with the labels of the others.
    let mut table: Vec<Vec<Vec<usize>>> = parts.iter().map(|g| vec![Vec::new(); g.labels().len()]).collect();
    let mut known: Vec<(Label, Vec<(usize, Label)>)> = Vec::new();
    for vector in vectors {
        assert_eq!(vector.parts.len(), parts.len(), "a vector has a place for each graph");
        let result = labels.add(&vector.result);
        let taking = vector.parts.iter().enumerate().filter_map(|(i, text)| text.as_ref().map(|text| (i, text)));
        // A label that a graph does not have is never taken.
        let found: Option<Vec<(usize, Label)>> =
            taking.map(|(i, text)| parts[i].labels().find(text).map(|label| (i, label))).collect();
        if let Some(found) = found
            && let Some((first, label)) = found.first()
        {
            assert!(found.iter().all(|(_, l)| *l != Label::TAU), "internal steps happen alone");
            table[*first][label.index()].push(known.len());
            known.push((result, found));
        }
    }
    let mut maker = Maker { ids: FxHashMap::default(), states: Vec::new() };
    maker.visit(&parts.iter().map(|g| g.initial()).collect::<Vec<_>>());
    let mut builder = Builder::with_labels(labels);
    let mut pace = Pace::new(watch);
    let mut next = 0;
    while let Some(now) = maker.states.get(next).cloned() {
        let source = State(next as u32);
        next += 1;
        pace.add(1)?;
        for (i, graph) in parts.iter().enumerate() {
            for group in graph.edges(now[i]).chunk_by(|a, b| a.label == b.label) {
                let label = group[0].label;
                if label == Label::TAU {
                    for edge in group {
                        let mut target = now.clone();
                        target[i] = edge.target;
                        builder.push(source, Edge { label: Label::TAU, target: maker.visit(&target) });
                    }
                    continue;
                }
                for vector in &table[i][label.index()] {
                    let (result, taking) = &known[*vector];
                    maker
                        .join(parts, &now, taking, &mut |target| builder.push(source, Edge { label: *result, target }));
                }
            }
        }
    }
    let count = maker.states.len();
    Ok(Product { graph: builder.finish(count, State(0)), origins: maker.states })
}

struct Maker {
    ids: FxHashMap<Vec<State>, State>,
    states: Vec<Vec<State>>,
}

impl Maker {
    fn visit(&mut self, state: &[State]) -> State {
        if let Some(id) = self.ids.get(state) {
            return *id;
        }
        let id = State(self.states.len() as u32);
        self.ids.insert(state.to_vec(), id);
        self.states.push(state.to_vec());
        id
    }

    /// Takes a vector in every way.
    fn join(&mut self, parts: &[&Graph], now: &[State], taking: &[(usize, Label)], found: &mut dyn FnMut(State)) {
        let ways: Vec<&[Edge]> = taking.iter().map(|(i, label)| parts[*i].edges_with(now[*i], *label)).collect();
        if ways.iter().any(|w| w.is_empty()) {
            return;
        }
        let mut choice = vec![0; ways.len()];
        let mut target = now.to_vec();
        loop {
            for ((way, chosen), (i, _)) in ways.iter().zip(&choice).zip(taking) {
                target[*i] = way[*chosen].target;
            }
            found(self.visit(&target));
            // The next choice, as a counter counts.
            let Some(place) = (0..choice.len()).find(|i| choice[*i] + 1 < ways[*i].len()) else { return };
            choice[..place].fill(0);
            choice[place] += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Unwatched, aut};

    fn graph(text: &str) -> Graph {
        aut::read(text.as_bytes()).expect("it is well formed")
    }

    #[test]
    fn shared_labels_are_taken_together() {
        let a = graph("des (0, 3, 2)\n(0, x, 1)\n(1, both, 0)\n(1, both, 1)\n");
        let b = graph("des (0, 3, 2)\n(0, both, 1)\n(1, y, 0)\n(1, tau, 1)\n");
        let parts = [&a, &b];
        let found = product(&parts, &by_alphabets(&parts), &Unwatched).expect("unwatched");
        let mut lines: Vec<String> = aut::write(&found.graph).lines().map(str::to_owned).collect();
        lines.sort_unstable();
        assert_eq!(lines.len(), found.graph.edge_count() + 1);
        assert_eq!((found.graph.state_count(), found.graph.edge_count()), (4, 8));
        assert_eq!(found.origins[0], [State(0), State(0)]);
    }

    #[test]
    fn vectors_join_different_labels() {
        let a = graph("des (0, 1, 2)\n(0, send, 1)\n");
        let b = graph("des (0, 1, 2)\n(0, receive, 1)\n");
        let joint = Vector { parts: vec![Some("send".into()), Some("receive".into())], result: "pass".into() };
        let found = product(&[&a, &b], &[joint], &Unwatched).expect("unwatched");
        assert_eq!(aut::write(&found.graph), "des (0, 1, 2)\n(0, \"pass\", 1)\n");
        let hidden = Vector { parts: vec![Some("send".into()), None], result: "tau".into() };
        let found = product(&[&a, &b], &[hidden], &Unwatched).expect("unwatched");
        assert_eq!(aut::write(&found.graph), "des (0, 1, 2)\n(0, \"tau\", 1)\n");
    }
}
