//! A protocol step by step, in words: messages in Alice-and-Bob notation, what the intruder does with them, what becomes known.

use crate::machine::{Choice, Executor};
use crate::matching::NONE;
use crate::protocol::ClaimKind;
use crate::state::Session;
use crate::subject::Places;
use crate::tell;
use crate::world::{World, letter};
use ferrospin_check::report::ErrorKind;
use ferrospin_check::subject::{Fault, Reference, Told, Violation};
use ferrospin_system::{Control, Failure, Machine, Move, Moves, Step};
use ferrospin_trace::trail::{self, Act, Actor, Binding, Change, Event, MoveRecord, Standing};
use std::sync::Arc;

/// Tells what happens in a run.
pub(crate) struct Teller<'a> {
    pub(crate) executor: Executor,
    pub(crate) places: &'a Places,
}

impl Teller<'_> {
    fn world(&self) -> Arc<World> {
        self.executor.world.clone()
    }

    fn actor(&self, number: usize, session: &Session) -> Actor {
        let world = &self.executor.world;
        let name = match session.part(world) {
            None => letter(number),
            Some(part) => {
                format!("{} {}({})", letter(number), world.protocol.roles[part.role].name, world.agents[part.agent])
            }
        };
        Actor { number: number as u8, name }
    }

    fn intruder(&self) -> Actor {
        let world = &self.executor.world;
        Actor { number: world.sessions.len() as u8, name: world.agents[world.intruder].clone() }
    }

    /// The act of a choice in the state that was read last.
    fn act(&mut self, number: usize, choice: &Choice) -> Act {
        let effect = self.executor.take(number, choice);
        let world = self.world();
        let session = self.executor.session_behind().clone();
        let process = Some(self.actor(number, &session));
        let role = world.parts[choice.part].role;
        let Some(message) = effect.message else {
            let statement = format!("{} is over, and its key becomes known", letter(number));
            return Act { process, location: None, statement, spin: None };
        };
        let position = session.position - 1;
        let event = &world.protocol.roles[role].events[position];
        let statement = tell::event(&world, &self.executor.terms, number, &session, event, message);
        let location = self.places.events.get(role).and_then(|events| events.get(position)).cloned().flatten();
        Act { process, location, statement, spin: None }
    }

    /// The values of a session, by name.
    fn values_of(&self, number: usize, session: &Session) -> Vec<Binding> {
        let world = &self.executor.world;
        let Some(role) = session.role(world).filter(|_| session.position > 0) else { return Vec::new() };
        let named = role.variables[..role.kept].iter().zip(&session.values).skip(1);
        let told = named.filter(|(_, value)| **value != NONE).map(|(variable, value)| Binding {
            name: format!("{}.{}", letter(number), variable.name),
            value: tell::term(world, &self.executor.terms, *value),
        });
        told.collect()
    }

    /// What has happened besides the event itself: who sent what to whom, and what the intruder did.
    fn events(&mut self, number: usize, choice: &Choice) -> (Vec<Event>, Vec<Change>) {
        let before = self.executor.state.sessions[number].clone();
        let effect = self.executor.take(number, choice);
        let world = self.world();
        let session = self.executor.session_behind().clone();
        let (own, intruder) = (self.actor(number, &session), self.intruder());
        let terms = &self.executor.terms;
        let new: Vec<String> = self.executor.learnt().iter().map(|atom| world.name(*atom)).collect();
        let mut changes = Vec::new();
        if !new.is_empty() {
            let name = format!("known to {}", intruder.name);
            changes.push(Change { process: None, name, before: None, after: new.join(", ") });
        }
        let Some(message) = effect.message else {
            let text = format!("learns {}", new.join(", "));
            return (vec![Event::Acted { process: intruder, text }], changes);
        };
        let event = &world.protocol.roles[world.parts[choice.part].role].events[session.position - 1];
        let other = tell::peer(&world, terms, &session, event);
        let other = other.map_or("?", |agent| world.agents[agent].as_str());
        let text = tell::term(&world, terms, message);
        if event.is_send {
            let heard = tell::hears(&world, terms, self.executor.known_behind(), message, self.executor.learnt());
            let sent =
                Event::Handshake { sender: own, receiver: intruder.clone(), channel: other.into(), message: text };
            return (vec![sent, Event::Acted { process: intruder, text: heard }], changes);
        }
        let made = tell::makes(&world, terms, &self.executor.state.known, message);
        let old = self.values_of(number, &before);
        let bound = self.values_of(number, &session).into_iter().filter(|b| !old.contains(b));
        changes.extend(bound.map(|b| Change { process: None, name: b.name, before: None, after: b.value }));
        let sent = Event::Handshake { sender: intruder.clone(), receiver: own, channel: other.into(), message: text };
        (vec![Event::Acted { process: intruder, text: made }, sent], changes)
    }

    /// What is said of a failure.
    fn said(&self, failure: &Failure) -> (String, &'static str, Option<trail::Place>) {
        let world = &self.executor.world;
        let number = usize::from(failure.code.number);
        let claim = &world.protocol.claims[number];
        let [session, atom] = failure.code.operands;
        let value = u16::try_from(atom).map_or("it".into(), |atom| world.name(atom));
        let intruder = &world.agents[world.intruder];
        let who = letter(session as usize);
        let (what, category) = match &claim.kind {
            ClaimKind::NoLeak => (format!("{intruder} learns {value}, which was a secret before"), "leak"),
            ClaimKind::Made { .. } => (format!("{intruder} knows {value}, made by {who} for honest agents"), "secrecy"),
            ClaimKind::Held { .. } => (format!("{intruder} knows {value}, which {who} relies on"), "secrecy"),
            ClaimKind::Agree { with, injective, .. } => {
                let with = &world.protocol.roles[*with].name;
                let own = if *injective { " of its own" } else { "" };
                (format!("{who} has ended, and no {with}{own} has run with it on these values"), "agreement")
            }
            ClaimKind::Alive { .. } => (format!("{who} has ended, and the other has done nothing"), "aliveness"),
            ClaimKind::WeakAgree { .. } => (format!("at {who} an agent has not run with these agents"), "agreement"),
            ClaimKind::Exchanged { ordered, .. } => {
                let order = if *ordered { ", each sent before it was received" } else { "" };
                (format!("no sessions of the other roles have exchanged these messages with {who}{order}"), "agreement")
            }
            ClaimKind::Fresh { .. } => (format!("{who} has accepted {value} a second time"), "freshness"),
        };
        (format!("`{}` is violated: {what}", claim.name), category, self.places.claims.get(number).cloned().flatten())
    }
}

impl Reference for Teller<'_> {
    fn initial(&mut self, out: &mut Vec<u8>) -> Result<(), Failure> {
        self.executor.initial(out)
    }

    fn moves(&mut self, state: &[u8], control: Control, out: &mut Moves) {
        self.executor.moves(state, control, out);
    }

    fn take(&mut self, state: &[u8], mv: &Move, _: Option<i32>, out: &mut Vec<u8>) -> (Step, trail::Step) {
        let acts = self.acts(state, mv);
        self.executor.read(state);
        let (events, changes) = match self.executor.chosen(mv) {
            Some((number, choice)) => self.events(number, &choice),
            None => Default::default(),
        };
        let result = self.executor.apply(state, mv, out);
        let failure = result.failure.map(|failure| self.said(&failure).0);
        let step =
            trail::Step { events, changes, failure, ..trail::Step::of(MoveRecord::from(*mv), acts.into_iter().next()) };
        (result, step)
    }

    fn acts(&mut self, state: &[u8], mv: &Move) -> Vec<Act> {
        self.executor.read(state);
        let Some((number, choice)) = self.executor.chosen(mv) else { return Vec::new() };
        vec![self.act(number, &choice)]
    }

    fn standing(&mut self, state: &[u8]) -> Vec<Standing> {
        self.executor.read(state);
        let world = self.world();
        let mut standing = Vec::new();
        for (number, session) in self.executor.state.sessions.iter().enumerate() {
            let next = session.role(&world).map(|role| role.events.get(session.position));
            let statement = match next {
                None => "may play any role".into(),
                Some(None) => "is over".into(),
                Some(Some(event)) => {
                    format!("{} message {}", if event.is_send { "sends" } else { "awaits" }, event.label)
                }
            };
            let process = self.actor(number, session);
            standing.push(Standing { process, location: None, statement, may_stop: true });
        }
        let known = self.executor.world.learnable.iter().filter(|a| self.executor.state.known.has(**a));
        let mut known: Vec<String> = known.map(|atom| world.name(*atom)).collect();
        let store = self.executor.state.known.store();
        known.extend(store.iter().map(|t| tell::term(&world, &self.executor.terms, *t)));
        let statement =
            if known.is_empty() { "knows nothing new".into() } else { format!("knows {}", known.join(" and ")) };
        standing.push(Standing { process: self.intruder(), location: None, statement, may_stop: true });
        standing
    }

    fn values(&mut self, state: &[u8]) -> Vec<Binding> {
        self.executor.read(state);
        let sessions = self.executor.state.sessions.iter().enumerate();
        sessions.flat_map(|(number, session)| self.values_of(number, session)).collect()
    }

    fn labels(&mut self, _: &[u8], _: &[u32]) -> u64 {
        0
    }

    fn tell(&mut self, violation: &Violation) -> Told {
        let (message, category, place) = match &violation.fault {
            Fault::Failure(failure) => self.said(failure),
            Fault::InvalidEndState => ("nothing can happen any more".into(), "invalid-end-state", None),
        };
        Told { kind: ErrorKind::Invariant, category, detail: message.clone(), message, place }
    }
}
