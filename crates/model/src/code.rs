//! Foreign code that a model carries: statements and expressions in another language.
//!
//! The graphs name a piece of code by a number and say what of the state it may touch ([`Call`]); what it does stands behind the
//! trait [`Code`], which is filled in where a model is assembled. Executors hand over the bytes of the state and take what comes back.
//! Failures are numbers, too: their words are made when they are asked for.

use crate::ir::{Expr, Place};
use std::fmt::Debug;

/// A piece of foreign code and what it touches.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Its number.
    pub code: u32,
    /// Values that are handed over.
    pub args: Vec<Expr>,
    /// What it may read. An index of [`Expr::Foreign`] may have any value.
    pub reads: Vec<Place>,
    /// What it may write; nothing says that it does.
    pub writes: Vec<Place>,
    /// Whether it may fail.
    pub may_fail: bool,
}

/// Where code runs: the bytes it may see.
pub struct Site<'a> {
    /// The state from its first byte, the fixed part at least.
    pub fixed: &'a mut [u8],
    /// The frame of the process.
    pub frame: &'a mut [u8],
    /// The values that are handed over.
    pub args: &'a [i32],
    /// Where text goes that is printed; nowhere in a search.
    pub printed: Option<&'a mut Vec<u8>>,
}

/// What a statement has done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Done {
    /// Its work.
    Fine,
    /// Its work, and it has complained on the way.
    Noted(u32),
    /// It has failed: there is no state behind it.
    Failed(u32),
}

/// Foreign code, shared by all workers.
pub trait Code: Debug + Send + Sync {
    /// Runs a statement.
    fn execute(&self, code: u32, site: &mut Site<'_>) -> Done;

    /// The value of an expression, which changes nothing; or the number of a failure.
    fn evaluate(&self, code: u32, fixed: &[u8], frame: &[u8], args: &[i32]) -> Result<i32, u32>;

    /// A run begins: what is no part of the state gets its first value.
    fn begin(&self) {}

    /// What a failure means, in words.
    fn failure(&self, number: u32) -> String;
}
