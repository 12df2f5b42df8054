//! `ferrospin ltl`: a formula as an automaton.

use super::ExitStatus;

/// Translate a formula of linear temporal logic into an automaton
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The formula, such as `[] (p -> <> q)`
    #[arg(value_name = "FORMULA", allow_hyphen_values = true)]
    formula: String,
}

/// Says that it cannot be done yet.
pub(crate) fn run(args: &Args) -> anyhow::Result<ExitStatus> {
    let Args { formula: _ } = args;
    anyhow::bail!("`ltl` is not built yet")
}
