//! Formulas that stand beside a model, such as those of the command line.
//!
//! A formula is read as if it stood in an `ltl` block behind the last line of the model: with its macros and its names, but as a text of
//! its own, at which messages point. The model is not read again.

use crate::ast::Expr;
use crate::names::{self, Names};
use crate::{Reading, parse};
use ferrospin_source::{Diagnostics, FileId, SourceMap};

/// A formula in the scope of a model.
pub struct Formula {
    /// The formula.
    pub expr: Expr,
    /// What the identifiers of the model and of the formula mean.
    pub names: Names,
}

/// Reads a formula in the scope of a model that was read without errors, or says what is wrong with it.
pub fn read_formula(map: &mut SourceMap, file: FileId, reading: &Reading) -> Result<Formula, Diagnostics> {
    let (expanded, mut diagnostics) = reading.macros.expand(map, file);
    let (formula, said) = parse::parse_formula(map, &expanded, &reading.program);
    diagnostics.extend(said);
    let read = formula.map(|formula| {
        let (names, said) = names::resolve_formula(map, &reading.program, &reading.names, &formula);
        diagnostics.extend(said);
        Formula { expr: formula.expr, names }
    });
    diagnostics.sort(map);
    match read {
        Some(read) if !diagnostics.has_errors() => Ok(read),
        _ => Err(diagnostics),
    }
}
