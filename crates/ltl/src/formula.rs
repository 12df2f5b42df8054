//! Formulas as nodes of a hash-consed arena.
//!
//! Every formula is an index into [`Formulas`]; equal formulas have equal indices, so equality costs nothing and every
//! analysis can be a vector indexed by node. Operands of `&&` and `||` are flattened, sorted and free of duplicates;
//! nothing else is simplified here, so that what is evaluated is what was written. Operands always have smaller
//! indices than the formula they belong to, which lets whole-formula passes run as loops instead of recursion.
//!
//! Each node carries [`Flags`], computed once: purely eventual and universal formulas (Etessami and Holzmann, 2000),
//! absence of `X`, and the syntactic classes of the hierarchy of Manna and Pnueli (1990).

use rustc_hash::FxHashMap;
use std::hash::Hasher;

/// Index of a formula in its [`Formulas`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Formula(pub u32);

/// Index of an atomic proposition; its text, if any, is kept elsewhere.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct AtomId(pub u32);

/// The shape of one node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Node<'a> {
    /// Always true.
    True,
    /// Always false.
    False,
    /// An atomic proposition.
    Atom(AtomId),
    /// `!f`
    Not(Formula),
    /// `f && g && ..`, at least two operands in ascending order.
    And(&'a [Formula]),
    /// `f || g || ..`, at least two operands in ascending order.
    Or(&'a [Formula]),
    /// `f -> g`
    Implies(Formula, Formula),
    /// `f <-> g`
    Iff(Formula, Formula),
    /// `f xor g`
    Xor(Formula, Formula),
    /// `X f`: f holds at the next position.
    Next(Formula),
    /// `<> f`
    Eventually(Formula),
    /// `[] f`
    Always(Formula),
    /// `f U g`: g comes, and f holds until then.
    Until(Formula, Formula),
    /// `f V g` (also `f R g`): g holds up to and including the first position where f holds, or for ever.
    Release(Formula, Formula),
    /// `f W g`: as `U`, but g need not come.
    WeakUntil(Formula, Formula),
    /// `f M g`: as `V`, but f must come.
    StrongRelease(Formula, Formula),
}

/// The operator of a node, without its operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[expect(missing_docs, reason = "the names are those of `Node`, which explains them")]
pub enum Op {
    True,
    False,
    Atom,
    Not,
    And,
    Or,
    Implies,
    Iff,
    Xor,
    Next,
    Eventually,
    Always,
    Until,
    Release,
    WeakUntil,
    StrongRelease,
}

/// Facts about a formula that follow from its shape alone. A flag that is not set says nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Flags(u16);

impl Flags {
    /// No temporal operator.
    pub const BOOLEAN: Flags = Flags(1);
    /// Truth on a word implies truth on the word with any letters put before it.
    pub const EVENTUAL: Flags = Flags(2);
    /// Truth on a word implies truth on all its suffixes.
    pub const UNIVERSAL: Flags = Flags(4);
    /// No `X`, therefore insensitive to stuttering.
    pub const X_FREE: Flags = Flags(8);
    /// Syntactic safety.
    pub const SAFETY: Flags = Flags(16);
    /// Syntactic guarantee: the negation is a syntactic safety formula.
    pub const GUARANTEE: Flags = Flags(32);
    /// Syntactic obligation: Boolean combinations of safety and guarantee formulas.
    pub const OBLIGATION: Flags = Flags(64);
    /// Syntactic recurrence (`[]<>`).
    pub const RECURRENCE: Flags = Flags(128);
    /// Syntactic persistence (`<>[]`).
    pub const PERSISTENCE: Flags = Flags(256);

    /// Both eventual and universal.
    pub const EVENTUAL_UNIVERSAL: Flags = Flags(6);

    const ALL: Flags = Flags(511);

    /// Whether all flags of `other` are set.
    pub fn has(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }

    fn keep(self, condition: bool) -> Flags {
        if condition { self } else { Flags(0) }
    }

    fn and(self, other: Flags) -> Flags {
        Flags(self.0 & other.0)
    }

    fn with(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }

    /// Flags of the negation: each class turns into its dual.
    fn dual(self) -> Flags {
        let pairs = [
            (Flags::EVENTUAL, Flags::UNIVERSAL),
            (Flags::SAFETY, Flags::GUARANTEE),
            (Flags::RECURRENCE, Flags::PERSISTENCE),
        ];
        let mut dual = self.and(Flags::BOOLEAN.with(Flags::X_FREE).with(Flags::OBLIGATION));
        for (a, b) in pairs {
            dual = dual.with(a.keep(self.has(b))).with(b.keep(self.has(a)));
        }
        dual
    }
}

#[derive(Clone)]
struct NodeData {
    op: Op,
    /// First operand in the pool; for an atom, the atom itself.
    start: u32,
    len: u32,
    flags: Flags,
    depth: u32,
    /// Next node with the same hash.
    chain: Option<Formula>,
}

/// The arena that owns formulas.
#[derive(Clone)]
pub struct Formulas {
    nodes: Vec<NodeData>,
    pool: Vec<Formula>,
    heads: FxHashMap<u64, Formula>,
}

impl Default for Formulas {
    fn default() -> Self {
        Self::new()
    }
}

impl Formulas {
    /// The formula `true`, which every arena contains.
    pub const TRUE: Formula = Formula(0);
    /// The formula `false`, which every arena contains.
    pub const FALSE: Formula = Formula(1);

    /// An arena with the two constants.
    pub fn new() -> Self {
        let mut arena = Self { nodes: Vec::new(), pool: Vec::new(), heads: FxHashMap::default() };
        let (tt, ff) = (arena.intern(Op::True, &[], 0), arena.intern(Op::False, &[], 0));
        assert!(tt == Self::TRUE && ff == Self::FALSE);
        arena
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never: the constants are always there.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Operator of a node.
    pub fn op(&self, f: Formula) -> Op {
        self.nodes[f.0 as usize].op
    }

    /// Operands of a node.
    pub fn operands(&self, f: Formula) -> &[Formula] {
        let n = &self.nodes[f.0 as usize];
        if n.op == Op::Atom { &[] } else { &self.pool[n.start as usize..(n.start + n.len) as usize] }
    }

    /// What a node is.
    pub fn node(&self, f: Formula) -> Node<'_> {
        let n = &self.nodes[f.0 as usize];
        let k = self.operands(f);
        match n.op {
            Op::True => Node::True,
            Op::False => Node::False,
            Op::Atom => Node::Atom(AtomId(n.start)),
            Op::Not => Node::Not(k[0]),
            Op::And => Node::And(k),
            Op::Or => Node::Or(k),
            Op::Implies => Node::Implies(k[0], k[1]),
            Op::Iff => Node::Iff(k[0], k[1]),
            Op::Xor => Node::Xor(k[0], k[1]),
            Op::Next => Node::Next(k[0]),
            Op::Eventually => Node::Eventually(k[0]),
            Op::Always => Node::Always(k[0]),
            Op::Until => Node::Until(k[0], k[1]),
            Op::Release => Node::Release(k[0], k[1]),
            Op::WeakUntil => Node::WeakUntil(k[0], k[1]),
            Op::StrongRelease => Node::StrongRelease(k[0], k[1]),
        }
    }

    /// Syntactic facts about a node.
    pub fn flags(&self, f: Formula) -> Flags {
        self.nodes[f.0 as usize].flags
    }

    /// Whether the flags of `f` contain all of `flags`.
    pub fn is(&self, f: Formula, flags: Flags) -> bool {
        self.flags(f).has(flags)
    }

    /// Height of the tree below a node; constants and atoms have depth 0.
    pub fn depth(&self, f: Formula) -> u32 {
        self.nodes[f.0 as usize].depth
    }

    /// An atomic proposition.
    pub fn atom(&mut self, atom: AtomId) -> Formula {
        self.intern(Op::Atom, &[], atom.0)
    }

    /// A conjunction: flattened, sorted, without duplicates; the empty one is `true`.
    pub fn and(&mut self, operands: &[Formula]) -> Formula {
        self.nary(Op::And, operands)
    }

    /// A disjunction: flattened, sorted, without duplicates; the empty one is `false`.
    pub fn or(&mut self, operands: &[Formula]) -> Formula {
        self.nary(Op::Or, operands)
    }

    /// `!f`
    pub fn not(&mut self, f: Formula) -> Formula {
        self.intern(Op::Not, &[f], 0)
    }

    /// `X f`
    pub fn next(&mut self, f: Formula) -> Formula {
        self.intern(Op::Next, &[f], 0)
    }

    /// `<> f`
    pub fn eventually(&mut self, f: Formula) -> Formula {
        self.intern(Op::Eventually, &[f], 0)
    }

    /// `[] f`
    pub fn always(&mut self, f: Formula) -> Formula {
        self.intern(Op::Always, &[f], 0)
    }

    /// `f U g`
    pub fn until(&mut self, f: Formula, g: Formula) -> Formula {
        self.intern(Op::Until, &[f, g], 0)
    }

    /// `f V g`
    pub fn release(&mut self, f: Formula, g: Formula) -> Formula {
        self.intern(Op::Release, &[f, g], 0)
    }

    /// `f W g`
    pub fn weak_until(&mut self, f: Formula, g: Formula) -> Formula {
        self.intern(Op::WeakUntil, &[f, g], 0)
    }

    /// `f M g`
    pub fn strong_release(&mut self, f: Formula, g: Formula) -> Formula {
        self.intern(Op::StrongRelease, &[f, g], 0)
    }

    /// `f -> g`
    pub fn implies(&mut self, f: Formula, g: Formula) -> Formula {
        self.intern(Op::Implies, &[f, g], 0)
    }

    /// `f <-> g`
    pub fn iff(&mut self, f: Formula, g: Formula) -> Formula {
        self.intern(Op::Iff, &[f, g], 0)
    }

    /// `f xor g`
    pub fn xor(&mut self, f: Formula, g: Formula) -> Formula {
        self.intern(Op::Xor, &[f, g], 0)
    }

    /// Any operator applied to operands; their number must fit the operator.
    pub fn apply(&mut self, op: Op, operands: &[Formula]) -> Formula {
        match op {
            Op::True => Self::TRUE,
            Op::False => Self::FALSE,
            Op::Atom => panic!("an atom is made by `atom`"),
            Op::And | Op::Or => self.nary(op, operands),
            Op::Not | Op::Next | Op::Eventually | Op::Always => {
                assert_eq!(operands.len(), 1, "{op:?} takes one operand");
                self.intern(op, operands, 0)
            }
            _ => {
                assert_eq!(operands.len(), 2, "{op:?} takes two operands");
                self.intern(op, operands, 0)
            }
        }
    }

    fn nary(&mut self, op: Op, operands: &[Formula]) -> Formula {
        let mut list = Vec::with_capacity(operands.len());
        for &f in operands {
            if self.op(f) == op { list.extend_from_slice(self.operands(f)) } else { list.push(f) }
        }
        list.sort_unstable();
        list.dedup();
        match list[..] {
            [] if op == Op::And => Self::TRUE,
            [] => Self::FALSE,
            [f] => f,
            _ => self.intern(op, &list, 0),
        }
    }

    fn intern(&mut self, op: Op, operands: &[Formula], atom: u32) -> Formula {
        let mut hasher = rustc_hash::FxHasher::default();
        hasher.write_u8(op as u8);
        hasher.write_u32(atom);
        operands.iter().for_each(|f| hasher.write_u32(f.0));
        let hash = hasher.finish();
        let head = self.heads.get(&hash).copied();
        let mut at = head;
        while let Some(f) = at {
            let n = &self.nodes[f.0 as usize];
            if n.op == op && self.operands(f) == operands && (op != Op::Atom || n.start == atom) {
                return f;
            }
            at = n.chain;
        }
        let f = Formula(u32::try_from(self.nodes.len()).expect("fewer than 2^32 formulas"));
        let depth = operands.iter().map(|&k| self.depth(k) + 1).max().unwrap_or(0);
        let flags = self.compute_flags(op, operands);
        let start = if op == Op::Atom { atom } else { self.pool.len() as u32 };
        self.pool.extend_from_slice(operands);
        self.nodes.push(NodeData { op, start, len: operands.len() as u32, flags, depth, chain: head });
        self.heads.insert(hash, f);
        f
    }

    fn compute_flags(&self, op: Op, operands: &[Formula]) -> Flags {
        let of = |i: usize| self.flags(operands[i]);
        let inherited = Flags::SAFETY
            .with(Flags::GUARANTEE)
            .with(Flags::OBLIGATION)
            .with(Flags::RECURRENCE)
            .with(Flags::PERSISTENCE)
            .with(Flags::X_FREE);
        let flags = match op {
            Op::True | Op::False => Flags::ALL,
            Op::Atom => inherited.with(Flags::BOOLEAN),
            Op::Not => of(0).dual(),
            Op::And | Op::Or => operands.iter().fold(Flags::ALL, |all, &k| all.and(self.flags(k))),
            Op::Implies => of(0).dual().and(of(1)),
            // Both an operand and its negation occur, so only what holds of both survives.
            Op::Iff | Op::Xor => of(0).and(of(0).dual()).and(of(1)).and(of(1).dual()),
            Op::Next => of(0).and(inherited.with(Flags::EVENTUAL).with(Flags::UNIVERSAL)),
            Op::Eventually => eventually_flags(of(0)),
            Op::Until => until_flags(of(0), of(1)),
            Op::StrongRelease => strong_release_flags(of(0), of(1)),
            // The others are duals of these three.
            Op::Always => eventually_flags(of(0).dual()).dual(),
            Op::Release => until_flags(of(0).dual(), of(1).dual()).dual(),
            Op::WeakUntil => strong_release_flags(of(0).dual(), of(1).dual()).dual(),
        };
        // Next, and the operators below it, never make a Boolean formula.
        if op == Op::Next { Flags(flags.0 & !Flags::X_FREE.0 & !Flags::BOOLEAN.0) } else { flags }
    }
}

fn eventually_flags(f: Flags) -> Flags {
    f.and(Flags::GUARANTEE.with(Flags::PERSISTENCE).with(Flags::X_FREE).with(Flags::UNIVERSAL))
        .with(Flags::EVENTUAL)
        .with(Flags::OBLIGATION.with(Flags::RECURRENCE).keep(f.has(Flags::GUARANTEE)))
}

fn until_flags(f: Flags, g: Flags) -> Flags {
    let both = f.and(g);
    both.and(Flags::GUARANTEE.with(Flags::PERSISTENCE).with(Flags::X_FREE))
        .with(Flags::EVENTUAL.keep(g.has(Flags::EVENTUAL)))
        .with(Flags::UNIVERSAL.keep(g.has(Flags::UNIVERSAL)))
        .with(Flags::OBLIGATION.keep(f.has(Flags::OBLIGATION) && g.has(Flags::GUARANTEE)))
        .with(Flags::RECURRENCE.keep(f.has(Flags::RECURRENCE) && g.has(Flags::GUARANTEE)))
}

fn strong_release_flags(f: Flags, g: Flags) -> Flags {
    let both = f.and(g);
    both.and(Flags::GUARANTEE.with(Flags::PERSISTENCE).with(Flags::X_FREE).with(Flags::UNIVERSAL))
        .with(Flags::EVENTUAL.keep(g.has(Flags::EVENTUAL)))
        .with(Flags::OBLIGATION.keep(f.has(Flags::GUARANTEE) && g.has(Flags::OBLIGATION)))
        .with(Flags::RECURRENCE.keep(f.has(Flags::GUARANTEE) && g.has(Flags::RECURRENCE)))
}
