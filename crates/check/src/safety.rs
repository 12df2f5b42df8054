//! Assertions, invalid end states, run-time errors: a machine, a store and an order of search, and what comes of them.

use crate::coverage::Taken;
use crate::options::{Options, Proviso, Search, Selector, Store as StoreChoice};
use crate::probe::{Means, Probing};
use crate::refusal::Refusal;
use crate::report::{Location, PropertyKind, PropertyReport, Verdict, Violation};
use crate::storage::{Head, LevelWriter};
use crate::stores::{self, Job, Making};
use crate::subject::{Answer, Executors, Finding, Reference, Task};
use crate::together::{Round, Together, Watched};
use crate::watch::Watch;
use ferrospin_search::Setup;
use ferrospin_search::checkpoint::LevelRecord;
use ferrospin_search::levels::KeptLevels;
use ferrospin_search::observe::{Observer, Progress};
use ferrospin_search::safety::{self, Apart, Outcome, ProvisoKind, Stopped, VIOLATIONS_KEPT};
use ferrospin_search::{BoxMachine, depth, levels};
use ferrospin_store::bitstate::{self, Bitstate};
use ferrospin_store::omission::{Coverage, LossyRun, Scheme, advise};
use ferrospin_system::{Reduction, StateHash, Store};
use std::sync::{Arc, Mutex};

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

/// How to go on when the store is full: with a filter of this many bytes.
struct GoingOn<'a> {
    machines: &'a dyn Fn() -> Vec<BoxMachine>,
    filter: bitstate::Options,
    watch: &'a Watch,
}

/// States that the search for a nearer violation may look at in any case.
const SHORTENING_STATES: u64 = 200_000;

/// What a search gave.
pub struct Searched {
    /// What it found.
    pub outcome: Outcome,
    /// What the store took.
    pub store_bytes: u64,
    /// Whether the store forgets nothing.
    pub exact: bool,
    /// How a lossy store works.
    pub scheme: Option<Scheme>,
    /// What else must be known, in a sentence.
    pub note: Option<String>,
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
    kept: KeptLevels,
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
pub fn wanted(executors: &dyn Executors, options: &Options) -> safety::Options {
    safety::Options {
        errors_max: options.errors_max.unwrap_or(0),
        states_max: 0,
        depth_max: options.limits.depth_max.unwrap_or(0),
        ignored: executors.assertion().filter(|_| options.ignore_assert),
        ignore_end_states: options.ignore_end_states,
        nothing_pending: options.nothing_pending,
        has_property: !executors.ends_count() || options.only_assertions,
        only_property: executors.assertion().filter(|_| options.only_assertions),
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
        apart: None,
    }
}

/// What a lossy store takes for each of the states that are expected, when no limit was given; and what it takes at least.
const LOSSY_STATE_BYTES: u64 = 16;
const LOSSY_BYTES_MIN: u64 = 1 << 20;

/// Memory that a store may take: most of the limit, the rest is for stacks, frontiers and the log. Lossy stores take all
/// they get, so they get a fixed amount when no limit was given.
fn store_bytes_max(options: &Options, choice: StoreChoice, watch: &Watch) -> u64 {
    let lossy = matches!(choice, StoreChoice::Bitstate | StoreChoice::HashCompact);
    if lossy && options.limits.memory_max_bytes.is_none() {
        let expected =
            options.lossy.expected_states.map_or(u64::MAX, |states| states.saturating_mul(LOSSY_STATE_BYTES));
        let wanted = stores::LOSSY_BYTES.min(expected.max(LOSSY_BYTES_MIN));
        return wanted.min(watch.memory_max_bytes() / 2);
    }
    watch.memory_max_bytes() / 10 * 9
}

/// One search for what can go wrong.
pub fn check(
    executors: &dyn Executors,
    reference: &mut dyn Reference,
    task: &Task<'_>,
) -> Result<(PropertyReport, Outcome), Refusal> {
    if !executors.unmatched().is_empty() {
        return crate::unmatched::check(executors, reference, task);
    }
    if let Some(wanted) = task.options.errors_max.filter(|n| task.options.distinct && *n > 1) {
        return different(executors, wanted, reference, task);
    }
    let Round { mut report, violations, mut outcome, .. } = search(executors, None, None, reference, task)?;
    if let Some((_, nearest, notes)) = violations.into_iter().next() {
        outcome.violations[0] = nearest;
        report.notes.extend(notes);
        report.error = Some(violation(reference, &outcome.violations[0]));
    }
    Ok((report, outcome))
}

/// End states of which one counts as another violation, search by search: where they stand is known behind a search only.
const ENDS_PARTS: [u64; 3] = [1, 64, u64::MAX];
/// Violations that are told apart behind a search.
const TOLD_APART_MAX: u64 = 1024;

/// A search for `wanted` violations of which no two have place and message in common.
fn different(
    executors: &dyn Executors,
    wanted: u64,
    reference: &mut dyn Reference,
    task: &Task<'_>,
) -> Result<(PropertyReport, Outcome), Refusal> {
    let mut parts = ENDS_PARTS.into_iter();
    loop {
        let part = parts.next().unwrap_or(u64::MAX);
        let kept_max = wanted.saturating_mul(part).clamp(VIOLATIONS_KEPT as u64, TOLD_APART_MAX);
        let options = Options { trails_max: kept_max as usize, ..task.options.clone() };
        let apart = Arc::new(Apart::different(wanted, part));
        let Round { mut report, mut outcome, .. } =
            search(executors, None, Some(apart), reference, &task.with(&options))?;
        let mut told: Vec<(String, Option<Location>)> = Vec::new();
        outcome.violations.retain(|found| {
            let Violation { message, location, .. } = violation(reference, found);
            let is_new = told.len() < wanted as usize && !told.contains(&(message.clone(), location.clone()));
            told.extend(is_new.then_some((message, location)));
            is_new
        });
        let is_all = outcome.violations.len() as u64 >= wanted || outcome.stopped != Some(Stopped::Errors);
        if is_all || parts.len() == 0 || options.over().is_some() {
            report.error = outcome.violations.first().map(|found| violation(reference, found));
            return Ok((report, outcome));
        }
    }
}

/// One search for several properties, those left out whose bits are set in `closed`.
pub(crate) fn search_apart(
    together: &Together<'_>,
    closed: u64,
    reference: &mut dyn Reference,
    task: &Task<'_>,
) -> Result<Round, Refusal> {
    let watched = together.watched(closed);
    let of = Several { together, watched: &watched, probed: &together.watched(closed), closed };
    search(&watched, Some(&of), None, reference, task)
}

/// Several properties under watch.
struct Several<'a> {
    together: &'a Together<'a>,
    watched: &'a Watched<'a>,
    /// For probes, which decide nothing for the others.
    probed: &'a Watched<'a>,
    closed: u64,
}

impl Several<'_> {
    /// Whether safety itself is asked for.
    fn asks_safety(&self) -> bool {
        self.closed >> self.together.formulas.len() & 1 == 0
    }
}

fn search(
    executors: &dyn Executors,
    several: Option<&Several<'_>>,
    different: Option<Arc<Apart>>,
    reference: &mut dyn Reference,
    task: &Task<'_>,
) -> Result<Round, Refusal> {
    let options = task.options;
    let mut watch = Watch::start(options);
    let mut wanted = wanted(executors, options);
    let formulas = several.map_or(0, |s| s.together.formulas.len());
    let is_different = different.is_some();
    let apart = match (several, different) {
        (Some(several), _) => Arc::new(several.watched.apart(formulas)),
        (None, Some(different)) => different,
        (None, None) => Arc::new(Apart::new(0, Arc::default(), options.errors_max == Some(1))),
    };
    if several.is_some() || is_different {
        wanted.apart = Some(apart.clone());
    }
    if let Some(several) = several {
        wanted.has_property |= !several.asks_safety();
    }
    let choice = options.store.unwrap_or(StoreChoice::Exact);
    let order = options.search.unwrap_or_else(|| order_of(options.proviso));
    let (reduction, mut reduced) = reduce(executors, options, choice);
    if options.on_full_bitstate && reduction.is_some() {
        reduced = Reduced {
            name: "none",
            selector: None,
            note: Some("reduction is off: the store may change on the way".into()),
        };
    }
    // A reduced depth-first search goes by its path; several of them would reduce less, and differently each time.
    let alone = (order == Search::DepthFirst || options.proviso == Proviso::Queue) && reduction.is_some();
    let threads = if alone { 1 } else { options.threads.get() };
    watch.stop_with(executors.self_check());
    let machines_for = |count| (0..count).map(|_| executors.machine()).collect::<Vec<_>>();
    let mut machines = machines_for(threads);
    let mut sample = match stores::learns_from(choice) {
        // With a reduction the exact store keeps states as they are, and learns nothing.
        Some(count) if choice != StoreChoice::Exact || reduction.is_none() => {
            ferrospin_search::sample(&mut *machines[0], count, options.lossy.seed)
        }
        _ => Vec::new(),
    };
    sample.truncate(options.sample_max.unwrap_or(usize::MAX));
    watch.weigh(options);
    let opened = match task.storage.keeps_search() {
        true => {
            let head = Head::new(executors.fingerprint(), reduced.name, options);
            let go_on = &mut || watch.go_on(&Progress::default());
            let opened = task.storage.open(&head, &mut *machines[0], executors.edges(), go_on);
            opened.map_err(|why| Refusal::Refused(why.to_string()))?
        }
        false => Default::default(),
    };
    let mut levels_kept = opened.levels;
    let keeping = Keeping { watch: &watch, writer: opened.writer.map(Mutex::new) };
    let mut none = std::iter::empty();
    let goes_on = options.on_full_bitstate && order == Search::BreadthFirst;
    // A reduction goes by what the store has seen, and what a filter says of that is not to be trusted.
    let reduction = reduction.filter(|_| !goes_on);
    let again = || machines_for(threads);
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
    let probing = is_probed(task).then(|| {
        let of = apart.clone();
        let is_open =
            move |found: &safety::Violation| several.is_none_or(|s| !s.watched.is_decided(of.property(&found.fault)));
        let apart = several.map(|s| Arc::new(s.probed.apart(formulas)));
        Probing::new(Means {
            observer: &keeping,
            executors: several.map_or(executors, |s| s.probed),
            reduced: reduced.selector,
            options: safety::Options { apart, ..wanted.clone() },
            is_open: Box::new(is_open),
            edges: executors.edges(),
            memory_max_bytes: watch.memory_max_bytes(),
        })
    });
    let job = Searching {
        machines,
        reduction,
        order,
        options: &wanted,
        edges: executors.edges(),
        observer: probing.as_ref().map_or(&keeping as &dyn Observer, |p| p),
        records: levels_kept
            .as_mut()
            .map_or(&mut none as &mut dyn Iterator<Item = LevelRecord>, |levels| &mut **levels),
        on_full,
    };
    let memory_max_bytes = store_bytes_max(options, choice, &watch) / if goes_on { 2 } else { 1 };
    let making = Making { choice, memory_max_bytes, lossy: options.lossy, workers: threads, numbered, sample: &sample };
    let mut searched = stores::with_store(making, job).map_err(|why| {
        keeping.discard();
        Refusal::Refused(why.to_string())
    })?;
    let mut report = PropertyReport::undecided("safety", PropertyKind::Safety);
    let checked = executors.self_check().map(|check| check.result()).transpose();
    report.notes.extend(keeping.finish());
    report.notes.extend(checked?);
    let is_open = (searched.outcome.errors == 0 || several.is_some()) && searched.outcome.stopped.is_some();
    let finding = probing.and_then(|probing| probing.finish(is_open));
    let is_cut_short = finding.is_some();
    let mut remark = None;
    if let Some(finding) = finding {
        remark = Some((apart.property(&finding.violation.fault), finding.note()));
        let outcome = &mut searched.outcome;
        (outcome.errors, outcome.stopped) = (outcome.errors + 1, Some(Stopped::Errors));
        outcome.violations.push(finding.violation);
    }
    let is_reduced = searched.outcome.reduced > 0;
    let mut violations = Vec::new();
    let nearest = (0..=formulas).filter_map(|property| {
        let first = searched.outcome.violations.iter().find(|v| apart.property(&v.fault) == property)?;
        Some((property, first.clone()))
    });
    for (property, found) in nearest {
        let (mut nearest, mut notes) = (executors.plain_violation(&found), Vec::new());
        let itself = several.map_or(executors, |several| several.together.executors);
        // A nearer run might be another violation.
        if is_different {
            break;
        }
        let plain = itself.plain();
        let inner = plain.as_ref().map_or(itself, |plain| &**plain);
        let only = several.map(|several| several.together.only(inner, property));
        let wanted = |states_max| safety::Options {
            states_max,
            apart: only.as_ref().map(|only| Arc::new(only.apart(formulas))),
            has_property: wanted.has_property || property < formulas,
            ..wanted.clone()
        };
        let shortening = Shortening { executors: only.as_ref().map_or(inner, |only| only), options, watch: &watch };
        let probed = remark.take_if(|(of, _)| *of == property);
        if let Some((_, note)) = probed {
            notes.push(note);
        } else if order == Search::DepthFirst && options.shorten {
            notes.extend(shortening.shorten(&wanted(0), &mut nearest));
        } else if order == Search::BreadthFirst && (is_reduced || plain.is_some()) {
            // Nearest in a reduced graph, or one with merged steps, is not nearest of all; where that is cheap to mend, it is.
            let part = if is_reduced { 20 } else { 4 };
            let states_max = SHORTENING_STATES.max(part * searched.outcome.states);
            notes.extend(shortening.shorten(&wanted(states_max), &mut nearest));
        }
        violations.push((property, nearest, notes));
    }
    tell_plainly(executors, &mut searched.outcome);
    report.engine = executors.engine().into();
    report.reduction = reduced.name.into();
    report.notes.extend(reduced.note);
    let by_timing = asks_what_is_new(choice, options.proviso) && searched.outcome.reduced > 0;
    if threads > 1 && (by_timing || choice == StoreChoice::Bitstate) {
        report.notes.push(COUNTS_VARY.into());
    }
    report.store = choice.name().into();
    report.search = if order == Search::BreadthFirst { "bfs" } else { "dfs" }.into();
    report.threads = threads as u64;
    let found = several.map(|_| (std::mem::take(&mut searched.outcome.violations), searched.outcome.errors));
    if found.is_some() {
        searched.outcome.errors = 0;
    }
    sum_up(reference, &watch, &searched, &mut report);
    if let Some(found) = found {
        (searched.outcome.violations, searched.outcome.errors) = found;
    }
    if options.proviso == Proviso::None && searched.outcome.reduced > 0 && report.verdict == Verdict::Holds {
        report.verdict = Verdict::Undecided;
        report.notes.push("without a proviso deadlocks are found, but what fails may be put off for ever".into());
    }
    Ok(Round { report, violations, apart, is_cut_short, outcome: searched.outcome })
}

/// What a search has found, as the answer about a property.
pub fn answer(report: PropertyReport, mut outcome: Outcome) -> Answer {
    let mut violations = outcome.violations.drain(..);
    let finding = violations.next().map(Finding::Violation);
    let others = violations.collect();
    let open = match report.verdict {
        Verdict::Violated => Some("the search stopped at a violation".to_owned()),
        Verdict::Holds if outcome.reduced == 0 => None,
        Verdict::Holds => Some("a reduced search puts off for ever what changes no verdict".to_owned()),
        _ => Some(report.stopped.clone().unwrap_or_else(|| "the store is lossy".to_owned())),
    };
    let taken = Some(Taken { edges: outcome.taken, open });
    Answer { report, finding, others, taken }
}

/// Tells the outcome of a search in terms of the subject itself.
pub(crate) fn tell_plainly(executors: &dyn Executors, outcome: &mut Outcome) {
    outcome.violations = outcome.violations.iter().map(|v| executors.plain_violation(v)).collect();
    outcome.taken = executors.plain_taken(&outcome.taken);
}

/// Whether probes run beside the search: the order is the program's own, and so is the end of the search.
fn is_probed(task: &Task<'_>) -> bool {
    let (options, is_kept) = (task.options, task.storage.keeps_search());
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
    /// How the reduction chooses, if there is one.
    selector: Option<Selector>,
    note: Option<String>,
}

/// The reduction for a search for safety, where it was asked for and is sound.
fn reduce(executors: &dyn Executors, options: &Options, store: StoreChoice) -> (Option<Box<dyn Reduction>>, Reduced) {
    let off = |note: Option<String>| (None, Reduced { name: "none", selector: None, note });
    if !options.partial_order {
        return off(None);
    }
    if store == StoreChoice::Automaton {
        return off(Some("reduction is off: the automaton cannot tell which states are new in a level".into()));
    }
    let by_number =
        matches!(store, StoreChoice::Exact | StoreChoice::Arena | StoreChoice::Tree | StoreChoice::Collapse);
    let needs_numbers = matches!(options.proviso, Proviso::Strict | Proviso::Weak | Proviso::Complete | Proviso::Queue);
    let note = (needs_numbers && !by_number).then(|| {
        let name = options.proviso.name();
        format!("proviso `{name}` needs the store exact, tree or collapse; a weaker rule was used instead")
    });
    let selector = options.selector;
    match executors.reduction(selector, false) {
        None => off(None),
        Some(Ok(reduction)) => (Some(reduction), Reduced { name: selector.name(), selector: Some(selector), note }),
        Some(Err(reason)) => off(Some(format!("reduction is off: {reason}"))),
    }
}

/// Watches over a search that is kept.
struct Keeping<'a> {
    watch: &'a Watch,
    writer: Option<Mutex<Box<dyn LevelWriter>>>,
}

impl Keeping<'_> {
    /// The search has ended: what was not done to keep it, in a sentence.
    fn finish(&self) -> Option<String> {
        self.writer.as_ref()?.lock().ok()?.finish()
    }

    /// There was no search.
    fn discard(&self) {
        if let Some(mut writer) = self.writer.as_ref().and_then(|w| w.lock().ok()) {
            writer.discard();
        }
    }
}

impl Observer for Keeping<'_> {
    fn go_on(&self, progress: &Progress) -> bool {
        self.watch.go_on(progress)
    }

    fn wants_levels(&self) -> bool {
        self.writer.is_some()
    }

    fn level(&self, record: &LevelRecord) -> bool {
        if let Some(writer) = &self.writer {
            writer.lock().expect("one worker at a time ends a level").level(record);
        }
        true
    }
}

/// What a search for a nearer violation needs.
struct Shortening<'a> {
    executors: &'a dyn Executors,
    options: &'a Options,
    watch: &'a Watch,
}

impl Shortening<'_> {
    /// Looks, without reduction, for a violation that is nearer than the one that was found, in terms of the subject itself; what is
    /// said of it.
    fn shorten(&self, wanted: &safety::Options, violation: &mut safety::Violation) -> Option<String> {
        let Shortening { executors, options, watch } = *self;
        let found = violation.trail.len();
        let threads = options.threads.get();
        let wanted = safety::Options { errors_max: 1, depth_max: found as u64 + 1, ..wanted.clone() };
        let job = Searching {
            machines: (0..threads).map(|_| executors.unchecked()).collect(),
            reduction: None,
            order: Search::BreadthFirst,
            options: &wanted,
            edges: executors.edges(),
            observer: watch,
            records: &mut std::iter::empty(),
            on_full: None,
        };
        let memory_max_bytes = store_bytes_max(options, StoreChoice::Exact, watch);
        let choice = StoreChoice::Exact;
        let making =
            Making { choice, memory_max_bytes, lossy: options.lossy, workers: threads, numbered: false, sample: &[] };
        let searched = stores::with_store(making, job).ok()?;
        let nearest = searched.outcome.violations.first().map(|nearest| executors.plain_violation(nearest));
        match nearest {
            Some(nearest) if nearest.trail.len() <= found => {
                let steps = nearest.trail.len();
                *violation = nearest;
                options.shorten.then(|| format!("shortened from {found} steps to {steps} by a breadth-first search"))
            }
            _ if options.shorten => Some("the counterexample could not be shortened within the limits".into()),
            _ => Some("shortest in the reduced graph; `--por off` finds the shortest of all".into()),
        }
    }
}

/// Fills the report with what a search found.
pub fn sum_up(reference: &mut dyn Reference, watch: &Watch, searched: &Searched, report: &mut PropertyReport) {
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
    report.error = outcome.violations.first().map(|v| violation(reference, v));
    report.states = Some(outcome.states);
    report.states_matched = Some(outcome.matched);
    report.transitions = Some(outcome.transitions());
    report.depth = Some(outcome.depth);
    report.state_bytes = Some(outcome.state_bytes as u64);
    report.elapsed_s = Some(watch.elapsed().as_secs_f64());
    report.memory_bytes = watch.peak_bytes().or(Some(outcome.measured_bytes));
    report.store_bytes_per_state = Some(*store_bytes as f64 / outcome.states.max(1) as f64);
    report.omission_probability = Some(0.0);
    if let Some(scheme) = *scheme {
        report.omission_probability = None;
        // A search that was cut off says nothing about what it has not seen.
        if matches!(outcome.stopped, None | Some(Stopped::Full)) {
            let run = LossyRun {
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
pub const NO_THREADS: &str = "the system gives no threads for that many workers; `--threads 1` needs none";

/// A violation for the report.
pub fn violation(reference: &mut dyn Reference, found: &safety::Violation) -> Violation {
    let told = reference.tell(found);
    let location = told.place.map(|p| Location { file: p.file, line: p.line, column: p.column });
    Violation { kind: told.kind, message: told.message, location, depth: Some(found.trail.len() as u64) }
}
