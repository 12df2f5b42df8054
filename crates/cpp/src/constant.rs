//! Values of the constants in `#if` expressions: numbers and characters.

use super::token::Kind;

/// A value: 64 bits, signed or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Value {
    pub(super) bits: i64,
    pub(super) unsigned: bool,
}

impl Value {
    pub(super) fn of(truth: bool) -> Value {
        Value { bits: i64::from(truth), unsigned: false }
    }

    pub(super) fn truth(self) -> bool {
        self.bits != 0
    }
}

/// The value of a number, a character or a name; names that are no macros are 0.
pub(super) fn operand(kind: Kind, text: &str) -> Result<Value, String> {
    match kind {
        Kind::Name if text == "defined" => Err("`defined` must be followed by a name".to_string()),
        Kind::Name if text == "__has_include" => Err("`__has_include` must be followed by a file name".to_string()),
        Kind::Name => Ok(Value::of(false)),
        Kind::Char => character(text),
        _ => number(text),
    }
}

fn number(text: &str) -> Result<Value, String> {
    let lower = text.to_ascii_lowercase();
    let (digits, radix) = if let Some(hex) = lower.strip_prefix("0x") {
        (hex, 16)
    } else if let Some(bits) = lower.strip_prefix("0b") {
        (bits, 2)
    } else if lower.len() > 1 && lower.starts_with('0') {
        (&lower[1..], 8)
    } else {
        (&*lower, 10)
    };
    let end = digits.find(|c: char| !c.is_digit(if radix == 8 { 10 } else { radix })).unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(end);
    let octal_zero = radix == 8 && digits.is_empty();
    if (digits.is_empty() && !octal_zero) || !["", "u", "l", "ul", "lu", "ll", "ull", "llu"].contains(&suffix) {
        return Err(if text.contains('.') {
            format!("`{text}` is not an integer")
        } else {
            format!("`{text}` is not a valid integer constant")
        });
    }
    let mut value: u64 = 0;
    let mut overflow = false;
    for c in digits.chars() {
        let Some(d) = c.to_digit(radix) else { return Err(format!("invalid digit `{c}` in octal constant")) };
        let (scaled, o) = value.overflowing_mul(u64::from(radix));
        let (sum, p) = scaled.overflowing_add(u64::from(d));
        (value, overflow) = (sum, overflow || o || p);
    }
    if overflow {
        return Err(format!("the integer constant `{text}` is too large"));
    }
    Ok(Value { bits: value as i64, unsigned: suffix.contains('u') || value > i64::MAX as u64 })
}

/// The value of a character constant; several characters make one number, as gcc has it.
fn character(text: &str) -> Result<Value, String> {
    let inner = text.strip_prefix('\'').and_then(|t| t.strip_suffix('\'')).unwrap_or("");
    if inner.is_empty() {
        return Err("empty character constant".to_string());
    }
    let mut rest = inner.as_bytes();
    let mut value: i32 = 0;
    let mut count = 0;
    while let Some((&first, mut after)) = rest.split_first() {
        let mut c = u32::from(first);
        if first == b'\\'
            && let Some((&escape, tail)) = after.split_first()
        {
            (c, after) = match escape {
                b'0'..=b'7' => digits(after, 8, 3),
                b'x' => digits(tail, 16, usize::MAX),
                b'n' => (10, tail),
                b't' => (9, tail),
                b'r' => (13, tail),
                b'a' => (7, tail),
                b'b' => (8, tail),
                b'f' => (12, tail),
                b'v' => (11, tail),
                b'e' | b'E' => (27, tail),
                other => (u32::from(other), tail),
            };
        }
        value = (value << 8) | (c & 0xff) as i32;
        count += 1;
        rest = after;
    }
    // A single character has the sign of C's `char`.
    let value = if count == 1 { i32::from(value as u8 as i8) } else { value };
    Ok(Value { bits: i64::from(value), unsigned: false })
}

/// The number that at most `max` leading digits make, and what follows them.
fn digits(text: &[u8], radix: u32, max: usize) -> (u32, &[u8]) {
    let mut value = 0u32;
    let mut used = 0;
    for d in text.iter().take(max).map_while(|&b| char::from(b).to_digit(radix)) {
        value = value.wrapping_mul(radix).wrapping_add(d);
        used += 1;
    }
    (value, &text[used..])
}
