//! `por-instances`: what real reduced searches store of larger instances, beside what SPIN stores.
//!
//! Where `por-table` takes naive searches and small models, these are the searches that people run, which give up a
//! reduction that is not worth it. SPIN's counts are recorded in `docs/reduction-spin-instances.tsv`, so that no SPIN is
//! needed.

use crate::bench::reduced::ours;
use std::path::Path;

/// Options of `por-instances`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only models with this in their names
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Leave out instances with more states than this, without reduction and merging
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    states: u64,
}

/// Prints the table; true when no search stores more than SPIN.
pub(crate) fn run(root: &Path, args: &Args) -> anyhow::Result<bool> {
    println!("| instance | all states | SPIN | by levels | depth first | ratio |\n|---|---:|---:|---:|---:|---:|");
    let (mut larger, mut logarithms, mut count) = (Vec::new(), 0.0, 0u32);
    let recorded = std::fs::read_to_string(root.join("docs/reduction-spin-instances.tsv"))?;
    for line in recorded.lines().filter(|l| !l.starts_with('#')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [name, defines, all, spin] = fields[..] else { anyhow::bail!("four columns: {line}") };
        let (all, spin): (u64, f64) = (all.parse()?, spin.parse()?);
        if all > args.states || !args.only.is_empty() && !args.only.iter().any(|o| name.contains(o.as_str())) {
            continue;
        }
        let model = root.join(format!("models/{name}.pml"));
        let flags: Vec<&str> = defines.split(' ').filter(|d| *d != "-").collect();
        let instance = [&[name], &flags[..]].concat().join(" ");
        let stored = |search| ours(root, &model, &flags, "on", search).map(|found| found.states);
        let (levels, depth) = (stored("bfs")?, stored("dfs")?);
        // The default search is the one by levels.
        let ratio = levels / spin;
        if levels.max(depth) > spin {
            larger.push(format!("{instance} ({levels} and {depth} against {spin})"));
        }
        logarithms += ratio.ln();
        count += 1;
        println!("| {instance} | {all} | {spin} | {levels} | {depth} | {ratio:.2} |");
    }
    let mean = (logarithms / f64::from(count.max(1))).exp();
    let told = if larger.is_empty() { "none".into() } else { larger.join(", ") };
    println!("\nLarger than SPIN's: {told}. The geometric mean of {count} instances is {mean:.2}.");
    Ok(larger.is_empty())
}
