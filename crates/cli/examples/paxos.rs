//! Paxos for one decision (Lamport, "The Part-Time Parliament", 1998): servers that never disagree on a value. The first
//! value that is decided is what the register keeps.

use actors::{Id, Message, Outbox, Register, Request, Server, Value, majority};
use ferrospin::rust::Encode;
use std::collections::{BTreeMap, BTreeSet};

pub(crate) mod actors;

/// Number of servers.
pub(crate) struct Paxos {
    pub(crate) servers: Id,
}

/// A round and who leads it.
pub(crate) type Ballot = (u8, Id);

/// A request, who made it, and its value.
pub(crate) type Proposal = (Request, Id, Value);

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Encode)]
pub(crate) enum Internal {
    Prepare(Ballot),
    Prepared(Ballot, Option<(Ballot, Proposal)>),
    Accept(Ballot, Proposal),
    Accepted(Ballot),
    Decided(Ballot, Proposal),
}

#[derive(Clone, PartialEq, Debug, Encode)]
pub(crate) struct State {
    ballot: Ballot,
    /// As a leader: what it proposes, who has promised (with what was accepted there before), who has accepted.
    proposal: Option<Proposal>,
    promises: BTreeMap<Id, Option<(Ballot, Proposal)>>,
    accepts: BTreeSet<Id>,
    /// As an acceptor.
    accepted: Option<(Ballot, Proposal)>,
    is_decided: bool,
}

impl Server for Paxos {
    type State = State;
    type Internal = Internal;

    fn start(&self, _: Id) -> State {
        State {
            ballot: (0, 0),
            proposal: None,
            promises: BTreeMap::new(),
            accepts: BTreeSet::new(),
            accepted: None,
            is_decided: false,
        }
    }

    fn receive(&self, id: Id, s: &mut State, from: Id, message: Message<Internal>, out: &mut Outbox<Internal>) -> bool {
        use Internal::{Accept, Accepted, Decided, Prepare, Prepared};
        if s.is_decided {
            let (Message::Get(request), Some((_, (.., value)))) = (message, s.accepted) else { return false };
            out.send(from, Message::GetOk(request, value));
            return true;
        }
        match message {
            Message::Put(request, value) if s.proposal.is_none() => {
                s.proposal = Some((request, from, value));
                s.ballot = (s.ballot.0 + 1, id);
                s.promises = BTreeMap::from([(id, s.accepted)]);
                s.accepts = BTreeSet::new();
                out.broadcast(self.servers, &Prepare(s.ballot));
            }
            Message::Internal(Prepare(ballot)) if s.ballot < ballot => {
                s.ballot = ballot;
                out.send(from, Message::Internal(Prepared(ballot, s.accepted)));
            }
            Message::Internal(Prepared(ballot, before)) if ballot == s.ballot => {
                s.promises.insert(from, before);
                if s.promises.len() == majority(self.servers) {
                    // What a majority may have accepted in an earlier round must be proposed again.
                    let youngest = s.promises.values().max().expect("a majority is not empty");
                    let proposal = youngest.map(|(_, p)| p).or(s.proposal).expect("a leader proposes something");
                    s.proposal = Some(proposal);
                    s.accepted = Some((ballot, proposal));
                    s.accepts.insert(id);
                    out.broadcast(self.servers, &Accept(ballot, proposal));
                }
            }
            Message::Internal(Accept(ballot, proposal)) if s.ballot <= ballot => {
                s.ballot = ballot;
                s.accepted = Some((ballot, proposal));
                out.send(from, Message::Internal(Accepted(ballot)));
            }
            Message::Internal(Accepted(ballot)) if ballot == s.ballot => {
                s.accepts.insert(from);
                if s.accepts.len() == majority(self.servers) {
                    s.is_decided = true;
                    let proposal = s.proposal.expect("a leader proposes something");
                    out.broadcast(self.servers, &Decided(ballot, proposal));
                    out.send(proposal.1, Message::PutOk(proposal.0));
                }
            }
            Message::Internal(Decided(ballot, proposal)) => {
                s.ballot = ballot;
                s.accepted = Some((ballot, proposal));
                s.is_decided = true;
            }
            _ => return false,
        }
        true
    }
}

fn main() -> std::process::ExitCode {
    ferrospin_cli::main_of(Register { server: Paxos { servers: 3 }, servers: 3, clients: 2 })
}
