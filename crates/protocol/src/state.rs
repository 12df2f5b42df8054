//! A state of a run: where each session stands, what its variables hold, what the intruder knows; and its form as bytes.
//!
//! ```text
//! session   ::= [part] position { value } { set }  part only where it is not fixed; 0 while the session has not begun
//! state     ::= { session } { bit of a learnable atom } { kept term }
//! ```
//!
//! Values of fresh variables follow from the position and take no place. A set of sessions is kept only for messages whose order is claimed.

use crate::knowledge::Knowledge;
use crate::matching::{NONE, Values};
use crate::protocol::{Origin, Role};
use crate::terms::{Terms, UNBOUND};
use crate::world::{Part, VARIABLES_MAX, World};

/// In the byte of a position: the session's key was lost when it was over.
const LOST: u8 = 0x80;

/// A session.
#[derive(Clone, Debug)]
pub struct Session {
    /// What it plays, by number among [`World::parts`].
    pub part: Option<usize>,
    /// How many events have happened.
    pub position: usize,
    /// Whether a value of it was lost on purpose: nothing is claimed of it any more.
    pub is_lost: bool,
    /// The values of its variables.
    pub values: Values,
    /// For each of [`World::ordered`] that it has received: the sessions that had sent it before, a bit each.
    pub sent: Vec<u64>,
}

impl Session {
    /// Role and agent, if it plays one.
    pub fn part<'w>(&self, world: &'w World) -> Option<&'w Part> {
        self.part.map(|part| &world.parts[part])
    }

    /// Its role.
    pub fn role<'w>(&self, world: &'w World) -> Option<&'w Role> {
        self.part(world).map(|part| &world.protocol.roles[part.role])
    }

    /// Whether it is played by honest agents only, as far as it knows.
    pub fn is_among_honest(&self, world: &World, terms: &Terms) -> bool {
        let Some(role) = self.role(world) else { return false };
        let agents = role.variables[..role.kept].iter().zip(&self.values);
        let intruder = terms.atom(world.intruder as u16);
        agents
            .filter(|(v, _)| matches!(v.origin, Origin::Agent(_)))
            .all(|(_, a)| (*a != NONE || world.protocol.any_partner) && *a != intruder)
    }
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// The sessions.
    pub sessions: Vec<Session>,
    /// Where the bytes of each end.
    pub ends: Vec<usize>,
    /// What the intruder knows.
    pub known: Knowledge,
}

/// The values with which a session begins.
pub fn first_values(world: &World, terms: &Terms, part: usize) -> Values {
    let mut values = [NONE; VARIABLES_MAX];
    values[0] = terms.atom(world.parts[part].agent as u16);
    values
}

/// Gives fresh variables of an event their values.
pub fn make_fresh(world: &World, terms: &Terms, session: usize, part: usize, event: usize, values: &mut Values) {
    let role = world.parts[part].role;
    for (v, variable) in world.protocol.roles[role].variables.iter().enumerate() {
        if variable.origin == Origin::Fresh(event) {
            let atom = world.fresh(session, role, v).expect("a fresh variable has an atom");
            values[v] = terms.atom(atom);
        }
    }
}

impl State {
    /// The state before anything has happened.
    pub fn first(world: &World, terms: &Terms) -> State {
        let session = |part: &Option<usize>| Session {
            part: *part,
            position: 0,
            is_lost: false,
            values: part.map_or([NONE; VARIABLES_MAX], |part| first_values(world, terms, part)),
            sent: Vec::new(),
        };
        let sessions = world.sessions.iter().map(session).collect();
        State { sessions, ends: Vec::new(), known: world.start.clone() }
    }

    /// Reads a state.
    pub fn read(&mut self, world: &World, terms: &mut Terms, bytes: &[u8]) {
        self.sessions.clear();
        self.ends.clear();
        let mut at = 0;
        for (number, fixed) in world.sessions.iter().enumerate() {
            let mut part = *fixed;
            if fixed.is_none() {
                part = usize::from(bytes[at]).checked_sub(1);
                at += 1;
            }
            let (position, is_lost) = match part {
                None => (0, false),
                Some(_) => {
                    at += 1;
                    (usize::from(bytes[at - 1] & !LOST), bytes[at - 1] & LOST != 0)
                }
            };
            let mut values = part.map_or([NONE; VARIABLES_MAX], |part| first_values(world, terms, part));
            if let Some(part) = part
                && position > 0
            {
                let role = &world.protocol.roles[world.parts[part].role];
                for (v, value) in values.iter_mut().enumerate().take(role.kept).skip(1) {
                    match role.variables[v].origin {
                        Origin::Fresh(event) if event < position => {
                            let atom = world.fresh(number, world.parts[part].role, v);
                            *value = terms.atom(atom.expect("a fresh variable has an atom"));
                        }
                        Origin::Fresh(_) => {}
                        _ if bytes[at] == UNBOUND => at += 1,
                        _ => {
                            let (term, len) = terms.read(&bytes[at..]);
                            *value = term;
                            at += len;
                        }
                    }
                }
            }
            let mut sent = Vec::new();
            if let Some(part) = part {
                let ordered = &world.ordered[world.parts[part].role];
                for _ in ordered.iter().filter(|e| e.received < position) {
                    let width = world.sessions.len().div_ceil(8);
                    sent.push((0..width).fold(0, |set, i| set | u64::from(bytes[at + i]) << (8 * i)));
                    at += width;
                }
            }
            self.sessions.push(Session { part, position, is_lost, values, sent });
            self.ends.push(at);
        }
        self.known.copy_from(&world.start);
        for (i, atom) in world.learnable.iter().enumerate() {
            if bytes[at + i / 8] >> (i % 8) & 1 == 1 {
                self.known.set(*atom);
            }
        }
        at += world.learnable.len().div_ceil(8);
        while at < bytes.len() {
            let (term, len) = terms.read(&bytes[at..]);
            self.known.keep(term);
            at += len;
        }
    }

    /// Adds the bytes of the whole state.
    pub fn write(&self, world: &World, terms: &Terms, out: &mut Vec<u8>) {
        for (number, session) in self.sessions.iter().enumerate() {
            write_session(world, terms, world.sessions[number].is_none(), session, out);
        }
        write_knowledge(world, terms, &self.known, out);
    }
}

/// Adds the bytes of a session.
pub fn write_session(world: &World, terms: &Terms, is_open: bool, session: &Session, out: &mut Vec<u8>) {
    if is_open {
        out.push(session.part.map_or(0, |part| part as u8 + 1));
    }
    let Some(role) = session.role(world) else { return };
    out.push(session.position as u8 | if session.is_lost { LOST } else { 0 });
    if session.position == 0 {
        return;
    }
    for v in 1..role.kept {
        match session.values[v] {
            _ if matches!(role.variables[v].origin, Origin::Fresh(_)) => {}
            NONE => out.push(UNBOUND),
            value => out.extend_from_slice(terms.bytes(value)),
        }
    }
    let width = world.sessions.len().div_ceil(8);
    session.sent.iter().for_each(|set| out.extend_from_slice(&set.to_le_bytes()[..width]));
}

/// Adds the bytes of what the intruder knows.
pub fn write_knowledge(world: &World, terms: &Terms, known: &Knowledge, out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + world.learnable.len().div_ceil(8), 0);
    for (i, atom) in world.learnable.iter().enumerate() {
        out[start + i / 8] |= u8::from(known.has(*atom)) << (i % 8);
    }
    known.store().iter().for_each(|term| out.extend_from_slice(terms.bytes(*term)));
}
