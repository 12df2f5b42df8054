//! Measurements whose tables go into `docs/BENCHMARKS.md`.

pub(crate) mod lint;
mod time;
