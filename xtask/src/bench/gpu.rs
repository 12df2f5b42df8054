//! `bench gpu`: searches of a folder of models on a graphics processor, as a table.
//!
//! Each model (`*.pml`, `*.pm`, `*.prom`) is searched some times by the program's own command; the counts of all runs must be the
//! same. *First* is the whole process in the first run, in which the driver may have to translate, *again* the best of the others.
//! User times of `pan` come from a file with lines `NAME SECONDS`, measured wherever SPIN and a C compiler are.

use super::runs::{self, timed};
use anyhow::{Context, bail, ensure};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// What to measure.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The folder of the models
    folder: PathBuf,
    /// Only these instances, by a part of their names
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Runs of each model
    #[arg(long, value_name = "N", default_value_t = 3)]
    runs: u32,
    /// User times of `pan`, a line `NAME SECONDS` for each
    #[arg(long, value_name = "FILE")]
    pan: Option<PathBuf>,
    /// The program, unless it is that of the release build
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

/// What one run has said.
struct Measured {
    counts: (u64, u64, u64, u64),
    search_ms: f64,
    whole_s: f64,
    making_s: f64,
    translating_s: f64,
    bits: u64,
    table: String,
    load: f64,
    device: String,
}

fn run_once(root: &Path, args: &Args, model: &Path) -> anyhow::Result<Measured> {
    let mut command = match &args.program {
        Some(program) => std::process::Command::new(program),
        None => runs::ferrospin(root),
    };
    // All moves of all states: counts of a reduced search depend on timing.
    command.args([
        "check",
        "--safety",
        "--engine",
        "gpu",
        "--no-optimize",
        "--por",
        "off",
        "--max-errors",
        "0",
        "--no-trail",
    ]);
    let ran = timed(command.args(["--format", "json"]).arg(model))?;
    let report: serde_json::Value = serde_json::from_str(&ran.said).with_context(|| ran.said.clone())?;
    let p = &report["properties"][0];
    let gpu = &p["gpu"];
    if gpu.is_null() {
        bail!("{}", p["notes"][0].as_str().unwrap_or("it was not searched on a graphics processor"));
    }
    let count = |name: &str| p[name].as_u64().unwrap_or(0);
    let number = |name: &str| gpu[name].as_f64().unwrap_or(0.0);
    Ok(Measured {
        counts: (count("states"), count("transitions"), count("depth"), count("errors")),
        search_ms: number("search_s") * 1e3,
        whole_s: ran.wall,
        making_s: number("making_s"),
        translating_s: number("translating_s"),
        bits: gpu["state_bits"].as_u64().unwrap_or(0),
        table: p["store"].as_str().unwrap_or("").to_string(),
        load: number("load"),
        device: gpu["device"].as_str().unwrap_or("").to_string(),
    })
}

/// Measures, and prints the table. False when a model was not searched on the processor.
pub(crate) fn run(root: &Path, args: &Args) -> anyhow::Result<bool> {
    ensure!(args.runs > 0, "one run at least");
    let pan = match &args.pan {
        None => HashMap::new(),
        Some(path) => pan_times(&std::fs::read_to_string(path)?),
    };
    let mut models: Vec<PathBuf> =
        std::fs::read_dir(&args.folder)?.map(|e| Ok(e?.path())).collect::<anyhow::Result<_>>()?;
    models.retain(|m| m.extension().is_some_and(|e| ["pml", "pm", "prom"].iter().any(|x| e == *x)));
    models.sort();
    println!(
        "| model | states | transitions | depth | bits, table | load | search ms | M states/s | pan s | ratio | making, translating s | whole s, first / again |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    let (mut device, mut passed) = (String::new(), true);
    for model in models {
        let name = model.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if !args.only.is_empty() && !args.only.iter().any(|o| name.contains(o.as_str())) {
            continue;
        }
        let all: anyhow::Result<Vec<Measured>> = (0..args.runs).map(|_| run_once(root, args, &model)).collect();
        match all {
            Err(why) => {
                passed = false;
                println!("| {name} | {why} |");
            }
            Ok(all) => {
                ensure!(all.iter().all(|r| r.counts == all[0].counts), "{name}: the counts of the runs differ");
                device.clone_from(&all[0].device);
                println!("{}", row(&name, &all, pan.get(&name).copied()));
            }
        }
    }
    println!("\n{device}, {} runs each", args.runs);
    Ok(passed)
}

fn row(name: &str, all: &[Measured], pan: Option<f64>) -> String {
    let least = |f: &dyn Fn(&Measured) -> f64| all.iter().map(f).fold(f64::INFINITY, f64::min);
    let (first, (states, transitions, depth, _)) = (&all[0], all[0].counts);
    let search = least(&|r| r.search_ms);
    let again = all.iter().skip(1).map(|r| r.whole_s).fold(f64::INFINITY, f64::min);
    let again = if again.is_finite() { format!("{again:.2}") } else { "-".into() };
    let (seconds, ratio) = match pan {
        Some(s) => (format!("{s:.1}"), format!("{:.0}", s * 1e3 / search)),
        None => (String::new(), String::new()),
    };
    format!(
        "| {name} | {states} | {transitions} | {depth} | {}, {} | {:.2} | {search:.1} | {:.0} | {seconds} | {ratio} | {:.2}, {:.2} | {:.2} / {again} |",
        first.bits,
        first.table,
        first.load,
        states as f64 / search / 1e3,
        first.making_s,
        first.translating_s,
        first.whole_s,
    )
}

fn pan_times(text: &str) -> HashMap<String, f64> {
    let line = |l: &str| {
        let (name, seconds) = l.split_once(' ')?;
        Some((name.to_string(), seconds.trim().parse().ok()?))
    };
    text.lines().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_the_best_search_and_the_ratio() {
        let run = |search_ms: f64, whole_s: f64| Measured {
            counts: (2_000_000, 5_000_000, 30, 0),
            search_ms,
            whole_s,
            making_s: 0.1,
            translating_s: 0.1,
            bits: 50,
            table: "direct-64".into(),
            load: 0.25,
            device: "a device".into(),
        };
        let pan = pan_times("m.1 20\nbroken\n");
        assert_eq!(
            row("m.1", &[run(2.0, 0.9), run(1.0, 0.4)], pan.get("m.1").copied()),
            "| m.1 | 2000000 | 5000000 | 30 | 50, direct-64 | 0.25 | 1.0 | 2000 | 20.0 | 20000 | 0.10, 0.10 | 0.90 / 0.40 |"
        );
    }
}
