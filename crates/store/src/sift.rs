//! How the exact store goes through a batch of states: the hot loop of most searches.
//!
//! States of one length are taken together. Each is hashed, and its home slot brought near, some states before it is looked
//! up: in between, the memory has time. The length is known in words, so that hashing, comparing and copying have no loops. What is rare
//! (no slot, another worker, a store that grows) is left to [`ExactHandle::put_missing`].

use crate::block::prefetch;
use crate::exact::ExactHandle;
use crate::index::tag_of;
use ferrospin_system::{Found, Fresh, Span, StateHash};
use std::sync::atomic::{AtomicU64, Ordering::Acquire};

/// How many states lossy stores take together.
pub(crate) const LARGE_GROUP: usize = 256;
/// How many states are hashed before the first of them is looked up, and from then on ahead of the others.
pub(crate) const AHEAD: usize = 32;
/// A lookup that begins at the end of a line often goes on in the next one: the slot this far behind its home is there, too.
const NEXT: usize = 3;

/// A state that is looked up soon.
#[derive(Clone, Copy)]
struct Aim<'a> {
    state: &'a [u8],
    hash: u64,
    home: *const AtomicU64,
}

impl Aim<'_> {
    /// None, to begin with.
    const NONE: Aim<'static> = Aim { state: &[], hash: 0, home: std::ptr::null() };
}

/// How far a group was put.
enum Put {
    /// So many states.
    Some(usize),
    /// So many states; slots may have moved since the others were prefetched.
    Moved(usize),
    /// So many states, and there is no room for the next one.
    Full(usize),
}

/// The first of these states that have one length.
#[inline(always)]
fn same_length(spans: &[Span]) -> &[Span] {
    let Some(&Span { len, .. }) = spans.first() else { return spans };
    // Some at a time, because a processor compares several at once, and nearly always all are of one length.
    let alike = |some: &[Span]| some.iter().fold(0, |other, span| other | (span.len ^ len)) == 0;
    let whole = spans.chunks(16).take_while(|some| alike(some)).count() * 16;
    let rest = spans.get(whole..).unwrap_or_default();
    &spans[..spans.len().min(whole) + rest.iter().take_while(|span| span.len == len).count()]
}

/// These one after the other, each brought near so many before its turn.
#[inline(always)]
pub(crate) fn brought_near<T>(items: &[T], ahead: usize, bring: impl Fn(&T)) -> impl Iterator<Item = &T> {
    items.iter().take(ahead).for_each(&bring);
    let mut later = items.iter().skip(ahead);
    items.iter().inspect(move |_| later.next().into_iter().for_each(&bring))
}

/// See [`ferrospin_system::Handle::sift`].
pub(crate) fn sift(
    handle: &mut ExactHandle<'_>,
    bytes: &[u8],
    spans: &[Span],
    hash: &StateHash,
    fresh: &mut Vec<Fresh>,
) -> usize {
    let (mut done, mut aims, mut aimed) = (0, [Aim::NONE; AHEAD], 0);
    while let Some(&Span { len, .. }) = spans.get(done) {
        let end = done + same_length(&spans[done..]).len();
        let (first, len) = (done, len as usize);
        let mut group = Group { handle, bytes, spans, first, end, len, hash, fresh, aims: &mut aims, aimed };
        // SAFETY: the length takes so many words.
        let put = unsafe {
            match len.div_ceil(8) {
                2 => group.put::<2>(),
                3 => group.put::<3>(),
                4 => group.put::<4>(),
                5 => group.put::<5>(),
                6 => group.put::<6>(),
                7 => group.put::<7>(),
                8 => group.put::<8>(),
                9 => group.put::<9>(),
                10 => group.put::<10>(),
                11 => group.put::<11>(),
                12 => group.put::<12>(),
                13 => group.put::<13>(),
                14 => group.put::<14>(),
                15 => group.put::<15>(),
                16 => group.put::<16>(),
                17 => group.put::<17>(),
                18 => group.put::<18>(),
                19 => group.put::<19>(),
                20 => group.put::<20>(),
                21 => group.put::<21>(),
                22 => group.put::<22>(),
                23 => group.put::<23>(),
                24 => group.put::<24>(),
                _ => group.put::<0>(),
            }
        };
        (done, aimed) = match put {
            Put::Some(put) => (put, spans.len().min(put + AHEAD)),
            Put::Moved(put) => (put, put),
            Put::Full(put) => return put,
        };
    }
    done
}

/// Some states of one length, and what stands before and behind them in the batch.
struct Group<'a, 'b, 's> {
    handle: &'a mut ExactHandle<'s>,
    bytes: &'b [u8],
    spans: &'a [Span],
    /// Where the group begins and ends.
    first: usize,
    end: usize,
    len: usize,
    hash: &'a StateHash,
    fresh: &'a mut Vec<Fresh>,
    /// By place in the batch, as a ring: those that are looked up next, up to `aimed`.
    aims: &'a mut [Aim<'b>; AHEAD],
    aimed: usize,
}

impl<'b> Group<'_, 'b, '_> {
    /// The hash of a state and its home slot, which is brought near.
    #[inline(always)]
    fn aim(&self, i: usize, len: usize) -> Aim<'b> {
        let state = &self.bytes[self.spans[i].start as usize..][..len];
        let hash = self.hash.of(state);
        let home = self.handle.store.index.home(hash);
        prefetch(home);
        prefetch(home.wrapping_add(NEXT));
        Aim { state, hash, home }
    }

    /// The same for a state behind the group, of whatever length.
    #[inline(never)]
    fn aim_behind(&self, i: usize) -> Aim<'b> {
        self.aim(i, self.spans[i].len as usize)
    }

    /// # Safety
    /// `WORDS` is 0, or how many words of eight bytes the states take, rounded up.
    unsafe fn put<const WORDS: usize>(&mut self) -> Put {
        let (store, len) = (self.handle.store, self.len);
        if WORDS > 0 {
            // SAFETY: by the caller. The hash has no loop when this is known.
            unsafe { std::hint::assert_unchecked(len > 8 * (WORDS - 1) && len <= 8 * WORDS) };
        }
        for i in self.aimed..self.spans.len().min(self.first + AHEAD) {
            self.aims[i % AHEAD] = if i < self.end { self.aim(i, len) } else { self.aim_behind(i) };
        }
        'states: for i in self.first..self.end {
            let Aim { state, hash, home } = self.aims[i % AHEAD];
            let next = i + AHEAD;
            if next < self.end {
                self.aims[i % AHEAD] = self.aim(next, len);
            } else if next < self.spans.len() {
                self.aims[i % AHEAD] = self.aim_behind(next);
            }
            // SAFETY: all states of the group have this length.
            unsafe { std::hint::assert_unchecked(state.len() == len) };
            let tag = tag_of::<AtomicU64>(hash);
            let mut slot = home;
            let slot = loop {
                // SAFETY: homes lie inside their segments, nothing has grown since they were found, and the slot behind the
                // last of a segment is empty, which ends the loop.
                let found = unsafe { &*slot };
                let word = found.load(Acquire);
                // SAFETY: by the caller.
                if (word >> 32) as u32 == tag
                    && word != 0
                    && unsafe { store.arena.holds_words::<WORDS>(word as u32, state) }
                {
                    continue 'states;
                }
                if word == 0 {
                    break found;
                }
                slot = slot.wrapping_add(1);
            };
            let filled = if store.index.is_end(home, slot, hash) {
                None
            } else {
                // SAFETY: by the caller.
                unsafe { self.handle.fill::<WORDS>(slot, state, hash) }
            };
            match filled {
                Some(Found::New(number)) => self.fresh.push(Fresh { index: i as u32, number }),
                Some(_) => return Put::Full(i),
                None => return self.put_missing(state, hash, i),
            }
        }
        Put::Some(self.end)
    }

    /// Puts a state that found no slot at once, or that another worker was faster with.
    #[cold]
    fn put_missing(&mut self, state: &[u8], hash: u64, i: usize) -> Put {
        match self.handle.put_missing(state, hash) {
            Found::Full => return Put::Full(i),
            Found::New(number) => self.fresh.push(Fresh { index: i as u32, number }),
            Found::Seen(_) => {}
        }
        Put::Moved(i + 1)
    }
}
