//! The program of a model that is written in Rust: `check`, `simulate`, `replay` and `translate` with the options of `ferrospin`.

use crate::args::source::{NoFile, Source};
use crate::commands::{check, replay, simulate, translate};
use crate::signals::Signals;
use crate::{done, usage};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use ferrospin::front;
use ferrospin::languages::Loaded;
use ferrospin::rust::{Model, System};
use ferrospin::verify::{Options, Refusal, Subject};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

/// A model written in Rust, checked by Ferrospin.
#[derive(Parser, Debug)]
#[command(version, max_term_width = 100)]
struct Program {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Check(Box<check::Args<NoFile>>),
    Simulate(simulate::Args<NoFile>),
    Replay(replay::Args<NoFile>),
    Translate(translate::OwnArgs),
}

/// A model that is there already.
struct Ready<M: Model>(System<M>);

impl<M: Model> Source for Ready<M> {
    fn name(&self) -> String {
        System::<M>::name().into()
    }

    fn reading(&self) -> front::Options {
        front::Options::default()
    }

    fn open(&self, _: &front::Options) -> Result<Box<dyn Loaded + '_>, String> {
        Ok(Box::new(Read(&self.0)))
    }
}

/// See [`Ready`].
struct Read<'a, M: Model>(&'a System<M>);

impl<M: Model> Loaded for Read<'_, M> {
    fn name(&self) -> &str {
        System::<M>::name()
    }

    fn inputs(&self) -> &[PathBuf] {
        &[]
    }

    fn subject(&self, _: Option<&Options>) -> Result<Box<dyn Subject + '_>, Refusal> {
        Ok(Box::new(self.0))
    }
}

/// The program of a model, with the arguments of the process: a `main` of one line.
///
/// ```no_run
/// # use ferrospin::rust::{Encode, Model};
/// # struct Light;
/// # #[derive(Clone, PartialEq, Debug, Encode)]
/// # struct State { green: bool }
/// # impl Model for Light {
/// #     type State = State;
/// #     type Action = ();
/// #     fn initial(&self) -> State { State { green: false } }
/// #     fn actions(&self, _: &State, out: &mut Vec<()>) { out.push(()) }
/// #     fn take(&self, s: &mut State, (): &()) -> bool { s.green = !s.green; true }
/// # }
/// fn main() -> std::process::ExitCode {
///     ferrospin_cli::main_of(Light)
/// }
/// ```
pub fn main_of<M: Model>(model: M) -> ExitCode {
    ExitCode::from(run_model(model, std::env::args_os()))
}

/// The same with these arguments, the first of which is the name of the program; the exit code.
pub fn run_model<M: Model>(model: M, arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> u8 {
    let name = System::<M>::name();
    let examples =
        "The model is part of this program: there is no file to name. Without a subcommand, `--help` lists them.";
    let command =
        ["check", "simulate", "replay", "translate"].into_iter().fold(Program::command().name(name), |command, sub| {
            command.mut_subcommand(sub, |sub| sub.after_help(examples))
        });
    let program = command.try_get_matches_from(arguments).and_then(|found| Program::from_arg_matches(&found));
    let program = match program {
        Ok(program) => program,
        Err(error) => return usage(&error),
    };
    let signals = Signals::catch();
    let source = Ready(System::new(model));
    done(|| match &program.command {
        Command::Check(args) => check::run(args, &source, &signals),
        Command::Simulate(args) => {
            signals.release();
            simulate::run(args, &source)
        }
        Command::Replay(args) => {
            signals.release();
            replay::run(args, &source)
        }
        Command::Translate(args) => translate::run_own(args, &source.0, &signals),
    })
}
