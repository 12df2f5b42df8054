//! Passes over the states that were found, for accepting cycles: "one way catch them young" (Cerna and Pelanek, "Distributed
//! explicit fair cycle detection", SPIN 2003), as graph processors do it (Barnat, Bauch, Brim, Ceska, JPDC 2012).
//!
//! Two numbers belong to each slot of the table: a *stamp*, which says in which round a state was reached last, and a count of
//! the states that lead to it. A pass goes through a list of states and looks its successors up in the table; what is found is
//! appended to another list. [`crate::search`] says in which order passes are made. Successors are computed anew each time.

use super::back::stride;
use super::beside::Beside;
use super::successors::{Stack, Walk};
use super::{Plan, abort, control, holds, item_at, item_words, items, load_item};
use crate::Reason;
use crate::code::{Address, Arg, Atomic, Builder, Cond, Math, Op, Program, Reg, Relation, Space, Type};
use crate::lower::{Checks, Lower};
use crate::table::{self, Table};

/// What a pass does.
pub(crate) mod mode {
    /// Appends accepting states with the stamp that is expected, and gives them the new one.
    pub(crate) const SEED: u64 = 0;
    /// Appends successors with the stamp that is expected, and gives them the new one.
    pub(crate) const REACH: u64 = 1;
    /// Counts, of each successor with the stamp that is expected, which states lead to it.
    pub(crate) const COUNT: u64 = 2;
    /// Appends states to which none leads, and gives them the new stamp.
    pub(crate) const LEAVES: u64 = 3;
    /// Counts one less for each successor with the stamp that is expected; those to which none leads then are appended and get
    /// the new stamp.
    pub(crate) const TRIM: u64 = 4;
    /// Finds the least key of an accepting state with the stamp that is expected.
    pub(crate) const LEAST: u64 = 5;
    /// Finds the number of the state with that key.
    pub(crate) const LOCATE: u64 = 6;
}

/// Parameters.
pub(crate) mod pass_param {
    pub(crate) const CONTROL: u32 = 0;
    pub(crate) const TABLE: u32 = 1;
    pub(crate) const MASK: u32 = 2;
    pub(crate) const QUEUE: u32 = 3;
    /// The list that is gone through: where it is, from which to which number.
    pub(crate) const LIST: u32 = 4;
    pub(crate) const FROM: u32 = 5;
    pub(crate) const TO: u32 = 6;
    /// The list that is appended to; its length is [`super::control::LENGTH`].
    pub(crate) const OUT: u32 = 7;
    pub(crate) const STAMPS: u32 = 8;
    pub(crate) const COUNTS: u32 = 9;
    pub(crate) const MODE: u32 = 10;
    pub(crate) const EXPECTED: u32 = 11;
    pub(crate) const NEW: u32 = 12;
    /// The item of a state: a state that leads to it sets [`super::control::HIT`].
    pub(crate) const WANT: u32 = 13;
    pub(crate) const COUNT: u32 = 14;
}

/// What all parts of a pass use.
struct Pass {
    control: Reg,
    table: Table,
    queue: Reg,
    mode: Reg,
    expected: Arg,
    new: Arg,
}

impl Pass {
    fn is(&self, b: &mut Builder, mode: u64) -> Cond {
        b.compare_wide(Relation::Eq, self.mode, Arg::Const(mode))
    }

    /// The addresses of stamp and count of a state.
    fn numbers(&self, b: &mut Builder, item: &[Reg]) -> (Arg, Arg) {
        let control = self.control;
        let slot = self.table.find(b, item, self.queue, &mut |b| {
            b.store(Type::Wide, Space::Global, control, 8 * control::ABORT, Arg::Const(abort::LOST));
        });
        let offset = b.wide(Math::Shl, slot, Arg::from(2));
        let (stamps, counts) = (b.param(pass_param::STAMPS), b.param(pass_param::COUNTS));
        (b.wide(Math::Add, stamps, offset), b.wide(Math::Add, counts, offset))
    }

    /// Gives a state the new stamp if it has the one that is expected; goes to `other` if not.
    fn stamp(&self, b: &mut Builder, at: Arg, other: crate::code::Label) {
        let old = b.reg(Type::Word);
        let at = Address { space: Space::Global, base: at, offset: 0 };
        b.op(Op::Swap { to: old, at, expected: self.expected, new: self.new });
        let differs = b.compare(Relation::Ne, false, old, self.expected);
        b.jump_if(differs, other);
    }

    fn append(&self, b: &mut Builder, item: &[Reg]) {
        let place = b.atomic(Type::Wide, Atomic::Add, Space::Global, self.control, 8 * control::LENGTH, Arg::Const(1));
        let offset = b.wide(Math::Mul, place, Arg::from(8 * item.len() as u32));
        let out = b.param(pass_param::OUT);
        let at = b.wide(Math::Add, out, offset);
        for (k, part) in item.iter().enumerate() {
            b.store(Type::Wide, Space::Global, at, 8 * k as u32, *part);
        }
    }

    /// What a pass does with a state of its list, where it needs no successors.
    fn visit(&self, b: &mut Builder, item: &[Reg], i: Reg, beside: &Beside, state: &[Reg], next: crate::code::Label) {
        let (located, leaves, least, seed) = (b.label(), b.label(), b.label(), b.label());
        let locates = self.is(b, mode::LOCATE);
        b.jump_if(!locates, located);
        let key = table::key(b, item);
        let wanted = b.load(Type::Wide, Space::Global, self.control, 8 * control::KEY);
        let other = b.compare_wide(Relation::Ne, key, wanted);
        b.jump_if(other, next);
        b.store(Type::Wide, Space::Global, self.control, 8 * control::NUMBER, i);
        b.jump(next);
        b.place(located);
        let (stamp, count) = self.numbers(b, item);
        let is_leaves = self.is(b, mode::LEAVES);
        b.jump_if(!is_leaves, leaves);
        let led_to = b.load(Type::Word, Space::Global, count, 0);
        let some = b.compare(Relation::Ne, false, led_to, 0);
        b.jump_if(some, next);
        b.jump(seed);
        b.place(leaves);
        super::unpack(b, item, state);
        let at = beside.at(b, state);
        let accepting = b.word(Math::Shr, beside.automaton.accepting(), at);
        let accepting = b.word(Math::And, accepting, 1);
        let not = b.compare(Relation::Eq, false, accepting, 0);
        b.jump_if(not, next);
        let seeds = self.is(b, mode::SEED);
        b.jump_if(!seeds, least);
        b.place(seed);
        self.stamp(b, stamp, next);
        b.store(Type::Word, Space::Global, count, 0, 0);
        self.append(b, item);
        b.jump(next);
        b.place(least);
        let there = b.load(Type::Word, Space::Global, stamp, 0);
        let other = b.compare(Relation::Ne, false, there, self.expected);
        b.jump_if(other, next);
        let key = table::key(b, item);
        b.atomic(Type::Wide, Atomic::Min, Space::Global, self.control, 8 * control::KEY, key);
        b.jump(next);
    }

    /// What a pass does with a successor of a state of its list.
    fn successor(&self, b: &mut Builder, item: &[Reg], want: &[Reg]) {
        let (end, counts, trims, other) = (b.label(), b.label(), b.label(), b.label());
        let (stamp, count) = self.numbers(b, item);
        let is_count = self.is(b, mode::COUNT);
        b.jump_if(is_count, counts);
        let is_trim = self.is(b, mode::TRIM);
        b.jump_if(is_trim, trims);
        let mut all = Cond::Known(true);
        for (a, c) in item.iter().zip(want) {
            let same = b.compare_wide(Relation::Eq, *a, *c);
            all = b.both(all, same);
        }
        b.jump_if(!all, other);
        b.store(Type::Wide, Space::Global, self.control, 8 * control::HIT, Arg::Const(1));
        b.place(other);
        self.stamp(b, stamp, end);
        b.store(Type::Word, Space::Global, count, 0, 0);
        self.append(b, item);
        b.jump(end);
        b.place(counts);
        let there = b.load(Type::Word, Space::Global, stamp, 0);
        let differs = b.compare(Relation::Ne, false, there, self.expected);
        b.jump_if(differs, end);
        b.atomic(Type::Word, Atomic::Add, Space::Global, count, 0, 1);
        b.jump(end);
        b.place(trims);
        let there = b.load(Type::Word, Space::Global, stamp, 0);
        let differs = b.compare(Relation::Ne, false, there, self.expected);
        b.jump_if(differs, end);
        let before = b.atomic(Type::Word, Atomic::Add, Space::Global, count, 0, u32::MAX);
        let more = b.compare(Relation::Ne, false, before, 1);
        b.jump_if(more, end);
        self.stamp(b, stamp, end);
        self.append(b, item);
        b.place(end);
    }
}

/// The kernel of all passes.
pub(crate) fn pass(plan: &Plan<'_, '_>) -> Result<Program, Reason> {
    let (layout, threads) = (plan.layout, plan.sizes.threads);
    let words = layout.words;
    let mut b = Builder::default();
    let (number, step) = stride(&mut b, threads);
    let (number, step) = (b.copy(Type::Wide, number), b.copy(Type::Wide, step));
    let stack = Stack::new(&mut b, layout, number, pass_param::COUNT);
    let beside = Beside::new(&mut b, layout, plan.automaton).expect("passes are for formulas");
    let control = b.param(pass_param::CONTROL);
    let table = Table { kind: plan.kind, base: b.param(pass_param::TABLE), mask: b.param(pass_param::MASK) };
    let queue = b.param(pass_param::QUEUE);
    let (mode, expected, new) = (b.param(pass_param::MODE), b.param(pass_param::EXPECTED), b.param(pass_param::NEW));
    let (expected, new) = (b.half(expected, false), b.half(new, false));
    let pass = Pass { control, table, queue, mode, expected, new };
    let want_at = b.param(pass_param::WANT);
    let want: Vec<Reg> =
        (0..item_words(words) as u32).map(|k| b.load(Type::Wide, Space::Global, want_at, 8 * k)).collect();
    let from = b.param(pass_param::FROM);
    let i = b.wide(Math::Add, from, number);
    let i = b.copy(Type::Wide, i);
    let (scan, visits, next, end) = (b.label(), b.label(), b.label(), b.label());
    b.place(scan);
    let to = b.param(pass_param::TO);
    let over = b.compare_wide(Relation::Ge, i, to);
    b.jump_if(over, end);
    let list = b.param(pass_param::LIST);
    let whole = b.copy(Type::Wide, Arg::Const(u64::MAX));
    let at = item_at(&mut b, words, list, whole, i);
    let item = load_item(&mut b, words, at);
    for expands in [mode::REACH, mode::COUNT, mode::TRIM] {
        let is = pass.is(&mut b, expands);
        b.jump_if(is, visits);
    }
    let checks = Checks { assertions: false, end_states: false, empty_channels: false };
    let mut lower = Lower::new(b, layout, checks);
    let source = lower.source.clone();
    pass.visit(&mut lower.b, &item, i, &beside, &source, next);
    lower.b.place(visits);
    let mut each = |b: &mut Builder, state: &[Reg]| {
        let item = items(b, state);
        pass.successor(b, &item, &want);
    };
    let mut walk = Walk { control, stack: stack.as_ref(), beside: Some(&beside), each: &mut each };
    let mut b = walk.expand(lower, &item)?;
    b.place(next);
    let sum = b.wide(Math::Add, i, step);
    b.set(i, sum);
    b.jump(scan);
    b.place(end);
    b.op(Op::Return);
    Ok(b.finish("pass", pass_param::COUNT + u32::from(holds(layout)), 0, threads, 2))
}
