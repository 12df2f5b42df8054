//! Filling a table, and the way back to the initial state.
//!
//! No parents are kept: level by level downwards all threads expand the level before, and look for the state that was found last.
//! Of those that lead to it the one with the least key is taken, so that trails are the same from run to run.

use super::{abort, control, expand, holds, item_at, item_words, items, load_item, meet, misfit, unpack};
use crate::Reason;
use crate::code::{Arg, Atomic, Builder, Cond, Math, Op, Program, Reg, Relation, Space, Special, Type};
use crate::layout::Layout;
use crate::lower::{Checks, Lower, Sink};
use crate::table::{self, Kind, Table};

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
    table.insert(&mut b, &item, &mut |b| {
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
fn stride(b: &mut Builder, threads: u32) -> (Arg, Arg) {
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
    pub(crate) const COUNT: u32 = 8;
}

/// Sees whether a state leads to the one that is looked for.
struct Seeking {
    want: Vec<Reg>,
    hit: Reg,
    /// Where the states inside `atomic` are kept, by thread.
    stack: Option<Stack>,
    control: Reg,
}

struct Stack {
    depth: Reg,
    base: Reg,
    words: usize,
}

/// States inside `atomic` that the way back keeps for a thread.
pub(crate) const BACK_STACK: u64 = 64;

/// Bytes of memory that each thread of the way back needs.
pub(crate) fn back_bytes(words: usize) -> u64 {
    BACK_STACK * 8 * (item_words(words) as u64 + 1)
}

impl Sink for Seeking {
    fn emit(&mut self, b: &mut Builder, state: &[Reg]) {
        let mut all = Cond::Known(true);
        for (a, c) in items(b, state).into_iter().zip(self.want.clone()) {
            let same = b.compare_wide(Relation::Eq, a, c);
            all = b.both(all, same);
        }
        let hit = b.either(all, Cond::When(self.hit, true));
        let hit = b.flag(hit);
        b.set(self.hit, hit);
    }

    fn hold(&mut self, b: &mut Builder, state: &[Reg], slot: usize) {
        let Some(stack) = &self.stack else { unreachable!("a process holds") };
        let (full, end) = (b.label(), b.label());
        let over = b.compare(Relation::Ge, false, stack.depth, BACK_STACK as u32);
        b.jump_if(over, full);
        let at = b.word(Math::Mul, stack.depth, 8 * (item_words(stack.words) as u32 + 1));
        let at = b.widen(at);
        let at = b.wide(Math::Add, at, stack.base);
        for (k, part) in items(b, state).into_iter().enumerate() {
            b.store(Type::Wide, Space::Global, at, 8 * (k as u32 + 1), part);
        }
        b.store(Type::Wide, Space::Global, at, 0, Arg::Const(slot as u64 + 1));
        let more = b.word(Math::Add, stack.depth, 1);
        b.set(stack.depth, more);
        b.jump(end);
        b.place(full);
        b.store(Type::Wide, Space::Global, self.control, 8 * control::ABORT, Arg::Const(abort::STACK));
        b.place(end);
    }

    fn fail(&mut self, _: &mut Builder) {}

    fn overflow(&mut self, b: &mut Builder, field: Arg) {
        misfit(b, self.control, field);
    }
}

/// The way back from a state: for each level before it the least of the states that lead to the next one found. The queue must
/// be whole.
pub(crate) fn back(layout: &Layout<'_>, threads: u32, stacks: u32) -> Result<Program, Reason> {
    let words = layout.words;
    let parts = item_words(words) as u32;
    let mut b = Builder::default();
    let thread = b.special(Special::Thread);
    let control = b.param(back_param::CONTROL);
    let (number, step) = stride(&mut b, threads);
    let (number, step) = (b.copy(Type::Wide, number), b.copy(Type::Wide, step));
    let level = b.param(back_param::LEVEL);
    let level = b.copy(Type::Wide, level);
    let only = holds(layout).then(|| b.copy(Type::Word, 0));
    let stack = only.map(|_| {
        let memory = b.param(back_param::COUNT);
        let offset = b.wide(Math::Mul, number, Arg::Const(back_bytes(words)));
        let base = b.wide(Math::Add, memory, offset);
        Stack { depth: b.copy(Type::Word, 0), base: b.copy(Type::Wide, base), words }
    });
    let want: Vec<Reg> = (0..parts).map(|_| b.copy(Type::Wide, Arg::Const(0))).collect();
    let (hit, best_key) = (b.copy(Type::Flag, 0), b.copy(Type::Wide, Arg::Const(u64::MAX)));
    let best = b.copy(Type::Wide, Arg::Const(0));
    let finding = b.copy(Type::Flag, 1);
    let mut sink = Seeking { want, hit, stack, control };
    let (each, scan, next, found, end) = (b.label(), b.label(), b.label(), b.label(), b.label());

    // First the state itself is looked for, by its key; then, level by level, who leads to the one found last.
    b.place(each);
    let bounds = b.param(back_param::BOUNDS);
    let place = b.wide(Math::Shl, level, 3);
    let at = b.wide(Math::Add, bounds, place);
    let low = b.load(Type::Wide, Space::Global, at, 0);
    let high = b.load(Type::Wide, Space::Global, at, 8);
    b.set(best_key, Arg::Const(u64::MAX));
    let i = b.wide(Math::Add, low, number);
    let i = b.copy(Type::Wide, i);
    let out = b.param(back_param::OUT);
    let place = b.wide(Math::Mul, level, Arg::from(8 * (parts + 2)));
    let out = b.wide(Math::Add, out, place);
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
    let mut lower = Lower::new(b, layout, checks);
    let source = lower.source.clone();
    unpack(&mut lower.b, &item, &source);
    if let Some(only) = only {
        lower.b.set(only, 0);
    }
    let expanding = lower.b.label();
    lower.b.place(expanding);
    let moved = lower.moved;
    lower.b.set(moved, 0);
    expand(&mut lower, &mut sink, only)?;
    let mut b = lower.b;
    if let Some(only) = only {
        let Some(Stack { depth, base, .. }) = sink.stack else { unreachable!("a process holds") };
        let (free, popped) = (b.label(), b.label());
        let is_free = b.compare(Relation::Eq, false, only, 0);
        b.jump_if(is_free, free);
        b.jump_if(Cond::When(moved, true), free);
        sink.emit(&mut b, &source);
        b.place(free);
        let empty = b.compare(Relation::Eq, false, depth, 0);
        b.jump_if(empty, popped);
        let less = b.word(Math::Sub, depth, 1);
        b.set(depth, less);
        let at = b.word(Math::Mul, depth, 8 * (parts + 1));
        let at = b.widen(at);
        let at = b.wide(Math::Add, at, base);
        let who = b.load(Type::Wide, Space::Global, at, 0);
        let who = b.half(who, false);
        b.set(only, who);
        let held: Vec<Reg> = (0..parts).map(|k| b.load(Type::Wide, Space::Global, at, 8 * (k + 1))).collect();
        unpack(&mut b, &held, &source);
        b.jump(expanding);
        b.place(popped);
    }
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
    meet(&mut b, control, thread, &mut |_| {});
    // Whoever has found the least writes it down.
    let least = b.load(Type::Wide, Space::Global, out, 0);
    let written = b.label();
    let other = b.compare_wide(Relation::Ne, least, best_key);
    b.jump_if(other, written);
    let none = b.compare_wide(Relation::Eq, least, Arg::Const(u64::MAX));
    b.jump_if(none, written);
    let queue = b.param(back_param::QUEUE);
    let mask = b.param(back_param::QUEUE_MASK);
    let at = item_at(&mut b, words, queue, mask, best);
    for (k, part) in load_item(&mut b, words, at).into_iter().enumerate() {
        b.store(Type::Wide, Space::Global, out, 8 * (k as u32 + 2), part);
    }
    b.place(written);
    meet(&mut b, control, thread, &mut |_| {});
    let lost = b.compare_wide(Relation::Eq, least, Arg::Const(u64::MAX));
    b.jump_if(lost, end);
    for (k, to) in sink.want.clone().into_iter().enumerate() {
        let part = b.load(Type::Wide, Space::Global, out, 8 * (k as u32 + 2));
        b.set(to, part);
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
    Ok(b.finish("back", back_param::COUNT + stacks, 0, threads, 1))
}
