//! Mutants: passes without one of their conditions.
//!
//! Each condition that keeps a pass sound has a name here. A mutant lacks one of them; `crates/testkit/tests/mutants.rs` shows that each
//! mutant gives a wrong answer somewhere. Everything else uses [`Mutant::NONE`]: what is asked then is a comparison of two constants
//! while a model is prepared, and nothing while it is searched. Other crates name their conditions by the same macro.

/// Declares the conditions of a crate as `Guard`, and what lacks at most one of them as `Mutant`.
#[macro_export]
macro_rules! mutants {
    ($($(#[$doc:meta])* $name:ident)*) => {
        /// A condition.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Guard {
            $($(#[$doc])* $name,)*
        }

        impl Guard {
            /// All of them.
            pub const ALL: &[Guard] = &[$(Guard::$name),*];
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
    };
}

mutants! {
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
    /// Nothing asks where a process stands, or which one moved last.
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
    /// A process can be seen to be not yet at a label.
    MergeTarget
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
}
