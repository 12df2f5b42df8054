//! The graph of a claim: what a search for cycles uses of it, and the automaton that it is where it only looks.

use ferrospin_model::ir::{LocationId, Model, ProcessId};
use ferrospin_model::observer::{ClaimObserver, ObserverEdge, ObserverLocation};
use ferrospin_search::automaton::{AutomatonEdge, AutomatonState, Cube, PropertyAutomaton, Slot};
use ferrospin_search::emptiness::product::Parts;

/// The graph of a claim: its locations, which of them accept, and which can be reached from which by one edge or more.
pub(super) struct ClaimGraph {
    own: Vec<LocationId>,
    accepts: Vec<bool>,
    reach: Vec<Vec<bool>>,
}

impl ClaimGraph {
    /// The graph of a claim; `None` when more accepts than its locations.
    pub(super) fn new(model: &Model, claim: ProcessId) -> Option<ClaimGraph> {
        let all = (0..model.locations.len() as u32).map(LocationId);
        let own: Vec<LocationId> = all.filter(|l| model.location(*l).process == claim).collect();
        if model.locations.iter().any(|l| l.process != claim && l.accept) {
            return None;
        }
        let index = |l: LocationId| own.iter().position(|o| *o == l);
        let mut reach = vec![vec![false; own.len()]; own.len()];
        for e in own.iter().flat_map(|l| &model.location(*l).edges).map(|e| model.edge(*e)) {
            // What a `d_step` does inside is seen at its ends.
            if let (Some(from), Some(to)) = (index(e.from), index(e.to)) {
                reach[from][to] = true;
            }
        }
        for via in 0..own.len() {
            let row = reach[via].clone();
            for from in &mut reach {
                if from[via] {
                    from.iter_mut().zip(&row).for_each(|(to, also)| *to |= also);
                }
            }
        }
        let accepts = own.iter().map(|l| model.location(*l).accept).collect();
        Some(ClaimGraph { own, accepts, reach })
    }

    fn together(&self, a: usize, b: usize) -> bool {
        self.reach[a][b] && self.reach[b][a]
    }

    /// Whether an infinite run can be a violation: some location that accepts is on a cycle.
    pub(super) fn accepts_cycles(&self) -> bool {
        (0..self.own.len()).any(|l| self.accepts[l] && self.reach[l][l])
    }

    /// Whether all cycles that share a location accept, or none does. A step inside `atomic` passes locations without
    /// being there; claims that have such steps are not looked into.
    pub(super) fn is_weak(&self, model: &Model) -> bool {
        let n = self.own.len();
        let passes = |l: &LocationId| model.location(*l).edges.iter().any(|e| model.edge(*e).atomic);
        !self.own.iter().any(passes)
            && (0..n).all(|a| (0..n).all(|b| !self.together(a, b) || self.accepts[a] == self.accepts[b]))
    }

    /// The components that have an accepting cycle, as parts of a product.
    pub(super) fn parts(&self, model: &Model) -> Option<Parts> {
        let (_, at) = model.layout.claim?;
        let mut of = vec![0; model.locations.len()];
        for (i, l) in self.own.iter().enumerate() {
            // A part is named by its first location, from 1.
            let first = (0..self.own.len()).find(|j| self.together(i, *j));
            let accepting = (0..self.own.len()).any(|j| self.accepts[j] && self.together(i, j));
            of[l.index()] = if accepting { first.map_or(0, |f| f as u16 + 1) } else { 0 };
        }
        let accepts = model.locations.iter().map(|l| l.accept).collect();
        Some(Parts { at: at as usize, size: model.layout.location_size as usize, of, accepts })
    }
}

/// A claim that only looks as an automaton, which stands where the claim does.
pub(super) fn automaton(model: &Model, observer: &ClaimObserver) -> PropertyAutomaton {
    let (_, at) = model.layout.claim.expect("the observer is the claim");
    let edge = |e: &ObserverEdge| AutomatonEdge {
        guard: e.guard.map(|(holding, failing)| Cube { holding, failing }).into_iter().collect(),
        target: e.target as u32,
    };
    let state = |l: &ObserverLocation| AutomatonState {
        accepts: l.accepts,
        ends: l.ends,
        component: 0,
        edges: l.edges.iter().map(edge).collect(),
    };
    let slot = Slot {
        at: at as usize,
        size: model.layout.location_size as usize,
        numbers: observer.locations.iter().map(|l| l.id.0).collect(),
        edges: observer.locations.iter().flat_map(|l| &l.edges).map(|e| e.id.0).collect(),
    };
    PropertyAutomaton::placed(observer.locations.iter().map(state).collect(), slot)
}
