//! Ample sets of a single process that is independent of all others.
//!
//! The set of a process holds every edge at its location. It is ample (D. Peled 1993; SPIN's reduction since G. Holzmann
//! and D. Peled 1994) if what the process can do there accords with whatever the others may still do, and what it cannot
//! do yet cannot be brought about by the others. SPIN marks statements as private once, at compile time; here the test takes
//! into account which processes exist and where they stand: every set of SPIN, except for unsound ones, is found here.
//!
//! Cost: some ten instructions for each process, and for each move that is tested.

use crate::fact_rows::{ENDS, FactRows, NOTHING};
use crate::facts::{EdgeKind, Facts, Layout, Test};
use crate::fast::configuration::Configurations;
use crate::fast::interference::CandidateMask;
use crate::stubborn::{Keep, Weakening};
use ferrospin_system::{Move, Offer};
use std::ops::Range;

/// What the test of a candidate reads.
pub(crate) struct SingleProcess<'a, F: Facts> {
    pub(crate) layout: &'a Layout,
    pub(crate) rows: &'a mut FactRows<F>,
    pub(crate) configurations: &'a mut Configurations,
    pub(crate) keep: Keep,
    pub(crate) weakening: Weakening,
    pub(crate) state: &'a [u8],
    /// Whether values of variables were read, and made a difference.
    pub(crate) tests_values: bool,
}

/// Some processes that can move are undecided: all that can, and those whose only move is private.
pub(crate) struct Undecided {
    movers: u32,
    favourites: u32,
}

/// The moves of the process that goes first among those that need no other, if there is one, by the mask of a state.
#[inline(always)]
pub(crate) fn pick(moves: &[Move], mask: &CandidateMask) -> Result<Option<(Range<usize>, usize)>, Undecided> {
    let (mut movers, mut several) = (0, 0);
    for m in moves {
        let bit = 1u32 << (m.process % 32);
        several |= movers & bit;
        movers |= bit;
    }
    let favourites = mask.private & !several;
    if mask.undecided & movers != 0 {
        return Err(Undecided { movers, favourites });
    }
    let independent = mask.independent & movers;
    let best = if independent & favourites != 0 { independent & favourites } else { independent };
    let Some(process) = best.checked_ilog2() else { return Ok(None) };
    let range = if several == 0 {
        let younger = (movers >> process >> 1).count_ones() as usize;
        younger..younger + 1
    } else {
        range_of(moves, process as usize)
    };
    Ok(Some((range, process as usize)))
}

/// The range of the moves of a process. Counted without a branch, because it would be mispredicted.
pub(crate) fn range_of(moves: &[Move], process: usize) -> Range<usize> {
    debug_assert!(moves.is_sorted_by(|a, b| a.process >= b.process), "youngest first");
    let (mut start, mut end) = (0, 0);
    for m in moves {
        start += usize::from(usize::from(m.process) > process);
        end += usize::from(usize::from(m.process) >= process);
    }
    start..end
}

impl<F: Facts> SingleProcess<'_, F> {
    /// What one process can do, for a process that needs no other, as a range of the moves; with a flag
    /// that is true when it needs no proviso. SPIN's favourites, single steps that are private, go before the others, and the youngest before the
    /// older ones.
    #[inline(always)]
    pub(crate) fn first(&mut self, moves: &[Move]) -> Option<(Range<usize>, bool)> {
        match self.look() {
            Some(mask) => self.first_by_mask(moves, mask),
            None => self.first_by_search(moves),
        }
    }

    /// The same with a mask of the interference matrix.
    #[inline(always)]
    fn first_by_mask(&mut self, moves: &[Move], mask: CandidateMask) -> Option<(Range<usize>, bool)> {
        let (range, process) = match pick(moves, &mask) {
            Ok(found) => found?,
            Err(Undecided { movers, favourites }) => {
                let process = self.first_undecided(moves, mask, movers, favourites)?.into();
                (range_of(moves, process), process)
            }
        };
        Some((range, self.is_free(process, &Some(mask))))
    }

    /// The process, where some that can move are undecided.
    fn first_undecided(&mut self, moves: &[Move], mask: CandidateMask, movers: u32, favourites: u32) -> Option<u8> {
        let (mut left, mut other) = ((mask.independent | mask.undecided) & movers, None);
        while let Some(process) = left.checked_ilog2() {
            let bit = 1 << process;
            left &= !bit;
            let range = range_of(moves, process as usize);
            if mask.undecided & bit != 0 && !self.is_ample(process as usize, &moves[range]) {
                continue;
            }
            if favourites & bit != 0 {
                return Some(process as u8);
            }
            // Behind the first one only favourites count.
            other = other.or(Some(process as u8));
            left &= favourites;
        }
        other
    }

    /// The same without a mask.
    fn first_by_search(&mut self, moves: &[Move]) -> Option<(Range<usize>, bool)> {
        let (mut at, mut other) = (0, None);
        while let Some((range, process)) = self.next(moves, &mut at, &None) {
            if range.len() == 1 && self.is_private(process) {
                return Some((range, self.is_free(process, &None)));
            }
            other = other.or(Some((range, process)));
        }
        other.map(|(range, process)| (range, self.is_free(process, &None)))
    }

    /// Offers what one process can do, for each process that needs no other, youngest first. Sets behind one
    /// that needs no proviso are left out.
    pub(crate) fn offer(&mut self, moves: &[Move], out: &mut Offer) {
        let seen = self.look();
        let mut at = 0;
        while let Some((range, process)) = self.next(moves, &mut at, &seen) {
            let free = self.is_free(process, &seen);
            out.push_range(range, free);
            if free {
                return;
            }
        }
    }

    /// The mask of the interference matrix, if there is one.
    #[inline(always)]
    fn look(&mut self) -> Option<CandidateMask> {
        if self.weakening != Weakening::default() {
            return None;
        }
        self.configurations.look(self.layout, self.rows, self.state, self.keep == Keep::Visible)
    }

    /// The moves of the next process that needs no other, from `at` on.
    fn next(&mut self, moves: &[Move], at: &mut usize, seen: &Option<CandidateMask>) -> Option<(Range<usize>, usize)> {
        debug_assert!(moves.is_sorted_by(|a, b| a.process >= b.process), "youngest first");
        let (independent, undecided) = seen.map_or((0, u32::MAX), |mask| (mask.independent, mask.undecided));
        let is_in = |bits: u32, process: u8| bits >> (process % 32) & 1 == 1;
        while let Some(Move { process, .. }) = moves.get(*at) {
            let (start, process) = (*at, *process);
            *at += 1;
            if !is_in(independent | undecided, process) {
                continue;
            }
            while moves.get(*at).is_some_and(|m| m.process == process) {
                *at += 1;
            }
            if is_in(independent, process) || self.is_ample(process.into(), &moves[start..*at]) {
                return Some((start..*at, process.into()));
            }
        }
        None
    }

    /// Whether all that a process may do at its location is private.
    fn is_private(&self, process: usize) -> bool {
        let location = self.configurations.location(self.layout, self.state, process) as u32;
        self.rows.is_private(self.layout, self.configurations.members()[process].instance, location)
    }

    /// Whether the edges at the location of a process, of which these are executable, are an ample set.
    fn is_ample(&mut self, process: usize, own: &[Move]) -> bool {
        let interferes = loop {
            match self.configurations.interferes(self.layout, own) {
                Ok(answer) => break answer,
                Err(unknown) => self.ask(process, own[unknown].edge),
            }
        };
        !interferes && self.others_stay(process, own)
    }

    /// Computes which positions interfere with an edge.
    #[cold]
    fn ask(&mut self, process: usize, edge: u32) {
        let unseen = self.keep == Keep::Visible && !self.weakening.no_visibility;
        let place = self.layout.places[edge as usize];
        let edge =
            &mut self.rows.instances[self.configurations.members()[process].instance as usize].edges[place as usize];
        // A handshake is a step of two.
        let barred = edge.kind != EdgeKind::Plain || unseen && edge.visible;
        if self.weakening.no_conflicts {
            edge.conflicts = NOTHING;
        }
        self.configurations.find_conflicts(self.rows, process, place, barred);
    }

    /// Whether those edges at the location of a process that are not executable stay so.
    #[inline]
    fn others_stay(&mut self, process: usize, own: &[Move]) -> bool {
        let layout = self.layout;
        let location = self.configurations.location(layout, self.state, process);
        layout.locations[location].leaving.iter().enumerate().all(|(w, word)| {
            let mut bits = *word;
            for m in own {
                let place = layout.places[m.edge as usize] as usize;
                if place / 64 == w {
                    bits &= !(1 << (place % 64));
                }
            }
            while bits != 0 {
                let place = w * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                if !self.stays_disabled(process, place) {
                    return false;
                }
            }
            true
        })
    }

    /// Whether an edge that cannot be taken stays so, whatever the others do: a conjunct that is false must become true,
    /// and that one they cannot make true.
    fn stays_disabled(&mut self, process: usize, place: usize) -> bool {
        let instance = self.configurations.members()[process].instance as usize;
        let edge = &self.rows.instances[instance].edges[place];
        let (kind, partners, count) = (edge.kind, edge.partners, edge.conjuncts.len());
        match kind {
            EdgeKind::Unknown | EdgeKind::Either => return false,
            EdgeKind::Handshake => return !self.configurations.others_reach(self.rows, partners, process),
            // As long as something can be done it stays as it is.
            EdgeKind::Timeout => return true,
            EdgeKind::Plain if self.weakening.no_enabling => return true,
            EdgeKind::Plain => {}
        }
        let (mut waits, mut is_false, mut tests_values) = (false, false, false);
        for i in 0..count {
            let (test, goal) = self.rows.instances[instance].edges[place].conjuncts[i];
            let may_change = match test {
                Test::Youngest => self.youngest_may_end(),
                _ => self.configurations.others_reach(self.rows, goal, process),
            };
            if may_change {
                waits = true;
                continue;
            }
            let members = self.configurations.members();
            tests_values |= matches!(test, Test::Compare { .. });
            is_false |= test.is_false(self.state, members[process].frame, process + 1 == members.len());
        }
        self.tests_values |= tests_values && waits;
        // If it is not known which one is false, but none of them can change, the edge stays disabled as well.
        is_false || !waits
    }

    /// Whether the youngest process may come to its end.
    fn youngest_may_end(&mut self) -> bool {
        let youngest = self.configurations.members().len() - 1;
        let location = self.configurations.location(self.layout, self.state, youngest);
        let reachable = &self.layout.locations[location].reachable;
        self.rows
            .row(ENDS, self.configurations.members()[youngest].instance)
            .is_some_and(|row| reachable.iter().zip(&self.rows.words[row..]).any(|(a, b)| a & b != 0))
    }

    /// Whether the set of a process needs no proviso: no other process does anything that must not be postponed.
    #[inline(always)]
    fn is_free(&mut self, process: usize, seen: &Option<CandidateMask>) -> bool {
        match (self.keep, seen) {
            _ if self.weakening.all_free => true,
            (keep, Some(mask)) => keep.is_free(mask, process),
            (Keep::Deadlocks, _) => true,
            (Keep::Failures, None) => !self.configurations.others_reach_observed(self.rows, process),
            (Keep::Visible, _) => false,
        }
    }
}
