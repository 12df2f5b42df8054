//! Channel operations as machine code.
//!
//! An operation on a channel whose shape is known, for certain or by a hint that is checked, is generated in place.
//! Sorted sends, random receives, models with a `trace`, and channels that turn out to have another shape go through
//! helper functions; messages and patterns are handed to these on the stack.

use crate::context::{Fault, PATTERN_ANY, PATTERN_FAILED, PATTERN_MATCH, RawPattern, at};
use crate::emit::Emitter;
use crate::expr::{scalar_range, simple};
use crate::program::ChannelLayout;
use crate::runtime;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};
use ferrospin_model::ir::{ChannelTest, Expr, Pattern, Receive, Scalar};
use std::mem::offset_of;

/// Longest contents that are moved without a call when the oldest message leaves.
const SHIFT_MAX: u32 = 64;

/// A channel whose shape is known.
#[derive(Clone, Copy)]
pub(crate) struct Known<'a> {
    pub(crate) shape: &'a ChannelLayout,
    pointer: Value,
    offset: u32,
}

/// What a channel expression means.
pub(crate) enum Operand {
    Fixed(u32),
    Number { number: Value, hint: Option<u32> },
}

/// Whether an action can be executed.
#[derive(Clone, Copy)]
pub(crate) enum Can {
    Always,
    When(Value),
    /// If a partner takes the message.
    Partner,
    /// 0 no, 1 yes, 2 if a partner takes the message.
    Code(Value),
}

impl<'a> Emitter<'a, '_> {
    pub(crate) fn operand(&mut self, e: &Expr, fields: Option<usize>) -> Operand {
        match self.plan.fixed_channel(e) {
            Some(n) => Operand::Fixed(n),
            None => {
                let hint = self.plan.hint(self.owner, e, fields);
                Operand::Number { number: self.expr(e), hint }
            }
        }
    }

    pub(crate) fn shape(&self, id: u32) -> &'a ChannelLayout {
        &self.plan.shapes[id as usize - 1]
    }

    /// Generates an operation twice: for the shape the channel should have, and for any. The first may decline, by
    /// its shape. Both leave a value of 32 bits.
    pub(crate) fn on_channel(
        &mut self,
        operand: Operand,
        suits: impl Fn(&ChannelLayout) -> bool,
        fast: impl FnOnce(&mut Self, Known<'a>) -> Value,
        slow: impl FnOnce(&mut Self, Value) -> Value,
    ) -> Value {
        match operand {
            Operand::Fixed(n) => {
                let entry = self.plan.globals[n as usize - 1];
                let shape = self.shape(entry.shape);
                if suits(shape) {
                    let pointer = self.base();
                    return fast(self, Known { shape, pointer, offset: entry.offset });
                }
                let number = self.int(i64::from(n));
                slow(self, number)
            }
            Operand::Number { number, hint } => {
                let Some(hint) = hint.filter(|h| suits(self.shape(*h))) else { return slow(self, number) };
                let (yes, no, join) = (self.block(), self.cold_block(), self.block());
                let result = self.b.append_block_param(join, types::I32);
                let small = self.compare_int(IntCC::UnsignedLessThan, number, 256);
                let mask = self.int(255);
                let index = self.b.ins().band(number, mask);
                let table = self.load_pointer(at::CHANNELS);
                let entry = self.offset(table, index, 8);
                let shape = self.peek(entry, 4);
                let same = self.compare_int(IntCC::Equal, shape, i64::from(hint));
                let known = self.b.ins().band(small, same);
                self.branch(known, yes, no);
                self.go(yes);
                let offset = self.peek(entry, 0);
                let base = self.base();
                let pointer = self.offset(base, offset, 1);
                let v = fast(self, Known { shape: self.shape(hint), pointer, offset: 0 });
                self.jump_with(join, v);
                self.go(no);
                let v = slow(self, number);
                self.jump_with(join, v);
                self.go(join);
                result
            }
        }
    }

    fn length(&mut self, c: Known<'_>) -> Value {
        if c.shape.capacity == 0 { self.int(0) } else { self.load(c.shape.length, c.pointer, c.offset) }
    }

    fn is_full(&mut self, c: Known<'_>) -> Value {
        if c.shape.capacity == 0 {
            return self.bit(false);
        }
        let len = self.length(c);
        self.compare_int(IntCC::UnsignedGreaterThanOrEqual, len, i64::from(c.shape.capacity))
    }

    /// `len(q)` and its like.
    pub(crate) fn channel_test(&mut self, test: ChannelTest, c: &Expr) -> Value {
        let operand = self.operand(c, None);
        self.on_channel(
            operand,
            |_| true,
            |m, c| {
                let bit = match test {
                    ChannelTest::Len => return m.length(c),
                    ChannelTest::Full => m.is_full(c),
                    ChannelTest::NotFull => {
                        let full = m.is_full(c);
                        let one = m.bit(true);
                        m.b.ins().bxor(full, one)
                    }
                    ChannelTest::Empty | ChannelTest::NotEmpty => {
                        let len = m.length(c);
                        let cc = if test == ChannelTest::Empty { IntCC::Equal } else { IntCC::NotEqual };
                        m.compare_int(cc, len, 0)
                    }
                };
                m.widen(bit)
            },
            |m, number| {
                let test = m.int(test as i64);
                m.call_or_fail(runtime::channel_test as *const () as usize, &[number, test])
            },
        )
    }

    /// Whether a send can be executed.
    pub(crate) fn can_send(&mut self, channel: &Expr, fields: usize) -> Can {
        let operand = self.operand(channel, Some(fields));
        if let Operand::Fixed(n) = operand
            && self.shape(self.plan.globals[n as usize - 1].shape).capacity == 0
        {
            return Can::Partner;
        }
        let v = self.on_channel(
            operand,
            |_| true,
            |m, c| {
                if c.shape.capacity == 0 {
                    return m.int(2);
                }
                let len = m.length(c);
                let room = m.compare_int(IntCC::UnsignedLessThan, len, i64::from(c.shape.capacity));
                m.widen(room)
            },
            |m, number| m.call_or_fail(runtime::can_send as *const () as usize, &[number]),
        );
        if self.plan.has_rendezvous && self.plan.fixed_channel(channel).is_none() {
            Can::Code(v)
        } else {
            Can::When(self.compare_int(IntCC::NotEqual, v, 0))
        }
    }

    /// Whether a receive can be executed.
    pub(crate) fn can_receive(&mut self, r: &Receive) -> Value {
        self.arrived(r, false)
    }

    /// `q?[...]`
    pub(crate) fn poll(&mut self, r: &Receive) -> Value {
        self.arrived(r, true)
    }

    fn arrived(&mut self, r: &Receive, poll: bool) -> Value {
        let operand = self.operand(&r.channel, Some(r.fields.len()));
        let v = self.on_channel(
            operand,
            |shape| shape.capacity == 0 && !poll || shape.capacity > 0 && !r.random,
            |m, c| {
                let bit = if c.shape.capacity == 0 { m.bit(false) } else { m.oldest_matches(r, c) };
                m.widen(bit)
            },
            |m, number| {
                let flags = m.int(i64::from(r.random) | i64::from(poll) << 1);
                let (patterns, count) = m.patterns(r);
                m.call_or_fail(runtime::arrived as *const () as usize, &[number, flags, patterns, count])
            },
        );
        self.compare_int(IntCC::NotEqual, v, 0)
    }

    /// Whether the oldest message of a channel is one a receive takes.
    fn oldest_matches(&mut self, r: &Receive, c: Known<'_>) -> Value {
        let len = self.length(c);
        let mut all = self.compare_int(IntCC::NotEqual, len, 0);
        let start = c.offset + c.shape.first();
        for ((f, scalar), at) in r.fields.iter().zip(&c.shape.fields).zip(&c.shape.offsets) {
            let Pattern::Match(e) = f else { continue };
            if simple(e) {
                // Free slots can be read like any other.
                let (value, field) = (self.expr(e), self.load(*scalar, c.pointer, start + at));
                let same = self.compare(IntCC::Equal, value, field);
                all = self.b.ins().band(all, same);
            } else {
                all = self.and_or(true, all, |m| {
                    let (value, field) = (m.expr(e), m.load(*scalar, c.pointer, start + at));
                    m.compare(IntCC::Equal, value, field)
                });
            }
        }
        all
    }

    /// The patterns of a receive on the stack, and their number. A value that cannot be found fails only if the
    /// helper looks at it.
    fn patterns(&mut self, r: &Receive) -> (Value, Value) {
        const SIZE: i32 = size_of::<RawPattern>() as i32;
        const KIND: i32 = offset_of!(RawPattern, kind) as i32;
        const VALUE: i32 = offset_of!(RawPattern, value) as i32;
        const FAILURE: i32 = offset_of!(RawPattern, failure) as i32;
        let list = self.scratch(r.fields.len() as u32 * SIZE as u32);
        for (i, f) in r.fields.iter().enumerate() {
            let start = i as i32 * SIZE;
            let Pattern::Match(e) = f else {
                let any = self.int(PATTERN_ANY);
                self.poke(any, list, start + KIND);
                continue;
            };
            let (failed, next) = (self.cold_block(), self.block());
            let outer = std::mem::replace(&mut self.on_fail, failed);
            let value = self.expr(e);
            self.on_fail = outer;
            self.poke(value, list, start + VALUE);
            let kind = self.int(PATTERN_MATCH);
            self.poke(kind, list, start + KIND);
            self.jump(next);
            self.go(failed);
            let slot = self.load_pointer(at::SLOT);
            for part in [at::CODE, at::A, at::B] {
                let v = self.peek(slot, part);
                self.poke(v, list, start + FAILURE + part);
            }
            let kind = self.int(PATTERN_FAILED);
            self.poke(kind, list, start + KIND);
            self.jump(next);
            self.go(next);
        }
        let count = self.int(r.fields.len() as i64);
        (list, count)
    }

    /// The fields of a message, on the stack, for a channel of this many fields.
    pub(crate) fn message_for_helper(&mut self, number: Value, fields: &[Expr]) -> Value {
        let count = self.call_or_fail(runtime::field_count as *const () as usize, &[number]);
        let list = self.scratch(4 * self.plan.fields_max as u32);
        let done = self.block();
        for (i, e) in fields.iter().enumerate() {
            let next = self.block();
            let wanted = self.compare_int(IntCC::SignedGreaterThan, count, i as i64);
            self.branch(wanted, next, done);
            self.go(next);
            let v = self.expr(e);
            self.poke(v, list, 4 * i as i32);
        }
        self.jump(done);
        self.go(done);
        list
    }

    /// The fields of a message for a channel of known shape; missing ones are 0.
    pub(crate) fn message(&mut self, shape: &ChannelLayout, fields: &[Expr]) -> Vec<Value> {
        let mut values = Vec::with_capacity(shape.fields.len());
        for i in 0..shape.fields.len() {
            values.push(match fields.get(i) {
                Some(e) => self.expr(e),
                None => self.int(0),
            });
        }
        values
    }

    /// Notes that a message of this many fields does not fit the channel.
    pub(crate) fn note_arity(&mut self, given: usize, shape: &ChannelLayout) {
        if given != shape.fields.len() {
            let yes = self.bit(true);
            let (a, b) = (self.int(given.min(255) as i64), self.int(shape.fields.len().min(255) as i64));
            self.note_if(yes, Fault::MessageArity, a, b);
        }
    }

    /// Sends.
    pub(crate) fn send(&mut self, channel: &Expr, sorted: bool, fields: &[Expr]) {
        let operand = self.operand(channel, Some(fields.len()));
        let simple_way = !sorted && !self.plan.has_trace;
        self.on_channel(
            operand,
            |shape| simple_way && shape.capacity > 0,
            |m, c| {
                let values = m.message(c.shape, fields);
                m.note_arity(fields.len(), c.shape);
                let len = m.length(c);
                let full = m.compare_int(IntCC::UnsignedGreaterThanOrEqual, len, i64::from(c.shape.capacity));
                m.raise_if(full, Fault::Broken, None, 0);
                let slot = m.offset(c.pointer, len, c.shape.message_size);
                let start = c.offset + c.shape.first();
                for ((v, scalar), at) in values.iter().zip(&c.shape.fields).zip(&c.shape.offsets) {
                    m.save(*scalar, *v, slot, start + at, false);
                }
                let one = m.int(1);
                let more = m.b.ins().iadd(len, one);
                m.save(c.shape.length, more, c.pointer, c.offset, true);
                one
            },
            |m, number| {
                let list = m.message_for_helper(number, fields);
                let (sorted, given) = (m.int(i64::from(sorted)), m.int(fields.len() as i64));
                m.call_or_fail(runtime::send as *const () as usize, &[number, sorted, given, list])
            },
        );
    }

    /// Receives.
    pub(crate) fn receive(&mut self, r: &Receive) {
        let operand = self.operand(&r.channel, Some(r.fields.len()));
        let simple_way = !r.random && !self.plan.has_trace;
        self.on_channel(
            operand,
            |shape| simple_way && shape.capacity > 0,
            |m, c| {
                m.receive_oldest(r, c);
                m.int(0)
            },
            |m, number| {
                let flags = m.int(i64::from(r.random) | i64::from(r.copy) << 2);
                let (patterns, count) = m.patterns(r);
                let list = m.scratch(4 * m.plan.fields_max as u32);
                let found =
                    m.call_or_fail(runtime::receive as *const () as usize, &[number, flags, patterns, count, list]);
                m.bind(r, list, found);
                if m.plan.has_trace {
                    let send = m.int(0);
                    m.call(runtime::event as *const () as usize, &[number, send, list, found]);
                }
                m.int(0)
            },
        );
    }

    fn receive_oldest(&mut self, r: &Receive, c: Known<'_>) {
        let len = self.length(c);
        let one = self.int(1);
        let fewer = self.b.ins().isub(len, one);
        let broken = self.compare_int(IntCC::UnsignedGreaterThanOrEqual, fewer, i64::from(c.shape.capacity));
        self.raise_if(broken, Fault::Broken, None, 0);
        let start = c.offset + c.shape.first();
        let mut bound = Vec::new();
        for ((f, scalar), at) in r.fields.iter().zip(&c.shape.fields).zip(&c.shape.offsets) {
            if let Pattern::Bind(place) = f {
                bound.push((place, self.load(*scalar, c.pointer, start + at), *scalar));
            }
        }
        self.note_arity(r.fields.len(), c.shape);
        if !r.copy {
            // Free slots are zero: the whole contents move, whatever the number of messages.
            let (size, total) = (c.shape.message_size, c.shape.messages_size());
            if total <= SHIFT_MAX {
                self.move_down(c.pointer, start, start + size, total - size);
                self.clear(c.pointer, start + total - size, size);
            } else {
                let start = self.b.ins().iconst(self.target.pointer, i64::from(start));
                let pointer = self.b.ins().iadd(c.pointer, start);
                let (size, total) = (self.int(i64::from(size)), self.int(i64::from(total)));
                self.call(runtime::shift as *const () as usize, &[pointer, size, total]);
            }
            self.save(c.shape.length, fewer, c.pointer, c.offset, true);
        }
        for (place, value, scalar) in bound {
            self.store(place, value, scalar_range(scalar));
        }
    }

    /// Stores the fields of a message that stands at `list` and has `count` fields.
    pub(crate) fn bind(&mut self, r: &Receive, list: Value, count: Value) {
        let done = self.block();
        for (i, f) in r.fields.iter().enumerate() {
            let Pattern::Bind(place) = f else { continue };
            let next = self.block();
            let there = self.compare_int(IntCC::SignedGreaterThan, count, i as i64);
            self.branch(there, next, done);
            self.go(next);
            let v = self.peek(list, 4 * i as i32);
            self.store(place, v, scalar_range(Scalar::Int));
        }
        self.jump(done);
        self.go(done);
    }
}
