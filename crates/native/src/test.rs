//! Finding the executable edges of a location, as machine code.
//!
//! The answer is a set of bits, one per edge in the order of preference; locations with more than 64 edges leave the
//! further words in the context. A failure while an edge is tested is kept with the number of the edge, and the edge is
//! not executable.

use crate::channel::Can;
use crate::context::{Fault, at};
use crate::emit::Emitter;
use crate::partners;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use cranelift_frontend::Variable;
use ferrospin_model::ir::{Action, EdgeId, Expr, LocationId, Pattern};

/// Sets of edges in the making.
struct Found {
    words: Vec<Variable>,
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
        Found { words, escape, done: self.block() }
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
        if let Some(var) = found.escape {
            let old = self.b.use_var(var);
            let own = self.int(i64::from(escape));
            let new = self.b.ins().select(bit, own, old);
            self.b.def_var(var, new);
        }
    }

    /// Whether nothing was found so far.
    fn nothing(&mut self, found: &Found) -> Value {
        let mut all = self.b.use_var(found.words[0]);
        for w in &found.words[1..] {
            let w = self.b.use_var(*w);
            all = self.b.ins().bor(all, w);
        }
        let zero = self.long(0);
        self.b.ins().icmp(IntCC::Equal, all, zero)
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

    /// Which edges of a location are executable, for a process or for the claim.
    pub(crate) fn location(mut self, at: LocationId, is_claim: bool) -> Self {
        let plan = self.plan;
        let edges = plan.edges(at);
        let escapes = !is_claim && edges.iter().any(|e| plan.model.edge(*e).escape != 0);
        let deterministic = !is_claim && plan.model.process(plan.model.location(at).process).deterministic;
        let found = self.found(edges, escapes);
        for (i, &id) in edges.iter().enumerate() {
            self.next_tier(&found, edges, i);
            let edge = plan.model.edge(id);
            self.on_fail = self.cold_block();
            self.raised = false;
            let mut bit = match &edge.action {
                Action::Else => self.nothing(&found),
                Action::End if is_claim => self.bit(false),
                Action::End => {
                    let (count, one) = (self.load_context(at::PROCESS_COUNT), self.int(1));
                    let next = self.b.ins().iadd(self.pid, one);
                    self.compare(IntCC::Equal, next, count)
                }
                action => {
                    let can = self.can(action);
                    self.settle(can, id, action, is_claim)
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
                self.note_choice(&found, bit, id);
            }
            self.add(&found, i, bit, edge.escape);
        }
        self.jump(found.done);
        self.go(found.done);
        self.answer(&found);
        self
    }

    /// Whether an action is executable, partners looked for.
    fn settle(&mut self, can: Can, id: EdgeId, action: &Action, is_claim: bool) -> Value {
        match can {
            Can::Always => self.bit(true),
            Can::When(v) => v,
            Can::Partner if is_claim => self.bit(false),
            Can::Partner => self.handshakes(id, action),
            Can::Code(v) if is_claim => self.compare_int(IntCC::Equal, v, 1),
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
                // A process that asks about itself would ask for ever.
                Action::Guard(e) if mentions_enabled(e) => self.bit(false),
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
                    self.require_fields(fields.iter().enumerate(), None, out);
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

/// Whether the answer to `enabled(p)` would depend on itself.
fn mentions_enabled(e: &Expr) -> bool {
    match e {
        Expr::Enabled(_) => true,
        Expr::Unary(_, a) => mentions_enabled(a),
        Expr::Binary(_, a, b) => mentions_enabled(a) || mentions_enabled(b),
        Expr::Cond(parts) => parts.iter().any(mentions_enabled),
        _ => false,
    }
}
