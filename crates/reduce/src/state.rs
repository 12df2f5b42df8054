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
    /// Place of its location in its type.
    pub(crate) place: u32,
    /// Offset of its frame.
    pub(crate) frame: u32,
    /// All edges at its location.
    pub(crate) all: u64,
    /// Those that are executable, alone or as half of a handshake.
    pub(crate) enabled: u64,
}

/// Reads who is there, and who can move. Says no where the moves leave nothing to choose: somebody moves who is no
/// process.
pub(crate) fn read<F: Facts>(rows: &mut Rows<F>, state: &[u8], moves: &[Move], out: &mut Vec<Standing>) -> bool {
    out.clear();
    let facts = rows.facts().clone();
    let layout = facts.layout();
    let size = layout.location_size as usize;
    let mut at = layout.fixed_size as usize;
    while at < state.len() {
        let mut number = [0; 4];
        number[..size].copy_from_slice(&state[at..at + size]);
        let location = u32::from_le_bytes(number);
        let l = &layout.locations[location as usize];
        let frame_size = layout.processes[l.process as usize].frame_size as usize;
        let who = rows.find(l.process, out.len() as u8, &state[at..at + frame_size]);
        let all = if l.edges.len() >= 64 { u64::MAX } else { (1 << l.edges.len()) - 1 };
        out.push(Standing { who, location, place: l.place, frame: at as u32, all, enabled: 0 });
        at += frame_size;
    }
    for m in moves {
        if m.process == NO_PROCESS || m.timeout {
            return false;
        }
        out[usize::from(m.process)].enabled |= bit(layout, m.edge);
        if m.partner != NO_PROCESS {
            out[usize::from(m.partner)].enabled |= bit(layout, m.partner_edge);
        }
    }
    true
}

/// The bit of an edge at its location.
#[inline]
pub(crate) fn bit(layout: &Layout, edge: u32) -> u64 {
    1 << layout.edges[edge as usize].0
}

/// Whether a conjunct is surely false.
#[inline]
pub(crate) fn is_false(test: Test, state: &[u8], frame: u32, is_youngest: bool) -> bool {
    match test {
        Test::Compare { local, offset, size, signed, op, value } => {
            let at = (offset + if local { frame } else { 0 }) as usize;
            let number = match size {
                1 => i32::from(state[at]),
                2 if signed => i32::from(i16::from_le_bytes([state[at], state[at + 1]])),
                2 => i32::from(u16::from_le_bytes([state[at], state[at + 1]])),
                _ => i32::from_le_bytes([state[at], state[at + 1], state[at + 2], state[at + 3]]),
            };
            !op.holds(number, value)
        }
        Test::Youngest => !is_youngest,
        Test::Unknown => false,
    }
}
