//! Lints: what SPIN accepts and an engineer would still rather know.
//!
//! Each file holds one lint or a group of kin. All look at the tree and at what names mean, never at states, so that a
//! thousand lines take a few milliseconds. A lint speaks only when it is nearly sure: whatever a sound model may well
//! contain is off unless asked for. [`CODES`] lists all codes, those of [`crate::types`] included, and [`levels`]
//! applies what the user allows and denies.

mod choice;
mod codes;
pub(crate) mod constant;
mod d_step;
pub mod levels;
mod ltl;
pub(crate) mod mentions;
mod process;
mod reach;
mod unused;
mod unused_names;
mod values;
pub(crate) mod walk;

pub use codes::{CODES, Level, LintInfo, find};
pub use levels::apply_levels;

use crate::ast::Program;
use crate::names::Names;
use ferrospin_source::{Diagnostic, Diagnostics, Severity, SourceMap, Span};
use rustc_hash::FxHashSet;

/// Looks for all that the lints know. Those that are off by default are included: see [`apply_levels`].
pub fn check(map: &SourceMap, program: &Program, names: &Names) -> Diagnostics {
    let mut said = Said::new(map);
    unused::check(program, names, &mut said);
    unused_names::check(program, names, &mut said);
    reach::check(program, names, &mut said);
    choice::check(map, program, &mut said);
    d_step::check(program, &mut said);
    values::check(map, program, names, &mut said);
    process::check(program, names, &mut said);
    ltl::check(map, program, &mut said);
    let mut diagnostics = said.finish();
    diagnostics.sort(map);
    diagnostics
}

/// A lint of error level.
pub(crate) fn error(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::lint(Severity::Error, code, span, message)
}

/// A lint of warning level.
pub(crate) fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::lint(Severity::Warning, code, span, message)
}

/// Messages, each said once: the body of an inline is walked for every call of it.
pub(crate) struct Said<'a> {
    map: &'a SourceMap,
    list: Diagnostics,
    seen: FxHashSet<(&'static str, u32, u32, String)>,
}

impl<'a> Said<'a> {
    /// Nothing said yet.
    pub(crate) fn new(map: &'a SourceMap) -> Self {
        Self { map, list: Diagnostics::default(), seen: FxHashSet::default() }
    }

    /// Says something unless it was said of the same place before.
    pub(crate) fn push(&mut self, d: Diagnostic) {
        debug_assert!(find(d.code).is_some(), "`{}` is missing in the table of codes", d.code);
        let at = self.map.primary(d.span);
        if self.seen.insert((d.code, at.lo, at.hi, d.message.clone())) {
            self.list.push(d);
        }
    }

    /// All that was said.
    pub(crate) fn finish(self) -> Diagnostics {
        self.list
    }
}
