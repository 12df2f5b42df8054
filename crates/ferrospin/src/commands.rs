//! The subcommands, one file each.
//!
//! Each has `Args` (what was typed) and `run`, which returns the exit code. An `Err` is bad input or usage.

pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod graph;
pub(crate) mod lint;
pub(crate) mod ltl;
pub(crate) mod replay;
pub(crate) mod simulate;

use crate::args::Command;
use crate::args::shared::Format;
use crate::output;
use ferrospin::report::{Message, Report, Verdict};
use std::path::Path;

/// The code with which the program ends.
pub(crate) type ExitStatus = u8;

/// Runs a subcommand.
pub(crate) fn run(command: &Command) -> anyhow::Result<ExitStatus> {
    match command {
        Command::Check(args) => check::run(args),
        Command::Simulate(args) => simulate::run(args),
        Command::Replay(args) => replay::run(args),
        Command::Lint(args) => lint::run(args),
        Command::Ltl(args) => ltl::run(args),
        Command::Graph(args) => graph::run(args),
        Command::Completions(args) => completions::run(args),
    }
}

/// Answers that a model could not even be opened, in the form that was asked for.
fn cannot_read(path: &Path, why: &str, format: Format) -> anyhow::Result<ExitStatus> {
    refuse(&path.display().to_string(), "cannot-read", why, Vec::new(), format)
}

/// Answers that nothing could be checked, in the form that was asked for.
fn refuse(
    model: &str,
    code: &'static str,
    why: &str,
    mut said: Vec<Message>,
    format: Format,
) -> anyhow::Result<ExitStatus> {
    match format {
        Format::Text => output::complain(why),
        Format::Json => {
            said.push(Message { severity: "error", code, message: why.into(), location: None });
            output::print_json(&Report::error(model, said))?;
        }
    }
    Ok(Verdict::Error.exit_code())
}
