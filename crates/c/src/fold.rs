//! Constants: what operators give on them, as GCC folds.

use crate::tree::{BinaryOp, Const, UnaryOp};
use crate::types::{FloatKind, IntKind, Type, TypeId, Types};

/// `value` as a value of an integer type.
pub fn wrap(types: &Types, kind: IntKind, value: i128) -> i128 {
    if kind == IntKind::Bool {
        return i128::from(value != 0);
    }
    let bits = types.int_size(kind) * 8;
    if bits == 128 {
        return value;
    }
    let low = value & ((1i128 << bits) - 1);
    if Types::is_signed(kind) && low >> (bits - 1) != 0 { low - (1i128 << bits) } else { low }
}

/// A floating value rounded to its type. `long double` and wider ones are kept as `double` here.
pub fn round(kind: FloatKind, value: f64) -> f64 {
    match kind {
        FloatKind::Float => f64::from(value as f32),
        _ => value,
    }
}

/// `value` of type `from` converted to `to`.
pub(crate) fn convert(types: &Types, value: Const, from: TypeId, to: TypeId) -> Option<Const> {
    let target_int = types.int_kind(to);
    match (value, types.get(to)) {
        (Const::Int(v), _) if target_int.is_some() => Some(Const::Int(wrap(types, target_int?, v))),
        (Const::Int(v), Type::Float(kind)) => {
            let unsigned = types.int_kind(from) == Some(IntKind::UInt128);
            let value = match (unsigned, kind) {
                (true, FloatKind::Float) => f64::from(v as u128 as f32),
                (true, _) => v as u128 as f64,
                (false, FloatKind::Float) => f64::from(v as f32),
                (false, _) => v as f64,
            };
            Some(Const::Float(value))
        }
        (Const::Int(v), Type::Pointer(_)) => {
            let kind = if types.pointer_size() == 8 { IntKind::ULongLong } else { IntKind::UInt };
            Some(Const::Int(wrap(types, kind, v)))
        }
        (Const::Float(v), _) if target_int.is_some() => float_to_int(types, target_int?, v).map(Const::Int),
        (Const::Float(v), Type::Float(kind)) => Some(Const::Float(round(*kind, v))),
        (Const::Address(..), Type::Pointer(_)) => Some(value),
        // An address as an integer of its width is still an address.
        (Const::Address(..), _) if target_int == Some(IntKind::Bool) => Some(Const::Int(1)),
        (Const::Address(..), _) if target_int.is_some_and(|k| types.int_size(k) >= types.pointer_size()) => Some(value),
        _ => None,
    }
}

/// A floating value as an integer. Out of range, GCC folds to the nearest value.
pub fn float_to_int(types: &Types, kind: IntKind, value: f64) -> Option<i128> {
    if kind == IntKind::Bool {
        return Some(i128::from(value != 0.0));
    }
    let bits = types.int_size(kind) * 8;
    if kind == IntKind::UInt128 {
        return Some(value as u128 as i128);
    }
    let (low, high) = if Types::is_signed(kind) {
        (-(1i128 << (bits - 1)), ((1u128 << (bits - 1)) - 1) as i128)
    } else {
        (0, (1i128 << bits) - 1)
    };
    Some((value as i128).clamp(low, high))
}

/// The value of an operation on one integer.
pub fn unary(types: &Types, op: UnaryOp, kind: IntKind, value: i128) -> i128 {
    match op {
        UnaryOp::Neg => wrap(types, kind, value.wrapping_neg()),
        UnaryOp::Not => wrap(types, kind, !value),
        UnaryOp::Plus | UnaryOp::Real => value,
        UnaryOp::Imag => 0,
    }
}

/// The value of an operation on two integers of type `kind` (for shifts, the left one is). `None` for division by zero and
/// shifts by a count that has no meaning.
pub fn binary(types: &Types, op: BinaryOp, kind: IntKind, a: i128, b: i128) -> Option<i128> {
    use BinaryOp::*;
    let wide = kind == IntKind::UInt128;
    let (ua, ub) = (a as u128, b as u128);
    let less = |a: i128, b: i128| if wide { (a as u128) < b as u128 } else { a < b };
    let value = match op {
        Mul => a.wrapping_mul(b),
        Add => a.wrapping_add(b),
        Sub => a.wrapping_sub(b),
        And => a & b,
        Or => a | b,
        Xor => a ^ b,
        Div | Rem if b == 0 => return None,
        Div if wide => (ua / ub) as i128,
        Rem if wide => (ua % ub) as i128,
        Div => a.wrapping_div(b),
        Rem => a.wrapping_rem(b),
        Shl | Shr => {
            let bits = types.int_size(kind) as i128 * 8;
            if !(0..bits).contains(&b) {
                return None;
            }
            match op {
                Shl => a.wrapping_shl(b as u32),
                _ if wide => (ua >> b) as i128,
                _ => a >> b,
            }
        }
        Lt => return Some(i128::from(less(a, b))),
        Gt => return Some(i128::from(less(b, a))),
        Le => return Some(i128::from(!less(b, a))),
        Ge => return Some(i128::from(!less(a, b))),
        Eq => return Some(i128::from(a == b)),
        Ne => return Some(i128::from(a != b)),
    };
    Some(wrap(types, kind, value))
}

/// The value of an operation on two floating values: a floating value, or 0 or 1.
pub fn binary_float(op: BinaryOp, kind: FloatKind, a: f64, b: f64) -> Option<Const> {
    use BinaryOp::*;
    let value = match op {
        Mul => a * b,
        Div => a / b,
        Add => a + b,
        Sub => a - b,
        Lt => return Some(Const::Int(i128::from(a < b))),
        Gt => return Some(Const::Int(i128::from(a > b))),
        Le => return Some(Const::Int(i128::from(a <= b))),
        Ge => return Some(Const::Int(i128::from(a >= b))),
        Eq => return Some(Const::Int(i128::from(a == b))),
        Ne => return Some(Const::Int(i128::from(a != b))),
        _ => return None,
    };
    Some(Const::Float(round(kind, value)))
}
