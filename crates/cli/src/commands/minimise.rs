//! `ferrospin minimise`: the smallest system that behaves the same.

use super::ExitStatus;
use super::progress::Watcher;
use super::subject::{self, Form, LimitArgs, NotionName, Reading, Trouble, ViewArgs};
use crate::args::shared::{Format, ModelArgs, OutputArgs, OverwriteArg};
use crate::output;
use crate::signals::Signals;
use anyhow::ensure;
use ferrospin::behaviour::Timer;
use ferrospin::languages::Language;
use ferrospin::outputs::Outputs;
use ferrospin_lts::equivalence::minimise;
use ferrospin_lts::{Graph, Notion};
use serde_json::json;
use std::path::PathBuf;

/// Make the smallest system that behaves like this one
///
/// The file is a labelled transition system (.aut), or a model in whatever language `check` takes, which is explored in full.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  ferrospin minimise -o small.aut big.aut            divergence-preserving branching bisimilarity
  ferrospin minimise --to dot --props turn model.pml as a picture, by the values of a variable
  ferrospin minimise --observe 'ack!*' --notion weak model.pml

Exit codes:
  0  done
  2  bad input or usage
  3  not done within the limits")]
pub(crate) struct Args {
    #[command(flatten)]
    model: ModelArgs,

    /// What counts as the same [default: dpbranching; stuttering with `--props`]
    #[arg(long, value_enum, value_name = "NOTION")]
    notion: Option<NotionName>,

    /// The form of the result
    #[arg(long, value_enum, value_name = "FORM", default_value_t = Form::Aut, help_heading = "Output")]
    to: Form,

    /// Write the result to FILE instead of standard output
    #[arg(long, short = 'o', value_name = "FILE", help_heading = "Output")]
    output_file: Option<PathBuf>,

    #[command(flatten)]
    overwrite: OverwriteArg,

    #[command(flatten)]
    view: ViewArgs,

    #[command(flatten)]
    limits: LimitArgs,

    #[command(flatten)]
    output: OutputArgs,
}

/// Minimises.
pub(crate) fn run(args: &Args, languages: &[Language], signals: &Signals) -> anyhow::Result<ExitStatus> {
    let name = args.model.path.display().to_string();
    let is_json = args.output.format == Format::Json;
    ensure!(
        !is_json || args.output_file.is_some(),
        "standard output gets the report: say where the graph goes with `-o FILE`"
    );
    let watcher = Watcher::new(signals, !is_json && !args.output.quiet);
    let notion = NotionName::choose(args.notion, args.view.is_valued());
    let timer = Timer::start(&args.limits.limits(), &watcher.hooks);
    let found = answer(args, languages, notion, &watcher, &timer);
    watcher.clear();
    let (graph, small) = match found {
        Ok(found) => found,
        Err(trouble) => return subject::give_up(&name, "minimisation", trouble, &args.output),
    };
    let inputs = [args.model.path.clone()];
    let outputs = Outputs::beside(&inputs, args.overwrite.overwrite);
    subject::write(&small, args.to, args.output_file.as_deref(), &outputs)?;
    let sizes = [&graph, &small].map(|g| subject::size(g.state_count(), g.edge_count()));
    if is_json {
        let property = json!({
            "name": "minimisation",
            "kind": "minimisation",
            "verdict": "holds",
            "complete": true,
            "exact": true,
            "figures": {
                "notion": NotionName::of(notion),
                "states": [graph.state_count(), small.state_count()],
                "transitions": [graph.edge_count(), small.edge_count()],
            },
            "elapsed_s": timer.elapsed_s(),
        });
        output::print_json(&subject::report(&name, "holds", property, Vec::new()))?;
    } else if !args.output.quiet {
        output::say(&format!("{name}: {}; {}: {}\n", sizes[0], NotionName::of(notion), sizes[1]));
    }
    Ok(0)
}

fn answer(
    args: &Args,
    languages: &[Language],
    notion: Notion,
    watcher: &Watcher,
    timer: &Timer,
) -> Result<(Graph, Graph), Trouble> {
    let reading = Reading {
        options: &args.model.options(),
        view: &args.view,
        limits: args.limits.limits(),
        output: &args.output,
        watcher,
        ends: false,
        languages,
    };
    let graph = reading.graph(&args.model.path)?;
    let small = minimise(&graph, notion, timer).map_err(|_| Trouble::Limit(timer.why()))?;
    Ok((graph, small))
}
