//! `bench probes`: what the depth-first probes beside a breadth-first search cost where there is nothing to find.

use super::runs::{self, Ratios, timed, write_section};
use crate::instances::variants;
use ferrospin_testkit::expectations;
use std::fmt::Write as _;
use std::path::Path;

/// Shorter runs are summed up: their times are too small for a ratio.
const SECONDS_MIN: f64 = 0.1;
/// One worker, and not for long.
const LIMITS: [&str; 4] = ["--threads", "1", "--time-limit", "20s"];
/// What may be lost.
const COST_MAX: f64 = 1.05;

/// Measures all instances of the models with and without probes; prints the table, and writes it if asked to.
pub(crate) fn run(root: &Path, args: &runs::Args) -> anyhow::Result<bool> {
    let mut text = String::from(
        "`cargo run --release -p xtask -- bench probes --write`: user and system seconds, best of the runs in turn, one worker; without \
         probes is `--search bfs`.\n\n| instance | verdict | without | with | ratio |\n|---|---|---:|---:|---:|\n",
    );
    let mut ratios = Ratios::new();
    let (mut short, mut count) = ([0.0; 2], 0);
    for model in expectations::models(&root.join("models"))? {
        let name = model.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        for defines in variants(&model).into_iter().filter(|_| args.wants(&name)) {
            let mut best = [f64::INFINITY; 2];
            let mut verdict = String::new();
            for _ in 0..args.runs {
                for (options, best) in [&["--search", "bfs"][..], &[]].iter().zip(&mut best) {
                    let mut command = runs::ferrospin(root);
                    command.args(["check", "--safety", "--no-trail", "--quiet"]).args(LIMITS);
                    let run = timed(command.args(*options).args(&defines).arg(&model))?;
                    verdict = run.said.split_whitespace().nth(1).unwrap_or_default().to_string();
                    *best = best.min(run.user + run.system);
                }
            }
            // What runs into the limit takes as long with probes as without.
            if verdict == "undecided" {
                continue;
            }
            let [without, with] = best;
            if without < SECONDS_MIN {
                short = [short[0] + without, short[1] + with];
                count += 1;
                continue;
            }
            ratios.add(with / without);
            let instance = format!("{name} {}", defines.join(" "));
            let line = format!("| {instance} | {verdict} | {without:.2} | {with:.2} | {:.3} |", with / without);
            println!("{line}");
            writeln!(text, "{line}")?;
        }
    }
    let [without, with] = short;
    writeln!(text, "| {count} shorter ones together | | {without:.2} | {with:.2} | {:.3} |", with / without.max(0.01))?;
    writeln!(text, "\nGeometric mean of the ratios: {:.3} (wanted: at most {COST_MAX}).", ratios.mean())?;
    println!("{count} shorter ones: {without:.2} {with:.2}; mean of the others {:.3}", ratios.mean());
    if args.write {
        write_section(root, super::spin::TITLE, "### Probes", &text)?;
    }
    Ok(ratios.mean() <= COST_MAX)
}
