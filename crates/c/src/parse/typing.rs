//! Types of expressions: conversions written out, operators resolved, constants folded.

use super::{Parser, Res};
use crate::fold;
use crate::tree::{Base, BinaryOp, Const, ExprId, ExprKind, UnaryOp};
use crate::types::{FloatKind, IntKind, Length, Qual, Type, TypeId, Types};
use ferrospin_source::{Diagnostic, Span};

impl Parser<'_> {
    /// Gives an expression a known value.
    pub(super) fn with_value(&mut self, e: ExprId, value: Option<Const>) -> ExprId {
        self.unit.exprs[e.0 as usize].value = value;
        e
    }

    pub(super) fn value(&self, e: ExprId) -> Option<Const> {
        self.expr(e).value
    }

    /// The value of an integer constant.
    pub(super) fn int_value(&self, e: ExprId) -> Option<i128> {
        match self.value(e) {
            Some(Const::Int(v)) if self.unit.types.is_integer(self.ty(e)) => Some(v),
            _ => None,
        }
    }

    pub(super) fn int_const(&mut self, value: i128, ty: TypeId, span: Span) -> Res<ExprId> {
        let kind = self.unit.types.int_kind(ty).unwrap_or(IntKind::Int);
        let e = self.add(ExprKind::Const, ty, span, &[])?;
        let value = fold::wrap(&self.unit.types, kind, value);
        Ok(self.with_value(e, Some(Const::Int(value))))
    }

    /// An lvalue of a given type over `operands`.
    pub(super) fn lvalue(&mut self, kind: ExprKind, q: Qual, span: Span, operands: &[ExprId]) -> Res<ExprId> {
        let e = self.add(kind, q, span, operands)?;
        self.unit.exprs[e.0 as usize].lvalue = true;
        Ok(e)
    }

    /// The value of an expression: arrays and functions become pointers, lvalues are read.
    pub(super) fn rvalue(&mut self, e: ExprId) -> Res<ExprId> {
        let expr = self.expr(e);
        let (q, span, lvalue) = (expr.ty, expr.span, expr.lvalue);
        match *self.unit.types.get(q.ty) {
            Type::Array(element, _) => {
                let ty = self.unit.types.pointer(element);
                let value = self.address_value(e);
                let e = self.add(ExprKind::Decay(e), ty, span, &[e])?;
                Ok(self.with_value(e, value))
            }
            Type::Function(_) => {
                let ty = self.unit.types.pointer(Qual { quals: 0, align: 0, ..q });
                let value = self.address_value(e);
                let e = self.add(ExprKind::Decay(e), ty, span, &[e])?;
                Ok(self.with_value(e, value))
            }
            _ if lvalue => self.add(ExprKind::Load(e), q.ty, span, &[e]),
            _ => Ok(e),
        }
    }

    /// The address of an lvalue, where that is constant.
    pub(super) fn address_value(&self, e: ExprId) -> Option<Const> {
        let mut offset = 0i64;
        let mut at = e;
        loop {
            let expr = self.expr(at);
            match &expr.kind {
                ExprKind::Object(id) => {
                    let storage = self.unit.object(*id).storage;
                    let is_static = storage == crate::tree::Storage::Static;
                    return is_static.then_some(Const::Address(Base::Object(*id), offset));
                }
                ExprKind::Compound(id) => {
                    let is_static = self.unit.object(*id).storage == crate::tree::Storage::Static;
                    return is_static.then_some(Const::Address(Base::Object(*id), offset));
                }
                ExprKind::Str(id) => return Some(Const::Address(Base::Str(*id), offset)),
                ExprKind::Member(base, record, field) => {
                    let field = &self.unit.types.record(*record).fields[*field as usize];
                    offset = offset.checked_add(field.offset as i64)?;
                    at = *base;
                }
                ExprKind::Deref(pointer) => {
                    return match self.value(*pointer)? {
                        Const::Address(base, o) => Some(Const::Address(base, o.checked_add(offset)?)),
                        Const::Int(v) => Some(Const::Int(v + i128::from(offset))),
                        Const::Float(_) => None,
                    };
                }
                _ => return None,
            }
        }
    }

    /// An expression whose value is not used.
    pub(super) fn discarded(&mut self, e: ExprId) -> Res<ExprId> {
        let expr = self.expr(e);
        // A structure that is named and not used is not copied; others are read, for they may be volatile.
        if expr.lvalue && self.unit.types.record_of(expr.ty.ty).is_none() && self.unit.types.is_complete(expr.ty.ty) {
            return self.rvalue(e);
        }
        Ok(e)
    }

    /// A value that decides: a scalar.
    pub(super) fn condition(&mut self, e: ExprId) -> Res<ExprId> {
        let e = self.rvalue(e)?;
        let ty = self.ty(e);
        let scalar =
            self.unit.types.is_arithmetic(ty) || matches!(self.unit.types.get(ty), Type::Pointer(_) | Type::Unknown);
        if !scalar {
            let (span, shown) = (self.expr(e).span, self.show(ty));
            return Err(self.error(span, "c-type", format!("a condition cannot be of type `{shown}`")));
        }
        Ok(e)
    }

    /// The type an integer type is promoted to.
    pub(super) fn promoted_type(&self, ty: TypeId) -> TypeId {
        match self.unit.types.get(ty) {
            Type::Float(FloatKind::Float) => TypeId::DOUBLE,
            _ => self.promoted_int(ty),
        }
    }

    fn promoted_int(&self, ty: TypeId) -> TypeId {
        match self.unit.types.int_kind(ty) {
            Some(kind) if kind < IntKind::Int => TypeId::INT,
            Some(kind) if matches!(self.unit.types.get(ty), Type::Enum(_)) => int_type(kind),
            _ => ty,
        }
    }

    /// Integer promotion of a value; a bit-field becomes `int` if that holds its values.
    pub(super) fn promote(&mut self, e: ExprId) -> Res<ExprId> {
        let mut ty = self.promoted_int(self.ty(e));
        if let Some(width) = self.bit_width(e)
            && let Some(kind) = self.unit.types.int_kind(self.ty(e))
        {
            let signed = Types::is_signed(kind);
            if width < 32 || (width == 32 && signed) {
                ty = TypeId::INT;
            } else if width == 32 {
                ty = TypeId::UINT;
            }
        }
        self.convert(e, ty)
    }

    /// How many bits the bit-field has that this value was read from.
    fn bit_width(&self, e: ExprId) -> Option<u32> {
        let mut at = e;
        loop {
            match self.expr(at).kind {
                ExprKind::Load(inner) => at = inner,
                ExprKind::Comma(_, last) => at = last,
                ExprKind::Assign(left, _) | ExprKind::AssignOp(_, left, ..) | ExprKind::Step(left, ..) => at = left,
                ExprKind::Member(_, record, field) => {
                    return self.unit.types.record(record).fields[field as usize].bits.map(|b| b.1);
                }
                _ => return None,
            }
        }
    }

    /// A conversion, without looking whether it is allowed.
    pub(super) fn convert(&mut self, e: ExprId, to: TypeId) -> Res<ExprId> {
        let from = self.ty(e);
        if from == to {
            return Ok(e);
        }
        let span = self.expr(e).span;
        let value = self.value(e).and_then(|v| fold::convert(&self.unit.types, v, from, to));
        let e = self.add(ExprKind::Cast(e), to, span, &[e])?;
        Ok(self.with_value(e, value))
    }

    /// `(to) e`.
    pub(super) fn cast(&mut self, e: ExprId, to: Qual, span: Span) -> Res<ExprId> {
        if to.ty == TypeId::VOID {
            return self.add(ExprKind::Cast(e), TypeId::VOID, span, &[e]);
        }
        let e = self.rvalue(e)?;
        let from = self.ty(e);
        let types = &self.unit.types;
        let scalar = |ty: TypeId| types.is_arithmetic(ty) || matches!(types.get(ty), Type::Pointer(_));
        let known = from != TypeId::UNKNOWN && to.ty != TypeId::UNKNOWN;
        let vectors = matches!(types.get(from), Type::Vector(..)) || matches!(types.get(to.ty), Type::Vector(..));
        let float_pointer = (types.float_kind(from).is_some() && types.pointee(to.ty).is_some())
            || (types.pointee(from).is_some() && types.float_kind(to.ty).is_some());
        if known && !vectors && (!scalar(from) || !scalar(to.ty) || float_pointer) {
            // GNU C lets a value become a union that has a member of its type, and a record become itself.
            if types.compatible(from, to.ty) {
                return Ok(e);
            }
            if let Some(id) = types.record_of(to.ty)
                && types.record(id).is_union
                && types.record(id).fields.iter().any(|f| types.compatible(f.ty.ty, from))
            {
                return self.add(ExprKind::Cast(e), to.ty, span, &[e]);
            }
            let (was, is) = (self.show(from), self.show(to));
            return Err(self.error(span, "c-type", format!("`{was}` cannot be converted to `{is}`")));
        }
        if from == to.ty {
            // A cast to the own type still makes the expression no lvalue, which `rvalue` did.
            return Ok(e);
        }
        let converted = self.convert(e, to.ty)?;
        self.unit.exprs[converted.0 as usize].span = span;
        Ok(converted)
    }

    /// A value converted as by assignment to `to`.
    pub(super) fn assignable(&mut self, e: ExprId, to: Qual, span: Span, verb: &str) -> Res<ExprId> {
        let from = self.ty(e);
        if from == to.ty || from == TypeId::UNKNOWN || to.ty == TypeId::UNKNOWN {
            return Ok(e);
        }
        let types = &self.unit.types;
        let allowed = match (types.get(from), types.get(to.ty)) {
            (Type::Pointer(_), Type::Pointer(_)) => true,
            (Type::Pointer(_), _) if types.is_integer(to.ty) => true,
            (_, Type::Pointer(_)) if types.is_integer(from) => true,
            (Type::Vector(..), Type::Vector(..)) => true,
            (Type::Record(_), Type::Record(_)) => types.compatible(from, to.ty),
            (Type::VaList, Type::Pointer(_)) | (Type::Pointer(_), Type::VaList) => true,
            _ if types.is_arithmetic(from) && types.is_arithmetic(to.ty) => true,
            (_, Type::Record(_)) if self.is_transparent(to.ty) => true,
            _ => types.compatible(from, to.ty),
        };
        if !allowed {
            let (was, is) = (self.show(from), self.show(to));
            return Err(self.say(Diagnostic::error(
                "c-type",
                span,
                format!("a value of type `{was}` cannot be {verb} as `{is}`"),
            )));
        }
        if types.record_of(to.ty).is_some() && types.record_of(from).is_some() {
            return Ok(e);
        }
        self.convert(e, to.ty)
    }

    /// The type of arithmetic on two values (C11 6.3.1.8).
    pub(super) fn common_type(&self, a: TypeId, b: TypeId) -> TypeId {
        let types = &self.unit.types;
        let float = |ty: TypeId| match types.get(ty) {
            Type::Float(kind) | Type::Complex(kind) => Some(*kind),
            _ => None,
        };
        let is_complex = |ty: TypeId| matches!(types.get(ty), Type::Complex(_));
        if is_complex(a) || is_complex(b) {
            let pick = |ty: TypeId| if is_complex(ty) { Some(ty) } else { None };
            let kind = float(a).max(float(b));
            return [a, b]
                .into_iter()
                .filter_map(pick)
                .find(|&ty| float(ty) == kind)
                .or(pick(a))
                .or(pick(b))
                .unwrap_or(a);
        }
        match float(a).max(float(b)) {
            Some(FloatKind::Half) => return TypeId::HALF,
            Some(FloatKind::Float) => return TypeId::FLOAT,
            Some(FloatKind::Double) => return TypeId::DOUBLE,
            Some(FloatKind::LongDouble) => return TypeId::LDOUBLE,
            Some(FloatKind::Quad) => return TypeId::QUAD,
            None => {}
        }
        let (a, b) = (self.promoted_int(a), self.promoted_int(b));
        let (Some(x), Some(y)) = (types.int_kind(a), types.int_kind(b)) else { return a };
        if x == y {
            return int_type(x);
        }
        let (sx, sy) = (Types::is_signed(x), Types::is_signed(y));
        if sx == sy {
            return int_type(x.max(y));
        }
        let (signed, unsigned) = if sx { (x, y) } else { (y, x) };
        if rank(unsigned) >= rank(signed) {
            return int_type(unsigned);
        }
        if types.int_size(signed) > types.int_size(unsigned) {
            return int_type(signed);
        }
        int_type(match signed {
            IntKind::Int => IntKind::UInt,
            IntKind::Long => IntKind::ULong,
            IntKind::LongLong => IntKind::ULongLong,
            _ => IntKind::UInt128,
        })
    }

    /// Both values in their common type.
    pub(super) fn balance(&mut self, a: ExprId, b: ExprId) -> Res<(ExprId, ExprId, TypeId)> {
        let a = self.promote(a)?;
        let b = self.promote(b)?;
        let ty = self.common_type(self.ty(a), self.ty(b));
        Ok((self.convert(a, ty)?, self.convert(b, ty)?, ty))
    }

    /// `op e`.
    pub(super) fn unary(&mut self, op: UnaryOp, e: ExprId, span: Span) -> Res<ExprId> {
        let e = self.rvalue(e)?;
        let is_vector = matches!(self.unit.types.get(self.ty(e)), Type::Vector(..) | Type::Unknown);
        if !is_vector && !self.unit.types.is_arithmetic(self.ty(e)) {
            let shown = self.show(self.ty(e));
            return Err(self.error(span, "c-type", format!("this operator takes a number, not `{shown}`")));
        }
        if op == UnaryOp::Not && self.unit.types.float_kind(self.ty(e)).is_some() {
            return Err(self.error(span, "c-type", "`~` takes an integer"));
        }
        let e = if is_vector { e } else { self.promote(e)? };
        let mut ty = self.ty(e);
        if matches!(op, UnaryOp::Real | UnaryOp::Imag)
            && let Type::Complex(kind) = *self.unit.types.get(ty)
        {
            ty = self.unit.types.intern(Type::Float(kind));
        }
        let value = match (self.value(e), self.unit.types.int_kind(ty)) {
            (Some(Const::Int(v)), Some(kind)) => Some(Const::Int(fold::unary(&self.unit.types, op, kind, v))),
            (Some(Const::Float(v)), _) => match op {
                UnaryOp::Neg => Some(Const::Float(-v)),
                UnaryOp::Plus | UnaryOp::Real => Some(Const::Float(v)),
                _ => None,
            },
            _ => None,
        };
        let e = self.add(ExprKind::Unary(op, e), ty, span, &[e])?;
        Ok(self.with_value(e, value))
    }

    /// `a op b`.
    pub(super) fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> Res<ExprId> {
        let a = self.rvalue(a)?;
        let b = self.rvalue(b)?;
        let span = self.map.join(self.expr(a).span, self.expr(b).span);
        let (ta, tb) = (self.ty(a), self.ty(b));
        if ta == TypeId::UNKNOWN || tb == TypeId::UNKNOWN {
            return self.add(ExprKind::Unknown, TypeId::UNKNOWN, span, &[a, b]);
        }
        let types = &self.unit.types;
        let (pa, pb) = (types.pointee(ta), types.pointee(tb));
        if let Type::Vector(..) = types.get(ta) {
            return self.add(ExprKind::Binary(op, a, b), ta, span, &[a, b]);
        }
        if let Type::Vector(..) = types.get(tb) {
            return self.add(ExprKind::Binary(op, a, b), tb, span, &[a, b]);
        }
        match (pa, pb) {
            (Some(_), None) if matches!(op, BinaryOp::Add | BinaryOp::Sub) && types.is_integer(tb) => {
                return self.pointer_add(a, b, op == BinaryOp::Sub, span);
            }
            (None, Some(_)) if op == BinaryOp::Add && types.is_integer(ta) => {
                return self.pointer_add(b, a, false, span);
            }
            (Some(x), Some(_)) if op == BinaryOp::Sub => return self.pointer_difference(a, b, x, span),
            (Some(_), _) | (_, Some(_)) if op.is_comparison() => {
                let integer = |ty: TypeId| types.is_integer(ty);
                if (pa.is_some() || integer(ta)) && (pb.is_some() || integer(tb)) {
                    let (a, b) = match (pa, pb) {
                        (Some(_), None) => (a, self.convert(b, ta)?),
                        (None, Some(_)) => (self.convert(a, tb)?, b),
                        _ => (a, b),
                    };
                    let value = self.compare_addresses(op, a, b);
                    let e = self.add(ExprKind::Binary(op, a, b), TypeId::INT, span, &[a, b])?;
                    return Ok(self.with_value(e, value));
                }
            }
            _ => {}
        }
        let is_number = |ty: TypeId| self.unit.types.is_arithmetic(ty);
        let integers_only =
            matches!(op, BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor);
        let integer = |ty: TypeId| self.unit.types.is_integer(ty);
        if !is_number(ta) || !is_number(tb) || (integers_only && !(integer(ta) && integer(tb))) {
            let (x, y) = (self.show(ta), self.show(tb));
            let message = format!("`{}` does not take `{x}` and `{y}`", op.text());
            return Err(self.error(span, "c-type", message));
        }
        if matches!(op, BinaryOp::Shl | BinaryOp::Shr) {
            let a = self.promote(a)?;
            let b = self.promote(b)?;
            let ty = self.ty(a);
            let value = match (self.int_value(a), self.int_value(b), self.unit.types.int_kind(ty)) {
                (Some(x), Some(y), Some(kind)) => fold::binary(&self.unit.types, op, kind, x, y).map(Const::Int),
                _ => None,
            };
            let e = self.add(ExprKind::Binary(op, a, b), ty, span, &[a, b])?;
            return Ok(self.with_value(e, value));
        }
        let (a, b, common) = self.balance(a, b)?;
        let ty = if op.is_comparison() { TypeId::INT } else { common };
        let value = match (self.value(a), self.value(b)) {
            (Some(Const::Int(x)), Some(Const::Int(y))) => self
                .unit
                .types
                .int_kind(common)
                .and_then(|kind| fold::binary(&self.unit.types, op, kind, x, y))
                .map(Const::Int),
            (Some(Const::Float(x)), Some(Const::Float(y))) => {
                self.unit.types.float_kind(common).and_then(|kind| fold::binary_float(op, kind, x, y))
            }
            // Addresses kept as integers move by integers.
            (Some(Const::Address(base, o)), Some(Const::Int(n))) if op == BinaryOp::Add => {
                i64::try_from(n).ok().and_then(|n| o.checked_add(n)).map(|o| Const::Address(base, o))
            }
            (Some(Const::Address(base, o)), Some(Const::Int(n))) if op == BinaryOp::Sub => {
                i64::try_from(n).ok().and_then(|n| o.checked_sub(n)).map(|o| Const::Address(base, o))
            }
            (Some(Const::Address(x, o)), Some(Const::Address(y, p))) if op == BinaryOp::Sub && x == y => {
                Some(Const::Int(i128::from(o) - i128::from(p)))
            }
            _ => None,
        };
        let e = self.add(ExprKind::Binary(op, a, b), ty, span, &[a, b])?;
        Ok(self.with_value(e, value))
    }

    fn compare_addresses(&self, op: BinaryOp, a: ExprId, b: ExprId) -> Option<Const> {
        let truth = |t: bool| Some(Const::Int(i128::from(t)));
        match (self.value(a)?, self.value(b)?) {
            (Const::Int(x), Const::Int(y)) => {
                fold::binary(&self.unit.types, op, IntKind::ULongLong, x, y).map(Const::Int)
            }
            (Const::Address(x, o), Const::Address(y, p)) if x == y => {
                fold::binary(&self.unit.types, op, IntKind::LongLong, o.into(), p.into()).map(Const::Int)
            }
            (Const::Address(..), Const::Int(0)) | (Const::Int(0), Const::Address(..)) => match op {
                BinaryOp::Eq => truth(false),
                BinaryOp::Ne => truth(true),
                _ => None,
            },
            _ => None,
        }
    }

    /// The bytes of what a pointer points to, or a message.
    fn element_size(&mut self, to: Qual, span: Span) -> Res<Option<u64>> {
        if self.unit.types.is_variable(to.ty) || to.ty == TypeId::UNKNOWN {
            return Ok(None);
        }
        match self.unit.types.size(to.ty) {
            Some(size) => Ok(Some(size)),
            None => {
                let shown = self.show(to);
                Err(self.error(span, "c-type", format!("the size of `{shown}` is not known here")))
            }
        }
    }

    pub(super) fn pointer_add(&mut self, p: ExprId, n: ExprId, minus: bool, span: Span) -> Res<ExprId> {
        let ty = self.ty(p);
        let to = self.unit.types.pointee(ty).expect("the caller looked");
        let size = self.element_size(to, span)?;
        let n = self.convert(n, self.index_type(n))?;
        let value = match (self.value(p), self.value(n), size) {
            (Some(base), Some(Const::Int(n)), Some(size)) => {
                let bytes = n.checked_mul(i128::from(size)).map(|b| if minus { -b } else { b });
                match (base, bytes.and_then(|b| i64::try_from(b).ok())) {
                    (Const::Address(base, o), Some(b)) => o.checked_add(b).map(|o| Const::Address(base, o)),
                    (Const::Int(v), Some(b)) => {
                        let kind = if self.unit.types.pointer_size() == 8 { IntKind::ULongLong } else { IntKind::UInt };
                        Some(Const::Int(fold::wrap(&self.unit.types, kind, v + i128::from(b))))
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        let e = self.add(ExprKind::PointerAdd(p, n, minus), ty, span, &[p, n])?;
        Ok(self.with_value(e, value))
    }

    /// Indices are counted in `ptrdiff_t`, unsigned ones of that width as they are.
    fn index_type(&self, n: ExprId) -> TypeId {
        let ty = self.ty(n);
        match self.unit.types.int_kind(ty) {
            Some(kind) if self.unit.types.int_size(kind) >= self.unit.types.pointer_size() => ty,
            _ => self.unit.types.ptrdiff_t(),
        }
    }

    fn pointer_difference(&mut self, a: ExprId, b: ExprId, to: Qual, span: Span) -> Res<ExprId> {
        let size = self.element_size(to, span)?;
        let value = match (self.value(a), self.value(b), size) {
            (Some(Const::Address(x, o)), Some(Const::Address(y, p)), Some(size)) if x == y && size > 0 => {
                Some(Const::Int(i128::from((o - p) / size as i64)))
            }
            (Some(Const::Int(x)), Some(Const::Int(y)), Some(size)) if size > 0 => {
                Some(Const::Int((x - y) / i128::from(size)))
            }
            _ => None,
        };
        let ty = self.unit.types.ptrdiff_t();
        let e = self.add(ExprKind::PointerDiff(a, b), ty, span, &[a, b])?;
        Ok(self.with_value(e, value))
    }

    /// Whether a value is known to be true or false.
    pub(super) fn truth(&self, e: ExprId) -> Option<bool> {
        match self.value(e)? {
            Const::Int(v) => Some(v != 0),
            Const::Float(v) => Some(v != 0.0),
            Const::Address(..) => Some(true),
        }
    }

    /// `c ? a : b`, all read.
    pub(super) fn conditional(&mut self, c: ExprId, a: Option<ExprId>, b: ExprId, span: Span) -> Res<ExprId> {
        let c = self.condition(c)?;
        let elvis = a.is_none();
        let a = match a {
            Some(a) => self.rvalue(a)?,
            None => c,
        };
        let b = self.rvalue(b)?;
        let (ta, tb) = (self.ty(a), self.ty(b));
        let types = &self.unit.types;
        let is_null = |p: &Self, e: ExprId| p.value(e) == Some(Const::Int(0));
        let ty = if ta == TypeId::UNKNOWN || tb == TypeId::UNKNOWN {
            TypeId::UNKNOWN
        } else if types.is_arithmetic(ta) && types.is_arithmetic(tb) {
            let (x, y) = (self.promote(a)?, self.promote(b)?);
            self.common_type(self.ty(x), self.ty(y))
        } else if ta == TypeId::VOID || tb == TypeId::VOID {
            TypeId::VOID
        } else {
            match (types.pointee(ta), types.pointee(tb)) {
                (Some(x), Some(y)) => {
                    let void_null =
                        |p: &Self, e: ExprId, q: Qual| q.ty == TypeId::VOID && q.quals == 0 && is_null(p, e);
                    let quals = x.quals | y.quals;
                    let to = if void_null(self, a, x) {
                        y
                    } else if void_null(self, b, y) {
                        x
                    } else if x.ty == TypeId::VOID || y.ty == TypeId::VOID {
                        Qual { ty: TypeId::VOID, quals, align: 0 }
                    } else {
                        let open = matches!(self.unit.types.get(x.ty), Type::Array(_, Length::Unknown));
                        Qual { quals, ..if open { y } else { x } }
                    };
                    self.unit.types.pointer(to)
                }
                (Some(_), None) if types.is_integer(tb) => ta,
                (None, Some(_)) if types.is_integer(ta) => tb,
                _ if types.compatible(ta, tb) => ta,
                _ => {
                    let (x, y) = (self.show(ta), self.show(tb));
                    let message = format!("the two values of `?:` do not fit: `{x}` and `{y}`");
                    return Err(self.error(span, "c-type", message));
                }
            }
        };
        let scalar = ty != TypeId::UNKNOWN && ty != TypeId::VOID && self.unit.types.record_of(ty).is_none();
        let (a, b) = if scalar { (self.convert(a, ty)?, self.convert(b, ty)?) } else { (a, b) };
        let value = match self.truth(c) {
            Some(true) => self.value(a),
            Some(false) => self.value(b),
            None => None,
        };
        if elvis {
            // The condition is `c`; the value, where it holds, is `a`, which is `c` converted.
            let e = self.add(ExprKind::Elvis(c, b), ty, span, &[c, b])?;
            return Ok(self.with_value(e, value));
        }
        let e = self.add(ExprKind::Cond(c, a, b), ty, span, &[c, a, b])?;
        Ok(self.with_value(e, value))
    }
}

fn rank(kind: IntKind) -> u8 {
    use IntKind::*;
    match kind {
        Bool => 0,
        Char | SChar | UChar => 1,
        Short | UShort => 2,
        Int | UInt => 3,
        Long | ULong => 4,
        LongLong | ULongLong => 5,
        Int128 | UInt128 => 6,
    }
}

/// The number of an integer type.
pub(crate) fn int_type(kind: IntKind) -> TypeId {
    use IntKind::*;
    match kind {
        Bool => TypeId::BOOL,
        Char => TypeId::CHAR,
        SChar => TypeId::SCHAR,
        UChar => TypeId::UCHAR,
        Short => TypeId::SHORT,
        UShort => TypeId::USHORT,
        Int => TypeId::INT,
        UInt => TypeId::UINT,
        Long => TypeId::LONG,
        ULong => TypeId::ULONG,
        LongLong => TypeId::LONGLONG,
        ULongLong => TypeId::ULONGLONG,
        Int128 => TypeId::INT128,
        UInt128 => TypeId::UINT128,
    }
}
