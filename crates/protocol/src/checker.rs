//! A checker of attacks that shares only the terms with the machine: it takes what each session did, with all messages, and tests every
//! single thing that must be so.
//!
//! - Sessions take the events of their role in order, each message is what the role says of its values, agents are not their own partners.
//! - What a session makes is its own, and what it receives the intruder can make of what was heard before: by plain closure under
//!   decomposition, computed anew each time.
//! - The claim is violated at the end; `exchanges` judges those that are about messages.

mod exchanges;

use crate::protocol::{ClaimKind, Kind, Origin, Pattern, Role};
use crate::terms::{APPLIED, ENCRYPTED, PAIR, Term, TermId, Terms};
use crate::world::{Atom, World};
use thiserror::Error;

/// What a session did.
#[derive(Clone, Debug)]
pub struct Played {
    /// Which session.
    pub session: usize,
    /// What it plays, by number among [`World::parts`].
    pub part: usize,
    /// The values of its variables behind the event.
    pub values: Vec<Option<TermId>>,
    /// The message; `None` where a key was lost.
    pub message: Option<TermId>,
}

/// Why an attack is none.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("internal error: the checker of attacks refuses step {step}: {why}")]
pub struct Flaw {
    /// The step, from 1.
    pub step: usize,
    /// Why.
    pub why: &'static str,
}

/// All that the intruder reads in some messages, with what it has at the beginning.
fn closure(world: &World, terms: &Terms, heard: &[TermId]) -> Vec<TermId> {
    let own = (0..world.atoms.len() as u16).filter(|a| is_free(world, *a)).map(|a| terms.atom(a));
    let mut known: Vec<TermId> = own.chain(heard.iter().copied()).collect();
    loop {
        let before = known.len();
        for i in 0..before {
            let mut parts = match terms.get(known[i]) {
                Term::Pair(left, right) => vec![left, right],
                Term::Encrypted { body, key } if builds(terms, &known, inverse(world, terms, key)) => vec![body],
                _ => Vec::new(),
            };
            parts.retain(|part| !known.contains(part));
            known.append(&mut parts);
        }
        if known.len() == before {
            return known;
        }
    }
}

/// What the intruder has at the beginning.
fn is_free(world: &World, atom: u16) -> bool {
    match world.atoms[usize::from(atom)] {
        Atom::Agent(_) | Atom::Public(_) | Atom::Constant(_) | Atom::Own(_) => true,
        Atom::Private(a) => a == world.intruder,
        Atom::Shared(_, a, b) => a == world.intruder || b == world.intruder,
        Atom::Fresh { .. } => false,
    }
}

fn inverse(world: &World, terms: &Terms, key: TermId) -> TermId {
    match terms.as_atom(key).map(|atom| world.atoms[usize::from(atom)]) {
        Some(Atom::Public(a)) => terms.atom(world.private(a)),
        Some(Atom::Private(a)) => terms.atom(world.public(a)),
        _ => key,
    }
}

fn builds(terms: &Terms, known: &[TermId], term: TermId) -> bool {
    known.contains(&term)
        || match terms.get(term) {
            Term::Atom(_) => false,
            Term::Pair(a, b) | Term::Encrypted { body: a, key: b } => {
                builds(terms, known, a) && builds(terms, known, b)
            }
            Term::Applied(_, a) => builds(terms, known, a),
        }
}

/// The bytes of the term that a pattern stands for; `None` where a variable has no value.
fn spell(world: &World, terms: &Terms, pattern: &Pattern, values: &[Option<TermId>]) -> Option<Vec<u8>> {
    let part = |p: &Pattern| spell(world, terms, p, values);
    let atom = |atom: u16| Some(terms.bytes(terms.atom(atom)).to_vec());
    let agent = |p: &Pattern| match p {
        Pattern::Variable(v) => terms.as_atom(values[*v]?).map(usize::from),
        Pattern::Server(role) => world.servers[*role],
        _ => None,
    };
    match pattern {
        Pattern::Variable(v) => Some(terms.bytes(values[*v]?).to_vec()),
        Pattern::Constant(c) => atom(world.constant(*c)),
        Pattern::Server(_) => atom(agent(pattern)? as u16),
        Pattern::Public(of) => atom(world.public(agent(of)?)),
        Pattern::Private(of) => atom(world.private(agent(of)?)),
        Pattern::Shared(family, a, b) => atom(world.shared(*family, agent(a)?, agent(b)?)),
        Pattern::Pair(a, b) => Some([vec![PAIR], part(a)?, part(b)?].concat()),
        Pattern::Encrypted(a, b) => Some([vec![ENCRYPTED], part(a)?, part(b)?].concat()),
        Pattern::Applied(f, a) => Some([vec![APPLIED, *f as u8], part(a)?].concat()),
    }
}

/// Whether a term is what a pattern says of these values.
fn is_instance(world: &World, terms: &Terms, pattern: &Pattern, values: &[Option<TermId>], term: TermId) -> bool {
    spell(world, terms, pattern, values).is_some_and(|bytes| bytes == terms.bytes(term))
}

/// What is known of the sessions on the way.
struct Run<'a> {
    world: &'a World,
    terms: &'a Terms,
    /// The last thing that each session did, and how many events.
    last: Vec<Option<(usize, Played)>>,
    /// What was heard.
    heard: Vec<TermId>,
    /// By session: at which step each of its events was.
    times: Vec<Vec<usize>>,
}

/// Checks that these steps are a run, and that the last one violates the claim.
pub fn check(world: &World, terms: &Terms, steps: &[Played], claim: usize) -> Result<(), Flaw> {
    let mut run = Run { world, terms, last: vec![None; world.sessions.len()], heard: Vec::new(), times: Vec::new() };
    run.times.resize(world.sessions.len(), Vec::new());
    for (i, played) in steps.iter().enumerate() {
        let known_before = closure(world, terms, &run.heard);
        run.step(played, &known_before).map_err(|why| Flaw { step: i + 1, why })?;
        run.times[played.session].push(i);
        if i + 1 == steps.len() && !run.violates(&world.protocol.claims[claim].kind, played, &known_before) {
            return Err(Flaw { step: i + 1, why: "the claim is not violated" });
        }
    }
    if steps.is_empty() { Err(Flaw { step: 0, why: "nothing has happened" }) } else { Ok(()) }
}

impl Run<'_> {
    fn role(&self, played: &Played) -> &Role {
        &self.world.protocol.roles[self.world.parts[played.part].role]
    }

    fn step(&mut self, played: &Played, known: &[TermId]) -> Result<(), &'static str> {
        let (world, terms) = (self.world, self.terms);
        let part = world.parts[played.part];
        if world.sessions[played.session].is_some_and(|fixed| fixed != played.part) {
            return Err("the session plays another role");
        }
        let (position, before) = match &self.last[played.session] {
            None => (0, None),
            Some((position, before)) => (*position, Some(before)),
        };
        if before.is_some_and(|b| b.part != played.part) {
            return Err("the session has changed its role");
        }
        let is_kept = |b: &Played| b.values.iter().zip(&played.values).all(|(old, new)| old.is_none() || old == new);
        if !before.is_none_or(is_kept) || played.values[0] != Some(terms.atom(part.agent as u16)) {
            return Err("a value has changed");
        }
        let role = self.role(played);
        let Some(event) = role.events.get(position) else {
            let lost = world.protocol.lost.iter().filter(|(r, _)| *r == part.role);
            let values: Vec<TermId> = lost.filter_map(|(_, v)| played.values[*v]).collect();
            if played.message.is_some() || values.is_empty() {
                return Err("the session is over");
            }
            self.heard.extend(values);
            return Ok(());
        };
        let any = world.protocol.any_partner;
        for (v, variable) in role.variables[..role.kept].iter().enumerate().skip(1) {
            let Some(value) = played.values[v] else { continue };
            let atom = terms.as_atom(value).map(|a| (world.atoms[usize::from(a)], world.kinds[usize::from(a)]));
            let own = Atom::Fresh { session: played.session, role: part.role, variable: v };
            let is_fit = match (variable.origin, variable.kind) {
                (Origin::Fresh(made), _) => made <= position && atom.is_some_and(|(a, _)| a == own),
                (_, Kind::Agent) => {
                    atom.is_some_and(|(a, _)| matches!(a, Atom::Agent(agent) if agent != part.agent || any))
                }
                (_, Kind::Opaque) => true,
                (_, kind) => world.setup.untyped || atom.is_some_and(|(_, k)| k == Some(kind)),
            };
            if !is_fit {
                return Err("a variable has a value that it cannot have");
            }
        }
        let is_it = |m: &TermId| is_instance(world, terms, &event.message, &played.values, *m);
        let Some(message) = played.message.filter(is_it) else { return Err("the message is not the one of the role") };
        let fits = |(v, p): &(usize, Pattern)| {
            played.values[*v].is_some_and(|value| is_instance(world, terms, p, &played.values, value))
        };
        if !event.opens.iter().all(fits) {
            return Err("what was opened later is something else");
        }
        if event.is_send {
            self.heard.push(message);
        } else if !builds(terms, known, message) {
            return Err("the intruder cannot make the message");
        }
        self.last[played.session] = Some((position + 1, played.clone()));
        Ok(())
    }

    /// Whether all agents of a session are honest.
    fn is_honest(&self, played: &Played) -> bool {
        let role = self.role(played);
        let agents = role.variables[..role.kept].iter().zip(&played.values);
        let intruder = self.terms.atom(self.world.intruder as u16);
        agents
            .filter(|(v, _)| v.kind == Kind::Agent && v.origin != Origin::Received)
            .all(|(_, a)| a.map_or(self.world.protocol.any_partner, |a| a != intruder))
    }

    /// The agent that a session takes for another role.
    fn agent_in(&self, played: &Played, role: usize) -> Option<usize> {
        if self.world.servers[role].is_some() {
            return self.world.servers[role];
        }
        let value = played.values[self.role(played).agent(role)?]?;
        self.terms.as_atom(value).map(usize::from)
    }

    fn violates(&self, claim: &ClaimKind, last: &Played, before: &[TermId]) -> bool {
        let (world, terms) = (self.world, self.terms);
        let known = closure(world, terms, &self.heard);
        let others = |role: usize| self.last.iter().flatten().filter(move |(_, p)| world.parts[p.part].role == role);
        let position = self.last[last.session].as_ref().map_or(0, |(position, _)| *position);
        let is_due = |role: &usize, after: &usize| {
            position == *after && world.parts[last.part].role == *role && self.is_honest(last)
        };
        match claim {
            ClaimKind::NoLeak => {
                let new = known.iter().filter(|t| !before.contains(t)).filter_map(|t| terms.as_atom(*t));
                new.map(|a| world.atoms[usize::from(a)]).any(|atom| match atom {
                    Atom::Fresh { session, role, variable } => {
                        let made = world.protocol.roles[role].variables[variable].origin;
                        session != last.session || made != Origin::Fresh(position - 1)
                    }
                    _ => true,
                })
            }
            ClaimKind::Made { role, variable } => others(*role)
                .any(|(_, p)| self.is_honest(p) && p.values[*variable].is_some_and(|v| builds(terms, &known, v))),
            ClaimKind::Held { role, value, after } => others(*role).any(|(at, p)| {
                let is_it = |t: &TermId| is_instance(world, terms, value, &p.values, *t);
                *at >= *after && self.is_honest(p) && (known.iter().any(is_it) || self.is_buildable(value, p, &known))
            }),
            ClaimKind::Agree { role, with, values, since, injective, after } => {
                let spell = |pattern: &Pattern, p: &Played| spell(world, terms, pattern, &p.values);
                let like = |p: &Played| {
                    p.part == last.part
                        && self.agent_in(p, *with) == self.agent_in(last, *with)
                        && values.iter().all(|(a, _)| spell(a, p) == spell(a, last))
                };
                let agrees = |p: &Played| {
                    self.agent_in(last, *with) == Some(world.parts[p.part].agent)
                        && self.agent_in(p, *role) == Some(world.parts[last.part].agent)
                        && values.iter().all(|(a, b)| spell(b, p).is_some_and(|b| Some(b) == spell(a, last)))
                };
                let peers = others(*with).filter(|(at, p)| *at >= *since && agrees(p)).count();
                let needed = others(*role).filter(|(at, p)| *at >= *after && like(p)).count();
                is_due(role, after) && peers < if *injective { needed } else { 1 }
            }
            ClaimKind::Alive { role, who, after } => {
                let peer = self.agent_in(last, *who);
                let acts = self.last.iter().flatten().any(|(_, p)| Some(world.parts[p.part].agent) == peer);
                is_due(role, after) && !acts
            }
            ClaimKind::WeakAgree { role, after } => is_due(role, after) && !self.has_weak_agreement(last),
            ClaimKind::Exchanged { role, after, exchanges, ordered } => {
                is_due(role, after) && !self.has_exchanged(last.session, exchanges, *ordered)
            }
            ClaimKind::Fresh { role, variable } => {
                let end = self.role(last).events.len();
                let same = others(*role)
                    .filter(|(at, p)| *at >= end && self.is_honest(p) && p.values[*variable] == last.values[*variable]);
                is_due(role, &end) && last.values[*variable].is_some() && same.count() > 1
            }
        }
    }

    /// Whether a pattern can be made of its parts.
    fn is_buildable(&self, pattern: &Pattern, played: &Played, known: &[TermId]) -> bool {
        match pattern {
            Pattern::Variable(v) => played.values[*v].is_some_and(|v| builds(self.terms, known, v)),
            Pattern::Private(_) | Pattern::Shared(..) => {
                known.iter().any(|t| is_instance(self.world, self.terms, pattern, &played.values, *t))
            }
            _ => pattern.parts().iter().all(|p| self.is_buildable(p, played, known)),
        }
    }
}
