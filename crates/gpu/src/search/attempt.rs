//! A search with one layout: launches, and what the kernel says when it returns.

use super::memory::{self, kinds};
use super::prologue::Prologue;
use super::{Broken, Ended, Failed, Figures, Found, Options, Progress, TooLarge};
use crate::ample::Ample;
use crate::device::{Address, Device, Kernel, Trouble};
use crate::kernel::{self, Plan, Sizes, abort, control, param, stop};
use crate::layout::Layout;
use crate::learn::Key;
use crate::lower::Checks;
use crate::table::Kind;
use ferrospin_system::Machine;
use std::time::{Duration, Instant};

/// Levels that can be counted, unless the options say otherwise.
const LEVELS: u64 = 1 << 20;

/// What came of an attempt.
pub(super) enum Outcome {
    Found(Box<Found>),
    /// These fields are too narrow.
    Misfits(Vec<Key>),
    /// The levels before a violation are no longer in the queue: once more, with all levels kept by the host.
    Spills,
    Stack,
    Stage,
}

/// See the module.
pub(super) struct Attempt<'a, 'm> {
    pub(super) device: &'a mut dyn Device,
    pub(super) layout: &'a Layout<'m>,
    pub(super) options: &'a Options,
    pub(super) prologue: &'a Prologue,
    pub(super) kind: Kind,
    pub(super) sizes: Sizes,
    pub(super) slots: u64,
    pub(super) queue_len: u64,
    pub(super) levels: u64,
    pub(super) table: Option<Address>,
    pub(super) queue: Option<Address>,
    pub(super) control: Option<Address>,
    pub(super) bounds: Option<Address>,
    search: Kernel,
    pub(super) fill: Kernel,
    ample: Option<Ample>,
    /// The first state of the prologue that fits the layout.
    pub(super) seeded: usize,
    pub(super) took: Duration,
    pub(super) making: Duration,
    pub(super) translating: Duration,
    pub(super) grown: u32,
    pub(super) can_grow: bool,
    /// Items of the levels from the first one that is expanded on, where the host keeps them.
    pub(super) spilled: Option<Vec<Vec<u64>>>,
}

impl<'a, 'm> Attempt<'a, 'm> {
    pub(super) fn new(
        device: &'a mut dyn Device,
        layout: &'a Layout<'m>,
        options: &'a Options,
        sizes: Sizes,
        prologue: &'a Prologue,
        spills: bool,
    ) -> Result<Self, Failed> {
        if layout.fields.len() > control::FIELDS_MAX {
            return Err(TooLarge::Fields(layout.fields.len()).into());
        }
        let free = device.free_bytes()?;
        let item = memory::item_bytes(layout);
        let possible = kinds(layout);
        let wanted = |(kind, top): &&(Kind, u32)| {
            options.table.is_none_or(|k| k == *kind) && kind.slots_min(*top) * kind.slot_bytes() <= free / 8 * 5
        };
        let Some((kind, top)) = possible.iter().find(wanted).copied() else {
            return Err(TooLarge::Bits(layout.bits).into());
        };
        let least = kind.slots_min(top).next_power_of_two();
        let (slots, queue_len) = match options.memory {
            Some(m) => (m.slots.max(least), m.queue),
            None => {
                let table = memory::power_below((free / 5).min(8 << 30)) / kind.slot_bytes();
                (table.max(least), memory::power_below((free / 5).min(8 << 30) / item))
            }
        };
        let least = 2 * prologue.states.len().next_power_of_two() as u64;
        let queue_len = queue_len.max(least);
        let began = Instant::now();
        let sizes = kernel::fit(sizes, layout);
        let reduces = options.reduce && options.automaton.is_none();
        let state = prologue.states.last().expect("there is one");
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
            search: Kernel(0),
            fill: Kernel(0),
            ample: if reduces { Ample::of(layout, state) } else { None },
            seeded: 0,
            took: Duration::ZERO,
            making: Duration::ZERO,
            translating: Duration::ZERO,
            grown: 0,
            can_grow: true,
            spilled: spills.then(Vec::new),
        };
        me.device.unload();
        let program = kernel::search(&me.plan()).map_err(|r| Failed::Unfit(vec![r]))?;
        let made = Instant::now();
        me.search = me.device.load(&program)?;
        me.fill = me.device.load(&kernel::fill(layout.words, kind, sizes.threads))?;
        (me.making, me.translating) = (began.elapsed(), made.elapsed());
        if let Err(trouble) = me.allocate() {
            me.release();
            return Err(trouble.into());
        }
        Ok(me)
    }

    /// What kernels are made for.
    pub(super) fn plan(&self) -> Plan<'_, 'm> {
        let Options { ignore_assert, ignore_end_states, require_empty_channels, .. } = *self.options;
        Plan {
            layout: self.layout,
            kind: self.kind,
            sizes: self.sizes,
            checks: Checks {
                assertions: !ignore_assert,
                end_states: !ignore_end_states,
                empty_channels: require_empty_channels,
            },
            automaton: self.options.automaton.as_ref(),
            ample: self.ample.as_ref(),
        }
    }

    pub(super) fn item_bytes(&self) -> u64 {
        memory::item_bytes(self.layout)
    }

    fn allocate(&mut self) -> Result<(), Trouble> {
        self.table = Some(self.device.allocate(self.slots * self.kind.slot_bytes())?);
        self.queue = Some(self.device.allocate(self.queue_len * self.item_bytes())?);
        self.control = Some(self.device.allocate(8 * u64::from(control::COUNT))?);
        self.bounds = Some(self.device.allocate(8 * (self.levels + 2))?);
        Ok(())
    }

    pub(super) fn release(&mut self) {
        for at in [&mut self.table, &mut self.queue, &mut self.control, &mut self.bounds] {
            if let Some(at) = at.take() {
                self.device.free(at);
            }
        }
    }

    pub(super) fn table_at(&self) -> u64 {
        self.table.expect("it is allocated").0
    }

    pub(super) fn queue_at(&self) -> u64 {
        self.queue.expect("it is allocated").0
    }

    pub(super) fn control_at(&self) -> Address {
        self.control.expect("it is allocated")
    }

    pub(super) fn set(&mut self, place: u32, values: &[u64]) -> Result<(), Trouble> {
        let at = Address(self.control_at().0 + 8 * u64::from(place));
        self.device.write(at, values)
    }

    /// Clears the table and fills it with states of the queue.
    fn params(&self, level: u64) -> Vec<u64> {
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
        if self.spilled.is_some() {
            // Each level is taken to the host as soon as it is complete.
            p[param::LEVELS_MAX as usize] = p[param::LEVELS_MAX as usize].min(level + 1);
        }
        let most = self.options.errors_max;
        p[param::VIOLATIONS_MAX as usize] = if most == 0 { u64::MAX } else { most };
        p
    }

    pub(super) fn run(
        &mut self,
        machine: &mut dyn Machine,
        go_on: &mut dyn FnMut(&Progress) -> bool,
    ) -> Result<Outcome, Failed> {
        if let Some(keys) = self.seed()? {
            return Ok(Outcome::Misfits(keys));
        }
        let first = (self.prologue.states.len() - 1 - self.seeded) as u64;
        if self.spilled.is_some() {
            self.spill(first, first + 1)?;
        }
        let blocks = self.device.blocks(self.search)?;
        let mut c = vec![0; control::COUNT as usize];
        self.device.read(self.control_at(), &mut c)?;
        let deepest = self.params(u64::MAX - 1)[param::LEVELS_MAX as usize];
        loop {
            let params = self.params(c[control::LEVEL as usize]);
            self.took += self.device.launch(self.search, blocks, &params)?;
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
                stop::DEPTH if at(control::LEVEL) < deepest => {
                    self.spill(at(control::LOW), high)?;
                    if go_on(&progress) { None } else { Some(Ended::Caller) }
                }
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
                        return Err(TooLarge::EndlessAtomic.into());
                    }
                    abort::NO_VALUE => return Err(TooLarge::NoValue.into()),
                    why => {
                        // What the level has added is dropped, and it is expanded again in more room.
                        self.set(control::ABORT, &[0, 0, 0, 0, 0])?;
                        self.set(control::CURSOR, &[at(control::LOW), high])?;
                        // Of a reduced search other states may be expanded by all processes then.
                        self.set(control::WORST, &[u64::MAX])?;
                        if self.make_room(high, why == abort::TABLE)? { None } else { Some(Ended::Full) }
                    }
                },
                other => return Err(Broken::Stop(other).into()),
            };
            if let Some(ended) = ended {
                self.device.read(self.control_at(), &mut c)?;
                return self.finish(machine, &c, ended, go_on);
            }
            self.set(control::STOP, &[0])?;
        }
    }

    pub(super) fn memory_bytes(&self) -> u64 {
        self.slots * self.kind.slot_bytes() + self.queue_len * self.item_bytes()
    }

    fn finish(
        &mut self,
        machine: &mut dyn Machine,
        c: &[u64],
        ended: Ended,
        go_on: &mut dyn FnMut(&Progress) -> bool,
    ) -> Result<Outcome, Failed> {
        let at = |place: u32| c[place as usize];
        let before = self.seeded as u64;
        let first = (self.prologue.states.len() - 1) as u64 - before;
        let expanded = at(control::TOTAL + 3);
        if expanded != at(control::LOW) - first {
            return Err(Broken::Expanded { expanded, states: at(control::LOW) - first }.into());
        }
        let states = at(control::TAIL) + before;
        let arrivals = at(control::TOTAL) + at(control::PENDING);
        let transitions = arrivals + self.prologue.moves.len() as u64 + 1;
        let complete = ended == Ended::Complete || at(control::LOW) == at(control::HIGH);
        let depth = at(control::LEVEL) + before;
        let mut found = Found {
            states,
            matched: transitions.saturating_sub(states),
            atomic_steps: at(control::TOTAL + 1) + self.prologue.inner,
            depth: if complete { depth - 1 } else { depth },
            errors: at(control::TOTAL + 2),
            violation: None,
            ended: if complete && ended == Ended::Depth { Ended::Complete } else { ended },
            memory_bytes: self.memory_bytes(),
            figures: Figures {
                device: self.device.name(),
                search: self.took,
                sampling: Duration::ZERO,
                making: self.making,
                translating: self.translating,
                back: Duration::ZERO,
                bits: self.layout.bits,
                fields: self.layout.describe(),
                table: self.kind,
                slots: self.slots,
                widened: Vec::new(),
                grown: self.grown,
                widest: at(control::WIDEST),
                rounds: 0,
                cycles: Duration::ZERO,
                reduced: self.ample.is_some(),
            },
        };
        if let Some(level) = at(control::FIRST).checked_sub(1) {
            if at(control::TAIL) > self.queue_len && self.spilled.is_none() {
                return Ok(Outcome::Spills);
            }
            found.violation = Some(self.violation(machine, level, at(control::FIRST_KEY), &mut found.figures)?);
        } else if complete && self.options.automaton.as_ref().is_some_and(|a| !a.is_safety()) {
            self.look_for_cycle(machine, at(control::TAIL), at(control::LEVEL), &mut found, go_on)?;
        }
        Ok(Outcome::Found(Box::new(found)))
    }
}
