//! Searches for cycles: the one way from a question of any language to a report.
//!
//! A language says what it looks for ([`Sought`]) and what it adds itself ([`CycleSystem`]): executors, a reduction, and the judgement
//! of what was found, by its plain executor. [`CycleCheck`] does the rest for all of them: it chooses algorithm and store, scouts
//! before a reduced search, searches, and reports. A run that never leaves an indivisible sequence is no cycle of stored
//! states: where one is met, the naive search with the whole product in memory has the last word.

use crate::options::{Emptiness, Options, Proviso, Selector, Store as StoreChoice};
use crate::refusal::Refusal;
use crate::report::{PropertyKind, PropertyReport, Verdict, Violation};
use crate::safety::NO_THREADS;
use crate::searching::{Searched, Searching, Sets, multiplied};
use crate::subject::SelfCheck;
use crate::watch::Watch;
use ferrospin_search::BoxMachine;
use ferrospin_search::automaton::PropertyAutomaton;
use ferrospin_search::cycles::{self, Lasso, Wanted};
use ferrospin_search::emptiness::product::{self, Goal, Parts};
use ferrospin_search::emptiness::{Stopped, Verdict as Found};
use ferrospin_search::observe::{Observer, Progress};
use ferrospin_system::NO_PROCESS;
use std::sync::Arc;

/// What is looked for.
#[derive(Clone)]
pub struct Sought<'a> {
    /// The name of the property.
    pub name: &'a str,
    /// Its kind, as reported.
    pub kind: PropertyKind,
    /// Which cycles are violations.
    pub goal: Goal,
    /// Whether a property is read beside the system: by an automaton, or by a monitor within the machines.
    pub has_property: bool,
    /// The code of the failure that is the end of the property, where that is a violation.
    pub property_end: Option<u16>,
    /// The automaton of the property; without one, the machines run a monitor or none.
    pub property: Option<Arc<PropertyAutomaton>>,
    /// The components of the property that have accepting cycles, where they are known.
    pub parts: Option<Arc<Parts>>,
    /// All states of a component of the property accept, or none does; false where nothing is known.
    pub weak: bool,
    /// An infinite run can be a violation; otherwise fairness makes no difference, because every finite run can be continued fairly.
    pub accepts_cycles: bool,
    /// Nothing is said of runs that fail or never leave an indivisible sequence: where there are such runs, and no other is a
    /// violation, the search ends with these words instead of an answer.
    pub only_infinite: Option<&'static str>,
}

/// A system in which cycles are looked for, and what its language says of them.
pub trait CycleSystem: Sync {
    /// What executes, as reports name it.
    fn engine(&self) -> &'static str;

    /// An executor for one more worker, of the system alone where there is an automaton.
    fn machine(&self) -> BoxMachine;

    /// The self-check that runs beside, if there is one.
    fn self_check(&self) -> Option<Arc<dyn SelfCheck>> {
        None
    }

    /// The reduction, where it was asked for and is sound.
    fn reduction(&self, options: &Options, algorithm: Emptiness) -> Reduced {
        let _ = algorithm;
        Reduced::none(options, None)
    }

    /// Runs a violation by the plain executor, and tells it in terms of the subject.
    fn judge(&self, found: Counterexample) -> Result<(Lasso, Violation), Refusal>;

    /// What the language calls a sequence of steps that no other process interrupts.
    fn indivisible(&self) -> &'static str {
        "an indivisible sequence"
    }
}

/// A violation that a search has found.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// The run, on the system that was searched; without a cycle it stops, or the property has reached its end.
    pub lasso: Lasso,
    /// The property has reached its end, or cannot be evaluated.
    pub ends: bool,
    /// The cycle must be fair.
    pub fair: bool,
}

/// What became of the wish for a reduction.
pub struct Reduced {
    /// The reduction, if there is one.
    pub reduction: Option<Sets>,
    /// How its sets are found.
    pub selector: Selector,
    /// Why there is none.
    pub note: Option<String>,
}

impl Reduced {
    /// No reduction, and what is said of it.
    pub fn none(options: &Options, note: Option<String>) -> Reduced {
        Reduced { reduction: None, selector: options.selector, note }
    }
}

/// Why a search for cycles cannot be reduced, whatever the property is.
pub fn unreduced(options: &Options, algorithm: Emptiness) -> Option<String> {
    let why = match algorithm {
        _ if !options.partial_order => return None,
        _ if options.fair => "fairness asks about every move",
        Emptiness::Cndfs | Emptiness::Ufscc => "searches by many workers do without it; `--emptiness couvreur` has it",
        Emptiness::Testing => "a breadth-first search for livelocks does without it; `--emptiness couvreur` has it",
        _ => return None,
    };
    Some(format!("reduction is off: {why}"))
}

/// What a choice of algorithm depends on.
#[derive(Clone, Copy, Debug)]
struct Facts {
    goal: Goal,
    fair: bool,
    weak: bool,
    threads: usize,
}

/// Workers from which on a parallel search is chosen: below, what workers repeat of each other's work costs more than
/// they gain.
const WORKERS_PARALLEL: usize = 4;

/// The algorithm to run, or why the one that was asked for cannot decide the property. Couvreur's search decides everything in one
/// pass and is the default; where the property is in no accepting component it needs no order, and goes fast. With many workers the
/// parallel form takes over. A weak property needs no components at all: one plain depth-first search is enough, where it is asked for
/// for it.
fn choose(asked: Emptiness, facts: &Facts) -> Result<Emptiness, Refusal> {
    let plain = facts.goal == Goal::Accepting && !facts.fair;
    let refuse = |why: &str| Err(Refusal::Refused(format!("`--emptiness {}`: {why}", asked.name())));
    match asked {
        Emptiness::Auto if facts.threads >= WORKERS_PARALLEL => Ok(Emptiness::Ufscc),
        Emptiness::Auto => Ok(Emptiness::Couvreur),
        Emptiness::Weak if !plain => refuse("this search knows neither fairness nor progress; leave it to `auto`"),
        Emptiness::Weak if !facts.weak => refuse("the property is not weak; leave it to `auto`"),
        Emptiness::Testing if facts.goal == Goal::NonProgress && !facts.fair => Ok(asked),
        Emptiness::Testing => refuse("testing automata are for formulas without fairness, and for progress"),
        Emptiness::Cndfs if !plain => refuse("this search knows neither fairness nor progress; `ufscc` does"),
        chosen => Ok(chosen),
    }
}

/// The store for a search for cycles, and what became of the wish for another one.
fn store(asked: Option<StoreChoice>) -> (StoreChoice, Option<String>) {
    match asked {
        None => (StoreChoice::Exact, None),
        Some(StoreChoice::Exact | StoreChoice::Arena) => (StoreChoice::Exact, None),
        Some(fit @ (StoreChoice::Tree | StoreChoice::Collapse)) => (fit, None),
        Some(unfit) => {
            let instead = if unfit == StoreChoice::Compact { StoreChoice::Tree } else { StoreChoice::Exact };
            let why = "a search for cycles reads states again by small numbers";
            let note = format!("{why}, so `{}` was used instead of `{}`", instead.name(), unfit.name());
            (instead, Some(note))
        }
    }
}

/// What a search has found: the report, and the violation in terms of the subject.
pub struct Answer {
    /// As it is reported.
    pub report: PropertyReport,
    /// The run that violates the property.
    pub lasso: Option<Lasso>,
}

impl From<Answer> for crate::subject::Answer {
    fn from(answer: Answer) -> Self {
        let finding = answer.lasso.map(crate::subject::Finding::Lasso);
        crate::subject::Answer { report: answer.report, finding, others: Vec::new(), taken: None }
    }
}

/// See the module.
pub struct CycleCheck<'a> {
    sought: Sought<'a>,
    system: &'a dyn CycleSystem,
    options: Options,
    store: (StoreChoice, Option<String>),
    watch: &'a Watch,
    threads: usize,
    algorithm: Emptiness,
    drops_fairness: bool,
}

/// What is said where fairness was asked for and left out.
pub const NO_FAIRNESS: &str =
    "fairness was left out: a safety property fails on a finite run, and every finite run can be continued fairly";

impl<'a> CycleCheck<'a> {
    /// Chooses how to search, or refuses what was asked for.
    pub fn new(
        sought: Sought<'a>,
        system: &'a dyn CycleSystem,
        options: &Options,
        watch: &'a Watch,
    ) -> Result<Self, Refusal> {
        let drops_fairness = options.fair && !sought.accepts_cycles;
        let options = Options { fair: options.fair && !drops_fairness, ..options.clone() };
        if options.under.is_some() && options.fair {
            return Err(Refusal::Refused("`--under` leaves moves out, and fairness asks about every one".into()));
        }
        // A reduction that is too strong on purpose goes by its path.
        let alone = options.under.is_some() || options.proviso == Proviso::Weak;
        let threads = if alone { 1 } else { options.threads.get() };
        let facts = Facts { goal: sought.goal, fair: options.fair, weak: sought.weak, threads };
        let algorithm = choose(options.emptiness, &facts)?;
        let store = store(options.store);
        Ok(CycleCheck { sought, system, options, store, watch, threads, algorithm, drops_fairness })
    }

    /// For what a search of another kind finds, which has no choices.
    pub(crate) fn fixed(sought: Sought<'a>, system: &'a dyn CycleSystem, options: &Options, watch: &'a Watch) -> Self {
        let options = options.clone();
        let (store, algorithm) = ((StoreChoice::Exact, None), options.emptiness);
        CycleCheck { sought, system, options, store, watch, threads: 1, algorithm, drops_fairness: false }
    }

    /// The algorithm that was chosen.
    pub fn algorithm(&self) -> Emptiness {
        self.algorithm
    }

    /// The options, without what makes no difference.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Searches, checks what was found, and reports.
    pub fn run(&self) -> Result<Answer, Refusal> {
        let reduced = self.system.reduction(&self.options, self.algorithm);
        let near = match reduced.reduction.is_some() && self.options.proviso == Proviso::Auto {
            true => self.scout()?,
            false => None,
        };
        let answer = match near {
            Some(near) => near,
            None => self.search_once(reduced)?,
        };
        Ok(self.told(answer))
    }

    /// Looks in this system, where each step is a single one, for a shorter lasso than another form of it has shown.
    pub fn shorten(&self, answer: Answer) -> Result<Answer, Refusal> {
        let steps = |lasso: &Lasso| lasso.stem.iter().chain(&lasso.cycle).filter(|mv| mv.process != NO_PROCESS).count();
        let Some(known) = answer.lasso.as_ref().filter(|lasso| !lasso.cycle.is_empty()) else { return Ok(answer) };
        let machine = || self.system.machine();
        let states = answer.report.states.unwrap_or(0);
        let Some(found) = self.searching(&machine, None, false).shorter(steps(known), states) else {
            return Ok(answer);
        };
        let lasso = Lasso { stem: found.stem.concat(), cycle: found.cycle.concat() };
        let (lasso, violation) = self.system.judge(Counterexample { lasso, ends: false, fair: self.options.fair })?;
        if steps(&lasso) >= steps(known) {
            return Ok(answer);
        }
        let mut report = answer.report;
        report.error = Some(violation);
        Ok(Answer { report, lasso: Some(lasso) })
    }

    /// Adds what is said of every answer.
    pub fn told(&self, mut answer: Answer) -> Answer {
        if self.drops_fairness {
            answer.report.notes.push(NO_FAIRNESS.into());
        }
        answer
    }

    /// One search with the proviso that was asked for.
    pub fn search_once(&self, reduced: Reduced) -> Result<Answer, Refusal> {
        let asked = self.options.proviso;
        let weak = asked == Proviso::Weak && reduced.reduction.is_some();
        let unfit = reduced.reduction.is_some() && !matches!(asked, Proviso::Auto | Proviso::Strict | Proviso::Weak);
        let mut answer = self.search(reduced, weak)?;
        let report = &mut answer.report;
        if weak && report.verdict == Verdict::Holds {
            report.verdict = Verdict::Undecided;
            report.notes.push("no violation in this under-approximation: the weak proviso may lose cycles".into());
        }
        if unfit {
            report.notes.push(format!("proviso `{}` is for safety; cycles were searched with `strict`", asked.name()));
        }
        Ok(answer)
    }

    /// A short search with all moves: a violation that it finds is as good as any, and often found much sooner than by a
    /// reduced search, which goes depth first.
    fn scout(&self) -> Result<Option<Answer>, Refusal> {
        let states_max = self.options.scout;
        if states_max == 0 {
            return Ok(None);
        }
        let machine = || self.system.machine();
        let searched = Searching { states_max, ..self.searching(&machine, None, false) }.run(self.algorithm);
        if !matches!(searched.outcome.verdict, Found::Cycle(_) | Found::End(_)) {
            return Ok(None);
        }
        let mut answer = self.finish(searched)?;
        answer.report.remarks.push(format!("found among the first {states_max} states, before any reduction"));
        Ok(Some(answer))
    }

    /// Searches, with a reduction if there is one, and with the weak proviso if that is enough.
    pub fn search(&self, reduced: Reduced, weak: bool) -> Result<Answer, Refusal> {
        let name = reduced.reduction.as_ref().map_or("none", |_| reduced.selector.name());
        let machine = || self.system.machine();
        let searched = self.searching(&machine, reduced.reduction, weak).run(self.algorithm);
        let mut answer = self.finish(searched)?;
        answer.report.reduction = name.into();
        answer.report.notes.extend(reduced.note);
        Ok(answer)
    }

    fn product(&self) -> product::Options {
        let Sought { goal, has_property, property_end, .. } = self.sought;
        product::Options { goal, fair: self.options.fair, has_property, property_end }
    }

    fn searching<'s>(
        &'s self,
        machine: &'s (dyn Fn() -> BoxMachine + Sync),
        reduction: Option<Sets>,
        weak: bool,
    ) -> Searching<'s> {
        Searching {
            machine,
            product: self.product(),
            parts: self.sought.parts.clone(),
            property: self.sought.property.clone(),
            reduction,
            weak,
            store: self.store.0,
            watch: self.watch,
            states_max: u64::MAX,
            threads: self.threads,
        }
    }

    /// Checks what a search has found, and reports.
    pub fn finish(&self, searched: Searched) -> Result<Answer, Refusal> {
        let CycleCheck { sought, system, watch, .. } = self;
        let mut report = PropertyReport::undecided(sought.name, sought.kind);
        report.notes.extend(system.self_check().map(|check| check.result()).transpose()?);
        report.engine = system.engine().into();
        report.search = searched.algorithm.name().into();
        report.store = self.store.0.name().into();
        report.threads = searched.threads as u64;
        let figures = searched.outcome.figures;
        report.states = Some(figures.states);
        report.states_matched = Some(figures.transitions.saturating_sub(figures.states));
        report.transitions = Some(figures.transitions);
        report.depth = Some(figures.depth);
        report.state_bytes = Some(figures.state_bytes);
        report.store_bytes_per_state = Some(searched.store_bytes as f64 / figures.states.max(1) as f64);
        report.omission_probability = Some(0.0);
        let (lasso, ends) = match searched.outcome.verdict {
            Found::Cycle(l) => (Some(Lasso { stem: l.stem.concat(), cycle: l.cycle.concat() }), false),
            Found::End(path) => (Some(Lasso { stem: path.concat(), cycle: Vec::new() }), true),
            Found::Empty => match sought.only_infinite {
                Some(why) if searched.outcome.cut.any() => {
                    report.stopped = Some(why.into());
                    (None, false)
                }
                _ if searched.outcome.cut.endless => (self.beyond_indivisible(&mut report), false),
                _ => {
                    report.complete = true;
                    report.verdict = Verdict::Holds;
                    (None, false)
                }
            },
            Found::Stopped(why) => {
                let why = match why {
                    Stopped::Full => "the memory limit was reached",
                    Stopped::Threads => NO_THREADS,
                    _ => watch.why().unwrap_or("interrupted"),
                };
                report.stopped = Some(why.into());
                (None, false)
            }
        };
        report.notes.extend(self.store.1.clone());
        report.elapsed_s = Some(watch.elapsed().as_secs_f64());
        report.memory_bytes = watch.peak_bytes().or(Some(searched.store_bytes + figures.beside_bytes));
        let mut told = None;
        if let Some(lasso) = lasso {
            let (lasso, violation) = system.judge(Counterexample { lasso, ends, fair: self.options.fair })?;
            report.verdict = Verdict::Violated;
            report.errors = 1;
            report.error = Some(violation);
            told = Some(lasso);
        }
        Ok(Answer { report, lasso: told })
    }

    /// The naive search, which also finds runs that never leave an indivisible sequence.
    fn beyond_indivisible(&self, report: &mut PropertyReport) -> Option<Lasso> {
        let what = self.system.indivisible();
        report
            .notes
            .push(format!("some runs may never leave {what}: the whole product was searched once more for them"));
        let wanted = match self.sought.goal {
            Goal::Accepting => Wanted::Accepting,
            Goal::NonProgress => Wanted::NonProgress,
        };
        let how = cycles::Options { fair: self.options.fair, has_property: self.sought.has_property };
        let mut machine = multiplied(self.system.machine(), self.sought.property.as_ref());
        let outcome = cycles::search(&mut *machine, wanted, how, &mut |so_far| {
            // The graph keeps its edges: a rough 200 bytes a state beside the state itself.
            self.watch.go_on(&Progress {
                states: so_far.states,
                matched: so_far.transitions - so_far.states,
                memory_bytes: 2 * so_far.stored_bytes + 200 * so_far.states,
                ..Progress::default()
            })
        });
        report.complete = outcome.complete;
        match (&outcome.lasso, outcome.complete) {
            (None, true) => report.verdict = Verdict::Holds,
            (None, false) => report.stopped = Some(self.watch.why().unwrap_or("interrupted").into()),
            _ => {}
        }
        outcome.lasso
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(asked: Emptiness, goal: Goal, fair: bool, weak: bool, threads: usize) -> Option<Emptiness> {
        choose(asked, &Facts { goal, fair, weak, threads }).ok()
    }

    #[test]
    fn auto_suits_the_property() {
        use Emptiness::{Auto, Couvreur, Ufscc};
        assert_eq!(choice(Auto, Goal::Accepting, false, false, 1), Some(Couvreur));
        assert_eq!(choice(Auto, Goal::Accepting, false, true, 1), Some(Couvreur));
        assert_eq!(choice(Auto, Goal::Accepting, true, true, 2), Some(Couvreur));
        assert_eq!(choice(Auto, Goal::NonProgress, false, false, 8), Some(Ufscc));
    }

    #[test]
    fn what_cannot_decide_is_refused() {
        assert_eq!(choice(Emptiness::Cndfs, Goal::Accepting, true, false, 2), None);
        assert_eq!(choice(Emptiness::Weak, Goal::Accepting, false, false, 1), None);
        assert_eq!(choice(Emptiness::Weak, Goal::NonProgress, false, true, 1), None);
        assert_eq!(choice(Emptiness::Ndfs, Goal::NonProgress, true, false, 1), Some(Emptiness::Ndfs));
    }
}
