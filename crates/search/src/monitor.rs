//! A system times a monitor: a process of the model that moves beside the others, such as a property with variables.
//!
//! [`WithMonitor`] is the synchronous product as a machine, as SPIN runs a property beside a system: an edge of the monitor belongs to each
//! move, and is taken first. Where the system has no moves the monitor moves on alone, twice between two stored states. Behind an edge
//! that is atomic the monitor alone moves, and the system waits. The monitor reads the state that a move leaves; inside an indivisible
//! sequence of a process it stands still.
//!
//! What only looks at states and has no variables is better off as an automaton ([`crate::automaton`]).
//!
//! Successors are made by the system in batches, once for all edges of the monitor, as long as these do nothing but go to
//! another location; else one by one. A machine without a monitor stays what it is.

use ferrospin_system::{
    AtomicExits, Batch, Control, Failure, Labels, Machine, MonitorEdge, MonitorStep, Monitored, Move, Moves, NO_EDGE,
    NO_PROCESS, StateRun, Step,
};

/// See the module.
pub struct WithMonitor<M> {
    machine: M,
    is_there: bool,
    system: Vec<Move>,
    edges: Vec<MonitorEdge>,
    between: Vec<u8>,
}

impl<M: Monitored> WithMonitor<M> {
    /// The product of a system with its monitor, if it has one.
    pub fn new(machine: M) -> Self {
        let is_there = machine.has_monitor();
        WithMonitor { machine, is_there, system: Vec::new(), edges: Vec::new(), between: Vec::new() }
    }

    /// The system alone.
    pub fn system(&self) -> &M {
        &self.machine
    }

    /// The system alone.
    pub fn system_mut(&mut self) -> &mut M {
        &mut self.machine
    }

    /// Finds the edges that the monitor can take, given the moves of the system.
    fn look(&mut self, state: &[u8], moves: &mut Moves) {
        self.edges.clear();
        // Where no process can move, whatever it waits for, this is a timeout to the monitor.
        let timeout = moves.list.iter().all(|mv| mv.timeout);
        self.machine.monitor_edges(state, timeout, &mut self.edges, &mut moves.failures);
    }

    /// Multiplies the moves of the system with the edges of the monitor.
    fn multiply(&mut self, control: Control, moves: &mut Moves) {
        self.system.clear();
        self.system.append(&mut moves.list);
        for &MonitorEdge { edge, is_atomic, .. } in &self.edges {
            if is_atomic || self.system.is_empty() {
                let stutter = self.system.is_empty() && control == Control::Free;
                moves.list.push(Move { property: edge, stutter, ..Move::single(NO_PROCESS, NO_EDGE) });
            } else {
                moves.list.extend(self.system.iter().map(|mv| Move { property: edge, ..*mv }));
            }
        }
    }

    /// Multiplies successors, which have been made without the monitor, with its edges, of which there is at least one and each does
    /// nothing but go to another location. There are as many arrivals and failures before.
    fn multiply_batch(&self, moves: &mut Moves, out: &mut Batch, (arrived, failed): (usize, usize)) {
        let (count, arrivals, failures) = (moves.list.len(), out.arrivals.len(), out.failures.len());
        for round in 1..self.edges.len() {
            let top = (round * count) as u32;
            moves.list.extend_from_within(..count);
            for i in arrived..arrivals {
                let mut a = out.arrivals[i];
                let (start, len) = (a.start as usize, a.len as usize);
                a.start = u32::try_from(out.bytes.len()).expect("a batch stays below 4 GiB");
                a.top += top;
                out.bytes.extend_from_within(start..start + len);
                out.arrivals.push(a);
            }
            for i in failed..failures {
                let (of, failure) = out.failures[i];
                out.failures.push((of + top, failure));
            }
        }
        for (round, e) in self.edges.iter().enumerate() {
            moves.list[round * count..][..count].iter_mut().for_each(|mv| mv.property = e.edge);
        }
        for a in &out.arrivals[arrived..] {
            let edge = self.edges[a.top as usize / count].edge;
            self.machine.monitor_goto(&mut out.bytes[a.start as usize..][..a.len as usize], edge);
        }
    }

    /// Takes moves one by one.
    fn take_all(&mut self, state: &[u8], moves: &Moves, out: &mut Batch) {
        let mut next = std::mem::take(&mut out.spare);
        for (top, mv) in moves.list.iter().enumerate() {
            let step = self.apply(state, mv, &mut next);
            out.push(top as u32, &step, &next);
        }
        out.spare = next;
    }
}

impl<M: Monitored> Machine for WithMonitor<M> {
    fn initial(&mut self, out: &mut Vec<u8>) -> Result<(), Failure> {
        self.machine.initial(out)
    }

    fn moves(&mut self, state: &[u8], control: Control, out: &mut Moves) {
        let alone = matches!(control, Control::Exclusive(_));
        self.machine.moves(state, if alone { control } else { Control::Free }, out);
        if self.is_there && !alone {
            self.look(state, out);
            self.multiply(control, out);
        }
    }

    fn apply(&mut self, state: &[u8], mv: &Move, out: &mut Vec<u8>) -> Step {
        if mv.property == NO_EDGE {
            return self.machine.apply(state, mv, out);
        }
        let edge = if mv.edge == NO_EDGE { mv.property } else { mv.edge };
        let failure = |code| Failure { code, edge, process: mv.process };
        let mut between = std::mem::take(&mut self.between);
        let taken = self.machine.monitor_apply(state, mv.property, mv.timeout, &mut between);
        let step = match taken {
            Err(code) => Step { control: Control::Free, failure: Some(failure(code)), proceeds: false },
            Ok(MonitorStep { failure: noted, is_atomic }) => {
                let mut step = if mv.process == NO_PROCESS {
                    out.clear();
                    out.extend_from_slice(&between);
                    let control = if mv.stutter || is_atomic { Control::Property } else { Control::Free };
                    Step { control, failure: None, proceeds: true }
                } else {
                    self.machine.apply(&between, &Move { property: NO_EDGE, ..*mv }, out)
                };
                // The monitor moves first: what it noted is told, though the step of the system fails.
                step.failure = noted.map(failure).or(step.failure);
                step
            }
        };
        self.between = between;
        step
    }

    fn expand(&mut self, state: &[u8], moves: &mut Moves, out: &mut Batch) {
        if !self.is_there {
            return self.machine.expand(state, moves, out);
        }
        if !self.machine.monitor_may_only_go() {
            self.moves(state, Control::Free, moves);
            return self.take_all(state, moves, out);
        }
        let (bytes, arrived, failed) = (out.bytes.len(), out.arrivals.len(), out.failures.len());
        self.machine.expand(state, moves, out);
        self.look(state, moves);
        let only_goes = !moves.list.is_empty() && self.edges.iter().all(|e| e.only_goes && !e.is_atomic);
        if only_goes && !self.edges.is_empty() {
            return self.multiply_batch(moves, out, (arrived, failed));
        }
        out.bytes.truncate(bytes);
        out.arrivals.truncate(arrived);
        out.failures.truncate(failed);
        self.multiply(Control::Free, moves);
        self.take_all(state, moves, out);
    }

    fn expand_run(
        &mut self,
        states: &[u8],
        len: usize,
        run: &mut StateRun,
        moves: &mut Moves,
        out: &mut Batch,
    ) -> bool {
        if !self.is_there {
            return self.machine.expand_run(states, len, run, moves, out);
        }
        run.clear();
        if len > 0 {
            self.expand(&states[..len], moves, out);
        }
        len > 0
    }

    fn run_on(&mut self, state: &mut [u8], control: Control, path: &mut Vec<Move>) -> Control {
        self.machine.run_on(state, control, path)
    }

    fn walk(&mut self, state: &[u8], control: Control, out: &mut Vec<u8>, ways: &mut AtomicExits) -> bool {
        self.machine.walk(state, control, out, ways)
    }

    fn labels(&mut self, state: &[u8], asked: Labels) -> Labels {
        let accepts = self.is_there && asked.has(Labels::ACCEPT) && self.machine.monitor_accepts(state);
        self.machine.labels(state, asked) | Labels::ACCEPT.when(accepts)
    }
}
