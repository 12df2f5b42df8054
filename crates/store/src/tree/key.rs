//! Keys of leaves and nodes: some bytes of a state, or the numbers of two children.
//!
//! A key is some words of 64 bits, the last one filled up with zeros. It is put together from parts of up to 64 bits, one behind
//! the other.

/// Bytes of a word of the state.
pub(crate) const WORD_BYTES: usize = 8;
/// Words of a key at most.
pub(crate) const KEY_WORDS: usize = 5;
/// Bits of a leaf at most.
pub(crate) const LEAF_BITS: usize = KEY_WORDS * 64;
/// Words of a pair of numbers, as a node is kept.
pub(crate) const NODE_WORDS: usize = 1;

/// See the module. TableMapping for one word more than there are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Key([u64; KEY_WORDS + 1]);

impl Key {
    /// The key of a node.
    #[inline(always)]
    pub(crate) fn of_pair(first: u32, second: u32) -> Key {
        let mut key = Key::default();
        key.0[0] = u64::from(first) | u64::from(second) << 32;
        key
    }

    /// The key that is these words, [`KEY_WORDS`] at most.
    #[inline(always)]
    pub(crate) fn of_words(words: &[u64]) -> Key {
        let mut key = Key::default();
        key.0[..words.len()].copy_from_slice(words);
        key
    }

    /// All its words.
    #[inline(always)]
    pub(crate) fn words(&self) -> [u64; KEY_WORDS] {
        let [words @ .., _] = self.0;
        words
    }

    /// The children of a node.
    #[inline(always)]
    pub(crate) fn pair(&self) -> [u32; 2] {
        [self.0[0] as u32, (self.0[0] >> 32) as u32]
    }

    /// The key with these words, as they lie in memory.
    ///
    /// # Safety
    /// `words` words, [`KEY_WORDS`] at most, are readable there, and no thread writes to them.
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

    /// Adds a part that begins at a bit, where there are zeros.
    ///
    /// # Safety
    /// The bit is one of [`LEAF_BITS`].
    #[inline(always)]
    pub(crate) unsafe fn add(&mut self, at: u32, part: u64) {
        let (word, shift) = (at as usize / 64, at % 64);
        // SAFETY: by the caller. There is a word more than a leaf has.
        unsafe { std::hint::assert_unchecked(word < KEY_WORDS) };
        self.0[word] |= part << shift;
        // What does not fit goes on in the next word; a shift by all bits of a word is none, so it is done in two.
        self.0[word + 1] |= part >> 1 >> (63 - shift);
    }

    /// Clears the part that begins at bit `at` and is as wide as the ones of `low`.
    ///
    /// # Safety
    /// As for [`Key::add`].
    #[inline(always)]
    pub(crate) unsafe fn clear(&mut self, at: u32, low: u64) {
        let (word, shift) = (at as usize / 64, at % 64);
        // SAFETY: by the caller.
        unsafe { std::hint::assert_unchecked(word < KEY_WORDS) };
        self.0[word] &= !(low << shift);
        self.0[word + 1] &= !(low >> 1 >> (63 - shift));
    }

    /// The 64 bits that begin at a bit.
    ///
    /// # Safety
    /// As for [`Key::add`].
    #[inline(always)]
    pub(crate) unsafe fn from(&self, at: u32) -> u64 {
        let (word, shift) = (at as usize / 64, at % 64);
        // SAFETY: by the caller.
        unsafe { std::hint::assert_unchecked(word < KEY_WORDS) };
        self.0[word] >> shift | self.0[word + 1] << 1 << (63 - shift)
    }

    /// Its words but for zeros at the end, one at least and `words_max` at most. Parts of states that differ only in
    /// what is not there have the same key so.
    #[inline(always)]
    pub(crate) fn trimmed(&self, words_max: usize) -> usize {
        let mut words = words_max;
        while words > 1 && self.0[words - 1] == 0 {
            words -= 1;
        }
        words
    }

    /// The hash of a key of `words` words.
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

    fn of_bytes(bytes: &[u8; KEY_WORDS * WORD_BYTES]) -> Key {
        // SAFETY: that number of words is there.
        unsafe { Key::load(bytes.as_ptr(), KEY_WORDS) }
    }

    #[test]
    fn parts_stand_one_behind_the_other() {
        for bits in 1..=64u32 {
            let low = u64::MAX >> (64 - bits);
            let part = |at: u32| 0x9E37_79B9_7F4A_7C15u64.rotate_left(at) & low;
            let places: Vec<u32> = (0..LEAF_BITS as u32 - bits).step_by(bits as usize).collect();
            let mut key = Key::default();
            // SAFETY: all places lie inside a leaf, here and below.
            places.iter().for_each(|&at| unsafe { key.add(at, part(at)) });
            // SAFETY: as above.
            let read = |key: &Key, at| unsafe { key.from(at) } & low;
            assert!(places.iter().all(|&at| read(&key, at) == part(at)), "{bits}");
            let bit = |at: u32| key.0[at as usize / 64] >> (at % 64) & 1;
            assert!(places.iter().all(|&at| (0..bits).all(|i| bit(at + i) == part(at) >> i & 1)));
            for &gone in &places {
                let mut other = key;
                // SAFETY: as above.
                unsafe { other.clear(gone, low) };
                assert!(places.iter().all(|&at| read(&other, at) == if at == gone { 0 } else { part(at) }));
                // SAFETY: as above.
                unsafe { other.add(gone, part(gone)) };
                assert_eq!(other, key);
            }
        }
    }

    #[test]
    fn words_come_and_go() {
        let expected: [u8; KEY_WORDS * WORD_BYTES] = std::array::from_fn(|at| at as u8 + 1);
        let key = of_bytes(&expected);
        assert_eq!(key.bytes(KEY_WORDS), expected);
        for words in 0..=KEY_WORDS {
            let mut other = expected;
            // SAFETY: that number of words is there.
            assert!(unsafe { key.is_at(other.as_ptr(), words) });
            other[..words * WORD_BYTES].iter_mut().last().into_iter().for_each(|byte| *byte ^= 1);
            // SAFETY: that number of words is there.
            assert_eq!(unsafe { key.is_at(other.as_ptr(), words) }, words == 0);
        }
        assert_eq!(Key::of_pair(7, 9).pair(), [7, 9]);
        assert_eq!([1, 3, 5].map(|words| key.trimmed(words)), [1, 3, 5]);
        assert_eq!([1, 3, 5].map(|words| Key::of_pair(7, 9).trimmed(words)), [1, 1, 1]);
        assert_eq!(Key::default().trimmed(4), 1);
    }

    #[test]
    fn every_byte_and_the_length_count() {
        for words in 1..=KEY_WORDS {
            let hash = Key::default().hash(words);
            assert_ne!(hash, Key::default().hash(words - 1));
            for at in 0..words * WORD_BYTES {
                let mut bytes = [0; KEY_WORDS * WORD_BYTES];
                bytes[at] = 1;
                let changed = (of_bytes(&bytes).hash(words) ^ hash).count_ones();
                assert!(changed > 8, "{words} {at} {changed}");
            }
        }
    }
}
