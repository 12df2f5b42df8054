//! What partial-order reduction needs to know of a model: footprints, accordance, what enables what, visibility.
//!
//! [`value`] finds what never changes, [`creation`] whether the order in which processes are started is observable, `points` which channels a variable may hold, [`footprint`] what each edge of each process needs, reads and writes, [`accord`]
//! compares footprints, [`exclusive`] looks at claimed ends of channels, [`reach`] finds which edges at a location lead to something. Everything is asked of
//! [`Instance`]s, processes with their number and their frozen locals, because `a[_pid]` of two processes are different
//! variables. Processes that do not exist yet are stood for by an instance whose number is not known.
//!
//! Every answer errs on one side: an edge that cannot be analysed depends on everything.

pub mod accord;
pub mod condition;
pub mod creation;
pub mod exclusive;
pub mod footprint;
pub mod object;
mod points;
pub mod reach;
pub mod value;

use crate::ir::{Action, EdgeId, Expr, LocationId, Model, ProcessId, ProcessKind};
use crate::passes::walk::{self, Item};
use creation::CreationSymmetry;
use exclusive::Ends;
use footprint::{Builder, Footprint};
use object::Object;
use std::sync::Arc;
use value::{Constants, Known};

pub use points::ChannelSources;
pub use reach::Target;

/// Facts of a model.
pub struct Facts {
    model: Arc<Model>,
    constants: Constants,
    creation: CreationSymmetry,
    weakening: Weakening,
    /// Position of an edge among those of its process type.
    places: Vec<u32>,
    /// Edges of each process type.
    edges: Vec<Vec<EdgeId>>,
    /// Edges that can be taken behind each location, a bit for each edge of its process type.
    behind: Vec<Vec<u64>>,
    /// Of each type, a process that does not exist yet.
    unborn: Vec<Instance>,
    /// What the property looks at.
    seen: Vec<Object>,
}

/// A process.
pub struct Instance {
    /// Its type.
    pub process: ProcessId,
    /// Its number, if it exists.
    pub pid: Option<u8>,
    /// What it claims and uses, where ends of channels are claimed.
    pub ends: Ends,
    footprints: Vec<Footprint>,
}

impl Instance {
    /// Whether it is the same process as another.
    pub fn is(&self, other: &Instance) -> bool {
        self.process == other.process && self.pid.is_some() && self.pid == other.pid
    }
}

/// Why there can be no reduction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Reason {
    Priorities,
    Last,
    Enabled,
    Foreign,
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Reason::Priorities => "the model uses priorities",
            Reason::Last => "the model uses `_last`",
            Reason::Enabled => "the model uses `enabled` or `pc_value`",
            Reason::Foreign => "the model holds embedded C",
        })
    }
}

/// Whether all processes have one priority, for ever: then no process has to wait for another.
fn has_equal_priorities(model: &Model) -> bool {
    let mut first = None;
    let mut is_same = |n: u8| *first.get_or_insert(n) == n;
    let actions = || model.edges.iter().flat_map(|e| std::iter::once(&e.action).chain(&e.then));
    model.start.iter().all(|p| is_same(model.process(*p).priority))
        && actions().all(|a| match a {
            Action::SetPriority(..) => false,
            // 0 stands for the default.
            Action::Run { priority, .. } => is_same((*priority).max(1)),
            _ => true,
        })
}

/// Deliberate mistakes: tests show that each of them is found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Weakening {
    /// Only the first element of an array is thought to be written.
    pub first_element: bool,
    /// An index is not read.
    pub no_index_reads: bool,
    /// Creation and end of processes are assumed to be unobserved.
    pub private_creation: bool,
    /// Variables of other processes are not read.
    pub no_remote: bool,
    /// A trace does not see messages.
    pub no_trace: bool,
    /// A sorted send is thought to be an ordinary one.
    pub sorted_as_fifo: bool,
    /// Numbers of processes are assumed to be unobserved.
    pub nobody_looks: bool,
    /// Channels of processes are thought to be only handed down.
    pub channels_are_handed_down: bool,
    /// Processes with channels are thought never to end.
    pub all_immortal: bool,
    /// A send or receive in the middle of a step is thought never to block.
    pub always_sure: bool,
    /// A channel that may be of either kind is thought to be one for handshakes.
    pub either_is_handshake: bool,
    /// What a process does itself is thought not to make its guards true.
    pub no_own_enabling: bool,
    /// There are thought never to be too many processes.
    pub no_crowd: bool,
}

/// For each location the edges that can be taken behind it, as bits by their places.
///
/// What is behind a location is what is behind its successors, so that sets are united in postorder until none grows. That
/// takes as many rounds as loops are nested, where following each location's edges would take the square of their number.
fn behind(model: &Model, places: &[u32], words_of: impl Fn(LocationId) -> usize) -> Vec<Vec<u64>> {
    let count = model.locations.len();
    let mut sets: Vec<Vec<u64>> = (0..count as u32).map(|l| vec![0; words_of(LocationId(l))]).collect();
    let order = postorder(model);
    let mut grows = true;
    while grows {
        grows = false;
        for &l in &order {
            let mut own = std::mem::take(&mut sets[l.index()]);
            for &e in &model.location(l).edges {
                let (place, to) = (places[e.index()], model.edge(e).to);
                let mut unite = |word: &mut u64, bits: u64| {
                    grows |= bits & !*word != 0;
                    *word |= bits;
                };
                unite(&mut own[place as usize / 64], 1 << (place % 64));
                if to != LocationId::EXIT && to != l {
                    own.iter_mut().zip(&sets[to.index()]).for_each(|(word, bits)| unite(word, *bits));
                }
            }
            sets[l.index()] = own;
        }
    }
    sets
}

/// All locations, each behind those it leads to unless there is a loop.
fn postorder(model: &Model) -> Vec<LocationId> {
    let mut seen = vec![false; model.locations.len()];
    let mut order = Vec::with_capacity(seen.len());
    let mut path = Vec::new();
    for first in (0..seen.len() as u32).map(LocationId) {
        if !std::mem::replace(&mut seen[first.index()], true) {
            path.push((first, 0));
        }
        while let Some((l, next)) = path.last_mut() {
            let Some(e) = model.location(*l).edges.get(*next) else {
                order.push(*l);
                path.pop();
                continue;
            };
            *next += 1;
            let to = model.edge(*e).to;
            if to != LocationId::EXIT && !std::mem::replace(&mut seen[to.index()], true) {
                path.push((to, 0));
            }
        }
    }
    order
}

impl Facts {
    /// Finds the facts of a model. A claim that is laid out beside the processes is what the property looks at.
    pub fn new(model: Arc<Model>) -> Facts {
        Facts::weakened(model, Weakening::default())
    }

    /// The same where it is only asked what can go wrong, not in which states: some of them may be alike ([`creation`]).
    pub fn up_to_creation(model: Arc<Model>) -> Facts {
        Facts::make(model, true, Weakening::default())
    }

    /// Facts with deliberate mistakes.
    pub fn weakened(model: Arc<Model>, weakening: Weakening) -> Facts {
        Facts::make(model, false, weakening)
    }

    /// Both at once.
    pub fn make(model: Arc<Model>, alike: bool, weakening: Weakening) -> Facts {
        let constants = Constants::new(&model);
        let creation =
            if alike { CreationSymmetry::new(&model, &constants, weakening) } else { CreationSymmetry::SEEN };
        let count = model.processes.len();
        let (mut places, mut edges) = (vec![0; model.edges.len()], vec![Vec::new(); count]);
        for (i, e) in model.edges.iter().enumerate() {
            let list: &mut Vec<EdgeId> = &mut edges[model.location(e.from).process.index()];
            places[i] = list.len() as u32;
            list.push(EdgeId(i as u32));
        }
        let words_of = |l: LocationId| edges[model.location(l).process.index()].len().div_ceil(64);
        let behind = behind(&model, &places, words_of);
        let mut facts = Facts {
            model,
            constants,
            creation,
            weakening,
            places,
            edges,
            behind,
            unborn: Vec::new(),
            seen: Vec::new(),
        };
        facts.unborn = (0..count).map(|p| facts.build(ProcessId(p as u32), None, None)).collect();
        facts.seen = facts.claimed();
        facts
    }

    /// The model.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// What is taken for unseen.
    pub fn creation(&self) -> CreationSymmetry {
        self.creation
    }

    /// Why there can be no reduction at all.
    pub fn off(&self) -> Option<Reason> {
        let m = &self.model;
        let list = [
            (m.uses.priority && !has_equal_priorities(m), Reason::Priorities),
            (m.uses.last || m.layout.last.is_some(), Reason::Last),
            (m.uses.enabled, Reason::Enabled),
            (m.lacks_code(), Reason::Foreign),
        ];
        list.into_iter().find(|(is, _)| *is).map(|(_, reason)| reason)
    }

    /// Makes system labels visible, for properties that ask for them.
    pub fn see_labels(&mut self, accept: bool, progress: bool) {
        self.seen.extend(accept.then_some(Object::Accept));
        self.seen.extend(progress.then_some(Object::Progress));
    }

    /// A process that exists, with its frame.
    pub fn instance(&self, process: ProcessId, pid: u8, frame: &[u8]) -> Instance {
        self.build(process, Some(pid), Some(frame))
    }

    /// A process of this type that does not exist yet: whatever is true of it is true of all that may be started.
    pub fn unborn(&self, process: ProcessId) -> Instance {
        self.build(process, None, None)
    }

    fn build(&self, process: ProcessId, pid: Option<u8>, frame: Option<&[u8]>) -> Instance {
        let firsts = footprint::Firsts::default();
        let builder = Builder {
            model: &self.model,
            constants: &self.constants,
            known: Known { process, pid, frame },
            creation: self.creation,
            weakening: self.weakening,
            firsts: Some(&firsts),
        };
        let inside = |e: &EdgeId| self.model.location(self.model.edge(*e).from).inside_d_step;
        let runs = matches!(self.model.process(process).kind, ProcessKind::Proctype | ProcessKind::Init);
        let footprint = |e: &EdgeId| if inside(e) || !runs { Footprint::default() } else { builder.footprint(*e) };
        let edges = &self.edges[process.index()];
        let ends = if self.model.has_claimed_ends() {
            Ends::new(&self.model, &self.constants, builder.known, edges)
        } else {
            Ends::default()
        };
        Instance { process, pid, ends, footprints: edges.iter().map(footprint).collect() }
    }

    /// Bytes of the frames of a type that tell its instances apart.
    pub fn frozen(&self, process: ProcessId) -> &[bool] {
        self.constants.frozen(process)
    }

    /// The footprint of an edge.
    pub fn footprint<'a>(&self, who: &'a Instance, edge: EdgeId) -> &'a Footprint {
        &who.footprints[self.places[edge.index()] as usize]
    }

    /// Edges of a process type, in the order in which [`Facts::hits`] speaks of them.
    pub fn edges(&self, process: ProcessId) -> &[EdgeId] {
        &self.edges[process.index()]
    }

    /// Edges that can be taken from a location on, sooner or later: a bit for each edge of the process type, in the
    /// order of [`Facts::edges`].
    pub fn reachable(&self, from: LocationId) -> &[u64] {
        &self.behind[from.index()]
    }

    /// What the claim reads.
    fn claimed(&self) -> Vec<Object> {
        let Some((claim, _)) = self.model.layout.claim else { return Vec::new() };
        let builder = Builder {
            model: &self.model,
            constants: &self.constants,
            known: Known { process: claim, pid: None, frame: None },
            creation: self.creation,
            weakening: self.weakening,
            firsts: None,
        };
        let mut out = Vec::new();
        for e in &self.edges[claim.index()] {
            let edge = self.model.edge(*e);
            for a in std::iter::once(&edge.action).chain(&edge.then) {
                let mut whole = Vec::new();
                walk::action(a, &mut |item| {
                    if let Item::Expr(e) = item {
                        whole.push(e);
                    }
                });
                whole.iter().for_each(|e| builder.reads(e, &mut out));
                if let Action::Receive(r) = a {
                    builder.reads(&Expr::Poll(Box::new(r.clone())), &mut out);
                }
            }
        }
        out.retain(|o| !matches!(o, Object::Local(..)));
        out.dedup();
        out
    }

    /// Whether a step over an edge may change what the property looks at.
    pub fn is_visible(&self, who: &Instance, edge: EdgeId) -> bool {
        let footprint = self.footprint(who, edge);
        footprint.unknown || accord::affects(&self.model, &self.seen, who, accord::Party { who, footprint })
    }
}
