//! Shapes: how states of one length are cut into leaves and joined in a tree.
//!
//! A *leaf* is up to sixteen bytes of the state, not necessarily neighbours. A *node* joins two items, leaves or nodes, into
//! a pair; the *halves* are the two items of which the root is made. Items are numbered: leaves first, then nodes, children
//! before parents. States of up to 32 bytes mostly have two leaves and nothing else.
//!
//! A state is looked at as words of eight bytes. Taking the bytes of a leaf out of a word, and putting them back, is one
//! instruction where the processor has it (`pext`, `pdep`).

use crate::pairs::Pair;

/// Bytes of a word of the state.
pub(crate) const WORD_BYTES: usize = 8;
/// Bytes of a leaf at most.
pub(crate) const LEAF_BYTES: usize = 16;
/// Bytes of a pair of numbers, as a node is kept.
pub(crate) const NODE_BYTES: usize = 8;

/// What a leaf has of one word.
#[derive(Clone, Copy, Debug)]
struct Part {
    word: u32,
    /// Where in the leaf, in bits.
    shift: u32,
    /// The bytes it takes, as bits.
    mask: u64,
}

/// Bytes of a state that are kept together.
#[derive(Clone, Debug)]
pub(crate) struct Leaf {
    /// How many.
    pub(crate) bytes: usize,
    parts: Vec<Part>,
}

impl Leaf {
    fn new(members: &[usize]) -> Leaf {
        assert!(!members.is_empty() && members.len() <= LEAF_BYTES, "a leaf has sixteen bytes at most");
        let mut sorted = members.to_vec();
        sorted.sort_unstable();
        let mut parts: Vec<Part> = Vec::new();
        for (at, byte) in sorted.into_iter().enumerate() {
            let (word, mask) = ((byte / WORD_BYTES) as u32, 0xff << (byte % WORD_BYTES * 8));
            match parts.last_mut() {
                Some(part) if part.word == word => part.mask |= mask,
                _ => parts.push(Part { word, shift: at as u32 * 8, mask }),
            }
        }
        Leaf { bytes: members.len(), parts }
    }

    /// The bytes of the leaf in a state.
    #[inline(always)]
    pub(crate) fn take(&self, words: &[u64], engine: Engine) -> u128 {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        if engine.0 {
            // SAFETY: an engine says that there are such instructions only where it has asked the processor.
            return unsafe { self.take_at_once(words) };
        }
        let _ = engine;
        self.parts
            .iter()
            .fold(0, |key, part| key | u128::from(extract(words[part.word as usize], part.mask)) << part.shift)
    }

    #[cfg(all(target_arch = "x86_64", not(miri)))]
    #[target_feature(enable = "bmi2")]
    fn take_at_once(&self, words: &[u64]) -> u128 {
        use std::arch::x86_64::_pext_u64;
        self.parts
            .iter()
            .fold(0, |key, part| key | u128::from(_pext_u64(words[part.word as usize], part.mask)) << part.shift)
    }

    /// Puts the bytes of the leaf into a state where they are zero.
    pub(crate) fn put(&self, key: u128, words: &mut [u64], engine: Engine) {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        if engine.0 {
            // SAFETY: as above.
            return unsafe { self.put_at_once(key, words) };
        }
        let _ = engine;
        for part in &self.parts {
            words[part.word as usize] |= deposit((key >> part.shift) as u64, part.mask);
        }
    }

    #[cfg(all(target_arch = "x86_64", not(miri)))]
    #[target_feature(enable = "bmi2")]
    fn put_at_once(&self, key: u128, words: &mut [u64]) {
        use std::arch::x86_64::_pdep_u64;
        for part in &self.parts {
            words[part.word as usize] |= _pdep_u64((key >> part.shift) as u64, part.mask);
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
    fn extract(self, word: u64, mask: u64) -> u64 {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        if self.0 {
            #[target_feature(enable = "bmi2")]
            fn at_once(word: u64, mask: u64) -> u64 {
                std::arch::x86_64::_pext_u64(word, mask)
            }
            // SAFETY: as it says, the processor has such an instruction.
            return unsafe { at_once(word, mask) };
        }
        extract(word, mask)
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

/// The words of a state of two leaves and no nodes: as many as they can have.
pub(crate) const FEW_WORDS: usize = 2 * LEAF_BYTES / WORD_BYTES;

/// Two leaves that are all there is of a state, in a form in which they are quickly taken and put together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Couple {
    /// Words of a state.
    pub(crate) words: usize,
    /// What the left and the right one have of each word.
    pub(crate) masks: [[u64; FEW_WORDS]; 2],
    shifts: [[u32; FEW_WORDS]; 2],
    /// How many bytes they have.
    pub(crate) bytes: [usize; 2],
}

impl Couple {
    fn new(len: usize, leaves: [&Leaf; 2]) -> Option<Couple> {
        let words = len.div_ceil(WORD_BYTES);
        if words > FEW_WORDS {
            return None;
        }
        let bytes = leaves.map(|leaf| leaf.bytes);
        let mut couple = Couple { words, masks: [[0; FEW_WORDS]; 2], shifts: [[0; FEW_WORDS]; 2], bytes };
        for (side, leaf) in leaves.into_iter().enumerate() {
            for part in &leaf.parts {
                couple.masks[side][part.word as usize] = part.mask;
                couple.shifts[side][part.word as usize] = part.shift;
            }
        }
        Some(couple)
    }

    /// The key of one of the leaves.
    pub(crate) fn key(&self, side: usize, words: &[u64; FEW_WORDS], engine: Engine) -> u128 {
        let parts = self.masks[side].iter().zip(&self.shifts[side]).zip(words);
        parts.fold(0, |key, ((&mask, &shift), &word)| key | u128::from(engine.extract(word, mask)) << shift)
    }

    /// The words of a state, from the keys of its leaves.
    #[inline]
    fn restore(&self, keys: [u128; 2], engine: Engine) -> [u64; FEW_WORDS] {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        if engine.0 {
            // SAFETY: an engine says that there are such instructions only where it has asked the processor.
            return unsafe { self.restore_at_once(keys) };
        }
        let _ = engine;
        self.restore_by(keys, deposit)
    }

    #[cfg(all(target_arch = "x86_64", not(miri)))]
    #[target_feature(enable = "bmi2")]
    fn restore_at_once(&self, keys: [u128; 2]) -> [u64; FEW_WORDS] {
        self.restore_by(keys, |bytes, mask| std::arch::x86_64::_pdep_u64(bytes, mask))
    }

    #[inline(always)]
    fn restore_by(&self, keys: [u128; 2], deposit: impl Fn(u64, u64) -> u64) -> [u64; FEW_WORDS] {
        let mut words = [0; FEW_WORDS];
        for (at, word) in words.iter_mut().enumerate().take(self.words) {
            for (key, (shifts, masks)) in keys.iter().zip(self.shifts.iter().zip(&self.masks)) {
                *word |= deposit((key >> shifts[at]) as u64, masks[at]);
            }
        }
        words
    }
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
    /// For each word of the state, the leaves that have a byte of it, as a set of bits; `blocks` words of 64 bits each.
    groups: Vec<u64>,
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
        let mut groups = vec![0; len.div_ceil(WORD_BYTES) * blocks];
        for (leaf, Leaf { parts, .. }) in leaves.iter().enumerate() {
            for part in parts {
                groups[part.word as usize * blocks + leaf / 64] |= 1 << (leaf % 64);
            }
        }
        let couple = if nodes.is_empty() { Couple::new(len, halves.map(|half| &leaves[half as usize])) } else { None };
        Shape { len, leaves, nodes, halves, parents, groups, blocks, couple, engine: Engine::here() }
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

    /// The leaves that have bytes of a word.
    #[inline(always)]
    pub(crate) fn group(&self, word: usize) -> &[u64] {
        &self.groups[word * self.blocks..][..self.blocks]
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

    /// How many bytes the key of an item has.
    #[inline(always)]
    pub(crate) fn key_bytes(&self, item: usize) -> usize {
        self.leaves.get(item).map_or(NODE_BYTES, |leaf| leaf.bytes)
    }

    /// The key of an item: bytes of the state for a leaf, the numbers of its children for a node.
    #[inline(always)]
    pub(crate) fn key(&self, item: usize, words: &[u64], values: &[u32]) -> u128 {
        match self.leaves.get(item) {
            Some(leaf) => leaf.take(words, self.engine),
            None => {
                let [first, second] = self.nodes[item - self.leaves.len()];
                u128::from(values[first as usize]) | u128::from(values[second as usize]) << 32
            }
        }
    }

    /// Puts a state together again from its root, behind what is in `out`; `key` says what a number stands for.
    pub(crate) fn restore(
        &self,
        root: Pair,
        scratch: &mut Scratch,
        out: &mut Vec<u8>,
        mut key: impl FnMut(Class, u32) -> u128,
    ) {
        if let Some(couple) = &self.couple {
            let keys = [key(Class::Left, root.left), key(Class::Right, root.right)];
            let words = couple.restore(keys, self.engine);
            let bytes: [u8; FEW_WORDS * WORD_BYTES] = std::array::from_fn(|at| words[at / 8].to_le_bytes()[at % 8]);
            out.extend_from_slice(&bytes[..self.len]);
            return;
        }
        let Scratch { values, words } = scratch;
        values.clear();
        values.resize(self.items(), 0);
        values[self.halves[0] as usize] = root.left;
        values[self.halves[1] as usize] = root.right;
        for at in (0..self.nodes.len()).rev() {
            let item = self.leaves.len() + at;
            let pair = key(self.class(item), values[item]);
            let [first, second] = self.nodes[at];
            values[second as usize] = (pair >> 32) as u32;
            values[first as usize] = pair as u32;
        }
        words.clear();
        words.resize(self.words(), 0);
        for (item, leaf) in self.leaves.iter().enumerate() {
            leaf.put(key(self.class(item), values[item]), words, self.engine);
        }
        let end = out.len() + self.len;
        words.iter().for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
        out.truncate(end);
    }
}

/// Memory for a state that is being put together.
#[derive(Default, Debug)]
pub(crate) struct Scratch {
    values: Vec<u32>,
    words: Vec<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_couple_has_the_keys_of_its_leaves() {
        for len in 2..=32usize {
            let members: [Vec<usize>; 2] = [(0..len).step_by(2).collect(), (1..len).step_by(2).collect()];
            let shape = Shape::new(len, &members, Vec::new(), [1, 0]);
            let state: Vec<u8> = (0..len).map(|at| (at * 37 + 11) as u8).collect();
            let mut words = [0; FEW_WORDS];
            (0..shape.words()).for_each(|at| words[at] = word(&state, at * WORD_BYTES));
            let couple = shape.couple.expect("two leaves");
            for engine in [Engine(false), Engine::here()] {
                let expected = shape.halves.map(|half| shape.leaves[half as usize].take(&words, engine));
                let own = [0, 1].map(|side| std::array::from_fn(|at| words[at] & couple.masks[side][at]));
                assert_eq!([couple.key(0, &own[0], engine), couple.key(1, &own[1], engine)], expected, "{len}");
                assert_eq!(couple.restore(expected, engine), words);
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
            let expected = members.iter().rev().fold(0u128, |key, &byte| key << 8 | u128::from(state[byte]));
            for engine in [Engine(false), Engine::here()] {
                assert_eq!(leaf.take(&words, engine), expected);
                let mut back = vec![0; words.len()];
                leaf.put(expected, &mut back, engine);
                for byte in 0..len {
                    let value = (back[byte / 8] >> (byte % 8 * 8)) as u8;
                    assert_eq!(value, if members.contains(&byte) { state[byte] } else { 0 });
                }
            }
        }
    }
}
