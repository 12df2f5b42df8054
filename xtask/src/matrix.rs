//! `matrix`: every search x store x engine x number of workers gives the recorded verdict and counts, on every instance
//! of the expectation files up to a number of states.

use crate::temp::TempDir;
use anyhow::Context;
use std::path::{Path, PathBuf};
use std::process::Command;

const STORES: [&str; 7] = ["exact", "tree", "compact", "collapse", "hash-compact", "bitstate", "automaton"];

/// Runs all combinations; true when all agree.
pub(crate) fn run(root: &Path, states_max: u64, only: &[String]) -> anyhow::Result<bool> {
    let program =
        std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from).join("release/ferrospin");
    let mut files = Vec::new();
    tables(&root.join("models"), &mut files)?;
    let dir = TempDir::new()?;
    let (mut runs, mut wrong) = (0, 0);
    for file in files {
        let model = PathBuf::from(file.to_string_lossy().replace(".expect.tsv", ".pml"));
        if !only.is_empty() && !only.iter().any(|o| model.to_string_lossy().contains(o.as_str())) {
            continue;
        }
        for line in std::fs::read_to_string(&file)?.lines().skip(1) {
            let row: Vec<_> = line.split('\t').collect();
            let (Ok(states), Ok(transitions)) = (row[4].parse::<u64>(), row[5].parse::<u64>()) else { continue };
            if row[1] != "safety" || states > states_max || row[7].contains("embedded C") {
                continue;
            }
            for search in ["bfs", "dfs"] {
                for store in STORES {
                    for threads in ["1", "2", "4"] {
                        for engine in ["native", "interp"] {
                            // The interpreter is slow, and the automaton is: one of each is enough for large instances.
                            let slow = engine == "interp" && (store != "exact" || threads != "1");
                            if states > 20_000 && slow || states > 200_000 && engine == "interp" {
                                continue;
                            }
                            let mut command = Command::new(&program);
                            command
                                .args(["check", "--safety", "--por", "off", "--no-optimize", "--max-errors", "0"])
                                .args(["--no-trail", "--format", "json", "--search", search, "--store", store])
                                .args(["--threads", threads, "--engine", engine])
                                .args(row[0].split_whitespace().filter(|d| *d != "-"))
                                .arg(&model)
                                .current_dir(dir.path());
                            let said = command.output().context("the program must be built with --release")?;
                            let said = String::from_utf8_lossy(&said.stdout).into_owned();
                            runs += 1;
                            let lossy = matches!(store, "hash-compact" | "bitstate");
                            if !agrees(&said, row[2], states, transitions, lossy) {
                                wrong += 1;
                                println!(
                                    "{} {} {search} {store} {threads} {engine}: {}",
                                    model.display(),
                                    row[0],
                                    brief(&said)
                                );
                            }
                        }
                    }
                }
            }
        }
    }
    println!("{runs} runs, {wrong} wrong");
    Ok(wrong == 0)
}

fn tables(folder: &Path, out: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let mut entries: Vec<_> = std::fs::read_dir(folder)?.flatten().map(|e| e.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            tables(&path, out)?;
        } else if path.to_string_lossy().ends_with(".expect.tsv") {
            out.push(path);
        }
    }
    Ok(())
}

fn number(said: &str, name: &str) -> Option<u64> {
    let rest = said.split(&format!("\"{name}\":")).nth(1)?;
    rest.split([',', '}', '\n']).next()?.trim().parse().ok()
}

fn agrees(said: &str, verdict: &str, states: u64, transitions: u64, lossy: bool) -> bool {
    let expected = if lossy && verdict == "holds" { "undecided" } else { verdict };
    let right =
        said.split("\"verdict\":").nth(1).is_some_and(|v| v.trim_start().starts_with(&format!("\"{expected}\"")));
    let counts = (number(said, "states"), number(said, "transitions"));
    let same = if lossy {
        counts.0.is_some_and(|s| s <= states) && counts.1.is_some_and(|t| t <= transitions)
    } else {
        counts == (Some(states), Some(transitions))
    };
    right && same
}

fn brief(said: &str) -> String {
    format!(
        "states {:?}, transitions {:?}, {}",
        number(said, "states"),
        number(said, "transitions"),
        &said[..said.len().min(80)]
    )
}
