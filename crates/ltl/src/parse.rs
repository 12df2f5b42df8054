//! Reading formulas.
//!
//! Operator precedence with explicit stacks (Dijkstra, 1961), so that no input exhausts the call stack; time is linear
//! in the text. SPIN has two parsers of its own that disagree with each other and with the literature, hence the
//! [`Dialect`]s. A formula that another dialect would read differently gets a warning that shows the other reading.

use crate::atoms::join;
use crate::lex::{Bracket, Kind, Token, lex};
use crate::operand::Scanner;
use crate::{Atoms, Formula, Formulas, Op, print};
use ferrospin_source::{Diagnostic, Diagnostics, ExpansionId, Severity, Span};

/// Formulas nested deeper than this are refused, so that later passes may recurse.
pub const DEPTH_MAX: u32 = 500;

/// How operators bind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    /// The literature's: `U V W M` to the right, then `&&`, `||`, `xor`, `->` to the right, `<->`. Also knows
    /// `F G R M` and other spellings.
    Project,
    /// As SPIN reads `ltl` blocks: `U V W` to the left, then `&&`, `||`, then `->` and `<->` on one level to the left.
    SpinLtl,
    /// As `spin -f` reads its argument: `U V` to the left, then all Boolean connectives on one level to the left.
    SpinF,
}

impl Dialect {
    /// Level (higher binds tighter) and whether the operator associates to the right.
    fn binding(self, op: Op) -> (u8, bool) {
        match (op, self) {
            (Op::Until | Op::Release | Op::WeakUntil | Op::StrongRelease, _) => (6, self == Dialect::Project),
            (_, Dialect::SpinF) => (1, false),
            (Op::And, _) => (5, false),
            (Op::Or, _) => (4, false),
            (Op::Xor, _) => (3, false),
            (Op::Implies, Dialect::Project) => (2, true),
            (Op::Iff, Dialect::Project) => (1, false),
            _ => (2, false),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Dialect::Project => "the literature",
            Dialect::SpinLtl => "an `ltl` block of SPIN",
            Dialect::SpinF => "`spin -f`",
        }
    }
}

/// Reads a formula. `base` is the position of the first byte of `text` in the source map; spans are made with it.
///
/// New propositions are added to `atoms`. The result is `None` if the text is no formula; there is an error then.
pub fn parse(
    text: &str,
    base: u32,
    dialect: Dialect,
    formulas: &mut Formulas,
    atoms: &mut Atoms,
) -> (Option<Formula>, Diagnostics) {
    let mut diagnostics = Diagnostics::default();
    let formula = match read(text, base, dialect, formulas, atoms, &mut diagnostics) {
        Ok(f) => f,
        Err(d) => {
            diagnostics.push(*d);
            return (None, diagnostics);
        }
    };
    for other in [Dialect::Project, Dialect::SpinLtl, Dialect::SpinF] {
        if other == dialect {
            continue;
        }
        // Propositions that only the other reading has must not stay.
        let mut scratch = atoms.clone();
        let reading = read(text, base, other, formulas, &mut scratch, &mut Diagnostics::default());
        if let Ok(g) = reading
            && g != formula
            && scratch.len() == atoms.len()
        {
            let span = Span { lo: base, hi: base + text.len() as u32, expansion: ExpansionId::NONE };
            let message = format!("{} reads this formula differently", other.name());
            diagnostics.push(
                Diagnostic::lint(Severity::Warning, "ltl-reading", span, message)
                    .note(format!("read here as `{}`", print(formulas, formula, atoms, dialect)))
                    .note(format!("{} reads `{}`", other.name(), print(formulas, g, atoms, dialect)))
                    .note("parentheses make the meaning certain"),
            );
        }
    }
    (Some(formula), diagnostics)
}

/// An operand that is complete, or a conjunction or disjunction that may still grow.
enum Value {
    Formula(Formula),
    List(Op, Vec<Formula>),
}

pub(crate) enum Pending {
    /// A prefix operator and how often it applies; a range for `F[a:b]` and `G[a:b]`.
    Prefix(Op, Option<(u32, u32)>, usize),
    Binary(Op, usize),
    Open(usize),
}

pub(crate) struct Parser<'a> {
    pub(crate) text: &'a str,
    pub(crate) tokens: &'a [Token],
    base: u32,
    pub(crate) dialect: Dialect,
    formulas: &'a mut Formulas,
    atoms: &'a mut Atoms,
    values: Vec<Value>,
    pub(crate) pending: Vec<Pending>,
}

pub(crate) type Error = Box<Diagnostic>;

fn read(
    text: &str,
    base: u32,
    dialect: Dialect,
    formulas: &mut Formulas,
    atoms: &mut Atoms,
    diagnostics: &mut Diagnostics,
) -> Result<Formula, Error> {
    let tokens = lex(text, dialect);
    let mut p =
        Parser { text, tokens: &tokens, base, dialect, formulas, atoms, values: Vec::new(), pending: Vec::new() };
    p.check_tokens()?;
    let mut scanner = Scanner::new(text, &tokens, dialect).map_err(|u| p.unbalanced(u))?;
    p.run(&mut scanner, diagnostics)
}

impl Parser<'_> {
    pub(crate) fn span(&self, from: usize, to: usize) -> Span {
        let (lo, hi) = (self.tokens[from].lo as u32, self.tokens[to - 1].hi as u32);
        Span { lo: self.base + lo, hi: self.base + hi.max(lo), expansion: ExpansionId::NONE }
    }

    pub(crate) fn source(&self, at: usize) -> &str {
        &self.text[self.tokens[at].lo..self.tokens[at].hi]
    }

    pub(crate) fn error(&self, code: &'static str, at: usize, message: impl Into<String>) -> Error {
        Box::new(Diagnostic::error(code, self.span(at, at + 1), message))
    }

    fn run(&mut self, scanner: &mut Scanner<'_>, diagnostics: &mut Diagnostics) -> Result<Formula, Error> {
        let mut at = 0;
        loop {
            at = self.operand(at, scanner, diagnostics)?;
            loop {
                let kind = self.tokens[at].kind;
                if let Some(op) = self.binary(at) {
                    self.reduce(Some(op))?;
                    self.pending.push(Pending::Binary(op, at));
                    at += 1;
                    break;
                }
                match kind {
                    Kind::Close(_) => {
                        self.reduce(None)?;
                        // The scanner has paired all brackets, so the top is the opening one.
                        self.pending.pop();
                        at += 1;
                    }
                    Kind::End => {
                        self.reduce(None)?;
                        let value = self.values.pop().expect("one operand is left");
                        assert!(self.values.is_empty() && self.pending.is_empty(), "all operators were applied");
                        return self.close(value, 0);
                    }
                    Kind::Semicolon | Kind::Open(Bracket::Square) => return Err(self.sere(at)),
                    _ => {
                        let message = format!("expected an operator before `{}`", self.source(at));
                        let mut d = Diagnostic::error("ltl-syntax", self.span(at, at + 1), message);
                        if self.dialect != Dialect::Project
                            && matches!(self.source(at), "R" | "M" | "xor" | "and" | "or")
                        {
                            d = d.note(format!("`{}` is an operator only in the project dialect", self.source(at)));
                        }
                        return Err(Box::new(d));
                    }
                }
            }
        }
    }

    /// The binary operator at a token, if it is one.
    fn binary(&self, at: usize) -> Option<Op> {
        Some(match self.tokens[at].kind {
            Kind::And => Op::And,
            Kind::Or => Op::Or,
            Kind::Xor => Op::Xor,
            Kind::Implies => Op::Implies,
            Kind::Iff => Op::Iff,
            Kind::Until => Op::Until,
            Kind::Release => Op::Release,
            Kind::WeakUntil => Op::WeakUntil,
            Kind::StrongRelease => Op::StrongRelease,
            Kind::Shared if self.dialect == Dialect::Project => match self.source(at) {
                "&" | "*" => Op::And,
                "|" | "+" => Op::Or,
                _ => Op::Xor,
            },
            _ => return None,
        })
    }

    /// Reads prefix operators, opening parentheses and one proposition; returns the token after it.
    fn operand(
        &mut self,
        mut at: usize,
        scanner: &mut Scanner<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Result<usize, Error> {
        loop {
            let kind = self.tokens[at].kind;
            match scanner.scan(at) {
                Some(scan) if scan.opaque => {
                    self.check_arithmetic(at, scan.end, scanner)?;
                    if scan.operators {
                        self.warn_prefix(at, scan.end, diagnostics);
                    }
                    let formula = self.constant(at, scan.end).unwrap_or_else(|| self.atom(at, scan.end));
                    self.values.push(Value::Formula(formula));
                    return Ok(scan.end);
                }
                _ => {}
            }
            let op = match kind {
                Kind::Not | Kind::Tilde => Op::Not,
                Kind::Always => Op::Always,
                Kind::Eventually => Op::Eventually,
                Kind::Next => Op::Next,
                Kind::Open(Bracket::Round) if self.tokens[at + 1].kind == Kind::Close(Bracket::Round) => {
                    at += 1;
                    Op::Next
                }
                Kind::Open(Bracket::Round) => {
                    self.pending.push(Pending::Open(at));
                    at += 1;
                    continue;
                }
                Kind::Open(Bracket::Curly) => {
                    let end = scanner.after(at);
                    if let Some(i) = (at..end).find(|&i| self.tokens[i].kind == Kind::Semicolon) {
                        return Err(self.sere(i));
                    }
                    if end == at + 2 {
                        return Err(self.error("ltl-syntax", at, "there is no expression between these braces"));
                    }
                    let formula = self.atom(at + 1, end - 1);
                    self.values.push(Value::Formula(formula));
                    return Ok(end);
                }
                Kind::Quoted => {
                    let formula = self.quoted(at)?;
                    self.values.push(Value::Formula(formula));
                    return Ok(at + 1);
                }
                _ => return Err(self.missing_operand(at)),
            };
            let (range, after) = if op == Op::Not { (None, at + 1) } else { self.range(op, at + 1)? };
            self.pending.push(Pending::Prefix(op, range, at));
            at = after;
        }
    }

    /// Reads `[n]` or `[n:m]` after `X`, `F` or `G`.
    fn range(&self, op: Op, at: usize) -> Result<(Option<(u32, u32)>, usize), Error> {
        let kind = |i: usize| self.tokens.get(at + i).map_or(Kind::End, |t| t.kind);
        if kind(0) != Kind::Open(Bracket::Square) {
            return Ok((None, at));
        }
        let number = |i: usize| match self.source(at + i).parse::<u32>() {
            Ok(n) if n <= DEPTH_MAX => Ok(n),
            _ => Err(self.error("ltl-depth", at + i, format!("expected a number up to {DEPTH_MAX}"))),
        };
        let close = Kind::Close(Bracket::Square);
        match (op, kind(1), kind(2), kind(3), kind(4)) {
            (Op::Next, Kind::Number, c, ..) if c == close => Ok((Some((number(1)?, number(1)?)), at + 3)),
            (Op::Eventually | Op::Always, Kind::Number, Kind::Colon, Kind::Number, c) if c == close => {
                let (from, to) = (number(1)?, number(3)?);
                if from > to {
                    return Err(self.error("ltl-syntax", at + 1, "the first bound is greater than the second"));
                }
                Ok((Some((from, to)), at + 5))
            }
            (Op::Next, ..) => Err(self.error("ltl-syntax", at, "expected a number of steps, as in `X[3] p`")),
            _ => Err(self.error("ltl-syntax", at, "expected two bounds, as in `F[2:5] p`")),
        }
    }

    fn check_arithmetic(&self, from: usize, to: usize, scanner: &Scanner<'_>) -> Result<(), Error> {
        if !scanner.temporal(from, to) {
            return Ok(());
        }
        let d = Diagnostic::error("ltl-syntax", self.span(from, to), "a temporal operator inside a Promela expression")
            .note("comparisons and arithmetic bind tighter than temporal operators; a formula has no number");
        Err(Box::new(d))
    }

    /// Constants and numbers that stand alone.
    fn constant(&self, from: usize, to: usize) -> Option<Formula> {
        if to != from + 1 {
            return None;
        }
        match self.tokens[from].kind {
            Kind::True => Some(Formulas::TRUE),
            Kind::False => Some(Formulas::FALSE),
            Kind::Number if self.source(from).bytes().all(|b| b == b'0') => Some(Formulas::FALSE),
            Kind::Number => Some(Formulas::TRUE),
            _ => None,
        }
    }

    fn atom(&mut self, from: usize, to: usize) -> Formula {
        let text = join(self.text, &self.tokens[from..to]);
        let id = self.atoms.add(&text, self.span(from, to));
        self.formulas.atom(id)
    }

    fn quoted(&mut self, at: usize) -> Result<Formula, Error> {
        let source = self.source(at);
        let mut text = String::new();
        let mut chars = source[1..source.len() - 1].chars();
        while let Some(c) = chars.next() {
            text.push(if c == '\\' { chars.next().unwrap_or('\\') } else { c });
        }
        let text = text.trim();
        if text.is_empty() {
            return Err(self.error("ltl-syntax", at, "a proposition cannot be empty"));
        }
        let id = self.atoms.add(text, self.span(at, at + 1));
        Ok(self.formulas.atom(id))
    }

    /// Applies pending operators that bind at least as tight as `next`; all down to a parenthesis if there is none.
    fn reduce(&mut self, next: Option<Op>) -> Result<(), Error> {
        loop {
            match (self.pending.last(), next) {
                (None | Some(Pending::Open(_)), _) => return Ok(()),
                (Some(&Pending::Binary(op, _)), Some(next)) => {
                    let (level, _) = self.dialect.binding(op);
                    let (next_level, right) = self.dialect.binding(next);
                    if level < next_level || (level == next_level && right) {
                        return Ok(());
                    }
                }
                _ => {}
            }
            match self.pending.pop() {
                Some(Pending::Prefix(op, range, at)) => self.apply_prefix(op, range, at)?,
                Some(Pending::Binary(op, at)) => self.apply_binary(op, at)?,
                _ => unreachable!("an operator is pending"),
            }
        }
    }

    fn apply_prefix(&mut self, op: Op, range: Option<(u32, u32)>, at: usize) -> Result<(), Error> {
        let value = self.values.pop().expect("a prefix operator follows its operand here");
        let f = self.close(value, at)?;
        let mut result = f;
        match range {
            None => result = self.formulas.apply(op, &[f]),
            Some((from, to)) => {
                for _ in from..to {
                    let later = self.formulas.next(result);
                    let join = if op == Op::Eventually { Op::Or } else { Op::And };
                    result = self.formulas.apply(join, &[f, later]);
                }
                for _ in 0..from {
                    result = self.formulas.next(result);
                }
            }
        }
        self.values.push(Value::Formula(result));
        self.check_depth(result, at)
    }

    fn apply_binary(&mut self, op: Op, at: usize) -> Result<(), Error> {
        let right = self.values.pop().expect("a right operand was read");
        let left = self.values.pop().expect("a left operand was read");
        if matches!(op, Op::And | Op::Or) {
            let mut list = self.list(op, left, at)?;
            let mut other = self.list(op, right, at)?;
            // Appending the shorter to the longer keeps long chains linear, however they are nested.
            if list.len() < other.len() {
                std::mem::swap(&mut list, &mut other);
            }
            list.append(&mut other);
            self.values.push(Value::List(op, list));
            return Ok(());
        }
        let (f, g) = (self.close(left, at)?, self.close(right, at)?);
        let result = self.formulas.apply(op, &[f, g]);
        self.values.push(Value::Formula(result));
        self.check_depth(result, at)
    }

    fn list(&mut self, op: Op, value: Value, at: usize) -> Result<Vec<Formula>, Error> {
        match value {
            Value::List(o, list) if o == op => Ok(list),
            other => Ok(vec![self.close(other, at)?]),
        }
    }

    fn close(&mut self, value: Value, at: usize) -> Result<Formula, Error> {
        let f = match value {
            Value::Formula(f) => f,
            Value::List(op, list) => self.formulas.apply(op, &list),
        };
        self.check_depth(f, at)?;
        Ok(f)
    }

    fn check_depth(&self, f: Formula, at: usize) -> Result<(), Error> {
        if self.formulas.depth(f) > DEPTH_MAX {
            return Err(self.error(
                "ltl-depth",
                at,
                format!("the formula is nested deeper than {DEPTH_MAX} operators"),
            ));
        }
        Ok(())
    }
}
