//! Checks programs before they are run: every register is written before it is read, on every way; labels are placed once;
//! operands have the types that operations ask for; shared memory at constant places is inside.

use crate::code::{Address, Arg, Label, Math, Op, Program, Reg, Space, Type};
use thiserror::Error;

/// What is wrong with a program.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[allow(missing_docs)]
pub enum Invalid {
    #[error("label {0} is placed twice")]
    Twice(u32),
    #[error("label {0} is not placed")]
    Unplaced(u32),
    #[error("register {0} is no {1:?}")]
    Type(u32, Type),
    #[error("a place outside the shared memory")]
    Shared,
    #[error("an operation that flags do not have")]
    Flag,
    #[error("there is no parameter {0}")]
    Parameter(u32),
    #[error("a switch without targets")]
    Targets,
    #[error("the end is passed")]
    EndPassed,
    #[error("register {0} is read before it is written")]
    Unwritten(u32),
    #[error("{why}, in operation {at}: {op}")]
    At { why: Box<Invalid>, at: usize, op: String },
}

impl Invalid {
    fn at(self, at: usize, op: &Op) -> Invalid {
        Invalid::At { why: Box::new(self), at, op: format!("{op:?}") }
    }
}

/// Says what is wrong with a program, if anything is.
pub fn check(program: &Program) -> Result<(), Invalid> {
    let mut places = vec![None; program.labels as usize];
    for (at, op) in program.ops.iter().enumerate() {
        if let Op::Label(Label(l)) = op
            && places[*l as usize].replace(at).is_some()
        {
            return Err(Invalid::Twice(*l));
        }
        types(program, op).map_err(|why| why.at(at, op))?;
    }
    let place = |l: &Label| places[l.0 as usize].ok_or(Invalid::Unplaced(l.0));
    written(program, &place)
}

/// What an operation reads and writes.
pub(crate) fn uses(op: &Op) -> (Vec<Reg>, Vec<Reg>) {
    let mut reads: Vec<Arg> = Vec::new();
    let mut writes = Vec::new();
    match op {
        Op::Move { to, from } | Op::Count { to, from } | Op::Lowest { to, from } | Op::Widen { to, from } => {
            reads.push(*from);
            writes.push(*to);
        }
        Op::Half { to, from, .. } => {
            reads.push(*from);
            writes.push(*to);
        }
        Op::Math { to, a, b, .. } | Op::Compare { to, a, b, .. } | Op::Join { to, low: a, high: b } => {
            reads.extend([*a, *b]);
            writes.push(*to);
        }
        Op::Logic { to, a, b, .. } => {
            reads.extend([Arg::Reg(*a), Arg::Reg(*b)]);
            writes.push(*to);
        }
        Op::Not { to, from } => {
            reads.push(Arg::Reg(*from));
            writes.push(*to);
        }
        Op::Select { to, when, yes, no } => {
            reads.extend([Arg::Reg(*when), *yes, *no]);
            writes.push(*to);
        }
        Op::Load { to, at } => {
            reads.push(at.base);
            writes.push(*to);
        }
        Op::Store { at, from, .. } => reads.extend([at.base, *from]),
        Op::Atomic { to, at, value, .. } => {
            reads.extend([at.base, *value]);
            writes.push(*to);
        }
        Op::Swap { to, at, expected, new } => {
            reads.extend([at.base, *expected, *new]);
            writes.push(*to);
        }
        Op::SwapPair { to, at, new } => {
            reads.push(at.base);
            reads.extend(new);
            writes.extend(to);
        }
        Op::Param { to, .. } | Op::Special { to, .. } => writes.push(*to),
        Op::JumpIf { when, .. } => reads.push(Arg::Reg(*when)),
        Op::Switch { on, .. } => reads.push(Arg::Reg(*on)),
        Op::Label(_) | Op::Jump(_) | Op::Barrier | Op::Fence | Op::Pause | Op::Return => {}
    }
    let of = |arg| if let Arg::Reg(r) = arg { Some(r) } else { None };
    (reads.into_iter().filter_map(of).collect(), writes)
}

fn types(program: &Program, op: &Op) -> Result<(), Invalid> {
    let of = |r: &Reg| program.types[r.0 as usize];
    let is = |arg: &Arg, ty: Type| match arg {
        Arg::Reg(r) if of(r) != ty => Err(Invalid::Type(r.0, ty)),
        _ => Ok(()),
    };
    let reg = |r: &Reg, ty: Type| is(&Arg::Reg(*r), ty);
    let place = |at: &Address, bytes: u32| match (at.space, at.base) {
        (Space::Global, base) => is(&base, Type::Wide),
        (Space::Shared, Arg::Const(v)) if v as u32 + at.offset + bytes > program.shared_bytes => Err(Invalid::Shared),
        (Space::Shared, base) => is(&base, Type::Word),
    };
    match op {
        Op::Move { to, from } => is(from, of(to)),
        Op::Math { op, to, a, b } => {
            let ty = of(to);
            let shifts = matches!(op, Math::Shl | Math::Shr | Math::Sar);
            if ty == Type::Flag {
                return Err(Invalid::Flag);
            }
            is(a, ty)?;
            is(b, if shifts { Type::Word } else { ty })
        }
        Op::Count { to, from } | Op::Lowest { to, from } => reg(to, Type::Word).and(is(from, Type::Word)),
        Op::Widen { to, from } => reg(to, Type::Wide).and(is(from, Type::Word)),
        Op::Half { to, from, .. } => reg(to, Type::Word).and(is(from, Type::Wide)),
        Op::Join { to, low, high } => reg(to, Type::Wide).and(is(low, Type::Word)).and(is(high, Type::Word)),
        Op::Compare { wide, to, a, b, .. } => {
            let ty = if *wide { Type::Wide } else { Type::Word };
            reg(to, Type::Flag).and(is(a, ty)).and(is(b, ty))
        }
        Op::Logic { to, a, b, .. } => reg(to, Type::Flag).and(reg(a, Type::Flag)).and(reg(b, Type::Flag)),
        Op::Not { to, from } => reg(to, Type::Flag).and(reg(from, Type::Flag)),
        Op::Select { to, when, yes, no } => {
            if of(to) == Type::Flag {
                return Err(Invalid::Flag);
            }
            reg(when, Type::Flag).and(is(yes, of(to))).and(is(no, of(to)))
        }
        Op::Load { to, at } => place(at, if of(to) == Type::Wide { 8 } else { 4 }),
        Op::Store { at, from, wide } => {
            place(at, if *wide { 8 } else { 4 })?;
            is(from, if *wide { Type::Wide } else { Type::Word })
        }
        Op::Atomic { to, at, value, .. } => place(at, 4).and(is(value, of(to))),
        Op::Swap { to, at, expected, new } => place(at, 4).and(is(expected, of(to))).and(is(new, of(to))),
        Op::SwapPair { to, at, new } => {
            place(at, 16)?;
            to.iter().try_for_each(|r| reg(r, Type::Wide))?;
            new.iter().try_for_each(|n| is(n, Type::Wide))
        }
        Op::Param { to, index } if *index < program.params => reg(to, Type::Wide),
        Op::Param { index, .. } => Err(Invalid::Parameter(*index)),
        Op::Special { .. } => Ok(()),
        Op::JumpIf { when, .. } => reg(when, Type::Flag),
        Op::Switch { on, targets } if !targets.is_empty() => reg(on, Type::Word),
        Op::Switch { .. } => Err(Invalid::Targets),
        Op::Label(_) | Op::Jump(_) | Op::Barrier | Op::Fence | Op::Pause | Op::Return => Ok(()),
    }
}

/// Which registers surely have a value at each label; whatever is read elsewhere is a mistake.
fn written(program: &Program, place: &dyn Fn(&Label) -> Result<usize, Invalid>) -> Result<(), Invalid> {
    let words = program.types.len().div_ceil(64);
    // What is known where control comes in from: nothing yet means that control does not come in.
    let mut known: Vec<Option<Vec<u64>>> = vec![None; program.labels as usize];
    let mut todo = vec![(0, vec![0_u64; words])];
    let label_at = |op: Option<&Op>| if let Some(Op::Label(l)) = op { Some(*l) } else { None };
    while let Some((mut at, mut has)) = todo.pop() {
        loop {
            if let Some(Label(l)) = label_at(program.ops.get(at)) {
                match &mut known[l as usize] {
                    Some(old) => {
                        let less: Vec<u64> = old.iter().zip(&has).map(|(a, b)| a & b).collect();
                        if less == *old {
                            break;
                        }
                        *old = less.clone();
                        has = less;
                    }
                    none => *none = Some(has.clone()),
                }
            }
            let Some(op) = program.ops.get(at) else { return Err(Invalid::EndPassed) };
            let (reads, writes) = uses(op);
            for r in reads {
                if has[r.0 as usize / 64] >> (r.0 % 64) & 1 == 0 {
                    return Err(Invalid::Unwritten(r.0).at(at, op));
                }
            }
            for r in writes {
                has[r.0 as usize / 64] |= 1 << (r.0 % 64);
            }
            match op {
                Op::Jump(to) => at = place(to)?,
                Op::Return => break,
                Op::JumpIf { to, .. } => {
                    todo.push((place(to)?, has.clone()));
                    at += 1;
                }
                Op::Switch { targets, .. } => {
                    for to in targets {
                        todo.push((place(to)?, has.clone()));
                    }
                    break;
                }
                _ => at += 1,
            }
        }
    }
    Ok(())
}
