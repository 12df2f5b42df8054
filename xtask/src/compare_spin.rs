//! `compare-spin`: plain exhaustive runs of ours against those of a live SPIN, model by model.
//!
//! Compared are verdict, stored states, transitions and steps inside `atomic`. A model that has an expectation file is
//! also run once for each set of macros named there, on request. Where SPIN stops in the middle of a search only the
//! verdict is compared.

use crate::instances::{define_all, models, plain_states, variants};
use crate::spin::{self, Counts, Plan, Verification};
use crate::temp::TempDir;
use ferrospin::front::{self, Options};
use ferrospin::report::ErrorKind;
use ferrospin::stack::with_big_stack;
use ferrospin::verify::{self, Goal, Goals, Limits, Search, Store};
use ferrospin_testkit::{Answer, answer};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The longest stack that SPIN may use: the whole of it is written before a search begins.
const DEPTH_MAX: u64 = 20_000_000;
/// The shortest stack that SPIN gets.
const DEPTH_LEAST: u64 = 1_000_000;
/// States up to which the naive search is asked.
const NAIVE_MAX: u64 = 300_000;
/// The longest that a larger run of ours may take.
const TIME_MAX: Duration = Duration::from_secs(300);
/// The memory that it may take.
const MEMORY_MAX_BYTES: u64 = 4 << 30;

/// Options of the task.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folders or single models
    #[arg(value_name = "DIR", required = true)]
    paths: Vec<PathBuf>,
    /// Run also the instances recorded in the expectation files
    #[arg(long)]
    instances: bool,
    /// Leave out what has more states than this
    #[arg(long, value_name = "N", default_value_t = NAIVE_MAX)]
    states: u64,
    /// Leave out instances that are recorded with fewer states than this
    #[arg(long, value_name = "N", default_value_t = 0)]
    states_least: u64,
    /// The longest that SPIN's verifier may run, in seconds
    #[arg(long, value_name = "N", default_value_t = spin::TIME_MAX.as_secs())]
    seconds: u64,
    /// Print a line for every comparison
    #[arg(long)]
    all: bool,
}

/// Prints the comparison; true when there is no difference.
pub(crate) fn run(args: &Args) -> anyhow::Result<bool> {
    println!("{}\nferrospin {}\n", spin::version()?, ferrospin::VERSION);
    let (mut same, mut verdict_only, mut both_refuse, mut skipped, mut differ) = (0, 0, 0, 0, 0);
    for model in &models(&args.paths)? {
        let sets = if args.instances { variants(model) } else { [Vec::new()].into() };
        for defines in sets {
            let name = [vec![model.display().to_string()], defines.clone()].concat().join(" ");
            let recorded = plain_states(model, &defines);
            if recorded.is_some_and(|states| states < args.states_least) {
                continue;
            }
            let mut skip = |why: &str| {
                println!("{name}: skipped ({why})");
                skipped += 1;
            };
            let large = format!("more than {} states", args.states);
            if recorded.is_some_and(|states| states > args.states) {
                skip(&large);
                continue;
            }
            let ours = ours(model, &defines, args.states);
            let states = match &ours {
                Answer::Ran(o) if o.foreign => {
                    skip("embedded C");
                    continue;
                }
                Answer::Ran(o) if o.states >= args.states => {
                    skip(&large);
                    continue;
                }
                Answer::Ran(o) if !o.complete => {
                    skip("ferrospin: time or memory");
                    continue;
                }
                Answer::Ran(o) => o.states,
                Answer::Refused(_) => 0,
            };
            let theirs = theirs(model, &defines, states, Duration::from_secs(args.seconds))?;
            let judgement = judge(&ours, &theirs);
            match &judgement {
                Judgement::Same => same += 1,
                Judgement::SameVerdict => verdict_only += 1,
                Judgement::BothRefuse => both_refuse += 1,
                Judgement::Unknown(why) => skip(why),
                Judgement::Different => {
                    differ += 1;
                    println!("{name}: DIFFERS\n  spin       {}\n  ferrospin  {}", show(&theirs), ours);
                }
            }
            if args.all && !matches!(judgement, Judgement::Unknown(_) | Judgement::Different) {
                println!("{name}: {judgement}: {ours}");
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

impl fmt::Display for Judgement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Judgement::Same => f.write_str("equal"),
            Judgement::SameVerdict => f.write_str("equal verdict, SPIN stopped early"),
            Judgement::BothRefuse => f.write_str("refused by both"),
            Judgement::Unknown(why) => write!(f, "no answer ({why})"),
            Judgement::Different => f.write_str("DIFFERENT"),
        }
    }
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
        // One that opens a `d_step` is not seen by SPIN.
        (Answer::Refused(why), Verification::Ran(_)) if why.contains("two-else") => {
            Judgement::Unknown("ferrospin: two else")
        }
        (Answer::Ran(_), Verification::Refused("cc", _)) => Judgement::Unknown("cc: SPIN's code does not compile"),
        (Answer::Ran(o), _) if !o.complete => Judgement::Unknown("ferrospin: states"),
        (Answer::Ran(o), Verification::Ran(t)) => {
            let verdicts = (o.errors > 0) == (t.errors > 0);
            if !verdicts {
                Judgement::Different
            } else if !t.complete || o.undefined_in_spin {
                Judgement::SameVerdict
            } else if (o.states, o.transitions) == (t.states, t.transitions)
                && o.atomic_steps.is_none_or(|steps| steps == t.atomic_steps)
            {
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

/// Our answer: the naive search over the interpreter or, where there are too many states for it, the compiled model's.
fn ours(model: &Path, defines: &[String], states_max: u64) -> Answer {
    let short: Vec<&str> = defines.iter().map(String::as_str).collect();
    let name = model.display().to_string();
    let naive = || match std::fs::read(model) {
        Ok(bytes) => answer(&name, &String::from_utf8_lossy(&bytes), &short, false, states_max.min(NAIVE_MAX)),
        Err(e) => Answer::Refused(e.to_string()),
    };
    let work = || match naive() {
        Answer::Ran(o) if !o.complete && states_max > NAIVE_MAX => compiled(model, defines),
        answer => answer,
    };
    std::panic::catch_unwind(|| with_big_stack(work)).unwrap_or_else(|_| Answer::Refused("PANIC".into()))
}

/// The answer of a plain run of the compiled model, with the exact store.
fn compiled(model: &Path, defines: &[String]) -> Answer {
    let front = match front::read_path(model, &Options { defines: define_all(defines), ..Options::default() }) {
        Ok(front) => front,
        Err(why) => return Answer::Refused(why.to_string()),
    };
    let options = verify::Options {
        goals: Goals::Only(vec![Goal::Safety]),
        search: Some(Search::BreadthFirst),
        store: Some(Store::Exact),
        partial_order: false,
        optimize: false,
        errors_max: None,
        limits: Limits { time_max: Some(TIME_MAX), memory_max_bytes: Some(MEMORY_MAX_BYTES), depth_max: None },
        ..verify::Options::default()
    };
    let report = match verify::verify(&front, &options) {
        Ok(v) => v.properties.into_iter().next().expect("one property was asked for"),
        Err(why) => return Answer::Refused(format!("{why:?}")),
    };
    let kind = report.error.as_ref().map(|e| e.kind);
    Answer::Ran(ferrospin_testkit::Counts {
        states: report.states.unwrap_or_default(),
        transitions: report.transitions.unwrap_or_default(),
        atomic_steps: None,
        errors: report.errors,
        first_error: report.error.map(|e| e.message).unwrap_or_default(),
        complete: report.complete,
        foreign: false,
        undefined_in_spin: kind == Some(ErrorKind::Runtime),
    })
}

/// SPIN's answer, found in a copy of the model's folder, because models include their neighbours. That many states are
/// expected; the stack may be deeper, because steps inside `atomic` are on it, too.
fn theirs(model: &Path, defines: &[String], states: u64, time_max: Duration) -> anyhow::Result<Verification> {
    let dir = TempDir::new()?;
    let folder = model.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_file() && path.metadata()?.len() < 1 << 20 {
            std::fs::copy(&path, dir.path().join(path.file_name().expect("a file has a name")))?;
        }
    }
    let name = model.file_name().unwrap_or_default().to_string_lossy();
    let large = states > NAIVE_MAX / 10;
    let plan = Plan {
        defines,
        claim: false,
        preprocess: true,
        time_max,
        depth_max: (2 * states).clamp(DEPTH_LEAST, DEPTH_MAX),
        slots_log2: if large { 22 } else { 18 },
        optimise: large,
    };
    spin::verify(dir.path(), &name, &plan)
}
