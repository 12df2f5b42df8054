//! `liveness`: the experiments of the literature on emptiness checks, run again as tables.
//!
//! - Generalised against degeneralised emptiness: weak fairness as marks (`couvreur`, `tau03`) and as copies (`ndfs`)
//!   (Couvreur, Duret-Lutz and Poitrenaud, SPIN 2005, table 3).
//! - The products of leader election and of clients and servers, whose sizes are known (tables 2 and 3 there).
//! - A claim closed under stuttering, on three programs with three verdicts (Holzmann and Kupferman, section 5).
//! - Testing automata against nested search: product states until a starving philosopher is found (Hansen, Penczek and
//!   Valmari 2002, table 3).

use crate::temp::TempDir;
use anyhow::Context;
use std::path::Path;
use std::process::Command;

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

/// Programs for the claim "first `p`, then not": what it says, closed, in both ways of asking.
const STUTTERING: [(&str, &str, [&str; 2]); 3] = [
    ("p stays", "bool p = true; active proctype P() { byte n; do :: n = 1 - n od }", ["holds", "holds"]),
    ("p falls later", "bool p = true; active proctype P() { byte n; n = 1; p = false }", ["holds", "undecided"]),
    ("p falls at once", "bool p = true; active proctype P() { p = false }", ["violated", "violated"]),
];

/// Formulas of `models/echo_election.pml`: verdict and, where they hold, the size of the product.
const ELECTION: [(&str, &str, Option<u64>); 6] = [
    ("never_again", "violated", None),
    ("zero_leads", "holds", Some(47_887)),
    ("zero_again", "holds", Some(289_812)),
    ("three_leads", "violated", None),
    ("zero_follows", "holds", Some(289_812)),
    ("only_zero", "violated", None),
];

struct Row {
    verdict: String,
    states: u64,
    transitions: u64,
    elapsed_s: f64,
    reduction: String,
    closure: String,
}

fn check(root: &Path, model: &Path, options: &[&str]) -> anyhow::Result<Row> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), Into::into);
    let output = Command::new(target.join("release/ferrospin"))
        .args(["check", "--threads", "1", "--format", "json", "--no-trail", "--quiet"])
        .args(options)
        .arg(model)
        .output()
        .context("cannot run the release build of ferrospin")?;
    let report: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let of = &report["properties"][0];
    Ok(Row {
        verdict: report["verdict"].as_str().unwrap_or_default().into(),
        reduction: of["reduction"].as_str().unwrap_or_default().into(),
        closure: of["closure"].as_str().unwrap_or("-").into(),
        states: of["states"].as_u64().unwrap_or(0),
        transitions: of["transitions"].as_u64().unwrap_or(0),
        elapsed_s: of["elapsed_s"].as_f64().unwrap_or(0.0),
    })
}

/// Prints the tables; false when something is not as the literature has it.
pub(crate) fn run(root: &Path) -> anyhow::Result<bool> {
    let dir = TempDir::new()?;
    let mut passed = true;
    println!("Leader election by echo with extinction\n");
    println!("| formula | verdict | couvreur | ndfs | tau03 | couvreur, reduced |");
    println!("|---|---|---:|---:|---:|---:|");
    let model = root.join("models/echo_election.pml");
    for (formula, verdict, size) in ELECTION {
        let mut states = Vec::new();
        for search in ["couvreur", "ndfs", "tau03"] {
            let row = check(root, &model, &["--plain", "--ltl", formula, "--emptiness", search])?;
            passed &= row.verdict == verdict && size.is_none_or(|s| s == row.states);
            states.push(row.states.to_string());
        }
        let row = check(root, &model, &["--no-optimize", "--por", "on", "--ltl", formula, "--emptiness", "couvreur"])?;
        passed &= row.verdict == verdict && row.reduction == "stubborn";
        println!("| {formula} | {verdict} | {} | {} |", states.join(" | "), row.states);
    }
    println!();
    let model = root.join("models/clients_servers.pml");
    println!("Weak fairness as marks and as copies: clients and servers, `answered`\n");
    println!("| clients, servers | fair | search | verdict | states | transitions | s |");
    println!("|---|---|---|---|---:|---:|---:|");
    for (clients, servers, fair_verdict) in [(3, 1, "holds"), (3, 3, "holds"), (4, 3, "violated")] {
        let sizes = [format!("-DCLIENTS={clients}"), format!("-DSERVERS={servers}")];
        let mut marks = 0;
        for fair in [false, true] {
            for search in ["couvreur", "tau03", "ndfs"] {
                let mut options = vec!["--plain", "--ltl", "answered", "--emptiness", search];
                options.extend(sizes.iter().map(String::as_str));
                options.extend(fair.then_some("--fair"));
                let row = check(root, &model, &options)?;
                let name = if fair { "yes" } else { "no" };
                println!(
                    "| {clients}, {servers} | {name} | {search} | {} | {} | {} | {:.2} |",
                    row.verdict, row.states, row.transitions, row.elapsed_s
                );
                passed &= (clients, servers) != (3, 1) || row.states == 783 || fair && search == "ndfs";
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
    let all = check(root, &model, &["--plain", "--safety", "-DN=10", "--max-errors", "0"])?;
    println!("\nStarving philosophers, N = 10, {} states: product states until one is found\n", all.states);
    println!("| philosopher | testing | ndfs | couvreur |");
    println!("|---|---:|---:|---:|");
    passed &= all.states == 59_048;
    for i in 0..10 {
        let formula = format!("! <>[] (P[{i}]@waits)");
        let mut states = Vec::new();
        for search in ["testing", "ndfs", "couvreur"] {
            let row = check(root, &model, &["--plain", "--ltl", &formula, "-DN=10", "--emptiness", search])?;
            passed &= row.verdict == "violated";
            states.push(row.states);
        }
        passed &= states[0] < 100;
        println!("| {i} | {} | {} | {} |", states[0], states[1], states[2]);
    }
    println!("\nA claim closed under stuttering: first `p`, then not\n");
    println!("| program | as it is | `--stutter-close` | | `--stutter-close=report` | |");
    println!("|---|---|---|---|---|---|");
    for (name, program, expected) in STUTTERING {
        let model = dir.path().join("stuttering.pml");
        std::fs::write(&model, format!("{program} never {{ p; !p; accept: do :: true od }}"))?;
        let plain = check(root, &model, &["--ltl", "never_0"])?;
        let auto = check(root, &model, &["--ltl", "never_0", "--stutter-close"])?;
        let said = check(root, &model, &["--ltl", "never_0", "--stutter-close=report"])?;
        passed &= [plain.verdict.as_str(), auto.verdict.as_str()] == [expected[0]; 2] && said.verdict == expected[1];
        let (a, b) = (&auto.closure, &said.closure);
        println!("| {name} | {} | {} | {a} | {} | {b} |", plain.verdict, auto.verdict, said.verdict);
    }
    Ok(passed)
}
