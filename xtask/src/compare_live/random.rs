//! Random programs with formulas, never claims, accept and progress labels: verdicts about their endless runs against SPIN's.
//!
//! Assertions are made into prints, so that nothing ends SPIN's search before its answer, and accept labels beside formulas
//! are renamed, because SPIN takes them for the formula's own (`docs/spin-differences.md`). Where SPIN's fairness alone
//! misses a run, that is counted apart: it does not look at runs that stop.

use super::{Args, Property, compile, ours, theirs};
use crate::temp::TempDir;
use ferrospin::stack::with_big_stack;
use ferrospin_testkit::{Answer, answer, language};
use std::collections::BTreeMap;
use std::path::Path;

/// Programs with more states are left out.
const STATES_MAX: u64 = 3_000;

/// What is asked of a program.
struct Question {
    options: &'static [&'static str],
    defines: &'static [&'static str],
    how: &'static str,
}

const CLAIMS: Question = Question { options: &[], defines: &[], how: "-a" };
const ACCEPTANCE: Question = Question { options: &["--acceptance"], defines: &["-DNOCLAIM"], how: "-a" };
const PROGRESS: Question = Question { options: &["--progress"], defines: &["-DNOCLAIM", "-DNP"], how: "-l" };

/// Compares; true when there is no difference.
pub(super) fn run(root: &Path, args: &Args, count: u64) -> anyhow::Result<bool> {
    let mut tally: BTreeMap<&'static str, u64> = BTreeMap::new();
    for seed in args.seed..args.seed + count {
        for what in one(root, args, seed)? {
            *tally.entry(what).or_default() += 1;
        }
        if (seed + 1 - args.seed).is_multiple_of(50) {
            println!("up to seed {seed}: {tally:?}");
        }
    }
    println!("{tally:?}");
    Ok(!tally.contains_key(DIFFERENT))
}

const DIFFERENT: &str = "different";

/// The outcomes for one program, each property without and with fairness.
fn one(root: &Path, args: &Args, seed: u64) -> anyhow::Result<Vec<&'static str>> {
    let mut text = language::comparable(seed).text().replace("assert(", "printf(\"%d\", ");
    let question = if text.contains("ltl f") {
        text = text.replace("accept", "passed");
        &CLAIMS
    } else if text.contains("never {") {
        &CLAIMS
    } else if text.contains("accept") {
        &ACCEPTANCE
    } else if text.contains("progress") {
        &PROGRESS
    } else {
        return Ok(vec!["asks nothing"]);
    };
    let small = || matches!(answer("m.pml", &text, &[], false, STATES_MAX), Answer::Ran(o) if o.complete);
    if !with_big_stack(small) {
        return Ok(vec!["refused or large"]);
    }
    let dir = TempDir::new()?;
    let model = dir.path().join("m.pml");
    std::fs::write(&model, &text)?;
    let defines = [question.defines, &["-DNFAIR=5"]].concat();
    let built = compile(dir.path(), &model, args, &defines)?;
    let mut outcomes = Vec::new();
    for fair in [false, true] {
        let options = [question.options, if fair { &["--fair"] } else { &[] }].concat();
        for property in ours(root, &model, args, &options)?.unwrap_or_default() {
            let how: &[&str] = if fair { &[question.how, "-f"] } else { &[question.how] };
            let said = if built { theirs(dir.path(), &property, args, how)? } else { None };
            outcomes.push(judge(&property, said.as_deref(), fair));
            if outcomes.last() == Some(&DIFFERENT) {
                let spin = said.unwrap_or_default();
                println!(
                    "seed {seed}, {} {}: spin {spin}, ferrospin {}",
                    property.name,
                    how.join(" "),
                    property.verdict
                );
                if let Some(keep) = &args.keep {
                    std::fs::create_dir_all(keep)?;
                    std::fs::write(keep.join(format!("{seed}.pml")), &text)?;
                }
            }
        }
    }
    Ok(outcomes)
}

fn judge(property: &Property, said: Option<&str>, fair: bool) -> &'static str {
    match (said, property.verdict.as_str()) {
        (None, _) => "no answer of SPIN",
        (Some(_), "undecided") => "undecided",
        (Some(a), b) if a == b => "equal",
        (Some("holds"), _) if fair => "SPIN misses a fair run",
        _ => DIFFERENT,
    }
}
