//! What may end a search early: time, memory, an interrupt. And what hears of its progress.

use crate::memory;
use crate::verify::Options;
use ferrospin_search::observe::{Observer, Progress};
use std::fmt;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Ties a check to its surroundings: who may interrupt it, who hears of its progress.
#[derive(Clone, Default)]
pub struct Hooks {
    /// Set from outside to end all searches with what they have found.
    pub interrupt: Arc<AtomicBool>,
    /// Hears of the progress, many times a second.
    pub progress: Option<Arc<dyn Fn(&Progress, Duration) + Send + Sync>>,
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
pub(crate) struct Watch {
    started: Instant,
    time_max: Option<Duration>,
    memory_max_bytes: u64,
    hooks: Hooks,
    why: OnceLock<&'static str>,
}

impl Watch {
    /// Starts the clock.
    pub(crate) fn start(options: &Options) -> Watch {
        Watch {
            started: Instant::now(),
            time_max: options.limits.time_max,
            memory_max_bytes: memory_max_bytes(options),
            hooks: options.hooks.clone(),
            why: OnceLock::new(),
        }
    }

    /// Time since the start.
    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Memory the search may take in all.
    pub(crate) fn memory_max_bytes(&self) -> u64 {
        self.memory_max_bytes
    }

    /// Why the search was stopped, if it was stopped here.
    pub(crate) fn why(&self) -> Option<&'static str> {
        self.why.get().copied()
    }
}

/// The limit that was given, or nine tenths of what can be had.
pub(crate) fn memory_max_bytes(options: &Options) -> u64 {
    let machine = || memory::available_bytes().map_or(u64::MAX, |bytes| bytes / 10 * 9);
    options.limits.memory_max_bytes.unwrap_or_else(machine)
}

impl Observer for Watch {
    fn go_on(&self, progress: &Progress) -> bool {
        let elapsed = self.started.elapsed();
        let why = if self.hooks.interrupt.load(Ordering::Relaxed) {
            "interrupted"
        } else if self.time_max.is_some_and(|limit| elapsed >= limit) {
            "the time limit was reached"
        } else if progress.memory_bytes > self.memory_max_bytes {
            "the memory limit was reached"
        } else {
            if let Some(hear) = &self.hooks.progress {
                hear(progress, elapsed);
            }
            return true;
        };
        let _ = self.why.set(why);
        false
    }
}
