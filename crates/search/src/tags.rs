//! Which states belong to the level that is being made: what the `level` proviso of a reduced search asks.
//!
//! A reduced set of moves is enough if one of them leads to the next level (Bošnački and Holzmann 2005, made independent
//! of the order inside a level): going on there postpones the other moves only finitely often. A state belongs to the
//! next level, or it does not, whatever the workers' timing; so counts do not depend on the number of workers. (Where
//! numbers are too large for an array they nearly never do.)
//!
//! One byte a state: 0 until its finder has written it, then the parity of its level plus one. A state met with 0 was
//! stored a moment ago, so it belongs to the next level. A state of an older level of the same parity must not be
//! taken for one of the next: when a state is expanded its byte becomes [`CLOSED`].

use rustc_hash::FxHashSet;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock};

const CLOSED: u8 = 3;
const CHUNK: usize = 1 << 16;

/// The tags of all states.
pub(crate) enum Tags {
    /// By small numbers.
    Numbers(Vec<OnceLock<Box<[AtomicU8]>>>),
    /// The numbers of the next level, where numbers are large.
    Sets(Vec<Mutex<FxHashSet<u64>>>),
}

/// The tag of states that belong to a level.
#[inline]
fn open(level: u64) -> u8 {
    1 + (level % 2) as u8
}

/// The set that a number belongs to.
fn shard(sets: &[Mutex<FxHashSet<u64>>], number: u64) -> MutexGuard<'_, FxHashSet<u64>> {
    let shard = (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as usize;
    sets[shard].lock().expect("no worker panics while it holds a set")
}

impl Tags {
    pub(crate) fn by_number() -> Tags {
        Tags::Numbers((0..1 << 16).map(|_| OnceLock::new()).collect())
    }

    pub(crate) fn by_set() -> Tags {
        Tags::Sets((0..256).map(|_| Mutex::default()).collect())
    }

    #[inline]
    fn byte(chunks: &[OnceLock<Box<[AtomicU8]>>], number: u64) -> &AtomicU8 {
        let chunk = chunks[number as usize / CHUNK].get_or_init(|| (0..CHUNK).map(|_| AtomicU8::new(0)).collect());
        &chunk[number as usize % CHUNK]
    }

    /// Notes that a state that was just stored belongs to `level`, the one that is being made.
    #[inline]
    pub(crate) fn note(&self, number: u64, level: u64) {
        match self {
            Tags::Numbers(chunks) => Self::byte(chunks, number).store(open(level), Ordering::Relaxed),
            Tags::Sets(sets) => {
                shard(sets, number).insert(number);
            }
        }
    }

    /// Whether a state that was met belongs to `level`, the one that is being made. Who meets a state between its storing
    /// and its entry in a set takes it for an old one, which costs reduction and nothing else; no lock is held while the
    /// store is asked, because that may wait for the other workers.
    #[inline]
    pub(crate) fn is_next(&self, number: u64, level: u64) -> bool {
        match self {
            Tags::Numbers(chunks) => {
                let tag = Self::byte(chunks, number).load(Ordering::Relaxed);
                tag == 0 || tag == open(level)
            }
            Tags::Sets(sets) => shard(sets, number).contains(&number),
        }
    }

    /// The same for a single worker, where what waits in the level that is being expanded counts as well: it was found
    /// later than the state in hand. Only numbers that index an array tell.
    pub(crate) fn waits(&self, number: u64, level: u64) -> bool {
        match self {
            Tags::Numbers(chunks) => Self::byte(chunks, number).load(Ordering::Relaxed) != CLOSED,
            Tags::Sets(_) => self.is_next(number, level),
        }
    }

    /// A state is about to be expanded.
    pub(crate) fn close(&self, number: u64) {
        if let Tags::Numbers(chunks) = self {
            Self::byte(chunks, number).store(CLOSED, Ordering::Relaxed);
        }
    }

    /// A level is complete.
    pub(crate) fn next_level(&self) {
        if let Tags::Sets(sets) = self {
            sets.iter().for_each(|s| s.lock().expect("no worker panics while it holds a set").clear());
        }
    }
}
