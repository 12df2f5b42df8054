//! Choices at a glance, for a run of states at once.
//!
//! States of a run mostly have one cast. Where everybody stands is found out process by process, for all states of the run,
//! which needs no more than a few instructions each. That, and who can take which edges, decides about the choice, and most
//! choices were made before. What is not seen so (another cast, moves that were not met together before, somebody about
//! whom it must be asked what variables hold) is left to [`crate::alone`].
//!
//! What there is to choose cannot be foreseen, so that whoever branches on it is mistaken often: this goes without.

use crate::alone::pick;
use crate::cast::{Likely, Stage};
use crate::choices::Fresh;
use crate::facts::Layout;
use crate::listed::{LISTED_MAX, Listed};
use crate::stubborn::{Keep, has_choice};
use ferrospin_system::{Glance, Move, states_of_run};
use std::ops::Range;

/// A run of states, given as for [`ferrospin_system::Reduction::glance`].
#[derive(Clone, Copy)]
pub(crate) struct States<'a> {
    pub(crate) states: &'a [u8],
    pub(crate) len: usize,
    pub(crate) moves: &'a [Move],
    pub(crate) ends: &'a [u32],
}

impl<'a> States<'a> {
    /// One after the other, with their moves.
    pub(crate) fn each(&self) -> impl Iterator<Item = (&'a [u8], &'a [Move])> + use<'a> {
        states_of_run(self.states, self.len, self.moves, self.ends)
    }

    /// Where the moves of a state stand.
    pub(crate) fn own(&self, i: usize) -> Range<usize> {
        i.checked_sub(1).map_or(0, |before| self.ends[before] as usize)..self.ends[i] as usize
    }
}

/// What is wanted of a choice.
#[derive(Clone, Copy)]
pub(crate) struct Wanted {
    pub(crate) keep: Keep,
    /// Where nobody is alone all moves are taken.
    pub(crate) is_thrifty: bool,
}

impl Wanted {
    /// Chooses among the moves of a state, where it is clear who is alone.
    #[inline]
    fn choose(self, likely: &Likely<'_>, state: &[u8], moves: &[Move]) -> Option<Glance> {
        let sight = likely.look(state)?;
        if !has_choice(moves) {
            return Some(Glance::all(moves.len()));
        }
        Some(match pick(moves, &sight).ok()? {
            Some((range, process)) => Glance::set(range, self.keep.is_free(&sight, process)),
            None if self.is_thrifty => Glance::all(moves.len()),
            None => Glance::ASK,
        })
    }
}

/// See the module.
#[derive(Default)]
pub(crate) struct Survey {
    /// Where everybody stands, by state, as one number.
    pub(crate) standings: Vec<u64>,
    /// By state, whether it has another cast: 0 if not.
    pub(crate) strange: Vec<u64>,
    /// By move, a digit that stands for its process and edge.
    digits: Vec<u8>,
    /// States about which nothing was said, by index.
    left: Vec<u32>,
    /// Choices that were not remembered.
    fresh: Vec<Fresh>,
}

impl Survey {
    /// Makes room for so many states, where everybody who stands at his first location counts so much.
    pub(crate) fn begin(&mut self, states: usize, first: u64) {
        self.standings.clear();
        self.standings.resize(states, first);
        self.strange.clear();
        self.strange.resize(states, 0);
    }

    /// Adds a choice for each state of the run, as it is `wanted`. Those that must be looked at one by one are kept, and
    /// hold their places.
    pub(crate) fn glance(
        &mut self,
        stage: &mut Stage,
        layout: &Layout,
        wanted: Wanted,
        run: States<'_>,
        out: &mut Vec<Glance>,
    ) {
        let count = run.ends.len();
        self.left.clear();
        self.fresh.clear();
        let Some(likely) = stage.likely(layout, run.len) else {
            self.left.extend(0..count as u32);
            out.resize(out.len() + count, Glance::ASK);
            return;
        };
        let first = out.len();
        let remembers = !likely.matrix.forgets && self.list(stage, &likely, run.moves);
        if remembers {
            self.recall(&likely, run, out);
        } else {
            self.left.extend(0..count as u32);
            out.resize(first + count, Glance::ASK);
        }
        let missed = self.left.len();
        self.look(&likely, wanted, run, remembers, &mut out[first..]);
        stage.note_choices(run.len, count, missed, &self.fresh);
    }

    /// Chooses where that was not remembered, as far as it is clear who is alone.
    fn look(&mut self, likely: &Likely<'_>, wanted: Wanted, run: States<'_>, remembers: bool, out: &mut [Glance]) {
        let mut left = std::mem::take(&mut self.left);
        left.retain(|i| {
            let i = *i as usize;
            let (state, own) = (&run.states[i * run.len..][..run.len], run.own(i));
            let Some(glance) = wanted.choose(likely, state, &run.moves[own.clone()]) else { return true };
            out[i] = glance;
            if remembers && own.len() <= LISTED_MAX {
                self.fresh.push((self.standings[i], self.listed(own), glance));
            }
            false
        });
        self.left = left;
    }

    /// The digits of some moves.
    #[inline(always)]
    fn listed(&self, moves: Range<usize>) -> Listed {
        let digits = self.digits[moves.start..].first_chunk().expect("there is more behind the last one");
        Listed::new(digits, moves.len() as u32)
    }

    /// Adds the choices that are remembered.
    fn recall(&mut self, likely: &Likely<'_>, run: States<'_>, out: &mut Vec<Glance>) {
        likely.stand(run.states, self);
        let mut list = std::mem::take(&mut self.left);
        list.resize(run.ends.len(), 0);
        let (mut left, mut start) = (0, 0);
        let states = self.standings.iter().zip(&self.strange).zip(run.ends).zip(0..);
        out.extend(states.map(|(((standing, strange), end), i)| {
            let own = start..*end as usize;
            start = own.end;
            let (glance, is_known) = likely.choices.recall(*standing, self.listed(own.clone()));
            list[left] = i;
            left += usize::from(!(is_known & (*strange == 0) & (own.len() <= LISTED_MAX)));
            glance
        }));
        list.truncate(left);
        self.left = list;
    }

    /// Writes down the digits of all moves; whether all have some.
    fn list(&mut self, stage: &Stage, likely: &Likely<'_>, moves: &[Move]) -> bool {
        let Some(bases) = likely.bases() else { return false };
        self.digits.clear();
        let mut is_listed = true;
        self.digits.extend(moves.iter().map(|m| {
            let (digit, is_plain) = stage.ranks.digit(bases, m);
            is_listed &= is_plain;
            digit
        }));
        self.digits.extend([0; LISTED_MAX]);
        is_listed
    }

    /// The next state that was left, by index.
    pub(crate) fn next_left(&mut self) -> Option<usize> {
        self.left.pop().map(|i| i as usize)
    }
}
