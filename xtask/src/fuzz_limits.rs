//! `fuzz-limits`: mutated models through `ferrospin check` with limits, each in a process of its own.
//!
//! Asked of each: an exit code that fits the verdict, no panic, no signal, and limits that are kept. On a busy machine a
//! process waits for a processor through no fault of its own: what the system says it waited does not count.

use crate::temp::TempDir;
use anyhow::Context;
use ferrospin_testkit::mutate::{inflate, models_in, mutate, tokens};
use ferrospin_testkit::random::Random;
use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Options of the task.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// How many models
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    models: u64,
    /// Seed of the first model; the others follow
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// How many models at once
    #[arg(long, value_name = "N", default_value_t = 1)]
    jobs: usize,
    /// The time limit, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 1000)]
    time_limit_ms: u64,
    /// The memory limit, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 200)]
    memory_limit_mib: u64,
    /// The program [default: that of the dev profile, which is not built here]
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Keep the models on which something was found in this folder
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
}

impl Args {
    /// The longest that a run may take.
    fn time_max(&self) -> Duration {
        let limit = Duration::from_millis(self.time_limit_ms);
        limit + Duration::from_millis(500).max(limit / 10)
    }

    /// The most that a run may hold.
    fn memory_max_kib(&self) -> u64 {
        let limit = self.memory_limit_mib << 10;
        limit + (limit / 10).max(16 << 10)
    }
}

/// When a run is ended from outside.
const HANGS: Duration = Duration::from_secs(20);
/// How much time passes between two looks at a run.
const PAUSE: Duration = Duration::from_millis(4);

/// What was seen of one run.
struct Seen {
    status: Option<ExitStatus>,
    wall: Duration,
    waited: Duration,
    peak_kib: u64,
    report: String,
    said: String,
}

/// Prints what is found and a summary; true when there is nothing.
pub(crate) fn run(root: &Path, args: &Args) -> anyhow::Result<bool> {
    let program = args.program.clone().unwrap_or_else(|| root.join("target/debug/ferrospin"));
    let models: Vec<String> =
        ["models", "crates/testkit/tests"].iter().flat_map(|dir| models_in(&root.join(dir))).collect();
    let dir = TempDir::new()?;
    let (next, end) = (AtomicU64::new(args.seed), args.seed + args.models);
    let totals = Mutex::new(([0_u64; 4], 0_u64));
    let work = |file: PathBuf| -> anyhow::Result<()> {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= end {
                return Ok(());
            }
            fs::write(&file, model(seed, &models))?;
            let run = one(&program, &file, args)?;
            let found = judge(&run, args);
            let mut totals = totals.lock().expect("no thread panics");
            if let Some(code @ 0..=3) = run.status.and_then(|status| status.code()) {
                totals.0[code as usize] += 1;
            }
            totals.1 += u64::from(found.is_some());
            if let Some(found) = found {
                println!("seed {seed}: {found}");
                if let Some(keep) = &args.keep {
                    fs::create_dir_all(keep)?;
                    fs::copy(&file, keep.join(format!("{seed}.pml")))?;
                }
            }
        }
    };
    std::thread::scope(|scope| -> anyhow::Result<()> {
        let jobs: Vec<_> = (0..args.jobs.max(1))
            .map(|job| {
                let file = dir.path().join(format!("{job}.pml"));
                scope.spawn(|| work(file))
            })
            .collect();
        jobs.into_iter().try_for_each(|job| job.join().expect("no thread panics"))
    })?;
    let ([holds, violated, bad, undecided], found) = totals.into_inner().expect("no thread panics");
    println!(
        "{} models: {holds} hold, {violated} violated, {bad} refused, {undecided} undecided; {found} findings",
        args.models
    );
    Ok(found == 0)
}

/// The model of a seed: odd or large.
fn model(seed: u64, models: &[String]) -> String {
    let (random, tokens) = (&mut Random::new(seed), tokens());
    if random.chance(30) {
        return mutate(random, models, &tokens);
    }
    inflate(random, models, &tokens)
}

/// Checks a model under limits, and looks at the process meanwhile.
fn one(program: &Path, model: &Path, args: &Args) -> anyhow::Result<Seen> {
    let [report, said] = ["out", "err"].map(|end| model.with_extension(end));
    let started = Instant::now();
    let mut child = Command::new(program)
        .args(["check", "--no-trail", "--format", "json", "--threads", "1"])
        .arg(format!("--time-limit={}ms", args.time_limit_ms))
        .arg(format!("--memory-limit={}M", args.memory_limit_mib))
        .arg(model)
        .stdin(Stdio::null())
        .stdout(File::create(&report)?)
        .stderr(File::create(&said)?)
        .spawn()
        .with_context(|| format!("cannot run {}; build it first", program.display()))?;
    let process = PathBuf::from(format!("/proc/{}", child.id()));
    let (mut waited, mut peak_kib) = (Duration::ZERO, 0);
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        waited = waited.max(longest_wait(&process));
        peak_kib = peak_kib.max(held_max_kib(&process));
        if started.elapsed() > HANGS + waited {
            child.kill()?;
            child.wait()?;
            break None;
        }
        std::thread::sleep(PAUSE);
    };
    let wall = started.elapsed();
    let text = |path: &Path| fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    Ok(Seen { status, wall, waited, peak_kib, report: text(&report)?, said: text(&said)? })
}

/// How long the thread of a process that waited most for a processor did so.
fn longest_wait(process: &Path) -> Duration {
    let Ok(threads) = fs::read_dir(process.join("task")) else { return Duration::ZERO };
    let waits = threads.flatten().filter_map(|thread| {
        let text = fs::read_to_string(thread.path().join("schedstat")).ok()?;
        text.split_whitespace().nth(1)?.parse().ok().map(Duration::from_nanos)
    });
    waits.max().unwrap_or_default()
}

/// The most that a process ever held; 0 where it is gone.
fn held_max_kib(process: &Path) -> u64 {
    let status = fs::read_to_string(process.join("status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// What is wrong with a run, if anything is.
fn judge(run: &Seen, args: &Args) -> Option<String> {
    let mut wrong = Vec::new();
    match run.status {
        None => wrong.push(format!("hangs: ended from outside after {:.1} s", run.wall.as_secs_f64())),
        Some(status) => match (status.code(), status.signal()) {
            (Some(code @ 0..=3), _) => {
                let verdict = ["holds", "violated", "error", "undecided"][code as usize];
                let report = serde_json::from_str::<serde_json::Value>(&run.report);
                let told = report.as_ref().ok().and_then(|report| report["verdict"].as_str());
                // Bad usage and a want of memory for the report itself have no report.
                if told.is_some_and(|told| told != verdict) || (told.is_none() && code < 2) {
                    wrong.push(format!("exit code {code} beside the verdict {told:?}"));
                }
            }
            (code, signal) => wrong.push(format!("exit code {code:?}, signal {signal:?}")),
        },
    }
    for words in ["panicked", "internal error"] {
        if run.said.contains(words) || run.report.contains(words) {
            let line = |text: &str| text.lines().find(|line| line.contains(words)).map(str::to_owned);
            wrong.push(line(&run.said).or_else(|| line(&run.report)).unwrap_or_default());
        }
    }
    let own = run.wall.saturating_sub(run.waited);
    if own > args.time_max() {
        let [wall, waited] = [run.wall, run.waited].map(|time| time.as_secs_f64());
        wrong.push(format!("time: {wall:.2} s, of which {waited:.2} s without a processor"));
    }
    if run.peak_kib > args.memory_max_kib() {
        wrong.push(format!("memory: {} MiB", run.peak_kib >> 10));
    }
    (!wrong.is_empty()).then(|| wrong.join("; "))
}
