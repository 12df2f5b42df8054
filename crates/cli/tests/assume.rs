//! `assume` as users meet it: exit codes, JSON, assumptions kept and used again.

use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

const FILES: &[(&str, &str)] = &[
    ("input.aut", "des (0, 3, 3)\n(0, in, 1)\n(1, send, 2)\n(2, ack, 0)\n"),
    ("output.aut", "des (0, 3, 3)\n(0, send, 1)\n(1, out, 2)\n(2, ack, 0)\n"),
    ("faulty.aut", "des (0, 4, 3)\n(0, send, 1)\n(1, out, 2)\n(1, tau, 2)\n(2, ack, 0)\n"),
    ("order.aut", "des (0, 2, 2)\n(0, in, 1)\n(1, out, 0)\n"),
    ("both.aut", "des (0, 2, 2)\n(0, in, 1)\n(0, in, 0)\n"),
    ("other.aut", "des (0, 1, 1)\n(0, elsewhere, 0)\n"),
    ("bad.aut", "des (0, 1, 1)\n"),
    ("model.pml", "init { skip }"),
];

fn run(command: &str, code: i32) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("assume").join(command.replace([' ', '/'], "_"));
    std::fs::create_dir_all(&folder).expect("a folder");
    for (name, text) in FILES {
        std::fs::write(folder.join(name), text).expect("the folder can be written");
    }
    let out = Command::new(env!("CARGO_BIN_EXE_ferrospin"))
        .args(command.split_whitespace())
        .current_dir(&folder)
        .output()
        .expect("it runs");
    let text = String::from_utf8(out.stdout).expect("text") + &String::from_utf8(out.stderr).expect("text");
    assert_eq!(out.status.code(), Some(code), "{text}");
    text
}

fn json(command: &str, code: i32) -> Value {
    serde_json::from_str(&run(command, code)).expect("JSON")
}

#[test]
fn exit_codes() {
    for rule in ["asym", "sym", "asym --alphabet-refine"] {
        run(&format!("assume --rule {rule} --property order.aut input.aut output.aut"), 0);
        let said = run(&format!("assume --rule {rule} --property order.aut input.aut faulty.aut"), 1);
        assert!(said.ends_with("violated by:\n  in\n  send\n  ack\n  in\n"), "{said}");
    }
    let said = run("assume --property both.aut input.aut output.aut", 2);
    assert!(said.contains("must be deterministic"), "{said}");
    let said = run("assume --property other.aut input.aut output.aut", 2);
    assert!(said.contains("`elsewhere`"), "{said}");
    run("assume --property order.aut input.aut bad.aut", 2);
    run("assume --property order.aut input.aut model.pml", 2);
    run("assume --property order.aut input.aut", 2);
    run("assume --property missing.aut input.aut output.aut", 2);
    run("assume --property order.aut --rule sym --reuse order.aut input.aut output.aut", 2);
    let said = run("assume --property order.aut --max-queries 3 input.aut output.aut", 3);
    assert!(said.contains("undecided: the limit on questions"), "{said}");
}

#[test]
fn reports() {
    let report = json("assume --format json --property order.aut --compare-monolithic input.aut output.aut", 0);
    let property = &report["properties"][0];
    assert_eq!((&report["verdict"], &property["kind"]), (&"holds".into(), &"safety".into()));
    assert_eq!(property["evidence"]["kind"], "assumption");
    assert_eq!((&property["figures"]["queries"], &property["figures"]["rounds"][1]["states"]), (&10.into(), &2.into()));
    assert_eq!(property["figures"]["monolithic"]["states"], 4);
    let report = json("assume --format json --property order.aut input.aut faulty.aut", 1);
    assert_eq!(report["properties"][0]["evidence"]["text"], serde_json::json!(["in", "send", "ack", "in"]));
    assert_eq!(report["properties"][0]["error"]["depth"], 4);
    let report = json("assume --format json --property both.aut input.aut output.aut", 2);
    assert_eq!((&report["verdict"], &report["diagnostics"][0]["code"]), (&"error".into(), &"usage".into()));
    let report = json("assume --format json --max-queries 3 --property order.aut input.aut output.aut", 3);
    assert_eq!(report["verdict"], "undecided");
}

/// An assumption that does is used again without a question; one that does not is learned anew.
#[test]
fn assumptions_are_used_again() {
    let report = json("assume --format json --property order.aut --reuse order.aut input.aut output.aut", 0);
    assert_eq!(report["properties"][0]["figures"]["reused"], false);
    run("assume --quiet --property order.aut --save-assumption ../need.aut input.aut output.aut", 0);
    let report = json("assume --format json --property order.aut --reuse ../need.aut input.aut output.aut", 0);
    let figures = &report["properties"][0]["figures"];
    assert_eq!((&figures["reused"], &figures["queries"]), (&true.into(), &0.into()));
    let report = json("assume --format json --property order.aut --reuse ../need.aut input.aut faulty.aut", 1);
    assert_eq!(report["properties"][0]["figures"]["reused"], false);
}
