//! `ferrospin ltl` as users meet it.

use expect_test::{Expect, expect};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

fn ltl(args: &[&str]) -> (String, Option<i32>) {
    let output = Command::new(env!("CARGO_BIN_EXE_ferrospin"))
        .arg("ltl")
        .args(args)
        .env_remove("COLUMNS")
        .output()
        .expect("the program runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (text, output.status.code())
}

fn check(args: &[&str], code: i32, expected: Expect) {
    let (text, found) = ltl(args);
    expected.assert_eq(&text);
    assert_eq!(found, Some(code), "{args:?}: {text}");
}

fn json(args: &[&str], code: i32) -> Value {
    let (text, found) = ltl(&[args, &["--format", "json"]].concat());
    assert_eq!(found, Some(code), "{args:?}: {text}");
    serde_json::from_str(&text).expect("one object")
}

/// A file of its own for one test.
fn file(name: &str, text: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).expect("a file can be written");
    path
}

#[test]
fn a_never_claim() {
    let expected = expect![[r#"
        never {    /* ! [] (p -> <> q) */
        T0_init:
        	do
        	:: (1) -> goto T0_init
        	:: (p && !q) -> goto accept_S1
        	od;
        accept_S1:
        	do
        	:: (!q) -> goto accept_S1
        	od;
        }
    "#]];
    check(&["! [] (p -> <> q)"], 0, expected);
    let (negated, _) = ltl(&["--negate", "[] (p -> <> q)"]);
    let (plain, _) = ltl(&["! [] (p -> <> q)"]);
    assert_eq!(negated.lines().skip(1).collect::<Vec<_>>(), plain.lines().skip(1).collect::<Vec<_>>());
}

#[test]
fn a_broken_formula() {
    let (text, code) = ltl(&["p && ("]);
    assert!(text.starts_with("error[ltl-unbalanced]: this `(` is never closed"), "{text}");
    assert_eq!(code, Some(2));
    for args in [
        &["p", "--equivalent", "q &&"][..],
        &["p", "--lasso", "p || q"],
        &["--pattern", "absence", "--p", "q &&"],
        &["--hoa", "no-such-file.hoa"],
    ] {
        let (text, code) = ltl(args);
        assert!(text.starts_with("error"), "{args:?}: {text}");
        assert_eq!(code, Some(2), "{args:?}");
    }
}

#[test]
fn wrong_usage() {
    for (args, message) in [
        (
            &["--pattern", "absence", "--s", "x"][..],
            "error: `--s` has no place in `absence` with the scope `globally`\n",
        ),
        (&["--pattern", "absence", "--r", "x", "--scope", "after"], "error: `--r` has no place"),
        (&["--pattern", "absence", "--p", "<>x"], "error: `--p` takes an expression about one state"),
        (&["--pattern", "absence", "--strict"], "error: `--strict` is for `response` and `precedence`"),
        (&["--pattern", "absence", "--bound", "3"], "error: `--bound` is for `bounded-existence`"),
        (&["--pattern", "response", "--intervals", "outermost"], "error: `--intervals` is for the scopes"),
        (&["p", "--scope", "before"], "error: `--scope` goes with `--pattern`"),
        (&["p", "--pattern", "absence"], "error: "),
        (&["p", "--format", "text"], "error: `--format text` is for patterns and answers"),
        (&["p", "--check-stutter", "--format", "dot"], "error: an answer is written with"),
        (&["p", "--check-stutter", "--stutter-close"], "error: `--stutter-close` writes an automaton"),
        (&["p", "--check-stutter", "--equivalent", "q"], "error: "),
        (&["p", "--seed", "3"], "error: "),
        (&[], "error: "),
    ] {
        let (text, code) = ltl(args);
        assert!(text.starts_with(message), "{args:?}: {text}");
        assert_eq!(code, Some(2), "{args:?}: {text}");
    }
}

#[test]
fn statistics() {
    check(
        &["--format", "stats", "p U (q U r)"],
        0,
        expect![[r#"
        3 states, 6 edges, 1 mark, 3 components (1 accepting), deterministic, terminal
    "#]],
    );
    let value = json(&["[]<> p"], 0);
    assert_eq!((&value["states"], &value["edges"], &value["weak"]), (&1.into(), &2.into(), &false.into()));
}

/// Every pattern in every scope can be shown, and its claim and its formula are those of the same property.
#[test]
fn all_patterns() {
    let (list, code) = ltl(&["--list"]);
    assert_eq!(code, Some(0));
    let names = |heading: &str| -> Vec<String> {
        let rest = list.split_once(heading).expect("a heading").1;
        let lines = rest.lines().skip(1).take_while(|l| l.starts_with("  "));
        lines.map(|l| l.split_whitespace().next().expect("a name").to_owned()).collect()
    };
    let (patterns, scopes) = (names("Patterns:"), names("Scopes:"));
    assert_eq!((patterns.len(), scopes.len()), (13, 5));
    for pattern in &patterns {
        for scope in &scopes {
            let args = ["--pattern", pattern, "--scope", scope];
            let shown = json(&args, 0);
            let formula = shown["formula"].as_str().expect("a formula");
            let (text, _) = ltl(&[&args[..], &["--format", "formula"]].concat());
            assert_eq!(text.trim_end(), formula);
            assert!(shown["satisfying"].as_array().is_some_and(|list| !list.is_empty()), "{pattern} {scope}");
            assert!(shown["violating"].as_array().is_some_and(|list| !list.is_empty()), "{pattern} {scope}");
            let chain = pattern.contains("chain");
            let expected = if chain { "insensitive if S and T exclude each other" } else { "insensitive" };
            assert_eq!(shown["stuttering"], expected, "{pattern} {scope}");
        }
    }
}

#[test]
fn answers_in_json() {
    assert_eq!(json(&["<>p", "--equivalent", "true U p"], 0)["answer"], true);
    let value = json(&["[]<>p", "--equivalent", "<>[]p"], 1);
    assert_eq!((&value["question"], &value["only"]), (&"equivalence".into(), &"first".into()));
    assert_eq!(value["word"]["text"], "(-; p)*");
    let value = json(&["[] (p -> X q)", "--check-stutter"], 1);
    assert_eq!(value["fails"]["stem"], serde_json::json!([["p"]]));
    let value = json(&["<>(p && X q)", "--lasso", "p; -; (q)*"], 1);
    assert_eq!(value["facts"][0]["holds"], false);
    assert_eq!(value["word"]["cycle"], serde_json::json!([["q"]]));
}

#[test]
fn automata_from_files() {
    let (text, _) = ltl(&["--format", "hoa", "p && X !p"]);
    let path = file("claim.hoa", &text);
    let path = path.to_str().expect("a plain path");
    assert_eq!(ltl(&["--hoa", path, "--equivalent", "p && X !p"]), ("equivalent\n".to_owned(), Some(0)));
    check(
        &["--hoa", path, "--equivalent", "p"],
        1,
        expect![[r#"
        not equivalent: only the second holds on
          (p)*
    "#]],
    );
    check(
        &["--hoa", path, "--check-stutter"],
        1,
        expect![[r#"
        sensitive to stuttering: two words differ in repeated states only
          accepts  p; -; (p)*
          rejects  p; p; -; (p)*
    "#]],
    );
    check(
        &["--hoa", path, "--lasso", "p; p; (-)*"],
        1,
        expect![[r#"
        p; p; (-)*
        rejects: no run can read the state at 1
    "#]],
    );
    check(
        &["--hoa", path, "--lasso", "p; (-)*"],
        0,
        expect![[r#"
        p; (-)*
        accepts
    "#]],
    );
    let (closed, _) = ltl(&["--hoa", path, "--stutter-close", "--format", "hoa"]);
    let path = file("closed.hoa", &closed);
    let path = path.to_str().expect("a plain path");
    assert_eq!(ltl(&["--hoa", path, "--check-stutter"]).1, Some(0));
    // The closure of "p, then not p" is "p until not p, and p first".
    assert_eq!(ltl(&["--hoa", path, "--equivalent", "p && <> !p"]).1, Some(0));
    let path = file("recurrence.hoa", &ltl(&["--format", "hoa", "[]<> p"]).0);
    check(
        &["--hoa", path.to_str().expect("a plain path"), "--lasso", "p; (-)*"],
        1,
        expect![[r#"
        p; (-)*
        rejects: no run sees mark 0 again and again
    "#]],
    );
}

/// A random word depends on the seed only.
#[test]
fn random_words() {
    let first = ltl(&["p U q", "--random-lasso", "--seed", "5"]);
    assert_eq!(first, ltl(&["p U q", "--random-lasso", "--seed", "5"]));
    let words: Vec<String> = (0..5)
        .map(|seed| ltl(&["p U q", "--random-lasso", "--seed", &seed.to_string()]).0)
        .map(|text| text.lines().next().unwrap_or_default().to_owned())
        .collect();
    assert!(words.iter().any(|w| *w != words[0]), "{words:?}");
}

/// The examples of the page are what the program says. `UPDATE_EXPECT=1` writes them anew.
#[test]
fn the_page_is_true() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/ltl.md");
    let page = std::fs::read_to_string(&path).expect("the page is there");
    let mut found = String::new();
    let mut inside = false;
    let mut examples = 0;
    for line in page.lines() {
        let fence = line.starts_with("```");
        inside = if fence { line == "```console" } else { inside };
        let command = line.strip_prefix("$ ferrospin ltl ");
        // Inside an example only commands are kept; what they print is put behind them.
        if fence || !inside || command.is_some() {
            found += line;
            found.push('\n');
        }
        if let (true, Some(command)) = (inside, command) {
            let words = split(command);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            found += &ltl(&words).0;
            examples += 1;
        }
    }
    assert!(examples >= 12, "{examples} examples");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, &found).expect("the page can be written");
    }
    assert!(page == found || std::env::var_os("UPDATE_EXPECT").is_some(), "the page says:\n{page}\nnow:\n{found}");
}

/// The words of a command line with single quotes.
fn split(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (i, part) in command.split('\'').enumerate() {
        match i % 2 {
            0 => words.extend(part.split_whitespace().map(str::to_owned)),
            _ => words.push(part.to_owned()),
        }
    }
    words
}
