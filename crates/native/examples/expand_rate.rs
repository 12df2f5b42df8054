//! How fast the two executors expand states, hashing and storing excluded.
//!
//! Explores a model once, collecting up to a number of stored states, then finds and takes all moves of all collected
//! states, again and again, and prints the processor time per transition of the best stretch as a row of a table: of
//! finding moves alone, of finding and taking them one by one, of both in one go, of marks (per state), and of the
//! interpreter. States inside `atomic` are collected too.
//!
//! `cargo run --release -p ferrospin-native --example expand_rate -- [-DNAME=VALUE] [-sSTATES] MODEL.pml...`; without
//! models, those of mutual exclusion and some others.

use ferrospin_interp::Interp;
use ferrospin_model::ir::Model;
use ferrospin_native::Native;
use ferrospin_system::{Batch, Control, Labels, Machine, Moves};
use ferrospin_testkit as testkit;
use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long one executor is measured.
const MEASURED: Duration = Duration::from_millis(240);
/// How long it is measured at a time.
const STRETCH: Duration = Duration::from_millis(60);

fn collect(machine: &mut dyn Machine, states_max: usize) -> Vec<(Vec<u8>, Control)> {
    let mut first = Vec::new();
    let mut list = Vec::new();
    if machine.initial(&mut first).is_err() {
        return list;
    }
    let mut seen = HashSet::from([(first.clone(), Control::Free)]);
    let mut queue = VecDeque::from([(first, Control::Free)]);
    let (mut moves, mut next) = (Moves::default(), Vec::new());
    while let Some((state, control)) = queue.pop_front() {
        machine.moves(&state, control, &mut moves);
        for mv in &moves.list {
            let step = machine.apply(&state, mv, &mut next);
            let key = (next.clone(), step.control);
            if step.proceeds && seen.len() < states_max && !seen.contains(&key) {
                seen.insert(key.clone());
                queue.push_back(key);
            }
        }
        list.push((state, control));
    }
    list
}

/// Time this thread has spent on a processor, where the system tells; otherwise the time of day.
fn busy(started: Instant) -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let spent = told.and_then(|t| t.split_whitespace().next()?.parse().ok());
    spent.map_or_else(|| started.elapsed(), Duration::from_nanos)
}

/// Runs passes of a number of transitions for a while; gives the processor time per transition of the best stretch of
/// passes. The system counts in steps of a few milliseconds, so that a stretch takes longer than that.
fn time(transitions: usize, mut pass: impl FnMut()) -> f64 {
    let started = Instant::now();
    let (before, mut best) = (busy(started), f64::INFINITY);
    // Asking for the time takes as long as some hundred transitions.
    let at_once = if transitions > 1 { 1 + 100_000 / transitions as u32 } else { 1 };
    while busy(started) - before < MEASURED {
        let (begun, mut passes) = (busy(started), 0);
        while busy(started) - begun < STRETCH {
            (0..at_once).for_each(|_| pass());
            passes += at_once;
        }
        best = best.min((busy(started) - begun).as_secs_f64() / f64::from(passes));
    }
    best * 1e9 / transitions.max(1) as f64
}

/// What was measured of one executor, in nanoseconds a transition.
struct Rate {
    transitions: usize,
    finding: f64,
    apart: f64,
    together: f64,
    /// A state.
    marking: f64,
}

/// Finds moves and takes them one by one.
fn apart(machine: &mut dyn Machine, states: &[(Vec<u8>, Control)], transitions: usize) -> f64 {
    let (mut moves, mut next) = (Moves::default(), Vec::new());
    time(transitions, || {
        for (state, control) in states {
            machine.moves(state, *control, &mut moves);
            for mv in &moves.list {
                machine.apply(state, mv, &mut next);
                std::hint::black_box(next.len());
            }
        }
    })
}

fn measure(machine: &mut dyn Machine, states: &[(Vec<u8>, Control)]) -> Rate {
    let mut moves = Moves::default();
    let mut transitions = 0;
    for (state, control) in states {
        machine.moves(state, *control, &mut moves);
        transitions += moves.list.len();
    }
    let finding = time(transitions, || {
        for (state, control) in states {
            machine.moves(state, *control, &mut moves);
            std::hint::black_box(moves.list.len());
        }
    });
    let apart = apart(machine, states, transitions);
    let mut batch = Batch::default();
    let free: Vec<&[u8]> = states.iter().filter(|s| s.1 == Control::Free).map(|s| &s.0[..]).collect();
    let mut arrivals = 0;
    for state in &free {
        batch.clear();
        machine.expand(state, &mut moves, &mut batch);
        arrivals += moves.list.len();
    }
    let together = time(arrivals, || {
        for states in free.chunks(8) {
            batch.clear();
            for state in states {
                machine.expand(state, &mut moves, &mut batch);
            }
            std::hint::black_box(batch.arrivals.len());
        }
    });
    let marking = time(states.len(), || {
        for (state, _) in states {
            std::hint::black_box(machine.labels(state, Labels::END));
        }
    });
    Rate { transitions, finding, apart, together, marking }
}

fn report(name: &str, model: Arc<Model>, states_max: usize) {
    if let Err(e) = Native::compile(&model) {
        println!("{name}: {e}");
        return;
    }
    let compile = time(1, || drop(std::hint::black_box(Native::compile(&model)))) / 1e9;
    let mut native = Native::compile(&model).expect("it compiled before");
    let mut interp = Interp::new(model.clone());
    let states = collect(&mut native, states_max);
    let ours = measure(&mut native, &states);
    let theirs = apart(&mut interp, &states, ours.transitions);
    println!(
        "| {name} | {} | {} | {} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} |",
        states.len(),
        ours.transitions,
        model.edges.len(),
        compile * 1e3,
        ours.finding,
        ours.apart,
        ours.together,
        ours.marking,
        theirs,
    );
}

/// What is measured when nothing is named: the file in `models/` and its macros.
const TABLE: [(&str, &[&str]); 18] = [
    ("peterson", &[]),
    ("dekker", &[]),
    ("hyman", &[]),
    ("test_then_set", &[]),
    ("ticket_lock", &["-DN=4"]),
    ("peterson_filter", &["-DN=3"]),
    ("peterson_filter", &["-DN=4"]),
    ("szymanski", &["-DN=3"]),
    ("bakery", &["-DN=3", "-DMAX=3"]),
    ("mcs", &["-DN=3"]),
    ("fischer", &["-DN=4"]),
    ("lamport_fast", &["-DN=3"]),
    ("anderson", &["-DN=4"]),
    ("anderson", &["-DN=6"]),
    ("sliding_window", &[]),
    ("leader_ring_lcr", &[]),
    ("client_server", &[]),
    ("philosophers", &[]),
];

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let defines: Vec<&str> = args.iter().filter(|a| a.starts_with("-D")).map(String::as_str).collect();
    let states_max = args.iter().find_map(|a| a.strip_prefix("-s")).and_then(|n| n.parse().ok()).unwrap_or(50_000);
    let mut wanted: Vec<(String, Vec<&str>)> =
        args.iter().filter(|a| !a.starts_with('-')).map(|path| (path.clone(), defines.clone())).collect();
    if wanted.is_empty() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models");
        wanted.extend(TABLE.iter().map(|(name, defines)| (format!("{folder}/{name}.pml"), defines.to_vec())));
    }
    println!(
        "| model | states | transitions | edges | compiled, ms | moves, ns | moves and apply, ns | expand, ns | \
         marks, ns a state | interpreter, ns |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    for (path, defines) in wanted {
        let text = match std::fs::read(&path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(e) => {
                println!("{path}: {e}");
                continue;
            }
        };
        let stem = std::path::Path::new(&path).file_stem().map_or(path.clone(), |s| s.to_string_lossy().into_owned());
        let name = std::iter::once(stem.as_str()).chain(defines.iter().copied()).collect::<Vec<_>>().join(" ");
        match testkit::model(&path, &text, &defines) {
            Ok(model) => report(&name, Arc::new(model), states_max),
            Err(e) => println!("{path}: {e}"),
        }
    }
}
