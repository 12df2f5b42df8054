//! Directives: lines whose first token is `#`.

use super::lex::unspliced;
use super::state::{Conditional, Preprocessor};
use super::token::{Kind, Token, sym};
use super::{Piece, PieceKind};
use ferrospin_source::{Diagnostic, Severity, Span, suggest};

/// Directives that gcc knows.
const KNOWN: [&str; 18] = [
    "define",
    "undef",
    "include",
    "include_next",
    "import",
    "if",
    "ifdef",
    "ifndef",
    "elif",
    "else",
    "endif",
    "error",
    "warning",
    "line",
    "pragma",
    "ident",
    "sccs",
    "assert",
];

impl Preprocessor<'_> {
    pub(super) fn is_hash(&self, token: Token) -> bool {
        token.is(sym::HASH) || token.is(sym::HASH_DIGRAPH)
    }

    /// Obeys the directive whose `#` was read, and steps to the end of its line.
    pub(super) fn directive(&mut self, hash: Token) {
        let word = self.lex_raw(true);
        let text = self.names.text(word.text).clone();
        let depth = self.buffers.len();
        match (word.kind, &*text) {
            (Kind::Name, "if" | "ifdef" | "ifndef") => self.open_conditional(&text, word),
            (Kind::Name, "elif") => self.elif(&text, word),
            (Kind::Name, "elifdef" | "elifndef") if self.dialect.is_some() => self.elif(&text, word),
            (Kind::Name, "else") => self.otherwise(word),
            (Kind::Name, "endif") => self.endif(word),
            _ if self.skipping => {}
            (Kind::Eof, _) => {}
            (Kind::Name, "define") => self.define(word),
            (Kind::Name, "undef") => self.undef(word),
            (Kind::Name, "include" | "include_next" | "import") => self.include(word, &text),
            (Kind::Name, "error") => {
                let (span, said) = self.rest_of_line(word);
                self.say(Diagnostic::error("error-directive", span, format!("#error {said}").trim_end()));
            }
            (Kind::Name, "warning") => {
                let (span, said) = self.rest_of_line(word);
                let message = format!("#warning {said}");
                self.say(Diagnostic::lint(Severity::Warning, "warning-directive", span, message.trim_end()));
            }
            (Kind::Name, "line") => self.line_directive(word, false),
            (Kind::Number, _) => self.line_directive(word, true),
            (Kind::Name, "pragma") => {
                let next = self.lex_raw(true);
                if next.kind == Kind::Name && &**self.names.text(next.text) == "once" {
                    let file = self.buffers.last().expect("a file is being read").file;
                    let name = self.map.name(file).to_string();
                    self.once.insert(name);
                } else if self.dialect.is_some() {
                    self.pragma(next);
                }
            }
            (Kind::Name, "ident" | "sccs" | "assert" | "unassert") => {}
            _ => self.unknown_directive(hash, word, &text),
        }
        // Otherwise an included file stands on top now, and the line that included it is read to its end already.
        if self.buffers.len() == depth {
            self.skip_directive();
        }
    }

    /// A `#pragma` of C, whose first word was read: those that speak to the preprocessor are obeyed, the others become
    /// tokens.
    fn pragma(&mut self, first: Token) {
        if first.kind == Kind::Eof {
            return;
        }
        let (span, rest) = self.rest_of_line(first);
        let word = self.names.text(first.text).clone();
        if &*word == "push_macro" || &*word == "pop_macro" {
            let name = self.names.intern(rest.trim_matches(|c: char| c.is_whitespace() || "()\"".contains(c)));
            if &*word == "push_macro" {
                let definition = self.definition(name).cloned();
                self.pushed_macros.entry(name).or_default().push(definition);
            } else if let Some(definition) = self.pushed_macros.get_mut(&name).and_then(Vec::pop) {
                self.set_definition(name, definition);
            }
            return;
        }
        let text = self.names.intern(&format!("{word} {rest}"));
        self.pieces.push(Piece { kind: PieceKind::Pragma, text, span });
    }

    fn unknown_directive(&mut self, hash: Token, word: Token, text: &str) {
        let span = self.map.join(hash.span(), word.span());
        let mut d = Diagnostic::error("unknown-directive", span, format!("invalid preprocessing directive `#{text}`"));
        if word.kind == Kind::Name
            && let Some(near) = suggest::closest(text, KNOWN)
        {
            d = d.suggest(word.span(), near, format!("did you mean `#{near}`?"));
        }
        self.say(d);
    }

    /// The raw text of the rest of the line, and the span of the whole directive.
    fn rest_of_line(&mut self, word: Token) -> (Span, String) {
        let buffer = self.buffers.last_mut().expect("a file is being read");
        let from = buffer.cursor.at.pos;
        buffer.cursor.skip_line();
        let written = &buffer.cursor.text[from..buffer.cursor.at.pos];
        let hi = buffer.base + (from + written.trim_end().len()) as u32;
        (Span { hi, ..word.span() }, unspliced(written).trim().to_string())
    }

    /// Complains about anything left on the line.
    pub(super) fn expect_end(&mut self, directive: &str) {
        let token = self.lex_raw(true);
        if token.kind != Kind::Eof {
            self.say(
                Diagnostic::lint(
                    Severity::Warning,
                    "extra-tokens",
                    token.span(),
                    format!("extra tokens at the end of `{directive}`"),
                )
                .label("ignored from here on"),
            );
        }
    }

    /// `#line 12 "file"`, or `# 12 "file" flags` as preprocessors print it.
    fn line_directive(&mut self, word: Token, marker: bool) {
        let mut tokens = Vec::new();
        if marker {
            tokens.push(word);
        }
        loop {
            let token = self.lex_raw(true);
            if token.kind == Kind::Eof {
                break;
            }
            tokens.push(token);
        }
        if !marker {
            tokens = self.expand_all(tokens);
        }
        let text = |i: usize| tokens.get(i).map(|t| self.names.text(t.text).clone());
        let number = text(0).filter(|t| t.bytes().all(|b| b.is_ascii_digit())).and_then(|t| t.parse::<u32>().ok());
        let Some(number) = number else {
            let span = tokens.first().map_or(word.span(), |t| t.span());
            self.say(
                Diagnostic::error("line-directive", span, "expected a line number")
                    .label("`#line` is followed by a number and perhaps a file name in quotes"),
            );
            return;
        };
        let name = match (tokens.get(1).map(|t| (t.kind, t.span())), text(1)) {
            (Some((Kind::String, _)), Some(t)) => Some(unquoted(&t)),
            (Some((_, span)), _) => {
                self.say(Diagnostic::error("line-directive", span, "expected a file name in quotes"));
                return;
            }
            _ => None,
        };
        let buffer = self.buffers.last_mut().expect("a file is being read");
        let next_line = buffer.cursor.at.pos + 1;
        if next_line <= buffer.cursor.text.len() {
            let file = buffer.file;
            self.map.set_presumed(file, next_line, number, name.map(Into::into));
        }
    }

    fn open_conditional(&mut self, kind: &str, word: Token) {
        let within_skipped = self.skipping;
        let mut taken = true;
        if !within_skipped {
            taken = if kind == "if" {
                self.condition(word)
            } else {
                let name = self.lex_raw(true);
                let known = self.check_macro_name(name, word);
                if known {
                    self.expect_end(&format!("#{kind}"));
                }
                known && self.is_defined(name.text) == (kind == "ifdef")
            };
            self.skipping = !taken;
        }
        let buffer = self.buffers.last_mut().expect("a file is being read");
        buffer.conditionals.push(Conditional { span: word.span(), otherwise: None, taken, within_skipped });
    }

    /// The innermost open conditional of this file, or a message that there is none.
    fn innermost(&mut self, word: Token) -> Option<Conditional> {
        let found = self.buffers.last().and_then(|b| b.conditionals.last()).copied();
        if found.is_none() {
            let text = self.names.text(word.text).clone();
            self.say(Diagnostic::error("conditional-order", word.span(), format!("`#{text}` without `#if`")));
        }
        found
    }

    fn set_innermost(&mut self, conditional: Conditional) {
        let buffer = self.buffers.last_mut().expect("a file is being read");
        *buffer.conditionals.last_mut().expect("one is open") = conditional;
    }

    fn elif(&mut self, kind: &str, word: Token) {
        let Some(mut open) = self.innermost(word) else { return };
        if let Some(otherwise) = open.otherwise {
            self.say(
                Diagnostic::error("conditional-order", word.span(), "`#elif` after `#else`")
                    .also(otherwise, "the `#else` is here")
                    .also(open.span, "the conditional began here"),
            );
        }
        if open.taken {
            self.skipping = true;
        } else {
            // The condition counts only because no branch before it was taken.
            self.skipping = false;
            open.taken = if kind == "elif" {
                self.condition(word)
            } else {
                let name = self.lex_raw(true);
                self.check_macro_name(name, word) && self.is_defined(name.text) == (kind == "elifdef")
            };
            self.skipping = !open.taken;
        }
        self.set_innermost(open);
    }

    fn otherwise(&mut self, word: Token) {
        let Some(mut open) = self.innermost(word) else { return };
        if let Some(otherwise) = open.otherwise {
            self.say(
                Diagnostic::error("conditional-order", word.span(), "`#else` after `#else`")
                    .also(otherwise, "the first `#else` is here")
                    .also(open.span, "the conditional began here"),
            );
        }
        open.otherwise = Some(word.span());
        self.skipping = open.taken;
        open.taken = true;
        self.set_innermost(open);
        if !open.within_skipped {
            self.expect_end("#else");
        }
    }

    fn endif(&mut self, word: Token) {
        let Some(open) = self.innermost(word) else { return };
        self.skipping = open.within_skipped;
        if !open.within_skipped {
            self.expect_end("#endif");
        }
        self.buffers.last_mut().expect("a file is being read").conditionals.pop();
    }
}

/// A file name without its quotes.
pub(super) fn unquoted(text: &str) -> String {
    let inner = text.strip_prefix('"').unwrap_or(text);
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    let mut out = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        out.push(if c == '\\' { chars.next().unwrap_or('\\') } else { c });
    }
    out
}
