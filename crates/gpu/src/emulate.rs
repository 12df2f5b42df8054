//! Runs kernels on the CPU, the way a device may: blocks and threads in an order that is shuffled again and again.
//!
//! Memory is sequentially consistent and threads are interleaved in short random slices, so that every order of atomic
//! operations that matters can occur. What a device would leave undefined is an error here: a register that is read before it
//! is written, an access outside an allocation or the shared memory, threads of a block that wait at different barriers, blocks
//! that wait for ever.

use crate::code::{self, Arg, Atomic, Label, Logic, Op, Program, Reg, Space, Special, Type};
use crate::device::{Address, Device, Kernel, Trouble};
use std::time::Duration;
use thiserror::Error;

/// What a device would leave undefined.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[allow(missing_docs)]
enum Wrong {
    #[error("register {0} is read before it is written")]
    Unwritten(u32),
    #[error("address {0:#x} is in no allocation")]
    NoAllocation(u64),
    #[error("address {at:#x} is not a multiple of {bytes}")]
    Unaligned { at: u64, bytes: u64 },
    #[error("address {0:#x} is behind its allocation")]
    Behind(u64),
    #[error("address {0} of the shared memory")]
    Shared(u64),
    #[error("the end was passed")]
    EndPassed,
    #[error("division by zero")]
    DivisionByZero,
    #[error("there is no parameter {0}")]
    Parameter(u32),
    #[error("{given} parameters for {wanted}")]
    Parameters { given: usize, wanted: u32 },
    #[error("a switch of {targets} is asked for {asked}")]
    Switch { targets: usize, asked: usize },
    #[error("threads of a block wait at different barriers")]
    Barriers,
    #[error("some threads of a block wait for those that have ended")]
    Ended,
    #[error("blocks wait for ever")]
    Endless,
    #[error("{why}, in `{kernel}` at operation {at}")]
    At { why: Box<Wrong>, kernel: &'static str, at: usize },
}

/// How far apart allocations begin.
const APART: u64 = 1 << 40;
/// Rounds in which all blocks only wait before that counts as for ever.
const PATIENCE: u32 = 2_000;

/// A device that is not there.
pub struct Emulator {
    memory: Vec<Option<Vec<u64>>>,
    kernels: Vec<(Program, Vec<usize>)>,
    random: u64,
    /// Bytes that may be allocated.
    limit_bytes: u64,
    blocks: u32,
}

impl Emulator {
    /// A device with this much memory, which runs this many blocks at once.
    pub fn new(seed: u64, blocks: u32, limit_bytes: u64) -> Self {
        Emulator { memory: Vec::new(), kernels: Vec::new(), random: seed, limit_bytes, blocks }
    }

    fn below(&mut self, n: u64) -> u64 {
        // Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }

    fn cell(&mut self, at: u64, bytes: u64) -> Result<&mut u64, Wrong> {
        let (which, offset) = ((at / APART) as usize, at % APART);
        let area = which.checked_sub(1).and_then(|i| self.memory.get_mut(i)).and_then(Option::as_mut);
        let area = area.ok_or(Wrong::NoAllocation(at))?;
        if !offset.is_multiple_of(bytes) {
            return Err(Wrong::Unaligned { at, bytes });
        }
        area.get_mut((offset / 8) as usize).ok_or(Wrong::Behind(at))
    }
}

/// Where a thread stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    Runs,
    /// At the barrier with this number among the operations.
    Waits(usize),
    Pauses,
    Ended,
}

struct Thread {
    at: usize,
    regs: Vec<u64>,
    written: Vec<bool>,
    standing: Standing,
}

struct Block {
    number: u32,
    threads: Vec<Thread>,
    shared: Vec<u64>,
}

fn targets(program: &Program) -> Vec<usize> {
    let mut at = vec![usize::MAX; program.labels as usize];
    for (i, op) in program.ops.iter().enumerate() {
        if let Op::Label(Label(l)) = op {
            at[*l as usize] = i;
        }
    }
    at
}

impl Thread {
    fn get(&self, arg: Arg) -> Result<u64, Wrong> {
        match arg {
            Arg::Const(v) => Ok(v),
            Arg::Reg(Reg(r)) if self.written[r as usize] => Ok(self.regs[r as usize]),
            Arg::Reg(Reg(r)) => Err(Wrong::Unwritten(r)),
        }
    }

    fn set(&mut self, Reg(r): Reg, value: u64) {
        self.regs[r as usize] = value;
        self.written[r as usize] = true;
    }
}

impl Emulator {
    /// Runs a thread for some operations, or until it waits.
    #[allow(clippy::too_many_arguments)]
    fn run(
        &mut self,
        program: &Program,
        places: &[usize],
        params: &[u64],
        blocks: u32,
        block: u32,
        shared: &mut [u64],
        number: u32,
        thread: &mut Thread,
        slice: u64,
    ) -> Result<(), Wrong> {
        let is_wide = |r: Reg| program.types[r.0 as usize] == Type::Wide;
        for _ in 0..slice {
            let Some(op) = program.ops.get(thread.at) else { return Err(Wrong::EndPassed) };
            let here = thread.at;
            thread.at += 1;
            match op {
                Op::Label(_) | Op::Fence => {}
                Op::Move { to, from } => {
                    let value = thread.get(*from)?;
                    thread.set(*to, if is_wide(*to) { value } else { value & 0xffff_ffff });
                }
                Op::Math { op, to, a, b } => {
                    let (a, b) = (thread.get(*a)?, thread.get(*b)?);
                    if matches!(op, code::Math::Div | code::Math::Rem) && b as u32 == 0 {
                        return Err(Wrong::DivisionByZero);
                    }
                    thread.set(*to, code::math(program.types[to.0 as usize], *op, a, b));
                }
                Op::Count { to, from } => {
                    let v = thread.get(*from)? as u32;
                    thread.set(*to, u64::from(v.count_ones()));
                }
                Op::Lowest { to, from } => {
                    let v = thread.get(*from)? as u32;
                    thread.set(*to, u64::from(v.trailing_zeros()));
                }
                Op::Widen { to, from } => {
                    let v = thread.get(*from)? & 0xffff_ffff;
                    thread.set(*to, v);
                }
                Op::Half { to, from, upper } => {
                    let v = thread.get(*from)?;
                    thread.set(*to, if *upper { v >> 32 } else { v & 0xffff_ffff });
                }
                Op::Join { to, low, high } => {
                    let v = thread.get(*low)? & 0xffff_ffff | thread.get(*high)? << 32;
                    thread.set(*to, v);
                }
                Op::Compare { op, wide, signed, to, a, b } => {
                    let (a, b) = (thread.get(*a)?, thread.get(*b)?);
                    thread.set(*to, u64::from(code::relation(*op, *wide, *signed, a, b)));
                }
                Op::Logic { op, to, a, b } => {
                    let (a, b) = (thread.get((*a).into())?, thread.get((*b).into())?);
                    let v = match op {
                        Logic::And => a & b,
                        Logic::Or => a | b,
                        Logic::Xor => a ^ b,
                    };
                    thread.set(*to, v);
                }
                Op::Not { to, from } => {
                    let v = thread.get((*from).into())? ^ 1;
                    thread.set(*to, v);
                }
                Op::Select { to, when, yes, no } => {
                    // Both operands are read, as the device does it.
                    let (when, yes, no) = (thread.get((*when).into())?, thread.get(*yes)?, thread.get(*no)?);
                    let v = if when != 0 { yes } else { no };
                    thread.set(*to, if is_wide(*to) { v } else { v & 0xffff_ffff });
                }
                Op::Load { to, at, .. } => {
                    let place = thread.get(at.base)?;
                    let v = self.read(shared, at, place, is_wide(*to))?;
                    thread.set(*to, v);
                }
                Op::Store { at, from, wide } => {
                    let (place, value) = (thread.get(at.base)?, thread.get(*from)?);
                    self.write(shared, at, place, *wide, value)?;
                }
                Op::Atomic { op, to, at, value } => {
                    let (place, value, wide) = (thread.get(at.base)?, thread.get(*value)?, is_wide(*to));
                    let old = self.read(shared, at, place, wide)?;
                    let new = match op {
                        Atomic::Add => old.wrapping_add(value),
                        Atomic::Min if wide => old.min(value),
                        Atomic::Min => old.min(value & 0xffff_ffff),
                        Atomic::Or => old | value,
                    };
                    self.write(shared, at, place, wide, new)?;
                    thread.set(*to, old);
                }
                Op::Swap { to, at, expected, new } => {
                    let (place, wide) = (thread.get(at.base)?, is_wide(*to));
                    let (expected, new) = (thread.get(*expected)?, thread.get(*new)?);
                    let old = self.read(shared, at, place, wide)?;
                    if old == expected {
                        self.write(shared, at, place, wide, new)?;
                    }
                    thread.set(*to, old);
                }
                Op::SwapPair { to, at, new } => {
                    let place = thread.get(at.base)?;
                    if !(place + u64::from(at.offset)).is_multiple_of(16) {
                        return Err(Wrong::Unaligned { at: place, bytes: 16 });
                    }
                    let (a, b) = (thread.get(new[0])?, thread.get(new[1])?);
                    let (x, y) = (self.read(shared, at, place, true)?, self.read(shared, at, place + 8, true)?);
                    if x == 0 && y == 0 {
                        self.write(shared, at, place, true, a)?;
                        self.write(shared, at, place + 8, true, b)?;
                    }
                    thread.set(to[0], x);
                    thread.set(to[1], y);
                }
                Op::Param { to, index } => {
                    let v = *params.get(*index as usize).ok_or(Wrong::Parameter(*index))?;
                    thread.set(*to, v);
                }
                Op::Special { to, what } => {
                    let v = match what {
                        Special::Thread => u64::from(number),
                        Special::Block => u64::from(block),
                        Special::Blocks => u64::from(blocks),
                        Special::Clock => self.below(1 << 20),
                    };
                    thread.set(*to, v);
                }
                Op::Jump(Label(l)) => thread.at = places[*l as usize],
                Op::JumpIf { when, is, to } => {
                    if (thread.get((*when).into())? != 0) == *is {
                        thread.at = places[to.0 as usize];
                    }
                }
                Op::Switch { on, targets } => {
                    let v = thread.get((*on).into())? as usize;
                    let to = targets.get(v).ok_or(Wrong::Switch { targets: targets.len(), asked: v })?;
                    thread.at = places[to.0 as usize];
                }
                Op::Barrier => {
                    thread.standing = Standing::Waits(here);
                    return Ok(());
                }
                Op::Pause => {
                    thread.standing = Standing::Pauses;
                    return Ok(());
                }
                Op::Return => {
                    thread.standing = Standing::Ended;
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn read(&mut self, shared: &mut [u64], at: &code::Address, base: u64, wide: bool) -> Result<u64, Wrong> {
        let bytes = if wide { 8 } else { 4 };
        let (cell, place) = match at.space {
            Space::Global => {
                let place = base.wrapping_add(u64::from(at.offset));
                (*self.cell(place, bytes)?, place)
            }
            Space::Shared => {
                let place = (base & 0xffff_ffff) + u64::from(at.offset);
                let cell = shared.get((place / 8) as usize).filter(|_| place.is_multiple_of(bytes));
                (*cell.ok_or(Wrong::Shared(place))?, place)
            }
        };
        Ok(match (wide, place % 8) {
            (true, _) => cell,
            (false, 0) => cell & 0xffff_ffff,
            (false, _) => cell >> 32,
        })
    }

    fn write(
        &mut self,
        shared: &mut [u64],
        at: &code::Address,
        base: u64,
        wide: bool,
        value: u64,
    ) -> Result<(), Wrong> {
        let bytes = if wide { 8 } else { 4 };
        let (cell, place) = match at.space {
            Space::Global => {
                let place = base.wrapping_add(u64::from(at.offset));
                (self.cell(place, bytes)?, place)
            }
            Space::Shared => {
                let place = (base & 0xffff_ffff) + u64::from(at.offset);
                let cell = shared.get_mut((place / 8) as usize).filter(|_| place.is_multiple_of(bytes));
                (cell.ok_or(Wrong::Shared(place))?, place)
            }
        };
        let low = value & 0xffff_ffff;
        *cell = match (wide, place % 8) {
            (true, _) => value,
            (false, 0) => *cell & !0xffff_ffff | low,
            (false, _) => *cell & 0xffff_ffff | low << 32,
        };
        Ok(())
    }

    fn grid(&mut self, program: &Program, places: &[usize], count: u32, params: &[u64]) -> Result<(), Wrong> {
        if params.len() != program.params as usize {
            return Err(Wrong::Parameters { given: params.len(), wanted: program.params });
        }
        let thread = || Thread {
            at: 0,
            regs: vec![0; program.types.len()],
            written: vec![false; program.types.len()],
            standing: Standing::Runs,
        };
        let mut blocks: Vec<Block> = (0..count)
            .map(|number| Block {
                number,
                threads: (0..program.threads).map(|_| thread()).collect(),
                // Shared memory holds anything at the start.
                shared: vec![0xdead_beef_dead_beef; (program.shared_bytes as usize).div_ceil(8)],
            })
            .collect();
        let mut idle = 0;
        while !blocks.is_empty() {
            let which = self.below(blocks.len() as u64) as usize;
            let mut block = blocks.swap_remove(which);
            let mut order: Vec<usize> = (0..block.threads.len()).collect();
            for i in (1..order.len()).rev() {
                order.swap(i, self.below(i as u64 + 1) as usize);
            }
            let mut moved = false;
            for number in order {
                let thread = &mut block.threads[number];
                if thread.standing == Standing::Pauses {
                    thread.standing = Standing::Runs;
                }
                if thread.standing == Standing::Runs {
                    let slice = 1 + self.below(400);
                    let (of, shared) = (block.number, &mut block.shared);
                    self.run(program, places, params, count, of, shared, number as u32, thread, slice)
                        .map_err(|why| Wrong::At { why: Box::new(why), kernel: program.name, at: thread.at })?;
                    moved |= thread.standing != Standing::Pauses;
                }
            }
            let first = block.threads[0].standing;
            let waiting = block.threads.iter().filter(|t| matches!(t.standing, Standing::Waits(_))).count();
            if waiting == block.threads.len() {
                if block.threads.iter().any(|t| t.standing != first) {
                    return Err(Wrong::Barriers);
                }
                block.threads.iter_mut().for_each(|t| t.standing = Standing::Runs);
                moved = true;
            }
            let ended = block.threads.iter().filter(|t| t.standing == Standing::Ended).count();
            if ended > 0 && ended + waiting == block.threads.len() && waiting > 0 {
                return Err(Wrong::Ended);
            }
            idle = if moved { 0 } else { idle + 1 };
            if idle > PATIENCE * count {
                return Err(Wrong::Endless);
            }
            if ended < block.threads.len() {
                blocks.push(block);
            }
        }
        Ok(())
    }
}

impl Device for Emulator {
    fn name(&self) -> String {
        "emulator".into()
    }

    fn free_bytes(&mut self) -> Result<u64, Trouble> {
        let taken: u64 = self.memory.iter().flatten().map(|m| 8 * m.len() as u64).sum();
        Ok(self.limit_bytes.saturating_sub(taken))
    }

    fn load(&mut self, program: &Program) -> Result<Kernel, Trouble> {
        crate::validate::check(program).map_err(|why| {
            let text = why.to_string();
            Trouble::Failed { call: program.name.into(), code: 0, text }
        })?;
        self.kernels.push((program.clone(), targets(program)));
        Ok(Kernel(self.kernels.len() - 1))
    }

    fn unload(&mut self) {
        self.kernels.clear();
    }

    fn blocks(&mut self, _: Kernel) -> Result<u32, Trouble> {
        Ok(self.blocks)
    }

    fn allocate(&mut self, bytes: u64) -> Result<Address, Trouble> {
        if bytes > self.free_bytes()? {
            return Err(Trouble::OutOfMemory { bytes });
        }
        self.memory.push(Some(vec![0x5555_5555_5555_5555; bytes.div_ceil(8) as usize]));
        Ok(Address(self.memory.len() as u64 * APART))
    }

    fn free(&mut self, at: Address) {
        self.memory[(at.0 / APART) as usize - 1] = None;
    }

    fn clear(&mut self, at: Address, bytes: u64) -> Result<(), Trouble> {
        let area = self.memory[(at.0 / APART) as usize - 1].as_mut().expect("it is allocated");
        let first = (at.0 % APART / 8) as usize;
        area[first..first + (bytes / 8) as usize].fill(0);
        Ok(())
    }

    fn write(&mut self, at: Address, from: &[u64]) -> Result<(), Trouble> {
        let area = self.memory[(at.0 / APART) as usize - 1].as_mut().expect("it is allocated");
        let first = (at.0 % APART / 8) as usize;
        area[first..first + from.len()].copy_from_slice(from);
        Ok(())
    }

    fn read(&mut self, at: Address, to: &mut [u64]) -> Result<(), Trouble> {
        let area = self.memory[(at.0 / APART) as usize - 1].as_ref().expect("it is allocated");
        let first = (at.0 % APART / 8) as usize;
        to.copy_from_slice(&area[first..first + to.len()]);
        Ok(())
    }

    fn copy(&mut self, from: Address, to: Address, bytes: u64) -> Result<(), Trouble> {
        let mut all = vec![0; (bytes / 8) as usize];
        Device::read(self, from, &mut all)?;
        Device::write(self, to, &all)
    }

    fn launch(&mut self, kernel: Kernel, blocks: u32, params: &[u64]) -> Result<Duration, Trouble> {
        let (program, places) = self.kernels[kernel.0].clone();
        match self.grid(&program, &places, blocks, params) {
            Ok(()) => Ok(Duration::ZERO),
            Err(why) => Err(Trouble::Failed { call: "the emulator".into(), code: 0, text: why.to_string() }),
        }
    }
}
