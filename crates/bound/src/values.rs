//! Values that are known, and those that are not.
//!
//! An expression has a value if the variables that are told apart, and what never changes, decide it. What depends on other processes,
//! on channels or on variables that are not told apart has none, and then anything may be the case.

use crate::program::{Program, Variable};
use ferrospin_model::ir::{Action, Area, Binary, Expr, Place, ProcessId, leaf_at};

/// Values of the variables that are told apart; `None` is any value.
pub(crate) type Values = Box<[Option<i32>]>;

/// Where an expression is evaluated.
pub(crate) struct Scope<'a> {
    pub(crate) program: &'a Program<'a>,
    pub(crate) process: ProcessId,
    pub(crate) tracked: &'a [Variable],
    pub(crate) values: &'a [Option<i32>],
}

/// The position of the variable of a place among those that are told apart.
pub(crate) fn position(
    program: &Program<'_>,
    process: ProcessId,
    tracked: &[Variable],
    place: &Place,
) -> Option<usize> {
    let leaf = leaf_at(program.leaves(process, place.area), place)?;
    tracked.iter().position(|v| v.area == place.area && v.leaf == leaf)
}

impl Scope<'_> {
    /// The value of an expression, if it is known.
    pub(crate) fn value(&self, e: &Expr) -> Option<i32> {
        match e {
            Expr::Const(value) => Some(*value),
            Expr::Load(place) => self.load(place),
            Expr::Unary(op, a) => Some(op.apply(self.value(a)?)),
            Expr::Binary(op @ (Binary::And | Binary::Or), a, b) => {
                let decides = |value: Option<i32>| value.is_some_and(|v| (v != 0) == (*op == Binary::Or));
                let (a, b) = (self.value(a), self.value(b));
                if decides(a) || decides(b) {
                    return Some(i32::from(*op == Binary::Or));
                }
                op.apply(a?, b?)
            }
            Expr::Binary(op, a, b) => op.apply(self.value(a)?, self.value(b)?),
            Expr::Cond(parts) => match self.value(&parts[0]) {
                Some(0) => self.value(&parts[2]),
                Some(_) => self.value(&parts[1]),
                None => self.value(&parts[1]).filter(|v| self.value(&parts[2]) == Some(*v)),
            },
            _ => None,
        }
    }

    fn load(&self, place: &Place) -> Option<i32> {
        if let Some(i) = position(self.program, self.process, self.tracked, place) {
            return self.values[i];
        }
        let leaf = leaf_at(self.program.leaves(self.process, place.area), place)?;
        if place.area != Area::Global || !self.program.frozen[leaf] {
            return None;
        }
        let mut offset = place.offset;
        for index in &place.indices {
            let value = u32::try_from(self.value(&index.value)?).ok().filter(|v| *v < index.len)?;
            offset += value * index.stride;
        }
        self.program.initial(offset)
    }

    /// The channels that an expression may be, by position. What it may be was found for all processes and times together; a number
    /// that is known says more.
    pub(crate) fn channels(&self, e: &Expr) -> Vec<usize> {
        let globals = self.program.model.channels.len();
        let all = self.program.channels.len();
        if let Some(number) = self.value(e) {
            // Numbers of the channels of processes are given away again and again.
            return match usize::try_from(number) {
                Ok(number) if (1..=globals).contains(&number) => vec![number - 1],
                Ok(number) if number > globals => (globals..all).collect(),
                _ => Vec::new(),
            };
        }
        let mut found = self.program.sources.of(self.program.model, self.process, e);
        if found.iter().any(|c| *c >= globals) {
            found.retain(|c| *c < globals);
            found.extend(globals..all);
        }
        found
    }

    /// What is known when a condition holds: variables that must be equal to something.
    pub(crate) fn assume(&self, e: &Expr, values: &mut [Option<i32>]) {
        match e {
            Expr::Binary(Binary::And, a, b) => {
                self.assume(a, values);
                self.assume(b, values);
            }
            Expr::Binary(Binary::Eq, a, b) => {
                for (variable, other) in [(a, b), (b, a)] {
                    if let Expr::Load(place) = &**variable
                        && let Some(i) = position(self.program, self.process, self.tracked, place)
                        && values[i].is_none()
                        && let Some(value) = self.value(other)
                    {
                        values[i] = Some(value);
                    }
                }
            }
            _ => {}
        }
    }
}

/// The places that an expression reads, those of indices among them.
pub(crate) fn reads<'e>(e: &'e Expr, found: &mut Vec<&'e Place>) {
    match e {
        Expr::Load(place) => {
            found.push(place);
            place.indices.iter().for_each(|i| reads(&i.value, found));
        }
        Expr::Unary(_, a) => reads(a, found),
        Expr::Binary(_, a, b) => {
            reads(a, found);
            reads(b, found);
        }
        Expr::Cond(parts) => parts.iter().for_each(|p| reads(p, found)),
        _ => {}
    }
}

/// Whether an action can be executed in every state, as far as its kind tells.
pub(crate) fn always(scope: &Scope<'_>, action: &Action) -> bool {
    match action {
        Action::Guard(e) => scope.value(e).is_some_and(|v| v != 0),
        Action::Skip | Action::Assign(..) | Action::Assert(_) | Action::Print { .. } => true,
        _ => false,
    }
}
