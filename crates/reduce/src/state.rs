//! A state as the growing of sets sees it: where each process stands, and which of its edges are executable. Nothing else of
//! the state is known here; what is asked beyond goes through [`crate::memo::Answers`], which remembers the question.

use crate::cast::Stage;
use crate::facts::Layout;
use ferrospin_system::{Move, NO_PROCESS};

/// A process in a state.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Standing {
    /// Its number among the known processes.
    pub(crate) who: u32,
    /// Number of its location.
    pub(crate) location: u32,
    /// Where its words begin in sets of edges.
    pub(crate) base: u32,
    /// How many words it has there.
    pub(crate) words: u32,
    /// Whether one of its edges is executable.
    pub(crate) can_move: bool,
}

/// What the growing of sets knows of a state.
#[derive(Default)]
pub(crate) struct Scene {
    pub(crate) standing: Vec<Standing>,
    /// Executable edges, alone or as halves of handshakes.
    pub(crate) enabled: Vec<u64>,
}

impl Scene {
    /// Takes note of who is there and who can move.
    pub(crate) fn set(&mut self, layout: &Layout, stage: &Stage, state: &[u8], moves: &[Move]) {
        self.standing.clear();
        let mut base = 0;
        for (p, m) in stage.members().iter().enumerate() {
            let location = stage.location(layout, state, p);
            let words = layout.locations[location].leaving.len() as u32;
            self.standing.push(Standing { who: m.who, location: location as u32, base, words, can_move: false });
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
        let s = &mut self.standing[usize::from(process)];
        s.can_move = true;
        let place = layout.places[edge as usize];
        self.enabled[(s.base + place / 64) as usize] |= 1 << (place % 64);
    }

    /// Whether an edge of a process is in a set.
    #[inline]
    pub(crate) fn has(&self, set: &[u64], layout: &Layout, process: u8, edge: u32) -> bool {
        let place = layout.places[edge as usize];
        set[(self.standing[usize::from(process)].base + place / 64) as usize] >> (place % 64) & 1 == 1
    }

    /// Whether a move is in a set of edges.
    #[inline]
    pub(crate) fn takes(&self, set: &[u64], layout: &Layout, m: &Move) -> bool {
        self.has(set, layout, m.process, m.edge)
            || m.partner != NO_PROCESS && self.has(set, layout, m.partner, m.partner_edge)
    }
}
