//! Finding the moves of a state: generated code process by process, its answers turned into moves and failures.

use crate::Native;
use crate::context::{Context, RawFailure};
use crate::partners;
use crate::program::{Finder, LocationCode, Program};
use ferrospin_model::ir::Scalar;
use ferrospin_system::{Control, Failure, Labels, Machine, Move, Moves, NO_EDGE, NO_PROCESS};

impl Native {
    /// Moves of one process.
    fn process_moves(&mut self, pid: usize, out: &mut Moves) {
        let program = self.context.program();
        let frame = self.context.scan.frames[pid];
        // SAFETY: the frame is one of the state that is looked at.
        let number = unsafe { self.context.location(frame.at) } as usize;
        let location = &program.locations[number];
        assert_eq!(location.process, frame.process, "a process stays what it is");
        if program.uses_provided && !self.may_move(pid, location, out) {
            return;
        }
        if let Some(find) = program.finders[number].find {
            out.list.reserve(program.edges_max + 1);
            let context: *mut Context = &raw mut *self.context;
            // SAFETY: the state was scanned, so the frame is that of a process at this location; there is room for a
            // move per edge and one that is written and not counted.
            unsafe {
                let base = (*context).base;
                let next = out.list.as_mut_ptr().add(out.list.len());
                let next = find(context, base, base.add(frame.at as usize), pid as i32, next);
                out.list.set_len(next.offset_from(out.list.as_ptr()) as usize);
            }
        } else if let Some(test) = location.test {
            let mask = self.call(test, frame.at, pid as i32, 0) as u64;
            self.collect(program, location, pid as u8, mask, out);
        }
        self.report(pid as u8, out);
    }

    /// Whether `provided` lets a process move.
    #[inline(never)]
    fn may_move(&mut self, pid: usize, location: &LocationCode, out: &mut Moves) -> bool {
        let program = self.context.program();
        let Some(code) = program.processes[location.process as usize].provided else { return true };
        partners::provided(&raw mut *self.context, code, pid).unwrap_or_else(|failure| {
            let first = (location.edges.1 > 0).then(|| program.edge_ids[location.edges.0 as usize]);
            let edge = first.unwrap_or(NO_EDGE);
            out.failures.push(Failure { code: failure.failure_code(), edge, process: pid as u8 });
            false
        })
    }

    /// Turns the answer of a test into moves.
    fn collect(&mut self, program: &Program, location: &LocationCode, pid: u8, mask: u64, out: &mut Moves) {
        let c = &mut *self.context;
        let (first, count) = (location.edges.0 as usize, location.edges.1 as usize);
        let edges = &program.edge_ids[first..first + count];
        let mut found = std::mem::take(&mut c.handshakes);
        let mut next = found.iter().peekable();
        for i in partners::bits(c, mask, count) {
            let id = edges[i];
            match next.peek() {
                Some(h) if h.edge == id => {
                    while let Some(h) = next.next_if(|h| h.edge == id) {
                        out.list.push(*h);
                    }
                }
                _ => out.list.push(Move::single(pid, id)),
            }
        }
        found.clear();
        c.handshakes = found;
    }

    /// Hands on the failures of the test that ran last.
    #[inline(never)]
    fn report(&mut self, pid: u8, out: &mut Moves) {
        let c = &mut *self.context;
        if c.slot != c.slots.as_mut_ptr() || !c.failures.is_empty() {
            c.drain(pid);
            let list = c.failures.drain(..);
            out.failures.extend(list.map(|(f, process)| Failure { code: f.failure_code(), edge: f.edge, process }));
        }
    }

    /// Moves of all processes, youngest first, of a state whose frames are taken to be those of the last scan. With `grow`
    /// the finders take the moves as well. False when a process turns out to be of another type; what was found is then
    /// worth nothing.
    pub(crate) fn all_moves(&mut self, finders: &[Finder], grow: bool, out: &mut Moves) -> bool {
        match self.program.location_size {
            1 => self.moves_at::<1>(finders, grow, out),
            2 => self.moves_at::<2>(finders, grow, out),
            _ => self.moves_at::<4>(finders, grow, out),
        }
    }

    /// [`Native::all_moves`] with locations of this many bytes.
    fn moves_at<const SIZE: usize>(&mut self, finders: &[Finder], grow: bool, out: &mut Moves) -> bool {
        let room = self.program.edges_max + 1;
        let count = self.context.scan.count();
        out.list.reserve(count * room);
        let context: *mut Context = &raw mut *self.context;
        let (frames, slots, base) = (self.context.frames, self.context.slots.as_mut_ptr(), self.context.base);
        // SAFETY: there is room for a move of each edge of each process, and one that is written and not counted.
        let mut next = unsafe { out.list.as_mut_ptr().add(out.list.len()) };
        let mut pid = count;
        while pid > 0 {
            pid -= 1;
            // SAFETY: the list of frames is that long, and does not move.
            let frame = unsafe { &*frames.add(pid) };
            // SAFETY: frames lie inside the state because the scan ends where the state does, whatever their types turn
            // out to be; and they start with a location.
            let (at, bytes) = unsafe {
                let at = base.add(frame.at as usize);
                (at, at.cast::<[u8; SIZE]>().read())
            };
            let number = bytes.iter().rev().fold(0, |n, b| n << 8 | usize::from(*b));
            let Some(finder) = finders.get(number).filter(|f| f.process == frame.process) else { return false };
            let Some(find) = finder.find else {
                // SAFETY: this many moves have been written.
                unsafe { out.list.set_len(next.offset_from(out.list.as_ptr()) as usize) };
                self.rare_moves(pid, grow, out);
                out.list.reserve(pid * room);
                // SAFETY: as above.
                next = unsafe { out.list.as_mut_ptr().add(out.list.len()) };
                continue;
            };
            if finder.provided && !self.may_move(pid, &self.context.program().locations[number], out) {
                continue;
            }
            // SAFETY: the frame is that of a process at this location; there is room, as above.
            next = unsafe { find(context, base, at, pid as i32, next) };
            // SAFETY: generated code has returned, and there is no other reference to the context.
            if finder.fails && unsafe { (*context).slot } != slots {
                self.report(pid as u8, out);
            }
        }
        // SAFETY: this many moves have been written.
        unsafe { out.list.set_len(next.offset_from(out.list.as_ptr()) as usize) };
        true
    }

    /// Moves of a process for which there is no code that writes them.
    #[inline(never)]
    fn rare_moves(&mut self, pid: usize, grow: bool, out: &mut Moves) {
        let len = out.list.len();
        self.process_moves(pid, out);
        if grow {
            self.context.slow_path = 1;
            // Still to be taken, and no place is kept for the successor.
            out.list[len..].iter_mut().for_each(|m| (m.stutter, m.timeout) = (true, false));
        }
    }

    /// Moves of the processes, youngest first; only of one process if it is named.
    pub(crate) fn system_moves(&mut self, only: Option<usize>, out: &mut Moves) {
        let n = self.context.scan.count();
        if self.program.uses_priority {
            // Which processes can move decides which may: all are tried, then those below the highest priority are dropped.
            (0..n).rev().for_each(|p| self.process_moves(p, out));
            let (size, c) = (self.program.location_size, &self.context);
            let priority = |m: &Move| {
                let at = c.scan.frames[usize::from(m.process)].at + size;
                // SAFETY: where priorities are used, one stands behind the location of each frame.
                unsafe { c.read(at, Scalar::BYTE) }
            };
            let top = out.list.iter().map(priority).max();
            out.list.retain(|m| Some(priority(m)) == top && only.is_none_or(|p| p == usize::from(m.process)));
            return;
        }
        match only {
            Some(p) if p < n => self.process_moves(p, out),
            Some(_) => {}
            None => assert!(self.all_moves(&self.context.program().finders, false, out), "the state was scanned"),
        }
    }

    /// Keeps a state and finds the moves of all its processes; the scan is made only where it turns out to be needed.
    pub(crate) fn look_and_find(&mut self, state: &[u8], out: &mut Moves) {
        if self.program.is_hasty && self.context.scan.end == state.len() {
            self.context.keep(state);
            self.context.scanned();
            if self.all_moves(&self.context.program().finders, false, out) {
                return;
            }
            out.clear();
            self.context.failures.clear();
            self.context.handshakes.clear();
        }
        self.look(state);
        self.system_moves(None, out);
    }

    /// Which of the propositions asked for hold in a state; [`Labels::UNKNOWN`] where one cannot be evaluated.
    pub(crate) fn propositions(&mut self, state: &[u8], asked: Labels) -> Labels {
        let program = self.context.program();
        let Some(location) = program.propositions.map(|l| &program.locations[l as usize]) else { return Labels::NONE };
        let mut is_timeout = false;
        if program.asks_timeout {
            let mut moves = Moves::default();
            self.moves(state, Control::Free, &mut moves);
            is_timeout = moves.list.iter().all(|m| m.timeout);
        }
        if !self.context.knows(state) {
            self.look(state);
        }
        // Moves may have been taken since, in another place.
        self.context.base = self.context.current.as_mut_ptr();
        self.context.slot = self.context.slots.as_mut_ptr();
        self.context.timeout = u32::from(is_timeout);
        let found = location.test.map_or(0, |code| self.call(code, 0, i32::from(NO_PROCESS), 0) as u64);
        let c = &mut *self.context;
        if c.slot != c.slots.as_mut_ptr() || !c.failures.is_empty() {
            c.drain(NO_PROCESS);
            let (first, count) = (location.edges.0 as usize, location.edges.1 as usize);
            let edges = &program.edge_ids[first..first + count];
            let number = |edge: u32| edges.iter().position(|e| *e == edge).expect("an edge of the propositions");
            let is_asked = |(f, _): &(RawFailure, u8)| asked.has(Labels::proposition(number(f.edge)));
            let fails = c.failures.iter().any(is_asked);
            c.failures.clear();
            if fails {
                return Labels::UNKNOWN;
            }
        }
        Labels(found) & asked
    }
}
