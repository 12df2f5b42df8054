//! The emulator gives what the interpreter gives, on random programs, with everything tiny.

mod same;

use ferrospin_testkit as testkit;
use same::{Same, check, tiny};
use testkit::generate::{Sample, generate, shrink};

/// How many programs; `FERROSPIN_PROGRAMS` asks for another number.
const PROGRAMS: u64 = 40;
const STATES_MAX: u64 = 2_000;

fn outcome(sample: &Sample, seed: u64) -> Result<Same, String> {
    match testkit::model("random.pml", &sample.text(), &[]) {
        Ok(model) => check(&model, STATES_MAX, tiny(seed), seed),
        Err(_) => Ok(Same::Unfit("it cannot be read".into())),
    }
}

#[test]
fn random_programs() {
    let asked = std::env::var("FERROSPIN_PROGRAMS").ok().and_then(|n| n.parse().ok());
    let from = std::env::var("FERROSPIN_FROM").ok().and_then(|n| n.parse().ok()).unwrap_or(0);
    let (mut same, mut large) = (0, 0);
    let mut unfit = std::collections::BTreeMap::new();
    for seed in from..from + asked.unwrap_or(PROGRAMS) {
        let sample = generate(seed);
        match outcome(&sample, seed) {
            Ok(Same::Yes(_)) => same += 1,
            Ok(Same::TooLarge) => large += 1,
            Ok(Same::Unfit(why)) => *unfit.entry(why).or_insert(0) += 1,
            Err(_) => {
                let smallest = shrink(&sample, &mut |s| outcome(s, seed).is_err());
                let how = outcome(&smallest, seed).expect_err("it still differs");
                panic!("seed {seed}: {how}\n{}", smallest.text());
            }
        }
    }
    eprintln!("{same} agree, {large} are too large, {unfit:?} do not qualify");
    assert!(same > unfit.values().sum::<u64>(), "most programs qualify");
}
