//! Going on inside an `atomic` where there is no choice.

use crate::Native;
use crate::context::Context;
use crate::test::Taken;
use ferrospin_system::{Control, Move};

/// After so many steps the caller is asked, who notices when a process runs in circles.
const STEPS_MAX: usize = 64;

impl Native {
    /// See [`ferrospin_system::Machine::run_on`].
    pub(crate) fn go_straight(&mut self, state: &mut [u8], pid: u8, path: &mut Vec<Move>) -> Control {
        let program = self.context.program();
        let here = Control::Exclusive(pid);
        // Beside a claim, too: it does not move while somebody is inside an `atomic`.
        let Some(growth) = program.growth.as_ref() else { return here };
        self.look(state);
        self.context.timeout = 0;
        let Some(frame) = self.context.scan.frames.get(usize::from(pid)).copied() else { return here };
        let mut found = std::mem::take(&mut self.system);
        found.clear();
        found.reserve(program.edges_max + 1);
        let mut control = here;
        for _ in 0..STEPS_MAX {
            let number = self.context.location(frame.at) as usize;
            let finder = &program.finders[number];
            let Some(find) = finder.find.filter(|_| !finder.provided) else { break };
            let context: *mut Context = &raw mut *self.context;
            // SAFETY: the state was scanned, and the frame is that of a process at this location; there is room for a
            // move per edge and one that is written and not counted.
            let count = unsafe {
                let base = (*context).base;
                let next = find(context, base, base.add(frame.at as usize), i32::from(pid), found.as_mut_ptr());
                next.offset_from(found.as_ptr()) as usize
            };
            if self.context.slot != self.context.slots.as_mut_ptr() {
                // What fails is told by whoever looks at this state again.
                self.context.slot = self.context.slots.as_mut_ptr();
                break;
            }
            if count != 1 {
                break;
            }
            // SAFETY: one move has been written.
            let mv = unsafe { *found.as_ptr() };
            let edge = &program.edges[mv.edge as usize];
            let Some(code) = edge.apply.filter(|_| growth.taken[mv.edge as usize] != Taken::Later) else { break };
            self.context.soft.code = 0;
            let done = self.call(code, frame.at, i32::from(pid), edge.to as i32) >= 0;
            if !done || self.context.soft.code != 0 {
                // It is taken back, and told later, too.
                self.context.keep(state);
                break;
            }
            self.context.copy_into(state);
            path.push(mv);
            if !edge.atomic {
                control = Control::Free;
                break;
            }
        }
        self.system = found;
        control
    }
}
