//! Searches for safety on toy graphs, against the naive search.

mod toy;

use ferrospin_search::Setup;
use ferrospin_search::checkpoint::LevelRecord;
use ferrospin_search::observe::{Observer, Progress, Unobserved};
use ferrospin_search::safety::{Fault, Options, Outcome, PATIENCE, Stopped, Violation};
use ferrospin_search::{BoxMachine, depth, levels, naive};
use ferrospin_system::{Control, Machine, Move, StateHash, Store};
use std::sync::{Arc, Mutex};
use toy::{Graph, Map, Toy};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Order {
    Breadth,
    Depth,
}

fn setup<'a, S: Store>(
    graph: &Arc<Graph>,
    store: &'a S,
    options: &'a Options,
    threads: usize,
    observer: &'a dyn Observer,
) -> Setup<'a, S> {
    let machines = (0..threads).map(|_| Box::new(Toy(graph.clone())) as BoxMachine).collect();
    Setup { machines, reduction: None, store, hash: StateHash::new(1), options, edges: 16, observer, keeps: false }
}

fn run<S: Store + Default>(graph: &Arc<Graph>, options: &Options, threads: usize, order: Order) -> Outcome {
    let store = S::default();
    let setup = setup(graph, &store, options, threads, &Unobserved);
    match order {
        Order::Breadth => levels::search(setup, &mut std::iter::empty()),
        Order::Depth => depth::search(setup),
    }
}

/// Follows a trail; panics unless it is one and ends in its fault.
fn confirm(graph: &Arc<Graph>, violation: &Violation) {
    let mut machine = Toy(graph.clone());
    let (mut state, mut next) = (Vec::new(), Vec::new());
    machine.initial(&mut state).unwrap();
    let mut failed = false;
    let take = |m: &Move, machine: &mut Toy, state: &mut Vec<u8>, next: &mut Vec<u8>| {
        let step = machine.apply(state, m, next);
        std::mem::swap(state, next);
        step.failure.is_some()
    };
    for m in &violation.trail {
        failed = take(m, &mut machine, &mut state, &mut next);
    }
    match violation.fault {
        Fault::Failure(_) => assert!(failed),
        Fault::InvalidEndState => {
            let mut moves = ferrospin_system::Moves::default();
            machine.moves(&state, Control::Free, &mut moves);
            assert!(
                moves.list.is_empty()
                    && machine.labels(&state, ferrospin_system::Labels::END) == ferrospin_system::Labels::NONE
            );
        }
    }
}

fn check(graph: Graph) {
    let graph = Arc::new(graph);
    let all = Options { errors_max: 0, ..Options::default() };
    let expected = naive::search(&mut Toy(graph.clone()), &all, 16, &mut |_| true);
    let first = naive::search(&mut Toy(graph.clone()), &Options::default(), 16, &mut |_| true);
    let orders = [(Order::Breadth, PATIENCE), (Order::Depth, PATIENCE), (Order::Depth, 1), (Order::Depth, 70)];
    for (order, patience) in orders {
        let (all, one) = (Options { patience, ..all.clone() }, Options { patience, ..Options::default() });
        for threads in [1, 2, 4] {
            for found in
                [run::<Map<true>>(&graph, &all, threads, order), run::<Map<false>>(&graph, &all, threads, order)]
            {
                let counts = |o: &Outcome| (o.states, o.matched, o.errors, o.atomic_steps, o.stopped);
                assert_eq!(counts(&found), counts(&expected), "{order:?} {patience} {threads}");
                // The naive search forgets a move after which an `atomic` is never left.
                assert!(expected.taken.iter().zip(&found.taken).all(|(e, f)| *f || !e));
                assert!(found.taken == expected.taken || graph.inner.contains(&true));
                if order == Order::Breadth {
                    assert_eq!(found.depth, expected.depth);
                }
                found.violations.iter().for_each(|v| confirm(&graph, v));
            }
            let found = run::<Map<true>>(&graph, &one, threads, order);
            assert_eq!(found.errors > 0, first.errors > 0);
            assert_eq!(found.violations.len(), first.violations.len());
            found.violations.iter().for_each(|v| confirm(&graph, v));
            if order == Order::Breadth && !graph.inner.contains(&true) && first.errors > 0 {
                assert_eq!(found.violations[0].trail.len(), first.violations[0].trail.len());
            }
        }
    }
}

#[test]
fn counts_and_violations_are_those_of_the_naive_search() {
    for seed in 0..300 {
        let nodes = 2 + seed % 40;
        check(Graph::random(seed, nodes, 1 + seed % 4, seed % 3 == 0, seed % 2 == 0));
    }
}

#[test]
fn shapes() {
    check(Graph::plain((1..=3000).map(|n| vec![n % 3000]).collect()));
    check(Graph::plain((0..2047u32).map(|n| if n < 1023 { vec![2 * n + 1, 2 * n + 2] } else { vec![] }).collect()));
    let grid = |n: u32, i: u32| if i % n + 1 < n { vec![i + 1] } else { vec![] };
    check(Graph::plain(
        (0..10_000).map(|i| [grid(100, i), if i < 9900 { vec![i + 100] } else { vec![] }].concat()).collect(),
    ));
    check(Graph::plain((0..100).map(|_| (0..100).collect()).collect()));
    check(Graph::random(5, 20_000, 3, false, true));
}

#[test]
fn a_full_store_ends_the_search() {
    let graph = Arc::new(Graph::plain((1..=1000).map(|n| vec![n % 1000]).collect()));
    for order in [Order::Breadth, Order::Depth] {
        let store = Map::<true> { full_at: Some(100), ..Map::default() };
        let options = Options::default();
        let setup = setup(&graph, &store, &options, 2, &Unobserved);
        let found = match order {
            Order::Breadth => levels::search(setup, &mut std::iter::empty()),
            Order::Depth => depth::search(setup),
        };
        assert_eq!((found.states, found.stopped), (100, Some(Stopped::Full)));
    }
}

#[test]
fn a_limit_on_depth_cuts() {
    let graph = Arc::new(Graph::plain((1..=1000).map(|n| vec![n % 1000]).collect()));
    let options = Options { depth_max: 10, ..Options::default() };
    for order in [Order::Breadth, Order::Depth] {
        let found = run::<Map<true>>(&graph, &options, 2, order);
        assert_eq!((found.states, found.depth, found.stopped), (11, 10, Some(Stopped::Depth)), "{order:?}");
    }
}

/// One worker stops in time, at the same state every time, however fast it is.
#[test]
fn a_limit_on_states_is_kept_by_a_search_that_is_alone() {
    let graph = Arc::new(Graph::random(5, 20_000, 3, false, false));
    let whole = run::<Map<true>>(&graph, &Options::default(), 1, Order::Depth);
    for states_max in [1, 7, 1000, 5000] {
        let options = Options { states_max, ..Options::default() };
        let found = run::<Map<true>>(&graph, &options, 1, Order::Depth);
        assert_eq!(found.stopped, Some(Stopped::States));
        assert!((states_max..states_max + 4).contains(&found.states) && found.states < whole.states, "{found:?}");
    }
}

/// Takes note of what is told between levels, and ends the search at a depth.
struct Between {
    heard: Mutex<Vec<(u64, u64, u64)>>,
    depth_max: u64,
}

impl Observer for Between {
    fn go_on(&self, _: &Progress) -> bool {
        true
    }

    fn between_levels(&self, progress: &Progress) -> bool {
        self.heard.lock().unwrap().push((progress.depth, progress.states, progress.waiting));
        progress.depth < self.depth_max
    }
}

#[test]
fn what_is_told_between_levels_does_not_depend_on_workers() {
    let graph = Arc::new(Graph::random(5, 20_000, 3, true, false));
    let heard = |threads, depth_max| {
        let between = Between { heard: Mutex::default(), depth_max };
        let (store, options) = (Map::<true>::default(), Options::default());
        let outcome = levels::search(setup(&graph, &store, &options, threads, &between), &mut std::iter::empty());
        (between.heard.into_inner().unwrap(), outcome.states, outcome.stopped)
    };
    let whole = heard(1, u64::MAX);
    assert!(whole.0.len() > 10 && whole.2.is_none());
    assert_eq!(heard(3, u64::MAX), whole);
    let part = heard(1, 8);
    assert_eq!((&part.0[..], part.1, part.2), (&whole.0[..8], whole.0[7].1, Some(Stopped::Caller)));
    assert_eq!(heard(3, 8), part);
}

#[test]
fn another_store_goes_on_where_one_is_full() {
    for seed in 0..40 {
        let graph = Arc::new(Graph::random(seed, 400, 3, seed % 2 == 0, false));
        let all = Options { errors_max: 0, ..Options::default() };
        let expected = naive::search(&mut Toy(graph.clone()), &all, 16, &mut |_| true);
        for full_at in [1, 2, 10, 50, 200] {
            let small = Map::<true> { full_at: Some(full_at), ..Map::default() };
            let (stopped, kept) = levels::search_and_keep(setup(&graph, &small, &all, 2, &Unobserved));
            if stopped.stopped.is_none() {
                continue;
            }
            assert_eq!(stopped.stopped, Some(Stopped::Full));
            let large = Map::<false>::default();
            let mut records = kept.records(small.handle());
            let found = levels::search(setup(&graph, &large, &all, 2, &Unobserved), &mut records);
            let counts = |o: &Outcome| (o.states, o.matched, o.depth, o.atomic_steps, o.taken.clone(), o.stopped);
            assert_eq!(counts(&found), counts(&expected), "seed {seed}, full at {full_at}");
        }
    }
}

/// Keeps the records of all levels, and stops behind one.
struct Recorder {
    records: Mutex<Vec<Vec<u8>>>,
    stop_at: u64,
}

impl Observer for Recorder {
    fn go_on(&self, _: &Progress) -> bool {
        true
    }

    fn wants_levels(&self) -> bool {
        true
    }

    fn level(&self, record: &LevelRecord) -> bool {
        self.records.lock().unwrap().push(record.encode());
        record.depth < self.stop_at
    }
}

#[test]
fn a_search_goes_on_from_its_records() {
    for seed in 0..40 {
        let graph = Arc::new(Graph::random(seed, 400, 3, seed % 2 == 0, false));
        let all = Options { errors_max: 0, ..Options::default() };
        let expected = naive::search(&mut Toy(graph.clone()), &all, 16, &mut |_| true);
        for stop_at in [0, 1, 3, 5, 1000] {
            let recorder = Recorder { records: Mutex::default(), stop_at };
            let (before, after) = (Map::<true>::default(), Map::<true>::default());
            levels::search(setup(&graph, &before, &all, 2, &recorder), &mut std::iter::empty());
            let records = recorder.records.into_inner().unwrap();
            let mut records = records.iter().map(|r| LevelRecord::decode(r).expect("a record"));
            let found = levels::search(setup(&graph, &after, &all, 3, &Unobserved), &mut records);
            let counts = |o: &Outcome| (o.states, o.matched, o.depth, o.atomic_steps, o.taken.clone(), o.stopped);
            assert_eq!(counts(&found), counts(&expected), "seed {seed}, stopped at {stop_at}");
        }
    }
}

/// What is sampled is what a search stores, all of it where that is little, and depends on the seed alone.
#[test]
fn a_sample_has_stored_states_only() {
    let mut whole = 0;
    for seed in 0..60 {
        let graph = Arc::new(Graph::random(seed, 40, 3, seed % 2 == 0, false));
        let store = Map::<true>::default();
        let all = Options { errors_max: 0, ..Options::default() };
        levels::search(setup(&graph, &store, &all, 1, &Unobserved), &mut std::iter::empty());
        let sample = ferrospin_search::sample(&mut Toy(graph.clone()), 20, seed);
        for len in sample.iter().map(Vec::len) {
            let of_length = sample.iter().filter(|state| state.len() == len).count();
            assert!(of_length <= 20 + 9 * len, "at most that many of a length, and for each bit one that shows it");
        }
        assert!(sample.len() <= 160 + sample.iter().map(|state| 9 * state.len()).max().unwrap_or(0));
        assert!(sample.iter().all(|state| store.inside.lock().unwrap().0.contains_key(state)));
        assert_eq!(sample, ferrospin_search::sample(&mut Toy(graph.clone()), 20, seed));
        let inner = graph.inner.iter().any(|inner| *inner);
        if !inner {
            let mut sample = ferrospin_search::sample(&mut Toy(graph.clone()), 50, seed);
            sample.sort();
            let before = sample.len();
            sample.dedup();
            assert_eq!(sample.len(), before, "a small graph is walked once");
            let stored = store.inside.lock().unwrap().0.len();
            assert!(sample.len() == stored || sample.len() + 1 == stored, "all but the first perhaps");
            whole += 1;
        }
    }
    assert!(whole > 20);
}
