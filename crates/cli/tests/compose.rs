//! `compose` as users meet it: exit codes, JSON, plans, the nets and architectures of the project.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

fn run(folder: &Path, command: &str, code: i32) -> String {
    let words = command.split_whitespace();
    let out = Command::new(env!("CARGO_BIN_EXE_ferrospin")).args(words).current_dir(folder).output().expect("it runs");
    let text = String::from_utf8(out.stdout).expect("text") + &String::from_utf8(out.stderr).expect("text");
    assert_eq!(out.status.code(), Some(code), "{command}: {text}");
    text
}

fn nets() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/nets")
}

/// A folder of its own with these files.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("compose").join(name);
    std::fs::create_dir_all(&folder).expect("a folder");
    for (name, text) in files {
        std::fs::write(folder.join(name), text).expect("the folder can be written");
    }
    folder
}

#[test]
fn models_of_the_project() {
    let said = run(&nets(), "compose --quiet chiron3.toml", 0);
    assert_eq!(said, "chiron3.toml: 3 states, 4 transitions, peak 18 states\n");
    let said = run(&nets(), "compose --quiet relay.toml", 0);
    assert!(said.starts_with("relay.toml: 5 states"), "{said}");
    run(&nets(), "compose philosophers.toml", 0);
    let said = run(&nets(), "compose logger.toml", 1);
    assert!(said.contains("System: right (System with its deployment: 29 states, 57 transitions)"), "{said}");
    assert!(said.contains("    ERR_UNBOUND(C.log)\n") && said.contains("    ERR_UNBOUND(C/B.log)\n"), "{said}");
    let said = run(&nets(), "compose --deployment System logger.toml", 0);
    assert_eq!(said.matches("right").count(), 1, "{said}");
    let said = run(&nets(), "compose two_clients.toml", 1);
    assert!(said.contains("both bound: right") && said.contains("ERR_UNBOUND(Right.ask)"), "{said}");
    // Level by level the answers are the same.
    for plan in ["auto", "written"] {
        let said = run(&nets(), &format!("compose --plan {plan} logger.toml"), 1);
        assert_eq!(said.matches(": right").count(), 3, "{said}");
        assert!(said.contains("ERR_UNBOUND(C.log)") && said.contains("ERR_UNBOUND(C/B.log)"), "{said}");
    }
}

/// Every plan gives the same system.
#[test]
fn plans_agree() {
    let out = folder("plans", &[]);
    for name in ["chiron3", "relay", "philosophers"] {
        let net = nets().join(format!("{name}.toml"));
        for plan in ["auto", "flat"] {
            run(&out, &format!("compose --plan {plan} -o {name}_{plan}.aut {}", net.display()), 0);
        }
        run(&out, &format!("compare --notion branching {name}_auto.aut {name}_flat.aut"), 0);
    }
}

#[test]
fn reports() {
    let json = |command: &str, code| -> Value { serde_json::from_str(&run(&nets(), command, code)).expect("JSON") };
    let report = json("compose --format json chiron3.toml", 0);
    let property = &report["properties"][0];
    assert_eq!((&property["kind"], &property["figures"]["peak"]), (&"composition".into(), &18.into()));
    assert_eq!(property["figures"]["steps"].as_array().map(Vec::len), Some(6));
    let report = json("compose --format json logger.toml", 1);
    assert_eq!(report["verdict"], "violated");
    let verdicts: Vec<&str> =
        report["properties"].as_array().expect("a list").iter().map(|p| p["verdict"].as_str().expect("text")).collect();
    assert_eq!(verdicts, ["holds", "violated", "holds", "violated", "holds"]);
    assert_eq!(report["properties"][2]["figures"]["running_states"], 12);
    assert_eq!(report["properties"][1]["evidence"]["kind"], "trail");
    let report = json("compose --format json missing.toml", 2);
    assert_eq!(report["diagnostics"][0]["code"], "cannot-read");
}

#[test]
fn bad_input() {
    let net = "[parts]\na = ['0 x 1']\nb = ['0 x 1']\n[[steps]]\nname = 'both'\nof = ['a', 'c']\n";
    let files = &[
        ("broken.toml", "[parts\n"),
        ("empty.toml", ""),
        ("plan.toml", net),
        ("file.toml", "[parts]\na = 'none.aut'\n"),
        ("aut.toml", "[parts]\na = 'bad.aut'\n"),
        ("bad.aut", "des (0, 1, 1)\n"),
        ("deploy.toml", "[components.A]\n[[deployments]]\nname = 'd'\nof = 'A'\nsteps = ['start B']\n"),
        ("none.toml", "[components.A]\n"),
        ("inside.toml", "[components.A]\ncontains = { a = 'A' }\n[[deployments]]\nname = 'd'\nof = 'A'\nsteps = []\n"),
    ];
    let folder = folder("bad", files);
    for (name, expected) in [
        ("broken", "line 1"),
        ("empty", "neither `parts`"),
        ("plan", "step `both` composes `c`"),
        ("file", "cannot read `none.aut`"),
        ("aut", "bad.aut:2:1"),
        ("deploy", "`start(B)`, which is no control action here; there is `start(A)`"),
        ("none", "no deployment is written down"),
        ("inside", "component `A` contains itself"),
    ] {
        let said = run(&folder, &format!("compose {name}.toml"), 2);
        assert!(said.contains(expected), "{name}: {said}");
    }
    run(&folder, "compose --plan written file.toml", 2);
    run(&folder, "compose", 2);
}

/// Twenty-four switches: 16,777,216 states at once, a few part by part.
#[test]
fn limits() {
    let parts: String = (0..24).map(|i| format!("p{i} = ['0 on{i} 1', '1 off{i} 0']\n")).collect();
    let folder = folder("limits", &[("switches.toml", &format!("observe = ['on0']\n[parts]\n{parts}"))]);
    let said = run(&folder, "compose --plan flat --time-limit 1ms switches.toml", 3);
    assert!(said.contains("undecided: the time limit was reached"), "{said}");
    run(&folder, "compose --quiet switches.toml", 0);
}

#[test]
fn pictures() {
    let net = "observe = ['in', 'out']\n[parts]\na = ['0 in 1', '1 x 0']\n\"b\\\"\" = ['0 x 1', '1 out 0']\n";
    let folder = folder("pictures", &[("m.toml", net), ("mine.dot", "graph mine {}\n")]);
    run(&folder, "compose --picture plan.dot m.toml", 0);
    // An earlier picture is replaced, another file is not.
    run(&folder, "compose --picture plan.dot m.toml", 0);
    run(&folder, "compose --picture mine.dot m.toml", 2);
    expect_test::expect![[r#"
        digraph plan {
          rankdir=BT;
          node [shape=box, fontname="sans-serif"];
          "a" [label="a: 2 states"];
          "b\"" [label="b\": 2 states"];
          "step 1" [shape=ellipse, label="step 1: 4 states -> 3", style=bold];
          "a" -> "step 1";
          "b\"" -> "step 1";
        }
    "#]]
    .assert_eq(&std::fs::read_to_string(folder.join("plan.dot")).expect("it was written"));
}
