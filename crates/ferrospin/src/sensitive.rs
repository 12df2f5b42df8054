//! Which moves a reduction treats as visible: those that are, or others on purpose.
//!
//! A move is named by an edge and the number of its process. Processes that are started later have no number yet; they
//! are named together. [`Population`] tells which processes there may be, and so which moves the property sees ([`Population::visible`])
//! and which lie on a cycle of their process ([`Population::on_cycles`]).

use ferrospin_model::facts::{Facts, Instance};
use ferrospin_model::ir::{Action, EdgeId, LocationId, Model, ProcessId, ProcessKind};
use std::collections::{HashMap, HashSet};

/// A move: the number of its process, `None` for all that are started later, and its edge.
pub type Key = (Option<u8>, EdgeId);

/// Moves that count as visible.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sensitive(HashSet<Key>);

impl Sensitive {
    /// Adds a move; whether it was not there.
    pub fn insert(&mut self, key: Key) -> bool {
        self.0.insert(key)
    }

    /// Whether a move is there.
    pub fn contains(&self, key: &Key) -> bool {
        self.0.contains(key)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a step of a process over an edge counts as visible. A step through an `atomic` may pass over other edges
    /// on its way.
    pub fn holds(&self, facts: &Facts, who: &Instance, edge: EdgeId) -> bool {
        let has = |e: EdgeId| self.contains(&(who.pid, e)) || self.contains(&(None, e));
        let model = facts.model();
        let passes = || {
            let passed = &facts.footprint(who, edge).locations;
            passed.iter().flat_map(|l| &model.location(*l).edges).any(|e| has(*e))
        };
        has(edge) || model.edge(edge).atomic && passes()
    }
}

impl FromIterator<Key> for Sensitive {
    fn from_iter<I: IntoIterator<Item = Key>>(keys: I) -> Self {
        Sensitive(keys.into_iter().collect())
    }
}

/// All processes that there may be.
pub struct Population {
    instances: Vec<Instance>,
}

impl Population {
    /// Those of the initial state, and one for each type that may be started later.
    pub fn new(facts: &Facts, initial: &[u8]) -> Self {
        let model = facts.model();
        let mut instances = Vec::new();
        let mut at = model.layout.fixed_size as usize;
        for (pid, process) in model.start.iter().enumerate() {
            let size = model.process(*process).frame_size as usize;
            instances.push(facts.instance(*process, pid as u8, &initial[at..at + size]));
            at += size;
        }
        let mut started: Vec<ProcessId> = model
            .edges
            .iter()
            .flat_map(|e| std::iter::once(&e.action).chain(&e.then))
            .filter_map(|a| if let Action::Run { process, .. } = a { Some(*process) } else { None })
            .collect();
        started.sort_unstable();
        started.dedup();
        instances.extend(started.into_iter().map(|p| facts.unborn(p)));
        Population { instances }
    }

    /// The processes.
    pub fn instances(&self) -> &[Instance] {
        &self.instances
    }

    /// All moves, in the order of the text for each process.
    fn keys<'a>(&'a self, facts: &'a Facts) -> impl Iterator<Item = (&'a Instance, EdgeId)> {
        let model = facts.model();
        let runs = |i: &&Instance| matches!(model.process(i.process).kind, ProcessKind::Proctype | ProcessKind::Init);
        let outside = |e: &EdgeId| !model.location(model.edge(*e).from).inside_d_step;
        self.instances
            .iter()
            .filter(runs)
            .flat_map(move |i| facts.edges(i.process).iter().copied().filter(outside).map(move |e| (i, e)))
    }

    /// The moves that the property sees.
    pub fn visible(&self, facts: &Facts) -> Vec<Key> {
        self.keys(facts).filter(|(who, e)| facts.is_visible(who, *e)).map(|(who, e)| (who.pid, e)).collect()
    }

    /// The moves on cycles of their process that hold no sensitive move.
    pub fn on_cycles(&self, facts: &Facts, sensitive: &Sensitive) -> Vec<Key> {
        let model = facts.model();
        let mut out = Vec::new();
        for who in &self.instances {
            let left: Vec<EdgeId> = self
                .keys(facts)
                .filter(|(i, e)| i.pid == who.pid && i.process == who.process && !sensitive.holds(facts, who, *e))
                .map(|(_, e)| e)
                .collect();
            out.extend(cyclic(model, &left).into_iter().map(|e| (who.pid, e)));
        }
        out
    }
}

/// Those of some edges that lie on a cycle of them.
fn cyclic(model: &Model, edges: &[EdgeId]) -> Vec<EdgeId> {
    let mut behind: HashMap<LocationId, Vec<LocationId>> = HashMap::new();
    for e in edges.iter().map(|e| model.edge(*e)) {
        behind.entry(e.from).or_default().push(e.to);
    }
    let reaches = |from: LocationId, to: LocationId| {
        let (mut seen, mut work) = (HashSet::new(), vec![from]);
        while let Some(l) = work.pop() {
            if l == to {
                return true;
            }
            if seen.insert(l) {
                work.extend(behind.get(&l).into_iter().flatten());
            }
        }
        false
    };
    edges.iter().copied().filter(|e| reaches(model.edge(*e).to, model.edge(*e).from)).collect()
}

/// How many edges lie between the start of a process and each location.
pub fn distances(model: &Model) -> Vec<u32> {
    let mut out = vec![u32::MAX; model.locations.len()];
    let mut layer: Vec<LocationId> = model.processes.iter().map(|p| p.entry).collect();
    let mut distance = 0;
    while !layer.is_empty() {
        let mut next = Vec::new();
        for l in layer {
            if l != LocationId::EXIT && out[l.index()] == u32::MAX {
                out[l.index()] = distance;
                next.extend(model.location(l).edges.iter().map(|e| model.edge(*e).to));
            }
        }
        layer = next;
        distance += 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrospin_interp::Interp;
    use ferrospin_system::Machine;
    use std::sync::Arc;

    fn facts(text: &str) -> (Facts, Vec<u8>) {
        let model = Arc::new(ferrospin_testkit::model("m.pml", text, &[]).expect("a model"));
        let mut state = Vec::new();
        Interp::new(model.clone()).initial(&mut state).expect("a state");
        (Facts::new(model), state)
    }

    #[test]
    fn cycles_are_cut_one_by_one() {
        let (facts, state) = facts(
            "active [2] proctype P() { byte x; do :: x = 1; x = 2 :: x = 3; do :: x = 4 :: break od od }
             active proctype Q() { byte x; x = 1; x = 2 }",
        );
        let all = Population::new(&facts, &state);
        let mut sensitive = Sensitive::default();
        let count = |s: &Sensitive| all.on_cycles(&facts, s).len();
        let mut sizes = vec![count(&sensitive)];
        while let Some(key) = all.on_cycles(&facts, &sensitive).first().copied() {
            assert!(sensitive.insert(key), "only what is not yet sensitive is on a cycle");
            sizes.push(count(&sensitive));
        }
        assert!(sizes.is_sorted_by(|a, b| a > b), "{sizes:?}");
        // Three loops in each of two processes, none in the third.
        assert_eq!(sensitive.len(), 6);
    }

    #[test]
    fn elements_are_seen_one_by_one() {
        let (facts, state) = facts(
            "byte a[3]; active [3] proctype P() { a[_pid] = 1 } proctype Q(byte i) { a[i] = 2 } init { run Q(1) }
             never { do :: a[1] == 0 od }",
        );
        let never = facts.model().processes.iter().position(|p| p.kind == ProcessKind::Never).expect("a claim");
        let claimed = Facts::new(Arc::new(facts.model().with_claim(ProcessId(never as u32))));
        let all = Population::new(&facts, &state);
        let pids: Vec<_> = all.visible(&claimed).iter().map(|(pid, _)| *pid).collect();
        // The second process, and any that may be started with any index.
        assert_eq!(pids, [Some(1), None]);
    }
}
