//! Looking at all slots of a line at once.
//!
//! A line has 16 slots of 32 bits, and a processor compares four with a word by one instruction. The loads are those of an
//! `asm` block, because other workers may fill slots meanwhile: each slot is read once, as it is at some moment, and
//! nothing is promised about their order.

use std::sync::atomic::AtomicU32;

/// Slots of a line.
const SLOTS: usize = 16;

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
}
