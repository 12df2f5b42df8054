//! A worker's place at the gate of a store: what every handle needs of it.
//!
//! Whoever has a seat is waited for by those who want the store for themselves. The seat is left when it is dropped.

use crate::gate::{Chores, Gate, Standing};

/// See the module.
pub(crate) struct Seat<'s> {
    gate: &'s Gate,
    standing: Standing,
}

impl<'s> Seat<'s> {
    /// Waits while chores are being done.
    pub(crate) fn take(gate: &'s Gate) -> Seat<'s> {
        Seat { gate, standing: gate.enter() }
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

    /// Comes to the gate, and does the chores with the others.
    #[cold]
    pub(crate) fn park(&mut self, chores: &dyn Chores) {
        self.standing = self.gate.park(chores);
    }

    /// Makes a newcomer an equal.
    #[cold]
    pub(crate) fn settle(&mut self, chores: &dyn Chores) {
        self.standing = self.gate.settle(chores);
    }

    /// Runs `wait` while its holder is not waited for.
    pub(crate) fn absent(&mut self, wait: &mut dyn FnMut()) {
        self.standing = self.gate.absent(self.standing, wait);
    }
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        self.gate.leave(self.standing);
    }
}
