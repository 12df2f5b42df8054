//! The minimised automaton: all states as the smallest automaton that accepts just them (Holzmann, Puri, "A minimized
//! automaton representation of reachable states", 1999).
//!
//! States of one length are the words of a layered automaton: layer `i` reads byte `i`. States that begin or end alike
//! share nodes, so that a regular set takes far less than its states; an irregular one takes more. The length is read
//! first; layers are counted from the end, and all lengths share their nodes. Exact: "seen" is always true.
//!
//! - [`language`]: how a word is added while the automaton stays minimal.
//! - [`nodes`]: where nodes live, and how equal ones are made one.
//!
//! *Sequential by nature.* Every new state changes a path from the root and the counts of nodes that all states share.
//! One mutex guards the whole, so that more workers do not make it faster.
//!
//! Cost: a seen state one search among the ranges of a node for each byte; a new one up to a node made anew for each
//! byte. The memory is that of nodes (12 bytes, and 6 for each range of bytes) and of their hash table.

mod language;
mod nodes;

use ferrospin_system::{Found, Handle, Store};
use language::Language;
use std::sync::{Mutex, MutexGuard};

/// Options of an automaton.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// The most memory it may take; `None` is no limit.
    pub memory_limit_bytes: Option<u64>,
}

/// The automaton.
#[derive(Debug)]
pub struct Automaton {
    language: Mutex<Language>,
}

/// Figures of an automaton.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Size {
    /// States in it.
    pub states: u64,
    /// Its nodes; the accepting one is not counted.
    pub nodes: u64,
    /// Ranges of bytes, which are its edges.
    pub edges: u64,
}

impl Automaton {
    /// An automaton without states.
    pub fn new(options: Options) -> Automaton {
        Automaton { language: Mutex::new(Language::new(options.memory_limit_bytes.unwrap_or(u64::MAX))) }
    }

    /// How large it is.
    pub fn size(&self) -> Size {
        self.lock().size()
    }

    fn lock(&self) -> MutexGuard<'_, Language> {
        self.language.lock().expect("no worker has panicked while it changed the automaton")
    }
}

impl Store for Automaton {
    type Handle<'s> = AutomatonHandle<'s>;

    const EXACT: bool = true;
    const RESTORES: bool = false;

    fn handle(&self) -> AutomatonHandle<'_> {
        AutomatonHandle { automaton: self }
    }

    fn memory_bytes(&self) -> u64 {
        self.lock().memory_bytes() + size_of::<Automaton>() as u64
    }
}

/// A worker's access to an automaton.
#[derive(Debug)]
pub struct AutomatonHandle<'s> {
    automaton: &'s Automaton,
}

impl Handle for AutomatonHandle<'_> {
    /// Nothing is placed by hash.
    fn prefetch(&self, _: u64) {}

    /// Numbers are always 0.
    fn put(&mut self, state: &[u8], _: u64) -> Found {
        self.automaton.lock().insert(state)
    }

    fn find(&self, state: &[u8], _: u64) -> Option<u64> {
        self.automaton.lock().contains(state).then_some(0)
    }

    fn read<'a>(&'a self, _: u64, _: &'a mut Vec<u8>) -> &'a [u8] {
        panic!("an automaton does not number its states")
    }

    fn pause(&mut self) {}

    fn absent(&mut self, wait: &mut dyn FnMut()) {
        wait();
    }
}

#[cfg(test)]
mod tests;
