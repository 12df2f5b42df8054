//! The machine: calls generated code process by process and turns its answers into moves and steps.

use crate::Native;
use crate::context::{Code, Context, Fault, RawFailure};
use crate::program::{Find, Grown, LocationCode, Program, marked};
use crate::scan::Scan;
use crate::{build, partners, runtime};
use ferrospin_model::ir::Scalar;
use ferrospin_system::{
    Arrival, Batch, Control, Failure, FailureKind, Machine, Marks, Move, Moves, NO_EDGE, NO_PROCESS, Step,
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
            room: 0,
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
    fn scanned(&mut self) {
        self.process_count = self.scan.count() as u32;
        self.channel_count = self.scan.channel_count;
    }

    /// Keeps a copy of a state, to be read until the next one comes.
    fn keep(&mut self, state: &[u8]) {
        let room = state.len().next_multiple_of(CHUNK);
        if self.current.len() < room {
            self.current.resize(room, 0);
        }
        self.current[..state.len()].copy_from_slice(state);
        self.current_len = state.len();
        self.base = self.current.as_mut_ptr();
        self.slot = self.slots.as_mut_ptr();
    }

    /// Whether the scan describes this state. A birth adds to the scan, so that its end tells.
    fn knows(&self, state: &[u8]) -> bool {
        if self.scan.end != state.len() || self.current_len != state.len() {
            return false;
        }
        let (a, rest_a) = self.current[..state.len()].as_chunks::<8>();
        let (b, rest_b) = state.as_chunks::<8>();
        // No branch for each piece, and no call: states are short and mostly equal.
        let pieces = a.iter().zip(b).fold(0, |d, (a, b)| d | (u64::from_ne_bytes(*a) ^ u64::from_ne_bytes(*b)));
        pieces == 0 && rest_a.iter().zip(rest_b).fold(0, |d, (a, b)| d | (a ^ b)) == 0
    }

    /// Makes `out` a copy of the state that was kept.
    fn copy_to(&mut self, out: &mut Vec<u8>) {
        let len = self.current_len;
        let room = len.next_multiple_of(CHUNK);
        assert!(room <= self.current.len(), "a state is kept with some room behind it");
        out.clear();
        out.reserve(room);
        let (from, to) = (self.current.as_ptr(), out.as_mut_ptr());
        // SAFETY: both have room for whole chunks, the first `len` bytes of which are copied and thereby initialised;
        // the vector is not the context's own.
        unsafe {
            for at in (0..room).step_by(CHUNK) {
                std::ptr::copy_nonoverlapping(from.add(at), to.add(at), CHUNK);
            }
            out.set_len(len);
        }
        self.base = to;
    }
}

/// Successors are made while moves are looked for only if they take no more memory than this.
const GROWN_MAX: usize = 1 << 20;

/// States are copied in pieces of this many bytes, so that the compiler needs no call for it.
const CHUNK: usize = crate::emit::COPIED as usize;

impl Native {
    /// Looks at a state, which stays the one that is looked at until the next.
    fn look(&mut self, state: &[u8]) {
        let c = &mut *self.context;
        c.keep(state);
        c.scan.state(&self.program, state);
        c.scanned();
    }

    /// Calls code of the frame at `at`.
    fn call(&mut self, code: Code, at: u32, pid: i32, extra: i32) -> i64 {
        let context: *mut Context = &raw mut *self.context;
        // SAFETY: the state was scanned, so the frame lies inside it and has the size the code expects; nothing else
        // refers to the context during the call. Code that tests does not write to the state.
        unsafe {
            let base = (*context).base;
            code(context, base, base.add(at as usize), pid, extra)
        }
    }

    /// Moves of one process.
    fn process_moves(&mut self, pid: usize, out: &mut Moves) {
        let program = self.context.program();
        let frame = self.context.scan.frames[pid];
        let number = self.context.location(frame.at) as usize;
        let location = &program.locations[number];
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
        if let Some(find) = program.finders[number].find {
            out.list.reserve(program.edges_max + 1);
            let context: *mut Context = &raw mut *self.context;
            // SAFETY: the state was scanned, so the frame is that of a process at this location; there is room for a
            // move per edge and one that is written and not counted.
            unsafe {
                let base = (*context).base;
                let next = out.list.as_mut_ptr().add(out.list.len());
                let next = find(context, base, base.add(frame.at as usize), pid as i32, next);
                out.list.set_len(next.offset_from(out.list.as_ptr()) as usize);
            }
        } else if let Some(test) = location.test {
            let mask = self.call(test, frame.at, pid as i32, 0) as u64;
            self.collect(program, location, pid as u8, mask, out);
        }
        self.report(pid as u8, out);
    }

    /// Turns the answer of a test into moves.
    fn collect(&mut self, program: &Program, location: &LocationCode, pid: u8, mask: u64, out: &mut Moves) {
        let c = &mut *self.context;
        let (first, count) = (location.edges.0 as usize, location.edges.1 as usize);
        let edges = &program.edge_ids[first..first + count];
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

    /// Hands on the failures of the test that ran last.
    fn report(&mut self, pid: u8, out: &mut Moves) {
        let c = &mut *self.context;
        if c.slot != c.slots.as_mut_ptr() || !c.failures.is_empty() {
            c.drain(pid);
            let list = c.failures.drain(..);
            out.failures.extend(list.map(|(f, process)| Failure { kind: f.kind(), edge: f.edge, process }));
        }
    }

    /// Moves of all processes, youngest first, of a state whose frames are taken to be those of the last scan. False
    /// when a process turns out to be of another type; what was found is then worth nothing.
    fn all_moves<const GROW: bool>(&mut self, grown: &[Option<Find>], out: &mut Moves) -> bool {
        let program = self.context.program();
        let room = program.edges_max + 1;
        let mut pid = self.context.scan.count();
        out.list.reserve(pid * room);
        let mut len = out.list.len();
        let context: *mut Context = &raw mut *self.context;
        let start = self.context.slots.as_mut_ptr();
        while pid > 0 {
            pid -= 1;
            let frame = self.context.scan.frames[pid];
            let number = self.context.location(frame.at) as usize;
            let finder = match program.finders.get(number) {
                Some(finder) if finder.process == frame.process => finder,
                _ => return false,
            };
            let found = if GROW { grown[number] } else { finder.find };
            let Some(find) = found else {
                self.process_moves(pid, out);
                if GROW {
                    out.list[len..].iter_mut().for_each(|m| m.stutter = true);
                }
                out.list.reserve(pid * room);
                len = out.list.len();
                continue;
            };
            // SAFETY: as in `process_moves`. Frames lie inside the state because the scan ends where the state does,
            // whatever their types turn out to be.
            unsafe {
                let (base, first) = ((*context).base, out.list.as_mut_ptr());
                let next = find(context, base, base.add(frame.at as usize), pid as i32, first.add(len));
                len = next.offset_from(first) as usize;
                out.list.set_len(len);
            }
            if finder.fails && self.context.slot != start {
                self.report(pid as u8, out);
            }
        }
        true
    }

    /// Moves of the processes, youngest first; only of one process if it is named.
    fn system_moves(&mut self, only: Option<usize>, out: &mut Moves) {
        let n = self.context.scan.count();
        if self.program.uses_priority {
            // Who can move decides who may: all are tried, then those below the highest priority are dropped.
            (0..n).rev().for_each(|p| self.process_moves(p, out));
            let (size, c) = (self.program.location_size, &self.context);
            let priority = |m: &Move| c.read(c.scan.frames[usize::from(m.process)].at + size, Scalar::BYTE);
            let top = out.list.iter().map(priority).max();
            out.list.retain(|m| Some(priority(m)) == top && only.is_none_or(|p| p == usize::from(m.process)));
            return;
        }
        match only {
            Some(p) if p < n => self.process_moves(p, out),
            Some(_) => {}
            None if self.program.uses_provided => (0..n).rev().for_each(|p| self.process_moves(p, out)),
            None => assert!(self.all_moves::<false>(&[], out), "the state was scanned"),
        }
    }

    /// Keeps a state and finds the moves of all its processes; the scan is made only where it turns out to be needed.
    fn look_and_find(&mut self, state: &[u8], out: &mut Moves) {
        if self.program.is_hasty && self.context.scan.end == state.len() {
            self.context.keep(state);
            self.context.scanned();
            if self.all_moves::<false>(&[], out) {
                return;
            }
            out.clear();
            self.context.failures.clear();
            self.context.handshakes.clear();
        }
        self.look(state);
        self.system_moves(None, out);
    }

    /// Code that takes moves while it looks for them, once it is worth making.
    fn grown<'a>(&mut self) -> Option<&'a Grown> {
        let growth = self.context.program().growth.as_ref()?;
        if let Some(grown) = growth.grown.get() {
            return grown.as_ref();
        }
        if self.patience > 0 {
            self.patience -= 1;
            return None;
        }
        growth.grown.get_or_init(|| build::grow(growth).ok()).as_ref()
    }

    /// Makes room for all successors that a state of `len` bytes can have.
    fn make_room(&mut self, len: usize, out: &mut Batch) -> bool {
        let c = &mut *self.context;
        let room = len.next_multiple_of(CHUNK);
        let all = c.scan.count() * self.program.edges_max * room;
        if all > GROWN_MAX || out.bytes.len() > u32::MAX as usize - 2 * GROWN_MAX {
            return false;
        }
        out.bytes.reserve(all + room);
        c.room = room;
        // SAFETY: the vector has room behind its end.
        c.dest = unsafe { out.bytes.as_mut_ptr().add(out.bytes.len()) };
        true
    }

    /// Finds moves and takes most of them at once. False, and nothing is worth anything, when the processes turn out
    /// not to be what they were, or when there is not enough room.
    fn grow(&mut self, grown: &[Option<Find>], state: &[u8], moves: &mut Moves, out: &mut Batch) -> bool {
        let hasty = self.program.is_hasty && self.context.scan.end == state.len();
        if hasty {
            self.context.keep(state);
            self.context.scanned();
        } else {
            self.look(state);
        }
        if !self.make_room(state.len(), out) {
            return false;
        }
        self.context.timeout = 0;
        if !self.all_moves::<true>(grown, moves) {
            return false;
        }
        if moves.list.is_empty() && self.program.uses_timeout {
            self.context.timeout = 1;
            if !self.all_moves::<true>(grown, moves) {
                return false;
            }
        }
        true
    }

    /// Finds the edges that the claim can take beside the moves just found. False when the claim does more than go to
    /// another location with some of them, or when it goes on alone: then its moves are taken one by one.
    fn claim_follows(&mut self, out: &mut Moves) -> bool {
        let program = self.context.program();
        let Some((process, at)) = program.claim else { return true };
        if out.list.is_empty() {
            return false;
        }
        let location = &program.locations[self.context.location(at) as usize];
        assert_eq!(location.process, process, "the claim stays what it is");
        let mask = location.test.map_or(0, |code| self.call(code, at, i32::from(NO_PROCESS), 0) as u64);
        let (first, count) = (location.edges.0 as usize, location.edges.1 as usize);
        self.claims.clear();
        for i in partners::bits(&self.context, mask, count) {
            let claim = program.edge_ids[first + i];
            let edge = &program.edges[claim as usize];
            if !edge.only_goes || program.locations[edge.to as usize].stops {
                self.context.slot = self.context.slots.as_mut_ptr();
                return false;
            }
            self.claims.push(claim);
        }
        let c = &mut *self.context;
        c.drain(NO_PROCESS);
        let list = c.failures.drain(..);
        out.failures.extend(list.map(|(f, process)| Failure { kind: f.kind(), edge: f.edge, process }));
        true
    }

    /// Multiplies moves that have been taken without the claim with the edges that the claim can take; its location is
    /// at `at`.
    fn multiply(&self, at: usize, moves: &mut Moves, out: &mut Batch, first_arrival: usize, first_failure: usize) {
        let count = moves.list.len();
        let (arrivals, failures) = (out.arrivals.len(), out.failures.len());
        let size = self.program.location_size as usize;
        let Some((&last, before)) = self.claims.split_last() else {
            moves.list.clear();
            out.arrivals.truncate(first_arrival);
            out.failures.truncate(first_failure);
            return;
        };
        let to = |claim: u32| self.program.edges[claim as usize].to.to_le_bytes();
        for (round, &claim) in before.iter().enumerate() {
            // Every further edge has copies of the moves; the last one gets what is there.
            let top = ((round + 1) * count) as u32;
            moves.list.extend_from_within(..count);
            moves.list[round * count..][..count].iter_mut().for_each(|m| m.claim = claim);
            for i in 0..arrivals - first_arrival {
                let a = out.arrivals[first_arrival + i];
                let (start, len) = (a.start as usize, a.len as usize);
                let copy = u32::try_from(out.bytes.len()).expect("a batch stays below 4 GiB");
                out.bytes.extend_from_within(start..start + len);
                out.bytes[copy as usize + at..][..size].copy_from_slice(&to(claim)[..size]);
                out.arrivals.push(Arrival { start: copy, ..a });
                out.arrivals[first_arrival + i].top = top + (a.top - round as u32 * count as u32);
            }
            for i in 0..failures - first_failure {
                let (t, f) = out.failures[first_failure + i];
                out.failures.push((t, f));
                out.failures[first_failure + i].0 = top + (t - round as u32 * count as u32);
            }
        }
        moves.list[before.len() * count..].iter_mut().for_each(|m| m.claim = last);
        for a in &out.arrivals[first_arrival..arrivals] {
            out.bytes[a.start as usize + at..][..size].copy_from_slice(&to(last)[..size]);
        }
        // Those of the last edge stand first: they go behind the others.
        out.arrivals[first_arrival..].rotate_left(arrivals - first_arrival);
        out.failures[first_failure..].rotate_left(failures - first_failure);
    }

    /// Multiplies the moves of the processes with those of the claim.
    fn with_claim(&mut self, at: u32, control: Control, out: &mut Moves) {
        let program = self.context.program();
        let location = &program.locations[self.context.location(at) as usize];
        assert_eq!(Some(location.process), program.claim.map(|c| c.0), "the claim stays what it is");
        let mask = location.test.map_or(0, |code| self.call(code, at, i32::from(NO_PROCESS), 0) as u64);
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

    /// Takes a move; the successor is still a copy of the state. Everything but the report.
    fn take(&mut self, mv: &Move) -> Result<Control, RawFailure> {
        let mut claim_goes_on = false;
        let program = self.context.program();
        if mv.claim != NO_EDGE {
            let (process, at) = program.claim.expect("a claim moves");
            let edge = &program.edges[mv.claim as usize];
            assert_eq!(edge.process, process, "the claim takes one of its edges");
            self.effect(edge.apply.expect("an edge of the claim"), at, NO_PROCESS, edge.to)?;
            claim_goes_on = edge.atomic || mv.stutter;
            if program.locations[edge.to as usize].stops {
                self.context.note(RawFailure::new(Fault::ClaimEnd));
            }
        }
        if mv.process == NO_PROCESS {
            return Ok(if claim_goes_on { Control::Claim } else { Control::Free });
        }
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
    fn effect(&mut self, code: Code, at: u32, pid: u8, to: u32) -> Result<(), RawFailure> {
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
            self.context.set_location(trace.at, trace.entry);
        }
        if let Some((process, at)) = program.claim {
            let p = &program.processes[process as usize];
            self.context.set_location(at, p.entry);
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
        result.map_err(|f| Failure { kind: f.kind(), edge: NO_EDGE, process: NO_PROCESS })
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
        if let Some((_, at)) = self.program.claim {
            // A claim that goes on alone, because nobody else can, sees no timeout.
            self.context.timeout = u32::from(self.context.timeout != 0 && !out.list.is_empty());
            self.with_claim(at, control, out);
        }
    }

    fn apply(&mut self, state: &[u8], mv: &Move, out: &mut Vec<u8>) -> Step {
        if !self.context.knows(state) {
            assert!(state.len() >= self.program.fixed_size as usize, "a state has its fixed part");
            self.look(state);
        }
        let c = &mut *self.context;
        c.copy_to(out);
        c.out = out;
        c.timeout = u32::from(mv.timeout);
        c.soft.code = 0;
        let result = self.take(mv);
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

    fn expand(&mut self, state: &[u8], moves: &mut Moves, out: &mut Batch) {
        assert!(state.len() >= self.program.fixed_size as usize, "a state has its fixed part");
        moves.clear();
        let mut spare = std::mem::take(&mut out.spare);
        let (first_arrival, first_failure) = (out.arrivals.len(), out.failures.len());
        if let Some(grown) = self.grown()
            && self.grow(&grown.find, state, moves, out)
            && self.claim_follows(moves)
        {
            let first = out.bytes.len();
            let (room, timeout) = (self.context.room, self.context.timeout != 0);
            // SAFETY: generated code has written the successors one behind the other up to where the next would go;
            // there was room for them.
            unsafe { out.bytes.set_len(self.context.dest.offset_from(out.bytes.as_ptr()) as usize) };
            let mut next = first;
            for (top, mv) in moves.list.iter_mut().enumerate() {
                let later = std::mem::replace(&mut mv.stutter, false);
                let atomic = std::mem::replace(&mut mv.timeout, timeout);
                if later {
                    let step = self.apply(state, mv, &mut spare);
                    out.push(top as u32, &step, &spare);
                    continue;
                }
                let control = if atomic { Control::Exclusive(mv.process) } else { Control::Free };
                out.arrivals.push(Arrival { top: top as u32, start: next as u32, len: state.len() as u32, control });
                next += room;
            }
            if let Some((_, at)) = self.program.claim {
                self.multiply(at as usize, moves, out, first_arrival, first_failure);
            }
        } else {
            self.moves(state, Control::Free, moves);
            for (top, mv) in moves.list.iter().enumerate() {
                let step = self.apply(state, mv, &mut spare);
                out.push(top as u32, &step, &spare);
            }
        }
        out.spare = spare;
    }

    fn process_count(&mut self, state: &[u8]) -> usize {
        self.look(state);
        self.context.scan.frames.len()
    }

    fn marks(&mut self, state: &[u8]) -> Marks {
        assert!(state.len() >= self.program.fixed_size as usize, "a state has its fixed part");
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
        if let Some((_, at)) = program.claim {
            some |= bits(at) & marked::ACCEPT;
        }
        let known = &c.scan.channels[1..=c.scan.channel_count.min(255) as usize];
        let messages = known.iter().any(|e| {
            let shape = program.shape(*e);
            let at = e.offset as usize;
            // No message, no length: the number of messages takes one byte or four.
            shape.capacity > 0 && state[at..at + shape.first() as usize].iter().any(|b| *b != 0)
        });
        Marks {
            valid_end: all & marked::END != 0,
            accepting: some & marked::ACCEPT != 0,
            progress: some & marked::PROGRESS != 0,
            messages,
        }
    }
}
