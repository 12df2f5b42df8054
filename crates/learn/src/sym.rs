//! The symmetric rule: each part keeps the property under an assumption of its own, and no word is outside all assumptions and breaks
//! the property (Barringer, Giannakopoulou, Pasareanu 2003).
//!
//! Only shortest words that break the property matter, so that each assumption must be left with the very letter that does. What is
//! outside an assumption is the complement of a deterministic automaton, not a language closed under beginnings: it is walked with a
//! state of its own for "outside", never as a part.

use crate::parts::{Alphabet, Letter, Monitor, Part};
use crate::table::{Conjecture, Table};
use crate::{Limit, Proof, Round};
use rustc_hash::FxHashMap;

/// What became of a proof.
pub(crate) enum Outcome {
    /// An assumption for each part.
    Proved(Vec<Monitor>),
    /// A word of all parts together that the monitor refuses.
    Violated(Vec<Letter>),
}

/// Proves that the parts together keep the monitor, or finds a word on which they do not.
pub(crate) fn prove(run: &mut Proof<'_>, parts: &[&Part], monitor: &Monitor) -> Result<Outcome, Limit> {
    let mut tables: Vec<Table> = Vec::new();
    let mut settled: Vec<Conjecture> = Vec::new();
    for (i, part) in parts.iter().enumerate() {
        let others = parts.iter().enumerate().filter(|(j, _)| *j != i);
        let shared = others.fold(Alphabet::empty(run.letters), |all, (_, p)| all.with(&p.alphabet));
        let mut table = Table::new(part.alphabet.within(&shared).with(&monitor.alphabet));
        let Some(conjecture) = settle(run, &mut table, part, monitor)? else {
            return real(run, parts, monitor, &[], &table.alphabet);
        };
        tables.push(table);
        settled.push(conjecture);
    }
    loop {
        let Some(word) = outside_all(run, &settled, monitor)? else {
            return Ok(Outcome::Proved(settled.into_iter().map(|c| c.monitor).collect()));
        };
        let mut admits = false;
        for (i, part) in parts.iter().enumerate() {
            let projected = tables[i].alphabet.project(&word);
            if run.member(&mut tables[i], &projected, part, monitor)? {
                admits = true;
                let conjecture = &settled[i];
                run.learn(&mut tables[i], conjecture, &projected, part, monitor)?;
                let again = settle(run, &mut tables[i], part, monitor)?;
                settled[i] = again.expect("the empty word was accepted before");
            }
        }
        if !admits {
            let all = tables.iter().fold(Alphabet::empty(run.letters), |all, t| all.with(&t.alphabet));
            return real(run, parts, monitor, &word, &all);
        }
    }
}

/// The trace of the whole system that a word stands for.
fn real(
    run: &mut Proof<'_>,
    parts: &[&Part],
    monitor: &Monitor,
    word: &[Letter],
    over: &Alphabet,
) -> Result<Outcome, Limit> {
    let chain = Part::chain(word, over);
    let with: Vec<&Part> = std::iter::once(&chain).chain(parts.iter().copied()).collect();
    let found = run.check(&with, monitor)?;
    Ok(Outcome::Violated(found.word.expect("a word that no part survives is one of the system")))
}

/// Conjectures until the part keeps the property under the assumption.
fn settle(run: &mut Proof<'_>, table: &mut Table, part: &Part, monitor: &Monitor) -> Result<Option<Conjecture>, Limit> {
    loop {
        let queries_before = table.queries;
        let Some(conjecture) = run.conjecture(table, part, monitor)? else { return Ok(None) };
        let assumption = conjecture.monitor.as_part();
        let found = run.check(&[&assumption, part], monitor)?;
        run.note(Round::new(conjecture.monitor.state_count(), &found, table.queries - queries_before));
        let Some(word) = found.word else { return Ok(Some(conjecture)) };
        let word = table.alphabet.project(&word);
        run.learn(table, &conjecture, &word, part, monitor)?;
    }
}

/// A shortest word outside all assumptions whose last letter breaks the property.
fn outside_all(run: &mut Proof<'_>, settled: &[Conjecture], monitor: &Monitor) -> Result<Option<Vec<Letter>>, Limit> {
    const OUTSIDE: u32 = u32::MAX;
    let alphabets = settled.iter().fold(Alphabet::empty(run.letters), |all, c| all.with(&c.monitor.alphabet));
    let letters: Vec<Letter> = alphabets.letters().collect();
    let start = vec![0u32; settled.len() + 1];
    let mut ids: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
    ids.insert(start.clone(), 0);
    let mut list = vec![(start, u32::MAX, 0)];
    let mut next = 0;
    while let Some((now, ..)) = list.get(next).cloned() {
        run.pace(list.len())?;
        for letter in &letters {
            let mut target = now.clone();
            for (slot, c) in target.iter_mut().zip(settled) {
                if c.monitor.alphabet.has(*letter) && *slot != OUTSIDE {
                    *slot = c.monitor.step(*slot, *letter).unwrap_or(OUTSIDE);
                }
            }
            let outside = target[..settled.len()].iter().all(|s| *s == OUTSIDE);
            let Some(state) = monitor.step(now[settled.len()], *letter) else {
                if outside {
                    let mut word = vec![*letter];
                    let mut at = next as u32;
                    while at != 0 {
                        word.push(list[at as usize].2);
                        at = list[at as usize].1;
                    }
                    word.reverse();
                    return Ok(Some(word));
                }
                continue;
            };
            target[settled.len()] = state;
            let id = list.len() as u32;
            if let std::collections::hash_map::Entry::Vacant(entry) = ids.entry(target) {
                list.push((entry.key().clone(), next as u32, *letter));
                entry.insert(id);
            }
        }
        next += 1;
    }
    run.see(list.len());
    Ok(None)
}
