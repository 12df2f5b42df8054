//! Roots: a pair of 32-bit halves becomes a dense number, and the number leads back to the pair.
//!
//! Pairs lie in an arena by number; an index of narrow slots finds them. There is one per state, and they are packed: a
//! chunk says how many bytes a pair has and how many bits of them are the left half, and a worker opens a new kind of chunk
//! when halves outgrow it. Old chunks stay as they are, so that no number ever changes. The shape of a root is a property of
//! its chunk too.
//!
//! Shared between threads: as in [`crate::table::index`] and [`crate::memory::arena`].

use crate::memory::arena::{Arena, Open, Place};
use crate::memory::block::prefetch;
use crate::memory::budget::Account;
use crate::safepoint::gate::Standing;
use crate::table::index::{Index, Inserted, Keys, ProbeStart};
use crate::table::load::Counts;
use crate::table::probe::Lookup;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

/// A pair, and the shape it belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Pair {
    pub(crate) left: u32,
    pub(crate) right: u32,
    pub(crate) shape: u32,
}

impl Pair {
    #[inline(always)]
    pub(crate) fn hash(self) -> u64 {
        let mut x = (u64::from(self.left) << 32 | u64::from(self.right)) ^ (u64::from(self.shape) << 27);
        x = (x ^ (x >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        x = (x ^ (x >> 29)).wrapping_mul(0x9E6C_63D0_876A_68EF);
        x ^ (x >> 32)
    }

    /// Reads a pair where it lies.
    ///
    /// # Safety
    /// The place is that of a published pair.
    #[inline(always)]
    unsafe fn read(place: Place) -> Pair {
        let left_bits = place.meaning & 63;
        // Two halves that may overlap: not a byte more than the pair has is read, because its neighbour may be written.
        // SAFETY: a pair has 4 to 8 bytes.
        let word = unsafe {
            let low = place.start.cast::<u32>().read_unaligned();
            let high = place.start.add(place.len - 4).cast::<u32>().read_unaligned();
            u64::from(u32::from_le(low)) | u64::from(u32::from_le(high)) << (8 * (place.len - 4))
        };
        Pair {
            left: (word & ((1 << left_bits) - 1)) as u32,
            right: (word >> left_bits) as u32,
            shape: place.meaning >> 6,
        }
    }
}

/// How pairs lie in a chunk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Packing {
    bytes: usize,
    left_bits: u32,
}

impl Packing {
    fn fits(self, pair: Pair) -> bool {
        u64::from(pair.left) >> self.left_bits == 0
            && u64::from(pair.right) >> (8 * self.bytes as u32 - self.left_bits) == 0
    }

    /// One in which the pair fits; bits that are left over in its last byte go to both halves.
    fn of(pair: Pair) -> Packing {
        let [left, right] = [pair.left, pair.right].map(|half| (32 - half.leading_zeros()).clamp(12, 32));
        let bytes = (left + right).div_ceil(8).max(4);
        let spare = bytes * 8 - left - right;
        Packing { bytes: bytes as usize, left_bits: (left + spare / 2).min(32) }
    }
}

/// Reads published pairs of an arena by number.
#[derive(Clone, Copy)]
pub(crate) struct PairReader<'a>(pub(crate) &'a Arena);

impl PairReader<'_> {
    /// The pair with a number that was read with Acquire from an index of pairs.
    #[inline(always)]
    pub(crate) fn get(self, number: u32) -> Pair {
        // SAFETY: numbers in an index of pairs are those of published pairs.
        unsafe { Pair::read(self.0.place(number)) }
    }

    /// The pair with any number; `None` when it is not that of a pair.
    ///
    /// # Panics
    /// Panics when the number was never given.
    #[inline]
    pub(crate) fn get_checked(self, number: u64) -> Option<Pair> {
        let place = self.0.checked_place(number);
        // SAFETY: the arena has just said that it is published, and the meaning that it is a pair.
        (place.meaning != 0).then(|| unsafe { Pair::read(place) })
    }
}

impl Keys for PairReader<'_> {
    fn bound(&self) -> u64 {
        self.0.bound()
    }

    fn prefetch(&self, number: u32) {
        prefetch(self.0.place(number).start);
    }

    fn hash(&self, number: u32) -> u64 {
        self.get(number).hash()
    }
}

/// Finds pairs and gives them numbers; the arena is named with each call, because several indices may share one.
pub(crate) struct Pairs {
    pub(crate) index: Index<AtomicU32>,
}

/// What a worker keeps of the pairs.
pub(crate) struct PairsHandle {
    counts: Counts,
    writer: Writer,
}

/// The chunk a worker fills, for each shape.
struct Writer {
    open: Vec<Option<(Open, Packing)>>,
}

impl PairsHandle {
    pub(crate) fn new() -> PairsHandle {
        PairsHandle { counts: Counts::new(), writer: Writer { open: Vec::new() } }
    }
}

impl Writer {
    /// Writes a pair where it may be published next.
    #[inline(always)]
    fn write(&mut self, pair: Pair, arena: &Arena) -> Option<u32> {
        let shape = pair.shape as usize;
        if !matches!(self.open.get(shape), Some(Some((open, packing))) if open.has_room() && packing.fits(pair)) {
            self.renew(pair, arena)?;
        }
        let (open, packing) = self.open[shape].as_mut()?;
        let word = u64::from(pair.left) | u64::from(pair.right) << packing.left_bits;
        Some(open.write_short(word, packing.bytes))
    }

    /// Counts the pair that was written last and is now published.
    #[inline(always)]
    fn publish(&mut self, pair: Pair, arena: &Arena) {
        if let Some(Some((open, _))) = self.open.get_mut(pair.shape as usize) {
            arena.publish(open);
        }
    }

    #[cold]
    fn renew(&mut self, pair: Pair, arena: &Arena) -> Option<()> {
        let shape = pair.shape as usize;
        if self.open.len() <= shape {
            self.open.resize_with(shape + 1, || None);
        }
        let old = self.open[shape].take();
        let packing = match old {
            Some((_, packing)) if packing.fits(pair) => packing,
            _ => Packing::of(pair),
        };
        let enlarged = old.filter(|&(_, before)| before == packing).map(|(open, _)| open);
        let open = arena.open(packing.bytes, pair.shape << 6 | packing.left_bits, enlarged)?;
        self.open[shape] = Some((open, packing));
        Some(())
    }
}

// SAFETY: the pointers of open chunks lead into an arena that outlives the handle; only the holder writes through them.
unsafe impl Send for Writer {}

impl Pairs {
    pub(crate) fn new(account: &Arc<Account>) -> Option<Pairs> {
        Some(Pairs { index: Index::new(account)? })
    }

    /// The number of a pair, which is stored where it is missing. Most pairs are there, or find their slot at the first try:
    /// what these need is so little that it is worth a path of its own.
    ///
    /// # Safety
    /// There was no safe point since the start of the probe was computed.
    #[inline(always)]
    pub(crate) unsafe fn intern(
        &self,
        arena: &Arena,
        handle: &mut PairsHandle,
        standing: Standing,
        pair: Pair,
        (hash, start): (u64, ProbeStart<AtomicU32>),
    ) -> Inserted {
        // SAFETY: by the caller.
        match unsafe { self.index.look_at(&start, |number| PairReader(arena).get(number) == pair) } {
            Lookup::Seen(number) => Inserted::Seen(number),
            Lookup::Empty(slot)
                if standing != Standing::Joining
                    && !self.index.is_closed(hash)
                    && !self.index.is_end(start.home(), slot, hash) =>
            {
                let Some(number) = handle.writer.write(pair, arena) else { return Inserted::NoMemory };
                let exclusive = standing == Standing::Exclusive;
                let Some(grow) = self.index.fill(slot, hash, number, exclusive, &mut handle.counts) else {
                    // Another worker was faster, or numbers have become too wide; what was written will be written over.
                    return self.insert(arena, handle, standing, pair, hash);
                };
                handle.writer.publish(pair, arena);
                Inserted::New(number, grow)
            }
            _ => self.insert(arena, handle, standing, pair, hash),
        }
    }

    #[cold]
    #[inline(never)]
    fn insert(&self, arena: &Arena, handle: &mut PairsHandle, standing: Standing, pair: Pair, hash: u64) -> Inserted {
        let PairsHandle { counts, writer } = handle;
        let inserted = self.index.insert(
            hash,
            standing,
            counts,
            |number| PairReader(arena).get(number) == pair,
            || writer.write(pair, arena),
        );
        if let Inserted::New(..) = inserted {
            writer.publish(pair, arena);
        }
        inserted
    }

    /// The number of a pair that is there.
    #[inline(always)]
    pub(crate) fn find(&self, arena: &Arena, pair: Pair) -> Option<u32> {
        self.index.find(pair.hash(), |number| PairReader(arena).get(number) == pair)
    }

    /// # Safety
    /// Every worker is at a safe point.
    pub(crate) unsafe fn work(&self, arena: &Arena) {
        // SAFETY: by the caller.
        unsafe { self.index.work(&PairReader(arena)) }
    }
}
