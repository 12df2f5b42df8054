//! Control-flow automata: functions as graphs of locations whose edges do one thing each.
//!
//! The values on edges have no side effects; what a C expression does besides having a value is an edge of its own, in
//! the order of the text (operands from left to right, arguments too). `&&`, `||` and `?:` that decide are branches. Every
//! edge has the place it came from. What cannot be expressed is an edge that says so ([`Op::Refused`]), so that a function
//! is still of use where that edge is not reached.
//!
//! Invariants, which [`verify`](Flow::verify) checks: numbers are in range; every location but the exit has an edge out of
//! it; where there are several, they are the two of a condition, or the cases of one value with one edge for none of them,
//! or jumps to a computed address.

mod builtin;
mod lower;
mod print;
mod promote;
mod value;
mod verify;

use crate::tree::{BinaryOp, ObjectId, StrId, UnaryOp, Unit};
use crate::types::{FloatKind, IntKind, Type, TypeId, Types};
use ferrospin_source::Span;

macro_rules! index {
    ($($(#[$doc:meta])* $name:ident),*) => {
        $($(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub struct $name(pub u32);)*
    };
}

index! {
    /// A location of a function.
    Loc,
    /// A value of a function.
    ValueId,
    /// A variable in memory that lives as long as a call.
    Slot,
    /// A variable that has no address and holds a scalar; see [`TempInfo`].
    Temp
}

/// A kind of scalar.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scalar {
    /// `_Bool`.
    Bool,
    /// An integer.
    Int {
        /// Bytes.
        bytes: u8,
        /// Has negative values.
        signed: bool,
    },
    /// `float`.
    F32,
    /// `double`.
    F64,
    /// An address.
    Pointer,
}

impl Scalar {
    /// The scalar that values of a type are; `None` for aggregates, `void` and floating types beyond `double`.
    pub fn of(types: &Types, ty: TypeId) -> Option<Scalar> {
        match types.get(ty) {
            Type::Int(IntKind::Bool) => Some(Scalar::Bool),
            Type::Pointer(_) => Some(Scalar::Pointer),
            Type::Float(FloatKind::Float) => Some(Scalar::F32),
            Type::Float(FloatKind::Double) => Some(Scalar::F64),
            _ => {
                let kind = types.int_kind(ty)?;
                Some(Scalar::Int { bytes: types.int_size(kind) as u8, signed: Types::is_signed(kind) })
            }
        }
    }

    /// Bytes in memory, where pointers have `pointer` of them.
    pub fn size(self, pointer: u64) -> u64 {
        match self {
            Scalar::Bool => 1,
            Scalar::Int { bytes, .. } => bytes.into(),
            Scalar::F32 => 4,
            Scalar::F64 => 8,
            Scalar::Pointer => pointer,
        }
    }
}

/// A value without side effects.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// An integer or address of a number.
    Int(i128, Scalar),
    /// A floating value.
    Float(f64, Scalar),
    /// The address of a variable or function with static storage.
    Global(ObjectId),
    /// The address of a variable of the call.
    Local(Slot),
    /// The address of a string.
    Str(StrId),
    /// The address of a location that has a label.
    Label(Loc),
    /// What a temporary holds.
    Temp(Temp),
    /// What is in memory; of a bit-field the first bit and the width.
    Load(ValueId, Scalar, Option<(u32, u32)>),
    /// `-`, `~`.
    Unary(UnaryOp, ValueId, Scalar),
    /// `!`: 1 if the operand of that scalar is 0.
    Not(ValueId, Scalar),
    /// An operation on two operands of that scalar (of a shift, the left one is; the right one has its own).
    Binary(BinaryOp, ValueId, ValueId, Scalar, Scalar),
    /// A conversion from one scalar to another.
    Convert(ValueId, Scalar, Scalar),
    /// An address moved by that number of bytes for each unit of the second.
    Offset(ValueId, ValueId, i64, Scalar),
    /// The distance of two addresses in units of that number of bytes.
    Distance(ValueId, ValueId, i64),
    /// The second if the first (a scalar) is not 0, else the third; only one of them is looked at.
    Select(ValueId, Scalar, ValueId, ValueId),
}

/// What a call calls.
#[derive(Clone, PartialEq, Debug)]
pub enum Callee {
    /// A function by name.
    Direct(ObjectId),
    /// The function at an address.
    Indirect(ValueId),
}

/// An argument.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Arg {
    /// A scalar.
    Scalar(ValueId, Scalar),
    /// The bytes at an address.
    Bytes(ValueId, u64),
}

/// Where the result of a call goes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Result {
    /// Nowhere.
    None,
    /// Into a temporary.
    Temp(Temp, Scalar),
    /// To the bytes at an address.
    Bytes(ValueId, u64),
}

/// What an edge does.
#[derive(Clone, PartialEq, Debug)]
pub enum Op {
    /// Nothing.
    Skip,
    /// Only if the value is not 0, or is.
    Assume(ValueId, Scalar, bool),
    /// Only if the value lies between, both ends included.
    Case(ValueId, Scalar, i128, i128),
    /// Only if no [`Op::Case`] of the same location holds.
    NoCase(ValueId),
    /// Only if the value is the address of the location the edge leads to.
    Jump(ValueId),
    /// A variable begins to live, all zero.
    Enter(Slot),
    /// A temporary gets a value.
    Set(Temp, ValueId),
    /// Memory gets a value.
    Store(ValueId, ValueId, Scalar, Option<(u32, u32)>),
    /// Bytes are copied: to, from, how many.
    Copy(ValueId, ValueId, u64),
    /// Bytes become zero.
    Zero(ValueId, u64),
    /// A call.
    Call(Callee, Box<[Arg]>, Result),
    /// The call ends.
    Return(Option<Arg>),
    /// A barrier for the order of memory accesses.
    Fence,
    /// What cannot be expressed, in words.
    Refused(String),
}

/// An edge.
#[derive(Clone, PartialEq, Debug)]
pub struct Edge {
    /// Where it starts.
    pub from: Loc,
    /// Where it leads.
    pub to: Loc,
    /// What it does.
    pub op: Op,
    /// Where it is written.
    pub span: Span,
}

/// A variable in memory.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SlotInfo {
    /// Which, unless it is only for an intermediate result.
    pub object: Option<ObjectId>,
    /// Bytes.
    pub size: u64,
}

/// A variable that has no memory.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TempInfo {
    /// What it holds.
    pub scalar: Scalar,
    /// Which, unless it is only for an intermediate result.
    pub object: Option<ObjectId>,
}

/// Where an argument goes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Param {
    /// Into memory.
    Slot(Slot),
    /// Into a temporary.
    Temp(Temp),
}

/// A function.
#[derive(Clone, Debug)]
pub struct Flow {
    /// Which.
    pub object: ObjectId,
    /// Parameters in order.
    pub params: Vec<Param>,
    /// Variables in memory.
    pub slots: Vec<SlotInfo>,
    /// Variables without memory, all zero at the beginning.
    pub temps: Vec<TempInfo>,
    /// How many locations there are.
    pub locations: u32,
    /// Where it begins.
    pub entry: Loc,
    /// Where all calls end; only returns lead there.
    pub exit: Loc,
    /// Sorted by where they start.
    pub edges: Vec<Edge>,
    /// Values, operands before what uses them.
    pub values: Vec<Value>,
    first: Vec<u32>,
}

impl Flow {
    /// The automaton of the `index`th function of a unit; `None` if its body could not be read.
    pub fn of(unit: &Unit, index: usize) -> Option<Flow> {
        lower::lower(unit, index)
    }

    /// The edges out of a location.
    pub fn out(&self, at: Loc) -> &[Edge] {
        let i = at.0 as usize;
        &self.edges[self.first[i] as usize..self.first[i + 1] as usize]
    }

    /// A value.
    pub fn value(&self, id: ValueId) -> &Value {
        &self.values[id.0 as usize]
    }

    /// What this function has that cannot be expressed.
    pub fn refused(&self) -> impl Iterator<Item = (&str, Span)> {
        self.edges.iter().filter_map(|e| match &e.op {
            Op::Refused(what) => Some((&**what, e.span)),
            _ => None,
        })
    }
}
