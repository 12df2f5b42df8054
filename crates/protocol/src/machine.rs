//! A protocol with its sessions and the intruder as a machine.
//!
//! A move is an event of a session: a send, which the intruder hears, or a receive, which the intruder sends. The process of a move is the
//! session; its edge is the number of the choice among those that the session has in this state, which depends on the state only: on the
//! partner, where one is chosen, or on the values that the message gives to variables. Cost: matching against a small store.

use crate::checker::Played;
use crate::claims;
use crate::matching::{Matcher, NONE, Values, instance};
use crate::protocol::Protocol;
use crate::state::{Session, State, first_values, make_fresh, write_knowledge, write_session};
use crate::terms::{TermId, Terms};
use crate::world::World;
use ferrospin_system::{Arrival, AtomicExits, Batch, Control, Failure, Labels, Machine, Move, Moves, StateRun, Step};
use std::sync::Arc;

/// What a session can do next.
#[derive(Clone, Debug)]
pub struct Choice {
    /// What it plays.
    pub part: usize,
    /// The values of its variables behind the event; where no event is left, its key is lost.
    pub values: Values,
}

/// See the module; every worker of a search has one.
#[derive(Clone)]
pub struct Executor {
    /// The protocol and its sessions.
    pub world: Arc<World>,
    /// The terms that were met.
    pub terms: Terms,
    /// The state that was read last.
    pub state: State,
    /// The claims that are checked, by number.
    claims: Vec<usize>,
    /// Whether of equal sessions only the first may begin.
    symmetric: bool,
    /// What follows a choice.
    next: Session,
    known: crate::knowledge::Knowledge,
    new: Vec<u16>,
    /// Whether it is no event but the loss of a key.
    is_loss: bool,
}

/// What an event leads to.
pub struct Effect {
    /// The message that went over the network; `None` where a key was lost.
    pub message: Option<TermId>,
    /// What went wrong.
    pub failure: Option<Failure>,
}

impl Executor {
    /// An executor that checks these claims.
    pub fn new(world: Arc<World>, claims: Vec<usize>, symmetric: bool) -> Self {
        let terms = Terms::new(world.atoms.len());
        let state = State::first(&world, &terms);
        let next = Session { part: None, position: 0, is_lost: false, values: [NONE; _], sent: Vec::new() };
        let known = world.start.clone();
        Executor { world, terms, state, claims, symmetric, next, known, new: Vec::new(), is_loss: false }
    }

    /// The protocol.
    pub fn protocol(&self) -> &Protocol {
        &self.world.protocol
    }

    /// Reads a state into [`Executor::state`].
    pub fn read(&mut self, state: &[u8]) {
        self.state.read(&self.world, &mut self.terms, state);
    }

    /// What the intruder knows behind the event that was taken last by [`Executor::take`].
    pub fn known_behind(&self) -> &crate::knowledge::Knowledge {
        &self.known
    }

    /// The atoms that were learnt by the event that was taken last.
    pub fn learnt(&self) -> &[u16] {
        &self.new
    }

    /// The session behind the event that was taken last.
    pub fn session_behind(&self) -> &Session {
        &self.next
    }

    /// Whether an equal session comes before this one that has not begun either.
    fn must_wait(&self, number: usize) -> bool {
        let (sessions, fixed) = (&self.state.sessions, &self.world.sessions);
        if sessions[number].position > 0 {
            return false;
        }
        let is_idle = |other: usize| sessions[other].position == 0;
        match fixed[number] {
            // Sessions without a part are taken in order: they differ in nothing.
            None => (0..number).any(|other| fixed[other].is_none() && is_idle(other)),
            part => self.symmetric && (0..number).any(|other| fixed[other] == part && is_idle(other)),
        }
    }

    /// What a session can do in the state that was read last, in an order that depends on the state only.
    pub fn choices(&mut self, number: usize) -> Vec<Choice> {
        if self.must_wait(number) {
            return Vec::new();
        }
        let session = &self.state.sessions[number];
        let mut choices = Vec::new();
        match session.part {
            Some(part) => {
                let values = session.values;
                self.choices_of(number, part, values, &mut choices);
            }
            None => {
                for part in 0..self.world.parts.len() {
                    let values = first_values(&self.world, &self.terms, part);
                    self.choices_of(number, part, values, &mut choices);
                }
            }
        }
        choices
    }

    fn choices_of(&mut self, number: usize, part: usize, mut values: Values, out: &mut Vec<Choice>) {
        let world = self.world.clone();
        let taken = world.parts[part];
        let role = &world.protocol.roles[taken.role];
        let position = self.state.sessions[number].position;
        let Some(event) = role.events.get(position) else {
            if let Some(value) = self.loses(number, taken.role)
                && !self.state.known.makes(&self.terms, value)
            {
                out.push(Choice { part, values });
            }
            return;
        };
        let idle = &world.idle[taken.role];
        let matcher = Matcher { world: &world, role, agent: taken.agent, shapes: &event.shapes, idle };
        let found = match event.is_send {
            true => {
                make_fresh(&world, &self.terms, number, part, position, &mut values);
                let is_first = !role.events[..position].iter().any(|e| e.is_send);
                if is_first { matcher.choose_partners(&self.terms, &values) } else { vec![values] }
            }
            false => matcher.receive(&mut self.terms, &self.state.known, event, &values),
        };
        out.extend(found.into_iter().map(|values| Choice { part, values }));
    }

    /// The value that a session that is over may lose.
    fn loses(&self, number: usize, role: usize) -> Option<TermId> {
        let session = &self.state.sessions[number];
        let (_, variable) = self.world.protocol.lost.iter().find(|(r, _)| *r == role)?;
        let value = session.values[*variable];
        (!session.is_lost && value != NONE).then_some(value)
    }

    /// Takes an event in the state that was read last.
    pub fn take(&mut self, number: usize, choice: &Choice) -> Effect {
        let world = self.world.clone();
        let role = world.parts[choice.part].role;
        let position = self.state.sessions[number].position;
        self.new.clear();
        let is_lost = self.state.sessions[number].is_lost;
        let sent = self.state.sessions[number].sent.clone();
        self.next = Session { part: Some(choice.part), position: position + 1, is_lost, values: choice.values, sent };
        self.is_loss = false;
        let learn = |message, executor: &mut Executor| {
            executor.known.copy_from(&executor.state.known);
            let (terms, intruder) = (&executor.terms, world.setup.intruder);
            executor.known.learn(terms, &world.inverses, intruder, message, &mut executor.new);
        };
        let Some(event) = world.protocol.roles[role].events.get(position) else {
            self.next.position = position;
            if let Some(value) = self.loses(number, role) {
                learn(value, self);
            }
            (self.next.is_lost, self.is_loss) = (true, true);
            return Effect { message: None, failure: None };
        };
        let message = instance(&world, &mut self.terms, &event.message, &choice.values);
        if let (true, Some(message)) = (event.is_send, message) {
            learn(message, self);
        }
        if let Some(exchange) = world.ordered[role].iter().find(|e| e.received == position) {
            let set = self.behind(&world, number, event.is_send).senders(exchange);
            self.next.sent.push(set);
        }
        let failure = self.behind(&world, number, event.is_send).failure(&self.claims);
        Effect { message, failure }
    }

    /// What the event that is being taken has led to.
    fn behind<'s>(&'s self, world: &'s World, moved: usize, is_send: bool) -> claims::Behind<'s> {
        claims::Behind {
            world,
            terms: &self.terms,
            before: &self.state,
            moved,
            session: &self.next,
            known: if is_send { &self.known } else { &self.state.known },
            new: &self.new,
        }
    }

    /// Adds the bytes of the state behind the event that was taken last.
    fn write_behind(&self, state: &[u8], number: usize, out: &mut Vec<u8>) {
        let ends = &self.state.ends;
        let start = if number == 0 { 0 } else { ends[number - 1] };
        let is_open = self.world.sessions[number].is_none();
        let role = self.next.role(&self.world).expect("it has moved");
        let rest = ends[ends.len() - 1];
        if self.is_loss {
            let mut behind = self.state.clone();
            let value = self.loses(number, self.world.parts[self.next.part.expect("it has moved")].role);
            behind.sessions.iter_mut().for_each(|s| s.is_lost |= s.values.iter().any(|v| Some(*v) == value));
            behind.known.copy_from(&self.known);
            behind.write(&self.world, &self.terms, out);
            return;
        }
        let knows_more = role.events[self.next.position - 1].is_send;
        out.extend_from_slice(&state[..start]);
        write_session(&self.world, &self.terms, is_open, &self.next, out);
        out.extend_from_slice(&state[ends[number]..rest]);
        match knows_more {
            true => write_knowledge(&self.world, &self.terms, &self.known, out),
            false => out.extend_from_slice(&state[rest..]),
        }
    }

    /// What sessions do in a run, for [`crate::checker`]; `None` where a move cannot be taken.
    pub fn played(&mut self, moves: &[Move]) -> Option<Vec<Played>> {
        let (mut state, mut next) = (Vec::new(), Vec::new());
        self.initial(&mut state).ok()?;
        let mut steps = Vec::new();
        for mv in moves {
            self.read(&state);
            let (number, choice) = self.chosen(mv)?;
            let effect = self.take(number, &choice);
            let values = choice.values.iter().map(|v| (*v != NONE).then_some(*v)).collect();
            steps.push(Played { session: number, part: choice.part, values, message: effect.message });
            next.clear();
            self.write_behind(&state, number, &mut next);
            std::mem::swap(&mut state, &mut next);
        }
        Some(steps)
    }

    /// The session and the choice of a move, in the state that was read last.
    pub fn chosen(&mut self, mv: &Move) -> Option<(usize, Choice)> {
        let number = usize::from(mv.process);
        let mut choices = if number < self.state.sessions.len() { self.choices(number) } else { Vec::new() };
        let edge = mv.edge as usize;
        (edge < choices.len()).then(|| (number, choices.swap_remove(edge)))
    }
}

impl Machine for Executor {
    fn initial(&mut self, out: &mut Vec<u8>) -> Result<(), Failure> {
        out.clear();
        State::first(&self.world, &self.terms).write(&self.world, &self.terms, out);
        Ok(())
    }

    fn moves(&mut self, state: &[u8], _: Control, out: &mut Moves) {
        out.clear();
        self.read(state);
        for number in 0..self.state.sessions.len() {
            let count = self.choices(number).len() as u32;
            out.list.extend((0..count).map(|edge| Move::single(number as u8, edge)));
        }
    }

    fn apply(&mut self, state: &[u8], mv: &Move, out: &mut Vec<u8>) -> Step {
        out.clear();
        self.read(state);
        let Some((number, choice)) = self.chosen(mv) else {
            return Step { control: Control::Free, failure: None, proceeds: false };
        };
        let effect = self.take(number, &choice);
        self.write_behind(state, number, out);
        Step { control: Control::Free, failure: effect.failure, proceeds: true }
    }

    fn expand(&mut self, state: &[u8], moves: &mut Moves, out: &mut Batch) {
        moves.clear();
        self.read(state);
        for number in 0..self.state.sessions.len() {
            for (edge, choice) in self.choices(number).iter().enumerate() {
                let top = moves.list.len() as u32;
                moves.list.push(Move::single(number as u8, edge as u32));
                let effect = self.take(number, choice);
                if let Some(failure) = effect.failure {
                    out.failures.push((top, failure));
                }
                let start = out.bytes.len();
                self.write_behind(state, number, &mut out.bytes);
                let len = (out.bytes.len() - start) as u32;
                let start = u32::try_from(start).expect("a batch stays below 4 GiB");
                out.arrivals.push(Arrival { top, start, len, control: Control::Free });
            }
        }
    }

    fn expand_run(&mut self, _: &[u8], _: usize, run: &mut StateRun, _: &mut Moves, _: &mut Batch) -> bool {
        run.clear();
        false
    }

    // Every event is a step of its own.
    fn run_on(&mut self, _: &mut [u8], control: Control, _: &mut Vec<Move>) -> Control {
        control
    }

    fn walk(&mut self, _: &[u8], _: Control, _: &mut Vec<u8>, _: &mut AtomicExits) -> bool {
        false
    }

    fn labels(&mut self, _: &[u8], asked: Labels) -> Labels {
        // Agents may stop at any time: nothing is owed.
        Labels::END & asked
    }
}
