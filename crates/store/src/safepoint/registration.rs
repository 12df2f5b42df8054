//! A worker's registration at the safe points of a store, held by its handle.
//!
//! A stop waits for every registered worker. Dropping the registration ends it.

use crate::safepoint::gate::{Gate, Maintenance, Standing};

/// See the module.
pub(crate) struct Registration<'s> {
    gate: &'s Gate,
    standing: Standing,
}

impl<'s> Registration<'s> {
    /// Registers a worker; waits while maintenance is under way.
    pub(crate) fn enter(gate: &'s Gate) -> Registration<'s> {
        Registration { gate, standing: gate.enter() }
    }

    /// What this worker may assume of the others.
    #[inline(always)]
    pub(crate) fn standing(&self) -> Standing {
        self.standing
    }

    /// Whether a stop was requested.
    #[inline(always)]
    pub(crate) fn wanted(&self) -> bool {
        self.gate.wanted()
    }

    /// Requests a stop of all workers. Returns at once.
    #[cold]
    pub(crate) fn request(&self) {
        self.gate.request();
    }

    /// Parks, and does the maintenance with the others.
    #[cold]
    pub(crate) fn park(&mut self, maintenance: &dyn Maintenance) {
        self.standing = self.gate.park(maintenance);
    }

    /// Ends the exclusive standing of another worker.
    #[cold]
    pub(crate) fn synchronize(&mut self, maintenance: &dyn Maintenance) {
        self.standing = self.gate.synchronize(maintenance);
    }

    /// Runs `wait` while no stop waits for this worker.
    pub(crate) fn absent(&mut self, wait: &mut dyn FnMut()) {
        self.standing = self.gate.absent(self.standing, wait);
    }
}

impl Drop for Registration<'_> {
    fn drop(&mut self) {
        self.gate.leave(self.standing);
    }
}
