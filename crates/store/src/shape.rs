//! Shapes: how states of one length are cut into words and joined in a tree.
//!
//! A *word* is up to four bytes of the state, not necessarily neighbours. A *node* joins two items, words or nodes, into a
//! pair; the two halves of the root are nodes. Items are numbered: words first, then nodes, children before parents, the
//! left half of the root last but one and the right half last.

use crate::pairs::Pair;

/// Bytes that are compared at once to find what has changed.
pub(crate) const GROUP_BYTES: usize = 8;

/// A tree over the bytes of states of one length.
#[derive(Debug)]
pub(crate) struct Shape {
    /// Length of the states, in bytes.
    pub(crate) len: usize,
    /// From which bytes each word is made; `len` stands for a byte that is always 0.
    pub(crate) words: Vec<[u32; 4]>,
    /// The two items each node joins.
    pub(crate) nodes: Vec<[u32; 2]>,
    /// The node above each item, by number of the item; `u32::MAX` for the halves of the root.
    pub(crate) parents: Vec<u32>,
    /// For each group of bytes, the words that have a byte of it, as a set of bits; `blocks` words of 64 bits each.
    groups: Vec<u64>,
    /// Words of 64 bits in a set of items.
    pub(crate) blocks: usize,
}

/// Which of the three tables a node is kept in. The halves of the root have tables of their own, so that their numbers,
/// of which roots are made, are small.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    Left = 0,
    Right = 1,
    Inner = 2,
}

impl Shape {
    /// A tree, from its words (lists of bytes) and its nodes (pairs of items); the last two nodes are the halves.
    ///
    /// # Panics
    /// Panics when it is not a tree over all bytes.
    pub(crate) fn new(len: usize, words: &[Vec<usize>], nodes: Vec<[u32; 2]>) -> Shape {
        let mut used = vec![false; len];
        let gather: Vec<[u32; 4]> = words
            .iter()
            .map(|bytes| {
                assert!(bytes.len() <= 4, "a word has four bytes at most");
                let mut from = [len as u32; 4];
                for (slot, &byte) in from.iter_mut().zip(bytes) {
                    assert!(!std::mem::replace(&mut used[byte], true), "a byte belongs to one word");
                    *slot = byte as u32;
                }
                from
            })
            .collect();
        assert!(used.iter().all(|&used| used), "every byte belongs to a word");
        let items = words.len() + nodes.len();
        let mut parents = vec![u32::MAX; items];
        for (at, node) in nodes.iter().enumerate() {
            let number = words.len() + at;
            for &child in node {
                // A half that has one word only joins it with itself.
                assert!((child as usize) < number && (node[0] == node[1] || parents[child as usize] == u32::MAX));
                parents[child as usize] = number as u32;
            }
        }
        assert!(nodes.len() >= 2 && parents[..items - 2].iter().all(|&parent| parent != u32::MAX), "one tree");
        assert!(parents[items - 2..].iter().all(|&parent| parent == u32::MAX), "two halves");
        let blocks = items.div_ceil(64);
        let mut groups = vec![0; len.div_ceil(GROUP_BYTES) * blocks];
        for (word, from) in gather.iter().enumerate() {
            for &byte in from.iter().filter(|&&byte| (byte as usize) < len) {
                groups[byte as usize / GROUP_BYTES * blocks + word / 64] |= 1 << (word % 64);
            }
        }
        Shape { len, words: gather, nodes, parents, groups, blocks }
    }

    /// Number of items.
    #[inline(always)]
    pub(crate) fn items(&self) -> usize {
        self.parents.len()
    }

    /// The words that have bytes of a group.
    #[inline(always)]
    pub(crate) fn group(&self, group: usize) -> &[u64] {
        &self.groups[group * self.blocks..][..self.blocks]
    }

    /// The table of a node, by its item number.
    #[inline(always)]
    pub(crate) fn class(&self, item: usize) -> Class {
        match self.items() - item {
            2 => Class::Left,
            1 => Class::Right,
            _ => Class::Inner,
        }
    }

    /// The value of a word; `padded` is the state with at least one zero behind it.
    #[inline(always)]
    pub(crate) fn word(&self, word: usize, padded: &[u8]) -> u32 {
        u32::from_le_bytes(self.words[word].map(|byte| padded[byte as usize]))
    }

    /// Puts a state together again from its root; `pair` says what a node stands for.
    pub(crate) fn restore(
        &self,
        root: Pair,
        values: &mut Vec<u32>,
        out: &mut Vec<u8>,
        mut pair: impl FnMut(Class, u32) -> Pair,
    ) {
        let items = self.items();
        values.clear();
        values.resize(items, 0);
        values[items - 2] = root.left;
        values[items - 1] = root.right;
        for item in (self.words.len()..items).rev() {
            let Pair { left, right, .. } = pair(self.class(item), values[item]);
            let [first, second] = self.nodes[item - self.words.len()];
            values[second as usize] = right;
            values[first as usize] = left;
        }
        out.clear();
        out.resize(self.len + 1, 0);
        for (word, from) in self.words.iter().enumerate() {
            for (&byte, value) in from.iter().zip(values[word].to_le_bytes()) {
                out[byte as usize] = value;
            }
        }
        out.truncate(self.len);
    }
}
