//! Constant expressions: array bounds, capacities, numbers of processes.

use super::expr::{Infix, infix};
use super::tokens::Tok;
use super::{Parsed, Parser};
use crate::ast::*;

impl Parser<'_> {
    /// An expression of constants only: literals, `+ - * / %`, unary minus, parentheses.
    pub(super) fn const_expr(&mut self) -> Parsed<Expr> {
        let e = self.const_climb(0);
        if e.is_ok() && infix(self.peek()).is_some() {
            return Err(self.not_const_operator());
        }
        e
    }

    pub(super) fn const_climb(&mut self, min: u8) -> Parsed<Expr> {
        self.deeper(|p| {
            let mut left = p.const_operand()?;
            loop {
                let tok = p.peek();
                let (strength, op) = match infix(tok) {
                    Some((s @ (11 | 12), Infix::Plain(op))) => (s, op),
                    _ => return Ok(left),
                };
                if strength <= min {
                    return Ok(left);
                }
                p.bump();
                let left_height = p.height;
                let right = p.const_climb(strength)?;
                p.grow(p.height.max(left_height))?;
                let at = At(p.join(left.at.0, right.at.0));
                left = Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), at };
            }
        })
    }

    pub(super) fn const_operand(&mut self) -> Parsed<Expr> {
        match self.peek() {
            t if t.is_const() => Ok(self.constant()),
            Tok::Minus => {
                let sign = self.bump();
                let inner = self.deeper(|p| p.const_operand())?;
                self.grow(self.height)?;
                let at = self.since(sign.span);
                Ok(Expr { kind: ExprKind::Unary(UnaryOp::Minus, Box::new(inner)), at })
            }
            Tok::LParen => {
                self.l_paren("")?;
                let inner = self.const_expr()?;
                self.r_paren("")?;
                Ok(inner)
            }
            _ => Err(self.not_const()),
        }
    }

    /// A constant expression, or the name of an initialised scalar, behind `[` and before `]`.
    pub(super) fn bound(&mut self) -> Parsed<Expr> {
        if self.at(Tok::Name) {
            let t = self.bump();
            let name = self.ident_of(t);
            let at = At(t.span);
            self.height = 1;
            if !self.at(Tok::RBracket) {
                return Err(self.not_const());
            }
            return Ok(Expr { kind: ExprKind::Ref(VarRef { path: vec![Segment { name, index: None }], at }), at });
        }
        self.const_expr()
    }
}
