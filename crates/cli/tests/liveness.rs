//! Formulas, claims, acceptance and progress through the program: every search gives the same verdict.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A model in a folder of its own.
struct Model {
    folder: PathBuf,
    path: PathBuf,
}

impl Model {
    fn new(name: &str, text: &str) -> Model {
        let folder = std::env::temp_dir().join(format!("ferrospin-liveness-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("m.pml");
        std::fs::write(&path, text).expect("a model");
        Model { folder, path }
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.join(name);
        std::fs::write(&path, text).expect("a file");
        path
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn check(model: &Path, options: &[&str]) -> serde_json::Value {
    let output = Command::new(env!("CARGO_BIN_EXE_ferrospin"))
        .args(["check", "--no-trail", "--quiet", "--format", "json"])
        .args(options)
        .arg(model)
        .output()
        .expect("the program runs");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"))
}

fn verdict(model: &Path, options: &[&str]) -> String {
    check(model, options)["verdict"].as_str().unwrap_or_default().to_string()
}

const SEARCHES: [&str; 6] = ["auto", "ndfs", "couvreur", "tau03", "cndfs", "ufscc"];

/// Two processes take turns; a third one may work for ever.
const TURNS: &str = "
    byte turn; bool busy;
    active [2] proctype P() { do :: turn == _pid -> progress: turn = 1 - turn od }
    active proctype W() { do :: busy = !busy od }
    ltl comes { []<> (turn == 1) }
    ltl stays { <>[] (turn == 1) }
";

#[test]
fn every_search_has_the_same_verdict() {
    let m = Model::new("turns", TURNS);
    for search in SEARCHES {
        let run = |options: &[&str]| {
            let all: Vec<&str> = ["--threads", "2", "--emptiness", search].iter().chain(options).copied().collect();
            verdict(&m.path, &all)
        };
        assert_eq!(run(&["--ltl", "comes"]), "violated", "{search}");
        assert_eq!(run(&["--ltl", "stays"]), "violated", "{search}");
        if search != "cndfs" {
            assert_eq!(run(&["--ltl", "comes", "--fair"]), "holds", "{search}");
            assert_eq!(run(&["--ltl", "stays", "--fair"]), "violated", "{search}");
            assert_eq!(run(&["--progress"]), "violated", "{search}");
            assert_eq!(run(&["--progress", "--fair"]), "holds", "{search}");
        }
    }
    assert_eq!(verdict(&m.path, &["--progress", "--emptiness", "testing"]), "violated");
}

#[test]
fn the_report_says_which_search_it_was() {
    let m = Model::new("which", TURNS);
    let of = |options: &[&str]| check(&m.path, options)["properties"][0]["search"].as_str().unwrap_or("").to_string();
    assert_eq!(of(&["--ltl", "comes", "--fair", "--threads", "1"]), "couvreur");
    assert_eq!(of(&["--ltl", "comes", "--threads", "1", "--emptiness", "weak"]), "weak");
    assert_eq!(of(&["--progress", "--threads", "8"]), "ufscc");
}

#[test]
fn what_a_search_cannot_decide_is_refused() {
    let m = Model::new("refused", TURNS);
    for options in [
        &["--ltl", "comes", "--fair", "--emptiness", "cndfs"][..],
        &["--progress", "--emptiness", "cndfs"],
        &["--acceptance", "--emptiness", "testing"],
        &["--ltl", "comes", "--fair", "--emptiness", "testing"],
        &["--ltl", "X (turn == 1)", "--emptiness", "testing"],
        &["--ltl", "stays", "--emptiness", "weak"],
    ] {
        assert_eq!(verdict(&m.path, options), "error", "{options:?}");
    }
}

/// SPIN finds no violation here, because its fairness hides the run in which both have ended.
#[test]
fn fairness_hides_nothing() {
    let m = Model::new("hides", "byte n; active [2] proctype P() { n++ } ltl p { <>[] (n == 1) }");
    for search in ["auto", "ndfs", "couvreur", "tau03", "ufscc"] {
        assert_eq!(verdict(&m.path, &["--fair", "--ltl", "p", "--emptiness", search]), "violated", "{search}");
    }
}

/// Labels of the model are no part of a formula.
#[test]
fn a_formula_accepts_by_itself() {
    let text = "byte x; active proctype A() { accept: do :: x = 1 - x od } ltl p { []<> (x == 1) }";
    let m = Model::new("accepts", text);
    assert_eq!(verdict(&m.path, &["--ltl", "p"]), "holds");
    assert_eq!(verdict(&m.path, &["--acceptance"]), "violated");
}

/// To SPIN these formulas are constants.
#[test]
fn temporal_operators_reach_over_comparisons() {
    let text = "byte x; active proctype A() { do :: x = 1 - x od }
        ltl always_one { [] x == 1 }
        ltl always_less { [] x + 1 < 3 }
        ltl often { []<> x == 1 -> <> x - 1 == 0 }
        ltl last { ! <> [] x != 0 }
        ltl neither { <> x > 1 || [] x == 0 }";
    let m = Model::new("reach", text);
    let verdicts = [
        ("always_one", "violated"),
        ("always_less", "holds"),
        ("often", "holds"),
        ("last", "holds"),
        ("neither", "violated"),
    ];
    for (name, expected) in verdicts {
        assert_eq!(verdict(&m.path, &["--ltl", name]), expected, "{name}");
    }
    assert_eq!(verdict(&m.path, &["--ltl", "[] x == 1"]), "violated");
}

#[test]
fn what_cannot_be_evaluated_is_an_error() {
    let model = Model::new(
        "failing",
        "byte a[3]; byte i; chan q;
         init { i = 2; i = 5; i = 0 }
         ltl outside { [] (a[i] == 0) }
         ltl guarded { [] (i < 3 -> a[i] == 0) }
         ltl halves { <> (i >= 3 || a[i] == 7) }
         ltl divided { [] (6 / i >= 0) }
         ltl no_channel { [] (len(q) == 0) }
         never claim { do :: a[i] == 0 od }",
    );
    for search in SEARCHES {
        let report = check(&model.path, &["--emptiness", search, "--max-errors", "0"]);
        let told = |name: &str| {
            let list = report["properties"].as_array().expect("a list");
            let p = list.iter().find(|p| p["name"] == name).unwrap_or_else(|| panic!("{name}: {report}"));
            format!("{} {} {}", p["verdict"], p["error"]["kind"], p["error"]["message"]).replace('"', "")
        };
        let formula = |why| format!("violated runtime the formula cannot be evaluated: {why}");
        assert_eq!(told("outside"), formula("index 5 is outside the array of 3"), "{search}");
        assert_eq!(told("guarded"), "holds null null", "{search}");
        assert_eq!(told("halves"), "holds null null", "{search}");
        assert_eq!(told("divided"), formula("division by zero"), "{search}");
        assert_eq!(told("no_channel"), formula("use of a channel variable that holds no channel"), "{search}");
        assert_eq!(
            told("claim"),
            "violated runtime the claim cannot be evaluated: index 5 is outside the array of 3",
            "{search}"
        );
    }
}

#[test]
fn claims_are_checked_by_name() {
    let text = "byte x; active proctype A() { do :: x = (x + 1) % 3 od }
        never first { do :: x == 0 :: x != 0 -> break od; accept: do :: x != 1 od }
        never second { do :: x < 2 :: x == 2 -> break od }";
    let m = Model::new("claims", text);
    assert_eq!(verdict(&m.path, &["--ltl", "first"]), "holds");
    assert_eq!(verdict(&m.path, &["--ltl", "second"]), "violated");
    let all = check(&m.path, &[]);
    let names: Vec<_> = all["properties"].as_array().expect("a list").iter().map(|p| p["name"].clone()).collect();
    assert_eq!(names, ["safety", "first", "second"]);
}

#[test]
fn automata_come_from_files() {
    let m = Model::new("hoa", "#define two x == 2\nbyte x; active proctype A() { do :: x = (x + 1) % 3 od }");
    // For ever without the proposition.
    let hoa = |ap: &str| {
        format!(
            "HOA: v1\nStates: 2\nStart: 0\nAP: 1 \"{ap}\"\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n--BODY--\n\
             State: 0\n[t] 0\n[!0] 1\nState: 1 {{0}}\n[!0] 1\n--END--\n"
        )
    };
    let good = m.file("good.hoa", &hoa("two"));
    let bad = m.file("bad.hoa", &hoa("x == 5"));
    let wrong = m.file("wrong.hoa", &hoa("no such thing"));
    assert_eq!(verdict(&m.path, &["--ltl", &good.to_string_lossy()]), "holds");
    assert_eq!(verdict(&m.path, &["--ltl", &bad.to_string_lossy()]), "violated");
    assert_eq!(verdict(&m.path, &["--ltl", &wrong.to_string_lossy()]), "error");
    assert_eq!(verdict(&m.path, &["--ltl", "missing.hoa"]), "error");
}

#[test]
fn a_run_that_never_leaves_its_atomic_is_found() {
    let text = "byte x; active proctype A() { atomic { do :: x = 1 - x od } } ltl p { <> (x == 5) }";
    let m = Model::new("atomic", text);
    let report = check(&m.path, &["--ltl", "p"]);
    assert_eq!(report["verdict"], "violated", "{report}");
}

#[test]
fn limits_are_kept() {
    let text = "int a, b; active proctype A() { do :: a++ :: b++ od } ltl p { []<> (a >= 0) }";
    let m = Model::new("limits", text);
    let report = check(&m.path, &["--ltl", "p", "--memory-limit", "64M"]);
    assert_eq!(report["verdict"], "undecided", "{report}");
    assert_eq!(report["properties"][0]["complete"], false);
}

/// Philosophers who take the left stick first: 3^N - 1 states, and each of them can starve.
fn philosophers(n: usize) -> String {
    format!(
        "#define N {n}
        bool taken[N];
        active [N] proctype P() {{
            do
            :: atomic {{ !taken[_pid] -> taken[_pid] = true }};
        waits: atomic {{ !taken[(_pid + 1) % N] -> taken[(_pid + 1) % N] = true }};
               taken[_pid] = false;
               taken[(_pid + 1) % N] = false
            od
        }}"
    )
}

#[test]
fn starving_philosophers_are_found_soon() {
    let small = Model::new("small", &philosophers(5));
    let plain = check(&small.path, &["--safety", "--plain", "--max-errors", "0"]);
    assert_eq!(plain["properties"][0]["states"], 242);
    let m = Model::new("ten", &philosophers(10));
    for i in 0..10 {
        let formula = format!("! <>[] (P[{i}]@waits)");
        let report = check(&m.path, &["--ltl", &formula, "--emptiness", "testing"]);
        let of = &report["properties"][0];
        assert_eq!(of["verdict"], "violated", "{report}");
        assert!(of["states"].as_u64().is_some_and(|n| n < 100), "{report}");
    }
}

/// The claim: `p` first, and then not `p`. It counts steps.
const FIRST_THEN_NOT: &str = "never { p; !p; accept: do :: true od }";

/// Verdict, and what closing the claim has shown.
fn closed(model: &Path, options: &[&str]) -> (String, String) {
    let report = check(model, options);
    let of = report["properties"].as_array().and_then(|p| p.last()).expect("a property").clone();
    let word = |v: &serde_json::Value| v.as_str().unwrap_or("-").to_string();
    (word(&of["verdict"]), word(&of["closure"]))
}

#[test]
fn a_claim_closed_under_stuttering_has_three_verdicts() {
    let programs = [
        (
            "bool p = true; active proctype P() { byte n; do :: n = 1 - n od }",
            ["holds", "applied"],
            ["holds", "applied"],
        ),
        (
            "bool p = true; active proctype P() { byte n; n = 1; p = false }",
            ["holds", "sensitive"],
            ["undecided", "sensitive"],
        ),
        ("bool p = true; active proctype P() { p = false }", ["violated", "applied"], ["violated", "applied"]),
    ];
    for (i, (text, auto, report)) in programs.into_iter().enumerate() {
        let never = Model::new(&format!("closed-{i}"), &format!("{text} {FIRST_THEN_NOT}"));
        let formula = Model::new(&format!("closed-ltl-{i}"), text);
        for (how, expected) in [("--stutter-close", auto), ("--stutter-close=report", report)] {
            let expected = (expected[0].to_string(), expected[1].to_string());
            assert_eq!(closed(&never.path, &[how, "--ltl", "never_0"]), expected, "{how} {text}");
            assert_eq!(closed(&formula.path, &[how, "--ltl", "!(p && X !p)"]), expected, "{how} {text}");
        }
        let as_it_is = closed(&never.path, &["--ltl", "never_0"]);
        assert_eq!(as_it_is, (auto[0].to_string(), "-".to_string()), "{text}");
    }
}

#[test]
fn what_cannot_be_closed_is_checked_as_it_is() {
    let text = "byte n; active proctype P() { n = 1 } never { n == 0; assert(n < 2); accept: do :: true od }";
    let m = Model::new("unclosed", text);
    let report = check(&m.path, &["--stutter-close", "--ltl", "never_0"]);
    let notes = report["properties"][0]["notes"].to_string();
    assert!(notes.contains("cannot be closed under stuttering"), "{notes}");
}

/// Local work of six processes beside what the formula looks at; its `X` makes no difference.
const REMOVABLE: &str = "bool p; active [6] proctype W() { byte i; do :: i < 3 -> i++ :: else -> break od }
    active proctype P() { p = true; p = false }";

#[test]
fn a_closed_claim_can_be_reduced() {
    let m = Model::new("removable", REMOVABLE);
    let states = |options: &[&str]| {
        let report = check(&m.path, options);
        assert_eq!(report["verdict"], "holds");
        report["properties"][0]["states"].as_u64().expect("states")
    };
    // Both say that p does not stay true from some time on; the first is no formula without X for a look at its text.
    let formula = "!<>[](p && X p)";
    let (reduced, full) = (states(&["--ltl", formula]), states(&["--ltl", formula, "--por", "off"]));
    assert!(reduced * 5 <= full, "{reduced} of {full}");
    // This one does depend on stuttering; closed, it is reduced, and no run is in the closure.
    let formula = "!(!p && X (p && X <>[] p))";
    let (closed, full) = (states(&["--stutter-close", "--ltl", formula]), states(&["--ltl", formula]));
    assert!(closed * 5 <= full, "{closed} of {full}");
}

/// Two that look before they lock, and count how often they have been in.
fn careless(count: &str) -> String {
    format!(
        "bool flag[2]; byte crit; {count} n; active [2] proctype P() {{ do :: flag[_pid] == 0 -> flag[1 - _pid] == 0;
            flag[_pid] = 1; crit++; crit--; flag[_pid] = 0; n++ od }} ltl mutex {{ [] (crit <= 1) }}"
    )
}

/// What follows a violation of `[] p` cannot mend it: no cycle is looked for, and the run ends where `p` is false.
#[test]
fn a_run_is_told_until_nothing_can_mend_it() {
    // No state of this one ever comes back.
    let m = Model::new("careless", &careless("int"));
    for options in [&["--ltl", "mutex"][..], &["--ltl", "mutex", "--por", "off"], &["--ltl", "mutex", "--fair"]] {
        let report = check(&m.path, options)["properties"][0].clone();
        assert_eq!((&report["verdict"], &report["error"]["depth"]), (&"violated".into(), &8.into()), "{report}");
        let message = report["error"]["message"].as_str().expect("a message");
        assert_eq!(message, "the formula fails, whatever follows");
    }
    let m = Model::new("careless-bit", &careless("bit"));
    for search in ["couvreur", "ndfs", "tau03", "weak", "cndfs", "ufscc"] {
        let report =
            check(&m.path, &["--ltl", "mutex", "--emptiness", search, "--por", "off"])["properties"][0].clone();
        assert_eq!(report["verdict"], "violated", "{search}");
        assert_eq!(report["error"]["message"], "the formula fails, whatever follows", "{search}");
        assert!(report["error"]["depth"].as_u64() >= Some(8), "{search}: {report}");
    }
    let output = Command::new(env!("CARGO_BIN_EXE_ferrospin"))
        .args(["check", "--ltl", "mutex", "--trail"])
        .args([&m.folder.join("t.json"), &m.path])
        .output()
        .expect("the program runs");
    let said = String::from_utf8(output.stdout).expect("text");
    assert!(said.contains("8  P[0]") && said.contains("crit: 1 -> 2") && !said.contains(" 9  P["), "{said}");
    let output = Command::new(env!("CARGO_BIN_EXE_ferrospin"))
        .arg("replay")
        .args([&m.path, &m.folder.join("t.json")])
        .output()
        .expect("the program runs");
    let said = String::from_utf8(output.stdout).expect("text");
    assert!(said.contains("crit = 2") && said.contains("whatever follows, after 8 steps"), "{said}");
}

/// A reduced search goes depth first, and follows the long process to its end before the quick one may move.
#[test]
fn near_violations_are_found_before_a_reduction_begins() {
    let text = "bool bad; active proctype Long() { int i; do :: i < 9000 -> i++ :: else -> break od }
        active proctype Quick() { bad = true } active proctype Idle() { do :: skip od }
        ltl good { [] !bad } ltl stays { [] (bad -> [] bad) }";
    let m = Model::new("scouted", text);
    let of = |options: &[&str]| {
        let report = check(&m.path, &[options, &["--emptiness", "couvreur"]].concat())["properties"][0].clone();
        let states = report["states"].as_u64().expect("states");
        (report["verdict"].clone(), report["reduction"].clone(), states, report["remarks"].to_string())
    };
    let (verdict, reduction, near, notes) = of(&["--ltl", "good", "--threads", "1"]);
    assert!(verdict == "violated" && reduction == "none" && notes.contains("before any reduction"), "{notes}");
    let (verdict, reduction, far, notes) = of(&["--ltl", "good", "--threads", "1", "--por", "on"]);
    assert!(verdict == "violated" && reduction == "stubborn" && notes == "null", "{notes}");
    assert!(near < 20 && far > 9000, "{near} {far}");
    // Where nothing is found, the report is that of a run without this search.
    let (verdict, reduction, states, notes) = of(&["--ltl", "stays", "--threads", "1"]);
    assert!(verdict == "holds" && reduction == "stubborn" && notes == "null", "{notes}");
    assert_eq!(of(&["--ltl", "stays", "--threads", "1", "--por", "on"]).2, states);
}

#[test]
fn what_cannot_be_reduced_says_why() {
    let m = Model::new("unreduced", TURNS);
    let of = |options: &[&str]| {
        let report = check(&m.path, options)["properties"][0].clone();
        (report["reduction"].as_str().unwrap_or_default().to_string(), report["notes"].to_string())
    };
    assert_eq!(of(&["--ltl", "comes", "--threads", "1", "--por", "on"]), ("stubborn".into(), "[]".into()));
    assert_eq!(of(&["--ltl", "comes", "--threads", "1", "--por", "off"]), ("none".into(), "[]".into()));
    for (options, why) in [
        (vec!["--ltl", "comes", "--fair"], "fairness"),
        (vec!["--ltl", "X (turn == 1)"], "stuttering"),
        (vec!["--ltl", "[] !timeout"], "timeout"),
        (vec!["--ltl", "comes", "--emptiness", "ufscc"], "many workers"),
        (vec!["--progress", "--emptiness", "testing"], "breadth-first"),
    ] {
        let (reduction, notes) = of(&options);
        assert!(reduction == "none" && notes.contains(why), "{options:?}: {notes}");
    }
}

#[test]
fn stores_that_give_small_numbers_serve_searches_for_cycles() {
    let m = Model::new("stores", TURNS);
    for (store, used) in [("tree", "tree"), ("collapse", "collapse"), ("compact", "tree"), ("bitstate", "exact")] {
        for search in SEARCHES {
            let report = check(&m.path, &["--ltl", "stays", "--store", store, "--emptiness", search, "--threads", "2"]);
            let of = &report["properties"][0];
            assert_eq!((&of["verdict"], &of["store"]), (&"violated".into(), &used.into()), "{store} {search}");
            assert_eq!(store != used, of["notes"].to_string().contains("instead of"), "{store} {search}");
        }
    }
}

/// A process can stay between two statements for ever, where no progress is made.
#[test]
fn staying_between_statements_is_no_progress() {
    let text = "byte g; active proctype P() { byte x; progress_0: g = 1; x = 1; progress_1: x == 2 }
        active proctype Q() { do :: g == 1 od }";
    let m = Model::new("between", text);
    for por in ["on", "off"] {
        assert_eq!(verdict(&m.path, &["--progress", "--por", por]), "violated", "{por}");
    }
}

/// A claim that accepts whatever follows, once it accepts at all, is searched for without a path.
#[test]
fn a_terminal_claim_is_searched_for_as_safety() {
    let text = "byte n; active [3] proctype P() { byte i; do :: i < 4 -> i++; n++; n-- :: else -> break od }";
    let m = Model::new("terminal", text);
    let depth = |formula: &str| {
        let report = check(&m.path, &["--ltl", formula, "--por", "off", "--threads", "1", "--emptiness", "couvreur"]);
        assert_eq!(report["verdict"], "holds");
        report["properties"][0]["depth"].as_u64().expect("a depth")
    };
    assert_eq!(depth("[] (n <= 3)"), 1);
    assert!(depth("<>[] (n == 0)") > 10);
}
