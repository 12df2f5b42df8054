//! Ample sets: all that one process can do, where nobody else matters.
//!
//! The set of a process holds every edge at its location. It is ample (D. Peled 1993; SPIN's reduction since G. Holzmann
//! and D. Peled 1994) if what the process can do there accords with whatever the others may still do, and what it cannot
//! do yet cannot be brought about by the others. Where SPIN marks statements as private once and for all, the processes
//! that exist are asked, and where they stand: whatever SPIN may take, except for what is unsound about it, is taken here.
//!
//! Cost: some ten instructions for each process, and for each move that is looked at.

use crate::cast::Stage;
use crate::facts::{EdgeKind, Facts, Layout, Test};
use crate::matrix::Sight;
use crate::rows::{ENDS, NOTHING, Rows};
use crate::stubborn::{Keep, Weakening};
use ferrospin_system::{Move, Offer};
use std::ops::Range;

/// What a candidate is looked at with.
pub(crate) struct Alone<'a, F: Facts> {
    pub(crate) layout: &'a Layout,
    pub(crate) rows: &'a mut Rows<F>,
    pub(crate) stage: &'a mut Stage,
    pub(crate) keep: Keep,
    pub(crate) weakening: Weakening,
    pub(crate) state: &'a [u8],
    /// Whether values of variables were asked for, and made a difference.
    pub(crate) asks: bool,
}

/// Of some who can move it is not clear whether they are alone: all who can, and for whom a single step is private.
pub(crate) struct Unclear {
    movers: u32,
    favourites: u32,
}

/// The moves of the process that goes first among those that need no other, if there is one, by what was seen of a state.
#[inline(always)]
pub(crate) fn pick(moves: &[Move], sight: &Sight) -> Result<Option<(Range<usize>, usize)>, Unclear> {
    let (mut movers, mut several) = (0, 0);
    for m in moves {
        let bit = 1u32 << (m.process % 32);
        several |= movers & bit;
        movers |= bit;
    }
    let favourites = sight.private & !several;
    if sight.unclear & movers != 0 {
        return Err(Unclear { movers, favourites });
    }
    let alone = sight.alone & movers;
    let best = if alone & favourites != 0 { alone & favourites } else { alone };
    let Some(process) = best.checked_ilog2() else { return Ok(None) };
    let range = if several == 0 {
        let younger = (movers >> process >> 1).count_ones() as usize;
        younger..younger + 1
    } else {
        range_of(moves, process as usize)
    };
    Ok(Some((range, process as usize)))
}

/// Where the moves of a process stand. Counted without a branch, because that cannot be foreseen.
pub(crate) fn range_of(moves: &[Move], process: usize) -> Range<usize> {
    debug_assert!(moves.is_sorted_by(|a, b| a.process >= b.process), "youngest first");
    let (mut start, mut end) = (0, 0);
    for m in moves {
        start += usize::from(usize::from(m.process) > process);
        end += usize::from(usize::from(m.process) >= process);
    }
    start..end
}

impl<F: Facts> Alone<'_, F> {
    /// What one process can do, for a process that needs no other, as a range of the moves; whether it needs no proviso
    /// stands beside. SPIN's favourites, single steps that are private, go before the others, and the youngest before the
    /// older ones.
    #[inline(always)]
    pub(crate) fn first(&mut self, moves: &[Move]) -> Option<(Range<usize>, bool)> {
        match self.look() {
            Some(sight) => self.first_seen(moves, sight),
            None => self.first_sought(moves),
        }
    }

    /// The same where all processes were seen at a glance.
    #[inline(always)]
    fn first_seen(&mut self, moves: &[Move], sight: Sight) -> Option<(Range<usize>, bool)> {
        let (range, process) = match pick(moves, &sight) {
            Ok(found) => found?,
            Err(Unclear { movers, favourites }) => {
                let process = self.first_unclear(moves, sight, movers, favourites)?.into();
                (range_of(moves, process), process)
            }
        };
        Some((range, self.is_free(process, &Some(sight))))
    }

    /// The process, where it is not clear of all who can move whether they are alone.
    fn first_unclear(&mut self, moves: &[Move], sight: Sight, movers: u32, favourites: u32) -> Option<u8> {
        let (mut left, mut other) = ((sight.alone | sight.unclear) & movers, None);
        while let Some(process) = left.checked_ilog2() {
            let bit = 1 << process;
            left &= !bit;
            let range = range_of(moves, process as usize);
            if sight.unclear & bit != 0 && !self.is_ample(process as usize, &moves[range]) {
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

    /// The same where processes are looked at one by one.
    fn first_sought(&mut self, moves: &[Move]) -> Option<(Range<usize>, bool)> {
        let (mut at, mut other) = (0, None);
        while let Some((range, process)) = self.next(moves, &mut at, &None) {
            if range.len() == 1 && self.is_private(process) {
                return Some((range, self.is_free(process, &None)));
            }
            other = other.or(Some((range, process)));
        }
        other.map(|(range, process)| (range, self.is_free(process, &None)))
    }

    /// Offers what one process can do, for each process that needs no other, youngest first. Whatever comes behind a set
    /// that needs no proviso is left out.
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

    /// Sees who is alone, as far as all processes are seen at a glance.
    #[inline(always)]
    fn look(&mut self) -> Option<Sight> {
        if self.weakening != Weakening::default() {
            return None;
        }
        self.stage.look(self.layout, self.rows, self.state, self.keep == Keep::Visible)
    }

    /// The moves of the next process that needs no other, from `at` on.
    fn next(&mut self, moves: &[Move], at: &mut usize, seen: &Option<Sight>) -> Option<(Range<usize>, usize)> {
        debug_assert!(moves.is_sorted_by(|a, b| a.process >= b.process), "youngest first");
        let (alone, unclear) = seen.map_or((0, u32::MAX), |sight| (sight.alone, sight.unclear));
        let is_in = |bits: u32, process: u8| bits >> (process % 32) & 1 == 1;
        while let Some(Move { process, .. }) = moves.get(*at) {
            let (start, process) = (*at, *process);
            *at += 1;
            if !is_in(alone | unclear, process) {
                continue;
            }
            while moves.get(*at).is_some_and(|m| m.process == process) {
                *at += 1;
            }
            if is_in(alone, process) || self.is_ample(process.into(), &moves[start..*at]) {
                return Some((start..*at, process.into()));
            }
        }
        None
    }

    /// Whether all that a process may do at its location is about its own variables, and ends of channels that it has
    /// claimed.
    fn is_private(&self, process: usize) -> bool {
        let location = self.stage.location(self.layout, self.state, process) as u32;
        self.rows.is_private(self.layout, self.stage.members()[process].who, location)
    }

    /// Whether the edges at the location of a process, of which these are executable, are an ample set.
    fn is_ample(&mut self, process: usize, own: &[Move]) -> bool {
        let disturbs = loop {
            match self.stage.disturbs(self.layout, own) {
                Ok(answer) => break answer,
                Err(unknown) => self.ask(process, own[unknown].edge),
            }
        };
        !disturbs && self.others_stay(process, own)
    }

    /// Finds out who may disturb an edge.
    #[cold]
    fn ask(&mut self, process: usize, edge: u32) {
        let unseen = self.keep == Keep::Visible && !self.weakening.no_visibility;
        let place = self.layout.places[edge as usize];
        let edge = &mut self.rows.known[self.stage.members()[process].who as usize].edges[place as usize];
        // A handshake is a step of two.
        let barred = edge.kind != EdgeKind::Plain || unseen && edge.visible;
        if self.weakening.no_conflicts {
            edge.conflicts = NOTHING;
        }
        self.stage.ask_conflicts(self.rows, process, place, barred);
    }

    /// Whether those edges at the location of a process that are not executable stay so.
    #[inline]
    fn others_stay(&mut self, process: usize, own: &[Move]) -> bool {
        let layout = self.layout;
        let location = self.stage.location(layout, self.state, process);
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
        let who = self.stage.members()[process].who as usize;
        let edge = &self.rows.known[who].edges[place];
        let (kind, partners, count) = (edge.kind, edge.partners, edge.conjuncts.len());
        match kind {
            EdgeKind::Unknown | EdgeKind::Either => return false,
            EdgeKind::Rendezvous => return !self.stage.meets(self.rows, partners, process),
            // As long as something can be done it stays as it is.
            EdgeKind::Timeout => return true,
            EdgeKind::Plain if self.weakening.no_enabling => return true,
            EdgeKind::Plain => {}
        }
        let (mut waits, mut is_false, mut asks) = (false, false, false);
        for i in 0..count {
            let (test, goal) = self.rows.known[who].edges[place].conjuncts[i];
            let may_change = match test {
                Test::Youngest => self.youngest_may_end(),
                _ => self.stage.meets(self.rows, goal, process),
            };
            if may_change {
                waits = true;
                continue;
            }
            let members = self.stage.members();
            asks |= matches!(test, Test::Compare { .. });
            is_false |= test.is_false(self.state, members[process].frame, process + 1 == members.len());
        }
        self.asks |= asks && waits;
        // Where which one is false could not be told, but none of them can change, it stays so as well.
        is_false || !waits
    }

    /// Whether the youngest process may come to its end.
    fn youngest_may_end(&mut self) -> bool {
        let youngest = self.stage.members().len() - 1;
        let location = self.stage.location(self.layout, self.state, youngest);
        let reachable = &self.layout.locations[location].reachable;
        self.rows
            .row(ENDS, self.stage.members()[youngest].who)
            .is_some_and(|row| reachable.iter().zip(&self.rows.words[row..]).any(|(a, b)| a & b != 0))
    }

    /// Whether the set of a process needs no proviso: nobody else does anything that must not be put off.
    #[inline(always)]
    fn is_free(&mut self, process: usize, seen: &Option<Sight>) -> bool {
        match (self.keep, seen) {
            _ if self.weakening.all_free => true,
            (keep, Some(sight)) => keep.is_free(sight, process),
            (Keep::Deadlocks, _) => true,
            (Keep::Failures, None) => !self.stage.meets_observed(self.rows, process),
            (Keep::Visible, _) => false,
        }
    }
}
