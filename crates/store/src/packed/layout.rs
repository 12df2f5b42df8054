//! How states of one length are packed into bits, and unpacked.
//!
//! A state is looked at as words of eight bytes. To each word the bias of its bytes is added, byte by byte; what is left is
//! gathered by one instruction (`pext`) where the processor has it. A state *fits* when no bit is left over.

use crate::packed::ranges::Narrowed;
use crate::tree::key::WORD_BYTES;
use crate::tree::shape::{Engine, word};

/// Words of a state for which the loop is unrolled, at most.
pub(crate) const FEW_WORDS: usize = 10;

/// One word of a state.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    /// What bytes are where no bit of the mask is set, as far as they need no bias.
    flip: u64,
    /// The bias of the others, and its opposite.
    bias: u64,
    back: u64,
    mask: u64,
    /// Where its bits are in the packed number.
    at: u32,
}

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    len: usize,
    /// How many bits of the last word there are not.
    missing_bits: usize,
    rows: Vec<Row>,
    bits: u32,
    bytes: Vec<Narrowed>,
    /// Some byte needs a bias.
    turns: bool,
    engine: Engine,
}

/// What a byte is where no bit of its mask is set, and its bias if it needs one.
fn parts(byte: &Narrowed) -> (u8, u8) {
    let base = byte.bias.wrapping_neg();
    // Bits of the mask are then added to it without a carry.
    if base & byte.mask == 0 { (base, 0) } else { (0, byte.bias) }
}

/// Adds byte by byte.
#[inline(always)]
fn add_bytes(a: u64, b: u64) -> u64 {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    ((a & !HIGH) + (b & !HIGH)) ^ ((a ^ b) & HIGH)
}

impl Layout {
    /// For states of as many bytes; `None` when they take more than 62 bits.
    pub(crate) fn new(bytes: Vec<Narrowed>) -> Option<Layout> {
        let len = bytes.len();
        let mut bits = 0;
        let rows: Vec<Row> = bytes
            .chunks(WORD_BYTES)
            .map(|bytes| {
                let word =
                    |of: fn(&Narrowed) -> u8| bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(of(byte)));
                let mask = word(|byte| byte.mask);
                let bias = word(|byte| parts(byte).1);
                let back = word(|byte| parts(byte).1.wrapping_neg());
                let row = Row { flip: word(|byte| parts(byte).0), bias, back, mask, at: bits };
                bits += mask.count_ones();
                row
            })
            .collect();
        let missing_bits = 8 * (rows.len() * WORD_BYTES - len);
        let turns = rows.iter().any(|row| row.bias != 0);
        (bits <= 62).then(|| Layout { len, missing_bits, rows, bits, bytes, turns, engine: Engine::here() })
    }

    /// Length of the states.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Bits of a packed state.
    pub(crate) fn bits(&self) -> u32 {
        self.bits
    }

    /// How each byte is packed.
    pub(crate) fn bytes(&self) -> &[Narrowed] {
        &self.bytes
    }

    /// Words of a state where loops over them are unrolled; else 0. Then the processor can gather bits at once.
    #[inline(always)]
    pub(crate) fn few_words(&self) -> usize {
        let is_fast = self.engine.is_fast() && self.len >= WORD_BYTES && self.rows.len() <= FEW_WORDS;
        if is_fast { self.rows.len() } else { 0 }
    }

    /// Whether some byte needs a bias.
    #[inline(always)]
    pub(crate) fn turns(&self) -> bool {
        self.turns
    }

    /// The bits of a state, and whether it fits.
    pub(crate) fn pack(&self, state: &[u8]) -> (u64, bool) {
        // SAFETY: no words are promised.
        unsafe { self.pack_words::<0, true>(state) }
    }

    /// The same where the number of words is known, and perhaps that no byte `TURNS`.
    ///
    /// # Safety
    /// `WORDS` is [`Layout::few_words`], or 0; the state has the length of the layout; `TURNS` is [`Layout::turns`], or true.
    #[inline(always)]
    pub(crate) unsafe fn pack_words<const WORDS: usize, const TURNS: bool>(&self, state: &[u8]) -> (u64, bool) {
        debug_assert!(state.len() == self.len && (WORDS == 0 || WORDS == self.few_words()));
        let (mut packed, mut off) = (0, 0);
        let mut take = |row: &Row, word: u64| {
            let flipped = word ^ row.flip;
            let turned = if TURNS { add_bytes(flipped, row.bias) } else { flipped };
            off |= turned & !row.mask;
            // SAFETY: where there are few words the processor can do it at once.
            let bits = unsafe { self.engine.extract_as::<WORDS>(turned, row.mask) };
            packed |= bits << (row.at & 63);
        };
        if WORDS > 0 {
            // SAFETY: by the caller, there are that many rows, and words begin inside the state.
            unsafe {
                let read = |at: usize| u64::from_le(state.as_ptr().add(at).cast::<u64>().read_unaligned());
                for at in 0..WORDS - 1 {
                    take(self.rows.get_unchecked(at), read(at * WORD_BYTES));
                }
                // The last word overlaps the one before, which is shifted out.
                take(self.rows.get_unchecked(WORDS - 1), read(state.len() - WORD_BYTES) >> self.missing_bits);
            }
        } else {
            self.rows.iter().enumerate().for_each(|(at, row)| take(row, word(state, at * WORD_BYTES)));
        }
        (packed, off == 0)
    }

    /// The state with these bits, behind what is in `out`.
    pub(crate) fn unpack(&self, packed: u64, out: &mut Vec<u8>) {
        // SAFETY: no words are promised.
        unsafe { self.unpack_words::<0>(std::iter::once(packed), 1, out) }
    }

    /// As many states as come, `most` at most, where the number of words is known.
    ///
    /// # Safety
    /// `WORDS` is [`Layout::few_words`], or 0.
    #[inline(always)]
    pub(crate) unsafe fn unpack_words<const WORDS: usize>(
        &self,
        packed: impl Iterator<Item = u64>,
        most: usize,
        out: &mut Vec<u8>,
    ) {
        debug_assert!(WORDS == 0 || WORDS == self.few_words());
        // The last word of a state reaches into the next one, which is written later.
        out.reserve(most * self.len + WORD_BYTES);
        let mut end = out.len();
        let rows = if WORDS > 0 { &self.rows[..WORDS] } else { &self.rows };
        for packed in packed.take(most) {
            for (at, row) in rows.iter().enumerate() {
                let word = add_bytes(self.engine.deposit(packed >> (row.at & 63), row.mask), row.back) ^ row.flip;
                // SAFETY: there is room for that many states and one more word.
                unsafe { out.as_mut_ptr().add(end + at * WORD_BYTES).cast::<u64>().write_unaligned(word.to_le()) };
            }
            end += self.len;
        }
        // SAFETY: everything up to there was written.
        unsafe { out.set_len(end) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packed::ranges::Ranges;

    fn random(seed: &mut u64, below: usize) -> usize {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*seed >> 33) as usize % below
    }

    /// Packing is what it would be byte by byte, in every way, and can be undone.
    #[test]
    fn packed_states_come_back() {
        let mut seed = 5;
        let (mut misfits, mut few) = (0, 0);
        for _ in 0..if cfg!(miri) { 40 } else { 3000 } {
            let len = 1 + random(&mut seed, 90);
            let base: Vec<u8> = (0..len).map(|_| random(&mut seed, 256) as u8).collect();
            let varying: Vec<usize> = (0..random(&mut seed, 12)).map(|_| random(&mut seed, len)).collect();
            let width = 1 + random(&mut seed, 40);
            let mut ranges = Ranges::new(len);
            let mut states = Vec::new();
            for _ in 0..20 {
                let mut state = base.clone();
                varying.iter().for_each(|&at| state[at] = state[at].wrapping_add(random(&mut seed, width) as u8));
                ranges.add(&state);
                states.push(state);
            }
            let Some(layout) = Layout::new(ranges.narrow()) else { continue };
            for state in &mut states {
                if random(&mut seed, 2) == 0 {
                    let at = random(&mut seed, len);
                    state[at] ^= 1 << random(&mut seed, 8);
                }
                let fits = state.iter().zip(layout.bytes()).all(|(value, byte)| byte.has(*value));
                let (packed, fitting) = layout.pack(state);
                assert_eq!(fitting, fits);
                macro_rules! by_words {
                    ($($words:literal)*) => {
                        match layout.few_words() {
                            // SAFETY: the layout says so.
                            $($words if layout.turns() => unsafe { layout.pack_words::<$words, true>(state) },)*
                            // SAFETY: as above.
                            $($words => unsafe { layout.pack_words::<$words, false>(state) },)*
                            _ => (packed, fitting),
                        }
                    };
                }
                assert_eq!(by_words!(1 2 3 4 5 6 7 8 9 10), (packed, fitting));
                few += usize::from(layout.few_words() > 0);
                misfits += usize::from(!fits);
                if fits {
                    assert_eq!(packed >> layout.bits(), 0);
                    let mut out = vec![3];
                    layout.unpack(packed, &mut out);
                    assert_eq!(out[1..], state[..]);
                    macro_rules! by_words {
                        ($($words:literal)*) => {
                            match layout.few_words() {
                                // SAFETY: the layout says so.
                                $($words => unsafe { layout.unpack_words::<$words>([packed; 3].into_iter(), 2, &mut out) },)*
                                _ => (0..2).for_each(|_| layout.unpack(packed, &mut out)),
                            }
                        };
                    }
                    by_words!(1 2 3 4 5 6 7 8 9 10);
                    assert_eq!(out[1..], [&state[..]; 3].concat());
                }
            }
        }
        assert!(cfg!(miri) || (misfits > 1000 && few > 1000), "{misfits} {few}");
    }
}
