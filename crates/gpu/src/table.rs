//! Tables of visited states: the slot holds the state itself, and there is no pointer to follow.
//!
//! A state is a number of some bits. *Direct* tables keep it whole, in slots of 8 or 16 bytes. *Quotient* tables leave out what
//! the place of a slot tells (Cleary, "Compact hash tables using bidirectional linear probing", 1984; van der Vegt and Laarman,
//! "A parallel compact hash table", 2011): a state is A (59 or 27 bits) and the rest R, two rounds of a Feistel network mix
//! them, and a line of 128 bytes is found at R xor a hash of A and d, where d, 4 bits, says which of 16 lines it is. Slot and
//! line tell the state, so that the table is exact. A line is searched round from a slot that the hash tells.
//!
//! Slots are taken in order and never freed: whoever finds a free one knows that the state is not behind it.

use crate::code::{Address, Arg, Builder, Math, Op, Reg, Relation, Space, Type};

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
}

impl Kind {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Direct64 => "direct 64",
            Kind::Quotient64 => "quotient 64",
            Kind::Quotient32 => "quotient 32",
            Kind::Direct128 => "direct 128",
        }
    }

    /// Bytes of a slot.
    pub fn slot_bytes(self) -> u64 {
        match self {
            Kind::Quotient32 => 4,
            Kind::Direct64 | Kind::Quotient64 => 8,
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
            Kind::Direct64 | Kind::Direct128 => 64,
            _ => u64::from(self.line()) << bits.saturating_sub(self.kept_bits()),
        }
    }

    /// The mask that the kernel gets for a table with this many slots, a power of two.
    pub fn mask(self, slots: u64) -> u64 {
        match self {
            Kind::Direct64 | Kind::Direct128 => slots - 1,
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

/// Where a table is: registers or parameters of the kernel.
#[derive(Clone, Copy)]
pub(crate) struct Table {
    pub(crate) kind: Kind,
    pub(crate) base: Reg,
    pub(crate) mask: Reg,
}

impl Table {
    /// Looks a state up and puts it in if it is not there; gives a flag that is set if it is new. `full` makes the code for a
    /// table in which there is no place.
    pub(crate) fn insert(&self, b: &mut Builder, item: &[Reg], full: &mut dyn FnMut(&mut Builder)) -> Reg {
        let fresh = b.copy(Type::Flag, 0);
        match self.kind {
            Kind::Direct64 => self.direct(b, item[0], fresh, full),
            Kind::Direct128 => self.pairs(b, item, fresh, full),
            Kind::Quotient64 | Kind::Quotient32 => self.quotient(b, item, fresh, full),
        }
        fresh
    }

    fn direct(&self, b: &mut Builder, item: Reg, fresh: Reg, full: &mut dyn FnMut(&mut Builder)) {
        let key = b.wide(Math::Or, item, Arg::Const(1 << 63));
        let hash = mix(b, item.into());
        let first = b.wide(Math::And, hash, self.mask);
        let slot = b.copy(Type::Wide, first);
        let far = b.copy(Type::Word, 0);
        let (probe, next, end) = (b.label(), b.label(), b.label());
        b.place(probe);
        let offset = b.wide(Math::Shl, slot, Arg::Const(3));
        let at = b.wide(Math::Add, offset, self.base);
        let there = b.load(Type::Wide, Space::Global, at, 0);
        let same = b.compare_wide(Relation::Eq, there, key);
        b.jump_if(same, end);
        let taken = b.compare_wide(Relation::Ne, there, Arg::Const(0));
        b.jump_if(taken, next);
        self.take(b, Type::Wide, at, key, fresh, end);
        b.place(next);
        let more = b.wide(Math::Add, slot, Arg::Const(1));
        let more = b.wide(Math::And, more, self.mask);
        b.set(slot, more);
        let count = b.word(Math::Add, far, 1);
        b.set(far, count);
        let goes_on = b.compare(Relation::Lt, false, far, FAR);
        b.jump_if(goes_on, probe);
        full(b);
        b.place(end);
    }

    /// Tries to take a free slot; goes to `end` unless another state was faster.
    fn take(&self, b: &mut Builder, ty: Type, at: Arg, key: Arg, fresh: Reg, end: crate::code::Label) {
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

    fn pairs(&self, b: &mut Builder, item: &[Reg], fresh: Reg, full: &mut dyn FnMut(&mut Builder)) {
        let taken = Arg::Const(1 << 63);
        let second = item.get(1).map_or(Arg::Const(0), |r| (*r).into());
        let keys = [b.wide(Math::Or, item[0], taken), b.wide(Math::Or, second, taken)];
        let hash = self::key(b, item);
        let first = b.wide(Math::And, hash, self.mask);
        let slot = b.copy(Type::Wide, first);
        let far = b.copy(Type::Word, 0);
        let (probe, attempt, next, end) = (b.label(), b.label(), b.label(), b.label());
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
        b.jump_if(same, end);
        b.jump(next);
        b.place(attempt);
        let old = [b.reg(Type::Wide), b.reg(Type::Wide)];
        let place = Address { space: Space::Global, base: at, offset: 0 };
        b.op(Op::SwapPair { to: old, at: place, new: keys });
        let mine = b.compare_wide(Relation::Eq, old[0], Arg::Const(0));
        let flag = b.flag(mine);
        b.set(fresh, flag);
        b.jump_if(mine, end);
        let same = [b.compare_wide(Relation::Eq, old[0], keys[0]), b.compare_wide(Relation::Eq, old[1], keys[1])];
        let same = b.both(same[0], same[1]);
        b.jump_if(same, end);
        b.place(next);
        let more = b.wide(Math::Add, slot, Arg::Const(1));
        let more = b.wide(Math::And, more, self.mask);
        b.set(slot, more);
        let count = b.word(Math::Add, far, 1);
        b.set(far, count);
        let goes_on = b.compare(Relation::Lt, false, far, FAR);
        b.jump_if(goes_on, probe);
        full(b);
        b.place(end);
    }

    fn quotient(&self, b: &mut Builder, item: &[Reg], fresh: Reg, full: &mut dyn FnMut(&mut Builder)) {
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
        let (choose, probe, next, end) = (b.label(), b.label(), b.label(), b.label());
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
        b.jump_if(same, end);
        b.jump_if(taken, next);
        self.take(b, ty, at, key, fresh, end);
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
        full(b);
        b.place(end);
    }
}
