//! Random terms of chi over two global variables with values 0 to 2, random closed models, and a second reading of the operational
//! semantics.

use crate::random::Random;
use ferrospin_chi::rules::{Asks, Law, Pieces, never_ends_at_once};
use ferrospin_chi::term::{Binary, Channel, Declared, Expression, Process, Program, Term, Type, Variable, make};
use std::sync::Arc;

/// A variable of the terms.
pub const X: Variable = Variable(0);
/// Another.
pub const Y: Variable = Variable(1);
/// A variable of scopes only.
pub const L: Variable = Variable(2);
/// A variable that occurs nowhere but where a law puts it.
pub const W: Variable = Variable(3);
/// A channel of the terms.
pub const A: Channel = Channel(0);
/// Another.
pub const B: Channel = Channel(1);

/// The tables for terms over `x`, `y`, `l`, `w` and channels `a`, `b`.
pub fn tables() -> Program {
    let declared = |name: &str, range| Declared { name: name.into(), ty: Type::Int, range: Some(range) };
    Program {
        variables: ["x", "y", "l", "w"].map(|name| declared(name, (0, 2))).to_vec(),
        globals: vec![0, 0],
        channels: ["a", "b"].map(|name| declared(name, (0, 1))).to_vec(),
        process: make::eps(),
    }
}

/// A random condition.
pub fn condition(random: &mut Random, variables: &[Variable]) -> Arc<Expression> {
    let x = make::variable(variables[random.below(variables.len())]);
    let other = match random.below(3) {
        0 => make::variable(variables[random.below(variables.len())]),
        _ => make::int(random.below(3) as i32),
    };
    let op = [Binary::Equal, Binary::Different, Binary::Less, Binary::GreaterEqual][random.below(4)];
    make::binary(op, x, other)
}

/// A value from 0 to 2.
pub fn value(random: &mut Random, variables: &[Variable]) -> Arc<Expression> {
    let x = make::variable(variables[random.below(variables.len())]);
    match random.below(3) {
        0 => make::int(random.below(3) as i32),
        1 => x,
        _ => make::binary(Binary::Modulo, make::binary(Binary::Plus, x, make::int(1)), make::int(3)),
    }
}

/// What terms are made of.
#[derive(Clone, Copy, Debug)]
pub struct Kind<'a> {
    /// The variables.
    pub variables: &'a [Variable],
    /// Parallel processes, scopes and encapsulation, too.
    pub all: bool,
}

/// A random atom.
pub fn atom(random: &mut Random, kind: Kind<'_>) -> Process {
    let variable = |random: &mut Random| kind.variables[random.below(kind.variables.len())];
    let channel = |random: &mut Random| [A, B][random.below(2)];
    match random.below(10) {
        0 => make::delta(),
        1 => make::eps(),
        2 | 3 => make::skip(),
        4 | 5 => make::assign(variable(random), value(random, kind.variables)),
        6 | 7 => {
            let bit = make::binary(Binary::Modulo, value(random, kind.variables), make::int(2));
            make::send(channel(random), bit)
        }
        _ => make::receive(channel(random), variable(random)),
    }
}

/// A random term.
pub fn term(random: &mut Random, depth: usize, kind: Kind<'_>) -> Process {
    if depth == 0 || random.below(4) == 0 {
        return atom(random, kind);
    }
    let below = |random: &mut Random| term(random, depth - 1, kind);
    match random.below(if kind.all { 8 } else { 5 }) {
        0 => make::guard(condition(random, kind.variables), below(random)),
        1 | 2 => make::sequence(below(random), below(random)),
        3 => make::choice(below(random), below(random)),
        4 => make::repeat(below(random)),
        5 => make::parallel(below(random), below(random)),
        6 => {
            let x = kind.variables[random.below(kind.variables.len())];
            make::scope(vec![(x, random.below(3) as i32)], below(random))
        }
        _ => make::enc(below(random)),
    }
}

/// A random term that never terminates at once.
pub fn bar_term(random: &mut Random, depth: usize, kind: Kind<'_>) -> Process {
    loop {
        let p = term(random, depth, kind);
        if never_ends_at_once(&p) {
            return p;
        }
        // Repetitions and ends are frequent: something behind them helps.
        let p = make::sequence(p, atom(random, kind));
        if never_ends_at_once(&p) {
            return p;
        }
    }
}

/// Random pieces for a law: `p` may use the variables of the scope, the others may not.
pub fn pieces(random: &mut Random, law: &Law, depth: usize) -> Pieces {
    let make_term = if law.asks == Asks::Bar || law.name.starts_with("bar") { bar_term } else { term };
    let outside = Kind { variables: &[X, Y], all: true };
    let inside = Kind { variables: &[X, Y, L], all: true };
    // Only where both scopes are around everything can they share names with what is outside.
    let shares = law.name.starts_with("scope in a scope");
    let with_scope = law.name.starts_with("scope");
    let scope = |random: &mut Random| {
        let mut found = Vec::new();
        for x in if shares { &[X, Y, L][..] } else { &[L][..] } {
            if found.is_empty() || random.below(2) == 0 {
                found.push((*x, random.below(3) as i32));
            }
        }
        found
    };
    let (s, t) = (scope(random), scope(random));
    Pieces {
        p: make_term(random, depth, if with_scope { inside } else { outside }),
        q: make_term(random, depth, outside),
        r: make_term(random, depth.min(1), outside),
        b: condition(random, &[X, Y]),
        c: condition(random, &[X, Y]),
        s,
        t,
        w: W,
    }
}

/// A random closed model: some sequential processes that talk to one another, with scopes, and here and there processes that begin
/// or end inside others. Not every one has a translation.
pub fn model(seed: u64) -> Program {
    let mut random = Random::new(seed);
    let random = &mut random;
    let kind = Kind { variables: &[X, Y, L], all: false };
    let count = 2 + random.below(2);
    let part = |random: &mut Random| {
        let depth = 2 + random.below(2);
        let p = if random.chance(70) { bar_term(random, depth, kind) } else { term(random, depth, kind) };
        match random.below(6) {
            0 | 1 => make::repeat(p),
            2 => make::scope(vec![(L, random.below(3) as i32)], p),
            3 => {
                let [q, r] = [0; 2].map(|_| bar_term(random, 1, kind));
                if random.chance(50) {
                    make::sequence(make::parallel(p, q), r)
                } else {
                    make::sequence(q, make::parallel(p, r))
                }
            }
            _ => p,
        }
    };
    let parts: Vec<Process> = (0..count).map(|_| part(random)).collect();
    let whole = parts.into_iter().reduce(make::parallel).expect("there are some");
    let process = make::enc(make::scope(vec![(L, random.below(3) as i32)], whole));
    Program { process, ..tables() }
}

/// What a configuration does, read off the tables of the literature a second time: all steps, receiving ones for values 0 to 2, and
/// whether it terminates. Nothing is simplified.
pub mod twin {
    use super::*;
    use ferrospin_chi::step::{Action, value};

    /// The values of all variables.
    pub type State = Vec<i32>;

    fn gamma(s: &[(Variable, i32)], sigma: &State) -> State {
        let mut all = sigma.clone();
        for (x, v) in s {
            all[x.index()] = *v;
        }
        all
    }

    /// Whether it terminates.
    pub fn ends(p: &Process, sigma: &State) -> bool {
        match p.term() {
            Term::Epsilon => true,
            Term::Guard(b, p) => value(b, sigma) == Ok(1) && ends(p, sigma),
            Term::Sequence(p, q) => ends(p, sigma) && ends(q, sigma),
            Term::Choice(p, q) => ends(p, sigma) || ends(q, sigma),
            Term::Repeat(_) => true,
            Term::Parallel(p, q) => ends(p, sigma) && ends(q, sigma),
            Term::Scope(s, p) => ends(p, &gamma(s, sigma)),
            Term::Encapsulate(p) => ends(p, sigma),
            _ => false,
        }
    }

    /// All its steps.
    pub fn steps(p: &Process, sigma: &State) -> Vec<(Action, Process, State)> {
        let mut out = Vec::new();
        match p.term() {
            Term::Delta | Term::Epsilon => {}
            Term::Skip => out.push((Action::Internal, make::eps(), sigma.clone())),
            Term::Assign(x, e) => {
                let d = value(e, sigma).expect("no division");
                let mut after = sigma.clone();
                after[x.index()] = d;
                out.push((Action::Assign(*x, d), make::eps(), after));
            }
            Term::Send(m, e) => {
                out.push((Action::Send(*m, value(e, sigma).expect("no division")), make::eps(), sigma.clone()))
            }
            Term::Receive(m, x) => {
                for d in 0..3 {
                    let mut after = sigma.clone();
                    after[x.index()] = d;
                    out.push((Action::Receive(*m, d), make::eps(), after));
                }
            }
            Term::Guard(b, p) => {
                if value(b, sigma) == Ok(1) {
                    out = steps(p, sigma);
                }
            }
            Term::Sequence(p, q) => {
                out.extend(steps(p, sigma).into_iter().map(|(a, p, s)| (a, make::sequence(p, q.clone()), s)));
                if ends(p, sigma) {
                    out.extend(steps(q, sigma));
                }
            }
            Term::Choice(p, q) => {
                out = steps(p, sigma);
                out.extend(steps(q, sigma));
            }
            Term::Repeat(body) => {
                out.extend(steps(body, sigma).into_iter().map(|(a, b, s)| (a, make::sequence(b, p.clone()), s)));
            }
            Term::Parallel(p, q) => {
                let (of_p, of_q) = (steps(p, sigma), steps(q, sigma));
                for (a, next, s) in &of_p {
                    out.push((*a, make::parallel(next.clone(), q.clone()), s.clone()));
                }
                for (a, next, s) in &of_q {
                    out.push((*a, make::parallel(p.clone(), next.clone()), s.clone()));
                }
                for (a, p, s) in &of_p {
                    for (b, q, t) in &of_q {
                        match (*a, *b) {
                            (Action::Send(m, d), Action::Receive(n, e)) if (m, d) == (n, e) => {
                                out.push((Action::Communicate(m, d), make::parallel(p.clone(), q.clone()), t.clone()));
                            }
                            (Action::Receive(m, d), Action::Send(n, e)) if (m, d) == (n, e) => {
                                out.push((Action::Communicate(m, d), make::parallel(p.clone(), q.clone()), s.clone()));
                            }
                            _ => {}
                        }
                    }
                }
            }
            Term::Scope(s, p) => {
                for (a, next, after) in steps(p, &gamma(s, sigma)) {
                    let kept = s.iter().map(|(x, _)| (*x, after[x.index()])).collect();
                    let mut around = after.clone();
                    for (x, _) in s.iter() {
                        around[x.index()] = sigma[x.index()];
                    }
                    out.push((a, make::scope(kept, next), around));
                }
            }
            Term::Encapsulate(p) => {
                for (a, next, s) in steps(p, sigma) {
                    if !matches!(a, Action::Send(..) | Action::Receive(..)) {
                        out.push((a, make::enc(next), s));
                    }
                }
            }
        }
        out
    }
}
