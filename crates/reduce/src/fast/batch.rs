//! Selection for a run of states at once.
//!
//! States of a run mostly have one configuration. The placement of all states is computed process by process, with a few
//! instructions each. Placement and enabled moves determine the selection, and most selections were made before. The rest
//! (another configuration, a new combination of moves, a process that is undecided and depends on values) is left to
//! [`crate::fast::single_process`].
//!
//! Selections cannot be predicted, so that a branch on them would be mispredicted often: this code has none.

use crate::facts::Layout;
use crate::fast::configuration::{Configurations, LikelyConfiguration};
use crate::fast::enabled_key::{ENABLED_MAX, EnabledKey};
use crate::fast::selection_cache::Selection;
use crate::fast::single_process::pick;
use crate::stubborn::{Keep, has_choice};
use ferrospin_system::{Move, Preselection, states_of_run};
use std::ops::Range;

/// A run of states, given as for [`ferrospin_system::Reduction::preselect`].
#[derive(Clone, Copy)]
pub(crate) struct StateRun<'a> {
    pub(crate) states: &'a [u8],
    pub(crate) len: usize,
    pub(crate) moves: &'a [Move],
    pub(crate) ends: &'a [u32],
}

impl<'a> StateRun<'a> {
    /// The states in order, with their moves.
    pub(crate) fn each(&self) -> impl Iterator<Item = (&'a [u8], &'a [Move])> + use<'a> {
        states_of_run(self.states, self.len, self.moves, self.ends)
    }

    /// The range of the moves of a state.
    pub(crate) fn own(&self, i: usize) -> Range<usize> {
        i.checked_sub(1).map_or(0, |before| self.ends[before] as usize)..self.ends[i] as usize
    }
}

/// What a selection must satisfy.
#[derive(Clone, Copy)]
pub(crate) struct Policy {
    pub(crate) keep: Keep,
    /// Where no process is independent all moves are taken.
    pub(crate) singles_only: bool,
}

impl Policy {
    /// Selects moves of a state, where the mask decides.
    #[inline]
    fn choose(self, likely: &LikelyConfiguration<'_>, state: &[u8], moves: &[Move]) -> Option<Preselection> {
        let mask = likely.look(state)?;
        if !has_choice(moves) {
            return Some(Preselection::all(moves.len()));
        }
        Some(match pick(moves, &mask).ok()? {
            Some((range, process)) => Preselection::set(range, self.keep.is_free(&mask, process)),
            None if self.singles_only => Preselection::all(moves.len()),
            None => Preselection::OPEN,
        })
    }
}

/// See the module.
#[derive(Default)]
pub(crate) struct BatchSelection {
    /// By state, its placement as one number.
    pub(crate) placements: Vec<u64>,
    /// By state, not 0 if it has another configuration.
    pub(crate) mismatch: Vec<u64>,
    /// By move, a digit that stands for its process and edge.
    digits: Vec<u8>,
    /// States that are not selected yet, by index.
    left: Vec<u32>,
    /// Selections that are not in the cache yet.
    new_selections: Vec<Selection>,
}

impl BatchSelection {
    /// Begins with `states` states, all of which have the placement `first`: every process at its first location.
    pub(crate) fn begin(&mut self, states: usize, first: u64) {
        self.placements.clear();
        self.placements.resize(states, first);
        self.mismatch.clear();
        self.mismatch.resize(states, 0);
    }

    /// Adds a selection for each state of the run. States that must be processed one by one get an open one, and are kept in
    /// `left`.
    pub(crate) fn preselect(
        &mut self,
        configurations: &mut Configurations,
        layout: &Layout,
        policy: Policy,
        run: StateRun<'_>,
        out: &mut Vec<Preselection>,
    ) {
        let count = run.ends.len();
        self.left.clear();
        self.new_selections.clear();
        let Some(likely) = configurations.likely(layout, run.len) else {
            self.left.extend(0..count as u32);
            out.resize(out.len() + count, Preselection::OPEN);
            return;
        };
        let first = out.len();
        let remembers = !likely.matrix.bypassed && self.list(configurations, &likely, run.moves);
        if remembers {
            self.recall(&likely, run, out);
        } else {
            self.left.extend(0..count as u32);
            out.resize(first + count, Preselection::OPEN);
        }
        let missed = self.left.len();
        self.look(&likely, policy, run, remembers, &mut out[first..]);
        configurations.note_selections(run.len, count, missed, &self.new_selections);
    }

    /// Selects where the cache has no entry, as far as the mask decides.
    fn look(
        &mut self,
        likely: &LikelyConfiguration<'_>,
        policy: Policy,
        run: StateRun<'_>,
        remembers: bool,
        out: &mut [Preselection],
    ) {
        let mut left = std::mem::take(&mut self.left);
        left.retain(|i| {
            let i = *i as usize;
            let (state, own) = (&run.states[i * run.len..][..run.len], run.own(i));
            let Some(selected) = policy.choose(likely, state, &run.moves[own.clone()]) else { return true };
            out[i] = selected;
            if remembers && own.len() <= ENABLED_MAX {
                self.new_selections.push((self.placements[i], self.listed(own), selected));
            }
            false
        });
        self.left = left;
    }

    /// The digits of some moves.
    #[inline(always)]
    fn listed(&self, moves: Range<usize>) -> EnabledKey {
        let digits = self.digits[moves.start..].first_chunk().expect("there is more behind the last one");
        EnabledKey::new(digits, moves.len() as u32)
    }

    /// Adds the selections of the cache.
    fn recall(&mut self, likely: &LikelyConfiguration<'_>, run: StateRun<'_>, out: &mut Vec<Preselection>) {
        likely.stand(run.states, self);
        let mut list = std::mem::take(&mut self.left);
        list.resize(run.ends.len(), 0);
        let (mut left, mut start) = (0, 0);
        let states = self.placements.iter().zip(&self.mismatch).zip(run.ends).zip(0..);
        out.extend(states.map(|(((placement, mismatch), end), i)| {
            let own = start..*end as usize;
            start = own.end;
            let (selected, is_known) = likely.selections.recall(*placement, self.listed(own.clone()));
            list[left] = i;
            left += usize::from(!(is_known & (*mismatch == 0) & (own.len() <= ENABLED_MAX)));
            selected
        }));
        list.truncate(left);
        self.left = list;
    }

    /// Computes the digits of all moves; false if some move has none.
    fn list(&mut self, configurations: &Configurations, likely: &LikelyConfiguration<'_>, moves: &[Move]) -> bool {
        let Some(bases) = likely.bases() else { return false };
        self.digits.clear();
        let mut is_listed = true;
        self.digits.extend(moves.iter().map(|m| {
            let (digit, is_plain) = configurations.ranks.digit(bases, m);
            is_listed &= is_plain;
            digit
        }));
        self.digits.extend([0; ENABLED_MAX]);
        is_listed
    }

    /// The next state that was left, by index.
    pub(crate) fn next_left(&mut self) -> Option<usize> {
        self.left.pop().map(|i| i as usize)
    }
}
