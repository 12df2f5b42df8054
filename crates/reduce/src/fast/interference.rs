//! The interference matrix: which processes are independent of all others, for all processes of a state at once.
//!
//! A *position* is a process of a configuration at one of its locations. One row of bits for each position holds the positions
//! of others that it may interfere with; a process is independent if no row of the positions of the state has its bit. There
//! are two kinds of rows: the first holds all that may interfere, whichever edges of the position are executable; the second
//! only what interferes in any case. A process between both is undecided and must be tested edge by edge.
//!
//! Columns are filled when a process first stands at the position. Cost: a few instructions for each process of a state.

use crate::fast::enabled_key::PROCESSES_MAX;

/// Words of a row above which there is no matrix.
const WIDTH_MAX: usize = 8;
/// A configuration gets a matrix when it was read this often.
const USES_MIN: u32 = 16;
/// The selection cache is bypassed where of this many lookups more than three of four missed.
const SAMPLE_STATES: u32 = 1 << 16;

/// See the module.
pub(crate) struct InterferenceMatrix {
    /// Words of a row: a power of two.
    width: usize,
    /// By position, the positions that it may interfere with, and behind them those that it surely interferes with.
    rows: Vec<u64>,
    marks: Vec<Marks>,
    /// Lookups in the selection cache and misses, since the last decision; whether the cache is bypassed.
    looks: u32,
    missed: u32,
    pub(crate) bypassed: bool,
}

/// Properties of a position, each as the bit of its process or 0.
#[derive(Clone, Copy, Default)]
struct Marks {
    /// Its column is not filled yet.
    unknown: u32,
    /// Something may be done from here on that must not be postponed.
    observed: u32,
    /// All that may be done here is private.
    private: u32,
}

/// The candidates of a state: a bit for each process.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct CandidateMask {
    /// Processes that are independent of all others, and those that must be tested edge by edge.
    pub(crate) independent: u32,
    pub(crate) undecided: u32,
    /// Processes that have only private edges at their location.
    pub(crate) private: u32,
    /// Processes that may still do something that must not be postponed.
    pub(crate) observed: u32,
}

/// What a position depends on, as rows of positions.
pub(crate) struct Column {
    pub(crate) perhaps: Vec<u64>,
    pub(crate) surely: Vec<u64>,
}

impl InterferenceMatrix {
    /// Whether a matrix pays off, for rows of `width` words and a configuration of `members` processes that was read `uses` times.
    pub(crate) fn is_worth(width: usize, members: usize, uses: u32) -> bool {
        width <= WIDTH_MAX && members <= PROCESSES_MAX && uses >= USES_MIN
    }

    /// A matrix without any column; of each position, its process, whether it is observed and whether it is private.
    pub(crate) fn new(width: usize, positions: impl Iterator<Item = (usize, bool, bool)>) -> InterferenceMatrix {
        let marks = positions.map(|(process, observed, private)| {
            let mark = |is: bool| u32::from(is) << process;
            Marks { unknown: mark(true), observed: mark(observed), private: mark(private) }
        });
        let marks: Vec<Marks> = marks.collect();
        let width = width.next_power_of_two();
        InterferenceMatrix {
            width,
            rows: vec![0; 2 * width * marks.len()],
            marks,
            looks: 0,
            missed: 0,
            bypassed: false,
        }
    }

    /// The candidates, from the positions of all processes. A position whose column must be filled first is an error.
    #[inline(always)]
    pub(crate) fn look(&self, positions: &[u32]) -> Result<CandidateMask, u32> {
        match self.width {
            1 => self.look_by::<1>(positions),
            2 => self.look_by::<2>(positions),
            4 => self.look_by::<4>(positions),
            _ => self.look_by::<WIDTH_MAX>(positions),
        }
    }

    #[inline(always)]
    fn look_by<const W: usize>(&self, positions: &[u32]) -> Result<CandidateMask, u32> {
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
        let (independent, undecided) = (!disturbed, disturbed & !clearly);
        Ok(CandidateMask { independent, undecided, private: all.private, observed: all.observed })
    }

    /// Counts lookups in the selection cache, and those that missed.
    pub(crate) fn note_misses(&mut self, looks: usize, missed: usize) {
        if self.bypassed {
            return;
        }
        self.looks += looks as u32;
        self.missed += missed as u32;
        if self.looks >= SAMPLE_STATES {
            self.bypassed |= self.missed > self.looks / 4 * 3;
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

/// The bit of a position, in rows of at least `W` words.
#[inline(always)]
fn bit<const W: usize>(bits: &[u64], position: u32) -> u32 {
    (bits[position as usize / 64 % W] >> (position % 64) & 1) as u32
}

impl CandidateMask {
    /// Whether no other process may do something that must not be postponed.
    #[inline]
    pub(crate) fn is_free(&self, process: usize) -> bool {
        self.observed & !(1 << process) == 0
    }
}
