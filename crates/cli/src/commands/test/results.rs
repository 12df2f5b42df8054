//! Results of tests: a table for people, JUnit and SARIF for machines.

use super::expect::Expectation;
use ferrospin_source::printable::printable_line;
use serde_json::{Value, json};
use std::time::Duration;

/// What became of an expectation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Outcome {
    /// It was met.
    Met,
    /// It was not; why.
    Missed(String),
    /// It was left out; why.
    LeftOut(String),
}

/// A test that was run.
pub(super) struct Tested {
    /// The model.
    pub(super) model: String,
    /// What was expected.
    pub(super) expected: Expectation,
    /// What became of it.
    pub(super) outcome: Outcome,
    /// States of the search, where they are known.
    pub(super) states: Option<u64>,
    /// How long it took.
    pub(super) took: Duration,
}

/// A count with its word.
fn counted(n: usize, word: &str) -> String {
    if n == 1 { format!("1 {word}") } else { format!("{n} {word}s") }
}

/// The table: a line for each model, and one for each test that failed; with `all` for every test.
pub(super) fn table(tests: &[Tested], bad: &[String], all: bool, took: Duration) -> String {
    let mut out = String::new();
    for group in tests.chunk_by(|a, b| a.model == b.model) {
        let missed = group.iter().filter(|t| matches!(t.outcome, Outcome::Missed(_))).count();
        let word = if missed == 0 { "ok   " } else { "FAIL " };
        let time: Duration = group.iter().map(|t| t.took).sum();
        let of = if missed == 0 { String::new() } else { format!("{missed} of ") };
        let count = counted(group.len(), "expectation");
        out += &format!("{word} {:44} {of}{count}, {:.2} s\n", printable_line(&group[0].model), time.as_secs_f64());
        for t in group {
            let name = t.expected.name();
            let verdict = t.expected.verdict.word();
            match &t.outcome {
                Outcome::Missed(why) => {
                    out += &format!("      {name}: {why} ({}:{})\n", t.expected.file.display(), t.expected.line);
                }
                Outcome::Met if all => out += &format!("      {name}: {verdict}, {:.2} s\n", t.took.as_secs_f64()),
                Outcome::LeftOut(why) if all => out += &format!("      {name}: left out, {why}\n"),
                _ => {}
            }
        }
    }
    bad.iter().for_each(|why| out += &format!("BAD   {why}\n"));
    let count = |f: fn(&Outcome) -> bool| tests.iter().filter(|t| f(&t.outcome)).count();
    let (met, missed) = (count(|o| *o == Outcome::Met), count(|o| matches!(o, Outcome::Missed(_))));
    let left_out = count(|o| matches!(o, Outcome::LeftOut(_)));
    let mut parts = vec![format!("{met} met"), format!("{missed} missed")];
    parts.extend((left_out > 0).then(|| format!("{left_out} left out (`--all` runs them)")));
    parts.extend((!bad.is_empty()).then(|| format!("{} could not be read", counted(bad.len(), "model"))));
    let models = tests.chunk_by(|a, b| a.model == b.model).count();
    let of = format!("{} of {}", counted(tests.len(), "expectation"), counted(models, "model"));
    out + &format!("{of}: {}, {:.2} s\n", parts.join(", "), took.as_secs_f64())
}

/// The same as data.
pub(super) fn data(tests: &[Tested], bad: &[String]) -> Value {
    let test = |t: &Tested| {
        let (outcome, why) = match &t.outcome {
            Outcome::Met => ("met", None),
            Outcome::Missed(why) => ("missed", Some(why)),
            Outcome::LeftOut(why) => ("left-out", Some(why)),
        };
        json!({
            "model": t.model, "name": t.expected.name(), "expected": t.expected.verdict.word(), "outcome": outcome, "why": why,
            "states": t.states, "elapsed_s": t.took.as_secs_f64(),
            "location": { "file": t.expected.file.display().to_string(), "line": t.expected.line },
        })
    };
    json!({ "ferrospin": ferrospin::VERSION, "schema": 1, "tests": tests.iter().map(test).collect::<Vec<_>>(), "bad": bad })
}

fn escape(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// JUnit's XML, as continuous integration reads it.
pub(super) fn junit(tests: &[Tested], bad: &[String]) -> String {
    let missed = tests.iter().filter(|t| matches!(t.outcome, Outcome::Missed(_))).count();
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"ferrospin\" tests=\"{}\" failures=\"{missed}\" errors=\"{}\">\n",
        tests.len() + bad.len(),
        bad.len()
    );
    for group in tests.chunk_by(|a, b| a.model == b.model) {
        let model = escape(&group[0].model);
        out += &format!("  <testsuite name=\"{model}\" tests=\"{}\">\n", group.len());
        for t in group {
            let name = escape(&t.expected.name());
            let time = t.took.as_secs_f64();
            let inner = match &t.outcome {
                Outcome::Met => String::new(),
                Outcome::Missed(why) => format!("<failure message=\"{}\"/>", escape(why)),
                Outcome::LeftOut(why) => format!("<skipped message=\"{}\"/>", escape(why)),
            };
            out +=
                &format!("    <testcase classname=\"{model}\" name=\"{name}\" time=\"{time:.3}\">{inner}</testcase>\n");
        }
        out += "  </testsuite>\n";
    }
    for why in bad {
        let why = escape(why);
        out += &format!(
            "  <testsuite name=\"unreadable\" tests=\"1\"><testcase classname=\"unreadable\" name=\"{why}\"><error message=\"{why}\"/></testcase></testsuite>\n"
        );
    }
    out + "</testsuites>\n"
}

/// SARIF 2.1.0: a result for each expectation that was missed.
pub(super) fn sarif(tests: &[Tested], bad: &[String]) -> String {
    let at = |file: &str, line: u32| json!([{ "physicalLocation": { "artifactLocation": { "uri": file.replace('\\', "/") }, "region": { "startLine": line } } }]);
    let missed = tests.iter().filter_map(|t| {
        let Outcome::Missed(why) = &t.outcome else { return None };
        let text = format!("{}: {}: {why}", t.model, t.expected.name());
        let location = at(&t.expected.file.display().to_string(), t.expected.line);
        Some(json!({ "ruleId": "expectation", "level": "error", "message": { "text": text }, "locations": location }))
    });
    let bad = bad.iter().map(|why| json!({ "ruleId": "unreadable", "level": "error", "message": { "text": why } }));
    let rules = json!([
        { "id": "expectation", "shortDescription": { "text": "A model does not do what it states" } },
        { "id": "unreadable", "shortDescription": { "text": "A model, or what is expected of it, cannot be read" } },
    ]);
    let driver = json!({ "name": "ferrospin", "version": ferrospin::VERSION, "rules": rules });
    let run = json!({ "tool": { "driver": driver }, "results": missed.chain(bad).collect::<Vec<_>>() });
    let log = json!({ "version": "2.1.0", "runs": [run] });
    let text = serde_json::to_string_pretty(&log).expect("it is data");
    // The name of the schema comes first, so that the file is known again.
    text.replacen('{', "{\n  \"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\",", 1) + "\n"
}
