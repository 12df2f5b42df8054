//! Quantities as people write them: `10m`, `1h30m`, `8G`.

use std::time::Duration;

/// Reads a duration: numbers with the units `ms`, `s`, `m`, `h`, `d`, one after another; a bare number is in seconds.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    const EXPECTED: &str = "expected a duration such as `90s`, `10m` or `1h30m`";
    if let Ok(seconds) = text.parse() {
        return Ok(Duration::from_secs(seconds));
    }
    let mut rest = text;
    let mut sum = Duration::ZERO;
    while !rest.is_empty() {
        let (number, after) = split_at_end_of(rest, |c| c.is_ascii_digit());
        let (unit, after) = split_at_end_of(after, |c| c.is_ascii_alphabetic());
        let unit_ms = match unit {
            "ms" => 1,
            "s" => 1000,
            "m" => 60_000,
            "h" => 3_600_000,
            "d" => 86_400_000,
            _ => return Err(EXPECTED.into()),
        };
        let number: u64 = number.parse().map_err(|_| EXPECTED)?;
        let part_ms = number.checked_mul(unit_ms).ok_or("that is too long")?;
        sum = sum.checked_add(Duration::from_millis(part_ms)).ok_or("that is too long")?;
        rest = after;
    }
    if sum.is_zero() { Err(EXPECTED.into()) } else { Ok(sum) }
}

/// Reads a size: a number, possibly with a fraction, and `K`, `M`, `G` or `T` (powers of 1024; `GB` and `GiB` mean the
/// same); a bare number is in bytes.
pub(crate) fn bytes(text: &str) -> Result<u64, String> {
    const EXPECTED: &str = "expected a size such as `512M` or `8G`";
    let (number, unit) = split_at_end_of(text, |c| c.is_ascii_digit() || c == '.');
    let unit = unit.to_ascii_uppercase();
    let prefix = unit.strip_suffix("IB").or(unit.strip_suffix('B')).unwrap_or(&unit);
    let shift = match prefix {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return Err(EXPECTED.into()),
    };
    let number: f64 = number.parse().map_err(|_| EXPECTED)?;
    let bytes = number * (1u64 << shift) as f64;
    if !(1.0..=u64::MAX as f64 / 2.0).contains(&bytes) {
        return Err(EXPECTED.into());
    }
    Ok(bytes as u64)
}

/// The longest start of `text` whose characters all are `inside`, and the rest.
fn split_at_end_of(text: &str, inside: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(|c| !inside(c)).unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        let ms = |text| duration(text).map(|d| d.as_millis()).ok();
        assert_eq!(ms("10m"), Some(600_000));
        assert_eq!(ms("1h30m"), Some(5_400_000));
        assert_eq!(ms("250ms"), Some(250));
        assert_eq!(ms("90"), Some(90_000));
        for bad in ["", "m", "10x", "-1s", "1.5h", "99999999999999999d", "0s"] {
            assert_eq!(ms(bad), None, "{bad}");
        }
    }

    #[test]
    fn sizes() {
        assert_eq!(bytes("8G").ok(), Some(8 << 30));
        assert_eq!(bytes("1.5k").ok(), Some(1536));
        assert_eq!(bytes("512MiB").ok(), Some(512 << 20));
        assert_eq!(bytes("100").ok(), Some(100));
        assert_eq!(bytes("2TB").ok(), Some(2 << 40));
        for bad in ["", "G", "8X", "-1", "1e3", "9999999999T", "0"] {
            assert_eq!(bytes(bad).ok(), None, "{bad}");
        }
    }
}
