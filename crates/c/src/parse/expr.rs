//! Expressions: assignment, `?:`, binary operators by precedence, unary operators and casts.

use super::{Parser, Res};
use crate::tree::{BinaryOp, Const, ExprId, ExprKind, UnaryOp};
use crate::types::{CONST, Type, TypeId};
use crate::word::Word;
use ferrospin_source::Span;

/// A binary operator of the text.
#[derive(Clone, Copy)]
enum Infix {
    Plain(BinaryOp),
    And,
    Or,
}

fn infix(word: Word) -> Option<(Infix, u8)> {
    use BinaryOp::*;
    Some(match word {
        Word::Star => (Infix::Plain(Mul), 10),
        Word::Slash => (Infix::Plain(Div), 10),
        Word::Percent => (Infix::Plain(Rem), 10),
        Word::Plus => (Infix::Plain(Add), 9),
        Word::Minus => (Infix::Plain(Sub), 9),
        Word::Shl => (Infix::Plain(Shl), 8),
        Word::Shr => (Infix::Plain(Shr), 8),
        Word::Lt => (Infix::Plain(Lt), 7),
        Word::Gt => (Infix::Plain(Gt), 7),
        Word::Le => (Infix::Plain(Le), 7),
        Word::Ge => (Infix::Plain(Ge), 7),
        Word::EqEq => (Infix::Plain(Eq), 6),
        Word::Ne => (Infix::Plain(Ne), 6),
        Word::Amp => (Infix::Plain(And), 5),
        Word::Caret => (Infix::Plain(Xor), 4),
        Word::Bar => (Infix::Plain(Or), 3),
        Word::AndAnd => (Infix::And, 2),
        Word::OrOr => (Infix::Or, 1),
        _ => return None,
    })
}

impl Parser<'_> {
    /// An integer constant expression's value.
    pub(super) fn constant_expression(&mut self) -> Res<i128> {
        let span = self.span();
        let e = self.nested(Self::conditional_expression)?;
        let e = self.rvalue(e)?;
        match self.value(e) {
            Some(Const::Int(v)) if self.unit.types.is_integer(self.ty(e)) => Ok(v),
            _ => Err(self.error(self.from(span), "c-constant", "this is not an integer constant")),
        }
    }

    /// `a, b, c`.
    pub(super) fn expression(&mut self) -> Res<ExprId> {
        let mut left = self.assignment()?;
        while self.eat(Word::Comma) {
            let right = self.assignment()?;
            let left_done = self.discarded(left)?;
            let right = self.rvalue_or_void(right)?;
            let span = self.map.join(self.expr(left_done).span, self.expr(right).span);
            let ty = self.ty(right);
            let value = if self.value(left_done).is_some() { self.value(right) } else { None };
            left = self.add(ExprKind::Comma(left_done, right), ty, span, &[left_done, right])?;
            left = self.with_value(left, value);
        }
        Ok(left)
    }

    pub(super) fn rvalue_or_void(&mut self, e: ExprId) -> Res<ExprId> {
        if self.ty(e) == TypeId::VOID { Ok(e) } else { self.rvalue(e) }
    }

    /// An expression without commas at its top.
    pub(super) fn assignment(&mut self) -> Res<ExprId> {
        self.nested(Self::assignment_inner)
    }

    fn assignment_inner(&mut self) -> Res<ExprId> {
        let left = self.conditional_expression()?;
        let op = match self.word() {
            Word::Assign => None,
            Word::AddAssign => Some(BinaryOp::Add),
            Word::SubAssign => Some(BinaryOp::Sub),
            Word::MulAssign => Some(BinaryOp::Mul),
            Word::DivAssign => Some(BinaryOp::Div),
            Word::RemAssign => Some(BinaryOp::Rem),
            Word::ShlAssign => Some(BinaryOp::Shl),
            Word::ShrAssign => Some(BinaryOp::Shr),
            Word::AndAssign => Some(BinaryOp::And),
            Word::OrAssign => Some(BinaryOp::Or),
            Word::XorAssign => Some(BinaryOp::Xor),
            _ => return Ok(left),
        };
        let at = self.bump();
        self.check_assigned(left, at)?;
        let right = self.assignment()?;
        let right = self.rvalue(right)?;
        let to = self.expr(left).ty;
        let span = self.map.join(self.expr(left).span, self.expr(right).span);
        let Some(op) = op else {
            let right = self.assignable(right, to, span, "stored")?;
            return self.add(ExprKind::Assign(left, right), to.ty, span, &[left, right]);
        };
        self.assign_op(op, left, right, span)
    }

    pub(super) fn assign_op(&mut self, op: BinaryOp, left: ExprId, right: ExprId, span: Span) -> Res<ExprId> {
        let to = self.expr(left).ty;
        let right_ty = self.ty(right);
        let types = &self.unit.types;
        if types.pointee(to.ty).is_some() && matches!(op, BinaryOp::Add | BinaryOp::Sub) && types.is_integer(right_ty) {
            let index = self.unit.types.ptrdiff_t();
            let right = self.convert(right, index)?;
            return self.add(ExprKind::AssignOp(op, left, right, to.ty), to.ty, span, &[left, right]);
        }
        let vector = matches!(types.get(to.ty), Type::Vector(..) | Type::Unknown)
            || matches!(types.get(right_ty), Type::Unknown);
        if vector {
            return self.add(ExprKind::AssignOp(op, left, right, to.ty), to.ty, span, &[left, right]);
        }
        // The rules of `left op right` hold; that expression itself is not part of the tree.
        let value = self.rvalue(left)?;
        let result = self.binary(op, value, right)?;
        let ExprKind::Binary(_, a, b) = self.expr(result).kind else {
            let (x, y) = (self.show(to), self.show(right_ty));
            return Err(self.error(span, "c-type", format!("`{}=` does not take `{x}` and `{y}`", op.text())));
        };
        let ty = self.ty(a);
        self.add(ExprKind::AssignOp(op, left, b, ty), to.ty, span, &[left, b])
    }

    /// Whether something can be stored to; says so if not.
    pub(super) fn check_assigned(&mut self, e: ExprId, at: Span) -> Res<()> {
        let expr = self.expr(e);
        let q = expr.ty;
        if q.ty == TypeId::UNKNOWN {
            return Ok(());
        }
        let fixed = matches!(self.unit.types.get(q.ty), Type::Array(..) | Type::Function(_));
        if !expr.lvalue || fixed {
            return Err(self.error(at, "c-type", "nothing can be stored on the left side"));
        }
        if q.quals & CONST != 0 {
            return Err(self.error(at, "c-type", "the left side is `const`"));
        }
        Ok(())
    }

    pub(super) fn conditional_expression(&mut self) -> Res<ExprId> {
        let c = self.binary_expression(1)?;
        if self.word() != Word::Query {
            return Ok(c);
        }
        // Chains of conditionals nest on the right, without recursion.
        let mut links = vec![];
        let mut c = c;
        let last = loop {
            if !self.eat(Word::Query) {
                break c;
            }
            let a = if self.word() == Word::Colon { None } else { Some(self.nested(Self::expression)?) };
            self.expect(Word::Colon, "`:`")?;
            links.push((c, a));
            c = self.binary_expression(1)?;
        };
        let mut result = last;
        for (c, a) in links.into_iter().rev() {
            let span = self.map.join(self.expr(c).span, self.expr(result).span);
            result = self.conditional(c, a, result, span)?;
        }
        Ok(result)
    }

    fn binary_expression(&mut self, least: u8) -> Res<ExprId> {
        let mut left = self.cast_expression()?;
        while let Some((op, level)) = infix(self.word()) {
            if level < least {
                break;
            }
            self.at += 1;
            let right = self.binary_expression(level + 1)?;
            left = match op {
                Infix::Plain(op) => self.binary(op, left, right)?,
                Infix::And | Infix::Or => self.logical(matches!(op, Infix::And), left, right)?,
            };
        }
        Ok(left)
    }

    fn logical(&mut self, and: bool, a: ExprId, b: ExprId) -> Res<ExprId> {
        let a = self.condition(a)?;
        let b = self.condition(b)?;
        let span = self.map.join(self.expr(a).span, self.expr(b).span);
        let value = match (self.truth(a), self.truth(b)) {
            (Some(x), _) if x != and => Some(x),
            (Some(_), Some(y)) => Some(y),
            _ => None,
        };
        let kind = if and { ExprKind::LogAnd(a, b) } else { ExprKind::LogOr(a, b) };
        let e = self.add(kind, TypeId::INT, span, &[a, b])?;
        Ok(self.with_value(e, value.map(|v| Const::Int(i128::from(v)))))
    }

    pub(super) fn cast_expression(&mut self) -> Res<ExprId> {
        if self.word() == Word::LParen && self.starts_type_at(self.at + 1) {
            let span = self.bump();
            let q = self.type_name()?;
            self.expect(Word::RParen, "`)`")?;
            if self.word() == Word::LBrace {
                let e = self.compound_literal(q, span)?;
                return self.postfix(e);
            }
            let e = self.nested(Self::cast_expression)?;
            let span = self.map.join(span, self.expr(e).span);
            return self.cast(e, q, span);
        }
        self.unary_expression()
    }

    pub(super) fn unary_expression(&mut self) -> Res<ExprId> {
        let span = self.span();
        let op = match self.word() {
            Word::Plus => UnaryOp::Plus,
            Word::Minus => UnaryOp::Neg,
            Word::Tilde => UnaryOp::Not,
            Word::Real => UnaryOp::Real,
            Word::Imag => UnaryOp::Imag,
            Word::Extension => {
                self.at += 1;
                return self.nested(Self::cast_expression);
            }
            Word::Bang => {
                self.at += 1;
                let e = self.nested(Self::cast_expression)?;
                let e = self.condition(e)?;
                let value = self.truth(e).map(|t| Const::Int(i128::from(!t)));
                let span = self.map.join(span, self.expr(e).span);
                let e = self.add(ExprKind::LogNot(e), TypeId::INT, span, &[e])?;
                return Ok(self.with_value(e, value));
            }
            Word::Star => {
                self.at += 1;
                let e = self.nested(Self::cast_expression)?;
                let span = self.map.join(span, self.expr(e).span);
                return self.dereference(e, span);
            }
            Word::Amp => {
                self.at += 1;
                let e = self.nested(Self::cast_expression)?;
                let span = self.map.join(span, self.expr(e).span);
                return self.address_of(e, span);
            }
            Word::AndAnd => {
                self.at += 1;
                let (name, at) = (self.symbol(), self.span());
                self.expect(Word::Ident, "a label")?;
                let label = self.label(name, at)?;
                let ty = self.unit.types.pointer(TypeId::VOID);
                let e = self.add(ExprKind::LabelAddress(label), ty, span, &[])?;
                return Ok(self.with_value(e, Some(Const::Address(crate::tree::Base::Label(label), 0))));
            }
            Word::Inc | Word::Dec => {
                let plus = self.word() == Word::Inc;
                self.at += 1;
                let e = self.nested(Self::unary_expression)?;
                let span = self.map.join(span, self.expr(e).span);
                return self.step(e, plus, false, span);
            }
            Word::Sizeof | Word::Alignof => return self.size_of(),
            _ => return self.postfix_expression(),
        };
        self.at += 1;
        let e = self.nested(Self::cast_expression)?;
        let span = self.map.join(span, self.expr(e).span);
        self.unary(op, e, span)
    }

    pub(super) fn step(&mut self, e: ExprId, plus: bool, before: bool, span: Span) -> Res<ExprId> {
        self.check_assigned(e, span)?;
        let ty = self.ty(e);
        let types = &self.unit.types;
        let fits = types.is_arithmetic(ty)
            || types.pointee(ty).is_some()
            || matches!(types.get(ty), Type::Vector(..) | Type::Unknown);
        if !fits {
            let shown = self.show(ty);
            return Err(self.error(span, "c-type", format!("`{shown}` cannot be stepped")));
        }
        self.add(ExprKind::Step(e, plus, before), ty, span, &[e])
    }

    pub(super) fn dereference(&mut self, e: ExprId, span: Span) -> Res<ExprId> {
        let e = self.rvalue(e)?;
        let Some(to) = self.unit.types.pointee(self.ty(e)) else {
            if self.ty(e) == TypeId::UNKNOWN {
                return self.add(ExprKind::Unknown, TypeId::UNKNOWN, span, &[e]);
            }
            let shown = self.show(self.ty(e));
            return Err(self.error(span, "c-type", format!("`{shown}` is no pointer")));
        };
        self.lvalue(ExprKind::Deref(e), to, span, &[e])
    }

    fn address_of(&mut self, e: ExprId, span: Span) -> Res<ExprId> {
        let expr = self.expr(e);
        let q = expr.ty;
        let is_function = matches!(self.unit.types.get(q.ty), Type::Function(_));
        if q.ty == TypeId::UNKNOWN {
            return Ok(e);
        }
        if !expr.lvalue && !is_function {
            return Err(self.error(span, "c-type", "this has no address"));
        }
        if let ExprKind::Member(_, record, field) = expr.kind
            && self.unit.types.record(record).fields[field as usize].bits.is_some()
        {
            return Err(self.error(span, "c-type", "a bit-field has no address"));
        }
        let ty = self.unit.types.pointer(q);
        let value = self.address_value(e);
        let value = match value {
            Some(Const::Int(v)) => Some(Const::Int(crate::fold::wrap(
                &self.unit.types,
                if self.unit.types.pointer_size() == 8 {
                    crate::types::IntKind::ULongLong
                } else {
                    crate::types::IntKind::UInt
                },
                v,
            ))),
            other => other,
        };
        let e = self.add(ExprKind::Address(e), ty, span, &[e])?;
        Ok(self.with_value(e, value))
    }

    fn size_of(&mut self) -> Res<ExprId> {
        let is_size = self.word() == Word::Sizeof;
        let gnu = self.text() != "_Alignof";
        let span = self.bump();
        let (q, of) = if self.word() == Word::LParen && self.starts_type_at(self.at + 1) {
            self.at += 1;
            let q = self.type_name()?;
            self.expect(Word::RParen, "`)`")?;
            if self.word() == Word::LBrace {
                let e = self.compound_literal(q, span)?;
                let e = self.postfix(e)?;
                (self.expr(e).ty, Some(e))
            } else {
                (q, None)
            }
        } else {
            let e = self.nested(Self::unary_expression)?;
            (self.expr(e).ty, Some(e))
        };
        let whole = self.from(span);
        let result = self.unit.types.size_t();
        if is_size {
            if let Some(e) = of
                && let ExprKind::Member(_, record, field) = self.expr(e).kind
                && self.unit.types.record(record).fields[field as usize].bits.is_some()
            {
                return Err(self.error(whole, "c-type", "a bit-field has no size in bytes"));
            }
            if self.unit.types.is_variable(q.ty) || q.ty == TypeId::UNKNOWN {
                return self.add(ExprKind::VariableSize, result, whole, &[]);
            }
            return match self.unit.types.size(q.ty) {
                Some(size) => self.int_const(size.into(), result, whole),
                None => {
                    let shown = self.show(q);
                    Err(self.error(whole, "c-type", format!("the size of `{shown}` is not known here")))
                }
            };
        }
        let mut align = if gnu { self.unit.types.align_of(q) } else { self.unit.types.field_align(q) };
        if let Some(e) = of
            && let ExprKind::Object(id) = self.expr(e).kind
        {
            align = align.max(self.unit.object(id).align);
        }
        self.int_const(align.into(), result, whole)
    }
}
