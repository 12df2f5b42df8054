//! Why a formula holds or fails on a word: the subformulas that decide it, each at a position.
//!
//! The values of all subformulas at all positions are known (see [`crate::evaluate`]); from the whole formula at the
//! first position we walk to operands that suffice for its value: the first false member of a conjunction, the first
//! position at which `[]f` fails, the witness of an eventuality. A fact is told once, however often it is needed, and
//! facts about propositions are told in the line that needs them only if that line is about something larger.

use crate::lasso::evaluate_all;
use crate::{Atoms, Dialect, Formula, Formulas, Lasso, LassoShape, Node, print};
use rustc_hash::{FxHashMap, FxHashSet};

/// Facts of one explanation; beyond that it is cut off.
const FACTS_MAX: usize = 200;

/// One fact about a word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fact {
    /// How far it is from the question: the fact that answers it has depth 0.
    pub depth: usize,
    /// A subformula.
    pub formula: Formula,
    /// A position of the word; those of the cycle stand for all their repetitions.
    pub position: usize,
    /// Whether the subformula holds there.
    pub holds: bool,
    /// What decides that.
    pub reason: Reason,
}

/// What decides a fact; operands are told in the facts one level deeper.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// It is a proposition or a constant.
    Given,
    /// The operands told next.
    Operands,
    /// The operand at the position told next.
    At(usize),
    /// An operand that never holds from here on.
    Never(Formula),
    /// An operand that always holds from here on.
    Always(Formula),
    /// Told before.
    Known,
}

impl Fact {
    /// The fact as a sentence, such as `<>q fails at 2: q never holds from there on`.
    pub fn text(&self, formulas: &Formulas, atoms: &Atoms, dialect: Dialect) -> String {
        let show = |f| print(formulas, f, atoms, dialect);
        let verb = if self.holds { "holds" } else { "fails" };
        let said = format!("{} {verb} at {}", show(self.formula), self.position);
        match self.reason {
            Reason::Given | Reason::Operands => said,
            Reason::At(at) if at == self.position => said,
            Reason::At(at) => format!("{said} because of {at}"),
            Reason::Never(f) => format!("{said}: {} never holds from there on", show(f)),
            Reason::Always(f) => format!("{said}: {} always holds from there on", show(f)),
            Reason::Known => format!("{said}, as told above"),
        }
    }
}

/// Explains the value of a formula on a word, the most important fact first; each fact is followed by those that it
/// rests on, one level deeper.
pub fn explain(formulas: &Formulas, f: Formula, word: &Lasso) -> Vec<Fact> {
    let shape = word.shape();
    let (order, rows) = evaluate_all(formulas, f, shape, |a, at| u64::from(word.holds(a, at)));
    let rows = order.into_iter().zip(rows).collect();
    let mut explainer = Explainer { formulas, shape, rows, told: FxHashSet::default(), facts: Vec::new() };
    let mut work = vec![(f, 0, 0)];
    while let Some((g, at, depth)) = work.pop() {
        if explainer.facts.len() >= FACTS_MAX {
            break;
        }
        let below = explainer.tell(g, at, depth);
        work.extend(below.into_iter().rev().map(|(h, at)| (h, at, depth + 1)));
    }
    explainer.facts
}

struct Explainer<'a> {
    formulas: &'a Formulas,
    shape: LassoShape,
    rows: FxHashMap<Formula, Vec<u64>>,
    told: FxHashSet<(Formula, usize)>,
    facts: Vec<Fact>,
}

impl Explainer<'_> {
    fn value(&self, f: Formula, at: usize) -> bool {
        self.rows[&f][at] & 1 == 1
    }

    /// The positions from `at` on, each once, in the order in which they come.
    fn ahead(&self, at: usize) -> impl Iterator<Item = usize> + use<> {
        let shape = self.shape;
        let count = if at < shape.cycle { shape.positions - at } else { shape.positions - shape.cycle };
        std::iter::successors(Some(at), move |&i| Some(shape.next(i))).take(count)
    }

    /// The first position from `at` on at which an operand has the value.
    fn first(&self, f: Formula, at: usize, value: bool) -> Option<usize> {
        self.ahead(at).find(|&i| self.value(f, i) == value)
    }

    /// Adds the fact about `f` at a position; returns those that it rests on.
    fn tell(&mut self, f: Formula, at: usize, depth: usize) -> Vec<(Formula, usize)> {
        let holds = self.value(f, at);
        let node = self.formulas.node(f);
        let given = matches!(node, Node::Atom(_) | Node::True | Node::False);
        let (reason, below) = match self.told.insert((f, at)) || given {
            true => self.reason(node, at, holds),
            false => (Reason::Known, Vec::new()),
        };
        self.facts.push(Fact { depth, formula: f, position: at, holds, reason });
        below
    }

    fn reason(&self, node: Node<'_>, at: usize, holds: bool) -> (Reason, Vec<(Formula, usize)>) {
        let operands = |list: Vec<Formula>| (Reason::Operands, list.into_iter().map(|g| (g, at)).collect());
        match node {
            Node::True | Node::False | Node::Atom(_) => (Reason::Given, Vec::new()),
            Node::Not(g) => operands(vec![g]),
            Node::And(list) | Node::Or(list) => {
                // One operand decides against a conjunction or for a disjunction; otherwise all do.
                if matches!(node, Node::And(_)) == holds {
                    return operands(list.to_vec());
                }
                operands(list.iter().copied().filter(|&g| self.value(g, at) == holds).take(1).collect())
            }
            Node::Implies(a, b) => match (holds, self.value(b, at)) {
                (false, _) => operands(vec![a, b]),
                (true, true) => operands(vec![b]),
                (true, false) => operands(vec![a]),
            },
            Node::Iff(a, b) | Node::Xor(a, b) => operands(vec![a, b]),
            Node::Next(g) => (Reason::At(self.shape.next(at)), vec![(g, self.shape.next(at))]),
            Node::Eventually(g) => self.somewhere(g, at, true),
            Node::Always(g) => self.somewhere(g, at, false),
            Node::Until(a, b) | Node::WeakUntil(a, b) => {
                let weak = matches!(node, Node::WeakUntil(..));
                self.until(a, b, at, holds, weak)
            }
            Node::Release(a, b) | Node::StrongRelease(a, b) => {
                let weak = matches!(node, Node::Release(..));
                self.release(a, b, at, holds, weak)
            }
        }
    }

    /// A position at which `g` has the value decides, else that there is none.
    fn somewhere(&self, g: Formula, at: usize, value: bool) -> (Reason, Vec<(Formula, usize)>) {
        match self.first(g, at, value) {
            Some(i) => (Reason::At(i), vec![(g, i)]),
            None if value => (Reason::Never(g), self.sample(g, at)),
            None => (Reason::Always(g), self.sample(g, at)),
        }
    }

    /// What never or always holds is explained at one position, unless it is a mere proposition.
    fn sample(&self, g: Formula, at: usize) -> Vec<(Formula, usize)> {
        let plain = |g: Formula| matches!(self.formulas.node(g), Node::Atom(_) | Node::True | Node::False);
        let literal = matches!(self.formulas.node(g), Node::Not(h) if plain(h));
        if plain(g) || literal { Vec::new() } else { vec![(g, at)] }
    }

    fn until(&self, a: Formula, b: Formula, at: usize, holds: bool, weak: bool) -> (Reason, Vec<(Formula, usize)>) {
        let (goal, gap) = (self.first(b, at, true), self.first(a, at, false));
        match (holds, goal, gap) {
            (true, Some(i), _) if self.reaches(a, at, i) => {
                let before = if i == at { None } else { Some((a, at)) };
                (Reason::At(i), std::iter::once((b, i)).chain(before).collect())
            }
            (true, _, _) => (Reason::Always(a), self.sample(a, at)),
            // A gap before the goal, or a goal that never comes.
            (false, _, Some(i)) if weak || goal.is_some() => (Reason::At(i), vec![(a, i), (b, i)]),
            (false, _, _) => (Reason::Never(b), self.sample(b, at)),
        }
    }

    /// Whether `a` holds from `at` up to, not including, position `to` ahead.
    fn reaches(&self, a: Formula, at: usize, to: usize) -> bool {
        self.ahead(at).take_while(|&i| i != to).all(|i| self.value(a, i))
    }

    fn release(&self, a: Formula, b: Formula, at: usize, holds: bool, weak: bool) -> (Reason, Vec<(Formula, usize)>) {
        let (stop, gap) = (self.first(a, at, true), self.first(b, at, false));
        match (holds, stop, gap) {
            (true, Some(i), _) if self.reaches(b, at, i) && self.value(b, i) => (Reason::At(i), vec![(a, i), (b, i)]),
            (true, _, _) => (Reason::Always(b), self.sample(b, at)),
            (false, _, Some(i)) => (Reason::At(i), vec![(b, i)]),
            (false, _, None) => {
                debug_assert!(!weak, "a release without gap holds");
                (Reason::Never(a), self.sample(a, at))
            }
        }
    }
}
