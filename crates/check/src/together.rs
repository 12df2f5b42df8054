//! One search for safety and for safety formulas.
//!
//! A language hands over executors that tell propositions, and for each formula the automaton of its bad prefixes; [`search`] looks for
//! all that can go wrong and for bad prefixes at once: in parallel, with any store, reduced where the executors' reduction keeps what the
//! propositions show. Each property is decided by its nearest violation, or, once everything was visited, holds. Where a depth-first
//! probe ends the search with a violation that lies deep, what is open is searched once more without it.

use crate::refusal::Refusal;
use crate::report::{PropertyReport, Verdict};
use crate::safety;
use crate::subject::{BoxMachine, Executors, NoReduction, Reference, SelfCheck, Task};
use ferrospin_search::prefixes::{BadPrefix, PrefixSlot, Prefixes, UNEVALUABLE, WithPrefixes};
use ferrospin_search::safety::{Apart, Fault, Outcome, Violation};
use ferrospin_system::{Move, NO_EDGE, Reduction};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Most formulas of one search.
pub const FORMULAS_MAX: usize = 60;

/// What is searched for in one go.
pub struct Together<'a> {
    /// Executors that tell the propositions of all formulas.
    pub executors: &'a dyn Executors,
    /// The automata of the formulas.
    pub formulas: Vec<BadPrefix>,
    /// Where their states stand in a state.
    pub slot: PrefixSlot,
    /// Whether assertions, end states and run-time errors are asked for as well.
    pub safety: bool,
}

/// What became of a property.
pub enum Found {
    /// Nothing; the report of the search says what that means.
    Nothing,
    /// It is violated: by this run, in terms of the subject itself. Notes are for its report alone.
    Violated(Violation, Vec<String>),
    /// A proposition cannot be evaluated.
    Unevaluable,
}

/// What is known of a property behind a search.
pub struct Decided {
    /// What was found.
    pub found: Found,
    /// The search that has decided it, without any violation.
    pub report: PropertyReport,
    /// How many violations that search has met.
    pub errors: u64,
}

impl Together<'_> {
    /// Whether the automata fit their slot together.
    pub fn fits(&self) -> bool {
        self.prefixes(0).is_some()
    }

    /// Whether states of automata are part of the states that are searched.
    pub fn is_stateless(&self) -> bool {
        self.prefixes(0).is_some_and(|prefixes| prefixes.0.is_stateless())
    }

    fn prefixes(&self, decided: u64) -> Option<(Arc<Prefixes>, Arc<AtomicU64>)> {
        let decided = Arc::new(AtomicU64::new(decided));
        let automata = self.formulas.iter().cloned().enumerate();
        Some((Arc::new(Prefixes::new(automata, self.slot, decided.clone())?), decided))
    }

    fn all(&self) -> u64 {
        (1 << (self.formulas.len() + 1)) - 1
    }

    /// The executors under watch, for the properties that are not among the decided ones.
    pub(crate) fn watched(&self, decided: u64) -> Watched<'_> {
        self.over(self.executors, decided)
    }

    /// Other executors of the same states under watch for one property.
    pub(crate) fn only<'e>(&self, inner: &'e dyn Executors, property: usize) -> Watched<'e> {
        self.over(inner, self.all() & !(1 << property))
    }

    fn over<'e>(&self, inner: &'e dyn Executors, decided: u64) -> Watched<'e> {
        let (prefixes, decided) = self.prefixes(decided).expect("the automata fit");
        Watched { inner, prefixes, decided }
    }
}

/// Searches; what became of the formulas, in their order, and of all else behind them. The outcome is that of the last search.
///
/// # Panics
/// Panics when the automata do not fit.
pub fn search(
    together: &Together<'_>,
    reference: &mut dyn Reference,
    task: &Task<'_>,
) -> Result<(Vec<Decided>, Outcome), Refusal> {
    let count = together.formulas.len() + 1;
    let mut decided: Vec<Option<Decided>> = (0..count).map(|_| None).collect();
    let mut closed = if together.safety { 0 } else { 1 << (count - 1) };
    loop {
        let round = safety::search_apart(together, closed, reference, task)?;
        let before = closed;
        for (property, found, notes) in round.violations {
            let is_unknown = matches!(found.fault, Fault::Failure(f) if f.code.number == UNEVALUABLE);
            let found = if is_unknown { Found::Unevaluable } else { Found::Violated(found, notes) };
            let (report, errors) = (round.report.clone(), round.apart.met(property).max(1));
            decided[property] = Some(Decided { found, report, errors });
            closed |= 1 << property;
        }
        // A probe has ended the search: others are still open.
        if round.is_cut_short && closed != before && closed != together.all() && task.options.over().is_none() {
            continue;
        }
        let mut report = round.report;
        if round.is_cut_short {
            report.stopped = task.options.over().map(String::from);
        }
        let nothing = || Decided { found: Found::Nothing, report: report.clone(), errors: 0 };
        let decided = decided.into_iter().map(|d| d.unwrap_or_else(nothing)).collect();
        return Ok((decided, round.outcome));
    }
}

/// One search for several properties.
pub(crate) struct Round {
    /// Without any violation.
    pub(crate) report: PropertyReport,
    /// The nearest violation of each property that has one, with notes about it.
    pub(crate) violations: Vec<(usize, Violation, Vec<String>)>,
    pub(crate) apart: Arc<Apart>,
    /// A probe has ended it.
    pub(crate) is_cut_short: bool,
    pub(crate) outcome: Outcome,
}

/// Executors whose machines watch prefixes.
pub(crate) struct Watched<'a> {
    inner: &'a dyn Executors,
    prefixes: Arc<Prefixes>,
    pub(crate) decided: Arc<AtomicU64>,
}

impl Watched<'_> {
    /// How its violations are told apart.
    pub(crate) fn apart(&self, formulas: usize) -> Apart {
        Apart::new(formulas, self.decided.clone(), true)
    }

    /// Whether a property is decided.
    pub(crate) fn is_decided(&self, property: usize) -> bool {
        self.decided.load(Relaxed) >> property & 1 == 1
    }

    fn over(&self, machine: BoxMachine) -> BoxMachine {
        Box::new(WithPrefixes::new(machine, self.prefixes.clone()))
    }
}

impl Executors for Watched<'_> {
    fn engine(&self) -> &'static str {
        self.inner.engine()
    }

    fn machine(&self) -> BoxMachine {
        self.over(self.inner.machine())
    }

    fn unchecked(&self) -> BoxMachine {
        self.over(self.inner.unchecked())
    }

    fn edges(&self) -> usize {
        self.inner.edges()
    }

    fn assertion(&self) -> Option<u16> {
        self.inner.assertion()
    }

    /// A property runs beside, but one that says nothing of ends.
    fn ends_count(&self) -> bool {
        true
    }

    fn unmatched(&self) -> &[(u32, u32)] {
        self.inner.unmatched()
    }

    fn fingerprint(&self) -> u64 {
        self.inner.fingerprint()
    }

    fn reduction(
        &self,
        selector: crate::options::Selector,
        trial: bool,
    ) -> Option<Result<Box<dyn Reduction>, NoReduction>> {
        self.inner.reduction(selector, trial)
    }

    fn plain_violation(&self, found: &Violation) -> Violation {
        let alone = |mv: &Move| Move { property: NO_EDGE, ..*mv };
        let found = Violation { fault: found.fault, trail: found.trail.iter().map(alone).collect() };
        self.inner.plain_violation(&found)
    }

    fn plain_taken(&self, taken: &[bool]) -> Vec<bool> {
        self.inner.plain_taken(taken)
    }

    fn self_check(&self) -> Option<Arc<dyn SelfCheck>> {
        self.inner.self_check()
    }
}

impl Decided {
    /// The report of the property, of whose violation the language tells the rest.
    pub fn report(&self, name: &str, kind: crate::report::PropertyKind, shared: &[String]) -> PropertyReport {
        let mut report = self.report.clone();
        (report.name, report.kind) = (name.into(), kind);
        report.shared_search = shared.iter().filter(|other| *other != name).cloned().collect();
        if let Found::Violated(_, notes) = &self.found {
            report.verdict = Verdict::Violated;
            report.errors = self.errors;
            report.notes.extend(notes.iter().cloned());
        }
        report
    }
}
