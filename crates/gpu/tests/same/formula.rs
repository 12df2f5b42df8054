//! Searches a model for violations of a formula and compares with the naive search over the product.

use ferrospin_gpu::emulate::Emulator;
use ferrospin_gpu::{Automaton, Failed, Fault, Options, Violation, search};
use ferrospin_interp::Interp;
use ferrospin_lower::claim::{self, Property};
use ferrospin_ltl::{AtomId, Lasso as Word};
use ferrospin_model::ir::Model;
use ferrospin_search::cycles::{self, Wanted};
use ferrospin_search::monitor::WithMonitor;
use ferrospin_source::SourceMap;
use ferrospin_system::{Control, Machine, Moves};
use ferrospin_testkit::FolderLoader;
use std::sync::Arc;

/// What came of a comparison.
#[derive(Debug, PartialEq, Eq)]
#[allow(dead_code)]
pub(crate) enum Judged {
    Holds,
    /// The formula fails whatever follows a state.
    Prefix,
    Cycle,
    /// Too large, or not for the device.
    Left,
}

/// The model of a text, without its first formula, and that.
pub(crate) fn read(text: &str) -> Option<(Model, Property)> {
    let mut map = SourceMap::new();
    let file = map.add_file("random.pml", text);
    let options = ferrospin_promela::preprocess::Options { defines: Vec::new(), include_dirs: Vec::new() };
    let reading = ferrospin_promela::read(&mut map, file, &options, &mut FolderLoader);
    if reading.diagnostics.has_errors() {
        return None;
    }
    let (lowered, said) = ferrospin_lower::lower_all(&map, &reading.program, &reading.names);
    if said.has_errors() { None } else { Some((lowered.model, lowered.properties.into_iter().next()?)) }
}

/// Compares verdicts; a violation must be one.
#[allow(dead_code)]
pub(crate) fn check(
    text: &str,
    states_max: u64,
    (blocks, options): (u32, Options),
    seed: u64,
) -> Result<Judged, String> {
    let Some((model, property)) = read(text) else { return Ok(Judged::Left) };
    let Ok((with, claim)) = claim::add(&model, &property) else { return Ok(Judged::Left) };
    let Ok(automaton) = Automaton::of(&with, claim) else { return Ok(Judged::Left) };
    let product = Arc::new(with.with_claim(claim));
    let how = cycles::Options { fair: false, has_property: true };
    let oracle = cycles::search(&mut WithMonitor::new(Interp::new(product)), Wanted::Accepting, how, &mut |o| {
        o.states < states_max
    });
    if !oracle.complete {
        return Ok(Judged::Left);
    }
    let with = Arc::new(with);
    let mut device = Emulator::new(seed, blocks, 1 << 30);
    let options = Options { automaton: Some(automaton), errors_max: 1, ..options };
    let mut machine = Interp::new(with.clone());
    let mut found = search(&mut device, &with, &mut machine, &options, &mut |_| true);
    if let Err(Failed::TooLarge(_)) = found {
        let options = Options { table: None, ..options };
        found = search(&mut device, &with, &mut machine, &options, &mut |_| true);
    }
    let found = match found {
        Err(Failed::Unfit(_) | Failed::TooLarge(_)) => return Ok(Judged::Left),
        Err(why) => return Err(why.to_string()),
        Ok(found) => found,
    };
    match (&found.violation, oracle.lasso.is_some()) {
        (None, false) => Ok(Judged::Holds),
        (Some(v), true) => confirm(&with, &property, v),
        (ours, theirs) => Err(format!("device {ours:?}, a lasso is there: {theirs}; {:?}", found.figures)),
    }
}

/// Runs a counterexample, and evaluates the formula on its word from the definition.
#[allow(dead_code)]
pub(crate) fn confirm(model: &Arc<Model>, property: &Property, v: &Violation) -> Result<Judged, String> {
    let mut machine = Interp::new(model.clone());
    let (mut state, mut next, mut moves) = (Vec::new(), Vec::new(), Moves::default());
    machine.initial(&mut state).map_err(|f| ferrospin_interp::failure_kind(f.code).to_string())?;
    let mut word = Word { stem: Vec::new(), cycle: Vec::new() };
    let letter = |machine: &mut Interp, state: &[u8]| -> Vec<AtomId> {
        let all = (0..).zip(&property.atoms);
        all.filter(|(_, e)| machine.holds(state, e, false) == Ok(true)).map(|(i, _)| AtomId(i)).collect()
    };
    let mut control = Control::Free;
    let cycle: &[_] = if let Fault::Cycle(moves) = &v.fault { moves } else { &[] };
    let mut start = (Vec::new(), control);
    for (i, mv) in v.trail.iter().chain(cycle).enumerate() {
        machine.moves(&state, control, &mut moves);
        if moves.list.is_empty() {
            control = Control::Free;
            machine.moves(&state, control, &mut moves);
        }
        if i == v.trail.len() {
            start = (state.clone(), control);
        }
        if !moves.list.contains(mv) {
            return Err(format!("step {i} of {v:?} cannot be taken"));
        }
        if control == Control::Free {
            let letters = if i < v.trail.len() { &mut word.stem } else { &mut word.cycle };
            letters.push(letter(&mut machine, &state));
        }
        control = machine.apply(&state, mv, &mut next).control;
        std::mem::swap(&mut state, &mut next);
    }
    machine.moves(&state, control, &mut moves);
    if moves.list.is_empty() {
        control = Control::Free;
        machine.moves(&state, control, &mut moves);
    }
    match &v.fault {
        Fault::Cycle(cycle) if cycle.is_empty() && !moves.list.is_empty() => return Err("the run goes on".into()),
        Fault::Cycle(cycle) if !cycle.is_empty() && (state.clone(), control) != start => {
            return Err(format!("{v:?} does not come back"));
        }
        Fault::Cycle(_) | Fault::Formula => {}
        fault => return Err(format!("{fault:?} is no violation of a formula")),
    }
    if cycle.is_empty() {
        word.cycle.push(letter(&mut machine, &state));
    }
    if word.satisfies(&property.formulas, property.formula) {
        return Err(format!("the formula holds on {v:?}"));
    }
    Ok(if matches!(v.fault, Fault::Formula) { Judged::Prefix } else { Judged::Cycle })
}
