//! The gate between two levels: all blocks wait in front of it, and the last one to arrive decides how to go on.
//!
//! It publishes one word, which all others look at: where the level ends, why to stop if at all, and a number that makes each
//! word differ from the one before. So nothing that other blocks may change at the same time is read to decide.

use super::{control, control::*, param, shared, stop};
use crate::code::{Arg, Atomic, Builder, Cond, Math, Op, Reg, Relation, Space, Special, Type};

/// Bits of the number, and of it with the reason.
const NUMBER_BITS: u32 = 12;
const LOWER_BITS: u32 = 16;

/// What a block holds of the gate.
pub(super) struct Gate {
    control: Reg,
    lead: Cond,
    /// The last word that was published.
    word: Reg,
}

impl Gate {
    pub(super) fn new(b: &mut Builder, control: Reg, lead: Cond) -> Gate {
        let word = b.load(Type::Wide, Space::Global, control, 8 * GATE);
        Gate { control, lead, word: b.copy(Type::Wide, word) }
    }

    /// Waits for all blocks; the last one runs `last`, which makes a word of [`word`].
    pub(super) fn pass(&self, b: &mut Builder, last: &mut dyn FnMut(&mut Builder) -> Arg) {
        let Gate { control, word, .. } = *self;
        let (told, others, wait, passed) = (b.label(), b.label(), b.label(), b.label());
        b.op(Op::Barrier);
        b.jump_if(!self.lead, told);
        b.op(Op::Fence);
        let arrived = b.atomic(Type::Wide, Atomic::Add, Space::Global, control, 8 * ARRIVED, Arg::Const(1));
        let blocks = b.special(Special::Blocks);
        let blocks = b.widen(blocks);
        let arrived = b.wide(Math::Add, arrived, Arg::Const(1));
        let waits = b.compare_wide(Relation::Ne, arrived, blocks);
        b.jump_if(waits, others);
        b.op(Op::Fence);
        b.store(Type::Wide, Space::Global, control, 8 * ARRIVED, Arg::Const(0));
        let number = b.wide(Math::Add, word, Arg::Const(1));
        let number = b.wide(Math::And, number, Arg::Const((1 << NUMBER_BITS) - 1));
        let decided = last(b);
        let decided = b.wide(Math::Or, decided, number);
        b.set(word, decided);
        b.op(Op::Fence);
        b.store(Type::Wide, Space::Global, control, 8 * GATE, word);
        b.jump(passed);
        b.place(wait);
        b.op(Op::Pause);
        b.place(others);
        let now = b.load(Type::Wide, Space::Global, control, 8 * GATE);
        let same = b.compare_wide(Relation::Eq, now, word);
        b.jump_if(same, wait);
        b.set(word, now);
        b.place(passed);
        b.op(Op::Fence);
        b.store(Type::Wide, Space::Shared, 0, shared::GATE, word);
        b.place(told);
        b.op(Op::Barrier);
        let known = b.load(Type::Wide, Space::Shared, 0, shared::GATE);
        b.set(word, known);
    }

    /// Where the next level ends.
    pub(super) fn high(&self, b: &mut Builder) -> Arg {
        b.wide(Math::Shr, self.word, Arg::from(LOWER_BITS))
    }

    /// Why to stop, 0 where nothing is.
    pub(super) fn stop(&self, b: &mut Builder) -> Arg {
        let down = b.wide(Math::Shr, self.word, Arg::from(NUMBER_BITS));
        b.wide(Math::And, down, Arg::Const((1 << (LOWER_BITS - NUMBER_BITS)) - 1))
    }
}

/// The word of a decision.
fn word(b: &mut Builder, high: impl Into<Arg>, stop: impl Into<Arg>) -> Arg {
    let high = b.wide(Math::Shl, high, Arg::from(LOWER_BITS));
    let stop = b.wide(Math::Shl, stop, Arg::from(NUMBER_BITS));
    b.wide(Math::Or, high, stop)
}

/// How many states of a level of some size a block takes at once: small levels are shared out among all blocks.
pub(super) fn share(b: &mut Builder, size: impl Into<Arg>, threads: u32) -> Arg {
    let blocks = b.special(Special::Blocks);
    let most = b.word(Math::Mul, blocks, threads);
    let most = b.widen(most);
    let size = b.wide(Math::Min, size, most);
    let size = b.half(size, false);
    let less = b.word(Math::Sub, blocks, 1);
    let up = b.word(Math::Add, size, less);
    let share = b.word(Math::Div, up, blocks);
    let share = b.word(Math::Add, share, 31);
    let share = b.word(Math::And, share, !31);
    b.word(Math::Min, share, threads)
}

/// How many states of a level the blocks take first, each at a place of its own.
pub(super) fn first_shares(b: &mut Builder, share: Arg) -> Arg {
    let blocks = b.special(Special::Blocks);
    let all = b.word(Math::Mul, blocks, share);
    b.widen(all)
}

/// What the last block does at the end of a level: it decides how to go on. `fresh` is 0 in the first level of a launch.
pub(super) fn decide(b: &mut Builder, control: Reg, (low, high): (Reg, Reg), fresh: Reg, threads: u32) -> Arg {
    let load = |b: &mut Builder, at: u32| b.load(Type::Wide, Space::Global, control, 8 * at);
    let store = |b: &mut Builder, at: u32, v: Arg| b.store(Type::Wide, Space::Global, control, 8 * at, v);
    let (complete, ended, going) = (b.label(), b.label(), b.label());
    // All are asked for before the first is waited for.
    let [aborted, cursor, tail, level, widest, found, total, first] =
        [ABORT, CURSOR, TAIL, LEVEL, WIDEST, PENDING + 2, TOTAL + 2, FIRST].map(|at| load(b, at));
    let decided = b.reg(Type::Wide);
    let fine = b.compare_wide(Relation::Eq, aborted, Arg::Const(0));
    b.jump_if(fine, going);
    store(b, STOP, Arg::Const(stop::ABORTED));
    let why = word(b, high, Arg::Const(stop::ABORTED));
    b.set(decided, why);
    b.jump(ended);
    b.place(going);
    // Time may be over before all chunks were taken.
    let all = b.compare_wide(Relation::Ge, cursor, high);
    b.jump_if(all, complete);
    store(b, STOP, Arg::Const(stop::SLICE));
    let why = word(b, high, Arg::Const(stop::SLICE));
    b.set(decided, why);
    b.jump(ended);
    b.place(complete);
    // What launches before this one have counted in the level.
    let counted = b.label();
    let begun = b.compare(Relation::Ne, false, fresh, 0);
    b.jump_if(begun, counted);
    for i in [0, 1, 3] {
        let (pending, total) = (load(b, PENDING + i), load(b, TOTAL + i));
        let sum = b.wide(Math::Add, pending, total);
        store(b, TOTAL + i, sum);
        store(b, PENDING + i, Arg::Const(0));
    }
    b.place(counted);
    let next = b.wide(Math::Add, level, Arg::Const(1));
    let violations = b.wide(Math::Add, found, total);
    // The first level with a violation, and where.
    let seen = b.label();
    let none = b.compare_wide(Relation::Eq, found, Arg::Const(0));
    b.jump_if(none, seen);
    store(b, TOTAL + 2, violations);
    store(b, PENDING + 2, Arg::Const(0));
    let known = b.compare_wide(Relation::Ne, first, Arg::Const(0));
    b.jump_if(known, seen);
    store(b, FIRST, next);
    let worst = load(b, WORST);
    store(b, FIRST_KEY, worst.into());
    b.place(seen);
    store(b, LOW, high.into());
    store(b, HIGH, tail.into());
    store(b, LEVEL, next);
    let bounds = b.param(param::BOUNDS);
    let place = b.wide(Math::Shl, next, 3);
    let at = b.wide(Math::Add, bounds, place);
    b.store(Type::Wide, Space::Global, at, 0, high);
    let size = b.wide(Math::Sub, high, low);
    let narrower = b.compare_wide(Relation::Gt, size, widest);
    let wider = b.select(Type::Wide, narrower, size, widest);
    store(b, WIDEST, wider);
    // Why to stop, if at all: what comes last weighs most.
    let grow_at = b.param(param::GROW_AT);
    let crowded = b.compare_wide(Relation::Ge, tail, grow_at);
    let mut why = b.select(Type::Wide, crowded, Arg::Const(stop::GROW), Arg::Const(0));
    let levels = b.param(param::LEVELS_MAX);
    let deep = b.compare_wide(Relation::Ge, next, levels);
    why = b.select(Type::Wide, deep, Arg::Const(stop::DEPTH), why);
    let done = b.compare_wide(Relation::Eq, tail, high);
    why = b.select(Type::Wide, done, Arg::Const(stop::DONE), why);
    let most = b.param(param::VIOLATIONS_MAX);
    let enough = b.compare_wide(Relation::Ge, violations, most);
    why = b.select(Type::Wide, enough, Arg::Const(stop::VIOLATIONS), why);
    store(b, STOP, why);
    // Chunks that are taken in turn begin behind those that each block has for itself, unless the kernel returns.
    let size = b.wide(Math::Sub, tail, high);
    let share = share(b, size, threads);
    let shares = first_shares(b, share);
    let goes_on = b.compare_wide(Relation::Eq, why, Arg::Const(0));
    let taken = b.select(Type::Wide, goes_on, shares, Arg::Const(0));
    let cursor = b.wide(Math::Add, high, taken);
    store(b, CURSOR, cursor);
    let why = word(b, tail, why);
    b.set(decided, why);
    b.place(ended);
    decided.into()
}

/// Waits for all blocks, with nothing to decide.
pub(super) fn meet(b: &mut Builder, control: Reg, thread: Reg) {
    use control::{ARRIVED, GENERATION};
    let (done, others, wait, passed) = (b.label(), b.label(), b.label(), b.label());
    b.op(Op::Barrier);
    let other = b.compare(Relation::Ne, false, thread, 0);
    b.jump_if(other, done);
    b.op(Op::Fence);
    let before = b.load(Type::Wide, Space::Global, control, 8 * GENERATION);
    let arrived = b.atomic(Type::Wide, Atomic::Add, Space::Global, control, 8 * ARRIVED, Arg::Const(1));
    let blocks = b.special(Special::Blocks);
    let blocks = b.widen(blocks);
    let arrived = b.wide(Math::Add, arrived, Arg::Const(1));
    let waits = b.compare_wide(Relation::Ne, arrived, blocks);
    b.jump_if(waits, others);
    b.op(Op::Fence);
    b.store(Type::Wide, Space::Global, control, 8 * ARRIVED, Arg::Const(0));
    b.op(Op::Fence);
    b.atomic(Type::Wide, Atomic::Add, Space::Global, control, 8 * GENERATION, Arg::Const(1));
    b.jump(passed);
    b.place(others);
    b.place(wait);
    b.op(Op::Pause);
    let now = b.load(Type::Wide, Space::Global, control, 8 * GENERATION);
    let same = b.compare_wide(Relation::Eq, now, before);
    b.jump_if(same, wait);
    b.place(passed);
    b.op(Op::Fence);
    b.place(done);
    b.op(Op::Barrier);
}
