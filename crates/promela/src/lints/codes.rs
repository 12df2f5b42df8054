//! The table of lints.

/// What happens with a lint unless the user says otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// Shown; `lint` exits with 1.
    Error,
    /// Shown.
    Warning,
    /// Not shown: often right, too often noise.
    Off,
}

/// A lint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LintInfo {
    /// Its name.
    pub code: &'static str,
    /// What happens with it by default.
    pub level: Level,
    /// One line that says what it finds.
    pub description: &'static str,
}

const fn lint(code: &'static str, level: Level, description: &'static str) -> LintInfo {
    LintInfo { code, level, description }
}

/// All lints, sorted by code.
pub const CODES: &[LintInfo] = &[
    lint("assign", Level::Error, "a value of the wrong kind is assigned or passed, such as an mtype to a byte"),
    lint("assign-in-guard", Level::Warning, "an assignment where a comparison is probably meant"),
    lint("bad-pragma", Level::Warning, "a comment `ferrospin: ...` that is not understood"),
    lint("bool-number", Level::Warning, "a truth value is used as a number"),
    lint("chan-arity", Level::Error, "a channel is used with different numbers of message fields"),
    lint("chan-type", Level::Error, "a channel is used with message fields of different kinds"),
    lint("comment", Level::Warning, "a `*/` without a comment before it"),
    lint("compare", Level::Error, "two values that have nothing in common are compared"),
    lint("cond", Level::Warning, "a condition or conditional expression of a doubtful type"),
    lint("const-range", Level::Warning, "a constant does not fit where it is stored or sent"),
    lint("constant-assert", Level::Warning, "an assertion that cannot fail"),
    lint("constant-comparison", Level::Warning, "a comparison that is always true or always false"),
    lint("d-step-block", Level::Warning, "a condition inside a d_step, where blocking is a run-time error"),
    lint("d-step-choice", Level::Warning, "a choice inside a d_step, which always takes the first option"),
    lint("dead-else", Level::Warning, "an `else` beside an option that is always executable"),
    lint("dead-option", Level::Warning, "an option whose guard is always false"),
    lint("dead-timeout", Level::Warning, "a `timeout` that can never be executable"),
    lint("duplicate-option", Level::Warning, "two equal options of one selection"),
    lint("endless-for", Level::Warning, "a `for` whose counter can never exceed the upper bound"),
    lint("exclusive-shared", Level::Warning, "an end of a channel that is claimed by `xr` or `xs` and used by others"),
    lint("extra-tokens", Level::Warning, "text behind a preprocessor directive that is ignored"),
    lint("impossible-value", Level::Warning, "a variable or field is compared with a value it cannot have"),
    lint("index", Level::Error, "a constant index outside the array (a warning for an index that is no number)"),
    lint("label-case", Level::Warning, "a label such as `End`, which means nothing because of its capital letters"),
    lint("ltl-negation", Level::Warning, "a `!` before a comparison, which negates only its first operand"),
    lint("ltl-next", Level::Off, "a formula with `X`, which rules out partial-order reduction"),
    lint("ltl-precedence", Level::Warning, "a formula that SPIN reads differently than most people do"),
    lint("ltl-reading", Level::Warning, "a formula that another dialect of LTL reads differently"),
    lint("ltl-trivial", Level::Warning, "a formula that looks at nothing in the model"),
    lint("macro-definition", Level::Warning, "a macro definition without white space behind the name"),
    lint("macro-in-number", Level::Warning, "a macro that is not expanded because it touches a number"),
    lint("macro-redefined", Level::Warning, "a macro that is defined twice"),
    lint(
        "misplaced-label",
        Level::Warning,
        "a label where a process never rests, such as in front of the first statement of an option",
    ),
    lint("missing-brace", Level::Warning, "an `ltl` block that is not closed"),
    lint("missing-end-label", Level::Warning, "an endless loop that waits for messages, without an end label"),
    lint("mtype-arith", Level::Error, "arithmetic or order on mtype values, or a comparison with a number"),
    lint("narrowing", Level::Warning, "a value is stored in a variable or field of a smaller type"),
    lint("never-read", Level::Warning, "a variable that is written but never read"),
    lint("never-written", Level::Warning, "a variable without initial value that is read but never written"),
    lint("nr-pr-claim", Level::Warning, "`_nr_pr` in a model with a claim, which it counts as a process"),
    lint("number-range", Level::Warning, "a number that does not fit 32 bits"),
    lint("numeric-guard", Level::Off, "a number is used as a condition"),
    lint("pid-index", Level::Warning, "`_pid` as the index of an array that is too small for it"),
    lint("printf", Level::Warning, "`printf` with arguments that do not fit (an error when some are missing)"),
    lint("self-assign", Level::Warning, "a variable is assigned to itself"),
    lint("strict-pid", Level::Error, "a process number is used as a number; only when asked for"),
    lint("uninit-chan", Level::Error, "a channel variable is used before it is set"),
    lint("unknown-lint", Level::Warning, "a comment names a lint that does not exist"),
    lint("unreachable", Level::Warning, "a statement that control never reaches"),
    lint("unread-receive", Level::Off, "a variable that only receives, where `_` would do"),
    lint("unterminated-string", Level::Warning, "a string that does not end on its line"),
    lint("unused-channel", Level::Warning, "a channel that is never used"),
    lint("unused-inline", Level::Warning, "an inline that is never called"),
    lint("unused-label", Level::Off, "a label that nothing refers to"),
    lint("unused-mtype", Level::Warning, "an mtype constant that is never used"),
    lint("unused-parameter", Level::Warning, "a parameter that is never used"),
    lint("unused-process", Level::Warning, "a process type that never runs"),
    lint("unused-typedef", Level::Warning, "a typedef that is never used"),
    lint("unused-variable", Level::Warning, "a variable that is never used"),
    lint("warning-directive", Level::Warning, "the text of a `#warning` directive"),
];

/// The lint of a name.
pub fn find(code: &str) -> Option<&'static LintInfo> {
    CODES.binary_search_by(|info| info.code.cmp(code)).ok().map(|i| &CODES[i])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_sorted_and_unique() {
        assert!(CODES.windows(2).all(|pair| pair[0].code < pair[1].code));
        assert!(CODES.iter().all(|info| find(info.code) == Some(info)));
    }
}
