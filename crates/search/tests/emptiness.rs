//! Every emptiness check against the brute-force answer on random graphs; every lasso is checked arc by arc.

mod support;

use ferrospin_search::emptiness::copies::Copies;
use ferrospin_search::emptiness::livelock::{self, Order};
use ferrospin_search::emptiness::{
    Explorer, GoOn, Graph, Outcome, Stopped, Verdict, cndfs, couvreur, ndfs, tau03, ufscc, weak,
};
use ferrospin_system::{StateHash, Store};
use support::{Small, SmallHandle, Toy};

/// Runs a check on a graph and compares; `label` of an arc is its index among all arcs of the toy.
fn check<G: Graph<Label = usize>>(
    name: &str,
    seed: u64,
    toy: &Toy,
    graph: G,
    search: fn(&mut Explorer<G, SmallHandle>, GoOn<'_>) -> Outcome<usize>,
) {
    let store = Small::default();
    let mut x = Explorer::new(graph, store.handle(), StateHash::new(0));
    judge(name, seed, toy, search(&mut x, &mut |_| true).verdict);
}

fn judge(name: &str, seed: u64, toy: &Toy, verdict: Verdict<usize>) {
    let expected = toy.has_cycle();
    match verdict {
        Verdict::Empty => assert!(!expected, "{name} misses a cycle, seed {seed}: {toy:?}"),
        Verdict::Cycle(l) => {
            assert!(expected, "{name} finds a cycle where there is none, seed {seed}: {toy:?}");
            assert!(toy.is_lasso(&l.stem, &l.cycle), "{name}: {l:?} is no lasso, seed {seed}: {toy:?}");
        }
        other => panic!("{name}: {other:?}, seed {seed}"),
    }
}

const GRAPHS: u64 = 20_000;

#[test]
fn couvreur_agrees() {
    for seed in 0..GRAPHS {
        let toy = Toy::random(seed, 6, seed % 4 == 3);
        check("couvreur", seed, &toy, toy.clone(), couvreur::search);
    }
}

#[test]
fn tau03_agrees() {
    for seed in 0..GRAPHS {
        let toy = Toy::random(seed, 6, false);
        check("tau03", seed, &toy, toy.clone(), tau03::search);
    }
}

#[test]
fn ndfs_agrees() {
    for seed in 0..GRAPHS {
        let toy = Toy::random(seed, 1, false);
        check("ndfs", seed, &toy, toy.clone(), ndfs::search);
    }
}

#[test]
fn ndfs_on_copies_agrees() {
    for seed in 0..GRAPHS {
        let toy = Toy::random(seed, 6, seed % 4 == 3);
        check("ndfs on copies", seed, &toy, Copies::new(toy.clone()), ndfs::search);
    }
}

#[test]
fn weak_search_agrees_on_weak_automata() {
    let mut weak_ones = 0;
    for seed in 0..GRAPHS {
        let toy = Toy::random(seed, 1, false);
        if toy.is_weak() {
            weak_ones += 1;
            check("weak", seed, &toy, toy.clone(), weak::search);
        }
    }
    assert!(weak_ones > GRAPHS / 10, "only {weak_ones} weak graphs");
}

#[test]
fn livelocks_are_found() {
    for seed in 0..GRAPHS {
        let toy = Toy { wanted: 0, ..Toy::random(seed, 0, true) };
        check("livelock bfs", seed, &toy, toy.clone(), |x, g| livelock::search(x, Order::BreadthFirst, g));
        check("livelock dfs", seed, &toy, toy.clone(), |x, g| livelock::search(x, Order::DepthFirst, g));
    }
}

/// Numbers of workers that are tried.
const THREADS: [usize; 3] = [1, 2, 4];

#[test]
fn cndfs_agrees() {
    for seed in 0..GRAPHS {
        let threads = THREADS[seed as usize % 3];
        let toy = Toy { yields: threads > 1 && seed % 16 < 3, ..Toy::random(seed, 1, false).by_states(seed) };
        let store = Small::default();
        let outcome = cndfs::search(&|| toy.clone(), &store, StateHash::new(0), threads, &mut |_| true);
        judge("cndfs", seed, &toy, outcome.verdict);
    }
}

#[test]
fn cndfs_refuses_acceptance_by_arcs() {
    let toy =
        Toy { nodes: 2, edges: vec![(0, 1, 1, true), (0, 1, 0, true)], wanted: 1, restricts: false, yields: false };
    let outcome = cndfs::search(&|| toy.clone(), &Small::default(), StateHash::new(0), 2, &mut |_| true);
    assert_eq!(outcome.verdict, Verdict::Stopped(Stopped::Unfit));
}

#[test]
fn ufscc_agrees() {
    for seed in 0..GRAPHS {
        let threads = THREADS[seed as usize % 3];
        let toy = Toy { yields: threads > 1 && seed % 16 < 3, ..Toy::random(seed, 6, seed % 4 == 3) };
        let store = Small::default();
        let outcome = ufscc::search(&|| toy.clone(), &store, StateHash::new(0), threads, &mut |_| true);
        judge("ufscc", seed, &toy, outcome.verdict);
    }
}

/// The marks of one of two parallel arcs get lost when another worker unites its ends: the smallest case there is.
#[test]
fn ufscc_keeps_the_marks_of_parallel_arcs() {
    for turn in 0..500 {
        let edges = vec![(0, 1, 0, true), (0, 1, 1, true), (1, 0, 0, true)];
        let toy = Toy { nodes: 2, edges, wanted: 1, restricts: false, yields: true };
        let outcome = ufscc::search(&|| toy.clone(), &Small::default(), StateHash::new(0), 2, &mut |_| true);
        judge("ufscc", turn, &toy, outcome.verdict);
    }
}

#[test]
fn counts_do_not_depend_on_the_workers() {
    for seed in (0..2_000).filter(|s| !Toy::random(*s, 2, false).has_cycle()) {
        let toy = Toy { yields: true, ..Toy::random(seed, 2, false) };
        let store = Small::default();
        let mut x = Explorer::new(toy.clone(), store.handle(), StateHash::new(0));
        let one = couvreur::search(&mut x, &mut |_| true).figures;
        let many = ufscc::search(&|| toy.clone(), &Small::default(), StateHash::new(0), 3, &mut |_| true).figures;
        assert_eq!((one.states, one.transitions), (many.states, many.transitions), "seed {seed}");
    }
}

#[test]
fn both_verdicts_occur() {
    let cycles = (0..1000).filter(|s| Toy::random(*s, 6, s % 4 == 3).has_cycle()).count();
    assert!((200..800).contains(&cycles), "{cycles} of 1000 have a cycle");
}
