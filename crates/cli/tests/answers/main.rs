//! Answers that people can act on: explanations of violations, formulas that hold for a poor reason, bad situations, the tests of
//! models, and what the JSON report looks like.

mod explanations;
mod schema;
mod several;
mod situations;
mod tests_of_models;
mod vacuity;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder of its own for one test.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("answers").join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a folder");
    path
}

/// The program with arguments, in a folder.
fn ferrospin(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ferrospin"));
    command.args(args).current_dir(folder).stdin(Stdio::null());
    command
}

fn output(folder: &Path, args: &[&str]) -> Output {
    ferrospin(folder, args).output().expect("the program runs")
}

/// Exit code, standard output and standard error.
fn run(folder: &Path, args: &[&str]) -> (Option<i32>, String, String) {
    let output = output(folder, args);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// Words of a command line with single quotes.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (i, part) in line.split('\'').enumerate() {
        match i % 2 {
            0 => words.extend(part.split_whitespace().map(str::to_owned)),
            _ => words.push(part.to_owned()),
        }
    }
    words
}

/// The text with every `1.23 s` written as `0.00 s`.
fn without_times(text: &str) -> String {
    let words: Vec<&str> = text.split(' ').collect();
    let is_unit = |w: &&str| w.strip_prefix('s').is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
    let is_number = |w: &str| w.contains('.') && w.chars().all(|c| c.is_ascii_digit() || c == '.');
    let is_time = |i: usize| is_number(words[i]) && words.get(i + 1).is_some_and(is_unit);
    (0..words.len()).map(|i| if is_time(i) { "0.00" } else { words[i] }).collect::<Vec<_>>().join(" ")
}
