//! Sends, receives and polls: their fields, the order in which they are solved, and what is said when one does not fit.
//!
//! Which statement gets the blame depends on the order. Messages on channels of known layout come first, in text order;
//! what they reveal makes further layouts known. Where no declaration reaches, the layout that most uses of a channel
//! agree on is taken. So a single slip is reported where it is, not at the first innocent statement behind it.

use super::graph::{Cause, Clash, Group, NodeId, Reason, Tuple, TupleId, TypeShape, Why};
use super::infer::{Checker, Place, Type};
use super::number::{Entry, Range, Role};
use crate::ast::{Expr, RecvArg, VarRef};
use crate::names::{Builtin, Def, RecordId, Ty};
use ferrospin_source::Span;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// Something that does not fit. It is reported when all else is solved, because only then types are known in full.
pub(super) enum Misfit {
    /// A message with a wrong number of fields.
    Arity(usize, TupleId),
    /// A message with another record than its channel carries.
    Record(usize, RecordId, RecordId),
    /// A message with fields of another kind.
    Fields(usize, TupleId, Vec<(usize, Clash)>),
    /// A channel that is stored where channels of another type are.
    Link(NodeId, NodeId, Reason, Clash),
}

/// A send, receive or poll.
pub(super) struct Message {
    pub(super) channel: NodeId,
    /// The channel as written.
    pub(super) subject: Span,
    pub(super) span: Span,
    pub(super) sends: bool,
    pub(super) fields: Vec<Field>,
    groups: Vec<Group>,
}

pub(super) struct Field {
    pub(super) node: NodeId,
    span: Span,
    cause: Cause,
}

impl Checker<'_> {
    /// `c!a,b`
    pub(super) fn send(&mut self, channel: &VarRef, args: &[Expr], span: Span) {
        let node = self.channel(channel);
        let mut message = self.new_message(node, channel, span, true);
        for arg in args {
            self.sent(arg, Role::Sent, &mut message);
        }
        self.enqueue(node, message);
    }

    /// `c?a,b` and `c?[a,b]`
    pub(super) fn receive(&mut self, channel: &VarRef, args: &[RecvArg], span: Span) {
        let node = self.channel(channel);
        let mut message = self.new_message(node, channel, span, false);
        for arg in args {
            match arg {
                RecvArg::Eval(e) | RecvArg::Const(e) => self.sent(e, Role::Matched, &mut message),
                RecvArg::Ref(reference) => self.received(reference, &mut message),
            }
        }
        self.enqueue(node, message);
    }

    fn new_message(&self, node: Option<NodeId>, channel: &VarRef, span: Span, sends: bool) -> Message {
        let channel_node = node.unwrap_or(NodeId(0));
        Message { channel: channel_node, subject: channel.at.0, span, sends, fields: Vec::new(), groups: Vec::new() }
    }

    fn enqueue(&mut self, node: Option<NodeId>, message: Message) {
        // What is sent to something that is no channel was reported and has been looked at; there is no more to do.
        if node.is_some() {
            self.messages.push(message);
        }
    }

    /// A value that is sent, or that a received one must equal.
    fn sent(&mut self, expr: &Expr, role: Role, message: &mut Message) {
        let span = expr.at.0;
        let ty = self.expr(expr);
        let number = |range, truth, constant| Entry { role, range, truth, constant, span };
        let node = match ty {
            Type::Unknown => self.graph.node(TypeShape::Unknown),
            Type::Number { range, constant } => self.number_node(number(range, false, constant)),
            Type::Bool => self.number_node(number(Range::BIT, true, false)),
            Type::Mtype(id) => self.graph.node(TypeShape::Mtype(id)),
            Type::Pid => self.graph.node(TypeShape::Pid),
            Type::Chan(node) => node,
            Type::Record(record, place) => return self.spread_record(record, &place, span, Cause::Sent, message),
        };
        message.fields.push(Field { node, span, cause: Cause::Sent });
    }

    /// A variable that is filled.
    fn received(&mut self, reference: &VarRef, message: &mut Message) {
        let span = reference.at.0;
        let def = reference.path.first().and_then(|s| self.names.def(&s.name));
        let declared = self.declared(reference).map(|v| v.ty);
        let ty = self.place(reference);
        let node = match (ty, declared) {
            (Type::Record(record, place), _) => {
                return self.spread_record(record, &place, span, Cause::Received, message);
            }
            (Type::Chan(node), _) => node,
            (Type::Mtype(id), _) => self.graph.node(TypeShape::Mtype(id)),
            (Type::Pid, _) => self.graph.node(TypeShape::Pid),
            (Type::Number { .. } | Type::Bool, Some(declared)) => self.receiving(declared, span),
            // `_pid` and the like must be equal rather than be filled.
            (Type::Number { range, .. }, None) if !matches!(def, Some(Def::Builtin(Builtin::Underscore))) => {
                self.number_node(Entry { role: Role::Matched, range, truth: false, constant: false, span })
            }
            _ => self.graph.node(TypeShape::Unknown),
        };
        message.fields.push(Field { node, span, cause: Cause::Received });
    }

    /// A node for a variable of a numeric type that is filled.
    fn receiving(&mut self, ty: Ty, span: Span) -> NodeId {
        let range = Range::of_type(ty).unwrap_or(Range::INT);
        self.number_node(Entry { role: Role::Received(ty), range, truth: ty == Ty::Bool, constant: false, span })
    }

    /// The fields of a record, one after the other, as SPIN sends them.
    fn spread_record(&mut self, record: RecordId, place: &Place, span: Span, cause: Cause, message: &mut Message) {
        let Some(spread) = self.spread(record) else {
            let node = self.graph.node(TypeShape::Record(record));
            return message.fields.push(Field { node, span, cause });
        };
        message.groups.push(Group { at: message.fields.len() as u32, len: spread.len() as u32, record });
        for (path, ty) in spread.iter() {
            let node = match ty {
                Ty::Chan => {
                    let path = place.path.iter().chain(path).copied().collect();
                    self.channel_of(&Place { var: place.var, path })
                }
                Ty::Mtype(id) => self.graph.node(TypeShape::Mtype(*id)),
                Ty::Record(id) => self.graph.node(TypeShape::Record(*id)),
                Ty::Pid if self.options.strict_pid => self.graph.node(TypeShape::Pid),
                _ if cause == Cause::Received => self.receiving(*ty, span),
                _ => {
                    let range = Range::of_type(*ty).unwrap_or(Range::INT);
                    let truth = *ty == Ty::Bool;
                    self.number_node(Entry { role: Role::Sent, range, truth, constant: false, span })
                }
            };
            message.fields.push(Field { node, span, cause });
        }
    }

    /// Solves all messages collected so far.
    pub(super) fn solve(&mut self) {
        let first = self.solved.len();
        self.solved.resize(self.messages.len(), false);
        for i in first..self.messages.len() {
            let channel = self.messages[i].channel;
            match self.graph.layout(channel) {
                Some(_) => self.ready.push(Reverse(i as u32)),
                None => {
                    if let Some(message) = self.graph.message(channel) {
                        self.graph.wait(message, i as u32);
                    }
                }
            }
        }
        let mut next = first;
        loop {
            while let Some(Reverse(i)) = self.ready.pop() {
                if !std::mem::replace(&mut self.solved[i as usize], true) {
                    self.solve_message(i as usize);
                }
            }
            while next < self.solved.len() && self.solved[next] {
                next += 1;
            }
            if next == self.solved.len() {
                break;
            }
            let chosen = self.most_common(next);
            self.ready.push(Reverse(chosen as u32));
        }
    }

    /// Among the messages that wait for the same layout as `first`, the first one of the most common shape.
    fn most_common(&self, first: usize) -> usize {
        let Some(message) = self.graph.message(self.messages[first].channel) else { return first };
        let mut counts: FxHashMap<Vec<(u32, u32)>, (usize, usize)> = FxHashMap::default();
        for i in self.graph.waiting(message).map(|i| i as usize).filter(|&i| !self.solved[i]) {
            let signature = self.messages[i].fields.iter().map(|f| self.kind(f.node)).collect();
            let (count, at) = counts.entry(signature).or_insert((0, i));
            *count += 1;
            *at = (*at).min(i);
        }
        counts.into_values().max_by_key(|&(count, at)| (count, Reverse(at))).map_or(first, |(_, at)| at)
    }

    pub(super) fn kind(&self, node: NodeId) -> (u32, u32) {
        match self.graph.shape(node) {
            TypeShape::Unknown => (0, 0),
            TypeShape::Chan(_) => (1, 0),
            TypeShape::Tuple(_) => (2, 0),
            TypeShape::Number => (3, 0),
            TypeShape::Mtype(id) => (4, id.0),
            TypeShape::Pid => (5, 0),
            TypeShape::Record(id) => (6, id.0),
        }
    }

    fn solve_message(&mut self, i: usize) {
        let channel = self.messages[i].channel;
        let Some(node) = self.graph.message(channel) else { return };
        let layout = match self.graph.layout(channel) {
            Some(layout) => layout,
            None => {
                let message = &self.messages[i];
                let fields = message.fields.iter().map(|_| self.graph.node(TypeShape::Unknown)).collect();
                let (groups, span) = (message.groups.clone(), message.span);
                let tuple = self.graph.tuple(Tuple { fields, groups, span, channel, declared: false });
                self.graph.join_quietly(node, tuple);
                let ready = &mut self.ready;
                self.graph.release(node, |work| ready.push(Reverse(work)));
                match self.graph.layout(channel) {
                    Some(layout) => layout,
                    None => return,
                }
            }
        };
        let tuple = self.graph.tuple_of(layout);
        let message = &self.messages[i];
        if tuple.fields.len() != message.fields.len() {
            return self.misfits.push(Misfit::Arity(i, layout));
        }
        let other =
            Tuple { fields: Vec::new(), groups: message.groups.clone(), span: message.span, channel, declared: false };
        if let Some((a, b)) = super::graph::group_clash(tuple, &other) {
            return self.misfits.push(Misfit::Record(i, a, b));
        }
        let mut clashes = Vec::new();
        for f in 0..self.messages[i].fields.len() {
            let target = self.graph.tuple_of(layout).fields[f];
            let message = &self.messages[i];
            let Field { node, span, cause } = message.fields[f];
            let reason = Reason { span: message.span, cause, subject: span, object: message.subject };
            let mark = self.graph.mark();
            match self.graph.unify(target, node, Why::Source(reason)) {
                Ok(()) => {
                    let ready = &mut self.ready;
                    self.graph.commit(|work| ready.push(Reverse(work)));
                }
                Err(clash) => {
                    self.graph.rollback(mark);
                    clashes.push((f, clash));
                }
            }
        }
        if !clashes.is_empty() {
            self.misfits.push(Misfit::Fields(i, layout, clashes));
        }
    }

    /// Makes two channels equal, or says why that cannot be.
    pub(super) fn link(&mut self, target: NodeId, value: NodeId, reason: Reason) {
        let mark = self.graph.mark();
        match self.graph.unify(target, value, Why::Source(reason)) {
            Ok(()) => {
                let ready = &mut self.ready;
                self.graph.commit(|work| ready.push(Reverse(work)));
            }
            Err(clash) => {
                self.graph.rollback(mark);
                self.misfits.push(Misfit::Link(target, value, reason, clash));
            }
        }
    }
}
