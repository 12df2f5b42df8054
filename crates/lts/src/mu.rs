//! The alternation-free modal mu-calculus over graphs (Kozen 1983; Cleaveland and Steffen 1993).
//!
//! ```text
//! f ::= true | false | X | {proposition} | !f | f && f | f || f | f -> f | <a> f | [a] f | mu X. f | nu X. f
//!     | EF f | AF f | EG f | AG f | E(f U f) | A(f U f) | deadlock
//! a ::= "label" | tau | true | false | !a | a && a | a || a
//! ```
//!
//! In a label `*` stands for any text. Negation is pushed inwards; a variable must be under an even number. Fixpoints of one kind that
//! depend on one another are solved together, each pair of a node and a state being looked at as often as it has operands: time and
//! memory are linear in the sizes of formula and graph.

mod parse;
mod solve;

pub use parse::{MuError, parse};
pub use solve::solve;

/// Which labels an operator speaks of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Action {
    /// All.
    Any,
    /// The internal one.
    Internal,
    /// Those that fit a pattern.
    Pattern(String),
    /// All others.
    Not(Box<Action>),
    /// Those of both.
    And(Box<Action>, Box<Action>),
    /// Those of either.
    Or(Box<Action>, Box<Action>),
}

impl Action {
    /// Whether it speaks of a label.
    pub fn covers(&self, is_internal: bool, text: &str) -> bool {
        match self {
            Action::Any => true,
            Action::Internal => is_internal,
            Action::Pattern(pattern) => !is_internal && fits(pattern, text),
            Action::Not(a) => !a.covers(is_internal, text),
            Action::And(a, b) => a.covers(is_internal, text) && b.covers(is_internal, text),
            Action::Or(a, b) => a.covers(is_internal, text) || b.covers(is_internal, text),
        }
    }
}

/// Whether a text fits a pattern, in which `*` stands for any text.
pub fn fits(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    unreachable!("the last part returns")
}

/// A node of a formula: a number in [`Mu::nodes`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MuId(pub u32);

/// One node, without negation but of propositions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MuNode {
    /// Holds everywhere or nowhere.
    Constant(bool),
    /// Holds where the proposition does, or does not.
    Proposition(String, bool),
    /// Both hold.
    And(MuId, MuId),
    /// One holds.
    Or(MuId, MuId),
    /// Some step with such a label leads to where the other holds.
    Diamond(Action, MuId),
    /// All steps with such labels do.
    Box(Action, MuId),
    /// The value of a fixpoint around it.
    Variable(MuId),
    /// The least or greatest fixpoint; its operand may hold its variable.
    Fixpoint {
        /// The least one.
        least: bool,
        /// What it is the fixpoint of.
        of: MuId,
    },
}

/// A closed formula without alternation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mu {
    /// The nodes. Operands come before, variables name a fixpoint that comes behind.
    pub nodes: Vec<MuNode>,
    /// The formula.
    pub root: MuId,
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn patterns() {
        for (pattern, text, expected) in [
            ("a", "a", true),
            ("a", "ab", false),
            ("a*", "ab", true),
            ("*", "", true),
            ("c!*", "c!1,2", true),
            ("*b*", "abc", true),
            ("a*c", "abc", true),
            ("a*c", "abd", false),
            ("a*b*c", "axc", false),
            ("a*a", "a", false),
            ("", "a", false),
        ] {
            assert_eq!(fits(pattern, text), expected, "{pattern} {text}");
        }
    }
}
