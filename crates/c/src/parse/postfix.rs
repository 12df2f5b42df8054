//! What follows a primary expression: indices, calls, members, steps.

use super::{Parser, Res};
use crate::tree::{BinaryOp, ExprId, ExprKind};
use crate::types::{Qual, RecordId, Signature, Type, TypeId};
use crate::word::Word;
use ferrospin_cpp::Symbol;
use ferrospin_source::{Diagnostic, Span};

impl Parser<'_> {
    pub(super) fn postfix(&mut self, e: ExprId) -> Res<ExprId> {
        let mut e = e;
        loop {
            let span = self.span();
            e = match self.word() {
                Word::LBracket => {
                    self.at += 1;
                    let index = self.nested(Self::expression)?;
                    self.expect(Word::RBracket, "`]`")?;
                    self.index(e, index)?
                }
                Word::LParen => {
                    self.at += 1;
                    let args = self.nested(Self::arguments)?;
                    self.call(e, args, span)?
                }
                Word::Dot | Word::Arrow => {
                    let arrow = self.word() == Word::Arrow;
                    self.at += 1;
                    let (name, at) = (self.symbol(), self.span());
                    self.expect(Word::Ident, "a member's name")?;
                    let base = if arrow { self.dereference(e, span)? } else { e };
                    self.member(base, name, at)?
                }
                Word::Inc | Word::Dec => {
                    let plus = self.word() == Word::Inc;
                    self.at += 1;
                    let whole = self.map.join(self.expr(e).span, span);
                    self.step(e, plus, true, whole)?
                }
                _ => return Ok(e),
            };
        }
    }

    /// `e[index]`, on either side.
    fn index(&mut self, e: ExprId, index: ExprId) -> Res<ExprId> {
        let span = self.map.join(self.expr(e).span, self.last_span());
        if let Type::Vector(element, _) = *self.unit.types.get(self.ty(e)) {
            // An element of a vector is an lvalue where the vector is one.
            let address = self.unit.types.pointer(element);
            let base = self.add(ExprKind::Address(e), address, span, &[e])?;
            let index = self.rvalue(index)?;
            let sum = self.pointer_add(base, index, false, span)?;
            return self.dereference(sum, span);
        }
        let sum = self.binary(BinaryOp::Add, e, index)?;
        self.dereference(sum, span)
    }

    pub(super) fn member(&mut self, base: ExprId, name: Symbol, at: Span) -> Res<ExprId> {
        let q = self.expr(base).ty;
        if q.ty == TypeId::UNKNOWN {
            return self.add(ExprKind::Unknown, TypeId::UNKNOWN, at, &[base]);
        }
        let record: Option<RecordId> = self.unit.types.record_of(q.ty);
        let path = record.and_then(|id| self.unit.types.find_field(id, name));
        let (Some(mut record), Some(path)) = (record, path) else {
            let (shown, text) = (self.show(q), self.name(name).to_string());
            let mut d = Diagnostic::error("c-type", at, format!("`{shown}` has no member `{text}`"));
            if let Some(id) = record
                && !self.unit.types.record(id).complete
            {
                d = d.label("its members are not told");
            }
            return Err(self.say(d));
        };
        let span = self.map.join(self.expr(base).span, at);
        let lvalue = self.expr(base).lvalue;
        let mut e = base;
        let mut quals = q.quals;
        for index in path {
            let field = self.unit.types.record(record).fields[index as usize].ty;
            let ty = self.qualified(field, quals & !crate::types::ATOMIC);
            quals = ty.quals;
            e = self.add(ExprKind::Member(e, record, index), ty, span, &[e])?;
            self.unit.exprs[e.0 as usize].lvalue = lvalue;
            if let Some(inner) = self.unit.types.record_of(field.ty) {
                record = inner;
            }
        }
        Ok(e)
    }

    /// Arguments up to the closing parenthesis.
    pub(super) fn arguments(&mut self) -> Res<Vec<ExprId>> {
        let mut args = Vec::new();
        if self.eat(Word::RParen) {
            return Ok(args);
        }
        loop {
            let e = self.assignment()?;
            args.push(e);
            if !self.eat(Word::Comma) {
                break;
            }
        }
        self.expect(Word::RParen, "`)`")?;
        Ok(args)
    }

    pub(super) fn call(&mut self, f: ExprId, args: Vec<ExprId>, at: Span) -> Res<ExprId> {
        let f = self.rvalue(f)?;
        let to = self.unit.types.pointee(self.ty(f));
        let signature = to.and_then(|to| self.unit.types.signature(to.ty)).cloned();
        let span = self.map.join(self.expr(f).span, self.last_span());
        let Some(Signature { result, params, variadic, prototyped }) = signature else {
            if self.ty(f) == TypeId::UNKNOWN {
                let mut operands = vec![f];
                for a in args {
                    operands.push(self.rvalue_or_void(a)?);
                }
                return self.add(ExprKind::Unknown, TypeId::UNKNOWN, span, &operands);
            }
            let shown = self.show(self.ty(f));
            return Err(self.error(at, "c-type", format!("`{shown}` is no function")));
        };
        if prototyped && (args.len() < params.len() || (args.len() > params.len() && !variadic)) {
            let (few, want, got) = (args.len() < params.len(), params.len(), args.len());
            let message = format!("too {} arguments: {want} expected, {got} given", if few { "few" } else { "many" });
            return Err(self.error(span, "c-type", message));
        }
        let mut given = Vec::with_capacity(args.len());
        for (index, a) in args.into_iter().enumerate() {
            let place = self.expr(a).span;
            let a = self.rvalue(a)?;
            let a = match params.get(index) {
                Some(&q) if prototyped => self.assignable(a, q, place, "passed")?,
                _ => self.promote_argument(a)?,
            };
            given.push(a);
        }
        let mut operands = given.clone();
        operands.push(f);
        let ty = Qual { quals: 0, align: 0, ..result };
        self.add(ExprKind::Call(f, given.into()), ty, span, &operands)
    }

    /// What an argument without a parameter becomes.
    pub(super) fn promote_argument(&mut self, e: ExprId) -> Res<ExprId> {
        let e = self.promote(e)?;
        let ty = self.promoted_type(self.ty(e));
        self.convert(e, ty)
    }
}
