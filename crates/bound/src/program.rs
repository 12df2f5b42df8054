//! What is looked up about a model: which process stores to what, which variables belong to one process, where channels are created.

use ferrospin_model::facts::ChannelSources;
use ferrospin_model::ir::{
    Action, Area, EdgeId, Init, Leaf, Model, Pattern, Place, ProcessId, ProcessKind, Scalar, Show, leaf_at,
};
use ferrospin_source::Span;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use thiserror::Error;

/// Why nothing can be said about a model.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{why}")]
pub struct Refusal {
    /// What is not understood.
    pub why: &'static str,
    /// Where it stands.
    pub span: Span,
}

/// A channel, or all channels that processes of a type create at one place.
#[derive(Clone, Debug)]
pub struct Channel {
    /// Its name; that of a process type stands in front where processes create it.
    pub name: Arc<str>,
    /// Messages it holds; 0 for handshakes.
    pub capacity: u32,
    /// Fields of a message.
    pub fields: Vec<(Scalar, Show)>,
    /// The process type that creates it, if not the system.
    pub owner: Option<ProcessId>,
    /// Where it is declared.
    pub span: Span,
}

/// A variable that can be told apart by its values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Variable {
    pub(crate) area: Area,
    /// Its position among the variables of its area.
    pub(crate) leaf: usize,
    pub(crate) offset: u32,
    pub(crate) scalar: Scalar,
    pub(crate) name: Arc<str>,
}

/// A model, and what was looked up.
pub(crate) struct Program<'a> {
    pub(crate) model: &'a Model,
    pub(crate) sources: ChannelSources,
    pub(crate) channels: Vec<Channel>,
    /// Global variables that are never stored to behind the initial state.
    pub(crate) frozen: Vec<bool>,
    /// The one process type that stores to a global variable, if only one process of it ever exists.
    owners: Vec<Option<ProcessId>>,
    /// Initial values of globals by offset, where they are not 0; `None` where they are not known.
    initial: FxHashMap<u32, Option<i32>>,
}

/// The actions of an edge in their order.
pub(crate) fn actions(model: &Model, edge: EdgeId) -> impl Iterator<Item = &Action> {
    let edge = model.edge(edge);
    std::iter::once(&edge.action).chain(&edge.then)
}

/// Places that an action stores to.
pub(crate) fn stores(action: &Action) -> Vec<&Place> {
    match action {
        Action::Assign(place, _) => vec![place],
        Action::Receive(r) => {
            r.fields.iter().filter_map(|p| if let Pattern::Bind(place) = p { Some(place) } else { None }).collect()
        }
        Action::Run { target, .. } => target.iter().collect(),
        _ => Vec::new(),
    }
}

/// Whether a process type takes part in a run: claims and event patterns only look.
pub(crate) fn takes_part(model: &Model, process: ProcessId) -> bool {
    matches!(model.process(process).kind, ProcessKind::Proctype | ProcessKind::Init)
}

impl<'a> Program<'a> {
    pub(crate) fn new(model: &'a Model) -> Result<Program<'a>, Refusal> {
        for (i, edge) in model.edges.iter().enumerate() {
            let kind = model.process(model.location(edge.from).process).kind;
            for action in actions(model, EdgeId(i as u32)) {
                let why = match action {
                    Action::Call(_) | Action::Foreign => "embedded C may store to any variable",
                    Action::Send { .. } | Action::Receive(_) | Action::Run { .. } if kind == ProcessKind::Never => {
                        "a claim that sends, receives or starts processes"
                    }
                    _ => continue,
                };
                return Err(Refusal { why, span: edge.span });
            }
        }
        let mut writers: Vec<Vec<ProcessId>> = vec![Vec::new(); model.globals.len()];
        for (i, edge) in model.edges.iter().enumerate() {
            let process = model.location(edge.from).process;
            for place in actions(model, EdgeId(i as u32)).flat_map(stores).filter(|p| p.area == Area::Global) {
                match leaf_at(&model.globals, place) {
                    Some(leaf) if !writers[leaf].contains(&process) => writers[leaf].push(process),
                    Some(_) => {}
                    None => return Err(Refusal { why: "an assignment to no variable", span: edge.span }),
                }
            }
        }
        let alone: Vec<bool> = (0..model.processes.len()).map(|p| is_alone(model, ProcessId(p as u32), 0)).collect();
        let owner = |writers: &Vec<ProcessId>| match writers[..] {
            [p] if alone[p.index()] && takes_part(model, p) => Some(p),
            _ => None,
        };
        let mut program = Program {
            model,
            sources: ChannelSources::new(model),
            channels: channels(model),
            frozen: writers.iter().map(Vec::is_empty).collect(),
            owners: writers.iter().map(owner).collect(),
            initial: FxHashMap::default(),
        };
        for (place, init) in &model.init {
            let value = match init {
                Init::Channel(n) => Some(*n as i32 + 1),
                Init::Value(ferrospin_model::ir::Expr::Const(value)) => Some(place.scalar.cut(*value)),
                Init::Value(_) => None,
            };
            if place.area == Area::Global && place.indices.is_empty() {
                program.initial.insert(place.offset, value);
            }
        }
        Ok(program)
    }

    /// The value with which a global begins, at an offset of the globals.
    pub(crate) fn initial(&self, offset: u32) -> Option<i32> {
        self.initial.get(&offset).copied().unwrap_or(Some(0))
    }

    /// The variables of an area as a process sees it.
    pub(crate) fn leaves(&self, process: ProcessId, area: Area) -> &[Leaf] {
        match area {
            Area::Global => &self.model.globals,
            Area::Local => &self.model.process(process).locals,
        }
    }

    /// The variable of a place, if a process of this type alone stores to it, and it is no array.
    pub(crate) fn variable(&self, process: ProcessId, place: &Place) -> Option<Variable> {
        let leaf = leaf_at(self.leaves(process, place.area), place)?;
        self.variable_at(process, place.area, leaf)
    }

    /// The same by its position.
    pub(crate) fn variable_at(&self, process: ProcessId, area: Area, leaf: usize) -> Option<Variable> {
        let found = &self.leaves(process, area)[leaf];
        let own = area == Area::Local || self.owners[leaf] == Some(process);
        (own && found.dims.is_empty()).then(|| Variable {
            area,
            leaf,
            offset: found.offset,
            scalar: found.scalar,
            name: found.name.clone(),
        })
    }
}

/// Whether there is never more than one process of a type, and never a second one behind it.
fn is_alone(model: &Model, process: ProcessId, depth: usize) -> bool {
    if depth > model.processes.len() {
        return false;
    }
    let started = model.start.iter().filter(|p| **p == process).count();
    let runs: Vec<EdgeId> = (0..model.edges.len() as u32)
        .map(EdgeId)
        .filter(|e| actions(model, *e).any(|a| matches!(a, Action::Run { process: p, .. } if *p == process)))
        .collect();
    match (started, &runs[..]) {
        (1, []) => true,
        (0, [edge]) => {
            let parent = model.location(model.edge(*edge).from).process;
            !is_repeated(model, *edge) && is_alone(model, parent, depth + 1)
        }
        _ => false,
    }
}

/// Whether an edge can be taken again by a process that has taken it.
fn is_repeated(model: &Model, edge: EdgeId) -> bool {
    let from = model.edge(edge).from;
    // Inside a `d_step`, where it goes on behind it is not looked up.
    if model.location(from).inside_d_step {
        return true;
    }
    let (mut seen, mut next) = (vec![false; model.locations.len()], vec![model.edge(edge).to]);
    while let Some(location) = next.pop() {
        if location == from {
            return true;
        }
        if location == ferrospin_model::ir::LocationId::EXIT || std::mem::replace(&mut seen[location.index()], true) {
            continue;
        }
        next.extend(model.location(location).edges.iter().map(|e| model.edge(*e).to));
    }
    false
}

fn channels(model: &Model) -> Vec<Channel> {
    let made = |c: &ferrospin_model::ir::Channel, owner: Option<ProcessId>| {
        let leaves = owner.map_or(&model.globals, |p| &model.process(p).locals);
        let head = c.name.split('[').next().unwrap_or_default();
        let span = leaves.iter().find(|l| l.name.split('[').next() == Some(head)).map_or(Span::NONE, |l| l.span);
        let name = owner.map_or(c.name.clone(), |p| format!("{}:{}", model.process(p).name, c.name).into());
        Channel { name, capacity: c.capacity, fields: c.fields.clone(), owner, span }
    };
    let own = model.processes.iter().enumerate().flat_map(|(i, p)| {
        let owner = Some(ProcessId(i as u32));
        p.channels.iter().map(move |c| made(c, owner)).collect::<Vec<_>>()
    });
    model.channels.iter().map(|c| made(c, None)).chain(own).collect()
}
