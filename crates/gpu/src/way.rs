//! From packed states back to moves: what a device finds is a list of states, and people want steps.

use crate::layout::Layout;
use ferrospin_system::{Control, Failure, Machine, Move, Moves};

/// States inside `atomic` that are looked at on the way from one state to the next.
const STEPS_MAX: usize = 1 << 20;

/// The moves from a state to one that packs to `want`, which is a successor of it, through `atomic` if need be.
pub(crate) fn to(
    layout: &Layout<'_>,
    machine: &mut dyn Machine,
    state: &[u8],
    want: &[u32],
) -> Option<(Vec<Move>, Vec<u8>)> {
    walk(machine, state, &mut |_, next| {
        let fits = next.is_some_and(|s| layout.pack(s).is_ok_and(|p| p == want));
        fits.then(|| next.expect("it fits").to_vec())
    })
}

/// The first failure in a step from a state that `counts`, with the moves up to it; no failure where no process can move.
pub(crate) fn failure(
    machine: &mut dyn Machine,
    state: &[u8],
    counts: &dyn Fn(&Failure) -> bool,
) -> Option<(Vec<Move>, Option<Failure>)> {
    let mut moves = Moves::default();
    machine.moves(state, Control::Free, &mut moves);
    if moves.list.is_empty() && !moves.failures.iter().any(counts) {
        return Some((Vec::new(), None));
    }
    walk(machine, state, &mut |failures, _| failures.iter().find(|f| counts(f)).copied()).map(|(p, f)| (p, Some(f)))
}

/// What is asked of failures met and of a stored state reached.
type Question<'a, T> = dyn FnMut(&[Failure], Option<&[u8]>) -> Option<T> + 'a;

/// Takes all moves from a state, through `atomic`, depth first, until `ask` has an answer to the failures met in a place and
/// the stored state reached there.
fn walk<T>(machine: &mut dyn Machine, state: &[u8], ask: &mut Question<'_, T>) -> Option<(Vec<Move>, T)> {
    let mut moves = Moves::default();
    let mut stack = vec![(state.to_vec(), Control::Free, Vec::new())];
    for _ in 0..STEPS_MAX {
        let (state, control, path) = stack.pop()?;
        machine.moves(&state, control, &mut moves);
        if let Some(answer) = ask(&moves.failures, None) {
            return Some((path, answer));
        }
        if moves.list.is_empty() && control != Control::Free {
            if let Some(answer) = ask(&[], Some(&state)) {
                return Some((path, answer));
            }
            continue;
        }
        let mut further = Vec::new();
        for mv in &moves.list {
            let mut next = Vec::new();
            let step = machine.apply(&state, mv, &mut next);
            let mut there = path.clone();
            there.push(*mv);
            if let Some(f) = step.failure
                && let Some(answer) = ask(&[f], None)
            {
                return Some((there, answer));
            }
            match step.control {
                _ if !step.proceeds => {}
                Control::Free => {
                    if let Some(answer) = ask(&[], Some(&next)) {
                        return Some((there, answer));
                    }
                }
                control => further.push((next, control, there)),
            }
        }
        stack.extend(further.into_iter().rev());
    }
    None
}
