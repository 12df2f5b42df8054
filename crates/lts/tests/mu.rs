//! Formulas of the mu-calculus against fixpoints computed round by round, on random graphs and formulas.

mod support;

use ferrospin_lts::mu::{Mu, MuId, MuNode, parse, solve};
use ferrospin_lts::{Graph, Label, Unwatched, aut};
use support::Random;

/// The value of a node by its definition, with the values of variables by their fixpoints.
fn value(graph: &Graph, mu: &Mu, node: MuId, variables: &mut Vec<(MuId, Vec<bool>)>) -> Vec<bool> {
    let n = graph.state_count();
    let mut of = |f: MuId| value(graph, mu, f, variables);
    match &mu.nodes[node.0 as usize] {
        MuNode::Constant(value) => vec![*value; n],
        MuNode::Proposition(text, positive) => {
            let valuation = graph.valuation();
            let holds = |s| valuation.is_some_and(|v| v.class_text(graph.class(s)).contains(text.as_str()));
            graph.states().map(|s| holds(s) == *positive).collect()
        }
        MuNode::And(f, g) => of(*f).into_iter().zip(of(*g)).map(|(f, g)| f && g).collect(),
        MuNode::Or(f, g) => of(*f).into_iter().zip(of(*g)).map(|(f, g)| f || g).collect(),
        MuNode::Diamond(action, f) | MuNode::Box(action, f) => {
            let values = of(*f);
            let some = matches!(mu.nodes[node.0 as usize], MuNode::Diamond(..));
            let covered = |l: Label| action.covers(l == Label::TAU, graph.labels().text(l));
            let steps = |s| graph.edges(s).iter().filter(|e| covered(e.label)).map(|e| values[e.target.index()]);
            graph.states().map(|s| if some { steps(s).any(|v| v) } else { steps(s).all(|v| v) }).collect()
        }
        MuNode::Variable(id) => variables.iter().rfind(|v| v.0 == *id).expect("it is bound").1.clone(),
        MuNode::Fixpoint { least, of } => {
            let mut now = vec![!*least; n];
            loop {
                variables.push((node, now.clone()));
                let next = value(graph, mu, *of, variables);
                variables.pop();
                if next == now {
                    return now;
                }
                now = next;
            }
        }
    }
}

fn formula(random: &mut Random, depth: usize, bound: &mut Vec<String>) -> String {
    let actions = ["\"a\"", "\"b\"", "tau", "true", "!\"a\"", "\"a\" || tau", "\"*\" && !\"b\""];
    let action = actions[random.below(actions.len())];
    if depth == 0 {
        return match random.below(4) {
            0 => "true".into(),
            1 => "false".into(),
            2 if !bound.is_empty() => bound[random.below(bound.len())].clone(),
            _ => "{p}".into(),
        };
    }
    match random.below(12) {
        0 => format!("({} && {})", formula(random, depth - 1, bound), formula(random, depth - 1, bound)),
        1 => format!("({} || {})", formula(random, depth - 1, bound), formula(random, depth - 1, bound)),
        2 | 3 => format!("<{action}> {}", formula(random, depth - 1, bound)),
        4 | 5 => format!("[{action}] {}", formula(random, depth - 1, bound)),
        6 => format!("!({})", formula(random, depth - 1, &mut Vec::new())),
        7 => format!("EF {}", formula(random, depth - 1, bound)),
        8 => format!("A({} U {})", formula(random, depth - 1, bound), formula(random, depth - 1, bound)),
        9 => format!("EG {}", formula(random, depth - 1, bound)),
        kind => {
            bound.push(format!("X{}", bound.len()));
            let inner = formula(random, depth - 1, bound);
            let name = bound.pop().expect("it was pushed");
            format!("({} {name}. {inner})", if kind == 10 { "mu" } else { "nu" })
        }
    }
}

#[test]
fn values_are_those_of_the_definition() {
    let mut random = Random::new(21);
    let mut solved = 0;
    while solved < 3000 {
        let text = formula(&mut random, 5, &mut Vec::new());
        let Ok(mu) = parse(&text) else { continue };
        let valued = random.chance(60);
        let graph = support::graph(&mut random, 7, valued);
        let found = solve(&graph, &mu, &Unwatched).expect("unwatched");
        assert_eq!(found, value(&graph, &mu, mu.root, &mut Vec::new()), "{text}\n{}", aut::write(&graph));
        solved += 1;
    }
}

#[test]
fn texts_that_are_wrong() {
    for (text, expected) in [
        ("", "1: expected a formula"),
        ("<\"a\"> ", "7: expected a formula"),
        ("<a> true", "3: expected a label in quotes, `tau`, `true`, `!` or `(`"),
        ("true true", "6: expected the end of the formula"),
        ("<\"a> true", "2: there is no closing `\"`"),
        ("X", "1: `X` is no variable of a fixpoint around it; a proposition stands in braces"),
        ("mu X. !X", "8: `X` is under an odd number of negations"),
        (
            "nu X. mu Y. (<true> X || <true> Y)",
            "7: a least and a greatest fixpoint depend on one another here: such formulas are not understood",
        ),
    ] {
        assert_eq!(parse(text).expect_err(text).to_string(), expected);
    }
    assert!(parse(&"(".repeat(100_000)).is_err());
    assert!(parse(&"!".repeat(100_000)).is_err());
}

/// Depth in time: a chain of 200,000 states takes one step of work a state.
#[test]
fn long_chains_are_solved() {
    let mut text = "des (0, 200000, 200001)\n".to_owned();
    (0..200_000).for_each(|i| text += &format!("({i}, a, {})\n", i + 1));
    let graph = aut::read(text.as_bytes()).expect("it is well formed");
    for (formula, expected) in [("AF deadlock", true), ("EF <\"b\"> true", false), ("nu X. <\"a\"> X", false)] {
        let found = solve(&graph, &parse(formula).expect("it is one"), &Unwatched).expect("unwatched");
        assert_eq!(found[0], expected, "{formula}");
    }
}
