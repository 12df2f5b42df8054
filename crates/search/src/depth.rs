//! Depth-first search with an explicit stack, with one worker or many over one shared store.
//!
//! Expanding a state stores all its new successors at once, so that the misses of the table overlap; they wait on the
//! stack and are expanded one after the other. The stack is a path all the same: a counterexample is read off it.
//!
//! *Many workers:* each has a stack of its own. When somebody is idle, a worker gives away the older half of what waits
//! at the shallowest place of its stack, as a *parcel* with the way that leads there. The search is done when there are
//! no parcels: their number is raised before one can be seen, and lowered when its owner's stack is empty. Without
//! reduction, states and transitions do not depend on the number of workers.
//!
//! *What is shared, and how often:* the store; a stop flag and the number of idle workers, read once an expansion,
//! written rarely; per worker a line of counters, written every 256 expansions. The lock around the parcels is taken
//! only by those who are idle, and by those who see that somebody is.
//!
//! *Reduction.* One worker with a store that gives small numbers uses the completion proviso (Levin, Palmer, Qadeer and
//! Rajamani 2005, for ample sets): when a state is left from which no state was reached that took all its moves, it
//! takes all of its own then, or a set that needs no proviso. Who asks for it gets a rule about the path instead: some
//! successor is not on it, or none is; states that wait to be expanded count as if they were on it, because the search
//! comes to them only when it is done with the state in hand. In all other cases a reduced set must have a successor that is new.

use crate::observe::Progress;
use crate::safety::{Fault, Outcome, ProvisoKind, Stopped, VIOLATIONS_KEPT, Violation};
use crate::segment::Segment;
use crate::successors::Code;
use crate::team::{Alarm, Common, Setup, run_all, trail, trails_max};
use crate::worker::{Bench, Extent, Full, Proviso, Receiver};
use ferrospin_system::{Found, Handle, Move, Store};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Instant;

/// How many expansions pass between two looks at the clock.
const INTERVAL: u64 = 256;
/// How often a patient search looks whether a reduction is worth its effort, before it may be given up.
const LOOKS: u64 = 4;
/// How much effort a reduction may take before the first look, in edges looked at.
const EFFORT_FIRST: u64 = 1 << 18;

/// States that wait, with the way to their parent.
struct Parcel {
    way: Arc<[Code]>,
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
    owes: bool,
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

struct Worker<'a, S: Store + 'a> {
    index: usize,
    shared: &'a Shared<'a>,
    store: &'a S,
    handle: S::Handle<'a>,
    bench: Bench,
    /// Whether reductions are completed on the way back instead of asking for a new successor.
    completes: bool,
    /// By number: whether all moves are taken at, or behind, this state.
    complete: Vec<bool>,
    /// By number: whether the search is done with the state; where somebody asks.
    done: Option<Vec<bool>>,
    way: Arc<[Code]>,
    path: Vec<Code>,
    frames: Vec<Frame>,
    waiting: Segment,
    codes: Vec<Code>,
    fallen: Vec<Fallen>,
    depth: u64,
    cut: bool,
    count: u64,
    asked: Option<Instant>,
    state: Vec<u8>,
}

struct Intake<'a> {
    waiting: &'a mut Segment,
    codes: &'a mut Vec<Code>,
    restores: bool,
    complete: &'a [bool],
    met_complete: bool,
    found: Vec<(Fault, Vec<Move>)>,
}

impl Receiver for Intake<'_> {
    fn arrive(&mut self, number: u64, state: &[u8], code: Code) {
        self.waiting.push(number, state, self.restores);
        self.codes.push(code);
    }

    fn meet(&mut self, number: u64) {
        self.met_complete |= self.complete.get(number as usize).copied().unwrap_or(false);
    }

    fn violate(&mut self, fault: Fault, path: Vec<Move>) {
        self.found.push((fault, path));
    }

    fn pass(&mut self, _: usize) {}
}

impl<S: Store> Worker<'_, S> {
    /// Works on parcels until there are none.
    fn run(&mut self) {
        let shared = self.shared;
        self.bench.allow(EFFORT_FIRST);
        let between = (shared.common.options.patience / LOOKS).max(1);
        let mut look_at = between;
        // Whether something behind a state takes all moves shows where it leads to states that were there.
        self.bench.meet_all();
        let _alarm = Alarm(|| {
            shared.common.give_up();
            shared.wake();
        });
        while let Some(parcel) = self.next_parcel() {
            self.way = parcel.way;
            self.waiting = parcel.states;
            self.codes = parcel.codes;
            self.frames.push(Frame { base: 0, start: 0, number: 0, owes: false });
            while !self.frames.is_empty() && !self.shared.common.is_stopped() {
                if self.step().is_err() {
                    self.shared.stop(Stopped::Full);
                }
                self.handle.pause();
                self.count += 1;
                if self.count.is_multiple_of(INTERVAL) {
                    self.show();
                }
                if self.count >= look_at {
                    self.bench.weigh(&self.handle, between);
                    look_at += between;
                }
                if self.shared.idle.load(Relaxed) > 0 && !self.frames.is_empty() {
                    self.give();
                }
            }
            self.frames.clear();
            self.path.clear();
            if self.shared.parcels.fetch_sub(1, Relaxed) == 1 {
                self.shared.wake();
            }
        }
        self.show();
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

    /// Takes the next state from the stack, or leaves the one on top.
    fn step(&mut self) -> Result<(), Full> {
        let top = self.frames.last().expect("there is a frame");
        if self.waiting.len() == top.start {
            return self.leave();
        }
        let code = self.codes.pop().expect("a code for each state");
        let number = self.waiting.pop(&mut self.state);
        let depth = (self.way.len() + self.path.len() + 1) as u64;
        // The initial state has a code as well, which is no step.
        let too_deep = self.shared.common.options.depth_max > 0 && depth > self.shared.common.options.depth_max;
        self.depth = self.depth.max(depth - 1);
        if too_deep {
            self.cut = true;
            return Ok(());
        }
        self.path.push(code);
        let base = self.waiting.len();
        self.frames.push(Frame { base, start: base, number, owes: false });
        self.expand(number, Extent::Offered)
    }

    /// Expands the state on top.
    fn expand(&mut self, number: u64, extent: Extent) -> Result<(), Full> {
        if S::RESTORES {
            let state = self.handle.read(number, &mut self.state);
            self.bench.expand(state, state.len(), extent);
        } else {
            self.bench.expand(&self.state, self.state.len(), extent);
        }
        let mut intake = Intake {
            waiting: &mut self.waiting,
            codes: &mut self.codes,
            restores: S::RESTORES,
            complete: &self.complete,
            met_complete: false,
            found: Vec::new(),
        };
        let proviso = match (&self.done, self.shared.common.options.proviso) {
            (_, ProvisoKind::Always) => Proviso::Later,
            (Some(done), kind) => Proviso::Path { done, all: kind == ProvisoKind::Strict },
            _ if self.completes => Proviso::Later,
            _ => Proviso::New,
        };
        self.bench.settle(&mut self.handle, &proviso, &mut intake)?;
        let (met, found) = (intake.met_complete, intake.found);
        if self.completes {
            let owes = self.bench.owes() && !met;
            self.frames.last_mut().expect("there is a frame").owes = owes;
            if !owes {
                self.note_complete(number);
            }
        }
        if !found.is_empty() {
            self.violate(found);
        }
        Ok(())
    }

    fn note_complete(&mut self, number: u64) {
        set(&mut self.complete, number);
    }

    /// Leaves the state on top: all that waited behind it is done.
    fn leave(&mut self) -> Result<(), Full> {
        let top = self.frames.last().expect("there is a frame");
        if top.owes {
            let number = top.number;
            return self.expand(number, Extent::Completed);
        }
        let top = self.frames.pop().expect("there is a frame");
        // The lowest frame of a parcel belongs to no state.
        if let Some(done) = self.done.as_mut().filter(|_| !self.path.is_empty()) {
            set(done, top.number);
        }
        self.waiting.truncate(top.base);
        self.codes.truncate(top.base);
        if self.path.pop().is_some()
            && self.completes
            && let Some(below) = self.frames.last_mut()
            && below.owes
        {
            // Whoever is left is complete, and so is whoever leads there.
            below.owes = false;
            let number = below.number;
            self.note_complete(number);
        }
        Ok(())
    }

    #[cold]
    fn violate(&mut self, found: Vec<(Fault, Vec<Move>)>) {
        let count = found.len() as u64;
        for (fault, path) in found {
            if self.fallen.len() < VIOLATIONS_KEPT {
                let way = self.way.iter().chain(&self.path).skip(1).copied().collect();
                self.fallen.push(Fallen { fault, way, path });
            }
        }
        if self.shared.common.count_errors(count) {
            self.shared.stop(Stopped::Errors);
        }
    }

    /// Gives away half of what waits at the shallowest place, if there is enough.
    #[cold]
    fn give(&mut self) {
        let ends = self.frames.iter().skip(1).map(|f| f.base).chain([self.waiting.len()]);
        let Some((i, end)) = ends.enumerate().find(|(i, end)| end - self.frames[*i].start >= 2) else {
            return;
        };
        let start = self.frames[i].start;
        let middle = start + (end - start) / 2;
        let mut queue = self.shared.queue.lock().expect("nothing panics here");
        if queue.len() >= self.shared.idle.load(Relaxed) {
            return;
        }
        let parcel = Parcel {
            way: self.way.iter().chain(&self.path[..i]).copied().collect(),
            states: self.waiting.copy(start..middle),
            codes: self.codes[start..middle].to_vec(),
        };
        self.frames[i].start = middle;
        self.shared.parcels.fetch_add(1, Relaxed);
        queue.push_back(parcel);
        self.shared.come.notify_one();
    }

    fn show(&mut self) {
        let shown = &self.shared.common.shown[self.index];
        let (states, matched) = self.bench.counts();
        shown.states.store(states, Relaxed);
        shown.matched.store(matched, Relaxed);
        shown.waiting.store(self.waiting.len() as u64, Relaxed);
        shown.depth.store(self.depth, Relaxed);
        let stack = self.frames.capacity() * size_of::<Frame>() + (self.path.capacity() + self.codes.capacity()) * 8;
        shown.bytes.store(self.waiting.memory_bytes() + (stack + self.complete.capacity()) as u64, Relaxed);
        let progress = || self.shared.progress(self.store.memory_bytes());
        if let Some(why) = self.shared.common.ask(&mut self.asked, progress) {
            self.shared.stop(why);
        }
    }
}

/// Sets a bit of a list that grows as needed.
fn set(list: &mut Vec<bool>, number: u64) {
    let at = number as usize;
    if at >= list.len() {
        list.resize((at + 1).next_power_of_two(), false);
    }
    list[at] = true;
}

/// Searches.
pub fn search<S: Store>(setup: Setup<'_, S>) -> Outcome {
    let Setup { mut machines, reduction, store, hash, options, edges, observer, keeps: _ } = setup;
    let workers = machines.len();
    assert!(workers > 0, "somebody has to do the work");
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
    let parcel = Parcel { way: Arc::from([]), states, codes: vec![Code::default()] };
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
            bench: Bench::new(machine, reduction, options, hash, edges),
            completes,
            complete: Vec::new(),
            done: goes_by_path.then(Vec::new),
            way: Arc::from([]),
            path: Vec::new(),
            frames: Vec::new(),
            waiting: Segment::default(),
            codes: Vec::new(),
            fallen: Vec::new(),
            depth: 0,
            cut: false,
            count: 0,
            asked: None,
            state: Vec::new(),
        });
    }
    let results = run_all(team, |mut worker| {
        worker.run();
        (worker.bench, worker.fallen, worker.depth, worker.cut)
    });
    outcome.measured_bytes = shared.progress(store.memory_bytes()).memory_bytes;
    (outcome.errors, outcome.stopped) = shared.common.into_result();
    let mut machine = None;
    let mut fallen = Vec::new();
    for (bench, own, depth, cut) in results {
        bench.sum_up(&mut outcome);
        outcome.depth = outcome.depth.max(depth);
        if cut {
            outcome.stopped.get_or_insert(Stopped::Depth);
        }
        fallen.extend(own);
        machine.get_or_insert(bench.machine);
    }
    let mut machine = machine.expect("there is a worker");
    fallen.sort_by_key(|f| f.way.len());
    fallen.truncate(trails_max(options));
    for f in fallen {
        let trail = trail(&mut *machine, &first, f.way, f.path);
        outcome.violations.push(Violation { fault: f.fault, trail });
    }
    outcome
}
