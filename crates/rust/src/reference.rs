//! A model step by step, in words.

use crate::fields::fields;
use crate::{Decoder, Encode, Event, Executor, Model, Properties, PropertyKind};
use ferrospin_check::report::ErrorKind;
use ferrospin_check::subject::{Fault, Reference, Told, Violation};
use ferrospin_system::{Control, Failure, Machine, Move, Moves, Step};
use ferrospin_trace::trail::{self, Act, Actor, Binding, Change, Message, Standing};
use std::sync::Arc;

/// The plain executor of a model, which tells what it does.
pub(crate) struct Teller<'a, M: Model> {
    model: Arc<M>,
    executor: Executor<M>,
    properties: &'a Properties<M>,
}

impl<'a, M: Model> Teller<'a, M> {
    pub(crate) fn new(model: Arc<M>, properties: &'a Properties<M>) -> Self {
        Teller { executor: Executor::new(model.clone()), model, properties }
    }

    fn decode(state: &[u8]) -> M::State {
        M::State::decode(&mut Decoder::new(state))
    }

    fn actor(&self, process: usize) -> Actor {
        Actor { number: process as u8, name: self.model.process_name(process) }
    }

    /// The action of a move, by its number.
    fn action(&self, state: &M::State, mv: &Move) -> Option<M::Action> {
        let mut actions = Vec::new();
        self.model.actions(state, &mut actions);
        ((mv.edge as usize) < actions.len()).then(|| actions.swap_remove(mv.edge as usize))
    }

    fn act(&self, mv: &Move, action: &M::Action) -> Act {
        let process = Some(self.actor(usize::from(mv.process)));
        Act { process, location: None, statement: format!("{action:?}"), spin: None }
    }

    fn event(&self, process: usize, event: Event) -> trail::Event {
        let message = |channel, message| Message { process: self.actor(process), channel, message };
        match event {
            Event::Sent { channel, message: text } => trail::Event::Sent(message(channel, text)),
            Event::Received { channel, message: text } => trail::Event::Received(message(channel, text)),
            Event::Passed { to, channel, message } => {
                trail::Event::Handshake { sender: self.actor(process), receiver: self.actor(to), channel, message }
            }
        }
    }
}

fn bindings<S: std::fmt::Debug>(state: &S) -> Vec<(String, String)> {
    fields(&format!("{state:?}"))
}

/// Values that are others than before, by their path.
fn changes(before: &[(String, String)], after: Vec<(String, String)>) -> Vec<Change> {
    let mut changes = Vec::new();
    for (name, after) in after {
        let before = before.iter().find(|(other, _)| *other == name).map(|(_, value)| value.clone());
        if before.as_ref() != Some(&after) {
            changes.push(Change { process: None, name, before, after });
        }
    }
    changes
}

impl<M: Model> Reference for Teller<'_, M> {
    fn initial(&mut self, out: &mut Vec<u8>) -> Result<(), Failure> {
        self.executor.initial(out)
    }

    fn moves(&mut self, state: &[u8], control: Control, out: &mut Moves) {
        self.executor.moves(state, control, out);
    }

    fn take(&mut self, before: &[u8], mv: &Move, _: Option<i32>, next: &mut Vec<u8>) -> (Step, trail::Step) {
        let result = self.executor.apply(before, mv, next);
        let old = Self::decode(before);
        let after = if result.proceeds { bindings(&Self::decode(next)) } else { bindings(&old) };
        let action = self.action(&old, mv);
        let process = usize::from(mv.process);
        let events = action.as_ref().map_or(Vec::new(), |action| self.model.events(&old, action));
        let mut events: Vec<_> = events.into_iter().map(|event| self.event(process, event)).collect();
        if let (true, Some(action)) = (events.is_empty(), &action) {
            events.push(trail::Event::Acted { process: self.actor(process), text: format!("{action:?}") });
        }
        let step = trail::Step {
            mv: trail::MoveRecord::from(*mv),
            act: action.as_ref().map(|action| self.act(mv, action)),
            partner: None,
            claim: None,
            atomic: false,
            changes: changes(&bindings(&old), after),
            events,
            failure: None,
        };
        (result, step)
    }

    fn acts(&mut self, state: &[u8], mv: &Move) -> Vec<Act> {
        let action = self.action(&Self::decode(state), mv);
        action.iter().map(|action| self.act(mv, action)).collect()
    }

    fn standing(&mut self, state: &[u8]) -> Vec<Standing> {
        let mut moves = Moves::default();
        self.executor.moves(state, Control::Free, &mut moves);
        let decoded = Self::decode(state);
        let may_stop = self.model.may_end(&decoded);
        let count = self.model.process_count();
        let standing = |process: usize| {
            let own = moves.list.iter().filter(|mv| usize::from(mv.process) == process);
            let next: Vec<_> = own.filter_map(|mv| self.action(&decoded, mv)).map(|a| format!("{a:?}")).collect();
            let statement = if next.is_empty() { "nothing can happen".into() } else { next.join(" or ") };
            Standing { process: self.actor(process), location: None, statement, may_stop }
        };
        (0..count).map(standing).collect()
    }

    fn may_end(&mut self, state: &[u8]) -> bool {
        self.model.may_end(&Self::decode(state))
    }

    fn values(&mut self, state: &[u8]) -> Vec<Binding> {
        let values = bindings(&Self::decode(state)).into_iter();
        values.map(|(name, value)| Binding { name, value }).collect()
    }

    fn labels(&mut self, state: &[u8], propositions: &[u32]) -> u64 {
        let (state, list) = (Self::decode(state), self.properties.list());
        let holds = |number: &u32| (list[*number as usize].holds)(&self.model, &state);
        propositions.iter().map(holds).enumerate().fold(0, |bits, (i, holds)| bits | u64::from(holds) << i)
    }

    fn tell(&mut self, violation: &Violation) -> Told {
        let (kind, category, message) = match violation.fault {
            Fault::InvalidEndState => {
                let message = "nothing can happen any more, and the model may not end here";
                (ErrorKind::InvalidEndState, "invalid-end-state", message.to_owned())
            }
            Fault::Failure(f) => {
                let property = self.properties.list().get(usize::from(f.code.number));
                let name = property.filter(|p| p.kind == PropertyKind::Always).map_or("", |p| p.name);
                (ErrorKind::Invariant, "invariant", format!("`{name}` does not hold"))
            }
        };
        Told { kind, category, detail: message.clone(), message, place: None }
    }
}
