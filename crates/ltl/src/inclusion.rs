//! Inclusion of languages without complementing an automaton.
//!
//! A finite word is, as far as two automata are concerned, the pair of relations that say between which states it
//! leads, and whether past an accepting state. Such pairs are finitely many and compose, and by Ramsey's theorem every
//! infinite word is `u v v v ..` for words u and v whose relations absorb and repeat v's (Büchi, 1962; Fogarty and
//! Vardi, 2009). So all relations are generated from those of letters, and each pair of u and v is asked whether the one
//! automaton accepts and the other does not; the words themselves are remembered, which gives the answer as a word.
//! Exponential in the worst case, hence limits; automata of formulas and of hand-written claims stay far below them.

use crate::automaton::Automaton;
use crate::closure::{StutterClosure, support};
use crate::degeneralise::degeneralise;
use crate::label::{Label, Labels};
use crate::lasso::Lasso;
use crate::stutter::Stuttering;
use crate::translate::TranslateError;
use crate::{AtomId, stutter_close};
use rustc_hash::{FxHashMap, FxHashSet};

/// Relations that are generated before giving up.
const RELATIONS_MAX: usize = 20_000;
/// States of one automaton, after its marks were turned into accepting states.
const STATES_MAX: usize = 64;
/// Sets of letters that edges can tell apart.
const LETTERS_MAX: usize = 1024;

/// Between which states a word leads: for each state the targets, and those reached past an accepting state.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Relation {
    reach: Vec<u64>,
    accept: Vec<u64>,
}

impl Relation {
    fn identity(n: usize) -> Self {
        Self { reach: (0..n).map(|i| 1 << i).collect(), accept: vec![0; n] }
    }

    /// The relation of one letter of a Büchi automaton. The mark is on all edges of an accepting state.
    fn letter(a: &Automaton, labels: &Labels, letter: &[AtomId]) -> Self {
        let mut relation = Self { reach: vec![0; a.state_count()], accept: vec![0; a.state_count()] };
        for s in a.states() {
            for e in a.out(s).iter().filter(|e| labels.contains(e.label, |p| letter.binary_search(&p).is_ok())) {
                relation.reach[s.0 as usize] |= 1 << e.target.0;
                if e.marks == a.all_marks() {
                    relation.accept[s.0 as usize] |= 1 << e.target.0;
                }
            }
        }
        relation
    }

    fn then(&self, next: &Self) -> Self {
        let n = self.reach.len();
        let mut both = Self { reach: vec![0; n], accept: vec![0; n] };
        for s in 0..n {
            for t in (0..n).filter(|t| self.reach[s] >> t & 1 == 1) {
                both.reach[s] |= next.reach[t];
                both.accept[s] |= next.accept[t];
                if self.accept[s] >> t & 1 == 1 {
                    both.accept[s] |= next.reach[t];
                }
            }
        }
        both
    }

    /// Whether `u v v ..` is accepted, where u leads to the given states and this is the relation of v, which repeats
    /// itself.
    fn accepts_after(&self, reached: u64) -> bool {
        let n = self.reach.len();
        let bits = |set: u64| (0..n).filter(move |s| set >> s & 1 == 1);
        let again = bits(reached).fold(0, |set, s| set | self.reach[s]);
        bits(again).any(|s| self.accept[s] >> s & 1 == 1)
    }
}

/// A word that the first automaton accepts and the second does not, or `None` if there is none.
pub fn not_included(a: &Automaton, b: &Automaton, labels: &mut Labels) -> Result<Option<Lasso>, TranslateError> {
    let (a, b) = (as_buchi(a, labels), as_buchi(b, labels));
    if a.state_count().max(b.state_count()) > STATES_MAX {
        return Err(TranslateError::TooManyStates(STATES_MAX));
    }
    let letters = letters(&[&a, &b], labels)?;
    let pair = |letter: &Vec<AtomId>| (Relation::letter(&a, labels, letter), Relation::letter(&b, labels, letter));
    let generators: Vec<(Relation, Relation)> = letters.iter().map(pair).collect();
    // Every relation of a word, with a shortest one: its last letter and the word before.
    let empty = (Relation::identity(a.state_count()), Relation::identity(b.state_count()));
    let mut words: Vec<((Relation, Relation), usize, usize)> = vec![(empty.clone(), 0, usize::MAX)];
    let mut index: FxHashSet<(Relation, Relation)> = FxHashSet::from_iter([empty]);
    let mut at = 0;
    while at < words.len() {
        for (i, g) in generators.iter().enumerate() {
            let next = (words[at].0.0.then(&g.0), words[at].0.1.then(&g.1));
            if index.insert(next.clone()) {
                words.push((next, at, i));
            }
        }
        if words.len() > RELATIONS_MAX {
            return Err(TranslateError::TooManyStates(RELATIONS_MAX));
        }
        at += 1;
    }
    let spell = |mut at: usize| {
        let mut list = Vec::new();
        while words[at].2 != usize::MAX {
            list.push(letters[words[at].2].clone());
            at = words[at].1;
        }
        list.reverse();
        list
    };
    // Of the words before the cycle only the states reached from the initial ones matter.
    let mut stems: FxHashMap<(u64, u64), usize> = FxHashMap::default();
    for (i, ((x, y), ..)) in words.iter().enumerate() {
        stems.entry((x.reach[a.initial.0 as usize], y.reach[b.initial.0 as usize])).or_insert(i);
    }
    let mut stems: Vec<((u64, u64), usize)> = stems.into_iter().collect();
    stems.sort_unstable_by_key(|stem| stem.1);
    for (i, (v, ..)) in words.iter().enumerate().skip(1) {
        // A word with the relation of the empty one is left out as a cycle; it would pass no accepting state.
        let repeats = v.0.then(&v.0) == v.0 && v.1.then(&v.1) == v.1;
        if !repeats || v.0.accept.iter().all(|&m| m == 0) {
            continue;
        }
        for &((x, y), u) in &stems {
            if v.0.accepts_after(x) && !v.1.accepts_after(y) {
                return Ok(Some(Lasso { stem: spell(u), cycle: spell(i) }));
            }
        }
    }
    Ok(None)
}

/// Decides whether the language of an automaton is sensitive to stuttering.
pub fn stuttering_automaton(a: &Automaton, labels: &mut Labels) -> Result<Stuttering, TranslateError> {
    let closed = stutter_close(a, labels)?;
    let Some(fails) = not_included(&closed, a, labels)? else { return Ok(Stuttering::Insensitive) };
    let holds = StutterClosure::new(a, labels)?.variant(&fails, labels).expect("the word is in the closure");
    Ok(Stuttering::Sensitive { holds, fails })
}

/// A Büchi automaton with the same language.
fn as_buchi(a: &Automaton, labels: &mut Labels) -> Automaton {
    if a.mark_count == 1 { a.clone() } else { degeneralise(a, labels) }
}

/// One letter of each set of letters that no edge tells apart.
fn letters(automata: &[&Automaton], labels: &mut Labels) -> Result<Vec<Vec<AtomId>>, TranslateError> {
    let mut used: Vec<Label> = automata.iter().flat_map(|a| a.edges.iter().flatten().map(|e| e.label)).collect();
    used.sort_unstable();
    used.dedup();
    let mut parts = vec![Label::TRUE];
    for label in used {
        let mut finer = Vec::with_capacity(parts.len() + 1);
        for part in parts {
            let (inside, outside) = (labels.and(part, label), labels.minus(part, label));
            finer.extend([inside, outside].into_iter().filter(|&l| l != Label::FALSE));
        }
        parts = finer;
        if parts.len() > LETTERS_MAX {
            return Err(TranslateError::TooManyAtoms(support(automata[0], labels).len()));
        }
    }
    let letter = |&part: &Label| {
        let cube = labels.pick(part).expect("a part is not empty");
        cube.into_iter().filter(|l| l.1).map(|l| l.0).collect()
    };
    Ok(parts.iter().map(letter).collect())
}
