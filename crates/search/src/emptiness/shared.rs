//! What the workers of a parallel search share: cells beside the states, and the signal to stop.

use super::explorer::{End, Explorer};
use super::{Cut, Figures, GoOn, Graph, Outcome, Stopped, Verdict};
use ferrospin_system::{StateHash, Store};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::Builder;

/// Cells in the first chunk, as a power of two; each further chunk is as large as all before it.
const FIRST_LOG: u32 = 10;

/// One cell for each state, by number; chunks of them come into being when one is looked at.
pub(crate) struct Cells<T>(Vec<OnceLock<Box<[T]>>>);

impl<T: Default> Cells<T> {
    pub(crate) fn new() -> Self {
        Cells((FIRST_LOG..=u32::BITS).map(|_| OnceLock::new()).collect())
    }

    #[inline]
    pub(crate) fn at(&self, id: u32) -> &T {
        let place = u64::from(id) + (1 << FIRST_LOG);
        let log = place.ilog2();
        let size = 1u64 << log;
        let chunk = &self.0[(log - FIRST_LOG) as usize];
        &chunk.get_or_init(|| (0..size).map(|_| T::default()).collect())[(place - size) as usize]
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.0.iter().filter_map(|c| c.get()).map(|c| c.len() * size_of::<T>()).sum()
    }
}

/// What all workers look at now and then, and what they count together.
#[derive(Default)]
pub(crate) struct Signal {
    stop: AtomicBool,
    /// The caller wanted it.
    asked: AtomicBool,
    pub(crate) states: AtomicU64,
    pub(crate) transitions: AtomicU64,
    expansions: AtomicU64,
    depth: AtomicU64,
    state_bytes: AtomicU64,
    inner_steps: AtomicU64,
    endless: AtomicBool,
    failed: AtomicBool,
}

impl Signal {
    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::SeqCst);
    }

    #[inline]
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn figures(&self) -> Figures {
        let states = self.states.load(Ordering::SeqCst);
        Figures {
            states,
            transitions: self.transitions.load(Ordering::SeqCst) + 1,
            repeated: self.expansions.load(Ordering::SeqCst).saturating_sub(states),
            inner_steps: self.inner_steps.load(Ordering::SeqCst),
            depth: self.depth.load(Ordering::SeqCst),
            components: None,
            state_bytes: self.state_bytes.load(Ordering::SeqCst),
            beside_bytes: 0,
        }
    }

    /// A worker is done: its figures are added.
    fn add<G: Graph, H: ferrospin_system::Handle>(&self, x: &mut Explorer<G, H>) {
        let own = x.final_figures(0);
        self.expansions.fetch_add(own.repeated, Ordering::SeqCst);
        self.depth.fetch_max(own.depth, Ordering::SeqCst);
        self.state_bytes.fetch_max(own.state_bytes, Ordering::SeqCst);
        self.inner_steps.fetch_max(own.inner_steps, Ordering::SeqCst);
        self.endless.fetch_or(x.cut().endless, Ordering::SeqCst);
        self.failed.fetch_or(x.cut().failed, Ordering::SeqCst);
    }
}

/// How a worker ended.
pub(crate) enum Ended {
    /// It has seen everything, as far as it is its business.
    Done,
    /// There is an accepting cycle; a state of it, or what else leads to it.
    Found(u32),
    /// It was stopped, or must not go on.
    Early(End),
}

/// What the workers run: given its number, an explorer, the number of the initial state, and whom to ask.
pub(crate) trait Team<G: Graph>: Sync {
    /// The search of one worker.
    fn work<H: ferrospin_system::Handle>(
        &self,
        worker: usize,
        x: &mut Explorer<G, H>,
        first: u32,
        signal: &Signal,
        go_on: GoOn<'_>,
    ) -> Ended;

    /// Whether the first worker that is done has seen everything for all.
    fn one_is_enough(&self) -> bool;

    /// The counterexample behind what a worker found.
    fn lasso<H: ferrospin_system::Handle>(
        &self,
        x: &mut Explorer<G, H>,
        first: u32,
        found: u32,
    ) -> super::Lasso<G::Label>;

    /// Memory beside the store.
    fn memory_bytes(&self) -> usize;
}

/// Runs a team of `threads` workers; the calling thread is the first of them and asks `go_on`.
pub(crate) fn run<G: Graph, S: Store, T: Team<G>>(
    make: &(dyn Fn() -> G + Sync),
    store: &S,
    hash: StateHash,
    threads: usize,
    team: &T,
    go_on: GoOn<'_>,
) -> Outcome<G::Label> {
    let signal = Signal::default();
    let work = |worker: usize, go_on: GoOn<'_>| {
        let mut x = Explorer::new(make(), store.handle(), hash);
        let ended = match x.start() {
            Ok(Some(first)) => team.work(worker, &mut x, first, &signal, go_on),
            Ok(None) => Ended::Done,
            Err(why) => Ended::Early(End::Stopped(why)),
        };
        if team.one_is_enough() || !matches!(ended, Ended::Done) {
            signal.stop();
        }
        signal.add(&mut x);
        ended
    };
    let all: Option<Vec<Ended>> = std::thread::scope(|scope| {
        let mut others = Vec::new();
        for w in 1..threads.max(1) {
            let (work, signal) = (&work, &signal);
            let begin = move || work(w, &mut |_| !signal.is_stopped());
            match Builder::new().name("worker".into()).spawn_scoped(scope, begin) {
                Ok(thread) => others.push(thread),
                Err(_) => {
                    // Those who have begun end at once.
                    signal.stop();
                    return None;
                }
            }
        }
        let mut first = |_: &Figures| {
            if signal.is_stopped() {
                return false;
            }
            let on = go_on(&signal.figures());
            if !on {
                signal.asked.store(true, Ordering::SeqCst);
                signal.stop();
            }
            on
        };
        let mut all = vec![work(0, &mut first)];
        all.extend(others.into_iter().map(|o| o.join().unwrap_or_else(|e| std::panic::resume_unwind(e))));
        Some(all)
    });
    let figures = Figures { beside_bytes: team.memory_bytes() as u64, ..signal.figures() };
    let cut = Cut { endless: signal.endless.load(Ordering::SeqCst), failed: signal.failed.load(Ordering::SeqCst) };
    let Some(mut all) = all else {
        return Outcome { verdict: Verdict::Stopped(Stopped::Threads), figures, cut };
    };
    let mut x = Explorer::new(make(), store.handle(), hash);
    let first = x.start().ok().flatten().unwrap_or(0);
    let worth = |e: &Ended| match e {
        Ended::Found(_) => 4,
        Ended::Early(End::Violation(_)) => 3,
        Ended::Early(End::Stopped(Stopped::Caller)) => 0,
        Ended::Early(End::Stopped(_)) => 2,
        Ended::Done => 1,
    };
    all.sort_by_key(worth);
    let verdict = match all.pop().expect("at least one worker") {
        Ended::Found(at) => Verdict::Cycle(team.lasso(&mut x, first, at)),
        Ended::Early(End::Stopped(Stopped::Caller)) => Verdict::Stopped(Stopped::Caller),
        Ended::Early(end) => x.ended(end, first),
        // A worker that was stopped because another was done has missed nothing; one that the caller stopped has.
        Ended::Done if signal.asked.load(Ordering::SeqCst) => Verdict::Stopped(Stopped::Caller),
        Ended::Done => Verdict::Empty,
    };
    Outcome { verdict, figures, cut }
}

/// Puts a list into an order of a worker's own, so that workers go different ways; the first worker keeps the order.
pub(crate) fn shuffle<T>(list: &mut [T], worker: usize, state: u32) {
    if worker == 0 {
        return;
    }
    let mut seed = (u64::from(state) << 8 | worker as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    for i in (1..list.len()).rev() {
        seed ^= seed >> 12;
        seed ^= seed << 25;
        seed ^= seed >> 27;
        list.swap(i, ((seed.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % (i as u64 + 1)) as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU32;

    #[test]
    fn cells_are_told_apart() {
        let cells: Cells<AtomicU32> = Cells::new();
        let ids = [0, 1, 1023, 1024, 3071, 3072, 100_000];
        ids.iter().for_each(|i| cells.at(*i).store(i + 1, Ordering::SeqCst));
        assert!(ids.iter().all(|i| cells.at(*i).load(Ordering::SeqCst) == i + 1));
        assert_eq!(cells.at(2).load(Ordering::SeqCst), 0);
        assert!(cells.memory_bytes() >= 4 << 16);
    }

    #[test]
    fn the_first_worker_keeps_the_order() {
        let mut list = [1, 2, 3, 4, 5, 6, 7, 8];
        shuffle(&mut list, 0, 9);
        assert_eq!(list, [1, 2, 3, 4, 5, 6, 7, 8]);
        shuffle(&mut list, 1, 9);
        assert_ne!(list, [1, 2, 3, 4, 5, 6, 7, 8]);
    }
}
