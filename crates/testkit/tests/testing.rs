//! Testing automata: on random systems and formulas without `X`, one pass, the single-pass form and the product with a
//! Büchi automaton agree; and the starving philosophers of the literature.

use ferrospin_ltl::random::Random;
use ferrospin_ltl::{AtomId, Automaton as Buchi, Formulas, Labels, Op, StateId, Target, Testing as Table, translate};
use ferrospin_search::emptiness::livelock::{self, Order};
use ferrospin_search::emptiness::testing::{Automaton, Testing};
use ferrospin_search::emptiness::{Arcs, Explorer, Graph, Verdict, couvreur, ndfs};
use ferrospin_store::Exact;
use ferrospin_system::{StateHash, Store};
use std::sync::Arc;

/// A system whose states have letters; every state has a successor.
#[derive(Clone, Debug)]
struct System {
    letters: Vec<u16>,
    edges: Vec<Vec<usize>>,
}

impl System {
    fn random(r: &mut Random) -> System {
        let n = 2 + r.below(29);
        let letters = (0..n).map(|_| r.below(4) as u16).collect();
        let edges = (0..n).map(|_| (0..1 + r.below(3)).map(|_| r.below(n)).collect()).collect();
        System { letters, edges }
    }
}

impl Graph for System {
    type Marks = u8;
    type Label = usize;

    fn wanted(&self) -> u8 {
        0
    }

    fn restricts(&self) -> bool {
        false
    }

    fn initial(&mut self, out: &mut Vec<u8>) -> bool {
        out.clear();
        out.push(0);
        true
    }

    fn expand(&mut self, state: &[u8], out: &mut Arcs<u8>) {
        self.edges[usize::from(state[0])].iter().for_each(|t| out.push(&[*t as u8], 0, true));
    }

    fn label(&mut self, state: &[u8], arc: usize) -> usize {
        self.edges[usize::from(state[0])][arc]
    }

    fn end_label(&mut self, _: &[u8]) -> usize {
        unreachable!("a system does not end")
    }
}

/// A system beside a Büchi automaton.
struct Product<'a> {
    system: System,
    buchi: &'a Buchi,
    labels: &'a Labels,
}

impl Graph for Product<'_> {
    type Marks = u8;
    type Label = usize;

    fn wanted(&self) -> u8 {
        1
    }

    fn restricts(&self) -> bool {
        false
    }

    fn initial(&mut self, out: &mut Vec<u8>) -> bool {
        out.clear();
        out.extend_from_slice(&[0, self.buchi.initial.0 as u8]);
        true
    }

    fn expand(&mut self, state: &[u8], out: &mut Arcs<u8>) {
        let (s, q) = (usize::from(state[0]), StateId(u32::from(state[1])));
        let letter = self.system.letters[s];
        let marks = u8::from(self.buchi.mark_count == 0 || self.buchi.accepting(q));
        for e in self.buchi.out(q) {
            if self.labels.contains(e.label, |a| letter >> a.0 & 1 == 1) {
                self.system.edges[s].iter().for_each(|t| out.push(&[*t as u8, e.target.0 as u8], marks, true));
            }
        }
    }

    fn label(&mut self, _: &[u8], arc: usize) -> usize {
        arc
    }

    fn end_label(&mut self, _: &[u8]) -> usize {
        unreachable!("a system does not end")
    }
}

fn tables(t: &Table, rest: Option<u16>) -> Arc<Automaton> {
    let t = t.clone();
    let Table { initial, edges, recurrent, livelock, .. } = t;
    Arc::new(Automaton { initial, edges, recurrent, livelock, rest })
}

#[test]
fn all_forms_agree() {
    let mut r = Random::new(5);
    let (mut done, mut one_pass, mut found) = (0, 0, 0);
    while done < 5_000 {
        let mut formulas = Formulas::new();
        let size = 1 + r.below(8);
        let f = r.formula(&mut formulas, size, 2);
        if formulas.subformulas(f).iter().any(|g| formulas.op(*g) == Op::Next) {
            continue;
        }
        let mut labels = Labels::new();
        let buchi = translate(&mut formulas, f, Target::Buchi, &mut labels).expect("a small formula");
        let table = Table::new(&buchi, &labels).expect("two propositions");
        let system = System::random(&mut r);
        done += 1;
        let explore = |store: &Exact| {
            couvreur::search(
                &mut Explorer::new(
                    Product { system: system.clone(), buchi: &buchi, labels: &labels },
                    store.handle(),
                    StateHash::new(0),
                ),
                &mut |_| true,
            )
        };
        let new = || Exact::new(&ferrospin_store::Options::new());
        let expected = matches!(explore(&new()).verdict, Verdict::Cycle(_));
        found += usize::from(expected);
        let letter = |state: &[u8]| {
            let all = system.letters[usize::from(state[0])];
            (0..).zip(&table.atoms).fold(0, |l, (i, AtomId(a))| l | (all >> a & 1) << i)
        };
        let (single, rest) = table.single_pass();
        let check = |verdict: Verdict<usize>, form: &str| {
            let Verdict::Cycle(lasso) = verdict else {
                assert!(!expected, "{form} misses a run");
                return;
            };
            assert!(expected, "{form} finds a run where there is none");
            // Labels are targets: the states of the run, and so its word.
            let states: Vec<usize> = std::iter::once(0).chain(lasso.stem.iter().copied()).collect();
            let word = |list: &[usize]| list.iter().map(|s| atoms(system.letters[*s])).collect::<Vec<_>>();
            let cycle = lasso.cycle.clone();
            let word = ferrospin_ltl::Lasso { stem: word(&states), cycle: word(&cycle) };
            assert!(word.satisfies(&formulas, f), "{form}: the run is not accepted by the formula");
        };
        let automaton = tables(&single, Some(rest));
        let graph = || Testing::new(system.clone(), automaton.clone(), letter);
        let (a, b) = (new(), new());
        let mut x = Explorer::new(graph(), a.handle(), StateHash::new(0));
        check(couvreur::search(&mut x, &mut |_| true).verdict, "single pass");
        let mut x = Explorer::new(graph(), b.handle(), StateHash::new(0));
        check(ndfs::search(&mut x, &mut |_| true).verdict, "single pass");
        if table.only_livelocks() {
            one_pass += 1;
            for order in [Order::BreadthFirst, Order::DepthFirst] {
                let store = new();
                let graph = Testing::new(system.clone(), tables(&table, None), letter);
                let mut x = Explorer::new(graph, store.handle(), StateHash::new(0));
                check(livelock::search(&mut x, order, &mut |_| true).verdict, "one pass");
            }
        }
    }
    assert!(one_pass > 300 && found > 1000 && found < 4500, "{one_pass} one-pass, {found} found");
}

fn atoms(letter: u16) -> Vec<AtomId> {
    (0..2).filter(|a| letter >> a & 1 == 1).map(AtomId).collect()
}
