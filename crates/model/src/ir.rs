//! The process graphs.
//!
//! A [`Model`] is a set of process types. Each is a graph of locations; an edge leads from one location to the next and
//! carries one [`Action`]. Locations and edges are numbered through the whole model, so that a location also tells the
//! process type. Everything here is plain data: executors read it, passes rewrite it, [`crate::verify`] lists its rules.
//!
//! How Promela's control constructs appear:
//! - *selection and repetition*: several edges at one location, in order of preference;
//! - *else*: an edge with [`Action::Else`], executable when no edge before it is;
//! - *unless*: edges with a non-zero [`Edge::escape`] come first; if one of an escape is executable, edges of other
//!   escapes and of the body are not tried;
//! - *atomic*: an edge with [`Edge::atomic`] keeps control in its process;
//! - *d_step*: one edge with [`Action::DStep`]; what it does is a graph of its own, whose locations never appear in a
//!   state and in which the first executable edge is taken;
//! - *end of a process*: an edge with [`Action::End`].

pub use crate::code::Call;
use crate::code::Code;
use crate::sizes::in_state;
use ferrospin_source::Span;
use std::sync::Arc;

ferrospin_source::typed_index! {
    /// Index into [`Model::processes`].
    ProcessId
    /// Index into [`Model::locations`].
    LocationId
    /// Index into [`Model::edges`].
    EdgeId
}

impl LocationId {
    /// Target of the edges that leave a `d_step`, and of the edge that ends a process.
    pub const EXIT: LocationId = LocationId(u32::MAX);
}

/// How a value is kept.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scalar {
    /// Unsigned, this many bits (1 to 31), in 1, 2 or 4 bytes.
    Unsigned(u8),
    /// 16 bits, signed.
    Short,
    /// 32 bits, signed.
    Int,
}

impl Scalar {
    /// `byte`, `mtype`, `chan`, `pid`.
    pub const BYTE: Scalar = Scalar::Unsigned(8);

    /// Bytes it takes in the state.
    pub fn size(self) -> u32 {
        match self {
            Scalar::Unsigned(1..=8) => 1,
            Scalar::Unsigned(9..=16) | Scalar::Short => 2,
            Scalar::Unsigned(_) | Scalar::Int => 4,
        }
    }

    /// What is left of a value when it is stored.
    pub fn cut(self, value: i32) -> i32 {
        match self {
            Scalar::Unsigned(n) => value & ((1u32 << n) - 1) as i32,
            Scalar::Short => i32::from(value as i16),
            Scalar::Int => value,
        }
    }
}

/// What a variable is for people.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Show {
    /// A number.
    Number,
    /// `true` or `false`.
    Bool,
    /// A constant of this `mtype` list.
    Mtype(u32),
    /// A channel.
    Channel,
}

/// A scalar, or an array of scalars, of the state. Records are spread: `r.a[2].b` is a leaf of its own, whose
/// dimensions are those along the path.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// Full name, such as `r.a.b`; where a record on the way is one of an array it reads `r[].a.b`.
    pub name: Arc<str>,
    /// Offset of the first element in its area.
    pub offset: u32,
    /// Length and distance in bytes of each dimension, outermost first.
    pub dims: Vec<(u32, u32)>,
    /// How it is kept.
    pub scalar: Scalar,
    /// How it is shown.
    pub show: Show,
    /// Where it is declared.
    pub span: Span,
}

impl Leaf {
    /// Whether one of its elements begins at an offset of its area.
    pub fn has_element_at(&self, offset: u32) -> bool {
        let Some(mut rest) = offset.checked_sub(self.offset) else { return false };
        self.dims.iter().all(|&(len, stride)| {
            let index = rest / stride;
            rest %= stride;
            index < len
        }) && rest == 0
    }
}

/// The variable that a place lies in, whatever its indices are: a scalar, or a whole array. What is said of a variable holds for
/// all of its elements; the offset of a place alone names one of them, and only where no index is left to be evaluated.
pub fn leaf_at(leaves: &[Leaf], place: &Place) -> Option<usize> {
    // An index that is not yet evaluated counts as 0 in the offset, so that this is always the offset of an element.
    leaves.iter().position(|l| l.has_element_at(place.offset))
}

/// A channel that is created with the system or with a process.
#[derive(Clone, Debug)]
pub struct Channel {
    /// Name of the variable that first holds it.
    pub name: Arc<str>,
    /// Number of messages it holds; 0 for rendezvous.
    pub capacity: u32,
    /// Fields of a message, records spread.
    pub fields: Vec<(Scalar, Show)>,
    /// Offset of its contents in its area: the number of messages, then the messages. Nothing for rendezvous.
    pub offset: u32,
}

impl Channel {
    /// Bytes of a message.
    pub fn message_size(&self) -> u32 {
        in_state(self.message_bytes())
    }

    fn message_bytes(&self) -> u64 {
        self.fields.iter().map(|f| u64::from(f.0.size())).sum()
    }

    /// How the number of messages is kept.
    pub fn length_scalar(&self) -> Scalar {
        if self.capacity < 256 { Scalar::BYTE } else { Scalar::Int }
    }

    /// Bytes of its contents, which fit into a state or not.
    pub fn bytes(&self) -> u64 {
        match self.capacity {
            0 => 0,
            n => u64::from(self.length_scalar().size()) + u64::from(n) * self.message_bytes(),
        }
    }

    /// Bytes of its contents in the state.
    pub fn size(&self) -> u32 {
        in_state(self.bytes())
    }
}

/// Whose memory a place lies in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Area {
    /// The globals.
    Global,
    /// The frame of the process that evaluates.
    Local,
}

/// A scalar in the state, its indices still to be evaluated.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// Whose memory.
    pub area: Area,
    /// Offset in the area, before indices.
    pub offset: u32,
    /// Each index with the length it must stay below and the distance of elements in bytes.
    pub indices: Vec<Index>,
    /// How it is kept.
    pub scalar: Scalar,
}

/// One index of a [`Place`].
#[derive(Clone, Debug, PartialEq)]
pub struct Index {
    /// The value.
    pub value: Expr,
    /// It must be below this.
    pub len: u32,
    /// Distance of elements in bytes.
    pub stride: u32,
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Unary {
    Minus,
    Complement,
    Not,
}

/// Operators with two operands, all on 32-bit integers that wrap; comparisons and logic give 0 or 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Binary {
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

impl Unary {
    /// The value of the operator; what every executor and every analysis means by it.
    pub fn apply(self, a: i32) -> i32 {
        match self {
            Unary::Minus => a.wrapping_neg(),
            Unary::Complement => !a,
            Unary::Not => i32::from(a == 0),
        }
    }
}

impl Binary {
    /// The value of the operator when both operands are evaluated; `None` for a division by zero.
    pub fn apply(self, a: i32, b: i32) -> Option<i32> {
        Some(match self {
            Binary::Add => a.wrapping_add(b),
            Binary::Sub => a.wrapping_sub(b),
            Binary::Mul => a.wrapping_mul(b),
            Binary::Div | Binary::Rem if b == 0 => return None,
            Binary::Div => a.wrapping_div(b),
            Binary::Rem => a.wrapping_rem(b),
            Binary::BitAnd => a & b,
            Binary::BitXor => a ^ b,
            Binary::BitOr => a | b,
            // Counts outside 0..31 are undefined in C; here they wrap, as x86 does it.
            Binary::Shl => a.wrapping_shl(b as u32),
            Binary::Shr => a.wrapping_shr(b as u32),
            Binary::Lt => i32::from(a < b),
            Binary::Le => i32::from(a <= b),
            Binary::Gt => i32::from(a > b),
            Binary::Ge => i32::from(a >= b),
            Binary::Eq => i32::from(a == b),
            Binary::Ne => i32::from(a != b),
            Binary::And => i32::from(a != 0 && b != 0),
            Binary::Or => i32::from(a != 0 || b != 0),
        })
    }
}

/// Tests of a channel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum ChannelTest {
    Len,
    Full,
    Empty,
    NotFull,
    NotEmpty,
}

/// An expression without side effects.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A constant.
    Const(i32),
    /// The value of a place.
    Load(Box<Place>),
    /// One operand.
    Unary(Unary, Box<Expr>),
    /// Two operands; `And` and `Or` evaluate the right one only if needed.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// Condition, then, else.
    Cond(Box<[Expr; 3]>),
    /// A test of the channel with this number.
    Channel(ChannelTest, Box<Expr>),
    /// Whether a receive would succeed.
    Poll(Box<Receive>),
    /// `_pid`
    Pid,
    /// `_last`
    Last,
    /// `_nr_pr`
    ProcessCount,
    /// `_nr_qs`
    ChannelCount,
    /// `timeout`
    Timeout,
    /// `np_`
    NonProgress,
    /// `enabled(p)`
    Enabled(Box<Expr>),
    /// `pc_value(p)`
    PcValue(Box<Expr>),
    /// `get_priority(p)`, `_priority`
    Priority(Box<Expr>),
    /// `P[e]@label`: whether the process stands at the location; without number the oldest of that type.
    AtLocation(ProcessId, Option<Box<Expr>>, LocationId),
    /// `P[e]:x`: a local of another process, 0 when there is no such process.
    Remote(ProcessId, Option<Box<Expr>>, Box<Place>),
    /// The value of foreign code.
    Call(Box<Call>),
    /// Embedded C, which cannot be executed. As a field of a send in a `trace`: a field that is not looked at.
    Foreign,
}

/// What a receive asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct Receive {
    /// The number of the channel.
    pub channel: Expr,
    /// Any message, not only the oldest.
    pub random: bool,
    /// The message stays.
    pub copy: bool,
    /// A pattern per field.
    pub fields: Vec<Pattern>,
}

/// One field of a receive.
#[derive(Clone, Debug, PartialEq)]
pub enum Pattern {
    /// Must be equal.
    Match(Expr),
    /// Takes the value.
    Bind(Place),
    /// Anything.
    Any,
}

impl Action {
    /// A step that does nothing, but is no `skip`: what SPIN does to `skip`s it does not do to this.
    pub const NOTHING: Action = Action::Guard(Expr::Const(1));
}

/// What an edge does. Executable unless said otherwise.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Executable when not zero.
    Guard(Expr),
    /// Nothing: `skip`, a jump.
    Skip,
    /// Executable when no edge before it is.
    Else,
    /// Stores a value.
    Assign(Place, Expr),
    /// Executable when the channel has room, or a partner takes the message.
    Send {
        /// The number of the channel.
        channel: Expr,
        /// Keep the messages in order.
        sorted: bool,
        /// The message.
        fields: Vec<Expr>,
    },
    /// Executable when a message matches.
    Receive(Receive),
    /// Fails when zero.
    Assert(Expr),
    /// Prints.
    Print {
        /// With `%d` and so on.
        format: Arc<str>,
        /// The values.
        args: Vec<Expr>,
        /// `printm`: the constant's name from this `mtype` list, instead of a format.
        mtype: Option<u32>,
    },
    /// Starts a process.
    Run {
        /// Its type.
        process: ProcessId,
        /// Its arguments.
        args: Vec<Expr>,
        /// Its priority; 0 for the default.
        priority: u8,
        /// Where its number goes.
        target: Option<Place>,
    },
    /// `set_priority(p, n)`
    SetPriority(Expr, Expr),
    /// Ends the process; executable when it is the youngest.
    End,
    /// Runs the graph that starts at this location to its exit; executable when one of its first edges is.
    DStep(LocationId),
    /// Runs foreign code.
    Call(Box<Call>),
    /// Embedded C, which cannot be executed.
    Foreign,
}

/// An edge.
#[derive(Clone, Debug)]
pub struct Edge {
    /// Where it starts.
    pub from: LocationId,
    /// Where it leads; [`LocationId::EXIT`] out of a `d_step` and at the end of a process.
    pub to: LocationId,
    /// What it does.
    pub action: Action,
    /// Further actions done in the same step: only by statement merging; none of them can block.
    pub then: Vec<Action>,
    /// The process keeps control.
    pub atomic: bool,
    /// Number of the escape it belongs to, unique at its location; 0 for the body.
    pub escape: u16,
    /// The statement it came from.
    pub span: Span,
}

/// A control point.
#[derive(Clone, Debug)]
pub struct Location {
    /// The process type it belongs to.
    pub process: ProcessId,
    /// Its edges, in order of preference.
    pub edges: Vec<EdgeId>,
    /// The process may stop here.
    pub end: bool,
    /// At an `accept` label.
    pub accept: bool,
    /// At a `progress` label.
    pub progress: bool,
    /// Inside a `d_step`: never in a state.
    pub inside_d_step: bool,
    /// Its labels.
    pub labels: Vec<Arc<str>>,
    /// The statement that starts here.
    pub span: Span,
}

/// What a process type is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum ProcessKind {
    Proctype,
    Init,
    Never,
    Trace,
    NoTrace,
}

/// A process type.
#[derive(Clone, Debug)]
pub struct Process {
    /// Its name.
    pub name: Arc<str>,
    /// What it is for.
    pub kind: ProcessKind,
    /// Where it starts.
    pub entry: LocationId,
    /// Its variables; parameters first.
    pub locals: Vec<Leaf>,
    /// Where arguments go.
    pub params: Vec<Place>,
    /// Channels created with it.
    pub channels: Vec<Channel>,
    /// What is stored at its birth, in order, behind parameters and channel numbers.
    pub init: Vec<(Place, Init)>,
    /// Must hold whenever it moves.
    pub provided: Option<Expr>,
    /// Ends of channels that it claims for itself, as long as it lives.
    pub exclusive: Vec<Exclusive>,
    /// Priority of instances that start with the system.
    pub priority: u8,
    /// `D_proctype`: two executable edges at once are an error.
    pub deterministic: bool,
    /// Bytes of its frame.
    pub frame_size: u32,
    /// Where it is defined.
    pub span: Span,
}

impl Process {
    /// What others ask of a process wherever it stands: whether it may move, and which ends of channels it claims.
    pub fn asked(&self) -> impl Iterator<Item = &Expr> {
        self.provided.iter().chain(self.exclusive.iter().map(|e| &e.channel))
    }
}

/// `xr` or `xs`: a process alone receives from a channel, or sends to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Exclusive {
    /// The number of the channel, as the process sees it.
    pub channel: Expr,
    /// `xr`, not `xs`.
    pub receives: bool,
}

/// Which ends of a channel are used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub struct Ends {
    pub sends: bool,
    pub receives: bool,
}

impl Ends {
    /// Whether one of them is claimed.
    pub fn are_claimed_by(self, claim: &Exclusive) -> bool {
        if claim.receives { self.receives } else { self.sends }
    }
}

/// What a variable starts as.
#[derive(Clone, Debug, PartialEq)]
pub enum Init {
    /// The value of an expression.
    Value(Expr),
    /// The number of the n-th channel created with the process (or of the n-th global channel).
    Channel(u32),
}

/// A whole model.
#[derive(Clone, Debug)]
pub struct Model {
    /// The global variables.
    pub globals: Vec<Leaf>,
    /// The global channels; their numbers are their positions plus one.
    pub channels: Vec<Channel>,
    /// What is stored in the initial state, in order.
    pub init: Vec<(Place, Init)>,
    /// Process types, `init`, claims, trace.
    pub processes: Vec<Process>,
    /// Types of the processes that start with the system, in order of their numbers.
    pub start: Vec<ProcessId>,
    /// Control points of all process types.
    pub locations: Vec<Location>,
    /// Edges of all process types.
    pub edges: Vec<Edge>,
    /// Names of `mtype` constants: list by list, `(value, name)`.
    pub mtypes: Vec<Vec<(u8, Arc<str>)>>,
    /// What executors tell of a state as labels: the edges of this location are guards, one for each proposition. Where there
    /// are propositions, a claim stays where it is, and its frame is a slot that a search uses.
    pub propositions: Option<LocationId>,
    /// Where things stand in the state.
    pub layout: Layout,
    /// What the model makes use of.
    pub uses: Uses,
    /// Bytes of the fixed part that are restored, but not compared: states that differ in them alone count as one.
    pub unmatched: Vec<(u32, u32)>,
    /// What the numbers of [`Call`]s mean; a model without calls needs none.
    pub code: Option<Arc<dyn Code>>,
}

/// Offsets of the fixed part of the state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Bytes of a location number: 1, 2 or 4.
    pub location_size: u32,
    /// Offset of the trace's location.
    pub trace: Option<u32>,
    /// Offset of `_last`.
    pub last: Option<u32>,
    /// The claim that moves beside the processes, and the offset of its frame.
    pub claim: Option<(ProcessId, u32)>,
    /// Bytes of the fixed part; frames follow, oldest process first. A frame starts with its location, then, where
    /// priorities are used, its priority.
    pub fixed_size: u32,
}

/// What the model makes use of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Uses {
    pub last: bool,
    pub priority: bool,
    pub timeout: bool,
    pub rendezvous: bool,
    pub enabled: bool,
    pub foreign: bool,
    pub provided: bool,
    /// A process that uses an end of a channel that another one has claimed fails.
    pub exclusive: bool,
}

impl Uses {
    /// What either makes use of.
    pub fn union(self, other: Uses) -> Uses {
        Uses {
            last: self.last || other.last,
            priority: self.priority || other.priority,
            timeout: self.timeout || other.timeout,
            rendezvous: self.rendezvous || other.rendezvous,
            enabled: self.enabled || other.enabled,
            foreign: self.foreign || other.foreign,
            provided: self.provided || other.provided,
            exclusive: self.exclusive || other.exclusive,
        }
    }
}

impl Model {
    /// The same model with a claim beside it: the claim's frame joins the fixed part of the state.
    pub fn with_claim(&self, claim: ProcessId) -> Model {
        let mut model = self.clone();
        model.layout.claim = Some((claim, model.layout.fixed_size));
        model.layout.fixed_size += model.processes[claim.index()].frame_size;
        model
    }

    /// Whether it holds foreign code, and nothing says what that does.
    pub fn lacks_code(&self) -> bool {
        self.uses.foreign && self.code.is_none()
    }

    /// The same model, of which executors tell whether these expressions hold. They are the edges of one location of a process
    /// type of its own; edges and locations keep their numbers.
    pub fn with_propositions(&self, expressions: impl IntoIterator<Item = Expr>) -> Model {
        let mut model = self.clone();
        let process = ProcessId(model.processes.len() as u32);
        let at = LocationId(model.locations.len() as u32);
        let mut edges = Vec::new();
        for expression in expressions {
            edges.push(EdgeId(model.edges.len() as u32));
            model.edges.push(Edge {
                from: at,
                to: at,
                action: Action::Guard(expression),
                then: Vec::new(),
                atomic: false,
                escape: 0,
                span: Span::NONE,
            });
        }
        model.locations.push(Location {
            process,
            edges,
            end: false,
            accept: false,
            progress: false,
            inside_d_step: false,
            labels: Vec::new(),
            span: Span::NONE,
        });
        model.processes.push(Process {
            name: "propositions".into(),
            kind: ProcessKind::Never,
            entry: at,
            locals: Vec::new(),
            params: Vec::new(),
            channels: Vec::new(),
            init: Vec::new(),
            provided: None,
            exclusive: Vec::new(),
            priority: 1,
            deterministic: false,
            frame_size: model.layout.location_size,
            span: Span::NONE,
        });
        model.propositions = Some(at);
        model
    }

    /// The claim that moves, and the offset of its frame: there is none where its place is taken by propositions.
    pub fn moving_claim(&self) -> Option<(ProcessId, u32)> {
        self.layout.claim.filter(|_| self.propositions.is_none())
    }

    /// Whether some process claims an end of a channel.
    pub fn has_claimed_ends(&self) -> bool {
        self.processes.iter().any(|p| !p.exclusive.is_empty())
    }

    /// The same model, in which no process may use an end of a channel that another process has claimed.
    pub fn with_claimed_ends(&self) -> Model {
        let mut model = self.clone();
        model.uses.exclusive = true;
        model
    }

    /// Bytes that number this many locations.
    pub fn location_size_for(count: usize) -> u32 {
        match count {
            0..=256 => 1,
            257..=65_536 => 2,
            _ => 4,
        }
    }

    /// The edge behind an index.
    pub fn edge(&self, id: EdgeId) -> &Edge {
        &self.edges[id.index()]
    }

    /// The location behind an index.
    pub fn location(&self, id: LocationId) -> &Location {
        &self.locations[id.index()]
    }

    /// The process type behind an index.
    pub fn process(&self, id: ProcessId) -> &Process {
        &self.processes[id.index()]
    }
}
