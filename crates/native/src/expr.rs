//! Expressions as machine code.
//!
//! Operands are evaluated in the interpreter's order, so that the same failure comes first. Where the range of an
//! index shows that it stays inside the array there is no check; where the right operand of `&&` or `||` cannot fail
//! and costs little, both are evaluated and there is no branch.

use crate::context::{Fault, at};
use crate::emit::Emitter;
use crate::runtime;
use crate::scan::Frame;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use ferrospin_model::facts::value::hull;
use ferrospin_model::ir::{Area, Binary, Call, Expr, Place, Scalar, Unary};

/// Smallest and largest value an expression can have.
pub(crate) fn range(e: &Expr) -> (i64, i64) {
    const ANY: (i64, i64) = (i32::MIN as i64, i32::MAX as i64);
    let (low, high) = match e {
        Expr::Const(c) => (i64::from(*c), i64::from(*c)),
        Expr::Load(place) | Expr::Remote(_, _, place) => scalar_range(place.scalar),
        Expr::Pid | Expr::Last | Expr::ProcessCount | Expr::Priority(_) => (0, 255),
        Expr::Unary(Unary::Not, _)
        | Expr::Binary(
            Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge | Binary::Eq | Binary::Ne | Binary::And | Binary::Or,
            ..,
        )
        | Expr::Poll(_)
        | Expr::Timeout
        | Expr::NonProgress
        | Expr::Enabled(_)
        | Expr::AtLocation(..) => (0, 1),
        Expr::Binary(Binary::Add, a, b) => {
            let (a, b) = (range(a), range(b));
            (a.0 + b.0, a.1 + b.1)
        }
        Expr::Binary(Binary::Sub, a, b) => {
            let (a, b) = (range(a), range(b));
            (a.0 - b.1, a.1 - b.0)
        }
        Expr::Binary(Binary::Mul, a, b) => {
            let (a, b) = (range(a), range(b));
            let all = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1];
            (all.into_iter().min().expect("four"), all.into_iter().max().expect("four"))
        }
        Expr::Binary(Binary::Rem, a, b) => match (range(a), range(b)) {
            ((0.., high), (1.., most)) => (0, high.min(most - 1)),
            (_, (1.., most)) => (1 - most, most - 1),
            _ => ANY,
        },
        Expr::Binary(Binary::BitAnd, a, b) => match (range(a), range(b)) {
            ((0.., x), (0.., y)) => (0, x.min(y)),
            ((0.., x), _) | (_, (0.., x)) => (0, x),
            _ => ANY,
        },
        Expr::Cond(parts) => {
            let (a, b) = (range(&parts[1]), range(&parts[2]));
            (a.0.min(b.0), a.1.max(b.1))
        }
        _ => ANY,
    };
    // What leaves the range of 32 bits wraps, and could be anything.
    if low < ANY.0 || high > ANY.1 { ANY } else { (low, high) }
}

/// The values a scalar of the state can have.
pub(crate) fn scalar_range(scalar: Scalar) -> (i64, i64) {
    match scalar {
        // Bytes of a state hold what was cut before it was stored, but nothing keeps a caller from passing others; so
        // the range is that of the bytes, not of the bits.
        Scalar::Unsigned(1..=8) => (0, 255),
        Scalar::Unsigned(9..=16) => (0, 65535),
        Scalar::Short => (-32768, 32767),
        Scalar::Unsigned(_) | Scalar::Int => (i64::from(i32::MIN), i64::from(i32::MAX)),
    }
}

/// Whether storing a value leaves it as it is.
pub(crate) fn fits(scalar: Scalar, (low, high): (i64, i64)) -> bool {
    match scalar {
        Scalar::Unsigned(n) => low >= 0 && high < 1 << n,
        Scalar::Short => low >= -32768 && high <= 32767,
        Scalar::Int => true,
    }
}

fn in_bounds(value: &Expr, len: u32) -> bool {
    let (low, high) = range(value);
    low >= 0 && high < i64::from(len)
}

/// Whether an expression cannot fail and needs neither branch nor call. `budget` bounds its size.
fn is_simple(e: &Expr, budget: &mut u32) -> bool {
    if *budget == 0 {
        return false;
    }
    *budget -= 1;
    match e {
        Expr::Const(_) | Expr::Pid | Expr::Last | Expr::Timeout | Expr::ProcessCount => true,
        Expr::Load(place) => place.indices.iter().all(|i| in_bounds(&i.value, i.len) && is_simple(&i.value, budget)),
        Expr::Unary(_, a) => is_simple(a, budget),
        Expr::Binary(Binary::Div | Binary::Rem, ..) => false,
        Expr::Binary(_, a, b) => is_simple(a, budget) && is_simple(b, budget),
        _ => false,
    }
}

/// Whether an expression cannot fail and costs little.
pub(crate) fn simple(e: &Expr) -> bool {
    is_simple(e, &mut 12)
}

impl Emitter<'_, '_> {
    /// The value of an expression, 32 bits.
    pub(crate) fn expr(&mut self, e: &Expr) -> Value {
        match e {
            Expr::Const(v) => self.int(i64::from(*v)),
            Expr::Load(place) => {
                let (pointer, offset) = self.address(place);
                self.load(place.scalar, pointer, offset)
            }
            Expr::Unary(Unary::Minus, a) => {
                let a = self.expr(a);
                self.b.ins().ineg(a)
            }
            Expr::Unary(Unary::Complement, a) => {
                let a = self.expr(a);
                self.b.ins().bnot(a)
            }
            Expr::Unary(Unary::Not, _)
            | Expr::Binary(
                Binary::And | Binary::Or | Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge | Binary::Eq | Binary::Ne,
                ..,
            ) => {
                let bit = self.truth(e);
                self.widen(bit)
            }
            Expr::Binary(op, a, b) => {
                let (x, y) = (self.expr(a), self.expr(b));
                self.arithmetic(*op, x, y, b)
            }
            Expr::Cond(parts) => {
                let [c, a, b] = &**parts;
                let c = self.truth(c);
                let (yes, no, join) = (self.block(), self.block(), self.block());
                let result = self.b.append_block_param(join, types::I32);
                self.branch(c, yes, no);
                for (block, e) in [(yes, a), (no, b)] {
                    self.go(block);
                    let v = self.expr(e);
                    self.jump_with(join, v);
                }
                self.go(join);
                result
            }
            Expr::Channel(test, c) => self.channel_test(*test, c),
            Expr::Poll(r) => {
                let bit = self.poll(r);
                self.widen(bit)
            }
            Expr::Pid => self.pid,
            Expr::Last => match self.plan.model.layout.last {
                Some(at) => {
                    let base = self.base();
                    self.load(Scalar::BYTE, base, at)
                }
                None => self.int(0),
            },
            Expr::ProcessCount => self.load_context(at::PROCESS_COUNT),
            Expr::ChannelCount => self.load_context(at::CHANNEL_COUNT),
            Expr::Timeout => self.load_context(at::TIMEOUT),
            Expr::NonProgress => {
                let v = self.call(runtime::non_progress as *const () as usize, &[]);
                self.b.ins().ireduce(types::I32, v)
            }
            Expr::Enabled(p) => self.ask(runtime::enabled as *const () as usize, p),
            Expr::PcValue(p) => self.ask(runtime::pc_value as *const () as usize, p),
            Expr::Priority(p) => self.ask(runtime::priority as *const () as usize, p),
            Expr::AtLocation(process, Some(pid), location) => {
                // Locations tell the type, so that only the number has to be looked at.
                let own = self.plan.model.locations.get(location.index()).is_some_and(|l| l.process == *process);
                let pid = self.expr(pid);
                let count = self.load_context(at::PROCESS_COUNT);
                let there = self.compare(IntCC::UnsignedLessThan, pid, count);
                let own = self.bit(own);
                let there = self.b.ins().band(there, own);
                let bit = self.and_or(true, there, |m| {
                    let frames = m.load_pointer(at::FRAMES);
                    let entry = m.offset(frames, pid, size_of::<Frame>() as u32);
                    let (base, at) = (m.base(), m.peek(entry, 0));
                    let frame = m.offset(base, at, 1);
                    let here = m.load_location(frame);
                    m.compare_int(IntCC::Equal, here, i64::from(location.0))
                });
                self.widen(bit)
            }
            Expr::AtLocation(process, pid, location) => {
                let frame = self.instance(process.0, pid.as_deref());
                self.if_there(frame, |m, pointer| {
                    let here = m.load_location(pointer);
                    let bit = m.compare_int(IntCC::Equal, here, i64::from(location.0));
                    m.widen(bit)
                })
            }
            Expr::Remote(process, pid, place) => {
                let frame = self.instance(process.0, pid.as_deref());
                self.if_there(frame, |m, pointer| {
                    let pointer = m.indexed(pointer, place);
                    m.load(place.scalar, pointer, place.offset)
                })
            }
            Expr::Call(c) => self.foreign(runtime::evaluate as *const () as usize, c),
            Expr::Foreign => {
                self.raise(Fault::Foreign, None, 0);
                let dead = self.block();
                self.go(dead);
                self.int(0)
            }
        }
    }

    /// Calls a helper function that runs foreign code.
    pub(crate) fn foreign(&mut self, helper: usize, c: &Call) -> Value {
        let list = self.scratch(4 * c.args.len() as u32);
        for (i, e) in c.args.iter().enumerate() {
            let v = self.expr(e);
            self.poke(v, list, 4 * i as i32);
        }
        // So much of the frame must be there; what is not touched may not be.
        let local = c.reads.iter().chain(&c.writes).filter(|p| p.area == Area::Local);
        let seen = local.map(|p| hull(p).1).max().unwrap_or(0);
        let (code, seen, count) = (self.int(c.code.into()), self.int(seen.into()), self.int(c.args.len() as i64));
        let (base, frame) = (self.base(), self.frame());
        self.call_or_fail(helper, &[base, frame, code, seen, list, count])
    }

    /// Whether an expression is not zero, 8 bits.
    pub(crate) fn truth(&mut self, e: &Expr) -> Value {
        match e {
            Expr::Const(v) => self.bit(*v != 0),
            Expr::Unary(Unary::Not, a) => {
                let a = self.truth(a);
                let one = self.bit(true);
                self.b.ins().bxor(a, one)
            }
            Expr::Binary(op @ (Binary::And | Binary::Or), a, b) => {
                let a = self.truth(a);
                if simple(b) {
                    let b = self.truth(b);
                    return if *op == Binary::And { self.b.ins().band(a, b) } else { self.b.ins().bor(a, b) };
                }
                self.and_or(*op == Binary::And, a, |m| m.truth(b))
            }
            Expr::Binary(op, a, b) => {
                let cc = match op {
                    Binary::Lt => IntCC::SignedLessThan,
                    Binary::Le => IntCC::SignedLessThanOrEqual,
                    Binary::Gt => IntCC::SignedGreaterThan,
                    Binary::Ge => IntCC::SignedGreaterThanOrEqual,
                    Binary::Eq => IntCC::Equal,
                    Binary::Ne => IntCC::NotEqual,
                    _ => {
                        let v = self.expr(e);
                        return self.compare_int(IntCC::NotEqual, v, 0);
                    }
                };
                let (a, b) = (self.expr(a), self.expr(b));
                self.compare(cc, a, b)
            }
            Expr::Poll(r) => self.poll(r),
            _ => {
                let v = self.expr(e);
                self.compare_int(IntCC::NotEqual, v, 0)
            }
        }
    }

    /// `a && b` or `a || b`, the right operand evaluated only if needed.
    pub(crate) fn and_or(&mut self, and: bool, a: Value, b: impl FnOnce(&mut Self) -> Value) -> Value {
        let (more, join) = (self.block(), self.block());
        let result = self.b.append_block_param(join, types::I8);
        let known = self.bit(!and);
        let known = [cranelift_codegen::ir::BlockArg::Value(known)];
        if and {
            self.b.ins().brif(a, more, [], join, &known);
        } else {
            self.b.ins().brif(a, join, &known, more, []);
        }
        self.go(more);
        let b = b(self);
        self.jump_with(join, b);
        self.go(join);
        result
    }

    fn arithmetic(&mut self, op: Binary, x: Value, y: Value, b: &Expr) -> Value {
        match op {
            Binary::Add => self.b.ins().iadd(x, y),
            Binary::Sub => self.b.ins().isub(x, y),
            Binary::Mul => self.b.ins().imul(x, y),
            Binary::BitAnd => self.b.ins().band(x, y),
            Binary::BitXor => self.b.ins().bxor(x, y),
            Binary::BitOr => self.b.ins().bor(x, y),
            // Counts outside 0..31 wrap here as in the interpreter.
            Binary::Shl => self.b.ins().ishl(x, y),
            Binary::Shr => self.b.ins().sshr(x, y),
            Binary::Div | Binary::Rem => self.divide(op == Binary::Div, x, y, range(b)),
            _ => unreachable!("comparisons and logic are done as truth values"),
        }
    }

    fn divide(&mut self, div: bool, x: Value, y: Value, (low, high): (i64, i64)) -> Value {
        if low <= 0 && high >= 0 {
            let zero = self.compare_int(IntCC::Equal, y, 0);
            self.raise_if(zero, Fault::DivisionByZero, None, 0);
        }
        // The machine's division traps on the smallest number divided by -1, which wraps here.
        let wraps = (low <= -1 && high >= -1).then(|| self.compare_int(IntCC::Equal, y, -1));
        let divisor = match wraps {
            Some(w) => {
                let one = self.int(1);
                self.b.ins().select(w, one, y)
            }
            None => y,
        };
        let result = if div { self.b.ins().sdiv(x, divisor) } else { self.b.ins().srem(x, divisor) };
        match wraps {
            Some(w) if div => {
                let negative = self.b.ins().ineg(x);
                self.b.ins().select(w, negative, result)
            }
            // The remainder of a division by 1 is 0, and so is that by -1.
            _ => result,
        }
    }

    /// Where a place stands: a pointer and an offset from it.
    pub(crate) fn address(&mut self, place: &Place) -> (Value, u32) {
        let start = self.area(place.area);
        (self.indexed(start, place), place.offset)
    }

    /// Adds the indices of a place to a pointer, checked.
    fn indexed(&mut self, mut pointer: Value, place: &Place) -> Value {
        for i in &place.indices {
            let index = self.expr(&i.value);
            if !in_bounds(&i.value, i.len) {
                let outside = self.compare_int(IntCC::UnsignedGreaterThanOrEqual, index, i64::from(i.len));
                self.raise_if(outside, Fault::Index, Some(index), i.len);
            }
            pointer = self.offset(pointer, index, i.stride);
        }
        pointer
    }

    /// Stores a value whose range is known.
    pub(crate) fn store(&mut self, place: &Place, value: Value, values: (i64, i64)) {
        let (pointer, offset) = self.address(place);
        self.save(place.scalar, value, pointer, offset, fits(place.scalar, values));
    }

    fn ask(&mut self, helper: usize, p: &Expr) -> Value {
        let p = self.expr(p);
        self.call_or_fail(helper, &[p])
    }

    /// Offset of the frame of the process a remote reference means, negative if there is none; 64 bits.
    fn instance(&mut self, process: u32, pid: Option<&Expr>) -> Value {
        let number = self.int(i64::from(process));
        match pid {
            Some(e) => {
                let p = self.expr(e);
                self.call(runtime::instance as *const () as usize, &[number, p])
            }
            None => self.call(runtime::first_instance as *const () as usize, &[number]),
        }
    }

    /// A value of another process, 0 if there is none.
    fn if_there(&mut self, frame: Value, value: impl FnOnce(&mut Self, Value) -> Value) -> Value {
        let (there, join) = (self.block(), self.block());
        let result = self.b.append_block_param(join, types::I32);
        let zero = self.long(0);
        let missing = self.b.ins().icmp(IntCC::SignedLessThan, frame, zero);
        let none = self.int(0);
        let none = [cranelift_codegen::ir::BlockArg::Value(none)];
        self.b.ins().brif(missing, join, &none, there, []);
        self.go(there);
        let base = self.base();
        let bytes = if self.target.pointer == types::I64 { frame } else { self.b.ins().ireduce(types::I32, frame) };
        let pointer = self.b.ins().iadd(base, bytes);
        let v = value(self, pointer);
        self.jump_with(join, v);
        self.go(join);
        result
    }
}
