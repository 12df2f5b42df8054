//! What functions touch: which objects they may read and write, by the addresses in their automata.
//!
//! An address that is an object moved by some bytes names that object. Any other address may be that of any object whose address
//! was ever given away (stored, passed, returned): flow-insensitive, and the same for all functions of the program (Andersen's
//! question with one answer for all pointers). Calls are followed; a call through a pointer may be of any function whose
//! address was given away.

use ferrospin_c::flow::{Arg, Callee, Edge, Flow, Op, Result as Target, Scalar, Value, ValueId};
use ferrospin_c::tree::{Base, BinaryOp, Const, ObjectId, Unit};
use ferrospin_c::types::Type;
use ferrospin_cvm::{Link, Program, Use, effects};
use ferrospin_source::Span;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// What a function does, or a function and all that it calls.
#[derive(Clone, Default, Debug)]
pub(crate) struct Touch {
    pub(crate) reads: BTreeSet<ObjectId>,
    /// With the place of the first one.
    pub(crate) writes: FxHashMap<ObjectId, Span>,
    /// Through pointers.
    pub(crate) reads_any: bool,
    pub(crate) writes_any: bool,
    /// Objects whose address is given away.
    escapes: BTreeSet<ObjectId>,
    calls: BTreeSet<ObjectId>,
    calls_any: bool,
    pub(crate) heap: bool,
    pub(crate) seed: bool,
    pub(crate) may_fail: bool,
    /// What cannot be run.
    pub(crate) refused: Vec<(String, Span)>,
}

/// What all functions of a unit touch.
pub(crate) struct Touches<'a> {
    unit: &'a Unit,
    own: FxHashMap<ObjectId, Touch>,
    /// Whose address is given away anywhere.
    pub(crate) escaped: BTreeSet<ObjectId>,
}

impl<'a> Touches<'a> {
    /// Looks at all functions of a program of one unit.
    pub(crate) fn of(program: &'a Program) -> Touches<'a> {
        let unit = &program.units[0];
        let mut own = FxHashMap::default();
        for (_, flow) in program.all_flows() {
            let mut look = Look { program, unit, flow, touch: Touch::default(), seen: FxHashSet::default() };
            flow.edges.iter().for_each(|e| look.edge(e));
            own.insert(flow.object, look.touch);
        }
        let mut escaped: BTreeSet<ObjectId> = own.values().flat_map(|t| t.escapes.iter().copied()).collect();
        for part in unit.objects.iter().flat_map(|o| o.init.iter().flatten()) {
            if let Some(Const::Address(Base::Object(o), _)) = unit.expr(part.value).value {
                escaped.insert(o);
            }
        }
        Touches { unit, own, escaped }
    }

    /// What some functions do, with all that they call.
    pub(crate) fn all(&self, roots: &[ObjectId]) -> Touch {
        let mut all = Touch::default();
        let mut seen: FxHashSet<ObjectId> = FxHashSet::default();
        let mut open: Vec<ObjectId> = roots.to_vec();
        while let Some(f) = open.pop() {
            if !seen.insert(f) {
                // What calls itself may be too deep.
                all.may_fail = true;
                continue;
            }
            let Some(t) = self.own.get(&f) else { continue };
            all.reads.extend(&t.reads);
            t.writes.iter().for_each(|(o, span)| {
                all.writes.entry(*o).or_insert(*span);
            });
            all.reads_any |= t.reads_any;
            all.writes_any |= t.writes_any;
            all.heap |= t.heap;
            all.seed |= t.seed;
            all.may_fail |= t.may_fail;
            all.refused.extend(t.refused.iter().cloned());
            open.extend(&t.calls);
            if t.calls_any {
                let is_function =
                    |o: &&ObjectId| matches!(self.unit.types.get(self.unit.object(**o).ty.ty), Type::Function(_));
                open.extend(self.escaped.iter().filter(is_function));
            }
        }
        all
    }
}

/// Where an address leads.
enum Root {
    Object(ObjectId),
    /// A variable of the call, or a string.
    Harmless,
    Any,
}

struct Look<'a> {
    program: &'a Program,
    unit: &'a Unit,
    flow: &'a Flow,
    touch: Touch,
    /// Values that were looked at: they may be used several times.
    seen: FxHashSet<ValueId>,
}

impl Look<'_> {
    fn edge(&mut self, e: &Edge) {
        let span = e.span;
        if e.to <= e.from && e.to != self.flow.exit {
            // A loop may have too many steps.
            self.touch.may_fail = true;
        }
        match &e.op {
            Op::Skip | Op::Enter(_) | Op::Fence => {}
            Op::Assume(v, ..) | Op::Case(v, ..) | Op::NoCase(v) | Op::Set(_, v) => self.value(*v),
            Op::Jump(v) => {
                self.touch.may_fail = true;
                self.value(*v);
            }
            Op::Store(to, v, scalar, bits) => {
                let part = bits.is_some();
                self.address(*to, scalar.size(8), if part { Use::Both } else { Use::Write }, span);
                self.value(*v);
            }
            Op::Copy(to, from, n) => {
                self.address(*to, *n, Use::Write, span);
                self.address(*from, *n, Use::Read, span);
            }
            Op::Zero(to, n) => self.address(*to, *n, Use::Write, span),
            Op::Call(callee, args, result) => self.call(callee, args, result, span),
            Op::Return(given) => given.iter().for_each(|a| self.arg(a, span)),
            Op::Refused(what) => self.touch.refused.push((what.clone(), span)),
        }
    }

    fn arg(&mut self, a: &Arg, span: Span) {
        match a {
            Arg::Scalar(v, _) => self.value(*v),
            Arg::Bytes(at, n) => self.address(*at, *n, Use::Read, span),
        }
    }

    fn call(&mut self, callee: &Callee, args: &[Arg], result: &Target, span: Span) {
        if let Target::Bytes(at, n) = result {
            self.address(*at, *n, Use::Write, span);
        }
        let object = match callee {
            Callee::Direct(o) => *o,
            Callee::Indirect(v) => {
                self.touch.may_fail = true;
                self.touch.calls_any = true;
                self.value(*v);
                args.iter().for_each(|a| self.arg(a, span));
                return;
            }
        };
        let link = Link { unit: 0, object };
        if let Some(target) = self.program.resolve(link).filter(|l| self.program.flow(*l).is_some()) {
            self.touch.calls.insert(target.object);
            args.iter().for_each(|a| self.arg(a, span));
            return;
        }
        let name = self.unit.object_name(object);
        let Some(known) = effects(name) else {
            self.touch.refused.push((format!("`{name}`, which is not defined here"), span));
            return;
        };
        self.touch.heap |= known.heap;
        self.touch.seed |= known.seed;
        self.touch.may_fail |= known.fails;
        for (i, a) in args.iter().enumerate() {
            let does = known.params.get(i).copied().unwrap_or(Use::Read);
            match a {
                Arg::Scalar(v, Scalar::Pointer) if does != Use::Value => {
                    self.address(*v, 1, does, span);
                    // `memcpy` and its kind give the address back.
                    if *result != Target::None {
                        self.value(*v);
                    }
                }
                a => self.arg(a, span),
            }
        }
    }

    fn root(&self, v: ValueId) -> Root {
        match self.flow.value(v) {
            Value::Global(o) => Root::Object(*o),
            Value::Local(_) | Value::Str(_) => Root::Harmless,
            Value::Offset(a, ..) | Value::Convert(a, Scalar::Pointer, Scalar::Pointer) => self.root(*a),
            _ => Root::Any,
        }
    }

    /// Bytes from the start of the object, if they are constant.
    fn constant_offset(&self, v: ValueId) -> Option<i128> {
        match self.flow.value(v) {
            Value::Global(_) | Value::Local(_) | Value::Str(_) => Some(0),
            Value::Offset(a, by, size, _) => match self.flow.value(*by) {
                Value::Int(n, _) => Some(self.constant_offset(*a)? + n * i128::from(*size)),
                _ => None,
            },
            Value::Convert(a, Scalar::Pointer, Scalar::Pointer) => self.constant_offset(*a),
            _ => None,
        }
    }

    /// Whether an access surely lies inside of its object.
    fn is_inside(&self, v: ValueId, bytes: u64) -> bool {
        let size = match self.base(v) {
            Some(Value::Global(o)) => self.unit.types.size(self.unit.object(*o).ty.ty),
            Some(Value::Local(slot)) => self.flow.slots.get(slot.0 as usize).map(|s| s.size),
            _ => None,
        };
        let (Some(size), Some(offset)) = (size, self.constant_offset(v)) else { return false };
        offset >= 0 && offset + i128::from(bytes) <= i128::from(size)
    }

    fn base(&self, v: ValueId) -> Option<&Value> {
        match self.flow.value(v) {
            Value::Offset(a, ..) | Value::Convert(a, Scalar::Pointer, Scalar::Pointer) => self.base(*a),
            other => Some(other),
        }
    }

    /// An access.
    fn address(&mut self, v: ValueId, bytes: u64, does: Use, span: Span) {
        let (reads, writes) = (matches!(does, Use::Read | Use::Both), matches!(does, Use::Write | Use::Both));
        self.touch.may_fail |= !self.is_inside(v, bytes);
        match self.root(v) {
            Root::Object(o) => {
                if reads {
                    self.touch.reads.insert(o);
                }
                if writes {
                    self.touch.writes.entry(o).or_insert(span);
                }
                self.indices(v);
            }
            Root::Harmless => self.indices(v),
            Root::Any => {
                self.touch.reads_any |= reads;
                self.touch.writes_any |= writes;
                self.value(v);
            }
        }
    }

    /// The values by which an address is moved.
    fn indices(&mut self, v: ValueId) {
        match *self.flow.value(v) {
            Value::Offset(a, by, ..) => {
                self.value(by);
                self.indices(a);
            }
            Value::Convert(a, ..) => self.indices(a),
            _ => {}
        }
    }

    /// A value that goes anywhere.
    fn value(&mut self, v: ValueId) {
        if !self.seen.insert(v) {
            return;
        }
        let flow = self.flow;
        match flow.value(v) {
            Value::Global(o) => {
                self.touch.escapes.insert(*o);
            }
            Value::Int(..) | Value::Float(..) | Value::Local(_) | Value::Str(_) | Value::Label(_) | Value::Temp(_) => {}
            Value::Load(at, scalar, _) => self.address(*at, scalar.size(8), Use::Read, Span::NONE),
            Value::Unary(_, a, _) | Value::Not(a, _) | Value::Convert(a, ..) => self.value(*a),
            Value::Binary(op, a, b, ..) => {
                let constant = matches!(flow.value(*b), Value::Int(n, _) if *n > 0 && *n < 32);
                self.touch.may_fail |=
                    matches!(op, BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr) && !constant;
                self.value(*a);
                self.value(*b);
            }
            Value::Offset(a, b, ..) => {
                self.value(*a);
                self.value(*b);
            }
            Value::Distance(a, b, _) => {
                self.touch.may_fail = true;
                self.value(*a);
                self.value(*b);
            }
            Value::Select(c, _, a, b) => {
                self.value(*c);
                self.value(*a);
                self.value(*b);
            }
        }
    }
}
