//! Searches that show violations and never their absence: swarms and random walks.
//!
//! A swarm is many depth-first searches, each with its own small filter of bits, its own order of moves and its own hash
//! (Holzmann, Joshi and Groce 2008). What one omits another may find: the chances of omission multiply. Everything about
//! a search follows from the seed and its number, so that a finding can be repeated with `--seed`.

use crate::options::Options;
use crate::refusal::Refusal;
use crate::report::{PropertyKind, PropertyReport, Verdict};
use crate::safety;
use crate::stores;
use crate::subject::{Executors, Reference, Task};
use crate::watch::Watch;
use ferrospin_search::Setup;
use ferrospin_search::observe::{Observer, Progress};
use ferrospin_search::safety::{Outcome, Stopped};
use ferrospin_search::shuffle::Shuffled;
use ferrospin_search::{BoxMachine, depth, walk};
use ferrospin_store::bitstate::{self, Bitstate};
use ferrospin_store::omission::{Coverage, LossyRun};
use ferrospin_system::StateHash;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::thread::Builder;

/// Steps of a random walk where no number is given.
const WALK_STEPS: u64 = 10_000;

/// Stops all searches when one has found what was asked for.
struct Together<'a> {
    watch: &'a Watch,
    enough: AtomicBool,
}

impl Observer for Together<'_> {
    fn go_on(&self, progress: &Progress) -> bool {
        !self.enough.load(Relaxed) && self.watch.go_on(progress)
    }
}

/// One of many, and what it found.
struct Member {
    number: usize,
    outcome: Outcome,
    coverage: Option<Coverage>,
}

/// Runs a swarm, or random walks, instead of a search.
pub fn check(
    executors: &dyn Executors,
    reference: &mut dyn Reference,
    task: &Task<'_>,
) -> Result<(PropertyReport, Outcome), Refusal> {
    let options = task.options;
    let mut watch = Watch::start(options);
    let workers = options.threads.get();
    let count = options.swarm.map_or(workers, |n| n.get());
    let bytes = options.limits.memory_max_bytes.unwrap_or(stores::LOSSY_BYTES).min(watch.memory_max_bytes());
    let bytes_each = bytes / 10 * 9 / workers.min(count) as u64;
    watch.stop_with(executors.self_check());
    let machines: Vec<_> = (0..count).map(|_| executors.machine()).collect();
    let queue = Mutex::new(machines.into_iter().enumerate());
    let together = Together { watch: &watch, enough: AtomicBool::new(false) };
    let members = Mutex::new(Vec::new());
    let failed = AtomicUsize::new(0);
    let work = || {
        loop {
            let next = queue.lock().expect("nothing panics here").next();
            let Some((number, machine)) = next else { return };
            if !together.go_on(&Progress::default()) {
                return;
            }
            let Some(member) = run(executors, options, &together, number, machine, bytes_each) else {
                failed.fetch_add(1, Relaxed);
                return;
            };
            if member.outcome.errors > 0 && options.errors_max.is_some() {
                together.enough.store(true, Relaxed);
            }
            members.lock().expect("nothing panics here").push(member);
        }
    };
    std::thread::scope(|scope| {
        // Members wait in a queue: this thread does what no other one can be had for.
        for _ in 1..workers.min(count) {
            let _ = Builder::new().name("worker".into()).spawn_scoped(scope, work);
        }
        work();
    });
    let mut members = members.into_inner().expect("nothing panics here");
    if members.is_empty() && failed.into_inner() > 0 {
        return Err(Refusal::Refused(format!("there is no room for filters of {} MiB", bytes_each >> 20)));
    }
    members.sort_by_key(|m| m.number);
    let mut report = PropertyReport::undecided("safety", PropertyKind::Safety);
    report.notes.extend(executors.self_check().map(|check| check.result()).transpose()?);
    report.engine = executors.engine().into();
    report.threads = workers as u64;
    report.exact = false;
    let mut outcome = if options.walk {
        report.search = "walk".into();
        report.store = "none".into();
        tell_walks(&members, &mut report)
    } else {
        report.search = format!("swarm of {count}");
        report.store = "bitstate".into();
        tell_swarm(&members, options, count, &mut report)
    };
    safety::tell_plainly(executors, &mut outcome);
    report.verdict = if outcome.errors > 0 { Verdict::Violated } else { Verdict::Undecided };
    report.stopped = watch.why().map(String::from);
    report.errors = outcome.errors;
    report.error = outcome.violations.first().map(|v| safety::violation(reference, v));
    report.depth = Some(outcome.depth);
    report.state_bytes = Some(outcome.state_bytes as u64);
    report.elapsed_s = Some(watch.elapsed().as_secs_f64());
    report.memory_bytes = watch.peak_bytes();
    Ok((report, outcome))
}

/// Runs one of many; `None` when there is no memory for it.
fn run(
    executors: &dyn Executors,
    options: &Options,
    together: &Together<'_>,
    number: usize,
    machine: BoxMachine,
    bytes: u64,
) -> Option<Member> {
    let seed = options.lossy.seed.wrapping_add(number as u64);
    let mut wanted = safety::wanted(executors, options);
    let edges = executors.edges();
    if options.walk {
        wanted.depth_max = options.limits.depth_max.unwrap_or(WALK_STEPS);
        let mut machine = machine;
        let outcome = walk::walk(&mut *machine, &wanted, edges, seed, together);
        return Some(Member { number, outcome, coverage: None });
    }
    let filter = bitstate::Options {
        expected_states: options.lossy.expected_states,
        k: options.lossy.bits,
        seed,
        workers: 1,
        memory_bytes: bytes,
    };
    let store = Bitstate::new(filter).ok()?;
    // The first search keeps the model's own order; it is what a search without swarm would do.
    let machine: BoxMachine = if number == 0 { machine } else { Box::new(Shuffled::new(machine, seed)) };
    let outcome = depth::search(Setup {
        machines: vec![machine],
        reduction: None,
        store: &store,
        hash: StateHash::new(seed),
        options: &wanted,
        edges,
        observer: together,
        keeps: false,
    });
    let run = LossyRun {
        scheme: store.scheme(),
        stored: outcome.states,
        transitions: outcome.transitions(),
        expected: options.lossy.expected_states.is_some(),
        overflow: false,
    };
    let coverage = outcome.stopped.is_none().then(|| Coverage::of(&run));
    Some(Member { number, outcome, coverage })
}

/// Adds up what the members found; figures that cannot be added are the largest.
fn merged(members: &[Member]) -> Outcome {
    let mut all = Outcome { stopped: Some(Stopped::Caller), ..Outcome::default() };
    for Member { outcome, .. } in members {
        all.errors += outcome.errors;
        all.walks += outcome.walks;
        all.matched += outcome.matched;
        all.states = all.states.max(outcome.states);
        all.depth = all.depth.max(outcome.depth);
        all.state_bytes = all.state_bytes.max(outcome.state_bytes);
        all.violations.extend(outcome.violations.iter().cloned());
        all.taken.resize(outcome.taken.len(), false);
        all.taken.iter_mut().zip(&outcome.taken).for_each(|(to, from)| *to |= from);
    }
    all.violations.sort_by_key(|v| v.trail.len());
    all
}

fn tell_walks(members: &[Member], report: &mut PropertyReport) -> Outcome {
    let all = merged(members);
    report.transitions = Some(all.matched);
    report
        .notes
        .push(format!("{} random walks, {} steps in all: nothing is said of other runs", all.walks, all.matched));
    Outcome { states: 0, matched: 0, ..all }
}

fn tell_swarm(members: &[Member], options: &Options, count: usize, report: &mut PropertyReport) -> Outcome {
    let all = merged(members);
    report.states = Some(all.states);
    let ended = members.iter().filter(|m| m.coverage.is_some()).count();
    report.notes.push(format!(
        "{} of {count} searches ran, {ended} to their end; the largest stored {} states",
        members.len(),
        all.states
    ));
    let finder = members.iter().find(|m| m.outcome.errors > 0);
    if let Some(finder) = finder {
        let seed = options.lossy.seed.wrapping_add(finder.number as u64);
        report.notes.push(format!("found by search {} of the swarm, with seed {seed}", finder.number));
    } else if ended > 0 {
        let coverages: Vec<_> = members.iter().filter_map(|m| m.coverage).collect();
        let omitted = ferrospin_store::omission::coverage::combined(&coverages);
        report.omission_probability = Some(omitted);
        let chance = ferrospin_store::omission::coverage::chance(omitted);
        report.notes.push(format!("chance that all searches that ended omitted a given state: {chance}"));
    }
    all
}
