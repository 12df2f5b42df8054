//! From a macro's text and its arguments to the tokens that replace the call: parameters, `#` and `##`.

use super::builtin::quoted;
use super::call::Argument;
use super::define::Macro;
use super::expand::Placement;
use super::lex::{Cursor, Lexeme};
use super::limits;
use super::state::Preprocessor;
use super::token::{Kind, MADE, PASTE, SOURCED, STRINGIFY, Token, WHITE, sym};
use ferrospin_source::Diagnostic;
use std::sync::Arc;

impl Preprocessor<'_> {
    /// The body with arguments in place of parameters. gcc's `replace_args`.
    pub(super) fn substitute(
        &mut self,
        definition: &Macro,
        arguments: &[Argument],
        placement: Placement,
    ) -> Vec<Token> {
        let mut out: Vec<Token> = Vec::new();
        let mut after_paste = false;
        for (i, &part) in definition.body.iter().enumerate() {
            let mut part = part;
            if part.kind != Kind::Param {
                placement.place(&mut part);
                out.push(part);
                after_paste = part.has(PASTE);
                continue;
            }
            let argument = &arguments[part.expansion.0 as usize];
            // The parameter's own place: its index takes the room of the expansion.
            placement.place(&mut part);
            if part.has(STRINGIFY) {
                let made = self.stringify(&argument.raw, part);
                out.push(made);
                after_paste = part.has(PASTE);
                continue;
            }
            let tokens = match &argument.expanded {
                Some(expanded) if !after_paste && !part.has(PASTE) => expanded,
                _ => &argument.raw,
            };
            // A seam on the left, unless the argument is pasted there; it remembers the white space in the body.
            if i > 0 && !after_paste {
                out.push(Token::padding(part));
            }
            if after_paste {
                let pasted_comma = definition.variadic
                    && part.text == *definition.params.as_ref().and_then(|p| p.last()).expect("variadic")
                    && out.last().is_some_and(|t| t.is(sym::COMMA));
                if pasted_comma {
                    if argument.omitted {
                        out.pop();
                    } else if let Some(last) = out.last_mut() {
                        last.flags &= !PASTE;
                    }
                } else if tokens.is_empty()
                    && let Some(last) = out.last_mut()
                {
                    // Nothing to paste on the right: what is pasted further is the left side.
                    last.flags = (last.flags & !PASTE) | (part.flags & PASTE);
                }
            }
            out.extend(tokens.iter().copied());
            if !tokens.is_empty()
                && part.has(PASTE)
                && let Some(last) = out.last_mut()
            {
                last.flags |= PASTE;
            }
            if !part.has(PASTE) {
                out.push(Token::bare(Kind::Padding));
            }
            after_paste = part.has(PASTE);
            self.step(tokens.len(), part);
            if out.len() > limits::LIVE_TOKENS_MAX {
                self.stop(part.span(), "the text of this macro is too long", "more than 8 million tokens");
            }
            if self.stopped {
                break;
            }
        }
        out
    }

    /// `#x`: the argument as a string constant, white space as it is written but never more than one space.
    fn stringify(&mut self, tokens: &[Token], parameter: Token) -> Token {
        let mut text = String::new();
        let mut source: Option<bool> = None;
        let mut backslashes = 0;
        for token in tokens {
            if token.kind == Kind::Padding {
                let s = token.has(SOURCED).then(|| token.has(WHITE));
                if source.is_none() || (source == Some(false) && s.is_none()) {
                    source = s;
                }
                continue;
            }
            if !text.is_empty() && source.unwrap_or(token.has(WHITE)) {
                text.push(' ');
            }
            source = None;
            let spelling = self.names.text(token.text);
            if matches!(token.kind, Kind::String | Kind::Char) {
                let escaped = quoted(spelling);
                text.push_str(&escaped[1..escaped.len() - 1]);
            } else {
                text.push_str(spelling);
            }
            backslashes = if token.kind == Kind::Other && &**spelling == "\\" { backslashes + 1 } else { 0 };
            if text.len() > limits::TOKEN_BYTES_MAX {
                self.stop(parameter.span(), "the string made by `#` is too long", "more than 1 MiB");
                break;
            }
        }
        // A backslash alone at the end would take the closing quote with it.
        if backslashes % 2 == 1 {
            text.pop();
        }
        self.step(text.len() / 16, parameter);
        let text = self.names.intern(&format!("\"{text}\""));
        Token { kind: Kind::String, text, flags: (parameter.flags & (WHITE | PASTE)) | MADE, ..parameter }
    }

    /// Pastes `left` with what follows it in the innermost context, and pushes the result.
    pub(super) fn paste_all(&mut self, mut left: Token) {
        while let Some(context) = self.contexts.last_mut() {
            let Some(&right) = context.tokens.get(context.position) else { break };
            context.position += 1;
            if right.kind == Kind::Padding {
                continue;
            }
            match self.paste(left, right) {
                Some(token) => left = token,
                None => {
                    self.contexts.last_mut().expect("it was there").position -= 1;
                    break;
                }
            }
            if !right.has(PASTE) {
                break;
            }
        }
        left.flags &= !PASTE;
        self.push_context(Arc::new(vec![left]), None, Placement::Keep, false, 0);
    }

    /// The token that `left` and `right` make together.
    fn paste(&mut self, left: Token, right: Token) -> Option<Token> {
        let (a, b) = (self.names.text(left.text).clone(), self.names.text(right.text).clone());
        if a.len() + b.len() > limits::TOKEN_BYTES_MAX {
            self.stop(left.span(), "the token made by `##` is too long", "more than 1 MiB");
            return None;
        }
        let text = format!("{a}{b}");
        self.step(text.len() / 16, left);
        match single(&text, self.dialect.is_some()) {
            Some(lexeme) => {
                let text = self.names.intern(&text);
                Some(Token { kind: lexeme.kind, text, flags: (left.flags & WHITE) | MADE, ..left })
            }
            None => {
                self.say_once(Diagnostic::error(
                    "macro-paste",
                    left.span(),
                    format!("pasting `{a}` and `{b}` does not give a valid token"),
                ));
                None
            }
        }
    }
}

/// The one token that `text` is, if it is one.
fn single(text: &str, prefixes: bool) -> Option<Lexeme> {
    let mut comments = 0;
    let lexeme = Cursor::of(text.into(), prefixes).next(true, &mut |_| comments += 1);
    let whole = lexeme.lo == 0 && lexeme.hi == text.len() && comments == 0;
    (whole && lexeme.kind != Kind::Eof && !lexeme.unterminated).then_some(lexeme)
}
