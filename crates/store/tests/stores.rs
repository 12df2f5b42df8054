//! The exact stores, all by the same tests: alone, with many workers, with a bad hash and with little memory.

use ferrospin_store::{Collapse, Compact, Exact, Options, Packed, Tree};
use ferrospin_system::{Found, Handle, Indexed, Query, Span, StateHash, Store};
use std::collections::{BTreeMap, HashMap};

/// What the stores have beside [`Store`].
trait Walk: Store {
    fn make(options: &Options) -> Self;
    fn count(&self) -> u64;
    fn walk(&self, f: &mut dyn FnMut(u64, &[u8]));
    fn check_numbers(&self, numbers: &[u64]);
}

macro_rules! walk {
    ($store:ty, $indexed:expr) => {
        impl Walk for $store {
            fn make(options: &Options) -> Self {
                <$store>::new(options)
            }

            fn count(&self) -> u64 {
                self.states()
            }

            fn walk(&self, f: &mut dyn FnMut(u64, &[u8])) {
                self.each(f);
            }

            fn check_numbers(&self, numbers: &[u64]) {
                let check: fn(&$store, &[u64]) = $indexed;
                check(self, numbers);
            }
        }
    };
}

fn dense(store: &impl Indexed, numbers: &[u64]) {
    assert!(numbers.iter().all(|&number| number >= 1 && number < store.bound()));
    // One worker, and as many lengths as the test has, once as they are and a few times as keys of other widths and shapes.
    assert!(store.bound() <= numbers.len() as u64 + 4096 * 45 * 6);
}

walk!(Exact, dense);
walk!(Tree, dense);
walk!(Collapse, dense);
walk!(Compact, |_, _| {});
walk!(Packed, |_, _| {});

/// A small generator, so that every run is the same.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed ^ (mixed >> 29)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

/// Every test for one store.
macro_rules! tests {
    ($module:ident, $store:ty) => {
        mod $module {
            use super::*;

            #[test]
            fn random_strings_of_mixed_lengths_as_in_a_map() {
                super::as_in_a_map::<$store>();
            }

            #[test]
            fn batches_as_in_a_map() {
                super::batches::<$store>();
            }

            #[test]
            fn sifted_batches_of_all_shapes_as_in_a_map() {
                super::sifted::<$store>();
            }

            #[test]
            fn growth_under_eight_workers_keeps_every_key_once() {
                super::growth::<$store>();
            }

            #[test]
            fn a_hash_of_eight_bits_is_slow_and_right() {
                super::bad_hash::<$store>();
            }

            #[test]
            fn little_memory_gives_full_and_never_more_than_the_limit() {
                super::little_memory::<$store>();
            }

            #[test]
            #[should_panic(expected = "number")]
            fn a_number_never_given_panics() {
                let store = <$store>::new(&Options::new());
                let mut handle = store.handle();
                handle.put(b"abcdef", 1);
                handle.read(77_777_777, &mut Vec::new());
            }
        }
    };
}

tests!(exact, Exact);
tests!(tree, Tree);
tests!(collapse, Collapse);
tests!(compact, Compact);
tests!(packed, Packed);

/// What is new in a batch, and what it is, where few or many bytes vary: states of two leaves whose keys have one word, two
/// or more, and of many leaves. Lengths are mixed, most states were put a moment ago, and some have what no sample showed.
fn sifted<S: Walk>() {
    let hash = StateHash::new(5);
    for (len, varying) in [(12, 6), (40, 16), (120, 20), (130, 60), (260, 150), (420, 300)] {
        let mut random = Random(len);
        let state = |random: &mut Random| -> Vec<u8> {
            let len = len + 3 * random.below(3);
            let odd = if random.below(40) == 0 { random.below(len) } else { len };
            (0..len)
                .map(|at| {
                    let varies = at * varying / len != (at + 1) * varying / len;
                    if varies || at == odd { random.below(7) as u8 } else { at as u8 }
                })
                .collect()
        };
        let mut options = Options::new();
        options.sample = (0..if cfg!(miri) { 0 } else { 600 }).map(|_| state(&mut random)).collect();
        let store = S::make(&options);
        let mut handle = store.handle();
        let mut oracle: HashMap<Vec<u8>, u64> = HashMap::new();
        let mut recent = vec![state(&mut random)];
        let (mut fresh, mut numbers) = (Vec::new(), Vec::new());
        for _ in 0..if cfg!(miri) { 3 } else { 60 } {
            let (mut bytes, mut spans, mut expected) = (Vec::new(), Vec::new(), Vec::new());
            for index in 0..random.below(300) as u32 {
                let state = match random.below(3) {
                    0 => state(&mut random),
                    _ => recent[random.below(recent.len() as u64) as usize].clone(),
                };
                spans.push(Span { start: bytes.len() as u32, len: state.len() as u32 });
                bytes.extend_from_slice(&state);
                if !oracle.contains_key(&state) {
                    oracle.insert(state.clone(), 0);
                    expected.push((index, state.clone()));
                }
                recent.push(state);
            }
            recent.drain(..recent.len().saturating_sub(200));
            fresh.clear();
            assert_eq!(handle.insert_batch(&bytes, &spans, &hash, &mut fresh), spans.len());
            let found: Vec<u32> = fresh.iter().map(|fresh| fresh.index).collect();
            assert_eq!(found, expected.iter().map(|(index, _)| *index).collect::<Vec<_>>());
            for (fresh, (_, state)) in fresh.iter().zip(expected) {
                numbers.push(fresh.number);
                oracle.insert(state, fresh.number);
            }
            handle.pause();
        }
        let (mut scratch, mut rest) = (Vec::new(), &numbers[..]);
        while !rest.is_empty() {
            let (run, len) = handle.read_run(rest, &mut scratch);
            let states: Vec<_> = run.chunks(len).collect();
            assert!(!states.is_empty());
            states.iter().zip(rest).for_each(|(state, number)| assert_eq!(oracle[*state], *number));
            rest = &rest[states.len()..];
        }
        oracle.iter().for_each(|(state, number)| assert_eq!(handle.find(state, hash.of(state)), Some(*number)));
        drop(handle);
        assert_eq!(store.count(), oracle.len() as u64);
    }
}

fn as_in_a_map<S: Walk>() {
    let store = S::make(&Options::new());
    let hash = StateHash::new(3);
    let mut oracle: HashMap<Vec<u8>, u64> = HashMap::new();
    let mut random = Random(1);
    {
        let mut handle = store.handle();
        let count = if cfg!(miri) { 300 } else { 120_000 };
        for i in 0..count {
            // Most have one of three lengths, so that samples are completed; the others are rare.
            let len = if random.below(4) == 0 { random.below(45) } else { 16 + random.below(3) * 5 } as usize;
            let state: Vec<u8> = (0..len).map(|at| random.below(2 + (at % 3) as u64 * (i / 24_000)) as u8).collect();
            let h = hash.of(&state);
            assert_eq!(handle.find(&state, h), oracle.get(&state).copied());
            match (handle.put(&state, h), oracle.get(&state)) {
                (Found::New(number), None) => {
                    oracle.insert(state, number);
                }
                (Found::Seen(number), Some(&expected)) => assert_eq!(number, expected),
                other => panic!("{other:?}"),
            }
            handle.pause();
        }
        let mut scratch = Vec::new();
        for (state, &number) in &oracle {
            assert_eq!(handle.read(number, &mut scratch), &state[..]);
            assert_eq!(handle.find(state, hash.of(state)), Some(number));
        }
    }
    assert_eq!(store.count(), oracle.len() as u64);
    store.check_numbers(&oracle.values().copied().collect::<Vec<_>>());
    let mut walked = HashMap::new();
    store.walk(&mut |number, state| assert!(walked.insert(state.to_vec(), number).is_none()));
    assert_eq!(walked, oracle);
}

/// Batches with repetitions, of short and long states, by a store that has learnt from a sample beforehand and by one that
/// has not.
fn batches<S: Walk>() {
    let state = |random: &mut Random| -> Vec<u8> {
        let len = [20, 32, 41, 150, 9, 24, 57, 6][random.below(8) as usize];
        (0..len).map(|at| if at % 4 == 3 { 7 } else { random.below(1 + at as u64 % 5) as u8 }).collect()
    };
    for trained in [false, true] {
        let mut random = Random(8);
        let mut options = Options::new();
        if trained {
            options.sample = (0..if cfg!(miri) { 0 } else { 3000 }).map(|_| state(&mut random)).collect();
        }
        let store = S::make(&options);
        let hash = StateHash::new(5);
        let mut handle = store.handle();
        let mut oracle: HashMap<Vec<u8>, u64> = HashMap::new();
        let mut recent: Vec<Vec<u8>> = vec![vec![1; 20]];
        let (mut bytes, mut queries, mut answers) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..if cfg!(miri) { 20 } else { 4000 } {
            bytes.clear();
            queries.clear();
            answers.clear();
            for _ in 0..random.below(40) {
                let at = random.below(recent.len() as u64) as usize;
                let mut next = if random.below(3) == 0 { state(&mut random) } else { recent[at].clone() };
                if random.below(2) == 0 {
                    let byte = random.below(next.len() as u64) as usize;
                    next[byte] = random.below(6) as u8;
                }
                let (start, len) = (bytes.len() as u32, next.len() as u32);
                bytes.extend_from_slice(&next);
                queries.push(Query { hash: hash.of(&next), span: Span { start, len } });
                let slot = random.below(64) as usize;
                if slot < recent.len() { recent[slot] = next } else { recent.push(next) }
            }
            if random.below(2) == 0 {
                handle.put_all(&bytes, &queries, &mut answers);
            } else {
                // The same by the way that says only what is new.
                let spans: Vec<Span> = queries.iter().map(|q| q.span).collect();
                let mut fresh = Vec::new();
                assert_eq!(handle.insert_batch(&bytes, &spans, &hash, &mut fresh), spans.len());
                let mut fresh = fresh.into_iter().peekable();
                answers.extend((0..).zip(&queries).map(|(index, query)| match fresh.next_if(|f| f.index == index) {
                    Some(fresh) => Found::New(fresh.number),
                    None => Found::Seen(handle.find(query.state(&bytes), query.hash).expect("it was there")),
                }));
                assert_eq!(fresh.next(), None);
            }
            assert_eq!(answers.len(), queries.len());
            for (query, answer) in queries.iter().zip(&answers) {
                match (answer, oracle.get(query.state(&bytes))) {
                    (Found::New(number), None) => {
                        oracle.insert(query.state(&bytes).to_vec(), *number);
                    }
                    (Found::Seen(number), Some(expected)) => assert_eq!(number, expected),
                    other => panic!("{other:?}"),
                }
            }
            handle.pause();
        }
        let mut scratch = Vec::new();
        for (state, &number) in &oracle {
            assert_eq!(handle.read(number, &mut scratch), &state[..]);
            assert_eq!(handle.find(state, hash.of(state)), Some(number));
        }
        let by_number: BTreeMap<u64, &Vec<u8>> = oracle.iter().map(|(state, number)| (*number, state)).collect();
        let numbers: Vec<u64> = by_number.keys().copied().collect();
        for at in 0..numbers.len() {
            let some = &numbers[at..numbers.len().min(at + 10)];
            let (states, len) = handle.read_run(some, &mut scratch);
            assert!(!states.is_empty());
            assert!(states.chunks(len).eq(some.iter().take(states.len() / len).map(|number| &by_number[number][..])));
        }
        drop(handle);
        assert_eq!(store.count(), oracle.len() as u64);
    }
}

/// The state with this number: 12 to 20 bytes, many of them equal to those of other states.
fn nth_state(key: u64) -> Vec<u8> {
    let low = key.to_le_bytes();
    [&low[..], &[7, low[0], 9, low[1] & 3], &[7; 9][..(key % 2) as usize * 4]].concat()
}

/// Puts some keys at once; how many of them are new.
fn sift_some(handle: &mut impl Handle, hash: &StateHash, first: u64, keys: u64) -> u64 {
    let (mut bytes, mut spans, mut fresh) = (Vec::new(), Vec::new(), Vec::new());
    for key in first..first + 50 {
        let state = nth_state(key % keys);
        spans.push(Span { start: bytes.len() as u32, len: state.len() as u32 });
        bytes.extend_from_slice(&state);
    }
    assert_eq!(handle.insert_batch(&bytes, &spans, hash, &mut fresh), spans.len());
    for f in &fresh {
        assert_eq!(handle.read(f.number, &mut Vec::new()), spans[f.index as usize].state(&bytes));
    }
    fresh.len() as u64
}

fn growth<S: Walk>() {
    let workers = if cfg!(miri) { 2 } else { 8 };
    let keys = if cfg!(miri) { 400u64 } else { 120_000 };
    for round in 0..2 {
        let store = S::make(&Options::new());
        let hash = StateHash::new(round);
        let put_all = |worker: u64| {
            let mut handle = store.handle();
            let mut random = Random(worker + 100 * round);
            let mut new = 0u64;
            let start = random.below(keys);
            // Every worker puts every key, all beginning at other places, and sometimes waits for nothing.
            let mut i = 0;
            while i < keys {
                if i % 64 == 0 && worker % 2 == 1 {
                    new += sift_some(&mut handle, &hash, (start + i) % keys, keys);
                }
                let state = nth_state((start + i) % keys);
                i += 1;
                let h = hash.of(&state);
                handle.prefetch(h);
                match handle.put(&state, h) {
                    Found::New(number) => {
                        new += 1;
                        assert_eq!(handle.read(number, &mut Vec::new()), &state[..]);
                    }
                    Found::Seen(number) => assert_eq!(handle.read(number, &mut Vec::new()), &state[..]),
                    Found::Full => panic!("full"),
                }
                if i % 8 == 0 {
                    handle.pause();
                }
                if i % 5000 == 0 {
                    handle.absent(&mut || std::thread::yield_now());
                }
            }
            new
        };
        let put_all = &put_all;
        let new: u64 = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..workers).map(|worker| scope.spawn(move || put_all(worker))).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
        });
        assert_eq!((new, store.count()), (keys, keys));
        let mut walked = 0;
        store.walk(&mut |_, _| walked += 1);
        assert_eq!(walked, keys);
    }
}

fn bad_hash<S: Walk>() {
    let store = S::make(&Options::new());
    let hash = StateHash::new(0);
    let mut handle = store.handle();
    let (mut full, keys) = (0, if cfg!(miri) { 100u64 } else { 5000 });
    for key in 0..keys {
        let state = key.to_le_bytes();
        for (round, cut) in [hash.of(&state) & 0xff, hash.of(&state) & (0xff << 56)].into_iter().enumerate() {
            // Two spaces that do not meet, because equal states must have equal hashes.
            let state = [&state[..], &[round as u8]].concat();
            match handle.put(&state, cut) {
                Found::New(_) => assert!(handle.find(&state, cut).is_some()),
                Found::Full => {
                    assert!(handle.find(&state, cut).is_none());
                    full += 1;
                }
                Found::Seen(_) => panic!("no key was put before"),
            }
        }
    }
    assert!(full < keys, "{full}");
    assert_eq!(store.count() + full, keys * 2);
}

fn little_memory<S: Walk>() {
    let hash = StateHash::new(0);
    let fill = |store: &S, count: u64| {
        let mut handle = store.handle();
        for key in 0..count {
            let state = [key % 700, key / 700, 0].map(u64::to_le_bytes).concat();
            match handle.put(&state, hash.of(&state)) {
                Found::New(_) => {}
                Found::Full => return key,
                Found::Seen(_) => panic!("no key twice"),
            }
            handle.pause();
        }
        count
    };
    let count = if cfg!(miri) { 2_000 } else { 400_000 };
    let unlimited = S::make(&Options::new());
    assert_eq!(fill(&unlimited, count), count);
    let need = unlimited.memory_bytes();
    for percent in [30, 60, 80] {
        let limit = need * percent / 100;
        let store = S::make(&Options::limited(limit));
        let stored = fill(&store, count);
        if !cfg!(miri) {
            assert!(stored < count && stored >= count * percent / 100 / 8, "{percent}: {stored}");
            assert!(store.memory_bytes() <= limit + limit * 3 / 100, "{percent}");
        }
        assert_eq!(store.count(), stored);
    }
}
