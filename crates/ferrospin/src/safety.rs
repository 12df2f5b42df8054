//! Assertions, invalid end states, run-time errors: a machine, a store and an order of search, and what comes of them.

use crate::checkpoints::{Head, Keeping, Reader, Writer};
use crate::executors::Maker;
use crate::front::Front;
use crate::memory;
use crate::outputs::Outputs;
use crate::prepare::{Notices, Prepared, prepare};
use crate::probe::{Means, Probing};
use crate::reduction::{self, Keep, Known};
use crate::report::{ErrorKind, Location, PropertyKind, PropertyReport, Verdict, Violation};
use crate::self_check::SelfCheck;
use crate::stores::{self, Job, Making};
use crate::verify::{Engine, Options, Proviso, Refusal, Search, Store as StoreChoice};
use crate::watch::Watch;
use ferrospin_interp::Interp;
use ferrospin_interp::failure_kind;
use ferrospin_model::failure::FailureKind;
use ferrospin_model::ir::{EdgeId, Model};
use ferrospin_search::Setup;
use ferrospin_search::checkpoint::LevelRecord;
use ferrospin_search::levels::Kept;
use ferrospin_search::observe::{Observer, Progress};
use ferrospin_search::safety::{self, Fault, Outcome, ProvisoKind, Stopped};
use ferrospin_search::{BoxMachine, depth, levels};
use ferrospin_source::Span;
use ferrospin_store::bitstate::{self, Bitstate};
use ferrospin_store::omission::{Coverage, Run, Scheme, advise};
use ferrospin_system::{Machine, NO_EDGE, Reduction, StateHash, Store};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

/// The self-check of a search for safety, where one is asked for.
pub(crate) fn self_check(prepared: &Prepared, options: &Options) -> Option<Arc<SelfCheck>> {
    let plain = prepared.plain.clone();
    let again = move |passes| Prepared::by(&plain, passes);
    options.self_check.map(|share| SelfCheck::new(share, prepared.clone(), again))
}

/// A search that waits for its store.
struct Searching<'a> {
    machines: Vec<BoxMachine>,
    reduction: Option<Box<dyn Reduction>>,
    order: Search,
    options: &'a safety::Options,
    edges: usize,
    observer: &'a dyn Observer,
    records: &'a mut dyn Iterator<Item = LevelRecord>,
    on_full: Option<GoingOn<'a>>,
}

/// How to go on when the store is full: with a filter of so many bytes.
struct GoingOn<'a> {
    machines: &'a dyn Fn() -> Vec<BoxMachine>,
    filter: bitstate::Options,
    watch: &'a Watch,
}

/// States that the search for a nearer violation may look at in any case.
const SHORTENING_STATES: u64 = 200_000;

/// What a search gave, and what the store took.
pub(crate) struct Searched {
    pub(crate) outcome: Outcome,
    pub(crate) store_bytes: u64,
    pub(crate) exact: bool,
    pub(crate) scheme: Option<Scheme>,
    pub(crate) note: Option<String>,
}

impl Job for Searching<'_> {
    type Output = Searched;

    fn run<S: Store>(self, store: &S, scheme: Option<Scheme>) -> Searched {
        let setup = Setup {
            machines: self.machines,
            reduction: self.reduction,
            store,
            hash: StateHash::new(0),
            options: self.options,
            edges: self.edges,
            observer: self.observer,
            keeps: false,
        };
        let again = (setup.hash, setup.options, setup.edges);
        let (outcome, kept) = match (self.order, &self.on_full) {
            (Search::BreadthFirst, Some(_)) => {
                let (outcome, kept) = levels::search_and_keep(setup);
                (outcome, Some(kept))
            }
            (Search::BreadthFirst, None) => (levels::search(setup, self.records), None),
            (Search::DepthFirst, _) => (depth::search(setup), None),
        };
        let searched = Searched { outcome, store_bytes: store.memory_bytes(), exact: S::EXACT, scheme, note: None };
        match (kept, self.on_full) {
            (Some(kept), Some(going_on)) if going_on.is_due(&searched.outcome) => {
                go_on_lossily(store, kept, going_on, again, searched)
            }
            _ => searched,
        }
    }
}

impl GoingOn<'_> {
    /// Whether a search ended for want of memory.
    fn is_due(&self, outcome: &Outcome) -> bool {
        let limit = outcome.stopped == Some(Stopped::Caller) && self.watch.is_out_of_memory();
        outcome.stopped == Some(Stopped::Full) || limit
    }
}

/// Goes on where a search ran out of memory, with a filter of bits.
fn go_on_lossily<S: Store>(
    store: &S,
    kept: Kept,
    going_on: GoingOn<'_>,
    (hash, options, edges): (StateHash, &safety::Options, usize),
    before: Searched,
) -> Searched {
    let Ok(filter) = Bitstate::new(going_on.filter) else { return before };
    let (states, depth) = (before.outcome.states, before.outcome.depth);
    going_on.watch.forgive();
    let setup = Setup {
        machines: (going_on.machines)(),
        reduction: None,
        store: &filter,
        hash,
        options,
        edges,
        observer: going_on.watch,
        keeps: false,
    };
    let outcome = levels::search(setup, &mut kept.records(store.handle()));
    let note = format!(
        "memory ran out at depth {depth} with {states} states stored exactly; from there on a filter of {} MiB was used",
        going_on.filter.memory_bytes >> 20
    );
    let store_bytes = before.store_bytes + filter.memory_bytes();
    Searched { outcome, store_bytes, exact: false, scheme: Some(filter.scheme()), note: Some(note) }
}

/// What the options say about a search for safety.
pub(crate) fn wanted(options: &Options) -> safety::Options {
    safety::Options {
        errors_max: options.errors_max.unwrap_or(0),
        states_max: 0,
        depth_max: options.limits.depth_max.unwrap_or(0),
        ignored: options.ignore_assert.then(|| FailureKind::Assertion.number()),
        ignore_end_states: options.ignore_end_states,
        nothing_pending: options.require_empty_channels,
        has_claim: false,
        only_claim: None,
        proviso: match options.proviso {
            Proviso::Auto => ProvisoKind::Auto,
            Proviso::Strict => ProvisoKind::Strict,
            Proviso::Weak => ProvisoKind::Weak,
            Proviso::Complete => ProvisoKind::Complete,
            Proviso::Level => ProvisoKind::Level,
            Proviso::Queue => ProvisoKind::Queue,
            Proviso::Visited => ProvisoKind::Visited,
            Proviso::None => ProvisoKind::Always,
        },
        patience: options.patience,
        trails_max: options.trails_max,
    }
}

/// Memory that a store may take: most of the limit, the rest is for stacks, frontiers and the log. Lossy stores take all
/// they get, so they get a fixed amount when no limit was given.
fn store_bytes_max(options: &Options, choice: StoreChoice, watch: &Watch) -> u64 {
    let lossy = matches!(choice, StoreChoice::Bitstate | StoreChoice::HashCompact);
    if lossy && options.limits.memory_max_bytes.is_none() {
        return stores::LOSSY_BYTES.min(watch.memory_max_bytes() / 2);
    }
    watch.memory_max_bytes() / 10 * 9
}

/// Checks a model for violations of safety.
pub(crate) fn check(
    front: &Front,
    model: &Arc<Model>,
    options: &Options,
) -> Result<(PropertyReport, Outcome), Refusal> {
    if options.engine == Engine::Gpu {
        return crate::gpu::check(front, model, options);
    }
    // A checkpoint is of one search; there must be no second one.
    let kept = options.checkpoint.is_some() || options.resume.is_some();
    let births = !kept && !model.has_claimed_ends();
    let (mut report, mut outcome, mut doubts) = attempt(front, model, options, births)?;
    if doubts.crowded && report.verdict != Verdict::Violated {
        (report, outcome, doubts) = attempt(front, model, options, false)?;
        report
            .notes
            .push("searched again: with so many processes, the order in which they are started may matter".into());
    }
    if doubts.clash && report.verdict != Verdict::Violated {
        return check_claimed_ends(front, model, options, kept, (report, outcome));
    }
    Ok((report, outcome))
}

/// Looks for a use of an end of a channel that another process has claimed, after a search in which that could not be ruled
/// out. It must see all orders, because whether somebody still lives is no part of any dependence.
fn check_claimed_ends(
    front: &Front,
    model: &Arc<Model>,
    options: &Options,
    kept: bool,
    (mut report, outcome): (PropertyReport, Outcome),
) -> Result<(PropertyReport, Outcome), Refusal> {
    if kept {
        report.notes.push("whether `xr` and `xs` are kept was not checked: this search has a checkpoint".into());
        return Ok((report, outcome));
    }
    let options = Options {
        partial_order: false,
        optimize: false,
        engine: Engine::Interp,
        search: None,
        proviso: Proviso::Auto,
        errors_max: Some(1),
        ..options.clone()
    };
    let (mut again, found, _) = attempt(front, &Arc::new(model.with_claimed_ends()), &options, false)?;
    let how = "all moves were taken once more, by the interpreter, to see whether `xr` and `xs` are kept";
    match again.verdict {
        Verdict::Violated => {
            again.notes.push(how.into());
            Ok((again, found))
        }
        Verdict::Undecided | Verdict::Error => {
            report.notes.push("whether `xr` and `xs` are kept is not known: the search for that was stopped".into());
            report.verdict = Verdict::Undecided;
            Ok((report, outcome))
        }
        Verdict::Holds => {
            report.notes.push(format!("{how}: they are"));
            Ok((report, outcome))
        }
    }
}

/// What a reduced search leaves open.
#[derive(Clone, Copy, Default)]
struct Doubts {
    /// There were too many processes to take those for alike that differ in their number.
    crowded: bool,
    /// Somebody may use an end of a channel that another process has claimed.
    clash: bool,
}

/// One search; with `births`, states that differ in numbers of processes alone may be taken for one another.
fn attempt(
    front: &Front,
    model: &Arc<Model>,
    options: &Options,
    births: bool,
) -> Result<(PropertyReport, Outcome, Doubts), Refusal> {
    let mut watch = Watch::start(options);
    let wanted = safety::Options { has_claim: model.layout.claim.is_some(), ..wanted(options) };
    let prepared = prepare(model, options.optimize, Notices::Failures);
    let choice = options.store.unwrap_or(StoreChoice::Exact);
    let order = options.search.unwrap_or_else(|| order_of(options.proviso));
    let refused = Refusal::Refused;
    let (reduction, mut reduced) = reduce(&prepared.model, options, choice, births);
    if options.on_full_bitstate && reduction.is_some() {
        reduced = Reduced {
            name: "none",
            known: None,
            note: Some("reduction is off: the store may change on the way".into()),
        };
    }
    // A reduced depth-first search goes by its path; several of them would reduce less, and differently each time.
    let alone = (order == Search::DepthFirst || options.proviso == Proviso::Queue) && reduction.is_some();
    let threads = if alone { 1 } else { options.threads.get() };
    let check = self_check(&prepared, options);
    watch.stop_with(check.clone());
    let maker = Maker::new(&prepared.model, options, check);
    let mut machines = maker.machines(threads);
    let sample = match stores::learns_from(choice) {
        Some(count) => ferrospin_search::sample(&mut *machines[0], count, options.lossy.seed),
        None => Vec::new(),
    };
    watch.weigh(options);
    let head = || Head::new(&prepared.model, reduced.name, options);
    let (mut reader, writer) =
        files(front, options, head, &mut *machines[0], model.edges.len(), &watch).map_err(refused)?;
    let keeping = Keeping { watch: &watch, writer: writer.map(Mutex::new) };
    let mut none = std::iter::empty();
    let goes_on = options.on_full_bitstate && order == Search::BreadthFirst;
    // A reduction goes by what the store has seen, and what a filter says of that is not to be trusted.
    let reduction = reduction.filter(|_| !goes_on);
    let again = || maker.machines(threads);
    let on_full = goes_on.then(|| GoingOn {
        machines: &again,
        filter: bitstate::Options {
            memory_bytes: watch.memory_max_bytes() / 3,
            expected_states: options.lossy.expected_states,
            k: options.lossy.bits,
            seed: options.lossy.seed,
            workers: threads,
        },
        watch: &watch,
    });
    let numbered = reduction.is_some();
    let probing = is_probed(options).then(|| {
        Probing::new(Means {
            observer: &keeping,
            maker: &maker,
            reduced: reduced.known.as_deref().map(|known| (known, options.selector)),
            options: wanted.clone(),
            edges: model.edges.len(),
            memory_max_bytes: watch.memory_max_bytes(),
        })
    });
    let job = Searching {
        machines,
        reduction,
        order,
        options: &wanted,
        edges: model.edges.len(),
        observer: probing.as_ref().map_or(&keeping as &dyn Observer, |p| p),
        records: reader.as_mut().map_or(&mut none as &mut dyn Iterator<Item = LevelRecord>, |r| r),
        on_full,
    };
    let memory_max_bytes = store_bytes_max(options, choice, &watch) / if goes_on { 2 } else { 1 };
    let making = Making { choice, memory_max_bytes, lossy: options.lossy, workers: threads, numbered, sample: &sample };
    let mut searched = stores::with_store(making, job).map_err(|why| {
        keeping.discard();
        refused(why)
    })?;
    let mut report = PropertyReport::undecided("safety", PropertyKind::Safety);
    let checked = maker.checked(front);
    report.notes.extend(keeping.finish());
    report.notes.extend(checked?);
    let is_open = searched.outcome.errors == 0 && searched.outcome.stopped.is_some();
    let finding = probing.and_then(|probing| probing.finish(is_open));
    let found = finding.is_none() && !searched.outcome.violations.is_empty();
    if let Some(finding) = finding {
        report.notes.push(finding.note());
        let outcome = &mut searched.outcome;
        (outcome.errors, outcome.stopped) = (1, Some(Stopped::Errors));
        outcome.violations = vec![finding.violation];
    }
    let wanted = |states_max| safety::Options { states_max, ..wanted.clone() };
    if found && order == Search::DepthFirst && options.shorten {
        shorten(&prepared.model, &maker, options, &wanted(0), &watch, &mut searched.outcome, &mut report);
    } else if found && order == Search::BreadthFirst && searched.outcome.reduced > 0 {
        // Nearest in the reduced graph is not nearest of all; where that is cheap to mend, it is.
        let states_max = SHORTENING_STATES.max(20 * searched.outcome.states);
        shorten(&prepared.model, &maker, options, &wanted(states_max), &watch, &mut searched.outcome, &mut report);
    }
    prepared.tell_plainly(&mut searched.outcome);
    report.engine = maker.name().into();
    report.reduction = reduced.name.into();
    report.notes.extend(reduced.note);
    let by_timing = asks_what_is_new(choice, options.proviso) && searched.outcome.reduced > 0;
    if threads > 1 && (by_timing || choice == StoreChoice::Bitstate) {
        report.notes.push(COUNTS_VARY.into());
    }
    report.store = choice.name().into();
    report.search = if order == Search::BreadthFirst { "bfs" } else { "dfs" }.into();
    report.threads = threads as u64;
    sum_up(front, model, &watch, &searched, &mut report);
    if options.proviso == Proviso::None && searched.outcome.reduced > 0 && report.verdict == Verdict::Holds {
        report.verdict = Verdict::Undecided;
        report.notes.push("without a proviso deadlocks are found, but what fails may be put off for ever".into());
    }
    let doubts = reduced.known.map_or(Doubts::default(), |k| Doubts { crowded: k.is_crowded(), clash: k.may_clash() });
    Ok((report, searched.outcome, doubts))
}

/// Whether probes run beside the search: the order is the program's own, and so is the end of the search.
fn is_probed(options: &Options) -> bool {
    let is_kept = options.checkpoint.is_some() || options.resume.is_some();
    let is_ours = options.search.is_none() && options.proviso == Proviso::Auto && options.limits.depth_max.is_none();
    options.probe && is_ours && !is_kept && !options.on_full_bitstate && options.errors_max == Some(1)
}

/// What is said of a search whose counts depend on the timing of its workers; its verdict does not.
const COUNTS_VARY: &str = "states and transitions may differ from run to run: with several workers, what this store says of a state \
                           depends on who comes first; they are the same each time with `--threads 1`, and with the stores exact, tree and collapse";

/// Whether a set of moves is enough by what the store says is new, rather than by the level that a state belongs to. Two workers
/// may come to a state at the same time, and only the first one finds it new. The compact store has no small numbers to
/// keep levels by: there a worker notes what belongs to the next level in a set, a moment after it has stored it.
fn asks_what_is_new(store: StoreChoice, proviso: Proviso) -> bool {
    matches!(store, StoreChoice::Compact | StoreChoice::HashCompact | StoreChoice::Bitstate)
        || proviso == Proviso::Visited
}

/// The order that a proviso needs; the nearest violation comes from the other one.
fn order_of(proviso: Proviso) -> Search {
    match proviso {
        Proviso::Strict | Proviso::Weak | Proviso::Complete => Search::DepthFirst,
        Proviso::Auto | Proviso::Level | Proviso::Queue | Proviso::Visited | Proviso::None => Search::BreadthFirst,
    }
}

/// What became of the wish for a reduction.
struct Reduced {
    name: &'static str,
    /// What the reduction goes by.
    known: Option<Arc<Known>>,
    note: Option<String>,
}

/// The reduction for a search for safety, where it was asked for and is sound.
fn reduce(
    model: &Arc<Model>,
    options: &Options,
    store: StoreChoice,
    births: bool,
) -> (Option<Box<dyn Reduction>>, Reduced) {
    let off = |note: Option<String>| (None, Reduced { name: "none", known: None, note });
    if !options.partial_order {
        return off(None);
    }
    if store == StoreChoice::Automaton {
        return off(Some("reduction is off: the automaton cannot tell which states are new in a level".into()));
    }
    let by_number = matches!(store, StoreChoice::Exact | StoreChoice::Tree | StoreChoice::Collapse);
    let needs_numbers = matches!(options.proviso, Proviso::Strict | Proviso::Weak | Proviso::Complete | Proviso::Queue);
    let note = (needs_numbers && !by_number).then(|| {
        let name = options.proviso.name();
        format!("proviso `{name}` needs the store exact, tree or collapse; a weaker rule was used instead")
    });
    let known = if births { Known::up_to_births(model) } else { Known::exact(model) };
    match known.map(Arc::new) {
        Ok(known) => {
            let reduction = reduction::by(known.clone(), Keep::Failures, options.selector);
            (Some(reduction), Reduced { name: options.selector.name(), known: Some(known), note })
        }
        Err(reason) => off(Some(format!("reduction is off: {reason}"))),
    }
}

/// The checkpoint to go on with, and the one to write.
fn files(
    front: &Front,
    options: &Options,
    head: impl FnOnce() -> Head,
    machine: &mut dyn Machine,
    edges: usize,
    watch: &Watch,
) -> Result<(Option<Reader>, Option<Writer>), String> {
    if options.checkpoint.is_none() && options.resume.is_none() {
        return Ok((None, None));
    }
    let (head, outputs) = (head(), Outputs::of(front, options.overwrite));
    let Some(from) = &options.resume else {
        let to = options.checkpoint.as_ref().expect("one of the two is given");
        return Ok((None, Some(Writer::create(&outputs, to, &head)?)));
    };
    let mut whole = Reader::open(from, &head)?;
    let is_whole = whole.audit(from, machine, edges, &mut || watch.go_on(&Progress::default()))?;
    let reader = Reader::open(from, &head)?.up_to(whole.levels());
    if !is_whole {
        // It is time to stop: what was read so far is reported, and the file stays as it is.
        return Ok((Some(reader), None));
    }
    // The file that is gone on with goes on growing, unless another one was asked for.
    let is_other = |to: &&PathBuf| to.canonicalize().ok() != from.canonicalize().ok();
    let writer = match options.checkpoint.as_ref().filter(is_other) {
        Some(to) => Writer::copy(&outputs, from, to, &head, &whole)?,
        None => Writer::append(from, &whole)?,
    };
    Ok((Some(reader), Some(writer)))
}

/// Looks, without reduction, for a violation that is nearer than the one that was found.
fn shorten(
    model: &Arc<Model>,
    maker: &Maker,
    options: &Options,
    wanted: &safety::Options,
    watch: &Watch,
    outcome: &mut Outcome,
    report: &mut PropertyReport,
) {
    let found = outcome.violations[0].trail.len();
    let threads = options.threads.get();
    let wanted = safety::Options { errors_max: 1, depth_max: found as u64 + 1, ..wanted.clone() };
    let job = Searching {
        machines: maker.unchecked(threads),
        reduction: None,
        order: Search::BreadthFirst,
        options: &wanted,
        edges: model.edges.len(),
        observer: watch,
        records: &mut std::iter::empty(),
        on_full: None,
    };
    let memory_max_bytes = store_bytes_max(options, StoreChoice::Exact, watch);
    let choice = StoreChoice::Exact;
    let making =
        Making { choice, memory_max_bytes, lossy: options.lossy, workers: threads, numbered: false, sample: &[] };
    let Ok(searched) = stores::with_store(making, job) else { return };
    match searched.outcome.violations.into_iter().next() {
        Some(nearest) if nearest.trail.len() <= found => {
            if options.shorten {
                let steps = nearest.trail.len();
                report.notes.push(format!("shortened from {found} steps to {steps} by a breadth-first search"));
            }
            outcome.violations[0] = nearest;
        }
        _ if options.shorten => {
            report.notes.push("the counterexample could not be shortened within the limits".into());
        }
        _ => report.notes.push("shortest in the reduced graph; `--por off` finds the shortest of all".into()),
    }
}

/// Fills the report with what a search found.
pub(crate) fn sum_up(
    front: &Front,
    model: &Arc<Model>,
    watch: &Watch,
    searched: &Searched,
    report: &mut PropertyReport,
) {
    let Searched { outcome, store_bytes, exact, scheme, note } = searched;
    report.notes.extend(note.clone());
    report.verdict = match (outcome.errors, outcome.stopped) {
        (0, None) if *exact => Verdict::Holds,
        (0, _) => Verdict::Undecided,
        _ => Verdict::Violated,
    };
    report.complete = outcome.stopped.is_none();
    report.exact = *exact;
    report.stopped = outcome.stopped.map(|why| reason(why, watch).into());
    report.errors = outcome.errors;
    report.error = outcome.violations.first().map(|v| violation(front, model, v));
    report.states = Some(outcome.states);
    report.states_matched = Some(outcome.matched);
    report.transitions = Some(outcome.transitions());
    report.depth = Some(outcome.depth);
    report.state_bytes = Some(outcome.state_bytes as u64);
    report.elapsed_s = Some(watch.elapsed().as_secs_f64());
    report.memory_bytes = memory::peak_bytes().or(Some(outcome.measured_bytes));
    report.store_bytes_per_state = Some(*store_bytes as f64 / outcome.states.max(1) as f64);
    report.omission_probability = Some(0.0);
    if let Some(scheme) = *scheme {
        report.omission_probability = None;
        // A search that was cut off says nothing about what it has not seen.
        if matches!(outcome.stopped, None | Some(Stopped::Full)) {
            let run = Run {
                scheme,
                stored: outcome.states,
                transitions: outcome.transitions(),
                expected: false,
                overflow: outcome.stopped == Some(Stopped::Full),
            };
            let coverage = Coverage::of(&run);
            report.omission_probability = Some(coverage.state_omitted);
            report.notes.push(format!("lossy store: {}", coverage.sentence()));
            let exact_bytes = outcome.stored_bytes as f64 / outcome.states.max(1) as f64 + 14.5;
            report.notes.push(advise(&run, watch.memory_max_bytes(), Some(exact_bytes)).sentence);
        }
    }
}

fn reason(stopped: Stopped, watch: &Watch) -> &'static str {
    match stopped {
        Stopped::Errors => "as many violations as asked for were found",
        Stopped::States => "the limit on states was reached",
        Stopped::Depth => "the depth limit cut some paths",
        Stopped::Caller => watch.why().unwrap_or("it was stopped"),
        Stopped::Full => "the memory limit was reached",
        Stopped::Threads => NO_THREADS,
    }
}

/// What is said where workers cannot begin.
pub(crate) const NO_THREADS: &str = "the system gives no threads for so many workers; `--threads 1` needs none";

/// A violation for the report.
pub(crate) fn violation(front: &Front, model: &Arc<Model>, v: &safety::Violation) -> Violation {
    let place = |span: Span| {
        front.map.position(span).map(|p| Location { file: p.file.to_string(), line: p.line, column: p.column })
    };
    let depth = Some(v.trail.len() as u64);
    match v.fault {
        Fault::InvalidEndState => Violation {
            kind: ErrorKind::InvalidEndState,
            message: "invalid end state: no process can move, and not all are at an end".into(),
            location: Interp::new(model.clone()).stuck(&v.trail).and_then(|l| place(model.location(l).span)),
            depth,
        },
        Fault::Failure(f) => Violation {
            kind: match failure_kind(f.code) {
                FailureKind::Assertion => ErrorKind::Assertion,
                _ => ErrorKind::Runtime,
            },
            message: failure_kind(f.code).to_string(),
            location: (f.edge != NO_EDGE).then(|| model.edge(EdgeId(f.edge)).span).and_then(place),
            depth,
        },
    }
}
