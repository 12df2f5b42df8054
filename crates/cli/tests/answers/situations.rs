//! What goes wrong around a check: a sentence and the right exit code each.

use crate::{ferrospin, folder, run};
use std::path::Path;
use std::process::{Command, Stdio};

const MODEL: &str = "byte in_cs; bool flag;
active proctype P() { do :: flag = !flag; in_cs = 1; in_cs = 0 od }
ltl safe { [] (in_cs < 2) }
ltl wrong { [] !flag }
";

/// Any number of states.
const ENDLESS: &str = "int a, b; active proctype P() { do :: a < 1000000000 -> a++ :: b < 1000000000 -> b++ od }";

fn with_model(name: &str) -> std::path::PathBuf {
    let dir = folder(name);
    std::fs::write(dir.join("m.pml"), MODEL).expect("the folder can be written");
    dir
}

/// Arguments that cannot be met, and what is said of them.
#[test]
fn mistakes_of_typing() {
    let dir = with_model("mistakes");
    let cases: [(&[&str], i32, &[&str]); 14] = [
        (&["check", "--ltl", "[] (in_cs < )", "m.pml"], 2, &["<formula>:1:13", "expected an expression, found `)`"]),
        (&["check", "--ltl", "[] (in_sc < 2)", "m.pml"], 2, &["<formula>:1:5", "did you mean `in_cs`?"]),
        (&["check", "--ltl", "saffe", "m.pml"], 2, &["`saffe` is not declared", "there is `safe`"]),
        (&["check", "--ltl", "G (in_cs < 2", "m.pml"], 2, &["<formula>:1:", "expected `)`"]),
        (&["check", "--store", "exakt", "m.pml"], 2, &["invalid value 'exakt' for '--store", "exact"]),
        (&["check", "--serach", "bfs", "m.pml"], 2, &["unexpected argument '--serach'", "--search"]),
        (&["check", "--time-limit", "soon", "m.pml"], 2, &["invalid value 'soon'"]),
        (&["check", "no.pml"], 2, &["cannot read `no.pml`"]),
        (&["chekc", "m.pml"], 2, &["unrecognized subcommand 'chekc'", "check"]),
        (&["check", "--trail", "no/such/folder/t.json", "m.pml"], 2, &["no/such/folder"]),
        (&["check", "--trail", "m.pml", "m.pml"], 2, &["m.pml"]),
        (&["check", "--coverage", "x.txt", "m.pml"], 2, &["expected a file that ends with `.lcov` or `.html`"]),
        (
            &["explain", "undeclarde"],
            2,
            &["there is no message with the code `undeclarde`", "did you mean `undeclared`?"],
        ),
        (&["man", "chek"], 2, &["there is no subcommand `chek`", "did you mean `check`?"]),
    ];
    for (args, code, parts) in cases {
        let (got, said, why) = run(&dir, args);
        assert_eq!(got, Some(code), "{args:?}: {said}{why}");
        assert!(said.is_empty(), "{args:?}: nothing but messages: {said}");
        assert!(parts.iter().all(|part| why.contains(part)), "{args:?}: {why}");
    }
}

/// A trail that cannot be written changes neither verdict nor exit code, and is told.
#[cfg(unix)]
#[test]
fn a_full_disk_is_told() {
    let dir = with_model("full");
    // Room for nothing: files may have no block at all.
    let line = "ulimit -f 0; exec \"$0\" \"$@\"";
    let mut shell = Command::new("sh");
    shell.args(["-c", line, env!("CARGO_BIN_EXE_ferrospin"), "check", "--ltl", "wrong", "m.pml"]).current_dir(&dir);
    let output = shell.output().expect("a shell");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(
        said.contains("cannot write `m.pml.trail.json`: file too large") || said.contains("cannot write"),
        "{said}"
    );
    assert!(!Path::new(&dir.join("m.pml.trail.json")).exists(), "no half of a trail is left");
}

/// Whoever stops reading gets the same exit code, and no panic.
#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_mistake() {
    let dir = with_model("pipe");
    for (args, code) in [
        (&["check", "--no-trail", "--ltl", "safe", "m.pml"][..], 0),
        (&["check", "--no-trail", "m.pml"], 1),
        (&["man"], 0),
        (&["explain", "--list"], 0),
        (&["test", "--verbose", "m.pml"], 1),
    ] {
        let mut child = ferrospin(&dir, args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        let why = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{args:?}: {why}");
        assert!(!why.contains("panicked"), "{args:?}: {why}");
    }
}

/// SIGTERM in the middle of a search: what is known so far, and the exit code of an undecided check.
#[cfg(unix)]
#[test]
fn a_signal_ends_a_search_with_a_report() {
    use std::io::{BufRead, BufReader, Read};
    let dir = folder("signal");
    std::fs::write(dir.join("m.pml"), ENDLESS).expect("the folder can be written");
    let args = ["check", "--no-trail", "--threads", "1", "--memory-limit", "300M", "--color", "never", "m.pml"];
    let mut child = ferrospin(&dir, &args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    // The warning about the model tells that it has begun.
    let mut first = String::new();
    let mut reader = BufReader::new(child.stderr.take().expect("a pipe"));
    let _ = Command::new("sh").args(["-c", &format!("kill -TERM {}", child.id())]).status().expect("a shell");
    let _ = reader.read_line(&mut first);
    let mut said = String::new();
    child.stdout.take().expect("a pipe").read_to_string(&mut said).expect("text");
    let code = child.wait().expect("it ends").code();
    let said = said + &first;
    // A signal that comes before anything is caught ends the program as any other.
    assert!(code == Some(3) || code.is_none(), "{code:?}: {said}");
    assert!(code.is_none() || said.contains("undecided") || said.contains("interrupted"), "{said}");
}

/// Simulations by hand read commands from a pipe, and end with it.
#[test]
fn a_simulation_by_hand() {
    use std::io::Write;
    let dir = with_model("by-hand");
    let mut command = ferrospin(&dir, &["simulate", "--interactive", "m.pml"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    let commands = "?\nw flag\nw in_cs == 1\nw no_such\n1\n1\nu\ng 2\ng 0\nw\nw -\nw\n99\n";
    child.stdin.take().expect("a pipe").write_all(commands.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    for part in [
        "undo N steps",
        "{flag: false -> true}",
        "flag = false",
        "in_cs == 1 = false",
        "`no_such` is not declared",
        "flag: false -> true",
        "in_cs == 1: false -> true",
        "in_cs == 1: true -> false",
        "at step 1",
        "at step 2",
        "at step 0",
        "nothing is watched",
        "there is no move `99`",
    ] {
        assert!(said.contains(part), "{part}:\n{said}");
    }
}
