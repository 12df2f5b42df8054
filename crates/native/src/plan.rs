//! What is known about a model before code is generated.
//!
//! - *Shapes*: channels with the same capacity and fields share code.
//! - *Fixed channels*: a global channel variable that is never written holds the same channel for ever, so its contents
//!   stand at a constant offset.
//! - *Hints*: the shape a channel expression most likely has, found by following channels through assignments,
//!   arguments and messages. A hint may be wrong; code that uses it checks the shape and has a slow way out.

use crate::context::Entry;
use crate::program::ChannelLayout;
use ferrospin_model::ir::{
    Action, Area, Channel, EdgeId, Expr, Init, Leaf, LocationId, Model, Pattern, Place, ProcessId, ProcessKind,
    Receive, leaf_at,
};
use std::collections::{BTreeMap, BTreeSet};

/// A variable: whose, and which of its leaves.
type Variable = (Option<ProcessId>, usize);

/// See the module.
pub(crate) struct Plan<'a> {
    pub(crate) model: &'a Model,
    pub(crate) shapes: Vec<ChannelLayout>,
    pub(crate) globals: Vec<Entry>,
    pub(crate) locals: Vec<Vec<Entry>>,
    pub(crate) has_trace: bool,
    pub(crate) has_rendezvous: bool,
    /// Some expression asks `enabled(p)`.
    pub(crate) has_enabled: bool,
    /// Most fields of a message, operands of a message, or arguments of a process.
    pub(crate) fields_max: usize,
    /// Offset of a global channel variable that is never written, and the number it holds.
    fixed: BTreeMap<u32, u32>,
    variables: BTreeMap<Variable, BTreeSet<u32>>,
    /// Shapes that travel in a field of a message.
    fields: BTreeMap<(u32, usize), BTreeSet<u32>>,
}

impl<'a> Plan<'a> {
    pub(crate) fn new(model: &'a Model) -> Self {
        let mut plan = Plan {
            model,
            shapes: Vec::new(),
            globals: Vec::new(),
            locals: Vec::new(),
            has_trace: model.layout.trace.is_some(),
            has_rendezvous: false,
            has_enabled: model.uses.enabled,
            fields_max: 1,
            fixed: BTreeMap::new(),
            variables: BTreeMap::new(),
            fields: BTreeMap::new(),
        };
        plan.globals = model.channels.iter().map(|c| plan.entry(c)).collect();
        plan.locals = model.processes.iter().map(|p| p.channels.iter().map(|c| plan.entry(c)).collect()).collect();
        plan.has_rendezvous = plan.shapes.iter().any(|s| s.capacity == 0);
        let widest = plan.shapes.iter().map(|s| s.fields.len()).max();
        plan.fields_max = plan.fields_max.max(widest.unwrap_or(0));
        for p in &model.processes {
            plan.fields_max = plan.fields_max.max(p.params.len());
        }
        for a in actions(model) {
            let operands = match a {
                Action::Send { fields, .. } => fields.len(),
                Action::Receive(r) => r.fields.len(),
                Action::Run { args, .. } => args.len(),
                _ => 0,
            };
            plan.fields_max = plan.fields_max.max(operands);
        }
        plan.find_fixed();
        plan.find_hints();
        plan
    }

    fn entry(&mut self, c: &Channel) -> Entry {
        let mut offsets = Vec::with_capacity(c.fields.len());
        let mut size = 0;
        for (scalar, _) in &c.fields {
            offsets.push(size);
            size += scalar.size();
        }
        let shape = ChannelLayout {
            capacity: c.capacity,
            fields: c.fields.iter().map(|f| f.0).collect(),
            offsets,
            message_size: size,
            length: c.length_scalar(),
        };
        let at = self.shapes.iter().position(|s| *s == shape).unwrap_or_else(|| {
            self.shapes.push(shape);
            self.shapes.len() - 1
        });
        Entry { offset: c.offset, shape: at as u32 + 1 }
    }

    fn find_fixed(&mut self) {
        let mut written: Vec<(u32, u32)> = Vec::new();
        let mut write = |place: &Place| {
            if place.area == Area::Global {
                let extent: u32 = place.indices.iter().map(|i| i.len.saturating_sub(1) * i.stride).sum();
                written.push((place.offset, place.offset + extent + place.scalar.size()));
            }
        };
        for a in actions(self.model) {
            match a {
                Action::Assign(place, _) | Action::Run { target: Some(place), .. } => write(place),
                Action::Receive(r) => r.fields.iter().for_each(|f| {
                    if let Pattern::Bind(place) = f {
                        write(place);
                    }
                }),
                _ => {}
            }
        }
        let born = self.model.processes.iter().flat_map(|p| p.init.iter().map(|i| &i.0).chain(&p.params));
        born.for_each(&mut write);
        for (place, init) in &self.model.init {
            let once = || self.model.init.iter().filter(|(p, _)| p.offset == place.offset).count() == 1;
            if let Init::Channel(n) = init
                && once()
                && place.area == Area::Global
                && place.indices.is_empty()
                && *n < 255
                && !written.iter().any(|(from, to)| (*from..*to).contains(&place.offset))
            {
                self.fixed.insert(place.offset, n + 1);
            }
        }
    }

    /// The number of the channel an expression always means.
    pub(crate) fn fixed_channel(&self, e: &Expr) -> Option<u32> {
        match e {
            Expr::Load(place) if place.area == Area::Global && place.indices.is_empty() => {
                self.fixed.get(&place.offset).copied()
            }
            Expr::Const(n) => u32::try_from(*n).ok().filter(|n| (1..=self.globals.len().min(255) as u32).contains(n)),
            _ => None,
        }
    }

    /// The shape an expression most likely has when it is used with this many fields.
    pub(crate) fn hint(&self, owner: Option<ProcessId>, e: &Expr, fields: Option<usize>) -> Option<u32> {
        let fits = |s: &u32| fields.is_none_or(|n| self.shapes[*s as usize - 1].fields.len() == n);
        let found = self.meant(owner, e);
        let all: Vec<u32> = (1..=self.shapes.len() as u32).collect();
        found.iter().copied().find(fits).or_else(|| all.into_iter().find(fits))
    }

    /// Shapes an expression may have, as far as they can be followed.
    fn meant(&self, owner: Option<ProcessId>, e: &Expr) -> BTreeSet<u32> {
        match e {
            Expr::Load(place) => {
                self.variable(owner, place).and_then(|v| self.variables.get(&v)).cloned().unwrap_or_default()
            }
            Expr::Const(n) => usize::try_from(*n)
                .ok()
                .and_then(|n| self.globals.get(n.checked_sub(1)?))
                .map(|e| e.shape)
                .into_iter()
                .collect(),
            Expr::Cond(parts) => &self.meant(owner, &parts[1]) | &self.meant(owner, &parts[2]),
            _ => BTreeSet::new(),
        }
    }

    fn variable(&self, owner: Option<ProcessId>, place: &Place) -> Option<Variable> {
        let (whose, leaves): (_, &[Leaf]) = match place.area {
            Area::Global => (None, &self.model.globals),
            Area::Local => (owner, &self.model.process(owner?).locals),
        };
        leaf_at(leaves, place).map(|i| (whose, i))
    }

    fn find_hints(&mut self) {
        let model = self.model;
        let inits = model.init.iter().map(|i| (None, i));
        let births = model
            .processes
            .iter()
            .enumerate()
            .flat_map(|(id, p)| p.init.iter().map(move |i| (Some(ProcessId(id as u32)), i)));
        for (owner, (place, init)) in inits.chain(births) {
            let Init::Channel(n) = init else { continue };
            let channels = owner.map_or(&self.globals, |p| &self.locals[p.index()]);
            let shape = channels[*n as usize].shape;
            self.learn(owner, place, [shape].into());
        }
        // Each round follows channels one assignment further; few models pass them on more often than this.
        for _ in 0..8 {
            if !self.follow() {
                break;
            }
        }
    }

    fn learn(&mut self, owner: Option<ProcessId>, place: &Place, shapes: BTreeSet<u32>) -> bool {
        if shapes.is_empty() {
            return false;
        }
        let Some(v) = self.variable(owner, place) else { return false };
        let known = self.variables.entry(v).or_default();
        let before = known.len();
        known.extend(shapes);
        known.len() > before
    }

    fn follow(&mut self) -> bool {
        let model = self.model;
        let mut changed = false;
        for edge in &model.edges {
            let owner = Some(model.location(edge.from).process);
            for a in std::iter::once(&edge.action).chain(&edge.then) {
                match a {
                    Action::Assign(place, e) => changed |= self.learn(owner, place, self.meant(owner, e)),
                    Action::Run { process, args, .. } => {
                        for (place, e) in model.process(*process).params.iter().zip(args) {
                            changed |= self.learn(Some(*process), place, self.meant(owner, e));
                        }
                    }
                    Action::Send { channel, fields, .. } => {
                        for s in self.meant(owner, channel) {
                            for (i, e) in fields.iter().enumerate() {
                                let shapes = self.meant(owner, e);
                                let known = self.fields.entry((s, i)).or_default();
                                let before = known.len();
                                known.extend(shapes);
                                changed |= known.len() > before;
                            }
                        }
                    }
                    Action::Receive(r) => changed |= self.follow_receive(owner, r),
                    _ => {}
                }
            }
        }
        changed
    }

    fn follow_receive(&mut self, owner: Option<ProcessId>, r: &Receive) -> bool {
        let mut changed = false;
        for s in self.meant(owner, &r.channel) {
            for (i, f) in r.fields.iter().enumerate() {
                if let Pattern::Bind(place) = f {
                    let shapes = self.fields.get(&(s, i)).cloned().unwrap_or_default();
                    changed |= self.learn(owner, place, shapes);
                }
            }
        }
        changed
    }

    /// Whether instances of a type are processes of a state.
    pub(crate) fn is_process(&self, id: ProcessId) -> bool {
        matches!(self.model.process(id).kind, ProcessKind::Proctype | ProcessKind::Init)
    }

    /// Whether a type is that of the process that moves beside the others.
    pub(crate) fn is_monitor(&self, id: ProcessId) -> bool {
        self.model.moving_claim().is_some_and(|(claim, _)| claim == id)
    }

    /// Whether a type is a `trace` or `notrace`.
    pub(crate) fn is_trace(&self, id: ProcessId) -> bool {
        matches!(self.model.process(id).kind, ProcessKind::Trace | ProcessKind::NoTrace)
    }

    /// The edges of a location.
    pub(crate) fn edges(&self, id: LocationId) -> &'a [EdgeId] {
        &self.model.location(id).edges
    }
}

fn actions(model: &Model) -> impl Iterator<Item = &Action> {
    model.edges.iter().flat_map(|e| std::iter::once(&e.action).chain(&e.then))
}
