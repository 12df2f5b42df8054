//! Laws of the language: pairs of processes that are stuttering congruent (Luttik and Trcka, SPIN 2005, section 5).
//!
//! A law is written once, as a function from its pieces to its two sides. [`crate::normal`] rewrites by it, tests look at random
//! instances of it, and a translation that is validated looks at the instances that it used. In the paper the law that joins two
//! scopes lets the outer one win; [`PRINTED`] keeps it as printed, for the tests that refute it.

use crate::term::{Binary, Expression, Process, Term, Variable, make};
use std::sync::Arc;

/// What a law is made of; each uses some.
#[derive(Clone, Debug)]
pub struct Pieces {
    /// Processes.
    pub p: Process,
    /// Another.
    pub q: Process,
    /// And another.
    pub r: Process,
    /// A condition.
    pub b: Arc<Expression>,
    /// Another.
    pub c: Arc<Expression>,
    /// The variables of a scope, none of them in `q`, `r`, `b`.
    pub s: Vec<(Variable, i32)>,
    /// The variables of a scope inside it.
    pub t: Vec<(Variable, i32)>,
    /// A variable that occurs nowhere.
    pub w: Variable,
}

/// What the processes of a law must be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asks {
    /// Nothing.
    Nothing,
    /// None of them ever terminates at once ([`never_ends_at_once`]).
    Bar,
}

/// A law.
#[derive(Clone, Copy, Debug)]
pub struct Law {
    /// As reports name it.
    pub name: &'static str,
    /// What it asks of its processes.
    pub asks: Asks,
    /// Both sides.
    pub sides: fn(&Pieces) -> (Process, Process),
}

use make::{assign, enc, eps, guard, parallel, repeat, scope, sequence};

fn law(name: &'static str, sides: fn(&Pieces) -> (Process, Process)) -> Law {
    Law { name, asks: Asks::Nothing, sides }
}

fn bar(name: &'static str, sides: fn(&Pieces) -> (Process, Process)) -> Law {
    Law { name, asks: Asks::Bar, sides }
}

/// All of them.
pub fn all() -> Vec<Law> {
    vec![
        law("scope over guard", |x| {
            (guard(x.b.clone(), scope(x.s.clone(), x.p.clone())), scope(x.s.clone(), guard(x.b.clone(), x.p.clone())))
        }),
        law("scope over the first of a sequence", |x| {
            let left = sequence(scope(x.s.clone(), x.p.clone()), x.q.clone());
            (left, scope(x.s.clone(), sequence(x.p.clone(), x.q.clone())))
        }),
        law("scope over the second of a sequence", |x| {
            let left = sequence(x.q.clone(), scope(x.s.clone(), x.p.clone()));
            (left, scope(x.s.clone(), sequence(x.q.clone(), x.p.clone())))
        }),
        law("scope over the left of a choice", |x| {
            let left = make::choice(scope(x.s.clone(), x.p.clone()), x.q.clone());
            (left, scope(x.s.clone(), make::choice(x.p.clone(), x.q.clone())))
        }),
        law("scope over the right of a choice", |x| {
            let left = make::choice(x.q.clone(), scope(x.s.clone(), x.p.clone()));
            (left, scope(x.s.clone(), make::choice(x.q.clone(), x.p.clone())))
        }),
        law("scope over the left of a parallel", |x| {
            let left = parallel(scope(x.s.clone(), x.p.clone()), x.q.clone());
            (left, scope(x.s.clone(), parallel(x.p.clone(), x.q.clone())))
        }),
        law("scope over the right of a parallel", |x| {
            let left = parallel(x.q.clone(), scope(x.s.clone(), x.p.clone()));
            (left, scope(x.s.clone(), parallel(x.q.clone(), x.p.clone())))
        }),
        law("scope over encapsulation", |x| {
            (enc(scope(x.s.clone(), x.p.clone())), scope(x.s.clone(), enc(x.p.clone())))
        }),
        law("scope in a scope", |x| {
            let left = scope(x.s.clone(), scope(x.t.clone(), x.p.clone()));
            (left, scope(overridden(&x.t, &x.s), x.p.clone()))
        }),
        bar("scope over repetition", |x| {
            let reset = x.s.iter().map(|(y, value)| assign(*y, constant(*value)));
            let body = std::iter::once(x.p.clone()).chain(reset).collect::<Vec<_>>();
            let body = body.into_iter().rev().reduce(|rest, p| sequence(p, rest)).expect("the process is there");
            (repeat(scope(x.s.clone(), x.p.clone())), scope(x.s.clone(), repeat(body)))
        }),
        law("guard that is true", |x| (guard(make::truth(true), x.p.clone()), x.p.clone())),
        law("guard in a guard", |x| {
            let both = make::binary(Binary::And, x.b.clone(), x.c.clone());
            (guard(x.b.clone(), guard(x.c.clone(), x.p.clone())), guard(both, x.p.clone()))
        }),
        law("guard into a sequence", |x| {
            let left = guard(x.b.clone(), sequence(x.p.clone(), x.q.clone()));
            (left, sequence(guard(x.b.clone(), x.p.clone()), x.q.clone()))
        }),
        law("guard into a choice", |x| {
            let left = guard(x.b.clone(), make::choice(x.p.clone(), x.q.clone()));
            (left, make::choice(guard(x.b.clone(), x.p.clone()), guard(x.b.clone(), x.q.clone())))
        }),
        law("guard into a repetition", |x| {
            let once = sequence(guard(x.b.clone(), x.p.clone()), repeat(x.p.clone()));
            (guard(x.b.clone(), repeat(x.p.clone())), make::choice(once, guard(x.b.clone(), eps())))
        }),
        law("guard into encapsulation", |x| {
            (guard(x.b.clone(), enc(x.p.clone())), enc(guard(x.b.clone(), x.p.clone())))
        }),
        bar("parallel before", |x| {
            let left = sequence(parallel(x.p.clone(), x.q.clone()), x.r.clone());
            let waits = waiting(x.w, 2, &x.r);
            (left, scope(vec![(x.w, 0)], parallel(counted(&x.p, x.w), parallel(counted(&x.q, x.w), waits))))
        }),
        bar("parallel behind", |x| {
            let left = sequence(x.p.clone(), parallel(x.q.clone(), x.r.clone()));
            let waits = |p| waiting(x.w, 1, p);
            (left, scope(vec![(x.w, 0)], parallel(counted(&x.p, x.w), parallel(waits(&x.q), waits(&x.r)))))
        }),
        law("empty first", |x| (sequence(eps(), x.p.clone()), x.p.clone())),
        law("empty last", |x| (sequence(x.p.clone(), eps()), x.p.clone())),
        law("empty beside, left", |x| (parallel(eps(), x.p.clone()), x.p.clone())),
        law("empty beside, right", |x| (parallel(x.p.clone(), eps()), x.p.clone())),
        law("nothing behind deadlock", |x| (sequence(make::delta(), x.p.clone()), make::delta())),
        law("sequences group to the right", |x| {
            let left = sequence(sequence(x.p.clone(), x.q.clone()), x.r.clone());
            (left, sequence(x.p.clone(), sequence(x.q.clone(), x.r.clone())))
        }),
        law("choice before a sequence", |x| {
            let left = sequence(make::choice(x.p.clone(), x.q.clone()), x.r.clone());
            (left, make::choice(sequence(x.p.clone(), x.r.clone()), sequence(x.q.clone(), x.r.clone())))
        }),
        law("guarded end", |x| (sequence(guard(x.b.clone(), eps()), x.p.clone()), guard(x.b.clone(), x.p.clone()))),
        law("repetition of a repetition", |x| (repeat(repeat(x.p.clone())), repeat(x.p.clone()))),
    ]
}

/// The law of this name.
pub fn named(name: &str) -> Law {
    all().into_iter().find(|l| l.name == name).expect("laws are used by their names")
}

/// The law that joins two scopes, as the paper prints it: the outer scope wins.
pub const PRINTED: Law = Law {
    name: "scope in a scope, as printed",
    asks: Asks::Nothing,
    sides: |x| {
        let left = scope(x.s.clone(), scope(x.t.clone(), x.p.clone()));
        (left, scope(overridden(&x.s, &x.t), x.p.clone()))
    },
};

/// The laws with parallel processes and repeated scopes are wrong for processes that may terminate at once; these are those laws
/// without what they ask, for the tests that refute them.
pub fn without_conditions() -> Vec<Law> {
    all().into_iter().filter(|l| l.asks == Asks::Bar).map(|l| Law { asks: Asks::Nothing, ..l }).collect()
}

/// The values of two scopes, where those of the first win.
fn overridden(first: &[(Variable, i32)], second: &[(Variable, i32)]) -> Vec<(Variable, i32)> {
    let rest = second.iter().filter(|(x, _)| !first.iter().any(|(y, _)| x == y));
    first.iter().chain(rest).copied().collect()
}

/// The value that a variable has at first; 0 and 1 of truth values are read as numbers here, which their variables take.
fn constant(value: i32) -> Arc<Expression> {
    make::int(value)
}

/// `w = n`
fn is(w: Variable, n: i32) -> Arc<Expression> {
    make::binary(Binary::Equal, make::variable(w), make::int(n))
}

/// `p; w := w + 1`
fn counted(p: &Process, w: Variable) -> Process {
    sequence(p.clone(), assign(w, make::binary(Binary::Plus, make::variable(w), make::int(1))))
}

/// `(w = n) :-> p`; each of parallel processes waits for itself, because the counter never leaves `n` again.
fn waiting(w: Variable, n: i32, p: &Process) -> Process {
    match p.term() {
        Term::Parallel(q, r) => parallel(waiting(w, n, q), waiting(w, n, r)),
        _ => guard(is(w, n), p.clone()),
    }
}

/// Whether a process never terminates at once, neither now nor behind any step: no `eps`, and every repetition is followed by more.
pub fn never_ends_at_once(p: &Process) -> bool {
    match p.term() {
        Term::Epsilon | Term::Repeat(_) => false,
        Term::Sequence(first, rest) => match first.term() {
            Term::Repeat(body) => never_ends_at_once(body) && never_ends_at_once(rest),
            _ => never_ends_at_once(first) && never_ends_at_once(rest),
        },
        _ => p.parts().all(never_ends_at_once),
    }
}
