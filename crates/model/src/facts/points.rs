//! Which channels a channel variable may hold.
//!
//! Channels travel: through assignments, as arguments of `run`, and in messages. The analysis forgets the order of
//! statements and keeps one set for each variable and each field of each channel (Andersen, "Program analysis and
//! specialization for the C programming language", 1994). Whatever is computed, or was kept as a number in between,
//! may be any channel.

use super::creation::{immortal, started};
use super::object::overlaps;
use super::value::hull;
use crate::ir::{Action, Area, Channel, Expr, Init, Leaf, Model, Pattern, Place, ProcessId, Show};
use std::collections::HashMap;

/// The most channels that are told apart.
const SOURCES_MAX: usize = 512;

/// Channels by where they are created: global ones first, then those of process types.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Sources {
    bits: [u64; SOURCES_MAX / 64],
    /// It may be any channel.
    any: bool,
}

impl Sources {
    const ANY: Sources = Sources { bits: [0; SOURCES_MAX / 64], any: true };

    pub(super) fn is_any(&self) -> bool {
        self.any
    }

    fn one(i: usize) -> Sources {
        let mut s = Sources::default();
        s.bits[i / 64] |= 1 << (i % 64);
        s
    }

    fn add(&mut self, other: Sources) -> bool {
        let before = *self;
        self.bits.iter_mut().zip(other.bits).for_each(|(a, b)| *a |= b);
        self.any |= other.any;
        *self != before
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Variable {
    Leaf(Option<ProcessId>, usize),
    Field(usize, usize),
}

/// What every channel variable may hold.
pub(super) struct Points {
    sets: HashMap<Variable, Sources>,
    /// Of each process type, its first channel.
    starts: Vec<usize>,
    capacities: Vec<(u32, usize)>,
    /// Of each channel of a process type, the numbers that it has in processes that start with the system, and whether
    /// there can be others.
    numbers: Vec<(Vec<i32>, bool)>,
    /// Numbers from here on are given to channels of processes that are started later.
    later: i32,
    globals: usize,
    off: bool,
}

impl Points {
    pub(super) fn new(model: &Model) -> Points {
        let mut capacities: Vec<(u32, usize)> = Vec::new();
        let add = |list: &[Channel], to: &mut Vec<(u32, usize)>| {
            to.extend(list.iter().map(|c| (c.capacity, c.fields.len())));
        };
        add(&model.channels, &mut capacities);
        let mut starts = Vec::new();
        for p in &model.processes {
            starts.push(capacities.len());
            add(&p.channels, &mut capacities);
        }
        let off = capacities.len() > SOURCES_MAX;
        let globals = model.channels.len();
        let (numbers, later) = numbers(model, &starts, capacities.len());
        let mut me = Points { sets: HashMap::new(), starts, capacities, numbers, later, globals, off };
        while !off && me.round(model) {}
        me
    }

    /// Goes over the whole model once; whether something was learned.
    fn round(&mut self, model: &Model) -> bool {
        let mut news = self.births(model, None, &model.init);
        for (p, process) in model.processes.iter().enumerate() {
            news |= self.births(model, Some(ProcessId(p as u32)), &process.init);
        }
        for e in &model.edges {
            let who = model.location(e.from).process;
            for a in std::iter::once(&e.action).chain(&e.then) {
                news |= self.action(model, who, a);
            }
        }
        news
    }

    fn births(&mut self, model: &Model, who: Option<ProcessId>, list: &[(Place, Init)]) -> bool {
        let mut news = false;
        for (place, init) in list {
            let value = match init {
                Init::Channel(n) => Sources::one(who.map_or(0, |p| self.starts[p.index()]) + *n as usize),
                Init::Value(e) => self.of(model, who.unwrap_or(ProcessId(0)), e),
            };
            news |= self.store(model, who, place, value);
        }
        news
    }

    fn action(&mut self, model: &Model, who: ProcessId, action: &Action) -> bool {
        match action {
            Action::Assign(place, e) => {
                let value = self.of(model, who, e);
                self.store(model, Some(who), place, value)
            }
            Action::Run { process, args, .. } => {
                let params = &model.process(*process).params;
                params.iter().zip(args).fold(false, |news, (place, e)| {
                    let value = self.of(model, who, e);
                    self.store(model, Some(*process), place, value) | news
                })
            }
            Action::Send { channel, fields, .. } => {
                let to = self.of(model, who, channel);
                let values: Vec<Sources> = fields.iter().map(|e| self.of(model, who, e)).collect();
                let mut news = false;
                for source in self.each(to) {
                    for (i, v) in values.iter().enumerate() {
                        news |= self.sets.entry(Variable::Field(source, i)).or_default().add(*v);
                    }
                }
                news
            }
            Action::Receive(r) => {
                let from = self.of(model, who, &r.channel);
                let mut news = false;
                for (i, p) in r.fields.iter().enumerate() {
                    let Pattern::Bind(place) = p else { continue };
                    let mut value = Sources::default();
                    for source in self.each(from) {
                        value.add(self.sets.get(&Variable::Field(source, i)).copied().unwrap_or_default());
                    }
                    news |= self.store(model, Some(who), place, value);
                }
                news
            }
            Action::Call(c) => {
                c.writes.iter().fold(false, |news, place| self.store(model, Some(who), place, Sources::ANY) | news)
            }
            _ => false,
        }
    }

    fn leaves<'a>(model: &'a Model, who: Option<ProcessId>, place: &Place) -> (Option<ProcessId>, &'a [Leaf]) {
        match place.area {
            Area::Global => (None, &model.globals),
            Area::Local => (who, who.map_or(&[], |p| &model.process(p).locals)),
        }
    }

    fn touched<'a>(leaves: &'a [Leaf], place: &'a Place) -> impl Iterator<Item = (usize, &'a Leaf)> {
        let extent = |l: &Leaf| {
            let more: u32 = l.dims.iter().map(|(len, stride)| (len - 1) * stride).sum();
            (l.offset, l.offset + more + l.scalar.size())
        };
        leaves.iter().enumerate().filter(move |(_, l)| overlaps(extent(l), hull(place)))
    }

    fn store(&mut self, model: &Model, who: Option<ProcessId>, place: &Place, value: Sources) -> bool {
        let (owner, leaves) = Self::leaves(model, who, place);
        let touched: Vec<usize> = Self::touched(leaves, place).map(|(i, _)| i).collect();
        touched
            .into_iter()
            .fold(false, |news, i| self.sets.entry(Variable::Leaf(owner, i)).or_default().add(value) | news)
    }

    /// What an expression of a process may be.
    pub(super) fn of(&self, model: &Model, who: ProcessId, e: &Expr) -> Sources {
        if self.off {
            return Sources::ANY;
        }
        match e {
            Expr::Const(0) => Sources::default(),
            Expr::Load(place) => {
                let (owner, leaves) = Self::leaves(model, Some(who), place);
                let mut out = Sources::default();
                let mut found = false;
                for (i, leaf) in Self::touched(leaves, place) {
                    found = true;
                    out.add(if leaf.show == Show::Channel {
                        self.sets.get(&Variable::Leaf(owner, i)).copied().unwrap_or_default()
                    } else {
                        Sources::ANY
                    });
                }
                if found { out } else { Sources::ANY }
            }
            Expr::Cond(parts) => {
                let mut out = self.of(model, who, &parts[1]);
                out.add(self.of(model, who, &parts[2]));
                out
            }
            _ => Sources::ANY,
        }
    }

    fn each(&self, set: Sources) -> Vec<usize> {
        let all = self.capacities.len();
        (0..all).filter(|i| set.any || set.bits[i / 64] >> (i % 64) & 1 == 1).collect()
    }

    /// Numbers that the channels in a set may have.
    pub(super) fn numbers(&self, set: Sources) -> Vec<i32> {
        let mut out = Vec::new();
        for i in self.each(set) {
            if i < self.globals {
                out.push(i as i32 + 1);
                continue;
            }
            let (first, more) = &self.numbers[i];
            out.extend(first);
            if *more {
                out.extend(self.later..256);
            }
        }
        out
    }

    /// Capacity and number of fields of each channel in a set.
    pub(super) fn shapes(&self, set: Sources) -> Vec<(u32, usize)> {
        self.each(set).into_iter().map(|i| self.capacities[i]).collect()
    }
}

/// Where the channels were created that an expression may be: positions of channels, global ones first, then those of each process
/// type. A number that was given away again is not seen: what may be one channel of a process may be any such.
pub struct ChannelSources(Points);

impl ChannelSources {
    /// Analyses a model.
    pub fn new(model: &Model) -> ChannelSources {
        ChannelSources(Points::new(model))
    }

    /// The channels that an expression of a process may be.
    pub fn of(&self, model: &Model, process: ProcessId, e: &Expr) -> Vec<usize> {
        self.0.each(self.0.of(model, process, e))
    }
}

/// Numbers of the channels of processes that start with the system, whether processes of the type are started later too,
/// and from where on numbers may be given away again.
fn numbers(model: &Model, starts: &[usize], count: usize) -> (Vec<(Vec<i32>, bool)>, i32) {
    let (immortal, started) = (immortal(model), started(model));
    let mut out: Vec<(Vec<i32>, bool)> = vec![(Vec::new(), false); count];
    let mut next = model.channels.len() as i32 + 1;
    let mut later = None;
    for p in &model.start {
        for i in 0..model.process(*p).channels.len() {
            // The youngest process ends first, so that only numbers from here on become free.
            if !immortal[p.index()] {
                later.get_or_insert(next);
            }
            out[starts[p.index()] + i].0.push(next);
            next += 1;
        }
    }
    for (p, process) in model.processes.iter().enumerate() {
        for i in 0..process.channels.len() {
            out[starts[p] + i].1 = started[p];
        }
    }
    (out, later.unwrap_or(next))
}
