//! Tokens of formulas.
//!
//! One lexer serves all dialects; a dialect only decides which words are operators. Characters that mean a Boolean
//! connective in one place and arithmetic in another (`& | ^ + * ~`) get kinds of their own; the parser decides.

use crate::Dialect;

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Ident,
    Number,
    Char,
    Quoted,
    True,
    False,
    Not,
    And,
    Or,
    Xor,
    Implies,
    Iff,
    Next,
    Eventually,
    Always,
    Until,
    Release,
    WeakUntil,
    StrongRelease,
    /// `== != < <= > >= << >> / %`: arithmetic wherever it stands.
    Arithmetic,
    /// `-`: the only arithmetic operator that is also unary.
    Minus,
    /// `& | ^ + *`: a connective of the project dialect, arithmetic in Promela.
    Shared,
    Tilde,
    Open(Bracket),
    Close(Bracket),
    Comma,
    Dot,
    At,
    Colon,
    Question,
    Semicolon,
    /// A piece of a regular expression over words, which formulas here do not have.
    Sere,
    Assign,
    Unknown,
    End,
}

/// The kinds of brackets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bracket {
    Round,
    Square,
    Curly,
}

/// A token: its kind and its byte range.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) lo: usize,
    pub(crate) hi: usize,
}

/// Fixed spellings, longest first among those with a common beginning.
const SYMBOLS: &[(&str, Kind)] = &[
    ("<-->", Kind::Iff),
    ("[->", Kind::Sere),
    ("[:*", Kind::Sere),
    ("|->", Kind::Sere),
    ("|=>", Kind::Sere),
    ("-->", Kind::Implies),
    ("<->", Kind::Iff),
    ("<=>", Kind::Iff),
    ("[+]", Kind::Sere),
    ("[*", Kind::Sere),
    ("[=", Kind::Sere),
    ("##", Kind::Sere),
    ("[]", Kind::Always),
    ("<>", Kind::Eventually),
    ("->", Kind::Implies),
    ("=>", Kind::Implies),
    ("&&", Kind::And),
    ("||", Kind::Or),
    ("/\\", Kind::And),
    ("\\/", Kind::Or),
    ("==", Kind::Arithmetic),
    ("!=", Kind::Arithmetic),
    ("<=", Kind::Arithmetic),
    (">=", Kind::Arithmetic),
    ("<<", Kind::Arithmetic),
    (">>", Kind::Arithmetic),
    ("??", Kind::Question),
    ("<", Kind::Arithmetic),
    (">", Kind::Arithmetic),
    ("-", Kind::Minus),
    ("/", Kind::Arithmetic),
    ("%", Kind::Arithmetic),
    ("&", Kind::Shared),
    ("|", Kind::Shared),
    ("^", Kind::Shared),
    ("+", Kind::Shared),
    ("*", Kind::Shared),
    ("~", Kind::Tilde),
    ("!", Kind::Not),
    ("?", Kind::Question),
    ("(", Kind::Open(Bracket::Round)),
    (")", Kind::Close(Bracket::Round)),
    ("[", Kind::Open(Bracket::Square)),
    ("]", Kind::Close(Bracket::Square)),
    ("{", Kind::Open(Bracket::Curly)),
    ("}", Kind::Close(Bracket::Curly)),
    (",", Kind::Comma),
    (".", Kind::Dot),
    ("@", Kind::At),
    (":", Kind::Colon),
    (";", Kind::Semicolon),
    ("=", Kind::Assign),
];

/// What a word means in a dialect.
pub(crate) fn word(text: &str, dialect: Dialect) -> Kind {
    let project = dialect == Dialect::Project;
    match text {
        "true" => Kind::True,
        "false" => Kind::False,
        "not" => Kind::Not,
        "U" | "until" | "stronguntil" => Kind::Until,
        "V" | "release" => Kind::Release,
        "W" | "weakuntil" => Kind::WeakUntil,
        "X" | "next" => Kind::Next,
        "always" => Kind::Always,
        "eventually" => Kind::Eventually,
        "implies" => Kind::Implies,
        "equivalent" => Kind::Iff,
        "G" if project => Kind::Always,
        "F" if project => Kind::Eventually,
        "R" if project => Kind::Release,
        "M" if project => Kind::StrongRelease,
        "xor" if project => Kind::Xor,
        "and" if project => Kind::And,
        "or" if project => Kind::Or,
        _ => Kind::Ident,
    }
}

/// Splits text into tokens; the last one is always [`Kind::End`]. Never fails: what is no token is
/// [`Kind::Unknown`], one character at a time.
pub(crate) fn lex(text: &str, dialect: Dialect) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    let run = |from: usize, accept: fn(u8) -> bool| {
        from + bytes[from..].iter().position(|&b| !accept(b)).unwrap_or(bytes.len() - from)
    };
    while at < bytes.len() {
        let lo = at;
        let b = bytes[at];
        let kind = if b.is_ascii_whitespace() {
            at += 1;
            continue;
        } else if text[at..].starts_with("/*") {
            at = text[at + 2..].find("*/").map_or(bytes.len(), |n| at + n + 4);
            continue;
        } else if b.is_ascii_alphabetic() || b == b'_' {
            at = run(at, |b| b.is_ascii_alphanumeric() || b == b'_');
            word(&text[lo..at], dialect)
        } else if b.is_ascii_digit() {
            at = run(at, |b| b.is_ascii_alphanumeric());
            Kind::Number
        } else if b == b'"' || b == b'\'' {
            at += 1;
            while at < bytes.len() && bytes[at] != b {
                at += if bytes[at] == b'\\' { 2 } else { 1 };
            }
            let closed = at < bytes.len();
            at = (at + 1).min(bytes.len());
            match (closed, b) {
                (false, _) => Kind::Unknown,
                (true, b'"') => Kind::Quoted,
                (true, _) => Kind::Char,
            }
        } else if let Some((spelling, kind)) = SYMBOLS.iter().find(|(s, _)| text[at..].starts_with(s)) {
            at += spelling.len();
            *kind
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
            Kind::Unknown
        };
        // An escaped quote at the very end, or a multi-byte character after a backslash, may overshoot.
        while !text.is_char_boundary(at) {
            at += 1;
        }
        tokens.push(Token { kind, lo, hi: at });
    }
    tokens.push(Token { kind: Kind::End, lo: bytes.len(), hi: bytes.len() });
    tokens
}
