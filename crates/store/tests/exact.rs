//! The exact store: alone, with many workers, and with little memory.

use ferrospin_store::{Exact, Options};
use ferrospin_system::{Found, Handle, Indexed, StateHash, Store};
use std::collections::HashMap;

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

#[test]
fn random_strings_of_mixed_lengths_as_in_a_map() {
    let store = Exact::new(&Options::new());
    let hash = StateHash::new(3);
    let mut oracle: HashMap<Vec<u8>, u64> = HashMap::new();
    let mut random = Random(1);
    {
        let mut handle = store.handle();
        let count = if cfg!(miri) { 300 } else { 200_000 };
        for _ in 0..count {
            let len = random.below(40) as usize;
            let state: Vec<u8> = (0..len).map(|_| random.below(2) as u8).collect();
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
            assert!(number >= 1 && number < store.bound());
        }
    }
    assert_eq!(store.states(), oracle.len() as u64);
    assert!(store.bound() <= store.states() + 4096 * 40);
    let mut walked = HashMap::new();
    store.each(|number, state| assert!(walked.insert(state.to_vec(), number).is_none()));
    assert_eq!(walked, oracle);
}

#[test]
fn growth_under_eight_workers_keeps_every_key_once() {
    let workers = if cfg!(miri) { 2 } else { 8 };
    let keys = if cfg!(miri) { 400u64 } else { 200_000 };
    for round in 0..3 {
        let store = Exact::new(&Options::new());
        let hash = StateHash::new(round);
        let put_all = |worker: u64| {
            let mut handle = store.handle();
            let mut random = Random(worker);
            let mut new = 0u64;
            // Every worker puts every key, in an order of its own, and sometimes waits for nothing.
            let (step, start) = (random.below(keys / 2) * 2 + 1, random.below(keys));
            for i in 0..keys {
                let key = (start + i * step) % keys;
                let state = [&key.to_le_bytes()[..], &[7; 9][..(key % 9) as usize]].concat();
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
        // Strides that share a factor with the number of keys leave keys out; together they are still all covered below.
        let new: u64 = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..workers).map(|worker| scope.spawn(move || put_all(worker))).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
        });
        assert_eq!(new, store.states());
        let mut handle = store.handle();
        let mut missing = 0;
        for key in 0..keys {
            let state = [&key.to_le_bytes()[..], &[7; 9][..(key % 9) as usize]].concat();
            match handle.put(&state, hash.of(&state)) {
                Found::New(_) => missing += 1,
                Found::Seen(_) => {}
                Found::Full => panic!("full"),
            }
            handle.pause();
        }
        assert_eq!(new + missing, keys);
        assert_eq!(store.states(), keys);
    }
}

#[test]
fn a_hash_of_eight_bits_is_slow_and_right() {
    let store = Exact::new(&Options::new());
    let hash = StateHash::new(0);
    let mut handle = store.handle();
    let mut full = 0;
    for key in 0..8_000u64 {
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
    assert!(full < 8_000, "{full}");
    assert_eq!(store.states() + full, 16_000);
}

#[test]
fn little_memory_gives_full_and_never_more_than_the_limit() {
    let hash = StateHash::new(0);
    let fill = |store: &Exact, count: u64| {
        let mut handle = store.handle();
        for key in 0..count {
            let state = [key, key * 3, 0].map(u64::to_le_bytes).concat();
            match handle.put(&state, hash.of(&state)) {
                Found::New(_) => {}
                Found::Full => return key,
                Found::Seen(_) => panic!("no key twice"),
            }
            handle.pause();
        }
        count
    };
    let count = 300_000;
    let unlimited = Exact::new(&Options::new());
    assert_eq!(fill(&unlimited, count), count);
    let need = unlimited.memory_bytes();
    for percent in [30, 60, 90] {
        let limit = need * percent / 100;
        let store = Exact::new(&Options::limited(limit));
        let stored = fill(&store, count);
        assert!(stored < count && stored >= count * percent / 100 * 7 / 10, "{percent}: {stored}");
        assert!(store.memory_bytes() <= limit + limit * 3 / 100);
        assert_eq!(store.states(), stored);
    }
}
