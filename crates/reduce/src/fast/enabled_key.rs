//! The enabled moves of a state as a 128-bit key, given the placement.
//!
//! Given where the processes stand, so few edges leave the location of a process that one byte names the process and the edge:
//! each process has as many digits as edges leave any of its locations.

use crate::facts::Layout;
use ferrospin_system::{Move, NO_EDGE};

/// Most moves of a key.
pub(crate) const ENABLED_MAX: usize = 16;
/// Most processes of a configuration with keys.
pub(crate) const PROCESSES_MAX: usize = 32;

/// A digit for each move, and zeros behind them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct EnabledKey(u64, u64);

impl EnabledKey {
    /// No moves.
    pub(crate) const NONE: EnabledKey = EnabledKey(0, 0);

    /// The first `count` of these digits.
    #[inline(always)]
    pub(crate) fn new(digits: &[u8; ENABLED_MAX], count: u32) -> EnabledKey {
        let all = u128::from_le_bytes(*digits);
        let below = |count: u32| !u64::MAX.unbounded_shl(8 * count);
        EnabledKey(all as u64 & below(count), (all >> 64) as u64 & below(count.saturating_sub(8)))
    }

    /// Mixes them with a number, to as many bits.
    #[inline(always)]
    pub(crate) fn mix(self, number: u64, bits: u32) -> usize {
        let mixed = (number ^ self.0.rotate_left(23)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed ^ self.1 ^ mixed >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> (64 - bits)) as usize
    }
}

/// The part of the digits that depends only on the program.
pub(crate) struct EdgeRanks {
    /// By edge, how many edges stand before it that leave the same location.
    edges: Vec<u8>,
    /// By process type, how many edges leave one of its locations at most.
    degrees: Vec<u32>,
}

/// Where the digits of each process begin.
pub(crate) type Bases = [u8; PROCESSES_MAX];

impl EdgeRanks {
    pub(crate) fn new(layout: &Layout) -> EdgeRanks {
        let mut edges = vec![0; layout.places.len()];
        let degrees = layout.processes.iter().map(|process| {
            let mut leaving = vec![0u32; layout.locations.len()];
            for (edge, from) in process.edges.iter().zip(&process.from) {
                edges[*edge as usize] = leaving[*from as usize] as u8;
                leaving[*from as usize] += 1;
            }
            leaving.into_iter().max().unwrap_or(0)
        });
        let degrees = degrees.collect();
        EdgeRanks { edges, degrees }
    }

    /// Where the digits of processes of these types begin, if there are enough of them.
    pub(crate) fn bases(&self, types: impl Iterator<Item = u32>) -> Option<Bases> {
        let (mut bases, mut next) = ([0; PROCESSES_MAX], 1);
        for (i, kind) in types.enumerate() {
            *bases.get_mut(i)? = u8::try_from(next).ok()?;
            next += self.degrees[kind as usize];
        }
        (next <= 1 << u8::BITS).then_some(bases)
    }

    /// The digit of a move, if the move is one that needs no more.
    #[inline(always)]
    pub(crate) fn digit(&self, bases: &Bases, m: &Move) -> (u8, bool) {
        let rank = self.edges.get(m.edge as usize).copied().unwrap_or(0);
        let is_plain = !m.timeout & (m.property == NO_EDGE) & (usize::from(m.process) < PROCESSES_MAX);
        (bases[usize::from(m.process) % PROCESSES_MAX].wrapping_add(rank), is_plain)
    }

    /// The digits of some moves, if all have some.
    pub(crate) fn list(&self, bases: &Bases, moves: &[Move]) -> Option<EnabledKey> {
        let mut digits = [0; ENABLED_MAX];
        if moves.len() > ENABLED_MAX {
            return None;
        }
        for (to, m) in digits.iter_mut().zip(moves) {
            let (digit, is_plain) = self.digit(bases, m);
            *to = is_plain.then_some(digit)?;
        }
        Some(EnabledKey::new(&digits, moves.len() as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Process;

    #[test]
    fn lists_stand_for_moves_and_nothing_else() {
        // Two types: one with locations of two edges and one, and one with three edges at its only location.
        let process = |edges: Vec<u32>, from: Vec<u32>| Process { edges, from, ..Process::default() };
        let processes = vec![process(vec![0, 1, 2], vec![0, 0, 1]), process(vec![3, 4, 5], vec![2, 2, 2])];
        let locations = vec![Default::default(); 3];
        let layout = Layout { places: vec![0, 1, 2, 0, 1, 2], processes, locations, ..Layout::default() };
        let ranks = EdgeRanks::new(&layout);
        assert_eq!((ranks.edges.as_slice(), ranks.degrees.as_slice()), (&[0, 1, 0, 0, 1, 2][..], &[2, 3][..]));
        let bases = ranks.bases([0, 1, 1].into_iter()).expect("eight digits");
        // All that these processes can do at their locations: sets of moves, youngest first.
        let can = |process: u8, edges: [u32; 3]| {
            move |set: u32| {
                (0..3).filter(move |i| set >> i & 1 == 1).map(move |i| Move::single(process, edges[i as usize]))
            }
        };
        let (young, middle, old) = (can(2, [3, 4, 5]), can(1, [3, 4, 5]), can(0, [0, 1, 1]));
        let mut seen = std::collections::HashSet::new();
        for set in 0..256 {
            let moves: Vec<Move> = young(set & 7).chain(middle(set >> 3 & 7)).chain(old(set >> 6)).collect();
            assert!(seen.insert(format!("{:?}", ranks.list(&bases, &moves).expect("few plain moves"))), "{set}");
        }
        // Too many moves, moves that need more, too many digits, too many processes.
        assert_eq!(ranks.list(&bases, &[Move::single(0, 0); ENABLED_MAX + 1]), None);
        assert_eq!(ranks.list(&bases, &[Move { timeout: true, ..Move::single(0, 0) }]), None);
        assert_eq!(ranks.list(&bases, &[Move { property: 0, ..Move::single(0, 0) }]), None);
        assert!(ranks.bases(std::iter::repeat_n(0, PROCESSES_MAX)).is_some());
        assert!(ranks.bases(std::iter::repeat_n(0, PROCESSES_MAX + 1)).is_none());
        let wide = EdgeRanks { edges: Vec::new(), degrees: vec![255, 256, 1] };
        assert!(wide.bases([0].into_iter()).is_some() && wide.bases([1].into_iter()).is_none());
        assert!(wide.bases([0, 2].into_iter()).is_none() && wide.bases([2, 2].into_iter()).is_some());
    }
}
