//! Whether an automaton is one: see the invariants of the module.

use super::{Arg, Callee, Flow, Loc, Op, Result, Slot, Temp, Value, ValueId};

impl Flow {
    /// Why this is no automaton, if it is none.
    pub fn verify(&self) -> std::result::Result<(), String> {
        for (i, value) in self.values.iter().enumerate() {
            let mut bad = None;
            operands(value, &mut |v| {
                if v.0 as usize >= i {
                    bad = Some(format!("value {i} uses value {}, which is not before it", v.0));
                }
            });
            let in_range = match value {
                Value::Temp(Temp(t)) => (*t as usize) < self.temps.len(),
                Value::Local(Slot(s)) => (*s as usize) < self.slots.len(),
                Value::Label(Loc(l)) => *l < self.locations,
                _ => true,
            };
            if let Some(bad) = bad {
                return Err(bad);
            }
            if !in_range {
                return Err(format!("value {i} names something out of range"));
            }
        }
        for edge in &self.edges {
            if edge.from.0 >= self.locations || edge.to.0 >= self.locations || edge.from == self.exit {
                return Err(format!("an edge from {} to {} is out of range", edge.from.0, edge.to.0));
            }
            if matches!(edge.op, Op::Return(_)) != (edge.to == self.exit) && !matches!(edge.op, Op::Refused(_)) {
                return Err(format!("the edge from {} leads to the exit without a return", edge.from.0));
            }
            let mut bad = false;
            used(&edge.op, &mut |v| bad |= v.0 as usize >= self.values.len());
            if bad {
                return Err(format!("an edge from {} uses a value out of range", edge.from.0));
            }
        }
        for loc in (0..self.locations).map(Loc).filter(|&l| l != self.exit) {
            let out = self.out(loc);
            let fits = match out {
                [] => false,
                [one] => !matches!(one.op, Op::Assume(..) | Op::Case(..)),
                [a, b] if matches!(a.op, Op::Assume(..)) => match (&a.op, &b.op) {
                    (Op::Assume(x, s, p), Op::Assume(y, t, q)) => x == y && s == t && p != q,
                    _ => false,
                },
                _ if out.iter().all(|e| matches!(e.op, Op::Jump(_))) => true,
                _ => {
                    out.iter().all(|e| matches!(e.op, Op::Case(..) | Op::NoCase(_)))
                        && out.iter().filter(|e| matches!(e.op, Op::NoCase(_))).count() == 1
                }
            };
            if !fits {
                return Err(format!("the edges out of {} are no choice", loc.0));
            }
        }
        Ok(())
    }
}

/// The values that a value uses.
pub(super) fn operands(value: &Value, see: &mut dyn FnMut(ValueId)) {
    match value {
        Value::Load(a, ..) | Value::Unary(_, a, _) | Value::Not(a, _) | Value::Convert(a, ..) => see(*a),
        Value::Binary(_, a, b, ..) | Value::Offset(a, b, ..) | Value::Distance(a, b, _) => {
            see(*a);
            see(*b);
        }
        Value::Select(c, _, a, b) => [c, a, b].into_iter().for_each(|v| see(*v)),
        _ => {}
    }
}

/// The values that an edge uses.
pub(super) fn used(op: &Op, see: &mut dyn FnMut(ValueId)) {
    match op {
        Op::Skip | Op::Enter(_) | Op::Fence | Op::Refused(_) => {}
        Op::Assume(v, ..) | Op::Case(v, ..) | Op::NoCase(v) | Op::Jump(v) | Op::Set(_, v) | Op::Zero(v, _) => see(*v),
        Op::Store(a, b, ..) | Op::Copy(a, b, _) => {
            see(*a);
            see(*b);
        }
        Op::Call(callee, args, result) => {
            if let Callee::Indirect(v) = callee {
                see(*v);
            }
            for arg in args {
                let (Arg::Scalar(v, _) | Arg::Bytes(v, _)) = arg;
                see(*v);
            }
            if let Result::Bytes(v, _) = result {
                see(*v);
            }
        }
        Op::Return(arg) => {
            if let Some(Arg::Scalar(v, _) | Arg::Bytes(v, _)) = arg {
                see(*v);
            }
        }
    }
}
