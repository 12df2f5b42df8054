//! Models that are too large, and limits that hold at any moment: an answer in a sentence, never a panic, an abort or a hang.

use std::io::Write;
use std::path::{Path, PathBuf};
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

/// As many processes as there can be: tables of them have no place for one more.
#[test]
fn all_processes_that_there_can_be_are_checked() {
    let model = "byte x; active [255] proctype P() { x++; assert(x < 2) }";
    for args in ["--por stubborn", "--por ample", "--plain --search dfs"] {
        let mut all = vec!["check", "-", "--no-trail", "--memory-limit", "300M"];
        all.extend(args.split(' '));
        let (code, said) = run_on(&all, model);
        assert!(code == Some(1) && said.contains("assertion violated"), "{args}: {code:?}\n{said}");
    }
}

/// More states than any search can visit.
const ENDLESS: &str = "int a, b; active proctype P() { do :: a < 1000000000 -> a++ :: b < 1000000000 -> b++ od }";

/// A check of a model in a file, within so much address space.
fn limited(kib: u32, model: &Path, args: &[&str]) -> Command {
    let line = format!("ulimit -v {kib}; exec \"$0\" \"$@\"");
    let mut shell = Command::new("sh");
    shell.args(["-c", &line, env!("CARGO_BIN_EXE_ferrospin"), "check", "--no-trail"]).args(args).arg(model);
    // A panic that is told at length asks for memory again.
    shell.env("RUST_BACKTRACE", "1").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    shell
}

/// A folder of the test's own with a model in it.
fn file(test: &str, model: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("limits").join(test);
    std::fs::create_dir_all(&dir).unwrap();
    let path = dir.join("m.pml");
    std::fs::write(&path, model).unwrap();
    path
}

/// Little address space: the right answer, or a sentence and exit code 3, whatever the number of workers and the store; at the
/// start, in the middle of a search, and when a signal comes.
#[test]
fn refused_memory_is_told() {
    let peterson = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/peterson.pml");
    let endless = file("refused", ENDLESS);
    for kib in [100_000, 200_000, 600_000] {
        for args in ["--threads 1", "--threads 8", "--threads 1 --store tree", "--threads 1 --plain --search dfs"] {
            let args: Vec<&str> = args.split(' ').collect();
            for (model, answers) in [(&peterson, &[0, 3][..]), (&endless, &[3])] {
                let output = limited(kib, model, &args).output().unwrap();
                let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
                let code = output.status.code();
                let fits = code.is_some_and(|code| answers.contains(&code)) && !said.contains("panicked");
                assert!(fits, "{kib} KiB, {args:?}, {}: {code:?}\n{said}", model.display());
                assert!(code != Some(3) || !said.trim().is_empty(), "{kib} KiB, {args:?}: nothing is said");
            }
        }
    }
    // Enough for a check of a small model.
    let output = limited(400_000, &peterson, &["--threads", "1", "--ltl", "mutex"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}
