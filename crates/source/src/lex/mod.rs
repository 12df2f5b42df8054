//! The lexer kit of small languages.
//!
//! A language says by a [`Lexicon`] what its comments, words and marks are; [`lex`] makes tokens of a file, and a [`Cursor`] goes
//! over them, words the usual messages and bounds the nesting. Keywords are ordinary words that the parser asks for by their
//! text, so that no keyword is forbidden as a name unless the parser forbids it. The file is a plain one: text that macros
//! expand is the business of `cpp`.
//!
//! Whatever the bytes are, the kit goes on to the end of the file, and every token has a place. The cost is linear.

mod cursor;
#[cfg(test)]
mod tests;

pub use cursor::{Cursor, Failed, Parsed};

use crate::{Diagnostic, Diagnostics, FileId, SourceMap, Span};

/// How a language is spelled.
#[derive(Clone, Copy, Debug)]
pub struct Lexicon {
    /// What begins a comment that ends with the line.
    pub line_comments: &'static [&'static str],
    /// What opens and closes a comment; such comments do not nest.
    pub block_comment: Option<(&'static str, &'static str)>,
    /// What may begin a word. Digits always begin a number.
    pub begins_word: fn(char) -> bool,
    /// What may stand in a word behind its first character.
    pub continues_word: fn(char) -> bool,
    /// Signs, in any order: the longest one that fits is taken.
    pub marks: &'static [&'static str],
    /// Whether there are texts between double quotes. They end with the line; a backslash keeps the next character.
    pub has_texts: bool,
}

impl Lexicon {
    /// Comments as in C, words of letters, digits and underscores, no marks and no texts: to be completed.
    pub const C_LIKE: Lexicon = Lexicon {
        line_comments: &["//"],
        block_comment: Some(("/*", "*/")),
        begins_word: |c| c.is_alphabetic() || c == '_',
        continues_word: |c| c.is_alphanumeric() || c == '_',
        marks: &[],
        has_texts: false,
    };
}

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A name or keyword.
    Word,
    /// Digits.
    Number,
    /// What stands between double quotes, these included.
    Text,
    /// One of [`Lexicon::marks`].
    Mark,
    /// The end of the file.
    End,
}

/// A token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token<'t> {
    /// What it is.
    pub kind: Kind,
    /// How it is spelled; empty at the end of the file.
    pub text: &'t str,
    /// Where it stands; at the end of the file the place behind the last token.
    pub span: Span,
}

impl Token<'_> {
    /// Whether it is this word or this mark.
    pub fn is(&self, text: &str) -> bool {
        matches!(self.kind, Kind::Word | Kind::Mark) && self.text == text
    }

    /// What it is called after "found".
    pub fn describe(&self) -> String {
        match self.kind {
            Kind::End => "the end of the file".into(),
            Kind::Text => "a text".into(),
            Kind::Number => format!("the number `{}`", self.text),
            Kind::Word | Kind::Mark => format!("`{}`", self.text),
        }
    }
}

/// Makes tokens of a file, whose text this is ([`SourceMap::text`]); the last one is its end. Says what is no token, once
/// for each stretch of it.
pub fn lex<'t>(
    map: &SourceMap,
    file: FileId,
    text: &'t str,
    lexicon: &Lexicon,
    said: &mut Diagnostics,
) -> Vec<Token<'t>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    let mut behind = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        }
        if lexicon.line_comments.iter().any(|open| rest.starts_with(open)) {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        if let Some((open, close)) = lexicon.block_comment
            && rest.starts_with(open)
        {
            match rest[open.len()..].find(close) {
                Some(len) => at += open.len() + len + close.len(),
                None => {
                    let here = map.span(file, at, at + open.len());
                    said.push(Diagnostic::error("unterminated-comment", here, "this comment is never closed"));
                    at = text.len();
                }
            }
            continue;
        }
        let (kind, len) = if (lexicon.begins_word)(c) {
            (Kind::Word, prefix(rest, lexicon.continues_word))
        } else if c.is_ascii_digit() {
            (Kind::Number, prefix(rest, |c| c.is_ascii_digit()))
        } else if c == '"' && lexicon.has_texts {
            let (len, is_closed) = text_length(rest);
            if !is_closed {
                let here = map.span(file, at, at + len);
                said.push(Diagnostic::error("unterminated-string", here, "this text is never closed"));
            }
            (Kind::Text, len)
        } else if let Some(mark) = longest_mark(rest, lexicon) {
            (Kind::Mark, mark)
        } else {
            let len = strange(rest, lexicon);
            let message = match rest[..len].chars().count() {
                1 => format!("unknown character `{}`", crate::printable::printable_line(&rest[..len])),
                n => format!("{n} characters that mean nothing here"),
            };
            said.push(Diagnostic::error("character", map.span(file, at, at + len), message));
            at += len;
            continue;
        };
        tokens.push(Token { kind, text: &rest[..len], span: map.span(file, at, at + len) });
        at += len;
        behind = at;
    }
    tokens.push(Token { kind: Kind::End, text: "", span: map.span(file, behind, behind) });
    tokens
}

/// How many bytes the first character and those that may follow it take.
fn prefix(text: &str, continues: impl Fn(char) -> bool) -> usize {
    text.char_indices().skip(1).find(|(_, c)| !continues(*c)).map_or(text.len(), |(at, _)| at)
}

fn longest_mark(rest: &str, lexicon: &Lexicon) -> Option<usize> {
    lexicon.marks.iter().filter(|mark| rest.starts_with(**mark)).map(|mark| mark.len()).max()
}

/// The length of a text that starts here, and whether it is closed in its line.
fn text_length(rest: &str) -> (usize, bool) {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            '\n' => return (at, false),
            '"' if !escaped => return (at + 1, true),
            _ => escaped = c == '\\' && !escaped,
        }
    }
    (rest.len(), false)
}

/// How many bytes of what is no token stand here, without space between them.
fn strange(rest: &str, lexicon: &Lexicon) -> usize {
    let is_known = |at: usize, c: char| {
        c.is_whitespace()
            || c.is_ascii_digit()
            || (lexicon.begins_word)(c)
            || lexicon.has_texts && c == '"'
            || lexicon.line_comments.iter().any(|open| rest[at..].starts_with(open))
            || lexicon.block_comment.is_some_and(|(open, _)| rest[at..].starts_with(open))
            || longest_mark(&rest[at..], lexicon).is_some()
    };
    rest.char_indices().skip(1).find(|(at, c)| is_known(*at, *c)).map_or(rest.len(), |(at, _)| at)
}
