//! `bench workers`: what sharing the work costs, and what it gains.

use super::runs::{self, Timed, timed, write_section};
use anyhow::ensure;
use std::fmt::Write as _;
use std::path::Path;

/// Large enough that starting threads does not count.
const INSTANCES: &[(&str, &[&str])] =
    &[("mcs", &["-DN=5"]), ("peterson_filter", &["-DN=4"]), ("readers_writers", &["-DR=6", "-DW=3"])];
const WORKERS: [u32; 3] = [1, 2, 4];

/// Measures; prints the table, and writes it if asked to.
pub(crate) fn run(root: &Path, args: &runs::Args) -> anyhow::Result<bool> {
    let mut text = String::from(
        "`cargo run --release -p xtask -- bench workers --write`: best of the runs, in turn, `--plain`.\n\n",
    );
    text += "| instance | workers | user s | system s | wall s | user and system, against one | wall, against one |\n";
    text += "|---|---:|---:|---:|---:|---:|---:|\n";
    let mut passed = true;
    for (name, defines) in INSTANCES.iter().filter(|(name, _)| args.wants(name)) {
        let model = root.join(format!("models/{name}.pml"));
        let mut best: [Option<Timed>; 3] = [None, None, None];
        for _ in 0..args.runs {
            for (workers, best) in WORKERS.iter().zip(&mut best) {
                let mut command = runs::ferrospin(root);
                command.args(["check", "--plain", "--safety", "--no-trail", "--threads", &workers.to_string()]);
                let run = timed(command.args(*defines).arg(&model))?;
                ensure!(run.said.contains("holds"), "{name}: {}", run.said);
                let all = |t: &Timed| t.user + t.system;
                if best.as_ref().is_none_or(|old| all(&run) < all(old)) {
                    *best = Some(run);
                }
            }
        }
        let [Some(one), ..] = &best else { continue };
        for (workers, run) in WORKERS.iter().zip(&best) {
            let Some(run) = run else { continue };
            let (cost, gain) = ((run.user + run.system) / (one.user + one.system), run.wall / one.wall);
            passed &= cost <= 1.2;
            let instance = format!("{name} {}", defines.join(" "));
            let times = format!("{:.2} | {:.2} | {:.2} | {cost:.2} | {gain:.2}", run.user, run.system, run.wall);
            let line = format!("| {instance} | {workers} | {times} |");
            println!("{line}");
            writeln!(text, "{line}")?;
        }
    }
    text += "\nWanted: at most 1.2 times the time of one worker in all; two workers on two idle cores take at most 0.6 of the wall time.";
    if args.write {
        write_section(root, super::spin::TITLE, "### Workers", &text)?;
    }
    Ok(passed)
}
