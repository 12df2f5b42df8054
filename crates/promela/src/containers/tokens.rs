//! Tokens of expanded text: as much of the language as the rewriting of sets and queues must see.

/// A token, as a range of the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Token {
    pub(super) lo: usize,
    pub(super) hi: usize,
    pub(super) kind: Kind,
}

/// What sort of token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Name,
    Number,
    /// Punctuation, strings, embedded C: whatever else there is.
    Other,
}

/// Signs of two characters.
const PAIRS: [&str; 14] = ["->", "::", "&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "++", "--", "..", "!!"];
/// Words behind which braces hold C.
const C_WORDS: [&str; 5] = ["c_code", "c_expr", "c_decl", "c_state", "c_track"];

/// All tokens of a text; a block of embedded C is one.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut found: Vec<Token> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let lo = at;
        let first = bytes[at];
        at += 1;
        let kind = match first {
            _ if first.is_ascii_whitespace() => continue,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                at += bytes[at..].iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
                Kind::Name
            }
            b'0'..=b'9' => {
                at += bytes[at..].iter().take_while(|b| b.is_ascii_alphanumeric()).count();
                Kind::Number
            }
            b'"' | b'\'' => {
                at = quoted(bytes, lo);
                Kind::Other
            }
            b'{' if found.last().is_some_and(|t| C_WORDS.contains(&&text[t.lo..t.hi])) => {
                at = block(bytes, lo);
                Kind::Other
            }
            _ => {
                if bytes.get(at).is_some_and(|b| b.is_ascii()) && PAIRS.contains(&&text[lo..=at]) {
                    at += 1;
                }
                // A character is never cut in two.
                at += bytes[at..].iter().take_while(|b| **b & 0xc0 == 0x80).count();
                Kind::Other
            }
        };
        found.push(Token { lo, hi: at, kind });
    }
    found
}

/// The end of what is quoted from `lo` on.
fn quoted(bytes: &[u8], lo: usize) -> usize {
    let mut at = lo + 1;
    while at < bytes.len() && bytes[at] != bytes[lo] {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}

/// The end of a block of C.
fn block(bytes: &[u8], lo: usize) -> usize {
    let (mut at, mut depth) = (lo, 0usize);
    while at < bytes.len() {
        match bytes[at] {
            b'"' | b'\'' => {
                at = quoted(bytes, at);
                continue;
            }
            b'{' => depth += 1,
            b'}' if depth == 1 => return at + 1,
            b'}' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    at
}
