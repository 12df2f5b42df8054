//! A process that moves beside the others, never among them: a *monitor*, such as a property with variables of its own.
//!
//! Its state stands in a slot of every state. All that [`Machine`] asks for leaves the slot alone, but for the initial state; whoever
//! multiplies the system with the monitor (`search::monitor`) asks what it can do here.

use crate::{Failure, FailureCode, Machine};

/// An edge that a monitor can take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MonitorEdge {
    /// Its number.
    pub edge: u32,
    /// The monitor keeps control behind it: the system waits.
    pub is_atomic: bool,
    /// It does nothing but go to another location ([`Monitored::monitor_goto`]), from which the monitor can go on.
    pub only_goes: bool,
}

/// What a step of a monitor gave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MonitorStep {
    /// What went wrong although there is a successor, first thing only.
    pub failure: Option<FailureCode>,
    /// The monitor keeps control: the system waits.
    pub is_atomic: bool,
}

/// An executor that may have a monitor.
pub trait Monitored: Machine {
    /// Whether there is one.
    fn has_monitor(&self) -> bool;

    /// Whether some edge may be one that [`MonitorEdge::only_goes`].
    fn monitor_may_only_go(&self) -> bool;

    /// Adds the edges that the monitor can take, in order of preference, and what cannot be evaluated. `timeout` says that no process
    /// can move, but for those that wait for just that.
    fn monitor_edges(&mut self, state: &[u8], timeout: bool, edges: &mut Vec<MonitorEdge>, failures: &mut Vec<Failure>);

    /// Takes an edge of the monitor alone, and writes the successor; an error is a failure without one.
    fn monitor_apply(
        &mut self,
        state: &[u8],
        edge: u32,
        timeout: bool,
        out: &mut Vec<u8>,
    ) -> Result<MonitorStep, FailureCode>;

    /// Writes into a state where the monitor stands behind an edge.
    fn monitor_goto(&self, state: &mut [u8], edge: u32);

    /// Whether the monitor stands where runs that come there again and again are accepted.
    fn monitor_accepts(&self, state: &[u8]) -> bool;
}
