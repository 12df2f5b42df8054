//! Shrinks the random program of a seed while a command fails on it: `shrink SEED COMMAND`. The command gets the path
//! of a program and exits with 0 when that still shows what is looked for.

use ferrospin_testkit::generate::{generate, shrink};
use std::process::Command;

fn main() {
    let mut args = std::env::args().skip(1);
    let seed = args.next().and_then(|s| s.parse().ok()).expect("a seed");
    let command = args.next().expect("a command");
    let path = std::env::temp_dir().join(format!("shrink-{}.pml", std::process::id()));
    let mut fails = |s: &ferrospin_testkit::generate::Sample| {
        std::fs::write(&path, s.text()).expect("writable");
        Command::new(&command).arg(&path).output().is_ok_and(|o| o.status.success())
    };
    print!("{}", shrink(&generate(seed), &mut fails).text());
}
