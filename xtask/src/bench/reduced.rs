//! `bench por`: what partial-order reduction costs, and reduced searches against SPIN's.
//!
//! For each instance a search that takes all moves, a reduced one, and SPIN's verifier with its reduction run in turn; of
//! each the best user time counts. The first ratio is time for each explored transition (new and met, as SPIN counts them),
//! reduced against all moves in the same order; the second is whole searches, SPIN's against ours. One worker, exact
//! store, both sides with their statement merging and resetting.

use super::runs::{self, Timed, timed};
use crate::temp::TempDir;
use anyhow::{Context, ensure};
use std::path::Path;
use std::process::Command;

/// One instance of each model, of more than a million reduced states.
const INSTANCES: &[(&str, &[&str])] = &[
    ("bakery", &["-DN=3", "-DMAX=40"]),
    ("barrier", &["-DN=6"]),
    ("fischer", &["-DN=8"]),
    ("go_back_n", &["-DW=6", "-DSLOTS=6"]),
    ("gossip", &["-DN=6"]),
    ("mesi", &["-DN=6"]),
    ("philosophers", &["-DN=8", "-DWAITER"]),
    ("readers_writers", &["-DR=7", "-DW=2"]),
    ("ricart_agrawala", &["-DN=3", "-DROUNDS=3"]),
    ("sliding_tiles", &["-DCOLS=5"]),
    ("sliding_window", &["-DW=3", "-DSLOTS=3"]),
    ("snapshot", &["-DN=3", "-DTRANSFERS=3"]),
    ("ticket_lock", &["-DN=8"]),
];

/// What to measure.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only these instances, by a part of their names
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Runs of each program
    #[arg(long, value_name = "N", default_value_t = 3)]
    runs: u32,
}

#[derive(Clone, Copy)]
pub(crate) struct Measured {
    user_s: f64,
    pub(crate) states: f64,
    transitions: f64,
}

impl Measured {
    /// Nanoseconds for each explored transition.
    fn each(&self) -> f64 {
        self.user_s * 1e9 / self.transitions
    }
}

/// A search of our own, with one worker.
pub(crate) fn ours(root: &Path, model: &Path, defines: &[&str], por: &str, search: &str) -> anyhow::Result<Measured> {
    let mut command = runs::ferrospin(root);
    command.args(["check", "--safety", "--threads", "1", "--format", "json", "--no-trail", "--store", "exact"]);
    command.args(["--por", por, "--search", search]).args(defines).arg(model);
    let Timed { user: user_s, said, .. } = timed(&mut command)?;
    let number = |name: &str| {
        let rest = said.split(&format!("\"{name}\":")).nth(1)?;
        rest.split([',', '}', '\n']).next()?.trim().parse::<f64>().ok()
    };
    let missing = || format!("no counts in the report of {}: {said}", model.display());
    let states = number("states").with_context(missing)?;
    Ok(Measured { user_s, states, transitions: number("transitions").with_context(missing)? })
}

fn theirs(folder: &Path, states: f64) -> anyhow::Result<Measured> {
    let slots = format!("-w{}", 64 - (states as u64).leading_zeros());
    let mut command = Command::new("./pan");
    command.args(["-n", "-c0", "-m50000000", &slots]).current_dir(folder);
    let Timed { user: user_s, said, .. } = timed(&mut command)?;
    let number = |name: &str| {
        let line = said.lines().find_map(|l| l.split(name).next().filter(|first| first.len() < l.len()))?;
        line.trim().parse::<f64>().ok()
    };
    let missing = || format!("no counts in the report of pan: {said}");
    let states = number(" states, stored").with_context(missing)?;
    Ok(Measured { user_s, states, transitions: number(" transitions (").with_context(missing)? })
}

fn best(runs: u32, run: &dyn Fn() -> anyhow::Result<Measured>) -> anyhow::Result<Measured> {
    let all = (0..runs.max(1)).map(|_| run()).collect::<anyhow::Result<Vec<_>>>()?;
    Ok(all.into_iter().min_by(|a, b| a.user_s.total_cmp(&b.user_s)).expect("at least one run"))
}

/// Measures and prints the table; true when both aims are reached.
pub(crate) fn run(root: &Path, args: &Args) -> anyhow::Result<bool> {
    println!(
        "| instance | search | all moves: states | ns a transition | reduced: states | transitions | ns a transition | \
         dearer | SPIN: states | SPIN user s | user s | times faster |"
    );
    println!("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    let (mut dearer, mut faster) = ([0.0; 2], [0.0; 2]);
    let mut count = 0.0;
    for (name, defines) in INSTANCES {
        if !args.only.is_empty() && !args.only.iter().any(|o| name.contains(o.as_str())) {
            continue;
        }
        let model = root.join(format!("models/{name}.pml")).canonicalize()?;
        let dir = TempDir::new()?;
        let said = Command::new("spin").arg("-a").args(*defines).arg(&model).current_dir(dir.path()).output()?;
        ensure!(dir.path().join("pan.c").exists(), "spin: {}", String::from_utf8_lossy(&said.stdout));
        let cc = ["-O2", "-w", "-DSAFETY", "-DNOCLAIM", "-DVECTORSZ=4096", "-o", "pan", "pan.c"];
        let status = Command::new("gcc").args(cc).current_dir(dir.path()).status()?;
        ensure!(status.success(), "gcc cannot compile the verifier of {}", model.display());
        let mut pan = None;
        count += 1.0;
        for (i, search) in ["bfs", "dfs"].into_iter().enumerate() {
            let all = best(args.runs, &|| ours(root, &model, defines, "off", search))?;
            let reduced = best(args.runs, &|| ours(root, &model, defines, "on", search))?;
            let spin = match pan {
                Some(spin) => spin,
                None => best(args.runs, &|| theirs(dir.path(), all.states))?,
            };
            pan = Some(spin);
            let (cost, gain) = (reduced.each() / all.each(), spin.user_s / reduced.user_s);
            dearer[i] += cost.ln();
            faster[i] += gain.ln();
            println!(
                "| {name} {} | {search} | {} | {:.0} | {} | {} | {:.0} | {cost:.2} | {} | {:.2} | {:.2} | {gain:.1} |",
                defines.join(" "),
                all.states,
                all.each(),
                reduced.states,
                reduced.transitions,
                reduced.each(),
                spin.states,
                spin.user_s,
                reduced.user_s,
            );
        }
    }
    let mean = |logarithms: f64| (logarithms / count).exp();
    println!(
        "\nGeometric means: breadth first {:.2} times dearer and {:.1} times faster than SPIN, depth first {:.2} and {:.1}.",
        mean(dearer[0]),
        mean(faster[0]),
        mean(dearer[1]),
        mean(faster[1]),
    );
    Ok(dearer.iter().all(|d| mean(*d) <= 1.5) && faster.iter().all(|f| mean(*f) >= 4.0))
}
