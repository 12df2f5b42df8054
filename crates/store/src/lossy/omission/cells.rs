//! Omissions of a hash-compact table.
//!
//! A state looks at the cells of one line after the other, in each line in an order of its own, and ends at the first
//! empty cell; it is omitted when one of the cells before has its fingerprint. Every look at a filled cell hits with
//! chance `1/L`, where `L` is the number of fingerprints. So all depends on how full the lines are. Their
//! occupancies follow equations of a fluid: with `p(o)` the share of lines with `o` of `c` cells filled, a state comes to a
//! random line, goes on to another one from a full line, and moves one line from `o` to `o + 1` unless it is omitted. The
//! equations are integrated from the empty table on. With lines of one cell the result would be the textbook's
//! `E = (C/L) (-ln(1-a) - a)` for unordered probing of single cells at load `a`.

use super::cells_per_line;

/// Longest step of the integration, in states a line: the loads are then right to four digits.
const STEP: f64 = 0.05;
/// Steps after which a table counts as full; it takes a twentieth of them to fill all but one cell in a million.
const STEPS_MAX: u32 = 100_000;

/// A table some states have been put into.
#[derive(Debug)]
pub struct Fluid {
    lines: f64,
    /// Share of the lines by number of filled cells.
    share: Vec<f64>,
    /// By number of filled cells of a line, except the last number: chance that a state is omitted in it.
    hit: Vec<f64>,
    /// Chance that a state is omitted in a full line.
    hit_full: f64,
    omitted: f64,
}

impl Fluid {
    /// The table after visits of `states` different states.
    pub fn after(lines: u64, width_bits: u32, states: f64) -> Fluid {
        let cells = cells_per_line(width_bits) as usize;
        // No cell holds 0, which means empty.
        let one = 1.0 / (2f64.powi(width_bits as i32) - 1.0);
        let mut share = vec![0.0; cells + 1];
        share[0] = 1.0;
        let hit = (0..cells).map(|filled| hit_before_empty(filled, cells, one)).collect();
        let hit_full = -(cells as f64 * (-one).ln_1p()).exp_m1();
        let mut fluid = Fluid { lines: lines as f64, share, hit, hit_full, omitted: 0.0 };
        fluid.integrate(states / lines as f64);
        fluid
    }

    /// States omitted so far; those that found no room count as omitted, too.
    pub fn omitted(&self) -> f64 {
        self.omitted
    }

    /// Chance that one more state would be omitted.
    pub fn false_positive(&self) -> f64 {
        let (rate, _) = self.rates(&self.share);
        rate
    }

    fn integrate(&mut self, per_line: f64) {
        let mut left = per_line;
        for _ in 0..STEPS_MAX {
            let free = 1.0 - self.share[self.share.len() - 1];
            if left <= 0.0 || free < 1e-9 {
                break;
            }
            // Towards the end few lines take all that comes: shares must not change much in a step.
            let step = left.min(STEP * free.max(1e-6));
            let (_, flow) = self.rates(&self.share);
            let middle = moved(&self.share, &flow, 0.5 * step);
            let (rate, flow) = self.rates(&middle);
            self.share = moved(&self.share, &flow, step);
            self.omitted += rate * step * self.lines;
            left -= step;
        }
        self.omitted += left.max(0.0) * self.lines;
    }

    /// Chance that a state is omitted, and for each number of filled cells the chance that it is stored there.
    fn rates(&self, share: &[f64]) -> (f64, Vec<f64>) {
        let (&full, open) = share.split_last().expect("a line has cells");
        // Chance that a state does not go on from a line for being in no way decided there.
        let decided = ((1.0 - full) + full * self.hit_full).max(1e-12);
        let hits: f64 = open.iter().zip(&self.hit).map(|(p, hit)| p * hit).sum();
        let flow = open.iter().zip(&self.hit).map(|(p, hit)| p * (1.0 - hit) / decided).collect();
        ((hits + full * self.hit_full) / decided, flow)
    }
}

fn moved(share: &[f64], flow: &[f64], step: f64) -> Vec<f64> {
    let mut share = share.to_vec();
    for (filled, rate) in flow.iter().enumerate() {
        share[filled] -= rate * step;
        share[filled + 1] += rate * step;
    }
    share
}

/// Chance that a state meets its fingerprint before an empty cell, when it looks at the cells in random order.
fn hit_before_empty(filled: usize, cells: usize, one: f64) -> f64 {
    // Seen from the last filled cell backwards: the next cell is filled, and hits or leaves one filled cell less.
    (1..=filled).fold(0.0, |hit, f| {
        let next_is_filled = f as f64 / (cells - filled + f) as f64;
        next_is_filled * (one + (1.0 - one) * hit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lossy::omission::Scheme;

    /// The textbook's figure for unordered probing of single cells.
    fn textbook(cells: f64, values: f64, states: f64) -> f64 {
        let load = states / cells;
        cells / values * (-(-load).ln_1p() - load)
    }

    #[test]
    fn no_far_cry_from_probing_of_single_cells() {
        // Figure 1 of Dillinger and Manolios: 400 MB, 32 bits; the chance of any omission for single cells is .0504 at the end.
        let scheme = Scheme::cells(400 << 20, None, Some(32));
        let cells = scheme.capacity().unwrap() as f64;
        assert_eq!(cells, 104_857_600.0);
        for (states, chance) in [(3e7, 0.0012), (7e7, 0.0105), (9e7, 0.0264), (1e8, 0.0504)] {
            let ideal = textbook(cells, 2f64.powi(32), states);
            assert!((-(-ideal).exp_m1() / chance - 1.0).abs() < 0.05);
            let ratio = scheme.omitted_by_layout(states) / ideal;
            assert!((0.9..2.5).contains(&ratio), "{ratio} at {states}");
        }
    }

    #[test]
    fn an_overfull_table_loses_the_rest() {
        let scheme = Scheme::Cells { lines: 1000, width_bits: 32 };
        let omitted = scheme.omitted(32_000.0);
        assert!((15_990.0..16_010.0).contains(&omitted), "{omitted}");
        assert!(scheme.omitted(15_990.0) < 1.0);
    }

    #[test]
    fn shares_stay_shares() {
        for width in [4, 8, 21, 64] {
            let fluid = Fluid::after(100, width, 0.9 * 100.0 * f64::from(cells_per_line(width)));
            assert!((fluid.share.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            assert!(fluid.share.iter().all(|p| (-1e-9..=1.0).contains(p)), "{:?}", fluid.share);
        }
    }
}
