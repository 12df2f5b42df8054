//! Chores of the project: `cargo run -p xtask -- TASK`.
//!
//! One file per task. Tasks that need SPIN or a release build say so when they run; none of them runs in `cargo test`
//! except the tidy checks.

mod bench;
mod c_record;
mod c_record_runs;
mod c_units;
mod compare_front;
mod compare_live;
mod compare_spin;
mod examples;
mod fuzz;
mod fuzz_limits;
mod fuzz_spin;
mod instances;
mod live;
mod liveness;
mod matrix;
mod por;
mod por_instances;
mod por_orders;
mod por_searches;
mod por_why;
mod protocols_spin;
mod scyther;
mod seeds;
mod spin;
mod temp;
mod tidy;
mod under;

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
    CompareSpin(compare_spin::Args),
    /// Compare verdicts of `ltl` blocks and never claims with those of a live SPIN (needs spin, gcc and a release build)
    CompareLive(compare_live::Args),
    /// Run every search, store, engine and number of workers on the recorded instances (needs a release build)
    Matrix(matrix::Args),
    /// Random programs over the whole language, in every way against the naive searches; what differs becomes a file test
    Fuzz(fuzz::Args),
    /// Compare verdicts and counts on random programs with those of a live SPIN (needs spin and a C compiler)
    FuzzSpin(fuzz_spin::Args),
    /// Compare native code with the interpreter, step by step, on random programs
    FuzzNative {
        /// How many programs
        #[arg(long, value_name = "N", default_value_t = 10_000)]
        count: u64,
        /// Seed of the first program; the others follow
        #[arg(long, value_name = "N", default_value_t = 1)]
        seed: u64,
    },
    /// Sizes of the automata of 248 formulas beside those of other tools, with totals, time-outs and times
    LtlTable {
        /// Print also every formula of this set whose size differs from Spot's
        #[arg(value_name = "SET")]
        set: Option<String>,
    },
    /// Compare automata of random formulas with direct evaluation on random words and with automata of the negations
    LtlLassos {
        /// How many formulas
        #[arg(long, value_name = "N", default_value_t = 5000)]
        formulas: u64,
        /// How many words for each
        #[arg(long, value_name = "N", default_value_t = 20)]
        words: u64,
        /// Which random ones
        #[arg(long, value_name = "N", default_value_t = 1)]
        seed: u64,
    },
    /// Record what GCC says of random declarations and expressions of C (needs gcc, objcopy and nm)
    CRecord(c_record::Args),
    /// Record what random C functions leave behind when compiled (needs gcc)
    CRecordRuns(c_record_runs::Args),
    /// Read real units of C, and compare their tokens with those of `gcc -E`
    CUnits(c_units::Args),
    /// Mutated models through the program with limits: no panic, no signal, limits kept (needs a build of the program)
    FuzzLimits(fuzz_limits::Args),
    /// Random programs with and without partial-order reduction, under every proviso
    FuzzPor(por::Fuzz),
    /// Random programs by every search that people run, with and without partial-order reduction
    FuzzSearches(por_searches::Fuzz),
    /// Random programs with random formulas and labels, searched for cycles with and without partial-order reduction
    FuzzLive(live::Fuzz),
    /// Look at the facts and sets of partial-order reduction in many states of models
    PorCheck(por::Check),
    /// States of reduced searches beside those of SPIN, as a table (needs a release build)
    PorTable(por::Table),
    /// States of real reduced searches of larger instances beside those of SPIN, as a table (needs a release build)
    PorInstances(por_instances::Args),
    /// Breadth-first and depth-first reductions of SPIN's examples beside SPIN's, as a table (needs a release build)
    PorOrders(por_orders::Args),
    /// Where a reduced search has to take moves of several processes, by statement
    PorWhy(por_why::Args),
    /// The literature's experiments on under-approximation as a table (needs a release build)
    Under,
    /// Random programs and formulas without reduction, and with under-approximation in every mode
    FuzzUnder(under::Fuzz),
    /// Random security protocols, and their translations to Promela under a live SPIN, as a table (needs spin and a C compiler)
    ProtocolsSpin(protocols_spin::Args),
    /// Scyther's library of security protocols beside what Scyther recorded of it, as a table
    Scyther(scyther::Args),
    /// The literature's experiments on emptiness checks as tables (needs a release build)
    Liveness,
    /// Measure, and print a table
    Bench {
        #[command(subcommand)]
        what: Bench,
    },
}

#[derive(Subcommand)]
enum Bench {
    /// A folder of public models against SPIN's compiled verifier (needs spin and gcc, and a release build)
    Beem(bench::beem::Args),
    /// Cold `ferrospin lint`: user time on a model of 1,000 lines, and on hostile input
    Lint {
        /// How many runs the user time is averaged over
        #[arg(long, value_name = "N", default_value_t = 100)]
        runs: u32,
    },
    /// Searches of a folder of models on a graphics processor (needs one, and a release build)
    Gpu(bench::gpu::Args),
    /// Formulas that hold against SPIN's compiled verifier with `-a`, and what fairness costs (needs spin and gcc, and a
    /// release build)
    Live(bench::runs::Args),
    /// Safety against SPIN's compiled verifier: user time side by side (needs spin and gcc, and a release build)
    Spin(bench::spin::Args),
    /// What depth-first probes beside a breadth-first search cost (needs a release build)
    Probes(bench::runs::Args),
    /// A model in Rust, and the same system in the peer `stateright` (needs release builds)
    Rust(bench::rust::Args),
    /// What one, two and four workers take (needs a release build)
    Workers(bench::runs::Args),
    /// What partial-order reduction costs, and reduced searches against SPIN's (needs spin and gcc, and a release build)
    Por(bench::reduced::Args),
}

fn main() -> anyhow::Result<ExitCode> {
    let passed = match Args::parse().task {
        Task::Tidy => tidy::run(root())?,
        Task::CompareFront { paths, differences } => compare_front::run(&paths, differences)?,
        Task::CompareSpin(args) => compare_spin::run(&args)?,
        Task::CompareLive(args) => compare_live::run(root(), &args)?,
        Task::Fuzz(args) => fuzz::run(root(), &args)?,
        Task::FuzzSpin(args) => fuzz_spin::run(&args)?,
        Task::FuzzNative { count, seed } => {
            examples::run(root(), "ferrospin-native", "same", &[count, seed].map(|n| n.to_string()))?
        }
        Task::LtlTable { set } => {
            examples::run(root(), "ferrospin-ltl", "sizes", &set.into_iter().collect::<Vec<_>>())?
        }
        Task::LtlLassos { formulas, words, seed } => {
            examples::run(root(), "ferrospin-ltl", "lassos", &[formulas, words, seed].map(|n| n.to_string()))?
        }
        Task::Matrix(args) => matrix::run(root(), &args)?,
        Task::Bench { what: Bench::Beem(args) } => bench::beem::run(root(), &args)?,
        Task::Bench { what: Bench::Por(args) } => bench::reduced::run(root(), &args)?,
        Task::Bench { what: Bench::Spin(args) } => bench::spin::run(root(), &args)?,
        Task::Bench { what: Bench::Probes(args) } => bench::probes::run(root(), &args)?,
        Task::Bench { what: Bench::Rust(args) } => bench::rust::run(root(), &args)?,
        Task::Bench { what: Bench::Workers(args) } => bench::workers::run(root(), &args)?,
        Task::CRecord(args) => c_record::run(&args)?,
        Task::CRecordRuns(args) => c_record_runs::run(&args)?,
        Task::CUnits(args) => c_units::run(&args)?,
        Task::FuzzLimits(args) => fuzz_limits::run(root(), &args)?,
        Task::FuzzPor(args) => por::fuzz(&args)?,
        Task::FuzzSearches(args) => por_searches::fuzz(&args)?,
        Task::FuzzLive(args) => live::fuzz(&args)?,
        Task::PorCheck(args) => por::check(&args)?,
        Task::PorTable(args) => por::table(root(), &args)?,
        Task::PorInstances(args) => por_instances::run(root(), &args)?,
        Task::PorOrders(args) => por_orders::run(root(), &args)?,
        Task::PorWhy(args) => por_why::run(&args)?,
        Task::Under => under::run(root())?,
        Task::FuzzUnder(args) => under::fuzz(&args)?,
        Task::ProtocolsSpin(args) => protocols_spin::run(&args)?,
        Task::Scyther(args) => scyther::run(&args)?,
        Task::Liveness => liveness::run(root())?,
        Task::Bench { what: Bench::Gpu(args) } => bench::gpu::run(root(), &args)?,
        Task::Bench { what: Bench::Live(args) } => bench::live::run(root(), &args)?,
        Task::Bench { what: Bench::Lint { runs } } => bench::lint::run(root(), runs)?,
    };
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The root of the workspace.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace")
}
