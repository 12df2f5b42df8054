//! `ferrospin lint`: mistakes in the text of a model, without a search.
//!
//! Exit code: 0 nothing of error level, 1 lints of error level in a model that can be run, 2 the model cannot be read.

use super::ExitStatus;
use crate::args::shared::{Format, ModelArgs, OutputArgs};
use crate::output;
use ferrospin::front::{self, Front};
use ferrospin::report::{self, LintReport};
use ferrospin::suggest::{self, NoSuggestions, Suggestion};
use ferrospin_source::Severity;

/// Look for type and usage errors, without a search
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  ferrospin lint model.pml                       all messages, with the source lines they are about
  ferrospin lint --show-types model.pml          also the inferred layout of every channel
  ferrospin lint --suggest model.pml             also statements that could be one step
  ferrospin lint --allow unused-label model.pml  without one sort of message
  ferrospin lint --format json model.pml         for editors and scripts

In a model, `/* ferrospin: allow(unused-label) */` does the same as --allow: for the whole model
when the comment has its line to itself, otherwise for its own line.

Exit codes:
  0  nothing of error level
  1  lints of error level, in a model that can still be run
  2  the model cannot be read, or bad usage")]
pub(crate) struct Args {
    #[command(flatten)]
    model: ModelArgs,

    /// Print the inferred type of every channel
    #[arg(long)]
    show_types: bool,

    /// Name statements in a row that could be `atomic` or `d_step` without changing any verdict
    #[arg(long)]
    suggest: bool,

    /// Tell what keeps the model from an engine
    #[arg(long, value_enum, value_name = "ENGINE")]
    why_not: Option<WhyNot>,

    #[command(flatten)]
    output: OutputArgs,
}

/// `--why-not`
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum WhyNot {
    /// A graphics processor
    Gpu,
}

/// Reads the model and prints what was found.
pub(crate) fn run(args: &Args) -> anyhow::Result<ExitStatus> {
    let front = match front::read_path(&args.model.path, &args.model.options()) {
        Ok(front) => front,
        Err(why) => {
            match args.output.format {
                Format::Text => output::complain(&why.to_string()),
                Format::Json => {
                    let message = report::message(super::CANNOT_READ, why.to_string());
                    output::print_json(&LintReport::unreadable(args.model.path.display().to_string(), message))?;
                }
            }
            return Ok(2);
        }
    };
    let suggested = (args.suggest && !front.unreadable).then(|| suggest::suggestions(&front));
    match args.output.format {
        Format::Json => {
            let report = LintReport::new(&front, args.show_types);
            output::print_json(&match suggested {
                Some(found) => report.with_suggestions(found),
                None => report,
            })?;
        }
        Format::Text => {
            output::print_as_is(&front.text(args.output.colored(&std::io::stdout())))?;
            args.output.raw.print(&text(&front, args, suggested))?;
        }
    }
    Ok(match front.count(Severity::Error) {
        _ if front.unreadable => 2,
        0 => 0,
        _ => 1,
    })
}

/// What stands behind the messages.
fn text(front: &Front, args: &Args, suggested: Option<Result<Vec<Suggestion>, NoSuggestions>>) -> String {
    let mut text = String::new();
    if args.show_types {
        text += &front.types_text();
    }
    match suggested {
        None => {}
        Some(Ok(list)) if list.is_empty() => text += "nothing more could be `atomic` or `d_step`\n",
        Some(Ok(list)) => text.extend(list.iter().map(Suggestion::text)),
        Some(Err(why)) => text += &format!("nothing is suggested: {why}\n"),
    }
    if args.why_not.is_some() && !front.unreadable {
        text += &why_not(front);
    }
    if !args.output.quiet {
        text += &front.summary();
    }
    text
}

/// What keeps a model from a graphics processor, a line each.
fn why_not(front: &Front) -> String {
    let model = match ferrospin::run::prepare(front) {
        Ok(runnable) => runnable.model,
        Err(why) => return format!("the model cannot be run: {why}\n"),
    };
    match ferrospin::gpu::why_not(front, &model)[..] {
        [] => "nothing in the text keeps the model from a graphics processor\n".into(),
        ref list => list.iter().map(|line| format!("{line}\n")).collect(),
    }
}
