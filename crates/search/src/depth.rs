//! Depth-first search with an explicit stack, with one worker or many over one shared store.
//!
//! Expanding a state stores all its new successors at once, so that the misses of the table overlap; they wait on the
//! stack and are expanded one after the other. The stack is a path all the same: a counterexample is read off it.
//!
//! *Many paths:* one path is too few to keep the memory busy, because what a state leads to must be looked up before it is
//! known where to go on. A search that has become large follows several, each on a stack of its own, and expands a state
//! of each together. A stack that is empty gets the older half of what waits at the shallowest place of another,
//! as a *parcel* with the way that leads there.
//!
//! *Many workers:* each has stacks of its own. When a worker is idle, another one gives it a parcel. The search is done when
//! there are no parcels: their number is raised before one can be seen, and lowered when its owner's stacks are empty. Without
//! reduction, states and transitions do not depend on the number of workers.
//!
//! *What is shared, and how often:* the store; a stop flag and the number of idle workers, read once an expansion,
//! written rarely; per worker a line of counters, written every 256 expansions. The lock around the parcels is taken
//! only by idle workers, and by those that see that another one is idle.
//!
//! *Reduction.* One worker with a store that gives small numbers uses the completion proviso (Levin, Palmer, Qadeer and
//! Rajamani 2005, for ample sets): when a state is left from which no state was reached that took all its moves, it
//! takes all of its own then, or a set that needs no proviso. Several paths do not disturb that: whoever becomes complete
//! does so by itself or by a move to a state that became so before, on whatever path. Who asks for it gets a rule about the path instead: some
//! successor is not on it, or none is; states that wait to be expanded count as if they were on it, because the search
//! comes to them only when it is done with the state in hand. In all other cases a reduced set must have a successor that is new.

use crate::numbers::Numbers;
use crate::observe::Progress;
use crate::pipeline::{Extent, Full, Pipeline, Proviso, Receiver};
use crate::safety::{Fault, Outcome, ProvisoKind, Stopped, Violation};
use crate::segment::Segment;
use crate::successors::Code;
use crate::team::{Alarm, Common, Setup, run_all, trail, trails_max};
use ferrospin_system::{Found, Handle, Move, Store};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Condvar, Mutex};
use std::time::Instant;

/// How many expansions pass between two looks at the clock.
const INTERVAL: u64 = 256;
/// How often a patient search looks whether a reduction is worth its effort, before it may be given up.
const LOOKS: u64 = 4;
/// How much effort a reduction may take before the first look, in edges looked at.
const BUDGET_FIRST: u64 = 1 << 18;

/// Paths that are followed at a time, once the search is large.
const PATHS_MAX: usize = 32;
/// The cost of a parcel, in moves of its path that are copied: allowed for each expansion, and saved up at most.
const WAY_AN_EXPANSION: u64 = 32;
const WAY_SAVED_MAX: u64 = 1 << 16;

/// States that wait, with the way to their parent.
struct Parcel {
    way: Vec<Code>,
    states: Segment,
    codes: Vec<Code>,
}

/// A state on the path, whose successors are being expanded.
struct Frame {
    /// Its successors stand above this in the list of those that wait.
    base: usize,
    /// Those below this were given away.
    start: usize,
    /// Its number; 0 where the store gives none.
    number: u64,
    /// Moves were left out, and no state that took all of its own is known behind it.
    incomplete: bool,
}

/// A violation with the way to it.
struct Fallen {
    fault: Fault,
    way: Vec<Code>,
    path: Vec<Move>,
}

struct Shared<'a> {
    common: Common<'a>,
    /// Workers without work.
    idle: AtomicUsize,
    /// Parcels in existence: in the queue or being worked on.
    parcels: AtomicUsize,
    queue: Mutex<VecDeque<Parcel>>,
    come: Condvar,
}

impl Shared<'_> {
    fn stop(&self, why: Stopped) {
        self.common.stop(why);
        self.wake();
    }

    /// Lets those who wait look again.
    fn wake(&self) {
        drop(self.queue.lock());
        self.come.notify_all();
    }

    fn progress(&self, store_bytes: u64) -> Progress {
        let shown = self.common.progress(store_bytes);
        Progress { states: 1 + shown.states, ..shown }
    }
}

/// A path, and what waits beside it.
#[derive(Default)]
struct Stack {
    /// Leads to where the path begins.
    way: Vec<Code>,
    path: Vec<Code>,
    frames: Vec<Frame>,
    waiting: Segment,
    codes: Vec<Code>,
    /// Below this frame nothing waits.
    shallow: usize,
}

/// A state that is expanded in a round.
struct Turn {
    stack: usize,
    number: u64,
    extent: Extent,
    /// Where it stands among the states of the round.
    start: usize,
    len: usize,
}

impl Turn {
    /// States of one kind are expanded together.
    fn kind(&self) -> (bool, usize) {
        (self.extent == Extent::Completed, self.len)
    }
}

/// What a stack does next.
enum Next {
    /// Takes moves of the state with this number, or of the one that was written down.
    Expand(u64, Extent),
    /// All that was to be done is done.
    Nothing,
}

impl Stack {
    /// Begins with a parcel.
    fn begin(&mut self, parcel: Parcel) {
        self.way = parcel.way;
        self.waiting = parcel.states;
        self.codes = parcel.codes;
        self.frames.push(Frame { base: 0, start: 0, number: 0, incomplete: false });
        self.shallow = 0;
    }

    /// Where something waits that can be given away: the frame, and where it stands. Of what waits at the top one state is left.
    fn place(&mut self) -> Option<(usize, std::ops::Range<usize>)> {
        let top = self.frames.len().checked_sub(1)?;
        let mut at = self.shallow.min(top);
        while at < top && self.frames[at].start == self.frames[at + 1].base {
            at += 1;
        }
        self.shallow = at;
        let start = self.frames[at].start;
        let (end, kept) = if at < top { (self.frames[at + 1].base, 0) } else { (self.waiting.len(), 1) };
        let half = (end - start).saturating_sub(kept).div_ceil(2);
        (half > 0).then(|| (at, start..start + half))
    }

    /// Cuts off what waits there.
    fn cut(&mut self, at: usize, range: std::ops::Range<usize>) -> Parcel {
        self.frames[at].start = range.end;
        Parcel {
            way: [&self.way[..], &self.path[..at]].concat(),
            states: self.waiting.copy(range.clone()),
            codes: self.codes[range].to_vec(),
        }
    }
}

struct Worker<'a, S: Store + 'a> {
    index: usize,
    shared: &'a Shared<'a>,
    store: &'a S,
    handle: S::Handle<'a>,
    pipeline: Pipeline,
    /// Whether reductions are completed on the way back instead of asking for a new successor.
    completes: bool,
    /// By number: whether all moves are taken at, or behind, this state.
    complete: Numbers,
    /// By number: whether the search is done with the state; where that is needed.
    done: Option<Numbers>,
    stacks: Vec<Stack>,
    /// Stacks that are empty; their memory is used again.
    spare: Vec<Stack>,
    /// Who expands a state in this round, in the order in which that is done.
    turns: Vec<Turn>,
    /// The states, one behind the other, and those of one kind where there are several kinds.
    states: Vec<u8>,
    sorted: Vec<u8>,
    /// What parcels may cost.
    saved: u64,
    fallen: Vec<Fallen>,
    depth: u64,
    cut: bool,
    count: u64,
    asked: Option<Instant>,
    state: Vec<u8>,
}

struct Intake<'a> {
    stacks: &'a mut [Stack],
    turns: &'a [Turn],
    turn: usize,
    restores: bool,
    found: Vec<(usize, Fault, Vec<Move>)>,
}

impl Receiver for Intake<'_> {
    #[inline]
    fn arrive(&mut self, number: u64, state: &[u8], code: Code) {
        let stack = &mut self.stacks[self.turns[self.turn].stack];
        stack.waiting.push(number, state, self.restores);
        stack.codes.push(code);
    }

    fn violate(&mut self, fault: Fault, path: Vec<Move>) {
        self.found.push((self.turn, fault, path));
    }

    #[inline]
    fn pass(&mut self, states: usize) {
        self.turn += states;
    }
}

impl<S: Store> Worker<'_, S> {
    /// Works on parcels until there are none.
    fn run(&mut self) {
        let shared = self.shared;
        self.pipeline.set_budget(BUDGET_FIRST);
        let patience = shared.common.options.patience;
        let between = (patience / LOOKS).max(1);
        let (mut look_at, mut show_at) = (between, INTERVAL);
        let _alarm = Alarm(|| {
            shared.common.give_up();
            shared.wake();
        });
        while let Some(parcel) = self.next_parcel() {
            self.begin(parcel);
            while !self.stacks.is_empty() && !self.shared.common.is_stopped() {
                if self.round().is_err() {
                    self.shared.stop(Stopped::Full);
                }
                self.handle.pause();
                if self.is_enough() {
                    self.shared.stop(Stopped::States);
                }
                if self.count >= show_at {
                    self.show();
                    show_at = self.count + INTERVAL;
                }
                if self.count >= look_at {
                    self.pipeline.weigh(&self.handle, between);
                    look_at += between;
                }
                if self.shared.idle.load(Relaxed) > 0 {
                    self.give();
                }
                // A rule about the path knows one path only.
                if self.count >= patience && self.done.is_none() {
                    self.divide();
                }
            }
            self.stacks.clear();
            if self.shared.parcels.fetch_sub(1, Relaxed) == 1 {
                self.shared.wake();
            }
        }
        self.show();
    }

    /// Whether there are as many states as are allowed. One worker stops as soon as it has them, so that a search is the same
    /// every time; several are asked now and then.
    fn is_enough(&self) -> bool {
        let limit = self.shared.common.options.states_max;
        limit > 0 && self.pipeline.counts().0 >= limit
    }

    /// Begins with a parcel, on a stack of its own.
    fn begin(&mut self, parcel: Parcel) {
        let mut stack = self.spare.pop().unwrap_or_default();
        stack.begin(parcel);
        self.stacks.push(stack);
    }

    /// Follows more paths, as far as there is something to do for them.
    fn divide(&mut self) {
        let mut from = 0;
        while self.stacks.len() < PATHS_MAX && from < self.stacks.len() {
            let Some((at, range)) = self.stacks[from].place() else {
                from += 1;
                continue;
            };
            let cost = (self.stacks[from].way.len() + at) as u64;
            if cost > self.saved {
                return;
            }
            self.saved -= cost;
            let parcel = self.stacks[from].cut(at, range);
            self.begin(parcel);
            from += 1;
        }
    }

    fn next_parcel(&mut self) -> Option<Parcel> {
        let shared = self.shared;
        let mut parcel = None;
        self.handle.absent(&mut || {
            let mut queue = shared.queue.lock().expect("nothing panics here");
            loop {
                if shared.common.is_stopped() || shared.parcels.load(Relaxed) == 0 {
                    return;
                }
                parcel = queue.pop_front();
                if parcel.is_some() {
                    return;
                }
                shared.idle.fetch_add(1, Relaxed);
                queue = shared.come.wait(queue).expect("nothing panics here");
                shared.idle.fetch_sub(1, Relaxed);
            }
        });
        parcel
    }

    /// Expands the next state of every stack.
    fn round(&mut self) -> Result<(), Full> {
        self.turns.clear();
        self.states.clear();
        let mut at = 0;
        while at < self.stacks.len() {
            let Next::Expand(number, extent) = self.next(at) else {
                let stack = self.stacks.swap_remove(at);
                self.spare.push(stack);
                continue;
            };
            let state = if S::RESTORES { self.handle.read(number, &mut self.state) } else { &self.state };
            self.turns.push(Turn { stack: at, number, extent, start: self.states.len(), len: state.len() });
            self.states.extend_from_slice(state);
            at += 1;
        }
        let Some(first) = self.turns.first() else { return Ok(()) };
        let alike = |a: &Turn, b: &Turn| a.kind() == b.kind() && a.len > 0;
        if self.turns.iter().all(|turn| alike(first, turn)) {
            self.pipeline.expand(&self.states, first.len, first.extent);
        } else {
            self.turns.sort_by_key(Turn::kind);
            for some in self.turns.chunk_by(alike) {
                self.sorted.clear();
                some.iter().for_each(|t| self.sorted.extend_from_slice(&self.states[t.start..t.start + t.len]));
                self.pipeline.expand(&self.sorted, some[0].len, some[0].extent);
            }
        }
        self.count += self.turns.len() as u64;
        self.saved = (self.saved + WAY_AN_EXPANSION * self.turns.len() as u64).min(WAY_SAVED_MAX);
        self.commit()
    }

    /// Takes the next state from a stack, and leaves those on top behind which nothing waits.
    fn next(&mut self, at: usize) -> Next {
        loop {
            let stack = &mut self.stacks[at];
            let Some(top) = stack.frames.last_mut() else { return Next::Nothing };
            if stack.waiting.len() == top.start {
                if top.incomplete {
                    top.incomplete = false;
                    return Next::Expand(top.number, Extent::Completed);
                }
                self.leave(at);
                continue;
            }
            let code = stack.codes.pop().expect("a code for each state");
            let number = stack.waiting.pop(&mut self.state);
            let depth = (stack.way.len() + stack.path.len() + 1) as u64;
            // The initial state has a code as well, which is no step.
            let depth_max = self.shared.common.options.depth_max;
            self.depth = self.depth.max(depth - 1);
            if depth_max > 0 && depth > depth_max {
                self.cut = true;
                continue;
            }
            stack.path.push(code);
            let base = stack.waiting.len();
            stack.frames.push(Frame { base, start: base, number, incomplete: false });
            return Next::Expand(number, Extent::Offered);
        }
    }

    /// Asks the store about what the states of this round lead to.
    fn commit(&mut self) -> Result<(), Full> {
        let mut intake =
            Intake { stacks: &mut self.stacks, turns: &self.turns, turn: 0, restores: S::RESTORES, found: Vec::new() };
        let proviso = match (&self.done, self.shared.common.options.proviso) {
            (_, ProvisoKind::Always) => Proviso::Later(&Numbers::NONE),
            (Some(done), kind) => Proviso::Path { done, all: kind == ProvisoKind::Strict },
            _ if self.completes => Proviso::Later(&self.complete),
            _ => Proviso::New,
        };
        self.pipeline.commit(&mut self.handle, &proviso, &mut intake)?;
        let found = intake.found;
        // A reduction that rests does not ask any more.
        if self.completes && self.pipeline.reduces() {
            // Where moves were left out, and nothing behind is known to take all of its own, the state is incomplete.
            let completed = self.pipeline.completed();
            for (i, turn) in self.turns.iter().enumerate() {
                if completed.has(i) {
                    self.complete.add(turn.number);
                } else {
                    self.stacks[turn.stack].frames.last_mut().expect("there is a frame").incomplete = true;
                }
            }
        }
        if !found.is_empty() {
            self.violate(found);
        }
        Ok(())
    }

    /// Leaves the state on top of a stack: all that waited behind it is done.
    fn leave(&mut self, at: usize) {
        let stack = &mut self.stacks[at];
        let top = stack.frames.pop().expect("there is a frame");
        // The lowest frame of a parcel belongs to no state.
        if let Some(done) = self.done.as_mut().filter(|_| !stack.path.is_empty()) {
            done.add(top.number);
        }
        stack.waiting.truncate(top.base);
        stack.codes.truncate(top.base);
        if stack.path.pop().is_some()
            && self.completes
            && let Some(below) = stack.frames.last_mut()
            && below.incomplete
        {
            // A state that is left is complete, and so is the one that leads there.
            below.incomplete = false;
            self.complete.add(below.number);
        }
    }

    #[cold]
    fn violate(&mut self, found: Vec<(usize, Fault, Vec<Move>)>) {
        let mut count = 0;
        let options = self.shared.common.options;
        for (turn, fault, path) in found {
            let mut kept = self.fallen.len();
            if let Some(apart) = &options.apart {
                let property = apart.property(&fault);
                if !apart.count(&fault) {
                    continue;
                }
                kept = self.fallen.iter().filter(|f| apart.property(&f.fault) == property).count();
            }
            count += 1;
            if kept < options.trails_max {
                let stack = &self.stacks[self.turns[turn].stack];
                let way = stack.way.iter().chain(&stack.path).skip(1).copied().collect();
                self.fallen.push(Fallen { fault, way, path });
            }
        }
        if self.shared.common.count_errors(count) {
            self.shared.stop(Stopped::Errors);
        }
    }

    /// Gives away half of what waits at the shallowest place of a stack, if there is something.
    #[cold]
    fn give(&mut self) {
        let mut queue = self.shared.queue.lock().expect("nothing panics here");
        if queue.len() >= self.shared.idle.load(Relaxed) {
            return;
        }
        let Some(parcel) = self.stacks.iter_mut().find_map(|stack| {
            let (at, range) = stack.place()?;
            Some(stack.cut(at, range))
        }) else {
            return;
        };
        self.shared.parcels.fetch_add(1, Relaxed);
        queue.push_back(parcel);
        self.shared.come.notify_one();
    }

    fn show(&mut self) {
        let shown = &self.shared.common.shown[self.index];
        let (states, matched) = self.pipeline.counts();
        shown.states.store(states, Relaxed);
        shown.matched.store(matched, Relaxed);
        shown.waiting.store(self.stacks.iter().map(|s| s.waiting.len() as u64).sum(), Relaxed);
        shown.depth.store(self.depth, Relaxed);
        let bytes = self.stacks.iter().chain(&self.spare).map(Stack::memory_bytes).sum::<u64>();
        shown.bytes.store(bytes + self.complete.memory_bytes(), Relaxed);
        let progress = || self.shared.progress(self.store.memory_bytes());
        if let Some(why) = self.shared.common.ask(&mut self.asked, progress) {
            self.shared.stop(why);
        }
    }
}

impl Stack {
    fn memory_bytes(&self) -> u64 {
        let codes = self.way.capacity() + self.path.capacity() + self.codes.capacity();
        let list = self.frames.capacity() * size_of::<Frame>() + codes * size_of::<Code>();
        list as u64 + self.waiting.memory_bytes()
    }
}

/// Searches.
pub fn search<S: Store>(setup: Setup<'_, S>) -> Outcome {
    let Setup { mut machines, reduction, store, hash, options, edges, observer, keeps: _ } = setup;
    let workers = machines.len();
    assert!(workers > 0, "there is at least one worker");
    let mut outcome = Outcome { taken: vec![false; edges], ..Outcome::default() };
    let mut first = Vec::new();
    if let Err(f) = machines[0].initial(&mut first) {
        outcome.errors = 1;
        outcome.violations.push(Violation { fault: Fault::Failure(f), trail: Vec::new() });
        return outcome;
    }
    let shared = Shared {
        common: Common::new(options, observer, workers),
        idle: AtomicUsize::new(0),
        parcels: AtomicUsize::new(1),
        queue: Mutex::default(),
        come: Condvar::new(),
    };
    let mut states = Segment::default();
    match store.handle().put(&first, hash.of(&first)) {
        Found::New(number) | Found::Seen(number) => states.push(number, &first, S::RESTORES),
        Found::Full => {
            outcome.stopped = Some(Stopped::Full);
            return outcome;
        }
    }
    outcome.states = 1;
    outcome.state_bytes = first.len();
    outcome.stored_bytes = first.len() as u64;
    let parcel = Parcel { way: Vec::new(), states, codes: vec![Code::default()] };
    shared.queue.lock().expect("nothing panics here").push_back(parcel);
    let alone = workers == 1 && S::SMALL_NUMBERS && reduction.is_some();
    let goes_by_path = alone && matches!(options.proviso, ProvisoKind::Weak | ProvisoKind::Strict);
    let completes = alone && !goes_by_path && !matches!(options.proviso, ProvisoKind::Visited | ProvisoKind::Always);
    let mut team = Vec::new();
    for (index, machine) in machines.into_iter().enumerate() {
        let reduction = reduction.as_ref().map(|r| r.another());
        team.push(Worker {
            index,
            shared: &shared,
            store,
            handle: store.handle(),
            pipeline: Pipeline::new(machine, reduction, options, hash, edges),
            completes,
            complete: Numbers::NONE,
            done: goes_by_path.then(Numbers::default),
            stacks: Vec::new(),
            spare: Vec::new(),
            turns: Vec::new(),
            states: Vec::new(),
            sorted: Vec::new(),
            saved: 0,
            fallen: Vec::new(),
            depth: 0,
            cut: false,
            count: 0,
            asked: None,
            state: Vec::new(),
        });
    }
    let Ok(results) = run_all(team, |mut worker| {
        worker.run();
        (worker.pipeline, worker.fallen, worker.depth, worker.cut)
    }) else {
        outcome.stopped = Some(Stopped::Threads);
        return outcome;
    };
    outcome.measured_bytes = shared.progress(store.memory_bytes()).memory_bytes;
    (outcome.errors, outcome.stopped) = shared.common.into_result();
    let mut machine = None;
    let mut fallen = Vec::new();
    for (pipeline, own, depth, cut) in results {
        pipeline.sum_up(&mut outcome);
        outcome.depth = outcome.depth.max(depth);
        if cut {
            outcome.stopped.get_or_insert(Stopped::Depth);
        }
        fallen.extend(own);
        machine.get_or_insert(pipeline.machine);
    }
    let mut machine = machine.expect("there is a worker");
    fallen.sort_by_key(|f| f.way.len());
    match &options.apart {
        Some(apart) => apart.keep_first(options.trails_max, &mut fallen, |f| &f.fault),
        None => fallen.truncate(trails_max(options)),
    }
    for f in fallen {
        let trail = trail(&mut *machine, &first, f.way, f.path);
        outcome.violations.push(Violation { fault: f.fault, trail });
    }
    outcome
}
