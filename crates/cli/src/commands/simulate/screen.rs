//! What a simulation prints, in the form SPIN gives it.

use crate::args::shared::RawArg;
use ferrospin::check::run::Run;
use ferrospin_trace::trail::{Act, Event, Step};

/// What to print beside `printf`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Screen {
    /// Each statement.
    pub(crate) statements: bool,
    /// Globals, whenever they change.
    pub(crate) globals: bool,
    /// Locals, whenever they change.
    pub(crate) locals: bool,
    /// Sends and receives.
    pub(crate) messages: bool,
    /// `printf` starts at the left margin instead of under its process.
    pub(crate) flush_left: bool,
    /// Whether what it prints may steer the terminal.
    pub(crate) raw: RawArg,
}

/// The indentation of what a process prints.
fn indent(process: usize) -> String {
    " ".repeat(6 + 4 * process)
}

impl Screen {
    /// The line SPIN prints when no process can move.
    pub(crate) fn timeout(self) -> String {
        format!("{}timeout\n", if self.flush_left { String::new() } else { indent(0) })
    }

    /// A step.
    pub(crate) fn step(self, depth: usize, step: &Step) -> String {
        let mut out = String::new();
        for event in &step.events {
            match event {
                Event::Printed { process, text } => {
                    if !self.flush_left {
                        out += &indent(usize::from(process.number));
                    }
                    out += text;
                }
                Event::Sent(m) if self.messages => {
                    out += &format!("{depth:3}: {} sends {} to {}\n", m.process, m.message, m.channel);
                }
                Event::Received(m) if self.messages => {
                    out += &format!("{depth:3}: {} receives {} from {}\n", m.process, m.message, m.channel);
                }
                Event::Handshake { sender, receiver, channel, message } if self.messages => {
                    out += &format!("{depth:3}: {sender} passes {message} to {receiver} on {channel}\n");
                }
                _ => {}
            }
        }
        if self.statements {
            for act in step.act.iter().chain(&step.partner) {
                out += &format!("{depth:3}:\t{}\n", statement(act));
            }
            for event in &step.events {
                if let Event::Started { process } = event {
                    out += &format!("{depth:3}:\t{process} starts\n");
                }
            }
        }
        for change in &step.changes {
            let wanted = if change.process.is_some() { self.locals } else { self.globals };
            if wanted {
                out += &format!("\t\t{} = {}\n", change.name, change.after);
            }
        }
        out
    }
}

impl Screen {
    /// The end of a run, where the language has no form of its own for it: where the processes stand, and the values.
    pub(crate) fn ending(self, run: &mut Run<'_>) -> String {
        let depth = run.now().depth;
        let mut out = String::new();
        for s in run.standing() {
            let place = s.location.map_or(String::new(), |p| format!(" {}:{}", p.file, p.line));
            out += &format!("{depth:3}:\t{}{place} {}\n", s.process, s.statement);
        }
        for v in run.values() {
            out += &format!("\t\t{} = {}\n", v.name, v.value);
        }
        out
    }
}

fn statement(act: &Act) -> String {
    let who = act.process.as_ref().map_or("claim".into(), ToString::to_string);
    let place = act.location.as_ref().map_or(String::new(), |p| format!("{}:{}", p.file, p.line));
    format!("{who} {place}\t[{}]", act.statement)
}
