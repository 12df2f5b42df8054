//! Never claims of formulas.

use crate::reading::Block;
use crate::text;
use ferrospin_ltl::{
    Atoms, Automaton, Dialect, Formula, Formulas, Labels, NeverOptions, Target, degeneralise, never, parse, translate,
};
use ferrospin_source::SourceMap;

/// The claim of a formula as `spin -f` prints it, or what is wrong with the formula.
pub fn never_of(formula: &str) -> Result<String, String> {
    let line = formula.replace(['\t', '\n'], " ");
    let claim = claim(&line, Dialect::SpinF, false, &line)?;
    Ok(claim.replacen("never {", "never  {", 1))
}

/// The claim that looks for violations of an `ltl` block.
pub fn claim_of(block: &Block<'_>) -> Result<String, String> {
    let formula = text::formula(block.formula, &text::as_written);
    let claim = claim(&formula, Dialect::SpinLtl, true, &format!("!({formula})"))?;
    Ok(claim.replacen("never {", &format!("never {} {{", block.name), 1))
}

fn claim(formula: &str, dialect: Dialect, negate: bool, title: &str) -> Result<String, String> {
    let mut map = SourceMap::new();
    let file = map.add_file("formula", formula);
    let (mut formulas, mut atoms, mut labels) = (Formulas::new(), Atoms::new(), Labels::new());
    let (read, said) = parse(formula, map.base(file), dialect, &mut formulas, &mut atoms);
    let read: Formula = match read {
        Some(f) if !said.has_errors() => f,
        _ => {
            let why = said.iter().next().map_or("syntax error".to_string(), |d| d.message.to_string());
            return Err(why);
        }
    };
    let f = if negate { formulas.not(read) } else { read };
    let mut automaton: Automaton =
        translate(&mut formulas, f, Target::Buchi, &mut labels).map_err(|why| why.to_string())?;
    if !automaton.state_based {
        automaton = degeneralise(&automaton, &mut labels);
    }
    Ok(never(&automaton, &mut labels, &atoms, title, NeverOptions { assert: negate }))
}
