//! The text form of the process graphs.
//!
//! [`print()`] writes a model so that people can read it and [`parse`] can read it back: everything but the spans is kept.
//! The form is line-based; `docs/ir.md` describes it for users. What is written between `<` and `>` behind a place is the
//! name of the variable, for people only.
//!
//! ```text
//! layout location 1 fixed 4
//! var @0.u8<turn> number
//! start P0 P0
//! process P0 "A" proctype entry L0 priority 1 frame 2
//!   var %1.u8<i> number
//! location L0 P0
//!   E0 -> L1: assign @0.u8<turn> = (1 - _pid)
//! location L1 P0 end
//!   E1 -> exit: end
//! ```

mod lex;
mod parse;
mod parse_action;
mod print;

pub use parse::parse;
pub use print::print;

use crate::ir::{Binary, ChannelTest, Scalar};

/// Why a text is no model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    /// What was expected.
    pub message: String,
}

impl std::fmt::Display for ParseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ParseError {}

/// Operators with two operands as they are written.
const BINARY: [(Binary, &str); 18] = [
    (Binary::Add, "+"),
    (Binary::Sub, "-"),
    (Binary::Mul, "*"),
    (Binary::Div, "/"),
    (Binary::Rem, "%"),
    (Binary::BitAnd, "&"),
    (Binary::BitXor, "^"),
    (Binary::BitOr, "|"),
    (Binary::Shl, "<<"),
    (Binary::Shr, ">>"),
    (Binary::Lt, "<"),
    (Binary::Le, "<="),
    (Binary::Gt, ">"),
    (Binary::Ge, ">="),
    (Binary::Eq, "=="),
    (Binary::Ne, "!="),
    (Binary::And, "&&"),
    (Binary::Or, "||"),
];

/// Tests of channels as they are written.
const TESTS: [(ChannelTest, &str); 5] = [
    (ChannelTest::Len, "len"),
    (ChannelTest::Full, "full"),
    (ChannelTest::Empty, "empty"),
    (ChannelTest::NotFull, "nfull"),
    (ChannelTest::NotEmpty, "nempty"),
];

/// How a scalar is written.
pub(crate) fn scalar_text(s: Scalar) -> String {
    match s {
        Scalar::Unsigned(n) => format!("u{n}"),
        Scalar::Short => "i16".into(),
        Scalar::Int => "i32".into(),
    }
}
