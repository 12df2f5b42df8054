//! Tokens and the tables of words.

use ferrospin_source::Span;

/// The predefined types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Base {
    Bit,
    Bool,
    Byte,
    Pid,
    Short,
    Int,
    Unsigned,
    Mtype,
    Chan,
}

/// What kind of token it is. Names are told apart by what they were declared as, because the grammar depends on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Tok {
    Eof,
    /// A name that is none of the following four.
    Name,
    TypeName,
    ProcName,
    InlineName,
    MtypeName,
    Number,
    Char,
    True,
    False,
    Skip,
    Str,
    /// A character that begins no token; already reported.
    Unknown,
    Type(Base),

    Active,
    Assert,
    Atomic,
    Break,
    CCode,
    CDecl,
    CExpr,
    CState,
    CTrack,
    DProctype,
    DStep,
    Do,
    Else,
    Empty,
    Enabled,
    Eval,
    Fi,
    For,
    Full,
    GetPriority,
    Goto,
    Hidden,
    If,
    In,
    Init,
    Inline,
    Len,
    Local,
    Ltl,
    Nempty,
    Never,
    Nfull,
    NoTrace,
    NonProgress,
    Od,
    Of,
    PcValue,
    Printf,
    Printm,
    Priority,
    Proctype,
    Provided,
    Return,
    Run,
    Select,
    SetPriority,
    Show,
    Timeout,
    Trace,
    Typedef,
    Unless,
    Xr,
    Xs,

    Always,
    Eventually,
    Next,
    Until,
    WeakUntil,
    Release,
    StrongRelease,
    Implies,
    Equivalent,

    LBrace,
    RBrace,
    LParen,
    RParen,
    LBracket,
    RBracket,
    Semi,
    Arrow,
    Sep,
    Colon,
    Comma,
    Dot,
    DotDot,
    At,
    Assign,
    Incr,
    Decr,
    /// `!`: send, and negation.
    Bang,
    BangBang,
    Query,
    QueryQuery,
    Plus,
    Minus,
    Star,
    Slash,
    Percent,
    Amp,
    Caret,
    Bar,
    Tilde,
    AndAnd,
    OrOr,
    EqEq,
    NotEq,
    Lt,
    Le,
    Gt,
    Ge,
    Shl,
    Shr,
}

impl Tok {
    /// Whether the grammar takes it as a constant.
    pub(super) fn is_const(self) -> bool {
        matches!(self, Tok::Number | Tok::Char | Tok::True | Tok::False | Tok::Skip | Tok::MtypeName)
    }

    /// Whether it separates statements.
    pub(super) fn is_semi(self) -> bool {
        matches!(self, Tok::Semi | Tok::Arrow)
    }

    /// Whether it ends a sequence of statements.
    pub(super) fn is_closer(self) -> bool {
        matches!(self, Tok::RBrace | Tok::Sep | Tok::Fi | Tok::Od | Tok::Eof) || self.is_unit_start()
    }

    /// Whether it can only stand at the beginning of a part at top level.
    pub(super) fn is_unit_start(self) -> bool {
        use Tok::*;
        matches!(self, Active | Proctype | DProctype | Init | Never | Trace | NoTrace | Typedef | Inline | Ltl)
    }

    /// Whether it begins a declaration.
    pub(super) fn is_decl_start(self) -> bool {
        matches!(self, Tok::Type(_) | Tok::TypeName | Tok::Hidden | Tok::Show | Tok::Local)
    }

    /// Whether a line break behind it may stand for a semicolon.
    pub(super) fn ends_line(self) -> bool {
        use Tok::*;
        self.is_const()
            || matches!(self, RBrace | RParen | RBracket | Od | Fi | Else | Break | CCode | CExpr | CDecl)
            || matches!(self, Name | Incr | Decr)
    }

    /// Whether it is an operator that needs something on its left.
    pub(super) fn is_infix(self) -> bool {
        use Tok::*;
        matches!(self, Plus | Star | Slash | Percent | Amp | Caret | Bar | AndAnd | OrOr | EqEq | NotEq)
            || matches!(self, Lt | Le | Gt | Ge | Shl | Shr | Assign | Dot | Query | QueryQuery | BangBang | Comma)
    }

    /// Whether it is a keyword of Promela.
    pub(super) fn is_keyword(self) -> bool {
        KEYWORDS.iter().any(|(_, t)| *t == self)
    }
}

/// A token: what it is, where it came from, and the range of expanded text it was read from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) tok: Tok,
    /// Value of a number or character; index of a C fragment; at `select` how it is spelled out.
    pub(super) value: i32,
    pub(super) span: Span,
    pub(super) lo: u32,
    pub(super) hi: u32,
    /// Not written: a semicolon that a line break or a brace stands for, or a parenthesis around `timeout`.
    pub(super) implied: bool,
}

/// The words of Promela.
pub(super) const KEYWORDS: &[(&str, Tok)] = &[
    ("active", Tok::Active),
    ("assert", Tok::Assert),
    ("atomic", Tok::Atomic),
    ("bit", Tok::Type(Base::Bit)),
    ("bool", Tok::Type(Base::Bool)),
    ("break", Tok::Break),
    ("byte", Tok::Type(Base::Byte)),
    ("c_code", Tok::CCode),
    ("c_decl", Tok::CDecl),
    ("c_expr", Tok::CExpr),
    ("c_state", Tok::CState),
    ("c_track", Tok::CTrack),
    ("chan", Tok::Type(Base::Chan)),
    ("D_proctype", Tok::DProctype),
    ("d_step", Tok::DStep),
    ("do", Tok::Do),
    ("else", Tok::Else),
    ("empty", Tok::Empty),
    ("enabled", Tok::Enabled),
    ("eval", Tok::Eval),
    ("false", Tok::False),
    ("fi", Tok::Fi),
    ("for", Tok::For),
    ("full", Tok::Full),
    ("get_priority", Tok::GetPriority),
    ("goto", Tok::Goto),
    ("hidden", Tok::Hidden),
    ("if", Tok::If),
    ("in", Tok::In),
    ("init", Tok::Init),
    ("inline", Tok::Inline),
    ("int", Tok::Type(Base::Int)),
    ("len", Tok::Len),
    ("local", Tok::Local),
    ("ltl", Tok::Ltl),
    ("mtype", Tok::Type(Base::Mtype)),
    ("nempty", Tok::Nempty),
    ("never", Tok::Never),
    ("nfull", Tok::Nfull),
    ("notrace", Tok::NoTrace),
    ("np_", Tok::NonProgress),
    ("od", Tok::Od),
    ("of", Tok::Of),
    ("pc_value", Tok::PcValue),
    ("pid", Tok::Type(Base::Pid)),
    ("printf", Tok::Printf),
    ("printm", Tok::Printm),
    ("priority", Tok::Priority),
    ("proctype", Tok::Proctype),
    ("provided", Tok::Provided),
    ("return", Tok::Return),
    ("run", Tok::Run),
    ("select", Tok::Select),
    ("set_priority", Tok::SetPriority),
    ("short", Tok::Type(Base::Short)),
    ("show", Tok::Show),
    ("skip", Tok::Skip),
    ("timeout", Tok::Timeout),
    ("trace", Tok::Trace),
    ("true", Tok::True),
    ("typedef", Tok::Typedef),
    ("unless", Tok::Unless),
    ("unsigned", Tok::Type(Base::Unsigned)),
    ("xr", Tok::Xr),
    ("xs", Tok::Xs),
];

/// The words that the literature has for operators, and SPIN has not: known in a lone formula, unless the model has such a name.
pub(super) const LTL_LETTERS: &[(&str, Tok)] =
    &[("F", Tok::Eventually), ("G", Tok::Always), ("M", Tok::StrongRelease), ("R", Tok::Release)];

/// The words that are operators inside a formula.
pub(super) const LTL_WORDS: &[(&str, Tok)] = &[
    ("U", Tok::Until),
    ("V", Tok::Release),
    ("W", Tok::WeakUntil),
    ("X", Tok::Next),
    ("always", Tok::Always),
    ("eventually", Tok::Eventually),
    ("until", Tok::Until),
    ("stronguntil", Tok::Until),
    ("weakuntil", Tok::WeakUntil),
    ("release", Tok::Release),
    ("next", Tok::Next),
    ("implies", Tok::Implies),
    ("equivalent", Tok::Equivalent),
];
