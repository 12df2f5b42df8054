//! What a simulation prints, in the form SPIN gives it.

use crate::args::shared::RawArg;
use ferrospin::run::Run;
use ferrospin_interp::describe::{Content, Value};
use ferrospin_model::ir::Show;
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
    /// The line SPIN prints when nobody can move.
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

    /// The end of a run: who is left, the globals, where everybody stands, and how many processes there were.
    pub(crate) fn ending(self, run: &Run<'_>) -> String {
        let mut out = String::new();
        let described = run.describe();
        let processes = described.processes();
        if !processes.is_empty() {
            out += &format!("#processes: {}\n", processes.len());
            let values = described.values();
            out += &spin_values(run, &values, None);
            for p in processes.iter().rev() {
                let location = run.runnable().model.location(p.location);
                let place = run.texts().place(location.span).map_or("-".into(), |p| format!("{}:{}", p.file, p.line));
                let name = if p.name == "init" { ":init:" } else { &p.name };
                let state = run.runnable().numbers().locations[p.location.index()];
                let end = if p.may_stop { " <valid end state>" } else { "" };
                let depth = run.now().depth;
                out +=
                    &format!("{depth:3}:\tproc {:2} ({name}:{}) {place} (state {state}){end}\n", p.number, p.priority);
                if self.locals {
                    out += &spin_values(run, &values, Some(p.number));
                }
            }
        }
        let created = run.now().created;
        out += &format!("{created} process{} created\n", if created == 1 { "" } else { "es" });
        out
    }
}

fn statement(act: &Act) -> String {
    let who = act.process.as_ref().map_or("claim".into(), ToString::to_string);
    let place = act.location.as_ref().map_or(String::new(), |p| format!("{}:{}", p.file, p.line));
    format!("{who} {place}\t[{}]", act.statement)
}

/// Values as SPIN lists them in the end: truth values are numbers, a channel shows what is in it.
fn spin_values(run: &Run<'_>, values: &[Value], process: Option<usize>) -> String {
    let mut out = String::new();
    let described = run.describe();
    let prefix = process.map_or(String::new(), |p| {
        let name = described.process_name(p);
        format!("{}({p}):", if name == "init" { ":init:" } else { &name })
    });
    let text = |value: i32, show: Show| match show {
        Show::Mtype(_) => described.text(value, show),
        _ => value.to_string(),
    };
    for v in values.iter().filter(|v| v.process == process) {
        match v.content {
            Content::Scalar(number, Show::Channel) => {
                let held = values.iter().find_map(|v| match &v.content {
                    Content::Messages(n, messages) if *n == number => Some(messages),
                    _ => None,
                });
                let Some(messages) = held else { continue };
                let list = messages.iter().map(|m| {
                    let fields: Vec<String> = m.iter().map(|(v, show)| text(*v, *show)).collect();
                    format!("[{}]", fields.join(","))
                });
                out += &format!("\t\tqueue {number} ({prefix}{}): {}\n", v.name, list.collect::<String>());
            }
            Content::Scalar(number, show) => out += &format!("\t\t{prefix}{} = {}\n", v.name, text(number, show)),
            Content::Messages(..) => {}
        }
    }
    out
}
