//! Models that do not go to a graphics processor: what is said, and that they are checked all the same.

use expect_test::{Expect, expect};
use std::process::Command;

const MODEL: &str = "\
byte x;
active [2] proctype P() {
  do
  :: x < 3 -> x++
  :: _last == 0 -> assert(x < 4)
  od
}
";

/// Runs the program on a model and compares what it prints, times left out.
fn check(arguments: &[&str], text: &str, expected: &Expect) {
    let folder = std::env::temp_dir().join(format!("ferrospin-gpu-{}-{}", std::process::id(), arguments.join("")));
    std::fs::create_dir_all(&folder).expect("there is room");
    std::fs::write(folder.join("m.pml"), text).expect("there is room");
    let output = Command::new(env!("CARGO_BIN_EXE_ferrospin"))
        .current_dir(&folder)
        .args(arguments)
        .arg("m.pml")
        .output()
        .expect("it runs");
    std::fs::remove_dir_all(&folder).expect("it is there");
    let said = String::from_utf8(output.stdout).expect("it is text");
    let line = |l: &str| {
        let verdict = l.starts_with("safety").then(|| l.split_whitespace().take(2).collect::<Vec<_>>().join(" "));
        verdict.or_else(|| l.contains("graphics processor").then(|| l.trim().to_string()))
    };
    let said: Vec<String> = said.lines().filter_map(line).collect();
    expected.assert_eq(&(said.join("\n") + "\n"));
}

#[test]
fn the_linter_names_construct_and_place() {
    check(
        &["lint", "--why-not", "gpu"],
        MODEL,
        &expect![[r#"
            m.pml:5:6: `_last` does not go to a graphics processor
        "#]],
    );
}

#[test]
fn nothing_keeps_a_plain_model_from_it() {
    check(
        &["lint", "--why-not", "gpu"],
        "byte x; active proctype P() { x = 1 }\n",
        &expect![[r#"
            nothing in the text keeps the model from a graphics processor
        "#]],
    );
}

#[test]
fn what_does_not_go_there_is_searched_on_the_cpu() {
    check(
        &["check", "--safety", "--no-trail", "--engine", "gpu"],
        MODEL,
        &expect![[r#"
            safety violated
            searched on the CPU: m.pml:5:6: `_last` does not go to a graphics processor
        "#]],
    );
}

#[test]
fn a_store_is_the_cpu_s() {
    check(
        &["check", "--safety", "--no-trail", "--engine", "gpu", "--store", "tree"],
        "byte x; active proctype P() { x = 1 }\n",
        &expect![[r#"
            safety holds
            searched on the CPU: a store was asked for, and the graphics processor has tables of its own
        "#]],
    );
}
