//! Random programs in ways drawn by chance, and files of what once differed in many more, against the naive searches.
//!
//! `xtask fuzz` does the same for as long as it is told to, and writes the files; with `--files`, each in all ways.

use ferrospin::stack::with_big_stack;
use ferrospin_oracle::base::{Without, ask};
use ferrospin_oracle::{Amount, Judgement, Tally, found, judge, seeds};
use std::path::Path;

/// Programs that are compared in every run of the tests.
const SEEDS: std::ops::Range<u64> = 0..SEED_COUNT;
const SEED_COUNT: u64 = 500;
/// Ways of each kind in which a file is checked.
const WAYS: usize = 250;
/// Programs with more states are left out.
const STATES_MAX: u64 = 1_000;

#[test]
fn every_way_agrees_with_the_naive_searches() {
    let (mut tally, mut models, mut wrong) = (Tally::default(), 0, Vec::new());
    for seed in SEEDS {
        let text = seeds::sample(seed).text();
        match with_big_stack(|| judge(&text, Amount::Some(seed), STATES_MAX)) {
            Judgement::Same(t) => {
                models += 1;
                tally += t;
            }
            Judgement::Without(_) => {}
            Judgement::Different(d) => wrong.push(format!("seed {seed}: {}: {}\n{text}", d.kind, d.text)),
        }
    }
    assert!(wrong.is_empty(), "{} programs differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(models > SEED_COUNT * 6 / 10, "only {models} of {SEED_COUNT} programs were compared");
    let holds = models - tally.violated;
    assert!(holds.min(tally.violated) > models / 10, "{holds} hold, {} do not", tally.violated);
    assert!(tally.cycle_runs > models && tally.safety_runs > 5 * models, "{tally:?}");
}

#[test]
fn what_once_differed_agrees_in_many_ways() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/found");
    let mut files: Vec<_> = std::fs::read_dir(&folder).expect("a folder").map(|f| f.expect("a file").path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "pml"));
    files.sort();
    assert!(!files.is_empty());
    let mut wrong = Vec::new();
    for path in files {
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let mut complain = |why: String| wrong.push(format!("{}: {why}", path.display()));
        let answers = match with_big_stack(|| ask(&text, found::STATES_MAX).map(|base| found::answers(&base))) {
            Ok(answers) => answers,
            Err(Without::Refused(code)) => vec![format!("refused {code}")],
            Err(Without::Large) => vec!["too large".into()],
        };
        let expected = found::expected(&text);
        if answers != expected {
            complain(format!("expected {expected:?}, got {answers:?}"));
        }
        match with_big_stack(|| judge(&text, Amount::Many(WAYS), found::STATES_MAX)) {
            Judgement::Same(_) | Judgement::Without(Without::Refused(_)) => {}
            other => complain(format!("{other:?}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
