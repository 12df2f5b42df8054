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

use ferrospin_system::{Found, Handle};
use rustc_hash::FxHashSet;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, OnceLock};

const CLOSED: u8 = 3;
const CHUNK: usize = 1 << 16;

/// The tags of all states.
pub(crate) enum Tags {
    /// By small numbers.
    Numbers(Vec<OnceLock<Box<[AtomicU8]>>>),
    /// The numbers of the next level, where numbers are large.
    Sets(Vec<Mutex<FxHashSet<u64>>>),
}

impl Tags {
    pub(crate) fn by_number() -> Tags {
        Tags::Numbers((0..1 << 16).map(|_| OnceLock::new()).collect())
    }

    pub(crate) fn by_set() -> Tags {
        Tags::Sets((0..256).map(|_| Mutex::default()).collect())
    }

    fn byte(chunks: &[OnceLock<Box<[AtomicU8]>>], number: u64) -> &AtomicU8 {
        let chunk = chunks[number as usize / CHUNK].get_or_init(|| (0..CHUNK).map(|_| AtomicU8::new(0)).collect());
        &chunk[number as usize % CHUNK]
    }

    /// Looks a state up, and says whether it belongs to `level`, the one that is being made: what is new does.
    pub(crate) fn put<H: Handle>(&self, handle: &mut H, state: &[u8], hash: u64, level: u64) -> (Found, bool) {
        match self {
            Tags::Numbers(chunks) => {
                let found = handle.put(state, hash);
                let open = 1 + (level % 2) as u8;
                match found {
                    Found::New(n) => {
                        Self::byte(chunks, n).store(open, Ordering::Relaxed);
                        (found, true)
                    }
                    Found::Seen(n) => {
                        let tag = Self::byte(chunks, n).load(Ordering::Relaxed);
                        (found, tag == 0 || tag == open)
                    }
                    Found::Full => (found, false),
                }
            }
            Tags::Sets(sets) => {
                // No lock is held while the store is asked: it may wait for the other workers. Who meets a state between
                // its storing and its entry here takes it for an old one, which costs reduction and nothing else.
                let found = handle.put(state, hash);
                let set = |n: u64| {
                    let shard = (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as usize;
                    sets[shard].lock().expect("no worker panics while it holds a set")
                };
                match found {
                    Found::New(n) => {
                        set(n).insert(n);
                        (found, true)
                    }
                    Found::Seen(n) => (found, set(n).contains(&n)),
                    Found::Full => (found, false),
                }
            }
        }
    }

    /// The same for a single worker, where what waits in the level that is being expanded counts as well: it was found
    /// later than the state in hand. Only numbers that index an array tell.
    pub(crate) fn put_queued<H: Handle>(&self, handle: &mut H, state: &[u8], hash: u64, level: u64) -> (Found, bool) {
        let (found, is_next) = self.put(handle, state, hash, level);
        let waits = match (self, found) {
            (Tags::Numbers(chunks), Found::Seen(n)) => Self::byte(chunks, n).load(Ordering::Relaxed) != CLOSED,
            _ => false,
        };
        (found, is_next || waits)
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
