//! Formulas about a subject: a search for a run on which one fails.
//!
//! The negated formula becomes a Büchi automaton over propositions of the subject, which states tell as labels; the product with the
//! system is searched for a cycle that is accepted. What is found is run by the plain executor of the subject, and the formula is
//! evaluated on that run from its definition, without any automaton, before it is reported.

use crate::options::{Closing, Emptiness, Store as StoreChoice};
use crate::refusal::{BadFormula, Refusal};
use crate::report::{ErrorKind, PropertyKind, PropertyReport, Verdict, Violation};
use crate::run::{Deviation, Run};
use crate::safety::NO_THREADS;
use crate::searching::{Searching, multiplied};
use crate::subject::{Answer, Finding, Purpose, Stated, Subject, Task};
use crate::watch::Watch;
use ferrospin_ltl::{
    AtomId, Atoms, Automaton, Dialect, Formula, Formulas, Labels as Diagrams, Lasso as Word, Target, parse, translate,
};
use ferrospin_search::BoxMachine;
use ferrospin_search::automaton::{AutomatonEdge, AutomatonState, Cube, Prefixed, PropertyAutomaton};
use ferrospin_search::cycles::{self, Lasso, Wanted};
use ferrospin_search::emptiness::product::{self, Goal};
use ferrospin_search::emptiness::{Stopped, Verdict as Found};
use ferrospin_search::observe::{Observer, Progress};
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

/// What a choice of algorithm depends on.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// What kind of cycle is looked for.
    pub goal: Goal,
    /// Whether fairness is asked for.
    pub fair: bool,
    /// Whether all states of a component of the property accept, or none does; false where there is no automaton.
    pub weak: bool,
    /// Number of workers.
    pub threads: usize,
}

/// Workers from which on a parallel search is chosen: below, what workers repeat of each other's work costs more than
/// they gain.
const WORKERS_PARALLEL: usize = 4;

/// The algorithm to run, or why the one that was asked for cannot decide the property.
pub fn choose(asked: Emptiness, facts: &Facts) -> Result<Emptiness, Refusal> {
    let plain = facts.goal == Goal::Accepting && !facts.fair;
    let refuse = |why: &str| Err(Refusal::Refused(format!("`--emptiness {}`: {why}", asked.name())));
    match asked {
        Emptiness::Auto if facts.threads >= WORKERS_PARALLEL => Ok(Emptiness::Ufscc),
        Emptiness::Auto => Ok(Emptiness::Couvreur),
        Emptiness::Weak if !plain => refuse("this search knows neither fairness nor progress; leave it to `auto`"),
        Emptiness::Weak if !facts.weak => refuse("the claim is not weak; leave it to `auto`"),
        Emptiness::Testing if facts.goal == Goal::NonProgress && !facts.fair => Ok(asked),
        Emptiness::Testing => refuse("testing automata are for formulas without fairness, and for progress"),
        Emptiness::Cndfs if !plain => refuse("this search knows neither fairness nor progress; `ufscc` does"),
        chosen => Ok(chosen),
    }
}

/// The store for a search for cycles, and what became of the wish for another one.
pub fn store(asked: Option<StoreChoice>) -> (StoreChoice, Option<String>) {
    match asked {
        None => (StoreChoice::Exact, None),
        Some(fit @ (StoreChoice::Exact | StoreChoice::Tree | StoreChoice::Collapse)) => (fit, None),
        Some(unfit) => {
            let instead = if unfit == StoreChoice::Compact { StoreChoice::Tree } else { StoreChoice::Exact };
            let why = "a search for cycles reads states again by small numbers";
            let note = format!("{why}, so `{}` was used instead of `{}`", instead.name(), unfit.name());
            (instead, Some(note))
        }
    }
}

/// Searches for a run on which a formula fails.
pub fn check<S: Subject + ?Sized>(subject: &S, property: &Stated, task: &Task<'_>) -> Result<Answer, Refusal> {
    let (options, name) = (task.options, &property.name);
    if options.stutter_close != Closing::Off || options.under.is_some() {
        let why =
            "`--stutter-close` and `--under` help a reduction, and formulas of this language are searched without one";
        return Err(Refusal::Refused(why.into()));
    }
    let question = Question::about(subject, property)?;
    let mut watch = Watch::start(options);
    let automaton = Arc::new(question.automaton(name)?);
    let executors = subject.executors(&Purpose::Labels(question.propositions.clone()), options)?;
    watch.stop_with(executors.self_check());
    let weak = automaton.states().iter().all(|s| s.component == 0 || s.accepts);
    let facts = Facts { goal: Goal::Accepting, fair: options.fair, weak, threads: options.threads.get() };
    let algorithm = choose(options.emptiness, &facts)?;
    if algorithm == Emptiness::Testing {
        return Err(Refusal::Refused("`--emptiness testing`: testing automata are not made for this language".into()));
    }
    let (store, unfit) = store(options.store);
    let alone = || Box::new(Prefixed::new(executors.machine())) as BoxMachine;
    let machine = || multiplied(alone(), Some(&automaton));
    watch.weigh(options);
    let product = product::Options { goal: Goal::Accepting, fair: options.fair, has_claim: true, claim_end: None };
    let searching = Searching {
        machine: &alone,
        product,
        parts: Some(Arc::new(automaton.parts())),
        property: Some(automaton.clone()),
        reduction: None,
        weak: false,
        store,
        watch: &watch,
        states_max: u64::MAX,
        threads: options.threads.get(),
    };
    let searched = searching.run(algorithm);
    let mut report = PropertyReport::undecided(name, PropertyKind::Ltl);
    report.notes.extend(executors.self_check().map(|check| check.result()).transpose()?);
    report.engine = executors.engine().into();
    report.search = searched.algorithm.name().into();
    report.store = store.name().into();
    report.threads = searched.threads as u64;
    let figures = searched.outcome.figures;
    report.states = Some(figures.states);
    report.states_matched = Some(figures.transitions.saturating_sub(figures.states));
    report.transitions = Some(figures.transitions);
    report.depth = Some(figures.depth);
    report.state_bytes = Some(figures.state_bytes);
    report.store_bytes_per_state = Some(searched.store_bytes as f64 / figures.states.max(1) as f64);
    report.omission_probability = Some(0.0);
    let lasso = match searched.outcome.verdict {
        Found::Cycle(l) => Some(Lasso { stem: l.stem.concat(), cycle: l.cycle.concat() }),
        Found::Empty if searched.outcome.cut.endless => beyond_exclusive(&machine, options.fair, &watch, &mut report),
        Found::Empty => {
            report.complete = true;
            report.verdict = Verdict::Holds;
            None
        }
        Found::End(_) => unreachable!("an automaton has no end"),
        Found::Stopped(why) => {
            let stopped = match why {
                Stopped::Full => "the memory limit was reached",
                Stopped::Threads => NO_THREADS,
                _ => watch.why().unwrap_or("interrupted"),
            };
            report.stopped = Some(stopped.into());
            None
        }
    };
    report.notes.extend(unfit);
    report.elapsed_s = Some(watch.elapsed().as_secs_f64());
    report.memory_bytes = watch.peak_bytes().or(Some(searched.store_bytes + figures.beside_bytes));
    if let Some(lasso) = &lasso {
        let unconfirmed = |why| Refusal::Unconfirmed { property: name.clone(), why };
        confirm(subject, &question, lasso, options.fair).map_err(unconfirmed)?;
        report.verdict = Verdict::Violated;
        report.errors = 1;
        report.error = Some(violation(lasso));
    }
    Ok(Answer { report, finding: lasso.map(Finding::Lasso), taken: None })
}

/// The naive search, which also finds runs that never leave an indivisible sequence.
fn beyond_exclusive(
    machine: &dyn Fn() -> BoxMachine,
    fair: bool,
    watch: &Watch,
    report: &mut PropertyReport,
) -> Option<Lasso> {
    let note = "some runs may never leave an indivisible sequence: the whole product was searched once more for them";
    report.notes.push(note.into());
    let how = cycles::Options { fair, has_claim: true };
    let outcome = cycles::search(&mut *machine(), Wanted::Accepting, how, &mut |so_far| {
        // The graph keeps its edges: a rough 200 bytes a state beside the state itself.
        watch.go_on(&Progress {
            states: so_far.states,
            matched: so_far.transitions - so_far.states,
            memory_bytes: 2 * so_far.stored_bytes + 200 * so_far.states,
            ..Progress::default()
        })
    });
    report.complete = outcome.complete;
    match (&outcome.lasso, outcome.complete) {
        (None, true) => report.verdict = Verdict::Holds,
        (None, false) => report.stopped = Some(watch.why().unwrap_or("interrupted").into()),
        _ => {}
    }
    outcome.lasso
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
        let mv = Move { claim: NO_EDGE, stutter: false, ..*mv };
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
