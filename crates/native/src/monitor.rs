//! The claim of a model, which moves beside its processes: what it can do in a state, and the doing.

use crate::Native;
use crate::context::{Fault, RawFailure};
use crate::program::marked;
use ferrospin_system::{Failure, FailureCode, MonitorEdge, MonitorStep, Monitored, NO_PROCESS};

impl Native {
    /// The type of the process that moves beside the others, and where its frame is.
    fn monitor(&self) -> Option<(u32, u32)> {
        self.program.slot.filter(|_| self.program.propositions.is_none())
    }

    /// Takes an edge of the monitor; the successor is still a copy of the state.
    fn take_monitor(&mut self, number: u32) -> Result<bool, RawFailure> {
        let program = self.context.program();
        let (process, at) = self.monitor().expect("there is a monitor");
        let edge = &program.edges[number as usize];
        assert_eq!(edge.process, process, "the monitor takes one of its edges");
        self.effect(edge.apply.expect("an edge of the monitor"), at, NO_PROCESS, edge.to)?;
        if program.locations[edge.to as usize].stops {
            self.context.note(RawFailure::new(Fault::ClaimEnd));
        }
        Ok(edge.atomic)
    }
}

impl Monitored for Native {
    fn has_monitor(&self) -> bool {
        self.monitor().is_some()
    }

    fn monitor_may_only_go(&self) -> bool {
        true
    }

    fn monitor_edges(
        &mut self,
        state: &[u8],
        timeout: bool,
        edges: &mut Vec<MonitorEdge>,
        failures: &mut Vec<Failure>,
    ) {
        let program = self.context.program();
        let Some((process, at)) = self.monitor() else { return };
        if !self.context.knows(state) {
            assert!(state.len() >= self.program.fixed_size as usize, "a state has its fixed part");
            self.look(state);
        }
        // Moves may have been taken since, in another place.
        self.context.base = self.context.current.as_mut_ptr();
        self.context.slot = self.context.slots.as_mut_ptr();
        self.context.timeout = u32::from(timeout);
        // SAFETY: the monitor's frame lies in the state that is looked at.
        let location = &program.locations[unsafe { self.context.location(at) } as usize];
        assert_eq!(location.process, process, "the monitor stays what it is");
        let mask = location.test.map_or(0, |code| self.call(code, at, i32::from(NO_PROCESS), 0) as u64);
        let (first, count) = (location.edges.0 as usize, location.edges.1 as usize);
        for i in crate::partners::bits(&self.context, mask, count) {
            let number = program.edge_ids[first + i];
            let edge = &program.edges[number as usize];
            let only_goes = edge.only_goes && !program.locations[edge.to as usize].stops;
            edges.push(MonitorEdge { edge: number, is_atomic: edge.atomic, only_goes });
        }
        let c = &mut *self.context;
        c.drain(NO_PROCESS);
        let list = c.failures.drain(..);
        failures.extend(list.map(|(f, process)| Failure { code: f.failure_code(), edge: f.edge, process }));
    }

    fn monitor_apply(
        &mut self,
        state: &[u8],
        edge: u32,
        timeout: bool,
        out: &mut Vec<u8>,
    ) -> Result<MonitorStep, FailureCode> {
        self.begin(state, timeout, out);
        let taken = self.take_monitor(edge);
        self.context.out = std::ptr::null_mut();
        let is_atomic = taken.map_err(|raw| raw.failure_code())?;
        let soft = self.context.soft;
        Ok(MonitorStep { failure: (soft.code != 0).then(|| soft.failure_code()), is_atomic })
    }

    fn monitor_goto(&self, state: &mut [u8], edge: u32) {
        let (_, at) = self.monitor().expect("there is a monitor");
        let size = self.program.location_size as usize;
        let to = self.program.edges[edge as usize].to.to_le_bytes();
        state[at as usize..][..size].copy_from_slice(&to[..size]);
    }

    fn monitor_accepts(&self, state: &[u8]) -> bool {
        let location = |at| self.program.read_location(state, at) as usize;
        self.monitor().is_some_and(|(_, at)| self.program.finders[location(at)].marked & marked::ACCEPT != 0)
    }
}
