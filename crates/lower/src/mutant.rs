//! Mutants: lowering without one of its conditions.
//!
//! Each condition that makes lowering follow the rules of the language, or a claim accept the right runs, has a name here. A mutant
//! lacks one of them; `crates/testkit/tests/mutants.rs` shows that each mutant gives a wrong answer somewhere.

ferrospin_model::mutants! {
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
    /// Where a claim ends it would have accepted whatever follows.
    EndingTrue
}
