//! What is said of messages and channels that do not fit, with the chain of places that led there.

use super::graph::{Cause, Clash, NodeId, Reason, TupleId, TypeShape};
use super::infer::Checker;
use super::message::Misfit;
use super::show;
use crate::lints::error;
use crate::names::{RecordId, Ty};
use ferrospin_source::Diagnostic;

/// Chains of reasons are worked out for this many clashes; a model with more has other worries.
const EXPLAINED_MAX: usize = 100;

impl Checker<'_> {
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
        let cause = format!("arity {} {}", layout.0, fields.len());
        if self.said.again(&cause, message.span) {
            return;
        }
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
        self.said.push_grouped(cause, said);
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
        let cause: Vec<_> =
            clashes.iter().map(|&(f, _)| (f, self.kind(message.fields[f].node), self.kind(expected[f]))).collect();
        let cause = format!("fields {} {cause:?}", layout.0);
        if self.said.again(&cause, message.span) {
            return;
        }
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
        let numbers = clashes.iter().any(|&(f, _)| {
            let kinds = (self.graph.shape(message.fields[f].node), self.graph.shape(expected[f]));
            matches!(kinds, (TypeShape::Mtype(_), TypeShape::Number))
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
            .filter(|&&(f, _)| matches!(self.graph.shape(fields[f]), TypeShape::Chan(_)))
            .filter(|&&(f, _)| matches!(self.graph.shape(self.graph.tuple_of(layout).fields[f]), TypeShape::Chan(_)))
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
