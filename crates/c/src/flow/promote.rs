//! Variables without an address become temporaries, and edges that do nothing are left out.
//!
//! A variable whose memory is only read and written as a whole, always as the same scalar, needs no memory. What is left are
//! variables whose address goes anywhere, records and arrays. Whoever runs an automaton is spared most objects of calls by that,
//! and who translates it gets values in place of memory.

use super::verify::{operands, used};
use super::{Edge, Flow, Loc, Op, Param, Scalar, Slot, Temp, TempInfo, Value, ValueId};

impl Flow {
    /// The scalar that a value is.
    pub fn scalar(&self, id: ValueId) -> Scalar {
        use crate::tree::BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
        const INT: Scalar = Scalar::Int { bytes: 4, signed: true };
        match self.value(id) {
            Value::Int(_, s)
            | Value::Float(_, s)
            | Value::Load(_, s, _)
            | Value::Unary(_, _, s)
            | Value::Convert(_, _, s) => *s,
            Value::Global(_) | Value::Local(_) | Value::Str(_) | Value::Label(_) | Value::Offset(..) => Scalar::Pointer,
            Value::Temp(t) => self.temps[t.0 as usize].scalar,
            Value::Not(..) | Value::Binary(Lt | Gt | Le | Ge | Eq | Ne, ..) => INT,
            Value::Binary(_, _, _, s, _) => *s,
            Value::Distance(..) => Scalar::Int { bytes: 8, signed: true },
            Value::Select(_, _, a, _) => self.scalar(*a),
        }
    }
}

/// What is known of a variable.
#[derive(Clone, Copy, PartialEq)]
enum Use {
    Unused,
    /// Only whole, as this scalar.
    Whole(Scalar),
    Memory,
}

impl Use {
    fn whole(&mut self, scalar: Scalar) {
        *self = match *self {
            Use::Unused => Use::Whole(scalar),
            Use::Whole(s) if s == scalar => *self,
            _ => Use::Memory,
        };
    }
}

/// Makes temporaries of the variables that can be ones; `params` are the parameters in order.
pub(super) fn promote(flow: &mut Flow, params: &[Slot], pointer: u64, declared: impl Fn(Slot) -> Option<Scalar>) {
    let mut uses = vec![Use::Unused; flow.slots.len()];
    let local = |v: ValueId| match flow.value(v) {
        Value::Local(slot) => Some(slot.0 as usize),
        _ => None,
    };
    for value in &flow.values {
        if let Value::Load(at, scalar, None) = value
            && let Some(slot) = local(*at)
        {
            uses[slot].whole(*scalar);
            continue;
        }
        operands(value, &mut |v| {
            if let Some(slot) = local(v) {
                uses[slot] = Use::Memory;
            }
        });
    }
    for edge in &flow.edges {
        let target = match &edge.op {
            Op::Store(to, _, scalar, None) => local(*to).map(|_| (*to, *scalar)),
            _ => None,
        };
        let mut first = true;
        used(&edge.op, &mut |v| {
            let Some(slot) = local(v) else { return };
            match target {
                // The address comes first among what a store uses.
                Some((to, scalar)) if to == v && first => uses[slot].whole(scalar),
                _ => uses[slot] = Use::Memory,
            }
            first = false;
        });
    }
    // A parameter is filled as its type says.
    let mut temps: Vec<Option<Temp>> = vec![None; flow.slots.len()];
    for (i, what) in uses.iter().enumerate() {
        let slot = Slot(i as u32);
        let info = flow.slots[i];
        let is_param = params.contains(&slot);
        let scalar = match what {
            Use::Whole(s) => *s,
            Use::Unused => match declared(slot) {
                Some(s) => s,
                None => continue,
            },
            Use::Memory => continue,
        };
        if scalar.size(pointer) != info.size || (is_param && declared(slot) != Some(scalar)) {
            continue;
        }
        temps[i] = Some(Temp(flow.temps.len() as u32));
        flow.temps.push(TempInfo { scalar, object: info.object });
    }
    let mut number = vec![Slot(0); flow.slots.len()];
    let mut kept = Vec::new();
    for (i, info) in flow.slots.iter().enumerate().filter(|(i, _)| temps[*i].is_none()) {
        number[i] = Slot(kept.len() as u32);
        kept.push(*info);
    }
    let temp_of = |v: ValueId, values: &[Value]| match values[v.0 as usize] {
        Value::Local(slot) => temps[slot.0 as usize],
        _ => None,
    };
    for i in 0..flow.edges.len() {
        let op = match &flow.edges[i].op {
            Op::Enter(slot) => match temps[slot.0 as usize] {
                Some(t) => {
                    let zero = match flow.temps[t.0 as usize].scalar {
                        s @ (Scalar::F32 | Scalar::F64) => Value::Float(0.0, s),
                        s => Value::Int(0, s),
                    };
                    flow.values.push(zero);
                    Op::Set(t, ValueId(flow.values.len() as u32 - 1))
                }
                None => Op::Enter(number[slot.0 as usize]),
            },
            Op::Store(to, value, scalar, None) => match temp_of(*to, &flow.values) {
                Some(t) => {
                    let (from, mut value) = (flow.scalar(*value), *value);
                    if from != *scalar {
                        // Memory takes the low bytes.
                        flow.values.push(Value::Convert(value, from, *scalar));
                        value = ValueId(flow.values.len() as u32 - 1);
                    }
                    Op::Set(t, value)
                }
                None => continue,
            },
            _ => continue,
        };
        flow.edges[i].op = op;
    }
    for i in 0..flow.values.len() {
        if let Value::Load(at, _, None) = flow.values[i]
            && let Some(t) = temp_of(at, &flow.values)
        {
            flow.values[i] = Value::Temp(t);
        }
    }
    for value in &mut flow.values {
        if let Value::Local(slot) = value {
            *value = match temps[slot.0 as usize] {
                // Nothing uses it any more.
                Some(_) => Value::Int(0, Scalar::Pointer),
                None => Value::Local(number[slot.0 as usize]),
            };
        }
    }
    flow.slots = kept;
    flow.params = params
        .iter()
        .map(|p| match temps[p.0 as usize] {
            Some(t) => Param::Temp(t),
            None => Param::Slot(number[p.0 as usize]),
        })
        .collect();
}

/// Leads edges past locations that only go on to another one. Those whose address is taken stay.
pub(super) fn shorten(edges: &mut [Edge], entry: &mut Loc, locations: u32, addressed: &[Loc]) {
    let mut next: Vec<Option<Loc>> = vec![None; locations as usize];
    let mut count = vec![0u32; locations as usize];
    for e in edges.iter() {
        let from = e.from.0 as usize;
        count[from] += 1;
        next[from] = (count[from] == 1 && e.op == Op::Skip && !addressed.contains(&e.from)).then_some(e.to);
    }
    let mut on_path = vec![u32::MAX; locations as usize];
    // Where each location leads in the end; a loop that does nothing stays one.
    let mut ends: Vec<Option<Loc>> = vec![None; locations as usize];
    for start in 0..locations {
        let (mut path, mut at) = (Vec::new(), Loc(start));
        let end = loop {
            match (ends[at.0 as usize], next[at.0 as usize]) {
                (Some(end), _) => break end,
                (None, None) => break at,
                (None, Some(_)) if on_path[at.0 as usize] == start => break at,
                (None, Some(to)) => {
                    on_path[at.0 as usize] = start;
                    path.push(at);
                    at = to;
                }
            }
        };
        path.into_iter().for_each(|l| ends[l.0 as usize] = Some(end));
        ends[start as usize] = Some(end);
    }
    let end = |l: Loc| ends[l.0 as usize].unwrap_or(l);
    for e in edges {
        e.to = end(e.to);
    }
    *entry = end(*entry);
}
