//! The compiled model gives what the interpreter gives, on random programs.

mod same;

use ferrospin_testkit as testkit;
use testkit::generate::{Sample, generate, shrink};

/// How many programs; `FERROSPIN_PROGRAMS` asks for another number.
const PROGRAMS: u64 = 2_000;
/// How many states of each are compared; they are small.
const STATES_MAX: usize = 1_000;
/// How many threads share the work.
const PARTS: usize = 2;

/// How the executors differ on a program; `None` where they agree or it cannot be read.
fn difference(sample: &Sample) -> Option<String> {
    let model = testkit::model("random.pml", &sample.text(), &[]).ok()?;
    same::check_all(&model, STATES_MAX).err()
}

/// Compares the programs from number `first` on, in steps of [`PARTS`].
fn compare(first: u64, count: u64) {
    for seed in (first..count).step_by(PARTS) {
        let sample = generate(seed);
        if difference(&sample).is_some() {
            let smallest = shrink(&sample, &mut |s| difference(s).is_some());
            let how = difference(&smallest).expect("it still differs");
            panic!("seed {seed}: {how}\n{}", smallest.text());
        }
    }
}

#[test]
fn random_programs() {
    let asked = std::env::var("FERROSPIN_PROGRAMS").ok().and_then(|n| n.parse().ok());
    let count = asked.unwrap_or(PROGRAMS);
    std::thread::scope(|scope| (0..PARTS as u64).for_each(|part| drop(scope.spawn(move || compare(part, count)))));
}
