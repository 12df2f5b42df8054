//! Systems times property automata, searched by every algorithm, against the brute-force answer on the product that the
//! definition gives.

// Each test uses a part of it.
#[allow(dead_code)]
mod support;

use ferrospin_search::automaton::{AutomatonEdge, AutomatonState, Cube, Prefixed, PropertyAutomaton, WithAutomaton};
use ferrospin_search::emptiness::cached::{CachedProduct, Numbers};
use ferrospin_search::emptiness::copies::Copies;
use ferrospin_search::emptiness::product::{Goal, Options, Product};
use ferrospin_search::emptiness::{Explorer, Stopped, Verdict, cndfs, couvreur, ndfs, tau03, ufscc};
use ferrospin_system::{Control, Failure, Labels, Machine, Move, Moves, NO_PROCESS, StateHash, Step, Store};
use std::sync::Arc;
use support::{Random, Small, Toy};

const PROCESSES: usize = 2;

/// A graph whose nodes have labels and whose edges belong to processes.
#[derive(Clone, Debug)]
struct Labelled {
    labels: Vec<u64>,
    /// For each node its edges: process and target.
    edges: Vec<Vec<(u8, usize)>>,
}

impl Labelled {
    fn random(r: &mut Random) -> Labelled {
        let nodes = 1 + r.below(6);
        let labels = (0..nodes).map(|_| r.below(4) as u64).collect();
        let edges = |r: &mut Random| {
            let count = r.below(4);
            (0..count).map(|_| (r.below(PROCESSES) as u8, r.below(nodes))).collect()
        };
        Labelled { labels, edges: (0..nodes).map(|_| edges(r)).collect() }
    }
}

impl Machine for Labelled {
    fn initial(&mut self, out: &mut Vec<u8>) -> Result<(), Failure> {
        out.clear();
        out.push(0);
        Ok(())
    }

    fn moves(&mut self, state: &[u8], _: Control, out: &mut Moves) {
        out.clear();
        let edges = self.edges[usize::from(state[0])].iter().zip(0..);
        out.list.extend(edges.map(|((process, _), e)| Move::single(*process, e)));
    }

    fn apply(&mut self, state: &[u8], mv: &Move, out: &mut Vec<u8>) -> Step {
        out.clear();
        out.push(self.edges[usize::from(state[0])][mv.edge as usize].1 as u8);
        Step { control: Control::Free, failure: None, proceeds: true }
    }

    ferrospin_system::one_by_one!();

    fn labels(&mut self, state: &[u8], _: Labels) -> Labels {
        Labels(self.labels[usize::from(state[0])])
    }
}

fn automaton(r: &mut Random) -> PropertyAutomaton {
    let count = 1 + r.below(4);
    let cube = |r: &mut Random| {
        let (holding, failing) = (r.below(4) as u64, r.below(4) as u64);
        Cube { holding, failing: failing & !holding }
    };
    let edge = |r: &mut Random| {
        let guard = (0..1 + r.below(2)).map(|_| cube(r)).collect();
        AutomatonEdge { guard, target: r.below(count) as u32 }
    };
    let state = |r: &mut Random| AutomatonState {
        accepts: r.below(3) == 0,
        ends: false,
        component: 0,
        edges: (0..r.below(4)).map(|_| edge(r)).collect(),
    };
    PropertyAutomaton::new((0..count).map(|_| state(r)).collect())
}

/// The product by its definition: one mark for acceptance, one for each process.
fn by_definition(system: &Labelled, automaton: &PropertyAutomaton, fair: bool) -> Toy {
    let width = automaton.states().len();
    let mut edges = Vec::new();
    for (node, own) in system.edges.iter().enumerate() {
        let can = |p: usize| own.iter().any(|(process, _)| usize::from(*process) == p);
        let blocked = (0..PROCESSES).filter(|p| !can(*p)).fold(0, |all, p| all | 2 << p);
        for (at, state) in automaton.states().iter().enumerate() {
            let worth = u64::from(state.accepts) | blocked;
            for edge in state.edges.iter().filter(|e| e.guard.iter().any(|c| c.admits(system.labels[node]))) {
                let to = |node: usize| node * width + edge.target as usize;
                let from = node * width + at;
                edges.extend(own.iter().map(|(p, target)| (from, to(*target), worth | 2 << p, true)));
                if own.is_empty() {
                    edges.push((from, to(node), worth, true));
                }
            }
        }
    }
    let wanted = if fair { (2 << PROCESSES) - 1 } else { 1 };
    Toy { nodes: system.edges.len() * width, edges, wanted, restricts: false, yields: false }
}

/// Whether moves are a run of the product that ends in a cycle which passes an accepting state.
fn is_lasso(system: &Labelled, automaton: &Arc<PropertyAutomaton>, stem: &[Move], cycle: &[Move]) -> bool {
    let mut machine = WithAutomaton::new(Prefixed::new(system.clone()), automaton.clone());
    let (mut state, mut next, mut moves) = (Vec::new(), Vec::new(), Moves::default());
    machine.initial(&mut state).expect("there is one");
    let (mut start, mut accepts, mut control) = (Vec::new(), false, Control::Free);
    for (i, mv) in stem.iter().chain(cycle).enumerate() {
        if i == stem.len() {
            start.clone_from(&state);
        }
        machine.moves(&state, control, &mut moves);
        if !moves.list.contains(mv) {
            return false;
        }
        accepts |= i >= stem.len() && machine.labels(&state, Labels::ACCEPT).has(Labels::ACCEPT);
        control = machine.apply(&state, mv, &mut next).control;
        assert!(mv.process != NO_PROCESS || next[2..] == state[2..], "alone the automaton changes nothing else");
        std::mem::swap(&mut state, &mut next);
    }
    !cycle.is_empty() && state == start && accepts
}

#[test]
fn every_search_agrees_with_the_definition() {
    let (mut cycles, mut fair_cycles, mut unfit) = (0, 0, 0);
    for seed in 0..4_000 {
        let mut r = Random::new(seed);
        let (system, automaton) = (Labelled::random(&mut r), Arc::new(automaton(&mut r)));
        for fair in [false, true] {
            let expected = by_definition(&system, &automaton, fair).has_cycle();
            *(if fair { &mut fair_cycles } else { &mut cycles }) += u64::from(expected);
            let options = Options { goal: Goal::Accepting, fair, has_property: true, property_end: None };
            let alone = || Box::new(Prefixed::new(system.clone()));
            let machine = || Box::new(WithAutomaton::new(*alone(), automaton.clone()));
            let parts = || Some(Arc::new(automaton.parts()));
            let whole = || Product::<u64>::new(machine(), options).with_parts(parts(), false);
            let hash = StateHash::new(0);
            let go_on = &mut |_: &_| true;
            let store = [(); 6].map(|()| Small::default());
            let mut outcomes = vec![
                ("couvreur", couvreur::search(&mut Explorer::new(whole(), store[0].handle(), hash), go_on)),
                ("tau03", tau03::search(&mut Explorer::new(whole(), store[1].handle(), hash), go_on)),
                ("ndfs", ndfs::search(&mut Explorer::new(Copies::new(whole()), store[2].handle(), hash), go_on)),
                ("ufscc", ufscc::search(&whole, &store[3], hash, 2, go_on)),
            ];
            if automaton.small().is_some() {
                let whole = Product::<u64>::new(machine(), options).with_parts(parts(), true);
                let alone = Product::<u64>::new(alone(), options);
                let cached = CachedProduct::new(alone, whole, store[4].handle(), hash, &automaton, true);
                outcomes.push(("cached", couvreur::search(&mut Explorer::new(cached, Numbers, hash), go_on)));
            }
            if !fair {
                outcomes.push(("cndfs", cndfs::search(&whole, &store[5], hash, 2, go_on)));
            }
            for (name, outcome) in outcomes {
                match outcome.verdict {
                    Verdict::Empty => assert!(!expected, "{name} misses a cycle, seed {seed}, fair {fair}"),
                    Verdict::Cycle(lasso) => {
                        assert!(expected, "{name} finds a cycle where there is none, seed {seed}, fair {fair}");
                        let (stem, cycle) = (lasso.stem.concat(), lasso.cycle.concat());
                        assert!(is_lasso(&system, &automaton, &stem, &cycle), "{name}, seed {seed}, fair {fair}");
                    }
                    // An automaton that moves on alone may pass an accepting state on its way, which is a mark of the arc.
                    Verdict::Stopped(Stopped::Unfit) if name == "cndfs" => unfit += 1,
                    other => panic!("{name}: {other:?}, seed {seed}"),
                }
            }
        }
    }
    assert!(unfit < 100, "{unfit} products that one mark by states cannot tell");
    assert!(cycles > 500 && fair_cycles > 200 && fair_cycles < cycles, "{cycles} {fair_cycles}");
}
