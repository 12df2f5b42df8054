//! `fuzz-por`, `por-check`, `por-table`: partial-order reduction under test, and what it gains.
//!
//! All of them use the naive searches of `ferrospin-testkit`, over the interpreter; a program that fails is shrunk and
//! printed. The table puts the states of reduced searches beside those that SPIN stored, which are recorded in
//! `docs/reduction-spin.tsv`, so that no SPIN is needed.

use anyhow::Context;
use ferrospin::reduction::{Keep, reduction};
use ferrospin::stack::with_big_stack;
use ferrospin_testkit::generate::{Sample, generate, shrink};
use ferrospin_testkit::por;
use std::path::{Path, PathBuf};

/// Options of `fuzz-por`.
#[derive(clap::Args)]
pub(crate) struct Fuzz {
    /// How many programs
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    count: u64,
    /// Seed of the first program; the others follow
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Leave out programs with more states than this
    #[arg(long, value_name = "N", default_value_t = 3_000)]
    states: usize,
}

/// Options of `por-check`.
#[derive(clap::Args)]
pub(crate) struct Check {
    /// At how many states of a random walk
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    states: usize,
    /// Models
    #[arg(value_name = "MODEL", required = true)]
    models: Vec<PathBuf>,
}

fn keep(failures: bool) -> Keep {
    if failures { Keep::Failures } else { Keep::Deadlocks }
}

/// Random programs with and without reduction; true when all agree.
pub(crate) fn fuzz(args: &Fuzz) -> anyhow::Result<bool> {
    let judge = |text: &str| por::judge(text, args.states, &|model, failures| reduction(model, keep(failures)).ok());
    Ok(with_big_stack(|| {
        let (mut failed, mut compared, mut full, mut reduced) = (0, 0, 0, [0; 6]);
        for seed in args.seed..args.seed + args.count {
            let sample = generate(seed);
            match judge(&sample.text()) {
                Ok(None) => {}
                Ok(Some(sizes)) => {
                    compared += 1;
                    full += sizes.full;
                    reduced.iter_mut().zip(sizes.reduced).for_each(|(sum, n)| *sum += n);
                }
                Err(_) => {
                    failed += 1;
                    let small = shrink(&sample, &mut |s: &Sample| judge(&s.text()).is_err());
                    let why = judge(&small.text()).expect_err("it still fails");
                    println!("seed {seed}: {why}\n{}", small.text());
                }
            }
        }
        let names = ["deadlocks only", "level", "queue", "stack", "completion", "strict"];
        let sums: Vec<_> = names.iter().zip(reduced).map(|(name, n)| format!("{name} {n}")).collect();
        println!("{compared} programs, {failed} failed; states: all moves {full}, {}", sums.join(", "));
        failed == 0
    }))
}

/// Facts and sets of models, looked at in many states; true when nothing is wrong.
pub(crate) fn check(args: &Check) -> anyhow::Result<bool> {
    let mut good = true;
    for path in &args.models {
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        let name = path.to_string_lossy();
        let answer = por::check(&name, &text, args.states, &|model, failures| reduction(model, keep(failures)).ok());
        good &= answer.is_ok();
        println!("{name}: {}", answer.unwrap_or_else(|why| format!("WRONG: {why}")));
    }
    Ok(good)
}

/// States of reduced searches beside those of SPIN, as a table; true when none is larger.
pub(crate) fn table(root: &Path) -> anyhow::Result<bool> {
    let recorded = std::fs::read_to_string(root.join("docs/reduction-spin.tsv"))?;
    println!("| model | all moves | deadlocks | by levels | depth first | strict | SPIN, all | SPIN | ratio |");
    println!("|---|---|---|---|---|---|---|---|---|");
    let (mut worse, mut logs, mut count) = (0, 0.0, 0);
    for line in recorded.lines().filter(|l| !l.starts_with('#')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [path, spin_full, spin] = fields[..] else { anyhow::bail!("three columns: {line}") };
        let text = std::fs::read_to_string(root.join(path)).with_context(|| path.to_string())?;
        let make = &|model: &_, failures| reduction(model, keep(failures)).ok();
        let sizes = por::sizes(path, &text, 400_000, make).map_err(anyhow::Error::msg)?;
        let Some(depth) = sizes[3] else { continue };
        let shown: Vec<String> = sizes.iter().map(|n| n.map_or("-".into(), |n| n.to_string())).collect();
        let ratio = depth as f64 / spin.parse::<f64>()?;
        worse += usize::from(ratio > 1.0);
        if spin_full != spin {
            logs += ratio.ln();
            count += 1;
        }
        let name = path.trim_start_matches("crates/ferrospin/tests/data/").trim_end_matches(".pml");
        println!("| {name} | {} | {spin_full} | {spin} | {ratio:.2} |", shown.join(" | "));
    }
    let mean = (logs / f64::from(count.max(1))).exp();
    println!(
        "\nLarger than SPIN's on {worse}. Where SPIN reduces at all ({count} models), the geometric mean is {mean:.2}."
    );
    Ok(worse == 0)
}
