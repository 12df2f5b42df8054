//! Testing automata: they read changes of the propositions instead of their values (Valmari 1993; Hansen, Penczek and
//! Valmari 2002; Ben Salem, Duret-Lutz and Kordon 2011).
//!
//! While no proposition changes, a testing automaton stays where it is; so it can only accept languages that do not
//! depend on stuttering, and the caller makes sure of that ([`crate::stuttering`]). It accepts a word that
//! changes for ever if it passes *recurrent* states again and again, and a word that is constant from some point on if
//! it rests in a *livelock* state then. When no recurrent state is left, all that is to be looked for are livelocks,
//! and one pass finds them.
//!
//! States are pairs of a state of a Büchi automaton and the letter it is about to read: the table grows with two to the
//! number of propositions, a product only with the letters that occur.

use crate::automaton::Automaton;
use crate::{AtomId, Labels};
use std::collections::HashMap;

/// The most propositions for which the table is made.
pub const TESTING_ATOMS_MAX: usize = 8;

/// A testing automaton over letters of `atoms.len()` bits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Testing {
    /// Which proposition each bit of a letter is.
    pub atoms: Vec<AtomId>,
    /// Initial states by the first letter.
    pub initial: Vec<Vec<u16>>,
    /// For each state: changed bits, never none, and target.
    pub edges: Vec<Vec<(u16, u16)>>,
    /// States that a run which changes for ever must pass again and again.
    pub recurrent: Vec<bool>,
    /// States in which a run may rest for ever.
    pub livelock: Vec<bool>,
}

impl Testing {
    /// Makes one of a Büchi automaton whose language does not depend on stuttering; `None` when there are too many
    /// propositions or states.
    pub fn new(a: &Automaton, labels: &Labels) -> Option<Testing> {
        assert!(a.state_based || a.mark_count == 0, "acceptance belongs to states");
        let mut atoms: Vec<AtomId> = a.edges.iter().flatten().flat_map(|e| labels.support(e.label)).collect();
        atoms.sort_unstable();
        atoms.dedup();
        let letters = 1usize << atoms.len().min(TESTING_ATOMS_MAX + 1);
        if atoms.len() > TESTING_ATOMS_MAX || a.state_count() * letters > usize::from(u16::MAX) {
            return None;
        }
        let holds = |letter: usize, atom: AtomId| atoms.binary_search(&atom).is_ok_and(|i| letter >> i & 1 == 1);
        let number = |state: usize, letter: usize| state * letters + letter;
        let count = a.state_count() * letters;
        let (mut changes, mut rests) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        let mut accepting = vec![false; count];
        for s in a.states() {
            for letter in 0..letters {
                let from = number(s.0 as usize, letter);
                accepting[from] = a.mark_count == 0 || a.accepting(s);
                for e in a.out(s).iter().filter(|e| labels.contains(e.label, |atom| holds(letter, atom))) {
                    rests[from].push(number(e.target.0 as usize, letter));
                    for next in (0..letters).filter(|n| *n != letter) {
                        changes[from].push(((letter ^ next) as u16, number(e.target.0 as usize, next)));
                    }
                }
            }
        }
        let initial = (0..letters).map(|letter| number(a.initial.0 as usize, letter)).collect();
        Some(Parts { atoms, initial, changes, rests, accepting }.finish())
    }

    /// Whether livelocks are all there is to look for.
    pub fn only_livelocks(&self) -> bool {
        !self.recurrent.contains(&true)
    }

    /// The single-pass form: a further state, in which a run rests for ever, is entered beside every livelock state; it
    /// has no edges. What accepts then are changes that leave a recurrent state, and resting in that state.
    pub fn single_pass(&self) -> (Testing, u16) {
        let mut t = self.clone();
        let rest = t.edges.len() as u16;
        for edges in &mut t.edges {
            let more: Vec<_> = edges.iter().filter(|e| self.livelock[usize::from(e.1)]).map(|e| (e.0, rest)).collect();
            edges.extend(more);
            edges.sort_unstable();
            edges.dedup();
        }
        for states in &mut t.initial {
            if states.iter().any(|s| self.livelock[usize::from(*s)]) {
                states.push(rest);
            }
        }
        t.edges.push(Vec::new());
        t.recurrent.push(false);
        t.livelock.push(true);
        (t, rest)
    }
}

/// An automaton with a letter in every state, before it is made small.
struct Parts {
    atoms: Vec<AtomId>,
    initial: Vec<usize>,
    changes: Vec<Vec<(u16, usize)>>,
    /// Edges that read the same letter again.
    rests: Vec<Vec<usize>>,
    accepting: Vec<bool>,
}

impl Parts {
    fn finish(self) -> Testing {
        let count = self.changes.len();
        let resting = components(&self.rests);
        let loops = |s: usize| self.rests[s].iter().any(|t| resting[*t] == resting[s]);
        let mut good = vec![false; count];
        for s in (0..count).filter(|s| self.accepting[*s] && loops(*s)) {
            good[resting[s]] = true;
        }
        let mut livelock: Vec<bool> = (0..count).map(|s| good[resting[s]]).collect();
        spread_back(&self.rests, &mut livelock);
        let targets: Vec<Vec<usize>> = self.changes.iter().map(|e| e.iter().map(|e| e.1).collect()).collect();
        let changing = components(&targets);
        let on_cycle = |s: usize| targets[s].iter().any(|t| changing[*t] == changing[s]);
        let recurrent: Vec<bool> = (0..count).map(|s| self.accepting[s] && on_cycle(s)).collect();
        // Only states from which something can be accepted are of use, and only those that can be reached.
        let mut useful: Vec<bool> = (0..count).map(|s| livelock[s] || recurrent[s]).collect();
        spread_back(&targets, &mut useful);
        let mut numbers: HashMap<usize, u16> = HashMap::new();
        let mut order = Vec::new();
        let mut number = |s: usize, order: &mut Vec<usize>| {
            *numbers.entry(s).or_insert_with(|| {
                order.push(s);
                order.len() as u16 - 1
            })
        };
        let initial =
            self.initial.iter().map(|s| if useful[*s] { vec![number(*s, &mut order)] } else { Vec::new() }).collect();
        let (mut edges, mut at) = (Vec::new(), 0);
        while at < order.len() {
            let mut list: Vec<(u16, u16)> = Vec::new();
            for (mask, t) in self.changes[order[at]].iter().filter(|(_, t)| useful[*t]) {
                list.push((*mask, number(*t, &mut order)));
            }
            list.sort_unstable();
            list.dedup();
            edges.push(list);
            at += 1;
        }
        Testing {
            atoms: self.atoms,
            initial,
            edges,
            recurrent: order.iter().map(|s| recurrent[*s]).collect(),
            livelock: order.iter().map(|s| livelock[*s]).collect(),
        }
    }
}

/// Adds all states that lead to one of a set.
fn spread_back(edges: &[Vec<usize>], set: &mut [bool]) {
    loop {
        let more: Vec<usize> = (0..edges.len()).filter(|s| !set[*s] && edges[*s].iter().any(|t| set[*t])).collect();
        if more.is_empty() {
            return;
        }
        more.into_iter().for_each(|s| set[s] = true);
    }
}

/// The strongly connected component of every state, named by one of its members (Tarjan 1972, without recursion).
fn components(edges: &[Vec<usize>]) -> Vec<usize> {
    const NEW: usize = usize::MAX;
    let n = edges.len();
    let (mut index, mut low, mut of) = (vec![NEW; n], vec![0; n], vec![NEW; n]);
    let (mut stack, mut count) = (Vec::new(), 0);
    for root in 0..n {
        if index[root] != NEW {
            continue;
        }
        let mut work = vec![(root, 0)];
        while let Some((s, from)) = work.pop() {
            if from == 0 {
                index[s] = count;
                low[s] = count;
                count += 1;
                stack.push(s);
            }
            let mut descended = false;
            for (i, &t) in edges[s].iter().enumerate().skip(from) {
                if index[t] == NEW {
                    work.push((s, i + 1));
                    work.push((t, 0));
                    descended = true;
                    break;
                }
                if of[t] == NEW {
                    low[s] = low[s].min(index[t]);
                }
            }
            if descended {
                continue;
            }
            if low[s] == index[s] {
                while let Some(t) = stack.pop() {
                    of[t] = s;
                    if t == s {
                        break;
                    }
                }
            }
            if let Some((parent, _)) = work.last() {
                low[*parent] = low[*parent].min(low[s]);
            }
        }
    }
    of
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::{Formulas, Lasso, Op, Target, translate};

    /// Whether a testing automaton accepts a word, straight from the definition: a graph of positions and states, in
    /// which waiting at a position costs nothing.
    fn accepts(t: &Testing, word: &Lasso, single: Option<u16>) -> bool {
        let shape = word.shape();
        let letter =
            |at: usize| t.atoms.iter().enumerate().fold(0u16, |l, (i, a)| l | u16::from(word.holds(*a, at)) << i);
        let states = t.edges.len();
        let node = |at: usize, s: u16| at * states + usize::from(s);
        let mut edges = vec![Vec::new(); shape.positions * states];
        let mut marked = vec![Vec::new(); shape.positions * states];
        for at in 0..shape.positions {
            let next = shape.next(at);
            let mask = letter(at) ^ letter(next);
            for s in 0..states as u16 {
                let targets: Vec<u16> = if mask == 0 {
                    vec![s]
                } else {
                    t.edges[usize::from(s)].iter().filter(|e| e.0 == mask).map(|e| e.1).collect()
                };
                for to in targets {
                    let good = match single {
                        Some(rest) if mask == 0 => s == rest,
                        None if mask == 0 => false,
                        _ => t.recurrent[usize::from(s)],
                    };
                    edges[node(at, s)].push(node(next, to));
                    marked[node(at, s)].push(good);
                }
            }
        }
        let mut reached = vec![false; edges.len()];
        let mut work: Vec<usize> = t.initial[usize::from(letter(0))].iter().map(|s| node(0, *s)).collect();
        while let Some(n) = work.pop() {
            if !std::mem::replace(&mut reached[n], true) {
                work.extend(&edges[n]);
            }
        }
        let of = components(&edges);
        let constant = (shape.cycle..shape.positions).all(|at| letter(at) == letter(shape.cycle));
        let livelock =
            single.is_none() && constant && (0..states).any(|s| reached[node(shape.cycle, s as u16)] && t.livelock[s]);
        let cycle = (0..edges.len())
            .any(|n| reached[n] && edges[n].iter().zip(&marked[n]).any(|(to, m)| *m && of[*to] == of[n]));
        livelock || cycle
    }

    #[test]
    fn testing_automata_accept_what_the_formula_says() {
        let mut r = Random::new(17);
        let (mut words, mut only_livelocks, mut accepted) = (0, 0, 0);
        while words < 20_000 {
            let mut formulas = Formulas::new();
            let size = 1 + r.below(8);
            let f = r.formula(&mut formulas, size, 2);
            if formulas.subformulas(f).iter().any(|g| formulas.op(*g) == Op::Next) {
                continue;
            }
            let mut labels = Labels::new();
            let a = translate(&mut formulas, f, Target::Buchi, &mut labels).expect("a small formula");
            let t = Testing::new(&a, &labels).expect("few propositions");
            let (single, rest) = t.single_pass();
            only_livelocks += usize::from(t.only_livelocks());
            for _ in 0..20 {
                let word = r.lasso(4, 4, 2, 50);
                let expected = word.satisfies(&formulas, f);
                assert_eq!(accepts(&t, &word, None), expected, "{word:?} {t:?}");
                assert_eq!(accepts(&single, &word, Some(rest)), expected, "{word:?} single {t:?}");
                words += 1;
                accepted += usize::from(expected);
            }
        }
        assert!(only_livelocks > 50 && accepted > 2000 && accepted < 18_000);
    }

    #[test]
    fn for_ever_in_one_place_is_a_livelock() {
        let (mut formulas, mut labels) = (Formulas::new(), Labels::new());
        let p = formulas.atom(AtomId(0));
        let always = formulas.always(p);
        let f = formulas.eventually(always);
        let a = translate(&mut formulas, f, Target::Buchi, &mut labels).expect("a small formula");
        let t = Testing::new(&a, &labels).expect("one proposition");
        assert!(t.only_livelocks());
        assert_eq!(t.livelock.iter().filter(|l| **l).count(), 1, "{t:?}");
    }
}
