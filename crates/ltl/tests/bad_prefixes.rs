//! Bad prefixes of safety formulas against the meaning of formulas.

mod support;

use expect_test::{Expect, expect};
use ferrospin_ltl::random::Random;
use ferrospin_ltl::*;
use support::World;

/// The bad prefixes of a formula; `None` where it is no safety formula.
fn bad_prefixes(w: &mut World, f: Formula) -> Option<BadPrefixes> {
    let negated = w.formulas.not(f);
    let automaton = translate(&mut w.formulas, negated, Target::Buchi, &mut w.labels).ok()?;
    BadPrefixes::of(&automaton, &mut w.labels, 100)
}

/// After how many letters a word is bad.
fn bad_after(w: &World, bad: &BadPrefixes, word: &Lasso, letters: usize) -> Option<usize> {
    let mut at = 0;
    for (i, letter) in word.stem.iter().chain(word.cycle.iter().cycle()).take(letters).enumerate() {
        let holds = |atom: AtomId| letter.binary_search(&atom).is_ok();
        match bad.edges[at].iter().find(|(label, _)| w.labels.contains(*label, holds)) {
            Some((_, Some(next))) => at = *next,
            Some((_, None)) => return Some(i + 1),
            None => panic!("the automaton is complete"),
        }
    }
    None
}

#[test]
fn states_of_well_known_formulas() {
    let check = |text: &str, expected: Expect| {
        let mut w = World::with_pqr();
        let f = w.read(text);
        let found = bad_prefixes(&mut w, f);
        expected.assert_eq(&found.map_or("none".into(), |b| b.edges.len().to_string()));
    };
    check("[] p", expect!["1"]);
    check("[] (p -> q)", expect!["1"]);
    check("[] p && [] q", expect!["1"]);
    check("[] (p -> X q)", expect!["2"]);
    check("p W q", expect!["2"]);
    check("X p", expect!["3"]);
    check("p", expect!["2"]);
    check("[] (p -> X (q W r))", expect!["2"]);
    check("true", expect!["1"]);
    check("[] <> p", expect!["none"]);
    check("<> p", expect!["none"]);
    check("p U q", expect!["none"]);
    check("[] p && <> q", expect!["none"]);
    check("false", expect!["none"]);
    check("X X p && X X !p", expect!["none"]);
}

#[test]
fn a_formula_fails_where_a_prefix_is_bad() {
    let mut random = Random::new(20);
    let (mut met, mut bad_words) = (0, 0);
    for round in 0..600 {
        let mut w = World::with_pqr();
        let size = 1 + round % 9;
        let f = random.formula(&mut w.formulas, size, 3);
        let Some(bad) = bad_prefixes(&mut w, f) else { continue };
        met += 1;
        for _ in 0..30 {
            let word = random.lasso(4, 3, 3, 50);
            // As many letters as there are pairs of a place in the cycle and a state.
            let letters = word.stem.len() + word.cycle.len() * (bad.edges.len() + 1);
            let found = bad_after(&w, &bad, &word, letters);
            assert_eq!(found.is_none(), word.satisfies(&w.formulas, f), "{} on {word:?}", w.show(f));
            bad_words += usize::from(found.is_some());
            // A letter earlier it is not bad yet: some continuation satisfies the formula.
            if let Some(length) = found.filter(|length| *length > 1) {
                let all: Vec<_> = word.stem.iter().chain(word.cycle.iter().cycle()).take(length - 1).cloned().collect();
                let goes_on = (0..3000).any(|_| {
                    let rest = random.lasso(3, 2, 3, 50);
                    let word = Lasso { stem: all.iter().chain(&rest.stem).cloned().collect(), cycle: rest.cycle };
                    word.satisfies(&w.formulas, f)
                });
                assert!(goes_on, "{} is told too late on {word:?}", w.show(f));
            }
        }
    }
    assert!(met > 100 && bad_words > 500, "{met} safety formulas, {bad_words} bad words");
}
