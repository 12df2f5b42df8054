//! The asymmetric rule: an assumption about the rest is enough for the first part, and the rest keeps it (Cobleigh, Giannakopoulou,
//! Pasareanu, TACAS 2003).
//!
//! With more than two parts the rest proves the assumption by the same rule. The assumption that is learned towards is the weakest
//! one: all words that the first part, with the property beside it, survives.

use crate::parts::{Alphabet, Found, Letter, Monitor, Part};
use crate::table::Table;
use crate::{Limit, Proof, Round};

/// What became of a proof.
pub(crate) enum Outcome {
    /// The assumptions, outermost first.
    Proved(Vec<Monitor>),
    /// A word of all parts together that the monitor refuses.
    Violated(Vec<Letter>),
}

/// Proves that the parts together keep the monitor, or finds a word on which they do not.
pub(crate) fn prove(run: &mut Proof<'_>, parts: &[&Part], monitor: &Monitor) -> Result<Outcome, Limit> {
    let (first, rest) = parts.split_first().expect("there is a part");
    if rest.is_empty() {
        let found = run.check(parts, monitor)?;
        return Ok(found.word.map_or(Outcome::Proved(Vec::new()), Outcome::Violated));
    }
    let of_rest = rest.iter().fold(Alphabet::empty(run.letters), |all, p| all.with(&p.alphabet));
    let interface = first.alphabet.with(&monitor.alphabet).within(&of_rest);
    let mut alphabet = if run.refine { monitor.alphabet.within(&interface) } else { interface.clone() };
    loop {
        match learn(run, first, rest, monitor, &alphabet, &interface)? {
            Learned::Done(outcome) => return Ok(outcome),
            Learned::Needs(letters) => {
                letters.iter().for_each(|l| alphabet.add(*l));
                run.refinements += 1;
            }
        }
    }
}

enum Learned {
    Done(Outcome),
    /// These letters of the interface are needed to tell what happens.
    Needs(Vec<Letter>),
}

fn learn(
    run: &mut Proof<'_>,
    first: &Part,
    rest: &[&Part],
    monitor: &Monitor,
    alphabet: &Alphabet,
    interface: &Alphabet,
) -> Result<Learned, Limit> {
    let mut table = Table::new(alphabet.clone());
    loop {
        let queries_before = table.queries;
        let Some(conjecture) = run.conjecture(&mut table, first, monitor)? else {
            // Whatever the rest does: but it must be able to do it.
            return refute(run, first, rest, monitor, alphabet, interface, &[]);
        };
        let assumption = conjecture.monitor.as_part();
        let too_weak = run.check(&[&assumption, first], monitor)?;
        run.note(Round::new(conjecture.monitor.state_count(), &too_weak, table.queries - queries_before));
        if let Some(word) = too_weak.word {
            let word = alphabet.project(&word);
            run.learn(&mut table, &conjecture, &word, first, monitor)?;
            continue;
        }
        let word = match prove(run, rest, &conjecture.monitor)? {
            Outcome::Proved(mut inner) => {
                inner.insert(0, conjecture.monitor);
                return Ok(Learned::Done(Outcome::Proved(inner)));
            }
            Outcome::Violated(word) => word,
        };
        let projected = alphabet.project(&word);
        if run.member(&mut table, &projected, first, monitor)? {
            run.learn(&mut table, &conjecture, &projected, first, monitor)?;
            continue;
        }
        return refute(run, first, rest, monitor, alphabet, interface, &word);
    }
}

/// The first part fails on what a word of the rest shows of it. If it fails on all that the interface shows, the word is real;
/// otherwise letters are missing.
fn refute(
    run: &mut Proof<'_>,
    first: &Part,
    rest: &[&Part],
    monitor: &Monitor,
    alphabet: &Alphabet,
    interface: &Alphabet,
    word: &[Letter],
) -> Result<Learned, Limit> {
    let all: Vec<&Part> = std::iter::once(first).chain(rest.iter().copied()).collect();
    let chain = Part::chain(&interface.project(word), interface);
    let with: Vec<&Part> = std::iter::once(&chain).chain(all.iter().copied()).collect();
    let Found { word: replayed, .. } = run.check(&with, monitor)?;
    if let Some(word) = replayed {
        return Ok(Learned::Done(Outcome::Violated(word)));
    }
    let missing = |l: &Letter| interface.has(*l) && !alphabet.has(*l);
    // Letters of the word come first: they show the difference. Where it has none, all that are left are needed.
    let mut letters: Vec<Letter> = word.iter().copied().filter(missing).collect();
    if letters.is_empty() {
        letters = interface.letters().filter(missing).collect();
    }
    assert!(!letters.is_empty(), "over the whole interface a word that is refused is real");
    Ok(Learned::Needs(letters))
}
