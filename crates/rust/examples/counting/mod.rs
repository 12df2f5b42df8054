//! Counts the states of a model, and how often a property is violated.

use ferrospin_rust::{Executor, Model};
use ferrospin_search::observe::Unobserved;
use ferrospin_search::safety::{Options, Outcome};
use ferrospin_search::{BoxMachine, Setup, levels};
use ferrospin_store::Exact;
use ferrospin_system::StateHash;
use std::sync::Arc;

fn search<M: Model>(model: M) -> Outcome {
    let machine: BoxMachine = Box::new(Executor::new(Arc::new(model)));
    let options = Options { errors_max: 0, ..Options::default() };
    let setup = Setup {
        machines: vec![machine],
        reduction: None,
        store: &Exact::new(&ferrospin_store::Options::limited(8 << 30)),
        hash: StateHash::new(0),
        options: &options,
        edges: 0,
        observer: &Unobserved,
        keeps: false,
    };
    levels::search(setup, &mut std::iter::empty())
}

/// States and violations.
#[allow(dead_code)]
pub(crate) fn count<M: Model>(model: M) -> (u64, u64) {
    let outcome = search(model);
    (outcome.states, outcome.errors)
}

/// Prints both.
pub(crate) fn report<M: Model>(model: M) {
    let outcome = search(model);
    println!("{} states, {} transitions, {} violations", outcome.states, outcome.transitions(), outcome.errors);
}
