//! Formulas about a subject: a search for a run on which one fails.
//!
//! The negated formula becomes a Büchi automaton over propositions of the subject, which states tell as labels; [`crate::cycles`] searches
//! the product with the system for a cycle that is accepted. What is found is run by the plain executor of the subject, and the
//! formula is evaluated on that run from its definition, without any automaton, before it is reported.

use crate::cycles::{Counterexample, CycleCheck, CycleSystem, Sought};
use crate::explain::Spoken;
use crate::options::{Closing, Emptiness, Options};
use crate::refusal::{BadFormula, Refusal};
use crate::report::{ErrorKind, PropertyKind, Violation};
use crate::run::{Deviation, Run};
use crate::subject::{Answer, Executors, Purpose, SelfCheck, Stated, Subject, Task};
use crate::testing::Testing;
use crate::watch::Watch;
use ferrospin_ltl::{
    AtomId, Atoms, Automaton, Dialect, Formula, Formulas, Labels as Diagrams, Lasso as Word, Target, parse, translate,
};
use ferrospin_search::BoxMachine;
use ferrospin_search::automaton::{AutomatonEdge, AutomatonState, Cube, Prefixed, PropertyAutomaton};
use ferrospin_search::cycles::Lasso;
use ferrospin_search::emptiness::product::Goal;
use ferrospin_source::{Diagnostic, SourceMap};
use ferrospin_system::{Control, Labels, Move, NO_EDGE, NO_PROCESS};
use std::sync::Arc;

/// What a formula is called where a message points into it.
const NAME: &str = "<formula>";

/// A formula over propositions of a subject.
pub struct Question {
    formulas: Formulas,
    formula: Formula,
    /// The numbers of its propositions, by [`AtomId`].
    propositions: Vec<u32>,
}

impl Question {
    /// The formula of a property.
    pub fn about<S: Subject + ?Sized>(subject: &S, property: &Stated) -> Result<Question, Refusal> {
        match property.kind {
            PropertyKind::Ltl => Question::read(subject, &property.name),
            _ => {
                let why = format!("`{}`: this language has no labels for acceptance or progress", property.name);
                Err(Refusal::Refused(why))
            }
        }
    }

    /// Reads a formula: one that the subject states under this name, or the name itself.
    pub fn read<S: Subject + ?Sized>(subject: &S, name: &str) -> Result<Question, Refusal> {
        let stated = subject.properties().into_iter().find(|p| p.kind == PropertyKind::Ltl && p.name == name);
        let text = stated.and_then(|p| p.formula).unwrap_or_else(|| name.to_owned());
        let mut map = SourceMap::new();
        let file = map.add_file(NAME, text.as_str());
        let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
        let (formula, mut said) = parse(&text, map.base(file), Dialect::Project, &mut formulas, &mut atoms);
        let mut propositions = Vec::new();
        for (_, atom) in atoms.iter() {
            match subject.proposition(&atom.text) {
                Ok(number) => propositions.push(number),
                Err(why) => said.push(Diagnostic::error("unknown-proposition", atom.span, why.to_string())),
            }
        }
        match formula {
            Some(formula) if !said.has_errors() => Ok(Question { formulas, formula, propositions }),
            _ => Err(Refusal::Formula(BadFormula::new(name, &map, &said, None))),
        }
    }

    /// The automaton of the runs on which the formula fails.
    fn automaton(&self, name: &str) -> Result<PropertyAutomaton, Refusal> {
        let refuse = |why: String| Refusal::Refused(format!("the formula `{name}` has no automaton here: {why}"));
        if self.propositions.len() > Labels::PROPOSITIONS_MAX {
            return Err(refuse(format!("it has more than {} propositions", Labels::PROPOSITIONS_MAX)));
        }
        let mut formulas = self.formulas.clone();
        let (negated, mut diagrams) = (formulas.not(self.formula), Diagrams::new());
        let automaton = translate(&mut formulas, negated, Target::Buchi, &mut diagrams);
        let automaton = automaton.map_err(|why| refuse(why.to_string()))?;
        if automaton.state_count() > usize::from(u16::MAX) {
            return Err(refuse("it has more than 65,535 states".into()));
        }
        Ok(property_automaton(&automaton, &mut diagrams))
    }
}

/// An automaton in the form that searches take: with the initial state in front, and labels as products of literals.
fn property_automaton(automaton: &Automaton, diagrams: &mut Diagrams) -> PropertyAutomaton {
    let first = automaton.initial.0;
    // The initial state and state 0 change places.
    let place = |s: u32| {
        if s == first {
            0
        } else if s == 0 {
            first
        } else {
            s
        }
    };
    let mut states = vec![AutomatonState::default(); automaton.state_count()];
    for s in automaton.states() {
        let mut edges = Vec::new();
        for e in automaton.out(s) {
            let guard = diagrams.cover(e.label).into_iter().map(|literals| {
                literals.into_iter().fold(Cube::default(), |cube, (AtomId(atom), holds)| {
                    let bit = 1 << atom;
                    match holds {
                        true => Cube { holding: cube.holding | bit, ..cube },
                        false => Cube { failing: cube.failing | bit, ..cube },
                    }
                })
            });
            edges.push(AutomatonEdge { guard: guard.collect(), target: place(e.target.0) });
        }
        let accepts = automaton.mark_count == 0 || automaton.accepting(s);
        states[place(s.0) as usize] = AutomatonState { accepts, edges, ..AutomatonState::default() };
    }
    PropertyAutomaton::new(states)
}

/// Searches for a run on which a formula fails.
pub fn check<S: Subject + ?Sized>(subject: &S, property: &Stated, task: &Task<'_>) -> Result<Answer, Refusal> {
    let options = task.options;
    if options.stutter_close != Closing::Off || options.under.is_some() {
        let why =
            "`--stutter-close` and `--under` help a reduction, and formulas of this language are searched without one";
        return Err(Refusal::Refused(why.into()));
    }
    let question = Question::about(subject, property)?;
    match options.emptiness {
        Emptiness::Testing => by_testing(subject, property, &question, options),
        _ => by_product(subject, property, &question, options),
    }
}

/// The same for a formula over propositions of the subject that is written nowhere.
pub(crate) fn check_formula<S: Subject + ?Sized>(
    subject: &S,
    property: &Stated,
    about: &Spoken,
    task: &Task<'_>,
) -> Result<Answer, Refusal> {
    let Spoken { formulas, formula, propositions, .. } = about.clone();
    by_product(subject, property, &Question { formulas, formula, propositions }, task.options)
}

/// What is looked for, without an automaton so far.
fn sought(property: &Stated) -> Sought<'_> {
    Sought {
        name: &property.name,
        kind: PropertyKind::Ltl,
        goal: Goal::Accepting,
        has_property: false,
        property_end: None,
        property: None,
        parts: None,
        weak: false,
        accepts_cycles: true,
        only_infinite: None,
    }
}

/// Multiplies the system with a Büchi automaton.
fn by_product<S: Subject + ?Sized>(
    subject: &S,
    property: &Stated,
    question: &Question,
    options: &Options,
) -> Result<Answer, Refusal> {
    let mut watch = Watch::start(options);
    let automaton = Arc::new(question.automaton(&property.name)?);
    let executors = subject.executors(&Purpose::Labels(question.propositions.clone()), options)?;
    watch.stop_with(executors.self_check());
    watch.weigh(options);
    let weak = automaton.states().iter().all(|s| s.component == 0 || s.accepts);
    let parts = Some(Arc::new(automaton.parts()));
    let sought = Sought { has_property: true, property: Some(automaton), parts, weak, ..sought(property) };
    let system = Labelled { subject, name: &property.name, question, executors: &*executors, is_prefixed: true };
    Ok(CycleCheck::new(sought, &system, options, &watch)?.run()?.into())
}

/// Runs a testing automaton beside the system.
fn by_testing<S: Subject + ?Sized>(
    subject: &S,
    property: &Stated,
    question: &Question,
    options: &Options,
) -> Result<Answer, Refusal> {
    let testing = Testing::new(&property.name, &question.formulas, question.formula, options)?;
    let mut watch = Watch::start(options);
    let read = testing.atoms().iter().map(|AtomId(i)| question.propositions[*i as usize]);
    let executors = subject.executors(&Purpose::Labels(read.collect()), options)?;
    watch.stop_with(executors.self_check());
    watch.weigh(options);
    let system = Labelled { subject, name: &property.name, question, executors: &*executors, is_prefixed: false };
    match testing.check(sought(property), &system, executors.unchecked(), options, &watch)? {
        Some(answer) => Ok(answer.into()),
        None => {
            let options = Options { emptiness: Emptiness::Auto, ..options.clone() };
            by_product(subject, property, question, &options)
        }
    }
}

/// A subject whose states tell the propositions of a formula.
struct Labelled<'a, S: ?Sized> {
    subject: &'a S,
    name: &'a str,
    question: &'a Question,
    executors: &'a dyn Executors,
    /// States begin with the state of the automaton.
    is_prefixed: bool,
}

impl<S: Subject + ?Sized> CycleSystem for Labelled<'_, S> {
    fn engine(&self) -> &'static str {
        self.executors.engine()
    }

    fn machine(&self) -> BoxMachine {
        match self.is_prefixed {
            true => Box::new(Prefixed::new(self.executors.machine())),
            false => self.executors.machine(),
        }
    }

    fn self_check(&self) -> Option<Arc<dyn SelfCheck>> {
        self.executors.self_check()
    }

    fn judge(&self, Counterexample { lasso, fair, .. }: Counterexample) -> Result<(Lasso, Violation), Refusal> {
        let unconfirmed = |why| Refusal::Unconfirmed { property: self.name.into(), why };
        confirm(self.subject, self.question, &lasso, fair).map_err(unconfirmed)?;
        let violation = violation(&lasso);
        Ok((lasso, violation))
    }
}

fn violation(lasso: &Lasso) -> Violation {
    let what = "the formula fails on a run";
    let message = match lasso.cycle.iter().filter(|m| m.process != NO_PROCESS).count() {
        0 => format!("{what} that stops"),
        n => format!("{what}: a cycle of {n} {}", if n == 1 { "step" } else { "steps" }),
    };
    let depth = Some(lasso.stem.iter().filter(|m| m.process != NO_PROCESS).count() as u64);
    Violation { kind: ErrorKind::AcceptanceCycle, message, location: None, depth }
}

/// Takes the moves of a lasso with the plain executor, and evaluates the formula on that run by its definition. With `fair`, every
/// process must move on the cycle, or be unable to somewhere on it.
fn confirm<S: Subject + ?Sized>(subject: &S, question: &Question, lasso: &Lasso, fair: bool) -> Result<(), Deviation> {
    let no_start = |_| Deviation::NoStart("it fails before its first state".into());
    let mut run = Run::start(subject).map_err(no_start)?;
    let mut word = Word { stem: Vec::new(), cycle: Vec::new() };
    let mut served = [false; NO_PROCESS as usize];
    let mut at_cycle = run.now().clone();
    let cycle_repeats = lasso.cycle.iter().any(|m| m.process != NO_PROCESS);
    for (i, mv) in lasso.stem.iter().chain(&lasso.cycle).enumerate() {
        let is_cycle = i >= lasso.stem.len();
        if i == lasso.stem.len() {
            at_cycle = run.now().clone();
        }
        if mv.process == NO_PROCESS {
            continue;
        }
        let mv = Move { property: NO_EDGE, stutter: false, ..*mv };
        let moves = run.moves().list;
        if !moves.contains(&mv) {
            return Err(Deviation::Step(i + 1));
        }
        if run.now().control == Control::Free {
            let letter = letter(&mut run, question);
            if is_cycle {
                word.cycle.push(letter)
            } else {
                word.stem.push(letter)
            }
            let can = |p: u8| moves.iter().any(|m| m.process == p || m.partner == p);
            let unable = (0..NO_PROCESS).filter(|p| is_cycle && !can(*p));
            unable.for_each(|p| served[usize::from(p)] = true);
        }
        if is_cycle {
            let movers = [mv.process, mv.partner].into_iter().filter(|p| *p != NO_PROCESS);
            movers.for_each(|p| served[usize::from(p)] = true);
        }
        run.take(&mv, None);
    }
    if !cycle_repeats {
        if !run.moves().list.is_empty() {
            return Err(Deviation::GoesOn);
        }
        word.cycle.push(letter(&mut run, question));
    } else if (&run.now().state, run.now().control) != (&at_cycle.state, at_cycle.control) {
        return Err(Deviation::OpenCycle);
    } else if fair && served.contains(&false) {
        return Err(Deviation::Other("its cycle is not fair".into()));
    }
    if word.cycle.is_empty() {
        // The cycle never leaves an indivisible sequence: the last letter is read for ever.
        word.cycle.extend(word.stem.last().cloned());
    }
    match word.satisfies(&question.formulas, question.formula) {
        true => Err(Deviation::Other("the formula holds on it".into())),
        false => Ok(()),
    }
}

/// The propositions that hold where a run stands.
fn letter(run: &mut Run<'_>, question: &Question) -> Vec<AtomId> {
    let labels = run.labels(&question.propositions);
    (0..question.propositions.len() as u32).filter(|i| labels >> i & 1 == 1).map(AtomId).collect()
}
