//! Models that are too large, and limits that hold at any moment: an answer in a sentence, never a panic, an abort or a hang.

use std::io::Write;
use std::process::{Command, Stdio};

/// Exit code and both outputs.
fn run_on(args: &[&str], model: &str) -> (Option<i32>, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ferrospin"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let written = child.stdin.take().unwrap().write_all(model.as_bytes());
    let output = child.wait_with_output().unwrap();
    written.unwrap();
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    (output.status.code(), text)
}

/// Sizes of 32 bits would wrap in these, or one state would take gigabytes.
#[test]
fn what_is_too_large_is_refused_at_its_declaration() {
    for model in [
        "chan c = [1073741823] of { int }; init { c!1; c!3; assert(len(c)==2) }",
        "int a[1073741824]; byte d[10]; init { d[5]=1; a[5]=1; assert(a[5]==0) }",
        "chan c=[2147483647] of {byte}; init { c!1 }",
        "int a[1000000000]; init { a[5] = 1 }",
        "typedef T { int a[250] }; chan c[255]=[255] of {T,T,T}; T t; init { do :: c[0]!t,t,t od }",
    ] {
        for command in ["lint", "check", "simulate"] {
            let (code, said) = run_on(&[command, "-"], model);
            assert!(code == Some(2) && said.contains("error[too-large]"), "{command} {model}: {code:?}\n{said}");
        }
    }
}

/// Work that looks at no clock itself is ended: a search through the ways of an `atomic`, a huge program.
#[test]
fn what_does_not_end_is_ended_with_a_report() {
    let ways: String = ["a", "b", "c", "d"].map(|v| format!("select({v} : 0..255); ")).concat();
    let ways = format!("byte a, b, c, d; init {{ atomic {{ {ways} }} }}");
    let args = ["check", "-", "--time-limit", "1s", "--memory-limit", "300M", "--no-trail", "--format", "json"];
    let (code, said) = run_on(&args, &ways);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("limit was reached") && said.contains(r#""verdict": "undecided""#), "{said}");
}

/// Each byte of a long line is a mistake, and has a column.
#[test]
fn a_long_line_of_mistakes_is_refused() {
    let (code, said) = run_on(&["check", "-"], &"\u{fffd}".repeat(100_000));
    assert!(code == Some(2) && said.contains("error"), "{code:?}");
}

/// Little address space: an answer, or a sentence and exit code 3, whatever the number of workers.
#[test]
fn refused_memory_is_told() {
    for kib in [60_000, 200_000, 600_000] {
        for threads in ["1", "8"] {
            let limited = format!("ulimit -v {kib}; exec \"$0\" \"$@\"");
            let output = Command::new("sh")
                .args([
                    "-c",
                    &limited,
                    env!("CARGO_BIN_EXE_ferrospin"),
                    "check",
                    "-",
                    "--no-trail",
                    "--threads",
                    threads,
                ])
                .env("RUST_BACKTRACE", "1")
                .stdin(Stdio::null())
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            let code = output.status.code();
            assert!(matches!(code, Some(2 | 3)) && !said.contains("panicked"), "{kib} KiB: {code:?}\n{said}");
        }
    }
}
