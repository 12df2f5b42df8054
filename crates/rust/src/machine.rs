//! A model as a machine.
//!
//! A state is decoded once for the list of actions, and once for each action that is taken, into memory that is used
//! again; no state is cloned. The edge of a move is the index of its action in the list of its state.

use crate::{Decoder, Encode, Encoder, Model, Properties, Property, PropertyKind};
use ferrospin_system::{
    Arrival, AtomicExits, Batch, Control, Failure, FailureCode, Labels, Machine, Move, Moves, NO_EDGE, StateRun, Step,
};
use std::sync::Arc;

/// Runs a model; every worker of a search has one.
pub struct Executor<M: Model> {
    model: Arc<M>,
    /// The conditions that must hold everywhere, with their numbers among all.
    invariants: Vec<(u16, Property<M>)>,
    /// The conditions that [`Machine::labels`] tells, one bit for each.
    propositions: Vec<Property<M>>,
    /// A state, and a successor in the making.
    state: M::State,
    next: M::State,
    actions: Vec<M::Action>,
}

impl<M: Model> Clone for Executor<M> {
    fn clone(&self) -> Self {
        Executor {
            model: self.model.clone(),
            invariants: self.invariants.clone(),
            propositions: self.propositions.clone(),
            state: self.state.clone(),
            next: self.next.clone(),
            actions: Vec::new(),
        }
    }
}

impl<M: Model> Executor<M> {
    /// An executor that checks what must hold everywhere.
    ///
    /// # Panics
    /// Panics when the model has more than 65,535 properties.
    pub fn new(model: Arc<M>) -> Self {
        let (state, properties) = (model.initial(), Properties::of(&*model));
        let number = |i| u16::try_from(i).expect("at most 65,535 properties");
        let numbered = properties.list().iter().enumerate().map(|(i, p)| (number(i), *p));
        let invariants = numbered.filter(|(_, p)| p.kind == PropertyKind::Always).collect();
        Executor { model, invariants, propositions: Vec::new(), next: state.clone(), state, actions: Vec::new() }
    }

    /// The same executor, which tells by [`Machine::labels`] which of these conditions hold, the first as the lowest bit.
    ///
    /// # Panics
    /// Panics when there are more than [`Labels::PROPOSITIONS_MAX`].
    #[must_use]
    pub fn with_propositions(mut self, propositions: Vec<Property<M>>) -> Self {
        assert!(propositions.len() <= Labels::PROPOSITIONS_MAX, "too many propositions");
        self.propositions = propositions;
        self
    }

    /// The model.
    pub fn model(&self) -> &Arc<M> {
        &self.model
    }

    /// A state in Rust's form.
    pub fn decode(&self, state: &[u8]) -> M::State {
        M::State::decode(&mut Decoder::new(state))
    }

    /// Reads a state, and lists what can happen and what does not hold in it.
    #[inline]
    fn look(&mut self, state: &[u8], out: &mut Moves) {
        out.clear();
        self.state.decode_into(&mut Decoder::new(state));
        for (number, property) in &self.invariants {
            if !(property.holds)(&self.model, &self.state) {
                let code = FailureCode::new(*number);
                out.failures.push(Failure { code, edge: NO_EDGE, process: 0 });
            }
        }
        self.actions.clear();
        self.model.actions(&self.state, &mut self.actions);
    }

    /// Takes the action of this index; adds the successor to `bytes` where there is one.
    #[inline]
    fn step(&mut self, state: &[u8], action: usize, bytes: &mut Vec<u8>) -> bool {
        self.next.decode_into(&mut Decoder::new(state));
        let is_possible = self.model.take(&mut self.next, &self.actions[action]);
        if is_possible {
            let mut out = Encoder::over(std::mem::take(bytes));
            self.next.encode(&mut out);
            *bytes = out.into_bytes();
        }
        is_possible
    }

    #[inline]
    fn process_of(&self, action: usize) -> u8 {
        let process = self.model.process(&self.actions[action]);
        assert!(process < 255, "processes are numbered below 255");
        process as u8
    }

    fn told(&self, action: usize) -> String {
        format!("{:?}", self.actions[action])
    }

    /// What a move of a state is called: the `Debug` form of its action.
    pub fn action_text(&mut self, state: &[u8], mv: &Move) -> String {
        self.look(state, &mut Moves::default());
        self.told(mv.edge as usize)
    }
}

impl<M: Model> Machine for Executor<M> {
    fn initial(&mut self, out: &mut Vec<u8>) -> Result<(), Failure> {
        out.clear();
        let mut encoder = Encoder::over(std::mem::take(out));
        self.model.initial().encode(&mut encoder);
        *out = encoder.into_bytes();
        Ok(())
    }

    fn moves(&mut self, state: &[u8], _: Control, out: &mut Moves) {
        self.look(state, out);
        let mut scratch = Vec::new();
        for action in 0..self.actions.len() {
            scratch.clear();
            if self.step(state, action, &mut scratch) {
                out.list.push(Move::single(self.process_of(action), action as u32));
            }
        }
    }

    fn apply(&mut self, state: &[u8], mv: &Move, out: &mut Vec<u8>) -> Step {
        self.look(state, &mut Moves::default());
        out.clear();
        let proceeds = self.step(state, mv.edge as usize, out);
        Step { control: Control::Free, failure: None, proceeds }
    }

    fn expand(&mut self, state: &[u8], moves: &mut Moves, out: &mut Batch) {
        self.look(state, moves);
        for action in 0..self.actions.len() {
            let start = out.bytes.len();
            if self.step(state, action, &mut out.bytes) {
                let top = moves.list.len() as u32;
                moves.list.push(Move::single(self.process_of(action), action as u32));
                let start = u32::try_from(start).expect("a batch stays below 4 GiB");
                let len = out.bytes.len() as u32 - start;
                out.arrivals.push(Arrival { top, start, len, control: Control::Free });
            }
        }
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
        self.state.decode_into(&mut Decoder::new(state));
        let end = Labels::END.when(asked.has(Labels::END) && self.model.may_end(&self.state));
        self.propositions.iter().enumerate().fold(end, |labels, (i, p)| {
            let label = Labels::proposition(i);
            labels | label.when(asked.has(label) && (p.holds)(&self.model, &self.state))
        })
    }
}
