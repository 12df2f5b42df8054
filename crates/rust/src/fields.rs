//! A state for people: its `Debug` form, field by field.

/// A longer value is told part by part.
const WIDTH_MAX: usize = 48;

/// The parts of a value that are worth telling, by their path, from its `Debug` form.
pub(crate) fn fields(debug: &str) -> Vec<(String, String)> {
    let mut out = Vec::new();
    tell(String::new(), debug.trim(), &mut out);
    out
}

fn tell(path: String, value: &str, out: &mut Vec<(String, String)>) {
    let is_whole = path.is_empty();
    match parts(value) {
        Some(parts) if is_whole || value.chars().count() > WIDTH_MAX => {
            for (i, part) in parts.into_iter().enumerate() {
                match part.name {
                    Some(name) if is_whole => tell(name.to_owned(), part.value, out),
                    Some(name) => tell(format!("{path}.{name}"), part.value, out),
                    None => tell(format!("{path}[{i}]"), part.value, out),
                }
            }
        }
        _ => out.push((if is_whole { "state".into() } else { path }, value.to_owned())),
    }
}

struct Part<'a> {
    name: Option<&'a str>,
    value: &'a str,
}

/// What a struct, a list or a tuple consists of; `None` for other values, and for those without parts.
fn parts(value: &str) -> Option<Vec<Part<'_>>> {
    let open = value.find(['{', '[', '('])?;
    let is_name = value[..open].trim_end().bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let inside = value[open + 1..].strip_suffix(['}', ']', ')'])?;
    if !is_name || inside.trim().is_empty() {
        return None;
    }
    let (mut parts, mut rest) = (Vec::new(), inside);
    while !rest.trim().is_empty() {
        let end = end_of(rest, b',');
        let part = rest[..end].trim();
        rest = rest.get(end + 1..).unwrap_or("");
        let colon = end_of(part, b':');
        let name = part[..colon].trim();
        let is_field = colon < part.len() && value.as_bytes()[open] == b'{';
        parts.push(match is_field {
            true => Part { name: Some(name), value: part[colon + 1..].trim() },
            false => Part { name: None, value: part },
        });
    }
    Some(parts)
}

/// Where a text has this byte outside of brackets and quotes; its length where it has none.
fn end_of(text: &str, wanted: u8) -> usize {
    let (mut depth, mut quoted, mut escaped) = (0usize, None, false);
    for (i, b) in text.bytes().enumerate() {
        match (quoted, b) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), b'\\') => escaped = true,
            (Some(quote), _) if b == quote => quoted = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quoted = Some(b),
            (None, b'{' | b'[' | b'(') => depth += 1,
            (None, b'}' | b']' | b')') => depth = depth.saturating_sub(1),
            (None, b) if b == wanted && depth == 0 => return i,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(value: impl std::fmt::Debug, expected: Expect) {
        let lines: Vec<_> =
            fields(&format!("{value:?}")).into_iter().map(|(name, value)| format!("{name} = {value}")).collect();
        expected.assert_eq(&lines.join("; "));
    }

    #[test]
    fn parts_are_found() {
        #[derive(Debug)]
        #[allow(dead_code)]
        struct State {
            text: &'static str,
            quote: char,
            pair: (u8, Option<u8>),
            long: Vec<Option<(u8, &'static str)>>,
            empty: Vec<u8>,
        }
        let long = vec![Some((1, "a, b")), None, Some((2, "it's }")), Some((3, "a long text in a long list"))];
        check(
            State { text: "x: \"y, z", quote: '\'', pair: (1, Some(2)), long, empty: vec![] },
            expect![[
                r#"text = "x: \"y, z"; quote = '\''; pair = (1, Some(2)); long[0] = Some((1, "a, b")); long[1] = None; long[2] = Some((2, "it's }")); long[3] = Some((3, "a long text in a long list")); empty = []"#
            ]],
        );
        check(7, expect!["state = 7"]);
        check([1, 2], expect!["[0] = 1; [1] = 2"]);
        check((), expect!["state = ()"]);
        check(None::<u8>, expect!["state = None"]);
    }
}
