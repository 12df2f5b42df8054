//! Looking at all slots of a line at once.
//!
//! A line has 16 slots of 32 bits or 8 of 64, and a processor compares four words by one instruction. The loads are those of an
//! `asm` block, because other workers may fill slots meanwhile: each slot is read once, as it is at some moment, and
//! nothing is promised about their order.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Acquire};

/// Slots of a line.
const SLOTS: usize = 16;
/// Wide slots of a line.
const WIDE_SLOTS: usize = 8;

/// Whether a slot holds this word, which is not 0; and how many slots, from the first on, are filled. Where the processor
/// has no such instructions nothing is seen, and none are known to be filled.
#[inline(always)]
pub(crate) fn scan(line: &[AtomicU32], wanted: u32) -> (bool, usize) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if line.len() == SLOTS {
        let (hits, empties): (u32, u32);
        // SAFETY: these are 64 bytes that can be read, every processor of this kind has these instructions, and nothing but
        // the registers named is changed.
        unsafe {
            std::arch::asm!(
                "movd {wanted}, {word:e}",
                "pshufd {wanted}, {wanted}, 0",
                "pxor {zero}, {zero}",
                "movdqu {a}, [{line}]",
                "movdqu {b}, [{line} + 16]",
                "movdqu {c}, [{line} + 32]",
                "movdqu {d}, [{line} + 48]",
                "movdqa {e}, {a}",
                "movdqa {f}, {c}",
                "pcmpeqd {a}, {zero}",
                "pcmpeqd {c}, {zero}",
                "pcmpeqd {zero}, {b}",
                "packssdw {a}, {zero}",
                "pxor {zero}, {zero}",
                "pcmpeqd {zero}, {d}",
                "packssdw {c}, {zero}",
                "packsswb {a}, {c}",
                "pmovmskb {empties:e}, {a}",
                "pcmpeqd {e}, {wanted}",
                "pcmpeqd {b}, {wanted}",
                "pcmpeqd {f}, {wanted}",
                "pcmpeqd {d}, {wanted}",
                "packssdw {e}, {b}",
                "packssdw {f}, {d}",
                "packsswb {e}, {f}",
                "pmovmskb {hits:e}, {e}",
                line = in(reg) line.as_ptr(),
                word = in(reg) wanted,
                wanted = out(xmm_reg) _,
                zero = out(xmm_reg) _,
                a = out(xmm_reg) _,
                b = out(xmm_reg) _,
                c = out(xmm_reg) _,
                d = out(xmm_reg) _,
                e = out(xmm_reg) _,
                f = out(xmm_reg) _,
                hits = lateout(reg) hits,
                empties = lateout(reg) empties,
                options(readonly, nostack, preserves_flags),
            );
        }
        return (hits != 0, (empties | 1 << SLOTS).trailing_zeros() as usize);
    }
    let _ = (line, wanted);
    (false, 0)
}

/// The same for wide slots. Lines of other lengths are not looked at.
#[inline(always)]
pub(crate) fn scan_wide(line: &[AtomicU64], wanted: u64) -> (bool, usize) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if line.len() == WIDE_SLOTS && std::arch::is_x86_feature_detected!("avx2") {
        let (hits, first, last): (u32, u32, u32);
        // SAFETY: these are 64 bytes that can be read, the processor has these instructions, and nothing but the registers
        // named is changed: their upper halves, which no other code uses, are cleared again.
        unsafe {
            std::arch::asm!(
                "vmovq {w:x}, {word}",
                "vpbroadcastq {w:y}, {w:x}",
                "vpxor {z:x}, {z:x}, {z:x}",
                "vmovdqu {a:y}, [{line}]",
                "vmovdqu {b:y}, [{line} + 32]",
                "vpcmpeqq {c:y}, {a:y}, {w:y}",
                "vpcmpeqq {d:y}, {b:y}, {w:y}",
                "vpor {c:y}, {c:y}, {d:y}",
                "vpcmpeqq {a:y}, {a:y}, {z:y}",
                "vpcmpeqq {b:y}, {b:y}, {z:y}",
                "vmovmskpd {hits:e}, {c:y}",
                "vmovmskpd {first:e}, {a:y}",
                "vmovmskpd {last:e}, {b:y}",
                "vzeroupper",
                line = in(reg) line.as_ptr(),
                word = in(reg) wanted,
                w = out(xmm_reg) _,
                z = out(xmm_reg) _,
                a = out(xmm_reg) _,
                b = out(xmm_reg) _,
                c = out(xmm_reg) _,
                d = out(xmm_reg) _,
                hits = lateout(reg) hits,
                first = lateout(reg) first,
                last = lateout(reg) last,
                options(readonly, nostack, preserves_flags),
            );
        }
        return (hits != 0, (first | last << 4 | 1 << WIDE_SLOTS).trailing_zeros() as usize);
    }
    let _ = (line, wanted);
    (false, 0)
}

/// How many slots of a line, from the first on, have a number, which is their lower half, and another tag than this, which is
/// the upper half.
#[inline(always)]
pub(crate) fn others(line: &[AtomicU64], tag: u32) -> usize {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if line.len() == WIDE_SLOTS {
        let ends: u32;
        // SAFETY: as above.
        unsafe {
            std::arch::asm!(
                "movd {wanted}, {word:e}",
                "pshufd {wanted}, {wanted}, 0",
                "pxor {zero}, {zero}",
                "movdqu {a}, [{line}]",
                "movdqu {b}, [{line} + 16]",
                "movdqu {c}, [{line} + 32]",
                "movdqu {d}, [{line} + 48]",
                "movdqa {e}, {a}",
                "movdqa {f}, {c}",
                // The tags of four slots, and their numbers.
                "shufps {e}, {b}, 0xdd",
                "shufps {f}, {d}, 0xdd",
                "shufps {a}, {b}, 0x88",
                "shufps {c}, {d}, 0x88",
                "pcmpeqd {e}, {wanted}",
                "pcmpeqd {f}, {wanted}",
                "pcmpeqd {a}, {zero}",
                "pcmpeqd {c}, {zero}",
                "por {e}, {a}",
                "por {f}, {c}",
                "packssdw {e}, {f}",
                "packsswb {e}, {zero}",
                "pmovmskb {ends:e}, {e}",
                line = in(reg) line.as_ptr(),
                word = in(reg) tag,
                wanted = out(xmm_reg) _,
                zero = out(xmm_reg) _,
                a = out(xmm_reg) _,
                b = out(xmm_reg) _,
                c = out(xmm_reg) _,
                d = out(xmm_reg) _,
                e = out(xmm_reg) _,
                f = out(xmm_reg) _,
                ends = lateout(reg) ends,
                options(readonly, nostack, preserves_flags),
            );
        }
        return (ends | 1 << WIDE_SLOTS).trailing_zeros() as usize;
    }
    line.iter()
        .map(|slot| slot.load(Acquire))
        .take_while(|word| *word as u32 != 0 && (*word >> 32) as u32 != tag)
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering::Relaxed;

    #[test]
    fn a_line_is_what_its_slots_are() {
        let line: [AtomicU32; SLOTS] = std::array::from_fn(|_| AtomicU32::new(0));
        let mut seed = 11u64;
        let mut random = |below: u32| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as u32 % below
        };
        let (mut hits, mut full) = (0, 0);
        for _ in 0..5000 {
            let filled = random(SLOTS as u32 + 1) as usize;
            let value = |x: u32| [x + 1, u32::MAX - x, (x + 1) << 16, 0x8000_8000 + x][x as usize % 4];
            for (at, slot) in line.iter().enumerate() {
                slot.store(if at < filled { value(random(24)) } else { 0 }, Relaxed);
            }
            let wanted = value(random(24));
            let seen = line.iter().any(|slot| slot.load(Relaxed) == wanted);
            if cfg!(all(target_arch = "x86_64", not(miri))) {
                assert_eq!(scan(&line, wanted), (seen, filled));
            } else {
                assert_eq!(scan(&line, wanted), (false, 0));
            }
            hits += u32::from(seen);
            full += u32::from(filled == SLOTS);
        }
        assert!(hits > 500 && full > 100);
        assert_eq!(scan(&line[1..], 1), (false, 0));
    }

    #[test]
    fn a_wide_line_is_what_its_slots_are() {
        let line: [AtomicU64; WIDE_SLOTS] = std::array::from_fn(|_| AtomicU64::new(0));
        let mut seed = 11u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) % below
        };
        let (mut hits, mut full) = (0, 0);
        for _ in 0..5000 {
            let filled = random(WIDE_SLOTS as u64 + 1) as usize;
            let value = |x: u64| [x + 1, u64::MAX - x, (x + 1) << 32, x + 1 + (1 << 63)][x as usize % 4];
            for (at, slot) in line.iter().enumerate() {
                slot.store(if at < filled { value(random(12)) } else { 0 }, Relaxed);
            }
            let wanted = value(random(12));
            let seen = line.iter().any(|slot| slot.load(Relaxed) == wanted);
            // Where the processor cannot, nothing is seen.
            let looked = scan_wide(&line, wanted);
            assert!(looked == (seen, filled) || looked == (false, 0));
            hits += u32::from(looked.0);
            full += u32::from(looked.1 == WIDE_SLOTS);
        }
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        assert!(!std::arch::is_x86_feature_detected!("avx2") || hits > 500 && full > 100);
        assert_eq!(scan_wide(&line[1..], 1), (false, 0));
    }

    #[test]
    fn other_tags_are_passed_over() {
        let line: [AtomicU64; WIDE_SLOTS] = std::array::from_fn(|_| AtomicU64::new(0));
        let mut seed = 5u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) % below
        };
        let mut counts = [0; WIDE_SLOTS + 1];
        for _ in 0..5000 {
            let filled = random(WIDE_SLOTS as u64 + 1) as usize;
            let tag = |x: u64| [x, u64::from(u32::MAX) - x, x << 16, 0x8000_0000 + x][x as usize % 4];
            for (at, slot) in line.iter().enumerate() {
                let word = tag(random(12)) << 32 | (random(3) << 30 | random(3)).max(1);
                slot.store(if at < filled { word } else { 0 }, Relaxed);
            }
            let wanted = tag(random(12));
            let words: Vec<u64> = line.iter().map(|slot| slot.load(Relaxed)).collect();
            let other = words.iter().position(|word| *word == 0 || word >> 32 == wanted).unwrap_or(WIDE_SLOTS);
            assert_eq!(others(&line, wanted as u32), other);
            counts[other] += 1;
        }
        assert!(counts.iter().all(|count| *count > 20), "{counts:?}");
        line.iter().for_each(|slot| slot.store(7 << 32 | 1, Relaxed));
        assert_eq!((others(&line[1..], 7), others(&line[1..], 8)), (0, WIDE_SLOTS - 1));
    }
}
