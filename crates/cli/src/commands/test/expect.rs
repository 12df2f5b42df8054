//! What a model is expected to do: lines in a comment of the model, a file beside it, or a table beside it.
//!
//! A line names macros, a property and a verdict, and may give counts of a plain run:
//!
//! ```text
//! -DN=3 safety holds 82 states 179 transitions
//! ltl live --fair holds
//! ```
//!
//! In a model they stand in a comment that begins with `expect:`; in `MODEL.expect` each line is one. `MODEL.expect.tsv` is the same as a
//! table. `/* expect: violated */` beside or above an `ltl` block says that this block is meant to fail.

use ferrospin::front::{Define, Setting};
use ferrospin::report::ErrorKind;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// What one run is expected to answer.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Expectation {
    /// Macros, and options of the language, as they are typed.
    pub(super) defines: Vec<String>,
    /// What is checked; `None` for all that the model states.
    pub(super) property: Property,
    /// Under weak fairness.
    pub(super) fair: bool,
    /// The verdict.
    pub(super) verdict: Expected,
    /// The sort of violation, where that is stated.
    pub(super) error: Option<String>,
    /// Distinct states of a plain run, where they are stated.
    pub(super) states: Option<u64>,
    /// Transitions of a plain run.
    pub(super) transitions: Option<u64>,
    /// Where it is stated.
    pub(super) file: PathBuf,
    /// The line there.
    pub(super) line: u32,
}

/// A property of a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Property {
    Safety,
    Ltl(String),
    Never,
    Acceptance,
    Progress,
    /// A property that has a name of its own, such as the claim of a protocol.
    Named(String),
}

/// A verdict that can be expected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Expected {
    Holds,
    Violated,
    Undecided,
    /// The model cannot be read, or the question cannot be answered.
    Error,
}

impl Expected {
    pub(super) fn word(self) -> &'static str {
        match self {
            Expected::Holds => "holds",
            Expected::Violated => "violated",
            Expected::Undecided => "undecided",
            Expected::Error => "error",
        }
    }

    fn of(word: &str) -> Option<Expected> {
        [Expected::Holds, Expected::Violated, Expected::Undecided, Expected::Error]
            .into_iter()
            .find(|e| e.word() == word)
    }
}

impl std::fmt::Display for Property {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Property::Safety => f.write_str("safety"),
            Property::Ltl(name) => write!(f, "ltl {name}"),
            Property::Never => f.write_str("never"),
            Property::Acceptance => f.write_str("acceptance"),
            Property::Progress => f.write_str("progress"),
            Property::Named(name) => f.write_str(name),
        }
    }
}

impl Expectation {
    /// Macros, property and fairness, as the table of results names it.
    pub(super) fn name(&self) -> String {
        let fair = if self.fair { " --fair" } else { "" };
        let defines = self.defines.iter().map(|d| format!("{d} ")).collect::<String>();
        format!("{defines}{}{fair}", self.property)
    }

    /// Its macros as the front end takes them.
    pub(super) fn macros(&self) -> Vec<Define> {
        let define = |text: &String| match (text.strip_prefix("-D"), text.strip_prefix("-U")) {
            (Some(text), _) => Some(match text.split_once('=') {
                Some((name, value)) => Define::Set(name.into(), Some(value.into())),
                None => Define::Set(text.into(), None),
            }),
            (_, Some(name)) => Some(Define::Unset(name.into())),
            _ => None,
        };
        self.defines.iter().filter_map(define).collect()
    }

    /// Options of the language, `--NAME=VALUE`.
    pub(super) fn settings(&self) -> Vec<Setting> {
        let setting = |text: &String| {
            let text = text.strip_prefix("--")?;
            let (name, value) = text.split_once('=').unwrap_or((text, ""));
            Some(Setting { name: name.into(), value: value.into() })
        };
        self.defines.iter().filter_map(setting).collect()
    }
}

/// Why an expectation cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{file}:{line}: {why}")]
pub(super) struct BadExpectation {
    file: String,
    line: u32,
    why: String,
}

/// What is stated of a model, and which of its `ltl` blocks are meant to fail.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Stated {
    pub(super) rows: Vec<Expectation>,
    pub(super) meant_to_fail: Vec<(String, u32)>,
}

/// Reads what is stated of a model: in its text, and beside it.
pub(super) fn read(model: &Path, text: &str) -> Result<Stated, BadExpectation> {
    let mut stated = Stated { rows: comments(model, text)?, meant_to_fail: marks(text) };
    let beside = model.with_extension("expect");
    if let Ok(text) = std::fs::read_to_string(&beside) {
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.split('#').next().unwrap_or_default();
            stated.rows.extend(row(&beside, number, line)?);
        }
    }
    let table = model.with_extension("expect.tsv");
    if let Ok(text) = std::fs::read_to_string(&table) {
        for (number, line) in (1..).zip(text.lines()).skip(1).filter(|(_, line)| !line.starts_with('#')) {
            stated.rows.extend(cells(&table, number, line)?);
        }
    }
    Ok(stated)
}

/// Rows in comments that begin with `expect:`: block comments, and `//` for a single row.
fn comments(model: &Path, text: &str) -> Result<Vec<Expectation>, BadExpectation> {
    let mut rows = Vec::new();
    let mut inside = false;
    for (number, line) in (1..).zip(text.lines()) {
        let (said, closes) = line.split_once("*/").map_or((line, false), |(before, _)| (before, true));
        if inside {
            rows.extend(row(model, number, said.trim().trim_start_matches('*'))?);
            inside = !closes;
            continue;
        }
        // Further down in a comment the word stands alone.
        if !closes && said.trim().trim_start_matches('*').trim() == "expect:" {
            inside = true;
            continue;
        }
        let stated = |open: &str| said.split_once(open)?.1.trim_start_matches('*').trim_start().strip_prefix("expect:");
        let (block, single) = (stated("/*"), stated("//"));
        // A verdict alone is a mark of the block beside it.
        let rest = block.or(single).filter(|rest| Expected::of(rest.trim()).is_none());
        if let Some(rest) = rest {
            rows.extend(row(model, number, rest)?);
            inside = block.is_some() && !closes;
        }
    }
    Ok(rows)
}

/// The `ltl` blocks that are meant to fail: `/* expect: violated */` on the line of the block, or on the one above.
fn marks(text: &str) -> Vec<(String, u32)> {
    let is_mark = |line: &str| {
        line.split("/*").skip(1).any(|c| c.split("*/").next().is_some_and(|c| c.trim() == "expect: violated"))
            || line.split_once("//").is_some_and(|(_, c)| c.trim() == "expect: violated")
    };
    let name = |line: &str| {
        let code = line.rsplit_once("*/").filter(|(_, code)| code.contains("ltl")).map_or(line, |(_, code)| code);
        let (_, rest) = format!(" {code}").split_once(" ltl ").map(|(a, b)| (a.to_owned(), b.to_owned()))?;
        let name: String = rest.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        (!name.is_empty()).then_some(name)
    };
    let mut found = Vec::new();
    let mut above = false;
    for (number, line) in (1..).zip(text.lines()) {
        let here = is_mark(line);
        if let (true, Some(name)) = (here || above, name(line)) {
            found.push((name, number));
            above = false;
        } else if here || !line.trim().is_empty() {
            above = here;
        }
    }
    found
}

/// A row as words.
fn row(file: &Path, line: u32, text: &str) -> Result<Option<Expectation>, BadExpectation> {
    let bad = |why: String| BadExpectation { file: file.display().to_string(), line, why };
    let mut words = text.split_whitespace().map(|w| w.trim_end_matches([',', ':'])).peekable();
    if words.peek().is_none() {
        return Ok(None);
    }
    let mut row = empty(file, line);
    let (mut property, mut verdict) = (None, None);
    while let Some(word) = words.next() {
        match word {
            _ if word.starts_with("-D") && word.len() > 2 || word.starts_with("-U") && word.len() > 2 => {
                row.defines.push(word.to_owned());
            }
            "--fair" => row.fair = true,
            "safety" | "never" | "acceptance" | "progress" if property.is_none() => property = named(word),
            "ltl" if property.is_none() => {
                let name =
                    words.next().ok_or_else(|| bad("expected the name of an `ltl` block behind `ltl`".into()))?;
                property = Some(Property::Ltl(name.trim_end_matches(':').into()));
            }
            "" | "is" => {}
            _ if verdict.is_none() && Expected::of(word).is_some() => verdict = Expected::of(word),
            _ if is_error(word) => row.error = Some(word.to_owned()),
            _ => match word.replace(',', "").parse::<u64>().ok().zip(words.peek().copied()) {
                Some((n, "states" | "state")) => {
                    row.states = Some(n);
                    words.next();
                }
                Some((n, "transitions" | "transition")) => {
                    row.transitions = Some(n);
                    words.next();
                }
                _ => {
                    return Err(bad(format!(
                        "`{word}` is neither a property nor a verdict; a line reads `[-DNAME=VALUE] safety|ltl NAME [--fair] holds|violated [N states]`"
                    )));
                }
            },
        }
    }
    row.property = property
        .ok_or_else(|| bad("it names no property: `safety`, `ltl NAME`, `never`, `acceptance` or `progress`".into()))?;
    row.verdict =
        verdict.ok_or_else(|| bad("it names no verdict: `holds`, `violated`, `undecided` or `error`".into()))?;
    Ok(Some(row))
}

/// A row of a table: macros and options, property, verdict, error, states, transitions, depth, note.
fn cells(file: &Path, line: u32, text: &str) -> Result<Option<Expectation>, BadExpectation> {
    let bad = |why: &str| BadExpectation { file: file.display().to_string(), line, why: why.into() };
    let cells: Vec<&str> = text.split('\t').collect();
    let [defines, property, verdict, error, states, transitions, ..] = cells[..] else {
        return Err(bad("expected columns: defines, property, verdict, error, states, transitions, depth, note"));
    };
    let (name, fair) = property.strip_suffix("+fair").map_or((property, false), |name| (name, true));
    let known = match name.strip_prefix("ltl:") {
        Some(ltl) => Property::Ltl(ltl.into()),
        None => named(name).unwrap_or_else(|| Property::Named(name.into())),
    };
    let defines: Vec<String> = defines.split_whitespace().filter(|d| *d != "-").map(str::to_owned).collect();
    if let Some(other) = defines.iter().find(|d| !["-D", "-U", "--"].iter().any(|p| d.len() > 2 && d.starts_with(p))) {
        return Err(bad(&format!("`{other}` is neither a macro nor an option `--NAME=VALUE`")));
    }
    // A search for cycles may find what fails on the way first, so that the table says what SPIN has found.
    let says_error = matches!(known, Property::Safety | Property::Named(_));
    Ok(Some(Expectation {
        defines,
        property: known,
        fair,
        verdict: Expected::of(verdict).ok_or_else(|| bad("there is no such verdict"))?,
        error: Some(error.to_owned()).filter(|e| e != "-" && says_error),
        states: states.parse().ok(),
        transitions: transitions.parse().ok(),
        ..empty(file, line)
    }))
}

fn empty(file: &Path, line: u32) -> Expectation {
    Expectation {
        defines: Vec::new(),
        property: Property::Safety,
        fair: false,
        verdict: Expected::Holds,
        error: None,
        states: None,
        transitions: None,
        file: file.to_owned(),
        line,
    }
}

fn named(word: &str) -> Option<Property> {
    Some(match word {
        "safety" => Property::Safety,
        "never" => Property::Never,
        "acceptance" => Property::Acceptance,
        "progress" => Property::Progress,
        _ => return None,
    })
}

fn is_error(word: &str) -> bool {
    [
        ErrorKind::Assertion,
        ErrorKind::Invariant,
        ErrorKind::InvalidEndState,
        ErrorKind::AcceptanceCycle,
        ErrorKind::NonProgressCycle,
        ErrorKind::Runtime,
    ]
    .into_iter()
    .any(|kind| error_word(kind) == word)
}

/// The word of a sort of violation in reports.
pub(super) fn error_word(kind: ErrorKind) -> String {
    serde_json::to_value(kind).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(text: &str, expected: Expect) {
        let said = match read(Path::new("no/such/m.pml"), text) {
            Err(bad) => format!("{bad}\n"),
            Ok(stated) => {
                let row = |r: &Expectation| {
                    let counts = format!("{:?} {:?} {:?}", r.error, r.states, r.transitions);
                    format!("{}: {} {} {counts}\n", r.line, r.name(), r.verdict.word())
                };
                let rows: String = stated.rows.iter().map(row).collect();
                rows + &stated.meant_to_fail.iter().map(|(n, l)| format!("{l}: {n} fails\n")).collect::<String>()
            }
        };
        expected.assert_eq(&said);
    }

    #[test]
    fn comments_state_expectations() {
        check(
            "/* a lock\n * expect:\n */\n/* expect:\n *   safety holds 1,082 states 179 transitions\n *   -DB -DN=2 safety violated assertion\n *\n *   ltl live --fair: holds\n */\nltl live { p }\n",
            expect![[r#"
                5: safety holds None Some(1082) Some(179)
                6: -DB -DN=2 safety violated Some("assertion") None None
                8: ltl live --fair holds None None None
            "#]],
        );
        check(
            "// expect: safety holds\nbyte x;\n",
            expect![[r#"
            1: safety holds None None None
        "#]],
        );
        check(
            "/* expect: ltl p violated */ ltl p { q }",
            expect![[r#"
            1: ltl p violated None None None
        "#]],
        );
    }

    #[test]
    fn blocks_that_are_meant_to_fail() {
        check(
            "/* expect: violated */\nltl a { x }\nltl b { y } /* expect: violated */\nltl c { z }\n/* expect: violated */ ltl d { u }\n",
            expect![[r#"
                2: a fails
                3: b fails
                5: d fails
            "#]],
        );
    }

    #[test]
    fn mistakes_have_a_place() {
        check(
            "/* expect: safety hold */",
            expect![[r#"
            no/such/m.pml:1: `hold` is neither a property nor a verdict; a line reads `[-DNAME=VALUE] safety|ltl NAME [--fair] holds|violated [N states]`
        "#]],
        );
        check(
            "\n/* expect: ltl p */",
            expect![[r#"
            no/such/m.pml:2: it names no verdict: `holds`, `violated`, `undecided` or `error`
        "#]],
        );
        check(
            "/* expect: -DN=2 violated */",
            expect![[r#"
            no/such/m.pml:1: it names no property: `safety`, `ltl NAME`, `never`, `acceptance` or `progress`
        "#]],
        );
    }
}
