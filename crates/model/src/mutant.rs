//! Mutants: passes and lowering without one of their conditions.
//!
//! Each condition that keeps a pass sound, or makes lowering follow the rules of the language, has a name here. A mutant lacks one of
//! them; `crates/testkit/tests/mutants.rs` shows that each mutant gives a wrong answer somewhere. Everything else uses [`Mutant::NONE`]:
//! what is asked then is a comparison of two constants while a model is prepared, and nothing while it is searched.

macro_rules! guards {
    ($($(#[$doc:meta])* $name:ident)*) => {
        /// A condition in a pass or in lowering.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Guard {
            $($(#[$doc])* $name,)*
        }

        impl Guard {
            /// All of them.
            pub const ALL: &[Guard] = &[$(Guard::$name),*];
        }
    };
}

guards! {
    /// A parameter may begin with anything.
    TallyParameter
    /// What `provided` looks at is seen.
    TallyAsked
    /// An element is a part of its array.
    TallyElement
    /// An index of what is stored to is seen.
    TallyIndex
    /// What is stored must be such that it can be left out.
    TallyHarmless
    /// Only its own value may go into a tally.
    TallyOwn
    /// What is read elsewhere is seen.
    TallyRead
    /// What is stored to in another way is no tally.
    TallyWritten
    /// What others read is seen.
    TallyRemote
    /// A tally begins with 0.
    TallyInitial
    /// A read at an index may fail.
    TallyIndexed
    /// A division may fail.
    TallyDivision
    /// What asks a channel may fail.
    TallyOther
    /// Nothing asks where a process stands, or who moved last.
    MergeStanding
    /// A variable that others read is not silent.
    MergeRemote
    /// An array that others read at an index is not silent.
    MergeRemoteArray
    /// A process with a `provided` clause may have to stop anywhere.
    MergeProvided
    /// Behind the send of a handshake the receiver may go first.
    MergeSend
    /// Behind the receive of a handshake only what prints is passed over.
    MergeReceive
    /// Others notice what a process does outside of `atomic`.
    MergeAlone
    /// In front of an `atomic` others may move.
    MergeOpens
    /// An `atomic` that does not only print is not entered.
    MergeTruncate
    /// A global is not silent.
    MergeGlobal
    /// An index may be outside.
    MergeIndex
    /// A process can be seen at a label.
    MergeMarked
    /// There must be no choice.
    MergeChoice
    /// Only what prints, and `skip`, does nothing.
    IdleKind
    /// What is printed may be outside an array.
    IdleIndex
    /// What is printed may fail.
    IdleFails
    /// A silent step cannot block.
    SilentKind
    /// A silent step cannot fail.
    SilentFails
    /// An array is not dead as a whole.
    DeadArray
    /// What others read is not dead.
    DeadRemote
    /// What `provided` reads is not dead.
    DeadAsked
    /// A global is no local at the same offset.
    DeadLocal
    /// What a `d_step` reads is live in front of it.
    DeadDStep
    /// What is read is live.
    DeadRead
    /// A value is read before the place is stored to.
    DeadOrder
    /// A handshake has no further actions.
    DeadHandshake
    /// What a handshake may store is not 0 behind it.
    DeadSpoiled
    /// A jump with a label of meaning is a step.
    JumpSpecial
    /// A jump whose label is asked for is a step.
    JumpRemote
    /// `else` comes last.
    ElseLast
    /// No escape leads away from behind the guard of a `d_step`.
    EscapeSealed
    /// An inner escape is guarded by the outer one.
    EscapeInner
    /// The outer escape goes first.
    EscapeOrder
    /// An escape guards the body of an inner `unless`.
    EscapeUnless
    /// An escape guards the options of a selection.
    EscapeChoice
    /// An escape guards what is in a block.
    EscapeBlock
    /// The last step of a block that ends an `atomic` gives up control.
    AtomicLastInner
    /// The last step of an `atomic` gives up control.
    AtomicLast
    /// A `d_step` inside another one is a part of it.
    DStepInner
    /// The options of a selection inside an `atomic` are inside it.
    AtomicChoice
    /// What an `unless` inside an `atomic` guards is inside it.
    AtomicUnless
    /// A `skip` with a label is a step.
    SkipLabel
    /// What prints is a step.
    SkipPrint
    /// The last `skip` of an option is a step.
    SkipLast
    /// Each `skip` of a claim is a step.
    SkipClaim
    /// A `select` is a choice only where it is spelled so.
    SelectSpelled
    /// A `d_step` may open with a handshake.
    DStepHandshake
    /// A `d_step` may open with `else`.
    DStepElse
    /// The rest of a `d_step` follows its guard at once.
    DStepGuardAtomic
    /// An `atomic` keeps control.
    AtomicAtAll
    /// A jump out of an `atomic` gives up control.
    JumpOut
    /// A jump that ends an `atomic` and leads into another keeps control.
    JumpBridge
    /// The end of an `atomic` is a step.
    SettleLeaves
    /// No escape leads away from behind a body.
    EscapeJoint
    /// An escape is there once.
    EscapeOnce
    /// Two `else` at one point are refused.
    TwoElse
    /// A `d_step` ends where its elements end.
    DStepLeaves
    /// A label of a selection that opens an option is handed on.
    MarkHandedOn
    /// A label of an option marks the place behind its statement.
    MarkBehind
    /// What carries a value on its way is 0 between steps.
    SpareZero
    /// What goes to `_` may fail.
    DroppedFails
    /// A constant index outside the array fails.
    IndexInside
    /// Only at the head of a body an initialiser is no step.
    InitialAtHead
    /// A receive sets the priority.
    ReceiveKept
    /// A `run` with a priority makes use of priorities.
    RunPriority
    /// A part of a formula that may fail stays whole.
    FormulaWhole
    /// A claim accepts the runs on which the formula fails.
    ClaimNegated
    /// What the labels of a model accept says nothing about a formula.
    ClaimAlone
    /// Only accepting states of an automaton accept.
    ClaimAccepting
    /// Where a claim ends it would have stayed.
    EndingStays
    /// Where a claim ends it would have accepted whatever follows.
    EndingTrue
}

/// What is missing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Mutant(Option<Guard>);

impl Mutant {
    /// Nothing.
    pub const NONE: Mutant = Mutant(None);

    /// A condition.
    pub fn without(guard: Guard) -> Mutant {
        Mutant(Some(guard))
    }

    /// Whether a condition is missing.
    pub(crate) fn lacks(self, guard: Guard) -> bool {
        self.0 == Some(guard)
    }
}
