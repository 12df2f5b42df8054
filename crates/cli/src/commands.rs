//! The subcommands, one file each.
//!
//! Each has `Args` (what was typed) and `run`, which returns the exit code. An `Err` is bad input or usage.

pub(crate) mod assume;
pub(crate) mod bound;
mod certificate;
pub(crate) mod certify;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod compose;
pub(crate) mod explain;
pub(crate) mod graph;
pub(crate) mod lint;
pub(crate) mod ltl;
pub(crate) mod man;
pub(crate) mod minimise;
pub(crate) mod new;
pub(crate) mod progress;
pub(crate) mod replay;
pub(crate) mod simulate;
pub(crate) mod spin;
mod subject;
mod telling;
pub(crate) mod test;
pub(crate) mod translate;

use crate::args::Command;
use crate::signals::Signals;
use ferrospin::languages::Language;

/// The code with which the program ends.
pub(crate) type ExitStatus = u8;

/// Runs a subcommand.
pub(crate) fn run(command: &Command, languages: &[Language], signals: &Signals) -> anyhow::Result<ExitStatus> {
    // What ends by itself, or by hand, reports nothing when it is interrupted.
    let looks = matches!(
        command,
        Command::Assume(_)
            | Command::Bound(_)
            | Command::Certify(_)
            | Command::Check(_)
            | Command::Compare(_)
            | Command::Compose(_)
            | Command::Minimise(_)
            | Command::Spin(_)
            | Command::Test(_)
            | Command::Translate(_)
    );
    if !looks {
        signals.release();
    }
    match command {
        Command::Check(args) => check::run(args, &args.source.source(languages), signals),
        Command::Simulate(args) => simulate::run(args, &args.source.source(languages)),
        Command::Spin(args) => Ok(spin::run(args, signals)),
        Command::Replay(args) => replay::run(args, &args.source.source(languages)),
        Command::Lint(args) => lint::run(args),
        Command::Ltl(args) => ltl::run(args),
        Command::Graph(args) => graph::run(args),
        Command::Assume(args) => assume::run(args, signals),
        Command::Bound(args) => bound::run(args, signals),
        Command::Compare(args) => compare::run(args, languages, signals),
        Command::Minimise(args) => minimise::run(args, languages, signals),
        Command::Translate(args) => translate::run(args, languages, signals),
        Command::Compose(args) => compose::run(args, signals),
        Command::Certify(args) => certify::run(args, languages, signals),
        Command::Completions(args) => completions::run(args),
        Command::Test(args) => test::run(args, languages, signals),
        Command::Explain(args) => explain::run(args),
        Command::Man(args) => man::run(args),
        Command::New(args) => new::run(args),
    }
}

/// The code of the message that says that a model could not be opened.
const CANNOT_READ: &str = "cannot-read";
