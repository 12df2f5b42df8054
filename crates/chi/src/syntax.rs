//! The trees that the parser makes: names as they are written, everything with its place.

use crate::term::{Binary, Type};
use ferrospin_source::Span;

/// A name and its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) struct Expr {
    pub(crate) kind: ExprKind,
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) enum ExprKind {
    Number(u32),
    Truth(bool),
    Name(String),
    Not(Box<Expr>),
    Negative(Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
}

/// `x: 0..3 = 1`; where no type is written, the value tells it.
#[derive(Debug)]
pub(crate) struct Declaration {
    pub(crate) name: Name,
    pub(crate) ty: Option<(Type, Option<(i32, i32)>)>,
    pub(crate) value: Option<Expr>,
}

#[derive(Debug)]
pub(crate) enum Proc {
    Delta,
    Epsilon,
    Skip,
    Assign(Name, Expr),
    Send(Name, Expr),
    Receive(Name, Name),
    Call(Name, Vec<Expr>),
    Guard(Expr, Box<Proc>),
    /// Two or more in a row.
    Sequence(Vec<Proc>),
    Choice(Vec<Proc>),
    Parallel(Vec<Proc>),
    Repeat(Box<Proc>),
    Scope(Vec<Declaration>, Box<Proc>),
    Encapsulate(Box<Proc>),
}

/// `proc P(a, b) { ... }`
#[derive(Debug)]
pub(crate) struct Definition {
    pub(crate) name: Name,
    pub(crate) parameters: Vec<Name>,
    pub(crate) body: Proc,
}

#[derive(Debug, Default)]
pub(crate) struct File {
    pub(crate) variables: Vec<Declaration>,
    pub(crate) channels: Vec<Declaration>,
    pub(crate) definitions: Vec<Definition>,
    pub(crate) model: Option<(Proc, Span)>,
}
