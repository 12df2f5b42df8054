//! Patterns of properties: formulas that one need not write oneself.
//!
//! Most properties are one of a few patterns ("S responds to P") in one of five scopes ("between Q and R"), as Dwyer,
//! Avrunin and Corbett found (1999). A [`Property`] names both. [`Property::formula`] builds its formula: each pattern
//! has one body, and scopes restrict bodies to intervals by one rule per operator (`scope`), never by hand.
//! [`Property::judge`] says what the property means on a word by looking for the intervals and positions it speaks of
//! (`meaning`), without any formula; the tests compare the two on all short words. Published tables of these formulas
//! have errors, which Salamah, Gates, Roach and Mondragon (2005) looked for and the tests name.
//!
//! An interval contains its first position and not its last: the R that ends it is outside. A Q together with an R
//! opens nothing. A further Q inside an open interval opens another one ([`Intervals::Every`]) or is ignored
//! ([`Intervals::Outermost`]).

mod body;
mod meaning;
mod sample;
mod scope;

pub use meaning::{Failure, Judgement};
pub use sample::Sample;

use crate::{Formula, Formulas};
use std::fmt;

/// What a property says about an interval.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Pattern {
    /// P does not hold.
    Absence,
    /// P holds at some time.
    Existence,
    /// P holds in at most k stretches.
    BoundedExistence,
    /// P holds all the time.
    Universality,
    /// Every P has an S at the same time or before.
    Precedence,
    /// Every P has an S before.
    StrictPrecedence,
    /// Every P has an S at the same time or later.
    Response,
    /// Every P has an S later.
    StrictResponse,
    /// Every P has an S and, after that, a T before it; T may hold together with P.
    PrecedenceChain21,
    /// Every S that a T follows has a P at the same time or before.
    PrecedenceChain12,
    /// Every S that a T follows has a P with that T or later.
    ResponseChain21,
    /// Every P has an S at the same time or later, and after that a T.
    ResponseChain12,
    /// As the response chain of S and T, with no Z from S until just before T.
    ConstrainedChain,
}

/// When a property applies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Scope {
    /// The whole run.
    Globally,
    /// Up to the first R; runs without R are not looked at.
    Before,
    /// From the first Q on.
    After,
    /// From each Q up to the next R, if there is one.
    Between,
    /// From each Q up to the next R, or for ever.
    AfterUntil,
}

/// Which Q opens an interval of the scopes `between` and `after-until`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub enum Intervals {
    /// Every Q.
    #[default]
    Every,
    /// Only the first Q at the beginning or after an R.
    Outermost,
}

/// A place in a pattern or scope that a state formula fills.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[expect(missing_docs, reason = "the patterns and scopes explain them")]
pub enum Role {
    P,
    S,
    T,
    Z,
    Q,
    R,
}

impl Role {
    /// All roles.
    pub const ALL: [Role; 6] = [Role::P, Role::S, Role::T, Role::Z, Role::Q, Role::R];
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

impl Pattern {
    /// All patterns.
    pub const ALL: [Pattern; 13] = [
        Pattern::Absence,
        Pattern::Existence,
        Pattern::BoundedExistence,
        Pattern::Universality,
        Pattern::Precedence,
        Pattern::StrictPrecedence,
        Pattern::Response,
        Pattern::StrictResponse,
        Pattern::PrecedenceChain21,
        Pattern::PrecedenceChain12,
        Pattern::ResponseChain21,
        Pattern::ResponseChain12,
        Pattern::ConstrainedChain,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Pattern::Absence => "absence",
            Pattern::Existence => "existence",
            Pattern::BoundedExistence => "bounded-existence",
            Pattern::Universality => "universality",
            Pattern::Precedence => "precedence",
            Pattern::StrictPrecedence => "strict-precedence",
            Pattern::Response => "response",
            Pattern::StrictResponse => "strict-response",
            Pattern::PrecedenceChain21 => "precedence-chain-2-1",
            Pattern::PrecedenceChain12 => "precedence-chain-1-2",
            Pattern::ResponseChain21 => "response-chain-2-1",
            Pattern::ResponseChain12 => "response-chain-1-2",
            Pattern::ConstrainedChain => "constrained-chain",
        }
    }

    /// The roles it has, beside those of the scope.
    pub fn roles(self) -> &'static [Role] {
        match self {
            Pattern::Absence | Pattern::Existence | Pattern::BoundedExistence | Pattern::Universality => &[Role::P],
            Pattern::Precedence | Pattern::StrictPrecedence | Pattern::Response | Pattern::StrictResponse => {
                &[Role::P, Role::S]
            }
            Pattern::PrecedenceChain21
            | Pattern::PrecedenceChain12
            | Pattern::ResponseChain21
            | Pattern::ResponseChain12 => &[Role::P, Role::S, Role::T],
            Pattern::ConstrainedChain => &[Role::P, Role::S, Role::T, Role::Z],
        }
    }

    /// The form in which S and P must not coincide, where there is one.
    pub fn strict(self) -> Option<Pattern> {
        match self {
            Pattern::Precedence | Pattern::StrictPrecedence => Some(Pattern::StrictPrecedence),
            Pattern::Response | Pattern::StrictResponse => Some(Pattern::StrictResponse),
            _ => None,
        }
    }

    /// What it says, with roles replaced by what fills them.
    fn sentence(self, spell: &dyn Fn(Role) -> String, bound: u32) -> String {
        let [p, s, t, z] = [Role::P, Role::S, Role::T, Role::Z].map(spell);
        match self {
            Pattern::Absence => format!("{p} does not hold"),
            Pattern::Existence => format!("{p} holds at some time"),
            Pattern::BoundedExistence => {
                format!("{p} holds in at most {bound} stretch{}", if bound == 1 { "" } else { "es" })
            }
            Pattern::Universality => format!("{p} holds all the time"),
            Pattern::Precedence => format!("whenever {p} holds, {s} holds at the same time or held before"),
            Pattern::StrictPrecedence => format!("whenever {p} holds, {s} held before"),
            Pattern::Response => format!("whenever {p} holds, {s} holds at the same time or later"),
            Pattern::StrictResponse => format!("whenever {p} holds, {s} holds later"),
            Pattern::PrecedenceChain21 => {
                format!("whenever {p} holds, {s} held before and {t} after that, at the latest together with {p}")
            }
            Pattern::PrecedenceChain12 => {
                format!("whenever {s} holds and {t} later, {p} holds together with {s} or held before")
            }
            Pattern::ResponseChain21 => {
                format!("whenever {s} holds and {t} later, {p} holds together with that {t} or later")
            }
            Pattern::ResponseChain12 => {
                format!("whenever {p} holds, {s} holds at the same time or later and {t} after that")
            }
            Pattern::ConstrainedChain => format!(
                "whenever {p} holds, {s} holds at the same time or later and {t} after that, and {z} does not hold from \
                 {s} until just before {t}"
            ),
        }
    }
}

impl Scope {
    /// All scopes.
    pub const ALL: [Scope; 5] = [Scope::Globally, Scope::Before, Scope::After, Scope::Between, Scope::AfterUntil];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Scope::Globally => "globally",
            Scope::Before => "before",
            Scope::After => "after",
            Scope::Between => "between",
            Scope::AfterUntil => "after-until",
        }
    }

    /// The roles it has.
    pub fn roles(self) -> &'static [Role] {
        match self {
            Scope::Globally => &[],
            Scope::Before => &[Role::R],
            Scope::After => &[Role::Q],
            Scope::Between | Scope::AfterUntil => &[Role::Q, Role::R],
        }
    }

    fn sentence(self, spell: &dyn Fn(Role) -> String, intervals: Intervals) -> String {
        let (q, r) = (spell(Role::Q), spell(Role::R));
        let every = match intervals {
            Intervals::Every => "every",
            Intervals::Outermost => "every outermost",
        };
        match self {
            Scope::Globally => "in the whole run".to_owned(),
            Scope::Before => format!("if {r} comes, before its first time"),
            Scope::After => format!("from the first {q} on"),
            Scope::Between => format!("from {every} {q} until just before the next {r}, if there is one"),
            Scope::AfterUntil => format!("from {every} {q} until just before the next {r}, or for ever"),
        }
    }
}

/// A pattern in a scope.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Property {
    /// What it says about an interval.
    pub pattern: Pattern,
    /// Which intervals it speaks of.
    pub scope: Scope,
    /// Which Q opens an interval.
    pub intervals: Intervals,
    /// In how many stretches P may hold ([`Pattern::BoundedExistence`]).
    pub bound: u32,
}

impl Property {
    /// A property with every interval, and the bound 2 where there is one.
    pub fn new(pattern: Pattern, scope: Scope) -> Self {
        Self { pattern, scope, intervals: Intervals::default(), bound: 2 }
    }

    /// Its roles: those of the pattern, then those of the scope.
    pub fn roles(&self) -> Vec<Role> {
        [self.pattern.roles(), self.scope.roles()].concat()
    }

    /// Its formula; `state` gives the state formula that fills a role. Panics if that has a temporal operator.
    pub fn formula(&self, formulas: &mut Formulas, state: impl Fn(Role) -> Formula) -> Formula {
        let filled = |role: Role| {
            let f = state(role);
            if self.roles().contains(&role) { f } else { Formulas::FALSE }
        };
        for role in self.roles() {
            assert!(formulas.is(filled(role), crate::Flags::BOOLEAN), "{role} is filled by a state formula");
        }
        let body = body::body(self.pattern, self.bound, formulas, &filled);
        scope::apply(self, body, formulas, filled(Role::Q), filled(Role::R))
    }

    /// What it says, in English.
    pub fn sentence(&self, spell: impl Fn(Role) -> String) -> String {
        let scope = self.scope.sentence(&spell, self.intervals);
        format!("{scope}: {}", self.pattern.sentence(&spell, self.bound))
    }
}
