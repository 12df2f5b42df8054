//! Tests of the table: what every table must do, and the omissions that are predicted for it.

use super::*;

/// States of one seed, all different, with their hashes.
fn states(seed: u64, n: u64) -> impl Iterator<Item = ([u8; 8], u64)> {
    let seed = mix(seed ^ 0x5eed) << 24;
    (0..n).map(move |i| {
        let random = mix(seed.wrapping_add(i));
        (random.to_le_bytes(), random)
    })
}

fn table(options: Options) -> HashCompact {
    HashCompact::new(options).unwrap()
}

fn capacity(table: &HashCompact) -> u64 {
    table.scheme().capacity().unwrap()
}

#[test]
fn what_was_put_is_found() {
    for workers in [1, usize::MAX] {
        for bits in 4..=64 {
            let table = table(Options { bits: Some(bits), workers, ..Options::new(64 * 307) });
            let mut handle = table.handle();
            for (state, hash) in states(u64::from(bits), capacity(&table) / 2) {
                handle.prefetch(hash);
                let found = handle.find(&state, hash);
                let put = handle.put(&state, hash);
                assert_eq!(put, found.map_or(Found::New(0), Found::Seen), "{bits} bits");
                assert_eq!(handle.find(&state, hash), Some(0));
                assert_eq!(handle.put(&state, hash), Found::Seen(0));
            }
        }
    }
}

/// A small table takes as many states as it has cells, and then says so; what is in it is still found.
#[test]
fn full_tables_are_full() {
    for bits in [16, 21, 32, 64] {
        let table = table(Options { bits: Some(bits), ..Options::new(64 * 11) });
        let mut handle = table.handle();
        let mut stored = Vec::new();
        let mut refused = 0;
        for (state, hash) in states(u64::from(bits), 2 * capacity(&table)) {
            match handle.put(&state, hash) {
                Found::New(_) => stored.push((state, hash)),
                Found::Seen(_) => {}
                Found::Full => refused += 1,
            }
        }
        assert_eq!(stored.len() as u64, capacity(&table));
        assert!(refused > 0);
        for (state, hash) in stored {
            assert_eq!(handle.put(&state, hash), Found::Seen(0));
        }
    }
}

/// A large table does not look through all of itself, and is nearly full nevertheless when it says that it is.
#[test]
fn large_tables_are_filled() {
    for bits in [16, 32, 64] {
        let table = table(Options { bits: Some(bits), ..Options::new(64 * 4099) });
        let mut handle = table.handle();
        let all = states(u64::from(bits), capacity(&table));
        let stored = all.take_while(|(state, hash)| handle.put(state, *hash) != Found::Full).count();
        assert!(stored as f64 > 0.98 * capacity(&table) as f64, "{bits} bits: {stored}");
    }
}

/// Omissions of 30 seeds against the prediction, at a load of the table.
fn check_omissions(lines: u64, bits: u32, load: f64) {
    let (mut omitted, mut predicted) = (0, 0.0);
    for seed in 0..30 {
        let table = table(Options { bits: Some(bits), seed, workers: 1, ..Options::new(64 * lines) });
        let mut handle = table.handle();
        let n = (load * capacity(&table) as f64) as u64;
        omitted += states(100 + seed, n).filter(|(state, hash)| handle.put(state, *hash) == Found::Seen(0)).count();
        if seed == 0 {
            predicted = 30.0 * table.scheme().omitted(n as f64);
        }
    }
    let observed = omitted as f64;
    let tolerance = (0.2 * predicted).max(3.0 * predicted.sqrt());
    assert!((observed - predicted).abs() < tolerance, "{bits} bits, load {load}: {observed}, predicted {predicted}");
    if predicted > 3000.0 {
        assert!(
            (observed / predicted - 1.0).abs() < 0.1,
            "{bits} bits, load {load}: {observed}, predicted {predicted}"
        );
    }
}

#[test]
fn omissions_are_as_predicted() {
    for load in [0.5, 0.8, 0.95] {
        for bits in [4, 6, 8, 10, 12, 16] {
            check_omissions(400, bits, load);
        }
    }
    check_omissions(3000, 16, 0.9);
    check_omissions(8000, 21, 0.9);
}

#[test]
fn full_width_omits_nothing() {
    let table = table(Options { bits: Some(64), ..Options::new(1 << 20) });
    let mut handle = table.handle();
    // Even states with the same hash are kept apart.
    for (state, hash) in states(1, 100_000) {
        assert_eq!(handle.put(&state, (hash % 1000).wrapping_mul(0x9e37_79b9_7f4a_7c15)), Found::New(0));
    }
}

/// Each state is new exactly once, whichever worker puts it.
#[test]
fn workers_agree() {
    for bits in [16, 32, 64] {
        let table = table(Options { bits: Some(bits), workers: 4, ..Options::new(64 * 5000) });
        let n = capacity(&table) * 9 / 10;
        let fresh: usize = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..4)
                .map(|_| {
                    let table = &table;
                    scope.spawn(move || {
                        let mut handle = table.handle();
                        states(3, n).filter(|(state, hash)| handle.put(state, *hash) == Found::New(0)).count()
                    })
                })
                .collect();
            workers.into_iter().map(|worker| worker.join().unwrap()).sum()
        });
        let omitted = table.scheme().omitted(n as f64);
        let lost = n as f64 - fresh as f64;
        assert!(lost >= 0.0, "{bits} bits: {fresh} new of {n}");
        assert!((lost - omitted).abs() <= 5.0 * omitted.sqrt() + 0.2 * omitted + 0.5, "{bits} bits: {lost} {omitted}");
        let filled = (0..table.lines.count()).flat_map(|line| {
            let table = &table;
            (0..table.cells).filter(move |cell| {
                let word = table.lines.line(line)[(cell % 8) as usize].load(Ordering::Relaxed);
                word >> (cell / 8 * table.width_bits) & (u64::MAX >> (64 - table.width_bits)) != 0
            })
        });
        assert_eq!(filled.count(), fresh, "every state that was new has a cell of its own");
    }
}

#[test]
#[should_panic(expected = "a table for 1 workers has one more")]
fn a_table_for_one_worker_has_one() {
    let table = table(Options { workers: 1, ..Options::new(1000) });
    let _one = table.handle();
    let _another = table.handle();
}

/// Batches give what single states give: repetitions near and far, before and after the table itself is used, until it is
/// full; and what could not be put is not taken for seen.
#[test]
fn sifting_is_putting() {
    for (bits, bytes) in [16, 32, 64].into_iter().flat_map(|bits| [(bits, 64 * 100), (bits, 8 << 20)]) {
        let options = Options { bits: Some(bits), workers: 1, ..Options::new(bytes) };
        let (one, other) = (table(options), table(options));
        let (mut putting, mut batched) = (one.handle(), other.handle());
        let hash = StateHash::new(3);
        let states: Vec<[u8; 10]> = (0..9000u64)
            .map(|i| {
                let distinct = if i % 3 == 0 { i.saturating_sub(4) } else { mix(i) % 4000 };
                std::array::from_fn(|at| (distinct >> (8 * (at % 8))) as u8)
            })
            .collect();
        for states in states.chunks(200) {
            let bytes = states.concat();
            let spans: Vec<Span> = (0..states.len() as u32).map(|i| Span { start: 10 * i, len: 10 }).collect();
            let (mut fresh, mut expected, mut first) = (Vec::new(), Vec::new(), 0);
            while first < states.len() {
                let before = fresh.len();
                let put = batched.insert_batch(&bytes, &spans[first..], &hash, &mut fresh);
                fresh[before..].iter_mut().for_each(|f| f.index += first as u32);
                // States that find no cell are skipped.
                first += put + 1;
            }
            for (index, state) in (0..).zip(states) {
                if let Found::New(number) = putting.put(state, hash.of(state)) {
                    expected.push(Fresh { index, number });
                }
            }
            assert_eq!(fresh, expected, "{options:?}");
        }
    }
}
