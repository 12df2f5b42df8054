//! From a stored state to its stored successors.
//!
//! A step may leave a process in exclusive control, inside `atomic`. The states between are walked depth first, every
//! way to the exit, and only the exits are handed on. A process that cannot go on loses control, and the state is an
//! ordinary one after all. A way that comes back to a state it has already passed never leaves the `atomic`; it is cut.

use ferrospin_system::{Control, Failure, Machine, Move, Moves};
use rustc_hash::FxHashSet;

/// Hears what an expansion finds.
pub trait Sink {
    /// A stored successor, with the moves that lead to it.
    fn arrive(&mut self, state: &[u8], path: &[Move]);

    /// Something went wrong at the end of `path`, or while looking for moves there.
    fn fail(&mut self, failure: Failure, path: &[Move]);

    /// A step inside an `atomic`.
    fn inner_step(&mut self);
}

struct Level {
    state: Vec<u8>,
    control: Control,
    moves: Vec<Move>,
    next: usize,
}

/// Scratch memory for expansions.
#[derive(Default)]
pub struct Expander {
    levels: Vec<Level>,
    spare: Vec<Level>,
    path: Vec<Move>,
    moves: Moves,
    on_path: FxHashSet<(Vec<u8>, Control)>,
}

impl Expander {
    /// Hands all stored successors of a stored state to `sink`; returns how many moves it has.
    pub fn expand(&mut self, machine: &mut dyn Machine, state: &[u8], sink: &mut dyn Sink) -> usize {
        self.path.clear();
        self.on_path.clear();
        let count = self.enter(machine, state, Control::Free, sink);
        while let Some(level) = self.levels.last_mut() {
            let Some(&mv) = level.moves.get(level.next) else {
                let done = self.levels.pop().expect("not empty");
                self.on_path.remove(&(done.state.clone(), done.control));
                self.spare.push(done);
                self.path.pop();
                continue;
            };
            level.next += 1;
            let mut next = self.spare.pop().map_or_else(Vec::new, |l| l.state);
            let from = self.levels.last().expect("not empty");
            let step = machine.apply(&from.state, &mv, &mut next);
            self.path.push(mv);
            if let Some(f) = step.failure {
                sink.fail(f, &self.path);
            }
            if step.proceeds {
                match step.control {
                    Control::Free => sink.arrive(&next, &self.path),
                    control => {
                        // A claim inside its own `atomic` counts, one that goes on alone does not.
                        if matches!(control, Control::Exclusive(_)) || !mv.stutter {
                            sink.inner_step();
                        }
                        if self.on_path.contains(&(next.clone(), control)) {
                            self.path.pop();
                            continue;
                        }
                        if self.enter(machine, &next, control, sink) > 0 {
                            continue;
                        }
                        self.leave_blocked(control, &next, sink);
                    }
                }
            }
            self.path.pop();
        }
        count
    }

    /// A process that is blocked inside its `atomic` loses control. A claim that cannot go on ends the run instead.
    fn leave_blocked(&mut self, control: Control, state: &[u8], sink: &mut dyn Sink) {
        if matches!(control, Control::Exclusive(_)) {
            sink.arrive(state, &self.path);
        }
    }

    /// Opens a level, unless there are no moves; returns how many there are.
    fn enter(&mut self, machine: &mut dyn Machine, state: &[u8], control: Control, sink: &mut dyn Sink) -> usize {
        machine.moves(state, control, &mut self.moves);
        for f in &self.moves.failures {
            sink.fail(*f, &self.path);
        }
        let count = self.moves.list.len();
        if count == 0 {
            return 0;
        }
        if control != Control::Free {
            self.on_path.insert((state.to_vec(), control));
        }
        let mut level = self.spare.pop().unwrap_or(Level { state: Vec::new(), control, moves: Vec::new(), next: 0 });
        level.state.clear();
        level.state.extend_from_slice(state);
        level.control = control;
        level.moves.clear();
        level.moves.extend_from_slice(&self.moves.list);
        level.next = 0;
        self.levels.push(level);
        count
    }
}
