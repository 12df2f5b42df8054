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
/// More processes than bits of a sight are not looked at.
const PROCESSES_MAX: usize = 32;
/// So many sights are remembered, as a power of two.
const KEPT_BITS: u32 = 13;

/// Bits of positions.
type Bits = [u64; WIDTH_MAX];

/// See the module.
pub(crate) struct Matrix {
    /// Words of a row: a power of two.
    width: usize,
    /// By position, the positions that whoever stands there may disturb, and behind them those that he surely does.
    rows: Vec<u64>,
    /// The positions whose columns are filled.
    known: Bits,
    /// The positions from which something may be done that must not be postponed.
    observed: Bits,
    /// The positions at which all that may be done is private.
    private: Bits,
    /// What was seen lately, with the standings.
    kept: Box<[(u64, Sight); 1 << KEPT_BITS]>,
}

/// What is seen of a state: a bit for each process.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Sight {
    /// Who needs nobody else, and about whom that is not clear.
    pub(crate) alone: u32,
    pub(crate) unclear: u32,
    /// Who has only private things to do where he stands.
    pub(crate) private: u32,
    /// Who may still do something that must not be postponed.
    pub(crate) observed: u32,
}

/// What a position depends on, as rows of positions.
pub(crate) struct Column {
    pub(crate) perhaps: Vec<u64>,
    pub(crate) surely: Vec<u64>,
}

impl Matrix {
    /// Whether a matrix is worth the effort, for rows of so many words and a cast of so many that was met so often.
    pub(crate) fn is_worth(width: usize, members: usize, uses: u32) -> bool {
        width <= WIDTH_MAX && members <= PROCESSES_MAX && uses >= USES_MIN
    }

    /// A matrix without any column; of each position, whether it is observed and whether it is private.
    pub(crate) fn new(width: usize, positions: impl Iterator<Item = (bool, bool)>) -> Matrix {
        let none = [0; WIDTH_MAX];
        let (mut observed, mut private, mut count) = (none, none, 0);
        for (at, (is_observed, is_private)) in positions.enumerate() {
            observed[at / 64] |= u64::from(is_observed) << (at % 64);
            private[at / 64] |= u64::from(is_private) << (at % 64);
            count = at + 1;
        }
        let width = width.next_power_of_two();
        let kept = vec![(u64::MAX, Sight::default()); 1 << KEPT_BITS];
        let kept = kept.into_boxed_slice().try_into().expect("so many");
        Matrix { width, rows: vec![0; 2 * width * count], known: none, observed, private, kept }
    }

    /// Looks at a state, with everybody's position, and a number that stands for all of them, unless it is the largest.
    /// A position that is not known yet must be filled first.
    #[inline(always)]
    pub(crate) fn look(&mut self, positions: &[u32], standing: u64) -> Result<Sight, u32> {
        match self.recall(standing) {
            Some(sight) => Ok(sight),
            None => self.look_anew(positions, standing),
        }
    }

    /// What was seen lately where everybody stood so.
    #[inline(always)]
    pub(crate) fn recall(&self, standing: u64) -> Option<Sight> {
        let (kept, sight) = self.kept[place(standing)];
        (kept == standing && standing != u64::MAX).then_some(sight)
    }

    #[inline(never)]
    fn look_anew(&mut self, positions: &[u32], standing: u64) -> Result<Sight, u32> {
        let sight = match self.width {
            1 => self.look_by::<1>(positions),
            2 => self.look_by::<2>(positions),
            4 => self.look_by::<4>(positions),
            _ => self.look_by::<WIDTH_MAX>(positions),
        }?;
        self.kept[place(standing)] = (standing, sight);
        Ok(sight)
    }

    fn look_by<const W: usize>(&self, positions: &[u32]) -> Result<Sight, u32> {
        let (mut perhaps, mut surely, mut unknown) = ([0; W], [0; W], 0);
        for &number in positions {
            let row = &self.rows[number as usize * 2 * W..][..2 * W];
            for w in 0..W {
                perhaps[w] |= row[w];
                surely[w] |= row[W + w];
            }
            unknown |= bit::<W>(&self.known, number) ^ 1;
        }
        if unknown != 0 {
            let is_unknown = |n: &u32| bit::<W>(&self.known, *n) == 0;
            return Err(positions.iter().copied().find(is_unknown).expect("one of them is not known"));
        }
        let mut sight = Sight::default();
        for &number in positions.iter().rev() {
            let (perhaps, surely) = (bit::<W>(&perhaps, number), bit::<W>(&surely, number));
            sight.alone = (sight.alone << 1) | (perhaps ^ 1);
            sight.unclear = (sight.unclear << 1) | (perhaps & !surely);
            sight.private = (sight.private << 1) | bit::<W>(&self.private, number);
            sight.observed = (sight.observed << 1) | bit::<W>(&self.observed, number);
        }
        Ok(sight)
    }

    /// Fills the column of a position.
    #[cold]
    pub(crate) fn fill(&mut self, position: u32, column: &Column) {
        let (word, bit) = (position as usize / 64, 1 << (position % 64));
        self.known[word] |= bit;
        for (behind, rows) in [(0, &column.perhaps), (self.width, &column.surely)] {
            for row in ferrospin_system::members(rows) {
                self.rows[row as usize * 2 * self.width + behind + word] |= bit;
            }
        }
    }
}

/// Where a sight is remembered.
#[inline(always)]
fn place(standing: u64) -> usize {
    (standing.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - KEPT_BITS)) as usize
}

/// The bit of a position, in rows of so many words at least.
#[inline(always)]
fn bit<const W: usize>(bits: &[u64], position: u32) -> u32 {
    (bits[position as usize / 64 % W] >> (position % 64) & 1) as u32
}

impl Sight {
    /// Whether nobody but this process may do something that must not be postponed.
    #[inline]
    pub(crate) fn is_free(&self, process: usize) -> bool {
        self.observed & !(1 << process) == 0
    }
}
