//! Whether an event violates a claim.
//!
//! A claim is looked at where it can become wrong: when the intruder learns something, and when a session comes to the point of the claim.
//! What was wrong before is not reported again, so that a search that goes on counts ways into violations.

use crate::knowledge::Knowledge;
use crate::matching::{NONE, Values};
use crate::protocol::{ClaimKind, Kind, Origin, Pattern};
use crate::state::{Session, State};
use crate::terms::{Term, TermId, Terms};
use crate::world::{Atom, World};
use ferrospin_system::{Failure, FailureCode};

/// What an event has led to.
pub(crate) struct Behind<'a> {
    /// The protocol and its sessions.
    pub(crate) world: &'a World,
    /// The table of terms.
    pub(crate) terms: &'a Terms,
    /// The state before.
    pub(crate) before: &'a State,
    /// The session that has moved.
    pub(crate) moved: usize,
    /// That session behind the event.
    pub(crate) session: &'a Session,
    /// What the intruder knows behind the event.
    pub(crate) known: &'a Knowledge,
    /// The atoms that the intruder has learnt.
    pub(crate) new: &'a [u16],
}

impl Behind<'_> {
    /// The first of these claims that the event violates: its number is the code, the operands are the session and what is known, if an atom.
    pub(crate) fn failure(&self, claims: &[usize]) -> Option<Failure> {
        claims.iter().find_map(|claim| {
            let (session, value) = self.violates(&self.world.protocol.claims[*claim].kind)?;
            let operands = [session as i32, value.map_or(-1, i32::from)];
            let code = FailureCode { number: *claim as u16, operands };
            let edge = ferrospin_system::NO_EDGE;
            Some(Failure { code, edge, process: self.moved as u8 })
        })
    }

    pub(crate) fn sessions(&self) -> impl Iterator<Item = (usize, &Session)> {
        let own =
            move |(number, session)| if number == self.moved { (number, self.session) } else { (number, session) };
        self.before.sessions.iter().enumerate().map(own)
    }

    /// The session that a claim is violated for, and an atom that the intruder knows.
    fn violates(&self, claim: &ClaimKind) -> Option<(usize, Option<u16>)> {
        match claim {
            ClaimKind::NoLeak => {
                let leaked = self.new.iter().find(|atom| self.is_leak(**atom))?;
                Some((self.moved, Some(*leaked)))
            }
            ClaimKind::Made { role, variable } => self.known_value(*role, &Pattern::Variable(*variable), |_| true),
            ClaimKind::Held { role, value, after } => self.known_value(*role, value, |s| s.position >= *after),
            ClaimKind::Agree { role, with, values, since, injective, after } => {
                if !self.has_come_to(*role, *after) {
                    return None;
                }
                let agrees = |s: &Session| s.position >= *since && self.agrees(s, *role, *with, values);
                let peers = self.sessions().filter(|(_, s)| agrees(s)).count();
                let needed = match injective {
                    false => 1,
                    true => self.sessions().filter(|(_, s)| self.is_like(s, *role, *with, values, *after)).count(),
                };
                (peers < needed).then_some((self.moved, None))
            }
            ClaimKind::Alive { role, who, after } => {
                if !self.has_come_to(*role, *after) {
                    return None;
                }
                let peer = self.agent_in(self.session, *who)?;
                let acts = |s: &Session| s.position > 0 && s.part(self.world).is_some_and(|p| p.agent == peer);
                (!self.sessions().any(|(_, s)| acts(s))).then_some((self.moved, None))
            }
            ClaimKind::WeakAgree { role, after } => {
                let is_wrong = self.has_come_to(*role, *after) && !self.has_weak_agreement();
                is_wrong.then_some((self.moved, None))
            }
            ClaimKind::Exchanged { role, after, exchanges, ordered } => {
                let is_wrong = self.has_come_to(*role, *after) && !self.has_exchanged(exchanges, *ordered);
                is_wrong.then_some((self.moved, None))
            }
            ClaimKind::Fresh { role, variable } => {
                let end = self.world.protocol.roles[*role].events.len();
                if !self.has_come_to(*role, end) {
                    return None;
                }
                let value = self.session.values[*variable];
                let is_same = |(number, s): &(usize, &Session)| {
                    *number != self.moved
                        && s.part(self.world).is_some_and(|p| p.role == *role)
                        && s.position >= end
                        && s.values[*variable] == value
                        && s.is_among_honest(self.world, self.terms)
                };
                let again = value != NONE && self.sessions().any(|s| is_same(&s));
                again.then_some((self.moved, self.terms.as_atom(value)))
            }
        }
    }

    /// Whether the session that has moved is now at this point of a role, among honest agents.
    fn has_come_to(&self, role: usize, after: usize) -> bool {
        self.session.part(self.world).is_some_and(|p| p.role == role)
            && self.session.position == after
            && self.session.is_among_honest(self.world, self.terms)
    }

    /// Whether learning an atom is a leak: it was made before this event, and is watched.
    fn is_leak(&self, atom: u16) -> bool {
        let number = usize::from(atom);
        if self.world.setup.nonces_only && self.world.kinds[number] != Some(Kind::Nonce) {
            return false;
        }
        match self.world.atoms[number] {
            Atom::Fresh { session, role, variable } => {
                let made = self.world.protocol.roles[role].variables[variable].origin;
                let is_new = session == self.moved && made == Origin::Fresh(self.session.position - 1);
                !is_new && !self.world.protocol.public.contains(&(role, variable))
            }
            _ => true,
        }
    }

    /// A session of a role among honest agents of which the intruder now knows a value, and did not before.
    fn known_value(
        &self,
        role: usize,
        value: &Pattern,
        has_come: impl Fn(&Session) -> bool,
    ) -> Option<(usize, Option<u16>)> {
        let is_known = |session: &Session, known: &Knowledge| {
            let is_claimed = session.part(self.world).is_some_and(|p| p.role == role)
                && session.position > 0
                && !session.is_lost
                && has_come(session);
            is_claimed && self.knows(known, value, &session.values) && session.is_among_honest(self.world, self.terms)
        };
        let (number, session) = self.sessions().find(|(number, session)| {
            let may_change = *number == self.moved || !self.new.is_empty();
            may_change && is_known(session, self.known) && !is_known(&self.before.sessions[*number], &self.before.known)
        })?;
        let atom = match value {
            Pattern::Variable(v) => self.terms.as_atom(session.values[*v]),
            _ => None,
        };
        Some((number, atom))
    }

    /// Whether the intruder can make a pattern; one without all values cannot be made.
    fn knows(&self, known: &Knowledge, pattern: &Pattern, values: &Values) -> bool {
        let atom = |atom: u16| known.has(atom);
        let agent = |pattern: &Pattern| match pattern {
            Pattern::Variable(v) => {
                let atom = (values[*v] != NONE).then(|| self.terms.as_atom(values[*v]))??;
                Some(usize::from(atom))
            }
            Pattern::Server(role) => self.world.servers[*role],
            _ => None,
        };
        match pattern {
            Pattern::Variable(v) => values[*v] != NONE && known.makes(self.terms, values[*v]),
            Pattern::Pair(left, right) => self.knows(known, left, values) && self.knows(known, right, values),
            Pattern::Constant(_) | Pattern::Server(_) | Pattern::Public(_) => true,
            Pattern::Private(of) => agent(of).is_some_and(|a| atom(self.world.private(a))),
            Pattern::Shared(f, a, b) => match (agent(a), agent(b)) {
                (Some(a), Some(b)) => atom(self.world.shared(*f, a, b)),
                _ => false,
            },
            Pattern::Applied(f, argument) => {
                let is_it = |term: &TermId| {
                    matches!(self.terms.get(*term), Term::Applied(g, inner)
                    if usize::from(g) == *f && self.is_instance(argument, inner, values))
                };
                self.knows(known, argument, values) || known.store().iter().any(is_it)
            }
            Pattern::Encrypted(body, key) => {
                let is_it = |term: &TermId| self.is_instance(pattern, *term, values);
                known.store().iter().any(is_it) || self.knows(known, body, values) && self.knows(known, key, values)
            }
        }
    }

    /// Whether a term is what a pattern stands for.
    fn is_instance(&self, pattern: &Pattern, term: TermId, values: &Values) -> bool {
        let agent = |pattern: &Pattern, agent: usize| self.is_instance(pattern, self.terms.atom(agent as u16), values);
        let atom = self.terms.as_atom(term).map(|a| self.world.atoms[usize::from(a)]);
        match (pattern, self.terms.get(term)) {
            (Pattern::Variable(v), _) => values[*v] == term,
            (Pattern::Constant(c), _) => self.terms.atom(self.world.constant(*c)) == term,
            (Pattern::Server(role), _) => self.world.servers[*role].is_some_and(|a| self.terms.atom(a as u16) == term),
            (Pattern::Pair(a, b), Term::Pair(x, y)) => self.is_instance(a, x, values) && self.is_instance(b, y, values),
            (Pattern::Encrypted(b, k), Term::Encrypted { body, key }) => {
                self.is_instance(b, body, values) && self.is_instance(k, key, values)
            }
            (Pattern::Applied(f, a), Term::Applied(g, x)) => *f == usize::from(g) && self.is_instance(a, x, values),
            (Pattern::Public(of), _) => matches!(atom, Some(Atom::Public(a)) if agent(of, a)),
            (Pattern::Private(of), _) => matches!(atom, Some(Atom::Private(a)) if agent(of, a)),
            (Pattern::Shared(f, a, b), _) => match atom {
                Some(Atom::Shared(g, x, y)) if *f == g => {
                    agent(a, x) && agent(b, y)
                        || self.world.protocol.shared[g].is_symmetric && agent(a, y) && agent(b, x)
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether two patterns are the same term; one without all values is none.
    pub(crate) fn is_same(&self, one: (&Pattern, &Values), other: (&Pattern, &Values)) -> bool {
        match (one.0, other.0) {
            (Pattern::Variable(v), pattern) if one.1[*v] != NONE => self.is_instance(pattern, one.1[*v], other.1),
            (pattern, Pattern::Variable(v)) if other.1[*v] != NONE => self.is_instance(pattern, other.1[*v], one.1),
            (Pattern::Constant(_) | Pattern::Server(_), _) => one.0 == other.0,
            (Pattern::Applied(f, _), Pattern::Applied(g, _)) if f != g => false,
            (Pattern::Shared(f, a, b), Pattern::Shared(g, x, y)) => {
                let pairs = |p, q| self.is_same((a, one.1), (p, other.1)) && self.is_same((b, one.1), (q, other.1));
                f == g && (pairs(x, y) || self.world.protocol.shared[*f].is_symmetric && pairs(y, x))
            }
            (a, b) => {
                let (parts, others) = (a.parts(), b.parts());
                std::mem::discriminant(a) == std::mem::discriminant(b)
                    && !parts.is_empty()
                    && parts.iter().zip(others).all(|(p, q)| self.is_same((p, one.1), (q, other.1)))
            }
        }
    }

    /// The agent that a session takes to play a role.
    pub(crate) fn agent_in(&self, session: &Session, role: usize) -> Option<usize> {
        if let Some(server) = self.world.servers[role] {
            return Some(server);
        }
        let own = session.role(self.world)?;
        let value = session.values[own.agent(role)?];
        (value != NONE).then(|| self.terms.as_atom(value).map(usize::from))?
    }

    /// Whether a session of the other role is the partner of the session that has moved, with the same values.
    fn agrees(&self, session: &Session, role: usize, with: usize, values: &[(Pattern, Pattern)]) -> bool {
        let (Some(own), Some(part)) = (self.session.part(self.world), session.part(self.world)) else { return false };
        part.role == with
            && session.position > 0
            && self.agent_in(self.session, with) == Some(part.agent)
            && self.agent_in(session, role) == Some(own.agent)
            && values.iter().all(|(a, b)| self.is_same((a, &self.session.values), (b, &session.values)))
    }

    /// Whether a session has come to the point of the claim with the same agents and values as the one that has moved.
    fn is_like(
        &self,
        session: &Session,
        role: usize,
        with: usize,
        values: &[(Pattern, Pattern)],
        after: usize,
    ) -> bool {
        let part = session.part(self.world);
        part.is_some_and(|p| p.role == role)
            && part == self.session.part(self.world)
            && session.position >= after
            && self.agent_in(session, with) == self.agent_in(self.session, with)
            && values.iter().all(|(a, _)| self.is_same((a, &session.values), (a, &self.session.values)))
    }
}
