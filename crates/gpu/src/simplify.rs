//! Shortens programs before they are printed: the driver's translator takes time for every line.
//!
//! What is generated statement by statement has code that nothing reaches, jumps to jumps, copies of what was just made, and
//! fields of one word that are set one after the other. Four rewritings are repeated until nothing changes: control flow (jumps
//! are led to where they end, unreached operations and labels are dropped), copies (a value goes straight to where it is moved),
//! masks (constants stored one after the other into one word are stored at once), and equal blocks (a block of code whose end is
//! a jump is kept once). Each keeps what a thread does; the emulator runs the result, so that all tests of kernels are tests of
//! these rewritings.

use crate::code::{Arg, Label, Math, Op, Program, Reg};
use crate::validate::uses;
use rustc_hash::FxHashMap;

/// Rounds after which a program is left as it is.
const ROUNDS_MAX: u32 = 12;

/// Shortens a program.
pub(crate) fn simplify(program: &mut Program) {
    for _ in 0..ROUNDS_MAX {
        let before = program.ops.len();
        control_flow(program);
        copies(program);
        masks(program);
        equal_blocks(program);
        unused(program);
        if program.ops.len() == before {
            break;
        }
    }
    number_registers(program);
}

/// Where labels are placed.
fn places(program: &Program) -> Vec<usize> {
    let mut places = vec![usize::MAX; program.labels as usize];
    for (at, op) in program.ops.iter().enumerate() {
        if let Op::Label(l) = op {
            places[l.0 as usize] = at;
        }
    }
    places
}

/// Whether control never goes on to the next operation.
fn ends(op: &Op) -> bool {
    matches!(op, Op::Jump(_) | Op::Switch { .. } | Op::Return)
}

fn targets(op: &mut Op) -> &mut [Label] {
    match op {
        Op::Jump(to) | Op::JumpIf { to, .. } => std::slice::from_mut(to),
        Op::Switch { targets, .. } => targets,
        _ => &mut [],
    }
}

fn control_flow(program: &mut Program) {
    let places = places(program);
    // Where a jump to a label ends, and the first of several labels at one place.
    let last = |mut label: Label| {
        for _ in 0..64 {
            let mut at = places[label.0 as usize];
            while let Some(Op::Label(_)) = program.ops.get(at) {
                at += 1;
            }
            let first = (0..at).rev().take_while(|i| matches!(program.ops[*i], Op::Label(_))).last();
            if let Some(Op::Label(l)) = first.map(|i| &program.ops[i]) {
                label = *l;
            }
            match program.ops.get(at) {
                Some(Op::Jump(to)) if *to != label => label = *to,
                _ => break,
            }
        }
        label
    };
    let mut ops = program.ops.clone();
    for op in &mut ops {
        for to in targets(op) {
            *to = last(*to);
        }
        if let Op::Switch { targets, .. } = op
            && targets.iter().all(|t| *t == targets[0])
        {
            *op = Op::Jump(targets[0]);
        }
    }
    // A jump over a jump.
    for at in 0..ops.len().saturating_sub(2) {
        if let [Op::JumpIf { is, to, .. }, Op::Jump(other), Op::Label(next)] = &mut ops[at..at + 3]
            && to == next
        {
            // The second now leads to where control goes anyway.
            *is = !*is;
            std::mem::swap(to, other);
        }
    }
    // What is reached.
    let mut reached = vec![false; ops.len()];
    let mut todo = vec![0];
    while let Some(at) = todo.pop() {
        if at >= ops.len() || std::mem::replace(&mut reached[at], true) {
            continue;
        }
        let mut op = ops[at].clone();
        todo.extend(targets(&mut op).iter().map(|to| places[to.0 as usize]));
        if !ends(&op) {
            todo.push(at + 1);
        }
    }
    let mut kept: Vec<Op> = ops.into_iter().zip(reached).filter(|(_, r)| *r).map(|(op, _)| op).collect();
    // Jumps to where control goes anyway.
    let leads_on = |kept: &[Op], at: usize, to: Label| {
        kept[at + 1..].iter().take_while(|op| matches!(op, Op::Label(_))).any(|op| *op == Op::Label(to))
    };
    let dropped: Vec<bool> = (0..kept.len())
        .map(|at| match &kept[at] {
            Op::Jump(to) | Op::JumpIf { to, .. } => leads_on(&kept, at, *to),
            _ => false,
        })
        .collect();
    let mut dropped = dropped.into_iter();
    kept.retain(|_| !dropped.next().expect("one for each"));
    let mut named = vec![false; program.labels as usize];
    for op in &mut kept {
        targets(op).iter().for_each(|l| named[l.0 as usize] = true);
    }
    kept.retain(|op| !matches!(op, Op::Label(l) if !named[l.0 as usize]));
    program.ops = kept;
}

/// How often each register is read, and written.
fn counts(program: &Program) -> (Vec<u32>, Vec<u32>) {
    let (mut read, mut written) = (vec![0; program.types.len()], vec![0; program.types.len()]);
    for op in &program.ops {
        let (reads, writes) = uses(op);
        reads.iter().for_each(|r| read[r.0 as usize] += 1);
        writes.iter().for_each(|r| written[r.0 as usize] += 1);
    }
    (read, written)
}

/// The register that an operation gives a value to, of those that do nothing else.
fn result(op: &mut Op) -> Option<&mut Reg> {
    match op {
        Op::Move { to, .. }
        | Op::Math { to, .. }
        | Op::Count { to, .. }
        | Op::Widen { to, .. }
        | Op::Half { to, .. }
        | Op::Join { to, .. }
        | Op::Compare { to, .. }
        | Op::Logic { to, .. }
        | Op::Not { to, .. }
        | Op::Select { to, .. }
        | Op::Load { to, .. }
        | Op::Param { to, .. }
        | Op::Special { to, .. } => Some(to),
        _ => None,
    }
}

/// `t = ...; x = t`, where nothing else reads `t`, is `x = ...`.
fn copies(program: &mut Program) {
    let (read, written) = counts(program);
    let mut ops: Vec<Op> = Vec::with_capacity(program.ops.len());
    for op in program.ops.drain(..) {
        if let Op::Move { to, from: Arg::Reg(from) } = op
            && read[from.0 as usize] == 1
            && written[from.0 as usize] == 1
            && let Some(made) = ops.last_mut().and_then(result)
            && *made == from
        {
            *made = to;
            continue;
        }
        ops.push(op);
    }
    program.ops = ops;
}

/// Bits of a word that are kept, and bits that are set: `to = (from & keep) | set`, in one or two operations.
struct Masked {
    from: Reg,
    to: Reg,
    keep: u32,
    set: u32,
    operations: usize,
}

/// The masking that begins at an operation, if one does.
fn masked(ops: &[Op], single: &dyn Fn(Reg) -> bool) -> Option<Masked> {
    let Op::Math { op: Math::And, to, a: Arg::Reg(from), b: Arg::Const(keep) } = *ops.first()? else { return None };
    let keep = keep as u32;
    if let Some(Op::Math { op: Math::Or, to: last, a: Arg::Reg(a), b: Arg::Const(set) }) = ops.get(1)
        && *a == to
        && (single(to) || *last == to)
    {
        return Some(Masked { from, to: *last, keep, set: *set as u32, operations: 2 });
    }
    Some(Masked { from, to, keep, set: 0, operations: 1 })
}

/// Two maskings of one word, one behind the other, are one.
fn masks(program: &mut Program) {
    let (read, written) = counts(program);
    let types = &program.types;
    let single = |r: Reg| read[r.0 as usize] == 1 && written[r.0 as usize] == 1;
    let mut ops: Vec<Op> = Vec::with_capacity(program.ops.len());
    let mut rest = &program.ops[..];
    while let Some(op) = rest.first() {
        let word = |m: &Masked| types[m.to.0 as usize] == crate::code::Type::Word;
        let Some(first) = masked(rest, &single).filter(word) else {
            ops.push(op.clone());
            rest = &rest[1..];
            continue;
        };
        let (mut now, mut joined) = (first, false);
        rest = &rest[now.operations..];
        while let Some(next) = masked(rest, &single).filter(|n| n.from == now.to && n.to == now.to) {
            now.set = now.set & next.keep | next.set;
            now.keep &= next.keep;
            now.operations += next.operations;
            rest = &rest[next.operations..];
            joined = true;
        }
        if !joined {
            // As it was.
            let at = program.ops.len() - rest.len();
            ops.extend_from_slice(&program.ops[at - now.operations..at]);
            continue;
        }
        let value = |v: u32| Arg::Const(u64::from(v));
        ops.push(Op::Math { op: Math::And, to: now.to, a: now.from.into(), b: value(now.keep) });
        if now.set != 0 {
            ops.push(Op::Math { op: Math::Or, to: now.to, a: now.to.into(), b: value(now.set) });
        }
    }
    program.ops = ops;
}

/// Blocks that do the same and go on at the same place are one. Registers that only one block uses may differ.
fn equal_blocks(program: &mut Program) {
    // Which block uses a register: one, or several.
    const NONE: usize = usize::MAX;
    const SEVERAL: usize = usize::MAX - 1;
    let mut home = vec![NONE; program.types.len()];
    let mut block = 0;
    for op in &program.ops {
        if matches!(op, Op::Label(_)) {
            block += 1;
        }
        let (reads, writes) = uses(op);
        for r in reads.iter().chain(&writes) {
            let home = &mut home[r.0 as usize];
            *home = if *home == NONE || *home == block { block } else { SEVERAL };
        }
        if ends(op) {
            block += 1;
        }
    }
    let types = &program.types;
    let mut seen: FxHashMap<Vec<Op>, Label> = FxHashMap::default();
    let mut same: FxHashMap<Label, Label> = FxHashMap::default();
    let mut at = 0;
    while at < program.ops.len() {
        let Op::Label(label) = program.ops[at] else {
            at += 1;
            continue;
        };
        let body = &program.ops[at + 1..];
        let Some(length) = body.iter().position(|op| ends(op) || matches!(op, Op::Label(_) | Op::Barrier)) else {
            break;
        };
        at += 1;
        if !matches!(body[length], Op::Jump(_) | Op::Return) || length > 64 {
            continue;
        }
        // Registers of this block alone are numbered anew.
        let mut names: FxHashMap<Reg, u32> = FxHashMap::default();
        let mut key = body[..=length].to_vec();
        for op in &mut key {
            each_register(op, &mut |r| {
                if home[r.0 as usize] < SEVERAL {
                    let next = names.len() as u32;
                    let name = *names.entry(*r).or_insert(next);
                    *r = Reg(u32::MAX - 4 * name - types[r.0 as usize] as u32);
                }
            });
        }
        let first = *seen.entry(key).or_insert(label);
        if first != label {
            same.insert(label, first);
        }
    }
    if same.is_empty() {
        return;
    }
    // The copies are reached no more, unless control falls into them: these keep their code.
    for op in &mut program.ops {
        for to in targets(op) {
            if let Some(first) = same.get(to) {
                *to = *first;
            }
        }
    }
}

/// Operations whose results nothing reads.
fn unused(program: &mut Program) {
    let (read, _) = counts(program);
    program.ops.retain_mut(|op| result(op).is_none_or(|to| read[to.0 as usize] > 0));
}

/// Registers are numbered without gaps.
fn number_registers(program: &mut Program) {
    let mut number: FxHashMap<Reg, Reg> = FxHashMap::default();
    let mut types = Vec::new();
    for op in &mut program.ops {
        each_register(op, &mut |r| {
            *r = *number.entry(*r).or_insert_with(|| {
                types.push(program.types[r.0 as usize]);
                Reg(types.len() as u32 - 1)
            });
        });
    }
    program.types = types;
}

/// All registers of an operation.
fn each_register(op: &mut Op, f: &mut dyn FnMut(&mut Reg)) {
    let arg = |f: &mut dyn FnMut(&mut Reg), a: &mut Arg| {
        if let Arg::Reg(r) = a {
            f(r);
        }
    };
    match op {
        Op::Move { to, from } | Op::Count { to, from } | Op::Lowest { to, from } | Op::Widen { to, from } => {
            arg(f, from);
            f(to);
        }
        Op::Half { to, from, .. } => {
            arg(f, from);
            f(to);
        }
        Op::Math { to, a, b, .. } | Op::Compare { to, a, b, .. } | Op::Join { to, low: a, high: b } => {
            arg(f, a);
            arg(f, b);
            f(to);
        }
        Op::Logic { to, a, b, .. } => {
            f(a);
            f(b);
            f(to);
        }
        Op::Not { to, from } => {
            f(from);
            f(to);
        }
        Op::Select { to, when, yes, no } => {
            f(when);
            arg(f, yes);
            arg(f, no);
            f(to);
        }
        Op::Load { to, at } => {
            arg(f, &mut at.base);
            f(to);
        }
        Op::Store { at, from, .. } => {
            arg(f, &mut at.base);
            arg(f, from);
        }
        Op::Atomic { to, at, value, .. } => {
            arg(f, &mut at.base);
            arg(f, value);
            f(to);
        }
        Op::Swap { to, at, expected, new } => {
            arg(f, &mut at.base);
            arg(f, expected);
            arg(f, new);
            f(to);
        }
        Op::SwapPair { to, at, new } => {
            arg(f, &mut at.base);
            new.iter_mut().for_each(|n| arg(f, n));
            to.iter_mut().for_each(f);
        }
        Op::Param { to, .. } | Op::Special { to, .. } => f(to),
        Op::JumpIf { when, .. } => f(when),
        Op::Switch { on, .. } => f(on),
        Op::Label(_) | Op::Jump(_) | Op::Barrier | Op::Fence | Op::Pause | Op::Return => {}
    }
}
