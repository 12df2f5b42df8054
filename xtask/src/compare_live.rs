//! `compare-live`: verdicts of every `ltl` block and never claim against those of a live SPIN, with and without reduction.
//!
//! SPIN's verifier is compiled without reduction and run with `-a`. An assertion or a run-time error of the model itself stops
//! SPIN before it has an answer about the formula; such properties are counted apart.

mod random;

use crate::temp::TempDir;
use anyhow::Context;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Options of `compare-live`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folders or single models
    #[arg(value_name = "DIR", required_unless_present = "language")]
    paths: Vec<PathBuf>,
    /// This number of random programs over the whole language instead
    #[arg(long, value_name = "N", conflicts_with = "paths")]
    language: Option<u64>,
    /// Seed of the first random program; the others follow
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Keep the random programs that differ in this folder
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// Seconds that a run of either program may take
    #[arg(long, value_name = "N", default_value_t = 60)]
    seconds: u64,
}

/// What we say of a model: name, whether it is an `ltl` block, verdict.
struct Property {
    name: String,
    is_ltl: bool,
    verdict: String,
}

#[derive(Default)]
struct Tally {
    equal: [u32; 2],
    unclear: u32,
    differ: u32,
}

/// Compares; true when there is no difference.
pub(crate) fn run(root: &Path, args: &Args) -> anyhow::Result<bool> {
    if let Some(count) = args.language {
        return random::run(root, args, count);
    }
    let mut tally = Tally::default();
    for model in &crate::instances::models(&args.paths)? {
        let Some(reduced) = ours(root, model, args, &["--por", "on"])? else { continue };
        if reduced.is_empty() {
            continue;
        }
        let full = ours(root, model, args, &["--por", "off"])?.unwrap_or_default();
        let dir = TempDir::new()?;
        let built = compile(dir.path(), &model.canonicalize()?, args, &[])?;
        for (a, b) in reduced.iter().zip(&full) {
            let name = format!("{} {}", model.display(), a.name);
            let decided = |p: &Property| p.verdict != "undecided";
            let a = if decided(a) { a } else { b };
            if a.verdict != b.verdict && decided(b) {
                tally.differ += 1;
                println!("{name}: DIFFERS: reduced {}, not reduced {}", a.verdict, b.verdict);
                continue;
            }
            match if built { theirs(dir.path(), a, args, &["-a"])? } else { None } {
                Some(verdict) if verdict == a.verdict => tally.equal[usize::from(verdict == "violated")] += 1,
                Some(verdict) if a.verdict != "undecided" => {
                    tally.differ += 1;
                    println!("{name}: DIFFERS: spin {verdict}, ferrospin {}", a.verdict);
                }
                _ => {
                    tally.unclear += 1;
                    println!("{name}: no answer to compare ({} here)", a.verdict);
                }
            }
        }
    }
    let [hold, violated] = tally.equal;
    println!(
        "\n{hold} hold and {violated} are violated for both, {} without answer, {} differ",
        tally.unclear, tally.differ
    );
    Ok(tally.differ == 0)
}

/// Our verdicts about what is not safety; nothing where the model cannot be checked.
fn ours(root: &Path, model: &Path, args: &Args, options: &[&str]) -> anyhow::Result<Option<Vec<Property>>> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), Into::into);
    let output = Command::new(target.join("release/ferrospin"))
        .args(["check", "--threads", "1", "--format", "json", "--no-trail", "--quiet", "--memory-limit", "4G"])
        .args(["--time-limit", &format!("{}s", args.seconds)])
        .args(options)
        .arg(model)
        .output()
        .context("cannot run the release build of ferrospin")?;
    let report: serde_json::Value = serde_json::from_slice(&output.stdout)
        .with_context(|| format!("{}: {}", model.display(), String::from_utf8_lossy(&output.stderr)))?;
    if report["verdict"] == "error" {
        return Ok(None);
    }
    let word = |v: &serde_json::Value| v.as_str().unwrap_or_default().to_string();
    let list = report["properties"].as_array().into_iter().flatten().filter(|p| p["kind"] != "safety");
    let property = |p: &serde_json::Value| Property {
        name: word(&p["name"]),
        is_ltl: p["kind"] == "ltl",
        verdict: word(&p["verdict"]),
    };
    Ok(Some(list.map(property).collect()))
}

/// Makes a verifier; false where SPIN or the compiler will not.
fn compile(folder: &Path, model: &Path, args: &Args, defines: &[&str]) -> anyhow::Result<bool> {
    let limit = args.seconds.to_string();
    let spin = ["-a", "-o1", "-o2", "-o3"];
    Command::new("timeout").arg(&limit).arg("spin").args(spin).arg(model).current_dir(folder).output()?;
    let compiler = crate::spin::compiler(false);
    let cc = ["-DNOREDUCE", "-DVECTORSZ=16384", "-o", "pan", "pan.c"];
    let made =
        Command::new("timeout").arg(&limit).args(compiler).args(cc).args(defines).current_dir(folder).output()?;
    Ok(made.status.success())
}

/// SPIN's verdict about a property; nothing when it stopped for another reason.
fn theirs(folder: &Path, property: &Property, args: &Args, how: &[&str]) -> anyhow::Result<Option<String>> {
    let mut run = Command::new("timeout");
    run.arg(args.seconds.to_string()).args(["./pan", "-n", "-E", "-c1", "-m2000000", "-w20"]).args(how);
    run.current_dir(folder);
    if property.is_ltl {
        run.args(["-N", &property.name]);
    }
    let output = run.output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    let first = said.lines().find(|l| l.starts_with("pan:1: ")).unwrap_or_default();
    // What a claim from a formula asserts is the negation of a part of it.
    let about = first.contains("acceptance cycle")
        || first.contains("non-progress cycle")
        || first.contains("claim violated")
        || first.contains("end state in claim");
    let about = about || property.is_ltl && first.contains("assertion violated  !(");
    let is_cut = said.contains("max search depth too small");
    Ok(match said.lines().find_map(|l| l.split("errors: ").nth(1)) {
        Some(n) if n.trim() == "0" && first.is_empty() && !is_cut => Some("holds".into()),
        Some(_) if about => Some("violated".into()),
        _ => None,
    })
}
