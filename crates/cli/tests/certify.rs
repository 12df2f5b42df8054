//! `certify` as users meet it: every kind of evidence is read again, and one that was tampered with shows nothing.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

const FILES: &[(&str, &str)] = &[
    ("late.aut", "des (0, 3, 4)\n(0, a, 1)\n(1, b, 2)\n(1, c, 3)\n"),
    ("twice.aut", "des (0, 6, 7)\n(0, a, 1)\n(0, a, 4)\n(1, b, 2)\n(1, c, 3)\n(4, b, 5)\n(4, c, 6)\n"),
    ("early.aut", "des (0, 4, 5)\n(0, a, 1)\n(0, a, 2)\n(1, b, 3)\n(2, c, 4)\n"),
    ("less.aut", "des (0, 2, 3)\n(0, a, 1)\n(1, b, 2)\n"),
    ("up.pml", "byte x; active proctype P() { do :: x < N -> x++ :: x == N -> x = 0 od }"),
    ("skip.chi", "model { skip }"),
    ("nothing.chi", "model { eps }"),
    ("twoskips.chi", "model { skip; skip }"),
    ("input.aut", "des (0, 3, 3)\n(0, in, 1)\n(1, send, 2)\n(2, ack, 0)\n"),
    ("output.aut", "des (0, 3, 3)\n(0, send, 1)\n(1, out, 2)\n(2, ack, 0)\n"),
    ("faulty.aut", "des (0, 4, 3)\n(0, send, 1)\n(1, out, 2)\n(1, tau, 2)\n(2, ack, 0)\n"),
    ("order.aut", "des (0, 2, 2)\n(0, in, 1)\n(1, out, 0)\n"),
];

fn run(folder: &Path, command: &str, code: i32) -> String {
    let out = Command::new(env!("CARGO_BIN_EXE_ferrospin"))
        .args(command.split_whitespace())
        .current_dir(folder)
        .output()
        .expect("it runs");
    let text = String::from_utf8(out.stdout).expect("text") + &String::from_utf8(out.stderr).expect("text");
    assert_eq!(out.status.code(), Some(code), "{command}: {text}");
    text
}

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("certify").join(name);
    std::fs::create_dir_all(&folder).expect("a folder");
    for (name, text) in FILES {
        std::fs::write(folder.join(name), text).expect("the folder can be written");
    }
    folder
}

/// A command writes a certificate of this kind of evidence; it shows the answer, and the opposite answer it does not show.
fn check(command: &str, code: i32, evidence: &str) {
    let folder = folder(&command.replace([' ', '/', ',', '='], "_"));
    run(&folder, &format!("{command} --overwrite --quiet --certificate c.json"), code);
    let said = run(&folder, "certify c.json", 0);
    assert!(said.starts_with(&format!("c.json: the {evidence} shows that ")), "{said}");
    let report: Value = serde_json::from_str(&run(&folder, "certify --format json c.json", 0)).expect("JSON");
    assert_eq!((&report["verdict"], &report["properties"][0]["kind"]), (&"holds".into(), &"certificate".into()));
    let text = std::fs::read_to_string(folder.join("c.json")).expect("it was written");
    let mut forged: Value = serde_json::from_str(&text).expect("JSON");
    match forged["holds"].as_bool() {
        Some(holds) => forged["holds"] = (!holds).into(),
        // Of an assumption or trace the parts are changed.
        None if code == 0 => forged["parts"][1] = "faulty.aut".into(),
        None => forged["parts"][1] = "output.aut".into(),
    }
    std::fs::write(folder.join("forged.json"), forged.to_string()).expect("the folder can be written");
    let said = run(&folder, "certify forged.json", 1);
    assert!(said.contains("does NOT show"), "{said}");
}

#[test]
fn every_kind_of_evidence() {
    for notion in ["strong", "branching", "dpbranching", "weak"] {
        check(&format!("compare --notion {notion} late.aut twice.aut"), 0, "partition");
        check(&format!("compare --notion {notion} late.aut early.aut"), 1, "formula");
    }
    check("compare --notion traces late.aut early.aut", 0, "definition");
    check("compare --notion traces late.aut less.aut", 1, "trace");
    check("compare --notion trace-inclusion less.aut late.aut", 0, "definition");
    check("compare --notion trace-inclusion late.aut less.aut", 1, "trace");
    for notion in ["simulation", "weak-simulation"] {
        check(&format!("compare --notion {notion} early.aut late.aut"), 0, "definition");
        check(&format!("compare --notion {notion} late.aut early.aut"), 1, "formula");
    }
    check("compare --props x -DN=3 up.pml up.pml", 0, "partition");
    check("compare --notion stuttering-congruence skip.chi twoskips.chi", 0, "partition");
    check("compare --notion stuttering-congruence skip.chi nothing.chi", 1, "first step");
    for rule in ["asym", "sym"] {
        check(&format!("assume --rule {rule} --property order.aut input.aut output.aut"), 0, "assumption");
        check(&format!("assume --rule {rule} --property order.aut input.aut faulty.aut"), 1, "trace");
    }
}

/// Macros are part of what was compared: a certificate of the one model is none of the other.
#[test]
fn models_are_read_again_as_they_were() {
    let folder = folder("macros");
    run(&folder, "compare --overwrite --quiet --props x -DN=3 --certificate c.json up.pml up.pml", 0);
    let text = std::fs::read_to_string(folder.join("c.json")).expect("it was written");
    std::fs::write(folder.join("other.json"), text.replace("-DN=3", "-DN=4")).expect("the folder can be written");
    run(&folder, "certify other.json", 1);
}

#[test]
fn texts_that_are_no_certificates() {
    let folder = folder("bad");
    run(&folder, "compare --overwrite --quiet --certificate good.json late.aut twice.aut", 0);
    let good = std::fs::read_to_string(folder.join("good.json")).expect("it was written");
    let write = |text: &str| std::fs::write(folder.join("bad.json"), text).expect("the folder can be written");
    for (from, to, expected) in [
        ("\"certificate\": 1", "\"certificate\": 2", "version 2"),
        ("\"comparison\"", "\"novel\"", "no kind of certificate"),
        ("\"dpbranching\"", "\"likeness\"", "no notion `likeness`"),
        ("\"partition\"", "\"belief\"", "no kind of proof"),
        ("\"class_of\": \"", "\"class_of\": \"x ", "no number of a class"),
        ("late.aut", "gone.aut", "cannot read `gone.aut`"),
        ("\"holds\": true", "\"holds\": 1", "neither true nor false"),
    ] {
        assert!(good.contains(from), "{from}");
        write(&good.replace(from, to));
        let said = run(&folder, "certify bad.json", 2);
        assert!(said.contains(expected), "{expected}: {said}");
    }
    // Every text that ends too early is refused.
    for end in (0..good.trim_end().len()).step_by(7) {
        write(&good[..end]);
        run(&folder, "certify bad.json", 2);
    }
    run(&folder, "certify missing.json", 2);
    // A partition without its last class shows nothing, and none with all states in one class does.
    let (head, classes) = good.split_once("\"class_of\": \"").expect("a partition");
    let (classes, tail) = classes.split_once('"').expect("a text");
    let numbers: Vec<&str> = classes.split(' ').collect();
    for wrong in [numbers[1..].join(" "), vec!["0"; numbers.len()].join(" ")] {
        write(&format!("{head}\"class_of\": \"{wrong}\"{tail}"));
        run(&folder, "certify bad.json", 1);
    }
}
