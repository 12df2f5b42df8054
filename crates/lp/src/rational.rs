//! Rational numbers: a numerator and a positive denominator without a common divisor.

use crate::Integer;
use std::cmp::Ordering;
use std::fmt;

/// A rational number.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Rational {
    numerator: Integer,
    denominator: Integer,
}

impl Rational {
    /// Zero.
    pub const ZERO: Rational = Rational { numerator: Integer::ZERO, denominator: Integer::ONE };
    /// One.
    pub const ONE: Rational = Rational { numerator: Integer::ONE, denominator: Integer::ONE };

    /// A quotient.
    ///
    /// # Panics
    /// Panics when the denominator is 0.
    pub fn new(numerator: Integer, denominator: Integer) -> Rational {
        assert!(!denominator.is_zero(), "the denominator is zero");
        let divisor = numerator.gcd(&denominator);
        let (mut n, mut d) = (numerator, denominator);
        if !divisor.is_one() {
            (n, d) = (n.div_rem(&divisor).0, d.div_rem(&divisor).0);
        }
        if d.signum() < 0 {
            (n, d) = (n.neg(), d.neg());
        }
        Rational { numerator: n, denominator: d }
    }

    /// The numerator.
    pub fn numerator(&self) -> &Integer {
        &self.numerator
    }

    /// The denominator, which is positive.
    pub fn denominator(&self) -> &Integer {
        &self.denominator
    }

    /// -1, 0 or 1.
    pub fn signum(&self) -> i32 {
        self.numerator.signum()
    }

    /// Whether it is 0.
    pub fn is_zero(&self) -> bool {
        self.numerator.is_zero()
    }

    /// The negative.
    pub fn neg(&self) -> Rational {
        Rational { numerator: self.numerator.neg(), denominator: self.denominator.clone() }
    }

    /// The sum.
    pub fn add(&self, other: &Rational) -> Rational {
        if self.denominator.is_one() && other.denominator.is_one() {
            return Rational { numerator: self.numerator.add(&other.numerator), denominator: Integer::ONE };
        }
        let cross = |a: &Rational, b: &Rational| a.numerator.mul(&b.denominator);
        Rational::new(cross(self, other).add(&cross(other, self)), self.denominator.mul(&other.denominator))
    }

    /// The difference.
    pub fn sub(&self, other: &Rational) -> Rational {
        self.add(&other.neg())
    }

    /// The product.
    pub fn mul(&self, other: &Rational) -> Rational {
        Rational::new(self.numerator.mul(&other.numerator), self.denominator.mul(&other.denominator))
    }

    /// The quotient.
    ///
    /// # Panics
    /// Panics when the divisor is 0.
    pub fn div(&self, divisor: &Rational) -> Rational {
        Rational::new(self.numerator.mul(&divisor.denominator), self.denominator.mul(&divisor.numerator))
    }

    /// The greatest integer that is not above it.
    pub fn floor(&self) -> Integer {
        let (quotient, rest) = self.numerator.div_rem(&self.denominator);
        if rest.signum() < 0 { quotient.sub(&Integer::ONE) } else { quotient }
    }
}

impl From<i64> for Rational {
    fn from(value: i64) -> Self {
        Rational { numerator: value.into(), denominator: Integer::ONE }
    }
}

impl From<Integer> for Rational {
    fn from(value: Integer) -> Self {
        Rational { numerator: value, denominator: Integer::ONE }
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Self) -> Ordering {
        self.numerator.mul(&other.denominator).cmp(&other.numerator.mul(&self.denominator))
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.denominator.is_one() {
            return write!(f, "{}", self.numerator);
        }
        write!(f, "{}/{}", self.numerator, self.denominator)
    }
}
