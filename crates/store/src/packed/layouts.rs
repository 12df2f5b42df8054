//! The layouts of all lengths, and the numbers that states have by them.
//!
//! Every layout has a stretch of numbers of its own, behind those of the layouts that were there before, so that a number never
//! changes when there are more. A state belongs to the first layout of its length that it fits. What fits none has no
//! number. Once there are many of those, layouts are made that are wide enough for them as well ([`Layouts::widened`]);
//! states that were met before stay where they are, which is said by [`Layouts::may_be_beside`].

use crate::packed::layout::Layout;
use crate::packed::ranges::Ranges;
use std::collections::BTreeMap;
use std::ops::Range;

/// Layouts at most, of all lengths, and of one.
const LAYOUTS_MAX: usize = 64;
const LAYOUTS_OF_LENGTH_MAX: usize = 10;
/// All numbers are below this.
const NUMBERS_MAX: u64 = 1 << 62;
/// Longer states have no layout.
const LEN_MAX: usize = 1 << 14;
/// Bits of numbers at least.
const BITS_MIN: u32 = 12;

/// A layout and its numbers.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub(crate) layout: Layout,
    pub(crate) numbers: Range<u64>,
    /// States of this layout may have been met before there was one.
    pub(crate) may_be_beside: bool,
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layouts {
    all: Vec<Placed>,
    /// By length, which they are, in order.
    by_len: Vec<Vec<u8>>,
    /// Lengths that take too many bits.
    too_wide: Vec<usize>,
}

impl Layouts {
    /// Those that a sample needs.
    pub(crate) fn of_sample(sample: &[Vec<u8>]) -> Layouts {
        let mut layouts = Layouts::default();
        layouts.widen(&mut sample.iter().map(|state| &state[..]), false);
        layouts
    }

    /// These, and wide enough for the states that were kept beside as well.
    pub(crate) fn widened(&self, beside: &mut dyn Iterator<Item = &[u8]>) -> Layouts {
        let mut layouts = self.clone();
        layouts.widen(beside, true);
        layouts
    }

    fn widen(&mut self, states: &mut dyn Iterator<Item = &[u8]>, may_be_beside: bool) {
        let mut lengths: BTreeMap<usize, Ranges> = BTreeMap::new();
        for state in states {
            let len = state.len();
            if len > 0 && len <= LEN_MAX && !self.is_too_wide(len) && self.number(state).is_none() {
                lengths.entry(len).or_insert_with(|| Ranges::new(len)).add(state);
            }
        }
        for (len, mut ranges) in lengths {
            let of_length = self.of(len);
            if let Some(last) = of_length.last() {
                ranges.add_all(self.all[usize::from(*last)].layout.bytes());
            }
            let is_full = of_length.len() >= LAYOUTS_OF_LENGTH_MAX || self.all.len() >= LAYOUTS_MAX;
            let layout = Layout::new(ranges.narrow())
                .filter(|layout| !is_full && self.end() + (1 << layout.bits()) <= NUMBERS_MAX);
            let Some(layout) = layout else {
                self.too_wide.push(len);
                continue;
            };
            let numbers = self.end()..self.end() + (1 << layout.bits());
            if self.by_len.len() <= len {
                self.by_len.resize_with(len + 1, Vec::new);
            }
            self.by_len[len].push(self.all.len() as u8);
            self.all.push(Placed { layout, numbers, may_be_beside });
        }
    }

    /// More than every number.
    fn end(&self) -> u64 {
        self.all.last().map_or(0, |last| last.numbers.end)
    }

    /// Bits of the numbers.
    pub(crate) fn bits(&self) -> u32 {
        (u64::BITS - self.end().leading_zeros()).max(BITS_MIN)
    }

    /// Bits of the widest layout.
    pub(crate) fn widest_bits(&self) -> u32 {
        self.all.iter().map(|placed| placed.layout.bits()).max().unwrap_or(0)
    }

    /// Whether states of a length will have no numbers that have none now.
    pub(crate) fn is_too_wide(&self, len: usize) -> bool {
        self.too_wide.contains(&len)
    }

    /// The layouts of a length, in order.
    #[inline(always)]
    fn of(&self, len: usize) -> &[u8] {
        self.by_len.get(len).map_or(&[], |list| list)
    }

    /// The first layout of a length.
    #[inline(always)]
    pub(crate) fn first(&self, len: usize) -> Option<&Placed> {
        self.of(len).first().map(|first| &self.all[usize::from(*first)])
    }

    /// The number of a state, and whether it may be kept beside, because it was met before.
    pub(crate) fn number(&self, state: &[u8]) -> Option<(u64, bool)> {
        self.of(state.len()).iter().find_map(|i| {
            let placed = &self.all[usize::from(*i)];
            let (packed, fits) = placed.layout.pack(state);
            fits.then(|| (placed.numbers.start + packed, placed.may_be_beside))
        })
    }

    /// The layout of a number.
    #[inline(always)]
    pub(crate) fn layout(&self, number: u64) -> Option<&Placed> {
        self.all.iter().find(|placed| placed.numbers.contains(&number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers stay, and lead back, however often there are more layouts.
    #[test]
    fn numbers_never_change() {
        let state = |i: u32, len: usize| -> Vec<u8> { (0..len).map(|at| (i >> (3 * at)) as u8 & 7).collect() };
        let some: Vec<Vec<u8>> = (0..8).map(|i| state(i, 4)).collect();
        let mut layouts = Layouts::of_sample(&some);
        let mut known: Vec<(Vec<u8>, u64)> = some.iter().map(|s| (s.clone(), layouts.number(s).unwrap().0)).collect();
        for round in 1..9u32 {
            let more: Vec<Vec<u8>> =
                (0..60).map(|i| state(i << (round % 4), 3 + (i as usize + round as usize) % 3)).collect();
            layouts = layouts.widened(&mut more.iter().map(|s| &s[..]));
            for (state, number) in &known {
                assert_eq!(layouts.number(state).map(|n| n.0), Some(*number));
            }
            known.extend(more.iter().filter_map(|s| Some((s.clone(), layouts.number(s)?.0))));
        }
        let mut out = Vec::new();
        for (state, number) in &known {
            let placed = layouts.layout(*number).unwrap();
            out.clear();
            placed.layout.unpack(number - placed.numbers.start, &mut out);
            assert_eq!(out, *state);
            assert!(*number >> layouts.bits() == 0);
        }
        assert!(layouts.layout(1 << 61).is_none());
    }

    /// What takes too many bits has no number, and does not ask for a layout again.
    #[test]
    fn wide_states_have_no_numbers() {
        let wide: Vec<Vec<u8>> =
            (0..200u64).map(|i| [i.wrapping_mul(0x9E37_79B9_7F4A_7C15); 2].map(u64::to_le_bytes).concat()).collect();
        let layouts = Layouts::of_sample(&wide);
        assert!(layouts.number(&wide[3]).is_none() && layouts.is_too_wide(16) && layouts.bits() == BITS_MIN);
    }
}
