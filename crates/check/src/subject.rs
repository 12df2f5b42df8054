//! What can be checked: a system that can also be talked about.
//!
//! A search sees a [`ferrospin_system::Machine`] and nothing else. A [`Subject`] adds what reports and trails need of a language, and all that
//! they may know of it: names, propositions, places, the telling of a step, and a plain executor ([`Reference`]) that confirms what a
//! fast one has found. A further language implements this trait; nothing in this crate changes for it.

use crate::coverage::Taken;
use crate::explain::Spoken;
use crate::options::{Options, Selector};
use crate::refusal::Refusal;
use crate::report::{ErrorKind, Location, PropertyKind, PropertyReport};
use crate::run::Moment;
use crate::storage::Storage;
use crate::{formulas, safety, swarm};
pub use ferrospin_search::BoxMachine;
pub use ferrospin_search::cycles::Lasso;
pub use ferrospin_search::safety::{Fault, Outcome, Violation};
use ferrospin_system::{Control, Failure, Move, Moves, Reduction, Step};
use ferrospin_trace::explanation::Waiting;
use ferrospin_trace::trail::{self, Act, Binding, Place, Standing};
use std::sync::Arc;
use thiserror::Error;

/// See the module.
pub trait Subject: Sync {
    /// What it is called, and what tells it from others.
    fn identity(&self) -> Identity;

    /// What it states of itself, in the order of the report.
    fn properties(&self) -> Vec<Stated>;

    /// Executors for searches.
    fn executors(&self, purpose: &Purpose, options: &Options) -> Result<Box<dyn Executors + '_>, Refusal>;

    /// The executor that confirms, replays and simulates. `about` is the violation to be confirmed, where there is one: what costs
    /// every other run too much is looked for then only.
    fn reference(&self, about: Option<&Fault>) -> Box<dyn Reference + '_>;

    /// The number of the proposition with this name or text, for [`Purpose::Labels`].
    fn proposition(&self, text: &str) -> Result<u32, NoProposition>;

    /// Its edges by their number in moves, for the list of those that no run takes; empty where edges are not numbered through.
    fn edges(&self) -> Vec<EdgePlace> {
        Vec::new()
    }

    /// Whether a property can be asked for: before the first search, so that a mistake is not found behind a long one. Formulas are
    /// read here, over [`Subject::proposition`].
    fn examine(&self, property: &Stated) -> Result<(), Refusal> {
        match property.kind {
            PropertyKind::Safety => Ok(()),
            _ => formulas::Question::about(self, property).map(drop),
        }
    }

    /// Searches for violations of a property: by [`safety`], [`swarm`] or [`formulas`], unless a language has searches of its own.
    fn answer(&self, property: &Stated, task: &Task<'_>) -> Result<Answer, Refusal> {
        match property.kind {
            PropertyKind::Safety if property.name != Stated::safety().name => {
                Err(Refusal::Refused(format!("`--check {}`: this language has no such check", property.name)))
            }
            PropertyKind::Safety => {
                let executors = self.executors(&Purpose::Safety, task.options)?;
                let (report, outcome) = search_safety(&*executors, &mut *self.reference(None), task)?;
                Ok(safety::answer(report, outcome))
            }
            _ => formulas::check(self, property, task),
        }
    }

    /// Searches for violations of several properties at once, as far as that is possible; the answers in the order of the
    /// properties, `None` for those that must be asked for one by one. Each search gets its part of the time, which they share.
    fn answer_together(&self, properties: &[Stated], task: &Task<'_>) -> Result<Vec<Option<Answer>>, Refusal> {
        let _ = task;
        Ok(properties.iter().map(|_| None).collect())
    }

    /// The formula of a property, to be talked about; `None` where it has none.
    fn formula(&self, property: &Stated) -> Option<Spoken> {
        Spoken::of(self, property)
    }

    /// Searches for violations of another formula over the propositions of a property's; `None` where a language cannot.
    fn answer_formula(&self, property: &Stated, about: &Spoken, task: &Task<'_>) -> Option<Result<Answer, Refusal>> {
        Some(formulas::check_formula(self, property, about, task))
    }
}

impl<S: Subject + ?Sized> Subject for &S {
    fn answer_together(&self, properties: &[Stated], task: &Task<'_>) -> Result<Vec<Option<Answer>>, Refusal> {
        (**self).answer_together(properties, task)
    }

    fn formula(&self, property: &Stated) -> Option<Spoken> {
        (**self).formula(property)
    }

    fn answer_formula(&self, property: &Stated, about: &Spoken, task: &Task<'_>) -> Option<Result<Answer, Refusal>> {
        (**self).answer_formula(property, about, task)
    }

    fn identity(&self) -> Identity {
        (**self).identity()
    }

    fn properties(&self) -> Vec<Stated> {
        (**self).properties()
    }

    fn executors(&self, purpose: &Purpose, options: &Options) -> Result<Box<dyn Executors + '_>, Refusal> {
        (**self).executors(purpose, options)
    }

    fn reference(&self, about: Option<&Fault>) -> Box<dyn Reference + '_> {
        (**self).reference(about)
    }

    fn proposition(&self, text: &str) -> Result<u32, NoProposition> {
        (**self).proposition(text)
    }

    fn edges(&self) -> Vec<EdgePlace> {
        (**self).edges()
    }

    fn examine(&self, property: &Stated) -> Result<(), Refusal> {
        (**self).examine(property)
    }

    fn answer(&self, property: &Stated, task: &Task<'_>) -> Result<Answer, Refusal> {
        (**self).answer(property, task)
    }
}

/// What a subject is called, and what tells it from others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Identity {
    /// The model, as messages and reports name it.
    pub name: String,
    /// Equal for systems in which the same moves mean the same.
    pub fingerprint: String,
    /// The options it was read with.
    pub options: Vec<String>,
}

/// A property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stated {
    /// `safety`, its name, or a formula as typed.
    pub name: String,
    /// What sort it is.
    pub kind: PropertyKind,
    /// The formula, where it has one that is not its name.
    pub formula: Option<String>,
}

impl Stated {
    /// What can go wrong in a run.
    pub fn safety() -> Stated {
        Stated { name: "safety".into(), kind: PropertyKind::Safety, formula: None }
    }
}

/// Why a text is no proposition.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum NoProposition {
    /// There is none of that name.
    #[error("there is no proposition `{text}`; {}", listed(.known))]
    Unknown {
        /// The name.
        text: String,
        /// Those that there are.
        known: Vec<String>,
    },
    /// It cannot be read as one; a sentence says why.
    #[error("{0}")]
    Unreadable(String),
}

fn listed(known: &[String]) -> String {
    match known {
        [] => "the model has none".into(),
        known => format!("the model has {}", known.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")),
    }
}

/// Why a system has no reduction, in a sentence.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{0}")]
pub struct NoReduction(pub String);

/// What executors are for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// To see what goes wrong.
    Safety,
    /// To tell by [`ferrospin_system::Machine::labels`] which of these propositions hold, the first as the lowest bit.
    Labels(Vec<u32>),
}

/// Executors for searches: fast ones, possibly of a system that was made smaller, with the way back.
pub trait Executors: Sync {
    /// What executes, as reports name it.
    fn engine(&self) -> &'static str;

    /// An executor for one more worker, under the self-check where there is one.
    fn machine(&self) -> BoxMachine;

    /// The same without a self-check.
    fn unchecked(&self) -> BoxMachine {
        self.machine()
    }

    /// How many edges are counted.
    fn edges(&self) -> usize;

    /// The number of the failures that are failed assertions, where there are such.
    fn assertion(&self) -> Option<u16> {
        None
    }

    /// Whether a state without moves may be a violation: not where a property process runs beside, which says what it is worth.
    fn ends_count(&self) -> bool {
        true
    }

    /// Bytes of states, as ranges, that are restored and not compared.
    fn unmatched(&self) -> &[(u32, u32)] {
        &[]
    }

    /// Equal where a kept search can go on.
    fn fingerprint(&self) -> u64;

    /// A reduction that keeps what can go wrong, or why this system has none; `None` where nothing is known of what
    /// moves depend on. What it meets in a `trial` says nothing about the system.
    fn reduction(&self, selector: Selector, trial: bool) -> Option<Result<Box<dyn Reduction>, NoReduction>> {
        let _ = (selector, trial);
        None
    }

    /// A violation in terms of the subject itself.
    fn plain_violation(&self, found: &Violation) -> Violation {
        found.clone()
    }

    /// Executors of the subject itself, each of whose steps is a single one: the shortest run there is the shortest for people. `None`
    /// where these are such already.
    fn plain(&self) -> Option<Box<dyn Executors + '_>> {
        None
    }

    /// The edges of the subject itself that were taken, given those of the system that was searched.
    fn plain_taken(&self, taken: &[bool]) -> Vec<bool> {
        taken.to_vec()
    }

    /// The self-check that runs beside, if there is one.
    fn self_check(&self) -> Option<Arc<dyn SelfCheck>> {
        None
    }
}

/// A check of the executors that runs beside a search.
pub trait SelfCheck: Send + Sync {
    /// Whether a difference was found: the search may stop.
    fn is_over(&self) -> bool;

    /// What became of it: a sentence for the report, or the difference.
    fn result(&self) -> Result<String, Refusal>;
}

/// The plain executor of a subject, which tells what it does.
pub trait Reference {
    /// The initial state.
    fn initial(&mut self, out: &mut Vec<u8>) -> Result<(), Failure>;

    /// All moves of a state, as [`ferrospin_system::Machine::moves`].
    fn moves(&mut self, state: &[u8], control: Control, out: &mut Moves);

    /// Takes a move, as [`ferrospin_system::Machine::apply`], and tells it; `input` is what it reads from outside.
    fn take(&mut self, state: &[u8], mv: &Move, input: Option<i32>, out: &mut Vec<u8>) -> (Step, trail::Step);

    /// What a move of a state executes: that of its process, then that of its partner.
    fn acts(&mut self, state: &[u8], mv: &Move) -> Vec<Act>;

    /// Where the processes stand, by number.
    fn standing(&mut self, state: &[u8]) -> Vec<Standing>;

    /// Whether a run may stop in this state.
    fn may_end(&mut self, state: &[u8]) -> bool {
        let _ = state;
        true
    }

    /// The values that are worth telling.
    fn values(&mut self, state: &[u8]) -> Vec<Binding>;

    /// Which of these propositions hold in a state, the first as the lowest bit.
    fn labels(&mut self, state: &[u8], propositions: &[u32]) -> u64;

    /// What is said of a violation.
    fn tell(&mut self, violation: &Violation) -> Told;

    /// Values that a failure has read, in the state in front of it.
    fn reads(&mut self, state: &[u8], failure: &Failure) -> Vec<Binding> {
        let _ = (state, failure);
        Vec::new()
    }

    /// What each process waits for, in a state in which none can move; nothing where a language cannot tell.
    fn waiting(&mut self, state: &[u8]) -> Vec<Waiting> {
        let _ = state;
        Vec::new()
    }

    /// From now on moves that read from outside are moves like others.
    fn allow_input(&mut self) {}

    /// Whether a move reads from outside.
    fn reads_input(&self, mv: &Move) -> bool {
        let _ = mv;
        false
    }

    /// The end of a simulation, where the language has a form of its own for it.
    fn ending(&mut self, now: &Moment, locals: bool) -> Option<String> {
        let _ = (now, locals);
        None
    }
}

/// A violation in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Told {
    /// What sort it is.
    pub kind: ErrorKind,
    /// The word under which trails file it.
    pub category: &'static str,
    /// One sentence.
    pub message: String,
    /// The same with what was executed.
    pub detail: String,
    /// Where.
    pub place: Option<Place>,
}

/// Where an edge stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EdgePlace {
    /// The process type it belongs to, by number and name; `None` where no run needs to take it.
    pub group: Option<(u32, Arc<str>)>,
    /// The line.
    pub line: Option<u32>,
    /// It counts as taken whatever was taken: it is part of a larger step.
    pub is_inner: bool,
    /// The statement it executes, where that is written somewhere.
    pub statement: Option<StatementPlace>,
}

/// The statement of an edge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StatementPlace {
    /// Where it begins.
    pub from: Location,
    /// Where it ends.
    pub to: Location,
    /// On one line.
    pub text: String,
    /// It checks an assertion.
    pub is_assertion: bool,
    /// It is one of several ways to go on.
    pub is_branch: bool,
    /// Labels of the place it leads to.
    pub leads_to: Vec<String>,
    /// The channel it uses; empty where that may be one of several.
    pub channel: Option<String>,
}

impl StatementPlace {
    /// A statement of which nothing else is known.
    pub fn at(from: Location, to: Location) -> StatementPlace {
        let (text, leads_to) = (String::new(), Vec::new());
        StatementPlace { from, to, text, is_assertion: false, is_branch: false, leads_to, channel: None }
    }
}

/// What is asked for, and where things are kept.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// What is asked for.
    pub options: &'a Options,
    /// Where searches and counterexamples are kept.
    pub storage: &'a dyn Storage,
}

impl<'a> Task<'a> {
    /// The same with other options.
    #[must_use]
    pub fn with<'b>(&self, options: &'b Options) -> Task<'b>
    where
        'a: 'b,
    {
        Task { options, storage: self.storage }
    }
}

/// What a search found.
#[derive(Clone, Debug)]
pub enum Finding {
    /// A run that ends in a violation.
    Violation(Violation),
    /// A run with a cycle.
    Lasso(Lasso),
}

/// What is known about a property.
pub struct Answer {
    /// As it is reported.
    pub report: PropertyReport,
    /// The run that violates it.
    pub finding: Option<Finding>,
    /// Further violations.
    pub others: Vec<Violation>,
    /// The edges that were taken.
    pub taken: Option<Taken>,
}

/// Searches a subject for what can go wrong, as the options ask.
pub fn search_safety(
    executors: &dyn Executors,
    reference: &mut dyn Reference,
    task: &Task<'_>,
) -> Result<(PropertyReport, Outcome), Refusal> {
    match task.options.swarm.is_some() || task.options.walk {
        true => swarm::check(executors, reference, task),
        false => safety::check(executors, reference, task),
    }
}
