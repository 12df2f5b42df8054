//! Comparing and copying short byte strings without a call.
//!
//! States are mostly 8 to 96 bytes long; a call of the library's comparison costs more than the comparison.

/// Whether `len` bytes at both places are equal.
///
/// # Safety
/// Both places are readable for `len` bytes and no thread writes there.
#[inline(always)]
pub(crate) unsafe fn equal(a: *const u8, b: *const u8, len: usize) -> bool {
    // SAFETY: every access lies inside the first `len` bytes; the last one of each kind may overlap the one before.
    unsafe {
        if len >= 8 {
            if len > 64 {
                return std::slice::from_raw_parts(a, len) == std::slice::from_raw_parts(b, len);
            }
            let last = len - 8;
            let mut at = 0;
            while at < last {
                if word(a.add(at)) != word(b.add(at)) {
                    return false;
                }
                at += 8;
            }
            word(a.add(last)) == word(b.add(last))
        } else if len >= 4 {
            let last = len - 4;
            (half(a) ^ half(b)) | (half(a.add(last)) ^ half(b.add(last))) == 0
        } else {
            (0..len).all(|at| *a.add(at) == *b.add(at))
        }
    }
}

/// The same, where `len` is known to take `WORDS` words of eight bytes, at least two; 0 when it is not.
///
/// # Safety
/// As for [`equal`]; and `len` takes that many words.
#[inline(always)]
pub(crate) unsafe fn equal_words<const WORDS: usize>(a: *const u8, b: *const u8, len: usize) -> bool {
    // SAFETY: by the caller; as in `equal`.
    unsafe {
        if WORDS < 2 {
            return equal(a, b, len);
        }
        let mut different = word(a.add(len - 8)) ^ word(b.add(len - 8));
        for i in 0..WORDS - 1 {
            different |= word(a.add(8 * i)) ^ word(b.add(8 * i));
        }
        different == 0
    }
}

/// Copies `len` bytes, where `len` is known to take `WORDS` words of eight bytes, at least two; 0 when it is not.
///
/// # Safety
/// As for [`copy`]; and `len` takes that many words.
#[inline(always)]
pub(crate) unsafe fn copy_words<const WORDS: usize>(from: *const u8, to: *mut u8, len: usize) {
    // SAFETY: by the caller; as in `equal`.
    unsafe {
        if WORDS < 2 {
            return copy(from, to, len);
        }
        for i in 0..WORDS - 1 {
            to.add(8 * i).cast::<u64>().write_unaligned(word(from.add(8 * i)));
        }
        to.add(len - 8).cast::<u64>().write_unaligned(word(from.add(len - 8)));
    }
}

/// Copies `len` bytes.
///
/// # Safety
/// `from` is readable and `to` writable for `len` bytes, and they do not overlap.
#[inline(always)]
pub(crate) unsafe fn copy(from: *const u8, to: *mut u8, len: usize) {
    // SAFETY: as in `equal`.
    unsafe {
        if (8..=64).contains(&len) {
            let last = len - 8;
            let mut at = 0;
            while at < last {
                to.add(at).cast::<u64>().write_unaligned(word(from.add(at)));
                at += 8;
            }
            to.add(last).cast::<u64>().write_unaligned(word(from.add(last)));
        } else {
            std::ptr::copy_nonoverlapping(from, to, len);
        }
    }
}

/// # Safety
/// Eight bytes are readable.
#[inline(always)]
unsafe fn word(at: *const u8) -> u64 {
    // SAFETY: by the caller.
    unsafe { at.cast::<u64>().read_unaligned() }
}

/// # Safety
/// Four bytes are readable.
#[inline(always)]
unsafe fn half(at: *const u8) -> u32 {
    // SAFETY: by the caller.
    unsafe { at.cast::<u32>().read_unaligned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_counts() {
        for len in 0..80usize {
            let original: Vec<u8> = (0..len).map(|i| (i * 7) as u8).collect();
            let mut copied = vec![0xff; len];
            // SAFETY: both are `len` bytes long.
            unsafe {
                copy(original.as_ptr(), copied.as_mut_ptr(), len);
                assert_eq!(original, copied);
                assert!(equal(original.as_ptr(), copied.as_ptr(), len));
                for at in 0..len {
                    copied[at] ^= 1;
                    assert!(!equal(original.as_ptr(), copied.as_ptr(), len), "{len} {at}");
                    if len.div_ceil(8) == 3 {
                        assert!(!equal_words::<3>(original.as_ptr(), copied.as_ptr(), len), "{len} {at}");
                    }
                    copied[at] ^= 1;
                }
                if len.div_ceil(8) == 3 {
                    copied.fill(0xff);
                    copy_words::<3>(original.as_ptr(), copied.as_mut_ptr(), len);
                    assert_eq!(original, copied);
                    assert!(equal_words::<3>(original.as_ptr(), copied.as_ptr(), len));
                }
            }
        }
    }
}
