//! Tables of visited states: the slot holds the state itself, and there is no pointer to follow.
//!
//! A state is a number of some bits. *Direct* tables keep it whole, in slots of 8 or 16 bytes. *Quotient* tables leave out what
//! the place of a slot tells (Cleary, "Compact hash tables using bidirectional linear probing", 1984; van der Vegt and Laarman,
//! "A parallel compact hash table", 2011): a state is A (59 or 27 bits) and the rest R, two rounds of a Feistel network mix
//! them, and a line of 128 bytes is found at R xor a hash of A and d, where d, 4 bits, says which of 16 lines it is. Slot and
//! line tell the state, so that the table is exact. A line is searched round from a slot that the hash tells.
//!
//! An *arena* table is for states of any size: a slot has a tag of the hash and the number of the state in the queue. A slot is
//! claimed first; then the state gets its number and is written, and the number is published. A thread that meets a slot with the same
//! tag that was not published yet waits, for one thread that waits for no other.
//!
//! Slots are taken in order and never freed: a free one says that the state is not behind it.

use crate::code::{Address, Arg, Atomic, Builder, Label, Math, Op, Reg, Relation, Space, Type};

const MIX: u64 = 0xd6e8_feb8_6659_fd93;
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
/// Slots that one lookup looks at before the table counts as full.
const FAR: u32 = 20_000;
/// Bits for the number of the line.
const CHOICE_BITS: u32 = 4;

/// How states are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Kind {
    /// Slots of 8 bytes hold up to 63 bits.
    Direct64,
    /// Slots of 8 bytes hold 59 bits, the place tells the rest.
    Quotient64,
    /// Slots of 4 bytes hold 27 bits, the place tells the rest.
    Quotient32,
    /// Slots of 16 bytes hold up to 126 bits.
    Direct128,
    /// Slots of 8 bytes say where in the queue a state is, of any size.
    Arena,
}

impl Kind {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Direct64 => "direct 64",
            Kind::Quotient64 => "quotient 64",
            Kind::Quotient32 => "quotient 32",
            Kind::Direct128 => "direct 128",
            Kind::Arena => "arena",
        }
    }

    /// Bytes of a slot.
    pub fn slot_bytes(self) -> u64 {
        match self {
            Kind::Quotient32 => 4,
            Kind::Direct64 | Kind::Quotient64 | Kind::Arena => 8,
            Kind::Direct128 => 16,
        }
    }

    /// Bits of A.
    fn kept_bits(self) -> u32 {
        if self == Kind::Quotient32 { 27 } else { 59 }
    }

    /// Slots of a line.
    fn line(self) -> u32 {
        if self == Kind::Quotient32 { 32 } else { 16 }
    }

    /// How many slots a table must have at least for states whose highest bit is this one.
    pub fn slots_min(self, bits: u32) -> u64 {
        match self {
            Kind::Direct64 | Kind::Direct128 | Kind::Arena => 64,
            _ => u64::from(self.line()) << bits.saturating_sub(self.kept_bits()),
        }
    }

    /// The mask that the kernel gets for a table with this many slots, a power of two.
    pub fn mask(self, slots: u64) -> u64 {
        match self {
            Kind::Direct64 | Kind::Direct128 | Kind::Arena => slots - 1,
            _ => slots / u64::from(self.line()) - 1,
        }
    }
}

/// Mixes the bits of a wide value.
pub(crate) fn mix(b: &mut Builder, x: Arg) -> Arg {
    let mut x = x;
    for _ in 0..2 {
        let high = b.wide(Math::Shr, x, 32);
        x = b.wide(Math::Xor, x, high);
        x = b.wide(Math::Mul, x, Arg::Const(MIX));
    }
    let high = b.wide(Math::Shr, x, 32);
    b.wide(Math::Xor, x, high)
}

/// The same, one round less.
fn mix_lightly(b: &mut Builder, x: Arg) -> Arg {
    let x = b.wide(Math::Mul, x, Arg::Const(MIX));
    let high = b.wide(Math::Shr, x, 32);
    let x = b.wide(Math::Xor, x, high);
    let x = b.wide(Math::Mul, x, Arg::Const(MIX));
    let high = b.wide(Math::Shr, x, 32);
    b.wide(Math::Xor, x, high)
}

/// One number for a state, the state itself where that fits.
pub(crate) fn key(b: &mut Builder, item: &[Reg]) -> Arg {
    let mut key: Arg = item[0].into();
    for part in &item[1..] {
        key = mix(b, key);
        key = b.wide(Math::Add, key, *part);
        key = b.wide(Math::Xor, key, Arg::Const(GOLDEN));
    }
    if item.len() > 1 { mix(b, key) } else { key }
}

/// A number whose bits tell nothing of those of the state.
fn hash(b: &mut Builder, item: &[Reg]) -> Arg {
    let key = key(b, item);
    if item.len() > 1 { key } else { mix(b, key) }
}

/// Where a table is: registers or parameters of the kernel.
#[derive(Clone, Copy)]
pub(crate) struct Table {
    pub(crate) kind: Kind,
    pub(crate) base: Reg,
    pub(crate) mask: Reg,
}

/// Where the states of an arena are.
#[derive(Clone, Copy)]
pub(crate) struct Arena {
    pub(crate) queue: Reg,
    /// The address of the number of states, and how many there may be.
    pub(crate) tail: Reg,
    pub(crate) room: Reg,
    /// The address of a word that is not 0 once the search is given up.
    pub(crate) abort: Reg,
    /// The number that the state has already, and that no other state has.
    pub(crate) known: Option<Reg>,
}

/// What a lookup is for.
#[derive(Clone, Copy)]
enum Wanted {
    /// To put the state in: the flag is set if it is new.
    Insert { fresh: Reg, arena: Option<Arena> },
    /// To learn the number of its slot.
    Find { slot: Reg, queue: Reg },
}

/// The number that stands in a slot of an arena until the state is written.
const PENDING: u64 = (1 << NUMBER_BITS) - 1;
const NUMBER_BITS: u32 = 40;

impl Table {
    /// Looks a state up and puts it in if it is not there; gives a flag that is set if it is new. `full` makes the code for a
    /// table in which there is no place.
    pub(crate) fn insert(
        &self,
        b: &mut Builder,
        item: &[Reg],
        arena: Option<Arena>,
        full: &mut dyn FnMut(&mut Builder),
    ) -> Reg {
        let fresh = b.copy(Type::Flag, 0);
        self.look_up(b, item, Wanted::Insert { fresh, arena }, full);
        fresh
    }

    /// The number of the slot of a state; `lost` makes the code for one that is not there.
    pub(crate) fn find(&self, b: &mut Builder, item: &[Reg], queue: Reg, lost: &mut dyn FnMut(&mut Builder)) -> Reg {
        let slot = b.copy(Type::Wide, Arg::Const(0));
        self.look_up(b, item, Wanted::Find { slot, queue }, lost);
        slot
    }

    fn look_up(&self, b: &mut Builder, item: &[Reg], wanted: Wanted, full: &mut dyn FnMut(&mut Builder)) {
        match self.kind {
            Kind::Direct64 => self.direct(b, item[0], wanted, full),
            Kind::Direct128 => self.pairs(b, item, wanted, full),
            Kind::Quotient64 | Kind::Quotient32 => self.quotient(b, item, wanted, full),
            Kind::Arena => self.arena(b, item, wanted, full),
        }
    }

    /// The state is there: goes to `end`.
    fn found(&self, b: &mut Builder, when: crate::code::Cond, at: Arg, wanted: Wanted, end: Label) {
        let Wanted::Find { slot, .. } = wanted else { return b.jump_if(when, end) };
        let other = b.label();
        b.jump_if(!when, other);
        let offset = b.wide(Math::Sub, at, self.base);
        let shift = self.kind.slot_bytes().trailing_zeros();
        let number = b.wide(Math::Shr, offset, Arg::from(shift));
        b.set(slot, number);
        b.jump(end);
        b.place(other);
    }

    /// A free slot: the state is new, or not there. Comes out behind it where another state was faster.
    fn free(&self, b: &mut Builder, ty: Type, at: Arg, key: Arg, wanted: Wanted, (lost, end): (Label, Label)) {
        match wanted {
            Wanted::Insert { fresh, .. } => self.take(b, ty, at, key, fresh, end),
            Wanted::Find { .. } => b.jump(lost),
        }
    }

    /// The next slot; where the last one was looked at the code for that follows.
    #[allow(clippy::too_many_arguments)]
    fn step(
        &self,
        b: &mut Builder,
        slot: Reg,
        far: Reg,
        probe: Label,
        (lost, end): (Label, Label),
        full: &mut dyn FnMut(&mut Builder),
    ) {
        let more = b.wide(Math::Add, slot, Arg::Const(1));
        let more = b.wide(Math::And, more, self.mask);
        b.set(slot, more);
        let count = b.word(Math::Add, far, 1);
        b.set(far, count);
        let goes_on = b.compare(Relation::Lt, false, far, FAR);
        b.jump_if(goes_on, probe);
        b.place(lost);
        full(b);
        b.place(end);
    }

    fn direct(&self, b: &mut Builder, item: Reg, wanted: Wanted, full: &mut dyn FnMut(&mut Builder)) {
        let key = b.wide(Math::Or, item, Arg::Const(1 << 63));
        let hash = mix(b, item.into());
        let first = b.wide(Math::And, hash, self.mask);
        let slot = b.copy(Type::Wide, first);
        let far = b.copy(Type::Word, 0);
        let (probe, next, lost, end) = (b.label(), b.label(), b.label(), b.label());
        b.place(probe);
        let offset = b.wide(Math::Shl, slot, Arg::Const(3));
        let at = b.wide(Math::Add, offset, self.base);
        let there = b.load(Type::Wide, Space::Global, at, 0);
        let same = b.compare_wide(Relation::Eq, there, key);
        self.found(b, same, at, wanted, end);
        let taken = b.compare_wide(Relation::Ne, there, Arg::Const(0));
        b.jump_if(taken, next);
        self.free(b, Type::Wide, at, key, wanted, (lost, end));
        b.place(next);
        self.step(b, slot, far, probe, (lost, end), full);
    }

    /// Tries to take a free slot; goes to `end` unless another state was faster.
    fn take(&self, b: &mut Builder, ty: Type, at: Arg, key: Arg, fresh: Reg, end: Label) {
        let old = b.reg(ty);
        let at = Address { space: Space::Global, base: at, offset: 0 };
        b.op(Op::Swap { to: old, at, expected: Arg::Const(0), new: key });
        let compare = |b: &mut Builder, to: Arg| match ty {
            Type::Wide => b.compare_wide(Relation::Eq, old, to),
            _ => b.compare(Relation::Eq, false, old, to),
        };
        let mine = compare(b, Arg::Const(0));
        let flag = b.flag(mine);
        b.set(fresh, flag);
        b.jump_if(mine, end);
        let same = compare(b, key);
        b.jump_if(same, end);
    }

    fn pairs(&self, b: &mut Builder, item: &[Reg], wanted: Wanted, full: &mut dyn FnMut(&mut Builder)) {
        let taken = Arg::Const(1 << 63);
        let second = item.get(1).map_or(Arg::Const(0), |r| (*r).into());
        let keys = [b.wide(Math::Or, item[0], taken), b.wide(Math::Or, second, taken)];
        let hash = hash(b, item);
        let first = b.wide(Math::And, hash, self.mask);
        let slot = b.copy(Type::Wide, first);
        let far = b.copy(Type::Word, 0);
        let (probe, attempt, next, lost, end) = (b.label(), b.label(), b.label(), b.label(), b.label());
        b.place(probe);
        let offset = b.wide(Math::Shl, slot, Arg::Const(4));
        let at = b.wide(Math::Add, offset, self.base);
        let there = [b.load(Type::Wide, Space::Global, at, 0), b.load(Type::Wide, Space::Global, at, 8)];
        let free = [
            b.compare_wide(Relation::Eq, there[0], Arg::Const(0)),
            b.compare_wide(Relation::Eq, there[1], Arg::Const(0)),
        ];
        // A slot that is being written may show one half: the exchange tells the truth.
        let free = b.either(free[0], free[1]);
        b.jump_if(free, attempt);
        let same = [b.compare_wide(Relation::Eq, there[0], keys[0]), b.compare_wide(Relation::Eq, there[1], keys[1])];
        let same = b.both(same[0], same[1]);
        self.found(b, same, at, wanted, end);
        b.jump(next);
        b.place(attempt);
        match wanted {
            Wanted::Find { .. } => b.jump(lost),
            Wanted::Insert { fresh, .. } => {
                let old = [b.reg(Type::Wide), b.reg(Type::Wide)];
                let place = Address { space: Space::Global, base: at, offset: 0 };
                b.op(Op::SwapPair { to: old, at: place, new: keys });
                let mine = b.compare_wide(Relation::Eq, old[0], Arg::Const(0));
                let flag = b.flag(mine);
                b.set(fresh, flag);
                b.jump_if(mine, end);
                let same =
                    [b.compare_wide(Relation::Eq, old[0], keys[0]), b.compare_wide(Relation::Eq, old[1], keys[1])];
                let same = b.both(same[0], same[1]);
                b.jump_if(same, end);
            }
        }
        b.place(next);
        self.step(b, slot, far, probe, (lost, end), full);
    }

    fn quotient(&self, b: &mut Builder, item: &[Reg], wanted: Wanted, full: &mut dyn FnMut(&mut Builder)) {
        let kind = self.kind;
        let (kept, line) = (kind.kept_bits(), kind.line());
        let mask = Arg::Const((1 << kept) - 1);
        let mut a = b.wide(Math::And, item[0], mask);
        let mut r = b.wide(Math::Shr, item[0], Arg::from(kept));
        if let Some(above) = item.get(1) {
            let above = b.wide(Math::Shl, *above, Arg::from(64 - kept));
            r = b.wide(Math::Or, r, above);
        }
        let h = mix_lightly(b, a);
        let h = b.wide(Math::Shr, h, Arg::from(20));
        let h = b.wide(Math::And, h, self.mask);
        r = b.wide(Math::Xor, r, h);
        let h = b.wide(Math::Add, r, Arg::Const(GOLDEN));
        let h = mix_lightly(b, h);
        let h = b.wide(Math::Shr, h, Arg::from(3));
        let h = b.wide(Math::And, h, mask);
        a = b.wide(Math::Xor, a, h);
        let choice = b.copy(Type::Wide, Arg::Const(0));
        let ty = if kind == Kind::Quotient32 { Type::Word } else { Type::Wide };
        let (choose, probe, next, lost, end) = (b.label(), b.label(), b.label(), b.label(), b.label());
        b.place(choose);
        let salt = b.wide(Math::Mul, choice, Arg::Const(GOLDEN));
        let salted = b.wide(Math::Add, a, salt);
        let salted = b.wide(Math::Add, salted, Arg::Const(1));
        let h = mix_lightly(b, salted);
        let at = b.wide(Math::Shr, h, Arg::from(8));
        let at = b.wide(Math::And, at, self.mask);
        let at = b.wide(Math::Xor, at, r);
        let at = b.wide(Math::Shl, at, Arg::from(7));
        let lines = b.wide(Math::Add, at, self.base);
        let mark = b.wide(Math::Shl, choice, Arg::from(kept));
        let key = b.wide(Math::Or, a, mark);
        let key = b.wide(Math::Or, key, Arg::Const(1 << (kept + CHOICE_BITS)));
        let key = if ty == Type::Word { b.half(key, false) } else { key };
        let low = b.half(h, false);
        let first = b.word(Math::And, low, line - 1);
        let slot = b.copy(Type::Word, first);
        let tries = b.copy(Type::Word, 0);
        b.place(probe);
        let offset = b.word(Math::Mul, slot, kind.slot_bytes() as u32);
        let offset = b.widen(offset);
        let at = b.wide(Math::Add, lines, offset);
        let there = b.load(ty, Space::Global, at, 0);
        let (same, taken) = match ty {
            Type::Wide => {
                (b.compare_wide(Relation::Eq, there, key), b.compare_wide(Relation::Ne, there, Arg::Const(0)))
            }
            _ => (b.compare(Relation::Eq, false, there, key), b.compare(Relation::Ne, false, there, 0)),
        };
        self.found(b, same, at, wanted, end);
        b.jump_if(taken, next);
        self.free(b, ty, at, key, wanted, (lost, end));
        b.place(next);
        let more = b.word(Math::Add, slot, 1);
        let more = b.word(Math::And, more, line - 1);
        b.set(slot, more);
        let count = b.word(Math::Add, tries, 1);
        b.set(tries, count);
        let goes_on = b.compare(Relation::Lt, false, tries, line);
        b.jump_if(goes_on, probe);
        let other = b.wide(Math::Add, choice, Arg::Const(1));
        b.set(choice, other);
        let goes_on = b.compare_wide(Relation::Lt, choice, Arg::Const(1 << CHOICE_BITS));
        b.jump_if(goes_on, choose);
        b.place(lost);
        full(b);
        b.place(end);
    }

    fn arena(&self, b: &mut Builder, item: &[Reg], wanted: Wanted, full: &mut dyn FnMut(&mut Builder)) {
        let (queue, arena) = match wanted {
            Wanted::Insert { arena, .. } => {
                let arena = arena.expect("an arena has a queue");
                (arena.queue, Some(arena))
            }
            Wanted::Find { queue, .. } => (queue, None),
        };
        let hash = hash(b, item);
        let first = b.wide(Math::And, hash, self.mask);
        let slot = b.copy(Type::Wide, first);
        let tag = b.wide(Math::Shr, hash, Arg::from(NUMBER_BITS));
        let tag = b.wide(Math::Shl, tag, Arg::from(NUMBER_BITS));
        let tag = b.wide(Math::Or, tag, Arg::Const(1 << 63));
        let tag = b.copy(Type::Wide, tag);
        let (far, value) = (b.copy(Type::Word, 0), b.reg(Type::Wide));
        let (probe, next, lost, end) = (b.label(), b.label(), b.label(), b.label());
        let (there, wait, written) = (b.label(), b.label(), b.label());
        b.place(probe);
        let offset = b.wide(Math::Shl, slot, Arg::Const(3));
        let at = b.wide(Math::Add, offset, self.base);
        let at = b.copy(Type::Wide, at);
        let loaded = b.load(Type::Wide, Space::Global, at, 0);
        b.set(value, loaded);
        let taken = b.compare_wide(Relation::Ne, value, Arg::Const(0));
        b.jump_if(taken, there);
        match wanted {
            Wanted::Find { .. } => b.jump(lost),
            Wanted::Insert { fresh, .. } => {
                let arena = arena.expect("it was given");
                self.claim(b, item, &arena, (at, tag, value), fresh, end);
            }
        }
        b.place(there);
        if arena.is_some_and(|a| a.known.is_some()) {
            // No other state is this one.
            b.jump(next);
        }
        let their_tag = b.wide(Math::Shr, value, Arg::from(NUMBER_BITS));
        let our_tag = b.wide(Math::Shr, tag, Arg::from(NUMBER_BITS));
        let other = b.compare_wide(Relation::Ne, their_tag, our_tag);
        b.jump_if(other, next);
        b.place(wait);
        let number = b.wide(Math::And, value, Arg::Const(PENDING));
        let ready = b.compare_wide(Relation::Ne, number, Arg::Const(PENDING));
        b.jump_if(ready, written);
        if let Some(arena) = arena {
            let aborted = b.load(Type::Wide, Space::Global, arena.abort, 0);
            let over = b.compare_wide(Relation::Ne, aborted, Arg::Const(0));
            b.jump_if(over, end);
        }
        b.op(Op::Pause);
        let loaded = b.load(Type::Wide, Space::Global, at, 0);
        b.set(value, loaded);
        b.jump(wait);
        b.place(written);
        let number = b.wide(Math::And, value, Arg::Const(PENDING));
        let number = b.wide(Math::Sub, number, Arg::Const(1));
        let offset = b.wide(Math::Mul, number, Arg::from(8 * item.len() as u32));
        let place = b.wide(Math::Add, offset, queue);
        let mut all = crate::code::Cond::Known(true);
        for (k, part) in item.iter().enumerate() {
            let their_part = b.load(Type::Wide, Space::Global, place, 8 * k as u32);
            let same = b.compare_wide(Relation::Eq, their_part, *part);
            all = b.both(all, same);
        }
        self.found(b, all, at.into(), wanted, end);
        b.place(next);
        self.step(b, slot, far, probe, (lost, end), full);
    }

    /// Claims a free slot of an arena and writes the state. Comes out behind it, with what is there in `value`, where another
    /// state was faster.
    fn claim(
        &self,
        b: &mut Builder,
        item: &[Reg],
        arena: &Arena,
        (at, tag, value): (Reg, Reg, Reg),
        fresh: Reg,
        end: Label,
    ) {
        let beaten = b.label();
        let first = match arena.known {
            None => Arg::Const(PENDING),
            Some(number) => b.wide(Math::Add, number, Arg::Const(1)),
        };
        let first = b.wide(Math::Or, tag, first);
        let old = b.reg(Type::Wide);
        let slot = Address { space: Space::Global, base: at.into(), offset: 0 };
        b.op(Op::Swap { to: old, at: slot, expected: Arg::Const(0), new: first });
        b.set(value, old);
        let lost = b.compare_wide(Relation::Ne, old, Arg::Const(0));
        b.jump_if(lost, beaten);
        if arena.known.is_none() {
            let fits = b.label();
            let number = b.atomic(Type::Wide, Atomic::Add, Space::Global, arena.tail, 0, Arg::Const(1));
            let there_is = b.compare_wide(Relation::Lt, number, arena.room);
            b.jump_if(there_is, fits);
            b.store(Type::Wide, Space::Global, arena.abort, 0, Arg::Const(crate::kernel::abort::QUEUE));
            b.jump(end);
            b.place(fits);
            let offset = b.wide(Math::Mul, number, Arg::from(8 * item.len() as u32));
            let place = b.wide(Math::Add, offset, arena.queue);
            for (k, part) in item.iter().enumerate() {
                b.store(Type::Wide, Space::Global, place, 8 * k as u32, *part);
            }
            b.op(Op::Fence);
            let number = b.wide(Math::Add, number, Arg::Const(1));
            let published = b.wide(Math::Or, tag, number);
            b.store(Type::Wide, Space::Global, at, 0, published);
        }
        b.set(fresh, 1);
        b.jump(end);
        b.place(beaten);
    }
}
