//! Calls of function-like macros: the parenthesis and the arguments.

use super::define::Macro;
use super::expand::Placement;
use super::limits;
use super::state::{Mode, Preprocessor};
use super::token::{Kind, SOURCED, Token, WHITE, sym};
use ferrospin_source::Diagnostic;
use std::sync::Arc;

/// An argument of a macro call.
#[derive(Debug)]
pub(super) struct Argument {
    pub(super) raw: Arc<Vec<Token>>,
    pub(super) expanded: Option<Arc<Vec<Token>>>,
    /// The variable argument was left out, not merely empty: a pasted comma before it goes too.
    pub(super) omitted: bool,
}

impl Preprocessor<'_> {
    /// Looks for the parenthesis that makes a function-like macro's name a call, and steps over it. If there is none,
    /// nothing is lost but the contexts that had come to their end.
    pub(super) fn open_parenthesis(&mut self) -> bool {
        let mut padding: Option<Token> = None;
        loop {
            if self.contexts.is_empty() {
                let Some(buffer) = self.buffers.last() else { return false };
                let (at, bol) = (buffer.cursor.at, buffer.cursor.bol);
                let line = self.line;
                let token = self.lex_raw(false);
                if token.is(sym::OPEN) {
                    return true;
                }
                let cursor = &mut self.buffers.last_mut().expect("still open").cursor;
                (cursor.at, cursor.bol) = (at, bol);
                self.line = line;
                break;
            }
            let token = self.get(false);
            match token.kind {
                Kind::Padding => {
                    let sourced_white = |p: Token| (p.has(SOURCED), p.has(WHITE));
                    if padding.is_none_or(|p| match sourced_white(p) {
                        (false, _) => true,
                        (true, white) => !white && !token.has(SOURCED),
                    }) {
                        padding = Some(token);
                    }
                }
                Kind::Eof => return false,
                _ if token.is(sym::OPEN) => return true,
                _ => {
                    self.contexts.last_mut().expect("the token came from it").position -= 1;
                    break;
                }
            }
        }
        if let Some(p) = padding {
            self.push_context(Arc::new(vec![p]), None, Placement::Keep, false, 0);
        }
        false
    }

    /// The arguments up to the closing parenthesis, which is returned too. `None` after a message.
    pub(super) fn collect_arguments(&mut self, definition: &Macro, name: Token) -> Option<(Vec<Argument>, Token)> {
        let mode = std::mem::replace(&mut self.mode, Mode::Arguments);
        let collected = self.collect_tokens(definition, name);
        self.mode = mode;
        let (lists, close) = collected?;
        let wanted = definition.params.as_ref().map_or(0, Vec::len);
        let given = if wanted == 0 && lists.len() == 1 && lists[0].is_empty() { 0 } else { lists.len() };
        // The variable argument may be left out.
        let enough = given == wanted || (definition.variadic && given + 1 == wanted);
        if !enough {
            let text = self.names.text(definition.name);
            let plural = if wanted == 1 { "" } else { "s" };
            let wants = if definition.variadic { wanted - 1 } else { wanted };
            let message = if given > wanted {
                let are = if given == 1 { "is" } else { "are" };
                format!("macro `{text}` takes {wants} argument{plural}, but {given} {are} given")
            } else {
                format!("macro `{text}` requires {wants} argument{plural}, but only {given} given")
            };
            self.say(
                Diagnostic::error("macro-arguments", name.span(), message)
                    .also(definition.span, "the macro is defined here"),
            );
            return None;
        }
        let sole_empty = wanted == 1 && lists[0].is_empty();
        let mut arguments: Vec<Argument> = lists
            .into_iter()
            .take(wanted)
            .map(|raw| Argument { raw: Arc::new(raw), expanded: None, omitted: false })
            .collect();
        if definition.variadic {
            if given < wanted {
                arguments.push(Argument { raw: Arc::new(Vec::new()), expanded: None, omitted: true });
            } else if sole_empty {
                arguments[0].omitted = true;
            }
        }
        Some((arguments, close))
    }

    fn collect_tokens(&mut self, definition: &Macro, name: Token) -> Option<(Vec<Vec<Token>>, Token)> {
        let wanted = definition.params.as_ref().map_or(0, Vec::len);
        let mut lists: Vec<Vec<Token>> = vec![Vec::new()];
        let mut depth = 0usize;
        let mut count = 0usize;
        loop {
            let token = self.get(false);
            let separator = token.is(sym::COMMA) && !(definition.variadic && lists.len() >= wanted);
            let list = lists.last_mut().expect("never empty");
            if token.kind == Kind::Eof {
                if !self.stopped {
                    let text = self.names.text(definition.name);
                    self.say(
                        Diagnostic::error(
                            "unterminated-macro-call",
                            name.span(),
                            format!("the argument list of macro `{text}` is never closed"),
                        )
                        .label("no `)` for the call that starts here")
                        .also(definition.span, "the macro is defined here"),
                    );
                }
                return None;
            }
            if depth == 0 && (token.is(sym::CLOSE) || separator) {
                while list.last().is_some_and(|t| t.kind == Kind::Padding) {
                    list.pop();
                }
                if token.is(sym::CLOSE) {
                    return Some((lists, token));
                }
                lists.push(Vec::new());
                continue;
            }
            if token.is(sym::OPEN) {
                depth += 1;
            } else if token.is(sym::CLOSE) {
                depth -= 1;
            }
            if token.kind != Kind::Padding || !list.is_empty() {
                list.push(token);
            }
            count += 1;
            if count > limits::LIVE_TOKENS_MAX {
                self.stop(name.span(), "the arguments of this macro call are too long", "more than 8 million tokens");
            }
        }
    }
}
