//! The simplex method on a tableau of rationals, in two phases (Dantzig, 1951).
//!
//! Entering and leaving columns are the first that fit (Bland, 1977), so that it ends on every program. Each row has an
//! artificial column that stays in the tableau: at the end it holds the inverse of the basis, from which dual solutions are read.
//! Cost: rows times columns for each pivot; it is meant for programs with some hundred rows.

use crate::Rational;

/// How the two sides of a row are related.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Relation {
    AtMost,
    AtLeast,
    Equal,
}

/// A row: the sum of the terms against the bound.
#[derive(Clone, Debug)]
pub struct Row {
    /// Columns with their factors; a column may come twice.
    pub terms: Vec<(usize, Rational)>,
    /// How sum and bound are related.
    pub relation: Relation,
    /// The right side.
    pub bound: Rational,
}

/// A program: the least value of the objective over all points that keep the rows and are not negative.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// A factor for each column.
    pub objective: Vec<Rational>,
    /// The rows.
    pub rows: Vec<Row>,
}

/// The answer, with what shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// No point is better than this one.
    Optimal {
        /// A value for each column.
        point: Vec<Rational>,
        /// What the objective is there.
        value: Rational,
        /// A factor for each row: the combination of rows shows that no value is smaller.
        dual: Vec<Rational>,
    },
    /// There is no point.
    Infeasible {
        /// A factor for each row: the combination of rows is a contradiction.
        combination: Vec<Rational>,
    },
    /// The objective falls for ever.
    Unbounded {
        /// A point.
        point: Vec<Rational>,
        /// A direction that can be followed from there.
        ray: Vec<Rational>,
    },
}

/// Solves a program. `None` if it was stopped: `go_on` is asked before each pivot.
pub fn solve(program: &Program, go_on: &mut dyn FnMut() -> bool) -> Option<Outcome> {
    let mut tableau = Tableau::new(program);
    let artificial = tableau.artificial;
    let infeasibility: Vec<Rational> =
        (0..tableau.width).map(|j| if j < artificial { Rational::ZERO } else { Rational::ONE }).collect();
    tableau.minimise(&infeasibility, go_on)?;
    let multipliers = tableau.multipliers(&infeasibility);
    let rest = tableau
        .basis
        .iter()
        .zip(&tableau.rows)
        .filter(|(b, _)| **b >= artificial)
        .fold(Rational::ZERO, |sum, (_, row)| sum.add(&row[tableau.width]));
    if rest.signum() > 0 {
        return Some(Outcome::Infeasible { combination: tableau.signed(&multipliers) });
    }
    tableau.drop_artificial();
    let mut costs = program.objective.clone();
    costs.resize(tableau.width, Rational::ZERO);
    let end = tableau.minimise(&costs, go_on)?;
    let point = tableau.point(program.objective.len());
    match end {
        None => {
            let value = dot(&program.objective, &point);
            let dual = tableau.signed(&tableau.multipliers(&costs));
            Some(Outcome::Optimal { point, value, dual })
        }
        Some(column) => {
            let mut ray = vec![Rational::ZERO; tableau.width];
            ray[column] = Rational::ONE;
            for (row, basic) in tableau.rows.iter().zip(&tableau.basis) {
                ray[*basic] = row[column].neg();
            }
            ray.truncate(program.objective.len());
            Some(Outcome::Unbounded { point, ray })
        }
    }
}

pub(crate) fn dot(a: &[Rational], b: &[Rational]) -> Rational {
    a.iter().zip(b).filter(|(x, y)| !x.is_zero() && !y.is_zero()).fold(Rational::ZERO, |sum, (x, y)| sum.add(&x.mul(y)))
}

struct Tableau {
    /// Each with its right side last.
    rows: Vec<Vec<Rational>>,
    /// The basic column of each row.
    basis: Vec<usize>,
    /// Rows whose signs were changed to make right sides positive.
    flipped: Vec<bool>,
    /// Columns from here on are artificial, one for each row.
    artificial: usize,
    width: usize,
}

impl Tableau {
    fn new(program: &Program) -> Tableau {
        let columns = program.objective.len();
        let slacks = program.rows.iter().filter(|r| r.relation != Relation::Equal).count();
        let artificial = columns + slacks;
        let width = artificial + program.rows.len();
        let (mut rows, mut flipped, mut next) = (Vec::new(), Vec::new(), columns);
        for (i, given) in program.rows.iter().enumerate() {
            let mut row = vec![Rational::ZERO; width + 1];
            for (column, factor) in &given.terms {
                row[*column] = row[*column].add(factor);
            }
            if given.relation != Relation::Equal {
                row[next] = if given.relation == Relation::AtMost { Rational::ONE } else { Rational::from(-1) };
                next += 1;
            }
            row[width] = given.bound.clone();
            let flip = given.bound.signum() < 0;
            if flip {
                row.iter_mut().for_each(|x| *x = x.neg());
            }
            row[artificial + i] = Rational::ONE;
            rows.push(row);
            flipped.push(flip);
        }
        let basis = (0..program.rows.len()).map(|i| artificial + i).collect();
        Tableau { rows, basis, flipped, artificial, width }
    }

    /// Brings the costs down. `Some` is a column in whose direction they fall for ever.
    fn minimise(&mut self, costs: &[Rational], go_on: &mut dyn FnMut() -> bool) -> Option<Option<usize>> {
        let mut reduced = self.reduced(costs);
        loop {
            // Artificial columns never come back.
            let Some(entering) = (0..self.artificial).find(|j| reduced[*j].signum() < 0) else { return Some(None) };
            let mut leaving: Option<(usize, Rational)> = None;
            for (i, row) in self.rows.iter().enumerate() {
                if row[entering].signum() <= 0 {
                    continue;
                }
                let ratio = row[self.width].div(&row[entering]);
                let is_better = leaving
                    .as_ref()
                    .is_none_or(|(best, least)| ratio < *least || ratio == *least && self.basis[i] < self.basis[*best]);
                if is_better {
                    leaving = Some((i, ratio));
                }
            }
            let Some((leaving, _)) = leaving else { return Some(Some(entering)) };
            if !go_on() {
                return None;
            }
            self.pivot(leaving, entering);
            let factor = reduced[entering].clone();
            subtract(&mut reduced, &self.rows[leaving], &factor);
        }
    }

    /// The costs in terms of the columns outside the basis.
    fn reduced(&self, costs: &[Rational]) -> Vec<Rational> {
        let mut reduced = costs.to_vec();
        reduced.push(Rational::ZERO);
        for (row, basic) in self.rows.iter().zip(&self.basis) {
            let factor = costs[*basic].clone();
            subtract(&mut reduced, row, &factor);
        }
        reduced
    }

    fn pivot(&mut self, at: usize, entering: usize) {
        let factor = self.rows[at][entering].clone();
        let row: Vec<Rational> =
            self.rows[at].iter().map(|x| if x.is_zero() { Rational::ZERO } else { x.div(&factor) }).collect();
        for (i, other) in self.rows.iter_mut().enumerate() {
            if i != at && !other[entering].is_zero() {
                let factor = other[entering].clone();
                subtract(other, &row, &factor);
            }
        }
        self.rows[at] = row;
        self.basis[at] = entering;
    }

    /// Takes artificial columns out of the basis. Where that cannot be, the row is a sum of others and stays 0.
    fn drop_artificial(&mut self) {
        for i in 0..self.rows.len() {
            if self.basis[i] >= self.artificial
                && let Some(column) = (0..self.artificial).find(|j| !self.rows[i][*j].is_zero())
            {
                self.pivot(i, column);
            }
        }
    }

    /// A factor for each row of the tableau as it began: the costs of the basis times its inverse.
    fn multipliers(&self, costs: &[Rational]) -> Vec<Rational> {
        let of_basis: Vec<Rational> = self.basis.iter().map(|b| costs[*b].clone()).collect();
        let column = |j: usize| self.rows.iter().map(move |row| row[j].clone()).collect::<Vec<_>>();
        (0..self.rows.len()).map(|i| dot(&of_basis, &column(self.artificial + i))).collect()
    }

    /// Factors for the rows as they were given.
    fn signed(&self, multipliers: &[Rational]) -> Vec<Rational> {
        multipliers.iter().zip(&self.flipped).map(|(y, flip)| if *flip { y.neg() } else { y.clone() }).collect()
    }

    fn point(&self, columns: usize) -> Vec<Rational> {
        let mut point = vec![Rational::ZERO; columns];
        for (row, basic) in self.rows.iter().zip(&self.basis) {
            if *basic < columns {
                point[*basic] = row[self.width].clone();
            }
        }
        point
    }
}

fn subtract(from: &mut [Rational], row: &[Rational], factor: &Rational) {
    if factor.is_zero() {
        return;
    }
    for (x, y) in from.iter_mut().zip(row) {
        if !y.is_zero() {
            *x = x.sub(&y.mul(factor));
        }
    }
}
