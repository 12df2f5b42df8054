//! Which lints are silenced and which stop the work.
//!
//! A level is set by `--allow CODE` and `--deny CODE`, or by a comment in the model: `/* ferrospin: allow(code) */`.
//! Options win over comments, and what is said later wins over what was said earlier. Levels are about lints only: a
//! model that cannot be read stays so, whatever is allowed.

use ferrospin_promela::preprocess::Pragma;
use ferrospin_source::{Diagnostic, Diagnostics, Severity};
use rustc_hash::FxHashMap;

/// What is to be done with a lint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// Not shown.
    Allow,
    /// Shown as an error; `check` does not go on.
    Deny,
}

/// The level of each lint for which one was set.
#[derive(Clone, Debug, Default)]
pub struct Levels {
    by_code: FxHashMap<String, Level>,
}

impl Levels {
    /// The levels that comments and options set, each in the order of writing.
    pub fn new(pragmas: &[Pragma], options: &[(String, Level)]) -> Self {
        let mut by_code = FxHashMap::default();
        for pragma in pragmas {
            by_code.insert(pragma.code.clone(), if pragma.deny { Level::Deny } else { Level::Allow });
        }
        by_code.extend(options.iter().cloned());
        Self { by_code }
    }

    /// The level set for a message, if one was.
    fn of(&self, diagnostic: &Diagnostic) -> Option<Level> {
        if diagnostic.lint { self.by_code.get(diagnostic.code).copied() } else { None }
    }

    /// Takes out what is allowed and raises what is denied to an error.
    pub fn apply(&self, diagnostics: Diagnostics) -> Judged {
        let mut judged = Judged::default();
        for diagnostic in diagnostics.iter() {
            let mut diagnostic = diagnostic.clone();
            match self.of(&diagnostic) {
                Some(Level::Allow) => continue,
                Some(Level::Deny) => {
                    diagnostic.severity = Severity::Error;
                    judged.denied += 1;
                }
                None => {}
            }
            judged.unreadable |= !diagnostic.lint && diagnostic.severity == Severity::Error;
            match diagnostic.severity {
                Severity::Error => judged.errors += 1,
                Severity::Warning => judged.warnings += 1,
            }
            judged.diagnostics.push(diagnostic);
        }
        judged
    }
}

/// Messages after their levels were applied, and what they amount to.
#[derive(Clone, Debug, Default)]
pub struct Judged {
    /// What is to be shown.
    pub diagnostics: Diagnostics,
    /// How many are of error level.
    pub errors: usize,
    /// How many are warnings.
    pub warnings: usize,
    /// How many lints are denied.
    pub denied: usize,
    /// Whether the model cannot be read: it must not be run.
    pub unreadable: bool,
}

impl Judged {
    /// Whether a check must not go on.
    pub fn stops_check(&self) -> bool {
        self.unreadable || self.denied > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrospin_source::Span;

    fn judge(pragmas: &[(bool, &str)], options: &[(Level, &str)]) -> Judged {
        let pragmas: Vec<_> =
            pragmas.iter().map(|&(deny, code)| Pragma { deny, code: code.into(), span: Span::NONE }).collect();
        let options: Vec<_> = options.iter().map(|&(level, code)| (code.to_owned(), level)).collect();
        let mut said = Diagnostics::default();
        said.push(Diagnostic::lint(Severity::Warning, "unused", Span::NONE, "never used"));
        said.push(Diagnostic::lint(Severity::Error, "chan-arity", Span::NONE, "two fields and one field"));
        Levels::new(&pragmas, &options).apply(said)
    }

    #[test]
    fn lints_alone_do_not_stop_a_check() {
        let judged = judge(&[], &[]);
        assert_eq!((judged.errors, judged.warnings, judged.stops_check()), (1, 1, false));
    }

    #[test]
    fn options_win_over_comments_and_later_over_earlier() {
        assert_eq!(judge(&[(true, "unused")], &[]).denied, 1);
        assert_eq!(judge(&[(true, "unused")], &[(Level::Allow, "unused")]).warnings, 0);
        assert_eq!(judge(&[(true, "unused"), (false, "unused")], &[]).denied, 0);
        assert!(judge(&[], &[(Level::Allow, "unused"), (Level::Deny, "unused")]).stops_check());
    }

    #[test]
    fn what_cannot_be_read_cannot_be_allowed() {
        let mut said = Diagnostics::default();
        said.push(Diagnostic::error("syntax", Span::NONE, "expected `}`"));
        let judged = Levels::new(&[], &[("syntax".into(), Level::Allow)]).apply(said);
        assert!(judged.unreadable && judged.stops_check());
    }
}
