//! Servers and clients that exchange messages over a network which loses nothing and keeps no order, and a register that
//! the clients write and read.
//!
//! Each client writes its own letter once, then reads. What they call and what is answered is recorded in the state, so that
//! linearizability (Herlihy and Wing, 1990) is a condition on states: there is an order of the calls that a single register
//! could have answered so, in which a call that had ended before another one began comes before it.

use ferrospin::rust::{Encode, Event, Model, Properties};
use std::collections::BTreeMap;
use std::fmt::Debug;

/// The number of a server or a client; servers come first.
pub(crate) type Id = u8;

/// The number of a request; different requests have different numbers.
pub(crate) type Request = u8;

/// What is in a register.
pub(crate) type Value = char;

/// The value of a register that was never written.
pub(crate) const UNWRITTEN: Value = '\0';

/// A message: of a client, for a client, or among servers.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Encode)]
pub(crate) enum Message<I> {
    Put(Request, Value),
    Get(Request),
    PutOk(Request),
    GetOk(Request, Value),
    Internal(I),
}

/// A message on its way.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Encode)]
pub(crate) struct Envelope<I> {
    from: Id,
    to: Id,
    message: Message<I>,
}

/// Messages that are sent in one step.
pub(crate) struct Outbox<I> {
    from: Id,
    envelopes: Vec<Envelope<I>>,
}

impl<I: Clone> Outbox<I> {
    pub(crate) fn send(&mut self, to: Id, message: Message<I>) {
        self.envelopes.push(Envelope { from: self.from, to, message });
    }

    /// To all other servers.
    #[allow(dead_code)]
    pub(crate) fn broadcast(&mut self, servers: Id, message: &I) {
        let from = self.from;
        for to in (0..servers).filter(|to| *to != from) {
            self.send(to, Message::Internal(message.clone()));
        }
    }
}

/// What a server does.
pub(crate) trait Server: Send + Sync + 'static {
    type State: Encode + Clone + PartialEq + Debug + Send;
    type Internal: Encode + Clone + Ord + Debug + Send;

    fn start(&self, id: Id) -> Self::State;

    /// Receives a message. False when the server has no use for it: it stays on its way.
    fn receive(
        &self,
        id: Id,
        state: &mut Self::State,
        from: Id,
        message: Message<Self::Internal>,
        out: &mut Outbox<Self::Internal>,
    ) -> bool;
}

/// How many make a majority.
#[allow(dead_code)]
pub(crate) fn majority(servers: Id) -> usize {
    usize::from(servers) / 2 + 1
}

/// A client: the request that it waits for, and how many it has sent.
#[derive(Clone, PartialEq, Debug, Encode)]
pub(crate) struct Client {
    awaits: Option<Request>,
    sent: u8,
}

/// A call of a client.
#[derive(Clone, Copy, PartialEq, Debug, Encode)]
pub(crate) enum Call {
    Write(Value),
    /// With the answer, once there is one.
    Read(Option<Value>),
}

/// A call, and how many calls of each client had ended when it began.
pub(crate) type Recorded = (Call, BTreeMap<Id, u8>);

/// What a client has called.
#[derive(Clone, PartialEq, Debug, Default, Encode)]
pub(crate) struct Calls {
    ended: Vec<Recorded>,
    running: Option<Recorded>,
}

pub(crate) type History = BTreeMap<Id, Calls>;

fn record_call(history: &mut History, client: Id, call: Call) {
    let others = history.iter().filter(|(id, calls)| **id != client && !calls.ended.is_empty());
    let before = others.map(|(id, calls)| (*id, calls.ended.len() as u8)).collect();
    history.entry(client).or_default().running = Some((call, before));
}

fn record_return(history: &mut History, client: Id, value: Option<Value>) {
    let calls = history.get_mut(&client).expect("who is answered has called");
    let (call, before) = calls.running.take().expect("one call at a time");
    let call = if let Call::Read(_) = call { Call::Read(value) } else { call };
    calls.ended.push((call, before));
}

/// Whether some order of the calls explains all answers. A running call may have happened already, or not.
fn is_linearizable(history: &History) -> bool {
    fn goes_on(history: &History, done: &mut BTreeMap<Id, u8>, value: Value) -> bool {
        if history.iter().all(|(id, calls)| usize::from(done[id]) >= calls.ended.len()) {
            return true;
        }
        for (id, calls) in history {
            let next = calls.ended.get(usize::from(done[id]));
            let running = calls.running.as_ref().filter(|_| usize::from(done[id]) == calls.ended.len());
            let Some((call, before)) = next.or(running) else { continue };
            if before.iter().any(|(other, count)| done[other] < *count) {
                continue;
            }
            let value = match *call {
                Call::Write(written) => written,
                Call::Read(Some(read)) if read != value => continue,
                Call::Read(_) => value,
            };
            *done.get_mut(id).expect("a client of the history") += 1;
            let is_explained = goes_on(history, done, value);
            *done.get_mut(id).expect("a client of the history") -= 1;
            if is_explained {
                return true;
            }
        }
        false
    }
    goes_on(history, &mut history.keys().map(|id| (*id, 0)).collect(), UNWRITTEN)
}

/// Servers of one kind and clients.
pub(crate) struct Register<S> {
    pub(crate) server: S,
    pub(crate) servers: Id,
    pub(crate) clients: Id,
}

#[derive(Clone, PartialEq, Debug, Encode)]
pub(crate) struct State<S, I: Ord> {
    servers: Vec<S>,
    clients: Vec<Client>,
    /// Each message with how often it is on its way.
    network: BTreeMap<Envelope<I>, u8>,
    history: History,
}

impl<S: Server> Register<S> {
    fn send(state: &mut State<S::State, S::Internal>, out: Outbox<S::Internal>) {
        for envelope in out.envelopes {
            match envelope.message {
                Message::Put(_, value) => record_call(&mut state.history, envelope.from, Call::Write(value)),
                Message::Get(_) => record_call(&mut state.history, envelope.from, Call::Read(None)),
                _ => {}
            }
            *state.network.entry(envelope).or_insert(0) += 1;
        }
    }

    /// A client sends its next request: its `sent` requests are numbered by multiples of its own number, and go to one
    /// server after the other.
    fn request(&self, id: Id, client: &mut Client, out: &mut Outbox<S::Internal>) {
        let (server, request) = ((id + client.sent) % self.servers, (client.sent + 1) * id);
        let letter = char::from(b'A' + id - self.servers);
        out.send(server, if client.sent == 0 { Message::Put(request, letter) } else { Message::Get(request) });
        (client.awaits, client.sent) = (Some(request), client.sent + 1);
    }
}

impl<S: Server> Model for Register<S> {
    type State = State<S::State, S::Internal>;
    type Action = Envelope<S::Internal>;

    fn initial(&self) -> Self::State {
        let servers = (0..self.servers).map(|id| self.server.start(id)).collect();
        let mut state = State { servers, clients: Vec::new(), network: BTreeMap::new(), history: BTreeMap::new() };
        for id in self.servers..self.servers + self.clients {
            let (mut client, mut out) = (Client { awaits: None, sent: 0 }, Outbox { from: id, envelopes: Vec::new() });
            self.request(id, &mut client, &mut out);
            state.clients.push(client);
            Self::send(&mut state, out);
        }
        state
    }

    fn actions(&self, state: &Self::State, out: &mut Vec<Self::Action>) {
        out.extend(state.network.keys().cloned());
    }

    fn take(&self, state: &mut Self::State, envelope: &Self::Action) -> bool {
        let Envelope { from, to, ref message } = *envelope;
        let mut out = Outbox { from: to, envelopes: Vec::new() };
        if to < self.servers {
            let server = &mut state.servers[usize::from(to)];
            if !self.server.receive(to, server, from, message.clone(), &mut out) {
                return false;
            }
        } else {
            let client = &mut state.clients[usize::from(to - self.servers)];
            match *message {
                Message::PutOk(request) if client.awaits == Some(request) => {
                    record_return(&mut state.history, to, None);
                    self.request(to, client, &mut out);
                }
                Message::GetOk(request, value) if client.awaits == Some(request) => {
                    record_return(&mut state.history, to, Some(value));
                    (client.awaits, client.sent) = (None, client.sent + 1);
                }
                _ => return false,
            }
        }
        let count = state.network.get_mut(envelope).expect("it is on its way");
        *count -= 1;
        if *count == 0 {
            state.network.remove(envelope);
        }
        Self::send(state, out);
        true
    }

    fn properties(&self, out: &mut Properties<Self>) {
        out.always("linearizable", |_, s| is_linearizable(&s.history));
        out.proposition("value_chosen", |_, s| {
            s.network.keys().any(|e| matches!(e.message, Message::GetOk(_, value) if value != UNWRITTEN))
        });
    }

    fn process_count(&self) -> usize {
        usize::from(self.servers + self.clients)
    }

    fn process(&self, envelope: &Self::Action) -> usize {
        usize::from(envelope.to)
    }

    fn process_name(&self, process: usize) -> String {
        let servers = usize::from(self.servers);
        if process < servers { "server".into() } else { "client".into() }
    }

    /// The message that arrives, and those that it makes its receiver send.
    fn events(&self, state: &Self::State, envelope: &Self::Action) -> Vec<Event> {
        let channel = |e: &Self::Action| format!("{}->{}", e.from, e.to);
        let message = |e: &Self::Action| format!("{:?}", e.message);
        let mut next = state.clone();
        if !self.take(&mut next, envelope) {
            return Vec::new();
        }
        let count = |s: &Self::State, e: &Self::Action| s.network.get(e).copied().unwrap_or(0);
        let sent = next.network.keys().filter(|e| count(&next, e) > count(state, e));
        let sent = sent.map(|e| Event::Sent { channel: channel(e), message: message(e) });
        std::iter::once(Event::Received { channel: channel(envelope), message: message(envelope) })
            .chain(sent)
            .collect()
    }
}
