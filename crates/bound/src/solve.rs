//! Weights with which no loop gains, or loops that gain whatever the weights are.
//!
//! A linear program asks for weights, at least 1 for the classes in question and not negative for others, of which no loop found so far gains;
//! [`crate::gain`] finds another loop that gains, or none. The program has a row for each loop and a column for each class, and stays
//! small. Its contradiction names loops whose sum lets some class in question grow and none fall: the suspects. Every outcome of the program is
//! confirmed from its certificate before it is used.

use crate::effects::{Arc, Class};
use crate::gain::{Cycle, Gains, gains};
use ferrospin_lp::check::confirms;
use ferrospin_lp::{Integer, Outcome, Rational, Relation, Row, solve};

/// What came of it.
pub(crate) enum Solved {
    /// Weights of all classes, scaled to whole numbers, and the gain of each place.
    Bounded { weights: Vec<i128>, gains: Vec<i128> },
    /// Loops with how often each is repeated, by their positions.
    Suspect(Vec<(usize, Rational)>),
    /// A limit was reached.
    Nothing,
}

const PIVOTS_MAX: usize = 20_000;

/// Looks for weights. `wanted` are the classes that must weigh at least 1; `cycles` are loops found earlier, and get those that are found.
pub(crate) fn weights(
    classes: &[Class],
    nodes: usize,
    arcs: &[Arc],
    wanted: &[bool],
    cycles: &mut Vec<Cycle>,
    cycles_max: usize,
    go_on: &dyn Fn() -> bool,
) -> Solved {
    loop {
        let program = program(classes, wanted, cycles);
        let mut pivots = 0;
        let mut goes_on = || {
            pivots += 1;
            pivots <= PIVOTS_MAX && go_on()
        };
        let Some(outcome) = solve(&program, &mut goes_on) else { return Solved::Nothing };
        assert!(confirms(&program, &outcome), "the outcome of the program is confirmed");
        let point = match outcome {
            Outcome::Optimal { point, .. } => point,
            Outcome::Infeasible { combination } => {
                let factors = combination.iter().take(cycles.len()).map(Rational::neg).enumerate();
                return Solved::Suspect(factors.filter(|(_, f)| !f.is_zero()).collect());
            }
            Outcome::Unbounded { .. } => unreachable!("weights are not negative"),
        };
        let found: Vec<Rational> = (0..classes.len()).map(|i| point[i].sub(&point[classes.len() + i])).collect();
        let Some(weights) = scaled(&found) else { return Solved::Nothing };
        match gains(nodes, arcs, &weights, go_on) {
            Gains::Found(gains) => return Solved::Bounded { weights, gains },
            Gains::Cycle(cycle) if cycles.len() < cycles_max => cycles.push(cycle),
            _ => return Solved::Nothing,
        }
    }
}

/// For each class a column for its weight, and one for its negative, which only handshakes can have.
fn program(classes: &[Class], wanted: &[bool], cycles: &[Cycle]) -> ferrospin_lp::Program {
    let n = classes.len();
    let mut rows = Vec::new();
    for cycle in cycles {
        let terms = cycle
            .effect
            .iter()
            .flat_map(|(class, change)| [(*class, Rational::from(*change)), (n + class, Rational::from(-change))]);
        rows.push(Row { terms: terms.collect(), relation: Relation::AtMost, bound: Rational::ZERO });
    }
    for (i, class) in classes.iter().enumerate() {
        if !class.handshake {
            rows.push(Row { terms: vec![(n + i, Rational::ONE)], relation: Relation::AtMost, bound: Rational::ZERO });
        }
        if wanted[i] {
            rows.push(Row { terms: vec![(i, Rational::ONE)], relation: Relation::AtLeast, bound: Rational::ONE });
        }
    }
    ferrospin_lp::Program { objective: vec![Rational::ONE; 2 * n], rows }
}

/// The same weights as whole numbers, all made larger by one factor.
fn scaled(weights: &[Rational]) -> Option<Vec<i128>> {
    let mut factor = Integer::ONE;
    for w in weights {
        let divisor = factor.gcd(w.denominator());
        factor = factor.mul(&w.denominator().div_rem(&divisor).0);
    }
    let whole = |w: &Rational| w.mul(&Rational::from(factor.clone())).numerator().to_i64().map(i128::from);
    weights.iter().map(whole).collect()
}
