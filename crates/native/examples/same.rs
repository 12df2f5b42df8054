//! Compares native code with the interpreter, step by step, on random programs.
//!
//! `cargo run --release -p ferrospin-native --example same [COUNT] [SEED]`

#[path = "../tests/same/mod.rs"]
mod same;

use ferrospin_testkit as testkit;
use std::process::ExitCode;
use testkit::generate::{Sample, generate, shrink};

/// How many states of each are compared.
const STATES_MAX: usize = 3_000;

/// How many states were compared, or how the executors differ; `None` for a program that cannot be read.
fn compare(sample: &Sample) -> Option<Result<usize, String>> {
    let model = testkit::model("random.pml", &sample.text(), &[]).ok()?;
    Some(same::check_all(&model, STATES_MAX))
}

fn main() -> ExitCode {
    let args: Vec<u64> = std::env::args().skip(1).map(|a| a.parse().expect("a number")).collect();
    let (count, seed) = (args.first().copied().unwrap_or(10_000), args.get(1).copied().unwrap_or(1));
    let (mut programs, mut states, mut differ) = (0, 0, 0);
    for seed in seed..seed + count {
        let sample = generate(seed);
        match compare(&sample) {
            None => {}
            Some(Ok(n)) => {
                programs += 1;
                states += n;
            }
            Some(Err(_)) => {
                differ += 1;
                let small = shrink(&sample, &mut |s| matches!(compare(s), Some(Err(_))));
                if let Some(Err(how)) = compare(&small) {
                    println!("seed {seed}: {how}\n{}", small.text());
                }
            }
        }
    }
    println!("{programs} programs, {states} states compared, {differ} differ");
    if differ == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
