//! `ferrospin simulate`: one run of a model.

use super::ExitStatus;
use crate::args::shared::ModelArgs;

/// Run a model once: at random, by hand, or along a trail
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    #[command(flatten)]
    model: ModelArgs,
}

/// Says that it cannot be done yet.
pub(crate) fn run(args: &Args) -> anyhow::Result<ExitStatus> {
    let Args { model: _ } = args;
    anyhow::bail!("`simulate` is not built yet")
}
