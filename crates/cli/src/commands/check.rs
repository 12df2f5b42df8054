//! `ferrospin check`: whether every run of a model keeps what the model states.

use super::progress::Watcher;
use super::{ExitStatus, telling};
use crate::args::shared::{Format, OutputArgs, OverwriteArg};
use crate::args::source::Source;
use crate::args::units;
use crate::ending::{self, Ending};
use crate::output;
use crate::signals::Signals;
use clap::ValueEnum;
use ferrospin::guard::{self, Guard};
use ferrospin::languages::Loaded;
use ferrospin::outputs::{Kind, Outputs};
use ferrospin::report::{self, Look, Report};
use ferrospin::under::{Mode, Order, Start, Step, Under};
use ferrospin::verify::{self, Engine, Files, Goal, Goals, Limits, Options, Refusal, Steps, Telling};
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Check whether every run of a model keeps what the model states
///
/// Without options it checks all of it: assertions, invalid end states, run-time errors (array bounds, division by zero,
/// too many processes, ...), a never claim, and every `ltl` block, each with its own line in the report.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  ferrospin check model.pml                         all that the model states
  ferrospin check --safety -D N=5 model.pml         assertions and deadlocks only, with a macro set
  ferrospin check --ltl live --fair model.pml       one ltl block, under weak fairness
  ferrospin check --ltl '[] (req -> <> ack)' model.pml
                                                    a formula that the model does not have
  ferrospin check --search bfs model.pml            the shortest counterexample
  ferrospin check --store bitstate --memory-limit 8G model.pml
                                                    a state space that does not fit exactly
  ferrospin check --format json model.pml           for scripts

Exit codes:
  0  all properties hold
  1  some property is violated
  2  bad input or usage
  3  undecided within the limits")]
pub(crate) struct Args<S: clap::Args> {
    #[command(flatten)]
    pub(crate) source: S,

    /// Check only assertions, invalid end states and run-time errors; leave out claims and ltl blocks
    #[arg(long, conflicts_with_all = ["ltl", "acceptance", "progress", "fair"], help_heading = "Properties")]
    safety: bool,

    /// Check that ltl block or that formula (repeatable)
    #[arg(long, value_name = "NAME|FORMULA", allow_hyphen_values = true, help_heading = "Properties")]
    ltl: Vec<String>,

    /// Look for acceptance cycles of the model's labels
    #[arg(long, help_heading = "Properties")]
    acceptance: bool,

    /// Look for non-progress cycles
    #[arg(long, help_heading = "Properties")]
    progress: bool,

    /// Further checks: values that an assignment cuts, statements that no run executes
    #[arg(long = "check", value_enum, value_name = "LIST", value_delimiter = ',', help_heading = "Properties")]
    checks: Vec<Further>,

    /// Weak fairness: a process that could move for ever does move
    #[arg(long, help_heading = "Properties")]
    fair: bool,

    /// Failed assertions are no violations (SPIN's `pan -A`)
    #[arg(long, help_heading = "Properties")]
    ignore_assert: bool,

    /// Invalid end states are no violations (SPIN's `pan -E`)
    #[arg(long, help_heading = "Properties")]
    ignore_end_states: bool,

    /// A valid end state also has empty channels (SPIN's `pan -q`)
    #[arg(long, help_heading = "Properties")]
    require_empty_channels: bool,

    /// Order of the search; the shortest counterexample comes from `bfs` [default: chosen by the program]
    #[arg(long, value_enum, value_name = "ORDER", help_heading = "Search")]
    search: Option<Search>,

    /// How visited states are kept [default: chosen by the program]
    #[arg(long, value_enum, value_name = "STORE", help_heading = "Search")]
    store: Option<Store>,

    /// How cycles are looked for, by formulas, claims, acceptance and progress
    #[arg(long, value_enum, value_name = "SEARCH", default_value_t = Emptiness::Auto, help_heading = "Search")]
    emptiness: Emptiness,

    /// Close claims that may depend on stuttering, so that they can be reduced; `auto` (the default when only the name is
    /// given) checks the claim as it is where the closure has no answer, `report` says so instead
    #[arg(long, value_enum, value_name = "HOW", num_args = 0..=1, require_equals = true, default_value_t = Closing::Off, default_missing_value = "auto", help_heading = "Search")]
    stutter_close: Closing,

    /// Partial-order reduction, wherever it is sound; `on` leaves the choice of sets to the program [default: on]
    #[arg(long, value_enum, value_name = "HOW", help_heading = "Search")]
    por: Option<Reduction>,

    /// When a reduced set of moves is enough, for experiments: what a rule does not prove is not said to hold
    #[arg(long, value_enum, value_name = "RULE", default_value_t = Proviso::Auto, help_heading = "Search")]
    por_proviso: Proviso,

    /// Look for violations of formulas with a reduction that is too strong on purpose, and weaken it until it is exact
    #[arg(long, value_enum, value_name = "MODE", conflicts_with_all = ["fair", "plain", "swarm", "walk"], help_heading = "Under-approximation")]
    under: Option<UnderMode>,

    /// How many moves become sensitive from round to round in `A` and `B`: a number, or `half` of those that are left
    #[arg(long, value_name = "N|half", value_parser = under_step, default_value = "1", requires = "under", help_heading = "Under-approximation")]
    under_step: Step,

    /// Which moves become sensitive first: `file`, `dist` (nearest to the start of their process) or `random:SEED`
    #[arg(long, value_name = "ORDER", value_parser = under_order, default_value = "file", requires = "under", help_heading = "Under-approximation")]
    under_order: Order,

    /// What is sensitive in the first round of `A` and `B`
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = UnderStart::Empty, requires = "under", help_heading = "Under-approximation")]
    under_start: UnderStart,

    /// Most rounds; then it is undecided
    #[arg(long, value_name = "N", requires = "under", help_heading = "Under-approximation")]
    under_max_iter: Option<NonZeroU64>,

    /// No round begins when this many states were stored in all; then it is undecided
    #[arg(long, value_name = "STATES", requires = "under", help_heading = "Under-approximation")]
    under_budget: Option<u64>,

    /// No statement merging, no dead-value resetting
    #[arg(long, help_heading = "Search")]
    no_optimize: bool,

    /// No reduction, no statement merging, no dead-value resetting, exact store: the state count is that of SPIN's
    /// `spin -a -o1 -o2 -o3` and `cc -DNOREDUCE`
    #[arg(long, help_heading = "Search")]
    plain: bool,

    /// Number of workers [default: all cores]
    #[arg(long, value_name = "N", value_parser = workers, help_heading = "Search")]
    threads: Option<NonZeroUsize>,

    /// Make a counterexample of a depth-first search as short as a breadth-first search finds it
    #[arg(long, help_heading = "Search")]
    shorten: bool,

    /// Many differently seeded searches with a lossy store, each with its share of the memory; never says "holds"
    #[arg(long, value_name = "N", conflicts_with_all = ["ltl", "acceptance", "progress", "fair", "search", "plain", "checkpoint", "resume"], help_heading = "Search")]
    swarm: Option<NonZeroUsize>,

    /// Random walks of `--depth-limit` steps (10,000 without) until the time limit or a violation; never says "holds"
    #[arg(long, conflicts_with_all = ["ltl", "acceptance", "progress", "fair", "search", "store", "plain", "swarm", "checkpoint", "resume"], help_heading = "Search")]
    walk: bool,

    /// Seed of lossy stores, swarm and random walks
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Search")]
    seed: u64,

    /// Bits a state for `--store bitstate` [default: from memory and expected states, or 3]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=64), help_heading = "Search")]
    bits: Option<u32>,

    /// Bits of a fingerprint for `--store hash-compact`, 4 to 64 [default: 64]
    #[arg(long, value_name = "BITS", value_parser = clap::value_parser!(u32).range(4..=64), help_heading = "Search")]
    fingerprint: Option<u32>,

    /// How many states are expected: lossy stores choose their parameters by it
    #[arg(long, value_name = "N", help_heading = "Search")]
    expect_states: Option<u64>,

    /// What executes the model
    #[arg(long, value_enum, value_name = "ENGINE", default_value_t = EngineName::Native, help_heading = "Search")]
    engine: EngineName,

    /// Compare one state of N with the plain model, by the reference executor: a difference is an internal error, never a
    /// verdict [N, when only the name is given: 1000]
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, help_heading = "Search")]
    self_check: Option<Option<NonZeroU64>>,

    /// Stop at the N-th violation that differs from those before in place or message, each with its own counterexample; 0 never stops
    /// and counts them all
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Limits")]
    max_errors: u64,

    /// Longest path to look at
    #[arg(long, value_name = "N", help_heading = "Limits")]
    depth_limit: Option<u64>,

    /// Wall-clock time, such as `90s`, `10m` or `1h30m`
    #[arg(long, value_name = "DURATION", value_parser = units::duration, help_heading = "Limits")]
    time_limit: Option<Duration>,

    /// Memory, such as `512M` or `8G` [default: the machine's memory]
    #[arg(long, value_name = "SIZE", value_parser = units::bytes, help_heading = "Limits")]
    memory_limit: Option<u64>,

    /// What to do when the memory limit is reached: stop with what is known, or go on with a lossy store and say so
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = OnFull::Stop, help_heading = "Limits")]
    on_full: OnFull,

    /// Keep a breadth-first search for safety in this file, level by level, so that `--resume` can go on with it
    #[arg(long, value_name = "FILE", help_heading = "Limits")]
    checkpoint: Option<PathBuf>,

    /// Go on with the search of this checkpoint file
    #[arg(long, value_name = "FILE", help_heading = "Limits")]
    resume: Option<PathBuf>,

    /// Which steps of a counterexample are shown: `all`, those with `changes`, or a number of them [default: 40]
    #[arg(long, value_name = "all|changes|N", value_parser = telling::steps, help_heading = "Output")]
    steps: Option<Steps>,

    /// Also tell how the searches went
    #[arg(long, short, conflicts_with = "quiet", help_heading = "Output")]
    verbose: bool,

    /// Write what was executed to FILE, as `lcov` tracefile or page, by its ending; looks at all moves
    #[arg(long, value_name = "FILE.lcov|FILE.html", value_parser = telling::coverage_file, help_heading = "Output")]
    coverage: Option<PathBuf>,

    /// What is asked beside the searches: whether `--fair` helps, whether a formula holds only because its left side never happens, what no
    /// run executes
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = telling::Advice::Auto, help_heading = "Output")]
    advice: telling::Advice,

    /// Where a counterexample goes [default: MODEL.trail.json]
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    trail: Option<PathBuf>,

    /// Write no counterexample
    #[arg(long, conflicts_with = "trail", help_heading = "Output")]
    no_trail: bool,

    #[command(flatten)]
    overwrite: OverwriteArg,

    #[command(flatten)]
    output: OutputArgs,
}

/// `--search`
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Search {
    /// Depth-first
    Dfs,
    /// Breadth-first
    Bfs,
}

/// `--check`
#[derive(Clone, Copy, PartialEq, Debug, ValueEnum)]
enum Further {
    Overflow,
    Unreachable,
}

/// `--store`
#[derive(Clone, Copy, PartialEq, Debug, ValueEnum)]
enum Store {
    /// Every state, packed into few bits where that is possible
    Exact,
    /// Every state as it is
    Arena,
    /// Tree compression
    Tree,
    /// Tree compression with compact hashing
    Compact,
    /// Component numbers, as SPIN's COLLAPSE
    Collapse,
    /// A 64-bit hash of each state; may miss states
    HashCompact,
    /// A few bits for each state; may miss states
    Bitstate,
    /// A minimised automaton
    Automaton,
}

/// `--emptiness`
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Emptiness {
    /// What suits the property; the report says which
    Auto,
    /// Nested depth-first search; fairness by copies of the states
    Ndfs,
    /// Components on the fly in one pass; fairness by marks
    Couvreur,
    /// Nested search for several marks
    Tau03,
    /// One plain search, for weak claims
    Weak,
    /// Testing automata and livelocks in one pass, breadth first; for formulas that do not depend on stuttering
    Testing,
    /// Nested depth-first search by many workers
    Cndfs,
    /// Components by many workers; fairness by marks
    Ufscc,
}

impl From<Emptiness> for verify::Emptiness {
    fn from(emptiness: Emptiness) -> Self {
        match emptiness {
            Emptiness::Auto => verify::Emptiness::Auto,
            Emptiness::Ndfs => verify::Emptiness::Ndfs,
            Emptiness::Couvreur => verify::Emptiness::Couvreur,
            Emptiness::Tau03 => verify::Emptiness::Tau03,
            Emptiness::Weak => verify::Emptiness::Weak,
            Emptiness::Testing => verify::Emptiness::Testing,
            Emptiness::Cndfs => verify::Emptiness::Cndfs,
            Emptiness::Ufscc => verify::Emptiness::Ufscc,
        }
    }
}

/// `--stutter-close`
#[derive(Clone, Copy, PartialEq, Debug, ValueEnum)]
enum Closing {
    /// Check claims as they are
    Off,
    /// Close them; check them as they are where that has no answer
    Auto,
    /// Close them; say so where that has no answer
    Report,
}

impl From<Closing> for verify::Closing {
    fn from(closing: Closing) -> Self {
        match closing {
            Closing::Off => verify::Closing::Off,
            Closing::Auto => verify::Closing::Auto,
            Closing::Report => verify::Closing::Report,
        }
    }
}

/// `--por`
#[derive(Clone, Copy, PartialEq, Debug, ValueEnum)]
enum Reduction {
    /// All moves are taken
    Off,
    /// The stronger sets that pay
    #[value(alias = "auto")]
    On,
    /// Sets of one process at a time
    Ample,
    /// Sets of several processes
    Stubborn,
}

/// `--por-proviso`
#[derive(Clone, Copy, PartialEq, Debug, ValueEnum)]
enum Proviso {
    /// What suits the search and is sound
    Auto,
    /// No successor is on the path; depth first, and the one for cycles
    Strict,
    /// Some successor is not on the path; depth first, and no proof for cycles
    #[value(alias = "stack")]
    Weak,
    /// Every state leads to one that takes enough moves; depth first
    Complete,
    /// Some successor is on the next level; breadth first
    Level,
    /// Some successor is new or waits; breadth first, one worker
    Queue,
    /// Some successor is new
    Visited,
    /// Every set is enough; finds deadlocks only
    None,
}

impl From<Proviso> for verify::Proviso {
    fn from(proviso: Proviso) -> Self {
        match proviso {
            Proviso::Auto => verify::Proviso::Auto,
            Proviso::Strict => verify::Proviso::Strict,
            Proviso::Weak => verify::Proviso::Weak,
            Proviso::Complete => verify::Proviso::Complete,
            Proviso::Level => verify::Proviso::Level,
            Proviso::Queue => verify::Proviso::Queue,
            Proviso::Visited => verify::Proviso::Visited,
            Proviso::None => verify::Proviso::None,
        }
    }
}

/// `--under`
#[derive(Clone, Copy, PartialEq, Debug, ValueEnum)]
enum UnderMode {
    /// Weak proviso and nothing sensitive, then all that is visible, then strict: three rounds at most
    Schedule,
    /// Strict proviso; visible moves become sensitive one after the other
    #[value(name = "A", alias = "a")]
    A,
    /// Weak proviso; visible moves become sensitive, then moves on cycles
    #[value(name = "B", alias = "b")]
    B,
}

/// `--under-start`
#[derive(Clone, Copy, PartialEq, Debug, ValueEnum)]
enum UnderStart {
    /// Nothing
    Empty,
    /// All that the formula sees
    Visible,
}

/// More workers than any machine has cores for are a slip of the finger, and would take its memory.
const WORKERS_MAX: usize = 1024;

fn workers(text: &str) -> Result<NonZeroUsize, String> {
    let count = text.parse().ok().filter(|n: &NonZeroUsize| n.get() <= WORKERS_MAX);
    count.ok_or_else(|| format!("expected a number from 1 to {WORKERS_MAX}"))
}

fn under_step(text: &str) -> Result<Step, String> {
    match text.parse() {
        _ if text == "half" => Ok(Step::Half),
        Ok(n) if n > 0 => Ok(Step::Count(n)),
        _ => Err("expected a number of moves, or `half`".into()),
    }
}

fn under_order(text: &str) -> Result<Order, String> {
    let seed = text.strip_prefix("random:").and_then(|seed| seed.parse().ok());
    match (text, seed) {
        ("file", _) => Ok(Order::File),
        ("dist", _) => Ok(Order::Distance),
        (_, Some(seed)) => Ok(Order::Random(seed)),
        _ => Err("expected `file`, `dist` or `random:SEED`".into()),
    }
}

/// `--on-full`
#[derive(Clone, Copy, PartialEq, Debug, ValueEnum)]
enum OnFull {
    /// Stop with what is known
    Stop,
    /// Go on with a bitstate store
    Bitstate,
}

/// `--engine`
#[derive(Clone, Copy, Debug, ValueEnum)]
enum EngineName {
    /// Machine code
    Native,
    /// The reference interpreter
    Interp,
    /// A graphics processor; what does not go there is searched on the CPU
    Gpu,
    /// Machine code, and a graphics processor beside it once the search is large
    Auto,
}

impl<S: clap::Args> Args<S> {
    /// What the arguments mean, or in a sentence why they contradict one another.
    fn options(&self) -> Result<Options, String> {
        if self.plain && self.store.is_some_and(|store| !matches!(store, Store::Exact | Store::Arena)) {
            return Err("`--plain` keeps every state exactly: leave out `--store`, or leave out `--plain`".into());
        }
        if self.plain && self.por.is_some_and(|por| por != Reduction::Off) {
            return Err("`--plain` means no reduction: leave out `--por`, or leave out `--plain`".into());
        }
        if (self.plain || self.por == Some(Reduction::Off)) && self.por_proviso != Proviso::Auto {
            return Err("`--por-proviso` is a rule for reductions, and there is none: leave it out".into());
        }
        if self.por == Some(Reduction::Off) && self.under.is_some() {
            return Err("`--under` is a reduction: leave out `--por off`, or leave out `--under`".into());
        }
        if self.under.is_some() && self.por_proviso != Proviso::Auto {
            return Err("`--under` says itself which proviso each round has: leave out `--por-proviso`".into());
        }
        self.proviso_fits()?;
        if (self.checkpoint.is_some() || self.resume.is_some()) && matches!(self.search, Some(Search::Dfs)) {
            return Err("only a breadth-first search can be kept in a file: leave out `--search dfs`".into());
        }
        if (self.checkpoint.is_some() || self.resume.is_some()) && self.max_errors != 1 {
            return Err("a search that is kept in a file stops at the first violation: leave out `--max-errors`".into());
        }
        if self.on_full == OnFull::Bitstate && matches!(self.search, Some(Search::Dfs)) {
            return Err("only a breadth-first search can change its store: leave out `--search dfs`".into());
        }
        let most = NonZeroUsize::new(WORKERS_MAX).expect("not 0");
        let cores = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN).min(most);
        Ok(Options {
            goals: self.goals(),
            fair: self.fair,
            search: self.search.map(|search| match search {
                Search::Dfs => verify::Search::DepthFirst,
                Search::Bfs => verify::Search::BreadthFirst,
            }),
            store: self.store.or(self.plain.then_some(Store::Exact)).map(verify::Store::from),
            emptiness: self.emptiness.into(),
            stutter_close: self.stutter_close.into(),
            partial_order: !self.plain && self.por != Some(Reduction::Off),
            selector: match self.por {
                Some(Reduction::Ample) => verify::Selector::Ample,
                Some(Reduction::Stubborn) => verify::Selector::Stubborn,
                _ => verify::Selector::default(),
            },
            proviso: self.por_proviso.into(),
            patience: verify::PATIENCE,
            sample_max: None,
            // Who asks for a reduction wants to see what it does.
            scout: if self.por.is_none() { verify::SCOUT } else { 0 },
            // Who turns something off wants the shortest counterexample, or to see what a search does.
            probe: self.por != Some(Reduction::Off) && !self.plain,
            under: self.under.map(|mode| Under {
                mode: match mode {
                    UnderMode::Schedule => Mode::Schedule,
                    UnderMode::A => Mode::A,
                    UnderMode::B => Mode::B,
                },
                step: self.under_step,
                order: self.under_order,
                start: if self.under_start == UnderStart::Visible { Start::Visible } else { Start::Empty },
                rounds_max: self.under_max_iter.map(NonZeroU64::get),
                states_max: self.under_budget,
            }),
            optimize: !self.plain && !self.no_optimize,
            threads: self.threads.unwrap_or_else(cores),
            engine: match self.engine {
                EngineName::Native => Engine::Native,
                EngineName::Interp => Engine::Interp,
                EngineName::Gpu => Engine::Gpu,
                EngineName::Auto => Engine::Auto,
            },
            self_check: self.self_check.map(|share| share.unwrap_or(verify::SHARE)),
            errors_max: (self.max_errors > 0).then_some(self.max_errors),
            distinct: true,
            trails_max: verify::VIOLATIONS_KEPT,
            limits: Limits {
                depth_max: self.depth_limit,
                time_max: self.time_limit,
                memory_max_bytes: self.memory_limit,
            },
            checks: verify::Checks {
                overflow: self.checks.contains(&Further::Overflow),
                unreachable: self.checks.contains(&Further::Unreachable),
            },
            only_assertions: false,
            ignore_assert: self.ignore_assert,
            ignore_end_states: self.ignore_end_states,
            nothing_pending: self.require_empty_channels,
            shorten: self.shorten,
            swarm: self.swarm,
            walk: self.walk,
            lossy: verify::Lossy {
                seed: self.seed,
                bits: self.bits,
                fingerprint_bits: self.fingerprint,
                expected_states: self.expect_states,
            },
            on_full_bitstate: self.on_full == OnFull::Bitstate,
            telling: Telling {
                steps: self.steps.unwrap_or(Steps::AtMost(verify::STEPS_SHOWN)),
                beside: self.advice.into(),
                coverage: self.coverage.is_some(),
            },
            hooks: verify::Hooks::default(),
        })
    }

    /// Which files are written.
    fn files(&self, default_trail: PathBuf) -> Files {
        Files {
            trail: (!self.no_trail).then(|| self.trail.clone().unwrap_or(default_trail)),
            overwrite: self.overwrite.overwrite,
            checkpoint: self.checkpoint.clone(),
            resume: self.resume.clone(),
        }
    }

    /// Whether the search that was asked for, if any, can follow the rule that was asked for.
    fn proviso_fits(&self) -> Result<(), String> {
        let (needs, fits) = match self.por_proviso {
            Proviso::Auto | Proviso::Visited | Proviso::None => return Ok(()),
            Proviso::Level | Proviso::Queue => ("breadth", !matches!(self.search, Some(Search::Dfs))),
            Proviso::Strict | Proviso::Weak | Proviso::Complete => ("depth", !matches!(self.search, Some(Search::Bfs))),
        };
        let name = verify::Proviso::from(self.por_proviso).name();
        if fits { Ok(()) } else { Err(format!("`--por-proviso {name}` is a rule of {needs}-first searches")) }
    }

    fn goals(&self) -> Goals {
        let mut goals: Vec<_> = self.ltl.iter().cloned().map(Goal::Ltl).collect();
        goals.extend(self.safety.then_some(Goal::Safety));
        goals.extend(self.acceptance.then_some(Goal::Acceptance));
        goals.extend(self.progress.then_some(Goal::Progress));
        if goals.is_empty() { Goals::Everything } else { Goals::Only(goals) }
    }
}

impl From<Store> for verify::Store {
    fn from(store: Store) -> Self {
        match store {
            Store::Exact => verify::Store::Exact,
            Store::Arena => verify::Store::Arena,
            Store::Tree => verify::Store::Tree,
            Store::Compact => verify::Store::Compact,
            Store::Collapse => verify::Store::Collapse,
            Store::HashCompact => verify::Store::HashCompact,
            Store::Bitstate => verify::Store::Bitstate,
            Store::Automaton => verify::Store::Automaton,
        }
    }
}

/// Reads the model, checks it and prints the report.
pub(crate) fn run<S: clap::Args>(args: &Args<S>, source: &dyn Source, signals: &Signals) -> anyhow::Result<ExitStatus> {
    let model = source.name();
    let refuse = |code, why: &str| {
        if args.output.format == Format::Text {
            output::complain(why);
        }
        finish(args, Report::error(&model, vec![report::message(code, why)]))
    };
    let watcher = Watcher::new(signals, args.output.format == Format::Text && !args.output.quiet);
    let mut options = match args.options() {
        Ok(options) => Options { hooks: watcher.hooks.clone(), ..options },
        Err(why) => return refuse("usage", &why),
    };
    options.hooks.deadline = options.limits.time_max.and_then(|limit| Instant::now().checked_add(limit));
    let as_json = args.output.format == Format::Json;
    let ending = Arc::new(Ending {
        as_json,
        quiet: args.output.quiet,
        watcher: watcher.clone(),
        ledger: options.hooks.ledger.clone(),
        model: model.clone(),
        messages: Mutex::default(),
    });
    let limits = guard::Limits {
        deadline: options.hooks.deadline,
        memory_max_bytes: options.limits.memory_max_bytes,
        interrupt: options.hooks.interrupt.clone(),
    };
    let guard = Guard::start(limits, {
        let ending = ending.clone();
        move |why| ending.end(why)
    });
    ending::set_running(guard.clone(), ending.clone());
    let loaded = match source.open(&source.reading()) {
        Ok(loaded) => loaded,
        Err(why) => {
            guard.dismiss();
            return refuse(super::CANNOT_READ, &why);
        }
    };
    // Only data takes all messages: text shows the first ones.
    let messages = if as_json { loaded.messages() } else { Vec::new() };
    ending.set_messages(messages.clone());
    if !as_json {
        say_messages(&*loaded, &args.output);
    }
    if loaded.has_errors() {
        guard.dismiss();
        return finish(args, Report::error(loaded.name(), messages));
    }
    if let Some(path) = &args.coverage
        && let Err(why) = Outputs::beside(loaded.inputs(), args.overwrite.overwrite).check(path, Kind::Coverage)
    {
        guard.dismiss();
        return refuse("refused", &why.to_string());
    }
    let answer = verify::verify_loaded(&*loaded, &options, &args.files(source.default_trail()));
    guard.dismiss();
    watcher.clear();
    let refusal = match answer {
        Ok(verification) => {
            let report = Report::new(loaded.name(), verification, messages);
            if let Some(path) = &args.coverage {
                let outputs = Outputs::beside(loaded.inputs(), args.overwrite.overwrite);
                telling::write_coverage(&report, path, &outputs)?;
            }
            return finish(args, report);
        }
        Err(refusal) => refusal,
    };
    let mut messages = messages;
    match &refusal {
        Refusal::Formula(bad) if !as_json => output::say_as_is(bad.text(args.output.colored(&std::io::stderr()))),
        Refusal::Formula(bad) => messages.extend(bad.messages.iter().cloned()),
        refusal if !as_json => output::complain(&refusal.why()),
        _ => {}
    }
    messages.push(report::message("refused", refusal.why()));
    finish(args, Report::error(loaded.name(), messages))
}

/// Prints the report and gives its exit code.
fn finish<S: clap::Args>(args: &Args<S>, report: Report) -> anyhow::Result<ExitStatus> {
    match args.output.format {
        Format::Json => output::print_json(&report)?,
        Format::Text => {
            let look = Look { quiet: args.output.quiet, verbose: args.verbose, coverage: args.coverage.is_some() };
            let text = report.text_as(look);
            let text = args.output.raw.shown(&text);
            let colored = args.output.colored(&std::io::stdout());
            output::print_as_is(&if colored { telling::colored(&text, &report).into() } else { text })?;
        }
    }
    Ok(report.verdict.exit_code())
}

/// Errors are always shown, lints only to those who want them.
fn say_messages(loaded: &dyn Loaded, wanted: &OutputArgs) {
    if !wanted.quiet || loaded.has_errors() {
        output::say_as_is(&loaded.text(wanted.colored(&std::io::stderr())));
    }
}

#[cfg(test)]
mod tests;
