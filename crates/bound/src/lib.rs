//! Can a channel grow for ever? A static test of process graphs (Leue and Wei, "Counterexample-Based Refinement for a Boundedness Test
//! for CFSM Languages", SPIN 2005).
//!
//! Every process is looked at alone: messages are counted, not ordered, and whatever depends on others may happen. A channel is
//! bounded if there are weights for messages, at least 1 for its own, and a *potential* for every place where a process may stand,
//! none negative, such that no step makes the sum of all weights and potentials larger: what is in the channel then never exceeds the
//! sum at the beginning. Weights come from an exact linear program, whose rows are loops that gain something, found one by one;
//! where there are none, the loops of its contradiction are the suspects. They are looked at again with the values of the variables
//! that their guards read told apart, which is how a counter ends a loop.
//!
//! The paper adds constraints on how often a loop can repeat; here places are split by values instead, which is exact, wraps around as
//! the language does, and leaves a certificate that can be judged step by step ([`check`]). An argument about runs that go on for
//! ever, such as that a process cannot be in two strongly connected parts again and again, bounds a channel only where all are
//! bounded, and is not used.

pub mod analysis;
pub mod check;
mod effects;
mod gain;
mod program;
mod solve;
mod unfold;
mod values;

pub use analysis::{Analysis, Answer, Limits, Loop, Round, Suspect, analyse};
pub use check::Certificate;
pub use program::{Channel, Refusal};
