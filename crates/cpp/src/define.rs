//! Definitions of macros: `#define` and `#undef`.

use super::builtin::Builtin;
use super::state::Preprocessor;
use super::token::{Kind, PASTE, STRINGIFY, Symbol, Token, WHITE, sym};
use ferrospin_source::{Diagnostic, ExpansionId, Severity, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// What a name stands for.
#[derive(Clone, Debug)]
pub(super) enum Definition {
    Builtin(Builtin),
    Macro(Arc<Macro>),
}

/// A macro.
#[derive(Debug)]
pub(super) struct Macro {
    pub(super) name: Symbol,
    /// `None` for an object-like macro.
    pub(super) params: Option<Vec<Symbol>>,
    /// The last parameter takes all further arguments.
    pub(super) variadic: bool,
    pub(super) body: Arc<Vec<Token>>,
    /// By parameter: whether it is used other than beside `#` and `##`, so that its argument must be expanded.
    pub(super) plain: Vec<bool>,
    /// The name in the definition.
    pub(super) span: Span,
}

impl Macro {
    /// Whether the definitions are the same but for the amount of white space.
    fn same(&self, other: &Macro) -> bool {
        let shape = |t: &Token| {
            let index = (t.kind == Kind::Param).then_some(t.expansion);
            (t.kind, t.text, t.flags & (WHITE | PASTE | STRINGIFY), index)
        };
        self.params == other.params
            && self.variadic == other.variadic
            && self.body.iter().map(shape).eq(other.body.iter().map(shape))
    }
}

impl Preprocessor<'_> {
    /// `#define`, after the word.
    pub(super) fn define(&mut self, word: Token) {
        let name = self.lex_raw(true);
        if !self.check_macro_name(name, word) {
            return;
        }
        match self.definition_of(name) {
            Ok(new) => self.install(new, name),
            Err(d) => self.say(*d),
        }
    }

    /// `#undef`, after the word.
    pub(super) fn undef(&mut self, word: Token) {
        let name = self.lex_raw(true);
        if self.check_macro_name(name, word) {
            self.set_definition(name.text, None);
            self.expect_end("#undef");
        }
    }

    /// Whether `name` can name a macro.
    pub(super) fn check_macro_name(&mut self, name: Token, word: Token) -> bool {
        let directive = self.names.text(word.text).clone();
        let message = match name.kind {
            Kind::Eof => format!("no macro name given in `#{directive}`"),
            Kind::Name if name.text == sym::DEFINED => "`defined` cannot be the name of a macro".to_string(),
            Kind::Name => return true,
            _ => "a macro name must be an identifier".to_string(),
        };
        let span = if name.kind == Kind::Eof { word.span() } else { name.span() };
        let code = if matches!(&*directive, "ifdef" | "ifndef") { "condition-syntax" } else { "macro-definition" };
        self.say(Diagnostic::error(code, span, message));
        false
    }

    /// The rest of a definition.
    fn definition_of(&mut self, name: Token) -> Result<Macro, Box<Diagnostic>> {
        let mut token = self.lex_raw(true);
        let (mut params, mut variadic) = (None, false);
        // Only a parenthesis that touches the name starts parameters.
        if token.is(sym::OPEN) && !token.has(WHITE) {
            let (list, open_ended) = self.parameters()?;
            (params, variadic) = (Some(list), open_ended);
            token = self.lex_raw(true);
        } else if token.kind != Kind::Eof && !token.has(WHITE) {
            self.say(
                Diagnostic::lint(
                    Severity::Warning,
                    "macro-definition",
                    token.span(),
                    "no white space between the name of the macro and its text",
                )
                .label("the text of the macro starts here"),
            );
        }
        let index: FxHashMap<Symbol, u32> = params.iter().flatten().enumerate().map(|(i, &p)| (p, i as u32)).collect();
        let mut body: Vec<Token> = Vec::new();
        // The `#` that waits for its parameter, and the `##` that waits for its right side.
        let (mut hash, mut paste): (Option<Token>, Option<Token>) = (None, None);
        while token.kind != Kind::Eof {
            let is_paste = token.is(sym::PASTE) || token.is(sym::PASTE_DIGRAPH);
            if token.kind == Kind::Name
                && let Some(&i) = index.get(&token.text)
            {
                token.kind = Kind::Param;
                token.expansion = ExpansionId(i);
            }
            if let Some(h) = hash.take() {
                if token.kind != Kind::Param {
                    return Err(Box::new(
                        Diagnostic::error("macro-definition", h.span(), "`#` is not followed by a macro parameter")
                            .label("in a macro with parameters, `#` turns an argument into a string"),
                    ));
                }
                token.flags |= (h.flags & WHITE) | STRINGIFY;
            } else if params.is_some() && self.is_hash(token) {
                hash = Some(token);
                token = self.lex_raw(true);
                continue;
            } else if is_paste {
                match body.last_mut() {
                    Some(last) => last.flags |= PASTE,
                    None => return Err(Box::new(lonely_paste(token))),
                }
                paste = Some(token);
                token = self.lex_raw(true);
                continue;
            }
            paste = None;
            body.push(token);
            token = self.lex_raw(true);
        }
        if let Some(h) = hash {
            return Err(Box::new(Diagnostic::error(
                "macro-definition",
                h.span(),
                "`#` is not followed by a macro parameter",
            )));
        }
        if let Some(p) = paste {
            return Err(Box::new(lonely_paste(p)));
        }
        if let Some(first) = body.first_mut() {
            first.flags &= !WHITE;
        }
        let mut plain = vec![false; params.as_ref().map_or(0, Vec::len)];
        let mut after_paste = false;
        for t in &body {
            if t.kind == Kind::Param && !after_paste && !t.has(PASTE | STRINGIFY) {
                plain[t.expansion.0 as usize] = true;
            }
            after_paste = t.has(PASTE);
        }
        Ok(Macro { name: name.text, params, variadic, body: Arc::new(body), plain, span: name.span() })
    }

    /// Parameters up to the closing parenthesis; whether the last takes any number of arguments.
    fn parameters(&mut self) -> Result<(Vec<Symbol>, bool), Box<Diagnostic>> {
        let bad =
            |token: Token, message: String| Err(Box::new(Diagnostic::error("macro-definition", token.span(), message)));
        let mut list: Vec<Symbol> = Vec::new();
        let mut seen: FxHashSet<Symbol> = FxHashSet::default();
        loop {
            let token = self.lex_raw(true);
            if token.is(sym::CLOSE) && list.is_empty() {
                return Ok((list, false));
            }
            if token.is(sym::ELLIPSIS) {
                list.push(sym::VA_ARGS);
                let close = self.lex_raw(true);
                if !close.is(sym::CLOSE) {
                    return bad(close, "expected `)` after `...`".to_string());
                }
                return Ok((list, true));
            }
            if token.kind != Kind::Name {
                return bad(token, "expected a parameter name".to_string());
            }
            if !seen.insert(token.text) {
                let name = self.names.text(token.text);
                return bad(token, format!("duplicate macro parameter `{name}`"));
            }
            list.push(token.text);
            let mut after = self.lex_raw(true);
            let named_variadic = after.is(sym::ELLIPSIS);
            if named_variadic {
                after = self.lex_raw(true);
            }
            if after.is(sym::CLOSE) {
                return Ok((list, named_variadic));
            }
            if named_variadic || !after.is(sym::COMMA) {
                return bad(after, "expected `,` or `)` in the parameter list".to_string());
            }
        }
    }

    /// Makes a definition known; a different one before it is doubtful.
    fn install(&mut self, new: Macro, name: Token) {
        let text = self.names.text(name.text).clone();
        let d = match self.definition(new.name) {
            Some(Definition::Macro(old)) if !old.same(&new) => Some(
                Diagnostic::lint(Severity::Warning, "macro-redefined", new.span, format!("`{text}` redefined"))
                    .also(old.span, "the previous definition is here")
                    .note("use `#undef` first if this is meant"),
            ),
            Some(Definition::Builtin(_)) => Some(Diagnostic::lint(
                Severity::Warning,
                "macro-redefined",
                new.span,
                format!("built-in macro `{text}` redefined"),
            )),
            _ => None,
        };
        if let Some(d) = d {
            self.say(d);
        }
        self.set_definition(new.name, Some(Definition::Macro(Arc::new(new))));
    }
}

fn lonely_paste(token: Token) -> Diagnostic {
    Diagnostic::error("macro-definition", token.span(), "`##` cannot stand at either end of a macro's text")
        .label("it joins the tokens before and after it")
}
