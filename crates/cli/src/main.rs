//! The program `ferrospin`.
//!
//! It reads its arguments ([`args`]), hands them to one subcommand ([`commands`]), and turns what comes back into an exit
//! code: 0 all hold, 1 some property violated, 2 bad input or usage, 3 undecided within the limits.

mod args;
mod commands;
mod ending;
mod output;
mod signals;

use clap::Parser;
use std::process::ExitCode;

/// Ends the program with a sentence where memory runs out.
#[global_allocator]
static ALLOCATOR: ferrospin_store::refusal::Allocator = ferrospin_store::refusal::Allocator;

fn main() -> ExitCode {
    ferrospin_store::refusal::set_ending(ending::refused);
    let signals = signals::Signals::catch();
    let typed: Vec<_> = std::env::args_os().collect();
    if let Some(arguments) = commands::spin::arguments(&typed) {
        return ExitCode::from(ferrospin::stack::with_big_stack(|| commands::spin::run_with(&arguments, &signals)));
    }
    let args = match args::Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            let plain = error.to_string();
            if ferrospin_source::printable::printable(&plain) == plain {
                // Printing fails only when nobody reads, and then nobody misses it.
                let _ = error.print();
            } else {
                output::say(&plain);
            }
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    match ferrospin::stack::with_big_stack(|| commands::run(&args.command, &signals)) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            output::complain(&format!("{error:#}"));
            ExitCode::from(2)
        }
    }
}
