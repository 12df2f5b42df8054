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

/// How many states other stores take together.
pub(crate) const GROUP: usize = 32;
/// How many states lossy stores take together.
pub(crate) const LARGE_GROUP: usize = 256;
/// How many states are hashed before the first of them is looked up, and from then on ahead of the others.
pub(crate) const AHEAD: usize = 32;
/// A lookup that begins at the end of a line often goes on in the next one: the slot this far behind its home is there, too.
const NEXT: usize = 3;

/// How far a group was put.
enum Put {
    /// So many states; slots may have moved since the others were prefetched.
    Some(usize),
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

/// The first of these states that have one length, a group at most.
#[inline(always)]
pub(crate) fn group_of(spans: &[Span]) -> &[Span] {
    same_length(&spans[..spans.len().min(GROUP)])
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
    let mut done = 0;
    while let Some(&Span { len, .. }) = spans.get(done) {
        let group = same_length(&spans[done..]);
        let mut group = Group { handle, bytes, spans: group, first: done, len: len as usize, hash, fresh };
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
                _ => group.put::<0>(),
            }
        };
        match put {
            Put::Some(put) => done += put,
            Put::Full(put) => return done + put,
        }
    }
    done
}

/// Some states of one length.
struct Group<'a, 's> {
    handle: &'a mut ExactHandle<'s>,
    bytes: &'a [u8],
    spans: &'a [Span],
    /// What stands before them in the batch.
    first: usize,
    len: usize,
    hash: &'a StateHash,
    fresh: &'a mut Vec<Fresh>,
}

impl Group<'_, '_> {
    /// The hash of a state and its home slot, which is brought near.
    #[inline(always)]
    fn aim(&self, span: &Span, len: usize) -> (u64, *const AtomicU64) {
        let hash = self.hash.of(&self.bytes[span.start as usize..][..len]);
        let home = self.handle.store.index.home(hash);
        prefetch(home);
        prefetch(home.wrapping_add(NEXT));
        (hash, home)
    }

    /// # Safety
    /// `WORDS` is 0, or how many words of eight bytes the states take, rounded up.
    unsafe fn put<const WORDS: usize>(&mut self) -> Put {
        let (store, len) = (self.handle.store, self.len);
        if WORDS > 0 {
            // SAFETY: by the caller. The hash has no loop when this is known.
            unsafe { std::hint::assert_unchecked(len > 8 * (WORDS - 1) && len <= 8 * WORDS) };
        }
        let mut ahead: [(u64, *const AtomicU64); AHEAD] = [(0, std::ptr::null()); AHEAD];
        for (place, span) in ahead.iter_mut().zip(self.spans) {
            *place = self.aim(span, len);
        }
        let mut later = self.spans.iter().skip(AHEAD);
        'states: for (i, span) in self.spans.iter().enumerate() {
            let (hash, home) = ahead[i % AHEAD];
            if let Some(span) = later.next() {
                ahead[i % AHEAD] = self.aim(span, len);
            }
            let state = &self.bytes[span.start as usize..][..len];
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
                Some(Found::New(number)) => self.fresh.push(Fresh { index: (self.first + i) as u32, number }),
                Some(_) => return Put::Full(i),
                None => return self.put_missing(state, hash, i),
            }
        }
        Put::Some(self.spans.len())
    }

    /// Puts a state that found no slot at once, or that another worker was faster with.
    #[cold]
    fn put_missing(&mut self, state: &[u8], hash: u64, i: usize) -> Put {
        match self.handle.put_missing(state, hash) {
            Found::Full => return Put::Full(i),
            Found::New(number) => self.fresh.push(Fresh { index: (self.first + i) as u32, number }),
            Found::Seen(_) => {}
        }
        Put::Some(i + 1)
    }
}
