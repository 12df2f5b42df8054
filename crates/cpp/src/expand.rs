//! Macro expansion, with the algorithm of GNU cpp.
//!
//! Text that replaces a macro is pushed as a [`Context`]; while a context is on the stack its macro is disabled, and a
//! name met while disabled is painted and never expanded again. Where gcc recurses to expand an argument before it is
//! substituted, a [`Call`] is pushed instead that collects the tokens, so that nesting costs memory and not stack.
//! Paddings mark the seams of expansions; the printer turns them into spaces where gcc does.

use super::call::Argument;
use super::define::{Definition, Macro};
use super::dialect::is_has_operator;
use super::limits;
use super::state::{Mode, Preprocessor};
use super::token::{Kind, MADE, PAINTED, PASTE, Symbol, Token, sym};
use ferrospin_source::{Expansion, ExpansionId, ExpansionKind, Span};
use std::sync::Arc;

/// Tokens that are read before the rest of the input.
#[derive(Debug)]
pub(super) struct Context {
    pub(super) tokens: Arc<Vec<Token>>,
    pub(super) position: usize,
    /// The macro these tokens replace, disabled as long as they are read.
    name: Option<Symbol>,
    /// Where the tokens of a shared macro body are to be placed.
    placement: Placement,
    /// The end of these tokens is an end of text.
    barrier: bool,
    /// Tokens counted as live on its account.
    weight: usize,
}

/// How text of a macro body gets its position.
#[derive(Clone, Copy, Debug)]
pub(super) enum Placement {
    /// As it is.
    Keep,
    /// Spelled in the definition, came through this expansion.
    Through(ExpansionId),
    /// At the use: too many expansions were recorded.
    At(Span),
}

impl Placement {
    /// Gives a token of a macro body its position.
    pub(super) fn place(self, token: &mut Token) {
        match self {
            Placement::Keep => {}
            Placement::Through(id) => token.expansion = id,
            Placement::At(span) => {
                (token.lo, token.hi, token.expansion) = (span.lo, span.hi, span.expansion);
                token.flags |= MADE;
            }
        }
    }
}

/// A macro call whose arguments are being expanded.
#[derive(Debug)]
pub(super) struct Call {
    name: Token,
    definition: Arc<Macro>,
    placement: Placement,
    pub(super) arguments: Vec<Argument>,
    /// The argument that is being expanded.
    current: usize,
    /// Its expansion so far.
    collected: Vec<Token>,
    weight: usize,
}

impl Preprocessor<'_> {
    /// The next token of the expanded text, paddings included; `base` is the number of calls that belong to others.
    pub(super) fn next(&mut self, base: usize) -> Token {
        loop {
            let mut token = self.get(true);
            if self.stopped {
                self.calls.truncate(base);
                return Token::bare(Kind::Eof);
            }
            if self.calls.len() == base {
                return token;
            }
            if token.kind == Kind::Eof {
                let Some(padding) = self.argument_done() else { continue };
                token = padding;
                if self.calls.len() == base {
                    return token;
                }
            }
            self.calls.last_mut().expect("above the base").collected.push(token);
            self.grow_live(1);
        }
    }

    /// Expands `tokens` on their own.
    pub(super) fn expand_all(&mut self, tokens: Vec<Token>) -> Vec<Token> {
        let mode = std::mem::replace(&mut self.mode, Mode::Text);
        let base = self.calls.len();
        let depth = self.contexts.len();
        self.push_context(Arc::new(tokens), None, Placement::Keep, true, 0);
        let mut out = Vec::new();
        loop {
            let token = self.next(base);
            match token.kind {
                Kind::Eof => break,
                Kind::Padding => {}
                _ => out.push(token),
            }
        }
        while self.contexts.len() > depth {
            self.pop_context();
        }
        self.mode = mode;
        out
    }

    /// One token; with `expand`, a macro name is replaced by pushing its text. gcc's `cpp_get_token`.
    pub(super) fn get(&mut self, expand: bool) -> Token {
        loop {
            if self.stopped {
                return Token::bare(Kind::Eof);
            }
            let direct = self.contexts.is_empty();
            let mut token = match self.contexts.last_mut() {
                None => self.lex_token(),
                Some(context) => match context.tokens.get(context.position) {
                    Some(&token) => {
                        context.position += 1;
                        let mut token = token;
                        context.placement.place(&mut token);
                        self.step(1, token);
                        if token.has(PASTE) {
                            self.paste_all(token);
                            return Token::padding(token);
                        }
                        token
                    }
                    None if context.barrier => return Token::bare(Kind::Eof),
                    None => {
                        self.pop_context();
                        return Token::bare(Kind::Padding);
                    }
                },
            };
            if token.kind != Kind::Name || token.has(PAINTED) {
                return token;
            }
            let is_operator = matches!(token.text, sym::DEFINED | sym::HAS_INCLUDE)
                || (self.dialect.is_some() && is_has_operator(token.text));
            if self.in_condition && expand && is_operator {
                return self.condition_operator(token);
            }
            let Some(definition) = self.definition(token.text) else { return token };
            if self.disabled.get(token.text.0 as usize).is_some_and(|&n| n > 0) {
                token.flags |= PAINTED;
                return token;
            }
            if !expand {
                return token;
            }
            let definition = definition.clone();
            self.step(limits::STEPS_OF_EXPANSION, token);
            if direct {
                self.use_line = self.line;
            }
            match definition {
                Definition::Builtin(builtin) => {
                    let made = self.builtin(builtin, token);
                    self.push_context(Arc::new(vec![made]), None, Placement::Keep, false, 0);
                    return Token::padding(token);
                }
                Definition::Macro(definition) if definition.params.is_none() => {
                    let placement = self.placement(&definition, token.span());
                    self.push_context(definition.body.clone(), Some(token.text), placement, false, 0);
                    return Token::padding(token);
                }
                Definition::Macro(definition) => match self.call(definition, token) {
                    CallOutcome::NotACall => return token,
                    CallOutcome::Entered => return Token::padding(token),
                    CallOutcome::Pending => {}
                },
            }
        }
    }

    /// A function-like macro was named: reads its arguments, if they follow.
    fn call(&mut self, definition: Arc<Macro>, name: Token) -> CallOutcome {
        if !self.open_parenthesis() {
            return CallOutcome::NotACall;
        }
        let Some((arguments, close)) = self.collect_arguments(&definition, name) else {
            return CallOutcome::NotACall;
        };
        let mut site = name.span();
        if close.expansion == name.expansion && self.map.file_of(close.lo) == self.map.file_of(name.lo) {
            site.lo = site.lo.min(close.lo);
            site.hi = site.hi.max(close.hi);
        }
        let placement = self.placement(&definition, site);
        let weight = arguments.iter().map(|a| a.raw.len()).sum();
        self.grow_live(weight);
        self.calls.push(Call { name, definition, placement, arguments, current: 0, collected: Vec::new(), weight });
        if self.start_argument() { CallOutcome::Pending } else { CallOutcome::Entered }
    }

    /// Starts to expand the next argument of the innermost call that needs it; without any, replaces the call by its
    /// text and returns false.
    fn start_argument(&mut self) -> bool {
        let call = self.calls.last_mut().expect("a call is pending");
        while let Some(argument) = call.arguments.get_mut(call.current) {
            if call.definition.plain[call.current] {
                let has_macro =
                    |t: &Token| t.kind == Kind::Name && self.macros.get(t.text.0 as usize).is_some_and(|m| m.is_some());
                if argument.raw.iter().any(has_macro) {
                    let raw = argument.raw.clone();
                    self.push_context(raw, None, Placement::Keep, true, 0);
                    return true;
                }
                argument.expanded = Some(argument.raw.clone());
            }
            call.current += 1;
        }
        let call = self.calls.pop().expect("a call is pending");
        let tokens = self.substitute(&call.definition, &call.arguments, call.placement);
        self.live_tokens -= call.weight;
        let weight = tokens.len();
        self.grow_live(weight);
        self.push_context(Arc::new(tokens), Some(call.definition.name), Placement::Keep, false, weight);
        false
    }

    /// The innermost call's current argument is expanded. If it was the last, the call is replaced and the padding that
    /// stands for its name is returned.
    fn argument_done(&mut self) -> Option<Token> {
        self.pop_context();
        let call = self.calls.last_mut().expect("a call is pending");
        let collected = std::mem::take(&mut call.collected);
        call.weight += collected.len();
        let current = call.current;
        call.arguments[current].expanded = Some(Arc::new(collected));
        call.current += 1;
        let name = call.name;
        (!self.start_argument()).then(|| Token::padding(name))
    }

    /// Records the expansion of `definition` used at `site`, and says how its text is to be placed.
    fn placement(&mut self, definition: &Macro, site: Span) -> Placement {
        if definition.body.is_empty() {
            return Placement::Keep;
        }
        if self.map.expansion_count() >= limits::EXPANSIONS_MAX {
            return Placement::At(site);
        }
        let name = self.names.text(definition.name).clone();
        Placement::Through(self.map.add_expansion(Expansion { kind: ExpansionKind::Macro, name, call_site: site }))
    }

    pub(super) fn push_context(
        &mut self,
        tokens: Arc<Vec<Token>>,
        name: Option<Symbol>,
        placement: Placement,
        barrier: bool,
        weight: usize,
    ) {
        if let Some(name) = name {
            if self.disabled.len() <= name.0 as usize {
                self.disabled.resize(self.names.len(), 0);
            }
            self.disabled[name.0 as usize] += 1;
        }
        self.contexts.push(Context { tokens, position: 0, name, placement, barrier, weight });
    }

    fn pop_context(&mut self) {
        if let Some(context) = self.contexts.pop() {
            if let Some(name) = context.name {
                self.disabled[name.0 as usize] -= 1;
            }
            self.live_tokens -= context.weight;
        }
    }

    /// Counts work.
    pub(super) fn step(&mut self, count: usize, at: Token) {
        self.steps += count;
        if self.steps > limits::STEPS_MAX {
            self.stop(at.span(), "macro expansion does not seem to end", "too many tokens were moved");
        }
    }

    fn grow_live(&mut self, count: usize) {
        self.live_tokens += count;
        if self.live_tokens > limits::LIVE_TOKENS_MAX {
            let span = self.calls.first().map_or(Span::NONE, |c| c.name.span());
            self.stop(span, "macro calls are nested too deeply", "more than 8 million tokens are being expanded");
        }
    }
}

/// What became of the name of a function-like macro.
enum CallOutcome {
    NotACall,
    /// Its text is pushed.
    Entered,
    /// An argument is being expanded first.
    Pending,
}
