//! Sets of marks: what a cycle must carry to be accepting.
//!
//! Plain acceptance needs one mark, weak fairness one more for each process. A search is compiled for the width that
//! is enough: stacks hold a set for every edge that waits, so that eight bits or two hundred and fifty-six matter.

/// A set of marks.
pub trait MarkSet: Copy + Eq + std::hash::Hash + Send + Sync + std::fmt::Debug + 'static {
    /// How many marks there can be.
    const BITS: usize;
    /// The empty set.
    const NONE: Self;

    /// The set of one mark.
    fn one(mark: usize) -> Self;

    /// The marks of both.
    #[must_use]
    fn union(self, other: Self) -> Self;

    /// The marks of the first that are not in the second.
    #[must_use]
    fn minus(self, other: Self) -> Self;

    /// Whether there is no mark in it.
    #[inline]
    fn is_none(self) -> bool {
        self == Self::NONE
    }

    /// Whether all marks of `other` are in it.
    #[inline]
    fn covers(self, other: Self) -> bool {
        other.minus(self).is_none()
    }

    /// Whether a mark is in it.
    #[inline]
    fn has(self, mark: usize) -> bool {
        self.covers(Self::one(mark))
    }
}

macro_rules! word {
    ($type:ty) => {
        impl MarkSet for $type {
            const BITS: usize = <$type>::BITS as usize;
            const NONE: Self = 0;

            #[inline]
            fn one(mark: usize) -> Self {
                1 << mark
            }

            #[inline]
            fn union(self, other: Self) -> Self {
                self | other
            }

            #[inline]
            fn minus(self, other: Self) -> Self {
                self & !other
            }
        }
    };
}

word!(u8);
word!(u64);

/// Room for 256 marks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Wide([u64; 4]);

impl MarkSet for Wide {
    const BITS: usize = 256;
    const NONE: Self = Wide([0; 4]);

    fn one(mark: usize) -> Self {
        let mut words = [0; 4];
        words[mark / 64] = 1 << (mark % 64);
        Wide(words)
    }

    #[inline]
    fn union(self, other: Self) -> Self {
        Wide(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }

    #[inline]
    fn minus(self, other: Self) -> Self {
        Wide(std::array::from_fn(|i| self.0[i] & !other.0[i]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<M: MarkSet>() {
        let last = M::BITS - 1;
        let both = M::one(0).union(M::one(last));
        assert!(both.has(0) && both.has(last) && !both.has(1));
        assert!(both.covers(M::one(0)) && !M::one(0).covers(both) && M::one(0).covers(M::NONE));
        assert_eq!(both.minus(M::one(0)), M::one(last));
        assert!(both.minus(both).is_none());
    }

    #[test]
    fn sets_of_every_width() {
        check::<u8>();
        check::<u64>();
        check::<Wide>();
    }
}
