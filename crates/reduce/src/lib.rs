//! Partial-order reduction: stubborn sets, offered as a [`ferrospin_system::Reduction`].
//!
//! [`facts`] says what must be known of a program; whoever knows the program implements it. `rows` remembers what was
//! asked, `cast` recognises the processes of a state. `alone` offers sets of one process that needs no other, which
//! `matrix` sees at a glance, and `survey` for many states at once: most states of most programs are done with there. `closure` grows larger sets until they are stubborn, from what `state` says;
//! `stubborn` offers them, best first, and `memo` remembers them. `ample` offers the sets of `alone` and nothing else.
//!
//! The sets are strong stubborn sets (Valmari 1989, Godefroid 1996): with an executable move every move that does not
//! accord with it, with a move that is not executable whatever must happen before it is. Strong sets keep all states
//! without moves; with a proviso that is answered by the search they keep every failing move as well, and with
//! visibility every property that does not count steps.

mod alone;
mod ample;
mod cast;
mod choices;
mod closure;
pub mod facts;
mod listed;
mod matrix;
mod memo;
mod rows;
mod state;
mod stubborn;
mod survey;

pub use ample::Ample;
pub use facts::{EdgeFacts, EdgeKind, Facts, Layout, Target, Test};
pub use stubborn::{Keep, Stubborn, Weakening};
