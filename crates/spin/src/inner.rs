//! The statements inside a `d_step`, one by one.
//!
//! For a search a `d_step` is one step. To show what happens in it, the same process graphs are run with each `d_step` taken apart
//! into an atomic sequence.

use crate::elements::{Body, D_ATOM, Kind};
use ferrospin::run::{Moment, Run, Runnable};
use ferrospin_model::ir::{Action, EdgeId, LocationId, Model};
use ferrospin_system::{Failure, Move, NO_EDGE};
use ferrospin_trace::trail::Step;
use std::collections::HashSet;
use std::sync::Arc;

/// Statements of one `d_step` that are shown.
const STEPS_MAX: usize = 1 << 16;

/// The same model with each `d_step` taken apart.
pub(crate) fn unfolded(runnable: &Runnable) -> Runnable {
    let mut model = Model::clone(&runnable.model);
    for i in 0..model.edges.len() {
        let Action::DStep(entry) = model.edges[i].action else { continue };
        let (to, atomic) = (model.edges[i].to, model.edges[i].atomic);
        (model.edges[i].action, model.edges[i].to, model.edges[i].atomic) = (Action::Skip, entry, true);
        let (mut pending, mut seen) = (vec![entry], HashSet::new());
        while let Some(at) = pending.pop() {
            if !seen.insert(at) {
                continue;
            }
            for EdgeId(e) in model.location(at).edges.clone() {
                let edge = &mut model.edges[e as usize];
                if edge.to == LocationId::EXIT {
                    (edge.to, edge.atomic) = (to, atomic);
                } else {
                    edge.atomic = true;
                    pending.push(edge.to);
                }
            }
        }
    }
    runnable.with(Arc::new(model))
}

/// A statement inside a `d_step`.
pub(crate) struct Inside {
    /// Its edge.
    pub(crate) edge: u32,
    /// What it did.
    pub(crate) step: Step,
    /// What went wrong.
    pub(crate) failure: Option<Failure>,
    /// It is the last one.
    pub(crate) is_last: bool,
}

/// A `d_step` under way.
pub(crate) struct Inner<'a> {
    /// The run inside it.
    pub(crate) run: Run<'a>,
    process: u8,
    left: usize,
}

impl<'a> Inner<'a> {
    /// Enters the `d_step` of a move; `run` is one of the model with `d_step`s taken apart.
    pub(crate) fn enter(mut run: Run<'a>, from: Moment, mv: &Move) -> Inner<'a> {
        run.go_back(from);
        run.take(mv, None);
        Inner { run, process: mv.process, left: STEPS_MAX }
    }

    fn is_inside(&self) -> bool {
        let described = self.run.describe();
        let own = described.processes().into_iter().find(|p| p.number == usize::from(self.process));
        own.is_some_and(|p| self.run.runnable().model.location(p.location).inside_d_step)
    }

    /// Takes the next statement; `None` behind the last one.
    pub(crate) fn step(&mut self) -> Option<Inside> {
        if self.left == 0 || !self.is_inside() {
            return None;
        }
        self.left -= 1;
        let moves = self.run.moves().list;
        let mv = *moves.iter().find(|m| m.process == self.process && m.edge != NO_EDGE)?;
        let (step, failure) = self.run.take(&mv, None);
        if failure.is_some() {
            self.left = 0;
        }
        let is_last = failure.is_some() || !self.is_inside();
        Some(Inside { edge: mv.edge, step, failure, is_last })
    }
}

/// The joints and jumps from an element on, and what is executed behind them, as long as it is inside the `d_step`.
pub(crate) fn passed(body: &Body, from: Option<usize>) -> (Vec<usize>, Option<usize>) {
    let (mut list, mut at) = (Vec::new(), from);
    while let Some(e) = at {
        let element = &body.elements[e];
        if element.status & D_ATOM == 0 || list.contains(&e) {
            return (list, None);
        }
        at = match &element.kind {
            Kind::Goto(_) => body.behind(e),
            Kind::Joint | Kind::Break => element.next,
            _ => return (list, Some(e)),
        };
        list.push(e);
    }
    (list, None)
}
