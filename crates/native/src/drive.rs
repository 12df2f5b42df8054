//! One function that expands states that stand one behind the other: it copies each, and calls the code of each process's
//! location in turn. It stops at a state without moves, and at one with a move that is out of the ordinary.
//!
//! It is made for states with certain processes, once these have turned out to be frequent. Whether a state has these
//! processes shows when their locations are looked up: the table of a process type leads from the locations of all others
//! to [`strange`], which says that the state must be looked at again, with more care. Locations at which a handshake may
//! begin have no code that writes moves; [`partners::shaking`] does it for them. A process that its `provided` holds back is
//! passed over.

use crate::build::Build;
use crate::context::{Code, Context, REDO, at};
use crate::partners;
use crate::plan::Plan;
use crate::program::{Find, Finder, Growth, LocationCode, Memory, ProcessCode};
use crate::scan::Frame;
use crate::{Effort, Refusal};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{AbiParam, BlockArg, InstBuilder, MemFlagsData, SigRef, Type, Value, types};
use cranelift_frontend::FunctionBuilder;
use ferrospin_system::Move;

/// Context, where a state is kept while it is expanded, the states, where the first move goes, where to write the ends of the
/// moves of each state, and how many states there are, one at least. Answers how many are left: where some are, moves of
/// the first of these have been written, and the context says where.
pub(crate) type Drive = unsafe extern "C" fn(*mut Context, *mut u8, *const u8, *mut Move, *mut u32, usize) -> usize;

/// See the module.
pub(crate) struct Driver {
    pub(crate) code: Drive,
    /// By process type, those that occur: the code by location, and at the end that of locations beyond.
    _tables: Vec<Option<Box<[Find]>>>,
    _memory: Memory,
}

/// What stands in for locations that no process of a type has.
///
/// # Safety
/// It is called like generated code, with the context of the machine.
unsafe extern "C" fn strange(context: *mut Context, _: *mut u8, _: *mut u8, _: i32, out: *mut Move) -> *mut Move {
    // SAFETY: called like generated code, with the machine's own context.
    unsafe { (*context).slow_path |= REDO };
    out
}

impl Driver {
    /// For states of `len` bytes with these processes; finders are those that take moves as they find them.
    pub(crate) fn make(
        growth: &Growth,
        processes: &[ProcessCode],
        locations: &[LocationCode],
        finders: &[Finder],
        frames: &[Frame],
        len: usize,
    ) -> Result<Driver, Refusal> {
        let plan = Plan::new(&growth.model);
        let mut build = Build::new(&plan, Effort::Thorough)?;
        let mut tables: Vec<Option<Box<[Find]>>> = vec![None; growth.model.processes.len()];
        for frame in frames {
            let of_type = |(f, l): (&Finder, &LocationCode)| match f.find {
                _ if f.process != frame.process => strange,
                Some(find) => find,
                None if l.test.is_some() => partners::shaking as Find,
                None => strange,
            };
            tables[frame.process as usize]
                .get_or_insert_with(|| finders.iter().zip(locations).map(of_type).chain([strange as Find]).collect());
        }
        let pointer = build.target.pointer;
        let asking = build.signature.clone();
        let mut signature = build.finding.clone();
        signature.params = [pointer; 6].map(AbiParam::new).to_vec();
        let location_size = growth.model.layout.location_size;
        let id = build.define(signature, |b, finding| {
            let entry = b.create_block();
            b.append_block_params_for_function_params(entry);
            b.switch_to_block(entry);
            let [context, base, rest @ ..] = b.block_params(entry) else { unreachable!("six parameters") };
            let (context, base, rest) = (*context, *base, rest.iter().map(|v| BlockArg::from(*v)).collect::<Vec<_>>());
            let (finding, asking) = (b.import_signature(finding), b.import_signature(asking));
            let moves = b.ins().load(pointer, MemFlagsData::trusted(), context, at::MOVES);
            let [each, go_on, done] = [(); 3].map(|()| b.create_block());
            b.ins().jump(each, &rest);
            let [state, first, ends, left] = [(); 4].map(|()| b.append_block_param(each, pointer));
            b.switch_to_block(each);
            copy(b, state, base, len);
            let mut out = first;
            for (pid, frame) in frames.iter().enumerate().rev() {
                let table = tables[frame.process as usize].as_ref().expect("made above");
                let number = location(b, base, frame.at, location_size, pointer, table.len() - 1);
                let table = b.ins().iconst(pointer, table.as_ptr() as i64);
                let offset = b.ins().ishl_imm_u(number, i64::from(size_of::<Find>().trailing_zeros()));
                let place = b.ins().iadd(table, offset);
                let code = b.ins().load(pointer, MemFlagsData::trusted(), place, 0);
                let at_frame = b.ins().iadd_imm_u(base, i64::from(frame.at));
                let pid = b.ins().iconst(types::I32, pid as i64);
                let behind = processes[frame.process as usize].provided.map(|provided| {
                    let call = Ask { asking, provided, context, base, frame: at_frame, pid };
                    let held = call.held_back(b, code, pointer);
                    let [moves, behind] = [(); 2].map(|()| b.create_block());
                    b.append_block_param(behind, pointer);
                    b.ins().brif(held, behind, &[out.into()], moves, &[]);
                    b.switch_to_block(moves);
                    behind
                });
                let call = b.ins().call_indirect(finding, code, &[context, base, at_frame, pid, out]);
                out = b.inst_results(call)[0];
                if let Some(behind) = behind {
                    b.ins().jump(behind, &[out.into()]);
                    b.switch_to_block(behind);
                    out = b.block_params(behind)[0];
                }
            }
            let slow = b.ins().load(types::I32, MemFlagsData::trusted(), context, at::SLOW_PATH);
            let is_slow = b.ins().icmp_imm_s(IntCC::NotEqual, slow, 0);
            let is_stuck = b.ins().icmp(IntCC::Equal, first, out);
            let stops = b.ins().bor(is_slow, is_stuck);
            b.ins().brif(stops, done, &[left.into(), first.into()], go_on, &[]);
            b.switch_to_block(go_on);
            let bytes = b.ins().isub(out, moves);
            let end = b.ins().ushr_imm_u(bytes, i64::from(size_of::<Move>().trailing_zeros()));
            b.ins().istore32(MemFlagsData::trusted(), end, ends, 0);
            let ends = b.ins().iadd_imm_u(ends, size_of::<u32>() as i64);
            let state = b.ins().iadd_imm_u(state, len as i64);
            let left = b.ins().iadd_imm_s(left, -1);
            let next = [state, out, ends, left].map(BlockArg::from);
            b.ins().brif(left, each, &next, done, &[left.into(), out.into()]);
            let [left, first] = [(); 2].map(|()| b.append_block_param(done, pointer));
            b.switch_to_block(done);
            b.ins().store(MemFlagsData::trusted(), first, context, at::FIRST);
            b.ins().store(MemFlagsData::trusted(), out, context, at::NEXT);
            b.ins().return_(&[left]);
        })?;
        let (code, memory) = build.into_code(id)?;
        // SAFETY: the function was defined with the signature that `Drive` names.
        let code = unsafe { std::mem::transmute::<*const u8, Drive>(code) };
        Ok(Driver { code, _tables: tables, _memory: memory })
    }
}

/// The question whether `provided` lets a process move.
struct Ask {
    asking: SigRef,
    provided: Code,
    context: Value,
    base: Value,
    frame: Value,
    pid: Value,
}

impl Ask {
    /// Whether a process, for which there is this code, is held back. One that is not of the type that it is taken for is not:
    /// it must be noticed. What fails is looked at again with more care.
    fn held_back(self, b: &mut FunctionBuilder<'_>, code: Value, pointer: Type) -> Value {
        let Ask { asking, provided, context, base, frame, pid } = self;
        let provided = b.ins().iconst(pointer, provided as usize as i64);
        let none = b.ins().iconst(types::I32, 0);
        let call = b.ins().call_indirect(asking, provided, &[context, base, frame, pid, none]);
        let answer = b.inst_results(call)[0];
        let fails = b.ins().icmp_imm_s(IntCC::SignedLessThan, answer, 0);
        let slow = b.ins().load(types::I32, MemFlagsData::trusted(), context, at::SLOW_PATH);
        let redo = b.ins().iconst(types::I32, i64::from(REDO));
        let redone = b.ins().bor(slow, redo);
        let slow = b.ins().select(fails, redone, slow);
        b.ins().store(MemFlagsData::trusted(), slow, context, at::SLOW_PATH);
        let strange = b.ins().iconst(pointer, strange as *const () as usize as i64);
        let known = b.ins().icmp(IntCC::NotEqual, code, strange);
        let held = b.ins().icmp_imm_s(IntCC::Equal, answer, 0);
        b.ins().band(held, known)
    }
}

/// Reads a location number; one that no location has becomes `count`.
fn location(b: &mut FunctionBuilder<'_>, base: Value, at: u32, size: u32, pointer: Type, count: usize) -> Value {
    let flags = crate::emit::state_flags();
    let number = match size {
        1 => b.ins().uload8(types::I32, flags, base, at as i32),
        2 => b.ins().uload16(types::I32, flags, base, at as i32),
        _ => b.ins().load(types::I32, flags, base, at as i32),
    };
    let number = b.ins().uextend(pointer, number);
    if size == 1 && count >= 256 {
        return number;
    }
    let last = b.ins().iconst(pointer, count as i64);
    let inside = b.ins().icmp(IntCC::UnsignedLessThan, number, last);
    b.ins().select(inside, number, last)
}

/// Copies `len` bytes; the last piece may overlap the one before.
fn copy(b: &mut FunctionBuilder<'_>, from: Value, to: Value, len: usize) {
    let flags = crate::emit::state_flags();
    let mut piece = |ty, offset: usize| {
        let v = b.ins().load(ty, flags, from, offset as i32);
        b.ins().store(flags, v, to, offset as i32);
    };
    let (ty, size) = match len {
        16.. => (types::I8X16, 16),
        8.. => (types::I64, 8),
        4.. => (types::I32, 4),
        _ => (types::I8, 1),
    };
    (0..len / size).for_each(|i| piece(ty, i * size));
    if !len.is_multiple_of(size) {
        piece(ty, len - size);
    }
}
