//! Why nothing was checked.

use crate::run::Deviation;
use ferrospin_source::report::Report as Message;
use ferrospin_source::{Diagnostics, SourceMap, render};
use std::fmt;
use thiserror::Error;

/// Why nothing was checked.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Refusal {
    /// What was asked for cannot be done, or would not be sound; a sentence says why.
    #[error("{0}")]
    Refused(String),
    /// A formula that was asked for cannot be read.
    #[error("{0}")]
    Formula(BadFormula),
    /// A search has found what the reference executor does not confirm.
    #[error("internal error: the counterexample of `{property}` is not confirmed by the reference executor: {why}")]
    Unconfirmed {
        /// The property that the search has found violated.
        property: String,
        /// What the reference executor does instead.
        why: Deviation,
    },
}

impl Refusal {
    /// Why, in a sentence.
    pub fn why(&self) -> String {
        self.to_string()
    }
}

/// A formula that cannot be read, and all that was said about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadFormula {
    formula: String,
    reason: String,
    plain: String,
    colored: String,
    /// The messages as data.
    pub messages: Vec<Message>,
}

impl BadFormula {
    /// What was said of a formula as typed; `note` is added to the first message.
    pub fn new(formula: &str, map: &SourceMap, said: &Diagnostics, note: Option<String>) -> BadFormula {
        let mut diagnostics = Diagnostics::default();
        for (i, d) in said.iter().enumerate() {
            let note = if i == 0 { note.clone() } else { None };
            let d = d.clone();
            diagnostics.push(if let Some(note) = note { d.note(note) } else { d });
        }
        let text = |colored| diagnostics.iter().map(|d| render::to_string(map, d, colored) + "\n").collect::<String>();
        BadFormula {
            formula: formula.into(),
            reason: diagnostics.iter().find(|d| !d.lint).map_or(String::new(), |d| d.message.clone()),
            plain: text(false),
            colored: text(true),
            messages: Message::list(map, &diagnostics),
        }
    }

    /// The first mistake, in a sentence.
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// The messages as text, with an empty line after each.
    pub fn text(&self, colored: bool) -> &str {
        if colored { &self.colored } else { &self.plain }
    }
}

impl fmt::Display for BadFormula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is neither the name of an ltl block nor a formula: {}", self.formula, self.reason)
    }
}
