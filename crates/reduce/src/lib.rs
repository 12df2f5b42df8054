//! Partial-order reduction: stubborn sets, offered as a [`ferrospin_system::Reduction`].
//!
//! [`facts`] says what must be known of a program; whoever knows the program implements it. `rows` remembers what was
//! asked, `state` reads a state, `closure` grows a set until it is stubborn, `stubborn` offers the sets, best first, and
//! `memo` remembers what was offered. `ample` offers sets of one process only, and needs neither closure nor memory.
//!
//! The sets are strong stubborn sets (Valmari 1989, Godefroid 1996): with an executable move every move that does not
//! accord with it, with a move that is not executable whatever must happen before it is. Strong sets keep all states
//! without moves; with a proviso that is answered by the search they keep every failing move as well, and with
//! visibility every property that does not count steps.

mod ample;
mod closure;
pub mod facts;
mod memo;
mod rows;
mod state;
mod stubborn;

pub use ample::Ample;
pub use facts::{EdgeFacts, EdgeKind, Facts, Layout, Target, Test};
pub use stubborn::{Keep, Stubborn, Weakening};
