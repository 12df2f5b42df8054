//! Chores of the project: `cargo run -p xtask -- TASK`.
//!
//! One file per task. Tasks that need SPIN or a release build say so when they run; none of them runs in `cargo test`
//! except the tidy checks.

mod bench;
mod compare_front;
mod compare_spin;
mod fuzz_spin;
mod spin;
mod temp;
mod tidy;

use clap::{Parser, Subcommand};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Chores of the project.
#[derive(Parser)]
#[command(name = "xtask")]
struct Args {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Check the conventions of the project: dependency directions, module headers, machine paths, ...
    Tidy,
    /// Compare what `spin -a` and ferrospin accept, for all models in the given folders (needs spin)
    CompareFront {
        /// Folders or single models
        #[arg(value_name = "DIR", required = true)]
        paths: Vec<PathBuf>,
        /// Print only the models on which the two differ
        #[arg(long)]
        differences: bool,
    },
    /// Compare verdicts and counts of plain exhaustive runs with those of a live SPIN (needs spin and a C compiler)
    CompareSpin {
        /// Folders or single models
        #[arg(value_name = "DIR", required = true)]
        paths: Vec<PathBuf>,
        /// Run also the instances recorded in the expectation files
        #[arg(long)]
        instances: bool,
        /// Leave out what has more states than this
        #[arg(long, value_name = "N", default_value_t = 300_000)]
        states: u64,
    },
    /// Compare verdicts and counts on random programs with those of a live SPIN (needs spin and a C compiler)
    FuzzSpin(fuzz_spin::Args),
    /// Measure, and print a table
    Bench {
        #[command(subcommand)]
        what: Bench,
    },
}

#[derive(Subcommand)]
enum Bench {
    /// Cold `ferrospin lint`: user time on a model of 1,000 lines, and on hostile input
    Lint {
        /// How many runs the user time is averaged over
        #[arg(long, value_name = "N", default_value_t = 100)]
        runs: u32,
    },
}

fn main() -> anyhow::Result<ExitCode> {
    let passed = match Args::parse().task {
        Task::Tidy => tidy::run(root())?,
        Task::CompareFront { paths, differences } => compare_front::run(&paths, differences)?,
        Task::CompareSpin { paths, instances, states } => compare_spin::run(&paths, instances, states)?,
        Task::FuzzSpin(args) => fuzz_spin::run(&args)?,
        Task::Bench { what: Bench::Lint { runs } } => bench::lint::run(root(), runs)?,
    };
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The root of the workspace.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace")
}
