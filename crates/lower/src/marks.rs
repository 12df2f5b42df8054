//! What labels say of locations: `end`, `accept`, `progress`.
//!
//! A label marks the location in front of its statement. The first statement of an option has none, because the process
//! rests in front of the whole selection: there the label marks the location behind the statement, as SPIN's verifier has it
//! (`imed` in its sources). A label in front of a selection or a block that opens an option is handed on to the first statements
//! inside, and from there to the locations behind them.

use crate::elements::Kind;
use crate::graph::Grapher;
use crate::mutant::Guard;

/// What the labels of an element say.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Marks {
    pub(super) end: bool,
    pub(super) accept: bool,
    pub(super) progress: bool,
}

impl Marks {
    fn of(labels: &[std::sync::Arc<str>]) -> Marks {
        let has = |prefix| labels.iter().any(|l| l.starts_with(prefix));
        Marks { end: has("end"), accept: has("accept"), progress: has("progress") }
    }

    /// Adds what others say; whether that is news.
    fn add(&mut self, other: Marks) -> bool {
        let before = *self;
        self.end |= other.end;
        self.accept |= other.accept;
        self.progress |= other.progress;
        *self != before
    }
}

impl Grapher<'_> {
    /// Finds the marks of all elements.
    pub(super) fn mark(&mut self) {
        self.marks = self.b.elements.iter().map(|e| Marks::of(&e.labels)).collect();
        if self.marks.iter().all(|m| *m == Marks::default()) {
            return;
        }
        let opened: Vec<(usize, Vec<usize>)> =
            (0..self.b.elements.len()).map(|e| (e, self.opens(e))).filter(|(_, inner)| !inner.is_empty()).collect();
        // What is passed through on the way into an option hands its marks on, until nothing is left to hand on.
        let mut changed = !self.b.mutant.lacks(Guard::MarkHandedOn);
        while changed {
            changed = false;
            for inner in opened.iter().flat_map(|(_, inner)| inner) {
                let marks = self.marks[*inner];
                for first in self.opens(*inner) {
                    changed |= self.marks[first].add(marks);
                }
            }
        }
        // Jumps that lead to themselves are found, and reported, when the locations are made.
        let faults = self.faults.len();
        let m = self.b.mutant;
        for (e, _) in opened.into_iter().filter(|_| !m.lacks(Guard::MarkBehind)) {
            let mut list = Vec::new();
            self.transitions(e, &mut list);
            for t in list {
                if let Some(to) = t.to {
                    let marks = self.marks[t.element];
                    self.marks[to].add(marks);
                }
            }
        }
        self.faults.truncate(faults);
    }

    /// What a selection or a block opens with.
    fn opens(&self, e: usize) -> Vec<usize> {
        let seqs = match &self.b.elements[e].kind {
            Kind::Choice(options) => options.clone(),
            Kind::Atomic(q) | Kind::Block(q) => vec![*q],
            _ => Vec::new(),
        };
        seqs.iter().map(|s| self.start(self.b.seqs[*s].first.expect("options and blocks are not empty"))).collect()
    }
}
