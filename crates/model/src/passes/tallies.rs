//! Tallies: a variable that is read only to be stored again, as in `n++`, stays 0.
//!
//! Nobody can see its value, but it tells states apart, often without end. SPIN leaves such variables out of the state. Here
//! every store to one becomes a store of 0, so that a bad index is still found and the layout stays as it is. A variable
//! counts as one only if it begins with 0 and whatever is stored to it can be left out: no message, no number of a process,
//! nothing that may fail. So it is 0 for ever, and the number of states never grows.
//!
//! For safety alone: where the model comes back to a state, the plain one may not, because it has counted on. A cycle found here
//! could not be shown there.
//!
//! What is written and never read at all is left alone unless it counts, because few states differ by it.

use super::walk::{self, Item};
use crate::ir::{Action, Area, Binary, Expr, Init, Model, Place, ProcessId};
use std::collections::HashSet;

/// A variable, or a whole array: of which process type, unless it is global, and where it begins.
type Variable = (Option<ProcessId>, u32);

fn variable(process: ProcessId, place: &Place) -> Variable {
    ((place.area == Area::Local).then_some(process), place.offset)
}

/// Sets tallies to 0, in place. Says which they are: of which process type, and where they are stored to.
pub fn tallies(model: &mut Model) -> Vec<(ProcessId, Place)> {
    let mut found = Found::default();
    for (process, actions) in edges(model) {
        actions.iter().for_each(|a| found.action(process, a));
    }
    let seen = &mut found.seen;
    let nobody = ProcessId(u32::MAX);
    for (place, value) in &model.init {
        initial(nobody, place, value, seen);
    }
    for (process, p) in (0..).map(ProcessId).zip(&model.processes) {
        p.params.iter().for_each(|place| other(process, Item::Write(place), seen));
        p.init.iter().for_each(|(place, value)| initial(process, place, value, seen));
        let asked = p.provided.iter().chain(p.exclusive.iter().map(|e| &e.channel));
        asked.for_each(|e| walk::expr(e, &mut |item| other(process, item, seen)));
    }
    let Found { counts, seen } = found;
    let is_tally = |process, place: &Place| {
        let variable = variable(process, place);
        counts.contains(&variable) && !seen.contains(&variable)
    };
    let owners = owners(model);
    let mut stopped = Vec::new();
    for (edge, process) in model.edges.iter_mut().zip(owners) {
        for action in std::iter::once(&mut edge.action).chain(&mut edge.then) {
            if let Action::Assign(place, value) = action
                && is_tally(process, place)
            {
                *value = Expr::Const(0);
                stopped.push((process, place.clone()));
            }
        }
    }
    stopped
}

#[derive(Default)]
struct Found {
    /// Variables that are stored to from what they were.
    counts: HashSet<Variable>,
    /// Variables that are seen in another way.
    seen: HashSet<Variable>,
}

impl Found {
    fn action(&mut self, process: ProcessId, action: &Action) {
        let seen = &mut self.seen;
        let Action::Assign(place, value) = action else {
            return walk::action(action, &mut |item| other(process, item, seen));
        };
        place.indices.iter().for_each(|i| walk::expr(&i.value, &mut |item| other(process, item, seen)));
        let mut counts = false;
        let is_harmless = harmless(value, place, &mut counts);
        let own = variable(process, place);
        if !is_harmless {
            seen.insert(own);
        }
        if counts {
            self.counts.insert(own);
        }
        walk::expr(value, &mut |item| {
            if !matches!(item, Item::Read(read) if is_harmless && read == place) {
                other(process, item, seen);
            }
        });
    }
}

/// Takes note of whatever is read or stored to in another way.
fn other(process: ProcessId, item: Item<'_>, seen: &mut HashSet<Variable>) {
    match item {
        Item::Read(place) | Item::Write(place) => {
            seen.insert(variable(process, place));
        }
        Item::Remote(process, place) => {
            seen.insert((Some(process), place.offset));
        }
        Item::Expr(_) => {}
    }
}

fn initial(process: ProcessId, place: &Place, value: &Init, seen: &mut HashSet<Variable>) {
    match value {
        Init::Value(Expr::Const(0)) => {}
        Init::Value(e) => {
            walk::expr(e, &mut |item| other(process, item, seen));
            other(process, Item::Write(place), seen);
        }
        Init::Channel(_) => other(process, Item::Write(place), seen),
    }
}

/// Whether an expression cannot fail where storing to a place does not; notes whether it reads that place.
fn harmless(e: &Expr, own: &Place, counts: &mut bool) -> bool {
    match e {
        Expr::Const(_) | Expr::Pid => true,
        Expr::Load(place) => {
            *counts |= **place == *own;
            place.indices.is_empty() || **place == *own
        }
        Expr::Unary(_, a) => harmless(a, own, counts),
        Expr::Binary(op, a, b) => {
            // Both are looked at, whatever the first one says.
            let both = [a, b].map(|e| harmless(e, own, counts));
            !matches!(op, Binary::Div | Binary::Rem) && both == [true; 2]
        }
        _ => false,
    }
}

/// By edge, the process type that it belongs to.
fn owners(model: &Model) -> Vec<ProcessId> {
    let mut owners = vec![ProcessId(u32::MAX); model.edges.len()];
    for location in &model.locations {
        location.edges.iter().for_each(|e| owners[e.index()] = location.process);
    }
    owners
}

/// All actions, with the process types that they belong to.
fn edges(model: &Model) -> impl Iterator<Item = (ProcessId, Vec<&Action>)> {
    let actions = model.edges.iter().map(|e| std::iter::once(&e.action).chain(&e.then).collect());
    owners(model).into_iter().zip(actions)
}
