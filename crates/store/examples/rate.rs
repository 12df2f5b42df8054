//! Time and memory of the stores that keep every state, in a breadth-first search of a queue lock.
//!
//! `cargo run --release -p ferrospin-store --example rate -- [PROCESSES] [ROUNDS] [WORKERS] [STORE]`
//!
//! Four processes and one round have 1.5 million states, with two rounds 11.7 million. Times are wall time per transition,
//! with what making and hashing successors costs.

use ferrospin_store::{Collapse, Compact, Exact, Options, Tree};
use ferrospin_system::{Found, Handle, StateHash, Store};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Barrier, Mutex, RwLock};
use std::time::Instant;

const BATCH: usize = 8;
/// Numbers a worker takes off the level at once.
const PARCEL: usize = 256;

/// A queue lock after Anderson's: `next`, a slot per process, then location, place and round of each process.
struct Lock {
    processes: usize,
    rounds: u8,
}

impl Lock {
    fn len(&self) -> usize {
        1 + self.processes * 4
    }

    fn initial(&self) -> Vec<u8> {
        let mut state = vec![0; self.len()];
        state[1] = 1;
        state
    }

    /// Writes the successor by a move of the process; false when it cannot move.
    fn step(&self, process: usize, state: &mut [u8]) -> bool {
        let n = self.processes;
        let at = 1 + n + process * 3;
        let (location, place) = (state[at], state[at + 1] as usize);
        match location {
            0 => {
                state[at + 1] = state[0];
                state[0] = (state[0] + 1) % n as u8;
            }
            1 => state[at + 2] = (state[at + 2] + 1) % self.rounds,
            2 if state[1 + place] == 1 => {}
            3 => state[1 + (place + n - 1) % n] = 0,
            4 => {
                state[1 + (place + 1) % n] = 1;
                state[at + 1] = 0;
            }
            _ => return false,
        }
        state[at] = (location + 1) % 5;
        true
    }
}

#[derive(Default)]
struct Counts {
    states: usize,
    transitions: usize,
}

/// One worker's part of a level: expands what the cursor gives and collects what is new.
fn expand<H: Handle>(
    lock: &Lock,
    hash: &StateHash,
    handle: &mut H,
    level: &[u64],
    cursor: &AtomicUsize,
) -> (Vec<u64>, usize) {
    let len = lock.len();
    let mut new = Vec::new();
    let mut transitions = 0;
    let mut successors = vec![0u8; BATCH * lock.processes * len];
    let mut hashes = vec![0u64; BATCH * lock.processes];
    let mut scratch = Vec::new();
    loop {
        let from = cursor.fetch_add(PARCEL, Relaxed);
        let Some(parcel) = level.get(from..level.len().min(from + PARCEL)) else { return (new, transitions) };
        for batch in parcel.chunks(BATCH) {
            let mut count = 0;
            for &number in batch {
                let state = handle.read(number, &mut scratch);
                let first = count;
                for process in 0..lock.processes {
                    let successor = &mut successors[count * len..][..len];
                    successor.copy_from_slice(state);
                    if lock.step(process, successor) {
                        hashes[count] = hash.of(successor);
                        count += 1;
                    }
                }
                hashes[first..count].iter().for_each(|&hash| handle.prefetch(hash));
            }
            for (successor, &hash) in successors.chunks(len).zip(&hashes[..count]) {
                match handle.put(successor, hash) {
                    Found::New(number) => new.push(number),
                    Found::Seen(_) => {}
                    Found::Full => panic!("no memory left"),
                }
            }
            transitions += count;
            handle.pause();
        }
    }
}

fn search<S: Store>(name: &str, store: &S, lock: &Lock, worker_count: usize) {
    let hash = StateHash::new(1);
    let initial = lock.initial();
    let Found::New(first) = store.handle().put(&initial, hash.of(&initial)) else { panic!("it is empty") };
    let level = RwLock::new(vec![first]);
    let next = Mutex::new(Vec::new());
    let (cursor, barrier) = (AtomicUsize::new(0), Barrier::new(worker_count));
    let counts = Mutex::new(Counts { states: 1, transitions: 0 });
    let start = Instant::now();
    let work = || {
        let mut handle = store.handle();
        while !level.read().expect("no panic").is_empty() {
            let (new, transitions) = expand(lock, &hash, &mut handle, &level.read().expect("no panic"), &cursor);
            {
                let mut counts = counts.lock().expect("no panic");
                counts.states += new.len();
                counts.transitions += transitions;
            }
            next.lock().expect("no panic").extend(new);
            // A worker that waits for others is absent, or a stop would wait for it.
            handle.absent(&mut || {
                if barrier.wait().is_leader() {
                    *level.write().expect("no panic") = std::mem::take(&mut *next.lock().expect("no panic"));
                    cursor.store(0, Relaxed);
                }
                barrier.wait();
            });
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..worker_count {
            scope.spawn(work);
        }
    });
    let counts = counts.into_inner().expect("no panic");
    println!(
        "{name:9} {worker_count:2} workers {:10} states {:10} transitions {:7.1} ns/transition {:6.2} bytes/state",
        counts.states,
        counts.transitions,
        start.elapsed().as_secs_f64() * 1e9 / counts.transitions as f64,
        store.memory_bytes() as f64 / counts.states as f64
    );
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, default: usize| arguments.get(at).and_then(|text| text.parse().ok()).unwrap_or(default);
    let (lock, worker_count) = (Lock { processes: number(0, 4), rounds: number(1, 1) as u8 }, number(2, 1));
    let wanted = |name: &str| arguments.get(3).is_none_or(|only| only == name);
    let options = Options::new();
    if wanted("exact") {
        search("exact", &Exact::new(&options), &lock, worker_count);
    }
    if wanted("tree") {
        let store = Tree::new(&options);
        search("tree", &store, &lock, worker_count);
        println!("          {} nodes, bytes: {:?}", store.nodes(), store.parts());
    }
    if wanted("collapse") {
        let store = Collapse::new(&options);
        search("collapse", &store, &lock, worker_count);
        println!("          {} components", store.components());
    }
    if wanted("compact") {
        let store = Compact::new(&options);
        search("compact", &store, &lock, worker_count);
        println!("          {} nodes, bytes: {:?}", store.nodes(), store.parts());
    }
}
