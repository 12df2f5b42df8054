//! Measurements whose tables go into `docs/BENCHMARKS.md`.

pub(crate) mod lint;
pub(crate) mod live;
pub(crate) mod spin;
mod time;
