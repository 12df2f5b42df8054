//! What properties mean, position by position, without formulas.
//!
//! The intervals of a scope are looked up in the word, and the pattern is checked on each by quantifying over
//! positions. On an interval without end that takes finitely many positions: what happens at a position of the cycle
//! happens again one cycle later, so a search ahead ends after two more rounds.

use super::{Intervals, Pattern, Property, Role, Scope};
use crate::LassoShape;

/// Where and why a property fails on a word. Positions count from 0 along the word with its cycle repeated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Failure {
    /// First position of the interval.
    pub start: usize,
    /// The position just behind the interval; `None` if it never ends.
    pub end: Option<usize>,
    /// The position that asks for something, where there is a single one.
    pub position: Option<usize>,
    /// What is wrong there, in terms of roles.
    pub reason: &'static str,
}

/// What a property says about a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Judgement {
    /// It holds because nothing was asked for: no interval, or none in which something must happen.
    Vacuous,
    /// It holds.
    Holds,
    /// It fails.
    Fails(Failure),
}

impl Judgement {
    /// Whether the property holds.
    pub fn holds(self) -> bool {
        !matches!(self, Judgement::Fails(_))
    }
}

impl Property {
    /// What the property says about a word of the given shape; `holds` tells what holds at its positions.
    pub fn judge(&self, shape: LassoShape, holds: impl Fn(Role, usize) -> bool) -> Judgement {
        let word = Word { shape, holds: &|role, at| holds(role, fold(shape, at)) };
        let mut judgement = Judgement::Vacuous;
        for (start, end) in word.intervals(self.scope, self.intervals) {
            match word.check(self.pattern, self.bound, start, end) {
                Ok(false) => {}
                Ok(true) => judgement = Judgement::Holds,
                Err((position, reason)) => return Judgement::Fails(Failure { start, end, position, reason }),
            }
        }
        judgement
    }
}

/// The position of a word at which the cycle is written out that stands for any position.
fn fold(shape: LassoShape, at: usize) -> usize {
    if at < shape.positions { at } else { shape.cycle + (at - shape.cycle) % (shape.positions - shape.cycle) }
}

struct Word<'a> {
    shape: LassoShape,
    holds: &'a dyn Fn(Role, usize) -> bool,
}

/// Whether something was asked for; or the position that asks and why it fails.
type Checked = Result<bool, (Option<usize>, &'static str)>;

impl Word<'_> {
    fn is(&self, role: Role, at: usize) -> bool {
        (self.holds)(role, at)
    }

    /// A bound such that whatever happens at or after `from` happens before it, `rounds` times if it is in the cycle.
    fn horizon(&self, from: usize, rounds: usize) -> usize {
        from.max(self.shape.cycle) + rounds * (self.shape.positions - self.shape.cycle)
    }

    fn first(&self, role: Role, from: usize) -> Option<usize> {
        (from..self.horizon(from, 1)).find(|&at| self.is(role, at))
    }

    fn intervals(&self, scope: Scope, intervals: Intervals) -> Vec<(usize, Option<usize>)> {
        match scope {
            Scope::Globally => vec![(0, None)],
            // An empty interval asks for nothing.
            Scope::Before => {
                self.first(Role::R, 0).filter(|&end| end > 0).map(|end| (0, Some(end))).into_iter().collect()
            }
            Scope::After => self.first(Role::Q, 0).map(|start| (start, None)).into_iter().collect(),
            Scope::Between | Scope::AfterUntil => {
                let mut list = Vec::new();
                let mut open = false;
                // In the second round it is known whether an interval reaches over the end of the cycle.
                for at in 0..self.horizon(0, 2) {
                    if self.is(Role::R, at) {
                        open = false;
                    } else if self.is(Role::Q, at) {
                        if !open || intervals == Intervals::Every {
                            list.push((at, self.first(Role::R, at + 1)));
                        }
                        open = true;
                    }
                }
                list.retain(|&(_, end)| scope == Scope::AfterUntil || end.is_some());
                list
            }
        }
    }

    /// Checks a pattern on one interval.
    fn check(&self, pattern: Pattern, bound: u32, start: usize, end: Option<usize>) -> Checked {
        // Positions of the interval; without end, those up to some rounds of the cycle.
        let upto = |rounds: usize| end.unwrap_or_else(|| self.horizon(start, rounds));
        let positions = || start..upto(1);
        let any = |role: Role, from: usize, to: usize| (from..to).any(|at| self.is(role, at));
        let fail = |wrong: Option<usize>, reason| wrong.map_or(Ok(()), |at| Err((Some(at), reason)));
        let causes = |role: Role| positions().filter(move |&at| self.is(role, at));
        let p_there = causes(Role::P).next().is_some();
        match pattern {
            Pattern::Absence => fail(causes(Role::P).next(), "P holds").map(|()| true),
            Pattern::Existence if p_there => Ok(true),
            Pattern::Existence => Err((None, "P does not hold at any position")),
            Pattern::Universality => {
                fail(positions().find(|&at| !self.is(Role::P, at)), "P does not hold").map(|()| true)
            }
            Pattern::BoundedExistence => {
                let begins = |&at: &usize| self.is(Role::P, at) && (at == start || !self.is(Role::P, at - 1));
                let extra = (start..upto(bound as usize + 3)).filter(begins).nth(bound as usize);
                fail(extra, "here P begins to hold once too often").map(|()| p_there)
            }
            Pattern::Precedence => {
                let wrong = causes(Role::P).find(|&at| !any(Role::S, start, at + 1));
                fail(wrong, "P has no S at the same or an earlier position").map(|()| p_there)
            }
            Pattern::StrictPrecedence => {
                let wrong = causes(Role::P).find(|&at| !any(Role::S, start, at));
                fail(wrong, "P has no S at an earlier position").map(|()| p_there)
            }
            Pattern::Response => {
                let wrong = causes(Role::P).find(|&at| !any(Role::S, at, upto(3)));
                fail(wrong, "P has no S at the same or a later position").map(|()| p_there)
            }
            Pattern::StrictResponse => {
                let wrong = causes(Role::P).find(|&at| !any(Role::S, at + 1, upto(3)));
                fail(wrong, "P has no S at a later position").map(|()| p_there)
            }
            Pattern::PrecedenceChain21 => {
                let preceded = |at: usize| (start..at).any(|q| self.is(Role::S, q) && any(Role::T, q + 1, at + 1));
                let wrong = causes(Role::P).find(|&at| !preceded(at));
                fail(wrong, "P has no S followed by T before it").map(|()| p_there)
            }
            Pattern::PrecedenceChain12 => {
                let chains = || causes(Role::S).filter(|&at| any(Role::T, at + 1, upto(3)));
                let wrong = chains().find(|&at| !any(Role::P, start, at + 1));
                fail(wrong, "S, with a T after it, has no P at the same or an earlier position")
                    .map(|()| chains().next().is_some())
            }
            Pattern::ResponseChain21 => {
                let second = |at: usize| (at + 1..upto(3)).find(|&r| self.is(Role::T, r));
                let wrong = causes(Role::S).find(|&at| second(at).is_some_and(|r| !any(Role::P, r, upto(5))));
                fail(wrong, "S, with a T after it, has no P with that T or later")
                    .map(|()| causes(Role::S).any(|at| second(at).is_some()))
            }
            Pattern::ResponseChain12 => {
                let answered = |at: usize| (at..upto(3)).any(|q| self.is(Role::S, q) && any(Role::T, q + 1, upto(5)));
                let wrong = causes(Role::P).find(|&at| !answered(at));
                fail(wrong, "P has no S at the same or a later position with a T after it").map(|()| p_there)
            }
            Pattern::ConstrainedChain => {
                let undisturbed = |q: usize, r: usize| !any(Role::Z, q, r);
                let ends = |q: usize| (q + 1..upto(5)).any(|r| self.is(Role::T, r) && undisturbed(q, r));
                let answered = |at: usize| (at..upto(3)).any(|q| self.is(Role::S, q) && ends(q));
                let wrong = causes(Role::P).find(|&at| !answered(at));
                fail(wrong, "P has no S at the same or a later position with a T after it and no Z before that T")
                    .map(|()| p_there)
            }
        }
    }
}
