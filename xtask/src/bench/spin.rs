//! `bench spin`: safety against SPIN's compiled verifier, side by side in one run.
//!
//! For each instance and each way of keeping states both programs run in turn, three times each; the best user time of
//! each counts. SPIN's verifier is compiled with gcc -O2 for the job at hand, with a hash table of a fitting size and no
//! partial-order reduction; Ferrospin runs with one worker and `--plain`. State counts are shown beside, so that no reader
//! compares different work. Ratios mean something on a busy machine, times do not.

use super::runs::{self, Ratios, Timed, timed, write_section};
use crate::temp::TempDir;
use anyhow::{Context, ensure};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

/// Definitions that make an instance of a model.
type Defines = &'static [&'static str];

/// Models of different kinds, with instances between one and twenty million states: for each a large one, and a smaller one
/// where there is one above a million.
const INSTANCES: &[(&str, Defines, Option<Defines>)] = &[
    ("anderson", &["-DN=6"], None),
    ("bakery", &["-DN=3", "-DMAX=24"], Some(&["-DN=3", "-DMAX=8"])),
    ("client_server", &["-DCLIENTS=5"], Some(&["-DCLIENTS=4"])),
    ("fischer", &["-DN=7", "-DDELTA=3"], Some(&["-DN=6", "-DDELTA=4"])),
    ("go_back_n", &["-DW=4", "-DSLOTS=7"], Some(&["-DW=4", "-DSLOTS=5"])),
    ("lamport_fast", &["-DN=4"], None),
    ("leader_ring_dolev", &["-DN=5", "-DANY"], None),
    ("mcs", &["-DN=5"], None),
    ("mesi", &["-DN=7"], Some(&["-DN=6"])),
    ("peterson_filter", &["-DN=4"], None),
    ("philosophers", &["-DN=9", "-DORDERED"], Some(&["-DN=8", "-DORDERED"])),
    ("readers_writers", &["-DR=6", "-DW=3"], Some(&["-DR=6", "-DW=2"])),
    ("szymanski", &["-DN=4"], None),
    ("two_phase_commit", &["-DN=6"], None),
];

/// A way of keeping states, in both programs.
struct Way {
    store: &'static str,
    pan: &'static [&'static str],
    /// Least geometric mean that is wanted.
    wanted: f64,
}

const WAYS: &[Way] = &[
    Way { store: "exact", pan: &[], wanted: 6.0 },
    Way { store: "tree", pan: &["-DCOLLAPSE"], wanted: 5.0 },
    Way { store: "compact", pan: &["-DCOLLAPSE"], wanted: 0.0 },
    Way { store: "bitstate", pan: &["-DBITSTATE"], wanted: 5.0 },
    Way { store: "hash-compact", pan: &["-DHC4"], wanted: 0.0 },
];

/// The section of the benchmarks that these tables belong to.
pub(crate) const TITLE: &str = "## Safety against SPIN";

/// What to measure.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only these stores
    #[arg(long, value_name = "STORE")]
    store: Vec<String>,
    /// Of models with a smaller instance above a million states, take that one
    #[arg(long)]
    smaller: bool,
    #[command(flatten)]
    runs: runs::Args,
}

struct Measured {
    user_s: f64,
    system_s: f64,
    states: u64,
    bytes_per_state: f64,
    peak_mib: u64,
}

fn ours(root: &Path, model: &Path, defines: &[&str], store: &str) -> anyhow::Result<Measured> {
    let mut command = runs::ferrospin(root);
    command.args(["check", "--safety", "--threads", "1", "--format", "json", "--no-trail"]).args(defines);
    match store {
        "exact" => command.arg("--plain"),
        _ => command.args(["--por", "off", "--no-optimize", "--store", store]),
    };
    if matches!(store, "bitstate" | "hash-compact") {
        // As much as pan gets.
        command.args(["--memory-limit", if store == "bitstate" { "570M" } else { "1G" }]);
    }
    let Timed { user, system, said, .. } = timed(command.arg(model))?;
    let number = |name: &str| {
        let rest = said.split(&format!("\"{name}\":")).nth(1)?;
        rest.split([',', '}', '\n']).next()?.trim().parse::<f64>().ok()
    };
    let states = number("states").with_context(|| format!("no states in the report of {}: {said}", model.display()))?;
    Ok(Measured {
        user_s: user,
        system_s: system,
        states: states as u64,
        bytes_per_state: number("store_bytes_per_state").unwrap_or(f64::NAN),
        peak_mib: number("memory_bytes").unwrap_or(0.0) as u64 >> 20,
    })
}

/// Compiles a verifier into a folder.
fn compile(folder: &Path, model: &Path, defines: &[&str], flags: &[&str]) -> anyhow::Result<()> {
    let spin = ["-a", "-o1", "-o2", "-o3"];
    let said = Command::new("spin").args(spin).args(defines).arg(model).current_dir(folder).output()?;
    ensure!(folder.join("pan.c").exists(), "spin: {}", String::from_utf8_lossy(&said.stdout));
    let cc = ["-O2", "-w", "-DSAFETY", "-DNOREDUCE", "-DNOCLAIM", "-DVECTORSZ=4096", "-o", "pan", "pan.c"];
    let status = Command::new("gcc").args(cc).args(flags).current_dir(folder).status()?;
    ensure!(status.success(), "gcc cannot compile the verifier of {}", model.display());
    Ok(())
}

fn theirs(folder: &Path, way: &Way, states: u64) -> anyhow::Result<Measured> {
    let slots = match way.store {
        "bitstate" => 32,
        _ => 64 - states.leading_zeros(),
    };
    let mut command = Command::new("./pan");
    command.args(["-n", "-c0", "-m50000000", &format!("-w{slots}")]).current_dir(folder);
    let Timed { user, system, said, .. } = timed(&mut command)?;
    let states = said
        .lines()
        .find_map(|l| l.strip_suffix(" states, stored"))
        .with_context(|| format!("no states in the report of pan: {said}"))?;
    Ok(Measured {
        user_s: user,
        system_s: system,
        states: states.trim().parse::<f64>()? as u64,
        bytes_per_state: f64::NAN,
        peak_mib: 0,
    })
}

fn best(of: Vec<Measured>) -> Measured {
    of.into_iter().min_by(|a, b| a.user_s.total_cmp(&b.user_s)).expect("at least one run")
}

/// Measures; prints the tables, and writes them if asked to.
pub(crate) fn run(root: &Path, args: &Args) -> anyhow::Result<bool> {
    let mut passed = true;
    for way in WAYS.iter().filter(|w| args.store.is_empty() || args.store.iter().any(|s| s == w.store)) {
        let (text, ratios) = table(root, way, args.smaller, &args.runs)?;
        passed &= ratios.mean() >= way.wanted;
        println!("{}: geometric mean {:.1}, least {:.1}", way.store, ratios.mean(), ratios.least);
        if args.runs.write {
            let pan = ["pan"].iter().chain(way.pan).copied().collect::<Vec<_>>().join(" ");
            write_section(root, TITLE, &format!("### `--store {}` against `{pan}`", way.store), &text)?;
        }
    }
    Ok(passed)
}

fn table(root: &Path, way: &Way, smaller: bool, args: &runs::Args) -> anyhow::Result<(String, Ratios)> {
    let mut text = format!("Best of {}.\n\n", args.runs);
    text +=
        "| instance | states | pan's | pan user s | user s | system s | times faster | bytes a state | peak MiB |\n";
    text += "|---|---:|---:|---:|---:|---:|---:|---:|---:|\n";
    let mut ratios = Ratios::new();
    for (name, large, small) in INSTANCES.iter().filter(|(name, ..)| args.wants(name)) {
        let defines = small.filter(|_| smaller).unwrap_or(large);
        let model = root.join(format!("models/{name}.pml")).canonicalize()?;
        let dir = TempDir::new()?;
        compile(dir.path(), &model, defines, way.pan)?;
        let (mut a, mut b) = (Vec::new(), Vec::new());
        for _ in 0..args.runs {
            let m = ours(root, &model, defines, way.store)?;
            b.push(theirs(dir.path(), way, m.states)?);
            a.push(m);
        }
        let (a, b) = (best(a), best(b));
        // Lossy stores omit a few states; a run that was stopped has far fewer, and says nothing about speed.
        ensure!(
            a.states * 100 >= b.states * 99,
            "{name}: {} states, and {} with pan: was it stopped?",
            a.states,
            b.states
        );
        let ratio = b.user_s / a.user_s;
        ratios.add(ratio);
        let line = format!(
            "| {name} {} | {} | {} | {:.2} | {:.2} | {:.2} | {ratio:.1} | {:.1} | {} |",
            defines.join(" "),
            a.states,
            b.states,
            b.user_s,
            a.user_s,
            a.system_s,
            a.bytes_per_state,
            a.peak_mib
        );
        println!("{}: {line}", way.store);
        writeln!(text, "{line}")?;
    }
    let wanted = if way.wanted > 0.0 { format!(" Wanted: {}.", way.wanted) } else { String::new() };
    writeln!(text, "\nGeometric mean {:.1}, least {:.1}.{wanted}", ratios.mean(), ratios.least)?;
    Ok((text, ratios))
}
