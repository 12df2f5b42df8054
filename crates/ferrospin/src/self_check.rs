//! The self-check: whether a search works on a model that does what the plain one does.
//!
//! For a sampled share of the states that are expanded, three executors are compared: the one that searches with the
//! interpreter on the same graphs ([`machine`]), and the interpreter on the optimised graphs with the interpreter on the plain
//! ones ([`pair`]). Which states are looked at depends on their hash alone, so that a check can be repeated. A difference is an
//! internal error and never a verdict. The passes are turned off one after the other, and the one without which the same steps
//! agree is named.
//!
//! What is promised: all that is wrong at the states looked at, or in a few steps behind them. What is not: a difference that shows
//! at no such state. Nothing here is called where no check is asked for: executors are wrapped, or they are not.

mod machine;
mod pair;
#[cfg(test)]
mod tests;

use crate::front::Front;
use crate::prepare::Prepared;
use crate::verify::Refusal;
use ferrospin_model::ir::EdgeId;
use ferrospin_model::passes::Passes;
use ferrospin_search::BoxMachine;
use ferrospin_source::SourceMap;
use ferrospin_system::{Machine, Move, NO_EDGE, StateHash};
use machine::Checked;
use pair::Pair;
use std::num::NonZeroU64;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

/// Which states are looked at has nothing to do with where a store keeps them.
const SEED: u64 = 0x5e1f_c4ec;

/// See the module. Shared by the executors of a search.
pub(crate) struct SelfCheck {
    prepared: Arc<Prepared>,
    /// Prepares the model anew, with other passes.
    again: Box<dyn Fn(Passes) -> Prepared + Send + Sync>,
    share: NonZeroU64,
    hash: StateHash,
    is_over: AtomicBool,
    found: Mutex<Option<Difference>>,
    /// States looked at, and steps that were compared there.
    states: AtomicU64,
    steps: AtomicU64,
}

/// Where two executors differ.
struct Difference {
    /// What is different, as half a sentence.
    what: String,
    /// The executor that searches differs from the interpreter, so that no pass is to blame.
    is_engine: bool,
    /// The state where the comparison began; the initial one when there is none.
    start: Option<Vec<u8>>,
    /// What was done from there on, on the plain graphs.
    path: Vec<Move>,
}

/// An executor, under a self-check where there is one.
pub(crate) fn watched(machine: impl Machine + Send + 'static, check: Option<&Arc<SelfCheck>>) -> BoxMachine {
    match check {
        Some(check) => Box::new(Checked::new(machine, check.clone())),
        None => Box::new(machine),
    }
}

/// A self-check and the text that its result points into.
struct Told {
    check: Arc<SelfCheck>,
    map: SourceMap,
}

impl ferrospin_check::subject::SelfCheck for Told {
    fn is_over(&self) -> bool {
        self.check.is_over()
    }

    fn result(&self) -> Result<String, Refusal> {
        self.check.result(&self.map)
    }
}

impl SelfCheck {
    /// Checks one state of this many; `again` prepares the model with other passes.
    pub(crate) fn new(
        share: NonZeroU64,
        prepared: Prepared,
        again: impl Fn(Passes) -> Prepared + Send + Sync + 'static,
    ) -> Arc<SelfCheck> {
        Arc::new(SelfCheck {
            prepared: Arc::new(prepared),
            again: Box::new(again),
            share,
            hash: StateHash::new(SEED),
            is_over: AtomicBool::new(false),
            found: Mutex::new(None),
            states: AtomicU64::new(0),
            steps: AtomicU64::new(0),
        })
    }

    /// Whether a state is looked at.
    fn samples(&self, state: &[u8]) -> bool {
        self.hash.of(state).is_multiple_of(self.share.get()) && !self.is_over()
    }

    /// Whether a difference was found: the search may stop.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over.load(Relaxed)
    }

    fn find(&self, difference: Difference) {
        self.found.lock().expect("nothing panics here").get_or_insert(difference);
        self.is_over.store(true, Relaxed);
    }

    fn count(&self, states: u64, steps: u64) {
        self.states.fetch_add(states, Relaxed);
        self.steps.fetch_add(steps, Relaxed);
    }

    /// The check as searches see it.
    pub(crate) fn told(self: &Arc<Self>, front: &Front) -> Arc<dyn ferrospin_check::subject::SelfCheck> {
        Arc::new(Told { check: self.clone(), map: front.map.clone() })
    }

    /// What became of the check: a sentence for the report, or the difference.
    pub(crate) fn result(&self, map: &SourceMap) -> Result<String, Refusal> {
        let found = self.found.lock().expect("nothing panics here");
        let Some(difference) = &*found else {
            let (states, steps) = (self.states.load(Relaxed), self.steps.load(Relaxed));
            return Ok(format!(
                "self-check: {states} states and {steps} steps compared with the plain model, no difference"
            ));
        };
        let edge = difference.path.last().map(|mv| if mv.edge == NO_EDGE { mv.property } else { mv.edge });
        let place = edge
            .filter(|e| *e != NO_EDGE)
            .and_then(|e| map.position(self.prepared.plain.edge(EdgeId(e)).span))
            .map_or(String::new(), |p| format!(", at {}:{}", p.file, p.line));
        let what = &difference.what;
        Err(Refusal::Refused(format!(
            "internal error: the self-check found a difference{place}: {what}; {}",
            self.blame(difference)
        )))
    }

    /// What is to blame: the executor, or the pass without which everything agrees.
    fn blame(&self, difference: &Difference) -> String {
        if difference.is_engine {
            return "the executor is wrong, `--engine interp` avoids it".into();
        }
        let agrees = |passes: Passes| {
            let mut pair = Pair::new(Arc::new((self.again)(passes)));
            pair.follow(difference.start.as_deref(), &difference.path).is_ok()
        };
        let guilty = self.prepared.passes.without_each().filter(|(_, others)| agrees(*others));
        let guilty: Vec<_> = guilty.map(|(name, _)| format!("`{name}`")).collect();
        match &guilty[..] {
            [] => "no single pass explains it, `--no-optimize` may avoid it".into(),
            [one] => format!("without the pass {one} there is none, `--no-optimize` avoids it"),
            some => format!("it needs the passes {} together, `--no-optimize` avoids it", some.join(" and ")),
        }
    }
}
