//! Sends, receives and polls: their fields, the order in which they are solved, and what is said when one does not fit.
//!
//! Which statement gets the blame depends on the order. Messages on channels of known layout come first, in text order;
//! what they reveal makes further layouts known. Where no declaration reaches, the layout that most uses of a channel
//! agree on is taken. So a single slip is reported where it is, not at the first innocent statement behind it.

use super::graph::{Cause, Clash, Group, NodeId, Reason, Shape, Tuple, TupleId, Why};
use super::infer::{Checker, Place, Type};
use super::number::{Entry, Range, Role};
use super::show;
use crate::ast::{Expr, RecvArg, VarRef};
use crate::lints::error;
use crate::names::{Builtin, Def, RecordId, Ty};
use ferrospin_source::{Diagnostic, Span};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// Chains of reasons are worked out for this many clashes; a model with more has other worries.
const EXPLAINED_MAX: usize = 100;

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
    channel: NodeId,
    /// The channel as written.
    subject: Span,
    span: Span,
    sends: bool,
    fields: Vec<Field>,
    groups: Vec<Group>,
}

struct Field {
    node: NodeId,
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
            Type::Unknown => self.graph.node(Shape::Unknown),
            Type::Number { range, constant } => self.number_node(number(range, false, constant)),
            Type::Bool => self.number_node(number(Range::BIT, true, false)),
            Type::Mtype(id) => self.graph.node(Shape::Mtype(id)),
            Type::Pid => self.graph.node(Shape::Pid),
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
            (Type::Mtype(id), _) => self.graph.node(Shape::Mtype(id)),
            (Type::Pid, _) => self.graph.node(Shape::Pid),
            (Type::Number { .. } | Type::Bool, Some(declared)) => self.receiving(declared, span),
            // `_pid` and the like must be equal rather than be filled.
            (Type::Number { range, .. }, None) if !matches!(def, Some(Def::Builtin(Builtin::Underscore))) => {
                self.number_node(Entry { role: Role::Matched, range, truth: false, constant: false, span })
            }
            _ => self.graph.node(Shape::Unknown),
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
            let node = self.graph.node(Shape::Record(record));
            return message.fields.push(Field { node, span, cause });
        };
        message.groups.push(Group { at: message.fields.len() as u32, len: spread.len() as u32, record });
        for (path, ty) in spread.iter() {
            let node = match ty {
                Ty::Chan => {
                    let path = place.path.iter().chain(path).copied().collect();
                    self.channel_of(&Place { var: place.var, path })
                }
                Ty::Mtype(id) => self.graph.node(Shape::Mtype(*id)),
                Ty::Record(id) => self.graph.node(Shape::Record(*id)),
                Ty::Pid if self.options.strict_pid => self.graph.node(Shape::Pid),
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

    fn kind(&self, node: NodeId) -> (u32, u32) {
        match self.graph.shape(node) {
            Shape::Unknown => (0, 0),
            Shape::Chan(_) => (1, 0),
            Shape::Tuple(_) => (2, 0),
            Shape::Number => (3, 0),
            Shape::Mtype(id) => (4, id.0),
            Shape::Pid => (5, 0),
            Shape::Record(id) => (6, id.0),
        }
    }

    fn solve_message(&mut self, i: usize) {
        let channel = self.messages[i].channel;
        let Some(node) = self.graph.message(channel) else { return };
        let layout = match self.graph.layout(channel) {
            Some(layout) => layout,
            None => {
                let message = &self.messages[i];
                let fields = message.fields.iter().map(|_| self.graph.node(Shape::Unknown)).collect();
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

    /// Reports all that does not fit, in the order of the text.
    pub(super) fn report_misfits(&mut self) {
        let mut misfits = std::mem::take(&mut self.misfits);
        misfits.sort_by_key(|misfit| match misfit {
            Misfit::Link(..) => 0,
            Misfit::Arity(i, _) | Misfit::Record(i, _, _) | Misfit::Fields(i, _, _) => *i,
        });
        for misfit in misfits {
            match misfit {
                Misfit::Arity(i, layout) => self.arity_clash(i, layout),
                Misfit::Record(i, a, b) => self.record_clash(i, a, b),
                Misfit::Fields(i, layout, clashes) => self.field_clash(i, layout, &clashes),
                Misfit::Link(target, value, reason, clash) => self.link_clash(target, value, reason, clash),
            }
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

    fn link_clash(&mut self, target: NodeId, value: NodeId, reason: Reason, clash: Clash) {
        let (wanted, given) = (show::show(&self.graph, self.names, target), show::show(&self.graph, self.names, value));
        let (subject, object) = (self.map.snippet(reason.subject), self.map.snippet(reason.object));
        let message = match reason.cause {
            Cause::Passed => format!("`{subject}` is {given}, but parameter `{object}` is {wanted}"),
            Cause::Compared => format!("`{subject}` is {wanted}, but `{object}` is {given}"),
            _ => format!("`{subject}` is {given}, but `{object}` is {wanted}"),
        };
        let code = if let Clash::Arity(..) = clash { "chan-arity" } else { "chan-type" };
        let said = error(code, reason.span, message);
        let said = self.layout_reasons(said, target);
        let said = self.layout_reasons(said, value);
        self.said.push(said);
    }

    /// Adds why a channel has the layout it has.
    fn layout_reasons(&mut self, mut said: Diagnostic, channel: NodeId) -> Diagnostic {
        let Some(layout) = self.graph.layout(channel) else { return said };
        let (span, origin, declared) = {
            let tuple = self.graph.tuple_of(layout);
            (tuple.span, tuple.channel, tuple.declared)
        };
        if self.explained < EXPLAINED_MAX {
            self.explained += 1;
            for reason in self.graph.explain(channel, origin) {
                said = said.also(reason.span, self.sentence(&reason));
            }
        }
        let text = if declared { "the layout is declared here" } else { "the layout is that of this use" };
        said.also(span, text)
    }

    /// A reason as a few words.
    fn sentence(&self, reason: &Reason) -> String {
        let (subject, object) = (self.map.snippet(reason.subject), self.map.snippet(reason.object));
        match reason.cause {
            Cause::Assigned => format!("`{subject}` is assigned to `{object}`"),
            Cause::Passed => format!("`{subject}` is passed as `{object}`"),
            Cause::Sent => format!("`{subject}` is sent over `{object}`"),
            Cause::Received => format!("`{subject}` is received from `{object}`"),
            Cause::Compared => format!("`{subject}` is compared with `{object}`"),
            Cause::Chosen => format!("`{subject}` stands beside `{object}`"),
        }
    }

    fn arity_clash(&mut self, i: usize, layout: TupleId) {
        let message = &self.messages[i];
        let fields: Vec<NodeId> = message.fields.iter().map(|f| f.node).collect();
        let expected = self.graph.tuple_of(layout).fields.len();
        let counted = |n: usize| format!("{n} field{}", if n == 1 { "" } else { "s" });
        let text = format!(
            "`{}` is used with {} {} here, but its messages have {}: {}",
            self.map.snippet(message.subject),
            counted(fields.len()),
            show::show_fields(&self.graph, self.names, &fields),
            counted(expected),
            show::show(&self.graph, self.names, message.channel),
        );
        let (span, channel) = (message.span, message.channel);
        let said =
            error("chan-arity", span, text).label(format!("{}, not {}", counted(fields.len()), counted(expected)));
        let said = self.layout_reasons(said, channel);
        self.said.push_grouped(format!("arity {} {}", layout.0, fields.len()), said);
    }

    fn record_clash(&mut self, i: usize, a: RecordId, b: RecordId) {
        let name = |r| show::type_name(self.names, Ty::Record(r));
        let message = &self.messages[i];
        let text = format!(
            "`{}` carries records of type `{}`, but here it is used with `{}`",
            self.map.snippet(message.subject),
            name(a),
            name(b),
        );
        let (span, channel) = (message.span, message.channel);
        let said = self.layout_reasons(error("chan-type", span, text), channel);
        self.said.push(said);
    }

    fn field_clash(&mut self, i: usize, layout: TupleId, clashes: &[(usize, Clash)]) {
        let message = &self.messages[i];
        let expected = &self.graph.tuple_of(layout).fields;
        let parts: Vec<String> = clashes
            .iter()
            .map(|&(f, _)| {
                let given = show::show(&self.graph, self.names, message.fields[f].node);
                let wanted = show::show(&self.graph, self.names, expected[f]);
                format!("field {} is `{given}`, not `{wanted}`", f + 1)
            })
            .collect();
        let fields: Vec<NodeId> = message.fields.iter().map(|f| f.node).collect();
        let text = format!(
            "`{}` is used with {} here, but its type is {}",
            self.map.snippet(message.subject),
            show::show_fields(&self.graph, self.names, &fields),
            show::show(&self.graph, self.names, message.channel),
        );
        let cause: Vec<_> =
            clashes.iter().map(|&(f, _)| (f, self.kind(message.fields[f].node), self.kind(expected[f]))).collect();
        let cause = format!("fields {} {cause:?}", layout.0);
        let numbers = clashes.iter().any(|&(f, _)| {
            let kinds = (self.graph.shape(message.fields[f].node), self.graph.shape(expected[f]));
            matches!(kinds, (Shape::Mtype(_), Shape::Number))
        });
        let arity = clashes.iter().all(|(_, clash)| matches!(clash, Clash::Arity(..)));
        let mut said =
            error(if arity { "chan-arity" } else { "chan-type" }, message.span, text).label(parts.join("; "));
        if numbers {
            said = said.note("if the field is meant to hold names, declare it `mtype`");
        }
        if !message.sends && clashes.len() > 1 {
            said = said.note("are the variables in the right order?");
        } else if clashes.len() > 1 {
            said = said.note("are the values in the right order?");
        }
        let channel = message.channel;
        // Where a channel inside the message is at fault, its own history matters too.
        let inner: Vec<NodeId> = clashes
            .iter()
            .filter(|&&(f, _)| matches!(self.graph.shape(fields[f]), Shape::Chan(_)))
            .filter(|&&(f, _)| matches!(self.graph.shape(self.graph.tuple_of(layout).fields[f]), Shape::Chan(_)))
            .flat_map(|&(f, _)| [self.graph.tuple_of(layout).fields[f], fields[f]])
            .collect();
        if inner.is_empty() {
            said = self.layout_reasons(said, channel);
        }
        for node in inner {
            said = self.layout_reasons(said, node);
        }
        self.said.push_grouped(cause, said);
    }
}
