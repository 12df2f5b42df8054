//! The messages of sends, and the patterns of receives and polls.

use super::tokens::Tok;
use super::{Parsed, Parser};
use crate::ast::*;

impl Parser<'_> {
    /// `a,b` or `a(b)` of a send.
    pub(super) fn send_args(&mut self) -> Parsed<(Vec<Expr>, bool)> {
        let first = self.expr()?;
        if self.at(Tok::LParen) {
            self.l_paren("")?;
            let mut args = vec![first];
            args.extend(self.arg_list()?);
            self.r_paren("after the message")?;
            return Ok((args, true));
        }
        let mut args = vec![first];
        while self.eat(Tok::Comma) {
            args.push(self.expr()?);
        }
        Ok((args, false))
    }

    /// `a,b`, `a(b)`, `(a,b)` of a receive: all mean the list.
    pub(super) fn recv_args(&mut self) -> Parsed<(Vec<RecvArg>, bool)> {
        let mut args = Vec::new();
        let mut height = 0;
        let call_form = self.recv_list(&mut args, &mut height)?;
        self.height = height;
        Ok((args, call_form))
    }

    pub(super) fn recv_list(&mut self, args: &mut Vec<RecvArg>, height: &mut u32) -> Parsed<bool> {
        let mut first = true;
        loop {
            if self.at(Tok::LParen) {
                self.l_paren("")?;
                let inner = self.deeper(|p| p.recv_list(args, height))?;
                self.r_paren("after the pattern")?;
                return Ok(first && inner);
            }
            args.push(self.recv_arg()?);
            *height = self.height.max(*height);
            if self.at(Tok::LParen) {
                self.l_paren("")?;
                self.deeper(|p| p.recv_list(args, height))?;
                self.r_paren("after the pattern")?;
                return Ok(first);
            }
            if !self.eat(Tok::Comma) {
                return Ok(false);
            }
            first = false;
        }
    }

    pub(super) fn recv_arg(&mut self) -> Parsed<RecvArg> {
        match self.peek() {
            Tok::Name => Ok(RecvArg::Ref(self.varref("")?)),
            Tok::MtypeName => match self.constant().kind {
                ExprKind::Ref(var) => Ok(RecvArg::Ref(var)),
                _ => unreachable!("an mtype constant is a reference"),
            },
            Tok::Eval => {
                self.bump();
                self.l_paren("after `eval`")?;
                let e = self.expr()?;
                self.r_paren("after the argument of `eval`")?;
                Ok(RecvArg::Eval(e))
            }
            Tok::Minus => {
                let sign = self.bump();
                if !self.peek().is_const() {
                    return Err(self.wrong_pattern());
                }
                let inner = self.constant();
                let at = self.since(sign.span);
                Ok(RecvArg::Const(Expr { kind: ExprKind::Unary(UnaryOp::Minus, Box::new(inner)), at }))
            }
            t if t.is_const() => Ok(RecvArg::Const(self.constant())),
            _ => Err(self.wrong_pattern()),
        }
    }
}
