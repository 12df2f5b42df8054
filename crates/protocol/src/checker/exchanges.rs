//! The claims about messages, judged over the whole run: all ways to choose sessions for roles are tried, and times compared.

use super::{Played, Run, spell};
use crate::protocol::{Exchange, Kind, Origin};
use std::collections::BTreeSet;

impl Run<'_> {
    /// Whether a message was exchanged between two sessions, by number.
    fn is_exchange(&self, e: &Exchange, from: usize, to: usize, ordered: bool) -> bool {
        let (Some((_, sender)), Some((_, receiver))) = (&self.last[from], &self.last[to]) else { return false };
        let (Some(sent), Some(received)) = (self.times[from].get(e.sent), self.times[to].get(e.received)) else {
            return false;
        };
        let roles = &self.world.protocol.roles;
        let one = spell(self.world, self.terms, &roles[e.sender].events[e.sent].message, &sender.values);
        let other = spell(self.world, self.terms, &roles[e.receiver].events[e.received].message, &receiver.values);
        let is_same = |role| self.agent_in(sender, role).is_some_and(|a| self.agent_in(receiver, role) == Some(a));
        one.is_some() && one == other && is_same(e.sender) && is_same(e.receiver) && (!ordered || sent < received)
    }

    /// Whether there are sessions for the other roles with which all messages were exchanged.
    pub(super) fn has_exchanged(&self, own: usize, exchanges: &[Exchange], ordered: bool) -> bool {
        let (count, roles) = (self.last.len(), self.world.protocol.roles.len());
        let plays = |s: usize| self.last[s].as_ref().map(|(_, p)| self.world.parts[p.part].role);
        let Some(own_role) = plays(own) else { return false };
        let is_used = |role| exchanges.iter().any(|e| e.sender == role || e.receiver == role);
        let mut casts = vec![vec![own; roles]];
        for role in (0..roles).filter(|r| *r != own_role && is_used(*r)) {
            let with = |cast: &Vec<usize>, s| {
                let mut cast = cast.clone();
                cast[role] = s;
                cast
            };
            let players = || (0..count).filter(|s| plays(*s) == Some(role));
            casts = casts.iter().flat_map(|cast| players().map(|s| with(cast, s))).collect();
        }
        let fits = |cast: &Vec<usize>| {
            exchanges.iter().all(|e| self.is_exchange(e, cast[e.sender], cast[e.receiver], ordered))
        };
        casts.iter().any(fits)
    }

    /// Whether each agent of a session has run with the same agents.
    pub(super) fn has_weak_agreement(&self, own: &Played) -> bool {
        let agents = |p: &Played| -> Option<BTreeSet<usize>> {
            let role = self.role(p);
            let named = role.variables[..role.kept].iter().zip(&p.values);
            let named = named.filter(|(v, _)| v.kind == Kind::Agent && v.origin != Origin::Received);
            named.map(|(_, value)| self.terms.as_atom((*value)?).map(usize::from)).collect()
        };
        let Some(set) = agents(own) else { return false };
        let runs =
            |agent: &usize, p: &Played| self.world.parts[p.part].agent == *agent && agents(p) == Some(set.clone());
        set.iter().all(|agent| self.last.iter().flatten().any(|(_, p)| runs(agent, p)))
    }
}
