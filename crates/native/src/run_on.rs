//! Going on inside an `atomic` where there is no choice.

use crate::Native;
use crate::context::{Code, Context};
use crate::executable::Taken;
use crate::program::{Growth, Program};
use ferrospin_system::{Control, Move};

/// Steps after which control returns to the caller, which notices when a process runs in circles.
pub(crate) const STEPS_MAX: usize = 64;

/// What a process in control has done.
pub(crate) enum Went {
    /// It had one move, and has taken it; whether it keeps control.
    On(Move, bool),
    /// It cannot move.
    Nowhere,
    /// It has a choice, or what it would do is left to others. Nothing has changed.
    No,
    /// What it did has failed; the state is worth nothing.
    Wrong,
}

impl Context {
    /// Calls code that changes the state at `place`; false when something fails.
    ///
    /// # Safety
    /// The state at `place` has the processes of the last scan, and process `pid` stands where the code begins.
    pub(crate) unsafe fn change(&mut self, code: Code, place: *mut u8, pid: u8, to: u32) -> bool {
        let at = self.scan.frames[usize::from(pid)].at as usize;
        let c: *mut Context = &raw mut *self;
        // SAFETY: frames lie inside the state.
        unsafe {
            (*c).base = place;
            (*c).soft.code = 0;
            code(c, place, place.add(at), i32::from(pid), to as i32) >= 0 && (*c).soft.code == 0
        }
    }

    /// Lets a process that is in control take the only move it has; `found` is memory for moves.
    ///
    /// # Safety
    /// The state at `place` has the processes of the last scan.
    pub(crate) unsafe fn go_on(
        &mut self,
        program: &Program,
        growth: &Growth,
        place: *mut u8,
        pid: u8,
        found: &mut Vec<Move>,
    ) -> Went {
        let at = self.scan.frames[usize::from(pid)].at;
        self.base = place;
        // SAFETY: the state that stands at `place` has these frames.
        let finder = &program.finders[unsafe { self.location(at) } as usize];
        let Some(find) = finder.find.filter(|_| !finder.provided) else { return Went::No };
        found.clear();
        found.reserve(program.edges_max + 1);
        let (c, list): (*mut Context, _) = (&raw mut *self, found.as_mut_ptr());
        // SAFETY: the frame is that of a process at this location; there is room for a move per edge and one that is written
        // and not counted.
        let count = unsafe { find(c, place, place.add(at as usize), i32::from(pid), list).offset_from(list) };
        if self.slot != self.slots.as_mut_ptr() {
            // What fails is told when this state is looked at again.
            self.slot = self.slots.as_mut_ptr();
            return Went::No;
        }
        if count != 1 {
            return if count == 0 { Went::Nowhere } else { Went::No };
        }
        // SAFETY: one move has been written.
        let mv = unsafe { *list };
        let edge = &program.edges[mv.edge as usize];
        let Some(apply) = edge.apply.filter(|_| growth.taken[mv.edge as usize] != Taken::Later) else {
            return Went::No;
        };
        // SAFETY: by the caller; the process stands where its edge begins.
        if unsafe { self.change(apply, place, pid, edge.to) } { Went::On(mv, edge.atomic) } else { Went::Wrong }
    }
}

impl Native {
    /// See [`ferrospin_system::Machine::run_on`].
    pub(crate) fn go_straight(&mut self, state: &mut [u8], pid: u8, path: &mut Vec<Move>) -> Control {
        let program = self.context.program();
        let here = Control::Exclusive(pid);
        // Beside a monitor, too: it does not move while a process is inside an `atomic`.
        let Some(growth) = program.growth.as_ref() else { return here };
        self.look(state);
        self.context.timeout = 0;
        if usize::from(pid) >= self.context.scan.count() {
            return here;
        }
        let place = self.context.base;
        for _ in 0..STEPS_MAX {
            // SAFETY: the state was just scanned, and no step changes its processes.
            match unsafe { self.context.go_on(program, growth, place, pid, &mut self.system) } {
                Went::On(mv, is_atomic) => {
                    self.context.copy_into(state);
                    path.push(mv);
                    if !is_atomic {
                        return Control::Free;
                    }
                }
                Went::Nowhere | Went::No => break,
                Went::Wrong => {
                    // It is taken back, and told later, too.
                    self.context.keep(state);
                    break;
                }
            }
        }
        here
    }
}
