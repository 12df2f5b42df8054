//! Finding the executable edges of a location, as machine code.
//!
//! Where no handshake is possible the moves are written where they are wanted: each edge writes its move, and whether it
//! is executable decides whether the next one is written behind it or over it. Nothing branches, so that nothing can be
//! mispredicted.
//!
//! Otherwise, and for the monitor, the answer is a set of bits, one per edge in the order of preference; locations with
//! more than 64 edges leave the further words in the context. A failure while an edge is tested is kept with the number
//! of the edge, and the edge is not executable.

use crate::channel::Can;
use crate::context::{Fault, at};
use crate::emit::Emitter;
use crate::partners;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use cranelift_frontend::Variable;
use ferrospin_model::ir::{Action, EdgeId, Expr, LocationId, Pattern};
use ferrospin_model::passes::walk::asks_enabled;
use ferrospin_system::{Move, NO_PROCESS};
use std::mem::offset_of;

// Moves are written in three pieces; this is what they rely on.
const _: () = assert!(
    size_of::<Move>() == 16
        && offset_of!(Move, process) == 0
        && offset_of!(Move, partner) == 1
        && offset_of!(Move, timeout) == 2
        && offset_of!(Move, stutter) == 3
        && offset_of!(Move, property) == offset_of!(Move, partner_edge) + 4
);

/// What becomes of an executable edge.
enum Then<'t> {
    /// It is one of a set.
    Collect,
    /// Its move is written, beginning with this.
    Write(Value),
    /// It is taken, and its move is written.
    Take { head: Value, dest: Variable, taken: &'t [Taken] },
}

/// How an edge is taken while moves are looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Taken {
    /// At once.
    Now,
    /// At once, by code that calls helper functions.
    WithCalls,
    /// By the machine, behind all others.
    Later,
}

/// Bits of the first part of a move that the machine reads and clears: the process keeps control; the move is still to
/// be taken.
const ATOMIC: i64 = 1 << (8 * offset_of!(Move, timeout));
const LATER: i64 = 1 << (8 * offset_of!(Move, stutter));

/// Sets of edges in the making.
struct Found {
    /// Bits, 64 a word; none where moves are written.
    words: Vec<Variable>,
    /// Where the first move goes, and where the next one does.
    moves: Option<(Value, Variable)>,
    /// The escape of the last executable edge, where there are escapes.
    escape: Option<Variable>,
    done: Block,
}

impl Emitter<'_, '_> {
    /// Whether an action other than `else` and the end of a process can be executed.
    pub(crate) fn can(&mut self, action: &Action) -> Can {
        match action {
            Action::Guard(Expr::Const(c)) if *c != 0 => Can::Always,
            Action::Guard(e) => Can::When(self.truth(e)),
            Action::Send { channel, fields, .. } => self.can_send(channel, fields.len()),
            Action::Receive(r) => Can::When(self.can_receive(r)),
            Action::DStep(entry) => Can::When(self.d_step_starts(*entry)),
            _ => Can::Always,
        }
    }

    /// Whether the first statement of a `d_step` can be executed.
    fn d_step_starts(&mut self, entry: LocationId) -> Value {
        let out = self.block();
        let result = self.b.append_block_param(out, types::I8);
        for &id in self.plan.edges(entry) {
            match self.inner_can(&self.plan.model.edge(id).action) {
                None => {
                    let yes = self.bit(true);
                    self.jump_with(out, yes);
                    self.go(out);
                    return result;
                }
                Some(v) => {
                    let (yes, next) = (self.bit(true), self.block());
                    let yes = [cranelift_codegen::ir::BlockArg::Value(yes)];
                    self.b.ins().brif(v, out, &yes, next, []);
                    self.go(next);
                }
            }
        }
        let no = self.bit(false);
        self.jump_with(out, no);
        self.go(out);
        result
    }

    fn found(&mut self, edges: &[EdgeId], escapes: bool) -> Found {
        let zero = self.long(0);
        let words = (0..edges.len().div_ceil(64).max(1))
            .map(|_| {
                let v = self.b.declare_var(types::I64);
                self.b.def_var(v, zero);
                v
            })
            .collect();
        let escape = escapes.then(|| {
            let v = self.b.declare_var(types::I32);
            let none = self.int(0);
            self.b.def_var(v, none);
            v
        });
        Found { words, moves: None, escape, done: self.block() }
    }

    /// Leaves the loop over edges where the escape changes and another one was executable.
    fn next_tier(&mut self, found: &Found, edges: &[EdgeId], i: usize) {
        let escape_of = |i: usize| self.plan.model.edge(edges[i]).escape;
        let Some(escape) = found.escape else { return };
        if i == 0 || escape_of(i) == escape_of(i - 1) {
            return;
        }
        let here = i64::from(escape_of(i));
        let last = self.b.use_var(escape);
        let other = self.compare_int(IntCC::NotEqual, last, here);
        let some = self.compare_int(IntCC::NotEqual, last, 0);
        let leave = self.b.ins().band(other, some);
        let next = self.block();
        self.branch(leave, found.done, next);
        self.go(next);
    }

    /// Adds edge `i` if `bit` is set.
    fn add(&mut self, found: &Found, i: usize, bit: Value, escape: u16) {
        if let Some((_, next)) = found.moves {
            let out = self.b.use_var(next);
            let wide = self.b.ins().uextend(self.target.pointer, bit);
            let by = self.b.ins().ishl_imm_u(wide, i64::from(size_of::<Move>().trailing_zeros()));
            let out = self.b.ins().iadd(out, by);
            self.b.def_var(next, out);
        } else {
            let word = found.words[i / 64];
            let old = self.b.use_var(word);
            let wide = self.b.ins().uextend(types::I64, bit);
            let new = if i.is_multiple_of(64) {
                wide
            } else {
                let by = self.long(i as i64 % 64);
                self.b.ins().ishl(wide, by)
            };
            let new = self.b.ins().bor(old, new);
            self.b.def_var(word, new);
        }
        if let Some(var) = found.escape {
            let old = self.b.use_var(var);
            let own = self.int(i64::from(escape));
            let new = self.b.ins().select(bit, own, old);
            self.b.def_var(var, new);
        }
    }

    /// Whether nothing was found so far.
    fn nothing(&mut self, found: &Found) -> Value {
        if let Some((start, next)) = found.moves {
            let out = self.b.use_var(next);
            return self.b.ins().icmp(IntCC::Equal, out, start);
        }
        let mut all = self.b.use_var(found.words[0]);
        for w in &found.words[1..] {
            let w = self.b.use_var(*w);
            all = self.b.ins().bor(all, w);
        }
        let zero = self.long(0);
        self.b.ins().icmp(IntCC::Equal, all, zero)
    }

    /// Writes the move of an edge where the next one goes; it counts once it is added.
    fn write_move(&mut self, found: &Found, head: Value, id: EdgeId) {
        let Some((_, next)) = found.moves else { return };
        let out = self.b.use_var(next);
        self.poke_little(head, out, 0);
        let edge = self.int(i64::from(id.0));
        self.poke(edge, out, offset_of!(Move, edge) as i32);
        let none = self.long(-1);
        self.poke_little(none, out, offset_of!(Move, partner_edge) as i32);
    }

    /// Writes the moves of a process at a location, without partners, to `extra`; answers where the next would go.
    pub(crate) fn finding(mut self, at: LocationId) -> Self {
        let edges = self.plan.edges(at);
        let escapes = edges.iter().any(|e| self.plan.model.edge(*e).escape != 0);
        let next = self.b.declare_var(self.target.pointer);
        let start = self.extra;
        self.b.def_var(next, start);
        let mut found = self.found(&[], escapes);
        found.moves = Some((start, next));
        let head = self.b.ins().bor_imm_u(self.pid, i64::from(NO_PROCESS) << 8);
        self.tests(at, edges, &found, &Then::Write(head), false);
        let out = self.b.use_var(next);
        self.b.ins().return_(&[out]);
        self
    }

    /// As [`Emitter::finding`], and takes the moves at once where that is possible: each successor goes to where the
    /// context says.
    pub(crate) fn growing(mut self, at: LocationId, taken: &[Taken]) -> Self {
        let edges = self.plan.edges(at);
        let escapes = edges.iter().any(|e| self.plan.model.edge(*e).escape != 0);
        let next = self.b.declare_var(self.target.pointer);
        let start = self.extra;
        self.b.def_var(next, start);
        let dest = self.b.declare_var(self.target.pointer);
        let first = self.load_pointer(at::DEST);
        self.b.def_var(dest, first);
        let mut found = self.found(&[], escapes);
        found.moves = Some((start, next));
        let head = self.b.ins().bor_imm_u(self.pid, i64::from(NO_PROCESS) << 8);
        self.tests(at, edges, &found, &Then::Take { head, dest, taken }, false);
        let last = self.b.use_var(dest);
        self.save_context(last, at::DEST);
        let out = self.b.use_var(next);
        self.b.ins().return_(&[out]);
        self
    }

    /// Takes an edge if `bit` is set, and writes its move.
    fn grow(&mut self, found: &Found, id: EdgeId, i: usize, bit: Value, (head, dest): (Value, Variable), how: Taken) {
        let edge = self.plan.model.edge(id);
        if how == Taken::Later {
            let ends = matches!(edge.action, Action::End);
            let head = self.b.ins().bor_imm_u(head, if ends { LATER | ATOMIC } else { LATER });
            self.write_move(found, head, id);
            let wide = self.widen(bit);
            self.note_slow_path(wide);
            if ends {
                // There is a place for its successor.
                let to = self.b.use_var(dest);
                let room = self.load_pointer(at::ROOM);
                let behind = self.b.ins().iadd(to, room);
                let to = self.b.ins().select(bit, behind, to);
                self.b.def_var(dest, to);
            }
            return self.add(found, i, bit, edge.escape);
        }
        let (yes, bad, next) = (self.block(), self.cold_block(), self.block());
        self.branch(bit, yes, next);
        self.go(yes);
        let (base, frame) = (self.base(), self.frame());
        let to = self.b.use_var(dest);
        self.copy_state(to);
        let distance = self.b.ins().isub(frame, base);
        let new_frame = self.b.ins().iadd(to, distance);
        self.turn_to(to, new_frame);
        let zero = self.int(0);
        self.save_context(zero, at::SOFT + at::CODE);
        if how == Taken::WithCalls {
            self.save_context(to, at::BASE);
        }
        self.on_fail = bad;
        (self.raised, self.notes) = (false, false);
        self.do_edge(edge, false);
        self.turn_to(base, frame);
        if how == Taken::WithCalls {
            self.save_context(base, at::BASE);
        }
        let mut quiet = head;
        if edge.atomic {
            quiet = self.b.ins().bor_imm_u(head, ATOMIC);
            let one = self.int(1);
            self.note_slow_path(one);
        }
        let room = self.load_pointer(at::ROOM);
        let behind = self.b.ins().iadd(to, room);
        let (fine, written) = (self.block(), self.block());
        // What was noted is found again, and told, when the move is taken once more.
        if self.notes || how == Taken::WithCalls {
            let noted = self.load_context(at::SOFT + at::CODE);
            self.branch(noted, bad, fine);
        } else {
            self.jump(fine);
        }
        self.go(fine);
        self.write_move(found, quiet, id);
        self.b.def_var(dest, behind);
        self.jump(written);
        self.go(bad);
        if how == Taken::WithCalls {
            self.save_context(base, at::BASE);
        }
        self.turn_to(base, frame);
        let later = self.b.ins().bor_imm_u(head, LATER);
        let one = self.int(1);
        self.note_slow_path(one);
        self.write_move(found, later, id);
        self.jump(written);
        self.go(written);
        let one = self.bit(true);
        self.add(found, i, one, edge.escape);
        self.jump(next);
        self.go(next);
    }

    /// Notes that a move is out of the ordinary, if it is.
    fn note_slow_path(&mut self, slow: Value) {
        let old = self.load_context(at::SLOW_PATH);
        let new = self.b.ins().bor(old, slow);
        self.save_context(new, at::SLOW_PATH);
    }

    /// Answers with what was found.
    fn answer(&mut self, found: &Found) {
        let first = self.b.use_var(found.words[0]);
        if found.words.len() > 1 {
            let masks = self.load_pointer(at::MASKS);
            for (i, w) in found.words.iter().enumerate() {
                let w = self.b.use_var(*w);
                self.poke(w, masks, 8 * i as i32);
            }
        }
        self.b.ins().return_(&[first]);
    }

    /// Which edges of a location are executable, for a process or for the monitor.
    pub(crate) fn location(mut self, at: LocationId, is_monitor: bool) -> Self {
        let plan = self.plan;
        let edges = plan.edges(at);
        let escapes = !is_monitor && edges.iter().any(|e| plan.model.edge(*e).escape != 0);
        let found = self.found(edges, escapes);
        self.tests(at, edges, &found, &Then::Collect, is_monitor);
        self.answer(&found);
        self
    }

    /// Tests the edges of a location one after the other.
    fn tests(&mut self, at: LocationId, edges: &[EdgeId], found: &Found, then: &Then<'_>, is_monitor: bool) {
        let plan = self.plan;
        let deterministic = !is_monitor && plan.model.process(plan.model.location(at).process).deterministic;
        for (i, &id) in edges.iter().enumerate() {
            self.next_tier(found, edges, i);
            let edge = plan.model.edge(id);
            self.on_fail = self.cold_block();
            self.raised = false;
            let mut bit = match &edge.action {
                Action::Else => self.nothing(found),
                Action::End if is_monitor => self.bit(false),
                Action::End => {
                    let (count, one) = (self.load_context(at::PROCESS_COUNT), self.int(1));
                    let next = self.b.ins().iadd(self.pid, one);
                    self.compare(IntCC::Equal, next, count)
                }
                action => {
                    let can = self.can(action);
                    self.commit(can, id, action, is_monitor)
                }
            };
            if self.raised {
                let tested = self.block();
                self.jump_with(tested, bit);
                bit = self.b.append_block_param(tested, types::I8);
                let failed = self.on_fail;
                self.go(failed);
                self.keep_failure(id.0);
                let no = self.bit(false);
                self.jump_with(tested, no);
                self.go(tested);
            }
            if deterministic {
                self.note_choice(found, bit, id);
            }
            match *then {
                Then::Collect => self.add(found, i, bit, edge.escape),
                Then::Write(head) => {
                    self.write_move(found, head, id);
                    self.add(found, i, bit, edge.escape);
                }
                Then::Take { head, dest, taken } => {
                    self.grow(found, id, i, bit, (head, dest), taken[id.index()]);
                }
            }
        }
        self.jump(found.done);
        self.go(found.done);
    }

    /// Whether an action is executable, partners looked for.
    fn commit(&mut self, can: Can, id: EdgeId, action: &Action, is_monitor: bool) -> Value {
        match can {
            Can::Always => self.bit(true),
            Can::When(v) => v,
            Can::Partner if is_monitor => self.bit(false),
            Can::Partner => self.handshakes(id, action),
            Can::Code(v) if is_monitor => self.compare_int(IntCC::Equal, v, 1),
            Can::Code(v) => {
                let handshake = self.compare_int(IntCC::Equal, v, 2);
                let (yes, no, join) = (self.block(), self.block(), self.block());
                let result = self.b.append_block_param(join, types::I8);
                self.branch(handshake, yes, no);
                self.go(yes);
                let some = self.handshakes(id, action);
                self.jump_with(join, some);
                self.go(no);
                let alone = self.compare_int(IntCC::NotEqual, v, 0);
                self.jump_with(join, alone);
                self.go(join);
                result
            }
        }
    }

    fn handshakes(&mut self, id: EdgeId, action: &Action) -> Value {
        let Action::Send { channel, fields, .. } = action else { unreachable!("only sends offer") };
        self.offer(channel, fields, false);
        let (pid, edge) = (self.pid, self.int(i64::from(id.0)));
        let some = self.call(partners::handshakes as *const () as usize, &[pid, edge]);
        let zero = self.long(0);
        self.b.ins().icmp(IntCC::NotEqual, some, zero)
    }

    /// In a `D_proctype` a second executable edge is a failure.
    fn note_choice(&mut self, found: &Found, bit: Value, id: EdgeId) {
        let first = self.nothing(found);
        let one = self.bit(true);
        let later = self.b.ins().bxor(first, one);
        let choice = self.b.ins().band(bit, later);
        let (bad, next) = (self.cold_block(), self.block());
        self.branch(choice, bad, next);
        self.go(bad);
        let outer = std::mem::replace(&mut self.on_fail, self.b.create_block());
        self.raise(Fault::Nondeterminism, None, 0);
        let raised = std::mem::replace(&mut self.on_fail, outer);
        self.go(raised);
        self.keep_failure(id.0);
        self.jump(next);
        self.go(next);
    }

    /// Which receives of a location take the message on offer at channel `extra`. A failure ends the search.
    pub(crate) fn accepting(mut self, at: LocationId) -> Self {
        let plan = self.plan;
        let edges = plan.edges(at);
        let escapes = edges.iter().any(|e| plan.model.edge(*e).escape != 0);
        let found = self.found(edges, escapes);
        for (i, &id) in edges.iter().enumerate() {
            self.next_tier(&found, edges, i);
            let edge = plan.model.edge(id);
            match &edge.action {
                Action::DStep(entry) => self.refuse_d_step(*entry),
                Action::Receive(r) => {
                    let bit = self.accepts(r);
                    self.add(&found, i, bit, edge.escape);
                }
                _ => {}
            }
        }
        self.jump(found.done);
        // What was found before a failure still counts; the failure stands in the slot.
        let failed = self.on_fail;
        self.go(failed);
        self.jump(found.done);
        self.go(found.done);
        self.answer(&found);
        self
    }

    /// A handshake may not begin a `d_step`.
    fn refuse_d_step(&mut self, entry: LocationId) {
        for &id in self.plan.edges(entry) {
            let Action::Receive(r) = &self.plan.model.edge(id).action else { continue };
            let next = self.block();
            let outer = std::mem::replace(&mut self.on_fail, next);
            let number = self.expr(&r.channel);
            self.on_fail = outer;
            let extra = self.extra;
            let same = self.compare(IntCC::Equal, number, extra);
            let bad = self.cold_block();
            self.branch(same, bad, next);
            self.go(bad);
            self.raise(Fault::RendezvousInDStep, None, 0);
            self.go(next);
            self.forget_failure();
        }
    }

    /// Clears the slot, so that what was raised and then ignored is not taken for a failure.
    fn forget_failure(&mut self) {
        let (slot, zero) = (self.load_pointer(at::SLOT), self.int(0));
        self.poke(zero, slot, at::CODE);
    }

    /// Whether a process at a location has an executable edge: 1, 0, or -1 for a failure.
    pub(crate) fn somehow(mut self, at: LocationId) -> Self {
        let yes = self.block();
        for &id in self.plan.edges(at) {
            let next = self.block();
            let can = match &self.plan.model.edge(id).action {
                Action::Else => self.bit(true),
                Action::End => {
                    let (count, one) = (self.load_context(at::PROCESS_COUNT), self.int(1));
                    let after = self.b.ins().iadd(self.pid, one);
                    self.compare(IntCC::Equal, after, count)
                }
                // A process that asks about itself, or about one that asks back, would ask for ever.
                action if asks_enabled(self.plan.model, action) => self.bit(false),
                action => match self.can(action) {
                    Can::Always => self.bit(true),
                    Can::When(v) => v,
                    Can::Partner => self.bit(false),
                    Can::Code(v) => self.compare_int(IntCC::Equal, v, 1),
                },
            };
            self.branch(can, yes, next);
            self.go(next);
        }
        self.give(0);
        self.go(yes);
        self.give(1);
        let failed = self.on_fail;
        self.go(failed);
        self.give(-1);
        self
    }

    /// A condition as a function: 1, 0, or -1 for a failure.
    pub(crate) fn condition(mut self, e: &Expr) -> Self {
        let bit = self.truth(e);
        let v = self.b.ins().uextend(types::I64, bit);
        self.b.ins().return_(&[v]);
        let failed = self.on_fail;
        self.go(failed);
        self.give(-1);
        self
    }

    /// Which edges of a `trace` fit the event: channel `extra`, kind and message in the context.
    pub(crate) fn fitting(mut self, edges: &[EdgeId], names_only: bool) -> Self {
        let found = self.found(edges, false);
        for (i, &id) in edges.iter().enumerate() {
            let (channel, send) = match &self.plan.model.edge(id).action {
                Action::Send { channel, .. } => (channel, true),
                Action::Receive(r) => (&r.channel, false),
                _ => continue,
            };
            let out = self.block();
            let bit = self.b.append_block_param(out, types::I8);
            self.on_fail = self.cold_block();
            let kind = self.load_context(at::EVENT_SEND);
            let same = self.compare_int(IntCC::Equal, kind, i64::from(send));
            self.require(same, out);
            let (number, extra) = (self.expr(channel), self.extra);
            let same = self.compare(IntCC::Equal, number, extra);
            self.require(same, out);
            match &self.plan.model.edge(id).action {
                Action::Send { fields, .. } if !names_only => {
                    let looked_at = fields.iter().enumerate().filter(|(_, e)| !matches!(e, Expr::Foreign));
                    self.require_fields(looked_at, None, out);
                }
                Action::Receive(r) if !names_only => {
                    let matched = r.fields.iter().enumerate().filter_map(|(i, f)| match f {
                        Pattern::Match(e) => Some((i, e)),
                        _ => None,
                    });
                    self.require_fields(matched, None, out);
                }
                _ => {
                    let yes = self.bit(true);
                    self.jump_with(out, yes);
                }
            }
            // What cannot be evaluated does not fit.
            let failed = self.on_fail;
            self.go(failed);
            let no = self.bit(false);
            self.jump_with(out, no);
            self.go(out);
            self.add(&found, i, bit, 0);
        }
        self.jump(found.done);
        self.go(found.done);
        self.answer(&found);
        self
    }
}
