//! Every emptiness check against the brute-force answer on random graphs; every lasso is checked arc by arc.

mod support;

use ferrospin_search::emptiness::copies::Copies;
use ferrospin_search::emptiness::{Explorer, GoOn, Graph, Outcome, Verdict, couvreur, ndfs, tau03, weak};
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
    let outcome = search(&mut x, &mut |_| true);
    let expected = toy.has_cycle();
    match outcome.verdict {
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
fn both_verdicts_occur() {
    let cycles = (0..1000).filter(|s| Toy::random(*s, 6, s % 4 == 3).has_cycle()).count();
    assert!((200..800).contains(&cycles), "{cycles} of 1000 have a cycle");
}
