//! Time and memory of the stores on states like those of a mutual-exclusion protocol.
//!
//! `cargo run --release -p ferrospin-store --example rate -- [MILLIONS OF STATES] [BYTES OF A STATE] [STORE]`

use ferrospin_store::{Exact, Options};
use ferrospin_system::{Found, Handle, StateHash, Store};
use std::time::Instant;

const BATCH: usize = 8;

/// States by number: a few bytes per process that hold few values each, and some zeros.
struct States {
    len: usize,
}

impl States {
    fn write(&self, number: u64, out: &mut [u8]) {
        // An odd multiplication on 40 bits is a bijection: neighbours in number are far apart in content.
        let mut rest = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) & 0xff_ffff_ffff;
        for (at, byte) in out.iter_mut().enumerate() {
            if at % 3 == 2 {
                *byte = 0;
            } else {
                *byte = (rest & 7) as u8;
                rest >>= 3;
            }
        }
        assert!(rest == 0 || self.len < 20);
    }
}

fn measure<S: Store>(name: &str, store: &S, count: u64, len: usize, worker_count: u64) {
    let states = States { len };
    let hash = StateHash::new(1);
    // What making the states and hashing them costs is measured apart and taken off.
    let run = |with_store: bool, from: u64, to: u64| {
        let mut handle = store.handle();
        let mut buffers = vec![vec![0u8; len]; BATCH];
        let mut hashes = [0; BATCH];
        let (mut new, mut sum) = (0u64, 0u64);
        let mut number = from;
        while number < to {
            for (buffer, slot) in buffers.iter_mut().zip(&mut hashes) {
                states.write(number, buffer);
                *slot = hash.of(buffer);
                number += 1;
                if with_store {
                    handle.prefetch(*slot);
                } else {
                    sum ^= *slot;
                }
            }
            if with_store {
                for (buffer, &slot) in buffers.iter().zip(&hashes) {
                    match handle.put(buffer, slot) {
                        Found::New(_) => new += 1,
                        Found::Seen(_) => {}
                        Found::Full => panic!("full"),
                    }
                }
                handle.pause();
            }
        }
        std::hint::black_box(sum);
        new
    };
    let start = Instant::now();
    run(false, 0, count);
    let idle = start.elapsed().as_secs_f64();
    let parallel = |label: &str| {
        let start = Instant::now();
        let new: u64 = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..worker_count)
                .map(|w| scope.spawn(move || run(true, count / worker_count * w, count / worker_count * (w + 1))))
                .collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
        });
        let ns = (start.elapsed().as_secs_f64() - idle / worker_count as f64) * 1e9 / count as f64;
        println!(
            "{name:10} {worker_count:2} workers {label:5} {ns:7.1} ns/put  {new:10} new  {:6.2} bytes/state",
            store.memory_bytes() as f64 / count as f64
        );
    };
    parallel("new");
    parallel("seen");
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, default: u64| arguments.get(at).and_then(|text| text.parse().ok()).unwrap_or(default);
    let (count, len) = (number(0, 10) * 1_000_000, number(1, 24) as usize);
    let only = arguments.get(2).map(String::as_str);
    for worker_count in [1, 2] {
        if only.is_none_or(|only| only == "exact") {
            measure("exact", &Exact::new(&Options::new()), count, len, worker_count);
        }
    }
}
