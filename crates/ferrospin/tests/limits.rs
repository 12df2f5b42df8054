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
