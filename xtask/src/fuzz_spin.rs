//! `fuzz-spin`: random programs, ours against a live SPIN.
//!
//! The programs come from `ferrospin-testkit`, which keeps clear of SPIN's known defects
//! (`docs/spin-differences.md`). A program on which the two differ is shrunk and printed with both answers.

use crate::compare_spin::{Judgement, judge, show};
use crate::spin::{self, Plan, Verification};
use crate::temp::TempDir;
use ferrospin::stack::with_big_stack;
use ferrospin_testkit::generate::{Sample, generate, shrink};
use ferrospin_testkit::{Answer, answer, language};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::Duration;

/// Options of the task.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// How many programs
    #[arg(long, value_name = "N", default_value_t = 5000)]
    count: u64,
    /// Seed of the first program; the others follow
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// How many programs at once
    #[arg(long, value_name = "N", default_value_t = 2)]
    jobs: usize,
    /// Leave out programs with more states than this
    #[arg(long, value_name = "N", default_value_t = 30_000)]
    states: u64,
    /// Programs over the whole language, but for what SPIN is known to get wrong
    #[arg(long)]
    language: bool,
    /// Print differing programs as they are
    #[arg(long)]
    no_shrink: bool,
    /// Write the agreed results to this file: seed, states, transitions, whether there is an error
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Compare these files, each a program, instead of random ones
    #[arg(long, value_name = "FILE", num_args = 1..)]
    files: Vec<PathBuf>,
}

/// The longest that SPIN's verifier may run; an endless `atomic` keeps it busy for ever.
const TIME_MAX: Duration = Duration::from_secs(5);
/// After this many programs is said how far it has come.
const EVERY: u64 = 100;
/// The longest stack that SPIN may use.
const DEPTH_MAX: u64 = 100_000;

struct Found {
    seed: u64,
    judgement: Judgement,
    ours: Answer,
    /// For a difference: what to print.
    report: String,
}

/// Prints differences and a summary; true when there is none.
pub(crate) fn run(args: &Args) -> anyhow::Result<bool> {
    println!("{}\nferrospin {}\n", spin::version()?, ferrospin::VERSION);
    if !args.files.is_empty() {
        return run_files(args);
    }
    let next = AtomicU64::new(args.seed);
    let end = args.seed + args.count;
    let (sender, receiver) = mpsc::channel::<anyhow::Result<Found>>();
    let mut kinds: BTreeMap<String, u64> = BTreeMap::new();
    let mut differ = 0;
    let mut agreed = Vec::new();
    std::thread::scope(|scope| -> anyhow::Result<()> {
        for _ in 0..args.jobs.max(1) {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= end || sender.send(one(seed, args)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        for found in receiver {
            let found = found?;
            *kinds.entry(found.judgement.to_string()).or_default() += 1;
            let done: u64 = kinds.values().sum();
            if done.is_multiple_of(EVERY) {
                println!("{done} programs, up to seed {}: {differ} differ", found.seed);
            }
            match (&found.judgement, &found.ours) {
                (Judgement::Different, _) => {
                    differ += 1;
                    println!("{}", found.report);
                }
                (Judgement::Same, Answer::Ran(o)) => agreed.push((found.seed, o.clone())),
                _ => {}
            }
        }
        Ok(())
    })?;
    for (kind, n) in &kinds {
        println!("{n:6} {kind}");
    }
    if let Some(path) = &args.record {
        agreed.sort_by_key(|a| a.0);
        let mut text = String::from("seed\tverdict\tstates\ttransitions\tatomic_steps\n");
        for (seed, o) in &agreed {
            let verdict = if o.errors > 0 { "violated" } else { "holds" };
            let steps = o.atomic_steps.map_or("-".into(), |n| n.to_string());
            writeln!(text, "{seed}\t{verdict}\t{}\t{}\t{steps}", o.states, o.transitions)?;
        }
        std::fs::write(path, text)?;
    }
    Ok(differ == 0)
}

fn run_files(args: &Args) -> anyhow::Result<bool> {
    let mut differ = 0;
    for path in &args.files {
        let text = std::fs::read_to_string(path)?;
        let dir = TempDir::new()?;
        let (judgement, ours, theirs) = compare(dir.path(), &text, args)?;
        differ += u32::from(judgement == Judgement::Different);
        let name = path.display();
        println!("{name}: {judgement}\n  spin       {}\n  ferrospin  {ours}", show(&theirs));
    }
    Ok(differ == 0)
}

fn one(seed: u64, args: &Args) -> anyhow::Result<Found> {
    let dir = TempDir::new()?;
    let sample = if args.language { language::comparable(seed) } else { generate(seed) };
    let (judgement, ours, theirs) = compare(dir.path(), &sample.text(), args)?;
    let mut report = String::new();
    if judgement == Judgement::Different {
        let kind = |o: &Answer, t: &Verification| (matches!(o, Answer::Ran(_)), matches!(t, Verification::Ran(_)));
        let wanted = kind(&ours, &theirs);
        let mut fails = |s: &Sample| {
            compare(dir.path(), &s.text(), args)
                .is_ok_and(|(j, o, t)| j == Judgement::Different && kind(&o, &t) == wanted)
        };
        let small = if args.no_shrink { sample } else { shrink(&sample, &mut fails) };
        let (_, ours, theirs) = compare(dir.path(), &small.text(), args)?;
        report = format!("seed {seed} DIFFERS\n{}  spin       {}\n  ferrospin  {ours}\n", small.text(), show(&theirs));
    }
    Ok(Found { seed, judgement, ours, report })
}

/// Asks both about a program.
fn compare(folder: &Path, text: &str, args: &Args) -> anyhow::Result<(Judgement, Answer, Verification)> {
    let claim = text.contains("never {");
    let work = || answer("m.pml", text, &[], claim, args.states);
    let ours = std::panic::catch_unwind(|| with_big_stack(work)).unwrap_or_else(|_| Answer::Refused("PANIC".into()));
    if let Answer::Ran(o) = &ours
        && !o.complete
    {
        return Ok((Judgement::Unknown("ferrospin: states"), ours, Verification::TooBig("not asked")));
    }
    std::fs::write(folder.join("m.pml"), text)?;
    let plan = Plan {
        defines: &[],
        claim,
        // What has no directives needs no preprocessor.
        preprocess: text.contains('#'),
        time_max: TIME_MAX,
        depth_max: DEPTH_MAX,
        slots_log2: 16,
        optimise: false,
    };
    let theirs = spin::verify(folder, "m.pml", &plan)?;
    Ok((judge(&ours, &theirs), ours, theirs))
}
