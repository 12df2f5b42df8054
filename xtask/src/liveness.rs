//! `liveness`: the experiments of the literature on emptiness checks, run again as tables.
//!
//! - Generalised against degeneralised emptiness: weak fairness as marks (`couvreur`, `tau03`) and as copies (`ndfs`)
//!   (Couvreur, Duret-Lutz and Poitrenaud, SPIN 2005, table 3).
//! - Testing automata against nested search: product states until a starving philosopher is found (Hansen, Penczek and
//!   Valmari 2002, table 3).

use crate::temp::TempDir;
use anyhow::Context;
use std::path::Path;
use std::process::Command;

/// Clients that ask and wait, servers that answer; channels with room for all.
const CLIENTS: &str = "
mtype = { request, answer };
chan to_server = [CLIENTS] of { byte };
chan to_client[CLIENTS] = [1] of { bit };
active [CLIENTS] proctype Client() {
served:
    to_server!_pid;
waits:
    to_client[_pid]?1;
    goto served
}
active [SERVERS] proctype Server() {
    byte who;
    do
    :: to_server?who -> to_client[who]!1
    od
}
ltl answered { [] (Client[0]@waits -> <> Client[0]@served) }
";

/// Philosophers who take the left stick first.
const PHILOSOPHERS: &str = "
bool taken[N];
active [N] proctype P() {
    do
    :: atomic { !taken[_pid] -> taken[_pid] = true };
waits: atomic { !taken[(_pid + 1) % N] -> taken[(_pid + 1) % N] = true };
       taken[_pid] = false;
       taken[(_pid + 1) % N] = false
    od
}
";

struct Row {
    verdict: String,
    states: u64,
    transitions: u64,
    elapsed_s: f64,
}

fn check(root: &Path, model: &Path, options: &[&str]) -> anyhow::Result<Row> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), Into::into);
    let output = Command::new(target.join("release/ferrospin"))
        .args(["check", "--plain", "--threads", "1", "--format", "json", "--no-trail", "--quiet"])
        .args(options)
        .arg(model)
        .output()
        .context("cannot run the release build of ferrospin")?;
    let report: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let of = &report["properties"][0];
    Ok(Row {
        verdict: report["verdict"].as_str().unwrap_or_default().into(),
        states: of["states"].as_u64().unwrap_or(0),
        transitions: of["transitions"].as_u64().unwrap_or(0),
        elapsed_s: of["elapsed_s"].as_f64().unwrap_or(0.0),
    })
}

/// Prints the tables; false when something is not as the literature has it.
pub(crate) fn run(root: &Path) -> anyhow::Result<bool> {
    let dir = TempDir::new()?;
    let model = dir.path().join("clients.pml");
    std::fs::write(&model, CLIENTS)?;
    let mut passed = true;
    println!("Weak fairness as marks and as copies: clients and servers, `answered`\n");
    println!("| clients, servers | fair | search | verdict | states | transitions | s |");
    println!("|---|---|---|---|---:|---:|---:|");
    for (clients, servers, fair_verdict) in [(3, 1, "holds"), (3, 3, "holds"), (4, 3, "holds")] {
        let sizes = [format!("-DCLIENTS={clients}"), format!("-DSERVERS={servers}")];
        let mut marks = 0;
        for fair in [false, true] {
            for search in ["couvreur", "tau03", "ndfs"] {
                let mut options = vec!["--ltl", "answered", "--emptiness", search];
                options.extend(sizes.iter().map(String::as_str));
                options.extend(fair.then_some("--fair"));
                let row = check(root, &model, &options)?;
                let name = if fair { "yes" } else { "no" };
                println!(
                    "| {clients}, {servers} | {name} | {search} | {} | {} | {} | {:.2} |",
                    row.verdict, row.states, row.transitions, row.elapsed_s
                );
                if fair {
                    passed &= row.verdict == fair_verdict;
                    marks = if search == "couvreur" { row.states } else { marks };
                    passed &= search != "ndfs" || row.states > marks;
                }
            }
        }
    }
    let model = dir.path().join("philosophers.pml");
    std::fs::write(&model, PHILOSOPHERS)?;
    let all = check(root, &model, &["--safety", "-DN=10", "--max-errors", "0"])?;
    println!("\nStarving philosophers, N = 10, {} states: product states until one is found\n", all.states);
    println!("| philosopher | testing | ndfs | couvreur |");
    println!("|---|---:|---:|---:|");
    passed &= all.states == 59_048;
    for i in 0..10 {
        let formula = format!("! <>[] (P[{i}]@waits)");
        let mut states = Vec::new();
        for search in ["testing", "ndfs", "couvreur"] {
            let row = check(root, &model, &["--ltl", &formula, "-DN=10", "--emptiness", search])?;
            passed &= row.verdict == "violated";
            states.push(row.states);
        }
        passed &= states[0] < 100;
        println!("| {i} | {} | {} | {} |", states[0], states[1], states[2]);
    }
    Ok(passed)
}
