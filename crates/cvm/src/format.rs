//! Formats of `printf`.

use crate::eval::Number;

/// A part of a format.
pub(crate) enum Piece<'a> {
    Text(&'a [u8]),
    Directive(Directive),
}

/// `%...` with what stands between the percent sign and the letter.
#[derive(Clone, Default)]
pub(crate) struct Directive {
    pub(crate) left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    pub(crate) width: usize,
    pub(crate) width_argument: bool,
    pub(crate) precision: Option<usize>,
    pub(crate) precision_argument: bool,
    /// Bits of the integer.
    bits: u32,
    pub(crate) conversion: u8,
}

/// Takes a format apart.
pub(crate) fn format(pattern: &[u8]) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < pattern.len() {
        let Some(n) = pattern[at..].iter().position(|&b| b == b'%') else {
            pieces.push(Piece::Text(&pattern[at..]));
            break;
        };
        pieces.push(Piece::Text(&pattern[at..at + n]));
        at += n + 1;
        if pattern.get(at) == Some(&b'%') {
            pieces.push(Piece::Text(b"%"));
            at += 1;
            continue;
        }
        let mut d = Directive { bits: 32, ..Directive::default() };
        let byte = |at: usize| pattern.get(at).copied().unwrap_or(0);
        loop {
            match byte(at) {
                b'-' => d.left = true,
                b'+' => d.plus = true,
                b' ' => d.space = true,
                b'#' => d.alternate = true,
                b'0' => d.zero = true,
                _ => break,
            }
            at += 1;
        }
        let number = |at: &mut usize| {
            let mut n = 0usize;
            while byte(*at).is_ascii_digit() {
                n = n.saturating_mul(10).saturating_add(usize::from(byte(*at) - b'0'));
                *at += 1;
            }
            n
        };
        if byte(at) == b'*' {
            d.width_argument = true;
            at += 1;
        } else {
            d.width = number(&mut at);
        }
        if byte(at) == b'.' {
            at += 1;
            if byte(at) == b'*' {
                d.precision_argument = true;
                at += 1;
            } else {
                d.precision = Some(number(&mut at));
            }
        }
        loop {
            match byte(at) {
                b'h' => d.bits = if d.bits == 16 { 8 } else { 16 },
                b'l' | b'z' | b'j' | b't' | b'q' | b'L' => d.bits = 64,
                _ => break,
            }
            at += 1;
        }
        d.conversion = byte(at);
        at += 1;
        pieces.push(Piece::Directive(d));
    }
    pieces
}

impl Directive {
    /// The text of a value; `text` is the string of `%s`. `None` if the letter is not known.
    pub(crate) fn write(&self, value: Number, text: &[u8]) -> Option<Vec<u8>> {
        let (prefix, body) = match self.conversion {
            b'd' | b'i' => {
                let shift = 128 - self.bits;
                let v = value.int() << shift >> shift;
                (self.sign(v < 0), self.digits(v.unsigned_abs(), 10))
            }
            b'u' | b'x' | b'X' | b'o' => {
                let v = value.int() as u128 & ((1 << self.bits) - 1);
                let radix = match self.conversion {
                    b'u' => 10,
                    b'o' => 8,
                    _ => 16,
                };
                let prefix = match self.conversion {
                    b'x' if self.alternate && v != 0 => "0x",
                    b'X' if self.alternate && v != 0 => "0X",
                    b'o' if self.alternate && v != 0 => "0",
                    _ => "",
                };
                let digits = self.digits(v, radix);
                (prefix, if self.conversion == b'X' { digits.to_ascii_uppercase() } else { digits })
            }
            b'c' => ("", vec![value.int() as u8]),
            b's' => ("", text.to_vec()),
            b'p' => ("0x", self.digits(value.int() as u128 & u128::from(u64::MAX), 16)),
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' => {
                let v = match value {
                    Number::Float(v) => v,
                    Number::Int(v) => v as f64,
                };
                (self.sign(v.is_sign_negative()), self.float(v.abs()))
            }
            _ => return None,
        };
        let length = prefix.len() + body.len();
        let fill = self.width.saturating_sub(length);
        let numeric = !matches!(self.conversion, b'c' | b's');
        let integer = matches!(self.conversion, b'd' | b'i' | b'u' | b'x' | b'X' | b'o');
        let zeros = self.zero && !self.left && numeric && !(integer && self.precision.is_some());
        let mut out = Vec::with_capacity(length + fill);
        if !self.left && !zeros {
            out.resize(fill, b' ');
        }
        out.extend_from_slice(prefix.as_bytes());
        if zeros {
            out.resize(out.len() + fill, b'0');
        }
        out.extend_from_slice(&body);
        if self.left {
            out.resize(out.len() + fill, b' ');
        }
        Some(out)
    }

    fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus, self.space) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (.., true) => " ",
            _ => "",
        }
    }

    fn digits(&self, value: u128, radix: u128) -> Vec<u8> {
        let mut out = Vec::new();
        let mut rest = value;
        while rest > 0 {
            out.push(b"0123456789abcdef"[(rest % radix) as usize]);
            rest /= radix;
        }
        let least = self.precision.unwrap_or(1).min(1 << 16);
        while out.len() < least {
            out.push(b'0');
        }
        out.reverse();
        out
    }

    fn float(&self, v: f64) -> Vec<u8> {
        if !v.is_finite() {
            return if v.is_nan() { b"nan".to_vec() } else { b"inf".to_vec() };
        }
        let precision = self.precision.unwrap_or(6).min(1 << 10);
        let text = match self.conversion.to_ascii_lowercase() {
            b'f' => format!("{v:.precision$}"),
            b'e' => scientific(v, precision),
            _ => {
                let significant = precision.max(1);
                let e = scientific(v, significant - 1);
                let exponent: i32 = e.split_once('e').and_then(|(_, x)| x.parse().ok()).unwrap_or(0);
                let plain = if exponent < -4 || exponent >= significant as i32 {
                    e
                } else {
                    format!("{v:.*}", (significant as i32 - 1 - exponent).max(0) as usize)
                };
                let (digits, tail) =
                    plain.split_once('e').map_or((&*plain, String::new()), |(d, x)| (d, format!("e{x}")));
                let digits = if digits.contains('.') && !self.alternate {
                    digits.trim_end_matches('0').trim_end_matches('.')
                } else {
                    digits
                };
                format!("{digits}{tail}")
            }
        };
        if self.conversion.is_ascii_uppercase() { text.to_ascii_uppercase().into_bytes() } else { text.into_bytes() }
    }
}

/// `d.ddde+dd`.
fn scientific(v: f64, precision: usize) -> String {
    let text = format!("{v:.precision$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    format!("{digits}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}
