//! What the workers of a search have in common, whatever its order: how they are set up, how they run and stop, what they
//! show, and how a trail is made of what one of them has found.

use crate::observe::{ASKING, Observer, Progress};
use crate::pipeline::BoxMachine;
use crate::safety::{Options, Stopped};
use crate::successors::{Code, follow};
use ferrospin_system::{Machine, Move, Reduction, StateHash, Store};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, mpsc};
use std::thread::Builder;
use std::time::Instant;

/// What a search needs.
pub struct Setup<'a, S: Store> {
    /// An executor per worker.
    pub machines: Vec<BoxMachine>,
    /// A reduction, if moves may be left out.
    pub reduction: Option<Box<dyn Reduction>>,
    /// Where states are kept.
    pub store: &'a S,
    /// How they are hashed.
    pub hash: StateHash,
    /// What to look for and when to stop.
    pub options: &'a Options,
    /// Number of edges of the model, for the record of what was taken.
    pub edges: usize,
    /// Who hears of the progress.
    pub observer: &'a dyn Observer,
    /// Whether a breadth-first search that is stopped hands over what it has found; the functions that search set it.
    pub keeps: bool,
}

/// Counters of one worker for the progress display, on a line of their own.
#[repr(align(128))]
#[derive(Default)]
pub(crate) struct Shown {
    pub(crate) states: AtomicU64,
    pub(crate) matched: AtomicU64,
    pub(crate) waiting: AtomicU64,
    pub(crate) depth: AtomicU64,
    pub(crate) bytes: AtomicU64,
}

/// What all workers may look at.
pub(crate) struct Common<'a> {
    pub(crate) options: &'a Options,
    pub(crate) observer: &'a dyn Observer,
    stop: AtomicBool,
    stopped: Mutex<Option<Stopped>>,
    errors: AtomicU64,
    pub(crate) shown: Vec<Shown>,
}

impl<'a> Common<'a> {
    pub(crate) fn new(options: &'a Options, observer: &'a dyn Observer, workers: usize) -> Self {
        Common {
            options,
            observer,
            stop: AtomicBool::new(false),
            stopped: Mutex::new(None),
            errors: AtomicU64::new(0),
            shown: (0..workers).map(|_| Shown::default()).collect(),
        }
    }

    /// Whether it is time to stop.
    #[inline]
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// Stops all workers; the first reason counts.
    pub(crate) fn stop(&self, why: Stopped) {
        self.stopped.lock().expect("nothing panics here").get_or_insert(why);
        self.stop.store(true, Relaxed);
    }

    /// Stops all workers because one of them panicked.
    pub(crate) fn give_up(&self) {
        self.stop.store(true, Relaxed);
    }

    /// Counts violations; whether there are as many now as were asked for.
    pub(crate) fn count_errors(&self, count: u64) -> bool {
        let all = self.errors.fetch_add(count, Relaxed) + count;
        match &self.options.apart {
            Some(apart) => apart.is_over(),
            None => self.options.errors_max > 0 && all >= self.options.errors_max,
        }
    }

    /// What the workers have shown, summed up.
    pub(crate) fn progress(&self, store_bytes: u64) -> Progress {
        let sum = |of: &dyn Fn(&Shown) -> &AtomicU64| self.shown.iter().map(|s| of(s).load(Relaxed)).sum::<u64>();
        Progress {
            states: sum(&|s| &s.states),
            matched: sum(&|s| &s.matched),
            depth: self.shown.iter().map(|s| s.depth.load(Relaxed)).max().unwrap_or(0),
            waiting: sum(&|s| &s.waiting),
            memory_bytes: store_bytes + sum(&|s| &s.bytes),
            ..Progress::default()
        }
    }

    /// Why to stop, if there is a reason outside of the search; asked now and then only.
    pub(crate) fn ask(&self, asked: &mut Option<Instant>, progress: impl FnOnce() -> Progress) -> Option<Stopped> {
        if asked.is_some_and(|at| at.elapsed() <= ASKING) {
            return None;
        }
        *asked = Some(Instant::now());
        let progress = progress();
        let limit = self.options.states_max;
        if limit > 0 && progress.states >= limit {
            return Some(Stopped::States);
        }
        (!self.observer.go_on(&progress)).then_some(Stopped::Caller)
    }

    /// Violations counted, and why the search was stopped.
    pub(crate) fn into_result(self) -> (u64, Option<Stopped>) {
        (self.errors.into_inner(), self.stopped.into_inner().expect("nothing panics here"))
    }
}

/// Does something when its worker dies of a bug, so that the bug is seen instead of a search that hangs.
pub(crate) struct Alarm<F: Fn()>(pub(crate) F);

impl<F: Fn()> Drop for Alarm<F> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            (self.0)();
        }
    }
}

/// The system gives no thread.
#[derive(Debug)]
pub(crate) struct NoThread;

/// Lets all workers work, the first one on this thread; what they give, in their order. A worker is dropped as soon as it
/// is done: a stop would wait for a worker that holds a handle to a store and does not work. Either all threads can be had, or none
/// begins.
pub(crate) fn run_all<W: Send, R: Send>(workers: Vec<W>, work: impl Fn(W) -> R + Sync) -> Result<Vec<R>, NoThread> {
    std::thread::scope(|scope| {
        let work = &work;
        let mut seats = Vec::new();
        for _ in 1..workers.len() {
            // A seat whose sender is dropped stays empty.
            let (assign, assigned) = mpsc::channel();
            let seat = move || assigned.recv().ok().map(work);
            let thread = Builder::new().name("worker".into()).spawn_scoped(scope, seat).map_err(|_| NoThread)?;
            seats.push((assign, thread));
        }
        let mut workers = workers.into_iter();
        let lead = workers.next();
        let mut others = Vec::with_capacity(seats.len());
        for ((assign, thread), worker) in seats.into_iter().zip(workers) {
            // The thread waits for nothing else.
            assert!(assign.send(worker).is_ok(), "a seat waits for its worker");
            others.push(thread);
        }
        let mut results = Vec::with_capacity(others.len() + 1);
        results.extend(lead.map(work));
        for other in others {
            results.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        Ok(results)
    })
}

/// How many violations get a trail.
pub(crate) fn trails_max(options: &Options) -> usize {
    let wanted = if options.errors_max > 0 { options.errors_max as usize } else { options.trails_max };
    wanted.min(options.trails_max)
}

/// The moves from a state by these codes, and then by this path.
pub(crate) fn trail(
    machine: &mut dyn Machine,
    first: &[u8],
    codes: impl IntoIterator<Item = Code>,
    path: Vec<Move>,
) -> Vec<Move> {
    let (mut state, mut trail) = (first.to_vec(), Vec::new());
    for code in codes {
        follow(machine, &mut state, code, &mut trail);
    }
    trail.extend(path);
    trail
}
