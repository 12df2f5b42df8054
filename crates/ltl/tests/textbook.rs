//! The textbook tableau as an oracle: large, obvious, and proved equal to the production automata by double inclusion.
//!
//! Formulas are written with `!`, `&&`, `X` and `U`. A state is a truth value for every proposition, every `X f` and
//! every `f U g`; an edge leads to the states that agree with what the source says about the next position; there is
//! one mark per `f U g`, on states where it is not owed (Lichtenstein and Pnueli, 1985).

mod support;

use ferrospin_ltl::random::Random;
use ferrospin_ltl::*;
use support::World;

/// Writes a formula with `!`, `&&`, `X` and `U` only.
fn normalise(formulas: &mut Formulas, f: Formula) -> Formula {
    let operands: Vec<Formula> = formulas.operands(f).to_vec();
    let k: Vec<Formula> = operands.into_iter().map(|g| normalise(formulas, g)).collect();
    let not: Vec<Formula> = k.iter().map(|&g| formulas.not(g)).collect();
    match formulas.op(f) {
        Op::True | Op::Atom => f,
        Op::False => formulas.not(Formulas::TRUE),
        Op::Not => not[0],
        Op::And => formulas.and(&k),
        Op::Or => {
            let none = formulas.and(&not);
            formulas.not(none)
        }
        Op::Next => formulas.next(k[0]),
        Op::Until => formulas.until(k[0], k[1]),
        Op::Eventually => formulas.until(Formulas::TRUE, k[0]),
        Op::Always => {
            let some = formulas.until(Formulas::TRUE, not[0]);
            formulas.not(some)
        }
        Op::Release => {
            let dual = formulas.until(not[0], not[1]);
            formulas.not(dual)
        }
        Op::StrongRelease => {
            let both = formulas.and(&k);
            formulas.until(k[1], both)
        }
        Op::WeakUntil => {
            let neither = formulas.and(&not);
            let broken = formulas.until(not[1], neither);
            formulas.not(broken)
        }
        op => panic!("{op:?} is not generated"),
    }
}

/// The textbook automaton, or `None` if it would be too large for a test.
fn textbook(w: &mut World, f: Formula) -> Option<Automaton> {
    let f = normalise(&mut w.formulas, f);
    let closure = w.formulas.subformulas(f);
    let free: Vec<Formula> =
        closure.iter().copied().filter(|&g| matches!(w.formulas.op(g), Op::Atom | Op::Next | Op::Until)).collect();
    if free.len() > 7 {
        return None;
    }
    // Truth values of the whole closure, for every choice of the free ones.
    let mut states: Vec<Vec<bool>> = Vec::new();
    for bits in 0..1u32 << free.len() {
        let mut value = vec![false; f.0 as usize + 1];
        for &g in &closure {
            value[g.0 as usize] = match w.formulas.node(g) {
                Node::True => true,
                Node::Not(h) => !value[h.0 as usize],
                Node::And(list) => list.iter().all(|h| value[h.0 as usize]),
                _ => bits >> free.iter().position(|&h| h == g).expect("a free formula") & 1 == 1,
            };
        }
        states.push(value);
    }
    let untils: Vec<Formula> = free.iter().copied().filter(|&g| w.formulas.op(g) == Op::Until).collect();
    let mut edges: Vec<Vec<Edge>> = vec![Vec::new()];
    for now in &states {
        let holds = |v: &[bool], g: Formula| v[g.0 as usize];
        let mut cube = Vec::new();
        let mut marks = 0;
        for &g in &free {
            if let Node::Atom(a) = w.formulas.node(g) {
                cube.push((a, holds(now, g)));
            }
        }
        for (i, &g) in untils.iter().enumerate() {
            let Node::Until(_, b) = w.formulas.node(g) else { unreachable!() };
            marks |= u64::from(!holds(now, g) || holds(now, b)) << i;
        }
        let label = w.labels.cube(&cube);
        let follows = |next: &[bool]| {
            free.iter().all(|&g| match w.formulas.node(g) {
                Node::Next(h) => holds(now, g) == holds(next, h),
                Node::Until(a, b) => holds(now, g) == (holds(now, b) || (holds(now, a) && holds(next, g))),
                _ => true,
            })
        };
        let out: Vec<Edge> = (0..states.len())
            .filter(|&t| follows(&states[t]))
            .map(|t| Edge { target: StateId(t as u32 + 1), marks, label })
            .collect();
        // The state 0 begins like every state in which the formula holds.
        if holds(now, f) {
            edges[0].extend(out.iter().map(|e| Edge { marks: 0, ..*e }));
        }
        edges.push(out);
    }
    let mut a = Automaton { edges, initial: StateId(0), mark_count: untils.len() as u32, state_based: false };
    a.merge_edges(&mut w.labels);
    Some(a)
}

#[test]
fn production_automata_equal_the_textbook() {
    let mut random = Random::new(1985);
    let mut proved = 0;
    for _ in 0..300 {
        let mut w = World::with_pqr();
        let size = 3 + random.below(6);
        let f = random.formula(&mut w.formulas, size, 2);
        let not_f = w.formulas.not(f);
        let (Some(yes), Some(no)) = (textbook(&mut w, f), textbook(&mut w, not_f)) else { continue };
        for _ in 0..3 {
            let word = random.lasso(3, 3, 2, 50);
            assert_eq!(accepts(&yes, &w.labels, &word), word.satisfies(&w.formulas, f), "{} on {word:?}", w.show(f));
        }
        for target in [Target::Generalised, Target::Buchi] {
            let a = w.translate(f, target);
            let more = product(&a, &no, &mut w.labels, 1_000_000).expect("a small product");
            assert!(is_empty(&more), "{target:?} of {} accepts too much", w.show(f));
            let b = w.translate(not_f, target);
            let less = product(&b, &yes, &mut w.labels, 1_000_000).expect("a small product");
            assert!(is_empty(&less), "{target:?} of the negation of {} accepts too much", w.show(f));
        }
        proved += 1;
    }
    assert!(proved > 200, "only {proved} formulas were small enough");
}
