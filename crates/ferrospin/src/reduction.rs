//! Partial-order reduction of process graphs: what the package `model` finds out, told to the package `reduce`.
//!
//! [`reduction`] is the whole of it: a reduction for a model and a purpose, or the reason why there is none; [`selected`]
//! lets the caller choose how sets are found.

use crate::sensitive::Sensitive;
use ferrospin_model::facts::{
    self, Facts, Instance, Reason, condition::Kind, exclusive::Ends, object::Channels, object::Object,
};
use ferrospin_model::ir::{Binary, EdgeId, LocationId, Model, ProcessId, Scalar};
use ferrospin_reduce::facts::{Compare, Location, Process};
use ferrospin_reduce::{Ample, EdgeFacts, EdgeKind, Layout, Stubborn, Target, Test};
use ferrospin_system::Reduction;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

pub use ferrospin_check::options::Selector;
pub use ferrospin_reduce::{Keep, Weakening};

/// A reduction for a model, with the sets found in this way, or why there is none. See [`reduction`].
pub fn selected(model: &Arc<Model>, keep: Keep, selector: Selector) -> Result<Box<dyn Reduction>, Reason> {
    Ok(Known::exact(model)?.reduction(keep, selector))
}

/// A reduction for a model, or why there is none. Where a claim is laid out beside the processes, [`Keep::Visible`] is
/// needed; the caller must have made sure that the claim does not count steps.
pub fn reduction(model: &Arc<Model>, keep: Keep) -> Result<Box<dyn Reduction>, Reason> {
    selected(model, keep, Selector::default())
}

/// The same for a search that asks only what can go wrong: states that differ in numbers of processes alone may be taken
/// for one another. When the search has found nothing wrong, [`Known::is_crowded`] must be asked.
pub fn reduction_up_to_births(model: &Arc<Model>, keep: Keep) -> Result<(Box<dyn Reduction>, Arc<Known>), Reason> {
    let known = Arc::new(Known::up_to_creation(model)?);
    Ok((stubborn(known.clone(), keep), known))
}

/// A reduction for a search for cycles: of what the claim beside the model sees or, without one, of what `progress` or
/// `accept` labels say.
pub fn reduction_for_cycles(
    model: &Arc<Model>,
    progress: bool,
    selector: Selector,
) -> Result<Box<dyn Reduction>, Reason> {
    Ok(known_for_cycles(model, progress)?.reduction(Keep::Visible, selector))
}

/// What is known of a model for a search for cycles.
pub fn known_for_cycles(model: &Arc<Model>, progress: bool) -> Result<Known, Reason> {
    let mut facts = Facts::new(model.clone());
    if model.layout.claim.is_none() {
        facts.see_labels(!progress, progress);
    }
    Known::checked(facts)
}

/// A reduction with the sets found in this way.
pub fn by(known: Arc<Known>, keep: Keep, selector: Selector) -> Box<dyn Reduction> {
    match selector {
        Selector::Ample => Box::new(Ample::new(known, keep)),
        Selector::Stubborn => stubborn(known, keep),
    }
}

/// A reduction by stubborn sets.
pub fn stubborn(known: Arc<Known>, keep: Keep) -> Box<dyn Reduction> {
    Box::new(Stubborn::new(known, keep))
}

/// The facts of a model as the reduction asks for them.
pub struct Known {
    facts: Arc<Facts>,
    layout: Layout,
    /// What counts as visible, where that is not what is.
    sensitive: Option<Sensitive>,
    crowded: AtomicBool,
    /// Processes that were met, where ends of channels are claimed.
    met: Mutex<Met>,
}

/// Which processes claim and which use ends of channels.
#[derive(Default)]
struct Met {
    processes: Vec<(ProcessId, Option<u8>, Ends)>,
    may_clash: bool,
}

impl Met {
    /// Adds a process that is none of those before, unless its number and its type are theirs.
    fn add(&mut self, who: &Instance) {
        let is_other = |(process, pid, _): &&(ProcessId, Option<u8>, Ends)| (*process, *pid) != (who.process, who.pid);
        self.may_clash |= self.processes.iter().filter(is_other).any(|(_, _, ends)| ends.may_clash(&who.ends));
        let new = (who.process, who.pid, who.ends);
        if !self.processes.contains(&new) {
            self.processes.push(new);
        }
    }
}

impl Known {
    /// What is known of a model.
    pub fn exact(model: &Arc<Model>) -> Result<Known, Reason> {
        Known::checked(Facts::new(model.clone()))
    }

    /// The same where it does not matter in which order processes are started.
    pub fn up_to_creation(model: &Arc<Model>) -> Result<Known, Reason> {
        Known::checked(Facts::up_to_creation(model.clone()))
    }

    fn checked(facts: Facts) -> Result<Known, Reason> {
        match facts.off() {
            Some(reason) => Err(reason),
            None => Ok(Known::new(facts)),
        }
    }

    /// Tells facts, which may be weakened, to a reduction.
    pub fn new(facts: Facts) -> Self {
        let model = facts.model();
        let mut places = vec![0; model.edges.len()];
        let mut locations = vec![Location::default(); model.locations.len()];
        let mut processes = Vec::new();
        for p in (0..model.processes.len() as u32).map(ProcessId) {
            let edges = facts.edges(p);
            (0..).zip(edges).for_each(|(i, e)| places[e.index()] = i);
            processes.push(Process {
                frame_size: model.process(p).frame_size,
                locations: 0,
                frozen: ranges(facts.frozen(p)),
                edges: edges.iter().map(|e| e.0).collect(),
                from: edges.iter().map(|e| model.edge(*e).from.0).collect(),
            });
        }
        for (l, location) in locations.iter_mut().enumerate() {
            location.process = model.locations[l].process.0;
            let count = &mut processes[location.process as usize].locations;
            location.place = *count;
            *count += 1;
            location.reachable = facts.reachable(LocationId(l as u32)).to_vec();
            location.leaving = vec![0; location.reachable.len()];
            location.entering = vec![0; location.reachable.len()];
        }
        for (edge, place) in model.edges.iter().zip(&places) {
            let (word, bit) = (*place as usize / 64, 1 << (place % 64));
            locations[edge.from.index()].leaving[word] |= bit;
            if edge.to != LocationId::EXIT {
                locations[edge.to.index()].entering[word] |= bit;
            }
        }
        let layout = Layout {
            fixed_size: model.layout.fixed_size,
            location_size: model.layout.location_size,
            locations,
            processes,
            places,
            meets_all: model.has_claimed_ends(),
            crowd_max: if facts.creation().processes_unseen { facts.creation().crowd_max } else { u32::MAX },
        };
        Known {
            facts: Arc::new(facts),
            layout,
            sensitive: None,
            crowded: AtomicBool::new(false),
            met: Mutex::default(),
        }
    }

    /// The same facts for another search, which has seen no process yet.
    pub(crate) fn afresh(&self) -> Known {
        let (facts, layout, sensitive) = (self.facts.clone(), self.layout.clone(), self.sensitive.clone());
        Known { facts, layout, sensitive, crowded: AtomicBool::new(false), met: Mutex::default() }
    }

    /// The facts.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// The same, but other moves count as visible. Where some that are visible do not, only violations that are found
    /// mean something.
    #[must_use]
    pub fn with_sensitive(self, sensitive: Sensitive) -> Self {
        Known { sensitive: Some(sensitive), ..self }
    }

    fn is_visible(&self, who: &Instance, edge: EdgeId) -> bool {
        match &self.sensitive {
            Some(sensitive) => sensitive.holds(&self.facts, who, edge),
            None => self.facts.is_visible(who, edge),
        }
    }

    /// The edges of a process that count as visible on request. What starts a process counts as well, for the sake of
    /// what it may do.
    fn sensitive_words(&self, who: &Instance) -> Vec<u64> {
        let edges = self.facts.edges(who.process);
        let starts = |e: EdgeId| !self.facts.footprint(who, e).runs.is_empty();
        let mut words = vec![0; edges.len().div_ceil(64)];
        for (i, _) in edges.iter().enumerate().filter(|(_, e)| self.is_visible(who, **e) || starts(**e)) {
            words[i / 64] |= 1 << (i % 64);
        }
        words
    }

    /// A reduction by what is known.
    pub fn reduction(self, keep: Keep, selector: Selector) -> Box<dyn Reduction> {
        by(Arc::new(self), keep, selector)
    }

    /// Whether there were more processes than the facts have thought of: then a search that has found nothing wrong proves
    /// nothing.
    pub fn is_crowded(&self) -> bool {
        self.crowded.load(Relaxed)
    }

    /// Whether some process may use an end of a channel that another process has claimed, as far as that is known of those
    /// that were met.
    pub fn may_clash(&self) -> bool {
        self.met.lock().expect("no panic while the lock is held").may_clash
    }

    /// How a conjunct is tested.
    fn test(&self, kind: Kind) -> Test {
        let full = |channels: Channels, op, empty: bool| {
            let model = self.facts.model();
            let Some(channel) = channels.only().and_then(|n| model.channels.get(n as usize - 1)) else {
                return Test::Unknown;
            };
            let scalar = channel.length_scalar();
            Test::Compare {
                local: false,
                offset: channel.offset,
                size: scalar.size() as u8,
                signed: false,
                op,
                value: if empty { 0 } else { channel.capacity as i32 },
            }
        };
        match kind {
            Kind::Compare(object, scalar, op, value) => {
                let (local, offset) = match object {
                    Object::Global(start, _) => (false, start),
                    Object::Local(start, _) => (true, start),
                    _ => return Test::Unknown,
                };
                let op = match op {
                    Binary::Lt => Compare::Lt,
                    Binary::Le => Compare::Le,
                    Binary::Gt => Compare::Gt,
                    Binary::Ge => Compare::Ge,
                    Binary::Eq => Compare::Eq,
                    Binary::Ne => Compare::Ne,
                    _ => return Test::Unknown,
                };
                Test::Compare { local, offset, size: scalar.size() as u8, signed: scalar == Scalar::Short, op, value }
            }
            Kind::HasRoom(c) => full(c, Compare::Lt, false),
            Kind::IsFull(c) => full(c, Compare::Ge, false),
            Kind::HasMessage(c) => full(c, Compare::Gt, true),
            Kind::IsEmpty(c) => full(c, Compare::Le, true),
            Kind::Youngest => Test::Youngest,
            Kind::Matches(..) | Kind::Other => Test::Unknown,
        }
    }
}

/// The true stretches of a list.
fn ranges(bits: &[bool]) -> Vec<(u32, u32)> {
    let mut out: Vec<(u32, u32)> = Vec::new();
    for (i, _) in (0..).zip(bits).filter(|(_, b)| **b) {
        match out.last_mut() {
            Some((_, end)) if *end == i => *end += 1,
            _ => out.push((i, i + 1)),
        }
    }
    out
}

impl ferrospin_reduce::Facts for Known {
    type Instance = Instance;

    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn instance(&self, process: u32, pid: u8, frame: &[u8]) -> Instance {
        let who = self.facts.instance(ProcessId(process), pid, frame);
        if self.facts.model().has_claimed_ends() {
            self.met.lock().expect("no panic while the lock is held").add(&who);
        }
        who
    }

    fn crowded(&self) {
        self.crowded.store(true, Relaxed);
    }

    fn edge(&self, who: &Instance, edge: u32) -> EdgeFacts {
        let f = self.facts.footprint(who, EdgeId(edge));
        let kind = match f {
            _ if f.unknown => EdgeKind::Unknown,
            _ if f.timeout => EdgeKind::Timeout,
            _ if f.either => EdgeKind::Either,
            _ if f.rendezvous.is_some() => EdgeKind::Handshake,
            _ => EdgeKind::Plain,
        };
        let conjuncts = f.conjuncts.iter().map(|c| self.test(c.kind)).collect();
        EdgeFacts { kind, visible: self.is_visible(who, EdgeId(edge)), private: f.is_private(&who.ends), conjuncts }
    }

    fn hits(&self, target: Target<'_, Instance>, who: &Instance) -> Vec<u64> {
        let target = match target {
            Target::Conflicts(other, e) => facts::Target::Conflicts(other, EdgeId(e)),
            Target::Enables(other, e, i) => facts::Target::Enables(other, EdgeId(e), i),
            Target::Guard(other, e) => facts::Target::Guard(other, EdgeId(e)),
            Target::Partners(other, e) => facts::Target::Partners(other, EdgeId(e)),
            Target::Observed => facts::Target::Observed,
            Target::Visible if self.sensitive.is_some() => return self.sensitive_words(who),
            Target::Visible => facts::Target::Visible,
            Target::Ends => facts::Target::Ends,
        };
        self.facts.hits(target, who)
    }
}
