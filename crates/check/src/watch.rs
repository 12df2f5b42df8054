//! What may end a search early: time, memory, an interrupt. And what hears of its progress.

use crate::ledger::{Ledger, Why};
use crate::options::Options;
use crate::subject::SelfCheck;
use ferrospin_search::observe::{Observer, Progress};
use std::fmt;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Hears how far a search has come, and how long it has taken.
pub type Hear = dyn Fn(&Progress, Duration) + Send + Sync;

/// Ties a check to its surroundings: what may interrupt it, what is told of its progress.
#[derive(Clone, Default)]
pub struct Hooks {
    /// Set from outside to end all searches with what they have found.
    pub interrupt: Arc<AtomicBool>,
    /// Hears of the progress, many times a second.
    pub progress: Option<Arc<Hear>>,
    /// Where is written what has been found so far.
    pub ledger: Arc<Ledger>,
    /// When the check must end, if it must: the time limit counts from here back. Set beside the time limit, this one rules.
    pub deadline: Option<Instant>,
    /// How memory is measured.
    pub meter: Meter,
}

/// Measures memory, in bytes; `None` where the system does not say.
#[derive(Clone, Copy)]
pub struct Meter {
    /// What can be had now.
    pub available: fn() -> Option<u64>,
    /// What this process holds now.
    pub held: fn() -> Option<u64>,
    /// The most that it ever held.
    pub peak: fn() -> Option<u64>,
    /// Address space that is left, where it is limited.
    pub address_space: fn() -> Option<u64>,
}

/// A meter that measures nothing: no limit but those that are given.
impl Default for Meter {
    fn default() -> Self {
        let unknown = || None;
        Meter { available: unknown, held: unknown, peak: unknown, address_space: unknown }
    }
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hooks")
    }
}

/// Hooks are no part of what is asked for.
impl PartialEq for Hooks {
    fn eq(&self, _: &Hooks) -> bool {
        true
    }
}

/// Watches over one search.
pub struct Watch {
    started: Instant,
    deadline: Option<Instant>,
    memory_max_bytes: u64,
    hooks: Hooks,
    check: Option<Arc<dyn SelfCheck>>,
    why: Mutex<Option<&'static str>>,
}

/// Why a search ends that has no more memory.
pub(crate) const NO_MEMORY: &str = "the memory limit was reached";

impl Watch {
    /// Starts the clock.
    pub fn start(options: &Options) -> Watch {
        Watch {
            started: Instant::now(),
            deadline: options.deadline(),
            memory_max_bytes: memory_max_bytes(options),
            hooks: options.hooks.clone(),
            check: None,
            why: Mutex::new(None),
        }
    }

    /// Measures anew what is left of the memory limit: to be called when everything is there that a search has beside its
    /// store, machine code above all.
    pub fn weigh(&mut self, options: &Options) {
        self.memory_max_bytes = memory_max_bytes(options);
    }

    /// The search ends when this check has found a difference.
    pub fn stop_with(&mut self, check: Option<Arc<dyn SelfCheck>>) {
        self.check = check;
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Memory the search may take in all.
    pub fn memory_max_bytes(&self) -> u64 {
        self.memory_max_bytes
    }

    /// The most memory that the process ever held, where that is known.
    pub fn peak_bytes(&self) -> Option<u64> {
        (self.hooks.meter.peak)()
    }

    /// Why the search was stopped, if it was stopped here.
    pub fn why(&self) -> Option<&'static str> {
        *self.why.lock().expect("nothing panics here")
    }

    /// Whether the search was stopped for want of memory.
    pub fn is_out_of_memory(&self) -> bool {
        self.why() == Some(NO_MEMORY)
    }

    /// Forgets why the search was stopped: another one goes on.
    pub fn forgive(&self) {
        *self.why.lock().expect("nothing panics here") = None;
    }
}

/// What is left of the limit that was given, or nine tenths of what can be had. Of limited address space a part is left to
/// what is reserved and not used.
fn memory_max_bytes(options: &Options) -> u64 {
    let meter = &options.hooks.meter;
    let address_space = (meter.address_space)().map_or(u64::MAX, |bytes| bytes / 10 * 6);
    let limit = match options.limits.memory_max_bytes {
        // The limit is one of the whole process, which is there already, and takes a little more than is counted.
        Some(limit) => {
            let beside = (limit / 16).clamp(BESIDE_BYTES_MIN, BESIDE_BYTES_MAX) + (meter.held)().unwrap_or(0);
            limit.saturating_sub(beside).max(LEAST_BYTES.min(limit))
        }
        None => (meter.available)().map_or(u64::MAX, |bytes| bytes / 10 * 9),
    };
    limit.min(address_space)
}

/// What buffers, the allocator and tables on the move take, at least and at most, of a limit.
const BESIDE_BYTES_MIN: u64 = 3 << 20;
const BESIDE_BYTES_MAX: u64 = 64 << 20;
/// So much a search gets in any case.
const LEAST_BYTES: u64 = 512 << 10;

impl Observer for Watch {
    fn go_on(&self, progress: &Progress) -> bool {
        let elapsed = self.started.elapsed();
        let why = if self.hooks.interrupt.load(Ordering::Relaxed) {
            Why::Interrupted.words()
        } else if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            Why::Time.words()
        } else if self.check.as_ref().is_some_and(|check| check.is_over()) {
            "the self-check found a difference"
        } else if progress.memory_bytes > self.memory_max_bytes {
            NO_MEMORY
        } else {
            self.hooks.ledger.note(progress);
            if let Some(hear) = &self.hooks.progress {
                hear(progress, elapsed);
            }
            return true;
        };
        self.why.lock().expect("nothing panics here").get_or_insert(why);
        false
    }
}
