//! Which random programs a run is about.

use std::ops::Range;

/// Options of whatever takes random programs.
#[derive(clap::Args)]
pub(crate) struct Seeds {
    /// How many programs
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    count: u64,
    /// Seed of the first program; the others follow
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

impl Seeds {
    /// The seeds, one after the other.
    pub(crate) fn all(&self) -> Range<u64> {
        self.seed..self.seed + self.count
    }
}
