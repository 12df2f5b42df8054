//! The pieces every generated function is made of: memory, failures, branches, calls of helper functions.

use crate::context::{Fault, RAW_SIZE, REDO, at};
use crate::plan::Plan;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    AbiParam, Block, BlockArg, Endianness, InstBuilder, MemFlagsData, Signature, StackSlotData, StackSlotKind, Type,
    Value, types,
};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::{FunctionBuilder, Variable};
use ferrospin_model::ir::{Area, ProcessId, Scalar};

/// How generated code reads and writes states: little-endian, wherever it likes.
pub(crate) fn state_flags() -> MemFlagsData {
    MemFlagsData::new().with_notrap().with_endianness(Endianness::Little)
}

/// How generated code reads and writes the context.
fn context_flags() -> MemFlagsData {
    MemFlagsData::trusted()
}

/// Bytes copied at once; states are kept with room for whole pieces.
pub(crate) const COPIED: i64 = 32;

/// What the generator needs of the machine that code is made for.
#[derive(Clone, Copy)]
pub(crate) struct Target {
    pub(crate) pointer: Type,
    pub(crate) call_conv: CallConv,
}

/// A generated function in the making.
pub(crate) struct Emitter<'a, 'f> {
    pub(crate) b: FunctionBuilder<'f>,
    pub(crate) plan: &'a Plan<'a>,
    pub(crate) target: Target,
    /// The type of the process that evaluates; `None` for none.
    pub(crate) owner: Option<ProcessId>,
    pub(crate) context: Value,
    pub(crate) pid: Value,
    pub(crate) extra: Value,
    /// The state and the frame; a birth may move them.
    base: Variable,
    frame: Variable,
    /// Where control goes after a failure was raised.
    pub(crate) on_fail: Block,
    /// Whether something was raised since this was last cleared.
    pub(crate) raised: bool,
    /// Whether something can be raised at all.
    pub(crate) fails: bool,
    /// Whether something may be noted.
    pub(crate) notes: bool,
    /// Whether helper functions are called.
    pub(crate) calls: bool,
}

impl<'a, 'f> Emitter<'a, 'f> {
    /// Starts a function; failures go to a block that still has to be filled.
    pub(crate) fn new(
        mut b: FunctionBuilder<'f>,
        plan: &'a Plan<'a>,
        target: Target,
        owner: Option<ProcessId>,
    ) -> Self {
        let entry = b.create_block();
        b.append_block_params_for_function_params(entry);
        b.switch_to_block(entry);
        let params = b.block_params(entry).to_vec();
        let base = b.declare_var(target.pointer);
        let frame = b.declare_var(target.pointer);
        b.def_var(base, params[1]);
        b.def_var(frame, params[2]);
        let on_fail = b.create_block();
        b.set_cold_block(on_fail);
        Emitter {
            b,
            plan,
            target,
            owner,
            context: params[0],
            pid: params[3],
            extra: params[4],
            base,
            frame,
            on_fail,
            raised: false,
            fails: false,
            notes: false,
            calls: false,
        }
    }

    /// Ends the function.
    pub(crate) fn finish(mut self, config: cranelift_codegen::isa::TargetFrontendConfig) {
        self.b.seal_all_blocks();
        self.b.finalize(config);
    }

    // Constants and arithmetic.

    pub(crate) fn int(&mut self, v: i64) -> Value {
        self.b.ins().iconst(types::I32, i64::from(v as u32))
    }

    pub(crate) fn long(&mut self, v: i64) -> Value {
        self.b.ins().iconst(types::I64, v)
    }

    pub(crate) fn bit(&mut self, v: bool) -> Value {
        self.b.ins().iconst(types::I8, i64::from(v))
    }

    /// Compares two 32-bit values.
    pub(crate) fn compare(&mut self, cc: IntCC, a: Value, b: Value) -> Value {
        self.b.ins().icmp(cc, a, b)
    }

    /// Compares a 32-bit value with a constant.
    pub(crate) fn compare_int(&mut self, cc: IntCC, a: Value, v: i64) -> Value {
        let v = self.int(v);
        self.b.ins().icmp(cc, a, v)
    }

    /// A truth value as a number.
    pub(crate) fn widen(&mut self, bit: Value) -> Value {
        self.b.ins().uextend(types::I32, bit)
    }

    /// `pointer + index * stride`, the index a 32-bit value that is not negative.
    pub(crate) fn offset(&mut self, pointer: Value, index: Value, stride: u32) -> Value {
        let index = self.b.ins().uextend(self.target.pointer, index);
        let bytes = if stride == 1 {
            index
        } else {
            let stride = self.b.ins().iconst(self.target.pointer, i64::from(stride));
            self.b.ins().imul(index, stride)
        };
        self.b.ins().iadd(pointer, bytes)
    }

    // Blocks.

    pub(crate) fn block(&mut self) -> Block {
        self.b.create_block()
    }

    pub(crate) fn cold_block(&mut self) -> Block {
        let block = self.b.create_block();
        self.b.set_cold_block(block);
        block
    }

    pub(crate) fn go(&mut self, block: Block) {
        self.b.switch_to_block(block);
    }

    pub(crate) fn jump(&mut self, block: Block) {
        self.b.ins().jump(block, []);
    }

    /// Jumps to a block that takes one value.
    pub(crate) fn jump_with(&mut self, block: Block, value: Value) {
        self.b.ins().jump(block, &[BlockArg::Value(value)]);
    }

    pub(crate) fn branch(&mut self, condition: Value, yes: Block, no: Block) {
        self.b.ins().brif(condition, yes, [], no, []);
    }

    pub(crate) fn give(&mut self, value: i64) {
        let v = self.long(value);
        self.b.ins().return_(&[v]);
    }

    // The state.

    pub(crate) fn base(&mut self) -> Value {
        self.b.use_var(self.base)
    }

    pub(crate) fn frame(&mut self) -> Value {
        self.b.use_var(self.frame)
    }

    /// From here on another state is meant, with the same frame.
    pub(crate) fn turn_to(&mut self, base: Value, frame: Value) {
        self.b.def_var(self.base, base);
        self.b.def_var(self.frame, frame);
    }

    /// Copies the state to `to`, as many bytes as the context says.
    pub(crate) fn copy_state(&mut self, to: Value) {
        let from = self.base();
        let pointer = self.target.pointer;
        let (head, done) = (self.block(), self.block());
        let at = self.b.append_block_param(head, pointer);
        let room = self.load_pointer(at::ROOM);
        let zero = self.b.ins().iconst(pointer, 0);
        self.jump_with(head, zero);
        self.go(head);
        let (source, target) = (self.b.ins().iadd(from, at), self.b.ins().iadd(to, at));
        for offset in [0, 16] {
            let v = self.b.ins().load(types::I8X16, state_flags(), source, offset);
            self.b.ins().store(state_flags(), v, target, offset);
        }
        let next = self.b.ins().iadd_imm_u(at, COPIED);
        let more = self.b.ins().icmp(IntCC::UnsignedLessThan, next, room);
        self.b.ins().brif(more, head, &[BlockArg::Value(next)], done, []);
        self.go(done);
    }

    /// Where an area starts.
    pub(crate) fn area(&mut self, area: Area) -> Value {
        match area {
            Area::Global => self.base(),
            Area::Local => self.frame(),
        }
    }

    /// After a birth: the state has moved.
    pub(crate) fn reload(&mut self) {
        let (old, frame) = (self.base(), self.frame());
        let distance = self.b.ins().isub(frame, old);
        let new = self.b.ins().load(self.target.pointer, context_flags(), self.context, at::BASE);
        let frame = self.b.ins().iadd(new, distance);
        self.b.def_var(self.base, new);
        self.b.def_var(self.frame, frame);
    }

    /// Reads a scalar of the state.
    pub(crate) fn load(&mut self, scalar: Scalar, pointer: Value, offset: u32) -> Value {
        let offset = offset as i32;
        let ins = self.b.ins();
        match (scalar, scalar.size()) {
            (Scalar::Short, _) => ins.sload16(types::I32, state_flags(), pointer, offset),
            (_, 1) => ins.uload8(types::I32, state_flags(), pointer, offset),
            (_, 2) => ins.uload16(types::I32, state_flags(), pointer, offset),
            _ => ins.load(types::I32, state_flags(), pointer, offset),
        }
    }

    /// Writes a scalar of the state, cut to what it can hold. `fits` says that nothing has to be cut.
    pub(crate) fn save(&mut self, scalar: Scalar, value: Value, pointer: Value, offset: u32, fits: bool) {
        let offset = offset as i32;
        let value = self.cut(scalar, value, fits || matches!(scalar, Scalar::Unsigned(8 | 16)));
        match scalar.size() {
            1 => self.b.ins().istore8(state_flags(), value, pointer, offset),
            2 => self.b.ins().istore16(state_flags(), value, pointer, offset),
            _ => self.b.ins().store(state_flags(), value, pointer, offset),
        };
    }

    /// What is left of a value when it is stored.
    pub(crate) fn cut(&mut self, scalar: Scalar, value: Value, fits: bool) -> Value {
        match scalar {
            _ if fits => value,
            Scalar::Unsigned(n) => {
                let mask = self.int(i64::from((1u32 << n) - 1));
                self.b.ins().band(value, mask)
            }
            Scalar::Short => {
                let short = self.b.ins().ireduce(types::I16, value);
                self.b.ins().sextend(types::I32, short)
            }
            Scalar::Int => value,
        }
    }

    /// Reads a location number.
    pub(crate) fn load_location(&mut self, pointer: Value) -> Value {
        match self.plan.model.layout.location_size {
            1 => self.load(Scalar::Unsigned(8), pointer, 0),
            2 => self.load(Scalar::Unsigned(16), pointer, 0),
            _ => self.load(Scalar::Int, pointer, 0),
        }
    }

    /// Writes a location number.
    pub(crate) fn save_location(&mut self, pointer: Value, location: u32) {
        let value = self.int(i64::from(location));
        match self.plan.model.layout.location_size {
            1 => self.save(Scalar::Unsigned(8), value, pointer, 0, true),
            2 => self.save(Scalar::Unsigned(16), value, pointer, 0, true),
            _ => self.save(Scalar::Int, value, pointer, 0, true),
        }
    }

    /// Copies `len` bytes downwards inside the state, from behind `to`; what is read is never written before.
    pub(crate) fn move_down(&mut self, pointer: Value, to: u32, from: u32, len: u32) {
        let mut done = 0;
        while done < len {
            let (ty, n) = match len - done {
                8.. => (types::I64, 8),
                4..8 => (types::I32, 4),
                2..4 => (types::I16, 2),
                _ => (types::I8, 1),
            };
            let v = self.b.ins().load(ty, state_flags(), pointer, (from + done) as i32);
            self.b.ins().store(state_flags(), v, pointer, (to + done) as i32);
            done += n;
        }
    }

    /// Sets `len` bytes of the state to zero.
    pub(crate) fn clear(&mut self, pointer: Value, to: u32, len: u32) {
        let mut done = 0;
        while done < len {
            let (ty, n) = match len - done {
                8.. => (types::I64, 8),
                4..8 => (types::I32, 4),
                2..4 => (types::I16, 2),
                _ => (types::I8, 1),
            };
            let zero = self.b.ins().iconst(ty, 0);
            self.b.ins().store(state_flags(), zero, pointer, (to + done) as i32);
            done += n;
        }
    }

    // The context and other memory of the machine.

    pub(crate) fn load_context(&mut self, offset: i32) -> Value {
        self.b.ins().load(types::I32, context_flags(), self.context, offset)
    }

    pub(crate) fn load_pointer(&mut self, offset: i32) -> Value {
        self.b.ins().load(self.target.pointer, context_flags(), self.context, offset)
    }

    pub(crate) fn save_context(&mut self, value: Value, offset: i32) {
        self.b.ins().store(context_flags(), value, self.context, offset);
    }

    /// Reads a 32-bit value of the machine.
    pub(crate) fn peek(&mut self, pointer: Value, offset: i32) -> Value {
        self.b.ins().load(types::I32, context_flags(), pointer, offset)
    }

    /// Writes a value of the machine.
    pub(crate) fn poke(&mut self, value: Value, pointer: Value, offset: i32) {
        self.b.ins().store(context_flags(), value, pointer, offset);
    }

    /// Writes a value, its lowest byte first, wherever it stands.
    pub(crate) fn poke_little(&mut self, value: Value, pointer: Value, offset: i32) {
        self.b.ins().store(state_flags(), value, pointer, offset);
    }

    /// The address of this many bytes on the stack.
    pub(crate) fn scratch(&mut self, bytes: u32) -> Value {
        let slot = self.b.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, bytes.max(4), 3));
        self.b.ins().stack_addr(self.target.pointer, slot, 0)
    }

    // Failures.

    /// Raises a failure; the current block ends.
    pub(crate) fn raise(&mut self, fault: Fault, a: Option<Value>, b: u32) {
        let slot = self.load_pointer(at::SLOT);
        let code = self.int(fault as i64);
        self.poke(code, slot, at::CODE);
        let a = a.unwrap_or_else(|| self.int(0));
        self.poke(a, slot, at::A);
        let b = self.int(i64::from(b));
        self.poke(b, slot, at::B);
        let to = self.on_fail;
        self.raised = true;
        self.fails = true;
        self.jump(to);
    }

    /// Raises a failure when a condition holds, and goes on otherwise.
    pub(crate) fn raise_if(&mut self, condition: Value, fault: Fault, a: Option<Value>, b: u32) {
        let (bad, good) = (self.cold_block(), self.block());
        self.branch(condition, bad, good);
        self.go(bad);
        self.raise(fault, a, b);
        self.go(good);
    }

    /// Moves the slot on behind a failure that belongs to an edge.
    pub(crate) fn keep_failure(&mut self, edge: u32) {
        let slot = self.load_pointer(at::SLOT);
        let edge = self.int(i64::from(edge));
        self.poke(edge, slot, at::EDGE);
        let size = self.b.ins().iconst(self.target.pointer, i64::from(RAW_SIZE));
        let next = self.b.ins().iadd(slot, size);
        self.save_context(next, at::SLOT);
        let redo = self.int(i64::from(REDO));
        self.save_context(redo, at::SLOW_PATH);
    }

    /// Notes a failure that does not stop the step, when a condition holds.
    pub(crate) fn note_if(&mut self, condition: Value, fault: Fault, a: Value, b: Value) {
        self.notes = true;
        let (bad, first, good) = (self.cold_block(), self.cold_block(), self.block());
        self.branch(condition, bad, good);
        self.go(bad);
        let known = self.load_context(at::SOFT + at::CODE);
        self.branch(known, good, first);
        self.go(first);
        let code = self.int(fault as i64);
        self.save_context(code, at::SOFT + at::CODE);
        self.save_context(a, at::SOFT + at::A);
        self.save_context(b, at::SOFT + at::B);
        self.jump(good);
        self.go(good);
    }

    // Helper functions.

    /// Calls a helper function with the context and further arguments; the answer is a 64-bit value.
    pub(crate) fn call(&mut self, helper: usize, args: &[Value]) -> Value {
        self.calls = true;
        let mut signature = Signature::new(self.target.call_conv);
        signature.params.push(AbiParam::new(self.target.pointer));
        for a in args {
            let ty = self.b.func.dfg.value_type(*a);
            signature.params.push(AbiParam::new(ty));
        }
        signature.returns.push(AbiParam::new(types::I64));
        let signature = self.b.import_signature(signature);
        let callee = self.b.ins().iconst(self.target.pointer, helper as i64);
        let all: Vec<Value> = std::iter::once(self.context).chain(args.iter().copied()).collect();
        let call = self.b.ins().call_indirect(signature, callee, &all);
        self.b.inst_results(call)[0]
    }

    /// Calls a helper function that answers with a negative value when it has raised a failure.
    pub(crate) fn call_or_fail(&mut self, helper: usize, args: &[Value]) -> Value {
        let answer = self.call(helper, args);
        let zero = self.long(0);
        let failed = self.b.ins().icmp(IntCC::SignedLessThan, answer, zero);
        let (bad, good) = (self.cold_block(), self.block());
        let to = self.on_fail;
        self.raised = true;
        self.fails = true;
        self.branch(failed, bad, good);
        self.go(bad);
        self.jump(to);
        self.go(good);
        self.b.ins().ireduce(types::I32, answer)
    }
}
