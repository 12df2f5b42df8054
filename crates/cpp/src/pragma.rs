//! Comments that speak to us: `/* ferrospin: allow(code, code) */` and `// ferrospin: deny(code)`.

use super::Pragma;
use ferrospin_source::{Diagnostic, ExpansionId, Severity, Span};

/// Words of comments that say something to others: `group` and `observe` to those who take a model apart, `containers` to the parser.
const OTHERS: [&str; 3] = ["group", "observe", "containers"];

/// Reads a comment (with its delimiters) that starts at position `lo`. Comments that do not begin with `ferrospin:` say
/// nothing; those that do and go on wrongly are doubtful, for a silent slip would leave a lint on or off unnoticed.
pub(super) fn parse(comment: &str, lo: u32) -> (Vec<Pragma>, Vec<Diagnostic>) {
    let mut pragmas = Vec::new();
    let mut doubts = Vec::new();
    let at = |part: &str| {
        let start = lo + (part.as_ptr() as usize - comment.as_ptr() as usize) as u32;
        Span { lo: start, hi: start + part.len() as u32, expansion: ExpansionId::NONE }
    };
    let inner = comment.strip_prefix("/*").or(comment.strip_prefix("//")).unwrap_or(comment);
    let inner = inner.strip_suffix("*/").unwrap_or(inner);
    let Some(mut rest) = inner.trim_start_matches(['*', '/', '!']).trim().strip_prefix("ferrospin:") else {
        return (pragmas, doubts);
    };
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ',' | ';'));
        if rest.is_empty() {
            return (pragmas, doubts);
        }
        let word = &rest[..rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(rest.len())];
        if OTHERS.contains(&word) {
            return (pragmas, doubts);
        }
        let list = rest[word.len()..].trim_start().strip_prefix('(').and_then(|r| r.split_once(')'));
        let (Some((codes, after)), "allow" | "deny") = (list, word) else {
            doubts.push(
                Diagnostic::lint(Severity::Warning, "bad-pragma", at(rest), "this comment is not understood")
                    .label("expected `allow(code)` or `deny(code)`"),
            );
            return (pragmas, doubts);
        };
        for code in codes.split(',').map(str::trim).filter(|c| !c.is_empty()) {
            pragmas.push(Pragma { deny: word == "deny", code: code.to_string(), span: at(code) });
        }
        rest = after;
    }
}
