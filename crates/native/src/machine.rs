//! The machine: calls generated code process by process and turns its answers into moves and steps.

use crate::Native;
use crate::context::{Code, Context, Fault, RawFailure};
use crate::program::{LocationCode, Program, Test};
use crate::scan::Scan;
use crate::{partners, runtime};
use ferrospin_system::{Control, Failure, FailureKind, Machine, Marks, Move, Moves, NO_EDGE, NO_PROCESS, Step};
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
            process_count: 0,
            channel_count: 0,
            message_len: 0,
            timeout: 0,
            channels_before: 0,
            event_send: 0,
            number: 0,
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
    fn scanned(&mut self) {
        self.process_count = self.scan.count() as u32;
        self.channel_count = self.scan.channel_count;
    }
}

impl Native {
    /// Looks at a state that will only be read.
    fn look(&mut self, state: &[u8]) {
        let c = &mut *self.context;
        c.scan.state(&self.program, state);
        c.base = state.as_ptr().cast_mut();
        c.slot = c.slots.as_mut_ptr();
        c.scanned();
    }

    /// Calls code of the frame at `at`.
    fn call(&mut self, code: Code, at: u32, pid: i32) -> i64 {
        let context: *mut Context = &raw mut *self.context;
        // SAFETY: the state was scanned, so the frame lies inside it and has the size the code expects; nothing else
        // refers to the context during the call. Code that tests does not write to the state.
        unsafe {
            let base = (*context).base;
            code(context, base, base.add(at as usize), pid, 0)
        }
    }

    fn process_moves(&mut self, pid: usize, state: &[u8], out: &mut Moves) {
        let program = self.context.program();
        let frame = self.context.scan.frames[pid];
        let at = frame.at;
        let location = program.location_at(state, at);
        assert_eq!(location.process, frame.process, "a process stays what it is");
        if program.uses_provided
            && let Some(code) = program.processes[location.process as usize].provided
        {
            match partners::provided(&raw mut *self.context, code, pid) {
                Ok(true) => {}
                Ok(false) => return,
                Err(failure) => {
                    let first = (location.edges.1 > 0).then(|| program.edge_ids[location.edges.0 as usize]);
                    let edge = first.unwrap_or(NO_EDGE);
                    out.failures.push(Failure { kind: failure.kind(), edge, process: pid as u8 });
                    return;
                }
            }
        }
        let mask = match location.test {
            Test::Fixed(mask) => mask,
            Test::End => u64::from(pid + 1 == self.context.scan.count()),
            Test::Code(code) => self.call(code, at, pid as i32) as u64,
        };
        self.collect(program, location, pid as u8, mask, out);
    }

    /// Turns the answer of a test into moves and failures.
    fn collect(&mut self, program: &Program, location: &LocationCode, pid: u8, mask: u64, out: &mut Moves) {
        let c = &mut *self.context;
        let (first, count) = (location.edges.0 as usize, location.edges.1 as usize);
        let edges = &program.edge_ids[first..first + count];
        if c.handshakes.is_empty() && count <= 64 {
            let mut left = mask;
            while left != 0 {
                out.list.push(Move::single(pid, edges[left.trailing_zeros() as usize]));
                left &= left - 1;
            }
        } else {
            let mut found = std::mem::take(&mut c.handshakes);
            let mut next = found.iter().peekable();
            for i in partners::bits(c, mask, count) {
                let id = edges[i];
                match next.peek() {
                    Some(h) if h.edge == id => {
                        while let Some(h) = next.next_if(|h| h.edge == id) {
                            out.list.push(*h);
                        }
                    }
                    _ => out.list.push(Move::single(pid, id)),
                }
            }
            found.clear();
            c.handshakes = found;
        }
        if c.slot != c.slots.as_mut_ptr() || !c.failures.is_empty() {
            c.drain(pid);
            let list = c.failures.drain(..);
            out.failures.extend(list.map(|(f, process)| Failure { kind: f.kind(), edge: f.edge, process }));
        }
    }

    /// Moves of the processes, youngest first; only of one process if it is named.
    fn system_moves(&mut self, state: &[u8], only: Option<usize>, out: &mut Moves) {
        let n = self.context.scan.count();
        if self.program.uses_priority {
            // Who can move decides who may: all are tried, then those below the highest priority are dropped.
            (0..n).rev().for_each(|p| self.process_moves(p, state, out));
            let size = self.program.location_size;
            let frames = &self.context.scan.frames;
            let priority = |m: &Move| state[(frames[usize::from(m.process)].at + size) as usize];
            let top = out.list.iter().map(priority).max();
            out.list.retain(|m| Some(priority(m)) == top && only.is_none_or(|p| p == usize::from(m.process)));
            return;
        }
        match only {
            Some(p) if p < n => self.process_moves(p, state, out),
            Some(_) => {}
            None => (0..n).rev().for_each(|p| self.process_moves(p, state, out)),
        }
    }

    /// Multiplies the moves of the processes with those of the claim.
    fn with_claim(&mut self, state: &[u8], at: u32, control: Control, out: &mut Moves) {
        let program = self.context.program();
        let location = program.location_at(state, at);
        assert_eq!(Some(location.process), program.claim.map(|c| c.0), "the claim stays what it is");
        let mask = match location.test {
            Test::Fixed(mask) => mask,
            Test::End => 0,
            Test::Code(code) => self.call(code, at, i32::from(NO_PROCESS)) as u64,
        };
        self.system.clear();
        self.system.append(&mut out.list);
        let (first, count) = (location.edges.0 as usize, location.edges.1 as usize);
        for i in partners::bits(&self.context, mask, count) {
            let claim = program.edge_ids[first + i];
            if program.edges[claim as usize].atomic || self.system.is_empty() {
                out.list.push(Move {
                    process: NO_PROCESS,
                    edge: NO_EDGE,
                    partner: NO_PROCESS,
                    partner_edge: NO_EDGE,
                    claim,
                    timeout: false,
                    stutter: self.system.is_empty() && control == Control::Free,
                });
            } else {
                out.list.extend(self.system.iter().map(|m| Move { claim, ..*m }));
            }
        }
        let c = &mut *self.context;
        c.drain(NO_PROCESS);
        let list = c.failures.drain(..);
        out.failures.extend(list.map(|(f, process)| Failure { kind: f.kind(), edge: f.edge, process }));
    }

    /// Does the first half of [`Machine::apply`]: everything but the report.
    fn take(&mut self, state: &[u8], mv: &Move) -> Result<Control, RawFailure> {
        let mut claim_goes_on = false;
        let program = self.context.program();
        if mv.claim != NO_EDGE {
            let (process, at) = program.claim.expect("a claim moves");
            let edge = &program.edges[mv.claim as usize];
            assert_eq!(edge.process, process, "the claim takes one of its edges");
            match edge.apply {
                Some(code) => self.effect(code, at, NO_PROCESS)?,
                None => self.context.set_location(at, edge.to),
            }
            claim_goes_on = edge.atomic || mv.stutter;
            if program.locations[edge.to as usize].stops {
                self.context.note(RawFailure::new(Fault::ClaimEnd));
            }
        }
        if mv.process == NO_PROCESS {
            return Ok(if claim_goes_on { Control::Claim } else { Control::Free });
        }
        let edge = &program.edges[mv.edge as usize];
        let at = self.frame_of(state, mv.process, edge.process);
        if mv.partner != NO_PROCESS {
            let receive = &program.edges[mv.partner_edge as usize];
            let other = self.frame_of(state, mv.partner, receive.process);
            let (offer, take) = (edge.offer.expect("a rendezvous send"), receive.take.expect("a rendezvous receive"));
            self.effect(offer, at, mv.process)?;
            self.effect(take, other, mv.partner)?;
            if program.trace.is_some() {
                let c = &mut *self.context;
                crate::trace::event(c, c.number, true);
                crate::trace::event(c, c.number, false);
            }
            return Ok(if receive.atomic { Control::Exclusive(mv.partner) } else { Control::Free });
        }
        match edge.apply {
            Some(code) => self.effect(code, at, mv.process)?,
            None => {
                let c = &mut *self.context;
                if !edge.end {
                    c.set_location(at, edge.to);
                }
                if let Some(last) = program.last {
                    c.set_last(last, mv.process);
                }
            }
        }
        if edge.end {
            // SAFETY: `apply` has set `out` to the successor's vector.
            unsafe { (*self.context.out).truncate(at as usize) };
            return Ok(Control::Free);
        }
        Ok(if edge.atomic { Control::Exclusive(mv.process) } else { Control::Free })
    }

    /// Offset of the frame of a process, which must be of the given type.
    fn frame_of(&self, state: &[u8], pid: u8, process: u32) -> u32 {
        let frame = self.context.scan.frames[usize::from(pid)];
        assert!(frame.process == process && frame.end as usize <= state.len(), "the move is not one of this state");
        frame.at
    }

    /// Calls code that changes the successor.
    fn effect(&mut self, code: Code, at: u32, pid: u8) -> Result<(), RawFailure> {
        if self.call(code, at, i32::from(pid)) >= 0 {
            return Ok(());
        }
        // SAFETY: the slot holds the failure that was raised.
        Err(unsafe { *self.context.slot })
    }

    fn start(&mut self) -> Result<(), RawFailure> {
        let program = self.context.program();
        if let Some(init) = program.init {
            self.effect(init, 0, NO_PROCESS)?;
        }
        if program.globals.len() > 255 {
            return Err(RawFailure::new(Fault::TooManyChannels));
        }
        if let Some(trace) = program.trace {
            self.context.set_location(trace.at, trace.entry);
        }
        if let Some((process, at)) = program.claim {
            let p = &program.processes[process as usize];
            self.context.set_location(at, p.entry);
            if let Some(init) = p.init {
                self.effect(init, at, NO_PROCESS)?;
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
    fn set_last(&mut self, at: u32, pid: u8) {
        // SAFETY: `_last` lies in the fixed part of every state.
        unsafe { *self.base.add(at as usize) = pid };
    }
}

impl Machine for Native {
    fn initial(&mut self, out: &mut Vec<u8>) -> Result<(), Failure> {
        out.clear();
        out.resize(self.program.fixed_size as usize, 0);
        let c = &mut *self.context;
        c.scan.truncate(0);
        c.scanned();
        c.base = out.as_mut_ptr();
        c.out = out;
        c.timeout = 0;
        c.channels_before = 0;
        c.slot = c.slots.as_mut_ptr();
        let result = self.start();
        self.context.out = std::ptr::null_mut();
        result.map_err(|f| Failure { kind: f.kind(), edge: NO_EDGE, process: NO_PROCESS })
    }

    fn moves(&mut self, state: &[u8], control: Control, out: &mut Moves) {
        assert!(state.len() >= self.program.fixed_size as usize, "a state has its fixed part");
        out.clear();
        self.look(state);
        self.context.timeout = 0;
        if let Control::Exclusive(pid) = control {
            return self.system_moves(state, Some(usize::from(pid)), out);
        }
        self.system_moves(state, None, out);
        if out.list.is_empty() && self.program.uses_timeout {
            self.context.timeout = 1;
            self.system_moves(state, None, out);
            out.list.iter_mut().for_each(|m| m.timeout = true);
        }
        if let Some((_, at)) = self.program.claim {
            // A claim that goes on alone, because nobody else can, sees no timeout.
            self.context.timeout = u32::from(self.context.timeout != 0 && !out.list.is_empty());
            self.with_claim(state, at, control, out);
        }
    }

    fn apply(&mut self, state: &[u8], mv: &Move, out: &mut Vec<u8>) -> Step {
        assert!(state.len() >= self.program.fixed_size as usize, "a state has its fixed part");
        out.clear();
        out.extend_from_slice(state);
        let c = &mut *self.context;
        c.scan.state(&self.program, state);
        c.scanned();
        c.base = out.as_mut_ptr();
        c.out = out;
        c.timeout = u32::from(mv.timeout);
        c.soft.code = 0;
        let result = self.take(state, mv);
        self.context.out = std::ptr::null_mut();
        let edge = if mv.edge == NO_EDGE { mv.claim } else { mv.edge };
        let failure = |kind: FailureKind| Failure { kind, edge, process: mv.process };
        match result {
            Ok(control) => {
                let soft = self.context.soft;
                let failed = (soft.code != 0).then(|| failure(soft.kind()));
                Step { control, failure: failed, proceeds: true }
            }
            Err(f) => Step { control: Control::Free, failure: Some(failure(f.kind())), proceeds: false },
        }
    }

    fn process_count(&mut self, state: &[u8]) -> usize {
        self.look(state);
        self.context.scan.frames.len()
    }

    fn marks(&mut self, state: &[u8]) -> Marks {
        self.look(state);
        let (program, c) = (&self.program, &self.context);
        let mut marks = Marks { valid_end: true, ..Marks::default() };
        for frame in &c.scan.frames {
            let l = program.location_at(state, frame.at);
            marks.valid_end &= l.end;
            marks.accepting |= l.accept;
            marks.progress |= l.progress;
        }
        // A trace is not asked for its end once all processes have left.
        if let Some(trace) = program.trace
            && !c.scan.frames.is_empty()
        {
            marks.valid_end &= trace.forbidden || program.location_at(state, trace.at).end;
        }
        if let Some((_, at)) = program.claim {
            marks.accepting |= program.location_at(state, at).accept;
        }
        marks.messages = c.scan.channels.iter().filter(|e| e.shape != 0).any(|e| {
            let shape = program.shape(*e);
            shape.capacity > 0 && c.read(e.offset, shape.length) != 0
        });
        marks
    }
}
