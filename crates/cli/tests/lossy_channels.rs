//! `--lossy-channels`: verdicts and counts that SPIN has with `-m`, by both engines, with and without reduction; a trail that says
//! how it was made.

use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output};

fn program(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ferrospin")).args(args).output().expect("the program runs")
}

/// A file of this test.
fn file(name: &str, text: &str) -> PathBuf {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("lossy_channels");
    std::fs::create_dir_all(&dir).expect("a folder");
    let path = dir.join(name);
    std::fs::write(&path, text).expect("a file");
    path
}

/// Models with the errors, states and transitions of `spin -a -o1 -o2 -o3 -m`, `cc -DSAFETY -DNOREDUCE`, `pan -n -c0`.
const RECORDED: &[(&str, u64, u64, u64)] = &[
    ("chan q = [1] of { byte }; active proctype A() { q!1; q!2 }", 0, 4, 4),
    // What is lost is no event.
    ("chan q = [1] of { byte }; active proctype A() { q!1; q!2 } trace { q!1 }", 0, 4, 4),
    (
        "chan q = [1] of { byte }; chan r = [0] of { byte };
         active proctype A() { q!1; q!!2; r!3; q!4; assert(len(q) == 1) }
         active proctype B() { byte x; r?x; q?x }
         trace { q!1; q!2; q!4 }",
        4,
        18,
        22,
    ),
    // A send can always be executed, in a selection, a `d_step`, an `atomic` and a loop; guards ask as ever.
    (
        "chan q = [1] of { byte }; byte x;
         active proctype A() { q!1; if :: q!2 -> x = 1 :: else -> x = 2 fi; d_step { x = 3; q!!4; x = 4 };
           atomic { q!5; x = 6 }; do :: full(q) -> q!7 :: nfull(q) -> break od unless x == 7 }
         active proctype B() { byte y; q?y; end: q?[y] -> x = 7 }",
        0,
        86,
        130,
    ),
    (
        "chan q = [2] of { byte };
         active [2] proctype A() { byte i; do :: i < 3 -> q!!i; i++ :: else -> break od }
         active proctype B() { byte y; end: do :: q?y :: q??1 od }",
        0,
        1279,
        3614,
    ),
    // Handshakes wait for their partner as ever.
    (
        "chan r = [0] of { byte }; chan q = [1] of { byte };
         active proctype A() { r!1; q!1; q!2; r!3 }
         active proctype B() { byte x; r?x; q?x; r?x; assert(x == 3) }",
        0,
        15,
        15,
    ),
    (
        "chan q[2] = [1] of { byte, bit }; byte got;
         proctype S(chan c) { byte i; do :: i < 2 -> atomic { c!i, 1; i++ } :: i == 2 -> break od }
         active proctype R() { byte x; bit b; end: do :: q[0]?x,b -> got = x :: q[1]?x,b od }
         init { run S(q[0]); run S(q[1]); (_nr_pr == 2); assert(got != 1) }",
        5,
        606,
        1360,
    ),
];

fn check(path: &str, more: &[&str]) -> Value {
    let args = ["check", path, "--lossy-channels", "--safety", "--no-trail", "--allow", "all", "--format", "json"];
    let output = program(&[&args, more].concat());
    serde_json::from_slice(&output.stdout).expect("a report")
}

#[test]
fn counts_are_those_of_spin() {
    for (i, (text, errors, states, transitions)) in RECORDED.iter().enumerate() {
        let path = file(&format!("recorded{i}.pml"), text);
        let path = path.to_str().expect("a plain path");
        for (engine, threads) in [("native", "1"), ("native", "2"), ("interp", "1")] {
            let report = check(path, &["--plain", "--max-errors", "0", "--engine", engine, "--threads", threads]);
            let p = &report["properties"][0];
            assert_eq!(
                (p["errors"].as_u64(), p["states"].as_u64(), p["transitions"].as_u64()),
                (Some(*errors), Some(*states), Some(*transitions)),
                "{engine} {threads} {text}"
            );
        }
        let verdict = if *errors > 0 { "violated" } else { "holds" };
        let report = check(path, &["--threads", "1"]);
        assert_eq!(report["properties"][0]["verdict"], verdict, "{text}");
        assert!(report["properties"][0]["states"].as_u64() <= Some(*states), "{text}");
    }
}

/// Replaying needs no option: the trail says how its model was read, and a lost message is told.
#[test]
fn a_trail_knows_that_messages_were_lost() {
    let path = file("lost.pml", "chan q = [1] of { byte }; active proctype A() { q!1; q!2; q?1; assert(nempty(q)) }");
    let path = path.to_str().expect("a plain path");
    let output = program(&["check", path, "--lossy-channels", "--overwrite"]);
    assert_eq!(output.status.code(), Some(1));
    let replayed = program(&["replay", path]);
    let text = String::from_utf8(replayed.stdout).expect("text");
    assert!(text.contains("q!2 (the message is lost)"), "{text}");
    let guided = program(&["simulate", path, "--trail", &format!("{path}.trail.json")]);
    let text = String::from_utf8(guided.stdout).expect("text");
    assert!(text.contains("trail ends after 4 steps"), "{text}");
    // Without the option the second send waits for ever.
    let report = program(&["check", path, "--no-trail", "--quiet"]);
    assert_eq!(report.status.code(), Some(1));
    assert!(String::from_utf8(report.stdout).expect("text").contains("invalid end state"));
}
