//! Which `select` statements become one option per value.
//!
//! SPIN decides this on the characters behind the word, before it parses: `select (name : digits .. digits)` on one
//! line, the name of letters and digits only, and at most 33 values. Anything else is parsed and becomes a counting
//! loop. The difference shows in the state space, so it is kept.

/// The most values that are spelled out.
const VALUES_MAX: i64 = 33;

/// What SPIN's lexer makes of a `select`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Spelled {
    /// Nothing: the parser reads it.
    No,
    /// One option per value.
    Options,
    /// An assignment and a loop, two statements, because there are too many values.
    Loop,
}

/// Looks at the text behind the word `select`.
pub(super) fn spelled(text: &str) -> Spelled {
    match bounds(text) {
        Some((from, upto)) if from <= upto && upto - from < VALUES_MAX => Spelled::Options,
        Some((from, upto)) if from <= upto => Spelled::Loop,
        _ => Spelled::No,
    }
}

/// The bounds in `(name : digits .. digits)`.
fn bounds(text: &str) -> Option<(i64, i64)> {
    let rest = text.trim_start_matches([' ', '\t', '\n', '\r', '\u{c}']).strip_prefix('(')?;
    let (name, rest) = rest.split_once(':')?;
    if !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b' ' || b == b'\t') {
        return None;
    }
    let (from, rest) = number(rest)?;
    let (upto, rest) = number(rest.strip_prefix("..")?)?;
    rest.starts_with(')').then_some((from, upto))
}

/// Digits between blanks.
fn number(text: &str) -> Option<(i64, &str)> {
    let text = text.trim_start_matches([' ', '\t']);
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let value = text[..digits].parse::<i64>().ok()?;
    Some((value, text[digits..].trim_start_matches([' ', '\t'])))
}
