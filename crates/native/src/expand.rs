//! Finding and taking all moves of a state in one go.
//!
//! Generated code writes the moves and the successors one behind the other. Handshakes, and steps inside `atomic`, are
//! added in their places ([`crate::commit`]); what is left (births, ends, steps that fail) is taken afterwards in the
//! ordinary way.

use crate::commit::Commit;
use crate::context::REDO;
use crate::drive::Driver;
use crate::kept::CHUNK;
use crate::program::{Finder, Grown};
use crate::{Native, build};
use ferrospin_system::{Arrival, Batch, Control, Machine, Moves, StateRun};

/// Successors are made while moves are looked for only if they take no more memory than this.
const GROWN_MAX: usize = 1 << 20;

/// Offsets into a batch have 32 bits.
const BATCH_MAX: usize = u32::MAX as usize - 4 * GROWN_MAX;

/// Combinations of processes that are cached.
const LANES_MAX: usize = 16;

/// A generation that no scan has.
const NO_GENERATION: u64 = u64::MAX;

/// What expanding states with certain processes needs.
#[derive(Default)]
pub(crate) struct Lane {
    /// The types of the processes, and with them the bytes of a state.
    types: Vec<u32>,
    len: usize,
    /// Of the last scan that has found these processes.
    generation: u64,
    /// Bytes from one successor to the next.
    room: usize,
    /// Bytes of all successors that there can be, and of one more; moves that can be written.
    bytes: usize,
    moves: usize,
    /// States still to be expanded before code is made for them.
    patience: u32,
    driver: Option<Driver>,
}

/// How expanding a run by a driver ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Driven {
    /// As many states as there was room for were expanded, and all are ordinary.
    All,
    /// The moves of the state behind these were found, and something about them is out of the ordinary.
    Odd,
    /// The state behind these is not one of those for which there is code.
    Strange,
}

impl Native {
    /// Code that takes moves while it looks for them, once it is worth making.
    pub(crate) fn grown<'a>(&mut self) -> Option<&'a Grown> {
        let growth = self.context.program().growth.as_ref()?;
        if let Some(grown) = growth.grown.get() {
            return grown.as_ref();
        }
        if self.patience > 0 {
            self.patience -= 1;
            return None;
        }
        growth.grown.get_or_init(|| build::grow(growth).ok()).as_ref()
    }

    /// Turns to the lane for states of `len` bytes with the processes of the last scan.
    #[cold]
    fn change_lane(&mut self, len: usize) {
        let scan = &self.context.scan;
        let fits =
            |lane: &Lane| lane.len == len && lane.types.iter().copied().eq(scan.frames.iter().map(|f| f.process));
        if !fits(&self.lane) {
            let lane = match self.parked.iter().position(fits) {
                Some(at) => self.parked.swap_remove(at),
                None => self.new_lane(len),
            };
            let before = std::mem::replace(&mut self.lane, lane);
            if self.parked.len() < LANES_MAX {
                self.parked.push(before);
            }
        }
        self.lane.generation = self.context.scan.generation;
    }

    fn new_lane(&self, len: usize) -> Lane {
        let (count, edges) = (self.context.scan.count(), self.program.edges_max);
        let types = self.context.scan.frames.iter().map(|f| f.process).collect();
        let room = len.next_multiple_of(CHUNK);
        let (bytes, moves) = (count * edges * room + room, count * (edges + 1));
        Lane { types, len, generation: NO_GENERATION, room, bytes, moves, patience: self.driver_patience, driver: None }
    }

    /// Makes code that expands the states of this lane.
    #[cold]
    fn make_driver(&mut self, finders: &[Finder]) {
        let (program, scan) = (self.context.program(), &self.context.scan);
        if self.drivers_left == 0 {
            return;
        }
        self.drivers_left -= 1;
        let Some(growth) = program.growth.as_ref().filter(|_| program.is_drivable) else { return };
        if !program.is_hasty {
            // Every send of every process may meet every receive of every other.
            let (count, edges) = (scan.count(), program.edges_max);
            let moves = count * (edges * (1 + count * edges) + 1);
            let bytes = (moves + 1) * self.lane.room;
            if bytes > GROWN_MAX {
                return;
            }
            (self.lane.moves, self.lane.bytes) = (moves, bytes);
        }
        self.lane.driver =
            Driver::make(growth, &program.processes, &program.locations, finders, &scan.frames, self.lane.len).ok();
    }

    /// Expands states, the first ones of a run, by the code that was made for those like them; says how it ended.
    fn drive(&mut self, states: &[u8], len: usize, run: &mut StateRun, out: &mut Batch) -> Driven {
        if len != self.lane.len || self.context.scan.generation != self.lane.generation {
            self.look(&states[..len]);
            self.change_lane(len);
        }
        let (Some(driver), Some(growth)) = (&self.lane.driver, &self.program.growth) else { return Driven::Strange };
        let c = &mut *self.context;
        if len != self.lane.len || c.scan.generation != self.lane.generation || out.bytes.len() > BATCH_MAX {
            return Driven::Strange;
        }
        let count = (states.len() / len).min(1 + GROWN_MAX / self.lane.bytes);
        out.bytes.reserve(count * self.lane.bytes);
        run.moves.reserve(count * self.lane.moves);
        run.ends.reserve(count);
        (c.room, c.moves) = (self.lane.room, run.moves.as_mut_ptr());
        let mut dest = out.bytes.len();
        let mut driven = Driven::All;
        let mut states = &states[..count * len];
        while !states.is_empty() {
            c.start_over(len);
            let (before, ends) = (run.moves.len(), run.ends.len());
            let most = states.len() / len;
            // SAFETY: the vectors have room behind their ends, for all states. The driver was made for states of this length,
            // which has room where states are kept; frames lie inside the state, and code runs only for processes that
            // stand at a location of their type. It has written moves and ends up to where it says.
            let (left, first) = unsafe {
                c.dest = out.bytes.as_mut_ptr().add(dest);
                let (next, end, base) = (c.moves.add(before), run.ends.as_mut_ptr().add(ends), c.base);
                let left = (driver.code)(&raw mut *c, base, states.as_ptr(), next, end, most);
                run.ends.set_len(ends + most - left);
                run.moves.set_len(c.next.offset_from(c.moves) as usize);
                (left, c.first.offset_from(c.moves) as usize)
            };
            dest += (first - before) * c.room;
            states = &states[states.len() - left * len..];
            if left == 0 {
                break;
            }
            if c.slow_path & REDO != 0 {
                driven = Driven::Strange;
                break;
            }
            let mut commit = Commit { context: c, program: &self.program, growth, spare: &mut self.spare };
            // SAFETY: generated code has just written these moves and successors.
            let committed = unsafe { commit.all(run, first, out.bytes.as_mut_ptr().add(dest)) };
            if !committed || run.moves.len() == first {
                driven = Driven::Odd;
                break;
            }
            // SAFETY: as above.
            dest = unsafe { c.dest.offset_from(out.bytes.as_ptr()) } as usize;
            run.ends.push(run.moves.len() as u32);
            states = &states[len..];
        }
        // SAFETY: generated code has written successors one behind the other, up to where the next would go; what the last
        // state gave is not yet counted where it takes the slow path.
        unsafe { out.bytes.set_len(dest) };
        if driven == Driven::Strange {
            // Another look will tell whether these are other processes or something fails.
            run.moves.truncate(run.ends.last().map_or(0, |end| *end as usize));
            self.lane.generation = NO_GENERATION;
        }
        driven
    }

    /// See [`Machine::expand_run`].
    pub(crate) fn take_run(
        &mut self,
        states: &[u8],
        len: usize,
        run: &mut StateRun,
        moves: &mut Moves,
        out: &mut Batch,
    ) -> bool {
        run.clear();
        run.stride = len.next_multiple_of(CHUNK);
        if len == 0 {
            return false;
        }
        loop {
            let Some(rest) = states.get(run.ends.len() * len..).filter(|rest| !rest.is_empty()) else { return false };
            let driven = self.drive(rest, len, run, out);
            if driven == Driven::All {
                continue;
            }
            let state = &states[run.ends.len() * len..][..len];
            moves.clear();
            if driven == Driven::Odd {
                let before = run.ends.last().map_or(0, |end| *end as usize);
                moves.list.extend(run.moves.drain(before..));
                self.finish(state, !moves.list.is_empty(), moves, out);
                return true;
            }
            let found = self.grown().is_some_and(|g| self.grow(&g.finders, state, moves, out));
            let c = &*self.context;
            let ordinary = c.slow_path == 0 && moves.failures.is_empty() && !moves.list.is_empty();
            if !(found && ordinary) {
                self.finish(state, found, moves, out);
                return true;
            }
            // SAFETY: as in `list`.
            unsafe { out.bytes.set_len(c.dest.offset_from(out.bytes.as_ptr()) as usize) };
            run.moves.append(&mut moves.list);
            run.ends.push(run.moves.len() as u32);
        }
    }

    /// Finds moves and takes most of them at once. False, and nothing is worth anything, when the processes turn out
    /// not to be what they were, or when there is not enough room.
    fn grow(&mut self, finders: &[Finder], state: &[u8], moves: &mut Moves, out: &mut Batch) -> bool {
        if self.program.is_hasty && self.context.scan.end == state.len() {
            self.context.keep(state);
            self.context.scanned();
        } else {
            self.look(state);
        }
        if self.lane.len != state.len() || self.lane.generation != self.context.scan.generation {
            self.change_lane(state.len());
        }
        if self.lane.bytes > GROWN_MAX || out.bytes.len() > BATCH_MAX {
            return false;
        }
        self.lane.patience = self.lane.patience.saturating_sub(1);
        if self.lane.patience == 1 {
            self.make_driver(finders);
        }
        out.bytes.reserve(self.lane.bytes);
        let c = &mut *self.context;
        c.room = self.lane.room;
        // SAFETY: the vector has room behind its end.
        c.dest = unsafe { out.bytes.as_mut_ptr().add(out.bytes.len()) };
        (c.timeout, c.slow_path) = (0, 0);
        if !self.all_moves(finders, true, moves) {
            return false;
        }
        if moves.list.is_empty() && self.program.uses_timeout {
            (self.context.timeout, self.context.slow_path) = (1, 1);
            return self.all_moves(finders, true, moves);
        }
        true
    }

    /// Lists what generated code has found and taken, and takes what it has left.
    fn list(&mut self, state: &[u8], moves: &mut Moves, out: &mut Batch) {
        let (room, timeout) = (self.context.room, self.context.timeout != 0);
        let mut next = out.bytes.len();
        // SAFETY: generated code has written the successors one behind the other up to where the next would go; there was
        // room for them.
        unsafe { out.bytes.set_len(self.context.dest.offset_from(out.bytes.as_ptr()) as usize) };
        let mut spare = std::mem::take(&mut out.spare);
        for (top, mv) in moves.list.iter_mut().enumerate() {
            let later = std::mem::replace(&mut mv.stutter, false);
            let atomic = std::mem::replace(&mut mv.timeout, timeout);
            if later {
                // There may be a place for its successor, which is not used.
                next += if atomic { room } else { 0 };
                let step = self.apply(state, mv, &mut spare);
                out.push(top as u32, &step, &spare);
                continue;
            }
            let control = if atomic { Control::Exclusive(mv.process) } else { Control::Free };
            out.arrivals.push(Arrival { top: top as u32, start: next as u32, len: state.len() as u32, control });
            next += room;
        }
        out.spare = spare;
    }

    /// See [`Machine::expand`].
    pub(crate) fn take_all(&mut self, state: &[u8], moves: &mut Moves, out: &mut Batch) {
        let mut run = std::mem::take(&mut self.run);
        let first = out.bytes.len();
        if !self.take_run(state, state.len(), &mut run, moves, out) {
            moves.clear();
            if run.ends.is_empty() {
                self.finish(state, false, moves, out);
            } else {
                moves.list.append(&mut run.moves);
                for top in 0..moves.list.len() {
                    let (start, len) = ((first + top * run.stride) as u32, state.len() as u32);
                    out.arrivals.push(Arrival { top: top as u32, start, len, control: Control::Free });
                }
            }
        }
        self.run = run;
    }

    /// Takes the moves that generated code has found and left; finds and takes all moves when there are none.
    fn finish(&mut self, state: &[u8], found: bool, moves: &mut Moves, out: &mut Batch) {
        if found {
            self.list(state, moves, out);
            return;
        }
        self.moves(state, Control::Free, moves);
        let mut spare = std::mem::take(&mut out.spare);
        for (top, mv) in moves.list.iter().enumerate() {
            let step = self.apply(state, mv, &mut spare);
            out.push(top as u32, &step, &spare);
        }
        out.spare = spare;
    }
}
