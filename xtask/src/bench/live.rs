//! `bench live`: formulas that hold, against SPIN's compiled verifier with `-a`, side by side in one run.
//!
//! Both programs run in turn, several times each; the best user time of each counts. SPIN's verifier is compiled with
//! gcc -O2 and without partial-order reduction; Ferrospin runs with one worker and `--plain`. The automata are not the
//! same, so that the products are not: their sizes are shown beside. A second table says what weak fairness costs.

use super::runs::{self, Args, Ratios, Timed, timed, write_section};
use crate::temp::TempDir;
use anyhow::{Context, ensure};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

/// Formulas that hold, on products of more than a million states.
const INSTANCES: &[(&str, &[&str], &str)] = &[
    ("barrier", &["-DN=6"], "rounds"),
    ("anderson", &["-DN=5"], "fifo"),
    ("lamport_fast", &["-DN=4"], "some_enter"),
    ("leader_ring_lcr", &["-DFALLING", "-DN=8"], "elected"),
    ("leader_tree", &["-DN=10"], "everybody_knows"),
    ("mesi", &["-DN=6"], "write_back"),
    ("ricart_agrawala", &["-DN=3", "-DROUNDS=3"], "granted_0"),
    ("sleeping_barber", &["-DN=4", "-DCHAIRS=2", "-DVISITS=2"], "gets_haircut"),
    ("ticket_lock", &["-DN=8"], "served"),
    ("two_phase_commit", &["-DN=6"], "everybody_decides"),
    ("watchdog", &["-DWORKERS=5"], "safe_or_ready"),
    ("work_queue", &["-DJOBS=5", "-DWORKERS=3", "-DLEVELS=3"], "all_done"),
];

/// The section of the benchmarks that these tables belong to.
const TITLE: &str = "## Liveness: `xtask bench live`";

/// Formulas that hold with and without fairness.
const FAIR: &[(&str, &[&str], &str)] = &[
    ("lamport_fast", &["-DN=4"], "some_enter"),
    ("mcs", &["-DN=4"], "handover"),
    ("ticket_lock", &["-DN=7"], "served"),
    ("ricart_agrawala", &["-DN=3", "-DROUNDS=2"], "granted_0"),
];

struct Measured {
    user_s: f64,
    states: u64,
    means: String,
}

fn ours(root: &Path, model: &Path, defines: &[&str], property: &str, fair: bool) -> anyhow::Result<Measured> {
    let mut command = runs::ferrospin(root);
    command.args(["check", "--plain", "--threads", "1", "--format", "json", "--no-trail", "--ltl", property]);
    command.args(fair.then_some("--fair")).args(defines);
    let Timed { user: user_s, said, .. } = timed(command.arg(model))?;
    let report: serde_json::Value = serde_json::from_str(&said).with_context(|| format!("no report: {said}"))?;
    let of = &report["properties"][0];
    ensure!(of["verdict"] == "holds", "`{property}` of {} does not hold: {said}", model.display());
    let states = of["states"].as_u64().context("no states")?;
    Ok(Measured { user_s, states, means: of["search"].as_str().unwrap_or_default().to_string() })
}

/// Compiles a verifier into a folder.
fn compile(folder: &Path, model: &Path, defines: &[&str]) -> anyhow::Result<()> {
    let spin = ["-a", "-o1", "-o2", "-o3"];
    let said = Command::new("spin").args(spin).args(defines).arg(model).current_dir(folder).output()?;
    ensure!(folder.join("pan.c").exists(), "spin: {}", String::from_utf8_lossy(&said.stdout));
    let cc = ["-O2", "-w", "-DNOREDUCE", "-DNFAIR=3", "-DVECTORSZ=4096", "-o", "pan", "pan.c"];
    let status = Command::new("gcc").args(cc).current_dir(folder).status()?;
    ensure!(status.success(), "gcc cannot compile the verifier of {}", model.display());
    Ok(())
}

fn theirs(folder: &Path, property: &str, fair: bool, states: u64) -> anyhow::Result<Measured> {
    let slots = 64 - states.leading_zeros();
    let mut command = Command::new("./pan");
    command.args(["-a", "-n", "-c1", "-m50000000", &format!("-w{slots}"), "-N", property]).current_dir(folder);
    command.args(fair.then_some("-f"));
    let Timed { user: user_s, said, .. } = timed(&mut command)?;
    ensure!(said.contains("errors: 0"), "pan finds an error, or does not end: {said}");
    let stored = said.lines().find_map(|l| l.split_once(" states, stored")).map(|l| l.0);
    let states = stored.with_context(|| format!("no states in the report of pan: {said}"))?;
    Ok(Measured { user_s, states: states.trim().parse::<f64>()? as u64, means: String::new() })
}

fn best(of: Vec<Measured>) -> Measured {
    of.into_iter().min_by(|a, b| a.user_s.total_cmp(&b.user_s)).expect("at least one run")
}

/// Both programs on one formula, in turn.
fn pair(
    root: &Path,
    args: &Args,
    (name, defines, property): (&str, &[&str], &str),
    fair: bool,
    folder: &Path,
) -> anyhow::Result<(Measured, Measured)> {
    let model = root.join(format!("models/{name}.pml")).canonicalize()?;
    if !folder.join("pan").exists() {
        compile(folder, &model, defines)?;
    }
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for _ in 0..args.runs {
        let m = ours(root, &model, defines, property, fair)?;
        b.push(theirs(folder, property, fair, m.states)?);
        a.push(m);
    }
    Ok((best(a), best(b)))
}

/// Measures; prints the tables, and writes them if asked to.
pub(crate) fn run(root: &Path, args: &Args) -> anyhow::Result<bool> {
    let mut text = format!("Best of {}.\n\n", args.runs);
    text += "| instance | formula | search | product states | pan's | pan user s | user s | times faster |\n";
    text += "|---|---|---|---:|---:|---:|---:|---:|\n";
    let mut ratios = Ratios::new();
    for &(name, defines, property) in INSTANCES.iter().filter(|i| args.wants(i.0)) {
        let dir = TempDir::new()?;
        let (a, b) = pair(root, args, (name, defines, property), false, dir.path())?;
        let ratio = b.user_s / a.user_s;
        ratios.add(ratio);
        let line = format!(
            "| {name} {} | {property} | {} | {} | {} | {:.2} | {:.2} | {ratio:.1} |",
            defines.join(" "),
            a.means,
            a.states,
            b.states,
            b.user_s,
            a.user_s
        );
        println!("{line}");
        writeln!(text, "{line}")?;
    }
    let (mean, least) = (ratios.mean(), ratios.least);
    writeln!(text, "\nGeometric mean {mean:.1}, least {least:.1}; wanted: 4.")?;
    println!("geometric mean {mean:.1}, least {least:.1}");
    if args.write {
        write_section(root, TITLE, "### Formulas that hold, against `pan -a`", &text)?;
    }
    let mut text =
        String::from("| instance | formula | states | fair | user s | fair | factor | pan user s | fair | factor |\n");
    text += "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|\n";
    let mut worst: f64 = 0.0;
    for &(name, defines, property) in FAIR.iter().filter(|i| args.wants(i.0)) {
        let dir = TempDir::new()?;
        let (a, b) = pair(root, args, (name, defines, property), false, dir.path())?;
        let (c, d) = pair(root, args, (name, defines, property), true, dir.path())?;
        let (factor, pan) = (c.user_s / a.user_s, d.user_s / b.user_s);
        worst = worst.max(factor);
        let line = format!(
            "| {name} {} | {property} | {} | {} | {:.2} | {:.2} | {factor:.2} | {:.2} | {:.2} | {pan:.2} |",
            defines.join(" "),
            a.states,
            c.states,
            a.user_s,
            c.user_s,
            b.user_s,
            d.user_s
        );
        println!("{line}");
        writeln!(text, "{line}")?;
    }
    writeln!(text, "\nLargest factor {worst:.2}; wanted: at most 2.")?;
    println!("largest factor {worst:.2}");
    if args.write {
        write_section(root, TITLE, "### What weak fairness costs", &text)?;
    }
    Ok(mean >= 4.0 && worst <= 2.0)
}
