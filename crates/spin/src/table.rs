//! What follows a state, and which states were not reached.
//!
//! A state's transitions are the statements that can be executed there, with selections and blocks flattened; joints and jumps
//! are followed for free, except across the end of an `atomic`.

use crate::elements::{ATOM, Body, D_ATOM, Kind};
use ferrospin_promela::names::BodyKind;
use std::collections::HashSet;

impl Body {
    /// The element control comes to rest at, starting from `e` behind a statement of the given status.
    fn settle(&self, e: usize, status: u8) -> usize {
        let mut at = e;
        for _ in 0..=self.elements.len() {
            let next = match &self.elements[at].kind {
                Kind::Goto(t) => self.targets.get(t).copied(),
                Kind::Joint | Kind::Break => self.elements[at].next,
                Kind::Unless(body, _) => self.sequences[*body].first,
                _ => None,
            };
            let Some(next) = next else { return at };
            if status & ATOM != 0 && self.elements[next].status & ATOM == 0 {
                return at;
            }
            at = next;
        }
        at
    }

    /// Where control comes to rest behind an element.
    pub fn behind(&self, e: usize) -> Option<usize> {
        let element = &self.elements[e];
        let next = match &element.kind {
            Kind::Goto(t) => self.targets.get(t).copied(),
            _ => element.next,
        };
        next.map(|n| self.settle(n, element.status))
    }

    /// Where a process of this type starts.
    pub fn entry(&self) -> usize {
        let first = self.sequences[self.whole].first.expect("a body has a closing brace");
        self.settle(first, self.elements[first].status)
    }

    /// The statements that can be executed at an element.
    pub fn transitions(&self, e: usize) -> Vec<usize> {
        let (mut out, mut pending, mut seen) = (Vec::new(), vec![e], HashSet::new());
        while let Some(e) = pending.pop() {
            if !seen.insert(e) {
                continue;
            }
            let inner = match &self.elements[e].kind {
                Kind::Choice(options) => options.clone(),
                Kind::Atomic(q) | Kind::Block(q) | Kind::Unless(q, _) => vec![*q],
                _ => {
                    out.push(e);
                    continue;
                }
            };
            pending.extend(inner.iter().rev().filter_map(|s| self.sequences[*s].first).map(|f| self.opening(f)));
        }
        out
    }

    /// The first element of an option or block: joints and `unless` are entered, jumps are not followed.
    fn opening(&self, e: usize) -> usize {
        let mut at = e;
        for _ in 0..=self.elements.len() {
            let next = match &self.elements[at].kind {
                Kind::Joint => self.elements[at].next,
                Kind::Unless(body, _) => self.sequences[*body].first,
                _ => None,
            };
            let Some(next) = next else { return at };
            at = next;
        }
        at
    }

    /// The elements that stand in a sequence, without what is inside a `d_step`, and those of them that SPIN does not ask for: jumps,
    /// joints, and the first statements of options and blocks.
    fn listed(&self) -> (HashSet<usize>, HashSet<usize>) {
        let (mut listed, mut skipped, mut pending) = (HashSet::new(), HashSet::new(), vec![self.whole]);
        while let Some(s) = pending.pop() {
            let mut at = self.sequences[s].first;
            while let Some(e) = at.filter(|e| listed.insert(*e)) {
                let element = &self.elements[e];
                match &element.kind {
                    Kind::Choice(options) => {
                        skipped.extend(options.iter().filter_map(|o| self.sequences[*o].first));
                        pending.extend(options);
                    }
                    Kind::Unless(a, b) => {
                        // SPIN has no state for it.
                        skipped.insert(e);
                        skipped.extend(self.sequences[*b].first);
                        pending.extend([*a, *b]);
                    }
                    Kind::Atomic(q) | Kind::Block(q) => {
                        skipped.extend(self.sequences[*q].first);
                        pending.push(*q);
                    }
                    Kind::DStep(q) => skipped.extend(self.sequences[*q].first),
                    Kind::Else | Kind::Skip | Kind::Goto(_) | Kind::Joint | Kind::Break => _ = skipped.insert(e),
                    _ => {}
                }
                at = element.next;
            }
        }
        (listed, skipped)
    }

    /// The report about states that were not reached.
    pub fn unreached(&self, reached: &HashSet<u32>) -> String {
        let mut out = match self.kind {
            BodyKind::Proctype => format!("unreached in proctype {}\n", self.name),
            BodyKind::Init => "unreached in init\n".to_string(),
            _ => format!("unreached in claim {}\n", self.name),
        };
        let (listed, skipped) = self.listed();
        let mut missed = 0;
        for (i, e) in self.elements.iter().enumerate() {
            if reached.contains(&e.state) || skipped.contains(&i) || !listed.contains(&i) || e.status & D_ATOM != 0 {
                continue;
            }
            let mut counts = false;
            for t in self.transitions(i) {
                let text = &self.elements[t].text;
                if text == ".(goto)" || text.starts_with("goto :") {
                    counts = false;
                    break;
                }
                counts = true;
                out += &format!("\t{}:{}, state {}, \"{}\"\n", e.file.replace('"', ""), e.line, e.state, shown(text));
            }
            missed += u32::from(counts);
        }
        out + &format!("\t({missed} of {} states)\n", self.elements.len())
    }
}

/// A row of the table of transitions.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The state.
    pub from: u32,
    /// The statement, an index.
    pub element: usize,
    /// The state behind it, 0 behind the end.
    pub to: u32,
    /// The state in which the escape begins that the statement belongs to.
    pub origin: Option<u32>,
    /// It looks at or changes what other processes see, or an escape beside it does.
    pub global: bool,
}

/// A text as reports show it: quotes and backslashes as they were written.
pub(crate) fn shown(text: &str) -> String {
    text.replace("\\\\", "\\")
}

impl Body {
    /// The transitions that can be reached from the entry, in the order in which a depth-first search meets their states: state,
    /// element, state behind it (0 behind the end). The statements of an escape come before those around which it stands.
    pub fn edges(&self) -> Vec<Row> {
        let (mut out, mut pending, mut seen) = (Vec::new(), vec![self.entry()], HashSet::new());
        while let Some(at) = pending.pop() {
            if !seen.insert(at) {
                continue;
            }
            let mut list: Vec<(usize, Option<u32>)> = Vec::new();
            for first in self.elements[at].escapes.iter().filter_map(|s| self.sequences[*s].first) {
                let origin = self.elements[first].state;
                list.extend(self.transitions(self.opening(first)).into_iter().map(|t| (t, Some(origin))));
            }
            let escapes = !list.is_empty();
            list.extend(self.transitions(at).into_iter().map(|t| (t, None)));
            let any_global = list.iter().any(|(t, _)| self.elements[*t].global);
            let mut next = Vec::new();
            for (t, origin) in list {
                let to = if self.elements[t].kind == Kind::Stop { None } else { self.behind_merged(t) };
                let global = self.elements[t].global || escapes && any_global;
                out.push(Row { from: at as u32 + 1, element: t, to: to.map_or(0, |to| to as u32 + 1), origin, global });
                next.extend(to);
            }
            pending.extend(next.into_iter().rev());
        }
        out
    }

    /// Where control comes to rest behind a statement and what is merged with it.
    fn behind_merged(&self, e: usize) -> Option<usize> {
        self.merged_until(&self.elements[e]).map(|s| s as usize - 1).or_else(|| self.behind(e))
    }
}
