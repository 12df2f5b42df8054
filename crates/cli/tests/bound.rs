//! `bound`: reference examples, what ends a loop and what does not, what is not understood; and every bound against a search.

use ferrospin_testkit::random::Random;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/bound")
}

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("bound").join(name);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn run(folder: &Path, args: &[&str]) -> (i32, String) {
    let out = Command::new(env!("CARGO_BIN_EXE_ferrospin")).args(args).current_dir(folder).output().expect("it runs");
    let text = String::from_utf8(out.stdout).expect("text") + &String::from_utf8(out.stderr).expect("text");
    (out.status.code().expect("it ends by itself"), text)
}

/// The report of a model in the test's own folder.
fn report(name: &str, model: &str, code: i32) -> Value {
    let folder = folder(name);
    std::fs::write(folder.join("m.pml"), model).expect("the folder can be written");
    let (found, text) = run(&folder, &["bound", "--format", "json", "m.pml"]);
    assert_eq!(found, code, "{name}: {text}");
    serde_json::from_str(&text).expect("JSON")
}

/// The bounds of all channels by name; `None` where it is not known.
fn bounds(report: &Value) -> Vec<(String, Option<i64>)> {
    let list = report["properties"].as_array().expect("a list");
    list.iter().map(|p| (p["name"].as_str().expect("text").to_owned(), p["figures"]["bound"].as_i64())).collect()
}

/// What is expected of a channel.
#[derive(Clone, Copy)]
enum Expected {
    Bounded(i64),
    Grows,
    Unknown,
}
use Expected::{Bounded, Grows, Unknown};

/// The answer about a model whose only channel is `q`.
fn check(name: &str, model: &str, expected: Expected) {
    let (code, verdict, bound) = match expected {
        Bounded(bound) => (0, "holds", Some(bound)),
        Grows => (1, "violated", None),
        Unknown => (3, "undecided", None),
    };
    let report = report(name, model, code);
    assert_eq!(bounds(&report), [("q".to_owned(), bound)], "{name}");
    assert_eq!((&report["verdict"], &report["properties"][0]["verdict"]), (&verdict.into(), &verdict.into()), "{name}");
}

#[test]
fn the_introductory_example() {
    let (code, said) = run(&models(), &["bound", "handover.pml"]);
    assert_eq!(code, 0, "{said}");
    assert_eq!(said.matches("suspect ").count(), 1, "{said}");
    assert!(said.contains("the loop of Right, line 15: c2!m2 +1 in each round\n"), "{said}");
    assert!(
        said.contains("by the values of `x` of Right: the first loop is gone through at most once in a row"),
        "{said}"
    );
    let (code, said) = run(&models(), &["bound", "--no-refine", "handover.pml"]);
    assert!(code == 3 && said.contains("c2: unknown"), "{said}");
}

#[test]
fn sorting() {
    let (code, said) = run(&models(), &["bound", "sort.pml"]);
    assert_eq!(code, 0, "{said}");
    assert!(said.starts_with("suspect 1:\n    the loop of left, lines 13 to 19: q[0] +1 in each round\n"), "{said}");
    assert!(said.contains("`counter` of left: the first loop is gone through at most 7 times in a row"), "{said}");
    assert_eq!((said.matches("suspect ").count(), said.matches("bounded, at most 7;").count()), (1, 7), "{said}");
    let (code, said) = run(&models(), &["bound", "--quiet", "-DN=50", "sort.pml"]);
    assert!(code == 0 && said.matches("bounded, at most 50;").count() == 50, "{said}");
    // Without the guard, or without the counter, the loop goes on.
    let text = std::fs::read_to_string(models().join("sort.pml")).expect("the model is there");
    for (name, from, to) in [
        ("guard", ":: counter == N -> break\n     :: counter != N -> skip", ":: skip"),
        ("counter", "counter = counter + 1;", "skip;"),
    ] {
        assert!(text.contains(from));
        let folder = folder(name);
        std::fs::write(folder.join("m.pml"), text.replacen(from, to, 1)).expect("the folder can be written");
        let (code, said) = run(&folder, &["bound", "m.pml"]);
        assert!(code == 3 && said.contains("q[0]: unknown; not excluded:\n    the loop of left"), "{name}: {said}");
    }
}

/// How often a loop sends to `q`: by the values of variables, as the language computes them.
#[test]
fn loops_with_counters() {
    let sender = |declarations: &str, body: &str| {
        format!(
            "chan q = [2] of {{ byte }};\nactive proctype P() {{ {declarations}; do :: {body} od }}\n\
                 active proctype C() {{ byte x; do :: q?x od }}"
        )
    };
    for (name, declarations, body, bound) in [
        ("below", "byte i", "i < 3 -> q!1; i++", Bounded(3)),
        ("at most", "byte i", "i <= 3 -> q!1; i++", Bounded(4)),
        ("unequal", "byte i", "i != 6 -> q!1; i = i + 2", Bounded(3)),
        ("missed", "byte i", "i != 7 -> q!1; i = i + 2", Unknown),
        ("down", "int i = 5", "i > 0 -> q!1; i--", Bounded(5)),
        ("wraps", "byte i", "i < 256 -> q!1; i++", Unknown),
        ("bits", "unsigned i : 3", "i < 8 -> q!1; i++", Unknown),
        ("short", "short i = -2", "i < 2 -> q!1; i++", Bounded(4)),
        ("not", "byte i", "!(i >= 3) -> q!1; i++", Bounded(3)),
        ("else", "byte i", "if :: i == 2 -> break :: else -> q!1; i++ fi", Bounded(2)),
        ("two", "int x1 = 6, x2 = -1", "x1 > 2 - x2 || x2 < 1 -> q!1; x1 = x1 - 2; x2++", Bounded(3)),
        ("reset", "byte i", ":: i < 3 -> q!1; i++ :: i = 0", Grows),
        ("choice", "byte i", "i < 3 -> if :: q!1 :: skip fi; i++", Bounded(3)),
        ("received", "byte i", "i < 3 -> q!1; q?i", Bounded(1)),
        ("conditional", "byte i", "(i < 3 -> 1 : 0) -> q!1; i++", Bounded(3)),
        ("d_step", "byte i", "d_step { i < 3 -> i++ }; q!1", Bounded(3)),
        ("atomic", "byte i", "atomic { i < 3 -> i++; q!1 }", Bounded(3)),
        ("unless", "byte i", "{ i < 3 -> q!1; i++ } unless { i == 7 }", Bounded(3)),
        ("large", "int i", "i < 1000000 -> q!1; i++", Unknown),
        ("timeout", "byte i", "timeout -> q!1", Unknown),
    ] {
        check(name, &sender(declarations, body.trim_start_matches(":: ")), bound);
    }
}

#[test]
fn processes_and_channels() {
    let consumer = "active proctype C() { byte x; do :: q?x od }\n";
    for (name, model, bound) in [
        // Others may store to a variable that they share.
        (
            "shared",
            "byte i; chan q = [2] of { byte };
            active proctype P() { do :: i < 3 -> q!1; i++ od }
            active proctype R() { do :: i = 0 od }",
            Grows,
        ),
        ("owned", "byte i; chan q = [2] of { byte }; active proctype P() { do :: i < 3 -> q!1; i++ od }", Bounded(3)),
        ("instances", "chan q = [2] of { byte }; active [4] proctype P() { q!1 }", Bounded(4)),
        (
            "two owners",
            "byte i; chan q = [2] of { byte }; active [2] proctype P() { do :: i < 3 -> q!1; i++ od }",
            Unknown,
        ),
        ("started", "chan q = [2] of { byte }; proctype P() { q!1 } init { run P(); run P() }", Bounded(2)),
        ("for ever", "chan q = [2] of { byte }; proctype P() { q!1 } init { do :: run P() od }", Unknown),
        (
            "workers",
            "chan q = [2] of { byte }; proctype P() { q!1 }
            init { byte x; do :: run P(); q?x od }",
            Bounded(1),
        ),
        ("both ways", "chan q = [2] of { byte }; proctype P() { byte x; q!1; q?x } init { do :: run P() od }", Unknown),
        (
            "recursive",
            "chan q = [2] of { byte }; proctype P(byte n) { if :: n > 0 -> q!1; run P(n - 1) :: else fi }
            init { run P(4) }",
            Bounded(4),
        ),
        ("itself", "chan q = [2] of { byte }; proctype P() { q!1; run P() } init { run P() }", Unknown),
        (
            "handshakes",
            "chan q = [2] of { byte }; chan go = [0] of { bit };
            active proctype P() { do :: go!1; q!1 od } active proctype R() { bit x; go?x; go?x }",
            Bounded(2),
        ),
        (
            "kinds",
            "mtype = { a, b }; chan q = [2] of { mtype };
            active proctype P() { do :: q!a; q?b od } active proctype R() { do :: q?a; q!b od }",
            Bounded(1),
        ),
        (
            "wrong kind",
            "mtype = { a, b }; chan q = [2] of { mtype };
            active proctype P() { do :: q!a :: q?b od } active proctype R() { do :: q!b od }",
            Grows,
        ),
        ("copied", "chan q = [2] of { byte }; active proctype P() { byte x; do :: q!1; q?<x> od }", Unknown),
        ("polled", "chan q = [2] of { byte }; active proctype P() { do :: q!1; q?[1] od }", Unknown),
        ("random", "chan q = [2] of { byte }; active proctype P() { do :: q!!1; q??1 od }", Bounded(1)),
        ("looked at", "chan q = [2] of { byte }; active proctype P() { do :: len(q) < 2 -> q!1 od }", Unknown),
        ("full", "chan q = [2] of { byte }; active proctype P() { do :: nfull(q) -> q!1 od }", Unknown),
        ("dead", "chan q = [2] of { byte }; active proctype P() { do :: false -> q!1 od }", Bounded(0)),
        ("counted", "chan q = [2] of { byte }; active proctype P() { do :: _nr_pr == 1 -> q!1 od }", Unknown),
    ] {
        check(name, &(model.to_owned() + "\n"), bound);
    }
    check("taken", &format!("chan q = [2] of {{ byte }};\nactive proctype P() {{ q!1; q!2 }}\n{consumer}"), Bounded(2));
    // Elements of an array, each on its own; an index that is not known may be any.
    let ring = "chan r[3] = [1] of { bit };
        proctype P(byte i) { bit x; do :: r[i]?x -> r[(i + 1) % 3]!x od }
        init { atomic { r[0]!1; run P(0); run P(1); run P(2) } }";
    let one = |name: &str| (name.to_owned(), Some(1));
    assert_eq!(bounds(&report("ring", ring, 0)), [one("r[0]"), one("r[1]"), one("r[2]")]);
    let any = ring.replace("r[i]?x ->", "i = (i * i + 1) % 3; r[i]?x ->");
    assert_eq!(bounds(&report("any", &any, 0)).len(), 3);
    // Channels in messages.
    let (code, said) = run(&models(), &["bound", "pool.pml"]);
    assert!(code == 0 && said.contains("request: bounded, at most 3;"), "{said}");
    assert!(said.contains("Client:answer: bounded, at most 3 in all of them together; its capacity is 1"), "{said}");
    let (code, said) = run(&models(), &["bound", "window.pml"]);
    assert!(code == 0 && said.matches("bounded, at most 3; its capacity is 8, and 3 would do").count() == 2, "{said}");
    let (code, said) = run(&models(), &["bound", "--states-max", "0", "free_user.pml"]);
    assert!(code == 3 && said.contains("requests: unknown; not excluded:\n    the loop of User, line 8"), "{said}");
    let (code, said) = run(&models(), &["bound", "free_user.pml"]);
    let growing = "requests: grows for ever; after 0 steps each round adds 1:\n    User[0]  line 8  requests!ask\n";
    assert!(code == 1 && said.contains(growing), "{said}");
    // The requests are taken, and the answers are left.
    assert!(said.contains("replies: grows for ever") && said.contains("requests?ask"), "{said}");
}

#[test]
fn what_is_not_understood() {
    let folder = folder("bad");
    let code = "int x; chan q = [2] of { byte };\ninit { c_code { now.x = 1; } }";
    std::fs::write(folder.join("code.pml"), code).expect("the folder can be written");
    let (code, said) = run(&folder, &["bound", "code.pml"]);
    assert_eq!((code, said.as_str()), (3, "unknown: line 2: embedded C may store to any variable\n"));
    std::fs::write(folder.join("bad.pml"), "init { x = }").expect("the folder can be written");
    assert_eq!(run(&folder, &["bound", "bad.pml"]).0, 2);
    assert_eq!(run(&folder, &["bound", "missing.pml"]).0, 2);
    assert_eq!(run(&folder, &["bound"]).0, 2);
    let (code, text) = run(&folder, &["bound", "--format", "json", "bad.pml"]);
    let report: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((code, &report["verdict"]), (2, &"error".into()));
}

/// A statement of a random process.
fn statement(random: &mut Random, depth: usize) -> String {
    let channel = *random.pick(&["a", "b", "c"]);
    let kind = *random.pick(&["red", "blue"]);
    let limit = random.below(3);
    match random.below(if depth == 0 { 11 } else { 16 }) {
        0 | 1 => format!("{channel}!{kind}"),
        2 | 3 => format!("{channel}?{kind}"),
        4 => format!("{channel}?k"),
        5 => format!("{channel}!k"),
        6 => format!("i < {limit} -> i++"),
        7 => format!("i = {limit}"),
        8 => random.pick(&["g == 0 -> g = 1", "g = 0", "r!red", "r?k", "skip"]).to_string(),
        9 => random.pick(&["a??red", "b!!blue", "a?<k>", "b?[red]", "nfull(c)"]).to_string(),
        10 => "i > 0 -> i--".into(),
        11 => format!("if :: {} :: {} fi", statement(random, depth - 1), statement(random, depth - 1)),
        12 => format!("if :: i == {limit} -> {} :: else fi", statement(random, depth - 1)),
        13 => format!("atomic {{ {}; {} }}", statement(random, depth - 1), statement(random, depth - 1)),
        14 => format!("{{ {} }} unless {{ {} }}", statement(random, depth - 1), statement(random, depth - 1)),
        _ => format!("do :: {}; {} :: break od", statement(random, depth - 1), statement(random, depth - 1)),
    }
}

fn random_model(random: &mut Random) -> String {
    let mut text = "mtype = { red, blue };\nchan a = [CAP_a] of { mtype };\nchan b = [CAP_b] of { mtype };\n\
                    chan c = [CAP_c] of { mtype };\nchan r = [0] of { mtype };\nbit g;\n"
        .to_owned();
    let processes = 2 + random.below(2);
    for p in 0..processes {
        let several = if random.chance(20) { " [2]" } else { "" };
        text += &format!("active{several} proctype P{p}() {{\n  byte i; mtype k = red;\n");
        let mut body = Vec::new();
        for _ in 0..1 + random.below(3) {
            body.push(statement(random, 1));
        }
        text += &match random.below(3) {
            0 => format!("  {}\n}}\n", body.join(";\n  ")),
            1 => format!("  do\n  :: {}\n  od\n}}\n", body.join(";\n     ")),
            _ => format!("  do\n  :: {}\n  od\n}}\n", body.join("\n  :: ")),
        };
    }
    if random.chance(25) {
        let child = format!("proctype Q() {{ mtype k = red; byte i; {} }}\n", statement(random, 0));
        let start = *random.pick(&["run Q()", "run Q(); run Q()", "mtype k; do :: run Q(); a?k od"]);
        text += &format!("{child}init {{ {start} }}\n");
    }
    text
}

/// A bound is never exceeded when every channel has room for one more, and often reached.
#[test]
fn bounds_against_searches() {
    let random = &mut Random::new(30);
    let folder = folder("searches");
    let (mut bounded, mut searched, mut reached, mut positive, mut growing) = (0, 0, 0, 0, 0);
    for i in 0..300 {
        let model = random_model(random);
        std::fs::write(folder.join("m.pml"), &model).expect("the folder can be written");
        let given = ["-DCAP_a=2", "-DCAP_b=2", "-DCAP_c=2"];
        let (code, text) = run(&folder, &[&["bound", "--format", "json"], &given[..], &["m.pml"]].concat());
        let report: Value = serde_json::from_str(&text).expect("JSON");
        assert!([0, 1, 3].contains(&code) && report["verdict"] != "error", "{model}\n{text}");
        let bounds = bounds(&report);
        // What is said to grow can be filled, however much room there is.
        let grows = report["properties"].as_array().expect("a list").iter().filter(|p| p["verdict"] == "violated");
        for property in grows {
            let name = property["name"].as_str().expect("text");
            growing += 1;
            let room = format!("-DCAP_{name}=6");
            let formula = format!("[] (len({name}) < 6)");
            let defines = ["a", "b", "c"].iter().filter(|c| **c != name).map(|c| format!("-DCAP_{c}=2"));
            let defines: Vec<String> = defines.collect();
            let mut args = vec!["check", "--quiet", "--no-trail", "--threads", "1", "--memory-limit", "400M", &room];
            args.extend(defines.iter().map(String::as_str));
            args.extend(["--ltl", &formula, "m.pml"]);
            let (code, said) = run(&folder, &args);
            assert_eq!(code, 1, "{name} grows?\n{model}\n{said}");
        }
        let room = |b: &Option<i64>| b.map_or(2, |b| b + 1);
        let defines: Vec<String> = bounds.iter().map(|(name, b)| format!("-DCAP_{name}={}", room(b))).collect();
        for (name, bound) in &bounds {
            let Some(bound) = bound else { continue };
            bounded += 1;
            let search = |formula: String| {
                let mut args = vec!["check", "--quiet", "--no-trail", "--threads", "1", "--memory-limit", "400M"];
                args.extend(defines.iter().map(String::as_str));
                args.extend(["--depth-limit", "3000", "--ltl", &formula, "m.pml"]);
                run(&folder, &args)
            };
            let (code, said) = search(format!("[] (len({name}) <= {bound})"));
            assert!(code == 0 || code == 3, "{name} <= {bound}: {defines:?}\n{model}\n{said}");
            searched += usize::from(code == 0);
            if *bound > 0 {
                if i % 3 != 0 {
                    continue;
                }
                positive += 1;
                reached += usize::from(search(format!("[] (len({name}) < {bound})")).0 == 1);
            }
        }
    }
    assert!(bounded > 300 && searched * 10 > bounded * 9, "{bounded} {searched}");
    assert!(growing > 50, "{growing}");
    assert!(positive > 20 && reached * 4 > positive, "{positive} {reached}");
}

/// Texts with a few changes: an answer or a diagnostic, and never anything else.
#[test]
fn mutated_models() {
    use ferrospin_testkit::mutate::{models_in, mutate, tokens};
    let texts = models_in(&models());
    let tokens = tokens();
    let random = &mut Random::new(8);
    let limits = ferrospin_bound::Limits { nodes_max: 300, cycles_max: 50, rounds_max: 10 };
    let mut analysed = 0;
    for _ in 0..1500 {
        let text = mutate(random, &texts, &tokens);
        let mut loader = ferrospin::files::DiskLoader::default();
        let options = ferrospin::front::Options::default();
        let front = ferrospin::front::read_text("m.pml", text.as_str(), &options, &mut loader);
        if front.unreadable || front.stops_check() {
            continue;
        }
        let Ok(runnable) = ferrospin::run::prepare(&front) else { continue };
        if let Ok(found) = ferrospin_bound::analyse(&runnable.model, &limits, &|| true) {
            analysed += 1;
            let refused = |a: &ferrospin_bound::Answer| matches!(a, ferrospin_bound::Answer::Unconfirmed(_));
            assert!(!found.answers.iter().any(|(_, a)| refused(a)), "{text}");
        }
    }
    assert!(analysed > 50, "{analysed}");
}
