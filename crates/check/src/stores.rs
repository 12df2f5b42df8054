//! The axis of stores: one function that turns a choice at run time into a type.

use crate::options::{Lossy, Store as Choice};
use ferrospin_store::automaton::{self, Automaton};
use ferrospin_store::bitstate::{self, Bitstate};
use ferrospin_store::hash_compact::{self, HashCompact};
use ferrospin_store::omission::Scheme;
use ferrospin_store::{Collapse, Compact, Exact, Packed, Tree};
use ferrospin_system::Store;
use thiserror::Error;

/// Memory of a lossy store when none is given.
pub const LOSSY_BYTES: u64 = 512 << 20;

/// There is no memory for the table of a lossy store.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("there is no room for a table of {} MiB", table_bytes >> 20)]
pub struct NoRoom {
    /// The table that was asked for.
    pub table_bytes: u64,
}

/// What is to be done with a store, whatever its type.
pub trait Job {
    /// What comes of it.
    type Output;
    /// Does it. Lossy stores say what predictions about them need.
    fn run<S: Store>(self, store: &S, scheme: Option<Scheme>) -> Self::Output;
}

/// How a store is made.
#[derive(Clone, Copy, Debug)]
pub struct Making<'a> {
    /// Which.
    pub choice: Choice,
    /// Memory it may take; a lossy store takes all of it.
    pub memory_max_bytes: u64,
    /// Parameters of lossy stores.
    pub lossy: Lossy,
    /// Workers that will use it.
    pub workers: usize,
    /// Whether states must have small numbers, which a reduction goes by, where the store can give them.
    pub numbered: bool,
    /// States from which a store may learn how to compress; see [`learns_from`].
    pub sample: &'a [Vec<u8>],
}

/// States of a length from which a store learns how to compress, if it does. The exact store learns which values the bytes have; for
/// the division of a state into two halves more are needed, and some ten milliseconds. The compact store is for the largest spaces, and takes twice the time.
pub fn learns_from(choice: Choice) -> Option<usize> {
    match choice {
        Choice::Exact => Some(512),
        Choice::Tree => Some(2048),
        Choice::Compact => Some(4096),
        _ => None,
    }
}

/// Makes the store and does the job with it.
pub fn with_store<J: Job>(making: Making<'_>, job: J) -> Result<J::Output, NoRoom> {
    let Making { choice, memory_max_bytes, lossy, workers, numbered, sample } = making;
    let mut options = ferrospin_store::Options::limited(memory_max_bytes);
    options.sample = sample.to_vec();
    let no_room = || NoRoom { table_bytes: memory_max_bytes };
    Ok(match choice {
        // What needs small numbers of states keeps them as they are.
        Choice::Exact if !numbered && Packed::packs(sample) => job.run(&Packed::new(&options), None),
        Choice::Exact | Choice::Arena => job.run(&Exact::new(&options), None),
        Choice::Tree if numbered => job.run(&Tree::new(&options), None),
        // Numbers of states take about 3 bytes each, and the time to keep them.
        Choice::Tree => job.run(&Compact::roomy(&options), None),
        Choice::Compact => job.run(&Compact::new(&options), None),
        Choice::Collapse => job.run(&Collapse::new(&options), None),
        Choice::Automaton => {
            let options = automaton::Options { memory_limit_bytes: Some(memory_max_bytes) };
            job.run(&Automaton::new(options), None)
        }
        Choice::Bitstate => {
            let store = Bitstate::new(bitstate::Options {
                memory_bytes: memory_max_bytes,
                expected_states: lossy.expected_states,
                k: lossy.bits,
                seed: lossy.seed,
                workers,
            })
            .map_err(|_| no_room())?;
            job.run(&store, Some(store.scheme()))
        }
        Choice::HashCompact => {
            let store = HashCompact::new(hash_compact::Options {
                memory_bytes: memory_max_bytes,
                expected_states: lossy.expected_states,
                bits: lossy.fingerprint_bits,
                seed: lossy.seed,
                workers,
            })
            .map_err(|_| no_room())?;
            job.run(&store, Some(store.scheme()))
        }
    })
}
