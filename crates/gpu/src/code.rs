//! The register form: what kernels are written in.
//!
//! A [`Program`] is a flat list of [`Op`]s over virtual registers of three types, with labels, as PTX has them. It is
//! printed as PTX ([`crate::ptx`]) and run by the emulator ([`crate::emulate`]), so that whatever is tested without a device is
//! what the device executes. [`Builder`] makes programs and folds constants on the way.

/// A virtual register; its type stands in [`Program::types`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Reg(pub u32);

/// A place in a program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Label(pub u32);

/// What a register holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Type {
    /// One bit.
    Flag,
    /// 32 bits.
    Word,
    /// 64 bits.
    Wide,
}

/// An operand: a register, or a constant of the type that the operation asks for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Arg {
    /// The value of a register.
    Reg(Reg),
    /// A constant; of 32-bit operands the lower half counts.
    Const(u64),
}

impl From<Reg> for Arg {
    fn from(reg: Reg) -> Self {
        Arg::Reg(reg)
    }
}

impl From<u32> for Arg {
    fn from(value: u32) -> Self {
        Arg::Const(u64::from(value))
    }
}

/// Operations on integers. Shifts by the width or more give 0, or the sign. Division by zero does not occur.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Math {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
    Shl,
    /// Unsigned.
    Shr,
    /// Signed, 32 bits only.
    Sar,
    /// Signed, 32 bits only.
    Div,
    /// Signed, 32 bits only.
    Rem,
    /// Unsigned.
    Min,
}

/// Comparisons.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Relation {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// Operations on flags.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Logic {
    And,
    Or,
    Xor,
}

/// Which memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Space {
    /// Of the whole device; loads see what other blocks have stored before a fence.
    Global,
    /// Of the block.
    Shared,
}

/// A place in memory: a register of type `Wide` for global memory and of type `Word` for shared memory, or a constant,
/// plus an offset in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Address {
    /// Which memory.
    pub space: Space,
    /// Where.
    pub base: Arg,
    /// Bytes behind it.
    pub offset: u32,
}

/// Read, change and write as one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Atomic {
    Add,
    /// Unsigned.
    Min,
    Or,
}

/// What a thread can ask about itself.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Special {
    /// Its number in the block: a word.
    Thread,
    /// The number of its block: a word.
    Block,
    /// How many blocks there are: a word.
    Blocks,
    /// Cycles that have passed: wide.
    Clock,
}

/// One operation.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Op {
    Move {
        to: Reg,
        from: Arg,
    },
    /// Operands and result have the type of `to`; the second operand of a shift is a word.
    Math {
        op: Math,
        to: Reg,
        a: Arg,
        b: Arg,
    },
    /// How many bits are set in a word.
    Count {
        to: Reg,
        from: Arg,
    },
    /// The number of the lowest bit that is set in a word that is not 0: of its reversal, the leading zeros.
    Lowest {
        to: Reg,
        from: Arg,
    },
    /// A word as a wide value, zeros above.
    Widen {
        to: Reg,
        from: Arg,
    },
    /// The lower, or the upper, half.
    Half {
        to: Reg,
        from: Arg,
        upper: bool,
    },
    /// Two words as one wide value.
    Join {
        to: Reg,
        low: Arg,
        high: Arg,
    },
    /// Operands are wide, or words that are signed or not.
    Compare {
        op: Relation,
        wide: bool,
        signed: bool,
        to: Reg,
        a: Arg,
        b: Arg,
    },
    Logic {
        op: Logic,
        to: Reg,
        a: Reg,
        b: Reg,
    },
    Not {
        to: Reg,
        from: Reg,
    },
    Select {
        to: Reg,
        when: Reg,
        yes: Arg,
        no: Arg,
    },
    Load {
        to: Reg,
        at: Address,
    },
    Store {
        at: Address,
        from: Arg,
        wide: bool,
    },
    /// `to` gets what was there before.
    Atomic {
        op: Atomic,
        to: Reg,
        at: Address,
        value: Arg,
    },
    /// Stores `new` if `expected` is there; `to` gets what was there before.
    Swap {
        to: Reg,
        at: Address,
        expected: Arg,
        new: Arg,
    },
    /// The same with 16 bytes that are 0 if the slot is free.
    SwapPair {
        to: [Reg; 2],
        at: Address,
        new: [Arg; 2],
    },
    /// The n-th parameter of the kernel: wide.
    Param {
        to: Reg,
        index: u32,
    },
    Special {
        to: Reg,
        what: Special,
    },
    Label(Label),
    Jump(Label),
    JumpIf {
        when: Reg,
        is: bool,
        to: Label,
    },
    /// The operand is below the number of targets.
    Switch {
        on: Reg,
        targets: Vec<Label>,
    },
    /// All threads of the block wait for each other.
    Barrier,
    /// What was stored before is seen by other blocks before what is stored behind.
    Fence,
    /// Waits a moment, in a loop that waits for another block.
    Pause,
    Return,
}

/// A kernel.
#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    /// Its name.
    pub name: &'static str,
    /// Types of the registers.
    pub types: Vec<Type>,
    /// What it does.
    pub ops: Vec<Op>,
    /// How many labels there are.
    pub labels: u32,
    /// How many parameters there are.
    pub params: u32,
    /// Bytes of shared memory.
    pub shared_bytes: u32,
    /// Threads of a block.
    pub threads: u32,
    /// Blocks that one multiprocessor is to hold at least: it limits the registers.
    pub blocks_min: u32,
    /// Threads of a warp may come to a barrier one by one; else all of a warp must come together.
    pub scattered: bool,
}

/// A condition: settled when the program is made, or a flag that must be set or clear.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cond {
    /// It always is.
    Known(bool),
    /// When the flag has this value.
    When(Reg, bool),
}

impl std::ops::Not for Cond {
    type Output = Cond;

    fn not(self) -> Cond {
        match self {
            Cond::Known(is) => Cond::Known(!is),
            Cond::When(flag, is) => Cond::When(flag, !is),
        }
    }
}

/// Makes a program.
#[derive(Default)]
pub struct Builder {
    types: Vec<Type>,
    ops: Vec<Op>,
    labels: u32,
}

impl Builder {
    /// A fresh register.
    pub fn reg(&mut self, ty: Type) -> Reg {
        self.types.push(ty);
        Reg(self.types.len() as u32 - 1)
    }

    /// A fresh label, to be placed with [`Builder::place`].
    pub fn label(&mut self) -> Label {
        self.labels += 1;
        Label(self.labels - 1)
    }

    /// Adds an operation.
    pub fn op(&mut self, op: Op) {
        self.ops.push(op);
    }

    /// Puts a label here.
    pub fn place(&mut self, label: Label) {
        self.op(Op::Label(label));
    }

    /// Goes on elsewhere.
    pub fn jump(&mut self, to: Label) {
        self.op(Op::Jump(to));
    }

    /// Goes on elsewhere if the condition holds.
    pub fn jump_if(&mut self, when: Cond, to: Label) {
        match when {
            Cond::Known(true) => self.jump(to),
            Cond::Known(false) => {}
            Cond::When(when, is) => self.op(Op::JumpIf { when, is, to }),
        }
    }

    /// Gives a register a value.
    pub fn set(&mut self, to: Reg, from: impl Into<Arg>) {
        let from = from.into();
        if from != Arg::Reg(to) {
            self.op(Op::Move { to, from });
        }
    }

    /// A register that holds a value and is not changed with it.
    pub fn copy(&mut self, ty: Type, from: impl Into<Arg>) -> Reg {
        let to = self.reg(ty);
        self.op(Op::Move { to, from: from.into() });
        to
    }

    /// A 32-bit operation.
    pub fn word(&mut self, op: Math, a: impl Into<Arg>, b: impl Into<Arg>) -> Arg {
        self.math(Type::Word, op, a.into(), b.into())
    }

    /// A 64-bit operation.
    pub fn wide(&mut self, op: Math, a: impl Into<Arg>, b: impl Into<Arg>) -> Arg {
        self.math(Type::Wide, op, a.into(), b.into())
    }

    fn math(&mut self, ty: Type, op: Math, a: Arg, b: Arg) -> Arg {
        let zero = Arg::Const(0);
        match (a, b, op) {
            (Arg::Const(a), Arg::Const(b), _) => return Arg::Const(math(ty, op, a, b)),
            (a, b, Math::Add | Math::Or | Math::Xor | Math::Sub | Math::Shl | Math::Shr | Math::Sar) if b == zero => {
                return a;
            }
            (a, b, Math::Add | Math::Or | Math::Xor) if a == zero => return b,
            (a, b, Math::And | Math::Mul) if a == zero || b == zero => return zero,
            (a, Arg::Const(1), Math::Mul | Math::Div) => return a,
            (Arg::Const(1), b, Math::Mul) => return b,
            (a, Arg::Const(all), Math::And) if ty == Type::Word && all as u32 == u32::MAX => return a,
            _ => {}
        }
        let to = self.reg(ty);
        self.op(Op::Math { op, to, a, b });
        to.into()
    }

    /// A comparison of words.
    pub fn compare(&mut self, op: Relation, signed: bool, a: impl Into<Arg>, b: impl Into<Arg>) -> Cond {
        self.relation(op, false, signed, a.into(), b.into())
    }

    /// A comparison of wide values, unsigned.
    pub fn compare_wide(&mut self, op: Relation, a: impl Into<Arg>, b: impl Into<Arg>) -> Cond {
        self.relation(op, true, false, a.into(), b.into())
    }

    fn relation(&mut self, op: Relation, wide: bool, signed: bool, a: Arg, b: Arg) -> Cond {
        if let (Arg::Const(a), Arg::Const(b)) = (a, b) {
            return Cond::Known(relation(op, wide, signed, a, b));
        }
        let to = self.reg(Type::Flag);
        self.op(Op::Compare { op, wide, signed, to, a, b });
        Cond::When(to, true)
    }

    /// Both conditions.
    pub fn both(&mut self, a: Cond, b: Cond) -> Cond {
        match (a, b) {
            (Cond::Known(false), _) | (_, Cond::Known(false)) => Cond::Known(false),
            (Cond::Known(true), other) | (other, Cond::Known(true)) => other,
            (a, b) => {
                let (a, b) = (self.flag(a), self.flag(b));
                let to = self.reg(Type::Flag);
                self.op(Op::Logic { op: Logic::And, to, a, b });
                Cond::When(to, true)
            }
        }
    }

    /// One of the conditions, or both.
    pub fn either(&mut self, a: Cond, b: Cond) -> Cond {
        let neither = self.both(!a, !b);
        !neither
    }

    /// A flag that is set when the condition holds.
    pub fn flag(&mut self, when: Cond) -> Reg {
        match when {
            Cond::When(flag, true) => flag,
            Cond::When(from, false) => {
                let to = self.reg(Type::Flag);
                self.op(Op::Not { to, from });
                to
            }
            Cond::Known(is) => self.copy(Type::Flag, u32::from(is)),
        }
    }

    /// One of two values.
    pub fn select(&mut self, ty: Type, when: Cond, yes: impl Into<Arg>, no: impl Into<Arg>) -> Arg {
        let (yes, no) = (yes.into(), no.into());
        match when {
            Cond::Known(is) => return if is { yes } else { no },
            _ if yes == no => return yes,
            Cond::When(..) => {}
        }
        let to = self.reg(ty);
        let Cond::When(flag, is) = when else { unreachable!("settled above") };
        let (yes, no) = if is { (yes, no) } else { (no, yes) };
        self.op(Op::Select { to, when: flag, yes, no });
        to.into()
    }

    /// What lies in memory.
    pub fn load(&mut self, ty: Type, space: Space, base: impl Into<Arg>, offset: u32) -> Reg {
        let to = self.reg(ty);
        self.op(Op::Load { to, at: Address { space, base: base.into(), offset } });
        to
    }

    /// Puts a value into memory.
    pub fn store(&mut self, ty: Type, space: Space, base: impl Into<Arg>, offset: u32, from: impl Into<Arg>) {
        let at = Address { space, base: base.into(), offset };
        self.op(Op::Store { at, from: from.into(), wide: ty == Type::Wide });
    }

    /// Changes what lies in memory, and gives what was there.
    pub fn atomic(
        &mut self,
        ty: Type,
        op: Atomic,
        space: Space,
        base: impl Into<Arg>,
        offset: u32,
        value: impl Into<Arg>,
    ) -> Reg {
        let to = self.reg(ty);
        self.op(Op::Atomic { op, to, at: Address { space, base: base.into(), offset }, value: value.into() });
        to
    }

    /// A parameter of the kernel.
    pub fn param(&mut self, index: u32) -> Reg {
        let to = self.reg(Type::Wide);
        self.op(Op::Param { to, index });
        to
    }

    /// What a thread asks about itself.
    pub fn special(&mut self, what: Special) -> Reg {
        let to = self.reg(if what == Special::Clock { Type::Wide } else { Type::Word });
        self.op(Op::Special { to, what });
        to
    }

    /// A word as a wide value.
    pub fn widen(&mut self, from: impl Into<Arg>) -> Arg {
        match from.into() {
            Arg::Const(v) => Arg::Const(u64::from(v as u32)),
            from => {
                let to = self.reg(Type::Wide);
                self.op(Op::Widen { to, from });
                to.into()
            }
        }
    }

    /// A half of a wide value.
    pub fn half(&mut self, from: impl Into<Arg>, upper: bool) -> Arg {
        match from.into() {
            Arg::Const(v) => Arg::Const(u64::from(if upper { (v >> 32) as u32 } else { v as u32 })),
            from => {
                let to = self.reg(Type::Word);
                self.op(Op::Half { to, from, upper });
                to.into()
            }
        }
    }

    /// Two words as a wide value.
    pub fn join(&mut self, low: impl Into<Arg>, high: impl Into<Arg>) -> Reg {
        let to = self.reg(Type::Wide);
        self.op(Op::Join { to, low: low.into(), high: high.into() });
        to
    }

    /// The program, made as short as it can be.
    pub fn finish(self, name: &'static str, params: u32, shared_bytes: u32, threads: u32, blocks_min: u32) -> Program {
        let Builder { types, ops, labels } = self;
        let mut program =
            Program { name, types, ops, labels, params, shared_bytes, threads, blocks_min, scattered: false };
        crate::simplify::simplify(&mut program);
        program
    }
}

/// The value of an operation; what the emulator means by it, and constants are folded with.
pub fn math(ty: Type, op: Math, a: u64, b: u64) -> u64 {
    if ty == Type::Wide {
        return match op {
            Math::Add => a.wrapping_add(b),
            Math::Sub => a.wrapping_sub(b),
            Math::Mul => a.wrapping_mul(b),
            Math::And => a & b,
            Math::Or => a | b,
            Math::Xor => a ^ b,
            Math::Shl => a.checked_shl(b as u32).unwrap_or(0),
            Math::Shr => a.checked_shr(b as u32).unwrap_or(0),
            Math::Min => a.min(b),
            Math::Sar | Math::Div | Math::Rem => unreachable!("32 bits only"),
        };
    }
    let (x, y) = (a as u32, b as u32);
    u64::from(match op {
        Math::Add => x.wrapping_add(y),
        Math::Sub => x.wrapping_sub(y),
        Math::Mul => x.wrapping_mul(y),
        Math::And => x & y,
        Math::Or => x | y,
        Math::Xor => x ^ y,
        Math::Shl => x.checked_shl(y).unwrap_or(0),
        Math::Shr => x.checked_shr(y).unwrap_or(0),
        Math::Sar => ((x as i32) >> y.min(31)) as u32,
        Math::Div => (x as i32).wrapping_div(y as i32) as u32,
        Math::Rem => (x as i32).wrapping_rem(y as i32) as u32,
        Math::Min => x.min(y),
    })
}

/// Whether two values stand in a relation.
pub fn relation(op: Relation, wide: bool, signed: bool, a: u64, b: u64) -> bool {
    let order = match (wide, signed) {
        (true, _) => a.cmp(&b),
        (false, true) => (a as i32).cmp(&(b as i32)),
        (false, false) => (a as u32).cmp(&(b as u32)),
    };
    match op {
        Relation::Eq => order.is_eq(),
        Relation::Ne => order.is_ne(),
        Relation::Lt => order.is_lt(),
        Relation::Le => order.is_le(),
        Relation::Gt => order.is_gt(),
        Relation::Ge => order.is_ge(),
    }
}

impl Builder {
    /// A place in the code to come back to with [`Builder::branches_since`] and [`Builder::cut`].
    pub fn mark(&self) -> usize {
        self.ops.len()
    }

    /// Whether code since a mark may not run straight to its end.
    pub fn branches_since(&self, mark: usize) -> bool {
        let branches = |op: &Op| matches!(op, Op::Jump(_) | Op::JumpIf { .. } | Op::Switch { .. } | Op::Label(_));
        self.ops[mark..].iter().any(branches)
    }

    /// Takes the code since a mark out, to be put back with [`Builder::append`].
    pub fn cut(&mut self, mark: usize) -> Vec<Op> {
        self.ops.split_off(mark)
    }

    /// Puts code here that was cut out.
    pub fn append(&mut self, ops: Vec<Op>) {
        self.ops.extend(ops);
    }
}

impl Builder {
    /// Whether code since a mark goes to a label.
    pub fn goes_to(&self, mark: usize, label: Label) -> bool {
        self.ops[mark..].iter().any(|op| match op {
            Op::Jump(to) | Op::JumpIf { to, .. } => *to == label,
            Op::Switch { targets, .. } => targets.contains(&label),
            _ => false,
        })
    }

    /// Whether code since a mark gives a register a value.
    pub fn writes(&self, mark: usize, reg: Reg) -> bool {
        self.ops[mark..].iter().any(|op| matches!(op, Op::Move { to, .. } if *to == reg))
    }

    /// Puts an operation before a mark.
    pub fn insert(&mut self, mark: usize, op: Op) {
        self.ops.insert(mark, op);
    }
}
