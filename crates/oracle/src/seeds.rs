//! Which program a seed gives.

use ferrospin_testkit::generate::generate;
use ferrospin_testkit::language;
use ferrospin_testkit::program::Sample;

/// Four of five programs are over the whole language, the others of the kind on which SPIN's counts can be trusted.
pub fn sample(seed: u64) -> Sample {
    if seed % 5 == 4 { generate(seed) } else { language::generate(seed) }
}
