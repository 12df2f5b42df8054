//! The answers of the naive searches: what everything else is compared with.

use ferrospin::files::DiskLoader;
use ferrospin::front::{self, Front};
use ferrospin::verify::Goal;
use ferrospin_interp::Interp;
use ferrospin_lower::claim;
use ferrospin_lower::lower_all;
use ferrospin_model::failure::FailureKind;
use ferrospin_model::ir::{Model, ProcessId, ProcessKind};
use ferrospin_search::cycles::{self, Wanted};
use ferrospin_search::monitor::WithMonitor;
use ferrospin_search::naive;
use ferrospin_system::Machine;
use ferrospin_testkit::bounded::{bounded, is_small};
use std::sync::Arc;

/// A model with the answers of the naive searches.
pub struct Base {
    /// The model as it was read.
    pub front: Front,
    /// Its process graphs.
    pub model: Arc<Model>,
    /// States and transitions of a run without reduction that does not stop at violations.
    pub counts: (u64, u64),
    /// Whether an assertion, an end state or a statement is wrong.
    pub unsafe_: bool,
    /// The same, where uses of ends of channels that others have claimed are wrong, too.
    pub unsafe_claimed: bool,
    /// What is asked about cycles.
    pub cycles: Vec<Cycles>,
}

/// A property about cycles, and whether it is violated.
pub struct Cycles {
    /// What is asked for.
    pub goal: Goal,
    /// For messages.
    pub name: String,
    /// Whether some run violates it, without and with weak fairness.
    pub lasso: [bool; 2],
    /// Whether the claim sees after finitely many steps that it accepts whatever follows.
    pub prefix: bool,
}

impl Cycles {
    /// Whether it is violated.
    pub fn violated(&self, fair: bool) -> bool {
        self.lasso[usize::from(fair)] || self.prefix
    }
}

/// What runs beside a model.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Watch {
    Nothing,
    /// A claim as written.
    Claim,
    /// The claim of a formula.
    Formula,
}

/// Why there is nothing to compare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Without {
    /// The text is no model; the code of the first message.
    Refused(String),
    /// There are too many states, or too many ways through an `atomic`.
    Large,
}

/// Steps of a machine for each state that a search may store.
const STEPS_PER_STATE: u64 = 64;
/// A product with a claim may be so much larger than the model.
const PRODUCT: u64 = 4;

/// Reads a model and runs the naive searches, unless they store more than this many states.
pub fn ask(text: &str, states_max: u64) -> Result<Base, Without> {
    let front = front::read_text("m.pml", text, &front::Options::default(), &mut DiskLoader::default());
    if front.unreadable {
        let first = front.diagnostics.iter().find(|d| !d.lint).or(front.diagnostics.iter().next());
        return Err(Without::Refused(first.map_or(String::new(), |d| d.code.to_string())));
    }
    let (lowered, said) = lower_all(&front.map, &front.reading.program, &front.reading.names);
    if let Some(first) = said.iter().next() {
        return Err(Without::Refused(first.code.to_string()));
    }
    if lowered.model.lacks_code() {
        return Err(Without::Refused("embedded C".into()));
    }
    let model = Arc::new(lowered.model);
    if !is_small(&model, states_max) {
        return Err(Without::Large);
    }
    let options = naive::Options { errors_max: 0, ..naive::Options::default() };
    let all = ferrospin_testkit::plain(&model, false, &options);
    let unsafe_claimed =
        model.has_claimed_ends() && ferrospin_testkit::plain(&model.with_claimed_ends(), false, &options).errors > 0;
    let mut asked = Vec::new();
    for (i, p) in model.processes.iter().enumerate() {
        if p.kind == ProcessKind::Never {
            let claimed = Arc::new(model.with_claim(ProcessId(i as u32)));
            asked.push((Goal::Ltl(p.name.to_string()), format!("claim {}", p.name), claimed, Watch::Claim));
        }
    }
    for property in &lowered.properties {
        // A formula without an automaton is refused everywhere.
        let Ok((added, claim)) = claim::add(&model, property) else { continue };
        let claimed = Arc::new(added.with_claim(claim));
        asked.push((Goal::Ltl(property.name.to_string()), format!("ltl {}", property.name), claimed, Watch::Formula));
    }
    if model.locations.iter().any(|l| l.accept) && lowered.properties.is_empty() {
        asked.push((Goal::Acceptance, "acceptance".into(), model.clone(), Watch::Nothing));
    }
    if model.locations.iter().any(|l| l.progress) {
        asked.push((Goal::Progress, "progress".into(), model.clone(), Watch::Nothing));
    }
    let mut cycles = Vec::new();
    for (goal, name, model, watch) in asked {
        let states_max = PRODUCT * states_max;
        let prefix = prefix(&model, watch, states_max);
        let lasso = |fair| lasso(&model, &goal, watch != Watch::Nothing, fair, states_max);
        let (Some(prefix), Some(plain), Some(fair)) = (prefix, lasso(false), lasso(true)) else {
            return Err(Without::Large);
        };
        cycles.push(Cycles { goal, name, lasso: [plain, fair], prefix });
    }
    Ok(Base {
        front,
        counts: (all.states, all.transitions()),
        unsafe_: all.errors > 0,
        unsafe_claimed: unsafe_claimed || all.errors > 0,
        model,
        cycles,
    })
}

/// Whether a claim ends, cannot be evaluated, or accepts whatever follows; `None` where the product is too large.
///
/// A run may fail behind such a prefix, so that no infinite run need exist.
fn prefix(model: &Arc<Model>, watch: Watch, states_max: u64) -> Option<bool> {
    let Some((claim, _)) = model.layout.claim else { return Some(false) };
    let early = if watch == Watch::Formula { claim::ending_early(model, claim) } else { None };
    let early = early.map_or_else(|| model.clone(), Arc::new);
    if Interp::new(early.clone()).initial(&mut Vec::new()).is_err() {
        return Some(false);
    }
    let options = naive::Options {
        has_property: true,
        only_property: Some(FailureKind::ClaimEnd.number()),
        states_max,
        ..naive::Options::default()
    };
    let edges = early.edges.len();
    bounded(WithMonitor::new(Interp::new(early)), STEPS_PER_STATE * states_max, |m| {
        let found = naive::search(m, &options, edges, &mut |_| true);
        (found.errors > 0 || found.stopped.is_none()).then_some(found.errors > 0)
    })?
}

/// Whether an infinite run violates a property; `None` where the product is too large.
fn lasso(model: &Arc<Model>, goal: &Goal, has_property: bool, fair: bool, states_max: u64) -> Option<bool> {
    let wanted = if *goal == Goal::Progress { Wanted::NonProgress } else { Wanted::Accepting };
    let how = cycles::Options { fair, has_property };
    let found = bounded(WithMonitor::new(Interp::new(model.clone())), STEPS_PER_STATE * states_max, |m| {
        cycles::search(m, wanted, how, &mut |o| o.states < states_max)
    })?;
    found.complete.then_some(found.lasso.is_some())
}
