//! The protocol of slots: how workers find and fill them without locks.
//!
//! It is generic over the kind of word, so that the same text runs in the tables and under a model checker for
//! memory orders (`under_loom.rs`).
//!
//! - Keys try the slots of a sequence in order, and take the first empty one. A slot is filled once.
//! - A worker that loses an empty slot to another one compares with the winner, which may be the same key.
//! - What a number leads to is written before the slot is filled (Release) and read after it was seen (Acquire).

use crate::table::slot::Slot;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// What became of an insertion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome<E> {
    /// The key was there; its number.
    Seen(u32),
    /// The key was filled in with this number.
    New(u32),
    /// It is missing, and no number was to be had.
    Refused(E),
    /// All slots hold other keys.
    NoSlot,
}

/// The number in a slot.
#[inline(always)]
pub(crate) fn number_of(word: u64, bits: u32) -> u32 {
    (word & ((1 << bits) - 1)) as u32
}

/// What a lookup gives.
pub(crate) enum Lookup<'t, S> {
    /// The number of the key.
    Seen(u32),
    /// The key is missing; the slot where it would go.
    Empty(&'t S),
    /// The key is missing, and there is no slot for it.
    NoSlot,
}

/// Looks for a key whose tag, as it stands above `bits` bits of a number, is `tag`.
#[inline(always)]
pub(crate) fn look<'t, S: Slot>(
    slots: &'t [S],
    tag: u64,
    bits: u32,
    mut same: impl FnMut(u32) -> bool,
) -> Lookup<'t, S> {
    for line in slots.chunks(S::LINE) {
        // What is passed over stays what it is.
        for slot in &line[S::others(line, tag)..] {
            let word = slot.load(Acquire);
            if word == 0 {
                return Lookup::Empty(slot);
            }
            if (word ^ tag) >> bits == 0 && same(number_of(word, bits)) {
                return Lookup::Seen(number_of(word, bits));
            }
        }
    }
    Lookup::NoSlot
}

/// The number of a key.
#[inline(always)]
pub(crate) fn find<S: Slot>(slots: &[S], tag: u64, bits: u32, same: impl FnMut(u32) -> bool) -> Option<u32> {
    match look(slots, tag, bits, same) {
        Lookup::Seen(number) => Some(number),
        _ => None,
    }
}

/// Finds a key or fills it in. `reserve` writes the key's data and says the number it will have; it is called at most once.
/// An `exclusive` worker needs no compare-and-swap.
#[inline(always)]
pub(crate) fn insert<S: Slot, E>(
    slots: &[S],
    tag: u64,
    bits: u32,
    exclusive: bool,
    mut same: impl FnMut(u32) -> bool,
    mut reserve: impl FnMut() -> Result<u32, E>,
) -> Outcome<E> {
    let mut reserved = 0;
    for slot in slots.chunks(S::LINE).flat_map(|line| &line[S::others(line, tag)..]) {
        let mut word = slot.load(Acquire);
        if word == 0 {
            if reserved == 0 {
                match reserve() {
                    Ok(number) => reserved = number,
                    Err(refusal) => return Outcome::Refused(refusal),
                }
            }
            let new = tag | u64::from(reserved);
            if exclusive {
                slot.store(new, Release);
                return Outcome::New(reserved);
            }
            match slot.fill(new) {
                Ok(()) => return Outcome::New(reserved),
                Err(winner) => word = winner,
            }
        }
        if (word ^ tag) >> bits == 0 && same(number_of(word, bits)) {
            return Outcome::Seen(number_of(word, bits));
        }
    }
    Outcome::NoSlot
}

/// Finds a word among slots that hold nothing but words, or fills it in. The number in the outcome means nothing.
#[inline(always)]
pub(crate) fn insert_word<S: Slot, E>(
    slots: &[S],
    wanted: u64,
    exclusive: bool,
    mut permit: impl FnMut() -> Result<(), E>,
) -> Outcome<E> {
    let (seen, filled) = S::scan(slots, wanted);
    if seen {
        return Outcome::Seen(0);
    }
    // Filled slots never change, so that the others are all that is left to look at.
    for slot in &slots[filled..] {
        let mut word = slot.load(Relaxed);
        if word == 0 {
            if let Err(refusal) = permit() {
                return Outcome::Refused(refusal);
            }
            if exclusive {
                slot.store(wanted, Relaxed);
                return Outcome::New(0);
            }
            match slot.fill(wanted) {
                Ok(()) => return Outcome::New(0),
                Err(winner) => word = winner,
            }
        }
        if word == wanted {
            return Outcome::Seen(0);
        }
    }
    Outcome::NoSlot
}
