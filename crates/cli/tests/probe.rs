//! Violations that lie deep are found by default, and the answer is the same for every number of workers.

use ferrospin_testkit::expectations;
use serde_json::Value;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

fn check(text: &str, options: &[&str]) -> Value {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ferrospin"))
        .args(["check", "--safety", "--quiet", "--no-trail", "--allow", "all", "--format", "json"])
        .args(options)
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program runs");
    child.stdin.take().expect("it reads").write_all(text.as_bytes()).expect("it reads all");
    let output = child.wait_with_output().expect("it ends");
    serde_json::from_slice(&output.stdout).expect("a report")
}

/// Six counters, each step of which is visible to all processes. Levels grow with the fifth power of their depth, and one of the counters must
/// come to `depth`.
fn counters(depth: u32) -> String {
    format!(
        "byte n[6]; byte last;
         active [6] proctype Count() {{ do :: d_step {{ n[_pid] < {depth} -> n[_pid]++; last = _pid }} :: n[_pid] == {depth} -> break od;
           assert(last != _pid) }}"
    )
}

/// What a report says that must not depend on workers.
fn answer(report: &Value) -> [&Value; 7] {
    let p = &report["properties"][0];
    [&p["verdict"], &p["states"], &p["transitions"], &p["depth"], &p["errors"], &p["error"], &p["notes"]]
}

#[test]
fn what_lies_deep_is_found_whatever_the_number_of_workers() {
    let model = counters(200);
    let one = check(&model, &["--threads", "1"]);
    let property = &one["properties"][0];
    assert_eq!(property["verdict"], "violated", "{one}");
    assert_eq!(property["error"]["kind"], "assertion", "{one}");
    assert!(property["depth"].as_u64() < Some(100), "the levels had not come so far: {one}");
    let notes = property["notes"].to_string();
    assert!(notes.contains("found depth first") && notes.contains("there may be a shorter run"), "{notes}");
    for threads in ["1", "2", "3"] {
        assert_eq!(answer(&check(&model, &["--threads", threads])), answer(&one), "{threads}");
    }
    let interp = check(&model, &["--threads", "2", "--engine", "interp", "--self-check"]);
    assert_eq!(interp["properties"][0]["error"], property["error"]);
}

/// Who asks for an order gets it, and who wants to count violations gets the count.
#[test]
fn an_order_that_was_asked_for_is_kept() {
    let model = counters(200);
    for options in [&["--search", "bfs"][..], &["--plain"], &["--por", "off"], &["--por-proviso", "level"]] {
        let report = check(&model, &[options, &["--memory-limit", "30M"]].concat());
        assert_eq!(report["verdict"], "undecided", "{options:?}: {report}");
    }
}

#[test]
fn where_nothing_is_wrong_nothing_changes() {
    let model = counters(9).replace("assert(last != _pid)", "skip");
    let (ours, plain) = (check(&model, &["--threads", "2"]), check(&model, &["--search", "bfs", "--threads", "1"]));
    assert_eq!(ours["verdict"], "holds", "{ours}");
    assert!(ours["properties"][0]["states"].as_u64() > Some(300_000), "it is large enough for probes: {ours}");
    assert_eq!(answer(&ours), answer(&plain));
}

/// The shortest counterexamples are as short as before: probes start late.
#[test]
fn near_violations_stay_the_shortest() {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut seen = 0;
    for row in expectations::all(&models).expect("models") {
        if row.property != "safety" || row.verdict != "violated" || !row.defines.is_empty() || row.foreign() {
            continue;
        }
        let text = std::fs::read_to_string(&row.model).expect("a model");
        if text.contains("#include") || row.states.is_none_or(|states| states > 100_000) {
            continue;
        }
        let (ours, plain) = (check(&text, &[]), check(&text, &["--search", "bfs"]));
        assert_eq!(ours["properties"][0]["error"], plain["properties"][0]["error"], "{}", row.name());
        seen += 1;
    }
    assert!(seen >= 3, "only {seen} models are violated");
}
