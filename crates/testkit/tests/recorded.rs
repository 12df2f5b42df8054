//! Results recorded in runs where Ferrospin and SPIN agreed; no SPIN is needed here.
//!
//! `recorded.tsv` holds random programs by their seed (made by `xtask fuzz-spin --record`), `random/expected.tsv` the
//! programs on which the two once differed, with the right counts, `corners/expected.tsv` programs written for places
//! where constructs meet, and the expectation files of `models/` all models.

use ferrospin_testkit::{Answer, answer, expectations, generate::generate};
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

fn read(path: &Path) -> String {
    let bytes = std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// An answer as the tables have it: verdict, states, transitions, and steps inside `atomic`.
fn told(a: &Answer) -> Vec<String> {
    match a {
        Answer::Refused(_) => vec!["refused".into()],
        Answer::Ran(c) => {
            let verdict = if c.errors > 0 { "violated" } else { "holds" };
            let steps = c.atomic_steps.map_or("-".into(), |n| n.to_string());
            vec![verdict.to_string(), c.states.to_string(), c.transitions.to_string(), steps]
        }
    }
}

/// A never claim takes part where there is one, except in the models, whose rows say what is looked at.
fn run(name: &str, text: &str) -> Answer {
    answer(name, text, &[], text.contains("never {"), 1_000_000)
}

fn check(wrong: Vec<String>) {
    assert!(wrong.is_empty(), "{} rows differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn random_programs_have_the_counts_of_spin() {
    let table = read(&folder().join("recorded.tsv"));
    let mut wrong = Vec::new();
    let mut rows = 0;
    for row in table.lines().skip(1) {
        let columns: Vec<&str> = row.split('\t').collect();
        let seed = columns[0].parse().expect("a seed");
        let got = told(&run("random", &generate(seed).text()));
        rows += 1;
        if got != columns[1..] {
            wrong.push(format!("seed {seed}: expected {:?}, got {got:?}", &columns[1..]));
        }
    }
    assert!(rows >= 300, "only {rows} rows");
    check(wrong);
}

/// Runs every program of a folder, and compares with the table there.
fn check_folder(name: &str) {
    let folder = folder().join(name);
    let table = read(&folder.join("expected.tsv"));
    let mut wrong = Vec::new();
    for row in table.lines().skip(1) {
        let columns: Vec<&str> = row.split('\t').collect();
        let path = folder.join(format!("{}.pml", columns[0]));
        let got = told(&run(&path.display().to_string(), &read(&path)));
        if got.join(" ") != columns[1..5].join(" ") {
            wrong.push(format!("{}: expected {:?}, got {got:?}: {}", columns[0], &columns[1..5], columns[5]));
        }
    }
    let files = std::fs::read_dir(&folder).expect("a folder").filter_map(Result::ok);
    let models = files.filter(|f| f.path().extension().is_some_and(|e| e == "pml")).count();
    assert_eq!(models, table.lines().skip(1).count(), "every model has its row");
    check(wrong);
}

#[test]
fn programs_that_once_differed_have_the_right_counts() {
    check_folder("random");
}

#[test]
fn corners_of_the_language_have_the_counts_of_spin() {
    check_folder("corners");
}

/// States above which a row is left to `xtask compare-spin --instances`.
const STATES_MAX: u64 = 50_000;

#[test]
fn models_have_the_counts_of_spin() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let (mut wrong, mut rows) = (Vec::new(), 0);
    for row in expectations::all(&folder).expect("models") {
        let Some((states, transitions)) = row.plain_counts().filter(|(states, _)| *states <= STATES_MAX) else {
            continue;
        };
        let defines: Vec<&str> = row.defines.iter().map(String::as_str).collect();
        let text = read(&row.model);
        let got = told(&answer(&row.model.display().to_string(), &text, &defines, false, 10 * STATES_MAX));
        rows += 1;
        let expected = [row.verdict.clone(), states.to_string(), transitions.to_string()];
        if got.len() < 3 || got[..3] != expected {
            wrong.push(format!("{}: expected {expected:?}, got {got:?}", row.name()));
        }
    }
    assert!(rows > 150, "only {rows} rows");
    check(wrong);
}
