//! Closure under stuttering, strengths and reasons for rejection, each against an independent definition.

mod support;

use ferrospin_ltl::random::Random;
use ferrospin_ltl::*;
use support::World;

/// A word without repeated letters: a single one where it becomes constant.
fn collapse(word: &Lasso) -> Lasso {
    let mut stem: Vec<Vec<AtomId>> = word.stem.iter().chain(&word.cycle).cloned().collect();
    let mut cycle = word.cycle.clone();
    stem.dedup();
    cycle.dedup();
    if cycle.len() > 1 && cycle.first() == cycle.last() {
        cycle.pop();
    }
    if stem.last() == cycle.first() {
        stem.pop();
    }
    Lasso { stem, cycle }
}

/// The automaton of all words that differ from the given one in repetitions only: it waits, and goes on some time.
fn variants(word: &Lasso, atoms: u32, labels: &mut Labels) -> Automaton {
    let word = collapse(word);
    let shape = word.shape();
    let edges = (0..shape.positions)
        .map(|at| {
            let cube: Cube = (0..atoms).map(AtomId).map(|a| (a, word.holds(a, at))).collect();
            let label = labels.cube(&cube);
            let waits = Edge { target: StateId(at as u32), marks: 0, label };
            vec![waits, Edge { target: StateId(shape.next(at) as u32), marks: 1, label }]
        })
        .collect();
    let mut a = Automaton { edges, initial: StateId(0), mark_count: 1, state_based: false };
    a.merge_edges(labels);
    a
}

/// A random automaton with up to 4 states over `atoms` propositions, dead ends and no marks included.
fn random_automaton(random: &mut Random, atoms: u32, labels: &mut Labels) -> Automaton {
    let states = 1 + random.below(4);
    let mark_count = random.below(3) as u32;
    let mut a = Automaton { edges: vec![Vec::new(); states], initial: StateId(0), mark_count, state_based: false };
    for edges in &mut a.edges {
        for _ in 0..random.below(5) {
            let looked_at: Vec<AtomId> = (0..atoms).map(AtomId).filter(|_| random.chance(75)).collect();
            let cube: Cube = looked_at.into_iter().map(|a| (a, random.bits() & 1 == 1)).collect();
            let marks = (0..mark_count).filter(|_| random.chance(40)).fold(0, |m, i| m | 1 << i);
            edges.push(Edge { target: StateId(random.below(states) as u32), marks, label: labels.cube(&cube) });
        }
    }
    a.merge_edges(labels);
    a
}

/// Words over few letters, so that repetitions are frequent.
fn random_word(random: &mut Random, atoms: u32) -> Lasso {
    let mut word = random.lasso(4, 3, atoms, 50);
    for part in [&mut word.stem, &mut word.cycle] {
        for at in 1..part.len() {
            if random.chance(40) {
                part[at] = part[at - 1].clone();
            }
        }
    }
    word
}

#[test]
fn closures_hold_exactly_the_variants() {
    let mut random = Random::new(2005);
    let (mut inside, mut added) = (0, 0);
    for _ in 0..10_000 {
        let mut labels = Labels::new();
        let a = random_automaton(&mut random, 2, &mut labels);
        let closed = stutter_close(&a, &mut labels).unwrap();
        let mut lazy = StutterClosure::new(&a, &labels).unwrap();
        for _ in 0..6 {
            // Letters are made of the propositions that the automaton looks at.
            let mut word = random_word(&mut random, 2);
            word.stem.iter_mut().chain(&mut word.cycle).for_each(|l| l.retain(|a| lazy.atoms().contains(a)));
            let all = variants(&word, 2, &mut labels);
            let expected = !is_empty(&product(&a, &all, &mut labels, 100_000).unwrap());
            assert_eq!(accepts(&closed, &labels, &word), expected, "{a:?} closed on {word:?}");
            let variant = lazy.variant(&word, &labels);
            assert_eq!(variant.is_some(), expected, "{a:?} lazily on {word:?}");
            if let Some(variant) = &variant {
                assert!(accepts(&a, &labels, variant), "{a:?} on {variant:?}, a variant of {word:?}");
                assert_eq!(collapse_fully(variant), collapse_fully(&word));
            }
            inside += usize::from(expected);
            let itself = accepts(&a, &labels, &word);
            assert!(expected || !itself, "the closure contains the language");
            added += usize::from(expected && !itself);
            let verdict = expected.then(|| lazy.judge(Some(&word), &labels));
            match verdict {
                Some(ClaimVerdict::Violated) => assert!(itself),
                Some(ClaimVerdict::Sensitive(_)) => assert!(!itself),
                Some(ClaimVerdict::Correct) => panic!("there is a run"),
                None => {}
            }
        }
    }
    assert!(inside > 10_000 && added > 1_000, "{inside} words, {added} of them by closing");
}

/// A form that is equal for words that differ in repetitions only: the first letters of the collapsed word.
fn collapse_fully(word: &Lasso) -> Vec<Vec<AtomId>> {
    let word = collapse(word);
    let shape = word.shape();
    let mut at = 0;
    let mut letters = Vec::new();
    for _ in 0..40 {
        letters.push(word.letter(at).to_vec());
        at = shape.next(at);
    }
    letters
}

/// Closing accepting states by staying, as it was published, would accept words of which no variant is accepted.
#[test]
fn staying_does_not_accept() {
    let mut labels = Labels::new();
    let p = labels.literal(AtomId(0), true);
    // Every infinite run accepts, but there is none: after two letters the automaton is stuck.
    let a = Automaton {
        edges: vec![vec![Edge { target: StateId(1), marks: 0, label: p }], Vec::new()],
        initial: StateId(0),
        mark_count: 0,
        state_based: false,
    };
    let closed = stutter_close(&a, &mut labels).unwrap();
    assert!(is_empty(&closed));
    assert!(!accepts(&closed, &labels, &Lasso { stem: vec![], cycle: vec![vec![AtomId(0)]] }));
}

/// Three programs and the claim "first p, then not p": the three verdicts.
#[test]
fn three_verdicts() {
    let mut w = World::new();
    let f = w.read("p && X !p");
    for target in [Target::Generalised, Target::Buchi] {
        let claim = w.translate(f, target);
        let closed = stutter_close(&claim, &mut w.labels).unwrap();
        let mut closure = StutterClosure::new(&claim, &w.labels).unwrap();
        let mut verdict = |program: &str| {
            let (word, _) = read_word(program, 1, Dialect::Project, &mut w.atoms);
            let word = word.expect("a word");
            let all: Vec<Edge> = (0..word.shape().positions)
                .map(|at| {
                    let label = w.labels.literal(AtomId(0), word.holds(AtomId(0), at));
                    Edge { target: StateId(word.shape().next(at) as u32), marks: 0, label }
                })
                .collect();
            let edges = all.into_iter().map(|e| vec![e]).collect();
            let system = Automaton { edges, initial: StateId(0), mark_count: 0, state_based: false };
            let both = product(&system, &closed, &mut w.labels, 1000).unwrap();
            let found = accepting_run(&both).map(|run| ferrospin_ltl::word(&both, &run, &w.labels));
            closure.judge(found.as_ref(), &w.labels)
        };
        // A process that counts for ever, one that does something else before p becomes false, and one that does not.
        assert_eq!(verdict("(p)*"), ClaimVerdict::Correct);
        let ClaimVerdict::Sensitive(variant) = verdict("p; p; (!p)*") else { panic!("the claim is sensitive") };
        assert_eq!(verdict("p; (!p)*"), ClaimVerdict::Violated);
        assert_eq!(collapse(&variant), Lasso { stem: vec![vec![AtomId(0)]], cycle: vec![vec![]] });
        assert!(variant.satisfies(&w.formulas, f));
    }
}

/// A formula is insensitive if and only if closing its automaton adds nothing.
#[test]
fn closing_agrees_with_the_check_of_formulas() {
    let mut random = Random::new(50);
    let (mut sensitive, mut with_next) = (0, 0);
    for _ in 0..300 {
        let mut w = World::with_pqr();
        let size = 3 + random.below(7);
        let f = random.formula(&mut w.formulas, size, 2);
        let expected = stuttering(&mut w.formulas, f, &mut w.labels).unwrap();
        let a = w.translate(f, Target::Generalised);
        let closed = stutter_close(&a, &mut w.labels).unwrap();
        let not_f = w.formulas.not(f);
        let no = w.translate(not_f, Target::Generalised);
        let adds = !is_empty(&product(&closed, &no, &mut w.labels, 1_000_000).unwrap());
        assert_eq!(adds, expected != Stuttering::Insensitive, "{}", w.show(f));
        let answer = stuttering_automaton(&a, &mut w.labels).unwrap();
        assert_eq!(answer == Stuttering::Insensitive, expected == Stuttering::Insensitive, "{}", w.show(f));
        if let Stuttering::Sensitive { holds, fails } = answer {
            assert!(holds.satisfies(&w.formulas, f) && !fails.satisfies(&w.formulas, f), "{}", w.show(f));
            assert_eq!(collapse_fully(&holds), collapse_fully(&fails), "{}", w.show(f));
        }
        sensitive += usize::from(adds);
        with_next += usize::from(!w.formulas.is(f, Flags::X_FREE));
    }
    assert!(sensitive > 30 && with_next > sensitive + 30, "{sensitive} of {with_next} with X");
}

/// Inclusion against words and against products with automata of negations.
#[test]
fn inclusion_is_exact() {
    let mut random = Random::new(88);
    let (mut yes, mut no) = (0, 0);
    for _ in 0..300 {
        let mut w = World::with_pqr();
        let (n, m) = (2 + random.below(7), 2 + random.below(7));
        let (f, g) = (random.formula(&mut w.formulas, n, 2), random.formula(&mut w.formulas, m, 2));
        let either = w.formulas.or(&[f, g]);
        for g in [g, either] {
            let not_g = w.formulas.not(g);
            let (a, b) = (w.translate(f, Target::Generalised), w.translate(g, Target::Generalised));
            let c = w.translate(not_g, Target::Generalised);
            let expected = is_empty(&product(&a, &c, &mut w.labels, 1_000_000).unwrap());
            let Ok(found) = not_included(&a, &b, &mut w.labels) else { continue };
            assert_eq!(found.is_none(), expected, "{} in {}", w.show(f), w.show(g));
            if let Some(word) = found {
                assert!(word.satisfies(&w.formulas, f) && !word.satisfies(&w.formulas, g));
                no += 1;
            } else {
                yes += 1;
            }
        }
    }
    assert!(yes > 250 && no > 100, "{yes} and {no}");
    // Automata that come from no formula.
    let (mut yes, mut no) = (0, 0);
    for _ in 0..400 {
        let mut labels = Labels::new();
        let (a, b) = (random_automaton(&mut random, 1, &mut labels), random_automaton(&mut random, 1, &mut labels));
        match not_included(&a, &b, &mut labels).unwrap() {
            Some(word) => {
                assert!(accepts(&a, &labels, &word) && !accepts(&b, &labels, &word));
                no += 1;
            }
            None => {
                for _ in 0..30 {
                    let word = random.lasso(4, 4, 1, 50);
                    assert!(!accepts(&a, &labels, &word) || accepts(&b, &labels, &word), "{a:?} {b:?} {word:?}");
                }
                yes += 1;
            }
        }
    }
    assert!(yes > 50 && no > 50, "{yes} and {no}");
}

#[test]
fn rejections_are_true() {
    let mut random = Random::new(4);
    let (mut stuck, mut missing) = (0, 0);
    for _ in 0..500 {
        let mut labels = Labels::new();
        let a = random_automaton(&mut random, 2, &mut labels);
        for _ in 0..10 {
            let word = random_word(&mut random, 2);
            let answer = rejection(&a, &labels, &word);
            assert_eq!(answer.is_none(), accepts(&a, &labels, &word));
            // The same automaton with every run accepting tells whether there is an infinite run at all.
            let mut free = a.clone();
            free.mark_count = 0;
            free.edges.iter_mut().flatten().for_each(|e| e.marks = 0);
            match answer {
                Some(Rejection::Stuck(_)) => {
                    assert!(!accepts(&free, &labels, &word));
                    stuck += 1;
                }
                Some(Rejection::Missing(marks)) => {
                    assert!(accepts(&free, &labels, &word) && marks != 0 && marks & !a.all_marks() == 0);
                    missing += 1;
                }
                None => {}
            }
        }
    }
    assert!(stuck > 500 && missing > 200, "{stuck} and {missing}");
}

/// Strengths against what they promise, on words.
#[test]
fn strengths() {
    for (text, expected) in [
        ("<>p", Strength::Terminal),
        ("p U q", Strength::Terminal),
        ("!([]p)", Strength::Terminal),
        ("[]p", Strength::Weak),
        ("<>[]p", Strength::Weak),
        ("[]<>p", Strength::Strong),
        ("[](p -> <>q)", Strength::Strong),
    ] {
        let mut w = World::new();
        let f = w.read(text);
        for target in [Target::Generalised, Target::Buchi] {
            let a = w.translate(f, target);
            assert_eq!(a.strength(&mut w.labels), expected, "{text}");
        }
    }
    let mut random = Random::new(12);
    let mut seen = [0; 4];
    for _ in 0..1_000 {
        let mut labels = Labels::new();
        let a = random_automaton(&mut random, 1, &mut labels);
        let kinds = a.acceptances(&mut labels);
        let expected = match () {
            _ if kinds.iter().all(|k| matches!(k, Acceptance::None | Acceptance::All)) => Strength::Terminal,
            _ if kinds.iter().all(|&k| k != Acceptance::Marks) => Strength::Weak,
            _ => Strength::Strong,
        };
        assert_eq!(a.strength(&mut labels), expected);
        for s in a.states() {
            let kind = kinds[s.0 as usize];
            seen[kind as usize] += 1;
            if kind != Acceptance::All {
                continue;
            }
            for _ in 0..10 {
                let word = random.lasso(2, 3, 1, 50);
                assert!(accepts_from(&a, &[s], &labels, &word), "{a:?} from {s:?} on {word:?}");
            }
        }
        for s in a.states() {
            let taken: Vec<Edge> = a.steps(s, &labels, |_| true).copied().collect();
            let by_hand: Vec<Edge> = a.out(s).iter().filter(|e| labels.contains(e.label, |_| true)).copied().collect();
            assert_eq!(taken, by_hand);
        }
    }
    assert!(seen.iter().all(|&n| n > 20), "{seen:?}");
}
