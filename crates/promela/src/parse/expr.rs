//! Expressions and formulas.
//!
//! Precedence climbing over one table. `full`, `empty` and their negations may only be joined by `&&` and `||`: an
//! expression that contains one is a *probe*, and where a plain expression is needed it is an error. That is SPIN's
//! rule, which keeps partial-order reduction sound.
//!
//! `[]`, `<>` and `X` reach over arithmetic and comparisons: `[] x == 1` is `[] (x == 1)`. In SPIN's grammar they bind tighter,
//! but nothing can be computed with what they give.

use super::tokens::{Tok, Token};
use super::{Parsed, Parser};
use crate::ast::*;
use ferrospin_source::Diagnostic;

/// An operator with two operands.
pub(super) enum Infix {
    Plain(BinaryOp),
    Temporal(TemporalBinary),
    /// `f M g`, which is `g U (f && g)`.
    StrongRelease,
}

/// Binding strength, larger is tighter, and the operator. All associate to the left.
pub(super) fn infix(tok: Tok) -> Option<(u8, Infix)> {
    use BinaryOp as B;
    use TemporalBinary as T;
    let plain = |p, op| Some((p, Infix::Plain(op)));
    let temporal = |p, op| Some((p, Infix::Temporal(op)));
    match tok {
        Tok::Implies => temporal(1, T::Implies),
        Tok::Equivalent => temporal(1, T::Equivalent),
        Tok::OrOr => plain(2, B::Or),
        Tok::AndAnd => plain(3, B::And),
        Tok::Until => temporal(UNTIL, T::Until),
        Tok::WeakUntil => temporal(UNTIL, T::WeakUntil),
        Tok::Release => temporal(UNTIL, T::Release),
        Tok::StrongRelease => Some((UNTIL, Infix::StrongRelease)),
        Tok::Bar => plain(5, B::BitOr),
        Tok::Caret => plain(6, B::BitXor),
        Tok::Amp => plain(7, B::BitAnd),
        Tok::EqEq => plain(8, B::Eq),
        Tok::NotEq => plain(8, B::Ne),
        Tok::Gt => plain(9, B::Gt),
        Tok::Lt => plain(9, B::Lt),
        Tok::Ge => plain(9, B::Ge),
        Tok::Le => plain(9, B::Le),
        Tok::Shl => plain(10, B::Shl),
        Tok::Shr => plain(10, B::Shr),
        Tok::Plus => plain(11, B::Add),
        Tok::Minus => plain(11, B::Sub),
        Tok::Star => plain(12, B::Mul),
        Tok::Slash => plain(12, B::Div),
        Tok::Percent => plain(12, B::Rem),
        _ => None,
    }
}

/// How tightly `U` binds; `[]`, `<>` and `X` reach over whatever binds tighter.
const UNTIL: u8 = 4;

/// An expression with whether it is a probe.
pub(super) struct Operand {
    expr: Expr,
    probe: bool,
}

impl Operand {
    fn plain(expr: Expr) -> Self {
        Operand { expr, probe: false }
    }
}

impl<'a> Parser<'a> {
    /// An expression without `full` and the like.
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        let operand = self.climb(0)?;
        self.plain(operand, "here")
    }

    /// An expression in which `full` and the like may stand.
    pub(super) fn full_expr(&mut self) -> Parsed<Expr> {
        Ok(self.climb(0)?.expr)
    }

    /// The same when the variable it begins with has been read.
    pub(super) fn full_expr_from(&mut self, var: VarRef) -> Parsed<Expr> {
        let left = Operand::plain(self.after_var(var)?);
        Ok(self.climb_from(left, 0)?.expr)
    }

    fn plain(&mut self, operand: Operand, place: &str) -> Parsed<Expr> {
        if operand.probe {
            return Err(self.misplaced_probe(&operand.expr, place));
        }
        Ok(operand.expr)
    }

    fn climb(&mut self, min: u8) -> Parsed<Operand> {
        self.deeper(|p| {
            let left = p.unary()?;
            p.climb_from(left, min)
        })
    }

    fn climb_from(&mut self, mut left: Operand, min: u8) -> Parsed<Operand> {
        loop {
            let tok = self.peek();
            let Some((strength, op)) = infix(tok) else { return Ok(left) };
            if strength <= min {
                return Ok(left);
            }
            let sign = self.bump();
            let left_height = self.height;
            let right = self.climb(strength)?;
            self.grow(self.height.max(left_height))?;
            let logical = matches!(op, Infix::Plain(BinaryOp::And | BinaryOp::Or));
            if !logical && (left.probe || right.probe) {
                let culprit = if left.probe { &left.expr } else { &right.expr };
                let place = format!("as an operand of `{}`", self.lx.token_text(&sign));
                return Err(self.misplaced_probe(culprit, &place));
            }
            let probe = left.probe || right.probe;
            let at = At(self.join(left.expr.at.0, right.expr.at.0));
            let (a, b) = (Box::new(left.expr), Box::new(right.expr));
            let kind = match op {
                Infix::Plain(op) => ExprKind::Binary(op, a, b),
                Infix::Temporal(op) => ExprKind::TemporalBinary(op, a, b),
                Infix::StrongRelease => {
                    let both = Expr { kind: ExprKind::Binary(BinaryOp::And, a, b.clone()), at };
                    ExprKind::TemporalBinary(TemporalBinary::Until, b, Box::new(both))
                }
            };
            left = Operand { expr: Expr { kind, at }, probe };
        }
    }

    fn unary(&mut self) -> Parsed<Operand> {
        enum Prefix {
            Plain(UnaryOp),
            Temporal(TemporalUnary),
        }
        let op = match self.peek() {
            Tok::Bang => Prefix::Plain(UnaryOp::Not),
            Tok::Minus => Prefix::Plain(UnaryOp::Minus),
            Tok::Tilde => Prefix::Plain(UnaryOp::Complement),
            Tok::Always => Prefix::Temporal(TemporalUnary::Always),
            Tok::Eventually => Prefix::Temporal(TemporalUnary::Eventually),
            Tok::Next => Prefix::Temporal(TemporalUnary::Next),
            _ => return self.primary(),
        };
        let sign = self.bump();
        let operand = match op {
            Prefix::Plain(_) => self.deeper(|p| p.unary())?,
            Prefix::Temporal(_) => self.climb(UNTIL)?,
        };
        if operand.probe {
            return Err(match op {
                Prefix::Plain(UnaryOp::Not) => self.negated_probe(sign, &operand.expr),
                _ => {
                    let place = format!("as the operand of `{}`", self.lx.token_text(&sign));
                    self.misplaced_probe(&operand.expr, &place)
                }
            });
        }
        self.grow(self.height)?;
        let at = self.since(sign.span);
        let inner = Box::new(operand.expr);
        let kind = match op {
            Prefix::Plain(op) => ExprKind::Unary(op, inner),
            Prefix::Temporal(op) => ExprKind::TemporalUnary(op, inner),
        };
        Ok(Operand::plain(Expr { kind, at }))
    }

    fn primary(&mut self) -> Parsed<Operand> {
        let tok = self.peek();
        if tok.is_const() {
            return Ok(Operand::plain(self.constant()));
        }
        let kind = match tok {
            Tok::LParen => return self.parenthesis(),
            Tok::Name => {
                let t = self.bump();
                let name = self.ident_of(t);
                let var = self.var_from(name, t)?;
                return Ok(Operand::plain(self.after_var(var)?));
            }
            Tok::Full | Tok::Empty | Tok::Nfull | Tok::Nempty => {
                let word = self.bump();
                let probe = match tok {
                    Tok::Full => Probe::Full,
                    Tok::Empty => Probe::Empty,
                    Tok::Nfull => Probe::NotFull,
                    _ => Probe::NotEmpty,
                };
                let channel = self.channel_argument(word)?;
                if self.lx.ltl_mode {
                    return Err(self.probe_in_formula(word));
                }
                self.grow(self.height)?;
                let at = self.since(word.span);
                return Ok(Operand { expr: Expr { kind: ExprKind::Probe(probe, channel), at }, probe: true });
            }
            Tok::ProcName => return self.remote(),
            Tok::Run => self.run()?,
            Tok::Len => {
                let word = self.bump();
                let channel = self.channel_argument(word)?;
                let at = self.since(word.span);
                return Ok(Operand::plain(Expr { kind: ExprKind::Len(channel), at }));
            }
            Tok::Enabled | Tok::PcValue | Tok::GetPriority => {
                let word = self.bump();
                let text = self.lx.token_text(&word);
                self.l_paren(&format!("after `{text}`"))?;
                let e = Box::new(self.expr()?);
                self.r_paren("to close the argument")?;
                self.grow(self.height)?;
                let kind = match tok {
                    Tok::Enabled => ExprKind::Enabled(e),
                    Tok::PcValue => ExprKind::PcValue(e),
                    _ => ExprKind::GetPriority(e),
                };
                return Ok(Operand::plain(Expr { kind, at: self.since(word.span) }));
            }
            Tok::Timeout | Tok::NonProgress => {
                let word = self.bump();
                self.height = 1;
                let kind = if tok == Tok::Timeout { ExprKind::Timeout } else { ExprKind::NonProgress };
                return Ok(Operand::plain(Expr { kind, at: At(word.span) }));
            }
            Tok::CExpr => {
                let word = self.bump();
                self.height = 1;
                let fragment = self.c_fragment(word);
                self.check_c_expr(&fragment);
                return Ok(Operand::plain(Expr { kind: ExprKind::CExpr(fragment), at: At(word.span) }));
            }
            _ => return Err(self.not_an_expression()),
        };
        Ok(Operand::plain(kind))
    }

    /// `( e )` and `( c -> a : b )`
    fn parenthesis(&mut self) -> Parsed<Operand> {
        let open = self.l_paren("")?;
        let mut inner = self.climb(0)?;
        if self.at(Tok::Arrow) {
            self.bump();
            let height = self.height;
            let condition = self.plain(inner, "as a condition")?;
            let yes = self.expr()?;
            let height = height.max(self.height);
            self.expect(Tok::Colon, "between the two values of `(c -> a : b)`")?;
            let no = self.expr()?;
            self.grow(self.height.max(height))?;
            let at = self.since(open.span);
            let kind = ExprKind::Cond(Box::new(condition), Box::new(yes), Box::new(no));
            inner = Operand::plain(Expr { kind, at });
        }
        if self.at(Tok::RParen) {
            self.r_paren("")?;
            return Ok(inner);
        }
        Err(self.unclosed_paren(open))
    }

    /// A constant; the token has been looked at.
    pub(super) fn constant(&mut self) -> Expr {
        let t = self.bump();
        self.height = 1;
        let at = At(t.span);
        let kind = match t.tok {
            Tok::True => ExprKind::Const(1, Spelling::Word),
            Tok::False => ExprKind::Const(0, Spelling::Word),
            Tok::Skip => ExprKind::Const(1, Spelling::Skip),
            Tok::Char => ExprKind::Const(t.value, Spelling::Character),
            Tok::MtypeName => {
                let name = self.ident_of(t);
                ExprKind::Ref(VarRef { path: vec![Segment { name, index: None }], at })
            }
            _ => ExprKind::Const(t.value, Spelling::Number),
        };
        Expr { kind, at }
    }

    /// `a`, `a[i]`, `a.b[i].c`
    pub(super) fn varref(&mut self, what: &str) -> Parsed<VarRef> {
        let t = self.peek_token();
        let name = self.name(what)?;
        self.var_from(name, t)
    }

    /// The rest of a reference whose first name has been read.
    pub(super) fn var_from(&mut self, name: Ident, first: Token) -> Parsed<VarRef> {
        let mut path = vec![self.segment(name)?];
        let mut height = self.height;
        while self.eat(Tok::Dot) {
            let name = self.name("the name of a field")?;
            path.push(self.segment(name)?);
            height = height.max(self.height);
        }
        self.height = height;
        Ok(VarRef { path, at: self.since(first.span) })
    }

    pub(super) fn segment(&mut self, name: Ident) -> Parsed<Segment> {
        self.height = 1;
        if !self.eat(Tok::LBracket) {
            return Ok(Segment { name, index: None });
        }
        let index = Box::new(self.expr()?);
        self.expect(Tok::RBracket, "to close the index")?;
        self.grow(self.height)?;
        Ok(Segment { name, index: Some(index) })
    }

    /// A variable as an expression, or a poll of it.
    fn after_var(&mut self, var: VarRef) -> Parsed<Expr> {
        let random = match self.peek() {
            Tok::Query => false,
            Tok::QueryQuery => true,
            _ => {
                let at = var.at;
                return Ok(Expr { kind: ExprKind::Ref(var), at });
            }
        };
        self.bump();
        if !self.at(Tok::LBracket) {
            return Err(self.receive_in_expression());
        }
        self.poll(var, random)
    }

    /// `[args]` behind `c?` or `c??`.
    pub(super) fn poll(&mut self, channel: VarRef, random: bool) -> Parsed<Expr> {
        self.expect(Tok::LBracket, "to begin the pattern of a poll")?;
        let height = self.height;
        let (args, _) = self.recv_args()?;
        self.grow(self.height.max(height))?;
        self.expect(Tok::RBracket, "to close the pattern of a poll")?;
        let at = self.since(channel.at.0);
        Ok(Expr { kind: ExprKind::Poll { channel, random, args }, at })
    }

    /// `(c)` behind `len`, `full` and so on.
    fn channel_argument(&mut self, word: Token) -> Parsed<VarRef> {
        let text = self.lx.token_text(&word);
        self.l_paren(&format!("after `{text}`"))?;
        let var = self.varref(&format!("the channel that `{text}` asks about"))?;
        self.r_paren(&format!("after the channel of `{text}`"))?;
        Ok(var)
    }

    fn run(&mut self) -> Parsed<Expr> {
        let word = self.bump();
        if !self.in_body {
            let d = Diagnostic::error("run", word.span, "`run` can only be used inside a process");
            self.say(d);
        }
        if !matches!(self.peek(), Tok::Name | Tok::ProcName) {
            return Err(self.unexpected("the name of a process type", "after `run`"));
        }
        let t = self.bump();
        let name = self.ident_of(t);
        self.l_paren("before the arguments of `run`")?;
        let args = self.args_until_paren()?;
        let height = self.height;
        let priority = self.priority()?.map(Box::new);
        self.grow(height)?;
        Ok(Expr { kind: ExprKind::Run { name, args, priority }, at: self.since(word.span) })
    }

    /// `e, e)` or `)`; the height is that of the highest.
    pub(super) fn args_until_paren(&mut self) -> Parsed<Vec<Expr>> {
        let mut args = Vec::new();
        self.height = 0;
        if !self.at(Tok::RParen) {
            args = self.arg_list()?;
        }
        self.r_paren("after the arguments")?;
        Ok(args)
    }

    /// `e, e, ...`, at least one.
    pub(super) fn arg_list(&mut self) -> Parsed<Vec<Expr>> {
        let mut args = vec![self.expr()?];
        let mut height = self.height;
        while self.eat(Tok::Comma) {
            args.push(self.expr()?);
            height = height.max(self.height);
        }
        self.height = height;
        Ok(args)
    }

    /// `priority n`, if it is there.
    pub(super) fn priority(&mut self) -> Parsed<Option<Priority>> {
        if !self.at(Tok::Priority) {
            return Ok(None);
        }
        let word = self.bump();
        if !self.peek().is_const() {
            return Err(self.unexpected("a constant", "after `priority`"));
        }
        let value = self.constant();
        Ok(Some(Priority { value, at: self.since(word.span) }))
    }

    /// `P[e]@label`, `P@label`, `P[e]:x`, `P:x`
    fn remote(&mut self) -> Parsed<Operand> {
        let t = self.bump();
        let proctype = self.ident_of(t);
        let mut height = 0;
        let pid = if self.eat(Tok::LBracket) {
            let e = self.expr()?;
            height = self.height;
            self.expect(Tok::RBracket, "to close the process number")?;
            Some(Box::new(e))
        } else {
            None
        };
        let kind = match self.peek() {
            Tok::At => {
                self.bump();
                let label = self.name("a label")?;
                self.grow(height)?;
                ExprKind::RemoteLabel { proctype, pid, label }
            }
            Tok::Colon => {
                self.bump();
                let name = self.name("the name of a variable of the process")?;
                let var = self.segment(name)?;
                self.grow(self.height.max(height))?;
                ExprKind::RemoteVar { proctype, pid, var }
            }
            _ => return Err(self.lone_process_name(&proctype, pid.is_some())),
        };
        Ok(Operand::plain(Expr { kind, at: self.since(t.span) }))
    }
}

impl Parser<'_> {
    /// Goes on with an expression whose first operand has been read.
    pub(super) fn continue_expr(&mut self, first: Expr) -> Parsed<Expr> {
        Ok(self.climb_from(Operand::plain(first), 0)?.expr)
    }
}
