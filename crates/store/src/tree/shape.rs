//! Shapes: how states of one length are cut into leaves and joined in a tree.
//!
//! A *leaf* is up to 320 bits of the state, not necessarily neighbours. A *node* joins two items, leaves or nodes, into
//! a pair; the *halves* are the two items of which the root is made. Items are numbered: leaves first, then nodes, children
//! before parents.
//!
//! Most bits of most states never change. A shape may leave them out: then it has a *template*, and a state *fits* when it has
//! the bits of the template wherever the shape has no leaf. What does not fit is kept by another shape, which has all bits. With
//! what is left, nearly all states have two leaves of one or two words, and nothing else.
//!
//! A state is looked at as words of eight bytes. Taking the bits of a leaf out of a word, and putting them back, is one
//! instruction where the processor has it (`pext`, `pdep`).

use crate::tree::key::{Key, LEAF_BITS, NODE_WORDS, WORD_BYTES};
use crate::tree::pairs::Pair;
use crate::tree::two_leaf_layout::TwoLeafLayout;

/// What a leaf has of one word.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Part {
    pub(crate) word: u32,
    /// Where in the leaf, in bits.
    pub(crate) at: u32,
    pub(crate) mask: u64,
}

impl Part {
    /// What of it lies in a word of the key of the leaf, as bits of the word of the state; and where in the word of the key.
    pub(crate) fn in_key_word(&self, key_word: u32) -> (u64, u32) {
        // A part lies in two words at most: some of its lowest bits in the first, the others in the next one.
        let (first, shift) = (self.at / 64, self.at % 64);
        let highest = (0..64 - shift).fold(self.mask, |rest, _| rest & rest.wrapping_sub(1));
        match key_word.checked_sub(first) {
            Some(0) => (self.mask & !highest, shift),
            Some(1) => (highest, 0),
            _ => (0, 0),
        }
    }
}

/// Bits of a state that are kept together.
#[derive(Clone, Debug)]
pub(crate) struct Leaf {
    /// How many.
    bits: usize,
    /// From the first bit of the leaf to the last.
    pub(crate) parts: Vec<Part>,
}

impl Leaf {
    /// From its bytes and what it has of each of them. Bytes at `len` and behind it, which states do not have, take their place in
    /// the key, too: so states of all lengths that have the same leaf have the same keys.
    fn new(members: &[usize], masks: &[u8], len: usize) -> Leaf {
        let mut sorted = members.to_vec();
        sorted.sort_unstable();
        let mut parts: Vec<Part> = Vec::new();
        let (mut at, mut bits) = (0, 0);
        for byte in sorted {
            let (word, mask) = ((byte / WORD_BYTES) as u32, u64::from(masks[byte]) << (byte % WORD_BYTES * 8));
            if byte < len && mask != 0 {
                match parts.last_mut() {
                    Some(part) if part.word == word => part.mask |= mask,
                    _ => parts.push(Part { word, at, mask }),
                }
                bits = at + mask.count_ones();
            }
            at += mask.count_ones();
        }
        assert!(bits > 0 && at as usize <= LEAF_BITS, "a leaf has at most that many bits");
        Leaf { bits: bits as usize, parts }
    }

    /// How many words its key has at most.
    #[inline(always)]
    pub(crate) fn key_words(&self) -> usize {
        self.bits.div_ceil(64)
    }

    /// The bits of the leaf in a state.
    #[inline(always)]
    pub(crate) fn take(&self, words: &[u64], engine: Engine) -> Key {
        let mut key = Key::default();
        for part in &self.parts {
            // SAFETY: inside the leaf, which is not longer than a key.
            unsafe { key.add(part.at, engine.extract(words[part.word as usize], part.mask)) };
        }
        key
    }

    /// Puts the bits of the leaf into a state.
    #[inline(always)]
    pub(crate) fn put(&self, key: &Key, words: &mut [u64], engine: Engine) {
        for part in &self.parts {
            // SAFETY: inside the leaf, which is not longer than a key.
            let bits = engine.deposit(unsafe { key.from(part.at) }, part.mask);
            let word = &mut words[part.word as usize];
            *word = *word & !part.mask | bits;
        }
    }
}

/// Whether the processor can take bits out of a word at once.
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

    /// Whether it can.
    #[inline(always)]
    pub(crate) fn is_fast(self) -> bool {
        self.0
    }

    /// The bits of a word that a mask names, next to each other; without asking where `FAST` is not 0.
    ///
    /// # Safety
    /// `FAST` is 0, or [`Engine::is_fast`].
    #[inline(always)]
    pub(crate) unsafe fn extract_as<const FAST: usize>(self, word: u64, mask: u64) -> u64 {
        if FAST > 0 { Engine(true).extract(word, mask) } else { self.extract(word, mask) }
    }

    /// The bits of a word that a mask names, next to each other.
    #[inline(always)]
    pub(crate) fn extract(self, word: u64, mask: u64) -> u64 {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        if self.0 {
            let out;
            // SAFETY: as it says, the processor has this instruction, which touches nothing but its operands. (The intrinsic
            // function would be a call wherever the compiler cannot rely on that.)
            unsafe {
                std::arch::asm!("pext {}, {}, {}", out(reg) out, in(reg) word, in(reg) mask,
                    options(pure, nomem, nostack, preserves_flags));
            }
            return out;
        }
        extract(word, mask)
    }

    /// The inverse: bits where a mask names them.
    #[inline(always)]
    pub(crate) fn deposit(self, bits: u64, mask: u64) -> u64 {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        if self.0 {
            let out;
            // SAFETY: as above.
            unsafe {
                std::arch::asm!("pdep {}, {}, {}", out(reg) out, in(reg) bits, in(reg) mask,
                    options(pure, nomem, nostack, preserves_flags));
            }
            return out;
        }
        deposit(bits, mask)
    }
}

/// The bits of a word that a mask names, next to each other.
fn extract(word: u64, mask: u64) -> u64 {
    let (mut out, mut shift, mut rest) = (0, 0, mask);
    while rest != 0 {
        out |= (word >> rest.trailing_zeros() & 1) << shift;
        shift += 1;
        rest &= rest - 1;
    }
    out
}

/// The inverse: bits where a mask names them.
fn deposit(bits: u64, mask: u64) -> u64 {
    let (mut out, mut shift, mut rest) = (0, 0, mask);
    while rest != 0 {
        out |= (bits >> shift & 1) << rest.trailing_zeros();
        shift += 1;
        rest &= rest - 1;
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

/// What a leaf has of one word, among what others have of it.
#[derive(Clone, Copy, Debug)]
struct Cut {
    leaf: u32,
    part: Part,
    /// As many low bits as it has bits.
    low: u64,
}

/// What a shape has of a state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Coverage {
    /// What is known to vary. A state need not fit.
    Varying = 0,
    /// Everything: every state fits.
    All = 1,
}

/// A tree over the bits of states of one length.
#[derive(Debug)]
pub(crate) struct TreeShape {
    /// Length of the states, in bytes.
    pub(crate) len: usize,
    pub(crate) coverage: Coverage,
    /// By word of the state, the bits that no leaf has, and what they are in states that fit.
    rest: Vec<u64>,
    template: Vec<u64>,
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
    pub(crate) two_leaf: Option<TwoLeafLayout>,
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

/// What a shape is made from, beside its length.
#[derive(Debug)]
pub(crate) struct Pattern<'a> {
    pub(crate) coverage: Coverage,
    /// Leaves, as lists of bytes.
    pub(crate) members: Vec<Vec<usize>>,
    /// By byte of the state, and perhaps further ones, which bits leaves have.
    pub(crate) masks: Vec<u8>,
    /// A state that fits, or the beginning of it: zeros behind.
    pub(crate) template: &'a [u8],
    /// Pairs of items.
    pub(crate) nodes: Vec<[u32; 2]>,
    pub(crate) halves: [u32; 2],
}

impl TreeShape {
    /// The shape of states of `len` bytes.
    ///
    /// # Panics
    /// Panics when the pattern is not a tree over all bits that its masks name.
    pub(crate) fn new(len: usize, pattern: Pattern<'_>) -> TreeShape {
        let Pattern { coverage, members, masks, template, nodes, halves } = pattern;
        let mut used = vec![false; masks.len()];
        for &byte in members.iter().flatten() {
            assert!(!std::mem::replace(&mut used[byte], true), "a byte belongs to one leaf");
        }
        assert!((0..len).all(|byte| used[byte] || masks[byte] == 0), "every byte belongs to a leaf");
        let leaves: Vec<Leaf> = members.iter().map(|bytes| Leaf::new(bytes, &masks, len)).collect();
        let words = len.div_ceil(WORD_BYTES);
        let mut rest = vec![0; words];
        (0..len).for_each(|byte| rest[byte / 8] |= u64::from(!masks[byte]) << (byte % 8 * 8));
        let template = &template[..template.len().min(len)];
        let template: Vec<u64> = (0..words)
            .map(|at| if at * WORD_BYTES < template.len() { word(template, at * WORD_BYTES) & rest[at] } else { 0 })
            .collect();
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
                cuts.extend(parts.iter().filter(|part| part.word as usize == word).map(|&part| Cut {
                    leaf: leaf as u32,
                    part,
                    low: u64::MAX >> (64 - part.mask.count_ones()),
                }));
            }
            cut_starts.push(cuts.len() as u32);
        }
        let tops = halves.map(|half| leaves.get(half as usize));
        let two_leaf = match tops {
            [Some(left), Some(right)] => TwoLeafLayout::new(len, [left, right], &rest, &template),
            _ => None,
        };
        TreeShape {
            len,
            coverage,
            rest,
            template,
            leaves,
            nodes,
            halves,
            parents,
            cuts,
            cut_starts,
            blocks,
            two_leaf,
            engine: Engine::here(),
        }
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

    /// Whether a state of this length is one of those that the shape can have.
    #[inline(always)]
    pub(crate) fn fits(&self, state: &[u8]) -> bool {
        if self.coverage == Coverage::All {
            return true;
        }
        let (chunks, _) = state.as_chunks::<WORD_BYTES>();
        let mut off = 0;
        for ((chunk, rest), template) in chunks.iter().zip(&self.rest).zip(&self.template) {
            off |= (u64::from_le_bytes(*chunk) ^ template) & rest;
        }
        if let Some(rest) = self.rest.get(chunks.len()) {
            off |= (word(state, chunks.len() * WORD_BYTES) ^ self.template[chunks.len()]) & rest;
        }
        off == 0
    }

    /// A word of a state has changed: changes the keys of the leaves that have bits of it, and marks them.
    #[inline(always)]
    pub(crate) fn change_word(&self, at: usize, word: u64, keys: &mut [Key], dirty: &mut [u64]) {
        let cuts = &self.cuts[self.cut_starts[at] as usize..self.cut_starts[at + 1] as usize];
        for &Cut { leaf, part, low } in cuts {
            let key = &mut keys[leaf as usize];
            // SAFETY: inside the leaf, which is not longer than a key.
            unsafe {
                key.clear(part.at, low);
                key.add(part.at, self.engine.extract(word, part.mask));
            }
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
        if let Some(layout) = &self.two_leaf {
            let keys = [key(Class::Left, root.left), key(Class::Right, root.right)];
            layout.put_keys(keys, out, self.engine);
            return;
        }
        if scratch.of != Some((self.len, self.coverage)) {
            *scratch = Scratch {
                of: Some((self.len, self.coverage)),
                values: vec![NO_NUMBER; self.items()],
                words: self.template.clone(),
                dirty: vec![0; self.blocks],
            };
        }
        // A panic in between leaves nothing that could be taken for a state.
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
        *scratch = Scratch { of: Some((self.len, self.coverage)), values, words, dirty };
    }
}

/// No item has this number.
const NO_NUMBER: u32 = u32::MAX;

/// The state of a shape that was put together last: the next one mostly has many of its parts.
#[derive(Default, Debug)]
pub(crate) struct Scratch {
    /// Length and coverage of its shape, of which there is one.
    of: Option<(usize, Coverage)>,
    /// Numbers of its items.
    values: Vec<u32>,
    words: Vec<u64>,
    /// Items that have changed, while a state is put together.
    dirty: Vec<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::key::KEY_WORDS;

    fn random(seed: &mut u64, below: usize) -> usize {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*seed >> 33) as usize % below
    }

    /// The bits of a leaf one by one.
    fn bits(members: &[usize], masks: &[u8], state: &[u8]) -> Key {
        let mut key = Key::default();
        let mut sorted = members.to_vec();
        sorted.sort_unstable();
        let mut at = 0;
        for byte in sorted {
            for bit in (0..8).filter(|bit| masks[byte] >> bit & 1 == 1) {
                // SAFETY: leaves are not longer than keys.
                unsafe { key.add(at, u64::from(state.get(byte).map_or(0, |value| value >> bit & 1))) };
                at += 1;
            }
        }
        key
    }

    /// Two leaves of random bits, with a few bytes more than states have; its masks and its leaves.
    fn two_leaf(seed: &mut u64, len: usize, template: &[u8]) -> Option<(TreeShape, Vec<u8>, Vec<Vec<usize>>)> {
        let all = len + random(seed, 4);
        let dense = random(seed, 8);
        let masks: Vec<u8> =
            (0..all).map(|_| if random(seed, 8) < dense { random(seed, 256) as u8 } else { 0 }).collect();
        let bytes = (0..all).filter(|&byte| masks[byte] != 0);
        let (left, right): (Vec<_>, Vec<_>) = bytes.partition(|_| random(seed, 2) == 0);
        let fits = |leaf: &[usize]| {
            let bits: u32 = leaf.iter().map(|&byte| masks[byte].count_ones()).sum();
            leaf.iter().any(|&byte| byte < len) && bits as usize <= LEAF_BITS
        };
        let members = vec![left, right];
        members.iter().all(|leaf| fits(leaf)).then(|| {
            let pattern = Pattern {
                coverage: Coverage::Varying,
                members: members.clone(),
                masks: masks.clone(),
                template,
                nodes: Vec::new(),
                halves: [1, 0],
            };
            (TreeShape::new(len, pattern), masks, members)
        })
    }

    /// The keys by rows, if there are any, or by pieces.
    ///
    /// # Safety
    /// The engine's instructions exist on this machine, and the state has the length of the layout.
    unsafe fn take(layout: &TwoLeafLayout, rows: bool, state: &[u8], engine: Engine) -> ([Key; 2], bool) {
        macro_rules! by_words {
            ($($words:literal)*) => {
                // SAFETY: by the caller.
                match (layout.row_words(), layout.key_words()) {
                    $(($words, 1) if rows => unsafe { keys(layout.take::<$words, 1>(state, engine)) },)*
                    // SAFETY: by the caller.
                    (_, 1) => unsafe { keys(layout.take::<0, 1>(state, engine)) },
                    // SAFETY: by the caller.
                    (_, 2) => unsafe { keys(layout.take::<0, 2>(state, engine)) },
                    // SAFETY: by the caller.
                    _ => unsafe { keys(layout.take::<0, KEY_WORDS>(state, engine)) },
                }
            };
        }
        fn keys<const K: usize>((keys, fits): ([[u64; K]; 2], bool)) -> ([Key; 2], bool) {
            (keys.map(|key| Key::of_words(&key)), fits)
        }
        by_words!(1 2 3 4 5 6 7 8 9 10)
    }

    /// The state by rows, if there are any, or by pieces.
    ///
    /// # Safety
    /// As for [`take`].
    unsafe fn put(layout: &TwoLeafLayout, rows: bool, keys: [Key; 2], out: &mut Vec<u8>, engine: Engine) {
        macro_rules! by_words {
            ($($words:literal)*) => {
                // SAFETY: by the caller.
                match layout.row_words() {
                    $($words if rows => unsafe { layout.put::<$words, 1>(keys.map(|key| [key.words()[0]]), out, engine) },)*
                    _ => layout.put_keys(keys, out, engine),
                }
            };
        }
        by_words!(1 2 3 4 5 6 7 8 9 10)
    }

    /// What is done at once is what is done bit by bit.
    #[test]
    fn leaves_are_taken_and_put_back() {
        let mut seed = 11u64;
        let (mut narrow, mut wide, mut misfits) = ([0; 3], 0, 0);
        for _ in 0..if cfg!(miri) { 40 } else { 3000 } {
            let len = 2 + random(&mut seed, 80) * (1 + random(&mut seed, 2));
            let template: Vec<u8> = (0..len).map(|_| random(&mut seed, 256) as u8).collect();
            let Some((shape, masks, members)) = two_leaf(&mut seed, len, &template) else { continue };
            let mut state: Vec<u8> =
                (0..len).map(|at| template[at] & !masks[at] | random(&mut seed, 256) as u8 & masks[at]).collect();
            let expected = shape.halves.map(|half| bits(&members[half as usize], &masks, &state));
            assert!(shape.fits(&state));
            for engine in [Engine(false), Engine::here()] {
                let words: Vec<u64> = (0..shape.words()).map(|at| word(&state, at * WORD_BYTES)).collect();
                assert_eq!(shape.halves.map(|half| shape.leaves[half as usize].take(&words, engine)), expected);
                let mut back = shape.template.clone();
                for (half, key) in shape.halves.iter().zip(&expected) {
                    shape.leaves[*half as usize].put(key, &mut back, engine);
                }
                assert_eq!(back, words);
                let Some(layout) = &shape.two_leaf else { continue };
                narrow[layout.key_words().min(3) - 1] += 1;
                wide += usize::from(layout.row_words() == 0);
                let mut out = vec![9];
                for rows in [false, true] {
                    // SAFETY: the state is of this length.
                    assert_eq!(unsafe { take(layout, rows, &state, engine) }, (expected, true));
                    // SAFETY: these are its keys.
                    unsafe { put(layout, rows, expected, &mut out, engine) };
                }
                assert_eq!(out[1..], [&state[..], &state].concat());
            }
            let at = random(&mut seed, len);
            state[at] ^= 1 << random(&mut seed, 8);
            let fits = (state[at] ^ template[at]) & !masks[at] == 0;
            assert_eq!(shape.fits(&state), fits);
            misfits += usize::from(!fits);
            if let Some(layout) = &shape.two_leaf {
                for rows in [false, true] {
                    // SAFETY: as above.
                    assert_eq!(unsafe { take(layout, rows, &state, shape.engine) }.1, fits);
                }
            }
        }
        let least = narrow.into_iter().min().unwrap_or(0).min(wide).min(misfits);
        assert!(cfg!(miri) || least > 100, "{narrow:?} {wide} {misfits}");
    }
}
