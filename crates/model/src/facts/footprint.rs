//! Footprints: what an edge of a process needs, reads and writes.
//!
//! The footprint of an edge is that of the whole step up to the next state that is stored: what a `d_step` does, what was
//! merged into the edge, and, behind an edge that keeps control, everything that the process may do before it gives
//! control up. Such a step may block half-way; where it stops is decided by what it reads, so that the inner guards
//! count as reads and nothing else is needed.
//!
//! A guard is split into *conjuncts*, all of which must hold ([`super::condition`]). What `else` and `unless` need, that other edges are not
//! executable, is a conjunct too.

use super::Weakening;
use super::condition::{Conjunct, Kind, negated};
use super::creation::CreationSymmetry;
use super::exclusive::Ends;
use super::object::{Channels, Object, Operation, Write, WriteShape};
use super::value::{Constants, Known, hull};
use crate::ir::{
    Action, Area, Binary, Edge, EdgeId, Expr, Init, LocationId, Model, Pattern, Place, ProcessId, ProcessKind, Receive,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::hash::Hash;
use std::rc::Rc;

/// What an edge of a process needs, reads and writes.
#[derive(Clone, Debug, Default)]
pub struct Footprint {
    /// All of them must hold for the edge to be executable.
    pub conjuncts: Vec<Conjunct>,
    /// What decides whether the edge is executable, all conjuncts together.
    pub guard: Vec<Object>,
    /// What decides what the step does.
    pub reads: Vec<Object>,
    /// What it may write.
    pub writes: Vec<Write>,
    /// What it may do to channels.
    pub operations: Vec<(Channels, Operation)>,
    /// What its first action does to a channel.
    pub first_operation: Option<(Channels, Operation)>,
    /// Where the process stands before, and everywhere it may stand behind or in between.
    pub locations: Vec<LocationId>,
    /// Types of the processes that it may start.
    pub runs: Vec<ProcessId>,
    /// It is half of a handshake.
    pub rendezvous: Option<Half>,
    /// Its channel may be one for handshakes or one that keeps messages.
    pub either: bool,
    /// It is executable only when nothing else is.
    pub timeout: bool,
    /// It is the end of the process.
    pub end: bool,
    /// It may depend on everything.
    pub unknown: bool,
    /// It may fail, or an assertion or trace looks at it: a search must not postpone it for ever.
    pub observed: bool,
}

/// Half of a handshake, with the channels it may be on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Half {
    Send(Channels),
    Receive(Channels),
}

/// Builds footprints of one process.
pub(super) struct Builder<'a> {
    pub(super) model: &'a Model,
    pub(super) constants: &'a Constants,
    pub(super) known: Known<'a>,
    pub(super) creation: CreationSymmetry,
    pub(super) weakening: Weakening,
    /// What single edges do, where it was asked before: steps that keep control share most of theirs.
    pub(super) firsts: Option<&'a Firsts>,
}

/// See [`Builder::firsts`].
pub(super) type Firsts = RefCell<FxHashMap<EdgeId, Rc<Footprint>>>;

impl Builder<'_> {
    /// What an edge alone needs, reads and writes, without what comes behind it.
    fn alone(&self, id: EdgeId) -> Rc<Footprint> {
        if let Some(known) = self.firsts.and_then(|f| f.borrow().get(&id).cloned()) {
            return known;
        }
        let mut f = Footprint::default();
        self.first(&self.model.edge(id).action, &mut f);
        let f = Rc::new(f);
        if let Some(firsts) = self.firsts {
            firsts.borrow_mut().insert(id, f.clone());
        }
        f
    }

    /// The footprint of an edge.
    pub(super) fn footprint(&self, id: EdgeId) -> Footprint {
        let edge = self.model.edge(id);
        let process = self.model.process(self.known.process);
        let mut f = Footprint { locations: vec![edge.from], ..Footprint::default() };
        self.first(&edge.action, &mut f);
        f.first_operation = f.operations.first().copied();
        edge.then.iter().for_each(|a| self.later(a, &mut f));
        if let Some(e) = &process.provided {
            self.condition(e, true, &mut f);
        }
        self.blockers(id, edge, &mut f);
        self.enter(edge.to, &mut f);
        // The sender of a handshake gives control up.
        if edge.atomic && (f.either || !matches!(f.rendezvous, Some(Half::Send(_)))) {
            self.chain(edge.to, &mut f);
        }
        if process.deterministic {
            f.observed = true;
            for &other in &self.model.location(edge.from).edges {
                let mut alone = Footprint::default();
                self.first(&self.model.edge(other).action, &mut alone);
                f.reads.extend(alone.guard);
                f.unknown |= alone.rendezvous.is_some();
            }
        }
        f
    }

    fn enter(&self, to: LocationId, f: &mut Footprint) {
        if to != LocationId::EXIT {
            f.locations.push(to);
        }
    }

    /// What must not be executable for an edge to be: everything before an `else`, other escapes of an `unless`.
    fn blockers(&self, id: EdgeId, edge: &Edge, f: &mut Footprint) {
        for &other in &self.model.location(edge.from).edges {
            if other == id {
                break;
            }
            let before = self.model.edge(other);
            let is_else = matches!(edge.action, Action::Else);
            if !is_else && (before.escape == 0 || before.escape == edge.escape) {
                continue;
            }
            let mut g = Footprint::default();
            self.first(&before.action, &mut g);
            if g.timeout {
                continue;
            }
            f.unknown |= g.either;
            match g.rendezvous {
                Some(Half::Send(_)) => f.unknown = true,
                // A receive of a handshake never counts as executable by itself.
                Some(Half::Receive(_)) if is_else => continue,
                Some(Half::Receive(_)) => f.unknown = true,
                None => {}
            }
            f.unknown |= g.unknown;
            f.guard.extend(g.guard.iter().copied());
            if matches!(before.action, Action::Else) || self.fails_in_guard(&before.action) {
                // Earlier edges have been asked already; what fails is not executable, and when is not known.
                f.conjuncts.push(Conjunct { kind: Kind::Other, reads: g.guard });
                continue;
            }
            match g.conjuncts.as_slice() {
                [one] => f.conjuncts.push(self.opposite(one, &g.guard)),
                _ => f.conjuncts.push(Conjunct { kind: Kind::Other, reads: g.guard }),
            }
        }
    }

    fn opposite(&self, c: &Conjunct, guard: &[Object]) -> Conjunct {
        let plain = c.reads.is_empty();
        let kind = match c.kind {
            Kind::Compare(o, scalar, op, v) if plain => Kind::Compare(o, scalar, negated(op), v),
            Kind::HasRoom(c) if plain && c.only().is_some() => Kind::IsFull(c),
            Kind::HasMessage(c) if plain && c.only().is_some() => Kind::IsEmpty(c),
            Kind::IsFull(c) if plain && c.only().is_some() => Kind::HasRoom(c),
            Kind::IsEmpty(c) if plain && c.only().is_some() => Kind::HasMessage(c),
            _ => return Conjunct { kind: Kind::Other, reads: guard.to_vec() },
        };
        Conjunct { kind, reads: Vec::new() }
    }

    pub(super) fn may_fail(&self, e: &Expr) -> bool {
        self.constants.may_fail(self.model, self.known, e)
    }

    /// Whether testing an action may fail.
    fn fails_in_guard(&self, action: &Action) -> bool {
        let mut f = Footprint::default();
        match action {
            Action::Guard(e) => self.constants.may_fail(self.model, self.known, e),
            Action::Send { .. } | Action::Receive(_) => {
                self.first(action, &mut f);
                f.observed
            }
            Action::DStep(_) => true,
            _ => false,
        }
    }

    /// An action that decides whether its edge is executable.
    fn first(&self, action: &Action, f: &mut Footprint) {
        match action {
            Action::Guard(e) => self.condition(e, false, f),
            Action::End => {
                f.end = true;
                f.conjuncts.push(Conjunct { kind: Kind::Youngest, reads: Vec::new() });
                f.guard.push(Object::Table);
                self.effect(action, f);
            }
            Action::Send { channel, sorted, fields } => {
                let (channels, unsure) = self.channel(channel, f);
                let mut reads = Vec::new();
                self.reads(channel, &mut reads);
                let kind = self.is_rendezvous(channel);
                f.either = kind.is_none();
                if kind != Some(false) {
                    f.rendezvous = Some(Half::Send(channels));
                    fields.iter().for_each(|e| self.reads(e, &mut f.guard));
                }
                match kind {
                    Some(true) => {}
                    Some(false) | None => {
                        let sorted = *sorted && !self.weakening.sorted_as_fifo;
                        f.operations.push((channels, if sorted { Operation::SendSorted } else { Operation::Send }));
                        f.guard.push(Object::Channel(channels));
                        if kind.is_some() {
                            f.conjuncts.push(Conjunct { kind: Kind::HasRoom(channels), reads: reads.clone() });
                        }
                    }
                }
                f.guard.extend(reads.iter().copied());
                f.reads.extend(reads);
                for e in fields {
                    self.reads(e, &mut f.reads);
                    f.observed |= self.constants.may_fail(self.model, self.known, e);
                }
                f.observed |= unsure || !self.has_arity(channel, fields.len());
                self.traced(&channels, true, f);
                if f.rendezvous.is_some() {
                    self.traced(&channels, false, f);
                }
            }
            Action::Receive(r) => {
                let (channels, unsure) = self.channel(&r.channel, f);
                let mut reads = Vec::new();
                self.reads(&r.channel, &mut reads);
                let matched = reads.len();
                let mut fails = unsure || !self.has_arity(&r.channel, r.fields.len());
                for p in &r.fields {
                    if let Pattern::Match(e) = p {
                        self.reads(e, &mut reads);
                        fails |= self.constants.may_fail(self.model, self.known, e);
                    }
                }
                let matches = r.fields.iter().any(|p| matches!(p, Pattern::Match(_)));
                f.guard.extend(reads.iter().copied());
                f.reads.extend(reads.iter().copied());
                let kind = self.is_rendezvous(&r.channel);
                f.either = kind.is_none();
                if kind != Some(false) {
                    f.rendezvous = Some(Half::Receive(channels));
                }
                match kind {
                    Some(true) => {}
                    None => {
                        f.operations.push((channels, if r.copy { Operation::Copy } else { Operation::Receive }));
                        f.guard.push(Object::Channel(channels));
                        f.reads.push(Object::Channel(channels));
                    }
                    Some(false) => {
                        f.operations.push((channels, if r.copy { Operation::Copy } else { Operation::Receive }));
                        f.guard.push(Object::Channel(channels));
                        let has = Conjunct { kind: Kind::HasMessage(channels), reads: reads[..matched].to_vec() };
                        f.conjuncts.push(has);
                        if matches {
                            f.conjuncts.push(Conjunct { kind: Kind::Matches(channels, r.random), reads });
                        }
                        // What is received may not be what was tested when a test may fail.
                        if fails {
                            f.reads.push(Object::Channel(channels));
                        }
                    }
                }
                f.observed |= fails;
                self.binds(r, f);
                self.traced(&channels, false, f);
            }
            Action::DStep(entry) => self.d_step(*entry, f),
            other => self.effect(other, f),
        }
    }

    fn d_step(&self, entry: LocationId, f: &mut Footprint) {
        let first = &self.model.location(entry).edges;
        if let [only] = first.as_slice() {
            let edge = self.model.edge(*only);
            self.first(&edge.action, f);
            f.first_operation = f.operations.first().copied();
            if f.rendezvous.is_some() {
                f.unknown = true;
            }
            edge.then.iter().for_each(|a| self.later(a, f));
            self.inside(edge.to, f);
        } else {
            let mut all = Footprint::default();
            self.inside(entry, &mut all);
            for &e in first {
                let mut g = Footprint::default();
                self.first(&self.model.edge(e).action, &mut g);
                f.guard.extend(g.guard);
                f.unknown |= g.unknown || g.rendezvous.is_some();
            }
            if !first.iter().any(|e| matches!(self.model.edge(*e).action, Action::Else)) {
                f.conjuncts.push(Conjunct { kind: Kind::Other, reads: f.guard.clone() });
            }
            f.absorb(all, true);
        }
    }

    /// What a `d_step` does from one of its locations on.
    fn inside(&self, from: LocationId, f: &mut Footprint) {
        let list = super::value::reachable(self.model, from);
        let mut last = None;
        for &e in &list {
            let edge = self.model.edge(e);
            let alone = self.model.location(edge.from).edges.len() == 1;
            let sure = self.is_sure(e, &list, f);
            self.later_if(&edge.action, sure, f);
            edge.then.iter().for_each(|a| self.later(a, f));
            // A loop may be endless, and a guard may block: both are failures.
            f.observed |= self.leads_to(e, e, &list) || self.may_block(&edge.action) && alone && !sure;
            if last == Some(edge.from) || alone {
                continue;
            }
            last = Some(edge.from);
            f.observed |= !self.model.location(edge.from).edges.iter().any(|e| {
                let action = &self.model.edge(*e).action;
                matches!(action, Action::Else) || !self.may_block(action)
            });
        }
    }

    fn may_block(&self, action: &Action) -> bool {
        matches!(action, Action::Guard(_) | Action::Send { .. } | Action::Receive(_) | Action::DStep(_) | Action::End)
    }

    /// Everything that a process may do while it has control, from a location on.
    fn chain(&self, from: LocationId, f: &mut Footprint) {
        let (mut seen, mut work) = (vec![from], vec![from]);
        let provided = &self.model.process(self.known.process).provided;
        if let Some(e) = provided {
            self.reads(e, &mut f.reads);
        }
        let mut list = Vec::new();
        while let Some(l) = work.pop() {
            if l == LocationId::EXIT {
                continue;
            }
            for &e in &self.model.location(l).edges {
                let edge = self.model.edge(e);
                let g = self.alone(e);
                // Whether a partner is there is a question to all processes. A receive waits for one without control.
                f.unknown |= matches!(g.rendezvous, Some(Half::Send(_))) || g.either;
                if matches!(g.rendezvous, Some(Half::Receive(_))) {
                    continue;
                }
                list.push(e);
                if edge.atomic && !seen.contains(&edge.to) {
                    seen.push(edge.to);
                    work.push(edge.to);
                }
            }
        }
        for &e in &list {
            let edge = self.model.edge(e);
            let sure = self.is_sure(e, &list, f);
            self.take_over(&self.alone(e), sure, f);
            edge.then.iter().for_each(|a| self.later(a, f));
            self.enter(edge.to, f);
        }
        f.drop_repeated();
    }

    /// Whether a send or receive later in a step cannot block, because the guard of the step has asked for room or for a
    /// message on its channel, and the step does nothing of the kind before. `list` holds what the step may do later.
    fn is_sure(&self, id: EdgeId, list: &[EdgeId], f: &Footprint) -> bool {
        if self.weakening.always_sure {
            return true;
        }
        let operation = |e: EdgeId| {
            let g = self.alone(e);
            match g.operations.as_slice() {
                [(channels, op)] if g.rendezvous.is_none() && !g.unknown => Some((*channels, *op)),
                _ => None,
            }
        };
        let Some((channels, op)) = operation(id) else { return false };
        let Some(only) = channels.only() else { return false };
        let asked =
            |wanted: fn(Channels) -> Kind| f.conjuncts.iter().any(|c| c.kind == wanted(channels) && c.reads.is_empty());
        let guarded = match &self.model.edge(id).action {
            Action::Send { .. } => op == Operation::Send && asked(Kind::HasRoom),
            Action::Receive(r) => {
                let matches = r.fields.iter().any(|p| matches!(p, Pattern::Match(_)));
                op == Operation::Receive && !r.random && !matches && asked(Kind::HasMessage)
            }
            _ => false,
        };
        let like = |(c, o): (Channels, Operation)| c.contains(only) && (o == op || o == Operation::SendSorted);
        // What was done before the step came to the list: only its first action can have been of the kind.
        guarded
            && !f.first_operation.is_some_and(like)
            && !list.iter().any(|e| operation(*e).is_some_and(like) && self.leads_to(*e, id, list))
    }

    /// Whether an edge of a list can be taken behind another one, over edges of the list.
    fn leads_to(&self, from: EdgeId, to: EdgeId, list: &[EdgeId]) -> bool {
        let (mut seen, mut work) = (Vec::new(), vec![from]);
        while let Some(e) = work.pop() {
            let next = self.model.edge(e).to;
            if next == LocationId::EXIT || seen.contains(&next) {
                continue;
            }
            seen.push(next);
            let behind = self.model.location(next).edges.iter().filter(|e| list.contains(e));
            for &e in behind {
                if e == to {
                    return true;
                }
                work.push(e);
            }
        }
        false
    }

    /// An action that is done later in a step: whether it is executable decides where the step goes.
    fn later(&self, action: &Action, f: &mut Footprint) {
        self.later_if(action, false, f);
    }

    /// The same where it may be sure that it is executable, whatever others do.
    fn later_if(&self, action: &Action, sure: bool, f: &mut Footprint) {
        let mut g = Footprint::default();
        self.first(action, &mut g);
        self.take_over(&g, sure, f);
    }

    fn take_over(&self, g: &Footprint, sure: bool, f: &mut Footprint) {
        let mut g = g.clone();
        if sure {
            let used = g.operations.clone();
            g.guard.retain(|o| !used.iter().any(|(c, _)| *o == Object::Channel(*c)));
        }
        f.absorb(g, sure);
    }

    /// What an action does that is always executable.
    fn effect(&self, action: &Action, f: &mut Footprint) {
        match action {
            Action::Assign(place, e) => {
                let shape = self.shape(place, e);
                if shape != WriteShape::Added {
                    self.reads(e, &mut f.reads);
                }
                f.observed |= self.constants.may_fail(self.model, self.known, e);
                self.store(place, shape, f);
            }
            Action::Assert(e) => {
                self.reads(e, &mut f.reads);
                f.observed = true;
            }
            Action::Print { args, .. } => {
                // What is printed is no part of the state.
                for e in args {
                    if self.constants.may_fail(self.model, self.known, e) {
                        self.reads(e, &mut f.reads);
                        f.observed = true;
                    }
                }
            }
            Action::Run { process, args, target, .. } => {
                if !self.weakening.private_creation {
                    args.iter().for_each(|e| self.reads(e, &mut f.reads));
                    let born = self.model.process(*process);
                    let known = Known { process: *process, pid: None, frame: None };
                    let whose = Builder { known, firsts: None, ..*self };
                    let mut reads = Vec::new();
                    for (place, init) in &born.init {
                        if let Init::Value(e) = init {
                            whose.reads(e, &mut reads);
                        }
                        place.indices.iter().for_each(|i| whose.reads(&i.value, &mut reads));
                    }
                    reads.retain(|o| !matches!(o, Object::Local(..)));
                    f.reads.extend(reads);
                    if !self.creation.processes_unseen {
                        f.writes.push(Write { object: Object::Table, shape: WriteShape::Any });
                    }
                    if !born.channels.is_empty() && !self.creation.channels_unseen {
                        f.writes.push(Write { object: Object::OwnedChannels, shape: WriteShape::Any });
                    }
                }
                f.runs.push(*process);
                // Where the numbers of processes are not looked at, there are never too many.
                f.observed |= !self.creation.processes_unseen || args.iter().any(|e| self.may_fail(e));
                // Every process that may use an end that is claimed must be considered.
                f.observed |= self.model.has_claimed_ends();
                if let Some(place) = target {
                    self.store(place, WriteShape::Any, f);
                }
            }
            Action::End => {
                if !self.weakening.private_creation && !self.creation.processes_unseen {
                    f.writes.push(Write { object: Object::Table, shape: WriteShape::Any });
                }
                if !self.model.process(self.known.process).channels.is_empty() && !self.creation.channels_unseen {
                    for object in [Object::OwnedChannels, Object::DeadChannels] {
                        f.writes.push(Write { object, shape: WriteShape::Any });
                    }
                }
            }
            Action::Call(c) => {
                c.args.iter().for_each(|e| self.reads(e, &mut f.reads));
                c.reads.iter().chain(&c.writes).for_each(|p| self.reads_place(p, &mut f.reads));
                let observed = f.observed;
                c.writes.iter().for_each(|p| self.store(p, WriteShape::Any, f));
                // Indices that may have any value are inside: what is out of bounds is a failure of the code.
                f.observed = observed || c.may_fail || c.args.iter().any(|e| self.may_fail(e));
            }
            Action::SetPriority(..) | Action::Foreign => f.unknown = true,
            Action::Skip | Action::Else => {}
            Action::Guard(_) | Action::Send { .. } | Action::Receive(_) | Action::DStep(_) => {
                unreachable!("may block")
            }
        }
    }

    /// How an assignment changes its place.
    fn shape(&self, place: &Place, e: &Expr) -> WriteShape {
        if let Some(v) = self.constants.value(self.known, e) {
            return WriteShape::Constant(place.scalar.cut(v));
        }
        let own = |e: &Expr| {
            matches!(e, Expr::Load(p) if **p == *place) && !self.constants.may_fail(self.model, self.known, e)
        };
        let fixed = |e: &Expr| self.constants.value(self.known, e).is_some();
        let exact = {
            let (start, end) = self.constants.range(self.known, place);
            end - start == place.scalar.size()
        };
        match e {
            Expr::Binary(Binary::Add, a, b) if exact && (own(a) && fixed(b) || own(b) && fixed(a)) => WriteShape::Added,
            Expr::Binary(Binary::Sub, a, b) if exact && own(a) && fixed(b) => WriteShape::Added,
            _ => WriteShape::Any,
        }
    }

    fn store(&self, place: &Place, shape: WriteShape, f: &mut Footprint) {
        let (start, end) =
            if self.weakening.first_element { hull_start(place) } else { self.constants.range(self.known, place) };
        let exact = end - start == place.scalar.size();
        let object = match place.area {
            Area::Global => Object::Global(start, end),
            Area::Local => Object::Local(start, end),
        };
        f.writes.push(Write { object, shape: if exact { shape } else { WriteShape::Any } });
        f.observed |= self.constants.may_fail_place(self.model, self.known, place);
        if !self.weakening.no_index_reads {
            place.indices.iter().for_each(|i| self.reads(&i.value, &mut f.reads));
        }
    }

    fn binds(&self, r: &Receive, f: &mut Footprint) {
        for p in &r.fields {
            if let Pattern::Bind(place) = p {
                self.store(place, WriteShape::Any, f);
            }
        }
    }

    /// An event that the `trace` names, if there is one, moves it on.
    fn traced(&self, channels: &Channels, send: bool, f: &mut Footprint) {
        let named = |e: &Edge| {
            let (channel, sends) = match &e.action {
                Action::Send { channel, .. } => (channel, true),
                Action::Receive(r) => (&r.channel, false),
                _ => return false,
            };
            let process = self.model.location(e.from).process;
            let kind = self.model.process(process).kind;
            let whose = Known { process, pid: None, frame: None };
            matches!(kind, ProcessKind::Trace | ProcessKind::NoTrace)
                && sends == send
                && self.constants.channels(self.model, whose, channel).0.meets(channels)
        };
        if self.model.layout.trace.is_some() && !self.weakening.no_trace && self.model.edges.iter().any(named) {
            f.reads.push(Object::Trace);
            f.writes.push(Write { object: Object::Trace, shape: WriteShape::Any });
            f.observed = true;
        }
    }

    /// The channels that an expression may name, and whether using them may fail.
    fn channel(&self, e: &Expr, f: &mut Footprint) -> (Channels, bool) {
        let (channels, none) = self.constants.channels(self.model, self.known, e);
        // Where numbers are not looked at, no channel dies before its users.
        let owned = !self.creation.processes_unseen && self.constants.is_owned(self.model, self.known, e);
        if owned {
            f.reads.push(Object::DeadChannels);
            f.guard.push(Object::DeadChannels);
        }
        (channels, none || owned || self.constants.may_fail(self.model, self.known, e))
    }

    /// Whether the channels that an expression may name are rendezvous ones; nothing where some are and some are not.
    pub(super) fn is_rendezvous(&self, e: &Expr) -> Option<bool> {
        if !self.model.uses.rendezvous {
            return Some(false);
        }
        let shapes = self.constants.shapes(self.model, self.known, e);
        let first = shapes.first()?.0 == 0;
        if self.weakening.either_is_handshake && shapes.iter().any(|(capacity, _)| *capacity == 0) {
            return Some(true);
        }
        shapes.iter().all(|(capacity, _)| (*capacity == 0) == first).then_some(first)
    }

    /// Whether all channels that an expression may name have this many fields.
    fn has_arity(&self, e: &Expr, fields: usize) -> bool {
        self.constants.shapes(self.model, self.known, e).iter().all(|(_, n)| *n == fields)
    }
}

fn hull_start(place: &Place) -> (u32, u32) {
    let (start, _) = hull(place);
    (start, start + place.scalar.size())
}

impl Footprint {
    /// Whether the step is about variables of the process alone, and about ends of channels that it has claimed.
    pub fn is_private(&self, ends: &Ends) -> bool {
        let sends = |op: Operation| matches!(op, Operation::Send | Operation::SendSorted);
        let claimed = |o: &Object| {
            let of = |c: &Channels| self.operations.iter().any(|(d, _)| c == d);
            matches!(o, Object::Channel(c) if of(c))
        };
        let own = |o: &Object| matches!(o, Object::Local(..)) || claimed(o);
        let asks = |c: &Conjunct| {
            let is_own = match c.kind {
                Kind::Compare(o, ..) => own(&o),
                Kind::HasRoom(c) | Kind::HasMessage(c) | Kind::Matches(c, _) => own(&Object::Channel(c)),
                Kind::Other => true,
                Kind::IsFull(_) | Kind::IsEmpty(_) | Kind::Youngest => false,
            };
            is_own && c.reads.iter().all(own)
        };
        !self.unknown
            && !self.timeout
            && !self.end
            && self.rendezvous.is_none()
            && self.operations.iter().all(|(c, op)| ends.are_claimed(c, sends(*op)))
            && self.runs.is_empty()
            && self.conjuncts.iter().all(asks)
            && self.guard.iter().chain(&self.reads).all(own)
            && self.writes.iter().all(|w| own(&w.object))
    }

    /// Keeps of what is there several times one: steps that keep control gather a lot.
    fn drop_repeated(&mut self) {
        fn once<T: Copy + Eq + Hash>(list: &mut Vec<T>) {
            let mut seen = FxHashSet::default();
            list.retain(|item| seen.insert(*item));
        }
        once(&mut self.reads);
        once(&mut self.writes);
        once(&mut self.operations);
        once(&mut self.locations);
        once(&mut self.runs);
    }

    /// Takes over what is done later in the same step; if `sure`, it does not matter whether channels are full or empty.
    fn absorb(&mut self, later: Footprint, sure: bool) {
        // A channel that is used first exists; one that is used later may come to exist in between.
        let dies = |o: &Object| *o == Object::DeadChannels;
        if later.guard.iter().chain(&later.reads).any(dies) {
            self.reads.push(Object::OwnedChannels);
        }
        self.reads.extend(later.guard);
        self.reads.extend(later.reads);
        self.writes.extend(later.writes);
        if !sure {
            self.reads.extend(later.operations.iter().map(|(c, _)| Object::Channel(*c)));
        }
        self.operations.extend(later.operations);
        self.runs.extend(later.runs);
        self.unknown |= later.unknown;
        // A handshake inside a `d_step` is a failure.
        self.observed |= later.observed || later.rendezvous.is_some();
    }
}
