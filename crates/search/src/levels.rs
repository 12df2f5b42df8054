//! Breadth-first search by levels, with one worker or many over one shared store.
//!
//! The states of a level are handed out in blocks; what is new joins the worker's own segment of the next level. Every worker
//! begins with the segment that he has made himself, because its states, and those near to them in the store, are in the
//! cache of his processor, and helps the others when it is done. When a
//! level is done the workers meet, the segments in the order of the workers become the next level, and all go on. Which
//! states make up a level does not depend on who found them, so that states, transitions, depth and the length of a
//! counterexample are the same for every number of workers. A level that is too small to share is expanded by the worker
//! that made it, while the others go on waiting.
//!
//! *What is shared, and how often:* the store; a cursor into each segment, touched once a block (up to 256 states); a stop
//! flag, read once a batch and written once; the number of violations, touched at violations only; per worker, a line
//! of counters for the progress display, written once a block. Locks are taken at the ends of levels only.
//!
//! Counterexamples come from the trail log ([`crate::trail_log`]), which works with every store.

use crate::checkpoint::LevelRecord;
use crate::numbers::Numbers;
use crate::observe::Progress;
use crate::pipeline::{Extent, Full, Origins, Pipeline, Proviso, Receiver, count_of};
use crate::profiler::{Effort, ReductionProfile};
use crate::safety::{Apart, Fault, Outcome, ProvisoKind, Stopped, VIOLATIONS_KEPT, Violation};
use crate::segment::Segment;
use crate::successors::Code;
use crate::tags::Tags;
use crate::team::{Alarm, Common, Setup, run_all, trail, trails_max};
use crate::trail_log::{Part, TrailLog};
use ferrospin_system::{Found, Fresh, Handle, Move, Span, StateHash, Store};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Instant;

/// Most states of a block.
const BLOCK_MAX: u64 = 256;
/// Least states of a block.
const BLOCK_MIN: u64 = 16;

/// What a search that was stopped has found, level by level.
#[derive(Default)]
pub struct KeptLevels {
    levels: Vec<KeptLevel>,
    log: TrailLog,
}

/// A level with the counters of the search when it began.
struct KeptLevel {
    level: Arc<Level>,
    matched: u64,
    atomic_steps: u64,
    taken: Vec<bool>,
}

impl KeptLevels {
    /// The levels as records, read from the store of the search that was stopped. The last one is the level that was
    /// being expanded.
    pub fn records<H: Handle>(self, handle: H) -> impl Iterator<Item = LevelRecord> {
        let KeptLevels { levels, log } = self;
        let mut parts = log.levels.into_iter();
        let mut scratch = Vec::new();
        levels.into_iter().enumerate().map(move |(i, kept)| {
            let mut states = Vec::new();
            kept.level.each(&handle, &mut scratch, &mut |state| states.push(state.to_vec()));
            LevelRecord {
                depth: kept.level.depth,
                parts: if i == 0 { Vec::new() } else { parts.next().unwrap_or_default() },
                states,
                matched: kept.matched,
                atomic_steps: kept.atomic_steps,
                taken: kept.taken,
                // A search that goes on with another store may be profiled anew.
                profile: Vec::new(),
                completed: Vec::new(),
            }
        })
    }
}

/// A level that is being expanded.
struct Level {
    depth: u64,
    segments: Vec<Segment>,
    /// Number of states in the segments before each.
    starts: Vec<u64>,
    total: u64,
    /// States of the level before.
    before: u64,
    block: u64,
    /// How much a reduction should do.
    effort: Effort,
    /// Whether it is known for good what a reduction is worth.
    is_judged: bool,
}

impl Level {
    fn new(depth: u64, before: u64, segments: Vec<Segment>, workers: usize) -> Level {
        let mut total = 0;
        let mut starts = Vec::with_capacity(segments.len());
        for segment in &segments {
            starts.push(total);
            total += segment.len() as u64;
        }
        let block = (total / (8 * workers as u64)).clamp(BLOCK_MIN, BLOCK_MAX);
        Level { depth, segments, starts, total, before, block, effort: Effort::Full, is_judged: false }
    }

    /// States of the levels behind this one, if levels go on shrinking as this one has: nothing is known while they grow.
    fn rest_estimated(&self) -> Option<u64> {
        let shrinks = self.total > 0 && self.total < self.before;
        shrinks.then(|| (self.total as f64 * self.total as f64 / (self.before - self.total) as f64) as u64)
    }

    /// Calls `f` with all states, in order.
    fn each(&self, handle: &impl Handle, scratch: &mut Vec<u8>, f: &mut dyn FnMut(&[u8])) {
        for segment in &self.segments {
            for i in 0..segment.len() {
                if segment.has_numbers() {
                    f(handle.read(segment.number(i), scratch));
                } else {
                    f(segment.state(i));
                }
            }
        }
    }

    /// Where a block of a segment begins and ends, if there is one with this number.
    fn place_of(&self, segment: usize, block: u64) -> Option<(u64, u64)> {
        let (start, len) = (self.starts[segment], self.segments[segment].len() as u64);
        let first = block * self.block;
        (first < len).then(|| (start + first, start + (first + self.block).min(len)))
    }

    /// The segment that has the state at a place, and its place there.
    fn locate(&self, place: u64) -> (usize, usize) {
        let i = self.starts.partition_point(|s| *s <= place) - 1;
        (i, (place - self.starts[i]) as usize)
    }
}

/// A violation with the place of its state.
struct Fallen {
    fault: Fault,
    depth: u64,
    place: u64,
    path: Vec<Move>,
}

/// A counter on a line of its own.
#[repr(align(128))]
#[derive(Default)]
struct Cursor(AtomicU64);

/// What the workers share beside the store.
struct Shared<'a> {
    common: Common<'a>,
    tags: Option<Tags>,
    keeps: bool,
    workers: usize,
    /// By segment of the level, its next block.
    cursors: Vec<Cursor>,
    /// States and arrivals before this search took over.
    before: (u64, u64),
    meeting: Mutex<Meeting>,
    go_on: Condvar,
}

/// What the workers bring together at the end of a level.
struct Meeting {
    level: Arc<Level>,
    arrived: usize,
    generation: u64,
    done: bool,
    segments: Vec<Segment>,
    parts: Vec<Part>,
    log: TrailLog,
    /// Deepest level with states.
    depth: u64,
    /// For records of levels: edges taken, steps inside `atomic` by worker, and of the time before.
    taken: Vec<bool>,
    atomic_steps: Vec<u64>,
    atomic_before: u64,
    /// All levels, where they are kept.
    kept: Vec<KeptLevel>,
    /// What has become of the profile of a reduction.
    profile: ReductionProfile,
    /// Which states of the level before are complete, as bits, where levels are needed.
    completed: Vec<u64>,
}

impl Meeting {
    fn keep(&mut self, level: Arc<Level>, matched: u64) {
        let atomic_steps = self.atomic_before + self.atomic_steps.iter().sum::<u64>();
        self.kept.push(KeptLevel { level, matched, atomic_steps, taken: self.taken.clone() });
    }
}

impl Shared<'_> {
    /// Arrivals at stored states, as far as the workers have shown them.
    fn matched(&self) -> u64 {
        self.before.1 + self.common.progress(0).matched
    }

    fn progress(&self, level: &Level, store_bytes: u64) -> Progress {
        let shown = self.common.progress(store_bytes);
        let lens = level.segments.iter().map(|segment| segment.len() as u64);
        let begun = |(cursor, len): (&Cursor, u64)| (cursor.0.load(Relaxed) * level.block).min(len);
        let expanded: u64 = self.cursors.iter().zip(lens).map(begun).sum();
        let waiting = level.total - expanded;
        Progress {
            states: self.before.0 + shown.states,
            matched: self.before.1 + shown.matched,
            depth: level.depth,
            waiting,
            rest_estimated: level.rest_estimated().map(|behind| waiting + behind),
            ..shown
        }
    }
}

/// One worker.
struct Worker<'a, S: Store + 'a> {
    index: usize,
    shared: &'a Shared<'a>,
    store: &'a S,
    handle: S::Handle<'a>,
    pipeline: Pipeline,
    next: Segment,
    part: Part,
    fallen: Vec<Fallen>,
    errors: u64,
    scratch: Vec<u8>,
    /// The states of a batch, where a reduction asks for what became of them.
    numbers: Vec<u64>,
    /// What the log of this worker takes, as far as it was handed in.
    logged_bytes: u64,
    /// When it last asked whether to go on.
    asked: Option<Instant>,
}

/// Takes in what a batch gives.
struct Intake<'a> {
    next: &'a mut Segment,
    part: &'a mut Part,
    fallen: &'a mut Vec<Fallen>,
    errors: &'a mut u64,
    restores: bool,
    depth: u64,
    place: u64,
    apart: Option<&'a Apart>,
    kept_max: usize,
}

impl Receiver for Intake<'_> {
    #[inline(always)]
    fn arrive(&mut self, number: u64, state: &[u8], code: Code) {
        self.next.push(number, state, self.restores);
        self.part.arrive(self.place, code);
    }

    #[inline]
    fn arrive_all(&mut self, fresh: &[Fresh], origins: Origins<'_>, spans: &[Span], bytes: &[u8]) {
        if self.restores {
            self.next.push_all(fresh.iter().map(|f| f.number));
        } else {
            fresh.iter().for_each(|f| self.next.push_state(spans[f.index as usize].state(bytes)));
        }
        self.part.arrive_all(self.place, fresh, origins);
        self.place += origins.ends.len() as u64;
    }

    fn violate(&mut self, fault: Fault, path: Vec<Move>) {
        let (mut kept, mut most) = (self.fallen.len(), VIOLATIONS_KEPT);
        if let Some(apart) = self.apart {
            let property = apart.property(&fault);
            if !apart.count(&fault) {
                return;
            }
            kept = self.fallen.iter().filter(|f| apart.property(&f.fault) == property).count();
            most = self.kept_max;
        }
        *self.errors += 1;
        if kept < most {
            self.fallen.push(Fallen { fault, depth: self.depth, place: self.place, path });
        }
    }

    #[inline]
    fn pass(&mut self, states: usize) {
        self.place += states as u64;
    }
}

impl<'a, S: Store> Worker<'a, S> {
    /// Expands blocks of a level until there are none left, or it is time to stop.
    fn level(&mut self, level: &Level) {
        self.pipeline.begin_level(level.depth, level.total, level.effort, level.is_judged);
        let (own, count) = (self.index, level.segments.len());
        let mut segments = (0..count).map(|i| (own + i) % count).peekable();
        while let Some(segment) = segments.peek() {
            let block = self.shared.cursors[*segment].0.fetch_add(1, Relaxed);
            if self.shared.common.is_stopped() {
                return;
            }
            let Some((start, end)) = level.place_of(*segment, block) else {
                segments.next();
                continue;
            };
            if self.block(level, start, end).is_err() {
                self.shared.common.stop(Stopped::Full);
            }
            let shown = &self.shared.common.shown[self.index];
            let (states, matched) = self.pipeline.counts();
            shown.states.store(states, Relaxed);
            shown.matched.store(matched, Relaxed);
            shown.bytes.store(self.next.memory_bytes() + self.logged_bytes, Relaxed);
            let progress = || self.shared.progress(level, self.store.memory_bytes());
            if let Some(why) = self.shared.common.ask(&mut self.asked, progress) {
                self.shared.common.stop(why);
            }
        }
    }

    fn block(&mut self, level: &Level, start: u64, end: u64) -> Result<(), Full> {
        self.part.block(start);
        let shared = self.shared;
        let proviso = match (&shared.tags, shared.common.options.proviso) {
            (_, ProvisoKind::Always) => Proviso::Later(&Numbers::NONE),
            (Some(tags), ProvisoKind::Queue) if shared.workers == 1 => Proviso::Queue(tags, level.depth + 1),
            (Some(tags), _) => Proviso::Level(tags, level.depth + 1),
            (None, _) => Proviso::New,
        };
        let (mut segment, mut at) = level.locate(start);
        let mut place = start;
        let batch = self.pipeline.batch() as u64;
        let tags = shared.tags.as_ref().filter(|_| self.pipeline.reduces());
        while place < end {
            let first = place;
            self.numbers.clear();
            while place < end && place < first + batch {
                while at == level.segments[segment].len() {
                    (segment, at) = (segment + 1, 0);
                }
                let most = (end - place).min(first + batch - place) as usize;
                let from = &level.segments[segment];
                let (states, len) = if S::RESTORES {
                    let numbers = from.some_numbers(at, most);
                    let run = self.handle.read_run(numbers, &mut self.scratch);
                    if tags.is_some() {
                        self.numbers.extend_from_slice(&numbers[..count_of(run.0, run.1)]);
                    }
                    run
                } else {
                    from.run_of_states(at, most)
                };
                self.pipeline.expand(states, len, Extent::Offered);
                let count = count_of(states, len);
                (place, at) = (place + count as u64, at + count);
            }
            if let Proviso::Queue(tags, _) = proviso {
                tags.close_all(&self.numbers, &[], level.depth);
            }
            let errors = self.errors;
            let mut intake = Intake {
                next: &mut self.next,
                part: &mut self.part,
                fallen: &mut self.fallen,
                errors: &mut self.errors,
                restores: S::RESTORES,
                depth: level.depth,
                place: first,
                apart: shared.common.options.apart.as_deref(),
                kept_max: shared.common.options.trails_max,
            };
            self.pipeline.commit(&mut self.handle, &proviso, &mut intake)?;
            if let Some(tags) = tags {
                tags.close_all(&self.numbers, self.pipeline.completed().words(), level.depth);
            }
            if self.errors > errors && shared.common.count_errors(self.errors - errors) {
                shared.common.stop(Stopped::Errors);
            }
            if shared.common.is_stopped() {
                return Ok(());
            }
            self.handle.pause();
        }
        Ok(())
    }

    /// Brings what the level gave to the meeting; the number of workers that have come.
    fn bring(&mut self) -> usize {
        let mut meeting = self.shared.meeting.lock().expect("no worker panics at a meeting");
        let part = std::mem::take(&mut self.part);
        self.logged_bytes += part.memory_bytes();
        meeting.segments[self.index] = std::mem::take(&mut self.next);
        meeting.parts[self.index] = part;
        if self.shared.common.observer.wants_levels() || self.shared.keeps {
            meeting.atomic_steps[self.index] = self.pipeline.traces(&mut meeting.taken);
        }
        let depth = meeting.level.depth;
        meeting.profile.take(depth, self.pipeline.take_samples());
        meeting.arrived += 1;
        meeting.arrived
    }

    /// Makes the next level of what was brought; `None` when there is none, or it is time to stop.
    fn next_level(&mut self) -> Option<Arc<Level>> {
        let shared = self.shared;
        let mut meeting = shared.meeting.lock().expect("no worker panics at a meeting");
        let segments = meeting.segments.iter_mut().map(std::mem::take).collect();
        let parts = meeting.parts.iter_mut().map(std::mem::take).collect();
        meeting.log.levels.push(parts);
        meeting.arrived = 0;
        let mut level = Level::new(meeting.level.depth + 1, meeting.level.total, segments, shared.workers);
        level.effort = meeting.profile.judge(level.depth, &self.handle, self.shared.common.options.patience);
        level.is_judged = meeting.profile.is_judged();
        let level = Arc::new(level);
        if level.total > 0 {
            meeting.depth = level.depth;
        }
        if shared.keeps && !shared.common.is_stopped() {
            meeting.keep(level.clone(), shared.matched());
        }
        if let Some(tags) = &shared.tags {
            tags.next_level();
            if shared.common.observer.wants_levels() {
                meeting.completed = tags.completed(meeting.level.segments.iter().flat_map(Segment::numbers));
            }
        }
        meeting.level = level.clone();
        shared.cursors.iter().for_each(|cursor| cursor.0.store(0, Relaxed));
        let too_deep =
            shared.common.options.depth_max > 0 && level.depth >= shared.common.options.depth_max && level.total > 0;
        if too_deep && !shared.common.is_stopped() {
            shared.common.stop(Stopped::Depth);
        }
        meeting.done = level.total == 0 || too_deep || shared.common.is_stopped();
        (!meeting.done).then_some(level)
    }

    /// Runs to the end of the search.
    fn run(&mut self) {
        let shared = self.shared;
        let _alarm = Alarm(|| {
            shared.common.give_up();
            if let Ok(mut meeting) = shared.meeting.lock() {
                meeting.done = true;
            }
            shared.go_on.notify_all();
        });
        let mut level = shared.meeting.lock().expect("no worker panics at a meeting").level.clone();
        let mut generation = 0;
        loop {
            self.level(&level);
            if self.bring() == shared.workers {
                // The last to come makes the next level, and goes on alone while levels are small.
                while let Some(next) = self.next_level() {
                    let observer = shared.common.observer;
                    let hears = !observer.wants_levels() || self.tell(&next);
                    if !hears || !observer.between_levels(&shared.progress(&next, self.store.memory_bytes())) {
                        shared.common.stop(Stopped::Caller);
                        shared.meeting.lock().expect("no worker panics at a meeting").done = true;
                        break;
                    }
                    if shared.workers > 1 && next.total >= 2 * BLOCK_MAX {
                        break;
                    }
                    self.level(&next);
                    self.bring();
                }
                let mut meeting = shared.meeting.lock().expect("no worker panics at a meeting");
                meeting.generation += 1;
                drop(meeting);
                shared.go_on.notify_all();
            } else {
                self.handle.absent(&mut || {
                    let mut meeting = shared.meeting.lock().expect("no worker panics at a meeting");
                    while meeting.generation == generation && !meeting.done {
                        meeting = shared.go_on.wait(meeting).expect("no worker panics at a meeting");
                    }
                });
            }
            generation += 1;
            let meeting = shared.meeting.lock().expect("no worker panics at a meeting");
            if meeting.done {
                return;
            }
            level = meeting.level.clone();
        }
    }

    /// Hands a new level to the observer; whether to go on.
    fn tell(&mut self, level: &Level) -> bool {
        let mut record = LevelRecord { depth: level.depth, ..LevelRecord::default() };
        let meeting = self.shared.meeting.lock().expect("no worker panics at a meeting");
        record.parts = meeting.log.levels.last().cloned().unwrap_or_default();
        record.taken = meeting.taken.clone();
        record.atomic_steps = meeting.atomic_before + meeting.atomic_steps.iter().sum::<u64>();
        meeting.profile.encode(&mut record.profile);
        record.completed = meeting.completed.clone();
        drop(meeting);
        record.matched = self.shared.matched();
        for segment in &level.segments {
            for i in 0..segment.len() {
                let state =
                    if S::RESTORES { self.handle.read(segment.number(i), &mut self.scratch) } else { segment.state(i) };
                record.states.push(state.to_vec());
            }
        }
        self.shared.common.observer.level(&record)
    }
}

/// Where a search starts: its first level, and what was done before.
struct Start {
    segment: Segment,
    depth: u64,
    log: TrailLog,
    profile: ReductionProfile,
    room: bool,
}

/// Searches from the initial state, or goes on where a search was that left these records behind, all of them in order.
pub fn search<S: Store>(setup: Setup<'_, S>, records: &mut dyn Iterator<Item = LevelRecord>) -> Outcome {
    run(Setup { keeps: false, ..setup }, records, &mut KeptLevels::default())
}

fn run<S: Store>(
    setup: Setup<'_, S>,
    records: &mut dyn Iterator<Item = LevelRecord>,
    kept: &mut KeptLevels,
) -> Outcome {
    let Setup { mut machines, reduction, store, hash, options, edges, observer, keeps } = setup;
    let workers = machines.len();
    assert!(workers > 0, "there is at least one worker");
    let mut outcome = Outcome { taken: vec![false; edges], ..Outcome::default() };
    let mut first = Vec::new();
    if let Err(f) = machines[0].initial(&mut first) {
        outcome.errors = 1;
        outcome.violations.push(Violation { fault: Fault::Failure(f), trail: Vec::new() });
        return outcome;
    }
    // Where the store gives no numbers, a reduced set needs a successor that is new.
    let tagged = reduction.is_some() && S::RESTORES && options.proviso != ProvisoKind::Visited;
    let tags = tagged.then(|| if S::SMALL_NUMBERS { Tags::by_number() } else { Tags::by_set() });
    let start = begin(store, hash, tags.as_ref(), &first, records, &mut outcome);
    let shared = Shared {
        common: Common::new(options, observer, workers),
        tags,
        workers,
        cursors: (0..workers).map(|_| Cursor::default()).collect(),
        before: (outcome.states, outcome.matched),
        meeting: Mutex::new(Meeting {
            level: Arc::new(Level {
                effort: start.profile.effort(),
                is_judged: start.profile.is_judged(),
                ..Level::new(start.depth, 0, vec![start.segment], workers)
            }),
            arrived: 0,
            generation: 0,
            done: false,
            segments: (0..workers).map(|_| Segment::default()).collect(),
            parts: (0..workers).map(|_| Part::default()).collect(),
            log: start.log,
            depth: start.depth,
            taken: outcome.taken.clone(),
            atomic_steps: vec![0; workers],
            atomic_before: outcome.atomic_steps,
            kept: Vec::new(),
            profile: start.profile,
            completed: Vec::new(),
        }),
        keeps,
        go_on: Condvar::new(),
    };
    if !start.room {
        shared.common.stop(Stopped::Full);
    }
    if keeps {
        let mut meeting = shared.meeting.lock().expect("no other thread holds it");
        let level = meeting.level.clone();
        meeting.keep(level, shared.before.1);
    }
    let mut team: Vec<Worker<'_, S>> = Vec::new();
    for (index, machine) in machines.into_iter().enumerate() {
        let reduction = reduction.as_ref().map(|r| r.another());
        team.push(Worker {
            index,
            shared: &shared,
            store,
            handle: store.handle(),
            pipeline: Pipeline::new(machine, reduction, options, hash, edges),
            next: Segment::default(),
            part: Part::default(),
            fallen: Vec::new(),
            errors: 0,
            scratch: Vec::new(),
            numbers: Vec::new(),
            logged_bytes: 0,
            asked: None,
        });
    }
    if observer.wants_levels() && start.depth == 0 {
        let level = shared.meeting.lock().expect("no other thread holds it").level.clone();
        if !team[0].tell(&level) {
            shared.common.stop(Stopped::Caller);
        }
    }
    let Ok(results) = run_all(team, |mut worker| {
        worker.run();
        (worker.pipeline, worker.fallen, worker.logged_bytes)
    }) else {
        outcome.stopped = Some(Stopped::Threads);
        return outcome;
    };
    let mut fallen = Vec::new();
    let mut machine = None;
    for (pipeline, own, bytes) in results {
        pipeline.sum_up(&mut outcome);
        outcome.measured_bytes += bytes;
        fallen.extend(own);
        machine.get_or_insert(pipeline.machine);
    }
    let meeting = shared.meeting.into_inner().expect("no worker panics at a meeting");
    (outcome.errors, outcome.stopped) = shared.common.into_result();
    outcome.depth = meeting.depth;
    outcome.measured_bytes += store.memory_bytes();
    fallen.sort_by_key(|f| (f.depth, f.path.len()));
    match &options.apart {
        Some(apart) => apart.keep_first(options.trails_max, &mut fallen, |f| &f.fault),
        None => fallen.truncate(trails_max(options)),
    }
    let mut machine = machine.expect("there is a worker");
    // Levels before the one that was given up: what is behind them will be found again.
    let whole = meeting.kept.len().saturating_sub(1);
    for f in fallen {
        let codes = meeting.log.codes(f.depth, f.place);
        let trail = trail(&mut *machine, &first, codes, f.path);
        outcome.violations.push(Violation { fault: f.fault, trail });
    }
    let mut log = meeting.log;
    log.levels.truncate(whole);
    *kept = KeptLevels { levels: meeting.kept, log };
    outcome
}

/// The same, and hands over what was found when it was stopped for want of memory or by the caller.
pub fn search_and_keep<S: Store>(setup: Setup<'_, S>) -> (Outcome, KeptLevels) {
    let mut kept = KeptLevels::default();
    let outcome = run(Setup { keeps: true, ..setup }, &mut std::iter::empty(), &mut kept);
    (outcome, kept)
}

/// Stores the initial state, or the states of all records; the last level is where the search goes on.
fn begin<S: Store>(
    store: &S,
    hash: StateHash,
    tags: Option<&Tags>,
    first: &[u8],
    records: &mut dyn Iterator<Item = LevelRecord>,
    outcome: &mut Outcome,
) -> Start {
    let mut start = Start {
        segment: Segment::default(),
        depth: 0,
        log: TrailLog::default(),
        profile: ReductionProfile::default(),
        room: true,
    };
    let mut handle = store.handle();
    let first_level = LevelRecord { states: vec![first.to_vec()], ..LevelRecord::default() };
    let mut records = records.peekable();
    let first_level = records.peek().is_none().then_some(first_level);
    for record in first_level.into_iter().chain(records) {
        let before = std::mem::take(&mut start.segment);
        start.depth = record.depth;
        if record.depth > 0 {
            start.log.levels.push(record.parts);
        }
        if let Some(tags) = tags {
            tags.next_level();
            let states: Vec<u64> = before.numbers().collect();
            tags.close_all(&states, &record.completed, record.depth.saturating_sub(1));
        }
        for state in &record.states {
            let found = handle.put(state, hash.of(state));
            if let (Some(tags), Found::New(number)) = (tags, found) {
                tags.note(number, record.depth);
            }
            handle.pause();
            match found {
                Found::New(number) | Found::Seen(number) => start.segment.push(number, state, S::RESTORES),
                Found::Full => start.room = false,
            }
            outcome.states += 1;
            outcome.state_bytes = outcome.state_bytes.max(state.len());
            outcome.stored_bytes += state.len() as u64;
        }
        start.profile = ReductionProfile::decode(&mut &record.profile[..]).unwrap_or_default();
        (outcome.matched, outcome.atomic_steps) = (record.matched, record.atomic_steps);
        outcome.taken.iter_mut().zip(&record.taken).for_each(|(to, from)| *to |= from);
    }
    // The last level is expanded next: a step that stays in it leads to no later one.
    if let Some(tags) = tags {
        tags.next_level();
    }
    start
}
