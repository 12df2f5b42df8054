//! Which states belong to the level that is being made, and which are complete: what the `level` proviso of a reduced search
//! asks.
//!
//! A reduced set of moves is enough if one of them leads to the next level (Bošnački and Holzmann 2005, made independent
//! of the order inside a level): going on there postpones the other moves only finitely often. It is also enough if one of
//! them leads to a state that is *complete*: there all moves were taken, or a set that needs no proviso, or a set that leads
//! to a state that was complete before. That a state at which moves are left out is on a finite way, by moves that are
//! taken, to one where nothing that matters is left out, is all that a proviso is for; and such a way leads from level to level until
//! it ends at a complete state, or goes on from one complete state to another that became so before, which has an end as well.
//! (That a state of an earlier level is there is not enough: its way may lead back to the one that asks.)
//!
//! A state belongs to the next level, or it does not, whatever the workers' timing. Nor does timing decide who is complete: only what became
//! so in earlier levels counts, and a state becomes complete for the sake of another only where its set leads to
//! no state of the next level. So counts do not depend on the number of workers. (Where
//! numbers are too large for an array they nearly never do; no state is complete there.)
//!
//! One byte a state: 0 until its finder has written it, then the parity of its level plus one. A state met with 0 was
//! stored a moment ago, so it belongs to the next level. A state of an older level of the same parity must not be
//! taken for one of the next: when a state is expanded its byte becomes [`CLOSED`], or says in which level it became complete.
//! That is not said of very many levels before: what became complete exactly that many levels ago does not count.

use ferrospin_system::Fresh;
use rustc_hash::FxHashSet;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock};

const CLOSED: u8 = 3;
const COMPLETE: u8 = 4;
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

/// The tag of states that became complete in a level.
#[inline]
fn complete(level: u64) -> u8 {
    COMPLETE + (level % u64::from(u8::MAX - COMPLETE)) as u8
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
    fn chunk(chunks: &[OnceLock<Box<[AtomicU8]>>], place: usize) -> &[AtomicU8] {
        chunks[place].get_or_init(|| (0..CHUNK).map(|_| AtomicU8::new(0)).collect())
    }

    #[inline]
    fn byte(chunks: &[OnceLock<Box<[AtomicU8]>>], number: u64) -> &AtomicU8 {
        &Self::chunk(chunks, number as usize / CHUNK)[number as usize % CHUNK]
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
            Tags::Numbers(chunks) => Self::byte(chunks, number).load(Ordering::Relaxed) < CLOSED,
            Tags::Sets(_) => self.is_next(number, level),
        }
    }

    /// The same of many.
    #[inline]
    pub(crate) fn note_all(&self, fresh: &[Fresh], level: u64) {
        match self {
            Tags::Numbers(chunks) => Self::write(chunks, fresh.iter().map(|f| (f.number, open(level)))),
            Tags::Sets(_) => fresh.iter().for_each(|f| self.note(f.number, level)),
        }
    }

    /// Writes many, most of which stand near the one before.
    #[inline(always)]
    fn write(chunks: &[OnceLock<Box<[AtomicU8]>>], tags: impl Iterator<Item = (u64, u8)>) {
        let (mut chunk, mut place): (&[AtomicU8], _) = (&[], u64::MAX);
        for (number, tag) in tags {
            if number / CHUNK as u64 != place {
                place = number / CHUNK as u64;
                chunk = Self::chunk(chunks, place as usize);
            }
            chunk[number as usize % CHUNK].store(tag, Ordering::Relaxed);
        }
    }

    /// Whether a state that was met [`Tags::is_next`], and whether it was complete when the level before the one that is being
    /// made began.
    #[inline]
    pub(crate) fn met(&self, number: u64, level: u64) -> (bool, bool) {
        match self {
            Tags::Numbers(chunks) => {
                let tag = Self::byte(chunks, number).load(Ordering::Relaxed);
                (tag == 0 || tag == open(level), tag >= COMPLETE && tag != complete(level - 1))
            }
            Tags::Sets(_) => (self.is_next(number, level), false),
        }
    }

    /// Whether a state that was met is complete.
    pub(crate) fn is_complete(&self, number: u64) -> bool {
        match self {
            Tags::Numbers(chunks) => Self::byte(chunks, number).load(Ordering::Relaxed) >= COMPLETE,
            Tags::Sets(_) => false,
        }
    }

    /// These states of a level are being expanded; those whose bits are set are complete. Words that are missing are 0.
    pub(crate) fn close_all(&self, numbers: &[u64], completed: &[u64], level: u64) {
        if let Tags::Numbers(chunks) = self {
            let complete = complete(level);
            let bits = completed.iter().copied().chain(std::iter::repeat(0));
            for (some, bits) in numbers.chunks(64).zip(bits) {
                let tag = |i: usize| if bits >> i & 1 == 1 { complete } else { CLOSED };
                Self::write(chunks, some.iter().enumerate().map(|(i, number)| (*number, tag(i))));
            }
        }
    }

    /// Which of these states are complete, as bits.
    pub(crate) fn completed(&self, numbers: impl Iterator<Item = u64>) -> Vec<u64> {
        let mut bits = Vec::new();
        for (i, number) in numbers.enumerate() {
            bits.resize(i / 64 + 1, 0);
            bits[i / 64] |= u64::from(self.is_complete(number)) << (i % 64);
        }
        bits
    }

    /// A level is done.
    pub(crate) fn next_level(&self) {
        if let Tags::Sets(sets) = self {
            sets.iter().for_each(|s| s.lock().expect("no worker panics while it holds a set").clear());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_counts_does_not_depend_on_the_order_inside_a_level() {
        let tags = Tags::by_number();
        let numbers: Vec<u64> = (0..3).map(|i| i * CHUNK as u64).collect();
        numbers.iter().for_each(|n| tags.note(*n, 1));
        assert!(numbers.iter().all(|n| tags.is_next(*n, 1) && !tags.is_next(*n, 2)));
        tags.close_all(&numbers, &[0b010], 1);
        // While level 1 is expanded no state is complete, and from then on one of them is, but none is on a later level.
        assert!(numbers.iter().all(|n| !tags.met(*n, 2).1));
        for level in 3..300 {
            let complete: Vec<bool> = numbers.iter().map(|n| tags.met(*n, level).1).collect();
            let is_told = (level - 2) % u64::from(u8::MAX - COMPLETE) != 0;
            assert_eq!(complete, [false, is_told, false], "level {level}");
            assert!(numbers.iter().all(|n| !tags.is_next(*n, level) && !tags.waits(*n, level)));
        }
        assert_eq!(tags.completed(numbers.iter().copied()), [0b010]);
        // What was stored a moment ago is on the next level, whoever has stored it.
        assert!(tags.is_next(7, 4) && !tags.met(7, 4).1);
    }
}
