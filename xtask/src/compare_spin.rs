//! `compare-spin`: plain exhaustive runs of ours against those of a live SPIN, model by model.
//!
//! Compared are verdict, stored states, transitions and steps inside `atomic`. A model that has an expectation file is
//! also run once for each set of macros named there, on request. Where SPIN stops in the middle of a search only the
//! verdict is compared.

use crate::spin::{self, Counts, Plan, Verification};
use crate::temp::TempDir;
use ferrospin::stack::with_big_stack;
use ferrospin_testkit::{Answer, answer};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The longest stack that SPIN may use.
const DEPTH_MAX: u64 = 3_000_000;

/// Prints the comparison; true when there is no difference.
pub(crate) fn run(paths: &[PathBuf], instances: bool, states_max: u64) -> anyhow::Result<bool> {
    println!("{}\nferrospin {}\n", spin::version()?, ferrospin::VERSION);
    let mut models = Vec::new();
    for path in paths {
        find_models(path, &mut models)?;
    }
    models.sort();
    let (mut same, mut verdict_only, mut both_refuse, mut skipped, mut differ) = (0, 0, 0, 0, 0);
    for model in &models {
        let sets = if instances { variants(model) } else { [Vec::new()].into() };
        for defines in sets {
            let name = [vec![model.display().to_string()], defines.clone()].concat().join(" ");
            let ours = ours(model, &defines, states_max);
            if let Answer::Ran(o) = &ours
                && o.foreign
            {
                println!("{name}: skipped (embedded C)");
                skipped += 1;
                continue;
            }
            if let Answer::Ran(o) = &ours
                && !o.complete
            {
                println!("{name}: skipped (more than {states_max} states)");
                skipped += 1;
                continue;
            }
            let theirs = theirs(model, &defines)?;
            match judge(&ours, &theirs) {
                Judgement::Same => same += 1,
                Judgement::SameVerdict => verdict_only += 1,
                Judgement::BothRefuse => both_refuse += 1,
                Judgement::Unknown(why) => {
                    println!("{name}: skipped ({why})");
                    skipped += 1;
                }
                Judgement::Different => {
                    differ += 1;
                    println!("{name}: DIFFERS\n  spin       {}\n  ferrospin  {}", show(&theirs), ours);
                }
            }
        }
    }
    println!(
        "\nequal {same}, equal verdict where SPIN stops early {verdict_only}, both refuse {both_refuse}, \
         skipped {skipped}, differ {differ}"
    );
    Ok(differ == 0)
}

/// What a comparison found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Judgement {
    /// Verdict and all counts are equal.
    Same,
    /// SPIN stopped in the middle of the search, or went on in foreign memory: only the verdicts are equal.
    SameVerdict,
    /// Neither takes the model.
    BothRefuse,
    /// Nothing can be said, because one of them gave no answer.
    Unknown(&'static str),
    /// A difference.
    Different,
}

/// Compares two answers.
pub(crate) fn judge(ours: &Answer, theirs: &Verification) -> Judgement {
    match (ours, theirs) {
        (_, Verification::TooBig(why)) => Judgement::Unknown(why),
        (Answer::Refused(_), Verification::Refused(..)) => Judgement::BothRefuse,
        // A loop of one `skip` is fine here; SPIN's verifier will not start.
        (_, Verification::Refused("pan", why)) if why.contains("self-loop") => Judgement::Unknown("pan: self-loop"),
        // SPIN looks for two `else` at one point in unreachable code too.
        (_, Verification::Refused("pan", why)) if why.contains("'else'") => Judgement::Unknown("pan: two else"),
        (Answer::Ran(_), Verification::Refused("cc", _)) => Judgement::Unknown("cc: SPIN's code does not compile"),
        (Answer::Ran(o), _) if !o.complete => Judgement::Unknown("ferrospin: states"),
        (Answer::Ran(o), Verification::Ran(t)) => {
            let verdicts = (o.errors > 0) == (t.errors > 0);
            if !verdicts {
                Judgement::Different
            } else if !t.complete || o.undefined_in_spin {
                Judgement::SameVerdict
            } else if (o.states, o.transitions, o.atomic_steps) == (t.states, t.transitions, t.atomic_steps) {
                Judgement::Same
            } else {
                Judgement::Different
            }
        }
        // A verifier that dies of what is an error here has not given an answer.
        (Answer::Ran(o), Verification::Refused("pan", _)) if o.undefined_in_spin => Judgement::SameVerdict,
        _ => Judgement::Different,
    }
}

/// A verification in words.
pub(crate) fn show(v: &Verification) -> String {
    match v {
        Verification::Ran(Counts { states, transitions, atomic_steps, errors, first_error, complete }) => {
            let stopped = if *complete { "" } else { " (stopped early)" };
            format!(
                "states {states}, transitions {transitions}, atomic steps {atomic_steps}, errors {errors} \
                 {first_error}{stopped}"
            )
        }
        Verification::Refused(who, why) => format!("refused by {who}: {why}"),
        Verification::TooBig(what) => format!("too big for {what}"),
    }
}

fn ours(model: &Path, defines: &[String], states_max: u64) -> Answer {
    let defines: Vec<&str> = defines.iter().map(String::as_str).collect();
    let work = || match std::fs::read(model) {
        Ok(bytes) => {
            answer(&model.display().to_string(), &String::from_utf8_lossy(&bytes), &defines, false, states_max)
        }
        Err(e) => Answer::Refused(e.to_string()),
    };
    std::panic::catch_unwind(|| with_big_stack(work)).unwrap_or_else(|_| Answer::Refused("PANIC".into()))
}

/// SPIN's answer, found in a copy of the model's folder, because models include their neighbours.
fn theirs(model: &Path, defines: &[String]) -> anyhow::Result<Verification> {
    let dir = TempDir::new()?;
    let folder = model.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_file() && path.metadata()?.len() < 1 << 20 {
            std::fs::copy(&path, dir.path().join(path.file_name().expect("a file has a name")))?;
        }
    }
    let name = model.file_name().unwrap_or_default().to_string_lossy();
    let plan = Plan {
        defines,
        claim: false,
        preprocess: true,
        time_max: spin::TIME_MAX,
        depth_max: DEPTH_MAX,
        slots_log2: 20,
        optimise: true,
    };
    spin::verify(dir.path(), &name, &plan)
}

/// All `.pml` files in a folder and below it; a path of a file is taken as it is.
pub(crate) fn find_models(path: &Path, models: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if !path.is_dir() {
        models.push(path.to_owned());
        return Ok(());
    }
    for entry in std::fs::read_dir(path)? {
        let path = entry?.path();
        if path.is_dir() || path.extension().is_some_and(|e| e == "pml") {
            find_models(&path, models)?;
        }
    }
    Ok(())
}

/// The sets of macros named in the expectations of a model; always the empty one.
fn variants(model: &Path) -> BTreeSet<Vec<String>> {
    let expectations = std::fs::read_to_string(model.with_extension("expect.tsv")).unwrap_or_default();
    let rows = expectations.lines().skip(1).filter_map(|row| row.split('\t').next());
    let macros = rows.filter(|defines| *defines != "-" && !defines.starts_with('#'));
    let split = |defines: &str| defines.split_whitespace().map(str::to_owned).collect();
    macros.map(split).chain([Vec::new()]).collect()
}
