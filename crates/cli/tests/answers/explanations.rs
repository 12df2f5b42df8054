//! Violations of all kinds with their explanations, one in each file of `cases`: a command, a model, and what is said of it.
//! `UPDATE_EXPECT=1` writes the answers anew.

use crate::{folder, run, without_times, words};
use std::path::Path;

#[test]
fn violations_are_explained() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/answers/cases");
    let dir = folder("explanations");
    let mut files: Vec<_> = std::fs::read_dir(&cases).expect("cases").flatten().map(|e| e.path()).collect();
    files.sort();
    assert!(files.len() >= 25, "{}", files.len());
    let mut wrong = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a case");
        let (head, rest) = text.split_once('\n').expect("a command in the first line");
        let (model, recorded) = rest.split_once("----\n").expect("a line between model and answer");
        std::fs::write(dir.join("m.pml"), model).expect("the folder can be written");
        let words = words(head.trim_start_matches("$ "));
        let args: Vec<&str> = words.iter().map(String::as_str).collect();
        let (code, said, _) = run(&dir, &args);
        let said = without_times(&said);
        assert_eq!(code, Some(1), "{}: {said}", file.display());
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&file, format!("{head}\n{model}----\n{said}")).expect("the case can be written");
        } else if said != recorded {
            wrong.push(format!("{}:\nrecorded:\n{recorded}\nsaid:\n{said}", file.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The trail carries the explanation, so that `replay` tells it without a search.
#[test]
fn a_replay_explains_too() {
    let dir = folder("replay");
    let model = "bool a; active proctype P() { do :: a = !a od }\nltl f { <> [] a }\n";
    std::fs::write(dir.join("m.pml"), model).expect("the folder can be written");
    let (code, said, _) = run(&dir, &["check", "m.pml"]);
    let (again, replayed, _) = run(&dir, &["replay", "m.pml"]);
    assert_eq!((code, again), (Some(1), Some(0)), "{said}\n{replayed}");
    for line in ["why: m.pml:2: f: <>[]a", ": `a` holds now"] {
        assert!(said.contains(line) && replayed.contains(line), "{line}\n{said}\n{replayed}");
    }
    let steps = |text: &str| text.split(", after ").nth(1).map(|t| t.split(' ').next().unwrap_or("").to_owned());
    assert_eq!(steps(&said), steps(&replayed), "check and replay count alike");
}

#[test]
fn steps_can_be_chosen() {
    let dir = folder("steps");
    let model = "byte n; active proctype P() { byte i; for (i : 1 .. 30) { n = i; skip } assert(false) }\n";
    std::fs::write(dir.join("m.pml"), model).expect("the folder can be written");
    let lines = |steps: &str| {
        let (_, said, _) = run(&dir, &["check", "--no-trail", "--steps", steps, "m.pml"]);
        said.lines().filter(|l| l.contains("line 1")).count()
    };
    let (all, changes, few) = (lines("all"), lines("changes"), lines("8"));
    assert!(few == 8 && few < changes && changes < all && all > 90, "{few} {changes} {all}");
    let (code, _, said) = run(&dir, &["check", "--steps", "some", "m.pml"]);
    assert!(code == Some(2) && said.contains("expected `all`, `changes` or a number of steps"), "{said}");
}
