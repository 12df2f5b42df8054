//! The claim of a model, which moves beside its processes: what it can do in a state, and the doing.

use crate::Interp;
use crate::eval::Who;
use crate::failure::failure_code;
use crate::moves::{Executable, executable};
use crate::step;
use crate::view::{self, View, write_location};
use ferrospin_model::ir::{Action, EdgeId, LocationId, Model};
use ferrospin_system::{Failure, FailureCode, MonitorEdge, MonitorStep, Monitored, NO_PROCESS};

/// Whether a claim has reached its end at a location.
pub(crate) fn ends(model: &Model, at: LocationId) -> bool {
    model.location(at).edges.iter().any(|e| matches!(model.edge(*e).action, Action::End))
}

impl Monitored for Interp {
    fn has_monitor(&self) -> bool {
        self.model.moving_claim().is_some()
    }

    /// Successors are made one by one here anyway.
    fn monitor_may_only_go(&self) -> bool {
        false
    }

    fn monitor_edges(
        &mut self,
        state: &[u8],
        timeout: bool,
        edges: &mut Vec<MonitorEdge>,
        failures: &mut Vec<Failure>,
    ) {
        view::frames(&self.model, state, &mut self.frames);
        let view = View { model: &self.model, bytes: state, frames: &self.frames, timeout };
        let Some(((_, frame), at)) = self.model.moving_claim().zip(view.claim()) else { return };
        let who = Who { pid: usize::from(NO_PROCESS), frame };
        let mut taken = false;
        for &id in &self.model.location(at).edges {
            let edge = self.model.edge(id);
            let executable = match &edge.action {
                Action::Else => Ok(!taken),
                Action::End => Ok(false),
                action => executable(&view, who, action).map(|e| e == Executable::Alone),
            };
            match executable {
                Ok(true) => {
                    taken = true;
                    edges.push(MonitorEdge { edge: id.0, is_atomic: edge.atomic, only_goes: false });
                }
                Ok(false) => {}
                Err(kind) => failures.push(Failure { code: failure_code(kind), edge: id.0, process: NO_PROCESS }),
            }
        }
    }

    fn monitor_apply(
        &mut self,
        state: &[u8],
        edge: u32,
        timeout: bool,
        out: &mut Vec<u8>,
    ) -> Result<MonitorStep, FailureCode> {
        step::apply_monitor(&self.model, state, (EdgeId(edge), timeout), out, self.log.as_mut())
    }

    fn monitor_goto(&self, state: &mut [u8], edge: u32) {
        let (_, frame) = self.model.moving_claim().expect("there is a monitor");
        write_location(state, frame, self.model.layout.location_size, self.model.edge(EdgeId(edge)).to);
    }

    fn monitor_accepts(&self, state: &[u8]) -> bool {
        let frame = self.model.moving_claim().map(|(_, frame)| frame);
        let at = frame.map(|at| view::read_location(state, at, self.model.layout.location_size));
        at.is_some_and(|at| self.model.location(at).accept)
    }
}
