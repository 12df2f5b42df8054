//! Who needs nobody else, for all processes of a state at once.
//!
//! A *position* is a process of a cast at one of its locations. Where a process stands decides which positions of others it
//! may disturb: one row of bits for each position, and who stands undisturbed is what no row of those present says. There
//! are two kinds of rows: in the first, all that may matter counts, whichever edges of the position are executable; in
//! the second only what matters in any case. What lies between must be looked at more closely.
//!
//! Columns are filled when a process first stands at the position. Cost: a few instructions for each process of a state.

use ferrospin_system::Move;

/// Words of a row above which there is no matrix.
const WIDTH_MAX: usize = 8;
/// So often must a cast have been met before it is worth one.
const USES_MIN: u32 = 16;
/// More processes than bits of a sight are not looked at.
const PROCESSES_MAX: usize = 32;
/// So many sights are remembered, and so many choices, as powers of two.
const KEPT_BITS: u32 = 12;
const CHOICE_BITS: u32 = 12;
/// Choices among more moves than this are not remembered, nor where the place of an edge takes more bits.
const CHOICE_MOVES_MAX: usize = 8;
const CHOICE_PLACE_BITS: u32 = 11;

/// See the module.
pub(crate) struct Matrix {
    /// Words of a row: a power of two.
    width: usize,
    /// By position, the positions that whoever stands there may disturb, and behind them those that he surely does.
    rows: Vec<u64>,
    marks: Vec<Marks>,
    /// What was seen lately, with the standings.
    kept: Box<[(u64, Sight); 1 << KEPT_BITS]>,
    /// What was chosen where it was not clear who is alone.
    choices: Box<[Choice; 1 << CHOICE_BITS]>,
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

/// The process that was chosen, where everybody stood so and these moves could be taken; that was no matter of values.
#[derive(Clone, Copy)]
struct Choice {
    standing: u64,
    moves: u128,
    process: Option<u8>,
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
        let kept = vec![(u64::MAX, Sight::default()); 1 << KEPT_BITS];
        let kept = kept.into_boxed_slice().try_into().expect("so many");
        let choices = vec![Choice { standing: u64::MAX, moves: 0, process: None }; 1 << CHOICE_BITS];
        let Ok(choices) = choices.into_boxed_slice().try_into() else { unreachable!("so many") };
        Matrix { width, rows: vec![0; 2 * width * marks.len()], marks, kept, choices }
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

    /// Whose moves were chosen, if somebody's were, lately and where everybody stood so; nothing if that is not known. `places`
    /// says where edges stand among those of their process.
    #[inline]
    pub(crate) fn choice(&self, standing: u64, places: &[u32], moves: &[Move]) -> Option<Option<u8>> {
        let number = number_of(places, moves)?;
        let known = &self.choices[choice_place(standing, number)];
        let is_known = known.standing == standing && known.moves == number && standing != u64::MAX;
        is_known.then_some(known.process)
    }

    /// Remembers that.
    pub(crate) fn note_choice(&mut self, standing: u64, places: &[u32], moves: &[Move], process: Option<u8>) {
        if let Some(number) = number_of(places, moves) {
            self.choices[choice_place(standing, number)] = Choice { standing, moves: number, process };
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

/// Where a sight is remembered.
#[inline(always)]
fn place(standing: u64) -> usize {
    (standing.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - KEPT_BITS)) as usize
}

/// What processes can take which edges, as a number that stands for nothing else: digits, the first of which is one.
#[inline(always)]
fn number_of(places: &[u32], moves: &[Move]) -> Option<u128> {
    if moves.len() >= CHOICE_MOVES_MAX {
        return None;
    }
    let (mut number, mut too_large) = (1, 0);
    for m in moves {
        let place = places[m.edge as usize];
        too_large |= place >> CHOICE_PLACE_BITS;
        let digit = u32::from(m.process % PROCESSES_MAX as u8) << CHOICE_PLACE_BITS | place;
        number = number << u16::BITS | u128::from(digit as u16);
    }
    (too_large == 0).then_some(number)
}

/// Where a choice is remembered.
#[inline(always)]
fn choice_place(standing: u64, moves: u128) -> usize {
    let mixed = (standing ^ (moves as u64).rotate_left(23)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (moves >> 64) as u64 ^ mixed >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> (64 - CHOICE_BITS)) as usize
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
