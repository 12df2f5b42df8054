//! `ferrospin man`: manual pages, made of what `--help` says.

use super::ExitStatus;
use crate::{args, output};
use clap::{Command, CommandFactory};

/// Print a manual page, for `man`
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  ferrospin man | man -l -            the page of the program
  ferrospin man check > ferrospin-check.1
                                      the page of a subcommand

Exit codes:
  0  the page was printed
  2  there is no such subcommand")]
pub(crate) struct Args {
    /// A subcommand [default: the program]
    #[arg(value_name = "COMMAND")]
    command: Option<String>,
}

/// Prints the page.
pub(crate) fn run(args: &Args) -> anyhow::Result<ExitStatus> {
    let mut program = args::Args::command();
    program.build();
    let command = match &args.command {
        None => &program,
        Some(name) => {
            let known = program.get_subcommands().map(Command::get_name).collect::<Vec<_>>();
            let found = program.get_subcommands().find(|c| c.get_name() == name);
            let hint = ferrospin_source::suggest::did_you_mean(name, known.iter().copied());
            found.ok_or_else(|| {
                let hint = hint.map_or_else(|| format!("there are {}", known.join(", ")), |hint| hint.to_string());
                anyhow::anyhow!("there is no subcommand `{name}`; {hint}")
            })?
        }
    };
    output::print(&page(command, args.command.is_none()))?;
    Ok(0)
}

/// Text that `man` takes as it is.
fn plain(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-");
    let line = |l: &str| if l.starts_with(['.', '\'']) { format!("\\&{l}\n") } else { format!("{l}\n") };
    text.lines().map(line).collect::<String>().trim_end().to_owned()
}

fn page(command: &Command, is_program: bool) -> String {
    let name = if is_program { "ferrospin".to_owned() } else { format!("ferrospin-{}", command.get_name()) };
    let about = command.get_about().map(|a| a.to_string()).unwrap_or_default();
    let version = ferrospin::VERSION;
    let mut out = format!(".TH \"{}\" 1 \"\" \"ferrospin {version}\" \"Ferrospin\"\n", plain(&name.to_uppercase()));
    out += &format!(".SH NAME\n{} \\- {}\n", plain(&name), plain(about.trim_end_matches('.')));
    let usage = command.clone().render_usage().to_string();
    out += &format!(".SH SYNOPSIS\n.nf\n{}\n.fi\n", plain(usage.trim_start_matches("Usage: ")));
    let long = command.get_long_about().map(|a| a.to_string()).unwrap_or(about);
    out += &format!(".SH DESCRIPTION\n{}\n", plain(&long));
    if is_program {
        out += ".SH COMMANDS\n";
        for c in command.get_subcommands().filter(|c| c.get_name() != "help") {
            let about = c.get_about().map(|a| a.to_string()).unwrap_or_default();
            out += &format!(".TP\n.B {}\n{}\n", plain(c.get_name()), plain(&about));
        }
    }
    let mut heading = None;
    for arg in command.get_arguments().filter(|a| !a.is_hide_set()) {
        let under = arg.get_help_heading().unwrap_or(if arg.is_positional() { "Arguments" } else { "Options" });
        if heading != Some(under) {
            out += &format!(".SH {}\n", plain(&under.to_uppercase()));
            heading = Some(under);
        }
        let help = arg.get_long_help().or(arg.get_help()).map(|h| h.to_string()).unwrap_or_default();
        out += &format!(".TP\n.B {}\n{}\n", plain(&arg.to_string()), plain(&help));
    }
    if let Some(after) = command.get_after_help() {
        out += &format!(".SH EXAMPLES AND EXIT CODES\n.nf\n{}\n.fi\n", plain(&after.to_string()));
    }
    out
}
