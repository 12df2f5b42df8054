//! The host's side of a search: memory, launches, growth, beginning again with wider fields, and the way back.

use crate::device::{Address, Device, Kernel, Trouble};
use crate::kernel::{self, Sizes, abort, back_param, control, fill_param, item_words, param, stop};
use crate::layout::{Layout, Wider};
use crate::learn::{Key, Learnt};
use crate::lower::Checks;
use crate::table::Kind;
use crate::{Reason, layout, way};
use ferrospin_model::failure::FailureKind;
use ferrospin_model::ir::Model;
use ferrospin_system::{Control, Failure, Machine, Move, Moves};
use std::time::{Duration, Instant};
use thiserror::Error;

/// Attempts with wider fields before the search is given up.
const ATTEMPTS_MAX: u32 = 200;
/// Levels that can be counted, unless the options set another number.
const LEVELS: u64 = 1 << 20;
/// States of a prologue at most.
const PROLOGUE_MAX: usize = 4096;

/// Memory of the device to begin with, and to end with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Memory {
    /// Slots of the table: a power of two.
    pub slots: u64,
    /// States in the queue: a power of two.
    pub queue: u64,
    /// Bytes that table and queue may take together; 0 for what the device has.
    pub bytes_max: u64,
    /// Levels that can be counted.
    pub levels: u64,
}

/// What is looked for, and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// Failed assertions are no violations.
    pub ignore_assert: bool,
    /// Invalid end states are no violations.
    pub ignore_end_states: bool,
    /// At an end, channels must be empty.
    pub require_empty_channels: bool,
    /// Stop at the end of the level in which this many violations were found; 0 counts all.
    pub errors_max: u64,
    /// Stop at this depth; 0 means no limit.
    pub depth_max: u64,
    /// Sizes of a block.
    pub sizes: Sizes,
    /// The form of the table; `None` for what suits the states.
    pub table: Option<Kind>,
    /// Memory to begin with; `None` for what suits the device.
    pub memory: Option<Memory>,
    /// Cycles before the kernel returns to say how far it has come.
    pub cycles: u64,
    /// Steps of the sample from which ranges are learnt, and states of a level of it.
    pub sample: (usize, usize),
}

impl Default for Options {
    fn default() -> Self {
        Options {
            ignore_assert: false,
            ignore_end_states: false,
            require_empty_channels: false,
            errors_max: 1,
            depth_max: 0,
            sizes: Sizes::default(),
            table: None,
            memory: None,
            cycles: 400_000_000,
            sample: (200_000, 256),
        }
    }
}

/// How far a search has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// States found.
    pub states: u64,
    /// Arrivals at states that were known.
    pub matched: u64,
    /// Levels expanded.
    pub depth: u64,
    /// States that wait.
    pub waiting: u64,
    /// Memory of the device.
    pub memory_bytes: u64,
}

/// Why a search has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// Everything was seen.
    Complete,
    /// Enough violations were found.
    Violations,
    /// The limit on depth was reached.
    Depth,
    /// The caller asked for it.
    Caller,
    /// The memory of the device is full.
    Full,
}

/// A violation with the moves that lead to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// What failed; `None` for an invalid end state.
    pub failure: Option<Failure>,
    /// From the initial state.
    pub trail: Vec<Move>,
}

/// How the search was done.
#[derive(Clone, Debug, PartialEq)]
pub struct Figures {
    /// The device.
    pub device: String,
    /// Time in kernels of the search.
    pub search: Duration,
    /// Time for making and loading kernels, of the last attempt.
    pub making: Duration,
    /// Time for the way back.
    pub back: Duration,
    /// Bits of a state.
    pub bits: u32,
    /// What takes them, the largest first.
    pub fields: Vec<String>,
    /// The form of the table.
    pub table: Kind,
    /// Its slots.
    pub slots: u64,
    /// Fields that were too narrow, in words, in the order in which that was found.
    pub widened: Vec<String>,
    /// How often table or queue grew.
    pub grown: u32,
    /// The largest level.
    pub widest: u64,
}

/// What a search found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Distinct states.
    pub states: u64,
    /// Arrivals at states that were known.
    pub matched: u64,
    /// Steps inside `atomic`.
    pub atomic_steps: u64,
    /// The greatest distance from the initial state.
    pub depth: u64,
    /// Violations.
    pub errors: u64,
    /// The first of them.
    pub violation: Option<Violation>,
    /// Why it ended.
    pub ended: Ended,
    /// Bytes of the memory of the device.
    pub memory_bytes: u64,
    /// How it was done.
    pub figures: Figures,
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum Failed {
    /// The model does not go to a device.
    #[error("{}", .0.first().map_or("the model does not qualify", |r| &r.what))]
    Unfit(Vec<Reason>),
    /// Something about its size keeps the model from the device.
    #[error("{0}")]
    TooLarge(String),
    /// The device failed.
    #[error("{0}")]
    Device(#[from] Trouble),
    /// Something that must hold does not.
    #[error("internal error: {0}")]
    Internal(String),
}

/// The beginning, as long as there is no choice.
struct Prologue {
    states: Vec<Vec<u8>>,
    /// The moves from each to the next.
    moves: Vec<Vec<Move>>,
    inner: u64,
}

fn prologue(machine: &mut dyn Machine) -> Result<Prologue, Failure> {
    let mut first = Vec::new();
    machine.initial(&mut first)?;
    let mut p = Prologue { states: vec![first], moves: Vec::new(), inner: 0 };
    let (mut moves, mut next) = (Moves::default(), Vec::new());
    while p.states.len() < PROLOGUE_MAX {
        let mut at = p.states.last().expect("there is one").clone();
        let (mut control, mut path) = (Control::Free, Vec::new());
        let mut inner = 0;
        loop {
            machine.moves(&at, control, &mut moves);
            let only = match moves.list[..] {
                [only] if moves.failures.is_empty() && path.len() < PROLOGUE_MAX => only,
                _ => return Ok(p),
            };
            let step = machine.apply(&at, &only, &mut next);
            if !step.proceeds || step.failure.is_some() {
                return Ok(p);
            }
            path.push(only);
            std::mem::swap(&mut at, &mut next);
            control = step.control;
            if control == Control::Free {
                break;
            }
            inner += 1;
            // Who is blocked inside `atomic` loses control.
            machine.moves(&at, control, &mut moves);
            if moves.list.is_empty() && moves.failures.is_empty() {
                break;
            }
        }
        if p.states.contains(&at) {
            return Ok(p);
        }
        p.states.push(at);
        p.moves.push(path);
        p.inner += inner;
    }
    Ok(p)
}

/// Searches a model on a device. `machine` is any executor of the model; `go_on` is asked now and then.
pub fn search(
    device: &mut dyn Device,
    model: &Model,
    machine: &mut dyn Machine,
    options: &Options,
    go_on: &mut dyn FnMut(&Progress) -> bool,
) -> Result<Found, Failed> {
    let reasons = layout::reasons(model);
    if !reasons.is_empty() {
        return Err(Failed::Unfit(reasons));
    }
    let prologue = prologue(machine)
        .map_err(|_| Failed::TooLarge("there is no initial state: the search on the CPU says why".into()))?;
    let mut learnt = Learnt::default();
    let last = prologue.states.last().expect("there is one").clone();
    let (steps, beam) = options.sample;
    learnt.explore(model, machine, &[last], beam, steps);
    let mut wider = Wider::default();
    let mut widened = Vec::new();
    let mut sizes = options.sizes;
    for _ in 0..ATTEMPTS_MAX {
        let layout = Layout::new(model, &learnt, &wider, &prologue.states[0]).map_err(|r| Failed::Unfit(vec![r]))?;
        let mut attempt = Attempt::new(device, &layout, options, sizes, &prologue)?;
        let result = attempt.run(machine, go_on);
        attempt.release();
        match result? {
            Outcome::Found(mut found) => {
                found.figures.widened = widened;
                return Ok(*found);
            }
            Outcome::Misfits(keys) => {
                for key in keys {
                    widened.push(layout.name(key));
                    *wider.keys.entry(key).or_insert(0) += 1;
                    if let Key::Location(slot) = key {
                        learn_births(model, &mut learnt, slot, wider.keys[&key])?;
                    }
                }
            }
            Outcome::Stack => {
                sizes.stack *= 4;
                sizes.blocks_min = (sizes.blocks_min / 2).max(1);
                if sizes.stack > 64 {
                    sizes.threads /= 2;
                }
                if sizes.threads < 32.min(options.sizes.threads) {
                    return Err(Failed::TooLarge("an `atomic` has more ways than the device can hold".into()));
                }
            }
            Outcome::Stage => {
                if sizes.stage >= 32 {
                    return Err(Failed::TooLarge("a state has more successors than the device can hold".into()));
                }
                sizes.stage *= 2;
                sizes.blocks_min = (sizes.blocks_min / 2).max(1);
            }
        }
    }
    let last = widened.last().map_or(String::new(), |w| format!(", {w} last"));
    Err(Failed::Internal(format!("fields were widened again and again{last}")))
}

/// A process was born, or ended, where the sample had none: from now on that may happen.
fn learn_births(model: &Model, learnt: &mut Learnt, slot: usize, times: u32) -> Result<(), Failed> {
    if times < 2 {
        return Ok(());
    }
    // All types that are started somewhere may have any of the later numbers.
    let types: Vec<_> = model
        .edges
        .iter()
        .flat_map(|e| std::iter::once(&e.action).chain(&e.then))
        .filter_map(|a| match a {
            ferrospin_model::ir::Action::Run { process, .. } => Some(*process),
            _ => None,
        })
        .collect();
    if types.is_empty() {
        return Ok(());
    }
    if learnt.locations.len() > slot + 1 || times > 3 {
        for seen in learnt.locations.iter_mut().skip(slot.saturating_sub(1)) {
            if seen.contains(&None) {
                seen.extend(types.iter().map(|t| Some(model.process(*t).entry)));
            }
        }
    }
    if learnt.locations.len() >= 32 {
        return Err(Failed::TooLarge("the number of processes grows: more than 32 live at once".into()));
    }
    let mut fresh: std::collections::BTreeSet<_> = types.iter().map(|t| Some(model.process(*t).entry)).collect();
    fresh.insert(None);
    learnt.locations.push(fresh);
    Ok(())
}

enum Outcome {
    Found(Box<Found>),
    Misfits(Vec<Key>),
    Stack,
    Stage,
}

/// A search with one layout.
struct Attempt<'a, 'm> {
    device: &'a mut dyn Device,
    layout: &'a Layout<'m>,
    options: &'a Options,
    prologue: &'a Prologue,
    kind: Kind,
    sizes: Sizes,
    slots: u64,
    queue_len: u64,
    levels: u64,
    table: Option<Address>,
    queue: Option<Address>,
    control: Option<Address>,
    bounds: Option<Address>,
    search: Kernel,
    fill: Kernel,
    /// The first state of the prologue that fits the layout, and where each of those from there on begins.
    seeded: usize,
    took: Duration,
    making: Duration,
    grown: u32,
    can_grow: bool,
}

fn kinds(layout: &Layout<'_>) -> Vec<(Kind, u32)> {
    let used = |w: usize| layout.used.get(w).copied().unwrap_or(0);
    let top = (0..layout.words).filter(|w| used(*w) > 0).map(|w| 32 * w as u32 + used(w)).max().unwrap_or(0);
    let mut list = Vec::new();
    if layout.words <= 2 && used(1) <= 31 {
        list.push((Kind::Direct64, top));
    }
    if layout.words <= 3 {
        list.push((Kind::Quotient64, top));
    }
    if layout.words <= 4 && used(1) <= 31 && used(3) <= 31 {
        list.push((Kind::Direct128, top));
    }
    if top <= 54 {
        list.push((Kind::Quotient32, top));
    }
    list
}

fn power_below(n: u64) -> u64 {
    if n == 0 { 0 } else { 1 << (63 - n.leading_zeros()) }
}

impl<'a, 'm> Attempt<'a, 'm> {
    fn new(
        device: &'a mut dyn Device,
        layout: &'a Layout<'m>,
        options: &'a Options,
        sizes: Sizes,
        prologue: &'a Prologue,
    ) -> Result<Self, Failed> {
        if layout.fields.len() > control::FIELDS_MAX {
            return Err(Failed::TooLarge(format!("a state has {} fields", layout.fields.len())));
        }
        let free = device.free_bytes()?;
        let item = 8 * item_words(layout.words).max(1) as u64;
        let possible = kinds(layout);
        let wanted = |(kind, top): &&(Kind, u32)| {
            options.table.is_none_or(|k| k == *kind) && kind.slots_min(*top) * kind.slot_bytes() <= free / 8 * 5
        };
        let Some((kind, top)) = possible.iter().find(wanted).copied() else {
            let why = format!("a state takes {} bits, which is too much for the tables of the device", layout.bits);
            return Err(Failed::TooLarge(why));
        };
        let least = kind.slots_min(top).next_power_of_two();
        let (slots, queue_len) = match options.memory {
            Some(m) => (m.slots.max(least), m.queue),
            None => {
                let table = power_below((free / 5).min(8 << 30)) / kind.slot_bytes();
                (table.max(least), power_below((free / 5).min(8 << 30) / item))
            }
        };
        let least = 2 * prologue.states.len().next_power_of_two() as u64;
        let queue_len = queue_len.max(least);
        let began = Instant::now();
        let checks = Checks {
            assertions: !options.ignore_assert,
            end_states: !options.ignore_end_states,
            empty_channels: options.require_empty_channels,
        };
        let unfit = |r| Failed::Unfit(vec![r]);
        let program = kernel::search(layout, kind, sizes, checks).map_err(unfit)?;
        device.unload();
        let search = device.load(&program)?;
        let fill = device.load(&kernel::fill(layout.words, kind, sizes.threads))?;
        let making = began.elapsed();
        let mut me = Attempt {
            device,
            layout,
            options,
            prologue,
            kind,
            sizes,
            slots,
            queue_len,
            levels: options.memory.map_or(LEVELS, |m| m.levels).max(least),
            table: None,
            queue: None,
            control: None,
            bounds: None,
            search,
            fill,
            seeded: 0,
            took: Duration::ZERO,
            making,
            grown: 0,
            can_grow: true,
        };
        if let Err(trouble) = me.allocate() {
            me.release();
            return Err(trouble.into());
        }
        Ok(me)
    }

    fn item_bytes(&self) -> u64 {
        8 * item_words(self.layout.words).max(1) as u64
    }

    fn allocate(&mut self) -> Result<(), Trouble> {
        self.table = Some(self.device.allocate(self.slots * self.kind.slot_bytes())?);
        self.queue = Some(self.device.allocate(self.queue_len * self.item_bytes())?);
        self.control = Some(self.device.allocate(8 * u64::from(control::COUNT))?);
        self.bounds = Some(self.device.allocate(8 * (self.levels + 2))?);
        Ok(())
    }

    fn release(&mut self) {
        for at in [&mut self.table, &mut self.queue, &mut self.control, &mut self.bounds] {
            if let Some(at) = at.take() {
                self.device.free(at);
            }
        }
    }

    fn table_at(&self) -> u64 {
        self.table.expect("it is allocated").0
    }

    fn queue_at(&self) -> u64 {
        self.queue.expect("it is allocated").0
    }

    fn control_at(&self) -> Address {
        self.control.expect("it is allocated")
    }

    fn set(&mut self, place: u32, values: &[u64]) -> Result<(), Trouble> {
        let at = Address(self.control_at().0 + 8 * u64::from(place));
        self.device.write(at, values)
    }

    /// Clears the table and fills it with states of the queue.
    fn refill(&mut self, to: u64) -> Result<bool, Trouble> {
        let table = self.table.expect("it is allocated");
        self.device.clear(table, self.slots * self.kind.slot_bytes())?;
        let mut params = vec![0; fill_param::COUNT as usize];
        params[fill_param::CONTROL as usize] = self.control_at().0;
        params[fill_param::TABLE as usize] = self.table_at();
        params[fill_param::MASK as usize] = self.kind.mask(self.slots);
        params[fill_param::QUEUE as usize] = self.queue_at();
        params[fill_param::QUEUE_MASK as usize] = self.queue_len - 1;
        params[fill_param::TO as usize] = to;
        let blocks = self.device.blocks(self.fill)?;
        let blocks = u64::from(blocks).min(to.div_ceil(u64::from(self.sizes.threads))).max(1) as u32;
        self.took += self.device.launch(self.fill, blocks, &params)?;
        let mut why = [0];
        self.device.read(Address(self.control_at().0 + 8 * u64::from(control::ABORT)), &mut why)?;
        Ok(why[0] == 0)
    }

    /// Puts the states of the prologue that fit into queue and table.
    fn seed(&mut self) -> Result<Option<Vec<Key>>, Trouble> {
        let states = &self.prologue.states;
        let mut packed = Vec::new();
        for (number, state) in states.iter().enumerate().rev() {
            match self.layout.pack(state) {
                Ok(words) => packed.push(words),
                // What the search begins with must fit. What does not is never reached again; so nothing before it may fit.
                Err(key) => {
                    let fits = |state: &Vec<u8>| self.layout.pack(state).is_ok();
                    if packed.is_empty() || states[..number].iter().any(fits) {
                        return Ok(Some(vec![key]));
                    }
                    break;
                }
            }
        }
        packed.reverse();
        self.seeded = states.len() - packed.len();
        let count = packed.len() as u64;
        let items: Vec<u64> = packed
            .iter()
            .flat_map(|words| {
                words.chunks(2).map(|c| u64::from(c[0]) | u64::from(c.get(1).copied().unwrap_or(0)) << 32)
            })
            .collect();
        let queue = self.queue.expect("it is allocated");
        self.device.write(queue, &items)?;
        let bounds = self.bounds.expect("it is allocated");
        self.device.write(bounds, &(0..=count).collect::<Vec<u64>>())?;
        let mut words = vec![0; control::COUNT as usize];
        words[control::CURSOR as usize] = count - 1;
        words[control::LOW as usize] = count - 1;
        words[control::HIGH as usize] = count;
        words[control::TAIL as usize] = count;
        words[control::LEVEL as usize] = count - 1;
        words[control::WORST as usize] = u64::MAX;
        self.set(0, &words)?;
        self.refill(count)?;
        Ok(None)
    }

    /// Makes room for more states: whether that was possible. All states below `high` must be in the queue.
    fn grow(&mut self, high: u64, table: bool, queue: bool) -> Result<bool, Trouble> {
        let bytes_max = self.options.memory.map_or(0, |m| m.bytes_max);
        if high > self.queue_len {
            return Ok(false);
        }
        let (item, slot) = (self.item_bytes(), self.kind.slot_bytes());
        let total = self.device.free_bytes()? + self.memory_bytes();
        let total = if bytes_max == 0 { total } else { total.min(bytes_max) };
        // Half of all is for the table: without it there is no search, without the whole queue there is no way back.
        let table_max = power_below(total / 2);
        let mut refilled = false;
        for factor in if table { &[8, 4, 2][..] } else { &[] } {
            let bytes = self.slots * slot * factor;
            if refilled || bytes > table_max || bytes > self.device.free_bytes()? / 16 * 15 {
                continue;
            }
            let Ok(new) = self.device.allocate(bytes) else { continue };
            let old = self.table.replace(new).expect("it is allocated");
            self.device.free(old);
            self.slots *= factor;
            refilled = true;
        }
        let kept = if self.slots * slot < table_max { table_max } else { 0 };
        let mut grown = false;
        for factor in if queue { &[8, 4, 2][..] } else { &[] } {
            let bytes = self.queue_len * item * factor;
            let beside = self.slots * slot + self.queue_len * item;
            let fits = bytes_max == 0 || bytes + beside <= bytes_max;
            if grown || !fits || bytes > (self.device.free_bytes()? / 16 * 15).saturating_sub(kept) {
                continue;
            }
            let Ok(new) = self.device.allocate(bytes) else { continue };
            let old = self.queue.replace(new).expect("it is allocated");
            self.device.copy(old, new, high * item)?;
            self.device.free(old);
            self.queue_len *= factor;
            grown = true;
        }
        if refilled {
            self.refill(high)?;
        }
        self.grown += u32::from(grown) + u32::from(refilled);
        Ok(grown || refilled)
    }

    /// Goes on after the table, or the queue, was full: whether that is possible. Where the queue cannot grow it becomes a
    /// ring, in which the way back is lost.
    fn make_room(&mut self, high: u64, table: bool) -> Result<bool, Trouble> {
        if high > self.queue_len {
            return Ok(false);
        }
        let grown = self.can_grow && self.grow(high, table, !table)?;
        if table {
            return Ok(grown);
        }
        let becomes_ring = !grown && self.can_grow;
        self.can_grow &= grown;
        Ok((grown || becomes_ring) && self.refill(high)?)
    }

    fn params(&self) -> Vec<u64> {
        let mut p = vec![0; param::COUNT as usize];
        p[param::CONTROL as usize] = self.control_at().0;
        p[param::TABLE as usize] = self.table_at();
        p[param::MASK as usize] = self.kind.mask(self.slots);
        p[param::QUEUE as usize] = self.queue_at();
        p[param::QUEUE_MASK as usize] = self.queue_len - 1;
        p[param::BOUNDS as usize] = self.bounds.expect("it is allocated").0;
        p[param::STATES_MAX as usize] = self.slots / 10 * 9 + 16;
        let crowded = (self.slots / 20 * 13).min(self.queue_len / 2).max(1);
        p[param::GROW_AT as usize] = if self.can_grow { crowded } else { u64::MAX };
        p[param::ROOM as usize] = if self.can_grow { self.queue_len } else { u64::MAX };
        p[param::CYCLES as usize] = self.options.cycles;
        p[param::LEVELS_MAX as usize] = self.levels - 2;
        if self.options.depth_max > 0 {
            p[param::LEVELS_MAX as usize] = self.options.depth_max.saturating_sub(self.seeded as u64).max(1);
        }
        let most = self.options.errors_max;
        p[param::VIOLATIONS_MAX as usize] = if most == 0 { u64::MAX } else { most };
        p
    }

    fn run(&mut self, machine: &mut dyn Machine, go_on: &mut dyn FnMut(&Progress) -> bool) -> Result<Outcome, Failed> {
        if let Some(keys) = self.seed()? {
            return Ok(Outcome::Misfits(keys));
        }
        let blocks = self.device.blocks(self.search)?;
        let mut c = vec![0; control::COUNT as usize];
        loop {
            self.took += self.device.launch(self.search, blocks, &self.params())?;
            self.device.read(self.control_at(), &mut c)?;
            let at = |place: u32| c[place as usize];
            let high = at(control::HIGH);
            let progress = Progress {
                states: at(control::TAIL) + self.seeded as u64,
                matched: (at(control::TOTAL) + at(control::PENDING) + self.seeded as u64)
                    .saturating_sub(at(control::TAIL)),
                depth: at(control::LEVEL) + self.seeded as u64,
                waiting: at(control::TAIL).saturating_sub(at(control::CURSOR)),
                memory_bytes: self.memory_bytes(),
            };
            let ended = match at(control::STOP) {
                stop::DONE => Some(Ended::Complete),
                stop::VIOLATIONS => Some(Ended::Violations),
                stop::DEPTH => Some(Ended::Depth),
                stop::SLICE if !go_on(&progress) => Some(Ended::Caller),
                stop::SLICE => None,
                stop::GROW => {
                    let table = high >= self.slots / 20 * 13;
                    let queue = high >= self.queue_len / 2;
                    self.can_grow = self.grow(high, table, queue)?;
                    if go_on(&progress) { None } else { Some(Ended::Caller) }
                }
                stop::ABORTED => match at(control::ABORT) {
                    abort::MISFIT => {
                        let bits = &c[control::MISFITS as usize..];
                        let over = |id: usize| bits[id / 64] >> (id % 64) & 1 == 1;
                        let all = self.layout.fields.iter().enumerate();
                        return Ok(Outcome::Misfits(all.filter(|(id, _)| over(*id)).map(|(_, f)| f.key).collect()));
                    }
                    abort::STAGE => return Ok(Outcome::Stage),
                    abort::STACK => return Ok(Outcome::Stack),
                    abort::ENDLESS => {
                        return Err(Failed::TooLarge("an `atomic` takes too many steps, or does not end".into()));
                    }
                    why => {
                        // What the level has added is dropped, and it is expanded again in more room.
                        self.set(control::ABORT, &[0, 0, 0, 0, 0])?;
                        self.set(control::CURSOR, &[at(control::LOW), high])?;
                        if self.make_room(high, why == abort::TABLE)? { None } else { Some(Ended::Full) }
                    }
                },
                other => return Err(Failed::Internal(format!("the kernel ended for an unknown reason, {other}"))),
            };
            if let Some(ended) = ended {
                self.device.read(self.control_at(), &mut c)?;
                return self.finish(machine, &c, ended).map(|f| Outcome::Found(Box::new(f)));
            }
            self.set(control::STOP, &[0])?;
        }
    }

    fn memory_bytes(&self) -> u64 {
        self.slots * self.kind.slot_bytes() + self.queue_len * self.item_bytes()
    }

    fn finish(&mut self, machine: &mut dyn Machine, c: &[u64], ended: Ended) -> Result<Found, Failed> {
        let at = |place: u32| c[place as usize];
        let before = self.seeded as u64;
        let first = (self.prologue.states.len() - 1) as u64 - before;
        let expanded = at(control::TOTAL + 3);
        if expanded != at(control::LOW) - first {
            let text = format!("{expanded} states were expanded, of {}", at(control::LOW) - first);
            return Err(Failed::Internal(text));
        }
        let states = at(control::TAIL) + before;
        let arrivals = at(control::TOTAL) + at(control::PENDING);
        let transitions = arrivals + self.prologue.moves.len() as u64 + 1;
        let complete = ended == Ended::Complete || at(control::LOW) == at(control::HIGH);
        let depth = at(control::LEVEL) + before;
        let mut back = Duration::ZERO;
        let violation = match at(control::FIRST) {
            0 => None,
            level => Some(self.way_back(machine, level - 1, at(control::FIRST_KEY), &mut back)?),
        };
        Ok(Found {
            states,
            matched: transitions.saturating_sub(states),
            atomic_steps: at(control::TOTAL + 1) + self.prologue.inner,
            depth: if complete { depth - 1 } else { depth },
            errors: at(control::TOTAL + 2),
            violation,
            ended: if complete && ended == Ended::Depth { Ended::Complete } else { ended },
            memory_bytes: self.memory_bytes(),
            figures: Figures {
                device: self.device.name(),
                search: self.took,
                making: self.making,
                back,
                bits: self.layout.bits,
                fields: self.layout.describe(),
                table: self.kind,
                slots: self.slots,
                widened: Vec::new(),
                grown: self.grown,
                widest: at(control::WIDEST),
            },
        })
    }

    /// The violation in a state of a level, by its key, with the way there.
    fn way_back(
        &mut self,
        machine: &mut dyn Machine,
        level: u64,
        key: u64,
        took: &mut Duration,
    ) -> Result<Violation, Failed> {
        let mut tail = [0];
        self.device.read(Address(self.control_at().0 + 8 * u64::from(control::TAIL)), &mut tail)?;
        if tail[0] > self.queue_len {
            let why = "a violation was found, but the memory of the device does not hold the way to it";
            return Err(Failed::TooLarge(why.into()));
        }
        let first = self.prologue.states.len() - 1 - self.seeded;
        let words = self.layout.words;
        let holds = self.layout.model.edges.iter().any(|e| e.atomic);
        let program =
            kernel::back(self.layout, self.sizes.threads, u32::from(holds)).map_err(|r| Failed::Unfit(vec![r]))?;
        let kernel = self.device.load(&program)?;
        let blocks = self.device.blocks(kernel)?;
        let entry = item_words(words) + 2;
        let mut out = vec![u64::MAX; entry * (level as usize + 1)];
        self.set(control::ABORT, &[0])?;
        let memory = self.device.allocate((8 * out.len() as u64).next_multiple_of(16))?;
        let threads = u64::from(blocks) * u64::from(self.sizes.threads);
        let stacks = if holds { Some(self.device.allocate(threads * kernel::back_bytes(words))) } else { None };
        let result = (|| -> Result<(), Trouble> {
            self.device.write(memory, &out)?;
            let mut params = vec![0; back_param::COUNT as usize];
            params[back_param::CONTROL as usize] = self.control_at().0;
            params[back_param::QUEUE as usize] = self.queue_at();
            params[back_param::QUEUE_MASK as usize] = self.queue_len - 1;
            params[back_param::BOUNDS as usize] = self.bounds.expect("it is allocated").0;
            params[back_param::LEVEL as usize] = level;
            params[back_param::FIRST as usize] = first as u64;
            params[back_param::KEY as usize] = key;
            params[back_param::OUT as usize] = memory.0;
            if let Some(stacks) = &stacks {
                params.push(stacks.clone()?.0);
            }
            *took = self.device.launch(kernel, blocks, &params)?;
            self.device.read(memory, &mut out)
        })();
        self.device.free(memory);
        if let Some(Ok(stacks)) = stacks {
            self.device.free(stacks);
        }
        result?;
        let mut why = [0];
        self.device.read(Address(self.control_at().0 + 8 * u64::from(control::ABORT)), &mut why)?;
        if why[0] != 0 {
            return Err(Failed::Internal(format!("the way back was given up, for reason {}", why[0])));
        }
        // The beginning is known.
        let mut trail: Vec<Move> = self.prologue.moves.concat();
        let mut state = self.prologue.states.last().expect("there is one").clone();
        for (number, entry) in out.chunks(entry).enumerate().skip(first) {
            if entry[0] == u64::MAX {
                return Err(Failed::Internal(format!("there is no way to level {number}")));
            }
            let mut want: Vec<u32> = entry[2..].iter().flat_map(|v| [*v as u32, (v >> 32) as u32]).collect();
            want.truncate(words);
            if number == first {
                if self.layout.pack(&state).ok() != Some(want) {
                    return Err(Failed::Internal("the way back leads elsewhere".into()));
                }
                continue;
            }
            let Some((moves, next)) = way::to(self.layout, machine, &state, &want) else {
                return Err(Failed::Internal(format!("the executor knows no step to level {number} of the device")));
            };
            trail.extend(moves);
            state = next;
        }
        let ignores = self.options.ignore_assert;
        let counts = |f: &Failure| !(ignores && f.code.number == FailureKind::Assertion.number());
        let Some((moves, failure)) = way::failure(machine, &state, &counts) else {
            return Err(Failed::Internal("the executor finds nothing wrong where the device did".into()));
        };
        trail.extend(moves);
        Ok(Violation { failure, trail })
    }
}
