//! `ltl-table` and `ltl-lassos`: automata of formulas measured and compared.
//!
//! The work is done by examples of the crate `ferrospin-ltl`, which need nothing else of the workspace; so a table does
//! not wait for the rest to be built.

use anyhow::Context;
use std::path::Path;
use std::process::Command;

/// Runs an example of the crate; true when it succeeded.
pub(crate) fn run(root: &Path, example: &str, args: &[String]) -> anyhow::Result<bool> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["run", "--release", "--quiet", "-p", "ferrospin-ltl", "--example", example, "--"])
        .args(args)
        .current_dir(root)
        .status()
        .with_context(|| format!("cannot run the example `{example}`"))?;
    Ok(status.success())
}
