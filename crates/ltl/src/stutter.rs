//! Does a formula notice when a letter is repeated?
//!
//! A formula without `X` does not. With `X` the question is decided by the closure of Michaud and Duret-Lutz (2015):
//! where two edges in a row can read the same letter, a shortcut that reads it once is added, with the marks of both,
//! until nothing new appears. The closed automaton accepts every word of the language with repetitions removed, so the
//! formula is insensitive to stuttering if and only if the closure of either side meets nothing of the other side.

use crate::automaton::{Automaton, Edge, Marks, StateId};
use crate::label::{Label, Labels};
use crate::lasso::Lasso;
use crate::product::product;
use crate::translate::{Target, TranslateError, translate};
use crate::witness::{accepting_run, word};
use crate::{Flags, Formula, Formulas};
use rustc_hash::FxHashMap;

/// States of the product that is searched.
const PRODUCT_MAX: usize = 200_000;

/// The answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stuttering {
    /// Repeating letters changes nothing.
    Insensitive,
    /// Two words that differ only in repetitions, of which exactly one satisfies the formula.
    Sensitive {
        /// The formula holds on this word.
        holds: Lasso,
        /// The formula does not hold on this word.
        fails: Lasso,
    },
}

/// Decides whether a formula is sensitive to stuttering.
pub fn stuttering(formulas: &mut Formulas, f: Formula, labels: &mut Labels) -> Result<Stuttering, TranslateError> {
    if formulas.is(f, Flags::X_FREE) {
        return Ok(Stuttering::Insensitive);
    }
    let not_f = formulas.not(f);
    let yes = translate(formulas, f, Target::Generalised, labels)?;
    let no = translate(formulas, not_f, Target::Generalised, labels)?;
    if yes.mark_count + no.mark_count > 64 {
        return Err(TranslateError::TooManyPromises);
    }
    for (a, b, positive) in [(&yes, &no, true), (&no, &yes, false)] {
        let (closed, lengths) = close(a, labels);
        let both = product(&closed, b, labels, PRODUCT_MAX).ok_or(TranslateError::TooManyStates(PRODUCT_MAX))?;
        if let Some(run) = accepting_run(&both) {
            let short = word(&both, &run, labels);
            let long = stretch(&closed, &lengths, &short, labels);
            let (holds, fails) = if positive { (long, short) } else { (short, long) };
            return Ok(Stuttering::Sensitive { holds, fails });
        }
    }
    Ok(Stuttering::Insensitive)
}

/// How many steps of the original automaton the edge from a state to a target with the given marks stands for.
type Lengths = FxHashMap<(StateId, StateId, Marks), Vec<(Label, u32)>>;

/// Adds all shortcuts. Letters that read through several lengths keep the first, shortest one.
fn close(a: &Automaton, labels: &mut Labels) -> (Automaton, Lengths) {
    let mut closed = a.clone();
    let mut lengths = Lengths::default();
    for s in a.states() {
        for e in a.out(s) {
            lengths.insert((s, e.target, e.marks), vec![(e.label, 1)]);
        }
    }
    loop {
        let mut found: Vec<(StateId, Edge, u32)> = Vec::new();
        for s in closed.states() {
            for e in closed.out(s) {
                for f in a.out(e.target) {
                    let label = labels.and(e.label, f.label);
                    let marks = e.marks | f.marks;
                    let known = lengths.get(&(s, f.target, marks)).map_or(&[][..], |list| list);
                    let fresh = known.iter().fold(label, |l, k| labels.minus(l, k.0));
                    if fresh == Label::FALSE {
                        continue;
                    }
                    for (part, length) in lengths[&(s, e.target, e.marks)].clone() {
                        let label = labels.and(fresh, part);
                        if label != Label::FALSE {
                            found.push((s, Edge { target: f.target, marks, label }, length + 1));
                        }
                    }
                }
            }
        }
        if found.is_empty() {
            return (closed, lengths);
        }
        for (s, e, length) in found {
            let list = lengths.entry((s, e.target, e.marks)).or_default();
            let fresh = list.iter().fold(e.label, |l, k| labels.minus(l, k.0));
            if fresh != Label::FALSE {
                list.push((fresh, length));
                closed.edges[s.0 as usize].push(Edge { label: fresh, ..e });
            }
        }
        closed.merge_edges(labels);
    }
}

/// A word of the original automaton that differs from a word of the closed one only in repetitions.
fn stretch(closed: &Automaton, lengths: &Lengths, short: &Lasso, labels: &Labels) -> Lasso {
    // The product of the closed automaton with the word, as an automaton whose states are pairs.
    let shape = short.shape();
    let n = shape.positions;
    let id = |s: StateId, at: usize| StateId(s.0 * n as u32 + at as u32);
    let mut pairs = Automaton {
        edges: Vec::with_capacity(closed.state_count() * n),
        initial: id(closed.initial, 0),
        mark_count: closed.mark_count,
        state_based: false,
    };
    for s in closed.states() {
        for at in 0..n {
            let taken = closed.out(s).iter().filter(|e| labels.contains(e.label, |a| short.holds(a, at)));
            pairs.edges.push(taken.map(|e| Edge { target: id(e.target, shape.next(at)), ..*e }).collect());
        }
    }
    let run = accepting_run(&pairs).expect("the closed automaton accepts the word");
    let letters = |edges: &[(StateId, usize)]| {
        let mut letters = Vec::new();
        for &(pair, i) in edges {
            let (s, at) = (StateId(pair.0 / n as u32), pair.0 as usize % n);
            let e = pairs.out(pair)[i];
            let target = StateId(e.target.0 / n as u32);
            let parts = &lengths[&(s, target, e.marks)];
            let length = parts.iter().find(|p| labels.contains(p.0, |a| short.holds(a, at))).map_or(1, |p| p.1);
            letters.extend((0..length).map(|_| short.letter(at).to_vec()));
        }
        letters
    };
    Lasso { stem: letters(&run.stem), cycle: letters(&run.cycle) }
}
