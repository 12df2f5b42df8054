//! The typed tree of a unit: every expression has its type, conversions are written out, constants are folded.
//!
//! Nodes lie in vectors of the [`Unit`] and refer to one another by number, so that no tree is too deep to drop.

use crate::types::{Qual, RecordId, TypeId, Types};
use ferrospin_cpp::Symbol;
use ferrospin_source::Span;
use std::sync::Arc;

macro_rules! index {
    ($($(#[$doc:meta])* $name:ident),*) => {
        $($(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub struct $name(pub u32);)*
    };
}

index! {
    /// Index of an [`Expr`].
    ExprId,
    /// Index of a [`Stmt`].
    StmtId,
    /// Index of an [`Object`].
    ObjectId,
    /// Index of a string.
    StrId,
    /// Index of a label within its function.
    LabelId
}

/// A constant.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Const {
    /// An integer, wrapped to its type; an unsigned one of 128 bits as the same bits.
    Int(i128),
    /// A floating value.
    Float(f64),
    /// The address of an object, moved by bytes.
    Address(Base, i64),
}

/// What an address constant is relative to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Base {
    /// A variable or function.
    Object(ObjectId),
    /// A string.
    Str(StrId),
    /// A label, as GNU C's `&&label` gives it.
    Label(LabelId),
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum UnaryOp {
    Plus,
    Neg,
    /// `~`.
    Not,
    Real,
    Imag,
}

/// Operators with two operands of one type, but for shifts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Mul,
    Div,
    Rem,
    Add,
    Sub,
    Shl,
    Shr,
    Lt,
    Gt,
    Le,
    Ge,
    Eq,
    Ne,
    And,
    Xor,
    Or,
}

impl BinaryOp {
    /// Comparisons give 0 or 1.
    pub fn is_comparison(self) -> bool {
        use BinaryOp::*;
        matches!(self, Lt | Gt | Le | Ge | Eq | Ne)
    }

    /// As C writes it.
    pub fn text(self) -> &'static str {
        use BinaryOp::*;
        match self {
            Mul => "*",
            Div => "/",
            Rem => "%",
            Add => "+",
            Sub => "-",
            Shl => "<<",
            Shr => ">>",
            Lt => "<",
            Gt => ">",
            Le => "<=",
            Ge => ">=",
            Eq => "==",
            Ne => "!=",
            And => "&",
            Xor => "^",
            Or => "|",
        }
    }
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its type; of an lvalue with qualifiers.
    pub ty: Qual,
    /// Whether it names an object.
    pub lvalue: bool,
    /// How deep the tree below it is.
    pub depth: u16,
    /// Its value, where that is known.
    pub value: Option<Const>,
    /// Where it is written.
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A constant; the value is in [`Expr::value`].
    Const,
    /// A string: an lvalue of array type.
    Str(StrId),
    /// A variable or function.
    Object(ObjectId),
    /// The address of a label.
    LabelAddress(LabelId),
    /// An array or function as a pointer to its first element or itself.
    Decay(ExprId),
    /// A value of an lvalue.
    Load(ExprId),
    /// `&x`.
    Address(ExprId),
    /// `*p`.
    Deref(ExprId),
    /// A member, by number.
    Member(ExprId, RecordId, u32),
    /// `-x` and its kind.
    Unary(UnaryOp, ExprId),
    /// `!x`.
    LogNot(ExprId),
    /// `a + b` and its kind.
    Binary(BinaryOp, ExprId, ExprId),
    /// Pointer and integer, in elements; subtracted if the last says so.
    PointerAdd(ExprId, ExprId, bool),
    /// `p - q`, in elements.
    PointerDiff(ExprId, ExprId),
    /// `a && b`.
    LogAnd(ExprId, ExprId),
    /// `a || b`.
    LogOr(ExprId, ExprId),
    /// `a ? b : c`.
    Cond(ExprId, ExprId, ExprId),
    /// GNU's `a ?: c`; the second is the type's value of the first.
    Elvis(ExprId, ExprId),
    /// `a, b`.
    Comma(ExprId, ExprId),
    /// A conversion, written or implied.
    Cast(ExprId),
    /// `a = b`.
    Assign(ExprId, ExprId),
    /// `a op= b`: the operation is made in the given type. With pointers `Add` and `Sub` count elements.
    AssignOp(BinaryOp, ExprId, ExprId, TypeId),
    /// `++a`, `a--` and their kind: whether it adds, and whether the value before counts.
    Step(ExprId, bool, bool),
    /// A call.
    Call(ExprId, Box<[ExprId]>),
    /// A builtin with a meaning of its own.
    Builtin(Builtin, Box<[ExprId]>),
    /// GNU's `({ ... })`.
    Statement(StmtId),
    /// A compound literal.
    Compound(ObjectId),
    /// The size of a variable-length type.
    VariableSize,
    /// `__builtin_va_arg`.
    VaArg(ExprId),
    /// Something that could not be understood but has a place in the tree.
    Unknown,
}

/// Builtins whose operands have no fixed types.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Builtin {
    /// `__builtin_expect`: the first operand.
    Expect,
    VaStart,
    VaEnd,
    VaCopy,
    AddOverflow,
    SubOverflow,
    MulOverflow,
    /// An operation of `__atomic_*` or `__sync_*`, by its name without the prefix.
    Atomic(Symbol),
    Unreachable,
    /// `__builtin_shuffle` and its kind, by name.
    Other(Symbol),
}

/// A statement.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Stmt {
    Empty,
    Expr(ExprId),
    Block(Box<[StmtId]>),
    /// Variables of a block begin to live, and get their values.
    Declare(Box<[ObjectId]>),
    If(ExprId, StmtId, Option<StmtId>),
    While(ExprId, StmtId),
    DoWhile(StmtId, ExprId),
    For(Option<StmtId>, Option<ExprId>, Option<ExprId>, StmtId),
    Switch(ExprId, StmtId),
    /// From the first to the last value.
    Case(i128, i128, StmtId),
    Default(StmtId),
    Label(LabelId, StmtId),
    Goto(LabelId),
    GotoAddress(ExprId),
    Break,
    Continue,
    Return(Option<ExprId>),
    Asm(Box<Asm>),
}

/// Inline assembly.
#[derive(Clone, Debug)]
pub struct Asm {
    /// The instructions.
    pub template: String,
    /// Whether it has operands.
    pub operands: bool,
    /// Whether memory is said to change.
    pub memory: bool,
    /// Labels it may jump to.
    pub labels: Vec<LabelId>,
}

/// How an object is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Storage {
    Static,
    Thread,
    Automatic,
    Parameter,
}

/// From where else a name is seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Linkage {
    None,
    Internal,
    External,
}

/// A variable or function.
#[derive(Clone, Debug)]
pub struct Object {
    /// Its name; none for compound literals.
    pub name: Option<Symbol>,
    /// Its type.
    pub ty: Qual,
    /// How it is kept.
    pub storage: Storage,
    /// From where else it is seen.
    pub linkage: Linkage,
    /// Whether this unit makes it, rather than names it.
    pub defined: bool,
    /// `weak`.
    pub weak: bool,
    /// Alignment asked for by `aligned` or `_Alignas`, in bytes; 0 for none.
    pub align: u64,
    /// Its first value.
    pub init: Option<Box<[InitPart]>>,
    /// Where it is declared.
    pub span: Span,
}

/// A part of an initialiser; what no part names is zero. Later parts replace earlier ones.
#[derive(Clone, Debug)]
pub struct InitPart {
    /// Bytes from the start of the object.
    pub offset: u64,
    /// What is stored there.
    pub ty: Qual,
    /// For bit-fields: first bit from `offset`, and width.
    pub bits: Option<(u32, u32)>,
    /// The value.
    pub value: ExprId,
}

/// A function with a body.
#[derive(Clone, Debug)]
pub struct Function {
    /// Which.
    pub object: ObjectId,
    /// Parameters in order.
    pub params: Vec<ObjectId>,
    /// The body; `None` if it could not be read.
    pub body: Option<StmtId>,
    /// Names of labels.
    pub labels: Vec<Symbol>,
    /// From the name to the closing brace.
    pub span: Span,
}

/// A string: its elements without a terminating zero, and the bytes of one.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Str {
    /// Elements.
    pub units: Arc<[u32]>,
    /// Bytes of an element.
    pub width: u8,
}

/// All of a unit.
pub struct Unit {
    /// Its types.
    pub types: Types,
    /// Spellings.
    pub names: Vec<Arc<str>>,
    /// Expressions.
    pub exprs: Vec<Expr>,
    /// Statements.
    pub stmts: Vec<Stmt>,
    /// Variables and functions.
    pub objects: Vec<Object>,
    /// Strings.
    pub strings: Vec<Str>,
    /// Functions with bodies, in order.
    pub functions: Vec<Function>,
    /// `asm` outside of functions.
    pub assembly: Vec<(String, Span)>,
}

impl Unit {
    /// The spelling behind a number.
    pub fn name(&self, symbol: Symbol) -> &Arc<str> {
        &self.names[symbol.0 as usize]
    }

    /// An expression.
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.0 as usize]
    }

    /// A statement.
    pub fn stmt(&self, id: StmtId) -> &Stmt {
        &self.stmts[id.0 as usize]
    }

    /// A variable or function.
    pub fn object(&self, id: ObjectId) -> &Object {
        &self.objects[id.0 as usize]
    }

    /// Name of a variable or function, for people.
    pub fn object_name(&self, id: ObjectId) -> &str {
        self.object(id).name.map_or("<compound literal>", |n| self.name(n))
    }

    /// A type, as C writes it.
    pub fn show_type(&self, q: Qual) -> String {
        self.types.show(q, &|s| self.name(s).clone())
    }
}
