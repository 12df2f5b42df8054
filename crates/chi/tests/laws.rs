//! The laws of the language, the facts of the literature and its corrections, looked at instance by instance.

use ferrospin_chi::equivalence::{Alike, compare};
use ferrospin_chi::rules::{Law, PRINTED, all, without_conditions};
use ferrospin_chi::term::{Process, Program, make};
use ferrospin_lts::Unwatched;
use ferrospin_testkit::chi::{A, B, Kind, X, Y, pieces, tables, term};
use ferrospin_testkit::random::Random;

fn alike(program: &Program, p: &Process, q: &Process, how: Alike) -> bool {
    let answer = compare(program, p, q, how, &Unwatched).expect("all values are known");
    assert!(answer.complete);
    answer.difference.is_none()
}

/// How many of a number of random instances of a law are refuted.
fn refuted(law: &Law, instances: usize, depth: usize) -> usize {
    let program = tables();
    let mut random = Random::new(law.name.len() as u64 * 7919 + instances as u64);
    (0..instances)
        .filter(|_| {
            let (left, right) = (law.sides)(&pieces(&mut random, law, depth));
            !alike(&program, &left, &right, Alike::Congruent)
        })
        .count()
}

#[test]
fn laws_hold() {
    for law in all() {
        assert_eq!(refuted(&law, 1000, 2), 0, "{}", law.name);
    }
}

#[test]
fn the_printed_law_of_scopes_is_wrong() {
    let count = refuted(&PRINTED, 100, 2);
    assert!(count > 0, "none of 100 instances");
}

/// Laws that ask for processes that do not terminate at once are wrong for others.
#[test]
fn conditions_are_needed() {
    for law in without_conditions() {
        assert!(refuted(&law, 150, 2) > 0, "{}", law.name);
    }
}

fn holds(p: Process, q: Process, how: Alike) -> bool {
    alike(&tables(), &p, &q, how)
}

#[test]
fn facts_of_the_literature() {
    use make::{choice, delta, enc, eps, int, parallel, receive, repeat, send, sequence, skip};
    let (a, b) = (|| send(A, int(0)), || send(B, int(0)));
    assert!(holds(a(), b(), Alike::Stuttering));
    assert!(!holds(a(), b(), Alike::Interaction));
    assert!(holds(a(), skip(), Alike::Stuttering));
    assert!(!holds(enc(a()), enc(skip()), Alike::Stuttering));
    assert!(holds(delta(), sequence(skip(), delta()), Alike::Interaction));
    assert!(!holds(delta(), sequence(skip(), delta()), Alike::Congruent));
    let with_skip = |p| choice(skip(), p);
    assert!(!holds(with_skip(delta()), with_skip(sequence(skip(), delta())), Alike::Interaction));
    assert!(holds(skip(), eps(), Alike::Interaction));
    assert!(!holds(skip(), eps(), Alike::Congruent));
    assert!(!holds(repeat(skip()), eps(), Alike::Interaction));
    assert!(!holds(delta(), sequence(repeat(skip()), delta()), Alike::Interaction));
    // The first half of the first example separates only where both are encapsulated: a receive may happen alone.
    let beside = |p| parallel(p, receive(A, X));
    assert!(holds(beside(a()), beside(b()), Alike::Stuttering));
    assert!(!holds(enc(beside(a())), enc(beside(b())), Alike::Stuttering));
}

/// What is congruent stays so in every context.
#[test]
fn congruence() {
    let program = tables();
    let mut random = Random::new(5);
    let kind = Kind { variables: &[X, Y], all: true };
    let laws = all();
    for round in 0..500 {
        let law = &laws[round % laws.len()];
        let (mut p, mut q) = (law.sides)(&pieces(&mut random, law, 1));
        for _ in 0..3 {
            let other = term(&mut random, 1, kind);
            let choice = random.below(8);
            let around = |p: Process| match choice {
                0 => make::sequence(p, other.clone()),
                1 => make::sequence(other.clone(), p),
                2 => make::choice(p, other.clone()),
                3 => make::parallel(p, other.clone()),
                4 => make::repeat(p),
                5 => make::enc(p),
                6 => make::scope(vec![(X, 1)], p),
                _ => make::guard(make::binary(ferrospin_chi::term::Binary::Less, make::variable(X), make::int(2)), p),
            };
            (p, q) = (around(p), around(q));
        }
        assert!(alike(&program, &p, &q, Alike::Congruent), "{}: {p:?} {q:?}", law.name);
    }
}

/// The second example of the paper is about choice: what is alike step by step need not be so beside others.
#[test]
fn guards_do_not_go_over_parallel() {
    let program = tables();
    let mut random = Random::new(9);
    let kind = Kind { variables: &[X, Y], all: false };
    let refuted = (0..150).filter(|_| {
        let (p, q) = (term(&mut random, 2, kind), term(&mut random, 2, kind));
        let b = ferrospin_testkit::chi::condition(&mut random, &[X, Y]);
        let left = make::guard(b.clone(), make::parallel(p.clone(), q.clone()));
        let right = make::parallel(make::guard(b.clone(), p), make::guard(b, q));
        !alike(&program, &left, &right, Alike::Congruent)
    });
    assert!(refuted.count() > 0);
}
