//! Formulas that hold because their left side never happens are told, with the part; others are left alone.

use crate::{folder, run};
use serde_json::Value;

const MODEL: &str = "mtype = { red, green }; mtype light = red; byte x; bool req, ack, err; chan q = [2] of { byte };
active proctype P() {
    do
    :: x < 4 -> x++
    :: x == 4 -> x = 0; req = true
    :: req && !ack -> ack = true; q!x
    :: ack -> ack = false; req = false; q?_; if :: light = green :: light = red fi
    od
}
active proctype Q() { far: (x == 50) -> err = true }
";

/// Each formula with the parts of it that never happen.
const FORMULAS: [(&str, &[&str]); 24] = [
    ("[] (err -> <> ack)", &["err"]),
    ("[] (x > 9 -> <> (x == 0))", &["(x > 9)"]),
    ("[] (Q@far && err -> req)", &["Q@far && err"]),
    ("[] (!err || req)", &["err"]),
    ("[] (x == 50 -> X err)", &["(x == 50)"]),
    ("<> err -> (!req U ack)", &["<>err"]),
    ("[] (req -> [] (err -> ack))", &["err"]),
    ("[] ((x == 7) -> (ack U req))", &["(x == 7)"]),
    ("[] ((light == green && err) -> <> (light == red))", &["(light == green) && err"]),
    ("[] (len(q) == 2 -> <> (len(q) == 0))", &["(len(q) == 2)"]),
    ("([] <> err) -> [] <> ack", &["[]<>err"]),
    ("[] ((err U ack) && err -> ack)", &["err && (err U ack)"]),
    ("[] (x == 4 -> (x == 4 W x == 0))", &[]),
    ("[] (ack -> req)", &[]),
    ("[] (x < 5)", &[]),
    ("[] (req -> (req W !req))", &[]),
    ("[] (x == 3 -> x < 4)", &[]),
    ("[] (!ack || req)", &[]),
    ("<> (x == 4) -> <> (x == 3)", &[]),
    ("[] (x == 1 -> x < 5)", &[]),
    ("[] (light == green -> x < 5)", &[]),
    ("[] !err", &[]),
    ("[] (Q@far -> x < 50)", &[]),
    ("[] (x == 0 -> [] (x == 2 -> x < 3))", &[]),
];

#[test]
fn left_sides_that_never_happen_are_told() {
    let dir = folder("vacuity");
    std::fs::write(dir.join("m.pml"), MODEL).expect("the folder can be written");
    let (mut found, mut left_alone) = (0, 0);
    for (formula, parts) in FORMULAS {
        let (_, said, why) =
            run(&dir, &["check", "--no-trail", "--advice", "full", "--format", "json", "--ltl", formula, "m.pml"]);
        let report: Value = serde_json::from_str(&said).unwrap_or_else(|e| panic!("{formula}: {e}: {said} {why}"));
        let property = &report["properties"][0];
        assert_eq!(property["verdict"], "holds", "{formula}: {said}");
        assert_eq!(property["vacuous"], serde_json::json!(parts), "{formula}");
        let (_, text, _) = run(&dir, &["check", "--no-trail", "--advice", "full", "--ltl", formula, "m.pml"]);
        assert_eq!(text.contains("it holds for a poor reason"), !parts.is_empty(), "{formula}: {text}");
        assert!(parts.iter().all(|part| text.contains(&format!("`{part}` never happens"))), "{formula}: {text}");
        if parts.is_empty() { left_alone += 1 } else { found += 1 }
    }
    assert_eq!((found, left_alone), (12, 12));
}

/// What no run executes is listed by statement with its range; where every run was seen.
#[test]
fn what_is_never_executed_is_listed() {
    let dir = folder("coverage");
    let model = "byte x; chan q = [1] of { byte };
active proctype P() { if :: x == 1 -> assert(x > 5); lost: x = 7 :: else -> skip fi }
proctype R() { q!1 }
";
    std::fs::write(dir.join("m.pml"), model).expect("the folder can be written");
    let (_, said, _) = run(&dir, &["check", "--no-trail", "--advice", "full", "--format", "json", "m.pml"]);
    let report: Value = serde_json::from_str(&said).expect("JSON");
    let coverage = &report["coverage"];
    assert_eq!(coverage["exact"], true);
    let never: Vec<String> = coverage["never"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|n| {
            let at = &n["location"];
            let place = if at.is_null() { String::new() } else { format!(" {}:{}", at["line"], at["column"]) };
            format!("{} {}{place}", n["kind"].as_str().unwrap_or("?"), n["text"].as_str().unwrap_or("?"))
        })
        .collect();
    let expected = [
        "process R 3:16",
        "assertion assert(x > 5) 2:39",
        "label lost",
        "branch x == 1 2:29",
        "channel q",
        "statement x = 7 2:60",
    ];
    assert!(expected.iter().all(|e| never.iter().any(|n| n == e)), "{never:#?}");
    assert!(coverage["edges"].as_array().is_some_and(|edges| edges.iter().any(|e| e["executed"] == true)));
    // A violated search has seen a part only, and says so.
    std::fs::write(dir.join("v.pml"), "byte x; active proctype P() { x = 1; assert(x == 2); x = 3 }").expect("a file");
    let (_, said, _) = run(&dir, &["check", "--no-trail", "--format", "json", "v.pml"]);
    let report: Value = serde_json::from_str(&said).expect("JSON");
    assert_eq!(report["coverage"]["exact"], false);
    for file in ["c.lcov", "c.html"] {
        let (code, said, why) = run(&dir, &["check", "--no-trail", "--coverage", file, "m.pml"]);
        assert_eq!(code, Some(0), "{said}{why}");
        assert!(said.contains("never executed in P: assert(x > 5)"), "{said}");
        assert!(std::fs::read_to_string(dir.join(file)).is_ok_and(|text| text.contains("m.pml")));
    }
}
