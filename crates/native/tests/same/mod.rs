//! Walks a state space with the interpreter and asks the compiled model the same questions.

use ferrospin_interp::Interp;
use ferrospin_model::ir::{Action, LocationId, Model, ProcessId, ProcessKind};
use ferrospin_model::passes::optimize;
use ferrospin_native::{Effort, Native};
use ferrospin_search::monitor::WithMonitor;
use ferrospin_system::{Arrival, AtomicExits, Batch, Control, Labels, Machine, Moves, NO_EDGE, StateRun};
use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

/// Compares the two executors on the states that are reached first, those inside `atomic` included: the initial state,
/// the moves and failures under every control met, the results of every move, and the marks. Says where they differ;
/// otherwise how many states were compared.
pub(crate) fn check_same(model: Arc<Model>, states_max: usize, effort: Effort) -> Result<usize, String> {
    let mut native = WithMonitor::new(Native::compile_with(&model, effort).map_err(|e| e.to_string())?);
    let mut interp = WithMonitor::new(Interp::new(model));
    let (mut first, mut ours) = (Vec::new(), Vec::new());
    let (theirs_start, ours_start) = (interp.initial(&mut first), native.initial(&mut ours));
    if theirs_start != ours_start {
        return Err(format!("initial: interpreter {theirs_start:?}, native {ours_start:?}"));
    }
    if theirs_start.is_err() {
        return Ok(0);
    }
    if first != ours {
        return Err(format!("initial state: interpreter {first:?}, native {ours:?}"));
    }
    let mut seen: HashSet<(Vec<u8>, Control)> = HashSet::from([(first.clone(), Control::Free)]);
    let mut queue = VecDeque::from([(first, Control::Free)]);
    let (mut expected, mut found) = (Moves::default(), Moves::default());
    let mut next = Vec::new();
    let mut batch = Batch::default();
    while let Some((state, control)) = queue.pop_front() {
        let asked = Labels(u64::MAX);
        let (theirs, labels) = (interp.labels(&state, asked), native.labels(&state, asked));
        if theirs != labels {
            return Err(format!("labels of {state:?}: interpreter {theirs:?}, native {labels:?}"));
        }
        if control == Control::Free {
            check_expansion(&mut interp, &mut native, &state, &mut batch)?;
        } else {
            check_straight(&mut interp, &mut native, &state, control)?;
            check_ways(&mut interp, &mut native, &state, control)?;
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
    Ok(seen.len())
}

/// Compares a run inside an `atomic` where there is no choice with its steps, one by one.
fn check_straight(
    interp: &mut WithMonitor<Interp>,
    native: &mut WithMonitor<Native>,
    state: &[u8],
    control: Control,
) -> Result<(), String> {
    let (mut path, mut end) = (Vec::new(), state.to_vec());
    let to = native.run_on(&mut end, control, &mut path);
    let (mut at, mut who, mut next, mut moves) = (state.to_vec(), control, Vec::new(), Moves::default());
    for mv in &path {
        interp.moves(&at, who, &mut moves);
        let step = interp.apply(&at, mv, &mut next);
        if moves.list != [*mv] || !moves.failures.is_empty() || step.failure.is_some() || !step.proceeds {
            return Err(format!("{mv:?} is not the only way on from {at:?} on the way from {state:?}"));
        }
        std::mem::swap(&mut at, &mut next);
        who = step.control;
    }
    if at != end || who != to {
        return Err(format!(
            "straight on from {state:?} by {path:?}: interpreter {at:?} {who:?}, native {end:?} {to:?}"
        ));
    }
    Ok(())
}

/// Where all ways from a state inside an `atomic` lead, step by step, with the edges they take and the states they pass; false
/// when something on the way is out of the ordinary.
fn lead_out(
    interp: &mut WithMonitor<Interp>,
    state: &[u8],
    control: Control,
    depth: usize,
    out: &mut Vec<Vec<u8>>,
    ways: &mut AtomicExits,
) -> bool {
    if control == Control::Free {
        out.push(state.to_vec());
        return true;
    }
    let (mut moves, mut next) = (Moves::default(), Vec::new());
    interp.moves(state, control, &mut moves);
    ways.inner_steps += 1;
    if moves.list.is_empty() {
        out.push(state.to_vec());
    }
    let is_ordinary = moves.failures.is_empty() && depth < 300 && out.len() < 5000;
    is_ordinary
        && moves.list.iter().all(|mv| {
            let step = interp.apply(state, mv, &mut next);
            let is_ordinary = step.failure.is_none() && step.proceeds && next.len() == state.len();
            ways.edges.push(mv.edge);
            is_ordinary && lead_out(interp, &next.clone(), step.control, depth + 1, out, ways)
        })
}

/// Compares all ways through an `atomic` with the same thing done step by step.
fn check_ways(
    interp: &mut WithMonitor<Interp>,
    native: &mut WithMonitor<Native>,
    state: &[u8],
    control: Control,
) -> Result<(), String> {
    let (mut bytes, mut ways) = (vec![7; 3], AtomicExits::default());
    if !native.walk(state, control, &mut bytes, &mut ways) {
        return if bytes == [7; 3] { Ok(()) } else { Err(format!("no ways from {state:?}, but something is left")) };
    }
    let ours: Vec<_> = bytes[3..].chunks(ways.stride).map(|end| end[..state.len()].to_vec()).collect();
    let (mut theirs, mut steps) = (Vec::new(), AtomicExits::default());
    let is_ordinary = lead_out(interp, state, control, 0, &mut theirs, &mut steps);
    let is_counted = ways.count as usize == ours.len();
    if !is_ordinary || !is_counted || ours != theirs {
        return Err(format!("ways from {state:?} {control:?}:\ninterpreter {theirs:?}\nnative      {ours:?} {ways:?}"));
    }
    if (ways.inner_steps, &ways.edges) != (steps.inner_steps, &steps.edges) {
        return Err(format!("ways from {state:?} {control:?}: {ways:?}, not {steps:?}"));
    }
    Ok(())
}

/// A successor as a run with [`StateRun::runs_on`] may give it: where a process is in control it goes on as long as it has one
/// move and nothing fails. Adds the edges it takes and the states it passes to `run`; `None` when it has a choice.
fn led_out(interp: &mut WithMonitor<Interp>, state: &[u8], control: Control, run: &mut StateRun) -> Option<Vec<u8>> {
    let (mut at, mut next, mut moves, mut who) = (state.to_vec(), Vec::new(), Moves::default(), control);
    for _ in 0..1000 {
        if who == Control::Free {
            return Some(at);
        }
        interp.moves(&at, who, &mut moves);
        run.inner_steps += 1;
        let mv = match moves.list[..] {
            _ if !moves.failures.is_empty() => return None,
            [] => return Some(at),
            [mv] => mv,
            _ => return None,
        };
        let step = interp.apply(&at, &mv, &mut next);
        if step.failure.is_some() || !step.proceeds {
            return None;
        }
        run.further.push(mv.edge);
        std::mem::swap(&mut at, &mut next);
        who = step.control;
    }
    None
}

/// Compares a state in whose successors processes have gone on with the same thing done step by step.
fn check_running_on(
    interp: &mut WithMonitor<Interp>,
    native: &mut WithMonitor<Native>,
    state: &[u8],
) -> Result<(), String> {
    let (mut expected, mut theirs, mut ours) = (Moves::default(), Batch::default(), Batch::default());
    interp.expand(state, &mut expected, &mut theirs);
    let (mut run, mut again) = (StateRun { runs_on: true, takes_ends: true, ..StateRun::default() }, Moves::default());
    let more = native.expand_run(state, state.len(), &mut run, &mut again, &mut ours);
    if !more && run.ends.is_empty() {
        return Ok(());
    }
    let is_listed = run.ends.is_empty();
    let (moves, count) = if is_listed { (&again.list, ours.arrivals.len()) } else { (&run.moves, run.moves.len()) };
    if *moves != expected.list || count != theirs.arrivals.len() {
        return Err(format!("moves of {state:?} differ where processes go on: {run:?} {again:?}"));
    }
    let mut sum = StateRun::default();
    for (i, a) in theirs.arrivals.iter().enumerate() {
        let (there, control) = match ours.arrivals.get(i) {
            Some(b) if is_listed => (ours.state(b), b.control),
            _ => {
                let ended = run.ended.iter().find(|(index, _)| *index as usize == i);
                let len = ended.map_or(state.len(), |(_, len)| *len as usize);
                (&ours.bytes[i * run.stride..][..len], Control::Free)
            }
        };
        let mv = expected.list[a.top as usize];
        let led = led_out(interp, theirs.state(a), a.control, &mut StateRun::default());
        let stays = control == a.control && there == theirs.state(a);
        if !(stays || control == Control::Free && led.as_deref() == Some(there)) {
            return Err(format!("{mv:?} of {state:?} leads to {there:?} {control:?} where processes go on"));
        }
        if !is_listed {
            sum.further.extend(Some(mv.partner_edge).filter(|e| *e != NO_EDGE));
            led_out(interp, theirs.state(a), a.control, &mut sum);
        }
    }
    run.further.sort_unstable();
    sum.further.sort_unstable();
    if !is_listed && (run.further != sum.further || run.inner_steps != sum.inner_steps) {
        return Err(format!("edges taken from {state:?} where processes go on: {run:?}, not {sum:?}"));
    }
    Ok(())
}

/// Compares what both find and take in one go, with an executor that has last seen some other state.
fn check_expansion(
    interp: &mut WithMonitor<Interp>,
    native: &mut WithMonitor<Native>,
    state: &[u8],
    batch: &mut Batch,
) -> Result<(), String> {
    let (mut expected, mut found, mut theirs) = (Moves::default(), Moves::default(), Batch::default());
    interp.expand(state, &mut expected, &mut theirs);
    let (first, failed) = (batch.arrivals.len(), batch.failures.len());
    native.expand(state, &mut found, batch);
    if expected.list != found.list || expected.failures != found.failures {
        return Err(format!("moves of {state:?} in one go:\ninterpreter {expected:?}\nnative {found:?}"));
    }
    if theirs.failures != batch.failures[failed..] {
        let ours = &batch.failures[failed..];
        return Err(format!("failures of {state:?}: interpreter {:?}, native {ours:?}", theirs.failures));
    }
    let ours = &batch.arrivals[first..];
    let same =
        |(a, b): (&Arrival, &Arrival)| a.top == b.top && a.control == b.control && theirs.state(a) == batch.state(b);
    if theirs.arrivals.len() != ours.len() || !theirs.arrivals.iter().zip(ours).all(same) {
        let show = |b: &Batch, list: &[Arrival]| -> Vec<_> {
            list.iter().map(|a| (a.top, a.control, b.state(a).to_vec())).collect()
        };
        let (theirs, ours) = (show(&theirs, &theirs.arrivals), show(batch, ours));
        return Err(format!("successors of {state:?}:\ninterpreter {theirs:?}\nnative      {ours:?}"));
    }
    // Where nothing is out of the ordinary the lists may be left alone.
    let (first, arrivals) = (batch.bytes.len(), batch.arrivals.len());
    let (mut run, mut again) = (StateRun::default(), Moves::default());
    let more = native.expand_run(&[state, state].concat(), state.len(), &mut run, &mut again, batch);
    if !run.ends.is_empty() {
        let ordinary = theirs.failures.is_empty() && expected.failures.is_empty() && !expected.list.is_empty();
        if !ordinary || more || theirs.arrivals.iter().any(|a| a.control != Control::Free) {
            return Err(format!("{state:?} was taken for an ordinary state"));
        }
        let moves = expected.list.len();
        let ends: Vec<u32> = (1..=run.ends.len()).map(|i| (i * moves) as u32).collect();
        if run.moves != expected.list.repeat(run.ends.len()) || run.ends != ends {
            return Err(format!("moves of {state:?} differ in a run: {run:?}"));
        }
        let even: Vec<_> = batch.bytes[first..].chunks(run.stride).map(|s| &s[..state.len()]).collect();
        let theirs: Vec<_> = theirs.arrivals.iter().map(|a| theirs.state(a)).collect();
        if even != theirs.repeat(run.ends.len()) {
            return Err(format!("successors of {state:?} differ when they are not listed"));
        }
    } else if more {
        let ours = &batch.arrivals[arrivals..];
        let same = |(a, b): (&Arrival, &Arrival)| {
            a.top == b.top && a.control == b.control && theirs.state(a) == batch.state(b)
        };
        if again.list != expected.list
            || !theirs.arrivals.iter().zip(ours).all(same)
            || ours.len() != theirs.arrivals.len()
        {
            return Err(format!("{state:?} differs when it ends a run"));
        }
    }
    check_running_on(interp, native, state)?;
    // What was taken before is still there.
    if batch.arrivals.len() > 20 {
        batch.clear();
    }
    Ok(())
}

/// Compares a model alone, beside each of its never claims, optimised, and with more statements merged than is sound.
pub(crate) fn check_all(model: &Model, states_max: usize) -> Result<usize, String> {
    let states = check_same(Arc::new(model.clone()), states_max, Effort::Thorough)?;
    for (i, p) in model.processes.iter().enumerate() {
        if p.kind == ProcessKind::Never {
            let beside = Arc::new(model.with_claim(ProcessId(i as u32)));
            check_same(beside, states_max, Effort::Thorough).map_err(|e| format!("beside claim {}: {e}", p.name))?;
        }
    }
    let optimized = Arc::new(optimize(model).model);
    check_same(optimized, states_max, Effort::Thorough).map_err(|e| format!("optimised: {e}"))?;
    let merged = Arc::new(merged(model));
    check_same(merged, states_max, Effort::Quick).map_err(|e| format!("merged: {e}"))?;
    Ok(states)
}

/// The model with each assignment or assertion that stands alone at its location done together with the edge that
/// leads there: more than any pass would merge, so that [`ferrospin_model::ir::Edge::then`] is tried everywhere.
fn merged(model: &Model) -> Model {
    let mut merged = model.clone();
    for edge in &mut merged.edges {
        let handshake = matches!(edge.action, Action::Send { .. } | Action::Receive(_) | Action::End);
        if handshake || edge.to == LocationId::EXIT {
            continue;
        }
        let [next] = model.location(edge.to).edges[..] else { continue };
        let next = model.edge(next);
        if matches!(next.action, Action::Assign(..) | Action::Assert(_) | Action::Run { .. }) {
            edge.then.push(next.action.clone());
            edge.to = next.to;
        }
    }
    merged
}
