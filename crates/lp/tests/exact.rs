//! Numbers against 128-bit arithmetic and identities; programs against all their corners.

use ferrospin_lp::check::confirms;
use ferrospin_lp::{Integer, Outcome, Program, Rational, Relation, Row, solve};

/// A repeatable source of numbers (xorshift).
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: u64) -> u64 {
        (self.bits() >> 11) % bound
    }

    /// From `-bound` to `bound`.
    fn around(&mut self, bound: i64) -> i64 {
        self.below(2 * bound as u64 + 1) as i64 - bound
    }

    /// Of any length up to this many bits.
    fn wide(&mut self, bits_max: u64) -> i128 {
        let all = i128::from(self.bits()) << 64 | i128::from(self.bits());
        let value = all.unsigned_abs() >> (128 - 1 - self.below(bits_max - 1));
        if self.below(2) == 0 { value as i128 } else { -(value as i128) }
    }
}

#[test]
fn integers_as_128_bits() {
    let random = &mut Random(1);
    for _ in 0..8000 {
        let (a, b) = (random.wide(126), random.wide(126));
        let (x, y) = (Integer::from(a), Integer::from(b));
        assert_eq!(x.to_string(), a.to_string());
        assert_eq!(x.add(&y).to_string(), (a + b).to_string());
        assert_eq!(x.sub(&y).to_string(), (a - b).to_string());
        assert_eq!(x.cmp(&y), a.cmp(&b));
        assert_eq!((x.signum(), x.neg()), (a.signum() as i32, Integer::from(-a)));
        if b != 0 {
            assert_eq!(x.div_rem(&y), (Integer::from(a / b), Integer::from(a % b)));
        }
        let (c, d) = (random.wide(62), random.wide(62));
        assert_eq!(Integer::from(c).mul(&Integer::from(d)), Integer::from(c * d));
        // The form is unique: what comes back below 64 bits is small again.
        assert_eq!(x.add(&y).sub(&y), x);
        assert_eq!(Integer::from(i128::from(i64::MIN)), Integer::from(i64::MIN));
    }
}

#[test]
fn long_integers_keep_the_laws() {
    let random = &mut Random(2);
    for _ in 0..500 {
        let mut long = || (0..3).fold(Integer::ONE, |x, _| x.mul(&Integer::from(random.wide(120))).add(&Integer::ONE));
        let (a, b, c) = (long(), long(), long());
        assert_eq!(a.add(&b).mul(&c), a.mul(&c).add(&b.mul(&c)));
        let (quotient, rest) = a.mul(&b).add(&c).div_rem(&b);
        assert_eq!(quotient.mul(&b).add(&rest), a.mul(&b).add(&c));
        assert!(rest.abs() < b.abs());
        let divisor = a.mul(&c).gcd(&b.mul(&c));
        assert!(divisor.div_rem(&c).1.is_zero() && a.mul(&c).div_rem(&divisor).1.is_zero());
    }
    // 30! written out.
    let factorial = (1..=30i64).fold(Integer::ONE, |x, i| x.mul(&Integer::from(i)));
    assert_eq!(factorial.to_string(), "265252859812191058636308480000000");
    assert_eq!(factorial.neg().to_string(), "-265252859812191058636308480000000");
}

#[test]
fn rationals() {
    let q = |n: i64, d: i64| Rational::new(n.into(), d.into());
    assert_eq!(q(6, -4).to_string(), "-3/2");
    assert_eq!((q(-3, 2).floor(), q(3, 2).floor(), q(-4, 2).floor()), ((-2i64).into(), 1i64.into(), (-2i64).into()));
    assert!(q(1, 3) < q(34, 100) && q(-1, 3) > q(-34, 100));
    // The harmonic sum of 60 terms needs more than 64 bits.
    let sum = (1..=60).fold(Rational::ZERO, |s, i| s.add(&q(1, i)));
    let back = (1..=60).fold(sum.clone(), |s, i| s.sub(&q(1, i)));
    assert!(sum.denominator().to_i64().is_none() && back.is_zero());
}

fn row(factors: &[i64], relation: Relation, bound: i64) -> Row {
    let terms = factors.iter().enumerate().map(|(i, f)| (i, Rational::from(*f))).collect();
    Row { terms, relation, bound: bound.into() }
}

fn program(objective: &[i64], rows: Vec<Row>) -> Program {
    Program { objective: objective.iter().map(|c| Rational::from(*c)).collect(), rows }
}

/// The point where as many conditions hold with equality as there are columns, if it is one point.
fn meet(conditions: &[(Vec<Rational>, Rational)]) -> Option<Vec<Rational>> {
    let n = conditions.len();
    let mut rows: Vec<Vec<Rational>> =
        conditions.iter().map(|(f, b)| [&f[..], std::slice::from_ref(b)].concat()).collect();
    for column in 0..n {
        let at = (column..n).find(|i| !rows[*i][column].is_zero())?;
        rows.swap(column, at);
        let pivot = rows[column][column].clone();
        let scaled: Vec<Rational> = rows[column].iter().map(|x| x.div(&pivot)).collect();
        rows[column] = scaled.clone();
        for i in (0..n).filter(|i| *i != column) {
            let factor = rows[i][column].clone();
            rows[i] = rows[i].iter().zip(&scaled).map(|(x, y)| x.sub(&y.mul(&factor))).collect();
        }
    }
    Some(rows.into_iter().map(|r| r[n].clone()).collect())
}

/// The least value over all corners; `None` if there is no point. The program is inside a box.
fn by_corners(p: &Program) -> Option<Rational> {
    let n = p.objective.len();
    let mut conditions: Vec<(Vec<Rational>, Rational)> = p
        .rows
        .iter()
        .map(|r| {
            let mut factors = vec![Rational::ZERO; n];
            r.terms.iter().for_each(|(i, f)| factors[*i] = factors[*i].add(f));
            (factors, r.bound.clone())
        })
        .collect();
    for i in 0..n {
        let factors = (0..n).map(|j| Rational::from(i64::from(i == j))).collect();
        conditions.push((factors, Rational::ZERO));
    }
    let product = |a: &[Rational], b: &[Rational]| a.iter().zip(b).fold(Rational::ZERO, |s, (x, y)| s.add(&x.mul(y)));
    let keeps = |x: &[Rational]| {
        x.iter().all(|v| v.signum() >= 0)
            && p.rows.iter().zip(&conditions).all(|(r, (factors, bound))| match r.relation {
                Relation::AtMost => product(factors, x) <= *bound,
                Relation::AtLeast => product(factors, x) >= *bound,
                Relation::Equal => product(factors, x) == *bound,
            })
    };
    let mut best: Option<Rational> = None;
    for chosen in 0u32..1 << conditions.len() {
        if chosen.count_ones() as usize != n {
            continue;
        }
        let here: Vec<_> =
            (0..conditions.len()).filter(|i| chosen >> i & 1 == 1).map(|i| conditions[i].clone()).collect();
        if let Some(x) = meet(&here)
            && keeps(&x)
        {
            let value = product(&p.objective, &x);
            best = Some(best.map_or(value.clone(), |b| b.min(value)));
        }
    }
    best
}

#[test]
fn random_programs_in_a_box() {
    let random = &mut Random(3);
    let (mut optimal, mut infeasible) = (0, 0);
    for _ in 0..700 {
        let n = 2 + random.below(2) as usize;
        let mut factors = |bound| (0..n).map(|_| random.around(bound)).collect::<Vec<i64>>();
        let objective = factors(5);
        let mut rows: Vec<Row> = (0..n).map(|i| row(&[vec![0; i], vec![1]].concat(), Relation::AtMost, 7)).collect();
        let lines: Vec<Vec<i64>> = (0..3).map(|_| factors(4)).collect();
        for line in lines {
            let relation = [Relation::AtMost, Relation::AtLeast, Relation::Equal][random.below(3) as usize];
            rows.push(row(&line, relation, random.around(6)));
        }
        let p = program(&objective, rows);
        let outcome = solve(&p, &mut || true).expect("few pivots");
        assert!(confirms(&p, &outcome), "{p:?} {outcome:?}");
        match (&outcome, by_corners(&p)) {
            (Outcome::Optimal { value, .. }, Some(best)) => {
                assert_eq!(*value, best);
                optimal += 1;
            }
            (Outcome::Infeasible { .. }, None) => infeasible += 1,
            other => panic!("{p:?}: {other:?}"),
        }
    }
    assert!(optimal > 100 && infeasible > 30, "{optimal} {infeasible}");
}

/// Without a box each answer is judged by what it carries, and a wrong one is refused.
#[test]
fn random_programs() {
    let random = &mut Random(4);
    let mut kinds = [0; 3];
    for _ in 0..2000 {
        let (n, m) = (1 + random.below(6) as usize, 1 + random.below(7) as usize);
        let objective: Vec<i64> = (0..n).map(|_| random.around(9)).collect();
        let rows = (0..m)
            .map(|_| {
                let factors: Vec<i64> = (0..n).map(|_| random.around(3)).collect();
                let relation = [Relation::AtMost, Relation::AtLeast, Relation::Equal][random.below(3) as usize];
                row(&factors, relation, random.around(9))
            })
            .collect();
        let p = program(&objective, rows);
        let outcome = solve(&p, &mut || true).expect("few pivots");
        assert!(confirms(&p, &outcome), "{p:?} {outcome:?}");
        let wrong = match outcome {
            Outcome::Optimal { point, value, dual } => {
                kinds[0] += 1;
                Outcome::Optimal { point, value: value.sub(&Rational::ONE), dual }
            }
            Outcome::Infeasible { combination } => {
                kinds[1] += 1;
                Outcome::Infeasible { combination: combination.iter().map(Rational::neg).collect() }
            }
            Outcome::Unbounded { point, ray } => {
                kinds[2] += 1;
                Outcome::Unbounded { point, ray: ray.iter().map(Rational::neg).collect() }
            }
        };
        assert!(!confirms(&p, &wrong), "{p:?} {wrong:?}");
    }
    assert!(kinds.iter().all(|k| *k > 100), "{kinds:?}");
}

/// The cube of Klee and Minty, on which other rules of choice take exponentially many steps, and whose numbers grow.
#[test]
fn the_cube() {
    let n = 9u32;
    let rows = (0..n)
        .map(|i| {
            let factors: Vec<i64> = (0..i).map(|j| 2 * 10i64.pow(i - j)).chain([1]).collect();
            row(&factors, Relation::AtMost, 100i64.pow(i))
        })
        .collect();
    let objective: Vec<i64> = (0..n).map(|j| -(10i64.pow(n - 1 - j))).collect();
    let p = program(&objective, rows);
    let outcome = solve(&p, &mut || true).expect("Bland's rule ends");
    assert!(confirms(&p, &outcome));
    let Outcome::Optimal { value, .. } = outcome else { panic!("it has an optimum") };
    assert_eq!(value, Rational::from(-(100i64.pow(n - 1))));
}

/// Coefficients at the edge of 64 bits: products and sums leave them.
#[test]
fn large_coefficients() {
    let random = &mut Random(5);
    for _ in 0..200 {
        let mut large = || i64::MAX - random.below(1000) as i64;
        let rows = vec![
            row(&[large(), large(), 1], Relation::AtMost, large()),
            row(&[large(), -large(), large()], Relation::AtLeast, -large()),
            row(&[1, large(), large()], Relation::Equal, large()),
        ];
        let p = program(&[-large(), large(), -large()], rows);
        let outcome = solve(&p, &mut || true).expect("few pivots");
        assert!(confirms(&p, &outcome), "{p:?} {outcome:?}");
    }
}

#[test]
fn limits_end_in_nothing() {
    let p = program(&[-1], vec![row(&[1], Relation::AtMost, 1)]);
    assert!(solve(&p, &mut || false).is_none() && solve(&p, &mut || true).is_some());
}
