//! `ferrospin replay`: a counterexample, step by step.

use super::ExitStatus;
use crate::args::shared::ModelArgs;

/// Show a counterexample step by step
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    #[command(flatten)]
    model: ModelArgs,

    /// The counterexample [default: MODEL.trail.json]
    #[arg(value_name = "TRAIL")]
    trail: Option<std::path::PathBuf>,
}

/// Says that it cannot be done yet.
pub(crate) fn run(args: &Args) -> anyhow::Result<ExitStatus> {
    let Args { model: _, trail: _ } = args;
    anyhow::bail!("`replay` is not built yet")
}
