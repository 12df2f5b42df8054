//! Native code allocates nothing for a state or a transition.
//!
//! An allocator that counts stands in front of the system's. States of a model are collected and expanded so often that
//! buffers have grown and the faster code has been made; from then on a pass over all of them allocates nothing.

use ferrospin_native::{Effort, Native};
use ferrospin_system::{Batch, Control, Machine, Moves};
use ferrospin_testkit as testkit;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::collections::HashSet;
use std::path::Path;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

fn count() {
    // A thread that ends may allocate behind the end of its variables.
    let _ = ALLOCATIONS.try_with(|n| n.set(n.get() + 1));
}

// SAFETY: every call is handed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller keeps the conditions of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: the caller keeps the conditions of `realloc`.
        unsafe { System.realloc(memory, layout, size) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the conditions of `dealloc`.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// States that are collected of each model.
const STATES_MAX: usize = 500;
/// Passes before the one that counts.
const PASSES: usize = 50;

/// Some states of a model, those inside `atomic` too.
fn collect(machine: &mut dyn Machine) -> Vec<(Vec<u8>, Control)> {
    let mut first = Vec::new();
    machine.initial(&mut first).expect("an initial state");
    let mut list = vec![(first, Control::Free)];
    let mut seen: HashSet<(Vec<u8>, Control)> = list.iter().cloned().collect();
    let (mut moves, mut next, mut at) = (Moves::default(), Vec::new(), 0);
    while at < list.len() && list.len() < STATES_MAX {
        let (state, control) = list[at].clone();
        machine.moves(&state, control, &mut moves);
        for mv in &moves.list {
            let step = machine.apply(&state, mv, &mut next);
            if step.proceeds && seen.insert((next.clone(), step.control)) {
                list.push((next.clone(), step.control));
            }
        }
        at += 1;
    }
    list
}

#[test]
fn nothing_is_allocated_for_states_and_transitions() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut told = Vec::new();
    // Shared variables, buffered channels, handshakes, births and deaths, priorities of an `unless`, `d_step`, `atomic`.
    for name in ["bakery", "sliding_window", "client_server", "sieve", "lossy_unless", "mcs", "philosophers", "gossip"]
    {
        let path = folder.join(format!("{name}.pml"));
        let text = std::fs::read_to_string(&path).expect("a model");
        let model = testkit::model(&path.display().to_string(), &text, &[]).expect("a model that can be read");
        let mut machine = Native::compile_with(&model, Effort::Thorough).expect("this platform is known");
        let states = collect(&mut machine);
        let (mut moves, mut next, mut batch) = (Moves::default(), Vec::new(), Batch::default());
        let mut transitions = 0;
        let mut pass = || {
            for (state, control) in &states {
                machine.moves(state, *control, &mut moves);
                for mv in &moves.list {
                    machine.apply(state, mv, &mut next);
                    transitions += 1;
                }
                if *control == Control::Free {
                    batch.clear();
                    machine.expand(state, &mut moves, &mut batch);
                }
            }
        };
        (0..PASSES).for_each(|_| pass());
        let before = ALLOCATIONS.get();
        pass();
        let allocated = ALLOCATIONS.get() - before;
        assert!(transitions > PASSES * 100, "{name}: too little happens to show anything");
        if allocated > 0 {
            told.push(format!("{name}: {allocated} allocations for {} states", states.len()));
        }
    }
    assert!(told.is_empty(), "{}", told.join("\n"));
}
