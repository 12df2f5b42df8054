//! `fuzz-live`: cycles with and without partial-order reduction, on random programs.
//!
//! Every search that can be reduced is compared with the naive search over the whole product, at plain grain and behind the
//! passes.

use ferrospin::reduction::{Selector, reduction_for_cycles};
use ferrospin::stack::with_big_stack;
use ferrospin_testkit::live::{Case, Goal, Weakening, cases, judge};

/// Options of `fuzz-live`.
#[derive(clap::Args)]
pub(crate) struct Fuzz {
    /// How many programs; each is asked for a formula, for `accept` and for `progress` labels
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    count: u64,
    /// Seed of the first program; the others follow
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
}

/// Compares; true when all agree.
pub(crate) fn fuzz(args: &Fuzz) -> anyhow::Result<bool> {
    Ok(with_big_stack(|| {
        let (mut failed, mut tally, mut full, mut reduced) = (0, [0; 2], 0, 0);
        for seed in args.seed..args.seed + args.count {
            let selector = if seed % 4 == 3 { Selector::Ample } else { Selector::Stubborn };
            for case in cases(seed) {
                let make = |c: &Case| reduction_for_cycles(&c.model, c.goal == Goal::NonProgress, selector).ok();
                match judge(&case, Weakening::default(), &make) {
                    Ok(None) => {}
                    Ok(Some(sizes)) => {
                        tally[usize::from(sizes.violated)] += 1;
                        full += sizes.full;
                        reduced += sizes.reduced;
                    }
                    Err(why) => {
                        failed += 1;
                        println!("seed {seed}: {why}\n{}", case.text);
                    }
                }
            }
        }
        println!(
            "{} cases ({} hold, {} are violated), {failed} failed; states of couvreur: all moves {full}, reduced {reduced}",
            tally[0] + tally[1],
            tally[0],
            tally[1]
        );
        failed == 0
    }))
}
