//! A register on several servers that goes on while a majority does (Attiya, Bar-Noy and Dolev, "Sharing Memory Robustly in
//! Message-Passing Systems", 1995).

use actors::{Id, Message, Outbox, Register, Request, Server, UNWRITTEN, Value, majority};
use ferrospin::rust::Encode;
use std::collections::{BTreeMap, BTreeSet};

pub(crate) mod actors;

/// Number of servers.
pub(crate) struct Abd {
    pub(crate) servers: Id,
}

/// The age of a value: a clock, and who wrote it.
pub(crate) type Stamp = (u8, Id);

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Encode)]
pub(crate) enum Internal {
    Query(Request),
    Answer(Request, Stamp, Value),
    Record(Request, Stamp, Value),
    Recorded(Request),
}

#[derive(Clone, PartialEq, Debug, Encode)]
pub(crate) struct State {
    stamp: Stamp,
    value: Value,
    phase: Phase,
}

#[derive(Clone, PartialEq, Debug, Encode)]
pub(crate) enum Phase {
    Idle,
    /// Asks for the youngest value; `written` is what the client writes.
    Asking {
        request: Request,
        client: Id,
        written: Option<Value>,
        answers: BTreeMap<Id, (Stamp, Value)>,
    },
    /// Spreads a value; `read` is what the client reads.
    Spreading {
        request: Request,
        client: Id,
        read: Option<Value>,
        acknowledged: BTreeSet<Id>,
    },
}

impl Abd {
    fn ask(&self, id: Id, s: &mut State, call: (Request, Id, Option<Value>), out: &mut Outbox<Internal>) {
        let (request, client, written) = call;
        out.broadcast(self.servers, &Internal::Query(request));
        s.phase = Phase::Asking { request, client, written, answers: BTreeMap::from([(id, (s.stamp, s.value))]) };
    }
}

impl Server for Abd {
    type State = State;
    type Internal = Internal;

    fn start(&self, id: Id) -> State {
        State { stamp: (0, id), value: UNWRITTEN, phase: Phase::Idle }
    }

    fn receive(&self, id: Id, s: &mut State, from: Id, message: Message<Internal>, out: &mut Outbox<Internal>) -> bool {
        match (message, &mut s.phase) {
            (Message::Put(request, value), Phase::Idle) => self.ask(id, s, (request, from, Some(value)), out),
            (Message::Get(request), Phase::Idle) => self.ask(id, s, (request, from, None), out),
            (Message::Internal(Internal::Query(asked)), _) => {
                out.send(from, Message::Internal(Internal::Answer(asked, s.stamp, s.value)));
            }
            (
                Message::Internal(Internal::Answer(answered, stamp, value)),
                Phase::Asking { request, client, written, answers },
            ) if *request == answered => {
                answers.insert(from, (stamp, value));
                if answers.len() == majority(self.servers) {
                    let (youngest, value) = *answers.values().max().expect("a majority is not empty");
                    let (stamp, value, read) = match *written {
                        Some(written) => ((youngest.0 + 1, id), written, None),
                        None => (youngest, value, Some(value)),
                    };
                    out.broadcast(self.servers, &Internal::Record(answered, stamp, value));
                    let (client, acknowledged) = (*client, BTreeSet::from([id]));
                    if stamp > s.stamp {
                        (s.stamp, s.value) = (stamp, value);
                    }
                    s.phase = Phase::Spreading { request: answered, client, read, acknowledged };
                }
            }
            (Message::Internal(Internal::Record(request, stamp, value)), _) => {
                out.send(from, Message::Internal(Internal::Recorded(request)));
                if stamp > s.stamp {
                    (s.stamp, s.value) = (stamp, value);
                }
            }
            (
                Message::Internal(Internal::Recorded(recorded)),
                Phase::Spreading { request, client, read, acknowledged },
            ) if *request == recorded && !acknowledged.contains(&from) => {
                acknowledged.insert(from);
                if acknowledged.len() == majority(self.servers) {
                    let answer = read.map_or(Message::PutOk(recorded), |value| Message::GetOk(recorded, value));
                    out.send(*client, answer);
                    s.phase = Phase::Idle;
                }
            }
            _ => return false,
        }
        true
    }
}

fn main() -> std::process::ExitCode {
    ferrospin_cli::main_of(Register { server: Abd { servers: 2 }, servers: 2, clients: 2 })
}
