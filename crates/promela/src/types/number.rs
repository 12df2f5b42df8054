//! Numeric types as ranges of values.
//!
//! A number type *is* the range of its values: `bit` is 0..=1, `unsigned u : 12` is 0..=4095. The order of types is
//! inclusion and the join is the hull, which gives exactly byte <: unsigned:12 <: short <: int, and neither
//! unsigned:16 <: short nor short <: unsigned. A literal is the range of its one value.

use crate::names::Ty;
use ferrospin_source::Span;

/// A range of values, both ends included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Range {
    pub(crate) lo: i64,
    pub(crate) hi: i64,
}

impl Range {
    pub(crate) const BIT: Range = Range { lo: 0, hi: 1 };
    pub(crate) const BYTE: Range = Range { lo: 0, hi: 255 };
    pub(crate) const SHORT: Range = Range { lo: i16::MIN as i64, hi: i16::MAX as i64 };
    pub(crate) const INT: Range = Range { lo: i32::MIN as i64, hi: i32::MAX as i64 };

    /// The range of one value.
    pub(crate) fn of(value: i64) -> Range {
        Range { lo: value, hi: value }
    }

    /// The values of a type; `None` where values are no numbers.
    pub(crate) fn of_type(ty: Ty) -> Option<Range> {
        Some(match ty {
            Ty::Bit | Ty::Bool => Range::BIT,
            Ty::Byte | Ty::Pid => Range::BYTE,
            Ty::Short => Range::SHORT,
            Ty::Int => Range::INT,
            Ty::Unsigned(n) => Range { lo: 0, hi: (1i64 << n.min(32)) - 1 },
            Ty::Mtype(_) | Ty::Chan | Ty::Record(_) => return None,
        })
    }

    /// Whether all values of `other` are values of this one.
    pub(crate) fn contains(self, other: Range) -> bool {
        self.lo <= other.lo && other.hi <= self.hi
    }

    /// The smallest range with the values of both.
    pub(crate) fn hull(self, other: Range) -> Range {
        Range { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    /// The values that both have, if there are any.
    pub(crate) fn meet(self, other: Range) -> Option<Range> {
        let (lo, hi) = (self.lo.max(other.lo), self.hi.min(other.hi));
        (lo <= hi).then_some(Range { lo, hi })
    }

    /// What becomes of a value outside the range that is stored in a variable or field of this range.
    pub(crate) fn cut_note(self, name: &str, value: i64) -> String {
        let holds = format!("a `{name}` holds {} to {}", self.lo, self.hi);
        // What is left of a value in a bit depends on where the bit is kept.
        if self == Range::BIT {
            return holds;
        }
        let kept = (value - self.lo).rem_euclid(self.hi - self.lo + 1) + self.lo;
        format!("{holds}; {kept} is stored")
    }

    /// Name of the smallest type with these values.
    pub(crate) fn name(self) -> &'static str {
        if Range::BIT.contains(self) {
            "bit"
        } else if Range::BYTE.contains(self) {
            "byte"
        } else if Range::SHORT.contains(self) {
            "short"
        } else {
            "int"
        }
    }
}

/// What a numeric use of a message field says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    /// A channel is declared with this field.
    Declared(Ty),
    /// A value is sent.
    Sent,
    /// A value is received into a variable of this type.
    Received(Ty),
    /// A received value must be equal to this one.
    Matched,
}

/// A numeric use of a message field.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// What it says.
    pub(super) role: Role,
    /// The values.
    pub(super) range: Range,
    /// Whether it is a truth value.
    pub(super) truth: bool,
    /// Whether it is a constant.
    pub(super) constant: bool,
    /// Where.
    pub(super) span: Span,
}
