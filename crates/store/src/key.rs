//! Keys of leaves and nodes: some bytes of a state, or the numbers of two children.
//!
//! A key is some words of eight bytes, the last one filled up with zeros. It is put together by writing words that overlap, so
//! that no byte has to be moved by itself.

/// Bytes of a word of the state.
pub(crate) const WORD_BYTES: usize = 8;
/// Bytes of a leaf at most.
pub(crate) const LEAF_BYTES: usize = 40;
/// Words of a key at most.
pub(crate) const KEY_WORDS: usize = LEAF_BYTES / WORD_BYTES;
/// Words of a pair of numbers, as a node is kept.
pub(crate) const NODE_WORDS: usize = 1;

/// See the module. Room for one word more than there are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Key([u64; KEY_WORDS + 1]);

impl Key {
    /// The key of a node.
    #[inline(always)]
    pub(crate) fn of_pair(first: u32, second: u32) -> Key {
        let mut key = Key::default();
        key.0[0] = (u64::from(first) | u64::from(second) << 32).to_le();
        key
    }

    /// The children of a node.
    #[inline(always)]
    pub(crate) fn pair(&self) -> [u32; 2] {
        let word = u64::from_le(self.0[0]);
        [word as u32, (word >> 32) as u32]
    }

    /// The key with these words, as they lie in memory.
    ///
    /// # Safety
    /// So many words, which are [`KEY_WORDS`] at most, are readable there, and nobody writes to them.
    #[inline(always)]
    pub(crate) unsafe fn load(at: *const u8, words: usize) -> Key {
        let mut key = Key::default();
        for (i, word) in key.0.iter_mut().enumerate().take(words) {
            // SAFETY: by the caller.
            *word = unsafe { at.cast::<u64>().add(i).read_unaligned() };
        }
        key
    }

    /// Whether these are its first words, as they lie in memory.
    ///
    /// # Safety
    /// As for [`Key::load`].
    #[inline(always)]
    pub(crate) unsafe fn is_at(&self, at: *const u8, words: usize) -> bool {
        let mut different = 0;
        for (i, word) in self.0.iter().enumerate().take(words) {
            // SAFETY: by the caller.
            different |= *word ^ unsafe { at.cast::<u64>().add(i).read_unaligned() };
        }
        different == 0
    }

    /// The bytes of its first words.
    #[inline(always)]
    pub(crate) fn bytes(&self, words: usize) -> &[u8] {
        let words = &self.0[..words];
        // SAFETY: every bit pattern is a valid byte.
        unsafe { std::slice::from_raw_parts(words.as_ptr().cast(), size_of_val(words)) }
    }

    /// Writes a word that begins at a byte. What stood behind it is overwritten: words come in order.
    ///
    /// # Safety
    /// `at` is [`LEAF_BYTES`] at most.
    #[inline(always)]
    pub(crate) unsafe fn write(&mut self, at: usize, word: u64) {
        debug_assert!(at <= LEAF_BYTES, "inside the key");
        // SAFETY: there is room for a word more than a leaf has.
        unsafe { self.0.as_mut_ptr().cast::<u8>().add(at).cast::<u64>().write_unaligned(word.to_le()) }
    }

    /// The word that begins at a byte.
    ///
    /// # Safety
    /// `at` is [`LEAF_BYTES`] at most.
    #[inline(always)]
    pub(crate) unsafe fn read(&self, at: usize) -> u64 {
        debug_assert!(at <= LEAF_BYTES, "inside the key");
        // SAFETY: as above.
        u64::from_le(unsafe { self.0.as_ptr().cast::<u8>().add(at).cast::<u64>().read_unaligned() })
    }

    /// Its words but for zeros at the end, one at least, when it has so many at most. Parts of states that differ only in
    /// what is not there have the same key so.
    #[inline(always)]
    pub(crate) fn trimmed(&self, words_max: usize) -> usize {
        let mut words = words_max;
        while words > 1 && self.0[words - 1] == 0 {
            words -= 1;
        }
        words
    }

    /// The hash of a key of so many words.
    #[inline(always)]
    pub(crate) fn hash(&self, words: usize) -> u64 {
        let fold = |a: u64, b: u64| {
            let product = u128::from(a ^ 0xD6E8_FEB8_6659_FD93) * u128::from(b ^ 0x9E6C_63D0_876A_68EF);
            (product as u64) ^ ((product >> 64) as u64)
        };
        let [a, b, c, d, e, _] = self.0;
        let mut folded = fold(a, b.wrapping_add((words as u64) << 56));
        if words > 2 {
            folded = fold(c ^ folded, d);
        }
        if words > 4 {
            folded = fold(e ^ folded, 0);
        }
        // Spread once more, because the table goes by the top bits.
        let spread = (folded ^ (folded >> 29)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        spread ^ (spread >> 32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_bytes(bytes: &[u8; LEAF_BYTES]) -> Key {
        // SAFETY: so many words are there.
        unsafe { Key::load(bytes.as_ptr(), KEY_WORDS) }
    }

    #[test]
    fn words_overlap() {
        let mut key = Key::default();
        for at in 0..LEAF_BYTES {
            // SAFETY: inside.
            unsafe { key.write(at, at as u64 + 1) };
        }
        let expected: [u8; LEAF_BYTES] = std::array::from_fn(|at| at as u8 + 1);
        assert_eq!(key.bytes(KEY_WORDS), expected);
        assert_eq!(of_bytes(&expected), key);
        for words in 0..=KEY_WORDS {
            let mut other = expected;
            // SAFETY: so many words are there.
            assert!(unsafe { key.is_at(other.as_ptr(), words) });
            other[..words * WORD_BYTES].iter_mut().last().into_iter().for_each(|byte| *byte ^= 1);
            // SAFETY: so many words are there.
            assert_eq!(unsafe { key.is_at(other.as_ptr(), words) }, words == 0);
        }
        // SAFETY: inside.
        assert_eq!(unsafe { key.read(3) } as u32, u32::from_le_bytes([4, 5, 6, 7]));
        assert_eq!(Key::of_pair(7, 9).pair(), [7, 9]);
        assert_eq!([1, 3, 5].map(|words| of_bytes(&expected).trimmed(words)), [1, 3, 5]);
        assert_eq!([1, 3, 5].map(|words| Key::of_pair(7, 9).trimmed(words)), [1, 1, 1]);
        assert_eq!(Key::default().trimmed(4), 1);
    }

    #[test]
    fn every_byte_and_the_length_count() {
        for words in 1..=KEY_WORDS {
            let hash = Key::default().hash(words);
            assert_ne!(hash, Key::default().hash(words - 1));
            for at in 0..words * WORD_BYTES {
                let mut bytes = [0; LEAF_BYTES];
                bytes[at] = 1;
                let changed = (of_bytes(&bytes).hash(words) ^ hash).count_ones();
                assert!(changed > 8, "{words} {at} {changed}");
            }
        }
    }
}
