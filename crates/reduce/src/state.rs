//! A state as the reduction sees it: where each process stands, and which of its edges are executable.

use crate::facts::{Facts, Layout, Test};
use crate::rows::Rows;
use ferrospin_system::{Move, NO_PROCESS};

/// A process in a state.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Standing {
    /// Its number among the known processes.
    pub(crate) who: u32,
    /// Number of its location.
    pub(crate) location: u32,
    /// Offset of its frame.
    pub(crate) frame: u32,
    /// Where its words begin in sets of edges.
    pub(crate) base: u32,
    /// How many words it has there.
    pub(crate) words: u32,
    /// Whether one of its edges is executable.
    pub(crate) can_move: bool,
}

/// What a reduction knows of a state.
#[derive(Default)]
pub(crate) struct Scene {
    pub(crate) standing: Vec<Standing>,
    /// Executable edges, alone or as halves of handshakes.
    pub(crate) enabled: Vec<u64>,
}

impl Scene {
    /// Reads who is there.
    pub(crate) fn read<F: Facts>(&mut self, layout: &Layout, rows: &mut Rows<F>, state: &[u8]) {
        self.standing.clear();
        let size = layout.location_size as usize;
        let (mut at, mut base) = (layout.fixed_size as usize, 0);
        while at < state.len() {
            let mut number = [0; 4];
            number[..size].copy_from_slice(&state[at..at + size]);
            let location = u32::from_le_bytes(number);
            let l = &layout.locations[location as usize];
            let frame_size = layout.processes[l.process as usize].frame_size as usize;
            let who = rows.find(l.process, self.standing.len() as u8, &state[at..at + frame_size]);
            let words = l.leaving.len() as u32;
            self.standing.push(Standing { who, location, frame: at as u32, base, words, can_move: false });
            base += words;
            at += frame_size;
        }
    }

    /// Tells the facts when there are more processes than they have thought of.
    #[inline]
    pub(crate) fn count<F: Facts>(&mut self, layout: &Layout, rows: &mut Rows<F>, state: &[u8]) {
        if layout.crowd_max < u32::from(u8::MAX) {
            self.read(layout, rows, state);
            if self.standing.len() as u32 > layout.crowd_max {
                rows.facts().crowded();
            }
        }
    }

    /// Notes who can move.
    pub(crate) fn enable(&mut self, layout: &Layout, moves: &[Move]) {
        let words = self.standing.last().map_or(0, |s| s.base + s.words);
        self.enabled.clear();
        self.enabled.resize(words as usize, 0);
        for m in moves {
            self.set(layout, m.process, m.edge);
            if m.partner != NO_PROCESS {
                self.set(layout, m.partner, m.partner_edge);
            }
        }
    }

    fn set(&mut self, layout: &Layout, process: u8, edge: u32) {
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

    /// Whether a conjunct of a process is surely false.
    #[inline]
    pub(crate) fn is_false(&self, test: Test, process: usize, state: &[u8]) -> bool {
        match test {
            Test::Compare { local, offset, size, signed, op, value } => {
                let at = (offset + if local { self.standing[process].frame } else { 0 }) as usize;
                let number = match size {
                    1 => i32::from(state[at]),
                    2 if signed => i32::from(i16::from_le_bytes([state[at], state[at + 1]])),
                    2 => i32::from(u16::from_le_bytes([state[at], state[at + 1]])),
                    _ => i32::from_le_bytes([state[at], state[at + 1], state[at + 2], state[at + 3]]),
                };
                !op.holds(number, value)
            }
            Test::Youngest => process + 1 != self.standing.len(),
            Test::Unknown => false,
        }
    }
}
