//! Taking an edge, as machine code.
//!
//! The successor is a copy of the state; an edge writes only what it changes. A `d_step` becomes one piece of code:
//! every location inside it a block, every edge a test, its effect and a jump; where it can loop, a counter bounds it
//! as it does in the interpreter.

use crate::channel::Can;
use crate::context::{Fault, at};
use crate::emit::Emitter;
use crate::expr::{range, simple};
use crate::runtime;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use cranelift_frontend::Variable;
use ferrospin_model::ir::{Action, Edge, Expr, Init, LocationId, Model, Place, ProcessId};
use std::collections::BTreeMap;

/// How many statements a `d_step` may take before it counts as endless.
const D_STEP_MAX: i64 = 1_000_000;

impl Emitter<'_, '_> {
    /// Takes an edge: its actions, then the location. Answers 0, or -1 when a failure was raised.
    pub(crate) fn edge(mut self, edge: &Edge, is_monitor: bool) -> Self {
        self.do_edge(edge, is_monitor);
        self.leave()
    }

    /// Does what an edge does; what follows is up to the caller.
    pub(crate) fn do_edge(&mut self, edge: &Edge, is_monitor: bool) {
        self.act(&edge.action);
        edge.then.iter().for_each(|a| self.act(a));
        let frame = self.frame();
        self.save_location(frame, edge.to.0);
        if !is_monitor {
            self.set_last();
        }
    }

    /// Answers 0; and -1 where failures lead.
    pub(crate) fn leave(mut self) -> Self {
        self.give(0);
        let failed = self.on_fail;
        self.go(failed);
        self.give(-1);
        self
    }

    fn set_last(&mut self) {
        if let Some(at) = self.plan.model.layout.last {
            let (base, pid) = (self.base(), self.pid);
            self.save(ferrospin_model::ir::Scalar::BYTE, pid, base, at, true);
        }
    }

    /// The sender's half of a handshake.
    pub(crate) fn offering(mut self, edge: &Edge) -> Self {
        if let Action::Send { channel, fields, .. } = &edge.action {
            self.offer(channel, fields, true);
        }
        let frame = self.frame();
        self.save_location(frame, edge.to.0);
        self.leave()
    }

    /// The receiver's half of a handshake.
    pub(crate) fn taking(mut self, edge: &Edge) -> Self {
        if let Action::Receive(r) = &edge.action {
            self.take(r);
        }
        let frame = self.frame();
        self.save_location(frame, edge.to.0);
        self.set_last();
        self.leave()
    }

    fn act(&mut self, action: &Action) {
        match action {
            // The end of a process is the machine's business: the state becomes shorter.
            Action::Guard(_) | Action::Skip | Action::Else | Action::End => {}
            Action::Assign(place, e) => {
                let v = self.expr(e);
                self.store(place, v, range(e));
            }
            Action::Send { channel, sorted, fields } => self.send(channel, *sorted, fields),
            Action::Receive(r) => self.receive(r),
            Action::Assert(e) => {
                let holds = self.truth(e);
                let no = self.bit(false);
                let violated = self.compare(IntCC::Equal, holds, no);
                let zero = self.int(0);
                self.note_if(violated, Fault::Assertion, zero, zero);
            }
            // Nothing is printed here, but looking for the values may fail.
            Action::Print { args, .. } => args.iter().filter(|e| !simple(e)).for_each(|e| {
                self.expr(e);
            }),
            Action::Run { process, args, priority, target } => self.run(*process, args, *priority, target.as_ref()),
            Action::SetPriority(p, n) => {
                let (p, n) = (self.expr(p), self.expr(n));
                self.call(runtime::set_priority as *const () as usize, &[p, n]);
            }
            Action::DStep(entry) => self.d_step(*entry),
            Action::Call(c) => {
                self.foreign(runtime::execute as *const () as usize, c);
            }
            Action::Foreign => {
                self.raise(Fault::Foreign, None, 0);
                let dead = self.block();
                self.go(dead);
            }
        }
    }

    fn run(&mut self, process: ProcessId, args: &[Expr], priority: u8, target: Option<&Place>) {
        let list = self.scratch(4 * args.len() as u32);
        for (i, e) in args.iter().enumerate() {
            let v = self.expr(e);
            self.poke(v, list, 4 * i as i32);
        }
        let priority = self.int(i64::from(priority.max(1)));
        let (process, count) = (self.int(i64::from(process.0)), self.int(args.len() as i64));
        let pid = self.call_or_fail(runtime::birth as *const () as usize, &[process, priority, list, count]);
        self.reload();
        if let Some(place) = target {
            self.store(place, pid, (0, 255));
        }
    }

    /// Stores the arguments and initial values of a process, or of the model's globals.
    pub(crate) fn init(mut self, params: &[Place], init: &[(Place, Init)]) -> Self {
        let list = self.load_pointer(at::ARGS);
        for (i, place) in params.iter().enumerate() {
            let v = self.peek(list, 4 * i as i32);
            self.store(place, v, (i64::from(i32::MIN), i64::from(i32::MAX)));
        }
        for (place, init) in init {
            match init {
                Init::Value(e) => {
                    let v = self.expr(e);
                    self.store(place, v, range(e));
                }
                Init::Channel(n) => {
                    let (before, number) = (self.load_context(at::CHANNELS_BEFORE), self.int(i64::from(*n) + 1));
                    let v = self.b.ins().iadd(before, number);
                    self.store(place, v, (0, i64::from(i32::MAX)));
                }
            }
        }
        self.leave()
    }

    fn d_step(&mut self, entry: LocationId) {
        let inside = inside(self.plan.model, entry);
        let exit = self.block();
        let blocks: BTreeMap<LocationId, Block> = inside.iter().map(|l| (*l, self.block())).collect();
        let fuel = has_cycle(self.plan.model, &inside).then(|| {
            let fuel = self.b.declare_var(types::I32);
            let full = self.int(D_STEP_MAX);
            self.b.def_var(fuel, full);
            fuel
        });
        self.jump(blocks[&entry]);
        for l in &inside {
            self.go(blocks[l]);
            if let Some(fuel) = fuel {
                self.burn(fuel);
            }
            self.d_step_location(*l, &blocks, exit);
        }
        self.go(exit);
    }

    fn burn(&mut self, fuel: Variable) {
        let left = self.b.use_var(fuel);
        let empty = self.compare_int(IntCC::Equal, left, 0);
        self.raise_if(empty, Fault::EndlessDStep, None, 0);
        let one = self.int(1);
        let left = self.b.ins().isub(left, one);
        self.b.def_var(fuel, left);
    }

    /// The first executable edge of a location inside a `d_step`.
    fn d_step_location(&mut self, at: LocationId, blocks: &BTreeMap<LocationId, Block>, exit: Block) {
        for &id in self.plan.edges(at) {
            let edge = self.plan.model.edge(id);
            let next = match self.inner_can(&edge.action) {
                None => None,
                Some(can) => {
                    let (take, next) = (self.block(), self.block());
                    self.branch(can, take, next);
                    self.go(take);
                    Some(next)
                }
            };
            self.act(&edge.action);
            edge.then.iter().for_each(|a| self.act(a));
            let to = if edge.to == LocationId::EXIT { exit } else { blocks[&edge.to] };
            self.jump(to);
            match next {
                Some(next) => self.go(next),
                None => return,
            }
        }
        self.raise(Fault::BlockedDStep, None, 0);
    }

    /// Whether an action inside a `d_step` can be executed; `None` when it always can.
    pub(crate) fn inner_can(&mut self, action: &Action) -> Option<Value> {
        match self.can(action) {
            Can::Always => None,
            Can::When(v) => Some(v),
            Can::Partner => {
                self.raise(Fault::RendezvousInDStep, None, 0);
                let dead = self.block();
                self.go(dead);
                Some(self.bit(false))
            }
            Can::Code(v) => {
                let handshake = self.compare_int(IntCC::Equal, v, 2);
                self.raise_if(handshake, Fault::RendezvousInDStep, None, 0);
                Some(self.compare_int(IntCC::NotEqual, v, 0))
            }
        }
    }
}

/// The locations of a `d_step`, its entry first.
pub(crate) fn inside(model: &Model, entry: LocationId) -> Vec<LocationId> {
    let mut list = vec![entry];
    let mut next = 0;
    while let Some(&l) = list.get(next) {
        next += 1;
        for &e in &model.location(l).edges {
            let to = model.edge(e).to;
            if to != LocationId::EXIT && !list.contains(&to) {
                list.push(to);
            }
        }
    }
    list
}

/// Whether some location can be reached from itself: what is left when locations without successors are taken away,
/// again and again.
fn has_cycle(model: &Model, list: &[LocationId]) -> bool {
    let mut left = list.to_vec();
    loop {
        let before = left.len();
        let rest = left.clone();
        left.retain(|l| model.location(*l).edges.iter().any(|e| rest.contains(&model.edge(*e).to)));
        if left.len() == before {
            return before > 0;
        }
    }
}

/// Whether an edge needs code at all, or only changes the location.
pub(crate) fn has_effect(edge: &Edge) -> bool {
    let idle = |a: &Action| match a {
        Action::Guard(_) | Action::Skip | Action::Else | Action::End => true,
        Action::Print { args, .. } => args.iter().all(simple),
        _ => false,
    };
    !(idle(&edge.action) && edge.then.iter().all(idle))
}
