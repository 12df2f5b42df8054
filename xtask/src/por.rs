//! `fuzz-por`, `por-check`, `por-table`: partial-order reduction under test, and what it gains.
//!
//! All of them use the naive searches of `ferrospin-testkit`, over the interpreter; a program that fails is shrunk and
//! printed. The table puts the states of reduced searches beside those that SPIN stored, which are recorded in
//! `docs/reduction-spin.tsv`, so that no SPIN is needed.

use crate::seeds::Seeds;
use anyhow::Context;
use ferrospin::reduction::{Keep, Known, Selector, reduction, reduction_up_to_births, selected};
use ferrospin::stack::with_big_stack;
use ferrospin_model::ir::Model;
use ferrospin_system::Reduction;
use ferrospin_testkit::generate::{Sample, generate, shrink};
use ferrospin_testkit::por;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Options of `fuzz-por`.
#[derive(clap::Args)]
pub(crate) struct Fuzz {
    #[command(flatten)]
    seeds: Seeds,
    /// Leave out programs with more states than this
    #[arg(long, value_name = "N", default_value_t = 3_000)]
    states: usize,
    /// Ample sets instead of stubborn ones
    #[arg(long)]
    ample: bool,
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

/// The reduction that searches for safety use.
fn alike(model: &Arc<Model>, failures: bool) -> Option<Box<dyn Reduction>> {
    reduction_up_to_births(model, keep(failures)).ok().map(|(reduction, _)| reduction)
}

fn keep(failures: bool) -> Keep {
    if failures { Keep::Failures } else { Keep::Deadlocks }
}

/// Random programs with and without reduction; true when all agree.
pub(crate) fn fuzz(args: &Fuzz) -> anyhow::Result<bool> {
    let judge = |text: &str| {
        let selector = if args.ample { Selector::Ample } else { Selector::Stubborn };
        let exact = |model: &_, failures| selected(model, keep(failures), selector).ok();
        let alike = |model: &_, failures| Some(Known::up_to_creation(model).ok()?.reduction(keep(failures), selector));
        por::judge(text, args.states, &exact, &alike)
    };
    Ok(with_big_stack(|| {
        let (mut failed, mut compared, mut full, mut reduced) = (0, 0, 0, [0; 6]);
        for seed in args.seeds.all() {
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

/// Options of `por-table`.
#[derive(clap::Args)]
pub(crate) struct Table {
    /// The folder of the examples that come with SPIN; without it they are left out
    #[arg(long, value_name = "DIR")]
    examples: Option<PathBuf>,
    /// Only models with this in their path
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Leave out searches of more states than this
    #[arg(long, value_name = "N", default_value_t = 400_000)]
    states: usize,
}

/// States of reduced searches beside those of SPIN, as tables; true when none is larger.
pub(crate) fn table(root: &Path, args: &Table) -> anyhow::Result<bool> {
    let mut good = part(root, &root.join("docs/reduction-spin.tsv"), args)?;
    if let Some(folder) = &args.examples {
        println!();
        good &= part(folder, &root.join("docs/reduction-spin-examples.tsv"), args)?;
    }
    Ok(good)
}

/// The table of the models named in one file of recorded counts.
fn part(folder: &Path, recorded: &Path, args: &Table) -> anyhow::Result<bool> {
    println!("| model | all moves | deadlocks | by levels | depth first | strict | SPIN, all | SPIN | ratio |");
    println!("|---|---|---|---|---|---|---|---|---|");
    let (mut larger, mut logs, mut count) = (Vec::new(), 0.0, 0);
    for line in std::fs::read_to_string(recorded)?.lines().filter(|l| !l.starts_with('#')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [path, spin_full, spin] = fields[..] else { anyhow::bail!("three columns: {line}") };
        if !args.only.is_empty() && !args.only.iter().any(|name| path.contains(name)) {
            continue;
        }
        let name = path.trim_start_matches("crates/ferrospin/tests/data/").trim_end_matches(".pml");
        let text = std::fs::read(folder.join(path)).with_context(|| path.to_string())?;
        let text = String::from_utf8_lossy(&text);
        let full_path = folder.join(path);
        let sizes = with_big_stack(|| por::sizes(&full_path.to_string_lossy(), &text, args.states, &alike));
        let sizes = match sizes {
            Ok(sizes) => sizes,
            Err(why) => {
                println!("| {name} | {} |", why.lines().next().unwrap_or_default());
                continue;
            }
        };
        let shown: Vec<String> = sizes.iter().map(|n| n.map_or("-".into(), |n| n.to_string())).collect();
        // Where there is no reduction at all the search takes all moves.
        let ratio = sizes[3].or(sizes[0]).map(|n| n as f64 / spin.parse::<f64>().unwrap_or(f64::NAN));
        if let Some(ratio) = ratio {
            if ratio > 1.0 {
                larger.push(format!("{name} ({} against {spin})", sizes[3].or(sizes[0]).unwrap_or(0)));
            }
            if spin_full != spin {
                logs += ratio.ln();
                count += 1;
            }
        }
        let ratio = ratio.map_or("-".into(), |r| format!("{r:.2}"));
        println!("| {name} | {} | {spin_full} | {spin} | {ratio} |", shown.join(" | "));
    }
    let mean = (logs / f64::from(count.max(1))).exp();
    let told = if larger.is_empty() { "none".into() } else { larger.join(", ") };
    println!(
        "\nLarger than SPIN's: {told}. Where SPIN reduces at all ({count} models), the geometric mean is {mean:.2}."
    );
    Ok(larger.is_empty())
}
