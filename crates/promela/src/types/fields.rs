//! Numeric message fields: what is sent must fit what is declared, and that must fit what receives it.

use super::graph::{NodeId, TypeShape};
use super::infer::Checker;
use super::number::{Entry, Range, Role};
use super::show::type_name;
use crate::lints::warning;

impl Checker<'_> {
    /// Compares the uses of every numeric field.
    pub(super) fn check_fields(&mut self) {
        for i in 0..self.graph.len() as u32 {
            let node = NodeId(i);
            if self.graph.find(node) == node && matches!(self.graph.shape(node), TypeShape::Number | TypeShape::Unknown)
            {
                let entries: Vec<Entry> = self.graph.entries(node).copied().collect();
                if entries.len() > 1 {
                    self.check_field(&entries);
                }
            }
        }
    }

    fn check_field(&mut self, entries: &[Entry]) {
        // A variable may stand for channels declared with different numbers: sending then asks for the widest of them
        // and receiving for the narrowest, because which one it is at a time is not known.
        let mut widest: Option<Entry> = None;
        let mut narrowest: Option<Entry> = None;
        for entry in entries.iter().filter(|e| matches!(e.role, Role::Declared(_))) {
            if widest.is_none_or(|w| entry.range.contains(w.range)) {
                widest = Some(*entry);
            }
            if narrowest.is_none_or(|n| n.range.contains(entry.range)) {
                narrowest = Some(*entry);
            }
        }
        let sent = entries.iter().filter(|e| e.role == Role::Sent).map(|e| e.range).reduce(Range::hull);
        for entry in entries {
            match (entry.role, widest, narrowest) {
                (Role::Sent, Some(declared), _) => self.sent_fits(entry, &declared),
                (Role::Matched, Some(declared), _) => self.matches(entry, &declared),
                (Role::Received(ty), _, Some(declared)) if !entry.range.contains(declared.range) => {
                    let given = match declared.role {
                        Role::Declared(ty) => type_name(self.names, ty),
                        _ => declared.range.name().into(),
                    };
                    let message = format!(
                        "`{}` is `{}`, but the field it receives is `{given}`",
                        self.map.snippet(entry.span),
                        type_name(self.names, ty),
                    );
                    self.said.push(
                        warning("narrowing", entry.span, message)
                            .also(declared.span, "the field is declared here")
                            .note("what does not fit is cut off"),
                    );
                }
                (Role::Received(ty), None, _) => {
                    let Some(range) = sent.filter(|&r| !entry.range.contains(r)) else { continue };
                    let wide = entries.iter().find(|e| e.role == Role::Sent && !entry.range.contains(e.range));
                    let message = format!(
                        "`{}` is `{}`, but `{}` values are sent to it",
                        self.map.snippet(entry.span),
                        type_name(self.names, ty),
                        range.name(),
                    );
                    let mut said = warning("narrowing", entry.span, message);
                    if let Some(wide) = wide {
                        said = said.also(wide.span, "sent here");
                    }
                    self.said.push(said);
                }
                _ => {}
            }
        }
    }

    fn sent_fits(&mut self, entry: &Entry, declared: &Entry) {
        let Role::Declared(ty) = declared.role else { return };
        let name = type_name(self.names, ty);
        let said = if !declared.range.contains(entry.range) {
            let text = self.map.snippet(entry.span);
            if entry.constant {
                warning("const-range", entry.span, format!("{} does not fit the `{name}` field", entry.range.lo))
                    .note(declared.range.cut_note(&name, entry.range.lo))
            } else {
                let message = format!("`{text}` is `{}`, but the field is `{name}`", entry.range.name());
                warning("narrowing", entry.span, message).note("what does not fit is cut off")
            }
        } else if entry.truth && !declared.truth && declared.range != Range::BIT && !self.options.lax_bool {
            warning("bool-number", entry.span, format!("a truth value is sent, but the field is `{name}`"))
        } else {
            return;
        };
        self.said.push(said.also(declared.span, "the field is declared here"));
    }

    fn matches(&mut self, entry: &Entry, declared: &Entry) {
        let Role::Declared(ty) = declared.role else { return };
        if entry.range.meet(declared.range).is_none() {
            let name = type_name(self.names, ty);
            let message = format!("a `{name}` field is never {}, so this receive waits for ever", entry.range.lo);
            self.said.push(
                warning("impossible-value", entry.span, message).also(declared.span, "the field is declared here"),
            );
        }
    }
}
