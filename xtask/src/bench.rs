//! Measurements whose tables go into `docs/BENCHMARKS.md`.

pub(crate) mod beem;
pub(crate) mod gpu;
pub(crate) mod lint;
pub(crate) mod live;
pub(crate) mod probes;
pub(crate) mod reduced;
pub(crate) mod runs;
pub(crate) mod rust;
pub(crate) mod spin;
mod time;
pub(crate) mod workers;
