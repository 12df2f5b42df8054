//! Who needs nobody else, for all processes of a state at once.
//!
//! A *position* is a process of a cast at one of its locations. Where a process stands decides which positions of others it
//! may disturb: one row of bits for each position, and who stands undisturbed is what no row of those present says. There
//! are two kinds of rows: in the first, all that may matter counts, whichever edges of the position are executable; in
//! the second only what matters in any case. What lies between must be looked at more closely.
//!
//! Columns are filled when a process first stands at the position. Cost: a few instructions for each process of a state.

use crate::listed::PROCESSES_MAX;

/// Words of a row above which there is no matrix.
const WIDTH_MAX: usize = 8;
/// So often must a cast have been met before it is worth one.
const USES_MIN: u32 = 16;
/// Where of so many states more than three of four were not remembered, nothing is any more.
const PATIENCE: u32 = 1 << 16;

/// See the module.
pub(crate) struct Matrix {
    /// Words of a row: a power of two.
    width: usize,
    /// By position, the positions that whoever stands there may disturb, and behind them those that he surely does.
    rows: Vec<u64>,
    marks: Vec<Marks>,
    /// Of so many states so many choices were not remembered; whether that has turned out to be in vain.
    looks: u32,
    missed: u32,
    pub(crate) forgets: bool,
}

/// What is known of a position by itself, each time as the bit of its process or as none.
#[derive(Clone, Copy, Default)]
struct Marks {
    /// Its column is not filled yet.
    unknown: u32,
    /// Something may be done from here on that must not be postponed.
    observed: u32,
    /// All that may be done here is private.
    private: u32,
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

    /// A matrix without any column; of each position, its process, whether it is observed and whether it is private.
    pub(crate) fn new(width: usize, positions: impl Iterator<Item = (usize, bool, bool)>) -> Matrix {
        let marks = positions.map(|(process, observed, private)| {
            let mark = |is: bool| u32::from(is) << process;
            Marks { unknown: mark(true), observed: mark(observed), private: mark(private) }
        });
        let marks: Vec<Marks> = marks.collect();
        let width = width.next_power_of_two();
        Matrix { width, rows: vec![0; 2 * width * marks.len()], marks, looks: 0, missed: 0, forgets: false }
    }

    /// Looks at a state, with everybody's position. A position that is not known yet must be filled first.
    #[inline(always)]
    pub(crate) fn look(&self, positions: &[u32]) -> Result<Sight, u32> {
        match self.width {
            1 => self.look_by::<1>(positions),
            2 => self.look_by::<2>(positions),
            4 => self.look_by::<4>(positions),
            _ => self.look_by::<WIDTH_MAX>(positions),
        }
    }

    #[inline(always)]
    fn look_by<const W: usize>(&self, positions: &[u32]) -> Result<Sight, u32> {
        let (mut perhaps, mut surely, mut all) = ([0; W], [0; W], Marks::default());
        for &number in positions {
            let row = &self.rows[number as usize * 2 * W..][..2 * W];
            for w in 0..W {
                perhaps[w] |= row[w];
                surely[w] |= row[W + w];
            }
            let Marks { unknown, observed, private } = self.marks[number as usize];
            all.unknown |= unknown;
            all.observed |= observed;
            all.private |= private;
        }
        if all.unknown != 0 {
            return Err(positions[all.unknown.trailing_zeros() as usize]);
        }
        let (mut disturbed, mut clearly) = (0, 0);
        for (process, &number) in positions.iter().enumerate() {
            disturbed |= bit::<W>(&perhaps, number) << process;
            clearly |= bit::<W>(&surely, number) << process;
        }
        let (alone, unclear) = (!disturbed, disturbed & !clearly);
        Ok(Sight { alone, unclear, private: all.private, observed: all.observed })
    }

    /// Takes note that of so many states so many were not remembered.
    pub(crate) fn note_misses(&mut self, looks: usize, missed: usize) {
        if self.forgets {
            return;
        }
        self.looks += looks as u32;
        self.missed += missed as u32;
        if self.looks >= PATIENCE {
            self.forgets |= self.missed > self.looks / 4 * 3;
            (self.looks, self.missed) = (0, 0);
        }
    }

    /// Fills the column of a position.
    #[cold]
    pub(crate) fn fill(&mut self, position: u32, column: &Column) {
        let (word, bit) = (position as usize / 64, 1 << (position % 64));
        self.marks[position as usize].unknown = 0;
        for (behind, rows) in [(0, &column.perhaps), (self.width, &column.surely)] {
            for row in ferrospin_system::members(rows) {
                self.rows[row as usize * 2 * self.width + behind + word] |= bit;
            }
        }
    }
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
