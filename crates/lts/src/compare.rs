//! Whether two graphs are equivalent, with the evidence judged before it is handed out.

use crate::equivalence::{Classes, Notion, classes};
use crate::formula::Formula;
use crate::graph::{Graph, State};
use crate::operations::{reachable, union};
use crate::watch::{Stopped, Watch};
use crate::{certify, distinguish, evaluate};

/// What a comparison found.
pub struct Comparison {
    /// What was asked.
    pub notion: Notion,
    /// What holds in the first graph and not in the second; `None` when they are equivalent.
    pub formula: Option<Formula>,
    /// How many states of each graph can be reached.
    pub states: [usize; 2],
    /// How many edges those have.
    pub edges: [usize; 2],
    /// How many classes of equivalent states there are in both together, as far as they can be reached.
    pub classes: usize,
    /// The class of each state of both graphs, one behind the other, as far as they can be reached and in the order in which a
    /// breadth-first search finds them; empty where they are not equivalent.
    pub class_of: Vec<u32>,
}

impl Comparison {
    /// Whether the initial states are equivalent.
    pub fn equivalent(&self) -> bool {
        self.formula.is_none()
    }
}

/// Compares the initial states of two graphs.
///
/// A "yes" was checked by [`certify`], a "no" by [`evaluate`]: they share nothing with what found it. If they disagree, this is a
/// broken invariant, and no answer is given.
pub fn compare(a: &Graph, b: &Graph, notion: Notion, watch: &dyn Watch) -> Result<Comparison, Stopped> {
    let (a, b) = (reachable(a), reachable(b));
    let both = union(&a, &b);
    let (s, t) = (a.initial(), State(a.state_count() as u32 + b.initial().0));
    let found: Classes = classes(&both, notion, watch)?;
    let formula = distinguish::formula(&both, &found, s, t);
    match &formula {
        None => {
            let right = certify::is_right(&both, &found.class_of, notion, watch)?;
            assert!(right, "the classes are those of {notion:?}");
        }
        Some(formula) => {
            let unlabelled;
            let judged = match notion {
                Notion::Stuttering => {
                    unlabelled = crate::equivalence::without_labels(&both);
                    &unlabelled
                }
                _ => &both,
            };
            assert!(evaluate::holds(judged, formula, s), "the formula holds in the first graph");
            assert!(!evaluate::holds(judged, formula, t), "the formula does not hold in the second graph");
        }
    }
    Ok(Comparison {
        notion,
        states: [a.state_count(), b.state_count()],
        edges: [a.edge_count(), b.edge_count()],
        classes: found.count,
        class_of: if formula.is_none() { found.class_of } else { Vec::new() },
        formula,
    })
}

/// Whether classes of the states of both graphs, as [`Comparison::class_of`] has them, show that the initial states are equivalent.
pub fn confirms(a: &Graph, b: &Graph, class_of: &[u32], notion: Notion, watch: &dyn Watch) -> Result<bool, Stopped> {
    let (a, b) = (reachable(a), reachable(b));
    let both = union(&a, &b);
    // A class is a number below that of states, so that a list of classes takes no more memory than the graph.
    let is_partition = class_of.len() == both.state_count() && class_of.iter().all(|c| (*c as usize) < class_of.len());
    let (s, t) = (a.initial().index(), a.state_count() + b.initial().index());
    Ok(is_partition && class_of[s] == class_of[t] && certify::is_right(&both, class_of, notion, watch)?)
}

/// Whether a formula holds in the first graph and not in the second.
pub fn refutes(a: &Graph, b: &Graph, formula: &Formula, notion: Notion) -> bool {
    let holds = |graph: &Graph| match notion {
        Notion::Stuttering => {
            let unlabelled = crate::equivalence::without_labels(graph);
            evaluate::holds(&unlabelled, formula, graph.initial())
        }
        _ => evaluate::holds(graph, formula, graph.initial()),
    };
    holds(a) && !holds(b)
}
