//! Statement merging and dead-value resetting change no answer: verdicts, kinds of errors and unreached code are those of
//! the plain graphs, counterexamples can be replayed on them, and there are never more states.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Largest plain state space that is checked here.
const STATES_MAX: u64 = 5_000;

fn run(model: &Path, defines: &str, args: &[&str], trail: Option<&str>) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ferrospin"))
        .args(args)
        .args(defines.split_whitespace().filter(|d| *d != "-"))
        .arg(model)
        .args(trail)
        .output()
        .expect("the program runs")
}

fn check(model: &Path, defines: &str, trail: &str, more: &[&str]) -> Value {
    let mut args = vec!["check", "--safety", "--quiet", "--format", "json", "--threads", "1", "--trail", trail];
    args.extend(more);
    let output = run(model, defines, &args, None);
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{}: {e}: {}", model.display(), String::from_utf8_lossy(&output.stderr)))
}

fn tables(folder: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = std::fs::read_dir(folder).expect("models").flatten().map(|e| e.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            tables(&path, out);
        } else if path.to_string_lossy().ends_with(".expect.tsv") {
            out.push(path);
        }
    }
}

#[test]
fn answers_are_those_of_the_plain_graphs() {
    let mut files = Vec::new();
    tables(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models"), &mut files);
    let trail = std::env::temp_dir().join(format!("ferrospin-passes-{}.trail.json", std::process::id()));
    let trail = trail.to_string_lossy();
    let (mut smaller, mut replayed) = (0, 0);
    for file in files {
        let model = PathBuf::from(file.to_string_lossy().replace(".expect.tsv", ".pml"));
        let table = std::fs::read_to_string(&file).expect("a table");
        for row in table.lines().skip(1) {
            let r: Vec<&str> = row.split('\t').collect();
            let small = r[4].parse().is_ok_and(|states: u64| states <= STATES_MAX);
            if r[1] != "safety" || !small || r[7].contains("embedded C") {
                continue;
            }
            let what = format!("{} {}", model.display(), r[0]);
            let plain = check(&model, r[0], &trail, &["--plain"]);
            let passed = check(&model, r[0], &trail, &["--por", "off"]);
            assert_eq!(passed["verdict"], plain["verdict"], "{what}");
            assert_eq!(passed["unreached"], plain["unreached"], "{what}");
            let (a, b) = (&passed["properties"][0], &plain["properties"][0]);
            assert_eq!(a["error"]["kind"], b["error"]["kind"], "{what}");
            let states = |p: &Value| p["states"].as_u64().expect("counted");
            if a["verdict"] == "holds" {
                assert!(states(a) <= states(b), "{what}: {} states, {} plain", states(a), states(b));
                smaller += u32::from(states(a) < states(b));
            } else {
                let output = run(&model, r[0], &["replay"], Some(&trail));
                let said = String::from_utf8_lossy(&output.stderr);
                assert!(output.status.success(), "{what}: {said}");
                replayed += 1;
            }
        }
    }
    let _ = std::fs::remove_file(trail.as_ref());
    assert!(smaller >= 10, "only {smaller} models have become smaller");
    assert!(replayed >= 10, "only {replayed} counterexamples were replayed");
}
