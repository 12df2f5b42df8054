//! `fuzz`: random programs over the whole language, in every way against the naive searches, for a number of minutes.
//!
//! What differs is made smaller and written as a file test. A kind of difference is kept a few times only, because most of
//! them have one cause.

use anyhow::Context;
use ferrospin::files::DiskLoader;
use ferrospin::front;
use ferrospin::stack::with_big_stack;
use ferrospin_oracle::base::{Without, ask};
use ferrospin_oracle::{Amount, Difference, Judgement, Tally, found, judge, seeds, shrink};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Options of the task.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// How long
    #[arg(long, value_name = "N", default_value_t = 10)]
    minutes: u64,
    /// No more programs than this
    #[arg(long, value_name = "N")]
    count: Option<u64>,
    /// Seed of the first program; the others follow
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    seed: u64,
    /// How many programs at once
    #[arg(long, value_name = "N", default_value_t = 1)]
    jobs: usize,
    /// Leave out programs with more states than this
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    states: u64,
    /// Check each program in every way there is
    #[arg(long)]
    every: bool,
    /// Where files of what differs are written [default: the folder of the test]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Keep differing programs as they are
    #[arg(long)]
    no_shrink: bool,
    /// Compare these files in every way instead, and print what the naive searches say of them
    #[arg(long, value_name = "FILE", num_args = 1..)]
    files: Vec<PathBuf>,
    /// Compare files in at most this many ways of each kind, not in every one
    #[arg(long, value_name = "N", requires = "files")]
    ways: Option<usize>,
}

/// Files of one kind of difference.
const FILES_OF_A_KIND: u64 = 2;
/// How long one program may be made smaller.
const SHRINK_TIME_MAX: Duration = Duration::from_secs(120);
/// A program that takes longer than this is told: it is worth a look why.
const SLOW: Duration = Duration::from_secs(5);
/// How often the sums are printed.
const EVERY: Duration = Duration::from_secs(60);

/// What was done so far.
#[derive(Default)]
struct Sums {
    models: u64,
    refused: u64,
    large: u64,
    tally: Tally,
    differences: BTreeMap<String, u64>,
}

impl Sums {
    fn print(&self, started: Instant, next: u64) {
        let Sums { models, refused, large, tally, differences } = self;
        let different: u64 = differences.values().sum();
        println!(
            "{:.0} s, up to seed {next}: {models} models compared ({} violated), {refused} refused, {large} too large; \
             {} runs: default and plain {}, safety {}, cycles {} (and {} that do not fit), told {}; {different} differences",
            started.elapsed().as_secs_f64(),
            tally.violated,
            tally.runs(),
            tally.default_runs,
            tally.safety_runs,
            tally.cycle_runs,
            tally.unfit_runs,
            tally.told_runs,
        );
    }
}

/// Judges files; true when all agree.
fn judge_files(args: &Args) -> anyhow::Result<bool> {
    let mut passed = true;
    for path in &args.files {
        let text = std::fs::read_to_string(path)?;
        let (answers, judgement) = with_big_stack(|| {
            let answers = ask(&text, found::STATES_MAX).map(|base| found::answers(&base));
            (answers, judge(&text, args.ways.map_or(Amount::Every, Amount::Many), found::STATES_MAX))
        });
        println!("{}: {judgement:?}", path.display());
        answers.into_iter().flatten().for_each(|a| println!(" * {} {a}", found::MARK));
        passed &= !matches!(judgement, Judgement::Different(_));
    }
    Ok(passed)
}

/// Runs; true when all agree.
pub(crate) fn run(root: &Path, args: &Args) -> anyhow::Result<bool> {
    if !args.files.is_empty() {
        return judge_files(args);
    }
    let out = args.out.clone().unwrap_or_else(|| root.join("crates/oracle/tests/found"));
    std::fs::create_dir_all(&out).context("the folder of files cannot be made")?;
    let (next, started) = (AtomicU64::new(args.seed), Instant::now());
    let end = args.count.map_or(u64::MAX, |n| args.seed.saturating_add(n));
    let time_max = Duration::from_secs(60 * args.minutes);
    let sums = Mutex::new((Sums::default(), Instant::now()));
    std::thread::scope(|scope| {
        for _ in 0..args.jobs.max(1) {
            scope.spawn(|| {
                with_big_stack(|| {
                    while started.elapsed() < time_max {
                        let seed = next.fetch_add(1, Ordering::Relaxed);
                        if seed >= end {
                            break;
                        }
                        one(seed, args, &out, &sums);
                        let mut sums = sums.lock().expect("nothing panics while it is held");
                        if sums.1.elapsed() > EVERY {
                            sums.0.print(started, seed);
                            sums.1 = Instant::now();
                        }
                    }
                });
            });
        }
    });
    let (sums, _) = sums.into_inner().expect("nothing panics while it is held");
    sums.print(started, next.into_inner().min(end));
    for (kind, n) in &sums.differences {
        println!("{n:6} {kind}");
    }
    Ok(sums.differences.is_empty())
}

/// A program as its tree is printed.
fn neat(text: &str) -> Option<String> {
    let front = front::read_text("m.pml", text, &front::Options::default(), &mut DiskLoader::default());
    (!front.unreadable).then(|| ferrospin_oracle::printed(&front.reading.program))
}

/// Judges the program of one seed.
fn one(seed: u64, args: &Args, out: &Path, sums: &Mutex<(Sums, Instant)>) {
    let (sample, began) = (seeds::sample(seed), Instant::now());
    let amount = if args.every { Amount::Every } else { Amount::Some(seed) };
    let judgement = judge(&sample.text(), amount, args.states);
    if began.elapsed() > SLOW {
        println!("seed {seed} took {:.0} s", began.elapsed().as_secs_f64());
    }
    let mut held = sums.lock().expect("nothing panics while it is held");
    let Difference { kind, text } = match judgement {
        Judgement::Same(tally) => {
            held.0.models += 1;
            held.0.tally += tally;
            return;
        }
        Judgement::Without(Without::Refused(_)) => {
            held.0.refused += 1;
            return;
        }
        Judgement::Without(Without::Large) => {
            held.0.large += 1;
            return;
        }
        Judgement::Different(d) => d,
    };
    held.0.models += 1;
    let times = held.0.differences.entry(kind.clone()).or_default();
    *times += 1;
    let times = *times;
    drop(held);
    println!("seed {seed}: {kind}: {text}");
    if times > FILES_OF_A_KIND {
        return;
    }
    let began = Instant::now();
    let mut fails = |t: &str| {
        began.elapsed() < SHRINK_TIME_MAX
            && matches!(judge(t, amount, args.states), Judgement::Different(d) if d.kind == kind)
    };
    let mut small = if args.no_shrink { sample.text() } else { shrink::smallest(&sample, &mut fails) };
    // What a printed tree says is easier to read, if it fails as well.
    if let Some(neat) = neat(&small).filter(|t| !args.no_shrink && fails(t)) {
        small = neat;
    }
    let what = match judge(&small, amount, args.states) {
        Judgement::Different(d) => format!("{}: {}", d.kind, d.text),
        _ => text,
    };
    let name: String =
        kind.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect();
    let path = out.join(format!("{name}_{seed}.pml"));
    // The naive searches may be what panics.
    let file = std::panic::catch_unwind(|| found::file(&small, &what, seed)).unwrap_or_else(|_| small.clone());
    println!("{file}");
    if let Err(why) = std::fs::write(&path, file) {
        println!("{}: {why}", path.display());
    }
}
