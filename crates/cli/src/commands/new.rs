//! `ferrospin new`: a commented model to start from.

use super::ExitStatus;
use crate::output;
use anyhow::ensure;
use ferrospin::outputs::{Kind, Outputs};
use std::path::PathBuf;

/// Write a commented model to start from
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  ferrospin new lock                  writes lock.pml
  ferrospin check lock.pml            everything that it states holds

Exit codes:
  0  the model was written
  2  bad usage, or the file is there already")]
pub(crate) struct Args {
    /// The name of the model, with or without `.pml`
    #[arg(value_name = "NAME")]
    name: PathBuf,
}

/// The model that is written.
const MODEL: &str = include_str!("new.pml");

/// Writes the model.
pub(crate) fn run(args: &Args) -> anyhow::Result<ExitStatus> {
    let mut path = args.name.clone();
    ensure!(path.file_name().is_some(), "expected the name of a file");
    if path.extension().is_none() {
        path.set_extension("pml");
    }
    ensure!(
        path.extension().is_some_and(|e| e == "pml"),
        "models are written in Promela: expected a name that ends with `.pml`"
    );
    Outputs::beside(&[], false).write(&path, Kind::Start, MODEL).map_err(anyhow::Error::msg)?;
    let name = path.display();
    output::print(&format!(
        "{name} is written; `ferrospin check {name}` checks it, `ferrospin simulate {name}` runs it once\n"
    ))?;
    Ok(0)
}
