//! A word that an automaton accepts, and words that tell formulas apart.

use crate::automaton::{Automaton, StateId};
use crate::label::{Cube, Labels};
use crate::lasso::Lasso;
use crate::product::product;
use crate::scc::Components;
use crate::translate::{Target, TranslateError, translate};
use crate::{Formula, Formulas};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// States of a product that is searched for a word.
const PRODUCT_MAX: usize = 1_000_000;

/// A run: edges, each as its source and its index among the edges of the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AcceptingRun {
    /// Edges before the cycle.
    pub stem: Vec<(StateId, usize)>,
    /// Edges of the cycle, which sees all marks.
    pub cycle: Vec<(StateId, usize)>,
}

/// An accepting run with a shortest stem to its component, if the automaton accepts anything.
pub fn accepting_run(a: &Automaton) -> Option<AcceptingRun> {
    let components = Components::new(a);
    let accepting = |s: StateId| components.accepting(components.component(s));
    let (stem, entry) = shortest(a, a.initial, |_| true, |_, _, _| false, accepting)?;
    let c = components.component(entry);
    let inside = |s: StateId| components.of[s.0 as usize] as usize == c;
    let (mut cycle, mut at, mut missing) = (Vec::new(), entry, a.all_marks());
    while missing != 0 {
        let seen = |_: StateId, e: &crate::Edge, _: usize| e.marks & missing != 0;
        let (path, end) = shortest(a, at, inside, seen, |_| false).expect("the component carries all marks");
        missing = path.iter().fold(missing, |m, &(s, i)| m & !a.out(s)[i].marks);
        cycle.extend(path);
        at = end;
    }
    if at != entry || cycle.is_empty() {
        let home = |_: StateId, e: &crate::Edge, _: usize| e.target == entry;
        cycle.extend(shortest(a, at, inside, home, |_| false).expect("the component is strongly connected").0);
    }
    Some(AcceptingRun { stem, cycle })
}

/// A shortest path whose last edge satisfies `edge`, or that ends in a state that satisfies `state`; and its end.
fn shortest(
    a: &Automaton,
    from: StateId,
    allowed: impl Fn(StateId) -> bool,
    edge: impl Fn(StateId, &crate::Edge, usize) -> bool,
    state: impl Fn(StateId) -> bool,
) -> Option<(Vec<(StateId, usize)>, StateId)> {
    let mut parent: FxHashMap<StateId, (StateId, usize)> = FxHashMap::default();
    let mut queue = VecDeque::from([from]);
    let path = |parent: &FxHashMap<StateId, (StateId, usize)>, mut at: StateId, last: Option<(StateId, usize)>| {
        let mut path: Vec<(StateId, usize)> = last.into_iter().collect();
        while at != from {
            let step = parent[&at];
            path.push(step);
            at = step.0;
        }
        path.reverse();
        path
    };
    while let Some(s) = queue.pop_front() {
        if state(s) {
            return Some((path(&parent, s, None), s));
        }
        for (i, e) in a.out(s).iter().enumerate().filter(|(_, e)| allowed(e.target)) {
            if edge(s, e, i) {
                return Some((path(&parent, s, Some((s, i))), e.target));
            }
            if e.target != from && !parent.contains_key(&e.target) {
                parent.insert(e.target, (s, i));
                queue.push_back(e.target);
            }
        }
    }
    None
}

/// The word that a run reads: on each edge some letter of its label, propositions that do not matter being false.
pub fn word(a: &Automaton, run: &AcceptingRun, labels: &Labels) -> Lasso {
    let letter = |&(s, i): &(StateId, usize)| {
        let cube: Cube = labels.pick(a.out(s)[i].label).expect("labels of edges are not empty");
        cube.into_iter().filter(|l| l.1).map(|l| l.0).collect()
    };
    Lasso { stem: run.stem.iter().map(letter).collect(), cycle: run.cycle.iter().map(letter).collect() }
}

/// A word on which exactly one of two formulas holds, or `None` if they are equivalent.
pub fn distinguish(
    formulas: &mut Formulas,
    f: Formula,
    g: Formula,
    labels: &mut Labels,
) -> Result<Option<Lasso>, TranslateError> {
    for (f, g) in [(f, g), (g, f)] {
        let not_g = formulas.not(g);
        let a = translate(formulas, f, Target::Generalised, labels)?;
        let b = translate(formulas, not_g, Target::Generalised, labels)?;
        if a.mark_count + b.mark_count > 64 {
            return Err(TranslateError::TooManyPromises);
        }
        let both = product(&a, &b, labels, PRODUCT_MAX).ok_or(TranslateError::TooManyStates(PRODUCT_MAX))?;
        if let Some(run) = accepting_run(&both) {
            return Ok(Some(word(&both, &run, labels)));
        }
    }
    Ok(None)
}
