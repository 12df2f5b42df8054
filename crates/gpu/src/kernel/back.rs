//! Filling a table, and the way back to the initial state.
//!
//! No parents are kept: level by level downwards all threads expand the level before, and look for the state that was found last.
//! Of those that lead to it the one with the least key is taken, so that trails are the same from run to run.

use super::beside::Beside;
use super::gate::meet;
use super::successors::{Stack, Walk};
use super::{Plan, abort, control, holds, item_at, item_words, items, load_item};
use crate::Reason;
use crate::code::{Arg, Atomic, Builder, Cond, Math, Op, Program, Relation, Space, Special, Type};
use crate::lower::{Checks, Lower};
use crate::table::{self, Arena, Kind, Table};

/// Parameters of the kernel that fills a table.
pub(crate) mod fill_param {
    pub(crate) const CONTROL: u32 = 0;
    pub(crate) const TABLE: u32 = 1;
    pub(crate) const MASK: u32 = 2;
    pub(crate) const QUEUE: u32 = 3;
    pub(crate) const QUEUE_MASK: u32 = 4;
    pub(crate) const FROM: u32 = 5;
    pub(crate) const TO: u32 = 6;
    pub(crate) const COUNT: u32 = 7;
}

/// Puts a range of the queue into a table.
pub(crate) fn fill(words: usize, kind: Kind, threads: u32) -> Program {
    let mut b = Builder::default();
    let (at, step) = stride(&mut b, threads);
    let from = b.param(fill_param::FROM);
    let at = b.wide(Math::Add, at, from);
    let at = b.copy(Type::Wide, at);
    let to = b.param(fill_param::TO);
    let control = b.param(fill_param::CONTROL);
    let table = Table { kind, base: b.param(fill_param::TABLE), mask: b.param(fill_param::MASK) };
    let (next, end) = (b.label(), b.label());
    b.place(next);
    let over = b.compare_wide(Relation::Ge, at, to);
    b.jump_if(over, end);
    let queue = b.param(fill_param::QUEUE);
    let mask = b.param(fill_param::QUEUE_MASK);
    let place = item_at(&mut b, words, queue, mask, at);
    let item = load_item(&mut b, words, place);
    let arena =
        (kind == Kind::Arena).then_some(Arena { queue, tail: control, room: control, abort: control, known: Some(at) });
    table.insert(&mut b, &item, arena, &mut |b| {
        b.store(Type::Wide, Space::Global, control, 8 * control::ABORT, Arg::Const(abort::TABLE));
    });
    let sum = b.wide(Math::Add, at, step);
    b.set(at, sum);
    b.jump(next);
    b.place(end);
    b.op(Op::Return);
    b.finish("fill", fill_param::COUNT, 0, threads, 2)
}

/// The number of a thread among all, and how many there are.
pub(super) fn stride(b: &mut Builder, threads: u32) -> (Arg, Arg) {
    let thread = b.special(Special::Thread);
    let block = b.special(Special::Block);
    let blocks = b.special(Special::Blocks);
    let before = b.word(Math::Mul, block, threads);
    let at = b.word(Math::Add, before, thread);
    let all = b.word(Math::Mul, blocks, threads);
    (b.widen(at), b.widen(all))
}

/// Parameters of the way back.
pub(crate) mod back_param {
    pub(crate) const CONTROL: u32 = 0;
    pub(crate) const QUEUE: u32 = 1;
    pub(crate) const QUEUE_MASK: u32 = 2;
    pub(crate) const BOUNDS: u32 = 3;
    /// The level of the state with the key that is looked for.
    pub(crate) const LEVEL: u32 = 4;
    pub(crate) const KEY: u32 = 5;
    /// Two words and an item for each level: the least key, unused, the state.
    pub(crate) const OUT: u32 = 6;
    /// The level at which the way begins.
    pub(crate) const FIRST: u32 = 7;
    /// 0 where the state is looked for by its key; else it stands behind the level that is searched first.
    pub(crate) const KNOWN: u32 = 8;
    pub(crate) const COUNT: u32 = 9;
}

/// The way back from a state: for each level before it the least of the states that lead to the next one found. The queue must
/// hold these levels.
pub(crate) fn back(plan: &Plan<'_, '_>) -> Result<Program, Reason> {
    let (layout, threads) = (plan.layout, plan.sizes.threads);
    let words = layout.words;
    let parts = item_words(words) as u32;
    let mut b = Builder::default();
    let thread = b.special(Special::Thread);
    let control = b.param(back_param::CONTROL);
    let (number, step) = stride(&mut b, threads);
    let (number, step) = (b.copy(Type::Wide, number), b.copy(Type::Wide, step));
    let level = b.param(back_param::LEVEL);
    let level = b.copy(Type::Wide, level);
    let stack = Stack::new(&mut b, layout, number, back_param::COUNT);
    let beside = Beside::new(&mut b, layout, plan.automaton);
    let want: Vec<_> = (0..parts).map(|_| b.copy(Type::Wide, Arg::Const(0))).collect();
    let (hit, best_key) = (b.copy(Type::Flag, 0), b.copy(Type::Wide, Arg::Const(u64::MAX)));
    let best = b.copy(Type::Wide, Arg::Const(0));
    let finding = b.copy(Type::Flag, 1);
    let (each, scan, next, found, end) = (b.label(), b.label(), b.label(), b.label(), b.label());
    let entry_of = |b: &mut Builder, level: Arg| {
        let out = b.param(back_param::OUT);
        let place = b.wide(Math::Mul, level, Arg::from(8 * (parts + 2)));
        b.wide(Math::Add, out, place)
    };
    let known = b.param(back_param::KNOWN);
    let by_key = b.compare_wide(Relation::Eq, known, Arg::Const(0));
    b.jump_if(by_key, each);
    let behind = b.wide(Math::Add, level, Arg::Const(1));
    let behind = entry_of(&mut b, behind);
    for (k, to) in want.iter().enumerate() {
        let part = b.load(Type::Wide, Space::Global, behind, 8 * (k as u32 + 2));
        b.set(*to, part);
    }
    b.set(finding, 0);

    // The state itself is looked for, by its key; then, level by level, the state that leads to the one found last.
    b.place(each);
    let bounds = b.param(back_param::BOUNDS);
    let place = b.wide(Math::Shl, level, 3);
    let at = b.wide(Math::Add, bounds, place);
    let low = b.load(Type::Wide, Space::Global, at, 0);
    let high = b.load(Type::Wide, Space::Global, at, 8);
    b.set(best_key, Arg::Const(u64::MAX));
    let i = b.wide(Math::Add, low, number);
    let i = b.copy(Type::Wide, i);
    let out = entry_of(&mut b, level.into());
    let out = b.copy(Type::Wide, out);
    b.place(scan);
    let over = b.compare_wide(Relation::Ge, i, high);
    b.jump_if(over, found);
    let queue = b.param(back_param::QUEUE);
    let mask = b.param(back_param::QUEUE_MASK);
    let at = item_at(&mut b, words, queue, mask, i);
    let item = load_item(&mut b, words, at);
    let key = table::key(&mut b, &item);
    let key = b.copy(Type::Wide, key);
    let (judged, seek) = (b.label(), b.label());
    b.jump_if(Cond::When(finding, false), seek);
    let wanted = b.param(back_param::KEY);
    let is = b.compare_wide(Relation::Eq, key, wanted);
    let is = b.flag(is);
    b.set(hit, is);
    b.jump(judged);
    b.place(seek);
    b.set(hit, 0);
    let checks = Checks { assertions: false, end_states: false, empty_channels: false };
    let lower = Lower::new(b, layout, checks);
    let mut compare = |b: &mut Builder, state: &[_]| {
        let mut all = Cond::Known(true);
        for (a, c) in items(b, state).into_iter().zip(&want) {
            let same = b.compare_wide(Relation::Eq, a, *c);
            all = b.both(all, same);
        }
        let any = b.either(all, Cond::When(hit, true));
        let any = b.flag(any);
        b.set(hit, any);
    };
    let mut walk = Walk { control, stack: stack.as_ref(), beside: beside.as_ref(), each: &mut compare };
    let mut b = walk.expand(lower, &item)?;
    b.place(judged);
    b.jump_if(Cond::When(hit, false), next);
    let less = b.compare_wide(Relation::Lt, key, best_key);
    let index = b.select(Type::Wide, less, i, best);
    b.set(best, index);
    let least = b.wide(Math::Min, key, best_key);
    b.set(best_key, least);
    b.place(next);
    let sum = b.wide(Math::Add, i, step);
    b.set(i, sum);
    b.jump(scan);
    b.place(found);
    let told = b.label();
    let none = b.compare_wide(Relation::Eq, best_key, Arg::Const(u64::MAX));
    b.jump_if(none, told);
    b.atomic(Type::Wide, Atomic::Min, Space::Global, out, 0, best_key);
    b.place(told);
    meet(&mut b, control, thread);
    // The thread that has found the least writes it down.
    let least = b.load(Type::Wide, Space::Global, out, 0);
    let written = b.label();
    let other = b.compare_wide(Relation::Ne, least, best_key);
    b.jump_if(other, written);
    let missing = b.compare_wide(Relation::Eq, least, Arg::Const(u64::MAX));
    b.jump_if(missing, written);
    let queue = b.param(back_param::QUEUE);
    let mask = b.param(back_param::QUEUE_MASK);
    let at = item_at(&mut b, words, queue, mask, best);
    for (k, part) in load_item(&mut b, words, at).into_iter().enumerate() {
        b.store(Type::Wide, Space::Global, out, 8 * (k as u32 + 2), part);
    }
    b.place(written);
    meet(&mut b, control, thread);
    let lost = b.compare_wide(Relation::Eq, least, Arg::Const(u64::MAX));
    b.jump_if(lost, end);
    for (k, to) in want.iter().enumerate() {
        let part = b.load(Type::Wide, Space::Global, out, 8 * (k as u32 + 2));
        b.set(*to, part);
    }
    b.set(finding, 0);
    let top = b.param(back_param::FIRST);
    let top = b.compare_wide(Relation::Le, level, top);
    b.jump_if(top, end);
    let before = b.wide(Math::Sub, level, Arg::Const(1));
    b.set(level, before);
    b.jump(each);
    b.place(end);
    b.op(Op::Return);
    let program = b.finish("back", back_param::COUNT + u32::from(holds(layout)), 0, threads, 1);
    Ok(Program { scattered: true, ..program })
}
