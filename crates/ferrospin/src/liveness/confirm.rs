//! A lasso is checked before it is told: the interpreter takes its moves, claim included, and judges the cycle anew.
//!
//! The cycle must close, pass an accepting state (or no progress state), and be fair where fairness was asked for. A
//! formula is evaluated on the word of the lasso straight from its definition, without any automaton, and must be false. A cycle
//! that never leaves an `atomic` is fair, and the letter before it is repeated for ever ([`hangs`]).

use ferrospin_interp::Interp;
use ferrospin_interp::failure_kind;
use ferrospin_lower::claim::Property;
use ferrospin_ltl::{AtomId, Lasso as Word};
use ferrospin_model::failure::FailureKind;
use ferrospin_model::ir::{Expr, Model};
use ferrospin_search::cycles::Lasso;
use ferrospin_search::emptiness::product::Goal;
use ferrospin_search::hangs;
use ferrospin_search::monitor::WithMonitor;
use ferrospin_system::{Control, Labels, Machine, Move, Moves, NO_EDGE, NO_PROCESS};
use std::sync::Arc;
use thiserror::Error;

/// Why a run is no violation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub(crate) enum NoViolation {
    #[error("{0}")]
    NoStart(FailureKind),
    #[error("a step of it cannot be taken")]
    Step,
    #[error("a step of it leads nowhere")]
    Nowhere,
    #[error("the run does not stop where it should")]
    GoesOn,
    #[error("its cycle does not come back to where it starts")]
    OpenCycle,
    #[error("no state of its cycle is accepting")]
    NotAccepting,
    #[error("its cycle makes progress")]
    Progress,
    #[error("its cycle is not fair")]
    NotFair,
    #[error("the formula holds on it")]
    Holds,
    #[error("its claim has seen nothing")]
    NothingSeen,
}

/// What a lasso must be.
pub(super) struct Claimed<'a> {
    /// The model with its claim.
    pub(super) model: &'a Arc<Model>,
    /// What kind of cycle it is.
    pub(super) goal: Goal,
    /// Whether it must be fair.
    pub(super) fair: bool,
    /// What must be false on it.
    pub(super) property: Option<&'a Property>,
    /// Whether a claim runs beside; without one the formula alone is judged.
    pub(super) has_claim: bool,
}

struct ClaimedRun<'a> {
    of: &'a Claimed<'a>,
    machine: WithMonitor<Interp>,
    state: Vec<u8>,
    control: Control,
    moves: Moves,
}

impl<'a> ClaimedRun<'a> {
    /// At the initial state.
    fn start(of: &'a Claimed<'a>) -> Result<Self, NoViolation> {
        let mut machine = WithMonitor::new(Interp::new(of.model.clone()));
        let mut state = Vec::new();
        machine.initial(&mut state).map_err(|f| NoViolation::NoStart(failure_kind(f.code)))?;
        let mut run = ClaimedRun { of, machine, state, control: Control::Free, moves: Moves::default() };
        run.look();
        Ok(run)
    }

    fn look(&mut self) {
        self.machine.moves(&self.state, self.control, &mut self.moves);
        if self.moves.list.is_empty() && matches!(self.control, Control::Exclusive(_)) {
            self.control = Control::Free;
            self.machine.moves(&self.state, self.control, &mut self.moves);
        }
    }

    /// Adds the letter of the present state to a word.
    fn read(&mut self, timeout: bool, word: &mut Vec<Vec<AtomId>>) {
        let Some(property) = self.of.property else { return };
        let mut letter = Vec::new();
        for (i, e) in property.atoms.iter().enumerate() {
            // One that cannot be evaluated would have ended the search before.
            if self.machine.system_mut().holds(&self.state, e, timeout) == Ok(true) {
                letter.push(AtomId(i as u32));
            }
        }
        word.push(letter);
    }

    /// Takes a move; before it, the letter that the claim reads with it is added to `word`.
    fn take(&mut self, mv: &Move, word: &mut Vec<Vec<AtomId>>) -> Result<(), NoViolation> {
        if !self.moves.list.contains(mv) {
            return Err(NoViolation::Step);
        }
        let read = if self.of.has_claim { mv.property != NO_EDGE } else { self.control == Control::Free };
        if read {
            // Where no process can move, the claim sees a timeout.
            self.read(mv.timeout || mv.process == NO_PROCESS, word);
        }
        let mut next = Vec::new();
        let step = self.machine.apply(&self.state, mv, &mut next);
        if !step.proceeds {
            return Err(NoViolation::Nowhere);
        }
        self.state = next;
        self.control = step.control;
        self.look();
        Ok(())
    }
}

/// What happens to the claim at the end of a path: it reaches its end, or cannot evaluate something.
pub(super) fn end_of(path: &[Move], model: &Arc<Model>) -> FailureKind {
    let mut machine = WithMonitor::new(Interp::new(model.clone()));
    let (mut state, mut next, mut moves) = (Vec::new(), Vec::new(), Moves::default());
    let mut control = Control::Free;
    if machine.initial(&mut state).is_ok() {
        for mv in path {
            let step = machine.apply(&state, mv, &mut next);
            // Only the last step may fail, behind the claim's.
            if !step.proceeds {
                return FailureKind::ClaimEnd;
            }
            control = step.control;
            std::mem::swap(&mut state, &mut next);
        }
        machine.moves(&state, control, &mut moves);
    }
    moves.failures.iter().find(|f| f.process == NO_PROCESS).map_or(FailureKind::ClaimEnd, |f| failure_kind(f.code))
}

/// Checks a lasso.
pub(super) fn confirm(lasso: &Lasso, of: &Claimed<'_>) -> Result<(), NoViolation> {
    let mut run = ClaimedRun::start(of)?;
    let mut word = Word { stem: Vec::new(), cycle: Vec::new() };
    // The last state outside every `atomic`.
    let mut outside = run.state.clone();
    for mv in &lasso.stem {
        if !matches!(run.control, Control::Exclusive(_)) {
            outside.clone_from(&run.state);
        }
        run.take(mv, &mut word.stem)?;
    }
    let start = (run.state.clone(), run.control);
    let (mut accepting, mut progress) = (false, false);
    let mut served = [false; 255];
    if lasso.cycle.is_empty() {
        if !run.moves.list.is_empty() {
            return Err(NoViolation::GoesOn);
        }
        accepting = run.machine.labels(&run.state, Labels::ACCEPT).has(Labels::ACCEPT);
        served = [true; 255];
        run.read(true, &mut word.cycle);
    }
    let leaves = lasso_leaves_atomic(of.model, &start, &lasso.cycle);
    if !leaves {
        served = [true; 255];
        if of.has_claim {
            accepting = hangs::accepts(&mut run.machine, &outside);
            word.cycle.extend(word.stem.last().cloned());
        }
    }
    for mv in &lasso.cycle {
        let labels = run.machine.labels(&run.state, Labels::ACCEPT | Labels::PROGRESS);
        accepting |= labels.has(Labels::ACCEPT) && (leaves || !of.has_claim);
        progress |= labels.has(Labels::PROGRESS);
        let able = std::mem::take(&mut run.moves.list);
        let mut asked = run.control == Control::Free && able.iter().any(|m| m.stutter || m.process != NO_PROCESS);
        if run.control == Control::Property {
            asked = able.iter().any(|m| m.process != NO_PROCESS);
        }
        if asked {
            let can = |p: u8| able.iter().any(|m| m.process == p || m.partner == p);
            (0..NO_PROCESS).filter(|p| !can(*p)).for_each(|p| served[usize::from(p)] = true);
        }
        for p in [mv.process, mv.partner] {
            if p != NO_PROCESS {
                served[usize::from(p)] = true;
            }
        }
        run.look();
        run.take(mv, &mut word.cycle)?;
    }
    if (run.state, run.control) != start {
        return Err(NoViolation::OpenCycle);
    }
    match of.goal {
        Goal::Accepting if of.property.is_some() && !of.has_claim => {}
        Goal::Accepting if !accepting => return Err(NoViolation::NotAccepting),
        Goal::NonProgress if progress => return Err(NoViolation::Progress),
        _ => {}
    }
    if of.fair && served.contains(&false) {
        return Err(NoViolation::NotFair);
    }
    if let Some(property) = of.property
        && !word.cycle.is_empty()
        && word.satisfies(&property.formulas, property.formula)
    {
        return Err(NoViolation::Holds);
    }
    Ok(())
}

/// Checks a run on which the formula fails whatever follows, up to the step with which its claim has seen enough: the formula must
/// be false when the last state is repeated for ever.
pub(super) fn confirm_prefix(stem: &[Move], of: &Claimed<'_>) -> Result<(), NoViolation> {
    let mut run = ClaimedRun::start(of)?;
    let mut letters = Vec::new();
    for (i, mv) in stem.iter().enumerate() {
        let seen = letters.len();
        let taken = run.take(mv, &mut letters);
        // The claim has seen the state before the last step, which may fail.
        if i + 1 < stem.len() || letters.len() == seen {
            taken?;
        }
    }
    let Some(last) = letters.last().cloned() else { return Err(NoViolation::NothingSeen) };
    let word = Word { stem: letters, cycle: vec![last] };
    match of.property {
        Some(property) if word.satisfies(&property.formulas, property.formula) => Err(NoViolation::Holds),
        _ => Ok(()),
    }
}

/// Checks a run of a model without claim on which the formula fails whatever follows its last state: it must be false when that is
/// repeated for ever.
pub(super) fn confirm_state(stem: &[Move], of: &Claimed<'_>) -> Result<(), NoViolation> {
    let mut run = ClaimedRun::start(of)?;
    let mut word = Word { stem: Vec::new(), cycle: Vec::new() };
    for mv in stem {
        run.take(mv, &mut word.stem)?;
    }
    run.read(false, &mut word.cycle);
    match of.property {
        Some(property) if word.satisfies(&property.formulas, property.formula) => Err(NoViolation::Holds),
        _ => Ok(()),
    }
}

/// Whether a cycle passes a state in which every process may move.
fn lasso_leaves_atomic(model: &Arc<Model>, start: &(Vec<u8>, Control), cycle: &[Move]) -> bool {
    let mut machine = WithMonitor::new(Interp::new(model.clone()));
    let (mut state, mut control) = start.clone();
    let mut next = Vec::new();
    for mv in cycle {
        if !matches!(control, Control::Exclusive(_)) {
            return true;
        }
        control = machine.apply(&state, mv, &mut next).control;
        std::mem::swap(&mut state, &mut next);
    }
    cycle.is_empty()
}

/// The word that a claim would read on a run of a model that has none: a letter before each step, none inside `atomic`. A
/// run that stops repeats its last letter.
pub(super) fn word(model: &Arc<Model>, lasso: &Lasso, atoms: &[Expr]) -> Word {
    let mut machine = WithMonitor::new(Interp::new(model.clone()));
    let mut state = Vec::new();
    machine.initial(&mut state).expect("a run has a first state");
    let (mut control, mut next) = (Control::Free, Vec::new());
    let mut moves = Moves::default();
    let letter = |machine: &mut WithMonitor<Interp>, state: &[u8]| -> Vec<AtomId> {
        let holds = (0..).zip(atoms).filter(|(_, e)| machine.system_mut().holds(state, e, false) == Ok(true));
        holds.map(|(i, _)| AtomId(i)).collect()
    };
    let mut read = |moves_of: &[Move], letters: &mut Vec<Vec<AtomId>>| {
        for mv in moves_of.iter().filter(|m| m.process != NO_PROCESS) {
            if let Control::Exclusive(_) = control {
                machine.moves(&state, control, &mut moves);
                // A process that is blocked inside its `atomic` loses control.
                if moves.list.is_empty() {
                    control = Control::Free;
                }
            }
            if control == Control::Free {
                letters.push(letter(&mut machine, &state));
            }
            control = machine.apply(&state, &Move { property: NO_EDGE, stutter: false, ..*mv }, &mut next).control;
            std::mem::swap(&mut state, &mut next);
        }
        letter(&mut machine, &state)
    };
    let mut word = Word { stem: Vec::new(), cycle: Vec::new() };
    read(&lasso.stem, &mut word.stem);
    let last = read(&lasso.cycle, &mut word.cycle);
    if word.cycle.is_empty() {
        word.cycle.push(last);
    }
    word
}
