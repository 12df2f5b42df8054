//! Process terms: immutable trees that share their parts.
//!
//! A term keeps its hash and its size, so that configurations are compared and stored cheaply, and so that what substitution
//! blows up is noticed. Variables and channels are numbers in the tables of a [`Program`]; a scope may give a variable that is
//! in scope already a value of its own, as the laws of the language need it, although a program that was read never does.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A variable: a number in [`Program::variables`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Variable(pub u32);

/// A channel: a number in [`Program::channels`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Channel(pub u32);

impl Variable {
    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl Channel {
    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What values are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// 0 and 1.
    Bool,
    /// 32 bits, two's complement, as in Promela.
    Int,
}

/// A name with its type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declared {
    /// As it is written.
    pub name: String,
    /// What it holds or carries.
    pub ty: Type,
    /// The values that it may have where all are looked at: those from outside, and initial ones of all states.
    pub range: Option<(i32, i32)>,
}

impl Declared {
    /// The values of the range; those of a truth value are known without one.
    pub fn values(&self) -> Option<std::ops::RangeInclusive<i32>> {
        match (self.ty, self.range) {
            (Type::Bool, _) => Some(0..=1),
            (Type::Int, Some((low, high))) => Some(low..=high),
            (Type::Int, None) => None,
        }
    }
}

/// A model.
#[derive(Clone, Debug)]
pub struct Program {
    /// All variables, the global ones first.
    pub variables: Vec<Declared>,
    /// How many of them are global, with their initial values.
    pub globals: Vec<i32>,
    /// All channels.
    pub channels: Vec<Declared>,
    /// What the model does.
    pub process: Process,
}

/// An operator with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Binary {
    Or,
    And,
    Equal,
    Different,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Plus,
    Minus,
    Times,
    Divide,
    Modulo,
}

/// An expression. Truth values are 0 and 1.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Expression {
    /// A value.
    Value(i32, Type),
    /// The value of a variable.
    Variable(Variable),
    /// Not.
    Not(Arc<Expression>),
    /// The negative.
    Negative(Arc<Expression>),
    /// Two operands.
    Binary(Binary, Arc<Expression>, Arc<Expression>),
}

/// An operator of processes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Term {
    /// Deadlock.
    Delta,
    /// It has terminated.
    Epsilon,
    /// An internal step.
    Skip,
    /// `x := e`
    Assign(Variable, Arc<Expression>),
    /// `m!e`
    Send(Channel, Arc<Expression>),
    /// `m?x`
    Receive(Channel, Variable),
    /// `b :-> p`
    Guard(Arc<Expression>, Process),
    /// `p; q`
    Sequence(Process, Process),
    /// `p [] q`
    Choice(Process, Process),
    /// `p*`
    Repeat(Process),
    /// `p || q`
    Parallel(Process, Process),
    /// `|[ s | p ]|`, its variables in ascending order.
    Scope(Arc<[(Variable, i32)]>, Process),
    /// `enc(p)`
    Encapsulate(Process),
}

/// A term that is shared.
#[derive(Clone)]
pub struct Process(Arc<Node>);

struct Node {
    term: Term,
    hash: u64,
    /// Operators on the longest way down.
    depth: u32,
    /// Operators in all, those of shared parts as often as they occur; it stops at the largest number.
    size: u32,
}

impl Process {
    /// The term itself.
    pub fn term(&self) -> &Term {
        &self.0.term
    }

    /// Operators on the longest way down.
    pub fn depth(&self) -> u32 {
        self.0.depth
    }

    /// Operators in all.
    pub fn size(&self) -> u32 {
        self.0.size
    }

    /// The terms under the operator.
    pub fn parts(&self) -> impl Iterator<Item = &Process> {
        let (first, second) = match self.term() {
            Term::Guard(_, p) | Term::Repeat(p) | Term::Scope(_, p) | Term::Encapsulate(p) => (Some(p), None),
            Term::Sequence(p, q) | Term::Choice(p, q) | Term::Parallel(p, q) => (Some(p), Some(q)),
            _ => (None, None),
        };
        first.into_iter().chain(second)
    }
}

impl From<Term> for Process {
    fn from(term: Term) -> Process {
        let mut hasher = rustc_hash::FxHasher::default();
        term.hash(&mut hasher);
        let hash = hasher.finish();
        let node = Process(Arc::new(Node { term, hash, depth: 1, size: 1 }));
        let depth = 1 + node.parts().map(Process::depth).max().unwrap_or(0);
        let size = node.parts().fold(1u32, |sum, p| sum.saturating_add(p.size()));
        let Ok(node) = Arc::try_unwrap(node.0) else { unreachable!("it was made here") };
        Process(Arc::new(Node { depth, size, ..node }))
    }
}

impl PartialEq for Process {
    fn eq(&self, other: &Process) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.hash == other.0.hash && self.0.term == other.0.term
    }
}

impl Eq for Process {}

impl Hash for Process {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.hash);
    }
}

impl std::fmt::Debug for Process {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.term().fmt(f)
    }
}

/// Terms in the order of the brief's grammar.
pub mod make {
    use super::*;

    /// `delta`
    pub fn delta() -> Process {
        Term::Delta.into()
    }

    /// `eps`
    pub fn eps() -> Process {
        Term::Epsilon.into()
    }

    /// `skip`
    pub fn skip() -> Process {
        Term::Skip.into()
    }

    /// `x := e`
    pub fn assign(x: Variable, e: Arc<Expression>) -> Process {
        Term::Assign(x, e).into()
    }

    /// `m!e`
    pub fn send(m: Channel, e: Arc<Expression>) -> Process {
        Term::Send(m, e).into()
    }

    /// `m?x`
    pub fn receive(m: Channel, x: Variable) -> Process {
        Term::Receive(m, x).into()
    }

    /// `b :-> p`
    pub fn guard(b: Arc<Expression>, p: Process) -> Process {
        Term::Guard(b, p).into()
    }

    /// `p; q`
    pub fn sequence(p: Process, q: Process) -> Process {
        Term::Sequence(p, q).into()
    }

    /// `p [] q`
    pub fn choice(p: Process, q: Process) -> Process {
        Term::Choice(p, q).into()
    }

    /// `p*`
    pub fn repeat(p: Process) -> Process {
        Term::Repeat(p).into()
    }

    /// `p || q`
    pub fn parallel(p: Process, q: Process) -> Process {
        Term::Parallel(p, q).into()
    }

    /// `|[ s | p ]|`
    pub fn scope(mut s: Vec<(Variable, i32)>, p: Process) -> Process {
        s.sort_unstable();
        Term::Scope(s.into(), p).into()
    }

    /// `enc(p)`
    pub fn enc(p: Process) -> Process {
        Term::Encapsulate(p).into()
    }

    /// An operator with two operands.
    pub fn binary(op: Binary, a: Arc<Expression>, b: Arc<Expression>) -> Arc<Expression> {
        Arc::new(Expression::Binary(op, a, b))
    }

    /// A number.
    pub fn int(value: i32) -> Arc<Expression> {
        Arc::new(Expression::Value(value, Type::Int))
    }

    /// A truth value.
    pub fn truth(value: bool) -> Arc<Expression> {
        Arc::new(Expression::Value(i32::from(value), Type::Bool))
    }

    /// The value of a variable.
    pub fn variable(x: Variable) -> Arc<Expression> {
        Arc::new(Expression::Variable(x))
    }
}
