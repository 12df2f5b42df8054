//! The way back from a state that the device found, as moves.

use super::attempt::Attempt;
use super::{Broken, Failed, Fault, Figures, TooLarge, Violation};
use crate::device::{Address, Trouble};
use crate::kernel::{self, back_param, control, item_words};
use crate::way;
use ferrospin_model::failure::FailureKind;
use ferrospin_system::{Control, Failure, Machine, Move, Moves};
use std::time::Duration;

/// A list of states by levels, on the device: where it is, its mask, and the bounds of its levels.
#[derive(Clone, Copy)]
pub(super) struct Levels {
    pub(super) queue: u64,
    pub(super) mask: u64,
    pub(super) bounds: u64,
}

/// How a way back is to go: from a state of the last level, by its key, or from one behind that level, which is known.
#[derive(Clone)]
pub(super) enum From {
    Key(u64),
    Item(Vec<u64>),
}

/// Where a run has come to.
pub(super) struct Reached {
    pub(super) trail: Vec<Move>,
    pub(super) state: Vec<u8>,
}

impl Attempt<'_, '_> {
    /// The number of the first state that is expanded.
    pub(super) fn first(&self) -> usize {
        self.prologue.states.len() - 1 - self.seeded
    }

    /// States from level `first` to level `last`, each of which leads to the next: as items.
    pub(super) fn way_back(
        &mut self,
        levels: Levels,
        (first, last): (usize, usize),
        from: From,
        took: &mut Duration,
    ) -> Result<Vec<Vec<u64>>, Failed> {
        let program = kernel::back(&self.plan()).map_err(|r| Failed::Unfit(vec![r]))?;
        let kernel = self.device.load(&program)?;
        let blocks = self.device.blocks(kernel)?;
        let parts = item_words(self.layout.words);
        let entry = parts + 2;
        let mut out = vec![u64::MAX; entry * (last + 2)];
        let (mut key, mut known) = (0, 0);
        match from {
            From::Key(of) => key = of,
            From::Item(item) => {
                known = 1;
                out[entry * (last + 1) + 2..].copy_from_slice(&item);
            }
        }
        self.set(control::ABORT, &[0])?;
        let memory = self.device.allocate((8 * out.len() as u64).next_multiple_of(16))?;
        let stacks = self.stacks(blocks);
        let result = (|| -> Result<(), Trouble> {
            self.device.write(memory, &out)?;
            let mut params = vec![0; back_param::COUNT as usize];
            params[back_param::CONTROL as usize] = self.control_at().0;
            params[back_param::QUEUE as usize] = levels.queue;
            params[back_param::QUEUE_MASK as usize] = levels.mask;
            params[back_param::BOUNDS as usize] = levels.bounds;
            params[back_param::LEVEL as usize] = last as u64;
            params[back_param::FIRST as usize] = first as u64;
            params[back_param::KEY as usize] = key;
            params[back_param::OUT as usize] = memory.0;
            params[back_param::KNOWN as usize] = known;
            if let Some(stacks) = &stacks {
                params.push(stacks.clone()?.0);
            }
            *took += self.device.launch(kernel, blocks, &params)?;
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
            return Err(Broken::Back(why[0]).into());
        }
        let mut items = Vec::new();
        for (number, entry) in out.chunks(entry).enumerate().take(last + 1).skip(first) {
            if entry[0] == u64::MAX {
                return Err(Broken::Level(number).into());
            }
            items.push(entry[2..].to_vec());
        }
        Ok(items)
    }

    /// Memory for states inside `atomic`, where kernels without a stage need some.
    pub(super) fn stacks(&mut self, blocks: u32) -> Option<Result<Address, Trouble>> {
        let holds = kernel::holds(self.layout);
        let threads = u64::from(blocks) * u64::from(self.sizes.threads);
        holds.then(|| self.device.allocate(threads * kernel::stack_bytes(self.layout.words)))
    }

    /// The levels of the search itself.
    pub(super) fn own_levels(&self) -> Levels {
        let bounds = self.bounds.expect("it is allocated").0;
        Levels { queue: self.queue_at(), mask: self.queue_len - 1, bounds }
    }

    /// The way to a state of a level, by its key.
    pub(super) fn way_to(&mut self, level: u64, key: u64, took: &mut Duration) -> Result<Vec<Vec<u64>>, Failed> {
        let (first, last) = (self.first(), level as usize);
        let Some(spilled) = self.spilled.take() else {
            return self.way_back(self.own_levels(), (first, last), From::Key(key), took);
        };
        // Level by level from the memory of the host.
        let parts = item_words(self.layout.words);
        let (mut from, mut items) = (From::Key(key), Vec::new());
        for level in (first..=last).rev() {
            let there = spilled.get(level - first).ok_or(TooLarge::NoWay)?;
            self.device.write(Address(self.queue_at()), there)?;
            let bounds = self.bounds.expect("it is allocated").0;
            let count = (there.len() / parts) as u64;
            self.device.write(Address(bounds + 8 * level as u64), &[0, count])?;
            let found = self.way_back(self.own_levels(), (level, level), from, took)?;
            let item = found.into_iter().next().ok_or(Broken::Level(level))?;
            from = From::Item(item.clone());
            items.push(item);
        }
        items.reverse();
        Ok(items)
    }

    /// The words of an item, the automaton's state left out.
    fn words(&self, item: &[u64]) -> Vec<u32> {
        let mut words: Vec<u32> = item.iter().flat_map(|v| [*v as u32, (v >> 32) as u32]).collect();
        words.truncate(self.layout.words);
        self.layout.with_claim(&mut words, 0);
        words
    }

    /// The run along states that a way back gave, from the initial state on.
    pub(super) fn replay(&self, machine: &mut dyn Machine, items: &[Vec<u64>]) -> Result<Reached, Failed> {
        let state = self.prologue.states.last().expect("there is one").clone();
        let mut run = Reached { trail: self.prologue.moves.concat(), state };
        let first = items.first().map(|i| self.words(i));
        if self.layout.pack(&run.state).ok() != first {
            return Err(Broken::Elsewhere.into());
        }
        self.follow(machine, &mut run, &items[1..])?;
        Ok(run)
    }

    /// Goes on along states.
    pub(super) fn follow(
        &self,
        machine: &mut dyn Machine,
        run: &mut Reached,
        items: &[Vec<u64>],
    ) -> Result<(), Failed> {
        let mut moves = Moves::default();
        for (number, item) in items.iter().enumerate() {
            let want = self.words(item);
            if let Some((moves, next)) = way::to(self.layout, machine, &run.state, &want) {
                run.trail.extend(moves);
                run.state = next;
                continue;
            }
            // Beside an automaton a run that stops stays where it is.
            machine.moves(&run.state, Control::Free, &mut moves);
            let stays = self.layout.claim.is_some() && moves.list.is_empty();
            if !stays || self.layout.pack(&run.state).ok() != Some(want) {
                return Err(Broken::Step(number).into());
            }
        }
        Ok(())
    }

    /// The violation in a state of a level, by its key, with the way there.
    pub(super) fn violation(
        &mut self,
        machine: &mut dyn Machine,
        level: u64,
        key: u64,
        figures: &mut Figures,
    ) -> Result<Violation, Failed> {
        let items = self.way_to(level, key, &mut figures.back)?;
        let Reached { mut trail, state } = self.replay(machine, &items)?;
        if self.layout.claim.is_some() {
            return Ok(Violation { fault: Fault::Formula, trail });
        }
        let ignores = self.options.ignore_assert;
        let counts = |f: &Failure| !(ignores && f.code.number == FailureKind::Assertion.number());
        let (moves, failure) = way::failure(machine, &state, &counts).ok_or(Broken::NothingWrong)?;
        trail.extend(moves);
        Ok(Violation { fault: failure.map_or(Fault::EndState, Fault::Failure), trail })
    }
}
