//! Linear programs in exact arithmetic.
//!
//! [`simplex::solve`] answers with a point and a dual solution, with a combination of rows that is a contradiction (Farkas), or with a
//! ray; [`check::confirms`] judges any of them from the program alone. Numbers are [`Rational`]s over [`Integer`]s that grow as
//! they must, so that no answer depends on rounding or on a size.

pub mod check;
mod integer;
mod rational;
pub mod simplex;

pub use integer::Integer;
pub use rational::Rational;
pub use simplex::{Outcome, Program, Relation, Row, solve};
