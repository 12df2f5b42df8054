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
    /// Moves of the path before it was reached from the level below.
    before: usize,
}

/// Levels that are searched linearly, which is faster than hashing.
const LEVELS_FEW: usize = 16;

/// Scratch memory for expansions.
#[derive(Default)]
pub struct Expander {
    levels: Vec<Level>,
    spare: Vec<Level>,
    path: Vec<Move>,
    moves: Moves,
    /// Buffers for successors of the stored state and of those inside.
    first: Vec<u8>,
    next: Vec<u8>,
    /// The states of the levels, once there are more than [`LEVELS_FEW`].
    on_path: FxHashSet<(Vec<u8>, Control)>,
    /// Whether some way was cut that never leaves an `atomic`. Stays true until the caller resets it.
    pub cut: bool,
}

impl Expander {
    /// Hands all stored successors of a stored state to `sink`; returns how many moves it has.
    pub fn expand(&mut self, machine: &mut dyn Machine, state: &[u8], sink: &mut dyn Sink) -> usize {
        let mut moves = std::mem::take(&mut self.moves);
        machine.moves(state, Control::Free, &mut moves);
        for f in &moves.failures {
            sink.fail(*f, &[]);
        }
        let mut next = std::mem::take(&mut self.first);
        for mv in &moves.list {
            let step = machine.apply(state, mv, &mut next);
            if let Some(f) = step.failure {
                sink.fail(f, &[*mv]);
            }
            match step.control {
                _ if !step.proceeds => {}
                Control::Free => sink.arrive(&next, &[*mv]),
                control => self.walk(machine, &next, control, *mv, sink),
            }
        }
        let count = moves.list.len();
        self.moves = moves;
        self.first = next;
        count
    }

    /// Hands on all stored states that are reached from a state that is not stored, to which `first` has led.
    pub fn walk(
        &mut self,
        machine: &mut dyn Machine,
        state: &[u8],
        control: Control,
        first: Move,
        sink: &mut dyn Sink,
    ) {
        self.path.clear();
        self.path.push(first);
        let mut start = std::mem::take(&mut self.next);
        start.clear();
        start.extend_from_slice(state);
        self.go_on(machine, &mut start, control, 0, sink);
        self.next = start;
        while let Some(level) = self.levels.last_mut() {
            let Some(&mv) = level.moves.get(level.next) else {
                let done = self.levels.pop().expect("not empty");
                if self.levels.len() >= LEVELS_FEW {
                    self.on_path.remove(&(done.state.clone(), done.control));
                }
                self.path.truncate(done.before);
                self.spare.push(done);
                continue;
            };
            level.next += 1;
            let before = self.path.len();
            let mut next = std::mem::take(&mut self.next);
            let from = self.levels.last().expect("not empty");
            let step = machine.apply(&from.state, &mv, &mut next);
            self.path.push(mv);
            if let Some(f) = step.failure {
                sink.fail(f, &self.path);
            }
            let opened = match step.control {
                _ if !step.proceeds => false,
                Control::Free => {
                    sink.arrive(&next, &self.path);
                    false
                }
                control => self.go_on(machine, &mut next, control, before, sink),
            };
            self.next = next;
            if !opened {
                self.path.truncate(before);
            }
        }
    }

    /// Arrives, by the last move of the path, at a state that is not stored, and goes on; whether a level was opened. The
    /// path had `before` moves before.
    fn go_on(
        &mut self,
        machine: &mut dyn Machine,
        state: &mut [u8],
        control: Control,
        before: usize,
        sink: &mut dyn Sink,
    ) -> bool {
        let first = self.path.len();
        let control = machine.run_on(state, control, &mut self.path);
        (first..self.path.len()).for_each(|_| sink.inner_step());
        if control == Control::Free {
            sink.arrive(state, &self.path);
            return false;
        }
        let alone = self.path.last().is_some_and(|mv| mv.stutter);
        // A property inside its own `atomic` counts, one that goes on alone does not.
        if matches!(control, Control::Exclusive(_)) || !alone {
            sink.inner_step();
        }
        if self.is_on_path(state, control) {
            self.cut = true;
            return false;
        }
        if self.enter(machine, state, control, before, sink) > 0 {
            return true;
        }
        // A process that is blocked inside its `atomic` loses control. A property that cannot go on ends the run instead.
        if matches!(control, Control::Exclusive(_)) {
            sink.arrive(state, &self.path);
        }
        false
    }

    fn is_on_path(&self, state: &[u8], control: Control) -> bool {
        self.levels.iter().take(LEVELS_FEW).any(|l| l.control == control && l.state == state)
            || self.levels.len() > LEVELS_FEW && self.on_path.contains(&(state.to_vec(), control))
    }

    /// Opens a level, unless there are no moves; returns how many there are.
    fn enter(
        &mut self,
        machine: &mut dyn Machine,
        state: &[u8],
        control: Control,
        before: usize,
        sink: &mut dyn Sink,
    ) -> usize {
        machine.moves(state, control, &mut self.moves);
        for f in &self.moves.failures {
            sink.fail(*f, &self.path);
        }
        let count = self.moves.list.len();
        if count == 0 {
            return 0;
        }
        if self.levels.len() >= LEVELS_FEW {
            self.on_path.insert((state.to_vec(), control));
        }
        let fresh = Level { state: Vec::new(), control, moves: Vec::new(), next: 0, before };
        let mut level = self.spare.pop().unwrap_or(fresh);
        level.state.clear();
        level.state.extend_from_slice(state);
        level.control = control;
        level.moves.clear();
        level.moves.extend_from_slice(&self.moves.list);
        (level.next, level.before) = (0, before);
        self.levels.push(level);
        count
    }
}
