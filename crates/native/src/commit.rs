//! Finishing the moves of a state where their successors stand.
//!
//! Generated code leaves two things to be done: a handshake needs the code of two processes, and a process may keep
//! control. Both are done here in the place that the successor has already, as long as nothing fails and there is no
//! choice. What is left is marked in its move as before, and is done in the ordinary way.

use crate::context::Context;
use crate::executable::Taken;
use crate::kept::CHUNK;
use crate::program::{Growth, Program};
use crate::run_on::{STEPS_MAX, Went};
use ferrospin_system::{Move, NO_PROCESS, StateRun};

/// Memory for what is being done.
#[derive(Default)]
pub(crate) struct Spare {
    /// A successor as it was.
    saved: Vec<u8>,
    /// Moves inside an `atomic`.
    found: Vec<Move>,
}

/// See the module.
pub(crate) struct Commit<'a> {
    pub(crate) context: &'a mut Context,
    pub(crate) program: &'a Program,
    pub(crate) growth: &'a Growth,
    pub(crate) spare: &'a mut Spare,
}

impl Commit<'_> {
    /// Finishes the last moves of a run, from number `first` on, whose successors stand from `place` on; false when some
    /// of them is left.
    ///
    /// # Safety
    /// Generated code has just written these moves and successors for the state that the context keeps, and the scan
    /// describes it.
    pub(crate) unsafe fn all(&mut self, run: &mut StateRun, first: usize, mut place: *mut u8) -> bool {
        let (mut all, mut end) = (true, None);
        for i in first..run.moves.len() {
            let mv = run.moves[i];
            let here = place;
            if !mv.stutter || mv.timeout {
                // SAFETY: there is a place for it.
                place = unsafe { place.add(self.context.room) };
            }
            // SAFETY: by the caller.
            let done = unsafe {
                match (mv.stutter, mv.timeout) {
                    (false, false) => continue,
                    (false, true) => run.runs_on && self.goes_straight(mv.process, here, run),
                    (true, false) => false,
                    (true, true) if self.program.edges[mv.edge as usize].end => {
                        end = self.ends(&mv, here, run).map(|len| (i, len));
                        all &= end.is_some();
                        continue;
                    }
                    (true, true) => self.takes(&mv, here, run),
                }
            };
            if done {
                (run.moves[i].stutter, run.moves[i].timeout) = (false, false);
            }
            all &= done;
        }
        self.context.base = self.context.current.as_mut_ptr();
        if let Some((i, len)) = end.filter(|_| all) {
            // Only now: where something is left, this move is, too.
            (run.moves[i].stutter, run.moves[i].timeout) = (false, false);
            run.ended.push((i as u32, len));
        }
        all
    }

    /// Lets a process end; the length of the successor, or nothing when that is not wanted.
    ///
    /// # Safety
    /// As for [`Commit::all`].
    unsafe fn ends(&mut self, mv: &Move, place: *mut u8, run: &StateRun) -> Option<u32> {
        if !run.takes_ends || self.program.last.is_some() {
            return None;
        }
        // SAFETY: by the caller.
        unsafe { self.copy(place) };
        Some(self.context.scan.frames[usize::from(mv.process)].at)
    }

    /// Copies the state to the place of a successor.
    ///
    /// # Safety
    /// As for [`Commit::all`].
    unsafe fn copy(&self, place: *mut u8) {
        let room = self.context.room;
        assert!(room <= self.context.current.len(), "a state is kept with some room behind it");
        // SAFETY: both have room for whole chunks, and the place is not the context's own.
        unsafe {
            for at in (0..room).step_by(CHUNK) {
                std::ptr::copy_nonoverlapping(self.context.current.as_ptr().add(at), place.add(at), CHUNK);
            }
        }
    }

    /// Takes a move for whose successor there is a place; false, and nothing has happened, when it is out of the ordinary.
    ///
    /// # Safety
    /// As for [`Commit::all`].
    unsafe fn takes(&mut self, mv: &Move, place: *mut u8, run: &mut StateRun) -> bool {
        let edge = &self.program.edges[mv.edge as usize];
        let is_handshake = mv.partner != NO_PROCESS;
        if !is_handshake && self.growth.taken[mv.edge as usize] == Taken::Later {
            return false;
        }
        // SAFETY: by the caller.
        unsafe { self.copy(place) };
        let (last, is_atomic) = if is_handshake {
            let receive = &self.program.edges[mv.partner_edge as usize];
            let (Some(offer), Some(take)) = (edge.offer, receive.take) else { return false };
            // SAFETY: the processes stand at the locations of these edges.
            let done = unsafe {
                self.context.change(offer, place, mv.process, edge.to)
                    && self.context.change(take, place, mv.partner, receive.to)
            };
            if !done {
                return false;
            }
            (mv.partner, receive.atomic)
        } else {
            let Some(apply) = edge.apply else { return false };
            // SAFETY: as above.
            if !unsafe { self.context.change(apply, place, mv.process, edge.to) } {
                return false;
            }
            (mv.process, edge.atomic)
        };
        // SAFETY: by the caller.
        if is_atomic && !(run.runs_on && unsafe { self.goes_straight(last, place, run) }) {
            return false;
        }
        if is_handshake {
            run.further.push(mv.partner_edge);
        }
        true
    }

    /// Lets a process that is in control go on while it has one move; false, and nothing has happened, when it does not
    /// get to where every process may move again.
    ///
    /// # Safety
    /// As for [`Commit::all`].
    unsafe fn goes_straight(&mut self, pid: u8, place: *mut u8, run: &mut StateRun) -> bool {
        let (further, room) = (run.further.len(), self.context.room);
        self.spare.saved.clear();
        // SAFETY: the place has that number of bytes, which generated code has written.
        self.spare.saved.extend_from_slice(unsafe { std::slice::from_raw_parts(place, room) });
        // SAFETY: by the caller.
        if let Some(steps) = unsafe { self.steps(pid, place, run) } {
            run.inner_steps += steps;
            return true;
        }
        run.further.truncate(further);
        // SAFETY: as above.
        unsafe { std::ptr::copy_nonoverlapping(self.spare.saved.as_ptr(), place, room) };
        false
    }

    /// How many states were passed on the way to an ordinary one.
    ///
    /// # Safety
    /// As for [`Commit::all`].
    unsafe fn steps(&mut self, pid: u8, place: *mut u8, run: &mut StateRun) -> Option<u64> {
        for passed in 1..=STEPS_MAX as u64 {
            // SAFETY: by the caller; no step changes the processes.
            match unsafe { self.context.go_on(self.program, self.growth, place, pid, &mut self.spare.found) } {
                Went::On(mv, is_atomic) => {
                    run.further.push(mv.edge);
                    if !is_atomic {
                        return Some(passed);
                    }
                }
                // A process that is blocked loses control.
                Went::Nowhere => return Some(passed),
                Went::No | Went::Wrong => return None,
            }
        }
        None
    }
}
