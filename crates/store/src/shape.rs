//! Shapes: how states of one length are cut into leaves and joined in a tree.
//!
//! A *leaf* is up to 40 bytes of the state, not necessarily neighbours. A *node* joins two items, leaves or nodes, into
//! a pair; the *halves* are the two items of which the root is made. Items are numbered: leaves first, then nodes, children
//! before parents. States of up to 80 bytes mostly have two leaves and nothing else.
//!
//! A state is looked at as words of eight bytes. Taking the bytes of a leaf out of a word, and putting them back, is one
//! instruction where the processor has it (`pext`, `pdep`).

use crate::key::{Key, LEAF_BYTES, NODE_WORDS, WORD_BYTES};
use crate::pairs::Pair;

/// What a leaf has of one word.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    word: u32,
    /// Where in the leaf, in bytes.
    at: u32,
    /// The bytes it takes, as bits.
    mask: u64,
}

/// Bytes of a state that are kept together.
#[derive(Clone, Debug)]
pub(crate) struct Leaf {
    /// How many.
    pub(crate) bytes: usize,
    /// From the first byte of the leaf to the last.
    parts: Vec<Part>,
}

impl Leaf {
    fn new(members: &[usize]) -> Leaf {
        assert!(!members.is_empty() && members.len() <= LEAF_BYTES, "a leaf has so many bytes at most");
        let mut sorted = members.to_vec();
        sorted.sort_unstable();
        let mut parts: Vec<Part> = Vec::new();
        for (at, byte) in sorted.into_iter().enumerate() {
            let (word, mask) = ((byte / WORD_BYTES) as u32, 0xff << (byte % WORD_BYTES * 8));
            match parts.last_mut() {
                Some(part) if part.word == word => part.mask |= mask,
                _ => parts.push(Part { word, at: at as u32, mask }),
            }
        }
        Leaf { bytes: members.len(), parts }
    }

    /// How many words its key has at most.
    #[inline(always)]
    fn key_words(&self) -> usize {
        self.bytes.div_ceil(WORD_BYTES)
    }

    /// The bytes of the leaf in a state.
    #[inline(always)]
    pub(crate) fn take(&self, words: &[u64], engine: Engine) -> Key {
        let mut key = Key::default();
        for part in &self.parts {
            // SAFETY: inside the leaf, which is not longer than a key.
            unsafe { key.write(part.at as usize, engine.extract(words[part.word as usize], part.mask)) };
        }
        key
    }

    /// Puts the bytes of the leaf into a state.
    #[inline(always)]
    pub(crate) fn put(&self, key: &Key, words: &mut [u64], engine: Engine) {
        for part in &self.parts {
            // SAFETY: inside the leaf, which is not longer than a key.
            let bytes = engine.deposit(unsafe { key.read(part.at as usize) }, part.mask);
            let word = &mut words[part.word as usize];
            *word = *word & !part.mask | bytes;
        }
    }
}

/// Whether the processor can take bytes out of a word at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Engine(bool);

impl Engine {
    /// That of this processor.
    pub(crate) fn here() -> Engine {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        return Engine(std::arch::is_x86_feature_detected!("bmi2"));
        #[cfg(not(all(target_arch = "x86_64", not(miri))))]
        Engine(false)
    }

    /// The bytes of a word that a mask names, next to each other.
    #[inline(always)]
    fn extract(self, word: u64, mask: u64) -> u64 {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        if self.0 {
            let out;
            // SAFETY: as it says, the processor has this instruction, which touches nothing but its operands. (The intrinsic
            // function would be a call wherever the compiler does not know that.)
            unsafe {
                std::arch::asm!("pext {}, {}, {}", out(reg) out, in(reg) word, in(reg) mask,
                    options(pure, nomem, nostack, preserves_flags));
            }
            return out;
        }
        extract(word, mask)
    }

    /// The inverse: bytes where a mask names them.
    #[inline(always)]
    fn deposit(self, bytes: u64, mask: u64) -> u64 {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        if self.0 {
            let out;
            // SAFETY: as above.
            unsafe {
                std::arch::asm!("pdep {}, {}, {}", out(reg) out, in(reg) bytes, in(reg) mask,
                    options(pure, nomem, nostack, preserves_flags));
            }
            return out;
        }
        deposit(bytes, mask)
    }
}

/// The bytes of a word that a mask names, next to each other.
fn extract(word: u64, mask: u64) -> u64 {
    let (mut out, mut shift) = (0, 0);
    for at in (0..64).step_by(8) {
        if mask >> at & 0xff != 0 {
            out |= (word >> at & 0xff) << shift;
            shift += 8;
        }
    }
    out
}

/// The inverse: bytes where a mask names them.
fn deposit(bytes: u64, mask: u64) -> u64 {
    let (mut out, mut shift) = (0, 0);
    for at in (0..64).step_by(8) {
        if mask >> at & 0xff != 0 {
            out |= (bytes >> shift & 0xff) << at;
            shift += 8;
        }
    }
    out
}

/// The word of a state that begins at a byte; zeros behind its end.
#[inline(always)]
pub(crate) fn word(state: &[u8], start: usize) -> u64 {
    if let Some(bytes) = state.get(start..).and_then(|rest| rest.first_chunk::<WORD_BYTES>()) {
        return u64::from_le_bytes(*bytes);
    }
    match state.last_chunk::<WORD_BYTES>() {
        // The last word overlaps the one before, which is shifted out.
        Some(bytes) => u64::from_le_bytes(*bytes) >> (8 * (WORD_BYTES + start - state.len())),
        None => state[start..].iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    }
}

/// Words of a state of two leaves and no nodes, at most.
pub(crate) const FEW_WORDS: usize = 2 * LEAF_BYTES / WORD_BYTES;

/// Two leaves that are all there is of a state, in a form in which they are quickly taken and put together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Couple {
    /// Words of a state, and how many bits of the last one there are not.
    pub(crate) words: usize,
    missing_bits: usize,
    /// What the left and the right one have of each word.
    masks: [[u64; 2]; FEW_WORDS],
    /// Where in their keys, in bytes.
    places: [[usize; 2]; FEW_WORDS],
    /// How many words their keys have at most.
    pub(crate) key_words: [usize; 2],
}

impl Couple {
    fn new(len: usize, leaves: [&Leaf; 2]) -> Option<Couple> {
        let words = len.div_ceil(WORD_BYTES);
        if words > FEW_WORDS || len < WORD_BYTES {
            return None;
        }
        let (mut masks, mut places) = ([[0; 2]; FEW_WORDS], [[0; 2]; FEW_WORDS]);
        for (side, leaf) in leaves.into_iter().enumerate() {
            let mut at = 0;
            for word in 0..FEW_WORDS {
                // Where a leaf has nothing of a word, nothing is written, and overwritten by what comes next.
                places[word][side] = at;
                if let Some(part) = leaf.parts.iter().find(|part| part.word as usize == word) {
                    assert!(part.at as usize == at && at <= LEAF_BYTES, "parts are in order");
                    masks[word][side] = part.mask;
                    at += part.mask.count_ones() as usize / 8;
                }
            }
        }
        let key_words = leaves.map(Leaf::key_words);
        Some(Couple { words, missing_bits: 8 * (words * WORD_BYTES - len), masks, places, key_words })
    }

    /// The keys of both leaves of a state. What stood behind their ends stays.
    ///
    /// # Safety
    /// A state has `WORDS` words, and is of this shape.
    #[inline(always)]
    pub(crate) unsafe fn take<const WORDS: usize>(&self, state: &[u8], keys: &mut [Key; 2], engine: Engine) {
        let mut take = |at: usize, word: u64| {
            for (side, key) in keys.iter_mut().enumerate() {
                let part = engine.extract(word, self.masks[at][side]);
                // SAFETY: places lie inside keys, or at their ends, as was asserted.
                unsafe { key.write(self.places[at][side], part) };
            }
        };
        for at in 0..WORDS - 1 {
            // SAFETY: by the caller.
            let word = unsafe { state.as_ptr().cast::<u64>().add(at).read_unaligned() };
            take(at, u64::from_le(word));
        }
        // The last word overlaps the one before, which is shifted out.
        // SAFETY: by the caller; a state has eight bytes at least.
        let word = unsafe { state.as_ptr().add(state.len() - WORD_BYTES).cast::<u64>().read_unaligned() };
        take(WORDS - 1, u64::from_le(word) >> self.missing_bits);
    }

    /// The state, from the keys of its leaves, behind what is in `out`.
    #[inline(always)]
    fn put(&self, keys: [Key; 2], len: usize, out: &mut Vec<u8>, engine: Engine) {
        let mut words = [[0; WORD_BYTES]; FEW_WORDS];
        for (at, to) in words.iter_mut().enumerate().take(self.words) {
            let mut word = 0;
            for (side, key) in keys.iter().enumerate() {
                // SAFETY: places lie inside keys, or at their ends, as was asserted.
                word |= engine.deposit(unsafe { key.read(self.places[at][side]) }, self.masks[at][side]);
            }
            *to = word.to_le_bytes();
        }
        out.extend_from_slice(&words.as_flattened()[..len]);
    }
}

/// What a leaf has of one word, among what others have of it.
#[derive(Clone, Copy, Debug)]
struct Cut {
    leaf: u32,
    part: Part,
    /// As many low bits as it has bits.
    low: u64,
}

/// A tree over the bytes of states of one length.
#[derive(Debug)]
pub(crate) struct Shape {
    /// Length of the states, in bytes.
    pub(crate) len: usize,
    pub(crate) leaves: Vec<Leaf>,
    /// The two items each node joins.
    pub(crate) nodes: Vec<[u32; 2]>,
    /// The items of which the root is made.
    pub(crate) halves: [u32; 2],
    /// The node above each item, by number of the item; `u32::MAX` for the halves.
    pub(crate) parents: Vec<u32>,
    /// What leaves have of each word of the state, word by word, and where each word begins among it.
    cuts: Vec<Cut>,
    cut_starts: Vec<u32>,
    /// Words of 64 bits in a set of items.
    pub(crate) blocks: usize,
    /// The two leaves, where there is nothing else.
    pub(crate) couple: Option<Couple>,
    pub(crate) engine: Engine,
}

/// Which of the three tables an item is kept in. The halves have tables of their own, so that their numbers, of which roots
/// are made, are small.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    Left = 0,
    Right = 1,
    Inner = 2,
}

impl Shape {
    /// A tree, from its leaves (lists of bytes), its nodes (pairs of items) and its halves.
    ///
    /// # Panics
    /// Panics when it is not a tree over all bytes.
    pub(crate) fn new(len: usize, members: &[Vec<usize>], nodes: Vec<[u32; 2]>, halves: [u32; 2]) -> Shape {
        let mut used = vec![false; len];
        for &byte in members.iter().flatten() {
            assert!(!std::mem::replace(&mut used[byte], true), "a byte belongs to one leaf");
        }
        assert!(used.iter().all(|&used| used), "every byte belongs to a leaf");
        let leaves: Vec<Leaf> = members.iter().map(|bytes| Leaf::new(bytes)).collect();
        let items = leaves.len() + nodes.len();
        let mut parents = vec![u32::MAX; items];
        for (at, node) in nodes.iter().enumerate() {
            let number = leaves.len() + at;
            for &child in node {
                assert!((child as usize) < number && parents[child as usize] == u32::MAX, "children come first");
                parents[child as usize] = number as u32;
            }
        }
        let tops = (0..items as u32).filter(|&item| parents[item as usize] == u32::MAX);
        let mut sorted = halves;
        sorted.sort_unstable();
        assert!(tops.eq(sorted), "two halves, and nothing beside");
        let blocks = items.div_ceil(64);
        let (mut cuts, mut cut_starts) = (Vec::new(), vec![0]);
        for word in 0..len.div_ceil(WORD_BYTES) {
            for (leaf, Leaf { parts, .. }) in leaves.iter().enumerate() {
                cuts.extend(parts.iter().filter(|part| part.word as usize == word).map(|&part| {
                    assert!(part.at as usize <= LEAF_BYTES, "inside the leaf");
                    Cut { leaf: leaf as u32, part, low: u64::MAX >> (64 - part.mask.count_ones()) }
                }));
            }
            cut_starts.push(cuts.len() as u32);
        }
        let couple = if nodes.is_empty() { Couple::new(len, halves.map(|half| &leaves[half as usize])) } else { None };
        Shape { len, leaves, nodes, halves, parents, cuts, cut_starts, blocks, couple, engine: Engine::here() }
    }

    /// Number of items.
    #[inline(always)]
    pub(crate) fn items(&self) -> usize {
        self.parents.len()
    }

    /// Words of a state.
    pub(crate) fn words(&self) -> usize {
        self.len.div_ceil(WORD_BYTES)
    }

    /// A word of a state has changed: changes the keys of the leaves that have bytes of it, and marks them.
    #[inline(always)]
    pub(crate) fn change_word(&self, at: usize, word: u64, keys: &mut [Key], dirty: &mut [u64]) {
        let cuts = &self.cuts[self.cut_starts[at] as usize..self.cut_starts[at + 1] as usize];
        for &Cut { leaf, part, low } in cuts {
            let bytes = self.engine.extract(word, part.mask);
            let key = &mut keys[leaf as usize];
            // SAFETY: inside the leaf, as was asserted.
            unsafe { key.write(part.at as usize, key.read(part.at as usize) & !low | bytes) };
            dirty[leaf as usize / 64] |= 1 << (leaf % 64);
        }
    }

    /// The table of an item.
    #[inline(always)]
    pub(crate) fn class(&self, item: usize) -> Class {
        match item as u32 {
            item if item == self.halves[0] => Class::Left,
            item if item == self.halves[1] => Class::Right,
            _ => Class::Inner,
        }
    }

    /// How many words the key of an item has at most.
    #[inline(always)]
    pub(crate) fn key_words(&self, item: usize) -> usize {
        self.leaves.get(item).map_or(NODE_WORDS, Leaf::key_words)
    }

    /// The key of an item: that of a leaf, or the numbers of its children for a node.
    #[inline(always)]
    pub(crate) fn key(&self, item: usize, keys: &[Key], values: &[u32]) -> Key {
        match keys.get(item) {
            Some(key) => *key,
            None => {
                let [first, second] = self.nodes[item - self.leaves.len()];
                Key::of_pair(values[first as usize], values[second as usize])
            }
        }
    }

    /// The keys of all leaves of a state.
    pub(crate) fn keys(&self, state: &[u8]) -> Vec<Key> {
        let words: Vec<u64> = (0..self.words()).map(|at| word(state, at * WORD_BYTES)).collect();
        self.leaves.iter().map(|leaf| leaf.take(&words, self.engine)).collect()
    }

    /// Puts a state together again from its root, behind what is in `out`; `key` says what a number stands for. Parts that the
    /// last state had, too, are taken from it.
    #[inline]
    pub(crate) fn restore(
        &self,
        root: Pair,
        scratch: &mut Scratch,
        out: &mut Vec<u8>,
        mut key: impl FnMut(Class, u32) -> Key,
    ) {
        if let Some(couple) = &self.couple {
            let keys = [key(Class::Left, root.left), key(Class::Right, root.right)];
            couple.put(keys, self.len, out, self.engine);
            return;
        }
        if scratch.len != self.len {
            *scratch = Scratch {
                len: self.len,
                values: vec![NO_NUMBER; self.items()],
                words: vec![0; self.words()],
                dirty: vec![0; self.blocks],
            };
        }
        // Who panics in between leaves nothing that could be taken for a state.
        let Scratch { mut values, mut words, mut dirty, .. } = std::mem::take(scratch);
        let set = |item: u32, number: u32, dirty: &mut [u64], values: &mut [u32]| {
            if values[item as usize] != number {
                values[item as usize] = number;
                dirty[item as usize / 64] |= 1 << (item % 64);
            }
        };
        set(self.halves[0], root.left, &mut dirty, &mut values);
        set(self.halves[1], root.right, &mut dirty, &mut values);
        // Parents come behind their children, and are looked at before them.
        for block in (0..self.blocks).rev() {
            while dirty[block] != 0 {
                let item = block * 64 + dirty[block].ilog2() as usize;
                dirty[block] &= !(1 << (item % 64));
                let key = key(self.class(item), values[item]);
                match self.leaves.get(item) {
                    Some(leaf) => leaf.put(&key, &mut words, self.engine),
                    None => {
                        let [first, second] = self.nodes[item - self.leaves.len()];
                        let [left, right] = key.pair();
                        set(first, left, &mut dirty, &mut values);
                        set(second, right, &mut dirty, &mut values);
                    }
                }
            }
        }
        let end = out.len() + self.len;
        words.iter().for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
        out.truncate(end);
        *scratch = Scratch { len: self.len, values, words, dirty };
    }
}

/// No item has this number.
const NO_NUMBER: u32 = u32::MAX;

/// The state of a shape that was put together last: the next one mostly has many of its parts.
#[derive(Default, Debug)]
pub(crate) struct Scratch {
    /// Length of the state; 0 for none.
    len: usize,
    /// Numbers of its items.
    values: Vec<u32>,
    words: Vec<u64>,
    /// Items that have changed, while a state is put together.
    dirty: Vec<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::KEY_WORDS;

    #[test]
    fn a_couple_has_the_keys_of_its_leaves() {
        for len in 8..=80usize {
            for stride in [2, 3, 17] {
                let (left, right): (Vec<_>, Vec<_>) = (0..len).partition(|at| at % (2 * stride) < stride);
                if left.len() > LEAF_BYTES || right.len() > LEAF_BYTES || right.is_empty() {
                    continue;
                }
                let shape = Shape::new(len, &[left, right], Vec::new(), [1, 0]);
                let state: Vec<u8> = (0..len).map(|at| (at * 37 + 11) as u8).collect();
                let words: Vec<u64> = (0..shape.words()).map(|at| word(&state, at * WORD_BYTES)).collect();
                let couple = shape.couple.expect("two leaves");
                for engine in [Engine(false), Engine::here()] {
                    let expected = shape.halves.map(|half| shape.leaves[half as usize].take(&words, engine));
                    let mut keys = [Key::default(); 2];
                    // SAFETY: so many words it has.
                    unsafe {
                        match couple.words {
                            1 => couple.take::<1>(&state, &mut keys, engine),
                            2 => couple.take::<2>(&state, &mut keys, engine),
                            3 => couple.take::<3>(&state, &mut keys, engine),
                            4 => couple.take::<4>(&state, &mut keys, engine),
                            5 => couple.take::<5>(&state, &mut keys, engine),
                            6 => couple.take::<6>(&state, &mut keys, engine),
                            7 => couple.take::<7>(&state, &mut keys, engine),
                            8 => couple.take::<8>(&state, &mut keys, engine),
                            9 => couple.take::<9>(&state, &mut keys, engine),
                            _ => couple.take::<10>(&state, &mut keys, engine),
                        }
                    }
                    assert_eq!(keys, expected, "{len}");
                    let mut back = vec![9];
                    couple.put(keys, len, &mut back, engine);
                    assert_eq!(back[1..], state);
                }
            }
        }
    }

    /// What the processor does at once is what is done byte by byte.
    #[test]
    fn leaves_are_taken_and_put_back() {
        let mut seed = 11u64;
        let mut random = |below: usize| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as usize % below
        };
        for _ in 0..300 {
            let len = 2 + random(60);
            let state: Vec<u8> = (0..len).map(|_| random(256) as u8).collect();
            let words: Vec<u64> = (0..len.div_ceil(8)).map(|at| word(&state, at * 8)).collect();
            let mut members: Vec<usize> = (0..len).collect();
            (0..len).for_each(|at| members.swap(at, random(len)));
            members.truncate(1 + random(LEAF_BYTES.min(len)));
            let leaf = Leaf::new(&members);
            members.sort_unstable();
            let expected: Vec<u8> = members.iter().map(|&byte| state[byte]).collect();
            for engine in [Engine(false), Engine::here()] {
                let key = leaf.take(&words, engine);
                let (bytes, behind) = key.bytes(KEY_WORDS).split_at(expected.len());
                assert!(bytes == expected && behind.iter().all(|&byte| byte == 0));
                let mut back = vec![0; words.len()];
                leaf.put(&key, &mut back, engine);
                for byte in 0..len {
                    let value = (back[byte / 8] >> (byte % 8 * 8)) as u8;
                    assert_eq!(value, if members.contains(&byte) { state[byte] } else { 0 });
                }
            }
        }
    }
}
