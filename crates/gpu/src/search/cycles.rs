//! Accepting cycles among the states that were found: "one way catch them young" (see [`crate::kernel`]).
//!
//! A round keeps what can be reached from accepting states, then drops what no state leads to, again and again. When a round
//! drops nothing, what is left holds an accepting cycle; when nothing is left, there is none. For the cycle itself an accepting state
//! is looked for that can be reached from itself: one that cannot is dropped with all that it leads to, because the states that
//! lead to it lie elsewhere, and on a cycle among them some state accepts.

use super::attempt::Attempt;
use super::trail::{From, Levels, Reached};
use super::{Broken, Ended, Failed, Fault, Found, Progress, TooLarge, Violation};
use crate::device::{Address, Kernel, Trouble};
use crate::kernel::{self, control, item_words, mode, pass_param};
use ferrospin_system::Machine;
use std::time::Duration;

/// The stamp of what was dropped.
const DROPPED: u64 = u32::MAX as u64;
/// Accepting states that are tried for a cycle.
const TRIES_MAX: u64 = 10_000;
/// Passes between two questions whether to go on.
const ASK_EVERY: u32 = 64;

/// Memory and kernel of the passes.
struct Passes {
    kernel: Kernel,
    blocks: u32,
    stamps: Address,
    counts: Address,
    want: Address,
    lists: [Address; 2],
    stacks: Option<Address>,
    took: Duration,
    made: u32,
    progress: Progress,
}

/// A pass: what it does, the list that it goes through, where it appends, the stamps.
#[derive(Clone, Copy)]
struct Step {
    mode: u64,
    list: Address,
    from: u64,
    to: u64,
    out: Address,
    expected: u64,
    new: u64,
}

/// Why there is no answer: the caller wants none, or something failed.
enum Stop {
    Caller,
    Failed(Failed),
}

impl<E: Into<Failed>> std::convert::From<E> for Stop {
    fn from(why: E) -> Stop {
        Stop::Failed(why.into())
    }
}

type Answer<T> = Result<T, Stop>;

impl Attempt<'_, '_> {
    /// Looks for an accepting cycle among all states, and adds it to what was found.
    pub(super) fn look_for_cycle(
        &mut self,
        machine: &mut dyn Machine,
        states: u64,
        depth: u64,
        found: &mut Found,
        go_on: &mut dyn FnMut(&Progress) -> bool,
    ) -> Result<(), Failed> {
        if states > self.queue_len {
            return Err(TooLarge::NoRoomForCycles.into());
        }
        let program = kernel::pass(&self.plan()).map_err(|r| Failed::Unfit(vec![r]))?;
        let kernel = self.device.load(&program)?;
        let blocks = self.device.blocks(kernel)?;
        let mut taken = Vec::new();
        let memory = self.memory_for_passes(states, blocks, &mut taken);
        let result = match memory {
            Err(Trouble::OutOfMemory { .. }) => Err(Stop::Failed(TooLarge::NoRoomForCycles.into())),
            Err(why) => Err(why.into()),
            Ok((stamps, counts, want, lists, stacks)) => {
                let memory_bytes = self.memory_bytes() + 8 * self.slots + 2 * states * self.item_bytes();
                let progress = Progress { states, matched: found.matched, depth, waiting: 0, memory_bytes };
                found.memory_bytes = memory_bytes;
                let took = Duration::ZERO;
                let mut passes =
                    Passes { kernel, blocks, stamps, counts, want, lists, stacks, took, made: 0, progress };
                let answer = self.rounds(machine, states, &mut passes, found, go_on);
                found.figures.cycles = passes.took;
                answer
            }
        };
        taken.into_iter().for_each(|at| self.device.free(at));
        match result {
            Ok(violation) => {
                found.errors = u64::from(violation.is_some());
                found.violation = violation;
                Ok(())
            }
            Err(Stop::Caller) => {
                found.ended = Ended::Caller;
                Ok(())
            }
            Err(Stop::Failed(why)) => Err(why),
        }
    }

    /// Stamps, counts, the item that is wanted, two lists, stacks; all that was allocated is in `taken`, whatever happens.
    #[allow(clippy::type_complexity)]
    fn memory_for_passes(
        &mut self,
        states: u64,
        blocks: u32,
        taken: &mut Vec<Address>,
    ) -> Result<(Address, Address, Address, [Address; 2], Option<Address>), Trouble> {
        let mut take = |me: &mut Self, bytes: u64| -> Result<Address, Trouble> {
            let at = me.device.allocate(bytes.next_multiple_of(16))?;
            taken.push(at);
            Ok(at)
        };
        let item = self.item_bytes();
        let stamps = take(self, 4 * self.slots)?;
        let counts = take(self, 4 * self.slots)?;
        let want = take(self, item)?;
        // A place more for a state that is dropped alone.
        let lists = [take(self, (states + 1) * item)?, take(self, (states + 1) * item)?];
        let stacks = self.stacks(blocks).transpose()?;
        taken.extend(stacks);
        self.device.clear(stamps, 4 * self.slots)?;
        Ok((stamps, counts, want, lists, stacks))
    }

    fn step(&mut self, p: &mut Passes, step: Step, go_on: &mut dyn FnMut(&Progress) -> bool) -> Answer<()> {
        let mut params = vec![0; pass_param::COUNT as usize];
        let mut set = |at: u32, value: u64| params[at as usize] = value;
        set(pass_param::CONTROL, self.control_at().0);
        set(pass_param::TABLE, self.table_at());
        set(pass_param::MASK, self.kind.mask(self.slots));
        set(pass_param::QUEUE, self.queue_at());
        set(pass_param::LIST, step.list.0);
        set(pass_param::FROM, step.from);
        set(pass_param::TO, step.to);
        set(pass_param::OUT, step.out.0);
        set(pass_param::STAMPS, p.stamps.0);
        set(pass_param::COUNTS, p.counts.0);
        set(pass_param::MODE, step.mode);
        set(pass_param::EXPECTED, step.expected);
        set(pass_param::NEW, step.new);
        set(pass_param::WANT, p.want.0);
        params.extend(p.stacks.map(|at| at.0));
        let needed = (step.to - step.from).div_ceil(u64::from(self.sizes.threads)).max(1);
        let blocks = u64::from(p.blocks).min(needed) as u32;
        p.took += self.device.launch(p.kernel, blocks, &params)?;
        p.made += 1;
        if p.made.is_multiple_of(ASK_EVERY) && !go_on(&p.progress) {
            return Err(Stop::Caller);
        }
        Ok(())
    }

    fn word(&mut self, at: u32) -> Result<u64, Trouble> {
        let mut value = [0];
        self.device.read(Address(self.control_at().0 + 8 * u64::from(at)), &mut value)?;
        Ok(value[0])
    }

    /// Repeats a pass over what it has appended, until nothing is new or, where it says so, the wanted state was met. Gives the
    /// bounds of what each pass appended.
    fn waves(
        &mut self,
        p: &mut Passes,
        step: Step,
        until_hit: bool,
        go_on: &mut dyn FnMut(&Progress) -> bool,
    ) -> Answer<Vec<u64>> {
        let mut bounds = vec![0];
        loop {
            let (from, to) = (*bounds.last().expect("there is one"), self.word(control::LENGTH)?);
            bounds.push(to);
            if from == to || until_hit && self.word(control::HIT)? != 0 {
                break;
            }
            self.step(p, Step { list: step.out, from, to, ..step }, go_on)?;
        }
        match self.word(control::ABORT)? {
            0 => Ok(bounds),
            why => Err(Broken::Pass(why).into()),
        }
    }

    fn rounds(
        &mut self,
        machine: &mut dyn Machine,
        states: u64,
        p: &mut Passes,
        found: &mut Found,
        go_on: &mut dyn FnMut(&Progress) -> bool,
    ) -> Answer<Option<Violation>> {
        self.set(control::ABORT, &[0])?;
        let nothing = vec![u64::MAX; item_words(self.layout.words)];
        self.device.write(p.want, &nothing)?;
        let (mut list, mut length, mut left) = (Address(self.queue_at()), states, states);
        for round in 1..DROPPED / 2 {
            found.figures.rounds += 1;
            let [first, second] = p.lists;
            // What was reached goes where the last round has nothing that is still needed.
            let (reached, dropped) = if list == first { (second, first) } else { (first, second) };
            let plain =
                Step { mode: mode::SEED, list, from: 0, to: length, out: reached, expected: round - 1, new: round };
            self.set(control::LENGTH, &[0])?;
            self.step(p, plain, go_on)?;
            let bounds = self.waves(p, Step { mode: mode::REACH, ..plain }, false, go_on)?;
            let count = *bounds.last().expect("there is one");
            let over = Step { list: reached, to: count, out: dropped, expected: round, new: DROPPED, ..plain };
            self.step(p, Step { mode: mode::COUNT, ..over }, go_on)?;
            self.set(control::LENGTH, &[0])?;
            self.step(p, Step { mode: mode::LEAVES, ..over }, go_on)?;
            let bounds = self.waves(p, Step { mode: mode::TRIM, ..over }, false, go_on)?;
            let still = count - *bounds.last().expect("there is one");
            if still == 0 {
                return Ok(None);
            }
            if still == left {
                return self.cycle(machine, p, over, found, go_on).map(Some);
            }
            (list, length, left) = (reached, count, still);
        }
        Err(TooLarge::CycleNotFound.into())
    }

    /// Finds an accepting cycle among the states with the stamp that `left` expects.
    fn cycle(
        &mut self,
        machine: &mut dyn Machine,
        p: &mut Passes,
        left: Step,
        found: &mut Found,
        go_on: &mut dyn FnMut(&Progress) -> bool,
    ) -> Answer<Violation> {
        let words = item_words(self.layout.words);
        let out = left.out;
        for attempt in 1..TRIES_MAX {
            self.set(control::KEY, &[u64::MAX])?;
            self.step(p, Step { mode: mode::LEAST, ..left }, go_on)?;
            let key = self.word(control::KEY)?;
            if key == u64::MAX {
                return Err(Broken::NothingAccepts.into());
            }
            let all = Step { list: Address(self.queue_at()), to: p.progress.states, ..left };
            self.step(p, Step { mode: mode::LOCATE, ..all }, go_on)?;
            let number = self.word(control::NUMBER)?;
            let mut item = vec![0; words];
            self.device.read(Address(self.queue_at() + number * self.item_bytes()), &mut item)?;
            self.device.write(p.want, &item)?;
            self.device.write(out, &item)?;
            self.set(control::LENGTH, &[1, 0])?;
            let new = left.expected + attempt;
            let bounds = self.waves(p, Step { mode: mode::REACH, new, ..left }, true, go_on)?;
            if self.word(control::HIT)? != 0 {
                let waves = bounds.len() - 2;
                return self.lasso(machine, (number, key), item, (out, &bounds[..=waves]), found).map_err(Stop::Failed);
            }
            // It is dropped with all that it leads to.
            let alone = Step { mode: mode::SEED, list: out, to: 1, new: DROPPED, ..left };
            self.set(control::LENGTH, &[1])?;
            self.step(p, alone, go_on)?;
        }
        Err(TooLarge::CycleNotFound.into())
    }

    /// The run to a state and back to it.
    fn lasso(
        &mut self,
        machine: &mut dyn Machine,
        (number, key): (u64, u64),
        item: Vec<u64>,
        (list, bounds): (Address, &[u64]),
        found: &mut Found,
    ) -> Result<Violation, Failed> {
        let mut levels = vec![0; self.levels.min(found.depth + 3) as usize];
        let at = self.bounds.expect("it is allocated");
        self.device.read(at, &mut levels)?;
        let level = levels.iter().skip(1).position(|high| number < *high).ok_or(Broken::Elsewhere)?;
        let items = self.way_to(level as u64, key, &mut found.figures.back)?;
        let Reached { trail, state } = self.replay(machine, &items)?;
        let memory = self.device.allocate((8 * bounds.len() as u64 + 8).next_multiple_of(16))?;
        let waves = bounds.len() - 1;
        let around = self.device.write(memory, bounds).map_err(Failed::from).and_then(|()| {
            let levels = Levels { queue: list.0, mask: u64::MAX, bounds: memory.0 };
            self.way_back(levels, (0, waves - 1), From::Item(item.clone()), &mut found.figures.back)
        });
        self.device.free(memory);
        let mut around = around?;
        around.push(item);
        let mut run = Reached { trail: Vec::new(), state };
        self.follow(machine, &mut run, &around[1..])?;
        Ok(Violation { fault: Fault::Cycle(run.trail), trail })
    }
}
