//! `bench beem`: public models that were not written here, against SPIN's compiled verifier, side by side.
//!
//! The folder holds Promela models of the BEEM collection (Pelánek, "BEEM: benchmarks for explicit model checkers", 2007), which
//! the reader fetches. For each way both programs run in turn, with one worker, on the same model; user and system time
//! together of the best run of each count. The verifier is compiled with gcc -O3 and runs with a stack that is
//! just deep enough, which a first run has found out, and a table of a fitting size. Where states or transitions
//! differ, the line says so, and does not count. A run that is beyond the limits of size or time is left out, and named.

use super::runs::{Ratios, Timed, ferrospin, timed};
use crate::temp::TempDir;
use anyhow::{Context, ensure};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What to measure.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folder of models
    #[arg(value_name = "DIR")]
    models: PathBuf,
    /// Only models whose names begin so
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// How states are searched and kept, in both programs
    #[arg(long, value_enum, default_value_t = Way::Exact)]
    way: Way,
    /// Runs of each program
    #[arg(long, value_name = "N", default_value_t = 1)]
    runs: u32,
    /// Least and most states of a model, in thousands
    #[arg(long, value_name = "N", default_value_t = 500)]
    least: u64,
    /// See --least
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    most: u64,
    /// Only our own program
    #[arg(long)]
    alone: bool,
    /// Write the results into this file
    #[arg(long, value_name = "FILE")]
    tsv: Option<PathBuf>,
}

/// A way of searching, in both programs.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Way {
    /// All moves, every state in full
    Exact,
    /// With the reduction
    Default,
    /// All moves, compressed states
    Tree,
    /// All moves, a filter of bits
    Bitstate,
    /// All moves, fingerprints
    HashCompact,
}

impl Way {
    fn ours(self) -> &'static [&'static str] {
        match self {
            Way::Exact => &["--plain"],
            Way::Default => &["--store", "exact"],
            Way::Tree => &["--por", "off", "--no-optimize", "--store", "tree"],
            Way::Bitstate => &["--por", "off", "--no-optimize", "--store", "bitstate"],
            Way::HashCompact => &["--por", "off", "--no-optimize", "--store", "hash-compact"],
        }
    }

    /// Options of `spin`, and of the compiler.
    fn pan(self) -> (&'static [&'static str], &'static [&'static str]) {
        const PLAIN: &[&str] = &["-o1", "-o2", "-o3"];
        match self {
            Way::Exact => (PLAIN, &["-DNOREDUCE"]),
            Way::Default => (&[], &[]),
            Way::Tree => (PLAIN, &["-DNOREDUCE", "-DCOLLAPSE"]),
            Way::Bitstate => (PLAIN, &["-DNOREDUCE", "-DBITSTATE"]),
            Way::HashCompact => (PLAIN, &["-DNOREDUCE", "-DHC4"]),
        }
    }

    /// Whether both programs find the same states.
    fn is_equal(self) -> bool {
        matches!(self, Way::Exact | Way::Tree)
    }
}

/// What a run has found and taken.
#[derive(Clone, Copy, Default)]
struct Measured {
    states: u64,
    transitions: u64,
    depth: u64,
    user_s: f64,
    system_s: f64,
    bytes_per_state: f64,
    peak_mib: f64,
}

impl Measured {
    fn total_s(&self) -> f64 {
        self.user_s + self.system_s
    }
}

fn ours(root: &Path, model: &Path, args: &Args) -> anyhow::Result<Option<Measured>> {
    let mut command = ferrospin(root);
    command.args(["check", "--safety", "--max-errors", "0", "--threads", "1", "--format", "json", "--no-trail"]);
    command.args(["--time-limit", "60s"]).args(args.way.ours());
    let expected = if matches!(args.way, Way::Bitstate | Way::HashCompact) { Some("--memory-limit=1G") } else { None };
    let Timed { user: user_s, system: system_s, said, .. } = timed(command.args(expected).arg(model))?;
    let number = |name: &str| {
        let rest = said.split(&format!("\"{name}\":")).nth(1)?;
        rest.split([',', '}', '\n']).next()?.trim().parse::<f64>().ok()
    };
    if !said.contains("\"complete\": true") {
        return Ok(None);
    }
    let states = number("states").with_context(|| format!("no states in the report of {}: {said}", model.display()))?;
    Ok(Some(Measured {
        states: states as u64,
        transitions: number("transitions").unwrap_or(0.0) as u64,
        depth: number("depth").unwrap_or(0.0) as u64,
        user_s,
        system_s,
        bytes_per_state: number("store_bytes_per_state").unwrap_or(f64::NAN),
        peak_mib: number("memory_bytes").unwrap_or(0.0) / f64::from(1 << 20),
    }))
}

/// SPIN's verifier of a model.
struct Pan {
    folder: TempDir,
    way: Way,
    slots: String,
    depth: u64,
}

impl Pan {
    fn new(model: &Path, way: Way, states: u64) -> anyhow::Result<Pan> {
        let folder = TempDir::new()?;
        let (spin, cc) = way.pan();
        let said = Command::new("spin").arg("-a").args(spin).arg(model).current_dir(folder.path()).output()?;
        ensure!(folder.path().join("pan.c").exists(), "spin: {}", String::from_utf8_lossy(&said.stdout));
        let common = ["-O3", "-w", "-DSAFETY", "-DNOCLAIM", "-DVECTORSZ=4096", "-o", "pan", "pan.c"];
        let status = Command::new("gcc").args(common).args(cc).current_dir(folder.path()).status()?;
        ensure!(status.success(), "gcc cannot compile the verifier of {}", model.display());
        let slots = if way == Way::Bitstate { 32 } else { 64 - states.leading_zeros() };
        let mut pan = Pan { folder, way, slots: format!("-w{slots}"), depth: 20_000_000 };
        pan.depth = pan.run()?.depth + 1000;
        Ok(pan)
    }

    fn run(&self) -> anyhow::Result<Measured> {
        let mut command = Command::new("./pan");
        command.args(["-n", "-c0", &format!("-m{}", self.depth), &self.slots]);
        if self.way == Way::Bitstate {
            command.arg("-k3");
        }
        let Timed { user, system, said, .. } = timed(command.current_dir(self.folder.path()))?;
        let number = |behind: &str| {
            let line = said.lines().find_map(|l| l.split(behind).next().filter(|first| first.len() < l.len()))?;
            line.rsplit([' ', ',']).find(|word| !word.is_empty())?.parse::<f64>().ok()
        };
        let depth = said.split("depth reached ").nth(1).and_then(|rest| rest.split(',').next()?.parse().ok());
        Ok(Measured {
            states: number(" states, stored").with_context(|| format!("no states in the report of pan: {said}"))?
                as u64,
            transitions: number(" transitions (").unwrap_or(0.0) as u64,
            depth: depth.unwrap_or(0),
            user_s: user,
            system_s: system,
            ..Measured::default()
        })
    }
}

fn best(of: &[Measured]) -> Measured {
    of.iter().copied().min_by(|a, b| a.total_s().total_cmp(&b.total_s())).unwrap_or_default()
}

/// Whether the text of a model has channels that it uses.
fn has_channels(model: &Path) -> anyhow::Result<bool> {
    let text = std::fs::read_to_string(model)?;
    Ok(text.lines().any(|line| line.trim_start().starts_with("chan ")))
}

/// Measures; prints the table as it goes, and writes it where that is asked for.
pub(crate) fn run(root: &Path, args: &Args) -> anyhow::Result<bool> {
    let mut models: Vec<PathBuf> = std::fs::read_dir(&args.models)?.flatten().map(|entry| entry.path()).collect();
    models.retain(|path| path.extension().is_some_and(|e| e == "pm" || e == "pml"));
    models.sort();
    let columns = [
        "model",
        "channels",
        "states",
        "transitions",
        "pan's states",
        "pan s",
        "pan system s",
        "s",
        "system s",
        "times faster",
        "bytes a state",
        "peak MiB",
    ];
    let mut text = columns.join("\t") + "\n";
    print!("{text}");
    let (mut all, mut with, mut differing) = (Ratios::new(), Ratios::new(), 0);
    for model in &models {
        let name = model.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if !args.only.is_empty() && !args.only.iter().any(|only| name.starts_with(only.as_str())) {
            continue;
        }
        let model = model.canonicalize()?;
        let Some(first) = ours(root, &model, args)? else {
            eprintln!("{name}: not complete within the limits");
            continue;
        };
        if first.states < args.least * 1000 || first.states > args.most * 1000 {
            continue;
        }
        let (mut a, mut b) = (vec![first], Vec::new());
        let pan = if args.alone { None } else { Some(Pan::new(&model, args.way, first.states)?) };
        for run in 0..args.runs {
            if run > 0 {
                a.extend(ours(root, &model, args)?);
            }
            b.extend(pan.as_ref().map(Pan::run).transpose()?);
        }
        let (a, b) = (best(&a), best(&b));
        let channels = has_channels(&model)?;
        let ratio = b.total_s() / a.total_s();
        // The verifier counts states at the beginning that are none of the model's, a handful at most.
        let close = |a: u64, b: u64| a.abs_diff(b) <= 8;
        let equal = !args.way.is_equal() || (close(a.states, b.states) && close(a.transitions, b.transitions));
        let mut line = format!(
            "{name}\t{}\t{}\t{}\t{}\t{:.2}\t{:.2}\t{:.2}\t{:.2}\t{ratio:.2}\t{:.1}\t{:.0}",
            if channels { "yes" } else { "no" },
            a.states,
            a.transitions,
            b.states,
            b.user_s,
            b.system_s,
            a.user_s,
            a.system_s,
            a.bytes_per_state,
            a.peak_mib
        );
        if !args.alone && !equal {
            differing += 1;
            write!(line, "\tcounts differ: pan has {} transitions", b.transitions)?;
        } else if !args.alone {
            all.add(ratio);
            if channels {
                with.add(ratio);
            }
        }
        println!("{line}");
        text += &line;
        text.push('\n');
    }
    println!(
        "geometric mean {:.2}, least {:.2}; with channels {:.2}, least {:.2}; counts differ in {differing}",
        all.mean(),
        all.least,
        with.mean(),
        with.least
    );
    if let Some(file) = &args.tsv {
        std::fs::write(file, text)?;
    }
    Ok(differing == 0)
}
