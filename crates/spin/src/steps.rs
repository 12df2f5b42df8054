//! Lines of a simulation.

use crate::elements::{Body, Element};

/// A process, as lines name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Who {
    /// Its number; `None` for the claim.
    pub number: Option<u8>,
    /// Its type; `:init:` for `init`.
    pub name: String,
    /// Its priority.
    pub priority: u8,
}

impl std::fmt::Display for Who {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Who { number, name, priority } = self;
        match number {
            Some(n) => write!(f, "proc {n:2} ({name}:{priority}) "),
            None => write!(f, "proc  - ({name}:{priority}) "),
        }
    }
}

/// `m.pml:6 (state 2)`, and whether a process may end there.
pub fn place(body: &Body, e: &Element, told_end: bool) -> String {
    let end = if told_end && body.is_end(e) { " <valid end state>" } else { "" };
    format!("{}:{} (state {}){end}", e.file.replace('"', ""), e.line, e.state)
}

/// A statement that is executed.
pub fn statement(depth: i64, who: &Who, body: &Body, e: &Element, text: &str, told_end: bool) -> String {
    format!("{depth:3}:\t{who}{}\t[{text}]", place(body, e, told_end))
}

/// Where a process stands in the end.
pub fn standing(depth: i64, who: &Who, body: &Body, e: &Element, told_end: bool) -> String {
    format!("{depth:3}:\t{who}{}\n", place(body, e, told_end))
}

/// A message that is sent or received: `verb` is `Send`, `Sent` or `Recv`.
pub fn message(depth: i64, who: &Who, e: &Element, verb: &str, fields: &str, queue: i32, channel: &str) -> String {
    let arrow = if verb.ends_with("Recv]") || verb == "Recv" { "<-" } else { "->" };
    format!("{depth:3}:\t{who}{}:{} {verb} {fields}\t{arrow} queue {queue} ({channel})\n", e.file, e.line)
}

/// The same for graphical interfaces.
pub fn message_for_xspin(
    depth: i64,
    who: &Who,
    e: &Element,
    sends: bool,
    fields: &str,
    queue: i32,
    (steps, test): (bool, bool),
) -> String {
    let sign = if sends { '!' } else { '?' };
    let values = if steps && !test { "values: " } else { "" };
    let end = if steps { "" } else { "\n" };
    format!("{depth:3}:\t{who}{}:{} (state -)\t[{values}{queue}{sign}{fields}]\n{end}", e.file, e.line)
}

/// A message in columns.
pub fn column(queue: i32, process: usize, channel: &str, sends: bool, fields: &str) -> String {
    let dots = "   .".repeat(process);
    format!("{queue:3}{dots}   {channel}{}{fields}\n", if sends { '!' } else { '?' })
}

/// The head of the columns.
pub fn columns(processes: usize) -> String {
    let numbers: String = (0..processes).map(|n| format!(" {n:3}")).collect();
    format!("q\\p{numbers}\n")
}

/// The indentation of what a process prints; the claim makes it one step deeper.
pub fn indent(process: usize) -> String {
    " ".repeat(6 + 4 * process)
}

/// What SPIN says of a mistake in a run.
pub fn error(file: &str, line: u32, what: &str) -> String {
    format!("spin: {file}:{line}, Error: {what}\n")
}
