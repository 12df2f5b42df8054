//! `#include`.

use super::dialect::HEADERS;
use super::directive::unquoted;
use super::limits;
use super::state::Preprocessor;
use super::token::{Kind, Token};
use ferrospin_source::{Diagnostic, Span};

/// How a file is asked for, which decides where it is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Style {
    /// `"file"`.
    Quoted,
    /// `<file>`.
    Angled,
    /// By `#include_next`.
    Next,
}

/// A file to be included.
pub(super) struct Found {
    text: std::sync::Arc<str>,
    display: String,
    /// Where `#include_next` in it goes on.
    next_dir: usize,
}

impl Preprocessor<'_> {
    /// `#include`, `#include_next` or `#import`, after the word.
    pub(super) fn include(&mut self, word: Token, directive: &str) {
        let once = directive == "import";
        let Some((name, span, style)) = self.header_name(word) else { return };
        let style = if directive == "include_next" { Style::Next } else { style };
        let Some(Found { text, display, next_dir }) = self.load(&name, style, span) else { return };
        if self.once.contains(&display) {
            return;
        }
        if once {
            self.once.insert(display.clone());
        }
        if self.buffers.len() > limits::INCLUDE_DEPTH_MAX {
            let itself = self.buffers.iter().filter(|b| **self.map.name(b.file) == *display).count() > 1;
            let message = if itself {
                format!("`{display}` includes itself without end")
            } else {
                "files include one another too deeply".to_string()
            };
            self.stop(span, &message, "more than 200 files are open here");
            return;
        }
        self.include_count += 1;
        if self.include_count > limits::INCLUDE_COUNT_MAX {
            self.stop(span, "too many files are included", "more than 20000 in all");
            return;
        }
        if self.input_bytes + text.len() > limits::INPUT_BYTES_MAX {
            self.stop(span, "too much text is included", "more than 256 MiB in all");
            return;
        }
        // The same text is the same file, however often it is read.
        let known = self.included.get(&display).copied().filter(|&id| *self.map.text(id) == text);
        let file = known.unwrap_or_else(|| self.map.add_file(display.clone(), text));
        self.included.insert(display, file);
        self.open(file);
        self.buffers.last_mut().expect("it was opened").next_dir = next_dir;
    }

    /// Asks the loader; a message if it has nothing.
    fn load(&mut self, name: &str, style: Style, span: Span) -> Option<Found> {
        match self.try_load(name, style) {
            Ok(found) => Some(found),
            Err(why) => {
                self.say(Diagnostic::error("include-not-found", span, format!("cannot include `{name}`")).label(why));
                None
            }
        }
    }

    /// Asks the loader.
    pub(super) fn try_load(&mut self, name: &str, style: Style) -> Result<Found, String> {
        let includer = self.buffers.last().map(|b| self.map.name(b.file).clone());
        let includer = includer.as_deref().unwrap_or("");
        let Some(dialect) = self.dialect else {
            let (text, display) = self.loader.load(includer, name, &self.options.include_dirs)?;
            return Ok(Found { text, display, next_dir: 0 });
        };
        let dirs = self.options.include_dirs.iter().chain(&dialect.system_dirs);
        let first = if style == Style::Next { self.buffers.last().map_or(0, |b| b.next_dir) } else { 0 };
        let is_absolute = name.starts_with('/');
        if (style == Style::Quoted || is_absolute)
            && let Ok((text, display)) = self.loader.load(includer, name, &[])
        {
            return Ok(Found { text, display, next_dir: 0 });
        }
        for (index, dir) in dirs.enumerate().skip(first) {
            if !is_absolute && let Ok((text, display)) = self.loader.load("", &format!("{dir}/{name}"), &[]) {
                return Ok(Found { text, display, next_dir: index + 1 });
            }
        }
        if let Some((_, text)) = HEADERS.iter().find(|(header, _)| *header == name) {
            return Ok(Found { text: (*text).into(), display: format!("<built-in>/{name}"), next_dir: usize::MAX });
        }
        let mut dirs: Vec<&str> = self.options.include_dirs.iter().map(|d| &**d).collect();
        dirs.extend(dialect.system_dirs.iter().map(|d| &**d));
        Err(if dirs.is_empty() { "no such file".into() } else { format!("no such file in {}", dirs.join(", ")) })
    }

    /// The file that is named on the rest of the line, which is read to its end.
    fn header_name(&mut self, word: Token) -> Option<(String, Span, Style)> {
        let first = self.lex_raw(true);
        if first.kind == Kind::String {
            self.expect_end("#include");
            return Some((unquoted(self.names.text(first.text)), first.span(), Style::Quoted));
        }
        if first.kind == Kind::Punct && self.names.text(first.text).starts_with('<') {
            let buffer = self.buffers.last_mut().expect("a file is being read");
            let start = (first.lo - buffer.base) as usize + 1;
            let line = &buffer.cursor.text[start..];
            let line = &line[..line.find('\n').unwrap_or(line.len())];
            if let Some(end) = line.find('>') {
                let name = line[..end].to_string();
                buffer.cursor.at.pos = start + end + 1;
                self.expect_end("#include");
                return Some((name, Span { hi: first.lo + end as u32 + 2, ..first.span() }, Style::Angled));
            }
        }
        let mut tokens = Vec::new();
        let mut token = first;
        while token.kind != Kind::Eof {
            tokens.push(token);
            token = self.lex_raw(true);
        }
        let span = tokens.iter().fold(Span::NONE, |all, t| self.map.join(all, t.span()));
        let tokens = self.expand_all(tokens);
        if let Some(name) = self.header_of(&tokens) {
            let style = if tokens[0].kind == Kind::String { Style::Quoted } else { Style::Angled };
            return Some((name, span, style));
        }
        let span = if span.is_some() { span } else { word.span() };
        self.say(
            Diagnostic::error("include-syntax", span, "`#include` expects \"file\" or <file>")
                .label("no file name here"),
        );
        None
    }

    /// The file named by expanded tokens: a string, or all between angle brackets.
    pub(super) fn header_of(&self, tokens: &[Token]) -> Option<String> {
        let first = tokens.first()?;
        if first.kind == Kind::String {
            return Some(unquoted(self.names.text(first.text)));
        }
        let text: String = tokens.iter().map(|t| &**self.names.text(t.text)).collect();
        text.strip_prefix('<')?.split_once('>').map(|(name, _)| name.to_string())
    }
}
