//! Whether an answer is one: judged from the program, by nothing but sums and products.

use crate::simplex::{Outcome, Program, Relation, dot};
use crate::{Integer, Rational};

/// Whether the outcome of a program is shown by what it carries.
pub fn confirms(program: &Program, outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Optimal { point, value, dual } => {
            // The combination of rows lies below the objective everywhere, and reaches the value.
            keeps(program, point)
                && dot(&program.objective, point) == *value
                && signs(program, dual)
                && below(&combined(program, dual), &program.objective)
                && bounds(program, dual) == *value
        }
        Outcome::Infeasible { combination } => {
            // A sum that is never positive should be at least something positive.
            let nothing = vec![Rational::ZERO; program.objective.len()];
            signs(program, combination)
                && below(&combined(program, combination), &nothing)
                && bounds(program, combination).signum() > 0
        }
        Outcome::Unbounded { point, ray } => {
            let flat = Program {
                objective: program.objective.clone(),
                rows: program
                    .rows
                    .iter()
                    .cloned()
                    .map(|mut r| {
                        r.bound = Rational::from(Integer::ZERO);
                        r
                    })
                    .collect(),
            };
            keeps(program, point) && keeps(&flat, ray) && dot(&program.objective, ray).signum() < 0
        }
    }
}

/// Whether a point is one of the program.
fn keeps(program: &Program, point: &[Rational]) -> bool {
    let row = |r: &crate::Row| {
        let sum = r.terms.iter().fold(Rational::ZERO, |sum, (column, factor)| sum.add(&factor.mul(&point[*column])));
        match r.relation {
            Relation::AtMost => sum <= r.bound,
            Relation::AtLeast => sum >= r.bound,
            Relation::Equal => sum == r.bound,
        }
    };
    point.len() == program.objective.len() && point.iter().all(|x| x.signum() >= 0) && program.rows.iter().all(row)
}

/// Whether factors turn every row into one that says "at least".
fn signs(program: &Program, factors: &[Rational]) -> bool {
    factors.len() == program.rows.len()
        && program.rows.iter().zip(factors).all(|(row, factor)| match row.relation {
            Relation::AtMost => factor.signum() <= 0,
            Relation::AtLeast => factor.signum() >= 0,
            Relation::Equal => true,
        })
}

/// The combination of the rows: a factor for each column.
fn combined(program: &Program, factors: &[Rational]) -> Vec<Rational> {
    let mut sum = vec![Rational::ZERO; program.objective.len()];
    for (row, factor) in program.rows.iter().zip(factors) {
        for (column, x) in &row.terms {
            sum[*column] = sum[*column].add(&x.mul(factor));
        }
    }
    sum
}

fn bounds(program: &Program, factors: &[Rational]) -> Rational {
    program.rows.iter().zip(factors).fold(Rational::ZERO, |sum, (row, factor)| sum.add(&row.bound.mul(factor)))
}

fn below(a: &[Rational], b: &[Rational]) -> bool {
    a.iter().zip(b).all(|(x, y)| x <= y)
}
