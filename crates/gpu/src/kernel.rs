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
mod beside;
mod gate;
mod level;
mod pass;
mod stage;
mod successors;

use crate::Reason;
use crate::ample::Ample;
use crate::automaton::Automaton;
use crate::code::{Arg, Atomic, Builder, Cond, Math, Reg, Relation, Space, Type};
use crate::layout::Layout;
use crate::lower::{Checks, Lower, Sink};
use crate::table::Kind;
use ferrospin_model::ir::LocationId;

pub(crate) use back::{back, back_param, fill, fill_param};
pub(crate) use level::search;
pub(crate) use pass::{mode, pass, pass_param};
pub(crate) use successors::stack_bytes;

/// What the kernels of a search are made for.
#[derive(Clone, Copy)]
pub(crate) struct Plan<'a, 'm> {
    pub(crate) layout: &'a Layout<'m>,
    pub(crate) kind: Kind,
    pub(crate) sizes: Sizes,
    pub(crate) checks: Checks,
    /// The automaton of a formula that runs beside.
    pub(crate) automaton: Option<&'a Automaton>,
    /// Which moves are enough.
    pub(crate) ample: Option<&'a Ample>,
}

/// Words of the memory through which host and kernels speak, 8 bytes each.
pub(crate) mod control {
    pub(crate) const CURSOR: u32 = 0;
    pub(crate) const TAIL: u32 = 1;
    /// The level that is expanded: from here
    pub(crate) const LOW: u32 = 2;
    /// to here.
    pub(crate) const HIGH: u32 = 3;
    pub(crate) const ARRIVED: u32 = 4;
    /// How often all blocks have met, of kernels that meet without anything to decide.
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
    /// What the last block that arrives at the end of a level has decided: see [`super::gate`].
    pub(crate) const GATE: u32 = 21;
    /// Of passes: the length of the list in the making, whether a state was met, the key and the number of a state.
    pub(crate) const LENGTH: u32 = 22;
    pub(crate) const HIT: u32 = 23;
    pub(crate) const KEY: u32 = 24;
    pub(crate) const NUMBER: u32 = 25;
    /// Fields into which a value did not fit, one bit for each.
    pub(crate) const MISFITS: u32 = 26;
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
    /// A proposition of the formula has no value in some state.
    pub(crate) const NO_VALUE: u64 = 7;
    /// A state is not in the table.
    pub(crate) const LOST: u64 = 8;
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
    /// Steps inside `atomic` that the states of one chunk may take.
    pub steps_max: u32,
    /// Threads of a warp may come to a barrier one by one.
    pub scattered: bool,
}

impl Default for Sizes {
    fn default() -> Self {
        Sizes { threads: 256, stage: 8, stack: 4, blocks_min: 5, steps_max: 1 << 22, scattered: true }
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
    /// Threads of a reduced search that found nothing new.
    pub(super) const NEEDY: u32 = 36;
    /// Counts of the block in this level, as in [`super::control::PENDING`], and in all levels before it.
    pub(super) const COUNTS: u32 = 40;
    pub(super) const TOTALS: u32 = 72;
    /// One bit a thread whose state has a violation.
    pub(super) const WORST: u32 = 104;
    /// One bit a thread of which a successor is new.
    pub(super) const FRESH: u32 = 136;
    pub(super) const GATE: u32 = 168;
    pub(super) const STAGE: u32 = 176;
}

/// Words of an item of the queue.
pub(crate) fn item_words(words: usize) -> usize {
    words.div_ceil(2)
}

#[derive(Clone, Copy)]
struct Sizing {
    sizes: Sizes,
    words: usize,
    /// Each successor has the number of its thread with it.
    origins: bool,
}

impl Sizing {
    fn item_bytes(&self) -> u32 {
        8 * item_words(self.words) as u32
    }

    fn stage_len(&self) -> u32 {
        self.sizes.threads * self.sizes.stage
    }

    /// Where the numbers of threads begin.
    fn origins_at(&self) -> u32 {
        shared::STAGE + self.stage_len() * self.item_bytes()
    }

    fn stack_at(&self) -> u32 {
        self.origins_at() + if self.origins { 4 * self.stage_len() } else { 0 }
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
/// [`Lower::moved`] to false. `only` is as in [`Lower::expand`]; without it, or where it is 0, `timeout` may become true.
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
        // Where one process alone is asked there is no timeout.
        let inside = lower.b.compare(Relation::Ne, false, only, 0);
        lower.b.jump_if(inside, end);
    }
    lower.b.set(timeout, 1);
    lower.b.jump(again);
    lower.b.place(end);
    Ok(())
}

/// Whether some edge of which kernels have code keeps control in its process.
pub(crate) fn holds(layout: &Layout<'_>) -> bool {
    let stands = |at: &LocationId| layout.slots.iter().any(|s| s.codes.contains_key(at));
    layout.model.edges.iter().any(|e| e.atomic && stands(&e.from))
}

/// Sizes with which the shared memory of a block is not too large for states of a layout.
pub(crate) fn fit(mut sizes: Sizes, layout: &Layout<'_>) -> Sizes {
    let bytes = |sizes| Sizing { sizes, words: layout.words, origins: true }.bytes(holds(layout));
    while bytes(sizes) > SHARED_BYTES_MAX && sizes.threads > 32 {
        sizes.threads /= 2;
    }
    sizes.blocks_min = sizes.blocks_min.min(SHARED_BYTES_MAX / bytes(sizes)).max(1);
    sizes
}

/// Shared memory that a multiprocessor has for blocks.
const SHARED_BYTES_MAX: u32 = 220 << 10;
