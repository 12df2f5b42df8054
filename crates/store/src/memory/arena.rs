//! The arena: where states lie, in chunks of up to 4096 states of one length.
//!
//! What a chunk holds may also be keys that stand for states; its *meaning* says so. A state's number is its place: chunk and position, plus one, so that 0 is never a number. Numbers are dense inside a
//! chunk, and a worker fills one chunk of each length at a time. No state ever moves, but a chunk may: the first chunk a
//! worker opens for a length starts with room for 64 states and is copied into larger blocks twice. The old block stays as
//! it is until the arena is dropped, so that a reader of the old block sees the same bytes.
//!
//! Shared between threads: the directory, written when a chunk is opened or enlarged; the count of each chunk, written by
//! its owner once per new state, and read by others only when they read a state by number. Counts lie apart from the
//! directory so that filling a chunk does not invalidate cache lines that are read to compare states.
//!
//! Publication: a state is written before its number is published, and numbers are published with Release and read with
//! Acquire (by the index, and by the count). A thread that has a number sees the bytes, and a chunk that contains them.

use crate::memory::block::{Mapping, Pool};
use crate::memory::budget::Account;
use crate::memory::bytes;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering::*};

const CHUNK_BITS: u32 = 12;
/// States of a chunk.
pub(crate) const CHUNK_STATES: usize = 1 << CHUNK_BITS;
const CHUNKS_MAX: usize = 1 << (32 - CHUNK_BITS);
/// Chunks that every directory has room for, however little memory there is.
const CHUNKS_MIN: usize = 1 << 10;
/// The directories take no more address space than this part of what the states may take. A chunk that is full has 4096
/// states, so that the memory is used up long before the directory is.
const DIRECTORY_SHARE: usize = 8;
/// TableMapping of the first chunk of a length, before it is enlarged.
const FIRST_STATES: usize = 64;
const ENLARGE: usize = 8;
/// Only part of the reserved directories is ever touched; this much of them is charged with each chunk.
const DIRECTORY_BYTES: usize = size_of::<Chunk>() + size_of::<Count>();

#[repr(C)]
struct Chunk {
    states: AtomicPtr<u8>,
    /// Length of its states.
    len: AtomicU32,
    /// What its bytes mean; 0 for states as they are.
    meaning: AtomicU32,
}

/// How many states of a chunk are published; on a line of its own, because its owner writes it for every new state.
#[repr(align(64))]
struct Count(AtomicU32);

/// All states, by number.
pub(crate) struct Arena {
    directory: *const Chunk,
    counts: *const Count,
    _mappings: [Mapping; 2],
    /// Chunks that the directories have room for.
    chunks_max: usize,
    /// Chunks given to workers so far.
    chunks: AtomicU32,
    /// Where chunks lie, also those that were too small; nothing is ever given back.
    pool: Pool,
}

// SAFETY: what the pointers lead to belongs to the arena and is shared as the head of this file says.
unsafe impl Send for Arena {}
// SAFETY: as above.
unsafe impl Sync for Arena {}

/// Where something lies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) start: *const u8,
    pub(crate) len: usize,
    pub(crate) meaning: u32,
}

/// The chunk of one length that a worker fills.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Open {
    chunk: u32,
    /// States in it.
    used: u32,
    /// States it has room for.
    room: u32,
    /// Where its states are.
    states: *mut u8,
}

impl Arena {
    /// An empty arena; `None` when there is no memory at all.
    pub(crate) fn new(account: &Arc<Account>) -> Option<Arena> {
        let limit = account.budget().limit_bytes().map_or(usize::MAX, |bytes| bytes.try_into().unwrap_or(usize::MAX));
        let wanted = (limit / DIRECTORY_SHARE / DIRECTORY_BYTES).clamp(CHUNKS_MIN, CHUNKS_MAX);
        // Where address space is scarce, a smaller directory may still be granted.
        let sizes = std::iter::successors(Some(wanted), |chunks| Some(chunks / 2)).take_while(|c| *c >= CHUNKS_MIN);
        let (chunks_max, [directory, counts]) = sizes.into_iter().find_map(|chunks| {
            let directory = Mapping::sparse(chunks * size_of::<Chunk>())?;
            Some((chunks, [directory, Mapping::sparse(chunks * size_of::<Count>())?]))
        })?;
        Some(Arena {
            chunks_max,
            directory: directory.start().cast(),
            counts: counts.start().cast(),
            _mappings: [directory, counts],
            chunks: AtomicU32::new(0),
            pool: Pool::new(account.clone()),
        })
    }

    #[inline(always)]
    fn chunk(&self, chunk: usize) -> &Chunk {
        debug_assert!(chunk < self.chunks_max);
        // SAFETY: the directory has room for `chunks_max` chunks, no number of another one is given or passes `check`, and
        // zeros are a valid `Chunk`.
        unsafe { &*self.directory.add(chunk) }
    }

    #[inline(always)]
    fn count(&self, chunk: usize) -> &AtomicU32 {
        debug_assert!(chunk < self.chunks_max);
        // SAFETY: as above.
        unsafe { &(*self.counts.add(chunk)).0 }
    }

    /// Whether the state with this number, which was read with Acquire where it was published, is this one.
    #[inline(always)]
    pub(crate) fn holds(&self, number: u32, state: &[u8]) -> bool {
        // SAFETY: no words are promised.
        unsafe { self.holds_words::<0>(number, state) }
    }

    /// The same for states that take `WORDS` words.
    ///
    /// # Safety
    /// As for [`bytes::equal_words`].
    #[inline(always)]
    pub(crate) unsafe fn holds_words<const WORDS: usize>(&self, number: u32, state: &[u8]) -> bool {
        let index = (number - 1) as usize;
        let chunk = self.chunk(index >> CHUNK_BITS);
        let len = state.len();
        // SAFETY: the number was published after the chunk was opened and the state written; both are seen because the
        // number was read with Acquire. Published states are never written again. Words: by the caller.
        len == chunk.len.load(Relaxed) as usize
            && unsafe {
                let at = chunk.states.load(Acquire).add((index & (CHUNK_STATES - 1)) * len);
                bytes::equal_words::<WORDS>(at, state.as_ptr(), len)
            }
    }

    /// Where the bytes of this number are, how many, and their meaning. The number was read with Acquire where it was
    /// published.
    #[inline(always)]
    pub(crate) fn place(&self, number: u32) -> Place {
        let index = (number - 1) as usize;
        let chunk = self.chunk(index >> CHUNK_BITS);
        let len = chunk.len.load(Relaxed) as usize;
        let start = chunk.states.load(Acquire).wrapping_add((index & (CHUNK_STATES - 1)) * len);
        Place { start, len, meaning: chunk.meaning.load(Relaxed) }
    }

    /// The same for a number that was possibly never given.
    ///
    /// # Panics
    /// Panics when the number was never given.
    #[inline]
    pub(crate) fn checked_place(&self, number: u64) -> Place {
        self.check(number);
        self.place(number as u32)
    }

    /// The state with this number.
    ///
    /// # Panics
    /// Panics when the number was never given.
    #[inline]
    pub(crate) fn read(&self, number: u64) -> &[u8] {
        let (chunk, position) = self.check(number);
        // SAFETY: the count says that the state was published.
        unsafe { self.state(chunk, position) }
    }

    /// The chunk of a number and its position in it, which are published.
    #[inline(always)]
    fn check(&self, number: u64) -> (usize, usize) {
        let index = number.wrapping_sub(1);
        assert!(index < (self.chunks_max * CHUNK_STATES) as u64, "no state has this number");
        let (chunk, position) = (index as usize >> CHUNK_BITS, index as usize & (CHUNK_STATES - 1));
        if self.count(chunk).load(Acquire) as usize <= position {
            self.await_count(chunk, position);
        }
        (chunk, position)
    }

    /// The states with these numbers, as many from the first on as lie one behind the other, and the length of each.
    ///
    /// # Panics
    /// Panics when a number was never given.
    #[inline]
    pub(crate) fn read_run(&self, numbers: &[u64]) -> (&[u8], usize) {
        let first = numbers[0];
        let state = self.read(first);
        let rest = CHUNK_STATES - ((first - 1) as usize & (CHUNK_STATES - 1));
        let count = numbers.iter().zip(first..).take(rest).take_while(|(number, next)| **number == *next).count();
        let last = self.read(first + count as u64 - 1);
        debug_assert_eq!(last.len(), state.len());
        // SAFETY: states of a chunk have one length and lie one behind the other; the last of these was published, and those
        // before it by the same worker earlier.
        (unsafe { std::slice::from_raw_parts(state.as_ptr(), count * state.len()) }, state.len())
    }

    /// Its owner counts a state just after it has published it: another worker that found it at once can be earlier.
    #[cold]
    fn await_count(&self, chunk: usize, position: usize) {
        for _ in 0..1_000_000 {
            let count = self.count(chunk).load(Acquire) as usize;
            if count > position {
                return;
            }
            let opened = chunk < self.chunks.load(Acquire) as usize;
            assert!(opened && count == position, "no state has this number");
            std::thread::yield_now();
        }
        panic!("no state has this number");
    }

    /// # Safety
    /// The state was published, and the caller has seen that with Acquire.
    unsafe fn state(&self, chunk: usize, position: usize) -> &[u8] {
        let chunk = self.chunk(chunk);
        let len = chunk.len.load(Relaxed) as usize;
        // SAFETY: by the caller.
        unsafe { std::slice::from_raw_parts(chunk.states.load(Acquire).add(position * len), len) }
    }

    /// Walks all states in the order of their numbers; those that are stored meanwhile may be left out.
    pub(crate) fn each(&self, f: &mut dyn FnMut(u64, u32, &[u8])) {
        for chunk in 0..self.chunks.load(Acquire) as usize {
            for position in 0..self.count(chunk).load(Acquire) as usize {
                let number = ((chunk << CHUNK_BITS) + position + 1) as u64;
                // SAFETY: the count, read with Acquire, covers it.
                let bytes = unsafe { self.state(chunk, position) };
                f(number, self.chunk(chunk).meaning.load(Relaxed), bytes);
            }
        }
    }

    /// How many states there are.
    pub(crate) fn states(&self) -> u64 {
        (0..self.chunks.load(Acquire) as usize).map(|chunk| u64::from(self.count(chunk).load(Acquire))).sum()
    }

    /// Bytes of chunks, also of those that were too small.
    pub(crate) fn bytes(&self) -> u64 {
        self.pool.touched_bytes()
    }

    /// More than every number given.
    pub(crate) fn bound(&self) -> u64 {
        (u64::from(self.chunks.load(Acquire)) << CHUNK_BITS) + 1
    }

    /// A chunk for states of this length, or a larger block for the one that is full; `None` when there is no memory.
    #[cold]
    pub(crate) fn open(&self, len: usize, meaning: u32, old: Option<Open>) -> Option<Open> {
        if u32::try_from(len).is_err() {
            return None;
        }
        let enlarged = old.filter(|old| (old.room as usize) < CHUNK_STATES);
        let room = match (enlarged, old) {
            (Some(old), _) => old.room as usize * ENLARGE,
            (None, Some(_)) => CHUNK_STATES,
            (None, None) => FIRST_STATES,
        };
        let block = self.pool.raw((room * len).max(1))?;
        let states = block.start();
        let chunk = match enlarged {
            Some(old) => old.chunk,
            None => self.next_chunk()?,
        };
        let entry = self.chunk(chunk as usize);
        let used = enlarged.map_or(0, |old| old.used);
        if let Some(old) = enlarged {
            // SAFETY: the old block has `used` states, written by this worker; the new one has room for more.
            unsafe { std::ptr::copy_nonoverlapping(old.states, states, old.used as usize * len) }
        }
        entry.len.store(len as u32, Relaxed);
        entry.meaning.store(meaning, Relaxed);
        // Release: a thread with an old number that reads the new pointer must see what was copied.
        entry.states.store(states, Release);
        Some(Open { chunk, used, room: room as u32, states })
    }

    fn next_chunk(&self) -> Option<u32> {
        if !self.pool.account().take(DIRECTORY_BYTES) {
            return None;
        }
        self.chunks.fetch_update(AcqRel, Acquire, |n| ((n as usize) < self.chunks_max - 1).then_some(n + 1)).ok()
    }

    /// Counts the state that was just published.
    #[inline(always)]
    pub(crate) fn publish(&self, open: &mut Open) {
        open.used += 1;
        self.count(open.chunk as usize).store(open.used, Release);
    }
}

impl Open {
    /// Whether another state fits.
    #[inline(always)]
    pub(crate) fn has_room(&self) -> bool {
        self.used < self.room
    }

    /// Writes a state that takes `WORDS` words where it may be published next, and says the number it would have.
    ///
    /// # Safety
    /// As for [`bytes::copy_words`].
    #[inline(always)]
    unsafe fn write_words<const WORDS: usize>(&mut self, state: &[u8]) -> u32 {
        debug_assert!(self.has_room());
        let to = self.states.wrapping_add(self.used as usize * state.len());
        // SAFETY: there is room, no other thread writes to an open chunk, and no number beyond `used` was published. Words: by the
        // caller.
        unsafe { bytes::copy_words::<WORDS>(state.as_ptr(), to, state.len()) };
        ((self.chunk << CHUNK_BITS) | self.used) + 1
    }

    /// The same for 4 to 8 bytes, which come as a word.
    #[inline(always)]
    pub(crate) fn write_short(&mut self, word: u64, len: usize) -> u32 {
        assert!(self.has_room() && (4..=8).contains(&len), "a pair has 4 to 8 bytes");
        let at = self.states.wrapping_add(self.used as usize * len);
        // Two halves that may overlap: what lies behind is not used yet, but may lie beyond the chunk.
        // SAFETY: there is room, no other thread writes to an open chunk, and no number beyond `used` was published.
        unsafe {
            at.cast::<u32>().write_unaligned((word as u32).to_le());
            at.add(len - 4).cast::<u32>().write_unaligned(((word >> (8 * (len - 4))) as u32).to_le());
        }
        ((self.chunk << CHUNK_BITS) | self.used) + 1
    }
}

/// The open chunks of one worker, by length of states.
#[derive(Default)]
pub(crate) struct OpenChunks {
    /// The one that was written to last, and the length of its states.
    current: Option<Open>,
    len: usize,
    /// The others, by length.
    others: Vec<Option<Open>>,
}

// SAFETY: the pointers lead into blocks that live as long as the arena, and only the holder writes through them.
unsafe impl Send for OpenChunks {}

impl OpenChunks {
    /// Writes a state where it may be published next, and says the number it would have; `None` when there is no memory.
    #[inline(always)]
    pub(crate) fn write(&mut self, state: &[u8], arena: &Arena) -> Option<u32> {
        // SAFETY: no words are promised.
        unsafe { self.write_words::<0>(state, arena) }
    }

    /// The same for states that take `WORDS` words.
    ///
    /// # Safety
    /// As for [`bytes::copy_words`].
    #[inline(always)]
    pub(crate) unsafe fn write_words<const WORDS: usize>(&mut self, state: &[u8], arena: &Arena) -> Option<u32> {
        let open = match &mut self.current {
            Some(open) if self.len == state.len() && open.has_room() => open,
            _ => self.renew(state.len(), arena)?,
        };
        // SAFETY: by the caller.
        Some(unsafe { open.write_words::<WORDS>(state) })
    }

    /// Counts the state that was written last and is now published.
    #[inline(always)]
    pub(crate) fn publish(&mut self, arena: &Arena) {
        if let Some(open) = &mut self.current {
            arena.publish(open);
        }
    }

    /// Turns to the chunk for another length, and opens one where there is none with room.
    #[inline(never)]
    fn renew(&mut self, len: usize, arena: &Arena) -> Option<&mut Open> {
        if self.len != len {
            let longest = self.len.max(len);
            if self.others.len() <= longest {
                self.others.resize(longest + 1, None);
            }
            self.others[self.len] = self.current.take();
            self.current = self.others[len].take();
            self.len = len;
        }
        if !self.current.as_ref().is_some_and(Open::has_room) {
            self.current = Some(arena.open(len, 0, self.current)?);
        }
        self.current.as_mut()
    }
}
