//! Where searches and counterexamples are kept: files, for a program; nowhere, for a caller that wants none.
//!
//! A kept search is a [`Head`], which says what is being searched, and the levels of the search one behind the other.

use crate::options::Options;
use ferrospin_search::checkpoint::LevelRecord;
use ferrospin_system::Machine;
use ferrospin_trace::Trail;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Keeps searches and counterexamples.
pub trait Storage: Sync {
    /// Whether the search for safety is to be kept, or to go on from one that was.
    fn keeps_search(&self) -> bool {
        false
    }

    /// The search to go on with, and where it is to be kept from now on. Records of a search are run again by `machine`, which counts
    /// this many `edges`, before any of it is used.
    fn open(
        &self,
        head: &Head,
        machine: &mut dyn Machine,
        edges: usize,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Opened, StorageError> {
        let _ = (head, machine, edges, go_on);
        Ok(Opened::default())
    }

    /// Puts a counterexample of a property away; `first` says whether there was none before. The name under which it is found, or
    /// why there is none; `None` where none is kept.
    fn put_trail(&self, trail: &Trail, property: &str, first: bool) -> Option<Result<String, StorageError>> {
        let _ = (trail, property, first);
        None
    }
}

/// Keeps nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nowhere;

impl Storage for Nowhere {}

/// Why something cannot be kept, or not be gone on with: a sentence that names the place.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{0}")]
pub struct StorageError(pub String);

/// A kept search that was opened.
#[derive(Default)]
pub struct Opened {
    /// Its levels.
    pub levels: Option<Box<dyn Iterator<Item = LevelRecord>>>,
    /// Takes further ones.
    pub writer: Option<Box<dyn LevelWriter>>,
}

/// Takes the levels of a search.
pub trait LevelWriter: Send {
    /// One more level; what was written before is passed over.
    fn level(&mut self, record: &LevelRecord);

    /// The search has ended: says in a sentence what was not done.
    fn finish(&mut self) -> Option<String>;

    /// There was no search.
    fn discard(&mut self);
}

/// What is being searched: must be the same when the search goes on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Head {
    version: String,
    /// Hash of the system.
    model: u64,
    reduction: String,
    ignore_assert: bool,
    ignore_end_states: bool,
    nothing_pending: bool,
}

impl Head {
    /// What is being searched with these options.
    pub fn new(fingerprint: u64, reduction: &str, options: &Options) -> Head {
        Head {
            version: crate::VERSION.into(),
            model: fingerprint,
            reduction: reduction.into(),
            ignore_assert: options.ignore_assert,
            ignore_end_states: options.ignore_end_states,
            nothing_pending: options.nothing_pending,
        }
    }

    /// In which respect two heads differ.
    pub fn difference(&self, other: &Head) -> Option<&'static str> {
        let fields = [
            (self.version != other.version, "version of the program"),
            (self.model != other.model, "model (its text, macros, or statement merging)"),
            (self.reduction != other.reduction, "reduction"),
            (self.ignore_assert != other.ignore_assert, "`--ignore-assert`"),
            (self.ignore_end_states != other.ignore_end_states, "`--ignore-end-states`"),
            (self.nothing_pending != other.nothing_pending, "condition on what is under way at an end"),
        ];
        fields.into_iter().find_map(|(differs, what)| differs.then_some(what))
    }
}
