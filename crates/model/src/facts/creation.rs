//! Symmetry of process creation: whether the order in which processes were started is observable.
//!
//! Two `run` in either order give different numbers to the new processes, and a process that ends early gives its number
//! to the next one. Where process numbers are not observed, such states differ in names only: they are *alike*, and whatever one
//! of them can do the other can do too. Processes that have only their end before them do nothing else, and their end
//! changes nothing that is observable.
//!
//! That needs four things. *Numbers of processes* are not looked at: no `_pid` in processes that are started by `run`, no
//! `_nr_pr`, no remote reference, no result of `run` that is read. *Numbers of channels*: those that belong to processes
//! are only handed down, as arguments, and used; then the order does not matter for them either. Where they travel in other
//! ways their numbers are kept: two starts with channels do not accord. *No channel dies before its users*: a process
//! outlives those that it has started, so channels that are only handed down are safe; others must belong to
//! processes that never end. *No limit is reached*: how many processes can have been started is bounded by how
//! many each process may start and by the longest line of descent, all of which is alive at once, so that looking at the
//! number of processes in a state is enough ([`CreationSymmetry::crowd_max`]).

use super::Weakening;
use super::condition::{compare, negated};
use super::object::overlaps;
use super::value::{Constants, Known, hull};
use crate::ir::{
    Action, Area, Binary, Edge, Expr, Init, LocationId, Model, Pattern, Place, ProcessId, ProcessKind, Unary,
};
use crate::passes::walk::{self, Item};
use std::collections::HashSet;

/// The most processes, and the most channels, that a state can hold.
const LIMIT: u64 = 255;

/// What can be told about births.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CreationSymmetry {
    /// Numbers of processes are not looked at.
    pub processes_unseen: bool,
    /// Numbers of channels of processes are not looked at.
    pub channels_unseen: bool,
    /// As long as no state holds more processes than this, no limit is ever reached. 0 where that cannot be said.
    pub crowd_max: u32,
}

impl CreationSymmetry {
    /// It can be observed.
    pub const SEEN: CreationSymmetry =
        CreationSymmetry { processes_unseen: false, channels_unseen: false, crowd_max: 0 };

    /// Finds out what observes it.
    pub(super) fn new(model: &Model, constants: &Constants, weakening: Weakening) -> CreationSymmetry {
        let u = &model.uses;
        let analysis = Analysis { model, constants, started: started(model) };
        if u.last || u.priority || u.enabled || u.foreign || u.provided || model.layout.claim.is_some() {
            return CreationSymmetry::SEEN;
        }
        if analysis.started.iter().all(|s| !s) || !weakening.nobody_looks && analysis.numbers_are_read() {
            return CreationSymmetry::SEEN;
        }
        let owners: Vec<usize> =
            (0..model.processes.len()).filter(|p| !model.processes[*p].channels.is_empty()).collect();
        let channels_unseen = weakening.channels_are_handed_down || analysis.only_handed_down();
        let immortal = immortal(model);
        if !channels_unseen && !weakening.all_immortal && owners.iter().any(|p| !immortal[*p]) {
            return CreationSymmetry::SEEN;
        }
        let crowd_max = if weakening.no_crowd { u32::MAX } else { analysis.crowd_max() };
        CreationSymmetry {
            processes_unseen: crowd_max > 0,
            channels_unseen: crowd_max > 0 && channels_unseen,
            crowd_max,
        }
    }
}

/// Which types are started by `run`.
pub(super) fn started(model: &Model) -> Vec<bool> {
    let mut out = vec![false; model.processes.len()];
    for a in model.edges.iter().flat_map(actions) {
        if let Action::Run { process, .. } = a {
            out[process.index()] = true;
        }
    }
    out
}

fn actions(e: &Edge) -> impl Iterator<Item = &Action> {
    std::iter::once(&e.action).chain(&e.then)
}

fn runs(e: &Edge) -> impl Iterator<Item = ProcessId> + '_ {
    actions(e).filter_map(|a| if let Action::Run { process, .. } = a { Some(*process) } else { None })
}

/// Which types never end: their end cannot be reached, or only behind the start of a process that never ends.
pub(super) fn immortal(model: &Model) -> Vec<bool> {
    let mut immortal = vec![false; model.processes.len()];
    loop {
        let ends = |p: usize| {
            let (mut seen, mut work) = (HashSet::new(), vec![model.processes[p].entry]);
            while let Some(l) = work.pop() {
                if l == LocationId::EXIT || !seen.insert(l) {
                    continue;
                }
                for &e in &model.location(l).edges {
                    let edge = model.edge(e);
                    if matches!(edge.action, Action::End) {
                        return true;
                    }
                    if !runs(edge).any(|q| immortal[q.index()]) {
                        work.push(edge.to);
                    }
                }
            }
            false
        };
        let now: Vec<bool> = (0..immortal.len()).map(|p| !ends(p)).collect();
        if now == immortal {
            return immortal;
        }
        immortal = now;
    }
}

/// A local variable, by its first byte and the one behind it.
type Flag = (u32, u32);

/// A process type with what is asked for again and again.
struct Body<'a> {
    process: ProcessId,
    /// Its edges.
    own: Vec<&'a Edge>,
    flags: Vec<Flag>,
}

struct Analysis<'a> {
    model: &'a Model,
    constants: &'a Constants,
    started: Vec<bool>,
}

impl<'a> Analysis<'a> {
    /// Edges of processes that take part, with their types.
    fn edges(&self) -> impl Iterator<Item = (ProcessId, &'a Edge)> {
        let model = self.model;
        let edge = move |e: &'a Edge| (model.location(e.from).process, e);
        model.edges.iter().map(edge).filter(move |(p, _)| model.process(*p).kind != ProcessKind::Never)
    }

    /// Visits everything that is mentioned, with whose it is; what is only printed is left out.
    fn mentioned(&self, f: &mut dyn FnMut(Option<ProcessId>, Item<'a>)) {
        for (p, e) in self.edges() {
            for a in actions(e).filter(|a| !matches!(a, Action::Print { .. })) {
                walk::action(a, &mut |item| f(Some(p), item));
            }
        }
        let births = self.model.processes.iter().zip(0..).filter(|(p, _)| p.kind != ProcessKind::Never);
        for (p, i) in births {
            walk::birth(p, &mut |item| f(Some(ProcessId(i)), item));
        }
        for (place, init) in &self.model.init {
            place.indices.iter().for_each(|i| walk::expr(&i.value, &mut |item| f(None, item)));
            if let Init::Value(e) = init {
                walk::expr(e, &mut |item| f(None, item));
            }
        }
    }

    /// Whether numbers of processes are observed.
    fn numbers_are_read(&self) -> bool {
        let mut targets: Vec<(Option<ProcessId>, (u32, u32))> = Vec::new();
        for (p, e) in self.edges() {
            for a in actions(e) {
                if let Action::Run { target: Some(place), .. } = a {
                    targets.push(((place.area == Area::Local).then_some(p), hull(place)));
                }
            }
        }
        let mut yes = false;
        self.mentioned(&mut |who, item| match item {
            Item::Expr(e) => {
                yes |= match e {
                    Expr::Pid => who.is_some_and(|p| self.started[p.index()]),
                    Expr::ProcessCount
                    | Expr::ChannelCount
                    | Expr::AtLocation(..)
                    | Expr::Remote(..)
                    | Expr::PcValue(_)
                    | Expr::Enabled(_)
                    | Expr::Priority(_)
                    | Expr::Last
                    | Expr::NonProgress
                    | Expr::Foreign => true,
                    _ => false,
                }
            }
            Item::Read(place) => {
                let whose = if place.area == Area::Local { who } else { None };
                yes |= targets.iter().any(|(p, at)| *p == whose && overlaps(*at, hull(place)));
            }
            Item::Write(_) | Item::Remote(..) => {}
        });
        yes
    }

    /// Whether channels of processes are only used, and handed down to new processes.
    fn only_handed_down(&self) -> bool {
        // Places, by type, that may hold a channel of a process.
        let mut holders: HashSet<(ProcessId, (u32, u32))> = HashSet::new();
        for (i, p) in self.model.processes.iter().enumerate() {
            for (place, init) in &p.init {
                if let Init::Channel(_) = init {
                    holders.insert((ProcessId(i as u32), hull(place)));
                }
            }
        }
        loop {
            let before = holders.len();
            for (p, e) in self.edges() {
                for a in actions(e) {
                    if !self.hands_down(p, a, &mut holders) {
                        return false;
                    }
                }
            }
            for (i, p) in self.model.processes.iter().enumerate() {
                let who = ProcessId(i as u32);
                for (place, init) in &p.init {
                    if let Init::Value(e) = init
                        && !self.moves_to(who, e, who, place, &mut holders)
                    {
                        return false;
                    }
                }
            }
            if holders.len() == before {
                return true;
            }
        }
    }

    /// Whether an action does nothing else with channels of processes than to use them and to hand them down.
    fn hands_down(&self, p: ProcessId, a: &Action, holders: &mut HashSet<(ProcessId, (u32, u32))>) -> bool {
        match a {
            Action::Assign(place, e) => self.moves_to(p, e, p, place, holders),
            Action::Run { process, args, target, .. } => {
                let params = &self.model.process(*process).params;
                target.iter().all(|t| !touches(p, t, holders) && !self.indices_tell(p, t, holders))
                    && params.iter().zip(args).all(|(place, e)| self.moves_to(p, e, *process, place, holders))
            }
            Action::Guard(e) | Action::Assert(e) => !self.tells(p, e, holders),
            Action::Send { channel, fields, .. } => {
                self.is_used(p, channel, holders) && fields.iter().all(|e| !self.tells(p, e, holders))
            }
            Action::Receive(r) => self.receives(p, r, holders),
            Action::Print { .. } | Action::Skip | Action::Else | Action::End | Action::DStep(_) => true,
            Action::SetPriority(..) | Action::Foreign => false,
            // What it touches may hold the channel of a process: then nothing is known of it.
            Action::Call(c) => c.reads.iter().chain(&c.writes).all(|place| !touches(p, place, holders)),
        }
    }

    fn receives(&self, p: ProcessId, r: &crate::ir::Receive, holders: &HashSet<(ProcessId, (u32, u32))>) -> bool {
        self.is_used(p, &r.channel, holders)
            && r.fields.iter().all(|f| match f {
                Pattern::Match(e) => !self.tells(p, e, holders),
                Pattern::Bind(place) => !touches(p, place, holders) && !self.indices_tell(p, place, holders),
                Pattern::Any => true,
            })
    }

    /// A value goes to a place: whether that is harmless.
    fn moves_to(
        &self,
        from: ProcessId,
        e: &Expr,
        to: ProcessId,
        place: &Place,
        holders: &mut HashSet<(ProcessId, (u32, u32))>,
    ) -> bool {
        if self.indices_tell(from, place, holders) {
            return false;
        }
        match e {
            Expr::Load(source) if touches(from, source, holders) => {
                holders.insert((to, hull(place)));
                place.area == Area::Local && !self.indices_tell(from, source, holders)
            }
            other => !self.tells(from, other, holders),
        }
    }

    /// Whether an expression names a channel in a way that does not depend on numbers.
    fn is_used(&self, p: ProcessId, e: &Expr, holders: &HashSet<(ProcessId, (u32, u32))>) -> bool {
        let place = match e {
            Expr::Load(place) => place,
            Expr::Const(n) => return (1..=self.model.channels.len() as i32).contains(n),
            _ => return false,
        };
        !self.indices_tell(p, place, holders) && !self.constants.may_be_any_channel(self.model, p, e)
    }

    fn indices_tell(&self, p: ProcessId, place: &Place, holders: &HashSet<(ProcessId, (u32, u32))>) -> bool {
        place.indices.iter().any(|i| self.tells(p, &i.value, holders))
    }

    /// Whether the value of an expression may depend on the number of a channel of a process.
    fn tells(&self, p: ProcessId, e: &Expr, holders: &HashSet<(ProcessId, (u32, u32))>) -> bool {
        match e {
            Expr::Load(place) => touches(p, place, holders) || self.indices_tell(p, place, holders),
            Expr::Unary(_, a) => self.tells(p, a, holders),
            Expr::Binary(_, a, b) => self.tells(p, a, holders) || self.tells(p, b, holders),
            Expr::Cond(parts) => parts.iter().any(|e| self.tells(p, e, holders)),
            Expr::Channel(_, c) => !self.is_used(p, c, holders),
            Expr::Poll(r) => !self.receives(p, r, holders),
            Expr::Const(_) | Expr::Pid | Expr::Timeout => false,
            _ => true,
        }
    }

    /// The largest number of processes in a state with which no limit can have been reached; 0 when there is none.
    fn crowd_max(&self) -> u32 {
        let count = self.model.processes.len();
        // How often each type starts each other.
        let mut starts: Vec<Vec<(usize, u64)>> = vec![Vec::new(); count];
        let mut entering = vec![Vec::new(); self.model.locations.len()];
        for e in self.model.edges.iter().filter(|e| e.to != LocationId::EXIT) {
            entering[e.to.index()].push(e.from);
        }
        for p in (0..count as u32).map(ProcessId) {
            let own: Vec<&Edge> = self.edges().filter(|(q, _)| *q == p).map(|(_, e)| e).collect();
            let body = Body { process: p, flags: self.flags(p, &own), own };
            for e in &body.own {
                for q in runs(e) {
                    let Some(times) = self.times(&body, e, &entering) else { return 0 };
                    starts[p.index()].push((q.index(), times));
                }
            }
        }
        // Members and channels of a family, of a line of descent no longer than the round.
        let mut sizes = vec![(0u64, 0u64); count];
        for length in 1..=LIMIT as u32 {
            let next: Vec<(u64, u64)> = (0..count)
                .map(|p| {
                    let own = (1u64, self.model.processes[p].channels.len() as u64);
                    starts[p].iter().fold(own, |(a, b), &(q, n)| {
                        (a.saturating_add(n.saturating_mul(sizes[q].0)), b.saturating_add(n.saturating_mul(sizes[q].1)))
                    })
                })
                .collect();
            let sum = |of: fn(&(u64, u64)) -> u64| {
                self.model.start.iter().fold(0u64, |n, p| n.saturating_add(of(&next[p.index()])))
            };
            if sum(|s| s.0) > LIMIT || sum(|s| s.1).saturating_add(self.model.channels.len() as u64) > LIMIT {
                // A family that starts with one process is no longer than the state is large.
                return length - 1;
            }
            if next == sizes {
                return u32::MAX;
            }
            sizes = next;
        }
        u32::MAX
    }

    /// Local variables of a process that may serve as flags: others keep their first values.
    fn flags(&self, p: ProcessId, own: &[&Edge]) -> Vec<Flag> {
        let leaves = self.model.process(p).locals.iter().filter(|l| l.dims.is_empty());
        let flags = leaves.map(|l| (l.offset, l.offset + l.scalar.size()));
        flags.filter(|f| own.iter().any(|e| writes(e, Some(*f)))).collect()
    }

    /// How often an edge can be taken by one process, if there is a bound: it lies on no cycle, or every cycle needs a flag
    /// that is only ever set.
    fn times(&self, body: &Body<'_>, edge: &Edge, entering: &[Vec<LocationId>]) -> Option<u64> {
        if self.model.location(edge.from).inside_d_step {
            return None;
        }
        // Locations from which the edge can be reached.
        let (mut before, mut work) = (HashSet::new(), vec![edge.from]);
        while let Some(l) = work.pop() {
            if before.insert(l) {
                work.extend(&entering[l.index()]);
            }
        }
        // What is stored when the edge can no longer be taken does not matter.
        let own: Vec<&Edge> = body.own.iter().copied().filter(|e| before.contains(&e.to)).collect();
        // Flags are asked only about edges on cycles.
        let with = |flag| self.times_with(body.process, &own, edge, flag);
        with(None).or_else(|| body.flags.iter().filter_map(|f| with(Some(*f))).min())
    }

    /// The same with one flag: a local variable, which has its first value or one that was stored.
    fn times_with(&self, p: ProcessId, own: &[&Edge], edge: &Edge, flag: Option<Flag>) -> Option<u64> {
        let writes = |e: &Edge| writes(e, flag);
        // All values that are stored to the flag; nothing when one of them is not known.
        let mut values = Vec::new();
        for e in own.iter().filter(|e| writes(e)) {
            for a in actions(e) {
                match a {
                    Action::Assign(place, value) if place.area == Area::Local => {
                        if Some(hull(place)) == flag {
                            let known = Known { process: p, pid: None, frame: None };
                            values.push(place.scalar.cut(self.constants.value(known, value)?));
                        } else if flag.is_some_and(|f| overlaps(hull(place), f)) {
                            return None;
                        }
                    }
                    Action::Assign(..) | Action::Guard(_) | Action::Assert(_) | Action::Print { .. } => {}
                    Action::Skip | Action::Else | Action::Run { target: None, .. } => {}
                    _ => return None,
                }
            }
        }
        // Behind a store the guard fails for good.
        let shut = |e: &Edge| {
            let Action::Guard(guard) = &e.action else { return false };
            !values.is_empty() && flag.is_some_and(|f| values.iter().all(|v| refuses(guard, f, *v)))
        };
        // Whether the edge can be taken from a location on, before the flag is stored and behind that.
        let taken = |from: LocationId, set: bool| {
            let (mut seen, mut work, mut found) = (HashSet::new(), vec![(from, set)], (false, false));
            while let Some((l, set)) = work.pop() {
                if l == LocationId::EXIT || !seen.insert((l, set)) {
                    continue;
                }
                for &id in &self.model.location(l).edges {
                    let e = self.model.edge(id);
                    if set && shut(e) {
                        continue;
                    }
                    found.0 |= !set && std::ptr::eq(e, edge);
                    found.1 |= set && std::ptr::eq(e, edge);
                    work.push((e.to, set || writes(e)));
                }
            }
            found
        };
        let (before, behind) = taken(self.model.process(p).entry, false);
        let again = before && taken(edge.to, writes(edge)).0 || behind && taken(edge.to, true).1;
        (!again).then_some(u64::from(before) + u64::from(behind))
    }
}

/// Whether an edge may store to a flag.
fn writes(e: &Edge, flag: Option<Flag>) -> bool {
    let Some(flag) = flag else { return false };
    let mut yes = false;
    for a in actions(e) {
        walk::action(a, &mut |item| {
            if let Item::Write(place) = item {
                yes |= place.area == Area::Local && overlaps(hull(place), flag);
            }
        });
        // What a `d_step` stores is not looked into.
        yes |= matches!(a, Action::DStep(_));
    }
    yes
}

/// Whether a place may be one of those that hold channels.
fn touches(p: ProcessId, place: &Place, holders: &HashSet<(ProcessId, (u32, u32))>) -> bool {
    place.area == Area::Local && holders.iter().any(|(q, at)| *q == p && overlaps(*at, hull(place)))
}

/// Whether a guard is false when a local scalar has a value.
fn refuses(guard: &Expr, flag: (u32, u32), value: i32) -> bool {
    let is = |e: &Expr| matches!(e, Expr::Load(p) if p.area == Area::Local && p.indices.is_empty() && (p.offset, p.offset + p.scalar.size()) == flag);
    match guard {
        Expr::Binary(Binary::And, a, b) => refuses(a, flag, value) || refuses(b, flag, value),
        Expr::Unary(Unary::Not, a) if is(a) => value != 0,
        Expr::Binary(op @ (Binary::Eq | Binary::Ne | Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge), a, b) => {
            match (&**a, &**b) {
                (a, Expr::Const(k)) if is(a) => compare(negated(*op), value, *k),
                _ => false,
            }
        }
        e => is(e) && value == 0,
    }
}
