//! The program `ferrospin`, and the programs of models written in Rust.
//!
//! A program reads its arguments (`args`), hands them to one subcommand (`commands`), and turns what comes back into an exit
//! code: 0 all hold, 1 some property violated, 2 bad input or usage, 3 undecided within the limits.
//!
//! [`main`] is the whole of `ferrospin`, and [`run`] the same with other languages of files. [`main_of`] makes a program of a model
//! that is written in Rust, with the same options.

mod args;
mod commands;
mod ending;
mod model;
mod output;
mod signals;

pub use model::{main_of, run_model};

use clap::Parser;
use ferrospin::languages::{LANGUAGES, Language};
use std::ffi::OsString;
use std::process::ExitCode;

/// The program `ferrospin`, with the arguments of the process.
pub fn main() -> ExitCode {
    ferrospin_store::refusal::set_ending(ending::refused);
    ExitCode::from(run(LANGUAGES, std::env::args_os()))
}

/// The program with these arguments, the first of which is its name, for files in these languages; the exit code.
pub fn run(languages: &[Language], arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> u8 {
    let signals = signals::Signals::catch();
    let arguments: Vec<OsString> = arguments.into_iter().map(Into::into).collect();
    if let Some(arguments) = commands::spin::arguments(&arguments) {
        return ferrospin::stack::with_big_stack(|| commands::spin::run_with(&arguments, &signals));
    }
    match args::Args::try_parse_from(arguments) {
        Ok(args) => done(|| commands::run(&args.command, languages, &signals)),
        Err(error) => usage(&error),
    }
}

/// Tells what is wrong with the arguments, or the help that was asked for.
fn usage(error: &clap::Error) -> u8 {
    let plain = error.to_string();
    if ferrospin_source::printable::printable(&plain) == plain {
        // Printing fails only where the reader is gone.
        let _ = error.print();
    } else {
        output::say(&plain);
    }
    if error.use_stderr() { 2 } else { 0 }
}

/// Runs a subcommand where deep recursion is safe.
fn done(work: impl FnOnce() -> anyhow::Result<u8> + Send) -> u8 {
    ferrospin::stack::with_big_stack(work).unwrap_or_else(|error| {
        output::complain(&format!("{error:#}"));
        2
    })
}

/// The examples of the tutorial, which are compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/rust-models.md")]
pub struct Tutorial;
