//! `ferrospin graph`: the process graphs of a model.

use super::ExitStatus;
use crate::args::shared::ModelArgs;

/// Draw the process graphs of a model
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    #[command(flatten)]
    model: ModelArgs,
}

/// Says that it cannot be done yet.
pub(crate) fn run(args: &Args) -> anyhow::Result<ExitStatus> {
    let Args { model: _ } = args;
    anyhow::bail!("`graph` is not built yet")
}
