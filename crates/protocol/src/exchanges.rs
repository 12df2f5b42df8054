//! Claims about messages, as Scyther has them: one session of each other role has exchanged all messages that come before, and weak agreement.
//!
//! The sessions that play the other roles are found by trying. For the order of messages a session keeps, of each message that it has received,
//! which sessions had sent it by then.

use crate::claims::Behind;
use crate::protocol::{Exchange, Origin};
use crate::state::Session;

impl Behind<'_> {
    fn session(&self, number: usize) -> &Session {
        if number == self.moved { self.session } else { &self.before.sessions[number] }
    }

    fn plays(&self, session: &Session, role: usize) -> bool {
        session.part(self.world).is_some_and(|part| part.role == role)
    }

    /// The sessions that have sent a message, of those in which it is the same as in the session that has moved, a bit each. Agents are not
    /// compared yet: some may be open.
    pub(crate) fn senders(&self, e: &Exchange) -> u64 {
        let has_sent =
            |s: &Session| self.plays(s, e.sender) && s.position > e.sent && self.is_same_message(e, s, self.session);
        self.sessions().filter(|(_, s)| has_sent(s)).fold(0, |set, (number, _)| set | 1 << number)
    }

    fn is_same_message(&self, e: &Exchange, from: &Session, to: &Session) -> bool {
        let roles = &self.world.protocol.roles;
        let sent = &roles[e.sender].events[e.sent].message;
        let received = &roles[e.receiver].events[e.received].message;
        self.is_same((sent, &from.values), (received, &to.values))
    }

    /// Whether one session has sent what another has received, with the same agents.
    fn is_exchanged(&self, e: &Exchange, from: &Session, to: &Session) -> bool {
        let is_same_agent = |role| {
            let agent = self.agent_in(from, role);
            agent.is_some() && agent == self.agent_in(to, role)
        };
        from.position > e.sent
            && to.position > e.received
            && is_same_agent(e.sender)
            && is_same_agent(e.receiver)
            && self.is_same_message(e, from, to)
    }

    /// Whether sessions of the other roles have exchanged these messages with the session that has moved, and among them.
    pub(crate) fn has_exchanged(&self, exchanges: &[Exchange], ordered: bool) -> bool {
        let Some(own) = self.session.part(self.world) else { return false };
        let mut cast = vec![None; self.world.protocol.roles.len()];
        cast[own.role] = Some(self.moved);
        self.fill(exchanges, ordered, &mut cast)
    }

    fn fill(&self, exchanges: &[Exchange], ordered: bool, cast: &mut [Option<usize>]) -> bool {
        let Some(role) = exchanges.iter().flat_map(|e| [e.sender, e.receiver]).find(|r| cast[*r].is_none()) else {
            return true;
        };
        for (number, _) in self.sessions().filter(|(_, s)| self.plays(s, role)) {
            cast[role] = Some(number);
            let mut own = exchanges.iter().filter(|e| e.sender == role || e.receiver == role);
            let fits = own.all(|e| match (cast[e.sender], cast[e.receiver]) {
                (Some(from), Some(to)) => self.fits(e, from, to, ordered),
                _ => true,
            });
            if fits && self.fill(exchanges, ordered, cast) {
                return true;
            }
        }
        cast[role] = None;
        false
    }

    fn fits(&self, e: &Exchange, from: usize, to: usize, ordered: bool) -> bool {
        let receiver = self.session(to);
        let was_sent = || {
            let kept = self.world.ordered[e.receiver].iter().position(|o| o == e);
            kept.and_then(|i| receiver.sent.get(i)).is_some_and(|set| set >> from & 1 == 1)
        };
        self.is_exchanged(e, self.session(from), receiver) && (!ordered || was_sent())
    }

    /// Whether each agent of the session that has moved has run with the same set of agents.
    pub(crate) fn has_weak_agreement(&self) -> bool {
        let Some(agents) = self.agents(self.session) else { return false };
        agents.iter().all(|agent| {
            self.sessions().any(|(_, s)| {
                let plays = s.position > 0 && s.part(self.world).is_some_and(|part| part.agent == *agent);
                plays && self.agents(s).as_ref() == Some(&agents)
            })
        })
    }

    /// The agents of a session; `None` where some role is open.
    fn agents(&self, session: &Session) -> Option<Vec<usize>> {
        let role = session.role(self.world)?;
        let named = role.variables[..role.kept].iter().zip(&session.values);
        let named = named.filter(|(v, _)| matches!(v.origin, Origin::Agent(_)));
        let agents = named.map(|(_, value)| {
            let is_set = *value != crate::matching::NONE;
            is_set.then(|| self.terms.as_atom(*value).map(usize::from))?
        });
        let mut agents = agents.collect::<Option<Vec<usize>>>()?;
        agents.sort_unstable();
        agents.dedup();
        Some(agents)
    }
}
