//! The ways in which a model can be checked: all of them, or a few by chance.

use ferrospin::under::{Mode, Order, Start, Step, Under};
use ferrospin::verify::{
    Closing, Emptiness, Engine, Goal, Goals, Limits, Lossy, Options, PATIENCE, Proviso, SCOUT, Search, Selector, Store,
};
use ferrospin_testkit::random::Random;
use std::num::NonZeroUsize;
use std::time::Duration;

/// No search of a small model takes so long, on however busy a machine.
const TIME_MAX: Duration = Duration::from_secs(120);
/// Number of states after which an impatient search may give up its reduction.
const PATIENCE_LITTLE: u64 = 16;

const SEARCHES: [Search; 2] = [Search::BreadthFirst, Search::DepthFirst];
/// States that are shown to a store beforehand.
const SAMPLES: [Option<usize>; 2] = [None, Some(1)];
const EXACT: [Store; 6] = [Store::Exact, Store::Arena, Store::Tree, Store::Compact, Store::Collapse, Store::Automaton];
/// Random walks have no end.
const WALKS_TIME: Duration = Duration::from_millis(5);
/// Steps of a random walk.
const WALK_STEPS: u64 = 200;
/// States for which the members of a swarm have room: small filters are made in a moment, and omit some states.
const SWARM_STATES: u64 = 1_000;

const LOSSY: [Store; 2] = [Store::HashCompact, Store::Bitstate];
const ENGINES: [Engine; 2] = [Engine::Native, Engine::Interp];
const THREADS: [usize; 3] = [1, 2, 4];
const SELECTORS: [Selector; 2] = [Selector::Ample, Selector::Stubborn];
/// Rules that are sound for safety.
const PROVISOS: [Proviso; 7] = [
    Proviso::Auto,
    Proviso::Strict,
    Proviso::Weak,
    Proviso::Complete,
    Proviso::Level,
    Proviso::Queue,
    Proviso::Visited,
];
const EMPTINESS: [Emptiness; 8] = [
    Emptiness::Auto,
    Emptiness::Ndfs,
    Emptiness::Couvreur,
    Emptiness::Tau03,
    Emptiness::Weak,
    Emptiness::Testing,
    Emptiness::Cndfs,
    Emptiness::Ufscc,
];

/// What an answer must be equal in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expected {
    /// Verdict and counts.
    Counts,
    /// The verdict.
    Verdict,
    /// Violations that are there, and no more states.
    Below,
    /// Violations that are there.
    Violations,
}

/// A way to check.
pub struct Way {
    /// For messages, and to tell kinds of differences apart.
    pub name: String,
    /// The options.
    pub options: Options,
    /// What must come out.
    pub expected: Expected,
}

/// Draws one of a list, or all of them one after the other.
trait Draw {
    fn draw<T: Copy>(&mut self, list: &[T]) -> T;

    fn engine(&mut self) -> Engine {
        self.draw(&ENGINES)
    }
}

impl Draw for Random {
    fn draw<T: Copy>(&mut self, list: &[T]) -> T {
        *self.pick(list)
    }

    /// Making machine code takes longer than searching a small model.
    fn engine(&mut self) -> Engine {
        if self.chance(30) { Engine::Native } else { Engine::Interp }
    }
}

/// Counts through all combinations of what is drawn.
#[derive(Default)]
struct Odometer {
    digits: Vec<(usize, usize)>,
    at: usize,
}

impl Draw for Odometer {
    fn draw<T: Copy>(&mut self, list: &[T]) -> T {
        if self.at == self.digits.len() {
            self.digits.push((0, list.len()));
        }
        let (digit, _) = self.digits[self.at];
        self.at += 1;
        list[digit]
    }
}

impl Odometer {
    /// Goes on to the next combination; false behind the last.
    fn advance(&mut self) -> bool {
        self.at = 0;
        while let Some((digit, size)) = self.digits.pop() {
            if digit + 1 < size {
                self.digits.push((digit + 1, size));
                return true;
            }
        }
        false
    }
}

fn all(make: impl Fn(&mut Odometer) -> Way) -> Vec<Way> {
    let mut odometer = Odometer::default();
    let mut ways = Vec::new();
    loop {
        ways.push(make(&mut odometer));
        if !odometer.advance() {
            return ways;
        }
    }
}

/// What every way has in common.
pub fn basic(goal: Goal) -> Options {
    Options {
        goals: Goals::Only(vec![goal]),
        limits: Limits { time_max: Some(TIME_MAX), ..Limits::default() },
        ..Options::default()
    }
}

/// What `check` does without options, but with this many workers.
pub fn default(threads: usize) -> Way {
    let threads = NonZeroUsize::new(threads).expect("not zero");
    let options = Options { goals: Goals::Everything, scout: SCOUT, threads, ..basic(Goal::Safety) };
    Way { name: "default".into(), options, expected: Expected::Verdict }
}

/// `--plain` for one property; with `max_errors`, all violations are counted.
pub fn plain(goal: Goal, all_errors: bool) -> Way {
    let options = Options {
        partial_order: false,
        optimize: false,
        store: Some(Store::Exact),
        errors_max: if all_errors { None } else { Some(1) },
        ..basic(goal)
    };
    let expected = if all_errors { Expected::Counts } else { Expected::Verdict };
    Way { name: "plain".into(), options, expected }
}

fn exact(d: &mut impl Draw) -> Way {
    let (search, store) = (d.draw(&SEARCHES), d.draw(&EXACT));
    let (engine, threads) = (d.engine(), d.draw(&THREADS));
    // A store that has seen little learns while it is used.
    let sample_max = if store == Store::Exact { d.draw(&SAMPLES) } else { None };
    let options = Options { search: Some(search), store: Some(store), sample_max, ..plain(Goal::Safety, true).options };
    finish("exact", options, engine, threads, Expected::Counts)
}

fn lossy(d: &mut impl Draw) -> Way {
    let (search, store) = (d.draw(&SEARCHES), d.draw(&LOSSY));
    let (engine, threads) = (d.engine(), d.draw(&THREADS));
    let options = Options { search: Some(search), store: Some(store), ..plain(Goal::Safety, true).options };
    finish("lossy", options, engine, threads, Expected::Below)
}

fn optimized(d: &mut impl Draw) -> Way {
    let (search, store) = (d.draw(&SEARCHES), d.draw(&EXACT));
    let (engine, threads) = (d.engine(), d.draw(&THREADS));
    let options =
        Options { optimize: true, search: Some(search), store: Some(store), ..plain(Goal::Safety, false).options };
    finish("optimized", options, engine, threads, Expected::Verdict)
}

fn reduced(d: &mut impl Draw) -> Way {
    let (selector, proviso) = (d.draw(&SELECTORS), d.draw(&PROVISOS));
    let search = match proviso {
        Proviso::Strict | Proviso::Weak | Proviso::Complete => Search::DepthFirst,
        Proviso::Level | Proviso::Queue => Search::BreadthFirst,
        _ => d.draw(&SEARCHES),
    };
    let (store, engine, threads) = (d.draw(&EXACT), d.engine(), d.draw(&THREADS));
    let (optimize, patience) = (d.draw(&[true, false]), d.draw(&[PATIENCE, PATIENCE_LITTLE]));
    let options = Options {
        selector,
        proviso,
        search: Some(search),
        store: Some(store),
        optimize,
        patience,
        ..basic(Goal::Safety)
    };
    finish("reduced", options, engine, threads, Expected::Verdict)
}

fn cycle(goal: &Goal, fair: bool, d: &mut impl Draw) -> Way {
    let (emptiness, partial_order) = (d.draw(&EMPTINESS), d.draw(&[true, false]));
    let (optimize, scout) = (d.draw(&[true, false]), d.draw(&[0, SCOUT]));
    let selector = if partial_order { d.draw(&SELECTORS) } else { Selector::default() };
    let (engine, threads) = (d.engine(), d.draw(&THREADS));
    let store = d.draw(&[Store::Exact, Store::Tree, Store::Collapse]);
    let stutter_close = d.draw(&[Closing::Off, Closing::Auto]);
    let options = Options {
        fair,
        emptiness,
        partial_order,
        optimize,
        scout,
        selector,
        stutter_close,
        store: Some(store),
        ..basic(goal.clone())
    };
    finish("cycles", options, engine, threads, Expected::Verdict)
}

/// A swarm of depth-first searches, or random walks: they show violations and nothing else.
fn partial(d: &mut impl Draw) -> Way {
    let walk = d.draw(&[false, true]);
    let (engine, threads) = (d.engine(), d.draw(&[1, 2]));
    let mut limits = Limits { depth_max: Some(WALK_STEPS), ..Limits::default() };
    limits.time_max = Some(if walk { WALKS_TIME } else { TIME_MAX });
    let lossy = Lossy { expected_states: Some(SWARM_STATES), ..Lossy::default() };
    let swarm = if walk { None } else { NonZeroUsize::new(d.draw(&[1, 3])) };
    let options = Options { limits, lossy, walk, swarm, ..basic(Goal::Safety) };
    finish("partial", options, engine, threads, Expected::Violations)
}

/// Under-approximations of a property about cycles, the last of which is exact.
fn under(goal: &Goal, d: &mut impl Draw) -> Way {
    let mode = d.draw(&[Mode::Schedule, Mode::A, Mode::B]);
    let (step, order) = (d.draw(&[Step::Count(1), Step::Half]), d.draw(&[Order::File, Order::Random(7)]));
    let start = d.draw(&[Start::Empty, Start::Visible]);
    let (engine, optimize) = (d.engine(), d.draw(&[true, false]));
    let under = Under { step, order, start, ..Under::new(mode) };
    let options = Options { under: Some(under), optimize, ..basic(goal.clone()) };
    finish("under", options, engine, 1, Expected::Verdict)
}

fn finish(kind: &str, options: Options, engine: Engine, threads: usize, expected: Expected) -> Way {
    let threads = NonZeroUsize::new(threads).expect("not zero");
    let options = Options { engine, threads, ..options };
    Way { name: format!("{kind} {}", told(&options)), options, expected }
}

/// Ways to search for violations of safety, drawn by chance.
pub fn some(r: &mut Random) -> Vec<Way> {
    let mut ways = vec![exact(r), exact(r), optimized(r), reduced(r), reduced(r)];
    if r.chance(40) {
        ways.push(lossy(r));
    }
    if r.chance(30) {
        ways.push(partial(r));
    }
    ways
}

/// Ways to search for cycles, drawn by chance.
pub fn some_cycles(goal: &Goal, fair: bool, r: &mut Random) -> Vec<Way> {
    let mut ways = vec![cycle(goal, fair, r), cycle(goal, fair, r)];
    if r.chance(50) {
        ways.push(under(goal, r));
    }
    ways
}

/// All ways to search for violations of safety.
pub fn every() -> Vec<Way> {
    let mut ways = all(exact);
    ways.extend(all(lossy));
    ways.extend(all(optimized));
    ways.extend(all(reduced));
    ways.extend(all(partial));
    ways
}

/// All ways to search for cycles.
pub fn every_cycle(goal: &Goal, fair: bool) -> Vec<Way> {
    let mut ways = all(|d| cycle(goal, fair, d));
    if !fair {
        ways.extend(all(|d| under(goal, d)));
    }
    ways
}

/// What differs from other ways.
fn told(o: &Options) -> String {
    let mut words = Vec::new();
    if let Goals::Only(goals) = &o.goals
        && goals[..] != [Goal::Safety]
    {
        words.push(o.emptiness.name().to_string());
    }
    words.extend(o.search.map(|s| if s == Search::BreadthFirst { "bfs".into() } else { "dfs".into() }));
    words.extend(o.store.map(|s| s.name().to_string()));
    words.push(if o.engine == Engine::Native { "native".into() } else { "interp".into() });
    words.push(format!("{} workers", o.threads));
    if o.partial_order {
        words.push(format!("{:?} {}", o.selector, o.proviso.name()));
    }
    for (set, word) in [
        (o.fair, "fair"),
        (o.optimize, "optimized"),
        (o.scout > 0, "scout"),
        (o.patience != PATIENCE, "impatient"),
        (o.sample_max.is_some(), "unlearnt"),
        (o.stutter_close != Closing::Off, "closed"),
    ] {
        words.extend(set.then(|| word.to_string()));
    }
    words.extend(o.swarm.map(|n| format!("swarm of {n}")));
    words.extend(o.walk.then(|| "walk".to_string()));
    words.extend(o.under.map(|u| format!("{:?} {:?} {:?} {:?}", u.mode, u.step, u.order, u.start)));
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_combination_comes_once() {
        let names: Vec<String> = every().into_iter().map(|w| w.name).collect();
        assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len());
        let exact = names.iter().filter(|n| n.starts_with("exact")).count();
        assert_eq!(exact, SEARCHES.len() * (EXACT.len() + SAMPLES.len() - 1) * ENGINES.len() * THREADS.len());
        let cycles = every_cycle(&Goal::Progress, true);
        assert_eq!(cycles.iter().map(|w| &w.name).collect::<HashSet<_>>().len(), cycles.len());
    }
}
