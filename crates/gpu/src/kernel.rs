//! The kernels: the search; [`back`] has the way back, and filling a table.
//!
//! One persistent kernel searches level by level; a level ends at a barrier among all blocks. A block takes a *chunk* of states
//! from the queue, one thread a state; successors go to a *stage* in shared memory; then the block looks the stage up in the
//! table, and new states get places in the queue by one addition. Successors inside `atomic` go to a *stack* in shared memory
//! and are expanded by their process alone until they leave it. A chunk whose stage or stack runs over is taken again, smaller:
//! nothing of it has been stored yet, and its counts are dropped.
//!
//! *Whatever stops the search is decided once*, by the last block that arrives at the barrier, in a word that all read behind
//! it. A block that cannot go on says so in another word ([`control::ABORT`]), upon which all blocks stop taking chunks and meet
//! at the barrier.

mod back;

use crate::Reason;
use crate::code::{Arg, Atomic, Builder, Cond, Label, Math, Op, Program, Reg, Relation, Space, Special, Type};
use crate::layout::Layout;
use crate::lower::{Checks, Lower, Sink};
use crate::table::{self, Kind, Table};

pub(crate) use back::{back, back_bytes, back_param, fill, fill_param};

/// Words of the memory through which host and kernels speak, 8 bytes each.
pub(crate) mod control {
    pub(crate) const CURSOR: u32 = 0;
    pub(crate) const TAIL: u32 = 1;
    /// The level that is expanded: from here
    pub(crate) const LOW: u32 = 2;
    /// to here.
    pub(crate) const HIGH: u32 = 3;
    pub(crate) const ARRIVED: u32 = 4;
    pub(crate) const GENERATION: u32 = 5;
    pub(crate) const LEVEL: u32 = 6;
    /// Why all blocks leave: see [`super::Stop`].
    pub(crate) const STOP: u32 = 7;
    /// Why the level cannot be completed: see [`super::Abort`].
    pub(crate) const ABORT: u32 = 8;
    /// Counts of the level at hand: arrivals, steps inside `atomic`, violations, states expanded, and the same of all levels
    /// that are complete.
    pub(crate) const PENDING: u32 = 9;
    pub(crate) const TOTAL: u32 = 13;
    /// The least key of a state with a violation.
    pub(crate) const WORST: u32 = 17;
    /// The level of the first violation, plus one.
    pub(crate) const FIRST: u32 = 18;
    /// The key then.
    pub(crate) const FIRST_KEY: u32 = 19;
    /// The size of the largest level.
    pub(crate) const WIDEST: u32 = 20;
    /// Fields into which a value did not fit, one bit for each.
    pub(crate) const MISFITS: u32 = 24;
    /// How many words there are; the others are for the fields.
    pub(crate) const COUNT: u32 = MISFITS + 64;
    /// Fields that have a bit.
    pub(crate) const FIELDS_MAX: usize = 64 * 64;
}

/// Why the kernel returned.
pub(crate) mod stop {
    pub(crate) const DONE: u64 = 1;
    /// Its time was over.
    pub(crate) const SLICE: u64 = 2;
    pub(crate) const ABORTED: u64 = 3;
    pub(crate) const VIOLATIONS: u64 = 4;
    pub(crate) const DEPTH: u64 = 5;
    /// The table should grow.
    pub(crate) const GROW: u64 = 6;
}

/// Why a level was not completed.
pub(crate) mod abort {
    pub(crate) const MISFIT: u64 = 1;
    pub(crate) const TABLE: u64 = 2;
    pub(crate) const QUEUE: u64 = 3;
    /// The successors of one state do not fit the stage.
    pub(crate) const STAGE: u64 = 4;
    pub(crate) const STACK: u64 = 5;
    /// An `atomic` does not end.
    pub(crate) const ENDLESS: u64 = 6;
}

/// Parameters of the search.
pub(crate) mod param {
    pub(crate) const CONTROL: u32 = 0;
    pub(crate) const TABLE: u32 = 1;
    pub(crate) const MASK: u32 = 2;
    pub(crate) const QUEUE: u32 = 3;
    pub(crate) const QUEUE_MASK: u32 = 4;
    /// Where each level begins.
    pub(crate) const BOUNDS: u32 = 5;
    /// More states than this are too many for the table.
    pub(crate) const STATES_MAX: u32 = 6;
    /// From this number on the table should grow at the end of a level.
    pub(crate) const GROW_AT: u32 = 7;
    pub(crate) const CYCLES: u32 = 8;
    pub(crate) const LEVELS_MAX: u32 = 9;
    pub(crate) const VIOLATIONS_MAX: u32 = 10;
    /// States that the queue takes before it may become a ring.
    pub(crate) const ROOM: u32 = 11;
    pub(crate) const COUNT: u32 = 12;
}

/// Rounds inside `atomic` that one chunk may take.
const ROUNDS_MAX: u32 = 1 << 22;

/// Sizes of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sizes {
    /// Threads, at most 256.
    pub threads: u32,
    /// Places in the stage for each thread, at most 32.
    pub stage: u32,
    /// Places on the stack for each thread.
    pub stack: u32,
    /// Blocks of a multiprocessor that registers must be left for.
    pub blocks_min: u32,
}

impl Default for Sizes {
    fn default() -> Self {
        Sizes { threads: 256, stage: 8, stack: 4, blocks_min: 5 }
    }
}

/// Places in shared memory, in bytes.
mod shared {
    pub(super) const BASE: u32 = 0;
    pub(super) const QUEUE_BASE: u32 = 8;
    /// Successors in the stage.
    pub(super) const STAGED: u32 = 16;
    pub(super) const NEW: u32 = 20;
    /// States on the stack.
    pub(super) const HELD: u32 = 24;
    pub(super) const STACK_OVER: u32 = 28;
    pub(super) const VIOLATIONS: u32 = 32;
    /// Counts of the block: as in [`super::control::PENDING`].
    pub(super) const COUNTS: u32 = 40;
    /// One bit a thread whose state has a violation.
    pub(super) const WORST: u32 = 72;
    pub(super) const STAGE: u32 = 112;
}

/// Words of an item of the queue.
pub(crate) fn item_words(words: usize) -> usize {
    words.div_ceil(2)
}

struct Sizing {
    sizes: Sizes,
    words: usize,
}

impl Sizing {
    fn item_bytes(&self) -> u32 {
        8 * item_words(self.words) as u32
    }

    fn stage_len(&self) -> u32 {
        self.sizes.threads * self.sizes.stage
    }

    fn stack_at(&self) -> u32 {
        shared::STAGE + self.stage_len() * self.item_bytes()
    }

    fn held_bytes(&self) -> u32 {
        4 * (self.words as u32 + 1)
    }

    fn stack_len(&self) -> u32 {
        self.sizes.threads * self.sizes.stack
    }

    fn bytes(&self, holds: bool) -> u32 {
        let stack = if holds { self.stack_len() * self.held_bytes() } else { 0 };
        (self.stack_at() + stack).next_multiple_of(16)
    }
}

/// Joins the words of a state to items of the queue.
fn items(b: &mut Builder, state: &[Reg]) -> Vec<Reg> {
    state.chunks(2).map(|c| b.join(c[0], c.get(1).map_or(Arg::from(0), |r| (*r).into()))).collect()
}

/// Takes an item apart.
fn unpack(b: &mut Builder, item: &[Reg], state: &[Reg]) {
    for (k, to) in state.iter().enumerate() {
        let half = b.half(item[k / 2], k % 2 == 1);
        b.set(*to, half);
    }
}

/// The address of an item of the queue.
fn item_at(b: &mut Builder, words: usize, queue: Reg, mask: Reg, index: impl Into<Arg>) -> Arg {
    let place = b.wide(Math::And, index, mask);
    let offset = b.wide(Math::Mul, place, Arg::from(8 * item_words(words) as u32));
    b.wide(Math::Add, offset, queue)
}

fn load_item(b: &mut Builder, words: usize, at: Arg) -> Vec<Reg> {
    (0..item_words(words)).map(|k| b.load(Type::Wide, Space::Global, at, 8 * k as u32)).collect()
}

/// Waits until all blocks are here; the last one to arrive runs `last`.
fn meet(b: &mut Builder, control: Reg, thread: Reg, last: &mut dyn FnMut(&mut Builder)) {
    use control::*;
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
    last(b);
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

/// Puts successors into the stage and onto the stack.
struct Staging<'a> {
    sizing: &'a Sizing,
    control: Reg,
    /// The thread whose state from the queue is expanded.
    origin: Reg,
}

impl Staging<'_> {
    fn stage(&self, b: &mut Builder, state: &[Reg]) {
        let place = b.atomic(Type::Word, Atomic::Add, Space::Shared, 0, shared::STAGED, 1);
        let full = b.label();
        let over = b.compare(Relation::Ge, false, place, self.sizing.stage_len());
        b.jump_if(over, full);
        let at = b.word(Math::Mul, place, self.sizing.item_bytes());
        for (k, part) in items(b, state).into_iter().enumerate() {
            b.store(Type::Wide, Space::Shared, at, shared::STAGE + 8 * k as u32, part);
        }
        b.place(full);
    }
}

impl Sink for Staging<'_> {
    fn emit(&mut self, b: &mut Builder, state: &[Reg]) {
        self.stage(b, state);
    }

    fn hold(&mut self, b: &mut Builder, state: &[Reg], slot: usize) {
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

    fn fail(&mut self, b: &mut Builder) {
        b.atomic(Type::Word, Atomic::Add, Space::Shared, 0, shared::VIOLATIONS, 1);
        let word = b.word(Math::Shr, self.origin, 5);
        let at = b.word(Math::Shl, word, 2);
        let bit = b.word(Math::And, self.origin, 31);
        let bit = b.word(Math::Shl, 1, bit);
        b.atomic(Type::Word, Atomic::Or, Space::Shared, at, shared::WORST, bit);
    }

    fn overflow(&mut self, b: &mut Builder, field: Arg) {
        misfit(b, self.control, field);
    }
}

/// Says which field was too narrow.
fn misfit(b: &mut Builder, control: Reg, field: Arg) {
    let word = b.word(Math::Shr, field, 6);
    let word = b.word(Math::Shl, word, 3);
    let word = b.widen(word);
    let at = b.wide(Math::Add, control, word);
    let bit = b.word(Math::And, field, 63);
    let bit = b.wide(Math::Shl, Arg::Const(1), bit);
    b.atomic(Type::Wide, Atomic::Or, Space::Global, at, 8 * control::MISFITS, bit);
    b.store(Type::Wide, Space::Global, control, 8 * control::ABORT, Arg::Const(abort::MISFIT));
}

/// Expands the state in [`Lower::source`], a second time with `timeout` where nothing can move; the caller has set
/// [`Lower::moved`] to false. `only` is as in [`Lower::expand`].
fn expand(lower: &mut Lower<'_, '_>, sink: &mut dyn Sink, only: Option<Reg>) -> Result<(), Reason> {
    if !lower.layout.model.uses.timeout {
        return lower.expand(sink, only);
    }
    let again = lower.b.label();
    let timeout = lower.b.copy(Type::Flag, 0);
    lower.timeout = Cond::When(timeout, true);
    let end = lower.b.label();
    lower.b.place(again);
    lower.expand(sink, only)?;
    lower.b.jump_if(Cond::When(lower.moved, true), end);
    lower.b.jump_if(Cond::When(timeout, true), end);
    if let Some(only) = only {
        // Inside `atomic` there is no timeout.
        let inside = lower.b.compare(Relation::Ne, false, only, 0);
        lower.b.jump_if(inside, end);
    }
    lower.b.set(timeout, 1);
    lower.b.jump(again);
    lower.b.place(end);
    Ok(())
}

/// Whether some edge keeps control in its process.
fn holds(layout: &Layout<'_>) -> bool {
    layout.model.edges.iter().any(|e| e.atomic)
}

/// The search.
pub(crate) fn search(layout: &Layout<'_>, kind: Kind, sizes: Sizes, checks: Checks) -> Result<Program, Reason> {
    use control::*;
    let sizing = Sizing { sizes, words: layout.words };
    let holds = holds(layout);
    let mut b = Builder::default();
    let thread = b.special(Special::Thread);
    let control = b.param(param::CONTROL);
    let began = b.special(Special::Clock);
    let lead = b.compare(Relation::Eq, false, thread, 0);
    let lead = Cond::When(b.flag(lead), true);
    // Counts of the block.
    let counted = b.label();
    b.jump_if(!lead, counted);
    (0..4).for_each(|i| b.store(Type::Wide, Space::Shared, 0, shared::COUNTS + 8 * i, Arg::Const(0)));
    b.place(counted);
    let limit = b.copy(Type::Word, sizes.threads);
    let (level, chunk, part, meeting, leave) = (b.label(), b.label(), b.label(), b.label(), b.label());

    b.place(level);
    let low = b.load(Type::Wide, Space::Global, control, 8 * LOW);
    let high = b.load(Type::Wide, Space::Global, control, 8 * HIGH);
    let stop = b.load(Type::Wide, Space::Global, control, 8 * STOP);
    let stops = b.compare_wide(Relation::Ne, stop, Arg::Const(0));
    b.jump_if(stops, leave);
    // Small levels are shared out among all blocks.
    let claim = {
        let blocks = b.special(Special::Blocks);
        let size = b.wide(Math::Sub, high, low);
        let most = b.word(Math::Mul, blocks, sizes.threads);
        let most = b.widen(most);
        let size = b.wide(Math::Min, size, most);
        let size = b.half(size, false);
        let less = b.word(Math::Sub, blocks, 1);
        let up = b.word(Math::Add, size, less);
        let share = b.word(Math::Div, up, blocks);
        let share = b.word(Math::Add, share, 31);
        let share = b.word(Math::And, share, !31);
        b.word(Math::Min, share, sizes.threads)
    };

    b.place(chunk);
    let (claimed, none, give) = (b.label(), b.label(), b.label());
    b.jump_if(!lead, claimed);
    let aborted = b.load(Type::Wide, Space::Global, control, 8 * ABORT);
    let aborts = b.compare_wide(Relation::Ne, aborted, Arg::Const(0));
    b.jump_if(aborts, none);
    let now = b.special(Special::Clock);
    let took = b.wide(Math::Sub, now, began);
    let cycles = b.param(param::CYCLES);
    let late = b.compare_wide(Relation::Gt, took, cycles);
    b.jump_if(late, none);
    let wide_claim = b.widen(claim);
    let got = b.atomic(Type::Wide, Atomic::Add, Space::Global, control, 8 * CURSOR, wide_claim);
    b.store(Type::Wide, Space::Shared, 0, shared::BASE, got);
    b.jump(give);
    b.place(none);
    b.store(Type::Wide, Space::Shared, 0, shared::BASE, Arg::Const(u64::MAX));
    b.place(give);
    b.place(claimed);
    b.op(Op::Barrier);
    let base = b.load(Type::Wide, Space::Shared, 0, shared::BASE);
    let over = b.compare_wide(Relation::Ge, base, high);
    b.jump_if(over, meeting);
    let rest = b.wide(Math::Sub, high, base);
    let wide_claim = b.widen(claim);
    let rest = b.wide(Math::Min, rest, wide_claim);
    let left = b.half(rest, false);
    let left = b.copy(Type::Word, left);
    let first = b.copy(Type::Wide, base);

    // A part of the chunk, as large as the stage has been able to take.
    b.place(part);
    let take = b.word(Math::Min, left, limit);
    let reset = b.label();
    b.jump_if(!lead, reset);
    for place in [shared::STAGED, shared::NEW, shared::HELD, shared::STACK_OVER, shared::VIOLATIONS] {
        b.store(Type::Word, Space::Shared, 0, place, 0);
    }
    (0..8).for_each(|i| b.store(Type::Word, Space::Shared, 0, shared::WORST + 4 * i, 0));
    b.place(reset);
    b.op(Op::Barrier);
    let inner = b.copy(Type::Word, 0);
    let origin = b.copy(Type::Word, thread);
    let only = holds.then(|| b.copy(Type::Word, 0));
    let (idle, expanding, expanded, inside) = (b.label(), b.label(), b.label(), b.label());
    let mine = b.compare(Relation::Ge, false, thread, take);
    b.jump_if(mine, idle);
    let own = b.widen(thread);
    let own = b.wide(Math::Add, first, own);
    let queue = b.param(param::QUEUE);
    let mask = b.param(param::QUEUE_MASK);
    let at = item_at(&mut b, layout.words, queue, mask, own);
    let item = load_item(&mut b, layout.words, at);
    let mut sink = Staging { sizing: &sizing, control, origin };
    let mut lower = Lower::new(b, layout, checks);
    let source = lower.source.clone();
    unpack(&mut lower.b, &item, &source);
    lower.b.place(expanding);
    let moved = lower.moved;
    lower.b.set(moved, 0);
    expand(&mut lower, &mut sink, only)?;
    lower.b.jump_if(Cond::When(moved, true), expanded);
    if let Some(only) = only {
        // Who is blocked inside `atomic` loses control.
        let free = lower.b.label();
        let is_free = lower.b.compare(Relation::Eq, false, only, 0);
        lower.b.jump_if(is_free, free);
        sink.stage(&mut lower.b, &source);
        lower.b.jump(expanded);
        lower.b.place(free);
    }
    let valid = lower.valid_end();
    lower.b.jump_if(valid, expanded);
    sink.fail(&mut lower.b);
    lower.b.place(expanded);
    let mut b = lower.b;
    b.place(idle);
    if let Some(only) = only {
        // States inside `atomic`, last in, first out.
        let out = b.label();
        b.op(Op::Barrier);
        let held = b.load(Type::Word, Space::Shared, 0, shared::HELD);
        let over = b.load(Type::Word, Space::Shared, 0, shared::STACK_OVER);
        let empty = b.compare(Relation::Eq, false, held, 0);
        b.jump_if(empty, out);
        let full = b.compare(Relation::Ne, false, over, 0);
        b.jump_if(full, out);
        let taken = b.word(Math::Min, held, sizes.threads);
        let sum = b.word(Math::Add, inner, taken);
        b.set(inner, sum);
        let endless = b.compare(Relation::Gt, false, inner, ROUNDS_MAX);
        let goes_on = b.label();
        b.jump_if(!endless, goes_on);
        b.store(Type::Wide, Space::Global, control, 8 * ABORT, Arg::Const(abort::ENDLESS));
        b.jump(out);
        b.place(goes_on);
        let (nothing, fetched) = (b.label(), b.label());
        let none = b.compare(Relation::Ge, false, thread, taken);
        b.jump_if(none, nothing);
        let below = b.word(Math::Sub, held, 1);
        let place = b.word(Math::Sub, below, thread);
        let at = b.word(Math::Mul, place, sizing.held_bytes());
        for (k, to) in source.iter().enumerate() {
            let word = b.load(Type::Word, Space::Shared, at, sizing.stack_at() + 4 * k as u32);
            b.set(*to, word);
        }
        let who = b.load(Type::Word, Space::Shared, at, sizing.stack_at() + 4 * source.len() as u32);
        let slot = b.word(Math::And, who, 255);
        b.set(only, slot);
        let from = b.word(Math::Shr, who, 8);
        b.set(origin, from);
        b.jump(fetched);
        b.place(nothing);
        b.set(only, 0);
        source.iter().for_each(|word| b.set(*word, 0));
        b.place(fetched);
        b.op(Op::Barrier);
        let kept = b.label();
        b.jump_if(!lead, kept);
        let rest = b.word(Math::Sub, held, taken);
        b.store(Type::Word, Space::Shared, 0, shared::HELD, rest);
        b.place(kept);
        b.op(Op::Barrier);
        let has = b.compare(Relation::Ne, false, only, 0);
        b.jump_if(has, expanding);
        b.jump(idle);
        b.place(out);
    }
    b.place(inside);
    b.op(Op::Barrier);
    let staged = b.load(Type::Word, Space::Shared, 0, shared::STAGED);
    let over = b.load(Type::Word, Space::Shared, 0, shared::STACK_OVER);
    let violations = b.load(Type::Word, Space::Shared, 0, shared::VIOLATIONS);
    let stage_over = b.compare(Relation::Gt, false, staged, sizing.stage_len());
    let stack_over = b.compare(Relation::Ne, false, over, 0);
    let again = b.either(stage_over, stack_over);
    let fits = b.label();
    b.jump_if(!again, fits);
    // Once more with fewer states. All must have read what the first of them resets.
    b.op(Op::Barrier);
    let half = b.word(Math::Shr, take, 1);
    b.set(limit, half);
    let some = b.compare(Relation::Ne, false, half, 0);
    b.jump_if(some, part);
    b.set(limit, 1);
    let why = b.select(Type::Wide, stack_over, Arg::Const(abort::STACK), Arg::Const(abort::STAGE));
    b.store(Type::Wide, Space::Global, control, 8 * ABORT, why);
    b.jump(chunk);
    b.place(fits);

    let worst = b.label();
    let fine = b.compare(Relation::Eq, false, violations, 0);
    b.jump_if(fine, worst);
    remember_worst(&mut b, layout.words, thread, take, first, control, worst);
    b.place(worst);
    insert_stage(&mut b, &sizing, kind, thread, staged, control, lead, low);
    // Counts.
    let counted = b.label();
    b.jump_if(!lead, counted);
    for (i, count) in [staged.into(), inner.into(), violations.into(), take].into_iter().enumerate() {
        let place = shared::COUNTS + 8 * i as u32;
        let sum = b.load(Type::Wide, Space::Shared, 0, place);
        let more = b.widen(count);
        let sum = b.wide(Math::Add, sum, more);
        b.store(Type::Wide, Space::Shared, 0, place, sum);
    }
    b.place(counted);
    // The next part is smaller where the stage was nearly full, and larger where it was not.
    let (smaller, sized) = (b.label(), b.label());
    let tight = b.compare(Relation::Gt, false, staged, sizing.stage_len() / 8 * 7);
    b.jump_if(tight, smaller);
    let roomy = b.compare(Relation::Lt, false, staged, sizing.stage_len() / 8 * 5);
    let more = b.word(Math::Add, limit, sizes.threads.div_ceil(8));
    let more = b.word(Math::Min, more, sizes.threads);
    let whole = b.compare(Relation::Ge, false, take, limit);
    let grows = b.both(roomy, whole);
    let new = b.select(Type::Word, grows, more, limit);
    b.set(limit, new);
    b.jump(sized);
    b.place(smaller);
    let quarter = b.word(Math::Shr, limit, 2);
    let less = b.word(Math::Sub, limit, quarter);
    b.set(limit, less);
    b.place(sized);
    let rest = b.word(Math::Sub, left, take);
    b.set(left, rest);
    let step = b.widen(take);
    let next = b.wide(Math::Add, first, step);
    b.set(first, next);
    let more = b.compare(Relation::Ne, false, left, 0);
    b.jump_if(more, part);
    b.jump(chunk);

    // The level ends when all blocks are here.
    b.place(meeting);
    let flushed = b.label();
    b.jump_if(!lead, flushed);
    for i in 0..4 {
        let sum = b.load(Type::Wide, Space::Shared, 0, shared::COUNTS + 8 * i);
        b.atomic(Type::Wide, Atomic::Add, Space::Global, control, 8 * (PENDING + i), sum);
        b.store(Type::Wide, Space::Shared, 0, shared::COUNTS + 8 * i, Arg::Const(0));
    }
    b.place(flushed);
    meet(&mut b, control, thread, &mut |b| decide(b, control, low, high));
    b.jump(level);
    b.place(leave);
    b.op(Op::Return);
    Ok(b.finish("search", param::COUNT, sizing.bytes(holds), sizes.threads, sizes.blocks_min))
}

/// Keeps the least key of the states of a chunk that have a violation.
fn remember_worst(b: &mut Builder, words: usize, thread: Reg, take: Arg, first: Reg, control: Reg, end: Label) {
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
fn insert_stage(
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
    let (fresh, bit, at) = (b.copy(Type::Word, 0), b.copy(Type::Word, 1), b.copy(Type::Word, thread));
    let (looking, done) = (b.label(), b.label());
    b.place(looking);
    let over = b.compare(Relation::Ge, false, at, staged);
    b.jump_if(over, done);
    let item = load_staged(b, sizing, at);
    let is_new = table.insert(b, &item, &mut |b| {
        b.store(Type::Wide, Space::Global, control, 8 * control::ABORT, Arg::Const(abort::TABLE));
    });
    let mark = b.select(Type::Word, Cond::When(is_new, true), bit, 0);
    let sum = b.word(Math::Or, fresh, mark);
    b.set(fresh, sum);
    let next = b.word(Math::Shl, bit, 1);
    b.set(bit, next);
    let next = b.word(Math::Add, at, threads);
    b.set(at, next);
    b.jump(looking);
    b.place(done);

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

/// What the last block does at the end of a level: it decides how to go on.
fn decide(b: &mut Builder, control: Reg, low: Reg, high: Reg) {
    use control::*;
    let load = |b: &mut Builder, at: u32| b.load(Type::Wide, Space::Global, control, 8 * at);
    let store = |b: &mut Builder, at: u32, v: Arg| b.store(Type::Wide, Space::Global, control, 8 * at, v);
    let (complete, ended) = (b.label(), b.label());
    let aborted = load(b, ABORT);
    let fine = b.compare_wide(Relation::Eq, aborted, Arg::Const(0));
    let going = b.label();
    b.jump_if(fine, going);
    store(b, STOP, Arg::Const(stop::ABORTED));
    b.jump(ended);
    b.place(going);
    // Time may be over before all chunks were taken.
    let cursor = load(b, CURSOR);
    let all = b.compare_wide(Relation::Ge, cursor, high);
    b.jump_if(all, complete);
    store(b, STOP, Arg::Const(stop::SLICE));
    b.jump(ended);
    b.place(complete);
    let mut sums = Vec::new();
    for i in 0..4 {
        let (pending, total) = (load(b, PENDING + i), load(b, TOTAL + i));
        let sum = b.wide(Math::Add, pending, total);
        store(b, TOTAL + i, sum);
        store(b, PENDING + i, Arg::Const(0));
        sums.push(sum);
    }
    let level = load(b, LEVEL);
    let next = b.wide(Math::Add, level, Arg::Const(1));
    // The first level with a violation, and where.
    let (seen, tail) = (b.label(), load(b, TAIL));
    let none = b.compare_wide(Relation::Eq, sums[2], Arg::Const(0));
    b.jump_if(none, seen);
    let first = load(b, FIRST);
    let known = b.compare_wide(Relation::Ne, first, Arg::Const(0));
    b.jump_if(known, seen);
    store(b, FIRST, next);
    let worst = load(b, WORST);
    store(b, FIRST_KEY, worst.into());
    b.place(seen);
    store(b, LOW, high.into());
    store(b, HIGH, tail.into());
    store(b, CURSOR, high.into());
    store(b, LEVEL, next);
    let bounds = b.param(param::BOUNDS);
    let place = b.wide(Math::Shl, next, 3);
    let at = b.wide(Math::Add, bounds, place);
    b.store(Type::Wide, Space::Global, at, 0, high);
    let size = b.wide(Math::Sub, high, low);
    let widest = load(b, WIDEST);
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
    let enough = b.compare_wide(Relation::Ge, sums[2], most);
    why = b.select(Type::Wide, enough, Arg::Const(stop::VIOLATIONS), why);
    store(b, STOP, why);
    b.place(ended);
}
