//! The halves of a handshake as machine code, and tests of a message that is on offer.
//!
//! The message travels through the context: the sender's half cuts its values to the fields of the channel and leaves
//! them there, the receiver's half stores them. The events of a `trace` are tested against it in the same way.

use crate::channel::Operand;
use crate::context::{Fault, at};
use crate::emit::Emitter;
use crate::runtime;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, BlockArg, InstBuilder, Value, types};
use ferrospin_model::ir::{Expr, Pattern, Receive};

impl Emitter<'_, '_> {
    /// Puts the message of a rendezvous send into the context; `noting` whether its length is looked at.
    pub(crate) fn offer(&mut self, channel: &Expr, fields: &[Expr], noting: bool) {
        let operand = self.operand(channel, Some(fields.len()));
        let fixed = self.plan.fixed_channel(channel);
        let outside = match operand {
            Operand::Number { number, .. } => number,
            Operand::Fixed(_) => self.int(i64::from(fixed.unwrap_or(0))),
        };
        self.on_channel(
            operand,
            |_| true,
            |m, c| {
                let values = m.message(c.shape, fields);
                if noting {
                    m.note_arity(fields.len(), c.shape);
                }
                let list = m.load_pointer(at::MESSAGE);
                for (i, (v, scalar)) in values.iter().zip(&c.shape.fields).enumerate() {
                    let v = m.cut(*scalar, *v, false);
                    m.poke(v, list, 4 * i as i32);
                }
                let count = m.int(c.shape.fields.len() as i64);
                m.save_context(count, at::MESSAGE_LEN);
                count
            },
            |m, number| {
                let list = m.message_for_helper(number, fields);
                let (noting, given) = (m.int(i64::from(noting)), m.int(fields.len() as i64));
                m.call_or_fail(runtime::offer as *const () as usize, &[number, noting, given, list])
            },
        );
        self.save_context(outside, at::NUMBER);
    }

    /// Takes the message in the context: the receiver's half of a handshake.
    pub(crate) fn take(&mut self, r: &Receive) {
        let count = self.load_context(at::MESSAGE_LEN);
        let given = self.int(r.fields.len() as i64);
        let differs = self.compare(IntCC::NotEqual, count, given);
        let (a, b) = (self.int(r.fields.len().min(255) as i64), self.int(255));
        let more = self.compare(IntCC::UnsignedLessThan, count, b);
        let b = self.b.ins().select(more, count, b);
        self.note_if(differs, Fault::MessageArity, a, b);
        let list = self.load_pointer(at::MESSAGE);
        self.bind(r, list, count);
    }

    /// Ends a chain of conditions early with 0 when one does not hold.
    pub(crate) fn require(&mut self, condition: Value, out: Block) {
        let next = self.block();
        let no = self.bit(false);
        self.b.ins().brif(condition, next, [], out, &[BlockArg::Value(no)]);
        self.go(next);
    }

    /// Compares fields with the message in the context; `out` takes 0 when one differs.
    pub(crate) fn require_fields<'e>(
        &mut self,
        fields: impl Iterator<Item = (usize, &'e Expr)>,
        count: Option<usize>,
        out: Block,
    ) {
        let yes = self.block();
        let list = self.load_pointer(at::MESSAGE);
        for (i, e) in fields {
            match count {
                Some(n) if i >= n => break,
                Some(_) => {}
                None => {
                    let (count, next) = (self.load_context(at::MESSAGE_LEN), self.block());
                    let there = self.compare_int(IntCC::SignedGreaterThan, count, i as i64);
                    self.branch(there, next, yes);
                    self.go(next);
                }
            }
            let (v, field) = (self.expr(e), self.peek(list, 4 * i as i32));
            let same = self.compare(IntCC::Equal, v, field);
            self.require(same, out);
        }
        self.jump(yes);
        self.go(yes);
        let yes = self.bit(true);
        self.jump_with(out, yes);
    }

    /// Whether a receive takes the message in the context, which is on offer at channel `extra`.
    pub(crate) fn accepts(&mut self, r: &Receive) -> Value {
        let out = self.block();
        let result = self.b.append_block_param(out, types::I8);
        let number = self.expr(&r.channel);
        let extra = self.extra;
        let same = self.compare(IntCC::Equal, number, extra);
        self.require(same, out);
        let fixed = self.plan.fixed_channel(&r.channel);
        let count = fixed.map(|n| self.shape(self.plan.globals[n as usize - 1].shape).fields.len());
        let matched = r.fields.iter().enumerate().filter_map(|(i, f)| match f {
            Pattern::Match(e) => Some((i, e)),
            _ => None,
        });
        self.require_fields(matched, count, out);
        self.go(out);
        result
    }
}
