//! The control state, as the growing of sets reads it: where each process stands, and which of its edges are executable.
//! Values of variables are read only through [`crate::set_cache::Answers`], which records every test.

use crate::facts::Layout;
use crate::fast::configuration::Configurations;
use ferrospin_system::{Move, NO_PROCESS};

/// Where a process stands.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ProcessState {
    /// Its number among the process instances.
    pub(crate) instance: u32,
    /// Number of its location.
    pub(crate) location: u32,
    /// Where its words begin in sets of edges.
    pub(crate) base: u32,
    /// How many words it has there.
    pub(crate) words: u32,
    /// Whether one of its edges is executable.
    pub(crate) can_move: bool,
}

/// The control state.
#[derive(Default)]
pub(crate) struct ControlState {
    pub(crate) processes: Vec<ProcessState>,
    /// Executable edges, single ones and halves of handshakes.
    pub(crate) enabled: Vec<u64>,
}

impl ControlState {
    /// Sets the placement and the executable edges.
    pub(crate) fn set(&mut self, layout: &Layout, configurations: &Configurations, state: &[u8], moves: &[Move]) {
        self.processes.clear();
        let mut base = 0;
        for (p, m) in configurations.members().iter().enumerate() {
            let location = configurations.location(layout, state, p);
            let words = layout.locations[location].leaving.len() as u32;
            self.processes.push(ProcessState {
                instance: m.instance,
                location: location as u32,
                base,
                words,
                can_move: false,
            });
            base += words;
        }
        self.enabled.clear();
        self.enabled.resize(base as usize, 0);
        for m in moves {
            self.enable(layout, m.process, m.edge);
            if m.partner != NO_PROCESS {
                self.enable(layout, m.partner, m.partner_edge);
            }
        }
    }

    fn enable(&mut self, layout: &Layout, process: u8, edge: u32) {
        let s = &mut self.processes[usize::from(process)];
        s.can_move = true;
        let place = layout.places[edge as usize];
        self.enabled[(s.base + place / 64) as usize] |= 1 << (place % 64);
    }

    /// Whether an edge of a process is in a set.
    #[inline]
    pub(crate) fn has(&self, set: &[u64], layout: &Layout, process: u8, edge: u32) -> bool {
        let place = layout.places[edge as usize];
        set[(self.processes[usize::from(process)].base + place / 64) as usize] >> (place % 64) & 1 == 1
    }

    /// Whether a move is in a set of edges.
    #[inline]
    pub(crate) fn takes(&self, set: &[u64], layout: &Layout, m: &Move) -> bool {
        self.has(set, layout, m.process, m.edge)
            || m.partner != NO_PROCESS && self.has(set, layout, m.partner, m.partner_edge)
    }
}
