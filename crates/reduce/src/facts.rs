//! What a reduction must know of a program.
//!
//! A program has processes, each standing at a location of its type and leaving it over edges. Processes of a type are distinguished by their number and by
//! some bytes of their frame that never change, because what their edges depend on may differ with them.

/// Where things stand in a state, and which edges there are. Sets of edges are bits, by position among the edges of the
/// process type.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// Bytes before the first frame.
    pub fixed_size: u32,
    /// Bytes of a location number, with which each frame begins.
    pub location_size: u32,
    /// All locations, by number.
    pub locations: Vec<Location>,
    /// All process types.
    pub processes: Vec<Process>,
    /// Of each edge: its position among the edges of its process type.
    pub places: Vec<u32>,
    /// States with more processes than this are not covered by the facts: [`Facts::crowded`] must be called.
    pub crowd_max: u32,
    /// The facts need every state, also those where there is nothing to choose.
    pub meets_all: bool,
}

impl Layout {
    /// Whether every state must be read, also those where there is nothing to choose.
    #[inline]
    pub fn sees_all(&self) -> bool {
        self.meets_all || self.crowd_max < u32::from(u8::MAX)
    }
}

/// A control point.
#[derive(Clone, Debug, Default)]
pub struct Location {
    /// Its process type.
    pub process: u32,
    /// Its position among the locations of the type.
    pub place: u32,
    /// The edges that leave it.
    pub leaving: Vec<u64>,
    /// The edges that enter it.
    pub entering: Vec<u64>,
    /// The edges that can be taken from here on, sooner or later.
    pub reachable: Vec<u64>,
}

/// A process type.
#[derive(Clone, Debug, Default)]
pub struct Process {
    /// Bytes of a frame.
    pub frame_size: u32,
    /// How many locations it has.
    pub locations: u32,
    /// Ranges of the frame that never change and distinguish instances.
    pub frozen: Vec<(u32, u32)>,
    /// Its edges.
    pub edges: Vec<u32>,
    /// Of each of them, the location that it leaves.
    pub from: Vec<u32>,
}

/// What kind of step an edge is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EdgeKind {
    /// A step of one process, whose conjuncts say whether it is executable.
    Plain,
    /// Half of a handshake.
    Handshake,
    /// Half of a handshake, or a step of one process: that depends on values.
    Either,
    /// Executable only when nothing else is.
    Timeout,
    /// It may depend on everything.
    Unknown,
}

/// Facts of an edge of a process.
#[derive(Clone, Debug)]
pub struct EdgeFacts {
    /// What kind of step it is.
    pub kind: EdgeKind,
    /// It is visible to the property.
    pub visible: bool,
    /// It uses only the process's own variables and ends of queues of which the process is the only user. That is no
    /// condition of soundness; such edges are preferred.
    pub private: bool,
    /// Its conjuncts; all of them must hold for it to be executable.
    pub conjuncts: Vec<Test>,
}

/// How a conjunct is tested.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Test {
    /// A number in the state compared with a constant.
    Compare {
        /// Whether the offset is one of the frame.
        local: bool,
        /// Where.
        offset: u32,
        /// Its bytes: 1, 2 or 4.
        size: u8,
        /// Whether two bytes are a signed number; four always are.
        signed: bool,
        /// How.
        op: Compare,
        /// With what.
        value: i32,
    },
    /// No younger process exists.
    Youngest,
    /// Not testable; it may be false.
    Unknown,
}

impl Test {
    /// Whether it is surely false, for a process whose frame begins at `frame`.
    #[inline]
    pub fn is_false(self, state: &[u8], frame: u32, is_youngest: bool) -> bool {
        match self {
            Test::Compare { local, offset, size, signed, op, value } => {
                let at = (offset + if local { frame } else { 0 }) as usize;
                let number = match size {
                    1 => i32::from(state[at]),
                    2 if signed => i32::from(i16::from_le_bytes([state[at], state[at + 1]])),
                    2 => i32::from(u16::from_le_bytes([state[at], state[at + 1]])),
                    _ => i32::from_le_bytes([state[at], state[at + 1], state[at + 2], state[at + 3]]),
                };
                !op.holds(number, value)
            }
            Test::Youngest => !is_youngest,
            Test::Unknown => false,
        }
    }
}

/// Comparisons.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Compare {
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
}

impl Compare {
    /// Compares.
    #[inline]
    pub fn holds(self, a: i32, b: i32) -> bool {
        match self {
            Compare::Lt => a < b,
            Compare::Le => a <= b,
            Compare::Gt => a > b,
            Compare::Ge => a >= b,
            Compare::Eq => a == b,
            Compare::Ne => a != b,
        }
    }
}

/// Something that processes may do.
#[derive(Debug)]
pub enum Target<'a, I> {
    /// What does not accord with an edge of a process.
    Conflicts(&'a I, u32),
    /// What may make a conjunct of an edge true.
    Enables(&'a I, u32, usize),
    /// What may change whether an edge is executable.
    Guard(&'a I, u32),
    /// The other half of a handshake.
    Partners(&'a I, u32),
    /// What must not be postponed for ever.
    Observed,
    /// What is visible to the property.
    Visible,
    /// The end of a process.
    Ends,
}

/// The facts of a program.
pub trait Facts: Send + Sync + 'static {
    /// A process with what never changes in it.
    type Instance: Send;

    /// Where things stand.
    fn layout(&self) -> &Layout;

    /// A process.
    fn instance(&self, process: u32, pid: u8, frame: &[u8]) -> Self::Instance;

    /// The facts of an edge.
    fn edge(&self, instance: &Self::Instance, edge: u32) -> EdgeFacts;

    /// Called for a state with more processes than [`Layout::crowd_max`]: the facts given so far do not hold for it.
    fn crowded(&self) {}

    /// The edges of a process that are a target; empty when there are none.
    fn hits(&self, target: Target<'_, Self::Instance>, instance: &Self::Instance) -> Vec<u64>;
}
