//! How many states a lossy store omits: predictions for each layout, before and after a run.
//!
//! A state is *omitted* when its first visit is answered "seen"; every later visit is answered alike. The predictions
//! count these; states that can be reached only through omitted ones are lost in addition; no formula
//! predicts their number. With `n` states, `m` bits and `k` bits a state:
//!
//! - classic (Bloom, 1970): after `i` states a further one is omitted with chance `f(i) = (1 - e^(-k i / m))^k`;
//! - one line: the states of a line of 512 bits are Poisson distributed with mean `L = 512 i / m`, and a line with `j`
//!   states omits a further one with chance `g(j) = (1 - (1 - 1/512)^(k j))^k`. The sum over all `i` has a closed form:
//!   `E = m/512 * sum over j of g(j) * P(Poisson(512 n / m) > j)`;
//! - cells of a hash-compact table: see [`mod@cells`].
//!
//! `E` is the sum of `f(i)` over `i < n`, and the chance that anything is omitted is `1 - e^-E`. States are known to a
//! filter by a hash of 64 bits, so that `n^2 / 2^65` states are added where two of them have the same.
//!
//! After Dillinger, Manolios, "Enhanced probabilistic verification with 3Spin and 3Murphi" (SPIN 2005).

pub mod advice;
pub mod cells;
pub mod coverage;

pub use advice::{Advice, Target, advise};
pub use coverage::{Coverage, LossyRun, Reliability};

use crate::memory::zeroed_lines::{LINE_BITS, LINE_BYTES};

/// Bits a state gets when nothing is known of the number of states: few omissions over a wide range of numbers.
pub const SUPERTRACE_K: u32 = 3;
/// The most bits a state can have.
pub const K_MAX: u32 = 64;
/// Below this number of omitted states, no further bit is spent.
const LITTLE_OMITTED: f64 = 1e-7;
/// Bits of memory per state up to which one line per state is used: beyond, it omits more than twice as much.
pub const ONE_LINE_BITS_MAX: f64 = 16.0;
/// Free cells a hash-compact table is planned with, as a factor: estimates of the number of states are never exact.
const CELLS_SPARE: f64 = 1.05;
/// Bits of a fingerprint when nothing is known of the number of states.
const BITS_UNKNOWN: u32 = 32;

/// How a lossy store keeps states, as far as its omissions depend on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scheme {
    /// Bits anywhere in the filter.
    Classic {
        /// Size of the filter.
        m_bits: u64,
        /// Bits a state.
        k: u32,
    },
    /// All bits of a state in one cache line.
    OneLine {
        /// Size of the filter.
        m_bits: u64,
        /// Bits a state.
        k: u32,
    },
    /// Fingerprints in cells.
    Cells {
        /// Number of cache lines.
        lines: u64,
        /// Bits of a cell, as [`cell_width`] gives them.
        width_bits: u32,
    },
}

impl Scheme {
    /// The filter for this much memory, with the layout and the number of bits a state that omit least; where fewer bits leave
    /// next to nothing out, with fewer. Without an expected number of states: one line, and few bits.
    pub fn bitstate(memory_bytes: u64, expected_states: Option<u64>, k: Option<u32>) -> Scheme {
        let m_bits = (memory_bytes / LINE_BYTES).max(1) * LINE_BITS;
        let k = k.map(|k| k.clamp(1, K_MAX));
        let one_line = |k| Scheme::OneLine { m_bits, k };
        let classic = |k| Scheme::Classic { m_bits, k };
        let Some(n) = expected_states else {
            return one_line(k.unwrap_or(SUPERTRACE_K));
        };
        // With less than a bit a state every layout is hopeless, and figures for many more take long.
        let n = n.clamp(1, m_bits);
        let omitted = |scheme: Scheme| scheme.omitted_by_layout(n as f64);
        let is_little = |scheme: Scheme| omitted(scheme) < LITTLE_OMITTED;
        let fits_one_line = m_bits as f64 / n as f64 <= ONE_LINE_BITS_MAX;
        match k {
            Some(k) if fits_one_line => one_line(k),
            Some(k) => classic(k),
            None => {
                // Omissions fall with every further bit up to the best number, and rise from there on.
                let enough = |make: &dyn Fn(u32) -> Scheme| {
                    let is_best = |k: u32| is_little(make(k)) || omitted(make(k)) <= omitted(make(k + 1));
                    make((1..K_MAX).find(|k| is_best(*k)).unwrap_or(K_MAX))
                };
                let lined = enough(&one_line);
                if fits_one_line || is_little(lined) { lined } else { enough(&classic) }
            }
        }
    }

    /// The table of fingerprints for this much memory: as wide as the expected number of states allows.
    pub fn cells(memory_bytes: u64, expected_states: Option<u64>, bits: Option<u32>) -> Scheme {
        let lines = (memory_bytes / LINE_BYTES).max(1);
        let fitting = |n: u64| ((lines * LINE_BITS) as f64 / (n.max(1) as f64 * CELLS_SPARE)).min(64.0) as u32;
        // A width is rounded up to what costs no more memory; what fits must not be.
        let narrower = |bits: u32| (4..=bits.max(4)).rev().find(|b| cell_width(*b) <= bits.max(4)).unwrap_or(4);
        let bits = bits.unwrap_or_else(|| expected_states.map_or(BITS_UNKNOWN, |n| narrower(fitting(n))));
        Scheme::Cells { lines, width_bits: cell_width(bits) }
    }

    /// Memory of the store, in bytes.
    pub fn memory_bytes(self) -> u64 {
        match self {
            Scheme::Classic { m_bits, .. } | Scheme::OneLine { m_bits, .. } => m_bits / 8,
            Scheme::Cells { lines, .. } => lines * LINE_BYTES,
        }
    }

    /// The most states it can hold; none for a filter, which is never full.
    pub fn capacity(self) -> Option<u64> {
        match self {
            Scheme::Cells { lines, width_bits } => Some(lines * u64::from(cells_per_line(width_bits))),
            _ => None,
        }
    }

    /// Chance that a state that was never visited is taken for a visited one, after `stored` states.
    pub fn false_positive(self, stored: f64) -> f64 {
        match self {
            Scheme::Classic { m_bits, k } => classic_false_positive(m_bits, k, stored),
            Scheme::OneLine { m_bits, k } => {
                let load = LINE_BITS as f64 * stored / m_bits as f64;
                poisson(load).map(|(j, p, _)| p * line_false_positive(k, j)).sum::<f64>().min(1.0)
            }
            Scheme::Cells { lines, width_bits } => cells::Fluid::after(lines, width_bits, stored).false_positive(),
        }
    }

    /// States expected to be omitted of `states` that are visited.
    pub fn omitted(self, states: f64) -> f64 {
        // Fingerprints of full width come from a hash of their own; all others share the one hash of the state.
        let same_hash = match self {
            Scheme::Cells { width_bits: 64, .. } => 0.0,
            _ => states * (states - 1.0).max(0.0) / 2f64.powi(65),
        };
        (self.omitted_by_layout(states) + same_hash).min(states)
    }

    /// The same without states that have the same hash.
    pub fn omitted_by_layout(self, states: f64) -> f64 {
        match self {
            Scheme::Classic { m_bits, k } => integrate(states, |i| classic_false_positive(m_bits, k, i)),
            Scheme::OneLine { m_bits, k } => {
                let lines = m_bits as f64 / LINE_BITS as f64;
                lines * poisson(states / lines).map(|(j, _, above)| above * line_false_positive(k, j)).sum::<f64>()
            }
            Scheme::Cells { lines, width_bits } => cells::Fluid::after(lines, width_bits, states).omitted(),
        }
    }

    /// Chance that any of `states` states is omitted.
    pub fn any_omitted(self, states: f64) -> f64 {
        -(-self.omitted(states)).exp_m1()
    }

    /// Number of states visited when `stored` of them were found new.
    pub fn visited(self, stored: f64) -> f64 {
        if let Scheme::Classic { m_bits, k } = self {
            // Each of the stored ones stands for those omitted before the next one was found.
            return integrate(stored, |i| 1.0 / (1.0 - classic_false_positive(m_bits, k, i)).max(1e-9));
        }
        // What is visited and not omitted is stored: the number that fits, by halving.
        let (mut low, mut high) = (stored, 2.0 * stored);
        while high - self.omitted(high) < stored && high < 1e3 * stored {
            high *= 2.0;
        }
        for _ in 0..50 {
            let middle = 0.5 * (low + high);
            match middle - self.omitted(middle) < stored {
                true => low = middle,
                false => high = middle,
            }
        }
        0.5 * (low + high)
    }
}

/// Bits of a cell that holds a fingerprint of at least `bits` bits: cells do not cross words of 64 bits, and what a word
/// has left over is given to its cells.
pub fn cell_width(bits: u32) -> u32 {
    64 / (64 / bits.clamp(4, 64))
}

/// Cells of a line.
pub fn cells_per_line(width_bits: u32) -> u32 {
    8 * (64 / width_bits)
}

fn classic_false_positive(m_bits: u64, k: u32, stored: f64) -> f64 {
    (-(-f64::from(k) * stored / m_bits as f64).exp_m1()).powi(k as i32)
}

/// Chance that a line with the bits of `j` states omits another state.
fn line_false_positive(k: u32, j: u32) -> f64 {
    let clear = f64::from(k) * f64::from(j) * (-1.0 / LINE_BITS as f64).ln_1p();
    (-clear.exp_m1()).powi(k as i32)
}

/// All `j` that matter of a Poisson distribution, each with its probability and the probability of more than `j`.
fn poisson(mean: f64) -> impl Iterator<Item = (u32, f64, f64)> {
    let last = (mean + 12.0 * mean.sqrt() + 40.0) as u32;
    let log_mean = mean.max(f64::MIN_POSITIVE).ln();
    // Sums from above lose nothing to rounding where the tail is small.
    let mut log_p = f64::from(last) * log_mean - mean;
    log_p -= (1..=last).map(|j| f64::from(j).ln()).sum::<f64>();
    let mut above = 0.0;
    (0..=last).rev().map(move |j| {
        let p = log_p.exp();
        log_p += f64::from(j).max(1.0).ln() - log_mean;
        let answer = (j, p, above);
        above += p;
        answer
    })
}

/// The integral from 0 to `end` (Simpson's rule).
fn integrate(end: f64, f: impl Fn(f64) -> f64) -> f64 {
    const HALVES: u32 = 500;
    let step = end / f64::from(2 * HALVES);
    let inner = |i: u32| f(f64::from(i) * step) * if i % 2 == 1 { 4.0 } else { 2.0 };
    let sum: f64 = (1..2 * HALVES).map(inner).sum();
    (f(0.0) + sum + f(end)) * step / 3.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn near(value: f64, expected: f64, tolerance: f64) {
        assert!((value / expected - 1.0).abs() <= tolerance, "{value:e} instead of {expected:e}");
    }

    const MEBIBYTE: u64 = 1 << 20;

    fn classic(mebibytes: u64, k: u32) -> Scheme {
        Scheme::Classic { m_bits: 8 * MEBIBYTE * mebibytes, k }
    }

    fn not_zero(p: f64) -> f64 {
        -(-p).exp_m1()
    }

    #[test]
    fn figures_of_the_paper() {
        near(classic(1024, 21).omitted_by_layout(3e8), 20.7, 0.01);
        near(not_zero(classic(1750, 21).omitted_by_layout(3e8)), 0.0042, 0.02);
        near(not_zero(classic(1750, 35).omitted_by_layout(3e8)), 0.000_73, 0.02);
        // Figure 1: 400 MB, in per cent of the states.
        let rows = [(3e7, 3.2e-17, 0.00047), (1e8, 5.6e-7, 0.0161), (2e8, 0.011, 0.116), (4e8, 3.8, 0.76)];
        for (n, tuned, supertrace) in rows {
            near(classic(400, 24).omitted_by_layout(n) / n * 100.0, tuned, 0.04);
            near(classic(400, 3).omitted_by_layout(n) / n * 100.0, supertrace, 0.01);
        }
        near(classic(400, 24).omitted_by_layout(1e9) / 1e9, 0.47, 0.02);
    }

    #[test]
    fn best_k_of_a_classic_filter() {
        let n = 1_000_000;
        for (bits, k, omitted) in [(20, 15, 6.0e-6), (24, 18, 7.5e-7), (40, 29, 2.2e-10), (64, 46, 1.4e-15)] {
            let best = Scheme::Classic { m_bits: n * bits, k };
            near(best.omitted_by_layout(n as f64) / n as f64, omitted, 0.05);
            let scheme = Scheme::bitstate(n * bits / 8, Some(n), None);
            let Scheme::Classic { k: chosen, .. } = scheme else { panic!("{scheme:?}") };
            // There is no need for the best where less is good enough.
            let good_enough = chosen < k && scheme.omitted_by_layout(n as f64) < 1e-7;
            assert!(chosen == k || good_enough, "{scheme:?}");
        }
        // With memory in plenty, few bits in one line will do.
        let plenty = Scheme::bitstate(512 << 20, Some(3 * n), None);
        let Scheme::OneLine { k: 2..=12, .. } = plenty else { panic!("{plenty:?}") };
        assert!(plenty.omitted_by_layout(3e6) < 1e-7);
        near(Scheme::Classic { m_bits: 8 * n, k: 7 }.omitted_by_layout(n as f64) / n as f64, 4.0e-3, 0.02);
        near(Scheme::Classic { m_bits: 2 * n, k: 2 }.omitted_by_layout(n as f64) / n as f64, 0.17, 0.02);
    }

    #[test]
    fn best_k_of_one_line() {
        let n = 1_000_000;
        let rows = [(4, 4, 4.5e-2), (6, 5, 1.4e-2), (8, 6, 4.6e-3), (12, 9, 6.4e-4), (16, 11, 1.1e-4)];
        for (bits, k, omitted) in rows {
            let scheme = Scheme::bitstate(n * bits / 8, Some(n), None);
            let Scheme::OneLine { k: best, m_bits } = scheme else { panic!("{scheme:?}") };
            assert_eq!(best, k);
            near(scheme.omitted_by_layout(n as f64) / n as f64, omitted, 0.05);
            // The closed form is the sum it stands for.
            let sum = integrate(n as f64, |i| scheme.false_positive(i));
            near(scheme.omitted_by_layout(n as f64), sum, 1e-3);
            assert_eq!(Scheme::bitstate(n * bits / 8, None, None), Scheme::OneLine { m_bits, k: 3 });
        }
        for (bits, omitted) in [(4, 4.6e-2), (8, 8.9e-3), (16, 1.5e-3), (48, 7.7e-5)] {
            let scheme = Scheme::bitstate(n * bits / 8, None, None);
            near(scheme.omitted_by_layout(n as f64) / n as f64, omitted, 0.05);
        }
    }

    #[test]
    fn visited_states_from_stored_ones() {
        for scheme in [
            Scheme::OneLine { m_bits: 8 << 20, k: 3 },
            Scheme::Classic { m_bits: 8 << 20, k: 5 },
            Scheme::Cells { lines: 1 << 16, width_bits: 8 },
        ] {
            let n = 1.2e6;
            near(scheme.visited(n - scheme.omitted(n)), n, 2e-3);
            assert_eq!(scheme.visited(0.0).round(), 0.0);
        }
    }

    #[test]
    fn same_hashes_bound_what_memory_can_do() {
        let plenty = Scheme::Classic { m_bits: 1 << 50, k: 40 };
        near(plenty.omitted(1e9), 1e18 / 2f64.powi(65), 1e-6);
        assert!(plenty.omitted_by_layout(1e9) < 1e-60);
    }

    #[test]
    fn widths_fill_words() {
        let widths: Vec<_> = (4..=64).map(cell_width).collect();
        assert!(widths.iter().zip(4..).all(|(w, bits)| *w >= bits && 64 / w == 64 / bits));
        assert_eq!([4, 11, 20, 24, 32, 33, 64].map(cell_width), [4, 12, 21, 32, 32, 64, 64]);
        // This much memory has room for 20 bits a state, but three fingerprints of a word have 21: four of 16 it is.
        let scheme = Scheme::cells(21 * 125_000, Some(1_000_000), None);
        assert_eq!(scheme, Scheme::Cells { lines: 41015, width_bits: 16 });
        assert!(scheme.capacity().unwrap() > 1_050_000);
        assert_eq!(Scheme::cells(1 << 20, None, None), Scheme::Cells { lines: 1 << 14, width_bits: 32 });
        assert_eq!(Scheme::cells(1 << 20, Some(1 << 30), None), Scheme::Cells { lines: 1 << 14, width_bits: 4 });
    }
}
