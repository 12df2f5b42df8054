//! A worker's place at the gate of a store: what every handle needs of it.
//!
//! Whoever has a seat is waited for by those who want the store for themselves. The seat is left when it is dropped.

use crate::safepoint::gate::{Gate, Maintenance, Standing};

/// See the module.
pub(crate) struct Registration<'s> {
    gate: &'s Gate,
    standing: Standing,
}

impl<'s> Registration<'s> {
    /// Waits while maintenance are being done.
    pub(crate) fn enter(gate: &'s Gate) -> Registration<'s> {
        Registration { gate, standing: gate.enter() }
    }

    /// What its holder may assume of the others.
    #[inline(always)]
    pub(crate) fn standing(&self) -> Standing {
        self.standing
    }

    /// Whether somebody wants all workers at the gate.
    #[inline(always)]
    pub(crate) fn wanted(&self) -> bool {
        self.gate.wanted()
    }

    /// Asks all workers to come to the gate. Returns at once.
    #[cold]
    pub(crate) fn request(&self) {
        self.gate.request();
    }

    /// Comes to the gate, and does the maintenance with the others.
    #[cold]
    pub(crate) fn park(&mut self, maintenance: &dyn Maintenance) {
        self.standing = self.gate.park(maintenance);
    }

    /// Makes a newcomer an equal.
    #[cold]
    pub(crate) fn synchronize(&mut self, maintenance: &dyn Maintenance) {
        self.standing = self.gate.synchronize(maintenance);
    }

    /// Runs `wait` while its holder is not waited for.
    pub(crate) fn absent(&mut self, wait: &mut dyn FnMut()) {
        self.standing = self.gate.absent(self.standing, wait);
    }
}

impl Drop for Registration<'_> {
    fn drop(&mut self) {
        self.gate.leave(self.standing);
    }
}
