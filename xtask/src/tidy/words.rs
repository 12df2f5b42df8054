//! Which words the sources use.
//!
//! Two rules. The core, from `system` up to `check`, serves every language: the words of Promela do not occur in it, neither in
//! names nor in comments, except where [`EXCEPTIONS`] gives a reason. And comments use the words of the field: things are not
//! persons, so that pronouns for persons do not stand for them.

use super::{Finding, TextFile};

/// Packages that are free of Promela.
const CORE: &[&str] = &["system", "store", "search", "reduce", "check"];

/// Words of Promela, in lower case; other forms of a word are words of their own.
const PROMELA: &[&str] = &[
    "promela",
    "proctype",
    "claim",
    "claims",
    "channel",
    "channels",
    "rendezvous",
    "mtype",
    "notrace",
    "d_step",
    "dstep",
];

/// Where a word may occur, and why: a path begins like this.
const EXCEPTIONS: &[(&str, &[&str], &str)] = &[
    (
        "crates/search/src/emptiness/ufscc.rs",
        &["claim"],
        "a worker claims a component, in the words of the algorithm's authors",
    ),
    (
        "crates/check/src/coverage.rs",
        &["channel", "channels"],
        "what is never used is named, and processes of most languages use channels",
    ),
    ("crates/check/src/subject.rs", &["channel"], "a statement says which channel it uses"),
    ("crates/search/src/emptiness/components.rs", &["claim"], "as in `ufscc`"),
    ("crates/search/src/emptiness/under_loom.rs", &["claim"], "as in `ufscc`"),
    ("crates/search/src/team.rs", &["channel"], "a channel between threads, of the standard library"),
    (
        "crates/check/src/report.rs",
        &["claim", "claims", "proctype"],
        "names in the JSON report, which scripts hold on to",
    ),
    ("crates/check/src/trails.rs", &["claim"], "a name in trail files"),
];

/// Pronouns that stand for persons, and a quantity that hides its number. In two parts, so that this file does not find itself.
const FIGURES: &[(&str, &str)] =
    &[("no", "body"), ("every", "body"), ("some", "body"), ("any", "body"), ("so ", "many")];

/// The words of Promela do not occur in the core.
pub(super) fn vocabulary(files: &[TextFile]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let core =
        files.iter().filter(|f| f.path.ends_with(".rs") && f.path.contains("/src/") && CORE.contains(&f.package()));
    for file in core {
        for (number, line) in (1..).zip(file.text.lines()) {
            for word in PROMELA.iter().filter(|word| has(line, word)) {
                let excused =
                    |(path, words, _): &&(&str, &[&str], &str)| file.path.starts_with(path) && words.contains(word);
                if !EXCEPTIONS.iter().any(|e| excused(&e)) {
                    let text = format!("`{word}` is a word of Promela, which the core does not depend on");
                    findings.push(file.finding("vocabulary", number, text));
                }
            }
        }
    }
    findings
}

/// No pronouns for persons where things are meant.
pub(super) fn figures(files: &[TextFile]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|f| f.path.ends_with(".rs")) {
        for (number, line) in (1..).zip(file.text.lines()) {
            for (first, second) in FIGURES {
                let word = format!("{first}{second}");
                if has(line, &word) && !line.contains(&format!("{word}_")) {
                    findings.push(file.finding(
                        "plain-words",
                        number,
                        format!("`{word}`: name the thing or the number"),
                    ));
                }
            }
        }
    }
    findings
}

/// Whether a line has a word, in any case. Names are made of words too: `edge_claim`, `ClaimEdge`.
fn has(line: &str, word: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    lower.match_indices(word).any(|(at, _)| {
        let (before, after) = (line[..at].chars().next_back(), line[at + word.len()..].chars().next());
        let (first, last) = (line[at..].chars().next(), line[..at + word.len()].chars().next_back());
        // A word of a name in camel case begins with a capital and ends before one.
        let begins = !before.is_some_and(|c| c.is_ascii_alphabetic())
            || before.is_some_and(|c| c.is_ascii_lowercase()) && first.is_some_and(|c| c.is_ascii_uppercase());
        let ends = !after.is_some_and(|c| c.is_ascii_alphabetic())
            || after.is_some_and(|c| c.is_ascii_uppercase()) && last.is_some_and(|c| c.is_ascii_lowercase());
        begins && ends
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::said;
    use super::*;

    #[test]
    fn words_are_found_in_names_and_comments() {
        for line in
            ["a claim", "// Claims.", "let claim_edge = 1;", "struct NeverClaim;", "enum ClaimEdge {}", "NO_CLAIM"]
        {
            assert!(has(line, "claim") || has(line, "claims"), "{line}");
        }
        for line in ["proclaim()", "it claimed", "exclaims", "Claimed"] {
            assert!(!has(line, "claim") && !has(line, "claims"), "{line}");
        }
    }

    #[test]
    fn the_core_does_not_speak_promela() {
        let text = "//! Channels.\n";
        assert!(said(vocabulary, "crates/store/src/a.rs", text).contains("[vocabulary]"));
        assert_eq!(said(vocabulary, "crates/model/src/a.rs", text), "");
        assert_eq!(said(vocabulary, "crates/store/tests/a.rs", text), "");
    }

    #[test]
    fn things_are_not_persons() {
        let text = ["// No", "body waits.\n// So ", "many.\n"].concat();
        assert_eq!(said(figures, "crates/model/tests/a.rs", &text).lines().count(), 2);
        assert_eq!(said(figures, "docs/a.md", &text), "");
    }
}
