//! Integers of any size.
//!
//! Most numbers of a program are small: a value that fits into 64 bits is kept in them, and only what does not is a list of limbs. The
//! form is unique, so that equal numbers are equal values. Division of long numbers goes bit by bit, which is slow and easy to see
//! through; long numbers are rare.

use std::cmp::Ordering;
use std::fmt;

/// An integer.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Integer(Form);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Form {
    Small(i64),
    /// Only what does not fit into 64 bits. The last limb is not 0; the least significant one comes first.
    Long {
        negative: bool,
        limbs: Vec<u32>,
    },
}

const LIMB_BITS: usize = 32;

impl Integer {
    /// Zero.
    pub const ZERO: Integer = Integer(Form::Small(0));
    /// One.
    pub const ONE: Integer = Integer(Form::Small(1));

    /// The value, if it fits.
    pub fn to_i64(&self) -> Option<i64> {
        match self.0 {
            Form::Small(value) => Some(value),
            Form::Long { .. } => None,
        }
    }

    /// -1, 0 or 1.
    pub fn signum(&self) -> i32 {
        match &self.0 {
            Form::Small(value) => value.signum() as i32,
            Form::Long { negative, .. } => {
                if *negative {
                    -1
                } else {
                    1
                }
            }
        }
    }

    /// Whether it is 0.
    pub fn is_zero(&self) -> bool {
        self.0 == Form::Small(0)
    }

    /// Whether it is 1.
    pub fn is_one(&self) -> bool {
        self.0 == Form::Small(1)
    }

    fn parts(&self) -> (bool, Vec<u32>) {
        match &self.0 {
            Form::Small(value) => (*value < 0, limbs_of(u128::from(value.unsigned_abs()))),
            Form::Long { negative, limbs } => (*negative, limbs.clone()),
        }
    }

    fn of_parts(negative: bool, mut limbs: Vec<u32>) -> Integer {
        while limbs.last() == Some(&0) {
            limbs.pop();
        }
        if limbs.len() <= 2 {
            let magnitude = limbs.iter().rev().fold(0u128, |n, limb| n << LIMB_BITS | u128::from(*limb)) as i128;
            if let Ok(value) = i64::try_from(if negative { -magnitude } else { magnitude }) {
                return Integer(Form::Small(value));
            }
        }
        Integer(Form::Long { negative, limbs })
    }

    /// The negative.
    pub fn neg(&self) -> Integer {
        match self.0 {
            Form::Small(value) if value != i64::MIN => Integer(Form::Small(-value)),
            _ => {
                let (negative, limbs) = self.parts();
                Integer::of_parts(!negative, limbs)
            }
        }
    }

    /// The value without its sign.
    pub fn abs(&self) -> Integer {
        if self.signum() < 0 { self.neg() } else { self.clone() }
    }

    /// The sum.
    pub fn add(&self, other: &Integer) -> Integer {
        if let (Form::Small(a), Form::Small(b)) = (&self.0, &other.0) {
            return Integer::from(i128::from(*a) + i128::from(*b));
        }
        let ((p, a), (q, b)) = (self.parts(), other.parts());
        if p == q {
            return Integer::of_parts(p, sum(&a, &b));
        }
        match compare(&a, &b) {
            Ordering::Less => Integer::of_parts(q, difference(&b, &a)),
            _ => Integer::of_parts(p, difference(&a, &b)),
        }
    }

    /// The difference.
    pub fn sub(&self, other: &Integer) -> Integer {
        self.add(&other.neg())
    }

    /// The product.
    pub fn mul(&self, other: &Integer) -> Integer {
        if let (Form::Small(a), Form::Small(b)) = (&self.0, &other.0) {
            return Integer::from(i128::from(*a) * i128::from(*b));
        }
        let ((p, a), (q, b)) = (self.parts(), other.parts());
        let mut limbs = vec![0u32; a.len() + b.len()];
        for (i, x) in a.iter().enumerate() {
            let mut carry = 0u64;
            for (j, y) in b.iter().enumerate() {
                let here = u64::from(limbs[i + j]) + u64::from(*x) * u64::from(*y) + carry;
                limbs[i + j] = here as u32;
                carry = here >> LIMB_BITS;
            }
            limbs[i + b.len()] = carry as u32;
        }
        Integer::of_parts(p != q, limbs)
    }

    /// Quotient and remainder; the quotient is rounded towards 0, and the remainder has the sign of `self`.
    ///
    /// # Panics
    /// Panics when the divisor is 0.
    pub fn div_rem(&self, divisor: &Integer) -> (Integer, Integer) {
        assert!(!divisor.is_zero(), "division by zero");
        if let (Form::Small(a), Form::Small(b)) = (&self.0, &divisor.0) {
            let (a, b) = (i128::from(*a), i128::from(*b));
            return (Integer::from(a / b), Integer::from(a % b));
        }
        let ((p, a), (q, b)) = (self.parts(), divisor.parts());
        let mut quotient = vec![0u32; a.len()];
        let mut rest: Vec<u32> = Vec::new();
        for bit in (0..a.len() * LIMB_BITS).rev() {
            double(&mut rest, a[bit / LIMB_BITS] >> (bit % LIMB_BITS) & 1);
            if compare(&rest, &b) != Ordering::Less {
                rest = difference(&rest, &b);
                while rest.last() == Some(&0) {
                    rest.pop();
                }
                quotient[bit / LIMB_BITS] |= 1 << (bit % LIMB_BITS);
            }
        }
        (Integer::of_parts(p != q, quotient), Integer::of_parts(p, rest))
    }

    /// The greatest common divisor, which is not negative.
    pub fn gcd(&self, other: &Integer) -> Integer {
        let (mut a, mut b) = (self.abs(), other.abs());
        while !b.is_zero() {
            (a, b) = (b.clone(), a.div_rem(&b).1);
        }
        a
    }
}

fn limbs_of(mut magnitude: u128) -> Vec<u32> {
    let mut limbs = Vec::new();
    while magnitude != 0 {
        limbs.push(magnitude as u32);
        magnitude >>= LIMB_BITS;
    }
    limbs
}

/// Compares magnitudes; the last limbs are not 0.
fn compare(a: &[u32], b: &[u32]) -> Ordering {
    a.len().cmp(&b.len()).then_with(|| a.iter().rev().cmp(b.iter().rev()))
}

fn sum(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut limbs = Vec::with_capacity(a.len().max(b.len()) + 1);
    let mut carry = 0u64;
    for i in 0..a.len().max(b.len()) {
        let at = |list: &[u32]| u64::from(list.get(i).copied().unwrap_or(0));
        let here = at(a) + at(b) + carry;
        limbs.push(here as u32);
        carry = here >> LIMB_BITS;
    }
    limbs.push(carry as u32);
    limbs
}

/// The difference of magnitudes, of which the first is not smaller.
fn difference(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut limbs = Vec::with_capacity(a.len());
    let mut borrow = 0i64;
    for (i, x) in a.iter().enumerate() {
        let here = i64::from(*x) - i64::from(b.get(i).copied().unwrap_or(0)) - borrow;
        borrow = i64::from(here < 0);
        limbs.push(here as u32);
    }
    assert!(borrow == 0, "the first is not smaller");
    limbs
}

/// Twice the magnitude, and a bit behind it.
fn double(limbs: &mut Vec<u32>, bit: u32) {
    let mut carry = bit;
    for limb in limbs.iter_mut() {
        let out = *limb >> (LIMB_BITS - 1);
        *limb = *limb << 1 | carry;
        carry = out;
    }
    if carry != 0 {
        limbs.push(carry);
    }
}

impl From<i64> for Integer {
    fn from(value: i64) -> Self {
        Integer(Form::Small(value))
    }
}

impl From<i128> for Integer {
    fn from(value: i128) -> Self {
        match i64::try_from(value) {
            Ok(small) => Integer(Form::Small(small)),
            Err(_) => Integer::of_parts(value < 0, limbs_of(value.unsigned_abs())),
        }
    }
}

impl PartialOrd for Integer {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Integer {
    fn cmp(&self, other: &Self) -> Ordering {
        if let (Form::Small(a), Form::Small(b)) = (&self.0, &other.0) {
            return a.cmp(b);
        }
        match (self.parts(), other.parts()) {
            ((false, a), (false, b)) => compare(&a, &b),
            ((true, a), (true, b)) => compare(&b, &a),
            ((negative, _), _) => {
                if negative {
                    Ordering::Less
                } else {
                    Ordering::Greater
                }
            }
        }
    }
}

impl fmt::Display for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Form::Small(value) = self.0 {
            return write!(f, "{value}");
        }
        let billion = Integer::from(1_000_000_000i64);
        let (mut rest, mut digits) = (self.abs(), Vec::new());
        while !rest.is_zero() {
            let (quotient, digit) = rest.div_rem(&billion);
            digits.push(digit.to_i64().expect("it is below a billion"));
            rest = quotient;
        }
        let sign = if self.signum() < 0 { "-" } else { "" };
        write!(f, "{sign}{}", digits.pop().expect("it is not 0"))?;
        digits.iter().rev().try_for_each(|d| write!(f, "{d:09}"))
    }
}
