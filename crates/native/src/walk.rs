//! Walking through an `atomic` by every way.
//!
//! Code that takes moves while it looks for them makes all successors of a state inside at once, one behind the other; they
//! wait on a stack in the same memory. What is out of the ordinary (failures, births, handshakes, ways that do not seem to
//! end) is left to others, and nothing has happened then.

use crate::Native;
use crate::context::Context;
use crate::kept::CHUNK;
use crate::program::Finder;
use ferrospin_system::{AtomicExits, Move};

/// States inside an `atomic` that are passed before control returns to the caller, which notices when a process runs in circles.
const STEPS_MAX: u64 = 1 << 12;

/// Most states that may wait.
const WAITING_MAX: usize = 1 << 8;

/// Steps that may be taken in vain; those that were useful are added, up to a bound.
const BUDGET: u64 = 1 << 16;
const BUDGET_MAX: u64 = 1 << 20;

/// Moves of one state that are still to be followed: numbers of moves. The successor by each stands at its number, behind the
/// state in which the walk begins.
#[derive(Clone, Copy, Default)]
struct Level {
    next: usize,
    end: usize,
}

/// Memory for a walk.
pub(crate) struct Walk {
    levels: Vec<Level>,
    moves: Vec<Move>,
    states: Vec<u8>,
    budget: u64,
}

impl Default for Walk {
    fn default() -> Self {
        Walk { levels: Vec::new(), moves: Vec::new(), states: Vec::new(), budget: BUDGET }
    }
}

impl Native {
    /// See [`ferrospin_system::Machine::walk`].
    pub(crate) fn walk_out(&mut self, state: &[u8], pid: u8, out: &mut Vec<u8>, ways: &mut AtomicExits) -> bool {
        if self.walk.budget == 0 {
            return false;
        }
        let Some(grown) = self.grown() else { return false };
        self.look(state);
        if usize::from(pid) >= self.context.scan.count() {
            return false;
        }
        let first = out.len();
        ways.clear();
        ways.stride = state.len().next_multiple_of(CHUNK);
        let Native { context: c, walk, program, .. } = self;
        let done = walk.all(c, &grown.finders, program.edges_max, pid, out, ways);
        if done {
            walk.budget = (walk.budget + ways.inner_steps).min(BUDGET_MAX);
        } else {
            walk.budget = walk.budget.saturating_sub(ways.inner_steps);
            out.truncate(first);
        }
        (c.base, c.slot) = (c.current.as_mut_ptr(), c.slots.as_mut_ptr());
        done
    }
}

impl Walk {
    /// Follows all ways from the state that the context keeps.
    fn all(
        &mut self,
        c: &mut Context,
        finders: &[Finder],
        edges_max: usize,
        pid: u8,
        out: &mut Vec<u8>,
        ways: &mut AtomicExits,
    ) -> bool {
        let (room, at) = (ways.stride, c.scan.frames[usize::from(pid)].at);
        (c.room, c.timeout) = (room, 0);
        let most = WAITING_MAX + edges_max;
        // One more move may be written and not counted, with its successor; the state in which the walk begins stands before all.
        self.moves.resize(most + 1, Move::single(pid, 0));
        self.states.resize((most + 2) * room, 0);
        self.states[..room].copy_from_slice(&c.current[..room]);
        self.levels.clear();
        let mut level = Level::default();
        // The number of the state that is looked at, one behind that of its move.
        let mut number = 0;
        let slots = c.slots.as_mut_ptr();
        loop {
            ways.inner_steps += 1;
            let first = level.end;
            if ways.inner_steps > STEPS_MAX || first > WAITING_MAX {
                return false;
            }
            let here = number * room;
            c.base = self.states[here..].as_mut_ptr();
            c.dest = self.states[(first + 1) * room..].as_mut_ptr();
            // SAFETY: no step here changes the processes, so that the frame is one of each of these states.
            let finder = &finders[unsafe { c.location(at) } as usize];
            let Some(find) = finder.find.filter(|_| !finder.provided) else { return false };
            let list = self.moves[first..].as_mut_ptr();
            // SAFETY: the state was scanned, and no step here changes its processes: the frame is that of a process at
            // this location. There is room for a move of each edge and one more, and for their successors, behind all
            // that wait.
            let count = unsafe {
                let (base, context) = (c.base, &raw mut *c);
                find(context, base, base.add(at as usize), i32::from(pid), list).offset_from(list) as usize
            };
            if c.slot != slots {
                return false;
            }
            if count > 0 {
                self.levels.push(level);
                level = Level { next: first, end: first + count };
            } else {
                // A process that is blocked loses control.
                out.extend_from_slice(&self.states[here..here + room]);
                ways.count += 1;
            }
            // The next one that is inside.
            number = loop {
                if level.next == level.end {
                    let Some(below) = self.levels.pop() else { return true };
                    level = below;
                    continue;
                }
                let mv = self.moves[level.next];
                level.next += 1;
                if mv.stutter {
                    return false;
                }
                ways.edges.push(mv.edge);
                if mv.timeout {
                    break level.next;
                }
                out.extend_from_slice(&self.states[level.next * room..][..room]);
                ways.count += 1;
            };
        }
    }
}
