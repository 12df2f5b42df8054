//! Partial-order reduction: stubborn sets, offered as a [`ferrospin_system::Reduction`].
//!
//! - [`facts`]: what must be known of a program; the trait is implemented above this crate.
//! - `fact_rows`: answers of the facts, computed once.
//! - `fast`: sets of one process that needs no other, for many states at once. They suffice for most states of most programs.
//! - `ample`: a reduction by these sets and nothing else.
//! - `closure`: grows larger sets until they are stubborn, from the control state of the processes (`control_state`).
//! - `stubborn`: the reduction by both, best set first; `set_cache` keeps the sets that were grown.
//!
//! Caches and orders may be changed without fear. What a set must contain is `closure` and `fast::single_process`: each rule
//! there has a deliberate mistake ([`Weakening`]) that the tests must find.
//!
//! The sets are strong stubborn sets (Valmari 1989, Godefroid 1996): with an executable move every move that does not
//! accord with it, with a move that is not executable whatever must happen before it is. Strong sets keep all states
//! without moves; with a proviso that is answered by the search they keep every failing move as well, and with
//! visibility every property that does not count steps.

mod ample;
mod closure;
mod control_state;
mod fact_rows;
pub mod facts;
mod fast;
mod set_cache;
mod stubborn;

pub use ample::Ample;
pub use facts::{EdgeFacts, EdgeKind, Facts, Layout, Target, Test};
pub use stubborn::{Keep, Stubborn, Weakening};
