//! The stage: successors of a chunk in shared memory, on their way to the table and the queue.

use super::beside::{self, Beside};
use super::{Sizing, abort, control, item_at, item_words, items, load_item, misfit, param, shared};
use crate::code::{Arg, Atomic, Builder, Cond, Label, Math, Op, Reg, Relation, Space, Type};
use crate::lower::Sink;
use crate::table::{self, Arena, Kind, Table};

/// Puts successors into the stage and onto the stack.
pub(super) struct Staging<'a> {
    pub(super) sizing: &'a Sizing,
    pub(super) control: Reg,
    /// The thread whose state from the queue is expanded.
    pub(super) origin: Reg,
    /// The automaton that moves with the processes.
    pub(super) beside: Option<Beside>,
}

impl Staging<'_> {
    /// Puts one state there.
    pub(super) fn stage(&self, b: &mut Builder, state: &[Reg]) {
        let place = b.atomic(Type::Word, Atomic::Add, Space::Shared, 0, shared::STAGED, 1);
        let full = b.label();
        let over = b.compare(Relation::Ge, false, place, self.sizing.stage_len());
        b.jump_if(over, full);
        let at = b.word(Math::Mul, place, self.sizing.item_bytes());
        for (k, part) in items(b, state).into_iter().enumerate() {
            b.store(Type::Wide, Space::Shared, at, shared::STAGE + 8 * k as u32, part);
        }
        if self.sizing.origins {
            let at = b.word(Math::Shl, place, 2);
            b.store(Type::Word, Space::Shared, at, self.sizing.origins_at(), self.origin);
        }
        b.place(full);
    }

    /// Puts a state inside `atomic` onto the stack.
    fn push(&self, b: &mut Builder, state: &[Reg], slot: usize) {
        let place = b.atomic(Type::Word, Atomic::Add, Space::Shared, 0, shared::HELD, 1);
        let (full, end) = (b.label(), b.label());
        let over = b.compare(Relation::Ge, false, place, self.sizing.stack_len());
        b.jump_if(over, full);
        let at = b.word(Math::Mul, place, self.sizing.held_bytes());
        for (k, word) in state.iter().enumerate() {
            b.store(Type::Word, Space::Shared, at, self.sizing.stack_at() + 4 * k as u32, *word);
        }
        let origin = b.word(Math::Shl, self.origin, 8);
        let who = b.word(Math::Or, origin, slot as u32 + 1);
        b.store(Type::Word, Space::Shared, at, self.sizing.stack_at() + 4 * state.len() as u32, who);
        b.jump(end);
        b.place(full);
        b.store(Type::Word, Space::Shared, 0, shared::STACK_OVER, 1);
        b.place(end);
    }

    /// A violation in the state from the queue.
    pub(super) fn violation(&self, b: &mut Builder) {
        b.atomic(Type::Word, Atomic::Add, Space::Shared, 0, shared::VIOLATIONS, 1);
        let word = b.word(Math::Shr, self.origin, 5);
        let at = b.word(Math::Shl, word, 2);
        let bit = b.word(Math::And, self.origin, 31);
        let bit = b.word(Math::Shl, 1, bit);
        b.atomic(Type::Word, Atomic::Or, Space::Shared, at, shared::WORST, bit);
    }
}

impl Sink for Staging<'_> {
    fn emit(&mut self, b: &mut Builder, state: &[Reg]) {
        beside::each(self.beside.as_ref(), b, state, &mut |b, state| self.stage(b, state));
    }

    fn hold(&mut self, b: &mut Builder, state: &[Reg], slot: usize) {
        beside::each(self.beside.as_ref(), b, state, &mut |b, state| self.push(b, state, slot));
    }

    fn fail(&mut self, b: &mut Builder) {
        // A formula asks for nothing but its own failure.
        if self.beside.is_none() {
            self.violation(b);
        }
    }

    fn overflow(&mut self, b: &mut Builder, field: Arg) {
        misfit(b, self.control, field);
    }
}

/// Keeps the least key of the states of a chunk that have a violation.
pub(super) fn remember_worst(
    b: &mut Builder,
    words: usize,
    thread: Reg,
    take: Arg,
    first: Reg,
    control: Reg,
    end: Label,
) {
    let beyond = b.compare(Relation::Ge, false, thread, take);
    b.jump_if(beyond, end);
    let word = b.word(Math::Shr, thread, 5);
    let at = b.word(Math::Shl, word, 2);
    let bits = b.load(Type::Word, Space::Shared, at, shared::WORST);
    let bit = b.word(Math::And, thread, 31);
    let down = b.word(Math::Shr, bits, bit);
    let is = b.word(Math::And, down, 1);
    let not = b.compare(Relation::Eq, false, is, 0);
    b.jump_if(not, end);
    let own = b.widen(thread);
    let own = b.wide(Math::Add, first, own);
    let queue = b.param(param::QUEUE);
    let mask = b.param(param::QUEUE_MASK);
    let at = item_at(b, words, queue, mask, own);
    let item = load_item(b, words, at);
    let key = table::key(b, &item);
    b.atomic(Type::Wide, Atomic::Min, Space::Global, control, 8 * control::WORST, key);
}

/// Looks the stage up and appends what is new to the queue.
#[allow(clippy::too_many_arguments)]
pub(super) fn insert_stage(
    b: &mut Builder,
    sizing: &Sizing,
    kind: Kind,
    thread: Reg,
    staged: Reg,
    control: Reg,
    lead: Cond,
    low: Reg,
) {
    let table = Table { kind, base: b.param(param::TABLE), mask: b.param(param::MASK) };
    let threads = sizing.sizes.threads;
    let arena = (kind == Kind::Arena).then(|| arena(b, control));
    let (fresh, bit, at) = (b.copy(Type::Word, 0), b.copy(Type::Word, 1), b.copy(Type::Word, thread));
    let (looking, done) = (b.label(), b.label());
    b.place(looking);
    let over = b.compare(Relation::Ge, false, at, staged);
    b.jump_if(over, done);
    let item = load_staged(b, sizing, at);
    let is_new = table.insert(b, &item, arena, &mut |b| {
        b.store(Type::Wide, Space::Global, control, 8 * control::ABORT, Arg::Const(abort::TABLE));
    });
    if sizing.origins {
        note_fresh(b, sizing, at, is_new);
    }
    let mark = b.select(Type::Word, Cond::When(is_new, true), bit, 0);
    let sum = b.word(Math::Or, fresh, mark);
    b.set(fresh, sum);
    let next = b.word(Math::Shl, bit, 1);
    b.set(bit, next);
    let next = b.word(Math::Add, at, threads);
    b.set(at, next);
    b.jump(looking);
    b.place(done);
    if arena.is_some() {
        // The states are in the queue already. All must have looked at the stage before it is filled again.
        b.op(Op::Barrier);
        return;
    }

    let count = b.reg(Type::Word);
    b.op(Op::Count { to: count, from: fresh.into() });
    let mine = b.copy(Type::Word, 0);
    let none = b.label();
    let nothing = b.compare(Relation::Eq, false, count, 0);
    b.jump_if(nothing, none);
    let place = b.atomic(Type::Word, Atomic::Add, Space::Shared, 0, shared::NEW, count);
    b.set(mine, place);
    b.place(none);
    b.op(Op::Barrier);
    let (got, room) = (b.label(), b.label());
    b.jump_if(!lead, got);
    let new = b.load(Type::Word, Space::Shared, 0, shared::NEW);
    let new = b.widen(new);
    let base = b.atomic(Type::Wide, Atomic::Add, Space::Global, control, 8 * control::TAIL, new);
    b.store(Type::Wide, Space::Shared, 0, shared::QUEUE_BASE, base);
    // The queue is a ring, in which the level at hand and the next one must fit; and there are limits to the table.
    let end = b.wide(Math::Add, base, new);
    let length = b.wide(Math::Sub, end, low);
    let mask = b.param(param::QUEUE_MASK);
    let fits = b.compare_wide(Relation::Le, length, mask);
    let whole = b.param(param::ROOM);
    let is_whole = b.compare_wide(Relation::Le, end, whole);
    let fits = b.both(fits, is_whole);
    b.jump_if(fits, room);
    b.store(Type::Wide, Space::Global, control, 8 * control::ABORT, Arg::Const(abort::QUEUE));
    b.store(Type::Wide, Space::Shared, 0, shared::QUEUE_BASE, Arg::Const(u64::MAX));
    b.place(room);
    let most = b.param(param::STATES_MAX);
    let fits = b.compare_wide(Relation::Le, end, most);
    b.jump_if(fits, got);
    b.store(Type::Wide, Space::Global, control, 8 * control::ABORT, Arg::Const(abort::TABLE));
    b.place(got);
    b.op(Op::Barrier);
    let base = b.load(Type::Wide, Space::Shared, 0, shared::QUEUE_BASE);
    let written = b.label();
    // Where there is no room nothing is written over.
    let lost = b.compare_wide(Relation::Eq, base, Arg::Const(u64::MAX));
    b.jump_if(lost, written);
    let mine = b.widen(mine);
    let first = b.wide(Math::Add, base, mine);
    let to = b.copy(Type::Wide, first);
    let writing = b.label();
    b.place(writing);
    let empty = b.compare(Relation::Eq, false, fresh, 0);
    b.jump_if(empty, written);
    let lowest = b.reg(Type::Word);
    b.op(Op::Lowest { to: lowest, from: fresh.into() });
    let less = b.word(Math::Sub, fresh, 1);
    let rest = b.word(Math::And, fresh, less);
    b.set(fresh, rest);
    let skip = b.word(Math::Mul, lowest, threads);
    let at = b.word(Math::Add, skip, thread);
    let item = load_staged(b, sizing, at);
    let queue = b.param(param::QUEUE);
    let mask = b.param(param::QUEUE_MASK);
    let place = item_at(b, sizing.words, queue, mask, to);
    for (k, part) in item.into_iter().enumerate() {
        b.store(Type::Wide, Space::Global, place, 8 * k as u32, part);
    }
    let next = b.wide(Math::Add, to, Arg::Const(1));
    b.set(to, next);
    b.jump(writing);
    b.place(written);
}

fn load_staged(b: &mut Builder, sizing: &Sizing, at: impl Into<Arg>) -> Vec<Reg> {
    let at = b.word(Math::Mul, at, sizing.item_bytes());
    let part = |k: usize| shared::STAGE + 8 * k as u32;
    (0..item_words(sizing.words)).map(|k| b.load(Type::Wide, Space::Shared, at, part(k))).collect()
}

/// The arena of the search.
fn arena(b: &mut Builder, control: Reg) -> Arena {
    let queue = b.param(param::QUEUE);
    let mask = b.param(param::QUEUE_MASK);
    let whole = b.wide(Math::Add, mask, Arg::Const(1));
    let most = b.param(param::STATES_MAX);
    let room = b.wide(Math::Min, whole, most);
    let at = |b: &mut Builder, word: u32| {
        let at = b.wide(Math::Add, control, Arg::from(8 * word));
        b.copy(Type::Wide, at)
    };
    let (tail, abort) = (at(b, control::TAIL), at(b, control::ABORT));
    Arena { queue, tail, room: b.copy(Type::Wide, room), abort, known: None }
}

/// Notes of the thread that a successor comes from that it is new.
fn note_fresh(b: &mut Builder, sizing: &Sizing, at: Reg, is_new: Reg) {
    let old = b.label();
    b.jump_if(Cond::When(is_new, false), old);
    let place = b.word(Math::Shl, at, 2);
    let origin = b.load(Type::Word, Space::Shared, place, sizing.origins_at());
    set_bit(b, shared::FRESH, origin);
    b.place(old);
}

/// Sets the bit of a thread.
fn set_bit(b: &mut Builder, bits: u32, thread: Reg) {
    let word = b.word(Math::Shr, thread, 5);
    let at = b.word(Math::Shl, word, 2);
    let bit = b.word(Math::And, thread, 31);
    let bit = b.word(Math::Shl, 1, bit);
    b.atomic(Type::Word, Atomic::Or, Space::Shared, at, bits, bit);
}

/// Whether the bit of a thread is clear.
pub(super) fn is_clear(b: &mut Builder, bits: u32, thread: Reg) -> Cond {
    let word = b.word(Math::Shr, thread, 5);
    let at = b.word(Math::Shl, word, 2);
    let bits = b.load(Type::Word, Space::Shared, at, bits);
    let bit = b.word(Math::And, thread, 31);
    let down = b.word(Math::Shr, bits, bit);
    let is = b.word(Math::And, down, 1);
    b.compare(Relation::Eq, false, is, 0)
}
