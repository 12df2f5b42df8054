//! How callers end what takes too long.

use thiserror::Error;

/// Asked now and then by everything that may take long.
pub trait Watch {
    /// Whether to go on; `states` is how many were made or looked at so far.
    fn go_on(&self, states: u64) -> bool;
}

/// Goes on for ever.
#[derive(Clone, Copy, Debug)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn go_on(&self, _: u64) -> bool {
        true
    }
}

/// The watch said no.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("stopped before the end")]
pub struct Stopped;

/// Counts, and asks a watch once in a while.
pub(crate) struct Pace<'a> {
    watch: &'a dyn Watch,
    count: u64,
    next: u64,
}

const EVERY: u64 = 1 << 14;

impl<'a> Pace<'a> {
    pub(crate) fn new(watch: &'a dyn Watch) -> Self {
        Pace { watch, count: 0, next: EVERY }
    }

    /// So much more was done.
    pub(crate) fn add(&mut self, count: usize) -> Result<(), Stopped> {
        self.count += count as u64;
        if self.count < self.next {
            return Ok(());
        }
        self.next = self.count + EVERY;
        if self.watch.go_on(self.count) { Ok(()) } else { Err(Stopped) }
    }
}
