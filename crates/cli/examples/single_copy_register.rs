//! A register that one server keeps. With two servers that do not talk to each other it is not linearizable.

use actors::{Id, Message, Outbox, Register, Server, UNWRITTEN, Value};

pub(crate) mod actors;

pub(crate) struct SingleCopy;

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

fn main() -> std::process::ExitCode {
    ferrospin_cli::main_of(Register { server: SingleCopy, servers: 1, clients: 2 })
}
