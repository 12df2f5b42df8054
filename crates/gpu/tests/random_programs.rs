//! The emulator gives what the interpreter gives, on random programs, with everything tiny.

mod same;

use ferrospin_testkit as testkit;
use same::formula::{self, Judged};
use same::{Same, check, check_reduced, tiny};
use testkit::generate::{Sample, generate, shrink};

/// How many programs.
const PROGRAMS: u64 = 40;
const STATES_MAX: u64 = 2_000;

fn outcome(sample: &Sample, seed: u64) -> Result<Same, String> {
    match testkit::model("random.pml", &sample.text(), &[]) {
        Ok(model) => check(&model, STATES_MAX, tiny(seed), seed),
        Err(_) => Ok(Same::Unfit("it cannot be read".into())),
    }
}

/// Seeds: the usual number, or as `FERROSPIN_PROGRAMS` says, from `FERROSPIN_FROM` on.
fn seeds(usual: u64) -> std::ops::Range<u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let from = number("FERROSPIN_FROM").unwrap_or(0);
    from..from + number("FERROSPIN_PROGRAMS").unwrap_or(usual)
}

#[test]
fn random_programs() {
    let (mut same, mut large) = (0, 0);
    let mut unfit = std::collections::BTreeMap::new();
    // The last one: `_last` is part of the states, and nothing that is reached asks for it.
    for seed in seeds(PROGRAMS).chain([21693]) {
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

/// A reduced search finds a violation where there is one.
#[test]
fn reduced() {
    let judge = |sample: &Sample, seed: u64| match testkit::model("random.pml", &sample.text(), &[]) {
        Ok(model) => check_reduced(&model, STATES_MAX, tiny(seed), seed),
        Err(_) => Ok(None),
    };
    let (mut programs, mut ours, mut all) = (0, 0, 0);
    // The last one: a level is expanded again in a larger table, and otherwise than before.
    for seed in seeds(PROGRAMS / 2).chain([8117]) {
        let sample = generate(seed);
        match judge(&sample, seed) {
            Ok(None) => {}
            Ok(Some((states, full))) => {
                programs += 1;
                ours += states;
                all += full;
            }
            Err(_) => {
                let smallest = shrink(&sample, &mut |s| judge(s, seed).is_err());
                let how = judge(&smallest, seed).expect_err("it still differs");
                panic!("seed {seed}: {how}\n{}", smallest.text());
            }
        }
    }
    eprintln!("{programs} programs, {ours} of {all} states");
    assert!(ours < all, "some states are left out");
}

/// A formula fails where the naive search over the product says so.
#[test]
fn formulas() {
    let (mut holds, mut prefixes, mut cycles, mut left) = (0, 0, 0, 0);
    for seed in seeds(PROGRAMS / 2) {
        let sample = generate(seed);
        let Some(formula) = testkit::formula::formula(&sample.text(), seed) else { continue };
        let judge = |s: &Sample| {
            let text = format!("{}\nltl p {{ {formula} }}\n", s.text());
            formula::check(&text, STATES_MAX, tiny(seed), seed)
        };
        match judge(&sample) {
            Ok(Judged::Holds) => holds += 1,
            Ok(Judged::Prefix) => prefixes += 1,
            Ok(Judged::Cycle) => cycles += 1,
            Ok(Judged::Left) => left += 1,
            Err(_) => {
                let smallest = shrink(&sample, &mut |s| judge(s).is_err());
                let how = judge(&smallest).expect_err("it still differs");
                panic!("seed {seed}: {how}\n{}\nltl p {{ {formula} }}", smallest.text());
            }
        }
    }
    eprintln!("{holds} hold, {prefixes} fail at a state, {cycles} on a cycle, {left} were left out");
    assert!(holds > 0 && prefixes > 0 && cycles > 0);
}
