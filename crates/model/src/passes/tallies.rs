//! Tallies: a variable that is read only to be stored again, as in `n++`, stays 0.
//!
//! Its value is not observable, but it distinguishes states, often without bound. SPIN leaves such variables out of the state. Here
//! every store to one becomes a store of 0, so that a bad index is still found and the layout stays as it is. A variable
//! counts as one only if it begins with 0 and whatever is stored to it can be left out: no message, no number of a process,
//! nothing that may fail. So it is 0 for ever, and the number of states never grows.
//!
//! For safety alone: where the model comes back to a state, the plain one may not, because it has counted on. A cycle found here
//! could not be shown there.
//!
//! What is written and never read at all is left alone unless it counts, because few states differ by it.

use super::walk::{self, Item};
use crate::ir::{Action, Area, Binary, Expr, Init, Model, Place, ProcessId, leaf_at};
use crate::mutant::{Guard, Mutant};
use std::collections::HashSet;

/// A variable, or a whole array: of which process type, unless it is global, and which of its variables.
type Variable = (Option<ProcessId>, usize);

/// Sets tallies to 0, in place. Says which they are: of which process type, and where they are stored to.
pub fn tallies(model: &mut Model) -> Vec<(ProcessId, Place)> {
    mutated(model, Mutant::NONE)
}

pub(super) fn mutated(model: &mut Model, mutant: Mutant) -> Vec<(ProcessId, Place)> {
    let mut stopped = Vec::new();
    for (process, edge, action) in stores(model, mutant) {
        let edge = &mut model.edges[edge];
        let action = if action == 0 { &mut edge.action } else { &mut edge.then[action - 1] };
        if let Action::Assign(place, value) = action {
            *value = Expr::Const(0);
            stopped.push((process, place.clone()));
        }
    }
    stopped
}

/// All stores to tallies: process types, edges, and which of their actions.
fn stores(model: &Model, mutant: Mutant) -> Vec<(ProcessId, usize, usize)> {
    let mut found = Found { model, mutant, counts: HashSet::new(), seen: HashSet::new() };
    for (process, _, action) in actions(model) {
        found.action(process, action);
    }
    let no_process = ProcessId(u32::MAX);
    for (place, value) in &model.init {
        found.initial(no_process, place, value);
    }
    for (process, p) in (0..).map(ProcessId).zip(&model.processes) {
        if !mutant.lacks(Guard::TallyParameter) {
            p.params.iter().for_each(|place| found.other(process, Item::Write(place)));
        }
        p.init.iter().for_each(|(place, value)| found.initial(process, place, value));
        if !mutant.lacks(Guard::TallyAsked) {
            p.asked().for_each(|e| found.expr(process, e));
        }
    }
    let is_tally = |process, place: &Place| {
        let variable = found.variable(process, place);
        found.counts.contains(&variable) && !found.seen.contains(&variable)
    };
    let stores = |&(process, _, action): &(ProcessId, _, &Action)| matches!(action, Action::Assign(place, _) if is_tally(process, place));
    actions(model).filter(stores).map(|(process, (edge, action), _)| (process, edge, action)).collect()
}

struct Found<'a> {
    model: &'a Model,
    mutant: Mutant,
    /// Variables that are stored to from what they were.
    counts: HashSet<Variable>,
    /// Variables that are seen in another way.
    seen: HashSet<Variable>,
}

impl Found<'_> {
    fn variable(&self, process: ProcessId, place: &Place) -> Variable {
        let (owner, leaves) = match place.area {
            Area::Global => (None, &self.model.globals),
            Area::Local => (Some(process), &self.model.process(process).locals),
        };
        if self.mutant.lacks(Guard::TallyElement) {
            return (owner, place.offset as usize);
        }
        (owner, leaf_at(leaves, place).expect("every place lies in a variable"))
    }

    fn action(&mut self, process: ProcessId, action: &Action) {
        let Action::Assign(place, value) = action else {
            return walk::action(action, &mut |item| self.other(process, item));
        };
        if !self.mutant.lacks(Guard::TallyIndex) {
            place.indices.iter().for_each(|i| self.expr(process, &i.value));
        }
        let mut counts = false;
        let is_harmless = harmless(value, place, &mut counts, self.mutant) || self.mutant.lacks(Guard::TallyHarmless);
        let own = self.variable(process, place);
        if !is_harmless {
            self.seen.insert(own);
        }
        if counts {
            self.counts.insert(own);
        }
        walk::expr(value, &mut |item| {
            let own = |read: &Place| read == place || self.mutant.lacks(Guard::TallyOwn);
            if !matches!(item, Item::Read(read) if is_harmless && own(read)) {
                self.other(process, item);
            }
        });
    }

    fn expr(&mut self, process: ProcessId, e: &Expr) {
        walk::expr(e, &mut |item| self.other(process, item));
    }

    /// Takes note of whatever is read or stored to in another way.
    fn other(&mut self, process: ProcessId, item: Item<'_>) {
        let variable = match item {
            Item::Read(_) if self.mutant.lacks(Guard::TallyRead) => return,
            Item::Write(_) if self.mutant.lacks(Guard::TallyWritten) => return,
            Item::Remote(..) if self.mutant.lacks(Guard::TallyRemote) => return,
            Item::Read(place) | Item::Write(place) => self.variable(process, place),
            Item::Remote(process, place) => self.variable(process, place),
            Item::Expr(_) => return,
        };
        self.seen.insert(variable);
    }

    fn initial(&mut self, process: ProcessId, place: &Place, value: &Init) {
        if *value == Init::Value(Expr::Const(0)) || self.mutant.lacks(Guard::TallyInitial) {
            return;
        }
        if let Init::Value(e) = value {
            self.expr(process, e);
        }
        self.other(process, Item::Write(place));
    }
}

/// Whether an expression cannot fail where storing to a place does not; notes whether it reads that place.
fn harmless(e: &Expr, own: &Place, counts: &mut bool, mutant: Mutant) -> bool {
    match e {
        Expr::Const(_) | Expr::Pid => true,
        Expr::Load(place) => {
            *counts |= **place == *own;
            place.indices.is_empty() || **place == *own || mutant.lacks(Guard::TallyIndexed)
        }
        Expr::Unary(_, a) => harmless(a, own, counts, mutant),
        Expr::Binary(op, a, b) => {
            // Both are looked at, whatever the first one says.
            let both = [a, b].map(|e| harmless(e, own, counts, mutant));
            (!matches!(op, Binary::Div | Binary::Rem) || mutant.lacks(Guard::TallyDivision)) && both == [true; 2]
        }
        _ => mutant.lacks(Guard::TallyOther),
    }
}

/// All actions, with the process types that they belong to and where they stand: on which edge, and at which place there.
fn actions(model: &Model) -> impl Iterator<Item = (ProcessId, (usize, usize), &Action)> {
    model.edges.iter().enumerate().flat_map(|(i, edge)| {
        let process = model.location(edge.from).process;
        let actions = std::iter::once(&edge.action).chain(&edge.then);
        actions.enumerate().map(move |(n, action)| (process, (i, n), action))
    })
}
