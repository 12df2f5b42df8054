//! How a segment of an index becomes larger, with the help of all workers.
//!
//! Homes are in the order of tags, whatever their number is. So a *piece* of the old homes, and the keys at home there, have a
//! piece of the new slots to themselves, and workers take pieces until there are none left. Where a key finds no slot in
//! its piece it is *left over*; these are few, and the worker that finishes the last piece inserts them.
//!
//! Shared between threads: two counters per segment, touched once a piece, and the list of those left over, locked once a piece.

use crate::memory::table_mapping::{PAGE_BYTES, TableMapping};
use crate::table::index::{Keys, home_of, stored, tag_of};
use crate::table::probe::number_of;
use crate::table::slot::Slot;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::*};
use std::sync::{Mutex, PoisonError};

/// Old homes of a piece.
const PIECE: usize = 1 << 14;
/// Wide slots that are looked at together.
const GATHERED: usize = 64;
/// How far ahead keys are prefetched whose hashes are needed.
const AHEAD: usize = 16;

/// A segment's slots: where they are, and how a slot is read.
#[derive(Debug)]
pub(crate) struct Slots<S> {
    pub(crate) start: *const S,
    /// But for the last line, which stays empty.
    pub(crate) len: usize,
    pub(crate) homes: u32,
    /// How many bits of a slot are the number.
    pub(crate) bits: u32,
}

impl<S> Clone for Slots<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for Slots<S> {}

// SAFETY: it is a place of slots; code that reads them guarantees that they are there.
unsafe impl<S: Slot> Send for Slots<S> {}

impl<S: Slot> Slots<S> {
    /// The slots but for the last line.
    ///
    /// # Safety
    /// They are where this says, and stay as long as the slice is used.
    unsafe fn slice(&self) -> &[S] {
        // SAFETY: by the caller.
        unsafe { std::slice::from_raw_parts(self.start, self.len) }
    }
}

/// See the module.
pub(crate) struct Growth<S> {
    pub(crate) segment: usize,
    old: Slots<S>,
    new: Slots<S>,
    /// Where the new slots are, until they are handed over.
    mapping: Mutex<Option<TableMapping>>,
    pieces: usize,
    /// The next piece that no worker has taken.
    next: AtomicUsize,
    /// Pieces that are not done.
    undone: AtomicUsize,
    /// Keys that are in their new slots.
    moved: AtomicU32,
    /// Tags and numbers.
    left_over: Mutex<Vec<(u32, u32)>>,
}

// SAFETY: of the old slots only values are read, which no worker changes while they grow, and each of the new ones is written by
// the worker that has taken its piece.
unsafe impl<S: Slot> Send for Growth<S> {}
// SAFETY: as above.
unsafe impl<S: Slot> Sync for Growth<S> {}

/// What a segment has become.
pub(crate) struct Grown<S> {
    /// `None`: there was no slot behind the last home, and it stays what it was.
    pub(crate) mapping: Option<TableMapping>,
    pub(crate) slots: Slots<S>,
    /// Keys.
    pub(crate) count: u32,
}

impl<S: Slot> Growth<S> {
    /// # Safety
    /// The old slots are where they are said to be, and no worker changes them until the growth is done. The mapping has zeros for
    /// the new slots and one more line.
    pub(crate) unsafe fn new(segment: usize, old: Slots<S>, new: Slots<S>, mapping: TableMapping) -> Growth<S> {
        let pieces = (old.homes as usize).div_ceil(PIECE);
        Growth {
            segment,
            old,
            new,
            mapping: Mutex::new(Some(mapping)),
            pieces,
            next: AtomicUsize::new(0),
            undone: AtomicUsize::new(pieces),
            moved: AtomicU32::new(0),
            left_over: Mutex::default(),
        }
    }

    /// Moves pieces until all are taken. The result, for the worker that finishes the last piece.
    pub(crate) fn help(&self, keys: &impl Keys) -> Option<Grown<S>> {
        loop {
            let piece = self.next.fetch_add(1, Relaxed);
            if piece >= self.pieces {
                return None;
            }
            self.move_piece(piece, keys);
            // The worker that finishes the last piece sees what the others have written.
            if self.undone.fetch_sub(1, AcqRel) == 1 {
                return Some(self.finish());
            }
        }
    }

    /// The first new slot of a piece.
    fn first_slot(&self, piece: usize) -> usize {
        if piece == self.pieces {
            return self.new.len;
        }
        // The least tag that is at home in it.
        let lines = u64::from(self.old.homes) / S::LINE as u64;
        let tag = (((piece * PIECE / S::LINE) as u64) << 32).div_ceil(lines);
        home_of::<S>(tag as u32, self.new.homes)
    }

    fn move_piece(&self, piece: usize, keys: &impl Keys) {
        // SAFETY: by the contract of `new`, and the slots stay until the last piece is done.
        let (old, new) = unsafe { (self.old.slice(), self.new.slice()) };
        let (first, end) = (piece * PIECE, ((piece + 1) * PIECE).min(self.old.homes as usize));
        let base = self.first_slot(piece);
        let mine = &new[base..self.first_slot(piece + 1)];
        self.touch(mine);
        let filled = if S::LINE > 1 { vec![0; mine.len() / S::LINE] } else { Vec::new() };
        let mut moving = Moving { mine, base, homes: self.new.homes, filled, count: 0, left_over: Vec::new() };
        if S::KEEPS_TAG {
            self.move_wide(old, first, end, &mut moving);
        } else {
            self.move_narrow(old, first, end, &mut moving, keys);
        }
        let Moving { count, mut left_over, .. } = moving;
        self.moved.fetch_add(count, Relaxed);
        self.left_over.lock().unwrap_or_else(PoisonError::into_inner).append(&mut left_over);
    }

    /// Moves the keys of wide slots. Whether a slot is empty cannot be foreseen, so the filled ones are gathered without asking.
    fn move_wide(&self, old: &[S], first: usize, end: usize, moving: &mut Moving<'_, S>) {
        let homes = self.old.homes;
        let mut move_on = |word: u64| {
            let tag = (word >> 32) as u32;
            // A slot may hold a key of the piece before, or of the next one.
            if home_of::<S>(tag, homes).wrapping_sub(first) < end - first {
                moving.put(tag, word as u32, word);
            }
        };
        let mut filled = [0; GATHERED];
        for some in old[first..end].chunks(GATHERED) {
            let mut count = 0;
            for slot in some {
                let word = slot.load(Relaxed);
                filled[count % GATHERED] = word;
                count += usize::from(word != 0);
            }
            filled[..count].iter().for_each(|word| move_on(*word));
        }
        // No key is behind an empty slot that its home is before.
        old[end..].iter().map(|slot| slot.load(Relaxed)).take_while(|word| *word != 0).for_each(move_on);
    }

    /// Moves narrow slots; the hash of each is computed from its key.
    fn move_narrow(&self, old: &[S], first: usize, end: usize, moving: &mut Moving<'_, S>, keys: &impl Keys) {
        // Copied here, because for the compiler a write to a slot may change them.
        let (old_bits, bits, old_homes) = (self.old.bits, self.new.bits, self.old.homes);
        for at in first..old.len() {
            let ahead = old.get(at + AHEAD).map_or(0, |slot| slot.load(Relaxed));
            if ahead != 0 {
                keys.prefetch(number_of(ahead, old_bits));
            }
            let word = old[at].load(Relaxed);
            if word == 0 {
                // As above.
                if at >= end {
                    break;
                }
                continue;
            }
            let number = number_of(word, old_bits);
            let tag = tag_of::<S>(keys.hash(number));
            if home_of::<S>(tag, old_homes).wrapping_sub(first) < end - first {
                moving.put(tag, number, stored::<S>(tag, bits) | u64::from(number));
            }
        }
    }

    /// Brings in the pages that begin in a piece: one that is read before it is written to is brought in twice, and the second
    /// time every processor is stopped.
    fn touch(&self, mine: &[S]) {
        let each = PAGE_BYTES / size_of::<S>();
        let skipped = (mine.as_ptr().addr().next_multiple_of(PAGE_BYTES) - mine.as_ptr().addr()) / size_of::<S>();
        mine.iter().skip(skipped).step_by(each).for_each(|slot| slot.store(0, Relaxed));
    }

    /// Puts those left over where they go.
    fn finish(&self) -> Grown<S> {
        // SAFETY: as in `move_piece`.
        let new = unsafe { self.new.slice() };
        let left_over = std::mem::take(&mut *self.left_over.lock().unwrap_or_else(PoisonError::into_inner));
        let mut fits = true;
        for (tag, number) in &left_over {
            let slot = new[home_of::<S>(*tag, self.new.homes)..].iter().find(|slot| slot.load(Relaxed) == 0);
            match slot {
                Some(slot) => slot.store(stored::<S>(*tag, self.new.bits) | u64::from(*number), Relaxed),
                None => fits = false,
            }
        }
        let mapping = self.mapping.lock().unwrap_or_else(PoisonError::into_inner).take();
        Grown {
            mapping: mapping.filter(|_| fits),
            slots: self.new,
            count: self.moved.load(Relaxed) + left_over.len() as u32,
        }
    }
}

/// The new slots of a piece that is being moved.
struct Moving<'a, S> {
    mine: &'a [S],
    /// Which of all slots is the first of them.
    base: usize,
    homes: u32,
    /// How many slots of each line are filled, where lines have several.
    filled: Vec<u8>,
    /// Keys that have a slot.
    count: u32,
    left_over: Vec<(u32, u32)>,
}

impl<S: Slot> Moving<'_, S> {
    /// Puts a key where it goes, as this word.
    #[inline(always)]
    fn put(&mut self, tag: u32, number: u32, word: u64) {
        let home = home_of::<S>(tag, self.homes) - self.base;
        let to = if S::LINE > 1 { self.next_in_line(home) } else { self.next_from(home) };
        match self.mine.get(to) {
            Some(slot) => {
                slot.store(word, Relaxed);
                self.count += 1;
            }
            None => self.left_over.push((tag, number)),
        }
    }

    /// The first empty slot from a home on, which is taken: the next one of the first line that is not full.
    #[inline(always)]
    fn next_in_line(&mut self, home: usize) -> usize {
        let mut line = home / S::LINE;
        while let Some(filled) = self.filled.get_mut(line) {
            let next = usize::from(*filled);
            if next < S::LINE {
                *filled += 1;
                return line * S::LINE + next;
            }
            line += 1;
        }
        self.mine.len()
    }

    /// The first empty slot from a home on.
    #[inline(always)]
    fn next_from(&self, home: usize) -> usize {
        let mut to = home;
        // The second slot nearly always does where the first does not; which it is cannot be foreseen.
        if let Some([one, two, ..]) = self.mine.get(to..) {
            let (one, two) = (one.load(Relaxed) != 0, two.load(Relaxed) != 0);
            to += usize::from(one) + usize::from(one & two);
        }
        while self.mine.get(to).is_some_and(|slot| slot.load(Relaxed) != 0) {
            to += 1;
        }
        to
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::budget::{Account, Budget};
    use crate::table::index::NoKeys;
    use std::sync::Arc;
    use std::sync::atomic::AtomicU64;

    fn slots(mapping: &TableMapping, homes: u32, len: usize) -> Slots<AtomicU64> {
        Slots { start: mapping.start().cast(), len, homes, bits: 32 }
    }

    /// A crowded table of several pieces, grown by several workers: every key is found from its new home on, before an empty slot.
    #[test]
    fn every_key_moves_to_its_new_home() {
        let account = Arc::new(Account::new(Budget::new(None)));
        let empty = TableMapping::new(&account);
        let (homes, larger) = if cfg!(miri) { (20_000, 30_000) } else { (100_000, 163_000) };
        let (len, larger_len) = (homes as usize + 1000, larger as usize + 1000);
        let old_room = empty.fresh(8 * (len + 8)).expect("memory");
        let old = slots(&old_room, homes, len);
        // SAFETY: the mapping has that number of slots.
        let table = unsafe { old.slice() };
        let mut keys = Vec::new();
        let mut tag = 12345u32;
        for number in 1..=homes * 9 / 10 {
            tag = tag.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
            let slot =
                table[home_of::<AtomicU64>(tag, homes)..].iter().find(|slot| slot.load(Relaxed) == 0).expect("a slot");
            slot.store(u64::from(tag) << 32 | u64::from(number), Relaxed);
            keys.push(u64::from(tag) << 32 | u64::from(number));
        }
        let new_room = empty.fresh(8 * (larger_len + 8)).expect("memory");
        let new = slots(&new_room, larger, larger_len);
        // SAFETY: as said above, and no other thread can reach these mappings.
        let growth = unsafe { Growth::new(0, old, new, new_room) };
        assert!(growth.pieces > 1);
        let grown = std::thread::scope(|scope| {
            let helpers: Vec<_> = (0..3).map(|_| scope.spawn(|| growth.help(&NoKeys))).collect();
            let grown: Vec<_> = helpers.into_iter().filter_map(|h| h.join().expect("no panic")).collect();
            assert_eq!(grown.len(), 1);
            grown.into_iter().next().expect("one")
        });
        assert_eq!(grown.count as usize, keys.len());
        let mapping = grown.mapping.expect("they fit");
        let new = slots(&mapping, larger, larger_len);
        // SAFETY: the mapping has that number of slots.
        let table = unsafe { new.slice() };
        for key in keys {
            let from = &table[home_of::<AtomicU64>((key >> 32) as u32, larger)..];
            let word = from.iter().map(|s| s.load(Relaxed)).find(|word| *word == 0 || *word == key);
            assert_eq!(word, Some(key));
        }
        let filled = table.iter().filter(|slot| slot.load(Relaxed) != 0).count();
        assert_eq!(filled, grown.count as usize);
    }
}
