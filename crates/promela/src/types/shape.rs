//! The words of the type graph: nodes, what is known of them, why two are equal, why two cannot be.

use crate::names::{MtypeId, RecordId};
use ferrospin_source::Span;

/// A node of the graph.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub(super) struct NodeId(pub(super) u32);

impl NodeId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Index of a [`Tuple`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct TupleId(pub(super) u32);

/// What is known of a class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TypeShape {
    /// Nothing yet.
    Unknown,
    /// A channel whose messages have the type of the node.
    Chan(NodeId),
    /// A message.
    Tuple(TupleId),
    /// A number or truth value; which ones is told by the entries of the class.
    Number,
    /// A constant of an `mtype` list.
    Mtype(MtypeId),
    /// A process number, where these are told apart from numbers.
    Pid,
    /// A record that is too large to be spread.
    Record(RecordId),
}

/// The fields of a message, records spread.
#[derive(Clone, Debug)]
pub(super) struct Tuple {
    /// One node per field.
    pub(super) fields: Vec<NodeId>,
    /// Which fields came from which record.
    pub(super) groups: Vec<Group>,
    /// Where the layout is declared or used.
    pub(super) span: Span,
    /// The channel it was first said of.
    pub(super) channel: NodeId,
    /// Whether the layout is declared rather than used.
    pub(super) declared: bool,
}

/// Fields of a message that are the fields of one record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Group {
    /// The first of them.
    pub(super) at: u32,
    /// How many there are.
    pub(super) len: u32,
    /// The record.
    pub(super) record: RecordId,
}

/// What connects two nodes in the source text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reason {
    /// The place.
    pub(super) span: Span,
    /// What happens there.
    pub(super) cause: Cause,
    /// The text of the value that flows.
    pub(super) subject: Span,
    /// The text of where it flows to; for parameters the declaration.
    pub(super) object: Span,
}

/// What happens at a place that makes two types equal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cause {
    /// `object = subject`
    Assigned,
    /// `run P(subject)`, where the parameter is `object`.
    Passed,
    /// `object!subject`
    Sent,
    /// `object?subject`
    Received,
    /// `subject == object`
    Compared,
    /// Both are branches of one conditional expression.
    Chosen,
}

/// Why two nodes are equal.
#[derive(Clone, Copy, Debug)]
pub(super) enum Why {
    /// The source text says so.
    Source(Reason),
    /// They are corresponding parts of two equal nodes.
    Parts(NodeId, NodeId),
}

/// Two parts that cannot be equal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Clash {
    /// Messages of different length.
    Arity(TupleId, TupleId),
    /// Fields of different kinds.
    Kind(NodeId, NodeId),
    /// Equal fields that belong to different records.
    Record(RecordId, RecordId),
}
