//! Formulas that hold for no good reason: parts that never happen.
//!
//! `[] (request -> <> answer)` holds where nothing is ever requested. For each implication of a formula that holds, and each disjunction
//! with a negated part, the formula is strengthened: its right side becomes false. Where the stronger formula holds as well, the right
//! side does not matter, because the left side never happens (Beer, Ben-David, Eisner, Rodeh, "Efficient detection of vacuity in temporal
//! model checking", 2001; Kupferman and Vardi, 2003). A formula that is not vacuous has a witness, which is mostly found at once; the
//! question is given up after a small time that the options name.

use crate::explain::{Spoken, beside};
use crate::options::Options;
use crate::report::Verdict;
use crate::storage::Nowhere;
use crate::subject::{Stated, Subject, Task};
use ferrospin_ltl::{Formula, Formulas, Node, Op};
use std::time::{Duration, Instant};

/// Parts of one formula that are looked at.
const PARTS_MAX: usize = 8;

/// The parts of a formula that never happen though it speaks of what follows them; `None` where that was not found out.
pub(crate) fn parts<S: Subject + ?Sized>(
    subject: &S,
    property: &Stated,
    search_s: Option<f64>,
    task: &Task<'_>,
) -> Option<Vec<String>> {
    let small = task.options.telling.beside.time(search_s)?;
    let spoken = subject.formula(property)?;
    let until = Instant::now() + small;
    let mut found = Vec::new();
    for (left, stronger) in stronger(&spoken).into_iter().take(PARTS_MAX) {
        let rest = until.saturating_duration_since(Instant::now());
        let options = Options { under: None, ..beside(task.options, rest.max(Duration::from_millis(1))) };
        let about = Spoken { formula: stronger.1, formulas: stronger.0, ..spoken.clone() };
        let answer = subject.answer_formula(property, &about, &Task { options: &options, storage: &Nowhere })?;
        match answer.ok()?.report.verdict {
            Verdict::Holds => found.push(spoken.text(left)),
            Verdict::Violated => {}
            Verdict::Undecided | Verdict::Error => return None,
        }
    }
    // An implication inside a proposition cannot be looked into: that nothing was found says nothing then.
    let is_open = spoken.texts.iter().any(|text| ["->", "||", "implies"].iter().any(|sign| text.contains(sign)));
    Some(found).filter(|found| !found.is_empty() || !is_open)
}

/// For each implication that makes the formula weaker: its left side, and the formula in which the right side is false.
fn stronger(spoken: &Spoken) -> Vec<(Formula, (Formulas, Formula))> {
    let mut lefts = Vec::new();
    collect(&spoken.formulas, spoken.formula, true, &mut lefts);
    lefts.dedup();
    let replaced = |&(whole, left): &(Formula, Formula)| {
        let mut formulas = spoken.formulas.clone();
        let instead = formulas.not(left);
        let stronger = replace(&mut formulas, spoken.formula, whole, instead, true);
        (left, (formulas, stronger))
    };
    lefts.iter().map(replaced).collect()
}

/// Which operands of a node are wanted as the node itself is (`true`), and which the other way round; none for those that are
/// both.
fn polarities(node: Node<'_>) -> Option<Vec<(Formula, bool)>> {
    Some(match node {
        Node::True | Node::False | Node::Atom(_) | Node::Iff(..) | Node::Xor(..) => return None,
        Node::Not(f) => vec![(f, false)],
        Node::And(list) | Node::Or(list) => list.iter().map(|f| (*f, true)).collect(),
        Node::Implies(a, b) => vec![(a, false), (b, true)],
        Node::Next(f) | Node::Eventually(f) | Node::Always(f) => vec![(f, true)],
        Node::Until(a, b) | Node::Release(a, b) | Node::WeakUntil(a, b) | Node::StrongRelease(a, b) => {
            vec![(a, true), (b, true)]
        }
    })
}

fn collect(formulas: &Formulas, f: Formula, positive: bool, out: &mut Vec<(Formula, Formula)>) {
    let node = formulas.node(f);
    match node {
        Node::Implies(a, b) if positive && b != Formulas::FALSE && a != Formulas::TRUE => out.push((f, a)),
        Node::Or(list) if positive => {
            let negated = |g: &Formula| match formulas.node(*g) {
                Node::Not(h) => Some(h),
                _ => None,
            };
            let negations: Vec<Formula> = list.iter().filter_map(negated).collect();
            // `!a || b`: with several negations none of them is the left side.
            if let ([left], true) = (negations.as_slice(), list.len() > 1) {
                out.push((f, *left));
            }
        }
        _ => {}
    }
    for (operand, same) in polarities(node).unwrap_or_default() {
        collect(formulas, operand, positive == same, out);
    }
}

/// The formula with a part replaced wherever it stands with the polarity that makes it stronger.
fn replace(formulas: &mut Formulas, f: Formula, part: Formula, instead: Formula, positive: bool) -> Formula {
    if f == part && positive {
        return instead;
    }
    let Some(operands) = polarities(formulas.node(f)) else { return f };
    let new: Vec<Formula> = operands
        .into_iter()
        .map(|(operand, same)| replace(formulas, operand, part, instead, positive == same))
        .collect();
    match formulas.op(f) {
        Op::And => formulas.and(&new),
        Op::Or => formulas.or(&new),
        op => formulas.apply(op, &new),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use ferrospin_ltl::{Atoms, Dialect, parse};

    /// The left sides of a formula, each with the stronger formula.
    fn check(text: &str, expected: Expect) {
        let (mut formulas, mut atoms) = (Formulas::new(), Atoms::new());
        let formula = parse(text, 0, Dialect::Project, &mut formulas, &mut atoms).0.expect("a formula");
        let texts = atoms.iter().map(|(_, a)| a.text.clone()).collect();
        let spoken = Spoken { formulas, formula, texts, propositions: Vec::new(), place: None };
        let list = stronger(&spoken).into_iter().map(|(left, (formulas, formula))| {
            let about = Spoken { formulas, formula, ..spoken.clone() };
            format!("{} | {}\n", spoken.text(left), about.text(formula))
        });
        expected.assert_eq(&list.collect::<String>());
    }

    #[test]
    fn right_sides_become_false() {
        check(
            "[] (p -> <> q)",
            expect![[r#"
            p | []!p
        "#]],
        );
        check(
            "[] (p -> [] (q -> r))",
            expect![[r#"
            p | []!p
            q | [](p -> []!q)
        "#]],
        );
        check(
            "<> r -> (!p U r)",
            expect![[r#"
            <>r | !<>r
        "#]],
        );
        check(
            "[] (!p || q)",
            expect![[r#"
            p | []!p
        "#]],
        );
        check("!(p -> q)", expect![""]);
        check("[] p", expect![""]);
        check("[] (p <-> q)", expect![""]);
    }
}
