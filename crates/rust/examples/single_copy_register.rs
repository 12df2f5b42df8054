//! A register that one server keeps. With two servers that do not talk to each other it is not linearizable.

use actors::{Id, Message, Outbox, Register, Server, UNWRITTEN, Value};

mod actors;
mod counting;

struct SingleCopy;

impl Server for SingleCopy {
    type State = Value;
    type Internal = ();

    fn start(&self, _: Id) -> Value {
        UNWRITTEN
    }

    fn receive(&self, _: Id, state: &mut Value, from: Id, message: Message<()>, out: &mut Outbox<()>) -> bool {
        match message {
            Message::Put(request, value) => {
                *state = value;
                out.send(from, Message::PutOk(request));
            }
            Message::Get(request) => out.send(from, Message::GetOk(request, *state)),
            _ => return false,
        }
        true
    }
}

fn main() {
    let servers = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(1);
    counting::report(Register { server: SingleCopy, servers, clients: 2 });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts() {
        assert_eq!(counting::count(Register { server: SingleCopy, servers: 1, clients: 2 }), (93, 0));
        let (_, violations) = counting::count(Register { server: SingleCopy, servers: 2, clients: 2 });
        assert!(violations > 0, "two copies contradict each other");
    }
}
