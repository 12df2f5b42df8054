//! The syntax tree of Promela.
//!
//! The tree is what the text says after preprocessing, with one exception: a call of an `inline` holds both the call
//! as written and the body it expands to, because Promela defines inlines by substitution. Names are not resolved
//! here; every identifier carries an [`IdentId`] under which [`crate::names`] records what it means.
//!
//! Two trees are equal when their texts mean the same: places ([`At`]) and identifier numbers do not count.

use ferrospin_source::Span;
use std::fmt;
use std::sync::Arc;

/// Where a node stands. Never part of its identity: all places are equal.
#[derive(Clone, Copy)]
pub struct At(pub Span);

impl PartialEq for At {
    fn eq(&self, _: &At) -> bool {
        true
    }
}

impl fmt::Debug for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Number of an identifier occurrence, unique in one [`Program`], dense from 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct IdentId(pub u32);

/// An occurrence of a name.
#[derive(Clone)]
pub struct Ident {
    /// The name.
    pub name: Arc<str>,
    /// Where it stands.
    pub at: At,
    /// Its number.
    pub id: IdentId,
}

impl PartialEq for Ident {
    fn eq(&self, other: &Ident) -> bool {
        self.name == other.name
    }
}

impl fmt::Debug for Ident {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.name)
    }
}

/// A whole model. `ltl` units come last, as SPIN reads them, otherwise units stand in text order.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Program {
    /// The parts at top level.
    pub units: Vec<Unit>,
    /// How many [`IdentId`]s were given out.
    pub ident_count: u32,
}

/// A part at top level.
#[derive(Clone, Debug, PartialEq)]
pub enum Unit {
    /// Global variables and channels.
    Decl(VarDecl),
    /// `mtype = { a, b }` or `mtype:name = { a, b }`.
    Mtype(MtypeDecl),
    /// `typedef Name { ... }`.
    Typedef(Typedef),
    /// `proctype P(...) { ... }`.
    Proctype(Box<Proctype>),
    /// `init { ... }`.
    Init(Init),
    /// `never [name] { ... }`.
    Never(Never),
    /// `ltl [name] { ... }`.
    Ltl(Ltl),
    /// `trace { ... }` and `notrace { ... }`.
    Trace(Trace),
    /// `inline f(a, b) { ... }`.
    Inline(InlineDef),
    /// `c_code { ... }` at top level.
    CCode(CFragment),
    /// `c_decl { ... }`.
    CDecl(CFragment),
    /// `c_state "..." "..." ["..."]`.
    CState(CObject),
    /// `c_track "..." "..." ["..."]`.
    CTrack(CObject),
}

/// How a declared variable takes part in the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    /// `hidden`: outside the state vector.
    Hidden,
    /// `show`: tracked in simulation displays.
    Show,
    /// `local`: a global that only one process uses, by promise.
    Local,
}

/// A type as written.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    /// `bit`
    Bit,
    /// `bool`
    Bool,
    /// `byte`
    Byte,
    /// `pid`
    Pid,
    /// `short`
    Short,
    /// `int`
    Int,
    /// `unsigned`; the width stands at the declarator.
    Unsigned,
    /// `mtype` or `mtype:name`
    Mtype(Option<Ident>),
    /// `chan`
    Chan,
    /// Name of a `typedef`.
    Named(Ident),
}

/// A declaration of one or more variables.
#[derive(Clone, Debug, PartialEq)]
pub struct VarDecl {
    /// `hidden`, `show`, `local`.
    pub visibility: Option<Visibility>,
    /// The common type.
    pub ty: Type,
    /// The variables.
    pub vars: Vec<Declarator>,
    /// The whole declaration.
    pub at: At,
}

/// One variable of a declaration.
#[derive(Clone, Debug, PartialEq)]
pub struct Declarator {
    /// Its name.
    pub name: Ident,
    /// Array bound or bit width.
    pub shape: Shape,
    /// What it starts as.
    pub init: Option<Initializer>,
    /// Name to end of initialiser.
    pub at: At,
}

/// What follows the name in a declaration.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Nothing.
    Scalar,
    /// `: 5`, the width of an `unsigned`.
    Width(u32),
    /// `[n]`, a constant expression or the name of an initialised scalar.
    Array(Box<Expr>),
}

/// What a variable starts as.
#[derive(Clone, Debug, PartialEq)]
pub enum Initializer {
    /// `= e`
    Expr(Expr),
    /// `= { 1, 2, 3 }`, for arrays; elements are constants.
    List(Vec<Expr>, At),
    /// `= [n] of { byte, chan }`
    Chan(ChanInit),
}

/// `[n] of { byte, chan }`
#[derive(Clone, Debug, PartialEq)]
pub struct ChanInit {
    /// Number of messages it holds; 0 for rendezvous.
    pub capacity: Expr,
    /// Types of the message fields.
    pub fields: Vec<(Type, At)>,
    /// From `[` to `}`.
    pub at: At,
}

/// `mtype[:name] = { a, b, c }`
#[derive(Clone, Debug, PartialEq)]
pub struct MtypeDecl {
    /// Name of the list.
    pub name: Option<Ident>,
    /// The constants in text order.
    pub constants: Vec<Ident>,
    /// The whole declaration.
    pub at: At,
}

/// `typedef Name { fields }`
#[derive(Clone, Debug, PartialEq)]
pub struct Typedef {
    /// Its name.
    pub name: Ident,
    /// The fields.
    pub fields: Vec<VarDecl>,
    /// The whole definition.
    pub at: At,
}

/// `[active [n]] proctype P(params) [priority n] [provided (e)] { body }`
#[derive(Clone, Debug, PartialEq)]
pub struct Proctype {
    /// `D_proctype`.
    pub deterministic: bool,
    /// `active` or `active [n]`.
    pub active: Option<Active>,
    /// Its name.
    pub name: Ident,
    /// Parameters.
    pub params: Vec<VarDecl>,
    /// `priority n`.
    pub priority: Option<Priority>,
    /// `provided (e)`.
    pub provided: Option<Expr>,
    /// The statements.
    pub body: Sequence,
    /// From `active` or `proctype` to the end of the head.
    pub at: At,
}

/// `active` or `active [n]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Active {
    /// How many; a constant expression or the name of an initialised scalar. One when absent.
    pub count: Option<Expr>,
    /// Where.
    pub at: At,
}

/// `priority n`; the constant may be a literal or an `mtype` name.
#[derive(Clone, Debug, PartialEq)]
pub struct Priority {
    /// The constant.
    pub value: Expr,
    /// Where.
    pub at: At,
}

/// `init [priority n] { body }`
#[derive(Clone, Debug, PartialEq)]
pub struct Init {
    /// `priority n`.
    pub priority: Option<Priority>,
    /// The statements.
    pub body: Sequence,
    /// The keyword.
    pub at: At,
}

/// `never [name] { body }`
#[derive(Clone, Debug, PartialEq)]
pub struct Never {
    /// Its name, if it has one.
    pub name: Option<Ident>,
    /// The statements.
    pub body: Sequence,
    /// The keyword.
    pub at: At,
}

/// `ltl [name] { formula }`
#[derive(Clone, Debug, PartialEq)]
pub struct Ltl {
    /// Its name, if it has one.
    pub name: Option<Ident>,
    /// The formula: an expression in which temporal operators may occur.
    pub formula: Expr,
    /// The whole block.
    pub at: At,
}

/// `trace { body }` or `notrace { body }`
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// `notrace`.
    pub negated: bool,
    /// The events.
    pub body: Sequence,
    /// The keyword.
    pub at: At,
}

/// `inline f(params) { body }`; the body is kept as text, because it is read anew at each call.
#[derive(Clone, Debug, PartialEq)]
pub struct InlineDef {
    /// Its name.
    pub name: Ident,
    /// Names of the parameters.
    pub params: Vec<Ident>,
    /// The text from `{` to `}`, white space normalised.
    pub body: String,
    /// The head.
    pub at: At,
}

/// Embedded C: text in braces, with an optional precondition in brackets.
#[derive(Clone, Debug, PartialEq)]
pub struct CFragment {
    /// `[precondition]`.
    pub precondition: Option<String>,
    /// Text between the braces.
    pub text: String,
    /// The whole fragment.
    pub at: At,
}

/// The strings behind `c_state` and `c_track`.
#[derive(Clone, Debug, PartialEq)]
pub struct CObject {
    /// Two or three strings, without quotes.
    pub strings: Vec<String>,
    /// The whole declaration.
    pub at: At,
}

/// `{ statement; statement; ... }`, also an option and the body of a process.
#[derive(Clone, Debug, PartialEq)]
pub struct Sequence {
    /// The statements and declarations.
    pub steps: Vec<Stmt>,
    /// From `{` (or `::`) to `}`.
    pub at: At,
    /// The closing brace, where a process body ends.
    pub end: At,
}

/// A statement or declaration with its labels.
#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    /// `L1: L2: ...`
    pub labels: Vec<Ident>,
    /// What it does.
    pub kind: StmtKind,
    /// Without the labels.
    pub at: At,
}

/// What a statement does.
#[derive(Clone, Debug, PartialEq)]
pub enum StmtKind {
    /// A declaration among the statements.
    Decl(VarDecl),
    /// `xr c, d` or `xs c, d`.
    Exclusive {
        /// `xr` (receive) or `xs` (send).
        end: ChannelEnd,
        /// The channels.
        channels: Vec<VarRef>,
    },
    /// A label with nothing behind it: a `skip`.
    Empty,
    /// An expression as a statement, `skip` and `run` included.
    Expr(Expr),
    /// `x = e`
    Assign(VarRef, Expr),
    /// `x++`
    Increment(VarRef),
    /// `x--`
    Decrement(VarRef),
    /// `c!a,b` and `c!!a,b`
    Send {
        /// The channel.
        channel: VarRef,
        /// `!!`
        sorted: bool,
        /// The message.
        args: Vec<Expr>,
        /// Written as `c!a(b)`.
        call_form: bool,
    },
    /// `c?a,b`, `c??a,b`, `c?<a,b>`, `c??<a,b>`
    Receive {
        /// The channel.
        channel: VarRef,
        /// `??`
        random: bool,
        /// `<...>`
        copy: bool,
        /// The pattern.
        args: Vec<RecvArg>,
        /// Written as `c?a(b)`.
        call_form: bool,
    },
    /// `if :: ... fi`
    If(Vec<Sequence>),
    /// `do :: ... od`
    Do(Vec<Sequence>),
    /// `for (x : a .. b) { ... }`
    ForRange {
        /// The counter.
        var: VarRef,
        /// First value.
        from: Expr,
        /// Last value.
        to: Expr,
        /// The loop body.
        body: Sequence,
    },
    /// `for (x in a) { ... }`, over an array or a channel.
    ForIn {
        /// Index, or variable that holds each message.
        var: VarRef,
        /// The array or channel.
        container: VarRef,
        /// The loop body.
        body: Sequence,
    },
    /// `select (x : a .. b)`
    Select {
        /// The variable.
        var: VarRef,
        /// First value.
        from: Expr,
        /// Last value.
        to: Expr,
        /// Whether SPIN expands it to one option per value rather than to a counting loop: both bounds are digits,
        /// the name is one word of letters and digits, at most 33 values, not inside an inline.
        options: bool,
    },
    /// `atomic { ... }`
    Atomic(Sequence),
    /// `d_step { ... }`
    DStep(Sequence),
    /// `{ ... }`
    Block(Sequence),
    /// `body unless escape`
    Unless(Box<Stmt>, Box<Stmt>),
    /// `goto L`
    Goto(Ident),
    /// `break`
    Break,
    /// `else`
    Else,
    /// `assert(e)`
    Assert(Expr),
    /// `printf("...", a, b)`
    Printf {
        /// The string, without quotes, escapes not interpreted.
        format: String,
        /// The values.
        args: Vec<Expr>,
    },
    /// `printm(e)`
    Printm(Expr),
    /// `set_priority(p, n)`
    SetPriority(Expr, Expr),
    /// `c_code { ... }` or `c_decl { ... }`
    CCode(CFragment),
    /// `f(a, b)` or `x = f(a, b)`, with what it expands to.
    InlineCall {
        /// Name of the inline.
        name: Ident,
        /// The arguments, as read at the call.
        args: Vec<Expr>,
        /// The text of each argument with single blanks. Substitution is textual, so parentheses that the tree does
        /// not keep matter here.
        written: Vec<String>,
        /// The variable that receives what `return` gives.
        target: Option<VarRef>,
        /// The body after substitution: a block.
        body: Box<Stmt>,
    },
    /// `return e` inside an inline called as `x = f()`: assigns `e` to `x`.
    Return {
        /// The variable of the call.
        target: VarRef,
        /// The value.
        value: Expr,
    },
}

/// One end of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelEnd {
    /// Receiving, `xr`.
    Receive,
    /// Sending, `xs`.
    Send,
}

/// One field of a receive pattern.
#[derive(Clone, Debug, PartialEq)]
pub enum RecvArg {
    /// A variable to fill, `_`, or the name of an `mtype` constant to match: [`crate::names`] tells.
    Ref(VarRef),
    /// `eval(e)`: must be equal.
    Eval(Expr),
    /// A literal: must be equal.
    Const(Expr),
}

/// `a`, `a[i]`, `a.b[i].c`
#[derive(Clone, Debug, PartialEq)]
pub struct VarRef {
    /// Name and fields, at least one.
    pub path: Vec<Segment>,
    /// The whole reference.
    pub at: At,
}

/// A name with an optional index.
#[derive(Clone, Debug, PartialEq)]
pub struct Segment {
    /// The name.
    pub name: Ident,
    /// `[e]`
    pub index: Option<Box<Expr>>,
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands, without enclosing parentheses.
    pub at: At,
}

/// How a constant was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// Digits.
    Number,
    /// `true` and `false`.
    Word,
    /// `skip`
    Skip,
    /// `'c'`
    Character,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A literal; values are 32-bit as in SPIN.
    Const(i32, Spelling),
    /// A variable, an `mtype` constant, `_pid`, `_last`, `_nr_pr`, `_priority`, `_`.
    Ref(VarRef),
    /// An operator with one operand.
    Unary(UnaryOp, Box<Expr>),
    /// An operator with two operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `(c -> a : b)`
    Cond(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `run P(a, b) [priority n]`
    Run {
        /// The process type.
        name: Ident,
        /// The arguments.
        args: Vec<Expr>,
        /// `priority n`.
        priority: Option<Box<Priority>>,
    },
    /// `len(c)`
    Len(VarRef),
    /// `full(c)`, `empty(c)`, `nfull(c)`, `nempty(c)`
    Probe(Probe, VarRef),
    /// `c?[a,b]` and `c??[a,b]`
    Poll {
        /// The channel.
        channel: VarRef,
        /// `??`
        random: bool,
        /// The pattern.
        args: Vec<RecvArg>,
    },
    /// `enabled(p)`
    Enabled(Box<Expr>),
    /// `pc_value(p)`
    PcValue(Box<Expr>),
    /// `get_priority(p)`
    GetPriority(Box<Expr>),
    /// `timeout`
    Timeout,
    /// `np_`
    NonProgress,
    /// `P[e]@label` and `P@label`
    RemoteLabel {
        /// The process type.
        proctype: Ident,
        /// Its number.
        pid: Option<Box<Expr>>,
        /// The label.
        label: Ident,
    },
    /// `P[e]:x` and `P:x`
    RemoteVar {
        /// The process type.
        proctype: Ident,
        /// Its number.
        pid: Option<Box<Expr>>,
        /// The variable.
        var: Segment,
    },
    /// `c_expr { ... }`
    CExpr(CFragment),
    /// `[] f`, `<> f`, `X f`; only in `ltl` blocks.
    TemporalUnary(TemporalUnary, Box<Expr>),
    /// `f U g` and so on; only in `ltl` blocks.
    TemporalBinary(TemporalBinary, Box<Expr>, Box<Expr>),
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `-`
    Minus,
    /// `~`
    Complement,
    /// `!`
    Not,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    BitAnd,
    BitXor,
    BitOr,
    Shl,
    Shr,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
    And,
    Or,
}

/// Tests of a channel that may not be negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Probe {
    Full,
    Empty,
    NotFull,
    NotEmpty,
}

/// `[]`, `<>`, `X`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum TemporalUnary {
    Always,
    Eventually,
    Next,
}

/// Temporal and logical operators of formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum TemporalBinary {
    Until,
    Release,
    WeakUntil,
    Implies,
    Equivalent,
}
