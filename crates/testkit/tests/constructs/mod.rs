//! The table of constructs, and a walk over syntax trees that counts them.

mod expressions;
mod statements;
mod units;

/// Why something is not written.
const EMBEDDED_C: Option<&str> = Some("embedded C is read, but not run");
/// Listed as written.
const WRITTEN: Option<&str> = None;

macro_rules! constructs {
    ($($name:ident $reason:expr;)*) => {
        /// Something that can be written in Promela.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum Construct { $($name),* }

        /// Every construct; a reason where it is not written.
        pub(crate) const TABLE: &[(Construct, Option<&str>)] = &[$((Construct::$name, $reason)),*];
    };
}

constructs! {
    // Parts of a program.
    GlobalDeclaration WRITTEN;
    MtypeList WRITTEN;
    NamedMtypeList WRITTEN;
    Typedef WRITTEN;
    Proctype WRITTEN;
    DProctype WRITTEN;
    Active WRITTEN;
    ActiveCount WRITTEN;
    Parameters WRITTEN;
    ProctypePriority WRITTEN;
    Provided WRITTEN;
    Init WRITTEN;
    InitPriority WRITTEN;
    Never WRITTEN;
    NamedNever WRITTEN;
    NamedLtl WRITTEN;
    UnnamedLtl Some("it is given a name, and is the same as a named one from then on");
    Trace WRITTEN;
    NoTrace WRITTEN;
    Inline WRITTEN;
    CCodeUnit EMBEDDED_C;
    CDecl EMBEDDED_C;
    CState EMBEDDED_C;
    CTrack EMBEDDED_C;
    // The preprocessor, by the text.
    Macro WRITTEN;
    MacroWithArguments WRITTEN;
    Undefine WRITTEN;
    ConditionalText WRITTEN;
    Include Some("a program of a seed is one text; the preprocessor has tests with files");
    // Declarations.
    Hidden WRITTEN;
    Show WRITTEN;
    Local WRITTEN;
    BitType WRITTEN;
    BoolType WRITTEN;
    ByteType WRITTEN;
    PidType WRITTEN;
    ShortType WRITTEN;
    IntType WRITTEN;
    UnsignedType WRITTEN;
    MtypeType WRITTEN;
    NamedMtypeType WRITTEN;
    ChanType WRITTEN;
    RecordType WRITTEN;
    SeveralVariables WRITTEN;
    ArrayDeclaration WRITTEN;
    InitialExpression WRITTEN;
    InitialList WRITTEN;
    InitialChannel WRITTEN;
    Rendezvous WRITTEN;
    ChannelArray WRITTEN;
    ChannelInMessage WRITTEN;
    ChannelBesideData WRITTEN;
    RecordInMessage WRITTEN;
    RecordParameter WRITTEN;
    ChannelParameter WRITTEN;
    MtypeParameter WRITTEN;
    UnsignedField WRITTEN;
    ShortField WRITTEN;
    IntField WRITTEN;
    BitField WRITTEN;
    ArrayField WRITTEN;
    RecordField WRITTEN;
    ArrayOfRecords WRITTEN;
    ArrayOfShort WRITTEN;
    ArrayOfInt WRITTEN;
    // Statements.
    LocalDeclaration WRITTEN;
    ExclusiveReceive WRITTEN;
    ExclusiveSend WRITTEN;
    EmptyStatement Some("a label before nothing is written as a label before `skip`, which is the same step");
    ExpressionStatement WRITTEN;
    Assignment WRITTEN;
    Increment WRITTEN;
    Decrement WRITTEN;
    Send WRITTEN;
    SortedSend WRITTEN;
    SendAsCall WRITTEN;
    Receive WRITTEN;
    RandomReceive WRITTEN;
    CopyReceive WRITTEN;
    ReceiveAsCall WRITTEN;
    If WRITTEN;
    Do WRITTEN;
    ForRange WRITTEN;
    ForIn WRITTEN;
    SelectOptions WRITTEN;
    SelectLoop WRITTEN;
    Atomic WRITTEN;
    DStep WRITTEN;
    Block WRITTEN;
    Unless WRITTEN;
    Goto WRITTEN;
    Break WRITTEN;
    Else WRITTEN;
    Assert WRITTEN;
    Printf WRITTEN;
    Printm WRITTEN;
    SetPriority WRITTEN;
    CCodeStatement EMBEDDED_C;
    InlineCall WRITTEN;
    Return WRITTEN;
    // Patterns of receives.
    PatternVariable WRITTEN;
    PatternEval WRITTEN;
    PatternConstant WRITTEN;
    // Expressions.
    Number WRITTEN;
    TruthWord WRITTEN;
    SkipWord WRITTEN;
    Character WRITTEN;
    Reference WRITTEN;
    Minus WRITTEN;
    Complement WRITTEN;
    Not WRITTEN;
    Add WRITTEN;
    Sub WRITTEN;
    Mul WRITTEN;
    Div WRITTEN;
    Rem WRITTEN;
    BitAnd WRITTEN;
    BitXor WRITTEN;
    BitOr WRITTEN;
    Shl WRITTEN;
    Shr WRITTEN;
    Less WRITTEN;
    LessEqual WRITTEN;
    Greater WRITTEN;
    GreaterEqual WRITTEN;
    Equal WRITTEN;
    Unequal WRITTEN;
    And WRITTEN;
    Or WRITTEN;
    Conditional WRITTEN;
    Run WRITTEN;
    RunPriority WRITTEN;
    Len WRITTEN;
    Full WRITTEN;
    Empty WRITTEN;
    NotFull WRITTEN;
    NotEmpty WRITTEN;
    Poll WRITTEN;
    RandomPoll WRITTEN;
    Enabled WRITTEN;
    PcValue WRITTEN;
    GetPriority WRITTEN;
    Timeout WRITTEN;
    NonProgress WRITTEN;
    RemoteLabel WRITTEN;
    RemoteLabelOfNumber WRITTEN;
    RemoteVariable WRITTEN;
    RemoteVariableOfNumber WRITTEN;
    CExpr EMBEDDED_C;
    Always WRITTEN;
    Eventually WRITTEN;
    Next WRITTEN;
    Until WRITTEN;
    Release WRITTEN;
    WeakUntil WRITTEN;
    Implies WRITTEN;
    Equivalent WRITTEN;
    // Variables of the system.
    OwnNumber WRITTEN;
    LastProcess WRITTEN;
    ProcessCount WRITTEN;
    OwnPriority WRITTEN;
    StandardInput Some("only an interactive simulation reads it");
    // Where constructs meet.
    PriorityAssigned WRITTEN;
    PriorityIncremented WRITTEN;
    PriorityDecremented WRITTEN;
    PriorityCounts WRITTEN;
    PrioritySelected WRITTEN;
    PriorityReceived WRITTEN;
    PriorityFromRun WRITTEN;
    PriorityFromInline WRITTEN;
    DroppedValue WRITTEN;
    DroppedRun WRITTEN;
    DroppedInline WRITTEN;
    ReceiveIntoOwnNumber Some("refused, because it changes what the system keeps");
    ForInDStep WRITTEN;
    SelectInDStep WRITTEN;
    InlineInDStep WRITTEN;
    DStepInDStep WRITTEN;
    AtomicInDStep WRITTEN;
    ForInAtomic WRITTEN;
    SelectInAtomic WRITTEN;
    InlineInAtomic WRITTEN;
    NestedInline WRITTEN;
    NestedUnless WRITTEN;
    ElseBesidePoll WRITTEN;
    ComputedIndexWritten WRITTEN;
    ComputedIndexRead WRITTEN;
    ComputedIndexOfChannel WRITTEN;
    ComputedIndexInReceive WRITTEN;
    ArithmeticInSend WRITTEN;
    EvalOfExpression WRITTEN;
    LabelOnFirstOfOption WRITTEN;
    LabelInAtomic WRITTEN;
    LabelInDStep WRITTEN;
    LabelInUnless WRITTEN;
    LabelOnCompound WRITTEN;
    EndLabel WRITTEN;
    AcceptLabel WRITTEN;
    ProgressLabel WRITTEN;
    JumpIntoIf WRITTEN;
    JumpOutOfIf WRITTEN;
    JumpIntoDo WRITTEN;
    JumpOutOfDo WRITTEN;
    JumpIntoAtomic WRITTEN;
    JumpOutOfAtomic WRITTEN;
    JumpInDStep WRITTEN;
    JumpIntoDStep Some("refused by SPIN and here");
    JumpOutOfDStep Some("refused by SPIN and here");
    JumpIntoUnless WRITTEN;
    JumpOutOfUnless WRITTEN;
}

/// A construct around a statement.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    If,
    Do,
    For,
    Atomic,
    DStep,
    Unless,
    Block,
    Inline,
}

/// Counts constructs.
pub(crate) struct Walk {
    times: Vec<u64>,
    /// What stands around the statement at hand, each with a number of its own.
    around: Vec<(u32, Around)>,
    numbers: u32,
    /// Labels and jumps of the body at hand, with what stands around them.
    labels: Vec<(String, Vec<(u32, Around)>)>,
    jumps: Vec<(String, Vec<(u32, Around)>)>,
}

impl Default for Walk {
    fn default() -> Walk {
        let times = vec![0; TABLE.len()];
        Walk { times, around: Vec::new(), numbers: 0, labels: Vec::new(), jumps: Vec::new() }
    }
}

impl Walk {
    /// How often a construct occurred.
    pub(crate) fn times(&self, construct: Construct) -> u64 {
        self.times[construct as usize]
    }

    fn saw(&mut self, construct: Construct) {
        self.times[construct as usize] += 1;
    }

    fn saw_if(&mut self, there: bool, construct: Construct) {
        if there {
            self.saw(construct);
        }
    }

    /// Whether something of a kind stands around the statement at hand.
    fn inside(&self, kind: Around) -> bool {
        self.around.iter().any(|a| a.1 == kind)
    }
}
