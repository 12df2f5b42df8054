//! `ferrospin test`: every model against what it states of itself.
//!
//! Models are found in folders by the endings of their languages. Each expectation is a search of its own; all of them are run in
//! parallel, one worker each, and told in the order in which they stand.

mod expect;
mod results;

use super::ExitStatus;
use crate::args::shared::{Format, OutputArgs, OverwriteArg};
use crate::args::units;
use crate::output;
use crate::signals::Signals;
use expect::{Expectation, Expected, Property, Stated, error_word};
use ferrospin::front;
use ferrospin::languages::{self, Language, Loaded};
use ferrospin::outputs::{Kind, Outputs};
use ferrospin::report::{PropertyKind, PropertyReport, Verdict, Verification};
use ferrospin::verify::{Files, Goal, Goals, Hooks, Limits, Options, Refusal, Store, verify_loaded};
use results::{Outcome, Tested};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Check models against the expectations they state
///
/// A model states what is expected of it in a comment that begins with `expect:`, in a file `MODEL.expect`, or in a table
/// `MODEL.expect.tsv`. Of a model that states nothing everything must hold, but for `ltl` blocks with `/* expect: violated */`.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  ferrospin test                              all models in this folder and below
  ferrospin test models lock.pml              a folder and a file
  ferrospin test --junit results.xml models   also for continuous integration

An expectation is a line such as
  /* expect: -DN=3 safety holds 82 states */
  /* expect: ltl live --fair holds */

Exit codes:
  0  all expectations are met
  1  some expectation is not met
  2  a model or an expectation cannot be read, or bad usage
  3  interrupted")]
pub(crate) struct Args {
    /// Models, and folders that are searched for models
    #[arg(value_name = "DIR|FILE", default_value = ".")]
    paths: Vec<PathBuf>,

    /// Tests that are run at the same time [default: all cores]
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,

    /// Give up a single test after this time
    #[arg(long, value_name = "DURATION", value_parser = units::duration, default_value = "60s")]
    time_limit: Duration,

    /// Leave out tests whose stated number of states is larger
    #[arg(long, value_name = "N", default_value_t = 100_000, conflicts_with = "all")]
    states_max: u64,

    /// Leave out none
    #[arg(long)]
    all: bool,

    /// Tell every test, not only those that failed
    #[arg(long, short)]
    verbose: bool,

    /// Write results as JUnit's XML to FILE
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    junit: Option<PathBuf>,

    /// Write results as SARIF to FILE
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    sarif: Option<PathBuf>,

    #[command(flatten)]
    overwrite: OverwriteArg,

    #[command(flatten)]
    output: OutputArgs,
}

/// A model with one of the things expected of it; without one everything that it states must hold.
struct Job {
    model: PathBuf,
    what: What,
}

enum What {
    One(Box<Expectation>),
    Everything { meant_to_fail: Vec<(String, u32)> },
}

/// Runs the tests.
pub(crate) fn run(args: &Args, languages: &[Language], signals: &Signals) -> anyhow::Result<ExitStatus> {
    let started = Instant::now();
    let models = find(&args.paths, languages)?;
    let outputs = Outputs::beside(&models, args.overwrite.overwrite);
    for file in args.junit.iter().chain(&args.sarif) {
        outputs.check(file, Kind::Results).map_err(anyhow::Error::msg)?;
    }
    let mut bad = Vec::new();
    let mut jobs = Vec::new();
    for model in &models {
        let text = match std::fs::read(model) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(e) => {
                bad.push(format!("cannot read `{}`: {}", model.display(), ferrospin::files::why(&e)));
                continue;
            }
        };
        match expect::read(model, &text) {
            Ok(stated) => jobs.extend(jobs_of(model, stated)),
            Err(why) => bad.push(why.to_string()),
        }
    }
    let interrupt = signals.interrupt.clone();
    let workers = args.jobs.unwrap_or_else(|| std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)).get();
    let done = Mutex::new(Vec::new());
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some((number, job)) = {
            let number = next.fetch_add(1, Ordering::Relaxed);
            jobs.get(number).map(|job| (number, job))
        } {
            if interrupt.load(Ordering::Relaxed) {
                return;
            }
            let tested = ferrospin::stack::with_big_stack(|| perform(args, languages, job, &interrupt, workers));
            done.lock().expect("no panic while the lock is held").push((number, tested));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..workers {
            // Where the system gives no more threads, those that there are do the work.
            if std::thread::Builder::new().spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        work();
    });
    let mut done = done.into_inner().expect("no panic while the lock is held");
    done.sort_by_key(|(number, _)| *number);
    let mut tests = Vec::new();
    for (_, answer) in done {
        match answer {
            Ok(list) => tests.extend(list),
            Err(why) => bad.push(why),
        }
    }
    bad.sort();
    bad.dedup();
    if let Some(file) = &args.junit {
        outputs.write(file, Kind::Results, &results::junit(&tests, &bad)).map_err(anyhow::Error::msg)?;
    }
    if let Some(file) = &args.sarif {
        outputs.write(file, Kind::Results, &results::sarif(&tests, &bad)).map_err(anyhow::Error::msg)?;
    }
    match args.output.format {
        Format::Json => output::print_json(&results::data(&tests, &bad))?,
        Format::Text => {
            let table = results::table(&tests, &bad, args.verbose, started.elapsed());
            let last = table.lines().last().map_or(String::new(), |l| format!("{l}\n"));
            args.output.raw.print(if args.output.quiet { &last } else { &table })?;
        }
    }
    let missed = tests.iter().any(|t| matches!(t.outcome, Outcome::Missed(_)));
    Ok(match () {
        () if interrupt.load(Ordering::Relaxed) => 3,
        () if !bad.is_empty() => 2,
        () => u8::from(missed),
    })
}

/// The models among these files and in these folders, sorted.
fn find(paths: &[PathBuf], languages: &[Language]) -> anyhow::Result<Vec<PathBuf>> {
    let is_model = |path: &Path| {
        let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
        languages.iter().any(|l| l.endings.contains(&ending.as_str()))
    };
    let mut found = Vec::new();
    let mut waiting: Vec<(PathBuf, bool)> = paths.iter().map(|p| (p.clone(), true)).collect();
    while let Some((path, asked)) = waiting.pop() {
        let kind = std::fs::metadata(&path);
        let why =
            |e: &std::io::Error| anyhow::anyhow!("cannot read `{}`: {}", path.display(), ferrospin::files::why(e));
        match kind {
            // Links to folders may lead round in a circle.
            Ok(kind) if kind.is_dir() && (asked || !path.is_symlink()) => {
                for entry in std::fs::read_dir(&path).map_err(|e| why(&e))? {
                    let entry = entry.map_err(|e| why(&e))?.path();
                    // The folder as it was asked for, without a dot in front.
                    waiting.push((entry.strip_prefix("./").map_or(entry.clone(), Path::to_path_buf), false));
                }
            }
            Ok(kind) if asked || kind.is_file() && is_model(&path) => found.push(path),
            Err(e) if asked => return Err(why(&e)),
            _ => {}
        }
    }
    found.sort();
    found.dedup();
    anyhow::ensure!(!found.is_empty(), "there is no model here");
    Ok(found)
}

fn jobs_of(model: &Path, stated: Stated) -> Vec<Job> {
    let Stated { rows, meant_to_fail } = stated;
    let job = |what| Job { model: model.to_owned(), what };
    if rows.is_empty() {
        return vec![job(What::Everything { meant_to_fail })];
    }
    let stated: Vec<String> = rows.iter().map(|r| r.property.to_string()).collect();
    let file = model.to_owned();
    let marked =
        meant_to_fail.into_iter().filter(|(name, _)| !stated.contains(&Property::Ltl(name.clone()).to_string()));
    let marked: Vec<Expectation> = marked.map(|(name, line)| failing(&file, name, line)).collect();
    rows.into_iter().chain(marked).map(|row| job(What::One(Box::new(row)))).collect()
}

/// A block that is meant to fail.
fn failing(file: &Path, name: String, line: u32) -> Expectation {
    Expectation { property: Property::Ltl(name), verdict: Expected::Violated, ..plainly(file, line) }
}

/// Safety must hold.
fn plainly(file: &Path, line: u32) -> Expectation {
    Expectation {
        defines: Vec::new(),
        property: Property::Safety,
        fair: false,
        verdict: Expected::Holds,
        error: None,
        states: None,
        transitions: None,
        file: file.to_owned(),
        line,
    }
}

/// Runs a test, which may be several; `Err` where the model cannot be read.
fn perform(
    args: &Args,
    languages: &[Language],
    job: &Job,
    interrupt: &Arc<AtomicBool>,
    workers: usize,
) -> Result<Vec<Tested>, String> {
    let model = job.model.display().to_string();
    let started = Instant::now();
    let left_out = |states: u64| format!("{states} states are stated");
    let row = match &job.what {
        What::One(row) => Some(&**row),
        What::Everything { .. } => None,
    };
    if let Some(row) = row
        && let Some(states) = row.states.filter(|states| !args.all && *states > args.states_max)
    {
        let outcome = Outcome::LeftOut(left_out(states));
        return Ok(vec![Tested { model, expected: row.clone(), outcome, states: None, took: started.elapsed() }]);
    }
    let defines = row.map(Expectation::macros).unwrap_or_default();
    let settings = row.map(Expectation::settings).unwrap_or_default();
    let language = languages::of(languages, None, &job.model).map_err(|e| e.to_string())?;
    let wants_error = row.is_some_and(|r| r.verdict == Expected::Error);
    let loaded = (language.open)(&job.model, &front::Options { defines, settings, ..Default::default() })
        .map_err(|e| e.to_string())?;
    if loaded.has_errors() && !wants_error {
        let first = loaded.messages().into_iter().find(|m| m.location.is_some());
        let place = first.as_ref().and_then(|m| m.location.as_ref());
        let place = place.map_or(model.clone(), |l| format!("{}:{}:{}", l.file, l.line, l.column));
        return Err(format!("{place}: {}", first.map_or("it cannot be read".into(), |m| m.message)));
    }
    let limits = Limits {
        time_max: Some(args.time_limit),
        memory_max_bytes: ferrospin::memory::available_bytes().map(|all| all / workers as u64 / 2),
        ..Limits::default()
    };
    let options = |goals| Options {
        goals,
        limits,
        hooks: Hooks {
            interrupt: interrupt.clone(),
            deadline: Instant::now().checked_add(args.time_limit),
            ..Hooks::default()
        },
        ..Options::default()
    };
    match &job.what {
        What::One(row) => Ok(vec![one(model, row, &*loaded, &options)]),
        What::Everything { meant_to_fail } => {
            let answer = verify_loaded(&*loaded, &options(Goals::Everything), &Files::default());
            let verification = answer.map_err(|why| format!("{model}: {}", why.why()))?;
            let took = started.elapsed() / verification.properties.len().max(1) as u32;
            let tested = |p: &PropertyReport| {
                let meant = meant_to_fail.iter().find(|(name, _)| p.kind == PropertyKind::Ltl && *name == p.name);
                let expected = match (meant, p.kind) {
                    (Some((name, line)), _) => failing(&job.model, name.clone(), *line),
                    (None, PropertyKind::Ltl) => {
                        Expectation { property: Property::Ltl(p.name.clone()), ..plainly(&job.model, 1) }
                    }
                    (None, PropertyKind::Never) => Expectation { property: Property::Never, ..plainly(&job.model, 1) },
                    (None, _) => plainly(&job.model, 1),
                };
                let outcome = judge(&expected, Some(p));
                Tested { model: model.clone(), expected, outcome, states: p.states, took }
            };
            Ok(verification.properties.iter().map(tested).collect())
        }
    }
}

/// Runs the search of one expectation, and a plain one where counts are stated.
fn one(model: String, row: &Expectation, loaded: &dyn Loaded, options: &dyn Fn(Goals) -> Options) -> Tested {
    let started = Instant::now();
    let goals = match &row.property {
        Property::Safety => Goals::Only(vec![Goal::Safety]),
        Property::Ltl(name) => Goals::Only(vec![Goal::Ltl(name.clone())]),
        Property::Acceptance => Goals::Only(vec![Goal::Acceptance]),
        Property::Progress => Goals::Only(vec![Goal::Progress]),
        Property::Never | Property::Named(_) => Goals::Everything,
    };
    let asked = Options { fair: row.fair, ..options(goals.clone()) };
    let check = |options: &Options| -> Result<Verification, Refusal> {
        if loaded.has_errors() {
            return Err(Refusal::Refused("it cannot be read".into()));
        }
        verify_loaded(loaded, options, &Files::default())
    };
    let fits = |p: &&PropertyReport| match &row.property {
        Property::Never => p.kind == PropertyKind::Never,
        Property::Named(name) => p.name == *name,
        _ => true,
    };
    let answer = check(&asked);
    let report = answer.as_ref().ok().and_then(|v| v.properties.iter().find(fits));
    let mut outcome = match &answer {
        Err(_) if row.verdict == Expected::Error => Outcome::Met,
        Err(why) => Outcome::Missed(format!("expected {}, but it was refused: {}", row.verdict.word(), why.why())),
        Ok(_) => judge(row, report),
    };
    let mut states = report.and_then(|p| p.states);
    if let (Some(wanted), Outcome::Met, Property::Safety | Property::Named(_)) = (row.states, &outcome, &row.property) {
        let plain = Options {
            partial_order: false,
            optimize: false,
            probe: false,
            store: Some(Store::Exact),
            errors_max: None,
            ..options(goals)
        };
        let counted = check(&plain).ok().and_then(|v| v.properties.into_iter().find(|p| fits(&p)));
        let found = counted.as_ref().and_then(|p| p.states);
        let transitions = counted.as_ref().and_then(|p| p.transitions);
        states = found;
        let differ = |what: &str, wanted: u64, found: Option<u64>| {
            let found = found.map_or("an unknown number".into(), |n| n.to_string());
            Outcome::Missed(format!("expected {wanted} {what}, found {found}"))
        };
        if counted.as_ref().is_some_and(|p| !p.complete) {
            outcome = Outcome::Missed("the plain run did not come to its end".into());
        } else if found != Some(wanted) {
            outcome = differ("states", wanted, found);
        } else if row.transitions.is_some_and(|n| Some(n) != transitions) {
            outcome = differ("transitions", row.transitions.unwrap_or_default(), transitions);
        }
    }
    Tested { model, expected: row.clone(), outcome, states, took: started.elapsed() }
}

/// Whether an answer is the expected one.
fn judge(row: &Expectation, report: Option<&PropertyReport>) -> Outcome {
    let Some(report) = report else { return Outcome::Missed(format!("there is no property `{}`", row.property)) };
    let found = match report.verdict {
        Verdict::Holds => Expected::Holds,
        Verdict::Violated => Expected::Violated,
        Verdict::Undecided => Expected::Undecided,
        Verdict::Error => Expected::Error,
    };
    if found != row.verdict {
        let why = report.stopped.as_ref().filter(|_| found == Expected::Undecided);
        let why = why.map_or(String::new(), |why| format!(" ({why})"));
        let error = report.error.as_ref().map_or(String::new(), |e| format!(" ({})", e.message));
        return Outcome::Missed(format!("expected {}, found {}{why}{error}", row.verdict.word(), found.word()));
    }
    let kind = report.error.as_ref().map(|e| error_word(e.kind));
    match (&row.error, kind) {
        (Some(wanted), Some(found)) if *wanted != found => {
            Outcome::Missed(format!("expected a violation of the sort `{wanted}`, found `{found}`"))
        }
        _ => Outcome::Met,
    }
}
