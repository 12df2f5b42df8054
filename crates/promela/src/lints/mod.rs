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
mod exclusive;
mod labels;
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
use ferrospin_source::{Diagnostic, Diagnostics, FileId, Label, Severity, SourceMap, Span};
use rustc_hash::{FxHashMap, FxHashSet};

/// Looks for all that there is a lint for. Those that are off by default are included: see [`apply_levels`].
pub fn check(map: &SourceMap, program: &Program, names: &Names) -> Diagnostics {
    let mut said = Said::new(map);
    unused::check(program, names, &mut said);
    unused_names::check(program, names, &mut said);
    reach::check(program, names, &mut said);
    choice::check(map, program, &mut said);
    d_step::check(program, &mut said);
    exclusive::check(program, names, &mut said);
    labels::check(program, names, &mut said);
    values::check(map, program, names, &mut said);
    process::check(map, program, names, &mut said);
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

/// How many places of the same mistake are shown.
const PLACES_MAX: usize = 4;

/// Messages, each said once: the body of an inline is walked for every call of it.
pub(crate) struct Said<'a> {
    map: &'a SourceMap,
    list: Vec<Diagnostic>,
    seen: FxHashSet<(&'static str, u32, u32, String)>,
    /// Messages with one common cause: which one stands for all, and how many there are.
    groups: FxHashMap<String, (usize, usize)>,
}

impl<'a> Said<'a> {
    /// Nothing said yet.
    pub(crate) fn new(map: &'a SourceMap) -> Self {
        Self { map, list: Vec::new(), seen: FxHashSet::default(), groups: FxHashMap::default() }
    }

    /// Says something unless it was said of the same place before.
    pub(crate) fn push(&mut self, d: Diagnostic) {
        debug_assert!(find(d.code).is_some(), "`{}` is missing in the table of codes", d.code);
        let at = self.map.primary(d.span);
        // An included file serves several models, and none of them needs all of it.
        if (d.code.starts_with("unused-") || d.code.starts_with("never-")) && self.map.file_of(at.lo) != Some(FileId(0))
        {
            return;
        }
        if self.seen.insert((d.code, at.lo, at.hi, d.message.clone())) {
            self.list.push(d);
        }
    }

    /// Says something that has the same cause as all else said with `cause`: the first message stands for all, and
    /// the others become further places of it.
    pub(crate) fn push_grouped(&mut self, cause: String, d: Diagnostic) {
        if !self.again(&cause, d.span) {
            self.groups.insert(cause, (self.list.len(), 1));
            self.push(d);
        }
    }

    /// Adds a place to the message that was said with `cause`; false when none was. Asking first saves the work of
    /// wording a message that is not going to be shown.
    pub(crate) fn again(&mut self, cause: &str, span: Span) -> bool {
        let Some((first, count)) = self.groups.get_mut(cause) else { return false };
        let Some(first) = self.list.get_mut(*first) else { return false };
        let at = self.map.primary(span);
        let is_new =
            self.map.primary(first.span) != at && self.seen.insert((first.code, at.lo, at.hi, cause.to_owned()));
        if is_new {
            *count += 1;
            if *count <= PLACES_MAX {
                first.labels.push(Label { span, text: "the same here".into() });
            }
        }
        true
    }

    /// All that was said.
    pub(crate) fn finish(mut self) -> Diagnostics {
        for (first, count) in self.groups.into_values() {
            if count > PLACES_MAX {
                self.list[first].notes.push(format!("the same in {} further places", count - PLACES_MAX));
            }
        }
        let mut diagnostics = Diagnostics::default();
        self.list.into_iter().for_each(|d| diagnostics.push(d));
        diagnostics
    }
}
