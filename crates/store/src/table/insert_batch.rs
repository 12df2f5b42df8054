//! Insertion of a batch of states into the exact store: the hot loop of most searches.
//!
//! States are processed in blocks, and each block in three steps, so that prefetched memory arrives in time and few branches are
//! unpredictable. First all states are hashed, and their homes prefetched. Then the lines of their homes are read, and the stored
//! states that may be equal are prefetched. Last they are compared with these, which are equal nearly always, and those that
//! were missing are looked up again, because they may have come in with the block, and stored. The next block is hashed
//! between the second step and the last.
//!
//! Where all states of a block have one length, it is known in words, so that hashing, comparing and copying have no loops. What is
//! rare (no slot, another worker, a store that grows) is left to [`ExactHandle::put_missing`].

use crate::memory::block::prefetch;
use crate::memory::bytes;
use crate::table::exact::ExactHandle;
use crate::table::index::tag_of;
use crate::table::slot::Slot;
use ferrospin_system::{Found, Fresh, Span, StateHash};
use std::sync::atomic::{AtomicU64, Ordering::Acquire};

/// States of a group in lossy stores.
pub(crate) const LARGE_GROUP: usize = 256;
/// How many states lossy stores hash before the first of them is looked up, and from then on ahead of the others.
pub(crate) const AHEAD: usize = 32;
/// States of a block in the exact store.
const BLOCK: usize = 32;
const LINE: usize = <AtomicU64 as Slot>::LINE;

/// The items in order, each prefetched `ahead` items before it is yielded.
#[inline(always)]
pub(crate) fn prefetched<T>(items: &[T], ahead: usize, prefetch: impl Fn(&T)) -> impl Iterator<Item = &T> {
    items.iter().take(ahead).for_each(&prefetch);
    let mut later = items.iter().skip(ahead);
    items.iter().inspect(move |_| later.next().into_iter().for_each(&prefetch))
}

/// A state that is looked up soon.
#[derive(Clone, Copy)]
struct Pending<'b> {
    state: &'b [u8],
    hash: u64,
    home: *const AtomicU64,
}

/// States that are looked up together.
struct Block<'b> {
    pending: [Pending<'b>; BLOCK],
    count: usize,
    /// How many words of eight bytes every state takes, rounded up; 0 when they are of several lengths.
    words: usize,
}

/// What the lines of their homes say about the states of a block.
struct Probed {
    /// Where the lookup goes on: at the first slot that is empty or has the state's tag.
    slots: [*const AtomicU64; BLOCK],
    /// What stood there.
    numbers: [u32; BLOCK],
    /// Where the state of this number is, if it is of the same length.
    places: [*const u8; BLOCK],
    /// Those with a slot that has their tag, in order.
    found: [u8; BLOCK],
    found_count: usize,
    /// The others, in order.
    missing: [u8; BLOCK],
    missing_count: usize,
}

/// How a block was put.
enum Put {
    /// All of it.
    All,
    /// All of it; slots may have moved since the homes of the next one were prefetched.
    Moved,
    /// This many states, and the store is full for the next one.
    Full(usize),
}

/// Calls the instance for this number of words.
macro_rules! for_words {
    ($words:expr, $block:expr, $call:ident($($argument:expr),*)) => {
        match $words {
            2 => $block.$call::<2>($($argument),*),
            3 => $block.$call::<3>($($argument),*),
            4 => $block.$call::<4>($($argument),*),
            5 => $block.$call::<5>($($argument),*),
            6 => $block.$call::<6>($($argument),*),
            7 => $block.$call::<7>($($argument),*),
            8 => $block.$call::<8>($($argument),*),
            9 => $block.$call::<9>($($argument),*),
            10 => $block.$call::<10>($($argument),*),
            11 => $block.$call::<11>($($argument),*),
            12 => $block.$call::<12>($($argument),*),
            13 => $block.$call::<13>($($argument),*),
            14 => $block.$call::<14>($($argument),*),
            15 => $block.$call::<15>($($argument),*),
            16 => $block.$call::<16>($($argument),*),
            17 => $block.$call::<17>($($argument),*),
            18 => $block.$call::<18>($($argument),*),
            19 => $block.$call::<19>($($argument),*),
            20 => $block.$call::<20>($($argument),*),
            21 => $block.$call::<21>($($argument),*),
            22 => $block.$call::<22>($($argument),*),
            23 => $block.$call::<23>($($argument),*),
            24 => $block.$call::<24>($($argument),*),
            _ => $block.$call::<0>($($argument),*),
        }
    };
}

/// See [`ferrospin_system::Handle::insert_batch`].
pub(crate) fn insert_batch(
    handle: &mut ExactHandle<'_>,
    bytes: &[u8],
    spans: &[Span],
    hash: &StateHash,
    fresh: &mut Vec<Fresh>,
) -> usize {
    let (mut one, mut other, mut probed) = (Block::new(), Block::new(), Probed::new());
    let (mut now, mut next) = (&mut one, &mut other);
    let mut blocks = spans.chunks(BLOCK);
    let Some(first) = blocks.next() else { return 0 };
    now.prepare(handle, bytes, first, hash);
    let mut done = 0;
    loop {
        now.probe(handle, &mut probed);
        let following = blocks.next();
        following.iter().for_each(|spans| next.prepare(handle, bytes, spans, hash));
        let put = now.put(handle, &mut probed, done, fresh);
        if let Put::Full(put) = put {
            return done + put;
        }
        done += now.count;
        let Some(following) = following else { return done };
        if let Put::Moved = put {
            next.prepare(handle, bytes, following, hash);
        }
        std::mem::swap(&mut now, &mut next);
    }
}

impl<'b> Block<'b> {
    fn new() -> Self {
        Block { pending: [Pending { state: &[], hash: 0, home: std::ptr::null() }; BLOCK], count: 0, words: 0 }
    }

    /// Hashes these states and prefetches their homes.
    fn prepare(&mut self, handle: &ExactHandle<'_>, bytes: &'b [u8], spans: &[Span], hash: &StateHash) {
        let len = spans[0].len;
        let alike = spans.iter().fold(0, |other, span| other | (span.len ^ len)) == 0;
        self.words = if alike { len.div_ceil(8) as usize } else { 0 };
        // SAFETY: the length takes that number of words.
        unsafe { for_words!(self.words, self, prepare_words(handle, bytes, spans, hash)) }
    }

    /// # Safety
    /// `WORDS` is 0, or how many words of eight bytes all states take, rounded up.
    unsafe fn prepare_words<const WORDS: usize>(
        &mut self,
        handle: &ExactHandle<'_>,
        bytes: &'b [u8],
        spans: &[Span],
        hash: &StateHash,
    ) {
        self.count = spans.len();
        let common = spans[0].len;
        for (span, pending) in spans.iter().zip(&mut self.pending) {
            let len = if WORDS > 0 { common } else { span.len };
            let state = &bytes[span.start as usize..][..len as usize];
            // SAFETY: by the caller. The hash has no loop when this is known.
            unsafe { assume_words::<WORDS>(state, common as usize) };
            let hash = hash.of(state);
            let home = handle.store.index.home(hash);
            prefetch(home);
            *pending = Pending { state, hash, home };
        }
    }

    /// Reads the lines of the homes, and prefetches the stored states that may be equal.
    #[inline(never)]
    fn probe(&self, handle: &ExactHandle<'_>, probed: &mut Probed) {
        let (mut found, mut missing) = (0, 0);
        for (i, pending) in self.pending[..self.count].iter().enumerate() {
            let tag = u64::from(tag_of::<AtomicU64>(pending.hash)) << 32;
            let mut line = pending.home;
            let slot = loop {
                // SAFETY: homes lie inside their segments, whose last line is empty, which ends the loop; and nothing has grown
                // since they were found.
                let slots = unsafe { std::slice::from_raw_parts(line, LINE) };
                if let Some(slot) = slots.get(AtomicU64::others(slots, tag)) {
                    break slot;
                }
                line = line.wrapping_add(LINE);
            };
            let number = slot.load(Acquire) as u32;
            (probed.slots[i], probed.numbers[i]) = (slot, number);
            // Which of the two it is cannot be foreseen.
            probed.found[found % BLOCK] = i as u8;
            found += usize::from(number != 0);
            probed.missing[missing % BLOCK] = i as u8;
            missing += usize::from(number == 0);
        }
        (probed.found_count, probed.missing_count) = (found, missing);
        for i in probed.found[..found].iter().map(|i| usize::from(*i) % BLOCK) {
            let place = handle.store.arena.place(probed.numbers[i]);
            prefetch(place.start);
            prefetch(place.start.wrapping_add(place.len.saturating_sub(1)));
            probed.places[i] = if place.len == self.pending[i].state.len() { place.start } else { std::ptr::null() };
        }
    }

    /// Stores what is missing, of a block that begins at `first`.
    fn put(&self, handle: &mut ExactHandle<'_>, probed: &mut Probed, first: usize, fresh: &mut Vec<Fresh>) -> Put {
        // SAFETY: the states take that number of words.
        unsafe { for_words!(self.words, self, put_words(handle, probed, first, fresh)) }
    }

    /// # Safety
    /// `WORDS` is 0, or how many words of eight bytes all states take, rounded up.
    unsafe fn put_words<const WORDS: usize>(
        &self,
        handle: &mut ExactHandle<'_>,
        probed: &mut Probed,
        first: usize,
        fresh: &mut Vec<Fresh>,
    ) -> Put {
        let (store, common) = (handle.store, self.pending[0].state.len());
        for at in 0..probed.found_count.min(BLOCK) {
            let i = probed.found[at];
            let state = self.pending[usize::from(i) % BLOCK].state;
            let place = probed.places[usize::from(i) % BLOCK];
            // SAFETY: by the caller; and a stored state of the same length is there, which never changes.
            let same = unsafe {
                assume_words::<WORDS>(state, common);
                !place.is_null() && bytes::equal_words::<WORDS>(place, state.as_ptr(), state.len())
            };
            if !same {
                probed.miss(i);
            }
        }
        let mut moved = false;
        for i in &probed.missing[..probed.missing_count] {
            let Pending { state, hash, home } = self.pending[usize::from(*i) % BLOCK];
            // SAFETY: by the caller.
            unsafe { assume_words::<WORDS>(state, common) };
            let mut filled = None;
            if !moved {
                let tag = tag_of::<AtomicU64>(hash);
                let mut slot = probed.slots[usize::from(*i) % BLOCK];
                let empty = loop {
                    // SAFETY: nothing has grown since the line of the home was looked at; the last line of a segment is empty,
                    // which ends the loop.
                    let here = unsafe { &*slot };
                    let word = here.load(Acquire);
                    if word == 0 {
                        break Some(here);
                    }
                    // SAFETY: by the caller.
                    if (word >> 32) as u32 == tag && unsafe { store.arena.holds_words::<WORDS>(word as u32, state) } {
                        break None;
                    }
                    slot = slot.wrapping_add(1);
                };
                let Some(slot) = empty else { continue };
                if !store.index.is_end(home, slot, hash) {
                    // SAFETY: by the caller.
                    filled = unsafe { handle.fill::<WORDS>(slot, state, hash) };
                }
            }
            // No slot at once, or another worker was faster; and then slots may have moved.
            moved |= filled.is_none();
            match filled.unwrap_or_else(|| handle.put_missing(state, hash)) {
                Found::New(number) => fresh.push(Fresh { index: first as u32 + u32::from(*i), number }),
                Found::Seen(_) => {}
                Found::Full => return Put::Full(usize::from(*i)),
            }
        }
        if moved { Put::Moved } else { Put::All }
    }
}

impl Probed {
    fn new() -> Self {
        Probed {
            slots: [std::ptr::null(); BLOCK],
            numbers: [0; BLOCK],
            places: [std::ptr::null(); BLOCK],
            found: [0; BLOCK],
            found_count: 0,
            missing: [0; BLOCK],
            missing_count: 0,
        }
    }

    /// What was found for a state is another one: it may be missing.
    #[cold]
    fn miss(&mut self, i: u8) {
        let at = self.missing[..self.missing_count].partition_point(|other| *other < i);
        self.missing.copy_within(at..self.missing_count, at + 1);
        self.missing[at] = i;
        self.missing_count += 1;
    }
}

/// Lets the compiler assume the length of a state.
///
/// # Safety
/// `WORDS` is 0; or the state is of this length, and takes `WORDS` words of eight bytes, rounded up.
#[inline(always)]
unsafe fn assume_words<const WORDS: usize>(state: &[u8], len: usize) {
    if WORDS > 0 {
        // SAFETY: by the caller.
        unsafe { std::hint::assert_unchecked(state.len() == len && len > 8 * (WORDS - 1) && len <= 8 * WORDS) };
    }
}
