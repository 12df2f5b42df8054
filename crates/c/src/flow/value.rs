//! From typed expressions to values without side effects, and edges for the side effects.

use super::lower::Lowering;
use super::{Arg, Callee, Loc, Op, Result, Scalar, Value, ValueId};
use crate::tree::{Base, BinaryOp, Builtin, Const, ExprId, ExprKind, Storage, UnaryOp};
use crate::types::{Type, TypeId};

/// Where a scalar lies: its address, and its bits if it is a bit-field.
#[derive(Clone, Copy)]
struct Place {
    address: ValueId,
    bits: Option<(u32, u32)>,
}

const INDEX: Scalar = Scalar::Int { bytes: 8, signed: true };
pub(super) const INT: Scalar = Scalar::Int { bytes: 4, signed: true };

impl Lowering<'_> {
    pub(super) fn ty(&self, e: ExprId) -> TypeId {
        self.unit.expr(e).ty.ty
    }

    /// Whether an expression does anything besides having a value, or needs a branch that has.
    pub(super) fn has_effects(&mut self, e: ExprId) -> bool {
        if let Some(&known) = self.effects.get(&e) {
            return known;
        }
        let unit = self.unit;
        let answer = match &unit.expr(e).kind {
            ExprKind::Assign(..)
            | ExprKind::AssignOp(..)
            | ExprKind::Step(..)
            | ExprKind::Call(..)
            | ExprKind::Statement(_)
            | ExprKind::Compound(_)
            | ExprKind::VaArg(_) => true,
            ExprKind::Builtin(what, args) => *what != Builtin::Expect || args.iter().any(|&a| self.has_effects(a)),
            ExprKind::Const
            | ExprKind::Str(_)
            | ExprKind::Object(_)
            | ExprKind::LabelAddress(_)
            | ExprKind::VariableSize
            | ExprKind::Unknown => false,
            ExprKind::Decay(a)
            | ExprKind::Load(a)
            | ExprKind::Address(a)
            | ExprKind::Deref(a)
            | ExprKind::Member(a, ..)
            | ExprKind::Unary(_, a)
            | ExprKind::LogNot(a)
            | ExprKind::Cast(a) => self.has_effects(*a),
            ExprKind::Binary(_, a, b)
            | ExprKind::PointerAdd(a, b, _)
            | ExprKind::PointerDiff(a, b)
            | ExprKind::LogAnd(a, b)
            | ExprKind::LogOr(a, b)
            | ExprKind::Elvis(a, b)
            | ExprKind::Comma(a, b) => self.has_effects(*a) || self.has_effects(*b),
            ExprKind::Cond(a, b, c) => self.has_effects(*a) || self.has_effects(*b) || self.has_effects(*c),
        };
        self.effects.insert(e, answer);
        answer
    }

    /// A value that stays what it is: in a temporary unless it is a constant.
    pub(super) fn kept(&mut self, value: ValueId) -> ValueId {
        if matches!(
            self.flow.values[value.0 as usize],
            Value::Int(..) | Value::Float(..) | Value::Temp(_) | Value::Local(_) | Value::Global(_) | Value::Str(_)
        ) {
            return value;
        }
        let temp = self.temp(self.flow.scalar(value));
        self.emit(Op::Set(temp, value));
        self.add(Value::Temp(temp))
    }

    /// The values of two operands, the left one first.
    fn pair(&mut self, a: ExprId, b: ExprId) -> (ValueId, ValueId) {
        let x = self.value(a);
        let x = if self.has_effects(b) { self.kept(x) } else { x };
        (x, self.value(b))
    }

    pub(super) fn moved(&mut self, address: ValueId, bytes: i64) -> ValueId {
        if bytes == 0 {
            return address;
        }
        let by = self.int(bytes.into(), INDEX);
        self.add(Value::Offset(address, by, 1, INDEX))
    }

    /// A branch on an expression.
    pub(super) fn branch(&mut self, e: ExprId, yes: Loc, no: Loc) {
        let unit = self.unit;
        let expr = unit.expr(e);
        if let Some(value) = expr.value
            && !self.has_effects(e)
        {
            let truth = match value {
                Const::Int(v) => v != 0,
                Const::Float(v) => v != 0.0,
                Const::Address(..) => true,
            };
            self.span = expr.span;
            self.edge_to(if truth { yes } else { no }, Op::Skip);
            return;
        }
        match expr.kind {
            ExprKind::LogAnd(a, b) => {
                let middle = self.location();
                self.branch(a, middle, no);
                self.at = middle;
                self.branch(b, yes, no);
            }
            ExprKind::LogOr(a, b) => {
                let middle = self.location();
                self.branch(a, yes, middle);
                self.at = middle;
                self.branch(b, yes, no);
            }
            ExprKind::LogNot(a) => self.branch(a, no, yes),
            ExprKind::Comma(a, b) => {
                self.effect(a);
                self.branch(b, yes, no);
            }
            _ => {
                let value = self.value(e);
                self.span = expr.span;
                let Some(scalar) = self.scalar(expr.ty.ty) else {
                    self.refuse("a condition of this type");
                    return;
                };
                self.edge_to(yes, Op::Assume(value, scalar, true));
                self.edge_to(no, Op::Assume(value, scalar, false));
            }
        }
    }

    /// What an expression does; its value is not used.
    pub(super) fn effect(&mut self, e: ExprId) {
        let unit = self.unit;
        let expr = unit.expr(e);
        match &expr.kind {
            // Reading something that is not used has no effect here.
            ExprKind::Load(_) | ExprKind::Cast(_) | ExprKind::Const | ExprKind::Object(_) if !self.has_effects(e) => {}
            ExprKind::Cast(inner) => self.effect(*inner),
            ExprKind::Comma(a, b) => {
                self.effect(*a);
                self.effect(*b);
            }
            ExprKind::Cond(..) | ExprKind::Elvis(..) | ExprKind::LogAnd(..) | ExprKind::LogOr(..)
                if self.has_effects(e) =>
            {
                let (yes, no, end) = (self.location(), self.location(), self.location());
                let (c, a, b) = match expr.kind {
                    ExprKind::Cond(c, a, b) => (c, Some(a), Some(b)),
                    ExprKind::Elvis(c, b) => (c, None, Some(b)),
                    ExprKind::LogAnd(a, b) => (a, Some(b), None),
                    ExprKind::LogOr(a, b) => (a, None, Some(b)),
                    _ => unreachable!("the pattern has no others"),
                };
                self.branch(c, yes, no);
                for (at, part) in [(yes, a), (no, b)] {
                    self.at = at;
                    if let Some(part) = part {
                        self.effect(part);
                    }
                    self.edge_to(end, Op::Skip);
                }
                self.at = end;
            }
            ExprKind::Call(f, args) => self.call(e, *f, args, Result::None),
            ExprKind::Statement(block) => self.statement(*block),
            ExprKind::Step(target, ..) if self.scalar(self.ty(*target)).is_some() => {
                self.step(e);
            }
            ExprKind::Assign(..) | ExprKind::AssignOp(..) if self.scalar(expr.ty.ty).is_some() => {
                self.assign(e);
            }
            _ if !self.has_effects(e) => {}
            _ if expr.ty.ty == TypeId::VOID || self.scalar(expr.ty.ty).is_some() => {
                self.value(e);
            }
            _ => {
                self.record(e);
            }
        }
    }

    /// The value of a scalar expression.
    pub(super) fn value(&mut self, e: ExprId) -> ValueId {
        let unit = self.unit;
        let expr = unit.expr(e);
        let scalar = self.scalar(expr.ty.ty);
        if let (Some(value), Some(scalar)) = (expr.value, scalar)
            && !self.has_effects(e)
        {
            return self.constant(value, scalar);
        }
        match &expr.kind {
            ExprKind::Decay(a) | ExprKind::Address(a) => self.address(*a),
            ExprKind::Load(_) | ExprKind::Member(..) => {
                let Some(scalar) = scalar else { return self.record(e) };
                // A member of a record that is a value is no lvalue, and read all the same.
                let from = if let ExprKind::Load(a) = expr.kind { a } else { e };
                let place = self.place(from);
                self.add(Value::Load(place.address, scalar, place.bits))
            }
            ExprKind::Unary(op, a) => {
                let Some(scalar) = scalar else { return self.unsupported(e, "this operation") };
                let a = self.value(*a);
                match op {
                    UnaryOp::Plus | UnaryOp::Real => a,
                    _ => self.add(Value::Unary(*op, a, scalar)),
                }
            }
            ExprKind::LogNot(a) => {
                let Some(scalar) = self.scalar(self.ty(*a)) else { return self.unsupported(e, "this operation") };
                let a = self.value(*a);
                self.add(Value::Not(a, scalar))
            }
            ExprKind::Binary(op, a, b) => {
                let (Some(left), Some(right)) = (self.scalar(self.ty(*a)), self.scalar(self.ty(*b))) else {
                    return self.unsupported(e, "this operation");
                };
                let (x, y) = self.pair(*a, *b);
                self.add(Value::Binary(*op, x, y, left, right))
            }
            ExprKind::PointerAdd(p, n, minus) => {
                let size = self.element(self.ty(*p));
                let index = self.scalar(self.ty(*n)).unwrap_or(INDEX);
                let (p, n) = self.pair(*p, *n);
                self.add(Value::Offset(p, n, if *minus { -size } else { size }, index))
            }
            ExprKind::PointerDiff(a, b) => {
                let size = self.element(self.ty(*a));
                let (a, b) = self.pair(*a, *b);
                self.add(Value::Distance(a, b, size))
            }
            ExprKind::LogAnd(..) | ExprKind::LogOr(..) | ExprKind::Cond(..) | ExprKind::Elvis(..) => self.choice(e),
            ExprKind::Comma(a, b) => {
                self.effect(*a);
                self.value(*b)
            }
            ExprKind::Cast(a) => {
                let from = self.scalar(self.ty(*a));
                match (from, scalar) {
                    (Some(from), Some(to)) => {
                        let a = self.value(*a);
                        if from == to { a } else { self.add(Value::Convert(a, from, to)) }
                    }
                    (_, None) if expr.ty.ty == TypeId::VOID => {
                        self.effect(*a);
                        self.int(0, INT)
                    }
                    _ => self.unsupported(e, "this conversion"),
                }
            }
            ExprKind::Assign(..) | ExprKind::AssignOp(..) => self.assign(e),
            ExprKind::Step(..) => self.step(e),
            ExprKind::Call(f, args) => match scalar {
                Some(scalar) => {
                    let temp = self.temp(scalar);
                    self.call(e, *f, args, Result::Temp(temp, scalar));
                    self.add(Value::Temp(temp))
                }
                None => {
                    self.call(e, *f, args, Result::None);
                    self.int(0, INT)
                }
            },
            ExprKind::Builtin(what, args) => self.builtin(e, *what, args),
            ExprKind::Statement(block) => self.statement_value(e, *block),
            ExprKind::LabelAddress(label) => {
                let loc = self.label_address(*label);
                self.add(Value::Label(loc))
            }
            ExprKind::VariableSize => self.unsupported(e, "the size of a type that is told when the program runs"),
            ExprKind::VaArg(_) => self.unsupported(e, "`va_arg`"),
            ExprKind::Unknown => self.unsupported(e, "something that was not understood"),
            _ => self.address(e),
        }
    }

    pub(super) fn unsupported(&mut self, e: ExprId, what: &str) -> ValueId {
        self.span = self.unit.expr(e).span;
        self.refuse(what);
        let scalar = self.scalar(self.ty(e)).unwrap_or(INT);
        self.int(0, scalar)
    }

    fn constant(&mut self, value: Const, scalar: Scalar) -> ValueId {
        match value {
            Const::Int(v) => self.int(v, scalar),
            Const::Float(v) => self.add(Value::Float(v, scalar)),
            Const::Address(base, offset) => {
                let base = match base {
                    Base::Object(id) => self.add(Value::Global(id)),
                    Base::Str(id) => self.add(Value::Str(id)),
                    Base::Label(label) => {
                        let loc = self.label_address(label);
                        self.add(Value::Label(loc))
                    }
                };
                self.moved(base, offset)
            }
        }
    }

    /// Bytes of what a pointer points to.
    fn element(&mut self, pointer: TypeId) -> i64 {
        let to = self.unit.types.pointee(pointer).map(|q| q.ty);
        match to.and_then(|to| self.unit.types.size(to)) {
            Some(size) => size as i64,
            None => {
                self.refuse("a pointer to something whose size is told when the program runs");
                1
            }
        }
    }

    /// `&&`, `||`, `?:` as values.
    fn choice(&mut self, e: ExprId) -> ValueId {
        let unit = self.unit;
        let expr = unit.expr(e);
        let Some(scalar) = self.scalar(expr.ty.ty) else {
            self.effect(e);
            return self.int(0, INT);
        };
        let condition = |c: ExprId| unit.expr(c).ty.ty;
        if !self.has_effects(e) {
            let (c, a, b) = match expr.kind {
                ExprKind::LogAnd(a, b) => (a, Some(b), None),
                ExprKind::LogOr(a, b) => (a, None, Some(b)),
                ExprKind::Cond(c, a, b) => (c, Some(a), Some(b)),
                ExprKind::Elvis(c, b) => (c, Some(c), Some(b)),
                _ => unreachable!("the caller looked"),
            };
            let logical = matches!(expr.kind, ExprKind::LogAnd(..) | ExprKind::LogOr(..));
            let Some(deciding) = self.scalar(condition(c)) else { return self.unsupported(e, "this condition") };
            let test = self.value(c);
            let part = |l: &mut Self, part: Option<ExprId>, or: i128| match part {
                None => l.int(or, INT),
                Some(p) if logical => match l.scalar(l.ty(p)) {
                    Some(s) => {
                        let v = l.value(p);
                        let not = l.add(Value::Not(v, s));
                        l.add(Value::Not(not, INT))
                    }
                    None => l.unsupported(p, "this condition"),
                },
                Some(p) => {
                    let v = l.value(p);
                    match l.scalar(l.ty(p)) {
                        Some(from) if from != scalar => l.add(Value::Convert(v, from, scalar)),
                        _ => v,
                    }
                }
            };
            let yes = part(self, a, 1);
            let no = part(self, b, 0);
            // Of `a && b` the value is 0 where `a` is 0; of `a || b` it is 1 where `a` is not.
            return self.add(Value::Select(test, deciding, yes, no));
        }
        let temp = self.temp(scalar);
        let (yes, no, end) = (self.location(), self.location(), self.location());
        let set = |l: &mut Self, value: ValueId| {
            l.emit(Op::Set(temp, value));
            l.edge_to(end, Op::Skip);
        };
        match expr.kind {
            ExprKind::Cond(c, a, b) => {
                self.branch(c, yes, no);
                for (at, part) in [(yes, a), (no, b)] {
                    self.at = at;
                    let value = self.value(part);
                    set(self, value);
                }
            }
            ExprKind::Elvis(c, b) => {
                let Some(from) = self.scalar(condition(c)) else { return self.unsupported(e, "this condition") };
                let value = self.value(c);
                let value = self.kept(value);
                self.edge_to(yes, Op::Assume(value, from, true));
                self.edge_to(no, Op::Assume(value, from, false));
                self.at = yes;
                let converted = if from == scalar { value } else { self.add(Value::Convert(value, from, scalar)) };
                set(self, converted);
                self.at = no;
                let other = self.value(b);
                set(self, other);
            }
            _ => {
                self.branch(e, yes, no);
                for (at, v) in [(yes, 1), (no, 0)] {
                    self.at = at;
                    let value = self.int(v, INT);
                    set(self, value);
                }
            }
        }
        self.at = end;
        self.add(Value::Temp(temp))
    }

    /// Where an lvalue lies.
    fn place(&mut self, e: ExprId) -> Place {
        if let ExprKind::Member(base, record, field) = self.unit.expr(e).kind {
            let field = &self.unit.types.record(record).fields[field as usize];
            let (offset, bits) = (field.offset as i64, field.bits);
            let base = self.address(base);
            return Place { address: self.moved(base, offset), bits };
        }
        Place { address: self.address(e), bits: None }
    }

    /// The address of an lvalue, of a function, or of the bytes of a record that is a value.
    pub(super) fn address(&mut self, e: ExprId) -> ValueId {
        let unit = self.unit;
        match unit.expr(e).kind {
            ExprKind::Object(id) => match unit.object(id).storage {
                Storage::Static => self.add(Value::Global(id)),
                Storage::Thread => self.add(Value::Global(id)),
                Storage::Automatic | Storage::Parameter => {
                    let slot = self.slot(id);
                    self.add(Value::Local(slot))
                }
            },
            ExprKind::Str(id) => self.add(Value::Str(id)),
            ExprKind::Compound(id) if unit.object(id).storage == Storage::Static => self.add(Value::Global(id)),
            ExprKind::Compound(id) => {
                let slot = self.slot(id);
                self.emit(Op::Enter(slot));
                let address = self.add(Value::Local(slot));
                self.initialise(id, address);
                address
            }
            ExprKind::Deref(p) => self.value(p),
            ExprKind::Member(..) => self.place(e).address,
            ExprKind::Comma(a, b) => {
                self.effect(a);
                self.address(b)
            }
            _ => self.record(e),
        }
    }

    /// The address of the bytes of an aggregate.
    pub(super) fn record(&mut self, e: ExprId) -> ValueId {
        let unit = self.unit;
        let expr = unit.expr(e);
        let size = unit.types.size(expr.ty.ty).unwrap_or(0);
        self.span = expr.span;
        match &expr.kind {
            ExprKind::Load(a) => self.address(*a),
            ExprKind::Member(..) => self.place(e).address,
            ExprKind::Cast(a) if self.scalar(self.ty(*a)).is_none() => self.record(*a),
            ExprKind::Cast(a) => {
                // A union made of a member's value.
                let Some(scalar) = self.scalar(self.ty(*a)) else { return self.unsupported(e, "this conversion") };
                let value = self.value(*a);
                let slot = self.new_slot(None, size);
                self.emit(Op::Enter(slot));
                let address = self.add(Value::Local(slot));
                self.emit(Op::Store(address, value, scalar, None));
                address
            }
            ExprKind::Assign(a, b) => {
                let to = self.address(*a);
                let to = if self.has_effects(*b) { self.kept(to) } else { to };
                let from = self.record(*b);
                self.emit(Op::Copy(to, from, size));
                to
            }
            ExprKind::Call(f, args) => {
                let slot = self.new_slot(None, size);
                let address = self.add(Value::Local(slot));
                self.emit(Op::Enter(slot));
                self.call(e, *f, args, Result::Bytes(address, size));
                address
            }
            ExprKind::Cond(c, a, b) => {
                let temp = self.temp(Scalar::Pointer);
                let (yes, no, end) = (self.location(), self.location(), self.location());
                self.branch(*c, yes, no);
                for (at, part) in [(yes, a), (no, b)] {
                    self.at = at;
                    let address = self.record(*part);
                    self.emit(Op::Set(temp, address));
                    self.edge_to(end, Op::Skip);
                }
                self.at = end;
                self.add(Value::Temp(temp))
            }
            ExprKind::Comma(a, b) => {
                self.effect(*a);
                self.record(*b)
            }
            ExprKind::Statement(block) => self.statement_value(e, *block),
            _ if expr.lvalue => self.address(e),
            _ => self.unsupported(e, "a value of this type"),
        }
    }

    /// The value (of an aggregate: the address) of `({ ... })`.
    fn statement_value(&mut self, e: ExprId, block: crate::tree::StmtId) -> ValueId {
        use crate::tree::Stmt;
        let unit = self.unit;
        let Stmt::Block(list) = unit.stmt(block) else {
            self.statement(block);
            return self.int(0, INT);
        };
        let Some((&last, before)) = list.split_last() else { return self.int(0, INT) };
        before.iter().for_each(|&s| self.statement(s));
        match (unit.stmt(last), self.scalar(self.ty(e))) {
            (Stmt::Expr(value), Some(_)) => {
                let value = self.value(*value);
                self.kept(value)
            }
            (Stmt::Expr(value), None) if self.ty(e) != TypeId::VOID => {
                // Copied, because what it names ends with the block.
                let size = unit.types.size(self.ty(e)).unwrap_or(0);
                let from = self.record(*value);
                let slot = self.new_slot(None, size);
                let to = self.add(Value::Local(slot));
                self.emit(Op::Copy(to, from, size));
                to
            }
            _ if self.ty(e) == TypeId::VOID => {
                self.statement(last);
                self.int(0, INT)
            }
            _ => self.unsupported(e, "a label before the value of `({ ... })`"),
        }
    }

    /// `a = b` and `a op= b` of scalars.
    fn assign(&mut self, e: ExprId) -> ValueId {
        let unit = self.unit;
        let expr = unit.expr(e);
        let Some(scalar) = self.scalar(expr.ty.ty) else { return self.record(e) };
        match expr.kind {
            ExprKind::Assign(a, b) => {
                let place = self.place(a);
                let address = if self.has_effects(b) { self.kept(place.address) } else { place.address };
                let value = self.value(b);
                self.store(Place { address, ..place }, value, scalar, e)
            }
            ExprKind::AssignOp(op, a, b, ty) => {
                let place = self.place(a);
                let address = self.kept(place.address);
                let place = Place { address, ..place };
                let right = self.scalar(self.ty(b)).unwrap_or(INT);
                let y = self.value(b);
                let y = if self.has_effects(b) { self.kept(y) } else { y };
                let old = self.add(Value::Load(place.address, scalar, place.bits));
                let new = if scalar == Scalar::Pointer {
                    let size = self.element(ty);
                    self.add(Value::Offset(old, y, if op == BinaryOp::Sub { -size } else { size }, right))
                } else {
                    let Some(wide) = self.scalar(ty) else { return self.unsupported(e, "this operation") };
                    let x = if wide == scalar { old } else { self.add(Value::Convert(old, scalar, wide)) };
                    let result = self.add(Value::Binary(op, x, y, wide, right));
                    if wide == scalar { result } else { self.add(Value::Convert(result, wide, scalar)) }
                };
                self.store(place, new, scalar, e)
            }
            _ => unreachable!("the caller looked"),
        }
    }

    /// Stores a value; gives what the object then holds.
    fn store(&mut self, place: Place, value: ValueId, scalar: Scalar, e: ExprId) -> ValueId {
        let value = self.kept(value);
        self.span = self.unit.expr(e).span;
        self.emit(Op::Store(place.address, value, scalar, place.bits));
        match place.bits {
            // A bit-field keeps only what it has room for.
            Some((_, width)) => self.narrowed(value, scalar, width),
            None => value,
        }
    }

    /// A value cut to the width of a bit-field, by shifts.
    fn narrowed(&mut self, value: ValueId, scalar: Scalar, width: u32) -> ValueId {
        let Scalar::Int { bytes, .. } = scalar else { return value };
        let by = u32::from(bytes) * 8 - width;
        let by = self.int(by.into(), INT);
        let up = self.add(Value::Binary(BinaryOp::Shl, value, by, scalar, INT));
        self.add(Value::Binary(BinaryOp::Shr, up, by, scalar, INT))
    }

    /// `++a` and its kind; gives the value.
    fn step(&mut self, e: ExprId) -> ValueId {
        let unit = self.unit;
        let ExprKind::Step(target, plus, before) = unit.expr(e).kind else { unreachable!("the caller looked") };
        let Some(scalar) = self.scalar(self.ty(target)) else { return self.unsupported(e, "a step of this type") };
        let place = self.place(target);
        let address = self.kept(place.address);
        let place = Place { address, ..place };
        let old = self.add(Value::Load(place.address, scalar, place.bits));
        let old = self.kept(old);
        let op = if plus { BinaryOp::Add } else { BinaryOp::Sub };
        let new = match scalar {
            Scalar::Pointer => {
                let size = self.element(self.ty(target));
                let one = self.int(1, INDEX);
                self.add(Value::Offset(old, one, if plus { size } else { -size }, INDEX))
            }
            Scalar::F32 | Scalar::F64 => {
                let one = self.add(Value::Float(1.0, scalar));
                self.add(Value::Binary(op, old, one, scalar, scalar))
            }
            Scalar::Bool => {
                // Adding 1 makes it true; subtracting turns it.
                if plus { self.int(1, scalar) } else { self.add(Value::Not(old, scalar)) }
            }
            Scalar::Int { .. } => {
                let one = self.int(1, scalar);
                self.add(Value::Binary(op, old, one, scalar, scalar))
            }
        };
        let stored = self.store(place, new, scalar, e);
        if before { old } else { stored }
    }

    /// An argument or a result.
    pub(super) fn argument(&mut self, e: ExprId) -> Option<Arg> {
        let ty = self.ty(e);
        if ty == TypeId::VOID {
            self.effect(e);
            return None;
        }
        if let Some(scalar) = self.scalar(ty) {
            return Some(Arg::Scalar(self.value(e), scalar));
        }
        let size = self.unit.types.size(ty).unwrap_or(0);
        Some(Arg::Bytes(self.record(e), size))
    }

    fn call(&mut self, e: ExprId, f: ExprId, args: &[ExprId], result: Result) {
        let unit = self.unit;
        let direct = match unit.expr(f).kind {
            ExprKind::Decay(inner) => match unit.expr(inner).kind {
                ExprKind::Object(id) if matches!(unit.types.get(unit.object(id).ty.ty), Type::Function(_)) => Some(id),
                _ => None,
            },
            _ => None,
        };
        let callee = match direct {
            Some(id) => Callee::Direct(id),
            None => {
                let address = self.value(f);
                let effects = args.iter().any(|&a| self.has_effects(a));
                Callee::Indirect(if effects { self.kept(address) } else { address })
            }
        };
        let mut given = Vec::with_capacity(args.len());
        for (index, &a) in args.iter().enumerate() {
            let later = args[index + 1..].iter().any(|&b| self.has_effects(b));
            match self.argument(a) {
                Some(Arg::Scalar(value, scalar)) if later => {
                    given.push(Arg::Scalar(self.kept(value), scalar));
                }
                Some(Arg::Bytes(address, size)) if later => {
                    let slot = self.new_slot(None, size);
                    let to = self.add(Value::Local(slot));
                    self.emit(Op::Copy(to, address, size));
                    given.push(Arg::Bytes(to, size));
                }
                Some(arg) => given.push(arg),
                None => {}
            }
        }
        self.span = unit.expr(e).span;
        self.emit(Op::Call(callee, given.into(), result));
    }
}
