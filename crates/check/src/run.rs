//! One run of a subject, step by step, with each step told in words.
//!
//! Simulation, replay and the counterexamples of a check are all runs. A run is taken by the plain executor of the subject, so that
//! its steps are those of the source, and so that whatever a fast executor finds is confirmed by the slow one.

use crate::subject::{Identity, Reference, Subject, Told};
use ferrospin_search::safety::{Fault, Violation};
use ferrospin_system::{Control, Failure, Move, Moves};
use ferrospin_trace::explanation::Waiting;
use ferrospin_trace::trail::{self, Act, Actor, Binding, Event, Standing, Step, Trail};
use thiserror::Error;

/// What a run does instead of what it should.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[allow(missing_docs)]
pub enum Deviation {
    #[error("there is no initial state: {0}")]
    NoStart(String),
    #[error("step {0} cannot be taken")]
    Step(usize),
    #[error("it does not end in this failure: {0}")]
    OtherEnd(String),
    #[error("there are moves in its last state")]
    GoesOn,
    #[error("the cycle does not come back to where it starts")]
    OpenCycle,
    #[error("a limit was reached on the way")]
    Limit,
    #[error("{0}")]
    Other(String),
}

/// A run under way.
pub struct Run<'a> {
    reference: Box<dyn Reference + 'a>,
    identity: Identity,
    now: Moment,
}

/// Where a run stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Moment {
    /// The state.
    pub state: Vec<u8>,
    /// Which moves come next.
    pub control: Control,
    /// Processes created so far.
    pub created: usize,
    /// Steps so far; the end of a process is none.
    pub depth: usize,
}

impl<'a> Run<'a> {
    /// Starts a run.
    pub fn start<S: Subject + ?Sized>(subject: &'a S) -> Result<Self, Failure> {
        Run::about(subject, None)
    }

    /// Starts a run that is to end in this fault.
    pub fn about<S: Subject + ?Sized>(subject: &'a S, fault: Option<&Fault>) -> Result<Self, Failure> {
        Run::over(subject.reference(fault), subject.identity())
    }

    /// Starts a run of a plain executor.
    pub fn over(mut reference: Box<dyn Reference + 'a>, identity: Identity) -> Result<Self, Failure> {
        let mut state = Vec::new();
        reference.initial(&mut state)?;
        let created = reference.standing(&state).len();
        Ok(Run { reference, identity, now: Moment { state, control: Control::Free, created, depth: 0 } })
    }

    /// Where it stands.
    pub fn now(&self) -> &Moment {
        &self.now
    }

    /// Goes back to where it stood.
    pub fn go_back(&mut self, moment: Moment) {
        self.now = moment;
    }

    /// From now on moves that read from outside are moves like others.
    pub fn allow_input(&mut self) {
        self.reference.allow_input();
    }

    /// What can be done now. A process that cannot go on inside an indivisible sequence loses control.
    pub fn moves(&mut self) -> Moves {
        let mut moves = Moves::default();
        self.reference.moves(&self.now.state, self.now.control, &mut moves);
        if moves.list.is_empty() && matches!(self.now.control, Control::Exclusive(_)) {
            self.now.control = Control::Free;
            let failures = std::mem::take(&mut moves.failures);
            self.reference.moves(&self.now.state, Control::Free, &mut moves);
            moves.failures.splice(0..0, failures);
        }
        moves
    }

    /// Whether a move reads from outside.
    pub fn reads_input(&self, mv: &Move) -> bool {
        self.reference.reads_input(mv)
    }

    /// Takes a move and tells it; `input` is what it reads from outside. The run stays where it was when there is no successor.
    pub fn take(&mut self, mv: &Move, input: Option<i32>) -> (Step, Option<Failure>) {
        let mut next = Vec::new();
        let (result, step) = self.reference.take(&self.now.state, mv, input, &mut next);
        self.now.created += step.events.iter().filter(|e| matches!(e, Event::Started { .. })).count();
        let ends = step.events.iter().any(|e| matches!(e, Event::Ended { .. }));
        self.now.depth += usize::from(step.act.is_some() && !ends);
        self.now.control = result.control;
        if result.proceeds {
            self.now.state = next;
        }
        (step, result.failure)
    }

    /// Whether the run may stop here.
    pub fn may_end(&mut self) -> bool {
        self.reference.may_end(&self.now.state)
    }

    /// What a move would execute.
    pub fn acts(&mut self, mv: &Move) -> Vec<Act> {
        self.reference.acts(&self.now.state, mv)
    }

    /// Values that a failure has read, in the state in front of it.
    pub fn reads(&mut self, failure: &Failure) -> Vec<Binding> {
        self.reference.reads(&self.now.state, failure)
    }

    /// What each process waits for.
    pub fn waiting(&mut self) -> Vec<Waiting> {
        self.reference.waiting(&self.now.state)
    }

    /// Which of these propositions hold, the first as the lowest bit.
    pub fn labels(&mut self, propositions: &[u32]) -> u64 {
        self.reference.labels(&self.now.state, propositions)
    }

    /// What is said of a violation.
    pub fn tell(&mut self, violation: &Violation) -> Told {
        self.reference.tell(violation)
    }

    /// What is said of a failure.
    pub fn tell_failure(&mut self, failure: &Failure) -> Told {
        self.tell(&Violation { fault: Fault::Failure(*failure), trail: Vec::new() })
    }

    /// A trail with no steps yet.
    pub fn trail(&mut self) -> Trail {
        Trail { start: self.actors(), ..empty(&self.identity) }
    }

    fn actors(&mut self) -> Vec<Actor> {
        self.standing().into_iter().map(|s| s.process).collect()
    }

    /// Where the processes stand, oldest first.
    pub fn standing(&mut self) -> Vec<Standing> {
        self.reference.standing(&self.now.state)
    }

    /// The values that are worth telling.
    pub fn values(&mut self) -> Vec<Binding> {
        self.reference.values(&self.now.state)
    }

    /// Adds to a trail how the run ended.
    pub fn finish(&mut self, trail: &mut Trail) {
        trail.standing = self.standing();
        trail.values = self.values();
    }

    /// The end of a simulation, where the language has a form of its own for it; with `locals`, local variables too.
    pub fn ending(&mut self, locals: bool) -> Option<String> {
        self.reference.ending(&self.now, locals)
    }
}

/// A trail of nothing.
pub(crate) fn empty(identity: &Identity) -> Trail {
    Trail {
        ferrospin: crate::VERSION.into(),
        schema: trail::SCHEMA,
        model: identity.name.clone(),
        fingerprint: identity.fingerprint.clone(),
        options: identity.options.clone(),
        property: None,
        violation: None,
        explanation: None,
        loop_start: None,
        start: Vec::new(),
        steps: Vec::new(),
        standing: Vec::new(),
        values: Vec::new(),
    }
}
