//! Time of a put into the lossy stores and the automaton: `cargo run --release -p ferrospin-store --example rate_lossy`.
//!
//! The clock is the processor time of the thread where the system provides it (Linux), so that other programs disturb less.
//! Hashes are made beforehand. Puts go in batches of 8: prefetch all, then put all, as searches do it. `new` puts
//! states for the first time, `seen` puts the same once more in another order; the best of three rounds counts.

// The floor needs a prefetch of its own, and the clock is the system's.
#![allow(unsafe_code)]

use ferrospin_store::automaton::{self, Automaton};
use ferrospin_store::bitstate::{self, Bitstate};
use ferrospin_store::hash_compact::{self, HashCompact};
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

/// Nanoseconds since some moment. On Linux those the thread has run: the counters under `/proc` move only with the
/// scheduler's tick, every few milliseconds, and would show short measurements as zero.
fn clock_ns(start: Instant) -> f64 {
    #[cfg(all(target_os = "linux", target_pointer_width = "64"))]
    {
        const THREAD_CPU_TIME: i32 = 3;
        // SAFETY: this is the C library's function, with its types on 64-bit Linux.
        unsafe extern "C" {
            fn clock_gettime(clock: i32, time: *mut [i64; 2]) -> i32;
        }
        let mut time = [0i64; 2];
        // SAFETY: `time` has the layout of a `timespec`, seconds and nanoseconds, and lives through the call.
        if unsafe { clock_gettime(THREAD_CPU_TIME, &mut time) } == 0 {
            return time[0] as f64 * 1e9 + time[1] as f64;
        }
    }
    start.elapsed().as_nanos() as f64
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
    let before = hashes(n / 2, 2);
    let (mut best_new, mut best_seen, mut stored, mut memory) = (f64::MAX, f64::MAX, 0, 0);
    for _ in 0..3 {
        let store = make();
        let mut handle = store.handle();
        // Pages are touched once before anything is measured: it is the store that counts, not the kernel.
        puts(&mut handle, &before);
        let (new_ns, new) = puts(&mut handle, &all);
        let (seen_ns, _) = puts(&mut handle, &again);
        (best_new, best_seen, stored) = (best_new.min(new_ns), best_seen.min(seen_ns), new);
        memory = store.memory_bytes();
    }
    let mebibytes = memory as f64 / f64::from(1 << 20);
    println!(
        "{name:<46} {mebibytes:>7.1} MiB  new {best_new:>6.1} ns  seen {best_seen:>6.1} ns  ({stored} of {n} new)"
    );
}

/// What the machine itself needs: a line from memory, and nothing else. `Store` without a store.
struct Floor(Vec<u64>);

impl Floor {
    fn word(&self, hash: u64) -> &u64 {
        let lines = self.0.len() as u128 / 8;
        &self.0[((u128::from(hash) * lines) >> 64) as usize * 8]
    }
}

impl Store for Floor {
    type Handle<'s> = &'s Floor;
    const EXACT: bool = false;
    const RESTORES: bool = false;

    fn handle(&self) -> &Floor {
        self
    }

    fn memory_bytes(&self) -> u64 {
        8 * self.0.len() as u64
    }
}

impl Handle for &Floor {
    fn prefetch(&self, hash: u64) {
        // Only x86-64 has a stable prefetch; elsewhere the floor is that of plain loads.
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a prefetch is a hint that never faults.
        unsafe {
            std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(
                std::ptr::from_ref(self.word(hash)).cast(),
            );
        }
    }

    fn put(&mut self, _: &[u8], hash: u64) -> Found {
        if *self.word(hash) == 1 { Found::New(0) } else { Found::Seen(0) }
    }

    fn find(&self, _: &[u8], _: u64) -> Option<u64> {
        None
    }

    fn read<'a>(&'a self, _: u64, _: &'a mut Vec<u8>) -> &'a [u8] {
        &[]
    }

    fn pause(&mut self) {}

    fn absent(&mut self, wait: &mut dyn FnMut()) {
        wait();
    }
}

fn main() {
    let memory_bytes = 512 << 20;
    let n = 4_000_000;
    // Only what is named, or everything.
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let run = |name: &str| wanted.is_empty() || wanted.iter().any(|part| name.contains(part.as_str()));
    if run("floor") {
        measure("floor: a line from memory", n, || Floor(vec![1; memory_bytes as usize / 8]));
    }
    for workers in [1, 2] {
        // One line: small pages when the number of states is not known, huge ones when the filter will be crowded.
        for (expected_states, pages) in [(None, "small"), (Some(300_000_000), "huge")] {
            for k in [3, 6, 11] {
                let name = format!("one line, k={k}, {workers} workers, {pages} pages");
                let options = bitstate::Options { memory_bytes, expected_states, k: Some(k), seed: 0, workers };
                if run(&name) {
                    measure(&name, n, || Bitstate::new(options).expect("there is memory"));
                }
            }
        }
        for k in [3, 12, 21] {
            let name = format!("classic, k={k}, {workers} workers, huge pages");
            let expected_states = Some(n);
            let options = bitstate::Options { memory_bytes, expected_states, k: Some(k), seed: 0, workers };
            if run(&name) {
                measure(&name, n, || Bitstate::new(options).expect("there is memory"));
            }
        }
        for bits in [16, 32, 64] {
            let name = format!("hash-compact, {bits} bits, {workers} workers, huge pages");
            let options =
                hash_compact::Options { memory_bytes, expected_states: Some(n), bits: Some(bits), seed: 0, workers };
            if run(&name) {
                measure(&name, n, || HashCompact::new(options).expect("there is memory"));
            }
        }
    }
    if run("automaton") {
        let n = 200_000;
        measure("automaton, 8 random bytes", n, || Automaton::new(automaton::Options { memory_limit_bytes: None }));
    }
}
