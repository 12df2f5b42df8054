//! `ferrospin replay`: a counterexample, step by step.

use super::ExitStatus;
use super::simulate::{ChartArg, read};
use crate::args::shared::{Format, OutputArgs, OverwriteArg};
use crate::args::source::Source;
use crate::output;
use ferrospin::outputs::{Kind, Outputs};
use ferrospin::trails;
use ferrospin_trace::story::{self, Style};
use ferrospin_trace::{Trail, spin};
use std::path::PathBuf;

/// Show a counterexample step by step
///
/// The trail is run again on the model: each step shows the process, the source line, the statement and the values it
/// changed. It does not matter with which options the counterexample was searched for.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  ferrospin replay model.pml                        the trail that `check` has just written
  ferrospin replay model.pml other.trail.json       another one
  ferrospin replay --chart svg=run.svg model.pml    as a message sequence chart
  ferrospin replay --spin-trail model.pml.trail model.pml
                                                    also for `spin -t -p model.pml`

Exit codes:
  0  the trail was replayed
  2  the trail does not fit the model, or bad input or usage")]
pub(crate) struct Args<S: clap::Args> {
    #[command(flatten)]
    pub(crate) source: S,

    /// The counterexample [default: MODEL.trail.json]
    #[arg(value_name = "TRAIL")]
    trail: Option<PathBuf>,

    /// Draw the run as a message sequence chart: `text` or `svg`, and where to
    #[arg(long, value_name = "KIND[=FILE]", help_heading = "Output")]
    chart: Option<ChartArg>,

    /// Write the trail in SPIN's format to FILE
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    spin_trail: Option<PathBuf>,

    #[command(flatten)]
    overwrite: OverwriteArg,

    #[command(flatten)]
    output: OutputArgs,
}

/// Replays the trail.
pub(crate) fn run<S: clap::Args>(args: &Args<S>, source: &dyn Source) -> anyhow::Result<ExitStatus> {
    let path = args.trail.clone().unwrap_or_else(|| source.default_trail());
    let stored = trails::load(&path).map_err(anyhow::Error::msg)?;
    let mut reading = source.reading();
    trails::adopt(&stored, &mut reading);
    let Some(loaded) = read(source, &reading, &args.output)? else { return Ok(2) };
    let trail = trails::replay(&*loaded.subject(None)?, &stored)
        .map_err(|why| anyhow::anyhow!("`{}` cannot be replayed: {why}", path.display()))?;
    let outputs = Outputs::beside(loaded.inputs(), args.overwrite.overwrite);
    if let Some(file) = &args.spin_trail {
        let text = spin::write(&trail, None).map_err(anyhow::Error::msg)?;
        outputs.write(file, Kind::SpinTrail, &text).map_err(anyhow::Error::msg)?;
    }
    let chart_takes_stdout = args.chart.as_ref().is_some_and(ChartArg::to_stdout);
    match args.output.format {
        Format::Json if !chart_takes_stdout => output::print_json_text(&trail.to_json())?,
        Format::Text if !chart_takes_stdout => args.output.raw.print(&text(&trail, args.output.quiet))?,
        _ => {}
    }
    if let Some(chart) = &args.chart {
        chart.draw(&trail, &outputs, args.output.raw)?;
    }
    Ok(0)
}

fn text(trail: &Trail, quiet: bool) -> String {
    let mut out = String::new();
    if !quiet {
        out += &story::steps(trail, Style::default());
    }
    out + &story::ending(trail)
}
