//! Built-in macros: `__LINE__`, `__FILE__` and the like.

use super::define::Definition;
use super::state::Preprocessor;
use super::token::{Kind, MADE, Token, WHITE};

/// Macros without a definition in any text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Builtin {
    Line,
    File,
    BaseFile,
    Counter,
    IncludeLevel,
    /// Always the same text.
    Fixed(&'static str),
}

impl Preprocessor<'_> {
    pub(super) fn define_builtins(&mut self) {
        // Dates would make results depend on the clock; gcc prints these when it has none.
        for (name, builtin) in [
            ("__LINE__", Builtin::Line),
            ("__FILE__", Builtin::File),
            ("__BASE_FILE__", Builtin::BaseFile),
            ("__COUNTER__", Builtin::Counter),
            ("__INCLUDE_LEVEL__", Builtin::IncludeLevel),
            ("__DATE__", Builtin::Fixed("\"??? ?? ????\"")),
            ("__TIME__", Builtin::Fixed("\"??:??:??\"")),
            ("__STDC__", Builtin::Fixed("1")),
            ("__STDC_HOSTED__", Builtin::Fixed("1")),
            ("__STDC_VERSION__", Builtin::Fixed("199901L")),
        ] {
            // The list of a target says it.
            if name == "__STDC_VERSION__" && self.dialect.is_some() {
                continue;
            }
            let name = self.names.intern(name);
            self.set_definition(name, Some(Definition::Builtin(builtin)));
        }
    }

    /// The text of a built-in macro, which stands where it is used.
    pub(super) fn builtin(&mut self, builtin: Builtin, name: Token) -> Token {
        // The place of the outermost use: a macro that says `__LINE__` means the line it is used on.
        let place = self.map.presumed(self.map.primary(name.span()).lo);
        let text = match builtin {
            Builtin::Line => place.map_or(0, |(_, line)| line).to_string(),
            Builtin::File => quoted(place.map_or("", |(file, _)| file)),
            Builtin::BaseFile => {
                let file = self.buffers.first().map(|b| self.map.name(b.file).to_string()).unwrap_or_default();
                quoted(&file)
            }
            Builtin::Counter => {
                self.counter += 1;
                (self.counter - 1).to_string()
            }
            Builtin::IncludeLevel => self.buffers.len().saturating_sub(1).to_string(),
            Builtin::Fixed(text) => text.to_string(),
        };
        let kind = if text.starts_with('"') { Kind::String } else { Kind::Number };
        Token { kind, text: self.names.intern(&text), flags: (name.flags & WHITE) | MADE, ..name }
    }
}

/// `text` as a string constant.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        if matches!(c, '"' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('"');
    out
}
