//! Who needs nobody else, for all processes of a state at once.
//!
//! A *position* is a process of a cast at one of its locations. Where a process stands decides which positions of others it
//! may disturb: one row of bits for each position, and who stands undisturbed is what no row of those present says. There
//! are two kinds of rows: in the first, all that may matter counts, whichever edges of the position are executable; in
//! the second only what matters in any case. What lies between must be looked at more closely.
//!
//! Columns are filled when a process first stands at the position. Cost: a few instructions for each process of a state.

/// Words of a row above which there is no matrix.
const WIDTH_MAX: usize = 8;
/// So often must a cast have been met before it is worth one.
const USES_MIN: u32 = 16;

/// A position.
#[derive(Clone, Copy)]
struct Position {
    /// The positions that whoever stands here may disturb, and those that he surely does.
    perhaps: [u64; WIDTH_MAX],
    surely: [u64; WIDTH_MAX],
    /// Whether its column is filled.
    is_known: bool,
    /// Whether something may be done from here that must not be postponed.
    is_observed: bool,
    /// Whether all that may be done here is private.
    is_private: bool,
}

/// See the module.
pub(crate) struct Matrix {
    width: usize,
    positions: Vec<Position>,
    /// The positions at which all that may be done is private.
    private: [u64; WIDTH_MAX],
}

/// What is seen of a state.
#[derive(Clone, Copy, Default)]
pub(crate) struct Sight {
    /// Positions that somebody may disturb, and those that somebody surely does.
    perhaps: [u64; WIDTH_MAX],
    surely: [u64; WIDTH_MAX],
    /// How many processes may do something that must not be postponed.
    observed: u32,
    /// Whether somebody may be alone at all, and whether such a one may have something private to do.
    pub(crate) some_alone: bool,
    pub(crate) some_private: bool,
}

/// Whether a process is alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Answer {
    Yes,
    No,
    Unclear,
}

/// What a position depends on, as rows of positions.
pub(crate) struct Column {
    pub(crate) perhaps: Vec<u64>,
    pub(crate) surely: Vec<u64>,
}

impl Matrix {
    /// Whether a matrix is worth the effort, for rows of so many words and a cast that was met so often.
    pub(crate) fn is_worth(width: usize, uses: u32) -> bool {
        width <= WIDTH_MAX && uses >= USES_MIN
    }

    /// A matrix without any column; of each position, whether it is observed and whether it is private.
    pub(crate) fn new(width: usize, positions: impl Iterator<Item = (bool, bool)>) -> Matrix {
        let none = [0; WIDTH_MAX];
        let position = |(is_observed, is_private)| Position {
            perhaps: none,
            surely: none,
            is_known: false,
            is_observed,
            is_private,
        };
        let positions: Vec<Position> = positions.map(position).collect();
        let mut private = none;
        for (at, _) in positions.iter().enumerate().filter(|(_, p)| p.is_private) {
            private[at / 64] |= 1 << (at % 64);
        }
        Matrix { width, positions, private }
    }

    /// Whether all that may be done at a position is private.
    #[inline]
    pub(crate) fn is_private(&self, position: u32) -> bool {
        self.positions[position as usize].is_private
    }

    /// Looks at a state, with everybody's position. A position that is not known yet must be filled first.
    #[inline]
    pub(crate) fn look(&self, positions: &[u32], out: &mut Sight) -> Result<(), u32> {
        match self.width {
            1 => self.look_by::<1>(positions, out),
            2 => self.look_by::<2>(positions, out),
            3..=4 => self.look_by::<4>(positions, out),
            _ => self.look_by::<WIDTH_MAX>(positions, out),
        }
    }

    #[inline]
    fn look_by<const W: usize>(&self, positions: &[u32], out: &mut Sight) -> Result<(), u32> {
        let (mut perhaps, mut surely, mut present, mut observed) = ([0; W], [0; W], [0; W], 0);
        for &number in positions {
            let position = &self.positions[number as usize];
            if !position.is_known {
                return Err(number);
            }
            for w in 0..W {
                perhaps[w] |= position.perhaps[w];
                surely[w] |= position.surely[w];
            }
            observed += u32::from(position.is_observed);
            present[number as usize / 64 % W] |= 1u64 << (number % 64);
        }
        let (mut alone, mut private) = (0, 0);
        for w in 0..W {
            alone |= present[w] & !surely[w];
            private |= present[w] & !surely[w] & self.private[w];
        }
        (out.some_alone, out.some_private) = (alone != 0, private != 0);
        out.perhaps[..W].copy_from_slice(&perhaps);
        out.surely[..W].copy_from_slice(&surely);
        out.observed = observed;
        Ok(())
    }

    /// Fills the column of a position.
    #[cold]
    pub(crate) fn fill(&mut self, position: u32, column: &Column) {
        let (word, bit) = (position as usize / 64, 1 << (position % 64));
        self.positions[position as usize].is_known = true;
        for row in ferrospin_system::members(&column.perhaps) {
            self.positions[row as usize].perhaps[word] |= bit;
        }
        for row in ferrospin_system::members(&column.surely) {
            self.positions[row as usize].surely[word] |= bit;
        }
    }

    /// Whether nobody but the process at a position may do something that must not be postponed.
    #[inline]
    pub(crate) fn is_free(&self, sight: &Sight, position: u32) -> bool {
        sight.observed == u32::from(self.positions[position as usize].is_observed)
    }
}

impl Sight {
    /// Whether the process at a position is alone.
    #[inline]
    pub(crate) fn is_alone(&self, position: u32) -> Answer {
        let (word, shift) = (position as usize / 64 % WIDTH_MAX, position % 64);
        if self.perhaps[word] >> shift & 1 == 0 {
            Answer::Yes
        } else if self.surely[word] >> shift & 1 == 0 {
            Answer::Unclear
        } else {
            Answer::No
        }
    }
}
