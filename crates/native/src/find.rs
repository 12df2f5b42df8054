//! Finding the moves of a state: generated code process by process, its answers turned into moves and failures.

use crate::Native;
use crate::context::Context;
use crate::partners;
use crate::program::{Find, LocationCode, Program};
use ferrospin_model::ir::Scalar;
use ferrospin_system::{Control, Failure, Move, Moves, NO_EDGE, NO_PROCESS};

impl Native {
    /// Moves of one process.
    fn process_moves(&mut self, pid: usize, out: &mut Moves) {
        let program = self.context.program();
        let frame = self.context.scan.frames[pid];
        let number = self.context.location(frame.at) as usize;
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
    fn may_move(&mut self, pid: usize, location: &LocationCode, out: &mut Moves) -> bool {
        let program = self.context.program();
        let Some(code) = program.processes[location.process as usize].provided else { return true };
        partners::provided(&raw mut *self.context, code, pid).unwrap_or_else(|failure| {
            let first = (location.edges.1 > 0).then(|| program.edge_ids[location.edges.0 as usize]);
            let edge = first.unwrap_or(NO_EDGE);
            out.failures.push(Failure { kind: failure.kind(), edge, process: pid as u8 });
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
    fn report(&mut self, pid: u8, out: &mut Moves) {
        let c = &mut *self.context;
        if c.slot != c.slots.as_mut_ptr() || !c.failures.is_empty() {
            c.drain(pid);
            let list = c.failures.drain(..);
            out.failures.extend(list.map(|(f, process)| Failure { kind: f.kind(), edge: f.edge, process }));
        }
    }

    /// Moves of all processes, youngest first, of a state whose frames are taken to be those of the last scan. False
    /// when a process turns out to be of another type; what was found is then worth nothing.
    pub(crate) fn all_moves<const GROW: bool>(&mut self, grown: &[Option<Find>], out: &mut Moves) -> bool {
        let program = self.context.program();
        let room = program.edges_max + 1;
        let mut pid = self.context.scan.count();
        out.list.reserve(pid * room);
        let mut len = out.list.len();
        let context: *mut Context = &raw mut *self.context;
        let start = self.context.slots.as_mut_ptr();
        while pid > 0 {
            pid -= 1;
            let frame = self.context.scan.frames[pid];
            let number = self.context.location(frame.at) as usize;
            let finder = match program.finders.get(number) {
                Some(finder) if finder.process == frame.process => finder,
                _ => return false,
            };
            let found = if GROW { grown[number] } else { finder.find };
            let Some(find) = found else {
                self.process_moves(pid, out);
                if GROW {
                    out.list[len..].iter_mut().for_each(|m| m.stutter = true);
                }
                out.list.reserve(pid * room);
                len = out.list.len();
                continue;
            };
            if program.uses_provided && !self.may_move(pid, &program.locations[number], out) {
                continue;
            }
            // SAFETY: as in `process_moves`. Frames lie inside the state because the scan ends where the state does,
            // whatever their types turn out to be.
            unsafe {
                let (base, first) = ((*context).base, out.list.as_mut_ptr());
                let next = find(context, base, base.add(frame.at as usize), pid as i32, first.add(len));
                len = next.offset_from(first) as usize;
                out.list.set_len(len);
            }
            if finder.fails && self.context.slot != start {
                self.report(pid as u8, out);
            }
        }
        true
    }

    /// Moves of the processes, youngest first; only of one process if it is named.
    pub(crate) fn system_moves(&mut self, only: Option<usize>, out: &mut Moves) {
        let n = self.context.scan.count();
        if self.program.uses_priority {
            // Who can move decides who may: all are tried, then those below the highest priority are dropped.
            (0..n).rev().for_each(|p| self.process_moves(p, out));
            let (size, c) = (self.program.location_size, &self.context);
            let priority = |m: &Move| c.read(c.scan.frames[usize::from(m.process)].at + size, Scalar::BYTE);
            let top = out.list.iter().map(priority).max();
            out.list.retain(|m| Some(priority(m)) == top && only.is_none_or(|p| p == usize::from(m.process)));
            return;
        }
        match only {
            Some(p) if p < n => self.process_moves(p, out),
            Some(_) => {}
            None => assert!(self.all_moves::<false>(&[], out), "the state was scanned"),
        }
    }

    /// Keeps a state and finds the moves of all its processes; the scan is made only where it turns out to be needed.
    pub(crate) fn look_and_find(&mut self, state: &[u8], out: &mut Moves) {
        if self.program.is_hasty && self.context.scan.end == state.len() {
            self.context.keep(state);
            self.context.scanned();
            if self.all_moves::<false>(&[], out) {
                return;
            }
            out.clear();
            self.context.failures.clear();
            self.context.handshakes.clear();
        }
        self.look(state);
        self.system_moves(None, out);
    }

    /// Multiplies the moves of the processes with those of the claim.
    pub(crate) fn with_claim(&mut self, at: u32, control: Control, out: &mut Moves) {
        let program = self.context.program();
        let location = &program.locations[self.context.location(at) as usize];
        assert_eq!(Some(location.process), program.claim.map(|c| c.0), "the claim stays what it is");
        let mask = location.test.map_or(0, |code| self.call(code, at, i32::from(NO_PROCESS), 0) as u64);
        self.system.clear();
        self.system.append(&mut out.list);
        let (first, count) = (location.edges.0 as usize, location.edges.1 as usize);
        for i in partners::bits(&self.context, mask, count) {
            let claim = program.edge_ids[first + i];
            if program.edges[claim as usize].atomic || self.system.is_empty() {
                out.list.push(Move {
                    process: NO_PROCESS,
                    edge: NO_EDGE,
                    partner: NO_PROCESS,
                    partner_edge: NO_EDGE,
                    claim,
                    timeout: false,
                    stutter: self.system.is_empty() && control == Control::Free,
                });
            } else {
                out.list.extend(self.system.iter().map(|m| Move { claim, ..*m }));
            }
        }
        let c = &mut *self.context;
        c.drain(NO_PROCESS);
        let list = c.failures.drain(..);
        out.failures.extend(list.map(|(f, process)| Failure { kind: f.kind(), edge: f.edge, process }));
    }
}
