//! `ferrospin completions`: scripts that make shells complete subcommands and options.

use super::ExitStatus;
use crate::args;
use crate::output;
use clap::CommandFactory;
use clap_complete::{Shell, generate};

/// Print a script that makes a shell complete subcommands and options
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  ferrospin completions bash > ~/.local/share/bash-completion/completions/ferrospin
  ferrospin completions fish > ~/.config/fish/completions/ferrospin.fish")]
pub(crate) struct Args {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

/// Prints the script.
pub(crate) fn run(args: &Args) -> anyhow::Result<ExitStatus> {
    let mut script = Vec::new();
    generate(args.shell, &mut args::Args::command(), "ferrospin", &mut script);
    output::print(&String::from_utf8(script)?)?;
    Ok(0)
}
