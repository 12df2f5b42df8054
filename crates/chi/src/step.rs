//! What processes do: the structural operational semantics, rule by rule (Luttik and Trcka, SPIN 2005, tables 1 and 2).
//!
//! A configuration is a process with a state, which gives each variable a value; variables that are not in scope are 0 and do not
//! count. The values that a receive can bring are not guessed: [`receive`] tells what follows one value, and is asked for the
//! values of the partner, or for those of the channel's range.

use crate::term::make::{delta, enc, eps, parallel, sequence};
use crate::term::{Binary, Channel, Expression, Process, Program, Term, Variable};
use std::sync::Arc;

/// The values of all variables.
pub type Values = Box<[i32]>;

/// An expression has no value: the remainder or quotient of a division by zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("division by zero")]
pub struct Fault;

/// What a step is called.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Action {
    /// `skip`
    Internal,
    /// `x` gets a value.
    Assign(Variable, i32),
    /// A value goes out.
    Send(Channel, i32),
    /// A value comes in.
    Receive(Channel, i32),
    /// A value goes from one to another.
    Communicate(Channel, i32),
    /// An expression has no value.
    Fault,
}

/// What a step leads to.
pub type Next = (Process, Values);

/// The value of an expression.
pub fn value(expression: &Expression, values: &[i32]) -> Result<i32, Fault> {
    Ok(match expression {
        Expression::Value(value, _) => *value,
        Expression::Variable(x) => values[x.index()],
        Expression::Not(e) => i32::from(value(e, values)? == 0),
        Expression::Negative(e) => value(e, values)?.wrapping_neg(),
        Expression::Binary(Binary::Or, a, b) => i32::from(value(a, values)? != 0 || value(b, values)? != 0),
        Expression::Binary(Binary::And, a, b) => i32::from(value(a, values)? != 0 && value(b, values)? != 0),
        Expression::Binary(op, a, b) => {
            let (a, b) = (value(a, values)?, value(b, values)?);
            match op {
                Binary::Equal => i32::from(a == b),
                Binary::Different => i32::from(a != b),
                Binary::Less => i32::from(a < b),
                Binary::LessEqual => i32::from(a <= b),
                Binary::Greater => i32::from(a > b),
                Binary::GreaterEqual => i32::from(a >= b),
                Binary::Plus => a.wrapping_add(b),
                Binary::Minus => a.wrapping_sub(b),
                Binary::Times => a.wrapping_mul(b),
                Binary::Divide if b == 0 => return Err(Fault),
                Binary::Divide => a.wrapping_div(b),
                Binary::Modulo if b == 0 => return Err(Fault),
                Binary::Modulo => a.wrapping_rem(b),
                Binary::Or | Binary::And => unreachable!("they were looked at before"),
            }
        }
    })
}

/// Whether a condition holds; one without a value does not, and [`steps`] tells of it.
fn holds(condition: &Expression, values: &[i32]) -> bool {
    value(condition, values).is_ok_and(|v| v != 0)
}

/// Whether a configuration terminates successfully.
pub fn terminates(process: &Process, values: &[i32]) -> bool {
    match process.term() {
        Term::Epsilon | Term::Repeat(_) => true,
        Term::Delta | Term::Skip | Term::Assign(..) | Term::Send(..) | Term::Receive(..) => false,
        Term::Guard(b, p) => holds(b, values) && terminates(p, values),
        Term::Sequence(p, q) | Term::Parallel(p, q) => terminates(p, values) && terminates(q, values),
        Term::Choice(p, q) => terminates(p, values) || terminates(q, values),
        Term::Scope(s, p) => terminates(p, &inside(s, values)),
        Term::Encapsulate(p) => terminates(p, values),
    }
}

/// The state inside a scope: its own values win.
fn inside(scope: &[(Variable, i32)], values: &[i32]) -> Values {
    let mut inner: Values = values.into();
    scope.iter().for_each(|(x, value)| inner[x.index()] = *value);
    inner
}

/// What stands for a scope behind a step inside, and the state around it, which keeps its own values.
fn outside(scope: &[(Variable, i32)], before: &[i32], (process, mut values): Next) -> Next {
    let kept = || scope.iter().map(|(x, _)| (*x, values[x.index()])).collect::<Arc<[_]>>();
    let process = if is_done(&process) { process } else { Term::Scope(kept(), process).into() };
    scope.iter().for_each(|(x, _)| values[x.index()] = before[x.index()]);
    (process, values)
}

/// Whether the process is `eps`. Behind a step, `eps; q` is written `q`, `eps || q` is written `q`, and `eps` alone in a scope or
/// encapsulated is written `eps`: by the rules these do and end alike, step for step, and there are fewer configurations.
fn is_done(process: &Process) -> bool {
    matches!(process.term(), Term::Epsilon)
}

fn behind(next: &Process, q: &Process) -> Process {
    if is_done(next) { q.clone() } else { sequence(next.clone(), q.clone()) }
}

fn beside(p: &Process, q: &Process) -> Process {
    match (is_done(p), is_done(q)) {
        (true, _) => q.clone(),
        (_, true) => p.clone(),
        _ => parallel(p.clone(), q.clone()),
    }
}

fn encapsulated(p: Process) -> Process {
    if is_done(&p) { p } else { enc(p) }
}

/// All steps but receiving ones.
pub fn steps(process: &Process, values: &[i32], found: &mut Vec<(Action, Next)>) {
    let fault = |found: &mut Vec<(Action, Next)>| found.push((Action::Fault, (delta(), values.into())));
    match process.term() {
        Term::Delta | Term::Epsilon | Term::Receive(..) => {}
        Term::Skip => found.push((Action::Internal, (eps(), values.into()))),
        Term::Assign(x, e) => match value(e, values) {
            Ok(value) => {
                let mut after: Values = values.into();
                after[x.index()] = value;
                found.push((Action::Assign(*x, value), (eps(), after)));
            }
            Err(Fault) => fault(found),
        },
        Term::Send(m, e) => match value(e, values) {
            Ok(value) => found.push((Action::Send(*m, value), (eps(), values.into()))),
            Err(Fault) => fault(found),
        },
        Term::Guard(b, p) => match value(b, values) {
            Ok(0) => {}
            Ok(_) => steps(p, values, found),
            Err(Fault) => fault(found),
        },
        Term::Sequence(p, q) => {
            let first = found.len();
            steps(p, values, found);
            found[first..].iter_mut().for_each(|(_, (next, _))| *next = behind(next, q));
            if terminates(p, values) {
                steps(q, values, found);
            }
        }
        Term::Choice(p, q) => {
            steps(p, values, found);
            steps(q, values, found);
        }
        Term::Repeat(p) => {
            let first = found.len();
            steps(p, values, found);
            found[first..].iter_mut().for_each(|(_, (next, _))| *next = behind(next, process));
        }
        Term::Parallel(p, q) => {
            for (own, other, is_left) in [(p, q, true), (q, p, false)] {
                let join =
                    |own: &Process, other: &Process| if is_left { beside(own, other) } else { beside(other, own) };
                let mut own_steps = Vec::new();
                steps(own, values, &mut own_steps);
                for (action, (next, after)) in own_steps {
                    if let Action::Send(m, d) = action {
                        let mut taken = Vec::new();
                        receive(other, values, m, d, &mut taken);
                        for (partner, changed) in taken {
                            found.push((Action::Communicate(m, d), (join(&next, &partner), changed)));
                        }
                    }
                    found.push((action, (join(&next, other), after)));
                }
            }
        }
        Term::Scope(s, p) => {
            let mut inner = Vec::new();
            steps(p, &inside(s, values), &mut inner);
            found.extend(inner.into_iter().map(|(action, next)| (action, outside(s, values, next))));
        }
        Term::Encapsulate(p) => {
            let mut inner = Vec::new();
            steps(p, values, &mut inner);
            let kept = inner.into_iter().filter(|(action, _)| !matches!(action, Action::Send(..)));
            found.extend(kept.map(|(action, (next, after))| (action, (encapsulated(next), after))));
        }
    }
}

/// All ways to receive a value from a channel.
pub fn receive(process: &Process, values: &[i32], m: Channel, d: i32, found: &mut Vec<Next>) {
    match process.term() {
        Term::Receive(own, x) if *own == m => {
            let mut after: Values = values.into();
            after[x.index()] = d;
            found.push((eps(), after));
        }
        Term::Guard(b, p) if holds(b, values) => receive(p, values, m, d, found),
        Term::Sequence(p, q) => {
            let first = found.len();
            receive(p, values, m, d, found);
            found[first..].iter_mut().for_each(|(next, _)| *next = behind(next, q));
            if terminates(p, values) {
                receive(q, values, m, d, found);
            }
        }
        Term::Choice(p, q) => {
            receive(p, values, m, d, found);
            receive(q, values, m, d, found);
        }
        Term::Repeat(p) => {
            let first = found.len();
            receive(p, values, m, d, found);
            found[first..].iter_mut().for_each(|(next, _)| *next = behind(next, process));
        }
        Term::Parallel(p, q) => {
            let first = found.len();
            receive(p, values, m, d, found);
            found[first..].iter_mut().for_each(|(next, _)| *next = beside(next, q));
            let first = found.len();
            receive(q, values, m, d, found);
            found[first..].iter_mut().for_each(|(next, _)| *next = beside(p, next));
        }
        Term::Scope(s, p) => {
            let mut inner = Vec::new();
            receive(p, &inside(s, values), m, d, &mut inner);
            found.extend(inner.into_iter().map(|next| outside(s, values, next)));
        }
        _ => {}
    }
}

/// The initial state of a program.
pub fn initial(program: &Program) -> Values {
    let mut values = vec![0; program.variables.len()];
    values[..program.globals.len()].copy_from_slice(&program.globals);
    values.into()
}
