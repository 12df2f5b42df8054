//! `fuzz-searches`: random programs by every search that people run, with and without partial-order reduction.
//!
//! Where `fuzz-por` takes naive searches, these are the real ones: both orders, one worker and several, both selectors,
//! machine code and interpreter, stores in turn. Deadlocks alone, assertions, and a random formula without X are asked
//! for in runs of their own. Every other search is impatient: it soon looks whether the reduction is worth it, and goes on
//! with all moves where it is not, which patient ones do only on large programs. Breadth first, counts must not depend on
//! the number of workers.

use crate::seeds::Seeds;
use ferrospin::files::DiskLoader;
use ferrospin::front::{self, Front};
use ferrospin::report::{PropertyReport, Verdict};
use ferrospin::stack::with_big_stack;
use ferrospin::verify::{Engine, Goal, Goals, Limits, Options, PATIENCE, Search, Selector, Store, verify};
use ferrospin_testkit::bounded::is_small;
use ferrospin_testkit::formula::formula;
use ferrospin_testkit::generate::{Sample, generate, shrink};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

/// Options of `fuzz-searches`.
#[derive(clap::Args)]
pub(crate) struct Fuzz {
    #[command(flatten)]
    seeds: Seeds,
    /// Leave out programs with more states than this
    #[arg(long, value_name = "N", default_value_t = 5_000)]
    states: u64,
}

/// How long the search without reduction may take.
const PLAIN_TIME_MAX: Duration = Duration::from_secs(2);
const THREADS: [usize; 3] = [1, 2, 4];
/// Number of states after which an impatient search may give up its reduction.
const PATIENCE_LITTLE: u64 = 16;
/// Stores in turn. Those that learn from random walks before a search come less often, because on small programs these walks
/// take longer than the search.
const STORES: [Store; 8] = [
    Store::Exact,
    Store::Collapse,
    Store::Exact,
    Store::Tree,
    Store::Collapse,
    Store::Exact,
    Store::Compact,
    Store::Exact,
];

fn ask(front: &Front, options: &Options) -> Option<PropertyReport> {
    Some(verify(front, options).ok()?.properties.remove(0))
}

/// Compares all searches for one question; how many were compared.
fn compare(front: &Front, base: &Options, turn: u64, states_max: u64) -> Result<usize, String> {
    // Programs without end are left out.
    let limits = Limits { time_max: Some(PLAIN_TIME_MAX), ..Limits::default() };
    let plain = Options { partial_order: false, search: Some(Search::BreadthFirst), limits, ..base.clone() };
    let Some(full) = ask(front, &plain) else { return Ok(0) };
    if full.verdict == Verdict::Undecided || full.states.is_none_or(|n| n > states_max) {
        return Ok(0);
    }
    let cycles = matches!(&base.goals, Goals::Only(goals) if goals.iter().any(|g| matches!(g, Goal::Ltl(_))));
    let mut compared = 0;
    for selector in [Selector::Ample, Selector::Stubborn] {
        for search in [Search::BreadthFirst, Search::DepthFirst] {
            let mut sizes = None;
            let impatient = (turn + compared as u64 / THREADS.len() as u64).is_multiple_of(2);
            let patience = if impatient { PATIENCE_LITTLE } else { PATIENCE };
            for threads in THREADS {
                let turn = turn + compared as u64;
                let store = if cycles { None } else { Some(STORES[(turn % 8) as usize]) };
                let learns = matches!(store, Some(Store::Tree | Store::Compact));
                let engine = if turn.is_multiple_of(3) && !learns { Engine::Interp } else { Engine::Native };
                let search = if cycles { None } else { Some(search) };
                let threads = NonZeroUsize::new(threads).expect("not zero");
                let options = Options { selector, search, threads, store, engine, patience, ..base.clone() };
                let Some(found) = ask(front, &options) else { return Err(format!("refused: {options:?}")) };
                compared += 1;
                let told = || {
                    format!("{selector:?}, {search:?}, {threads} workers, {store:?}, {engine:?}, patience {patience}")
                };
                if found.verdict != full.verdict {
                    return Err(format!("{:?} instead of {:?}: {}", found.verdict, full.verdict, told()));
                }
                // Large numbers of a compact store leave the level of a state open now and then.
                let fixed = search == Some(Search::BreadthFirst) && found.errors == 0 && store != Some(Store::Compact);
                if fixed {
                    let size = (found.states, found.transitions);
                    if sizes.get_or_insert(size) != &size {
                        return Err(format!("{size:?} instead of {sizes:?}: {}", told()));
                    }
                }
            }
        }
    }
    Ok(compared)
}

/// All questions about one program.
fn judge(text: &str, seed: u64, states_max: u64) -> Result<[usize; 3], String> {
    let front = front::read_text("random.pml", text, &front::Options::default(), &mut DiskLoader::default());
    if front.unreadable {
        return Ok([0; 3]);
    }
    // Looking before is cheaper than a search that is given up.
    let model = ferrospin_testkit::model("random.pml", text, &[]);
    if model.is_ok_and(|model| !is_small(&Arc::new(model), states_max)) {
        return Ok([0; 3]);
    }
    let safety = Options { goals: Goals::Only(vec![Goal::Safety]), ..Options::default() };
    let deadlocks = Options { ignore_assert: true, ..safety.clone() };
    let mut counts = [0; 3];
    let wrong = |what: &str| {
        let what = what.to_owned();
        move |why: String| format!("{what}: {why}")
    };
    counts[0] = compare(&front, &deadlocks, seed, states_max).map_err(wrong("deadlocks"))?;
    counts[1] = compare(&front, &safety, seed + 1, states_max).map_err(wrong("assertions"))?;
    if let Some(formula) = formula(text, seed) {
        let goals = Goals::Only(vec![Goal::Ltl(formula.clone())]);
        let ltl = Options { goals, ..Options::default() };
        counts[2] = compare(&front, &ltl, seed + 2, states_max).map_err(wrong(&formula))?;
    }
    Ok(counts)
}

/// Runs; true when all agree.
pub(crate) fn fuzz(args: &Fuzz) -> anyhow::Result<bool> {
    Ok(with_big_stack(|| {
        let (mut failed, mut programs, mut runs) = (0, [0; 3], 0);
        for seed in args.seeds.all() {
            let sample = generate(seed);
            match judge(&sample.text(), seed, args.states) {
                Ok(counts) => {
                    programs.iter_mut().zip(counts).for_each(|(sum, n)| *sum += usize::from(n > 0));
                    runs += counts.iter().sum::<usize>();
                }
                Err(why) => {
                    failed += 1;
                    println!("seed {seed}: {why}");
                    let small = shrink(&sample, &mut |s: &Sample| judge(&s.text(), seed, args.states).is_err());
                    println!("{}", small.text());
                }
            }
            if seed % 250 == 0 {
                println!("seed {seed}: {programs:?} programs, {runs} runs, {failed} failed");
            }
        }
        let [deadlocks, assertions, formulas] = programs;
        println!(
            "programs with deadlocks {deadlocks}, assertions {assertions}, formulas {formulas}; {runs} runs, {failed} failed"
        );
        failed == 0
    }))
}
