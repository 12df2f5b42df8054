//! The machine: calls generated code and turns its answers into moves and steps.

use crate::Native;
use crate::context::{Code, Context, Fault, RawFailure};
use crate::program::{Program, marked};
use crate::runtime;
use crate::scan::Scan;
use ferrospin_system::{
    AtomicExits, Batch, Control, Failure, Labels, Machine, Move, Moves, NO_EDGE, NO_PROCESS, StateRun, Step,
};
use std::sync::Arc;

impl Context {
    /// A context for a program. It must not move afterwards, so it comes in a box.
    pub(crate) fn boxed(program: &Arc<Program>) -> Box<Context> {
        let mut c = Box::new(Context {
            base: std::ptr::null_mut(),
            frames: std::ptr::null(),
            channels: std::ptr::null(),
            slot: std::ptr::null_mut(),
            message: std::ptr::null_mut(),
            args: std::ptr::null_mut(),
            masks: std::ptr::null_mut(),
            dest: std::ptr::null_mut(),
            moves: std::ptr::null_mut(),
            first: std::ptr::null_mut(),
            next: std::ptr::null_mut(),
            room: 0,
            process_count: 0,
            channel_count: 0,
            message_len: 0,
            timeout: 0,
            channels_before: 0,
            event_send: 0,
            number: 0,
            slow_path: 0,
            soft: RawFailure::default(),
            program: Arc::as_ptr(program),
            out: std::ptr::null_mut(),
            scan: Scan::new(program),
            handshakes: Vec::new(),
            failures: Vec::new(),
            slots: vec![RawFailure::default(); 2 * program.edges_max + 2],
            message_list: vec![0; program.fields_max],
            args_list: vec![0; program.fields_max],
            masks_list: vec![0; program.edges_max.div_ceil(64) + 1],
            current: Vec::new(),
            current_len: 0,
        });
        c.frames = c.scan.frames.as_ptr();
        c.channels = c.scan.channels.as_ptr();
        c.slot = c.slots.as_mut_ptr();
        c.message = c.message_list.as_mut_ptr();
        c.args = c.args_list.as_mut_ptr();
        c.masks = c.masks_list.as_mut_ptr();
        c
    }

    /// Takes note of what the scan found.
    pub(crate) fn scanned(&mut self) {
        self.process_count = self.scan.count() as u32;
        self.channel_count = self.scan.channel_count;
    }
}

impl Native {
    /// Looks at a state, which stays the one that is looked at until the next.
    pub(crate) fn look(&mut self, state: &[u8]) {
        let c = &mut *self.context;
        c.keep(state);
        c.scan.state(&self.program, state);
        c.scanned();
    }

    /// Calls code of the frame at `at`.
    pub(crate) fn call(&mut self, code: Code, at: u32, pid: i32, extra: i32) -> i64 {
        let context: *mut Context = &raw mut *self.context;
        // SAFETY: the state was scanned, so the frame lies inside it and has the size the code expects; nothing else
        // refers to the context during the call. Code that tests does not write to the state.
        unsafe {
            let base = (*context).base;
            code(context, base, base.add(at as usize), pid, extra)
        }
    }

    /// Makes a successor, which is still a copy of the state.
    pub(crate) fn begin(&mut self, state: &[u8], timeout: bool, out: &mut Vec<u8>) {
        if !self.context.knows(state) {
            assert!(state.len() >= self.program.fixed_size as usize, "a state has its fixed part");
            self.look(state);
        }
        let c = &mut *self.context;
        c.copy_to(out);
        c.out = out;
        c.timeout = u32::from(timeout);
        c.soft.code = 0;
    }

    /// Takes a move; the successor is still a copy of the state. Everything but the report.
    fn take(&mut self, mv: &Move) -> Result<Control, RawFailure> {
        let program = self.context.program();
        let edge = &program.edges[mv.edge as usize];
        let at = self.frame_of(mv.process, edge.process);
        if mv.partner != NO_PROCESS {
            let receive = &program.edges[mv.partner_edge as usize];
            let other = self.frame_of(mv.partner, receive.process);
            let (offer, take) = (edge.offer.expect("a rendezvous send"), receive.take.expect("a rendezvous receive"));
            self.effect(offer, at, mv.process, edge.to)?;
            self.effect(take, other, mv.partner, receive.to)?;
            if program.trace.is_some() {
                let c = &mut *self.context;
                crate::trace::event(c, c.number, true);
                crate::trace::event(c, c.number, false);
            }
            return Ok(if receive.atomic { Control::Exclusive(mv.partner) } else { Control::Free });
        }
        if edge.end {
            if let Some(last) = program.last {
                self.context.set_last(last, mv.process);
            }
            // SAFETY: `apply` has set `out` to the successor's vector.
            unsafe { (*self.context.out).truncate(at as usize) };
            return Ok(Control::Free);
        }
        self.effect(edge.apply.expect("an edge of a process"), at, mv.process, edge.to)?;
        Ok(if edge.atomic { Control::Exclusive(mv.process) } else { Control::Free })
    }

    /// Offset of the frame of a process, which must be of the given type.
    fn frame_of(&self, pid: u8, process: u32) -> u32 {
        let frame = self.context.scan.frames[usize::from(pid)];
        assert!(frame.process == process, "the move is not one of this state");
        frame.at
    }

    /// Calls code that changes the successor.
    pub(crate) fn effect(&mut self, code: Code, at: u32, pid: u8, to: u32) -> Result<(), RawFailure> {
        if self.call(code, at, i32::from(pid), to as i32) >= 0 {
            return Ok(());
        }
        // SAFETY: the slot holds the failure that was raised.
        Err(unsafe { *self.context.slot })
    }

    fn start(&mut self) -> Result<(), RawFailure> {
        let program = self.context.program();
        if let Some(init) = program.init {
            self.effect(init, 0, NO_PROCESS, 0)?;
        }
        if program.globals.len() > 255 {
            return Err(RawFailure::new(Fault::TooManyChannels));
        }
        if let Some(trace) = program.trace {
            // SAFETY: the trace lies in the fixed part, which is there.
            unsafe { self.context.set_location(trace.at, trace.entry) };
        }
        if let Some((process, at)) = program.slot {
            let p = &program.processes[process as usize];
            // SAFETY: the slot lies in the fixed part, which is there.
            unsafe { self.context.set_location(at, p.entry) };
            if let Some(init) = p.init {
                self.effect(init, at, NO_PROCESS, 0)?;
            }
        }
        for &p in &program.start {
            let priority = i32::from(program.processes[p as usize].priority);
            let context: *mut Context = &raw mut *self.context;
            let none: [i32; 0] = [];
            // SAFETY: the context is the machine's own, `out` is set, and there are no arguments.
            if unsafe { runtime::birth(context, p as i32, priority, none.as_ptr(), 0) } < 0 {
                // SAFETY: the slot holds the failure that was raised.
                return Err(unsafe { *self.context.slot });
            }
        }
        Ok(())
    }
}

impl Context {
    pub(crate) fn set_last(&mut self, at: u32, pid: u8) {
        // SAFETY: `_last` lies in the fixed part of every state.
        unsafe { *self.base.add(at as usize) = pid };
    }
}

impl Machine for Native {
    fn initial(&mut self, out: &mut Vec<u8>) -> Result<(), Failure> {
        out.clear();
        out.resize(self.program.fixed_size as usize, 0);
        if let Some(foreign) = &self.program.foreign {
            foreign.begin();
        }
        let c = &mut *self.context;
        c.scan.truncate(0);
        c.scanned();
        c.current_len = 0;
        c.base = out.as_mut_ptr();
        c.out = out;
        c.timeout = 0;
        c.channels_before = 0;
        c.slot = c.slots.as_mut_ptr();
        let result = self.start();
        self.context.out = std::ptr::null_mut();
        result.map_err(|f| Failure { code: f.failure_code(), edge: NO_EDGE, process: NO_PROCESS })
    }

    fn moves(&mut self, state: &[u8], control: Control, out: &mut Moves) {
        assert!(state.len() >= self.program.fixed_size as usize, "a state has its fixed part");
        out.clear();
        self.context.timeout = 0;
        if let Control::Exclusive(pid) = control {
            self.look(state);
            return self.system_moves(Some(usize::from(pid)), out);
        }
        self.look_and_find(state, out);
        if out.list.is_empty() && self.program.uses_timeout {
            self.context.timeout = 1;
            self.system_moves(None, out);
            out.list.iter_mut().for_each(|m| m.timeout = true);
        }
    }

    fn apply(&mut self, state: &[u8], mv: &Move, out: &mut Vec<u8>) -> Step {
        assert!(mv.property == NO_EDGE && mv.process != NO_PROCESS, "a monitor is taken by itself");
        self.begin(state, mv.timeout, out);
        let result = self.take(mv);
        self.context.out = std::ptr::null_mut();
        let failure = |raw: RawFailure| Failure { code: raw.failure_code(), edge: mv.edge, process: mv.process };
        match result {
            Ok(control) => {
                let soft = self.context.soft;
                let failed = (soft.code != 0).then(|| failure(soft));
                Step { control, failure: failed, proceeds: true }
            }
            Err(f) => Step { control: Control::Free, failure: Some(failure(f)), proceeds: false },
        }
    }

    fn expand(&mut self, state: &[u8], moves: &mut Moves, out: &mut Batch) {
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
        self.take_run(states, len, run, moves, out)
    }

    fn run_on(&mut self, state: &mut [u8], control: Control, path: &mut Vec<Move>) -> Control {
        match control {
            Control::Exclusive(pid) => self.go_straight(state, pid, path),
            _ => control,
        }
    }

    fn walk(&mut self, state: &[u8], control: Control, out: &mut Vec<u8>, ways: &mut AtomicExits) -> bool {
        match control {
            Control::Exclusive(pid) => self.walk_out(state, pid, out, ways),
            _ => false,
        }
    }

    fn labels(&mut self, state: &[u8], asked: Labels) -> Labels {
        assert!(state.len() >= self.program.fixed_size as usize, "a state has its fixed part");
        let propositions = match asked & Labels::PROPOSITIONS {
            Labels::NONE => Labels::NONE,
            asked => self.propositions(state, asked),
        };
        if asked & !Labels::PROPOSITIONS == Labels::NONE {
            return propositions;
        }
        if self.context.scan.end != state.len() || !self.context.scan.agrees(&self.program, state) {
            self.look(state);
        }
        let (program, c) = (&self.program, &self.context);
        let bits = |at: u32| program.finders[program.read_location(state, at) as usize].marked;
        let (mut all, mut some) = (u8::MAX, 0);
        for frame in &c.scan.frames {
            let bits = bits(frame.at);
            all &= bits;
            some |= bits;
        }
        // A trace is not asked for its end once all processes have left.
        if let Some(trace) = program.trace
            && !c.scan.frames.is_empty()
            && !trace.forbidden
        {
            all &= bits(trace.at) | !marked::END;
        }
        let pending = || {
            let known = &c.scan.channels[1..=c.scan.channel_count.min(255) as usize];
            known.iter().any(|e| {
                let shape = program.shape(*e);
                let at = e.offset as usize;
                // No message, no length: the number of messages takes one byte or four.
                shape.capacity > 0 && state[at..at + shape.first() as usize].iter().any(|b| *b != 0)
            })
        };
        let always = Labels::END.when(all & marked::END != 0)
            | Labels::ACCEPT.when(some & marked::ACCEPT != 0)
            | Labels::PROGRESS.when(some & marked::PROGRESS != 0);
        propositions | asked & (always | Labels::PENDING.when(asked.has(Labels::PENDING) && pending()))
    }
}
