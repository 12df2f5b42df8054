//! `ferrospin translate`: the same system in another form.

use super::ExitStatus;
use super::progress::Watcher;
use super::subject::{self, Form, LimitArgs, Reading, ViewArgs};
use crate::args::shared::{Format, ModelArgs, OutputArgs};
use crate::signals::Signals;
use anyhow::ensure;
use std::path::PathBuf;

/// Write a system as a labelled transition system
///
/// The file is a labelled transition system (.aut) or a Promela model, which is explored in full.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  ferrospin translate --to aut -o model.aut model.pml        messages are the labels
  ferrospin translate --to aut --labels statements model.pml every statement is a label
  ferrospin translate --to dot system.aut                    a picture, by Graphviz

Exit codes:
  0  done
  2  bad input or usage
  3  not done within the limits")]
pub(crate) struct Args {
    #[command(flatten)]
    model: ModelArgs,

    /// The form of the result
    #[arg(long, value_enum, value_name = "FORM")]
    to: Form,

    /// Write the result to FILE instead of standard output
    #[arg(long, short = 'o', value_name = "FILE", help_heading = "Output")]
    output_file: Option<PathBuf>,

    #[command(flatten)]
    view: ViewArgs,

    #[command(flatten)]
    limits: LimitArgs,

    #[command(flatten)]
    output: OutputArgs,
}

/// Translates.
pub(crate) fn run(args: &Args, signals: &Signals) -> anyhow::Result<ExitStatus> {
    ensure!(args.output.format == Format::Text, "a translation has no report: leave out `--format json`");
    let watcher = Watcher::new(signals, !args.output.quiet);
    let reading = Reading {
        options: &args.model.options(),
        view: &args.view,
        limits: args.limits.limits(),
        output: &args.output,
        watcher: &watcher,
    };
    let found = reading.graph(&args.model.path);
    watcher.clear();
    match found {
        Ok(graph) => subject::write(&graph, args.to, args.output_file.as_deref()).map(|()| 0),
        Err(trouble) => subject::give_up(&args.model.path.display().to_string(), "translation", trouble, &args.output),
    }
}
