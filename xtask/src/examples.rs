//! Tasks that are done by examples of one crate (`ltl-table`, `ltl-lassos`, `fuzz-native`): they need little of the
//! workspace, and do not wait for the rest to be built.

use anyhow::Context;
use std::path::Path;
use std::process::Command;

/// Runs an example of a crate; true when it succeeded.
pub(crate) fn run(root: &Path, package: &str, example: &str, args: &[String]) -> anyhow::Result<bool> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["run", "--release", "--quiet", "-p", package, "--example", example, "--"])
        .args(args)
        .current_dir(root)
        .status()
        .with_context(|| format!("cannot run the example `{example}`"))?;
    Ok(status.success())
}
