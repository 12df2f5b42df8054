//! `bench rust`: two-phase commit with nine resource managers as a model in Rust, on one core, and the same system in the peer
//! `stateright`, whose program is made outside of this project.

use super::runs::{self, timed, write_section};
use anyhow::ensure;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What to measure.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    runs: runs::Args,
    /// A program that searches the same system with `stateright`, given the number of managers
    #[arg(long, value_name = "PROGRAM")]
    peer: Option<PathBuf>,
}

/// Resource managers, and the states of their system.
const MANAGERS: &str = "9";
const STATES: u64 = 10_340_352;

/// How much faster than the peer a search is wanted to be.
const FACTOR: f64 = 5.0;

/// Measures; prints the table, and writes it if asked to.
pub(crate) fn run(root: &Path, args: &Args) -> anyhow::Result<bool> {
    let mut text = String::from(
        "`cargo build --release -p ferrospin-cli --example two_phase_commit`, `cargo run --release -p xtask -- bench rust --write`: \
         best of the runs, one worker, user time.\n\n| searched by | user s | million states/s |\n|---|---:|---:|\n",
    );
    let mut row = |name: &str, best: f64| -> anyhow::Result<f64> {
        let rate = STATES as f64 / best.max(1e-9) / 1e6;
        let line = format!("| {name} | {best:.2} | {rate:.2} |");
        println!("{line}");
        writeln!(text, "{line}")?;
        Ok(rate)
    };
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let program = target.join("release/examples/two_phase_commit");
    let mut slowest = f64::INFINITY;
    for store in ["exact", "tree", "compact"].into_iter().filter(|store| args.runs.wants(store)) {
        let best = best(args.runs.runs, || {
            let mut command = Command::new(&program);
            command.env("MANAGERS", MANAGERS).args([
                "check",
                "--safety",
                "--no-trail",
                "--threads",
                "1",
                "--store",
                store,
            ]);
            command
        })?;
        slowest = slowest.min(row(&format!("Ferrospin, store {store}"), best)?);
    }
    let mut passed = true;
    if let Some(peer) = &args.peer {
        let best = best(1, || {
            let mut command = Command::new(peer);
            command.arg(MANAGERS);
            command
        })?;
        let rate = row("stateright, breadth first", best)?;
        passed = slowest >= FACTOR * rate;
    }
    write!(text, "\nWanted: at least {FACTOR} times the states a second of the peer.")?;
    if args.runs.write {
        write_section(root, super::spin::TITLE, "### Models in Rust", &text)?;
    }
    Ok(passed)
}

/// The least user time of some runs, each of which must count the states.
fn best(runs: u32, command: impl Fn() -> Command) -> anyhow::Result<f64> {
    let mut best = f64::INFINITY;
    for _ in 0..runs.max(1) {
        let run = timed(&mut command())?;
        let digits: String = run.said.chars().filter(|c| *c != ',').collect();
        ensure!(digits.contains(&STATES.to_string()), "it does not count {STATES} states: {}", run.said);
        best = best.min(run.user);
    }
    Ok(best)
}
