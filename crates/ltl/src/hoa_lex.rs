//! Tokens of the Hanoi omega-automata format.

/// What a token is; texts are kept where they matter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum HoaToken {
    /// `HOA:`, `States:` and so on, without the colon.
    Header(String),
    Word(String),
    Text(String),
    Number(u32),
    /// `@name`
    Alias(String),
    Body,
    End,
    Abort,
    Symbol(char),
    /// Something that is no token: an unclosed string, a number that is too large, a strange character.
    Bad(&'static str),
}

/// A token with its byte range.
#[derive(Clone, Debug)]
pub(crate) struct Spanned {
    pub(crate) token: HoaToken,
    pub(crate) lo: usize,
    pub(crate) hi: usize,
}

/// Splits text into tokens; comments nest.
pub(crate) fn hoa_lex(text: &str) -> Vec<Spanned> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    // The standard has no dots in names, but headers of known tools do.
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b"_-.".contains(&b);
    while at < bytes.len() {
        let lo = at;
        let rest = &text[at..];
        let token = match bytes[at] {
            b if b.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'/' if rest.starts_with("/*") => match comment_end(bytes, at) {
                Some(end) => {
                    at = end;
                    continue;
                }
                None => {
                    at = bytes.len();
                    HoaToken::Bad("this comment is never closed")
                }
            },
            b'-' if rest.starts_with("--BODY--") => advance(&mut at, 8, HoaToken::Body),
            b'-' if rest.starts_with("--END--") => advance(&mut at, 7, HoaToken::End),
            b'-' if rest.starts_with("--ABORT--") => advance(&mut at, 9, HoaToken::Abort),
            b'"' => string(text, &mut at),
            b'0'..=b'9' => {
                while at < bytes.len() && bytes[at].is_ascii_digit() {
                    at += 1;
                }
                text[lo..at].parse().map_or(HoaToken::Bad("this number is too large"), HoaToken::Number)
            }
            b'@' => {
                at += 1;
                while at < bytes.len() && is_word(bytes[at]) {
                    at += 1;
                }
                HoaToken::Alias(text[lo + 1..at].to_owned())
            }
            b if b.is_ascii_alphabetic() || b == b'_' => {
                while at < bytes.len() && is_word(bytes[at]) {
                    at += 1;
                }
                let word = text[lo..at].to_owned();
                if bytes.get(at) == Some(&b':') {
                    at += 1;
                    HoaToken::Header(word)
                } else {
                    HoaToken::Word(word)
                }
            }
            b @ (b'[' | b']' | b'{' | b'}' | b'(' | b')' | b'!' | b'&' | b'|') => {
                advance(&mut at, 1, HoaToken::Symbol(char::from(b)))
            }
            _ => {
                at += rest.chars().next().map_or(1, char::len_utf8);
                HoaToken::Bad("unknown character")
            }
        };
        tokens.push(Spanned { token, lo, hi: at });
    }
    tokens
}

fn advance(at: &mut usize, by: usize, token: HoaToken) -> HoaToken {
    *at += by;
    token
}

fn comment_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut depth = 0usize;
    let mut at = start;
    while at + 1 < bytes.len() {
        match &bytes[at..at + 2] {
            b"/*" => {
                depth += 1;
                at += 2;
            }
            b"*/" => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => at += 1,
        }
    }
    None
}

fn string(text: &str, at: &mut usize) -> HoaToken {
    let mut value = String::new();
    let mut chars = text[*at + 1..].char_indices();
    while let Some((i, c)) = chars.next() {
        match c {
            '"' => {
                *at += i + 2;
                return HoaToken::Text(value);
            }
            '\\' => value.extend(chars.next().map(|(_, c)| c)),
            _ => value.push(c),
        }
    }
    *at = text.len();
    HoaToken::Bad("this string is never closed")
}
