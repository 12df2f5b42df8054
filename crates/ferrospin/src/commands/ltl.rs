//! `ferrospin ltl`: a formula as an automaton.

use super::ExitStatus;
use crate::output;
use clap::ValueEnum;
use ferrospin_ltl::{
    Atoms, Dialect, Flags, Formulas, Labels, NeverOptions, Target, dot, hoa, never, parse, statistics, translate,
};
use ferrospin_source::{SourceMap, render};

/// Translate a formula of linear temporal logic into an automaton
///
/// The automaton accepts the runs on which the formula holds; a never claim for `check` or for SPIN is made from the
/// negated formula.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  ferrospin ltl '! [] (p -> <> q)'                 the never claim that looks for violations of [] (p -> <> q)
  ferrospin ltl --format hoa 'G F p'               HOA v1, with marks on edges
  ferrospin ltl --format stats 'p U (q U r)'       its size and class
  ferrospin ltl --dialect spin-f 'p || q && <> r'  read as `spin -f` reads it

Exit codes:
  0  done
  2  bad input or usage")]
pub(crate) struct Args {
    /// The formula, such as `[] (p -> <> q)`
    #[arg(value_name = "FORMULA", allow_hyphen_values = true)]
    formula: String,

    /// What to write
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Form::Never)]
    format: Form,

    /// Whose rules of precedence to read it by
    #[arg(long, value_enum, value_name = "DIALECT", default_value_t = Reading::Project)]
    dialect: Reading,
}

/// `--format`
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Form {
    /// A never claim in Promela
    Never,
    /// The Hanoi format
    Hoa,
    /// The language of Graphviz
    Dot,
    /// Size and class
    Stats,
}

/// `--dialect`
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Reading {
    /// The literature's
    Project,
    /// That of `ltl` blocks
    SpinLtl,
    /// That of `spin -f`
    SpinF,
}

/// Reads the formula and writes its automaton.
pub(crate) fn run(args: &Args) -> anyhow::Result<ExitStatus> {
    let mut map = SourceMap::new();
    let file = map.add_file("<formula>", args.formula.as_str());
    let dialect = match args.dialect {
        Reading::Project => Dialect::Project,
        Reading::SpinLtl => Dialect::SpinLtl,
        Reading::SpinF => Dialect::SpinF,
    };
    let (mut formulas, mut atoms, mut labels) = (Formulas::new(), Atoms::default(), Labels::new());
    let (formula, said) = parse(&args.formula, map.base(file), dialect, &mut formulas, &mut atoms);
    output::say(&render::list_to_string(&map, &said, false));
    let Some(formula) = formula.filter(|_| !said.has_errors()) else { return Ok(2) };
    let target = if args.format == Form::Never { Target::Buchi } else { Target::Generalised };
    let automaton = translate(&mut formulas, formula, target, &mut labels)?;
    let text = match args.format {
        Form::Never => never(&automaton, &mut labels, &atoms, &args.formula, NeverOptions::default()),
        Form::Hoa => {
            let steady = formulas.is(formula, Flags::X_FREE);
            hoa(&automaton, &mut labels, &atoms, &args.formula, steady)
        }
        Form::Dot => dot(&automaton, &mut labels, &atoms, &args.formula),
        Form::Stats => format!("{:#?}\n", statistics(&automaton, &mut labels)),
    };
    output::print(&text)?;
    Ok(0)
}
