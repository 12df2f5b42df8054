//! Walks a state space with the interpreter and asks the compiled model the same questions.

use ferrospin_interp::Interp;
use ferrospin_model::ir::{Model, ProcessId, ProcessKind};
use ferrospin_native::Native;
use ferrospin_system::{Control, Machine, Moves};
use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

/// Compares the two executors on the states that are reached first, those inside `atomic` included: the initial state,
/// the moves and failures under every control met, the results of every move, and the marks. Says where they differ.
pub(crate) fn check_same(model: Arc<Model>, states_max: usize) -> Result<(), String> {
    let mut native = Native::compile(&model).map_err(|e| e.to_string())?;
    let mut interp = Interp::new(model);
    let (mut first, mut ours) = (Vec::new(), Vec::new());
    let (theirs_start, ours_start) = (interp.initial(&mut first), native.initial(&mut ours));
    if theirs_start != ours_start {
        return Err(format!("initial: interpreter {theirs_start:?}, native {ours_start:?}"));
    }
    if theirs_start.is_err() {
        return Ok(());
    }
    if first != ours {
        return Err(format!("initial state: interpreter {first:?}, native {ours:?}"));
    }
    let mut seen: HashSet<(Vec<u8>, Control)> = HashSet::from([(first.clone(), Control::Free)]);
    let mut queue = VecDeque::from([(first, Control::Free)]);
    let (mut expected, mut found) = (Moves::default(), Moves::default());
    let mut next = Vec::new();
    while let Some((state, control)) = queue.pop_front() {
        if interp.marks(&state) != native.marks(&state) {
            return Err(format!(
                "marks of {state:?}: interpreter {:?}, native {:?}",
                interp.marks(&state),
                native.marks(&state)
            ));
        }
        interp.moves(&state, control, &mut expected);
        native.moves(&state, control, &mut found);
        if expected.list != found.list || expected.failures != found.failures {
            return Err(format!("moves of {state:?} under {control:?}:\ninterpreter {expected:?}\nnative {found:?}"));
        }
        // A process that is blocked inside its `atomic` loses control.
        if expected.list.is_empty() && control != Control::Free && seen.insert((state.clone(), Control::Free)) {
            queue.push_back((state.clone(), Control::Free));
        }
        for mv in &expected.list {
            let step = interp.apply(&state, mv, &mut next);
            let other = native.apply(&state, mv, &mut ours);
            if step != other {
                return Err(format!("step {mv:?} of {state:?}: interpreter {step:?}, native {other:?}"));
            }
            if !step.proceeds {
                continue;
            }
            if next != ours {
                return Err(format!("{mv:?} of {state:?}:\ninterpreter {next:?}\nnative      {ours:?}"));
            }
            if seen.len() < states_max && seen.insert((next.clone(), step.control)) {
                queue.push_back((next.clone(), step.control));
            }
        }
    }
    if std::env::var_os("NATIVE_SHOW").is_some() {
        eprintln!("{} states compared", seen.len());
    }
    Ok(())
}

/// Compares without a claim and beside each never claim of the model.
pub(crate) fn check_with_claims(model: &Model, states_max: usize) -> Result<(), String> {
    check_same(Arc::new(model.clone()), states_max)?;
    for (i, p) in model.processes.iter().enumerate() {
        if p.kind == ProcessKind::Never {
            let beside = model.with_claim(ProcessId(i as u32));
            check_same(Arc::new(beside), states_max).map_err(|e| format!("beside claim {}: {e}", p.name))?;
        }
    }
    Ok(())
}
