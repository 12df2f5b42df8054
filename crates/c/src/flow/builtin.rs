//! Builtins that are more than a call: overflow checks, atomic operations, fences.

use super::lower::Lowering;
use super::value::INT;
use super::{Op, Scalar, Value, ValueId};
use crate::tree::{BinaryOp, Builtin, ExprId};

impl Lowering<'_> {
    pub(super) fn builtin(&mut self, e: ExprId, what: Builtin, args: &[ExprId]) -> ValueId {
        let unit = self.unit;
        self.span = unit.expr(e).span;
        match what {
            Builtin::Expect => match args.split_first() {
                Some((&first, rest)) => {
                    let value = self.value(first);
                    rest.iter().for_each(|&r| self.effect(r));
                    value
                }
                None => self.int(0, INT),
            },
            Builtin::VaEnd => {
                args.iter().for_each(|&a| self.effect(a));
                self.int(0, INT)
            }
            Builtin::Unreachable => {
                self.refuse("`__builtin_unreachable` is reached");
                self.int(0, INT)
            }
            Builtin::VaStart | Builtin::VaCopy => self.unsupported(e, "`va_start`"),
            Builtin::AddOverflow | Builtin::SubOverflow | Builtin::MulOverflow => self.overflow(e, what, args),
            Builtin::Atomic(name) => {
                let text = unit.name(name).clone();
                self.atomic(e, &text, args)
            }
            Builtin::Other(name) => {
                let text = unit.name(name).clone();
                self.unsupported(e, &format!("`{text}`"))
            }
        }
    }

    /// `__builtin_add_overflow(a, b, &r)` in 128 bits, which hold all results of narrower operands.
    fn overflow(&mut self, e: ExprId, what: Builtin, args: &[ExprId]) -> ValueId {
        let &[a, b, r] = args else { return self.unsupported(e, "this call") };
        let target = self.unit.types.pointee(self.ty(r)).and_then(|q| self.scalar(q.ty));
        let (Some(sa), Some(sb), Some(to)) = (self.scalar(self.ty(a)), self.scalar(self.ty(b)), target) else {
            return self.unsupported(e, "this call");
        };
        let narrow = |s: Scalar| matches!(s, Scalar::Int { bytes, .. } if bytes <= 8);
        if !(narrow(sa) && narrow(sb) && narrow(to)) {
            return self.unsupported(e, "overflow of this type");
        }
        let wide = Scalar::Int { bytes: 16, signed: true };
        let op = match what {
            Builtin::AddOverflow => BinaryOp::Add,
            Builtin::SubOverflow => BinaryOp::Sub,
            _ => BinaryOp::Mul,
        };
        let x = self.value(a);
        let x = self.kept(x);
        let y = self.value(b);
        let y = self.kept(y);
        let address = self.value(r);
        let address = self.kept(address);
        let x = self.add(Value::Convert(x, sa, wide));
        let y = self.add(Value::Convert(y, sb, wide));
        let exact = self.add(Value::Binary(op, x, y, wide, wide));
        let exact = self.kept(exact);
        let stored = self.add(Value::Convert(exact, wide, to));
        self.emit(Op::Store(address, stored, to, None));
        let back = self.add(Value::Convert(stored, to, wide));
        self.add(Value::Binary(BinaryOp::Ne, exact, back, wide, wide))
    }

    /// `__atomic_*` and `__sync_*` on scalars: one access after the other, each between fences.
    fn atomic(&mut self, e: ExprId, name: &str, args: &[ExprId]) -> ValueId {
        let rest = name.trim_start_matches("__atomic_").trim_start_matches("__sync_");
        if matches!(rest, "thread_fence" | "signal_fence" | "synchronize") {
            args.iter().for_each(|&a| self.effect(a));
            self.emit(Op::Fence);
            return self.int(0, INT);
        }
        let Some((&pointer, others)) = args.split_first() else { return self.unsupported(e, "this call") };
        let target = self.unit.types.pointee(self.ty(pointer)).and_then(|q| self.scalar(q.ty));
        let Some(scalar) = target else { return self.unsupported(e, "an atomic operation on this type") };
        let address = self.value(pointer);
        let address = self.kept(address);
        let mut values = Vec::new();
        for &o in others {
            let s = self.scalar(self.ty(o)).unwrap_or(INT);
            let v = self.value(o);
            values.push((self.kept(v), s));
        }
        self.emit(Op::Fence);
        let load = |l: &mut Self, at: ValueId| {
            let v = l.add(Value::Load(at, scalar, None));
            l.kept(v)
        };
        let operation = [
            ("add", BinaryOp::Add),
            ("sub", BinaryOp::Sub),
            ("and", BinaryOp::And),
            ("or", BinaryOp::Or),
            ("xor", BinaryOp::Xor),
        ];
        let first = values.first().copied();
        let result = match (rest, first) {
            ("load_n", _) => load(self, address),
            ("store_n", Some((v, _))) => {
                self.emit(Op::Store(address, v, scalar, None));
                self.int(0, INT)
            }
            ("lock_release", _) => {
                let zero = self.int(0, scalar);
                self.emit(Op::Store(address, zero, scalar, None));
                self.int(0, INT)
            }
            ("exchange_n" | "lock_test_and_set", Some((v, _))) => {
                let old = load(self, address);
                self.emit(Op::Store(address, v, scalar, None));
                old
            }
            ("val_compare_and_swap" | "bool_compare_and_swap", Some((expected, _))) if values.len() >= 2 => {
                let new = values[1].0;
                let old = load(self, address);
                let same = self.add(Value::Binary(BinaryOp::Eq, old, expected, scalar, scalar));
                let stored = self.add(Value::Select(same, INT, new, old));
                self.emit(Op::Store(address, stored, scalar, None));
                if rest.starts_with("val") { old } else { same }
            }
            ("compare_exchange_n", Some((expected, _))) if values.len() >= 2 => {
                let new = values[1].0;
                let old = load(self, address);
                let wanted = load(self, expected);
                let same = self.add(Value::Binary(BinaryOp::Eq, old, wanted, scalar, scalar));
                let same = self.kept(same);
                let stored = self.add(Value::Select(same, INT, new, old));
                self.emit(Op::Store(address, stored, scalar, None));
                self.emit(Op::Store(expected, old, scalar, None));
                same
            }
            (_, Some((v, s))) => {
                let parts: Vec<&str> = rest.split('_').collect();
                let found = operation.iter().find(|(word, _)| parts.contains(word));
                let fetch_first = rest.starts_with("fetch_");
                let (Some(&(_, op)), true) = (found, rest.contains("fetch") && !rest.contains("nand")) else {
                    return self.unsupported(e, &format!("`{name}`"));
                };
                let old = load(self, address);
                let new = if scalar == Scalar::Pointer {
                    self.add(Value::Offset(old, v, if op == BinaryOp::Sub { -1 } else { 1 }, s))
                } else {
                    self.add(Value::Binary(op, old, v, scalar, s))
                };
                let new = self.kept(new);
                self.emit(Op::Store(address, new, scalar, None));
                if fetch_first { old } else { new }
            }
            _ => return self.unsupported(e, &format!("`{name}`")),
        };
        self.emit(Op::Fence);
        result
    }
}
