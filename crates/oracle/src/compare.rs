//! The comparison: a text in, what differs out.

use crate::base::{self, Base, Without};
use crate::runs;
use crate::ways::{self, Expected, Way};
use ferrospin::report::{ErrorKind, PropertyReport, Verdict};
use ferrospin::verify::{Goal, Refusal, verify};
use ferrospin_testkit::random::Random;
use std::cell::{Cell, RefCell};
use std::ops::AddAssign;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

/// In how many ways a model is checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Amount {
    /// In some, drawn by this seed.
    Some(u64),
    /// In this many of each kind, drawn by chance; always the same ones.
    Many(usize),
    /// In all.
    Every,
}

/// What was done.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Tally {
    /// Checks without options, and with `--plain`.
    pub default_runs: u64,
    /// Searches for violations of safety in other ways.
    pub safety_runs: u64,
    /// Searches for cycles.
    pub cycle_runs: u64,
    /// Replayed counterexamples, random runs and printed programs.
    pub told_runs: u64,
    /// Searches that say that they do not fit the question.
    pub unfit_runs: u64,
    /// Whether something is violated.
    pub violated: u64,
}

impl Tally {
    /// All runs that gave an answer.
    pub fn runs(&self) -> u64 {
        self.default_runs + self.safety_runs + self.cycle_runs + self.told_runs
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.default_runs += other.default_runs;
        self.safety_runs += other.safety_runs;
        self.cycle_runs += other.cycle_runs;
        self.told_runs += other.told_runs;
        self.unfit_runs += other.unfit_runs;
        self.violated += other.violated;
    }
}

/// Two answers that should be equal and are not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// Differences of one kind probably have one cause.
    pub kind: String,
    /// What differs.
    pub text: String,
}

/// The outcome of a comparison.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Judgement {
    /// There is nothing to compare.
    Without(Without),
    /// All agree.
    Same(Tally),
    /// Two do not.
    Different(Difference),
}

/// Compares all that is asked for. Whatever panics is a difference.
pub fn judge(text: &str, amount: Amount, states_max: u64) -> Judgement {
    listen();
    JUDGING.set(true);
    let judged = catch_unwind(AssertUnwindSafe(|| judge_loudly(text, amount, states_max)));
    JUDGING.set(false);
    match judged {
        Ok(Ok(tally)) => Judgement::Same(tally),
        Ok(Err(Stop::Without(why))) => Judgement::Without(why),
        Ok(Err(Stop::Different(d))) => Judgement::Different(d),
        Err(_) => {
            let said = HEARD.with(|h| h.borrow().clone());
            let place = said.lines().next().unwrap_or("somewhere").to_string();
            Judgement::Different(Difference { kind: format!("panic {place}"), text: said })
        }
    }
}

thread_local! {
    /// Place and message of the last panic on this thread.
    static HEARD: RefCell<String> = const { RefCell::new(String::new()) };
    /// Whether panics of this thread are answers.
    static JUDGING: Cell<bool> = const { Cell::new(false) };
}

/// Keeps what panics say while a program is judged, instead of printing it.
fn listen() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !JUDGING.get() {
                return before(info);
            }
            let place = info.location().map_or(String::new(), |l| format!("{}:{}", l.file(), l.line()));
            HEARD.with(|h| *h.borrow_mut() = format!("{place}\n{info}"));
        }));
    });
}

pub(crate) enum Stop {
    Without(Without),
    Different(Difference),
}

pub(crate) fn different(kind: &str, text: String) -> Stop {
    Stop::Different(Difference { kind: kind.into(), text })
}

fn judge_loudly(text: &str, amount: Amount, states_max: u64) -> Result<Tally, Stop> {
    let base = base::ask(text, states_max).map_err(Stop::Without)?;
    let mut tally = Tally {
        violated: u64::from(base.unsafe_ || base.cycles.iter().any(|c| c.violated(false))),
        ..Tally::default()
    };
    let mut r = Random::new(match amount {
        Amount::Some(seed) => seed,
        Amount::Many(_) | Amount::Every => 0,
    });
    runs::printed(&base)?;
    tally.told_runs += 1;
    check_default(&base, &mut r, amount, &mut tally)?;
    check_safety(&base, &ways::plain(Goal::Safety, true), &mut tally)?;
    let safety = match amount {
        Amount::Every => ways::every(),
        Amount::Many(count) => (0..count).flat_map(|_| ways::some(&mut r)).take(count).collect(),
        Amount::Some(_) => ways::some(&mut r),
    };
    for way in &safety {
        check_safety(&base, way, &mut tally)?;
    }
    for (i, cycles) in base.cycles.iter().enumerate() {
        let fair = r.chance(40);
        let list = match amount {
            Amount::Every => [false, true].into_iter().flat_map(|f| ways::every_cycle(&cycles.goal, f)).collect(),
            Amount::Many(count) => {
                let two = |i: usize| ways::some_cycles(&cycles.goal, i.is_multiple_of(2), &mut r);
                (0..count.div_ceil(2)).flat_map(two).collect()
            }
            Amount::Some(_) => ways::some_cycles(&cycles.goal, fair, &mut r),
        };
        for way in list.iter().chain([&ways::plain(cycles.goal.clone(), false)]) {
            check_cycles(&base, i, way, &mut tally)?;
        }
    }
    runs::random(&base, &mut r)?;
    tally.told_runs += 1;
    if base.unsafe_ {
        runs::replayed(&base)?;
        tally.told_runs += 1;
    }
    Ok(tally)
}

/// Runs a check; `None` when it does not fit the question.
fn run(base: &Base, way: &Way) -> Result<Option<Vec<PropertyReport>>, Stop> {
    match verify(&base.front, &way.options) {
        Ok(verification) => Ok(Some(verification.properties)),
        Err(Refusal::Refused(why)) if why.starts_with("`--emptiness") => Ok(None),
        Err(refusal) => {
            let why = refusal.why();
            let kind = if why.contains("internal error") { "internal error" } else { "refused" };
            let first = way.name.split(' ').next().unwrap_or_default();
            Err(different(&format!("{kind} {first}"), format!("{}: {why}", way.name)))
        }
    }
}

/// The checks that people begin with, on all properties.
fn check_default(base: &Base, r: &mut Random, amount: Amount, tally: &mut Tally) -> Result<(), Stop> {
    let threads: &[usize] = if !matches!(amount, Amount::Some(_)) { &[1, 2, 4] } else { &[*r.pick(&[1, 2, 2, 4])] };
    for &threads in threads {
        let way = ways::default(threads);
        let Some(reports) = run(base, &way)? else { return Err(different("default refused", String::new())) };
        tally.default_runs += 1;
        for report in &reports {
            if report.name == "safety" {
                compare_safety(base, &way, report)?;
            } else if let Some(i) = base.cycles.iter().position(|c| c.goal == Goal::Ltl(report.name.clone())) {
                compare_cycles(base, i, &way, report)?;
            }
        }
    }
    Ok(())
}

fn check_safety(base: &Base, way: &Way, tally: &mut Tally) -> Result<(), Stop> {
    let reports = run(base, way)?.ok_or_else(|| different("safety refused", way.name.clone()))?;
    tally.safety_runs += 1;
    compare_safety(base, way, &reports[0])
}

fn compare_safety(base: &Base, way: &Way, report: &PropertyReport) -> Result<(), Stop> {
    let group = way.name.split(' ').next().unwrap_or_default();
    let told = || format!("{}: {} where it should be {}", way.name, shown(report), shown_base(base));
    let wrong = |what: &str| Err(different(&format!("{what} {group}"), told()));
    // Only searches with a reduction look at claims on ends of channels.
    let allowed =
        |violated: bool| violated == base.unsafe_ || way.options.partial_order && violated == base.unsafe_claimed;
    match (report.verdict, way.expected) {
        (Verdict::Violated, _) if !allowed(true) => wrong("false violation"),
        (Verdict::Holds, Expected::Below | Expected::Violations) => wrong("lossy holds"),
        (Verdict::Holds, _) if !allowed(false) => wrong("false holds"),
        (Verdict::Undecided, Expected::Counts | Expected::Verdict) => wrong("undecided"),
        (Verdict::Error, _) => wrong("error"),
        _ => {
            let (states, transitions) = base.counts;
            let counted = report.states.zip(report.transitions);
            let exclusive = report.error.as_ref().is_some_and(|e| e.kind == ErrorKind::Runtime && e.depth == Some(0));
            match way.expected {
                Expected::Counts if counted != Some((states, transitions)) && !exclusive => wrong("counts"),
                Expected::Below if counted.is_none_or(|c| c.0 > states || c.1 > transitions) => wrong("more states"),
                _ => Ok(()),
            }
        }
    }
}

fn check_cycles(base: &Base, index: usize, way: &Way, tally: &mut Tally) -> Result<(), Stop> {
    match run(base, way)? {
        Some(reports) => {
            tally.cycle_runs += 1;
            compare_cycles(base, index, way, &reports[0])
        }
        None => {
            tally.unfit_runs += 1;
            Ok(())
        }
    }
}

fn compare_cycles(base: &Base, index: usize, way: &Way, report: &PropertyReport) -> Result<(), Stop> {
    let cycles = &base.cycles[index];
    let fair = way.options.fair;
    let expected = if cycles.violated(fair) { Verdict::Violated } else { Verdict::Holds };
    if report.verdict == expected {
        return Ok(());
    }
    let kind =
        format!("cycles {:?} {} {}", report.verdict, report.search, way.name.split(' ').next().unwrap_or_default());
    let text = format!("{}, {}: {} where it should be {expected:?}", cycles.name, way.name, shown(report));
    Err(different(&kind, text))
}

fn shown(r: &PropertyReport) -> String {
    let why = r.error.as_ref().map_or(String::new(), |e| format!(" ({})", e.message));
    let stopped = r.stopped.as_ref().map_or(String::new(), |s| format!(" ({s})"));
    format!("{:?}{why}{stopped}, states {:?}, transitions {:?}", r.verdict, r.states, r.transitions)
}

fn shown_base(b: &Base) -> String {
    let verdict = if b.unsafe_ { "violated" } else { "holds" };
    format!("{verdict}, states {}, transitions {}", b.counts.0, b.counts.1)
}
