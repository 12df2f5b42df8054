//! Words as text, and explanations of what holds on them.

mod support;

use expect_test::{Expect, expect};
use ferrospin_ltl::random::Random;
use ferrospin_ltl::*;
use support::World;

fn word(w: &mut World, text: &str) -> Lasso {
    let (word, said) = read_word(text, 1, Dialect::Project, &mut w.atoms);
    word.unwrap_or_else(|| panic!("`{text}`: {:?}", said.iter().next()))
}

#[test]
fn words_are_read() {
    for (text, printed) in [
        ("p; !p & q; (p)*", "p; q; (p)*"),
        ("cycle{p; q && p}", "(p; p && q)*"),
        ("p;cycle { q ; - }", "p; (q; -)*"),
        ("-; (x > 3 && !p; q;)*", "-; ((x > 3); q)*"),
        ("(p) && (q); ((p && q))*", "p && q; (p && q)*"),
        // Without a cycle the last letter repeats.
        ("p; q", "p; (q)*"),
        ("p", "(p)*"),
        ("true; (!q)*", "-; (-)*"),
    ] {
        let mut w = World::with_pqr();
        let read = word(&mut w, text);
        let shown = print_word(&read, &w.atoms, Dialect::Project);
        assert_eq!(shown, printed, "{text}");
        assert_eq!(word(&mut w, &shown), read, "{text} again");
    }
}

#[test]
fn nonsense_is_refused() {
    for (text, message) in [
        ("p | q; (p)*", "a letter is a conjunction of propositions and their negations"),
        ("p && !p; (p)*", "a letter is a conjunction of propositions and their negations"),
        ("<>p; (q)*", "a letter is a conjunction of propositions and their negations"),
        ("p; ; (q)*", "a letter is missing; `-` is the empty one"),
        ("", "the word has no letter that could repeat"),
        ("p; ()*", "the word has no letter that could repeat"),
        ("p)*", "this is no cycle: nothing opens it"),
        ("p q; (p)*", "expected an operator"),
        ("p (q)*", "this is no cycle: nothing opens it"),
    ] {
        let mut w = World::with_pqr();
        let (word, said) = read_word(text, 1, Dialect::Project, &mut w.atoms);
        assert_eq!(word, None, "{text}");
        let first = said.iter().next().expect("a message");
        assert!(first.message.starts_with(message), "`{text}`: {}", first.message);
    }
}

#[test]
fn random_words_are_read_again() {
    let mut random = Random::new(3);
    for _ in 0..200 {
        let mut w = World::with_pqr();
        let lasso = random.lasso(5, 5, 3, 50);
        let text = print_word(&lasso, &w.atoms, Dialect::Project);
        assert_eq!(word(&mut w, &text), lasso, "{text}");
    }
}

fn check(formula: &str, text: &str, expected: Expect) {
    let mut w = World::with_pqr();
    let f = w.read(formula);
    let lasso = word(&mut w, text);
    let facts = explain(&w.formulas, f, &lasso);
    let lines: Vec<String> = facts
        .iter()
        .map(|fact| "  ".repeat(fact.depth) + &fact.text(&w.formulas, &w.atoms, Dialect::Project) + "\n")
        .collect();
    expected.assert_eq(&lines.concat());
}

#[test]
fn explanations() {
    check(
        "[] (p -> <> q)",
        "q; p && q; p; (r)*",
        expect![[r#"
            [](p -> <>q) fails at 0 because of 2
              p -> <>q fails at 2
                p holds at 2
                <>q fails at 2: q never holds from there on
        "#]],
    );
    check(
        "[] (p -> <> q)",
        "(p; q)*",
        expect![[r#"
            [](p -> <>q) holds at 0: p -> <>q always holds from there on
              p -> <>q holds at 0
                <>q holds at 0 because of 1
                  q holds at 1
        "#]],
    );
    check(
        "p U (q && X r)",
        "p; p; q; (p)*",
        expect![[r#"
            p U (q && X r) fails at 0: q && X r never holds from there on
              q && X r fails at 0
                q fails at 0
        "#]],
    );
    check(
        "(p W q) && ([]p || X p)",
        "p; r; (q)*",
        expect![[r#"
            (p W q) && ([]p || X p) fails at 0
              p W q fails at 0 because of 1
                p fails at 1
                q fails at 1
        "#]],
    );
    check(
        "<>[]p || (q V r)",
        "r; (p; r)*",
        expect![[r#"
            <>[]p || (q V r) fails at 0
              <>[]p fails at 0: []p never holds from there on
                []p fails at 0
                  p fails at 0
              q V r fails at 0 because of 1
                r fails at 1
        "#]],
    );
}

/// Whatever an explanation says is true, and what a fact rests on forces its value.
#[test]
fn explanations_are_true() {
    let mut random = Random::new(17);
    for _ in 0..400 {
        let mut w = World::with_pqr();
        let size = 3 + random.below(12);
        let f = random.formula(&mut w.formulas, size, 3);
        let lasso = random.lasso(4, 4, 3, 50);
        let shape = lasso.shape();
        let values = |g: Formula| evaluate(&w.formulas, g, shape, |a, at| u64::from(lasso.holds(a, at)));
        let reachable =
            |from: usize| if from < shape.cycle { from..shape.positions } else { shape.cycle..shape.positions };
        let facts = explain(&w.formulas, f, &lasso);
        assert_eq!((facts[0].formula, facts[0].position), (f, 0));
        assert_eq!(facts[0].holds, lasso.satisfies(&w.formulas, f));
        for (i, fact) in facts.iter().enumerate() {
            assert_eq!(values(fact.formula)[fact.position] & 1 == 1, fact.holds, "{} on {lasso:?}", w.show(f));
            match fact.reason {
                Reason::Never(g) => assert!(reachable(fact.position).all(|at| values(g)[at] & 1 == 0)),
                Reason::Always(g) => assert!(reachable(fact.position).all(|at| values(g)[at] & 1 == 1)),
                Reason::At(at) => assert_eq!(facts[i + 1].position, at),
                Reason::Operands => {
                    let below: Vec<&Fact> = facts[i + 1..]
                        .iter()
                        .take_while(|x| x.depth > fact.depth)
                        .filter(|x| x.depth == fact.depth + 1)
                        .collect();
                    assert!(!below.is_empty() && below.iter().all(|x| x.position == fact.position));
                    let value = |g: &Formula| below.iter().find(|x| x.formula == *g).map(|x| x.holds);
                    let forced = match w.formulas.node(fact.formula) {
                        Node::Not(g) => value(&g) == Some(!fact.holds),
                        Node::And(list) if fact.holds => list.iter().all(|g| value(g) == Some(true)),
                        Node::And(list) => list.iter().any(|g| value(g) == Some(false)),
                        Node::Or(list) if fact.holds => list.iter().any(|g| value(g) == Some(true)),
                        Node::Or(list) => list.iter().all(|g| value(g) == Some(false)),
                        _ => true,
                    };
                    assert!(forced, "{} on {lasso:?}", w.show(fact.formula));
                }
                Reason::Given | Reason::Known => {}
            }
        }
    }
}

#[test]
fn words_are_shortened() {
    for (text, short) in [("p; q; (p; q; p; q)*", "(p; q)*"), ("p; -; (-; -)*", "p; (-)*"), ("q; (p; q)*", "(q; p)*")] {
        let mut w = World::with_pqr();
        let shortened = word(&mut w, text).shortened();
        assert_eq!(print_word(&shortened, &w.atoms, Dialect::Project), short);
    }
    let mut random = Random::new(6);
    for _ in 0..300 {
        let mut w = World::with_pqr();
        let long = random.lasso(5, 6, 1, 50);
        let short = long.clone().shortened();
        let f = random.formula(&mut w.formulas, 8, 1);
        assert_eq!(long.satisfies(&w.formulas, f), short.satisfies(&w.formulas, f));
        let letters = |word: &Lasso| {
            let mut at = 0;
            let mut list = Vec::new();
            for _ in 0..60 {
                list.push(word.letter(at).to_vec());
                at = word.shape().next(at);
            }
            list
        };
        assert_eq!(letters(&long), letters(&short));
        assert!(short.shape().positions <= long.shape().positions);
    }
}
