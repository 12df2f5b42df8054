//! `compare`, `minimise` and `translate` as users meet them: exit codes, JSON, files.

use ferrospin::behaviour::{Labelling, View, of_model, of_subject};
use ferrospin::front;
use ferrospin::languages::LANGUAGES;
use ferrospin::verify::{Hooks, Limits};
use ferrospin_lts::compare::compare;
use ferrospin_lts::{Graph, Notion, Unwatched};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Runs a command in a folder of its own that holds these files.
fn run(folder: &str, files: &[(&str, &str)], command: &str) -> (Output, PathBuf) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("compare").join(folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    for (name, text) in files {
        std::fs::write(folder.join(name), text).expect("the folder can be written");
    }
    let words = command.split_whitespace();
    let out = Command::new(env!("CARGO_BIN_EXE_ferrospin")).args(words).current_dir(&folder).output().expect("it runs");
    (out, folder)
}

fn check(folder: &str, files: &[(&str, &str)], command: &str, code: i32) -> String {
    let (out, _) = run(folder, files, command);
    let text = String::from_utf8(out.stdout).expect("text") + &String::from_utf8(out.stderr).expect("text");
    assert_eq!(out.status.code(), Some(code), "{text}");
    text
}

const LATE: (&str, &str) = ("late.aut", "des (0, 3, 4)\n(0, a, 1)\n(1, b, 2)\n(1, c, 3)\n");
const EARLY: (&str, &str) = ("early.aut", "des (0, 4, 5)\n(0, a, 1)\n(0, a, 2)\n(1, b, 3)\n(2, c, 4)\n");

#[test]
fn exit_codes() {
    let files = &[LATE, EARLY, ("bad.aut", "des (0, 1, 2)\n(0, \"a, 1)\n"), ("bad.pml", "init { x = }")];
    check("codes", files, "compare late.aut late.aut", 0);
    let said = check("codes", files, "compare late.aut early.aut", 1);
    assert!(said.contains("!EF <\"a\"> !EF <\"c\"> true"), "{said}");
    let said = check("codes", files, "compare late.aut bad.aut", 2);
    assert!(said.contains("no closing quote") && said.contains("bad.aut:2:5") && said.contains('^'), "{said}");
    check("codes", files, "compare late.aut missing.aut", 2);
    check("codes", files, "compare bad.pml late.aut", 2);
    check("codes", files, "compare late.aut", 2);
    check("codes", files, "compare --props x late.aut early.aut", 2);
    check("codes", files, "minimise bad.aut", 2);
    check("codes", files, "minimise --format json late.aut", 2);
    check("codes", files, "translate --to nothing late.aut", 2);
    check("codes", files, "translate --to aut bad.pml", 2);
}

#[test]
fn limits_end_in_undecided() {
    let mut chain = "des (0, 200000, 200001)\n".to_owned();
    (0..200_000).for_each(|i| chain += &format!("({i}, a, {})\n", i + 1));
    let files = &[("chain.aut", &*chain), ("count.pml", "int x; active [3] proctype P() { do :: x++ od }")];
    let said = check("limits", files, "compare --time-limit 1ms chain.aut chain.aut", 3);
    assert!(said.contains("undecided: the time limit was reached"), "{said}");
    check("limits", files, "minimise --time-limit 1ms chain.aut", 3);
    // Two to the 32 states.
    let said = check("limits", files, "translate --to aut --time-limit 100ms count.pml", 3);
    assert!(said.contains("time limit"), "{said}");
    let said = check("limits", files, "compare --format json --memory-limit 20M count.pml count.pml", 3);
    let report: Value = serde_json::from_str(&said).expect("JSON");
    assert_eq!(report["verdict"], "undecided");
    assert_eq!(report["properties"][0]["complete"], false);
}

#[test]
fn json() {
    let files = &[LATE, EARLY];
    let said = check("json", files, "compare --format json --notion strong --formula f.txt late.aut early.aut", 1);
    let report: Value = serde_json::from_str(&said).expect("JSON");
    let property = &report["properties"][0];
    assert_eq!((&report["verdict"], &property["kind"]), (&"violated".into(), &"equivalence".into()));
    assert_eq!(property["evidence"]["kind"], "formula");
    assert_eq!(property["figures"]["states"], serde_json::json!([4, 5]));
    assert_eq!(property["error"]["kind"], "not-equivalent");
    let formula = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("compare/json/f.txt");
    let written = std::fs::read_to_string(formula).expect("the formula was written");
    let (head, text) = written.split_once('\n').expect("a head and the formula");
    assert_eq!(head, "// what tells two systems apart: a formula of late.aut and not of early.aut");
    assert_eq!(text.trim(), property["evidence"]["text"].as_str().expect("text"));
    let said = check("json", files, "compare --format json late.aut late.aut", 0);
    let report: Value = serde_json::from_str(&said).expect("JSON");
    assert_eq!((&report["verdict"], &report["properties"][0]["evidence"]), (&"holds".into(), &Value::Null));
    let said = check("json", files, "compare --format json late.aut none.aut", 2);
    let report: Value = serde_json::from_str(&said).expect("JSON");
    assert_eq!((&report["verdict"], &report["diagnostics"][0]["code"]), (&"error".into(), &"cannot-read".into()));
    let said = check("json", files, "minimise --format json -o small.aut --notion weak early.aut", 0);
    let report: Value = serde_json::from_str(&said).expect("JSON");
    assert_eq!(report["properties"][0]["figures"]["states"], serde_json::json!([5, 4]));
}

/// What is written can be compared with what it was made from.
#[test]
fn translations_behave_the_same() {
    let model = "chan c = [2] of { byte }; chan d = [0] of { byte };\n\
                 active proctype P() { atomic { c!1; c!2 } d!3; d!4 }\n\
                 active proctype Q() { byte x; c?x; assert(x == 1); c?x; d?x; d?x }";
    let files = &[("m.pml", model)];
    check("same", files, "translate --to aut -o m.aut m.pml", 0);
    let said = check("same", files, "compare --notion strong m.pml m.aut", 0);
    assert!(said.contains("equivalent: strongly bisimilar"), "{said}");
    check("same", files, "minimise -o small.aut m.pml", 0);
    check("same", files, "compare m.pml small.aut", 0);
    let dot = check("same", files, "translate --to dot --labels statements m.pml", 0);
    assert!(dot.starts_with("digraph") && dot.contains("P[0]: c!1"), "{dot}");
    let plain = check("same", files, "translate --to aut m.pml", 0);
    assert!(plain.contains("\"c!1; c!2\"") && plain.contains("\"c?2\"") && plain.contains("\"d.3\""), "{plain}");
}

#[test]
fn models_are_compared_by_variables() {
    let once = ("a.pml", "byte x; active proctype P() { byte i; x = 1; i = 1; i = 2; x = 2 }");
    let twice = ("b.pml", "byte x; active proctype P() { d_step { x = 5; x = 1 } x = 1; x = 2 }");
    let longer = ("c.pml", "byte x; active proctype P() { x = 1; x = 2; x = 3 }");
    let files = &[once, twice, longer];
    check("variables", files, "compare --props x a.pml b.pml", 0);
    let said = check("variables", files, "compare --props x a.pml c.pml", 1);
    assert!(said.contains("x=3"), "{said}");
    check("variables", files, "compare --props x<3 --notion strong a.pml b.pml", 1);
    check("variables", files, "compare --props x>0 a.pml c.pml", 0);
    let said = check("variables", files, "compare --props y a.pml b.pml", 2);
    assert!(said.contains("`y`"), "{said}");
    check("variables", files, "compare --props <>x a.pml b.pml", 2);
    // The files for other tools behave likewise.
    for name in ["a", "b", "c"] {
        check("variables", files, &format!("translate --to aut --props x -o {name}.aut {name}.pml"), 0);
    }
    check("variables", files, "compare a.aut b.aut", 0);
    check("variables", files, "compare a.aut c.aut", 1);
}

/// A failed assertion is something that can be seen, whatever is observed.
#[test]
fn failures_are_visible() {
    let good = ("good.pml", "byte x; active proctype P() { x = 1; assert(x == 1) }");
    let bad = ("bad.pml", "byte x; active proctype P() { x = 1; assert(x == 2) }");
    let said = check("failures", &[good, bad], "compare --observe none bad.pml good.pml", 1);
    assert!(said.contains("error: assertion violated"), "{said}");
    check("failures", &[good, bad], "compare --props x bad.pml good.pml", 1);
}

/// Relations that are coarser than bisimilarity: traces and simulation, both ways round.
#[test]
fn coarser_relations() {
    let once = ("once.aut", "des (0, 1, 2)\n(0, a, 1)\n");
    let files =
        &[LATE, EARLY, once, ("x.pml", "byte x; init { x = 1; x = 2 }"), ("y.pml", "byte x; init { x = 1; x = 0 }")];
    check("coarser", files, "compare --notion traces late.aut early.aut", 0);
    check("coarser", files, "compare --notion trace-inclusion once.aut early.aut", 0);
    let said = check("coarser", files, "compare --notion trace-inclusion early.aut once.aut", 1);
    assert!(said.ends_with("a trace of early.aut that once.aut does not have:\n  a\n  b\n"), "{said}");
    let said = check("coarser", files, "compare --notion traces once.aut early.aut", 1);
    assert!(said.contains("a trace of early.aut that once.aut does not have"), "{said}");
    check("coarser", files, "compare --notion simulation early.aut late.aut", 0);
    for notion in ["simulation", "weak-simulation"] {
        let said = check("coarser", files, &format!("compare --notion {notion} late.aut early.aut"), 1);
        assert!(said.contains("a formula that holds in late.aut and not in early.aut"), "{said}");
    }
    let said = check("coarser", files, "compare --notion stuttering-traces --props x x.pml y.pml", 1);
    assert!(said.contains("a trace of") && said.contains("{x=1}"), "{said}");
    check("coarser", files, "compare --notion stuttering-traces --props x x.pml x.pml", 0);
    let said = check("coarser", files, "compare --format json --notion traces once.aut early.aut", 1);
    let report: Value = serde_json::from_str(&said).expect("JSON");
    let property = &report["properties"][0];
    assert_eq!(
        (&property["evidence"]["kind"], &property["evidence"]["holds_in"]),
        (&"trace".into(), &"early.aut".into())
    );
    check("coarser", files, "minimise --notion traces late.aut", 2);
}

/// What `check` explores is compared, too: a protocol by its sessions, against the graph that was written of it.
#[test]
fn protocols_are_graphs() {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/protocols");
    let text = |name: &str| std::fs::read_to_string(models.join(name)).expect("it is there");
    let (broken, mended) = (text("nspk.proto"), text("nsl.proto"));
    let files = [("a.proto", broken.as_str()), ("b.proto", mended.as_str())];
    check("protocols", &files, "translate --to aut --labels statements -o a.aut a.proto", 0);
    check("protocols", &files, "compare --labels statements --notion strong a.proto a.proto", 0);
    check("protocols", &files, "compare --quiet --labels statements a.proto b.proto", 1);
    check("protocols", &files, "compare a.proto --props x b.proto", 2);
    check("protocols", &[("bad.proto", "protocol")], "minimise bad.proto", 2);
    check("protocols", &[("m.pml", "init { skip }")], "translate --to aut --sessions 2 m.pml", 2);
}

/// Promela is a subject of checks, too: told by its plain executor it has the graph that is made of its process graphs.
#[test]
fn promela_has_the_same_graph_either_way() {
    let models = [("peterson", "turn"), ("alternating_bit", ""), ("lossy_unless", ""), ("bakery_broken", "")];
    for (name, proposition) in models {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name).with_extension("pml");
        let options = front::Options::default();
        let front = front::read_path(&path, &options).expect("it is there");
        let loaded = (LANGUAGES[0].open)(&path, &options).expect("it is there");
        let subject = loaded.subject(None).expect("it can be run");
        let propositions: Vec<String> = proposition.split_whitespace().map(str::to_owned).collect();
        for labels in [Labelling::Messages, Labelling::Statements, Labelling::Nothing] {
            let view = View { labels, propositions: propositions.clone(), ends: true, ..View::default() };
            let (limits, hooks) = (Limits::default(), Hooks::default());
            let by_model = of_model(&front, &view, &limits, &hooks).expect("it is explored");
            let by_subject = of_subject(&*subject, &view, &limits, &hooks).expect("it is explored");
            let sizes = |g: &Graph| (g.state_count(), g.edge_count());
            assert_eq!(sizes(&by_model), sizes(&by_subject), "{name}");
            assert!(by_model.edge_count() > 10);
            let found = compare(&by_model, &by_subject, Notion::Strong, &Unwatched).expect("unwatched");
            assert!(found.equivalent(), "{name}: {labels:?}: {:?}", found.formula.map(|f| f.to_string()));
        }
    }
}
