//! What is known of values before anything runs.
//!
//! *Constants*: global bytes that no edge ever writes keep their initial value. *Frozen locals*: bytes of a frame that no
//! edge writes as long as they may still be read keep the value they had at birth; for a process that exists it is
//! read from its frame. Channel variables and parameters are nearly always of this kind. With `_pid` they decide most
//! array indices and channels.

use super::object::{Channels, overlaps};
use super::points::Points;
use crate::ir::{
    Action, Area, Binary, Edge, EdgeId, Expr, Index, Init, LocationId, Model, Place, ProcessId, Scalar, Unary,
};
use crate::passes::walk::{self, Item};

/// What is known of one process.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    /// Its type.
    pub process: ProcessId,
    /// Its number; not known for processes that do not exist yet.
    pub pid: Option<u8>,
    /// Its frame, of which only frozen bytes may be believed.
    pub frame: Option<&'a [u8]>,
}

/// What never changes.
pub struct Constants {
    globals: Vec<Option<u8>>,
    frozen: Vec<Vec<bool>>,
    global_channels: i32,
    points: Points,
}

/// Bytes that a place may lie at, whatever its indices are.
pub fn hull(place: &Place) -> (u32, u32) {
    let more: u32 = place.indices.iter().map(|i| (i.len - 1) * i.stride).sum();
    (place.offset, place.offset + more + place.scalar.size())
}

impl Constants {
    /// Finds out what never changes in a model.
    pub fn new(model: &Model) -> Self {
        let mut me = Constants {
            globals: vec![None; model.layout.fixed_size as usize],
            frozen: Vec::new(),
            global_channels: model.channels.len() as i32,
            points: Points::new(model),
        };
        me.initialise(model);
        for e in &model.edges {
            for a in std::iter::once(&e.action).chain(&e.then) {
                walk::action(a, &mut |item| {
                    if let Item::Write(p) = item
                        && p.area == Area::Global
                    {
                        let (start, end) = hull(p);
                        me.globals[start as usize..end as usize].fill(None);
                    }
                });
            }
        }
        me.frozen = (0..model.processes.len()).map(|p| frozen(model, ProcessId(p as u32))).collect();
        me
    }

    /// Initial values of the globals. Places whose value is not found out stay unknown.
    fn initialise(&mut self, model: &Model) {
        for leaf in &model.globals {
            let more: u32 = leaf.dims.iter().map(|(len, stride)| (len - 1) * stride).sum();
            self.globals[leaf.offset as usize..(leaf.offset + more + leaf.scalar.size()) as usize].fill(Some(0));
        }
        let no_process = Known { process: ProcessId(0), pid: None, frame: None };
        for (place, init) in &model.init {
            let value = match init {
                Init::Channel(n) => Some(*n as i32 + 1),
                Init::Value(e) => self.value(no_process, e),
            };
            let (start, end) = self.range(no_process, place);
            let bytes = &mut self.globals[start as usize..end as usize];
            match value {
                Some(v) if bytes.len() == place.scalar.size() as usize => {
                    let cut = place.scalar.cut(v).to_le_bytes();
                    bytes.iter_mut().zip(cut).for_each(|(b, c)| *b = Some(c));
                }
                _ => bytes.fill(None),
            }
        }
    }

    /// Which bytes of a frame are frozen.
    pub fn frozen(&self, process: ProcessId) -> &[bool] {
        &self.frozen[process.index()]
    }

    /// The value of an expression, where it is always the same.
    pub fn value(&self, known: Known<'_>, e: &Expr) -> Option<i32> {
        Some(match e {
            Expr::Const(v) => *v,
            Expr::Pid => i32::from(known.pid?),
            Expr::Load(p) => {
                let (start, end) = self.range(known, p);
                if end - start != p.scalar.size() || !self.is_inside(known, p) {
                    return None;
                }
                self.read(known, p.area, start, p.scalar)?
            }
            Expr::Unary(op, a) => op.apply(self.value(known, a)?),
            Expr::Binary(Binary::And, a, b) => i32::from(self.value(known, a)? != 0 && self.value(known, b)? != 0),
            Expr::Binary(Binary::Or, a, b) => i32::from(self.value(known, a)? != 0 || self.value(known, b)? != 0),
            Expr::Binary(op, a, b) => op.apply(self.value(known, a)?, self.value(known, b)?)?,
            Expr::Cond(parts) => {
                let [c, a, b] = &**parts;
                if self.value(known, c)? != 0 { self.value(known, a)? } else { self.value(known, b)? }
            }
            _ => return None,
        })
    }

    /// Whether all indices of a place are known and inside.
    fn is_inside(&self, known: Known<'_>, place: &Place) -> bool {
        place.indices.iter().all(|i| self.value(known, &i.value).is_some_and(|v| v >= 0 && (v as u32) < i.len))
    }

    fn read(&self, known: Known<'_>, area: Area, at: u32, scalar: Scalar) -> Option<i32> {
        let mut bytes = [0u8; 4];
        for i in 0..scalar.size() {
            let at = (at + i) as usize;
            bytes[i as usize] = match area {
                Area::Global => (*self.globals.get(at)?)?,
                Area::Local if self.frozen[known.process.index()][at] => *known.frame?.get(at)?,
                Area::Local => return None,
            };
        }
        let raw = i32::from_le_bytes(bytes);
        Some(if scalar == Scalar::Short { i32::from(raw as i16) } else { raw })
    }

    /// Bytes that a place may lie at.
    pub fn range(&self, known: Known<'_>, place: &Place) -> (u32, u32) {
        let (mut start, mut more) = (place.offset, 0);
        for Index { value, len, stride } in &place.indices {
            match self.value(known, value) {
                Some(v) if v >= 0 && (v as u32) < *len => start += v as u32 * stride,
                _ => more += (len - 1) * stride,
            }
        }
        (start, start + more + place.scalar.size())
    }

    /// The channels that an expression may name, and whether it may name none.
    pub fn channels(&self, model: &Model, known: Known<'_>, e: &Expr) -> (Channels, bool) {
        let mut set = Channels::default();
        if let Some(v) = self.value(known, e) {
            set.insert(v);
            return (set, v <= 0);
        }
        if let Some(constants) = self.elements(known, e) {
            let none = constants.iter().any(|v| *v <= 0);
            constants.into_iter().for_each(|v| set.insert(v));
            return (set, none);
        }
        let numbers = self.points.numbers(self.points.of(model, known.process, e));
        numbers.into_iter().for_each(|n| set.insert(n));
        (set, true)
    }

    /// Whether nothing is known about the channel that an expression names.
    pub(super) fn may_be_any_channel(&self, model: &Model, process: ProcessId, e: &Expr) -> bool {
        self.points.of(model, process, e).is_any()
    }

    /// The elements of an array that never changes, for an element of it.
    fn elements(&self, known: Known<'_>, e: &Expr) -> Option<Vec<i32>> {
        let Expr::Load(p) = e else { return None };
        let (start, end) = self.range(known, p);
        let size = p.scalar.size();
        (start..)
            .step_by(size as usize)
            .take_while(|at| at + size <= end)
            .map(|at| self.read(known, p.area, at, p.scalar))
            .collect()
    }

    /// Capacity and number of fields of each channel that an expression may name.
    pub fn shapes(&self, model: &Model, known: Known<'_>, e: &Expr) -> Vec<(u32, usize)> {
        let (set, _) = self.channels(model, known, e);
        if self.is_owned(model, known, e) {
            return self.points.shapes(self.points.of(model, known.process, e));
        }
        let shape = |n: i32| model.channels.get(n as usize - 1).map(|c| (c.capacity, c.fields.len()));
        (1..=self.global_channels).filter(|n| set.contains(*n)).filter_map(shape).collect()
    }

    /// Least and greatest value of an expression.
    fn interval(&self, known: Known<'_>, e: &Expr) -> (i64, i64) {
        let all = (i64::from(i32::MIN), i64::from(i32::MAX));
        let fits = |(a, b): (i64, i64)| if a < all.0 || b > all.1 { all } else { (a, b) };
        if let Some(v) = self.value(known, e) {
            return (i64::from(v), i64::from(v));
        }
        match e {
            Expr::Load(p) => match p.scalar {
                Scalar::Unsigned(n) => (0, (1i64 << n) - 1),
                Scalar::Short => (i64::from(i16::MIN), i64::from(i16::MAX)),
                Scalar::Int => all,
            },
            Expr::Pid => (0, 254),
            Expr::Binary(op, a, b) => {
                let (x, y) = (self.interval(known, a), self.interval(known, b));
                match op {
                    Binary::Add => fits((x.0 + y.0, x.1 + y.1)),
                    Binary::Sub => fits((x.0 - y.1, x.1 - y.0)),
                    Binary::Rem if x.0 >= 0 && y.0 > 0 => (0, x.1.min(y.1 - 1)),
                    Binary::BitAnd if y.0 >= 0 => (0, y.1),
                    Binary::Div if x.0 >= 0 && y.0 > 0 => (0, x.1),
                    Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge | Binary::Eq | Binary::Ne => (0, 1),
                    Binary::And | Binary::Or => (0, 1),
                    _ => all,
                }
            }
            Expr::Unary(Unary::Not, _) => (0, 1),
            Expr::Cond(parts) => {
                let (x, y) = (self.interval(known, &parts[1]), self.interval(known, &parts[2]));
                (x.0.min(y.0), x.1.max(y.1))
            }
            _ => all,
        }
    }

    /// Whether an index of a place may be outside.
    pub fn may_fail_place(&self, model: &Model, known: Known<'_>, place: &Place) -> bool {
        place.indices.iter().any(|i| {
            let (low, high) = self.interval(known, &i.value);
            low < 0 || high >= i64::from(i.len) || self.may_fail(model, known, &i.value)
        })
    }

    /// Whether evaluating may fail.
    pub fn may_fail(&self, model: &Model, known: Known<'_>, e: &Expr) -> bool {
        match e {
            Expr::Load(p) => self.may_fail_place(model, known, p),
            Expr::Unary(_, a) => self.may_fail(model, known, a),
            Expr::Binary(op, a, b) => {
                let zero = matches!(op, Binary::Div | Binary::Rem) && {
                    let (low, high) = self.interval(known, b);
                    low <= 0 && high >= 0
                };
                zero || self.may_fail(model, known, a) || self.may_fail(model, known, b)
            }
            Expr::Cond(parts) => parts.iter().any(|e| self.may_fail(model, known, e)),
            // Whether a poll asks a rendezvous channel is not looked into.
            Expr::Poll(_) => true,
            Expr::Channel(_, c) => {
                self.channels(model, known, c).1 || self.may_fail(model, known, c) || self.is_owned(model, known, c)
            }
            Expr::AtLocation(_, pid, _) => pid.as_ref().is_some_and(|e| self.may_fail(model, known, e)),
            Expr::Remote(_, pid, place) => {
                pid.as_ref().is_some_and(|e| self.may_fail(model, known, e)) || self.may_fail_place(model, known, place)
            }
            Expr::Call(c) => c.may_fail || c.args.iter().any(|e| self.may_fail(model, known, e)),
            Expr::Enabled(_) | Expr::PcValue(_) | Expr::Priority(_) | Expr::Foreign => true,
            Expr::Const(_)
            | Expr::Pid
            | Expr::Last
            | Expr::ProcessCount
            | Expr::ChannelCount
            | Expr::Timeout
            | Expr::NonProgress => false,
        }
    }

    /// Whether an expression may name a channel that belongs to a process and can therefore die.
    pub fn is_owned(&self, model: &Model, known: Known<'_>, e: &Expr) -> bool {
        let (set, _) = self.channels(model, known, e);
        (self.global_channels + 1..256).any(|n| set.contains(n))
    }
}

/// All actions of an edge, those of its `d_step` included, in an order in which they may happen.
fn actions<'a>(model: &'a Model, edge: &'a Edge, out: &mut Vec<&'a Action>) {
    for a in std::iter::once(&edge.action).chain(&edge.then) {
        out.push(a);
        if let Action::DStep(entry) = a {
            for e in reachable(model, *entry) {
                out.push(&model.edge(e).action);
                out.extend(&model.edge(e).then);
            }
        }
    }
}

/// Edges that can be taken behind a location.
pub(super) fn reachable(model: &Model, from: LocationId) -> Vec<EdgeId> {
    let (mut seen, mut work, mut out) = (vec![false; model.locations.len()], vec![from], Vec::new());
    while let Some(l) = work.pop() {
        if l == LocationId::EXIT || std::mem::replace(&mut seen[l.index()], true) {
            continue;
        }
        for &e in &model.location(l).edges {
            out.push(e);
            work.push(model.edge(e).to);
        }
    }
    out
}

/// Which bytes of the frames of a type keep their value as long as they may be read.
fn frozen(model: &Model, process: ProcessId) -> Vec<bool> {
    let p = model.process(process);
    let mut frozen = vec![false; p.frame_size as usize];
    let local = |place: &Place, at: (u32, u32)| place.area == Area::Local && overlaps(hull(place), at);
    let own = |e: &&Edge| {
        let from = model.location(e.from);
        from.process == process && !from.inside_d_step
    };
    let edges: Vec<(&Edge, Vec<&Action>)> = model
        .edges
        .iter()
        .filter(own)
        .map(|e| {
            let mut list = Vec::new();
            actions(model, e, &mut list);
            (e, list)
        })
        .collect();
    for leaf in &p.locals {
        let more: u32 = leaf.dims.iter().map(|(len, stride)| (len - 1) * stride).sum();
        let at = (leaf.offset, leaf.offset + more + leaf.scalar.size());
        let does = |a: &Action, writes: bool| {
            let mut yes = false;
            walk::action(a, &mut |item| match item {
                Item::Write(p) if writes => yes |= local(p, at),
                Item::Read(p) if !writes => yes |= local(p, at),
                _ => {}
            });
            yes
        };
        let mut asked = false;
        for e in p.asked() {
            walk::expr(e, &mut |item| asked |= matches!(item, Item::Read(p) if local(p, at)));
        }
        // A store is harmless when the variable is not read behind it: a value that is dead may be overwritten.
        let harmless = |edge: &Edge, list: &[&Action]| {
            let Some(first) = list.iter().position(|a| does(a, true)) else { return true };
            let in_d_step = list.iter().any(|a| matches!(a, Action::DStep(_)));
            !asked
                && !in_d_step
                && !list[first..].iter().any(|a| does(a, false))
                && !reachable(model, edge.to).iter().any(|e| {
                    let mut behind = Vec::new();
                    actions(model, model.edge(*e), &mut behind);
                    behind.iter().any(|a| does(a, false))
                })
        };
        if edges.iter().all(|(e, list)| harmless(e, list)) {
            frozen[at.0 as usize..at.1 as usize].fill(true);
        }
    }
    frozen
}
