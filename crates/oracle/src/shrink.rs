//! Making a text that fails smaller: first by its tree of pieces, then token by token.
//!
//! The second stage is delta debugging (Zeller and Hildebrandt, 2002) over tokens: ranges are left out, long ones first,
//! and what stands in brackets is replaced by a number. What is no longer a model is thrown away by the caller.

use ferrospin_testkit::program::{Sample, shrink};

/// The smallest text found that still fails.
pub fn smallest(sample: &Sample, fails: &mut dyn FnMut(&str) -> bool) -> String {
    let small = shrink(sample, &mut |s: &Sample| fails(&s.text()));
    tokens(&small.text(), fails)
}

/// The same, from a text.
pub fn tokens(text: &str, fails: &mut dyn FnMut(&str) -> bool) -> String {
    let mut best = split(text);
    let mut changed = true;
    while changed {
        changed = false;
        let mut size = best.len() / 2;
        while size > 0 {
            let mut at = 0;
            while at + size <= best.len() {
                let without = [&best[..at], &best[at + size..]].concat();
                if fails(&join(&without)) {
                    best = without;
                    changed = true;
                } else {
                    at += 1.max(size / 2);
                }
            }
            size /= 2;
        }
        changed |= simplify(&mut best, fails);
    }
    join(&best)
}

/// Replaces what stands in brackets by `1`; whether that worked somewhere.
fn simplify(best: &mut Vec<String>, fails: &mut dyn FnMut(&str) -> bool) -> bool {
    let mut changed = false;
    let mut at = 0;
    while at < best.len() {
        if let Some(end) = closing(best, at).filter(|end| *end > at + 2 || best[at] == "(") {
            let whole = [&best[..at], &["1".to_string()], &best[end + 1..]].concat();
            let inner = [&best[..=at], &["1".to_string()], &best[end..]].concat();
            if let Some(next) = [whole, inner].into_iter().find(|t| t.len() < best.len() && fails(&join(t))) {
                *best = next;
                changed = true;
            }
        }
        at += 1;
    }
    changed
}

/// Where a bracket closes.
fn closing(tokens: &[String], at: usize) -> Option<usize> {
    let pairs = [("(", ")"), ("[", "]")];
    let (open, close) = *pairs.iter().find(|p| p.0 == tokens[at])?;
    let mut depth = 0;
    for (i, t) in tokens.iter().enumerate().skip(at) {
        depth += i32::from(t == open) - i32::from(t == close);
        if depth == 0 {
            return Some(i);
        }
    }
    None
}

/// Words, operators and whole lines of the preprocessor.
fn split(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for line in text.lines() {
        if line.starts_with('#') {
            out.push(format!("{line}\n"));
            continue;
        }
        let mut quoted = false;
        for c in line.chars() {
            let last = out.last().and_then(|t| t.chars().last());
            let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let joins = quoted
                || last.is_some_and(|l| {
                    word(l) && word(c)
                        || [
                            "::", "->", "&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "..", "++", "--", "<>", "[]",
                            "!!", "??",
                        ]
                        .contains(&format!("{l}{c}").as_str())
                });
            quoted ^= c == '"' || c == '\'';
            match out.last_mut() {
                Some(t) if joins && !t.is_empty() => t.push(c),
                _ if c.is_whitespace() => out.push(String::new()),
                _ => out.push(c.into()),
            }
        }
        out.push(String::new());
    }
    out.retain(|t| !t.is_empty());
    out
}

/// A text of tokens, with line breaks where they help to read.
fn join(tokens: &[String]) -> String {
    let mut text = String::new();
    for t in tokens {
        if t.starts_with('#') && !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(t);
        if !t.ends_with('\n') {
            text.push(if [";", "{", "}", "od", "fi"].contains(&t.as_str()) { '\n' } else { ' ' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_matter_goes() {
        let text = "#define A 1\nbyte x; byte y;\nactive proctype P() { x = (y + 2) * a[x + 1]; printf(\"a b\\n\") }\n";
        let small = tokens(text, &mut |t| t.contains("x =") && t.contains("a [") && t.contains("\"a b\\n\""));
        assert_eq!(small, "x = a [ \"a b\\n\" ");
    }
}
