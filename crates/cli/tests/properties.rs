//! Properties of the models, as recorded beside them: verdicts of `ltl` blocks, claims, acceptance and progress.
//!
//! Rows about instances whose plain state space is small are checked through the program, in one run a model.

use ferrospin_testkit::expectations::{self, Expectation};
use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

/// Largest plain state space that is checked here.
const STATES_MAX: u64 = 5_000;

fn verdict(row: &Expectation, options: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_ferrospin"))
        .arg("check")
        .args(["--no-trail", "--quiet", "--format", "json", "--self-check=5"])
        .args(options)
        .args(&row.defines)
        .arg(&row.model)
        .output()
        .expect("the program runs");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    report["verdict"].as_str().unwrap_or_default().to_string()
}

#[test]
fn verdicts_are_as_recorded() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let (mut wrong, mut held, mut violated) = (Vec::new(), 0, 0);
    for model in expectations::models(&root).expect("models") {
        let rows = expectations::beside(&model);
        let sizes: HashMap<&[String], u64> =
            rows.iter().filter_map(|r| Some((&r.defines[..], r.plain_counts()?.0))).collect();
        for row in &rows {
            let (property, expected) = (row.property.as_str(), row.verdict.as_str());
            let small = sizes.get(&row.defines[..]).is_some_and(|s| *s <= STATES_MAX);
            if property == "safety" || !small || row.foreign() {
                continue;
            }
            let (name, fair) = match property.strip_suffix("+fair") {
                Some(name) => (name, true),
                None => (property, false),
            };
            let mut options = match name.strip_prefix("ltl:") {
                Some(ltl) => vec!["--ltl", ltl],
                None if name == "acceptance" => vec!["--acceptance"],
                None if name == "progress" => vec!["--progress"],
                // A claim has no option of its own; the default checks it beside safety.
                None => continue,
            };
            if fair {
                options.push("--fair");
            }
            let got = verdict(row, &options);
            match expected {
                "holds" => held += 1,
                _ => violated += 1,
            }
            if got != expected {
                wrong.push(format!("{} {property}: expected {expected}, got {got}", row.name()));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), held + violated, wrong.join("\n"));
    assert!(held > 60 && violated > 60, "only {held} that hold and {violated} that do not were checked");
}
