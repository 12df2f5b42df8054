//! From files to the preprocessor's tokens: directives obeyed, comments read, quotes checked.

use super::lex::{Comment, Lexeme, unspliced};
use super::output::Around;
use super::state::{Buffer, Mode, Preprocessor};
use super::token::{BOL, Kind, MADE, Token, WHITE};
use ferrospin_source::{Diagnostic, ExpansionId, Severity, Span};

impl Preprocessor<'_> {
    /// The next token of the files, directives obeyed. At the end of all files, and at the end of a file while macro
    /// arguments are read, it is `Eof`.
    pub(super) fn lex_token(&mut self) -> Token {
        loop {
            if self.stopped {
                return Token::bare(Kind::Eof);
            }
            let mut token = self.lex_raw(false);
            if token.kind == Kind::Eof {
                if self.mode == Mode::Arguments || self.buffers.is_empty() {
                    return token;
                }
                self.close();
                if self.buffers.is_empty() {
                    return token;
                }
                continue;
            }
            if token.has(BOL) && self.is_hash(token) {
                self.directive(token);
                continue;
            }
            if self.skipping {
                continue;
            }
            if token.has(BOL) {
                match self.mode {
                    Mode::Text if self.dialect.is_some() => {}
                    Mode::Text => self.printer.change_line(token, self.line, around(&self.buffers)),
                    Mode::Arguments => token.flags |= WHITE,
                }
            }
            return token;
        }
    }

    /// Ends the file that is being read.
    fn close(&mut self) {
        let buffer = self.buffers.pop().expect("a file is open");
        for conditional in buffer.conditionals.iter().rev() {
            self.say(
                Diagnostic::error("unterminated-conditional", conditional.span, "this conditional is never closed")
                    .label("no `#endif` for it before the end of the file"),
            );
        }
        self.skipping = false;
        if let Some(outer) = self.buffers.last() {
            self.printer.enter(outer.cursor.at.line);
        }
    }

    /// The next token of the file as it is written.
    pub(super) fn lex_raw(&mut self, in_directive: bool) -> Token {
        let Some(buffer) = self.buffers.last_mut() else { return Token::bare(Kind::Eof) };
        let mut comments: Vec<Comment> = Vec::new();
        let lexeme = buffer.cursor.next(in_directive, &mut |c| comments.push(c));
        for comment in comments {
            self.comment(comment);
        }
        self.line = lexeme.line;
        self.token_of(lexeme, in_directive)
    }

    /// Steps to the end of a directive's line; a comment in it may span lines.
    pub(super) fn skip_directive(&mut self) {
        let Some(buffer) = self.buffers.last_mut() else { return };
        let mut comments: Vec<Comment> = Vec::new();
        while buffer.cursor.next(true, &mut |c| comments.push(c)).kind != Kind::Eof {}
        for comment in comments {
            self.comment(comment);
        }
    }

    fn token_of(&mut self, lexeme: Lexeme, in_directive: bool) -> Token {
        let buffer = self.buffers.last().expect("the lexeme came from a file");
        let (lo, hi) = (buffer.base + lexeme.lo as u32, buffer.base + lexeme.hi as u32);
        let mut flags = 0;
        if lexeme.white {
            flags |= WHITE;
        }
        if lexeme.bol {
            flags |= BOL;
        }
        let written = &buffer.cursor.text[lexeme.lo..lexeme.hi];
        let text = if lexeme.spliced {
            flags |= MADE;
            self.names.intern(&unspliced(written))
        } else if self.skipping && !matches!(lexeme.kind, Kind::Name | Kind::Punct) {
            self.names.intern("")
        } else {
            self.names.intern(written)
        };
        let token = Token { kind: lexeme.kind, flags, text, lo, hi, expansion: ExpansionId::NONE };
        if lexeme.unterminated && !self.skipping {
            self.unterminated_quote(token, in_directive);
        }
        token
    }

    /// A quote without its partner. In the body of a macro it may never be used, or stand in a sentence.
    fn unterminated_quote(&mut self, token: Token, in_directive: bool) {
        let quote = self.names.text(token.text).chars().next().unwrap_or('"');
        let message = format!("missing terminating {quote} character");
        let span = Span { hi: token.lo + 1, ..token.span() };
        let d = if in_directive {
            Diagnostic::lint(Severity::Warning, "unterminated-string", span, message)
        } else {
            Diagnostic::error("unterminated-string", span, message)
        };
        let what = if quote == '"' { "string" } else { "character constant" };
        self.say_once(d.label(format!("this {what} does not end on its line")));
    }

    fn comment(&mut self, comment: Comment) {
        let buffer = self.buffers.last().expect("the comment came from a file");
        let lo = buffer.base + comment.lo as u32;
        if comment.unterminated {
            let span = Span { lo, hi: lo + 2, expansion: ExpansionId::NONE };
            self.say_once(
                Diagnostic::error("unterminated-comment", span, "this comment is never closed")
                    .label("no `*/` after it")
                    .note("all text from here to the end of the file is part of the comment"),
            );
        }
        if !self.skipping {
            let text = buffer_text(&self.buffers, comment);
            let (pragmas, doubts) = super::pragma::parse(&text, lo);
            for pragma in pragmas {
                // Looking for a parenthesis may pass a comment twice.
                if self.seen_pragmas.insert(pragma.span.lo) {
                    self.printer.out.pragmas.push(pragma);
                }
            }
            for doubt in doubts {
                self.say_once(doubt);
            }
        }
    }

    /// A number that swallowed the name of a macro: `1..N` is one token to a C preprocessor.
    pub(super) fn check_number(&mut self, token: Token) {
        let text = self.names.text(token.text).clone();
        let Some((first, second)) = text.split_once("..") else { return };
        let end = second.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(second.len());
        let name = &second[..end];
        if !name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            return;
        }
        let symbol = self.names.intern(name);
        if self.definition(symbol).is_some() && self.warned_numbers.insert(token.lo) {
            let d = Diagnostic::lint(
                Severity::Warning,
                "macro-in-number",
                token.span(),
                format!("macro `{name}` is not expanded here"),
            )
            .label("a C preprocessor reads this as one number")
            .suggest(token.span(), format!("{first} .. {second}"), "put spaces around the dots");
            self.say(d);
        }
    }
}

/// The text of the file that is being read.
pub(super) fn around(buffers: &[Buffer]) -> Option<Around<'_>> {
    buffers.last().map(|b| Around { text: &b.cursor.text, base: b.base })
}

fn buffer_text(buffers: &[Buffer], comment: Comment) -> String {
    let text = &buffers.last().expect("a file is open").cursor.text[comment.lo..comment.hi];
    // Only comments of ours are worth copying.
    if text.contains("ferrospin") { text.to_string() } else { String::new() }
}
