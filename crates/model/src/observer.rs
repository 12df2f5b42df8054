//! Claims that only look, as automata over propositions.
//!
//! A claim without variables whose edges do nothing but test the state decides nothing about the processes. An [`ClaimObserver`] is
//! such a claim, with its guards as expressions that executors can tell as labels ([`Model::with_propositions`]); a search
//! multiplies the processes with it, and no executor needs to run it.
//!
//! What asks which processes could move (`timeout`, `enabled`) is left to claims that run.

use crate::ir::{Action, Edge, EdgeId, Expr, LocationId, Model};
use crate::passes::walk::{self, Item};

/// A claim that only looks.
#[derive(Clone, Debug)]
pub struct ClaimObserver {
    /// The propositions that its guards are made of.
    pub propositions: Vec<Expr>,
    /// Its locations; the first is where it starts.
    pub locations: Vec<ObserverLocation>,
}

/// A location of an [`ClaimObserver`].
#[derive(Clone, Debug)]
pub struct ObserverLocation {
    /// Its number in the model.
    pub id: LocationId,
    /// Whether runs that pass it again and again are accepted.
    pub accepts: bool,
    /// Whether the claim ends here. Its one edge, which it never takes, leads to itself.
    pub ends: bool,
    /// Its edges, in order.
    pub edges: Vec<ObserverEdge>,
}

/// An edge of an [`ClaimObserver`].
#[derive(Clone, Debug)]
pub struct ObserverEdge {
    /// Its number in the model.
    pub id: EdgeId,
    /// Where it leads, as an index into the locations.
    pub target: usize,
    /// The propositions that must hold and those that must not, one bit each; `None` where it is never taken.
    pub guard: Option<(u64, u64)>,
}

/// The most propositions.
const PROPOSITIONS_MAX: usize = 56;

impl ClaimObserver {
    /// The claim of a model as an observer, if it is one.
    pub fn new(model: &Model) -> Option<ClaimObserver> {
        let (claim, _) = model.layout.claim?;
        let process = model.process(claim);
        if process.frame_size != model.layout.location_size || !process.init.is_empty() {
            return None;
        }
        let mut observer = ClaimObserver { propositions: Vec::new(), locations: Vec::new() };
        let mut met = vec![process.entry];
        while let Some(at) = met.get(observer.locations.len()).copied() {
            let location = model.location(at);
            let here = observer.locations.len();
            let end = location.edges.iter().find(|e| matches!(model.edge(**e).action, Action::End));
            let mut edges: Vec<ObserverEdge> =
                end.iter().map(|e| ObserverEdge { id: **e, target: here, guard: None }).collect();
            for id in location.edges.iter().filter(|_| end.is_none()) {
                let edge = model.edge(*id);
                if !only_looks(edge) {
                    return None;
                }
                let target = met.iter().position(|l| *l == edge.to).unwrap_or(met.len());
                if target == met.len() {
                    met.push(edge.to);
                }
                let guard = observer.guard(&edge.action, &edges)?;
                edges.push(ObserverEdge { id: *id, target, guard });
            }
            observer.locations.push(ObserverLocation { id: at, accepts: location.accept, ends: end.is_some(), edges });
        }
        Some(observer)
    }

    /// When an edge is taken that stands behind others; `None` where there are too many propositions.
    fn guard(&mut self, action: &Action, before: &[ObserverEdge]) -> Option<Option<(u64, u64)>> {
        Some(match action {
            Action::Guard(Expr::Const(0)) => None,
            Action::Guard(Expr::Const(_)) | Action::Skip => Some((0, 0)),
            Action::Guard(e) => {
                let known = self.propositions.iter().position(|p| p == e).unwrap_or(self.propositions.len());
                if known == self.propositions.len() {
                    self.propositions.push(e.clone());
                }
                if known >= PROPOSITIONS_MAX {
                    return None;
                }
                Some((1 << known, 0))
            }
            // `else`: none of those before it.
            _ => before.iter().filter_map(|e| e.guard).try_fold((0, 0), |(holding, failing), guard| match guard {
                (0, _) => None,
                (one, _) => Some((holding, failing | one)),
            }),
        })
    }

    /// The model, whose executors tell the propositions and leave the claim alone.
    pub fn observed(&self, model: &Model) -> Model {
        model.with_propositions(self.propositions.iter().cloned())
    }
}

/// Whether an edge of a claim does nothing but test the state of the system.
fn only_looks(edge: &Edge) -> bool {
    let mut looks = !edge.atomic && edge.then.is_empty();
    looks &= matches!(edge.action, Action::Guard(_) | Action::Skip | Action::Else);
    walk::action(&edge.action, &mut |item| {
        looks &= !matches!(
            item,
            Item::Expr(Expr::Timeout | Expr::Enabled(_) | Expr::PcValue(_) | Expr::NonProgress | Expr::Foreign)
        );
    });
    looks
}
