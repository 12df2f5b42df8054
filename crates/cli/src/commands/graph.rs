//! `ferrospin graph`: the process graphs of a model, and the layout of its states.

use super::ExitStatus;
use crate::args::shared::{ModelArgs, OverwriteArg, RawArg};
use crate::output;
use clap::ValueEnum;
use ferrospin::outputs::{Kind, Outputs};
use ferrospin::{front, graphs, run};
use ferrospin_model::ir::ProcessId;
use ferrospin_source::suggest::did_you_mean;
use std::path::PathBuf;

/// Draw the process graphs of a model
///
/// Each process type is a graph: locations are its nodes, statements its arrows.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  ferrospin graph model.pml                              a list, for the terminal
  ferrospin graph --format svg -o model.svg model.pml    a picture; nothing else is needed
  ferrospin graph --format dot --process A model.pml     for Graphviz, one process type only
  ferrospin graph --format ir model.pml                  the text form of the whole intermediate representation
  ferrospin graph --layout model.pml                     where everything stands in the state

Exit codes:
  0  done
  2  bad input or usage")]
pub(crate) struct Args {
    #[command(flatten)]
    model: ModelArgs,

    /// Only this process type (repeatable)
    #[arg(long, value_name = "NAME")]
    process: Vec<String>,

    /// What to draw with
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Form::Text)]
    format: Form,

    /// Write to FILE instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Print the layout of the state instead: offset, size, name and type
    #[arg(long, conflicts_with_all = ["format", "process"])]
    layout: bool,

    /// Merge statements and reset dead values first
    #[arg(long)]
    optimized: bool,

    #[command(flatten)]
    overwrite: OverwriteArg,

    #[command(flatten)]
    raw: RawArg,
}

/// `--format`
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Form {
    /// An indented list
    Text,
    /// The language of Graphviz
    Dot,
    /// A picture
    Svg,
    /// The text form of the intermediate representation, always of the whole model
    Ir,
}

/// Draws.
pub(crate) fn run(args: &Args) -> anyhow::Result<ExitStatus> {
    let front = front::read_path(&args.model.path, &args.model.options()).map_err(anyhow::Error::msg)?;
    if front.unreadable {
        output::say(&front.text(false));
        return Ok(2);
    }
    let mut runnable = run::prepare(&front).map_err(anyhow::Error::msg)?;
    if args.optimized {
        runnable.model = ferrospin_model::passes::optimize(&runnable.model).model.into();
    }
    let model = &runnable.model;
    let mut wanted = Vec::new();
    for name in &args.process {
        let found = model.processes.iter().position(|p| *p.name == **name);
        let Some(i) = found else {
            let names = model.processes.iter().map(|p| &*p.name);
            let hint = did_you_mean(name, names).map_or(String::new(), |hint| format!("; {hint}"));
            anyhow::bail!("there is no process type `{name}`{hint}");
        };
        wanted.push(ProcessId(i as u32));
    }
    if wanted.is_empty() {
        wanted.extend((0..model.processes.len() as u32).map(ProcessId));
    }
    let drawings = || wanted.iter().map(|p| graphs::drawing(&front, &runnable, *p)).collect::<Vec<_>>();
    let text = match args.format {
        _ if args.layout => graphs::layout(model),
        Form::Text => graphs::text(&drawings()),
        Form::Dot => graphs::dot(&drawings()),
        Form::Svg => graphs::svg::svg(&drawings()),
        Form::Ir => ferrospin_model::text::print(model),
    };
    match &args.output {
        None => args.raw.print(&text)?,
        Some(path) => {
            let kind = match args.format {
                _ if args.layout => Kind::Text,
                Form::Text | Form::Ir => Kind::Text,
                Form::Dot => Kind::Dot,
                Form::Svg => Kind::Picture,
            };
            let outputs = Outputs::of(&front, args.overwrite.overwrite);
            outputs.write(path, kind, &args.raw.shown(&text)).map_err(anyhow::Error::msg)?;
        }
    }
    Ok(0)
}
