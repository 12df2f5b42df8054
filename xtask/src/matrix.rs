//! `matrix`: every search x store x engine x number of workers gives the recorded verdict and counts, on every instance
//! of the expectation files up to a number of states.

use crate::temp::TempDir;
use anyhow::Context;
use ferrospin_testkit::expectations::{self, Expectation};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

const STORES: [&str; 7] = ["exact", "tree", "compact", "collapse", "hash-compact", "bitstate", "automaton"];

/// What is run.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Leave out instances with more states
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    states: u64,
    /// Leave out instances with no more states than this
    #[arg(long, value_name = "N", default_value_t = 0)]
    above: u64,
    /// Only models with this in their path
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Only these stores
    #[arg(long, value_name = "STORE")]
    store: Vec<String>,
}

/// A way to search.
#[derive(Clone, Copy)]
struct Way {
    search: &'static str,
    store: &'static str,
    threads: &'static str,
    engine: &'static str,
}

impl Way {
    /// All of them that are not too slow for this many states: the interpreter is, so that one of its ways is enough for
    /// large instances.
    fn all(states: u64) -> Vec<Self> {
        let mut ways = Vec::new();
        for search in ["bfs", "dfs"] {
            for store in STORES {
                for threads in ["1", "2", "4"] {
                    for engine in ["native", "interp"] {
                        let slow = engine == "interp" && (store != "exact" || threads != "1");
                        if !(states > 20_000 && slow || states > 200_000 && engine == "interp") {
                            ways.push(Self { search, store, threads, engine });
                        }
                    }
                }
            }
        }
        ways
    }

    fn lossy(self) -> bool {
        matches!(self.store, "hash-compact" | "bitstate")
    }
}

/// Runs all combinations; true when all agree.
pub(crate) fn run(root: &Path, args: &Args) -> anyhow::Result<bool> {
    let program =
        std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from).join("release/ferrospin");
    let dir = TempDir::new()?;
    let mut rows = expectations::all(&root.join("models"))?;
    let wanted = |row: &Expectation| args.only.is_empty() || args.only.iter().any(|o| row.name().contains(o.as_str()));
    let fits = |states: u64| states > args.above && states <= args.states;
    rows.retain(|row| row.plain_counts().is_some_and(|(states, _)| fits(states)) && wanted(row));
    // The smallest come first, so that a run that is stopped has seen the most.
    rows.sort_by_key(|row| row.states);
    let (mut runs, mut wrong) = (0, 0);
    for row in &rows {
        let (states, transitions) = row.plain_counts().expect("others are left out");
        let is_asked = |way: &Way| args.store.is_empty() || args.store.iter().any(|s| s == way.store);
        for way in Way::all(states).into_iter().filter(is_asked) {
            let Way { search, store, threads, engine } = way;
            let mut command = Command::new(&program);
            command
                .args(["check", "--safety", "--por", "off", "--no-optimize", "--max-errors", "0"])
                .args(["--no-trail", "--format", "json", "--search", search, "--store", store])
                .args(["--threads", threads, "--engine", engine])
                .args(&row.defines)
                .arg(&row.model)
                .current_dir(dir.path());
            let output = command.output().context("the program must be built with --release")?;
            let said = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
            runs += 1;
            if !agrees(&said, &row.verdict, states, transitions, way.lossy()) {
                wrong += 1;
                let (verdict, counts) = answer(&said);
                let name = row.name();
                println!("{name} {search} {store} {threads} {engine}: {verdict:?} {counts:?}, {}", output.status);
            }
        }
    }
    println!("{} instances, {runs} runs, {wrong} wrong", rows.len());
    Ok(wrong == 0)
}

/// Verdict, states and transitions of the only property of a report.
fn answer(said: &Value) -> (Option<&str>, (Option<u64>, Option<u64>)) {
    let property = &said["properties"][0];
    (said["verdict"].as_str(), (property["states"].as_u64(), property["transitions"].as_u64()))
}

fn agrees(said: &Value, verdict: &str, states: u64, transitions: u64, lossy: bool) -> bool {
    let expected = if lossy && verdict == "holds" { "undecided" } else { verdict };
    let (got, counts) = answer(said);
    let same = if lossy {
        counts.0.is_some_and(|s| s <= states) && counts.1.is_some_and(|t| t <= transitions)
    } else {
        counts == (Some(states), Some(transitions))
    };
    got == Some(expected) && same
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_judged() {
        let said = |verdict: &str, states: u64| serde_json::json!({ "verdict": verdict, "properties": [{ "states": states, "transitions": 20 }] });
        assert!(agrees(&said("holds", 10), "holds", 10, 20, false));
        assert!(!agrees(&said("holds", 9), "holds", 10, 20, false));
        assert!(!agrees(&said("violated", 10), "holds", 10, 20, false));
        assert!(agrees(&said("undecided", 9), "holds", 10, 20, true));
        assert!(!agrees(&said("undecided", 11), "holds", 10, 20, true));
        assert!(!agrees(&said("holds", 9), "holds", 10, 20, true));
        assert!(!agrees(&Value::Null, "holds", 10, 20, false));
    }
}
