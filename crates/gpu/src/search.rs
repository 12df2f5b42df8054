//! The host's side of a search: memory, launches, growth, beginning again with wider fields, and the way back.

mod attempt;
mod cycles;
mod memory;
mod prologue;
mod trail;

use crate::automaton::Automaton;
use crate::device::{Device, Trouble};
use crate::kernel::Sizes;
use crate::layout::{Layout, Wider};
use crate::learn::{Key, Learnt};
use crate::table::Kind;
use crate::{Reason, layout};
use attempt::{Attempt, Outcome};
use ferrospin_model::ir::Model;
use ferrospin_system::{Failure, Machine, Move};
use prologue::{Prologue, prologue};
use std::time::{Duration, Instant};
use thiserror::Error;

/// Attempts with wider fields before the search is given up.
const ATTEMPTS_MAX: u32 = 200;

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
    /// The automaton of a formula: its violations are looked for, and no others.
    pub automaton: Option<Automaton>,
    /// Take only as many moves of a state as are enough.
    pub reduce: bool,
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
            automaton: None,
            reduce: false,
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

/// What is wrong at the end of a trail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Something fails there, or in the last step.
    Failure(Failure),
    /// It is an invalid end state.
    EndState,
    /// The formula fails whatever follows.
    Formula,
    /// These moves lead back there, and the formula fails on the run that repeats them for ever; where there are none the run
    /// stops.
    Cycle(Vec<Move>),
}

/// A violation with the moves that lead to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// What is wrong.
    pub fault: Fault,
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
    /// Time for the sample.
    pub sampling: Duration,
    /// Time for making and loading kernels, of the last attempt.
    pub making: Duration,
    /// The share of it that is the driver's: translating and loading.
    pub translating: Duration,
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
    /// Rounds of passes over all states that were made to look for cycles, and the time for them.
    pub rounds: u32,
    /// See `rounds`.
    pub cycles: Duration,
    /// Whether moves were left out.
    pub reduced: bool,
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
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    /// The device failed.
    #[error("{0}")]
    Device(#[from] Trouble),
    /// Something that must hold does not.
    #[error("internal error: {0}")]
    Internal(#[from] Broken),
}

/// What about its size keeps a model from the device.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[allow(missing_docs)]
pub enum TooLarge {
    #[error("there is no initial state: the search on the CPU says why")]
    NoInitialState,
    #[error("an `atomic` has more ways than the device can hold")]
    Ways,
    #[error("a state has more successors than the device can hold")]
    Successors,
    #[error("the number of processes grows: more than 32 live at once")]
    Processes,
    #[error("a state has {0} fields")]
    Fields(usize),
    #[error("a state takes {0} bits, which is too much for the tables of the device")]
    Bits(u32),
    #[error("an `atomic` takes too many steps, or does not end")]
    EndlessAtomic,
    #[error("a proposition of the formula has no value in some state")]
    NoValue,
    #[error("a violation was found, but there is no memory for the way to it")]
    NoWay,
    #[error("the device has no memory left to look for cycles")]
    NoRoomForCycles,
    #[error("there is an accepting cycle, but it was not found in time")]
    CycleNotFound,
}

/// What must hold and does not.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[allow(missing_docs)]
pub enum Broken {
    #[error("fields were widened again and again, {0} last")]
    Widened(String),
    #[error("the kernel ended for an unknown reason, {0}")]
    Stop(u64),
    #[error("{expanded} states were expanded, of {states}")]
    Expanded { expanded: u64, states: u64 },
    #[error("the way back was given up, for reason {0}")]
    Back(u64),
    #[error("there is no way to level {0}")]
    Level(usize),
    #[error("the way back leads elsewhere")]
    Elsewhere,
    #[error("the executor knows no step to state {0} of the way that the device found")]
    Step(usize),
    #[error("the executor finds nothing wrong where the device did")]
    NothingWrong,
    #[error("a pass over the states was given up, for reason {0}")]
    Pass(u64),
    #[error("the passes left states, and none of them accepts")]
    NothingAccepts,
}

/// What the CPU has seen of a model before a device searches it: the states before the first choice, and values that occur. It
/// needs no device, so that it can be made while one is opened.
#[derive(Clone)]
pub struct Sample {
    prologue: Prologue,
    learnt: Learnt,
    took: Duration,
}

impl Sample {
    /// Takes a sample. `machine` is any executor of the model.
    pub fn take(model: &Model, machine: &mut dyn Machine, options: &Options) -> Result<Sample, Failed> {
        let began = Instant::now();
        let reasons = layout::reasons(model);
        if !reasons.is_empty() {
            return Err(Failed::Unfit(reasons));
        }
        // With an automaton beside there is a choice, or it must be looked at, from the first state on.
        let prologue = prologue(machine, options.automaton.is_none()).map_err(|_| TooLarge::NoInitialState)?;
        let mut learnt = Learnt::default();
        let (steps, beam) = options.sample;
        learnt.explore(model, machine, std::slice::from_ref(prologue.last()), beam, steps);
        Ok(Sample { prologue, learnt, took: began.elapsed() })
    }
}

/// Searches a model on a device. `machine` is any executor of the model; `go_on` is asked now and then.
pub fn search(
    device: &mut dyn Device,
    model: &Model,
    machine: &mut dyn Machine,
    options: &Options,
    go_on: &mut dyn FnMut(&Progress) -> bool,
) -> Result<Found, Failed> {
    let sample = Sample::take(model, machine, options)?;
    search_from(device, model, machine, options, sample, go_on)
}

/// Searches a model of which there is a sample, taken with the same options.
pub fn search_from(
    device: &mut dyn Device,
    model: &Model,
    machine: &mut dyn Machine,
    options: &Options,
    sample: Sample,
    go_on: &mut dyn FnMut(&Progress) -> bool,
) -> Result<Found, Failed> {
    let Sample { prologue, mut learnt, took } = sample;
    let last = prologue.last().clone();
    let mut wider = Wider::default();
    let mut widened = Vec::new();
    let (mut sizes, mut spills) = (options.sizes, false);
    for _ in 0..ATTEMPTS_MAX {
        let layout = Layout::new(model, &learnt, &wider, &last, options.automaton.as_ref());
        let layout = layout.map_err(|r| Failed::Unfit(vec![r]))?;
        let mut attempt = Attempt::new(device, &layout, options, sizes, &prologue, spills)?;
        let result = attempt.run(machine, go_on);
        attempt.release();
        match result? {
            Outcome::Found(mut found) => {
                found.figures.widened = widened;
                found.figures.sampling = took;
                return Ok(*found);
            }
            Outcome::Spills => spills = true,
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
                    return Err(TooLarge::Ways.into());
                }
            }
            Outcome::Stage => {
                if sizes.stage >= 32 {
                    return Err(TooLarge::Successors.into());
                }
                sizes.stage *= 2;
                sizes.blocks_min = (sizes.blocks_min / 2).max(1);
            }
        }
    }
    Err(Broken::Widened(widened.last().cloned().unwrap_or_default()).into())
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
        return Err(TooLarge::Processes.into());
    }
    let mut fresh: std::collections::BTreeSet<_> = types.iter().map(|t| Some(model.process(*t).entry)).collect();
    fresh.insert(None);
    learnt.locations.push(fresh);
    Ok(())
}
