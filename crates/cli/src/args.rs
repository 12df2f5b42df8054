//! What was typed.
//!
//! Nothing here decides what an option means: each subcommand turns its arguments into the options of the library (see
//! [`crate::commands`]). Arguments that several subcommands share are defined once, in [`shared`].

pub(crate) mod protocols;
pub(crate) mod shared;
pub(crate) mod source;
pub(crate) mod units;

use crate::commands;
use clap::{Parser, Subcommand};

/// A model checker for concurrent systems written in Promela.
///
/// Ferrospin reads models of communicating processes in Promela, the language of SPIN, finds mistakes in their text, and
/// checks whether every possible run keeps what the model states.
#[derive(Parser, Debug)]
#[command(name = "ferrospin", version, max_term_width = 100, after_help = EXAMPLES, after_long_help = LONG_EXAMPLES)]
pub(crate) struct Args {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "\
Examples:
  ferrospin check model.pml              check all that the model states
  ferrospin lint model.pml               look for mistakes, without a search
  ferrospin check --help                 all options, with examples";

const LONG_EXAMPLES: &str = "\
Examples:
  ferrospin check model.pml              check all that the model states
  ferrospin lint model.pml               look for mistakes, without a search
  ferrospin check --help                 all options, with examples

Exit codes:
  0  all properties hold
  1  some property is violated
  2  bad input or usage
  3  undecided within the limits";

/// The subcommands.
#[derive(Subcommand, Debug)]
#[allow(missing_docs)]
pub(crate) enum Command {
    Check(Box<commands::check::Args<source::FileArgs>>),
    Simulate(Box<commands::simulate::Args<source::FileArgs>>),
    Spin(commands::spin::Args),
    Replay(Box<commands::replay::Args<source::FileArgs>>),
    Lint(commands::lint::Args),
    Ltl(commands::ltl::Args),
    Graph(commands::graph::Args),
    Compare(commands::compare::Args),
    Minimise(commands::minimise::Args),
    Translate(commands::translate::Args),
    Assume(commands::assume::Args),
    Bound(commands::bound::Args),
    Compose(commands::compose::Args),
    Certify(commands::certify::Args),
    Completions(commands::completions::Args),
    Test(commands::test::Args),
    Explain(commands::explain::Args),
    Man(commands::man::Args),
    New(commands::new::Args),
}
