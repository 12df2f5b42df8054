//! Labels: Boolean functions of propositions, as binary decision diagrams.
//!
//! Edges of automata carry sets of letters. Reduced ordered diagrams (Bryant, 1986) make equal sets equal indices, so
//! that comparing, uniting and subtracting labels is cheap wherever reductions need it. For people and for guards a
//! label is written as an irredundant sum of cubes (Minato, 1992). The order of variables is that of the propositions;
//! labels of formulas are small, so no reordering is attempted.

use crate::{AtomId, Flags, Formula, Formulas, Node, Op};
use rustc_hash::FxHashMap;

/// A set of letters; index into [`Labels`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Label(pub u32);

impl Label {
    /// No letter.
    pub const FALSE: Label = Label(0);
    /// All letters.
    pub const TRUE: Label = Label(1);
}

/// A conjunction of literals: propositions in ascending order, each with the value it must have.
pub type Cube = Vec<(AtomId, bool)>;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Decision {
    var: u32,
    low: Label,
    high: Label,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Operation {
    And,
    Or,
    Minus,
}

/// The manager that owns labels.
#[derive(Clone)]
pub struct Labels {
    nodes: Vec<Decision>,
    unique: FxHashMap<Decision, Label>,
    cache: Vec<Remembered>,
}

/// One operation and its result. The table of results is direct-mapped: a new result replaces the old one in its slot,
/// which keeps lookups cheap and memory bounded.
#[derive(Clone, Copy)]
struct Remembered {
    operation: Operation,
    a: Label,
    b: Label,
    result: Label,
}

const CACHE_SIZE_MIN: usize = 1 << 10;
const CACHE_SIZE_MAX: usize = 1 << 18;

fn slot(operation: Operation, a: Label, b: Label, size: usize) -> usize {
    let key = (u64::from(a.0) << 32 | u64::from(b.0)).wrapping_add((operation as u64) << 61);
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize & (size - 1)
}

impl Default for Labels {
    fn default() -> Self {
        Self::new()
    }
}

impl Labels {
    /// A manager with the two constants.
    pub fn new() -> Self {
        let leaf = Decision { var: u32::MAX, low: Label::FALSE, high: Label::FALSE };
        let mut labels = Self { nodes: vec![leaf, leaf], unique: FxHashMap::default(), cache: Vec::new() };
        labels.grow_cache(CACHE_SIZE_MIN);
        labels
    }

    fn grow_cache(&mut self, size: usize) {
        // The constants combined with each other never reach the cache, so this entry matches nothing.
        let vacant = Remembered { operation: Operation::And, a: Label::FALSE, b: Label::FALSE, result: Label::FALSE };
        self.cache = vec![vacant; size];
    }

    fn decision(&mut self, var: u32, low: Label, high: Label) -> Label {
        if low == high {
            return low;
        }
        let decision = Decision { var, low, high };
        *self.unique.entry(decision).or_insert_with(|| {
            self.nodes.push(decision);
            Label(self.nodes.len() as u32 - 1)
        })
    }

    /// Letters in which a proposition has the given value.
    pub fn literal(&mut self, atom: AtomId, value: bool) -> Label {
        let (low, high) = if value { (Label::FALSE, Label::TRUE) } else { (Label::TRUE, Label::FALSE) };
        self.decision(atom.0, low, high)
    }

    /// Letters in which all literals hold.
    pub fn cube(&mut self, cube: &[(AtomId, bool)]) -> Label {
        let mut label = Label::TRUE;
        for &(atom, value) in cube {
            let literal = self.literal(atom, value);
            label = self.and(label, literal);
        }
        label
    }

    /// Intersection.
    pub fn and(&mut self, a: Label, b: Label) -> Label {
        self.combine(Operation::And, a, b)
    }

    /// Union.
    pub fn or(&mut self, a: Label, b: Label) -> Label {
        self.combine(Operation::Or, a, b)
    }

    /// Letters of `a` that are not in `b`.
    pub fn minus(&mut self, a: Label, b: Label) -> Label {
        self.combine(Operation::Minus, a, b)
    }

    /// All other letters.
    pub fn not(&mut self, a: Label) -> Label {
        self.combine(Operation::Minus, Label::TRUE, a)
    }

    /// Whether every letter of `a` is in `b`.
    pub fn implies(&mut self, a: Label, b: Label) -> bool {
        self.minus(a, b) == Label::FALSE
    }

    fn combine(&mut self, operation: Operation, a: Label, b: Label) -> Label {
        let (mut a, mut b) = (a, b);
        match operation {
            Operation::And | Operation::Or => {
                if a > b {
                    (a, b) = (b, a);
                }
                // The smaller index is the constant, if there is one.
                if a == b {
                    return a;
                }
                match (operation, a) {
                    (Operation::And, Label::FALSE) => return Label::FALSE,
                    (Operation::And, Label::TRUE) | (Operation::Or, Label::FALSE) => return b,
                    (Operation::Or, Label::TRUE) => return Label::TRUE,
                    _ => {}
                }
            }
            Operation::Minus => {
                if a == b || a == Label::FALSE || b == Label::TRUE {
                    return Label::FALSE;
                }
                if b == Label::FALSE {
                    return a;
                }
            }
        }
        let known = self.cache[slot(operation, a, b, self.cache.len())];
        if known.operation == operation && known.a == a && known.b == b {
            return known.result;
        }
        let (x, y) = (self.nodes[a.0 as usize], self.nodes[b.0 as usize]);
        let var = x.var.min(y.var);
        let (al, ah) = if x.var == var { (x.low, x.high) } else { (a, a) };
        let (bl, bh) = if y.var == var { (y.low, y.high) } else { (b, b) };
        let low = self.combine(operation, al, bl);
        let high = self.combine(operation, ah, bh);
        let result = self.decision(var, low, high);
        if self.nodes.len() > self.cache.len() && self.cache.len() < CACHE_SIZE_MAX {
            self.grow_cache(self.cache.len() * 4);
        }
        let size = self.cache.len();
        self.cache[slot(operation, a, b, size)] = Remembered { operation, a, b, result };
        result
    }

    /// The letters in which a formula without temporal operators holds; `None` for other formulas.
    pub fn of_formula(&mut self, formulas: &Formulas, f: Formula) -> Option<Label> {
        if !formulas.is(f, Flags::BOOLEAN) {
            return None;
        }
        let mut known: FxHashMap<Formula, Label> = FxHashMap::default();
        for g in formulas.subformulas(f) {
            let label = match formulas.node(g) {
                Node::True => Label::TRUE,
                Node::False => Label::FALSE,
                Node::Atom(a) => self.literal(a, true),
                Node::Not(h) => self.not(known[&h]),
                Node::And(list) => list.iter().fold(Label::TRUE, |l, h| self.and(l, known[h])),
                Node::Or(list) => list.iter().fold(Label::FALSE, |l, h| self.or(l, known[h])),
                Node::Implies(a, b) => {
                    let excluded = self.minus(known[&a], known[&b]);
                    self.not(excluded)
                }
                Node::Iff(a, b) | Node::Xor(a, b) => {
                    let (left, right) = (self.minus(known[&a], known[&b]), self.minus(known[&b], known[&a]));
                    let different = self.or(left, right);
                    if formulas.op(g) == Op::Xor { different } else { self.not(different) }
                }
                _ => unreachable!("no temporal operator"),
            };
            known.insert(g, label);
        }
        known.get(&f).copied()
    }

    /// Whether a letter belongs to a label; `value` tells which propositions hold in the letter.
    pub fn contains(&self, label: Label, mut value: impl FnMut(AtomId) -> bool) -> bool {
        let mut at = label;
        while at > Label::TRUE {
            let n = self.nodes[at.0 as usize];
            at = if value(AtomId(n.var)) { n.high } else { n.low };
        }
        at == Label::TRUE
    }

    /// Some letter of a label, as values of the propositions that matter; `None` for the empty label.
    pub fn pick(&self, label: Label) -> Option<Cube> {
        let mut cube = Cube::new();
        let mut at = label;
        while at > Label::TRUE {
            let n = self.nodes[at.0 as usize];
            let high = n.low == Label::FALSE;
            cube.push((AtomId(n.var), high));
            at = if high { n.high } else { n.low };
        }
        (at == Label::TRUE).then_some(cube)
    }

    /// The propositions a label depends on, in ascending order.
    pub fn support(&self, label: Label) -> Vec<AtomId> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut atoms = Vec::new();
        let mut stack = vec![label];
        while let Some(l) = stack.pop() {
            if l > Label::TRUE && seen.insert(l) {
                let n = self.nodes[l.0 as usize];
                atoms.push(AtomId(n.var));
                stack.extend([n.low, n.high]);
            }
        }
        atoms.sort_unstable();
        atoms.dedup();
        atoms
    }

    /// The same function with propositions renamed, as reading automata of others needs it.
    pub fn rename(&mut self, label: Label, name: &mut impl FnMut(AtomId) -> AtomId) -> Label {
        let mut result = Label::FALSE;
        for cube in self.cover(label) {
            let renamed: Cube = cube.into_iter().map(|(a, v)| (name(a), v)).collect();
            let part = self.cube(&renamed);
            result = self.or(result, part);
        }
        result
    }

    /// A label as an irredundant sum of cubes; the empty sum is false, the empty cube true.
    pub fn cover(&mut self, label: Label) -> Vec<Cube> {
        let mut cubes = self.between(label, label).0;
        cubes.iter_mut().for_each(|c| c.sort_unstable());
        cubes.sort_unstable();
        cubes
    }

    /// Cubes whose union lies between two labels, and that union.
    fn between(&mut self, lower: Label, upper: Label) -> (Vec<Cube>, Label) {
        if lower == Label::FALSE {
            return (Vec::new(), Label::FALSE);
        }
        if upper == Label::TRUE {
            return (vec![Cube::new()], Label::TRUE);
        }
        let (x, y) = (self.nodes[lower.0 as usize], self.nodes[upper.0 as usize]);
        let var = x.var.min(y.var);
        let (l0, l1) = if x.var == var { (x.low, x.high) } else { (lower, lower) };
        let (u0, u1) = if y.var == var { (y.low, y.high) } else { (upper, upper) };
        // What only one value of the variable allows must be covered with its literal.
        let only0 = self.minus(l0, u1);
        let only1 = self.minus(l1, u0);
        let (mut cubes0, f0) = self.between(only0, u0);
        let (mut cubes1, f1) = self.between(only1, u1);
        let rest0 = self.minus(l0, f0);
        let rest1 = self.minus(l1, f1);
        let (rest, both) = (self.or(rest0, rest1), self.and(u0, u1));
        let (mut cubes, f) = self.between(rest, both);
        cubes0.iter_mut().for_each(|c| c.push((AtomId(var), false)));
        cubes1.iter_mut().for_each(|c| c.push((AtomId(var), true)));
        cubes.append(&mut cubes0);
        cubes.append(&mut cubes1);
        let split = self.decision(var, f0, f1);
        (cubes, self.or(split, f))
    }
}
