//! Ultimately periodic words, and the meaning of formulas on them.
//!
//! A word `stem cycle cycle cycle ..` decides every formula by finitely many positions. Values of subformulas are
//! computed bottom-up, each at all positions; `<>`, `U` and `M` start from false, `[]`, `V` and `W` from true, and two
//! backward passes reach the fixed point because the second sees what the first brought round the cycle. This follows
//! the definition of each operator and shares nothing with normal forms, rewriting or automata: it is their oracle.
//!
//! Sixty-four words of the same shape are evaluated together, one per bit.
//!
//! Counterexamples are checked here: [`Lasso::sample`] takes the value of each proposition, known by
//! its number, in each state of the run, and [`Lasso::satisfies`] decides the formula. A run that ends is given a cycle
//! of one state, its last one. [`explain`](crate::explain) tells which part of the formula fails where.
//!
//! ```
//! use ferrospin_ltl::{AtomId, Formulas, Lasso};
//!
//! // A run through the values 0, 1, 2, 1, 2, .. of a variable x, and the formula <>[](x == 2).
//! let (values, cycle) = ([0, 1, 2], 1);
//! let mut formulas = Formulas::new();
//! let is_two = formulas.atom(AtomId(0));
//! let stays = formulas.always(is_two);
//! let f = formulas.eventually(stays);
//! let word = Lasso::sample(values.len(), cycle, 1, |AtomId(_), at| values[at] == 2);
//! assert!(!word.satisfies(&formulas, f));
//! ```

use crate::{AtomId, Formula, Formulas, Node};

/// The shape of an ultimately periodic word: its positions, and the one that follows the last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LassoShape {
    /// How many positions there are; at least one.
    pub positions: usize,
    /// First position of the cycle.
    pub cycle: usize,
}

impl LassoShape {
    /// A shape from the lengths of stem and cycle; the cycle must not be empty.
    pub fn new(stem: usize, cycle: usize) -> Self {
        assert!(cycle > 0, "a cycle has at least one letter");
        Self { positions: stem + cycle, cycle: stem }
    }

    /// The position after `at`.
    pub fn next(self, at: usize) -> usize {
        if at + 1 < self.positions { at + 1 } else { self.cycle }
    }
}

/// One ultimately periodic word; a letter is the set of propositions that hold, in ascending order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lasso {
    /// Letters before the cycle.
    pub stem: Vec<Vec<AtomId>>,
    /// Letters of the cycle; at least one.
    pub cycle: Vec<Vec<AtomId>>,
}

impl Lasso {
    /// The word of a run with this many states, of which those from `cycle` on repeat; `value` tells whether one of
    /// the propositions `0..atoms` holds in a state.
    pub fn sample(states: usize, cycle: usize, atoms: u32, mut value: impl FnMut(AtomId, usize) -> bool) -> Self {
        assert!(cycle < states, "a cycle has at least one letter");
        let mut letter = |at: usize| (0..atoms).map(AtomId).filter(|&a| value(a, at)).collect::<Vec<_>>();
        let stem = (0..cycle).map(&mut letter).collect();
        Self { stem, cycle: (cycle..states).map(&mut letter).collect() }
    }

    /// The same word written as short as possible: no repetition inside the cycle, and nothing in the stem that the
    /// cycle could begin with.
    pub fn shortened(mut self) -> Self {
        let n = self.cycle.len();
        let repeats =
            |period: &usize| n.is_multiple_of(*period) && (*period..n).all(|i| self.cycle[i] == self.cycle[i - period]);
        let period = (1..=n).find(repeats).expect("the whole cycle is a period");
        self.cycle.truncate(period);
        while !self.stem.is_empty() && self.stem.last() == self.cycle.last() {
            self.stem.pop();
            self.cycle.rotate_right(1);
        }
        self
    }

    /// The shape of the word.
    pub fn shape(&self) -> LassoShape {
        LassoShape::new(self.stem.len(), self.cycle.len())
    }

    /// The letter at a position.
    pub fn letter(&self, at: usize) -> &[AtomId] {
        if at < self.stem.len() { &self.stem[at] } else { &self.cycle[at - self.stem.len()] }
    }

    /// Whether a proposition holds at a position.
    pub fn holds(&self, atom: AtomId, at: usize) -> bool {
        self.letter(at).binary_search(&atom).is_ok()
    }

    /// Whether a formula holds on the word.
    pub fn satisfies(&self, formulas: &Formulas, f: Formula) -> bool {
        let values = evaluate(formulas, f, self.shape(), |a, at| u64::from(self.holds(a, at)));
        values[0] & 1 == 1
    }
}

/// The value of a formula at every position of 64 words of one shape; bit `i` belongs to word `i`.
pub fn evaluate(
    formulas: &Formulas,
    f: Formula,
    shape: LassoShape,
    value: impl FnMut(AtomId, usize) -> u64,
) -> Vec<u64> {
    evaluate_all(formulas, f, shape, value).1.pop().expect("a formula is a subformula of itself")
}

/// The subformulas of a formula in ascending order, and the values of each.
pub(crate) fn evaluate_all(
    formulas: &Formulas,
    f: Formula,
    shape: LassoShape,
    mut value: impl FnMut(AtomId, usize) -> u64,
) -> (Vec<Formula>, Vec<Vec<u64>>) {
    let order = formulas.subformulas(f);
    let mut row = vec![usize::MAX; f.0 as usize + 1];
    let mut rows: Vec<Vec<u64>> = Vec::with_capacity(order.len());
    for &g in &order {
        let of = |h: Formula| &rows[row[h.0 as usize]];
        let each = |op: &dyn Fn(usize) -> u64| (0..shape.positions).map(op).collect::<Vec<u64>>();
        let values = match formulas.node(g) {
            Node::True => vec![u64::MAX; shape.positions],
            Node::False => vec![0; shape.positions],
            Node::Atom(a) => (0..shape.positions).map(|i| value(a, i)).collect(),
            Node::Not(h) => each(&|i| !of(h)[i]),
            Node::And(list) => each(&|i| list.iter().fold(u64::MAX, |v, &h| v & of(h)[i])),
            Node::Or(list) => each(&|i| list.iter().fold(0, |v, &h| v | of(h)[i])),
            Node::Implies(a, b) => each(&|i| !of(a)[i] | of(b)[i]),
            Node::Iff(a, b) => each(&|i| !(of(a)[i] ^ of(b)[i])),
            Node::Xor(a, b) => each(&|i| of(a)[i] ^ of(b)[i]),
            Node::Next(h) => each(&|i| of(h)[shape.next(i)]),
            Node::Eventually(h) => fixpoint(shape, 0, |i, later| of(h)[i] | later),
            Node::Always(h) => fixpoint(shape, u64::MAX, |i, later| of(h)[i] & later),
            Node::Until(a, b) => fixpoint(shape, 0, |i, later| of(b)[i] | (of(a)[i] & later)),
            Node::WeakUntil(a, b) => fixpoint(shape, u64::MAX, |i, later| of(b)[i] | (of(a)[i] & later)),
            Node::Release(a, b) => fixpoint(shape, u64::MAX, |i, later| of(b)[i] & (of(a)[i] | later)),
            Node::StrongRelease(a, b) => fixpoint(shape, 0, |i, later| of(b)[i] & (of(a)[i] | later)),
        };
        row[g.0 as usize] = rows.len();
        rows.push(values);
    }
    (order, rows)
}

fn fixpoint(shape: LassoShape, start: u64, step: impl Fn(usize, u64) -> u64) -> Vec<u64> {
    let mut values = vec![start; shape.positions];
    for _ in 0..2 {
        for i in (0..shape.positions).rev() {
            values[i] = step(i, values[shape.next(i)]);
        }
    }
    values
}
