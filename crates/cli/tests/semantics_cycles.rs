//! The rows of `semantics/expected.tsv` that are about cycles and formulas: SPIN's verdicts with `-a`, `-l` and `-f`.
//!
//! Plain runs are looked at in `crates/testkit/tests/semantics.rs`. Where SPIN found no error and the product is not of its
//! own making (its automata of formulas and of progress are others), the number of stored states is compared, too.

use std::path::Path;
use std::process::Command;

/// What is answered differently on purpose; see `docs/spin-differences.md`.
const DIFFERENT: &[(&str, &str)] = &[("ltl_nr_pr", "holds")];

/// What a run of SPIN's verifier looks for, as an option of ours, and the kind of the property in our report.
fn question(name: &str, text: &str, pan: &[&str]) -> (Vec<String>, &'static str) {
    let named = |at: usize| pan.get(at + 1).map(|n| n.to_string());
    if pan.contains(&"-l") {
        return (vec!["--progress".into()], "progress");
    }
    if name.starts_with("ltl_") {
        // SPIN takes the first formula unless it is told another.
        let chosen = pan.iter().position(|w| *w == "-N").and_then(named);
        let first = || text.lines().find_map(|l| l.strip_prefix("ltl ")?.split_whitespace().next()).map(str::to_owned);
        return (vec!["--ltl".into(), chosen.or_else(first).expect("a formula has a name")], "ltl");
    }
    if text.contains("never {") { (Vec::new(), "never") } else { (vec!["--acceptance".into()], "acceptance") }
}

#[test]
fn verdicts_about_cycles_are_those_of_spin() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testkit/tests/semantics");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    let (mut wrong, mut rows, mut counted) = (Vec::new(), 0, 0);
    for row in read("expected.tsv").lines().skip(1) {
        let columns: Vec<&str> = row.split('\t').collect();
        let (file, run, errors, states, note) = (columns[0], columns[1], columns[2], columns[4], columns[9]);
        let pan: Vec<&str> = run.rsplit(';').next().unwrap_or_default().split_whitespace().collect();
        if !["-a", "-l"].iter().any(|o| pan.contains(o)) {
            continue;
        }
        let name = file.trim_end_matches(".pml");
        let (mut options, kind) = question(name, &read(file), &pan);
        if pan.contains(&"-f") {
            options.push("--fair".into());
        }
        let output = Command::new(env!("CARGO_BIN_EXE_ferrospin"))
            .args(["check", "--plain", "--self-check=3", "--no-trail", "--allow", "all", "--format", "json"])
            .args(&options)
            .arg(folder.join(file))
            .output()
            .expect("the program runs");
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let properties = report["properties"].as_array().expect("a list");
        let ours = properties.iter().find(|p| p["kind"] == kind).unwrap_or(&serde_json::Value::Null);
        let theirs = if errors == "0" { "holds" } else { "violated" };
        let expected = DIFFERENT.iter().find(|d| d.0 == name).map_or(theirs, |d| d.1);
        rows += 1;
        if ours["verdict"] != expected {
            wrong.push(format!("{name} {options:?}: expected {expected}, got {}", ours["verdict"]));
        }
        if note == "-" && ["acceptance", "never"].contains(&kind) {
            counted += 1;
            if ours["states"].as_u64() != states.parse().ok() {
                wrong.push(format!("{name} {options:?}: expected {states} states, got {}", ours["states"]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(rows >= 30 && counted >= 5, "only {rows} rows, {counted} with counts");
}
