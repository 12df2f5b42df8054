//! Choices at a glance, for a run of states at once.
//!
//! States of a run mostly have one cast. Where everybody stands is found out process by process, for all states of the run,
//! which needs no more than a few instructions each; who is alone is remembered by that. What is not seen so
//! (another cast, a location that was not met before, somebody about whom it must be asked what variables hold) is left to [`crate::alone`].

use crate::alone::{pick, range_of};
use crate::cast::Stage;
use crate::facts::Layout;
use crate::stubborn::{Keep, has_choice};
use ferrospin_system::{Glance, Move, states_of_run};

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
}

/// See the module.
#[derive(Default)]
pub(crate) struct Survey {
    /// Where everybody stands, by state, as one number.
    pub(crate) standings: Vec<u64>,
    /// By state, whether it has another cast: 0 if not.
    pub(crate) strange: Vec<u64>,
    /// By state, the positions of all processes, of which there are so many.
    pub(crate) positions: Vec<u32>,
    pub(crate) width: usize,
    /// States about which nothing was said, by index, with their moves.
    left: Vec<(u32, u32, u32)>,
}

impl Survey {
    /// Makes room for so many states, with so many processes each.
    pub(crate) fn begin(&mut self, states: usize, processes: usize) {
        self.standings.clear();
        self.standings.resize(states, 0);
        self.strange.clear();
        self.strange.resize(states, 0);
        self.positions.clear();
        self.positions.resize(states * processes, 0);
        self.width = processes;
    }

    /// Adds a choice for each state of the run; where nobody is alone, `none`. Those that must be looked at one by one are
    /// kept, and hold their places.
    pub(crate) fn glance(
        &mut self,
        stage: &mut Stage,
        layout: &Layout,
        keep: Keep,
        run: States<'_>,
        none: Glance,
        out: &mut Vec<Glance>,
    ) {
        self.left.clear();
        let mut matrix = stage.survey(layout, run.states, run.len, self);
        let mut start = 0;
        for (i, (_, moves)) in (0..).zip(run.each()) {
            let first = start;
            start += moves.len() as u32;
            let picked = match &mut matrix {
                Some(matrix) if self.strange[i as usize] == 0 => {
                    if !has_choice(moves) {
                        out.push(Glance::All);
                        continue;
                    }
                    let positions = &self.positions[i as usize * self.width..][..self.width];
                    let standing = self.standings[i as usize];
                    matrix.look(positions, standing).ok().and_then(|sight| match pick(moves, &sight) {
                        Ok(found) => Some((sight, found)),
                        Err(_) => {
                            let process = matrix.choice(standing, &layout.places, moves)?;
                            Some((sight, process.map(|p| (range_of(moves, p.into()), p.into()))))
                        }
                    })
                }
                _ => None,
            };
            match picked {
                Some((sight, Some((range, process)))) => {
                    let free = match keep {
                        Keep::Deadlocks => true,
                        Keep::Failures => sight.is_free(process),
                        Keep::Visible => false,
                    };
                    out.push(Glance::Set { first: range.start as u32, count: range.len() as u32, free });
                }
                Some((_, None)) => out.push(none),
                None => {
                    self.left.push((i, first, start));
                    out.push(Glance::Ask);
                }
            }
        }
    }

    /// The next state that was left, by index, and where its moves begin and end.
    pub(crate) fn next_left(&mut self) -> Option<(usize, std::ops::Range<usize>)> {
        self.left.pop().map(|(i, first, end)| (i as usize, first as usize..end as usize))
    }
}
