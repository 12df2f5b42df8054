//! A `.proto` file as it is written.

use ferrospin_source::Span;

/// A name and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) span: Span,
}

/// A term.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Expr {
    pub(crate) kind: ExprKind,
    pub(crate) span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum ExprKind {
    /// A role, a value or a constant.
    Name(String),
    /// Terms one behind the other; at least one.
    List(Vec<Expr>),
    /// `{ t } k`
    Encrypted(Box<Expr>, Box<Expr>),
    /// `f(t, ...)`
    Call(Name, Vec<Expr>),
}

/// A value that a role makes.
#[derive(Clone, Debug)]
pub(crate) struct Fresh {
    pub(crate) role: Name,
    pub(crate) kind: Name,
    pub(crate) name: Name,
}

/// A line of the protocol.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    pub(crate) from: Name,
    pub(crate) to: Name,
    pub(crate) term: Expr,
}

/// What must hold, or is left out.
#[derive(Clone, Debug)]
pub(crate) enum Statement {
    /// `secret n, ... [for R, ...];`
    Secret { values: Vec<Name>, roles: Vec<Name>, span: Span },
    /// `agree [injective] R with S [on n, ...];`
    Agree { role: Name, with: Name, values: Vec<Name>, injective: bool, span: Span },
    /// `alive S for R;`
    Alive { who: Name, role: Name, span: Span },
    /// `fresh n for R;`
    Unique { value: Name, role: Name, span: Span },
    /// `public n, ...;`
    Public(Vec<Name>),
    /// `lose n;`
    Lose(Name),
}

/// What a file says.
#[derive(Clone, Debug, Default)]
pub(crate) struct File {
    pub(crate) name: Option<Name>,
    /// Roles in order, and whether each is a server.
    pub(crate) roles: Vec<(Name, bool)>,
    pub(crate) constants: Vec<Name>,
    pub(crate) functions: Vec<Name>,
    pub(crate) fresh: Vec<Fresh>,
    /// What roles have at the beginning beside the usual.
    pub(crate) knows: Vec<(Name, Expr)>,
    pub(crate) messages: Vec<Message>,
    pub(crate) statements: Vec<Statement>,
    pub(crate) session: Option<Session>,
}

/// The block `session`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Session {
    pub(crate) honest: Vec<Name>,
    /// Role, agent, how many.
    pub(crate) run: Vec<(Name, Name, u32)>,
    pub(crate) extra: u32,
}
