//! The text form of an automaton, a line for each edge.

use super::{Arg, Callee, Flow, Op, Result, Scalar, Value, ValueId};
use crate::tree::{UnaryOp, Unit};
use std::fmt::Write as _;

impl Flow {
    /// All edges as text.
    pub fn text(&self, unit: &Unit) -> String {
        let mut out = format!("{}: {} locations\n", unit.object_name(self.object), self.locations);
        for edge in &self.edges {
            let op = self.op_text(unit, &edge.op);
            writeln!(out, "  {} -> {}: {op}", edge.from.0, edge.to.0).expect("strings take all text");
        }
        out
    }

    fn op_text(&self, unit: &Unit, op: &Op) -> String {
        let v = |id: &ValueId| self.value_text(unit, *id);
        let arg = |a: &Arg| match a {
            Arg::Scalar(value, _) => v(value),
            Arg::Bytes(address, size) => format!("{size} bytes at {}", v(address)),
        };
        match op {
            Op::Skip => "skip".into(),
            Op::Assume(value, _, true) => format!("if {}", v(value)),
            Op::Assume(value, _, false) => format!("if not {}", v(value)),
            Op::Case(value, _, low, high) if low == high => format!("if {} is {low}", v(value)),
            Op::Case(value, _, low, high) => format!("if {} is {low} to {high}", v(value)),
            Op::NoCase(value) => format!("if {} is none of these", v(value)),
            Op::Jump(value) => format!("if {} is the target", v(value)),
            Op::Enter(slot) => format!("enter {}", self.slot_text(unit, slot.0)),
            Op::Set(temp, value) => format!("{} = {}", self.temp_text(unit, temp.0), v(value)),
            Op::Store(to, value, scalar, bits) => {
                format!("*{}{}{} = {}", scalar_text(*scalar), bits_text(*bits), v(to), v(value))
            }
            Op::Copy(to, from, size) => format!("copy {size} bytes to {} from {}", v(to), v(from)),
            Op::Zero(to, size) => format!("zero {size} bytes at {}", v(to)),
            Op::Call(callee, args, result) => {
                let callee = match callee {
                    Callee::Direct(id) => unit.object_name(*id).to_string(),
                    Callee::Indirect(value) => format!("(*{})", v(value)),
                };
                let args: Vec<String> = args.iter().map(arg).collect();
                let result = match result {
                    Result::None => String::new(),
                    Result::Temp(temp, _) => format!("{} = ", self.temp_text(unit, temp.0)),
                    Result::Bytes(address, size) => format!("{size} bytes at {} = ", v(address)),
                };
                format!("{result}{callee}({})", args.join(", "))
            }
            Op::Return(None) => "return".into(),
            Op::Return(Some(value)) => format!("return {}", arg(value)),
            Op::Fence => "fence".into(),
            Op::Refused(what) => format!("refused: {what}"),
        }
    }

    fn temp_text(&self, unit: &Unit, temp: u32) -> String {
        match self.temps[temp as usize].object {
            Some(object) => unit.object_name(object).to_string(),
            None => format!("t{temp}"),
        }
    }

    fn slot_text(&self, unit: &Unit, slot: u32) -> String {
        match self.slots[slot as usize].object {
            Some(object) => unit.object_name(object).to_string(),
            None => format!("slot{slot}"),
        }
    }

    fn value_text(&self, unit: &Unit, id: ValueId) -> String {
        let v = |id: &ValueId| self.value_text(unit, *id);
        match self.value(id) {
            Value::Int(n, _) => n.to_string(),
            Value::Float(f, _) => format!("{f:?}"),
            Value::Global(id) => format!("&{}", unit.object_name(*id)),
            Value::Local(slot) => format!("&{}", self.slot_text(unit, slot.0)),
            Value::Str(id) => {
                let units = &unit.strings[id.0 as usize].units;
                let text: String = units.iter().map(|&u| char::from_u32(u).unwrap_or('?')).collect();
                format!("{text:?}")
            }
            Value::Label(loc) => format!("&&{}", loc.0),
            Value::Temp(temp) => self.temp_text(unit, temp.0),
            Value::Load(a, scalar, bits) => format!("*{}{}{}", scalar_text(*scalar), bits_text(*bits), v(a)),
            Value::Unary(op, a, _) => format!("{}{}", if *op == UnaryOp::Neg { "-" } else { "~" }, v(a)),
            Value::Not(a, _) => format!("!{}", v(a)),
            Value::Binary(op, a, b, ..) => format!("({} {} {})", v(a), op.text(), v(b)),
            Value::Convert(a, _, to) => format!("{}({})", scalar_text(*to), v(a)),
            Value::Offset(a, b, size, _) => format!("({} + {size} * {})", v(a), v(b)),
            Value::Distance(a, b, size) => format!("(({} - {}) / {size})", v(a), v(b)),
            Value::Select(c, _, a, b) => format!("({} ? {} : {})", v(c), v(a), v(b)),
        }
    }
}

fn scalar_text(scalar: Scalar) -> String {
    match scalar {
        Scalar::Bool => "b".into(),
        Scalar::Int { bytes, signed } => format!("{}{}", if signed { "i" } else { "u" }, u32::from(bytes) * 8),
        Scalar::F32 => "f32".into(),
        Scalar::F64 => "f64".into(),
        Scalar::Pointer => "p".into(),
    }
}

fn bits_text(bits: Option<(u32, u32)>) -> String {
    bits.map_or(String::new(), |(first, width)| format!("[{first}+{width}]"))
}
