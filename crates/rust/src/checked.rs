//! An executor under a self-check: the encoding of some states that a search meets is looked at.
//!
//! Which states are looked at depends on their hash alone, so that a check can be repeated.

use crate::self_check::{Flaw, check, check_encoded};
use crate::{Executor, Model};
use ferrospin_system::{AtomicExits, Batch, Control, Failure, Labels, Machine, Move, Moves, StateHash, StateRun, Step};
use std::num::NonZeroU64;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

/// Which states are looked at has nothing to do with where a store keeps them.
const SEED: u64 = 0x5e1f_c4ec;

/// See the module. Shared by the executors of a search.
pub(crate) struct Sampled {
    share: NonZeroU64,
    hash: StateHash,
    is_over: AtomicBool,
    flaw: Mutex<Option<Flaw>>,
    states: AtomicU64,
}

impl Sampled {
    /// Checks one state of this many; `states` were passed before.
    pub(crate) fn new(share: NonZeroU64, states: u64) -> Self {
        Sampled {
            share,
            hash: StateHash::new(SEED),
            is_over: AtomicBool::new(false),
            flaw: Mutex::default(),
            states: AtomicU64::new(states),
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.is_over.load(Relaxed)
    }

    pub(crate) fn flaw(&self) -> Option<Flaw> {
        self.flaw.lock().expect("nothing panics here").clone()
    }

    pub(crate) fn states(&self) -> u64 {
        self.states.load(Relaxed)
    }

    fn look<M: Model>(&self, model: &M, state: &[u8]) {
        if !self.hash.of(state).is_multiple_of(self.share.get()) || self.is_over() {
            return;
        }
        self.states.fetch_add(1, Relaxed);
        if let Err(flaw) = look(model, state) {
            self.flaw.lock().expect("nothing panics here").get_or_insert(flaw);
            self.is_over.store(true, Relaxed);
        }
    }
}

/// Looks at a state and at its successors as the model makes them.
fn look<M: Model>(model: &M, state: &[u8]) -> Result<(), Flaw> {
    let state: M::State = check_encoded(state)?;
    let mut actions = Vec::new();
    model.actions(&state, &mut actions);
    for action in &actions {
        let mut next = state.clone();
        if model.take(&mut next, action) {
            check(&next)?;
        }
    }
    Ok(())
}

/// See the module.
pub(crate) struct Checked<M: Model> {
    pub(crate) executor: Executor<M>,
    pub(crate) check: Arc<Sampled>,
}

impl<M: Model> Machine for Checked<M> {
    fn initial(&mut self, out: &mut Vec<u8>) -> Result<(), Failure> {
        self.executor.initial(out)
    }

    fn moves(&mut self, state: &[u8], control: Control, out: &mut Moves) {
        self.check.look(&**self.executor.model(), state);
        self.executor.moves(state, control, out);
    }

    fn apply(&mut self, state: &[u8], mv: &Move, out: &mut Vec<u8>) -> Step {
        self.executor.apply(state, mv, out)
    }

    fn expand(&mut self, state: &[u8], moves: &mut Moves, out: &mut Batch) {
        self.check.look(&**self.executor.model(), state);
        self.executor.expand(state, moves, out);
    }

    fn expand_run(&mut self, _: &[u8], _: usize, run: &mut StateRun, _: &mut Moves, _: &mut Batch) -> bool {
        run.clear();
        false
    }

    // No state of such a model is an inner one.
    fn run_on(&mut self, _: &mut [u8], control: Control, _: &mut Vec<Move>) -> Control {
        control
    }

    fn walk(&mut self, _: &[u8], _: Control, _: &mut Vec<u8>, _: &mut AtomicExits) -> bool {
        false
    }

    fn labels(&mut self, state: &[u8], asked: Labels) -> Labels {
        self.executor.labels(state, asked)
    }
}
