//! Values and operations on them.

use crate::{Memory, Trouble};
use ferrospin_c::flow::Scalar;
use ferrospin_c::tree::{BinaryOp, UnaryOp};

/// A value of a scalar.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Number {
    /// An integer within the range of its type, or an address.
    Int(i128),
    /// A floating value.
    Float(f64),
}

impl Number {
    pub(crate) fn int(self) -> i128 {
        match self {
            Number::Int(v) => v,
            Number::Float(v) => v as i128,
        }
    }

    pub(crate) fn address(self) -> u64 {
        self.int() as u64
    }

    pub(crate) fn truth(self) -> bool {
        match self {
            Number::Int(v) => v != 0,
            Number::Float(v) => v != 0.0,
        }
    }
}

/// An integer wrapped to a scalar.
pub(crate) fn wrap(scalar: Scalar, value: i128) -> i128 {
    match scalar {
        Scalar::Bool => i128::from(value != 0),
        Scalar::Pointer => i128::from(value as u64),
        Scalar::Int { bytes: 16, .. } | Scalar::F32 | Scalar::F64 => value,
        Scalar::Int { bytes, signed } => {
            let bits = u32::from(bytes) * 8;
            let low = value & ((1i128 << bits) - 1);
            if signed && low >> (bits - 1) != 0 { low - (1i128 << bits) } else { low }
        }
    }
}

fn is_unsigned_wide(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::Int { bytes: 16, signed: false })
}

pub(crate) fn convert(value: Number, from: Scalar, to: Scalar) -> Number {
    match (value, to) {
        (Number::Int(v), Scalar::F32) if is_unsigned_wide(from) => Number::Float(f64::from(v as u128 as f32)),
        (Number::Int(v), Scalar::F64) if is_unsigned_wide(from) => Number::Float(v as u128 as f64),
        (Number::Int(v), Scalar::F32) => Number::Float(f64::from(v as f32)),
        (Number::Int(v), Scalar::F64) => Number::Float(v as f64),
        (Number::Int(v), _) => Number::Int(wrap(to, v)),
        (Number::Float(v), Scalar::F32) => Number::Float(f64::from(v as f32)),
        (Number::Float(v), Scalar::F64) => Number::Float(v),
        (Number::Float(v), Scalar::Bool) => Number::Int(i128::from(v != 0.0)),
        (Number::Float(v), _) if is_unsigned_wide(to) => Number::Int(v as u128 as i128),
        // Out of range C leaves it open; the low bits of the integer are taken.
        (Number::Float(v), _) => Number::Int(wrap(to, v as i128)),
    }
}

pub(crate) fn unary(op: UnaryOp, value: Number, scalar: Scalar) -> Number {
    match (op, value) {
        (UnaryOp::Neg, Number::Int(v)) => Number::Int(wrap(scalar, v.wrapping_neg())),
        (UnaryOp::Neg, Number::Float(v)) => Number::Float(-v),
        (UnaryOp::Not, Number::Int(v)) => Number::Int(wrap(scalar, !v)),
        _ => value,
    }
}

pub(crate) fn binary(op: BinaryOp, a: Number, b: Number, scalar: Scalar) -> Result<Number, Trouble> {
    use BinaryOp::*;
    let (a, b) = match (a, b) {
        (Number::Int(a), Number::Int(b)) => (a, b),
        (Number::Float(a), Number::Float(b)) => return Ok(binary_float(op, a, b, scalar)),
        (a, b) => return Ok(binary_float(op, as_float(a), as_float(b), scalar)),
    };
    let wide = is_unsigned_wide(scalar);
    let (ua, ub) = (a as u128, b as u128);
    let less = |a: i128, b: i128| if wide { (a as u128) < b as u128 } else { a < b };
    let truth = |t: bool| Ok(Number::Int(i128::from(t)));
    let value = match op {
        Add => a.wrapping_add(b),
        Sub => a.wrapping_sub(b),
        Mul => a.wrapping_mul(b),
        And => a & b,
        Or => a | b,
        Xor => a ^ b,
        Div | Rem => {
            if b == 0 {
                return Err(Trouble::Division);
            }
            if wide {
                return Ok(Number::Int(if op == Div { (ua / ub) as i128 } else { (ua % ub) as i128 }));
            }
            let Some(quotient) = a.checked_div(b) else { return Err(Trouble::Division) };
            if wrap(scalar, quotient) != quotient {
                return Err(Trouble::Division);
            }
            if op == Div { quotient } else { a % b }
        }
        Shl | Shr => {
            let bits = match scalar {
                Scalar::Int { bytes, .. } => u32::from(bytes) * 8,
                _ => 64,
            };
            if !(0..i128::from(bits)).contains(&b) {
                return Err(Trouble::Shift(b, bits));
            }
            match op {
                Shl => a.wrapping_shl(b as u32),
                _ if wide => (ua >> b) as i128,
                _ => a >> b,
            }
        }
        Lt => return truth(less(a, b)),
        Gt => return truth(less(b, a)),
        Le => return truth(!less(b, a)),
        Ge => return truth(!less(a, b)),
        Eq => return truth(a == b),
        Ne => return truth(a != b),
    };
    Ok(Number::Int(wrap(scalar, value)))
}

fn as_float(value: Number) -> f64 {
    match value {
        Number::Int(v) => v as f64,
        Number::Float(v) => v,
    }
}

fn binary_float(op: BinaryOp, a: f64, b: f64, scalar: Scalar) -> Number {
    use BinaryOp::*;
    let value = match op {
        Add => a + b,
        Sub => a - b,
        Mul => a * b,
        Div => a / b,
        Lt => return Number::Int(i128::from(a < b)),
        Gt => return Number::Int(i128::from(a > b)),
        Le => return Number::Int(i128::from(a <= b)),
        Ge => return Number::Int(i128::from(a >= b)),
        Eq => return Number::Int(i128::from(a == b)),
        _ => return Number::Int(i128::from(a != b)),
    };
    // One operation in double, rounded once, is the operation in float.
    Number::Float(if scalar == Scalar::F32 { f64::from(value as f32) } else { value })
}

/// A scalar from its bytes.
pub(crate) fn decode(bytes: &[u8], scalar: Scalar) -> Number {
    let mut raw = [0u8; 16];
    raw[..bytes.len()].copy_from_slice(bytes);
    let bits = i128::from_le_bytes(raw);
    match scalar {
        Scalar::F32 => Number::Float(f64::from(f32::from_bits(bits as u32))),
        Scalar::F64 => Number::Float(f64::from_bits(bits as u64)),
        _ => Number::Int(wrap(scalar, bits)),
    }
}

/// The bytes of a scalar, in the first ones.
pub(crate) fn encode(value: Number, scalar: Scalar) -> [u8; 16] {
    let bits = match (value, scalar) {
        (Number::Float(v), Scalar::F32) => i128::from((v as f32).to_bits()),
        (Number::Float(v), _) => i128::from(v.to_bits()),
        (Number::Int(v), _) => v,
    };
    bits.to_le_bytes()
}

/// Reads a scalar, or a bit-field of one.
pub(crate) fn load(memory: &Memory, address: u64, scalar: Scalar, bits: Option<(u32, u32)>) -> Result<Number, Trouble> {
    let Some((first, width)) = bits else {
        return Ok(decode(memory.read(address, scalar.size(8))?, scalar));
    };
    let bytes = memory.read(address, u64::from((first + width).div_ceil(8)))?;
    let mut raw = [0u8; 16];
    raw[..bytes.len()].copy_from_slice(bytes);
    let field = (u128::from_le_bytes(raw) >> first) as i128 & ((1i128 << width) - 1);
    let signed = matches!(scalar, Scalar::Int { signed: true, .. });
    let negative = signed && field >> (width - 1) != 0;
    Ok(Number::Int(if negative { field - (1i128 << width) } else { field }))
}

/// Writes a scalar, or a bit-field of one.
pub(crate) fn store(
    memory: &mut Memory,
    address: u64,
    value: Number,
    scalar: Scalar,
    bits: Option<(u32, u32)>,
) -> Result<(), Trouble> {
    let Some((first, width)) = bits else {
        let size = scalar.size(8);
        let bytes = encode(value, scalar);
        memory.write(address, size)?.copy_from_slice(&bytes[..size as usize]);
        return Ok(());
    };
    let bytes = memory.write(address, u64::from((first + width).div_ceil(8)))?;
    let mut raw = [0u8; 16];
    raw[..bytes.len()].copy_from_slice(bytes);
    let mask = ((1u128 << width) - 1) << first;
    let new = (u128::from_le_bytes(raw) & !mask) | ((value.int() as u128) << first & mask);
    bytes.copy_from_slice(&new.to_le_bytes()[..bytes.len()]);
    Ok(())
}
