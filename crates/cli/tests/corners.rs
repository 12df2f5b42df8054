//! Programs for places where constructs meet, in every way of looking at them.
//!
//! Verdicts are those of SPIN, recorded beside the programs (`crates/testkit/tests`). A check agrees in its default mode, with
//! `--plain`, and with both engines; where a program has one run only, a simulation takes that run, and a replay tells it.

use ferrospin::files::DiskLoader;
use ferrospin::front;
use ferrospin::report::Verdict;
use ferrospin::verify::{Engine, Goal, Goals, Options, verify};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

struct Row {
    path: PathBuf,
    violated: bool,
    /// It has no more transitions than states.
    is_straight: bool,
}

fn rows(folder: &str) -> Vec<Row> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testkit/tests").join(folder);
    let table = std::fs::read_to_string(folder.join("expected.tsv")).expect("a table");
    let row = |line: &str| {
        let columns: Vec<&str> = line.split('\t').collect();
        let path = folder.join(format!("{}.pml", columns[0]));
        (columns[1] != "refused").then(|| Row {
            path,
            violated: columns[1] == "violated",
            is_straight: columns[2] == columns[3],
        })
    };
    table.lines().skip(1).filter_map(row).collect()
}

fn run(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ferrospin")).args(args).output().expect("the program runs")
}

/// The verdicts of all modes on the programs of a folder.
fn check_folder(folder: &str) {
    let mut wrong = Vec::new();
    let rows = rows(folder);
    assert!(rows.len() > 20, "only {} programs", rows.len());
    for row in rows {
        let name = row.path.display();
        let text = std::fs::read(&row.path).expect("a program");
        let text = String::from_utf8_lossy(&text);
        let front = front::read_text("m.pml", text.as_ref(), &front::Options::default(), &mut DiskLoader::default());
        // The verdict of a run beside a claim is about the claim.
        if text.contains("never {") {
            continue;
        }
        for (plain, engine) in
            [(false, Engine::Native), (true, Engine::Native), (false, Engine::Interp), (true, Engine::Interp)]
        {
            let options = Options {
                goals: Goals::Only(vec![Goal::Safety]),
                partial_order: !plain,
                optimize: !plain,
                engine,
                ..Options::default()
            };
            let verdict = verify(&front, &options).map(|report| report.properties[0].verdict);
            let expected = if row.violated { Verdict::Violated } else { Verdict::Holds };
            if !matches!(&verdict, Ok(v) if *v == expected) {
                wrong.push(format!("{name}: plain {plain}, {engine:?}: {verdict:?}, not {expected:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn corners_have_one_verdict() {
    check_folder("corners");
}

#[test]
fn programs_that_once_differed_have_one_verdict() {
    check_folder("random");
}

/// What a simulation runs into, and what a replay tells, is what the check has found.
#[test]
fn one_run_is_told_alike() {
    let trail = std::env::temp_dir().join(format!("ferrospin-corners-{}.trail.json", std::process::id()));
    let trail = trail.to_string_lossy();
    let ours = ["element_", "priority_", "underscore_", "dstep_nested_"];
    let mut violated = 0;
    for row in rows("corners").iter().chain(&rows("random")).filter(|r| r.is_straight) {
        let path = row.path.to_string_lossy();
        let name = row.path.file_stem().expect("a name").to_string_lossy();
        // A `select` has several runs, even where none of them meets another.
        if !ours.iter().any(|prefix| name.starts_with(prefix)) || name.contains("select") {
            continue;
        }
        let simulated = run(&["simulate", &path]);
        assert_eq!(simulated.status.code(), Some(i32::from(row.violated)), "{name}: {simulated:?}");
        if row.violated {
            violated += 1;
            let checked = run(&["check", "--safety", "--quiet", "--trail", &trail, &path]);
            assert_eq!(checked.status.code(), Some(1), "{name}: {checked:?}");
            let replayed = run(&["replay", &path, &trail]);
            assert!(replayed.status.success(), "{name}: {replayed:?}");
        }
    }
    let _ = std::fs::remove_file(trail.as_ref());
    assert!(violated >= 8, "only {violated}");
}
