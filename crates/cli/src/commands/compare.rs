//! `ferrospin compare`: whether two systems behave the same.

use super::ExitStatus;
use super::progress::Watcher;
use super::subject::{self, LimitArgs, NotionName, Reading, Trouble, ViewArgs};
use crate::args::shared::{Format, ModelArgs, OutputArgs};
use crate::output;
use crate::signals::Signals;
use anyhow::Context;
use ferrospin::behaviour::Timer;
use ferrospin_lts::compare::{Comparison, compare};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Compare the behaviour of two systems
///
/// Each file is a labelled transition system (.aut) or a Promela model, which is explored in full. A "no" comes with a formula
/// that holds in the first system and not in the second.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  ferrospin compare spec.aut impl.aut                divergence-preserving branching bisimilarity
  ferrospin compare --notion strong a.aut b.aut      internal steps count too
  ferrospin compare --observe 'in.*,out.*' spec.pml impl.pml
                                                     two models, by the messages on two channels
  ferrospin compare --props 'turn,x > 3' old.pml new.pml
                                                     by variables: the same formulas of LTL without next hold

Exit codes:
  0  equivalent
  1  not equivalent
  2  bad input or usage
  3  undecided within the limits")]
pub(crate) struct Args {
    #[command(flatten)]
    model: ModelArgs,

    /// The system to compare it with
    #[arg(value_name = "OTHER")]
    other: PathBuf,

    /// What counts as the same [default: dpbranching; stuttering with `--props`]
    #[arg(long, value_enum, value_name = "NOTION")]
    notion: Option<NotionName>,

    /// Write the formula of a "no" to FILE
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    formula: Option<PathBuf>,

    #[command(flatten)]
    view: ViewArgs,

    #[command(flatten)]
    limits: LimitArgs,

    #[command(flatten)]
    output: OutputArgs,
}

/// So many characters of a formula are shown; longer ones can be written to a file.
const SHOWN_MAX: usize = 2000;

/// Compares.
pub(crate) fn run(args: &Args, signals: &Signals) -> anyhow::Result<ExitStatus> {
    let watcher = Watcher::new(signals, args.output.format == Format::Text && !args.output.quiet);
    let name = args.model.path.display().to_string();
    let timer = Timer::start(&args.limits.limits(), &watcher.hooks);
    let found = answer(args, &watcher, &timer);
    watcher.clear();
    let found = match found {
        Ok(found) => found,
        Err(trouble) => return subject::give_up(&name, "equivalence", trouble, &args.output),
    };
    let formula = found.formula.as_ref().map(ToString::to_string);
    if let (Some(path), Some(formula)) = (&args.formula, &formula) {
        std::fs::write(path, format!("{formula}\n")).with_context(|| format!("cannot write `{}`", path.display()))?;
    }
    match args.output.format {
        Format::Text => output::print(&text(args, &found, formula.as_deref()))?,
        Format::Json => output::print_json(&data(args, &found, formula.as_deref(), &timer))?,
    }
    Ok(u8::from(!found.equivalent()))
}

fn answer(args: &Args, watcher: &Watcher, timer: &Timer) -> Result<Comparison, Trouble> {
    let reading = Reading {
        options: &args.model.options(),
        view: &args.view,
        limits: args.limits.limits(),
        output: &args.output,
        watcher,
    };
    let a = reading.graph(&args.model.path)?;
    let b = reading.graph(&args.other)?;
    let notion = NotionName::choose(args.notion, args.view.is_valued());
    compare(&a, &b, notion, timer).map_err(|_| Trouble::Limit(timer.why()))
}

fn text(args: &Args, found: &Comparison, formula: Option<&str>) -> String {
    let mut out = String::new();
    if !args.output.quiet {
        for (i, path) in [&args.model.path, &args.other].into_iter().enumerate() {
            out += &format!("{}: {}\n", path.display(), subject::size(found.states[i], found.edges[i]));
        }
    }
    let Some(formula) = formula else {
        let classes = subject::counted(found.classes, "class").replace("classs", "classes");
        return out + &format!("equivalent: {}, {classes} in both together\n", found.notion.adjective());
    };
    out += &format!("not equivalent: not {}\n", found.notion.adjective());
    if !args.output.quiet {
        out += &format!("a formula that holds in {} and not in {}:\n", args.model.path.display(), args.other.display());
        if formula.len() <= SHOWN_MAX {
            formula.lines().for_each(|line| out += &format!("  {line}\n"));
        } else {
            out += &format!("  {} characters long: `--formula FILE` writes it\n", formula.len());
        }
    }
    out
}

fn data(args: &Args, found: &Comparison, formula: Option<&str>, timer: &Timer) -> Value {
    let verdict = if formula.is_some() { "violated" } else { "holds" };
    let error = formula.map(|_| {
        let message = format!("not {}", found.notion.adjective());
        json!({ "kind": "not-equivalent", "message": message, "location": null, "depth": null })
    });
    let evidence = match formula {
        Some(text) => {
            json!({ "kind": "formula", "file": args.formula.as_ref().map(|p| p.display().to_string()), "text": text })
        }
        None => Value::Null,
    };
    let property = json!({
        "name": "equivalence",
        "kind": "equivalence",
        "verdict": verdict,
        "complete": true,
        "exact": true,
        "reduction": "none",
        "errors": u8::from(formula.is_some()),
        "error": error,
        "evidence": evidence,
        "figures": {
            "notion": NotionName::of(found.notion),
            "other": args.other.display().to_string(),
            "states": found.states,
            "transitions": found.edges,
            "classes": found.classes,
        },
        "elapsed_s": timer.elapsed_s(),
    });
    subject::report(&args.model.path.display().to_string(), verdict, property, Vec::new())
}
