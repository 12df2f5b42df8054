//! Time of a put into the lossy stores and the automaton: `cargo run --release -p ferrospin-store --example rate_lossy`.
//!
//! The clock is the processor time of the thread where the system tells it (Linux), so that other programs disturb less.
//! Hashes are made beforehand. Puts go in batches of 8: prefetch all, then put all, as searches do it. `new` puts
//! states for the first time, `seen` puts the same once more in another order; the best of three rounds counts.

use ferrospin_store::bitstate::{self, Bitstate};
use ferrospin_system::{Found, Handle, Store};
use std::time::Instant;

const BATCH: usize = 8;

/// Hashes as `StateHash` would give them.
fn hashes(n: u64, seed: u64) -> Vec<u64> {
    let mix = |mut x: u64| {
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    };
    (0..n).map(|i| mix(mix(seed).wrapping_add(i))).collect()
}

/// Nanoseconds since some moment.
fn clock_ns(start: Instant) -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let on_processor = told.and_then(|text| text.split(' ').next()?.parse().ok());
    on_processor.unwrap_or_else(|| start.elapsed().as_nanos() as f64)
}

/// Nanoseconds a put, and how many were new.
fn puts(handle: &mut impl Handle, hashes: &[u64]) -> (f64, u64) {
    let origin = Instant::now();
    let start = clock_ns(origin);
    let mut new = 0;
    for batch in hashes.chunks(BATCH) {
        for hash in batch {
            handle.prefetch(*hash);
        }
        for hash in batch {
            new += u64::from(matches!(handle.put(&hash.to_le_bytes(), *hash), Found::New(_)));
        }
    }
    ((clock_ns(origin) - start) / hashes.len() as f64, new)
}

fn measure<S: Store>(name: &str, n: u64, make: impl Fn() -> S) {
    let all = hashes(n, 1);
    // Another order, so that lines are not met in the order of the first round.
    let again: Vec<u64> = (0..n).map(|i| all[((i * 7_368_787) % n) as usize]).collect();
    let (mut best_new, mut best_seen, mut stored, mut memory) = (f64::MAX, f64::MAX, 0, 0);
    for _ in 0..3 {
        let store = make();
        let mut handle = store.handle();
        // Pages are touched once before anything is measured: it is the store that counts, not the kernel.
        puts(&mut handle, &hashes(n, 2)[..(n / 2) as usize]);
        let (new_ns, new) = puts(&mut handle, &all);
        let (seen_ns, _) = puts(&mut handle, &again);
        (best_new, best_seen, stored) = (best_new.min(new_ns), best_seen.min(seen_ns), new);
        memory = store.memory_bytes();
    }
    let mebibytes = memory as f64 / f64::from(1 << 20);
    println!(
        "{name:<44} {mebibytes:>7.1} MiB  new {best_new:>6.1} ns  seen {best_seen:>6.1} ns  ({stored} of {n} new)"
    );
}

fn main() {
    let memory_bytes = 512 << 20;
    let n = 10_000_000;
    for workers in [1, 2] {
        for k in [3, 6, 11] {
            let options = bitstate::Options { k: Some(k), workers, ..bitstate::Options::new(memory_bytes) };
            let name = format!("bitstate one line, k={k}, {workers} workers");
            measure(&name, n, || Bitstate::new(options).expect("there is memory"));
        }
        for k in [3, 12, 21] {
            let expected_states = Some(n);
            let options =
                bitstate::Options { k: Some(k), expected_states, workers, ..bitstate::Options::new(memory_bytes) };
            let name = format!("bitstate classic, k={k}, {workers} workers");
            measure(&name, n, || Bitstate::new(options).expect("there is memory"));
        }
    }
}
