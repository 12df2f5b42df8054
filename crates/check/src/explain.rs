//! Why a counterexample is one: which part of a formula failed where, what each process waits for, what fairness would change.
//!
//! The run has been confirmed before. It is taken once more by the plain executor, which tells the propositions of each state; the
//! formula is evaluated on them by its definition, and the parts that decide it are told ([`ferrospin_ltl::explain`]). Whether a
//! violation disappears under weak fairness is looked at where the run is unfair, and only for a small time that the options name.

use crate::options::{Beside, Options};
use crate::report::{PropertyKind, PropertyReport, Verdict};
use crate::run::Run;
use crate::storage::Nowhere;
use crate::subject::{Finding, Stated, Subject, Task};
use crate::trails::system_moves;
use crate::watch::Hooks;
use ferrospin_ltl::{
    AtomId, Atoms, Dialect, Fact, Formula, Formulas, Lasso as Word, Reason, explain, parse, print_with,
};
use ferrospin_search::safety::Fault;
use ferrospin_source::SourceMap;
use ferrospin_system::{Control, NO_PROCESS};
use ferrospin_trace::Trail;
use ferrospin_trace::explanation::{Because, Explanation, Fairness, FormulaText, Often, Proposition, cycle_of};
use ferrospin_trace::trail::{Actor, Event, Place};
use std::time::{Duration, Instant};

/// Longer runs are told without reasons, which take them again and keep a value for each part of a formula and each step.
const STEPS_MAX: usize = 20_000;

/// Facts that are told; the first ones are the most important.
const FACTS_SHOWN: usize = 12;

/// A formula that can be talked about.
#[derive(Clone)]
pub struct Spoken {
    /// The arena of the formula.
    pub formulas: Formulas,
    /// The formula.
    pub formula: Formula,
    /// The propositions as they are written, by [`AtomId`].
    pub texts: Vec<String>,
    /// Their numbers.
    pub propositions: Vec<u32>,
    /// Where the formula is written, where that is known.
    pub place: Option<Place>,
}

impl Spoken {
    /// The formula of a property of a subject whose propositions are known by their names.
    pub fn of<S: Subject + ?Sized>(subject: &S, property: &Stated) -> Option<Spoken> {
        if property.kind != PropertyKind::Ltl {
            return None;
        }
        let stated = subject.properties().into_iter().find(|p| p.kind == property.kind && p.name == property.name);
        let text = stated.and_then(|p| p.formula).unwrap_or_else(|| property.name.clone());
        let mut map = SourceMap::new();
        let file = map.add_file("<formula>", text.as_str());
        let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
        let (formula, said) = parse(&text, map.base(file), Dialect::Project, &mut formulas, &mut atoms);
        let formula = formula.filter(|_| !said.has_errors())?;
        let texts: Vec<String> = atoms.iter().map(|(_, atom)| atom.text.clone()).collect();
        let propositions = texts.iter().map(|text| subject.proposition(text).ok()).collect::<Option<_>>()?;
        Some(Spoken { formulas, formula, texts, propositions, place: None })
    }

    /// A part of it as text.
    pub fn text(&self, part: Formula) -> String {
        let spell = |id: AtomId| {
            let text = &self.texts[id.0 as usize];
            let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '@' | '[' | ']' | '.' | ':');
            if text.chars().all(is_word) || is_wrapped(text) { text.clone() } else { format!("({text})") }
        };
        print_with(&self.formulas, part, Dialect::Project, spell)
    }
}

/// Whether a text has parentheses around the whole of it already.
fn is_wrapped(text: &str) -> bool {
    let Some(inner) = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) else { return false };
    let mut depth = 0i32;
    inner.chars().all(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth >= 0
    })
}

/// Explains what was found, given its trail, which gets the propositions that change beside its steps.
pub(crate) fn explanation<S: Subject + ?Sized>(
    subject: &S,
    task: &Task<'_>,
    found: &Finding,
    report: &PropertyReport,
    trail: &mut Trail,
) -> Explanation {
    let property = Stated { name: report.name.clone(), kind: report.kind, formula: None };
    let mut explanation = Explanation::default();
    if trail.steps.len() > STEPS_MAX {
        return explanation;
    }
    match found {
        Finding::Violation(violation) => fault(subject, violation.fault, trail, &mut explanation),
        Finding::Lasso(_) => {
            if let Some(spoken) = subject.formula(&property) {
                formula(subject, &property, &spoken, trail, &mut explanation);
            }
            explanation.passed_over = passed_over(subject, trail);
            explanation.fairness = fairness(subject, &property, task, &explanation.passed_over, trail, report);
        }
    }
    explanation
}

/// What a failure has read, or what each process waits for.
fn fault<S: Subject + ?Sized>(subject: &S, fault: Fault, trail: &Trail, out: &mut Explanation) {
    let Ok(mut run) = Run::about(subject, Some(&fault)) else { return };
    let moves = system_moves(trail);
    // A failure belongs to the state in front of the step that fails.
    let last = match fault {
        Fault::Failure(_) => trail.steps.iter().rposition(|s| s.failure.is_some()).unwrap_or(moves.len()),
        Fault::InvalidEndState => moves.len(),
    };
    for (mv, input) in moves.iter().take(last) {
        run.take(mv, *input);
    }
    match fault {
        Fault::Failure(failure) => out.values = run.reads(&failure),
        Fault::InvalidEndState => {
            out.waiting = run.waiting();
            out.cycle = cycle_of(&out.waiting);
        }
    }
}

/// The letters of a run: the propositions of each state in which every process may move, and how many steps lie before it.
struct Letters {
    word: Word,
    steps: Vec<usize>,
}

fn letters<S: Subject + ?Sized>(subject: &S, spoken: &Spoken, trail: &Trail) -> Option<Letters> {
    let mut run = Run::start(subject).ok()?;
    let (mut word, mut steps) = (Word { stem: Vec::new(), cycle: Vec::new() }, Vec::new());
    let letter = |run: &mut Run<'_>| -> Vec<AtomId> {
        let labels = run.labels(&spoken.propositions);
        (0..spoken.propositions.len() as u32).filter(|i| labels >> i & 1 == 1).map(AtomId).collect()
    };
    for (i, (mv, input)) in system_moves(trail).iter().enumerate() {
        run.moves();
        if run.now().control == Control::Free {
            let letter = letter(&mut run);
            let is_cycle = trail.loop_start.is_some_and(|start| i >= start);
            if is_cycle {
                word.cycle.push(letter)
            } else {
                word.stem.push(letter)
            }
            steps.push(i);
        }
        run.take(mv, *input);
    }
    if word.cycle.is_empty() {
        // The run stops, or fails whatever follows: its last state is repeated for ever.
        word.cycle.push(letter(&mut run));
        steps.push(trail.steps.len());
    }
    Some(Letters { word, steps })
}

fn formula<S: Subject + ?Sized>(
    subject: &S,
    property: &Stated,
    spoken: &Spoken,
    trail: &mut Trail,
    out: &mut Explanation,
) {
    if spoken.propositions.len() > 64 {
        return;
    }
    let text = spoken.text(spoken.formula);
    out.formula = Some(FormulaText { name: property.name.clone(), text, location: spoken.place.clone() });
    let Some(Letters { word, steps }) = letters(subject, spoken, trail) else { return };
    // What asks for more than states, such as a step that no other process can take, is not told by states.
    if word.satisfies(&spoken.formulas, spoken.formula) {
        return;
    }
    let shape = word.shape();
    for (i, text) in spoken.texts.iter().enumerate() {
        let holds = |at: usize| word.holds(AtomId(i as u32), at);
        let in_loop = (shape.cycle..shape.positions).map(holds);
        let often = match (in_loop.clone().any(|h| h), in_loop.clone().all(|h| h)) {
            (false, _) => Often::Never,
            (_, true) => Often::Always,
            _ => Often::Sometimes,
        };
        let in_loop = trail.loop_start.is_some().then_some(often);
        out.propositions.push(Proposition { text: text.clone(), at_start: holds(0), in_loop });
        for (at, before) in steps.iter().enumerate().skip(1) {
            if holds(at) != holds(at - 1)
                && let Some(step) = before.checked_sub(1).and_then(|s| trail.steps.get_mut(s))
            {
                step.events.push(Event::Becomes { proposition: text.clone(), holds: holds(at) });
            }
        }
    }
    let facts = explain(&spoken.formulas, spoken.formula, &word);
    let facts = facts.iter().filter(|f| f.reason != Reason::Known).take(FACTS_SHOWN);
    out.reasons = facts.map(|fact| because(spoken, fact, &steps)).collect();
}

/// A fact as a sentence. A literal is told as what its proposition is.
fn because(spoken: &Spoken, fact: &Fact, steps: &[usize]) -> Because {
    let place = |at: usize| match steps[at] {
        0 => "at the start".to_string(),
        step => format!("after step {step}"),
    };
    let part = spoken.text(fact.formula);
    let (verb, here) = (if fact.holds { "holds" } else { "fails" }, place(fact.position));
    let said = format!("`{part}` {verb} {here}");
    let text = match fact.reason {
        Reason::Given | Reason::Operands | Reason::Known => said,
        Reason::At(at) if at == fact.position => said,
        Reason::At(at) => format!("{said}, because of the state {}", place(at)),
        Reason::Never(g) => format!("{said}: `{}` never holds from there on", spoken.text(g)),
        Reason::Always(g) => format!("{said}: `{}` always holds from there on", spoken.text(g)),
    };
    Because { depth: fact.depth, part, holds: fact.holds, step: steps[fact.position], text }
}

/// Processes that could move in every state of the part that repeats, and do not.
fn passed_over<S: Subject + ?Sized>(subject: &S, trail: &Trail) -> Vec<Actor> {
    let Some(start) = trail.loop_start.filter(|start| *start < trail.steps.len()) else { return Vec::new() };
    let Ok(mut run) = Run::start(subject) else { return Vec::new() };
    let mut served = [false; NO_PROCESS as usize];
    let mut looked = false;
    for (i, (mv, input)) in system_moves(trail).iter().enumerate() {
        let moves = run.moves().list;
        if i >= start {
            if run.now().control == Control::Free {
                looked = true;
                let can = |p: u8| moves.iter().any(|m| m.process == p || m.partner == p);
                (0..NO_PROCESS).filter(|p| !can(*p)).for_each(|p| served[usize::from(p)] = true);
            }
            for p in [mv.process, mv.partner].into_iter().filter(|p| *p != NO_PROCESS) {
                served[usize::from(p)] = true;
            }
        }
        run.take(mv, *input);
    }
    let actors = run.standing().into_iter().map(|s| s.process);
    actors.filter(|a| looked && !served[usize::from(a.number)]).collect()
}

/// Options for a question beside a search: it reports no progress, and takes no longer than a small time.
pub(crate) fn beside(options: &Options, small: Duration) -> Options {
    let hooks = Hooks {
        interrupt: options.hooks.interrupt.clone(),
        deadline: Some(match options.hooks.deadline {
            Some(end) => end.min(Instant::now() + small),
            None => Instant::now() + small,
        }),
        meter: options.hooks.meter,
        ..Hooks::default()
    };
    let mut options = Options { self_check: None, probe: false, under: None, hooks, ..options.clone() };
    options.limits.time_max = Some(options.limits.time_max.map_or(small, |limit| limit.min(small)));
    options.telling.beside = Beside::Nothing;
    options
}

/// What becomes of a violation under weak fairness. A run without a process that was passed over is fair already.
fn fairness<S: Subject + ?Sized>(
    subject: &S,
    property: &Stated,
    task: &Task<'_>,
    passed_over: &[Actor],
    trail: &Trail,
    report: &PropertyReport,
) -> Option<Fairness> {
    let small = task.options.telling.beside.time(report.elapsed_s)?;
    // A run that is finite can be continued fairly, and one that was looked for under fairness is fair.
    let repeats = trail.loop_start.is_some_and(|start| start < trail.steps.len());
    if !repeats || task.options.fair || report.closure.is_some() {
        return None;
    }
    if passed_over.is_empty() {
        return Some(Fairness::Violated);
    }
    let options = Options { fair: true, emptiness: Default::default(), ..beside(task.options, small) };
    let answer = subject.answer(property, &Task { options: &options, storage: &Nowhere });
    Some(match answer.map(|a| a.report.verdict) {
        Ok(Verdict::Holds) => Fairness::Holds,
        Ok(Verdict::Violated) => Fairness::Violated,
        _ => Fairness::Unknown,
    })
}
