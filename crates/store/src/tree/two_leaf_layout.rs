//! States that consist of two leaves: tables by which the leaves are quickly extracted and joined.
//!
//! Nearly all states are of this kind, and most of them have few words, and keys of one word each: what both leaves have of a
//! word of the state stands in one *row*, and a loop over the rows is unrolled. The others are cut into *pieces*, none of
//! which lies in two words of a key.

use crate::tree::key::{KEY_WORDS, Key, WORD_BYTES};
use crate::tree::shape::{Engine, Leaf};

/// Words of a state whose rows are kept, at most.
pub(crate) const FEW_WORDS: usize = 10;

/// What two leaves have of one word of a state.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    masks: [u64; 2],
    /// Where in their keys, in bits.
    places: [u32; 2],
    /// What neither has, and what a state that fits has there.
    rest: u64,
    template: u64,
}

/// Bits of one word of a state that are neighbours in one word of a key.
#[derive(Clone, Copy, Debug)]
struct Piece {
    /// Which word of the state, and which of its bits.
    word: u32,
    mask: u64,
    /// Where in the word of the key they begin.
    shift: u32,
    /// The same bits in the eight bytes from here on: the last word of a state overlaps the one before.
    offset: u32,
    read: u64,
}

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct TwoLeafLayout {
    len: usize,
    /// Words of a state, and how many bits of the last one there are not.
    words: usize,
    missing_bits: usize,
    rows: [Row; FEW_WORDS],
    /// By leaf and word of its key, and where each begins.
    pieces: Vec<Piece>,
    starts: [[u32; KEY_WORDS + 1]; 2],
    /// By word of a state, what no leaf has, and what it is in states that fit.
    rest: Vec<u64>,
    template: Vec<u64>,
    /// How many words their keys have at most.
    key_words: [usize; 2],
}

impl TwoLeafLayout {
    /// The two leaves of states of `len` bytes; by word, the bits of no leaf, and their value in states that fit. `None` where
    /// states have less than a word.
    pub(crate) fn new(len: usize, leaves: [&Leaf; 2], rest: &[u64], template: &[u64]) -> Option<TwoLeafLayout> {
        let words = len.div_ceil(WORD_BYTES);
        let last = len.checked_sub(WORD_BYTES)?;
        let missing_bits = 8 * (words * WORD_BYTES - len);
        // Where a word is read, and where its bits are then.
        let read = |word: usize, bits: u64| {
            if word + 1 == words { (last as u32, bits << missing_bits) } else { ((word * WORD_BYTES) as u32, bits) }
        };
        let mut rows = [Row::default(); FEW_WORDS];
        for (row, (rest, template)) in rows.iter_mut().zip(rest.iter().zip(template)) {
            (row.rest, row.template) = (*rest, *template);
        }
        let (mut pieces, mut starts) = (Vec::new(), [[0; KEY_WORDS + 1]; 2]);
        for (side, leaf) in leaves.iter().enumerate() {
            for part in &leaf.parts {
                if let Some(row) = rows.get_mut(part.word as usize) {
                    (row.masks[side], row.places[side]) = (part.mask, part.at);
                }
            }
            for (key_word, start) in starts[side].iter_mut().enumerate() {
                *start = pieces.len() as u32;
                for part in &leaf.parts {
                    let (mask, shift) = part.in_key_word(key_word as u32);
                    if mask != 0 {
                        let (offset, read) = read(part.word as usize, mask);
                        pieces.push(Piece { word: part.word, mask, shift, offset, read });
                    }
                }
            }
        }
        let (rest, template) = (rest.to_vec(), template.to_vec());
        let key_words = leaves.map(Leaf::key_words);
        Some(TwoLeafLayout { len, words, missing_bits, rows, pieces, starts, rest, template, key_words })
    }

    /// How many words each key has at most.
    #[inline(always)]
    pub(crate) fn key_words(&self) -> usize {
        self.key_words[0].max(self.key_words[1])
    }

    /// Words of a state where it has rows, and its keys one word each; else 0.
    #[inline(always)]
    pub(crate) fn row_words(&self) -> usize {
        if self.words <= FEW_WORDS && self.key_words() == 1 { self.words } else { 0 }
    }

    /// The keys of both leaves of a state; whether it fits.
    ///
    /// # Safety
    /// The state is of this length; `WORDS` is [`TwoLeafLayout::row_words`], or 0. Keys have `K` words at most.
    #[inline(always)]
    pub(crate) unsafe fn take<const WORDS: usize, const K: usize>(
        &self,
        state: &[u8],
        engine: Engine,
    ) -> ([[u64; K]; 2], bool) {
        debug_assert!(state.len() == self.len && (WORDS == 0 || WORDS == self.row_words()));
        // SAFETY: by the caller, and words begin inside the state.
        let word = |offset: usize| u64::from_le(unsafe { state.as_ptr().add(offset).cast::<u64>().read_unaligned() });
        let mut keys = [[0; K]; 2];
        let mut off = 0;
        if WORDS > 0 {
            let mut take = |row: &Row, word: u64| {
                off |= (word ^ row.template) & row.rest;
                for (side, key) in keys.iter_mut().enumerate() {
                    key[0] |= engine.extract(word, row.masks[side]) << (row.places[side] & 63);
                }
            };
            for at in 0..WORDS - 1 {
                take(&self.rows[at], word(at * WORD_BYTES));
            }
            // The last word overlaps the one before, which is shifted out.
            take(&self.rows[WORDS - 1], word(state.len() - WORD_BYTES) >> self.missing_bits);
            return (keys, off == 0);
        }
        let (chunks, _) = state.as_chunks::<WORD_BYTES>();
        for ((chunk, rest), template) in chunks.iter().zip(&self.rest).zip(&self.template) {
            off |= (u64::from_le_bytes(*chunk) ^ template) & rest;
        }
        if let (true, Some(rest), Some(template)) = (self.missing_bits > 0, self.rest.last(), self.template.last()) {
            off |= ((word(state.len() - WORD_BYTES) >> self.missing_bits) ^ template) & rest;
        }
        for (key, starts) in keys.iter_mut().zip(&self.starts) {
            for (part, range) in key.iter_mut().zip(starts.windows(2)) {
                for piece in &self.pieces[range[0] as usize..range[1] as usize] {
                    *part |= engine.extract(word(piece.offset as usize), piece.read) << piece.shift;
                }
            }
        }
        (keys, off == 0)
    }

    /// The state, from the keys of its leaves, behind what is in `out`.
    ///
    /// # Safety
    /// `WORDS` is [`TwoLeafLayout::row_words`], or 0. Keys have `K` words.
    #[inline(always)]
    pub(crate) unsafe fn put<const WORDS: usize, const K: usize>(
        &self,
        keys: [[u64; K]; 2],
        out: &mut Vec<u8>,
        engine: Engine,
    ) {
        let start = out.len();
        out.reserve(self.words * WORD_BYTES);
        // SAFETY: there is room for all words.
        let to = unsafe { out.as_mut_ptr().add(start).cast::<u64>() };
        if WORDS > 0 {
            for (at, row) in self.rows.iter().enumerate().take(WORDS) {
                let mut word = row.template;
                for (side, key) in keys.iter().enumerate() {
                    word |= engine.deposit(key[0] >> (row.places[side] & 63), row.masks[side]);
                }
                // SAFETY: there is room for all words.
                unsafe { to.add(at).write_unaligned(word.to_le()) };
            }
        } else {
            for (at, word) in self.template.iter().enumerate() {
                // SAFETY: as above.
                unsafe { to.add(at).write_unaligned(word.to_le()) };
            }
            for (key, starts) in keys.iter().zip(&self.starts) {
                for (part, range) in key.iter().zip(starts.windows(2)) {
                    for piece in &self.pieces[range[0] as usize..range[1] as usize] {
                        let bits = engine.deposit(part >> piece.shift, piece.mask).to_le();
                        // SAFETY: pieces lie in words of the state, which have just been written.
                        unsafe {
                            let word = to.add(piece.word as usize);
                            word.write_unaligned(word.read_unaligned() | bits);
                        }
                    }
                }
            }
        }
        // SAFETY: that number of bytes was written.
        unsafe { out.set_len(start + self.len) };
    }

    /// The same from keys of any length.
    pub(crate) fn put_keys(&self, keys: [Key; 2], out: &mut Vec<u8>, engine: Engine) {
        // SAFETY: keys have that number of words, and rows are not used.
        unsafe { self.put::<0, KEY_WORDS>(keys.map(|key| key.words()), out, engine) };
    }
}
