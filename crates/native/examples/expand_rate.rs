//! How fast the two executors expand states, hashing and storing excluded.
//!
//! Explores a model once, collecting up to a number of stored states, then finds and takes all moves of all collected
//! states, again and again, and prints the user time per transition, on average and of the best pass. States inside
//! `atomic` are collected too.
//!
//! `cargo run --release -p ferrospin-native --example expand_rate -- [-DNAME=VALUE] [-sSTATES] MODEL.pml...`

use ferrospin_interp::Interp;
use ferrospin_model::ir::Model;
use ferrospin_native::Native;
use ferrospin_system::{Batch, Control, Machine, Moves};
use ferrospin_testkit as testkit;
use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long one executor is measured.
const MEASURED: Duration = Duration::from_millis(500);
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

/// Runs passes of so many transitions for a while; gives the processor time per transition of the best stretch of
/// passes, and on average. The system counts in steps of a few milliseconds, so that a stretch takes longer than that.
fn time(transitions: usize, mut pass: impl FnMut()) -> (f64, f64) {
    let started = Instant::now();
    let (before, mut best, mut total) = (busy(started), f64::INFINITY, 0);
    while busy(started) - before < MEASURED {
        let (begun, mut passes) = (busy(started), 0);
        while busy(started) - begun < STRETCH {
            pass();
            passes += 1;
        }
        best = best.min((busy(started) - begun).as_secs_f64() / f64::from(passes));
        total += passes;
    }
    let average = (busy(started) - before).as_secs_f64() / f64::from(total);
    let per = |s: f64| s * 1e9 / transitions.max(1) as f64;
    (per(best), per(average))
}

/// What was measured of one executor, in nanoseconds a transition.
struct Rate {
    transitions: usize,
    best: f64,
    average: f64,
    finding: f64,
    together: f64,
}

fn measure(machine: &mut dyn Machine, states: &[(Vec<u8>, Control)]) -> Rate {
    let (mut moves, mut next) = (Moves::default(), Vec::new());
    let mut transitions = 0;
    for (state, control) in states {
        machine.moves(state, *control, &mut moves);
        transitions += moves.list.len();
    }
    let (best, average) = time(transitions, || {
        for (state, control) in states {
            machine.moves(state, *control, &mut moves);
            for mv in &moves.list {
                machine.apply(state, mv, &mut next);
                std::hint::black_box(next.len());
            }
        }
    });
    let (finding, _) = time(transitions, || {
        for (state, control) in states {
            machine.moves(state, *control, &mut moves);
            std::hint::black_box(moves.list.len());
        }
    });
    let mut batch = Batch::default();
    let (together, _) = time(transitions, || {
        for (i, (state, control)) in states.iter().enumerate() {
            if i % 8 == 0 {
                batch.clear();
            }
            if *control == Control::Free {
                machine.expand(state, &mut moves, &mut batch);
                std::hint::black_box(batch.arrivals.len());
            }
        }
    });
    Rate { transitions, best, average, finding, together }
}

fn report(path: &str, model: Arc<Model>, states_max: usize) {
    let mut compile = f64::INFINITY;
    for _ in 0..3 {
        let started = Instant::now();
        if let Err(e) = Native::compile(&model) {
            println!("{path}: {e}");
            return;
        }
        compile = compile.min(started.elapsed().as_secs_f64());
    }
    let mut native = Native::compile(&model).expect("it compiled before");
    let mut interp = Interp::new(model.clone());
    let states = collect(&mut native, states_max);
    let ours = measure(&mut native, &states);
    let theirs = measure(&mut interp, &states);
    println!(
        "{path}: {} edges compiled in {:.1} ms; {} states, {} transitions; ns a transition: native {:.1} \
         (best {:.1}, {:.1} of it finding moves; {:.1} together), interpreter {:.1} (best {:.1})",
        model.edges.len(),
        compile * 1e3,
        states.len(),
        ours.transitions,
        ours.average,
        ours.best,
        ours.finding,
        ours.together,
        theirs.average,
        theirs.best,
    );
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let defines: Vec<&str> = args.iter().filter(|a| a.starts_with("-D")).map(String::as_str).collect();
    let states_max = args.iter().find_map(|a| a.strip_prefix("-s")).and_then(|n| n.parse().ok()).unwrap_or(20_000);
    for path in args.iter().filter(|a| !a.starts_with('-')) {
        let text = match std::fs::read(path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(e) => {
                println!("{path}: {e}");
                continue;
            }
        };
        match testkit::model(path, &text, &defines) {
            Ok(model) => report(path, Arc::new(model), states_max),
            Err(e) => println!("{path}: {e}"),
        }
    }
}
