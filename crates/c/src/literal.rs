//! Numbers, characters and strings of C.

use crate::types::{FloatKind, IntKind, TypeId, Types};

/// A number.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Number {
    /// An integer and its type.
    Int(u128, IntKind),
    /// A floating value, its type, and whether it is imaginary.
    Float(f64, FloatKind, bool),
}

/// The value of a preprocessing number, or why it has none.
pub(crate) fn number(text: &str, types: &Types) -> Result<Number, String> {
    let text: String = text.chars().filter(|&c| c != '\'').collect();
    let lower = text.to_ascii_lowercase();
    let is_hex = lower.starts_with("0x");
    let is_float = !lower.starts_with("0b")
        && (lower.contains('.') || lower.contains('p') && is_hex || lower.contains('e') && !is_hex);
    if is_float { float(&lower, is_hex) } else { integer(&lower, types) }
}

fn integer(lower: &str, types: &Types) -> Result<Number, String> {
    let (digits, radix) = match lower.as_bytes() {
        [b'0', b'x', ..] => (&lower[2..], 16),
        [b'0', b'b', ..] => (&lower[2..], 2),
        [b'0', _, ..] => (&lower[1..], 8),
        _ => (lower, 10),
    };
    let end = digits.find(|c: char| !c.is_digit(if radix == 8 { 10 } else { radix })).unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(end);
    let (unsigned, long) = match suffix {
        "" => (false, 0),
        "u" => (true, 0),
        "l" => (false, 1),
        "ul" | "lu" => (true, 1),
        "ll" => (false, 2),
        "ull" | "llu" => (true, 2),
        _ => return Err(format!("`{lower}` is not a valid integer constant")),
    };
    if digits.is_empty() && !(radix == 8 && suffix.len() + 1 == lower.len()) {
        return Err(format!("`{lower}` has no digits"));
    }
    let mut value: u128 = 0;
    for c in digits.chars() {
        let Some(d) = c.to_digit(radix) else { return Err(format!("invalid digit `{c}` in octal constant")) };
        value = value
            .checked_mul(u128::from(radix))
            .and_then(|v| v.checked_add(u128::from(d)))
            .ok_or_else(|| format!("`{lower}` is too large"))?;
    }
    use IntKind::*;
    let candidates: &[IntKind] = match (unsigned, long, radix == 10) {
        (false, 0, true) => &[Int, Long, LongLong],
        (false, 0, false) => &[Int, UInt, Long, ULong, LongLong, ULongLong],
        (false, 1, true) => &[Long, LongLong],
        (false, 1, false) => &[Long, ULong, LongLong, ULongLong],
        (false, _, true) => &[LongLong],
        (false, _, false) => &[LongLong, ULongLong],
        (true, 0, _) => &[UInt, ULong, ULongLong],
        (true, 1, _) => &[ULong, ULongLong],
        (true, _, _) => &[ULongLong],
    };
    let fits = |kind: &&IntKind| {
        let bits = types.int_size(**kind) * 8 - u64::from(Types::is_signed(**kind));
        value >> bits == 0
    };
    let kind = candidates.iter().find(fits).copied();
    // GCC takes __int128 for decimal constants that no other type holds.
    let kind = kind.or((value >> 64 == 0).then_some(if unsigned || radix != 10 { ULongLong } else { Int128 }));
    kind.map(|kind| Number::Int(value, kind)).ok_or_else(|| format!("`{lower}` is too large for its type"))
}

fn float(lower: &str, is_hex: bool) -> Result<Number, String> {
    let bad = || format!("`{lower}` is not a valid floating constant");
    let exponent = if is_hex { 'p' } else { 'e' };
    let suffix_from = match lower.find(exponent) {
        Some(at) => {
            let digits = lower[at + 1..].trim_start_matches(['+', '-']);
            let skipped = lower.len() - digits.len();
            skipped + digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len())
        }
        None if is_hex => return Err(bad()),
        None => lower.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(lower.len()),
    };
    let (digits, mut suffix) = lower.split_at(suffix_from);
    let mut imaginary = false;
    for letter in ["i", "j"] {
        if suffix.contains(letter) && suffix.len() <= 2 {
            imaginary = true;
            suffix = suffix.trim_matches(['i', 'j']);
        }
    }
    let kind = match suffix {
        "" | "f64" | "f32x" | "d" => FloatKind::Double,
        "f" | "f32" => FloatKind::Float,
        "l" | "w" | "f64x" => FloatKind::LongDouble,
        "q" | "f128" => FloatKind::Quad,
        "f16" => FloatKind::Half,
        _ => return Err(bad()),
    };
    let value = if is_hex {
        hex_float(&digits[2..]).ok_or_else(bad)?
    } else if kind == FloatKind::Float {
        f64::from(digits.parse::<f32>().map_err(|_| bad())?)
    } else {
        digits.parse::<f64>().map_err(|_| bad())?
    };
    let value = if kind == FloatKind::Float { f64::from(value as f32) } else { value };
    Ok(Number::Float(value, kind, imaginary))
}

/// A hexadecimal floating constant without its `0x`. Digits beyond what a double holds round it.
fn hex_float(text: &str) -> Option<f64> {
    let (mantissa, exponent) = text.split_once('p')?;
    let mut exponent: i64 = exponent.parse().ok()?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut bits: u128 = 0;
    let mut sticky = false;
    for (index, c) in whole.chars().chain(fraction.chars()).enumerate() {
        let digit = u128::from(c.to_digit(16)?);
        if bits >> 120 != 0 {
            sticky |= digit != 0;
            exponent += 4;
        } else {
            bits = bits << 4 | digit;
        }
        if index >= whole.len() {
            exponent -= 4;
        }
    }
    let value = (bits | u128::from(sticky)) as f64;
    let exponent = exponent.clamp(-3000, 3000) as i32;
    // Two steps keep the factors in range.
    let half = exponent / 2;
    Some(value * 2f64.powi(half) * 2f64.powi(exponent - half))
}

/// The elements of a string or character constant (quotes and prefix included), and its width in bytes.
pub(crate) fn quoted(text: &str, types: &Types) -> Result<(Vec<u32>, u8, TypeId), String> {
    let quote = text.find(['"', '\'']).ok_or("no quote")?;
    let (width, element) = match &text[..quote] {
        "" => (1, TypeId::CHAR),
        "u8" => (1, TypeId::CHAR),
        "u" => (2, TypeId::USHORT),
        "U" => (4, TypeId::UINT),
        _ => (4, types.wchar_t()),
    };
    let inner = &text[quote + 1..text.len() - 1];
    let mut units = Vec::with_capacity(inner.len());
    let mut chars = inner.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            push_char(&mut units, width, c);
            continue;
        }
        let Some(e) = chars.next() else { return Err("a backslash ends the constant".into()) };
        let value = match e {
            'n' => 10,
            't' => 9,
            'r' => 13,
            'a' => 7,
            'b' => 8,
            'f' => 12,
            'v' => 11,
            'e' | 'E' => 27,
            '0'..='7' => {
                let mut value = e as u32 - 48;
                for _ in 0..2 {
                    let Some(d) = chars.peek().and_then(|c| c.to_digit(8)) else { break };
                    value = value * 8 + d;
                    chars.next();
                }
                value
            }
            'x' => {
                let mut value: u32 = 0;
                let mut any = false;
                while let Some(d) = chars.peek().and_then(|c| c.to_digit(16)) {
                    value = value.wrapping_mul(16).wrapping_add(d);
                    any = true;
                    chars.next();
                }
                if !any {
                    return Err("`\\x` is followed by no hexadecimal digit".into());
                }
                value
            }
            'u' | 'U' => {
                let mut value = 0;
                for _ in 0..if e == 'u' { 4 } else { 8 } {
                    let d = chars.next().and_then(|c| c.to_digit(16));
                    value = value * 16 + d.ok_or("a universal character name has too few digits")?;
                }
                let c = char::from_u32(value).ok_or("this universal character name is no character")?;
                push_char(&mut units, width, c);
                continue;
            }
            // Any other character stands for itself, as GCC has it.
            other => {
                push_char(&mut units, width, other);
                continue;
            }
        };
        let mask = if width == 4 { u32::MAX } else { (1 << (8 * width)) - 1 };
        units.push(value & mask);
    }
    Ok((units, width, element))
}

fn push_char(units: &mut Vec<u32>, width: u8, c: char) {
    match width {
        1 => units.extend(c.encode_utf8(&mut [0; 4]).bytes().map(u32::from)),
        2 => units.extend(c.encode_utf16(&mut [0; 2]).iter().map(|&u| u32::from(u))),
        _ => units.push(c as u32),
    }
}

/// The value of a character constant of these elements.
pub(crate) fn character(units: &[u32], width: u8, element: TypeId) -> i128 {
    match (units, width) {
        ([one], 1) => i128::from(*one as u8 as i8),
        (many, 1) => i128::from(many.iter().fold(0i32, |all, &u| all << 8 | i32::from(u as u8))),
        (many, _) => {
            let last = many.last().copied().unwrap_or(0);
            if element == TypeId::INT || element == TypeId::LONG { i128::from(last as i32) } else { i128::from(last) }
        }
    }
}
