//! Automata accept exactly the words on which their formula holds: every stage against direct evaluation.

mod support;

use ferrospin_ltl::random::Random;
use ferrospin_ltl::*;
use support::World;

/// Formulas of the default run; `examples/lassos.rs` does as many as one likes.
const FORMULAS: usize = 400;

#[test]
fn random_formulas_on_random_words() {
    let mut random = Random::new(2026);
    for _ in 0..FORMULAS {
        let mut w = World::with_pqr();
        let size = 3 + random.below(12);
        let f = random.formula(&mut w.formulas, size, 3);
        let (yes, no) = w.formulas.nnf(f);
        let simple = simplify(&mut w.formulas, f, &mut w.labels).unwrap();
        let plain = translate_plainly(&mut w.formulas, f, &mut w.labels).unwrap();
        let generalised = w.translate(f, Target::Generalised);
        let buchi = w.translate(f, Target::Buchi);
        assert!(buchi.state_based);
        let name = w.show(f);
        let text = never(&buchi, &mut w.labels, &w.atoms, &name, NeverOptions::default());
        let never = w.read_never(&text);
        let text = hoa(&generalised, &mut w.labels, &w.atoms, &name, false);
        let (hoa, diagnostics) = read_hoa(&text, 1, &mut w.atoms, &mut w.labels);
        assert!(diagnostics.is_empty() && hoa.len() == 1, "{text}");
        assert_eq!(hoa[0].automaton.edge_count(), generalised.edge_count(), "{text}");
        let automata = [("plain", &plain), ("generalised", &generalised), ("Büchi", &buchi), ("never claim", &never)];
        let automata = [&automata[..], &[("HOA", &hoa[0].automaton)]].concat();
        for _ in 0..40 {
            let percent = [25, 50, 75][random.below(3)];
            let word = random.lasso(4, 4, 3, percent);
            let expected = word.satisfies(&w.formulas, f);
            assert_eq!(word.satisfies(&w.formulas, yes), expected, "normal form of {name} on {word:?}");
            assert_ne!(word.satisfies(&w.formulas, no), expected, "negated form of {name} on {word:?}");
            let rewritten = w.show(simple);
            assert_eq!(word.satisfies(&w.formulas, simple), expected, "{name}, rewritten {rewritten} on {word:?}");
            for (stage, a) in &automata {
                assert_eq!(accepts(a, &w.labels, &word), expected, "{stage} of {name} on {word:?}");
            }
        }
    }
}

/// Every short word is accepted by exactly one of the automata of a formula and of its negation.
#[test]
fn complements_on_all_short_words() {
    let letters: Vec<Vec<AtomId>> =
        (0..4u32).map(|bits| (0..2).filter(|i| bits >> i & 1 == 1).map(AtomId).collect()).collect();
    let mut words = Vec::new();
    for (stem, cycle) in [(0, 1), (1, 1), (0, 2), (2, 1), (1, 2), (2, 2), (1, 3)] {
        for code in 0..4usize.pow(stem + cycle) {
            let all: Vec<Vec<AtomId>> = (0..stem + cycle).map(|i| letters[code >> (2 * i) & 3].clone()).collect();
            let (stem, cycle) = all.split_at(stem as usize);
            words.push(Lasso { stem: stem.to_vec(), cycle: cycle.to_vec() });
        }
    }
    let mut random = Random::new(7);
    for _ in 0..40 {
        let mut w = World::with_pqr();
        let size = 3 + random.below(10);
        let f = random.formula(&mut w.formulas, size, 2);
        let not_f = w.formulas.not(f);
        for target in [Target::Generalised, Target::Buchi] {
            let (a, b) = (w.translate(f, target), w.translate(not_f, target));
            assert!(is_empty(&product(&a, &b, &mut w.labels, 100_000).unwrap()), "{}", w.show(f));
            for word in &words {
                let one = accepts(&a, &w.labels, word) != accepts(&b, &w.labels, word);
                assert!(one, "{} on {word:?}", w.show(f));
            }
        }
    }
}

#[test]
fn sixty_four_words_at_once() {
    let mut random = Random::new(99);
    for _ in 0..50 {
        let mut w = World::with_pqr();
        let size = 3 + random.below(12);
        let f = random.formula(&mut w.formulas, size, 3);
        let shape = LassoShape::new(random.below(4), 1 + random.below(4));
        let bits: Vec<Vec<u64>> = (0..3).map(|_| (0..shape.positions).map(|_| random.bits()).collect()).collect();
        let values = evaluate(&w.formulas, f, shape, |a, at| bits[a.0 as usize][at]);
        for lane in [0, 17, 63] {
            let letter =
                |at: usize| (0..3).filter(|&a| bits[a as usize][at] >> lane & 1 == 1).map(AtomId).collect::<Vec<_>>();
            let letters: Vec<Vec<AtomId>> = (0..shape.positions).map(letter).collect();
            let (stem, cycle) = letters.split_at(shape.cycle);
            let word = Lasso { stem: stem.to_vec(), cycle: cycle.to_vec() };
            assert_eq!(word.satisfies(&w.formulas, f), values[0] >> lane & 1 == 1);
        }
    }
}

/// What an automaton accepts it can also show, and equivalent formulas cannot be told apart.
#[test]
fn witnesses() {
    let mut random = Random::new(5);
    for _ in 0..150 {
        let mut w = World::with_pqr();
        let (n, m) = (3 + random.below(8), 3 + random.below(8));
        let (f, g) = (random.formula(&mut w.formulas, n, 3), random.formula(&mut w.formulas, m, 3));
        let a = w.translate(f, Target::Generalised);
        match accepting_run(&a) {
            Some(run) => assert!(word(&a, &run, &w.labels).satisfies(&w.formulas, f), "{}", w.show(f)),
            None => assert!(is_empty(&a)),
        }
        if let Some(word) = distinguish(&mut w.formulas, f, g, &mut w.labels).unwrap() {
            assert_ne!(word.satisfies(&w.formulas, f), word.satisfies(&w.formulas, g));
        }
        let simple = simplify(&mut w.formulas, f, &mut w.labels).unwrap();
        assert_eq!(distinguish(&mut w.formulas, f, simple, &mut w.labels).unwrap(), None, "{}", w.show(f));
    }
}

#[test]
fn stuttering_answers_come_with_words() {
    let mut random = Random::new(11);
    let (mut sensitive, mut insensitive) = (0, 0);
    for _ in 0..200 {
        let mut w = World::with_pqr();
        let size = 3 + random.below(7);
        let f = random.formula(&mut w.formulas, size, 2);
        match stuttering(&mut w.formulas, f, &mut w.labels).unwrap() {
            Stuttering::Sensitive { holds, fails } => {
                assert!(holds.satisfies(&w.formulas, f) && !fails.satisfies(&w.formulas, f), "{}", w.show(f));
                sensitive += 1;
            }
            Stuttering::Insensitive => {
                insensitive += 1;
                for _ in 0..20 {
                    // Doubling some letters must not matter.
                    let word = random.lasso(3, 3, 2, 50);
                    let mut stretch = |part: &[Vec<AtomId>]| {
                        part.iter().flat_map(|l| vec![l.clone(); 1 + random.below(3)]).collect::<Vec<_>>()
                    };
                    let longer = Lasso { stem: stretch(&word.stem), cycle: stretch(&word.cycle) };
                    let same = word.satisfies(&w.formulas, f) == longer.satisfies(&w.formulas, f);
                    assert!(same, "{} on {word:?} and {longer:?}", w.show(f));
                }
            }
        }
    }
    assert!(sensitive > 20 && insensitive > 20, "{sensitive} and {insensitive}");
}

/// Conjuncts `[]<>b` that are split off as guards mean the same as in the formula.
#[test]
fn guards_are_exact() {
    let mut random = Random::new(64);
    let conditions = ["p", "q", "!p || r", "p xor q", "!r", "q -> r"];
    for round in 0..60 {
        let mut w = World::with_pqr();
        let size = 1 + random.below(8);
        let f = random.formula(&mut w.formulas, size, 3);
        let mut list: Vec<Formula> =
            conditions[..5 + round % 2].iter().map(|b| w.read(&format!("[]<>({b})"))).collect();
        list.push(f);
        let all = w.formulas.and(&list);
        let guarded = translate_guarded(&mut w.formulas, all, &mut w.labels).unwrap();
        let buchi = w.translate(all, Target::Buchi);
        for _ in 0..40 {
            let word = random.lasso(3, 5, 3, 50);
            let expected = word.satisfies(&w.formulas, all);
            assert_eq!(accepts(&buchi, &w.labels, &word), expected, "{} on {word:?}", w.show(all));
            let recurs =
                |g: &Label| word.cycle.iter().any(|letter| w.labels.contains(*g, |a| letter.binary_search(&a).is_ok()));
            let accepted = accepts(&guarded.automaton, &w.labels, &word) && guarded.guards.iter().all(recurs);
            assert_eq!(accepted, expected, "guards of {} on {word:?}", w.show(all));
        }
    }
}

#[test]
fn hard_families_end() {
    let mut w = World::new();
    let mut theta = |n: usize| {
        let premise: Vec<String> = (1..=n).map(|i| format!("[]<>p{i}")).collect();
        w.read(&format!("!(({}) -> [](q -> <>r))", premise.join(" && ")))
    };
    let (theta_8, theta_20) = (theta(8), theta(20));
    let (t, b) = (w.translate(theta_8, Target::Generalised), w.translate(theta_8, Target::Buchi));
    assert_eq!((t.state_count(), b.state_count()), (2, 10));
    let guarded = translate_guarded(&mut w.formulas, theta_20, &mut w.labels).unwrap();
    assert_eq!((guarded.automaton.state_count(), guarded.automaton.edge_count(), guarded.guards.len()), (2, 3, 20));
    assert_eq!(w.translate(theta_20, Target::Buchi).state_count(), 22);
}

/// Formulas that once went wrong.
#[test]
fn regressions() {
    let mut random = Random::new(1);
    for text in ["<>q M <>(true && (q || r) && p)", "[](false || (p && (q || r)) || !p)"] {
        let mut w = World::with_pqr();
        let f = w.read(text);
        let automata = [w.translate(f, Target::Generalised), w.translate(f, Target::Buchi)];
        for _ in 0..200 {
            let word = random.lasso(3, 3, 3, 50);
            let expected = word.satisfies(&w.formulas, f);
            automata.iter().for_each(|a| assert_eq!(accepts(a, &w.labels, &word), expected, "{text} on {word:?}"));
        }
    }
}

/// Makes a formula one level deeper, given two propositions and the level.
type Shaper = fn(&mut World, Formula, Formula, Formula, u32) -> Formula;

/// The deepest formulas that are accepted do not exhaust the stack of a thread, and end with an automaton or an error.
#[test]
fn deep_formulas_end() {
    let shapes: [(&str, Shaper); 6] = [
        ("next", |w, f, _, _, _| w.formulas.next(f)),
        ("until", |w, f, p, q, i| w.formulas.until(if i % 2 == 0 { p } else { q }, f)),
        ("until on the left", |w, f, p, q, i| w.formulas.until(f, if i % 2 == 0 { p } else { q })),
        ("always and eventually", |w, f, p, _, i| {
            let g = w.formulas.or(&[f, p]);
            if i % 2 == 0 { w.formulas.always(g) } else { w.formulas.eventually(g) }
        }),
        ("connectives", |w, f, p, q, i| if i % 2 == 0 { w.formulas.and(&[f, p]) } else { w.formulas.or(&[f, q]) }),
        ("steps", |w, f, p, q, i| {
            let g = w.formulas.next(f);
            if i % 2 == 0 { w.formulas.and(&[g, p]) } else { w.formulas.or(&[g, q]) }
        }),
    ];
    let mut random = Random::new(500);
    let mut refused = 0;
    for (name, shape) in shapes {
        let mut w = World::with_pqr();
        let (p, q) = (w.read("p"), w.read("q"));
        let mut f = w.read("r");
        let mut i = 0;
        // Here the tableau has large sets, which takes time without showing more.
        let depth_max = if name == "until on the left" { 120 } else { DEPTH_MAX - 2 };
        while w.formulas.depth(f) < depth_max {
            f = shape(&mut w, f, p, q, i);
            i += 1;
        }
        for target in [Target::Generalised, Target::Buchi] {
            let Ok(a) = translate(&mut w.formulas, f, target, &mut w.labels) else {
                refused += 1;
                continue;
            };
            for _ in 0..5 {
                let word = random.lasso(3, 3, 3, 50);
                assert_eq!(accepts(&a, &w.labels, &word), word.satisfies(&w.formulas, f), "{name} on {word:?}");
            }
        }
    }
    assert!(refused < 2 * shapes.len(), "some of them have an automaton");
}
