//! Which values each byte of the states of one length has, and how few bits tell them apart.
//!
//! A byte is turned by a *bias*, modulo 256, so that its values lie behind 0, and a *mask* then says which bits are left:
//! as many as the shortest stretch of the circle needs that has all values, or the bits in which they differ, where
//! these are fewer. A byte that is always the same has no bits.

/// How a byte is packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Narrowed {
    /// What is added to it.
    pub(crate) bias: u8,
    /// Bits that it may have then.
    pub(crate) mask: u8,
}

impl Narrowed {
    /// Whether a byte has one of the values.
    pub(crate) fn has(self, value: u8) -> bool {
        value.wrapping_add(self.bias) & !self.mask == 0
    }
}

/// The values of one byte, as bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Values([u64; 4]);

impl Values {
    fn add(&mut self, value: u8) {
        self.0[usize::from(value / 64)] |= 1 << (value % 64);
    }

    fn each(self) -> impl Iterator<Item = u8> {
        (0..=u8::MAX).filter(move |value| self.0[usize::from(value / 64)] >> (value % 64) & 1 == 1)
    }

    /// The fewest bits for them.
    fn narrow(self) -> Narrowed {
        let list: Vec<u8> = self.each().collect();
        let (Some(&first), Some(&last)) = (list.first(), list.last()) else { return Narrowed::default() };
        let differing = list.iter().fold(0, |bits, value| bits | (value ^ first));
        // The stretch begins behind the longest gap, of which there is one before the first value, too.
        let around = first.wrapping_sub(last);
        let gaps = list.windows(2).map(|pair| (pair[1] - pair[0], pair[1]));
        let (gap, start) = gaps.fold((around, first), |longest, gap| if gap.0 > longest.0 { gap } else { longest });
        // One value leaves a gap of 256, which is 0.
        let width = if list.len() == 1 { 1 } else { 257 - u32::from(gap) };
        let bits = width.next_power_of_two().ilog2();
        if differing.count_ones() < bits {
            return Narrowed { bias: (first & !differing).wrapping_neg(), mask: differing };
        }
        let mask = ((1u32 << bits) - 1) as u8;
        // What is left of the stretch is below the values rather than above where that takes it to 0.
        let start = if bits > 0 && last <= mask { 0 } else { start };
        Narrowed { bias: start.wrapping_neg(), mask }
    }
}

/// The values of all bytes of the states of one length.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Ranges(Vec<Values>);

impl Ranges {
    /// Of states of `len` bytes, of which none was seen.
    pub(crate) fn new(len: usize) -> Ranges {
        Ranges(vec![Values::default(); len])
    }

    /// One more state.
    pub(crate) fn add(&mut self, state: &[u8]) {
        self.0.iter_mut().zip(state).for_each(|(values, value)| values.add(*value));
    }

    /// All that these bytes may have.
    pub(crate) fn add_all(&mut self, bytes: &[Narrowed]) {
        for (values, narrowed) in self.0.iter_mut().zip(bytes) {
            (0..=u8::MAX).filter(|value| narrowed.has(*value)).for_each(|value| values.add(value));
        }
    }

    /// How each byte is packed.
    pub(crate) fn narrow(&self) -> Vec<Narrowed> {
        self.0.iter().map(|values| values.narrow()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn narrow(values: &[u8]) -> (u8, u32) {
        let mut set = Values::default();
        values.iter().for_each(|value| set.add(*value));
        let narrowed = set.narrow();
        assert!(values.iter().all(|value| narrowed.has(*value)));
        (narrowed.bias, narrowed.mask.count_ones())
    }

    #[test]
    fn the_shortest_stretch_or_the_bits_that_differ() {
        assert_eq!(narrow(&[7]), (0u8.wrapping_sub(7), 0));
        assert_eq!(narrow(&[0, 1, 2]), (0, 2));
        assert_eq!(narrow(&[255, 0]), (1, 1));
        assert_eq!(narrow(&[250, 255, 0, 3]).1, 4);
        assert_eq!(narrow(&[0, 128]).1, 1);
        assert_eq!(narrow(&[3, 67]).1, 1);
        assert_eq!(narrow(&[100, 101, 103]).1, 2);
        assert_eq!(narrow(&[1, 3]).1, 1);
        assert_eq!(narrow(&[1, 2, 3]), (0, 2));
        assert_eq!(narrow(&(0..=255).collect::<Vec<_>>()).1, 8);
    }

    /// Every subset of a few values fits, and no more values than the mask has room for do.
    #[test]
    fn all_values_fit() {
        let some = [0u8, 1, 5, 63, 64, 127, 128, 200, 254, 255];
        for subset in 1..1u32 << some.len() {
            let mut ranges = Ranges::new(1);
            let values = some.iter().enumerate().filter(|(i, _)| subset >> i & 1 == 1);
            values.clone().for_each(|(_, value)| ranges.add(&[*value]));
            let narrowed = ranges.narrow()[0];
            assert!(values.clone().all(|(_, value)| narrowed.has(*value)));
            let fitting = (0..=255).filter(|value| narrowed.has(*value)).count();
            assert_eq!(fitting, 1 << narrowed.mask.count_ones());
            let mut again = ranges.clone();
            again.add_all(&[narrowed]);
            assert_eq!(again.narrow()[0].mask.count_ones(), narrowed.mask.count_ones());
        }
    }
}
