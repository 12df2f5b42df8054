//! The integer expressions of `#if` and `#elif`.
//!
//! Operator precedence with two explicit stacks, as in Dijkstra's shunting yard (1961): no depth of parentheses makes it
//! recurse. What `&&`, `||` and `?:` leave out is still parsed but says nothing about division by zero.

use super::constant::{Value, operand};
use super::dialect::has;
use super::include::Style;
use super::state::Preprocessor;
use super::token::{Kind, PAINTED, Symbol, Token, sym};
use ferrospin_source::{Diagnostic, Span};

/// What waits on the stack of operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    Open,
    Unary(u8),
    /// An operator and its precedence.
    Binary(&'static str, u8),
    Query,
    Colon,
}

const BINARY: [(&str, u8); 19] = [
    (",", 1),
    ("||", 3),
    ("&&", 4),
    ("|", 5),
    ("^", 6),
    ("&", 7),
    ("==", 8),
    ("!=", 8),
    ("<", 9),
    (">", 9),
    ("<=", 9),
    (">=", 9),
    ("<<", 10),
    (">>", 10),
    ("+", 11),
    ("-", 11),
    ("*", 12),
    ("/", 12),
    ("%", 12),
];

/// Why an expression has no value.
type Trouble = (Span, String);

struct Evaluator {
    values: Vec<Value>,
    ops: Vec<(Op, Span)>,
    /// How many operators around the current place leave it out.
    idle: u32,
}

impl Preprocessor<'_> {
    /// The condition on the rest of the line; false after a message.
    pub(super) fn condition(&mut self, word: Token) -> bool {
        let mut tokens = Vec::new();
        loop {
            let token = self.lex_raw(true);
            if token.kind == Kind::Eof {
                break;
            }
            tokens.push(token);
        }
        let was = std::mem::replace(&mut self.in_condition, true);
        let tokens = self.expand_all(tokens);
        self.in_condition = was;
        if self.stopped {
            return false;
        }
        let text = self.names.text(word.text);
        if tokens.is_empty() {
            let message = format!("`#{text}` with no expression");
            self.say(Diagnostic::error("condition-syntax", word.span(), message));
            return false;
        }
        match self.evaluate(&tokens, word) {
            Ok(value) => value.truth(),
            Err((span, message)) => {
                self.say(Diagnostic::error("condition-syntax", span, message));
                false
            }
        }
    }

    /// `defined NAME`, `defined(NAME)`, `__has_include(...)`: a number; the operands are not expanded.
    pub(super) fn condition_operator(&mut self, operator: Token) -> Token {
        let answer = match operator.text {
            sym::DEFINED => self.defined().map(u32::from),
            sym::HAS_INCLUDE | sym::HAS_INCLUDE_NEXT => self.has_include(operator.text).map(u32::from),
            _ => self.has_name(operator.text),
        };
        match answer {
            Some(value) => {
                let text = self.names.intern(&value.to_string());
                Token { kind: Kind::Number, text, ..operator }
            }
            None => {
                // Left as it is, it is a syntax error in the expression.
                Token { flags: operator.flags | PAINTED, ..operator }
            }
        }
    }

    fn raw(&mut self) -> Token {
        loop {
            let token = self.get(false);
            if token.kind != Kind::Padding {
                return token;
            }
        }
    }

    fn defined(&mut self) -> Option<bool> {
        let mut name = self.raw();
        let parenthesis = name.is(sym::OPEN);
        if parenthesis {
            name = self.raw();
        }
        if name.kind != Kind::Name || (parenthesis && !self.raw().is(sym::CLOSE)) {
            return None;
        }
        Some(self.is_defined(name.text))
    }

    /// `__has_attribute(name)` and its kind; a scope before the name, as in `gnu::packed`, does not count.
    fn has_name(&mut self, operator: Symbol) -> Option<u32> {
        if !self.raw().is(sym::OPEN) {
            return None;
        }
        let mut name = None;
        loop {
            let token = self.raw();
            match token.kind {
                Kind::Punct if token.is(sym::CLOSE) => break,
                Kind::Eof => return None,
                Kind::Name => name = Some(token.text),
                _ => {}
            }
        }
        Some(has(operator, self.names.text(name?)))
    }

    fn has_include(&mut self, operator: Symbol) -> Option<bool> {
        if !self.raw().is(sym::OPEN) {
            return None;
        }
        let mut tokens = Vec::new();
        loop {
            let token = self.raw();
            if token.is(sym::CLOSE) {
                break;
            }
            if token.kind == Kind::Eof {
                return None;
            }
            tokens.push(token);
        }
        let name = self.header_of(&tokens)?;
        let style = match operator {
            sym::HAS_INCLUDE_NEXT => Style::Next,
            _ if tokens[0].kind == Kind::String => Style::Quoted,
            _ => Style::Angled,
        };
        Some(self.try_load(&name, style).is_ok())
    }

    fn evaluate(&self, tokens: &[Token], word: Token) -> Result<Value, Trouble> {
        let mut e = Evaluator { values: Vec::new(), ops: Vec::new(), idle: 0 };
        let mut want_value = true;
        for token in tokens {
            let text = &**self.names.text(token.text);
            let span = token.span();
            if want_value {
                match (token.kind, text) {
                    (Kind::Punct, "(") => e.ops.push((Op::Open, span)),
                    (Kind::Punct, "+" | "-" | "~" | "!") => e.ops.push((Op::Unary(text.as_bytes()[0]), span)),
                    (Kind::Number | Kind::Char | Kind::Name, _) => {
                        e.values.push(operand(token.kind, text).map_err(|m| (span, m))?);
                        want_value = false;
                    }
                    (Kind::Punct, _) => return Err((span, format!("operator `{text}` has no left operand"))),
                    _ => return Err((span, format!("`{text}` is not valid in a preprocessor expression"))),
                }
                continue;
            }
            match (token.kind, text) {
                (Kind::Punct, ")") => {
                    e.reduce_to(|op| op == Op::Open)?;
                    if e.ops.pop().is_none() {
                        return Err((span, "missing `(` in the expression".to_string()));
                    }
                }
                (Kind::Punct, "?") => {
                    e.reduce_to(|op| !matches!(op, Op::Unary(_)) && precedence(op) <= 2)?;
                    e.idle += u32::from(!e.top().truth());
                    e.ops.push((Op::Query, span));
                    want_value = true;
                }
                (Kind::Punct, ":") => {
                    e.reduce_to(|op| matches!(op, Op::Open | Op::Query))?;
                    let Some((Op::Query, _)) = e.ops.pop() else {
                        return Err((span, "`:` without preceding `?`".to_string()));
                    };
                    let chosen = e.values[e.values.len() - 2].truth();
                    e.idle = e.idle - u32::from(!chosen) + u32::from(chosen);
                    e.ops.push((Op::Colon, span));
                    want_value = true;
                }
                _ => {
                    let found = BINARY.iter().find(|(t, _)| token.kind == Kind::Punct && *t == text);
                    let Some(&(name, level)) = found else {
                        return Err((span, format!("missing binary operator before `{text}`")));
                    };
                    // An operand of a conditional may hold a comma only between `?` and `:`.
                    e.reduce_to(|op| precedence(op) < level || op == Op::Query)?;
                    let left = e.top().truth();
                    e.idle += u32::from((name == "&&" && !left) || (name == "||" && left));
                    e.ops.push((Op::Binary(name, level), span));
                    want_value = true;
                }
            }
        }
        if want_value {
            let span = e.ops.last().map_or(word.span(), |o| o.1);
            return Err((span, "the expression ends where a value is expected".to_string()));
        }
        e.reduce_to(|op| matches!(op, Op::Open | Op::Query))?;
        match e.ops.pop() {
            Some((Op::Open, span)) => Err((span, "missing `)` in the expression".to_string())),
            Some((_, span)) => Err((span, "`?` without following `:`".to_string())),
            None => Ok(e.top()),
        }
    }
}

fn precedence(op: Op) -> u8 {
    match op {
        Op::Open => 0,
        Op::Binary(_, level) => level,
        Op::Query | Op::Colon => 2,
        Op::Unary(_) => 13,
    }
}

impl Evaluator {
    fn top(&self) -> Value {
        *self.values.last().expect("a value came before the operator")
    }

    /// Applies operators from the top of the stack until `stop` says so.
    fn reduce_to(&mut self, stop: impl Fn(Op) -> bool) -> Result<(), Trouble> {
        while let Some(&(op, span)) = self.ops.last() {
            if stop(op) {
                break;
            }
            match op {
                Op::Open => return Err((span, "missing `)` in the expression".to_string())),
                Op::Query => return Err((span, "`?` without following `:`".to_string())),
                _ => {}
            }
            self.ops.pop();
            let right = self.values.pop().expect("operators have operands");
            let value = match op {
                Op::Unary(b'-') => Value { bits: right.bits.wrapping_neg(), ..right },
                Op::Unary(b'~') => Value { bits: !right.bits, ..right },
                Op::Unary(b'!') => Value::of(!right.truth()),
                Op::Colon => {
                    let first = self.values.pop().expect("operators have operands");
                    let chosen = self.values.pop().expect("operators have operands").truth();
                    self.idle -= u32::from(chosen);
                    let value = if chosen { first } else { right };
                    Value { unsigned: first.unsigned || right.unsigned, ..value }
                }
                Op::Binary(name, _) => {
                    let left = self.values.pop().expect("operators have operands");
                    if (name == "&&" && !left.truth()) || (name == "||" && left.truth()) {
                        self.idle -= 1;
                    }
                    match binary(name, left, right) {
                        Some(value) => value,
                        None if self.idle > 0 => Value::of(false),
                        None => return Err((span, "division by zero in the expression".to_string())),
                    }
                }
                _ => right,
            };
            self.values.push(value);
        }
        Ok(())
    }
}

/// The value of a binary operation, `None` for division by zero.
fn binary(name: &str, a: Value, b: Value) -> Option<Value> {
    let unsigned = a.unsigned || b.unsigned;
    let arithmetic = |bits: i64| Value { bits, unsigned };
    let (ua, ub) = (a.bits as u64, b.bits as u64);
    let less = |a: Value, b: Value| if unsigned { (a.bits as u64) < b.bits as u64 } else { a.bits < b.bits };
    Some(match name {
        "," => b,
        "||" => Value::of(a.truth() || b.truth()),
        "&&" => Value::of(a.truth() && b.truth()),
        "|" => arithmetic(a.bits | b.bits),
        "^" => arithmetic(a.bits ^ b.bits),
        "&" => arithmetic(a.bits & b.bits),
        "==" => Value::of(a.bits == b.bits),
        "!=" => Value::of(a.bits != b.bits),
        "<" => Value::of(less(a, b)),
        ">" => Value::of(less(b, a)),
        "<=" => Value::of(!less(b, a)),
        ">=" => Value::of(!less(a, b)),
        "<<" => shift(a, b, true),
        ">>" => shift(a, b, false),
        "+" => arithmetic(a.bits.wrapping_add(b.bits)),
        "-" => arithmetic(a.bits.wrapping_sub(b.bits)),
        "*" => arithmetic(a.bits.wrapping_mul(b.bits)),
        _ if b.bits == 0 => return None,
        "/" if unsigned => arithmetic((ua / ub) as i64),
        "/" => arithmetic(a.bits.wrapping_div(b.bits)),
        _ if unsigned => arithmetic((ua % ub) as i64),
        _ => arithmetic(a.bits.wrapping_rem(b.bits)),
    })
}

/// A shift; a negative count shifts the other way, one beyond the width shifts everything out.
fn shift(a: Value, b: Value, left: bool) -> Value {
    let backwards = !b.unsigned && b.bits < 0;
    let count = if backwards { b.bits.unsigned_abs() } else { b.bits as u64 };
    let bits = match (left != backwards, count) {
        (true, 64..) => 0,
        (true, n) => a.bits << n,
        (false, n) if a.unsigned => (a.bits as u64).checked_shr(n.min(64) as u32).unwrap_or(0) as i64,
        (false, n) => a.bits >> n.min(63),
    };
    Value { bits, ..a }
}
