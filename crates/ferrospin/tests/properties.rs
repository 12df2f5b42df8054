//! Properties of the models, as recorded beside them: verdicts of `ltl` blocks, claims, acceptance and progress.
//!
//! Rows about instances whose plain state space is small are checked through the program, in one run a model.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Largest plain state space that is checked here.
const STATES_MAX: u64 = 5_000;

fn expectations(folder: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = std::fs::read_dir(folder).expect("models").flatten().map(|e| e.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            expectations(&path, out);
        } else if path.to_string_lossy().ends_with(".expect.tsv") {
            out.push(path);
        }
    }
}

fn verdict(model: &Path, defines: &str, options: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_ferrospin"))
        .arg("check")
        .args(["--no-trail", "--quiet", "--format", "json"])
        .args(options)
        .args(defines.split_whitespace().filter(|d| *d != "-"))
        .arg(model)
        .output()
        .expect("the program runs");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    report["verdict"].as_str().unwrap_or_default().to_string()
}

#[test]
fn verdicts_are_as_recorded() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut files = Vec::new();
    expectations(&root, &mut files);
    let (mut wrong, mut held, mut violated) = (Vec::new(), 0, 0);
    for file in files {
        let model = PathBuf::from(file.to_string_lossy().replace(".expect.tsv", ".pml"));
        let table = std::fs::read_to_string(&file).expect("table");
        let rows: Vec<Vec<&str>> = table.lines().skip(1).map(|l| l.split('\t').collect()).collect();
        let mut sizes: HashMap<&str, u64> = HashMap::new();
        for r in &rows {
            if let ("safety", Ok(states)) = (r[1], r[4].parse()) {
                sizes.insert(r[0], states);
            }
        }
        for r in &rows {
            let (defines, property, expected, note) = (r[0], r[1], r[2], r[7]);
            let small = sizes.get(defines).is_some_and(|s| *s <= STATES_MAX);
            if property == "safety" || !small || note.contains("embedded C") {
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
            let got = verdict(&model, defines, &options);
            match expected {
                "holds" => held += 1,
                _ => violated += 1,
            }
            if got != expected {
                wrong.push(format!("{} {defines} {property}: expected {expected}, got {got}", model.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), held + violated, wrong.join("\n"));
    assert!(held > 60 && violated > 60, "only {held} that hold and {violated} that do not were checked");
}
