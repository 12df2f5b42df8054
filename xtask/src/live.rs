//! `fuzz-live`: cycles with and without partial-order reduction, on random programs.
//!
//! Every search that can be reduced is compared with the naive search over the whole product, at plain grain and behind the
//! passes.

use crate::seeds::Seeds;
use ferrospin::reduction::{Selector, reduction_for_cycles};
use ferrospin::stack::with_big_stack;
use ferrospin_testkit::live::{Case, Goal, Weakening, cases, judge};

/// Options of `fuzz-live`.
#[derive(clap::Args)]
pub(crate) struct Fuzz {
    #[command(flatten)]
    seeds: Seeds,
}

/// Compares; true when all agree.
pub(crate) fn fuzz(args: &Fuzz) -> anyhow::Result<bool> {
    Ok(with_big_stack(|| {
        let (mut failed, mut tally, mut full, mut reduced) = (0, [0; 2], 0, 0);
        for seed in args.seeds.all() {
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
