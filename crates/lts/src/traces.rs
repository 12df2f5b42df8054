//! Traces: what can be seen of runs, and in which graphs.
//!
//! Two kinds. *Traces* are the visible labels along finite runs; they are compared by subset construction, one graph's states against
//! the sets of states that the other can be in. *Stuttering traces* are what states carry along maximal runs, repetitions taken away:
//! two graphs with equal ones satisfy the same formulas of LTL without next. A run that stays in one class for ever, or ends, is
//! continued there for ever; that it ends is told apart. By the lemma of König, infinite runs that change class again and again are
//! those all of whose beginnings are possible, so that comparing beginnings is enough.

use crate::graph::{Builder, Edge, Graph, Label, State};
use crate::watch::{Pace, Stopped, Watch};
use crate::weak::{Visited, close};
use rustc_hash::{FxHashMap, FxHashSet};

/// A trace as texts of labels.
pub type Trace = Vec<String>;

/// A shortest trace of `a` that `b` does not have.
pub fn not_included(a: &Graph, b: &Graph, watch: &dyn Watch) -> Result<Option<Trace>, Stopped> {
    let of_b: Vec<Option<Label>> = a.labels().iter().map(|(_, text)| b.labels().find(text)).collect();
    let mut sets = Sets::new(b);
    let start = sets.closed(vec![b.initial().0]);
    let mut pace = Pace::new(watch);
    let mut ids: FxHashSet<(State, u32)> = FxHashSet::default();
    let mut queue = vec![(a.initial(), start, usize::MAX, Label::TAU)];
    ids.insert((a.initial(), start));
    // Internal steps are as long as none: first all that they lead to, then the next visible step.
    let mut level = std::collections::VecDeque::from([0usize]);
    while let Some(now) = level.pop_front() {
        let (state, set, ..) = queue[now];
        pace.add(1)?;
        for edge in a.edges(state) {
            let next = match of_b[edge.label.index()] {
                _ if edge.label == Label::TAU => set,
                Some(label) => match sets.step(set, label) {
                    Some(next) => next,
                    None => return Ok(Some(trace(a, &queue, now, edge.label))),
                },
                None => return Ok(Some(trace(a, &queue, now, edge.label))),
            };
            if ids.insert((edge.target, next)) {
                queue.push((edge.target, next, now, edge.label));
                if edge.label == Label::TAU {
                    level.push_front(queue.len() - 1);
                } else {
                    level.push_back(queue.len() - 1);
                }
            }
        }
    }
    Ok(None)
}

fn trace(graph: &Graph, queue: &[(State, u32, usize, Label)], at: usize, last: Label) -> Trace {
    let mut labels = vec![last];
    let mut at = at;
    while at != usize::MAX {
        labels.push(queue[at].3);
        at = queue[at].2;
    }
    let visible = labels.into_iter().rev().filter(|l| *l != Label::TAU);
    visible.map(|l| graph.labels().text(l).to_owned()).collect()
}

/// Whether a graph has a trace.
pub fn has_trace<'a>(graph: &Graph, trace: impl IntoIterator<Item = &'a str>) -> bool {
    let mut sets = Sets::new(graph);
    let mut now = sets.closed(vec![graph.initial().0]);
    for text in trace {
        let Some(next) = graph.labels().find(text).and_then(|label| sets.step(now, label)) else { return false };
        now = next;
    }
    true
}

/// The deterministic graph without internal steps that has the same traces.
pub fn determinise(graph: &Graph, watch: &dyn Watch) -> Result<Graph, Stopped> {
    let mut sets = Sets::new(graph);
    let mut pace = Pace::new(watch);
    let mut builder = Builder::with_labels(graph.labels().clone());
    sets.closed(vec![graph.initial().0]);
    let mut next = 0;
    while next < sets.list.len() {
        let mut labels: Vec<Label> =
            sets.list[next].iter().flat_map(|s| graph.edges(State(*s)).iter().map(|e| e.label)).collect();
        labels.sort_unstable();
        labels.dedup();
        for label in labels.into_iter().filter(|l| *l != Label::TAU) {
            pace.add(1)?;
            let target = sets.step(next as u32, label).expect("some state has such an edge");
            builder.push(State(next as u32), Edge { label, target: State(target) });
        }
        next += 1;
    }
    Ok(builder.finish(next, State(0)))
}

/// Sets of states, closed under internal steps and numbered.
struct Sets<'a> {
    graph: &'a Graph,
    ids: FxHashMap<Vec<u32>, u32>,
    list: Vec<Vec<u32>>,
    visited: Visited,
}

impl<'a> Sets<'a> {
    fn new(graph: &'a Graph) -> Self {
        Sets { graph, ids: FxHashMap::default(), list: Vec::new(), visited: Visited::new(graph.state_count()) }
    }

    fn closed(&mut self, mut states: Vec<u32>) -> u32 {
        close(self.graph, &mut states, &mut self.visited);
        self.number(states)
    }

    fn number(&mut self, mut states: Vec<u32>) -> u32 {
        states.sort_unstable();
        if let Some(id) = self.ids.get(&states) {
            return *id;
        }
        let id = self.list.len() as u32;
        self.ids.insert(states.clone(), id);
        self.list.push(states);
        id
    }

    fn step(&mut self, set: u32, label: Label) -> Option<u32> {
        let graph = self.graph;
        let targets = self.list[set as usize].iter().flat_map(|s| graph.targets(State(*s), label)).map(|t| t.0);
        let targets: Vec<u32> = targets.collect();
        (!targets.is_empty()).then(|| self.closed(targets))
    }
}

/// A stuttering trace that only one of two graphs has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StutteringTrace {
    /// What holds in the states one after another.
    pub classes: Vec<String>,
    /// What becomes of the run at the end.
    pub end: TraceEnd,
    /// Whether the first graph has it.
    pub of_first: bool,
}

/// How a stuttering trace ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TraceEnd {
    /// It goes on.
    Beginning,
    /// What holds does not change any more.
    Stays,
    /// There is no further step.
    Ends,
}

/// A stuttering trace of one graph that the other does not have; labels do not count.
pub fn stuttering_difference(a: &Graph, b: &Graph, watch: &dyn Watch) -> Result<Option<StutteringTrace>, Stopped> {
    let both = crate::equivalence::without_labels(&crate::operations::union(a, b));
    // A state that can stay in its class for ever: on a cycle inside it, or an end.
    let (component_of, count) = crate::components::components(&both, watch)?;
    let mut cyclic = vec![false; count as usize];
    for (source, edge) in both.all_edges() {
        let component = component_of[source.index()];
        if component == component_of[edge.target.index()] {
            cyclic[component as usize] = true;
        }
    }
    let ends = |s: u32| both.edges(State(s)).is_empty();
    let stays = |s: u32| ends(s) || cyclic[component_of[s as usize] as usize];
    let mut pace = Pace::new(watch);
    let mut runs = ClassSets { graph: &both, sets: Sets::new(&both) };
    let start =
        [a.initial().0, a.state_count() as u32 + b.initial().0].map(|s| (runs.closed(vec![s]), both.class(State(s))));
    let words = |classes: Vec<u32>, end: TraceEnd, of_first: bool| {
        let valuation = both.valuation();
        let text = |c: &u32| valuation.map_or("{}".into(), |v| v.class_text(*c));
        Ok(Some(StutteringTrace { classes: classes.iter().map(text).collect(), end, of_first }))
    };
    if start[0].1 != start[1].1 {
        return words(vec![start[0].1], TraceEnd::Beginning, true);
    }
    let mut known: FxHashSet<(u32, u32)> = FxHashSet::default();
    let mut queue = vec![(start[0].0, start[1].0, start[0].1, usize::MAX)];
    known.insert((start[0].0, start[1].0));
    let path = |queue: &[(u32, u32, u32, usize)], mut at: usize| {
        let mut classes = Vec::new();
        while at != usize::MAX {
            classes.push(queue[at].2);
            at = queue[at].3;
        }
        classes.reverse();
        classes
    };
    let mut next = 0;
    while let Some((x, y, ..)) = queue.get(next).copied() {
        let any = |set: u32, test: &dyn Fn(u32) -> bool| runs.sets.list[set as usize].iter().any(|s| test(*s));
        for (end, test) in [(TraceEnd::Stays, &stays as &dyn Fn(u32) -> bool), (TraceEnd::Ends, &ends)] {
            let (in_x, in_y) = (any(x, test), any(y, test));
            if in_x != in_y {
                return words(path(&queue, next), end, in_x);
            }
        }
        let (of_x, of_y) = (runs.next(x), runs.next(y));
        pace.add(1 + runs.sets.list[x as usize].len() + runs.sets.list[y as usize].len())?;
        let (mut of_x, mut of_y) = (of_x.into_iter().peekable(), of_y.into_iter().peekable());
        loop {
            let (class, x, y) = match (of_x.peek().cloned(), of_y.peek().cloned()) {
                (None, None) => break,
                (Some((c, x)), Some((d, y))) if c == d => (c, x, y),
                (Some((c, _)), other) if other.as_ref().is_none_or(|(d, _)| c < *d) => {
                    let mut classes = path(&queue, next);
                    classes.push(c);
                    return words(classes, TraceEnd::Beginning, true);
                }
                (_, Some((d, _))) => {
                    let mut classes = path(&queue, next);
                    classes.push(d);
                    return words(classes, TraceEnd::Beginning, false);
                }
                (Some(_), None) => unreachable!("it was looked at before"),
            };
            of_x.next();
            of_y.next();
            if known.insert((x, y)) {
                queue.push((x, y, class, next));
            }
        }
        next += 1;
    }
    Ok(None)
}

/// Sets of states of one class, closed under steps inside it.
struct ClassSets<'a> {
    graph: &'a Graph,
    sets: Sets<'a>,
}

impl ClassSets<'_> {
    fn closed(&mut self, mut states: Vec<u32>) -> u32 {
        let visited = &mut self.sets.visited;
        visited.clear();
        states.retain(|s| visited.add(*s));
        let mut i = 0;
        while let Some(state) = states.get(i).copied() {
            i += 1;
            for edge in self.graph.edges(State(state)) {
                if self.graph.class(edge.target) == self.graph.class(State(state)) && visited.add(edge.target.0) {
                    states.push(edge.target.0);
                }
            }
        }
        self.sets.number(states)
    }

    /// The sets that follow, by class.
    fn next(&mut self, set: u32) -> Vec<(u32, u32)> {
        let class = |s: u32| self.graph.class(State(s));
        let mut targets: Vec<(u32, u32)> = Vec::new();
        for state in &self.sets.list[set as usize] {
            let edges = self.graph.edges(State(*state)).iter().map(|e| e.target.0);
            targets.extend(edges.filter(|t| class(*t) != class(*state)).map(|t| (class(t), t)));
        }
        targets.sort_unstable();
        targets.dedup();
        let groups: Vec<(u32, Vec<u32>)> = targets
            .chunk_by(|a, b| a.0 == b.0)
            .map(|group| (group[0].0, group.iter().map(|t| t.1).collect()))
            .collect();
        groups.into_iter().map(|(class, states)| (class, self.closed(states))).collect()
    }
}
