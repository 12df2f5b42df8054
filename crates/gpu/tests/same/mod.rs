//! Searches a model with the emulator and compares with the interpreter.

pub(crate) mod formula;

use ferrospin_gpu::emulate::Emulator;
use ferrospin_gpu::table::Kind;
use ferrospin_gpu::{Ended, Failed, Fault, Memory, Options, Sizes, search};
use ferrospin_interp::Interp;
use ferrospin_model::ir::Model;
use ferrospin_search::naive;
use std::sync::Arc;

/// Blocks, threads, stage, stack, and everything else that is made small so that it runs over.
pub(crate) fn tiny(seed: u64) -> (u32, Options) {
    let pick = |of: &[u64], salt: u64| of[(seed.wrapping_mul(0x9e37_79b9).wrapping_add(salt) >> 3) as usize % of.len()];
    let sizes = Sizes {
        threads: pick(&[4, 8, 32], 1) as u32,
        stage: pick(&[2, 4, 8], 2) as u32,
        stack: pick(&[1, 2, 4], 3) as u32,
        blocks_min: 1,
        steps_max: 1 << 15,
        scattered: true,
    };
    let table = [
        None,
        None,
        Some(Kind::Direct64),
        Some(Kind::Quotient64),
        Some(Kind::Direct128),
        Some(Kind::Quotient32),
        Some(Kind::Arena),
    ][(seed % 7) as usize];
    let options = Options {
        errors_max: 0,
        sizes,
        table,
        memory: Some(Memory { slots: 64, queue: pick(&[16, 64, 4096], 4), bytes_max: 0, levels: 1 << 14 }),
        cycles: if seed.is_multiple_of(3) { 1 << 18 } else { u64::MAX },
        sample: (pick(&[20, 400, 4000], 5) as usize, 8),
        ..Options::default()
    };
    (1 + (seed % 3) as u32, options)
}

/// What came of a comparison.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Same {
    /// This many states.
    Yes(u64),
    /// The interpreter found too many.
    TooLarge,
    /// The model does not qualify.
    Unfit(String),
}

/// Searches a reduced graph: whether there is a violation must be the same, and there are no more states. Gives both numbers of states.
#[allow(dead_code)]
pub(crate) fn check_reduced(
    model: &Model,
    states_max: u64,
    (blocks, options): (u32, Options),
    seed: u64,
) -> Result<Option<(u64, u64)>, String> {
    let wanted = naive::Options { errors_max: 0, states_max, ..naive::Options::default() };
    let model = Arc::new(model.clone());
    let expected = naive::search(&mut Interp::new(model.clone()), &wanted, model.edges.len(), &mut |_| true);
    if expected.stopped.is_some() {
        return Ok(None);
    }
    let mut device = Emulator::new(seed, blocks, 1 << 30);
    let options = Options { reduce: true, table: None, ..options };
    let found = match search(&mut device, &model, &mut Interp::new(model.clone()), &options, &mut |_| true) {
        Err(Failed::Unfit(_) | Failed::TooLarge(_)) => return Ok(None),
        Err(why) => return Err(why.to_string()),
        Ok(found) => found,
    };
    if (found.errors > 0) != (expected.errors > 0) || found.states > expected.states {
        let theirs = (expected.states, expected.errors);
        return Err(format!("reduced {:?}, interpreter {theirs:?}", (found.states, found.errors)));
    }
    match &found.violation {
        Some(v) => confirm(&model, v)?,
        None if found.errors > 0 => return Err("there is no trail".into()),
        None => {}
    }
    Ok(found.figures.reduced.then_some((found.states, expected.states)))
}

/// Compares states, transitions, steps inside `atomic` and violations; all ways must be confirmed by the interpreter.
pub(crate) fn check(
    model: &Model,
    states_max: u64,
    (blocks, options): (u32, Options),
    seed: u64,
) -> Result<Same, String> {
    let edges = model.edges.len();
    let wanted = naive::Options { errors_max: 0, states_max, ..naive::Options::default() };
    let model = Arc::new(model.clone());
    let expected = naive::search(&mut Interp::new(model.clone()), &wanted, edges, &mut |_| true);
    if expected.stopped.is_some() {
        return Ok(Same::TooLarge);
    }
    let mut device = Emulator::new(seed, blocks, 1 << 30);
    let mut machine = Interp::new(model.clone());
    // A table that was asked for may be too small for the states; another one serves then.
    let fallback = Options { table: None, ..options.clone() };
    let found = match search(&mut device, &model, &mut machine, &options, &mut |_| true) {
        Err(Failed::TooLarge(_)) => search(&mut device, &model, &mut machine, &fallback, &mut |_| true),
        other => other,
    };
    let found = match found {
        Err(Failed::Unfit(reasons)) => return Ok(Same::Unfit(reasons[0].what.clone())),
        Err(Failed::TooLarge(why)) => return Ok(Same::Unfit(why.to_string())),
        Err(why) => return Err(why.to_string()),
        Ok(found) => found,
    };
    let ours = (found.states, found.matched, found.atomic_steps, found.errors, found.depth, found.ended);
    let theirs =
        (expected.states, expected.matched, expected.atomic_steps, expected.errors, expected.depth, Ended::Complete);
    if ours != theirs {
        return Err(format!("device {ours:?}, interpreter {theirs:?}, {:?}", found.figures));
    }
    let first = expected.violations.first();
    match (&found.violation, first) {
        (None, None) => {}
        (Some(v), Some(_)) => confirm(&model, v)?,
        (ours, theirs) => return Err(format!("device {ours:?}, interpreter {theirs:?}")),
    }
    Ok(Same::Yes(found.states))
}

/// Runs a counterexample.
pub(crate) fn confirm(model: &Arc<Model>, v: &ferrospin_gpu::Violation) -> Result<(), String> {
    use ferrospin_system::{Control, Labels, Machine, Moves};
    let mut machine = Interp::new(model.clone());
    let (mut state, mut next, mut moves) = (Vec::new(), Vec::new(), Moves::default());
    machine.initial(&mut state).map_err(|f| ferrospin_interp::failure_kind(f.code).to_string())?;
    let (mut control, mut last) = (Control::Free, None);
    for (i, mv) in v.trail.iter().enumerate() {
        machine.moves(&state, control, &mut moves);
        if moves.list.is_empty() {
            machine.moves(&state, Control::Free, &mut moves);
        }
        if !moves.list.contains(mv) {
            return Err(format!("step {i} of {v:?} cannot be taken"));
        }
        let step = machine.apply(&state, mv, &mut next);
        (control, last) = (step.control, step.failure);
        std::mem::swap(&mut state, &mut next);
        if !step.proceeds && i + 1 < v.trail.len() {
            return Err(format!("step {i} of {v:?} fails"));
        }
    }
    machine.moves(&state, control, &mut moves);
    // A process that cannot go on inside `atomic` lets others move.
    if moves.list.is_empty() && moves.failures.is_empty() {
        machine.moves(&state, Control::Free, &mut moves);
    }
    match &v.fault {
        Fault::Failure(f) if last == Some(*f) || moves.failures.contains(f) => Ok(()),
        Fault::EndState if moves.list.is_empty() && !machine.labels(&state, Labels::END).has(Labels::END) => Ok(()),
        _ => Err(format!("{v:?} does not end so")),
    }
}
